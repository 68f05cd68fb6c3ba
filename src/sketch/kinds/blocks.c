/* blocks.c - what the filters of split blocks share. docs/accuracy.md#bloom has the formulas. */
#include "sketch/kinds/blocks.h"

#include "base/bits.h"
#include "base/real.h"
#include "base/status.h"
#include "kernels/split_block.h"
#include "sketch/kinds/split_block_plan.h"

#include <string.h>

static ink_status fail_rate(const char *kind, double rate, uint64_t block_bytes, ink_error *error)
{
    unsigned needed = (unsigned)(ink__split_block_bits_per_key(rate) + 0.5);
    unsigned textbook = (unsigned)(-ink__ln(rate) / 0.4804530139182014 + 0.5);

    if (rate >= INK__SPLIT_BLOCK_RATE_MIN || rate < 1e-12 || block_bytes != INK__BLOCK_BYTES)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{false_positive_rate} %g, expected %g to %g for %s", rate,
                         INK__SPLIT_BLOCK_RATE_MIN, INK__SPLIT_BLOCK_RATE_MAX, kind);
    return ink__fail(
        error, INK_USAGE, INK_NOWHERE, 0,
        "{false_positive_rate} %g, expected %g to %g for %s: %s needs %u bits a key at "
        "%g; classic needs %u",
        rate, INK__SPLIT_BLOCK_RATE_MIN, INK__SPLIT_BLOCK_RATE_MAX, kind, kind, needed, rate,
        textbook);
}

ink_status ink__blocks_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                            ink_error *error)
{
    uint64_t block_bytes = shape->kind->block_bytes, block_bits = 8 * block_bytes;
    uint64_t keys = params->expected_keys, blocks = params->bits / block_bits;
    double   rate;

    (void)rule;
    INK__TRY(ink__promise_params(params, &rate, error));
    if (params->bits % block_bits != 0 || blocks > INK__BLOCKS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{bits} %llu, expected a multiple of %llu up to 2^%u for %s",
                         (unsigned long long)params->bits, (unsigned long long)block_bits,
                         63 - ink__leading_zeros_64(INK__BLOCKS_MAX * block_bits), params->kind);
    if (blocks == 0 && (rate < INK__SPLIT_BLOCK_RATE_MIN || rate > INK__SPLIT_BLOCK_RATE_MAX))
        return fail_rate(params->kind, rate, block_bytes, error);
    if (blocks == 0)
        blocks = ink__split_block_plan(keys, rate);
    if (blocks == 0)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "{expected_keys} %llu at rate %g need more than the %llu GiB that a %s can "
            "have; a classic can have 1 TiB",
            (unsigned long long)keys, rate,
            (unsigned long long)(INK__BLOCKS_MAX * block_bytes >> 30), params->kind);
    ink__promise promise = {.expected_keys = keys, .target = rate, .promised = rate};
    if (params->bits != 0)
        promise.promised = ink__split_block_promise(keys, blocks);
    ink__promise_store(&promise, shape);
    shape->payload_bytes = blocks * block_bytes;
    return INK_OK;
}

ink_status ink__blocks_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error)
{
    uint64_t block_bytes = shape->kind->block_bytes, blocks = shape->payload_bytes / block_bytes;

    (void)rule;
    if (blocks == 0 || blocks > INK__BLOCKS_MAX || shape->payload_bytes % block_bytes != 0)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__PROMISE_FIELDS,
                         "a %s of %llu bytes, expected 1 to 2^29 blocks of %llu", shape->kind->name,
                         (unsigned long long)shape->payload_bytes, (unsigned long long)block_bytes);
    return ink__promise_check(shape, error);
}

void ink__blocks_describe(const ink__shape *shape, ink_description *description)
{
    ink__promise_describe(shape, description);
    description->bits = shape->payload_bytes * 8;
    description->hashes = INK__BLOCK_WORDS;
}

ink_status ink__blocks_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                            ink_error *error)
{
    ink__filter *filter = (ink__filter *)sketch;

    filter->promise = ink__promise_of(shape);
    filter->size = shape->payload_bytes / sketch->kind->block_bytes;
    return ink__payload_start(sketch, shape->payload_bytes, payload, error); /* any bits will do */
}

/* Block i of a folded filter is the union of `divisor` neighbouring blocks. */
static const uint8_t *part(const ink__filter *filter, uint64_t blocks, uint64_t first,
                           uint64_t count, uint8_t *chunk)
{
    const ink__kind *kind = filter->base.kind;
    uint32_t         bytes = kind->block_bytes;
    uint64_t         divisor = filter->size / blocks;
    const uint8_t   *from = filter->cells.data + first * divisor;

    if (divisor == 1)
        return from;
    for (uint8_t *block = chunk; block < chunk + count; block += bytes) {
        memcpy(block, from, bytes);
        from += bytes;
        for (uint64_t i = 1; i < divisor; i++, from += bytes)
            kind->merge_slice(filter->base.kernels, NULL, block, from, bytes);
    }
    return chunk;
}

/* The mean of the blocks' rates, each a sum of parts of 2^-40. */
static double rate_of(const ink__filter *filter, uint64_t blocks, double weight)
{
    (void)filter;
    return weight / ((double)blocks * 0x1p40);
}

static double expected(uint64_t blocks, uint32_t hashes, uint64_t keys, double z)
{
    double scatter, rate = ink__split_block_rate(keys, blocks, &scatter);

    (void)hashes;
    rate *= ink__exp(z * scatter);
    return rate < 1 ? rate : 1;
}

static ink_status meet(const ink__filter *a, const ink__filter *b, uint64_t *blocks,
                       ink_error *error)
{
    *blocks = a->size < b->size ? a->size : b->size;
    if (a->size % *blocks != 0 || b->size % *blocks != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "block counts %llu and %llu: neither divides the other; build both with "
                         "the same {expected_keys}",
                         (unsigned long long)a->size, (unsigned long long)b->size);
    return INK_OK;
}

static ink_status check_divisor(const ink__filter *filter, uint64_t divisor, ink_error *error)
{
    if (filter->size % divisor == 0)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "{divisor} %llu, expected a divisor of the block count %llu",
                     (unsigned long long)divisor, (unsigned long long)filter->size);
}

/* Up to the root of the block count by trying sizes, beyond it by trying divisors. */
static uint64_t next_size(const ink__filter *filter, uint64_t blocks)
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

const ink__filter_rules ink__blocks_rules = {
    .part = part,
    .rate = rate_of,
    .expected = expected,
    .meet = meet,
    .check_divisor = check_divisor,
    .next_size = next_size,
};

/* A key misses a given cell with chance 1 - 1/(32 B), so the share of zeros after n keys is about
 * exp(-n / (32 B)). The variance of the number of zeros, for q that share and a load of l keys a
 * block, is B (256 q (1 - q) + 57344 q^2 (e^(l/1024) - 1) - 64 l q^2): cells by themselves, cells
 * of different words of one block, less what the fixed number of keys explains. */
void ink__blocks_distinct(uint64_t blocks, uint64_t ones, double z, ink_answer *answer)
{
    double count = (double)blocks, cells = count * 8 * INK__BLOCK_BYTES;
    double zeros = cells - (double)ones;

    if (ones == 0)
        return;
    if (zeros < 0.5) {
        answer->saturated = true;
        zeros = 0.5;
    }
    double q = zeros / cells, load = -32 * ink__ln(q);
    double variance =
        count * (256 * q * (1 - q) + 57344 * q * q * ink__exp_m1(load / 1024) - 64 * load * q * q);
    double spread = z * ink__sqrt(variance) / (8 * q);

    answer->estimate = load * count;
    answer->low = answer->estimate - spread;
    answer->high = answer->saturated ? 0x1p64 : answer->estimate + spread;
}
