/* http.h - a request to a server, and its answer [RFC 9112], as far as WebHDFS needs them: one
 * request for each connection, whose body goes in chunks, and an answer of which the body is taken
 * as it comes, or kept when it tells what went wrong.
 *
 *     INK__TRY(ink__http_open(http, &host, &patience, error));
 *     INK__TRY(ink__http_ask(http, &host, "PUT", target, strlen(target), true, error));
 *     ink__http_put(http, bytes, count);
 *     ink__http_end(http);
 *     INK__TRY(ink__http_answer(http, &answer, error));
 *     ink__http_close(http); */
#ifndef INK_NET_HTTP_H
#define INK_NET_HTTP_H

#include "net/connection.h"

enum {
    INK__HTTP_HEAD_BYTES = 64 << 10,  /* of an answer up to its body, at most */
    INK__HTTP_BODY_BYTES = 64 << 10,  /* of its body that are read */
    INK__HTTP_CHUNK_BYTES = 64 << 10, /* of what is sent at once */
    INK__HTTP_AROUND_BYTES = 16,  /* of what stands before and behind a chunk that is sent, ... */
    INK__HTTP_LINES_BYTES = 4096, /* ... and, at most, one that comes */
    /* So many bytes of a body, or its rest, must come within the time for which a server may be
     * silent, or be taken by it: whoever lets them drip has one waiting for days. */
    INK__HTTP_PROGRESS_BYTES = 64 << 10,
};

/* Where one is in the body of an answer: before the line that tells how long the next chunk is, in
 * the digits of that, in what may stand behind them, in the bytes themselves, in the line end
 * behind them, at its end, or at something that is none of this. */
typedef enum ink__http_state {
    INK__HTTP_SIZE,
    INK__HTTP_DIGITS,
    INK__HTTP_EXTENSION,
    INK__HTTP_DATA,
    INK__HTTP_BEHIND,
    INK__HTTP_DONE,
    INK__HTTP_WRONG,
} ink__http_state;

typedef struct ink__http_location {
    ink__http_state state;
    uint64_t        left;   /* bytes of the body, or of its chunk */
    size_t          around; /* since the last byte of it */
} ink__http_location;

typedef struct ink__http {
    ink__connection    connection;
    bool               stopped;            /* sending has no use any more: the answer tells why */
    bool               ended;              /* nothing more comes from the server */
    int                os_error;           /* that ended it; 0: none */
    bool               drips;              /* time was over, though some bytes were taken */
    unsigned           interim;            /* answers before the true one so far */
    size_t             received, searched; /* of `input`; of these without an end of the head */
    size_t             kept;               /* bytes that wait in the chunk */
    ink__http_location location;           /* in a body that is taken as it comes, ... */
    size_t             from;               /* ... and where its bytes stand in `input`; ... */
    uint64_t           fresh;  /* ... so many came since the time was counted anew, ... */
    uint64_t           waited; /* ... and so many nanoseconds were waited for them */
    uint8_t            input[INK__HTTP_HEAD_BYTES + INK__HTTP_BODY_BYTES];
    uint8_t chunk[INK__HTTP_AROUND_BYTES + INK__HTTP_CHUNK_BYTES + INK__HTTP_AROUND_BYTES];
} ink__http;

/* What the server says; points into the ink__http, until its next answer. */
typedef struct ink__answer {
    unsigned       status;   /* three digits, not 1xx */
    const char    *location; /* NULL: none */
    size_t         location_bytes;
    bool           chunked, sized;
    bool           missized; /* a length is told that is none, or several */
    uint64_t       length;   /* of the body, if sized */
    const uint8_t *body;     /* what ink__http_body has read */
    size_t         body_bytes;
} ink__answer;

/* Connects. After a failure there is nothing to close; closing is allowed, also twice. */
ink_status ink__http_open(ink__http *http, const ink__host *host, const ink__patience *patience,
                          ink_error *error);
void       ink__http_close(ink__http *http);

/* Sends the head of a request: with a body in chunks, which ink__http_put and ink__http_end send,
 * or without a body. `target` may point into an answer. INK_LIMIT if it is too long; that the
 * server does not take it, the answer tells. */
ink_status ink__http_ask(ink__http *http, const ink__host *host, const char *method,
                         const char *target, size_t target_bytes, bool has_body, ink_error *error);

/* Sends bytes of the body, in chunks of INK__HTTP_CHUNK_BYTES; what is left waits for more. When
 * the server has answered before the end, cannot be reached, or does not take a chunk within the
 * time for which it may be silent, http->stopped is set and nothing more is sent. */
void ink__http_put(ink__http *http, const uint8_t *bytes, size_t count);
void ink__http_end(ink__http *http);
/* Leaves the body without an end, and waits for a moment, at most, until the server has noticed. */
void ink__http_break_off(ink__http *http, int milliseconds);

/* Waits for the answer, at most as long as the server may be silent; skips those of 1xx. INK_IO for
 * none, or what is not HTTP. */
ink_status ink__http_answer(ink__http *http, ink__answer *answer, ink_error *error);
/* Reads the body of the answer: as much as comes within that time, and INK__HTTP_BODY_BYTES. */
void ink__http_body(ink__http *http, ink__answer *answer);

/* Or takes it as it comes, after this: the answer points nowhere then. INK_IO: it tells a length
 * that is no number, or two, so that nobody knows where it ends. */
ink_status ink__http_begin_body(ink__http *http, const ink__answer *answer, ink_error *error);
/* Waits for bytes of the body, and takes at most `room`, which is not 0; *count is 0 at its end.
 * INK_IO: it breaks off before that, its chunks are none, or less than INK__HTTP_PROGRESS_BYTES of
 * it, and not the rest, come while one waits for that time. */
ink_status ink__http_take(ink__http *http, const ink__answer *answer, uint8_t *to, size_t room,
                          size_t *count, ink_error *error);

#endif
