/* kernels_scalar.c - the reference: plain C, any host, either byte order. */
#include "base/bits.h"
#include "base/mix.h"
#include "kernels/block_fetch.h"
#include "kernels/kernels.h"
#include "kernels/split_block.h"

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

static inline void add_one(uint8_t *bits, uint64_t blocks, uint64_t hash)
{
    uint8_t *block = bits + ink__block_of(hash, blocks) * INK__BLOCK_BYTES;

    for (int i = 0; i < INK__BLOCK_WORDS; i++, block += 4)
        ink__store_u32(block, ink__load_u32(block) | ink__block_bit(hash, salts[i]));
}

static inline uint8_t test_one(const uint8_t *bits, uint64_t blocks, uint64_t hash)
{
    const uint8_t *block = bits + ink__block_of(hash, blocks) * INK__BLOCK_BYTES;
    uint32_t       missing = 0;

    for (int i = 0; i < INK__BLOCK_WORDS; i++, block += 4)
        missing |= ~ink__load_u32(block) & ink__block_bit(hash, salts[i]);
    return missing == 0;
}

static inline uint8_t add_new_one(uint8_t *bits, uint64_t blocks, uint64_t hash)
{
    uint8_t *block = bits + ink__block_of(hash, blocks) * INK__BLOCK_BYTES;
    uint32_t missing = 0;

    for (int i = 0; i < INK__BLOCK_WORDS; i++, block += 4) {
        uint32_t word = ink__load_u32(block), bit = ink__block_bit(hash, salts[i]);
        missing |= ~word & bit;
        ink__store_u32(block, word | bit);
    }
    return missing != 0;
}

static void block_add_scalar(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                             const ink__prefetch *prefetch)
{
    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++)
        add_one(bits, blocks, hashes[i]);
}

static void block_test_scalar(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                              size_t count, uint8_t *answers, const ink__prefetch *prefetch)
{
    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++)
        answers[i] = test_one(bits, blocks, hashes[i]);
}

static size_t block_add_new_scalar(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                   size_t count, uint8_t *was_new, const ink__prefetch *prefetch)
{
    size_t fresh = 0;

    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++)
        fresh += was_new[i] = add_new_one(bits, blocks, hashes[i]);
    return fresh;
}

static uint64_t block_rates_scalar(const uint8_t *a, const uint8_t *b, uint64_t blocks)
{
    uint64_t sum = 0;

    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t product = 1;
        for (uint64_t at = block * INK__BLOCK_BYTES; at < (block + 1) * INK__BLOCK_BYTES; at += 4)
            product *= ink__ones_32(ink__load_u32(a + at) | (b ? ink__load_u32(b + at) : 0));
        sum += product;
    }
    return sum;
}

static void or_bytes_scalar(uint8_t *into, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        into[i] |= from[i];
}

static void and_bytes_scalar(uint8_t *into, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        into[i] &= from[i];
}

static void max_u8_scalar(uint8_t *into, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        into[i] = into[i] > from[i] ? into[i] : from[i];
}

static void add_u4_scalar(uint8_t *into, const uint8_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned low = (into[i] & 15u) + (from[i] & 15u);
        unsigned high = (into[i] >> 4) + (from[i] >> 4);
        into[i] = (uint8_t)((low < 15 ? low : 15u) | (high < 15 ? high : 15u) << 4);
    }
}

static void add_u32_scalar(uint8_t *into, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t a = ink__load_u32(into + 4 * i), sum = a + ink__load_u32(from + 4 * i);
        ink__store_u32(into + 4 * i, sum < a ? UINT32_MAX : sum);
    }
}

static void add_u64_scalar(uint8_t *into, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t a = ink__load_u64(into + 8 * i), sum = a + ink__load_u64(from + 8 * i);
        ink__store_u64(into + 8 * i, sum < a ? UINT64_MAX : sum);
    }
}

static uint64_t ones_scalar(const uint8_t *from, size_t bytes)
{
    uint64_t ones = 0;
    size_t   i = 0;

    for (; i + 8 <= bytes; i += 8)
        ones += ink__ones_64(ink__load_u64(from + i));
    for (; i < bytes; i++)
        ones += ink__ones_32(from[i]);
    return ones;
}

void ink__mix_ints_scalar(const int64_t *ints, size_t count, uint64_t xored, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++)
        hashes[i] = ink__mix64((uint64_t)ints[i] ^ xored);
}

const ink__kernels ink__kernels_scalar = {
    .name = "scalar",
    .cpu_features = 0,
    .block_add = block_add_scalar,
    .block_test = block_test_scalar,
    .block_add_new = block_add_new_scalar,
    .block_fetch = ink__fetch_blocks,
    .block_rates = block_rates_scalar,
    .or_bytes = or_bytes_scalar,
    .and_bytes = and_bytes_scalar,
    .max_u8 = max_u8_scalar,
    .add_u4 = add_u4_scalar,
    .add_u32 = add_u32_scalar,
    .add_u64 = add_u64_scalar,
    .ones = ones_scalar,
    .mix_ints = ink__mix_ints_scalar,
    .xxh3_batch = ink__xxh3_batch_scalar,
    .lines_cut = ink__lines_cut_scalar,
    .row_positions = ink__row_positions_scalar,
    .pick_without = ink__pick_without_scalar,
    .raise_registers = ink__raise_registers_scalar,
    .tails = ink__tails_scalar,
    .counts_add = ink__counts_add_scalar,
    .counts_least = ink__counts_least_scalar,
};
