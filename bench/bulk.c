/* bulk.c - what many keys at once cost a filter, on one thread and on two, beside what memory
 * allows: as many random lines of the same memory read, changed and written back. One line for each
 * number of keys and of threads, as TSV: name, n, threads, ns a key, ns of the limit; the minimum
 * of several rounds, all in one process. Run it on an idle machine.
 *
 *     bulk [N...]        default 1000000 10000000 100000000 */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static ink_error error;

static void must(ink_status status)
{
    if (status == INK_OK)
        return;
    fprintf(stderr, "bench: %s\n", error.sentence);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* ---- The limit ---------------------------------------------------------------------------- */

/* A random line for each key: 64 are asked for while those before them are changed. */
static double time_lines(uint8_t *memory, uint64_t lines, size_t count)
{
    enum { WINDOW = 64 };
    uint8_t *now[WINDOW], *next[WINDOW];
    double   start = seconds();

    for (size_t i = 0; i < count + WINDOW; i += WINDOW) {
        for (size_t j = 0; j < WINDOW; j++) {
            next[j] = memory + ((mixed(i + j) >> 32) * lines >> 32) * 64;
            __builtin_prefetch(next[j], 1, 3);
        }
        for (size_t j = 0; j < WINDOW && i > 0; j++)
            ++*(uint64_t *)(void *)now[j];
        memcpy(now, next, sizeof now);
    }
    return seconds() - start;
}

/* Memory as sketches have it. */
static uint8_t *huge_memory(uint64_t bytes)
{
    const size_t huge = 2 << 20, whole = (bytes / huge + 1) * huge;
    uint8_t     *memory = aligned_alloc(huge, whole);

    madvise(memory, whole, MADV_HUGEPAGE);
    memset(memory, 0, whole);
    return memory;
}

/* ---- Filters ------------------------------------------------------------------------------ */

enum { VARIANTS = 4 }; /* one thread; two threads; both for hashes that are there already */

static double time_add(const ink_params *params, const ink_batch *batch, unsigned threads)
{
    ink_sketch *sketch;
    ink_job     job = {.threads = threads};

    must(ink_sketch_create(&sketch, params, NULL, &error));
    double start = seconds();
    if (threads == 1)
        must(ink_sketch_add_batch(sketch, batch, &error));
    else
        must(ink_add_batch(sketch, batch, &job, &error));
    double took = seconds() - start;
    ink_sketch_free(sketch);
    return took;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void bench(const char *name, const ink_params *params, size_t count, unsigned rounds)
{
    ink_description d;
    ink_sketch     *sketch;
    double          limit = 1e9, best[VARIANTS] = {1e9, 1e9, 1e9, 1e9};
    int64_t        *ints = malloc(count * sizeof *ints);
    uint64_t       *hashes = malloc(count * sizeof *hashes);

    must(ink_plan(params, &d, &error));
    must(ink_sketch_create(&sketch, params, NULL, &error));
    for (size_t i = 0; i < count; i++)
        ints[i] = (int64_t)mixed(i);
    const ink_batch keys = {.count = count, .ints = ints};
    must(ink_hash_batch(sketch, &keys, hashes, &error));
    const ink_batch hashed = {.count = count, .hashes = hashes};
    uint8_t        *memory = huge_memory(d.bytes);
    for (unsigned round = 0; round < rounds; round++) {
        limit = smaller(limit, time_lines(memory, d.bytes / 64, count));
        for (unsigned v = 0; v < VARIANTS; v++)
            best[v] = smaller(best[v], time_add(params, v / 2 == 0 ? &keys : &hashed, v % 2 + 1));
    }
    for (unsigned v = 0; v < VARIANTS; v++)
        printf("%s.add.%s\t%zu\t%u\t%.3f\t%.3f\n", name, v / 2 == 0 ? "u64" : "hashes", count,
               v % 2 + 1, 1e9 * best[v] / (double)count, 1e9 * limit / (double)count);
    ink_sketch_free(sketch);
    free(memory);
    free(ints);
    free(hashes);
}

int main(int argc, char **argv)
{
    static char *defaults[] = {"", "1000000", "10000000", "100000000"};

    if (argc < 2) {
        argc = 4;
        argv = defaults;
    }
    for (int i = 1; i < argc; i++) {
        size_t           n = strtoull(argv[i], NULL, 10);
        const ink_params bloom = {.kind = "bloom", .expected_keys = n, .key_type = INK_KEY_INT};
        bench("bloom", &bloom, n, n < 50000000 ? 7 : 3);
    }
    return 0;
}
