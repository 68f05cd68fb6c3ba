/* classic.c - have I seen this key? The textbook Bloom filter: m bits, k of them set by every key
 * [Bloom 1970]. For rates that are too low for bloom, and, with hash mmh3, bit for bit the filter
 * of the PySpark programs that take mmh3.hash(key, i) % m. Owns the sizes of the textbook, its
 * position rules and folding by halves. */
#include "base/bits.h"
#include "base/real.h"
#include "base/status.h"
#include "sketch/kinds/foreign_positions.h"
#include "sketch/kinds/shared.h"

#include <string.h>

#define BITS_MAX ((uint64_t)1 << 43) /* 1 TiB */
#define HASHES_MAX 64
#define LN2 0.6931471805599453

enum { FIELD_BITS = INK__PROMISE_FIELDS, FIELD_HASHES, FIELDS };

static uint64_t bytes_of(uint64_t size)
{
    return (size + 7) / 8;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static uint64_t bits_max(const ink__key_rule *rule)
{
    const uint64_t reach = ink__foreign_reach(rule->scheme);

    return reach < BITS_MAX ? reach : BITS_MAX;
}

static uint32_t hashes_max(const ink__key_rule *rule)
{
    switch (rule->scheme) {
    case INK__SCHEME_HASH64:
    case INK__SCHEME_SEEDED:
    case INK__SCHEME_SEEDED_SIGNED:
        return HASHES_MAX;
    default:
        return INK__FOREIGN_HASHES_MAX;
    }
}

static double rounded_half_even(double x)
{
    const double whole = 0x1p52; /* beyond it every double is an integer */

    return x < whole ? (x + whole) - whole : x;
}

/* The limit of 64-bit hashes: a non-member may share the hash of a key. */
static double lowest_rate(uint64_t keys)
{
    return 16 * (double)keys / 0x1p64;
}

/* The expected rate (1 - e^(-kn/m))^k of `keys` keys, one at least; *scatter is z relative standard
 * deviations of the rate of one filter. */
static double textbook_rate(uint64_t keys, uint64_t size, uint32_t hashes, double z,
                            double *scatter)
{
    double m = (double)size, load = (double)hashes * (double)keys / m;
    double zeros = ink__exp(-load), ones = -ink__exp_m1(-load);
    double variance = zeros * (ones - load * zeros) / m; /* of the share of ones */

    *scatter = z * hashes * ink__sqrt(variance) / ones;
    return ink__power(ones, hashes);
}

/* The expected rate and three standard deviations. */
static double textbook_promise(uint64_t keys, uint64_t size, uint32_t hashes)
{
    double scatter;

    if (keys == 0)
        return 0;
    double rate = textbook_rate(keys, size, hashes, 3, &scatter);
    rate *= 1 + scatter;
    if (rate < lowest_rate(keys))
        rate = lowest_rate(keys);
    return rate < 1 ? rate : 1;
}

/* m = round(-n ln p / (ln 2)^2) and k = round(m / n ln 2), with the order of operations and the
 * rounding (half to even) of the Python programs; under the rule of another system as that has it.
 */
static ink_status plan_by_rate(const ink__key_rule *rule, uint64_t keys, double rate,
                               uint64_t *size, uint32_t *hashes, ink_error *error)
{
    double n = (double)keys;
    double m = rounded_half_even(-((n * ink__ln(rate)) / (LN2 * LN2)));

    if (m > (double)BITS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{expected_keys} %llu at rate %g need %g bits, expected at most 2^43",
                         (unsigned long long)keys, rate, m);
    if (rate < lowest_rate(keys))
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "{false_positive_rate} %g for %llu keys, expected at least %g: a 64-bit hash "
            "can do no better",
            rate, (unsigned long long)keys, lowest_rate(keys));
    if (ink__foreign_size(rule->scheme, keys, rate, size, hashes))
        return INK_OK;
    *size = m < 1 ? 1 : (uint64_t)m;
    double k = rounded_half_even(((double)*size / n) * LN2);
    *hashes = k < 1 ? 1 : (uint32_t)k; /* at most 60 at the lowest rate */
    return INK_OK;
}

static ink_status classic_plan(const ink_params *params, const ink__key_rule *rule,
                               ink__shape *shape, ink_error *error)
{
    ink__promise promise = {.expected_keys = params->expected_keys};
    uint64_t     size = params->bits;
    uint64_t     most = bits_max(rule);
    uint32_t     hashes = params->hashes;

    INK__TRY(ink__promise_params(params, &promise.target, error));
    if (size == 0) {
        if (hashes != 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "{hashes} without {bits}: give both, or neither");
        INK__TRY(plan_by_rate(rule, params->expected_keys, promise.target, &size, &hashes, error));
    } else if (hashes == 0 && params->expected_keys != 0) {
        /* The best k for these bits and keys. */
        double k = rounded_half_even(((double)size / (double)params->expected_keys) * LN2);
        hashes = k < 1 ? 1 : k > HASHES_MAX ? HASHES_MAX : (uint32_t)k;
    }
    if (size > most)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{bits} %llu, expected at most 2^%d for classic with hash %s",
                         (unsigned long long)size, (int)ink__trailing_zeros_64(most),
                         ink__rule_hash_name(rule));
    if (hashes == 0 || hashes > hashes_max(rule))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{hashes} %u beside {bits}, expected 1 to %d, or {expected_keys} to have "
                         "them worked out",
                         hashes, (int)hashes_max(rule));
    promise.promised = textbook_promise(params->expected_keys, size, hashes);
    ink__promise_store(&promise, shape);
    shape->fields[FIELD_BITS] = size;
    shape->fields[FIELD_HASHES] = hashes;
    shape->payload_bytes = bytes_of(size);
    return INK_OK;
}

static ink_status classic_check(const ink__shape *shape, const ink__key_rule *rule,
                                ink_error *error)
{
    uint64_t size = shape->fields[FIELD_BITS], hashes = shape->fields[FIELD_HASHES];
    uint64_t most = bits_max(rule);

    INK__TRY(ink__promise_check(shape, error));
    if (size == 0 || size > most)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_BITS,
                         "%llu bits, expected 1 to 2^%d", (unsigned long long)size,
                         (int)ink__trailing_zeros_64(most));
    if (hashes == 0 || hashes > hashes_max(rule))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_HASHES,
                         "%llu hashes, expected 1 to %d", (unsigned long long)hashes,
                         (int)hashes_max(rule));
    if (shape->payload_bytes != bytes_of(size))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "a classic of %llu bytes, expected %llu for its %llu bits",
                         (unsigned long long)shape->payload_bytes,
                         (unsigned long long)bytes_of(size), (unsigned long long)size);
    return INK_OK;
}

static ink_status classic_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                        const uint8_t *payload, ink_error *error)
{
    unsigned used = (unsigned)(shape->fields[FIELD_BITS] % 8);
    unsigned above = used == 0 ? 0 : (unsigned)payload[shape->payload_bytes - 1] >> used;

    (void)rule;
    if (above != 0)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, shape->payload_bytes - 1,
                         "bits 0x%x set above the last one, expected none", above);
    return INK_OK;
}

static void classic_describe(const ink__shape *shape, ink_description *description)
{
    ink__promise_describe(shape, description);
    description->bits = shape->fields[FIELD_BITS];
    description->hashes = (uint32_t)shape->fields[FIELD_HASHES];
}

/* ---- Halving ------------------------------------------------------------------------------ */

/* Position j of a halved filter is the OR of all positions that are j modulo its size. */
static const uint8_t *bits_part(const ink__filter *filter, uint64_t size, uint64_t first,
                                uint64_t count, uint8_t *chunk)
{
    uint64_t bytes = bytes_of(size);

    if (filter->size == size)
        return filter->cells.data + first;
    memcpy(chunk, filter->cells.data + first, (size_t)count);
    for (uint64_t at = bytes; at < bytes_of(filter->size); at += bytes)
        filter->base.kernels->or_bytes(chunk, filter->cells.data + at + first, (size_t)count);
    /* Below eight bits the halves stand in one byte. */
    unsigned byte = chunk[0];
    for (unsigned left = filter->size < 8 ? (unsigned)filter->size : 8; left > size;) {
        left /= 2;
        byte = (byte | byte >> left) & ((1u << left) - 1);
        chunk[0] = (uint8_t)byte;
    }
    return chunk;
}

/* The ones. */
static uint64_t bits_weigh(const ink__kernels *kernels, const uint8_t *a, const uint8_t *b,
                           uint64_t count)
{
    uint8_t both[INK__FILTER_CHUNK];

    if (b == NULL)
        return kernels->ones(a, (size_t)count);
    memcpy(both, a, (size_t)count);
    kernels->or_bytes(both, b, (size_t)count);
    return kernels->ones(both, (size_t)count);
}

static double bits_rate(const ink__filter *filter, uint64_t size, double ones)
{
    return ink__power(ones / (double)size, filter->hashes);
}

static double bits_expected(uint64_t size, uint32_t hashes, uint64_t keys, double z)
{
    double scatter;

    if (keys == 0)
        return 0;
    double rate = textbook_rate(keys, size, hashes, z, &scatter) * ink__exp(scatter);
    double ones = (double)hashes * (double)keys / (double)size; /* at most, if none meet */
    double most = ones < 1 ? ink__power(ones, hashes) : 1;
    return rate < most ? rate : most;
}

static ink_status bits_meet(const ink__filter *a, const ink__filter *b, uint64_t *size,
                            ink_error *error)
{
    *size = a->size < b->size ? a->size : b->size;
    if (a->hashes != b->hashes)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "numbers of hashes differ: %u and %u",
                         a->hashes, b->hashes);
    if (a->size != b->size && !(ink__is_power_of_two(a->size) && ink__is_power_of_two(b->size)))
        return ink__fail(
            error, INK_MISMATCH, INK_NOWHERE, 0,
            "sizes differ: %llu and %llu bits, not both powers of two; build both with "
            "the same {expected_keys}",
            (unsigned long long)a->size, (unsigned long long)b->size);
    return INK_OK;
}

static ink_status bits_check_divisor(const ink__filter *filter, uint64_t divisor, ink_error *error)
{
    if (divisor == 1 || (ink__is_power_of_two(filter->size) && ink__is_power_of_two(divisor) &&
                         divisor <= filter->size))
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "{divisor} %llu of %llu bits: a classic is halved, expected powers of two",
                     (unsigned long long)divisor, (unsigned long long)filter->size);
}

static uint64_t bits_next_size(const ink__filter *filter, uint64_t size)
{
    if (!ink__is_power_of_two(filter->size))
        return filter->size;
    return size == 0 ? 1 : size * 2;
}

static const ink__filter_rules rules = {
    .part = bits_part,
    .rate = bits_rate,
    .expected = bits_expected,
    .meet = bits_meet,
    .check_divisor = bits_check_divisor,
    .next_size = bits_next_size,
};

static ink_status classic_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                               ink_error *error)
{
    ink__filter *filter = (ink__filter *)sketch;

    filter->promise = ink__promise_of(shape);
    filter->size = shape->fields[FIELD_BITS];
    filter->inverse = UINT64_MAX / filter->size;
    filter->hashes = (uint32_t)shape->fields[FIELD_HASHES];
    return ink__payload_start(sketch, shape->payload_bytes, payload, error);
}

static void classic_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    ink__filter_shape(sketch, shape);
    shape->fields[FIELD_BITS] = filter->size;
    shape->fields[FIELD_HASHES] = filter->hashes;
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Keys that are processed together, position by position: the bits of all are prefetched before the
 * first is needed. */
enum { TOGETHER = 256 };

/* Some keys that are processed together, from number `first` on, and where they are in their walks
 * under the rule of another system. */
typedef struct together {
    size_t        first, count;
    uint32_t      listed[TOGETHER]; /* those that are left, counted from `first` */
    uint64_t      positions[TOGETHER];
    ink__bit_walk walks[TOGETHER];
} together;

static bool is_native(const ink__filter *filter)
{
    return filter->base.rule.scheme == INK__SCHEME_HASH64;
}

static void take_keys(together *some, const ink__filter *filter, const ink__keys *keys,
                      size_t first)
{
    some->first = first;
    some->count = keys->count - first < TOGETHER ? keys->count - first : TOGETHER;
    for (size_t j = 0; j < some->count; j++)
        some->listed[j] = (uint32_t)j;
    if (!is_native(filter))
        ink__bit_walks_start(some->walks, &filter->base.rule, keys, first, some->count);
}

/* Position i of each key that is left; i rises. */
static void find_positions(together *some, const ink__filter *filter, const ink__keys *keys,
                           uint32_t i)
{
    if (is_native(filter)) {
        const uint64_t *hashes = keys->hashes + some->first;
        for (size_t j = 0; j < some->count; j++) {
            some->positions[j] = ink__filter_position(filter, hashes[some->listed[j]], i);
            __builtin_prefetch(filter->cells.data + some->positions[j] / 8);
        }
        return;
    }
    ink__bit_walks_next(some->walks, filter, keys, some->first, some->listed, some->count,
                        some->positions);
    for (size_t j = 0; j < some->count; j++)
        __builtin_prefetch(filter->cells.data + some->positions[j] / 8);
}

/* Loops over keys are compiled for one writer and for several. */
#define FOR_WRITERS static inline __attribute__((always_inline))

FOR_WRITERS void set_bits(uint8_t *bits, const uint64_t *positions, size_t count, bool several)
{
    for (size_t j = 0; j < count; j++) {
        uint8_t *at = bits + positions[j] / 8;
        uint8_t  bit = (uint8_t)(1u << positions[j] % 8);
        if (several)
            ink__shared_or_u8(at, bit);
        else
            *at |= bit;
    }
}

FOR_WRITERS unsigned bit_at(const uint8_t *bits, uint64_t position, bool several)
{
    const uint8_t *at = bits + position / 8;

    return (unsigned)(several ? ink__shared_load_u8(at) : *at) >> position % 8 & 1u;
}

FOR_WRITERS void add_all(const ink__filter *filter, const ink__keys *keys, bool several)
{
    uint8_t *bits = filter->cells.block.data;
    together some;

    for (size_t first = 0; first < keys->count; first += TOGETHER) {
        take_keys(&some, filter, keys, first);
        for (uint32_t i = 0; i < filter->hashes; i++) {
            find_positions(&some, filter, keys, i);
            set_bits(bits, some.positions, some.count, several);
        }
    }
}

static void classic_find_bits(const ink_sketch *sketch, const uint64_t *hashes, size_t count,
                              uint32_t i, uint64_t *bits)
{
    const ink__filter *filter = (const ink__filter *)sketch;

    if (!is_native(filter)) {
        const ink__keys keys = {.count = count, .hashes = hashes};
        const uint32_t  only = 0;
        ink__bit_walk   walk;

        for (size_t j = 0; j < count; j++) {
            ink__bit_walks_start(&walk, &filter->base.rule, &keys, j, 1);
            ink__bit_walk_skip(&walk, filter, i);
            ink__bit_walks_next(&walk, filter, &keys, j, &only, 1, &bits[j]);
        }
        return;
    }
    for (size_t j = 0; j < count; j++)
        bits[j] = ink__filter_position(filter, hashes[j], i);
}

static void classic_set_bits(ink_sketch *sketch, uint64_t first, const uint32_t *offsets,
                             size_t count)
{
    uint8_t *bits = ((ink__filter *)sketch)->cells.block.data + first / 8;

    for (size_t j = 0; j < count; j++)
        bits[offsets[j] / 8] |= (uint8_t)(1u << offsets[j] % 8);
}

static void classic_add(ink_sketch *sketch, const ink__keys *keys)
{
    add_all((const ink__filter *)sketch, keys, false);
}

/* Drops the keys whose bit is not set, about half of all non-members at each position, without a
 * branch that would be mispredicted. */
FOR_WRITERS size_t ask_positions(const uint8_t *bits, const uint64_t *positions, uint32_t *listed,
                                 size_t count, bool several)
{
    size_t kept = 0;

    for (size_t j = 0; j < count; j++) {
        listed[kept] = listed[j];
        kept += bit_at(bits, positions[j], several);
    }
    return kept;
}

FOR_WRITERS bool contains_one(const ink__filter *filter, const ink__keys *keys, bool several)
{
    const bool     native = is_native(filter);
    const uint32_t only = 0;
    ink__bit_walk  walk;
    uint64_t       at;

    if (!native)
        ink__bit_walks_start(&walk, &filter->base.rule, keys, 0, 1);
    for (uint32_t i = 0; i < filter->hashes; i++) {
        if (native)
            at = ink__filter_position(filter, keys->hashes[0], i);
        else
            ink__bit_walks_next(&walk, filter, keys, 0, &only, 1, &at);
        if (bit_at(filter->cells.data, at, several) == 0)
            return false;
    }
    return true;
}

FOR_WRITERS void contains_all(const ink__filter *filter, const ink__keys *keys, uint8_t *answers,
                              bool several)
{
    together some;

    if (keys->count == 1) {
        answers[0] = contains_one(filter, keys, several);
        return;
    }
    memset(answers, 0, keys->count);
    for (size_t first = 0; first < keys->count; first += TOGETHER) {
        take_keys(&some, filter, keys, first);
        for (uint32_t i = 0; i < filter->hashes && some.count > 0; i++) {
            find_positions(&some, filter, keys, i);
            some.count =
                ask_positions(filter->cells.data, some.positions, some.listed, some.count, several);
        }
        for (size_t j = 0; j < some.count; j++)
            answers[first + some.listed[j]] = 1;
    }
}

static void classic_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    contains_all((const ink__filter *)sketch, keys, answers, false);
}

/* For a scalable, which adds key by key: all positions, under the rule of its levels. A
 * batch is prefetched position by position above. */
static void classic_fetch(const ink_sketch *sketch, const uint64_t *hashes, size_t count,
                          ink__fetch how)
{
    const ink__filter *filter = (const ink__filter *)sketch;
    const bool         write = how == INK__FETCH_WRITE || how == INK__FETCH_WRITE_FAR;

    for (size_t j = 0; j < count && is_native(filter); j++)
        for (uint32_t i = 0; i < filter->hashes; i++) {
            const uint8_t *at = filter->cells.data + ink__filter_position(filter, hashes[j], i) / 8;
            if (write)
                __builtin_prefetch(at, 1, 3);
            else
                __builtin_prefetch(at, 0, 3);
        }
}

/* From the share of zeros q: n = -(m/k) ln q; the deviation of q is that of the empty cells after
 * nk balls in m cells. */
static void classic_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const ink__filter *filter = (const ink__filter *)sketch;
    double             m = (double)filter->size, k = (double)filter->hashes;
    uint64_t ones = sketch->kernels->ones(filter->cells.data, (size_t)bytes_of(filter->size));
    double   zeros = m - (double)ones;

    if (ones == 0)
        return;
    if (zeros < 0.5) {
        answer->saturated = true;
        zeros = 0.5;
    }
    double q = zeros / m, load = -ink__ln(q);
    double spread = z * ink__sqrt(m * q * (1 - q - load * q)) / (k * q);

    answer->estimate = load * m / k;
    answer->low = answer->estimate - spread;
    answer->high = answer->saturated ? 0x1p64 : answer->estimate + spread;
}

/* ---- Several writers ---------------------------------------------------------------------- */

static void shared_add(ink_sketch *sketch, const ink__keys *keys)
{
    add_all((const ink__filter *)sketch, keys, true);
}

static void shared_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    contains_all((const ink__filter *)sketch, keys, answers, true);
}

static const ink__kind shared = {
    .name = "classic",
    .id = 2,
    .plain = &ink__classic,
    .order_free = true,
    .object_bytes = sizeof(ink__filter),
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .shape = classic_shape,
    .add = shared_add,
    .contains = shared_contains,
    .fetch = classic_fetch,
    .snapshot = ink__filter_snapshot,
};

const ink__kind ink__classic = {
    .name = "classic",
    .id = 2,
    .layout = 1,
    .takes = INK__TAKES_KEYS | INK__TAKES_RATE | INK__TAKES_BITS | INK__TAKES_HASHES |
             INK__TAKES_WRITERS,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_MEMBER] = 1, [INK_ASK_DISTINCT] = 1},
    .order_free = true,
    .object_bytes = sizeof(ink__filter),
    .shared = &shared,
    .filter_rules = &rules,
    .weigh = bits_weigh,
    .position_rules =
        {
            [INK__SCHEME_HASH64] = INK__RULE_MIXED,
            [INK__SCHEME_SPARK_V1] = INK__RULE_SPARK_V1,
            [INK__SCHEME_SPARK_V2] = INK__RULE_SPARK_V2,
            [INK__SCHEME_GUAVA_32] = INK__RULE_GUAVA_32,
            [INK__SCHEME_DCSO] = INK__RULE_DCSO,
            [INK__SCHEME_SEEDED] = INK__RULE_SEEDED,
            [INK__SCHEME_SEEDED_SIGNED] = INK__RULE_SEEDED_SIGNED,
            [INK__SCHEME_GUAVA_64] = INK__RULE_GUAVA_64,
            [INK__SCHEME_HADOOP] = INK__RULE_HADOOP,
            [INK__SCHEME_REDISBLOOM] = INK__RULE_REDISBLOOM,
            [INK__SCHEME_DATASKETCHES] = INK__RULE_DATASKETCHES,
        },
    .plan = classic_plan,
    .check = classic_check,
    .check_payload = classic_check_payload,
    .describe = classic_describe,
    .load = classic_load,
    .take = ink__payload_take,
    .release = ink__payload_release,
    .memory = ink__payload_memory,
    .shape = classic_shape,
    .payload = ink__payload_in_place,
    .add = classic_add,
    .find_bits = classic_find_bits,
    .set_bits = classic_set_bits,
    .contains = classic_contains,
    .fetch = classic_fetch,
    .merge = ink__filter_merge,
    .merge_slice = ink__filter_merge_bits,
    .intersect = ink__filter_intersect,
    .fold = ink__filter_fold,
    .distinct = classic_distinct,
    .rate = ink__filter_rate,
};
