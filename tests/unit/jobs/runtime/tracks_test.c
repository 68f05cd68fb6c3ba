/* tracks_test.c - each track takes every chunk once and in order, whatever the threads and however
 * they are delayed; a look sees each track between two steps; after a failure the chunks before it
 * are done and none after it. Run with SAN=tsan to see races. */
#define _DEFAULT_SOURCE 1
#include "jobs/runtime/tracks.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <unistd.h>

enum { WORKERS_MAX = 64, TRACKS_MAX = 9, CHUNKS = 400, OPENED_BY = 3, NONE = CHUNKS };

/* Tracks, and a feed as far as they need one. What a track writes is not locked. */
typedef struct course {
    ink__tracks *tracks;
    unsigned     track_count;
    uint64_t     failing; /* this chunk never comes */
    uint64_t     next[TRACKS_MAX];
    bool         wrong;
    uint64_t     sequence_of[WORKERS_MAX]; /* what each worker has */
    uint64_t     looked_from;
    unsigned     looks[TRACKS_MAX];

    ink__mutex mutex;
    uint64_t   sequence, committed, dropped;
} course;

/* Some threads are late, by chance. */
static void delay(uint64_t seed)
{
    if (records_below(&seed, 16) == 0)
        usleep((useconds_t)records_below(&seed, 200));
}

static void step(void *host, unsigned owner, unsigned track)
{
    course *all = host;

    delay(all->next[track] * TRACKS_MAX + track);
    if (all->sequence_of[owner] != all->next[track]++)
        all->wrong = true;
}

static void look(void *host, unsigned track, uint64_t next)
{
    course *all = host;

    delay(next * TRACKS_MAX + track + 1);
    all->looks[track]++;
    if (all->next[track] != next || next <= all->looked_from ||
        next > all->looked_from + WORKERS_MAX)
        all->wrong = true;
    for (uint64_t chunk = all->looked_from; chunk < next; chunk++)
        if (all->sequence_of[ink__tracks_owner(all->tracks, chunk)] != chunk)
            all->wrong = true;
}

/* In order. Some chunks look at the tracks. */
static void commit(course *all, unsigned worker, uint64_t sequence)
{
    if (sequence == OPENED_BY)
        ink__tracks_open(all->tracks, all->track_count, sequence + 1);
    if (sequence <= OPENED_BY || sequence % 7 != 0)
        return;
    memset(all->looks, 0, sizeof all->looks);
    all->looked_from = sequence;
    ink__tracks_look_at_all(all->tracks, worker, look);
    for (unsigned i = 0; i < all->track_count; i++)
        all->wrong = all->wrong || all->looks[i] != 1;
}

/* Waits for its turn, or for open tracks; false if the chunk that fails is before it. */
static bool await_turn(course *all, uint64_t sequence, bool or_open)
{
    ink__mutex_lock(&all->mutex);
    while (all->committed != sequence && sequence < all->failing &&
           !(or_open && ink__tracks_are_open(all->tracks)))
        ink__mutex_wait(&all->mutex);
    ink__mutex_unlock(&all->mutex);
    return sequence < all->failing;
}

static bool work_on(course *all, unsigned worker, uint64_t sequence)
{
    all->sequence_of[worker] = sequence;
    delay(sequence);
    if (sequence == all->failing) {
        ink__tracks_stop(all->tracks, sequence);
        return false;
    }
    if (!ink__tracks_are_open(all->tracks) && !await_turn(all, sequence, true))
        return false;
    if (ink__tracks_are_open(all->tracks) &&
        !ink__tracks_run(all->tracks, worker, sequence, 1 + (unsigned)sequence % 4))
        return false;
    if (!await_turn(all, sequence, false))
        return false;
    commit(all, worker, sequence);
    return true;
}

static void run(void *host, unsigned worker)
{
    course *all = host;
    bool    goes_on = true;

    while (goes_on) {
        ink__mutex_lock(&all->mutex);
        uint64_t sequence = all->sequence;
        all->sequence += sequence < CHUNKS;
        ink__mutex_unlock(&all->mutex);
        if (sequence == CHUNKS)
            return;
        goes_on = work_on(all, worker, sequence);
        ink__mutex_lock(&all->mutex);
        all->committed += goes_on;
        all->dropped += !goes_on;
        ink__mutex_wake_all(&all->mutex);
        ink__mutex_unlock(&all->mutex);
    }
}

static void check_course(unsigned workers, unsigned track_count, uint64_t failing)
{
    course        all = {.track_count = track_count, .failing = failing};
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_error     error;

    for (unsigned i = 0; i < track_count; i++)
        all.next[i] = OPENED_BY + 1;
    CHECK_OK(ink__mutex_open(&all.mutex, &error));
    CHECK_OK(ink__tracks_create(&all.tracks, workers, step, &all, &allocator, &error));
    ink__threads_run(workers, run, &all);
    ink__tracks_free(all.tracks);
    ink__mutex_close(&all.mutex);
    faults_check_no_leak(&memory);
    CHECK(!all.wrong);
    assert_int_equal(all.committed, failing);
    CHECK(failing == NONE ? all.dropped == 0 : all.dropped > 0);
    for (unsigned i = 0; i < track_count; i++)
        CHECK(all.next[i] == failing || failing <= OPENED_BY);
}

TEST(each_track_takes_every_chunk_once_and_in_order)
{
    static const unsigned workers[] = {1, 2, 3, 5, 16, WORKERS_MAX};

    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        for (unsigned tracks = 1; tracks <= TRACKS_MAX; tracks += 4)
            check_course(workers[i], tracks, NONE);
}

TEST(what_is_before_a_chunk_that_fails_is_done_and_nothing_after_it)
{
    static const uint64_t failing[] = {0, OPENED_BY, OPENED_BY + 1, 50, CHUNKS - 1};

    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++)
        for (unsigned workers = 1; workers <= WORKERS_MAX; workers *= 4)
            check_course(workers, TRACKS_MAX, failing[i]);
}

TEST(memory_that_is_refused_is_a_failure)
{
    faults_memory memory = {.refuse_at = 1};
    ink_allocator allocator = faults_allocator(&memory);
    ink__tracks  *tracks = NULL;
    ink_error     error;

    CHECK_FAILS(ink__tracks_create(&tracks, 2, step, NULL, &allocator, &error), INK_MEMORY, "");
    assert_null(tracks);
}

RUN_TESTS()
