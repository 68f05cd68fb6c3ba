/* live_origin.h - what the origins of live data share: what is asked of them, what they give, how
 * long they wait, when they are to end, and what they report. */
#ifndef INK_INPUT_LIVE_LIVE_ORIGIN_H
#define INK_INPUT_LIVE_LIVE_ORIGIN_H

#include "base/status.h"
#include "input/source.h"

/* Where a file was left, and what stood before that, by which another file is told apart. */
enum { INK__LOCATION_BYTES = 4096 };

typedef struct ink__live_location {
    uint64_t offset; /* that was read, as it is read: of compressed files decompressed */
    uint64_t check;  /* XXH3 of the last min(offset, INK__LOCATION_BYTES) bytes before that */
    uint64_t device, number; /* which file it was */
} ink__live_location;

/* Addresses and places must outlive the source. */
typedef struct ink__live_rule {
    const char *const *addresses;   /* one, or several regular files */
    size_t             count;       /* at least 1 */
    bool               follow;      /* the last file, which is not compressed; or a FIFO */
    ink__record_rule   records;     /* where these end */
    uint64_t           chunk_bytes; /* that are read at a time; 0: a good choice */
    uint64_t held_bytes; /* that connections may have sent of records that have not ended, all
                            together; 0: a good choice */
    const ink__live_location *locations; /* one for each address: where to go on, offset 0: from the
                                          start. NULL: all from there */
    void *host;
    /* A followed file was replaced, a connection closed for what it sent: "ADDRESS: ...". May be
     * NULL, as the next one. */
    void (*notify)(void *host, const char *message);
    bool (*stop)(void *host); /* asked now and then: whether to end as if the data had ended */
} ink__live_rule;

typedef enum ink__live_state {
    INK__ARRIVED_RECORDS,
    INK__ARRIVED_NOTHING, /* until the time that was given */
    INK__ARRIVED_END,     /* of all data */
} ink__live_state;

/* All zero before it is used first; its memory is used again and given back by _release. */
typedef struct ink__live_chunk {
    ink__chunk chunk; /* `input` is the number of the address; offset and record are counted in its
                         file (the record from the place where that was begun), or in its
                         connection. Has no bytes at times, if it is the last */
    uint64_t connection; /* the number of the connection, from 1; 0 if there is none */
    bool     first;      /* of its file or connection that is given */
    bool     last;       /* of its file (also one that was cut or replaced) or connection; each has
                            one, but those that are refused, or that a stop has ended */
    uint64_t cut;        /* records that were not whole when their connection broke: 0 or 1 */
    uint64_t before; /* of a regular file: so many bytes of it, min(offset, INK__LOCATION_BYTES),
                        stand before chunk.bytes in memory, for ink__live_chunk_location */
    uint64_t device, number; /* of a regular file: which one it is */
} ink__live_chunk;

/* The place in a regular file at byte `at` of a chunk, 0 to its count, where a record ends: what is
 * to be saved if all before it was taken in. */
ink__live_location ink__live_chunk_location(const ink__live_chunk *arrival, uint64_t at);

/* Nobody waits for longer than this without asking whether to stop, in milliseconds. */
enum { INK__LIVE_ORIGIN_PAUSE = 100 };

/* Whether to end as if the data had ended. */
static inline bool ink__live_origin_stops(const ink__live_rule *rule)
{
    return rule->stop != NULL && rule->stop(rule->host);
}

/* How many milliseconds to wait: at most `most`, and not beyond `until`; 0 if that is over. */
int ink__live_origin_milliseconds(uint64_t until, int most);

/* Tells what has happened: "ADDRESS: words". */
void ink__live_origin_report(const ink__live_rule *rule, const char *address, const char *format,
                             ...) INK__PRINTF(3, 4);

/* Begins an arrival, without bytes, in the memory of the one before. */
void ink__live_origin_begin(ink__live_chunk *arrival, size_t address, bool first);

#endif
