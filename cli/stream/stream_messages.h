/* stream_messages.h - messages of a stream on standard error: its start and its addresses,
 * problems, and its end. */
#ifndef INK_CLI_STREAM_STREAM_MESSAGES_H
#define INK_CLI_STREAM_STREAM_MESSAGES_H

#include "inkling_job.h"
#include "inkling_stream.h"
#include "stream/live.h"

typedef struct stream_messages {
    const ink_stream_options *options;
    bool                      quiet;
    cli_live                 *page;    /* shows problems too; NULL: there is none */
    bool                      unsaved; /* the last batch could not be saved */
    uint64_t                  before;  /* records at the start */
} stream_messages;

/* A line before the stream runs. */
void stream_messages_begin(stream_messages *messages, ink_stream *stream);
/* Lines while it runs; for the callback of events in ink_stream_options. */
void stream_messages_event(stream_messages *messages, ink_stream_event event,
                           const ink_stream_report *report, const char *text);
/* The line of a failure, with the file of the state if it is about that; returns its code. */
int stream_messages_failure(const stream_messages *messages, const ink_job *job,
                            const ink_error *error);
/* A line at the end of a stream that did not fail. */
void stream_messages_end(const stream_messages *messages, ink_stream *stream);

#endif
