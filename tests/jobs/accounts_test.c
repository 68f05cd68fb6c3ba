/* accounts_test.c - the bytes of the sketches that a job made are in its account, copies of threads
 * included, and what it only read or changed is not. How many copies are made depends on threads:
 * each that had work has one. */
#include "inkling_job.h"

#include "support/check.h"
#include "support/records.h"

enum { LINES = 3000, GROUPS = 7, THREADS = 4, KEYS = 1 << 20 };

static ink_error error;
static uint64_t  zeroed;

static const ink_reading lines = {.form = INK_FORM_LINES},
                         grouped = {.form = INK_FORM_TSV,
                                    .key = (const char *const[]){"1"},
                                    .key_count = 1,
                                    .by = "2"};
static const ink_params counters = {.kind = "count-min", .width = 1000, .depth = 4},
                        planned = {.kind = "bloom", .expected_keys = 10 * LINES},
                        sized = {.kind = "bloom"}, whole = {.kind = "fuse"};

static void see(void *host, const ink_region *region)
{
    (void)host;
    zeroed += region->zeroed;
}

static records_bytes text_of(unsigned groups)
{
    records_bytes text = {0};

    for (unsigned i = 0; i < LINES; i++)
        records_say(&text, groups > 0 ? "%u\t%u\n" : "%u\n", i, groups == 0 ? 0 : i % groups);
    return text;
}

/* All that the account of a job has: what follows the last region is left in it. */
static uint64_t made_in(const ink_account *account)
{
    const uint64_t all = zeroed + account->zeroed;

    zeroed = 0;
    return all;
}

/* The bytes of all sketches of a set, which are as large as the first one. */
static uint64_t bytes_of(const ink_set *set, uint64_t *one)
{
    ink_entry       entry;
    ink_description found;

    CHECK_OK(ink_set_entry(set, 0, &entry, &error));
    ink_sketch_describe(entry.sketch, &found);
    *one = found.bytes;
    return ink_set_count(set) * found.bytes;
}

/* With groups a thread has an empty sketch too, of which it makes copies. */
TEST(a_build_makes_each_sketch_once_and_threads_a_copy_each)
{
    static const struct {
        const ink_params *kind;
        unsigned          groups;
        bool              copies;
    } builds[] = {
        {&counters, 0, true}, {&planned, 0, true},       {&sized, 0, true},
        {&whole, 0, false},   {&counters, GROUPS, true}, {&planned, GROUPS, true},
    };

    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        for (unsigned threads = 1; threads <= THREADS; threads++) {
            owned_bytes     text = text_of(builds[i].groups);
            ink_account     account = {.region = see};
            ink_job         job = {.threads = threads, .chunk_bytes = 500, .account = &account};
            const ink_input input = {.memory = text.bytes, .memory_bytes = text.count};
            owned_set      *set = NULL;
            CHECK_OK(ink_build(&set, &input, 1, builds[i].groups > 0 ? &grouped : &lines,
                               &(ink_build_options){.kinds = builds[i].kind, .kind_count = 1}, &job,
                               &error));
            uint64_t       one, most = builds[i].groups > 0 ? threads : threads - 1;
            const uint64_t made = made_in(&account), all = bytes_of(set, &one);
            if (made < all || made > all + (builds[i].copies ? most * one : 0) || made % one != 0)
                fail_msg("build %zu on %u threads made %llu bytes of sketches, of which %llu are "
                         "left",
                         i, threads, (unsigned long long)made, (unsigned long long)all);
        }
}

TEST(threads_that_add_to_a_file_make_copies_and_one_thread_makes_none)
{
    owned_bytes       text = text_of(0);
    const ink_input   input = {.memory = text.bytes, .memory_bytes = text.count};
    ink_update_report report;

    for (unsigned threads = 1; threads <= THREADS; threads++) {
        ink_account account = {.region = see};
        ink_job     job = {.threads = threads, .chunk_bytes = 500, .account = &account};
        owned_set  *set = records_build(text.bytes, text.count, &lines, &counters, 1);
        CHECK_OK(ink_set_save(set, "x.ink", &error));
        CHECK_OK(ink_update("x.ink", &input, 1, &lines, &(ink_update_options){0}, &report, &job,
                            &error));
        uint64_t       one;
        const uint64_t made = made_in(&account);
        CHECK(bytes_of(set, &one) == one && made % one == 0 && made <= threads * one);
        CHECK((made > 0) == (threads > 1));
    }
}

TEST(threads_that_add_a_batch_make_copies)
{
    static int64_t  keys[KEYS];
    ink_account     account = {.region = see};
    ink_job         job = {.threads = THREADS, .account = &account};
    ink_params      params = counters;
    owned_sketch   *sketch = NULL;
    ink_description found;

    params.key_type = INK_KEY_INT;
    for (int64_t i = 0; i < KEYS; i++)
        keys[i] = i;
    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    CHECK_OK(ink_job_add_batch(sketch, &(ink_batch){.count = KEYS, .ints = keys}, &job, &error));
    ink_sketch_describe(sketch, &found);
    const uint64_t made = made_in(&account);
    CHECK(made > 0 && made % found.bytes == 0 && made <= THREADS * found.bytes);
}

RUN_TESTS_REMOVING("x.ink")
