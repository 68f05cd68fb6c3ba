/* accounting.h - what the threads of a job did: CPU time of each task by the clock of its thread,
 * what it waited for, bytes. Off unless the job has an account; then no clock is read. */
#ifndef INK_JOBS_RUNTIME_ACCOUNTING_H
#define INK_JOBS_RUNTIME_ACCOUNTING_H

#include "base/crew.h"
#include "inkling_job.h"
#include "jobs/runtime/threads.h"

#include <stdatomic.h>

/* What a worker did since its last lap. */
typedef enum ink__lap {
    INK__LAP_ONCE,      /* work outside of tasks */
    INK__LAP_INPUT,     /* waited for its turn to read */
    INK__LAP_EXCLUSIVE, /* read, as one thread at a time does */
    INK__LAP_PARALLEL,  /* worked beside others */
    INK__LAP_ORDER,     /* waited for the ordered parts of tasks before */
    INK__LAP_ORDERED,   /* an ordered part */
    INK__LAP_LIMIT_
} ink__lap;

/* The clock of one worker. */
typedef struct ink__laps {
    struct ink__region *region;
    uint64_t            cpu, wall, faults;      /* at the last lap; at the begin */
    uint64_t            times[INK__LAP_LIMIT_]; /* CPU time since the last task */
    uint64_t            once, waited_input, waited_order, waited_other, worked;
    ink_task           *tasks; /* if they are listed */
    uint64_t            task_bytes, task_count;
    uint64_t            count, cpu_all, exclusive, ordered, longest, bytes, faults_all, lost;
} ink__laps;

/* A region in which threads work; all zero: no account. */
typedef struct ink__region {
    ink_account         *account;
    ink_allocator        allocator;
    const char          *name;
    struct ink__region  *outer; /* the region of the task that opened this one */
    ink__laps           *laps;  /* one for each worker, and one for tasks of inner regions */
    unsigned             workers;
    uint64_t             serial, serial_wall, began;
    atomic_uint_fast64_t zeroed, lost;
    ink__mutex           inner; /* of laps[workers]; open if this is no inner region and has laps */
} ink__region;

/* Opens a region of a job for some workers. The caller closes it after their last lap. A region
 * that a task opens is part of that of the task: what its workers but the first do are nested
 * tasks. Does nothing if the job has no account. */
void ink__region_open(ink__region *region, const ink_job *job, const char *name, unsigned workers);
void ink__region_close(ink__region *region);

/* The clock of a worker, which starts; NULL if there is no account. */
ink__laps *ink__laps_start(ink__region *region, unsigned worker);
void       ink__laps_lap(ink__laps *laps, ink__lap lap);
void       ink__laps_task(ink__laps *laps, unsigned step, uint64_t number, uint64_t bytes);
void       ink__laps_stop(ink__laps *laps);

/* The time since the last lap belongs to `lap`. */
static inline void ink__lap_end(ink__laps *laps, ink__lap lap)
{
    if (laps != NULL)
        ink__laps_lap(laps, lap);
}

/* The laps since the last call were those of a task. The upper 32 bits of its number are its lane.
 */
static inline void ink__lap_task(ink__laps *laps, uint64_t number, uint64_t bytes)
{
    if (laps != NULL)
        ink__laps_task(laps, 0, number, bytes);
}

/* The same for a task of a step: no task of a step begins before all of the one before have ended.
 */
static inline void ink__lap_step(ink__laps *laps, unsigned step, uint64_t number)
{
    if (laps != NULL)
        ink__laps_task(laps, step, number, 0);
}

/* As ink__threads_run, in a region of its own, in which each thread is a task. */
void ink__region_run(const ink_job *job, const char *name, unsigned count,
                     void (*work)(void *host, unsigned number), void *host);

/* Calls step(host, i) once for each i below `count`, in any order, on at most `threads` threads,
 * which take the numbers one by one; several are workers of a region. `job` may be NULL. */
void ink__region_each(const ink_job *job, const char *name, unsigned threads, uint64_t count,
                      void (*step)(void *host, uint64_t number), void *host);

/* Threads lent to a layer below, in the account of a job (NULL: of none). */
ink__crew ink__crew_of(const ink_job *job, unsigned threads);

/* Counts the bytes of a sketch that was made: they were zeroed. */
void ink__account_made(const ink_job *job, const ink_sketch *sketch);

/* What a phase is called. */
const char *ink__phase_name(ink_phase phase);

#endif
