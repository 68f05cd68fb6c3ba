/* tcp_clients.c - records from many connections at a time, round robin: a client that is ready is
 * read once, up to a chunk, before any is read again. Nothing is read before it is needed, so that
 * data of fast clients waits in the system's buffers. */
#include "input/live/live_origin.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "net/listener.h"

#include <errno.h>
#include <stdatomic.h>

enum {
    CLIENTS_MAX = 4096,      /* more connections wait until one has ended */
    RECORD_BYTES = 16 << 20, /* that a record has at most, without its end */
    REFUSED_MAX = 16,        /* connections that were refused since the last call */
};

typedef struct client {
    int                 file;
    uint64_t            number;
    bool                ready; /* to be read, or at its end */
    ink__greeting       greeting;
    ink__partial_record partial;
} client;

struct ink__tcp_clients {
    const ink__live_rule *rule;
    ink_allocator         allocator;
    ink__listener         listener;
    client               *all;
    uint64_t              count, all_bytes;
    ink__awaited         *awaited; /* the listener, and then the clients */
    uint64_t              awaited_bytes;
    uint64_t              next_client; /* the client that is read next */
    uint64_t              number;      /* of the last connection */
    uint64_t              partial;     /* bytes of all partial records */
    _Atomic uint64_t      open;
    _Atomic uint64_t      refused[REFUSED_MAX]; /* 0: none */
};

/* ---- Life --------------------------------------------------------------------------------- */

ink_status ink__tcp_clients_open(ink__tcp_clients **clients, const ink__live_rule *rule,
                                 const ink_allocator *allocator, ink_error *error)
{
    *clients = NULL;
    if (rule->follow)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "connections cannot be followed, expected a file or a FIFO");
    INK__TRY(ink__allocate_zeroed(allocator, sizeof **clients, clients, error));
    (*clients)->rule = rule;
    (*clients)->allocator = *allocator;
    (*clients)->listener.file = -1;
    return ink__listener_open(&(*clients)->listener, rule->addresses[0], error);
}

/* Closes a connection; the last one takes its index, and is read next. */
static void close_client(ink__tcp_clients *clients, uint64_t index)
{
    client *closed = &clients->all[index];

    ink__system_now()->close(closed->file); /* nothing was sent that could be lost */
    clients->partial -= closed->partial.count;
    ink__partial_record_drop(&closed->partial, &clients->allocator);
    *closed = clients->all[--clients->count];
    clients->next_client = index;
    atomic_store(&clients->open, clients->count);
}

void ink__tcp_clients_close(ink__tcp_clients *clients)
{
    if (clients == NULL)
        return;
    ink_allocator memory = clients->allocator;

    while (clients->count > 0)
        close_client(clients, clients->count - 1);
    ink__listener_close(&clients->listener);
    ink__release(&memory, clients->all, clients->all_bytes);
    ink__release(&memory, clients->awaited, clients->awaited_bytes);
    ink__release(&memory, clients, sizeof *clients);
}

const char *ink__tcp_clients_address(const ink__tcp_clients *clients)
{
    return clients->listener.address;
}

uint64_t ink__tcp_clients_count(const ink__tcp_clients *clients)
{
    return atomic_load(&clients->open);
}

/* If there is no room the connection stays, and is refused again for what it sends next. */
void ink__tcp_clients_refuse(ink__tcp_clients *clients, uint64_t connection)
{
    for (unsigned i = 0; i < REFUSED_MAX; i++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong(&clients->refused[i], &none, connection))
            return;
    }
}

static void close_refused(ink__tcp_clients *clients)
{
    for (unsigned i = 0; i < REFUSED_MAX; i++) {
        uint64_t number = atomic_exchange(&clients->refused[i], 0);
        for (uint64_t w = 0; number != 0 && w < clients->count; w++)
            if (clients->all[w].number == number) {
                close_client(clients, w);
                break;
            }
    }
}

/* ---- Connecting --------------------------------------------------------------------------- */

static ink_status make_room(ink__tcp_clients *clients, ink_error *error)
{
    INK__TRY(ink__make_room(&clients->allocator, &clients->all, &clients->all_bytes,
                            clients->count * sizeof *clients->all, sizeof *clients->all, error));
    return ink__make_room(&clients->allocator, &clients->awaited, &clients->awaited_bytes, 0,
                          (clients->count + 2) * sizeof *clients->awaited, error);
}

static ink_status accept_connections(ink__tcp_clients *clients, ink_error *error)
{
    int file = 0;

    while (clients->count < CLIENTS_MAX) {
        INK__TRY(make_room(clients, error));
        INK__TRY(ink__listener_accept(&clients->listener, &file, error));
        if (file < 0)
            break;
        clients->all[clients->count++] = (client){
            .file = file,
            .number = ++clients->number,
            .greeting = ink__listener_greeting(&clients->listener),
            .partial = {.record = 1},
        };
        atomic_store(&clients->open, clients->count);
    }
    return INK_OK;
}

/* Waits until a client is ready, and accepts new ones. */
static ink_status wait_for_any(ink__tcp_clients *clients, int milliseconds, ink_error *error)
{
    INK__TRY(make_room(clients, error));
    ink__awaited *awaited = clients->awaited;
    awaited[0] = (ink__awaited){.file = -1, .what = INK__CAN_READ};
    if (clients->count < CLIENTS_MAX)
        ink__listener_await(&clients->listener, &awaited[0], &milliseconds);
    for (uint64_t i = 0; i < clients->count; i++)
        awaited[1 + i] = (ink__awaited){.file = clients->all[i].file, .what = INK__CAN_READ};
    int ready = ink__system_now()->wait_many(awaited, (size_t)clients->count + 1, milliseconds);
    if (ready == -EINTR)
        return INK_OK;
    if (ready < 0)
        return ink__fail_io(error, -ready, "cannot wait for connections");
    for (uint64_t i = 0; i < clients->count; i++)
        clients->all[i].ready = awaited[1 + i].ready != 0;
    return awaited[0].ready != 0 ? accept_connections(clients, error) : INK_OK;
}

/* ---- Receiving ---------------------------------------------------------------------------- */

typedef enum client_end {
    OPEN,
    ENDED,  /* the client has closed it */
    BROKEN, /* the connection is lost */
} client_end;

static client_end receive_available(const client *from, uint8_t *to, uint64_t room, uint64_t *count)
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

/* Whether a partial record, or all of them together, are too long, which is reported. */
static bool is_too_much(const ink__tcp_clients *clients, const client *from)
{
    bool long_one = from->partial.count > RECORD_BYTES;
    bool all = from->partial.count > 0 && clients->partial > clients->rule->partial_bytes;

    if (long_one)
        ink__live_origin_report(clients->rule, clients->listener.address,
                                "connection %llu: a record of more than 16 MiB: closed",
                                (unsigned long long)from->number);
    else if (all)
        ink__live_origin_report(
            clients->rule, clients->listener.address,
            "connection %llu: records without an end of more than %llu bytes in all "
            "connections: closed",
            (unsigned long long)from->number, (unsigned long long)clients->rule->partial_bytes);
    return long_one || all;
}

/* Takes what a client has sent, in chunk and partial record: nothing of it as long as it may be a
 * request of HTTP, which is reported. */
static ink_status take_received(ink__tcp_clients *clients, client *from, ink__live_chunk *live,
                                const uint8_t *bytes, uint64_t count, client_end end,
                                ink_error *error)
{
    const ink_allocator *allocator = &clients->allocator;
    const bool           unknown = from->greeting.sender == INK__SENDER_UNKNOWN;
    const ink__sender    sender = ink__greeting_take(&from->greeting, bytes, count);

    if (sender == INK__SENDER_HTTP) {
        ink__live_origin_report(clients->rule, clients->listener.address,
                                "connection %llu: a request of HTTP, expected records: closed",
                                (unsigned long long)from->number);
        ink__partial_record_drop(&from->partial, allocator);
        return INK_OK;
    }
    if (sender == INK__SENDER_UNKNOWN && end == OPEN)
        return ink__partial_record_hold(&from->partial, live, count, allocator, error);
    if (unknown)
        count += ink__partial_record_recall(&from->partial, live);
    return ink__partial_record_take(&from->partial, &clients->rule->records, live, count,
                                    end == ENDED, allocator, error);
}

/* Reads records, or the end, of a client. A connection that breaks is no failure of ours. */
static ink_status read_client(ink__tcp_clients *clients, client *from, ink__live_chunk *live,
                              ink_error *error)
{
    uint64_t allowed = RECORD_BYTES + 1 - from->partial.count, count;
    uint64_t room = clients->rule->chunk_bytes < allowed ? clients->rule->chunk_bytes : allowed;
    uint8_t *to;

    INK__TRY(ink__partial_record_prepare(&from->partial, live, 0, 0, room, &to, &clients->allocator,
                                         error));
    live->connection = from->number;
    client_end end = receive_available(from, to, room, &count);
    clients->partial -= from->partial.count;
    INK__TRY(take_received(clients, from, live, to, count, end, error));
    clients->partial += from->partial.count;
    live->last =
        end != OPEN || from->greeting.sender == INK__SENDER_HTTP || is_too_much(clients, from);
    live->cut = live->last && from->partial.count > 0;
    return INK_OK;
}

/* Reads the clients that are ready until one has sent whole records, or has ended. */
static ink_status read_ready(ink__tcp_clients *clients, ink__live_chunk *live, bool *there,
                             ink_error *error)
{
    for (uint64_t looked = clients->count; looked > 0 && !*there; looked--) {
        if (clients->next_client >= clients->count)
            clients->next_client = 0;
        uint64_t index = clients->next_client++;
        client  *from = &clients->all[index];
        if (!from->ready)
            continue;
        from->ready = false;
        INK__TRY(read_client(clients, from, live, error));
        *there = live->last || live->chunk.count > 0;
        if (live->last)
            close_client(clients, index);
    }
    return INK_OK;
}

ink_status ink__tcp_clients_next(ink__tcp_clients *clients, ink__live_chunk *live, uint64_t until,
                                 ink__live_state *what, ink_error *error)
{
    bool there = false;
    int  milliseconds = 1;

    for (;;) {
        *what = INK__LIVE_END;
        if (ink__live_origin_stops(clients->rule))
            return INK_OK;
        close_refused(clients);
        INK__TRY(read_ready(clients, live, &there, error));
        *what = there ? INK__LIVE_RECORDS : INK__LIVE_NOTHING;
        if (there || milliseconds == 0)
            return INK_OK;
        milliseconds = ink__live_origin_milliseconds(until, INK__LIVE_ORIGIN_PAUSE);
        INK__TRY(wait_for_any(clients, milliseconds, error));
    }
}
