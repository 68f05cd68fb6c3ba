/* partial_record.c - the start of a record that has not ended. */
#include "input/live/partial_record.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* A larger buffer is released after a long record. */
enum { ROOM_KEPT_BYTES = 64 << 10 };

ink_status ink__partial_record_prepare(const ink__partial_record *partial, ink__chunk *chunk,
                                       uint64_t before, uint64_t wanted, uint8_t **to,
                                       const ink_allocator *allocator, ink_error *error)
{
    uint64_t room = before + partial->count + wanted;
    void    *memory;

    chunk->bytes = NULL;
    chunk->count = 0;
    if (room > chunk->room) {
        ink__release(allocator, chunk->buffer, chunk->room);
        chunk->buffer = NULL;
        chunk->room = 0;
        room += room / 8; /* the next partial record may be longer by a little */
        INK__TRY(ink__allocate(allocator, room, &memory, error));
        chunk->buffer = memory;
        chunk->room = room;
    }
    chunk->bytes = chunk->buffer + before;
    *to = chunk->buffer + before + partial->count;
    return INK_OK;
}

static void release_bytes(ink__partial_record *partial, const ink_allocator *allocator)
{
    ink__release(allocator, partial->bytes, partial->room);
    partial->bytes = NULL;
    partial->room = 0;
}

/* Adds these bytes to the partial record. */
static ink_status keep(ink__partial_record *partial, const uint8_t *bytes, uint64_t count,
                       const ink_allocator *allocator, ink_error *error)
{
    INK__TRY(
        ink__make_room(allocator, &partial->bytes, &partial->room, partial->count, count, error));
    memcpy(partial->bytes + partial->count, bytes, count);
    partial->count += count;
    return partial->count < INK__RECORD_BYTES_MAX ? INK_OK
                                                  : ink__records_fail_long(error, partial->record);
}

ink_status ink__partial_record_take(ink__partial_record *partial, const ink__record_rule *records,
                                    ink__chunk *chunk, uint64_t count, bool ended,
                                    const ink_allocator *allocator, ink_error *error)
{
    uint64_t kept = partial->count;
    uint8_t *start = chunk->buffer + (chunk->bytes - chunk->buffer); /* which may be written to */
    uint64_t whole = ink__records_last_after(records, kept, start + kept, count, &partial->inside);

    chunk->offset = partial->offset;
    chunk->record = partial->record;
    if (ended) {
        whole = count;
        partial->inside = false; /* the next writer begins outside */
    }
    if (whole == 0 && !(ended && kept > 0))
        return count == 0 ? INK_OK : keep(partial, start + kept, count, allocator, error);
    if (kept > 0)
        memcpy(start, partial->bytes, kept);
    chunk->count = kept + whole;
    partial->offset += chunk->count;
    partial->record += ink__records_count(records, start, chunk->count);
    partial->count = 0;
    if (whole == count || partial->room > ROOM_KEPT_BYTES)
        release_bytes(partial, allocator);
    return whole == count ? INK_OK
                          : keep(partial, start + kept + whole, count - whole, allocator, error);
}

void ink__partial_record_drop(ink__partial_record *partial, const ink_allocator *allocator)
{
    release_bytes(partial, allocator);
    partial->count = 0;
    partial->inside = false;
}
