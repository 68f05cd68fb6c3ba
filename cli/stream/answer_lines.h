/* answer_lines.h - answers of the query protocol (ink_query_line) as lines: fields with tabs
 * between them, or JSON; docs/output.md, stream. */
#ifndef INK_CLI_STREAM_ANSWER_LINES_H
#define INK_CLI_STREAM_ANSWER_LINES_H

#include "inkling_job.h"
#include "inkling_stream.h"
#include "report/text_buffer.h"

typedef struct answer_lines {
    bool        json;
    bool        seen;        /* of keys, print only those that may have been seen */
    size_t      key_columns; /* fields of a key, with tabs between them if there are several */
    ink_stream *stream;      /* for INFO; NULL: its numbers are those of the view */
    cli_text    line;        /* the current answer */
} answer_lines;

/* An ink_stream_options.answer: answers one query from a view. `host` is an answer_lines, used by
 * one thread at a time; `error` is not NULL. */
ink_status answer_lines_answer(void *host, const ink_stream_view *view, const uint8_t *question,
                               size_t bytes, const ink_sink *to, ink_error *error);

void answer_lines_end(answer_lines *lines);

#endif
