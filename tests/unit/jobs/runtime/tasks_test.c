/* tasks_test.c - every task is done once, by any number of threads, and no step begins before the
 * one before has ended; the failure of the lowest number or the caller ends them. */
#include "base/status.h"
#include "jobs/runtime/tasks.h"

#include "support/check.h"

#include <sched.h>
#include <stdatomic.h>

enum { TASKS = 1000, FAILING = 300 };

typedef struct counting {
    atomic_uint done[TASKS];
    atomic_uint sum, failed;
    bool        fails;
    unsigned    late; /* this many failures come before that of the lowest number */
} counting;

static ink_status count(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    counting *all = host;

    CHECK(worker < 4 && task < TASKS);
    atomic_fetch_add(&all->done[task], 1);
    atomic_fetch_add(&all->sum, 1);
    if (!all->fails || task < FAILING)
        return INK_OK;
    while (task == FAILING && atomic_load(&all->failed) < all->late)
        sched_yield();
    ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "task %u", (unsigned)task);
    atomic_fetch_add(&all->failed, 1);
    return INK_FORMAT;
}

static ink_status run(counting *all, const ink_job *job, unsigned threads, ink_error *error)
{
    ink__tasks tasks = {
        .host = all,
        .run = count,
        .count = TASKS,
        .job = job,
        .phase = INK_PHASE_FILLING,
        .total = TASKS,
    };

    return ink__tasks_run(&tasks, threads, error);
}

TEST(every_task_is_done_once)
{
    const ink_job job = {.threads = 1};
    ink_error     error;

    for (unsigned threads = 1; threads <= 4; threads++) {
        counting all = {.fails = false};
        CHECK_OK(run(&all, &job, threads, &error));
        for (unsigned i = 0; i < TASKS; i++)
            assert_int_equal(atomic_load(&all.done[i]), 1);
    }
}

TEST(the_failure_of_the_lowest_number_ends_them)
{
    const ink_job job = {.threads = 1};
    ink_error     error;

    for (unsigned threads = 1; threads <= 4; threads++) {
        counting all = {.fails = true, .late = threads > 1};
        assert_int_equal(run(&all, &job, threads, &error), INK_FORMAT);
        assert_string_equal(error.message, "task 300");
        CHECK(atomic_load(&all.sum) > FAILING && atomic_load(&all.sum) <= FAILING + threads);
        assert_int_equal(run(&all, &job, threads, NULL), INK_FORMAT);
    }
}

static bool refuse(void *host, const ink_progress *progress)
{
    *(ink_progress *)host = *progress;
    return false;
}

TEST(a_caller_may_want_no_more)
{
    ink_progress  seen;
    const ink_job job = {.threads = 1, .records = 7, .progress = refuse, .host = &seen};
    counting      all = {.fails = false};
    ink_error     error;

    assert_int_equal(run(&all, &job, 1, &error), INK_STOPPED);
    CHECK(atomic_load(&all.sum) == 0 && seen.phase == INK_PHASE_FILLING && seen.done == 0);
    CHECK(seen.total == TASKS && seen.records == 7);
}

TEST(tasks_of_earlier_runs_are_part_of_the_progress)
{
    ink_progress  seen;
    const ink_job job = {.threads = 1, .progress = refuse, .host = &seen};
    counting      all = {.fails = false};
    ink_error     error;
    ink__tasks    tasks = ink__tasks_of(&job, 0, INK_PHASE_FILLING, TASKS, count, &all);

    tasks.before = 70;
    tasks.total = 70 + TASKS;
    assert_int_equal(ink__tasks_run(&tasks, 1, &error), INK_STOPPED);
    CHECK(seen.done == 70 && seen.total == 70 + TASKS);
}

TEST(short_tasks_are_not_stopped)
{
    ink_progress  seen;
    const ink_job job = {.threads = 4, .progress = refuse, .host = &seen};
    counting      all = {.fails = false};
    ink_error     error;

    CHECK_OK(ink__tasks_short(&job, "merging", TASKS, count, &all, &error));
    CHECK_OK(ink__tasks_short(&job, "merging", 0, count, &all, &error));
    assert_int_equal(atomic_load(&all.sum), TASKS);
}

static void see_region(void *host, const ink_region *region)
{
    *(ink_region *)host = *region;
}

TEST(short_tasks_have_a_region_with_their_name_and_no_more_workers_than_tasks)
{
    ink_region    seen = {.name = NULL};
    ink_account   account = {.region = see_region, .host = &seen};
    const ink_job job = {.threads = 4, .account = &account};
    counting      all = {.fails = false};
    ink_error     error;

    CHECK_OK(ink__tasks_short(&job, "merging", 1, count, &all, &error));
    assert_string_equal(seen.name, "merging");
    CHECK(seen.workers == 1 && seen.task_count == 1);
}

/* ---- In order ----------------------------------------------------------------------------- */

typedef struct ordered {
    uint64_t prepared, committed; /* no lock: one thread at a time */
    unsigned of[64];              /* the task that each worker has */
    uint64_t fails_at;
    bool     in_prepare;
} ordered;

static ink_status prepare(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    ordered *all = host;

    CHECK(all->prepared++ == task);
    all->of[worker] = (unsigned)task;
    if (all->in_prepare && task == all->fails_at)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "prepare");
    return INK_OK;
}

static ink_status delay(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const ordered    *all = host;
    volatile unsigned spin = (unsigned)(task * 2654435761u >> 20) % 4096;

    (void)error;
    CHECK(all->of[worker] == task);
    while (spin > 0)
        spin--;
    return INK_OK;
}

static ink_status commit(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    ordered *all = host;

    CHECK(all->of[worker] == task && all->committed == task);
    if (!all->in_prepare && task == all->fails_at)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "commit");
    all->committed++;
    return INK_OK;
}

TEST(tasks_are_prepared_and_committed_in_order)
{
    static const unsigned threads[] = {1, 2, 3, 16, 64};
    const ink_job         job = {.threads = 1};

    for (unsigned t = 0; t < sizeof threads / sizeof *threads; t++)
        for (unsigned fails = 0; fails < 3; fails++) {
            ordered    all = {.in_prepare = fails == 1, .fails_at = fails == 0 ? TASKS : FAILING};
            ink__tasks tasks = ink__tasks_of(&job, 0, INK_PHASE_FILLING, TASKS, delay, &all);
            ink_error  error;
            tasks.prepare = prepare;
            tasks.commit = commit;
            if (fails == 0) {
                CHECK_OK(ink__tasks_run(&tasks, threads[t], &error));
                CHECK(all.prepared == TASKS && all.committed == TASKS);
                continue;
            }
            assert_int_equal(ink__tasks_run(&tasks, threads[t], &error), INK_LIMIT);
            assert_string_equal(error.message, all.in_prepare ? "prepare" : "commit");
            CHECK(all.committed == FAILING);
        }
}

/* Task 0 runs until the last one has failed in `prepare`; all others wait for their commits then.
 */
enum { WAITING = 8 };

static ink_status fail_last(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    (void)worker;
    if (task < WAITING - 1)
        return INK_OK;
    atomic_store((atomic_bool *)host, true);
    return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "prepare");
}

static ink_status run_first(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    (void)worker;
    (void)error;
    while (task == 0 && !atomic_load((atomic_bool *)host))
        sched_yield();
    return INK_OK;
}

static ink_status commit_none(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    (void)host;
    (void)worker;
    (void)task;
    (void)error;
    return INK_OK;
}

TEST(a_failure_before_a_task_ends_those_that_wait_for_their_commit)
{
    const ink_job job = {.threads = 1};

    for (unsigned i = 0; i < 100; i++) {
        atomic_bool failed = false;
        ink__tasks  tasks = ink__tasks_of(&job, 0, INK_PHASE_FILLING, WAITING, run_first, &failed);
        ink_error   error;
        tasks.prepare = fail_last;
        tasks.commit = commit_none;
        assert_int_equal(ink__tasks_run(&tasks, WAITING, &error), INK_LIMIT);
        assert_string_equal(error.message, "prepare");
    }
}

/* ---- In steps ----------------------------------------------------------------------------- */

enum { STEPS = 40, MOST = 7 };

typedef struct stepping {
    ink__steps  steps;
    unsigned    step, count;
    atomic_uint done[STEPS + 1];
    unsigned    stop_at; /* a step; STEPS: none */
    unsigned    absent;  /* threads from this number on never come */
} stepping;

/* 1, 2, ... MOST, 1, ... tasks. */
static unsigned next_step(void *host)
{
    stepping *all = host;

    CHECK(atomic_load(&all->done[all->step]) == all->count);
    all->count = ++all->step < STEPS ? 1 + all->step % MOST : 0;
    return all->count;
}

static void step(void *host, unsigned number)
{
    stepping *all = host;
    unsigned  task;

    if (number >= all->absent)
        return;
    while (ink__steps_take(&all->steps, &task)) {
        CHECK(task < all->count);
        if (all->step == all->stop_at)
            ink__steps_stop(&all->steps);
        atomic_fetch_add(&all->done[all->step], 1);
        ink__steps_end(&all->steps);
    }
}

TEST(steps_follow_each_other_for_any_number_of_threads)
{
    static const unsigned threads[] = {1, 2, 3, 16, 64};
    ink_error             error;

    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (int some = 0; some < 2; some++) {
            stepping all = {.count = 1, .stop_at = STEPS, .absent = some ? 1 : threads[t]};
            CHECK_OK(ink__steps_open(&all.steps, 1, next_step, &all, &error));
            assert_true(ink__steps_left(&all.steps, 0));
            assert_false(ink__steps_left(&all.steps, 1));
            ink__threads_run(threads[t], step, &all);
            assert_true(ink__steps_close(&all.steps));
            for (unsigned i = 0; i < STEPS; i++)
                assert_int_equal(atomic_load(&all.done[i]), 1 + i % MOST);
        }
}

TEST(a_stop_ends_all_steps)
{
    ink_error error;

    static const unsigned stops[] = {3, MOST}; /* the latter has one task, which is its last */

    for (unsigned i = 0; i < 2; i++)
        for (unsigned threads = 1; threads <= 16; threads += 5) {
            stepping all = {.count = 1, .stop_at = stops[i], .absent = threads};
            CHECK_OK(ink__steps_open(&all.steps, 1, next_step, &all, &error));
            ink__threads_run(threads, step, &all);
            assert_false(ink__steps_close(&all.steps));
            assert_int_equal(all.step, stops[i]);
        }
}

RUN_TESTS()
