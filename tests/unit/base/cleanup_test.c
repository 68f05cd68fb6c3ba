/* cleanup_test.c - what is being written and what is mapped is known, also to a signal handler, and
 * is forgotten when it ends; and where more is held than there is room for, nothing else breaks. */
#define _DEFAULT_SOURCE 1
#include "base/cleanup.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/sanitizer.h"

#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* As cleanup.c has it. */
enum { UNFINISHED_MAX = 16, MAPS_MAX = 64, NAME_BYTES = 4096, PATH_BYTES = 1024 };

static void make_file(const char *path)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    fclose(out);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- Names -------------------------------------------------------------------------------- */

TEST(unfinished_files_are_removed_and_others_are_not)
{
    make_file("done");
    make_file("renamed");
    make_file("open 1");
    make_file("open 2");
    ink__cleanup_unfinished("open 1");
    ink__cleanup_unfinished("renamed");
    ink__cleanup_unfinished("open 2");
    ink__cleanup_finished("renamed");
    ink__cleanup_finished("never held");
    ink__cleanup_remove();
    CHECK(exists("done") && exists("renamed") && !exists("open 1") && !exists("open 2"));
    make_file("open 1"); /* the handler may come twice */
    ink__cleanup_remove();
    CHECK(!exists("open 1"));
    ink__cleanup_finished("open 1");
    ink__cleanup_finished("open 2");
    make_file("open 1");
    ink__cleanup_remove();
    CHECK(exists("open 1"));
    remove("open 1");
    remove("done");
    remove("renamed");
}

TEST(one_name_held_twice_is_held_until_it_ended_twice)
{
    ink__cleanup_unfinished("x");
    ink__cleanup_unfinished("x");
    ink__cleanup_finished("x");
    make_file("x");
    ink__cleanup_remove();
    CHECK(!exists("x"));
    ink__cleanup_finished("x");
    make_file("x");
    ink__cleanup_remove();
    CHECK(exists("x"));
    remove("x");
}

TEST(names_without_a_slot_are_not_known_and_slots_are_used_again)
{
    char name[32];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < UNFINISHED_MAX + 2; i++) {
            snprintf(name, sizeof name, "file %d", i);
            make_file(name);
            ink__cleanup_unfinished(name);
        }
        ink__cleanup_remove();
        for (int i = 0; i < UNFINISHED_MAX + 2; i++) {
            snprintf(name, sizeof name, "file %d", i);
            CHECK(exists(name) == (i >= UNFINISHED_MAX));
            remove(name);
            ink__cleanup_finished(name);
        }
    }
}

TEST(a_name_too_long_is_not_held_in_part)
{
    char name[NAME_BYTES + 10];

    memset(name, '/', sizeof name); /* as the start of it, "." would be removed */
    name[0] = '.';
    name[NAME_BYTES] = '\0';
    faults_system_begin(NULL);
    ink__cleanup_unfinished(name);
    ink__cleanup_remove();
    assert_int_equal(faults_calls(FAULTS_UNLINK), 0);
    name[NAME_BYTES - 1] = '\0'; /* the longest that has room */
    ink__cleanup_unfinished(name);
    ink__cleanup_remove();
    assert_int_equal(faults_calls(FAULTS_UNLINK), 1);
    ink__cleanup_finished(name);
    ink__cleanup_remove();
    assert_int_equal(faults_calls(FAULTS_UNLINK), 1);
    faults_system_end();
}

/* ---- Maps --------------------------------------------------------------------------------- */

TEST(an_address_has_the_path_of_its_map)
{
    static const uint8_t memory[300];

    assert_null(ink__cleanup_path(memory));
    ink__cleanup_map(memory, 100, "first");
    ink__cleanup_map(memory + 200, 100, "second");
    assert_string_equal(ink__cleanup_path(memory), "first");
    assert_string_equal(ink__cleanup_path(memory + 99), "first");
    assert_null(ink__cleanup_path(memory + 100));
    assert_null(ink__cleanup_path(memory + 199));
    assert_string_equal(ink__cleanup_path(memory + 200), "second");
    assert_null(ink__cleanup_path(memory + 300));
    assert_null(ink__cleanup_path(NULL));
    ink__cleanup_unmap(memory + 1); /* no map starts there */
    assert_string_equal(ink__cleanup_path(memory), "first");
    ink__cleanup_unmap(memory);
    assert_null(ink__cleanup_path(memory));
    assert_string_equal(ink__cleanup_path(memory + 200), "second");
    ink__cleanup_unmap(memory + 200);
    assert_null(ink__cleanup_path(memory + 200));
}

TEST(a_long_path_is_cut)
{
    char          path[PATH_BYTES + 100];
    const uint8_t memory[1] = {0};

    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    ink__cleanup_map(memory, 1, path);
    assert_int_equal(strlen(ink__cleanup_path(memory)), PATH_BYTES - 1);
    assert_memory_equal(ink__cleanup_path(memory), path, PATH_BYTES - 1);
    ink__cleanup_unmap(memory);
}

TEST(what_was_cut_of_a_map_that_is_watched_becomes_zeros)
{
    enum { BYTES = 1 << 18 }; /* more than one page anywhere */
    uint8_t *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    memset(memory, 7, BYTES);
    ink__cleanup_watch(memory); /* not held: not known */
    assert_false(ink__cleanup_outlive(memory) || ink__cleanup_was_cut(memory));
    ink__cleanup_map(memory, BYTES - 5, "data");
    assert_false(ink__cleanup_outlive(memory) || ink__cleanup_was_cut(memory)); /* not watched */
    ink__cleanup_watch(memory);
    assert_false(ink__cleanup_was_cut(memory));
    assert_false(ink__cleanup_outlive(memory + BYTES - 5)); /* behind its end */
    assert_true(ink__cleanup_outlive(memory + BYTES / 2 + 9));
    assert_true(ink__cleanup_was_cut(memory));
    CHECK(memory[BYTES / 2 - 1] == 7 && memory[BYTES / 2] == 0 && memory[BYTES - 1] == 0);
    ink__cleanup_unmap(memory);
    assert_false(ink__cleanup_outlive(memory) || ink__cleanup_was_cut(memory));
    ink__cleanup_map(memory, BYTES, "another"); /* begins as any other does */
    assert_false(ink__cleanup_outlive(memory) || ink__cleanup_was_cut(memory));
    ink__cleanup_unmap(memory);
    munmap(memory, BYTES);
}

static int refuse_blank(const uint8_t *at, size_t bytes, const void *from)
{
    return -ENOMEM;
}

/* A handler that goes on would meet the same address again, for ever. */
TEST(what_cannot_become_zeros_is_not_outlived)
{
    static const uint8_t memory[10];
    ink__system          system = ink__posix;

    system.blank = refuse_blank;
    ink__cleanup_map(memory, sizeof memory, "data");
    ink__cleanup_watch(memory);
    ink__system_replace(&system);
    const bool outlived = ink__cleanup_outlive(memory);
    ink__system_replace(NULL);
    assert_false(outlived);
    ink__cleanup_unmap(memory);
}

TEST(maps_without_a_slot_are_not_known_and_slots_are_used_again)
{
    static const uint8_t memory[MAPS_MAX + 2];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MAPS_MAX + 2; i++)
            ink__cleanup_map(memory + i, 1, "path");
        for (int i = 0; i < MAPS_MAX + 2; i++)
            CHECK((ink__cleanup_path(memory + i) != NULL) == (i < MAPS_MAX));
        for (int i = 0; i < MAPS_MAX + 2; i++)
            ink__cleanup_unmap(memory + i);
        for (int i = 0; i < MAPS_MAX + 2; i++)
            assert_null(ink__cleanup_path(memory + i));
    }
}

/* ---- Handlers and threads ----------------------------------------------------------------- */

static const uint8_t         mapped[10];
static volatile sig_atomic_t found_in_handler;

static void handle(int number)
{
    int         before = errno;
    const char *path = ink__cleanup_path(mapped + 3);

    ink__cleanup_remove();
    found_in_handler = path != NULL && path[0] == 'm' && path[1] == '\0';
    errno = before;
}

TEST(a_signal_handler_removes_and_finds)
{
    struct sigaction action = {.sa_handler = handle}, before;

    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    make_file("half");
    ink__cleanup_unfinished("half");
    ink__cleanup_map(mapped, sizeof mapped, "m");
    raise(SIGUSR1);
    CHECK(!exists("half") && found_in_handler);
    ink__cleanup_finished("half");
    ink__cleanup_unmap(mapped);
    make_file("half");
    raise(SIGUSR1);
    CHECK(exists("half") && !found_in_handler);
    remove("half");
    sigaction(SIGUSR1, &before, NULL);
}

/* A handler comes at any time, also between two calls of this loop or within one. */
static volatile sig_atomic_t handled, torn;

static void look(int number)
{
    int         before = errno;
    const char *path = ink__cleanup_path(mapped);

    ink__cleanup_remove();
    handled = handled + 1;
    if (path != NULL && strcmp(path, "path") != 0)
        torn = 1;
    errno = before;
}

TEST(a_handler_may_come_at_any_time)
{
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};

    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0); /* stays: a last one may be late */
    ualarm(200, 200);
    for (int i = 0; i < 30000 || handled < 3; i++) {
        ink__cleanup_unfinished("nothing here");
        ink__cleanup_map(mapped, sizeof mapped, "path");
        ink__cleanup_unmap(mapped);
        ink__cleanup_finished("nothing here");
    }
    ualarm(0, 0);
    assert_null(ink__cleanup_path(mapped));
    assert_false(torn);
}

enum { THREADS = 4, ROUNDS = 20000, EACH = 3 };
static const uint8_t shared[THREADS][EACH];

static void *hold_and_let_go(void *argument)
{
    const uint8_t *mine = argument;
    char           name[EACH][32];

    for (int i = 0; i < EACH; i++)
        snprintf(name[i], sizeof name[i], "thread %td file %d", mine - shared[0], i);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < EACH; i++) {
            ink__cleanup_map(mine + i, 1, "path");
            ink__cleanup_unfinished(name[i]);
        }
        for (int i = 0; i < EACH; i++) {
            ink__cleanup_unmap(mine + i);
            ink__cleanup_finished(name[i]);
        }
    }
    return NULL;
}

TEST(threads_do_not_forget_what_others_let_go)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, hold_and_let_go, (void *)(uintptr_t)shared[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < EACH; k++)
            assert_null(ink__cleanup_path(&shared[i][k])); /* of a map that is gone */
    faults_system_begin(NULL);
    ink__cleanup_remove();
    assert_int_equal(faults_calls(FAULTS_UNLINK), 0);
    faults_system_end();
}

/* ---- Processes ---------------------------------------------------------------------------- */

static bool ends_well(pid_t child)
{
    int status;

    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

TEST(a_forked_process_removes_its_own_files_only)
{
    char name[32];

    for (int i = 0; i < UNFINISHED_MAX; i++) { /* no slot is left, but to the child */
        snprintf(name, sizeof name, "file %d", i);
        make_file(name);
        ink__cleanup_unfinished(name);
    }
    pid_t child = fork();
    if (child == 0) {
        make_file("own");
        ink__cleanup_unfinished("own");
        ink__cleanup_remove();
        _exit(exists("own"));
    }
    CHECK(ends_well(child));
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        snprintf(name, sizeof name, "file %d", i);
        CHECK(exists(name));
    }
    ink__cleanup_remove();
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        snprintf(name, sizeof name, "file %d", i);
        CHECK(!exists(name));
        ink__cleanup_finished(name);
    }
}

static atomic_bool enough;

static void *hold_until_enough(void *argument)
{
    while (!atomic_load(&enough)) {
        ink__cleanup_unfinished("a name of the parent");
        ink__cleanup_finished("a name of the parent");
    }
    return NULL;
}

/* The thread is in the middle of a change about every other time, and the child does not have it.
 */
TEST(a_forked_process_does_not_wait_for_threads_of_its_parent)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, hold_until_enough, NULL), 0);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        if (child == 0) {
            signal(SIGALRM, SIG_DFL);
            alarm(20);
            ink__cleanup_unfinished("a name of the child");
            ink__cleanup_finished("a name of the child");
            _exit(0);
        }
        CHECK(ends_well(child));
    }
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
}

/* ---- The end ------------------------------------------------------------------------------ */

static atomic_bool begun;

static void *make_a_file_slowly(void *argument)
{
    ink__cleanup_making("late");
    atomic_store(&begun, true);
    usleep(100000);
    make_file("late");
    ink__cleanup_unfinished("late");
    pause();
    return NULL;
}

TEST(whoever_ends_the_process_waits_for_what_is_being_made)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, make_a_file_slowly, NULL) != 0)
            _exit(1);
        while (!atomic_load(&begun))
            usleep(100);
        ink__cleanup_end();
        usleep(120000); /* as if the process ended slowly */
        _exit(exists("late"));
    }
    CHECK(ends_well(child));
    remove("late");
}

static void *make_a_file(void *argument)
{
    atomic_store(&begun, true);
    ink__cleanup_making("late");
    make_file("late");
    return NULL;
}

TEST(a_process_that_ends_makes_no_file_any_more)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        ink__cleanup_end();
        if (pthread_create(&thread, NULL, make_a_file, NULL) != 0)
            _exit(1);
        while (!atomic_load(&begun))
            usleep(100);
        usleep(20000);
        _exit(exists("late"));
    }
    CHECK(ends_well(child));
    remove("late");
    make_a_file(NULL); /* as its parent does not end */
    CHECK(exists("late"));
    ink__cleanup_remove();
    CHECK(!exists("late"));
    ink__cleanup_finished("late");
}

static void end(int number)
{
    ink__cleanup_end();
    _exit(exists("half") || faults_calls(FAULTS_WAIT) != 0);
}

TEST(a_handler_does_not_wait_for_the_thread_that_it_interrupts)
{
    pid_t child = fork();
    if (child == 0) {
        faults_system_begin(NULL);
        signal(SIGUSR1, end);
        ink__cleanup_making("half");
        make_file("half");
        raise(SIGUSR1);
        _exit(1);
    }
    CHECK(ends_well(child));
}

static void *make_and_keep(void *argument)
{
    ink__cleanup_making("made");
    make_file("made");
    ink__cleanup_unfinished("made");
    return NULL;
}

TEST(what_another_thread_has_made_is_removed_without_waiting)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, make_and_keep, NULL) != 0)
            _exit(1);
        pthread_join(thread, NULL);
        faults_system_begin(NULL);
        ink__cleanup_end();
        _exit(exists("made") || faults_calls(FAULTS_WAIT) != 0);
    }
    CHECK(ends_well(child));
}

static void *find_it_made(void *argument)
{
    ink__cleanup_making("made");
    ink__cleanup_finished("made"); /* another thread has it */
    return NULL;
}

TEST(a_name_that_another_thread_has_is_given_up_without_its_file)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        make_and_keep(NULL);
        if (pthread_create(&thread, NULL, find_it_made, NULL) != 0)
            _exit(1);
        pthread_join(thread, NULL);
        faults_system_begin(NULL);
        ink__cleanup_end();
        _exit(exists("made") || faults_calls(FAULTS_WAIT) != 0);
    }
    CHECK(ends_well(child));
}

static void *begin_two_files(void *argument)
{
    ink__cleanup_making("never 1");
    ink__cleanup_making("never 2");
    return NULL;
}

static unsigned waits;

static int count_wait(int file, int what, int milliseconds)
{
    waits += (unsigned)milliseconds;
    return 0;
}

/* Of both together, not of each. */
TEST(what_another_thread_never_makes_is_waited_for_two_seconds)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t   thread;
        ink__system system = ink__posix;
        alarm(20);
        if (pthread_create(&thread, NULL, begin_two_files, NULL) != 0)
            _exit(1);
        pthread_join(thread, NULL);
        system.wait = count_wait;
        ink__system_replace(&system);
        ink__cleanup_end();
        _exit(waits != 2000);
    }
    CHECK(ends_well(child));
}

static void *replace_again_and_again(void *argument)
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__replacement    replacement;

    while (ink__replacement_begin(&replacement, "replaced", &heap, NULL) == INK_OK) {
        ink__replacement_abandon(&replacement);
        atomic_store(&begun, true);
    }
    return argument;
}

static bool any_temporary_is_left(void)
{
    glob_t found;
    bool   any = glob("replaced.tmp.*", 0, NULL, &found) == 0;

    for (size_t i = 0; any && i < found.gl_pathc; i++)
        remove(found.gl_pathv[i]);
    if (any)
        globfree(&found);
    return any;
}

/* The thread sanitizer lets every process that ends wait for a second. */
enum { ENDS = THREAD_SANITIZER ? 5 : 100 };

TEST(a_process_that_ends_at_any_time_leaves_no_file)
{
    for (int i = 0; i < ENDS; i++) {
        pid_t child = fork();
        if (child == 0) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, replace_again_and_again, NULL) != 0)
                _exit(1);
            while (!atomic_load(&begun))
                usleep(100);
            usleep((unsigned)(i * 700 / ENDS));
            ink__cleanup_end();
            _exit(0);
        }
        CHECK(ends_well(child));
        CHECK(!any_temporary_is_left());
    }
}

RUN_TESTS()
