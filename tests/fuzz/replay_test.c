/* replay_test.c - replaying a fuzz target, tested: an input that takes more than a second, or that
 * ends the program, is a failure, and is named. The target here does what a child tells it to. */
#define main replay_main
#include "fuzz/replay.c"
#undef main
#include "fuzz/change.c"
#include "support/check.h"

#include <sys/wait.h>

enum { WELL, SLOWLY, SLOWLY_ONCE, WRONGLY };

static int behaviour;

static size_t one_seed(unsigned index, uint8_t *to, size_t room)
{
    if (index > 0)
        return SIZE_MAX;
    assert_true(room >= 4);
    memcpy(to, "seed", 4);
    return 4;
}

static void behave(const uint8_t *bytes, size_t count)
{
    const bool    slow = behaviour == SLOWLY || behaviour == SLOWLY_ONCE;
    const clock_t start = clock();

    (void)bytes;
    while (slow && clock() - start < CLOCKS_PER_SEC / 10 * 11)
        ;
    if (behaviour == SLOWLY_ONCE)
        behaviour = WELL;
    if (behaviour == WRONGLY && count > 4)
        abort();
}

const fuzz_target fuzz_here = {
    .name = "of-replay-test",
    .most_bytes = 64,
    .rounds = 100,
    .seed = one_seed,
    .attempt = behave,
};

/* What replaying a target that behaves so says; tells whether it passed. */
static bool replayed(int how, char *reported, size_t room)
{
    int status, ends[2];

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        behaviour = how;
        dup2(ends[1], STDOUT_FILENO);
        unsetenv("INK_TEST_LIGHT");
        setenv("INK_SOURCE", "/nowhere", 1);
        exit(replay_main());
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t more; (more = read(ends[0], reported + used, room - 1 - used)) > 0;)
        used += (size_t)more;
    reported[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status == 0;
}

TEST(a_target_that_behaves_passes)
{
    char reported[4096];

    assert_true(replayed(WELL, reported, sizeof reported));
    assert_non_null(strstr(reported, "ok 3 - 100 inputs"));
}

TEST(a_second_that_is_not_needed_again_is_none)
{
    char reported[4096];

    assert_true(replayed(SLOWLY_ONCE, reported, sizeof reported));
}

TEST(an_input_of_more_than_a_second_is_a_failure)
{
    char reported[4096];

    assert_false(replayed(SLOWLY, reported, sizeof reported));
    assert_non_null(strstr(reported, "seed 0 of of-replay-test took 1."));
    assert_non_null(strstr(reported, "# ended while trying seed 0"));
}

TEST(an_input_that_ends_the_program_is_named)
{
    char reported[4096];

    assert_false(replayed(WRONGLY, reported, sizeof reported));
    assert_non_null(strstr(reported, "# ended while trying round "));
    assert_non_null(strstr(reported, "INK_FUZZ_ROUND="));
}

RUN_TESTS()
