/* progress_file.h - how far a run has come, as a file in the folder of results: what was seen, and
 * which shards are finished. A run that was killed goes on from it. */
#ifndef INK_JOBS_DEDUP_PROGRESS_FILE_H
#define INK_JOBS_DEDUP_PROGRESS_FILE_H

#include "jobs/dedup/seen.h"
#include "jobs/dedup/seen_file.h"
#include "jobs/dedup/shards.h"

#define INK__PROGRESS_NAME ".ink-dedup-progress"

/* Ranges of all tables of a run together, at most: in the file each is a section. */
enum { INK__PROGRESS_RANGES = 62 };

/* What a run has done: the same bytes come of the shards from `shards` on, whenever it is killed.
 */
typedef struct ink__progress {
    uint64_t         run;    /* a hash of options and inputs */
    uint64_t         shards; /* finished */
    bool             done;   /* and so is what follows them */
    uint64_t         records;
    uint64_t         first[INK__SEEN_LEVELS];
    ink__wrong       wrong_ngrams;
    ink_dedup_report report;
} ink__progress;

/* The hash of a run: of these words, and of the paths, sizes and times of the shards. */
ink_status ink__progress_run(const ink__shards *shards, const void *words, size_t bytes,
                             uint64_t *run, ink_error *error);

/* Reads the file, if there is one: *found. Levels that are `used` come to have what was seen,
 * unless all is done. A file of another run is as if there were none if that is done or `other`
 * allows it; else it is INK_USAGE. */
ink_status ink__progress_read(ink__progress *progress, ink__seen seen[INK__SEEN_LEVELS],
                              const bool used[INK__SEEN_LEVELS], unsigned ranges,
                              const char *folder, bool other, bool *found,
                              const ink_allocator *allocator, ink_error *error);

ink_status ink__progress_save(const ink__progress *progress, const ink__seen seen[INK__SEEN_LEVELS],
                              const char *folder, const ink_allocator *allocator, ink_error *error);

/* Removes the file, of a run that has ended. */
void ink__progress_remove(const char *folder);

#endif
