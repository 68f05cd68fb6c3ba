/* top_table.c - the table of a top sketch. Open addressing over an array of entries; only a purge
 * removes keys, and it closes all gaps. */
#include "sketch/kinds/top_table.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/salt.h"
#include "base/size.h"
#include "base/sort.h"
#include "base/status.h"

#include <string.h>

/* ---- Keys --------------------------------------------------------------------------------- */

int ink__top_compare_keys(const ink__top_entry *a, const uint8_t *keys_a, const ink__top_entry *b,
                          const uint8_t *keys_b)
{
    uint32_t shorter = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
    int      order = shorter == 0 ? 0
                                  : memcmp(ink__key_at(keys_a, a->key_at),
                                           ink__key_at(keys_b, b->key_at), shorter);

    if (order == 0)
        order = (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
    if (order == 0)
        order = (int)a->cut - (int)b->cut;
    return order != 0 ? order : (a->key_int > b->key_int) - (a->key_int < b->key_int);
}

/* A search starts at the top bits of the hash times the salt of the table. Other bits of the
 * product are a tag, stored in the index with the number of the entry: for nearly all keys that are
 * not there, no entry is read. */
enum { NUMBER_BITS = INK__TOP_NUMBER_BITS, TAG_FROM = 20 };

typedef struct spot {
    uint64_t home;
    uint32_t tag; /* above the bits of the number */
} spot;

static inline spot spot_of(const ink__top_table *table, uint64_t hash)
{
    const uint64_t product = hash * table->salt;

    return (spot){
        .home = product >> table->index_shift,
        .tag = (uint32_t)(product >> TAG_FROM) << NUMBER_BITS,
    };
}

/* The entry that an index value names, if it has this tag; else no valid number. */
static inline uint32_t entry_in(uint32_t indexed, uint32_t tag)
{
    return indexed - tag - 1; /* 0 in the index: one less than 0 */
}

static inline bool is_entry(uint32_t entry)
{
    return entry < INK__TOP_ENTRIES_MAX;
}

static inline uint32_t indexed_as(uint64_t entry, uint32_t tag)
{
    return (uint32_t)(entry + 1) | tag;
}

/* Keys of 8 to 16 bytes, as most are, are compared and copied as two overlapping words; those up to
 * 32 as two overlapping pairs. */
static inline bool is_short(uint32_t bytes)
{
    return bytes - 8 <= 8;
}

static inline bool is_medium(uint32_t bytes)
{
    return bytes - 16 <= 16;
}

static inline bool same_short(const uint8_t *a, const uint8_t *b, uint32_t bytes)
{
    return ((ink__load_u64(a) ^ ink__load_u64(b)) |
            (ink__load_u64(a + bytes - 8) ^ ink__load_u64(b + bytes - 8))) == 0;
}

/* The two may overlap. */
static inline void move_bytes(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (is_short(bytes)) {
        uint64_t first = ink__load_u64(from), last = ink__load_u64(from + bytes - 8);
        ink__store_u64(to, first);
        ink__store_u64(to + bytes - 8, last);
    } else if (is_medium(bytes)) {
        uint8_t first[16], last[16];
        memcpy(first, from, sizeof first);
        memcpy(last, from + bytes - 16, sizeof last);
        memcpy(to, first, sizeof first);
        memcpy(to + bytes - 16, last, sizeof last);
    } else {
        memmove(to, from, bytes);
    }
}

/* `ints`: both are known to be ints. Separate branches: two fields read at once, just after each
 * was written, stall a core. */
static inline bool same_key(const ink__top_entry *a, const uint8_t *keys_a, const ink__top_entry *b,
                            const uint8_t *keys_b, bool ints)
{
    const uint32_t bytes = b->key_bytes;

    if (ints)
        return a->key_int == b->key_int;
    if (a->key_bytes != bytes)
        return false;
    if (is_short(bytes)) /* so neither is cut, or an int */
        return same_short(ink__key_at(keys_a, a->key_at), ink__key_at(keys_b, b->key_at), bytes);
    if (is_medium(bytes))
        return same_short(ink__key_at(keys_a, a->key_at), ink__key_at(keys_b, b->key_at), 16) &&
               same_short(ink__key_at(keys_a, a->key_at) + bytes - 16,
                          ink__key_at(keys_b, b->key_at) + bytes - 16, 16);
    if (a->cut != b->cut)
        return false;
    if (bytes == 0)
        return a->key_int == b->key_int;
    return memcmp(ink__key_at(keys_a, a->key_at), ink__key_at(keys_b, b->key_at), bytes) == 0;
}

static inline ink__top_entry *find(const ink__top_table *table, const ink__top_entry *wanted,
                                   const uint8_t *keys, uint64_t *position, bool ints)
{
    const spot of = spot_of(table, wanted->hash);
    uint32_t   indexed;

    for (*position = of.home; (indexed = table->index[*position]) != 0;
         *position = (*position + 1) & table->index_mask) {
        const uint32_t  entry = entry_in(indexed, of.tag);
        ink__top_entry *found = table->entries + entry;
        if (is_entry(entry) && found->hash == wanted->hash &&
            same_key(found, table->keys, wanted, keys, ints))
            return found;
    }
    return NULL;
}

ink__top_entry *ink__top_find(const ink__top_table *table, const ink__top_entry *wanted,
                              const uint8_t *keys, uint64_t *position)
{
    return find(table, wanted, keys, position, false);
}

static inline void insert(ink__top_table *table, const ink__top_entry *entry, const uint8_t *keys,
                          uint64_t position, bool ints)
{
    ink__top_entry *put = &table->entries[table->kept];

    *put = *entry;
    put->key_at = table->keys_used;
    if (!ints && entry->key_bytes > 0) {
        move_bytes(table->keys + table->keys_used, ink__key_at(keys, entry->key_at),
                   entry->key_bytes);
        table->keys_used += entry->key_bytes;
    }
    table->index[position] = indexed_as(table->kept++, spot_of(table, entry->hash).tag);
}

void ink__top_insert(ink__top_table *table, const ink__top_entry *entry, const uint8_t *keys,
                     uint64_t position)
{
    insert(table, entry, keys, position, false);
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* The keys of a batch, and what is known of them beforehand. */
typedef struct batch {
    ink__keys keys;
    bool      ints, weighted;
} batch;

/* Loops are compiled for each form of a batch: gcc alone makes one that tests it at every key. */
#define FOR_EACH_FORM static inline __attribute__((always_inline))

static inline ink__top_entry wanted_of(const batch *of, size_t key)
{
    ink__top_entry e = {.hash = of->keys.hashes[key]};

    if (of->ints) {
        e.key_int = of->keys.ints[key];
        return e;
    }
    uint64_t bytes = of->keys.ends[key] - of->keys.starts[key];
    e.key_at = of->keys.starts[key];
    e.cut = bytes > INK__TOP_KEY_BYTES_MAX;
    e.key_bytes = e.cut ? INK__TOP_KEY_BYTES_MAX : (uint32_t)bytes;
    return e;
}

ink__top_entry ink__top_wanted(const ink__keys *keys, size_t key)
{
    const batch of = {*keys, keys->ints != NULL, false};

    return wanted_of(&of, key);
}

static inline uint64_t weight_of(const batch *of, size_t key)
{
    return of->weighted ? of->keys.weights[key] : 1;
}

static inline void count_again(ink__top_entry *known, uint64_t weight)
{
    known->high = ink__add_saturating(known->high, weight);
}

/* Adds one key; a new one only while `enters`. Returns whether it was added. */
static inline bool add_one(ink__top_table *table, const batch *of, size_t key, uint64_t missed,
                           bool enters)
{
    ink__top_entry  e = wanted_of(of, key);
    uint64_t        weight = weight_of(of, key), position;
    ink__top_entry *known = find(table, &e, of->keys.bytes, &position, of->ints);

    if (weight == 0)
        return true;
    if (known != NULL) {
        count_again(known, weight);
        return true;
    }
    if (enters) {
        e.error = missed;
        e.high = ink__add_saturating(missed, weight);
        insert(table, &e, of->keys.bytes, position, of->ints);
    }
    return enters;
}

/* Keys of a block: those found at the first position of their search, and the others. */
enum { BLOCK = 128 };

typedef struct block {
    size_t   near_count, other_count;
    uint32_t entries[BLOCK]; /* of those that stand near: their entries ... */
    uint8_t  near[BLOCK];    /* ... and which they are */
    uint8_t  others[BLOCK];
} block;

/* By the index alone, without a branch, which would be mispredicted. */
static inline void look_near(const ink__top_table *table, const batch *of, size_t first,
                             size_t count, block *b)
{
    const uint64_t *hashes = of->keys.hashes + first;
    size_t          near_count = 0;

    for (size_t i = 0; i < count; i++) {
        const spot     at = spot_of(table, hashes[i]);
        const uint32_t entry = entry_in(table->index[at.home], at.tag);
        b->entries[near_count] = entry;
        b->near[near_count] = b->others[i - near_count] = (uint8_t)i;
        near_count += is_entry(entry);
    }
    b->near_count = near_count;
    b->other_count = count - near_count;
}

/* Counts the near keys if they are those of their entries; if not, two keys have the same tag, and
 * it is one of the others. */
static inline void add_near(const ink__top_table *table, const batch *of, size_t first, block *b)
{
    for (size_t i = 0; i < b->near_count; i++) {
        const size_t         key = first + b->near[i];
        const ink__top_entry e = wanted_of(of, key);
        ink__top_entry      *found = &table->entries[b->entries[i]];
        if (found->hash == e.hash && same_key(found, table->keys, &e, of->keys.bytes, of->ints))
            count_again(found, weight_of(of, key));
        else
            b->others[b->other_count++] = b->near[i];
    }
}

/* Adds keys for which there is room, in any order. Works on a copy of the table, which the compiler
 * knows not to change with its entries. */
FOR_EACH_FORM void add_block(ink__top_table *table, batch of, size_t first, size_t count,
                             uint64_t missed)
{
    ink__top_table in = *table;
    block          b;

    look_near(&in, &of, first, count, &b);
    add_near(&in, &of, first, &b);
    for (size_t i = 0; i < b.other_count; i++)
        add_one(&in, &of, first + b.others[i], missed, true);
    table->kept = in.kept;
    table->keys_used = in.keys_used;
}

FOR_EACH_FORM size_t add_keys(ink__top_table *table, batch of, size_t first, uint64_t most,
                              uint64_t missed)
{
    const size_t count = of.keys.count;
    size_t       i = first;

    while (i < count && table->kept < most) {
        size_t some = count - i < BLOCK ? count - i : BLOCK;
        if (some > most - table->kept)
            some = (size_t)(most - table->kept);
        add_block(table, of, i, some, missed);
        i += some;
    }
    while (i < count && add_one(table, &of, i, missed, false))
        i++;
    return i;
}

size_t ink__top_add(ink__top_table *table, const ink__keys *keys, size_t first, uint64_t most,
                    uint64_t missed)
{
    if (keys->ints == NULL)
        return keys->weights == NULL
                   ? add_keys(table, (batch){*keys, false, false}, first, most, missed)
                   : add_keys(table, (batch){*keys, false, true}, first, most, missed);
    return keys->weights == NULL ? add_keys(table, (batch){*keys, true, false}, first, most, missed)
                                 : add_keys(table, (batch){*keys, true, true}, first, most, missed);
}

/* ---- Room --------------------------------------------------------------------------------- */

static void make_index(ink__top_table *table)
{
    memset(table->index, 0, (size_t)((table->index_mask + 1) * sizeof *table->index));
    for (uint64_t i = 0; i < table->kept; i++) {
        const spot of = spot_of(table, table->entries[i].hash);
        uint64_t   position = of.home;
        while (table->index[position] != 0)
            position = (position + 1) & table->index_mask;
        table->index[position] = indexed_as(i, of.tag);
    }
}

/* At most a quarter of the index is used, so one probe nearly always suffices; half of a large one,
 * so that a loaded sketch takes at most twice the bytes of its file: 64 an entry, and some. */
static uint64_t slots_for(uint64_t room)
{
    enum { SOME_BYTES = 1 << 15, ENTRY_BYTES = 64 };
    uint64_t slots = 16;

    while (slots < 4 * room)
        slots *= 2;
    if (slots * sizeof(uint32_t) > room * (ENTRY_BYTES - sizeof(ink__top_entry)) + SOME_BYTES)
        slots /= 2;
    return slots;
}

_Static_assert(sizeof(ink__top_entry) == 48, "an entry and its part of an index have 64 bytes");

static ink_status reserve_entries(ink__top_table *table, uint64_t wanted, uint64_t most,
                                  const ink_allocator *allocator, ink_error *error)
{
    uint64_t room = table->room != 0 ? table->room : wanted < 8 ? 8 : wanted;

    if (wanted <= table->room)
        return INK_OK;
    if (wanted > INK__TOP_ENTRIES_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "%llu keys in a top, expected at most %d", (unsigned long long)wanted,
                         INK__TOP_ENTRIES_MAX);
    while (room < wanted)
        room *= 2;
    if (wanted <= most && room > most)
        room = most;
    if (room > INK__TOP_ENTRIES_MAX)
        room = INK__TOP_ENTRIES_MAX;
    uint64_t slots = slots_for(room);
    uint64_t bytes = room * sizeof *table->entries + slots * sizeof *table->index;
    INK__TRY(ink__grow(allocator, &table->memory, &table->memory_bytes,
                       table->kept * sizeof *table->entries, bytes, error));
    table->room = room;
    table->entries = table->memory;
    table->marks = (uint64_t *)(void *)(table->entries + room);
    table->index = (uint32_t *)(void *)table->marks;
    table->index_mask = slots - 1;
    table->index_shift = 1 + ink__leading_zeros_64(slots);
    table->salt = ink__salt_of(table->memory);
    make_index(table);
    return INK_OK;
}

static ink_status reserve_keys(ink__top_table *table, uint64_t wanted,
                               const ink_allocator *allocator, ink_error *error)
{
    uint64_t room = table->keys_room != 0 ? table->keys_room : wanted < 64 ? 64 : wanted;

    if (wanted <= table->keys_room)
        return INK_OK;
    while (room < wanted)
        room *= 2;
    return ink__grow(allocator, &table->keys, &table->keys_room, table->keys_used, room, error);
}

ink_status ink__top_table_reserve(ink__top_table *table, uint64_t entries, uint64_t key_bytes,
                                  uint64_t most, const ink_allocator *allocator, ink_error *error)
{
    INK__TRY(reserve_entries(table, entries, most, allocator, error));
    return reserve_keys(table, key_bytes, allocator, error);
}

void ink__top_table_release(ink__top_table *table, const ink_allocator *allocator)
{
    ink__release(allocator, table->memory, table->memory_bytes);
    ink__release(allocator, table->keys, table->keys_room);
}

/* ---- Purging ------------------------------------------------------------------------------ */

/* Moves the values above `limit` to the front, without a branch, which would be mispredicted;
 * returns where they end. */
static uint64_t bring_above(uint64_t *values, uint64_t from, uint64_t until, uint64_t limit)
{
    uint64_t end = from;

    for (uint64_t i = from; i < until; i++) {
        const uint64_t value = values[i];
        values[i] = values[end];
        values[end] = value;
        end += value > limit;
    }
    return end;
}

/* The value of this rank, from 0, in falling order. Reorders the values. */
static uint64_t select_any(uint64_t *values, uint64_t count, uint64_t rank)
{
    uint64_t from = 0, until = count, random = count;

    for (;;) {
        random = ink__mix64(random + 1); /* the pivot affects the time only */
        const uint64_t pivot = values[from + random % (until - from)];
        const uint64_t above = bring_above(values, from, until, pivot);
        if (rank < above) {
            until = above;
            continue;
        }
        from = pivot == 0 ? until : bring_above(values, above, until, pivot - 1);
        if (rank < from)
            return pivot;
    }
}

/* Marks the entries above `limit`; returns how many there are. */
static uint64_t mark_above(ink__top_table *table, uint64_t limit)
{
    const ink__top_entry *entries = table->entries;
    uint64_t             *marks = table->marks;
    const uint64_t        kept = table->kept;
    uint64_t              found = 0;

    for (uint64_t i = 0; i < kept; i++) {
        marks[found] = i;
        found += entries[i].high > limit;
    }
    return found;
}

/* Marks the entries that stay; *limit is the highest count of the others. That is nearly always
 * just above `missed`, which is tried first: the branches of a search are mispredicted. */
static uint64_t mark_rest(ink__top_table *table, uint64_t capacity, uint64_t missed,
                          uint64_t *limit)
{
    enum { CLOSE = 2 };
    uint64_t rest;

    for (uint64_t by = 1; by <= CLOSE && by <= UINT64_MAX - missed; by++)
        if ((rest = mark_above(table, *limit = missed + by)) <= capacity)
            return rest;
    for (uint64_t i = 0; i < table->kept; i++)
        table->marks[i] = table->entries[i].high;
    return mark_above(table, *limit = select_any(table->marks, table->kept, capacity));
}

uint64_t ink__top_purge(ink__top_table *table, uint64_t capacity, uint64_t missed)
{
    uint64_t limit, used = 0;

    table->kept = mark_rest(table, capacity, missed, &limit);
    for (uint64_t i = 0; i < table->kept; i++) {
        ink__top_entry *entry = &table->entries[i];
        if (table->marks[i] != i)
            *entry = table->entries[table->marks[i]];
        if (entry->key_at != used && entry->key_bytes > 0)
            move_bytes(table->keys + used, table->keys + entry->key_at, entry->key_bytes);
        entry->key_at = used;
        used += entry->key_bytes;
    }
    table->keys_used = used;
    make_index(table);
    return limit;
}

/* ---- Order -------------------------------------------------------------------------------- */

/* Numbers of entries, little-endian. */
typedef struct numbers {
    const ink__top_table *table;
    uint8_t              *order;
} numbers;

static bool number_after(const void *host, uint64_t a, uint64_t b)
{
    const numbers        *of = host;
    const ink__top_table *table = of->table;
    const ink__top_entry *of_a = &table->entries[ink__load_u64(of->order + 8 * a)];
    const ink__top_entry *of_b = &table->entries[ink__load_u64(of->order + 8 * b)];

    if (of_a->hash != of_b->hash)
        return of_a->hash > of_b->hash;
    return ink__top_compare_keys(of_a, table->keys, of_b, table->keys) > 0;
}

static void swap_numbers(void *host, uint64_t a, uint64_t b)
{
    uint8_t *order = ((const numbers *)host)->order;
    uint64_t kept = ink__load_u64(order + 8 * a);

    ink__store_u64(order + 8 * a, ink__load_u64(order + 8 * b));
    ink__store_u64(order + 8 * b, kept);
}

void ink__top_sort(const ink__top_table *table, uint8_t *order)
{
    numbers         of = {table, order};
    const ink__heap heap = {&of, number_after, swap_numbers};

    for (uint64_t i = 0; i < table->kept; i++)
        ink__store_u64(order + 8 * i, i);
    ink__heap_sort(&heap, table->kept);
}
