/* live_origin.c - what the origins of live data share: waiting, reports, and locations in files. */
#include "input/live/live_origin.h"

#include "base/checksum.h"
#include "base/system.h"
#include "base/text.h"

enum { MESSAGE_BYTES = 512 };

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

void ink__live_origin_begin(ink__live_chunk *live, size_t address, bool first)
{
    uint8_t *buffer = live->chunk.buffer;
    uint64_t room = live->chunk.room;

    *live = (ink__live_chunk){
        .chunk = {.input = address, .buffer = buffer, .room = room},
        .first = first,
    };
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
