/* streaming_store.h - whole cache lines written to memory without fetching them first: half the
 * traffic of ordinary stores, for what is not read again soon. Where the instruction set has no
 * such stores, the next line is prefetched. */
#ifndef INK_BASE_STREAMING_STORE_H
#define INK_BASE_STREAMING_STORE_H

#include "base/tuning.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Copies a line, aligned to 16 bytes; `to` should be aligned to a line, or it is slow. */
static inline void ink__line_put(uint8_t *to, const void *from)
{
#if defined(__SSE2__)
    const __m128i *parts = from;

    if ((uintptr_t)to % INK__LINE_BYTES == 0) {
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)(void *)to + i, _mm_load_si128(parts + i));
        return;
    }
#endif
    memcpy(to, from, INK__LINE_BYTES);
    __builtin_prefetch(to + INK__LINE_BYTES, 1, 3);
}

/* Such lines become visible to other threads no later than what this one writes from now on. */
static inline void ink__lines_done(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
