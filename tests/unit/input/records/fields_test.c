/* fields_test.c - the fields of a record are where one expects them, and CSV that is none is
 * reported by its location. */
#include "input/records/fields.h"

#include "support/check.h"
#include "support/files.h"

#include <stdio.h>

static ink_error error;

/* The fields of a record as text: each in brackets, those with doubled quotes made single. */
static const char *fields_of(ink__field_form form, char delimiter, const char *record)
{
    static char text[512];
    size_t      used = 0, found;
    uint64_t    at = 3;
    files_guard guard;

    text[0] = 0;
    files_guard_create(&guard, 300);
    /* Three bytes before it, and nothing to be read after it. */
    char before[300];
    snprintf(before, sizeof before, "\",;%s", record);
    const uint8_t *bytes = files_location(&guard, (const uint8_t *)before, strlen(before));
    for (uint32_t number = 0;; number++) { /* each alone, and one after another */
        ink__field field, next = {0};
        bool       is;
        CHECK_OK(ink__fields_find(form, (uint8_t)delimiter, bytes, 3, strlen(before), &number, 1,
                                  &field, &found, NULL, &error));
        CHECK_OK(ink__fields_next(form, (uint8_t)delimiter, bytes, &at, strlen(before), &next, &is,
                                  &error));
        CHECK(is == (found == 1));
        CHECK(!is || (next.start == field.start && next.end == field.end &&
                      next.doubled == field.doubled));
        if (found == 0)
            break;
        uint8_t  copy[300];
        uint64_t length = field.end - field.start;
        if (field.doubled)
            length = ink__field_unquote(bytes, &field, copy);
        else if (length > 0)
            memcpy(copy, bytes + field.start, length);
        used += (size_t)snprintf(text + used, sizeof text - used, "[%.*s]", (int)length,
                                 (const char *)copy);
    }
    files_guard_free(&guard);
    return text;
}

static void every_delimiter_separates_two_fields(void **state)
{
    (void)state;
    assert_string_equal(fields_of(INK__FIELDS_DELIMITED, '\t', "a\tbc\t"), "[a][bc][]");
    assert_string_equal(fields_of(INK__FIELDS_DELIMITED, '\t', ""), "[]");
    assert_string_equal(fields_of(INK__FIELDS_DELIMITED, '\t', "\t"), "[][]");
    assert_string_equal(fields_of(INK__FIELDS_DELIMITED, '\t', "one"), "[one]");
    assert_string_equal(fields_of(INK__FIELDS_DELIMITED, ';', "a b;\"c;d\""), "[a b][\"c][d\"]");
    assert_string_equal(fields_of(INK__FIELDS_DELIMITED, ':', "::x:"), "[][][x][]");
}

static void runs_of_blanks_separate_as_in_awk(void **state)
{
    (void)state;
    assert_string_equal(fields_of(INK__FIELDS_BLANKS, 0, "a  bc\t \td"), "[a][bc][d]");
    assert_string_equal(fields_of(INK__FIELDS_BLANKS, 0, "  a b  "), "[a][b]");
    assert_string_equal(fields_of(INK__FIELDS_BLANKS, 0, ""), "");
    assert_string_equal(fields_of(INK__FIELDS_BLANKS, 0, " \t "), "");
    assert_string_equal(fields_of(INK__FIELDS_BLANKS, 0, "x"), "[x]");
}

static void quoted_fields_hold_anything(void **state)
{
    (void)state;
    assert_string_equal(fields_of(INK__FIELDS_CSV, ',', "a,\"b,c\",d"), "[a][b,c][d]");
    assert_string_equal(fields_of(INK__FIELDS_CSV, ',', "\"\",\"\"\"\",\"a\"\"b\""),
                        "[][\"][a\"b]");
    assert_string_equal(fields_of(INK__FIELDS_CSV, ',', "\"two\nlines\",x"), "[two\nlines][x]");
    assert_string_equal(fields_of(INK__FIELDS_CSV, ',', "\"a\"\"\"\"b\"\"\""), "[a\"\"b\"]");
    assert_string_equal(fields_of(INK__FIELDS_CSV, ',', ",,"), "[][][]");
    assert_string_equal(fields_of(INK__FIELDS_CSV, ',', ""), "[]");
    assert_string_equal(fields_of(INK__FIELDS_CSV, ';', "\"x\";y,z;"), "[x][y,z][]");
}

static void csv_that_is_none_is_reported_by_its_location(void **state)
{
    static const struct {
        const char *record;
        uint64_t    at;
        const char *words;
    } wrong[] = {
        {"a,b\"c\",d", 3, "a quote within a field"},
        {"a,\"b\"c,d", 5, "text after a closing quote"},
        {"a,\"bc", 2, "a quote that is not closed"},
        {"a,\"bc\"\"", 2, "a quote that is not closed"},
        {"\"", 0, "a quote that is not closed"},
        {"\"a\" ,b", 3, "text after a closing quote"},
        {"a, \"b\"", 3, "a quote within a field"},
    };
    const uint32_t third = 2;
    ink__field     field;
    size_t         found;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char record[32];
        snprintf(record, sizeof record, "??%s", wrong[i].record);
        CHECK_FAILS(ink__fields_find(INK__FIELDS_CSV, ',', (const uint8_t *)record, 2,
                                     strlen(record), &third, 1, &field, &found, NULL, &error),
                    INK_FORMAT, wrong[i].words);
        CHECK(error.location == INK_AT_BYTE && error.at == 2 + wrong[i].at);
    }
}

static void several_fields_are_found_in_one_go(void **state)
{
    static const char     record[] = "a,\"b\"\"\",c,,e";
    static const uint32_t wanted[] = {0, 1, 4, 5, 9};
    ink__field            fields[5];
    size_t                found;

    (void)state;
    CHECK_OK(ink__fields_find(INK__FIELDS_CSV, ',', (const uint8_t *)record, 0, strlen(record),
                              wanted, 5, fields, &found, NULL, &error));
    assert_int_equal(found, 3); /* it has no field 5 */
    CHECK(fields[0].start == 0 && fields[0].end == 1 && !fields[0].doubled);
    CHECK(fields[1].start == 3 && fields[1].end == 6 && fields[1].doubled);
    CHECK(fields[2].start == 11 && fields[2].end == 12);
    CHECK_OK(ink__fields_find(INK__FIELDS_BLANKS, 0, (const uint8_t *)"p q", 0, 3, wanted, 2,
                              fields, &found, NULL, &error));
    assert_int_equal(found, 2);
    CHECK_OK(ink__fields_find(INK__FIELDS_DELIMITED, ',', (const uint8_t *)"p", 0, 1, wanted, 0,
                              fields, &found, NULL, &error));
    assert_int_equal(found, 0);
}

static void how_many_fields_a_record_has_is_reported_where_one_is_missing(void **state)
{
    static const struct {
        ink__field_form form;
        const char     *record;
        uint32_t        has;
    } records[] = {
        {INK__FIELDS_DELIMITED, "", 1},    {INK__FIELDS_DELIMITED, "a,b,", 3},
        {INK__FIELDS_CSV, "\"a,b\",c", 2}, {INK__FIELDS_CSV, ",,,", 4},
        {INK__FIELDS_BLANKS, " a  b ", 2}, {INK__FIELDS_BLANKS, " \t", 0},
    };
    static const uint32_t wanted[] = {0, 7};

    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        ink__field fields[2];
        size_t     found;
        uint32_t   passed = 99;
        CHECK_OK(ink__fields_find(records[i].form, ',', (const uint8_t *)records[i].record, 0,
                                  strlen(records[i].record), wanted, 2, fields, &found, &passed,
                                  &error));
        assert_int_equal(found, records[i].has > 0);
        assert_int_equal(passed, records[i].has);
    }
}

static void quotes_after_the_last_field_wanted_must_be_right_too(void **state)
{
    static const struct {
        const char *record;
        uint64_t    at; /* UINT64_MAX: it is right */
    } records[] = {
        {"key,\"never closed", 4},     {"key,b,\"c\"x", 9},        {"key,b\"", 5},
        {"key,\"b,c\",d", UINT64_MAX}, {"key,b,\"\"", UINT64_MAX}, {"key", UINT64_MAX},
    };
    const uint32_t first = 0;
    ink__field     field;
    size_t         found;

    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        const uint8_t *bytes = (const uint8_t *)records[i].record;
        uint64_t       count = strlen(records[i].record);
        ink_status     status = ink__fields_find(INK__FIELDS_CSV, ',', bytes, 0, count, &first, 1,
                                                 &field, &found, NULL, &error);
        assert_int_equal(status, records[i].at == UINT64_MAX ? INK_OK : INK_FORMAT);
        CHECK(status != INK_OK || (found == 1 && field.end == 3));
        if (status != INK_OK) {
            assert_int_equal(error.location, INK_AT_BYTE);
            assert_int_equal(error.at, records[i].at);
        }
        CHECK_OK(ink__fields_find(INK__FIELDS_DELIMITED, ',', bytes, 0, count, &first, 1, &field,
                                  &found, NULL, &error)); /* where quotes mean nothing */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_delimiter_separates_two_fields),
        cmocka_unit_test(runs_of_blanks_separate_as_in_awk),
        cmocka_unit_test(quoted_fields_hold_anything),
        cmocka_unit_test(csv_that_is_none_is_reported_by_its_location),
        cmocka_unit_test(several_fields_are_found_in_one_go),
        cmocka_unit_test(how_many_fields_a_record_has_is_reported_where_one_is_missing),
        cmocka_unit_test(quotes_after_the_last_field_wanted_must_be_right_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
