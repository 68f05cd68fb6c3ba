/* httpd.h - libmicrohttpd, loaded on demand: linked, its ten libraries would slow every start of
 * the command, and prevent it where they are not installed. */
#ifndef INK_CLI_STREAM_HTTPD_H
#define INK_CLI_STREAM_HTTPD_H

#include <microhttpd.h>

/* The functions that are used, as the header declares them. */
#define HTTPD_CALLS(X)                                                                             \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(get_connection_info)                                                                         \
    X(get_connection_values)                                                                       \
    X(create_response_from_buffer)                                                                 \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)

typedef struct httpd_calls {
#define HTTPD_POINTER(name) __typeof__(MHD_##name) *name;
    HTTPD_CALLS(HTTPD_POINTER)
#undef HTTPD_POINTER
} httpd_calls;

/* Loads the library that was found at build time, once; it stays. Returns 0, or prints a line and
 * returns a code. */
int httpd_load(httpd_calls *calls);

#endif
