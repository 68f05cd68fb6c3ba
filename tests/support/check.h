/* check.h - what every test includes: cmocka, and checks that say what failed. */
#ifndef INK_TESTS_CHECK_H
#define INK_TESTS_CHECK_H

#include "inkling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Tests -------------------------------------------------------------------------------- */

enum { CHECK_TESTS_MAX = 200 };

static struct {
    struct CMUnitTest tests[CHECK_TESTS_MAX];
    unsigned          lines[CHECK_TESTS_MAX];
    size_t            count;
} check_registry __attribute__((unused));

/* Adds a test that stands at this line of its file; `state` is its initial state. */
static inline void check_add(unsigned line, const char *name, CMUnitTestFunction run, void *state)
{
    size_t at = check_registry.count++;

    if (at == CHECK_TESTS_MAX)
        abort();
    for (; at > 0 && check_registry.lines[at - 1] > line; at--) {
        check_registry.tests[at] = check_registry.tests[at - 1];
        check_registry.lines[at] = check_registry.lines[at - 1];
    }
    check_registry.tests[at] =
        (struct CMUnitTest){.name = name, .test_func = run, .initial_state = state};
    check_registry.lines[at] = line;
}

/* TEST(name) { ... } is a test. */
#define TEST(name)                                                                                 \
    static void                              name(void **state);                                   \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        check_add(__LINE__, #name, name, NULL);                                                    \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* Runs all tests of the file in the order in which they stand there; either function may be NULL.
 */
static inline int check_run(CMFixtureFunction before_all, CMFixtureFunction after_all)
{
    return _cmocka_run_group_tests("tests", check_registry.tests, check_registry.count, before_all,
                                   after_all);
}

/* The same, with functions before and after each test. */
static inline int check_run_each(CMFixtureFunction before_all, CMFixtureFunction after_all,
                                 CMFixtureFunction before_each, CMFixtureFunction after_each)
{
    for (size_t i = 0; i < check_registry.count; i++) {
        check_registry.tests[i].setup_func = before_each;
        check_registry.tests[i].teardown_func = after_each;
    }
    return check_run(before_all, after_all);
}

/* ---- Checks ------------------------------------------------------------------------------- */

#define CHECK(condition) assert_true(condition)

/* The call succeeds; otherwise its error message stands in the test's output. The error must be
 * called `error`. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        ink_status check_status = (call);                                                          \
        if (check_status != INK_OK)                                                                \
            fail_msg("%s: %s: %s", #call, ink_status_name(check_status), error.message);           \
    } while (0)

/* The call fails with this status, and its message contains this text. */
#define CHECK_FAILS(call, expected, text)                                                          \
    do {                                                                                           \
        ink_status check_status = (call);                                                          \
        if (check_status != (expected))                                                            \
            fail_msg("%s: %s, expected %s", #call, ink_status_name(check_status), #expected);      \
        if (strstr(error.message, (text)) == NULL)                                                 \
            fail_msg("%s: \"%s\" does not contain \"%s\"", #call, error.message, (text));          \
    } while (0)

#endif
