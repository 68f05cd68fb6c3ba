/* arrow_stream.h - a stream of Arrow arrays as slices of rows: pulled by one thread at a time,
 * worked on by many. An array is released with its last slice. */
#ifndef INK_INPUT_ARROW_ARROW_STREAM_H
#define INK_INPUT_ARROW_ARROW_STREAM_H

#include "input/arrow/arrow_plan.h"

/* The Arrow input of a job: a stream, and which of its columns are wanted. */
typedef struct ink__arrow_part {
    struct ArrowArrayStream *stream;
    const ink__arrow_wanted *wanted;
    ink_key_type             key_type; /* that keys must have */
} ink__arrow_part;

typedef struct ink__arrow_stream ink__arrow_stream;

/* An array of the stream; users are its slices, and the stream. */
typedef struct ink__arrow_batch {
    ink__arrow_stream     *stream;
    const ink__arrow_plan *plan;
    struct ArrowArray      array;
    uint64_t               before; /* rows in the stream */
    uint64_t               users;
} ink__arrow_batch;

/* Some rows of an array. All zero at first. */
typedef struct ink__arrow_slice {
    ink__arrow_batch *batch; /* NULL: none */
    uint64_t          first, end;
} ink__arrow_slice;

/* Reads the schema of the stream and finds the columns. INK_MISMATCH: keys of another type. The
 * stream stays the caller's. */
ink_status ink__arrow_stream_open(ink__arrow_stream **stream, const ink__arrow_part *part,
                                  const ink_allocator *allocator, ink_error *error);
/* Slices that are still in use stay valid. */
void ink__arrow_stream_close(ink__arrow_stream *stream); /* NULL is allowed */

/* The next rows of the stream, at most `most`; a slice without a batch at the end. Failures about a
 * row have its number in the stream, from 1, as INK_AT_LINE. */
ink_status ink__arrow_stream_next(ink__arrow_stream *stream, uint64_t most, ink__arrow_slice *slice,
                                  ink_error *error);

/* A slice without a batch is allowed. */
void ink__arrow_slice_release(ink__arrow_slice *slice);

/* The key type of a stream, by its schema. */
ink_status ink__arrow_stream_key_type(struct ArrowArrayStream *stream,
                                      const ink__arrow_wanted *wanted, ink_key_type *type,
                                      ink_error *error);

#endif
