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
    uint64_t counts[TORTURE_CALL_COUNT]; /* the calls of such a run, or the most of several; of a
                                            slow scenario the sites that call */
    torture_site *sites;                 /* of a slow scenario */
    size_t        site_count;
} bench;

/* Prepares a scenario in its folder, and runs it undisturbed. Ends the program if it does not do
 * the same each time. */
void bench_open(bench *to, const scenario *of, server *with, const char *stock, const char *folder);
void bench_close(bench *of);

/* The number of a call among all of its kind; of a slow scenario of the first one of a site. */
uint64_t bench_nth(const bench *of, torture_call call, uint64_t nth);

/* Runs it with a fault; false if what came of it is not allowed, and `text` says why. `struck` is
 * whether the fault came to be. */
bool bench_fault(bench *of, const torture_plan *plan, bool *struck, char *text, size_t room);

#endif
