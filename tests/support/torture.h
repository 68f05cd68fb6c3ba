/* torture.h - a suite of torture: numbered cases, each made of the seed and its number alone, run
 * for a time or to the end, from where the last run stopped. What a suite is given and what it
 * reports:
 *
 *     NAME --seconds S --seed N --state FILE [--from I | --only I]
 *     NAME --check
 *
 *     torture: NAME cases DONE of ALL faults F failures X
 *     torture: NAME FAILED case I: what went wrong; again: COMMAND
 *
 * --check runs the checks of the suite instead, a TAP line for each. */
#ifndef INK_TESTS_TORTURE_H
#define INK_TESTS_TORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A case under way. */
typedef struct torture_case {
    uint64_t seed, number;
    uint64_t faults; /* counted by the case: what was injected, or for suites that inject nothing
                        what was tried */
    char why[512];   /* empty, or what went wrong first */
} torture_case;

/* Says what went wrong; of several messages of one case the first stays. */
void torture_fail(torture_case *of, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A state for records_random that is the same for the same seed and number, and for no other. */
uint64_t torture_chance(const torture_case *of);

/* A test of make check-all: says with torture_fail what does not hold. */
typedef struct torture_check {
    const char *message;
    void (*run)(torture_case *of);
} torture_check;

typedef struct torture_suite {
    const char *name;
    uint64_t    cases;
    void (*run)(torture_case *of);
    const torture_check *checks;
    size_t               check_count;
} torture_suite;

/* What main returns. */
int torture_main(int argc, char **argv, const torture_suite *suite);

#endif
