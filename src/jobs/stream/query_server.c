/* query_server.c - queries from a file to a sink, or on many connections. A failed connection ends
 * no other. */
#include "jobs/stream/query_server.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum {
    ROUND_QUESTIONS = 256,  /* of one connection in a round, so that others do not wait */
    ROUND_CONNECTIONS = 64, /* accepted in a round */
};

#define NANOSECONDS 1000000u                 /* of a millisecond */
#define PATIENCE ((uint64_t)60 * 1000000000) /* with a client that takes no answers */

static bool is_standard(const ink__query_server *server)
{
    return strcmp(server->rule.address, "-") == 0;
}

/* ---- Opening and closing ------------------------------------------------------------------ */

static void close_file(ink__query_server *server)
{
    if (server->file >= 0 && !is_standard(server))
        ink__system_now()->close(server->file); /* was only read: nothing can be lost */
    server->file = -1;
}

static ink_status open_file(ink__query_server *to, ink_error *error)
{
    ink__stat stat;
    int       file;

    if (is_standard(to)) {
        to->file = 0;
        return INK_OK;
    }
    INK__UNINTERRUPTED(file, ink__system_now()->open(to->rule.address, INK__OPEN_READ, 0));
    if (file < 0)
        return ink__fail_io(error, -file, "cannot open");
    close_file(to); /* of a FIFO the one before: a writer always finds a reader */
    to->file = file;
    int result = ink__system_now()->stat_file(to->file, &stat);
    if (result < 0)
        return ink__fail_io(error, -result, "cannot stat");
    if (stat.folder)
        return ink__fail_io(error, EISDIR, "cannot read");
    to->fifo = stat.pipe && !ink__path_is_given(to->rule.address);
    return INK_OK;
}

ink_status ink__query_server_open(ink__query_server **server, const ink__query_server_rule *rule,
                                  ink_error *error)
{
    ink__query_server *made;

    *server = NULL;
    INK__TRY(ink__allocate_zeroed(&rule->by.allocator, sizeof *made, &made, error));
    made->rule = *rule;
    made->listener.file = made->file = -1;
    ink_status status = ink__listener_named(rule->address)
                            ? ink__listener_open(&made->listener, rule->address, error)
                            : open_file(made, error);
    if (status == INK_OK)
        *server = made;
    else
        ink__query_server_close(made);
    return status;
}

static void leave(ink__query_server *server, ink__client *who)
{
    ink__system_now()->close(who->file);
    who->file = -1;
    ink__client_session_release(&who->session, &server->rule.by.allocator);
    atomic_fetch_sub(&server->connections, 1);
}

void ink__query_server_close(ink__query_server *server)
{
    if (server == NULL)
        return;
    ink_allocator allocator = server->rule.by.allocator;
    for (size_t i = 0; i < server->count; i++)
        leave(server, &server->clients[i]);
    ink__listener_close(&server->listener);
    close_file(server);
    ink__client_session_release(&server->session, &allocator);
    ink__release(&allocator, server->clients, server->clients_room);
    ink__release(&allocator, server->awaited, server->awaited_room);
    ink__release(&allocator, server, sizeof *server);
}

const char *ink__query_server_address(const ink__query_server *server)
{
    return ink__query_server_listens(server) ? server->listener.address : server->rule.address;
}

/* ---- A file ------------------------------------------------------------------------------- */

static ink_status answer(ink__query_server *server, ink__client_session *session, uint64_t most,
                         ink_error *error)
{
    return ink__client_session_answer(session, &server->rule.by, most, &server->answered, error);
}

static ink_status write_answers(ink__query_server *server, ink_error *error)
{
    ink__client_session *session = &server->session;
    const ink_sink      *sink = server->rule.sink;
    uint64_t             pending = ink__client_session_pending(session);

    if (pending == 0)
        return INK_OK;
    int os_error = sink->write(sink->host, session->answers + session->taken, (size_t)pending);
    if (os_error != 0)
        return ink__fail_io(error, os_error, "cannot write");
    ink__client_session_taken(session, &server->rule.by.allocator, pending);
    return INK_OK;
}

/* Reads what comes within this time; *count is 0 if nothing does, or at the end, which is noted. */
static ink_status read_file(ink__query_server *from, int milliseconds, uint64_t *count,
                            ink_error *error)
{
    *count = 0;
    long long result = ink__system_now()->wait(from->file, INK__CAN_READ, milliseconds);
    if (result > 0) {
        result = ink__system_now()->read(from->file, from->heard, sizeof from->heard);
        from->session.ended = result == 0;
    }
    if (result == -EINTR || result == -EAGAIN)
        return INK_OK;
    if (result < 0)
        return ink__fail_io(error, (int)-result, "cannot read");
    *count = (uint64_t)result;
    return INK_OK;
}

static ink_status serve_file(ink__query_server *server, int milliseconds, ink_error *error)
{
    ink__client_session *session = &server->session;
    uint64_t             count;

    INK__TRY(read_file(server, milliseconds, &count, error));
    INK__TRY(ink__client_session_hear(session, &server->rule.by, server->heard, count, error));
    do {
        INK__TRY(answer(server, session, UINT64_MAX, error));
        INK__TRY(write_answers(server, error));
    } while (session->more);
    if (session->ended && server->fifo && server->rule.again) {
        session->ended = false;
        return open_file(server, error);
    }
    server->ended = session->ended;
    if (server->ended)
        close_file(server);
    return INK_OK;
}

/* ---- Connections -------------------------------------------------------------------------- */

/* What to wait for with a client, and at most how long. It is not read again before all queries are
 * answered, which waits until earlier answers are taken. */
static ink__awaited await(const ink__client *who, uint64_t now, int *milliseconds)
{
    uint64_t pending = ink__client_session_pending(&who->session);
    bool     listens = !who->session.more && !who->session.ended;
    int      what = (listens ? INK__CAN_READ : 0) | (pending > 0 ? INK__CAN_WRITE : 0);

    if (ink__client_session_can_go_on(&who->session))
        *milliseconds = 0;
    if (pending > 0) {
        uint64_t passed = now - who->taken_at;
        uint64_t left = passed < PATIENCE ? (PATIENCE - passed) / NANOSECONDS + 1 : 0;
        if (*milliseconds < 0 || (uint64_t)*milliseconds > left)
            *milliseconds = (int)left;
    }
    return (ink__awaited){.file = what != 0 ? who->file : -1, .what = (short)what};
}

static int wait_for_any(ink__query_server *server, int milliseconds)
{
    uint64_t      now = ink__system_now()->nanoseconds();
    size_t        count = server->count;
    ink__awaited *awaited = server->awaited;

    for (size_t i = 0; i < count; i++)
        awaited[i] = await(&server->clients[i], now, &milliseconds);
    awaited[count] = (ink__awaited){.file = -1};
    if (count < INK__CLIENTS_MAX)
        ink__listener_await(&server->listener, &awaited[count], &milliseconds);
    return ink__system_now()->wait_many(awaited, count + 1, milliseconds);
}

static void report_http(const ink__query_server *server)
{
    char message[INK__ADDRESS_BYTES + 64];

    ink__format(message, sizeof message, "%s: a request of HTTP, expected questions: closed",
                server->listener.address);
    if (server->rule.notify != NULL)
        server->rule.notify(server->rule.host, message);
}

/* *gone becomes true if the connection has failed, or sends HTTP. */
static ink_status hear(ink__query_server *server, ink__client *who, bool *gone, ink_error *error)
{
    long long count = ink__system_now()->receive(who->file, server->heard, sizeof server->heard);

    *gone = count < 0 && count != -EAGAIN && count != -EINTR;
    if (count < 0)
        return INK_OK;
    if (ink__greeting_take(&who->greeting, server->heard, (uint64_t)count) == INK__SENDER_HTTP) {
        report_http(server);
        *gone = true;
        return INK_OK;
    }
    who->session.ended = count == 0;
    return ink__client_session_hear(&who->session, &server->rule.by, server->heard, (uint64_t)count,
                                    error);
}

/* *gone as above. */
static void send_answers(ink__query_server *server, ink__client *who, uint64_t now, bool *gone)
{
    long long count = ink__system_now()->send(who->file, who->session.answers + who->session.taken,
                                              (size_t)ink__client_session_pending(&who->session));

    *gone = count <= 0 && count != -EAGAIN && count != -EINTR;
    if (count <= 0)
        return;
    ink__client_session_taken(&who->session, &server->rule.by.allocator, (uint64_t)count);
    who->taken_at = now;
}

static ink_status serve_client(ink__query_server *server, ink__client *who, int ready, uint64_t now,
                               ink_error *error)
{
    ink__client_session *session = &who->session;
    bool                 gone = false, waited = ink__client_session_pending(session) > 0;

    if (!waited)
        who->taken_at = now;
    if ((ready & INK__CAN_READ) != 0)
        INK__TRY(hear(server, who, &gone, error));
    if (ink__client_session_can_go_on(session))
        INK__TRY(answer(server, session, ROUND_QUESTIONS, error));
    /* A client that did not take its answers gets more only when the system says so. */
    if (!gone && ink__client_session_pending(session) > 0 &&
        (!waited || (ready & INK__CAN_WRITE) != 0))
        send_answers(server, who, now, &gone);
    bool waits = ink__client_session_pending(session) > 0;
    if (gone || (waits && now - who->taken_at >= PATIENCE) ||
        (!waits && session->ended && !session->more))
        leave(server, who);
    return INK_OK;
}

/* For one more. */
static ink_status make_client_room(ink__query_server *in, ink_error *error)
{
    const ink_allocator *allocator = &in->rule.by.allocator;

    INK__TRY(ink__make_room(allocator, &in->clients, &in->clients_room,
                            in->count * sizeof(ink__client), sizeof(ink__client), error));
    return ink__make_room(allocator, &in->awaited, &in->awaited_room, 0,
                          (in->count + 2) * sizeof(ink__awaited), error);
}

static ink_status take_clients(ink__query_server *server, ink_error *error)
{
    for (int i = 0; i < ROUND_CONNECTIONS && server->count < INK__CLIENTS_MAX; i++) {
        int file;

        INK__TRY(make_client_room(server, error));
        INK__TRY(ink__listener_accept(&server->listener, &file, error));
        if (file < 0)
            return INK_OK;
        server->clients[server->count++] =
            (ink__client){.file = file, .greeting = ink__listener_greeting(&server->listener)};
        atomic_fetch_add(&server->connections, 1);
    }
    return INK_OK;
}

static ink_status serve_clients(ink__query_server *server, int milliseconds, ink_error *error)
{
    size_t     count = server->count, kept = 0;
    ink_status status = INK_OK;

    if (count == 0)
        INK__TRY(make_client_room(server, error));
    int result = wait_for_any(server, milliseconds);
    if (result < 0)
        return result == -EINTR ? INK_OK
                                : ink__fail_io(error, -result, "cannot wait for connections");
    uint64_t now = ink__system_now()->nanoseconds();
    bool     connects = server->awaited[count].ready != 0;
    for (size_t i = 0; i < count && status == INK_OK; i++)
        status = serve_client(server, &server->clients[i], server->awaited[i].ready, now, error);
    for (size_t i = 0; i < count; i++)
        if (server->clients[i].file >= 0) /* others have left */
            server->clients[kept++] = server->clients[i];
    server->count = kept;
    return status == INK_OK && connects ? take_clients(server, error) : status;
}

ink_status ink__query_server_serve(ink__query_server *server, int milliseconds, bool *ended,
                                   ink_error *error)
{
    ink_status status = INK_OK;

    if (ink__query_server_listens(server))
        status = serve_clients(server, milliseconds, error);
    else if (!server->ended)
        status = serve_file(server, milliseconds, error);
    *ended = server->ended;
    return status;
}
