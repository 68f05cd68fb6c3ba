/* membership_test.c - what the filters of plain bits share: promises, rates, estimates and views
 * after union, intersection and folding. Every test runs for both kinds. That the results are those
 * of the filter built so, and promises are kept, is in tests/properties (merge_test.c,
 * fold_test.c).
 */
#include "sketch/kinds/membership.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

static ink_error error;

/* A filter by hand, of this many bits, a power of two from 256 on. */
static ink_params by_hand(const char *kind, uint64_t bits)
{
    return (ink_params){.kind = kind, .bits = bits, .hashes = strcmp(kind, "classic") == 0 ? 3 : 0};
}

/* The same with a promise for this many keys. */
static ink_params promising(const char *kind, uint64_t bits, uint64_t keys)
{
    ink_params params = by_hand(kind, bits);

    params.expected_keys = keys;
    return params;
}

/* A test of this `kind`, bloom and classic. */
#define TEST_OF_BOTH(name)                                                                         \
    static void check_##name(const char *kind);                                                    \
    TEST(name)                                                                                     \
    {                                                                                              \
        check_##name("bloom");                                                                     \
        check_##name("classic");                                                                   \
    }                                                                                              \
    static void check_##name(const char *kind)

/* ---- Union -------------------------------------------------------------------------------- */

TEST_OF_BOTH(a_union_is_the_filter_built_from_the_keys_of_both)
{
    const ink_params params = by_hand(kind, 1 << 17); /* more than a chunk */
    owned_sketch    *left = files_sketch(&params, 0, 1000, NULL);
    owned_sketch    *right = files_sketch(&params, 1000, 500, NULL);
    owned_sketch    *both = files_sketch(&params, 0, 1500, NULL);

    CHECK(sketches_found(left, 1000, 500) < 50);
    CHECK_OK(ink_sketch_merge(left, right, NULL, &error));
    assert_int_equal(sketches_found(left, 0, 1500), 1500);
    CHECK(sketches_found(right, 0, 1000) < 100);
    CHECK(sketches_equal(left, both)); /* records add up too */
}

TEST_OF_BOTH(parts_of_one_set_are_united_without_a_look_at_the_rate)
{
    const ink_params params = {.kind = kind, .expected_keys = 1000};
    owned_sketch    *into = files_sketch(&params, 0, 1000, NULL);
    owned_sketch    *from = files_sketch(&params, 1000, 1000, NULL);
    double           promised = sketches_describe(into).promised_rate;

    CHECK_OK(ink_sketch_merge(into, from, &(ink_merge_options){.parts = true}, &error));
    CHECK(sketches_describe(into).promised_rate == promised);
    assert_int_equal(sketches_describe(into).records, 2000);
}

TEST_OF_BOTH(a_union_promises_the_larger_of_the_two_promises)
{
    owned_sketch *a = sketches_with(promising(kind, 1 << 16, 100), 0, 50);
    owned_sketch *b = sketches_with(promising(kind, 1 << 16, 3000), 50, 50);
    owned_sketch *c = sketches_with(by_hand(kind, 1 << 16), 50, 50);
    double        promised = sketches_describe(b).promised_rate;

    CHECK(sketches_describe(a).promised_rate < promised);
    CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
    CHECK(sketches_describe(a).promised_rate == promised);
    assert_int_equal(sketches_describe(a).expected_keys, 3000);
    CHECK_OK(ink_sketch_merge(a, c, NULL, &error));
    CHECK(sketches_describe(a).promised_rate == 0);
}

/* Of the whole filter, not of its first chunk. */
TEST_OF_BOTH(a_union_of_two_large_full_filters_is_refused)
{
    const ink_params params = {.kind = kind, .expected_keys = 200000};
    owned_sketch    *into = files_sketch(&params, 0, 200000, NULL);
    owned_sketch    *from = files_sketch(&params, 200000, 200000, NULL);

    CHECK_FAILS(ink_sketch_merge(into, from, NULL, &error), INK_PROMISE, "rate");
    assert_int_equal(sketches_describe(into).records, 200000);
}

/* ---- Intersection ------------------------------------------------------------------------- */

TEST_OF_BOTH(an_intersection_finds_the_keys_of_both_and_few_others)
{
    owned_sketch *a = sketches_with(promising(kind, 1 << 18, 4000), 0, 2000);
    owned_sketch *b = sketches_with(promising(kind, 1 << 17, 3000), 1500, 1000);

    CHECK_OK(ink_sketch_intersect(a, b, &error));
    assert_int_equal(sketches_found(a, 1500, 500), 500);
    CHECK(sketches_found(a, 0, 1500) < 30);
    CHECK(sketches_found(a, 2000, 500) < 10);
    assert_int_equal(sketches_describe(a).records, 1000); /* the smaller number */
    assert_int_equal(sketches_describe(a).bits, 1 << 17);
    assert_int_equal(sketches_describe(a).expected_keys, 2000); /* 4000, folded */
}

TEST_OF_BOTH(an_intersection_promises_the_smaller_promise_and_keeps_its_own_records)
{
    owned_sketch *a = sketches_with(promising(kind, 1 << 16, 100), 0, 50);
    owned_sketch *b = sketches_with(promising(kind, 1 << 17, 6000), 0, 80);
    double        promised = sketches_describe(a).promised_rate;

    CHECK_OK(ink_sketch_intersect(a, b, &error));
    CHECK(sketches_describe(a).promised_rate == promised);
    assert_int_equal(sketches_describe(a).expected_keys, 100);
    assert_int_equal(sketches_describe(a).records, 50);
    assert_int_equal(sketches_found(a, 0, 50), 50);
}

/* ---- Folding ------------------------------------------------------------------------------ */

TEST_OF_BOTH(folding_to_a_rate_keeps_the_promise_or_loosens_it)
{
    owned_sketch *tight = sketches_with(
                     (ink_params){.kind = kind, .expected_keys = 1 << 16, .bits = 1 << 20}, 0, 100),
                 *loose = NULL;
    double   before = sketches_describe(tight).promised_rate;
    uint64_t divisor;

    CHECK_OK(ink_sketch_copy(&loose, tight, NULL, &error));
    /* A hundred keys have a rate below the promise, but n / d keys would not keep it. */
    CHECK_OK(ink_sketch_fold_to_rate(tight, before / 10, &divisor, &error));
    CHECK(divisor > 1 && sketches_rate(tight) <= before / 10);
    CHECK(sketches_describe(tight).promised_rate == before);
    CHECK(sketches_describe(tight).expected_keys == (1 << 16) / divisor);
    CHECK_OK(ink_sketch_fold_to_rate(loose, before * 1.5, &divisor, &error));
    CHECK(sketches_describe(loose).promised_rate == before * 1.5);
}

/* Its target, or its promise where that is larger; above both it stays as it is. */
TEST_OF_BOTH(a_filter_is_folded_to_the_rate_that_it_was_made_for)
{
    owned_sketch *roomy = sketches_with(
                     (ink_params){.kind = kind, .expected_keys = 1 << 16, .bits = 1 << 20}, 0, 100),
                 *full = sketches_with(
                     (ink_params){.kind = kind, .expected_keys = 100, .bits = 1 << 12}, 0, 3000),
                 *open = sketches_with(by_hand(kind, 1 << 18), 0, 100);
    double   promised = sketches_describe(roomy).promised_rate;
    double   target = sketches_describe(roomy).target_rate;
    uint64_t divisor = 0;

    CHECK_OK(ink_sketch_fold_to_rate(roomy, 0, &divisor, &error));
    CHECK(divisor > 1 && sketches_rate(roomy) <= promised);
    CHECK(sketches_describe(roomy).promised_rate == promised);
    CHECK(sketches_describe(roomy).target_rate == target);
    CHECK_OK(ink_sketch_fold_to_rate(full, 0, &divisor, &error));
    CHECK(divisor == 1);
    CHECK_FAILS(ink_sketch_fold_to_rate(open, 0, &divisor, &error), INK_USAGE,
                "no target rate, expected a rate (rate)");
}

TEST_OF_BOTH(a_filter_that_cannot_be_smaller_is_folded_by_1)
{
    owned_sketch *sketch = sketches_with(by_hand(kind, 1 << 18), 0, 60000);
    uint64_t      divisor = 0;
    double        rate = sketches_rate(sketch);

    CHECK_OK(ink_sketch_fold_to_rate(sketch, rate * 1.01, &divisor, &error));
    assert_int_equal(divisor, 1);
    CHECK(sketches_describe(sketch).target_rate == rate * 1.01);
    CHECK_OK(ink_sketch_fold_to_rate(sketch, rate * 1.02, NULL, &error));
}

/* As one finds it by trying all divisors. */
TEST_OF_BOTH(folding_to_a_rate_finds_the_smallest_size_that_has_it)
{
    for (uint64_t blocks = 1; blocks <= 72; blocks++) {
        owned_sketch *sketch =
            sketches_with(by_hand(kind, 256 * blocks), 0, 30 + (unsigned)blocks * 7 % 110);
        uint64_t largest = 0, divisor = 0;
        for (uint64_t d = 1; d <= 256 * blocks; d++) {
            if (d > blocks && (d & (d - 1)) != 0)
                continue; /* only bits are halved further */
            owned_sketch *folded = NULL;
            CHECK_OK(ink_sketch_copy(&folded, sketch, NULL, &error));
            if (ink_sketch_fold(folded, d, NULL) == INK_OK && sketches_rate(folded) <= 0.02)
                largest = d;
        }
        if (largest == 0)
            CHECK_FAILS(ink_sketch_fold_to_rate(sketch, 0.02, &divisor, &error), INK_PROMISE,
                        "already, above 0.02");
        else
            CHECK_OK(ink_sketch_fold_to_rate(sketch, 0.02, &divisor, &error));
        assert_int_equal(divisor, largest);
    }
}

/* The first of the two chunks of a quarter has this rate alone, the second adds to it. */
TEST_OF_BOTH(a_rate_that_the_first_chunk_reaches_exactly_is_not_that_of_the_filter)
{
    owned_sketch *sketch = sketches_with(by_hand(kind, INK__FILTER_CHUNK * 8 * 8), 0, 4000);
    owned_sketch *quarter = NULL;
    uint64_t      divisor = 0;

    CHECK_OK(ink_sketch_copy(&quarter, sketch, NULL, &error));
    CHECK_OK(ink_sketch_fold(quarter, 4, &error));
    const ink__filter *filter = (const ink__filter *)quarter;
    const uint64_t     weight = quarter->kind->weigh(
            quarter->kernels, quarter->kind->payload(quarter, NULL), NULL, INK__FILTER_CHUNK);
    const double rate = ink__filter_rate_of(filter, filter->size, 0, weight);
    CHECK(sketches_rate(sketch) < rate && rate < sketches_rate(quarter));
    CHECK_OK(ink_sketch_fold_to_rate(sketch, rate, &divisor, &error));
    CHECK(divisor < 4);
}

/* ---- Rates, counts, views ----------------------------------------------------------------- */

TEST_OF_BOTH(an_empty_filter_has_rate_0_and_a_full_one_rate_1)
{
    const ink_params params = by_hand(kind, 256);
    owned_sketch    *empty = files_sketch(&params, 0, 0, NULL);
    owned_sketch    *full = files_sketch(&params, 0, 3000, NULL);

    CHECK(sketches_rate(empty) == 0);
    CHECK(sketches_rate(full) == 1);
}

TEST_OF_BOTH(a_filter_counts_the_different_keys)
{
    owned_sketch *sketch = sketches_with(by_hand(kind, 1 << 18), 0, 10000);
    ink_answer    answer = sketches_distinct(sketch);

    CHECK(answer.confidence == 0.95);
    CHECK(!answer.saturated);
    CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
    CHECK(answer.low > 9700 && answer.high < 10300);
    CHECK(answer.low <= 10000 && 10000 <= answer.high);
}

TEST_OF_BOTH(an_empty_filter_counts_exactly_0)
{
    owned_sketch *sketch = sketches_with(by_hand(kind, 1024), 0, 0);
    ink_answer    answer = sketches_distinct(sketch);

    CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0);
    CHECK(!answer.saturated && answer.confidence == 0.95);
}

TEST_OF_BOTH(a_full_filter_says_so_and_stays_finite)
{
    owned_sketch *sketch = sketches_with(by_hand(kind, 256), 0, 5000);
    ink_answer    answer = sketches_distinct(sketch);

    CHECK(answer.saturated);
    CHECK(answer.estimate > 10 && answer.estimate < 1e6);
    CHECK(answer.low >= 0 && answer.low <= answer.estimate);
    CHECK(answer.high == 0x1p64);
}

TEST_OF_BOTH(a_few_keys_in_a_large_filter_lie_within_the_interval)
{
    for (uint64_t keys = 1; keys <= 4; keys++) {
        ink_params params = by_hand(kind, 1 << 27);
        if (params.hashes != 0)
            params.hashes = 1;
        owned_sketch *sketch = files_sketch(&params, 0, keys, NULL);
        ink_answer    answer = sketches_distinct(sketch);
        if (!(answer.low <= (double)keys && (double)keys <= answer.high))
            fail_msg("%s: %.12g to %.12g, but there are %d keys", kind, answer.low, answer.high,
                     (int)keys);
    }
}

TEST_OF_BOTH(a_view_is_merged_and_intersected_from)
{
    const ink_params params = by_hand(kind, 1 << 16);
    owned_sketch    *sketch = files_sketch(&params, 0, 500, NULL);
    owned_sketch    *into = files_sketch(&params, 400, 500, NULL);
    owned_view       view = sketches_view_of(sketch, INK_OPEN_LAZY);

    CHECK_OK(ink_sketch_merge(into, view.sketch, NULL, &error));
    assert_int_equal(sketches_found(into, 0, 900), 900);
    CHECK_OK(ink_sketch_intersect(into, view.sketch, &error));
    assert_int_equal(sketches_found(into, 0, 500), 500);
}

TEST_OF_BOTH(every_refusal_of_memory_is_clean)
{
    const ink_params params = by_hand(kind, 1 << 16);
    ink_sketch      *sketch = files_sketch(&params, 0, 5, NULL), *made;

    for (uint64_t nth = 1; nth <= 2; nth++) {
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        CHECK_FAILS(ink_sketch_create(&made, &params, &allocator, &error), INK_MEMORY,
                    "no memory for");
        faults_check_no_leak(&memory);
        memory = (faults_memory){.refuse_at = nth};
        CHECK_FAILS(ink_sketch_copy(&made, sketch, &allocator, &error), INK_MEMORY,
                    "no memory for");
        faults_check_no_leak(&memory);
    }
    ink_sketch_free(sketch);
}

RUN_TESTS()
