/* large_test.c - a job that fills sketches which are large for the caches, whose hashes are sorted
 * by range on their way, gives the bytes of sketches that were filled one key at a time: each
 * thread with sketches of its own, or all together with one, with much room for hashes or little;
 * and so does a large group among small ones, which all threads fill. The caches are said to be
 * small, so that a megabyte is large. */
#include "inkling_job.h"

#include "base/system.h"
#include "base/tuning.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/records.h"
#include "support/sketches.h"

#include <stdio.h>

static ink_error error;

enum { ROWS = 60000, L2_BYTES = 64 << 10 };

static uint64_t small_caches(unsigned level)
{
    return level == 1 ? 16 << 10 : L2_BYTES;
}

static int say_small_caches(void **state)
{
    static ink__system system;

    (void)state;
    system = ink__posix;
    system.cache_bytes = small_caches;
    ink__system_replace(&system);
    return ink__tuning_now().l2_bytes == L2_BYTES ? 0 : -1;
}

static int say_the_caches_that_are_there(void **state)
{
    (void)state;
    ink__system_replace(NULL);
    return 0;
}

/* Filters of blocks, in bits: what every thread has its own of, and what they share. */
static uint64_t own_bits(void)
{
    ink__tuning now = ink__tuning_now();

    return (now.radix_from_bytes + now.private_to_bytes) / 2 * 8 / 1024 * 1024;
}

static uint64_t shared_bits(void)
{
    return (ink__tuning_now().private_to_bytes + 100000) * 8 / 1024 * 1024;
}

/* Keys that come up to three times, and empty ones among them. */
static records_data lines(size_t count)
{
    records_data of = {0};
    uint64_t     chance = 7;
    char         key[40];

    for (size_t i = 0; i < count; i++) {
        uint64_t number = records_below(&chance, count);
        int      bytes = 0;
        if (number % 1000 != 0)
            bytes = snprintf(key, sizeof key, "%llx", (unsigned long long)(number * number));
        records_put(&of.text, key, (size_t)bytes);
        records_put(&of.text, "\n", 1);
        records_add(&of.rows, key, (size_t)bytes, NULL, 0, 1);
    }
    return of;
}

/* Groups of these sizes, with columns for group, key and weight. Keys of a group come twice, and
 * others have the same. */
static records_data groups(const unsigned *sizes, size_t count)
{
    records_data of = {0};

    for (unsigned i = 0; i < sizes[0]; i++)
        for (size_t g = 0; g < count; g++)
            if (i < sizes[g]) {
                records_say(&of.text, "%zu\t%u\t%u\n", g, i / 2 * 7919, i % 5 + 1);
                of.rows.count++;
            }
    return of;
}

/* All memory is given back. */
static records_digest build(const records_data *of, const ink_reading *reading,
                            const ink_build_options *options, ink_job job)
{
    const ink_input     input = {.memory = of->text.bytes, .memory_bytes = of->text.count};
    faults_memory       memory = {.unfilled = true};
    const ink_allocator allocator = faults_allocator(&memory);
    ink_set            *set;

    job.allocator = &allocator;
    CHECK_OK(ink_build(&set, &input, 1, reading, options, &job, &error));
    assert_int_equal(job.records, of->rows.count);
    return records_digest_of_counted(set, &allocator);
}

static void check_build(const records_data *of, const ink_reading *reading,
                        const ink_build_options *options, ink_job job,
                        const records_digest *expected)
{
    records_digest digest = build(of, reading, options, job);

    if (!records_same(&digest, expected))
        fail_msg("%s of %llu bits: another file with %u threads, chunks of %llu, memory %llu",
                 options->kinds[0].kind, (unsigned long long)options->kinds[0].bits, job.threads,
                 (unsigned long long)job.chunk_bytes, (unsigned long long)job.memory_bytes);
}

/* Every number of threads, chunks that are short or long, and room for all hashes or for few. */
static void check_all_ways(const ink_params *kinds, size_t count, size_t rows)
{
    static const unsigned   threads[] = {1, 2, 3, 8, 64};
    static const uint64_t   chunks[] = {3000, 100000}, memory[] = {0, 1, 2 << 20};
    const ink_build_options options = {.kinds = kinds, .kind_count = count};
    const ink_reading       reading = {.form = INK_FORM_LINES};
    owned_records           of = lines(rows);
    records_digest          expected = records_digest_by_hand(&of.rows, &options);

    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
        for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++)
            for (size_t m = 0; m < sizeof memory / sizeof memory[0]; m++) {
                const ink_job job = {
                    .threads = threads[t], .chunk_bytes = chunks[c], .memory_bytes = memory[m]};
                if (records_light() || threads[t] > 8 ? (t + c + m) % 3 == 0 : true)
                    check_build(&of, &reading, &options, job, &expected);
            }
}

TEST(threads_with_filters_of_their_own_give_the_bytes_of_one)
{
    const ink_params kinds[] = {{.kind = "bloom", .bits = own_bits()}};

    check_all_ways(kinds, 1, ROWS);
}

TEST(threads_that_share_a_filter_give_the_bytes_of_one)
{
    const ink_params kinds[] = {{.kind = "bloom", .bits = shared_bits()}};

    check_all_ways(kinds, 1, ROWS);
}

TEST(threads_that_share_counters_give_the_bytes_of_one)
{
    const ink_params kinds[] = {{.kind = "counting", .bits = shared_bits()}};

    check_all_ways(kinds, 1, ROWS);
}

TEST(threads_that_set_bits_all_over_a_filter_give_the_bytes_of_one)
{
    const struct {
        uint64_t    bits;
        const char *hash;
    } some[] = {{own_bits() + 1, NULL}, {shared_bits() + 7, NULL}, {shared_bits() + 3, "dcso"}};

    for (size_t i = 0; i < 3; i++) {
        const ink_params kinds[] = {
            {.kind = "classic", .bits = some[i].bits, .hashes = 3, .hash = some[i].hash}};
        check_all_ways(kinds, 1, i < 2 ? ROWS : ROWS / 10);
    }
}

TEST(what_is_shared_goes_with_what_is_not)
{
    const ink_params kinds[] = {
        {.kind = "bloom", .bits = shared_bits()},
        {.kind = "hll", .precision = 10},
        {.kind = "counting", .bits = own_bits()},
        {.kind = "classic", .bits = 100000, .hashes = 4},
        {.kind = "count-min", .width = 1 << 17, .depth = 3}, /* copies that threads merge */
    };

    check_all_ways(kinds, 5, ROWS);
}

TEST(hardly_any_records_and_none_are_no_exception)
{
    const ink_params kinds[] = {{.kind = "bloom", .bits = shared_bits()}};

    check_all_ways(kinds, 1, 3);
    check_all_ways(kinds, 1, 0);
}

/* What is large is filled by ranges of the sorted hashes, by all threads: each key is added once.
 */
TEST(a_batch_to_a_large_sketch_is_added_once_by_all_threads)
{
    enum { KEYS = 200000 };
    static int64_t   keys[KEYS];
    const ink_params kinds[] = {{.kind = "bloom", .bits = shared_bits()},
                                {.kind = "counting", .expected_keys = shared_bits() / 32}};
    const ink_batch  batch = {.count = KEYS, .ints = keys};

    for (int64_t i = 0; i < KEYS; i++)
        keys[i] = i % (KEYS / 2) * 7919;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (unsigned threads = 1; threads <= 8; threads++) {
            ink_params    params = kinds[k];
            ink_job       job = {.threads = threads};
            owned_sketch *one = NULL, *many = NULL;
            params.key_type = INK_KEY_INT;
            CHECK_OK(ink_sketch_create(&one, &params, NULL, &error));
            CHECK_OK(ink_sketch_create(&many, &params, NULL, &error));
            CHECK_OK(ink_sketch_add_batch(one, &batch, &error));
            CHECK_OK(ink_job_add_batch(many, &batch, &job, &error));
            if (!sketches_equal(one, many))
                fail_msg("%s: another sketch with %u threads", params.kind, threads);
        }
}

/* Few keys have fewer blocks than there are partitions of hashes. */
TEST(filters_sized_by_their_keys_have_the_bytes_of_one_thread)
{
    const ink_params kinds[] = {{.kind = "bloom"}, {.kind = "counting"}, {.kind = "classic"}};
    const size_t     rows[] = {ROWS / 2, 9000, 300};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_all_ways(kinds, 3, rows[i]);
    /* Large enough that its bits are sorted. */
    check_all_ways(&(ink_params){.kind = "classic", .false_positive_rate = 1e-13}, 1, 100000);
}

TEST(large_groups_among_small_ones_give_the_bytes_of_one_thread)
{
    /* Two that are divided, one that is large and not divided by two threads, and small ones. */
    static const unsigned    sizes[] = {400000, 400000, 263000, 9000, 700, 1};
    static const unsigned    threads[] = {1, 2, 3, 8, 64};
    static const char *const key[] = {"2"};
    static const struct {
        const char *weight;
        size_t      count;
        ink_params  kinds[3];
    } cases[] = {
        {NULL, 1, {{.kind = "bloom"}}}, /* sized by the keys */
        {NULL, 3, {{.kind = "counting"}, {.kind = "hll", .precision = 10}, {.kind = "bloom"}}},
        {"3", 2, {{.kind = "counting"}, {.kind = "count-min", .width = 64, .depth = 2}}},
        {NULL, 2, {{.kind = "hll"}, {.kind = "fm"}}}, /* owned by each thread */
        {"3", 2, {{.kind = "hll"}, {.kind = "count-min", .width = 64, .depth = 2}}},
        {NULL, 1, {{.kind = "bloom", .expected_keys = 200000}}},
    };
    owned_records of = groups(sizes, sizeof sizes / sizeof sizes[0]);

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const ink_reading reading = {
            .form = INK_FORM_TSV, .key = key, .key_count = 1, .by = "1", .weight = cases[c].weight};
        const ink_build_options options = {.kinds = cases[c].kinds, .kind_count = cases[c].count};
        records_digest          expected;
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            const ink_job job = {
                .threads = threads[t],
                .chunk_bytes = t % 2 == 0 ? 0 : 3000,
                .memory_bytes = t % 3 == 0 ? 0 : 4 << 20,
            };
            if (t == 0)
                expected = build(&of, &reading, &options, job);
            else if (!records_light() || (c + t) % 4 == 0)
                check_build(&of, &reading, &options, job, &expected);
        }
    }
}

RUN_TESTS(.begin = say_small_caches, .end = say_the_caches_that_are_there)
