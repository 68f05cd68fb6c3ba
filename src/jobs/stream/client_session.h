/* client_session.h - one who asks: bytes come in, the questions among them, a line each, are
 * answered in order, and the answers wait until they are taken. Knows of no file or connection. */
#ifndef INK_JOBS_STREAM_CLIENT_SESSION_H
#define INK_JOBS_STREAM_CLIENT_SESSION_H

#include "inkling_job.h"

enum {
    INK__QUESTION_BYTES = 64 << 10, /* that a question has at most, without its end */
    INK__ANSWERS_BYTES = 256 << 10, /* nothing more is answered while so many wait to be taken */
};

/* Who answers. `answer` writes a line with its end to `to`, or nothing. If it fails, "ERR " and the
 * message are the answer, instead of what it has written. */
typedef struct ink__answerer {
    ink_status (*answer)(void *host, const uint8_t *question, size_t bytes, const ink_sink *to,
                         ink_error *error);
    void         *host;
    ink_allocator allocator;
} ink__answerer;

/* All zero is one who has asked nothing yet. */
typedef struct ink__client_session {
    uint8_t *heard; /* and not yet understood */
    uint64_t heard_room, heard_bytes;
    uint64_t searched; /* of these, without finding the end of a line */
    uint8_t *answers;
    uint64_t answers_room, answers_bytes;
    uint64_t taken; /* of these */
    bool     skips; /* to the end of a question that is too long */
    bool     ended; /* to be set when nothing more will be heard: a last line may lack its end */
    bool     more;  /* there may be whole questions among what was heard */
} ink__client_session;

void ink__client_session_release(ink__client_session *session, const ink_allocator *allocator);

/* Takes bytes in. */
ink_status ink__client_session_hear(ink__client_session *session, const ink__answerer *by,
                                    const uint8_t *bytes, uint64_t count, ink_error *error);

/* Answers at most so many questions; *answered grows by how many it were. A question that is too
 * long is answered by an ERR line, and skipped to its end. A '\r' at the end is no part of a
 * question. INK_MEMORY alone is a failure. */
ink_status ink__client_session_answer(ink__client_session *session, const ink__answerer *by,
                                      uint64_t most, uint64_t *answered, ink_error *error);

/* The answers that wait; and tells that some were taken. */
static inline uint64_t ink__client_session_pending(const ink__client_session *session)
{
    return session->answers_bytes - session->taken;
}
void ink__client_session_taken(ink__client_session *session, const ink_allocator *allocator,
                               uint64_t bytes);

/* Whether there are questions that can be answered now. */
static inline bool ink__client_session_can_go_on(const ink__client_session *session)
{
    return session->more && ink__client_session_pending(session) < INK__ANSWERS_BYTES;
}

#endif
