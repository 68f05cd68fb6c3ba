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
} ink__hash_id;

/* How positions come from keys where the hash is not 64 bits wide. */
typedef enum ink__hash_scheme {
    INK__SCHEME_HASH64 = 0,
    INK__SCHEME_SEEDED,        /* the hash with seed + i, modulo m */
    INK__SCHEME_SEEDED_SIGNED, /* the same of the signed hash, rounded towards minus infinity */
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

/* The hash scheme of a position rule. */
ink__hash_scheme ink__hash_scheme_of(unsigned position_rule);

/* Erases a secret; the compiler cannot leave it out. */
void ink__rule_wipe(ink__key_rule *rule);

/* "xxh3", "mmh3-signed", ... */
const char *ink__rule_hash_name(const ink__key_rule *rule);

/* INK_MISMATCH if a keyed rule lacks its secret, INK_UNSUPPORTED if the hash has no 64 bits. */
ink_status ink__rule_can_hash(const ink__key_rule *rule, ink_error *error);

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
