/* streaming.h - a running stream: what its parts share. stream.c calls stream_train.c, and both
 * call stream_view.c.
 *
 * The folder src/jobs/stream trains sketches and answers queries at the same time. stream.c opens
 * and runs a stream, stream_queue receives, stream_train makes batches, stream_state saves them;
 * stream_view is what queries see, query_protocol answers a line, client_session and query_server
 * bring lines. Nothing else in src uses it. */
#ifndef INK_JOBS_STREAM_STREAMING_H
#define INK_JOBS_STREAM_STREAMING_H

#include "input/rows.h"
#include "jobs/runtime/threads.h"
#include "jobs/stream/query_server.h"
#include "jobs/stream/stream_queue.h"
#include "jobs/stream/stream_state.h"

#include <stdatomic.h>

/* Counts of the incomplete batch. */
typedef struct ink__stream_batch {
    uint64_t records, bad, late, cut;
    uint64_t began; /* in nanoseconds; 0: it has not begun */
} ink__stream_batch;

struct ink_stream {
    ink_allocator             allocator;
    const ink_reading        *reading;
    const ink_stream_options *options;
    ink_job                  *job;

    /* The data, and how they are read. */
    bool                listening; /* to connections, each of which may send what it likes */
    ink__live_source   *live;
    ink__live_location *locations;       /* how far each address was taken in ... */
    size_t             *files;           /* ... and which file of the position it is */
    uint64_t            locations_bytes; /* of both */
    ink__stream_queue   queue;
    ink__row_rule       rule;
    ink__row_reader    *reader;

    /* For the trainer alone. */
    ink__stream_sketches   sketches;
    ink__stream_state      state;
    const ink__live_chunk *in_hand; /* the chunk that is being taken in, or NULL ... */
    bool                   counted; /* its records were counted from the start of its file ... */
    uint64_t               taken;   /* ... up to this byte of it */
    ink__stream_batch      batch;
    bool                   torn;       /* adding has failed: some sketches may lack rows */
    bool                   unsaved;    /* what is complete is not on disk */
    uint64_t               failed_at;  /* when saving failed, in nanoseconds; 0: it did not */
    int64_t                wall_began; /* the wall clock when the run began ... */
    uint64_t               began;      /* ... and the monotonic clock, in nanoseconds */

    ink__query_server *server;
    ink_error          ask_failure;

    atomic_bool          stopped; /* by ink_stream_stop */
    atomic_bool          asked;   /* the queries have ended */
    atomic_uint_fast64_t run_records;
    ink__mutex           notifying; /* for options->notify */
    ink__mutex           mutex;     /* for what follows */
    ink_stream_report    report;    /* of the last complete batch */
    ink_stream_view     *view;      /* likewise; NULL: not wanted */
};

/* stream_view.c: reports an event; shows the complete batch to reports and queries. */
void       ink__stream_report(ink_stream *all, ink_stream_event event, const char *text);
ink_status ink__stream_publish(ink_stream *all, ink_error *error);
/* A view of the sketches. One reference is the caller's. */
ink_status ink__stream_view_create(ink_stream_view **view, const ink__stream_sketches *sketches,
                                   const ink_stream_report *report, ink_error *error);

/* stream_train.c: takes in the data, batch by batch, up to their end. */
ink_status ink__stream_train(ink_stream *all, ink_error *error);
/* To be called while nothing arrives: moves a window with time, tries to save again. */
ink_status ink__stream_rest(ink_stream *all, ink_error *error);
/* Tries for the last time to save what is not on disk. */
ink_status ink__stream_settle(ink_stream *all, ink_error *error);
/* Learns the columns from the first record of a file that is not read from its start. */
ink_status ink__stream_learn_header(ink_stream *all, const char *path, ink_error *error);

#endif
