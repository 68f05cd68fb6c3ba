/* sizes_test.c - what keeps the texts of a level: a table or a filter, in memory or in ranges, by
 * the memory that there is, from both sides of each limit; and how many texts samples show. */
#include "jobs/dedup/sizes.h"

#include "base/memory.h"
#include "jobs/dedup/passes.h"
#include "support/check.h"
#include "support/records.h"

#include <stdio.h>
#include <unistd.h>

static ink_error error;

/* ---- What keeps them ---------------------------------------------------------------------- */

enum { EXACT, PARAGRAPHS, NGRAMS, LEVELS };
_Static_assert(INK_DEDUP_EXACT == (int)EXACT && INK_DEDUP_NGRAMS == (int)NGRAMS, "as they are");

static const ink_dedup_sink rows = {0};

static ink_status size_one(const ink_dedup_options *options, int level, double texts,
                           uint64_t memory, unsigned threads, ink__level_size *size)
{
    bool            used[INK_DEDUP_LEVELS] = {false};
    double          all[INK__SEEN_LEVELS] = {0};
    ink__level_size sizes[INK__SEEN_LEVELS];

    used[level] = true;
    all[level] = texts;
    ink_status status = ink__dedup_size(options, used, all, memory, threads, sizes, &error);
    *size = sizes[level];
    return status;
}

/* A filter for so many keys: as ink_plan has it. */
static ink_description filter_for(uint64_t keys, double rate)
{
    const ink_params params = {.kind = "bloom", .expected_keys = keys, .false_positive_rate = rate};
    ink_description  plan;

    CHECK_OK(ink_plan(&params, &plan, &error));
    return plan;
}

/* 24 bytes for each hash, twice as many if it has a value: this much memory, and a byte less. */
TEST(a_table_is_taken_if_it_fits)
{
    static const struct {
        ink_dedup_options options;
        int               level;
        double            texts;
        uint64_t          keys, least; /* memory for a table; 0: never */
        double            rate;        /* of the filter otherwise */
    } cases[] = {
        {{.expected_keys = 1000}, EXACT, 0, 1000, 24000, 1e-5},
        {{.expected_keys = 1000}, PARAGRAPHS, 0, 1000, 24000, 1e-5},
        {{.expected_keys = 1000, .rows = &rows}, EXACT, 0, 1000, 48000, 1e-5},
        {{.expected_keys = 1000, .rows = &rows}, PARAGRAPHS, 0, 1000, 24000, 1e-5},
        {{.expected_keys = 1000, .rate = 0.01}, EXACT, 0, 1000, 24000, 0.01},
        {{.expected_keys = 1000, .seen = "seen.ink"}, EXACT, 0, 1000, 0, 1e-5},
        {{.expected_keys = 1000}, NGRAMS, 0, 1000, 0, 1e-4},
        {{.expected_keys = 1000, .rate = 0.01}, NGRAMS, 0, 1000, 0, 0.01},
        /* A quarter more than samples show, and 2^16. */
        {{0}, EXACT, 1000, 66786, 24 * 66786, 1e-5},
        {{0}, EXACT, 0, 65536, 24 * 65536, 1e-5},
        {{0}, NGRAMS, 4e6, 5065536, 0, 1e-4},
        {{.expected_keys = 1000}, EXACT, 4e6, 1000, 24000, 1e-5}, /* what is given goes first */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ink_dedup_options *options = &cases[i].options;
        const ink_description    filter = filter_for(cases[i].keys, cases[i].rate);
        ink__level_size          size;
        if (cases[i].least > 0) {
            CHECK_OK(size_one(options, cases[i].level, cases[i].texts, cases[i].least, 2, &size));
            CHECK(size.table && size.ranges == 0 && size.keys == cases[i].keys);
        }
        const uint64_t below = cases[i].least > 0 ? cases[i].least - 1 : (uint64_t)1 << 40;
        CHECK_OK(size_one(options, cases[i].level, cases[i].texts, below, 2, &size));
        CHECK(!size.table && size.ranges == 0 && size.keys == cases[i].keys);
        assert_int_equal(size.memory, below);
        assert_int_equal(size.plan.bits, filter.bits);
        assert_int_equal(size.bytes, filter.bytes);
        assert_int_equal(size.params.expected_keys, cases[i].keys);
    }
}

/* A table is in 16 ranges, with a power of two of slots each, three quarters of them full at most,
 * and one more; a slot has 8 bytes, with a value 16. Those at the edge count in part. */
TEST(the_bytes_of_a_table_are_those_of_its_slots)
{
    static const struct {
        uint64_t keys, slots, more; /* of each range; more: if all were at the edge */
    } cases[] = {
        {16 * 2900, 4096, 4096},    {16 * 3300, 8192, 8192}, {16 * 5800, 8192, 8192},
        {16 * 6144, 8192, 16384}, /* half of them have twice as many slots */
        {16 * 20000, 32768, 32768},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned valued = 0; valued < 2; valued++) {
            const ink_dedup_options options = {.expected_keys = cases[i].keys,
                                               .rows = valued ? &rows : NULL};
            ink__level_size         size;
            CHECK_OK(size_one(&options, EXACT, 0, (uint64_t)1 << 30, 2, &size));
            const uint64_t each = valued ? 16 : 8, slots = (cases[i].slots + cases[i].more) / 2;
            CHECK(size.table);
            assert_in_range(size.bytes, 16 * each * slots, 16 * each * (slots + 3));
            /* Of texts that samples show: as many as are, without the room for more. */
            CHECK_OK(size_one(&(ink_dedup_options){.rows = options.rows}, EXACT,
                              (double)cases[i].keys, (uint64_t)1 << 30, 2, &size));
            assert_in_range(size.bytes, 16 * each * slots, 16 * each * (slots + 3));
        }
}

/* Half of the memory for ranges that are made at once, a quarter for hashes. */
TEST(a_filter_that_does_not_fit_is_made_in_ranges)
{
    enum { KEYS = 10000000 };
    const ink_dedup_options given = {.expected_keys = KEYS};
    const ink_description   whole = filter_for(KEYS, 1e-4);
    ink__level_size         size;

    CHECK_OK(size_one(&given, NGRAMS, 0, whole.bytes, 3, &size));
    CHECK(size.ranges == 0 && size.bytes == whole.bytes);
    CHECK_OK(size_one(&given, NGRAMS, 0, whole.bytes - 1, 1, &size));
    CHECK(size.ranges == 3); /* two have half of one that is a little larger */
    for (unsigned threads = 1; threads < 9; threads++)
        for (uint64_t memory = whole.bytes - 1; memory > whole.bytes / 50; memory /= 3) {
            CHECK_OK(size_one(&given, NGRAMS, 0, memory, threads, &size));
            const uint64_t at_once = whole.bytes / size.ranges * threads;
            CHECK(size.ranges > 1 && size.plan.bits == whole.bits);
            CHECK(at_once <= memory / 2);
            CHECK(whole.bytes / (size.ranges - 1) * threads + threads >= memory / 2);
            assert_int_equal(size.bytes, at_once + memory / 4);
        }
}

/* Where there is no way to make ranges, or there would be too many, it has the memory and the rate
 * that this gives. */
TEST(a_filter_without_ranges_takes_the_memory_that_there_is)
{
    enum { KEYS = 10000000 };
    const ink_dedup_options given = {.expected_keys = KEYS};
    const ink_dedup_options in_file = {.expected_keys = KEYS, .seen = "seen.ink"};
    const ink_description   whole = filter_for(KEYS, 1e-4), finer = filter_for(KEYS, 1e-5);
    const uint64_t          least = 2 * (whole.bytes / INK__PASSES_MAX + 1); /* for so many */
    ink__level_size         size;

    CHECK_OK(size_one(&given, NGRAMS, 0, least, 1, &size));
    assert_int_equal(size.ranges, INK__PASSES_MAX);
    const struct {
        const ink_dedup_options *options;
        int                      level;
        uint64_t                 memory;
        unsigned                 threads;
    } cases[] = {
        {&given, NGRAMS, least - 4, 1},
        {&given, NGRAMS, whole.bytes - 1, 0},
        {&given, EXACT, finer.bytes - 1, 0},
        {&in_file, NGRAMS, whole.bytes - 1, 4},
        {&in_file, EXACT, 1000007, 4},
        {&given, NGRAMS, 32, 4},
        {&given, NGRAMS, 63, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_OK(size_one(cases[i].options, cases[i].level, 0, cases[i].memory, cases[i].threads,
                          &size));
        CHECK(!size.table && size.ranges == 0);
        assert_int_equal(size.plan.bits, cases[i].memory / 32 * 256);
        CHECK(size.bytes <= cases[i].memory && size.bytes == size.plan.bytes);
        assert_int_equal(size.params.expected_keys, KEYS);
    }
    CHECK_FAILS(size_one(&given, NGRAMS, 0, 31, 4, &size), INK_USAGE,
                "memory_bytes 31, expected more for a filter");
    CHECK_FAILS(size_one(&in_file, NGRAMS, 0, 0, 4, &size), INK_USAGE, "memory_bytes 0");
    /* Of few blocks there are no more ranges than these. */
    const ink_dedup_options few = {.expected_keys = 1000};
    CHECK_OK(size_one(&few, NGRAMS, 0, 40, 1, &size));
    CHECK(size.ranges == filter_for(1000, 1e-4).bytes / 21 + 1 || size.ranges == 0);
    CHECK(size.ranges <= filter_for(1000, 1e-4).bits / 256);
}

/* No filter has more than 2^37 bits. */
TEST(no_filter_is_larger_than_any_can_be)
{
    const ink_dedup_options given = {.expected_keys = (uint64_t)1 << 40};
    ink__level_size         size;

    CHECK_OK(size_one(&given, NGRAMS, 0, UINT64_MAX, 4, &size));
    CHECK(size.ranges == 0 && size.plan.bits == (uint64_t)1 << 37);
    CHECK_OK(size_one(&given, NGRAMS, 0, (uint64_t)1 << 30, 4, &size));
    CHECK(size.ranges == 0 && size.plan.bits == (uint64_t)1 << 33);
}

/* Each level has an even part of what those before it leave; signatures have half of all. */
TEST(levels_share_the_memory)
{
    const ink_dedup_options given = {.expected_keys = 10000};
    const double            texts[INK__SEEN_LEVELS] = {0};
    const uint64_t          memory = 3000000;

    for (unsigned which = 1; which < 16; which++) {
        bool            used[INK_DEDUP_LEVELS] = {false};
        unsigned        left = 0;
        uint64_t        rest = which >= 8 ? memory / 2 : memory;
        ink__level_size sizes[INK__SEEN_LEVELS];
        for (int level = 0; level < LEVELS; level++)
            left += used[level] = (which >> level & 1) != 0;
        used[INK_DEDUP_NEAR] = which >= 8;
        CHECK_OK(ink__dedup_size(&given, used, texts, memory, 2, sizes, &error));
        for (int level = 0; level < LEVELS; level++) {
            assert_int_equal(sizes[level].memory, left == 0 ? 0 : rest / left);
            assert_int_equal(sizes[level].keys, used[level] ? 10000 : 0);
            left -= used[level];
            rest -= sizes[level].bytes;
        }
    }
}

/* ---- Samples ------------------------------------------------------------------------------ */

/* Files of these names seem to have about so many documents. */
static void check_estimate(const char *const *paths, size_t count, ink_form form, double expected,
                           double share)
{
    const ink_allocator     heap = ink__allocator_or_heap(NULL);
    const ink_dedup_options options = {.exact = true};
    const ink_reading       reading = {.form = form};
    char                    failed[INK__PATH_BYTES];
    double                  texts[INK__SEEN_LEVELS];
    ink_job                 job = {.threads = 2};
    ink__dedup_rule         rule;
    ink__shards             shards = {.allocator = heap};

    CHECK_OK(ink__dedup_rule_begin(&rule, &options, &heap, &error));
    CHECK_OK(ink__shards_find(&shards, paths, count, failed, &error));
    CHECK_OK(ink__dedup_estimate(&shards, &rule, &reading, &job, texts, &error));
    assert_null(job.failed_path);
    ink__shards_end(&shards);
    ink__dedup_rule_end(&rule);
    const double found = texts[INK_DEDUP_EXACT];
    if (found < expected * (1 - share) || found > expected * (1 + share))
        fail_msg("%zu files: %g, expected %g", count, found, expected);
}

/* Lines of this length, so many, each another one. */
static void add_lines(records_bytes *to, unsigned length, unsigned count, char end)
{
    for (unsigned i = 0; i < count; i++) {
        records_say(to, "%0*u", (int)length - 1, i);
        records_put(to, &end, 1);
    }
}

/* A small file is read whole; of a large one parts at equal distances show how its lines differ;
 * the size of others counts with what they hold. */
TEST(the_number_of_texts_follows_from_samples)
{
    static const struct {
        unsigned short_lines, long_lines; /* of 10 bytes, and then of 100 */
        double   share;                   /* at most wrong by */
    } cases[] = {
        {0, 0, 0},
        {1, 0, 0},
        {100, 100, 0},
        {100000, 0, 0},
        {104857, 0, 0},
        {400000, 0, 0.001},
        {600000, 0, 0.001},
        {400000, 40000, 0.03},
        {100000, 70000, 0.15},
    };
    const char *const paths[] = {"one.txt", "two.txt", "three.txt.gz"};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        owned_bytes  text = {0};
        const double lines = cases[i].short_lines + cases[i].long_lines;
        add_lines(&text, 10, cases[i].short_lines, '\n');
        add_lines(&text, 100, cases[i].long_lines, '\n');
        records_write("one.txt", text.bytes, text.count);
        records_write("two.txt", text.bytes, text.count);
        check_estimate(paths, 1, INK_FORM_LINES, lines, cases[i].share);
        check_estimate(paths, 2, INK_FORM_LINES, 2 * lines, cases[i].share);
        if (cases[i].long_lines > 0 || lines == 0)
            continue;
        /* Its start is read. The last line has no end. */
        const double close = text.count > 4 << 20 ? 0.1 : 0.001;
        records_gzip("three.txt.gz", (const char *)text.bytes, text.count - 1);
        check_estimate(paths + 2, 1, INK_FORM_LINES, lines, close);
        check_estimate(paths, 3, INK_FORM_LINES, 3 * lines, close);
        unlink("three.txt.gz");
    }
    unlink("one.txt");
    unlink("two.txt");
}

TEST(the_number_of_texts_that_end_with_nul_follows_from_samples_too)
{
    const char *const paths[] = {"one.txt", "two.txt.gz"};
    owned_bytes       text = {0};

    add_lines(&text, 10, 600000, '\0');
    records_write("one.txt", text.bytes, text.count);
    records_gzip("two.txt.gz", (const char *)text.bytes, text.count);
    check_estimate(paths, 1, INK_FORM_NUL, 600000, 0.001);
    check_estimate(paths + 1, 1, INK_FORM_NUL, 600000, 0.1);
    unlink("one.txt");
    unlink("two.txt.gz");
}

/* Of many files some all through the list are read. */
TEST(the_files_that_are_read_are_from_all_of_the_list)
{
    enum { FILES = 40 };
    static char names[FILES][16];
    const char *paths[FILES];

    for (int i = 0; i < FILES; i++) {
        owned_bytes text = {0};
        add_lines(&text, i < FILES / 2 ? 100 : 10, i < FILES / 2 ? 100 : 1000, '\n');
        snprintf(names[i], sizeof names[i], "%d.txt", 10 + i);
        records_write(names[i], text.bytes, text.count);
        paths[i] = names[i];
    }
    check_estimate(paths, FILES, INK_FORM_LINES, FILES / 2 * 1100, 0.001);
    for (int i = 0; i < FILES; i++)
        unlink(names[i]);
}

/* Of a small file as much may be read as of a large one. */
TEST(files_count_by_their_size)
{
    const char *const paths[] = {"large.txt", "small.txt"};
    owned_bytes       large = {0}, small = {0};

    add_lines(&large, 10, 2000000, '\n');
    add_lines(&small, 1000, 1000, '\n');
    records_write("large.txt", large.bytes, large.count);
    records_write("small.txt", small.bytes, small.count);
    check_estimate(paths, 2, INK_FORM_LINES, 2001000, 0.001);
    unlink("large.txt");
    unlink("small.txt");
}

TEST(a_file_that_cannot_be_sampled_is_named)
{
    static const char *const names[] = {"gone.txt", "gone.txt.gz"};

    for (size_t i = 0; i < 2; i++) {
        const ink_allocator     heap = ink__allocator_or_heap(NULL);
        const ink_dedup_options options = {.exact = true};
        const ink_reading       reading = {.form = INK_FORM_LINES};
        char                    failed[INK__PATH_BYTES];
        double                  texts[INK__SEEN_LEVELS];
        ink_job                 job = {.threads = 1};
        ink__dedup_rule         rule;
        ink__shards             shards = {.allocator = heap};
        if (i == 0)
            records_write(names[i], "a\n", 2);
        else
            records_gzip(names[i], "a\n", 2);
        CHECK_OK(ink__dedup_rule_begin(&rule, &options, &heap, &error));
        CHECK_OK(ink__shards_find(&shards, &names[i], 1, failed, &error));
        unlink(names[i]);
        CHECK_FAILS(ink__dedup_estimate(&shards, &rule, &reading, &job, texts, &error), INK_IO,
                    "cannot open");
        CHECK(job.failed_path != NULL && strcmp(job.failed_path, names[i]) == 0);
        ink__shards_end(&shards);
        ink__dedup_rule_end(&rule);
    }
}

RUN_TESTS()
