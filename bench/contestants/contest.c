/* contest.c - contest.h: the loop that asks a contestant's ways, and the keys that all are given.
 */
#define _GNU_SOURCE
#include "contest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORK = 1000000 }; /* keys that the clock runs for, at least */

_Noreturn void contest_fail(const char *what)
{
    fprintf(stderr, "contestant: %s\n", what);
    exit(1);
}

void *contest_memory(size_t bytes)
{
    void *memory = malloc(bytes);

    if (memory == NULL)
        contest_fail("out of memory");
    return memory;
}

double contest_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Keys --------------------------------------------------------------------------------- */

uint64_t contest_mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Which of 2^20 keys comes at place i of the skewed stream: one of 2^b to 2^(b+1) - 1, where b is
 * any of 0 to 19, so that key k comes with a chance of about 1 / (20 k). */
static uint64_t skewed(uint64_t i)
{
    enum { POWERS = 20 };
    const uint64_t draw = contest_mix((UINT64_C(2) << 40) + i + 1);
    const uint64_t size = UINT64_C(1) << ((draw >> 32) * POWERS >> 32);

    return size | (draw & (size - 1));
}

uint64_t contest_heaviest(void)
{
    return contest_mix(1);
}

static uint64_t key_at(const char *workload, int series, uint64_t i)
{
    if (strcmp(workload, "frequent") == 0)
        return contest_mix(skewed(i));
    return contest_mix(((uint64_t)series << 40) + i + 1);
}

static void write_hex(uint8_t *to, uint64_t key)
{
    for (unsigned i = 0; i < STRING_BYTES; i++)
        to[i] = (uint8_t) "0123456789abcdef"[key >> (60 - 4 * i) & 15];
}

static uint64_t sum_of(const uint8_t *bytes, size_t count)
{
    uint64_t sum = 0, word;

    for (size_t i = 0; i < count; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        sum += word;
    }
    return sum;
}

static void make_series(keys *made, const question *asked, int series)
{
    const size_t n = asked->count;

    if (strcmp(asked->form, "u64") == 0) {
        made->ints[series] = contest_memory(n * 8);
        for (size_t i = 0; i < n; i++)
            made->ints[series][i] = key_at(asked->workload, series, i);
        made->sum += sum_of((const uint8_t *)made->ints[series], n * 8);
    } else {
        made->bytes[series] = contest_memory(n * STRING_BYTES);
        for (size_t i = 0; i < n; i++)
            write_hex(made->bytes[series] + STRING_BYTES * i, key_at(asked->workload, series, i));
        made->sum += sum_of(made->bytes[series], n * STRING_BYTES);
    }
}

static bool of_filters(const question *asked)
{
    return strcmp(asked->workload, "filter") == 0 || strcmp(asked->workload, "static") == 0;
}

/* Those of the last question are kept. */
static void give_keys(question *asked)
{
    static question last;

    if (strcmp(asked->workload, last.workload) == 0 && strcmp(asked->form, last.form) == 0 &&
        asked->count == last.count) {
        asked->keys = last.keys;
        return;
    }
    for (int series = 0; series < SERIES; series++) {
        free(last.keys.ints[series]);
        free(last.keys.bytes[series]);
    }
    free(last.keys.offsets);
    asked->keys = (keys){.count = asked->count};
    make_series(&asked->keys, asked, ADDED);
    if (of_filters(asked))
        make_series(&asked->keys, asked, MISSING);
    if (strcmp(asked->form, "u64") != 0) {
        asked->keys.offsets = contest_memory((asked->count + 1) * 8);
        for (size_t i = 0; i <= asked->count; i++)
            asked->keys.offsets[i] = STRING_BYTES * i;
    }
    last = *asked;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static size_t repeats(const question *asked)
{
    return asked->count < WORK ? WORK / asked->count : 1;
}

/* What has one size for all data. */
static bool counts(const question *asked)
{
    return strncmp(asked->workload, "count", 5) == 0;
}

/* What the clock runs for: adding, or asking for the keys of a series. A function of its own, by
 * whose name counts.py finds it: called by a pointer, or there would be copies of it with other
 * names; and what it calls returns to it: without the empty statement it would jump there. */
enum { ADDING = -1 };

static uint64_t contest_timed(const way *w, void *sketch, const question *asked, int series)
{
    uint64_t reported = 0;

    if (series == ADDING)
        w->add(sketch, asked);
    else
        reported = w->ask(sketch, asked, series);
    __asm__ volatile("");
    return reported;
}

static uint64_t (*volatile timed)(const way *, void *, const question *, int) = contest_timed;

/* Nanoseconds a key; leaves the last sketch that was filled. */
static double time_add(const way *w, const question *asked, void **sketch)
{
    double       seconds = 0;
    const size_t times = repeats(asked);

    for (size_t i = 0; i < times; i++) {
        if (i > 0)
            w->drop(*sketch);
        *sketch = w->make(asked);
        if (counts(
                asked)) /* its memory is there before the clock runs: that of others grows with n */
            w->add(*sketch, asked);
        double start = contest_seconds();
        timed(w, *sketch, asked, ADDING);
        seconds += contest_seconds() - start;
    }
    return 1e9 * seconds / (double)(times * asked->count);
}

static double time_ask(const way *w, void *sketch, const question *asked, int series,
                       uint64_t *reported)
{
    const size_t times = repeats(asked);
    double       start = contest_seconds();

    for (size_t i = 0; i < times; i++)
        *reported = timed(w, sketch, asked, series);
    return 1e9 * (contest_seconds() - start) / (double)(times * asked->count);
}

static void measure(const way *w, const question *asked)
{
    uint64_t   reported;
    const bool filter = of_filters(asked);
    void      *sketch;

    printf("add=%.4f", time_add(w, asked, &sketch));
    if (w->ask != NULL) {
        printf(" %s=%.4f", filter ? "hit" : "ask", time_ask(w, sketch, asked, ADDED, &reported));
        printf(" %s=%" PRIu64, filter ? "found" : "answer", reported);
    }
    if (w->ask != NULL && filter) {
        printf(" miss=%.4f", time_ask(w, sketch, asked, MISSING, &reported));
        printf(" wrong=%" PRIu64, reported);
    }
    if (w->answer != NULL)
        printf(" answer=%.0f", w->answer(sketch, asked));
    if (w->bytes != NULL)
        printf(" bytes=%" PRIu64, w->bytes(sketch));
    printf(" sum=%" PRIu64 "\n", asked->keys.sum);
    w->drop(sketch);
}

static const way *find(const way *ways, size_t count, const question *asked)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(ways[i].name, asked->name) == 0 &&
            strcmp(ways[i].workload, asked->workload) == 0)
            return &ways[i];
    return NULL;
}

void contest_serve(const way *ways, size_t count)
{
    char line[256];

    for (size_t i = 0; i < count; i++)
        printf("offers\t%s\t%s\t%s\t%" PRIu64 "\t%s\t%s\n", ways[i].name, ways[i].workload,
               ways[i].forms, ways[i].most, ways[i].threads, ways[i].how);
    printf("ready\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        question asked = {.threads = 1};
        if (sscanf(line, "%31s %31s %31s %zu %u", asked.name, asked.workload, asked.form,
                   &asked.count, &asked.threads) != 5)
            contest_fail("expected NAME WORKLOAD KEYS N THREADS");
        const way *w = find(ways, count, &asked);
        if (w == NULL) {
            printf("no such way\n");
        } else if (w->measure != NULL) {
            w->measure(&asked);
        } else {
            give_keys(&asked);
            measure(w, &asked);
        }
        fflush(stdout);
    }
}
