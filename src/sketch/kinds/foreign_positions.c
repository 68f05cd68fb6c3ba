/* foreign_positions.c - positions in the filters of other systems, and their sizes. */
#include "sketch/kinds/foreign_positions.h"

#include "base/mix.h"
#include "base/real.h"
#include "hash/hashes.h"

#include <string.h>

#define LN2 0.6931471805599453

/* ---- Positions ---------------------------------------------------------------------------- */

static const uint8_t *key_at(const ink__keys *keys, size_t key, size_t *bytes)
{
    *bytes = (size_t)(keys->ends[key] - keys->starts[key]);
    return ink__key_at(keys->bytes, keys->starts[key]);
}

static int64_t int_at(const ink__keys *keys, size_t key)
{
    return keys->ints != NULL ? keys->ints[key] : (int64_t)ink__unmix64(keys->hashes[key]);
}

/* The two words of a key that needs itself. */
static void pair_of(const ink__key_rule *rule, const ink__keys *keys, size_t key, uint64_t pair[2])
{
    uint8_t        number[8];
    const uint8_t *bytes = number;
    size_t         count;

    if (rule->type != INK_KEY_INT)
        bytes = key_at(keys, key, &count);
    else if (rule->hash == INK__HASH_MURMUR3_X64_128) {
        ink__murmur3_of_u64((uint64_t)int_at(keys, key), rule->seed, pair);
        return;
    } else
        count = ink__rule_int_bytes(rule, int_at(keys, key), number);
    ink__rule_pair(rule, bytes, count, pair);
}

static uint64_t with_sign(uint64_t half)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)half;
}

/* A walk before its first position. */
static inline __attribute__((always_inline)) ink__bit_walk
start_of(const ink__key_rule *rule, const ink__keys *keys, size_t key, ink__hash_scheme scheme)
{
    uint64_t pair[2];

    switch (scheme) {
    case INK__SCHEME_SPARK_V1:
        return (ink__bit_walk){keys->hashes[key] >> 32, keys->hashes[key] & UINT32_MAX};
    case INK__SCHEME_GUAVA_32:
        return (ink__bit_walk){keys->hashes[key] & UINT32_MAX, keys->hashes[key] >> 32};
    case INK__SCHEME_SPARK_V2:
        return (ink__bit_walk){with_sign(keys->hashes[key] >> 32) * INT32_MAX,
                               with_sign(keys->hashes[key])};
    case INK__SCHEME_DCSO:
        return (ink__bit_walk){ink__unmix64(keys->hashes[key]), 0};
    case INK__SCHEME_GUAVA_64:
    case INK__SCHEME_REDISBLOOM: /* the first position is before the first step */
        pair_of(rule, keys, key, pair);
        return (ink__bit_walk){pair[0] - pair[1], pair[1]};
    case INK__SCHEME_DATASKETCHES:
        pair_of(rule, keys, key, pair);
        return (ink__bit_walk){pair[0], pair[1]};
    case INK__SCHEME_SEEDED:
    case INK__SCHEME_SEEDED_SIGNED:
        return (ink__bit_walk){rule->seed, 1};
    default: /* hadoop: each hash is the seed of the next */
        return (ink__bit_walk){0, 0};
    }
}

/* A loop, compiled for each rule. */
#define START(name)                                                                                \
    case INK__SCHEME_##name:                                                                       \
        for (size_t j = 0; j < count; j++)                                                         \
            walks[j] = start_of(rule, keys, first + j, INK__SCHEME_##name);                        \
        break

void ink__bit_walks_start(ink__bit_walk *walks, const ink__key_rule *rule, const ink__keys *keys,
                          size_t first, size_t count)
{
    if (keys->walks != NULL) {
        memcpy(walks, keys->walks + first, count * sizeof *walks);
        return;
    }
    switch (rule->scheme) {
        START(SPARK_V1);
        START(GUAVA_32);
        START(GUAVA_64);
    default:
        for (size_t j = 0; j < count; j++)
            walks[j] = start_of(rule, keys, first + j, rule->scheme);
        break;
    }
}

void ink__bit_walk_skip(ink__bit_walk *walk, const ink__filter *filter, uint32_t count)
{
    if (filter->base.rule.scheme != INK__SCHEME_DCSO)
        walk->at += count * walk->step;
    else
        for (uint32_t i = 0; i < count; i++)
            walk->at = ink__dcso_next(walk->at);
}

/* Below 2^31: a negative number of 32 bits is inverted. */
static uint64_t inverted_32(uint64_t number)
{
    const int32_t half = (int32_t)(uint32_t)number;

    return (uint32_t)(half < 0 ? ~half : half);
}

/* Of a number with a sign, as Python has it (that of the divisor) or as Java has it, made positive.
 */
static uint64_t signed_remainder(uint32_t number, uint64_t size, bool python)
{
    const int64_t rest = (int64_t)(int32_t)number % (int64_t)size;

    return (uint64_t)(rest >= 0 ? rest : python ? rest + (int64_t)size : -rest);
}

/* One step of the walk of a rule whose keys are not needed. */
static inline __attribute__((always_inline)) uint64_t next_number(ink__bit_walk   *walk,
                                                                  ink__hash_scheme scheme)
{
    if (scheme == INK__SCHEME_DCSO)
        return walk->at = ink__dcso_next(walk->at);
    walk->at += walk->step;
    switch (scheme) {
    case INK__SCHEME_SPARK_V2:
        return walk->at >> 63 ? ~walk->at : walk->at;
    case INK__SCHEME_GUAVA_64:
        return walk->at & INT64_MAX;
    case INK__SCHEME_REDISBLOOM:
        return walk->at;
    case INK__SCHEME_DATASKETCHES:
        return walk->at >> 1;
    default: /* spark-v1, guava-32 */
        return inverted_32(walk->at);
    }
}

/* The next position from the key itself. */
static uint64_t next_of_key(ink__bit_walk *walk, const ink__filter *filter, const ink__keys *keys,
                            size_t key)
{
    const ink__key_rule *rule = &filter->base.rule;
    size_t               count;
    const uint8_t       *bytes = key_at(keys, key, &count);
    uint32_t             hash;

    if (rule->scheme == INK__SCHEME_HADOOP) {
        hash = rule->hash == INK__HASH_HADOOP_JENKINS
                   ? ink__jenkins(bytes, count, (uint32_t)walk->at)
                   : ink__hadoop_murmur(bytes, count, (uint32_t)walk->at);
        walk->at = hash;
        return signed_remainder(hash, filter->size, false);
    }
    hash = ink__murmur3_x86_32(bytes, count, (uint32_t)walk->at++);
    return rule->scheme == INK__SCHEME_SEEDED ? ink__filter_remainder(filter, hash)
                                              : signed_remainder(hash, filter->size, true);
}

#define WALK(name)                                                                                 \
    case INK__SCHEME_##name:                                                                       \
        for (size_t j = 0; j < count; j++)                                                         \
            positions[j] =                                                                         \
                ink__filter_remainder(filter, next_number(&walks[listed[j]], INK__SCHEME_##name)); \
        break

void ink__bit_walks_next(ink__bit_walk *walks, const ink__filter *filter, const ink__keys *keys,
                         size_t first, const uint32_t *listed, size_t count, uint64_t *positions)
{
    switch (filter->base.rule.scheme) {
        WALK(SPARK_V1);
        WALK(SPARK_V2);
        WALK(GUAVA_32);
        WALK(GUAVA_64);
        WALK(REDISBLOOM);
        WALK(DATASKETCHES);
        WALK(DCSO);
    default:
        for (size_t j = 0; j < count; j++)
            positions[j] = next_of_key(&walks[listed[j]], filter, keys, first + listed[j]);
        break;
    }
}

/* ---- Sizes -------------------------------------------------------------------------------- */

uint64_t ink__foreign_reach(ink__hash_scheme scheme)
{
    switch (scheme) {
    case INK__SCHEME_SPARK_V1:
    case INK__SCHEME_GUAVA_32:
    case INK__SCHEME_HADOOP: /* its size is an int of Java */
        return UINT64_C(1) << 31;
    case INK__SCHEME_SEEDED:
    case INK__SCHEME_SEEDED_SIGNED: /* a 32-bit hash reaches no further */
        return UINT64_C(1) << 32;
    default:
        return UINT64_MAX;
    }
}

/* Halves go up, as Java's Math.round does it. */
static uint32_t rounded(double x)
{
    return x < 0.5 ? 1 : x >= UINT32_MAX ? UINT32_MAX : (uint32_t)(x + 0.5);
}

bool ink__foreign_size(ink__hash_scheme scheme, uint64_t keys, double rate, uint64_t *bits,
                       uint32_t *hashes)
{
    const double n = (double)keys, each = -ink__ln(rate) / (LN2 * LN2);
    /* The order of operations is theirs, too. */
    const double m = scheme == INK__SCHEME_REDISBLOOM ? n * each : n * -ink__ln(rate) / (LN2 * LN2);
    uint64_t     size = m < 0x1p63 ? (uint64_t)m : UINT64_C(1) << 63; /* rounded down */

    switch (scheme) {
    case INK__SCHEME_SPARK_V1:
    case INK__SCHEME_SPARK_V2:
        *hashes = rounded((double)size / n * LN2);
        break;
    case INK__SCHEME_GUAVA_32:
    case INK__SCHEME_GUAVA_64: /* as from 33.4 on */
        *hashes = rounded(-ink__ln(rate) / LN2);
        break;
    case INK__SCHEME_REDISBLOOM:
        *hashes = (uint32_t)ink__whole_up(each * LN2);
        break;
    case INK__SCHEME_DATASKETCHES:
        size = m < 0x1p63 ? ink__whole_up(m) : size;
        *hashes = (uint32_t)ink__whole_up(-ink__ln(rate) / LN2);
        break;
    case INK__SCHEME_HADOOP: /* Hadoop leaves both to the caller */
        *hashes = rounded((double)size / n * LN2);
        *bits = size == 0 ? 1 : size;
        return true;
    case INK__SCHEME_DCSO:
        *bits = size == 0 ? 1 : size;
        *hashes = (uint32_t)ink__whole_up((double)*bits * LN2 / n);
        return true;
    default:
        return false;
    }
    *bits = size == 0 ? 64 : size < UINT64_C(1) << 62 ? (size + 63) / 64 * 64 : size;
    return true;
}
