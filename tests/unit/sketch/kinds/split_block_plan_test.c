/* split_block_plan_test.c - how large a split-block filter is: the rate that is worked out is the
 * one that filters have, and the size that is chosen is the smallest that keeps it. */
#include "sketch/kinds/split_block_plan.h"

#include "support/check.h"
#include "support/files.h"
#include "support/sketches.h"

static bool near(double value, double expected, double share)
{
    return value > expected * (1 - share) && value < expected * (1 + share);
}

TEST(a_filter_without_keys_has_rate_0)
{
    double scatter = -1;

    CHECK(ink__split_block_rate(0, 5, &scatter) == 0);
    CHECK(scatter == 0);
    CHECK(ink__split_block_rate(0, 5, NULL) == 0);
    CHECK(ink__split_block_promise(0, 5) == 0);
}

TEST(one_key_in_one_block_has_the_rate_of_eight_words)
{
    /* (1/32)^8 */
    CHECK(near(ink__split_block_rate(1, 1, NULL), 0x1p-40, 1e-9));
}

TEST(an_overloaded_filter_promises_nothing_better_than_1)
{
    double scatter = -1;

    CHECK(ink__split_block_rate(251, 1, &scatter) == 1);
    CHECK(scatter == 0);
    CHECK(ink__split_block_rate(UINT64_MAX, 7, NULL) == 1);
    CHECK(ink__split_block_promise(UINT64_MAX, INK__BLOCKS_MAX) == 1);
    CHECK(ink__split_block_promise(245, 1) == 1); /* the scatter takes it there */
}

TEST(the_rate_falls_with_blocks_and_rises_with_keys)
{
    for (uint64_t blocks = 1; blocks < 1000; blocks += 7) {
        double rate = ink__split_block_rate(1000, blocks + 4, NULL);
        CHECK(rate > ink__split_block_rate(1000, blocks + 11, NULL));
        CHECK(rate < ink__split_block_rate(1100, blocks + 4, NULL));
    }
}

TEST(filters_have_the_rate_that_was_worked_out)
{
    enum { KEYS = 20000 };
    const uint64_t block_counts[] = {400, 1000, 3000};

    for (size_t i = 0; i < 3; i++) {
        const ink_params params = {.kind = "bloom", .bits = 256 * block_counts[i]};
        owned_sketch    *sketch = files_sketch(&params, 0, KEYS, NULL);
        double           scatter;
        double           expected = ink__split_block_rate(KEYS, block_counts[i], &scatter);
        CHECK(scatter > 0 && scatter < 0.1);
        CHECK(near(sketches_rate(sketch), expected, 4 * scatter)); /* fixed keys; 4 deviations */
    }
}

TEST(few_keys_in_many_blocks_have_a_rate_and_a_promise)
{
    for (uint64_t keys = 1; keys <= 3; keys++)
        for (uint64_t blocks = 2; blocks < INK__BLOCKS_MAX; blocks = blocks * 3 / 2 + 1) {
            double rate = ink__split_block_rate(keys, blocks, NULL);
            double promise = ink__split_block_promise(keys, blocks);
            CHECK(rate > 0 && rate < 1e-9);
            CHECK(promise >= rate && promise < 1e-4);
        }
}

TEST(blocks_that_32_bits_reach_unevenly_cost_a_little)
{
    /* 2^32 hash values fill 2^28 blocks evenly, but some of 3 * 2^27 blocks with 10 and some
     * with 11. */
    const uint64_t even = (uint64_t)1 << 28, uneven = (uint64_t)3 << 27;
    double         rate = ink__split_block_rate(24 << 20, 1 << 20, NULL);

    CHECK(near(ink__split_block_rate(24 * even, even, NULL), rate, 1e-5));
    CHECK(ink__split_block_rate(24 * uneven, uneven, NULL) > rate * 1.005);
    CHECK(near(ink__split_block_rate(24 * uneven, uneven, NULL), rate, 0.05));
}

/* ---- The plan ----------------------------------------------------------------------------- */

static bool has_nine_significant_bits(uint64_t blocks)
{
    while (blocks % 2 == 0)
        blocks /= 2;
    return blocks < 512;
}

/* The next smaller size with at most nine significant bits. */
static uint64_t size_below(uint64_t blocks)
{
    uint64_t unit = 1;

    while (blocks / unit >= 512)
        unit *= 2;
    if (blocks / unit == 256 && unit > 1)
        unit /= 2;
    return blocks - unit;
}

static void check_plan(uint64_t keys, double rate)
{
    uint64_t blocks = ink__split_block_plan(keys, rate);

    CHECK(blocks > 0 && has_nine_significant_bits(blocks));
    CHECK(ink__split_block_promise(keys, blocks) <= rate);
    if (blocks > 1)
        CHECK(ink__split_block_promise(keys, size_below(blocks)) > rate);
}

TEST(the_plan_is_the_smallest_size_that_promises_the_rate)
{
    const double rates[] = {0.5, 0.4, 0.3, 0.1, 0.03, 0.01, 0.001, 1e-4, 7.31514e-5, 1e-5};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        for (uint64_t keys = 1; keys < 60; keys++)
            check_plan(keys, rates[i]);
        for (uint64_t keys = 60; keys < 100000000; keys = keys * 5 + 2)
            check_plan(keys, rates[i]);
    }
}

TEST(the_largest_filter_is_planned_where_nothing_smaller_will_do)
{
    const uint64_t keys = 5000000000;

    check_plan(keys, ink__split_block_promise(keys, INK__BLOCKS_MAX));
    assert_int_equal(ink__split_block_plan(keys, ink__split_block_promise(keys, INK__BLOCKS_MAX)),
                     INK__BLOCKS_MAX);
    assert_int_equal(
        ink__split_block_plan(keys, ink__split_block_promise(keys, INK__BLOCKS_MAX) * 0.9999), 0);
}

TEST(the_plan_of_a_million_keys_at_one_percent_is_known)
{
    /* a change here changes the size of everybody's filters */
    assert_int_equal(ink__split_block_plan(1000000, 0.01), 41216);
}

TEST(more_keys_than_the_largest_filter_holds_have_no_plan)
{
    CHECK(ink__split_block_plan((uint64_t)10000000000, 0.01) > 0);
    CHECK(ink__split_block_plan((uint64_t)20000000000, 0.01) == 0);
    CHECK(ink__split_block_plan(UINT64_MAX, 0.5) == 0);
    CHECK(ink__split_block_plan(UINT64_MAX, 1e-5) == 0);
}

TEST(bits_a_key_are_those_of_a_large_filter)
{
    const uint64_t keys = 100000000;

    for (double rate = 0.3; rate > 1e-5; rate /= 3) {
        double bits = 256.0 * (double)ink__split_block_plan(keys, rate) / (double)keys;
        CHECK(near(ink__split_block_bits_per_key(rate), bits, 0.01));
    }
    CHECK(near(ink__split_block_bits_per_key(1e-6), 65, 0.01));
}

RUN_TESTS()
