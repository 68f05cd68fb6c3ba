/* forms_test.c - in every form of records, keys, groups and weights are what they were before they
 * were written down: the test writes rows that it knows, and the sketches built from the text are
 * those of the rows. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/records.h"

#include <stdio.h>
#include <unistd.h>

static ink_error error;
static uint64_t  chance = 11;

/* A top keeps keys and counts as they are; a bloom is sized by the different ones. */
static const ink_params        kinds[] = {{.kind = "top"}, {.kind = "bloom"}};
static const ink_build_options options = {.kinds = kinds, .kind_count = 2};

/* Builds from the text with several threads and sizes of chunks and compares with the rows. */
static void check_path(const records_bytes *text, const char *path, const ink_reading *reading,
                       const records_rows *rows)
{
    const uint64_t  chunks[] = {0, 1, 7, 64, 1 + records_below(&chance, 5000)};
    const ink_input input = {.path = path, .memory = text->bytes, .memory_bytes = text->count};
    const ink_input file = {.path = path};
    records_digest  expected = records_digest_by_hand(rows, &options);

    records_write(path, text->bytes, text->count);
    for (size_t i = 0; i < 10; i++) {
        ink_job    job = {.threads = 1 + (unsigned)i % 3, .chunk_bytes = chunks[i / 2]};
        owned_set *set;
        CHECK_OK(ink_build(&set, i % 2 == 0 ? &input : &file, 1, reading, &options, &job, &error));
        assert_int_equal(job.records, rows->count);
        records_digest got = records_digest_of_set(set);
        if (!records_same(&got, &expected))
            fail_msg("form %d, path %s, chunks of %llu, %u threads: other keys or groups",
                     reading->form, path, (unsigned long long)job.chunk_bytes, job.threads);
    }
    unlink(path);
}

/* What a test writes, until it is checked. */
static records_data made;

static void check_as(const char *path, const ink_reading *reading)
{
    check_path(&made.text, path, reading, &made.rows);
    records_data_free(&made);
}

static void check(const ink_reading *reading)
{
    check_as("records", reading);
}

/* A text with these characters, of chance. */
static size_t some_text(char *text, size_t most, const char *characters)
{
    size_t bytes = (size_t)records_below(&chance, most);

    for (size_t i = 0; i < bytes; i++)
        text[i] = characters[records_below(&chance, strlen(characters))];
    text[bytes] = '\0';
    return bytes;
}

enum { ROWS = 800, TEXT_BYTES = 64 };

/* ---- Lines -------------------------------------------------------------------------------- */

TEST(a_line_is_a_key_without_its_end)
{
    char key[TEXT_BYTES];

    for (int i = 0; i < ROWS; i++) {
        size_t      bytes = some_text(key, 30, "ab \t,\"\r");
        bool        last = i == ROWS - 1; /* which may lack its end */
        const char *end = last ? "" : i % 3 == 0 ? "\r\n" : "\n";
        if (bytes > 0 && i % 3 != 0 && key[bytes - 1] == '\r')
            key[bytes - 1] = 'x'; /* else it would belong to the line end */
        if (last)
            bytes = (size_t)snprintf(key, sizeof key, "the last");
        records_put(&made.text, key, bytes);
        records_put(&made.text, end, strlen(end));
        records_add(&made.rows, key, bytes, NULL, 0, 1);
    }
    check(&(ink_reading){0});
}

TEST(records_may_end_with_nul)
{
    char key[TEXT_BYTES];

    for (int i = 0; i < ROWS; i++) {
        size_t bytes = some_text(key, 30, "ab\r\n");
        records_put(&made.text, key, bytes + 1);
        records_add(&made.rows, key, bytes, NULL, 0, 1);
    }
    check(&(ink_reading){.form = INK_FORM_NUL});
}

TEST(lines_may_have_fields_between_a_delimiter)
{
    static const char *const key[] = {"2"};
    char                     fields[3][TEXT_BYTES];

    made.rows = (records_rows){.grouped = true, .weighted = true};
    for (int i = 0; i < ROWS; i++) {
        some_text(fields[0], 4, "ab \",");
        some_text(fields[1], 5, "xyz\" ");
        some_text(fields[2], 30, "more\"; ");
        records_say(&made.text, "%s:%s:%d:%s\n", fields[0], fields[1], i, fields[2]);
        records_add_text(&made.rows, fields[1], fields[0], (uint64_t)i);
    }
    check(&(ink_reading){.delimiter = ':', .key = key, .key_count = 1, .by = "1", .weight = "3"});
}

TEST(lines_may_have_fields_between_blanks)
{
    static const char *const key[] = {"2"};
    char                     fields[2][TEXT_BYTES], blanks[3][TEXT_BYTES];

    made.rows = (records_rows){.grouped = true};
    for (int i = 0; i < ROWS; i++) {
        some_text(fields[0], 4, "ab");
        some_text(fields[1], 5, "xyz");
        for (int b = 0; b < 3; b++)
            some_text(blanks[b], 5, " \t");
        records_say(&made.text, "%sf%s \t%s%sk%s%s\n", blanks[0], fields[0], blanks[1], blanks[2],
                    fields[1], blanks[0]);
        char key_text[TEXT_BYTES + 1], group_text[TEXT_BYTES + 1];
        snprintf(key_text, sizeof key_text, "k%s", fields[1]);
        snprintf(group_text, sizeof group_text, "f%s", fields[0]);
        records_add_text(&made.rows, key_text, group_text, 1);
    }
    check(&(ink_reading){.blanks = true, .key = key, .key_count = 1, .by = "1"});
}

/* ---- CSV and TSV -------------------------------------------------------------------------- */

/* Writes a field of CSV, in quotes where it must be, and sometimes where it need not. */
static void put_csv(records_bytes *text, const char *field, char delimiter)
{
    bool must = strpbrk(field, "\"\r\n") != NULL || strchr(field, delimiter) != NULL;

    if (!must && records_below(&chance, 3) > 0) {
        records_say(text, "%s", field);
        return;
    }
    records_say(text, "\"");
    for (; *field != '\0'; field++)
        records_say(text, *field == '"' ? "\"\"" : "%c", *field);
    records_say(text, "\"");
}

static void write_csv(records_bytes *text, records_rows *rows, char delimiter,
                      const char *characters)
{
    char fields[3][TEXT_BYTES];

    for (int i = 0; i < ROWS; i++) {
        for (int f = 0; f < 3; f++) {
            some_text(fields[f], f == 2 ? 3 : 12, f == 2 ? "ab\"," : characters);
            put_csv(text, fields[f], delimiter);
            records_say(text, f < 2 ? "%c" : i % 5 == 0 ? "\r\n" : "\n", delimiter);
        }
        records_add_text(rows, fields[1], fields[2], 1);
    }
}

TEST(csv_fields_may_stand_in_quotes)
{
    static const char *const names[] = {"the \"key\""};

    made.rows = (records_rows){.grouped = true};
    records_say(&made.text, "first,\"the \"\"key\"\"\",\"gr,oup\"\r\n");
    write_csv(&made.text, &made.rows, ',', "ab\",; ");
    check_as("records.csv",
             &(ink_reading){.header = true, .key = names, .key_count = 1, .by = "gr,oup"});
}

TEST(csv_fields_may_hold_line_ends_where_asked)
{
    static const char *const second[] = {"2"};

    made.rows = (records_rows){.grouped = true};
    write_csv(&made.text, &made.rows, ';', "ab\";\n\r");
    check(&(ink_reading){.form = INK_FORM_CSV,
                         .delimiter = ';',
                         .multiline = true,
                         .key = second,
                         .key_count = 1,
                         .by = "3"});
}

TEST(tsv_has_tabs_and_names_and_no_quotes)
{
    static const char *const names[] = {"tconst"};
    char                     key[TEXT_BYTES];

    made.rows = (records_rows){.grouped = true, .weighted = true};
    records_say(&made.text, "averageRating\tnumVotes\ttconst\n");
    for (int i = 0; i < ROWS; i++) {
        some_text(key, 9, "t\"1,2");
        records_say(&made.text, "%d.%d\t%d\t%s\n", i % 10, i % 7, i, key);
        char group[16];
        snprintf(group, sizeof group, "%d.%d", i % 10, i % 7);
        records_add_text(&made.rows, key, group, (uint64_t)i);
    }
    check_as("ratings.tsv", &(ink_reading){.header = true,
                                           .key = names,
                                           .key_count = 1,
                                           .by = "averageRating",
                                           .weight = "numVotes"});
}

/* ---- Rounding, tuples, integers ----------------------------------------------------------- */

TEST(groups_may_be_rounded_to_whole_numbers)
{
    static const char *const second[] = {"2"};
    static const struct {
        const char *text, *rounded[3];
    } numbers[] = {
        {"7.5", {"8", "8", "8"}},      {"8.5", {"8", "9", "9"}},       {"-0.5", {"0", "0", "-1"}},
        {"-1.5", {"-2", "-1", "-2"}},  {"2.4999", {"2", "2", "2"}},    {"2.50001", {"3", "3", "3"}},
        {"7", {"7", "7", "7"}},        {"+7.0", {"7", "7", "7"}},      {".5", {"0", "1", "1"}},
        {"-7.51", {"-8", "-8", "-8"}}, {"007", {"7", "7", "7"}},       {"0.", {"0", "0", "0"}},
        {"1e-05", {"0", "0", "0"}},    {"-25E-1", {"-2", "-2", "-3"}}, {"0.65e+1", {"6", "7", "7"}},
    };
    static const ink_round rounds[] = {INK_ROUND_HALF_EVEN, INK_ROUND_HALF_UP, INK_ROUND_HALF_AWAY};

    for (size_t round = 0; round < sizeof rounds / sizeof rounds[0]; round++) {
        made.rows = (records_rows){.grouped = true};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            records_say(&made.text, "%s,%zu\n", numbers[i].text, i);
            char key[16];
            snprintf(key, sizeof key, "%zu", i);
            records_add_text(&made.rows, key, numbers[i].rounded[round], 1);
        }
        check(&(ink_reading){.form = INK_FORM_CSV,
                             .key = second,
                             .key_count = 1,
                             .by = "1",
                             .round = rounds[round]});
    }
}

static void put_length(records_bytes *to, size_t length)
{
    const uint8_t bytes[4] = {(uint8_t)length, (uint8_t)(length >> 8), 0, 0};

    records_put(to, bytes, 4);
}

TEST(several_columns_make_a_tuple)
{
    static const char *const both[] = {"3", "1"};
    char                     fields[3][TEXT_BYTES];

    for (int i = 0; i < ROWS; i++) {
        owned_bytes tuple = {0};
        for (int f = 0; f < 3; f++) {
            some_text(fields[f], f == 2 ? 3 : 300 % TEXT_BYTES, "ab\"");
            put_csv(&made.text, fields[f], ',');
            records_say(&made.text, f < 2 ? "," : "\n");
        }
        put_length(&tuple, strlen(fields[2]));
        records_put(&tuple, fields[2], strlen(fields[2]));
        put_length(&tuple, strlen(fields[0]));
        records_put(&tuple, fields[0], strlen(fields[0]));
        records_add(&made.rows, tuple.bytes, tuple.count, NULL, 0, 1);
    }
    check(&(ink_reading){.form = INK_FORM_CSV, .key = both, .key_count = 2});
}

TEST(integers_may_be_text_or_of_fixed_width)
{
    const int64_t numbers[] = {0, 1, -1, 4294967295, INT64_MIN, INT64_MAX, -5, 77, 77};
    owned_bytes   lines = {0}, words = {0}, halves = {0};
    owned_rows    rows = {.ints = true}, more = {.ints = true}, small = {.ints = true};

    for (int i = 0; i < ROWS; i++) {
        int64_t  number = numbers[i % 9] / (1 + i / 9 % 7);
        uint64_t bits = (uint64_t)number;
        records_say(&lines, i % 4 == 0 && number >= 0 ? "+%lld\n" : "%lld\n", (long long)number);
        for (int byte = 0; byte < 8; byte++)
            records_put(&words, (uint8_t[]){(uint8_t)(bits >> 8 * byte)}, 1);
        for (int byte = 0; byte < 4; byte++)
            records_put(&halves, (uint8_t[]){(uint8_t)(bits >> 8 * byte)}, 1);
        records_add_int(&rows, number, NULL, 1);
        records_add_int(&more, number, NULL, 1);
        records_add_int(&small, (int64_t)(bits & 0xffffffffu), NULL, 1);
    }
    records_say(&lines, "18446744073709551615"); /* shares its bits with -1 */
    records_add_int(&rows, -1, NULL, 1);
    check_path(&lines, "records", &(ink_reading){.keys = INK_KEYS_INT}, &rows);
    check_path(&words, "records", &(ink_reading){.form = INK_FORM_U64}, &more);
    check_path(&halves, "records", &(ink_reading){.form = INK_FORM_U32, .keys = INK_KEYS_INT},
               &small);
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* Writes a string of JSON; some characters escaped that need not be. */
static void put_json(records_bytes *text, const char *string)
{
    records_say(text, "\"");
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\')
            records_say(text, "\\%c", *string);
        else if (*string == '\n')
            records_say(text, "\\n");
        else if (records_below(&chance, 6) == 0)
            records_say(text, "\\u%04x", (unsigned)(uint8_t)*string);
        else
            records_say(text, "%c", *string);
    }
    records_say(text, "\"");
}

TEST(json_has_paths_escapes_and_nulls)
{
    static const char *const paths[] = {"user.names[1]"};
    char                     key[TEXT_BYTES], group[TEXT_BYTES];

    made.rows = (records_rows){.grouped = true, .weighted = true};
    for (int i = 0; i < ROWS; i++) {
        some_text(key, 9, "ab\"\\\n");
        some_text(group, 3, "gh\"");
        records_say(&made.text,
                    "{\"other\": {\"group\": [1, \"x\", {}]}, \"user\" :{\"names\":[null, ");
        put_json(&made.text, key);
        records_say(&made.text, ", 3], \"\\u0067roup\":");
        if (i % 4 == 0)
            records_say(&made.text, "null");
        else if (i % 4 == 1)
            records_say(&made.text, "%d", i % 5);
        else
            put_json(&made.text, group);
        records_say(&made.text, "}, \"n\":%d}%s\n", i, i % 2 ? " \r" : "");
        if (i % 4 == 1)
            snprintf(group, sizeof group, "%d", i % 5);
        records_add_text(&made.rows, key, i % 4 == 0 ? NULL : group, (uint64_t)i);
    }
    check_as("records.jsonl",
             &(ink_reading){.key = paths, .key_count = 1, .by = "user.group", .weight = "n"});
}

TEST(json_numbers_and_strings_may_be_integers)
{
    static const char *const paths[] = {"id"};

    made.rows = (records_rows){.ints = true};
    for (int i = 0; i < ROWS; i++) {
        records_say(&made.text, i % 2 ? "{\"id\":%d}\n" : "{\"id\":\"%d\"}\n", i % 90 - 45);
        records_add_int(&made.rows, i % 90 - 45, NULL, 1);
    }
    check(
        &(ink_reading){.form = INK_FORM_JSONL, .keys = INK_KEYS_INT, .key = paths, .key_count = 1});
}

/* ---- Headers, suffixes, the input spec --------------------------------------------------------
 */

TEST(headers_of_several_inputs_are_skipped_and_must_agree)
{
    static const char *const names[] = {"k"};
    const ink_reading        reading = {.header = true, .key = names, .key_count = 1, .by = "g"};
    const ink_input          same[] = {{.path = "a.csv"}, {.path = "b.csv"}, {.path = "a.csv"}};
    const ink_input          other[] = {{.path = "a.csv"}, {.path = "c.csv"}};
    const ink_input          missing[] = {{.path = "a.csv"}, {.path = "d.csv"}};
    owned_rows               rows = {.grouped = true};
    ink_set                 *set;

    records_write("a.csv", "k,g\n1,x\n2,y\n", 12);
    records_write("b.csv", "k,g\n3,x\n", 8);
    records_write("c.csv", "g,k\nx,3\n", 8);
    records_write("d.csv", "q,g\n3,x\n", 8);
    records_add_text(&rows, "1", "x", 1);
    records_add_text(&rows, "2", "y", 1);
    records_add_text(&rows, "3", "x", 1);
    records_add_text(&rows, "1", "x", 1);
    records_add_text(&rows, "2", "y", 1);
    records_digest expected = records_digest_by_hand(&rows, &options);
    for (unsigned threads = 1; threads <= 3; threads++) {
        ink_job job = {.threads = threads, .chunk_bytes = 1};
        CHECK_OK(ink_build(&set, same, 3, &reading, &options, &job, &error));
        records_digest got = records_digest_of_set(set);
        CHECK(records_same(&got, &expected));
        ink_set_free(set);
        CHECK_FAILS(ink_build(&set, other, 2, &reading, &options, &job, &error), INK_MISMATCH,
                    "header");
        CHECK(job.failed_path == other[1].path);
        CHECK_FAILS(ink_build(&set, missing, 2, &reading, &options, &job, &error), INK_USAGE,
                    "\"k\"");
        CHECK(job.failed_path == missing[1].path);
    }
    UNLINK("a.csv", "b.csv", "c.csv", "d.csv");
}

/* Parts of a file whose header others have seen: in the first it stands, in the second not. */
TEST(a_header_that_is_known_names_the_columns_of_any_part)
{
    static const char *const names[] = {"k"};
    static const char        first[] = "k,g\n1,x\n2,y\n", second[] = "3,x\n1,x\n";
    const ink_reading        reading = {
               .form = INK_FORM_CSV, .header = true, .key = names, .key_count = 1, .by = "g"};
    const ink_input parts[] = {
        {.memory = (const uint8_t *)first, .memory_bytes = sizeof first - 1, .header = "k,g"},
        {.memory = (const uint8_t *)second,
         .memory_bytes = sizeof second - 1,
         .header = "\xef\xbb\xbfk,g",
         .header_apart = true},
    };
    ink_input  unknown = parts[1], other = parts[1];
    owned_rows rows = {.grouped = true};
    ink_set   *set;

    records_add_text(&rows, "1", "x", 1);
    records_add_text(&rows, "2", "y", 1);
    records_add_text(&rows, "3", "x", 1);
    records_add_text(&rows, "1", "x", 1);
    records_digest expected = records_digest_by_hand(&rows, &options);
    for (unsigned threads = 1; threads <= 2; threads++) {
        ink_job job = {.threads = threads, .chunk_bytes = threads == 1 ? 0 : 1};
        CHECK_OK(ink_build(&set, parts, 2, &reading, &options, &job, &error));
        assert_int_equal(job.records, 4);
        records_digest got = records_digest_of_set(set);
        CHECK(records_same(&got, &expected));
        ink_set_free(set);
    }
    ink_job job = {.threads = 1};
    unknown.header = NULL;
    CHECK_FAILS(ink_build(&set, &unknown, 1, &reading, &options, &job, &error), INK_USAGE,
                "without a header");
    other.header = "k,h";
    CHECK_FAILS(ink_build(&set, &other, 1, &reading, &options, &job, &error), INK_USAGE, "\"g\"");
}

TEST(a_bad_record_is_found_by_its_byte)
{
    static const char *const second[] = {"2"};
    static const char        text[] = "a,1\nbb,2\n\"c,\"\nd,4\n";
    const ink_reading        reading = {.form = INK_FORM_CSV, .key = second, .key_count = 1};
    const ink_input          input = {
                 .path = "text", .memory = (const uint8_t *)text, .memory_bytes = sizeof text - 1};
    ink_set *set;

    for (uint64_t chunk = 1; chunk < sizeof text; chunk++) {
        ink_job job = {.threads = 2, .chunk_bytes = chunk};
        CHECK_FAILS(ink_build(&set, &input, 1, &reading, &options, &job, &error), INK_FORMAT,
                    "1 column");
        assert_int_equal(error.at, 3);
        assert_int_equal(job.failed_byte, 9);
    }
}

TEST(the_input_spec_says_how_records_were_read)
{
    static const char *const names[] = {"k", "m"};
    const char              *text = "k;m;g;w\n1;2;3.5;4\n";
    const ink_reading        reading = {.header = true,
                                        .delimiter = ';',
                                        .multiline = true,
                                        .key = names,
                                        .key_count = 2,
                                        .by = "g",
                                        .round = INK_ROUND_HALF_UP,
                                        .weight = "w"};
    const ink_input          input = {
                 .path = "x.csv", .memory = (const uint8_t *)text, .memory_bytes = strlen(text)};
    ink_job         job = {.threads = 1};
    ink_set        *set;
    ink_input_spec *input_spec;
    ink_reading     found;

    CHECK_OK(ink_build(&set, &input, 1, &reading, &options, &job, &error));
    records_file file = records_encode(set);
    CHECK_OK(ink_input_spec_read(&input_spec, file.file, &found, &error));
    assert_non_null(input_spec);
    records_file_close(&file);
    ink_set_free(set); /* the input spec depends on nothing */
    assert_int_equal(found.form, INK_FORM_CSV);
    assert_int_equal(found.delimiter, ';');
    CHECK(found.header && found.multiline && !found.blanks && !found.skip_bad);
    assert_int_equal(found.key_count, 2);
    assert_string_equal(found.key[0], "k");
    assert_string_equal(found.key[1], "m");
    assert_string_equal(found.by, "g");
    assert_int_equal(found.round, INK_ROUND_HALF_UP);
    assert_string_equal(found.weight, "w");
    ink_input_spec_free(input_spec);
}

TEST(a_file_without_a_input_spec_gives_none)
{
    owned_rows      rows = {0};
    ink_input_spec *input_spec = (ink_input_spec *)(void *)&rows;
    ink_reading     found;

    records_add_text(&rows, "a", NULL, 1);
    owned_file file = records_by_hand(&rows, &options);
    CHECK_OK(ink_input_spec_read(&input_spec, file.file, &found, &error));
    assert_null(input_spec);
    CHECK(found.key == NULL && found.by == NULL && found.form == INK_FORM_DEFAULT);
    ink_input_spec_free(input_spec);
}

/* ---- What cannot be read ------------------------------------------------------------------ */

TEST(what_a_form_cannot_have_is_refused)
{
#define CSV .form = INK_FORM_CSV
#define KEY_K                                                                                      \
    {                                                                                              \
        .form = INK_FORM_JSONL, .key = name, .key_count = 1                                        \
    }
    static const char *const one[] = {"1"}, *const two[] = {"1", "2"}, *const name[] = {"k"};
    static const struct {
        ink_reading reading;
        const char *text;
        ink_status  status;
        const char *words;
        uint64_t    line; /* 0: it is about none */
    } cases[] = {
        {{.form = INK_FORM_U64, .key = one, .key_count = 1}, "12345678", INK_USAGE, "u64", 0},
        {{.form = INK_FORM_U32, .keys = INK_KEYS_BYTES}, "1234", INK_USAGE, "u32", 0},
        {{.form = INK_FORM_U32}, "123456", INK_FORMAT, "2 bytes", 2},
        {{.form = INK_FORM_TSV, .delimiter = ','}, "a\n", INK_USAGE, "delimiter", 0},
        {{.form = INK_FORM_JSONL, .header = true}, "{}\n", INK_USAGE, "header", 0},
        {{.multiline = true}, "a\n", INK_USAGE, "csv", 0},
        {{CSV, .key = name, .key_count = 1}, "a\n", INK_USAGE, "header", 0},
        {{CSV, .key = two, .key_count = 2, .keys = INK_KEYS_INT}, "1,2\n", INK_USAGE, "tuple", 0},
        {{CSV, .key = two, .key_count = 2},
         "1,2\n3\n",
         INK_FORMAT,
         "1 column, expected at least 2",
         2},
        {{CSV, .key = one, .key_count = 1}, "a\nb\n\"c\n", INK_FORMAT, "quote", 3},
        {{CSV, .by = "1", .round = INK_ROUND_HALF_UP}, "1.5\nx\n", INK_FORMAT, "\"x\"", 2},
        {{.form = INK_FORM_TSV, .weight = "1"}, "1\n-1\n", INK_FORMAT, "weight", 2},
        {KEY_K, "{\"k\":1}\n{\"q\":1}\n", INK_FORMAT, "without k", 2},
        {KEY_K, "{\"k\":null}\n", INK_FORMAT, "key", 1},
        {KEY_K, "{\"k\":[]}", INK_FORMAT, "array", 1},
        {KEY_K, "{\"k\"", INK_FORMAT, "", 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ink_input input = {.path = "name",
                                 .memory = (const uint8_t *)cases[i].text,
                                 .memory_bytes = strlen(cases[i].text)};
        ink_job         job = {.threads = 2};
        ink_set        *set;
        CHECK_FAILS(ink_build(&set, &input, 1, &cases[i].reading, &options, &job, &error),
                    cases[i].status, cases[i].words);
        if (cases[i].line == 0)
            continue;
        assert_int_equal(error.location, INK_AT_LINE);
        assert_int_equal(error.at, cases[i].line);
        CHECK(job.failed_path == input.path);
    }
}

RUN_TESTS()
