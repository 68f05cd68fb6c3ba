/* counters_avx2.c - the inner loops of the kinds that count, 256 bits at a time on x86-64. */
#if defined(__x86_64__)

#include "kernels/counters.h"

#include "kernels/mix_avx2.h"
#include "kernels/split_block.h"

#include <immintrin.h>

/* Compiled for AVX2 function by function: the rest of the library stays plain x86-64. */
#define AVX2 __attribute__((target("avx2,popcnt")))

AVX2 static inline __m256i load(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

AVX2 static inline void store(void *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)to, value);
}

/* ---- Rows of counters --------------------------------------------------------------------- */

AVX2 void ink__row_positions_avx2(const uint64_t *hashes, size_t count, uint64_t added,
                                  uint64_t width, uint64_t *positions)
{
    const __m256i range = _mm256_set1_epi64x((int64_t)width);
    const __m256i more = _mm256_set1_epi64x((int64_t)added);
    size_t        i = 0;

    for (; width <= UINT32_MAX && i + 4 <= count; i += 4) {
        __m256i mixed = ink__mix_avx2(_mm256_add_epi64(load(hashes + i), more));
        __m256i low = _mm256_srli_epi64(_mm256_mul_epu32(mixed, range), 32);
        __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(mixed, 32), range);
        store(positions + i, _mm256_srli_epi64(_mm256_add_epi64(high, low), 32));
    }
    ink__row_positions_scalar(hashes + i, count - i, added, width, positions + i);
}

/* ---- Registers ---------------------------------------------------------------------------- */

/* How the words of four numbers move so that those named by four bits come first. */
#define FIRST(a, b, c, d)                                                                          \
    {                                                                                              \
        2 * (a), 2 * (a) + 1, 2 * (b), 2 * (b) + 1, 2 * (c), 2 * (c) + 1, 2 * (d), 2 * (d) + 1     \
    }
static const uint32_t to_front[16][8] = {
    FIRST(0, 0, 0, 0), FIRST(0, 0, 0, 0), FIRST(1, 0, 0, 0), FIRST(0, 1, 0, 0),
    FIRST(2, 0, 0, 0), FIRST(0, 2, 0, 0), FIRST(1, 2, 0, 0), FIRST(0, 1, 2, 0),
    FIRST(3, 0, 0, 0), FIRST(0, 3, 0, 0), FIRST(1, 3, 0, 0), FIRST(0, 1, 3, 0),
    FIRST(2, 3, 0, 0), FIRST(0, 2, 3, 0), FIRST(1, 2, 3, 0), FIRST(0, 1, 2, 3),
};
#undef FIRST

AVX2 size_t ink__pick_without_avx2(const uint64_t *hashes, size_t count, uint64_t bits,
                                   uint64_t *picked)
{
    const __m256i four = _mm256_set1_epi64x((int64_t)bits);
    size_t        i = 0, found = 0;

    /* Stored whole after what was found: no more than was read. */
    for (; i + 4 <= count; i += 4) {
        __m256i  hash = load(hashes + i);
        __m256i  none = _mm256_cmpeq_epi64(_mm256_and_si256(hash, four), _mm256_setzero_si256());
        unsigned which = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(none));
        store(picked + found, _mm256_permutevar8x32_epi32(hash, load(to_front[which])));
        found += (size_t)_mm_popcnt_u32(which);
    }
    return found + ink__pick_without_scalar(hashes + i, count - i, bits, picked + found);
}

/* ---- Blocks of counters of four bits ------------------------------------------------------ */

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

/* The counters of a hash in the eight words: 0 to 31 each. */
AVX2 static inline __m256i positions_of(uint64_t hash)
{
    return _mm256_srli_epi32(
        _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), load(salts)), 27);
}

/* Adds 1 in two words of 16 bytes each, which `counter` names: the byte in its low byte, the mask
 * within it in the next. */
AVX2 static inline void raise_two(uint8_t *words, __m256i counter)
{
    const __m256i bytes = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
                                           1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m256i here = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(counter, _mm256_setzero_si256()), bytes);
    __m256i mask = _mm256_and_si256(here, _mm256_shuffle_epi8(counter, _mm256_set1_epi8(1)));
    __m256i old = load(words), stuck = _mm256_cmpeq_epi8(_mm256_and_si256(old, mask), mask);
    __m256i one = _mm256_and_si256(mask, _mm256_set1_epi8(0x11));

    store(words, _mm256_add_epi8(old, _mm256_andnot_si256(stuck, one)));
}

AVX2 void ink__counts_add_avx2(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                               size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *block = counters + ink__block_of(hashes[i], blocks) * INK__COUNTS_BYTES;
        __m256i  position = positions_of(hashes[i]);
        __m256i  up = _mm256_slli_epi32(_mm256_and_si256(position, _mm256_set1_epi32(1)), 2);
        __m256i  counter = _mm256_or_si256(_mm256_srli_epi32(position, 1),
                                           _mm256_sllv_epi32(_mm256_set1_epi32(15 << 8), up));
        for (int pair = 0; pair < 4; pair++) {
            const __m256i both =
                _mm256_set_m128i(_mm_set1_epi32(2 * pair + 1), _mm_set1_epi32(2 * pair));
            raise_two(block + 32 * pair, _mm256_permutevar8x32_epi32(counter, both));
        }
    }
}

AVX2 void ink__counts_least_avx2(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                                 size_t count, uint8_t *least)
{
    const __m256i words = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);

    for (size_t i = 0; i < count; i++) {
        const uint8_t *block = counters + ink__block_of(hashes[i], blocks) * INK__COUNTS_BYTES;
        __m256i        position = positions_of(hashes[i]);
        /* Eight counters fill 32 bits, four times in a word. */
        __m256i eights =
            _mm256_i32gather_epi32((const int *)(const void *)block,
                                   _mm256_add_epi32(words, _mm256_srli_epi32(position, 3)), 4);
        __m256i down = _mm256_slli_epi32(_mm256_and_si256(position, _mm256_set1_epi32(7)), 2);
        __m256i value = _mm256_and_si256(_mm256_srlv_epi32(eights, down), _mm256_set1_epi32(15));
        __m128i four =
            _mm_min_epu32(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
        __m128i two = _mm_min_epu32(four, _mm_shuffle_epi32(four, 0x4e));
        least[i] = (uint8_t)_mm_cvtsi128_si32(_mm_min_epu32(two, _mm_shuffle_epi32(two, 0xb1)));
    }
}

#else
typedef int ink__no_avx2_counters_here; /* a file may not be empty */
#endif
