/* build_groups.h - a build with groups: what was collected of each fills its sketches. */
#ifndef INK_JOBS_BUILD_BUILD_GROUPS_H
#define INK_JOBS_BUILD_BUILD_GROUPS_H

#include "jobs/build/build_state.h"

/* Adds what a group keeps to its sketches of direct kinds, and forgets it. For ink__collector. */
ink_status ink__build_drain(void *host, ink__collect_worker *mine, ink__group *group,
                            ink__spill *spill, ink_error *error);

/* Gathers what is kept of a group, each hash once where hashes are kept. */
ink_status ink__build_gather_group(const ink__build_state *all, const ink__group *group,
                                   ink__gather **gather, ink_error *error);

/* Adds what was gathered of a group, which stands for this many records, to its sketches. */
ink_status ink__build_add_group(const ink__build_state *all, ink__build_worker *mine,
                                ink__group *group, uint64_t keys, uint64_t records,
                                ink_error *error);

/* Makes the sketches of a group, of all that is kept of it; of all groups, by all threads. */
ink_status ink__build_fill_group(const ink__build_state *all, ink__build_worker *mine,
                                 ink__group *group, ink_error *error);
ink_status ink__build_fill_groups(ink__build_state *all, ink_error *error);

#endif
