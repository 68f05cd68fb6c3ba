/* rule.h - the key rule of a sketch: the type of keys, the hash, and its seed or secret. Two
 * sketches can be combined only if their rules are equal. docs/keys.md specifies it.
 *
 * The folder src/hash turns keys into 64 bits. Read this header, then hashes.h. Sketches
 * call it. */
#ifndef INK_HASH_RULE_H
#define INK_HASH_RULE_H

#include "kernels/kernels.h"

/* The default seed of xxh3 and mix64: not 0, so that data partitioned by the same hash with the
 * usual seed does not correlate with ours. ASCII "inkling!" read big-endian. */
#define INK__DEFAULT_SEED 0x696e6b6c696e6721u

/* As in the file's header. */
typedef enum ink__hash_id {
    INK__HASH_XXH3 = 1,
    INK__HASH_MIX64 = 2,
    INK__HASH_SIPHASH = 3,
    INK__HASH_XXH64 = 4,
    INK__HASH_MURMUR3_X86_32 = 5, /* 32 bits: positions come from one hash each, see `scheme` */
    INK__HASH_MURMUR64A = 6,
    INK__HASH_MURMUR3_X64_128 = 7, /* its first 64 bits */
    /* Of other systems (foreign_hashes.h), each under the schemes in the table of rule.c. */
    INK__HASH_XXH64_INT32 = 16,           /* ints as 4 bytes, if they fit with or without a sign */
    INK__HASH_MURMUR3_X64_128_INT32 = 17, /* the same */
    INK__HASH_MURMUR3_X64_128_UTF16 = 18, /* UTF-8 text as little-endian UTF-16 */
    INK__HASH_SPARK = 19,                 /* a pair of 32 bits */
    INK__HASH_SPARK_ROWS = 20,            /* that pair; of ints mix64 */
    INK__HASH_HADOOP_MURMUR = 21,
    INK__HASH_HADOOP_JENKINS = 22,
    INK__HASH_DCSO = 23,            /* mix64 of FNV-1 */
    INK__HASH_REDIS_HLL = 24,       /* MurmurHash64A, reversed */
    INK__HASH_POSTGRESQL = 25,      /* Murmur3 x64-128, its first 64 bits reversed */
    INK__HASH_POSTGRESQL_INT4 = 26, /* the same, ints as 4 bytes if they fit */
    INK__HASH_COUPON = 27,          /* DataSketches' coupon of Murmur3 x64-128 */
    INK__HASH_MURMUR2 = 28,         /* 32 bits: each row has one of its own */
} ink__hash_id;

/* How positions come from keys: by the kind's own rule from 64 bits; as in another system, from 64
 * bits too; or, where 64 bits do not suffice, from the keys themselves. */
typedef enum ink__hash_scheme {
    INK__SCHEME_HASH64 = 0,
    INK__SCHEME_SPARK_V1,
    INK__SCHEME_SPARK_V2,
    INK__SCHEME_SPARK_ROWS,
    INK__SCHEME_GUAVA_32,
    INK__SCHEME_DCSO,
    INK__SCHEME_COUPON,
    INK__SCHEME_THETA, /* as HASH64, which files have; no value of a key that DataSketches skips */
    INK__SCHEME_POSTGRESQL,
    INK__SCHEME_SEEDED,        /* the hash with seed + i, modulo m; from here on keys are needed */
    INK__SCHEME_SEEDED_SIGNED, /* the same of the signed hash, rounded towards minus infinity */
    INK__SCHEME_GUAVA_64,
    INK__SCHEME_HADOOP,
    INK__SCHEME_REDISBLOOM,
    INK__SCHEME_DATASKETCHES,
    INK__SCHEME_REDISBLOOM_ROWS,
    INK__SCHEMES,
} ink__hash_scheme;

/* How positions in a sketch come from a hash or key, as docs/format.md numbers it. Kinds define
 * what they mean; the numbers are here because two of them imply a hash scheme. */
typedef enum ink__position_rule {
    INK__RULE_SPLIT_BLOCK = 1,
    INK__RULE_MIXED = 2,
    INK__RULE_SEEDED = 3,
    INK__RULE_SEEDED_SIGNED = 4,
    INK__RULE_REGISTER = 5,
    INK__RULE_ROWS = 6,
    INK__RULE_TAILS = 7,
    INK__RULE_KEPT = 8,
    INK__RULE_CHAIN = 9,
    INK__RULE_HALVED = 10,
    INK__RULE_FUSE = 11,
    INK__RULE_SPARK_V1 = 16,
    INK__RULE_SPARK_V2 = 17,
    INK__RULE_SPARK_ROWS = 18,
    INK__RULE_GUAVA_32 = 19,
    INK__RULE_GUAVA_64 = 20,
    INK__RULE_HADOOP = 21,
    INK__RULE_REDISBLOOM = 22,
    INK__RULE_DCSO = 23,
    INK__RULE_DATASKETCHES = 24,
    INK__RULE_COUPON = 25,
    INK__RULE_POSTGRESQL = 26,
    INK__RULE_REDISBLOOM_ROWS = 27,
} ink__position_rule;

typedef struct ink__key_rule {
    ink_key_type     type;
    ink__hash_id     hash;
    ink__hash_scheme scheme;
    bool             has_secret; /* a keyed rule read from a file has none until it is given */
    uint64_t         seed;
    uint64_t         secret[2];
    uint64_t         check; /* identifies the secret: SipHash of a fixed text under it */
} ink__key_rule;

/* Makes a rule from the caller's parameters; INK_USAGE names what does not fit. */
ink_status ink__rule_create(ink__key_rule *rule, const ink_params *params, ink_error *error);

/* Makes a rule from a file's header. INK_FORMAT, with location INK__AT_FIELD and a number of
 * ink__rule_field, if no rule has these values. */
typedef enum ink__rule_field {
    INK__RULE_TYPE,
    INK__RULE_HASH,
    INK__RULE_SEED,
    INK__RULE_CHECK,
} ink__rule_field;
ink_status ink__rule_read(ink__key_rule *rule, uint64_t type, uint64_t hash, uint64_t seed,
                          uint64_t check, ink_error *error);

/* Gives a keyed rule its secret; INK_MISMATCH if it is not the one. */
ink_status ink__rule_unlock(ink__key_rule *rule, const uint8_t secret[INK_SECRET_BYTES],
                            ink_error *error);

/* INK_MISMATCH, naming both values, unless the two rules hash every key alike. */
ink_status ink__rule_match(const ink__key_rule *a, const ink__key_rule *b, ink_error *error);

/* The hash scheme of a position rule, and whether a hash goes with the scheme of a rule that was
 * read, for keys of its type and with its seed. */
ink__hash_scheme ink__hash_scheme_of(unsigned position_rule);
bool             ink__rule_has_scheme(const ink__key_rule *rule);

/* Whether 64 bits do not suffice for a position, so that the keys themselves are needed. Ints are
 * 64 bits: where that is so for bytes, the hash of an int is mix64 of it, which loses nothing. */
static inline bool ink__rule_needs_keys(const ink__key_rule *rule)
{
    return rule->scheme >= INK__SCHEME_SEEDED && rule->type != INK_KEY_INT;
}

/* Erases a secret; the compiler cannot leave it out. */
void ink__rule_wipe(ink__key_rule *rule);

/* "xxh3", "mmh3-signed", ... */
const char *ink__rule_hash_name(const ink__key_rule *rule);

/* INK_MISMATCH if a keyed rule lacks its secret, INK_UNSUPPORTED if the hash has no 64 bits. */
ink_status ink__rule_can_hash(const ink__key_rule *rule, ink_error *error);

/* The bytes that are hashed for an int, at most 8; returns their number. */
size_t ink__rule_int_bytes(const ink__key_rule *rule, int64_t key, uint8_t bytes[8]);

/* Two words of a key, where a rule that needs keys derives all positions from two. */
void ink__rule_pair(const ink__key_rule *rule, const uint8_t *key, size_t bytes, uint64_t pair[2]);

/* The hashes of keys. The rule must be able to hash, and `type` its key type. */
uint64_t ink__rule_hash_bytes(const ink__key_rule *rule, const uint8_t *key, size_t bytes);
uint64_t ink__rule_hash_int(const ink__key_rule *rule, int64_t key);

/* How many keys are hashed at a time: enough to make the cost of a call small, few enough to keep
 * keys and hashes in the first cache. */
#define INK__HASH_BATCH 512
/* The hashes of many; byte key i is bytes[starts[i]] up to ends[i]. */
void ink__rule_hash_bytes_batch(const ink__key_rule *rule, const ink__kernels *kernels,
                                const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                                size_t count, uint64_t *hashes);
void ink__rule_hash_int_batch(const ink__key_rule *rule, const ink__kernels *kernels,
                              const int64_t *keys, size_t count, uint64_t *hashes);

#endif
