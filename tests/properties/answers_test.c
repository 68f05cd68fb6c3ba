/* answers_test.c - the law of numbers: low <= estimate <= high, for every sketch of sketches.h and
 * any number of keys, and none of the three is above what was added. */
#include "properties/sketches.h"

static ink_answer distinct_by(const ink_sketch *sketch, ink_estimator estimator)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_distinct_by(sketch, estimator, 0, &answer, &error));
    return answer;
}

static bool is_in_order(const ink_answer *answer, double most)
{
    return answer->low >= 0 && answer->low <= answer->estimate &&
           answer->estimate <= answer->high && answer->high <= most;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Different keys of a sketch with this many records, at least one. */
static void check_distinct(const ink_sketch *sketch, uint64_t records)
{
    ink_answer said = distinct_by(sketch, INK_ESTIMATOR_DEFAULT);
    ink_answer alone = distinct_by(sketch, INK_ESTIMATOR_UNLIMITED);
    double     most = (double)records;

    CHECK(sketches_describe(sketch).records == records);
    CHECK(is_in_order(&said, most) && said.low >= 1);
    CHECK(is_in_order(&alone, 0x1p64));
    CHECK(alone.estimate < 1 || said.estimate == least(alone.estimate, most));
    CHECK(alone.low < 1 || said.low == least(alone.low, most));
    CHECK(alone.high < 1 || said.high == least(alone.high, most));
    CHECK(said.saturated == alone.saturated && said.confidence == alone.confidence);
}

TEST_OF_VARIANTS(no_more_different_keys_than_records)
{
    static const uint64_t counts[] = {1, 2, 3, 17, 300, 1000};

    for (size_t c = 0; c < 6 && kind_has_distinct(variants[i].params.kind); c++) {
        owned_sketch *sketch = make_with(&variants[i].params, 0, counts[c]);
        owned_sketch *other =
            make_with(&variants[i].params, counts[c] / 2, counts[c] / 2 + counts[c]);
        check_distinct(sketch, counts[c]);
        merge_parts(sketch, other);
        check_distinct(sketch, 2 * counts[c]);
        sketches_reload(&sketch);
        if (variants[i].params.secret == NULL)
            check_distinct(sketch, 2 * counts[c]);
    }
}

/* Records that are far more, 0 or saturated change nothing. */
TEST_OF_VARIANTS(records_that_say_nothing_change_no_estimate)
{
    static const uint64_t more[] = {1u << 30, UINT64_MAX};
    uint64_t              hash = scramble(7);

    if (!is_a_set(&variants[i]) || !has_hashes(&variants[i]))
        return;
    owned_sketch *sketch = make_with(&variants[i].params, 0, variants[i].keys);
    for (size_t m = 0; m < 2; m++) {
        const ink_batch batch = {.count = 1, .hashes = &hash, .records = more[m]};
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        ink_answer said = distinct_by(sketch, INK_ESTIMATOR_DEFAULT);
        ink_answer alone = distinct_by(sketch, INK_ESTIMATOR_UNLIMITED);
        CHECK(alone.estimate < 1 || said.estimate == alone.estimate);
        CHECK(said.high == alone.high || (m == 0 && said.saturated && said.high >= more[0]));
    }
}

TEST_OF_VARIANTS(no_count_is_above_the_total)
{
    if (!takes_weights(&variants[i]))
        return;
    owned_sketch *sketch = make_with(&variants[i].params, 0, variants[i].keys);
    for (uint64_t n = 0; n < 40; n++)
        add_key(sketch, 3); /* where counters stop, this one does */
    owned_sketch   *other = copy_of(sketch);
    ink_description of = sketches_describe(sketch);
    for (unsigned merged = 0; merged < 2; merged++) {
        double most = (double)(kind_counts(of.kind) ? of.total : of.records);
        for (uint64_t n = 0; n < 64; n++) {
            ink_answer answer = count_of(sketch, n + variants[i].keys - 32 * (n % 2));
            CHECK(is_in_order(&answer, most));
        }
        ink_answer often = count_of(sketch, 3);
        CHECK(is_in_order(&often, most) && often.estimate >= 15);
        merge_parts(sketch, other);
        of = sketches_describe(sketch);
    }
}

/* Removing takes records away, too; once there are none, nothing is known. */
TEST(what_is_left_after_removals_limits_the_answer)
{
    owned_sketch *sketch = make_with(&(ink_params){.kind = "counting", .bits = 1024 * 60}, 0, 900);

    for (uint64_t n = 0; n < 900; n++) {
        uint8_t key[KEY_BYTES_MAX] = {0};
        check_distinct(sketch, 900 - n);
        CHECK_OK(ink_sketch_remove(sketch, key, bytes_of_key(n, key), &error));
    }
    ink_answer none = distinct_by(sketch, INK_ESTIMATOR_DEFAULT);
    CHECK(none.low == 0 && none.estimate == 0 && none.high == 0);
}

/* Of two sets that share no key nothing may be left, for all their records. */
TEST(an_empty_intersection_has_no_keys)
{
    owned_sketch *a = make_with(&(ink_params){.kind = "classic", .bits = 40000, .hashes = 1}, 1, 2);
    owned_sketch *b = make_with(&(ink_params){.kind = "classic", .bits = 40000, .hashes = 1}, 2, 3);

    CHECK_OK(ink_sketch_intersect(a, b, &error));
    ink_answer none = distinct_by(a, INK_ESTIMATOR_DEFAULT);
    CHECK(sketches_describe(a).records == 1 && none.estimate == 0 && none.high == 0);
}

RUN_TESTS()
