/* draft.c - the draft: the different keys of a sketch that has no size yet, as hashes in a table,
 * with their counts where the kind counts, or as keys where the hash has no 64 bits; and the size
 * that a sketch gets by the number of its keys.
 *
 * Encoded: key rule and kind as in the head of a sketch, then numbers, the elements in order, and a
 * checksum. docs/format.md has the layout. */
#include "base/bits.h"
#include "base/checksum.h"
#include "base/hash_set.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/sort.h"
#include "base/status.h"
#include "format/layout.h"
#include "kernels/dispatch.h"
#include "sketch/batch.h"
#include "sketch/internal.h"
#include "sketch/kinds/membership.h"
#include "sketch/sketch.h"

#include <string.h>

struct ink_draft {
    ink_sketch    of; /* kind, key rule, allocator and records; it has no payload */
    double        rate;
    uint64_t      limit_bytes; /* UINT64_MAX: none */
    uint64_t      count;
    ink__hash_set set;   /* the word of a hash: how often, or where its key begins in `keys` */
    ink__block    table; /* the memory of `set` */
    uint8_t      *keys;  /* each with its length, in 8 bytes, before it */
    uint64_t      key_bytes, keys_room;
};

enum { LENGTH_BYTES = 8 };

/* Elements are brought to a table or a sketch this many at once. */
enum { SOME = 256 };

static bool keeps_keys(const ink_draft *draft)
{
    return ink__rule_needs_keys(&draft->of.rule);
}

/* ---- Create ------------------------------------------------------------------------------- */

/* The shape of a sketch for this many keys. */
static ink_status plan_for(const ink_draft *draft, uint64_t keys, ink__shape *shape,
                           ink_error *error)
{
    const ink__kind *kind = draft->of.kind;
    const ink_params params = {
        .kind = kind->name, .expected_keys = keys, .false_positive_rate = draft->rate};

    *shape = (ink__shape){.kind = kind};
    return kind->plan(&params, &draft->of.rule, shape, error);
}

/* INK_LIMIT if a table and room for keys of these sizes, for `keys` keys, are more than it may
 * have.
 */
static ink_status check_limit(const ink_draft *draft, uint64_t keys, uint64_t table_bytes,
                              uint64_t keys_room, ink_error *error)
{
    uint64_t bytes = ink__add_saturating(sizeof *draft + table_bytes, keys_room);

    if (bytes <= draft->limit_bytes)
        return INK_OK;
    return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                     "a draft of %llu keys needs %llu bytes, expected at most %llu (limit_bytes)",
                     (unsigned long long)keys, (unsigned long long)bytes,
                     (unsigned long long)draft->limit_bytes);
}

static ink_status make_table(const ink_draft *draft, uint64_t slots, ink__block *table,
                             ink__hash_set *set, ink_error *error)
{
    const unsigned valued = draft->of.kind->counts || keeps_keys(draft);

    INK__TRY(
        ink__block_create(table, &draft->of.allocator, ink__hash_set_bytes(slots, valued), error));
    *set =
        (ink__hash_set){(uint64_t *)(void *)table->data, slots, ink__salt_of(table->base), valued};
    return INK_OK;
}

/* An empty draft with the kind, rule, rate, limit and allocator of another. */
static ink_status create_like(ink_draft **draft, const ink_draft *like, ink_error *error)
{
    ink_draft *made;

    INK__TRY(ink__allocate_zeroed(&like->of.allocator, sizeof *made, &made, error));
    made->of = like->of;
    made->of.records = 0;
    made->rate = like->rate;
    made->limit_bytes = like->limit_bytes;
    ink_status status = make_table(made, INK__HASH_SET_SLOTS_MIN, &made->table, &made->set, error);
    if (status == INK_OK)
        status = check_limit(made, 0, made->table.base_bytes, 0, error);
    if (status == INK_OK)
        *draft = made;
    else
        ink_draft_free(made);
    return status;
}

static ink_status check_params(const ink_params *params, ink_error *error)
{
    const ink__kind *kind;

    INK__TRY(ink__kind_find(params->kind, &kind, error));
    if (!ink__is_sized_by_keys(kind))
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "a draft of kind %s, which needs no number of keys: make a sketch of it",
                         kind->name);
    if (params->max_rate != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{max_rate} for a draft, which keeps its rate: its size follows from its "
                         "keys");
    if (params->expected_keys != 0 || params->bits != 0)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "{%s} %llu for a draft, whose size follows from its keys: make a sketch, or "
            "leave it out",
            params->expected_keys != 0 ? "expected_keys" : "bits",
            (unsigned long long)(params->expected_keys != 0 ? params->expected_keys
                                                            : params->bits));
    return INK_OK;
}

ink_status ink_draft_create(ink_draft **draft, const ink_params *params, uint64_t limit_bytes,
                            const ink_allocator *allocator, ink_error *error)
{
    ink_draft       like = {.limit_bytes = limit_bytes == 0 ? UINT64_MAX : limit_bytes};
    ink_description description;
    ink_params      one = *params;
    ink__plan       planned;

    INK__TRY(check_params(params, error));
    one.expected_keys = 1; /* to check the other parameters */
    INK__TRY(ink__sketch_plan(&one, &planned, error));
    ink__describe(&planned.rule, &planned.shape, &description);
    like.rate = description.target_rate;
    like.of = (ink_sketch){
        .kind = planned.shape.kind,
        .allocator = ink__allocator_or_heap(allocator),
        .rule = planned.rule,
    };
    ink_status status = ink__kernels_choose(&like.of.kernels, error);
    if (status == INK_OK)
        status = create_like(draft, &like, error);
    ink__rule_wipe(&planned.rule);
    ink__rule_wipe(&like.of.rule);
    return status;
}

void ink_draft_free(ink_draft *draft)
{
    if (draft == NULL)
        return;
    ink_allocator allocator = draft->of.allocator;

    ink__block_release(&draft->table, &allocator);
    ink__release(&allocator, draft->keys, draft->keys_room);
    ink__rule_wipe(&draft->of.rule);
    ink__release(&allocator, draft, sizeof *draft);
}

uint64_t ink_draft_keys(const ink_draft *draft)
{
    return draft->count;
}

uint64_t ink_draft_memory(const ink_draft *draft)
{
    return sizeof *draft + draft->table.base_bytes + draft->keys_room;
}

/* ---- Elements ----------------------------------------------------------------------------- */

/* One key, as a draft keeps it. */
typedef struct element {
    uint64_t       hash;
    uint64_t       weight; /* where the kind counts */
    const uint8_t *key;    /* where keys are kept; the hash is then one of the draft's own */
    uint64_t       key_bytes;
} element;

static element element_of_key(const uint8_t *key, uint64_t bytes)
{
    uint64_t hash = ink__hash_label(key, (size_t)bytes);

    /* Keys are compared whole, so that two may share a hash. */
    return (element){.hash = hash == 0 ? 1 : hash, .key = key, .key_bytes = bytes};
}

/* The key that begins at `at`. */
static element element_at(const ink_draft *draft, uint64_t hash, uint64_t at)
{
    uint64_t bytes;

    memcpy(&bytes, draft->keys + at, LENGTH_BYTES);
    return (element){.hash = hash, .key = draft->keys + at + LENGTH_BYTES, .key_bytes = bytes};
}

/* The element in a slot that is not free. */
static element element_in(const ink_draft *draft, uint64_t slot)
{
    uint64_t hash = ink__hash_set_at(&draft->set, slot);

    if (keeps_keys(draft))
        return element_at(draft, hash, *ink__hash_set_value(&draft->set, slot));
    return (element){.hash = hash,
                     .weight = draft->set.valued ? *ink__hash_set_value(&draft->set, slot) : 0};
}

/* The next elements from *slot on, SOME at most; none after the last. */
static size_t next_elements(const ink_draft *draft, uint64_t *slot, element elements[SOME])
{
    size_t found = 0;

    for (; *slot <= draft->set.slots && found < SOME; ++*slot)
        if (ink__hash_set_has(&draft->set, *slot))
            elements[found++] = element_in(draft, *slot);
    return found;
}

static bool same_key(const element *a, const element *b)
{
    return a->key_bytes == b->key_bytes &&
           (a->key_bytes == 0 || memcmp(a->key, b->key, (size_t)a->key_bytes) == 0);
}

/* The slot of an element, or the free one that it goes to. */
static uint64_t find(const ink_draft *draft, const element *sought)
{
    uint64_t slot = ink__hash_set_find(&draft->set, sought->hash);

    if (!keeps_keys(draft))
        return slot;
    while (ink__hash_set_has(&draft->set, slot)) {
        element other = element_in(draft, slot);
        if (same_key(&other, sought))
            break;
        slot = ink__hash_set_next(&draft->set, sought->hash, slot + 1);
    }
    return slot;
}

/* ---- Room --------------------------------------------------------------------------------- */

/* What some elements take, if they are all new. */
typedef struct need {
    uint64_t keys;
    uint64_t key_bytes; /* with their lengths, where keys are kept */
} need;

static void add_need(need *sum, const ink_draft *draft, uint64_t key_bytes)
{
    sum->keys++;
    if (keeps_keys(draft))
        sum->key_bytes += LENGTH_BYTES + key_bytes;
}

static bool has_room(const ink_draft *draft, const need *more)
{
    return more->keys <= ink__hash_set_room(draft->set.slots) - draft->count &&
           more->key_bytes <= draft->keys_room - draft->key_bytes;
}

/* Moves all elements to a larger table. The salt stays: they keep their order, so that old and new
 * slots are written one after another. */
static ink_status grow_table(ink_draft *draft, uint64_t slots, ink_error *error)
{
    ink__hash_set set;
    ink__block    table;

    INK__TRY(make_table(draft, slots, &table, &set, error));
    set.salt = draft->set.salt;
    ink__hash_set_move(&set, &draft->set); /* keys may share a hash */
    ink__block_release(&draft->table, &draft->of.allocator);
    draft->table = table;
    draft->set = set;
    return INK_OK;
}

/* Makes room for elements. INK_LIMIT if that takes more than the draft may have. */
static ink_status reserve(ink_draft *draft, const need *more, ink_error *error)
{
    uint64_t slots = draft->set.slots, table = draft->table.base_bytes, room = draft->keys_room;
    uint64_t keys = ink__add_saturating(draft->count, more->keys);
    uint64_t key_bytes = ink__add_saturating(draft->key_bytes, more->key_bytes);

    if (has_room(draft, more))
        return INK_OK;
    if (keys > ink__hash_set_room(slots)) {
        slots = ink__hash_set_slots(keys < UINT64_MAX >> 8 ? keys : UINT64_MAX >> 8);
        table =
            ink__block_asks(&draft->of.allocator, ink__hash_set_bytes(slots, draft->set.valued));
    }
    if (key_bytes > room) {
        room = 2 * room < key_bytes ? key_bytes : 2 * room;
        if (check_limit(draft, keys, table, room, NULL) != INK_OK)
            room = key_bytes;
    }
    INK__TRY(check_limit(draft, keys, table, room, error));
    if (room > draft->keys_room)
        INK__TRY(ink__grow(&draft->of.allocator, &draft->keys, &draft->keys_room, draft->key_bytes,
                           room, error));
    return slots == draft->set.slots ? INK_OK : grow_table(draft, slots, error);
}

/* ---- Add ---------------------------------------------------------------------------------- */

static uint64_t keep_key(ink_draft *draft, const element *added)
{
    uint64_t at = draft->key_bytes;

    memcpy(draft->keys + at, &added->key_bytes, LENGTH_BYTES);
    if (added->key_bytes > 0)
        memcpy(draft->keys + at + LENGTH_BYTES, added->key, (size_t)added->key_bytes);
    draft->key_bytes += LENGTH_BYTES + added->key_bytes;
    return at;
}

/* Adds an element that is not in, with room for it. */
static ink_status add_new(ink_draft *draft, const element *added, uint64_t slot, ink_error *error)
{
    need one = {0};

    add_need(&one, draft, added->key_bytes);
    if (!has_room(draft, &one)) {
        INK__TRY(reserve(draft, &one, error));
        slot = find(draft, added);
    }
    ink__hash_set_put(&draft->set, slot, added->hash);
    draft->count++;
    if (draft->set.valued)
        *ink__hash_set_value(&draft->set, slot) =
            keeps_keys(draft) ? keep_key(draft, added) : added->weight;
    return INK_OK;
}

static ink_status add_element(ink_draft *draft, const element *added, ink_error *error)
{
    uint64_t slot = find(draft, added);

    if (!ink__hash_set_has(&draft->set, slot))
        return add_new(draft, added, slot, error);
    if (draft->of.kind->counts) {
        uint64_t *sum = ink__hash_set_value(&draft->set, slot);
        *sum = ink__add_saturating(*sum, added->weight);
    }
    return INK_OK;
}

/* The same for hashes alone, of which most drafts are made. */
static ink_status add_hashes(ink_draft *draft, const uint64_t *hashes, size_t count,
                             ink_error *error)
{
    for (size_t i = 0; i < count;) {
        /* A copy, with a constant that is known: nothing of it is read again in the loop. */
        const ink__hash_set set = {draft->set.words, draft->set.slots, draft->set.salt, 0};
        const uint64_t      room = ink__hash_set_room(set.slots) - draft->count;
        uint64_t            added = 0;
        for (; i < count && added < room; i++) {
            if (i + INK__HASH_SET_AHEAD < count)
                ink__hash_set_fetch(&set, hashes[i + INK__HASH_SET_AHEAD]);
            uint64_t slot = ink__hash_set_find(&set, hashes[i]);
            added += !ink__hash_set_has(&set, slot);
            ink__hash_set_put(&set, slot, hashes[i]);
        }
        draft->count += added;
        if (i < count) /* the next may be new */
            INK__TRY(add_element(draft, &(const element){.hash = hashes[i++]}, error));
    }
    return INK_OK;
}

static ink_status add_keys(ink_draft *draft, const ink__keys *keys, ink_error *error)
{
    if (!draft->set.valued)
        return add_hashes(draft, keys->hashes, keys->count, error);
    for (size_t i = 0; i < keys->count; i++) {
        element one;
        if (keeps_keys(draft))
            one = element_of_key(ink__key_at(keys->bytes, keys->starts[i]),
                                 keys->ends[i] - keys->starts[i]);
        else {
            one = (element){.hash = keys->hashes[i],
                            .weight = keys->weights == NULL ? 1 : keys->weights[i]};
            if (i + INK__HASH_SET_AHEAD < keys->count)
                ink__hash_set_fetch(&draft->set, keys->hashes[i + INK__HASH_SET_AHEAD]);
        }
        INK__TRY(add_element(draft, &one, error));
    }
    return INK_OK;
}

/* Adds all keys of a batch that was checked. Fails, with some of them added, only if they needed
 * room that was not reserved. */
static ink_status add_checked(ink_draft *draft, const ink_batch *batch, ink_error *error)
{
    const ink__keys *keys;
    ink__walk        walk;

    ink__walk_start_near(&walk, &draft->of, batch);
    while ((keys = ink__walk_next(&walk)) != NULL)
        INK__TRY(add_keys(draft, keys, error));
    draft->of.records =
        ink__add_saturating(draft->of.records, ink__batch_records(&draft->of, batch));
    return INK_OK;
}

static need need_of_batch(const ink_draft *draft, const ink_batch *batch)
{
    const ink__keys keys = ink__batch_keys(batch);
    need            sum = {.keys = keys.count};

    if (!keeps_keys(draft))
        return sum;
    sum.keys = 0;
    for (size_t i = 0; i < keys.count; i++)
        add_need(&sum, draft,
                 keys.pairs != NULL ? keys.pairs[i].bytes : keys.ends[i] - keys.starts[i]);
    return sum;
}

/* Whether room for this much, which known keys will not need, is little beside what there is. */
static bool is_modest(const ink_draft *draft, const need *more)
{
    enum { FEW_KEYS = 192, FEW_BYTES = 1 << 12 };

    return more->keys <= (draft->count / 4 > FEW_KEYS ? draft->count / 4 : FEW_KEYS) &&
           more->key_bytes <= (draft->key_bytes / 4 > FEW_BYTES ? draft->key_bytes / 4 : FEW_BYTES);
}

static ink_status merge(ink_draft *into, const ink_draft *from, ink_error *error);

/* Merges a draft that is given up, with a limit and allocator that are the same: the larger of the
 * two takes the other, and `into` becomes the larger. */
static ink_status merge_and_free(ink_draft *into, ink_draft *from, ink_error *error)
{
    ink_status status;

    if (from->count <= into->count)
        status = merge(into, from, error);
    else {
        status = merge(from, into, error);
        if (status == INK_OK) {
            ink_draft swap = *into;
            *into = *from;
            *from = swap;
            ink__rule_wipe(&swap.of.rule);
        }
    }
    ink_draft_free(from);
    return status;
}

/* Keys that may need more memory than there is are added to a draft of their own first: if there is
 * not enough, nothing has changed. */
ink_status ink_draft_add_batch(ink_draft *draft, const ink_batch *batch, ink_error *error)
{
    ink_draft *added;

    INK__TRY(ink__batch_check(&draft->of, batch, error));
    need most = need_of_batch(draft, batch);
    if (has_room(draft, &most) ||
        (is_modest(draft, &most) && reserve(draft, &most, NULL) == INK_OK))
        return add_checked(draft, batch, error);
    INK__TRY(create_like(&added, draft, error));
    ink_status status = add_checked(added, batch, error);
    if (status == INK_OK)
        return merge_and_free(draft, added, error);
    ink_draft_free(added);
    return status;
}

/* ---- Merge -------------------------------------------------------------------------------- */

/* What `from` has that is not in `into`. */
static need need_of_merge(const ink_draft *into, const ink_draft *from)
{
    element  some[SOME];
    uint64_t slot = 0;
    need     sum = {.keys = from->count, .key_bytes = from->key_bytes};

    if (has_room(into, &sum))
        return sum;
    sum = (need){0};
    for (size_t count; (count = next_elements(from, &slot, some)) > 0;)
        for (size_t i = 0; i < count; i++) {
            if (i + INK__HASH_SET_AHEAD < count)
                ink__hash_set_fetch(&into->set, some[i + INK__HASH_SET_AHEAD].hash);
            if (!ink__hash_set_has(&into->set, find(into, &some[i])))
                add_need(&sum, into, some[i].key_bytes);
        }
    return sum;
}

static ink_status merge(ink_draft *into, const ink_draft *from, ink_error *error)
{
    element  some[SOME];
    uint64_t slot = 0;
    need     more = need_of_merge(into, from);

    INK__TRY(reserve(into, &more, error));
    for (size_t count; (count = next_elements(from, &slot, some)) > 0;)
        for (size_t i = 0; i < count; i++) {
            if (i + INK__HASH_SET_AHEAD < count)
                ink__hash_set_fetch(&into->set, some[i + INK__HASH_SET_AHEAD].hash);
            INK__TRY(add_element(into, &some[i], error)); /* there is room */
        }
    into->of.records = ink__add_saturating(into->of.records, from->of.records);
    return INK_OK;
}

ink_status ink_draft_merge(ink_draft *into, const ink_draft *from, ink_error *error)
{
    if (into == from)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "a draft with itself, expected two");
    if (into->of.kind != from->of.kind)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s",
                         into->of.kind->name, from->of.kind->name);
    INK__TRY(ink__rule_match(&into->of.rule, &from->of.rule, error));
    if (into->rate != from->rate)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "target rates differ: %g and %g",
                         into->rate, from->rate);
    return merge(into, from, error);
}

/* ---- Finish ------------------------------------------------------------------------------- */

static uint64_t whole_above(double number)
{
    uint64_t whole = (uint64_t)number;

    return (double)whole < number ? whole + 1 : whole;
}

_Static_assert((int)INK__EXACT_KEYS == (int)INK__ESTIMATED_KEYS,
               "filters allow for estimates above it");

uint64_t ink__keys_of_estimate(double estimate)
{
    return whole_above(estimate * 1.007);
}

uint64_t ink__with_headroom(uint64_t keys, double headroom)
{
    double more = (double)keys * headroom;

    if (headroom <= 1 || keys == 0)
        return keys;
    return more < 1e18 ? whole_above(more) : UINT64_MAX;
}

ink_status ink__check_headroom(double *headroom, ink_error *error)
{
    if (*headroom == 0)
        *headroom = 1;
    if (*headroom >= 1 && *headroom <= 1e6)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{headroom} %g, expected 1 to 1e6",
                     *headroom);
}

ink_status ink__check_no_headroom(const char *kind, double headroom, ink_error *error)
{
    if (headroom == 1)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "{headroom} %g for %s, which takes no key once it is made: leave it out",
                     headroom, kind);
}

/* Adds all elements to a sketch with the key rule of the draft. */
static ink_status add_to_sketch(const ink_draft *draft, ink_sketch *sketch, ink_error *error)
{
    element  some[SOME];
    uint64_t hashes[SOME], weights[SOME], slot = 0;
    ink_key  keys[SOME];

    for (size_t count; (count = next_elements(draft, &slot, some)) > 0;) {
        ink_batch batch = {.count = count, .hashes = hashes};
        if (keeps_keys(draft))
            batch = (ink_batch){.count = count, .keys = keys};
        if (sketch->kind->counts)
            batch.weights = weights;
        for (size_t i = 0; i < count; i++) {
            hashes[i] = some[i].hash;
            weights[i] = some[i].weight;
            keys[i] = (ink_key){some[i].key, (size_t)some[i].key_bytes};
        }
        INK__TRY(ink_sketch_add_batch(sketch, &batch, error));
    }
    return INK_OK;
}

/* An estimate of the number of keys, which is the same for the same keys. */
static ink_status estimate(const ink_draft *draft, double *keys, ink_error *error)
{
    const ink_params params = {.kind = ink__hll.name, .precision = INK__COUNTER_PRECISION};
    ink__plan        planned = {.rule = draft->of.rule, .shape = {.kind = &ink__hll}};
    ink_sketch      *counter = NULL;
    ink_answer       answer;

    ink_status status = ink__hll.plan(&params, &planned.rule, &planned.shape, error);
    if (status == INK_OK)
        status = ink__sketch_open(&counter, &planned, NULL, false, &draft->of.allocator, error);
    ink__rule_wipe(&planned.rule);
    if (status == INK_OK)
        status = add_to_sketch(draft, counter, error);
    if (status == INK_OK)
        status = ink_sketch_distinct_by(counter, INK_ESTIMATOR_UNLIMITED, 0, &answer, error);
    if (status == INK_OK)
        *keys = answer.estimate;
    ink_sketch_free(counter);
    return status;
}

/* The number of keys to plan for, as a build of the same records finds it. */
static ink_status keys_of(const ink_draft *draft, uint64_t *keys, ink_error *error)
{
    double many;

    *keys = keeps_keys(draft) ? draft->of.records : draft->count;
    if (!keeps_keys(draft) && draft->count > INK__EXACT_KEYS) {
        INK__TRY(estimate(draft, &many, error));
        *keys = ink__keys_of_estimate(many);
    }
    *keys = *keys == 0 ? 1 : *keys;
    return INK_OK;
}

/* A sketch of just these keys: it takes no others. */
static ink_status finish_whole(ink_sketch **sketch, const ink_draft *draft, double headroom,
                               ink_error *error)
{
    ink__plan one = {.records = draft->of.records};

    INK__TRY(ink__check_no_headroom(draft->of.kind->name, headroom, error));
    INK__TRY(plan_for(draft, 1, &one.shape, error));
    one.rule = draft->of.rule;
    ink_status status = ink__whole_of_set(sketch, &one, draft->rate, &draft->set, draft->count,
                                          &draft->of.allocator, error);
    ink__rule_wipe(&one.rule);
    return status;
}

ink_status ink_draft_finish(ink_sketch **sketch, const ink_draft *draft, double headroom,
                            ink_error *error)
{
    ink__plan   planned = {.records = 0};
    ink_sketch *made;
    uint64_t    keys;

    INK__TRY(ink__check_headroom(&headroom, error));
    if (draft->of.kind->whole != NULL)
        return finish_whole(sketch, draft, headroom, error);
    INK__TRY(keys_of(draft, &keys, error));
    INK__TRY(plan_for(draft, ink__with_headroom(keys, headroom), &planned.shape, error));
    planned.rule = draft->of.rule;
    ink_status status = ink__sketch_open(&made, &planned, NULL, false, &draft->of.allocator, error);
    ink__rule_wipe(&planned.rule);
    INK__TRY(status);
    status = add_to_sketch(draft, made, error);
    made->records = draft->of.records;
    if (status == INK_OK)
        *sketch = made;
    else
        ink_sketch_free(made);
    return status;
}

/* ---- Encode ------------------------------------------------------------------------------- */

#define MAGIC "\x89INKDRFT"

enum {
    RATE_AT = INK__STORED_KIND_AT + 8,
    RECORDS_AT = RATE_AT + 8,
    COUNT_AT = RECORDS_AT + 8,
    KEY_BYTES_AT = COUNT_AT + 8,
    ELEMENTS_AT = KEY_BYTES_AT + 8,
    CHECKSUM_BYTES = 8,
    VERSION = 1,
};

/* The bytes of an element but for its key: a hash, a hash and a weight, or the end of a key. */
static uint64_t element_bytes(const ink_draft *draft)
{
    return draft->of.kind->counts ? 16 : 8;
}

/* The bytes of all keys, without their lengths. */
static uint64_t bare_key_bytes(const ink_draft *draft)
{
    return keeps_keys(draft) ? draft->key_bytes - LENGTH_BYTES * draft->count : 0;
}

ink_status ink_draft_encoded_bytes(const ink_draft *draft, size_t *count, ink_error *error)
{
    uint64_t bytes =
        ELEMENTS_AT + draft->count * element_bytes(draft) + bare_key_bytes(draft) + CHECKSUM_BYTES;

    if (bytes > INK__BYTES_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "a draft of %llu bytes",
                         (unsigned long long)bytes);
    *count = (size_t)bytes;
    return INK_OK;
}

static void write_header(const ink_draft *draft, uint8_t *to)
{
    memset(to, 0, ELEMENTS_AT);
    ink__stored_put(to, MAGIC, VERSION, &draft->of.rule, draft->of.kind);
    ink__store_u64(to + RATE_AT, ink__bits_of_double(draft->rate));
    ink__store_u64(to + RECORDS_AT, draft->of.records);
    ink__store_u64(to + COUNT_AT, draft->count);
    ink__store_u64(to + KEY_BYTES_AT, bare_key_bytes(draft));
}

/* By rising hash; then the weights in the same order. */
static ink_status write_hashes(const ink_draft *draft, uint8_t *to, ink_error *error)
{
    const ink__hash_set *set = &draft->set;
    ink__block           room;
    uint64_t             found = 0, count = draft->count;

    INK__TRY(ink__block_take(&room, &draft->of.allocator, 2 * 8 * count, error));
    uint64_t *hashes = (uint64_t *)(void *)room.data;
    for (uint64_t slot = 0; slot <= set->slots; slot++)
        if (ink__hash_set_has(set, slot))
            hashes[found++] = ink__hash_set_at(set, slot);
    ink__sort_u64(hashes, hashes + count, (size_t)count);
    for (uint64_t i = 0; i < count; i++)
        ink__store_u64(to + 8 * i, hashes[i]);
    for (uint64_t i = 0; i < count && set->valued; i++) {
        if (i + INK__HASH_SET_AHEAD < count)
            ink__hash_set_fetch(set, hashes[i + INK__HASH_SET_AHEAD]);
        ink__store_u64(to + 8 * (count + i),
                       *ink__hash_set_value(set, ink__hash_set_find(set, hashes[i])));
    }
    ink__block_release(&room, &draft->of.allocator);
    return INK_OK;
}

/* As strings: by their bytes, and the shorter first. */
static int compare_keys(const uint8_t *a, uint64_t a_bytes, const uint8_t *b, uint64_t b_bytes)
{
    uint64_t both = a_bytes < b_bytes ? a_bytes : b_bytes;
    int      order = both == 0 ? 0 : memcmp(a, b, (size_t)both);

    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

/* Of keys with their lengths before them. */
static int compare_kept(const void *a, const void *b)
{
    uint64_t a_bytes, b_bytes;

    memcpy(&a_bytes, a, LENGTH_BYTES);
    memcpy(&b_bytes, b, LENGTH_BYTES);
    return compare_keys((const uint8_t *)a + LENGTH_BYTES, a_bytes,
                        (const uint8_t *)b + LENGTH_BYTES, b_bytes);
}

/* The end of each key, and then all keys. */
static ink_status write_keys(const ink_draft *draft, uint8_t *to, ink_error *error)
{
    uint64_t     bytes = 2 * draft->count * sizeof(void *), end = 0;
    uint8_t     *keys = to + 8 * draft->count;
    const void **items;

    INK__TRY(ink__allocate(&draft->of.allocator, bytes, &items, error));
    for (uint64_t i = 0, at = 0; i < draft->count; i++) {
        items[i] = draft->keys + at;
        at += LENGTH_BYTES + element_at(draft, 0, at).key_bytes;
    }
    const void **sorted = ink__sort(items, (size_t)draft->count, compare_kept);
    for (uint64_t i = 0; i < draft->count; i++) {
        element one = element_at(draft, 0, (uint64_t)((const uint8_t *)sorted[i] - draft->keys));
        memcpy(keys + end, one.key, (size_t)one.key_bytes);
        end += one.key_bytes;
        ink__store_u64(to + 8 * i, end);
    }
    ink__release(&draft->of.allocator, items, bytes);
    return INK_OK;
}

ink_status ink_draft_encode_to(const ink_draft *draft, void *buffer, size_t room, size_t *count,
                               ink_error *error)
{
    uint8_t *to = buffer;
    size_t   bytes;

    INK__TRY(ink_draft_encoded_bytes(draft, &bytes, error));
    if (room < bytes)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "room for %zu bytes, expected %zu", room,
                         bytes);
    if (draft->count > 0)
        INK__TRY(keeps_keys(draft) ? write_keys(draft, to + ELEMENTS_AT, error)
                                   : write_hashes(draft, to + ELEMENTS_AT, error));
    write_header(draft, to);
    ink__store_u64(to + bytes - CHECKSUM_BYTES, ink__checksum(to, bytes - CHECKSUM_BYTES));
    *count = bytes;
    return INK_OK;
}

/* ---- Decode ------------------------------------------------------------------------------- */

/* Encoded bytes whose header was checked. */
typedef struct encoded {
    const uint8_t *elements;
    uint64_t       count, key_bytes;
} encoded;

static ink_status check_frame(const uint8_t *bytes, size_t count, ink_error *error)
{
    if (count < ELEMENTS_AT + CHECKSUM_BYTES)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, count,
                         "%zu bytes, expected %d or more of a draft", count,
                         ELEMENTS_AT + CHECKSUM_BYTES);
    if (memcmp(bytes, MAGIC, sizeof MAGIC - 1) != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0,
                         "other first bytes, expected those of a draft");
    if (ink__load_u16(bytes + INK__HEADER_VERSION) != VERSION)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_VERSION,
                         "a draft of version %u, expected %d",
                         ink__load_u16(bytes + INK__HEADER_VERSION), VERSION);
    uint64_t found = ink__load_u64(bytes + count - CHECKSUM_BYTES);
    uint64_t expected = ink__checksum(bytes, count - CHECKSUM_BYTES);
    if (found != expected)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, count - CHECKSUM_BYTES,
                         "checksum %llx, expected %llx for these bytes of a draft",
                         (unsigned long long)found, (unsigned long long)expected);
    static const unsigned zeros[] = {INK__HEADER_FLAGS, INK__STORED_KIND_AT + 6};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
        if (ink__load_u16(bytes + zeros[i]) != 0)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, zeros[i], "%u, expected 0",
                             ink__load_u16(bytes + zeros[i]));
    return INK_OK;
}

/* Sets kind, rule, rate and records. */
static ink_status read_plan(const uint8_t *bytes, ink_draft *to, ink_error *error)
{
    const ink__identity keys = {
        ink__load_u16(bytes + INK__HEADER_KEY_TYPE), ink__load_u16(bytes + INK__HEADER_HASH),
        ink__load_u64(bytes + INK__HEADER_SEED), ink__load_u64(bytes + INK__HEADER_CHECK)};
    const ink__stored_kind numbers = ink__stored_numbers(bytes);
    ink__shape             shape;

    INK__TRY(ink__stored_rule(&keys, &to->of.rule, error));
    INK__TRY(ink__stored_kind_of(&numbers, INK__STORED_KIND_AT, &to->of.rule, &to->of.kind, error));
    if (!ink__is_sized_by_keys(to->of.kind))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__STORED_KIND_AT,
                         "kind %s, which has no drafts, expected one that is sized by its keys",
                         to->of.kind->name);
    to->rate = ink__double_of_bits(ink__load_u64(bytes + RATE_AT));
    to->of.records = ink__load_u64(bytes + RECORDS_AT);
    if (to->rate > 0 && plan_for(to, 1, &shape, error) == INK_OK)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, RATE_AT,
                     "target rate %g, expected one that %s can have", to->rate, to->of.kind->name);
}

static ink_status check_sizes(const uint8_t *bytes, size_t count, const ink_draft *of, encoded *in,
                              ink_error *error)
{
    uint64_t room = count - ELEMENTS_AT - CHECKSUM_BYTES;

    *in = (encoded){bytes + ELEMENTS_AT, ink__load_u64(bytes + COUNT_AT),
                    ink__load_u64(bytes + KEY_BYTES_AT)};
    if (in->key_bytes > (keeps_keys(of) ? room : 0))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, KEY_BYTES_AT,
                         "%llu bytes of keys, expected %llu at most",
                         (unsigned long long)in->key_bytes,
                         (unsigned long long)(keeps_keys(of) ? room : 0));
    if (in->count > room / 8 || in->count * element_bytes(of) + in->key_bytes != room)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, COUNT_AT,
                         "%llu keys and %llu bytes of them in %llu bytes, expected just as many",
                         (unsigned long long)in->count, (unsigned long long)in->key_bytes,
                         (unsigned long long)room);
    return INK_OK;
}

static ink_status read_hashes(const encoded *in, ink_draft *to, ink_error *error)
{
    for (uint64_t i = 0; i < in->count; i++) {
        const uint8_t *at = in->elements + 8 * i;
        element        one = {.hash = ink__load_u64(at)};
        if (i > 0 && one.hash <= ink__load_u64(at - 8))
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ELEMENTS_AT + 8 * i,
                             "hash %llx after %llx, expected rising ones",
                             (unsigned long long)one.hash,
                             (unsigned long long)ink__load_u64(at - 8));
        if (i + INK__HASH_SET_AHEAD < in->count)
            ink__hash_set_fetch(&to->set, ink__load_u64(at + 8 * INK__HASH_SET_AHEAD));
        if (to->set.valued)
            one.weight = ink__load_u64(at + 8 * in->count);
        INK__TRY(add_element(to, &one, error));
    }
    return INK_OK;
}

static ink_status read_keys(const encoded *in, ink_draft *to, ink_error *error)
{
    const uint8_t *keys = in->elements + 8 * in->count;
    uint64_t       start = 0, end = 0;
    element        before = {0};

    for (uint64_t i = 0; i < in->count; i++, start = end) {
        end = ink__load_u64(in->elements + 8 * i);
        if (end < start || end > in->key_bytes)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ELEMENTS_AT + 8 * i,
                             "a key from byte %llu to %llu, expected one within %llu",
                             (unsigned long long)start, (unsigned long long)end,
                             (unsigned long long)in->key_bytes);
        element one = element_of_key(keys + start, end - start);
        if (i > 0 && compare_keys(before.key, before.key_bytes, one.key, one.key_bytes) >= 0)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ELEMENTS_AT + 8 * i,
                             "key %llu does not come after the one before it, expected rising keys",
                             (unsigned long long)i);
        INK__TRY(add_element(to, &one, error));
        before = one;
    }
    if (end != in->key_bytes)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, KEY_BYTES_AT,
                         "%llu bytes of keys, expected %llu", (unsigned long long)in->key_bytes,
                         (unsigned long long)end);
    return INK_OK;
}

ink_status ink_draft_decode(ink_draft **draft, const void *data, size_t count, uint64_t limit_bytes,
                            const ink_allocator *allocator, ink_error *error)
{
    const uint8_t *bytes = data;
    ink_draft      like = {.limit_bytes = limit_bytes == 0 ? UINT64_MAX : limit_bytes};
    ink_draft     *made;
    ink_error      local;
    encoded        in;

    if (error == NULL)
        error = &local; /* to learn which field it was */
    INK__TRY(check_frame(bytes, count, error));
    INK__TRY(read_plan(bytes, &like, error));
    INK__TRY(check_sizes(bytes, count, &like, &in, error));
    like.of.allocator = ink__allocator_or_heap(allocator);
    INK__TRY(ink__kernels_choose(&like.of.kernels, error));
    INK__TRY(create_like(&made, &like, error));
    need all = {.keys = in.count};
    if (keeps_keys(made))
        all.key_bytes = in.key_bytes + LENGTH_BYTES * in.count;
    ink_status status = reserve(made, &all, error);
    if (status == INK_OK)
        status = keeps_keys(made) ? read_keys(&in, made, error) : read_hashes(&in, made, error);
    made->of.records = like.of.records;
    if (status == INK_OK)
        *draft = made;
    else
        ink_draft_free(made);
    return status;
}
