/* build_groups.h - a build with groups: the elements of each group fill its sketches. */
#ifndef INK_JOBS_BUILD_BUILD_GROUPS_H
#define INK_JOBS_BUILD_BUILD_GROUPS_H

#include "jobs/build/build_state.h"

/* Moves the elements of a group into its sketches of direct kinds. For ink__collector. */
ink_status ink__build_drain(void *host, ink__collect_worker *mine, ink__group *group,
                            ink__spill *spill, ink_error *error);

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
