/* check.c - the tests of a program, in the order of their lines. */
#include "support/check.h"

#include <unistd.h>

enum { TESTS_MAX = 256 };

static struct CMUnitTest tests[TESTS_MAX];
static int               lines[TESTS_MAX];
static size_t            count;
static check_fixtures    around;

void check_add(const char *name, CMUnitTestFunction test, void *state, int line)
{
    size_t at = count++;

    if (at == TESTS_MAX)
        abort();                                   /* make room */
    for (; at > 0 && lines[at - 1] > line; at--) { /* constructors run in any order */
        tests[at] = tests[at - 1];
        lines[at] = lines[at - 1];
    }
    tests[at] = (struct CMUnitTest){.name = name, .test_func = test, .initial_state = state};
    lines[at] = line;
}

static int after_each(void **state)
{
    for (const char *const *path = around.files; path != NULL && *path != NULL; path++)
        unlink(*path);
    return around.after == NULL ? 0 : around.after(state);
}

int check_run(check_fixtures fixtures)
{
    around = fixtures;
    for (size_t i = 0; i < count; i++) {
        tests[i].setup_func = around.before;
        tests[i].teardown_func = after_each;
    }
    return _cmocka_run_group_tests("tests", tests, count, around.begin, around.end);
}
