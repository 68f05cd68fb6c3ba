/* columns_test.c - a column is found by its number or its name, and what is not there is reported
 * with what is. */
#include "input/records/columns.h"

#include "support/check.h"

#include <stdio.h>

static ink_error error;

static ink_status find(const char *text, const char *header, uint32_t *column)
{
    return ink__column_find(text, INK__FIELDS_CSV, ',', (const uint8_t *)header,
                            header == NULL ? 0 : strlen(header), column, &error);
}

static void numbers_count_from_1(void **state)
{
    uint32_t column = 99;

    (void)state;
    CHECK_OK(find("1", NULL, &column));
    assert_int_equal(column, 0);
    CHECK_OK(find("1048576", "a,b", &column));
    assert_int_equal(column, (1 << 20) - 1);
    CHECK_FAILS(find("0", NULL, &column), INK_USAGE, "column 0, expected 1 to 2^20");
    CHECK_FAILS(find("1048577", NULL, &column), INK_USAGE, "expected 1 to 2^20");
}

static void names_are_those_of_the_header(void **state)
{
    const char *header = "tconst,average rating,\"with, comma\",\"say \"\"hi\"\"\",2020,,x-1";
    uint32_t    column;

    (void)state;
    CHECK_OK(find("tconst", header, &column));
    assert_int_equal(column, 0);
    CHECK_OK(find("average rating", header, &column));
    assert_int_equal(column, 1);
    CHECK_OK(find("with, comma", header, &column));
    assert_int_equal(column, 2);
    CHECK_OK(find("say \"hi\"", header, &column));
    assert_int_equal(column, 3);
    CHECK_OK(find("", header, &column)); /* a column without a name */
    assert_int_equal(column, 5);
    CHECK_OK(find("x-1", header, &column));
    assert_int_equal(column, 6);
    CHECK_OK(find("2020", header, &column)); /* a number, not the name */
    assert_int_equal(column, 2019);
}

static void a_name_that_is_not_there_is_reported_with_those_that_are(void **state)
{
    char     long_header[2000] = "first";
    uint32_t column = 7;

    (void)state;
    CHECK_FAILS(find("votes", "tconst,rating", &column), INK_USAGE,
                "no column \"votes\", expected one of \"tconst\", \"rating\"");
    CHECK_FAILS(find("tcons", "tconst,rating", &column), INK_USAGE, "no column \"tcons\"");
    CHECK_FAILS(find("tconstx", "tconst,rating", &column), INK_USAGE, "no column \"tconstx\"");
    CHECK_FAILS(find("a\"b", "a\"\"b", &column), INK_FORMAT, "a quote within a field");
    CHECK_FAILS(find("rating", NULL, &column), INK_USAGE,
                "column \"rating\" without a header, expected a number");
    for (int i = 0; i < 100; i++)
        snprintf(long_header + strlen(long_header), 20, ",column-%d", i);
    CHECK_FAILS(find("x", long_header, &column), INK_USAGE,
                "\"first\", \"column-0\", \"column-1\", ");
    assert_string_equal(error.message + strlen(error.message) - 3, "...");
    assert_int_equal(column, 7);
}

static void a_name_that_stands_twice_is_refused(void **state)
{
    uint32_t column;

    (void)state;
    CHECK_FAILS(find("id", "id,name,\"id\"", &column), INK_USAGE,
                "columns 1 and 3 are both named \"id\": give a number");
    CHECK_OK(find("name", "id,name,\"id\"", &column));
    assert_int_equal(column, 1);
}

/* Looking for each column from the first one on would take minutes here. */
static void a_header_may_have_very_many_columns(void **state)
{
    enum { COLUMNS = 400000 };
    char    *header = malloc(COLUMNS * 2 + 8);
    uint32_t column;

    (void)state;
    assert_non_null(header);
    for (size_t i = 0; i < COLUMNS; i++)
        memcpy(header + 2 * i, "a,", 2);
    memcpy(header + 2 * (size_t)COLUMNS, "\"last\"", 7);
    CHECK_OK(find("last", header, &column));
    assert_int_equal(column, COLUMNS);
    CHECK_FAILS(find("b", header, &column), INK_USAGE, "no column \"b\", expected one of \"a\"");
    CHECK_FAILS(find("a", header, &column), INK_USAGE, "columns 1 and 2 are both named");
    free(header);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_count_from_1),
        cmocka_unit_test(names_are_those_of_the_header),
        cmocka_unit_test(a_name_that_is_not_there_is_reported_with_those_that_are),
        cmocka_unit_test(a_name_that_stands_twice_is_refused),
        cmocka_unit_test(a_header_may_have_very_many_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
