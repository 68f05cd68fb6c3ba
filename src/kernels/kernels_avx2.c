/* kernels_avx2.c - 256 bits at a time on x86-64: a block is one register. */
#if defined(__x86_64__)

#include "base/cpu.h"
#include "kernels/block_positions_avx2.h"
#include "kernels/kernels.h"
#include "kernels/mix_avx2.h"

#include <immintrin.h>

/* Compiled for AVX2 function by function: the rest of the library stays plain x86-64. */
#define AVX2 __attribute__((target("avx2,popcnt")))

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

AVX2 static inline __m256i load(const uint8_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AVX2 static inline void store(uint8_t *to, __m256i value)
{
    _mm256_storeu_si256((__m256i *)(void *)to, value);
}

/* The eight bits of a hash, one in each word. */
AVX2 static inline __m256i mask_of(uint64_t hash, __m256i salt)
{
    __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), salt);

    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

/* A hint for the second cache gains nothing on x86-64: near and far are the same. So are reading
 * and writing: not all of these processors have the hint for lines that will be written. */
#define FETCH(i, position) __builtin_prefetch(bits + (position), 0, 3)

AVX2 static void block_add_avx2(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
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

AVX2 static void block_test_avx2(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                 size_t count, uint8_t *answers, const ink__prefetch *prefetch)
{
    const ink__prefetch next = ink__prefetch_or_none(prefetch);
    const __m256i       salt = load((const uint8_t *)salts);

    /* Four answers put together in a register were no faster. */
#define TEST(i, position)                                                                          \
    answers[i] = (uint8_t)_mm256_testc_si256(load(bits + (position)), mask_of(hashes[i], salt))
    INK__FOR_POSITIONS(hashes, blocks, count, TEST, next.hashes, next.count, FETCH);
#undef TEST
}

/* Bits that are set already are written again: a jump would be mispredicted, which costs more. */
AVX2 static size_t block_add_new_avx2(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                      size_t count, uint8_t *was_new, const ink__prefetch *prefetch)
{
    const ink__prefetch next = ink__prefetch_or_none(prefetch);
    const __m256i       salt = load((const uint8_t *)salts);
    size_t              fresh = 0;

#define ADD_NEW(i, position)                                                                       \
    do {                                                                                           \
        uint8_t *block = bits + (position);                                                        \
        __m256i  found = load(block), mask = mask_of(hashes[i], salt);                             \
        was_new[i] = (uint8_t)!_mm256_testc_si256(found, mask);                                    \
        fresh += was_new[i];                                                                       \
        store(block, _mm256_or_si256(found, mask));                                                \
    } while (0)
    INK__FOR_POSITIONS(hashes, blocks, count, ADD_NEW, next.hashes, next.count, FETCH);
#undef ADD_NEW
    return fresh;
}

AVX2 static void block_fetch_avx2(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                  size_t count, ink__fetch how)
{
    const ink__prefetch next = ink__prefetch_or_none(NULL);

    (void)how;
    INK__FOR_POSITIONS(hashes, blocks, count, FETCH, next.hashes, next.count, FETCH);
}

/* 32 bytes at a time; the scalar table does the rest. */
#define WIDE_LOOP(name, operation)                                                                 \
    AVX2 static void name##_avx2(uint8_t *into, const uint8_t *from, size_t bytes)                 \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; i + 32 <= bytes; i += 32)                                                           \
            store(into + i, operation(load(into + i), load(from + i)));                            \
        ink__kernels_scalar.name(into + i, from + i, bytes - i);                                   \
    }

AVX2 static inline __m256i add_u4_of(__m256i a, __m256i b)
{
    const __m256i low = _mm256_set1_epi8(15), high = _mm256_set1_epi8((char)0xf0);
    /* Low halves stop at 15 by a minimum; high halves saturate in place. */
    __m256i lows =
        _mm256_min_epu8(_mm256_add_epi8(_mm256_and_si256(a, low), _mm256_and_si256(b, low)), low);
    __m256i highs = _mm256_adds_epu8(_mm256_and_si256(a, high), _mm256_and_si256(b, high));

    return _mm256_or_si256(lows, _mm256_and_si256(highs, high));
}

AVX2 static inline __m256i add_u32_of(__m256i a, __m256i b)
{
    /* What b can still grow by without passing the largest value is ~b. */
    return _mm256_add_epi32(_mm256_min_epu32(a, _mm256_xor_si256(b, _mm256_set1_epi32(-1))), b);
}

AVX2 static inline __m256i add_u64_of(__m256i a, __m256i b)
{
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    __m256i       sum = _mm256_add_epi64(a, b);

    /* Wrapped where sum < a, compared as unsigned by flipping the top bits. */
    return _mm256_or_si256(
        sum, _mm256_cmpgt_epi64(_mm256_xor_si256(a, top), _mm256_xor_si256(sum, top)));
}

WIDE_LOOP(or_bytes, _mm256_or_si256)
WIDE_LOOP(and_bytes, _mm256_and_si256)
WIDE_LOOP(max_u8, _mm256_max_epu8)
WIDE_LOOP(add_u4, add_u4_of)

AVX2 static void add_u32_avx2(uint8_t *into, const uint8_t *from, size_t count)
{
    size_t i = 0;

    for (; i + 8 <= count; i += 8)
        store(into + 4 * i, add_u32_of(load(into + 4 * i), load(from + 4 * i)));
    ink__kernels_scalar.add_u32(into + 4 * i, from + 4 * i, count - i);
}

AVX2 static void add_u64_avx2(uint8_t *into, const uint8_t *from, size_t count)
{
    size_t i = 0;

    for (; i + 4 <= count; i += 4)
        store(into + 8 * i, add_u64_of(load(into + 8 * i), load(from + 8 * i)));
    ink__kernels_scalar.add_u64(into + 8 * i, from + 8 * i, count - i);
}

/* The ones of every byte, by a table of the ones of half a byte. */
AVX2 static inline __m256i ones_of_bytes(__m256i value)
{
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);

    return _mm256_add_epi8(
        _mm256_shuffle_epi8(table, _mm256_and_si256(value, low)),
        _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(value, 4), low)));
}

AVX2 static uint64_t ones_avx2(const uint8_t *from, size_t bytes)
{
    __m256i  sums = _mm256_setzero_si256();
    uint64_t sum[4];
    size_t   i = 0;

    for (; i + 32 <= bytes; i += 32)
        sums = _mm256_add_epi64(
            sums, _mm256_sad_epu8(ones_of_bytes(load(from + i)), _mm256_setzero_si256()));
    store((uint8_t *)sum, sums);
    return sum[0] + sum[1] + sum[2] + sum[3] + ink__kernels_scalar.ones(from + i, bytes - i);
}

/* The ones of the eight words of a block, multiplied two by two: four products that fit 32 bits. */
AVX2 static inline __m256i pairs_of(__m256i block)
{
    /* Ones of bytes, added up to the ones of words (at most 32), then even words times odd ones. */
    __m256i words = _mm256_madd_epi16(
        _mm256_maddubs_epi16(ones_of_bytes(block), _mm256_set1_epi8(1)), _mm256_set1_epi16(1));

    return _mm256_mul_epu32(words, _mm256_srli_epi64(words, 32));
}

/* The products of the ones in the eight words of two blocks, in lanes 0 and 2; 0 in the others. */
AVX2 static inline __m256i rates_of(__m256i a, __m256i b)
{
    __m256i of_a = pairs_of(a), of_b = pairs_of(b);
    __m256i fours = _mm256_mul_epu32(_mm256_permute2x128_si256(of_a, of_b, 0x20),
                                     _mm256_permute2x128_si256(of_a, of_b, 0x31));

    return _mm256_mul_epu32(fours, _mm256_srli_si256(fours, 8));
}

AVX2 static inline __m256i both(const uint8_t *a, const uint8_t *b, uint64_t at)
{
    return b == NULL ? load(a + at) : _mm256_or_si256(load(a + at), load(b + at));
}

AVX2 static uint64_t block_rates_avx2(const uint8_t *a, const uint8_t *b, uint64_t blocks)
{
    const uint64_t bytes = blocks * INK__BLOCK_BYTES, two = 2 * INK__BLOCK_BYTES;
    __m256i        sums = _mm256_setzero_si256();
    uint64_t       sum[4], at = 0;

    for (; at + two <= bytes; at += two)
        sums = _mm256_add_epi64(sums, rates_of(both(a, b, at), both(a, b, at + two / 2)));
    if (at < bytes)
        sums = _mm256_add_epi64(sums, rates_of(both(a, b, at), _mm256_setzero_si256()));
    store((uint8_t *)sum, sums);
    return sum[0] + sum[2];
}

AVX2 static void mix_ints_avx2(const int64_t *ints, size_t count, uint64_t xored, uint64_t *hashes)
{
    const __m256i four = _mm256_set1_epi64x((long long)xored);
    size_t        i = 0;

    for (; i + 4 <= count; i += 4) {
        __m256i x = _mm256_xor_si256(load((const uint8_t *)(ints + i)), four);
        store((uint8_t *)(hashes + i), ink__mix_avx2(x));
    }
    ink__mix_ints_scalar(ints + i, count - i, xored, hashes + i);
}

const ink__kernels ink__kernels_avx2 = {
    .name = "avx2",
    .cpu_features = INK__CPU_AVX2,
    .block_add = block_add_avx2,
    .block_test = block_test_avx2,
    .block_add_new = block_add_new_avx2,
    .block_fetch = block_fetch_avx2,
    .block_rates = block_rates_avx2,
    .or_bytes = or_bytes_avx2,
    .and_bytes = and_bytes_avx2,
    .max_u8 = max_u8_avx2,
    .add_u4 = add_u4_avx2,
    .add_u32 = add_u32_avx2,
    .add_u64 = add_u64_avx2,
    .ones = ones_avx2,
    .mix_ints = mix_ints_avx2,
    .xxh3_batch = ink__xxh3_batch_scalar,
    .lines_cut = ink__lines_cut_avx2,
    .row_positions = ink__row_positions_avx2,
    .pick_without = ink__pick_without_avx2,
    .raise_registers = ink__raise_registers_scalar,
    .tails = ink__tails_scalar,
    .counts_add = ink__counts_add_avx2,
    .counts_least = ink__counts_least_avx2,
};

#else
typedef int ink__no_avx2_here; /* a file may not be empty */
#endif
