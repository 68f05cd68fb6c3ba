/* kernels_scalar.c - the reference: plain C, any host, either byte order. */
#include "base/bits.h"
#include "base/mix.h"
#include "kernels/block_fetch.h"
#include "kernels/kernels.h"
#include "kernels/split_block.h"

static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

static void block_add_scalar(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                             const ink__prefetch *prefetch)
{
    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = hashes[i];
        uint8_t       *block = bits + ink__block_of(hash, blocks) * INK__BLOCK_BYTES;
        for (int word = 0; word < INK__BLOCK_WORDS; word++, block += 4)
            ink__store_u32(block, ink__load_u32(block) | ink__block_bit(hash, salts[word]));
    }
}

static void block_test_scalar(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                              size_t count, uint8_t *answers, const ink__prefetch *prefetch)
{
    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *block = bits + ink__block_of(hashes[i], blocks) * INK__BLOCK_BYTES;
        uint32_t       missing = 0;
        for (int word = 0; word < INK__BLOCK_WORDS; word++, block += 4)
            missing |= ~ink__load_u32(block) & ink__block_bit(hashes[i], salts[word]);
        answers[i] = missing == 0;
    }
}

static size_t block_add_new_scalar(uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                                   size_t count, uint8_t *was_new, const ink__prefetch *prefetch)
{
    size_t fresh = 0;

    ink__prefetch_lines(bits, blocks, prefetch);
    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = hashes[i];
        uint8_t       *block = bits + ink__block_of(hash, blocks) * INK__BLOCK_BYTES;
        uint32_t       missing = 0;
        for (int word = 0; word < INK__BLOCK_WORDS; word++, block += 4) {
            uint32_t old = ink__load_u32(block), bit = ink__block_bit(hash, salts[word]);
            missing |= ~old & bit;
            ink__store_u32(block, old | bit);
        }
        fresh += was_new[i] = missing != 0;
    }
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

#define BYTE_LOOP(name, operation)                                                                 \
    static void name##_scalar(uint8_t *into, const uint8_t *from, size_t bytes)                    \
    {                                                                                              \
        for (size_t i = 0; i < bytes; i++)                                                         \
            into[i] = (uint8_t)(operation);                                                        \
    }
BYTE_LOOP(or_bytes, into[i] | from[i])
BYTE_LOOP(and_bytes, into[i] & from[i])
BYTE_LOOP(max_u8, into[i] > from[i] ? into[i] : from[i])

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

void ink__murmur3_ints_scalar(const int64_t *ints, size_t count, uint64_t seed, uint64_t *hashes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t words[2];
        ink__murmur3_of_u64((uint64_t)ints[i], seed, words);
        hashes[i] = words[0];
    }
}

void ink__row_positions_scalar(const uint64_t *hashes, size_t count, uint64_t added, uint64_t width,
                               uint64_t *positions)
{
    for (size_t i = 0; i < count; i++)
        positions[i] = ink__row_position(hashes[i], added, width);
}

void ink__rows_least_scalar(const uint8_t *rows, uint64_t width, uint32_t depth, uint64_t step,
                            const uint64_t *hashes, size_t count, uint32_t *least)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = rows;
        uint64_t       added = 0;
        least[i] = UINT32_MAX;
        for (uint32_t number = 0; number < depth; number++, row += 4 * width, added += step) {
            uint32_t value = ink__load_u32(row + 4 * ink__row_position(hashes[i], added, width));
            least[i] = value < least[i] ? value : least[i];
        }
    }
}

uint32_t ink__answer_counts_scalar(const uint32_t *counts, size_t count, double error,
                                   double confidence, ink_answer *answers)
{
    uint32_t most = 0;

    for (size_t i = 0; i < count; i++) {
        const double each = counts[i], low = each - error;
        answers[i] = (ink_answer){
            .estimate = each, .low = low > 0 ? low : 0, .high = each, .confidence = confidence};
        most = counts[i] > most ? counts[i] : most;
    }
    return most;
}

/* Every hash is written; one that is not picked is overwritten. */
size_t ink__pick_without_scalar(const uint64_t *hashes, size_t count, uint64_t bits,
                                uint64_t *picked)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        picked[found] = hashes[i];
        found += (hashes[i] & bits) == 0;
    }
    return found;
}

size_t ink__pick_below_scalar(const uint64_t *numbers, size_t count, uint64_t bound,
                              uint64_t *picked)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        picked[found] = numbers[i];
        found += numbers[i] < bound;
    }
    return found;
}

/* Written whether it rises or not: with few keys a jump would be mispredicted. */
void ink__raise_registers_scalar(uint8_t *registers, uint32_t precision, const uint64_t *hashes,
                                 size_t count)
{
    const uint64_t end = (uint64_t)1 << (precision - 1);

    for (size_t i = 0; i < count; i++) {
        uint64_t index = hashes[i] >> (64 - precision);
        uint8_t  value = (uint8_t)(1 + ink__leading_zeros_64(hashes[i] << precision | end));
        uint8_t  old = registers[index];
        registers[index] = old < value ? value : old;
    }
}

size_t ink__list_registers_scalar(const uint8_t *registers, size_t count, uint8_t *list)
{
    const uint8_t *start = list;
    const size_t   some = count < 64 ? count : 64;

    for (size_t first = 0; first < count; first += some) {
        uint64_t above = 0; /* a bit for each */
        for (size_t i = 0; i < some; i += 8)
            above |= (ink__above_0(registers + first + i) * 0x0102040810204080 >> 56) << i;
        for (; above != 0; above &= above - 1, list += 3) {
            size_t at = first + ink__trailing_zeros_64(above);
            ink__store_u24(list, (uint32_t)at << 6 | registers[at]);
        }
    }
    return (size_t)(list - start) / 3;
}

uint64_t ink__tails_scalar(const uint64_t *hashes, size_t count, uint64_t own)
{
    uint64_t tails = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t mixed = ink__mix64(hashes[i] ^ own);
        tails |= ~mixed & (mixed - 1);
    }
    return tails;
}

/* A counter that has stopped is all ones: nothing is added to it. */
void ink__counts_add_scalar(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *word = counters + ink__block_of(hashes[i], blocks) * INK__COUNTS_BYTES;
        for (int j = 0; j < INK__BLOCK_WORDS; j++, word += INK__COUNTS_BYTES / INK__BLOCK_WORDS) {
            uint32_t position = ink__word_position(hashes[i], salts[j]);
            unsigned mask = position % 2 == 0 ? 0x0fu : 0xf0u, old = word[position / 2];
            word[position / 2] = (uint8_t)(old + ((old & mask) == mask ? 0 : mask & 0x11u));
        }
    }
}

void ink__counts_least_scalar(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                              size_t count, uint8_t *least)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *word = counters + ink__block_of(hashes[i], blocks) * INK__COUNTS_BYTES;
        unsigned       smallest = 15;
        for (int j = 0; j < INK__BLOCK_WORDS; j++, word += INK__COUNTS_BYTES / INK__BLOCK_WORDS) {
            uint32_t position = ink__word_position(hashes[i], salts[j]);
            unsigned value = (unsigned)word[position / 2] >> position % 2 * 4 & 15u;
            smallest = value < smallest ? value : smallest;
        }
        least[i] = (uint8_t)smallest;
    }
}

void ink__fuse_test_scalar(const ink__fuse_filter *filter, const uint64_t *hashes, size_t count,
                           uint8_t *answers)
{
    ink__fuse_test_each(filter, hashes, count, answers);
}

const ink__kernels ink__kernels_scalar = {
    .name = "scalar",
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
