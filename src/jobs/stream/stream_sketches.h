/* stream_sketches.h - the sketches of a stream, each one sketch or a ring of time slots: filled by
 * one writer in the order of records, copied for questions, saved as entries, loaded again. */
#ifndef INK_JOBS_STREAM_STREAM_SKETCHES_H
#define INK_JOBS_STREAM_STREAM_SKETCHES_H

#include "inkling_job.h"
#include "input/records/row.h"
#include "sketch/internal.h"

typedef struct ink__stream_kind {
    ink_params      params;
    ink_kind_info   info;
    ink_description planned; /* what it is and promises, of a window all of it */
    ink_sketch     *sketch;  /* or, over a window, ... */
    ink_ring       *ring;
    uint64_t        measured; /* the number of records when its rate was thought of last */
    bool            full;     /* it was above the promise then */
} ink__stream_kind;

typedef struct ink__stream_sketches {
    ink_allocator     allocator;
    ink__stream_kind *kinds;
    size_t            count;
    ink__hasher      *hasher; /* of the key rule; NULL if that has no 64-bit hash */
    uint64_t          hashes[INK__ROWS_MAX];
    /* Of a window: */
    bool                       windowed, started;
    ink_window                 window;
    int64_t                    newest;      /* the number of the newest slot ... */
    int64_t                    newest_time; /* ... and the latest time */
    struct ink__stream_gather *gather;
} ink__stream_sketches;

/* Plans and makes empty sketches. INK_USAGE if one has no size that a stream could know. */
ink_status ink__stream_sketches_create(ink__stream_sketches *all, const ink_reading *reading,
                                       const ink_stream_options *options,
                                       const ink_allocator *allocator, ink_error *error);
void       ink__stream_sketches_free(ink__stream_sketches *all);

/* Takes the place of the empty sketches: INK_MISMATCH if the file holds others. `newest` is the
 * latest time that was seen, of a window. */
ink_status ink__stream_sketches_load(ink__stream_sketches *all, const ink_file *file,
                                     int64_t newest, ink_error *error);

/* Rows that were left out: before the window, or too far ahead of the present. */
typedef struct ink__stream_left {
    uint64_t late, ahead;
} ink__stream_left;

/* Adds rows; over a window by their times, or, if they have none, by `now`. */
ink_status ink__stream_sketches_add(ink__stream_sketches *all, const ink__rows *rows, int64_t now,
                                    ink__stream_left *left, ink_error *error);
/* The latest time of a row that is believed: a window ahead of the present. */
int64_t ink__stream_latest(const ink__stream_sketches *all, int64_t now);

/* Whether `when` lies beyond the newest slot; and moves the window there. */
bool       ink__stream_sketches_behind(const ink__stream_sketches *all, int64_t when);
ink_status ink__stream_sketches_move(ink__stream_sketches *all, int64_t when, ink_error *error);

/* How many entries there are to save; fills them. They live until rows are added. */
size_t ink__stream_sketches_entries(const ink__stream_sketches *all);
void   ink__stream_sketches_entry_all(const ink__stream_sketches *all, ink_entry *entries);

/* A copy of sketch number `index`, over a window the union of its slots. */
ink_status ink__stream_sketches_copy(const ink__stream_sketches *all, size_t index,
                                     ink_sketch **sketch, ink_error *error);

/* Looks whether filter number `index` is above its promise, if enough was added since the last time
 * to make a difference; `batch`: the number of records that were looked at since then, 0 if it is
 * another one each time. *passed becomes true when it is for the first time. */
ink_status ink__stream_sketches_measure(ink__stream_sketches *all, size_t index, uint64_t batch,
                                        bool *passed, double *rate, double *promised,
                                        ink_error *error);
/* Begins it anew. */
ink_status ink__stream_sketches_renew(ink__stream_sketches *all, size_t index, ink_error *error);

#endif
