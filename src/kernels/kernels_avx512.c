/* kernels_avx512.c - x86-64 with AVX-512 as of Ice Lake. (Before, 512 bits lowered the clock of
 * everything else, and AVX2 is faster.)
 *
 * Arrays go 512 bits at a time. Split blocks go 256 bits at a time, the width of a block, with
 * shifts on another port and masks that are stored directly. Two blocks in one register were no
 * faster: 512 bits close a port. Hashing eight integers at once gains most. */
#if defined(__x86_64__)

#include "base/cpu.h"
#include "kernels/block_positions_avx2.h"
#include "kernels/kernels.h"
#include "kernels/mix_avx512.h"

#include <immintrin.h>

/* Compiled for AVX-512 function by function: the rest of the library stays plain x86-64. */
#define AVX512                                                                                     \
    __attribute__((                                                                                \
        target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,avx2,popcnt")))

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

/* ---- Split blocks ------------------------------------------------------------------------- */

AVX512 static inline __m256i load(const uint8_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AVX512 static inline void store(uint8_t *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)(void *)to, value);
}

/* The eight bits of a hash, one in each word. Bits 27 and up of each product are moved down as
 * bytes are, on a port that multiplications leave alone; a rotation looks at five bits only. */
AVX512 static inline __m256i mask_of(uint64_t hash, __m256i salt)
{
    const __m256i from = _mm256_set1_epi64x((long long)(32 + 27) << 32 | 27);
    __m256i       product = _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), salt);

    return _mm256_rolv_epi32(_mm256_set1_epi32(1), _mm256_multishift_epi64_epi8(from, product));
}

/* A hint for the second cache gains nothing on x86-64: near and far are the same. So are reading
 * and writing: the hint for writing is slower (1.15x). */
#define FETCH(i, position) __builtin_prefetch(bits + (position), 0, 3)

AVX512 static void block_add_avx512(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                    size_t count, const ink__prefetch *prefetch)
{
    const ink__prefetch next = ink__prefetch_or_none(prefetch);
    const __m256i       salt = load((const uint8_t *)salts);

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

AVX512 static void test_round(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                              size_t count, uint8_t *answers, const ink__prefetch next)
{
    const __m256i salt = load((const uint8_t *)salts);
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

AVX512 static void block_test_avx512(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                     size_t count, uint8_t *answers, const ink__prefetch *prefetch)
{
    for (size_t done = 0; done < count; done += ROUND)
        test_round(bits, blocks, hashes + done, count - done < ROUND ? count - done : ROUND,
                   answers + done, prefetch_in_round(prefetch, done));
}

/* Bits that are set already are written again: a jump would be mispredicted, which costs more. */
AVX512 static size_t add_new_round(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                   size_t count, uint8_t *was_new, const ink__prefetch next)
{
    const __m256i salt = load((const uint8_t *)salts);
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

AVX512 static size_t block_add_new_avx512(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
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

AVX512 static void block_fetch_avx512(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                      size_t count, ink__fetch how)
{
    const ink__prefetch next = ink__prefetch_or_none(NULL);

    (void)how;
    INK__FOR_POSITIONS(hashes, blocks, count, FETCH, next.hashes, next.count, FETCH);
}

/* ---- Arrays ------------------------------------------------------------------------------- */

AVX512 static inline __m512i load_wide(const uint8_t *from)
{
    return _mm512_loadu_si512((const void *)from);
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

AVX512 static uint64_t ones_avx512(const uint8_t *from, size_t bytes)
{
    __m512i sums = _mm512_setzero_si512();
    size_t  i = 0;

    for (; i + 64 <= bytes; i += 64)
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(load_wide(from + i)));
    if (i < bytes)
        sums = _mm512_add_epi64(sums, _mm512_popcnt_epi64(load_some(from + i, bytes - i)));
    return (uint64_t)_mm512_reduce_add_epi64(sums);
}

/* The products of the ones in the eight words of two blocks, each four times: pairwise, three
 * times.
 */
AVX512 static inline __m512i rates_of(__m512i blocks)
{
    __m512i words = _mm512_popcnt_epi32(blocks);
    __m512i twos = _mm512_mul_epu32(words, _mm512_srli_epi64(words, 32));
    __m512i fours = _mm512_mul_epu32(twos, _mm512_shuffle_epi32(twos, _MM_PERM_BADC));

    return _mm512_mul_epu32(fours, _mm512_permutex_epi64(fours, 0x4e));
}

AVX512 static uint64_t block_rates_avx512(const uint8_t *a, const uint8_t *b, uint64_t blocks)
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

AVX512 static void mix_ints_avx512(const int64_t *ints, size_t count, uint64_t xored,
                                   uint64_t *hashes)
{
    const __m512i eight = _mm512_set1_epi64((long long)(xored ^ xored >> 33));
    size_t        i = 0;

    for (; i + 8 <= count; i += 8)
        _mm512_storeu_si512(
            (void *)(hashes + i),
            ink__mix_xored_avx512(_mm512_loadu_si512((const void *)(ints + i)), eight));
    ink__mix_ints_scalar(ints + i, count - i, xored, hashes + i);
}

const ink__kernels ink__kernels_avx512 = {
    .name = "avx512",
    .cpu_features = INK__CPU_AVX2 | INK__CPU_AVX512 | INK__CPU_VBMI2,
    .block_add = block_add_avx512,
    .block_test = block_test_avx512,
    .block_add_new = block_add_new_avx512,
    .block_fetch = block_fetch_avx512,
    .block_rates = block_rates_avx512,
    .or_bytes = or_bytes_avx512,
    .and_bytes = and_bytes_avx512,
    .max_u8 = max_u8_avx512,
    .add_u4 = add_u4_avx512,
    .add_u32 = add_u32_avx512,
    .add_u64 = add_u64_avx512,
    .ones = ones_avx512,
    .mix_ints = mix_ints_avx512,
    .xxh3_batch = ink__xxh3_batch_avx512,
    .lines_cut = ink__lines_cut_avx512,
    .row_positions = ink__row_positions_avx512,
    .rows_least = ink__rows_least_avx512,
    .answer_counts = ink__answer_counts_avx512,
    .pick_without = ink__pick_without_avx512,
    .raise_registers = ink__raise_registers_avx512,
    .tails = ink__tails_avx512,
    .counts_add = ink__counts_add_avx512,
    .counts_least = ink__counts_least_avx2,
};

#else
typedef int ink__no_avx512_here; /* a file may not be empty */
#endif
