/* concurrency_test.c - one path, several threads and processes: who opens it while others save to
 * it has a whole file, who saves last has it, and a process that is forked beside threads at work
 * can build and save as if there had been none. Run with SAN=tsan to see races. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"
#include "support/sanitizer.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATES = 4, SAVES = 40, FORKS = 40 };

static const ink_params params = {.kind = "bloom", .expected_keys = 20000};

/* What may stand at the path: sketches of different keys, and their digests. */
static ink_sketch *states[STATES];
static uint8_t     digests[STATES][INK_DIGEST_BYTES];

static int make_states(void **state)
{
    ink_error error;

    (void)state;
    for (unsigned i = 0; i < STATES; i++) {
        states[i] = files_sketch(&params, i * UINT64_C(5000), 5000, NULL);
        CHECK_OK(ink_sketch_digest(states[i], digests[i], &error));
    }
    return 0;
}

static int free_states(void **state)
{
    (void)state;
    for (unsigned i = 0; i < STATES; i++)
        ink_sketch_free(states[i]);
    return 0;
}

/* Which of the states a file is; STATES: none, or no whole file. */
static unsigned state_of(const ink_file *file)
{
    uint8_t       digest[INK_DIGEST_BYTES];
    owned_sketch *sketch = NULL;
    unsigned      which = 0;

    if (ink_file_sketch(file, 0, &sketch, NULL) != INK_OK)
        return STATES;
    if (ink_sketch_digest(sketch, digest, NULL) != INK_OK)
        which = STATES;
    while (which < STATES && memcmp(digest, digests[which], sizeof digest) != 0)
        which++;
    return which;
}

static unsigned state_at(const char *path, unsigned flags)
{
    ink_file *file;

    if (ink_file_open(&file, path, flags, NULL, NULL) != INK_OK)
        return STATES;
    unsigned which = state_of(file);
    ink_file_close(file);
    return which;
}

/* ---- Threads ------------------------------------------------------------------------------ */

static atomic_uint saving;

/* Saves its state so often; returns what failed, or NULL. */
static void *save_often(void *host)
{
    const ink_sketch *mine = host;
    const char       *failed = NULL;

    for (int i = 0; i < SAVES && failed == NULL; i++)
        if (ink_sketch_save(mine, "x.ink", NULL) != INK_OK)
            failed = "not saved";
    atomic_fetch_sub(&saving, 1);
    return (void *)(uintptr_t)failed;
}

TEST(who_opens_a_path_that_threads_save_to_has_a_whole_file)
{
    pthread_t threads[STATES];
    ink_file *before;
    ink_error error;
    void     *failed;
    unsigned  opened = 0;

    CHECK_OK(ink_sketch_save(states[0], "x.ink", &error));
    CHECK_OK(ink_file_open(&before, "x.ink", INK_OPEN_CHECKED, NULL, &error));
    atomic_store(&saving, STATES);
    for (unsigned i = 0; i < STATES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, save_often, states[i]), 0);
    do
        CHECK(state_at("x.ink", opened % 2 == 0 ? INK_OPEN_CHECKED : INK_OPEN_COPY) < STATES);
    while (++opened < 2 || atomic_load(&saving) > 0);
    for (unsigned i = 0; i < STATES; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    CHECK(state_at("x.ink", INK_OPEN_CHECKED) < STATES);
    assert_int_equal(state_of(before), 0); /* who has it open keeps what it had */
    ink_file_close(before);
    assert_int_equal(faults_names_here(), 1);
    unlink("x.ink");
}

/* ---- Processes ---------------------------------------------------------------------------- */

static const char text[] = "ant\nbee\ncat\nant\nbee\nant\n";

/* Builds and saves; false if the file has not these bytes. */
static bool builds(const char *path, unsigned threads, const uint8_t expected[INK_DIGEST_BYTES],
                   uint8_t *digest)
{
    static const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 100000}, {.kind = "hll"}};
    const ink_build_options options = {.kinds = kinds, .kind_count = 2};
    const ink_input input = {.memory = (const uint8_t *)text, .memory_bytes = sizeof text - 1};
    ink_job         job = {.threads = threads, .chunk_bytes = 4};
    ink_set        *set;
    ink_file       *file;

    if (ink_build(&set, &input, 1, &(ink_reading){0}, &options, &job, NULL) != INK_OK)
        return false;
    bool good = ink_set_save(set, path, NULL) == INK_OK;
    ink_set_free(set);
    good = good && ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, NULL) == INK_OK;
    if (good) {
        good = ink_file_digest(file, digest, NULL) == INK_OK;
        ink_file_close(file);
    }
    return good && (expected == NULL || memcmp(digest, expected, INK_DIGEST_BYTES) == 0);
}

/* The thread sanitizer ends processes that start threads after such a fork, and qemu does so now
 * and then. */
static unsigned child_threads(void)
{
    const char *wrapper = getenv("INK_TEST_WRAPPER");
    bool        emulated = wrapper != NULL && strncmp(wrapper, "qemu", 4) == 0;

    return THREAD_SANITIZER || emulated ? 1 : 3;
}

/* The address sanitizer's allocator has locks that a fork does not wait for: any thread that holds
 * one is not there in the child to give it back. So no thread is at work beside it there. */
static int threads_beside(void)
{
    return ADDRESS_SANITIZER ? 0 : 2;
}

static uint8_t     built[INK_DIGEST_BYTES];
static atomic_bool enough;

static void *build_often(void *host)
{
    uint8_t digest[INK_DIGEST_BYTES];
    bool    good = true;

    while (good && !atomic_load(&enough))
        good = builds(host, 3, built, digest);
    return good ? NULL : host;
}

TEST(a_process_that_is_forked_beside_threads_at_work_builds_and_saves)
{
    uint8_t   digest[INK_DIGEST_BYTES];
    pthread_t threads[2];
    char      paths[2][8] = {"a.ink", "b.ink"};
    const int beside = threads_beside();
    void     *failed;

    CHECK(builds("x.ink", 3, NULL, built));
    atomic_store(&enough, false);
    for (int i = 0; i < beside; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, build_often, paths[i]), 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            _exit(!builds("x.ink", child_threads(), built, digest));
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        assert_int_equal(status, 0);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < beside; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
        unlink(paths[i]);
    }
    assert_int_equal(faults_names_here(), 1);
    unlink("x.ink");
}

RUN_TESTS(.begin = make_states, .end = free_states)
