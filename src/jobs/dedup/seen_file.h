/* seen_file.h - what was seen, as a file of sketches: one filter for each level, whose group names
 * the level and how texts are compared there. */
#ifndef INK_JOBS_DEDUP_SEEN_FILE_H
#define INK_JOBS_DEDUP_SEEN_FILE_H

#include "inkling_job.h"
#include "jobs/dedup/ngrams.h"
#include "jobs/dedup/seen.h"

/* The levels whose texts are seen or not, which are the first ones. */
enum { INK__SEEN_LEVELS = INK_DEDUP_NGRAMS + 1, INK__SEEN_NAME_BYTES = 64 };

/* The group of a level: exact, paragraphs, ngrams-13, ngrams-13-lower-strip, ngrams-20-bytes. */
void ink__seen_name(ink_dedup_level level, const ink__ngram_rule *ngrams,
                    char name[INK__SEEN_NAME_BYTES]);

/* The filters of a file, and what else is in it. All zero: there is no file yet. */
typedef struct ink__seen_file {
    ink_allocator allocator;
    ink_file     *file;
    ink_sketch  **others; /* entry i of the file; NULL: it was taken */
    uint64_t      count;
} ink__seen_file;

/* Opens a file; *exists is false if there is none. */
ink_status ink__seen_file_open(ink__seen_file *from, const char *path, bool *exists,
                               const ink_allocator *allocator, ink_error *error);
void       ink__seen_file_end(ink__seen_file *from);

/* Takes the filter of a level; it is the caller's then. INK_NOT_FOUND names what there is. */
ink_status ink__seen_file_take(ink__seen_file *from, const char *name, ink_sketch **filter,
                               ink_error *error);

/* Writes the filters of some levels (NULL: not of this one), and what else the file had. */
ink_status ink__seen_file_save(const ink__seen_file *from, const char *path,
                               const ink_sketch *const filters[INK__SEEN_LEVELS],
                               const ink__ngram_rule *ngrams, ink_error *error);

/* All levels that are used at once: takes them from the file of what was seen, or to compare with
 * alone, if it exists; and saves those that have filters. */
ink_status ink__seen_file_take_all(ink__seen_file *from, const ink_dedup_options *options,
                                   const bool used[INK_DEDUP_LEVELS], const ink__ngram_rule *ngrams,
                                   unsigned ranges, ink__seen seen[INK__SEEN_LEVELS], bool *exists,
                                   const ink_allocator *allocator, ink_error *error);
ink_status ink__seen_file_save_all(const ink__seen_file *from, const char *path,
                                   const ink__seen         seen[INK__SEEN_LEVELS],
                                   const ink_dedup_report *report, const ink__ngram_rule *ngrams,
                                   ink_error *error);

#endif
