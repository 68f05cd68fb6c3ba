/* build_state.h - a build: what it has collected by each thread, in groups and in sketches, and the
 * steps from records to sketches or pieces.
 *
 * The folder src/jobs/build makes sketches of records. build_plan.h is constant once made; build.c
 * begins, runs and ends a build; build_direct, build_sized, build_whole and build_groups are the
 * ways to fill a sketch; ranges fills a large one by several threads. jobs/distributed uses it. */
#ifndef INK_JOBS_BUILD_BUILD_STATE_H
#define INK_JOBS_BUILD_BUILD_STATE_H

#include "jobs/build/build_plan.h"
#include "jobs/build/ranges.h"
#include "jobs/groups/collect.h"
#include "jobs/groups/pending_rows.h"

enum { INK__RECENT_HASHES = 1 << 14, INK__MODELS = 256 };

/* What a thread keeps of a build without groups. */
typedef struct ink__build_kept {
    ink__spill  spill; /* by the first bits of hashes */
    uint64_t    records;
    ink_sketch *counter; /* estimates the distinct ones; NULL while there are few */
    /* A cache of hashes that are in `spill`, and how often it was hit. */
    uint32_t recent_tries, recent_hits;
    uint64_t recent_pause; /* it is not used for this many hashes */
    uint64_t recent[INK__RECENT_HASHES];
} ink__build_kept;

/* What a thread needs to fill sketches. */
typedef struct ink__build_filler {
    /* Empty sketches planned for a number of keys, to be copied: planning takes longer. */
    ink_sketch *models[INK__MODELS];
    uint64_t    model_keys[INK__MODELS];
    ink__gather copy;
    ink__table  table;
    /* Of kinds that are made whole; NULL: none was yet. */
    ink__whole_room *room;
} ink__build_filler;

/* The rows of the last ones whose keys are to be added, where not all are. */
typedef struct ink__build_chosen {
    ink__rows  rows;
    ink_answer counts[INK__ROWS_MAX];
    uint64_t   key_starts[INK__ROWS_MAX], key_ends[INK__ROWS_MAX], weights[INK__ROWS_MAX];
    int64_t    key_ints[INK__ROWS_MAX];
} ink__build_chosen;

/* The closed levels of a scalable, which never change: a thread leaves out the keys that they have
 * before its turn comes. */
typedef struct ink__build_closed {
    struct ink__build_closed *before; /* with fewer levels; other threads may still query it */
    ink_sketch               *view;
    uint64_t                  levels;
} ink__build_closed;

/* The state of one thread. */
typedef struct ink__build_worker {
    uint64_t            hashes[INK__ROWS_MAX];
    ink__collect_worker collect;
    ink__build_kept     kept;
    ink__pending_rows   pending; /* for ordered kinds: */
    uint64_t            known;   /* rows left out of it, as closed levels have their keys ... */
    uint64_t            absent;  /* ... and the first ones that have none of the others' */
    ink__build_filler   filler;
    ink__build_chosen  *chosen; /* NULL: all rows are */
} ink__build_worker;

/* Sketches of direct kinds of one thread, or of several if memory does not suffice for one each. */
typedef struct ink__build_slot {
    ink__mutex   mutex;
    ink_sketch **sketches; /* one for each kind; NULL but for direct ones */
} ink__build_slot;

/* Large sketches, whose hashes are sorted by range first: one for all threads, or one each. */
typedef struct ink__build_ranged {
    ink__ranges *ranges;
    unsigned     count; /* 0: the kind has none */
} ink__build_ranged;

/* The sketches of direct kinds of a build without groups. All zero has none. */
typedef struct ink__build_direct {
    ink__build_slot   *slots; /* one allocation with `ranged` and the sketches of slots ... */
    uint64_t           bytes; /* ... of this size */
    unsigned           slot_count, open_slots;
    ink__build_ranged *ranged; /* one for each kind */
} ink__build_direct;

/* Kinds whose bytes depend on the order of keys. */
typedef struct ink__build_ordered {
    uint64_t                     segment; /* current one of the input */
    ink__group                 **touched; /* groups that have parts of it */
    uint64_t                     touched_count, touched_bytes;
    unsigned                     lanes; /* of the feed; 1: what is above, else these: */
    ink_sketch                 **parts; /* of the segment of each lane, one for each kind ... */
    uint64_t                    *lane_segments; /* ... and which it is; in the same memory */
    atomic_uint_fast64_t         grown_bytes;   /* of sketches that keep keys */
    bool                         keys;          /* some of the kinds keep keys */
    bool                         chain;  /* the one ordered kind is a scalable, without groups: */
    _Atomic(ink__build_closed *) closed; /* its closed levels, or NULL */
} ink__build_ordered;

typedef struct ink__build_state {
    const ink__build_plan *plan;
    ink__collector         collector; /* its groups have the sketches */
    ink__group            *whole;     /* the one group of a build without groups */
    ink__build_worker     *worker;    /* one for each of the plan's */
    ink__build_direct      direct;
    ink__build_ordered     ordered;
    /* Progress of filling groups: tasks of steps before this one, and of all; 0: no groups. */
    uint64_t             filled, fill_total;
    uint64_t             sliced;       /* bit k: sized kind k is made range by range */
    atomic_uint_fast64_t kept_bytes;   /* of elements in memory, of all workers */
    atomic_uint_fast64_t direct_bytes; /* of direct sketches of groups, if the plan flushes */
} ink__build_state;

/* Whether complete sketches of a kind are made of elements. */
static inline bool ink__build_is_sized(const ink__build_state *all, size_t kind)
{
    return all->plan->kinds[kind].mode == INK__BUILD_SIZED && (all->sliced >> kind & 1) == 0;
}

/* ---- build.c ------------------------------------------------------------------------------ */

/* Begins a build by a plan, which outlives it, at this segment; to be ended also on failure. */
ink_status ink__build_begin(ink__build_state *all, const ink__build_plan *plan, uint64_t segment,
                            ink_error *error);
void       ink__build_end(ink__build_state *all);

/* Reads all records. */
ink_status ink__build_read(ink__build_state *all, const ink_input *inputs, size_t input_count,
                           ink_error *error);

/* Moves all that was read into groups and partitions, to be filled or sent. */
ink_status ink__build_settle(ink__build_state *all, ink_error *error);

/* Settles, and makes sketches of what was kept. */
ink_status ink__build_fill(ink__build_state *all, ink_error *error);

/* ---- build_direct.c: the size is known ---------------------------------------------------- */

ink_status ink__build_direct_begin(ink__build_state *all, ink_error *error);
void       ink__build_direct_end(ink__build_state *all);

/* Adds a batch of thread number `worker`. */
ink_status ink__build_direct_add(ink__build_state *all, unsigned worker, const ink_batch *batch,
                                 ink_error *error);

/* Merges the sketches into those of the whole. */
ink_status ink__build_direct_finish(ink__build_state *all, ink_error *error);

/* ---- build_sized.c: the size follows from the keys, without groups ------------------------ */

/* Hashes are kept in this many partitions, by their first 8 bits; keys in one. */
enum { INK__BUILD_PARTITIONS = 256 };
unsigned ink__build_partitions(const ink__build_plan *plan);

/* The number of elements in the partitions of all workers. */
uint64_t ink__build_elements(const ink__build_state *all);

/* Keeps rows, whose hashes are in `mine`. */
ink_status ink__build_keep(const ink__build_plan *plan, ink__build_worker *mine,
                           const ink__rows *rows, ink_error *error);
/* Keeps elements of another build, encoded as in its partitions. */
ink_status ink__build_keep_elements(const ink__build_plan *plan, ink__build_worker *mine,
                                    const uint8_t *elements, uint64_t bytes, ink_error *error);

/* Gathers a partition of all workers, by one of them; and each hash once, unless keys are kept. */
ink_status ink__build_gather_all(const ink__build_state *all, unsigned worker, uint64_t partition,
                                 ink__gather **gather, ink_error *error);
ink_status ink__build_gather_partition(const ink__build_state *all, unsigned worker,
                                       uint64_t partition, ink__gather **gather, ink_error *error);

/* Makes the sketches of sized kinds. */
ink_status ink__build_fill_whole(ink__build_state *all, ink_error *error);

/* ---- build_whole.c: made of all hashes at once, without groups ---------------------------- */

/* Makes the sketches of the whole, of kinds that are made so, by what workers have kept. */
ink_status ink__build_make_whole(ink__build_state *all, ink_error *error);

/* ---- build_groups.c: the elements of each group fill its sketches ------------------------- */

/* Moves the elements of a group into its sketches of direct kinds. For ink__collector. */
ink_status ink__build_drain(void *host, ink__collect_worker *mine, ink__group *group,
                            ink__spill *spill, ink_error *error);

/* Moves the elements of a worker's own group into its own sketches, and those of all workers into
 * the sketches of groups. */
ink_status ink__build_drain_own(void *host, ink__own_group *own, ink_error *error);
ink_status ink__build_merge_own(ink__build_state *all, ink_error *error);

/* Gathers the elements of a group, each hash once unless keys are kept. */
ink_status ink__build_gather_group(const ink__build_state *all, const ink__group *group,
                                   ink__gather **gather, ink_error *error);

/* Adds the gathered elements of a group, which stand for this many records, to its sketches. */
ink_status ink__build_add_group(const ink__build_state *all, ink__build_worker *mine,
                                ink__group *group, uint64_t keys, uint64_t records,
                                ink_error *error);

/* Makes the sketches of a group from its elements; of all groups, by all threads. */
ink_status ink__build_fill_group(const ink__build_state *all, ink__build_worker *mine,
                                 ink__group *group, ink_error *error);
ink_status ink__build_fill_groups(ink__build_state *all, ink_error *error);

#endif
