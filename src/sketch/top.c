/* top.c - which keys did I see most? Space-Saving, purged in strokes: a table of keys with counts.
 * A key that is not kept can have been seen `missed` times at most, and a new key enters with that
 * as its error: its count lies between what was counted since and that plus the error [Metwally,
 * Agrawal, El Abbadi 2005]. When twice `capacity` keys are kept, `missed` becomes the count of the
 * (capacity + 1)-th and every key up to it goes [Misra, Gries 1982; Agarwal et al. 2012 merge such
 * tables; Anderson et al. 2017 purge in strokes]. Each purge costs capacity + 1 keys as much as it
 * raises `missed`, so that stays below total / (capacity + 1): no key above total / capacity is
 * ever missed, in whatever order keys come and however tables were merged.
 * Owns the table and the keys in it. docs/accuracy.md#top states the bounds. */
#include "base/bits.h"
#include "base/size.h"
#include "hash/mix.h"
#include "sketch/kinds.h"

#include <string.h>

enum { CAPACITY_MIN = 1, CAPACITY_MAX = 1 << 20, CAPACITY_DEFAULT = 1024, COUNTERS_PER_KEY = 32 };
enum { FIELD_CAPACITY, FIELD_TOTAL, FIELD_MISSED, FIELD_KEPT, FIELDS };
enum { KEY_BYTES_MAX = 1024 };
/* An entry in a file: hash, high, error, and where its key ends or the int that it is. */
enum { AT_HASH = 0, AT_HIGH = 8, AT_ERROR = 16, AT_KEY = 24, FILED_BYTES = 32 };
#define FILED_CUT ((uint64_t)1 << 32)

/* One key: seen at least high - error and at most `high` times. */
typedef struct entry {
    uint64_t hash, high, error;
    int64_t  key_int;
    uint64_t key_at;    /* in `keys` */
    uint32_t key_bytes; /* kept */
    bool     cut;       /* it had more */
} entry;

typedef struct top {
    ink_sketch base;
    uint64_t   capacity;
    uint64_t   total;  /* of all weights; stops at 2^64 - 1 */
    uint64_t   missed; /* the most that a key can have which is not kept */
    uint64_t   kept;

    /* One piece of memory for `room` keys: */
    void     *memory;
    uint64_t  memory_bytes, room;
    entry    *entries; /* in the order in which they came */
    uint64_t *marks;   /* for a purge or a merge */
    uint32_t *index;   /* by hash: number of the entry + 1, or 0; index_mask + 1 of them */
    uint64_t  index_mask;
    uint8_t  *keys; /* of the entries, one after another */
    uint64_t  keys_used, keys_room;

    const uint8_t *view; /* instead of all these: the payload in a file, of view_bytes */
    uint64_t       view_bytes;
} top;

static top *top_of(ink_sketch *sketch)
{
    return (top *)sketch;
}

static const top *const_top_of(const ink_sketch *sketch)
{
    return (const top *)sketch;
}

/* So many keys are kept before a purge. */
static uint64_t kept_max(uint64_t capacity)
{
    return 2 * capacity;
}

/* The most bytes that so many keys take in a file. */
static uint64_t bytes_most(uint64_t kept, ink_key_type type)
{
    return kept * (type == INK_KEY_INT ? (uint64_t)FILED_BYTES : FILED_BYTES + KEY_BYTES_MAX);
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static uint16_t top_position_rule(const ink__key_rule *rule)
{
    return rule->draw == INK__DRAW_HASH64 ? INK__RULE_KEPT : 0;
}

static ink_status top_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                           ink_error *error)
{
    uint64_t capacity = (uint64_t)params->top_keys * COUNTERS_PER_KEY;

    (void)rule;
    if (params->phi != 0 && params->top_keys != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "phi and top_keys do not go together: give one of them");
    if (capacity < CAPACITY_DEFAULT)
        capacity = CAPACITY_DEFAULT;
    if (params->phi != 0) {
        if (!(params->phi >= 1.0 / CAPACITY_MAX && params->phi <= 1))
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "phi %g, expected %g to 1",
                             params->phi, 1.0 / CAPACITY_MAX);
        double wanted = 1 / params->phi;
        capacity = (uint64_t)wanted;
        capacity += (double)capacity < wanted;
    }
    if (capacity > CAPACITY_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "top_keys %u, expected at most %d",
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

static void top_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const top *t = const_top_of(sketch);

    shape->fields[FIELD_CAPACITY] = t->capacity;
    shape->fields[FIELD_TOTAL] = t->total;
    shape->fields[FIELD_MISSED] = t->missed;
    shape->fields[FIELD_KEPT] = t->kept;
    shape->payload_bytes = t->view != NULL ? t->view_bytes : t->kept * FILED_BYTES + t->keys_used;
}

/* ---- Entries, however they are kept ------------------------------------------------------- */

/* Entry `number` of a payload; `keys` are the bytes behind the entries. It was checked, but a
 * mapped file may change under us: so every place is looked at again. */
static entry filed_entry(const uint8_t *payload, uint64_t kept, uint64_t payload_bytes,
                         uint64_t number, bool ints)
{
    const uint8_t *at = payload + number * FILED_BYTES;
    uint64_t       room = payload_bytes - kept * FILED_BYTES;
    uint64_t       key = ink__load_u64(at + AT_KEY), start = 0;
    entry          e = {
                 .hash = ink__load_u64(at + AT_HASH),
                 .high = ink__load_u64(at + AT_HIGH),
                 .error = ink__load_u64(at + AT_ERROR),
    };

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

static entry entry_at(const top *t, uint64_t number)
{
    if (t->view == NULL)
        return t->entries[number];
    return filed_entry(t->view, t->kept, t->view_bytes, number, holds_ints(t));
}

/* The bytes of the keys of all entries. */
static const uint8_t *keys_of(const top *t)
{
    return t->view == NULL ? t->keys : t->view + t->kept * FILED_BYTES;
}

/* Orders keys by bytes, a prefix first and a cut key last; or ints by value. */
static int compare_keys(const entry *a, const uint8_t *keys_a, const entry *b,
                        const uint8_t *keys_b)
{
    uint32_t shorter = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
    int      order = shorter == 0 ? 0 : memcmp(keys_a + a->key_at, keys_b + b->key_at, shorter);

    if (order == 0)
        order = (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
    if (order == 0)
        order = (int)a->cut - (int)b->cut;
    return order != 0 ? order : (a->key_int > b->key_int) - (a->key_int < b->key_int);
}

static bool same_key(const entry *a, const uint8_t *keys_a, const entry *b, const uint8_t *keys_b)
{
    return a->hash == b->hash && compare_keys(a, keys_a, b, keys_b) == 0;
}

/* ---- Contents from a file ----------------------------------------------------------------- */

static ink_status check_filed(const entry *e, const ink__shape *shape, uint64_t place,
                              ink_error *error)
{
    if (e->high <= shape->fields[FIELD_MISSED] || e->error > shape->fields[FIELD_MISSED])
        return ink__fail(
            error, INK_FORMAT, INK__AT_PAYLOAD, place + AT_HIGH,
            "a key with count %llu and error %llu, expected above %llu and at most that",
            (unsigned long long)e->high, (unsigned long long)e->error,
            (unsigned long long)shape->fields[FIELD_MISSED]);
    if (e->cut && e->key_bytes != KEY_BYTES_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, place + AT_KEY,
                         "a key cut to %u bytes, expected %d", e->key_bytes, KEY_BYTES_MAX);
    return INK_OK;
}

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
        end = next;
    }
    if (end != room)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, kept * FILED_BYTES,
                         "keys of %llu bytes, expected %llu", (unsigned long long)room,
                         (unsigned long long)end);
    return INK_OK;
}

static ink_status top_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                    const uint8_t *payload, ink_error *error)
{
    uint64_t       kept = shape->fields[FIELD_KEPT], counted = 0;
    bool           ints = rule->type == INK_KEY_INT;
    const uint8_t *keys = payload + kept * FILED_BYTES;
    entry          before = {0};

    if (!ints)
        INK__TRY(check_ends(payload, shape, error));
    for (uint64_t i = 0; i < kept; i++) {
        entry e = filed_entry(payload, kept, shape->payload_bytes, i, ints);
        INK__TRY(check_filed(&e, shape, i * FILED_BYTES, error));
        if (i > 0 && (before.hash > e.hash ||
                      (before.hash == e.hash && compare_keys(&before, keys, &e, keys) >= 0)))
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i * FILED_BYTES,
                             "keys out of order, expected them by rising hash");
        counted = ink__add_saturating(counted, e.high - e.error);
        before = e;
    }
    if (counted > shape->fields[FIELD_TOTAL])
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, 0,
                         "keys counted %llu times, expected at most the total, %llu",
                         (unsigned long long)counted,
                         (unsigned long long)shape->fields[FIELD_TOTAL]);
    return INK_OK;
}

/* ---- The table ---------------------------------------------------------------------------- */

/* The place in the index where an entry with this key stands, or would. */
static uint64_t place_of(const top *t, const entry *e, const uint8_t *keys)
{
    uint64_t place = e->hash & t->index_mask;

    while (t->index[place] != 0 && !same_key(&t->entries[t->index[place] - 1], t->keys, e, keys))
        place = (place + 1) & t->index_mask;
    return place;
}

static void index_all(top *t)
{
    memset(t->index, 0, (t->index_mask + 1) * sizeof *t->index);
    for (uint64_t i = 0; i < t->kept; i++) {
        uint64_t place = t->entries[i].hash & t->index_mask;
        while (t->index[place] != 0)
            place = (place + 1) & t->index_mask;
        t->index[place] = (uint32_t)(i + 1);
    }
}

/* Makes room for so many entries. */
static ink_status make_entry_room(top *t, uint64_t wanted, ink_error *error)
{
    uint64_t room = t->room == 0 ? 8 : t->room, slots = 16;
    void    *memory;

    if (wanted <= t->room)
        return INK_OK;
    while (room < wanted)
        room *= 2;
    if (wanted <= kept_max(t->capacity) && room > kept_max(t->capacity))
        room = kept_max(t->capacity);
    while (slots < 2 * room)
        slots *= 2;
    uint64_t bytes = room * (sizeof(entry) + sizeof(uint64_t)) + slots * sizeof(uint32_t);
    INK__TRY(ink__allocate(&t->base.allocator, bytes, &memory, error));
    if (t->kept > 0)
        memcpy(memory, t->entries, t->kept * sizeof(entry));
    ink__release(&t->base.allocator, t->memory, t->memory_bytes);
    t->memory = memory;
    t->memory_bytes = bytes;
    t->room = room;
    t->entries = memory;
    t->marks = (uint64_t *)(void *)(t->entries + room);
    t->index = (uint32_t *)(void *)(t->marks + room);
    t->index_mask = slots - 1;
    index_all(t);
    return INK_OK;
}

/* Makes room for so many bytes of keys. */
static ink_status make_key_room(top *t, uint64_t wanted, ink_error *error)
{
    uint64_t room = t->keys_room == 0 ? 64 : t->keys_room;
    void    *memory;

    if (wanted <= t->keys_room)
        return INK_OK;
    while (room < wanted)
        room *= 2;
    INK__TRY(ink__allocate(&t->base.allocator, room, &memory, error));
    if (t->keys_used > 0)
        memcpy(memory, t->keys, t->keys_used);
    ink__release(&t->base.allocator, t->keys, t->keys_room);
    t->keys = memory;
    t->keys_room = room;
    return INK_OK;
}

/* The value that `rank` values are above or equal to, if they were sorted: the rank-th largest,
 * counted from 0. Reorders the values. */
static uint64_t select_largest(uint64_t *values, uint64_t count, uint64_t rank)
{
    uint64_t low = 0, high = count, drawn = count;

    for (;;) {
        /* Which pivot is taken changes nothing but the time. */
        drawn = ink__mix64(drawn + 1);
        uint64_t pivot = values[low + drawn % (high - low)];
        /* Larger ones to the left of [more, less), smaller ones to the right. */
        uint64_t more = low, less = high;
        for (uint64_t i = low; i < less;) {
            uint64_t value = values[i];
            if (value > pivot) {
                values[i++] = values[more];
                values[more++] = value;
            } else if (value < pivot) {
                values[i] = values[--less];
                values[less] = value;
            } else {
                i++;
            }
        }
        if (rank < more)
            high = more;
        else if (rank >= less)
            low = less;
        else
            return pivot;
    }
}

/* Lets every key go up to the (capacity + 1)-th, of which there are more than that. */
static void purge(top *t)
{
    uint64_t kept = 0, used = 0;

    for (uint64_t i = 0; i < t->kept; i++)
        t->marks[i] = t->entries[i].high;
    t->missed = select_largest(t->marks, t->kept, t->capacity);
    for (uint64_t i = 0; i < t->kept; i++) {
        entry e = t->entries[i];
        if (e.high <= t->missed)
            continue;
        if (e.key_bytes > 0)
            memmove(t->keys + used, t->keys + e.key_at, e.key_bytes);
        e.key_at = used;
        used += e.key_bytes;
        t->entries[kept++] = e;
    }
    t->kept = kept;
    t->keys_used = used;
    index_all(t);
}

/* Puts an entry that is not there at its place in the index; there is room. */
static void insert(top *t, const entry *e, const uint8_t *keys, uint64_t place)
{
    entry *put = &t->entries[t->kept];

    *put = *e;
    put->key_at = t->keys_used;
    if (e->key_bytes > 0)
        memcpy(t->keys + t->keys_used, keys + e->key_at, e->key_bytes);
    t->keys_used += e->key_bytes;
    t->index[place] = (uint32_t)++t->kept;
}

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status top_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                           ink_error *error)
{
    top     *t = top_of(sketch);
    uint64_t kept = shape->fields[FIELD_KEPT];

    t->capacity = shape->fields[FIELD_CAPACITY];
    t->total = shape->fields[FIELD_TOTAL];
    t->missed = shape->fields[FIELD_MISSED];
    if (sketch->read_only) {
        t->kept = kept;
        t->view = payload;
        t->view_bytes = shape->payload_bytes;
        return INK_OK;
    }
    if (kept == 0)
        return INK_OK;
    INK__TRY(make_entry_room(t, kept, error));
    INK__TRY(make_key_room(t, shape->payload_bytes - kept * FILED_BYTES, error));
    const uint8_t *keys = payload + kept * FILED_BYTES;
    for (uint64_t i = 0; i < kept; i++) {
        entry e = filed_entry(payload, kept, shape->payload_bytes, i, holds_ints(t));
        insert(t, &e, keys, place_of(t, &e, keys));
    }
    return INK_OK;
}

static ink_status top_create(ink_sketch *sketch, const ink__shape *shape, ink_error *error)
{
    (void)error;
    top_of(sketch)->capacity = shape->fields[FIELD_CAPACITY];
    return INK_OK;
}

static void top_release(ink_sketch *sketch)
{
    top *t = top_of(sketch);

    ink__release(&sketch->allocator, t->memory, t->memory_bytes);
    ink__release(&sketch->allocator, t->keys, t->keys_room);
}

/* ---- The payload -------------------------------------------------------------------------- */

/* Behind the payload there is room for the order of the entries. */
static uint64_t top_scratch_bytes(const ink_sketch *sketch)
{
    const top *t = const_top_of(sketch);

    return t->view != NULL ? 0 : t->kept * (FILED_BYTES + sizeof(uint64_t)) + t->keys_used;
}

static bool files_after(const top *t, uint64_t a, uint64_t b)
{
    const entry *of_a = &t->entries[a], *of_b = &t->entries[b];

    if (of_a->hash != of_b->hash)
        return of_a->hash > of_b->hash;
    return compare_keys(of_a, t->keys, of_b, t->keys) > 0;
}

/* Moves what stands at `at` of a heap, whose roots come last, down to its place. */
static void sift_down(const top *t, uint8_t *order, uint64_t at, uint64_t count)
{
    uint64_t moved = ink__load_u64(order + 8 * at);

    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && files_after(t, ink__load_u64(order + 8 * (child + 1)),
                                             ink__load_u64(order + 8 * child)))
            child++;
        uint64_t below = ink__load_u64(order + 8 * child);
        if (!files_after(t, below, moved))
            break;
        ink__store_u64(order + 8 * at, below);
    }
    ink__store_u64(order + 8 * at, moved);
}

/* The numbers of the entries in the order of a file, by heapsort; `order` need not be aligned. */
static void sort_entries(const top *t, uint8_t *order)
{
    for (uint64_t i = 0; i < t->kept; i++)
        ink__store_u64(order + 8 * i, i);
    for (uint64_t i = t->kept / 2; i-- > 0;)
        sift_down(t, order, i, t->kept);
    for (uint64_t end = t->kept; end-- > 1;) {
        uint64_t last = ink__load_u64(order);
        ink__store_u64(order, ink__load_u64(order + 8 * end));
        ink__store_u64(order + 8 * end, last);
        sift_down(t, order, 0, end);
    }
}

static const uint8_t *top_payload(const ink_sketch *sketch, uint8_t *scratch)
{
    const top *t = const_top_of(sketch);
    uint64_t   end = 0;

    if (t->view != NULL || t->kept == 0)
        return t->view;
    uint8_t *keys = scratch + t->kept * FILED_BYTES, *order = keys + t->keys_used;
    sort_entries(t, order);
    for (uint64_t i = 0; i < t->kept; i++) {
        const entry *e = &t->entries[ink__load_u64(order + 8 * i)];
        uint8_t     *at = scratch + i * FILED_BYTES;
        if (e->key_bytes > 0)
            memcpy(keys + end, t->keys + e->key_at, e->key_bytes);
        end += e->key_bytes;
        ink__store_u64(at + AT_HASH, e->hash);
        ink__store_u64(at + AT_HIGH, e->high);
        ink__store_u64(at + AT_ERROR, e->error);
        ink__store_u64(at + AT_KEY,
                       holds_ints(t) ? (uint64_t)e->key_int : end | (e->cut ? FILED_CUT : 0));
    }
    return scratch;
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Key number `key` of a batch as an entry that was never seen; its bytes are those of the batch. */
static entry wanted_entry(const ink__keys *keys, size_t key)
{
    entry e = {.hash = keys->hashes[key]};

    if (keys->ints != NULL) {
        e.key_int = keys->ints[key];
        return e;
    }
    uint64_t bytes = keys->offsets[key + 1] - keys->offsets[key];
    e.key_at = keys->offsets[key];
    e.cut = bytes > KEY_BYTES_MAX;
    e.key_bytes = e.cut ? KEY_BYTES_MAX : (uint32_t)bytes;
    return e;
}

/* Only a purge lets keys go, and it closes the gaps: so what the keys take never exceeds the most
 * that can be kept, nor what there is and comes. */
static ink_status top_reserve(ink_sketch *sketch, const ink__keys *keys, ink_error *error)
{
    top     *t = top_of(sketch);
    uint64_t most = kept_max(t->capacity), bytes = t->keys_used;
    uint64_t wanted = keys->count < most - t->kept ? t->kept + keys->count : most;

    for (size_t i = 0; keys->offsets != NULL && i < keys->count; i++) {
        uint64_t key = keys->offsets[i + 1] - keys->offsets[i];
        bytes += key < KEY_BYTES_MAX ? key : KEY_BYTES_MAX;
    }
    if (bytes > most * KEY_BYTES_MAX)
        bytes = most * KEY_BYTES_MAX;
    INK__TRY(make_entry_room(t, wanted, error));
    return make_key_room(t, bytes, error);
}

static void top_add(ink_sketch *sketch, const ink__keys *keys)
{
    top *t = top_of(sketch);

    for (size_t i = 0; i < keys->count; i++) {
        uint64_t weight = keys->weights == NULL ? 1 : keys->weights[i];
        if (weight == 0)
            continue;
        entry    e = wanted_entry(keys, i);
        uint64_t place = place_of(t, &e, keys->bytes);
        t->total = ink__add_saturating(t->total, weight);
        if (t->index[place] != 0) {
            entry *known = &t->entries[t->index[place] - 1];
            known->high = ink__add_saturating(known->high, weight);
            continue;
        }
        if (t->kept == kept_max(t->capacity)) {
            purge(t);
            place = place_of(t, &e, keys->bytes);
        }
        e.error = t->missed;
        e.high = ink__add_saturating(t->missed, weight);
        insert(t, &e, keys->bytes, place);
    }
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* What was counted is certain; the rest of the error is what the key may have had before. */
static ink_answer answer_of(uint64_t high, uint64_t error)
{
    return (ink_answer){
        .estimate = (double)(high - error),
        .low = (double)(high - error),
        .high = high == UINT64_MAX ? 0x1p64 : (double)high,
        .confidence = 1,
        .saturated = high == UINT64_MAX,
    };
}

/* The number of the entry with this key, or `kept`; in a view by binary search. */
static uint64_t find(const top *t, const entry *wanted, const uint8_t *keys)
{
    uint64_t low = 0, high = t->kept;

    if (t->kept == 0)
        return 0;
    if (t->view == NULL) {
        uint64_t number = t->index[place_of(t, wanted, keys)];
        return number == 0 ? t->kept : number - 1;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (entry_at(t, middle).hash < wanted->hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < t->kept; low++) {
        entry e = entry_at(t, low);
        if (e.hash != wanted->hash)
            break;
        if (same_key(&e, keys_of(t), wanted, keys))
            return low;
    }
    return t->kept;
}

static void top_count(const ink_sketch *sketch, const ink__keys *keys, ink_answer *answers)
{
    const top *t = const_top_of(sketch);

    for (size_t i = 0; i < keys->count; i++) {
        entry    wanted = wanted_entry(keys, i);
        uint64_t number = find(t, &wanted, keys->bytes);
        if (number == t->kept) {
            answers[i] = answer_of(t->missed, t->missed);
        } else {
            entry e = entry_at(t, number);
            answers[i] = answer_of(e.high, e.error > e.high ? e.high : e.error);
        }
    }
}

static size_t top_kept(const ink_sketch *sketch)
{
    return (size_t)const_top_of(sketch)->kept;
}

static void top_item(const ink_sketch *sketch, size_t index, ink_item *item)
{
    const top *t = const_top_of(sketch);
    entry      e = entry_at(t, index);

    *item = (ink_item){
        .key = holds_ints(t) ? NULL : keys_of(t) + e.key_at,
        .key_bytes = e.key_bytes,
        .key_int = e.key_int,
        .cut = e.cut,
        .count = answer_of(e.high, e.error > e.high ? e.high : e.error),
    };
}

static uint64_t top_missed(const ink_sketch *sketch)
{
    return const_top_of(sketch)->missed;
}

/* ---- Combining ---------------------------------------------------------------------------- */

/* A key that only one of the two keeps may have had what the other misses at most. */
static void merge_entries(top *a, const top *b)
{
    const uint8_t *keys = keys_of(b);
    uint64_t       before = a->kept;

    for (uint64_t i = 0; i < before; i++)
        a->marks[i] = 0; /* found in b too? */
    for (uint64_t i = 0; i < b->kept; i++) {
        entry    e = entry_at(b, i);
        uint64_t place = place_of(a, &e, keys);
        if (a->index[place] == 0) {
            e.high = ink__add_saturating(e.high, a->missed);
            e.error = ink__add_saturating(e.error, a->missed);
            if (a->kept < a->room && e.key_bytes <= a->keys_room - a->keys_used)
                insert(a, &e, keys, place); /* a mapped file that has changed may want more */
            continue;
        }
        entry *known = &a->entries[a->index[place] - 1];
        known->high = ink__add_saturating(known->high, e.high);
        known->error = ink__add_saturating(known->error, e.error);
        a->marks[a->index[place] - 1] = 1;
    }
    for (uint64_t i = 0; i < before; i++)
        if (a->marks[i] == 0) {
            a->entries[i].high = ink__add_saturating(a->entries[i].high, b->missed);
            a->entries[i].error = ink__add_saturating(a->entries[i].error, b->missed);
        }
}

static ink_status top_merge(ink_sketch *into, const ink_sketch *from,
                            const ink_merge_options *options, ink_error *error)
{
    top       *a = top_of(into);
    const top *b = const_top_of(from);
    uint64_t   keys = b->view == NULL ? b->keys_used : b->view_bytes - b->kept * FILED_BYTES;

    (void)options;
    if (b->kept > 0) {
        INK__TRY(make_entry_room(a, a->kept + b->kept, error));
        INK__TRY(make_key_room(a, a->keys_used + keys, error));
    }
    if (a->room > 0)
        merge_entries(a, b);
    a->total = ink__add_saturating(a->total, b->total);
    a->missed = ink__add_saturating(a->missed, b->missed);
    if (b->capacity < a->capacity)
        a->capacity = b->capacity;
    if (a->kept > kept_max(a->capacity))
        purge(a);
    return INK_OK;
}

const ink__kind ink__top = {
    .name = "top",
    .id = 6,
    .layout = 1,
    .takes = INK__TAKES_SHARE,
    .field_count = FIELDS,
    .order_free = false,
    .counts = true,
    .keeps_keys = true,
    .object_bytes = sizeof(top),
    .position_rule = top_position_rule,
    .plan = top_plan,
    .check = top_check,
    .check_payload = top_check_payload,
    .describe = top_describe,
    .create = top_create,
    .load = top_load,
    .release = top_release,
    .shape = top_shape,
    .scratch_bytes = top_scratch_bytes,
    .payload = top_payload,
    .reserve = top_reserve,
    .add = top_add,
    .count = top_count,
    .merge = top_merge,
    .kept = top_kept,
    .item = top_item,
    .missed = top_missed,
};
