/* query_server.h - questions, a line each, and their answers: from a file, a FIFO or standard input
 * to a sink, or to and fro on many connections, of which none waits for another. For one thread. */
#ifndef INK_JOBS_STREAM_QUERY_SERVER_H
#define INK_JOBS_STREAM_QUERY_SERVER_H

#include "jobs/stream/client_session.h"
#include "net/listener.h"

typedef struct ink__query_server ink__query_server;

enum { INK__CLIENTS_MAX = 4096 }; /* connections that are open at a time */

typedef struct ink__query_server_rule {
    const char *address; /* to listen at, a path, or "-" */
    /* As in ink__answerer. */
    ink_status (*answer)(void *host, const uint8_t *question, size_t bytes, const ink_sink *to,
                         ink_error *error);
    void           *host;
    const ink_sink *sink;  /* for the answers to a path or "-": written once a round */
    bool            again; /* when the writers of a FIFO have gone, the next ones are waited for */
} ink__query_server_rule;

/* Opens, without waiting for somebody who writes to a FIFO, and listens. What `rule` points to must
 * outlive it. Failures are those of opening and of ink__listener_open. */
ink_status ink__query_server_open(ink__query_server **server, const ink__query_server_rule *rule,
                                  const ink_allocator *allocator, ink_error *error);
void       ink__query_server_close(ink__query_server *server);

/* Whether it is with whoever connects; otherwise with a file or pipe, which ends; and whether that
 * is a FIFO. */
bool        ink__query_server_listens(const ink__query_server *server);
bool        ink__query_server_fifo(const ink__query_server *server);
const char *ink__query_server_address(const ink__query_server *server);

/* Waits at most so long (negative: for ever), answers what has come in, and returns, to be called
 * again; also when a signal has come. *ended becomes true when a file or pipe has ended
 * (a FIFO not, by `again`), which is then closed: nobody writes questions that are not heard. A
 * question of more than INK__QUESTION_BYTES is answered by an ERR line, and skipped to its end.
 * Answers that a connection does not take are kept, up to INK__ANSWERS_BYTES and the last answer;
 * until it takes them nothing more is read of it, and after a minute in which it takes none it is
 * closed. One whose other side has ended sending gets the answers that it has not got, then it is
 * closed. At most INK__CLIENTS_MAX connections are open (as many as the system allows, if fewer):
 * others wait. Fails only for what ends it all: its file cannot be read, its sink not written, no
 * memory. */
ink_status ink__query_server_serve(ink__query_server *server, int milliseconds, bool *ended,
                                   ink_error *error);

/* For any thread: how many connections are open, and questions were answered. */
uint64_t ink__query_server_connections(const ink__query_server *server);
uint64_t ink__query_server_answered(const ink__query_server *server);

#endif
