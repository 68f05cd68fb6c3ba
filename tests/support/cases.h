/* cases.h - test cases that list themselves: a program runs them in the order in which they stand.
 *
 *     CASE(a_file_is_read_whole)
 *     {
 *         ...
 *     }
 *
 *     RUN_CASES(.after = remove_files) */
#ifndef INK_TESTS_CASES_H
#define INK_TESTS_CASES_H

#include "support/check.h"

enum { CASES_MAX = 100 }; /* of one program */

static struct CMUnitTest added_cases[CASES_MAX];
static size_t            added_count;

static inline void add_case(const char *name, CMUnitTestFunction test)
{
    if (added_count == CASES_MAX)
        abort();
    added_cases[added_count++] = (struct CMUnitTest){.name = name, .test_func = test};
}

#define CASE(name)                                                                                 \
    static void                              name(void **);                                        \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        add_case(#name, name);                                                                     \
    }                                                                                              \
    static void name(void **state)

/* What is called around all cases and around each of them; NULL: nothing. */
typedef struct case_fixtures {
    CMFixtureFunction begin, end, before, after;
} case_fixtures;

static inline int run_cases(case_fixtures fixtures)
{
    for (size_t i = 0; i < added_count; i++) {
        added_cases[i].setup_func = fixtures.before;
        added_cases[i].teardown_func = fixtures.after;
    }
    return _cmocka_run_group_tests("tests", added_cases, added_count, fixtures.begin, fixtures.end);
}

#define RUN_CASES(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        return run_cases((case_fixtures){__VA_ARGS__});                                            \
    }

#endif
