/* one_key.c - the public calls for one key at a time: it is checked once which rule and kind the
 * sketch has, then the key is hashed and given to its kind. A key that cannot be hashed so goes as
 * a batch of one, which does the rest or says why not. */
#include "base/size.h"
#include "base/status.h"
#include "sketch/internal.h"
#include "sketch/sketch.h"

/* A key and its hash, as a kind takes them. */
typedef struct one_key {
    ink__keys keys;
    uint64_t  hash, from, to;
    int64_t   number;
} one_key;

/* One key as a batch, which lives as long as the block that it stands in. */
#define BATCH_OF_KEY(key, length)                                                                  \
    (&(ink_batch){.count = 1, .data = (key), .offsets = (const uint64_t[2]){0, (length)}})
#define BATCH_OF_INT(key) (&(ink_batch){.count = 1, .ints = &(key)})

/* Whether the rule gives 64 bits for every key of this type. */
static inline bool can_hash(const ink__key_rule *rule, ink_key_type type)
{
    return rule->type == type && !ink__rule_needs_keys(rule) &&
           (rule->hash != INK__HASH_SIPHASH || rule->has_secret);
}

static inline bool take_key(one_key *one, const ink_sketch *sketch, const void *key, size_t bytes)
{
    if (!can_hash(&sketch->rule, INK_KEY_BYTES) || key == NULL)
        return false;
    one->hash = ink__rule_hash_bytes(&sketch->rule, key, bytes);
    one->from = 0;
    one->to = bytes;
    one->keys = (ink__keys){
        .count = 1, .hashes = &one->hash, .bytes = key, .starts = &one->from, .ends = &one->to};
    return true;
}

static inline bool take_int(one_key *one, const ink_sketch *sketch, int64_t key)
{
    if (!can_hash(&sketch->rule, INK_KEY_INT))
        return false;
    one->hash = ink__rule_hash_int(&sketch->rule, key);
    one->number = key;
    one->keys = (ink__keys){.count = 1, .hashes = &one->hash, .ints = &one->number};
    return true;
}

/* ---- Add ---------------------------------------------------------------------------------- */

static ink_status add_one(ink_sketch *sketch, const one_key *one, ink_error *error)
{
    INK__TRY(ink__reserve(sketch, &one->keys, error));
    sketch->kind->add(sketch, &one->keys);
    sketch->records = ink__add_saturating(sketch->records, 1);
    return INK_OK;
}

/* To a concurrent sketch. Out of line: others do not look for it. */
static __attribute__((noinline)) ink_status add_shared(ink_sketch *sketch, const one_key *one)
{
    ink__count_records(sketch, 1);
    sketch->kind->add(sketch, &one->keys);
    return INK_OK;
}

ink_status ink_sketch_add(ink_sketch *sketch, const void *key, size_t bytes, ink_error *error)
{
    one_key one;

    if (sketch->read_only) {
        if (sketch->concurrent && take_key(&one, sketch, key, bytes))
            return add_shared(sketch, &one);
        return ink_sketch_add_batch(sketch, BATCH_OF_KEY(key, bytes), error);
    }
    if (!take_key(&one, sketch, key, bytes))
        return ink_sketch_add_batch(sketch, BATCH_OF_KEY(key, bytes), error);
    return add_one(sketch, &one, error);
}

ink_status ink_sketch_add_int(ink_sketch *sketch, int64_t key, ink_error *error)
{
    one_key one;

    if (sketch->read_only) {
        if (sketch->concurrent && take_int(&one, sketch, key))
            return add_shared(sketch, &one);
        return ink_sketch_add_batch(sketch, BATCH_OF_INT(key), error);
    }
    if (!take_int(&one, sketch, key))
        return ink_sketch_add_batch(sketch, BATCH_OF_INT(key), error);
    return add_one(sketch, &one, error);
}

static bool takes_weight(const ink_sketch *sketch)
{
    return !sketch->read_only && sketch->kind->counts;
}

static ink_status add_weighted(ink_sketch *sketch, one_key *one, const uint64_t *weight,
                               ink_error *error)
{
    one->keys.weights = weight;
    INK__TRY(ink__reserve(sketch, &one->keys, error));
    sketch->kind->add(sketch, &one->keys);
    /* Where keys can be removed, a weight is a number of times. */
    sketch->records =
        ink__add_saturating(sketch->records, sketch->kind->remove == NULL ? 1 : *weight);
    return INK_OK;
}

ink_status ink_sketch_add_weight(ink_sketch *sketch, const void *key, size_t bytes, uint64_t weight,
                                 ink_error *error)
{
    one_key one;

    if (takes_weight(sketch) && take_key(&one, sketch, key, bytes))
        return add_weighted(sketch, &one, &weight, error);
    ink_batch *batch = BATCH_OF_KEY(key, bytes);
    batch->weights = &weight;
    return ink_sketch_add_batch(sketch, batch, error);
}

ink_status ink_sketch_add_weight_int(ink_sketch *sketch, int64_t key, uint64_t weight,
                                     ink_error *error)
{
    one_key one;

    if (takes_weight(sketch) && take_int(&one, sketch, key))
        return add_weighted(sketch, &one, &weight, error);
    ink_batch *batch = BATCH_OF_INT(key);
    batch->weights = &weight;
    return ink_sketch_add_batch(sketch, batch, error);
}

/* Of a kind that knows membership. */
static ink_status add_if_new(ink_sketch *sketch, const one_key *one, bool *was_new,
                             ink_error *error)
{
    uint8_t answer;

    INK__TRY(ink__reserve(sketch, &one->keys, error));
    const bool added = ink__sketch_add_new(sketch, &one->keys, &answer) != 0;
    sketch->records = ink__add_saturating(sketch->records, added);
    if (was_new != NULL)
        *was_new = added;
    return INK_OK;
}

static ink_status add_batch_if_new(ink_sketch *sketch, const ink_batch *batch, bool *was_new,
                                   ink_error *error)
{
    uint8_t answer = 0;

    INK__TRY(ink_sketch_add_new_batch(sketch, batch, &answer, error));
    if (was_new != NULL)
        *was_new = answer != 0;
    return INK_OK;
}

static bool takes_new(const ink_sketch *sketch)
{
    return !sketch->read_only && sketch->kind->contains != NULL;
}

ink_status ink_sketch_add_new(ink_sketch *sketch, const void *key, size_t bytes, bool *was_new,
                              ink_error *error)
{
    one_key one;

    if (!takes_new(sketch) || !take_key(&one, sketch, key, bytes))
        return add_batch_if_new(sketch, BATCH_OF_KEY(key, bytes), was_new, error);
    return add_if_new(sketch, &one, was_new, error);
}

ink_status ink_sketch_add_new_int(ink_sketch *sketch, int64_t key, bool *was_new, ink_error *error)
{
    one_key one;

    if (!takes_new(sketch) || !take_int(&one, sketch, key))
        return add_batch_if_new(sketch, BATCH_OF_INT(key), was_new, error);
    return add_if_new(sketch, &one, was_new, error);
}

ink_status ink_sketch_remove(ink_sketch *sketch, const void *key, size_t bytes, ink_error *error)
{
    return ink_sketch_remove_batch(sketch, BATCH_OF_KEY(key, bytes), error);
}

ink_status ink_sketch_remove_int(ink_sketch *sketch, int64_t key, ink_error *error)
{
    return ink_sketch_remove_batch(sketch, BATCH_OF_INT(key), error);
}

/* ---- Ask ---------------------------------------------------------------------------------- */

static inline bool contains_one(const ink_sketch *sketch, const one_key *one)
{
    uint8_t answer;

    sketch->kind->contains(sketch, &one->keys, &answer);
    return answer != 0;
}

static ink_status contains_batch(const ink_sketch *sketch, const ink_batch *batch, bool *maybe,
                                 ink_error *error)
{
    uint8_t answer = 0;

    INK__TRY(ink_sketch_contains_batch(sketch, batch, &answer, error));
    *maybe = answer != 0;
    return INK_OK;
}

ink_status ink_sketch_contains(const ink_sketch *sketch, const void *key, size_t bytes, bool *maybe,
                               ink_error *error)
{
    one_key one;

    if (sketch->kind->contains == NULL || !take_key(&one, sketch, key, bytes))
        return contains_batch(sketch, BATCH_OF_KEY(key, bytes), maybe, error);
    *maybe = contains_one(sketch, &one);
    return INK_OK;
}

ink_status ink_sketch_contains_int(const ink_sketch *sketch, int64_t key, bool *maybe,
                                   ink_error *error)
{
    one_key one;

    if (sketch->kind->contains == NULL || !take_int(&one, sketch, key))
        return contains_batch(sketch, BATCH_OF_INT(key), maybe, error);
    *maybe = contains_one(sketch, &one);
    return INK_OK;
}

int ink_sketch_maybe(const ink_sketch *sketch, const void *key, size_t bytes)
{
    bool maybe;

    return ink_sketch_contains(sketch, key, bytes, &maybe, NULL) == INK_OK ? maybe : -1;
}

int ink_sketch_maybe_int(const ink_sketch *sketch, int64_t key)
{
    bool maybe;

    return ink_sketch_contains_int(sketch, key, &maybe, NULL) == INK_OK ? maybe : -1;
}

ink_status ink_sketch_count(const ink_sketch *sketch, const void *key, size_t bytes,
                            ink_answer *answer, ink_error *error)
{
    one_key one;

    if (sketch->kind->count == NULL || !take_key(&one, sketch, key, bytes))
        return ink_sketch_count_batch(sketch, BATCH_OF_KEY(key, bytes), answer, error);
    sketch->kind->count(sketch, &one.keys, answer);
    return INK_OK;
}

ink_status ink_sketch_count_int(const ink_sketch *sketch, int64_t key, ink_answer *answer,
                                ink_error *error)
{
    one_key one;

    if (sketch->kind->count == NULL || !take_int(&one, sketch, key))
        return ink_sketch_count_batch(sketch, BATCH_OF_INT(key), answer, error);
    sketch->kind->count(sketch, &one.keys, answer);
    return INK_OK;
}

static int64_t times_of(ink_status status, const ink_answer *answer)
{
    if (status != INK_OK)
        return -1;
    return answer->estimate < 0x1p63 ? (int64_t)answer->estimate : INT64_MAX;
}

int64_t ink_sketch_times(const ink_sketch *sketch, const void *key, size_t bytes)
{
    ink_answer answer;

    return times_of(ink_sketch_count(sketch, key, bytes, &answer, NULL), &answer);
}

int64_t ink_sketch_times_int(const ink_sketch *sketch, int64_t key)
{
    ink_answer answer;

    return times_of(ink_sketch_count_int(sketch, key, &answer, NULL), &answer);
}
