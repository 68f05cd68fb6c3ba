/* client_session.h - the queries of one client: bytes come in, each line is answered in order, and
 * answers are kept until they are taken. Knows of no file or connection. */
#ifndef INK_JOBS_STREAM_CLIENT_SESSION_H
#define INK_JOBS_STREAM_CLIENT_SESSION_H

#include "inkling_job.h"

enum {
    INK__QUESTION_BYTES = 64 << 10, /* of a query at most, without its end */
    INK__ANSWERS_BYTES = 256 << 10, /* of pending answers: above this no query is answered */
};

/* `answer` writes a line with its end to `to`, or nothing. If it fails, "ERR " and the message
 * replace what it has written. */
typedef struct ink__answerer {
    ink_status (*answer)(void *host, const uint8_t *question, size_t bytes, const ink_sink *to,
                         ink_error *error);
    void         *host;
    ink_allocator allocator;
} ink__answerer;

/* All zero is a new session. */
typedef struct ink__client_session {
    uint8_t *heard; /* and not yet answered */
    uint64_t heard_room, heard_bytes;
    uint64_t searched; /* of these, for the end of a line */
    uint8_t *answers;
    uint64_t answers_room, answers_bytes;
    uint64_t taken; /* of these */
    bool     skips; /* to the end of a query that is too long */
    bool     ended; /* set by the caller at the end of input: the last line may lack its end */
    bool     more;  /* there may be whole queries among what was heard */
} ink__client_session;

void ink__client_session_release(ink__client_session *session, const ink_allocator *allocator);

/* Adds input. */
ink_status ink__client_session_hear(ink__client_session *session, const ink__answerer *by,
                                    const uint8_t *bytes, uint64_t count, ink_error *error);

/* Answers at most `most` queries, and adds 1 to *answered after each. A query that is too long gets
 * an ERR line, and is skipped to its end. A '\r' at the end is no part of a query. Fails with
 * INK_MEMORY only. */
ink_status ink__client_session_answer(ink__client_session *session, const ink__answerer *by,
                                      uint64_t most, _Atomic uint64_t *answered, ink_error *error);

/* The bytes of pending answers; and notes that some were taken. */
static inline uint64_t ink__client_session_pending(const ink__client_session *session)
{
    return session->answers_bytes - session->taken;
}
void ink__client_session_taken(ink__client_session *session, const ink_allocator *allocator,
                               uint64_t bytes);

/* Whether queries can be answered now. */
static inline bool ink__client_session_can_go_on(const ink__client_session *session)
{
    return session->more && ink__client_session_pending(session) < INK__ANSWERS_BYTES;
}

#endif
