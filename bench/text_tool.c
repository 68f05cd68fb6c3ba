/* text_tool.c - what `make bench-text` needs besides the command: lines to read, and the limit to
 * measure against.
 *   text_tool lines BYTES [SERIES]          at most BYTES of random lines, to standard output
 *   text_tool repeats BYTES POWER           the same, but half of the lines repeat one; a POWER of
 *                                           1: any of them, above that mostly the first ones
 *   text_tool limit BYTES TOUCHES THREADS   what so many random read-modify-writes cost alone;
 *                                           prints "ns_each<tab>seconds", the best of 3 runs */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "text_tool: %s\n", what);
    exit(1);
}

static uint64_t number(const char *text)
{
    char    *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != 0) {
        fprintf(stderr, "text_tool: %s: expected a whole number\n", text);
        exit(2);
    }
    return value;
}

/* ---- Lines -------------------------------------------------------------------------------- */

enum { LINE_MIN = 12, LINE_MAX = 20, LINE_LENGTHS = LINE_MAX - LINE_MIN + 1, BUFFER = 1 << 20 };

/* One to one: different numbers stay different. */
static uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The first 11 characters hold all bits of `first`, so that no line comes twice, in no series.
 * Writes LINE_MAX + 1 bytes and returns how many are meant. */
static size_t make_line(char *out, uint64_t index)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const uint64_t first = mix(index), second = mix(first);
    const size_t   length = LINE_MIN + (size_t)((second >> 56) * LINE_LENGTHS >> 8);

    for (unsigned i = 0; i < 10; i++)
        out[i] = letters[first >> 6 * i & 63];
    out[10] = letters[first >> 60 | (second & 3) << 4];
    for (unsigned i = 11; i < LINE_MAX; i++)
        out[i] = letters[second >> (6 * (i - 11) + 2) & 63];
    out[length] = '\n';
    return length + 1;
}

static void write_all(const char *buffer, size_t bytes)
{
    if (fwrite(buffer, 1, bytes, stdout) != bytes)
        fail("standard output cannot be written");
}

/* Lines on their way to standard output, up to a number of bytes. */
typedef struct writer {
    char     buffer[BUFFER + LINE_MAX + 1];
    size_t   used;
    uint64_t left;
} writer;

/* Whether the line still fitted. */
static bool put_line(writer *w, uint64_t index)
{
    const size_t length = make_line(w->buffer + w->used, index);

    if (length > w->left)
        return false;
    w->left -= length;
    w->used += length;
    if (w->used >= BUFFER) {
        write_all(w->buffer, w->used);
        w->used = 0;
    }
    return true;
}

static void finish(const writer *w)
{
    write_all(w->buffer, w->used);
    if (fflush(stdout) != 0)
        fail("standard output cannot be written");
}

static void write_lines(uint64_t bytes, uint64_t series)
{
    static writer w;
    uint64_t      index = (series << 40) + 1;

    w.left = bytes;
    while (put_line(&w, index))
        index++;
    finish(&w);
}

/* Which of the lines that were made is repeated: number made * u^power, where u is drawn evenly
 * from 0 to 1; so each as often with a power of 1, and mostly the first ones with a higher one. */
static uint64_t earlier(uint64_t made, uint64_t draw, uint64_t power)
{
    const double u = (double)(draw >> 11) * 0x1p-53;
    double       place = (double)made;

    for (uint64_t i = 0; i < power; i++)
        place *= u;
    return (uint64_t)place;
}

static void write_repeats(uint64_t bytes, uint64_t power)
{
    static writer  w;
    const uint64_t first = (UINT64_C(2) << 40) + 1; /* a series of its own */
    uint64_t       made = 0, index = first;

    w.left = bytes;
    for (uint64_t draw = 1; put_line(&w, index); draw++) {
        made += index == first + made;
        const bool fresh = mix(2 * draw) >> 63;
        index = first + (fresh ? made : earlier(made, mix(2 * draw + 1), power));
    }
    finish(&w);
}

/* ---- The limit ---------------------------------------------------------------------------- */

enum { BLOCK = 32, WORDS = BLOCK / 8, BATCH = 64, RUNS = 3, THREADS_MAX = 64 };
enum { HUGE_PAGE = 2 << 20 };

/* Each thread has a part of the memory for itself: nothing is shared, nothing is locked. */
typedef struct worker {
    pthread_t thread;
    uint64_t *memory;
    uint64_t  blocks, touches, state;
} worker;

static void *touch(void *context)
{
    const worker w = *(const worker *)context;
    uint64_t     state = w.state, *places[BATCH];

    for (uint64_t done = 0; done < w.touches; done += BATCH) {
        const uint64_t count = w.touches - done < BATCH ? w.touches - done : BATCH;
        for (uint64_t i = 0; i < count; i++) {
            state += 0x9e3779b97f4a7c15u;
            uint64_t random = (state ^ state >> 32) * 0xbf58476d1ce4e5b9u;
            places[i] = w.memory + ((random >> 32) * w.blocks >> 32) * WORDS;
            __builtin_prefetch(places[i], 1);
        }
        for (uint64_t i = 0; i < count; i++)
            for (unsigned j = 0; j < WORDS; j++)
                places[i][j] ^= state;
    }
    return NULL;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_touches(uint64_t *memory, uint64_t blocks, uint64_t touches, uint64_t threads)
{
    worker workers[THREADS_MAX];
    double start = seconds();

    for (uint64_t i = 0; i < threads; i++) {
        workers[i] = (worker){.memory = memory + i * (blocks / threads) * WORDS,
                              .blocks = blocks / threads,
                              .touches = touches / threads + (i < touches % threads),
                              .state = mix(i + 1)};
        if (pthread_create(&workers[i].thread, NULL, touch, &workers[i]) != 0)
            fail("a thread cannot be started");
    }
    for (uint64_t i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    return seconds() - start;
}

static void print_limit(uint64_t bytes, uint64_t touches, uint64_t threads)
{
    const uint64_t blocks = bytes / BLOCK;
    double         best = 1e9;

    if (threads < 1 || threads > THREADS_MAX)
        fail("threads: expected 1 to 64");
    if (blocks < threads || blocks > UINT32_MAX || touches == 0)
        fail("expected 32 bytes a thread to 128 GiB, and at least one touch");
    const size_t size = (size_t)(bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uint64_t    *memory = aligned_alloc(HUGE_PAGE, size);
    if (memory == NULL)
        fail("out of memory");
    /* Small pages are slower, not wrong: a machine that has no others says no here. */
    (void)madvise(memory, size, MADV_HUGEPAGE);
    memset(memory, 1, size);
    for (int run = 0; run < RUNS; run++) {
        double time = time_touches(memory, blocks, touches, threads);
        best = time < best ? time : best;
    }
    printf("%.3f\t%.6f\n", 1e9 * best / (double)touches, best);
    free(memory);
}

int main(int argc, char **argv)
{
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "lines") == 0)
        write_lines(number(argv[2]), argc == 4 ? number(argv[3]) : 0);
    else if (argc == 4 && strcmp(argv[1], "repeats") == 0)
        write_repeats(number(argv[2]), number(argv[3]));
    else if (argc == 5 && strcmp(argv[1], "limit") == 0)
        print_limit(number(argv[2]), number(argv[3]), number(argv[4]));
    else {
        fprintf(stderr, "usage: text_tool lines BYTES [SERIES]\n"
                        "       text_tool repeats BYTES POWER\n"
                        "       text_tool limit BYTES TOUCHES THREADS\n");
        return 2;
    }
    return 0;
}
