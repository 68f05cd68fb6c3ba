/* http.h - a request to a server and its answer [RFC 9112], as far as WebHDFS needs them: one
 * request for each connection, with a body in chunks; the body of the answer is streamed, or kept
 * when it says what went wrong. The calls come in the order of this header. */
#ifndef INK_NET_HTTP_H
#define INK_NET_HTTP_H

#include "net/connection.h"

enum {
    INK__HTTP_HEAD_BYTES = 64 << 10,  /* of an answer up to its body, at most */
    INK__HTTP_BODY_BYTES = 64 << 10,  /* of its body that are read */
    INK__HTTP_CHUNK_BYTES = 64 << 10, /* of what is sent at once */
    INK__HTTP_AROUND_BYTES = 16,      /* before and after a chunk that is sent ... */
    INK__HTTP_LINES_BYTES = 4096,     /* ... and, at most, a chunk that is received */
    /* This many bytes of a body, or its rest, must be transferred within the time for which a
     * server may be silent: else one that sends a byte at a time would keep us for days. */
    INK__HTTP_PROGRESS_BYTES = 64 << 10,
};

/* What comes next in the body of an answer. */
typedef enum ink__http_state {
    INK__HTTP_SIZE,      /* the line with the size of the next chunk */
    INK__HTTP_DIGITS,    /* more digits of it */
    INK__HTTP_EXTENSION, /* the rest of that line */
    INK__HTTP_DATA_END,  /* the line end after the data of a chunk */
    INK__HTTP_DATA,      /* from here on nothing comes between chunks */
    INK__HTTP_DONE,
    INK__HTTP_WRONG, /* it is malformed */
} ink__http_state;

typedef struct ink__http_location {
    ink__http_state state;
    uint64_t        left;   /* bytes of the body, or of its chunk */
    size_t          around; /* bytes since the last one of the data */
} ink__http_location;

typedef struct ink__http {
    ink__connection    connection;
    bool               stopped;            /* nothing more is sent: the answer says why */
    bool               ended;              /* nothing more comes from the server */
    int                os_error;           /* that ended it; 0: none */
    bool               drips;              /* timed out, though some bytes were sent */
    unsigned           interim;            /* answers of 1xx so far */
    size_t             received, searched; /* of `input`; without the end of the head */
    size_t             kept;               /* bytes pending in the chunk */
    ink__http_location location;           /* in a streamed body, ... */
    size_t             from;   /* ... whose next byte is at this index of `input`; ... */
    uint64_t           fresh;  /* ... bytes received since the time was reset, ... */
    uint64_t           waited; /* ... and nanoseconds waited for them, or for a head */
    uint8_t            input[INK__HTTP_HEAD_BYTES + INK__HTTP_BODY_BYTES];
    uint8_t chunk[INK__HTTP_AROUND_BYTES + INK__HTTP_CHUNK_BYTES + INK__HTTP_AROUND_BYTES];
} ink__http;

/* An answer; points into the ink__http, until its next answer. */
typedef struct ink__answer {
    unsigned       status;   /* three digits, not 1xx */
    const char    *location; /* NULL: none */
    size_t         location_bytes;
    bool           chunked, sized;
    bool           missized; /* its length is invalid, or there are several */
    uint64_t       length;   /* of the body, if sized */
    const uint8_t *body;     /* what ink__http_body has read */
    size_t         body_bytes;
} ink__answer;

/* Connects; ink__disconnect ends it. */
ink_status ink__http_open(ink__http *http, const ink__host *host, const ink__patience *patience,
                          ink_error *error);

/* Sends the head of a request: with a body in chunks, which ink__http_put and ink__http_end send,
 * or without a body. `target` may point into an answer. INK_LIMIT if it is too long; the answer
 * reports other failures. */
ink_status ink__http_ask(ink__http *http, const ink__host *host, const char *method,
                         const char *target, size_t target_bytes, bool has_body, ink_error *error);

/* Sends bytes of the body, in chunks of INK__HTTP_CHUNK_BYTES; the rest stays pending. When the
 * server answers before the end, cannot be reached, or does not take a chunk in time,
 * http->stopped is set and nothing more is sent. */
void ink__http_put(ink__http *http, const uint8_t *bytes, size_t count);
void ink__http_end(ink__http *http);
/* Ends sending without an end of the body, and waits at most this long until the server closes. */
void ink__http_break_off(ink__http *http, int milliseconds);

/* Waits for the answer, at most as long as the server may be silent; skips those of 1xx. INK_IO: no
 * answer, or not HTTP. */
ink_status ink__http_answer(ink__http *http, ink__answer *answer, ink_error *error);
/* Reads the body of the answer: what is received in that time, at most INK__HTTP_BODY_BYTES. */
void ink__http_body(ink__http *http, ink__answer *answer);

/* Begins to stream it instead: the answer's pointers are invalid then. INK_IO: its length is
 * invalid, or there are two. */
ink_status ink__http_begin_body(ink__http *http, const ink__answer *answer, ink_error *error);
/* Waits for bytes of the body, and takes at most `room`, which is not 0; *count is 0 at its end.
 * INK_IO: it breaks off, its chunks are invalid, or it makes less progress in that time than
 * INK__HTTP_PROGRESS_BYTES. */
ink_status ink__http_take(ink__http *http, const ink__answer *answer, uint8_t *to, size_t room,
                          size_t *count, ink_error *error);

#endif
