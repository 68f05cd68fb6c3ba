/* limits.c - the contestant that does as little as a sketch can: as many random lines of memory as
 * it would touch, over as much memory as it has, or the hash alone; and what the machine can do.
 *   limits                                  answers questions, see contest.h
 *   limits lines BYTES TOUCHES THREADS      what TOUCHES random read-modify-writes cost;
 *                                           prints "ns_each<tab>seconds", the best of 3 runs
 *   limits keep BYTES                       what it costs to take so much memory from the system,
 *                                           to write it and to read it, once; prints seconds */
#define _GNU_SOURCE
#include "contest.h"
#include "inkling.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, LINE_WORDS = LINE / 8, BATCH = 64, THREADS_MAX = 64, HUGE_PAGE = 2 << 20 };

static volatile uint64_t kept; /* what was read, so that reading is not left out */

/* ---- Random lines ------------------------------------------------------------------------- */

typedef enum access { READ, CHANGE } access;

/* Each thread has a part of the memory for itself: nothing is shared, nothing is locked. */
typedef struct worker {
    pthread_t thread;
    uint64_t *memory;
    uint64_t  lines, touches, state;
    unsigned  rows; /* equal parts of the memory; a line of each is touched in turn */
    access    access;
    bool      ahead; /* fetch a batch before it is touched */
    uint64_t  sum;
} worker;

typedef struct lines {
    uint64_t *memory;
    size_t    bytes;
    unsigned  rows;
} lines;

/* A generator that costs next to nothing. */
static inline uint64_t *next_location(uint64_t *state, uint64_t *memory, uint64_t count)
{
    *state += 0x9e3779b97f4a7c15u;
    const uint64_t random = (*state ^ *state >> 32) * 0xbf58476d1ce4e5b9u;
    return memory + ((random >> 32) * count >> 32) * LINE_WORDS;
}

static inline void touch(uint64_t *location, access how, uint64_t *sum)
{
    if (how == CHANGE)
        *location ^= 0x5555555555555555u;
    else
        *sum += *location;
}

static inline void touch_plainly(worker *w, access how)
{
    const uint64_t row = w->lines / w->rows;

    for (uint64_t done = 0; done < w->touches; done += w->rows)
        for (unsigned i = 0; i < w->rows; i++)
            touch(next_location(&w->state, w->memory + i * row * LINE_WORDS, row), how, &w->sum);
}

static inline void touch_ahead(worker *w, access how)
{
    const uint64_t row = w->lines / w->rows;
    uint64_t      *locations[BATCH];

    for (uint64_t done = 0; done < w->touches; done += BATCH) {
        for (unsigned i = 0; i < BATCH; i++) {
            locations[i] =
                next_location(&w->state, w->memory + i % w->rows * row * LINE_WORDS, row);
            if (how == CHANGE)
                __builtin_prefetch(locations[i], 1);
            else
                __builtin_prefetch(locations[i], 0);
        }
        for (unsigned i = 0; i < BATCH; i++)
            touch(locations[i], how, &w->sum);
    }
}

/* A function of its own, by whose name counts.py finds it. */
__attribute__((noinline)) static void *touch_lines(void *context)
{
    worker w = *(const worker *)context;

    if (w.ahead && w.access == CHANGE)
        touch_ahead(&w, CHANGE);
    else if (w.ahead)
        touch_ahead(&w, READ);
    else if (w.access == CHANGE)
        touch_plainly(&w, CHANGE);
    else
        touch_plainly(&w, READ);
    ((worker *)context)->sum = w.sum;
    return NULL;
}

static double time_touches(const lines *on, uint64_t touches, unsigned threads, access how,
                           bool ahead)
{
    worker         workers[THREADS_MAX];
    const uint64_t share = on->bytes / LINE / threads;
    double         start = contest_seconds();

    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (worker){.memory = on->memory + i * share * LINE_WORDS,
                              .lines = share,
                              .touches = touches / threads + (i < touches % threads),
                              .state = contest_mix(i + 1),
                              .rows = on->rows,
                              .access = how,
                              .ahead = ahead};
        if (i > 0 && pthread_create(&workers[i].thread, NULL, touch_lines, &workers[i]) != 0)
            contest_fail("a thread cannot be started");
    }
    touch_lines(&workers[0]);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < threads; i++)
        kept += workers[i].sum;
    return contest_seconds() - start;
}

/* The faster of the two ways, in seconds. */
static double best_of_both(const lines *on, uint64_t touches, unsigned threads, access how)
{
    double plain = time_touches(on, touches, threads, how, false);
    double ahead = time_touches(on, touches, threads, how, true);

    return plain < ahead ? plain : ahead;
}

/* In huge pages if there are: a machine that has none says no here, which is slower, not wrong. */
static lines open_lines(uint64_t bytes, unsigned rows)
{
    const size_t size = (size_t)(bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uint64_t    *memory = aligned_alloc(HUGE_PAGE, size);

    if (memory == NULL)
        contest_fail("out of memory");
    (void)madvise(memory, size, MADV_HUGEPAGE);
    memset(memory, 1, size);
    return (lines){.memory = memory, .bytes = bytes, .rows = rows};
}

static uint64_t bytes_of(const ink_params *params)
{
    ink_description d;
    ink_error       error;

    if (ink_plan(params, &d, &error) != INK_OK)
        contest_fail(error.message);
    return d.bytes;
}

static void print_lines(const question *asked, const lines *on, const char *read)
{
    const size_t   times = asked->count < 1000000 ? 1000000 / asked->count : 1;
    const uint64_t touches = times * asked->count * on->rows;
    const double   each = 1e9 / (double)(times * asked->count);
    double         change = each * best_of_both(on, touches, asked->threads, CHANGE);
    double         first = each * best_of_both(on, touches, asked->threads, READ);

    printf("add=%.4f %s=%.4f", change, read, first);
    if (on->rows == 1) /* a key that is not in costs the same line */
        printf(" miss=%.4f", first);
    printf(" bytes=%zu\n", on->bytes);
    free(on->memory);
}

static void measure_filter(const question *asked)
{
    const ink_params params = {.kind = "bloom", .expected_keys = asked->count};
    const lines      on = open_lines(bytes_of(&params), 1);

    print_lines(asked, &on, "hit");
}

static void measure_counters(const question *asked)
{
    const uint64_t   width = strcmp(asked->workload, "count16") == 0 ? 1 << 16 : 1 << 22;
    const ink_params params = {.kind = "count-min", .width = width, .depth = 4};
    const lines      on = open_lines(bytes_of(&params), 4);

    print_lines(asked, &on, "ask");
}

/* ---- Keys and lines ----------------------------------------------------------------------- */

/* A filter of one bit a key that does not hash: keys are random already. Keys are read from memory,
 * and each touches a line of as much memory as bloom has, which is fetched a batch ahead: what no
 * filter of lines that takes keys one after another can be faster than. */

static void *make_bits(const question *asked)
{
    const ink_params params = {.kind = "bloom", .expected_keys = asked->count};
    lines           *on = contest_memory(sizeof *on);

    *on = open_lines(bytes_of(&params), 1);
    memset(on->memory, 0, on->bytes);
    return on;
}

static void drop_bits(void *sketch)
{
    free(((lines *)sketch)->memory);
    free(sketch);
}

static uint64_t bytes_of_bits(const void *sketch)
{
    return ((const lines *)sketch)->bytes;
}

/* The line of a key, of which its low bits choose a word and a bit. */
static inline uint64_t *word_of(const lines *on, uint64_t key)
{
    const uint64_t line = (key >> 32) * (on->bytes / LINE) >> 32;

    return on->memory + line * LINE_WORDS + (key >> 6 & (LINE_WORDS - 1));
}

static inline uint64_t bit_of(uint64_t key)
{
    return (uint64_t)1 << (key & 63);
}

/* Keys are asked for so far ahead, eight to a line, and then the line of each. */
enum { KEYS_AHEAD = 512, LINES_AHEAD = 128 };

/* Does `one` with each key; the last ones, which are few, find nothing fetched. */
#define FOR_KEYS_AHEAD(numbers, count, write, one)                                                 \
    do {                                                                                           \
        size_t at = 0;                                                                             \
        for (; at + KEYS_AHEAD <= (count); at += LINE_WORDS) {                                     \
            __builtin_prefetch((numbers) + at + KEYS_AHEAD - LINE_WORDS, 0);                       \
            for (size_t i = at; i < at + LINE_WORDS; i++) {                                        \
                __builtin_prefetch(word_of(&on, (numbers)[i + LINES_AHEAD]), (write));             \
                one((numbers)[i]);                                                                 \
            }                                                                                      \
        }                                                                                          \
        for (; at < (count); at++)                                                                 \
            one((numbers)[at]);                                                                    \
    } while (0)

static void add_bits(void *sketch, const question *asked)
{
    const lines on = *(const lines *)sketch;

#define ADD(key) *word_of(&on, key) |= bit_of(key)
    FOR_KEYS_AHEAD(asked->keys.ints[ADDED], asked->count, 1, ADD);
#undef ADD
}

static uint64_t ask_bits(void *sketch, const question *asked, int series)
{
    const lines on = *(const lines *)sketch;
    uint64_t    found = 0;

#define ASK(key) found += (*word_of(&on, key) & bit_of(key)) != 0
    FOR_KEYS_AHEAD(asked->keys.ints[series], asked->count, 0, ASK);
#undef ASK
    return found;
}

/* ---- The hash alone ----------------------------------------------------------------------- */

/* MurmurHash3's finalizer. The compiler is kept from doing several at once with vectors: this is
 * the yardstick of one core's present speed. */
static inline uint64_t fmix(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
#endif
    return x ^ x >> 33;
}

/* Four in turn: what is measured are the multiplications, two for each, of which a core starts one
 * a cycle, not the counting of the loop. */
static uint64_t mix_all(const uint64_t *numbers, size_t count)
{
    uint64_t sums[4] = {0};
    size_t   i = 0;

    for (; i < count / 4 * 4; i += 4)
        for (size_t j = 0; j < 4; j++)
            sums[j] += fmix(numbers[i + j]);
    for (; i < count; i++)
        sums[0] += fmix(numbers[i]);
    return sums[0] + sums[1] + sums[2] + sums[3];
}

static void *no_sketch(const question *asked)
{
    (void)asked;
    return contest_memory(8);
}

static void hash_alone(void *sketch, const question *asked)
{
    *(uint64_t *)sketch = mix_all(asked->keys.ints[ADDED], asked->count);
}

/* ---- The machine -------------------------------------------------------------------------- */

enum { MIXED = 4096, MIX_ROUNDS = 1000, TRIES = 5 };

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double mix_ns(void)
{
    static uint64_t numbers[MIXED];
    double          best = 1e9;

    for (size_t i = 0; i < MIXED; i++)
        numbers[i] = contest_mix(i + 1);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        double start = contest_seconds();
        for (int i = 0; i < MIX_ROUNDS; i++)
            kept += mix_all(numbers, MIXED);
        best = smaller(best, contest_seconds() - start);
    }
    return 1e9 * best / MIXED / MIX_ROUNDS;
}

static uint64_t read_all(const uint64_t *memory, size_t words)
{
    uint64_t sums[4] = {0};

    for (size_t i = 0; i + 4 <= words; i += 4)
        for (unsigned j = 0; j < 4; j++)
            sums[j] += memory[i + j];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

/* ns for each 64 bytes, one after another. */
static void measure_machine(const question *asked)
{
    const size_t half = asked->count / 2 / LINE * LINE;
    const double each = 1e9 / (double)(half / LINE);

    printf("mix=%.4f", mix_ns());
    if (half > 0) {
        const lines on = open_lines(2 * half, 1);
        uint8_t    *first = (uint8_t *)on.memory, *second = first + half;
        double      times[4] = {contest_seconds()};
        kept += read_all(on.memory, half / 8);
        times[1] = contest_seconds();
        memset(first, (int)kept, half);
        times[2] = contest_seconds();
        memcpy(second, first, half);
        times[3] = contest_seconds();
        printf(" read=%.4f write=%.4f copy=%.4f", each * (times[1] - times[0]),
               each * (times[2] - times[1]), each * (times[3] - times[2]));
        free(on.memory);
    }
    printf("\n");
}

/* ---- Alone -------------------------------------------------------------------------------- */

static uint64_t number(const char *text)
{
    char    *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != 0)
        contest_fail("expected a whole number");
    return value;
}

static void print_once(uint64_t bytes, uint64_t touches, uint64_t threads)
{
    double best = 1e9;

    if (threads < 1 || threads > THREADS_MAX)
        contest_fail("threads: expected 1 to 64");
    if (bytes / LINE < threads || bytes / LINE > UINT32_MAX || touches == 0)
        contest_fail("expected 64 bytes a thread to 256 GiB, and at least one touch");
    const lines on = open_lines(bytes, 1);
    for (int run = 0; run < 3; run++)
        best = smaller(best, best_of_both(&on, touches, (unsigned)threads, CHANGE));
    printf("%.3f\t%.6f\n", 1e9 * best / (double)touches, best);
    free(on.memory);
}

static void print_keep(uint64_t bytes)
{
    const double start = contest_seconds();

    if (bytes < 8 || bytes > (uint64_t)1 << 40)
        contest_fail("expected 8 bytes to 1 TiB");
    const lines on = open_lines(bytes, 1);
    kept += read_all(on.memory, bytes / 8);
    printf("%.6f\n", contest_seconds() - start);
    free(on.memory);
}

int main(int argc, char **argv)
{
    static const way ways[] = {
        {.name = "lines",
         .workload = "filter",
         .forms = "u64,str16",
         .most = UINT32_MAX,
         .threads = "1,2",
         .how = "one random line a key",
         .measure = measure_filter},
        {.name = "keys+lines",
         .workload = "filter",
         .forms = "u64",
         .most = UINT32_MAX,
         .threads = "1",
         .how = "keys read from memory, one random line each, no hash",
         .make = make_bits,
         .add = add_bits,
         .ask = ask_bits,
         .bytes = bytes_of_bits,
         .drop = drop_bits},
        {.name = "lines",
         .workload = "count16",
         .forms = "u64,str16",
         .most = UINT32_MAX,
         .threads = "1,2",
         .how = "four random lines a key",
         .measure = measure_counters},
        {.name = "lines",
         .workload = "count22",
         .forms = "u64,str16",
         .most = UINT32_MAX,
         .threads = "1,2",
         .how = "four random lines a key",
         .measure = measure_counters},
        {.name = "fmix64",
         .workload = "distinct",
         .forms = "u64",
         .most = UINT32_MAX,
         .threads = "1",
         .how = "the hash alone",
         .make = no_sketch,
         .add = hash_alone,
         .drop = free},
        {.name = "machine",
         .workload = "machine",
         .forms = "-",
         .most = UINT32_MAX,
         .threads = "1",
         .how = "fmix64 in L1; memory one line after another",
         .measure = measure_machine},
    };

    if (argc == 1)
        contest_serve(ways, sizeof ways / sizeof ways[0]);
    else if (argc == 5 && strcmp(argv[1], "lines") == 0)
        print_once(number(argv[2]), number(argv[3]), number(argv[4]));
    else if (argc == 3 && strcmp(argv[1], "keep") == 0)
        print_keep(number(argv[2]));
    else
        contest_fail("expected nothing, lines BYTES TOUCHES THREADS, or keep BYTES");
    return 0;
}
