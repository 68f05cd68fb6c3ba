/* top_table.h - the table of a top sketch: keys with counts and errors, found by hash, removed in
 * purges. Knows nothing of files or of what counts mean. */
#ifndef INK_SKETCH_KINDS_TOP_TABLE_H
#define INK_SKETCH_KINDS_TOP_TABLE_H

#include "sketch/kinds/kind.h"

/* Stored bytes of a key, and bits of the index for the number of an entry, plus one. */
enum { INK__TOP_KEY_BYTES_MAX = 1024, INK__TOP_NUMBER_BITS = 23 };
enum { INK__TOP_ENTRIES_MAX = (1 << INK__TOP_NUMBER_BITS) - 1 };

/* One key: seen at least high - error and at most `high` times. */
typedef struct ink__top_entry {
    uint64_t hash, high, error;
    int64_t  key_int;
    uint64_t key_at;    /* in the bytes of all keys */
    uint32_t key_bytes; /* kept */
    bool     cut;       /* it had more */
    bool     met;       /* for merging alone */
} ink__top_entry;

/* All zero is an empty table. */
typedef struct ink__top_table {
    uint64_t        kept;
    ink__top_entry *entries; /* in the order in which they came; room for `room` */
    uint32_t       *index;   /* by hash: number of the entry + 1 and a tag, or 0; index_mask + 1 */
    uint64_t       *marks;   /* one for each entry, used while there is no index, in its memory */
    uint64_t        room, index_mask, salt;
    unsigned        index_shift;
    uint8_t        *keys; /* of the entries, in the same order, without gaps */
    uint64_t        keys_used, keys_room;
    void           *memory; /* that holds entries and index */
    uint64_t        memory_bytes;
} ink__top_table;

void ink__top_table_release(ink__top_table *table, const ink_allocator *allocator);

/* Reserves room for this many entries, at most INK__TOP_ENTRIES_MAX, and bytes of keys; doubles the
 * room, but up to `most` entries not beyond these. */
ink_status ink__top_table_reserve(ink__top_table *table, uint64_t entries, uint64_t key_bytes,
                                  uint64_t most, const ink_allocator *allocator, ink_error *error);

/* Below 0, 0 or above 0 as keys are ordered: by bytes, a prefix first and a cut key last; or ints
 * by value. `keys_a` and `keys_b` are what key_at counts from. */
int ink__top_compare_keys(const ink__top_entry *a, const uint8_t *keys_a, const ink__top_entry *b,
                          const uint8_t *keys_b);

/* The entry with the hash and key of `wanted`, or NULL; *position is where it is in the index, or
 * would be. There is room for at least one entry. */
ink__top_entry *ink__top_find(const ink__top_table *table, const ink__top_entry *wanted,
                              const uint8_t *keys, uint64_t *position);

/* Key number `key` of a batch as an entry that was never seen; its bytes are those of the batch. */
ink__top_entry ink__top_wanted(const ink__keys *keys, size_t key);

/* Adds keys from number `first` on, each its weight; a new one enters with `missed` as its error.
 * Stops before a key that would be number `most` + 1, and returns its number, or that of all. There
 * is room for `most` entries, or for all keys. */
size_t ink__top_add(ink__top_table *table, const ink__keys *keys, size_t first, uint64_t most,
                    uint64_t missed);

/* Inserts an entry that is not there, at `position` in the index; there is room. */
void ink__top_insert(ink__top_table *table, const ink__top_entry *entry, const uint8_t *keys,
                     uint64_t position);

/* Removes every key whose high is at most the (capacity + 1)-th largest, which it returns; there
 * are more than `capacity`, and all highs are above `missed`, or 2^64 - 1. */
uint64_t ink__top_purge(ink__top_table *table, uint64_t capacity, uint64_t missed);

/* Writes the numbers of the entries in order of hash and key, as little-endian u64, unaligned. */
void ink__top_sort(const ink__top_table *table, uint8_t *order);

#endif
