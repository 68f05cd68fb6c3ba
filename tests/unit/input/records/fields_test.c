/* fields_test.c - the fields of a record are where one expects them, a column is found by its
 * number or its name, and CSV that is none is reported by its location. */
#include "input/records/fields.h"

#include "base/text.h"
#include "support/check.h"
#include "support/files.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;

/* Finds fields of a record; `passed` is how many it has, if one is missing. */
static ink__field fields[5];
static size_t     found;
static uint32_t   passed;

static ink_status find(ink__field_form form, char delimiter, const void *bytes, uint64_t start,
                       uint64_t end, const uint32_t *wanted, size_t count)
{
    return ink__fields_find(form, (uint8_t)delimiter, bytes, start, end, wanted, count, fields,
                            &found, &passed, &error);
}

/* The fields of a record as text: each in brackets, those with doubled quotes made single. */
static const char *fields_of(ink__field_form form, char delimiter, const char *record)
{
    static char text[512];
    char        before[300], names[600] = "expected one of ";
    size_t      used = 0, bytes_before = 3;
    uint32_t    column;
    files_guard guard;

    text[0] = 0;
    files_guard_create(&guard, 300);
    /* Three bytes before it, and nothing to be read after it. */
    snprintf(before, sizeof before, "\",;%s", record);
    size_t         end = strlen(before);
    const uint8_t *bytes = files_location(&guard, (const uint8_t *)before, end);
    for (uint32_t number = 0;; number++) {
        CHECK_OK(find(form, delimiter, bytes, bytes_before, end, &number, 1));
        if (found == 0)
            break;
        uint8_t  copy[300];
        uint64_t length = fields[0].end - fields[0].start;
        ink__quote(names + strlen(names) +
                       sprintf(names + strlen(names), number == 0 ? "\"" : ", \""),
                   100, bytes + fields[0].start, length);
        strcat(names, "\"");
        if (fields[0].changed)
            length = ink__field_unquote(bytes, &fields[0], copy);
        else if (length > 0)
            memcpy(copy, bytes + fields[0].start, length);
        used += (size_t)snprintf(text + used, sizeof text - used, "[%.*s]", (int)length,
                                 (const char *)copy);
    }
    /* The same fields are found one after another. */
    CHECK_FAILS(ink__column_find("absent", form, (uint8_t)delimiter, bytes + bytes_before,
                                 end - bytes_before, &column, &error),
                INK_USAGE, names);
    files_guard_free(&guard);
    return text;
}

TEST(records_are_cut_as_their_form_says)
{
    static const struct {
        ink__field_form form;
        char            delimiter;
        const char     *record, *fields;
    } records[] = {
        /* Every delimiter separates two fields. */
        {INK__FIELDS_DELIMITED, '\t', "a\tbc\t", "[a][bc][]"},
        {INK__FIELDS_DELIMITED, '\t', "", "[]"},
        {INK__FIELDS_DELIMITED, '\t', "\t", "[][]"},
        {INK__FIELDS_DELIMITED, '\t', "one", "[one]"},
        {INK__FIELDS_DELIMITED, ';', "a b;\"c;d\"", "[a b][\"c][d\"]"},
        {INK__FIELDS_DELIMITED, ':', "::x:", "[][][x][]"},
        /* Runs of blanks separate as in awk. */
        {INK__FIELDS_BLANKS, 0, "a  bc\t \td", "[a][bc][d]"},
        {INK__FIELDS_BLANKS, 0, "  a b  ", "[a][b]"},
        {INK__FIELDS_BLANKS, 0, "", ""},
        {INK__FIELDS_BLANKS, 0, " \t ", ""},
        {INK__FIELDS_BLANKS, 0, "x", "[x]"},
        /* Quoted fields hold anything. */
        {INK__FIELDS_CSV, ',', "a,\"b,c\",d", "[a][b,c][d]"},
        {INK__FIELDS_CSV, ',', "\"\",\"\"\"\",\"a\"\"b\"", "[][\"][a\"b]"},
        {INK__FIELDS_CSV, ',', "\"two\nlines\",x", "[two\nlines][x]"},
        {INK__FIELDS_CSV, ',', "\"a\"\"\"\"b\"\"\"", "[a\"\"b\"]"},
        {INK__FIELDS_CSV, ',', ",,", "[][][]"},
        {INK__FIELDS_CSV, ',', "", "[]"},
        {INK__FIELDS_CSV, ';', "\"x\";y,z;", "[x][y,z][]"},
    };

    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
        assert_string_equal(fields_of(records[i].form, records[i].delimiter, records[i].record),
                            records[i].fields);
}

TEST(delimiters_are_found_in_records_of_every_length)
{
    /* Bytes beside the delimiter are what arithmetic on words would confuse with it. */
    static const uint8_t delimiters[] = {'\t', 0, 1, 0x7f, 0x80, 0xff};
    uint64_t             random = 5;
    files_guard          guard;

    files_guard_create(&guard, 128);
    for (unsigned round = 0; round < 6000; round++) {
        uint8_t  delimiter = delimiters[round % sizeof delimiters], record[100];
        uint64_t length = round / sizeof delimiters % sizeof record, start = 0;
        unsigned rare = 2 + round % 40;
        uint32_t number = 0;
        for (uint64_t i = 0; i < length; i++)
            record[i] = records_random(&random) % rare == 0
                            ? delimiter
                            : (uint8_t)(delimiter + 1 + (records_random(&random) & 0x80));
        const uint8_t *bytes = files_location(&guard, record, length);
        for (uint64_t end = 0; end <= length; end++) {
            if (end < length && record[end] != delimiter)
                continue;
            const uint32_t wanted[] = {0, number};
            CHECK_OK(find(INK__FIELDS_DELIMITED, (char)delimiter, bytes, 0, length,
                          wanted + (number == 0), number == 0 ? 1 : 2));
            assert_int_equal(found, number == 0 ? 1 : 2);
            assert_int_equal(fields[found - 1].start, start);
            assert_int_equal(fields[found - 1].end, end);
            start = end + 1;
            number++;
        }
        CHECK_OK(find(INK__FIELDS_DELIMITED, (char)delimiter, bytes, 0, length, &number, 1));
        assert_int_equal(found, 0);
        assert_int_equal(passed, number);
    }
    files_guard_free(&guard);
}

TEST(csv_that_is_none_is_reported_by_its_location)
{
    static const struct {
        const char *record;
        uint64_t    at;
        const char *words;
    } wrong[] = {
        {"a,b\"c\",d", 3, "a quote within a field"},
        {"a,\"b\"c,d", 5, "text after a closing quote"},
        {"\"a\";b", 3, "expected a delimiter (or ';' as delimiter)"},
        {"a,\"bc", 2, "a quote that is not closed"},
        {"a,\"bc\"\"", 2, "a quote that is not closed"},
        {"\"", 0, "a quote that is not closed"},
        {"\"a\" ,b", 3, "text after a closing quote"},
        {"\"a\"x;b", 3, "expected a delimiter"}, /* not those that come later */
        {"a, \"b\"", 3, "a quote within a field"},
    };
    const uint32_t third = 2;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char record[32];
        snprintf(record, sizeof record, "??%s", wrong[i].record);
        CHECK_FAILS(find(INK__FIELDS_CSV, ',', record, 2, strlen(record), &third, 1), INK_FORMAT,
                    wrong[i].words);
        CHECK(error.location == INK_AT_BYTE && error.at == 2 + wrong[i].at);
        CHECK((strstr(error.message, "(or '") != NULL) == (strstr(wrong[i].words, "(or") != NULL));
    }
}

TEST(several_fields_are_found_in_one_go)
{
    static const char     record[] = "a,\"b\"\"\",c,,e";
    static const uint32_t wanted[] = {0, 1, 4, 5, 9};

    CHECK_OK(find(INK__FIELDS_CSV, ',', record, 0, strlen(record), wanted, 5));
    assert_int_equal(found, 3); /* it has no field 5 */
    CHECK(fields[0].start == 0 && fields[0].end == 1 && !fields[0].changed);
    CHECK(fields[1].start == 3 && fields[1].end == 6 && fields[1].changed);
    CHECK(fields[2].start == 11 && fields[2].end == 12);
    CHECK_OK(find(INK__FIELDS_BLANKS, 0, "p q", 0, 3, wanted, 2));
    assert_int_equal(found, 2);
    CHECK_OK(find(INK__FIELDS_DELIMITED, ',', "p", 0, 1, wanted, 0));
    assert_int_equal(found, 0);
}

TEST(how_many_fields_a_record_has_is_reported_where_one_is_missing)
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

    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        passed = 99;
        CHECK_OK(
            find(records[i].form, ',', records[i].record, 0, strlen(records[i].record), wanted, 2));
        assert_int_equal(found, records[i].has > 0);
        assert_int_equal(passed, records[i].has);
    }
}

TEST(quotes_after_the_last_field_wanted_must_be_right_too)
{
    static const struct {
        const char *record;
        uint64_t    at; /* UINT64_MAX: it is right */
    } records[] = {
        {"key,\"never closed", 4},     {"key,b,\"c\"x", 9},        {"key,b\"", 5},
        {"key,\"b,c\",d", UINT64_MAX}, {"key,b,\"\"", UINT64_MAX}, {"key", UINT64_MAX},
    };
    const uint32_t first = 0;

    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        const char *record = records[i].record;
        uint64_t    count = strlen(record);
        ink_status  status = find(INK__FIELDS_CSV, ',', record, 0, count, &first, 1);
        assert_int_equal(status, records[i].at == UINT64_MAX ? INK_OK : INK_FORMAT);
        CHECK(status != INK_OK || (found == 1 && fields[0].end == 3));
        if (status != INK_OK) {
            assert_int_equal(error.location, INK_AT_BYTE);
            assert_int_equal(error.at, records[i].at);
        }
        /* Where quotes mean nothing. */
        CHECK_OK(find(INK__FIELDS_DELIMITED, ',', record, 0, count, &first, 1));
    }
}

/* ---- Columns ------------------------------------------------------------------------------ */

static ink_status find_column(const char *text, const char *header, uint32_t *column)
{
    return ink__column_find(text, INK__FIELDS_CSV, ',', (const uint8_t *)header,
                            header == NULL ? 0 : strlen(header), column, &error);
}

TEST(columns_are_numbers_from_1_or_names_of_the_header)
{
    static const char header[] =
        "tconst,average rating,\"with, comma\",\"say \"\"hi\"\"\",2020,,x-1";
    static const struct {
        const char *text, *header;
        uint32_t    column;
    } columns[] = {
        {"1", NULL, 0},
        {"1048576", "a,b", (1 << 20) - 1},
        {"tconst", header, 0},
        {"average rating", header, 1},
        {"with, comma", header, 2},
        {"say \"hi\"", header, 3},
        {"", header, 5}, /* a column without a name */
        {"x-1", header, 6},
        {"2020", header, 2019}, /* a number, not the name */
        {"name", "id,name,\"id\"", 1},
    };
    uint32_t column;

    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        CHECK_OK(find_column(columns[i].text, columns[i].header, &column));
        assert_int_equal(column, columns[i].column);
    }
}

TEST(a_column_that_is_not_there_is_reported_with_those_that_are)
{
    static const struct {
        const char *text, *header;
        ink_status  status;
        const char *words;
    } wrong[] = {
        {"0", NULL, INK_USAGE, "column 0, expected 1 to 2^20"},
        {"1048577", NULL, INK_USAGE, "expected 1 to 2^20"},
        {"votes", "tconst,rating", INK_USAGE,
         "no column \"votes\", expected one of \"tconst\", \"rating\""},
        {"tcons", "tconst,rating", INK_USAGE, "no column \"tcons\""},
        {"tconstx", "tconst,rating", INK_USAGE, "no column \"tconstx\""},
        {"a\"b", "a\"\"b", INK_FORMAT, "a quote within a field"},
        {"rating", NULL, INK_USAGE, "column \"rating\" without a header, expected a number"},
        {"id", "id,name,\"id\"", INK_USAGE, "columns 1 and 3 are both named \"id\": give a number"},
    };
    char     long_header[2000] = "first";
    uint32_t column = 7;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(find_column(wrong[i].text, wrong[i].header, &column), wrong[i].status,
                    wrong[i].words);
        assert_int_equal(column, strcmp(wrong[i].text, "id") == 0 ? 0 : 7);
    }
    for (int i = 0; i < 100; i++)
        snprintf(long_header + strlen(long_header), 20, ",column-%d", i);
    CHECK_FAILS(find_column("x", long_header, &column), INK_USAGE,
                "\"first\", \"column-0\", \"column-1\", ");
    assert_string_equal(error.message + strlen(error.message) - 3, "...");
    for (int i = 0; i < 30; i++) { /* there is room for these dots, wherever the last name ends */
        snprintf(long_header, sizeof long_header, "%.*s,", i, "abcdefghijklmnopqrstuvwxyz0123");
        for (int k = 0; k < 40; k++)
            strcat(long_header, "abcd,");
        CHECK_FAILS(find_column("x", long_header, &column), INK_USAGE, "\"abcd\", \"abcd\"");
        assert_string_equal(error.message + strlen(error.message) - 5, ", ...");
    }
}

/* Looking for each column from the first one on would take minutes here. */
TEST(a_header_may_have_very_many_columns)
{
    enum { COLUMNS = 400000 };
    char    *header = malloc(COLUMNS * 2 + 8);
    uint32_t column;

    assert_non_null(header);
    for (size_t i = 0; i < COLUMNS; i++)
        memcpy(header + 2 * i, "a,", 2);
    memcpy(header + 2 * (size_t)COLUMNS, "\"last\"", 7);
    CHECK_OK(find_column("last", header, &column));
    assert_int_equal(column, COLUMNS);
    CHECK_FAILS(find_column("b", header, &column), INK_USAGE,
                "no column \"b\", expected one of \"a\"");
    CHECK_FAILS(find_column("a", header, &column), INK_USAGE, "columns 1 and 2 are both named");
    free(header);
}

TEST(quotes_in_a_name_are_bytes_like_others_outside_of_csv)
{
    static const uint8_t header[] = "a\"b\t\"c\"\td\"\"e";
    static const struct {
        const char *name;
        uint32_t    column;
    } names[] = {{"a\"b", 0}, {"\"c\"", 1}, {"d\"\"e", 2}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint32_t column = 9;
        CHECK_OK(ink__column_find(names[i].name, INK__FIELDS_DELIMITED, '\t', header,
                                  sizeof header - 1, &column, &error));
        assert_int_equal(column, names[i].column);
    }
}

TEST(the_columns_of_a_header_are_counted_and_those_before_a_name)
{
    static const struct {
        const char *header, *name;
        uint32_t    count, number;
    } headers[] = {
        {"a,b,\"c\"\"d\",e", "c\"d", 4, 2},
        {"a,b", "a", 2, 0},
        {"a,b,b,c", "b", 4, 1},
        {"a,b", "x", 2, 2},
        {"a,,", "", 3, 1},
        {"a", "a", 1, 0},
    };

    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        uint32_t count = 99, number = 99;
        CHECK_OK(ink__columns_count(headers[i].name, INK__FIELDS_CSV, ',',
                                    (const uint8_t *)headers[i].header, strlen(headers[i].header),
                                    &count, &number, &error));
        CHECK(count == headers[i].count && number == headers[i].number);
    }
}

RUN_TESTS()
