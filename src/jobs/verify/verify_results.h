/* verify_results.h - the counts of a verification, and the results that follow. The counts of
 * several parts of one verification add up. */
#ifndef INK_JOBS_VERIFY_VERIFY_RESULTS_H
#define INK_JOBS_VERIFY_VERIFY_RESULTS_H

#include "jobs/groups/matches.h"
#include "jobs/runtime/arena.h"

/* As many as a build in pieces may have ranges. */
enum { INK__PARTS_MAX = 256 };

struct ink_verification {
    ink_allocator            allocator;
    ink__arena               labels;
    ink_verify_result       *rows; /* one for each member; of filters only counts are set */
    size_t                   count;
    ink_verification_summary counted; /* the part that does not follow from rows */
    uint64_t                 records;
    uint64_t                 homeless; /* keys of groups that a kind of filter lacks */
    bool                     missing; /* a group of the ground truth, by a kind that is no filter */

    /* Of a verification in parts: */
    uint32_t parts; /* 0: in one */
    uint8_t  added[INK__PARTS_MAX / 8];
    uint8_t  file[INK_DIGEST_BYTES]; /* the digest of what is verified */
};

/* A verification of sketches, all counts 0, to be freed; INK_UNSUPPORTED if there are none. */
ink_status ink__verification_create(ink_verification **verification, const ink__members *members,
                                    const ink_allocator *allocator, ink_error *error);

/* Over pieces only filters can be verified; INK_UNSUPPORTED names the first other kind. */
ink_status ink__verification_filters_only(const ink__members *members, ink_error *error);

/* Makes it one in `parts` parts (0: 1), of this file; INK_USAGE unless that is a power of two. */
ink_status ink__verification_part(ink_verification *verification, const ink_file *file,
                                  uint32_t parts, ink_error *error);

#endif
