/* rule.c - key rules: names and ids of hashes, which of them go with which keys, and hashing. */
#include "hash/rule.h"

#include "base/bits.h"
#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"
#include "hash/foreign_hashes.h"
#include "hash/hashes.h"

#include <string.h>

/* The keys that a hash takes; ints as their 8 bytes little-endian, unless its name says otherwise.
 */
enum { BYTES = 1, INTS = 2, BOTH = BYTES | INTS };

/* Every hash that a caller can name. The first of an id names it where no scheme is known. */
static const struct hash_name {
    const char      *name;
    ink__hash_id     id;
    ink__hash_scheme scheme;
    unsigned         takes;
    uint64_t         seed; /* the default */
    uint64_t         seed_max;
} hash_names[] = {
    {"xxh3", INK__HASH_XXH3, INK__SCHEME_HASH64, BOTH, INK__DEFAULT_SEED, UINT64_MAX},
    {"mix64", INK__HASH_MIX64, INK__SCHEME_HASH64, INTS, INK__DEFAULT_SEED, UINT64_MAX},
    {"siphash", INK__HASH_SIPHASH, INK__SCHEME_HASH64, BOTH, 0, 0},
    {"xxh64", INK__HASH_XXH64, INK__SCHEME_HASH64, BOTH, 0, UINT64_MAX},
    {"mmh3", INK__HASH_MURMUR3_X86_32, INK__SCHEME_SEEDED, BYTES, 0, UINT32_MAX},
    {"mmh3-signed", INK__HASH_MURMUR3_X86_32, INK__SCHEME_SEEDED_SIGNED, BYTES, 0, UINT32_MAX},
    {"murmur64a", INK__HASH_MURMUR64A, INK__SCHEME_HASH64, BOTH, 0, UINT64_MAX},
    {"murmur3-128", INK__HASH_MURMUR3_X64_128, INK__SCHEME_HASH64, BOTH, 0, UINT64_MAX},
    /* of other systems */
    {"xxh64-int32", INK__HASH_XXH64_INT32, INK__SCHEME_HASH64, INTS, 0, UINT64_MAX},
    {"spark-v2", INK__HASH_SPARK, INK__SCHEME_SPARK_V2, BOTH, 0, UINT32_MAX},
    {"spark-v1", INK__HASH_SPARK, INK__SCHEME_SPARK_V1, BOTH, 0, 0},
    {"spark-count-min", INK__HASH_SPARK_ROWS, INK__SCHEME_SPARK_ROWS, BOTH, 0,
     INK__JAVA_STATES - 1},
    {"guava", INK__HASH_MURMUR3_X64_128, INK__SCHEME_GUAVA_64, BOTH, 0, 0},
    {"guava-int", INK__HASH_MURMUR3_X64_128_INT32, INK__SCHEME_GUAVA_64, INTS, 0, 0},
    {"guava-chars", INK__HASH_MURMUR3_X64_128_UTF16, INK__SCHEME_GUAVA_64, BYTES, 0, 0},
    {"guava-32", INK__HASH_MURMUR3_X64_128, INK__SCHEME_GUAVA_32, BOTH, 0, 0},
    {"guava-32-int", INK__HASH_MURMUR3_X64_128_INT32, INK__SCHEME_GUAVA_32, INTS, 0, 0},
    {"guava-32-chars", INK__HASH_MURMUR3_X64_128_UTF16, INK__SCHEME_GUAVA_32, BYTES, 0, 0},
    {"hadoop", INK__HASH_HADOOP_MURMUR, INK__SCHEME_HADOOP, BYTES, 0, 0},
    {"hadoop-jenkins", INK__HASH_HADOOP_JENKINS, INK__SCHEME_HADOOP, BYTES, 0, 0},
    {"redisbloom", INK__HASH_MURMUR64A, INK__SCHEME_REDISBLOOM, BYTES, 0xc6a4a7935bd1e995u,
     UINT64_MAX},
    {"redisbloom-cms", INK__HASH_MURMUR2, INK__SCHEME_REDISBLOOM_ROWS, BYTES, 0, 0},
    {"redis-hll", INK__HASH_REDIS_HLL, INK__SCHEME_HASH64, BYTES, 0xadc83b19u, UINT64_MAX},
    {"postgresql-hll", INK__HASH_POSTGRESQL, INK__SCHEME_POSTGRESQL, BOTH, 0, UINT64_MAX},
    {"postgresql-hll-int4", INK__HASH_POSTGRESQL_INT4, INK__SCHEME_POSTGRESQL, INTS, 0, UINT64_MAX},
    {"dcso", INK__HASH_DCSO, INK__SCHEME_DCSO, BYTES, 0, 0},
    {"datasketches-bloom", INK__HASH_XXH64, INK__SCHEME_DATASKETCHES, BOTH, 9001, UINT64_MAX},
    {"datasketches-hll", INK__HASH_COUPON, INK__SCHEME_COUPON, BOTH, 9001, UINT64_MAX},
    {"datasketches-theta", INK__HASH_MURMUR3_X64_128, INK__SCHEME_THETA, BOTH, 9001, UINT64_MAX},
};
enum { HASH_NAMES = sizeof hash_names / sizeof hash_names[0] };

const char *ink_hash_name(size_t index)
{
    return index < HASH_NAMES ? hash_names[index].name : NULL;
}

/* NULL if there is none; without a scheme, the first of the id. */
static const struct hash_name *named(ink__hash_id id, ink__hash_scheme scheme)
{
    for (const struct hash_name *name = hash_names; name < hash_names + HASH_NAMES; name++)
        if (name->id == id && (name->scheme == scheme || scheme == INK__SCHEME_HASH64))
            return name;
    return NULL;
}

bool ink__rule_has_scheme(const ink__key_rule *rule)
{
    const struct hash_name *found = named(rule->hash, rule->scheme);

    return found != NULL && found->scheme == rule->scheme &&
           (found->takes & (rule->type == INK_KEY_INT ? INTS : BYTES)) != 0 &&
           rule->seed <= found->seed_max;
}

const char *ink__rule_hash_name(const ink__key_rule *rule)
{
    return named(rule->hash, rule->scheme)->name;
}

static const char *type_name(ink_key_type type)
{
    return type == INK_KEY_INT ? "int" : "bytes";
}

static void set_secret(ink__key_rule *rule, const uint8_t secret[INK_SECRET_BYTES])
{
    static const uint8_t text[] = "inkling: is this the secret?";

    rule->secret[0] = ink__load_u64(secret);
    rule->secret[1] = ink__load_u64(secret + 8);
    rule->check = ink__siphash(rule->secret, text, sizeof text - 1);
    rule->has_secret = true;
}

ink_status ink__rule_create(ink__key_rule *rule, const ink_params *params, ink_error *error)
{
    const struct hash_name *found = NULL;
    const char             *name = params->hash;
    char                    quoted[64];

    if (params->key_type != INK_KEY_BYTES && params->key_type != INK_KEY_INT)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{key_type} %d, expected 0 (bytes) or 1 (int)", (int)params->key_type);
    if (name == NULL)
        name = params->secret != NULL            ? "siphash"
               : params->key_type == INK_KEY_INT ? "mix64"
                                                 : "xxh3";
    for (int i = 0; i < HASH_NAMES; i++)
        if (strcmp(hash_names[i].name, name) == 0)
            found = &hash_names[i];
    if (found == NULL) {
        ink__quote(quoted, sizeof quoted, name, strlen(name));
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{hash} \"%s\", expected xxh3, mix64, siphash, xxh64, mmh3, mmh3-signed, "
                         "murmur64a, murmur3-128 or one of another system",
                         quoted);
    }
    if ((found->id == INK__HASH_SIPHASH) != (params->secret != NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         params->secret == NULL ? "{hash} siphash needs a {secret}"
                                                : "a {secret} goes with {hash} siphash only");
    if (params->key_type == INK_KEY_INT && (found->takes & INTS) == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{hash} %s takes bytes keys, not int",
                         name);
    if (params->key_type == INK_KEY_BYTES && (found->takes & BYTES) == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{hash} %s takes int keys, not bytes",
                         name);

    bool given = params->has_seed || params->seed != 0;
    if (params->seed > 0 && found->id == INK__HASH_SIPHASH)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{hash} siphash takes a {secret}, not a {seed}");
    if (given && params->seed > found->seed_max)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0, "{seed} %llu, expected 0 to %llu for hash %s",
            (unsigned long long)params->seed, (unsigned long long)found->seed_max, name);
    *rule = (ink__key_rule){
        .type = params->key_type,
        .hash = found->id,
        .scheme = found->scheme,
        .seed = given ? params->seed : found->seed,
    };
    if (params->secret != NULL)
        set_secret(rule, params->secret);
    return INK_OK;
}

ink_status ink__rule_read(ink__key_rule *rule, uint64_t type, uint64_t hash, uint64_t seed,
                          uint64_t check, ink_error *error)
{
    if (type != INK_KEY_BYTES && type != INK_KEY_INT)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__RULE_TYPE,
                         "key type %llu, expected 0 or 1", (unsigned long long)type);
    if (hash == 0) /* no id, of any version */
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__RULE_HASH,
                         "hash 0, expected 1 or more");
    const struct hash_name *found =
        hash > UINT16_MAX ? NULL : named((ink__hash_id)hash, INK__SCHEME_HASH64);
    if (found == NULL)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__RULE_HASH,
                         "hash %llu is unknown: a newer library is needed",
                         (unsigned long long)hash);
    if ((found->takes & (type == INK_KEY_INT ? INTS : BYTES)) == 0)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__RULE_HASH,
                         "hash %s does not go with %s keys", found->name,
                         type_name((ink_key_type)type));
    if (seed > found->seed_max)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__RULE_SEED,
                         "seed %llu, expected 0 to %llu for hash %s", (unsigned long long)seed,
                         (unsigned long long)found->seed_max, found->name);
    if (check != 0 && found->id != INK__HASH_SIPHASH)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__RULE_CHECK,
                         "check value of a secret, but hash %s has none", found->name);
    *rule = (ink__key_rule){
        .type = (ink_key_type)type,
        .hash = found->id,
        .scheme = found->scheme,
        .seed = seed,
        .check = check,
    };
    return INK_OK;
}

ink__hash_scheme ink__hash_scheme_of(unsigned position_rule)
{
    static const uint8_t schemes[] = {
        [INK__RULE_SEEDED] = INK__SCHEME_SEEDED,
        [INK__RULE_SEEDED_SIGNED] = INK__SCHEME_SEEDED_SIGNED,
        [INK__RULE_SPARK_V1] = INK__SCHEME_SPARK_V1,
        [INK__RULE_SPARK_V2] = INK__SCHEME_SPARK_V2,
        [INK__RULE_SPARK_ROWS] = INK__SCHEME_SPARK_ROWS,
        [INK__RULE_GUAVA_32] = INK__SCHEME_GUAVA_32,
        [INK__RULE_GUAVA_64] = INK__SCHEME_GUAVA_64,
        [INK__RULE_HADOOP] = INK__SCHEME_HADOOP,
        [INK__RULE_REDISBLOOM] = INK__SCHEME_REDISBLOOM,
        [INK__RULE_DCSO] = INK__SCHEME_DCSO,
        [INK__RULE_DATASKETCHES] = INK__SCHEME_DATASKETCHES,
        [INK__RULE_COUPON] = INK__SCHEME_COUPON,
        [INK__RULE_POSTGRESQL] = INK__SCHEME_POSTGRESQL,
        [INK__RULE_REDISBLOOM_ROWS] = INK__SCHEME_REDISBLOOM_ROWS,
    };

    return position_rule < sizeof schemes ? (ink__hash_scheme)schemes[position_rule]
                                          : INK__SCHEME_HASH64;
}

void ink__rule_wipe(ink__key_rule *rule)
{
    volatile uint64_t *secret = rule->secret;

    secret[0] = secret[1] = 0;
}

ink_status ink__rule_unlock(ink__key_rule *rule, const uint8_t secret[INK_SECRET_BYTES],
                            ink_error *error)
{
    ink__key_rule unlocked = *rule;

    if (rule->hash != INK__HASH_SIPHASH)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a secret was given, but the keys are hashed with %s, without one",
                         ink__rule_hash_name(rule));
    set_secret(&unlocked, secret);
    if (unlocked.check == rule->check)
        *rule = unlocked;
    ink__rule_wipe(&unlocked);
    if (unlocked.check != rule->check)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "another secret: its check value is %llx, the sketch has %llx",
                         (unsigned long long)unlocked.check, (unsigned long long)rule->check);
    return INK_OK;
}

/* Where files do not distinguish schemes, sketches do not either. */
static ink__hash_scheme filed_scheme(const ink__key_rule *rule)
{
    return rule->scheme == INK__SCHEME_THETA ? INK__SCHEME_HASH64 : rule->scheme;
}

ink_status ink__rule_match(const ink__key_rule *a, const ink__key_rule *b, ink_error *error)
{
    if (a->type != b->type)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "key types differ: %s and %s; build both with the same {key_type}",
                         type_name(a->type), type_name(b->type));
    if (a->hash != b->hash || filed_scheme(a) != filed_scheme(b))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "hashes differ: %s and %s",
                         ink__rule_hash_name(a), ink__rule_hash_name(b));
    if (a->seed != b->seed)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "seeds differ: 0x%llx and 0x%llx",
                         (unsigned long long)a->seed, (unsigned long long)b->seed);
    if (a->check != b->check)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "secrets differ: their check values are %llx and %llx",
                         (unsigned long long)a->check, (unsigned long long)b->check);
    return INK_OK;
}

ink_status ink__rule_can_hash(const ink__key_rule *rule, ink_error *error)
{
    if (rule->hash == INK__HASH_SIPHASH && !rule->has_secret)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "the keys are hashed with a secret: unlock the sketch with it first");
    if (ink__rule_needs_keys(rule))
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "hash %s has no 64 bits: it needs the keys themselves",
                         ink__rule_hash_name(rule));
    return INK_OK;
}

/* Of a hash that has two words. */
static void hash_wide(const ink__key_rule *rule, const uint8_t *key, size_t bytes, uint64_t wide[2])
{
    if (rule->hash == INK__HASH_MURMUR3_X64_128_UTF16)
        ink__murmur3_x64_128_utf16(key, bytes, rule->seed, wide);
    else
        ink__murmur3_x64_128(key, bytes, rule->seed, wide);
}

/* DataSketches has no value 0; of the last hash a theta never keeps the value. */
static uint64_t of_theta(uint64_t hash)
{
    return hash <= 1 ? UINT64_MAX : hash;
}

uint64_t ink__rule_hash_bytes(const ink__key_rule *rule, const uint8_t *key, size_t bytes)
{
    uint64_t wide[2];

    switch (rule->hash) {
    case INK__HASH_SIPHASH:
        return ink__siphash(rule->secret, key, bytes);
    case INK__HASH_XXH64:
    case INK__HASH_XXH64_INT32:
        return ink__xxh64(key, bytes, rule->seed);
    case INK__HASH_MURMUR64A:
        return ink__murmur64a(key, bytes, rule->seed);
    case INK__HASH_MURMUR3_X64_128:
    case INK__HASH_MURMUR3_X64_128_INT32:
    case INK__HASH_MURMUR3_X64_128_UTF16:
        hash_wide(rule, key, bytes, wide);
        if (rule->scheme == INK__SCHEME_THETA)
            return bytes == 0 ? UINT64_MAX : of_theta(wide[0]);
        return wide[0];
    case INK__HASH_SPARK:
        return ink__spark_pair(key, bytes, (uint32_t)rule->seed);
    case INK__HASH_SPARK_ROWS:
        return ink__spark_pair(key, bytes, 0);
    case INK__HASH_DCSO:
        return ink__mix64(ink__dcso(key, bytes)); /* short keys differ in the lower bits alone */
    case INK__HASH_REDIS_HLL:
        return ink__reversed(ink__murmur64a(key, bytes, rule->seed));
    case INK__HASH_POSTGRESQL:
    case INK__HASH_POSTGRESQL_INT4:
        ink__murmur3_x64_128(key, bytes, rule->seed, wide);
        return ink__reversed(wide[0]);
    case INK__HASH_COUPON:
        ink__murmur3_x64_128(key, bytes, rule->seed, wide);
        return bytes == 0 ? 0 : ink__coupon(wide);
    default:
        return ink__xxh3(key, bytes, rule->seed);
    }
}

size_t ink__rule_int_bytes(const ink__key_rule *rule, int64_t key, uint8_t bytes[8])
{
    const bool parquet = rule->hash == INK__HASH_XXH64_INT32; /* its columns may be unsigned, too */
    const bool narrow = parquet || rule->hash == INK__HASH_MURMUR3_X64_128_INT32 ||
                        rule->hash == INK__HASH_POSTGRESQL_INT4;

    ink__store_u64(bytes, (uint64_t)key);
    return narrow && (key == (int32_t)key || (parquet && key == (uint32_t)key)) ? 4 : 8;
}

void ink__rule_pair(const ink__key_rule *rule, const uint8_t *key, size_t bytes, uint64_t pair[2])
{
    if (rule->hash == INK__HASH_MURMUR64A) {
        pair[0] = ink__murmur64a(key, bytes, rule->seed);
        pair[1] = ink__murmur64a(key, bytes, pair[0]);
    } else if (rule->hash == INK__HASH_XXH64) {
        pair[0] = ink__xxh64(key, bytes, rule->seed);
        pair[1] = ink__xxh64(key, bytes, pair[0]);
    } else
        hash_wide(rule, key, bytes, pair);
}

/* Sketches hash the int itself: it is only mixed here. */
static bool hashes_itself(const ink__key_rule *rule)
{
    return rule->hash == INK__HASH_SPARK_ROWS || rule->scheme >= INK__SCHEME_SEEDED;
}

uint64_t ink__rule_hash_int(const ink__key_rule *rule, int64_t key)
{
    uint8_t bytes[8];

    if (rule->hash == INK__HASH_MIX64)
        return ink__mix64((uint64_t)key ^ ink__mix64(rule->seed));
    if (hashes_itself(rule))
        return ink__mix64((uint64_t)key);
    return ink__rule_hash_bytes(rule, bytes, ink__rule_int_bytes(rule, key, bytes));
}

void ink__rule_hash_bytes_batch(const ink__key_rule *rule, const ink__kernels *kernels,
                                const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                                size_t count, uint64_t *hashes)
{
    if (rule->hash == INK__HASH_XXH3) {
        kernels->xxh3_batch(bytes, starts, ends, count, rule->seed, hashes);
        return;
    }
    if (rule->hash == INK__HASH_SPARK) {
        ink__spark_pairs(bytes, starts, ends, count, (uint32_t)rule->seed, hashes);
        return;
    }
    for (size_t i = 0; i < count; i++)
        hashes[i] = ink__rule_hash_bytes(rule, ink__key_at(bytes, starts[i]),
                                         (size_t)(ends[i] - starts[i]));
}

void ink__rule_hash_int_batch(const ink__key_rule *rule, const ink__kernels *kernels,
                              const int64_t *keys, size_t count, uint64_t *hashes)
{
    if (rule->hash == INK__HASH_MIX64) {
        /* The seed is mixed first: small seeds would only permute a range of small integers. */
        kernels->mix_ints(keys, count, ink__mix64(rule->seed), hashes);
        return;
    }
    if (rule->hash == INK__HASH_MURMUR3_X64_128 && rule->scheme < INK__SCHEME_SEEDED) {
        kernels->murmur3_ints(keys, count, rule->seed, hashes);
        for (size_t i = 0; i < count && rule->scheme == INK__SCHEME_THETA; i++)
            hashes[i] = of_theta(hashes[i]);
        return;
    }
    if (rule->hash == INK__HASH_SPARK) {
        ink__spark_int_pairs(keys, count, (uint32_t)rule->seed, hashes);
        return;
    }
    if (hashes_itself(rule)) {
        kernels->mix_ints(keys, count, 0, hashes);
        return;
    }
    for (size_t i = 0; i < count; i++)
        hashes[i] = ink__rule_hash_int(rule, keys[i]);
}
