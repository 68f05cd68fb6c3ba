/* live.h - the live view of a stream: a page, and what programs ask for, over HTTP; docs/live.md.
 * Where libmicrohttpd was not found when ink was built, without_live.c refuses it. */
#ifndef INK_CLI_STREAM_LIVE_H
#define INK_CLI_STREAM_LIVE_H

#include "inkling_job.h"

typedef struct cli_live cli_live;

/* Whether --http can be served, and says HOST:PORT, :PORT or PORT, before anything is opened.
 * Returns 0, or prints a line and returns a code. */
int live_check(const char *where);

/* Serves the stream until live_stop, in threads of its own. `options` are those that the stream was
 * opened with, and have `views`; `key_columns` tells of how many columns a key is made. Returns 0,
 * or prints a line and returns a code. */
int live_start(cli_live **live, const char *where, ink_stream *stream,
               const ink_stream_options *options, size_t key_columns);

/* Its address for a browser, such as "http://127.0.0.1:8080/". */
const char *live_address(const cli_live *live);

/* Shows on the page what went wrong; for any thread. `live` and `text` may be NULL. */
void live_report(cli_live *live, ink_stream_event event, const char *text);

/* Closes all connections; before the stream is closed. NULL is allowed. */
void live_stop(cli_live *live);

#endif
