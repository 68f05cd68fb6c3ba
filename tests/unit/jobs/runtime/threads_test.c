/* threads_test.c - each number is worked on once, mutexes let one thread in at a time, a condition
 * wakes all that wait, and where the system has no more threads the caller's own does the work. */
#define _GNU_SOURCE 1
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/threads.h"

#include "support/check.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

static ink_error error;

/* ---- Running ------------------------------------------------------------------------------ */

static struct {
    atomic_uint calls[INK__THREADS_MAX + 8];
    pthread_t   caller;
    atomic_bool number_0_elsewhere;
} ran;

static void note_call(void *host, unsigned number)
{
    CHECK(host == &ran && number < INK__THREADS_MAX + 8);
    atomic_fetch_add(&ran.calls[number], 1);
    if (number == 0 && !pthread_equal(pthread_self(), ran.caller))
        atomic_store(&ran.number_0_elsewhere, true);
}

static unsigned run_threads(unsigned count)
{
    unsigned called = 0;

    for (unsigned i = 0; i < INK__THREADS_MAX + 8; i++)
        atomic_store(&ran.calls[i], 0);
    ran.caller = pthread_self();
    ink__threads_run(count, note_call, &ran);
    while (called < INK__THREADS_MAX + 8 && atomic_load(&ran.calls[called]) == 1)
        called++;
    for (unsigned i = called; i < INK__THREADS_MAX + 8; i++)
        assert_int_equal(atomic_load(&ran.calls[i]), 0);
    assert_false(atomic_load(&ran.number_0_elsewhere));
    return called;
}

enum { STEPS = 5000 };
static atomic_uint steps_done[STEPS];

static void note_step(void *host, uint64_t number)
{
    CHECK(host == steps_done && number < STEPS);
    atomic_fetch_add(&steps_done[number], 1);
}

TEST(each_step_is_done_once_by_any_number_of_threads)
{
    for (unsigned threads = 1; threads <= 64; threads = 2 * threads + 1) {
        ink__region_each(NULL, NULL, threads, STEPS, note_step, steps_done);
        ink__region_each(NULL, NULL, threads, 0, note_step, steps_done);
        for (unsigned i = 0; i < STEPS; i++)
            assert_int_equal(atomic_exchange(&steps_done[i], 0), 1);
    }
}

TEST(each_number_is_called_once_and_number_0_here)
{
    for (unsigned count = 1; count <= 16; count++)
        assert_int_equal(run_threads(count), count);
}

TEST(there_are_never_more_than_the_most)
{
    if (getenv("INK_TEST_LIGHT") != NULL)
        return; /* valgrind has no room for them */
    unsigned called = run_threads(INK__THREADS_MAX + 5);
    assert_in_range(called, 1, INK__THREADS_MAX); /* the system may have fewer */
}

static void count_call(void *calls)
{
    ++*(unsigned *)calls;
}

TEST(where_threads_are_refused_this_one_does_the_work)
{
    pthread_attr_t attributes;
    size_t         before;

    if (getenv("INK_TEST_LIGHT") != NULL)
        return; /* an emulator would keep a table of that stack */
    assert_int_equal(pthread_getattr_default_np(&attributes), 0);
    assert_int_equal(pthread_attr_getstacksize(&attributes, &before), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)1 << 45), 0);
    assert_int_equal(pthread_setattr_default_np(&attributes), 0); /* no host has room for it */
    unsigned    called = run_threads(8);
    ink__thread one;
    unsigned    one_called = 0;
    ink_status  status = ink__thread_start(&one, count_call, &one_called, &error);
    ink__thread_join(&one);
    assert_int_equal(pthread_attr_setstacksize(&attributes, before), 0);
    assert_int_equal(pthread_setattr_default_np(&attributes), 0);
    pthread_attr_destroy(&attributes);
    assert_int_equal(called, 1);
    assert_int_equal(run_threads(8), 8);
    CHECK_FAILS(status, INK_LIMIT, "cannot start a thread, for lack of memory or threads");
    CHECK(error.os_error == EAGAIN || error.os_error == ENOMEM);
    assert_int_equal(one_called, 0);
    CHECK_OK(ink__thread_start(&one, count_call, &one_called, &error));
    ink__thread_join(&one);
    ink__thread_join(&one);
    assert_int_equal(one_called, 1);
}

/* ---- Gates -------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 5000 };

typedef struct shared {
    ink__mutex mutex;
    uint64_t   count; /* not atomic: the mutex must do */
    unsigned   commit, pending, inside;
    bool       open, two_inside;
} shared;

/* What `work` leaves, done by all threads at once. A lost wakeup would wait for ever. */
static shared share(void (*work)(void *host, unsigned number))
{
    shared all = {.count = 0};

    alarm(60);
    CHECK_OK(ink__mutex_open(&all.mutex, &error));
    ink__threads_run(THREADS, work, &all);
    ink__mutex_close(&all.mutex);
    alarm(0);
    return all;
}

static void count_up(void *host, unsigned number)
{
    shared *all = host;

    for (int i = 0; i < ROUNDS; i++) {
        ink__mutex_lock(&all->mutex);
        all->two_inside = all->two_inside || all->inside++ != 0;
        all->count++;
        all->inside--;
        ink__mutex_unlock(&all->mutex);
    }
}

TEST(a_gate_lets_one_in_at_a_time)
{
    shared all = share(count_up);

    assert_int_equal(all.count, THREADS * ROUNDS);
    assert_false(all.two_inside);
}

static void take_turns(void *host, unsigned number)
{
    shared *all = host;

    for (unsigned i = 0; i < 200; i++) {
        ink__mutex_lock(&all->mutex);
        while (all->commit != i * THREADS + number)
            ink__mutex_wait(&all->mutex);
        all->commit++;
        ink__mutex_wake_all(&all->mutex);
        ink__mutex_unlock(&all->mutex);
    }
}

TEST(threads_wait_for_their_turn)
{
    assert_int_equal(share(take_turns).commit, 200 * THREADS);
}

static void wait_for_all(void *host, unsigned number)
{
    shared *all = host;

    ink__mutex_lock(&all->mutex);
    if (number == 0) {
        while (all->pending < THREADS - 1) { /* until the others wait inside */
            ink__mutex_unlock(&all->mutex);
            usleep(100);
            ink__mutex_lock(&all->mutex);
        }
        all->open = true;
        ink__mutex_wake_all(&all->mutex); /* once */
    } else {
        all->pending++;
        while (!all->open)
            ink__mutex_wait(&all->mutex);
        all->count++;
    }
    ink__mutex_unlock(&all->mutex);
}

TEST(one_ring_wakes_all)
{
    assert_int_equal(share(wait_for_all).count, THREADS - 1);
}

RUN_TESTS()
