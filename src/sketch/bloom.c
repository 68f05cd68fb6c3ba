/* bloom.c - have I seen this key? A split-block Bloom filter: every key touches one block of 256
 * bits, one cache line, and sets a bit in each of its eight words. The default filter; the bits are
 * Parquet's [Putze, Sanders, Singler 2007; the Apache Parquet specification].
 * Owns what is special about blocks. Where a hash falls is kernels/split_block.h, how large a
 * filter is split_block_plan.c, what filters share filter.c; docs/accuracy.md#bloom says what it
 * promises. */
#include "base/bits.h"
#include "base/real.h"
#include "kernels/split_block.h"
#include "sketch/filter.h"
#include "sketch/kinds.h"
#include "sketch/split_block_plan.h"

#include <string.h>

enum { BLOCK_BITS = 8 * INK__BLOCK_BYTES };

/* ---- Sizes -------------------------------------------------------------------------------- */

static uint16_t bloom_position_rule(const ink__key_rule *rule)
{
    return rule->draw == INK__DRAW_HASH64 ? INK__RULE_SPLIT_BLOCK : 0;
}

static ink_status plan_by_hand(const ink_params *params, ink__promise *promise, uint64_t *blocks,
                               ink_error *error)
{
    *blocks = params->bits / BLOCK_BITS;
    if (params->bits % BLOCK_BITS != 0 || *blocks > INK__BLOCKS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "bits %llu, expected a multiple of %d up to 2^37 for bloom",
                         (unsigned long long)params->bits, BLOCK_BITS);
    promise->expected_keys = params->expected_keys;
    promise->promised = ink__split_block_promise(params->expected_keys, *blocks);
    return INK_OK;
}

static ink_status plan_by_rate(uint64_t keys, double rate, ink__promise *promise, uint64_t *blocks,
                               ink_error *error)
{
    if (rate < INK__SPLIT_BLOCK_RATE_MIN && rate >= 1e-12)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "false_positive_rate %g, expected %g to %g for bloom: bloom needs %u bits "
                         "a key at %g; classic needs %u",
                         rate, INK__SPLIT_BLOCK_RATE_MIN, INK__SPLIT_BLOCK_RATE_MAX,
                         (unsigned)(ink__split_block_bits_per_key(rate) + 0.5), rate,
                         (unsigned)(-ink__ln(rate) / 0.4804530139182014 + 0.5));
    if (rate < INK__SPLIT_BLOCK_RATE_MIN || rate > INK__SPLIT_BLOCK_RATE_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "false_positive_rate %g, expected %g to %g for bloom", rate,
                         INK__SPLIT_BLOCK_RATE_MIN, INK__SPLIT_BLOCK_RATE_MAX);
    *blocks = ink__split_block_plan(keys, rate);
    if (*blocks == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "expected_keys %llu at rate %g need more than the 16 GiB that a bloom can "
                         "have; a classic can have 1 TiB",
                         (unsigned long long)keys, rate);
    *promise = (ink__promise){.expected_keys = keys, .asked = rate, .promised = rate};
    return INK_OK;
}

static ink_status bloom_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                             ink_error *error)
{
    ink__promise promise = {0};
    uint64_t     blocks;
    double       rate;

    (void)rule;
    INK__TRY(ink__promise_params(params, &rate, error));
    if (params->bits != 0)
        INK__TRY(plan_by_hand(params, &promise, &blocks, error));
    else
        INK__TRY(plan_by_rate(params->expected_keys, rate, &promise, &blocks, error));
    ink__promise_store(&promise, shape);
    shape->payload_bytes = blocks * INK__BLOCK_BYTES;
    return INK_OK;
}

static ink_status bloom_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error)
{
    uint64_t blocks = shape->payload_bytes / INK__BLOCK_BYTES;

    (void)rule;
    if (blocks == 0 || blocks > INK__BLOCKS_MAX || shape->payload_bytes % INK__BLOCK_BYTES != 0)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__PROMISE_FIELDS,
                         "a bloom of %llu bytes, expected 1 to 2^29 blocks of %d",
                         (unsigned long long)shape->payload_bytes, INK__BLOCK_BYTES);
    return ink__promise_check(shape, error);
}

static void bloom_describe(const ink__shape *shape, ink_description *description)
{
    ink__promise_describe(shape, description);
    description->bits = shape->payload_bytes * 8;
    description->hashes = INK__BLOCK_WORDS;
}

/* ---- Folding ------------------------------------------------------------------------------ */

static uint64_t block_bytes(uint64_t blocks)
{
    return blocks * INK__BLOCK_BYTES;
}

/* Block i of a folded filter is the OR of `divisor` neighbouring blocks. */
static const uint8_t *block_part(const ink__filter *filter, uint64_t blocks, uint64_t first,
                                 uint64_t count, uint8_t *chunk)
{
    uint64_t       divisor = filter->size / blocks;
    const uint8_t *from = filter->bits + first * divisor;

    if (divisor == 1)
        return from;
    for (uint8_t *block = chunk; block < chunk + count; block += INK__BLOCK_BYTES) {
        memcpy(block, from, INK__BLOCK_BYTES);
        from += INK__BLOCK_BYTES;
        for (uint64_t i = 1; i < divisor; i++, from += INK__BLOCK_BYTES)
            filter->base.kernels->or_bytes(block, from, INK__BLOCK_BYTES);
    }
    return chunk;
}

static uint64_t block_weigh(const ink__kernels *kernels, const uint8_t *a, const uint8_t *b,
                            uint64_t count)
{
    return kernels->block_rates(a, b, count / INK__BLOCK_BYTES);
}

/* The mean of the blocks' rates, each a sum of parts of 2^-40. */
static double block_rate(const ink__filter *filter, uint64_t blocks, double weight)
{
    (void)filter;
    return weight / ((double)blocks * 0x1p40);
}

static ink_status block_meet(const ink__filter *a, const ink__filter *b, uint64_t *blocks,
                             ink_error *error)
{
    *blocks = a->size < b->size ? a->size : b->size;
    if (a->size % *blocks != 0 || b->size % *blocks != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "block counts %llu and %llu: neither divides the other; build both with "
                         "the same expected_keys",
                         (unsigned long long)a->size, (unsigned long long)b->size);
    return INK_OK;
}

static ink_status block_check_divisor(const ink__filter *filter, uint64_t divisor, ink_error *error)
{
    if (filter->size % divisor == 0)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "divisor %llu, expected a divisor of the block count %llu",
                     (unsigned long long)divisor, (unsigned long long)filter->size);
}

/* Up to the root of the block count by trying sizes, beyond it by trying divisors. */
static uint64_t block_next_size(const ink__filter *filter, uint64_t blocks)
{
    uint64_t next = blocks + 1;

    for (; next <= filter->size / next; next++)
        if (filter->size % next == 0)
            return next;
    uint64_t divisor = (filter->size - 1) / blocks;
    if (divisor > next)
        divisor = next;
    while (filter->size % divisor != 0)
        divisor--;
    return filter->size / divisor;
}

static const ink__filter_rules rules = {
    .bytes_of = block_bytes,
    .part = block_part,
    .weigh = block_weigh,
    .rate = block_rate,
    .meet = block_meet,
    .check_divisor = block_check_divisor,
    .next_size = block_next_size,
};

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status bloom_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                             ink_error *error)
{
    ink__filter *filter = ink__filter_of(sketch);

    filter->rules = &rules;
    filter->size = shape->payload_bytes / INK__BLOCK_BYTES;
    return ink__filter_start(filter, shape, payload, error); /* any bits are a filter */
}

static ink_status bloom_create(ink_sketch *sketch, const ink__shape *shape, ink_error *error)
{
    return bloom_load(sketch, shape, NULL, error);
}

static void bloom_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const ink__filter *filter = ink__const_filter_of(sketch);

    ink__promise_store(&filter->promise, shape);
    shape->payload_bytes = block_bytes(filter->size);
}

/* ---- Keys --------------------------------------------------------------------------------- */

static void bloom_add(ink_sketch *sketch, const ink__keys *keys)
{
    ink__filter *filter = ink__filter_of(sketch);

    sketch->kernels->block_add(filter->block.data, filter->size, keys->hashes, keys->count);
}

static void bloom_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const ink__filter *filter = ink__const_filter_of(sketch);

    sketch->kernels->block_test(filter->bits, filter->size, keys->hashes, keys->count, answers);
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* A key misses a given bit with chance 1 - 1/(32 B), so the share of zeros after n keys is about
 * exp(-n / (32 B)). The variance of the number of zeros, for q that share and a load of l keys a
 * block, is B (256 q (1 - q) + 57344 q^2 (e^(l/1024) - 1) - 64 l q^2): bits by themselves, bits of
 * different words of one block, less what the fixed number of keys explains. */
static void bloom_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const ink__filter *filter = ink__const_filter_of(sketch);
    double             blocks = (double)filter->size, bits = blocks * BLOCK_BITS;
    uint64_t ones = sketch->kernels->ones(filter->bits, (size_t)block_bytes(filter->size));
    double   zeros = bits - (double)ones;

    if (ones == 0)
        return;
    if (zeros < 0.5) {
        answer->saturated = true;
        zeros = 0.5;
    }
    double q = zeros / bits, load = -32 * ink__ln(q);
    double variance =
        blocks * (256 * q * (1 - q) + 57344 * q * q * ink__exp_m1(load / 1024) - 64 * load * q * q);
    double spread = z * ink__sqrt(variance) / (8 * q);

    answer->estimate = load * blocks;
    answer->low = answer->estimate - spread;
    answer->high = answer->saturated ? 0x1p64 : answer->estimate + spread;
}

const ink__kind ink__bloom = {
    .name = "bloom",
    .id = 1,
    .layout = 1,
    .takes = INK__TAKES_KEYS | INK__TAKES_RATE | INK__TAKES_BITS,
    .field_count = INK__PROMISE_FIELDS,
    .order_free = true,
    .object_bytes = sizeof(ink__filter),
    .position_rule = bloom_position_rule,
    .plan = bloom_plan,
    .check = bloom_check,
    .describe = bloom_describe,
    .create = bloom_create,
    .load = bloom_load,
    .release = ink__filter_release,
    .shape = bloom_shape,
    .scratch_bytes = ink__filter_scratch_bytes,
    .payload = ink__filter_payload,
    .add = bloom_add,
    .contains = bloom_contains,
    .merge = ink__filter_merge,
    .intersect = ink__filter_intersect,
    .fold = ink__filter_fold,
    .distinct = bloom_distinct,
    .rate = ink__filter_rate,
};
