/* seen_test.c - what a table or a filter says was seen; the rate of a filter by its keys, far above
 * its plan as well; what it refuses; and the limits of what it reports. */
#include "jobs/dedup/seen.h"

#include "base/memory.h"
#include "inkling_job.h"
#include "support/check.h"
#include "support/owned.h"
#include "support/records.h"

static ink_error error;

enum { PLANNED = 50000 };

#define RATE 0.01

/* ---- Filters ------------------------------------------------------------------------------ */

static ink_allocator heap(void)
{
    return ink__allocator_or_heap(NULL);
}

static ink_sketch *new_filter(const ink_params *like)
{
    ink_params  params = *like;
    ink_sketch *made;

    params.kind = "bloom";
    params.expected_keys = PLANNED;
    params.false_positive_rate = RATE;
    CHECK_OK(ink_sketch_create(&made, &params, NULL, &error));
    return made;
}

/* With keys of these numbers. */
static void add_keys(ink_sketch *filter, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++)
        CHECK_OK(ink_sketch_add(filter, &i, sizeof i, &error));
}

static ink_status open_filter(ink__seen *seen, uint64_t keys, bool fixed)
{
    const ink_allocator memory = heap();
    ink_sketch         *filter = new_filter(&(ink_params){0});

    add_keys(filter, 0, keys);
    return ink__seen_open_filter(seen, 4, filter, fixed, &memory, &error);
}

static bool is_near(double a, double b, double share)
{
    return a >= b * (1 - share) && a <= b * (1 + share);
}

/* ---- The rate ----------------------------------------------------------------------------- */

/* In percent of the plan: between the steps of the curve, at its end, and far above. */
TEST(the_rate_is_that_of_so_many_keys_far_above_the_plan_as_well)
{
    static const unsigned percents[] = {75, 99, 100, 150, 197, 200, 203, 300, 600, 1200};
    uint64_t              added = 0;
    double                before = 0;
    ink__seen             seen;

    CHECK_OK(open_filter(&seen, 0, false));
    CHECK(seen.before == 0 && ink__seen_rate(&seen, 0) == 0);
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        const uint64_t keys = PLANNED / 100 * percents[i];
        const double   rate = ink__seen_rate(&seen, keys);
        double         found;
        add_keys(seen.filter, added, keys);
        added = keys;
        CHECK_OK(ink_sketch_rate(seen.filter, &found, &error));
        if (!is_near(rate, found, 0.1) || rate <= before)
            fail_msg("%u %%: %g, found %g", percents[i], rate, found);
        before = rate;
    }
    CHECK(ink__seen_rate(&seen, UINT64_C(1) << 60) < 1);
    ink__seen_end(&seen);
}

TEST(keys_of_a_filter_from_before_are_about_as_many_as_it_has)
{
    static const unsigned percents[] = {0, 50, 100, 180, 350};

    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        const uint64_t keys = PLANNED / 100 * percents[i];
        ink__seen      seen, empty;
        CHECK_OK(open_filter(&seen, keys, false));
        CHECK_OK(open_filter(&empty, 0, false));
        if (!is_near((double)seen.before, (double)keys, 0.06))
            fail_msg("%llu, expected %llu", (unsigned long long)seen.before,
                     (unsigned long long)keys);
        assert_float_equal(ink__seen_rate(&seen, 1000), ink__seen_rate(&empty, seen.before + 1000),
                           1e-12);
        ink__seen_end(&seen);
        ink__seen_end(&empty);
    }
}

TEST(nothing_raises_the_rate_of_a_filter_that_nothing_enters)
{
    ink__seen seen;

    CHECK_OK(open_filter(&seen, 3 * PLANNED, true));
    CHECK(ink__seen_rate(&seen, PLANNED) == ink__seen_rate(&seen, 0));
    CHECK_OK(ink__seen_check_fill(&seen, INK_DEDUP_EXACT, PLANNED, 0, &error));
    ink__seen_end(&seen);
}

/* ---- Limits ------------------------------------------------------------------------------- */

TEST(a_filter_is_full_after_as_many_texts_as_it_was_planned_for)
{
    ink__seen seen;

    CHECK_OK(open_filter(&seen, PLANNED / 2, false));
    const uint64_t left = PLANNED - seen.before, first = left + PLANNED;
    const double   rate = ink__seen_rate(&seen, first);
    CHECK_OK(ink__seen_check_fill(&seen, INK_DEDUP_EXACT, left, 0, &error));
    CHECK_FAILS(ink__seen_check_fill(&seen, INK_DEDUP_PARAGRAPHS, left + 1, 0, &error), INK_PROMISE,
                "level paragraphs: more than the 50000 different texts that its filter was "
                "planned for");
    CHECK_OK(ink__seen_check_fill(&seen, INK_DEDUP_EXACT, first, rate, &error));
    CHECK_FAILS(ink__seen_check_fill(&seen, INK_DEDUP_EXACT, first, rate * 0.999, &error),
                INK_PROMISE, "level exact: a rate above max_rate");
    ink__seen_end(&seen);
}

TEST(a_filter_of_other_hashes_is_refused)
{
    static const uint8_t secret[INK_SECRET_BYTES] = {1};
    static const struct {
        ink_params  params;
        const char *found;
    } others[] = {
        {{.key_type = INK_KEY_INT}, "integer keys hashed by "},
        {{.seed = 7, .has_seed = true}, "byte keys hashed by xxh3 with seed 7"},
        {{.hash = "xxh64"}, "byte keys hashed by xxh64"},
        {{.secret = secret}, "byte keys hashed by siphash with a secret and seed"},
    };
    const ink_allocator memory = heap();
    ink_description     texts;

    CHECK_OK(ink_plan(&(ink_params){.kind = "bloom", .expected_keys = 1}, &texts, &error));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ink_params params = others[i].params;
        ink__seen  seen;
        if (params.hash != NULL) { /* nothing else differs */
            params.seed = texts.seed;
            params.has_seed = true;
        }
        CHECK_FAILS(ink__seen_open_filter(&seen, 1, new_filter(&params), false, &memory, &error),
                    INK_MISMATCH, others[i].found);
        ink__seen_end(&seen);
    }
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* Looks up these hashes, as a chunk. */
static void look_up(ink__seen *seen, ink__seen_part *part, const uint64_t *hashes, size_t count,
                    const uint64_t *values)
{
    const ink_allocator memory = heap();

    part->count = 0;
    CHECK_OK(ink__seen_part_room(part, count, &memory, &error));
    memcpy(part->hashes, hashes, count * sizeof *hashes);
    part->count = count;
    CHECK_OK(ink__seen_sort(seen, part, values, &error));
    for (unsigned range = 0; range < seen->ranges; range++)
        ink__seen_step(seen, part, range);
}

TEST(the_value_of_a_repeated_hash_is_that_of_the_first_one)
{
    static const uint64_t hashes[] = {UINT64_MAX, 0, 5, UINT64_MAX, 0, UINT64_C(1) << 63, 5};
    static const uint64_t values[] = {10, 11, 12, 13, 14, 15, 16};
    static const uint64_t firsts[] = {10, 11, 12, 10, 11, 15, 12};
    const ink_allocator   memory = heap();
    ink__seen_part        part = {0};
    ink__seen             seen;

    ink__seen_open_table(&seen, 4, 1 << 20, true, &memory);
    assert_int_equal(ink__seen_bytes(&seen), 0);
    look_up(&seen, &part, hashes, 7, values);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(ink__seen_new(&part, i), firsts[i] == values[i]);
        assert_int_equal(part.values[part.places[i]], firsts[i]);
    }
    CHECK(ink__seen_bytes(&seen) > 0);
    CHECK_OK(ink__seen_check(&seen, &error));
    CHECK(ink__seen_rate(&seen, 1 << 20) == 0x1p-44);
    ink__seen_part_end(&part, &memory);
    ink__seen_end(&seen);
}

/* The first slots are made whatever the limit, and no more than it allows. */
TEST(a_table_that_would_be_too_large_says_so)
{
    static uint64_t     hashes[1000];
    const ink_allocator memory = heap();
    uint64_t            chance = 3;
    ink__seen_part      part = {0};
    ink__seen           seen;

    for (size_t i = 0; i < 1000; i++)
        hashes[i] = records_random(&chance);
    ink__seen_open_table(&seen, 2, 0, false, &memory);
    look_up(&seen, &part, hashes, 8, NULL);
    CHECK_OK(ink__seen_check(&seen, &error));
    look_up(&seen, &part, hashes, 1000, NULL);
    CHECK_FAILS(ink__seen_check(&seen, &error), INK_LIMIT, "more texts than memory_bytes holds");
    CHECK(ink__seen_new(&part, 7) == false);
    ink__seen_part_end(&part, &memory);
    ink__seen_end(&seen);
}

/* ---- Reports ------------------------------------------------------------------------------ */

/* At most what was removed: of n-grams the documents, else the texts. */
TEST(no_more_is_wrong_than_was_removed)
{
    const ink__wrong many = {.mean = 1e9, .variance = 1e9, .odds = 1};
    ink__seen        seen;

    CHECK_OK(open_filter(&seen, 4 * PLANNED, false));
    for (ink_dedup_level level = INK_DEDUP_EXACT; level <= INK_DEDUP_NGRAMS; level++) {
        ink_dedup_count count = {.texts = 70000, .first = 69990, .removed = 3};
        CHECK_OK(ink__seen_report(&seen, level, &many, 0, &count, &error));
        const uint64_t most = level == INK_DEDUP_NGRAMS ? 3 : 10;
        CHECK(count.wrong == (double)most && count.wrong_high == most);
        CHECK(count.used && !count.table && count.expected_keys == PLANNED);
        CHECK(is_near(count.promised_rate, RATE, 0.2) && count.rate > count.promised_rate);
    }
    ink__seen_end(&seen);
}

/* A filter that has more keys than its texts say has its own rate, and as many more are wrong. */
TEST(what_is_wrong_rises_with_the_rate_that_is_found)
{
    ink_dedup_count counts[2];
    ink__seen       seen;
    double          rates[2];

    CHECK_OK(open_filter(&seen, 0, false));
    for (size_t i = 0; i < 2; i++) {
        add_keys(seen.filter, i * PLANNED, (i + 1) * PLANNED);
        counts[i] = (ink_dedup_count){.texts = 10 * PLANNED, .first = PLANNED};
        CHECK_OK(ink__seen_report(&seen, INK_DEDUP_EXACT, &(ink__wrong){0}, 0, &counts[i], &error));
        rates[i] = ink__seen_rate(&seen, PLANNED);
        rates[i] = counts[i].rate > rates[i] ? counts[i].rate : rates[i];
    }
    CHECK(is_near(counts[1].wrong / counts[0].wrong, rates[1] / rates[0], 1e-9));
    CHECK(counts[1].wrong_high > counts[0].wrong_high && counts[1].wrong > 2 * counts[0].wrong);
    ink__seen_end(&seen);
}

/* After the last new text there may have been wrong ones, as many as before one more. */
TEST(what_may_be_wrong_after_the_last_new_text_counts)
{
    ink__seen seen;

    CHECK_OK(open_filter(&seen, 2 * PLANNED, false));
    const double     rate = ink__seen_rate(&seen, 0), odds = rate / (1 - rate);
    const ink__wrong wrong = ink__wrong_of(&seen, 0), more = ink__wrong_of(&seen, 1000);
    CHECK(wrong.mean == 0 && is_near(wrong.odds, odds, 1e-3));
    CHECK(is_near(wrong.variance, odds * (1 + odds), 1e-3));
    CHECK(is_near(more.mean, 1000 * odds, 0.03));
    CHECK(is_near(more.variance, 1000 * odds * (1 + odds), 0.03));
    CHECK(ink__wrong_limit(&more) > 1000 * odds);
    CHECK(ink__wrong_limit(&(ink__wrong){.mean = 1e20}) == UINT64_MAX);
    ink__seen_end(&seen);
}

TEST(levels_have_names_and_no_others)
{
    CHECK(strcmp(ink_dedup_level_name(INK_DEDUP_NEAR), "near") == 0);
    CHECK(ink_dedup_level_name((ink_dedup_level)INK_DEDUP_LEVELS) == NULL);
}

RUN_TESTS()
