/* listener.h - where others connect to: addresses "tcp://HOST:PORT" and "unix:PATH", listened at,
 * and the connections that come of it. */
#ifndef INK_NET_LISTENER_H
#define INK_NET_LISTENER_H

#include "base/system.h"
#include "inkling.h"

/* Whether an address is one to listen at, by how it begins; other texts are paths. */
bool ink__listener_named(const char *address);

enum { INK__ADDRESS_BYTES = 256 };

typedef struct ink__listener {
    int      file;                        /* -1: none */
    char     address[INK__ADDRESS_BYTES]; /* as it can be connected to: with the port found */
    char     path[INK__ADDRESS_BYTES];    /* of a Unix socket, removed at the end; else empty */
    uint64_t device, number;              /* which socket is ours, whatever is at that path now */
    uint64_t rests_until; /* nanoseconds of the system table; 0: it takes connections */
} ink__listener;

/* Listens. "tcp://:PORT", "tcp://localhost:PORT": on loopback. HOST is in numbers, IPv6 in
 * brackets; port 0 is any that is free. A Unix socket that nobody listens at any more is replaced,
 * anything else at its path is INK_IO. INK_USAGE: the address is malformed. On failure nothing is
 * open, and closing is allowed. */
ink_status ink__listener_open(ink__listener *listener, const char *address, ink_error *error);
/* Allowed twice, and of one that is all zero but for its file, -1. */
void ink__listener_close(ink__listener *listener);

/* Takes the next connection, which never waits for anybody, and is told by the system when its peer
 * has vanished (keep-alive): *file is -1 if there is none, or none that could be taken (of files
 * too many are open, the peer has gone: nothing that would end a listener). */
ink_status ink__listener_accept(ink__listener *listener, int *file, ink_error *error);

/* Fills in what has to be waited for before the next ink__listener_accept. When a connection could
 * not be taken the system would call a listener ready without end: for a tenth of a second it is
 * then not waited for (the file is -1), and *milliseconds is made no more than what is left of
 * that. */
void ink__listener_await(ink__listener *listener, ink__awaited *awaited, int *milliseconds);

#endif
