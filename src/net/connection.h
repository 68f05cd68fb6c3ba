/* connection.h - a connection to a server on the network: found by its name, made, used and waited
 * for within limits of time. */
#ifndef INK_NET_CONNECTION_H
#define INK_NET_CONNECTION_H

#include "inkling.h"

enum {
    INK__HOST_BYTES = 256,      /* of a name or an address in numbers, with its NUL */
    INK__HOST_NAMED_BYTES = 80, /* of "name:port" in failures, cut with "..." */
};

/* A server: "name:port", "127.0.0.1:port" or "[::1]:port". */
typedef struct ink__host {
    char     name[INK__HOST_BYTES]; /* without brackets */
    bool     six;                   /* there were some */
    uint16_t port;
} ink__host;

/* Reads the first `bytes` bytes of `text`. `usual_port` is taken where none is named; 0: one must
 * be. False for anything that is no host and port. */
bool ink__host_parse(ink__host *host, const char *text, size_t bytes, uint16_t usual_port);

/* How long, in milliseconds, a server may take: for a connection, and for anything that comes
 * after it: an answer, or the next 64 KiB of what is sent. And how long it is left alone before it
 * is asked once more, by whoever does that. */
typedef struct ink__patience {
    int connect, silence, pause;
} ink__patience;

typedef struct ink__connection {
    int           file; /* negative: there is none */
    ink__patience patience;
    char          named[INK__HOST_NAMED_BYTES]; /* for failures */
} ink__connection;

/* Connects to the first of the host's addresses that answers. A name that is none in numbers is
 * looked up by the program getent, as a program that is linked statically cannot load what the
 * system's own call would need. INK_IO, with the host in the message. */
ink_status ink__connect(ink__connection *connection, const ink__host *host,
                        const ink__patience *patience, ink_error *error);
/* Allowed twice. */
void ink__disconnect(ink__connection *connection);

/* The moment that lies so many milliseconds ahead, as the system's clock counts. */
uint64_t ink__deadline(int milliseconds);

/* Waits until one of `what` is possible (INK__CAN_READ, INK__CAN_WRITE), at most until `deadline`.
 * Gives what is, 0 when the time is over, a negative errno on failure. */
int ink__connection_wait(const ink__connection *connection, int what, uint64_t deadline);

#endif
