/* streaming.h - a stream at work: what its parts share. stream.c calls stream_train.c, and both
 * stream_report.c. */
#ifndef INK_JOBS_STREAM_STREAMING_H
#define INK_JOBS_STREAM_STREAMING_H

#include "input/rows.h"
#include "jobs/runtime/threads.h"
#include "jobs/stream/query_server.h"
#include "jobs/stream/stream_queue.h"
#include "jobs/stream/stream_state.h"

#include <stdatomic.h>

/* Records of the batch that is not complete. */
typedef struct ink__stream_batch {
    uint64_t records, bad, late, cut;
    uint64_t began; /* in nanoseconds; 0: it has not begun */
} ink__stream_batch;

struct ink_stream {
    ink_allocator             allocator;
    const ink_reading        *reading;
    const ink_stream_options *options;
    ink_job                  *job;

    /* Where data come from and how they are read. */
    bool                listening; /* to connections, of which each may send what it likes */
    ink__live_source   *live;
    ink__live_location *locations; /* one for each address: how far all that was taken in reaches */
    size_t             *files;     /* and which file of the position it is */
    uint64_t            locations_bytes; /* of both */
    ink__stream_queue   queue;
    ink__row_rule       rule;
    ink__row_reader    *reader;

    /* What comes of them; for the trainer alone. */
    ink__stream_sketches   sketches;
    ink__stream_state      state;
    const ink__live_chunk *in_hand; /* the chunk that is being taken in, or NULL ... */
    bool                   counted; /* its records were counted from the start of its file ... */
    uint64_t               taken;   /* ... up to this byte of it */
    ink__stream_batch      batch;
    bool                   torn;      /* adding has failed: some sketches may be ahead of others */
    bool                   unsaved;   /* what is complete is not on disk ... */
    uint64_t               failed_at; /* ... as saving failed then, in nanoseconds; 0: it did not */
    int64_t                wall_began; /* the wall clock when the run began ... */
    uint64_t               began;      /* ... and the other clock, in nanoseconds */

    /* Questions. */
    ink__query_server *server;
    ink_error          ask_failure;

    atomic_bool          stopped; /* somebody wants it to end */
    atomic_uint_fast64_t run_records;
    ink__mutex           telling; /* before options->tell */
    ink__mutex           mutex;   /* before all that follows */
    ink_stream_report    report;  /* of the last complete batch */
    ink_stream_view     *view;    /* likewise; NULL if nobody wants any */
    bool                 asked;   /* the questions have ended */
};

/* Whether somebody wants it to end. */
static inline bool ink__stream_stopped(const ink_stream *all)
{
    return atomic_load_explicit(&((ink_stream *)(uintptr_t)all)->stopped, memory_order_relaxed);
}

/* stream_report.c: reports that something has happened; takes the counts of the position over into
 * the report; makes what is complete the last batch that questions see. */
void       ink__stream_report(ink_stream *all, ink_stream_event event, const char *text);
void       ink__stream_report_position(ink_stream *all);
ink_status ink__stream_publish(ink_stream *all, ink_error *error);

/* stream_train.c: takes in all that arrives, batch by batch, to the end of the data. */
ink_status ink__stream_train(ink_stream *all, ink_error *error);
/* What is to be done while nothing arrives, now and then: time moves a window, what could not be
 * saved is tried again. */
ink_status ink__stream_rest(ink_stream *all, ink_error *error);
/* The last try to save what is not on disk. */
ink_status ink__stream_settle(ink_stream *all, ink_error *error);
/* Learns the columns from the first record of a file that is not read from its start. */
ink_status ink__stream_learn_header(ink_stream *all, const char *path, ink_error *error);

#endif
