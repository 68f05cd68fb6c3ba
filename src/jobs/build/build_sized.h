/* build_sized.h - a build without groups whose size follows from its keys. */
#ifndef INK_JOBS_BUILD_BUILD_SIZED_H
#define INK_JOBS_BUILD_BUILD_SIZED_H

#include "jobs/build/build_state.h"

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

/* Gathers the elements of a partition of all workers, by one, each hash once unless keys are kept.
 */
ink_status ink__build_gather_partition(const ink__build_state *all, unsigned worker,
                                       uint64_t partition, ink__gather **gather, ink_error *error);

/* Makes the sketches of sized kinds. */
ink_status ink__build_fill_whole(ink__build_state *all, ink_error *error);

#endif
