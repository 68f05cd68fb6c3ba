/* stream_position.h - how far a stream was read, as in the position section of its state: the
 * counts so far, and where each file was left. docs/format.md states the bytes. */
#ifndef INK_JOBS_STREAM_STREAM_POSITION_H
#define INK_JOBS_STREAM_STREAM_POSITION_H

#include "inkling.h"
#include "input/live/live_origin.h"
#include "jobs/runtime/arena.h"

/* A file that was read, by its path with symbolic links resolved. */
typedef struct ink__stream_file {
    const char        *path;
    ink__live_location location;
} ink__stream_file;

typedef struct ink__stream_position {
    uint64_t          batches, records, bad, late, cut;
    uint64_t          slot_microseconds, slots; /* of a window; 0: none */
    bool              timed;
    int64_t           newest; /* the latest time of a record, if timed */
    ink__stream_file *files;
    uint64_t          file_count, files_bytes;
} ink__stream_position;

/* The bytes of the section, in *room bytes of `allocator`, which the caller releases. */
ink_status ink__stream_position_write(const ink__stream_position *position,
                                      const ink_allocator *allocator, uint8_t **bytes,
                                      uint64_t *count, uint64_t *room, ink_error *error);

/* Reads it. Paths are kept in `arena`, the list in memory of its allocator, released by _free, also
 * after a failure. INK_FORMAT: the bytes are no position; INK_MISMATCH: it is not of ink stream. */
ink_status ink__stream_position_read(ink__stream_position *position, const uint8_t *bytes,
                                     uint64_t count, ink__arena *arena, ink_error *error);
void ink__stream_position_free(ink__stream_position *position, const ink_allocator *allocator);

/* The index of the file with this path, which is added if it is missing. */
ink_status ink__stream_position_find(ink__stream_position *position, const char *path,
                                     ink__arena *arena, size_t *index, ink_error *error);

#endif
