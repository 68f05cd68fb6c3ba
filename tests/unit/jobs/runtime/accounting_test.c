/* accounting_test.c - every nanosecond of a thread is in one task, or is once or serial, for any
 * number of threads; nested regions, failures and refused memory lose nothing else; without an
 * account no clock is read. Threads have clocks that only the test moves. */
#include "base/status.h"
#include "base/system.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/tasks.h"

#include "support/check.h"
#include "support/faults.h"

#include <stdatomic.h>
#include <string.h>

enum {
    TASKS = 200,
    TASK_TIME = 100,
    INNER = 3,
    INNER_TIME = 10,
    ROW_TIME = 10,
    COMMIT_TIME = 1000
};
enum { LINES = 500, TEXT_BYTES = LINES * 4, LISTED_MAX = TEXT_BYTES };

static const unsigned thread_counts[] = {1, 2, 3, 8, 64};

static ink_error error;

/* ---- Clocks ------------------------------------------------------------------------------- */

static _Thread_local uint64_t spent;
static atomic_uint            clocks_read;

static uint64_t clock_of_thread(void)
{
    atomic_fetch_add(&clocks_read, 1);
    return spent;
}

static void use_clocks(void)
{
    static ink__system system;

    system = ink__posix;
    system.thread_nanoseconds = system.thread_faults = clock_of_thread;
    ink__system_replace(&system);
    atomic_store(&clocks_read, 0);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static struct {
    unsigned   regions;
    ink_region last;
    ink_task   tasks[LISTED_MAX];
    uint64_t   parts; /* all parts of tasks, and what was done once */
} seen;

static void see(void *host, const ink_region *region)
{
    assert_ptr_equal(host, &seen);
    seen.regions++;
    seen.last = *region;
    seen.parts = 0;
    CHECK(region->listed <= LISTED_MAX);
    for (uint64_t i = 0; i < region->listed; i++) {
        seen.tasks[i] = region->tasks[i];
        seen.parts +=
            region->tasks[i].exclusive + region->tasks[i].parallel + region->tasks[i].ordered;
    }
    for (uint64_t i = 0; region->worker_once != NULL && i < region->workers; i++)
        seen.parts += region->worker_once[i];
}

static ink_account account_here(void)
{
    memset(&seen, 0, sizeof seen);
    return (ink_account){.region = see, .host = &seen, .tasks = 1, .since = spent};
}

/* ---- Tasks -------------------------------------------------------------------------------- */

typedef struct working {
    const ink_job *job;
    uint64_t       fails_at; /* UINT64_MAX: none */
    bool           nests;
} working;

static void work_inside(void *host, unsigned number)
{
    (void)host;
    (void)number;
    spent += INNER_TIME;
}

static ink_status work(void *host, unsigned worker, uint64_t task, ink_error *failure)
{
    const working *all = host;

    (void)worker;
    spent += TASK_TIME + task;
    if (all->nests)
        ink__region_run(all->job, "inside", INNER, work_inside, NULL);
    if (task == all->fails_at)
        return ink__fail(failure, INK_FORMAT, INK_NOWHERE, 0, "task %d", (int)task);
    return INK_OK;
}

static ink_status run_tasks(working *all, ink_job *job, unsigned threads)
{
    ink__tasks tasks = ink__tasks_of(job, 0, INK_PHASE_FILLING, TASKS, work, all);

    all->job = job;
    use_clocks();
    ink_status status = ink__tasks_run(&tasks, threads, &error);
    ink__system_replace(NULL);
    return status;
}

TEST(each_task_has_the_time_of_its_thread)
{
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
        ink_account account = account_here();
        ink_job     job = {.account = &account};
        working     all = {.fails_at = UINT64_MAX};

        spent += 7;
        CHECK_OK(run_tasks(&all, &job, thread_counts[t]));
        assert_int_equal(seen.regions, 1);
        assert_string_equal(seen.last.name, "filling");
        assert_int_equal(seen.last.serial, 7);
        assert_int_equal(seen.last.task_count, TASKS);
        assert_int_equal(seen.last.listed, TASKS);
        assert_int_equal(seen.last.cpu, TASKS * TASK_TIME + TASKS * (TASKS - 1) / 2);
        assert_int_equal(seen.parts, seen.last.cpu);
        assert_int_equal(seen.last.longest, TASK_TIME + TASKS - 1);
        for (uint64_t i = 0; i < TASKS; i++) {
            assert_int_equal(seen.tasks[i].number, i);
            assert_int_equal(seen.tasks[i].parallel, TASK_TIME + i);
        }
        CHECK(seen.last.workers <= thread_counts[t] && account.open == NULL);
    }
}

TEST(a_region_inside_a_task_is_part_of_the_outer_one)
{
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts; t++) {
        ink_account account = account_here();
        ink_job     job = {.account = &account};
        working     all = {.fails_at = UINT64_MAX, .nests = true};

        CHECK_OK(run_tasks(&all, &job, thread_counts[t]));
        assert_int_equal(seen.regions, 1);
        assert_int_equal(seen.last.task_count, TASKS * INNER);
        assert_int_equal(seen.last.cpu,
                         TASKS * (TASK_TIME + INNER * INNER_TIME) + TASKS * (TASKS - 1) / 2);
        assert_int_equal(seen.parts, seen.last.cpu);
        for (uint64_t i = 0; i < seen.last.listed; i++) {
            assert_int_equal(seen.tasks[i].nested, i >= TASKS);
            assert_int_equal(seen.tasks[i].parallel,
                             i < TASKS ? TASK_TIME + INNER_TIME + i : INNER_TIME);
        }
    }
}

TEST(a_region_that_fails_is_reported)
{
    ink_account account = account_here();
    ink_job     job = {.account = &account};
    working     all = {.fails_at = TASKS / 2};

    assert_int_equal(run_tasks(&all, &job, 4), INK_FORMAT);
    assert_int_equal(seen.regions, 1);
    /* The others may have done all before the failure is noted. */
    CHECK(seen.last.task_count > TASKS / 2 && seen.last.task_count <= TASKS);
    CHECK(account.open == NULL);
    assert_int_equal(seen.parts, seen.last.cpu);
}

TEST(without_an_account_no_clock_is_read)
{
    ink_job job = {.threads = 2};
    working all = {.fails_at = UINT64_MAX, .nests = true};

    CHECK_OK(run_tasks(&all, &job, 2));
    assert_int_equal(atomic_load(&clocks_read), 0);
}

TEST(refused_memory_loses_tasks_of_the_account_and_nothing_else)
{
    unsigned refusals = 0;

    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        ink_account   account = account_here();
        ink_job       job = {.account = &account, .allocator = &allocator};
        working       all = {.fails_at = UINT64_MAX, .nests = true};

        const uint64_t before = spent;
        CHECK_OK(run_tasks(&all, &job, 1));
        assert_int_equal(spent - before,
                         TASKS * (TASK_TIME + INNER_TIME) + TASKS * (TASKS - 1) / 2);
        assert_int_equal(seen.regions, 1);
        assert_int_equal(seen.last.lost > 0, memory.refused > 0);
        refusals += memory.refused > 0;
        if (refusals > 40)
            break; /* the inner regions are all alike */
    }
    CHECK(refusals > 10);
}

TEST(tasks_stand_in_the_order_of_steps_and_lanes)
{
    ink_account account = account_here();
    ink_job     job = {.account = &account};
    ink__region region;

    use_clocks();
    ink__region_open(&region, &job, "filling", 1);
    ink__laps *laps = ink__laps_start(&region, 0);
    for (unsigned i = 0; i < 8; i++) {
        spent += 1 + i;
        ink__lap_end(laps, INK__LAP_PARALLEL);
        if (i % 2 == 0)
            ink__lap_step(laps, (i + 2) % 4, 7 - i);
        else
            ink__lap_task(laps, ((uint64_t)(i + 2) % 4 << 32) + i, 0);
    }
    ink__laps_stop(laps);
    ink__region_close(&region);
    ink__system_replace(NULL);
    assert_int_equal(seen.last.listed, 8);
    for (unsigned i = 1; i < 8; i++) {
        const ink_task *a = &seen.tasks[i - 1], *b = &seen.tasks[i];
        CHECK(a->step < b->step || (a->step == b->step && a->number < b->number));
        CHECK(b->lane == b->number >> 32);
    }
    assert_int_equal(seen.tasks[7].step, 2);
    assert_int_equal(seen.tasks[5].lane, 3);
    assert_int_equal(seen.parts, 36);
}

/* ---- Records ------------------------------------------------------------------------------ */

static ink_status take(void *host, unsigned worker, const ink__feed_rows *rows, ink_error *failure)
{
    (void)host;
    (void)worker;
    (void)failure;
    spent += ROW_TIME * rows->rows->count;
    return INK_OK;
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *rows,
                         ink_error *failure)
{
    (void)host;
    (void)worker;
    (void)rows;
    (void)failure;
    spent += COMMIT_TIME;
    return INK_OK;
}

TEST(a_chunk_is_a_task_with_a_parallel_and_an_ordered_part)
{
    static const uint64_t chunk_sizes[] = {8, 40, 0};
    static char           text[TEXT_BYTES];

    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 4 * i, "key\n", 4);
    const ink_input   input = {.memory = (const uint8_t *)text, .memory_bytes = TEXT_BYTES};
    const ink_reading reading = {.form = INK_FORM_LINES};
    for (size_t t = 0; t < sizeof thread_counts / sizeof *thread_counts * 3; t++) {
        ink_account account = account_here();
        ink_job     job = {.account = &account,
                           .threads = thread_counts[t / 3],
                           .chunk_bytes = chunk_sizes[t % 3]};
        ink__feed   feed = {.inputs = &input,
                            .input_count = 1,
                            .reading = &reading,
                            .take = take,
                            .commit = commit};

        use_clocks();
        feed.workers = ink__feed_workers(&feed, &job);
        ink_status status = ink__feed_run(&feed, &job, 0, &error);
        ink__system_replace(NULL);
        CHECK_OK(status);
        const uint64_t chunks = seen.last.task_count;
        CHECK(seen.regions == 1 && chunks >= (chunk_sizes[t % 3] == 8 ? LINES / 4 : 1));
        assert_string_equal(seen.last.name, "reading");
        assert_int_equal(seen.last.bytes, TEXT_BYTES);
        assert_int_equal(seen.last.ordered, chunks * COMMIT_TIME);
        assert_int_equal(seen.last.cpu, chunks * COMMIT_TIME + LINES * ROW_TIME);
        assert_int_equal(seen.parts, seen.last.cpu);
        for (uint64_t i = 0; i < chunks; i++) {
            assert_int_equal(seen.tasks[i].number, i);
            assert_int_equal(seen.tasks[i].parallel, seen.tasks[i].bytes / 4 * ROW_TIME);
            assert_int_equal(seen.tasks[i].ordered, COMMIT_TIME);
        }
    }
}

RUN_TESTS()
