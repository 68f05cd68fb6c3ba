/* live_origin.c - what the origins of live data share: waiting, reports, locations in files, and
 * the start of a record that has not ended. */
#include "input/live/live_origin.h"

#include "base/checksum.h"
#include "base/memory.h"
#include "base/system.h"

#include <string.h>

enum {
    MESSAGE_BYTES = 512,
    ROOM_KEPT_BYTES = 64 << 10, /* a larger buffer is released after a long record */
};

#define MILLISECOND 1000000u /* in nanoseconds */

int ink__live_origin_milliseconds(uint64_t until, int most)
{
    uint64_t now = ink__system_now()->nanoseconds();
    uint64_t left = now < until ? until - now : 0;

    if (left >= (uint64_t)most * MILLISECOND)
        return most;
    return (int)((left + MILLISECOND - 1) / MILLISECOND);
}

void ink__live_origin_report(const ink__live_rule *rule, const char *address, const char *format,
                             ...)
{
    char    words[MESSAGE_BYTES / 2], message[MESSAGE_BYTES];
    va_list arguments;

    if (rule->notify == NULL)
        return;
    va_start(arguments, format);
    ink__format_list(words, sizeof words, format, arguments);
    va_end(arguments);
    ink__format(message, sizeof message, "%s: %s", address, words);
    rule->notify(rule->host, message);
}

ink__live_location ink__live_chunk_location(const ink__live_chunk *live, uint64_t at)
{
    uint64_t there = live->before + at;
    uint64_t bytes = there < INK__LOCATION_BYTES ? there : INK__LOCATION_BYTES;

    return (ink__live_location){
        .offset = live->chunk.offset + at,
        .check = ink__checksum(live->chunk.bytes + at - bytes, bytes),
        .device = live->device,
        .number = live->number,
    };
}

/* ---- Partial records ---------------------------------------------------------------------- */

ink_status ink__partial_record_prepare(const ink__partial_record *partial, ink__live_chunk *live,
                                       size_t address, uint64_t before, uint64_t wanted,
                                       uint8_t **to, const ink_allocator *allocator,
                                       ink_error *error)
{
    ink__chunk chunk = {.input = address, .buffer = live->chunk.buffer, .room = live->chunk.room};
    uint64_t   room = before + partial->count + wanted;

    *live = (ink__live_chunk){.chunk = chunk, .first = !partial->given};
    if (room > chunk.room) {
        ink__release(allocator, chunk.buffer, chunk.room);
        live->chunk = (ink__chunk){.input = address};
        room += room / 8; /* the next partial record may be longer by a little */
        INK__TRY(ink__allocate(allocator, room, &live->chunk.buffer, error));
        live->chunk.room = room;
    }
    live->chunk.bytes = live->chunk.buffer + before;
    *to = live->chunk.buffer + before + partial->count;
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
    memcpy(partial->bytes + partial->count, bytes, (size_t)count);
    partial->count += count;
    return partial->count < INK__RECORD_BYTES_MAX ? INK_OK
                                                  : ink__records_fail_long(error, partial->record);
}

ink_status ink__partial_record_take(ink__partial_record *partial, const ink__record_rule *records,
                                    ink__live_chunk *live, uint64_t count, bool ended,
                                    const ink_allocator *allocator, ink_error *error)
{
    ink__chunk *chunk = &live->chunk;
    uint64_t    kept = partial->count;
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
        memcpy(start, partial->bytes, (size_t)kept);
    chunk->count = kept + whole;
    partial->given = true;
    partial->offset += chunk->count;
    partial->record += ink__records_count(records, start, chunk->count);
    partial->count = 0;
    if (whole == count || partial->room > ROOM_KEPT_BYTES)
        release_bytes(partial, allocator);
    return whole == count ? INK_OK
                          : keep(partial, start + kept + whole, count - whole, allocator, error);
}

ink_status ink__partial_record_hold(ink__partial_record *partial, const ink__live_chunk *live,
                                    uint64_t count, const ink_allocator *allocator,
                                    ink_error *error)
{
    return count == 0 ? INK_OK
                      : keep(partial, live->chunk.bytes + partial->count, count, allocator, error);
}

uint64_t ink__partial_record_recall(ink__partial_record *partial, ink__live_chunk *live)
{
    const uint64_t held = partial->count;

    if (held > 0)
        memcpy(live->chunk.buffer + (live->chunk.bytes - live->chunk.buffer), partial->bytes,
               (size_t)held);
    partial->count = 0;
    return held;
}

void ink__partial_record_drop(ink__partial_record *partial, const ink_allocator *allocator)
{
    release_bytes(partial, allocator);
    partial->count = 0;
    partial->inside = false;
}
