/* filter_ranges_test.c - hashes added range by range are new where they are new to the whole
 * filter, give its bytes, can be taken back, and weigh what its rate says. */
#include "sketch/internal.h"
#include "support/check.h"
#include "support/records.h"
#include "support/sketches.h"

enum { HASHES = 3000, FILTERS = 6 };

static ink_error error;
static uint64_t  chance = 9;

/* From one block, which is half a line, to more ranges than are allowed. */
static const uint64_t blocks[FILTERS] = {1, 2, 3, 130, 1000, 20000};

static ink_sketch *filter_of(uint64_t block_count)
{
    const ink_params params = {.kind = "bloom", .bits = 256 * block_count};
    ink_sketch      *filter;

    CHECK_OK(ink_sketch_create(&filter, &params, NULL, &error));
    return filter;
}

static void check_equal(const ink_sketch *a, const ink_sketch *b, uint64_t block_count)
{
    const size_t bytes = (size_t)(32 * block_count);
    uint8_t     *of_a = test_malloc(bytes), *of_b = test_malloc(bytes);

    CHECK_OK(ink_sketch_payload(a, of_a, bytes, &error));
    CHECK_OK(ink_sketch_payload(b, of_b, bytes, &error));
    CHECK(memcmp(of_a, of_b, bytes) == 0);
    test_free(of_a);
    test_free(of_b);
}

static double rate_by_ranges(const ink__filter_ranges *ranges)
{
    ink__weight all = {0};

    for (unsigned range = 0; range < ranges->count; range++) {
        ink__weight one = ink__filter_ranges_weigh(ranges, range);
        all.high += one.high;
        all.low += one.low;
    }
    return ink__filter_ranges_rate(ranges, all);
}

static void check_ranges(uint64_t block_count, unsigned wanted)
{
    static uint64_t    hashes[HASHES], sorted[HASHES], starts[INK__FILTER_RANGES_MAX + 1];
    static uint32_t    places[HASHES];
    static uint8_t     was_new[HASHES], expected[HASHES], saved[HASHES * 32];
    owned_sketch      *whole = filter_of(block_count), *cut = filter_of(block_count);
    const ink_batch    batch = {.hashes = hashes, .count = HASHES};
    ink__filter_ranges ranges;
    uint64_t           last[INK__FILTER_RANGES_MAX], counts[INK__FILTER_RANGES_MAX], fresh = 0;
    double             rate;

    for (size_t i = 0; i < HASHES; i++)
        hashes[i] = i % 3 == 0 && i > 0 ? hashes[i / 2] : records_random(&chance);
    hashes[1] = 0;
    hashes[2] = UINT64_MAX;
    CHECK(ink__filter_ranges_of(&ranges, cut, wanted));
    const uint64_t lines = (block_count + 1) / 2;
    CHECK(ranges.count <= INK__FILTER_RANGES_MAX && ranges.count < 2 * wanted);
    CHECK(ranges.count >= (lines < wanted ? lines : wanted) || wanted > INK__FILTER_RANGES_MAX / 2);
    ink__filter_ranges_sort(&ranges, hashes, HASHES, places, sorted, starts);
    assert_int_equal(starts[ranges.count], HASHES);
    ink__filter_ranges_count(&ranges, hashes, HASHES, counts);
    memcpy(last, starts, sizeof last);
    for (size_t i = 0; i < HASHES; i++) { /* each in its range, and in their order */
        unsigned range = 0;
        while (places[i] >= starts[range + 1])
            range++;
        CHECK(range < ranges.count && places[i] == last[range]++ && sorted[places[i]] == hashes[i]);
    }
    CHECK_OK(ink_sketch_add_new_batch(whole, &batch, expected, &error));
    for (unsigned range = ranges.count; range-- > 0;) {
        const uint64_t *some = sorted + starts[range];
        size_t          count = (size_t)(starts[range + 1] - starts[range]);
        CHECK(last[range] == starts[range + 1] && counts[range] == count);
        ink__filter_ranges_save(&ranges, some, count, saved);
        fresh += ink__filter_ranges_add(&ranges, some, count, was_new + starts[range]);
        ink__filter_ranges_restore(&ranges, some, count, saved);
        CHECK(ink__filter_ranges_weigh(&ranges, range).high == 0 &&
              ink__filter_ranges_weigh(&ranges, range).low == 0);
        ink__filter_ranges_add(&ranges, some, count, NULL);
    }
    for (size_t i = 0; i < HASHES; i++) {
        fresh -= expected[i];
        CHECK(was_new[places[i]] == expected[i]);
    }
    assert_int_equal(fresh, 0);
    check_equal(whole, cut, block_count);
    CHECK_OK(ink_sketch_rate(whole, &rate, &error));
    CHECK(rate_by_ranges(&ranges) == rate);
}

TEST(what_is_added_range_by_range_is_what_is_added_to_the_whole)
{
    for (size_t i = 0; i < FILTERS; i++)
        for (unsigned wanted = 1; wanted <= 2 * INK__FILTER_RANGES_MAX; wanted *= 2)
            check_ranges(blocks[i], wanted);
}

TEST(other_kinds_have_no_such_ranges)
{
    static const char *const kinds[] = {"classic", "counting", "scalable"};

    for (size_t i = 0; i < 3; i++) {
        const ink_params   params = {.kind = kinds[i], .expected_keys = 1000};
        owned_sketch      *sketch = NULL;
        ink__filter_ranges ranges;
        CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
        CHECK(!ink__filter_ranges_of(&ranges, sketch, 4));
    }
}

RUN_TESTS()
