/* collect.h - distributes rows to their groups: many threads put the element of each row into the
 * partition of its group. Each thread stages elements by shard, so that a mutex is locked once for
 * many of them. Those of a group that has very many can stay with the thread: no mutex is locked.
 */
#ifndef INK_JOBS_GROUPS_COLLECT_H
#define INK_JOBS_GROUPS_COLLECT_H

#include "input/rows.h"
#include "jobs/groups/groups.h"
#include "sketch/internal.h"

enum { INK__STAGE_BYTES = 4096 - 8, INK__KNOWN_GROUPS = 1 << 12 };

/* A group whose label has one to eight bytes, which are `word`. */
enum { INK__SHORT_LABELS = 256 };
typedef struct ink__short_label {
    uint64_t    word, bytes;
    ink__group *group;
} ink__short_label;

/* A group of which a thread has sketches of its own, and elements on their way there. */
enum { INK__OWN_GROUPS = 64, INK__OWN_ELEMENTS = 512 };
typedef struct ink__own_group {
    ink__group *group;
    uint64_t    count;
    uint64_t    hashes[INK__OWN_ELEMENTS], weights[INK__OWN_ELEMENTS];
    ink_sketch *sketches[]; /* one for each kind, or NULL: the caller's, freed with the worker */
} ink__own_group;

/* The state of one thread. All zero but `gather.allocator` and `gather.keep` is empty. */
typedef struct ink__collect_worker {
    uint64_t    label_hashes[INK__ROWS_MAX], label_starts[INK__ROWS_MAX], label_ends[INK__ROWS_MAX];
    ink__group *row_groups[INK__ROWS_MAX];            /* of the last rows */
    ink__group *known[INK__KNOWN_GROUPS];             /* a cache of groups, by hash */
    ink__short_label short_labels[INK__SHORT_LABELS]; /* the same by label: none is hashed */
    ink__gather      gather;               /* for the caller, e.g. to drain a partition */
    ink__own_group  *own[INK__OWN_GROUPS]; /* by the hash of the group; NULL: none */
    uint64_t         own_bytes;            /* of their sketches, as the caller counts them */
    struct {
        uint32_t used;
        uint8_t  bytes[INK__STAGE_BYTES];
    } stages[INK__GROUP_SHARDS];
} ink__collect_worker;

typedef struct ink__collector {
    ink__groups *groups;
    ink__hasher *label_hasher;
    ink__keep    keep;
    uint64_t     group_bytes; /* memory that a group takes at least; 0: unlimited groups */
    uint64_t     memory;      /* limit, in bytes */
    /* Called with the shard locked when a partition has `drain_elements` elements; may be NULL. */
    uint64_t drain_elements;
    ink_status (*drain)(void *host, ink__collect_worker *mine, ink__group *group, ink__spill *spill,
                        ink_error *error);
    /* Called when a worker has INK__OWN_ELEMENTS of a group of its own; leaves none. */
    ink_status (*drain_own)(void *host, ink__own_group *own, ink_error *error);
    void *host;
} ink__collector;

enum { INK__DRAIN_ELEMENTS = 512 };

/* Hashes the labels of rows. `starts` and `ends` are scratch memory. All nulls have one hash. */
ink_status ink__collect_hash_labels(const ink__hasher *hasher, const ink__rows *rows,
                                    uint64_t *starts, uint64_t *ends, uint64_t *hashes,
                                    ink_error *error);

/* INK_LIMIT if the groups need more memory than the limit, by `group_bytes`. */
ink_status ink__collect_check_room(const ink__collector *all, ink_error *error);

/* The hash of one label. */
uint64_t ink__collect_hash_label(const ink_label *label);

/* Finds the groups of rows; rows without labels are all in `whole`. */
ink_status ink__collect_groups(const ink__collector *all, ink__collect_worker *mine,
                               const ink__rows *rows, ink__group *whole, ink_error *error);

/* Keeps the rows of the last ink__collect_groups. `hashes`: of the keys; NULL if keys are kept. */
ink_status ink__collect_rows(const ink__collector *all, ink__collect_worker *mine,
                             const ink__rows *rows, const uint64_t *hashes, ink_error *error);

/* Lets a worker own a group, of hashes with weights or without: the elements go to `drain_own` from
 * now on. `sketch_bytes` is not 0. No other group may have its place. */
static inline ink__own_group **ink__collect_place(ink__collect_worker *mine,
                                                  const ink__group    *group)
{
    return &mine->own[group->hash % INK__OWN_GROUPS];
}
ink_status ink__collect_own(const ink__collector *all, ink__collect_worker *mine, ink__group *group,
                            uint64_t sketch_bytes, ink_error *error);
/* Gives up group number `number` of INK__OWN_GROUPS; what was not taken of it is lost. */
void ink__collect_disown(const ink__collector *all, ink__collect_worker *mine, unsigned number);

/* Moves all staged elements to their groups. */
ink_status ink__collect_flush(const ink__collector *all, ink__collect_worker *mine,
                              ink_error *error);

#endif
