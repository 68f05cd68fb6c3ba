/* threads.h - threads and mutexes of jobs. Only this module uses <pthread.h>. */
#ifndef INK_JOBS_RUNTIME_THREADS_H
#define INK_JOBS_RUNTIME_THREADS_H

#include "inkling.h"

#include <pthread.h>

/* A mutex with a condition. */
typedef struct ink__mutex {
    pthread_mutex_t lock;
    pthread_cond_t  condition;
} ink__mutex;

ink_status ink__mutex_open(ink__mutex *mutex, ink_error *error);
void       ink__mutex_close(ink__mutex *mutex);
void       ink__mutex_lock(ink__mutex *mutex);
void       ink__mutex_unlock(ink__mutex *mutex);
void       ink__mutex_wait(ink__mutex *mutex); /* for wake_all; the caller has it locked */
void       ink__mutex_wake_all(ink__mutex *mutex);

/* One thread that waits for its own wake-up, where to wake all that wait would cost more. All is
 * done with the same mutex locked; not while it waits. */
typedef struct ink__waiter {
    pthread_cond_t condition;
    bool           open, idle;
} ink__waiter;

ink_status ink__waiter_open(ink__waiter *waiter, ink_error *error);
void       ink__waiter_close(ink__waiter *waiter); /* does nothing if it is not open */
void       ink__waiter_wait(ink__waiter *waiter, ink__mutex *mutex);
void       ink__waiter_wake(ink__waiter *waiter); /* does nothing if it does not wait */

/* Calls work(host, i) for i from 0 to count - 1, number 0 in this thread and each other in one of
 * its own, and returns when all have returned. If the system refuses a thread, its number and all
 * later ones are not called: fewer threads must be able to do the work. */
enum { INK__THREADS_MAX = 1024 };
void ink__threads_run(unsigned count, void (*work)(void *host, unsigned number), void *host);

/* One more thread, for work that needs it: INK_LIMIT if the system refuses. */
typedef struct ink__thread {
    pthread_t id;
    void (*work)(void *host);
    void *host;
    bool  running;
} ink__thread;
ink_status ink__thread_start(ink__thread *thread, void (*work)(void *host), void *host,
                             ink_error *error);
void       ink__thread_join(ink__thread *thread); /* does nothing if it does not run */

#endif
