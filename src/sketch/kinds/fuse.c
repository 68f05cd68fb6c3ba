/* fuse.c - have I seen this key, of a set that never changes? A binary fuse filter [Graefe, Lemire
 * 2022], 4-wise: the xor of four slots is the fingerprint of every key that is in, and of a share
 * of 2^-bits of all others. Smaller than any Bloom filter of the same rate, but made of all of its
 * keys at once (whole.c); it takes no key afterwards.
 *
 * Hashes are cut into shards by their first bits. Owns the payload: the packed fingerprints of each
 * shard, from a byte on, then a head of 8 bytes for each; and questions. fuse_shard.c has the
 * construction of one shard. */
#include "base/bits.h"
#include "base/status.h"
#include "base/tuning.h"
#include "sketch/kinds/fuse_shard.h"
#include "sketch/kinds/payload.h"
#include "sketch/kinds/promise.h"

#include <string.h>

enum { FIELD_BITS = INK__PROMISE_FIELDS, FIELDS };
enum { HEAD_BYTES = INK__SHARD_HEAD_BYTES, HEAD_LENGTH = 4, HEAD_ATTEMPT = 5, HEAD_ZERO = 6 };

#define KEYS_MAX ((uint64_t)1 << 40)

typedef struct fuse {
    ink_sketch       base;
    ink__payload     cells;
    ink__promise     promise;
    uint64_t         payload_bytes;
    unsigned         bits, shard_bits;
    ink__fuse_place *places; /* of all shards: the one below, or allocated */
    ink__fuse_place  only;
} fuse;

INK__PAYLOAD_IS_SECOND(fuse, cells);

/* ---- Sizes -------------------------------------------------------------------------------- */

static double rate_of_bits(unsigned bits)
{
    return 1 / (double)((uint64_t)1 << bits);
}

/* The fewest bits that keep a rate. */
static unsigned bits_of_rate(double rate)
{
    unsigned bits = 0;

    while (bits <= INK__FUSE_BITS_MAX && rate_of_bits(bits) > rate)
        bits++;
    return bits;
}

static uint64_t heads_bytes(uint64_t keys)
{
    return (uint64_t)HEAD_BYTES << ink__fuse_shard_bits(keys);
}

/* As if all shards had the same number of keys. */
static ink_status fuse_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                            ink_error *error)
{
    const uint64_t keys = params->expected_keys;
    const double   asked = params->false_positive_rate;
    const double   rate = asked == 0 ? INK__DEFAULT_RATE : asked;
    const unsigned bits = rate > 0 ? bits_of_rate(rate) : 0;

    (void)rule;
    if (keys == 0 || keys > KEYS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{expected_keys} %llu, expected 1 to 2^40 for %s",
                         (unsigned long long)keys, params->kind);
    if (bits < INK__FUSE_BITS_MIN || bits > INK__FUSE_BITS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{false_positive_rate} %g, expected %g to less than %g for %s", rate,
                         rate_of_bits(INK__FUSE_BITS_MAX), rate_of_bits(INK__FUSE_BITS_MIN - 1),
                         params->kind);
    const ink__promise    promise = {keys, rate, rate_of_bits(bits)};
    const unsigned        shard_bits = ink__fuse_shard_bits(keys);
    const ink__fuse_shard shard = ink__fuse_shard_plan((keys >> shard_bits) + (shard_bits > 0));
    ink__promise_store(&promise, shape);
    shape->fields[FIELD_BITS] = bits;
    shape->payload_bytes = (ink__fuse_bytes(&shard, bits) + HEAD_BYTES) << shard_bits;
    return INK_OK;
}

static ink_status fuse_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error)
{
    const ink__promise of = ink__promise_of(shape);
    const uint64_t     bits = shape->fields[FIELD_BITS];

    (void)rule;
    if (of.expected_keys > KEYS_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, 0,
                         "a fuse of %llu keys, expected at most 2^40",
                         (unsigned long long)of.expected_keys);
    INK__TRY(ink__promise_check(shape, error));
    if (bits < INK__FUSE_BITS_MIN || bits > INK__FUSE_BITS_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_BITS,
                         "fingerprints of %llu bits, expected %d to %d", (unsigned long long)bits,
                         INK__FUSE_BITS_MIN, INK__FUSE_BITS_MAX);
    if (of.promised != rate_of_bits((unsigned)bits))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, 2, "promised rate %g, expected 2^-%llu",
                         of.promised, (unsigned long long)bits);
    if (!(of.target > 0) || bits_of_rate(of.target) != bits)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, 1,
                         "target rate %g, expected one that takes fingerprints of %llu bits",
                         of.target, (unsigned long long)bits);
    if (shape->payload_bytes < heads_bytes(of.expected_keys))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "a fuse of %llu bytes, expected at least %llu for %llu keys",
                         (unsigned long long)shape->payload_bytes,
                         (unsigned long long)heads_bytes(of.expected_keys),
                         (unsigned long long)of.expected_keys);
    return INK_OK;
}

static void fuse_describe(const ink__shape *shape, ink_description *description)
{
    ink__promise_describe(shape, description);
    description->bits = shape->payload_bytes * 8;
    description->hashes = INK__FUSE_WAYS;
}

/* ---- Heads -------------------------------------------------------------------------------- */

static ink_status check_head(const ink__fuse_shard *shard, unsigned zero, uint64_t at,
                             ink_error *error)
{
    const bool none = shard->segments == 0 && (shard->length_bits != 0 || shard->attempt != 0);

    if (shard->segments <= INK__FUSE_SEGMENTS_MAX &&
        shard->length_bits <= INK__FUSE_LENGTH_BITS_MAX && zero == 0 && !none)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, at,
                     "a shard of %u segments of 2^%u slots, attempt %u, then %u; expected at most "
                     "%d of 2^%d, then 0, and nothing else for none",
                     shard->segments, shard->length_bits, shard->attempt, zero,
                     INK__FUSE_SEGMENTS_MAX, INK__FUSE_LENGTH_BITS_MAX);
}

/* Checks all heads of a payload, and notes the places unless `places` is NULL. */
static ink_status read_heads(const ink__shape *shape, const uint8_t *payload,
                             ink__fuse_place *places, ink_error *error)
{
    const unsigned bits = (unsigned)shape->fields[FIELD_BITS];
    const uint64_t keys = shape->fields[0], heads = heads_bytes(keys);
    const uint64_t room = shape->payload_bytes - heads;
    uint64_t       used = 0;

    for (uint64_t i = 0; i < heads / HEAD_BYTES; i++) {
        const uint64_t        at = room + i * HEAD_BYTES;
        const uint8_t        *head = payload + at;
        const ink__fuse_shard shard = {ink__load_u32(head), head[HEAD_LENGTH], head[HEAD_ATTEMPT]};
        INK__TRY(check_head(&shard, ink__load_u16(head + HEAD_ZERO), at, error));
        const uint64_t bytes = ink__fuse_bytes(&shard, bits);
        if (bytes > room - used)
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, at,
                             "a shard of %llu bytes, expected at most the %llu that are left",
                             (unsigned long long)bytes, (unsigned long long)(room - used));
        if (places != NULL)
            places[i] = (ink__fuse_place){
                .first_bit = 8 * used,
                .seed = ink__fuse_seed(shard.attempt),
                .segments = shard.segments,
                .length_bits = shard.length_bits,
                .scattered = shard.attempt >= INK__FUSE_SCATTERED,
            };
        used += bytes;
    }
    if (used == room && (used == 0) == (keys == 0))
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, used,
                     "%llu bytes of fingerprints for %llu keys, expected %llu by the heads",
                     (unsigned long long)room, (unsigned long long)keys, (unsigned long long)used);
}

static ink_status fuse_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                     const uint8_t *payload, ink_error *error)
{
    (void)rule;
    return read_heads(shape, payload, NULL, error);
}

static uint64_t places_bytes(const fuse *f)
{
    return f->places == NULL || f->places == &f->only ? 0
                                                      : sizeof(ink__fuse_place) << f->shard_bits;
}

static ink_status fuse_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                            ink_error *error)
{
    fuse *f = (fuse *)sketch;

    f->promise = ink__promise_of(shape);
    f->payload_bytes = shape->payload_bytes;
    f->bits = (unsigned)shape->fields[FIELD_BITS];
    f->shard_bits = ink__fuse_shard_bits(f->promise.expected_keys);
    if (f->shard_bits > 0)
        INK__TRY(ink__allocate_zeroed(&sketch->allocator, sizeof(ink__fuse_place) << f->shard_bits,
                                      &f->places, error));
    else
        f->places = &f->only;
    INK__TRY(ink__payload_start(sketch, shape->payload_bytes, payload, error));
    return payload == NULL ? INK_OK : read_heads(shape, f->cells.data, f->places, error);
}

static ink_status fuse_take(ink_sketch *sketch, const ink__shape *shape, uint64_t at,
                            const uint8_t *bytes, uint64_t count, ink_error *error)
{
    fuse *f = (fuse *)sketch;

    if (count > 0)
        memcpy(f->cells.block.data + at, bytes, (size_t)count);
    return at + count < shape->payload_bytes ? INK_OK
                                             : read_heads(shape, f->cells.data, f->places, error);
}

static void fuse_release(ink_sketch *sketch)
{
    fuse *f = (fuse *)sketch;

    ink__release(&sketch->allocator, places_bytes(f) == 0 ? NULL : f->places, places_bytes(f));
    ink__payload_release(sketch);
}

static uint64_t fuse_memory(const ink_sketch *sketch)
{
    return ink__payload_memory(sketch) + places_bytes((const fuse *)sketch);
}

static void fuse_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const fuse *f = (const fuse *)sketch;

    ink__promise_store(&f->promise, shape);
    shape->fields[FIELD_BITS] = f->bits;
    shape->payload_bytes = f->payload_bytes;
}

/* ---- Construction ------------------------------------------------------------------------- */

static ink_status build_shard(const ink__shape *shape, const uint64_t *hashes, size_t count,
                              ink__fuse_room *room, const ink_allocator *allocator,
                              ink__shard *shard, ink_error *error)
{
    const unsigned  bits = (unsigned)shape->fields[FIELD_BITS];
    ink__fuse_shard built;

    INK__TRY(ink__fuse_shard_build(room, &built, hashes, count,
                                   ink__fuse_shard_bits(shape->fields[0]), allocator, error));
    shard->count = ink__fuse_bytes(&built, bits);
    if (shard->count > 0) {
        INK__TRY(ink__allocate(allocator, shard->count, &shard->bytes, error));
        ink__fuse_shard_pack(room, &built, bits, shard->bytes);
    }
    ink__store_u32(shard->head, built.segments);
    shard->head[HEAD_LENGTH] = built.length_bits;
    shard->head[HEAD_ATTEMPT] = built.attempt;
    ink__store_u16(shard->head + HEAD_ZERO, 0);
    return INK_OK;
}

/* It has no room for any key. */
static ink_status fuse_reserve(ink_sketch *sketch, const ink__keys *keys, ink_error *error)
{
    (void)sketch;
    (void)keys;
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "a fuse never changes: build one of all keys, from several inputs at once");
}

static const ink__whole_rules whole = {
    .shard_bits = ink__fuse_shard_bits,
    .build = build_shard,
};

/* ---- Questions ---------------------------------------------------------------------------- */

/* 8 bytes are read from the first one of a slot on: after the last slot there is a head. */
static void fuse_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const fuse            *f = (const fuse *)sketch;
    const ink__fuse_filter filter = {
        .data = f->cells.data,
        .places = f->places,
        .bits = f->bits,
        .shard_bits = f->shard_bits,
        .far = f->payload_bytes >= ink__tuning_now().l2_bytes,
    };

    sketch->kernels->fuse_test(&filter, keys->hashes, keys->count, answers);
}

/* The different hashes were counted: keys are more only by those that share one. */
static void fuse_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const fuse  *f = (const fuse *)sketch;
    const double keys = (double)f->promise.expected_keys, shared = keys * keys * 0x1p-65;

    answer->estimate = answer->low = answer->high = keys;
    if (shared > 0x1p-10)
        answer->high += shared + z * ink__sqrt(shared) + 1;
}

static double fuse_rate(const ink_sketch *sketch)
{
    const fuse *f = (const fuse *)sketch;

    return f->promise.expected_keys == 0 ? 0 : f->promise.promised;
}

const ink__kind ink__fuse = {
    .name = "fuse",
    .id = 10,
    .layout = 1,
    .takes = INK__TAKES_KEYS | INK__TAKES_RATE,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_MEMBER] = 1, [INK_ASK_DISTINCT] = 1},
    .order_free = true,
    .rising = true,
    .object_bytes = sizeof(fuse),
    .position_rules = {[INK__SCHEME_HASH64] = INK__RULE_FUSE},
    .whole = &whole,
    .plan = fuse_plan,
    .check = fuse_check,
    .check_payload = fuse_check_payload,
    .describe = fuse_describe,
    .load = fuse_load,
    .take = fuse_take,
    .release = fuse_release,
    .memory = fuse_memory,
    .shape = fuse_shape,
    .payload = ink__payload_in_place,
    .reserve = fuse_reserve,
    .contains = fuse_contains,
    .distinct = fuse_distinct,
    .rate = fuse_rate,
};
