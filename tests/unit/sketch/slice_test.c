/* slice_test.c - sketches made range by range: slices of any ranges that are one after the other,
 * put together, are the sketch of all hashes, and so is one sketch that is filled range by range;
 * whatever is not in a range, or cannot be made so, is refused. */
#include "sketch/internal.h"
#include "support/check.h"
#include "support/records.h"
#include "support/sketches.h"

static ink_error error;
static uint64_t  chance = 5;

/* Kinds that can be made range by range, small and large, of which one has fewer blocks than there
 * are ranges. */
static const ink_params local[] = {
    {.kind = "bloom", .expected_keys = 1000},
    {.kind = "bloom", .expected_keys = 30000, .false_positive_rate = 1e-4},
    {.kind = "bloom", .bits = 256},
    {.kind = "bloom", .bits = 7 * 256},
    {.kind = "counting", .expected_keys = 1000},
    {.kind = "counting", .bits = 1024},
};
enum { LOCAL = sizeof local / sizeof *local, HASHES = 3000, RANGES = 70 };

/* Hashes, of which the first and the last there can be, and some next to limits of ranges. */
static void some_hashes(uint64_t *hashes)
{
    for (size_t i = 0; i < HASHES; i++)
        hashes[i] = records_random(&chance);
    hashes[0] = 0;
    hashes[1] = UINT64_MAX;
    hashes[2] = (uint64_t)1 << 63;
    hashes[3] = ((uint64_t)1 << 63) - 1;
}

static ink_sketch *sketch_of(const ink_params *params, const uint64_t *hashes, size_t count)
{
    const ink_batch batch = {.count = count, .hashes = hashes};
    ink_sketch     *sketch;

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    if (count > 0)
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    return sketch;
}

static uint8_t *payload_of(const ink_sketch *sketch, size_t *bytes)
{
    ink_description description;

    ink_sketch_describe(sketch, &description);
    *bytes = (size_t)description.bytes;
    uint8_t *payload = test_malloc(*bytes);
    CHECK_OK(ink_sketch_payload(sketch, payload, *bytes, &error));
    return payload;
}

/* The last hash of range number `index` of `count`. */
static uint64_t last_of(uint64_t index, uint64_t count)
{
    return index + 1 == count ? UINT64_MAX : UINT64_MAX / count * (index + 1);
}

/* Makes the slice of a range, and merges it with what is there. */
static void add_range(const ink_params *params, const ink__head *head, const uint64_t *hashes,
                      uint64_t first, uint64_t last, uint8_t *into, size_t into_bytes)
{
    static uint64_t mine[HASHES];
    size_t          count = 0, bytes;
    ink_params      part;
    uint64_t        offset;

    for (size_t i = 0; i < HASHES; i++)
        if (hashes[i] >= first && hashes[i] <= last)
            mine[count++] = hashes[i];
    CHECK_OK(ink__plan_slice(params, first, last, &part, &offset, &error));
    CHECK_OK(ink__slice_hashes(params, first, last, mine, count, &error));
    owned_sketch *sketch = sketch_of(&part, mine, count);
    uint8_t      *payload = payload_of(sketch, &bytes);
    assert_in_range(offset + bytes, 1, into_bytes);
    CHECK_OK(ink__head_merge_slice(head, offset, into + offset, payload, bytes, &error));
    test_free(payload);
}

TEST(united_slices_are_the_whole)
{
    uint64_t hashes[HASHES];

    some_hashes(hashes);
    for (size_t k = 0; k < LOCAL; k++) {
        owned_sketch *whole = sketch_of(&local[k], hashes, HASHES);
        size_t        bytes;
        uint8_t      *expected = payload_of(whole, &bytes);
        ink__head     head;
        CHECK_OK(ink__plan_head(&local[k], 0, &head, &error));
        for (uint64_t ranges = 1; ranges <= RANGES; ranges += 1 + ranges / 4) {
            uint8_t *got = test_calloc(bytes, 1);
            uint64_t first = 0;
            for (uint64_t r = 0; r < ranges; r++) {
                add_range(&local[k], &head, hashes, first, last_of(r, ranges), got, bytes);
                first = last_of(r, ranges) + 1;
            }
            assert_memory_equal(got, expected, bytes);
            test_free(got);
        }
        test_free(expected);
    }
}

/* Threads fill ranges at once that are no neighbours. */
TEST(ranges_that_are_no_neighbours_share_no_block)
{
    for (size_t k = 0; k < LOCAL; k++)
        for (uint64_t ranges = 3; ranges <= RANGES; ranges++) {
            owned_sketch *sketch = sketch_of(&local[k], NULL, 0);
            uint64_t      end = 0, offset;
            ink_params    part;
            bool          apart = true;
            for (uint64_t r = 0; r < ranges; r += 2) {
                CHECK_OK(ink__plan_slice(&local[k], r == 0 ? 0 : last_of(r - 1, ranges) + 1,
                                         last_of(r, ranges), &part, &offset, &error));
                apart = apart && offset >= end;
                end = offset + part.bits / 8;
            }
            if (ink__sketch_has_ranges(sketch, ranges))
                CHECK(apart);
            CHECK(ink__sketch_has_ranges(sketch, ranges) ==
                  (sketches_describe(sketch).bits /
                       (strcmp(local[k].kind, "bloom") == 0 ? 256 : 1024) >=
                   ranges));
        }
}

TEST(a_sketch_filled_range_by_range_is_the_whole)
{
    uint64_t hashes[HASHES];

    some_hashes(hashes);
    for (size_t k = 0; k < LOCAL; k++) {
        owned_sketch *whole = sketch_of(&local[k], hashes, HASHES);
        owned_sketch *filled = sketch_of(&local[k], NULL, 0);
        uint64_t      records = 0;
        for (size_t i = 0; i < HASHES; i += 1000) {
            const ink_batch batch = {.count = 1000, .hashes = hashes + i};
            CHECK_OK(ink__sketch_add_in_range(filled, &batch, &records, &error));
        }
        assert_int_equal(sketches_describe(filled).records, 0);
        assert_int_equal(records, HASHES);
        ink__count_records(filled, records);
        CHECK(sketches_equal(whole, filled));
    }
}

/* Whoever makes a part holds little more than that part. */
TEST(a_slice_has_just_the_blocks_of_its_range)
{
    const ink_params params = {.kind = "bloom", .bits = 1 << 20};
    ink_params       part;
    uint64_t         offset;
    ink_description  description;

    CHECK_OK(ink__plan_slice(&params, (uint64_t)3 << 62, UINT64_MAX, &part, &offset, &error));
    CHECK_OK(ink_plan(&part, &description, &error));
    assert_int_equal(description.bytes, 1 << 15);
    assert_int_equal(offset, 3 << 15);
    CHECK_OK(ink__plan_slice(&params, 77, 77, &part, &offset, &error));
    CHECK_OK(ink_plan(&part, &description, &error));
    assert_int_equal(description.bytes, 32); /* a block */
    assert_int_equal(offset, 0);
}

TEST(hashes_outside_of_the_range_are_refused)
{
    const uint64_t first = (uint64_t)1 << 62, last = ((uint64_t)1 << 63) - 1;

    for (size_t k = 0; k < LOCAL; k++) {
        uint64_t    hashes[] = {first, last, 0};
        ink_params  part;
        uint64_t    offset;
        ink_sketch *whole;
        CHECK_OK(ink__plan_slice(&local[k], first, last, &part, &offset, &error));
        CHECK_OK(ink__slice_hashes(&local[k], first, last, hashes, 2, &error));
        CHECK_OK(ink_sketch_create(&whole, &local[k], NULL, &error));
        ink_description description;
        ink_sketch_describe(whole, &description);
        ink_sketch_free(whole);
        if (description.bytes <= 256)
            continue; /* so few blocks that both hashes may be in one of them */
        hashes[0] = first;
        hashes[1] = last;
        CHECK_FAILS(ink__slice_hashes(&local[k], first, last, hashes, 3, &error), INK_USAGE,
                    "outside of the range");
        assert_int_equal(error.location, INK_AT_KEY);
        assert_int_equal(error.at, 2);
        assert_true(hashes[0] == first && hashes[1] == last && hashes[2] == 0); /* as they were */
        hashes[0] = UINT64_MAX;
        CHECK_FAILS(ink__slice_hashes(&local[k], first, last, hashes, 1, &error), INK_USAGE,
                    "outside of the range");
    }
}

TEST(kinds_without_such_locations_are_refused_by_name)
{
    static const ink_params others[] = {{.kind = "classic", .expected_keys = 100},
                                        {.kind = "count-min"},
                                        {.kind = "fm"},
                                        {.kind = "hll"},
                                        {.kind = "scalable"},
                                        {.kind = "top"}};
    ink_params              part;
    uint64_t                offset, hash = 0;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        owned_sketch *none = sketch_of(&others[i], NULL, 0);
        CHECK(!ink__sketch_has_ranges(none, 1));
        CHECK_FAILS(ink__plan_slice(&others[i], 0, 1, &part, &offset, &error), INK_UNSUPPORTED,
                    others[i].kind);
        CHECK_FAILS(ink__slice_hashes(&others[i], 0, 1, &hash, 1, &error), INK_UNSUPPORTED,
                    others[i].kind);
    }
}

TEST(a_range_that_is_none_and_a_plan_that_cannot_be_are_refused)
{
    const ink_params nothing = {.kind = "bloom"};
    ink_params       part;
    uint64_t         offset;

    CHECK_FAILS(ink__plan_slice(&local[0], 2, 1, &part, &offset, &error), INK_USAGE,
                "ends before it begins");
    CHECK_FAILS(ink__plan_slice(&nothing, 0, 1, &part, &offset, &error), INK_USAGE,
                "expected_keys");
}

RUN_TESTS()
