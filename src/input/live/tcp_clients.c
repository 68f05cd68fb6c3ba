/* tcp_clients.c - records from many connections at a time. Whoever is ready is read once, up to a
 * chunk, before anybody is read again; nothing is read before it is asked for, so that those who
 * send faster than we work wait, in the system's buffers. */
#include "input/live/tcp_clients.h"

#include "base/memory.h"
#include "input/live/partial_record.h"
#include "net/listener.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum {
    WIRES_MAX = 4096,        /* more connections wait until one has ended */
    RECORD_BYTES = 16 << 20, /* that a record has at most, without its end */
    REFUSED_MAX = 16,        /* connections that others have refused since the last look */
};

typedef struct wire {
    int            file;
    uint64_t       number;
    bool           ready; /* there is something to be read, or the end */
    bool           given;
    ink__remainder remainder;
} wire;

struct ink__wires {
    const ink__arrivals_rule *rule;
    ink_allocator             allocator;
    ink__listener             listener;
    wire                     *wires;
    uint64_t                  count, wires_bytes;
    ink__awaited             *awaited; /* the listener, and then the wires */
    uint64_t                  awaited_bytes;
    uint64_t                  turn;   /* the wire that is looked at next */
    uint64_t                  number; /* of the last connection */
    uint64_t                  held;   /* bytes of records that have not ended, of all of them */
    _Atomic uint64_t          open;
    _Atomic uint64_t          refused[REFUSED_MAX]; /* 0: none */
};

/* ---- Life --------------------------------------------------------------------------------- */

ink_status ink__wires_open(ink__wires **wires, const ink__arrivals_rule *rule,
                           const ink_allocator *allocator, ink_error *error)
{
    void *object;

    *wires = NULL;
    if (rule->follow)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "connections cannot be followed, expected a file or a FIFO");
    INK__TRY(ink__allocate(allocator, sizeof **wires, &object, error));
    *wires = object;
    memset(*wires, 0, sizeof **wires);
    (*wires)->rule = rule;
    (*wires)->allocator = *allocator;
    (*wires)->listener.file = -1;
    ink_status status = ink__listener_open(&(*wires)->listener, rule->addresses[0], error);
    if (status != INK_OK) {
        ink__wires_close(*wires);
        *wires = NULL;
    }
    return status;
}

/* Ends a connection; the last one takes its place, and its turn. */
static void close_wire(ink__wires *wires, uint64_t index)
{
    wire *closed = &wires->wires[index];

    ink__system_now()->close(closed->file); /* nothing was sent that could be lost */
    wires->held -= closed->remainder.count;
    ink__remainder_drop(&closed->remainder, &wires->allocator);
    *closed = wires->wires[--wires->count];
    wires->turn = index;
    atomic_store(&wires->open, wires->count);
}

void ink__wires_close(ink__wires *wires)
{
    if (wires == NULL)
        return;
    ink_allocator memory = wires->allocator;

    while (wires->count > 0)
        close_wire(wires, wires->count - 1);
    ink__listener_close(&wires->listener);
    ink__release(&memory, wires->wires, wires->wires_bytes);
    ink__release(&memory, wires->awaited, wires->awaited_bytes);
    ink__release(&memory, wires, sizeof *wires);
}

const char *ink__wires_address(const ink__wires *wires)
{
    return wires->listener.address;
}

uint64_t ink__wires_count(const ink__wires *wires)
{
    return atomic_load(&wires->open);
}

/* ---- Refusing ----------------------------------------------------------------------------- */

/* If there is no room the connection stays for now, and is refused again for what it sends next. */
void ink__wires_refuse(ink__wires *wires, uint64_t connection)
{
    for (unsigned i = 0; i < REFUSED_MAX; i++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong(&wires->refused[i], &none, connection))
            return;
    }
}

static void close_refused(ink__wires *wires)
{
    for (unsigned i = 0; i < REFUSED_MAX; i++) {
        uint64_t number = atomic_exchange(&wires->refused[i], 0);
        for (uint64_t w = 0; number != 0 && w < wires->count; w++)
            if (wires->wires[w].number == number) {
                close_wire(wires, w);
                break;
            }
    }
}

/* ---- Connecting --------------------------------------------------------------------------- */

/* Room for another connection, before it is taken. */
static ink_status make_room(ink__wires *wires, ink_error *error)
{
    uint64_t used = wires->count * sizeof *wires->wires;
    void    *memory = wires->wires;

    INK__TRY(ink__make_room(&wires->allocator, &memory, &wires->wires_bytes, used,
                            sizeof *wires->wires, error));
    wires->wires = memory;
    memory = wires->awaited;
    INK__TRY(ink__make_room(&wires->allocator, &memory, &wires->awaited_bytes, 0,
                            (wires->count + 2) * sizeof *wires->awaited, error));
    wires->awaited = memory;
    return INK_OK;
}

static ink_status take_connections(ink__wires *wires, ink_error *error)
{
    int file = 0;

    while (wires->count < WIRES_MAX) {
        INK__TRY(make_room(wires, error));
        INK__TRY(ink__listener_accept(&wires->listener, &file, error));
        if (file < 0)
            break;
        wires->wires[wires->count++] = (wire){
            .file = file,
            .number = ++wires->number,
            .remainder = {.record = 1},
        };
        atomic_store(&wires->open, wires->count);
    }
    return INK_OK;
}

/* Waits until somebody is ready, and takes who connects. */
static ink_status wait_for_any(ink__wires *wires, int milliseconds, ink_error *error)
{
    INK__TRY(make_room(wires, error));
    ink__awaited *awaited = wires->awaited;
    awaited[0] = (ink__awaited){.file = -1, .what = INK__CAN_READ};
    if (wires->count < WIRES_MAX)
        ink__listener_await(&wires->listener, &awaited[0], &milliseconds);
    for (uint64_t i = 0; i < wires->count; i++)
        awaited[1 + i] = (ink__awaited){.file = wires->wires[i].file, .what = INK__CAN_READ};
    int ready = ink__system_now()->wait_many(awaited, (size_t)wires->count + 1, milliseconds);
    if (ready == -EINTR)
        return INK_OK;
    if (ready < 0)
        return ink__fail_io(error, -ready, "cannot wait for connections");
    for (uint64_t i = 0; i < wires->count; i++)
        wires->wires[i].ready = awaited[1 + i].ready != 0;
    return awaited[0].ready != 0 ? take_connections(wires, error) : INK_OK;
}

/* ---- Receiving ---------------------------------------------------------------------------- */

typedef enum wire_end {
    OPEN,
    ENDED,  /* the other side has sent all it has */
    BROKEN, /* or is no more */
} wire_end;

/* Receives what is there, up to the end of the room. */
static wire_end receive_there(const wire *from, uint8_t *to, uint64_t room, uint64_t *count)
{
    for (*count = 0; *count < room;) {
        long long more =
            ink__system_now()->receive(from->file, to + *count, (size_t)(room - *count));
        if (more == 0)
            return ENDED;
        if (more == -EAGAIN)
            return OPEN;
        if (more < 0 && more != -EINTR)
            return BROKEN;
        *count += more > 0 ? (uint64_t)more : 0;
    }
    return OPEN;
}

/* Whether a connection has sent too much of a record without its end, or all of them together have,
 * which is told. */
static bool is_too_much(const ink__wires *wires, const wire *from)
{
    bool long_one = from->remainder.count > RECORD_BYTES;
    bool all = from->remainder.count > 0 && wires->held > wires->rule->held_bytes;

    if (long_one)
        ink__arriving_tell(wires->rule, wires->listener.address,
                           "connection %llu: a record of more than 16 MiB: closed",
                           (unsigned long long)from->number);
    else if (all)
        ink__arriving_tell(wires->rule, wires->listener.address,
                           "connection %llu: records without an end of more than %llu bytes in all "
                           "connections: closed",
                           (unsigned long long)from->number,
                           (unsigned long long)wires->rule->held_bytes);
    return long_one || all;
}

/* Reads a wire; its records, or its end, are in the arrival then. A connection that cannot be read
 * any more is no failure of ours. */
static ink_status read_wire(ink__wires *wires, wire *from, ink__arrival *arrival, ink_error *error)
{
    uint64_t allowed = RECORD_BYTES + 1 - from->remainder.count, count;
    uint64_t room = wires->rule->chunk_bytes < allowed ? wires->rule->chunk_bytes : allowed;
    uint8_t *to;

    ink__arriving_begin(arrival, 0, !from->given);
    arrival->connection = from->number;
    INK__TRY(ink__remainder_prepare(&from->remainder, &arrival->chunk, 0, room, &to,
                                    &wires->allocator, error));
    wire_end end = receive_there(from, to, room, &count);
    wires->held -= from->remainder.count;
    INK__TRY(ink__remainder_take(&from->remainder, &wires->rule->records, &arrival->chunk, count,
                                 end == ENDED, &wires->allocator, error));
    wires->held += from->remainder.count;
    arrival->last = end != OPEN || is_too_much(wires, from);
    arrival->cut = arrival->last && from->remainder.count > 0;
    return INK_OK;
}

/* Reads those who are ready, in turns, until one has sent whole records, or has ended. */
static ink_status read_ready(ink__wires *wires, ink__arrival *arrival, bool *there,
                             ink_error *error)
{
    for (uint64_t looked = wires->count; looked > 0 && !*there; looked--) {
        if (wires->turn >= wires->count)
            wires->turn = 0;
        uint64_t index = wires->turn++;
        wire    *from = &wires->wires[index];
        if (!from->ready)
            continue;
        from->ready = false;
        INK__TRY(read_wire(wires, from, arrival, error));
        *there = arrival->last || arrival->chunk.count > 0;
        from->given = from->given || *there;
        if (arrival->last)
            close_wire(wires, index);
    }
    return INK_OK;
}

ink_status ink__wires_next(ink__wires *wires, ink__arrival *arrival, uint64_t until,
                           ink__arrived *what, ink_error *error)
{
    bool there = false;
    int  milliseconds = 1;

    for (;;) {
        *what = INK__ARRIVED_END;
        if (ink__arriving_stops(wires->rule))
            return INK_OK;
        close_refused(wires);
        INK__TRY(read_ready(wires, arrival, &there, error));
        *what = there ? INK__ARRIVED_RECORDS : INK__ARRIVED_NOTHING;
        if (there || milliseconds == 0)
            return INK_OK;
        milliseconds = ink__arriving_milliseconds(until, INK__ARRIVING_PAUSE);
        INK__TRY(wait_for_any(wires, milliseconds, error));
    }
}
