/* feed.h - the loop of every job: inputs are cut into chunks, and threads take these one by one,
 * read their rows and pass them to the job. Ends with the failure that is first in the input,
 * whichever thread meets it, and reports progress.
 *
 * The folder src/jobs/runtime is what all jobs share. Read feed.h, then reading.h (how records are
 * read) and sketch_set.h (sketches on their way to a file); threads.h is the one
 * seam to pthread. Every other folder of jobs uses it. */
#ifndef INK_JOBS_RUNTIME_FEED_H
#define INK_JOBS_RUNTIME_FEED_H

#include "inkling_job.h"
#include "input/rows.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/tracks.h"

typedef struct ink__feed_rows {
    const ink__rows       *rows;
    uint64_t               sequence;     /* number of their chunk, from 0 */
    uint64_t               position;     /* of the chunk in the concatenation of all inputs */
    unsigned               lane;         /* of the chunk, below feed->lanes; 0 if there is one */
    bool                   turn;         /* all chunks of the lane before it are committed */
    const uint8_t         *header;       /* unchanged, at the start of the chunk */
    uint64_t               header_bytes; /* 0: none */
    const ink__row_reader *reader;       /* of the rows, for ink__row_location */
    const ink__source     *source;       /* and these, for ink__source_record */
    const ink__chunk      *chunk;
    ink__laps             *laps; /* of the worker, for a commit with parts that others share */
} ink__feed_rows;

/* What to read, and what a job does with it. */
typedef struct ink__feed {
    const ink_input   *inputs;
    size_t             input_count;
    const ink_reading *reading;
    const ink_reading *remembered; /* the input spec that it follows, or NULL */
    unsigned           workers;    /* see ink__feed_workers */
    uint64_t segment_bytes;        /* if not 0, the records of a chunk all start in one segment */
    /* Segments that may be read beside each other, if there are several, all inputs are mapped and
     * none has records that can only be found from its start. Each is in a lane then: commits are
     * ordered within the lane, and `close` is called in the order of segments, by one thread at a
     * time, when all chunks of its lane are committed; then the lane gets another one. 0 or 1: one
     * lane, which is not closed. */
    unsigned lanes;
    ink_status (*close)(void *host, unsigned lane, ink_error *error);
    void *host;
    /* Takes some rows of a chunk, in order; called by many threads, numbered by `worker`. A failure
     * at INK_AT_KEY is about that row. */
    ink_status (*take)(void *host, unsigned worker, const ink__feed_rows *rows, ink_error *error);
    /* The ordered commit of a chunk: called when all its rows were taken, in the order of chunks,
     * by one thread of a lane at a time; or NULL. A failure at INK_AT_BYTE is about the record at
     * that byte of the chunk. */
    ink_status (*commit)(void *host, unsigned worker, const ink__feed_rows *rows, ink_error *error);
    /* Between the two, once these tracks are open: `prepare` when all rows of a chunk were taken,
     * before its steps (*at_once: for ink__tracks_run), and `gather` after these, before its
     * commit; both by the worker that took the chunk, in any order of chunks. NULL: no tracks. */
    ink__tracks *tracks;
    ink_status (*prepare)(void *host, unsigned worker, unsigned *at_once, ink_error *error);
    ink_status (*gather)(void *host, unsigned worker, ink_error *error);
    /* If `full` is true before a chunk is taken, `flush` is called first, when no worker has a
     * chunk. NULL: never. */
    bool (*full)(void *host);
    ink_status (*flush)(void *host, ink_error *error);
    /* The most bytes of the chunk that is taken next, at least 1; called by one thread at a time.
     * NULL: as many as the job has. */
    uint64_t (*most)(void *host);
    /* Sees the header of each input that has one or is given one, without its end and without a
     * byte order mark, before a row of that input is taken; called by one thread at a time. NULL:
     * no call. */
    ink_status (*see_header)(void *host, const uint8_t *header, uint64_t bytes, ink_error *error);
    const bool *enough;      /* no more chunks are taken once a commit has set it; or NULL */
    bool       *about_input; /* set to true if a failure is about an input; or NULL */
} ink__feed;

/* Whether the size of all inputs is known; *bytes is the total. */
bool ink__feed_knows_size(const ink__feed *feed, uint64_t *bytes);

/* The number of workers of a job: take() gets numbers below this. */
unsigned ink__feed_workers(const ink__feed *feed, const ink_job *job);

/* Reads all records. Sets job->records, job->bad, and on failure job->failed_path. `began` is when
 * the job began, for its progress. INK_USAGE if a column of times is given: only streams, which do
 * not use this, have windows. */
ink_status ink__feed_run(const ink__feed *feed, ink_job *job, uint64_t began, ink_error *error);

/* What a job may use: threads, as many as it names or as there are cores, at most INK__THREADS_MAX;
 * memory for what it keeps of records, in bytes; a folder for temporary files. */
unsigned    ink__job_threads(const ink_job *job);
uint64_t    ink__job_memory(const ink_job *job);
const char *ink__job_folder(const ink_job *job);

/* Reports progress if it is time to; *last is when it was reported last. INK_STOPPED if the caller
 * stops the job. */
ink_status ink__feed_report(const ink_job *job, ink_progress *progress, uint64_t began,
                            uint64_t *last, ink_error *error);

#endif
