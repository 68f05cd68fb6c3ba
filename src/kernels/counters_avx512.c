/* counters_avx512.c - the inner loops of the kinds that count, 512 bits at a time on x86-64: eight
 * hashes in a register. */
#if defined(__x86_64__)

#include "kernels/counters.h"

#include "base/bits.h"
#include "kernels/mix_avx512.h"
#include "kernels/split_block.h"

#include <immintrin.h>

/* Compiled for AVX-512 function by function: the rest of the library stays plain x86-64. */
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,popcnt")))

AVX512 static inline __m512i load(const void *from)
{
    return _mm512_loadu_si512(from);
}

/* ---- Rows of counters --------------------------------------------------------------------- */

/* The positions of eight hashes in a row whose width fits 32 bits. */
AVX512 static inline __m512i positions_of(__m512i hashes, uint64_t added, uint64_t width)
{
    const __m512i range = _mm512_set1_epi64((int64_t)width);
    __m512i mixed = ink__mix_avx512(_mm512_add_epi64(hashes, _mm512_set1_epi64((int64_t)added)));
    __m512i low = _mm512_srli_epi64(_mm512_mul_epu32(mixed, range), 32);
    __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(mixed, 32), range);

    return _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
}

AVX512 void ink__row_positions_avx512(const uint64_t *hashes, size_t count, uint64_t added,
                                      uint64_t width, uint64_t *positions)
{
    size_t i = 0;

    for (; width <= UINT32_MAX && i + 8 <= count; i += 8)
        _mm512_storeu_si512(positions + i, positions_of(load(hashes + i), added, width));
    ink__row_positions_scalar(hashes + i, count - i, added, width, positions + i);
}

/* The smallest counter of one hash. */
static uint32_t least_of(const uint8_t *rows, uint64_t width, uint32_t depth, uint64_t step,
                         uint64_t hash)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t row = 0; row < depth; row++, rows += 4 * width) {
        uint64_t position;
        ink__row_positions_scalar(&hash, 1, row * step, width, &position);
        uint32_t value = ink__load_u32(rows + 4 * position);
        least = value < least ? value : least;
    }
    return least;
}

/* Eight gathered counters wait for memory together, and those of the next eight hashes with them:
 * prefetching is not needed. */
AVX512 void ink__rows_least_avx512(const uint8_t *rows, uint64_t width, uint32_t depth,
                                   uint64_t step, const uint64_t *hashes, size_t count,
                                   uint32_t *least)
{
    size_t i = 0;

    for (; width <= UINT32_MAX && i + 8 <= count; i += 8) {
        const uint8_t *row = rows;
        __m512i        hash = load(hashes + i);
        __m256i        found = _mm256_set1_epi32(-1);
        for (uint64_t number = 0; number < depth; number++, row += 4 * width)
            found = _mm256_min_epu32(
                found, _mm512_i64gather_epi32(positions_of(hash, number * step, width), row, 4));
        _mm256_storeu_si256((__m256i *)(void *)(least + i), found);
    }
    for (; i < count; i++)
        least[i] = least_of(rows, width, depth, step, hashes[i]);
}

_Static_assert(offsetof(ink_answer, estimate) == 0 && offsetof(ink_answer, low) == 8 &&
                   offsetof(ink_answer, high) == 16 && offsetof(ink_answer, confidence) == 24,
               "the numbers of an answer fill a register of 32 bytes");

/* Answers `number` and the next of eight, whose counts and lower bounds are these. */
AVX512 static inline void put_two(__m512d counts, __m512d low, __m512d confidence, int64_t number,
                                  ink_answer *answers)
{
    const int64_t one = number, two = number + 1;
    const __m512i order = _mm512_setr_epi64(one, 8 + one, one, 0, two, 8 + two, two, 0);
    const __m512d both =
        _mm512_mask_mov_pd(_mm512_permutex2var_pd(counts, order, low), 0x88, confidence);

    _mm256_storeu_pd((double *)(void *)&answers[one], _mm512_castpd512_pd256(both));
    answers[one].saturated = false;
    _mm256_storeu_pd((double *)(void *)&answers[two], _mm512_extractf64x4_pd(both, 1));
    answers[two].saturated = false;
}

AVX512 uint32_t ink__answer_counts_avx512(const uint32_t *counts, size_t count, double error,
                                          double confidence, ink_answer *answers)
{
    const __m512d sure = _mm512_set1_pd(confidence);
    __m256i       found = _mm256_setzero_si256();
    size_t        i = 0;

    for (; i + 8 <= count; i += 8) {
        const __m256i old = _mm256_loadu_si256((const __m256i *)(const void *)(counts + i));
        const __m512d each = _mm512_cvtepu32_pd(old);
        const __m512d low =
            _mm512_max_pd(_mm512_sub_pd(each, _mm512_set1_pd(error)), _mm512_setzero_pd());
        found = _mm256_max_epu32(found, old);
        for (int64_t number = 0; number < 8; number += 2)
            put_two(each, low, sure, number, answers + i);
    }
    uint32_t most = (uint32_t)_mm512_reduce_max_epu32(_mm512_zextsi256_si512(found));
    for (; i < count; i++) {
        const double each = counts[i], low = each - error;
        answers[i] = (ink_answer){
            .estimate = each, .low = low > 0 ? low : 0, .high = each, .confidence = confidence};
        most = counts[i] > most ? counts[i] : most;
    }
    return most;
}

/* ---- Registers ---------------------------------------------------------------------------- */

AVX512 size_t ink__pick_without_avx512(const uint64_t *hashes, size_t count, uint64_t bits,
                                       uint64_t *picked)
{
    const __m512i eight = _mm512_set1_epi64((int64_t)bits);
    size_t        i = 0, found = 0;

    /* Stored whole after what was found: no more than was read. */
    for (; i + 8 <= count; i += 8) {
        __m512i  hash = load(hashes + i);
        __mmask8 without = _mm512_testn_epi64_mask(hash, eight);
        _mm512_storeu_si512(picked + found, _mm512_maskz_compress_epi64(without, hash));
        found += (size_t)_mm_popcnt_u32(without);
    }
    return found + ink__pick_without_scalar(hashes + i, count - i, bits, picked + found);
}

AVX512 void ink__raise_registers_avx512(uint8_t *registers, uint32_t precision,
                                        const uint64_t *hashes, size_t count)
{
    enum { SOME = 64 };
    const __m512i end = _mm512_set1_epi64((int64_t)((uint64_t)1 << (precision - 1)));
    const __m128i up = _mm_cvtsi32_si128((int)precision);
    const __m128i down = _mm_cvtsi32_si128(64 - (int)precision);
    uint64_t      index[SOME];
    uint8_t       value[SOME];
    size_t        first = 0;

    for (; first + SOME <= count; first += SOME) {
        for (size_t i = 0; i < SOME; i += 8) {
            __m512i hash = load(hashes + first + i);
            __m512i zeros = _mm512_lzcnt_epi64(_mm512_or_si512(_mm512_sll_epi64(hash, up), end));
            __m512i found = _mm512_add_epi64(zeros, _mm512_set1_epi64(1));
            _mm512_storeu_si512(index + i, _mm512_srl_epi64(hash, down));
            _mm_storel_epi64((__m128i *)(void *)(value + i), _mm512_cvtepi64_epi8(found));
        }
        for (size_t i = 0; i < SOME; i++) {
            uint8_t old = registers[index[i]];
            registers[index[i]] = old < value[i] ? value[i] : old;
        }
    }
    ink__raise_registers_scalar(registers, precision, hashes + first, count - first);
}

AVX512 uint64_t ink__tails_avx512(const uint64_t *hashes, size_t count, uint64_t own)
{
    const __m512i with = _mm512_set1_epi64((int64_t)(own ^ own >> 33));
    __m512i       tails = _mm512_setzero_si512();
    size_t        i = 0;

    for (; i + 8 <= count; i += 8) {
        __m512i mixed = ink__mix_xored_avx512(load(hashes + i), with);
        __m512i less = _mm512_add_epi64(mixed, _mm512_set1_epi64(-1));
        tails = _mm512_or_si512(tails, _mm512_andnot_si512(mixed, less));
    }
    return (uint64_t)_mm512_reduce_or_epi64(tails) | ink__tails_scalar(hashes + i, count - i, own);
}

/* ---- Blocks of counters of four bits ------------------------------------------------------ */

/* Adds 1 in four words of 16 bytes each, which `counter` names: the byte in its low byte, the mask
 * within it in the next. */
AVX512 static inline void raise_four(uint8_t *words, __m512i counter)
{
    const __m512i bytes =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __mmask64 here =
        _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(counter, _mm512_setzero_si512()), bytes);
    __m512i   mask = _mm512_maskz_shuffle_epi8(here, counter, _mm512_set1_epi8(1));
    __m512i   old = load(words);
    __mmask64 rises = _mm512_cmpneq_epi8_mask(_mm512_and_si512(old, mask), mask);
    __m512i   one = _mm512_and_si512(mask, _mm512_set1_epi8(0x11));

    _mm512_storeu_si512(words, _mm512_mask_add_epi8(old, rises, old, one));
}

AVX512 void ink__counts_add_avx512(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                                   size_t count)
{
    static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;
    const __m256i         salt = _mm256_loadu_si256((const __m256i *)(const void *)salts);
    const __m512i         lower = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m512i         upper = _mm512_add_epi32(lower, _mm512_set1_epi32(4));

    for (size_t i = 0; i < count; i++) {
        uint8_t *block = counters + ink__block_of(hashes[i], blocks) * INK__COUNTS_BYTES;
        __m256i  position = _mm256_srli_epi32(
             _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hashes[i]), salt), 27);
        __m256i up = _mm256_slli_epi32(_mm256_and_si256(position, _mm256_set1_epi32(1)), 2);
        __m256i counter = _mm256_or_si256(_mm256_srli_epi32(position, 1),
                                          _mm256_sllv_epi32(_mm256_set1_epi32(15 << 8), up));
        __m512i eight = _mm512_castsi256_si512(counter);
        raise_four(block, _mm512_permutexvar_epi32(lower, eight));
        raise_four(block + INK__COUNTS_BYTES / 2, _mm512_permutexvar_epi32(upper, eight));
    }
}

#else
typedef int ink__no_avx512_counters_here; /* a file may not be empty */
#endif
