/* stream_sketches.h - the sketches of a stream, each one sketch or a ring of time slots: filled by
 * one thread in the order of records, copied for queries, saved as entries, loaded again. */
#ifndef INK_JOBS_STREAM_STREAM_SKETCHES_H
#define INK_JOBS_STREAM_STREAM_SKETCHES_H

#include "inkling_job.h"
#include "inkling_stream.h"
#include "input/records/row.h"
#include "sketch/internal.h"

typedef struct ink__stream_kind {
    ink_params      params;
    ink_kind_info   info;
    ink_description planned;  /* with a window, of all of it */
    ink_sketch     *sketch;   /* NULL with a window ... */
    ink_ring       *ring;     /* ... which has a ring */
    uint64_t        measured; /* the number of records when the rate was last considered */
    bool            full;     /* the rate was above the promise then */
} ink__stream_kind;

typedef struct ink__stream_sketches {
    ink_allocator     allocator;
    ink__stream_kind *kinds;
    size_t            count;
    ink__hasher      *hasher; /* of the key rule; NULL if that has no 64-bit hash */
    uint64_t          hashes[INK__ROWS_MAX];
    /* Of a window: */
    bool                       windowed, started;
    ink_window                 window;      /* all zero: none */
    int64_t                    newest;      /* the number of the newest slot ... */
    int64_t                    newest_time; /* ... and the latest time */
    struct ink__stream_gather *gather;
} ink__stream_sketches;

/* Plans and makes empty sketches. INK_USAGE if the size of one cannot be known. */
ink_status ink__stream_sketches_create(ink__stream_sketches *all, const ink_reading *reading,
                                       const ink_stream_options *options,
                                       const ink_allocator *allocator, ink_error *error);
void       ink__stream_sketches_free(ink__stream_sketches *all);

/* Replaces the empty sketches by those of a file; INK_MISMATCH if it holds others. `newest` is the
 * latest time that was seen, with a window. */
ink_status ink__stream_sketches_load(ink__stream_sketches *all, const ink_file *file,
                                     int64_t newest, ink_error *error);

/* Rows that were left out: before the window, or too far in the future. */
typedef struct ink__stream_left {
    uint64_t late, future;
} ink__stream_left;

/* Adds rows; with a window by their times, or, if they have none, by `now`. */
ink_status ink__stream_sketches_add(ink__stream_sketches *all, const ink__rows *rows, int64_t now,
                                    ink__stream_left *left, ink_error *error);
/* The latest time of a row that is accepted: a window after `now`. */
int64_t ink__stream_latest(const ink__stream_sketches *all, int64_t now);

/* Whether `when` is after the newest slot; and moves the window there. */
bool       ink__stream_sketches_late(const ink__stream_sketches *all, int64_t when);
ink_status ink__stream_sketches_move(ink__stream_sketches *all, int64_t when, ink_error *error);

/* Fills the entries to save, unless `entries` is NULL, and returns their number. They live until
 * rows are added. */
size_t ink__stream_sketches_entries(const ink__stream_sketches *all, ink_entry *entries);

/* A copy of sketch number `index`, with a window the union of its slots. */
ink_status ink__stream_sketches_copy(const ink__stream_sketches *all, size_t index,
                                     ink_sketch **sketch, ink_error *error);

/* Measures filter number `index`, if enough was added since the last time to make a difference;
 * `batch`: the size of all batches, 0 if they differ. *passed: it is above its promise for the
 * first time. */
ink_status ink__stream_sketches_measure(ink__stream_sketches *all, size_t index, uint64_t batch,
                                        bool *passed, double *rate, double *promised,
                                        ink_error *error);
/* Replaces it by an empty one. */
ink_status ink__stream_sketches_renew(ink__stream_sketches *all, size_t index, ink_error *error);

#endif
