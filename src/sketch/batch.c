/* batch.c - a batch of keys on its way to a kind. */
#include "sketch/batch.h"

#include <string.h>

/* ---- What a batch says -------------------------------------------------------------------- */

ink__keys ink__batch_keys(const ink_batch *batch)
{
    static const uint8_t nothing[1];

    return (ink__keys){
        .count = batch->count,
        .hashes = batch->hashes,
        .ints = batch->ints,
        .bytes = batch->bytes != NULL || batch->offsets == NULL ? batch->bytes : nothing,
        .starts = batch->offsets,
        .ends = batch->ends != NULL || batch->offsets == NULL ? batch->ends : batch->offsets + 1,
        .weights = batch->weights,
    };
}

/* Names the first key whose end lies before its start, if there is one. */
static ink_status find_fall(const ink__keys *keys, ink_error *error)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->ends[i] < keys->starts[i])
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "key %zu goes from offset %llu to %llu, expected offsets that never "
                             "fall",
                             i, (unsigned long long)keys->starts[i],
                             (unsigned long long)keys->ends[i]);
    return INK_OK;
}

static ink_status check_offsets(const ink_batch *batch, ink_error *error)
{
    ink__keys keys = ink__batch_keys(batch);
    uint64_t  bytes = 0, falls = 0;

    for (size_t i = 0; i < keys.count; i++) {
        uint64_t start = keys.starts[i], end = keys.ends[i];
        bytes |= end - start;
        /* Bit 63 is what the subtraction borrows: end < start without a comparison, which vectors
         * of 64 bits do not have everywhere. */
        falls |= (~end & start) | (~(end ^ start) & (end - start));
    }
    if (falls >> 63 != 0)
        INK__TRY(find_fall(&keys, error));
    /* Keys that are all empty need no bytes: an array of empty strings often has none. */
    if (batch->bytes == NULL && bytes != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "keys that are not empty, but no bytes (NULL)");
    return INK_OK;
}

/* Whether the batch says exactly one thing. */
static ink_status check_forms(const ink_batch *batch, ink_error *error)
{
    bool bytes = batch->offsets != NULL;

    if (batch->ints != NULL && bytes)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a batch of %zu keys as ints and as bytes, expected one of them",
                         batch->count);
    if ((batch->bytes != NULL && !bytes) || (batch->ends != NULL && !bytes) ||
        (batch->count > 0 && !bytes && batch->ints == NULL && batch->hashes == NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a batch of %zu keys, expected hashes, ints, or bytes and offsets",
                         batch->count);
    return bytes ? check_offsets(batch, error) : INK_OK;
}

ink_status ink__batch_check(const ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    const ink__key_rule *rule = &sketch->rule;
    bool                 keys = batch->offsets != NULL || batch->ints != NULL;

    INK__TRY(check_forms(batch, error));
    if (batch->weights != NULL && !sketch->kind->counts)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s does not count: it takes no weights", sketch->kind->name);
    if (batch->ints != NULL && rule->type != INK_KEY_INT)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "int keys for a sketch of bytes keys (key_type)");
    if (batch->offsets != NULL && rule->type != INK_KEY_BYTES)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "bytes keys for a sketch of int keys (key_type)");
    if (!keys && batch->count > 0 && sketch->kind->keeps_keys)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s keeps keys: hashes alone do not suffice", sketch->kind->name);
    /* Hashes do without the secret; keys need a rule that can hash them, or that takes them whole.
     */
    if (batch->hashes != NULL ? rule->draw != INK__DRAW_HASH64 && !keys
                              : rule->draw == INK__DRAW_HASH64)
        return ink__rule_can_hash(rule, error);
    return INK_OK;
}

/* ---- Parts -------------------------------------------------------------------------------- */

/* A kind that keeps keys keeps their own hashes beside them, not what the caller takes for these;
 * unless the secret is missing, and the caller is the only one to know. */
static bool needs_hashing(const ink_sketch *sketch, const ink_batch *batch)
{
    return sketch->rule.draw == INK__DRAW_HASH64 &&
           (batch->hashes == NULL ||
            (sketch->kind->keeps_keys && ink__rule_can_hash(&sketch->rule, NULL) == INK_OK));
}

ink__keys ink__batch_part(const ink_sketch *sketch, const ink_batch *batch, size_t first,
                          uint64_t *hashes)
{
    ink__keys keys = ink__batch_keys(batch);
    size_t    rest = batch->count - first;
    bool      hashed = needs_hashing(sketch, batch);

    keys.count =
        (hashed || batch->hashes == NULL) && rest > INK__HASH_BATCH ? INK__HASH_BATCH : rest;
    keys.hashes = hashed || keys.hashes == NULL ? hashes : keys.hashes + first;
    keys.ints = keys.ints == NULL ? NULL : keys.ints + first;
    keys.starts = keys.starts == NULL ? NULL : keys.starts + first;
    keys.ends = keys.ends == NULL ? NULL : keys.ends + first;
    keys.weights = keys.weights == NULL ? NULL : keys.weights + first;
    if (hashed && keys.ints != NULL)
        ink__rule_hash_int_batch(&sketch->rule, keys.ints, keys.count, hashes);
    else if (hashed)
        ink__rule_hash_bytes_batch(&sketch->rule, keys.bytes, keys.starts, keys.ends, keys.count,
                                   hashes);
    return keys;
}

ink_status ink_hash_batch(const ink_sketch *sketch, const ink_batch *batch, uint64_t *hashes,
                          ink_error *error)
{
    ink__keys keys;

    INK__TRY(ink__batch_check(sketch, batch, error));
    INK__TRY(ink__rule_can_hash(&sketch->rule, error));
    if (!needs_hashing(sketch, batch)) {
        memmove(hashes, batch->hashes, batch->count * sizeof *hashes);
        return INK_OK;
    }
    for (size_t first = 0; first < batch->count; first += keys.count)
        keys = ink__batch_part(sketch, batch, first, hashes + first);
    return INK_OK;
}
