/* build_direct.h - the sketches of direct kinds of a build without groups, filled by many threads:
 * one each, or fewer if these would be too large. */
#ifndef INK_JOBS_BUILD_BUILD_DIRECT_H
#define INK_JOBS_BUILD_BUILD_DIRECT_H

#include "jobs/build/build_plan.h"
#include "jobs/build/ranges.h"

/* Sketches of one thread, or of several if memory does not suffice for one each. */
typedef struct ink__build_slot {
    ink__mutex   mutex;
    ink_sketch **sketches; /* one for each kind; NULL but for direct ones */
} ink__build_slot;

/* Large sketches, whose hashes are sorted by range first: one for all threads, or one each. */
typedef struct ink__build_ranged {
    ink__ranges *ranges;
    unsigned     count; /* 0: the kind has none */
} ink__build_ranged;

/* All zero has no sketches. */
typedef struct ink__build_direct {
    const ink__build_plan *plan;
    ink__build_slot       *slots; /* one allocation with `ranged` and the sketches of slots ... */
    uint64_t               bytes; /* ... of this size */
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
