/* lines_avx512.c - cutting lines with AVX-512 (VBMI2). One instruction gives the positions of the
 * ends among 64 bytes, without a jump. */
#if defined(__x86_64__)

#include "kernels/lines.h"

#include <immintrin.h>

#define VBMI2 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi,popcnt")))

/* The numbers 0 to 63, a byte each. */
VBMI2 static inline __m512i numbers_0_to_63(void)
{
    const __m512i four =
        _mm512_set_epi32(60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0);

    return _mm512_add_epi32(_mm512_mullo_epi32(four, _mm512_set1_epi32(0x01010101)),
                            _mm512_set1_epi32(0x03020100));
}

/* Notes eight lines that end at `positions` plus `base`, and the starts of the lines after them. */
VBMI2 static inline void note_lines(__m128i positions, uint64_t base, uint64_t *starts,
                                    uint64_t *ends)
{
    __m512i at =
        _mm512_add_epi64(_mm512_cvtepu8_epi64(positions), _mm512_set1_epi64((long long)base));

    _mm512_storeu_si512(ends, at);
    _mm512_storeu_si512(starts + 1, _mm512_add_epi64(at, _mm512_set1_epi64(1)));
}

/* The same for lines of fewer than 8 bytes on the average. */
VBMI2 static inline void note_more(__m512i positions, unsigned count, uint64_t base,
                                   uint64_t *starts, uint64_t *ends)
{
    uint8_t bytes[64];

    _mm512_storeu_si512(bytes, positions);
    for (unsigned done = 8; done < count; done += 8)
        note_lines(_mm_loadl_epi64((const __m128i *)(const void *)(bytes + done)), base,
                   starts + done, ends + done);
}

/* As ink__lines_cut, but stops, at *at, where fewer than 64 bytes may be left, or room for fewer
 * than 64 lines and 8 more. *cr says whether a '\r' was seen. */
VBMI2 static size_t cut_wide(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                             uint64_t *ends, size_t room, uint64_t *at, bool *cr)
{
    const __m512i wanted = _mm512_set1_epi8((char)end), returns = _mm512_set1_epi8('\r');
    const __m512i numbers = numbers_0_to_63();
    __mmask64     seen = 0;
    size_t        found = 0;

    starts[0] = 0;
    for (*at = 0; count - *at >= 64 && room - found >= 64 + 8; *at += 64) {
        ink__lines_fetch(bytes, *at, count);
        __m512i   some = _mm512_loadu_si512(bytes + *at);
        __mmask64 mask = _mm512_cmpeq_epi8_mask(some, wanted);
        __m512i   positions = _mm512_maskz_compress_epi8(mask, numbers);
        unsigned  lines = (unsigned)_mm_popcnt_u64(mask);
        note_lines(_mm512_castsi512_si128(positions), *at, starts + found, ends + found);
        if (lines > 8)
            note_more(positions, lines, *at, starts + found, ends + found);
        found += lines;
        seen |= _mm512_cmpeq_epi8_mask(some, returns);
    }
    *cr = seen != 0;
    return found;
}

size_t ink__lines_cut_avx512(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                             uint64_t *ends, size_t room, uint64_t *used, bool *cr)
{
    uint64_t at = 0;
    size_t   found = 0;

    if (room >= INK__LINES_WIDE_ROOM)
        found = cut_wide(bytes, count, end, starts, ends, room, &at, cr);
    return ink__lines_cut_rest(bytes, count, end, starts, ends, room, at, found, used, cr);
}

#else
typedef int ink__no_lines_avx512_here; /* a file may not be empty */
#endif
