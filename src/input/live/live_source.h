/* live_source.h - data as they arrive: files one after another, a file that grows, a FIFO, standard
 * input, or connections; in chunks of whole records, each of one origin, with the place where the
 * origin goes on. For one thread at a time. */
#ifndef INK_INPUT_LIVE_LIVE_SOURCE_H
#define INK_INPUT_LIVE_LIVE_SOURCE_H

#include "input/source.h"
#include "net/listener.h"

typedef struct ink__arrivals ink__arrivals;

/* Where a file was left, and what stood before that, by which another file is told apart. */
enum { INK__PLACE_BYTES = 4096 };

typedef struct ink__arrivals_place {
    uint64_t offset;         /* that was read, as it is read: of compressed files decompressed */
    uint64_t check;          /* XXH3 of the last min(offset, INK__PLACE_BYTES) bytes before that */
    uint64_t device, number; /* which file it was */
} ink__arrivals_place;

/* Addresses and places must outlive the arrivals. */
typedef struct ink__arrivals_rule {
    const char *const *addresses;   /* one, or several regular files */
    size_t             count;       /* at least 1 */
    bool               follow;      /* the last file, which is not compressed; or a FIFO */
    ink__record_rule   records;     /* where these end */
    uint64_t           chunk_bytes; /* that are read at a time; 0: a good choice */
    uint64_t held_bytes; /* that connections may have sent of records that have not ended, all
                            together; 0: a good choice */
    const ink__arrivals_place *places; /* one for each address: where to go on, offset 0: from the
                                          start. NULL: all from there */
    void *host;
    /* A followed file was replaced, a connection closed for what it sent: "ADDRESS: ...". May be
     * NULL, as the next one. */
    void (*tell)(void *host, const char *sentence);
    bool (*stop)(void *host); /* asked now and then: whether to end as if the data had ended */
} ink__arrivals_rule;

typedef enum ink__arrived {
    INK__ARRIVED_RECORDS,
    INK__ARRIVED_NOTHING, /* until the time that was given */
    INK__ARRIVED_END,     /* of all data */
} ink__arrived;

/* All zero before it is used first; its memory is used again and given back by _release. */
typedef struct ink__arrival {
    ink__chunk chunk; /* `input` is the number of the address; offset and record are counted in its
                         file (the record from the place where that was begun), or in its
                         connection. Has no bytes at times, if it is the last */
    uint64_t connection; /* the number of the connection, from 1; 0 if there is none */
    bool     first;      /* of its file or connection that is given */
    bool     last;       /* of its file (also one that was cut or replaced) or connection; each has
                            one, but those that are refused, or that a stop has ended */
    uint64_t cut;        /* records that were not whole when their connection broke: 0 or 1 */
    uint64_t before;     /* of a regular file: so many bytes of it, min(offset, INK__PLACE_BYTES),
                            stand before chunk.bytes in memory, for ink__arrival_place */
    uint64_t device, number; /* of a regular file: which one it is */
} ink__arrival;

/* The place in a regular file at byte `at` of a chunk, 0 to its count, where a record ends: what is
 * to be saved if all before it was taken in. */
ink__arrivals_place ink__arrival_place(const ink__arrival *arrival, uint64_t at);

/* Opens, and listens. Waits for nobody, not for the writer of a FIFO either. INK_USAGE: what cannot
 * be followed, or be one of several. INK_MISMATCH: a file is not what it was: shorter than it was
 * read, its bytes before the place are others, or its last record, which had no end, has grown by
 * more than that. (Of compressed files _next finds that, when their turn comes, as they are read
 * for it.) One that is followed, and is shorter, other or another file, is begun at its start,
 * which is told; but if the file that was left is found under its name with ".1" behind it, that is
 * read to its end before. *address, if not NULL, becomes the number of the address that a failure
 * is about.
 */
ink_status ink__arrivals_open(ink__arrivals **arrivals, const ink__arrivals_rule *rule,
                              const ink_allocator *allocator, size_t *address, ink_error *error);
void       ink__arrivals_close(ink__arrivals *arrivals);

/* Whether the data come to an end: a file that is not followed, or a pipe, unlike connections. */
bool ink__arrivals_end(const ink__arrivals *arrivals);
/* Whether all are regular files: what was read can be read again. */
bool ink__arrivals_again(const ink__arrivals *arrivals);
/* The first address, with the port that was found. */
const char *ink__arrivals_address(const ink__arrivals *arrivals);
/* How many connections are open; for any thread. */
uint64_t ink__arrivals_connections(const ink__arrivals *arrivals);

/* The next chunk, of whole records, each with its end behind it, but for the last of a file, a pipe
 * or a connection that has ended, which may lack it. In a file that is followed a last record waits
 * for its end, unless the file is cut or replaced; one that was replaced is read until it was quiet
 * for a second, as somebody may still be writing to it. A FIFO ends when its writers have gone; if
 * it is followed, more are waited for. Waits at most until `until` (nanoseconds of the system
 * table), but for the disk. Of a connection that sends nothing, or half a record, others notice
 * nothing; takes turns, so that none has to wait for one that sends all the time. No more is read
 * of anything than is asked for here. A connection with a record of more than 16 MiB is closed,
 * which is told; so is one that takes what all hold of records without an end beyond `held_bytes`.
 * After a failure, which *address is about if not NULL, arrivals can only be closed.
 */
ink_status ink__arrivals_next(ink__arrivals *arrivals, ink__arrival *arrival, uint64_t until,
                              ink__arrived *what, size_t *address, ink_error *error);
/* For any thread: lets a connection be closed soon for what it sent. What was given of it, or is
 * given at this moment, is the caller's to leave out. */
void ink__arrivals_refuse(ink__arrivals *arrivals, uint64_t connection);
void ink__arrivals_release(ink__arrivals *arrivals, ink__arrival *arrival);

#endif
