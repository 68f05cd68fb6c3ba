/* questions.h - the question protocol: a line asks, a line answers, from the last complete batch of
 * a stream; docs/stream.md. */
#ifndef INK_CLI_STREAM_QUESTIONS_H
#define INK_CLI_STREAM_QUESTIONS_H

#include "inkling_job.h"
#include "report/text_buffer.h"

typedef struct questions {
    bool        json;
    bool        seen;        /* of keys, those that may have been seen are all that is answered */
    size_t      key_columns; /* 2 or more: a key is so many fields, with tabs between them */
    ink_stream *stream; /* that is asked, from the first question on; NULL: views tell enough */

    cli_text  line;   /* the answer that is being made ... */
    bool      silent; /* ... and is not given: --seen, and the key was not */
    cli_text  key;    /* the bytes of a key that is a tuple */
    ink_item *items;
    size_t    item_room;
} questions;

void questions_end(questions *q);

/* Answers one question from a view: for ink_stream_options.answer, where `host` is a questions, so
 * for one thread at a time. INK_USAGE if it cannot be read, INK_UNSUPPORTED if no sketch answers
 * it.
 */
ink_status questions_answer(void *host, const ink_stream_view *view, const uint8_t *question,
                            size_t bytes, const ink_sink *to, ink_error *error);

#endif
