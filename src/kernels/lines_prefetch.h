/* lines_prefetch.h - prefetching text before it is cut into lines. Processors do so by themselves,
 * but not beyond a page, and memory is idle while lines are hashed. */
#ifndef INK_KERNELS_LINES_PREFETCH_H
#define INK_KERNELS_LINES_PREFETCH_H

#include <stdint.h>

/* One page: measured, the best of 512 to 16384. */
#define INK__LINES_PREFETCH 4096

static inline void ink__lines_fetch(const uint8_t *bytes, uint64_t at, uint64_t count)
{
    uint64_t prefetch = at + INK__LINES_PREFETCH;

    __builtin_prefetch(bytes + (prefetch < count ? prefetch : at));
}

#endif
