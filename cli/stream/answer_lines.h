/* answer_lines.h - answers of the query protocol (ink_query_line) as lines: fields with tabs
 * between them, or JSON; docs/output.md, stream. */
#ifndef INK_CLI_STREAM_ANSWER_LINES_H
#define INK_CLI_STREAM_ANSWER_LINES_H

#include "inkling_job.h"
#include "report/text_buffer.h"

typedef struct answer_lines {
    bool        json;
    bool        seen;        /* of keys, those that may have been seen are all that is answered */
    size_t      key_columns; /* 2 or more: a key is so many fields, with tabs between them */
    ink_stream *stream; /* that is asked, from the first question on; NULL: views tell enough */
    cli_text    line;   /* the answer that is being made */
} answer_lines;

/* Answers one question from a view: for ink_stream_options.answer, where `host` is an answer_lines,
 * so for one thread at a time. `error` is not NULL. */
ink_status answer_lines_answer(void *host, const ink_stream_view *view, const uint8_t *question,
                               size_t bytes, const ink_sink *to, ink_error *error);

void answer_lines_end(answer_lines *lines);

#endif
