/* partial_record.c - what has come in of a record that has not ended. */
#include "input/live/partial_record.h"

#include "base/memory.h"
#include "input/records/quotes.h"
#include "kernels/lines.h"

#include <string.h>

/* More than this is not kept for the next remainder after a long record. */
enum { ROOM_KEPT_BYTES = 64 << 10 };

ink_status ink__remainder_prepare(const ink__remainder *remainder, ink__chunk *chunk,
                                  uint64_t before, uint64_t wanted, uint8_t **to,
                                  const ink_allocator *allocator, ink_error *error)
{
    uint64_t room = before + remainder->count + wanted;
    void    *memory;

    chunk->bytes = NULL;
    chunk->count = 0;
    if (room > chunk->room) {
        ink__release(allocator, chunk->buffer, chunk->room);
        chunk->buffer = NULL;
        chunk->room = 0;
        room += room / 8; /* the next remainder may be longer by a little */
        INK__TRY(ink__allocate(allocator, room, &memory, error));
        chunk->buffer = memory;
        chunk->room = room;
    }
    chunk->bytes = chunk->buffer + before;
    *to = chunk->buffer + before + remainder->count;
    return INK_OK;
}

static void give_back(ink__remainder *remainder, const ink_allocator *allocator)
{
    ink__release(allocator, remainder->bytes, remainder->room);
    remainder->bytes = NULL;
    remainder->room = 0;
}

/* Where the last whole record ends in bytes that come behind the remainder; 0 if none does. */
static uint64_t behind_last(ink__remainder *remainder, const ink__record_rule *records,
                            const uint8_t *bytes, uint64_t count)
{
    switch (records->form) {
    case INK__RECORDS_FIXED: {
        uint64_t over = (remainder->count + count) % records->width;
        return over < count ? count - over : 0;
    }
    case INK__RECORDS_QUOTED:
        return ink__quoted_after_last(bytes, count, &remainder->inside);
    default:
        return ink__lines_after_last(bytes, count, records->end);
    }
}

/* The remainder becomes these bytes. */
static ink_status keep(ink__remainder *remainder, const uint8_t *bytes, uint64_t count,
                       const ink_allocator *allocator, ink_error *error)
{
    void *memory = remainder->bytes;

    INK__TRY(ink__make_room(allocator, &memory, &remainder->room, remainder->count, count, error));
    remainder->bytes = memory;
    memcpy(remainder->bytes + remainder->count, bytes, count);
    remainder->count += count;
    return INK_OK;
}

ink_status ink__remainder_take(ink__remainder *remainder, const ink__record_rule *records,
                               ink__chunk *chunk, uint64_t count, bool ended,
                               const ink_allocator *allocator, ink_error *error)
{
    uint64_t held = remainder->count;
    uint8_t *start = chunk->buffer + (chunk->bytes - chunk->buffer); /* which may be written to */
    uint64_t whole = behind_last(remainder, records, start + held, count);

    chunk->offset = remainder->offset;
    chunk->record = remainder->record;
    if (ended) {
        whole = count;
        remainder->inside = false; /* what another writes next begins outside */
    }
    if (whole == 0 && !(ended && held > 0))
        return count == 0 ? INK_OK : keep(remainder, start + held, count, allocator, error);
    if (held > 0)
        memcpy(start, remainder->bytes, held);
    chunk->count = held + whole;
    remainder->offset += chunk->count;
    remainder->record += ink__records_count(records, start, chunk->count);
    remainder->count = 0;
    if (whole == count || remainder->room > ROOM_KEPT_BYTES)
        give_back(remainder, allocator);
    return whole == count ? INK_OK
                          : keep(remainder, start + held + whole, count - whole, allocator, error);
}

void ink__remainder_drop(ink__remainder *remainder, const ink_allocator *allocator)
{
    give_back(remainder, allocator);
    remainder->count = 0;
    remainder->inside = false;
}
