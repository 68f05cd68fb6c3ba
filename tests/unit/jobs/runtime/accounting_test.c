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
#include "support/owned.h"

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
static uint64_t               passed; /* on the clock of all threads, where one alone works */
static uint64_t               pages;
static atomic_uint            clocks_read;

static uint64_t clock_of_thread(void)
{
    atomic_fetch_add(&clocks_read, 1);
    return spent;
}

static uint64_t clock_of_all(void)
{
    return passed;
}

static uint64_t pages_of_thread(void)
{
    return pages;
}

static void use_clocks_of(uint64_t (*faults)(void), uint64_t (*nanoseconds)(void))
{
    static ink__system system;

    system = ink__posix;
    system.thread_nanoseconds = clock_of_thread;
    system.thread_faults = faults;
    system.nanoseconds = nanoseconds;
    ink__system_replace(&system);
    atomic_store(&clocks_read, 0);
}

static void use_clocks(void)
{
    use_clocks_of(clock_of_thread, ink__posix.nanoseconds);
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

static void take_step(void *host, uint64_t number)
{
    (void)host;
    (void)number;
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

/* ---- Waiting, pages and sketches ---------------------------------------------------------- */

/* What a worker does and waits for before each of its laps ends, and where that is counted. */
enum { INPUT, ORDER, OTHER, WAITS };
static const struct {
    ink__lap lap;
    unsigned used, waited, counted;
} laps_of_a_task[] = {
    {INK__LAP_ONCE, 1, 1000, OTHER},       {INK__LAP_INPUT, 2, 2000, INPUT},
    {INK__LAP_EXCLUSIVE, 10, 4000, INPUT}, {INK__LAP_PARALLEL, 20, 8000, OTHER},
    {INK__LAP_ORDER, 4, 16000, ORDER},     {INK__LAP_ORDERED, 40, 32000, OTHER},
};
enum { SERIAL = 5, OUTSIDE = 300, LAST = 70, PAGES = 3, WIDE = 2 };

/* A task of worker 0 of this region; worker 1 never starts. */
static void do_laps(ink__region *region, uint64_t waited[WAITS])
{
    ink__laps *laps = ink__laps_start(region, 0);

    assert_non_null(laps);
    for (size_t i = 0; i < sizeof laps_of_a_task / sizeof *laps_of_a_task; i++) {
        spent += laps_of_a_task[i].used;
        passed += laps_of_a_task[i].used + laps_of_a_task[i].waited;
        waited[laps_of_a_task[i].counted] += laps_of_a_task[i].waited;
        ink__lap_end(laps, laps_of_a_task[i].lap);
    }
    pages += PAGES;
    ink__lap_task(laps, 0, 0);
    ink__laps_stop(laps);
}

TEST(each_wait_is_counted_by_what_it_was_for)
{
    ink_account account = account_here();
    ink_job     job = {.account = &account};

    use_clocks_of(pages_of_thread, clock_of_all);
    pages = passed = 1000;
    for (unsigned round = 0; round < 3; round++) {
        ink__region region;
        uint64_t    waited[WAITS] = {0};

        spent += SERIAL;
        passed += OUTSIDE;
        ink__region_open(&region, &job, "filling", WIDE);
        do_laps(&region, waited);
        passed += LAST;
        ink__region_close(&region);
        assert_int_equal(seen.last.workers, 1);
        assert_int_equal(seen.last.serial, SERIAL);
        /* Before the first one nothing says when the caller began. */
        assert_int_equal(seen.last.serial_wall, round == 0 ? 0 : OUTSIDE);
        assert_int_equal(seen.last.waited_input, waited[INPUT]);
        assert_int_equal(seen.last.waited_order, waited[ORDER]);
        assert_int_equal(seen.last.waited_other, waited[OTHER]);
        assert_int_equal(seen.last.waited_end, LAST);
        assert_int_equal(seen.last.exclusive, 10);
        assert_int_equal(seen.last.ordered, 40);
        assert_int_equal(seen.last.once, 1 + 2 + 4);
        assert_int_equal(seen.last.longest, 10 + 20 + 40);
        assert_int_equal(seen.last.faults, PAGES);
        assert_int_equal(seen.last.lost, 0);
    }
    ink__system_replace(NULL);
}

TEST(what_others_of_an_inner_region_wait_for_is_waited_for_in_the_outer_one)
{
    ink_account account = account_here();
    ink_job     job = {.account = &account};
    ink__region outer, inner;

    use_clocks_of(pages_of_thread, clock_of_all);
    ink__region_open(&outer, &job, "filling", 1);
    ink__laps *mine = ink__laps_start(&outer, 0);
    ink__region_open(&inner, &job, "inside", WIDE + 1);
    assert_null(ink__laps_start(&inner, WIDE + 1));   /* there is no such worker */
    ink__laps *other = ink__laps_start(&inner, WIDE); /* the only one of the others */
    spent += INNER_TIME;
    passed += INNER_TIME + OUTSIDE;
    pages += PAGES;
    ink__lap_end(other, INK__LAP_ORDER);
    ink__laps_stop(other);
    ink__region_close(&inner);
    ink__lap_end(mine, INK__LAP_PARALLEL);
    ink__lap_task(mine, 0, 0);
    ink__laps_stop(mine);
    ink__region_close(&outer);
    ink__system_replace(NULL);
    assert_int_equal(seen.regions, 1);
    assert_int_equal(seen.last.workers, 1);
    /* Both clocks have gone on by all of it. */
    assert_int_equal(seen.last.task_count, 2);
    assert_int_equal(seen.last.cpu, 2 * INNER_TIME);
    assert_int_equal(seen.last.longest, INNER_TIME);
    assert_int_equal(seen.last.waited_other, 2 * OUTSIDE);
    assert_int_equal(seen.last.waited_order, 0);
    assert_int_equal(seen.last.faults, 2 * PAGES);
    assert_int_equal(seen.last.lost, 1);
    CHECK(seen.tasks[1].nested == 1 && seen.tasks[1].worker == WIDE);
}

TEST(what_inner_regions_lose_adds_up)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_account   account = account_here();
    ink_job       job = {.account = &account, .allocator = &allocator};
    ink__region   outer;

    ink__region_open(&outer, &job, "filling", 1);
    memory.refuse_at = memory.asked + 1;
    memory.refuse_after = true;
    for (unsigned i = 0; i < 2; i++)
        ink__region_run(&job, "inside", INNER, work_inside, NULL);
    memory.refuse_at = 0;
    ink__region_close(&outer);
    assert_int_equal(seen.last.lost, 2 * INNER);
    faults_check_no_leak(&memory);
}

TEST(a_list_of_tasks_that_finds_no_room_is_lost_as_a_whole)
{
    for (unsigned nth = 1; nth < 4; nth++) {
        faults_memory memory = {0};
        ink_allocator allocator = faults_allocator(&memory);
        ink_account   account = account_here();
        ink_job       job = {.account = &account, .allocator = &allocator};
        ink__region   region;
        const bool    refused = nth < 3; /* the tasks, or what each worker did once */

        ink__region_open(&region, &job, "filling", 1);
        ink__laps *laps = ink__laps_start(&region, 0);
        for (unsigned i = 0; i < TASKS; i++)
            ink__lap_task(laps, i, 0);
        ink__laps_stop(laps);
        memory.refuse_at = memory.asked + nth;
        ink__region_close(&region);
        assert_int_equal(seen.last.task_count, TASKS);
        assert_int_equal(seen.last.listed, refused ? 0 : TASKS);
        assert_int_equal(seen.last.lost, refused ? TASKS : 0);
        faults_check_no_leak(&memory);
    }
}

TEST(bytes_of_sketches_are_counted_in_the_region_after_they_were_made_or_in_theirs)
{
    ink_account     account = account_here();
    ink_job         job = {.account = &account};
    owned_sketch   *sketch = NULL;
    ink_description made;
    ink__region     region;

    CHECK_OK(ink_sketch_create(&sketch, &(ink_params){.kind = "bloom", .expected_keys = 1000}, NULL,
                               &error));
    ink_sketch_describe(sketch, &made);
    CHECK(made.bytes > 0);
    for (unsigned before = 0; before < 3; before++)
        for (unsigned within = 0; within < 3; within++) {
            for (unsigned i = 0; i < before; i++)
                ink__account_made(&job, sketch);
            ink__region_open(&region, &job, "filling", 1);
            for (unsigned i = 0; i < within; i++)
                ink__account_made(&job, sketch);
            ink__region_close(&region);
            assert_int_equal(seen.last.zeroed, (before + within) * made.bytes);
        }
}

TEST(one_thread_that_takes_all_steps_is_no_region)
{
    ink_account account = account_here();
    ink_job     job = {.account = &account};

    for (unsigned threads = 1; threads < 3; threads++) {
        ink__region_each(&job, "inside", threads, TASKS, take_step, NULL);
        assert_int_equal(seen.regions, threads - 1);
    }
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
