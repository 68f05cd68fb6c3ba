/* without_live.c - live.h in a build without libmicrohttpd. */
#include "report/failure.h"
#include "stream/live.h"

int live_check(const char *where)
{
    return fail(CODE_USAGE,
                "--http %s: this ink was built without libmicrohttpd, expected one that was built "
                "with it",
                shown(where));
}

int live_start(cli_live **live, const char *where, ink_stream *stream,
               const ink_stream_options *options, size_t key_columns)
{
    (void)live;
    (void)stream;
    (void)options;
    (void)key_columns;
    return live_check(where);
}

const char *live_address(const cli_live *live)
{
    (void)live;
    return "";
}

void live_report(cli_live *live, ink_stream_event event, const char *text)
{
    (void)live;
    (void)event;
    (void)text;
}

void live_stop(cli_live *live)
{
    (void)live;
}
