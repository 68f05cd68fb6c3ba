/* contest.h - what a contestant in C needs besides its sketch: keys, a clock, the questions of
 * bench/run.py and the answers to them. bench/README.md has the protocol. */
#ifndef INK_BENCH_CONTEST_H
#define INK_BENCH_CONTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ADDED = 0, MISSING = 1, SERIES = 2 };
enum { STRING_BYTES = 16 };

/* The keys of a question; `ints` or `bytes` and `offsets` are set. Missing ones only for filters,
 * those that never change ("static") among them. */
typedef struct keys {
    size_t    count;
    uint64_t *ints[SERIES];
    uint8_t  *bytes[SERIES];
    uint64_t *offsets; /* of both series: 0, 16, 32, ... */
    uint64_t  sum;
} keys;

typedef struct question {
    char     name[32], workload[32], form[32];
    size_t   count;
    unsigned threads;
    keys     keys;
} question;

/* One sketch that a contestant offers. Where `measure` is NULL, these are called: make, add, as
 * often as the clock needs; then, of the last one, ask of the added and (filters) the missing keys,
 * which returns how many are found, or the sum of all counts, and answer. */
typedef struct way {
    const char *name, *workload, *forms; /* forms: "u64", "str16", or both with a comma */
    uint64_t    most;                    /* keys */
    const char *threads;                 /* "1", or "1,2" */
    const char *how;                     /* the calls, in a few words */
    void *(*make)(const question *asked);
    void (*add)(void *sketch, const question *asked);
    uint64_t (*ask)(void *sketch, const question *asked, int series);
    double (*answer)(void *sketch, const question *asked);
    uint64_t (*bytes)(const void *sketch);
    void (*drop)(void *sketch);
    void (*measure)(const question *asked); /* prints the whole answer */
} way;

/* Lists what is offered, then answers until standard input ends. */
void contest_serve(const way *ways, size_t count);

/* One to one: different numbers stay different. */
uint64_t contest_mix(uint64_t x);
/* The key that most often stands in the stream of the workload "frequent". */
uint64_t       contest_heaviest(void);
double         contest_seconds(void);
void          *contest_memory(size_t bytes);
_Noreturn void contest_fail(const char *what);

#endif
