/* connection.h - a connection to a server: name lookup, connect and wait, within limits of time.
 *
 * The folder src/net owns what goes over a network, in both directions: connections, listeners,
 * HTTP, WebHDFS. It knows nothing of records or sketches. Read this header, then http.h and
 * namenodes.h. Input and jobs call it. */
#ifndef INK_NET_CONNECTION_H
#define INK_NET_CONNECTION_H

#include "base/system.h"
#include "inkling.h"

enum {
    INK__HOST_BYTES = 256,      /* of a name or a numeric address, with its NUL */
    INK__HOST_NAMED_BYTES = 80, /* of "name:port" in failures, truncated with "..." */
};

/* A server: "name:port", "127.0.0.1:port" or "[::1]:port". */
typedef struct ink__host {
    char     name[INK__HOST_BYTES]; /* without brackets */
    bool     six;                   /* there were brackets */
    uint16_t port;
} ink__host;

/* Parses `bytes` bytes of `text`. `usual_port` is the default; 0: a port is required. False for
 * anything that is no host and port. */
bool ink__host_parse(ink__host *host, const char *text, size_t bytes, uint16_t usual_port);

/* Limits in milliseconds: for a connection; for anything after it, an answer or the next 64 KiB of
 * data; and the pause before a retry. */
typedef struct ink__patience {
    int connect, silence, pause;
} ink__patience;

typedef struct ink__connection {
    int           file; /* negative: none */
    ink__patience patience;
    ink__peer     peer;                         /* to which the last attempt was made */
    char          named[INK__HOST_NAMED_BYTES]; /* for failures */
} ink__connection;

/* Connects to the first of the host's addresses that answers. A name is looked up by the program
 * getent: a statically linked program cannot load what getaddrinfo needs. INK_IO, with the host in
 * the message. */
ink_status ink__connect(ink__connection *connection, const ink__host *host,
                        const ink__patience *patience, ink_error *error);
/* Allowed twice. */
void ink__disconnect(ink__connection *connection);

/* The time in `milliseconds` from now, by the system's monotonic clock. */
uint64_t ink__deadline(int milliseconds);

/* Waits until one of `what` is possible (INK__CAN_READ, INK__CAN_WRITE), at most until `deadline`.
 * Gives which are, 0 after the deadline, a negative errno on failure. */
int ink__wait_until(int file, int what, uint64_t deadline);

#endif
