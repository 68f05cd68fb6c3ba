/* record_buffer.h - the buffer between the records of a generator and a sink. */
#ifndef INK_JOBS_GENERATE_RECORD_BUFFER_H
#define INK_JOBS_GENERATE_RECORD_BUFFER_H

#include "inkling_job.h"

enum {
    INK__RECORD_MAX = 192, /* that a generator writes, the line end included */
    INK__RECORD_BUFFER_BYTES = 1 << 16,
};

/* Records that are gathered; a sink always gets whole ones. */
typedef struct ink__record_buffer {
    uint8_t        *bytes; /* room for one record more than FULL */
    size_t          used;
    uint64_t        count; /* of all records so far */
    uint64_t        total;
    uint64_t        began_ns;
    const ink_sink *sink;
    const ink_job  *job; /* to be told of progress; NULL: not */
} ink__record_buffer;

/* Hands on what is there; then asks whether to go on. */
ink_status ink__record_buffer_flush(ink__record_buffer *buffer, ink_error *error);

/* Where the next record goes. */
static inline uint8_t *ink__record_buffer_room(const ink__record_buffer *buffer)
{
    return buffer->bytes + buffer->used;
}

/* Ends a line that was written up to `end`, which counts as a record. */
static inline ink_status ink__record_buffer_end(ink__record_buffer *buffer, uint8_t *end,
                                                ink_error *error)
{
    *end++ = '\n';
    buffer->used = (size_t)(end - buffer->bytes);
    buffer->count++;
    return buffer->used < INK__RECORD_BUFFER_BYTES ? INK_OK
                                                   : ink__record_buffer_flush(buffer, error);
}

#endif
