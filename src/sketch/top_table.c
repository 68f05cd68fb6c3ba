/* top_table.c - the table of a top sketch. Open addressing over an array of entries; only a purge
 * lets keys go, and it closes all gaps, so between purges everything just grows at its end. */
#include "sketch/top_table.h"

#include "base/bits.h"
#include "base/heap.h"
#include "base/size.h"
#include "hash/mix.h"

#include <string.h>

/* ---- Keys --------------------------------------------------------------------------------- */

int ink__top_compare_keys(const ink__top_entry *a, const uint8_t *keys_a, const ink__top_entry *b,
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

/* Where to look for a hash first: the top bits of a product. The odd salt differs from table to
 * table, so that nobody can choose keys that crowd in one place; it changes nothing but the time.
 */
static inline uint64_t home_of(const ink__top_table *table, uint64_t hash)
{
    return hash * table->salt >> table->index_shift;
}

ink__top_entry *ink__top_find(const ink__top_table *table, const ink__top_entry *wanted,
                              const uint8_t *keys, uint64_t *place)
{
    for (*place = home_of(table, wanted->hash); table->index[*place] != 0;
         *place = (*place + 1) & table->index_mask) {
        ink__top_entry *found = &table->entries[table->index[*place] - 1];
        if (found->hash == wanted->hash &&
            ink__top_compare_keys(found, table->keys, wanted, keys) == 0)
            return found;
    }
    return NULL;
}

void ink__top_insert(ink__top_table *table, const ink__top_entry *entry, const uint8_t *keys,
                     uint64_t place)
{
    ink__top_entry *put = &table->entries[table->kept];

    *put = *entry;
    put->key_at = table->keys_used;
    if (entry->key_bytes > 0)
        memcpy(table->keys + table->keys_used, keys + entry->key_at, entry->key_bytes);
    table->keys_used += entry->key_bytes;
    table->index[place] = (uint32_t)++table->kept;
}

/* `weights` apart, so that the usual case, where there are none, is a loop of its own. */
static inline size_t add_ints(ink__top_table *table, const ink__keys *keys, size_t first,
                              uint64_t most, uint64_t missed, const uint64_t *weights)
{
    const ink__top_table of = *table; /* of which only `kept` changes */
    uint64_t             kept = of.kept;
    size_t               i = first, count = keys->count;

    for (; i < count; i++) {
        const uint64_t hash = keys->hashes[i], weight = weights == NULL ? 1 : weights[i];
        const int64_t  key = keys->ints[i];
        uint64_t       at = home_of(&of, hash);
        uint32_t       number;
        if (weight == 0)
            continue;
        while ((number = of.index[at]) != 0 &&
               (of.entries[number - 1].hash != hash || of.entries[number - 1].key_int != key))
            at = (at + 1) & of.index_mask;
        if (number != 0) {
            uint64_t *high = &of.entries[number - 1].high;
            *high = ink__add_saturating(*high, weight);
            continue;
        }
        if (kept == most)
            break;
        ink__top_entry *put = &of.entries[kept];
        put->hash = hash;
        put->high = ink__add_saturating(missed, weight);
        put->error = missed;
        put->key_int = key;
        put->key_at = of.keys_used;
        put->key_bytes = 0;
        put->cut = false;
        of.index[at] = (uint32_t)++kept;
    }
    table->kept = kept;
    return i;
}

size_t ink__top_add_ints(ink__top_table *table, const ink__keys *keys, size_t first, uint64_t most,
                         uint64_t missed)
{
    return keys->weights == NULL ? add_ints(table, keys, first, most, missed, NULL)
                                 : add_ints(table, keys, first, most, missed, keys->weights);
}

/* ---- Room --------------------------------------------------------------------------------- */

static void index_all(ink__top_table *table)
{
    memset(table->index, 0, (table->index_mask + 1) * sizeof *table->index);
    for (uint64_t i = 0; i < table->kept; i++) {
        uint64_t place = home_of(table, table->entries[i].hash);
        while (table->index[place] != 0)
            place = (place + 1) & table->index_mask;
        table->index[place] = (uint32_t)(i + 1);
    }
}

static ink_status reserve_entries(ink__top_table *table, uint64_t wanted, uint64_t most,
                                  const ink_allocator *allocator, ink_error *error)
{
    uint64_t room = table->room != 0 ? table->room : wanted < 8 ? 8 : wanted, slots = 16;

    if (wanted <= table->room)
        return INK_OK;
    while (room < wanted)
        room *= 2;
    if (wanted <= most && room > most)
        room = most;
    while (slots < 4 * room) /* at most a quarter of the index is taken: one look nearly always */
        slots *= 2;
    uint64_t bytes =
        room * (sizeof *table->entries + sizeof *table->marks) + slots * sizeof *table->index;
    INK__TRY(ink__grow(allocator, &table->memory, &table->memory_bytes,
                       table->kept * sizeof *table->entries, bytes, error));
    table->room = room;
    table->entries = table->memory;
    table->marks = (uint64_t *)(void *)(table->entries + room);
    table->index = (uint32_t *)(void *)(table->marks + room);
    table->index_mask = slots - 1;
    table->index_shift = 1 + ink__leading_zeros_64(slots);
    table->salt = ink__mix64((uint64_t)(uintptr_t)table->memory) | 1;
    index_all(table);
    return INK_OK;
}

static ink_status reserve_keys(ink__top_table *table, uint64_t wanted,
                               const ink_allocator *allocator, ink_error *error)
{
    uint64_t room = table->keys_room != 0 ? table->keys_room : wanted < 64 ? 64 : wanted;
    void    *keys = table->keys;

    if (wanted <= table->keys_room)
        return INK_OK;
    while (room < wanted)
        room *= 2;
    INK__TRY(ink__grow(allocator, &keys, &table->keys_room, table->keys_used, room, error));
    table->keys = keys;
    return INK_OK;
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

/* The value that would have number `rank`, counted from 0, if they stood in falling order. Reorders
 * them. */
static uint64_t select_any(uint64_t *values, uint64_t count, uint64_t rank)
{
    uint64_t from = 0, until = count, drawn = count;

    for (;;) {
        drawn = ink__mix64(drawn + 1); /* which pivot it is changes nothing but the time */
        uint64_t pivot = values[from + drawn % (until - from)];
        uint64_t above = from, below = until; /* equal ones come to stand between the two */
        for (uint64_t i = from; i < below;) {
            uint64_t value = values[i];
            if (value > pivot) {
                values[i++] = values[above];
                values[above++] = value;
            } else if (value < pivot) {
                values[i] = values[--below];
                values[below] = value;
            } else {
                i++;
            }
        }
        if (rank < above)
            until = above;
        else if (rank >= below)
            from = below;
        else
            return pivot;
    }
}

/* The same. Most counts lie close above the smallest, so they are first counted by how far: nobody
 * could foresee the jumps of a comparison. */
static uint64_t select_largest(uint64_t *values, uint64_t count, uint64_t rank)
{
    enum { FAR = 255 };
    uint32_t away[FAR + 1] = {0};
    uint64_t least = UINT64_MAX, above = 0;

    for (uint64_t i = 0; i < count; i++)
        least = values[i] < least ? values[i] : least;
    for (uint64_t i = 0; i < count; i++)
        away[values[i] - least < FAR ? values[i] - least : FAR]++;
    for (uint64_t by = FAR; by > 0; by--) {
        above += away[by];
        if (rank < above)
            return by == FAR ? select_any(values, count, rank) : least + by;
    }
    return least;
}

uint64_t ink__top_purge(ink__top_table *table, uint64_t capacity)
{
    uint64_t kept = 0, used = 0;

    for (uint64_t i = 0; i < table->kept; i++)
        table->marks[i] = table->entries[i].high;
    uint64_t limit = select_largest(table->marks, table->kept, capacity);
    for (uint64_t i = 0; i < table->kept; i++) {
        /* Copied whether it stays or not: what does not is overwritten. */
        ink__top_entry *entry = &table->entries[kept];
        *entry = table->entries[i];
        bool stays = entry->high > limit;
        if (stays && entry->key_bytes > 0)
            memmove(table->keys + used, table->keys + entry->key_at, entry->key_bytes);
        entry->key_at = used;
        used += stays ? entry->key_bytes : 0;
        kept += stays;
    }
    table->kept = kept;
    table->keys_used = used;
    index_all(table);
    return limit;
}

/* ---- Order -------------------------------------------------------------------------------- */

/* Numbers of entries, as they are written. */
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
