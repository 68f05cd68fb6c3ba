/* kernels_neon.c - 128 bits at a time on 64-bit Arm: a block is two registers. */
#if defined(__aarch64__) && defined(__AARCH64EL__)

#include "base/bits.h"
#include "kernels/block_fetch.h"
#include "kernels/kernels.h"
#include "kernels/split_block.h"

#include <arm_neon.h>

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

static inline uint32x4_t load_words(const uint8_t *from)
{
    return vreinterpretq_u32_u8(vld1q_u8(from));
}

static inline void store_words(uint8_t *to, uint32x4_t words)
{
    vst1q_u8(to, vreinterpretq_u8_u32(words));
}

/* Four of the eight bits of a hash. */
static inline uint32x4_t mask_of(uint64_t hash, uint32x4_t salt)
{
    uint32x4_t product = vmulq_u32(vdupq_n_u32((uint32_t)hash), salt);

    return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(vshrq_n_u32(product, 27)));
}

static void block_add_neon(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                           const ink__prefetch *prefetch)
{
    const uint32x4_t salt_a = vld1q_u32(salts), salt_b = vld1q_u32(salts + 4);

    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++) {
        uint8_t *block = bits + ink__block_of(hashes[i], blocks) * INK__BLOCK_BYTES;
        store_words(block, vorrq_u32(load_words(block), mask_of(hashes[i], salt_a)));
        store_words(block + 16, vorrq_u32(load_words(block + 16), mask_of(hashes[i], salt_b)));
    }
}

/* The bits of a hash that are missing, two words in one: all zero if none is. */
static inline uint32x4_t missing_of(const uint8_t *bits, uint64_t blocks, uint64_t hash)
{
    const uint32x4_t salt_a = vld1q_u32(salts), salt_b = vld1q_u32(salts + 4);
    const uint8_t   *block = bits + ink__block_of(hash, blocks) * INK__BLOCK_BYTES;

    return vorrq_u32(vbicq_u32(mask_of(hash, salt_a), load_words(block)),
                     vbicq_u32(mask_of(hash, salt_b), load_words(block + 16)));
}

/* Four keys at a time: three pairwise maxima for all of them instead of one across for each. */
static void block_test_neon(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                            size_t count, uint8_t *answers, const ink__prefetch *prefetch)
{
    size_t i = 0;

    ink__prefetch_lines(bits, blocks, prefetch);
    for (; i + 4 <= count; i += 4) {
        uint32x4_t first = vpmaxq_u32(missing_of(bits, blocks, hashes[i]),
                                      missing_of(bits, blocks, hashes[i + 1]));
        uint32x4_t second = vpmaxq_u32(missing_of(bits, blocks, hashes[i + 2]),
                                       missing_of(bits, blocks, hashes[i + 3]));
        uint32x4_t found = vceqzq_u32(vpmaxq_u32(first, second));
        uint16x4_t halves = vmovn_u32(vandq_u32(found, vdupq_n_u32(1)));
        uint8x8_t  bytes = vmovn_u16(vcombine_u16(halves, halves));
        ink__store_u32(answers + i, vget_lane_u32(vreinterpret_u32_u8(bytes), 0));
    }
    for (; i < count; i++)
        answers[i] = vmaxvq_u32(missing_of(bits, blocks, hashes[i])) == 0;
}

static size_t block_add_new_neon(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                 size_t count, uint8_t *was_new, const ink__prefetch *prefetch)
{
    const uint32x4_t salt_a = vld1q_u32(salts), salt_b = vld1q_u32(salts + 4);
    size_t           fresh = 0;

    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++) {
        uint8_t   *block = bits + ink__block_of(hashes[i], blocks) * INK__BLOCK_BYTES;
        uint32x4_t mask_a = mask_of(hashes[i], salt_a), found_a = load_words(block);
        uint32x4_t mask_b = mask_of(hashes[i], salt_b), found_b = load_words(block + 16);
        was_new[i] =
            vmaxvq_u32(vorrq_u32(vbicq_u32(mask_a, found_a), vbicq_u32(mask_b, found_b))) != 0;
        fresh += was_new[i];
        store_words(block, vorrq_u32(found_a, mask_a));
        store_words(block + 16, vorrq_u32(found_b, mask_b));
    }
    return fresh;
}

/* 16 bytes at a time; the scalar table does the rest. */
#define WIDE_LOOP(name, number_bytes, operation)                                                   \
    static void name##_neon(uint8_t *into, const uint8_t *from, size_t count)                      \
    {                                                                                              \
        size_t i = 0, bytes = (number_bytes)*count;                                                \
        for (; i + 16 <= bytes; i += 16)                                                           \
            vst1q_u8(into + i, operation(vld1q_u8(into + i), vld1q_u8(from + i)));                 \
        ink__kernels_scalar.name(into + i, from + i, (bytes - i) / (number_bytes));                \
    }

static inline uint8x16_t add_u4_of(uint8x16_t a, uint8x16_t b)
{
    const uint8x16_t low = vdupq_n_u8(15), high = vdupq_n_u8(0xf0);
    /* Low halves stop at 15 by a minimum; high halves saturate in place. */
    uint8x16_t lows = vminq_u8(vaddq_u8(vandq_u8(a, low), vandq_u8(b, low)), low);
    uint8x16_t highs = vqaddq_u8(vandq_u8(a, high), vandq_u8(b, high));

    return vorrq_u8(lows, vandq_u8(highs, high));
}

static inline uint8x16_t add_u32_of(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_u32(vqaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

static inline uint8x16_t add_u64_of(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_u64(vqaddq_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

WIDE_LOOP(or_bytes, 1, vorrq_u8)
WIDE_LOOP(and_bytes, 1, vandq_u8)
WIDE_LOOP(max_u8, 1, vmaxq_u8)
WIDE_LOOP(add_u4, 1, add_u4_of)
WIDE_LOOP(add_u32, 4, add_u32_of)
WIDE_LOOP(add_u64, 8, add_u64_of)

static uint64_t ones_neon(const uint8_t *from, size_t bytes)
{
    uint64_t ones = 0;
    size_t   i = 0;

    for (; i + 16 <= bytes; i += 16)
        ones += vaddlvq_u8(vcntq_u8(vld1q_u8(from + i)));
    return ones + ink__kernels_scalar.ones(from + i, bytes - i);
}

/* The ones in each of four words. */
static inline uint32x4_t ones_of_words(uint32x4_t words)
{
    return vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u32(words))));
}

/* The product of the ones in the eight words of a block. */
static inline uint64_t rate_of(uint32x4_t a, uint32x4_t b)
{
    uint32x4_t pairs = vmulq_u32(ones_of_words(a), ones_of_words(b));
    uint64x2_t fours = vmull_u32(vget_low_u32(pairs), vget_high_u32(pairs));

    return vgetq_lane_u64(fours, 0) * vgetq_lane_u64(fours, 1);
}

static uint64_t block_rates_neon(const uint8_t *a, const uint8_t *b, uint64_t blocks)
{
    uint64_t sum = 0;

    b = b == NULL ? a : b;
    for (uint64_t at = 0; at < blocks * INK__BLOCK_BYTES; at += INK__BLOCK_BYTES) {
        uint32x4_t first = vorrq_u32(load_words(a + at), load_words(b + at));
        uint32x4_t second = vorrq_u32(load_words(a + at + 16), load_words(b + at + 16));
        sum += rate_of(first, second);
    }
    return sum;
}

const ink__kernels ink__kernels_neon = {
    .name = "neon",
    .cpu_features = INK__CPU_NEON,
    .block_add = block_add_neon,
    .block_test = block_test_neon,
    .block_add_new = block_add_new_neon,
    .block_fetch = ink__fetch_blocks,
    .block_rates = block_rates_neon,
    .or_bytes = or_bytes_neon,
    .and_bytes = and_bytes_neon,
    .max_u8 = max_u8_neon,
    .add_u4 = add_u4_neon,
    .add_u32 = add_u32_neon,
    .add_u64 = add_u64_neon,
    .ones = ones_neon,
    .mix_ints = ink__mix_ints_scalar, /* NEON multiplies no 64 bits */
    .murmur3_ints = ink__murmur3_ints_scalar,
    .xxh3_batch = ink__xxh3_batch_scalar,
    .lines_cut = ink__lines_cut_scalar,
    .row_positions = ink__row_positions_scalar,
    .pick_without = ink__pick_without_scalar,
    .pick_below = ink__pick_below_scalar,
    .raise_registers = ink__raise_registers_scalar,
    .list_registers = ink__list_registers_scalar,
    .tails = ink__tails_scalar,
    .counts_add = ink__counts_add_scalar,
    .counts_least = ink__counts_least_scalar,
    .fuse_test = ink__fuse_test_scalar,
};

#else
typedef int ink__no_neon_here; /* a file may not be empty */
#endif
