/* rule.c - key rules: names and ids of hashes, which of them go with which keys, and hashing. */
#include "hash/rule.h"

#include "base/bits.h"
#include "base/mix.h"
#include "base/status.h"
#include "base/text.h"
#include "hash/hashes.h"

#include <string.h>

/* Every hash that a caller can name. */
static const struct hash_name {
    const char      *name;
    ink__hash_id     id;
    ink__hash_scheme scheme;
    bool             ints; /* also for integer keys, as their 8 bytes little-endian */
    uint64_t         seed; /* the default */
    uint64_t         seed_max;
} hash_names[] = {
    {"xxh3", INK__HASH_XXH3, INK__SCHEME_HASH64, true, INK__DEFAULT_SEED, UINT64_MAX},
    {"mix64", INK__HASH_MIX64, INK__SCHEME_HASH64, true, INK__DEFAULT_SEED, UINT64_MAX},
    {"siphash", INK__HASH_SIPHASH, INK__SCHEME_HASH64, true, 0, 0},
    {"xxh64", INK__HASH_XXH64, INK__SCHEME_HASH64, true, 0, UINT64_MAX},
    {"mmh3", INK__HASH_MURMUR3_X86_32, INK__SCHEME_SEEDED, false, 0, UINT32_MAX},
    {"mmh3-signed", INK__HASH_MURMUR3_X86_32, INK__SCHEME_SEEDED_SIGNED, false, 0, UINT32_MAX},
    {"murmur64a", INK__HASH_MURMUR64A, INK__SCHEME_HASH64, true, 0, UINT64_MAX},
    {"murmur3-128", INK__HASH_MURMUR3_X64_128, INK__SCHEME_HASH64, true, 0, UINT64_MAX},
};
enum { HASH_NAMES = sizeof hash_names / sizeof hash_names[0] };

const char *ink_hash_name(size_t index)
{
    return index < HASH_NAMES ? hash_names[index].name : NULL;
}

/* By an id that exists, and by scheme where the id occurs twice. */
static const struct hash_name *named(ink__hash_id id, ink__hash_scheme scheme)
{
    const struct hash_name *name = hash_names;

    while (name->id != id || (name->scheme != scheme && scheme != INK__SCHEME_HASH64))
        name++;
    return name;
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
                         "murmur64a or murmur3-128",
                         quoted);
    }
    if ((found->id == INK__HASH_SIPHASH) != (params->secret != NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         params->secret == NULL ? "{hash} siphash needs a {secret}"
                                                : "a {secret} goes with {hash} siphash only");
    if (params->key_type == INK_KEY_INT && !found->ints)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{hash} %s takes bytes keys, not int",
                         name);
    if (params->key_type == INK_KEY_BYTES && found->id == INK__HASH_MIX64)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{hash} mix64 takes int keys, not bytes");

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
                         "hash 0, expected 1 to %d", INK__HASH_MURMUR3_X64_128);
    if (hash > INK__HASH_MURMUR3_X64_128)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, INK__RULE_HASH,
                         "hash %llu is unknown: a newer library is needed",
                         (unsigned long long)hash);
    const struct hash_name *found = named((ink__hash_id)hash, INK__SCHEME_HASH64);
    if (type == INK_KEY_INT ? !found->ints : found->id == INK__HASH_MIX64)
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
    return position_rule == INK__RULE_SEEDED          ? INK__SCHEME_SEEDED
           : position_rule == INK__RULE_SEEDED_SIGNED ? INK__SCHEME_SEEDED_SIGNED
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

ink_status ink__rule_match(const ink__key_rule *a, const ink__key_rule *b, ink_error *error)
{
    if (a->type != b->type)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "key types differ: %s and %s; build both with the same {key_type}",
                         type_name(a->type), type_name(b->type));
    if (a->hash != b->hash || a->scheme != b->scheme)
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
    if (rule->scheme != INK__SCHEME_HASH64)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "hash %s has no 64 bits: it needs the keys themselves",
                         ink__rule_hash_name(rule));
    return INK_OK;
}

uint64_t ink__rule_hash_bytes(const ink__key_rule *rule, const uint8_t *key, size_t bytes)
{
    uint64_t wide[2];

    switch (rule->hash) {
    case INK__HASH_SIPHASH:
        return ink__siphash(rule->secret, key, bytes);
    case INK__HASH_XXH64:
        return ink__xxh64(key, bytes, rule->seed);
    case INK__HASH_MURMUR64A:
        return ink__murmur64a(key, bytes, rule->seed);
    case INK__HASH_MURMUR3_X64_128:
        ink__murmur3_x64_128(key, bytes, rule->seed, wide);
        return wide[0];
    default:
        return ink__xxh3(key, bytes, rule->seed);
    }
}

uint64_t ink__rule_hash_int(const ink__key_rule *rule, int64_t key)
{
    uint8_t bytes[8];

    if (rule->hash == INK__HASH_MIX64)
        return ink__mix64((uint64_t)key ^ ink__mix64(rule->seed));
    ink__store_u64(bytes, (uint64_t)key);
    return ink__rule_hash_bytes(rule, bytes, sizeof bytes);
}

void ink__rule_hash_bytes_batch(const ink__key_rule *rule, const ink__kernels *kernels,
                                const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                                size_t count, uint64_t *hashes)
{
    if (rule->hash == INK__HASH_XXH3) {
        kernels->xxh3_batch(bytes, starts, ends, count, rule->seed, hashes);
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
    if (rule->hash == INK__HASH_MURMUR3_X64_128) {
        kernels->murmur3_ints(keys, count, rule->seed, hashes);
        return;
    }
    for (size_t i = 0; i < count; i++)
        hashes[i] = ink__rule_hash_int(rule, keys[i]);
}
