/* lines_avx2.c - cutting lines with AVX2. */
#if defined(__x86_64__)

#include "kernels/lines.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

AVX2 static inline uint64_t mask_of(__m256i low, __m256i high, __m256i wanted)
{
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));

    return (uint64_t)second << 32 | first;
}

/* Writes the positions of the bits of a mask, plus `base`; four at a time, so that there is one
 * jump for lines of 16 bytes and more. Needs room for 64. */
AVX2 static inline void note_ends(uint64_t mask, unsigned count, uint64_t base, uint64_t *ends)
{
    for (unsigned done = 0; done < count; done += 4)
        for (unsigned i = 0; i < 4; i++, mask = _blsr_u64(mask))
            ends[done + i] = base + (uint64_t)_tzcnt_u64(mask);
}

/* As ink__lines_cut, but stops, at *at, where fewer than 64 bytes may be left, or room for fewer
 * than 64 lines. Sets only `ends`. *cr says whether a '\r' was seen. */
AVX2 static size_t cut_ends(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *ends,
                            size_t room, uint64_t *stopped, bool *cr)
{
    __m256i  wanted = _mm256_set1_epi8((char)end), returns = _mm256_set1_epi8('\r');
    __m256i  seen = _mm256_setzero_si256();
    size_t   found = 0;
    uint64_t at = 0;

    for (; count - at >= 64 && room - found >= 64 + 4; at += 64) {
        ink__lines_fetch(bytes, at, count);
        __m256i  low = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + at));
        __m256i  high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + at + 32));
        uint64_t mask = mask_of(low, high, wanted);
        unsigned lines = (unsigned)_mm_popcnt_u64(mask);
        note_ends(mask, lines, at, ends + found);
        found += lines;
        seen = _mm256_or_si256(seen, _mm256_or_si256(_mm256_cmpeq_epi8(low, returns),
                                                     _mm256_cmpeq_epi8(high, returns)));
    }
    *stopped = at;
    *cr = _mm256_movemask_epi8(seen) != 0;
    return found;
}

AVX2 size_t ink__lines_cut_avx2(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                                uint64_t *ends, size_t room, uint64_t *used, bool *cr)
{
    uint64_t at = 0;
    size_t   found = 0;

    if (room >= INK__LINES_WIDE_ROOM)
        found = cut_ends(bytes, count, end, ends, room, &at, cr);
    if (found > 0)
        starts[0] = 0;
    for (size_t i = 1; i < found; i++)
        starts[i] = ends[i - 1] + 1;
    return ink__lines_cut_rest(bytes, count, end, starts, ends, room, at, found, used, cr);
}

#else
typedef int ink__no_lines_avx2_here; /* a file may not be empty */
#endif
