/* partial_record.h - what has come in of a record that has not ended: bytes are read in pieces of
 * any size, whole records are given away as chunks, and the rest waits here. */
#ifndef INK_INPUT_LIVE_PARTIAL_RECORD_H
#define INK_INPUT_LIVE_PARTIAL_RECORD_H

#include "input/source.h"

/* All zero but for `record`, which is 1, before anything has come in. */
typedef struct ink__partial_record {
    uint8_t *bytes;
    uint64_t count, room;
    bool     inside; /* quotes: where the bytes end, by the rule that asks for it */
    uint64_t offset; /* where it starts in what is read ... */
    uint64_t record; /* ... and its number there, from 1 */
} ink__partial_record;

/* Makes room in the buffer of a chunk, for the `before` bytes that are to stand before it, for the
 * partial record, and for `wanted` bytes that are read next, to *to. The chunk is empty then. */
ink_status ink__partial_record_prepare(const ink__partial_record *partial, ink__chunk *chunk,
                                       uint64_t before, uint64_t wanted, uint8_t **to,
                                       const ink_allocator *allocator, ink_error *error);

/* So many bytes were read to where _prepare said: the chunk becomes what has come in up to the end
 * of the last whole record, and the rest the partial record. `ended`: nothing comes behind these
 * bytes, so that they are a record even without an end. Only the new bytes are looked at. */
ink_status ink__partial_record_take(ink__partial_record *partial, const ink__record_rule *records,
                                    ink__chunk *chunk, uint64_t count, bool ended,
                                    const ink_allocator *allocator, ink_error *error);

/* Forgets the bytes and gives their memory back. */
void ink__partial_record_drop(ink__partial_record *partial, const ink_allocator *allocator);

#endif
