/* classic.c - have I seen this key? The textbook Bloom filter: m bits, k of them set by every key
 * [Bloom 1970]. For rates that are too low for bloom, and, with hash mmh3, bit for bit the filter of
 * the PySpark programs that take mmh3.hash(key, i) % m.
 * Owns the bits and the position rules of docs/format.md; what it promises is in promise.c and
 * docs/accuracy.md#classic. */
#include "base/bits.h"
#include "base/real.h"
#include "hash/mix.h"
#include "hash/murmur.h"
#include "sketch/kinds.h"
#include "sketch/promise.h"

#include <string.h>

#define BITS_MAX ((uint64_t)1 << 43)        /* 1 TiB */
#define SEEDED_BITS_MAX ((uint64_t)1 << 32) /* a 32-bit hash reaches no further */
#define HASHES_MAX 64
#define LN2 0.6931471805599453

enum { RULE_MIXED = 2, RULE_SEEDED = 3, RULE_SEEDED_SIGNED = 4 };
enum { FIELD_BITS = INK__PROMISE_FIELDS, FIELD_HASHES, FIELDS };

typedef struct classic {
    ink_sketch     base;
    ink__promise   promise;
    uint64_t       size; /* m, in bits */
    uint32_t       hashes;
    const uint8_t *bits;  /* of the block below, or of a file */
    ink__block     block; /* empty in a view */
} classic;

static classic *classic_of(ink_sketch *sketch)
{
    return (classic *)sketch;
}

static const classic *const_classic_of(const ink_sketch *sketch)
{
    return (const classic *)sketch;
}

static uint64_t bytes_of(uint64_t size)
{
    return (size + 7) / 8;
}

/* ---- Positions ---------------------------------------------------------------------------- */

static uint16_t classic_position_rule(const ink__key_rule *rule)
{
    return rule->draw == INK__DRAW_HASH64   ? RULE_MIXED
           : rule->draw == INK__DRAW_SEEDED ? RULE_SEEDED
                                            : RULE_SEEDED_SIGNED;
}

static inline uint64_t mixed_position(uint64_t hash, uint32_t i, uint64_t size)
{
    return ink__mix64(hash + i * 0x9e3779b97f4a7c15u) % size;
}

/* Position i of key `key` of the batch, under whatever rule the sketch has. */
static uint64_t position(const classic *c, const ink__keys *keys, size_t key, uint32_t i)
{
    const ink__key_rule *rule = &c->base.rule;

    if (rule->draw == INK__DRAW_HASH64)
        return mixed_position(keys->hashes[key], i, c->size);
    uint32_t hash = ink__murmur3_x86_32(keys->bytes + keys->offsets[key],
                                        (size_t)(keys->offsets[key + 1] - keys->offsets[key]),
                                        (uint32_t)rule->seed + i);
    if (rule->draw == INK__DRAW_SEEDED)
        return hash % c->size;
    /* Python's remainder, which has the sign of the divisor. */
    int64_t rest = (int64_t)(int32_t)hash % (int64_t)c->size;
    return (uint64_t)(rest < 0 ? rest + (int64_t)c->size : rest);
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static double rounded_half_even(double x)
{
    const double whole = 0x1p52; /* beyond it every double is an integer */

    return x < whole ? (x + whole) - whole : x;
}

/* The expected rate (1 - e^(-kn/m))^k, and three standard deviations of what one filter has. */
static double textbook_promise(uint64_t keys, uint64_t size, uint32_t hashes)
{
    double m = (double)size, load = (double)hashes * (double)keys / m;
    double zeros = ink__exp(-load), ones = -ink__exp_m1(-load);
    double variance = (zeros - (1 + load) * zeros * zeros) / m; /* of the share of ones */

    if (keys == 0)
        return 0;
    double rate = ink__power(ones, hashes);
    rate *= 1 + 3 * hashes * ink__sqrt(variance) / ones;
    return rate < 1 ? rate : 1;
}

/* m = round(-n ln p / (ln 2)^2) and k = round(m / n ln 2), in the order of operations and with the
 * rounding (half to even) of the Python programs that do it so. */
static ink_status plan_by_rate(uint64_t keys, double rate, uint64_t *size, uint32_t *hashes,
                               ink_error *error)
{
    double n = (double)keys;

    if (rate < 16 * n / 0x1p64)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "false_positive_rate %g for %llu keys, expected at least %g: a 64-bit hash "
                         "can do no better",
                         rate, (unsigned long long)keys, 16 * n / 0x1p64);
    double m = rounded_half_even(-((n * ink__ln(rate)) / (LN2 * LN2)));
    if (m > (double)BITS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%llu keys at rate %g need %g bits, expected at most 2^43",
                         (unsigned long long)keys, rate, m);
    *size = m < 1 ? 1 : (uint64_t)m;
    double k = rounded_half_even(((double)*size / n) * LN2);
    *hashes = k < 1 ? 1 : k > HASHES_MAX ? HASHES_MAX : (uint32_t)k;
    return INK_OK;
}

static ink_status classic_plan(const ink_params *params, const ink__key_rule *rule,
                               ink__shape *shape, ink_error *error)
{
    ink__promise promise = {.expected_keys = params->expected_keys};
    uint64_t     size = params->bits;
    uint64_t     most = rule->draw == INK__DRAW_HASH64 ? BITS_MAX : SEEDED_BITS_MAX;
    uint32_t     hashes = params->hashes;

    INK__TRY(ink__promise_params(params, &promise.asked, error));
    if (size == 0) {
        if (hashes != 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "hashes goes with bits, not with false_positive_rate");
        INK__TRY(plan_by_rate(params->expected_keys, promise.asked, &size, &hashes, error));
    } else if (hashes == 0 && params->expected_keys != 0) {
        /* The best k for these bits and keys. */
        double k = rounded_half_even(((double)size / (double)params->expected_keys) * LN2);
        hashes = k < 1 ? 1 : k > HASHES_MAX ? HASHES_MAX : (uint32_t)k;
    }
    if (size > most)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "bits %llu, expected at most 2^%d for classic with hash %s",
                         (unsigned long long)size, most == BITS_MAX ? 43 : 32,
                         ink__rule_hash_name(rule));
    if (hashes == 0 || hashes > HASHES_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "hashes %u, expected 1 to %d beside bits", hashes, HASHES_MAX);
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
    uint64_t most = rule->draw == INK__DRAW_HASH64 ? BITS_MAX : SEEDED_BITS_MAX;

    INK__TRY(ink__promise_check(shape, error));
    if (size == 0 || size > most)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_BITS,
                         "%llu bits, expected 1 to 2^%d", (unsigned long long)size,
                         most == BITS_MAX ? 43 : 32);
    if (hashes == 0 || hashes > HASHES_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_HASHES,
                         "%llu hashes, expected 1 to %d", (unsigned long long)hashes, HASHES_MAX);
    if (shape->payload_bytes != bytes_of(size))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "a classic of %llu bytes, expected %llu for its %llu bits",
                         (unsigned long long)shape->payload_bytes,
                         (unsigned long long)bytes_of(size), (unsigned long long)size);
    return INK_OK;
}

static void classic_describe(const ink__shape *shape, ink_description *description)
{
    ink__promise_describe(shape, description);
    description->bits = shape->fields[FIELD_BITS];
    description->hashes = (uint32_t)shape->fields[FIELD_HASHES];
}

/* ---- Life --------------------------------------------------------------------------------- */

static void take_shape(classic *c, const ink__shape *shape)
{
    c->promise = ink__promise_of(shape);
    c->size = shape->fields[FIELD_BITS];
    c->hashes = (uint32_t)shape->fields[FIELD_HASHES];
}

static ink_status classic_create(ink_sketch *sketch, const ink__shape *shape, ink_error *error)
{
    classic *c = classic_of(sketch);

    take_shape(c, shape);
    INK__TRY(ink__block_create(&c->block, &sketch->allocator, shape->payload_bytes, error));
    c->bits = c->block.data;
    return INK_OK;
}

static ink_status classic_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                               ink_error *error)
{
    classic *c = classic_of(sketch);
    uint64_t size = shape->fields[FIELD_BITS];
    unsigned above =
        size % 8 == 0 ? 0 : (unsigned)payload[shape->payload_bytes - 1] >> (unsigned)(size % 8);

    if (above != 0)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "bits 0x%x set above the last one, expected none", above);
    if (!sketch->read_only) {
        INK__TRY(classic_create(sketch, shape, error));
        memcpy(c->block.data, payload, shape->payload_bytes);
        return INK_OK;
    }
    take_shape(c, shape);
    c->bits = payload;
    return INK_OK;
}

static void classic_release(ink_sketch *sketch)
{
    ink__block_release(&classic_of(sketch)->block, &sketch->allocator);
}

static void classic_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const classic *c = const_classic_of(sketch);

    ink__promise_store(&c->promise, shape);
    shape->fields[FIELD_BITS] = c->size;
    shape->fields[FIELD_HASHES] = c->hashes;
    shape->payload_bytes = bytes_of(c->size);
}

static uint64_t classic_scratch_bytes(const ink_sketch *sketch)
{
    (void)sketch;
    return 0;
}

static const uint8_t *classic_payload(const ink_sketch *sketch, uint8_t *scratch)
{
    (void)scratch;
    return const_classic_of(sketch)->bits;
}

/* ---- Keys --------------------------------------------------------------------------------- */

static void classic_add(ink_sketch *sketch, const ink__keys *keys)
{
    classic *c = classic_of(sketch);

    for (size_t key = 0; key < keys->count; key++)
        for (uint32_t i = 0; i < c->hashes; i++) {
            uint64_t at = position(c, keys, key, i);
            c->block.data[at / 8] |= (uint8_t)(1u << at % 8);
        }
}

static void classic_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const classic *c = const_classic_of(sketch);

    for (size_t key = 0; key < keys->count; key++) {
        uint8_t maybe = 1;
        for (uint32_t i = 0; i < c->hashes && maybe; i++) {
            uint64_t at = position(c, keys, key, i);
            maybe = (uint8_t)((unsigned)c->bits[at / 8] >> at % 8 & 1u);
        }
        answers[key] = maybe;
    }
}

/* ---- Halving ------------------------------------------------------------------------------ */

/* A filter seen through halvings: position j is the OR of all positions that are j modulo `size`. */
typedef struct halved {
    const uint8_t *bits;
    uint64_t       from; /* its own size */
    uint64_t       size;
} halved;

enum { CHUNK_BYTES = 4096 };

/* Bytes `first` to `first + count` of the halved filter: in place, or put together in `chunk`. */
static const uint8_t *halved_bytes(const ink__kernels *kernels, const halved *h, uint64_t first,
                                   uint64_t count, uint8_t *chunk)
{
    if (h->from == h->size)
        return h->bits + first;
    memcpy(chunk, h->bits + first, count);
    for (uint64_t at = bytes_of(h->size); at < bytes_of(h->from); at += bytes_of(h->size))
        kernels->or_bytes(chunk, h->bits + at + first, (size_t)count);
    /* Below eight bits the halves stand in one byte. */
    for (unsigned size = h->from < 8 ? (unsigned)h->from : 8, byte = chunk[0]; size > h->size;) {
        size /= 2;
        byte = (byte | byte >> size) & ((1u << size) - 1);
        chunk[0] = (uint8_t)byte;
    }
    return chunk;
}

/* (ones / m)^k of the union of two filters halved to one size; b may be NULL. */
static double rate_of(const ink__kernels *kernels, const halved *a, const halved *b,
                      uint32_t hashes)
{
    uint8_t  chunk_a[CHUNK_BYTES], chunk_b[CHUNK_BYTES];
    uint64_t bytes = bytes_of(a->size), ones = 0;

    for (uint64_t done = 0; done < bytes; done += CHUNK_BYTES) {
        uint64_t       count = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        const uint8_t *part = halved_bytes(kernels, a, done, count, chunk_a);
        if (b != NULL) {
            if (part != chunk_a)
                memcpy(chunk_a, part, count);
            kernels->or_bytes(chunk_a, halved_bytes(kernels, b, done, count, chunk_b),
                              (size_t)count);
            part = chunk_a;
        }
        ones += kernels->ones(part, (size_t)count);
    }
    return ink__power((double)ones / (double)a->size, hashes);
}

static double classic_rate(const ink_sketch *sketch)
{
    const classic *c = const_classic_of(sketch);
    halved         whole = {c->bits, c->size, c->size};

    return rate_of(sketch->kernels, &whole, NULL, c->hashes);
}

static void halve_in_place(classic *c, uint64_t size)
{
    halved  h = {c->bits, c->size, size};
    uint8_t chunk[CHUNK_BYTES];

    if (size == c->size)
        return;
    for (uint64_t done = 0; done < bytes_of(size); done += CHUNK_BYTES) {
        uint64_t count = bytes_of(size) - done < CHUNK_BYTES ? bytes_of(size) - done : CHUNK_BYTES;
        memcpy(c->block.data + done, halved_bytes(c->base.kernels, &h, done, count, chunk), count);
    }
    c->size = size;
}

/* The smallest size with at most this rate. */
static uint64_t size_for(const classic *c, double rate)
{
    uint64_t size = 1;

    if (!ink__is_power_of_two(c->size))
        return c->size;
    for (; size < c->size; size *= 2) {
        halved h = {c->bits, c->size, size};
        if (rate_of(c->base.kernels, &h, NULL, c->hashes) <= rate)
            break;
    }
    return size;
}

static ink_status classic_fold(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                               ink_error *error)
{
    const ink_merge_options plain = {0};
    classic                *c = classic_of(sketch);
    ink__promise            promise;

    if (divisor == 0) {
        double now = classic_rate(sketch);
        if (now > rate)
            return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                             "the false-positive rate is %g already, above %g", now, rate);
        divisor = c->size / size_for(c, rate);
        promise = ink__promise_folded(&c->promise, divisor);
        promise.asked = promise.promised = rate;
    } else {
        if (divisor != 1 && (!ink__is_power_of_two(c->size) || !ink__is_power_of_two(divisor) ||
                             divisor > c->size))
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "divisor %llu of %llu bits: a classic is halved, expected powers of two",
                             (unsigned long long)divisor, (unsigned long long)c->size);
        halved h = {c->bits, c->size, c->size / divisor};
        promise = ink__promise_folded(&c->promise, divisor);
        INK__TRY(ink__promise_keep(&promise, rate_of(sketch->kernels, &h, NULL, c->hashes), &plain,
                                   error));
    }
    c->promise = promise;
    halve_in_place(c, c->size / divisor);
    *divided = divisor;
    return INK_OK;
}

/* ---- Combining ---------------------------------------------------------------------------- */

static ink_status common_size(const classic *a, const classic *b, uint64_t *size, ink_error *error)
{
    *size = a->size < b->size ? a->size : b->size;
    if (a->hashes != b->hashes)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "numbers of hashes differ: %u and %u", a->hashes, b->hashes);
    if (a->size != b->size && !(ink__is_power_of_two(a->size) && ink__is_power_of_two(b->size)))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "sizes differ: %llu and %llu bits, not both powers of two; build both with "
                         "the same expected_keys",
                         (unsigned long long)a->size, (unsigned long long)b->size);
    return INK_OK;
}

typedef void combine(uint8_t *into, const uint8_t *from, size_t bytes);

static void combine_halved(classic *into, const halved *from, combine *operation)
{
    uint8_t  chunk[CHUNK_BYTES];
    uint64_t bytes = bytes_of(into->size);

    for (uint64_t done = 0; done < bytes; done += CHUNK_BYTES) {
        uint64_t count = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        operation(into->block.data + done,
                  halved_bytes(into->base.kernels, from, done, count, chunk), (size_t)count);
    }
}

static ink_status classic_merge(ink_sketch *into, const ink_sketch *from,
                                const ink_merge_options *options, ink_error *error)
{
    classic       *a = classic_of(into);
    const classic *b = const_classic_of(from);
    uint64_t       size;

    INK__TRY(common_size(a, b, &size, error));
    halved       halved_a = {a->bits, a->size, size}, halved_b = {b->bits, b->size, size};
    ink__promise of_a = ink__promise_folded(&a->promise, a->size / size);
    ink__promise of_b = ink__promise_folded(&b->promise, b->size / size);
    ink__promise promise = ink__promise_union(&of_a, &of_b);
    if (!options->parts)
        INK__TRY(ink__promise_keep(&promise,
                                   rate_of(into->kernels, &halved_a, &halved_b, a->hashes), options,
                                   error));
    a->promise = promise;
    halve_in_place(a, size);
    combine_halved(a, &halved_b, into->kernels->or_bytes);
    return INK_OK;
}

static ink_status classic_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    classic       *a = classic_of(into);
    const classic *b = const_classic_of(from);
    uint64_t       size;

    INK__TRY(common_size(a, b, &size, error));
    halved       halved_b = {b->bits, b->size, size};
    ink__promise of_a = ink__promise_folded(&a->promise, a->size / size);
    ink__promise of_b = ink__promise_folded(&b->promise, b->size / size);
    a->promise = ink__promise_intersection(&of_a, &of_b);
    halve_in_place(a, size);
    combine_halved(a, &halved_b, into->kernels->and_bytes);
    return INK_OK;
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* From the share of zeros q: n = -(m/k) ln q; the deviation of q is that of the empty cells after
 * nk balls in m cells. */
static void classic_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const classic *c = const_classic_of(sketch);
    double         m = (double)c->size, k = (double)c->hashes;
    uint64_t       ones = sketch->kernels->ones(c->bits, (size_t)bytes_of(c->size));
    double         zeros = m - (double)ones;

    if (ones == 0)
        return;
    if (zeros < 0.5) {
        answer->saturated = true;
        zeros = 0.5;
    }
    double q = zeros / m, load = -ink__ln(q);
    double spread = z * ink__sqrt(m * (q - (1 + load) * q * q)) / (k * q);

    answer->estimate = load * m / k;
    answer->low = answer->estimate - spread;
    answer->high = answer->saturated ? 0x1p64 : answer->estimate + spread;
}

const ink__kind ink__classic = {
    .name = "classic",
    .id = 2,
    .layout = 1,
    .takes = INK__TAKES_KEYS | INK__TAKES_RATE | INK__TAKES_BITS | INK__TAKES_HASHES,
    .field_count = FIELDS,
    .order_free = true,
    .object_bytes = sizeof(classic),
    .position_rule = classic_position_rule,
    .plan = classic_plan,
    .check = classic_check,
    .describe = classic_describe,
    .create = classic_create,
    .load = classic_load,
    .release = classic_release,
    .shape = classic_shape,
    .scratch_bytes = classic_scratch_bytes,
    .payload = classic_payload,
    .add = classic_add,
    .contains = classic_contains,
    .merge = classic_merge,
    .intersect = classic_intersect,
    .fold = classic_fold,
    .distinct = classic_distinct,
    .rate = classic_rate,
};
