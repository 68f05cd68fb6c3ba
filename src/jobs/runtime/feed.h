/* feed.h - the loop of every job: inputs are cut into chunks, threads take them one by one, read
 * their rows and hand these to the job. Ends at the first failure, by its place in the input and
 * not by chance, and tells progress. */
#ifndef INK_JOBS_RUNTIME_FEED_H
#define INK_JOBS_RUNTIME_FEED_H

#include "inkling_job.h"
#include "input/rows.h"
#include "jobs/runtime/threads.h"

/* Rows on their way to a job. */
typedef struct ink__feed_rows {
    const ink__rows       *rows;
    uint64_t               sequence; /* of the chunk that they are of, from 0 */
    uint64_t               position; /* where that starts in all inputs, one behind another */
    size_t                 input;    /* and which one it is of */
    const uint8_t         *header;   /* the header that the chunk begins with, as it stands, ... */
    uint64_t               header_bytes; /* ... 0: none */
    const ink__row_reader *reader;       /* that has the rows, see ink__row_location */
    const ink__source     *source;
    const ink__chunk      *chunk;
} ink__feed_rows;

/* What a job wants to be fed. */
typedef struct ink__feed {
    const ink_input   *inputs;
    size_t             input_count;
    const ink_reading *reading;
    unsigned           workers; /* that there is room for: see ink__feed_workers */
    uint64_t segment_bytes;     /* if not 0, chunks also end at the multiples of this: no chunk has
                                   records that start before and behind one */
    void *host;
    /* Takes some rows of a chunk, in order; called by many threads, of which each has a number. A
     * failure at INK_AT_KEY is about that row. */
    ink_status (*take)(void *host, unsigned worker, const ink__feed_rows *rows, ink_error *error);
    /* Called when all rows of a chunk were taken, in the order of chunks, by one thread at a time;
     * NULL: nothing is to be done in order. A failure at INK_AT_BYTE is about the record at that
     * place of the chunk. */
    ink_status (*commit)(void *host, unsigned worker, const ink__feed_rows *rows, ink_error *error);
    /* Asked before a chunk is taken: whether what was taken so far must be given away first. Then
     * `flush` is called, when no chunk is being worked on. NULL: it never must. */
    bool (*full)(void *host);
    ink_status (*flush)(void *host, ink_error *error);
    const bool *enough;      /* NULL, or: no more chunks are taken once it is true; set in a turn */
    bool       *about_input; /* NULL, or becomes true if a failure is about an input */
} ink__feed;

/* Whether it can be known how many bytes the inputs have, and how many. */
bool ink__feed_knows_size(const ink__feed *feed, uint64_t *bytes);

/* How many workers a job has: take() is called with numbers below this. */
unsigned ink__feed_workers(const ink__feed *feed, const ink_job *job);

/* Feeds all records. Sets job->records, job->bad, and on failure job->failed_path. `began` is when
 * the job did, for its progress. INK_USAGE if a column of times is given: only streams, which are
 * fed otherwise, have use for it. */
ink_status ink__feed_run(const ink__feed *feed, ink_job *job, uint64_t began, ink_error *error);

/* The number, from 1, of the record at a place of the chunk, in its input. */
uint64_t ink__feed_record(const ink__feed_rows *rows, uint64_t location);

/* The bytes that a job may keep of records. */
uint64_t ink__job_memory(const ink_job *job);

/* The folder for temporary files. */
const char *ink__job_folder(const ink_job *job);

/* Tells progress if it is time to; *last is when it was told last. INK_STOPPED if the caller wants
 * no more. */
ink_status ink__feed_report(const ink_job *job, ink_progress *progress, uint64_t began,
                            uint64_t *last, ink_error *error);

#endif
