/* kernels_avx2.c - 256 bits at a time on x86-64: a block is one register. */
#if defined(__x86_64__)

#include "base/mix.h"
#include "kernels/block_positions_avx2.h"
#include "kernels/kernels.h"

#include <immintrin.h>
#include <string.h>

/* Compiled for AVX2 function by function: the rest of the library stays plain x86-64. */
#define AVX2 __attribute__((target("avx2,popcnt")))

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

AVX2 static inline __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

AVX2 static inline void store(void *to, __m256i value)
{
    _mm256_storeu_si256(to, value);
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
    const __m256i       salt = load(salts);

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
    const __m256i       salt = load(salts);

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
    const __m256i       salt = load(salts);
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

AVX2 void ink__block_fetch_avx2(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                size_t count, ink__fetch how)
{
    const ink__prefetch next = ink__prefetch_or_none(NULL);

    (void)how;
    INK__FOR_POSITIONS(hashes, blocks, count, FETCH, next.hashes, next.count, FETCH);
}

/* 32 bytes at a time; the scalar table does the rest. */
#define WIDE_LOOP(name, number_bytes, operation)                                                   \
    AVX2 static void name##_avx2(uint8_t *into, const uint8_t *from, size_t count)                 \
    {                                                                                              \
        size_t i = 0, bytes = (number_bytes)*count;                                                \
        for (; i + 32 <= bytes; i += 32)                                                           \
            store(into + i, operation(load(into + i), load(from + i)));                            \
        ink__kernels_scalar.name(into + i, from + i, (bytes - i) / (number_bytes));                \
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

WIDE_LOOP(or_bytes, 1, _mm256_or_si256)
WIDE_LOOP(and_bytes, 1, _mm256_and_si256)
WIDE_LOOP(max_u8, 1, _mm256_max_epu8)
WIDE_LOOP(add_u4, 1, add_u4_of)
WIDE_LOOP(add_u32, 4, add_u32_of)
WIDE_LOOP(add_u64, 8, add_u64_of)

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
    store(sum, sums);
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
    store(sum, sums);
    return sum[0] + sum[2];
}

/* Four registers, on which every step is done one after the other: a product waits five cycles, and
 * the processor does not look far enough ahead to find other work by itself (1.4x). */
enum { REGISTERS = 4, NUMBERS = 4 * REGISTERS };
typedef struct numbers {
    __m256i four[REGISTERS];
} numbers;
#define EACH(expression)                                                                           \
    for (int r = 0; r < REGISTERS; r++)                                                            \
    expression
#define INLINE AVX2 static inline __attribute__((always_inline))

/* Upper halves, moved to where products take them from, on a port that products leave alone. */
INLINE numbers upper(numbers x)
{
    EACH(x.four[r] = _mm256_shuffle_epi32(x.four[r], 0xf5));
    return x;
}

/* Products of the lower halves. */
INLINE numbers multiply_halves(numbers x, uint64_t by)
{
    EACH(x.four[r] = _mm256_mul_epu32(x.four[r], _mm256_set1_epi64x((int64_t)by)));
    return x;
}

INLINE numbers add(numbers x, numbers y)
{
    EACH(x.four[r] = _mm256_add_epi64(x.four[r], y.four[r]));
    return x;
}

/* The low halves of 64-bit products, from 32-bit ones: that of the high words does not count. */
INLINE numbers multiply(numbers x, uint64_t by)
{
    const uint64_t low = by & UINT32_MAX, high = by >> 32;
    numbers        upper_half = multiply_halves(upper(x), low);
    numbers        crossed = add(multiply_halves(x, high), upper_half);

    EACH(crossed.four[r] = _mm256_slli_epi64(crossed.four[r], 32));
    return add(multiply_halves(x, low), crossed);
}

INLINE numbers fold(numbers x)
{
    numbers shifted = x;

    EACH(shifted.four[r] = _mm256_srli_epi64(x.four[r], 33));
    EACH(x.four[r] = _mm256_xor_si256(x.four[r], shifted.four[r]));
    return x;
}

/* ink__mix64 of all, without its last step, which changes the lower 31 bits alone. */
INLINE numbers mix_upper(numbers x)
{
    return multiply(fold(multiply(fold(x), INK__MIX_FIRST)), INK__MIX_SECOND);
}

INLINE numbers mix(numbers x)
{
    return fold(mix_upper(x));
}

AVX2 static void mix_ints_avx2(const int64_t *ints, size_t count, uint64_t xored, uint64_t *hashes)
{
    const __m256i four = _mm256_set1_epi64x((long long)xored);
    size_t        i = 0;

    for (; i + NUMBERS <= count; i += NUMBERS) {
        numbers x;
        EACH(x.four[r] = _mm256_xor_si256(load(ints + i + 4 * r), four));
        x = mix(x);
        EACH(store(hashes + i + 4 * r, x.four[r]));
    }
    ink__mix_ints_scalar(ints + i, count - i, xored, hashes + i);
}

/* The positions of NUMBERS hashes, for a width below 2^32. */
INLINE void put_positions(const uint64_t *hashes, uint64_t added, uint64_t width,
                          uint64_t *positions)
{
    const __m256i more = _mm256_set1_epi64x((int64_t)added);
    numbers       x;

    EACH(x.four[r] = _mm256_add_epi64(load(hashes + 4 * r), more));
    x = mix(x);
    numbers low = multiply_halves(x, width), high = multiply_halves(upper(x), width);
    EACH(low.four[r] = _mm256_srli_epi64(low.four[r], 32));
    x = add(high, low);
    EACH(store(positions + 4 * r, _mm256_srli_epi64(x.four[r], 32)));
}

/* The same for a width of 2^(64 - shift), at most 2^32: they are the upper bits. */
INLINE void put_upper_bits(const uint64_t *hashes, uint64_t added, int shift, uint64_t *positions)
{
    const __m256i more = _mm256_set1_epi64x((int64_t)added);
    const __m128i by = _mm_cvtsi32_si128(shift);
    numbers       x;

    EACH(x.four[r] = _mm256_add_epi64(load(hashes + 4 * r), more));
    x = mix_upper(x);
    EACH(store(positions + 4 * r, _mm256_srl_epi64(x.four[r], by)));
}

AVX2 static void row_positions_avx2(const uint64_t *hashes, size_t count, uint64_t added,
                                    uint64_t width, uint64_t *positions)
{
    const int shift = 64 - (int)ink__trailing_zeros_64(width);
    size_t    i = 0;

    if (ink__is_power_of_two(width) && width <= UINT32_MAX)
        for (; i + NUMBERS <= count; i += NUMBERS)
            put_upper_bits(hashes + i, added, shift, positions + i);
    for (; width <= UINT32_MAX && i + NUMBERS <= count; i += NUMBERS)
        put_positions(hashes + i, added, width, positions + i);
    ink__row_positions_scalar(hashes + i, count - i, added, width, positions + i);
}

/* The counters of a row at four positions. */
AVX2 static inline __m128i counters_at(const uint8_t *row, const uint64_t *at)
{
#define AT(i) (int)ink__load_u32(row + 4 * at[i])
    return _mm_insert_epi32(
        _mm_insert_epi32(_mm_insert_epi32(_mm_cvtsi32_si128(AT(0)), AT(1), 1), AT(2), 2), AT(3), 3);
#undef AT
}

/* Counters are loaded one by one: a gather is slower on processors whose gathers were mended. */
INLINE void rows_least_by(ink__row_positions *find, const uint8_t *rows, uint64_t width,
                          uint32_t depth, uint64_t step, const uint64_t *hashes, size_t count,
                          uint32_t *least)
{
    enum { SOME = 64 };
    uint64_t at[SOME];

    for (size_t some; count > 0; hashes += some, least += some, count -= some) {
        const uint8_t *row = rows;
        some = count < SOME ? count : SOME;
        memset(least, 0xff, some * sizeof *least);
        for (uint64_t number = 0; number < depth; number++, row += 4 * width) {
            size_t i = 0;
            find(hashes, some, number * step, width, at);
            for (; i + 4 <= some; i += 4) {
                __m128i *four = (__m128i *)(void *)(least + i);
                _mm_storeu_si128(four,
                                 _mm_min_epu32(_mm_loadu_si128(four), counters_at(row, at + i)));
            }
            for (; i < some; i++) {
                uint32_t value = ink__load_u32(row + 4 * at[i]);
                least[i] = value < least[i] ? value : least[i];
            }
        }
    }
}

AVX2 static void rows_least_avx2(const uint8_t *rows, uint64_t width, uint32_t depth, uint64_t step,
                                 const uint64_t *hashes, size_t count, uint32_t *least)
{
    rows_least_by(row_positions_avx2, rows, width, depth, step, hashes, count, least);
}

/* With positions by AVX-512. */
AVX2 static void rows_least_avx512bw(const uint8_t *rows, uint64_t width, uint32_t depth,
                                     uint64_t step, const uint64_t *hashes, size_t count,
                                     uint32_t *least)
{
    rows_least_by(ink__row_positions_avx512, rows, width, depth, step, hashes, count, least);
}

/* Four answers: estimates, lower bounds, estimates again, and how sure they are. */
AVX2 static inline void put_four(__m256d estimate, __m256d low, __m256d sure, ink_answer *answers)
{
    const __m256d evens = _mm256_unpacklo_pd(estimate, low);
    const __m256d odds = _mm256_unpackhi_pd(estimate, low);
    const __m256d even_ends = _mm256_unpacklo_pd(estimate, sure);
    const __m256d odd_ends = _mm256_unpackhi_pd(estimate, sure);

    _mm256_storeu_pd(&answers[0].estimate, _mm256_permute2f128_pd(evens, even_ends, 0x20));
    _mm256_storeu_pd(&answers[1].estimate, _mm256_permute2f128_pd(odds, odd_ends, 0x20));
    _mm256_storeu_pd(&answers[2].estimate, _mm256_permute2f128_pd(evens, even_ends, 0x31));
    _mm256_storeu_pd(&answers[3].estimate, _mm256_permute2f128_pd(odds, odd_ends, 0x31));
    for (int i = 0; i < 4; i++)
        answers[i].saturated = false;
}

AVX2 static uint32_t answer_counts_avx2(const uint32_t *counts, size_t count, double error,
                                        double confidence, ink_answer *answers)
{
    /* A number below 2^52 in the bits of 2^52 is their sum. */
    const __m256d large = _mm256_set1_pd(0x1p52), sure = _mm256_set1_pd(confidence);
    __m128i       most = _mm_setzero_si128();
    size_t        i = 0;

    for (; i + 4 <= count; i += 4) {
        __m128i four = _mm_loadu_si128((const __m128i *)(const void *)(counts + i));
        __m256d each = _mm256_castsi256_pd(
            _mm256_or_si256(_mm256_cvtepu32_epi64(four), _mm256_castpd_si256(large)));
        each = _mm256_sub_pd(each, large);
        most = _mm_max_epu32(most, four);
        put_four(each,
                 _mm256_max_pd(_mm256_sub_pd(each, _mm256_set1_pd(error)), _mm256_setzero_pd()),
                 sure, answers + i);
    }
    most = _mm_max_epu32(most, _mm_shuffle_epi32(most, 0x4e));
    most = _mm_max_epu32(most, _mm_shuffle_epi32(most, 0xb1));
    uint32_t of_rest =
        ink__answer_counts_scalar(counts + i, count - i, error, confidence, answers + i);
    return (uint32_t)_mm_cvtsi128_si32(most) > of_rest ? (uint32_t)_mm_cvtsi128_si32(most)
                                                       : of_rest;
}

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

AVX2 static size_t pick_without_avx2(const uint64_t *hashes, size_t count, uint64_t bits,
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

/* AVX2 compares signed numbers alone: the top bit of both is turned. */
AVX2 static size_t pick_below_avx2(const uint64_t *words, size_t count, uint64_t bound,
                                   uint64_t *picked)
{
    const __m256i top = _mm256_set1_epi64x(INT64_MIN);
    const __m256i four = _mm256_xor_si256(_mm256_set1_epi64x((int64_t)bound), top);
    size_t        i = 0, found = 0;

    for (; i + 4 <= count; i += 4) {
        __m256i  number = load(words + i);
        __m256i  below = _mm256_cmpgt_epi64(four, _mm256_xor_si256(number, top));
        unsigned which = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(below));
        if (which == 0) /* most of the time */
            continue;
        store(picked + found, _mm256_permutevar8x32_epi32(number, load(to_front[which])));
        found += (size_t)_mm_popcnt_u32(which);
    }
    return found + ink__pick_below_scalar(words + i, count - i, bound, picked + found);
}

/* ---- Registers ---------------------------------------------------------------------------- */

/* How the bytes of eight 16-bit numbers move so that those named by eight bits come first, in
 * order. A row has all 16 choices of the first four numbers before one choice of the others. */
__extension__ typedef unsigned __int128 ink__byte_moves;
#define MOVE1(a) ((ink__byte_moves)(0x0202 * (a) + 0x0100))
#define MOVE2(a, b) (MOVE1(a) | MOVE1(b) << 16)
#define MOVE3(a, b, c) (MOVE2(a, b) | MOVE1(c) << 32)
#define MOVE4(a, b, c, d) (MOVE2(a, b) | MOVE2(c, d) << 32)
#define ROW(others)                                                                                \
    (others), MOVE1(0) | (others) << 16, MOVE1(1) | (others) << 16, MOVE2(0, 1) | (others) << 32,  \
        MOVE1(2) | (others) << 16, MOVE2(0, 2) | (others) << 32, MOVE2(1, 2) | (others) << 32,     \
        MOVE3(0, 1, 2) | (others) << 48, MOVE1(3) | (others) << 16, MOVE2(0, 3) | (others) << 32,  \
        MOVE2(1, 3) | (others) << 32, MOVE3(0, 1, 3) | (others) << 48,                             \
        MOVE2(2, 3) | (others) << 32, MOVE3(0, 2, 3) | (others) << 48,                             \
        MOVE3(1, 2, 3) | (others) << 48, MOVE4(0, 1, 2, 3) | (others) << 64
static const ink__byte_moves eight_to_front[256] = {
    ROW(MOVE1(0) & 0), ROW(MOVE1(4)),       ROW(MOVE1(5)),       ROW(MOVE2(4, 5)),
    ROW(MOVE1(6)),     ROW(MOVE2(4, 6)),    ROW(MOVE2(5, 6)),    ROW(MOVE3(4, 5, 6)),
    ROW(MOVE1(7)),     ROW(MOVE2(4, 7)),    ROW(MOVE2(5, 7)),    ROW(MOVE3(4, 5, 7)),
    ROW(MOVE2(6, 7)),  ROW(MOVE3(4, 6, 7)), ROW(MOVE3(5, 6, 7)), ROW(MOVE4(4, 5, 6, 7)),
};
#undef ROW
#undef MOVE4
#undef MOVE3
#undef MOVE2
#undef MOVE1

/* Within 1024 registers an index and a value fill 16 bits; the third byte is the same for all. */
enum { ALIKE = 1024 };

/* Lists at most ALIKE registers as 16-bit numbers. What is stored after those found is overwritten:
 * no more than was read. */
AVX2 static size_t list_alike(const uint8_t *registers, size_t count, uint16_t *list)
{
    const __m256i step = _mm256_set1_epi16(16 << 6);
    __m256i       index = _mm256_slli_epi16(
              _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 6);
    uint16_t *end = list;

    for (size_t i = 0; i < count; i += 16, index = _mm256_add_epi16(index, step)) {
        __m128i  value = _mm_loadu_si128((const __m128i *)(const void *)(registers + i));
        __m128i  none = _mm_cmpeq_epi8(value, _mm_setzero_si128());
        unsigned above = (unsigned)_mm_movemask_epi8(none) ^ 0xffff;
        __m256i  both = _mm256_or_si256(_mm256_cvtepu8_epi16(value), index);
        __m256i  moves =
            _mm256_loadu2_m128i((const __m128i *)(const void *)&eight_to_front[above >> 8],
                                (const __m128i *)(const void *)&eight_to_front[above & 255]);
        both = _mm256_shuffle_epi8(both, moves);
        _mm_storeu_si128((__m128i *)(void *)end, _mm256_castsi256_si128(both));
        _mm_storeu_si128((__m128i *)(void *)(end + _mm_popcnt_u32(above & 255)),
                         _mm256_extracti128_si256(both, 1));
        end += _mm_popcnt_u32(above);
    }
    return (size_t)(end - list);
}

AVX2 size_t ink__list_registers_avx2(const uint8_t *registers, size_t count, uint8_t *list)
{
    /* Eight numbers of 16 bits become 24 bytes: these 16, and 8 more. */
    const __m128i first = _mm_setr_epi8(0, 1, -1, 2, 3, -1, 4, 5, -1, 6, 7, -1, 8, 9, -1, 10);
    const __m128i more =
        _mm_setr_epi8(11, -1, 12, 13, -1, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const size_t some = count < ALIKE ? count : ALIKE;
    uint16_t     alike[ALIKE];
    size_t       listed = 0;

    for (size_t from = 0; from < count; from += some) {
        const uint32_t top = (uint32_t)from / ALIKE;
        const __m128i  third = _mm_set1_epi8((char)top);
        const __m128i  first_third =
            _mm_and_si128(third, _mm_cmpgt_epi8(_mm_setzero_si128(), first));
        const __m128i more_third = _mm_and_si128(third, _mm_cmpgt_epi8(_mm_setzero_si128(), more));
        size_t        i = 0, found = list_alike(registers + from, some, alike);
        listed += found;
        for (; i + 8 <= found; i += 8, list += 24) {
            __m128i eight = _mm_loadu_si128((const __m128i *)(const void *)(alike + i));
            _mm_storeu_si128((__m128i *)(void *)list,
                             _mm_or_si128(_mm_shuffle_epi8(eight, first), first_third));
            _mm_storel_epi64((__m128i *)(void *)(list + 16),
                             _mm_or_si128(_mm_shuffle_epi8(eight, more), more_third));
        }
        for (; i < found; i++, list += 3)
            ink__store_u24(list, top << 16 | alike[i]);
    }
    return listed;
}

/* ---- Blocks of counters of four bits ------------------------------------------------------ */

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

AVX2 static void counts_add_avx2(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
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

/* The plain loop: a shift by a number that is not known takes one instruction instead of three. */
__attribute__((target("avx2,bmi,bmi2"))) void ink__fuse_test_avx2(const ink__fuse_filter *filter,
                                                                  const uint64_t         *hashes,
                                                                  size_t count, uint8_t *answers)
{
    ink__fuse_test_each(filter, hashes, count, answers);
}

/* What is no faster with AVX-512 as of Skylake. */
#define SHARED                                                                                     \
    .block_add = block_add_avx2, .block_test = block_test_avx2,                                    \
    .block_add_new = block_add_new_avx2, .block_fetch = ink__block_fetch_avx2,                     \
    .block_rates = block_rates_avx2, .or_bytes = or_bytes_avx2, .and_bytes = and_bytes_avx2,       \
    .max_u8 = max_u8_avx2, .add_u4 = add_u4_avx2, .add_u32 = add_u32_avx2,                         \
    .add_u64 = add_u64_avx2, .ones = ones_avx2, .lines_cut = ink__lines_cut_avx2,                  \
    .rows_least_near = true, .answer_counts = answer_counts_avx2,                                  \
    .list_registers = ink__list_registers_avx2, .counts_add = counts_add_avx2,                     \
    .counts_least = ink__counts_least_avx2, .fuse_test = ink__fuse_test_avx2

const ink__kernels ink__kernels_avx2 = {
    .name = "avx2",
    .cpu_features = INK__CPU_AVX2,
    .mix_ints = mix_ints_avx2,
    .murmur3_ints = ink__murmur3_ints_scalar,
    .xxh3_batch = ink__xxh3_batch_avx2,
    .row_positions = row_positions_avx2,
    .rows_least = rows_least_avx2,
    .pick_without = pick_without_avx2,
    .pick_below = pick_below_avx2,
    .raise_registers = ink__raise_registers_scalar,
    .tails = ink__tails_scalar,
    SHARED,
};

/* AVX-512 without VBMI2, which Skylake and Cascade Lake have: wide loops where products count.
 * Circle: this table has loops of kernels_avx512.c beside those of AVX2, of which that one's table
 * has some. */
const ink__kernels ink__kernels_avx512bw = {
    .name = "avx512bw",
    .cpu_features = INK__CPU_AVX2 | INK__CPU_AVX512,
    .mix_ints = ink__mix_ints_avx512,
    .murmur3_ints = ink__murmur3_ints_avx512,
    .xxh3_batch = ink__xxh3_batch_avx512bw,
    .row_positions = ink__row_positions_avx512,
    .rows_least = rows_least_avx512bw,
    .pick_without = ink__pick_without_avx512,
    .pick_below = ink__pick_below_avx512,
    .raise_registers = ink__raise_registers_avx512,
    .tails = ink__tails_avx512,
    SHARED,
};

#else
typedef int ink__no_avx2_here; /* a file may not be empty */
#endif
