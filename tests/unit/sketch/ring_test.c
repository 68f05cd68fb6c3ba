/* ring_test.c - rings of time slots: which slot a time belongs to, what falls out, and what the
 * last slots hold, compared with a list of all records; saved and loaded rings go on as if they had
 * never been written. */
#include "inkling_file.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <stdio.h>

static ink_error error;

static const ink_params hll = {.kind = "hll", .precision = 6, .key_type = INK_KEY_INT};

/* One ring of each kind. */
static const ink_params kinds[] = {
    {.kind = "bloom", .expected_keys = 500, .key_type = INK_KEY_INT},
    {.kind = "bloom", .bits = 2048, .key_type = INK_KEY_INT},
    {.kind = "classic", .expected_keys = 500, .key_type = INK_KEY_INT},
    {.kind = "counting", .expected_keys = 500, .key_type = INK_KEY_INT},
    {.kind = "count-min", .width = 37, .depth = 3, .key_type = INK_KEY_INT},
    {.kind = "fm", .key_type = INK_KEY_INT},
    {.kind = "hll", .precision = 6, .key_type = INK_KEY_INT},
    {.kind = "theta", .precision = 4, .key_type = INK_KEY_INT},
    {.kind = "top", .phi = 0.125, .key_type = INK_KEY_INT},
    {.kind = "scalable", .expected_keys = 20, .key_type = INK_KEY_INT},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], ORDERED = 7 }; /* from here on order matters */

static ink_ring *new_ring(const ink_params *params, uint64_t length, uint32_t slots)
{
    const ink_window window = {.slot_microseconds = length, .slots = slots};
    ink_ring        *ring;

    CHECK_OK(ink_ring_create(&ring, params, &window, NULL, &error));
    return ring;
}

static ink_sketch *slot_at(ink_ring *ring, int64_t when)
{
    ink_sketch *sketch = (ink_sketch *)&error; /* neither a sketch nor NULL */

    CHECK_OK(ink_ring_slot(ring, when, &sketch, &error));
    CHECK((const void *)sketch != &error);
    return sketch;
}

/* Adds a record; false: it was late. */
static bool add_at(ink_ring *ring, int64_t when, int64_t key)
{
    ink_sketch *sketch = slot_at(ring, when);

    if (sketch != NULL)
        CHECK_OK(ink_sketch_add_int(sketch, key, &error));
    return sketch != NULL;
}

static ink_sketch *last_of(const ink_ring *ring, uint32_t last)
{
    ink_sketch *sketch;

    CHECK_OK(ink_ring_last(ring, last, &sketch, &error));
    return sketch;
}

static int64_t entry_slot(const ink_ring *ring, size_t index)
{
    ink_entry entry;

    CHECK_OK(ink_ring_entry(ring, index, NULL, &entry, &error));
    CHECK(entry.label.has_slot && entry.label.group_kind == INK_GROUP_NONE);
    assert_non_null(entry.sketch);
    return entry.label.slot;
}

/* ---- Create ------------------------------------------------------------------------------- */

TEST(windows_that_cannot_be_are_refused)
{
    static const struct {
        ink_window  window;
        const char *words;
    } wrong[] = {
        {{.slot_microseconds = 1, .slots = 0}, "0 slots, expected 1 to 65536"},
        {{.slot_microseconds = 1, .slots = 65537}, "65537 slots, expected 1 to 65536"},
        {{.slot_microseconds = 0, .slots = 1}, "slots of 0 microseconds, expected 1 to 2^63 - 1"},
        {{.slot_microseconds = (uint64_t)1 << 63, .slots = 1},
         "slots of 9223372036854775808 microseconds"},
    };
    owned_ring      *ring = NULL;
    const ink_params bad = {.kind = "hll", .precision = 99};
    const ink_window largest = {.slot_microseconds = INT64_MAX, .slots = 65536};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(ink_ring_create(&ring, &hll, &wrong[i].window, NULL, &error), INK_USAGE,
                    wrong[i].words);
    CHECK_FAILS(ink_ring_create(&ring, &bad, &largest, NULL, &error), INK_USAGE,
                "precision 99, expected 4 to 18");
    assert_null(ring);
    CHECK_OK(ink_ring_create(&ring, &hll, &largest, NULL, &error));
    ink_ring_free(NULL);
}

/* ---- Slots -------------------------------------------------------------------------------- */

TEST(slots_start_at_multiples_of_their_length_before_1970_too)
{
    static const struct {
        int64_t when, slot;
    } times[] = {
        {0, 0},
        {1, 0},
        {9, 0},
        {10, 10},
        {19, 10},
        {-1, -10},
        {-9, -10},
        {-10, -10},
        {-11, -20},
        {-20, -20},
        {-21, -30},
        {1234567, 1234560},
        {-1234567, -1234570},
    };

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        owned_ring *ring = new_ring(&hll, 10, 3);
        CHECK(add_at(ring, times[i].when, 1));
        assert_int_equal(ink_ring_count(ring), 1);
        CHECK(entry_slot(ring, 0) == times[i].slot);
        CHECK(slot_at(ring, times[i].slot) == slot_at(ring, times[i].slot + 9)); /* one slot */
        assert_int_equal(ink_ring_count(ring), 1);
        CHECK(slot_at(ring, times[i].slot - 1) != slot_at(ring, times[i].slot));
        CHECK(slot_at(ring, times[i].slot + 10) != slot_at(ring, times[i].slot));
        assert_int_equal(ink_ring_count(ring), 3);
    }
}

TEST(a_record_before_the_window_is_late)
{
    static const int64_t starts[] = {0, 50, -50, -1000000};

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        owned_ring *ring = new_ring(&hll, 10, 3);
        int64_t     newest = starts[i];
        CHECK(add_at(ring, newest + 9, 1));
        CHECK(add_at(ring, newest - 1, 2));
        CHECK(add_at(ring, newest - 20, 3)); /* the first moment of the oldest slot */
        CHECK(!add_at(ring, newest - 21, 4));
        CHECK(!add_at(ring, newest - 30, 5));
        CHECK(!add_at(ring, newest - 1000000, 6));
        assert_int_equal(ink_ring_count(ring), 3);
        CHECK(add_at(ring, newest + 10, 7)); /* moves, and the oldest falls out */
        CHECK(!add_at(ring, newest - 11, 8));
        CHECK(add_at(ring, newest - 10, 9));
        assert_int_equal(ink_ring_count(ring), 3);
        CHECK(entry_slot(ring, 0) == newest - 10 && entry_slot(ring, 2) == newest + 10);
    }
}

TEST(a_ring_of_one_slot_holds_the_newest_only)
{
    owned_ring *ring = new_ring(&hll, 10, 1);

    for (int64_t when = -100; when < 100; when += 10) {
        CHECK(add_at(ring, when, when));
        CHECK(!add_at(ring, when - 1, 0));
        assert_int_equal(ink_ring_count(ring), 1);
        CHECK(entry_slot(ring, 0) == when);
    }
}

TEST(the_ring_moves_forwards_only_and_the_newest_slot_always_has_a_sketch)
{
    owned_ring *ring = new_ring(&hll, 10, 3);

    CHECK_OK(ink_ring_move(ring, 55, &error)); /* nothing is added */
    assert_int_equal(ink_ring_count(ring), 1);
    CHECK(entry_slot(ring, 0) == 50 && sketches_describe(slot_at(ring, 50)).records == 0);
    CHECK(!add_at(ring, 29, 1));
    CHECK(add_at(ring, 30, 1));
    CHECK_OK(ink_ring_move(ring, 10, &error)); /* back: it stays */
    CHECK(!add_at(ring, 29, 1));
    CHECK_OK(ink_ring_move(ring, 59, &error)); /* the same slot */
    assert_int_equal(ink_ring_count(ring), 2);
    CHECK_OK(ink_ring_move(ring, 60, &error));
    assert_int_equal(ink_ring_count(ring), 2);
    CHECK(entry_slot(ring, 0) == 50 && entry_slot(ring, 1) == 60);
}

TEST(moving_far_ahead_empties_the_ring)
{
    static const int64_t prefetch[] = {30, 31, 40, 300, 3000000000, INT64_MAX - 100};

    for (size_t i = 0; i < sizeof prefetch / sizeof prefetch[0]; i++) {
        owned_ring *ring = new_ring(&hll, 10, 3);
        for (int64_t when = 0; when < 30; when += 10)
            CHECK(add_at(ring, when, when));
        CHECK_OK(ink_ring_move(ring, 29 + prefetch[i], &error));
        assert_int_equal(ink_ring_count(ring), 1); /* the newest, with nothing in it */
        CHECK(entry_slot(ring, 0) == (29 + prefetch[i]) / 10 * 10);
        ink_sketch *sketch = last_of(ring, 0);
        CHECK(sketches_distinct(sketch).high == 0 && sketches_describe(sketch).records == 0);
        ink_sketch_free(sketch);
        CHECK(!add_at(ring, 25, 1));
    }
}

TEST(what_falls_out_is_given_back_and_its_location_is_taken_anew)
{
    const ink_window window = {.slot_microseconds = 10, .slots = 4};
    const ink_params bloom = {.kind = "bloom", .bits = 1 << 16, .key_type = INK_KEY_INT};
    faults_memory    memory = {0};
    ink_allocator    allocator = faults_allocator(&memory);
    ink_ring        *ring;
    uint64_t         full = 0;

    CHECK_OK(ink_ring_create(&ring, &bloom, &window, &allocator, &error));
    uint64_t empty = memory.live_bytes;
    for (int64_t when = -200; when < 200; when += 10) {
        CHECK(add_at(ring, when, when));
        if (when == -170)
            full = memory.live_bytes;
        CHECK(when <= -170 || memory.live_bytes == full);
    }
    CHECK(full > empty + 4 * (1 << 13));
    CHECK(memory.most_bytes <= full + (1 << 13) + 1000); /* one more, for a moment */
    CHECK_OK(ink_ring_move(ring, 100000, &error));
    CHECK(memory.live_bytes == empty + (full - empty) / 4); /* one, with nothing in it */
    ink_ring_free(ring);
    faults_check_no_leak(&memory);
}

/* ---- The last slots ----------------------------------------------------------------------- */

typedef struct record {
    int64_t when, key;
} record;

enum { RECORDS = 400, LENGTH = 10 };

/* A stream that goes on mostly, waits sometimes, and has records that come late. */
static void make_stream(record *records)
{
    int64_t now = -700;

    for (uint64_t i = 0; i < RECORDS; i++) {
        now += (int64_t)(scramble(i) % 5);
        if (i % 90 == 89)
            now += 35; /* a gap */
        if (i == 250)
            now += 1000; /* everything falls out */
        int64_t behind = i % 4 == 3 ? (int64_t)(scramble(i + 1000) % 90) : 0;
        records[i] = (record){now - behind, (int64_t)(scramble(i + 5000) % 150)};
    }
}

static int64_t floored(int64_t when)
{
    int64_t slot = when / LENGTH;

    return slot * LENGTH > when ? slot - 1 : slot;
}

/* Whether record `index` is within the last `last` slots after record `until - 1`, and was not late
 * when it came. */
static bool is_within(const record *records, size_t index, size_t until, uint32_t slots,
                      uint32_t last)
{
    int64_t newest = INT64_MIN, newest_then = INT64_MIN, slot = floored(records[index].when);

    for (size_t i = 0; i < until; i++) {
        int64_t of_i = floored(records[i].when);
        newest = of_i > newest ? of_i : newest;
        if (i <= index)
            newest_then = of_i > newest_then ? of_i : newest_then;
    }
    return slot > newest - (int64_t)last && slot > newest_then - (int64_t)slots;
}

/* The union of the last slots is the sketch of the records in them. */
static void check_last(const ink_ring *ring, const ink_params *params, const record *records,
                       size_t until, uint32_t slots, uint32_t last, bool exactly)
{
    owned_sketch *found = last_of(ring, last), *expected = files_sketch(params, 0, 0, NULL);
    uint64_t      exact[150] = {0}, total = 0;

    if (last == 0)
        last = slots;
    for (size_t i = 0; i < until; i++)
        if (is_within(records, i, until, slots, last)) {
            CHECK_OK(ink_sketch_add_int(expected, records[i].key, &error));
            exact[records[i].key]++;
            total++;
        }
    if (exactly && !sketches_equal(found, expected))
        fail_msg("%s: the last %u slots after %d records are not theirs", params->kind, last,
                 (int)until);
    CHECK(sketches_describe(found).records == total && !sketches_describe(found).read_only);
    for (int64_t key = 0; key < 150; key++) {
        ink_answer answer;
        if (strcmp(params->kind, "scalable") == 0) {
            assert_true(exact[key] == 0 || sketches_found(found, (uint64_t)key, 1) == 1);
        } else if (strcmp(params->kind, "top") == 0) {
            CHECK_OK(ink_sketch_count_int(found, key, &answer, &error));
            CHECK(answer.low <= (double)exact[key] && (double)exact[key] <= answer.high);
            CHECK(sketches_describe(found).total == total);
        }
    }
}

TEST(the_last_slots_hold_exactly_the_records_of_their_time)
{
    static const uint32_t slots[] = {1, 3, 8};
    record                records[RECORDS];

    make_stream(records);
    for (int k = 0; k < KINDS; k++)
        for (int s = 0; s < 3; s++) {
            owned_ring *ring = new_ring(&kinds[k], LENGTH, slots[s]);
            unsigned    late = 0;
            for (size_t i = 0; i < RECORDS; i++) {
                bool added = add_at(ring, records[i].when, records[i].key);
                CHECK(added == is_within(records, i, i + 1, slots[s], slots[s]));
                late += !added;
                if (i % 41 != 0 && i != 250 && i + 1 != RECORDS)
                    continue;
                for (uint32_t last = 0; last <= slots[s]; last++)
                    check_last(ring, &kinds[k], records, i + 1, slots[s], last, k < ORDERED);
            }
            CHECK(late > 0);
        }
}

TEST(the_last_slots_are_counted_by_time_not_by_what_they_hold)
{
    owned_ring *ring = new_ring(&kinds[4], LENGTH, 5);
    uint64_t    totals[] = {1, 1, 1, 2, 2};

    CHECK(add_at(ring, 10, 1)); /* the slots 10 and 40, and 0, 20, 30 with nothing in them */
    CHECK(add_at(ring, 40, 1));
    for (uint32_t last = 1; last <= 5; last++) {
        owned_sketch *sketch = last_of(ring, last);
        assert_int_equal(sketches_describe(sketch).total, totals[last - 1]);
    }
    CHECK_OK(ink_ring_move(ring, 50, &error));
    owned_sketch *sketch = last_of(ring, 1); /* the newest has nothing yet */
    assert_int_equal(sketches_describe(sketch).total, 0);
}

/* Where the order of merges shows in the bytes. */
TEST(slots_are_united_by_rising_time)
{
    const ink_merge_options parts = {.parts = true};

    for (int k = ORDERED; k < KINDS; k++) {
        owned_ring   *ring = new_ring(&kinds[k], LENGTH, 5);
        owned_sketch *expected = last_of(ring, 0); /* an empty one with the plan of a slot */
        for (int64_t i = 0; i < 120; i++)
            CHECK(add_at(ring, (i * 7 % 5 - 2) * LENGTH, i * i % 150));
        for (size_t i = 0; i < 5; i++) {
            ink_entry entry;
            CHECK_OK(ink_ring_entry(ring, i, NULL, &entry, &error));
            CHECK_OK(ink_sketch_merge(expected, entry.sketch, &parts, &error));
        }
        owned_sketch *found = last_of(ring, 0);
        CHECK(sketches_equal(found, expected));
    }
}

TEST(more_slots_than_the_ring_has_cannot_be_asked_for)
{
    owned_ring   *ring = new_ring(&hll, LENGTH, 5);
    owned_sketch *sketch = NULL;

    CHECK_FAILS(ink_ring_last(ring, 6, &sketch, &error), INK_USAGE,
                "the last 6 slots, expected at most the 5 of the ring");
    CHECK_FAILS(ink_ring_last(ring, UINT32_MAX, &sketch, &error), INK_USAGE, "expected at most");
    assert_null(sketch);
    sketch = last_of(ring, 5); /* of a ring that has seen no time yet */
    CHECK(sketches_distinct(sketch).high == 0);
}

TEST(the_union_is_the_callers)
{
    ink_ring     *ring = new_ring(&hll, LENGTH, 2);
    owned_sketch *sketch = NULL;

    CHECK(add_at(ring, 0, 1));
    sketch = last_of(ring, 0);
    CHECK_OK(ink_sketch_add_int(sketch, 2, &error)); /* the ring does not see it */
    owned_sketch *again = last_of(ring, 0);
    CHECK(sketches_describe(again).records == 1 && sketches_describe(sketch).records == 2);
    ink_ring_free(ring);
    CHECK(sketches_distinct(sketch).estimate > 1.5);
}

/* The slots of one window are parts of one set: the union is not refused, whatever its rate. */
TEST(no_window_is_refused_for_its_rate)
{
    for (int k = 0; k < KINDS; k++) {
        owned_ring *ring = new_ring(&kinds[k], LENGTH, 8);
        for (int64_t i = 0; i < 4000; i++)
            CHECK(add_at(ring, i % 8 * LENGTH, i % 150 + i / 8));
        owned_sketch *sketch = last_of(ring, 0);
        CHECK(sketches_describe(sketch).records == 4000);
    }
}

/* ---- Files -------------------------------------------------------------------------------- */

/* All entries of a ring, in a file in memory. */
static sketches_view file_of(const ink_ring *ring, const ink_label *label, unsigned flags)
{
    ink_entry entries[64];
    size_t    entry_count = ink_ring_count(ring);

    assert_true(entry_count <= 64);
    for (size_t i = 0; i < entry_count; i++)
        CHECK_OK(ink_ring_entry(ring, i, label, &entries[i], &error));
    return sketches_view_entries(entries, entry_count, flags);
}

static bool equal_rings(const ink_ring *a, const ink_ring *b, uint32_t slots)
{
    bool equal = ink_ring_count(a) == ink_ring_count(b);

    for (size_t i = 0; equal && i < ink_ring_count(a); i++) {
        ink_entry of_a, of_b;
        CHECK_OK(ink_ring_entry(a, i, NULL, &of_a, &error));
        CHECK_OK(ink_ring_entry(b, i, NULL, &of_b, &error));
        equal = of_a.label.slot == of_b.label.slot && sketches_equal(of_a.sketch, of_b.sketch);
    }
    for (uint32_t last = 0; equal && last <= slots; last++) {
        owned_sketch *of_a = last_of(a, last), *of_b = last_of(b, last);
        equal = sketches_equal(of_a, of_b);
    }
    return equal;
}

TEST(entries_stand_by_rising_time_with_slot_and_group)
{
    owned_ring     *ring = new_ring(&hll, LENGTH, 5);
    const ink_label group = ink_group("abc"), null_group = {.group_kind = INK_GROUP_NULL};
    ink_label       with_slot = group;
    ink_entry       entry = {.sketch = NULL};

    with_slot.has_slot = true;
    with_slot.slot = 777; /* not looked at */
    CHECK_FAILS(ink_ring_entry(ring, 0, NULL, &entry, &error), INK_NOT_FOUND,
                "slot 0, but 0 hold a sketch");
    CHECK(add_at(ring, -15, 1));
    CHECK(add_at(ring, 20, 2));
    CHECK(add_at(ring, -5, 3));
    assert_int_equal(ink_ring_count(ring), 3);
    CHECK(entry_slot(ring, 0) == -20 && entry_slot(ring, 1) == -10 && entry_slot(ring, 2) == 20);
    CHECK_OK(ink_ring_entry(ring, 1, &with_slot, &entry, &error));
    CHECK(entry.label.group_kind == INK_GROUP_BYTES && entry.label.group_bytes == 3);
    CHECK(entry.label.group == group.group && entry.label.slot == -10);
    CHECK(entry.sketch == slot_at(ring, -5));
    CHECK_OK(ink_ring_entry(ring, 0, &null_group, &entry, &error));
    CHECK(entry.label.group_kind == INK_GROUP_NULL && entry.label.slot == -20);
    CHECK_FAILS(ink_ring_entry(ring, 3, NULL, &entry, &error), INK_NOT_FOUND,
                "slot 3, but 3 hold a sketch");
    CHECK_FAILS(ink_ring_entry(ring, SIZE_MAX, NULL, &entry, &error), INK_NOT_FOUND, "but 3");
}

TEST(entries_can_be_walked_one_after_another)
{
    owned_ring     *ring = new_ring(&hll, LENGTH, 65536);
    const ink_label group = ink_group("abc");
    ink_entry       entry = {.sketch = NULL}, same;
    size_t          at = 0, count = 0;

    CHECK(!ink_ring_next(ring, &at, NULL, &entry) && entry.sketch == NULL);
    for (int64_t slot = 0; slot < 40000; slot += 1 + slot % 3)
        CHECK(add_at(ring, slot * LENGTH, slot));
    CHECK(add_at(ring, 65540 * LENGTH, 1)); /* the oldest slots leave the window */
    for (at = 0; ink_ring_next(ring, &at, &group, &entry); count++)
        if (count % 997 == 0) {
            CHECK_OK(ink_ring_entry(ring, count, &group, &same, &error));
            CHECK(entry.sketch == same.sketch && entry.label.slot == same.label.slot);
            CHECK(entry.label.group == group.group && entry.label.has_slot);
        }
    assert_int_equal(count, ink_ring_count(ring));
    CHECK(!ink_ring_next(ring, &at, NULL, &entry) && entry.label.slot == 65540 * LENGTH);
}

TEST(a_ring_that_is_loaded_goes_on_as_if_it_had_never_been_saved)
{
    record records[RECORDS];

    make_stream(records);
    for (int k = 0; k < KINDS; k++) {
        ink_ring *never = new_ring(&kinds[k], LENGTH, 4), *always = new_ring(&kinds[k], LENGTH, 4);
        for (size_t i = 0; i < RECORDS; i++) {
            bool late = add_at(never, records[i].when, records[i].key);
            assert_int_equal(add_at(always, records[i].when, records[i].key), late);
            if (i % 3 != 0)
                continue;
            owned_view saved = file_of(always, NULL, INK_OPEN_CHECKED);
            ink_ring_free(always);
            always = new_ring(&kinds[k], LENGTH, 4);
            CHECK_OK(ink_ring_load(always, saved.file, NULL, &error));
            if (i % 30 == 0 && !equal_rings(never, always, 4))
                fail_msg("%s: another ring after %d records", kinds[k].kind, (int)i);
        }
        CHECK(equal_rings(never, always, 4));
        ink_ring_free(never);
        ink_ring_free(always);
    }
}

TEST(a_ring_that_was_moved_knows_how_far_after_it_is_loaded)
{
    owned_ring *ring = new_ring(&hll, 10, 3), *loaded = new_ring(&hll, 10, 3);

    CHECK(add_at(ring, 5, 1));
    CHECK_OK(ink_ring_move(ring, 25, &error));
    owned_view saved = file_of(ring, NULL, INK_OPEN_CHECKED);
    CHECK_OK(ink_ring_load(loaded, saved.file, NULL, &error));
    CHECK(equal_rings(ring, loaded, 3));
    CHECK(!add_at(loaded, -1, 1) && add_at(loaded, 0, 1));
    owned_sketch *newest = last_of(loaded, 1);
    CHECK(sketches_describe(newest).records == 0);
}

/* Rates of a scalable add up, so each slot has its part of what was asked for. */
TEST(the_union_of_scalable_slots_keeps_the_rate_of_the_window)
{
    const ink_params params = {.kind = "scalable",
                               .expected_keys = 100,
                               .false_positive_rate = 0.08,
                               .key_type = INK_KEY_INT};
    owned_ring      *ring = new_ring(&params, 10, 4);

    for (int64_t i = 0; i < 4000; i++)
        CHECK(add_at(ring, i % 40, i));
    CHECK(sketches_describe(slot_at(ring, 0)).promised_rate == 0.02);
    owned_sketch *all = last_of(ring, 0);
    CHECK(sketches_describe(all).promised_rate == 0.08 && sketches_rate(all) <= 0.08);
    assert_int_equal(sketches_found(all, 0, 4000), 4000);
}

TEST(a_group_of_a_file_is_loaded_and_no_other)
{
    const ink_label groups[] = {ink_group("a"), ink_group("b"), {0}};
    const ink_label absent = ink_group("c");
    ink_ring       *rings[3];
    owned_sketch   *plain = files_sketch(&hll, 900, 5, NULL);
    ink_entry       entries[13];
    size_t          entry_count = 0;

    for (int64_t g = 0; g < 3; g++) {
        rings[g] = new_ring(&hll, LENGTH, 4);
        for (int64_t i = 0; i < 4; i++) {
            CHECK(add_at(rings[g], 10 * i + 100 * g, i + g));
        }
        for (size_t i = 0; i < 4; i++)
            CHECK_OK(ink_ring_entry(rings[g], i, &groups[g], &entries[entry_count++], &error));
    }
    entries[entry_count++] = (ink_entry){.label = groups[0], .sketch = plain}; /* without a slot */
    for (unsigned flags = INK_OPEN_CHECKED; flags <= INK_OPEN_COPY; flags++) {
        owned_view saved = sketches_view_entries(entries, entry_count, flags);
        for (int g = 0; g < 3; g++) {
            owned_ring *loaded = new_ring(&hll, LENGTH, 4);
            CHECK_OK(ink_ring_load(loaded, saved.file, g == 2 ? NULL : &groups[g], &error));
            CHECK(equal_rings(loaded, rings[g], 4));
            CHECK(!add_at(loaded, 100 * g - 1, 1)); /* and it knows its time */
            CHECK(add_at(loaded, 100 * g, 1));      /* its sketches are its own: no views */
        }
        owned_ring *empty = new_ring(&hll, LENGTH, 4);
        CHECK_OK(ink_ring_load(empty, saved.file, &absent, &error));
        assert_int_equal(ink_ring_count(empty), 0);
        CHECK(add_at(empty, -100000, 1)); /* it has not moved */
    }
    for (int g = 0; g < 3; g++)
        ink_ring_free(rings[g]);
}

TEST(slots_older_than_the_window_are_left_out)
{
    owned_ring *ring = new_ring(&hll, LENGTH, 20);

    for (int64_t i = 0; i < 20; i++)
        if (i != 17)
            CHECK(add_at(ring, -100 + 10 * i, i));
    owned_view saved = file_of(ring, NULL, INK_OPEN_CHECKED);
    for (uint32_t slots = 1; slots <= 30; slots++) {
        owned_ring *loaded = new_ring(&hll, LENGTH, slots);
        CHECK_OK(ink_ring_load(loaded, saved.file, NULL, &error));
        assert_int_equal(ink_ring_count(loaded), slots < 3 ? slots : slots > 20 ? 19 : slots - 1);
        for (uint32_t last = 1; last <= slots && last <= 20; last++) {
            owned_sketch *a = last_of(loaded, last), *b = last_of(ring, last);
            CHECK(sketches_equal(a, b));
        }
    }
}

TEST(slots_that_do_not_fit_are_refused_and_the_ring_stays_empty)
{
    static const struct {
        ink_params  params;
        uint64_t    length;
        const char *words;
    } others[] = {
        {{.kind = "hll", .precision = 7, .key_type = INK_KEY_INT},
         10,
         "precisions differ: 7 were planned, 6 are there"},
        {{.kind = "hll", .precision = 6, .key_type = INK_KEY_INT, .seed = 9}, 10, "seeds differ"},
        {{.kind = "hll", .precision = 6, .key_type = INK_KEY_INT, .hash = "xxh64"},
         10,
         "hashes differ"},
        {{.kind = "hll", .precision = 6}, 10, "key types differ"},
        {{.kind = "hll", .precision = 6, .key_type = INK_KEY_INT},
         7,
         "expected a multiple of 7 microseconds"},
        {{.kind = "hll", .precision = 6, .key_type = INK_KEY_INT},
         20,
         "a slot starts at 10, expected a multiple of 20 microseconds"},
    };
    owned_ring *ring = new_ring(&hll, 10, 5);

    for (int64_t i = 0; i < 5; i++)
        CHECK(add_at(ring, 10 * i, i));
    for (unsigned flags = INK_OPEN_CHECKED; flags <= INK_OPEN_COPY; flags++) {
        owned_view saved = file_of(ring, NULL, flags);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            faults_memory    memory = {0};
            ink_allocator    allocator = faults_allocator(&memory);
            const ink_window window = {.slot_microseconds = others[i].length, .slots = 5};
            ink_ring        *loaded;
            CHECK_OK(ink_ring_create(&loaded, &others[i].params, &window, &allocator, &error));
            uint64_t live = memory.live_bytes;
            CHECK_FAILS(ink_ring_load(loaded, saved.file, NULL, &error), INK_MISMATCH,
                        others[i].words);
            CHECK(ink_ring_count(loaded) == 0 && memory.live_bytes == live);
            CHECK_OK(ink_ring_move(loaded, -100000, &error)); /* as if it had never been tried */
            assert_non_null(slot_at(loaded, -100000));
            ink_ring_free(loaded);
            faults_check_no_leak(&memory);
        }
    }
}

TEST(slots_of_another_kind_are_refused)
{
    static const ink_params others[] = {
        {.kind = "bloom", .bits = 256, .key_type = INK_KEY_INT},
        {.kind = "fm", .key_type = INK_KEY_INT},
    };
    owned_ring *ring = new_ring(&hll, 10, 5);

    for (int64_t i = 0; i < 5; i++)
        CHECK(add_at(ring, 10 * i, i));
    owned_view saved = file_of(ring, NULL, INK_OPEN_CHECKED);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        owned_ring *loaded = new_ring(&others[i], 10, 5);
        CHECK_FAILS(ink_ring_load(loaded, saved.file, NULL, &error), INK_MISMATCH, others[i].kind);
        assert_int_equal(ink_ring_count(loaded), 0);
    }
}

TEST(of_a_file_of_several_kinds_the_rings_own_is_loaded)
{
    ink_ring *rings[2], *loaded;
    ink_entry entries[6];

    for (int k = 0; k < 2; k++) {
        rings[k] = new_ring(&kinds[k == 0 ? 5 : 6], 10, 3);
        for (int64_t i = 0; i < 3; i++)
            CHECK(add_at(rings[k], 10 * i, i + k));
        for (size_t i = 0; i < 3; i++)
            CHECK_OK(ink_ring_entry(rings[k], i, NULL, &entries[3 * k + (int)i], &error));
    }
    owned_view saved = sketches_view_entries(entries, 6, INK_OPEN_CHECKED);
    for (int k = 0; k < 2; k++) {
        loaded = new_ring(&kinds[k == 0 ? 5 : 6], 10, 3);
        CHECK_OK(ink_ring_load(loaded, saved.file, NULL, &error));
        CHECK(equal_rings(loaded, rings[k], 3));
        ink_ring_free(loaded);
        ink_ring_free(rings[k]);
    }
}

TEST(every_part_of_a_plan_is_compared)
{
    static const struct {
        ink_params  saved, wanted;
        const char *words;
    } pairs[] = {
        {{.kind = "bloom", .expected_keys = 100},
         {.kind = "bloom", .expected_keys = 101},
         "expected keys differ: 101 were planned, 100 are there"},
        {{.kind = "bloom", .expected_keys = 100, .false_positive_rate = 0.1},
         {.kind = "bloom", .expected_keys = 100, .false_positive_rate = 0.2},
         "target rates differ: 0.2 were planned, 0.1 are there"},
        {{.kind = "counting", .bits = 1024}, {.kind = "counting", .bits = 2048}, "bits differ"},
        {{.kind = "classic", .bits = 1024, .hashes = 3},
         {.kind = "classic", .bits = 1024, .hashes = 4},
         "hashes differ: 4 were planned, 3 are there"},
        {{.kind = "scalable", .ratio = 0.5}, {.kind = "scalable", .ratio = 0.6}, "ratios differ"},
        {{.kind = "count-min", .width = 5, .depth = 2},
         {.kind = "count-min", .width = 6, .depth = 2},
         "widths differ: 6 were planned, 5 are there"},
        {{.kind = "count-min", .width = 5, .depth = 2},
         {.kind = "count-min", .width = 5, .depth = 3},
         "depths differ: 3 were planned, 2 are there"},
        {{.kind = "count-min", .width = 5, .depth = 2},
         {.kind = "count-min", .width = 5, .depth = 2, .counter_bits = 64},
         "counter bits differ: 64 were planned, 32 are there"},
        {{.kind = "count-min", .width = 5, .depth = 2},
         {.kind = "count-min", .width = 5, .depth = 2, .conservative = true},
         "conservative"},
        {{.kind = "top", .phi = 0.5},
         {.kind = "top", .phi = 0.25},
         "capacities differ: 4 were planned, 2 are there"},
        {{.kind = "fm", .depth = 3},
         {.kind = "fm", .depth = 5},
         "depths differ: 5 were planned, 3 are there"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        owned_ring *saved = new_ring(&pairs[i].saved, 10, 2);
        owned_ring *wanted = new_ring(&pairs[i].wanted, 10, 2);
        CHECK_OK(ink_sketch_add(slot_at(saved, 0), "a", 1, &error));
        owned_view view = file_of(saved, NULL, INK_OPEN_CHECKED);
        CHECK_FAILS(ink_ring_load(wanted, view.file, NULL, &error), INK_MISMATCH, pairs[i].words);
    }
}

TEST(a_label_that_cannot_be_is_refused_by_a_load)
{
    const ink_label wrong = {.group_kind = INK_GROUP_NULL, .group_bytes = 3};
    ink_ring       *ring = new_ring(&hll, 10, 3), *loaded = new_ring(&hll, 10, 3);
    ink_entry       entry;

    CHECK(add_at(ring, 5, 1));
    CHECK_OK(ink_ring_entry(ring, 0, NULL, &entry, &error));
    owned_view saved = sketches_view_entries(&entry, 1, INK_OPEN_CHECKED);
    CHECK(ink_ring_load(loaded, saved.file, &wrong, &error) == INK_USAGE);
    CHECK(ink_ring_load(loaded, saved.file, &wrong, NULL) == INK_USAGE);
    assert_int_equal(ink_ring_count(loaded), 0);
    CHECK_OK(ink_ring_load(loaded, saved.file, NULL, &error));
    assert_int_equal(ink_ring_count(loaded), 1);
    ink_ring_free(loaded);
    ink_ring_free(ring);
}

TEST(a_ring_that_has_been_used_cannot_be_loaded)
{
    owned_ring *ring = new_ring(&hll, 10, 5);

    CHECK(add_at(ring, 10, 1));
    owned_view saved = file_of(ring, NULL, INK_OPEN_CHECKED);
    CHECK_FAILS(ink_ring_load(ring, saved.file, NULL, &error), INK_USAGE,
                "a ring that has been used, expected an empty one");
    assert_int_equal(ink_ring_count(ring), 1);
}

TEST(a_keyed_ring_is_loaded_with_the_secret_that_it_was_made_with)
{
    static const uint8_t other[INK_SECRET_BYTES] = "another secret!!";
    const ink_params     keyed = {
            .kind = "bloom", .expected_keys = 100, .key_type = INK_KEY_INT, .secret = files_secret};
    ink_params  wrong = keyed;
    owned_ring *ring = new_ring(&keyed, 10, 3);

    wrong.secret = other;
    for (int64_t i = 0; i < 30; i++)
        CHECK(add_at(ring, i, i));
    for (unsigned flags = INK_OPEN_CHECKED; flags <= INK_OPEN_COPY; flags++) {
        owned_view  saved = file_of(ring, NULL, flags);
        owned_ring *loaded = new_ring(&keyed, 10, 3), *refused = new_ring(&wrong, 10, 3);
        CHECK_OK(ink_ring_load(loaded, saved.file, NULL, &error));
        CHECK(add_at(loaded, 5, 77)); /* it takes keys at once */
        CHECK(add_at(loaded, 25, 78));
        ink_sketch *all = last_of(loaded, 0);
        assert_int_equal(sketches_found(all, 0, 30), 30);
        assert_int_equal(sketches_found(all, 77, 2), 2);
        ink_sketch_free(all);
        CHECK_FAILS(ink_ring_load(refused, saved.file, NULL, &error), INK_MISMATCH,
                    "secrets differ");
        assert_int_equal(ink_ring_count(refused), 0);
    }
}

/* ---- The ends of time --------------------------------------------------------------------- */

TEST(times_near_the_ends_of_time_have_slots)
{
    static const uint64_t lengths[] = {1, 2, 3, 10, 1000000, (uint64_t)1 << 62, INT64_MAX};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        int64_t   length = (int64_t)lengths[i];
        ink_ring *ring = new_ring(&hll, lengths[i], 3);
        CHECK(add_at(ring, INT64_MAX, 1));
        CHECK(entry_slot(ring, 0) == INT64_MAX - INT64_MAX % length);
        CHECK(add_at(ring, INT64_MAX - 1, 1));
        ink_sketch *sketch = last_of(ring, 0);
        CHECK(sketches_describe(sketch).records == 2);
        ink_sketch_free(sketch);
        if (length < 100)
            CHECK(!add_at(ring, INT64_MIN + 100, 1)); /* far too late */
        ink_ring_free(ring);
        ring = new_ring(&hll, lengths[i], 3);
        CHECK(add_at(ring, INT64_MIN + length, 1)); /* the slot of this one can be told */
        CHECK(entry_slot(ring, 0) <= INT64_MIN + length);
        CHECK(add_at(ring, INT64_MAX, 1)); /* from one end to the other */
        ink_ring_free(ring);
    }
}

TEST(a_time_whose_slot_would_start_before_all_time_is_late)
{
    owned_ring *ring = new_ring(&hll, 10, 3);
    ink_sketch *sketch = NULL;

    CHECK_OK(ink_ring_slot(ring, INT64_MIN, &sketch, &error));
    assert_null(sketch);
    assert_int_equal(ink_ring_count(ring), 0);
    CHECK(add_at(ring, -9223372036854775800, 1));
    CHECK_OK(ink_ring_slot(ring, -9223372036854775801, &sketch, &error));
    assert_null(sketch);
    CHECK_OK(ink_ring_move(ring, INT64_MIN, &error)); /* never back */
    assert_int_equal(ink_ring_count(ring), 1);
}

TEST(a_time_too_far_ahead_is_refused_and_the_ring_stays_where_it_is)
{
    const ink_window window = {.slot_microseconds = 10, .slots = 3, .slots_ahead = 5};
    owned_ring      *ring = NULL;
    ink_sketch      *sketch = NULL;

    CHECK_OK(ink_ring_create(&ring, &hll, &window, NULL, &error));
    CHECK(add_at(ring, 1000000, 1)); /* the first is believed, whatever it is */
    CHECK(add_at(ring, 1000059, 2)); /* five slots ahead */
    CHECK_FAILS(ink_ring_slot(ring, 1000110, &sketch, &error), INK_USAGE,
                "a time 6 slots ahead of the newest, expected at most 5");
    CHECK_FAILS(ink_ring_move(ring, INT64_MAX, &error), INK_USAGE, "expected at most 5");
    assert_null(sketch);
    CHECK(add_at(ring, 1000045, 3));
    CHECK(!add_at(ring, 1000020, 4)); /* late as before */
    CHECK(add_at(ring, 1000100, 5));
}

TEST(the_first_slots_of_all_are_listed_once_each)
{
    static const uint32_t slots[] = {1, 2, 3, 4, 5, 7, 100};

    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        owned_ring *ring = new_ring(&hll, 1, slots[i]);
        int64_t     most = slots[i] < 2 ? 1 : 2;
        for (int64_t n = 0; n < most; n++)
            CHECK(add_at(ring, INT64_MIN + n, n));
        assert_int_equal(ink_ring_count(ring), most);
        for (int64_t n = 0; n < most; n++)
            if (entry_slot(ring, (size_t)n) != INT64_MIN + n)
                fail_msg("%u slots: entry %d is another slot", slots[i], (int)n);
        for (uint32_t last = 1; last <= slots[i]; last++) {
            owned_sketch *sketch = last_of(ring, last);
            assert_int_equal(sketches_describe(sketch).records, last < most ? last : most);
        }
    }
}

/* ---- Memory ------------------------------------------------------------------------------- */

TEST(every_refusal_of_memory_while_creating_is_clean)
{
    const ink_window window = {.slot_microseconds = 10, .slots = 5};

    for (faults_refusals run = {0}; faults_refusals_next(&run);) {
        owned_ring *ring = NULL;
        ink_status  status = ink_ring_create(&ring, &kinds[0], &window, &run.allocator, &error);
        CHECK((ring == NULL) == faults_check_refused(&run, status));
    }
}

TEST(every_refusal_of_memory_leaves_the_ring_as_it_was)
{
    const ink_window window = {.slot_microseconds = 10, .slots = 4};

    for (int k = 0; k < KINDS; k++)
        for (int asking = 0; asking < 2; asking++)
            for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
                owned_ring *ring = NULL, *same = new_ring(&kinds[k], 10, 4);
                ink_sketch *sketch = NULL;
                CHECK_OK(ink_ring_create(&ring, &kinds[k], &window, &run.allocator, &error));
                for (int64_t i = 0; i < 40; i++) {
                    CHECK(add_at(ring, i, i));
                    CHECK(add_at(same, i, i));
                }
                faults_refuse_now(&run);
                ink_status status = asking ? ink_ring_last(ring, 3, &sketch, &error)
                                           : ink_ring_slot(ring, 50, &sketch, &error);
                bool       struck = faults_check_refused(&run, status);
                CHECK((sketch == NULL) == struck);
                if (asking)
                    ink_sketch_free(sketch);
                if (struck || asking)
                    CHECK(equal_rings(ring, same, 4)); /* nothing has fallen out */
            }
}

TEST(every_refusal_of_memory_while_loading_leaves_the_ring_empty)
{
    const ink_window window = {.slot_microseconds = 10, .slots = 4};

    for (int k = 0; k < KINDS; k++)
        for (unsigned flags = INK_OPEN_CHECKED; flags <= INK_OPEN_COPY; flags++) {
            owned_ring *saved = new_ring(&kinds[k], 10, 4);
            for (int64_t i = 0; i < 40; i++)
                CHECK(add_at(saved, i, i));
            owned_view view = file_of(saved, NULL, flags);
            for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
                owned_ring *ring = NULL;
                CHECK_OK(ink_ring_create(&ring, &kinds[k], &window, &run.allocator, &error));
                faults_refuse_now(&run);
                bool struck =
                    faults_check_refused(&run, ink_ring_load(ring, view.file, NULL, &error));
                assert_int_equal(ink_ring_count(ring), struck ? 0 : 4);
                if (struck)
                    CHECK_OK(ink_ring_load(ring, view.file, NULL, &error)); /* now it can be done */
                CHECK(equal_rings(ring, saved, 4));
            }
        }
}

RUN_TESTS()
