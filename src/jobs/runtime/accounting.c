/* accounting.c - what the threads of a job did. */
#include "jobs/runtime/accounting.h"

#include "base/memory.h"
#include "base/system.h"

#include <stdlib.h>

/* How far a clock has come; two clocks of a system may disagree a little. */
static uint64_t since(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}

const char *ink__phase_name(ink_phase phase)
{
    static const char *const names[] = {
        [INK_PHASE_READING] = "reading",
        [INK_PHASE_FILLING] = "filling",
        [INK_PHASE_TESTING] = "testing",
    };

    return names[phase];
}

/* ---- Workers ------------------------------------------------------------------------------ */

ink__laps *ink__laps_start(ink__region *region, unsigned worker)
{
    if (region->account == NULL)
        return NULL;
    if (region->laps == NULL || worker >= region->workers) {
        atomic_fetch_add(&region->lost, 1);
        return NULL;
    }
    ink__laps *laps = &region->laps[worker];
    laps->region = region;
    laps->worked = 1;
    laps->faults = ink__system_now()->thread_faults();
    laps->wall = ink__system_now()->nanoseconds();
    laps->cpu = ink__system_now()->thread_nanoseconds();
    return laps;
}

void ink__laps_lap(ink__laps *laps, ink__lap lap)
{
    const uint64_t cpu = ink__system_now()->thread_nanoseconds();
    const uint64_t wall = ink__system_now()->nanoseconds();
    const uint64_t used = since(cpu, laps->cpu), waited = since(since(wall, laps->wall), used);

    laps->times[lap] += used;
    laps->cpu_all += used;
    if (lap == INK__LAP_INPUT || lap == INK__LAP_EXCLUSIVE)
        laps->waited_input += waited;
    else if (lap == INK__LAP_ORDER)
        laps->waited_order += waited;
    else
        laps->waited_other += waited;
    laps->cpu = cpu;
    laps->wall = wall;
}

/* Waiting takes little CPU time, and belongs to no task. */
static uint64_t take_once(ink__laps *laps)
{
    uint64_t once =
        laps->times[INK__LAP_ONCE] + laps->times[INK__LAP_INPUT] + laps->times[INK__LAP_ORDER];

    laps->times[INK__LAP_ONCE] = laps->times[INK__LAP_INPUT] = laps->times[INK__LAP_ORDER] = 0;
    return once;
}

static void list(ink__laps *laps, const ink_task *task)
{
    const uint64_t used = laps->task_count * sizeof *laps->tasks;

    if (laps->region->account->tasks == 0 || laps->region->outer != NULL)
        return;
    if (ink__make_room(&laps->region->allocator, &laps->tasks, &laps->task_bytes, used,
                       sizeof *task, NULL) != INK_OK) {
        laps->lost++;
        return;
    }
    laps->tasks[laps->task_count++] = *task;
}

static void count_task(ink__laps *laps, const ink_task *task)
{
    const uint64_t all = task->exclusive + task->parallel + task->ordered;

    laps->count++;
    laps->exclusive += task->exclusive;
    laps->ordered += task->ordered;
    laps->bytes += task->bytes;
    laps->longest = all > laps->longest ? all : laps->longest;
    list(laps, task);
}

void ink__laps_task(ink__laps *laps, unsigned step, uint64_t number, uint64_t bytes)
{
    const ink_task task = {
        .number = number,
        .exclusive = laps->times[INK__LAP_EXCLUSIVE],
        .parallel = laps->times[INK__LAP_PARALLEL],
        .ordered = laps->times[INK__LAP_ORDERED],
        .bytes = bytes,
        .worker = (uint32_t)(laps - laps->region->laps),
        .step = step,
        .lane = (uint32_t)(number >> 32),
    };

    laps->once += take_once(laps);
    laps->times[INK__LAP_EXCLUSIVE] = laps->times[INK__LAP_PARALLEL] =
        laps->times[INK__LAP_ORDERED] = 0;
    count_task(laps, &task);
}

void ink__laps_stop(ink__laps *laps)
{
    if (laps == NULL)
        return;
    ink__laps_lap(laps, INK__LAP_ONCE);
    laps->once += take_once(laps) + laps->times[INK__LAP_EXCLUSIVE] +
                  laps->times[INK__LAP_PARALLEL] + laps->times[INK__LAP_ORDERED];
    laps->faults_all = since(ink__system_now()->thread_faults(), laps->faults);
}

/* ---- Regions ------------------------------------------------------------------------------ */

void ink__region_open(ink__region *region, const ink_job *job, const char *name, unsigned workers)
{
    ink_account *account = job == NULL ? NULL : job->account;

    region->account = account;
    if (account == NULL)
        return;
    *region = (ink__region){
        .account = account,
        .allocator = ink__allocator_or_heap(job->allocator),
        .name = name,
        .outer = account->open,
        .workers = workers,
    };
    (void)ink__allocate_zeroed(&region->allocator, (workers + 1) * sizeof *region->laps,
                               &region->laps, NULL);
    if (region->outer != NULL)
        return;
    if (region->laps != NULL && ink__mutex_open(&region->inner, NULL) != INK_OK) {
        ink__release(&region->allocator, region->laps, (workers + 1) * sizeof *region->laps);
        region->laps = NULL;
    }
    region->began = ink__system_now()->nanoseconds();
    region->serial = since(ink__system_now()->thread_nanoseconds(), account->since);
    region->serial_wall = account->since_wall == 0 ? 0 : since(region->began, account->since_wall);
    atomic_store(&region->zeroed, account->zeroed);
    account->zeroed = 0;
    account->open = region;
}

/* What the other threads of an inner region did are tasks of the outer one; what the first did is
 * in the task that opened it. */
static void close_inner(ink__region *region)
{
    ink__region *outer = region->outer;

    atomic_fetch_add(&outer->lost, atomic_load(&region->lost));
    if (region->laps == NULL || outer->laps == NULL)
        return;
    ink__mutex_lock(&outer->inner); /* another thread may add its tasks */
    ink__laps *to = &outer->laps[outer->workers];
    to->region = outer;
    for (unsigned i = 1; i <= region->workers; i++) {
        const ink__laps *laps = &region->laps[i];
        const ink_task   task = {.parallel = laps->cpu_all, .worker = i, .nested = 1};
        to->cpu_all += laps->cpu_all;
        to->waited_other += laps->waited_input + laps->waited_order + laps->waited_other;
        to->faults_all += laps->faults_all;
        to->lost += laps->lost;
        if (laps->worked)
            count_task(to, &task);
    }
    ink__mutex_unlock(&outer->inner);
}

static int compare_tasks(const void *left, const void *right)
{
    const ink_task *a = left, *b = right;

    if (a->nested != b->nested)
        return a->nested < b->nested ? -1 : 1;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void sum_up(const ink__region *region, ink_region *report)
{
    uint64_t worked = 0;

    for (unsigned i = 0; region->laps != NULL && i <= region->workers; i++) {
        const ink__laps *laps = &region->laps[i];
        report->workers += laps->worked;
        report->cpu += laps->cpu_all;
        report->exclusive += laps->exclusive;
        report->ordered += laps->ordered;
        report->once += laps->once;
        report->longest = laps->longest > report->longest ? laps->longest : report->longest;
        report->waited_input += laps->waited_input;
        report->waited_order += laps->waited_order;
        report->waited_other += laps->waited_other;
        report->bytes += laps->bytes;
        report->faults += laps->faults_all;
        report->task_count += laps->count;
        report->lost += laps->lost;
        worked += laps->worked == 0 ? 0
                                    : laps->cpu_all + laps->waited_input + laps->waited_order +
                                          laps->waited_other;
    }
    report->waited_end = since(report->workers * report->wall, worked);
}

/* Gathers the lists of the workers; what finds no room is lost. */
static void gather(const ink__region *region, ink_region *report, ink_task **tasks, uint64_t **once)
{
    uint64_t count = 0;

    for (unsigned i = 0; i <= region->workers; i++)
        count += region->laps[i].task_count;
    if (ink__allocate(&region->allocator, (count + 1) * sizeof **tasks, tasks, NULL) != INK_OK ||
        ink__allocate(&region->allocator, (region->workers + 1) * sizeof **once, once, NULL) !=
            INK_OK) {
        report->lost += count;
        ink__release(&region->allocator, *tasks, (count + 1) * sizeof **tasks);
        *tasks = NULL;
        return;
    }
    count = 0;
    for (unsigned i = 0; i <= region->workers; i++) {
        (*once)[i] = region->laps[i].once;
        for (uint64_t k = 0; k < region->laps[i].task_count; k++)
            (*tasks)[count++] = region->laps[i].tasks[k];
    }
    qsort(*tasks, (size_t)count, sizeof **tasks, compare_tasks);
    report->tasks = *tasks;
    report->listed = count;
    report->worker_once = *once;
}

static void close_outer(ink__region *region)
{
    ink_account *account = region->account;
    ink_region   report = {
          .name = region->name,
          .serial = region->serial,
          .serial_wall = region->serial_wall,
          .wall = since(ink__system_now()->nanoseconds(), region->began),
          .zeroed = atomic_load(&region->zeroed),
          .lost = atomic_load(&region->lost),
    };
    ink_task *tasks = NULL;
    uint64_t *once = NULL;

    account->open = NULL;
    sum_up(region, &report);
    if (region->laps != NULL && account->tasks != 0)
        gather(region, &report, &tasks, &once);
    if (account->region != NULL)
        account->region(account->host, &report);
    if (tasks != NULL) {
        ink__release(&region->allocator, tasks, (report.listed + 1) * sizeof *tasks);
        ink__release(&region->allocator, once, (region->workers + 1) * sizeof *once);
    }
    account->since_wall = ink__system_now()->nanoseconds();
    account->since = ink__system_now()->thread_nanoseconds();
}

void ink__region_close(ink__region *region)
{
    if (region->account == NULL)
        return;
    if (region->outer != NULL)
        close_inner(region);
    else
        close_outer(region);
    for (unsigned i = 0; region->laps != NULL && i <= region->workers; i++)
        ink__release(&region->allocator, region->laps[i].tasks, region->laps[i].task_bytes);
    if (region->outer == NULL && region->laps != NULL)
        ink__mutex_close(&region->inner);
    ink__release(&region->allocator, region->laps, (region->workers + 1) * sizeof *region->laps);
}

void ink__account_made(const ink_job *job, const ink_sketch *sketch)
{
    ink_description found;

    if (job->account == NULL)
        return;
    ink__region *region = job->account->open;
    ink_sketch_describe(sketch, &found);
    if (region == NULL)
        job->account->zeroed += found.bytes;
    else
        atomic_fetch_add(&region->zeroed, found.bytes);
}

/* ---- Threads as tasks --------------------------------------------------------------------- */

typedef struct accounted {
    ink__region region;
    void (*work)(void *host, unsigned number);
    void *host;
} accounted;

static void run_accounted(void *host, unsigned number)
{
    accounted *all = host;
    ink__laps *laps = ink__laps_start(&all->region, number);

    all->work(all->host, number);
    ink__lap_end(laps, INK__LAP_PARALLEL);
    ink__lap_task(laps, number, 0);
    ink__laps_stop(laps);
}

void ink__region_run(const ink_job *job, const char *name, unsigned count,
                     void (*work)(void *host, unsigned number), void *host)
{
    accounted all = {.work = work, .host = host};

    if (job == NULL || job->account == NULL) {
        ink__threads_run(count, work, host);
        return;
    }
    ink__region_open(&all.region, job, name, count);
    ink__threads_run(count, run_accounted, &all);
    ink__region_close(&all.region);
}

typedef struct steps {
    void (*step)(void *host, uint64_t number);
    void                *host;
    uint64_t             count;
    atomic_uint_fast64_t next;
} steps;

static void take_steps(void *host, unsigned thread)
{
    steps *all = host;

    (void)thread;
    for (uint64_t step; (step = atomic_fetch_add(&all->next, 1)) < all->count;)
        all->step(all->host, step);
}

void ink__region_each(const ink_job *job, const char *name, unsigned threads, uint64_t count,
                      void (*step)(void *host, uint64_t number), void *host)
{
    steps all = {.step = step, .host = host, .count = count};

    ink__region_run(threads > 1 ? job : NULL, name, threads, take_steps, &all);
}

static void lend(const void *lender, unsigned threads, uint64_t count,
                 void (*step)(void *host, uint64_t number), void *host)
{
    ink__region_each(lender, "files", threads, count, step, host);
}

ink__crew ink__crew_of(const ink_job *job, unsigned threads)
{
    return (ink__crew){threads == 0 ? 1 : threads, job, lend};
}
