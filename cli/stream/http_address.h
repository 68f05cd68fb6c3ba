/* http_address.h - the address of the status page, and the host names that requests may use. */
#ifndef INK_CLI_STREAM_HTTP_ADDRESS_H
#define INK_CLI_STREAM_HTTP_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

enum { HTTP_HOST_BYTES = 256 };

/* HOST:PORT. */
typedef struct http_address {
    char     host[HTTP_HOST_BYTES]; /* without brackets; "" if there was none */
    uint16_t port;
    bool     has_port;
} http_address;

/* Reads the value of --http: a port, with or without a host. */
int http_address_option(http_address *address, const char *text);

/* Listens, on loopback if there is no host; *bound becomes the port. */
int http_address_listen(const http_address *address, int *listener, uint16_t *bound);

/* Whether a request with this Host may be answered: an address in numbers, localhost, or the name
 * in
 * --http. Refuses DNS rebinding, by which another site could read the page. */
bool http_address_accepts(const http_address *address, const char *host);

#endif
