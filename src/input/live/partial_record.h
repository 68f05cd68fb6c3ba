/* partial_record.h - the start of a record that has not ended: bytes are read in pieces of any
 * size, whole records leave as chunks, and the rest is kept here. */
#ifndef INK_INPUT_LIVE_PARTIAL_RECORD_H
#define INK_INPUT_LIVE_PARTIAL_RECORD_H

#include "input/source.h"

/* All zero but for `record`, which is 1, at first. */
typedef struct ink__partial_record {
    uint8_t *bytes;
    uint64_t count, room;
    bool     inside; /* quotes, at the end of the bytes, if records may be quoted */
    uint64_t offset; /* where it starts in its input ... */
    uint64_t record; /* ... and its number there, from 1 */
} ink__partial_record;

/* Makes room in the buffer of a chunk for `before` bytes before it, for the partial record, and for
 * `wanted` bytes to be read to *to. The chunk is empty then. */
ink_status ink__partial_record_prepare(const ink__partial_record *partial, ink__chunk *chunk,
                                       uint64_t before, uint64_t wanted, uint8_t **to,
                                       const ink_allocator *allocator, ink_error *error);

/* `count` bytes were read to *to of _prepare: the chunk becomes the whole records, and the rest the
 * partial record. `ended`: no more comes, so that the rest is a record too. Only the new bytes are
 * searched. INK_LIMIT: a record of 2^31 bytes or more. */
ink_status ink__partial_record_take(ink__partial_record *partial, const ink__record_rule *records,
                                    ink__chunk *chunk, uint64_t count, bool ended,
                                    const ink_allocator *allocator, ink_error *error);

/* Drops the bytes and releases their memory. */
void ink__partial_record_drop(ink__partial_record *partial, const ink_allocator *allocator);

#endif
