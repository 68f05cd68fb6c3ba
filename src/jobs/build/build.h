/* build.h - the life of a build: records in, sketches out, or pieces where others make these. */
#ifndef INK_JOBS_BUILD_BUILD_H
#define INK_JOBS_BUILD_BUILD_H

#include "jobs/build/build_state.h"

/* Begins a build by a plan, which must outlive it, at this segment of the input; to be ended also
 * if that failed. */
ink_status ink__build_begin(ink__build_state *all, const ink__build_plan *plan, uint64_t segment,
                            ink_error *error);
void       ink__build_end(ink__build_state *all);

/* Reads all records. */
ink_status ink__build_read(ink__build_state *all, const ink_input *inputs, size_t input_count,
                           ink_error *error);

/* Brings all that was read to groups and partitions, where it waits to be filled or given away. */
ink_status ink__build_settle(ink__build_state *all, ink_error *error);

/* Settles, and makes sketches of what was kept. */
ink_status ink__build_fill(ink__build_state *all, ink_error *error);

#endif
