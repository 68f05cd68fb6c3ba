/* listener.h - listening at "tcp://HOST:PORT" and "unix:PATH", accepting connections, and who
 * sends on them. */
#ifndef INK_NET_LISTENER_H
#define INK_NET_LISTENER_H

#include "base/system.h"
#include "inkling.h"

/* Whether a text starts as such an address; others are paths. */
bool ink__listener_named(const char *address);

enum { INK__ADDRESS_BYTES = 256 };

typedef struct ink__listener {
    int      file;                        /* -1: none */
    char     address[INK__ADDRESS_BYTES]; /* for clients: with the actual port */
    char     path[INK__ADDRESS_BYTES];    /* of a Unix socket, removed at the end; else empty */
    uint64_t device, number; /* identify our socket, as the path may be another by now */
    uint64_t rests_until;    /* nanoseconds of the system table; 0: it accepts connections */
} ink__listener;

/* Listens. "tcp://:PORT", "tcp://localhost:PORT": on loopback. HOST is numeric, IPv6 in brackets;
 * port 0 is any free one. A Unix socket without a listener is replaced, anything else at its path
 * is INK_IO. INK_USAGE: the address is malformed. On failure nothing is open, and closing is
 * allowed. */
ink_status ink__listener_open(ink__listener *listener, const char *address, ink_error *error);
/* Allowed twice, and of one that is all zero but for its file, -1. */
void ink__listener_close(ink__listener *listener);

/* Accepts the next connection, which never blocks and has keep-alive. *file is -1 if there is none,
 * or it could not be accepted for now: too many open files, or the peer has gone. */
ink_status ink__listener_accept(ink__listener *listener, int *file, ink_error *error);

/* Fills in what to wait for before the next ink__listener_accept. After a connection that could not
 * be accepted the listener would stay ready: it is not waited for (the file is -1) for a tenth of a
 * second, and *milliseconds is limited to the rest of that. */
void ink__listener_await(ink__listener *listener, ink__awaited *awaited, int *milliseconds);

/* Who sends on a connection, by the first bytes of it. A page in a browser can make it send a
 * request to any port of this host, with a body of its choice; a browser cannot reach Unix sockets.
 * No byte may be used before it is known that they are not of HTTP. */
typedef enum ink__sender {
    INK__SENDER_UNKNOWN, /* more bytes decide */
    INK__SENDER_OTHER,   /* not HTTP */
    INK__SENDER_HTTP,    /* "METHOD TARGET HTTP/" or "Host:" */
} ink__sender;

typedef struct ink__greeting {
    ink__sender sender;
    unsigned    part;    /* of that line: 0 the method, 1 the target, 2 the version */
    unsigned    matched; /* bytes of this part */
    bool        named;   /* the method is a start of "host" so far */
} ink__greeting;

/* The state of a connection of this listener before its first byte. */
ink__greeting ink__listener_greeting(const ink__listener *listener);
/* Takes the next bytes of the connection; those after the decision have no effect. */
ink__sender ink__greeting_take(ink__greeting *greeting, const uint8_t *bytes, uint64_t count);

#endif
