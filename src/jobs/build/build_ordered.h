/* build_ordered.h - the kinds of a build whose bytes depend on the order of keys. */
#ifndef INK_JOBS_BUILD_BUILD_ORDERED_H
#define INK_JOBS_BUILD_BUILD_ORDERED_H

#include "jobs/build/build_plan.h"
#include "jobs/groups/pending_rows.h"

#define INK__SEGMENT_BYTES ((uint64_t)64 << 20)

typedef struct ink__build_ordered {
    const ink__build_plan *plan;
    ink__group            *whole;   /* of a build without groups */
    uint64_t               segment; /* current one of the input */
    ink__group           **touched; /* groups that have parts of it */
    uint64_t               touched_count, touched_bytes;
    atomic_uint_fast64_t   grown_bytes; /* of sketches that keep keys */
} ink__build_ordered;

/* Keeps the rows of a chunk until its commit. */
ink_status ink__build_defer(const ink__build_ordered *ordered, ink__pending_rows *pending,
                            const ink__rows *rows, const uint64_t *hashes,
                            ink__group *const *groups, ink_error *error);

/* Adds the pending rows of a chunk, which starts at this byte of the input. */
ink_status ink__build_commit(ink__build_ordered *ordered, ink__pending_rows *pending,
                             uint64_t position, ink_error *error);

/* Merges the sketches of the last segment. */
ink_status ink__build_close_segment(ink__build_ordered *ordered, ink_error *error);

#endif
