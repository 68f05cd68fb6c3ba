/* core.c - what `make bench-core` prints: the core's speed as ratios of runs side by side in one
 * process, the minimum of several rounds. Run it on an idle machine. */
#include "inkling.h"

#include "hash/xxh3.h"
#include "kernels/kernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ROUNDS = 7 };

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

static uint64_t random_state = 1;

static uint64_t random_u64(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t x = random_state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* ---- Hashing ------------------------------------------------------------------------------ */

enum { HASH_KEYS = 1 << 16 };

static void bench_hash(unsigned shortest, unsigned longest)
{
    static uint8_t  bytes[HASH_KEYS * 64];
    static uint64_t offsets[HASH_KEYS + 1], hashes[HASH_KEYS];
    double          one = 1e9, batch = 1e9;
    uint64_t        sum = 0;

    offsets[0] = 0;
    for (size_t i = 0; i < HASH_KEYS; i++)
        offsets[i + 1] = offsets[i] + shortest + random_u64() % (longest - shortest + 1);
    for (size_t i = 0; i < offsets[HASH_KEYS]; i++)
        bytes[i] = (uint8_t)random_u64();
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (size_t i = 0; i < HASH_KEYS; i++)
            sum += XXH3_64bits_withSeed(bytes + offsets[i], offsets[i + 1] - offsets[i], 7);
        one = smaller(one, seconds() - start);
        start = seconds();
        for (size_t i = 0; i < HASH_KEYS; i += INK__XXH3_BATCH_MAX)
            ink__xxh3_batch(bytes, offsets + i, offsets + i + 1, INK__XXH3_BATCH_MAX, 7,
                            hashes + i);
        batch = smaller(batch, seconds() - start);
        for (size_t i = 0; i < HASH_KEYS; i++)
            sum -= hashes[i];
    }
    printf("hash, %2u to %2u bytes    XXH3 one by one %5.2f ns, in batches %5.2f ns: %.2fx%s\n",
           shortest, longest, 1e9 * one / HASH_KEYS, 1e9 * batch / HASH_KEYS, one / batch,
           sum == 0 ? "" : " (values differ!)");
}

/* ---- Filters ------------------------------------------------------------------------------ */

static void time_filter(const ink__kernels *kernels, uint8_t *bits, uint64_t blocks,
                        const uint64_t *hashes, size_t count, uint8_t *answers, double *add,
                        double *test)
{
    double start = seconds();

    kernels->block_add(bits, blocks, hashes, count);
    *add = smaller(*add, seconds() - start);
    start = seconds();
    kernels->block_test(bits, blocks, hashes, count, answers);
    *test = smaller(*test, seconds() - start);
}

static void bench_filter(size_t keys)
{
    const ink_params    params = {.kind = "bloom", .expected_keys = keys};
    const ink__kernels *best;
    ink_description     d;
    double              add = 1e9, test = 1e9, plain_add = 1e9, plain_test = 1e9;

    must(ink__kernels_choose(&best, &error));
    must(ink_plan(&params, &d, &error));
    uint64_t *hashes = malloc(keys * sizeof *hashes);
    uint8_t  *answers = malloc(keys);
    uint8_t  *bits = aligned_alloc(64, (d.bytes + 63) / 64 * 64);
    for (size_t i = 0; i < keys; i++)
        hashes[i] = random_u64();
    memset(bits, 0, d.bytes);
    memset(answers, 0, keys);
    for (int round = 0; round < ROUNDS; round++) {
        time_filter(&ink__kernels_scalar, bits, d.bytes / 32, hashes, keys, answers, &plain_add,
                    &plain_test);
        time_filter(best, bits, d.bytes / 32, hashes, keys, answers, &add, &test);
    }
    double n = (double)keys;
    printf("bloom, %8zu keys    add %5.2f ns (%.1fx scalar), ask %5.2f ns (%.1fx scalar), %s, "
           "hashes given\n",
           keys, 1e9 * add / n, plain_add / add, 1e9 * test / n, plain_test / test, best->name);
    free(hashes);
    free(answers);
    free(bits);
}

/* ---- Kinds that count --------------------------------------------------------------------- */

/* The limit of a kind that raises `each` counters a key: as many random increments in as much
 * memory, their places drawn by one multiplication. */
static double time_increments(uint32_t *counters, uint64_t words, const uint64_t *hashes,
                              size_t count, unsigned each)
{
    double start = seconds();

    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < each; j++)
            counters[((hashes[i] * (2 * j + 3)) >> 32) * words >> 32]++;
    return seconds() - start;
}

enum { ASKED = 1024 };

static void bench_counters(const char *name, const ink_params *params, size_t keys, unsigned each)
{
    ink_sketch     *sketch;
    ink_description d;
    double          limit = 1e9, add = 1e9, ask = 1e9, start;
    uint64_t       *hashes = malloc(keys * sizeof *hashes);
    ink_answer      answers[ASKED];

    must(ink_sketch_create(&sketch, params, NULL, &error));
    ink_sketch_describe(sketch, &d);
    uint32_t *counters = calloc(d.bytes / 4, 4);
    for (size_t i = 0; i < keys; i++)
        hashes[i] = random_u64();
    for (int round = 0; round < ROUNDS; round++) {
        limit = smaller(limit, time_increments(counters, d.bytes / 4, hashes, keys, each));
        start = seconds();
        must(ink_sketch_add_batch(sketch, &(ink_batch){.count = keys, .hashes = hashes}, &error));
        add = smaller(add, seconds() - start);
        start = seconds();
        for (size_t i = 0; i < keys; i += ASKED) {
            const ink_batch batch = {.count = keys - i < ASKED ? keys - i : ASKED,
                                     .hashes = hashes + i};
            must(ink_sketch_count_batch(sketch, &batch, answers, &error));
        }
        ask = smaller(ask, seconds() - start);
    }
    double n = (double)keys;
    printf("%-23s add %5.1f ns (%.1fx the limit: %u random increments in %.1f MB), ask %5.1f ns\n",
           name, 1e9 * add / n, add / limit, each, 1e-6 * (double)d.bytes, 1e9 * ask / n);
    ink_sketch_free(sketch);
    free(counters);
    free(hashes);
}

/* A stream as Zipf has it (about), and one of keys that are all different. */
static void bench_top(void)
{
    enum { KEYS = 1 << 20 };
    const ink_params params = {.kind = "top", .key_type = INK_KEY_INT};
    static int64_t   skewed[KEYS], different[KEYS];
    double           times[2] = {1e9, 1e9};

    for (size_t i = 0; i < KEYS; i++) {
        double u = ((double)(random_u64() >> 11) + 0.5) * 0x1p-53;
        skewed[i] = (int64_t)(1 / u);
        different[i] = (int64_t)random_u64();
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int which = 0; which < 2; which++) {
            const ink_batch batch = {.count = KEYS, .ints = which == 0 ? skewed : different};
            ink_sketch     *sketch;
            must(ink_sketch_create(&sketch, &params, NULL, &error));
            double start = seconds();
            must(ink_sketch_add_batch(sketch, &batch, &error));
            times[which] = smaller(times[which], seconds() - start);
            ink_sketch_free(sketch);
        }
    printf("top, 1024 counters      add %5.1f ns for a skewed stream, %.1f ns for keys that all "
           "differ\n",
           1e9 * times[0] / KEYS, 1e9 * times[1] / KEYS);
}

static void bench_kinds(void)
{
    bench_counters("count-min, 4 x 2^16",
                   &(ink_params){.kind = "count-min", .width = 1 << 16, .depth = 4}, 1 << 20, 4);
    bench_counters("count-min, 4 x 2^22",
                   &(ink_params){.kind = "count-min", .width = 1 << 22, .depth = 4}, 1 << 20, 4);
    bench_counters("counting, 1e4 keys", &(ink_params){.kind = "counting", .expected_keys = 10000},
                   10000, 8);
    bench_counters("counting, 1e6 keys",
                   &(ink_params){.kind = "counting", .expected_keys = 1000000}, 1000000, 8);
    bench_top();
}

/* ---- A million groups --------------------------------------------------------------------- */

enum { GROUPS = 1000000, GROUP_KEYS = 10 };

static void write_groups(const char *path)
{
    ink_entry *entries = malloc(GROUPS * sizeof *entries);
    char(*names)[12] = malloc(GROUPS * sizeof *names);
    const ink_params params = {.kind = "bloom", .expected_keys = GROUP_KEYS};

    for (uint64_t i = 0; i < GROUPS; i++) {
        ink_sketch *sketch;
        must(ink_sketch_create(&sketch, &params, NULL, &error));
        for (uint64_t key = i * GROUP_KEYS; key < (i + 1) * GROUP_KEYS; key++)
            must(ink_sketch_add(sketch, &key, sizeof key, &error));
        snprintf(names[i], sizeof names[i], "g%" PRIu64, i);
        entries[i] = (ink_entry){.label = ink_group(names[i]), .sketch = sketch};
    }
    double start = seconds();
    must(ink_save(path, &(ink_contents){.entries = entries, .entry_count = GROUPS}, &error));
    printf("a million groups        of %d keys: sorted and saved in %.2f s\n", GROUP_KEYS,
           seconds() - start);
    for (size_t i = 0; i < GROUPS; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    free(entries);
    free(names);
}

static void bench_groups(const char *path)
{
    ink_label      label = ink_group("g765432");
    const uint64_t key = 7654325;
    double         lazy = 1e9, checked = 1e9, start;
    bool           maybe = false;
    ink_file      *file;
    ink_sketch    *group;
    size_t         index;

    write_groups(path);
    for (int round = 0; round < ROUNDS; round++) {
        start = seconds();
        must(ink_file_open(&file, path, INK_OPEN_LAZY, NULL, &error));
        must(ink_file_find(file, NULL, &label, &index, &error));
        must(ink_file_sketch(file, index, &group, &error));
        must(ink_sketch_contains(group, &key, sizeof key, &maybe, &error));
        lazy = smaller(lazy, seconds() - start);
        ink_sketch_free(group);
        ink_file_close(file);
        start = seconds();
        must(ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, &error));
        checked = smaller(checked, seconds() - start);
        ink_file_close(file);
    }
    FILE *in = fopen(path, "rb");
    fseek(in, 0, SEEK_END);
    long bytes = ftell(in);
    fclose(in);
    printf("                        %.1f bytes a group; opened lazily, one group found and asked: "
           "%.1f ms (%s); "
           "opened with every byte checked: %.1f ms\n",
           (double)bytes / GROUPS, 1e3 * lazy, maybe ? "found" : "not found", 1e3 * checked);
    remove(path);
}

int main(int argc, char **argv)
{
    static const struct {
        unsigned shortest, longest;
    } lengths[] = {{8, 8}, {16, 16}, {12, 20}, {1, 12}, {0, 32}};
    char path[512];

    snprintf(path, sizeof path, "%s/inkling-bench.ink", argc > 1 ? argv[1] : "/tmp");
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        bench_hash(lengths[i].shortest, lengths[i].longest);
    bench_filter(10000);
    bench_filter(1000000);
    bench_filter(10000000);
    bench_kinds();
    bench_groups(path);
    return 0;
}
