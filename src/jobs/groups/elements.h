/* elements.h - what is kept of records until their sketches have a size: the hash of each, its hash
 * and weight, or its key; and batches made of these. */
#ifndef INK_JOBS_GROUPS_ELEMENTS_H
#define INK_JOBS_GROUPS_ELEMENTS_H

#include "jobs/groups/spill.h"

typedef enum ink__keep {
    INK__KEEP_HASHES,  /* 8 bytes */
    INK__KEEP_WEIGHTS, /* a hash and a weight, 16 bytes */
    INK__KEEP_KEYS,    /* a length of 4 bytes, a weight of 8, and the key */
} ink__keep;

/* Puts a key into a partition. */
ink_status ink__spill_put_key(ink__spill *spill, uint64_t partition, const uint8_t *key,
                              uint32_t bytes, uint64_t weight, ink_error *error);

/* Puts keys into a partition, encoded as in another partition; INK_FORMAT if they are not. */
ink_status ink__spill_put_keys(ink__spill *spill, uint64_t partition, const uint8_t *elements,
                               uint64_t bytes, ink_error *error);

/* Counts keys in that encoding; INK_FORMAT as above. */
ink_status ink__count_keys(const uint8_t *elements, uint64_t bytes, uint64_t *count,
                           ink_error *error);

/* Elements in arrays. All zero but `allocator` and `keep` is empty. */
typedef struct ink__gather {
    ink_allocator allocator;
    ink__keep     keep;
    uint64_t      count;
    uint64_t     *hashes, *weights, *starts, *ends;
    uint8_t      *bytes;
    uint64_t      byte_count;
    uint64_t      hashes_room, weights_room, starts_room, ends_room, bytes_room; /* in bytes */
} ink__gather;

void ink__gather_end(ink__gather *gather);

/* Adds elements encoded as in a partition. An ink__spill_visit. */
ink_status ink__gather_add(void *gather, const uint8_t *elements, uint64_t bytes, ink_error *error);

/* Replaces what was gathered by the elements of a partition. */
ink_status ink__gather_partition(ink__gather *gather, const ink__spill *spill, uint64_t partition,
                                 ink_error *error);

/* Adds a key with its weight. */
ink_status ink__gather_key(ink__gather *gather, const uint8_t *key, uint64_t bytes, uint64_t weight,
                           ink_error *error);

/* Precedes the bytes of a key in its element. */
typedef struct ink__key_head {
    uint64_t weight;
    uint32_t bytes;
} ink__key_head;
enum { INK__KEY_HEAD_BYTES = 12 };
void          ink__key_head_write(uint8_t *to, ink__key_head head);
ink__key_head ink__key_head_read(const uint8_t *from);

/* All that was gathered, as a batch. */
ink_batch ink__gather_batch(const ink__gather *gather);

/* Leaves each hash once, in order of first occurrence, with the sum of its weights. *table is
 * memory reused from call to call. Where keys are kept, `hashes` must have theirs. */
typedef struct ink__table {
    uint64_t *slots;
    uint64_t  bytes;
} ink__table;
ink_status ink__gather_distinct(ink__gather *gather, ink__table *table, ink_error *error);

#endif
