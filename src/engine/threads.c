/* threads.c - threads of a job. */
#include "engine/threads.h"

ink_status ink__gate_open(ink__gate *gate, ink_error *error)
{
    int result = pthread_mutex_init(&gate->mutex, NULL);

    if (result != 0)
        return ink__fail_io(error, result, "cannot make a lock");
    result = pthread_cond_init(&gate->bell, NULL);
    if (result == 0)
        return INK_OK;
    pthread_mutex_destroy(&gate->mutex);
    return ink__fail_io(error, result, "cannot make a lock");
}

void ink__gate_close(ink__gate *gate)
{
    pthread_cond_destroy(&gate->bell);
    pthread_mutex_destroy(&gate->mutex);
}

void ink__gate_enter(ink__gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
}

void ink__gate_leave(ink__gate *gate)
{
    pthread_mutex_unlock(&gate->mutex);
}

void ink__gate_wait(ink__gate *gate)
{
    pthread_cond_wait(&gate->bell, &gate->mutex);
}

void ink__gate_ring(ink__gate *gate)
{
    pthread_cond_broadcast(&gate->bell);
}

typedef struct hand {
    void (*work)(void *host, unsigned number);
    void     *host;
    unsigned  number;
    pthread_t thread;
} hand;

static void *run_hand(void *argument)
{
    hand *mine = argument;

    mine->work(mine->host, mine->number);
    return NULL;
}

void ink__threads_run(unsigned count, void (*work)(void *host, unsigned number), void *host)
{
    hand     hands[INK__THREADS_MAX];
    unsigned started = 1;

    for (; started < count && started < INK__THREADS_MAX; started++) {
        hands[started] = (hand){.work = work, .host = host, .number = started};
        if (pthread_create(&hands[started].thread, NULL, run_hand, &hands[started]) != 0)
            break;
    }
    work(host, 0);
    for (unsigned i = 1; i < started; i++)
        pthread_join(hands[i].thread, NULL);
}

static void *run_thread(void *argument)
{
    ink__thread *thread = argument;

    thread->work(thread->host);
    return NULL;
}

ink_status ink__thread_start(ink__thread *thread, void (*work)(void *host), void *host,
                             ink_error *error)
{
    *thread = (ink__thread){.work = work, .host = host};
    int result = pthread_create(&thread->id, NULL, run_thread, thread);
    if (result != 0)
        return ink__fail_io(error, result, "cannot start a thread");
    thread->running = true;
    return INK_OK;
}

void ink__thread_join(ink__thread *thread)
{
    if (thread->running)
        pthread_join(thread->id, NULL);
    thread->running = false;
}
