/* sizes.h - about how many texts a corpus has at each level, by samples of its files. */
#ifndef INK_JOBS_DEDUP_SIZES_H
#define INK_JOBS_DEDUP_SIZES_H

#include "jobs/dedup/chunk.h"
#include "jobs/dedup/shards.h"
#include "jobs/runtime/feed.h"

/* Sets the numbers of documents, paragraphs and n-grams, repeated ones included. On failure
 * job->failed_path may be set. */
ink_status ink__dedup_estimate(const ink__shards *shards, const ink__dedup_rule *rule,
                               const ink_reading *reading, ink_job *job,
                               double texts[INK_DEDUP_LEVELS], ink_error *error);

/* For ink__feed.take: adds rows of lines, or of what ends with NUL, to a chunk. */
ink_status ink__dedup_take(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                           const ink__feed_rows *feed, ink_error *error);

#endif
