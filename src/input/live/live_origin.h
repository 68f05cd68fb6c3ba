/* live_origin.h - the three origins of live data (files, pipes, TCP clients), and what they share:
 * the rule they follow, the chunks they return, the record that is not whole yet, how they wait,
 * stop and report. */
#ifndef INK_INPUT_LIVE_LIVE_ORIGIN_H
#define INK_INPUT_LIVE_LIVE_ORIGIN_H

#include "base/status.h"
#include "input/source.h"

/* Where reading of a file stopped; the bytes before it distinguish it from another file. */
enum { INK__LOCATION_BYTES = 4096 };

typedef struct ink__live_location {
    uint64_t offset; /* of what was read; of compressed files decompressed */
    uint64_t check;  /* XXH3 of the last min(offset, INK__LOCATION_BYTES) bytes before that */
    uint64_t device, number; /* which file it was */
} ink__live_location;

/* Addresses and locations must outlive the source. */
typedef struct ink__live_rule {
    const char *const *addresses;   /* one, or several regular files */
    size_t             count;       /* at least 1 */
    bool               follow;      /* the last file, which is not compressed; or a FIFO */
    ink__record_rule   records;     /* where these end */
    uint64_t           chunk_bytes; /* that are read at a time; 0: the default */
    uint64_t partial_bytes; /* limit for the partial records of all connections; 0: the default */
    const ink__live_location *locations; /* one for each address: where to resume, offset 0: at the
                                          start. NULL: all at the start */
    void *host;
    /* A followed file was replaced, a connection closed for what it sent: "ADDRESS: ...". May be
     * NULL, as the next one. */
    void (*notify)(void *host, const char *message);
    bool (*stop)(void *host); /* polled: whether to end as if the data had ended */
} ink__live_rule;

typedef enum ink__live_state {
    INK__LIVE_RECORDS,
    INK__LIVE_NOTHING, /* until the given time */
    INK__LIVE_END,     /* of all data */
} ink__live_state;

/* All zero at first. Its memory is reused, until _release. */
typedef struct ink__live_chunk {
    ink__chunk chunk; /* `input` is the number of the address; offset and record are counted in its
                         file (the record from where reading began), or in its connection. May be
                         empty if it is the last */
    uint64_t connection; /* the number of the connection, from 1; 0 if there is none */
    bool     first;      /* chunk of its file or connection */
    bool     last;       /* chunk of its file (also one that was cut or replaced) or connection;
                            those that are refused, or that a stop has ended, have none */
    uint64_t cut;        /* records that were not whole when their connection broke: 0 or 1 */
    uint64_t before; /* of a regular file: bytes of it, min(offset, INK__LOCATION_BYTES), that are
                        before chunk.bytes in memory, for ink__live_chunk_location */
    uint64_t device, number; /* of a regular file: which one it is */
} ink__live_chunk;

/* The location in a regular file of byte `at` of a chunk, where a record ends: to be saved once all
 * before it was processed. */
ink__live_location ink__live_chunk_location(const ink__live_chunk *live, uint64_t at);

/* ---- The origins, for live_source.c -------------------------------------------------------- */

/* Regular files, one after another, read through gzip and zstd; the last of them, if it is
 * followed, as it grows; pipes: standard input, FIFOs, devices; and TCP clients, of which none
 * waits for another. Each call is that of live_source.h; the rule must outlive its origin. The
 * caller closes an origin also if _open failed; NULL is allowed. */
typedef struct ink__live_files  ink__live_files;
typedef struct ink__pipe        ink__pipe;
typedef struct ink__tcp_clients ink__tcp_clients;

ink_status ink__live_files_open(ink__live_files **files, const ink__live_rule *rule,
                                const ink_allocator *allocator, size_t *address, ink_error *error);
void       ink__live_files_close(ink__live_files *files);
ink_status ink__live_files_next(ink__live_files *files, ink__live_chunk *live, uint64_t until,
                                ink__live_state *what, size_t *address, ink_error *error);

ink_status ink__pipe_open(ink__pipe **pipe, const ink__live_rule *rule,
                          const ink_allocator *allocator, ink_error *error);
void       ink__pipe_close(ink__pipe *pipe);
ink_status ink__pipe_next(ink__pipe *pipe, ink__live_chunk *live, uint64_t until,
                          ink__live_state *what, ink_error *error);

ink_status  ink__tcp_clients_open(ink__tcp_clients **clients, const ink__live_rule *rule,
                                  const ink_allocator *allocator, ink_error *error);
void        ink__tcp_clients_close(ink__tcp_clients *clients);
ink_status  ink__tcp_clients_next(ink__tcp_clients *clients, ink__live_chunk *live, uint64_t until,
                                  ink__live_state *what, ink_error *error);
const char *ink__tcp_clients_address(const ink__tcp_clients *clients);
/* For any thread. */
uint64_t ink__tcp_clients_count(const ink__tcp_clients *clients);
void     ink__tcp_clients_refuse(ink__tcp_clients *clients, uint64_t connection);

/* ---- What they share ---------------------------------------------------------------------- */

/* The longest wait between two polls of `stop`, in milliseconds. */
enum { INK__LIVE_ORIGIN_PAUSE = 100 };

static inline bool ink__live_origin_stops(const ink__live_rule *rule)
{
    return rule->stop != NULL && rule->stop(rule->host);
}

/* How many milliseconds to wait: at most `most`, and not beyond `until`; 0 if that has passed. */
int ink__live_origin_milliseconds(uint64_t until, int most);

/* Reports an event: "ADDRESS: words". */
void ink__live_origin_report(const ink__live_rule *rule, const char *address, const char *format,
                             ...) INK__PRINTF(3, 4);

/* The start of a record that has not ended: bytes are read in pieces of any size, whole records
 * leave as chunks, and the rest is kept here. All zero but for `record`, which is 1, at first. */
typedef struct ink__partial_record {
    uint8_t *bytes;
    uint64_t count, room;
    bool     inside; /* quotes, at the end of the bytes, if records may be quoted */
    uint64_t offset; /* where it starts in its input ... */
    uint64_t record; /* ... and its number there, from 1 */
    bool     given;  /* records of its input left before it */
} ink__partial_record;

/* Begins an empty chunk of an address, in the memory of the one before, which gets room for
 * `before` bytes before it, for the partial record, and for `wanted` bytes to be read to *to. */
ink_status ink__partial_record_prepare(const ink__partial_record *partial, ink__live_chunk *live,
                                       size_t address, uint64_t before, uint64_t wanted,
                                       uint8_t **to, const ink_allocator *allocator,
                                       ink_error *error);

/* `count` bytes were read to *to of _prepare: the chunk becomes the whole records, and the rest the
 * partial record. `ended`: no more comes, so that the rest is a record too. Only the new bytes are
 * searched. INK_LIMIT: a record of 2^31 bytes or more. */
ink_status ink__partial_record_take(ink__partial_record *partial, const ink__record_rule *records,
                                    ink__live_chunk *live, uint64_t count, bool ended,
                                    const ink_allocator *allocator, ink_error *error);

/* Instead of _take: keeps the bytes that were read, unsearched, as the partial record. */
ink_status ink__partial_record_hold(ink__partial_record *partial, const ink__live_chunk *live,
                                    uint64_t count, const ink_allocator *allocator,
                                    ink_error *error);
/* Before the first _take after that: the bytes held before become read ones, of which this gives
 * the number. */
uint64_t ink__partial_record_recall(ink__partial_record *partial, ink__live_chunk *live);

void ink__partial_record_drop(ink__partial_record *partial, const ink_allocator *allocator);

#endif
