/* judge.h - a scenario at work: its folder, what it does when nothing fails, and whether what it
 * does when something fails is what the documents promise. */
#ifndef INK_TORTURE_JUDGE_H
#define INK_TORTURE_JUDGE_H

#include "scenarios.h"
#include "tree.h"

typedef struct bench {
    const scenario *of;
    server         *with;
    char            folder[TORTURE_PATH_BYTES];
    tree            before, after; /* what is there before and after a run that nothing disturbs */
    outcome         right;
    uint64_t counts[TORTURE_CALL_COUNT]; /* the calls of such a run, or the most of several */
} bench;

/* Prepares a scenario in its folder, and runs it undisturbed. Ends the program if it does not do
 * the same each time. */
void bench_open(bench *to, const scenario *of, server *with, const char *stock, const char *folder);
void bench_close(bench *of);

/* Runs it with a fault; false if what came of it is not allowed, and `text` tells why. `struck` is
 * whether the fault came to be. */
bool bench_fault(bench *of, const torture_plan *plan, bool *struck, char *text, size_t room);

#endif
