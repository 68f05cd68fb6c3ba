/* build.h - begins, runs and ends a build: records in, sketches or pieces out.
 *
 * The folder src/jobs/build makes sketches of records. build_plan.h is constant once made;
 * build_state.h is what a build has collected; build_direct, build_sized, build_groups and
 * build_ordered are the ways to fill a sketch; ranges fills a large one by several threads.
 * jobs/distributed uses it. */
#ifndef INK_JOBS_BUILD_BUILD_H
#define INK_JOBS_BUILD_BUILD_H

#include "jobs/build/build_state.h"

/* Begins a build by a plan, which must outlive it, at this segment of the input. To be ended also
 * on failure. */
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

#endif
