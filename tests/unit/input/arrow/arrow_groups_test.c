/* arrow_groups_test.c - what an Arrow column names as a group is the label that its text would
 * give: numbers, floats in their shortest form, booleans, and floats rounded as their digits are.
 */
#include "input/arrow/arrow_check.h"
#include "input/arrow/arrow_rows.h"

#include "support/arrow.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>

static ink_error error;

enum { MANY = 300 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The group of each row, joined by blanks, "-" for a null group. */
static const char *groups_of(arrow_data column, const ink__arrow_wanted *how)
{
    static char        said[4096];
    static int64_t     keys[MANY];
    size_t             count = (size_t)column.array.length, used = 0;
    arrow_data         columns[] = {arrow_ints("k", "l", keys, NULL, count, 0), column};
    arrow_data         table = arrow_struct(columns, 2, NULL, count, 0);
    const char *const  key[] = {"k"};
    ink__arrow_wanted  wanted = *how;
    ink__arrow_plan    plan;
    ink__arrow_reader *reader;
    ink__rows          rows;
    uint64_t           next;

    wanted.key = key;
    wanted.key_count = 1;
    wanted.by = "2";
    CHECK_OK(ink__arrow_plan_make(&plan, &table.schema, &wanted, &error));
    CHECK_OK(ink__arrow_check(&plan, &table.array, &error));
    CHECK_OK(ink__arrow_reader_create(&reader, &plan, NULL, &error));
    CHECK_OK(ink__arrow_read(reader, &table.array, 0, count, &next, &rows, &error));
    assert_int_equal(rows.count, count);
    for (size_t i = 0; i < count; i++) {
        ink_label label = ink__rows_label(&rows, i);
        used +=
            (size_t)snprintf(said + used, sizeof said - used, "%s%.*s", i == 0 ? "" : " ",
                             label.group_kind == INK_GROUP_NULL ? 1 : (int)label.group_bytes,
                             label.group_kind == INK_GROUP_NULL ? "-" : (const char *)label.group);
    }
    ink__arrow_reader_free(reader);
    arrow_release(&table);
    return said;
}

static const ink__arrow_wanted as_it_is = {0};
static const ink__arrow_wanted half_even = {.rounded = true, .rounding = INK__ROUND_HALF_EVEN};
static const ink__arrow_wanted half_up = {.rounded = true, .rounding = INK__ROUND_HALF_UP};

TEST(groups_are_written_as_labels)
{
    static const double floats[] = {
        7.5, 7, -0.0, 1e-5, 1e16, 0.1, (double)INFINITY, -(double)INFINITY, (double)NAN, 65504};
    static const int64_t ints[] = {-1, 0, 5};

    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, 10, 2), &as_it_is),
                        "7.5 7 -0 1e-05 1e+16 0.1 inf -inf nan 65504");
    assert_string_equal(groups_of(arrow_floats("", "f", floats, "1111111110", 10, 2), &as_it_is),
                        "7.5 7 -0 1e-05 1e+16 0.1 inf -inf nan -");
    assert_string_equal(groups_of(arrow_floats("", "e", floats, NULL, 10, 2), &as_it_is),
                        "7.5 7 -0 1e-05 inf 0.1 inf -inf nan 65500");
    assert_string_equal(groups_of(arrow_bools("", ints, "110", 3, 5), &as_it_is), "true false -");
    assert_string_equal(groups_of(arrow_ints("", "L", ints, NULL, 3, 1), &as_it_is),
                        "18446744073709551615 0 5");
    assert_string_equal(groups_of(arrow_ints("", "l", ints, "101", 3, 1), &as_it_is), "-1 - 5");
    assert_string_equal(groups_of(arrow_ints("", "tss:", ints, NULL, 3, 1), &as_it_is),
                        "-1000000 0 5000000");
    assert_string_equal(groups_of(arrow_nulls("", 3, 1), &as_it_is), "- - -");
    assert_string_equal(groups_of(arrow_nulls("", 3, 1), &half_even), "- - -");
}

TEST(groups_are_rounded_as_text_is)
{
    static const char *const layouts[] = {"u", "z", "U", "Z", "vu", "vz"};
    static const double      floats[] = {
             2.5, 3.5, -2.5, -3.5, 2.4999, -0.4, 0.5, 1.5, -0.5, 1e15, 9007199254740993.0};
    static const double      large[] = {-0x1p63, 0x1.fffffffffffffp62, 0x1p60, 4503599627370497.5};
    static const char *const strings[] = {"2.5", "3.5", "-2.5", ".5", NULL, "+7", "7."};
    static const int64_t     ints[] = {-3, 7, INT64_MAX};
    static const int64_t     dates[] = {86400000, 172800000};

    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, 11, 0), &half_even),
                        "2 4 -2 -4 2 0 0 2 0 1000000000000000 9007199254740992");
    assert_string_equal(groups_of(arrow_floats("", "g", floats, "11111111110", 11, 0), &half_up),
                        "3 4 -2 -3 2 0 1 2 0 1000000000000000 -");
    assert_string_equal(groups_of(arrow_floats("", "f", floats, NULL, 9, 4), &half_even),
                        "2 4 -2 -4 2 0 0 2 0");
    assert_string_equal(groups_of(arrow_floats("", "e", floats, NULL, 9, 4), &half_up),
                        "3 4 -2 -3 3 0 1 2 0"); /* half floats have no 2.4999 */
    assert_string_equal(
        groups_of(arrow_floats("", "g", large, NULL, 4, 0), &half_even),
        "-9223372036854775808 9223372036854774784 1152921504606846976 4503599627370498");
    for (size_t i = 0; i < COUNT(layouts); i++)
        assert_string_equal(groups_of(arrow_texts("", layouts[i], strings, 7, i), &half_even),
                            "2 4 -2 0 - 7 7");
    assert_string_equal(groups_of(arrow_texts("", "u", strings, 7, 1), &half_up), "3 4 -2 1 - 7 7");
    assert_string_equal(groups_of(arrow_ints("", "l", ints, NULL, 3, 1), &half_even),
                        "-3 7 9223372036854775807");
    assert_string_equal(groups_of(arrow_ints("", "tdm", dates, NULL, 2, 1), &half_up), "1 2");
    assert_string_equal(
        groups_of(arrow_dictionary("", "c", (const int64_t[]){2, 0, 2, 1}, "1011", 4, 1,
                                   arrow_floats("", "g", floats, "101", 3, 1)),
                  &half_even),
        "-2 - -2 -");
}

TEST(a_float_and_its_text_are_rounded_alike)
{
    static char   room[MANY][24], wanted[4096];
    const char   *digits[MANY];
    static double floats[MANY];

    for (int i = 0; i < MANY; i++) {
        floats[i] = (double)(i - MANY / 2) * 37 / 20; /* every twentieth is half way */
        snprintf(room[i], sizeof room[i], "%.2f", floats[i]);
        digits[i] = room[i];
    }
    strcpy(wanted, groups_of(arrow_texts("", "u", digits, MANY, 0), &half_even));
    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, MANY, 0), &half_even),
                        wanted);
    strcpy(wanted, groups_of(arrow_texts("", "u", digits, MANY, 0), &half_up));
    assert_string_equal(groups_of(arrow_floats("", "g", floats, NULL, MANY, 0), &half_up), wanted);
    CHECK(strstr(wanted, " 19 ") != NULL); /* 18.5 */
}

RUN_TESTS(NULL, NULL)
