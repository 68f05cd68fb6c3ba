/* top.c - which keys did I see most? Space-Saving with batched purges: a table of keys with counts.
 * A key that is not in the table was seen at most `missed` times, and a new key enters with that as
 * its error: its true count is at least what was counted since, and at most that plus the error
 * [Metwally, Agrawal, El Abbadi 2005]. When the table has twice `capacity` keys, `missed` becomes
 * the count of the (capacity + 1)-th, and every key up to it is removed [Misra, Gries 1982; Agarwal
 * et al. 2012 merge such tables; Anderson et al. 2017 purge in batches]. Each purge removes from
 * capacity + 1 keys as much as it raises `missed`, so that stays below total / (capacity + 1): no
 * key above total / capacity is ever missed, in any order of keys and merges. Owns the meaning of
 * counts and errors, and their form in a file; the table of keys is top_table.c. */
#include "base/bits.h"
#include "base/real.h"
#include "base/size.h"
#include "base/status.h"
#include "sketch/kinds/top_table.h"

#include <string.h>

enum { CAPACITY_MIN = 1, CAPACITY_MAX = 1 << 20, CAPACITY_DEFAULT = 1024, COUNTERS_PER_KEY = 32 };
enum { FIELD_CAPACITY, FIELD_TOTAL, FIELD_MISSED, FIELD_KEPT, FIELDS };
enum { KEY_BYTES_MAX = INK__TOP_KEY_BYTES_MAX };
/* An entry in a file: hash, high, error, and the end of its key or the int key itself. */
enum { AT_HASH = 0, AT_HIGH = 8, AT_ERROR = 16, AT_KEY = 24, FILED_BYTES = 32 };
#define FILED_CUT ((uint64_t)1 << 32)

_Static_assert(2 * 2 * CAPACITY_MAX <= INK__TOP_ENTRIES_MAX, "two full tables fit into one");

typedef struct top {
    ink_sketch base;
    uint64_t   capacity;
    uint64_t   total;  /* of all weights; stops at 2^64 - 1 */
    uint64_t   missed; /* the most that a key can have which is not kept */

    /* Either a table or, in a view, a payload in a file: */
    ink__top_table table;
    const uint8_t *view; /* NULL: the table */
    uint64_t       view_bytes, view_kept;
} top;

/* The keys in the table before a purge. */
static uint64_t kept_max(uint64_t capacity)
{
    return 2 * capacity;
}

/* The most bytes that `kept` keys take in a file. */
static uint64_t bytes_most(uint64_t kept, ink_key_type type)
{
    return kept * (type == INK_KEY_INT ? (uint64_t)FILED_BYTES : FILED_BYTES + KEY_BYTES_MAX);
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static ink_status top_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                           ink_error *error)
{
    uint64_t capacity = (uint64_t)params->top_keys * COUNTERS_PER_KEY;

    (void)rule;
    if (params->phi != 0 && params->top_keys != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{phi} and {top_keys} do not go together: give one of them");
    if (capacity < CAPACITY_DEFAULT)
        capacity = CAPACITY_DEFAULT;
    if (params->phi != 0) {
        if (!(params->phi >= 1.0 / CAPACITY_MAX && params->phi <= 1))
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{phi} %g, expected %g to 1",
                             params->phi, 1.0 / CAPACITY_MAX);
        double wanted = 1 / params->phi;
        capacity = (uint64_t)wanted;
        capacity += (double)capacity < wanted;
    }
    if (capacity > CAPACITY_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{top_keys} %u, expected at most %d",
                         params->top_keys, CAPACITY_MAX / COUNTERS_PER_KEY);
    shape->fields[FIELD_CAPACITY] = capacity;
    return INK_OK;
}

static ink_status top_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error)
{
    uint64_t capacity = shape->fields[FIELD_CAPACITY], kept = shape->fields[FIELD_KEPT];
    uint64_t total = shape->fields[FIELD_TOTAL], missed = shape->fields[FIELD_MISSED];

    if (capacity < CAPACITY_MIN || capacity > CAPACITY_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_CAPACITY,
                         "capacity %llu, expected %d to %d", (unsigned long long)capacity,
                         CAPACITY_MIN, CAPACITY_MAX);
    if (total != UINT64_MAX && missed > total / (capacity + 1))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_MISSED,
                         "a key may have been missed %llu times, expected at most %llu",
                         (unsigned long long)missed, (unsigned long long)(total / (capacity + 1)));
    if (kept > kept_max(capacity))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_KEPT,
                         "%llu keys, expected at most %llu", (unsigned long long)kept,
                         (unsigned long long)kept_max(capacity));
    uint64_t most = bytes_most(kept, rule->type);
    if (shape->payload_bytes < kept * FILED_BYTES || shape->payload_bytes > most)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "a top of %llu bytes, expected %llu to %llu for %llu keys",
                         (unsigned long long)shape->payload_bytes,
                         (unsigned long long)(kept * FILED_BYTES), (unsigned long long)most,
                         (unsigned long long)kept);
    return INK_OK;
}

static void top_describe(const ink__shape *shape, ink_description *description)
{
    description->capacity = shape->fields[FIELD_CAPACITY];
    description->phi = 1 / (double)description->capacity;
    description->total = shape->fields[FIELD_TOTAL];
    description->missed = shape->fields[FIELD_MISSED];
    description->bytes_max = bytes_most(kept_max(description->capacity), description->key_type);
}

static uint64_t kept_in(const top *t)
{
    return t->view == NULL ? t->table.kept : t->view_kept;
}

static uint64_t key_bytes_of(const top *t)
{
    return t->view == NULL ? t->table.keys_used : t->view_bytes - t->view_kept * FILED_BYTES;
}

static void top_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const top *t = (const top *)sketch;

    shape->fields[FIELD_CAPACITY] = t->capacity;
    shape->fields[FIELD_TOTAL] = t->total;
    shape->fields[FIELD_MISSED] = t->missed;
    shape->fields[FIELD_KEPT] = kept_in(t);
    shape->payload_bytes = kept_in(t) * FILED_BYTES + key_bytes_of(t);
}

/* ---- Entries, however they are kept ------------------------------------------------------- */

/* Entry `number` of a payload with `kept` keys. It was checked, but a mapped file may change: so
 * every offset is checked again. */
static ink__top_entry filed_entry(const uint8_t *payload, uint64_t kept, uint64_t payload_bytes,
                                  uint64_t number, bool ints)
{
    const uint8_t *at = payload + number * FILED_BYTES;
    uint64_t       room = payload_bytes - kept * FILED_BYTES;
    uint64_t       key = ink__load_u64(at + AT_KEY), start = 0;
    ink__top_entry e = {
        .hash = ink__load_u64(at + AT_HASH),
        .high = ink__load_u64(at + AT_HIGH),
        .error = ink__load_u64(at + AT_ERROR),
    };

    if (e.error > e.high)
        e.error = e.high;
    if (ints) {
        e.key_int = (int64_t)key;
        return e;
    }
    if (number > 0)
        start = (uint32_t)ink__load_u64(at - FILED_BYTES + AT_KEY);
    uint64_t end = (uint32_t)key;
    end = end > room ? room : end;
    start = start > end ? end : start;
    e.key_at = start;
    e.key_bytes = (uint32_t)(end - start > KEY_BYTES_MAX ? KEY_BYTES_MAX : end - start);
    e.cut = (key & FILED_CUT) != 0;
    return e;
}

static bool holds_ints(const top *t)
{
    return t->base.rule.type == INK_KEY_INT;
}

static ink__top_entry entry_at(const top *t, uint64_t number)
{
    if (t->view == NULL)
        return t->table.entries[number];
    return filed_entry(t->view, t->view_kept, t->view_bytes, number, holds_ints(t));
}

/* The bytes of the keys of all entries. */
static const uint8_t *keys_of(const top *t)
{
    return t->view == NULL ? t->table.keys : t->view + t->view_kept * FILED_BYTES;
}

/* ---- Contents from a file ----------------------------------------------------------------- */

static ink_status check_counts(const uint8_t *payload, const ink__shape *shape, ink_error *error)
{
    uint64_t missed = shape->fields[FIELD_MISSED], total = shape->fields[FIELD_TOTAL];
    /* What the purges removed; `check` has seen that it is within the total, unless that has
     * saturated. */
    uint64_t counted = total == UINT64_MAX ? 0 : missed * (shape->fields[FIELD_CAPACITY] + 1);

    for (uint64_t i = 0; i < shape->fields[FIELD_KEPT]; i++) {
        const uint8_t *at = payload + i * FILED_BYTES;
        uint64_t       high = ink__load_u64(at + AT_HIGH), err = ink__load_u64(at + AT_ERROR);
        if ((high <= missed && high != UINT64_MAX) || err > missed)
            return ink__fail(
                error, INK_FORMAT, INK__AT_PAYLOAD, i * FILED_BYTES + AT_HIGH,
                "a key with count %llu and error %llu, expected above %llu and at most that",
                (unsigned long long)high, (unsigned long long)err, (unsigned long long)missed);
        counted = ink__add_saturating(counted, high - missed);
    }
    if (counted > total)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, AT_HIGH,
                         "keys that need a total of %llu, expected at most %llu",
                         (unsigned long long)counted, (unsigned long long)total);
    return INK_OK;
}

/* Where the keys end, and which of them are cut. */
static ink_status check_ends(const uint8_t *payload, const ink__shape *shape, ink_error *error)
{
    uint64_t kept = shape->fields[FIELD_KEPT], end = 0;
    uint64_t room = shape->payload_bytes - kept * FILED_BYTES;

    for (uint64_t i = 0; i < kept; i++) {
        uint64_t key = ink__load_u64(payload + i * FILED_BYTES + AT_KEY), next = (uint32_t)key;
        if (key >> 33 != 0 || next < end || next - end > KEY_BYTES_MAX || next > room)
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * FILED_BYTES + AT_KEY,
                             "a key from %llu to 0x%llx, expected at most %d bytes of %llu",
                             (unsigned long long)end, (unsigned long long)key, KEY_BYTES_MAX,
                             (unsigned long long)room);
        if ((key & FILED_CUT) != 0 && next - end != KEY_BYTES_MAX)
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * FILED_BYTES + AT_KEY,
                             "a key cut to %llu bytes, expected %d",
                             (unsigned long long)(next - end), KEY_BYTES_MAX);
        end = next;
    }
    if (end != room)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, kept * FILED_BYTES,
                         "keys of %llu bytes, expected %llu", (unsigned long long)room,
                         (unsigned long long)end);
    return INK_OK;
}

/* The hash stored with a key must be its own, where it can be computed: a key with two hashes would
 * be in the table twice. */
static ink_status check_hash(const ink__top_entry *e, const uint8_t *keys,
                             const ink__key_rule *rule, uint64_t position, ink_error *error)
{
    if (e->cut || ink__rule_can_hash(rule, NULL) != INK_OK)
        return INK_OK;
    uint64_t hash = rule->type == INK_KEY_INT
                        ? ink__rule_hash_int(rule, e->key_int)
                        : ink__rule_hash_bytes(rule, keys + e->key_at, e->key_bytes);
    if (hash == e->hash)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, position,
                     "hash 0x%llx beside a key, expected 0x%llx", (unsigned long long)e->hash,
                     (unsigned long long)hash);
}

static ink_status top_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                    const uint8_t *payload, ink_error *error)
{
    uint64_t       kept = shape->fields[FIELD_KEPT];
    bool           ints = rule->type == INK_KEY_INT;
    const uint8_t *keys = payload + kept * FILED_BYTES;
    ink__top_entry before = {0};

    INK__TRY(check_counts(payload, shape, error));
    if (!ints)
        INK__TRY(check_ends(payload, shape, error));
    for (uint64_t i = 0; i < kept; i++) {
        ink__top_entry e = filed_entry(payload, kept, shape->payload_bytes, i, ints);
        INK__TRY(check_hash(&e, keys, rule, i * FILED_BYTES, error));
        if (i > 0 &&
            (before.hash > e.hash ||
             (before.hash == e.hash && ink__top_compare_keys(&before, keys, &e, keys) >= 0)))
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * FILED_BYTES,
                             "keys out of order, expected them by rising hash");
        before = e;
    }
    return INK_OK;
}

static ink_status top_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                           ink_error *error)
{
    top     *t = (top *)sketch;
    uint64_t kept = shape->fields[FIELD_KEPT], position;
    uint64_t key_bytes = shape->payload_bytes - kept * FILED_BYTES;

    t->capacity = shape->fields[FIELD_CAPACITY];
    t->total = shape->fields[FIELD_TOTAL];
    t->missed = shape->fields[FIELD_MISSED];
    if (sketch->read_only) {
        t->view = payload;
        t->view_bytes = shape->payload_bytes;
        t->view_kept = kept;
        return INK_OK;
    }
    if (kept == 0)
        return INK_OK;
    INK__TRY(ink__top_table_reserve(&t->table, kept, key_bytes, kept_max(t->capacity),
                                    &sketch->allocator, error));
    const uint8_t *keys = payload + kept * FILED_BYTES;
    for (uint64_t i = 0; i < kept; i++) {
        ink__top_entry e = filed_entry(payload, kept, shape->payload_bytes, i, holds_ints(t));
        /* There is room, unless a mapped file has changed since it was checked. */
        if (e.key_bytes <= t->table.keys_room - t->table.keys_used &&
            ink__top_find(&t->table, &e, keys, &position) == NULL)
            ink__top_insert(&t->table, &e, keys, position);
    }
    return INK_OK;
}

static void top_release(ink_sketch *sketch)
{
    ink__top_table_release(&((top *)sketch)->table, &sketch->allocator);
}

static uint64_t top_memory(const ink_sketch *sketch)
{
    const ink__top_table *table = &((const top *)sketch)->table;

    return table->memory_bytes + table->keys_room;
}

/* After the payload there is room for the order of the entries. */
static uint64_t top_scratch_bytes(const ink_sketch *sketch)
{
    uint64_t kept = ((const top *)sketch)->table.kept;

    return kept == 0 ? 0 : kept * sizeof(uint64_t) + ink__shape_of(sketch).payload_bytes;
}

static const uint8_t *top_payload(const ink_sketch *sketch, uint8_t *scratch)
{
    const top *t = (const top *)sketch;
    uint64_t   kept = t->table.kept, end = 0;

    if (t->view != NULL || kept == 0)
        return t->view;
    uint8_t *keys = scratch + kept * FILED_BYTES, *order = keys + t->table.keys_used;
    ink__top_sort(&t->table, order);
    for (uint64_t i = 0; i < kept; i++) {
        const ink__top_entry *e = &t->table.entries[ink__load_u64(order + 8 * i)];
        uint8_t              *at = scratch + i * FILED_BYTES;
        if (e->key_bytes > 0)
            memcpy(keys + end, t->table.keys + e->key_at, e->key_bytes);
        end += e->key_bytes;
        ink__store_u64(at + AT_HASH, e->hash);
        ink__store_u64(at + AT_HIGH, e->high);
        ink__store_u64(at + AT_ERROR, e->error);
        ink__store_u64(at + AT_KEY,
                       holds_ints(t) ? (uint64_t)e->key_int : end | (e->cut ? FILED_CUT : 0));
    }
    return scratch;
}

/* The bytes of all keys that would be kept of them. Loops without a branch: they are vectorised. */
static uint64_t key_bytes_in(const ink__keys *keys)
{
    uint64_t sum = 0;

    for (size_t i = 0; keys->pairs != NULL && i < keys->count; i++)
        sum += keys->pairs[i].bytes < KEY_BYTES_MAX ? keys->pairs[i].bytes : KEY_BYTES_MAX;
    for (size_t i = 0; keys->pairs == NULL && i < keys->count; i++) {
        const uint64_t bytes = keys->ends[i] - keys->starts[i];
        sum += bytes < KEY_BYTES_MAX ? bytes : KEY_BYTES_MAX;
    }
    return sum;
}

/* Reserves for what there is and all keys, but not beyond a full table. */
static ink_status top_reserve(ink_sketch *sketch, const ink__keys *keys, ink_error *error)
{
    top     *t = (top *)sketch;
    uint64_t most = kept_max(t->capacity), kept = t->table.kept, bytes = t->table.keys_used;

    if (keys->ints == NULL)
        bytes += key_bytes_in(keys);
    if (bytes > most * KEY_BYTES_MAX)
        bytes = most * KEY_BYTES_MAX;
    kept = keys->count < most - kept ? kept + keys->count : most;
    return ink__top_table_reserve(&t->table, kept, bytes, most, &sketch->allocator, error);
}

static void top_add(ink_sketch *sketch, const ink__keys *keys)
{
    top     *t = (top *)sketch;
    uint64_t most = kept_max(t->capacity);
    size_t   added = 0;

    while ((added = ink__top_add(&t->table, keys, added, most, t->missed)) < keys->count)
        t->missed = ink__top_purge(&t->table, t->capacity, t->missed);
    if (keys->weights == NULL)
        t->total = ink__add_saturating(t->total, keys->count);
    for (size_t i = 0; keys->weights != NULL && i < keys->count; i++)
        t->total = ink__add_saturating(t->total, keys->weights[i]);
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* What was counted is certain; the error is what the key may have had before. */
static ink_answer answer_of(uint64_t high, uint64_t error)
{
    return (ink_answer){
        .estimate = ink__real_down(high - error),
        .low = ink__real_down(high - error),
        .high = ink__real_up(high), /* 2^64 if it has stopped */
        .confidence = 1,
        .saturated = high == UINT64_MAX,
    };
}

/* Finds a key in a file, by binary search. */
static bool find_filed(const top *t, const ink__top_entry *wanted, const uint8_t *keys,
                       ink__top_entry *found)
{
    uint64_t low = 0, high = t->view_kept;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        *found = entry_at(t, middle);
        int order = (found->hash > wanted->hash) - (found->hash < wanted->hash);
        if (order == 0)
            order = ink__top_compare_keys(found, keys_of(t), wanted, keys);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static ink_answer count_one(const top *t, const ink__top_entry *wanted, const uint8_t *keys)
{
    ink__top_entry  filed;
    ink__top_entry *found = NULL;
    uint64_t        position;

    if (t->view != NULL)
        found = find_filed(t, wanted, keys, &filed) ? &filed : NULL;
    else if (t->table.kept > 0)
        found = ink__top_find(&t->table, wanted, keys, &position);
    return found == NULL ? answer_of(t->missed, t->missed) : answer_of(found->high, found->error);
}

static void top_count(const ink_sketch *sketch, const ink__keys *keys, ink_answer *answers)
{
    for (size_t i = 0; i < keys->count; i++) {
        ink__top_entry wanted = ink__top_wanted(keys, i);
        answers[i] = count_one((const top *)sketch, &wanted, keys->bytes);
    }
}

static size_t top_kept(const ink_sketch *sketch)
{
    return (size_t)kept_in((const top *)sketch);
}

static void top_item(const ink_sketch *sketch, size_t index, ink_item *item)
{
    static const uint8_t nothing[1];
    const top           *t = (const top *)sketch;
    ink__top_entry       e = entry_at(t, index);

    *item = (ink_item){
        .hash = e.hash,
        .key = holds_ints(t)      ? NULL
               : e.key_bytes == 0 ? nothing
                                  : keys_of(t) + e.key_at,
        .key_bytes = e.key_bytes,
        .key_int = e.key_int,
        .cut = e.cut,
        .count = answer_of(e.high, e.error),
    };
}

/* ---- Combining ---------------------------------------------------------------------------- */

static void add_counts(ink__top_entry *e, uint64_t high, uint64_t error)
{
    e->high = ink__add_saturating(e->high, high);
    e->error = ink__add_saturating(e->error, error);
}

/* Counts of a key that both have add up; a key of one only may have had what the other missed. */
static void merge_entries(top *a, const top *b)
{
    ink__top_table *table = &a->table;
    const uint8_t  *keys = keys_of(b);
    uint64_t        before = table->kept, position;

    for (uint64_t i = 0; i < before; i++)
        table->entries[i].met = false; /* does b keep it too? */
    for (uint64_t i = 0; i < kept_in(b); i++) {
        ink__top_entry  e = entry_at(b, i);
        ink__top_entry *known = ink__top_find(table, &e, keys, &position);
        if (known != NULL) {
            add_counts(known, e.high, e.error);
            known->met = true;
            continue;
        }
        add_counts(&e, a->missed, a->missed);
        /* There is room, unless a mapped file has changed since it was reserved. */
        if (table->kept < table->room && e.key_bytes <= table->keys_room - table->keys_used)
            ink__top_insert(table, &e, keys, position);
    }
    for (uint64_t i = 0; i < before; i++)
        if (!table->entries[i].met)
            add_counts(&table->entries[i], b->missed, b->missed);
}

static ink_status top_merge(ink_sketch *into, const ink_sketch *from,
                            const ink_merge_options *options, ink_error *error)
{
    top       *a = (top *)into;
    const top *b = (const top *)from;

    (void)options;
    if (kept_in(b) > 0)
        INK__TRY(ink__top_table_reserve(&a->table, a->table.kept + kept_in(b),
                                        a->table.keys_used + key_bytes_of(b), kept_max(a->capacity),
                                        &into->allocator, error));
    if (a->table.room > 0)
        merge_entries(a, b);
    a->total = ink__add_saturating(a->total, b->total);
    a->missed = ink__add_saturating(a->missed, b->missed);
    if (b->capacity < a->capacity)
        a->capacity = b->capacity;
    if (a->table.kept > kept_max(a->capacity))
        a->missed = ink__top_purge(&a->table, a->capacity, a->missed);
    return INK_OK;
}

const ink__kind ink__top = {
    .name = "top",
    .id = 6,
    .layout = 1,
    .takes = INK__TAKES_SHARE,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_COUNT] = 2, [INK_ASK_TOP] = 1},
    .counts = true,
    .totals = true,
    .keeps_keys = true,
    .object_bytes = sizeof(top),
    .position_rules = {[INK__SCHEME_HASH64] = INK__RULE_KEPT},
    .plan = top_plan,
    .check = top_check,
    .check_payload = top_check_payload,
    .describe = top_describe,
    .load = top_load,
    .release = top_release,
    .memory = top_memory,
    .shape = top_shape,
    .scratch_bytes = top_scratch_bytes,
    .payload = top_payload,
    .reserve = top_reserve,
    .add = top_add,
    .count = top_count,
    .merge = top_merge,
    .kept = top_kept,
    .item = top_item,
};
