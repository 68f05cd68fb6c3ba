/* live_source.c - live input: which origin an address names. */
#include "input/live/live_source.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "net/listener.h"

#include <errno.h>
#include <string.h>

/* Files come in larger chunks: they can be read again, while pending data of others is lost with
 * the process. */
enum {
    CHUNK_BYTES = 1 << 20,
    CHUNK_BYTES_ONCE = 256 << 10,
    PARTIAL_BYTES = 256 << 20,
};

struct ink__live_source {
    ink_allocator     allocator;
    ink__live_rule    rule;
    ink__live_files  *files; /* one of these three */
    ink__pipe        *pipe;
    ink__tcp_clients *clients;
};

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status open_origin(ink__live_source *source, size_t *address, ink_error *error)
{
    const ink__live_rule *rule = &source->rule;
    const ink_allocator  *memory = &source->allocator;
    bool                  regular = false;

    for (*address = 0; *address < rule->count; ++*address) {
        const char *one = rule->addresses[*address];
        bool        is_path = !ink__listener_named(one) && strcmp(one, "-") != 0;
        ink__stat   stat = {0};
        int         result = is_path ? ink__system_now()->stat_path(one, &stat) : 0;
        if (result < 0)
            return ink__fail_io(error, -result, "cannot open");
        if (stat.folder) /* which could be opened */
            return ink__fail_io(error, EISDIR, "cannot read");
        regular = stat.regular;
        if (!regular && rule->count > 1)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "not a regular file, expected one where there are several");
    }
    *address = 0;
    if (rule->chunk_bytes == 0)
        source->rule.chunk_bytes = regular ? CHUNK_BYTES : CHUNK_BYTES_ONCE;
    if (ink__listener_named(rule->addresses[0]))
        return ink__tcp_clients_open(&source->clients, rule, memory, error);
    if (regular)
        return ink__live_files_open(&source->files, rule, memory, address, error);
    return ink__pipe_open(&source->pipe, rule, memory, error);
}

ink_status ink__live_source_open(ink__live_source **source, const ink__live_rule *rule,
                                 const ink_allocator *allocator, size_t *address, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    size_t        about = 0;

    *source = NULL;
    INK__TRY(ink__allocate_zeroed(&memory, sizeof **source, source, error));
    **source = (ink__live_source){.allocator = memory, .rule = *rule};
    if (rule->partial_bytes == 0)
        (*source)->rule.partial_bytes = PARTIAL_BYTES;
    ink_status status = open_origin(*source, &about, error);
    if (status != INK_OK) {
        ink__live_source_close(*source);
        *source = NULL;
    }
    if (address != NULL)
        *address = about;
    return status;
}

void ink__live_source_close(ink__live_source *source)
{
    if (source == NULL)
        return;
    ink_allocator memory = source->allocator;

    ink__live_files_close(source->files);
    ink__pipe_close(source->pipe);
    ink__tcp_clients_close(source->clients);
    ink__release(&memory, source, sizeof *source);
}

bool ink__live_source_end(const ink__live_source *source)
{
    return source->clients == NULL && !source->rule.follow;
}

bool ink__live_source_again(const ink__live_source *source)
{
    return source->files != NULL;
}

const char *ink__live_source_address(const ink__live_source *source)
{
    return source->clients != NULL ? ink__tcp_clients_address(source->clients)
                                   : source->rule.addresses[0];
}

uint64_t ink__live_source_connections(const ink__live_source *source)
{
    return source->clients != NULL ? ink__tcp_clients_count(source->clients) : 0;
}

/* ---- Chunks ------------------------------------------------------------------------------- */

ink_status ink__live_source_next(ink__live_source *source, ink__live_chunk *live, uint64_t until,
                                 ink__live_state *what, size_t *address, ink_error *error)
{
    size_t     about = 0;
    ink_status status;

    if (source->files != NULL)
        status = ink__live_files_next(source->files, live, until, what, &about, error);
    else if (source->pipe != NULL)
        status = ink__pipe_next(source->pipe, live, until, what, error);
    else
        status = ink__tcp_clients_next(source->clients, live, until, what, error);
    if (address != NULL)
        *address = about;
    return status;
}

void ink__live_source_refuse(ink__live_source *source, uint64_t connection)
{
    if (source->clients != NULL)
        ink__tcp_clients_refuse(source->clients, connection);
}

void ink__live_source_release(ink__live_source *source, ink__live_chunk *live)
{
    ink__release(&source->allocator, live->chunk.buffer, live->chunk.room);
    *live = (ink__live_chunk){0};
}
