/* http_address.h - where a page is served, and under which names it may be asked for. */
#ifndef INK_CLI_STREAM_HTTP_ADDRESS_H
#define INK_CLI_STREAM_HTTP_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { HTTP_HOST_BYTES = 256 };

/* HOST:PORT taken apart. */
typedef struct http_address {
    char     host[HTTP_HOST_BYTES]; /* without brackets; "" if there was none */
    uint16_t port;
    bool     has_port;
} http_address;

/* Reads what --http says: a port must be there, and may stand alone. Returns 0, or prints a line
 * and returns a code. */
int http_address_option(http_address *address, const char *text);

/* Listens there: at loopback if there is no host. *bound becomes the port that was found. Returns
 * 0, or prints a line and returns a code. */
int http_address_listen(const http_address *address, int *listener, uint16_t *bound);

/* Whether a request to this Host may be answered: it is an address in numbers, localhost, or the
 * name that --http gave. A page elsewhere can make a name of its own lead here, and would then read
 * along. */
bool http_address_welcomes(const http_address *address, const char *host);

#endif
