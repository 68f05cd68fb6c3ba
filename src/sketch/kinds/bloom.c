/* bloom.c - have I seen this key? A split-block Bloom filter: every key touches one block of 256
 * bits, one cache line, and sets a bit in each of its eight words. The default filter; the bits are
 * Parquet's [Putze, Sanders, Singler 2007; the Apache Parquet specification].
 * Owns nothing but the choice: where a hash falls is kernels/split_block.h, what a rate needs
 * split_block_plan.c, what filters of blocks share blocks.c, what all share membership.c. */
#include "kernels/split_block.h"
#include "sketch/kinds/blocks.h"
#include "sketch/kinds/shared.h"

static uint64_t weigh(const ink__kernels *kernels, const uint8_t *a, const uint8_t *b,
                      uint64_t count)
{
    return kernels->block_rates(a, b, count / INK__BLOCK_BYTES);
}

static void bloom_add(ink_sketch *sketch, const ink__keys *keys)
{
    ink__filter *filter = (ink__filter *)sketch;

    sketch->kernels->block_add(filter->cells.block.data, filter->size, keys->hashes, keys->count,
                               keys->prefetch);
}

static size_t bloom_add_new(ink_sketch *sketch, const ink__keys *keys, uint8_t *was_new)
{
    ink__filter *filter = (ink__filter *)sketch;

    return sketch->kernels->block_add_new(filter->cells.block.data, filter->size, keys->hashes,
                                          keys->count, was_new, keys->prefetch);
}

static void bloom_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    sketch->kernels->block_test(filter->cells.data, filter->size, keys->hashes, keys->count,
                                answers, keys->prefetch);
}

static void bloom_fetch(const ink_sketch *sketch, const uint64_t *hashes, size_t count,
                        ink__fetch how)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    sketch->kernels->block_fetch(filter->cells.data, filter->size, hashes, count, how);
}

static void bloom_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const ink__filter *filter = (const ink__filter *)sketch;
    uint64_t           bytes = ink__filter_bytes(filter, filter->size);

    ink__blocks_distinct(filter->size, sketch->kernels->ones(filter->cells.data, (size_t)bytes), z,
                         answer);
}

/* ---- Several writers ---------------------------------------------------------------------- */

enum { PAIRS = INK__BLOCK_WORDS / 2 }; /* of words, each as one of 64 bits */

/* The bits of a hash, all known before the first word is read: memory that others change stops the
 * compiler from doing it so. */
static inline void find_bits(uint64_t hash, uint64_t bits[PAIRS])
{
    static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

#pragma GCC unroll 4
    for (unsigned i = 0; i < PAIRS; i++)
        bits[i] = (uint64_t)1 << ink__word_position(hash, salts[2 * i]) |
                  (uint64_t)1 << (32 | ink__word_position(hash, salts[2 * i + 1]));
}

static void shared_add(ink_sketch *sketch, const ink__keys *keys)
{
    const ink__filter *filter = (const ink__filter *)sketch;
    uint8_t           *cells = filter->cells.block.data;
    const uint64_t     blocks = filter->size;
    uint64_t           bits[PAIRS];

    for (size_t i = 0; i < keys->count; i++) {
        uint8_t *block = cells + INK__BLOCK_BYTES * ink__block_of(keys->hashes[i], blocks);
        find_bits(keys->hashes[i], bits);
#pragma GCC unroll 4
        for (unsigned j = 0; j < PAIRS; j++)
            ink__shared_or_bits(block + 8 * j, bits[j]);
    }
}

static void shared_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const ink__filter *filter = (const ink__filter *)sketch;
    const uint8_t     *cells = filter->cells.data;
    const uint64_t     blocks = filter->size;
    uint64_t           bits[PAIRS];

    for (size_t i = 0; i < keys->count; i++) {
        const uint8_t *block = cells + INK__BLOCK_BYTES * ink__block_of(keys->hashes[i], blocks);
        uint64_t       missing = 0;
        find_bits(keys->hashes[i], bits);
#pragma GCC unroll 4
        for (unsigned j = 0; j < PAIRS; j++)
            missing |= bits[j] & ~ink__shared_load_bits(block + 8 * j);
        answers[i] = missing == 0;
    }
}

static const ink__kind shared = {
    .name = "bloom",
    .id = 1,
    .plain = &ink__bloom,
    .order_free = true,
    .block_bytes = INK__BLOCK_BYTES,
    .object_bytes = sizeof(ink__filter),
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .shape = ink__filter_shape,
    .add = shared_add,
    .contains = shared_contains,
    .fetch = bloom_fetch,
    .snapshot = ink__filter_snapshot,
};

const ink__kind ink__bloom = {
    .name = "bloom",
    .id = 1,
    .layout = 1,
    .takes = INK__TAKES_KEYS | INK__TAKES_RATE | INK__TAKES_BITS | INK__TAKES_WRITERS,
    .field_count = INK__PROMISE_FIELDS,
    .ranks = {[INK_ASK_MEMBER] = 1, [INK_ASK_DISTINCT] = 1},
    .order_free = true,
    .block_bytes = INK__BLOCK_BYTES,
    .object_bytes = sizeof(ink__filter),
    .shared = &shared,
    .filter_rules = &ink__blocks_rules,
    .weigh = weigh,
    .position_rules = {[INK__SCHEME_HASH64] = INK__RULE_SPLIT_BLOCK},
    .plan = ink__blocks_plan,
    .check = ink__blocks_check,
    .describe = ink__blocks_describe,
    .load = ink__blocks_load,
    .take = ink__payload_take,
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .shape = ink__filter_shape,
    .payload = ink__payload_in_place,
    .add = bloom_add,
    .add_new = bloom_add_new,
    .contains = bloom_contains,
    .fetch = bloom_fetch,
    .prefetches = true,
    .merge = ink__filter_merge,
    .merge_slice = ink__filter_merge_bits,
    .intersect = ink__filter_intersect,
    .fold = ink__filter_fold,
    .distinct = bloom_distinct,
    .rate = ink__filter_rate,
};
