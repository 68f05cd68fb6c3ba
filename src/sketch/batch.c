/* batch.c - batches of keys: checked, hashed part by part with prefetches, and hashes alone. */
#include "sketch/batch.h"

#include "kernels/dispatch.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "sketch/internal.h"
#include "sketch/kinds/prefetch.h"

#include <string.h>

/* ---- What a batch says -------------------------------------------------------------------- */

ink__keys ink__batch_keys(const ink_batch *batch)
{
    static const uint8_t nothing[1];
    /* Without gaps there is nothing between them. */
    const bool dense = batch->ends == NULL || batch->ends == batch->offsets + 1;

    return (ink__keys){
        .count = batch->count,
        .hashes = batch->hashes,
        .ints = batch->ints,
        .bytes = batch->data != NULL || batch->offsets == NULL ? batch->data : nothing,
        .starts = batch->offsets,
        .ends = batch->ends != NULL || batch->offsets == NULL ? batch->ends : batch->offsets + 1,
        .one_array = dense || batch->one_array != 0,
        .pairs = batch->keys,
        .weights = batch->weights,
    };
}

static ink_status check_offsets(const ink_batch *batch, ink_error *error)
{
    ink__keys keys = ink__batch_keys(batch);
    uint64_t  bytes = 0, starts = 0;

    /* Without a comparison, which not all vector units have for 64 bits: if starts are below 2^63,
     * an end before its start gives a difference of 2^63 or more. */
    for (size_t i = 0; i < keys.count; i++) {
        bytes |= keys.ends[i] - keys.starts[i];
        starts |= keys.starts[i];
    }
    for (size_t i = 0; (bytes | starts) >> 63 != 0 && i < keys.count; i++)
        if (keys.ends[i] < keys.starts[i])
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "key %zu goes from offset %llu to %llu, expected offsets that never "
                             "fall",
                             i, (unsigned long long)keys.starts[i],
                             (unsigned long long)keys.ends[i]);
    /* Keys that are all empty need no bytes: an array of empty strings often has none. */
    if (batch->data == NULL && bytes != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "keys that are not empty, but no bytes (NULL)");
    return INK_OK;
}

static ink_status check_pairs(const ink_batch *batch, ink_error *error)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->keys[i].data == NULL && batch->keys[i].bytes != 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "key %zu has %zu bytes, but they are nowhere (NULL)", i,
                             batch->keys[i].bytes);
    return INK_OK;
}

/* Whether there are byte keys, in either form. */
static bool has_bytes(const ink_batch *batch)
{
    return batch->offsets != NULL || batch->keys != NULL;
}

/* Whether the keys have exactly one form. */
static ink_status check_forms(const ink_batch *batch, ink_error *error)
{
    bool offsets = batch->offsets != NULL;

    INK__TRY_ROOM("ink_batch", batch, error);
    if ((batch->ints != NULL && has_bytes(batch)) || (offsets && batch->keys != NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a batch of %zu keys as %s, expected one of them", batch->count,
                         batch->ints != NULL ? "ints and as bytes"
                                             : "an array of keys and as bytes with offsets");
    if ((batch->data != NULL && !offsets) || (batch->ends != NULL && !offsets) ||
        (batch->count > 0 && !has_bytes(batch) && batch->ints == NULL && batch->hashes == NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a batch of %zu keys, expected hashes, ints, keys, or bytes and offsets",
                         batch->count);
    if (batch->keys != NULL)
        return check_pairs(batch, error);
    return offsets ? check_offsets(batch, error) : INK_OK;
}

/* Whether the keys, if there are some, are of the type that the rule is for. */
static ink_status check_type(const ink__key_rule *rule, const ink_batch *batch, ink_error *error)
{
    if (batch->ints != NULL && rule->type != INK_KEY_INT)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "int keys for a sketch of bytes keys ({key_type})");
    if (has_bytes(batch) && rule->type != INK_KEY_BYTES)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "bytes keys for a sketch of int keys ({key_type})");
    return INK_OK;
}

ink_status ink__batch_check(const ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    const ink__key_rule *rule = &sketch->rule;
    bool                 keys = has_bytes(batch) || batch->ints != NULL;

    INK__TRY(check_forms(batch, error));
    if (batch->weights != NULL && !sketch->kind->counts)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s does not count: it takes no weights", sketch->kind->name);
    INK__TRY(check_type(rule, batch, error));
    if (!keys && batch->count > 0 && sketch->kind->keeps_keys)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s keeps keys: hashes alone do not suffice", sketch->kind->name);
    /* Hashes do without the secret; keys need a rule that hashes them or takes them whole. */
    if (batch->hashes != NULL ? ink__rule_needs_keys(rule) && !keys : !ink__rule_needs_keys(rule))
        return ink__rule_can_hash(rule, error);
    return INK_OK;
}

ink_status ink__fail_concurrent(const ink_sketch *sketch, ink_error *error)
{
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "this %s is {concurrent}: threads only add keys and ask; change a copy of it",
                     sketch->kind->name);
}

ink_status ink__check_writable(const ink_sketch *sketch, ink_error *error)
{
    if (sketch->kind->whole != NULL)
        return sketch->kind->reserve(NULL, NULL, error); /* which refuses all keys */
    if (!sketch->read_only)
        return INK_OK;
    if (sketch->concurrent)
        return ink__fail_concurrent(sketch, error);
    return ink__fail(error, INK_READ_ONLY, INK_NOWHERE, 0,
                     "this %s is a view of a file: open the file with {INK_OPEN_COPY}, or copy the "
                     "sketch",
                     sketch->kind->name);
}

ink_status ink_sketch_check_batch(const ink_sketch *sketch, const ink_batch *batch,
                                  ink_error *error)
{
    if (!sketch->concurrent)
        INK__TRY(ink__check_writable(sketch, error));
    return ink__batch_check(sketch, batch, error);
}

uint64_t ink__batch_records(const ink_sketch *sketch, const ink_batch *batch)
{
    uint64_t sum = 0;

    if (batch->records != 0)
        return batch->records;
    if (batch->weights == NULL || sketch->kind->remove == NULL)
        return batch->count;
    for (size_t i = 0; i < batch->count; i++)
        sum = ink__add_saturating(sum, batch->weights[i]);
    return sum;
}

/* ---- Parts -------------------------------------------------------------------------------- */

/* A kind that keeps keys stores the true hashes with them, not those of the caller, unless the
 * secret is missing. */
static bool needs_hashing(const ink_sketch *sketch, const ink_batch *batch)
{
    return !ink__rule_needs_keys(&sketch->rule) &&
           (batch->hashes == NULL ||
            (sketch->kind->keeps_keys && ink__rule_can_hash(&sketch->rule, NULL) == INK_OK));
}

/* `count` keys from number `first` on, with these hashes. In the memory of the caller: a step of a
 * walk has nothing to copy. */
static inline void set_part(ink__keys *part, const ink__keys *all, size_t first, size_t count,
                            const uint64_t *hashes)
{
    part->count = count;
    part->hashes = hashes;
    part->ints = all->ints == NULL ? NULL : all->ints + first;
    part->bytes = all->bytes;
    part->starts = all->starts == NULL ? NULL : all->starts + first;
    part->ends = all->ends == NULL ? NULL : all->ends + first;
    part->one_array = all->one_array;
    part->pairs = all->pairs == NULL ? NULL : all->pairs + first;
    part->weights = all->weights == NULL ? NULL : all->weights + first;
}

ink__keys ink__keys_from(const ink__keys *keys, size_t first)
{
    ink__keys part = {.prefetch = NULL};

    set_part(&part, keys, first, keys->count - first,
             keys->hashes == NULL ? NULL : keys->hashes + first);
    return part;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Keys in separate objects, as addresses. */
static void locate(const ink_key *pairs, size_t count, uint64_t *starts, uint64_t *ends)
{
    for (size_t i = 0; i < count; i++) {
        starts[i] = (uint64_t)(uintptr_t)pairs[i].data;
        ends[i] = starts[i] + pairs[i].bytes;
    }
}

static void hash_pairs(const ink__key_rule *rule, const ink__kernels *kernels, const ink_key *pairs,
                       size_t count, uint64_t *hashes)
{
    uint64_t starts[INK__STEP], ends[INK__STEP];

    for (size_t first = 0; first < count; first += INK__STEP) {
        size_t some = smaller(count - first, INK__STEP);
        locate(pairs + first, some, starts, ends);
        ink__rule_hash_bytes_batch(rule, kernels, NULL, starts, ends, some, hashes + first);
    }
}

/* Keys by offsets that may reach from one object to another. */
static void hash_apart(const ink__key_rule *rule, const ink__kernels *kernels,
                       const ink__keys *keys, size_t first, size_t count, uint64_t *hashes)
{
    const uint64_t base = (uint64_t)(uintptr_t)keys->bytes;
    uint64_t       starts[INK__STEP], ends[INK__STEP];

    for (size_t done = 0, some; done < count; done += some) {
        some = smaller(count - done, INK__STEP);
        for (size_t i = 0; i < some; i++) {
            starts[i] = base + keys->starts[first + done + i];
            ends[i] = base + keys->ends[first + done + i];
        }
        ink__rule_hash_bytes_batch(rule, kernels, NULL, starts, ends, some, hashes + done);
    }
}

/* Input keys are prefetched this many keys in advance: the hardware prefetcher stops at each page
 * of 4 KiB, and a line that stalls delays all after it. The bytes of strings are fetched half as
 * far in advance, when their offsets have arrived. */
enum { KEYS_FETCHED = 512, BYTES_FETCHED = KEYS_FETCHED / 2, LINE_WORDS = 8, BYTES_STEP = 4 };

/* Prefetches `count` words. A macro: gcc removes calls of a function that does nothing else. */
#define FETCH_WORDS(words, count)                                                                  \
    for (size_t word_ = 0; word_ < (count); word_ += LINE_WORDS)                                   \
    __builtin_prefetch((words) + word_, 0, 3)

/* Hashes `count` of these keys from `first` on. */
static void hash_keys(const ink__key_rule *rule, const ink__kernels *kernels, const ink__keys *keys,
                      size_t first, size_t count, uint64_t *hashes)
{
    const bool   prefetch = keys->count - first - count >= KEYS_FETCHED;
    const size_t next = first + KEYS_FETCHED;

    if (keys->pairs != NULL) {
        if (prefetch)
            for (size_t i = 0; i < count; i += BYTES_STEP)
                __builtin_prefetch(keys->pairs[first + BYTES_FETCHED + i].data, 0, 3);
        hash_pairs(rule, kernels, keys->pairs + first, count, hashes);
        return;
    }
    if (prefetch && keys->ints != NULL)
        FETCH_WORDS(keys->ints + next, count);
    if (prefetch && keys->ints == NULL) {
        FETCH_WORDS(keys->starts + next, count);
        if (keys->ends != keys->starts + 1)
            FETCH_WORDS(keys->ends + next, count);
        for (size_t i = 0; i < count; i += BYTES_STEP)
            __builtin_prefetch(keys->bytes + keys->starts[first + BYTES_FETCHED + i], 0, 3);
    }
    if (keys->ints != NULL)
        ink__rule_hash_int_batch(rule, kernels, keys->ints + first, count, hashes);
    else if (!keys->one_array)
        hash_apart(rule, kernels, keys, first, count, hashes);
    else
        ink__rule_hash_bytes_batch(rule, kernels, keys->bytes, keys->starts + first,
                                   keys->ends + first, count, hashes);
}

ink__keys ink__batch_part(const ink_sketch *sketch, const ink_batch *batch, size_t first,
                          uint64_t *hashes)
{
    ink__keys all = ink__batch_keys(batch), keys = ink__keys_from(&all, first);
    bool      hashed = needs_hashing(sketch, batch);

    if ((hashed || batch->hashes == NULL) && keys.count > INK__HASH_BATCH)
        keys.count = INK__HASH_BATCH;
    if (hashed || keys.hashes == NULL)
        keys.hashes = hashes;
    if (hashed)
        hash_keys(&sketch->rule, sketch->kernels, &all, first, keys.count, hashes);
    return keys;
}

/* ---- Walks -------------------------------------------------------------------------------- */

/* Hashes are stored in a circular buffer, in whole steps. */
_Static_assert(INK__HASH_BATCH % INK__STEP == 0 && INK__WINDOW_MAX + INK__STEP <= INK__HASH_BATCH,
               "a walk has room for a window and a step");

static void hand_out(ink__walk *walk, const uint64_t *hashes, size_t count)
{
    set_part(&walk->keys, &walk->all, walk->first, count, hashes);
    if (walk->located) {
        locate(walk->keys.pairs, count, walk->starts, walk->ends);
        walk->keys.starts = walk->starts;
        walk->keys.ends = walk->ends;
    }
}

/* Where the hashes of a step are, or will be. */
static const uint64_t *hashes_at(const ink__walk *walk, size_t first)
{
    return walk->hashed ? walk->hashes + first % INK__HASH_BATCH : walk->all.hashes + first;
}

/* Hashes the next step, which is prefetched after that. */
static void hash_next(ink__walk *walk)
{
    const uint64_t *hashes = hashes_at(walk, walk->next);
    size_t          count = smaller(walk->all.count - walk->next, INK__STEP);

    if (walk->hashed)
        hash_keys(&walk->sketch->rule, walk->sketch->kernels, &walk->all, walk->next, count,
                  walk->hashes + walk->next % INK__HASH_BATCH);
    else if (walk->all.count - walk->next - count >= KEYS_FETCHED)
        FETCH_WORDS(hashes + KEYS_FETCHED, count);
    walk->fetched.hashes = hashes;
    walk->fetched.count = count;
    walk->next += count;
}

static void fetch_next(const ink__walk *walk)
{
    walk->sketch->kind->fetch(walk->sketch, walk->fetched.hashes, walk->fetched.count,
                              walk->fetched.how);
}

void ink__walk_start_near(ink__walk *walk, const ink_sketch *sketch, const ink_batch *batch)
{
    walk->sketch = sketch;
    walk->all = ink__batch_keys(batch);
    walk->hashed = needs_hashing(sketch, batch);
    walk->located =
        batch->keys != NULL && (sketch->kind->keeps_keys || ink__rule_needs_keys(&sketch->rule));
    walk->next = walk->end = 0;
    walk->prefetch = false;
    walk->keys.walks = NULL; /* of all parts */
}

void ink__walk_start(ink__walk *walk, const ink_sketch *sketch, const ink_batch *batch, bool write)
{
    uint32_t window = 0;

    ink__walk_start_near(walk, sketch, batch);
    if (batch->count >= INK__PREFETCH_FROM && !ink__rule_needs_keys(&sketch->rule))
        window = ink__prefetch_window(sketch, write, &walk->fetched.how);
    walk->prefetch = window != 0;
    while (walk->next < window && walk->next < batch->count) {
        hash_next(walk);
        fetch_next(walk);
    }
}

/* The next keys of a walk that does not fetch. */
static void hand_out_near(ink__walk *walk)
{
    const size_t    most = walk->located ? INK__STEP : INK__HASH_BATCH;
    const uint64_t *hashes = walk->hashes;
    size_t          rest = walk->all.count - walk->first;

    if (walk->hashed || walk->located || walk->all.hashes == NULL)
        rest = smaller(rest, most);
    if (walk->hashed)
        hash_keys(&walk->sketch->rule, walk->sketch->kernels, &walk->all, walk->first, rest,
                  walk->hashes);
    else if (walk->all.hashes != NULL)
        hashes = walk->all.hashes + walk->first;
    hand_out(walk, hashes, rest);
}

const ink__keys *ink__walk_next(ink__walk *walk)
{
    walk->first = walk->end;
    if (walk->first >= walk->all.count)
        return NULL;
    walk->keys.prefetch = NULL;
    if (walk->prefetch) {
        if (walk->next < walk->all.count) {
            hash_next(walk);
            if (walk->sketch->kind->prefetches)
                walk->keys.prefetch = &walk->fetched;
            else
                fetch_next(walk);
        }
        hand_out(walk, hashes_at(walk, walk->first),
                 smaller(walk->all.count - walk->first, INK__STEP));
    } else
        hand_out_near(walk);
    walk->end = walk->first + walk->keys.count;
    return &walk->keys;
}

ink_status ink_sketch_hash_batch(const ink_sketch *sketch, const ink_batch *batch, uint64_t *hashes,
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

/* ---- Hashes without a sketch --------------------------------------------------------------- */

struct ink__hasher {
    const ink__kernels *kernels;
    ink_allocator       allocator;
    ink__key_rule       rule;
};

ink_status ink__hasher_create(ink__hasher **hasher, const ink_params *params,
                              const ink_allocator *allocator, ink_error *error)
{
    ink__hasher made = {.allocator = ink__allocator_or_heap(allocator)};

    INK__TRY(ink__rule_create(&made.rule, params, error));
    ink_status status = ink__rule_can_hash(&made.rule, error);
    if (status == INK_OK)
        status = ink__kernels_choose(&made.kernels, error);
    if (status == INK_OK)
        status = ink__allocate(&made.allocator, sizeof made, hasher, error);
    if (status == INK_OK)
        **hasher = made;
    ink__rule_wipe(&made.rule);
    return status;
}

void ink__hasher_free(ink__hasher *hasher)
{
    if (hasher == NULL)
        return;
    ink_allocator allocator = hasher->allocator;

    ink__rule_wipe(&hasher->rule);
    ink__release(&allocator, hasher, sizeof *hasher);
}

ink_status ink__hasher_batch(const ink__hasher *hasher, const ink_batch *batch, uint64_t *hashes,
                             ink_error *error)
{
    const ink__keys keys = ink__batch_keys(batch);
    size_t          some;

    INK__TRY(check_forms(batch, error));
    INK__TRY(check_type(&hasher->rule, batch, error));
    for (size_t first = 0; first < keys.count; first += some) {
        some = smaller(keys.count - first, INK__HASH_BATCH);
        hash_keys(&hasher->rule, hasher->kernels, &keys, first, some, hashes + first);
    }
    return INK_OK;
}

uint64_t ink__hash_label(const void *bytes, size_t count)
{
    static const ink__key_rule rule = {.hash = INK__HASH_XXH3, .seed = INK__DEFAULT_SEED};

    return ink__rule_hash_bytes(&rule, bytes, count);
}
