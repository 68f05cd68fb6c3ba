/* layout_test.c - what reader and writer share: ids of columns, the order of labels, the place of
 * payloads. */
#include "format/layout.h"

#include "support/check.h"

TEST(the_ids_of_columns_are_those_of_the_specification)
{
    assert_int_equal(ink__column_id(INK__COLUMN_GROUP_KIND), 1);
    assert_int_equal(ink__column_id(INK__COLUMN_PAYLOAD_BYTES), 8);
    assert_int_equal(ink__column_id(INK__COLUMN_FIELD), 16);
    assert_int_equal(ink__column_id(INK__COLUMN_FIELD + 7), 23);
}

TEST(every_column_is_found_by_its_id_and_no_other_id_is_one)
{
    unsigned known = 0;

    for (unsigned id = 0; id < 65536; id++) {
        unsigned column = ink__column_of_id(id);
        if (column == INK__COLUMNS)
            continue;
        known++;
        assert_int_equal(ink__column_id(column), id);
    }
    assert_int_equal(known, INK__COLUMNS);
}

TEST(labels_are_ordered_by_group_kind_bytes_slot_kind_and_slot)
{
    const ink_label rising[] = {
        {.group_bytes = 9, .slot = 5}, /* neither a group nor a slot: the rest does not count */
        {.has_slot = true, .slot = INT64_MIN},
        {.has_slot = true, .slot = -1},
        {.has_slot = true, .slot = 0},
        {.has_slot = true, .slot = INT64_MAX},
        {.group_kind = INK_GROUP_NULL},
        {.group_kind = INK_GROUP_NULL, .has_slot = true},
        {.group_kind = INK_GROUP_BYTES},
        {.group_kind = INK_GROUP_BYTES, .has_slot = true, .slot = -7},
        {.group_kind = INK_GROUP_BYTES, .group = "\0", .group_bytes = 1},
        {.group_kind = INK_GROUP_BYTES, .group = "a", .group_bytes = 1},
        {.group_kind = INK_GROUP_BYTES, .group = "a", .group_bytes = 1, .has_slot = true},
        {.group_kind = INK_GROUP_BYTES, .group = "a\0b", .group_bytes = 3},
        {.group_kind = INK_GROUP_BYTES, .group = "a\0c", .group_bytes = 3},
        {.group_kind = INK_GROUP_BYTES, .group = "ab", .group_bytes = 2},
        {.group_kind = INK_GROUP_BYTES, .group = "b", .group_bytes = 1},
        {.group_kind = INK_GROUP_BYTES, .group = "\xff", .group_bytes = 1},
    };
    enum { LABELS = sizeof rising / sizeof rising[0] };

    for (int i = 0; i < LABELS; i++)
        for (int j = 0; j < LABELS; j++) {
            int order = ink_label_compare(&rising[i], &rising[j]);
            if ((order > 0) - (order < 0) != (i > j) - (i < j))
                fail_msg("label %d and label %d: order %d", i, j, order);
        }
}

TEST(a_payload_of_4096_bytes_starts_at_a_multiple_of_64_a_smaller_one_of_32)
{
    uint64_t offset;

    CHECK(ink__payload_location(0, 4096, &offset) && offset == 0);
    CHECK(ink__payload_location(1, 4095, &offset) && offset == 32);
    CHECK(ink__payload_location(1, 4096, &offset) && offset == 64);
    CHECK(ink__payload_location(32, 0, &offset) && offset == 32);
    CHECK(ink__payload_location(33, 0, &offset) && offset == 64);
    CHECK(ink__payload_location(64, 1 << 30, &offset) && offset == 64);
}

TEST(a_payload_location_that_overflows_is_noticed)
{
    uint64_t offset;

    CHECK(ink__payload_location(UINT64_MAX - 31, 1, &offset));
    CHECK(!ink__payload_location(UINT64_MAX - 30, 1, &offset));
    CHECK(!ink__payload_location(UINT64_MAX - 31, 4096, &offset));
}

TEST(a_label_that_would_lose_something_is_refused)
{
    static const char longest[65536];
    static const struct {
        ink_label   label;
        const char *words;
    } wrong[] = {
        {{.group = "abc", .group_bytes = 3}, "group_kind is not 2 (bytes)"},
        {{.group_kind = INK_GROUP_NULL, .group = "a", .group_bytes = 1}, "group_kind is not"},
        {{.group_kind = INK_GROUP_BYTES, .group_bytes = 3}, "group is NULL"},
        {{.slot = 5}, "slot 5, but has_slot is false"},
        {{.slot = -5}, "slot -5, but has_slot is false"},
        {{.group_kind = (ink_group_kind)3}, "group kind 3, expected 0 to 2"},
        {{.group_kind = (ink_group_kind)-1}, "group kind -1, expected 0 to 2"},
        {{.group_kind = INK_GROUP_BYTES, .group = longest, .group_bytes = sizeof longest},
         "a group name of 65536 bytes, expected at most 65535"},
    };
    ink_label fine = {.group_kind = INK_GROUP_BYTES, .has_slot = true, .slot = -5};
    ink_error error;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(ink__label_check(&wrong[i].label, &error), INK_USAGE, wrong[i].words);
    CHECK_OK(ink__label_check(&fine, &error));
    fine.group = longest;
    fine.group_bytes = sizeof longest - 1;
    CHECK_OK(ink__label_check(&fine, &error));
}

RUN_TESTS()
