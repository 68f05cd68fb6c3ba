/* core.c - what `make bench-core` prints: the core's speed as ratios of runs side by side in one
 * process, the minimum of several rounds. Run it on an idle machine.
 *   core [FOLDER]            everything; a file is written into the folder and removed again
 *   core filter [KEYS]       only a filter of KEYS integers, such as 1e8
 *   core small               only single keys and small sketches */
#include "inkling_file.h"

#include "base/memory.h"
#include "base/mix.h"
#include "kernels/dispatch.h"
#include "kernels/xxh3_batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ROUNDS = 7 };

static ink_error error;

static void must(ink_status status)
{
    if (status == INK_OK)
        return;
    fprintf(stderr, "bench: %s\n", error.message);
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
            ink__kernels_fastest()->xxh3_batch(bytes, offsets + i, offsets + i + 1,
                                               INK__XXH3_BATCH_MAX, 7, hashes + i);
        batch = smaller(batch, seconds() - start);
        for (size_t i = 0; i < HASH_KEYS; i++)
            sum -= hashes[i];
    }
    printf("hash, %2u to %2u bytes    XXH3 one by one %5.2f ns, in batches %5.2f ns: %.2fx%s\n",
           shortest, longest, 1e9 * one / HASH_KEYS, 1e9 * batch / HASH_KEYS, one / batch,
           sum == 0 ? "" : " (values differ!)");
}

/* ---- Filters ------------------------------------------------------------------------------ */

/* The limit of a filter that is larger than the cache: as many random lines of as much memory, read
 * or read and written, asked for 64 ahead. */
enum { AHEAD = 64 };

static size_t line_of(uint64_t hash, uint64_t lines)
{
    return (size_t)((hash >> 32) * lines >> 32);
}

/* Asks for the lines of the window that starts at `from`. */
#define FETCH_LINES(from, write)                                                                   \
    for (size_t fetch = (from); fetch < count && fetch < (from) + AHEAD; fetch++)                  \
    __builtin_prefetch(lines[line_of(hashes[fetch], line_count)], (write), 3)

static volatile uint64_t kept; /* what is not used would not be read */

static double time_reads(uint64_t (*lines)[8], uint64_t line_count, const uint64_t *hashes,
                         size_t count)
{
    uint64_t sum = 0;
    double   start = seconds();

    FETCH_LINES((size_t)0, 0);
    for (size_t i = 0; i < count; i += AHEAD) {
        FETCH_LINES(i + AHEAD, 0);
        for (size_t j = i; j < count && j < i + AHEAD; j++)
            sum += lines[line_of(hashes[j], line_count)][0];
    }
    kept = sum;
    return seconds() - start;
}

#if defined(__x86_64__)
__attribute__((target("prfchw")))
#endif
static double
time_writes(uint64_t (*lines)[8], uint64_t line_count, const uint64_t *hashes, size_t count)
{
    double start = seconds();

    FETCH_LINES((size_t)0, 1);
    for (size_t i = 0; i < count; i += AHEAD) {
        FETCH_LINES(i + AHEAD, 1);
        for (size_t j = i; j < count && j < i + AHEAD; j++)
            lines[line_of(hashes[j], line_count)][0]++;
    }
    return seconds() - start;
}

#if defined(__x86_64__)
/* How other libraries of split blocks go about it: key by key, hash and block in one loop. */
__attribute__((target("avx2"))) static inline __m256i bits_of(uint64_t hash)
{
    const __m256i salt = _mm256_setr_epi32(0x47b6137b, 0x44974d91, (int)0x8824ad5b, (int)0xa2b7289d,
                                           0x705495c7, 0x2df1424b, (int)0x9efc4947, 0x5c6bfb31);
    __m256i       product = _mm256_mullo_epi32(_mm256_set1_epi32((int)(uint32_t)hash), salt);

    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

__attribute__((target("avx2"))) static double
time_one_by_one(uint8_t *bits, uint64_t blocks, const int64_t *keys, size_t count, uint8_t *answers)
{
    double start = seconds();

    for (size_t i = 0; i < count; i++) {
        uint64_t hash = ink__mix64((uint64_t)keys[i]);
        __m256i *block = (__m256i *)(void *)(bits + ((hash >> 32) * blocks >> 32) * 32);
        if (answers == NULL)
            _mm256_store_si256(block, _mm256_or_si256(_mm256_load_si256(block), bits_of(hash)));
        else
            answers[i] = (uint8_t)_mm256_testc_si256(_mm256_load_si256(block), bits_of(hash));
    }
    return seconds() - start;
}
#endif

/* What is timed of a filter, each the smallest of all rounds. */
enum { READ, WRITE, ADD, ADD_SOME, HIT, MISS, PLAIN_ADD, PLAIN_HIT, TIMES };

typedef struct filter_bench {
    ink_sketch *sketch;
    ink__block  lines, plain; /* as large as the filter */
    uint64_t    blocks;
    int64_t    *keys; /* `count` that are in, and as many that are not */
    uint64_t   *hashes;
    size_t      count;
    uint8_t    *answers;
    double      times[TIMES];
} filter_bench;

static double time_add(filter_bench *bench, size_t each)
{
    double start = seconds();

    for (size_t i = 0; i < bench->count; i += each) {
        const ink_batch batch = {.count = bench->count - i < each ? bench->count - i : each,
                                 .ints = bench->keys + i};
        must(ink_sketch_add_batch(bench->sketch, &batch, &error));
    }
    return seconds() - start;
}

static double time_ask(filter_bench *bench, const int64_t *keys)
{
    const ink_batch batch = {.count = bench->count, .ints = keys};
    double          start = seconds();

    must(ink_sketch_contains_batch(bench->sketch, &batch, bench->answers, &error));
    return seconds() - start;
}

static void time_filter(filter_bench *b)
{
    uint64_t(*lines)[8] = (uint64_t(*)[8])(void *)b->lines.data;
    uint64_t line_count = b->lines.bytes / 64;
    double   now[TIMES] = {
          [READ] = time_reads(lines, line_count, b->hashes, b->count),
          [HIT] = time_ask(b, b->keys),
          [MISS] = time_ask(b, b->keys + b->count),
          [WRITE] = time_writes(lines, line_count, b->hashes, b->count),
          [ADD_SOME] = time_add(b, 1 << 16),
          [ADD] = time_add(b, b->count),
#if defined(__x86_64__)
        [PLAIN_ADD] = time_one_by_one(b->plain.data, b->blocks, b->keys, b->count, NULL),
        [PLAIN_HIT] = time_one_by_one(b->plain.data, b->blocks, b->keys, b->count, b->answers),
#endif
    };

    for (int i = 0; i < TIMES; i++)
        b->times[i] = smaller(b->times[i], now[i]);
}

static void print_filter(const filter_bench *b, size_t keys, const char *table)
{
    double ns[TIMES];

    for (int i = 0; i < TIMES; i++)
        ns[i] = 1e9 * b->times[i] / (double)b->count;
    printf("bloom, %9zu ints   %s, %.2f MB; random lines: read %.2f ns, read and written %.2f ns\n",
           keys, table, 1e-6 * (double)b->lines.bytes, ns[READ], ns[WRITE]);
    printf("                        add %.2f ns (%.2fx the limit; 65536 at a time %.2f ns, %.2fx), "
           "hit "
           "%.2f ns (%.2fx), miss %.2f ns (%.2fx)\n",
           ns[ADD], ns[ADD] / ns[WRITE], ns[ADD_SOME], ns[ADD_SOME] / ns[WRITE], ns[HIT],
           ns[HIT] / ns[READ], ns[MISS], ns[MISS] / ns[READ]);
    if (ns[PLAIN_ADD] > 0)
        printf(
            "                        a loop of AVX2 key by key: add %.2f ns, %.2f times ours; hit "
            "%.2f ns, %.2f times ours\n",
            ns[PLAIN_ADD], ns[PLAIN_ADD] / ns[ADD_SOME], ns[PLAIN_HIT], ns[PLAIN_HIT] / ns[HIT]);
}

/* A filter of `keys` integers; of many, a tenth is timed, or fewer. */
static void bench_filter(size_t keys)
{
    enum { TIMED_MAX = 10000000 };
    const ink_params    params = {.kind = "bloom", .expected_keys = keys, .key_type = INK_KEY_INT};
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    filter_bench        b = {.count = keys < TIMED_MAX ? keys : TIMED_MAX};
    const ink__kernels *table;
    ink_description     d;

    must(ink__kernels_choose(&table, &error));
    must(ink_sketch_create(&b.sketch, &params, NULL, &error));
    ink_sketch_describe(b.sketch, &d);
    b.blocks = d.bytes / 32;
    must(ink__block_create(&b.lines, &heap, d.bytes, &error));
    must(ink__block_create(&b.plain, &heap, d.bytes, &error));
    b.keys = malloc(2 * b.count * sizeof *b.keys);
    b.hashes = malloc(b.count * sizeof *b.hashes);
    b.answers = malloc(b.count);
    memset(b.answers, 0, b.count);
    for (size_t i = 0; i < 2 * b.count; i++)
        b.keys[i] = (int64_t)random_u64();
    for (size_t i = 0; i < b.count; i++)
        b.hashes[i] = random_u64();
    for (int i = 0; i < TIMES; i++)
        b.times[i] = 1e9;
    /* A small one is soon done: more rounds, so that some of them are undisturbed. */
    for (size_t round = 0; round < ROUNDS + 3000000 / b.count; round++)
        time_filter(&b);
    print_filter(&b, keys, table->name);
    ink_sketch_free(b.sketch);
    ink__block_release(&b.lines, &heap);
    ink__block_release(&b.plain, &heap);
    free(b.keys);
    free(b.hashes);
    free(b.answers);
}

/* ---- Kinds that count --------------------------------------------------------------------- */

/* The yardstick of what stays in the cache: mixing 64 bits once (fmix64), key by key, the smallest
 * of some passes, as the first brings the keys into the cache. */
static double time_mix(const uint64_t *hashes)
{
    enum { MIXED = 4096, PASSES = 8 };
    double least = 1e9;

    for (int pass = 0; pass < PASSES; pass++) {
        uint64_t sum = 0;
        double   start = seconds();
        for (size_t i = 0; i < MIXED; i++)
            sum += ink__mix64(hashes[i]);
        kept = sum;
        least = smaller(least, (seconds() - start) / MIXED);
    }
    return least;
}

/* What is timed of a kind that counts: seconds a key, each the smallest of all rounds; the limit is
 * one random line for each that a key touches. */
enum { MIX, LINES_READ, LINES_WRITTEN, COUNT_ADD, COUNT_ASK, COUNT_TIMES };

typedef struct count_bench {
    ink_sketch *sketch;
    ink__block  lines;              /* as large as the sketch */
    uint64_t   *hashes, *locations; /* of the keys, and of the lines that they touch */
    size_t      keys, touched;
    double      times[COUNT_TIMES];
} count_bench;

enum { ASKED = 1024 };

static double time_counts(const count_bench *b)
{
    static ink_answer answers[ASKED];
    double            start = seconds();

    for (size_t i = 0; i < b->keys; i += ASKED) {
        const ink_batch batch = {.count = b->keys - i < ASKED ? b->keys - i : ASKED,
                                 .hashes = b->hashes + i};
        must(ink_sketch_count_batch(b->sketch, &batch, answers, &error));
    }
    return seconds() - start;
}

static double time_adds(const count_bench *b)
{
    const ink_batch batch = {.count = b->keys, .hashes = b->hashes};
    double          start = seconds();

    must(ink_sketch_add_batch(b->sketch, &batch, &error));
    return seconds() - start;
}

static void time_kind(count_bench *b)
{
    uint64_t(*lines)[8] = (uint64_t(*)[8])(void *)b->lines.data;
    double keys = (double)b->keys;
    double now[COUNT_TIMES] = {
        [MIX] = time_mix(b->hashes),
        [LINES_READ] = time_reads(lines, b->lines.bytes / 64, b->locations, b->touched) / keys,
        [LINES_WRITTEN] = time_writes(lines, b->lines.bytes / 64, b->locations, b->touched) / keys,
        [COUNT_ADD] = smaller(time_adds(b), time_adds(b)) / keys,
        [COUNT_ASK] = smaller(time_counts(b), time_counts(b)) / keys,
    };

    for (int i = 0; i < COUNT_TIMES; i++)
        b->times[i] = smaller(b->times[i], now[i]);
}

/* Goals of adding and asking, in times fmix64 where the sketch stays in the cache, else in times
 * the limit; 0: none is set. */
typedef struct goals {
    bool   cached;
    double add, ask;
} goals;

static void print_goal(const char *what, double time, double unit, const char *name, double goal)
{
    printf(" %s %.2f ns: %.2f times %s", what, 1e9 * time, time / unit, name);
    if (goal != 0)
        printf(" (goal %.2f)", goal);
}

static void bench_counters(const char *name, const ink_params *params, size_t keys, unsigned each,
                           goals goal)
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    count_bench         b = {.keys = keys, .touched = each * keys};
    ink_description     d;

    must(ink_sketch_create(&b.sketch, params, NULL, &error));
    ink_sketch_describe(b.sketch, &d);
    must(ink__block_create(&b.lines, &heap, d.bytes, &error));
    b.hashes = malloc(b.keys * sizeof *b.hashes);
    b.locations = malloc(b.touched * sizeof *b.locations);
    for (size_t i = 0; i < b.keys; i++)
        b.hashes[i] = random_u64();
    for (size_t i = 0; i < b.touched; i++)
        b.locations[i] = random_u64();
    for (int i = 0; i < COUNT_TIMES; i++)
        b.times[i] = 1e9;
    for (size_t round = 0; round < ROUNDS + 500000 / keys; round++)
        time_kind(&b);
    printf("%-23s fmix64 %.2f ns, %u random lines of %.2f MB: read %.2f ns, read and written %.2f "
           "ns\n                       ",
           name, 1e9 * b.times[MIX], each, 1e-6 * (double)d.bytes, 1e9 * b.times[LINES_READ],
           1e9 * b.times[LINES_WRITTEN]);
    print_goal("add", b.times[COUNT_ADD], b.times[goal.cached ? MIX : LINES_WRITTEN],
               goal.cached ? "fmix64" : "the limit", goal.add);
    print_goal("ask", b.times[COUNT_ASK], b.times[goal.cached ? MIX : LINES_READ],
               goal.cached ? "fmix64" : "the limit", goal.ask);
    printf("\n");
    ink_sketch_free(b.sketch);
    ink__block_release(&b.lines, &heap);
    free(b.hashes);
    free(b.locations);
}

/* The time of adding all keys to a new sketch, a key, and that of fmix64; the smallest of all
 * rounds.
 */
static double time_new(const ink_params *params, const int64_t *keys, size_t count, double *mix)
{
    const ink_batch batch = {.count = count, .ints = keys};
    double          least = 1e9;

    for (size_t round = 0; round < ROUNDS + 500000 / count; round++) {
        ink_sketch *sketch;
        must(ink_sketch_create(&sketch, params, NULL, &error));
        double start = seconds();
        must(ink_sketch_add_batch(sketch, &batch, &error));
        least = smaller(least, (seconds() - start) / (double)count);
        ink_sketch_free(sketch);
        *mix = smaller(*mix, time_mix((const uint64_t *)(const void *)keys));
    }
    return least;
}

/* A stream as Zipf has it (about), and one of keys that are all different. */
static void bench_top_and_distinct(const ink__kernels *table)
{
    enum { KEYS = 1 << 20, FEW = 1 << 16 };
    const ink_params top = {.kind = "top", .key_type = INK_KEY_INT};
    const ink_params hll = {.kind = "hll", .key_type = INK_KEY_INT};
    const ink_params fm = {.kind = "fm", .key_type = INK_KEY_INT};
    static int64_t   skewed[KEYS], different[KEYS];
    double           mix = 1e9;

    for (size_t i = 0; i < KEYS; i++) {
        double u = ((double)(random_u64() >> 11) + 0.5) * 0x1p-53;
        skewed[i] = (int64_t)(1 / u);
        different[i] = (int64_t)random_u64();
    }
    double few = time_new(&hll, different, FEW, &mix);
    double textbook = time_new(&fm, different, FEW / 16, &mix);
    printf("hll, 2^14 registers     fmix64 %.2f ns", 1e9 * mix);
    print_goal("add", few, mix, "fmix64",
               strcmp(table->name, "avx512") == 0 ? 1.8 / 0.53 : 2.4 / 0.53);
    printf("; fm, 144 sub-sketches: add %.1f ns\n", 1e9 * textbook);
    double of_skewed = time_new(&top, skewed, KEYS, &mix);
    printf("top, 1024 counters      add %5.2f ns for a skewed stream, %.2f ns for keys that all "
           "differ\n",
           1e9 * of_skewed, 1e9 * time_new(&top, different, KEYS, &mix));
}

static void bench_kinds(void)
{
    const ink__kernels *table;

    must(ink__kernels_choose(&table, &error));
    bench_counters("count-min, 4 x 2^16",
                   &(ink_params){.kind = "count-min", .width = 1 << 16, .depth = 4}, 1 << 15, 4,
                   (goals){true, 7.5 / 0.53, 3.5 / 0.53});
    bench_counters("count-min, 4 x 2^22",
                   &(ink_params){.kind = "count-min", .width = 1 << 22, .depth = 4}, 1 << 18, 4,
                   (goals){false, 1.15, 0});
    bench_counters("counting, 1e4 keys", &(ink_params){.kind = "counting", .expected_keys = 10000},
                   10000, 2, (goals){true, 0, 0});
    bench_counters("counting, 1e6 keys",
                   &(ink_params){.kind = "counting", .expected_keys = 1000000}, 1000000, 2,
                   (goals){false, 0, 0});
    bench_top_and_distinct(table);
}

/* ---- Single keys and small sketches ------------------------------------------------------- */

enum { CALLS = 4096, WORD_BYTES = 12, LEVEL_KEYS = 64, LEVELS = 13 };

/* What is called, and the keys: numbers from 0 on, so that others are negative, or bytes. */
static ink_sketch *called;
static int64_t     numbers[LEVEL_KEYS << LEVELS];
static char        words[CALLS][WORD_BYTES + 1];

#define FOR_EACH_CALL(call)                                                                        \
    for (size_t i = 0; i < CALLS; i++)                                                             \
    kept += (uint64_t)(call)

static void call_maybe(void)
{
    FOR_EACH_CALL(ink_sketch_maybe(called, words[i], WORD_BYTES));
}

static void call_add(void)
{
    FOR_EACH_CALL(ink_sketch_add(called, words[i], WORD_BYTES, &error));
}

static void call_maybe_int(void)
{
    FOR_EACH_CALL(ink_sketch_maybe_int(called, numbers[i]));
}

/* Of all that were added. */
static void call_maybe_any(void)
{
    FOR_EACH_CALL(ink_sketch_maybe_int(called, numbers[i * (LEVEL_KEYS << LEVELS) / CALLS]));
}

static void call_maybe_other(void)
{
    FOR_EACH_CALL(ink_sketch_maybe_int(called, numbers[i] ^ INT64_MIN));
}

static void call_add_int(void)
{
    FOR_EACH_CALL(ink_sketch_add_int(called, numbers[i], &error));
}

static void call_count(void)
{
    ink_answer answer;

    FOR_EACH_CALL(ink_sketch_count_int(called, numbers[i], &answer, &error));
}

static void call_describe(void)
{
    ink_description description;

    for (size_t i = 0; i < CALLS; i++) {
        ink_sketch_describe(called, &description);
        kept += description.bytes;
    }
}

static void call_encode(void)
{
    uint8_t *bytes;
    size_t   count;

    must(ink_sketch_encode(called, &bytes, &count, &error));
    ink_bytes_free(bytes, count, NULL);
}

static void print_row(const char *what, double time, double goal_ns)
{
    printf("%-49s %7.1f ns (goal %.0f)\n", what, 1e9 * time, goal_ns);
}

/* The smallest time of a call on a sketch that has the first `keys` keys. */
static double time_calls(const ink_params *params, size_t keys, void (*call)(void), size_t calls)
{
    double least = 1e9;

    must(ink_sketch_create(&called, params, NULL, &error));
    for (size_t i = 0; i < keys; i++)
        must(params->key_type == INK_KEY_INT
                 ? ink_sketch_add_int(called, numbers[i], &error)
                 : ink_sketch_add(called, words[i % CALLS], WORD_BYTES, &error));
    for (int round = 0; round < 300; round++) {
        double start = seconds();
        call();
        least = smaller(least, (seconds() - start) / (double)calls);
    }
    ink_sketch_free(called);
    return least;
}

static void bench_calls(void)
{
    const ink_params bytes = {.kind = "bloom", .expected_keys = 10000};
    const ink_params ints = {.kind = "bloom", .expected_keys = 10000, .key_type = INK_KEY_INT};
    const ink_params counts = {
        .kind = "count-min", .width = 4096, .depth = 4, .key_type = INK_KEY_INT};
    const ink_params hll = {.kind = "hll", .key_type = INK_KEY_INT};
    const ink_params chain = {
        .kind = "scalable", .expected_keys = LEVEL_KEYS, .key_type = INK_KEY_INT};
    const size_t all = (LEVEL_KEYS << LEVELS) - LEVEL_KEYS;
    const struct {
        const char       *what;
        const ink_params *params;
        size_t            keys, calls;
        void (*call)(void);
        double goal_ns;
    } rows[] = {
        {"one key: bloom of 1e4, maybe", &bytes, CALLS, CALLS, call_maybe, 25},
        {"one key: bloom of 1e4, add", &bytes, CALLS, CALLS, call_add, 25},
        {"one key: bloom of 1e4, maybe_int", &ints, CALLS, CALLS, call_maybe_int, 25},
        {"one key: bloom of 1e4, add_int", &ints, CALLS, CALLS, call_add_int, 25},
        {"one key: count-min 4 x 4096, count_int", &counts, CALLS, CALLS, call_count, 45},
        {"one key: scalable of 13 levels, a key that is in", &chain, all, CALLS, call_maybe_any,
         300},
        {"one key: scalable of 13 levels, another", &chain, all, CALLS, call_maybe_other, 300},
        {"encode: hll of 4,000 keys", &hll, 4000, 1, call_encode, 5000},
    };
    double slowest = 0;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers[i] = (int64_t)(random_u64() >> 1);
    for (size_t i = 0; i < CALLS; i++)
        snprintf(words[i], sizeof words[i], "%012" PRIx64, random_u64() >> 16);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        print_row(rows[i].what,
                  time_calls(rows[i].params, rows[i].keys, rows[i].call, rows[i].calls),
                  rows[i].goal_ns);
    for (size_t i = 0; ink_kind_name(i) != NULL; i++) {
        ink_params    params = {.kind = ink_kind_name(i), .key_type = INK_KEY_INT};
        bool          chained = strcmp(params.kind, chain.kind) == 0;
        ink_kind_info info;
        must(ink_kind_describe(params.kind, &info, &error));
        if (info.contains)
            params.expected_keys = chained ? LEVEL_KEYS : CALLS;
        double time = time_calls(&params, chained ? all : CALLS, call_describe, CALLS);
        slowest = time > slowest ? time : slowest;
    }
    print_row("describe: the kind that takes longest", slowest, 50);
}

/* A thousand sketches, and keys that go round them in one call. */
static void bench_each(const char *what, const ink_params *params)
{
    enum { SKETCHES = 1000, KEYS = 1000000 };
    static ink_sketch *to[KEYS];
    int64_t           *keys = malloc(KEYS * sizeof *keys);
    double             least = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < SKETCHES; i++)
            must(ink_sketch_create(&to[i], params, NULL, &error));
        for (size_t i = 0; i < KEYS; i++) {
            to[i] = to[i % SKETCHES];
            keys[i] = (int64_t)random_u64();
        }
        double start = seconds();
        must(ink_add_each(to, &(ink_batch){.count = KEYS, .ints = keys}, &error));
        least = smaller(least, (seconds() - start) / KEYS);
        for (size_t i = 0; i < SKETCHES; i++)
            ink_sketch_free(to[i]);
    }
    print_row(what, least, 30);
    free(keys);
}

static void bench_small(void)
{
    double least = 1e9;

    bench_calls();
    bench_each("a thousand hll, a million keys in one call",
               &(ink_params){.kind = "hll", .key_type = INK_KEY_INT});
    bench_each("a thousand bloom of 1e3, the same",
               &(ink_params){.kind = "bloom", .expected_keys = 1000, .key_type = INK_KEY_INT});
    bench_each(
        "a thousand count-min 4 x 1024, the same",
        &(ink_params){.kind = "count-min", .width = 1024, .depth = 4, .key_type = INK_KEY_INT});
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        must(ink_sketch_create(&called, &(ink_params){.kind = "bloom", .bits = (uint64_t)1 << 33},
                               NULL, &error));
        least = smaller(least, seconds() - start);
        ink_sketch_free(called);
    }
    print_row("create: 1 GiB in zeroed memory", least, 1e6);
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
    must(ink_contents_save(path, &(ink_contents){.entries = entries, .entry_count = GROUPS},
                           &error));
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

    if (argc > 1 && strcmp(argv[1], "filter") == 0) {
        bench_filter(argc > 2 ? (size_t)strtod(argv[2], NULL) : 1000000);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "small") == 0) {
        bench_small();
        return 0;
    }
    snprintf(path, sizeof path, "%s/inkling-bench.ink", argc > 1 ? argv[1] : "/tmp");
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        bench_hash(lengths[i].shortest, lengths[i].longest);
    bench_filter(10000);
    bench_filter(1000000);
    bench_filter(10000000);
    bench_kinds();
    bench_small();
    bench_groups(path);
    return 0;
}
