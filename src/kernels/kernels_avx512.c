/* kernels_avx512.c - x86-64 with AVX-512 as of Ice Lake. Processors before that have a table of
 * their own, in kernels_avx2.c, with the few of these loops that are faster there.
 *
 * Arrays go 512 bits at a time. Split blocks go 256 bits at a time, the width of a block, with
 * shifts on another port and masks that are stored directly. Two blocks in one register were no
 * faster: 512 bits close a port. Hashing eight integers at once gains most. */
#if defined(__x86_64__)

#include "base/mix.h"
#include "kernels/block_positions_avx2.h"
#include "kernels/kernels.h"

#include <immintrin.h>

/* Compiled for AVX-512 function by function: the rest of the library stays plain x86-64. */
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,popcnt")))
/* The loops that need more than the processors before had. */
#define VBMI                                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,"                           \
                          "avx512vbmi,avx512vpopcntdq,avx2,popcnt")))

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

/* ---- Split blocks ------------------------------------------------------------------------- */

AVX512 static inline __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

AVX512 static inline void store(void *to, __m256i value)
{
    _mm256_storeu_si256(to, value);
}

/* The eight bits of a hash, one in each word. Bits 27 and up of each product are moved down as
 * bytes are, on a port that multiplications leave alone; a rotation looks at five bits only. */
VBMI static inline __m256i mask_of(uint64_t hash, __m256i salt)
{
    const __m256i from = _mm256_set1_epi64x((long long)(32 + 27) << 32 | 27);
    __m256i       product = _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), salt);

    return _mm256_rolv_epi32(_mm256_set1_epi32(1), _mm256_multishift_epi64_epi8(from, product));
}

/* A hint for the second cache gains nothing on x86-64: near and far are the same. So are reading
 * and writing: the hint for writing is slower (1.15x). */
#define FETCH(i, position) __builtin_prefetch(bits + (position), 0, 3)

VBMI static void block_add_avx512(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                  size_t count, const ink__prefetch *prefetch)
{
    const ink__prefetch next = ink__prefetch_or_none(prefetch);
    const __m256i       salt = load(salts);

#define ADD(i, position)                                                                           \
    do {                                                                                           \
        uint8_t *block = bits + (position);                                                        \
        store(block, _mm256_or_si256(load(block), mask_of(hashes[i], salt)));                      \
    } while (0)
    INK__FOR_POSITIONS(hashes, blocks, count, ADD, next.hashes, next.count, FETCH);
#undef ADD
}

/* Answers are first written as masks of the words that miss a bit, ROUND at a time, and made 0 or 1
 * while they are in the first cache. */
enum { ROUND = 512 };

/* What is prefetched in the round that starts with key `done`. */
static inline ink__prefetch prefetch_in_round(const ink__prefetch *prefetch, size_t done)
{
    if (prefetch == NULL || prefetch->count <= done)
        return (ink__prefetch){.hashes = NULL};
    return (ink__prefetch){
        .hashes = prefetch->hashes + done,
        .count = prefetch->count - done < ROUND ? prefetch->count - done : ROUND,
    };
}

VBMI static void test_round(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                            size_t count, uint8_t *answers, const ink__prefetch next)
{
    const __m256i salt = load(salts);
    size_t        done = 0;

#define TEST(i, position)                                                                          \
    _store_mask8((__mmask8 *)(answers + (i)),                                                      \
                 _mm256_testn_epi32_mask(load(bits + (position)), mask_of(hashes[i], salt)))
    INK__FOR_POSITIONS(hashes, blocks, count, TEST, next.hashes, next.count, FETCH);
#undef TEST
    for (; done + 32 <= count; done += 32)
        store(answers + done,
              _mm256_and_si256(_mm256_cmpeq_epi8(load(answers + done), _mm256_setzero_si256()),
                               _mm256_set1_epi8(1)));
    for (; done < count; done++)
        answers[done] = answers[done] == 0;
}

VBMI static void block_test_avx512(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                   size_t count, uint8_t *answers, const ink__prefetch *prefetch)
{
    for (size_t done = 0; done < count; done += ROUND)
        test_round(bits, blocks, hashes + done, count - done < ROUND ? count - done : ROUND,
                   answers + done, prefetch_in_round(prefetch, done));
}

VBMI static size_t add_new_round(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                 size_t count, uint8_t *was_new, const ink__prefetch next)
{
    const __m256i salt = load(salts);
    size_t        fresh = 0, done = 0;

#define ADD_NEW(i, position)                                                                       \
    do {                                                                                           \
        uint8_t *block = bits + (position);                                                        \
        __m256i  found = load(block), mask = mask_of(hashes[i], salt);                             \
        _store_mask8((__mmask8 *)(was_new + (i)), _mm256_testn_epi32_mask(found, mask));           \
        store(block, _mm256_or_si256(found, mask));                                                \
    } while (0)
    INK__FOR_POSITIONS(hashes, blocks, count, ADD_NEW, next.hashes, next.count, FETCH);
#undef ADD_NEW
    for (; done + 32 <= count; done += 32) {
        __m256i missing = load(was_new + done);
        fresh += (size_t)__builtin_popcount(_mm256_test_epi8_mask(missing, missing));
        store(was_new + done, _mm256_min_epu8(missing, _mm256_set1_epi8(1)));
    }
    for (; done < count; done++)
        fresh += was_new[done] = was_new[done] != 0;
    return fresh;
}

VBMI static size_t block_add_new_avx512(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                        size_t count, uint8_t *was_new,
                                        const ink__prefetch *prefetch)
{
    size_t fresh = 0;

    for (size_t done = 0; done < count; done += ROUND)
        fresh +=
            add_new_round(bits, blocks, hashes + done, count - done < ROUND ? count - done : ROUND,
                          was_new + done, prefetch_in_round(prefetch, done));
    return fresh;
}

/* ---- Arrays ------------------------------------------------------------------------------- */

AVX512 static inline __m512i load_wide(const void *from)
{
    return _mm512_loadu_si512(from);
}

/* The first `bytes` < 64 bytes, and zeros. */
AVX512 static inline __m512i load_some(const uint8_t *from, size_t bytes)
{
    return _mm512_maskz_loadu_epi8(((__mmask64)1 << bytes) - 1, (const void *)from);
}

/* 64 bytes at a time; the rest is loaded and stored under a mask. */
#define WIDE_LOOP(name, number_bytes, operation)                                                   \
    AVX512 static void name##_avx512(uint8_t *into, const uint8_t *from, size_t count)             \
    {                                                                                              \
        size_t i = 0, bytes = (number_bytes)*count;                                                \
        for (; i + 64 <= bytes; i += 64)                                                           \
            _mm512_storeu_si512((void *)(into + i),                                                \
                                operation(load_wide(into + i), load_wide(from + i)));              \
        if (i < bytes)                                                                             \
            _mm512_mask_storeu_epi8(                                                               \
                (void *)(into + i), ((__mmask64)1 << (bytes - i)) - 1,                             \
                operation(load_some(into + i, bytes - i), load_some(from + i, bytes - i)));        \
    }

AVX512 static inline __m512i add_u4_of(__m512i a, __m512i b)
{
    const __m512i low = _mm512_set1_epi8(15), high = _mm512_set1_epi8((char)0xf0);
    /* Low halves stop at 15 by a minimum; high halves saturate in place. */
    __m512i lows =
        _mm512_min_epu8(_mm512_add_epi8(_mm512_and_si512(a, low), _mm512_and_si512(b, low)), low);
    __m512i highs = _mm512_adds_epu8(_mm512_and_si512(a, high), _mm512_and_si512(b, high));

    return _mm512_or_si512(lows, _mm512_and_si512(highs, high));
}

AVX512 static inline __m512i add_u32_of(__m512i a, __m512i b)
{
    /* What b can still grow by without passing the largest value is ~b. */
    return _mm512_add_epi32(_mm512_min_epu32(a, _mm512_xor_si512(b, _mm512_set1_epi32(-1))), b);
}

AVX512 static inline __m512i add_u64_of(__m512i a, __m512i b)
{
    return _mm512_add_epi64(_mm512_min_epu64(a, _mm512_xor_si512(b, _mm512_set1_epi32(-1))), b);
}

WIDE_LOOP(or_bytes, 1, _mm512_or_si512)
WIDE_LOOP(and_bytes, 1, _mm512_and_si512)
WIDE_LOOP(max_u8, 1, _mm512_max_epu8)
WIDE_LOOP(add_u4, 1, add_u4_of)
WIDE_LOOP(add_u32, 4, add_u32_of)
WIDE_LOOP(add_u64, 8, add_u64_of)

VBMI static uint64_t ones_avx512(const uint8_t *from, size_t bytes)
{
    __m512i sums = _mm512_setzero_si512();
    size_t  i = 0;

    for (; i + 64 <= bytes; i += 64)
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(load_wide(from + i)));
    if (i < bytes)
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(load_some(from + i, bytes - i)));
    return (uint64_t)_mm512_reduce_add_epi64(sums);
}

/* The products of the ones in the eight words of two blocks, each four times. */
VBMI static inline __m512i rates_of(__m512i blocks)
{
    __m512i words = _mm512_popcnt_epi32(blocks);
    __m512i twos = _mm512_mul_epu32(words, _mm512_srli_epi64(words, 32));
    __m512i fours = _mm512_mul_epu32(twos, _mm512_shuffle_epi32(twos, _MM_PERM_BADC));

    return _mm512_mul_epu32(fours, _mm512_permutex_epi64(fours, 0x4e));
}

VBMI static uint64_t block_rates_avx512(const uint8_t *a, const uint8_t *b, uint64_t blocks)
{
    const uint64_t bytes = blocks * INK__BLOCK_BYTES;
    __m512i        sums = _mm512_setzero_si512();
    uint64_t       at = 0;

    b = b == NULL ? a : b;
    for (; at + 64 <= bytes; at += 64)
        sums =
            _mm512_add_epi64(sums, rates_of(_mm512_or_si512(load_wide(a + at), load_wide(b + at))));
    if (at < bytes)
        sums =
            _mm512_add_epi64(sums, rates_of(_mm512_or_si512(load_some(a + at, INK__BLOCK_BYTES),
                                                            load_some(b + at, INK__BLOCK_BYTES))));
    return (uint64_t)_mm512_reduce_add_epi64(_mm512_maskz_mov_epi64(0x11, sums));
}

/* ---- Hashing ------------------------------------------------------------------------------ */

AVX512 static inline __m512i fold_avx512(__m512i x)
{
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 33));
}

/* ink__mix64 of eight whose first step is done, without the last, which changes the lower 31 bits
 * alone. */
AVX512 static inline __m512i mix_upper_avx512(__m512i x)
{
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)INK__MIX_FIRST));
    return _mm512_mullo_epi64(fold_avx512(x), _mm512_set1_epi64((int64_t)INK__MIX_SECOND));
}

AVX512 static inline __m512i mix_folded_avx512(__m512i x)
{
    return fold_avx512(mix_upper_avx512(x));
}

/* ink__mix64 of eight, each first XORed with a number, of which `folded` has the first step done:
 * that step is linear over XOR. */
AVX512 static inline __m512i mix_xored_avx512(__m512i x, __m512i folded)
{
    return mix_folded_avx512(_mm512_ternarylogic_epi64(x, _mm512_srli_epi64(x, 33), folded, 0x96));
}

AVX512 void ink__mix_ints_avx512(const int64_t *ints, size_t count, uint64_t xored,
                                 uint64_t *hashes)
{
    const __m512i eight = _mm512_set1_epi64((long long)(xored ^ xored >> 33));
    size_t        i = 0;

    for (; i + 8 <= count; i += 8)
        _mm512_storeu_si512((void *)(hashes + i), mix_xored_avx512(load_wide(ints + i), eight));
    ink__mix_ints_scalar(ints + i, count - i, xored, hashes + i);
}

AVX512 void ink__murmur3_ints_avx512(const int64_t *ints, size_t count, uint64_t seed,
                                     uint64_t *hashes)
{
    const __m512i first = _mm512_set1_epi64((int64_t)INK__MURMUR3_FIRST);
    const __m512i second = _mm512_set1_epi64((int64_t)INK__MURMUR3_SECOND);
    const __m512i b = _mm512_set1_epi64((int64_t)(seed ^ 8));
    size_t        i = 0;

    for (; i + 8 <= count; i += 8) {
        __m512i word = _mm512_rol_epi64(_mm512_mullo_epi64(load_wide(ints + i), first), 31);
        __m512i turned = _mm512_xor_si512(_mm512_mullo_epi64(word, second), b);
        __m512i a = _mm512_add_epi64(turned, b);
        __m512i mixed = mix_folded_avx512(fold_avx512(a));
        a = _mm512_add_epi64(a, b);
        mixed = _mm512_add_epi64(mixed, mix_folded_avx512(fold_avx512(a)));
        _mm512_storeu_si512((void *)(hashes + i), mixed);
    }
    ink__murmur3_ints_scalar(ints + i, count - i, seed, hashes + i);
}

/* ---- Rows of counters --------------------------------------------------------------------- */

/* The positions of eight hashes in a row whose width fits 32 bits. */
AVX512 static inline __m512i positions_of(__m512i hashes, uint64_t added, uint64_t width)
{
    const __m512i range = _mm512_set1_epi64((int64_t)width);
    __m512i       sum = _mm512_add_epi64(hashes, _mm512_set1_epi64((int64_t)added));
    __m512i       mixed = mix_folded_avx512(fold_avx512(sum));
    __m512i       low = _mm512_srli_epi64(_mm512_mul_epu32(mixed, range), 32);
    __m512i       high = _mm512_mul_epu32(_mm512_srli_epi64(mixed, 32), range);

    return _mm512_srli_epi64(_mm512_add_epi64(high, low), 32);
}

AVX512 void ink__row_positions_avx512(const uint64_t *hashes, size_t count, uint64_t added,
                                      uint64_t width, uint64_t *positions)
{
    const __m128i shift = _mm_cvtsi32_si128(64 - (int)ink__trailing_zeros_64(width));
    const __m512i more = _mm512_set1_epi64((int64_t)added);
    size_t        i = 0;

    if (ink__is_power_of_two(width) && width <= UINT32_MAX) /* the upper bits are the positions */
        for (; i + 8 <= count; i += 8) {
            __m512i sum = _mm512_add_epi64(load_wide(hashes + i), more);
            _mm512_storeu_si512(positions + i,
                                _mm512_srl_epi64(mix_upper_avx512(fold_avx512(sum)), shift));
        }
    for (; width <= UINT32_MAX && i + 8 <= count; i += 8)
        _mm512_storeu_si512(positions + i, positions_of(load_wide(hashes + i), added, width));
    ink__row_positions_scalar(hashes + i, count - i, added, width, positions + i);
}

/* Eight gathered counters wait for memory together, and those of the next eight hashes with them:
 * prefetching is not needed. */
AVX512 static void rows_least_avx512(const uint8_t *rows, uint64_t width, uint32_t depth,
                                     uint64_t step, const uint64_t *hashes, size_t count,
                                     uint32_t *least)
{
    size_t i = 0;

    for (; width <= UINT32_MAX && i + 8 <= count; i += 8) {
        const uint8_t *row = rows;
        __m512i        hash = load_wide(hashes + i);
        __m256i        found = _mm256_set1_epi32(-1);
        for (uint64_t number = 0; number < depth; number++, row += 4 * width)
            found = _mm256_min_epu32(
                found, _mm512_i64gather_epi32(positions_of(hash, number * step, width), row, 4));
        store(least + i, found);
    }
    ink__rows_least_scalar(rows, width, depth, step, hashes + i, count - i, least + i);
}

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

AVX512 static uint32_t answer_counts_avx512(const uint32_t *counts, size_t count, double error,
                                            double confidence, ink_answer *answers)
{
    const __m512d sure = _mm512_set1_pd(confidence);
    __m256i       found = _mm256_setzero_si256();
    size_t        i = 0;

    for (; i + 8 <= count; i += 8) {
        const __m256i old = load(counts + i);
        const __m512d each = _mm512_cvtepu32_pd(old);
        const __m512d low =
            _mm512_max_pd(_mm512_sub_pd(each, _mm512_set1_pd(error)), _mm512_setzero_pd());
        found = _mm256_max_epu32(found, old);
        for (int64_t number = 0; number < 8; number += 2)
            put_two(each, low, sure, number, answers + i);
    }
    uint32_t most = (uint32_t)_mm512_reduce_max_epu32(_mm512_zextsi256_si512(found));
    uint32_t of_rest =
        ink__answer_counts_scalar(counts + i, count - i, error, confidence, answers + i);
    return most > of_rest ? most : of_rest;
}

/* ---- Registers ---------------------------------------------------------------------------- */

AVX512 size_t ink__pick_without_avx512(const uint64_t *hashes, size_t count, uint64_t bits,
                                       uint64_t *picked)
{
    const __m512i eight = _mm512_set1_epi64((int64_t)bits);
    size_t        i = 0, found = 0;

    /* Stored whole after what was found: no more than was read. */
    for (; i + 8 <= count; i += 8) {
        __m512i  hash = load_wide(hashes + i);
        __mmask8 without = _mm512_testn_epi64_mask(hash, eight);
        _mm512_storeu_si512(picked + found, _mm512_maskz_compress_epi64(without, hash));
        found += (size_t)_mm_popcnt_u32(without);
    }
    return found + ink__pick_without_scalar(hashes + i, count - i, bits, picked + found);
}

AVX512 size_t ink__pick_below_avx512(const uint64_t *numbers, size_t count, uint64_t bound,
                                     uint64_t *picked)
{
    const __m512i eight = _mm512_set1_epi64((int64_t)bound);
    size_t        i = 0, found = 0;

    for (; i + 8 <= count; i += 8) {
        __m512i  number = load_wide(numbers + i);
        __mmask8 below = _mm512_cmplt_epu64_mask(number, eight);
        if (below == 0) /* most of the time */
            continue;
        _mm512_storeu_si512(picked + found, _mm512_maskz_compress_epi64(below, number));
        found += (size_t)_mm_popcnt_u32(below);
    }
    return found + ink__pick_below_scalar(numbers + i, count - i, bound, picked + found);
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
            __m512i hash = load_wide(hashes + first + i);
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
        __m512i mixed = mix_xored_avx512(load_wide(hashes + i), with);
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
    __m512i   old = load_wide(words);
    __mmask64 rises = _mm512_cmpneq_epi8_mask(_mm512_and_si512(old, mask), mask);
    __m512i   one = _mm512_and_si512(mask, _mm512_set1_epi8(0x11));

    _mm512_storeu_si512(words, _mm512_mask_add_epi8(old, rises, old, one));
}

AVX512 static void counts_add_avx512(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                                     size_t count)
{
    const __m256i salt = load(salts);
    const __m512i lower = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const __m512i upper = _mm512_add_epi32(lower, _mm512_set1_epi32(4));

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

/* ---- Fuse --------------------------------------------------------------------------------- */

/* Where eight hashes are asked, each in its shard. */
typedef struct eight_places {
    __m512i  first_bit, seed, segments, length_bits;
    __mmask8 empty, scattered;
} eight_places;

AVX512 static inline eight_places places_of(__m512i head, __m512i first_bit, __m512i seed)
{
    const __m512i byte = _mm512_set1_epi64(0xff);
    eight_places  found = {.first_bit = first_bit, .seed = seed};

    found.segments = _mm512_and_si512(head, _mm512_set1_epi64(UINT32_MAX));
    found.length_bits = _mm512_and_si512(_mm512_srli_epi64(head, 32), byte);
    found.empty = _mm512_testn_epi64_mask(head, _mm512_set1_epi64(UINT32_MAX));
    found.scattered = _mm512_test_epi64_mask(head, _mm512_set1_epi64((int64_t)0xff << 40));
    return found;
}

/* The same as words: first bit, seed, and all that is smaller. */
enum { PLACE_WORDS = sizeof(ink__fuse_place) / 8, FUSE_FAR = 64 };
_Static_assert(PLACE_WORDS == 3, "a place is three words");

AVX512 static inline eight_places find_places(const ink__fuse_filter *of, __m512i hashes)
{
    const long long *words = (const long long *)(const void *)of->places;

    if (of->shard_bits == 0)
        return places_of(_mm512_set1_epi64(words[2]), _mm512_set1_epi64(words[0]),
                         _mm512_set1_epi64(words[1]));
    const __m512i shard = _mm512_srl_epi64(hashes, _mm_cvtsi32_si128((int)(64 - of->shard_bits)));
    const __m512i at = _mm512_add_epi64(_mm512_add_epi64(shard, shard), shard);
    return places_of(_mm512_i64gather_epi64(at, words + 2, 8), _mm512_i64gather_epi64(at, words, 8),
                     _mm512_i64gather_epi64(at, words + 1, 8));
}

/* Eight questions, as ink__fuse_question; those of `late` are in shards that were built late, and
 * are to be asked by the plain loop. */
typedef struct eight_questions {
    __m512i  bits[INK__FUSE_WAYS], fingerprint;
    __mmask8 empty, late;
} eight_questions;

AVX512 static inline __attribute__((always_inline)) eight_questions
fuse_ask_eight(const ink__fuse_filter *of, __m512i hashes)
{
    const eight_places at = find_places(of, hashes);
    const __m512i      one = _mm512_set1_epi64(1), bits = _mm512_set1_epi64(of->bits);
    const __m512i      x = _mm512_xor_si512(hashes, at.seed);
    const __m512i      value = _mm512_srli_epi64(mix_folded_avx512(fold_avx512(x)), 8);
    const __m512i      rest = _mm512_sll_epi64(hashes, _mm_cvtsi32_si128((int)of->shard_bits));
    const __m512i      mask = _mm512_sub_epi64(_mm512_sllv_epi64(one, at.length_bits), one);
    __m512i            segment =
        _mm512_srli_epi64(_mm512_mul_epu32(_mm512_srli_epi64(rest, 32), at.segments), 32);
    __m512i         left = value;
    eight_questions made = {.empty = at.empty, .late = at.scattered};

#pragma GCC unroll 4
    for (unsigned way = 0; way < INK__FUSE_WAYS; way++) {
        __m512i slot = _mm512_add_epi64(_mm512_sllv_epi64(segment, at.length_bits),
                                        _mm512_and_si512(left, mask));
        made.bits[way] =
            _mm512_maskz_add_epi64((__mmask8)~at.empty, at.first_bit, _mm512_mul_epu32(slot, bits));
        segment = _mm512_add_epi64(segment, one);
        left = _mm512_srlv_epi64(left, at.length_bits);
    }
    made.fingerprint =
        _mm512_srl_epi64(value, _mm_cvtsi32_si128((int)(INK__FUSE_VALUE_BITS - of->bits)));
    return made;
}

AVX512 static inline __attribute__((always_inline)) __mmask8
fuse_answer_eight(const ink__fuse_filter *of, const eight_questions *asked)
{
    const __m512i kept = _mm512_set1_epi64((int64_t)(((uint64_t)1 << of->bits) - 1));
    __m512i       sum = _mm512_setzero_si512();

#pragma GCC unroll 4
    for (unsigned way = 0; way < INK__FUSE_WAYS; way++) {
        __m512i bit = asked->bits[way];
        __m512i read = _mm512_i64gather_epi64(_mm512_srli_epi64(bit, 3),
                                              (const long long *)(const void *)of->data, 1);
        sum = _mm512_xor_si512(
            sum, _mm512_srlv_epi64(read, _mm512_and_si512(bit, _mm512_set1_epi64(7))));
    }
    return (__mmask8)(_mm512_cmpeq_epi64_mask(_mm512_and_si512(sum, kept), asked->fingerprint) &
                      ~asked->empty);
}

/* Where the questions of many hashes are known before the first is answered, memory is fetched
 * meanwhile. Returns the shards that were built late. */
AVX512 static __mmask8 fuse_test_far(const ink__fuse_filter *of, const uint64_t *hashes,
                                     uint8_t *answers)
{
    eight_questions asked[FUSE_FAR / 8];
    __mmask8        late = 0;

    for (size_t i = 0; i < FUSE_FAR / 8; i++) {
        _Alignas(64) uint64_t bits[8];
        asked[i] = fuse_ask_eight(of, load_wide(hashes + 8 * i));
        late |= asked[i].late;
        for (unsigned way = 0; way < INK__FUSE_WAYS; way++) {
            _mm512_store_si512(bits, asked[i].bits[way]);
            for (unsigned j = 0; j < 8; j++)
                __builtin_prefetch(of->data + (bits[j] >> 3));
        }
    }
    for (size_t i = 0; i < FUSE_FAR / 8; i++)
        _mm_storel_epi64((void *)(answers + 8 * i),
                         _mm_maskz_set1_epi8(fuse_answer_eight(of, &asked[i]), 1));
    return late;
}

AVX512 static void fuse_test_avx512(const ink__fuse_filter *of, const uint64_t *hashes,
                                    size_t count, uint8_t *answers)
{
    size_t   i = 0, taken = of->far ? FUSE_FAR : 8;
    __mmask8 late = 0;

    for (; i + taken <= count && late == 0; i += taken) {
        if (of->far) {
            late = fuse_test_far(of, hashes + i, answers + i);
            continue;
        }
        eight_questions asked = fuse_ask_eight(of, load_wide(hashes + i));
        __mmask8        found = fuse_answer_eight(of, &asked);
        _mm_storel_epi64((void *)(answers + i), _mm_maskz_set1_epi8(found, 1));
        late = asked.late;
    }
    if (late != 0)
        i -= taken;
    ink__fuse_test_avx2(of, hashes + i, count - i, answers + i);
}

const ink__kernels ink__kernels_avx512 = {
    .name = "avx512",
    .cpu_features = INK__CPU_AVX2 | INK__CPU_AVX512 | INK__CPU_VBMI2,
    .block_add = block_add_avx512,
    .block_test = block_test_avx512,
    .block_add_new = block_add_new_avx512,
    .block_fetch = ink__block_fetch_avx2,
    .block_rates = block_rates_avx512,
    .or_bytes = or_bytes_avx512,
    .and_bytes = and_bytes_avx512,
    .max_u8 = max_u8_avx512,
    .add_u4 = add_u4_avx512,
    .add_u32 = add_u32_avx512,
    .add_u64 = add_u64_avx512,
    .ones = ones_avx512,
    .mix_ints = ink__mix_ints_avx512,
    .murmur3_ints = ink__murmur3_ints_avx512,
    .xxh3_batch = ink__xxh3_batch_avx512,
    .lines_cut = ink__lines_cut_avx512,
    .row_positions = ink__row_positions_avx512,
    .rows_least = rows_least_avx512,
    .answer_counts = answer_counts_avx512,
    .pick_without = ink__pick_without_avx512,
    .pick_below = ink__pick_below_avx512,
    .raise_registers = ink__raise_registers_avx512,
    .list_registers = ink__list_registers_avx2,
    .tails = ink__tails_avx512,
    .counts_add = counts_add_avx512,
    .counts_least = ink__counts_least_avx2,
    .fuse_test = fuse_test_avx512,
};

#else
typedef int ink__no_avx512_here; /* a file may not be empty */
#endif
