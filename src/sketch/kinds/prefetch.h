/* prefetch.h - which keys of a sketch larger than the cache are prefetched. */
#ifndef INK_SKETCH_KINDS_PREFETCH_H
#define INK_SKETCH_KINDS_PREFETCH_H

#include "sketch/kinds/kind.h"

/* Fewer keys than this are in flight together without prefetches. */
enum { INK__PREFETCH_FROM = 16 };

/* How many keys in advance to fetch, and how; 0 if the sketch fits the cache. */
static inline uint32_t ink__prefetch_window(const ink_sketch *sketch, bool write, ink__fetch *how)
{
    ink__tuning tuning = ink__tuning_now();
    uint64_t    bytes = sketch->kind->block_bytes == 0 ? 0 : ink__shape_of(sketch).payload_bytes;
    bool        far = bytes >= tuning.far_from_bytes;

    if (bytes < tuning.prefetch_from_bytes)
        return 0;
    if (far)
        *how = write ? INK__FETCH_WRITE_FAR : INK__FETCH_READ_FAR;
    else
        *how = write ? INK__FETCH_WRITE : INK__FETCH_READ;
    return far ? tuning.far_window : tuning.window;
}

#endif
