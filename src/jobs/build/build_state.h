/* build_state.h - what a build has collected: by each thread, in groups, and in sketches of direct
 * kinds. */
#ifndef INK_JOBS_BUILD_BUILD_STATE_H
#define INK_JOBS_BUILD_BUILD_STATE_H

#include "jobs/build/build_direct.h"
#include "jobs/build/build_ordered.h"
#include "jobs/groups/collect.h"

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
} ink__build_filler;

/* The state of one thread. */
typedef struct ink__build_worker {
    uint64_t            hashes[INK__ROWS_MAX];
    ink__collect_worker collect;
    ink__build_kept     kept;
    ink__pending_rows   pending; /* for ordered kinds */
    ink__build_filler   filler;
} ink__build_worker;

typedef struct ink__build_state {
    const ink__build_plan *plan;
    ink__collector         collector; /* its groups have the sketches */
    ink__group            *whole;     /* the one group of a build without groups */
    ink__build_worker     *worker;    /* one for each of the plan's */
    ink__build_direct      direct;
    ink__build_ordered     ordered;
    uint64_t               sliced;       /* bit k: sized kind k is made range by range */
    atomic_uint_fast64_t   kept_bytes;   /* of elements in memory, of all workers */
    atomic_uint_fast64_t   direct_bytes; /* of direct sketches of groups, if the plan flushes */
} ink__build_state;

/* Whether complete sketches of a kind are made of elements. */
static inline bool ink__build_is_sized(const ink__build_state *all, size_t kind)
{
    return all->plan->kinds[kind].mode == INK__BUILD_SIZED && (all->sliced >> kind & 1) == 0;
}

#endif
