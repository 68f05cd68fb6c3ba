/* rows_test.c - records become keys, groups and weights as the rule says, and a record that cannot
 * be read is told by its place, or skipped and counted. */
#include "input/rows.h"

#include "support/check.h"
#include "support/faults.h"

#include <inttypes.h>
#include <stdio.h>

static ink_error error;

static ink__chunk chunk_of(const char *text)
{
    return (ink__chunk){.bytes = (const uint8_t *)text, .count = strlen(text)};
}

/* All rows of a text, one a line: key|group|weight, what the rule does not ask for left out. */
static const char *rows_of(const ink__row_rule *rule, const char *text)
{
    static char      said[4096];
    static ink__rows rows;
    ink__row_reader *reader;
    ink__chunk       chunk = chunk_of(text);
    size_t           used = 0;

    said[0] = 0;
    CHECK_OK(ink__row_reader_create(&reader, rule, NULL, &error));
    ink__row_reader_start(reader, &chunk);
    for (;;) {
        CHECK_OK(ink__row_reader_next(reader, &rows, &error));
        if (rows.count == 0)
            break;
        for (size_t i = 0; i < rows.count; i++) {
            if (rule->key_type == INK_KEY_INT)
                used +=
                    (size_t)snprintf(said + used, sizeof said - used, "%" PRId64, rows.key_ints[i]);
            for (uint64_t at = rows.key_starts[i];
                 rule->key_type != INK_KEY_INT && at < rows.key_ends[i]; at++) {
                uint8_t byte = rows.key_bytes[at];
                used += (size_t)snprintf(said + used, sizeof said - used,
                                         byte < ' ' ? "<%u>" : "%c", byte);
            }
            if (rule->has_group)
                used += (size_t)snprintf(said + used, sizeof said - used, "|%.*s",
                                         (int)(rows.group_ends[i] - rows.group_starts[i]),
                                         (const char *)rows.group_bytes + rows.group_starts[i]);
            if (rule->has_weight)
                used +=
                    (size_t)snprintf(said + used, sizeof said - used, "|%" PRIu64, rows.weights[i]);
            used += (size_t)snprintf(said + used, sizeof said - used, "\n");
        }
    }
    ink__row_reader_free(reader);
    return said;
}

static void a_line_is_its_key(void **state)
{
    const ink__row_rule rule = {.end = '\n'}, headed = {.end = '\n', .header = true};

    (void)state;
    assert_string_equal(rows_of(&rule, "a\nb c\n\nlast"), "a\nb c\n\nlast\n");
    assert_string_equal(rows_of(&rule, "a\r\nb\r\nc\r"), "a\nb\nc\n");
    assert_string_equal(rows_of(&rule, ""), "");
    assert_string_equal(rows_of(&headed, "name\na\nb\n"), "a\nb\n");
    assert_string_equal(rows_of(&headed, "name"), "");
}

static void records_may_end_with_nul(void **state)
{
    static const char   text[] = "a\nb\0c\r\0";
    const ink__row_rule rule = {.end = 0};
    ink__row_reader    *reader;
    static ink__rows    rows;
    const ink__chunk    chunk = {.bytes = (const uint8_t *)text, .count = sizeof text - 1};

    (void)state;
    CHECK_OK(ink__row_reader_create(&reader, &rule, NULL, &error));
    ink__row_reader_start(reader, &chunk);
    CHECK_OK(ink__row_reader_next(reader, &rows, &error));
    assert_int_equal(rows.count, 2);
    CHECK(rows.key_starts[1] == 4 && rows.key_ends[1] == 6); /* with its carriage return */
    CHECK_OK(ink__row_reader_next(reader, &rows, &error));
    assert_int_equal(rows.count, 0);
    ink__row_reader_free(reader);
}

static void columns_are_key_group_and_weight(void **state)
{
    ink__row_rule rule = {.end = '\n',
                          .header = true,
                          .delimiter = '\t',
                          .key_columns = {0},
                          .key_column_count = 1,
                          .has_group = true,
                          .group_column = 1,
                          .has_weight = true,
                          .weight_column = 2};
    const char   *text = "tconst\taverageRating\tnumVotes\ntt1\t7.5\t12\ntt2\t8.5\t3\textra\n";

    (void)state;
    assert_string_equal(rows_of(&rule, text), "tt1|7.5|12\ntt2|8.5|3\n");
    rule.rounded = true;
    assert_string_equal(rows_of(&rule, text), "tt1|8|12\ntt2|8|3\n");
    rule.rounding = INK__ROUND_HALF_UP;
    assert_string_equal(rows_of(&rule, text), "tt1|8|12\ntt2|9|3\n");
    rule.key_columns[0] = 2; /* one column for two purposes */
    rule.key_type = INK_KEY_INT;
    assert_string_equal(rows_of(&rule, text), "12|8|12\n3|9|3\n");
}

static void several_columns_make_a_tuple(void **state)
{
    const ink__row_rule rule = {
        .end = '\n', .delimiter = ',', .key_columns = {2, 0}, .key_column_count = 2};

    (void)state;
    assert_string_equal(rows_of(&rule, "a,x,bc\nab,x,c\n,,\n"),
                        "<2><0><0><0>bc<1><0><0><0>a\n<1><0><0><0>c<2><0><0><0>ab\n"
                        "<0><0><0><0><0><0><0><0>\n");
}

static void quotes_are_taken_off(void **state)
{
    const ink__row_rule rule = {.end = '\n',
                                .form = INK__FIELDS_CSV,
                                .delimiter = ',',
                                .key_columns = {1},
                                .key_column_count = 1,
                                .has_group = true,
                                .group_column = 0};

    (void)state;
    assert_string_equal(rows_of(&rule, "\"g\"\"1\",\"a,b\"\ng2,\"say \"\"hi\"\"\"\n,c\r\n"),
                        "a,b|g\"1\nsay \"hi\"|g2\nc|\n");
}

static void blanks_separate_as_asked(void **state)
{
    const ink__row_rule rule = {
        .end = '\n', .form = INK__FIELDS_BLANKS, .key_columns = {1}, .key_column_count = 1};

    (void)state;
    assert_string_equal(rows_of(&rule, "a  b c\n\t x\ty \n"), "b\ny\n");
}

static void a_record_that_cannot_be_read_is_told_by_its_place(void **state)
{
    static const struct {
        ink__row_rule rule;
        const char   *text;
        uint64_t      at;
        const char   *words;
    } wrong[] = {
        {{.end = '\n', .delimiter = ',', .key_columns = {2}, .key_column_count = 1},
         "a,b,c\nd,e\n",
         6,
         "a record without column 3"},
        {{.end = '\n', .key_type = INK_KEY_INT},
         "1\n2\n3x\n",
         4,
         "\"3x\", expected an integer key"},
        {{.end = '\n', .delimiter = ',', .has_weight = true, .weight_column = 1},
         "a,1\nb,-2\n",
         6,
         "\"-2\", expected a weight"},
        {{.end = '\n', .delimiter = ',', .has_group = true, .group_column = 1, .rounded = true},
         "a,1\nb,x\n",
         6,
         "\"x\", expected a number to round"},
        {{.end = '\n',
          .form = INK__FIELDS_CSV,
          .delimiter = ',',
          .key_columns = {1},
          .key_column_count = 1},
         "a,b\nc,\"d\n",
         6,
         "a quote that is not closed"},
    };
    static ink__rows rows;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink__row_reader *reader;
        ink__row_rule    rule = wrong[i].rule;
        ink__chunk       chunk = chunk_of(wrong[i].text);
        CHECK_OK(ink__row_reader_create(&reader, &rule, NULL, &error));
        ink__row_reader_start(reader, &chunk);
        CHECK_FAILS(ink__row_reader_next(reader, &rows, &error), INK_FORMAT, wrong[i].words);
        CHECK(error.place == INK_AT_BYTE && error.at == wrong[i].at);
        ink__row_reader_free(reader);
        rule.skip_bad = true;
        CHECK_OK(ink__row_reader_create(&reader, &rule, NULL, &error));
        ink__row_reader_start(reader, &chunk);
        CHECK_OK(ink__row_reader_next(reader, &rows, &error));
        CHECK(ink__row_reader_bad(reader) == 1 && rows.count == (i == 1 ? 2 : 1));
        ink__row_reader_free(reader);
    }
}

static void rows_come_in_parts_and_all_of_them(void **state)
{
    const ink__row_rule rule = {
        .end = '\n', .delimiter = ' ', .key_columns = {1}, .key_column_count = 1, .skip_bad = true};
    enum { LINES = 5000 };
    static char      text[LINES * 16];
    static ink__rows rows;
    ink__row_reader *reader;
    size_t           used = 0, read = 0;

    (void)state;
    for (int i = 0; i < LINES; i++) /* three thousand bad ones in a row among them */
        used += (size_t)sprintf(text + used, i >= 1500 && i < 4500 ? "bad\n" : "x %d\n", i);
    ink__chunk chunk = chunk_of(text);
    CHECK_OK(ink__row_reader_create(&reader, &rule, NULL, &error));
    ink__row_reader_start(reader, &chunk);
    for (;;) {
        CHECK_OK(ink__row_reader_next(reader, &rows, &error));
        if (rows.count == 0)
            break;
        for (size_t i = 0; i < rows.count; i++, read++) {
            char key[16];
            snprintf(key, sizeof key, "%zu", read < 1500 ? read : read + 3000);
            assert_int_equal(rows.key_ends[i] - rows.key_starts[i], strlen(key));
            assert_memory_equal(rows.key_bytes + rows.key_starts[i], key, strlen(key));
            assert_int_equal(text[rows.record_ends[i]], '\n');
        }
    }
    assert_int_equal(read, 2000);
    assert_int_equal(ink__row_reader_bad(reader), 3000);
    ink__row_reader_free(reader);
}

static void rules_that_cannot_be_are_refused(void **state)
{
    const ink__row_rule tuple = {.end = '\n', .key_column_count = 2, .key_type = INK_KEY_INT};
    const ink__row_rule many = {.end = '\n', .key_column_count = INK__KEY_COLUMNS_MAX + 1};
    ink__row_reader    *reader;

    (void)state;
    CHECK_FAILS(ink__row_reader_create(&reader, &tuple, NULL, &error), INK_USAGE,
                "a tuple of 2 columns is bytes");
    CHECK_FAILS(ink__row_reader_create(&reader, &many, NULL, &error), INK_USAGE,
                "17 key columns, expected at most 16");
    ink__row_reader_free(NULL);
}

static void refused_memory_is_a_failure_and_no_leak(void **state)
{
    const ink__row_rule rule = {.end = '\n',
                                .delimiter = ',',
                                .key_columns = {0, 1},
                                .key_column_count = 2,
                                .has_group = true,
                                .group_column = 1,
                                .rounded = true};
    static char         text[60000];
    static ink__rows    rows;

    (void)state;
    memset(text, 'k', 20000);
    strcpy(text + 20000, ",1\nb,2\n");
    for (uint64_t nth = 1;; nth++) {
        faults_memory    memory = {.refuse_at = nth};
        ink_allocator    allocator = faults_allocator(&memory);
        ink__row_reader *reader = NULL;
        ink__chunk       chunk = chunk_of(text);
        ink_status       status = ink__row_reader_create(&reader, &rule, &allocator, &error);
        if (status == INK_OK) {
            ink__row_reader_start(reader, &chunk);
            status = ink__row_reader_next(reader, &rows, &error);
            ink__row_reader_free(reader);
        }
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK));
        faults_check_no_leak(&memory);
        if (memory.refused == 0)
            break;
    }
    assert_int_equal(rows.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_its_key),
        cmocka_unit_test(records_may_end_with_nul),
        cmocka_unit_test(columns_are_key_group_and_weight),
        cmocka_unit_test(several_columns_make_a_tuple),
        cmocka_unit_test(quotes_are_taken_off),
        cmocka_unit_test(blanks_separate_as_asked),
        cmocka_unit_test(a_record_that_cannot_be_read_is_told_by_its_place),
        cmocka_unit_test(rows_come_in_parts_and_all_of_them),
        cmocka_unit_test(rules_that_cannot_be_are_refused),
        cmocka_unit_test(refused_memory_is_a_failure_and_no_leak),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
