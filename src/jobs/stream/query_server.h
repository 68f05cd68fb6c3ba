/* query_server.h - queries, a line each, and their answers: from a file, a FIFO or standard input
 * to a sink, or on many connections, of which none waits for another. For one thread. */
#ifndef INK_JOBS_STREAM_QUERY_SERVER_H
#define INK_JOBS_STREAM_QUERY_SERVER_H

#include "jobs/stream/client_session.h"
#include "net/listener.h"

enum {
    INK__CLIENTS_MAX = 4096,     /* connections that are open at a time */
    INK__ROUND_BYTES = 64 << 10, /* that are read of one connection in a round */
};

typedef struct ink__query_server_rule {
    const char     *address; /* to listen at; or a path; or "-" */
    ink__answerer   by;      /* its allocator is the server's, too */
    const ink_sink *sink;    /* for the answers to a path or "-": written once a round */
    /* Reports a connection that is closed for what it sent: "ADDRESS: ..."; may be NULL. */
    void (*notify)(void *host, const char *message);
    void *host;  /* of that */
    bool  again; /* waits for the next writers of a FIFO when the last have gone */
} ink__query_server_rule;

typedef struct ink__client {
    int                 file; /* -1: gone */
    ink__greeting       greeting;
    ink__client_session session;
    uint64_t            taken_at; /* when answers were last taken, or none were pending */
} ink__client;

typedef struct ink__query_server {
    ink__query_server_rule rule;

    ink__listener listener;
    ink__client  *clients;
    uint64_t      clients_room; /* in bytes, as below */
    size_t        count;
    ink__awaited *awaited; /* one for each client, and the listener's */
    uint64_t      awaited_room;

    int                 file; /* or this one is read */
    bool                fifo, ended;
    ink__client_session session;

    _Atomic uint64_t connections; /* that are open; for any thread */
    _Atomic uint64_t answered;    /* queries; likewise */
    uint8_t          heard[INK__ROUND_BYTES];
} ink__query_server;

/* Opens, without waiting for a writer of a FIFO, and listens. What `rule` points to must outlive
 * it. Failures are those of opening and of ink__listener_open. */
ink_status ink__query_server_open(ink__query_server **server, const ink__query_server_rule *rule,
                                  ink_error *error);
void       ink__query_server_close(ink__query_server *server);

/* Whether it serves connections; otherwise a file or pipe, which ends. */
static inline bool ink__query_server_listens(const ink__query_server *server)
{
    return server->listener.file >= 0;
}
const char *ink__query_server_address(const ink__query_server *server);

/* Waits at most this long (negative: for ever), answers what has come in, and returns, to be called
 * again; also after a signal. *ended becomes true when a file or pipe has ended (not a FIFO with
 * `again`), which is then closed, so that no writer sends queries in vain. A connection that does
 * not take its answers, INK__ANSWERS_BYTES and the last one, is not read, and after a minute
 * closed. One that sends HTTP is closed, which is reported. One that has ended sending gets the
 * rest of its answers, then it is closed. At most INK__CLIENTS_MAX are open (or as many as the
 * system allows): others wait. Fails only if its file cannot be read, its sink not written, or
 * there is no memory. */
ink_status ink__query_server_serve(ink__query_server *server, int milliseconds, bool *ended,
                                   ink_error *error);

#endif
