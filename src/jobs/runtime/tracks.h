/* tracks.h - ordered work of many threads: the work on a chunk is cut into steps, one for each
 * track, and each track takes the chunks strictly in the order of the input. So chunks follow each
 * other through the tracks without waiting for whole chunks, and what a track writes needs no lock.
 *
 * Any worker of the feed takes a step that is ready, of the earliest chunk first: who waits for the
 * steps of its own chunk helps with those of others. Tracks start closed; a commit opens them. */
#ifndef INK_JOBS_RUNTIME_TRACKS_H
#define INK_JOBS_RUNTIME_TRACKS_H

#include "jobs/runtime/threads.h"

typedef struct ink__tracks ink__tracks;

/* The step of one track on the chunk that worker `owner` has taken. It cannot fail. */
typedef void ink__tracks_step(void *host, unsigned owner, unsigned track);
/* A look at one track, while none of its steps runs: all chunks before number `next` have done
 * their steps in it, and no other has. */
typedef void ink__tracks_look(void *host, unsigned track, uint64_t next);

enum { INK__TRACKS_MAX = 128 };

/* For workers 0 to workers - 1. */
ink_status ink__tracks_create(ink__tracks **tracks, unsigned workers, ink__tracks_step *step,
                              void *host, const ink_allocator *allocator, ink_error *error);
void       ink__tracks_free(ink__tracks *tracks); /* NULL is allowed */

/* In a commit: from chunk number `sequence` on, chunks go by `count` tracks. */
void ink__tracks_open(ink__tracks *tracks, unsigned count, uint64_t sequence);
bool ink__tracks_are_open(ink__tracks *tracks);

/* Lets the steps of this chunk begin, and works until they are all done. False if they will not be,
 * because an earlier chunk has failed. `at_once`: how many steps are worth a turn of a worker. */
bool ink__tracks_run(ink__tracks *tracks, unsigned worker, uint64_t sequence, unsigned at_once);

/* In the commit of a chunk: looks at every track, with the help of others. */
void ink__tracks_look_at_all(ink__tracks *tracks, unsigned worker, ink__tracks_look *look);
/* Who took a chunk that is not committed yet; in a look. */
unsigned ink__tracks_owner(const ink__tracks *tracks, uint64_t sequence);

/* Chunk number `sequence` has failed: later ones do no more steps. */
void ink__tracks_stop(ink__tracks *tracks, uint64_t sequence);

#endif
