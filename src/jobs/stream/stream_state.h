/* stream_state.h - the folder of a stream: state.ink, which a rename replaces as a whole, and the
 * lock, which names the process that writes. */
#ifndef INK_JOBS_STREAM_STREAM_STATE_H
#define INK_JOBS_STREAM_STREAM_STATE_H

#include "base/system.h"
#include "jobs/stream/stream_position.h"
#include "jobs/stream/stream_sketches.h"

/* The file in that folder. */
#define INK__STATE_FILE "state.ink"

typedef struct ink__stream_state {
    ink_allocator        allocator;
    ink__arena           arena;
    char                 path[INK__PATH_BYTES + 16]; /* of state.ink */
    int                  lock;                       /* -1: not taken */
    const uint8_t       *input_spec;
    uint64_t             input_spec_bytes;
    bool                 found; /* a state was loaded */
    bool                 made;  /* the folder is new, and no other stream has it */
    ink__stream_position position;
} ink__stream_state;

/* Makes the folder if there is none, and takes the lock; INK_IO names the process that has it. The
 * lock must be a regular file, and of this user or the owner of the folder: it is written to.
 * Removes the temporary files of a process that was killed while it saved. */
ink_status ink__stream_state_open(ink__stream_state *state, const char *folder,
                                  const ink_allocator *allocator, ink_error *error);
void       ink__stream_state_close(ink__stream_state *state);
/* Before that, for a stream that did not run: removes the folder if it is new. */
void ink__stream_state_discard(ink__stream_state *state);

/* Loads the last state, if there is one, into empty sketches. INK_MISMATCH if it is of other
 * sketches, or of records that are read in another way. */
ink_status ink__stream_state_load(ink__stream_state *state, ink__stream_sketches *sketches,
                                  const ink_reading *reading, ink_form form, ink_error *error);

ink_status ink__stream_state_save(ink__stream_state *state, const ink__stream_sketches *sketches,
                                  ink_error *error);

#endif
