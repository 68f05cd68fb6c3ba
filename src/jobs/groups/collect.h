/* collect.h - rows brought to their groups: what is kept of each goes to the partition of its
 * group, by many threads at once. Elements wait in stages, one for each shard of groups, so that a
 * mutex is passed for many at a time. */
#ifndef INK_JOBS_GROUPS_COLLECT_H
#define INK_JOBS_GROUPS_COLLECT_H

#include "input/rows.h"
#include "jobs/groups/groups.h"
#include "sketch/internal.h"

enum { INK__STAGE_BYTES = 4096 - 8, INK__KNOWN_GROUPS = 1 << 12 };

/* What a thread has to itself. All zero but the gather's allocator and what it keeps. */
typedef struct ink__collect_worker {
    uint64_t    label_hashes[INK__ROWS_MAX], label_starts[INK__ROWS_MAX], label_ends[INK__ROWS_MAX];
    ink__group *row_groups[INK__ROWS_MAX]; /* of the rows that came last */
    ink__group *known[INK__KNOWN_GROUPS];  /* that were met before */
    ink__gather gather;                    /* for whoever empties partitions */
    struct {
        uint32_t used;
        uint8_t  bytes[INK__STAGE_BYTES];
    } stages[INK__GROUP_SHARDS];
} ink__collect_worker;

typedef struct ink__collector {
    ink__groups *groups;
    ink__hasher *label_hasher;
    ink__keep    keep;
    uint64_t     group_bytes; /* that a group takes for sure, of ... */
    uint64_t     memory;      /* ... so many */
    /* Called in the mutex of a shard, when a partition of it has so many elements; may be NULL. */
    uint64_t drain_elements;
    ink_status (*drain)(void *host, ink__collect_worker *mine, ink__group *group, ink__spill *spill,
                        ink_error *error);
    void *host;
} ink__collector;

enum { INK__DRAIN_ELEMENTS = 512 };

/* The hashes of the labels of rows, with room for where these start and end; a null has none of its
 * own. */
ink_status ink__collect_hash_labels(const ink__hasher *hasher, const ink__rows *rows,
                                    uint64_t *starts, uint64_t *ends, uint64_t *hashes,
                                    ink_error *error);

/* INK_LIMIT if the groups take more memory than there is, in kinds of a fixed size. */
ink_status ink__collect_check_room(const ink__collector *all, ink_error *error);

/* The hash of one label. */
uint64_t ink__collect_hash_label(const ink_label *label);

/* Finds the groups of these rows; where rows have none, `whole` is the group of all. */
ink_status ink__collect_groups(const ink__collector *all, ink__collect_worker *mine,
                               const ink__rows *rows, ink__group *whole, ink_error *error);

/* Keeps these rows, whose groups were found last. `hashes` are those of their keys, NULL if keys
 * are kept. */
ink_status ink__collect_rows(const ink__collector *all, ink__collect_worker *mine,
                             const ink__rows *rows, const uint64_t *hashes, ink_error *error);

/* Brings what is left in the stages to the groups. */
ink_status ink__collect_flush(const ink__collector *all, ink__collect_worker *mine,
                              ink_error *error);

#endif
