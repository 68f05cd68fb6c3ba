/* groups_test.c - builds with very many small groups stay within the memory that they were given,
 * and sketches that cannot are refused with both numbers. 100,000 groups of ten keys; with
 * INK_ACCURACY=full a million, with INK_TEST_LIGHT a thousand. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/owned.h"
#include "support/records.h"
#include "support/sketches.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static ink_error error;

enum { KEYS = 10 };
static const char *const key_column[] = {"2"};
static const ink_reading by_group = {
    .form = INK_FORM_TSV, .key = key_column, .key_count = 1, .by = "1"};

static bool full(void)
{
    const char *wanted = getenv("INK_ACCURACY");

    return wanted != NULL && strcmp(wanted, "full") == 0;
}

/* ---- Memory that is counted by many threads ----------------------------------------------- */

typedef struct ledger {
    atomic_uint_fast64_t live, most;
} ledger;

static void *count_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    ledger *to = host;

    if (new_bytes == 0) {
        free(block);
        atomic_fetch_sub(&to->live, old_bytes);
        return NULL;
    }
    void *fresh = realloc(block, new_bytes);
    if (fresh == NULL)
        return NULL;
    uint64_t live = atomic_fetch_add(&to->live, new_bytes - old_bytes) + new_bytes - old_bytes;
    uint64_t most = atomic_load(&to->most);
    while (live > most && !atomic_compare_exchange_weak(&to->most, &most, live))
        ;
    return fresh;
}

/* ---- Many groups -------------------------------------------------------------------------- */

/* Ten keys for each group, in an order in which no two of a group are neighbours; one comes twice.
 */
static records_bytes many_groups(unsigned groups)
{
    records_bytes text = {0};

    for (unsigned round = 0; round <= KEYS; round++)
        for (unsigned g = 0; g < groups; g++)
            records_say(&text, "g%u\t%u-%u\n", g, g, round % KEYS);
    return text;
}

static ink_sketch *group_by_hand(ink_params params, unsigned group)
{
    ink_kind_info info;
    ink_sketch   *sketch;
    char          key[32];

    CHECK_OK(ink_kind_describe(params.kind, &info, &error));
    if (info.sized_by_keys)
        params.expected_keys = KEYS;
    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    for (unsigned round = 0; round <= KEYS; round++) {
        int bytes = snprintf(key, sizeof key, "%u-%u", group, round % KEYS);
        CHECK_OK(ink_sketch_add(sketch, key, (size_t)bytes, &error));
    }
    return sketch;
}

static void check_group(const ink_file *file, const ink_params *params, unsigned group)
{
    char          name[32];
    size_t        index;
    owned_sketch *sketch = NULL, *by_hand = group_by_hand(*params, group);

    snprintf(name, sizeof name, "g%u", group);
    const ink_label label = ink_group(name);
    CHECK_OK(ink_file_find(file, params->kind, &label, &index, &error));
    CHECK_OK(ink_file_sketch(file, index, &sketch, &error));
    CHECK(sketches_equal(sketch, by_hand));
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Builds, looks at some groups, and returns the most bytes that were held. */
static uint64_t check_many(const records_bytes *text, unsigned groups, const ink_params *kinds,
                           size_t kind_count, uint64_t memory_bytes)
{
    ledger                  held = {0};
    const ink_allocator     allocator = {.resize = count_resize, .host = &held};
    const ink_input         input = {.memory = text->bytes, .memory_bytes = text->count};
    const ink_build_options options = {.kinds = kinds, .kind_count = kind_count};
    ink_job                 job = {
                        .threads = 2, .memory_bytes = memory_bytes, .allocator = &allocator, .temp_folder = "."};
    ink_set  *set;
    double    began = seconds_now();
    uint8_t  *bytes;
    size_t    count;
    ink_file *file;

    CHECK_OK(ink_build(&set, &input, 1, &by_group, &options, &job, &error));
    if (full())
        print_message("# %u groups, %s: %.2f s, %.0f MiB at most\n", groups, kinds[0].kind,
                      seconds_now() - began, (double)held.most / (1 << 20));
    uint64_t most = held.most;
    assert_int_equal(ink_set_count(set), groups * kind_count);
    CHECK_OK(ink_set_encode(set, &bytes, &count, &error));
    ink_set_free(set);
    CHECK_OK(ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, NULL, &error));
    for (unsigned g = 0; g < groups; g += 1 + groups / 200)
        for (size_t k = 0; k < kind_count; k++)
            check_group(file, &kinds[k], g);
    ink_file_close(file);
    ink_bytes_free(bytes, count, &allocator);
    assert_int_equal(held.live, 0);
    return most;
}

TEST(very_many_groups_stay_within_memory)
{
    const ink_params bloom[] = {{.kind = "bloom"}};
    const ink_params others[] = {{.kind = "hll"}, {.kind = "fm"}};
    unsigned         groups = records_light() ? 1000 : full() ? 1000000 : 100000;
    owned_bytes      text = many_groups(groups);

    /* A sketch of ten keys, its label and what was kept: under 1 GiB for a million groups. */
    uint64_t allowed = ((uint64_t)1 << 30) / 1000000 * groups + (16 << 20);
    CHECK(check_many(&text, groups, bloom, 1, (uint64_t)1 << 30) <= allowed);
    records_bytes_free(&text);
    groups = groups > 100000 ? 100000 : groups;
    text = many_groups(groups);
    check_many(&text, groups, others, 2, (uint64_t)1 << 30);
}

TEST(what_was_kept_of_many_groups_goes_to_disk)
{
    const ink_params bloom[] = {{.kind = "bloom"}, {.kind = "counting"}};
    unsigned         groups = records_light() ? 1000 : 10000;
    owned_bytes      text = many_groups(groups);

    check_many(&text, groups, bloom, 2, 2 << 20);
    assert_int_equal(records_names_in("."), 0);
}

/* ---- Limits ------------------------------------------------------------------------------- */

TEST(groups_that_do_not_fit_are_refused_with_both_numbers)
{
    static const ink_params kinds[] = {
        {.kind = "count-min", .width = 1000, .depth = 4},
        {.kind = "count-min", .width = 1000, .depth = 4, .conservative = true},
    };
    owned_bytes     text = many_groups(300);
    const ink_input input = {.memory = text.bytes, .memory_bytes = text.count};
    char            number[32];

    for (size_t i = 0; i < 2; i++)
        for (unsigned threads = 1; threads <= 3; threads++) {
            const ink_build_options options = {.kinds = &kinds[i], .kind_count = 1};
            ink_description         plan;
            ink_job                 job = {.threads = threads, .memory_bytes = 1 << 20};
            ink_set                *set;
            CHECK_OK(ink_plan(&kinds[i], &plan, &error));
            snprintf(number, sizeof number, "%" PRIu64 " bytes", plan.bytes_max);
            CHECK_FAILS(ink_build(&set, &input, 1, &by_group, &options, &job, &error), INK_LIMIT,
                        number);
            CHECK(strstr(error.message, "1048576 bytes") != NULL);
            job.memory_bytes = 300 * plan.bytes_max; /* just enough */
            CHECK_OK(ink_build(&set, &input, 1, &by_group, &options, &job, &error));
            ink_set_free(set);
        }
}

/* More groups than a thread looks at in one task. */
TEST(filters_above_their_promise_are_all_found_by_any_number_of_threads)
{
    static const ink_params kinds[] = {{.kind = "classic", .expected_keys = 1}, {.kind = "bloom"}};
    static const unsigned   threads[] = {1, 2, 16};
    const ink_build_options options = {.kinds = kinds, .kind_count = 2};
    owned_bytes             text = many_groups(9000);
    const ink_input input = {.path = "text", .memory = text.bytes, .memory_bytes = text.count};
    char            first[sizeof error.message] = "";

    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        ink_job  job = {.threads = threads[t], .chunk_bytes = 5000};
        ink_set *set;
        CHECK_FAILS(ink_build(&set, &input, 1, &by_group, &options, &job, &error), INK_PROMISE,
                    "9000 of 18000 filters");
        CHECK(strstr(error.message, " and 8997 more") != NULL);
        assert_null(job.failed_path); /* it is about all inputs */
        if (t == 0)
            memcpy(first, error.message, sizeof first);
        assert_string_equal(first, error.message);
    }
}

/* Tops take what their keys take, and not what they could. */
TEST(groups_that_keep_keys_are_refused_by_what_they_keep)
{
    static const ink_params top = {.kind = "top"};
    const ink_build_options options = {.kinds = &top, .kind_count = 1};
    owned_bytes             text = many_groups(3000);
    const ink_input         input = {.memory = text.bytes, .memory_bytes = text.count};
    ink_set                *set;

    for (unsigned threads = 1; threads <= 7; threads += 3) {
        ink_job job = {.threads = threads, .chunk_bytes = 1 << 12, .memory_bytes = 2000 * 1024};
        CHECK_FAILS(ink_build(&set, &input, 1, &by_group, &options, &job, &error), INK_LIMIT,
                    "groups with more than 2048000 bytes of keys and counts in all");
        /* Ten keys of a few bytes, and not the two megabytes of a full top. */
        job.memory_bytes = 3000 * 4096;
        CHECK_OK(ink_build(&set, &input, 1, &by_group, &options, &job, &error));
        ink_set_free(set);
    }
}

RUN_TESTS()
