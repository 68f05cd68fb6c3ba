/* spill.h - elements (hashes, hashes with weights, or keys) in numbered partitions: in memory up to
 * a limit, the rest in an unnamed file. For one thread at a time. */
#ifndef INK_JOBS_GROUPS_SPILL_H
#define INK_JOBS_GROUPS_SPILL_H

#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/spool.h"

#include <stdatomic.h>
#include <string.h>

typedef struct ink__spill_block ink__spill_block;
struct ink__spill_block {
    ink__spill_block *next;
    uint32_t          used, room;
    uint8_t           bytes[];
};

typedef struct ink__spill_partition {
    ink__spill_block *first, *last; /* in memory */
    uint64_t          elements;     /* put so far, without those of its line */
} ink__spill_partition;

typedef struct ink__spill_run   ink__spill_run;
typedef struct ink__spill_slab  ink__spill_slab;
typedef struct ink__spill_lines ink__spill_lines;

typedef struct ink__spill {
    ink_allocator         allocator;
    uint64_t              limit;      /* of bytes in memory */
    uint64_t              kept_bytes; /* in memory, by this spill */
    atomic_uint_fast64_t *shared;     /* the same of all that share the limit; NULL: none do */
    ink__spill_partition *partitions;
    uint64_t              count, partitions_bytes;
    ink__spool            spool;
    ink__spill_run       *runs;  /* in the file, the newest first */
    ink__spill_slab      *slabs; /* memory of large blocks, the newest first */
    uint64_t              slab_used;
    ink__spill_block     *spare; /* free blocks of slabs */
    ink__spill_lines     *lines; /* scattered hashes that are not in blocks yet; or NULL */
    ink__block            lines_memory;
} ink__spill;

/* The file is made in `folder`, if needed. `folder` and `shared` must outlive the spill. */
void ink__spill_begin(ink__spill *spill, uint64_t limit, atomic_uint_fast64_t *shared,
                      const char *folder, const ink_allocator *allocator);
void ink__spill_end(ink__spill *spill);

/* Adds an empty partition, number `count`. */
ink_status ink__spill_add(ink__spill *spill, ink_error *error);

/* Appends a block with room for `bytes` bytes; may first write everything to the file. */
ink_status ink__spill_more(ink__spill *spill, uint64_t partition, uint64_t bytes, ink_error *error);

/* The last block of a partition, with room for `bytes` bytes. */
static inline ink_status ink__spill_last(ink__spill *spill, uint64_t partition, uint64_t bytes,
                                         ink__spill_block **last, ink_error *error)
{
    *last = spill->partitions[partition].last;
    if (*last != NULL && (*last)->room - (*last)->used >= bytes)
        return INK_OK;
    INK__TRY(ink__spill_more(spill, partition, bytes, error));
    *last = spill->partitions[partition].last;
    return INK_OK;
}

/* Puts an element into a partition. */
static inline ink_status ink__spill_put(ink__spill *spill, uint64_t partition, const void *element,
                                        uint32_t bytes, ink_error *error)
{
    ink__spill_block *last;

    INK__TRY(ink__spill_last(spill, partition, bytes, &last, error));
    memcpy(last->bytes + last->used, element, bytes);
    last->used += bytes;
    spill->partitions[partition].elements++;
    return INK_OK;
}

/* Puts `count` elements of `each` bytes into a partition. */
ink_status ink__spill_put_many(ink__spill *spill, uint64_t partition, const void *elements,
                               uint32_t each, uint64_t count, ink_error *error);

/* Puts each hash, of 8 bytes, into partition hash >> shift, below 256. */
ink_status ink__spill_scatter(ink__spill *spill, const uint64_t *hashes, size_t count,
                              unsigned shift, ink_error *error);

/* Passes all elements of a partition to `visit`, some whole ones at a time. */
typedef ink_status (*ink__spill_visit)(void *host, const uint8_t *elements, uint64_t bytes,
                                       ink_error *error);
ink_status ink__spill_each(const ink__spill *spill, uint64_t partition, ink__spill_visit visit,
                           void *host, ink_error *error);

/* The same part by part, so that several threads can visit parts: a walk gives one after another.
 * The spill does not change meanwhile, and has no scattered hashes. */
typedef struct ink__spill_walk {
    const ink__spill       *spill;
    uint64_t                partition;
    const ink__spill_run   *run;   /* the next part, or if it is NULL ... */
    const ink__spill_block *block; /* ... this one */
} ink__spill_walk;
ink__spill_walk ink__spill_walk_of(const ink__spill *spill, uint64_t partition);
/* How many parts are left, and takes the next one: a walk of this part alone. */
uint64_t        ink__spill_walk_parts(const ink__spill_walk *walk);
ink__spill_walk ink__spill_walk_next(ink__spill_walk *walk);
ink_status ink__spill_visit_part(const ink__spill_walk *part, ink__spill_visit visit, void *host,
                                 ink_error *error);

/* The number of elements put into a partition so far. */
uint64_t ink__spill_elements(const ink__spill *spill, uint64_t partition);

/* Drops the elements of a partition that are in memory; those in the file stay. */
void ink__spill_empty(ink__spill *spill, uint64_t partition);

#endif
