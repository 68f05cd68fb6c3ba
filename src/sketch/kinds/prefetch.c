/* prefetch.c - which keys are prefetched. */
#include "sketch/kinds/prefetch.h"

uint32_t ink__prefetch_window(const ink_sketch *sketch, bool write, ink__fetch *how)
{
    ink__tuning tuning = ink__tuning_now();
    uint64_t    spread = sketch->kind->fetch == NULL ? 0 : sketch->kind->spread(sketch);
    bool        far = spread >= tuning.far_from_bytes;

    if (spread < tuning.prefetch_from_bytes)
        return 0;
    if (far)
        *how = write ? INK__FETCH_WRITE_FAR : INK__FETCH_READ_FAR;
    else
        *how = write ? INK__FETCH_WRITE : INK__FETCH_READ;
    return far ? tuning.far_window : tuning.window;
}

void ink__prefetch_keys(const ink_sketch *sketch, const ink__keys *keys)
{
    ink__fetch how = INK__FETCH_READ;

    if (keys->count >= INK__PREFETCH_FROM && ink__prefetch_window(sketch, false, &how) != 0)
        sketch->kind->fetch(sketch, keys->hashes, keys->count, how);
}
