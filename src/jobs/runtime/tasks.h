/* tasks.h - numbered tasks of a job, taken by threads one by one: all at once, or in steps. */
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
     * `commit` after it. No `prepare` begins after a failure, and no `commit` of a later task. */
    ink__task *prepare, *commit;
    uint64_t   count;
    /* Progress counts tasks: `before` were done by earlier runs. If `total` is 0, none is reported,
     * and the caller cannot stop the job: all tasks are done. */
    const ink_job *job;
    ink_phase      phase;
    const char    *name;            /* of the region; NULL: that of the phase */
    uint64_t       began, reported; /* when the job began, and when progress was reported last */
    uint64_t       before, total;
    ink__region    region;

    ink__mutex mutex; /* of all that follows */
    uint64_t   next, committed;
    ink_error  failure;
    uint64_t   failed; /* the number of the task that it is of */
} ink__tasks;

/* `count` tasks, which are all of this phase. */
ink__tasks ink__tasks_of(const ink_job *job, uint64_t began, ink_phase phase, uint64_t count,
                         ink__task *run, void *host);

/* Runs all tasks on at most `threads` threads. Ends with the failure of the task with the lowest
 * number, however late it comes; INK_STOPPED if the caller stops the job. */
ink_status ink__tasks_run(ink__tasks *tasks, unsigned threads, ink_error *error);

/* The same for short tasks, without progress, on the threads of the job; `name` is that of their
 * region. */
ink_status ink__tasks_short(const ink_job *job, const char *name, uint64_t count, ink__task *run,
                            void *host, ink_error *error);

/* Tasks in steps: those of a step begin when all of the step before have ended. Threads are started
 * once, for all steps:
 *
 *     ink__steps_open(&steps, tasks of step 0, next, host, &error)
 *     ink__threads_run(threads, work, ...)        where work does
 *         while (ink__steps_take(&steps, &task)) {
 *             a task; ink__steps_end(&steps);
 *         }
 *     ink__steps_close(&steps)                    gives whether all steps have ended
 *
 * A thread that the system refuses leaves its tasks to the others. */
typedef struct ink__steps {
    void *host;
    /* The number of tasks of the next step; 0: there is none. Called while no task runs. */
    unsigned (*next)(void *host);

    ink__mutex mutex; /* of all that follows */
    unsigned   step, taken, ended, count;
    bool       over, stopped;
} ink__steps;

ink_status ink__steps_open(ink__steps *steps, unsigned tasks, unsigned (*next)(void *host),
                           void *host, ink_error *error);
/* Takes a task, waiting for the next step if need be; false if there is none, or after a stop. */
bool ink__steps_take(ink__steps *steps, unsigned *task);
void ink__steps_end(ink__steps *steps);
/* Whether a task of this step is left. */
bool ink__steps_left(ink__steps *steps, unsigned step);
/* No more tasks are taken. */
void ink__steps_stop(ink__steps *steps);
bool ink__steps_close(ink__steps *steps);

#endif
