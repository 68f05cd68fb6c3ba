/* shards.h - the files of a corpus: found under the names that a caller gives, and written again
 * under the same names, each whole or not there.
 *
 * The folder src/jobs/dedup finds texts that were seen before. Read dedup.c first: shards are the
 * files, document.h is a record with its text, ngrams.h its n-grams, seen.h the memory of one
 * level. */
#ifndef INK_JOBS_DEDUP_SHARDS_H
#define INK_JOBS_DEDUP_SHARDS_H

#include "base/files.h"
#include "inkling_job.h"
#include "input/records/decompress.h"

/* A file. Its name below the folder of results is the end of its path. */
typedef struct ink__shard {
    char            *path;
    uint64_t         path_bytes; /* of memory */
    uint64_t         name_at;
    uint64_t         size, device, number, modified; /* as in ink__stat */
    ink__compression form;
} ink__shard;

typedef struct ink__shards {
    ink_allocator     allocator;
    ink__shard       *all;
    uint64_t          count, room;
    const char       *folder; /* of results; NULL: nothing is written */
    bool              overwrite;
    uint64_t          next; /* shard to be written ... */
    bool              open; /* ... which has been begun */
    const ink__shard *last; /* the one whose folders were made last, or NULL */
    ink__replacement  output;
    char             *output_path;
    uint64_t          output_room;
} ink__shards;

/* Finds the files of `paths`, in order: a file; of a folder all files below it, by the bytes of
 * their paths, without those whose name, or whose folder's name, begins with a dot; or what a
 * pattern of a shell matches, by the bytes of the paths. Refuses two files with one name. On
 * failure `failed`, of INK__PATH_BYTES bytes, is the path that it is about, or empty. */
ink_status ink__shards_find(ink__shards *shards, const char *const *paths, size_t path_count,
                            char *failed, ink_error *error);
/* Refuses results that exist (unless `overwrite`) or that are inputs. */
ink_status ink__shards_check(ink__shards *shards, char *failed, ink_error *error);
/* Whether all results exist. */
bool ink__shards_exist(ink__shards *shards);
void ink__shards_end(ink__shards *shards); /* abandons what is not whole */

/* Makes the folders that a path is in, as ink__folder_make. */
ink_status ink__shards_make_folders(char *path, ink_error *error);

/* Writes bytes of shard `number`, compressed as it is; shards before it are finished first. The
 * same shard until the next. */
ink_status ink__shards_write(ink__shards *shards, uint64_t number, const uint8_t *bytes,
                             uint64_t count, ink_error *error);
/* Finishes those before shard `number`; those that got no bytes are empty. */
ink_status ink__shards_finish(ink__shards *shards, uint64_t number, ink_error *error);

#endif
