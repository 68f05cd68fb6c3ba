/* live_source.c - data as they arrive: which origin an address names. */
#include "input/live/live_source.h"

#include "base/memory.h"
#include "base/system.h"
#include "input/live/live_files.h"
#include "input/live/pipes.h"
#include "input/live/tcp_clients.h"
#include "net/listener.h"

#include <errno.h>
#include <string.h>

/* What can be read again comes in larger chunks: what waits of the rest is lost with the process.
 */
enum {
    CHUNK_BYTES = 1 << 20,
    CHUNK_BYTES_ONCE = 256 << 10,
    HELD_BYTES = 256 << 20,
};

struct ink__arrivals {
    ink_allocator      allocator;
    ink__arrivals_rule rule;
    ink__regulars     *regulars; /* one of these three */
    ink__pipe         *pipe;
    ink__wires        *wires;
};

/* ---- Life --------------------------------------------------------------------------------- */

/* Whether an address is a regular file. A folder could be opened, but not read. */
static ink_status is_regular(const char *address, bool *regular, ink_error *error)
{
    ink__stat stat;

    *regular = false;
    if (ink__listener_named(address) || strcmp(address, "-") == 0)
        return INK_OK;
    int result = ink__system_now()->stat_path(address, &stat);
    if (result < 0)
        return ink__fail_io(error, -result, "cannot open");
    if (stat.folder)
        return ink__fail_io(error, EISDIR, "cannot read");
    *regular = stat.regular;
    return INK_OK;
}

static ink_status refuse_irregular(const ink__arrivals_rule *rule, size_t *address,
                                   ink_error *error)
{
    bool regular;

    for (*address = 0; *address < rule->count; ++*address) {
        INK__TRY(is_regular(rule->addresses[*address], &regular, error));
        if (!regular)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "not a regular file, expected one where there are several");
    }
    return INK_OK;
}

static ink_status open_origin(ink__arrivals *arrivals, size_t *address, ink_error *error)
{
    const ink__arrivals_rule *rule = &arrivals->rule;
    const ink_allocator      *memory = &arrivals->allocator;
    bool                      regular;

    if (rule->count > 1)
        INK__TRY(refuse_irregular(rule, address, error));
    *address = 0;
    regular = !ink__listener_named(rule->addresses[0]);
    if (regular)
        INK__TRY(is_regular(rule->addresses[0], &regular, error));
    if (rule->chunk_bytes == 0)
        arrivals->rule.chunk_bytes = regular ? CHUNK_BYTES : CHUNK_BYTES_ONCE;
    if (ink__listener_named(rule->addresses[0]))
        return ink__wires_open(&arrivals->wires, rule, memory, error);
    if (regular)
        return ink__regulars_open(&arrivals->regulars, rule, memory, address, error);
    return ink__pipe_open(&arrivals->pipe, rule, memory, error);
}

ink_status ink__arrivals_open(ink__arrivals **arrivals, const ink__arrivals_rule *rule,
                              const ink_allocator *allocator, size_t *address, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    size_t        about = 0;
    void         *object;

    *arrivals = NULL;
    INK__TRY(ink__allocate(&memory, sizeof **arrivals, &object, error));
    *arrivals = object;
    **arrivals = (ink__arrivals){.allocator = memory, .rule = *rule};
    if (rule->held_bytes == 0)
        (*arrivals)->rule.held_bytes = HELD_BYTES;
    ink_status status = open_origin(*arrivals, &about, error);
    if (status != INK_OK) {
        ink__arrivals_close(*arrivals);
        *arrivals = NULL;
    }
    if (address != NULL)
        *address = about;
    return status;
}

void ink__arrivals_close(ink__arrivals *arrivals)
{
    if (arrivals == NULL)
        return;
    ink_allocator memory = arrivals->allocator;

    ink__regulars_close(arrivals->regulars);
    ink__pipe_close(arrivals->pipe);
    ink__wires_close(arrivals->wires);
    ink__release(&memory, arrivals, sizeof *arrivals);
}

bool ink__arrivals_end(const ink__arrivals *arrivals)
{
    return arrivals->wires == NULL && !arrivals->rule.follow;
}

bool ink__arrivals_again(const ink__arrivals *arrivals)
{
    return arrivals->regulars != NULL;
}

const char *ink__arrivals_address(const ink__arrivals *arrivals)
{
    return arrivals->wires != NULL ? ink__wires_address(arrivals->wires)
                                   : arrivals->rule.addresses[0];
}

uint64_t ink__arrivals_connections(const ink__arrivals *arrivals)
{
    return arrivals->wires != NULL ? ink__wires_count(arrivals->wires) : 0;
}

/* ---- Arrivals ----------------------------------------------------------------------------- */

ink_status ink__arrivals_next(ink__arrivals *arrivals, ink__arrival *arrival, uint64_t until,
                              ink__arrived *what, size_t *address, ink_error *error)
{
    size_t     about = 0;
    ink_status status;

    if (arrivals->regulars != NULL)
        status = ink__regulars_next(arrivals->regulars, arrival, until, what, &about, error);
    else if (arrivals->pipe != NULL)
        status = ink__pipe_next(arrivals->pipe, arrival, until, what, error);
    else
        status = ink__wires_next(arrivals->wires, arrival, until, what, error);
    if (address != NULL)
        *address = about;
    return status;
}

void ink__arrivals_refuse(ink__arrivals *arrivals, uint64_t connection)
{
    if (arrivals->wires != NULL)
        ink__wires_refuse(arrivals->wires, connection);
}

void ink__arrivals_release(ink__arrivals *arrivals, ink__arrival *arrival)
{
    ink__release(&arrivals->allocator, arrival->chunk.buffer, arrival->chunk.room);
    *arrival = (ink__arrival){0};
}
