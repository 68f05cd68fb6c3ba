/* suite.h - a suite of faults in commands: its cases are all faults of all scenarios.
 *
 *     NAME ...       as tests/support/torture.h has it; --only shows where a fault struck
 *     NAME --list    scenarios, how many cases each has, and how many calls it makes
 *
 * With INK_TORTURE_SCENARIOS=TEXT in the environment: only scenarios whose words have this text. */
#ifndef INK_TORTURE_SUITE_H
#define INK_TORTURE_SUITE_H

#include "page.h"

typedef struct fault_suite {
    const char *name;
    /* How many cases a scenario has that makes `counts` calls of each sort, and what fails in one
     * of them. */
    uint64_t (*cases)(const uint64_t counts[TORTURE_CALL_COUNT]);
    torture_plan (*plan)(const uint64_t counts[TORTURE_CALL_COUNT], uint64_t index);
} fault_suite;

int fault_suite_main(const fault_suite *of, int word_count, char **words);

#endif
