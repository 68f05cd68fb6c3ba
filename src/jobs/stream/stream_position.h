/* stream_position.h - how far a stream has been read, as the position section of its state tells
 * it: what was counted so far, and where each file was left. docs/format.md states the bytes. */
#ifndef INK_JOBS_STREAM_STREAM_POSITION_H
#define INK_JOBS_STREAM_STREAM_POSITION_H

#include "inkling_job.h"
#include "input/live/live_origin.h"
#include "jobs/runtime/arena.h"

/* A file that was read, by the path that it has through all symbolic links. */
typedef struct ink__stream_file {
    const char        *path;
    ink__live_location location;
} ink__stream_file;

typedef struct ink__stream_position {
    uint64_t          batches, records, bad, late, cut;
    uint64_t          slot_microseconds, slots; /* of a window; 0: none */
    bool              timed;
    int64_t           newest; /* the latest time of a record */
    ink__stream_file *files;
    uint64_t          file_count, files_bytes;
} ink__stream_position;

/* The bytes of the section, in memory of `allocator`: *room bytes, to be given back. */
ink_status ink__stream_position_write(const ink__stream_position *position,
                                      const ink_allocator *allocator, uint8_t **bytes,
                                      uint64_t *count, uint64_t *room, ink_error *error);

/* Reads it. Paths are kept in `arena`, the list in memory of its allocator, to be given back with
 * _free, also after a failure. INK_FORMAT: bytes that are no position; INK_MISMATCH: one of another
 * source than a stream of the command. */
ink_status ink__stream_position_read(ink__stream_position *position, const uint8_t *bytes,
                                     uint64_t count, ink__arena *arena, ink_error *error);
void ink__stream_position_free(ink__stream_position *position, const ink_allocator *allocator);

/* The file with this path, which is added if it is not there. It moves when another is added. */
ink_status ink__stream_position_find(ink__stream_position *position, const char *path,
                                     ink__arena *arena, size_t *index, ink_error *error);

#endif
