/* passing.c - copies records that pass to a sink. */
#include "jobs/runtime/passing.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* This many bytes of every record are copied, whether it passes or not: a mispredicted branch costs
 * more than the copy. */
enum { STRIDE = 32 };

void ink__passing_begin(ink__passing *passing, const ink__record_rule *records,
                        const ink_sink *sink, const ink_allocator *allocator)
{
    *passing = (ink__passing){
        .allocator = *allocator,
        .sink = sink,
        .ended = records->form != INK__RECORDS_FIXED,
        .end = records->end,
    };
}

static ink_status write_bytes(const ink__passing *passing, const void *bytes, uint64_t count,
                              ink_error *error)
{
    int os_error = passing->sink->write(passing->sink->host, bytes, (size_t)count);

    return os_error == 0 ? INK_OK : ink__fail_io(error, os_error, "cannot write");
}

ink_status ink__passing_header(const ink__passing *passing, const ink__feed_rows *feed,
                               ink_error *error)
{
    if (passing->sink == NULL || feed->sequence != 0 || feed->header_bytes == 0)
        return INK_OK;
    INK__TRY(write_bytes(passing, feed->header, feed->header_bytes, error));
    if (feed->header[feed->header_bytes - 1] == passing->end)
        return INK_OK;
    return write_bytes(passing, &passing->end, 1, error);
}

void ink__passing_locations(const ink__passing *passing, const ink__rows *rows, uint64_t at,
                            ink__location *locations)
{
    const bool lines = passing->ended && passing->end == '\n';

    for (size_t i = 0; i < rows->count; i++) {
        uint64_t start = rows->record_starts[i], end = rows->record_ends[i];
        bool     carriage = lines && end < rows->record_limit && rows->record_bytes[end] == '\r';
        locations[i] = (ink__location){
            .start = (uint32_t)(at + start),
            .bytes = (uint32_t)(end - start + passing->ended + carriage),
        };
    }
}

void ink__passed_free(const ink__passing *passing, ink__passed *passed)
{
    ink__release(&passing->allocator, passed->bytes, passed->room);
    *passed = (ink__passed){0};
}

ink_status ink__passed_put(const ink__passing *passing, ink__passed *passed, const void *bytes,
                           uint64_t count, ink_error *error)
{
    INK__TRY(ink__make_room(&passing->allocator, &passed->bytes, &passed->room, passed->used, count,
                            error));
    if (count > 0)
        memcpy(passed->bytes + passed->used, bytes, (size_t)count);
    passed->used += count;
    return INK_OK;
}

/* Copies records that each have STRIDE readable bytes from their start. Returns the bytes added; up
 * to STRIDE more were written. */
static uint64_t copy_strides(uint8_t *to, const uint8_t *bytes, const ink__location *locations,
                             const uint8_t *marks, uint8_t wanted, size_t count)
{
    uint8_t *at = to;

    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = bytes + locations[i].start;
        uint64_t       length = locations[i].bytes & -(uint64_t)(marks[i] == wanted);
        memcpy(at, from, STRIDE);
        if (length > STRIDE)
            memcpy(at + STRIDE, from + STRIDE, (size_t)(length - STRIDE));
        at += length;
    }
    return (uint64_t)(at - to);
}

/* The record may lack its end. */
static void copy_last(const ink__passing *passing, ink__passed *passed, const uint8_t *bytes,
                      uint64_t limit, ink__location location)
{
    uint64_t left = limit - location.start, there = location.bytes < left ? location.bytes : left;

    memcpy(passed->bytes + passed->used, bytes + location.start, (size_t)there);
    if (there < location.bytes)
        passed->bytes[passed->used + there] = passing->end;
    passed->used += location.bytes;
}

ink_status ink__passed_put_records(const ink__passing *passing, ink__passed *passed,
                                   const uint8_t *bytes, uint64_t limit,
                                   const ink__location *locations, const uint8_t *marks,
                                   uint8_t wanted, size_t count, ink_error *error)
{
    size_t wide = count;

    if (count == 0 || memchr(marks, wanted, count) == NULL)
        return INK_OK;
    uint64_t all =
        (uint64_t)locations[count - 1].start + locations[count - 1].bytes - locations[0].start;
    INK__TRY(ink__make_room(&passing->allocator, &passed->bytes, &passed->room, passed->used,
                            all + STRIDE, error));
    while (wide > 0 && locations[wide - 1].start + (uint64_t)STRIDE > limit)
        wide--;
    /* A long last record may lack its end too. */
    if (wide > 0 && locations[wide - 1].start + (uint64_t)locations[wide - 1].bytes > limit)
        wide--;
    passed->used +=
        copy_strides(passed->bytes + passed->used, bytes, locations, marks, wanted, wide);
    for (size_t i = wide; i < count; i++)
        if (marks[i] == wanted)
            copy_last(passing, passed, bytes, limit, locations[i]);
    return INK_OK;
}

ink_status ink__passed_write(const ink__passing *passing, ink__passed *passed, ink_error *error)
{
    uint64_t count = passed->used;

    passed->used = 0;
    return count == 0 ? INK_OK : write_bytes(passing, passed->bytes, count, error);
}
