/* tasks.c - numbered tasks of a job, taken by threads one by one: all at once, or in steps. */
#include "jobs/runtime/tasks.h"

#include "base/status.h"
#include "jobs/runtime/feed.h"

ink__tasks ink__tasks_of(const ink_job *job, uint64_t began, ink_phase phase, uint64_t count,
                         ink__task *run, void *host)
{
    return (ink__tasks){.host = host,
                        .run = run,
                        .count = count,
                        .job = job,
                        .phase = phase,
                        .began = began,
                        .reported = began,
                        .total = count};
}

/* Keeps the failure of the task with the lowest number. Numbers are taken in order, and those below
 * one that failed are done to their end: which failure is kept depends on no thread. */
static void keep_failure(ink__tasks *tasks, uint64_t task, ink_status status,
                         const ink_error *failure)
{
    if (tasks->failure.status != INK_OK && tasks->failed < task)
        return;
    tasks->failure = *failure;
    tasks->failure.status = status;
    tasks->failed = task;
}

static bool may_commit(const ink__tasks *tasks, uint64_t task)
{
    return tasks->failure.status == INK_OK || task < tasks->failed;
}

/* Takes the number of the next task, and prepares it; false if there is none, or if one failed. */
static bool take(ink__tasks *tasks, unsigned worker, ink__laps *laps, uint64_t *task)
{
    ink_progress progress = {
        .phase = tasks->phase,
        .total = tasks->total,
        .records = tasks->job->records,
    };
    ink_error  failure = {0};
    ink_status status = INK_OK;

    ink__mutex_lock(&tasks->mutex);
    progress.done = tasks->before + tasks->next;
    bool more = tasks->failure.status == INK_OK;
    if (more && tasks->total != 0)
        status = ink__feed_report(tasks->job, &progress, tasks->began, &tasks->reported, &failure);
    more = more && status == INK_OK && tasks->next < tasks->count;
    *task = tasks->next;
    ink__lap_end(laps, INK__LAP_ONCE);
    if (more && tasks->prepare != NULL) {
        status = tasks->prepare(tasks->host, worker, *task, &failure);
        more = status == INK_OK;
        ink__lap_end(laps, INK__LAP_EXCLUSIVE);
    }
    tasks->next += more;
    if (status != INK_OK)
        keep_failure(tasks, *task, status, &failure);
    ink__mutex_unlock(&tasks->mutex);
    return more;
}

/* Waits until all tasks before this one are committed; false if one of them has failed. */
static bool await_commit(ink__tasks *tasks, uint64_t task)
{
    ink__mutex_lock(&tasks->mutex);
    while (tasks->committed != task && may_commit(tasks, task))
        ink__mutex_wait(&tasks->mutex);
    bool ready = may_commit(tasks, task);
    ink__mutex_unlock(&tasks->mutex);
    return ready;
}

static void end_task(ink__tasks *tasks, uint64_t task, ink_status status, const ink_error *failure)
{
    ink__mutex_lock(&tasks->mutex);
    if (status == INK_OK)
        tasks->committed = task + 1;
    else
        keep_failure(tasks, task, status, failure);
    if (tasks->commit != NULL)
        ink__mutex_wake_all(&tasks->mutex);
    ink__mutex_unlock(&tasks->mutex);
}

static void work(void *host, unsigned worker)
{
    ink__tasks *tasks = host;
    ink_error   failure = {0};
    uint64_t    task;
    ink__laps  *laps = ink__laps_start(&tasks->region, worker);

    while (take(tasks, worker, laps, &task)) {
        ink_status status = tasks->run(tasks->host, worker, task, &failure);
        ink__lap_end(laps, INK__LAP_PARALLEL);
        if (status == INK_OK && tasks->commit != NULL) {
            bool ready = await_commit(tasks, task);
            ink__lap_end(laps, INK__LAP_ORDER);
            if (!ready)
                break;
            status = tasks->commit(tasks->host, worker, task, &failure);
            ink__lap_end(laps, INK__LAP_ORDERED);
        }
        ink__lap_task(laps, task, 0);
        if (status != INK_OK || tasks->commit != NULL)
            end_task(tasks, task, status, &failure);
    }
    ink__laps_stop(laps);
}

ink_status ink__tasks_run(ink__tasks *tasks, unsigned threads, ink_error *error)
{
    tasks->next = tasks->committed = 0;
    INK__TRY(ink__mutex_open(&tasks->mutex, error));
    ink__region_open(&tasks->region, tasks->job,
                     tasks->name != NULL ? tasks->name : ink__phase_name(tasks->phase), threads);
    ink__threads_run(threads, work, tasks);
    ink__region_close(&tasks->region);
    ink__mutex_close(&tasks->mutex);
    if (tasks->failure.status != INK_OK && error != NULL)
        *error = tasks->failure;
    return tasks->failure.status;
}

ink_status ink__tasks_short(const ink_job *job, const char *name, uint64_t count, ink__task *run,
                            void *host, ink_error *error)
{
    ink__tasks tasks = ink__tasks_of(job, 0, INK_PHASE_FILLING, count, run, host);
    unsigned   threads = ink__job_threads(job);

    if (count == 0)
        return INK_OK;
    tasks.name = name;
    tasks.total = 0;
    return ink__tasks_run(&tasks, count < threads ? (unsigned)count : threads, error);
}

/* ---- In steps ----------------------------------------------------------------------------- */

ink_status ink__steps_open(ink__steps *steps, unsigned tasks, unsigned (*next)(void *host),
                           void *host, ink_error *error)
{
    *steps = (ink__steps){.host = host, .next = next, .count = tasks};
    return ink__mutex_open(&steps->mutex, error);
}

bool ink__steps_take(ink__steps *steps, unsigned *task)
{
    ink__mutex_lock(&steps->mutex);
    while (!steps->over && steps->taken == steps->count)
        ink__mutex_wait(&steps->mutex);
    bool taken = !steps->over;
    *task = steps->taken;
    steps->taken += taken;
    ink__mutex_unlock(&steps->mutex);
    return taken;
}

void ink__steps_end(ink__steps *steps)
{
    ink__mutex_lock(&steps->mutex);
    if (++steps->ended == steps->count && !steps->over) {
        steps->step++;
        steps->taken = steps->ended = 0;
        steps->count = steps->next(steps->host);
        steps->over = steps->count == 0;
        ink__mutex_wake_all(&steps->mutex);
    }
    ink__mutex_unlock(&steps->mutex);
}

bool ink__steps_left(ink__steps *steps, unsigned step)
{
    ink__mutex_lock(&steps->mutex);
    bool left = steps->step == step && steps->taken < steps->count;
    ink__mutex_unlock(&steps->mutex);
    return left;
}

void ink__steps_stop(ink__steps *steps)
{
    ink__mutex_lock(&steps->mutex);
    steps->over = steps->stopped = true;
    ink__mutex_wake_all(&steps->mutex);
    ink__mutex_unlock(&steps->mutex);
}

bool ink__steps_close(ink__steps *steps)
{
    ink__mutex_close(&steps->mutex);
    return steps->over && !steps->stopped;
}
