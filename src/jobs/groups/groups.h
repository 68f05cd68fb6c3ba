/* groups.h - the groups of a job: a table of labels in shards with a mutex each, which many threads
 * fill, and for each group what is kept of its records.
 *
 * The folder src/jobs/groups keeps what jobs collect for each group: tables of labels (groups),
 * elements on their way to them (collect, elements), spilling to disk (spill), rows that wait for
 * their commit (pending_rows), pieces between machines (pieces), and the sketches that answer rows
 * (matches, ask_rows). Jobs use it. */
#ifndef INK_JOBS_GROUPS_GROUPS_H
#define INK_JOBS_GROUPS_GROUPS_H

#include "inkling_job.h"
#include "jobs/groups/elements.h"
#include "jobs/groups/spill.h"
#include "jobs/runtime/arena.h"
#include "jobs/runtime/threads.h"

#include <stdatomic.h>

enum { INK__GROUP_SHARDS = 64 };

typedef struct ink__group {
    ink_label    label; /* its bytes are the shard's */
    uint64_t     hash;  /* of the label */
    uint32_t     shard, partition;
    bool         cut;      /* only keys of one range are here */
    uint64_t     keys;     /* distinct ones, if measured */
    uint64_t     repeats;  /* records left out of the elements because their keys are there */
    ink_sketch **sketches; /* one for each kind, or NULL: the caller's, freed with the group */
    ink_sketch **parts;    /* likewise */
} ink__group;

typedef struct ink__group_shard {
    ink__mutex   mutex;          /* of all that follows */
    ink__arena   labels, memory; /* the latter of groups */
    ink__group **groups;         /* by the number of their partition */
    uint64_t     groups_bytes;
    ink__group **table; /* by hash; a power of two of slots */
    uint64_t     slots, salt;
    ink__spill   spill;
} ink__group_shard;

typedef struct ink__groups {
    ink_allocator        allocator;
    const ink_job       *job;          /* whose account counts threads; NULL: none */
    size_t               sketch_count; /* for each group */
    atomic_uint_fast64_t count;        /* of groups, so far */
    atomic_uint_fast64_t kept_bytes;   /* of elements in memory, in all shards */
    atomic_uint_fast64_t label_bytes;
    unsigned             open_shards;
    ink__group_shard     shards[INK__GROUP_SHARDS];
} ink__groups;

/* `sketch_count` sketches per group; `limit` bytes of elements in memory, the rest in `folder`. */
ink_status ink__groups_create(ink__groups **groups, size_t sketch_count, uint64_t limit,
                              const char *folder, const ink_allocator *allocator, ink_error *error);
/* Frees the groups with their sketches, by at most this many threads. */
void ink__groups_free(ink__groups *groups, unsigned threads);

/* The group with this label and hash, made if there is none. The caller has no shard locked. */
ink_status ink__groups_find(ink__groups *groups, const ink_label *label, uint64_t hash,
                            ink__group **group, ink_error *error);

/* The group with this label, or NULL. */
ink__group *ink__groups_look(ink__groups *groups, const ink_label *label, uint64_t hash);

/* All groups, in this order, or in any if it is NULL, sorted by at most this many threads. *list is
 * NULL if there are none; release it with *count x sizeof(ink__group *) bytes. */
typedef int ink__groups_order(const void *one, const void *other);
ink_status  ink__groups_list(const ink__groups *groups, ink__groups_order *order, unsigned threads,
                             ink__group ***list, uint64_t *count, ink_error *error);
int         ink__groups_by_label(const void *one, const void *other);

/* About how much memory a sketch takes, overhead included; 0 for NULL. */
uint64_t ink__sketch_cost(const ink_sketch *sketch);

#endif
