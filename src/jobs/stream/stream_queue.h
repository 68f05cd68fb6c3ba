/* stream_queue.h - data on their way from the thread that receives them to the one that takes them
 * in: a few chunks, so that both work at once, and no more, so that whoever sends is held back. */
#ifndef INK_JOBS_STREAM_STREAM_QUEUE_H
#define INK_JOBS_STREAM_STREAM_QUEUE_H

#include "input/live/live_source.h"
#include "jobs/runtime/threads.h"

enum { INK__QUEUE_CHUNKS = 4 };

typedef struct ink__stream_queue {
    ink__live_source *live; /* the receiver's while it runs */
    ink__thread       thread;
    ink__mutex        mutex; /* before all that follows */
    ink__live_chunk   chunks[INK__QUEUE_CHUNKS];
    unsigned          first, count;
    uint64_t          ticks;  /* rises when nothing has arrived for a while */
    bool              ended;  /* no more will arrive ... */
    ink_status        status; /* ... for this reason ... */
    ink_error         failure;
    size_t            address; /* ... about this one; SIZE_MAX: none */
    uint64_t          refused; /* a connection that is to be closed; 0: none */
    bool              closing; /* the receiver is to end */
} ink__stream_queue;

/* Starts a thread that receives; ends it, and gives back what waits. */
ink_status ink__stream_queue_open(ink__stream_queue *queue, ink__live_source *live,
                                  ink_error *error);
void       ink__stream_queue_close(ink__stream_queue *queue);

/* The chunk that is next, which stays the queue's, until _done; NULL if there is none: *ended tells
 * whether none will come any more, otherwise nothing has arrived for a while. */
const ink__live_chunk *ink__stream_queue_next(ink__stream_queue *queue, bool *ended);
void                   ink__stream_queue_done(ink__stream_queue *queue);

/* Has a connection closed, and drops what waits of it. The chunk in hand stays. */
void ink__stream_queue_refuse(ink__stream_queue *queue, uint64_t connection);

#endif
