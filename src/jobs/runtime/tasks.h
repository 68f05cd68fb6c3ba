/* tasks.h - numbered tasks of a job, taken by threads one by one. */
#ifndef INK_JOBS_RUNTIME_TASKS_H
#define INK_JOBS_RUNTIME_TASKS_H

#include "inkling_job.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/threads.h"

/* Does task number `task`; called by many threads, numbered by `worker`. */
typedef ink_status ink__task(void *host, unsigned worker, uint64_t task, ink_error *error);

typedef struct ink__tasks {
    void      *host;
    ink__task *run;
    /* Or NULL. In the order of tasks, by one thread at a time: `prepare` before a task is run, and
     * `commit` after it. No `prepare` begins after a failure, and no later `commit`. */
    ink__task *prepare, *commit;
    uint64_t   count;
    /* Progress counts tasks: `before` were done by earlier runs. */
    const ink_job *job;
    ink_phase      phase;
    uint64_t       began, reported; /* when the job began, and when progress was reported last */
    uint64_t       before, total;
    ink__region    region;

    ink__mutex mutex; /* of all that follows */
    uint64_t   next, committed;
    ink_error  failure;
} ink__tasks;

/* `count` tasks, which are all of this phase. */
ink__tasks ink__tasks_of(const ink_job *job, uint64_t began, ink_phase phase, uint64_t count,
                         ink__task *run, void *host);

/* Runs all tasks on at most `threads` threads. Ends with the first failure; INK_STOPPED if the
 * caller stops the job. */
ink_status ink__tasks_run(ink__tasks *tasks, unsigned threads, ink_error *error);

#endif
