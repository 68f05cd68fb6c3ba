/* dedup_texts_test.c - texts in memory that are compared: which are kept, by batches or Arrow
 * columns, and a clean end whenever memory is refused. Files are those of tests/cli/check_dedup.py.
 */
#include "inkling_arrow.h"
#include "inkling_job.h"

#include "support/arrow.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"

#include <math.h>
#include <stdio.h>

static ink_error error;

enum { TEXTS = 6 };

static const char *const texts[TEXTS] = {"one two three four\nfive", "one two three four",
                                         "one two three four\nfive", "",
                                         "six\nseven eight",         "one two three four"};

/* What stays, of each level alone. An empty text is one like any other, but has no paragraphs. */
static const struct {
    const char       *name;
    ink_dedup_options options;
    uint8_t           kept[TEXTS];
} levels[] = {
    {"exact", {.exact = true}, {1, 1, 0, 1, 1, 0}},
    {"paragraphs", {.paragraphs = true}, {1, 0, 0, 1, 1, 0}},
    {"n-grams", {.ngrams = 2, .overlap = 0.5}, {1, 0, 0, 1, 1, 0}},
    {"near", {.near = 0.9}, {1, 1, 0, 1, 1, 0}},
};

/* Compares the texts in batches of `at_once`, or of columns, and frees all. */
static ink_status compare(const ink_dedup_options *options, size_t at_once, bool columns,
                          uint8_t kept[TEXTS], const ink_allocator *allocator)
{
    ink_job          job = {.threads = 1, .allocator = allocator, .memory_bytes = 4 << 20};
    ink_dedup_texts *open = NULL;
    ink_dedup_report report;
    ink_status       status = ink_dedup_texts_open(&open, options, &job, &error);

    for (size_t at = 0; status == INK_OK && at < TEXTS; at += at_once) {
        ink_key keys[TEXTS];
        for (size_t i = 0; i < at_once; i++)
            keys[i] = (ink_key){texts[at + i], strlen(texts[at + i])};
        if (columns) {
            arrow_data       data = arrow_texts("text", "u", texts + at, at_once, 0);
            ink_arrow_report seen = {0};
            status = ink_arrow_dedup(open, &data.schema, &data.array, NULL, NULL, &seen, &error);
            arrow_release(&data);
        } else {
            const ink_batch batch = {.keys = keys, .count = at_once};
            status = ink_dedup_texts_add(open, &batch, &error);
        }
    }
    if (status == INK_OK) {
        assert_int_equal(ink_dedup_texts_count(open), TEXTS);
        status = ink_dedup_texts_finish(open, kept, &report, &error);
    }
    ink_dedup_texts_free(open);
    return status;
}

TEST(the_same_texts_stay_however_they_come)
{
    static const size_t parts[] = {1, 2, 3, 6};

    for (size_t level = 0; level < sizeof levels / sizeof levels[0]; level++)
        for (size_t part = 0; part < 8; part++) {
            uint8_t kept[TEXTS];
            CHECK_OK(compare(&levels[level].options, parts[part / 2], part % 2 == 1, kept, NULL));
            if (memcmp(kept, levels[level].kept, TEXTS) != 0)
                fail_msg("%s, %zu at once: %d%d%d%d%d%d", levels[level].name, parts[part / 2],
                         kept[0], kept[1], kept[2], kept[3], kept[4], kept[5]);
        }
}

/* ---- Options, and what fails -------------------------------------------------------------- */

static ink_status open_with(const ink_dedup_options *options, ink_dedup_texts **open)
{
    ink_job job = {.threads = 1};

    return ink_dedup_texts_open(open, options, &job, &error);
}

TEST(options_that_mean_nothing_are_refused_and_those_at_their_limits_are_not)
{
    static const char *const id = "id", *const file = "no such file.ink";
    const struct {
        ink_dedup_options options;
        const char       *found; /* NULL: nothing */
    } cases[] = {
        {{.ngrams = 256}, NULL},
        {{.ngrams = 257}, "n-grams of 257, expected 1 to 256"},
        {{.ngrams = 1, .overlap = 1}, NULL},
        {{.ngrams = 1, .overlap = 1.01}, "an overlap of 1.01"},
        {{.ngrams = 1, .overlap = -0.01}, "an overlap of -0.01"},
        {{.ngrams = 1, .overlap = NAN}, "an overlap of nan"},
        {{.overlap = 0.5}, "an overlap without n-grams"},
        {{.near = 0.5, .lower = true}, NULL},
        {{.ngrams = 2, .strip_punctuation = true}, NULL},
        {{.lower = true}, "how words are compared, but no n-grams of words"},
        {{.ngrams = 2, .ngrams_of_bytes = true, .strip_punctuation = true},
         "how words are compared, but no n-grams of words"},
        {{.near = 1}, NULL},
        {{.near = 1.01}, "a similarity of 1.01"},
        {{.near = -0.5}, "a similarity of -0.5"},
        {{.near = 0.5, .seen = file}, "level near with a file of what was seen"},
        {{.near = 0.5, .against = file}, "level near with a file of what was seen"},
        {{.seen = file, .against = file}, "and one to compare with alone, expected one"},
        {{.against = file}, "cannot read"},
        {{.seen = file}, "does not exist yet, expected expected_keys"},
        {{.rate = 0.5}, NULL},
        {{.rate = 0.51}, "false_positive_rate 0.51, expected above 0 and up to 0.5"},
        {{.rate = -0.1}, "false_positive_rate -0.1"},
        {{.max_rate = -1}, "max_rate -1"},
        {{.folder = "."}, "for texts in memory, expected none"},
        {{.mark = true}, "for texts in memory, expected none"},
        {{.id = id}, "for texts in memory, expected none"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ink_dedup_texts *open = NULL;
        error.message[0] = '\0';
        const ink_status status = open_with(&cases[i].options, &open);
        if ((status == INK_OK) != (cases[i].found == NULL) ||
            (status != INK_OK && strstr(error.message, cases[i].found) == NULL))
            fail_msg("case %zu: %s: %s", i, ink_status_name(status), error.message);
        ink_dedup_texts_free(open);
    }
}

TEST(a_text_that_is_no_utf_8_is_named_by_its_number)
{
    static const ink_key    keys[] = {{"a", 1}, {"b", 1}, {"c\xff", 2}, {"d", 1}};
    const ink_dedup_options options = {.exact = true};
    ink_dedup_texts        *open;

    CHECK_OK(open_with(&options, &open));
    CHECK_OK(ink_dedup_texts_add(open, &(ink_batch){.keys = keys, .count = 2}, &error));
    CHECK_FAILS(ink_dedup_texts_add(open, &(ink_batch){.keys = keys, .count = 4}, &error),
                INK_FORMAT, "byte 2 of the text is not UTF-8 (0xff)");
    CHECK(error.location == INK_AT_KEY && error.at == 2);
    ink_dedup_texts_free(open);
}

/* ---- Levels together ---------------------------------------------------------------------- */

/* Exact goes first, then n-grams, near, and paragraphs. The long text is twice there, and once with
 * another end, which has its first paragraph. */
TEST(a_text_is_removed_by_the_first_level_that_finds_it)
{
    static const char *const some[] = {"a b c d e f g h i j k l m n o p q r s t\nend", "u v w",
                                       "a b c d e f g h i j k l m n o p q r s t\nother",
                                       "u v w\nx y z", "u v w"};
    static const struct {
        ink_dedup_options options;
        uint8_t           kept[5];
        uint64_t          removed[INK_DEDUP_LEVELS], changed;
    } cases[] = {
        {{.near = 0.8, .paragraphs = true}, {1, 1, 0, 1, 0}, {0, 1, 0, 2}, 1},
        {{.near = 0.8, .ngrams = 5}, {1, 1, 0, 1, 0}, {0, 0, 2, 0}, 0},
        {{.near = 0.8, .ngrams = 5, .overlap = 1}, {1, 1, 0, 1, 0}, {0, 0, 1, 1}, 0},
        {{.exact = true, .near = 0.8, .ngrams = 5}, {1, 1, 0, 1, 0}, {1, 0, 1, 0}, 0},
        {{.exact = true, .paragraphs = true}, {1, 1, 1, 1, 0}, {1, 2, 0, 0}, 2},
    };

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        ink_dedup_texts *open;
        ink_dedup_report report;
        uint8_t          kept[5];
        uint64_t         bytes = 0;
        CHECK_OK(open_with(&cases[c].options, &open));
        for (size_t i = 0; i < 5; i++) {
            const ink_key key = {some[i], strlen(some[i])};
            CHECK_OK(ink_dedup_texts_add(open, &(ink_batch){.keys = &key, .count = 1}, &error));
            bytes += key.bytes;
        }
        CHECK_OK(ink_dedup_texts_finish(open, kept, &report, &error));
        for (int level = 0; level < INK_DEDUP_LEVELS; level++)
            if (report.levels[level].removed != cases[c].removed[level])
                fail_msg("case %zu, level %d: %llu", c, level,
                         (unsigned long long)report.levels[level].removed);
        if (memcmp(kept, cases[c].kept, 5) != 0)
            fail_msg("case %zu: %d%d%d%d%d", c, kept[0], kept[1], kept[2], kept[3], kept[4]);
        CHECK(report.bytes == bytes && report.documents == 5 && report.changed == cases[c].changed);
        ink_dedup_texts_free(open);
    }
}

/* ---- What was seen ------------------------------------------------------------------------ */

static const char seen_path[] = "seen of texts.ink";

static const struct {
    ink_dedup_options options;
    const char       *group;
} ways[] = {
    {{.ngrams = 3}, "ngrams-3"},
    {{.ngrams = 3, .lower = true}, "ngrams-3-lower"},
    {{.ngrams = 3, .strip_punctuation = true}, "ngrams-3-strip"},
    {{.ngrams = 3, .lower = true, .strip_punctuation = true}, "ngrams-3-lower-strip"},
    {{.ngrams = 30, .ngrams_of_bytes = true}, "ngrams-30-bytes"},
    {{.exact = true}, "exact"},
    {{.paragraphs = true}, "paragraphs"},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Compares one text with what this file says, and saves it there. */
static bool is_new(const ink_dedup_options *way, const char *path)
{
    const ink_key     text = {"One, two three four five", 24};
    ink_dedup_options options = *way;
    ink_dedup_texts  *open;
    ink_dedup_report  report;
    uint8_t           kept;

    options.seen = path;
    options.expected_keys = 1000;
    CHECK_OK(open_with(&options, &open));
    CHECK_OK(ink_dedup_texts_add(open, &(ink_batch){.keys = &text, .count = 1}, &error));
    CHECK_OK(ink_dedup_texts_finish(open, &kept, &report, &error));
    ink_dedup_texts_free(open);
    return kept;
}

/* Writes a file for each way, and one that has all. */
static void write_seen(void)
{
    char        names[WAYS][64];
    const char *parts[WAYS];
    ink_job     job = {.threads = 1};
    ink_set    *set;

    for (size_t i = 0; i < WAYS; i++) {
        snprintf(names[i], sizeof names[i], "%zu of %s", i, seen_path);
        parts[i] = names[i];
        remove(names[i]);
        CHECK(is_new(&ways[i].options, names[i]));
    }
    CHECK_OK(ink_merge_files(&set, parts, WAYS, &(ink_merge_options){0}, &job, &error));
    CHECK_OK(ink_set_save(set, seen_path, &error));
    ink_set_free(set);
    for (size_t i = 0; i < WAYS; i++)
        remove(names[i]);
}

/* The group of a filter of n-grams says how they are compared. */
TEST(a_file_of_what_was_seen_keeps_a_filter_for_each_way_to_compare)
{
    const ink_dedup_options other = {.ngrams = 4, .seen = seen_path};
    owned_opened           *file = NULL;
    ink_dedup_texts        *open;

    write_seen();
    for (size_t i = 0; i < WAYS; i++)
        CHECK(!is_new(&ways[i].options, seen_path));
    CHECK_OK(ink_file_open(&file, seen_path, INK_OPEN_COPY, NULL, &error));
    assert_int_equal(ink_file_count(file), WAYS);
    for (size_t i = 0; i < WAYS; i++) {
        const ink_label label = ink_group(ways[i].group);
        ink_description description;
        ink_sketch     *sketch;
        size_t          index;
        CHECK_OK(ink_file_find(file, NULL, &label, &index, &error));
        CHECK_OK(ink_file_sketch(file, index, &sketch, &error));
        ink_sketch_describe(sketch, &description);
        CHECK(description.records >= 2);
        ink_sketch_free(sketch);
    }
    CHECK_FAILS(open_with(&other, &open), INK_NOT_FOUND,
                "no filter \"ngrams-4\", found exact, ngrams-3, ngrams-3-lower, "
                "ngrams-3-lower-strip");
}

/* Every level has a filter for ten texts; what is more is refused, unless its rate is still
 * allowed. */
TEST(more_texts_than_a_filter_was_planned_for_are_refused_at_their_level)
{
    static const struct {
        ink_dedup_options options;
        const char       *found;
    } cases[] = {
        {{.exact = true}, "level exact: more than the 10 different texts"},
        {{.paragraphs = true}, "level paragraphs: more than the 10 different texts"},
        {{.ngrams = 1}, "level ngrams: more than the 10 different texts"},
        {{.exact = true, .max_rate = 1e-9}, "level exact: a rate above max_rate 1e-09"},
        {{.exact = true, .max_rate = 0.5}, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ink_dedup_options options = cases[i].options;
        ink_dedup_texts  *open;
        ink_dedup_report  report;
        uint8_t           kept[11];
        options.seen = "ten.ink";
        options.expected_keys = 10;
        CHECK_OK(open_with(&options, &open));
        for (unsigned added = 0; added < 11; added++) {
            char          text[8];
            const ink_key key = {text, (size_t)snprintf(text, sizeof text, "%u", added)};
            CHECK_OK(ink_dedup_texts_add(open, &(ink_batch){.keys = &key, .count = 1}, &error));
        }
        error.message[0] = '\0';
        const ink_status status = ink_dedup_texts_finish(open, kept, &report, &error);
        if (status != (cases[i].found == NULL ? INK_OK : INK_PROMISE) ||
            (status != INK_OK && strstr(error.message, cases[i].found) == NULL))
            fail_msg("case %zu: %s: %s", i, ink_status_name(status), error.message);
        ink_dedup_texts_free(open);
        remove("ten.ink");
    }
}

TEST(every_refusal_of_memory_is_clean)
{
    unsigned refused = 0;

    for (size_t level = 0; level < sizeof levels / sizeof levels[0]; level++)
        for (int columns = 0; columns < 2; columns++) {
            uint8_t kept[TEXTS];
            for (faults_refusals run = {0}; faults_refusals_next(&run);)
                refused += faults_check_refused(
                    &run, compare(&levels[level].options, 3, columns == 1, kept, &run.allocator));
            CHECK(memcmp(kept, levels[level].kept, TEXTS) == 0);
        }
    printf("# %u refused allocations\n", refused);
}

/* Of `equal` of 64 bins, as likely as a binomial says, two bands of two bins are whole or not. */
TEST(the_chance_that_one_is_removed_is_a_sum_over_binomials)
{
    const double near[] = {0, 0.5, 0.75, 1}, similar[] = {0.03, 0.5, 0.7, 0.97};

    for (size_t n = 0; n < 4; n++)
        for (size_t s = 0; s < 4; s++) {
            const ink_dedup_plan plan = {
                .permutations = 64, .bands = 2, .rows = 2, .near = near[n]};
            double expected = 0;
            for (unsigned equal = 0; equal <= 64; equal++) {
                double likely = exp(lgamma(65) - lgamma(equal + 1) - lgamma(65 - equal) +
                                    equal * log(similar[s]) + (64 - equal) * log1p(-similar[s]));
                double one = equal * (equal - 1.0) / (64 * 63);
                double both = one * (equal - 2.0) * (equal - 3.0) / (62 * 61);
                if (equal >= 64 * near[n])
                    expected += likely * (2 * one - both);
            }
            double got = ink_dedup_chance_removed(&plan, similar[s]);
            if (fabs(got - expected) > 1e-9)
                fail_msg("near %g, similarity %g: %.12g, expected %.12g", near[n], similar[s], got,
                         expected);
        }
}

RUN_TESTS_REMOVING("seen of texts.ink")
