/* threads.c - threads of a job. */
#include "jobs/runtime/threads.h"

#include "base/status.h"
#include "base/system.h"

/* Threads and mutexes fail only for lack of memory or of threads. */
static ink_status fail_scarce(ink_error *error, int os_error, const char *what)
{
    char reason[128];

    ink__system_reason(os_error, reason, sizeof reason);
    ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "%s, for lack of memory or threads: %s", what,
              reason);
    if (error != NULL)
        error->os_error = os_error;
    return INK_LIMIT;
}

ink_status ink__mutex_open(ink__mutex *mutex, ink_error *error)
{
    int result = pthread_mutex_init(&mutex->lock, NULL);

    if (result != 0)
        return fail_scarce(error, result, "cannot make a lock");
    result = pthread_cond_init(&mutex->condition, NULL);
    if (result == 0)
        return INK_OK;
    pthread_mutex_destroy(&mutex->lock);
    return fail_scarce(error, result, "cannot make a lock");
}

void ink__mutex_close(ink__mutex *mutex)
{
    pthread_cond_destroy(&mutex->condition);
    pthread_mutex_destroy(&mutex->lock);
}

void ink__mutex_lock(ink__mutex *mutex)
{
    pthread_mutex_lock(&mutex->lock);
}

void ink__mutex_unlock(ink__mutex *mutex)
{
    pthread_mutex_unlock(&mutex->lock);
}

void ink__mutex_wait(ink__mutex *mutex)
{
    pthread_cond_wait(&mutex->condition, &mutex->lock);
}

void ink__mutex_wake_all(ink__mutex *mutex)
{
    pthread_cond_broadcast(&mutex->condition);
}

ink_status ink__waiter_open(ink__waiter *waiter, ink_error *error)
{
    int result = pthread_cond_init(&waiter->condition, NULL);

    waiter->open = result == 0;
    waiter->idle = false;
    return result == 0 ? INK_OK : fail_scarce(error, result, "cannot make a lock");
}

void ink__waiter_close(ink__waiter *waiter)
{
    if (waiter->open)
        pthread_cond_destroy(&waiter->condition);
    waiter->open = false;
}

void ink__waiter_wait(ink__waiter *waiter, ink__mutex *mutex)
{
    waiter->idle = true;
    while (waiter->idle)
        pthread_cond_wait(&waiter->condition, &mutex->lock);
}

void ink__waiter_wake(ink__waiter *waiter)
{
    if (!waiter->idle)
        return;
    waiter->idle = false;
    pthread_cond_signal(&waiter->condition);
}

/* Stacks have the default size, which follows the stack limit of the process, but never less than
 * the work needs. */
static int start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    static const size_t least = (size_t)256 << 10;
    pthread_attr_t      attributes;
    size_t              bytes;
    int                 result = pthread_attr_init(&attributes);

    if (result != 0)
        return result;
    if (pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < least)
        pthread_attr_setstacksize(&attributes, least);
    result = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return result;
}

typedef struct numbered {
    void (*work)(void *host, unsigned number);
    void    *host;
    unsigned number, count;
} numbered;

/* Each thread starts the next one before it works and joins it afterwards, which needs no list of
 * threads. */
static void *run_numbered(void *argument)
{
    const numbered *mine = argument;
    numbered        other = *mine;
    pthread_t       next;
    bool started = ++other.number < other.count && start(&next, run_numbered, &other) == 0;

    mine->work(mine->host, mine->number);
    if (started)
        pthread_join(next, NULL);
    return NULL;
}

void ink__threads_run(unsigned count, void (*work)(void *host, unsigned number), void *host)
{
    numbered first = {
        .work = work,
        .host = host,
        .count = count < INK__THREADS_MAX ? count : INK__THREADS_MAX,
    };

    run_numbered(&first);
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
    int result = start(&thread->id, run_thread, thread);
    if (result != 0)
        return fail_scarce(error, result, "cannot start a thread");
    thread->running = true;
    return INK_OK;
}

void ink__thread_join(ink__thread *thread)
{
    if (thread->running)
        pthread_join(thread->id, NULL);
    thread->running = false;
}
