/* memory.c - the suite "memory": every allocation of every command is refused, that one alone and
 * from there on. It must end with exit code 5 and a line that says so, or do without; see judge.c.
 */
#include "commands/suite.h"

static uint64_t cases(const uint64_t counts[TORTURE_CALL_COUNT])
{
    return 2 * counts[TORTURE_ALLOCATION];
}

static torture_plan plan(const uint64_t counts[TORTURE_CALL_COUNT], uint64_t index)
{
    (void)counts;
    return (torture_plan){.call = TORTURE_ALLOCATION,
                          .nth = index / 2 + 1,
                          .os_error = 12, /* in any case it is reported as no memory */
                          .and_after = index % 2 != 0};
}

int main(int word_count, char **words)
{
    static const fault_suite memory = {"memory", cases, plan};

    return fault_suite_main(&memory, word_count, words);
}
