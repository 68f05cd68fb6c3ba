/* stream_queue.h - chunks between the thread that receives data and the one that takes them in: a
 * few, so that both work at once, and no more, so that senders are slowed down. */
#ifndef INK_JOBS_STREAM_STREAM_QUEUE_H
#define INK_JOBS_STREAM_STREAM_QUEUE_H

#include "input/live/live_source.h"
#include "jobs/runtime/threads.h"

enum { INK__QUEUE_CHUNKS = 4 };

typedef struct ink__stream_queue {
    ink__live_source *live; /* for the receiver alone while it runs */
    ink__thread       thread;
    ink__mutex        mutex; /* for all that follows */
    ink__live_chunk   chunks[INK__QUEUE_CHUNKS];
    unsigned          first, count;
    uint64_t          ticks; /* rises when nothing has arrived for a while */
    bool              ended; /* no more chunks will arrive, for this reason: */
    ink_status        status;
    ink_error         failure;
    size_t            address; /* of the failure; SIZE_MAX: none */
    uint64_t          refused; /* the connection to close; 0: none */
    bool              closing; /* the receiver must end */
} ink__stream_queue;

/* Starts the receiver; ends it, and releases the chunks. */
ink_status ink__stream_queue_open(ink__stream_queue *queue, ink__live_source *live,
                                  ink_error *error);
void       ink__stream_queue_close(ink__stream_queue *queue);

/* The next chunk, which is the queue's and valid until _done; NULL: nothing has arrived for a
 * while, or, if *ended, no more will arrive. */
const ink__live_chunk *ink__stream_queue_next(ink__stream_queue *queue, bool *ended);
void                   ink__stream_queue_done(ink__stream_queue *queue);

/* Has a connection closed, and drops its chunks, but not the one in hand. */
void ink__stream_queue_refuse(ink__stream_queue *queue, uint64_t connection);

#endif
