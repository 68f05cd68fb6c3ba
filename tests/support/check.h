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

/* A test, and as the last line of a file its main function, which runs them in their order:
 *
 *     TEST(keys_that_were_added_are_found)
 *     {
 *         ...
 *     }
 *
 *     RUN_TESTS(.after = remove_files) */
#define TEST(name)                                                                                 \
    static void                              name(void **state);                                   \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        check_add(#name, name, NULL, __LINE__);                                                    \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

#define RUN_TESTS(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        return check_run((check_fixtures){__VA_ARGS__});                                           \
    }
/* The same; these files are removed after each test. */
#define RUN_TESTS_REMOVING(...) RUN_TESTS(.files = (const char *const[]){__VA_ARGS__, NULL})

/* What is called around all tests and around each; NULL: nothing. */
typedef struct check_fixtures {
    CMFixtureFunction  begin, end, before, after;
    const char *const *files; /* removed after each, if they are there; ended by NULL */
} check_fixtures;

/* Adds a test that stands at this line; `state` is its initial state. */
void check_add(const char *name, CMUnitTestFunction test, void *state, int line);
int  check_run(check_fixtures fixtures);

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

/* What a failure says that its message names stands there, and what is nowhere has no number. */
static inline void check_error(const ink_error *error)
{
    if (error->location == INK_NOWHERE)
        assert_int_equal(error->at, 0);
    assert_in_range(error->named_count, 0, INK_NAMED_MAX);
    for (uint32_t i = 0; i < error->named_count; i++) {
        const char *name = ink_parameter_name(error->named[i].parameter);
        assert_int_equal(strlen(name), error->named[i].bytes);
        assert_memory_equal(error->message + error->named[i].start, name, strlen(name));
    }
}

/* The call fails with this status, and its message contains this text. */
#define CHECK_FAILS(call, expected, text)                                                          \
    do {                                                                                           \
        ink_status check_status = (call);                                                          \
        if (check_status != (expected))                                                            \
            fail_msg("%s: %s, expected %s", #call, ink_status_name(check_status), #expected);      \
        if (strstr(error.message, (text)) == NULL)                                                 \
            fail_msg("%s: \"%s\" does not contain \"%s\"", #call, error.message, (text));          \
        check_error(&error);                                                                       \
    } while (0)

/* The next of some words that have "|" between them, as a text of its own until the next call;
 * *rest moves on, and is NULL after the last one. */
static inline const char *check_next_word(const char **rest)
{
    static char word[256];
    size_t      bytes = strcspn(*rest, "|");

    assert_true(bytes < sizeof word);
    memcpy(word, *rest, bytes);
    word[bytes] = '\0';
    *rest = (*rest)[bytes] == '|' ? *rest + bytes + 1 : NULL;
    return word;
}

#endif
