/* sizes.h - about how many texts a corpus has at each level, by samples of its files, and what
 * keeps them: a table, a filter, or a filter in ranges. */
#ifndef INK_JOBS_DEDUP_SIZES_H
#define INK_JOBS_DEDUP_SIZES_H

#include "jobs/dedup/chunk.h"
#include "jobs/dedup/shards.h"
#include "jobs/runtime/feed.h"

/* Sets the numbers of documents, paragraphs and n-grams, repeated ones included. On failure
 * job->failed_path may be set. */
ink_status ink__dedup_estimate(const ink__shards *shards, const ink__dedup_rule *rule,
                               const ink_reading *reading, ink_job *job,
                               double texts[INK__SEEN_LEVELS], ink_error *error);

/* What is to keep what was seen at a level. */
typedef struct ink__level_size {
    bool            table;
    unsigned        ranges; /* of a filter that is made in passes (passes.h); 0: it is in memory */
    uint64_t        keys;   /* planned for */
    ink_params      params; /* of a filter, ... */
    ink_description plan;   /* ... and what it will be */
    uint64_t        memory; /* that it may take, ... */
    uint64_t        bytes;  /* ... and will take with that many keys */
} ink__level_size;

/* Tables are in this many ranges at least: while one grows, it is there twice. Of the memory of a
 * filter in ranges, the part for hashes that are not on disk. */
enum { INK__TABLE_RANGES = 16, INK__HASHES_PART = 4 };

/* Sizes the levels that are used: with options->expected_keys, or for `texts` of each; with
 * `threads` that make ranges at once, or 0 if there is no way to make any. `memory` is shared among
 * levels. */
ink_status ink__dedup_size(const ink_dedup_options *options, const bool used[INK_DEDUP_LEVELS],
                           const double texts[INK__SEEN_LEVELS], uint64_t memory, unsigned threads,
                           ink__level_size sizes[INK__SEEN_LEVELS], ink_error *error);

/* For ink__feed.take: adds rows of lines, or of what ends with NUL, to a chunk. */
ink_status ink__dedup_take(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                           const ink__feed_rows *feed, ink_error *error);

#endif
