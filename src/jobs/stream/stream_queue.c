/* stream_queue.c - chunks between the thread that receives data and the one that takes them in. */
#include "jobs/stream/stream_queue.h"

#include "base/status.h"
#include "base/system.h"

/* How often the trainer can look at the clock. */
#define TICK_NANOSECONDS 20000000u

/* ---- The thread that receives ------------------------------------------------------------- */

/* Also closes a refused connection. False: the end. */
static bool wait_for_room(ink__stream_queue *queue)
{
    ink__mutex_lock(&queue->mutex);
    for (;;) {
        if (queue->refused != 0) {
            ink__live_source_refuse(queue->live, queue->refused);
            queue->refused = 0;
            ink__mutex_wake_all(&queue->mutex);
        }
        if (queue->closing || queue->count < INK__QUEUE_CHUNKS)
            break;
        ink__mutex_wait(&queue->mutex);
    }
    bool go_on = !queue->closing;
    ink__mutex_unlock(&queue->mutex);
    return go_on;
}

/* Receives a chunk after the others. False: the end. */
static bool receive_chunk(ink__stream_queue *queue)
{
    uint64_t        until = ink__system_now()->nanoseconds() + TICK_NANOSECONDS;
    size_t          address = SIZE_MAX;
    ink_error       failure = {0};
    ink__live_state what = INK__LIVE_END;

    ink__mutex_lock(&queue->mutex);
    ink__live_chunk *to = &queue->chunks[(queue->first + queue->count) % INK__QUEUE_CHUNKS];
    ink__mutex_unlock(&queue->mutex);
    ink_status status = ink__live_source_next(queue->live, to, until, &what, &address, &failure);
    ink__mutex_lock(&queue->mutex);
    queue->failure = failure;
    queue->status = status;
    queue->address = address;
    queue->count += status == INK_OK && what == INK__LIVE_RECORDS;
    queue->ticks++;
    bool ended = queue->ended = status != INK_OK || what == INK__LIVE_END;
    ink__mutex_wake_all(&queue->mutex);
    ink__mutex_unlock(&queue->mutex);
    return !ended;
}

static void receive(void *host)
{
    ink__stream_queue *queue = host;

    while (wait_for_room(queue) && receive_chunk(queue))
        continue;
}

ink_status ink__stream_queue_open(ink__stream_queue *queue, ink__live_source *live,
                                  ink_error *error)
{
    *queue = (ink__stream_queue){.live = live, .address = SIZE_MAX};
    INK__TRY(ink__mutex_open(&queue->mutex, error));
    ink_status status = ink__thread_start(&queue->thread, receive, queue, error);
    if (status != INK_OK)
        ink__mutex_close(&queue->mutex);
    return status;
}

void ink__stream_queue_close(ink__stream_queue *queue)
{
    ink__mutex_lock(&queue->mutex);
    queue->closing = true;
    ink__mutex_wake_all(&queue->mutex);
    ink__mutex_unlock(&queue->mutex);
    ink__thread_join(&queue->thread);
    for (unsigned i = 0; i < INK__QUEUE_CHUNKS; i++)
        ink__live_source_release(queue->live, &queue->chunks[i]);
    ink__mutex_close(&queue->mutex);
}

/* ---- The thread that takes them in -------------------------------------------------------- */

const ink__live_chunk *ink__stream_queue_next(ink__stream_queue *queue, bool *ended)
{
    const ink__live_chunk *next = NULL;

    ink__mutex_lock(&queue->mutex);
    uint64_t ticks = queue->ticks;
    while (queue->count == 0 && !queue->ended && queue->ticks == ticks)
        ink__mutex_wait(&queue->mutex);
    if (queue->count > 0)
        next = &queue->chunks[queue->first];
    *ended = queue->count == 0 && queue->ended;
    ink__mutex_unlock(&queue->mutex);
    return next;
}

void ink__stream_queue_done(ink__stream_queue *queue)
{
    ink__mutex_lock(&queue->mutex);
    queue->first = (queue->first + 1) % INK__QUEUE_CHUNKS;
    queue->count--;
    ink__mutex_wake_all(&queue->mutex);
    ink__mutex_unlock(&queue->mutex);
}

void ink__stream_queue_refuse(ink__stream_queue *queue, uint64_t connection)
{
    ink__mutex_lock(&queue->mutex);
    queue->refused = connection;
    ink__mutex_wake_all(&queue->mutex);
    while (queue->refused != 0 && !queue->ended)
        ink__mutex_wait(&queue->mutex);
    for (unsigned i = 1; i < queue->count; i++) { /* nothing more of it will come */
        ink__live_chunk *pending = &queue->chunks[(queue->first + i) % INK__QUEUE_CHUNKS];
        if (pending->connection == connection)
            pending->chunk.count = 0;
    }
    ink__mutex_unlock(&queue->mutex);
}
