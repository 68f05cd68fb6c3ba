/* stream_state.h - the folder in which a stream keeps its state: state.ink, which one rename brings
 * from one batch to a later one, and the lock that says who writes it. */
#ifndef INK_JOBS_STREAM_STREAM_STATE_H
#define INK_JOBS_STREAM_STREAM_STATE_H

#include "jobs/stream/stream_position.h"
#include "jobs/stream/stream_sketches.h"

typedef struct ink__stream_state {
    ink_allocator        allocator;
    ink__arena           arena;
    char                *path; /* of state.ink */
    uint64_t             path_bytes;
    int                  lock; /* -1: not held */
    const uint8_t       *input_spec;
    uint64_t             input_spec_bytes;
    bool                 found; /* there was a state */
    ink__stream_position position;
} ink__stream_state;

/* Makes the folder if it is not there, and takes the lock. INK_IO names who holds it. What a
 * process left behind that was killed while it saved is removed. */
ink_status ink__stream_state_open(ink__stream_state *state, const char *folder,
                                  const ink_allocator *allocator, ink_error *error);
void       ink__stream_state_close(ink__stream_state *state);

/* Loads what was saved last, if anything was, into empty sketches. Sentences name state.ink.
 * INK_MISMATCH if it is of another stream than these sketches, and records read like this. */
ink_status ink__stream_state_load(ink__stream_state *state, ink__stream_sketches *sketches,
                                  const ink_reading *reading, ink_form form, ink_error *error);

/* Saves sketches and position. */
ink_status ink__stream_state_save(ink__stream_state *state, const ink__stream_sketches *sketches,
                                  ink_error *error);

#endif
