/* ground_truth.h - the ground truth of a verification: the distinct keys of each group, with their
 * counts. Keys are distinguished by their 64-bit hashes.
 *
 * The folder src/jobs/verify compares sketches with the true data. Read this header, then
 * verify.c; verify_results adds up what was found, also by parts of a job on many machines.
 * jobs/distributed uses it. */
#ifndef INK_JOBS_VERIFY_GROUND_TRUTH_H
#define INK_JOBS_VERIFY_GROUND_TRUTH_H

#include "jobs/groups/collect.h"
#include "jobs/groups/matches.h"

typedef struct ink__ground_truth {
    ink_allocator        allocator;
    const ink_sketch    *hasher; /* of the key rule ... */
    bool                 hashes; /* ... if that has a 64-bit hash; else the label hasher */
    bool                 ints;
    ink__collector       collector;
    ink__group          *whole;
    ink__collect_worker *workers;
    uint64_t (*row_hashes)[INK__ROWS_MAX];
    unsigned     worker_count;
    ink__group **list; /* all groups */
    uint64_t     count;
    uint64_t     elements; /* keys of all groups, with repeats */
} ink__ground_truth;

/* Reads all records, for sketches of the key rule of `like`; `keep`: what is kept of each. On
 * failure nothing is to be freed. */
ink_status ink__ground_truth_read(ink__ground_truth *truth, const ink_input *inputs,
                                  size_t input_count, const ink_reading *reading,
                                  const ink_reading *remembered, const ink__member *like,
                                  ink__keep keep, ink_job *job, uint64_t began, ink_error *error);
void       ink__ground_truth_free(ink__ground_truth *truth); /* all zero is allowed */

/* Pieces that are the ground truth. */
typedef struct ink__ground_truth_pieces {
    const ink_input  *pieces; /* in memory */
    size_t            count;
    uint64_t          job;             /* see ink__pieces_job */
    const ink_params *rule;            /* the key rule of the maps */
    bool              need_keys;       /* not only hashes */
    uint32_t          bucket, buckets; /* the range of all hashes */
} ink__ground_truth_pieces;

/* The same from the pieces of maps. `grouped` false: the union of all groups. INK_MISMATCH if
 * pieces hold something else, hashes of another range, or by another rule than that of `like`. Sets
 * job->records. */
ink_status ink__ground_truth_unpack(ink__ground_truth *truth, const ink__ground_truth_pieces *from,
                                    bool grouped, bool ints, const ink__member *like, ink_job *job,
                                    uint64_t began, ink_error *error);

/* Gathers the distinct keys of a group: hashes, counts, and the keys if they are kept. */
ink_status ink__ground_truth_gather(const ink__ground_truth *truth, const ink__group *group,
                                    ink__gather *to, ink__table *table, ink_error *error);

/* Leaves each gathered key once, with its hash. */
ink_status ink__ground_truth_distinct(const ink__ground_truth *truth, ink__gather *to,
                                      ink__table *table, ink_error *error);

/* What was gathered as a batch without weights, with keys if they are kept. */
ink_batch ink__ground_truth_batch(const ink__ground_truth *truth, const ink__gather *from,
                                  uint64_t first, uint64_t count);

/* Closes the gaps between gathered integers, of which some were left out. */
void ink__ground_truth_close_ranks(const ink__ground_truth *truth, ink__gather *to);

/* Sets the hashes of gathered keys. */
ink_status ink__ground_truth_hash(const ink__ground_truth *truth, ink__gather *to,
                                  ink_error *error);

#endif
