/* dedup_texts_test.c - texts in memory that are compared: which are kept, by batches or Arrow
 * columns, and a clean end whenever memory is refused. Files are those of tests/cli/check_dedup.py.
 */
#include "inkling_arrow.h"
#include "inkling_job.h"

#include "support/arrow.h"
#include "support/check.h"
#include "support/faults.h"

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

RUN_TESTS()
