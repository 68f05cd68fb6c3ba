/* live.h - the status page of a stream, and its metrics, over HTTP; docs/live.md. A build without
 * libmicrohttpd has without_live.c instead, which refuses it. */
#ifndef INK_CLI_STREAM_LIVE_H
#define INK_CLI_STREAM_LIVE_H

#include "inkling_stream.h"

typedef struct cli_live cli_live;

/* Checks --http, HOST:PORT, :PORT or PORT, before anything is opened. */
int live_check(const char *where);

/* Serves the stream until live_stop, in threads of its own. `options` are those of the stream, with
 * `views`; a key has `key_columns` columns. */
int live_start(cli_live **live, const char *where, ink_stream *stream,
               const ink_stream_options *options, size_t key_columns);

/* The address for a browser, such as "http://127.0.0.1:8080/". */
const char *live_address(const cli_live *live);

/* Shows a problem on the page; for any thread. `live` and `text` may be NULL. */
void live_report(cli_live *live, ink_stream_event event, const char *text);

/* Closes all connections; before the stream is closed. NULL is allowed. */
void live_stop(cli_live *live);

#endif
