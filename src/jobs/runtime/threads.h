/* threads.h - threads of a job, and the mutex that they pass one at a time. With its .c file the
 * one place that knows <pthread.h>. */
#ifndef INK_JOBS_RUNTIME_THREADS_H
#define INK_JOBS_RUNTIME_THREADS_H

#include "inkling.h"

#include <pthread.h>

/* A lock with a condition: whoever waits inside is woken when it rings. */
typedef struct ink__mutex {
    pthread_mutex_t lock;
    pthread_cond_t  condition;
} ink__mutex;

ink_status ink__mutex_open(ink__mutex *mutex, ink_error *error);
void       ink__mutex_close(ink__mutex *mutex);
void       ink__mutex_lock(ink__mutex *mutex);
void       ink__mutex_unlock(ink__mutex *mutex);
void       ink__mutex_wait(ink__mutex *mutex); /* from inside; is inside again when it returns */
void       ink__mutex_wake_all(ink__mutex *mutex); /* wakes all */

/* Calls work(host, i) for i from 0 to count - 1, each in a thread of its own, number 0 in this one,
 * and returns when all have returned. Where the system refuses a thread, its number and those
 * behind it are not called: the work must be such that fewer can do it. */
enum { INK__THREADS_MAX = 1024 };
void ink__threads_run(unsigned count, void (*work)(void *host, unsigned number), void *host);

/* One thread beside this one, for work that cannot do without it: INK_IO if the system refuses. */
typedef struct ink__thread {
    pthread_t id;
    void (*work)(void *host);
    void *host;
    bool  running;
} ink__thread;
ink_status ink__thread_start(ink__thread *thread, void (*work)(void *host), void *host,
                             ink_error *error);
void       ink__thread_join(ink__thread *thread); /* also of one that does not run */

#endif
