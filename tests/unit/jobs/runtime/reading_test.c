/* reading_test.c - options about records become a rule, those that exclude each other are refused
 * with a message, and an input spec sets only what was left open. */
#define _POSIX_C_SOURCE 200809L
#include "base/status.h"
#include "jobs/runtime/reading.h"

#include "inkling_command.h"
#include "support/check.h"
#include "support/kernel_tables.h"

#include <stdlib.h>

static ink_error error;

static const char *const columns[] = {"3", "1"};
static const char *const names[] = {"id", "when"};

/* ---- Forms -------------------------------------------------------------------------------- */

TEST(a_suffix_stands_for_a_form)
{
    static const struct {
        const char *path;
        ink_form    form;
    } known[] = {
        {"a.csv", INK_FORM_CSV},       {"b/c.tsv", INK_FORM_TSV},   {"d.jsonl", INK_FORM_JSONL},
        {"a.csv.gz", INK_FORM_CSV},    {"a.tsv.zst", INK_FORM_TSV}, {"a.jsonl.gz", INK_FORM_JSONL},
        {".csv", INK_FORM_CSV},        {"a.txt", INK_FORM_LINES},   {"a", INK_FORM_LINES},
        {"", INK_FORM_LINES},          {".gz", INK_FORM_LINES},     {"csv", INK_FORM_LINES},
        {"a.csv.txt", INK_FORM_LINES}, {"a.csv/b", INK_FORM_LINES}, {"a.csv.gz.gz", INK_FORM_LINES},
        {"a.json", INK_FORM_JSONL},    {"a.u64", INK_FORM_LINES},   {"a.ndjson", INK_FORM_JSONL},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const ink_input   input = {.path = known[i].path};
        const ink_reading reading = {.form = INK_FORM_DEFAULT};
        ink_form          form;
        CHECK_OK(ink_reading_form(&reading, &input, 1, &form, &error));
        if (form != known[i].form)
            fail_msg("%s is %s", known[i].path, ink__form_name(form));
    }
}

TEST(every_form_has_a_name_and_is_found_by_it)
{
    static const char *const all[] = {"lines", "csv", "tsv", "nul", "jsonl", "u32", "u64"};
    ink_form                 form = INK_FORM_DEFAULT;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        CHECK(ink__form_named(all[i], &form));
        assert_int_equal(form, INK_FORM_LINES + i);
        assert_string_equal(ink__form_name(form), all[i]);
    }
    CHECK(!ink__form_named("", &form) && !ink__form_named("CSV", &form) &&
          !ink__form_named("csv ", &form));
    assert_int_equal(form, INK_FORM_U64); /* untouched */
    assert_string_equal(ink__form_name(INK_FORM_DEFAULT), "");
}

/* ---- Rules -------------------------------------------------------------------------------- */

static ink__row_rule rule_of(const ink_reading *reading, const char *path)
{
    const ink_input input = {.path = path};
    ink__row_rule   rule;

    memset(&rule, 0x5a, sizeof rule);
    CHECK_OK(ink__reading_rule(&rule, reading, &input, 1, &error));
    return rule;
}

static ink_status resolve(const ink_reading *reading, const char *header, ink__row_rule *rule)
{
    return ink__reading_resolve(reading, (const uint8_t *)header, strlen(header), "the first", rule,
                                &error);
}

TEST(INK_CPU_names_the_loop_that_cuts_lines)
{
    ink__row_rule rule;

    FOR_EACH_TABLE(table)
    {
        assert_int_equal(setenv("INK_CPU", table->name, 1), 0);
        CHECK(rule_of(&(ink_reading){0}, "a").records.lines_cut == table->lines_cut);
    }
    assert_int_equal(setenv("INK_CPU", "abacus", 1), 0);
    CHECK_FAILS(ink__reading_rule(&rule, &(ink_reading){0}, &(ink_input){.path = "a"}, 1, &error),
                INK_USAGE, "abacus");
    assert_int_equal(unsetenv("INK_CPU"), 0);
    CHECK(rule_of(&(ink_reading){0}, "a").records.lines_cut == ink__kernels_fastest()->lines_cut);
}

TEST(records_end_as_their_form_says)
{
    ink_reading   reading = {0};
    ink__row_rule rule = rule_of(&reading, "text");

    CHECK(rule.records.form == INK__RECORDS_ENDED && rule.records.end == '\n');
    CHECK(!rule.header && !rule.json && !rule.skip_bad && rule.key_column_count == 0);
    CHECK(rule.key_type == INK_KEY_BYTES && !rule.has_group && !rule.has_weight && !rule.rounded);
    CHECK(!rule.has_time);
    reading.form = INK_FORM_NUL;
    rule = rule_of(&reading, "a.csv"); /* said is more than named */
    CHECK(rule.records.form == INK__RECORDS_ENDED && rule.records.end == 0);
    reading = (ink_reading){.multiline = true};
    rule = rule_of(&reading, "a.csv");
    CHECK(rule.records.form == INK__RECORDS_QUOTED && rule.records.end == '\n');
    reading = (ink_reading){.form = INK_FORM_U32};
    rule = rule_of(&reading, "a");
    CHECK(rule.records.form == INK__RECORDS_FIXED && rule.records.width == 4);
    CHECK(rule.key_type == INK_KEY_INT);
    reading = (ink_reading){.form = INK_FORM_U64, .keys = INK_KEYS_INT};
    rule = rule_of(&reading, "a");
    CHECK(rule.records.form == INK__RECORDS_FIXED && rule.records.width == 8);
    CHECK(rule.key_type == INK_KEY_INT);
}

TEST(fields_are_separated_as_their_form_says)
{
    ink_reading   reading = {.key = columns, .key_count = 1, .skip_bad = true};
    ink__row_rule rule = rule_of(&reading, "a.tsv");

    CHECK(rule.form == INK__FIELDS_DELIMITED && rule.delimiter == '\t' && rule.skip_bad);
    rule = rule_of(&reading, "a.csv.gz");
    CHECK(rule.form == INK__FIELDS_CSV && rule.delimiter == ',');
    reading.delimiter = ';';
    rule = rule_of(&reading, "a.csv");
    CHECK(rule.form == INK__FIELDS_CSV && rule.delimiter == ';');
    rule = rule_of(&reading, "a");
    CHECK(rule.form == INK__FIELDS_DELIMITED && rule.delimiter == ';');
    reading.form = INK_FORM_NUL;
    reading.delimiter = '\xff';
    rule = rule_of(&reading, "a");
    CHECK(rule.form == INK__FIELDS_DELIMITED && rule.delimiter == 0xff && rule.records.end == 0);
    reading = (ink_reading){.key = columns, .key_count = 1, .blanks = true};
    rule = rule_of(&reading, "a");
    CHECK(rule.form == INK__FIELDS_BLANKS);
}

TEST(columns_by_number_need_no_header)
{
    ink_reading reading = {
        .key = columns, .key_count = 2, .by = "2", .round = INK_ROUND_HALF_UP, .weight = "7"};
    ink__row_rule rule = rule_of(&reading, "a.csv");

    CHECK(rule.key_column_count == 2 && rule.columns.key[0] == 2 && rule.columns.key[1] == 0);
    CHECK(rule.has_group && rule.columns.group == 1 && rule.has_weight && rule.columns.weight == 6);
    CHECK(rule.rounded && rule.rounding == INK__ROUND_HALF_UP);
    CHECK(!ink__reading_names(&reading, &rule));
    reading.round = INK_ROUND_HALF_AWAY;
    CHECK(rule_of(&reading, "a.csv").rounding == INK__ROUND_HALF_AWAY);
    reading.round = INK_ROUND_HALF_EVEN;
    reading.key_count = 1;
    reading.keys = INK_KEYS_INT;
    rule = rule_of(&reading, "a.csv");
    CHECK(rule.rounded && rule.rounding == INK__ROUND_HALF_EVEN && rule.key_type == INK_KEY_INT);
}

TEST(columns_by_name_are_found_in_a_header)
{
    static const char header[] = "when,\"x,y\",id,n";
    ink_reading       reading = {
              .header = true, .key = names, .key_count = 2, .by = "x,y", .weight = "4"};
    ink__row_rule rule = rule_of(&reading, "a.csv");

    CHECK(rule.header && ink__reading_names(&reading, &rule));
    CHECK_OK(resolve(&reading, header, &rule));
    CHECK(rule.columns.key[0] == 2 && rule.columns.key[1] == 0);
    CHECK(rule.columns.group == 1 && rule.columns.weight == 3);
    reading.by = "z";
    CHECK_FAILS(resolve(&reading, header, &rule), INK_USAGE, "no column \"z\"");
    reading = (ink_reading){.header = true}; /* it is skipped, and that is all */
    rule = rule_of(&reading, "a.csv");
    CHECK(rule.header && !ink__reading_names(&reading, &rule));
}

TEST(columns_of_json_are_paths)
{
    static const char *const paths[] = {"user.id", "tags[0]"};
    ink_reading              reading = {
                     .form = INK_FORM_JSONL, .key = paths, .key_count = 2, .by = "by", .weight = "n"};
    ink__row_rule rule = rule_of(&reading, "a");

    CHECK(rule.json && rule.path_count == 4 && !ink__reading_names(&reading, &rule));
    CHECK(rule.columns.key[0] == 0 && rule.columns.key[1] == 1);
    CHECK(rule.columns.group == 2 && rule.columns.weight == 3);
    assert_string_equal(rule.path_texts[1], "tags[0]");
    assert_int_equal(rule.paths[0].step_count, 2);
    CHECK(rule.paths[1].steps[1].is_index && rule.paths[1].steps[1].index == 0);
    assert_string_equal(rule.path_texts[2], "by");
}

TEST(a_time_is_a_column_as_the_others)
{
    static const char        header[] = "when,id,n", other[] = "id,when,n";
    static const char *const id[] = {"id"};
    ink_reading              reading = {
                     .form = INK_FORM_TSV, .time = "3", .time_unit = INK_TIME_MICROSECONDS, .key_count = 0};
    ink__row_rule rule = rule_of(&reading, "a"), second;

    CHECK(rule.has_time && rule.columns.time == 2 && rule.time_unit == INK_TIME_MICROSECONDS);
    reading = (ink_reading){
        .form = INK_FORM_CSV, .header = true, .key = id, .key_count = 1, .time = "when"};
    rule = rule_of(&reading, "a");
    CHECK(rule.has_time && rule.time_unit == INK_TIME_SECONDS);
    CHECK(ink__reading_names(&reading, &rule));
    CHECK_OK(resolve(&reading, header, &rule));
    CHECK(rule.columns.time == 0 && rule.columns.key[0] == 1);
    CHECK_OK(resolve(&reading, header, &rule));
    CHECK_OK(resolve(&reading, "\xef\xbb\xbfwhen,id,n", &rule));
    reading.key_count = 0; /* so that the times alone differ */
    rule = second = rule_of(&reading, "a");
    CHECK_OK(resolve(&reading, other, &second));
    CHECK(second.columns.time == 1);
    CHECK_OK(resolve(&reading, header, &rule));
    CHECK_FAILS(resolve(&reading, other, &rule), INK_MISMATCH,
                "its header has the columns in another order, expected that of the first");
    CHECK(rule.columns.time == 0);
    reading = (ink_reading){
        .form = INK_FORM_JSONL, .key = id, .key_count = 1, .weight = "n", .time = "at[0]"};
    rule = rule_of(&reading, "a");
    CHECK(rule.has_time && rule.columns.time == 2 && rule.path_count == 3);
    assert_string_equal(rule.path_texts[2], "at[0]");
}

TEST(a_key_of_many_columns_leaves_room_for_all_others)
{
    static const char *const many[INK_KEY_COLUMNS_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                          "i", "j", "k", "l", "m", "n", "o", "p"};
    const ink_reading        reading = {.form = INK_FORM_JSONL,
                                        .key = many,
                                        .key_count = INK_KEY_COLUMNS_MAX,
                                        .by = "by",
                                        .weight = "w",
                                        .time = "t"};
    ink__row_rule            rule = rule_of(&reading, "a");

    assert_int_equal(rule.path_count, INK_KEY_COLUMNS_MAX + 3);
    assert_string_equal(rule.path_texts[rule.columns.time], "t");
}

/* ---- What is refused ---------------------------------------------------------------------- */

TEST(what_does_not_go_together_is_reported)
{
    static const char *const many[INK_KEY_COLUMNS_MAX + 1] = {"1"};
    static const char *const bad_path[] = {"a..b"};
    static const struct {
        ink_reading reading;
        const char *words;
    } wrong[] = {
        {{.form = INK_FORM_U32, .by = "1"},
         "columns or a header for records in u32, expected integers alone"},
        {{.form = INK_FORM_U64, .header = true}, "columns or a header for records in u64"},
        {{.skip_bad = true, .fail_bad = 1}, "skip_bad and fail_bad, expected one of them"},
        {{.form = INK_FORM_U64, .keys = INK_KEYS_BYTES},
         "keys that are bytes for records in u64, expected integer keys"},
        {{.form = INK_FORM_TSV, .delimiter = ','}, "a delimiter for records in tsv"},
        {{.form = INK_FORM_JSONL, .delimiter = ','}, "a delimiter for records in jsonl"},
        {{.form = INK_FORM_U32, .delimiter = ','}, "a delimiter for records in u32"},
        {{.form = INK_FORM_CSV, .delimiter = '"'},
         "a line end or quote as delimiter for records in csv, expected another byte"},
        {{.form = INK_FORM_CSV, .delimiter = '\n', .multiline = true}, "a line end or quote"},
        {{.form = INK_FORM_CSV, .delimiter = '\r'}, "a line end or quote"},
        {{.delimiter = '\n'}, "a line end or quote as delimiter for records in lines"},
        {{.form = INK_FORM_CSV, .blanks = true}, "fields between blanks for records in csv"},
        {{.blanks = true, .delimiter = ','}, "expected one way to separate fields"},
        {{.form = INK_FORM_JSONL, .header = true}, "a header for records in jsonl"},
        {{.form = INK_FORM_TSV, .multiline = true}, "line ends in quotes for records in tsv"},
        {{.multiline = true}, "line ends in quotes for records in lines, expected csv"},
        {{.key = columns, .key_count = 1}, "a column (key, by, weight) of records in lines"},
        {{.form = INK_FORM_NUL, .weight = "2"}, "a column (key, by, weight) of records in nul"},
        {{.time = "2"}, "a column of times of records in lines, expected fields: blanks"},
        {{.form = INK_FORM_U64, .time = "1"}, "columns or a header for records in u64"},
        {{.form = INK_FORM_U32, .time = "1"}, "columns or a header for records in u32"},
        {{.form = INK_FORM_CSV, .time = "when"}, "column \"when\" without a header"},
        {{.form = INK_FORM_JSONL, .time = "a..b"}, "the path \"a..b\""},
        {{.form = INK_FORM_CSV, .time_unit = INK_TIME_MILLISECONDS},
         "a unit of times without a column of times, expected both"},
        {{.form = INK_FORM_CSV, .time = "1", .time_unit = (ink_time_unit)4},
         "time_unit 4, expected 0 to 3"},
        {{.form = (ink_form)8}, "form 8, expected 0 to 7"},
        {{.form = (ink_form)-1}, "form 4294967295, expected 0 to 7"},
        {{.keys = (ink_keys)3}, "keys 3, expected 0 to 2"},
        {{.form = INK_FORM_CSV, .by = "1", .round = (ink_round)4}, "round 4, expected 0 to 3"},
        {{.form = INK_FORM_CSV, .round = INK_ROUND_HALF_UP},
         "rounding without a column to group by"},
        {{.form = INK_FORM_CSV, .key = many, .key_count = INK_KEY_COLUMNS_MAX + 1},
         "17 key columns, expected at most 16"},
        {{.form = INK_FORM_CSV, .key = names, .key_count = 1},
         "column \"id\" without a header, expected a number"},
        {{.form = INK_FORM_CSV, .by = "0"}, "column 0, expected 1 to 2^20"},
        {{.form = INK_FORM_JSONL, .key = bad_path, .key_count = 1}, "expected"},
    };
    const ink_input input = {.path = "text"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink__row_rule rule;
        CHECK_FAILS(ink__reading_rule(&rule, &wrong[i].reading, &input, 1, &error), INK_USAGE,
                    wrong[i].words);
    }
}

TEST(what_only_other_forms_exclude_is_taken)
{
    static const ink_reading right[] = {
        {.form = INK_FORM_LINES, .delimiter = '"', .key = columns, .key_count = 1},
        {.form = INK_FORM_NUL, .delimiter = '"', .key = columns, .key_count = 1},
        {.form = INK_FORM_NUL, .delimiter = '\n', .key = columns, .key_count = 1},
        {.form = INK_FORM_NUL, .delimiter = '\r', .key = columns, .key_count = 1},
        {.form = INK_FORM_LINES, .delimiter = (char)0xff, .key = columns, .key_count = 1},
    };

    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        ink__row_rule rule;
        CHECK_OK(ink__reading_rule(&rule, &right[i], NULL, 0, &error));
        assert_int_equal(rule.delimiter, (uint8_t)right[i].delimiter);
    }
}

TEST(inputs_agree_on_a_form_or_are_reported_one)
{
    static const ink_input differ[] = {{.path = "-"}, {.path = "a.csv"}, {.path = "b.tsv.gz"}};
    static const ink_input agree[] = {{.memory = (const uint8_t *)"", .path = NULL},
                                      {.path = "-"},
                                      {.path = "a.csv"},
                                      {.path = "b.csv.gz"}};
    static const ink_input unnamed_last[] = {{.path = "a.csv"}, {.path = "-"}, {.path = NULL}};
    ink_reading            reading = {0};
    ink__row_rule          rule;

    CHECK_FAILS(ink__reading_rule(&rule, &reading, differ, 3, &error), INK_USAGE,
                "b.tsv.gz is read as tsv and the input before it as csv, expected one form (form)");
    CHECK_OK(ink__reading_rule(&rule, &reading, agree, 4, &error));
    CHECK(rule.form == INK__FIELDS_CSV);
    CHECK_OK(ink__reading_rule(&rule, &reading, unnamed_last, 3, &error));
    CHECK(rule.form == INK__FIELDS_CSV);
    CHECK_OK(ink__reading_rule(&rule, &reading, agree, 2, &error)); /* no names: lines */
    CHECK(rule.form == INK__FIELDS_DELIMITED && rule.delimiter == 0);
    CHECK_OK(ink__reading_rule(&rule, &reading, NULL, 0, &error));
    reading.form = INK_FORM_TSV;
    CHECK_OK(ink__reading_rule(&rule, &reading, differ, 3, &error));
    CHECK(rule.delimiter == '\t');
}

/* ---- Input specs -------------------------------------------------------------------------- */

static const ink_reading input_spec = {.form = INK_FORM_CSV,
                                       .delimiter = ';',
                                       .header = true,
                                       .multiline = true,
                                       .key = names,
                                       .key_count = 2,
                                       .by = "g",
                                       .round = INK_ROUND_HALF_UP,
                                       .weight = "n",
                                       .time = "when",
                                       .time_unit = INK_TIME_NANOSECONDS};

TEST(a_input_spec_fills_what_was_left_open)
{
    ink_reading reading = {.skip_bad = true, .keys = INK_KEYS_INT};

    CHECK_OK(ink_reading_complete(&reading, &input_spec, true, NULL, 0, &error));
    CHECK(reading.form == INK_FORM_CSV && reading.delimiter == ';' && reading.header);
    CHECK(reading.multiline && reading.key == names && reading.key_count == 2);
    CHECK(strcmp(reading.by, "g") == 0 && reading.round == INK_ROUND_HALF_UP);
    CHECK(strcmp(reading.weight, "n") == 0 && reading.skip_bad && reading.keys == INK_KEYS_INT);
    CHECK(reading.time == NULL && reading.time_unit == INK_TIME_SECONDS); /* only streams look */

    reading = (ink_reading){0};
    CHECK_OK(ink_reading_complete(&reading, &input_spec, false, NULL, 0, &error));
    CHECK(reading.by == NULL && reading.round == INK_ROUND_NONE && reading.key == names);

    reading = (ink_reading){.delimiter = '|',
                            .key = columns,
                            .key_count = 1,
                            .by = "h",
                            .round = INK_ROUND_HALF_EVEN,
                            .weight = "w"};
    CHECK_OK(ink_reading_complete(&reading, &input_spec, true, NULL, 0, &error));
    CHECK(reading.delimiter == '|' && reading.key == columns && reading.key_count == 1);
    CHECK(strcmp(reading.by, "h") == 0 && reading.round == INK_ROUND_HALF_EVEN);
    CHECK(strcmp(reading.weight, "w") == 0 && reading.form == INK_FORM_CSV);
}

TEST(what_is_given_goes_before_what_is_remembered)
{
    ink_reading        reading = {.fail_bad = 1}, remembered = input_spec;
    const ink_reading *followed;

    remembered.skip_bad = true;
    CHECK_OK(ink_reading_complete(&reading, &remembered, true, NULL, 0, &error));
    CHECK(!reading.skip_bad);
    reading = (ink_reading){.round = INK_ROUND_HALF_AWAY};
    CHECK_OK(ink_reading_complete(&reading, &remembered, true, NULL, 0, &error));
    CHECK(reading.skip_bad && reading.round == INK_ROUND_HALF_AWAY);
    assert_string_equal(reading.by, "g");
    reading = (ink_reading){.form = INK_FORM_LINES}; /* a line is its key, and has no weight */
    CHECK_OK(ink_reading_complete(&reading, &remembered, false, NULL, 0, &error));
    CHECK(reading.key_count == 0 && reading.weight == NULL && !reading.header);
    remembered = (ink_reading){.form = INK_FORM_LINES, .header = true};
    reading = (ink_reading){0};
    CHECK_OK(ink__reading_follow(&reading, &remembered, false, NULL, 0, &followed, &error));
    CHECK(reading.header && followed == &remembered); /* which says that a line is left out */
    remembered.header = false;
    reading = (ink_reading){0};
    CHECK_OK(ink__reading_follow(&reading, &remembered, false, NULL, 0, &followed, &error));
    CHECK(!reading.header && followed == NULL);
}

TEST(an_input_has_begun_with_no_more_bytes_than_are_looked_at)
{
    ink_input input = {.path = "-", .begun_bytes = INK_LOOK_BYTES};

    CHECK_OK(ink__reading_check_input(&input, &error));
    input.begun_bytes++;
    CHECK_FAILS(ink__reading_check_input(&input, &error), INK_USAGE, "expected at most");
}

TEST(another_form_comes_with_all_that_belongs_to_it)
{
    const ink_reading blanks = {.form = INK_FORM_LINES, .blanks = true};
    ink_reading       reading = {.form = INK_FORM_JSONL};

    CHECK_OK(ink_reading_complete(&reading, &input_spec, false, NULL, 0, &error));
    CHECK(reading.form == INK_FORM_JSONL && reading.delimiter == 0 && !reading.header);
    CHECK(!reading.multiline && reading.key == names && reading.key_count == 2);
    reading = (ink_reading){0};
    CHECK_OK(ink_reading_complete(&reading, &blanks, false, NULL, 0, &error));
    CHECK(reading.blanks && reading.delimiter == 0);
    reading = (ink_reading){.delimiter = ','}; /* one way to separate, and it is the user's */
    CHECK_OK(ink_reading_complete(&reading, &blanks, false, NULL, 0, &error));
    CHECK(!reading.blanks && reading.delimiter == ',');
}

/* ---- What is remembered, and what is given ------------------------------------------------ */

static const char *const one_name[] = {"id"}, *const one_number[] = {"2"},
                         *const one_path[] = {"a.b"};

#define KEY(columns) .key = columns, .key_count = 1
static const ink_reading lines = {.form = INK_FORM_LINES};
static const ink_reading words = {.form = INK_FORM_LINES, .blanks = true, KEY(one_number)};
static const ink_reading integers = {.form = INK_FORM_U64};
static const ink_reading csv = {
    .form = INK_FORM_CSV, .delimiter = ';', .multiline = true, .header = true, KEY(one_name)};
static const ink_reading tsv = {.form = INK_FORM_TSV, .header = true, KEY(one_name)};
static const ink_reading numbered = {.form = INK_FORM_TSV, KEY(one_number)};
static const ink_reading headed = {.form = INK_FORM_TSV, .header = true};
static const ink_reading weighed = {
    .form = INK_FORM_TSV, .header = true, KEY(one_name), .weight = "3"};
static const ink_reading json = {.form = INK_FORM_JSONL, KEY(one_name)};
static const char *const one_index[] = {"a[0]"};
static const ink_reading indexed = {.form = INK_FORM_CSV, .header = true, KEY(one_index)};
static const ink_reading nested = {.form = INK_FORM_JSONL, KEY(one_path)};

TEST(a_suffix_decides_the_form_where_columns_are_found_by_name)
{
    static const ink_reading none, by_number = {KEY(one_number)}, by_name = {KEY(one_name)},
                                   with_header = {.header = true, KEY(one_number)},
                                   as_csv = {.form = INK_FORM_CSV};
    static const char number[] = "a column by number may be another one";
    static const char header[] = "nothing shows whether it has a header";
    static const char path[] = "a name is no JSON path";
    static const struct {
        const ink_reading *remembered, *given;
        const char        *path;
        const char        *result; /* how the data is read, or why it is refused */
    } cases[] = {
        /* The same form, no known suffix, or no name: as remembered. */
        {&csv, &none, "a.csv", "csv, delimiter ;, csv-multiline, header, key id"},
        {&tsv, &none, "a.tsv.gz", "tsv, header, key id"},
        {&tsv, &none, "a.txt", "tsv, header, key id"},
        {&tsv, &none, "-", "tsv, header, key id"},
        {&numbered, &none, NULL, "tsv, key 2"},
        /* Another one: names carry over, and the header with them. */
        {&tsv, &none, "a.csv", "csv, header, key id"},
        {&csv, &none, "a.tsv", "tsv, header, key id"},
        {&csv, &none, "a.jsonl", "jsonl, key id"},
        {&json, &none, "a.csv", "csv, header, key id"},
        {&json, &none, "a.ndjson.zst", "jsonl, key id"},
        {&nested, &none, "a.csv", path},
        {&indexed, &none, "a.jsonl", path},
        /* Numbers do not, nor a header that no name shows. */
        {&numbered, &none, "a.csv", number},
        {&numbered, &none, "a.jsonl", number},
        {&words, &none, "a.tsv", number},
        {&weighed, &none, "a.csv", number},
        {&headed, &none, "a.csv", header},
        /* Whole records are keys in any form. */
        {&lines, &none, "a.csv", "csv"},
        {&integers, &none, "a.csv", "csv"},
        {&headed, &none, "a.jsonl", "jsonl"},
        /* What is given wins. */
        {&lines, &by_number, "a.csv", "csv, key 2"},
        {&numbered, &by_number, "a.csv", "csv, key 2"},
        {&tsv, &by_number, "a.csv", header},
        {&tsv, &with_header, "a.csv", "csv, header, key 2"},
        {&headed, &by_name, "a.csv", "csv, header, key id"},
        {&numbered, &as_csv, "a.tsv", "csv, key 2"},
        {&tsv, &as_csv, "a.csv", "csv, key id"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ink_input input = {.path = cases[i].path};
        ink_reading     reading = *cases[i].given;
        char            text[256];
        ink_status      status =
            ink_reading_complete(&reading, cases[i].remembered, true, &input, 1, &error);
        ink_reading_text(&reading, text, sizeof text);
        const char *got = status == INK_OK ? text + strlen("read as: ") : error.message;
        if (status == INK_OK ? strcmp(got, cases[i].result) != 0
                             : strstr(got, cases[i].result) == NULL)
            fail_msg("case %zu: \"%s\", expected \"%s\"", i, got, cases[i].result);
    }
}

TEST(inputs_of_two_forms_are_refused_beside_an_input_spec)
{
    static const ink_input inputs[] = {{.path = "a.csv"}, {.path = "b.txt"}};
    ink_reading            reading = {0};

    CHECK_FAILS(
        ink_reading_complete(&reading, &tsv, false, inputs, 2, &error), INK_USAGE,
        "b.txt is read as tsv and the input before it as csv, expected one form (form); the "
        "sketches say \"read as: tsv, header, key id\" (form overrides it: \"lines\" "
        "for plain keys)");
    reading = (ink_reading){0};
    CHECK_FAILS(ink_reading_complete(&reading, &numbered, false, inputs, 1, &error), INK_USAGE,
                "an input is named as csv, the sketches say \"read as: tsv, key 2\", and a column "
                "by number may be another one: expected form");
}

/* Of each length, with letters of one to four bytes. */
TEST(a_long_reading_is_shown_up_to_a_whole_letter)
{
    static const char letters[][5] = {"x", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x99\x82"};

    for (size_t l = 0; l < 4; l++)
        for (size_t before = 0; before < 120; before++) {
            char              name[600] = "";
            const char *const key[] = {name};
            const ink_reading spec = {.form = INK_FORM_JSONL, .key = key, .key_count = 1};

            memset(name, '_', before);
            for (unsigned i = 0; i < 100; i++)
                strcat(name, letters[l]);
            ink__fail(&error, INK_FORMAT, INK_NOWHERE, 0, "bad");
            ink__reading_explain(&spec, &error);
            const char *end = strstr(error.message, "...\"");
            assert_non_null(end);
            size_t rest = 0; /* bytes of the last letter after its first */
            while (((uint8_t) * --end & 0xc0) == 0x80)
                rest++;
            assert_int_equal(rest, *end == '_' ? 0 : strlen(letters[l]) - 1);
        }
    ink__fail(&error, INK_FORMAT, INK_NOWHERE, 0, "bad");
    ink__reading_explain(&(ink_reading){.form = INK_FORM_CSV}, &error);
    CHECK(strstr(error.message, "\"read as: csv\"") != NULL);
}

TEST(how_data_was_read_is_a_text)
{
    static const char *const odd[] = {"last, first", "\"x\"", "a\"b", ""};
    const ink_reading        all = {.form = INK_FORM_CSV,
                                    .delimiter = ';',
                                    .multiline = true,
                                    .header = true,
                                    .key = odd,
                                    .key_count = 4,
                                    .by = "g,h",
                                    .round = INK_ROUND_HALF_UP,
                                    .weight = "n",
                                    .time = "when",
                                    .time_unit = INK_TIME_MILLISECONDS};
    static const char        whole[] =
        "read as: csv, delimiter ;, csv-multiline, header, key \"last, first\",\"\"\"x\"\"\","
        "a\"b,\"\", by \"g,h\" rounded half-up, weight n, time when in ms";
    char text[sizeof whole], cut[20];

    assert_int_equal(ink_reading_text(&all, text, sizeof text), strlen(whole));
    assert_string_equal(text, whole);
    assert_int_equal(ink_reading_text(&all, cut, sizeof cut), sizeof cut - 1);
    assert_string_equal(cut, "read as: csv, delim");
}

RUN_TESTS()
