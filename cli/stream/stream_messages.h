/* stream_messages.h - what a stream says on standard error: where it listens and how it begins,
 * what goes wrong on the way, and how it ended. */
#ifndef INK_CLI_STREAM_STREAM_MESSAGES_H
#define INK_CLI_STREAM_STREAM_MESSAGES_H

#include "inkling_job.h"
#include "stream/live.h"

typedef struct stream_messages {
    const ink_stream_options *options;
    bool                      quiet;
    cli_live                 *page;    /* that is told too; NULL: there is none */
    bool                      unsaved; /* the last batch could not be saved */
    uint64_t                  before;  /* records that there were when it began */
} stream_messages;

/* A line before the stream runs. */
void stream_messages_begin(stream_messages *t, ink_stream *stream);
/* Lines while it runs: for ink_stream_options.tell, by way of whoever has a telling as its host. */
void stream_messages_event(stream_messages *t, ink_stream_event event,
                           const ink_stream_report *report, const char *text);
/* The line of a failure, and its code: what is about the state names its file. */
int stream_messages_failure(const stream_messages *t, const ink_job *job, const ink_error *error);
/* A line at the end, unless it failed. */
void stream_messages_end(const stream_messages *t, ink_stream *stream);

#endif
