/* build_direct.h - the sketches of direct kinds of a build without groups, which many threads fill:
 * one each, or fewer where these would be too large. */
#ifndef INK_JOBS_BUILD_BUILD_DIRECT_H
#define INK_JOBS_BUILD_BUILD_DIRECT_H

#include "jobs/build/build_plan.h"
#include "jobs/build/ranges.h"

/* Several threads add to one sketch where there is no room for one each. */
typedef struct ink__build_slot {
    ink__mutex   mutex;
    ink_sketch **sketches; /* one for each kind; NULL but for direct ones */
} ink__build_slot;

/* Sketches so large that hashes are sorted by range before they are added: one that all threads
 * share, or one of each. */
typedef struct ink__build_ranged {
    ink__ranges *ranges;
    unsigned     count; /* 0: the kind has none */
} ink__build_ranged;

/* All zero is one without sketches. */
typedef struct ink__build_direct {
    const ink__build_plan *plan;
    void                  *memory; /* of all that follows */
    uint64_t               memory_bytes;
    ink__build_slot       *slots;
    unsigned               slot_count, open_slots;
    ink__build_ranged     *ranged; /* one for each kind */
} ink__build_direct;

ink_status ink__build_direct_begin(ink__build_direct *direct, const ink__build_plan *plan,
                                   ink_error *error);
void       ink__build_direct_end(ink__build_direct *direct);

/* Adds a batch of thread number `worker`. */
ink_status ink__build_direct_add(ink__build_direct *direct, unsigned worker, const ink_batch *batch,
                                 ink_error *error);

/* Merges the sketches into `whole`, which has one for each kind, or NULL. */
ink_status ink__build_direct_finish(ink__build_direct *direct, ink_sketch **whole,
                                    ink_error *error);

#endif
