/* inkling_stream.h - sketches of data that never ends: trained and asked at the same time, saved as
 * they grow. What `ink stream` does is here; the command parses options and prints.
 *
 * The rules of inkling_job.h hold here too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_STREAM_H
#define INKLING_STREAM_H

#include "inkling_job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Streams: train and ask at the same time ----------------------------------------------- */

/* Records that arrive go to sketches, batch by batch; questions that arrive meanwhile are answered
 * from the last complete batch. After a batch the sketches, and how far the data was read, are
 * saved as one file, state.ink in a folder, by one rename: at all times it is a whole file of
 * sketches. However it ended, the next stream on this folder goes on from there. Of files each
 * record is counted once, and the result has the bytes of a stream that was never interrupted (by
 * batches of time, of order-free kinds); of pipes and connections the batch can be lost that
 * was not saved, and what had arrived after it, at most 1 MiB.
 *
 *     ink_stream_open(&stream, ...)    the folder is ours, listeners listen
 *     ink_stream_run(stream, &error)   to the end of the data and of the questions
 *     ink_stream_close(stream)
 *
 * Data and questions come from a file, "-" for standard input, a FIFO, or from clients of
 * "tcp://HOST:PORT" (HOST in numbers, "localhost", or none: loopback; port 0: any that is free) or
 * "unix:PATH". */
typedef struct ink_stream      ink_stream;
typedef struct ink_stream_view ink_stream_view;

/* Events of a stream that its caller is notified of. */
typedef enum ink_stream_event {
    INK_STREAM_BATCH,     /* a batch is complete */
    INK_STREAM_SAVED,     /* and one is on disk */
    INK_STREAM_NOT_SAVED, /* it could not be saved, `text` says why; the next batch tries again */
    INK_STREAM_FULL,      /* a filter has passed the rate that it promises */
    INK_STREAM_RENEWED,   /* and was emptied: its keys are forgotten */
    INK_STREAM_REPLACED,  /* a file that is followed was replaced by another */
    INK_STREAM_REFUSED,   /* a connection was closed, for what it sent */
    INK_STREAM_RESUMED, /* the stream goes on where it was saved; or cannot, for data that are gone
                         */
} ink_stream_event;

/* How a stream is doing. Numbers of records are since the state began, also over several runs. */
typedef struct ink_stream_report {
    uint64_t batches; /* that are complete */
    uint64_t records; /* in them ... */
    uint64_t bad;     /* ... and left out: unreadable, see ink_reading.skip_bad */
    uint64_t late;    /* ... or before the window */
    uint64_t cut;     /* ... or not whole when their connection broke */
    uint64_t saved_batches, saved_records;       /* of these, on disk */
    uint64_t questions;                          /* that were answered, in this run */
    uint64_t train_connections, ask_connections; /* that are open */
    bool     ended;   /* the data have ended, and all of them are in complete batches */
    bool     timed;   /* there is a window, and something in it: */
    int64_t  newest;  /* the latest time of a record, in microseconds since 1970 UTC */
    double   seconds; /* since the run began */
    uint64_t
        run_records; /* of all records, those of this run, batches that are not complete included */
    double passed_rate; /* of the filter that passed its promise last, in this run, as it was then;
                           0: none has */
    uint64_t reserved[8];
} ink_stream_report;

typedef struct ink_stream_options {
    const char *const *train; /* where data comes from: one address, or several files, which are
                                 read one after another */
    size_t      train_count;
    const char *ask;    /* where questions come from; NULL: nowhere */
    const char *folder; /* is made if it is not there */
    bool        follow; /* the last file is read on as it grows, also when another replaces it */

    const ink_params
            *kinds; /* as for ink_build; of filters, but scalable, the size must be known */
    size_t   kind_count;
    uint64_t every_records;      /* a batch ends after this many records, or ... */
    uint64_t every_microseconds; /* ... this long after it began, if it has any; both 0: a second */
    uint64_t checkpoint_batches; /* one in this many is saved, and the last one; 0: each */
    uint64_t window_microseconds; /* 0: no window, else sketches cover this time ... */
    uint32_t slots;               /* ... in this many slots; 0: 10 */
    bool     renew; /* a filter that has passed its promise is begun anew (not with a window) */
    bool     views; /* ink_stream_view_take is called; asking implies it */

    /* Answers a question (a line without its end) from a view: writes one line, or none, with its
     * end, to `to`. A failure is written as the line "ERR message". Called by one thread at a
     * time. Questions from a file or standard input are asked when the data have ended, if they
     * ever do, else when the first batch is complete; others at once (from an empty view if need
     * be). */
    ink_status (*answer)(void *host, const ink_stream_view *view, const uint8_t *question,
                         size_t bytes, const ink_sink *to, ink_error *error);
    const ink_sink *answers; /* where answers go, but those to a connection */
    /* Reports an event; `text` is NULL or describes it. Called by one
     * thread at a time. May be NULL. */
    void (*notify)(void *host, ink_stream_event event, const ink_stream_report *report,
                   const char *text);
    void    *host;
    uint64_t reserved[8];
} ink_stream_options;

/* Makes or loads the state, and holds the folder: INK_IO names the process that holds it already.
 * INK_MISMATCH if the state is of other sketches or columns than these; INK_FORMAT if it is
 * damaged; INK_IO if an address cannot be listened at. `reading`, `options`, and what they point to
 * must outlive the stream, as `job`, of which threads, memory and progress are not used.
 * job->failed_path names the path or address that a failure is about, here and below. */
INK_API ink_status ink_stream_open(ink_stream **stream, const ink_reading *reading,
                                   const ink_stream_options *options, ink_job *job,
                                   ink_error *error);

/* Runs to the end: of the data, if they end, and of the questions, if they end; or until
 * ink_stream_stop. What was read is then in a complete batch, and saved. A bad record ends it
 * (INK_FORMAT), unless skipped: what came before is saved. From a connection it ends only that. */
INK_API ink_status ink_stream_run(ink_stream *stream, ink_error *error);

/* Lets ink_stream_run end soon, as if the data had ended: of files what was not taken in is left to
 * the next run. For other threads and signal handlers. */
INK_API void ink_stream_stop(ink_stream *stream);

/* Gives the folder free; NULL is allowed. Views must be released before. */
INK_API void ink_stream_close(ink_stream *stream);

/* The address that is listened at, with the port that was found, or as it was given. */
INK_API const char *ink_stream_train_address(const ink_stream *stream);
INK_API const char *ink_stream_ask_address(const ink_stream *stream);

/* How the stream is doing at this moment; for any thread. */
INK_API void ink_stream_now(ink_stream *stream, ink_stream_report *report);

/* The last complete batch, for any thread: it stays as it is until it is released. Before the first
 * batch its sketches are as they were loaded, or empty. NULL without options->views. */
INK_API const ink_stream_view *ink_stream_view_take(ink_stream *stream);
INK_API void                   ink_stream_view_release(const ink_stream_view *view);
/* How the stream was when the batch was complete. */
INK_API const ink_stream_report *ink_stream_view_report(const ink_stream_view *view);
/* Its sketches, one for each kind in the order of options; over a window the union of its slots.
 * They stay the view's. INK_NOT_FOUND past the last one. */
INK_API size_t     ink_stream_view_count(const ink_stream_view *view);
INK_API ink_status ink_stream_view_sketch(const ink_stream_view *view, size_t index,
                                          const ink_sketch **sketch, ink_error *error);
/* The current rate of sketch number `index`, a filter, as of ink_sketch_rate, but computed
 * once for each view. */
INK_API ink_status ink_stream_view_rate(const ink_stream_view *view, size_t index, double *rate,
                                        ink_error *error);

/* ---- Streams: the query protocol ----------------------------------------------------------- */

/* The answer to one question, from a view; what a pointer names lives during the call. */
typedef struct ink_query_answer {
    const ink_stream_view *view;
    const ink_sketch *sketch; /* that answers; NULL: the question is INFO, about all of the view */
    size_t            index;  /* of that sketch in the view */
    ink_description   description; /* of it */
    ink_question      question;
    /* INK_ASK_MEMBER and INK_ASK_COUNT: the key as it stands in the question, and as sketches have
     * it, a tuple (ink_tuple_next) if it has several columns, or the digits of an integer. */
    const uint8_t *query, *key;
    size_t         query_bytes, key_bytes;
    bool           seen;   /* INK_ASK_MEMBER: it may have been; false is certain */
    ink_answer     number; /* INK_ASK_COUNT, INK_ASK_DISTINCT */
    /* INK_ASK_TOP: as ink_sketch_top gives them, and how many were asked for. */
    const ink_item *items;
    size_t          item_count, wanted;
    uint64_t        reserved[4];
} ink_query_answer;

typedef struct ink_query_options {
    size_t               key_columns; /* 2 or more: a key has this many fields, with tabs between */
    const ink_allocator *allocator;   /* NULL means malloc */
    /* Writes an answer to `to`: a line with its end, or nothing. */
    ink_status (*write)(void *host, const ink_query_answer *answer, const ink_sink *to,
                        ink_error *error);
    /* Shows bytes of a question in a message, cut to `room`; NULL: printable ASCII as it is, all
     * else as \xNN. */
    size_t (*show)(void *host, char *text, size_t room, const void *data, size_t bytes);
    void    *host;
    uint64_t reserved[4];
} ink_query_options;

/* A line asks, a line answers: answers one question from a view, over any transport, as for
 * ink_stream_options.answer. `line`, without its end, is KEY or ?KEY (whether it was seen, or how
 * often if there is no filter), COUNT KEY, TOP or TOP n, DISTINCT, or INFO (docs/stream.md); the
 * sketch of the kind with the highest rank answers (ink_kind_info), of equals the first. Keys are
 * read as those of records. INK_USAGE if the question cannot be read, INK_UNSUPPORTED if no sketch
 * answers it. Keeps nothing between calls. */
INK_API ink_status ink_query_line(const ink_query_options *options, const ink_stream_view *view,
                                  const uint8_t *line, size_t bytes, const ink_sink *to,
                                  ink_error *error);

#ifdef __cplusplus
}
#endif

#endif
