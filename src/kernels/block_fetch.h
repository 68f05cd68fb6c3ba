/* block_fetch.h - prefetching the cache lines of a split-block filter, one hash at a time. */
#ifndef INK_KERNELS_BLOCK_FETCH_H
#define INK_KERNELS_BLOCK_FETCH_H

#include "base/tuning.h"
#include "kernels/split_block.h"

#include <stddef.h>

/* fetch(write, near) as `how` says. Macros, since a prefetch needs constants. */
#define INK__FETCH_AS(how, fetch)                                                                  \
    switch (how) {                                                                                 \
    case INK__FETCH_READ:                                                                          \
        fetch(0, 3);                                                                               \
        break;                                                                                     \
    case INK__FETCH_WRITE:                                                                         \
        fetch(1, 3);                                                                               \
        break;                                                                                     \
    case INK__FETCH_READ_FAR:                                                                      \
        fetch(0, 2);                                                                               \
        break;                                                                                     \
    case INK__FETCH_WRITE_FAR:                                                                     \
        fetch(1, 2);                                                                               \
        break;                                                                                     \
    }

#define INK__FETCH_BLOCKS(write, near)                                                             \
    for (size_t i = 0; i < count; i++)                                                             \
    __builtin_prefetch(bits + ink__block_of(hashes[i], blocks) * INK__BLOCK_BYTES, (write), (near))

static inline void ink__fetch_blocks(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                     size_t count, ink__fetch how)
{
    INK__FETCH_AS(how, INK__FETCH_BLOCKS)
}

/* All at once, before the keys: these loops stay simple. */
static inline void ink__prefetch_lines(const uint8_t *bits, uint64_t blocks,
                                       const ink__prefetch *prefetch)
{
    if (prefetch != NULL)
        ink__fetch_blocks(bits, blocks, prefetch->hashes, prefetch->count, prefetch->how);
}

#endif
