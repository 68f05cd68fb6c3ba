/* bloom.c - have I seen this key? A split-block Bloom filter: every key touches one block of 256 bits,
 * one cache line, and sets a bit in each of its eight words. The default filter; the bits are
 * Parquet's [Putze, Sanders, Singler 2007; the Apache Parquet specification].
 * Owns the bits. Where a hash falls is kernels/split_block.h, how large a filter is
 * split_block_plan.c, what it promises promise.c and docs/accuracy.md#bloom. */
#include "base/bits.h"
#include "base/real.h"
#include "kernels/split_block.h"
#include "sketch/kinds.h"
#include "sketch/promise.h"
#include "sketch/split_block_plan.h"

#include <string.h>

enum { BLOCK_BITS = 8 * INK__BLOCK_BYTES, POSITION_RULE = 1 };

typedef struct bloom {
    ink_sketch     base;
    ink__promise   promise;
    uint64_t       blocks;
    const uint8_t *bits;  /* of the block below, or of a file */
    ink__block     block; /* empty in a view */
} bloom;

static bloom *bloom_of(ink_sketch *sketch)
{
    return (bloom *)sketch;
}

static const bloom *const_bloom_of(const ink_sketch *sketch)
{
    return (const bloom *)sketch;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static uint16_t bloom_position_rule(const ink__key_rule *rule)
{
    return rule->draw == INK__DRAW_HASH64 ? POSITION_RULE : 0;
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
    if (rate < INK__SPLIT_BLOCK_RATE_MIN)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "false_positive_rate %g, expected %g to %g for bloom: bloom needs %u bits "
                         "a key at %g; classic needs %u",
                         rate, INK__SPLIT_BLOCK_RATE_MIN, INK__SPLIT_BLOCK_RATE_MAX,
                         (unsigned)(ink__split_block_bits_per_key(rate) + 0.5), rate,
                         (unsigned)(-ink__ln(rate) / 0.4804530139182014 + 0.5));
    if (rate > INK__SPLIT_BLOCK_RATE_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "false_positive_rate %g, expected %g to %g for bloom", rate,
                         INK__SPLIT_BLOCK_RATE_MIN, INK__SPLIT_BLOCK_RATE_MAX);
    *blocks = ink__split_block_plan(keys, rate);
    if (*blocks == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "expected_keys %llu at rate %g need more than the 16 GiB that a bloom can "
                         "have; classic can have more",
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

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status bloom_create(ink_sketch *sketch, const ink__shape *shape, ink_error *error)
{
    bloom *b = bloom_of(sketch);

    b->promise = ink__promise_of(shape);
    b->blocks = shape->payload_bytes / INK__BLOCK_BYTES;
    INK__TRY(ink__block_create(&b->block, &sketch->allocator, shape->payload_bytes, error));
    b->bits = b->block.data;
    return INK_OK;
}

static ink_status bloom_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                             ink_error *error)
{
    bloom *b = bloom_of(sketch);

    if (!sketch->read_only) {
        INK__TRY(bloom_create(sketch, shape, error));
        memcpy(b->block.data, payload, shape->payload_bytes);
        return INK_OK;
    }
    b->promise = ink__promise_of(shape);
    b->blocks = shape->payload_bytes / INK__BLOCK_BYTES;
    b->bits = payload; /* any bits are a filter */
    return INK_OK;
}

static void bloom_release(ink_sketch *sketch)
{
    ink__block_release(&bloom_of(sketch)->block, &sketch->allocator);
}

static void bloom_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const bloom *b = const_bloom_of(sketch);

    ink__promise_store(&b->promise, shape);
    shape->payload_bytes = b->blocks * INK__BLOCK_BYTES;
}

static uint64_t bloom_scratch_bytes(const ink_sketch *sketch)
{
    (void)sketch;
    return 0;
}

static const uint8_t *bloom_payload(const ink_sketch *sketch, uint8_t *scratch)
{
    (void)scratch;
    return const_bloom_of(sketch)->bits;
}

/* ---- Keys --------------------------------------------------------------------------------- */

static void bloom_add(ink_sketch *sketch, const ink__keys *keys)
{
    bloom *b = bloom_of(sketch);

    sketch->kernels->block_add(b->block.data, b->blocks, keys->hashes, keys->count);
}

static void bloom_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const bloom *b = const_bloom_of(sketch);

    sketch->kernels->block_test(b->bits, b->blocks, keys->hashes, keys->count, answers);
}

/* ---- Folding ------------------------------------------------------------------------------ */

/* A filter seen through a fold: block i is the OR of blocks i * divisor up to (i + 1) * divisor. */
typedef struct folded {
    const uint8_t *bits;
    uint64_t       divisor;
} folded;

enum { CHUNK_BLOCKS = 128 };

/* Blocks `first` to `first + count` of the folded filter: in place, or put together in `chunk`. */
static const uint8_t *folded_blocks(const ink__kernels *kernels, const folded *f, uint64_t first,
                                    uint64_t count, uint8_t *chunk)
{
    const uint8_t *from = f->bits + first * f->divisor * INK__BLOCK_BYTES;

    if (f->divisor == 1)
        return from;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *block = chunk + i * INK__BLOCK_BYTES;
        memcpy(block, from, INK__BLOCK_BYTES);
        from += INK__BLOCK_BYTES;
        for (uint64_t j = 1; j < f->divisor; j++, from += INK__BLOCK_BYTES)
            kernels->or_bytes(block, from, INK__BLOCK_BYTES);
    }
    return chunk;
}

/* The exact rate of the union of two folded filters of `blocks` blocks each; b may be NULL. Stops
 * early, with a rate above `enough`, once it is sure to be above. */
static double rate_of(const ink__kernels *kernels, const folded *a, const folded *b,
                      uint64_t blocks, double enough)
{
    uint8_t  chunk_a[CHUNK_BLOCKS * INK__BLOCK_BYTES], chunk_b[CHUNK_BLOCKS * INK__BLOCK_BYTES];
    double   whole = (double)blocks * 0x1p40, stop = enough * whole * (1 + 1e-9);
    uint64_t high = 0, low = 0; /* the sum is high * 2^32 + low, exactly */

    for (uint64_t done = 0; done < blocks; done += CHUNK_BLOCKS) {
        uint64_t count = blocks - done < CHUNK_BLOCKS ? blocks - done : CHUNK_BLOCKS;
        uint64_t sum = kernels->block_rates(
            folded_blocks(kernels, a, done, count, chunk_a),
            b == NULL ? NULL : folded_blocks(kernels, b, done, count, chunk_b), count);
        low += sum & 0xffffffffu;
        high += (sum >> 32) + (low >> 32);
        low &= 0xffffffffu;
        if ((double)high * 0x1p32 > stop)
            return 2 * enough;
    }
    return ((double)high * 0x1p32 + (double)low) / whole;
}

static double bloom_rate(const ink_sketch *sketch)
{
    const bloom *b = const_bloom_of(sketch);
    folded       whole = {b->bits, 1};

    return rate_of(sketch->kernels, &whole, NULL, b->blocks, 1);
}

/* Folds the filter where it stands. */
static void fold_in_place(bloom *b, uint64_t divisor)
{
    const ink__kernels *kernels = b->base.kernels;
    folded              f = {b->bits, divisor};

    if (divisor == 1)
        return;
    b->blocks /= divisor;
    for (uint64_t i = 0; i < b->blocks; i++) {
        uint8_t chunk[INK__BLOCK_BYTES];
        memcpy(b->block.data + i * INK__BLOCK_BYTES, folded_blocks(kernels, &f, i, 1, chunk),
               INK__BLOCK_BYTES);
    }
}

/* The largest divisor whose filter has at most this rate. */
static uint64_t divisor_for(const bloom *b, double rate)
{
    for (uint64_t blocks = 1; blocks < b->blocks; blocks++) {
        if (b->blocks % blocks != 0)
            continue;
        folded f = {b->bits, b->blocks / blocks};
        if (rate_of(b->base.kernels, &f, NULL, blocks, rate) <= rate)
            return f.divisor;
    }
    return 1;
}

static ink_status bloom_fold(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                             ink_error *error)
{
    const ink_merge_options plain = {0};
    bloom                  *b = bloom_of(sketch);
    ink__promise            promise;

    if (divisor == 0) {
        double now = bloom_rate(sketch);
        if (now > rate)
            return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                             "the false-positive rate is %g already, above %g", now, rate);
        divisor = divisor_for(b, rate);
        promise = ink__promise_folded(&b->promise, divisor);
        promise.asked = promise.promised = rate;
    } else {
        if (b->blocks % divisor != 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "divisor %llu, expected one of the block count %llu",
                             (unsigned long long)divisor, (unsigned long long)b->blocks);
        folded f = {b->bits, divisor};
        promise = ink__promise_folded(&b->promise, divisor);
        INK__TRY(ink__promise_keep(
            &promise, rate_of(sketch->kernels, &f, NULL, b->blocks / divisor, 1), &plain, error));
    }
    b->promise = promise;
    fold_in_place(b, divisor);
    *divided = divisor;
    return INK_OK;
}

/* ---- Combining ---------------------------------------------------------------------------- */

/* How much each of two filters has to be folded to have the size of the smaller. */
static ink_status common_size(const bloom *a, const bloom *b, uint64_t *fold_a, uint64_t *fold_b,
                              ink_error *error)
{
    uint64_t blocks = a->blocks < b->blocks ? a->blocks : b->blocks;

    if (a->blocks % blocks != 0 || b->blocks % blocks != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "block counts %llu and %llu: neither divides the other; build both with "
                         "the same expected_keys",
                         (unsigned long long)a->blocks, (unsigned long long)b->blocks);
    *fold_a = a->blocks / blocks;
    *fold_b = b->blocks / blocks;
    return INK_OK;
}

typedef void combine(uint8_t *into, const uint8_t *from, size_t bytes);

static void combine_folded(bloom *into, const folded *from, combine *operation)
{
    uint8_t chunk[CHUNK_BLOCKS * INK__BLOCK_BYTES];

    for (uint64_t done = 0; done < into->blocks; done += CHUNK_BLOCKS) {
        uint64_t count = into->blocks - done < CHUNK_BLOCKS ? into->blocks - done : CHUNK_BLOCKS;
        operation(into->block.data + done * INK__BLOCK_BYTES,
                  folded_blocks(into->base.kernels, from, done, count, chunk),
                  (size_t)(count * INK__BLOCK_BYTES));
    }
}

static ink_status bloom_merge(ink_sketch *into, const ink_sketch *from,
                              const ink_merge_options *options, ink_error *error)
{
    bloom       *a = bloom_of(into);
    const bloom *b = const_bloom_of(from);
    folded       folded_a = {.bits = a->bits}, folded_b = {.bits = b->bits};

    INK__TRY(common_size(a, b, &folded_a.divisor, &folded_b.divisor, error));
    ink__promise of_a = ink__promise_folded(&a->promise, folded_a.divisor);
    ink__promise of_b = ink__promise_folded(&b->promise, folded_b.divisor);
    ink__promise promise = ink__promise_union(&of_a, &of_b);
    if (!options->parts)
        INK__TRY(ink__promise_keep(
            &promise,
            rate_of(into->kernels, &folded_a, &folded_b, a->blocks / folded_a.divisor, 1), options,
            error));
    a->promise = promise;
    fold_in_place(a, folded_a.divisor);
    combine_folded(a, &folded_b, into->kernels->or_bytes);
    return INK_OK;
}

static ink_status bloom_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    bloom       *a = bloom_of(into);
    const bloom *b = const_bloom_of(from);
    folded       folded_b = {.bits = b->bits};
    uint64_t     fold_a = 1;

    INK__TRY(common_size(a, b, &fold_a, &folded_b.divisor, error));
    ink__promise of_a = ink__promise_folded(&a->promise, fold_a);
    ink__promise of_b = ink__promise_folded(&b->promise, folded_b.divisor);
    a->promise = ink__promise_intersection(&of_a, &of_b);
    fold_in_place(a, fold_a);
    combine_folded(a, &folded_b, into->kernels->and_bytes);
    return INK_OK;
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* A key misses a given bit with chance 1 - 1/(32 B), so the share of zeros after n keys is about
 * exp(-n / (32 B)). The variance of the number of zeros, for q that share and a load of l keys a
 * block, is B (256 q (1 - q) + 57344 q^2 (e^(l/1024) - 1) - 64 l q^2): bits by themselves, bits of
 * different words of one block, less what the fixed number of keys explains. */
static void bloom_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const bloom *b = const_bloom_of(sketch);
    double       blocks = (double)b->blocks, bits = blocks * BLOCK_BITS;
    uint64_t     ones = sketch->kernels->ones(b->bits, (size_t)(b->blocks * INK__BLOCK_BYTES));
    double       zeros = bits - (double)ones;

    if (ones == 0)
        return;
    if (zeros < 0.5) {
        answer->saturated = true;
        zeros = 0.5;
    }
    double q = zeros / bits, load = -32 * ink__ln(q);
    double variance = blocks * (256 * q * (1 - q) + 57344 * q * q * ink__exp_m1(load / 1024) -
                                64 * load * q * q);
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
    .object_bytes = sizeof(bloom),
    .position_rule = bloom_position_rule,
    .plan = bloom_plan,
    .check = bloom_check,
    .describe = bloom_describe,
    .create = bloom_create,
    .load = bloom_load,
    .release = bloom_release,
    .shape = bloom_shape,
    .scratch_bytes = bloom_scratch_bytes,
    .payload = bloom_payload,
    .add = bloom_add,
    .contains = bloom_contains,
    .merge = bloom_merge,
    .intersect = bloom_intersect,
    .fold = bloom_fold,
    .distinct = bloom_distinct,
    .rate = bloom_rate,
};
