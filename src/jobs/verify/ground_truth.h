/* ground_truth.h - the true data of a verification: the different keys of each group, with how
 * often each came. Keys are told apart by their 64-bit hashes. */
#ifndef INK_JOBS_VERIFY_GROUND_TRUTH_H
#define INK_JOBS_VERIFY_GROUND_TRUTH_H

#include "jobs/groups/collect.h"
#include "jobs/runtime/feed.h"

typedef struct ink__ground_truth {
    ink_allocator        allocator;
    const ink_sketch    *hasher; /* of the key rule; what it cannot hash, the label hasher does */
    bool                 hashes; /* whether it can */
    bool                 ints;
    ink__collector       collector;
    ink__group          *whole;
    ink__collect_worker *workers;
    uint64_t (*row_hashes)[INK__ROWS_MAX];
    unsigned     worker_count;
    ink__group **list; /* all groups */
    uint64_t     count;
    uint64_t     elements; /* keys that were kept, of all groups, repeated ones included */
} ink__ground_truth;

/* Reads all records. `keep` says whether the keys themselves are needed. */
ink_status ink__ground_truth_read(ink__ground_truth *truth, const ink_input *inputs,
                                  size_t input_count, const ink_reading *reading,
                                  const ink_sketch *hasher, ink__keep keep, const char *folder,
                                  ink_job *job, uint64_t began, ink_error *error);
void       ink__ground_truth_free(ink__ground_truth *truth); /* all zero is allowed */

/* What pieces must be to be the truth. */
typedef struct ink__ground_truth_pieces {
    const ink_input  *pieces; /* in memory */
    size_t            count;
    uint64_t          job;             /* see ink__pieces_job */
    const ink_params *rule;            /* that maps hashed keys by */
    bool              need_keys;       /* hashes are not enough */
    uint32_t          bucket, buckets; /* the range of hashes that all must be in */
} ink__ground_truth_pieces;

/* The same out of pieces that maps gave. `grouped` false unites all groups. INK_MISMATCH if pieces
 * hold something else, or hashes of another range, or others than the hasher's. Sets job->records.
 */
ink_status ink__ground_truth_unpack(ink__ground_truth *truth, const ink__ground_truth_pieces *from,
                                    bool grouped, bool ints, const ink_sketch *hasher,
                                    const char *folder, ink_job *job, uint64_t began,
                                    ink_error *error);

/* What both begin with: what is known before anything was read, and room for groups, or for one of
 * all keys. */
void       ink__ground_truth_begin(ink__ground_truth *truth, const ink__feed *feed,
                                   const ink_sketch *hasher, bool ints, const ink_job *job);
ink_status ink__ground_truth_make_groups(ink__ground_truth *truth, const ink_job *job,
                                         const char *folder, bool grouped, ink_error *error);

/* Gathers the different keys of a group: hashes, how often each came, and the keys if they were
 * kept. */
ink_status ink__ground_truth_gather(const ink__ground_truth *truth, const ink__group *group,
                                    ink__gather *to, ink__table *table, ink_error *error);

/* What was gathered as a batch for sketches, with keys where they were kept; without weights. */
ink_batch ink__ground_truth_batch(const ink__ground_truth *truth, const ink__gather *from,
                                  uint64_t first, uint64_t count);

/* Makes integers that were gathered stand one behind another, where some were left out too. */
void ink__ground_truth_close_ranks(const ink__ground_truth *truth, ink__gather *to);

/* Sets the hashes of keys that were gathered. */
ink_status ink__ground_truth_hash(const ink__ground_truth *truth, ink__gather *to,
                                  ink_error *error);

#endif
