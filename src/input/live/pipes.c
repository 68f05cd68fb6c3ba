/* pipes.c - standard input, FIFOs and devices, which can only be read once. A FIFO is opened
 * without waiting for a writer: it is quiet until one opens it, and ends when the last one has
 * closed it. */
#include "input/live/live_origin.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "input/records/decompress.h"

#include <errno.h>
#include <string.h>

struct ink__pipe {
    const ink__live_rule *rule;
    ink_allocator         allocator;
    int                   file; /* -1: it has ended */
    bool                  lent; /* standard input, which is not ours to close */
    ink__partial_record   partial;
};

/* ---- Life --------------------------------------------------------------------------------- */

static void close_file(ink__pipe *pipe)
{
    if (!pipe->lent && pipe->file >= 0)
        ink__system_now()->close(pipe->file); /* was only read: nothing can be lost */
    pipe->file = -1;
}

/* Opens the pipe, maybe again: then the old file is closed last, so that nothing is lost that was
 * written meanwhile. */
static ink_status open_file(ink__pipe *pipe, ink_error *error)
{
    int file = 0;

    if (!pipe->lent)
        INK__UNINTERRUPTED(file,
                           ink__system_now()->open(pipe->rule->addresses[0], INK__OPEN_READ, 0));
    if (file < 0)
        return ink__fail_io(error, -file, "cannot open");
    close_file(pipe);
    pipe->file = file;
    pipe->partial.given = false;
    pipe->partial.offset = 0;
    pipe->partial.record = 1;
    return INK_OK;
}

ink_status ink__pipe_open(ink__pipe **pipe, const ink__live_rule *rule,
                          const ink_allocator *allocator, ink_error *error)
{
    bool lent = strcmp(rule->addresses[0], "-") == 0;

    *pipe = NULL;
    if (lent && rule->follow)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "standard input cannot be followed, expected a file or a FIFO");
    INK__TRY(ink__allocate_zeroed(allocator, sizeof **pipe, pipe, error));
    **pipe = (ink__pipe){.rule = rule, .allocator = *allocator, .file = -1, .lent = lent};
    return open_file(*pipe, error);
}

void ink__pipe_close(ink__pipe *pipe)
{
    if (pipe == NULL)
        return;
    ink_allocator memory = pipe->allocator;

    close_file(pipe);
    ink__partial_record_drop(&pipe->partial, &memory);
    ink__release(&memory, pipe, sizeof *pipe);
}

/* ---- Chunks ------------------------------------------------------------------------------- */

/* The first bytes must be plain records: a decoder would wait for more. Integers may begin with any
 * bytes. */
static ink_status look_at_first(const ink__pipe *pipe, const uint8_t *bytes, uint64_t count,
                                ink_error *error)
{
    ink__decompressor *stream;

    if (pipe->rule->records.form == INK__RECORDS_FIXED || count == 0)
        return INK_OK;
    INK__TRY(ink__decompress_open(&stream, NULL, bytes, count, true, &pipe->allocator, error));
    bool compressed = ink__decompress_compressed(stream);
    ink__decompress_close(stream);
    if (compressed)
        return ink__fail(
            error, INK_FORMAT, INK_AT_BYTE, 0,
            "compressed data from a pipe, expected plain records (gzip -dc, zstd -dc)");
    return INK_OK;
}

/* Reads what is available, up to `room`. *ended: all writers have closed it. */
static ink_status read_available(ink__pipe *pipe, uint8_t *to, uint64_t room, uint64_t *count,
                                 bool *ended, ink_error *error)
{
    const ink__system *system = ink__system_now();

    *ended = false;
    for (*count = 0; *count < room;) {
        long long more = system->read(pipe->file, to + *count, (size_t)(room - *count));
        if (more < 0 && *count == 0 && more != -EINTR && more != -EAGAIN)
            return ink__fail_io(error, (int)-more, "cannot read");
        *ended = more == 0;
        *count += more > 0 ? (uint64_t)more : 0;
        if (more <= 0 || system->wait(pipe->file, INK__CAN_READ, 0) <= 0)
            break;
    }
    return INK_OK;
}

/* Reads the next chunk, or the end; *there: it found one of them. */
static ink_status read_chunk(ink__pipe *pipe, ink__live_chunk *live, bool *there, ink_error *error)
{
    uint64_t allowed = INK__RECORD_BYTES_MAX - pipe->partial.count;
    uint64_t room = pipe->rule->chunk_bytes < allowed ? pipe->rule->chunk_bytes : allowed, count;
    bool     at_start = pipe->partial.offset + pipe->partial.count == 0;
    uint8_t *to;

    INK__TRY(ink__partial_record_prepare(&pipe->partial, live, 0, 0, room, &to, &pipe->allocator,
                                         error));
    INK__TRY(read_available(pipe, to, room, &count, &live->last, error));
    if (at_start)
        INK__TRY(look_at_first(pipe, to, count, error));
    INK__TRY(ink__partial_record_take(&pipe->partial, &pipe->rule->records, live, count, live->last,
                                      &pipe->allocator, error));
    *there = live->last || live->chunk.count > 0;
    if (live->last && pipe->rule->follow)
        return open_file(pipe, error);
    if (live->last)
        close_file(pipe);
    return INK_OK;
}

ink_status ink__pipe_next(ink__pipe *pipe, ink__live_chunk *live, uint64_t until,
                          ink__live_state *what, ink_error *error)
{
    bool there = false;

    while (!there) {
        *what = INK__LIVE_END;
        if (pipe->file < 0 || ink__live_origin_stops(pipe->rule))
            return INK_OK;
        int milliseconds = ink__live_origin_milliseconds(until, INK__LIVE_ORIGIN_PAUSE);
        int ready = ink__system_now()->wait(pipe->file, INK__CAN_READ, milliseconds);
        if (ready < 0 && ready != -EINTR)
            return ink__fail_io(error, -ready, "cannot wait for data");
        if (ready > 0)
            INK__TRY(read_chunk(pipe, live, &there, error));
        *what = INK__LIVE_NOTHING;
        if (!there && milliseconds == 0)
            return INK_OK;
    }
    *what = INK__LIVE_RECORDS;
    return INK_OK;
}
