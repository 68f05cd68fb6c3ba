/* rows_test.c - records become keys, groups, weights and times as the rule says, and a record that
 * cannot be read is reported by its location, or skipped and counted. */
#define _DEFAULT_SOURCE 1
#include "input/rows.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"

#include <inttypes.h>
#include <stdio.h>

static ink_error error;

static ink__chunk chunk_of(const char *text)
{
    return (ink__chunk){.bytes = (const uint8_t *)text, .count = strlen(text)};
}

/* A rule for lines with fields: "k1g0w2t3" are the columns, from 0, of key, group, weight and time;
 * several k make a tuple; "" is for whole lines. */
static ink__row_rule rule_of(ink__field_form form, char delimiter, const char *columns)
{
    ink__row_rule rule = {.records = {.end = '\n'}, .form = form, .delimiter = (uint8_t)delimiter};

    for (; *columns != '\0'; columns += 2) {
        char      what = columns[0];
        uint32_t *to = what == 'k'   ? &rule.columns.key[rule.key_column_count++]
                       : what == 'g' ? &rule.columns.group
                       : what == 'w' ? &rule.columns.weight
                                     : &rule.columns.time;
        *to = (uint32_t)(columns[1] - '0');
        rule.has_group |= what == 'g';
        rule.has_weight |= what == 'w';
        rule.has_time |= what == 't';
    }
    return rule;
}

/* A reader of one chunk. */
static ink__row_reader *reader;
static ink__rows        rows;

static void open_reader(const ink__row_rule *rule, const ink__chunk *chunk)
{
    CHECK_OK(ink__row_reader_create(&reader, rule, NULL, &error));
    ink__row_reader_start(reader, chunk);
}

static void next(void)
{
    CHECK_OK(ink__row_reader_next(reader, &rows, &error));
}

/* A record of a text cannot be read, at this byte. */
static void check_bad(const ink__row_rule *rule, const char *text, uint64_t at, const char *words)
{
    ink__chunk chunk = chunk_of(text);

    open_reader(rule, &chunk);
    CHECK_FAILS(ink__row_reader_next(reader, &rows, &error), INK_FORMAT, words);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, at);
    ink__row_reader_free(reader);
}

/* Writes bytes as text, with the codes of those that are none. */
static void say(records_bytes *to, const uint8_t *bytes, uint64_t start, uint64_t end)
{
    for (uint64_t at = start; at < end; at++)
        records_say(to, bytes[at] < ' ' ? "<%u>" : "%c", bytes[at]);
}

#define MARK "\xef\xbb\xbf" /* of UTF-8 */

/* What a rule does not ask for is NULL, and the rest is not. */
static void check_what_there_is(const ink__row_rule *rule)
{
    bool ints = rule->key_type == INK_KEY_INT;

    CHECK((rows.key_ints != NULL) == ints && (rows.key_starts == NULL) == ints);
    CHECK((rows.key_ends == NULL) == ints && (rows.key_bytes == NULL) == ints);
    CHECK((rows.group_bytes != NULL) == rule->has_group);
    CHECK((rows.group_starts != NULL) == rule->has_group);
    CHECK((rows.group_ends != NULL) == rule->has_group);
    CHECK((rows.weights != NULL) == rule->has_weight);
    CHECK((rows.times != NULL) == rule->has_time);
    CHECK(rows.record_bytes != NULL && rows.record_starts != NULL && rows.record_ends != NULL);
}

/* All rows of a chunk, one a line: key|group|weight|time, what the rule does not ask for left out.
 */
static const char *rows_of_chunk(const ink__row_rule *rule, ink__chunk chunk)
{
    static records_bytes said;

    said.count = 0;
    open_reader(rule, &chunk);
    for (next(); rows.count > 0; next())
        for (size_t i = 0; i < rows.count; i++) {
            check_what_there_is(rule);
            if (rule->key_type == INK_KEY_INT)
                records_say(&said, "%" PRId64, rows.key_ints[i]);
            else
                say(&said, rows.key_bytes, rows.key_starts[i], rows.key_ends[i]);
            if (rule->has_group)
                records_say(&said, rows.group_starts[i] == INK__GROUP_NULL ? "|(null)" : "|");
            if (rule->has_group && rows.group_starts[i] != INK__GROUP_NULL)
                say(&said, rows.group_bytes, rows.group_starts[i], rows.group_ends[i]);
            if (rule->has_weight)
                records_say(&said, "|%" PRIu64, rows.weights[i]);
            if (rule->has_time)
                records_say(&said, "|%" PRId64, rows.times[i]);
            records_say(&said, "\n");
        }
    ink__row_reader_free(reader);
    records_put(&said, "", 1);
    return (const char *)said.bytes;
}

static const char *rows_of(const ink__row_rule *rule, const char *text)
{
    return rows_of_chunk(rule, chunk_of(text));
}

TEST(a_line_is_its_key)
{
    const ink__row_rule rule = {.records = {.end = '\n'}},
                        headed = {.records = {.end = '\n'}, .header = true};

    assert_string_equal(rows_of(&rule, "a\nb c\n\nlast"), "a\nb c\n\nlast\n");
    assert_string_equal(rows_of(&rule, "a\r\nb\r\nc\r"), "a\nb\nc\n");
    assert_string_equal(rows_of(&rule, ""), "");
    assert_string_equal(rows_of(&headed, "name\na\nb\n"), "a\nb\n");
    assert_string_equal(rows_of(&headed, "name"), "");
}

TEST(records_may_end_with_nul)
{
    static const char   text[] = "a\nb\0c\r\0d\r";
    const ink__row_rule rule = {.records = {.end = 0}};
    const ink__chunk    chunk = {.bytes = (const uint8_t *)text, .count = sizeof text - 1};

    open_reader(&rule, &chunk);
    next();
    assert_int_equal(rows.count, 2);
    CHECK(rows.key_starts[1] == 4 && rows.key_ends[1] == 6); /* with its carriage return */
    next();
    CHECK(rows.count == 1 && rows.key_ends[0] - rows.key_starts[0] == 2); /* without an end, too */
    next();
    assert_int_equal(rows.count, 0);
    ink__row_reader_free(reader);
}

TEST(columns_are_key_group_and_weight)
{
    ink__row_rule rule = rule_of(INK__FIELDS_DELIMITED, '\t', "k0g1w2");
    const char   *text = "tconst\taverageRating\tnumVotes\ntt1\t7.5\t12\ntt2\t8.5\t3\textra\n";

    rule.header = true;
    assert_string_equal(rows_of(&rule, text), "tt1|7.5|12\ntt2|8.5|3\n");
    rule.rounded = true;
    assert_string_equal(rows_of(&rule, text), "tt1|8|12\ntt2|8|3\n");
    rule.rounding = INK__ROUND_HALF_UP;
    assert_string_equal(rows_of(&rule, text), "tt1|8|12\ntt2|9|3\n");
    rule.columns.key[0] = 2; /* one column for two purposes */
    rule.key_type = INK_KEY_INT;
    assert_string_equal(rows_of(&rule, text), "12|8|12\n3|9|3\n");
}

TEST(fields_become_tuples_and_lose_their_quotes_and_blanks)
{
    static const struct {
        ink__field_form form;
        char            delimiter;
        const char     *columns, *text, *rows;
    } read[] = {
        {INK__FIELDS_DELIMITED, ',', "k2k0", "a,x,bc\nab,x,c\n,,\n",
         "<2><0><0><0>bc<1><0><0><0>a\n<1><0><0><0>c<2><0><0><0>ab\n<0><0><0><0><0><0><0><0>\n"},
        {INK__FIELDS_CSV, ',', "k1g0", "\"g\"\"1\",\"a,b\"\ng2,\"say \"\"hi\"\"\"\n,c\r\n",
         "a,b|g\"1\nsay \"hi\"|g2\nc|\n"},
        {INK__FIELDS_BLANKS, 0, "k1", "a  b c\n\t x\ty \n", "b\ny\n"},
    };

    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        ink__row_rule rule = rule_of(read[i].form, read[i].delimiter, read[i].columns);
        assert_string_equal(rows_of(&rule, read[i].text), read[i].rows);
    }
}

TEST(a_record_that_cannot_be_read_is_reported_by_its_location)
{
    static const struct {
        ink__field_form form;
        const char     *columns, *text;
        uint64_t        at;
        const char     *words;
        size_t          others; /* records that can be read */
    } wrong[] = {
        {INK__FIELDS_DELIMITED, "k2", "a,b,c\nd,e\n", 6, "2 columns, expected at least 3", 1},
        {INK__FIELDS_DELIMITED, "k1k3", "a,b,c,d\ne\n", 8, "1 column, expected at least 4", 1},
        {INK__FIELDS_BLANKS, "k0", "a\n \n", 2, "0 columns, expected at least 1", 1},
        {INK__FIELDS_DELIMITED, "", "1\n2\n3x\n", 4, "\"3x\", expected an integer key", 2},
        {INK__FIELDS_DELIMITED, "w1", "a,1\nb,-2\n", 6, "\"-2\", expected a weight", 1},
        {INK__FIELDS_DELIMITED, "g1", "a,1\nb,x\n", 6, "\"x\", expected a number to round", 1},
        {INK__FIELDS_CSV, "k1", "a,b\nc,\"d\n", 6, "a quote that is not closed", 1},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink__row_rule rule = rule_of(wrong[i].form, ',', wrong[i].columns);
        ink__chunk    chunk = chunk_of(wrong[i].text);
        rule.rounded = rule.has_group;
        rule.key_type = wrong[i].columns[0] == 0 ? INK_KEY_INT : INK_KEY_BYTES;
        check_bad(&rule, wrong[i].text, wrong[i].at, wrong[i].words);
        rule.skip_bad = true;
        open_reader(&rule, &chunk);
        next();
        CHECK(reader->bad == 1 && rows.count == wrong[i].others);
        ink__row_reader_free(reader);
    }
}

TEST(rows_come_in_parts_and_all_of_them)
{
    ink__row_rule rule = rule_of(INK__FIELDS_DELIMITED, ' ', "k1");
    enum { LINES = 5000 };
    static char text[LINES * 16];
    size_t      used = 0, read = 0;

    rule.skip_bad = true;
    for (int i = 0; i < LINES; i++) /* three thousand bad ones in a row among them */
        used += (size_t)sprintf(text + used, i >= 1500 && i < 4500 ? "bad\n" : "x %d\n", i);
    ink__chunk chunk = chunk_of(text);
    open_reader(&rule, &chunk);
    for (next(); rows.count > 0; next())
        for (size_t i = 0; i < rows.count; i++, read++) {
            char key[16];
            snprintf(key, sizeof key, "%zu", read < 1500 ? read : read + 3000);
            assert_int_equal(rows.key_ends[i] - rows.key_starts[i], strlen(key));
            assert_memory_equal(rows.key_bytes + rows.key_starts[i], key, strlen(key));
            assert_int_equal(rows.record_bytes[rows.record_ends[i]], '\n');
            CHECK(rows.record_ends[i] < rows.record_limit);
            CHECK((const char *)rows.record_bytes + rows.record_limit == text + used);
            uint64_t location = ink__row_location(reader, &rows, i);
            CHECK(text + location == (const char *)rows.record_bytes + rows.record_starts[i]);
        }
    assert_int_equal(read, 2000);
    assert_int_equal(reader->bad, 3000);
    ink__row_reader_free(reader);
}

TEST(no_more_records_are_read_than_are_allowed)
{
    static const uint64_t most[] = {0, 1, 511, 512, 513, 700, 1000, 2000};
    enum { LINES = 1000 };
    static char         text[2 * LINES + 1];
    const ink__row_rule rule = {.records = {.end = '\n'}};

    for (int i = 0; i < LINES; i++)
        memcpy(text + 2 * i, "x\n", 3);
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        ink__chunk chunk = chunk_of(text);
        uint64_t   read = 0;
        open_reader(&rule, &chunk);
        reader->allowed = most[i];
        for (next(); rows.count > 0; next())
            read += rows.count;
        assert_int_equal(read, most[i] < LINES ? most[i] : LINES);
        ink__row_reader_free(reader);
    }
}

static void check_header_bytes(const ink__row_rule *rule, const ink__chunk *chunk,
                               uint64_t expected)
{
    open_reader(rule, chunk);
    assert_int_equal(reader->header_bytes, expected);
    ink__row_reader_free(reader);
}

TEST(only_the_start_of_an_input_has_a_header)
{
    ink__row_rule rule = rule_of(INK__FIELDS_DELIMITED, 0, "");
    ink__row_rule multiline = rule_of(INK__FIELDS_CSV, ',', "k0");
    ink__chunk    later = chunk_of("a\nb\n");

    rule.header = multiline.header = true;
    multiline.records.form = INK__RECORDS_QUOTED;
    assert_string_equal(rows_of_chunk(&rule, later), "b\n");
    check_header_bytes(&rule, &later, 2);
    later.offset = 9;
    check_header_bytes(&rule, &later, 0);
    assert_string_equal(rows_of_chunk(&rule, later), "a\nb\n");
    assert_string_equal(rows_of(&multiline, "\"na\nme\",x\na,1\n\"b\nc\",2\n"), "a\nb<10>c\n");
    check_header_bytes(&rule, &(ink__chunk){.bytes = (const uint8_t *)MARK "a\nb\n", .count = 7},
                       5);
}

TEST(line_ends_in_quotes_are_part_of_a_field)
{
    ink__row_rule rule = rule_of(INK__FIELDS_CSV, ',', "k1w0");
    ink__row_rule lines = rule;

    rule.records.form = INK__RECORDS_QUOTED;
    assert_string_equal(rows_of(&rule, "1,\"a\r\n\"\"b\"\"\n\"\r\n2,c\n3,\"d\n\""),
                        "a<13><10>\"b\"<10>|1\nc|2\nd<10>|3\n");
    lines.skip_bad = true;
    assert_string_equal(rows_of(&lines, "1,\"a\nb\"\n2,c\n"), "c|2\n");
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* A rule for JSON with these paths: the first ones are the key, then group and weight. */
static ink__row_rule json_rule(size_t keys, const char *const *texts, bool group, bool weight)
{
    ink__row_rule rule = {.records = {.end = '\n'}, .json = true, .key_column_count = keys};
    uint32_t      count = (uint32_t)keys;

    for (uint32_t i = 0; i < keys; i++)
        rule.columns.key[i] = i;
    rule.has_group = group;
    rule.columns.group = group ? count++ : 0;
    rule.has_weight = weight;
    rule.columns.weight = weight ? count++ : 0;
    rule.path_count = count;
    for (uint32_t i = 0; i < count; i++) {
        rule.path_texts[i] = texts[i];
        CHECK_OK(ink__json_path_create(&rule.paths[i], texts[i], &error));
    }
    return rule;
}

TEST(a_byte_order_mark_at_the_start_of_an_input_is_no_part_of_its_key)
{
    static const char *const texts[] = {"k"};
    ink__row_rule            lines = rule_of(INK__FIELDS_DELIMITED, 0, "");
    ink__row_rule            csv = rule_of(INK__FIELDS_CSV, ',', "k0");
    ink__row_rule            json = json_rule(1, texts, false, false);
    ink__chunk               later = chunk_of(MARK "a\n" MARK "b\n");

    assert_string_equal(rows_of_chunk(&lines, later), "a\n" MARK "b\n");
    later.headless = true;
    assert_string_equal(rows_of_chunk(&lines, later), MARK "a\n" MARK "b\n");
    later.headless = false;
    later.offset = 9;
    assert_string_equal(rows_of_chunk(&lines, later), MARK "a\n" MARK "b\n");
    assert_string_equal(rows_of(&lines, MARK), "");
    assert_string_equal(rows_of(&csv, MARK "\"a,b\",c\n"), "a,b\n");
    assert_string_equal(rows_of(&json, MARK "{\"k\":\"a\"}\n"), "a\n");
    lines.records.end = 0;
    assert_string_equal(rows_of(&lines, MARK "a"), MARK "a\n");
}

TEST(json_members_are_key_group_and_weight)
{
    static const char *const texts[] = {"user.id", "tags[0]", "n"};
    static const char *const swapped[] = {"n", "user.id"};
    ink__row_rule            rule = json_rule(1, texts, true, true);
    static const char        text[] =
        "{\"n\":3,\"user\":{\"id\":\"b\\u00e9\\n\"},\"tags\":[\"x\\ty\",1]}\r\n"
        " {\"tags\":[7.5], \"user\":{\"id\":42}, \"n\":\"4\"} \n"
        "{\"tags\":[null],\"user\":{\"id\":true},\"n\":0}";

    assert_string_equal(rows_of(&rule, text), "b\xc3\xa9<10>|x<9>y|3\n42|7.5|4\ntrue|(null)|0\n");
    rule = json_rule(2, swapped, false, false); /* the whole, and a tuple of a number and text */
    assert_string_equal(rows_of(&rule, "{\"n\":12,\"user\":{\"id\":\"a\\\"\"}}"),
                        "<2><0><0><0>12<2><0><0><0>a\"\n");
    rule = json_rule(1, swapped, false, false);
    rule.key_type = INK_KEY_INT;
    assert_string_equal(rows_of(&rule, "{\"n\":-12}\n{\"n\":\"7\"}\n"), "-12\n7\n");
    rule = json_rule(1, texts, true, false);
    rule.rounded = true;
    assert_string_equal(rows_of(&rule, "{\"user\":{\"id\":1},\"tags\":[2.5]}\n"), "1|2\n");
}

TEST(bytes_in_hex_are_found_beside_their_name)
{
    static const char *const texts[] = {"key", "group", "n"};
    static const char *const tuple[] = {"key[0]", "[\"key\"][1]"};
    ink__row_rule            rule = json_rule(1, texts, true, true);

    assert_string_equal(rows_of(&rule,
                                "{\"key_hex\":\"E9c3a9\",\"group\":null,\"n\":1}\n"
                                "{\"key\":\"x\",\"key_hex\":\"?\",\"group_hex\":\"ff\",\"n\":2}\n"
                                "{\"key\":\"\",\"group_hex\":\"\",\"n\":3}\n"),
                        "\xe9\xc3\xa9|(null)|1\nx|\xff|2\n||3\n");
    check_bad(&rule, "{\"key\":1,\"group\":2,\"n_hex\":\"31\"}", 0, "a record without n");
    check_bad(&rule, "{\"key\":1,\"group_hex\":\"0g\",\"n\":1}", 22, "\"0g\", expected two hex");
    check_bad(&rule, "{\"key\":1,\"group_hex\":null,\"n\":1}", 21, "\"null\", expected two hex");
    check_bad(&rule, "{\"group\":1,\"x\":{\"key_hex\":\"\"},\"n\":1}", 0, "a record without key");
    rule.rounded = true;
    check_bad(&rule, "{\"key\":1,\"group_hex\":\"31\",\"n\":1}", 0, "a record without group");
    rule.rounded = false;
    rule.key_type = INK_KEY_INT;
    check_bad(&rule, "{\"key_hex\":\"31\",\"group\":1,\"n\":1}", 0, "a record without key");
    rule = json_rule(2, tuple, false, false);
    assert_string_equal(rows_of(&rule, "{\"key_hex\":[\"31\",\"ff\"]}\n"),
                        "<1><0><0><0>1<1><0><0><0>\xff\n");
}

TEST(json_that_cannot_be_read_is_reported_by_its_location)
{
    static const char *const texts[] = {"id", "by", "n"};
    static const struct {
        const char *text;
        uint64_t    at;
        const char *words;
    } wrong[] = {
        {"{\"id\":1,\"by\":2,\"n\":3}\n{\"id\":1,\"n\":3}\n", 22, "a record without by"},
        {"{\"id\":1,\"by\":2,\"n\":3}\n{\"id\":{},\"by\":2,\"n\":3}\n", 28,
         "an object or array at id, expected a string or a number"},
        {"{\"id\":1,\"by\":2,\"n\":3}\n{\"id\":null,\"by\":2,\"n\":3}\n", 28,
         "\"null\", expected a key"},
        {"{\"id\":1,\"by\":2,\"n\":3}\n{\"id\":2,\"by\":2,\"n\":null}\n", 41,
         "\"null\", expected a weight"},
        {"{\"id\":1,\"by\":2,\"n\":3}\n{\"id\":2,,\n", 30, "expected"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink__row_rule rule = json_rule(1, texts, true, true);
        check_bad(&rule, wrong[i].text, wrong[i].at, wrong[i].words);
        rule.skip_bad = true;
        assert_string_equal(rows_of(&rule, wrong[i].text), "1|2|3\n");
    }
}

/* ---- Times -------------------------------------------------------------------------------- */

/* Columns number 1 and 2, from 0, are the key and the time. */
static ink__row_rule time_rule(ink__field_form form, char delimiter)
{
    return rule_of(form, delimiter, "k1t2");
}

TEST(a_column_reports_when)
{
    ink__row_rule rule = time_rule(INK__FIELDS_DELIMITED, '\t');

    assert_string_equal(rows_of(&rule, "x\ta\t1970-01-01 00:00:01Z\tmore\r\nx\tb\t-2\nx\tc\t2.5"),
                        "a|1000000\nb|-2000000\nc|2500000\n");
    rule.time_unit = INK_TIME_NANOSECONDS;
    assert_string_equal(rows_of(&rule, "x\ta\t2999\nx\tb\t1970-01-01T00:00:01\n"),
                        "a|2\nb|1000000\n");
    rule = time_rule(INK__FIELDS_CSV, ',');
    rule.time_unit = INK_TIME_MILLISECONDS;
    assert_string_equal(rows_of(&rule, "x,a,\"7\"\nx,b,\"1970-01-01 00:00:01,5\"\nx,c,-1\n"),
                        "a|7000\nb|1500000\nc|-1000\n");
    rule.key_column_count = 0; /* the whole record, and one column for two purposes */
    rule.has_weight = true;
    rule.columns.weight = 2;
    assert_string_equal(rows_of(&rule, "x,a,7\n"), "x,a,7|7|7000\n");
}

TEST(between_blanks_a_time_goes_on_in_the_next_fields)
{
    static const char text[] = "- ann [01/Jan/1970:01:00:01 +0100] \"GET / HTTP/1.1\" 200\n"
                               "- bob 1970-01-01 00:00:02 GET\n"
                               "- cat 1970-01-01 01:00:03 +0100 GET\n"
                               "- dan 1970-01-01 GET\n"
                               "- eve 5 06:07\n"
                               "- fox [1970-01-01 00:00:06]\n"
                               "- gnu 1970-01-01T00:00:07Z";
    static const char read[] = "ann|1000000\nbob|2000000\ncat|3000000\ndan|0\neve|5000000\n"
                               "fox|6000000\ngnu|7000000\n";
    static const char wrong[] = "- ann [01/Jan/1970:00:00:01 +0100\n"
                                "- bob 1970-01-01x\n"
                                "- cat [01/Jan/1970:00:00:01]x\n"
                                "- dan 1,5 1\n"
                                "- eve 1970-01-01 00:00:02x\n"
                                "- fox 7\n";
    ink__row_rule     rule = time_rule(INK__FIELDS_BLANKS, 0);

    assert_string_equal(rows_of(&rule, text), read);
    assert_string_equal(rows_of(&rule, "-\tann\t1970-01-01\tGET\n"), "ann|0\n");
    rule.skip_bad = true;
    assert_string_equal(rows_of(&rule, wrong), "fox|7000000\n");
    rule = time_rule(INK__FIELDS_DELIMITED, ' ');
    assert_string_equal(rows_of(&rule, text), read);
    rule = time_rule(INK__FIELDS_DELIMITED, '|'); /* that separates no time, and a tab neither */
    rule.skip_bad = true;
    assert_string_equal(rows_of(&rule, "-|ann|1970-01-01 x\n-|bob|7\t\n-|cat|7\n"),
                        "cat|7000000\n");
}

TEST(json_times_are_strings_or_numbers)
{
    static const char *const texts[] = {"id", "at.when"};
    ink__row_rule            rule = json_rule(1, texts, true, false);
    static const char        text[] = "{\"id\":1,\"at\":{\"when\":\"1970-01-01T00:00:01Z\"}}\n"
                                      "{\"id\":2,\"at\":{\"when\":2.25}}\n"
                                      "{\"id\":3,\"at\":{\"when\":\"3\"}}\n"
                                      "{\"id\":4,\"at\":{\"when\":\"1970-01-01T01:00:04\\u002B01:00\"}}\n"
                                      "{\"id\":5,\"at\":{\"when\":\"[01\\/Jan\\/1970:00:00:05 +0000]\"}}\n"
                                      "{\"id\":6,\"at\":{\"when\":-6}}";

    rule.has_group = false; /* the second path is the time's */
    rule.has_time = true;
    rule.columns.time = 1;
    assert_string_equal(rows_of(&rule, text),
                        "1|1000000\n2|2250000\n3|3000000\n4|4000000\n5|5000000\n6|-6000000\n");
    rule.skip_bad = true;
    assert_string_equal(
        rows_of(&rule, "{\"id\":1,\"at\":{\"when\":null}}\n{\"id\":2,\"at\":{\"when\":true}}\n"
                       "{\"id\":3,\"at\":{\"when\":1e9}}\n{\"id\":4,\"at\":{}}\n"
                       "{\"id\":5,\"at\":{\"when\":[5]}}\n{\"id\":6,\"at\":{\"when\":\"\"}}\n"
                       "{\"id\":7,\"at\":{\"when\":7}}\n"),
        "7|7000000\n");
}

TEST(a_bad_time_is_reported_with_what_was_expected)
{
    static const char *const texts[] = {"id", "t"};
    ink__row_rule            tabs = time_rule(INK__FIELDS_DELIMITED, '\t');
    ink__row_rule            json = json_rule(1, texts, true, false);
    char                     escaped[600] = "{\"id\":1,\"t\":\"";

    check_bad(&tabs, "x\ta\t1\nx\ta\t2026-13-01\n", 10,
              "\"2026-13-01\", expected a month from 01 to 12");
    check_bad(&tabs, "x\ta\t\n", 4, "\"\", expected a time, as 2026-11-16T14:26:08Z or ");
    check_bad(&tabs, "x\ta\t1970-01-01 x\n", 4,
              "\"1970-01-01 x\", expected a time and nothing after it");
    check_bad(&tabs, "x\ta\t9223372036855\n", 4,
              "\"9223372036855\", expected a time whose microseconds since 1970 fit 64 bits");
    check_bad(&tabs, "x\ta\n", 0, "2 columns, expected at least 3");
    json.has_group = false;
    json.has_time = true;
    json.columns.time = 1;
    check_bad(&json, "{\"id\":1,\"t\":1}\n{\"id\":2,\"t\":null}\n", 27,
              "\"null\", expected a time");
    check_bad(&json, "{\"id\":2}\n", 0, "a record without t, expected a value there");
    for (int i = 0; i < 90; i++) /* a time in more escapes than are looked at */
        strcat(escaped, "\\u0030");
    strcat(escaped, "\"}\n");
    check_bad(&json, escaped, 13, "expected a time");
}

/* However many rows a chunk has: what is made of them does not add up. */
TEST(what_is_made_of_rows_begins_anew_with_those_that_are_cut_next)
{
    static const char *const texts[] = {"k", "g"};
    ink__row_rule rules[] = {json_rule(1, texts, true, false), json_rule(1, texts, true, false)};
    records_bytes text = {0};

    rules[1].rounded = true;
    for (int i = 0; i < 2000; i++)
        records_say(&text, "{\"k\":\"x\",\"g\":1}\n");
    for (size_t r = 0; r < 2; r++) {
        const ink__chunk chunk = {.bytes = text.bytes, .count = text.count};
        open_reader(&rules[r], &chunk);
        for (next(); rows.count > 0; next())
            CHECK(rows.key_starts[0] == 0 && rows.group_starts[0] == 0);
        ink__row_reader_free(reader);
    }
    records_bytes_free(&text);
}

/* Written with escapes, a time is copied before it is read. */
TEST(a_time_with_escapes_has_at_most_256_bytes)
{
    static const char *const texts[] = {"id", "t"};
    ink__row_rule            json = json_rule(1, texts, true, false);
    char                     zeros[256 - 6 - 1 + 1], text[300];

    json.has_group = false;
    json.has_time = true;
    json.columns.time = 1;
    memset(zeros, '0', sizeof zeros);
    zeros[sizeof zeros - 1] = '\0';
    snprintf(text, sizeof text, "{\"id\":1,\"t\":\"\\u0030%s7\"}\n", zeros);
    assert_string_equal(rows_of(&json, text), "1|7000000\n");
    snprintf(text, sizeof text, "{\"id\":1,\"t\":\"\\u0030%s07\"}\n", zeros);
    check_bad(&json, text, 13, "expected a time");
}

/* ---- Integers ----------------------------------------------------------------------------- */

TEST(records_of_fixed_width_are_integers)
{
    static const uint8_t bytes[] = {1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 2, 1, 0, 0x80};
    ink__row_rule        rule = {.records = {.form = INK__RECORDS_FIXED, .width = 4},
                                 .key_type = INK_KEY_INT};
    ink__chunk           chunk = {.bytes = bytes, .count = sizeof bytes};

    assert_string_equal(rows_of_chunk(&rule, chunk), "1\n4294967295\n2147483906\n");
    rule.records.width = 8;
    chunk.count = 8;
    assert_string_equal(rows_of_chunk(&rule, chunk), "-4294967295\n");
}

TEST(what_is_left_of_the_last_integer_is_reported_or_skipped)
{
    enum { INTS = INK__ROWS_MAX + 3 };
    static uint8_t   bytes[8 * INTS + 5];
    ink__row_rule    rule = {.records = {.form = INK__RECORDS_FIXED, .width = 8},
                             .key_type = INK_KEY_INT};
    const ink__chunk chunk = {.bytes = bytes, .count = sizeof bytes};

    for (unsigned i = 0; i < INTS; i++) {
        bytes[8 * i] = (uint8_t)i;
        bytes[8 * i + 1] = (uint8_t)(i >> 8);
    }
    for (int skips = 0; skips < 2; skips++) {
        uint64_t seen = 0;
        rule.skip_bad = skips == 1;
        open_reader(&rule, &chunk);
        while (seen < INTS) {
            next();
            CHECK(rows.count > 0);
            for (size_t i = 0; i < rows.count; i++, seen++) {
                assert_int_equal(rows.key_ints[i], seen);
                assert_int_equal(ink__row_location(reader, &rows, i), 8 * seen);
            }
        }
        if (skips == 0) {
            CHECK_FAILS(ink__row_reader_next(reader, &rows, &error), INK_FORMAT,
                        "5 bytes at the end, expected records of 8");
            CHECK(error.location == INK_AT_BYTE && error.at == 8 * INTS);
        } else {
            next();
            assert_int_equal(rows.count, 0);
        }
        assert_int_equal(reader->bad, skips);
        ink__row_reader_free(reader);
    }
}

/* ---- Limits ------------------------------------------------------------------------------- */

TEST(a_record_of_2_to_the_31_bytes_is_refused)
{
    const uint64_t      limit = (uint64_t)1 << 31;
    uint8_t            *bytes = files_zeros(limit + 4);
    const ink__row_rule rule = {.records = {.end = '\n'}};

    if (bytes == NULL)
        return; /* it would take too long here */
    bytes[1] = '\n';
    bytes[limit + 1] = '\n'; /* the second record has one byte less than the limit, ... */
    for (uint64_t over = 0; over < 2; over++) {
        const ink__chunk chunk = {.bytes = bytes, .count = limit + 2 + over};
        open_reader(&rule, &chunk);
        ink_status status = ink__row_reader_next(reader, &rows, &error);
        for (; status == INK_OK && rows.count > 0; /* each row may come by itself */)
            status = ink__row_reader_next(reader, &rows, &error);
        if (over == 0)
            assert_int_equal(status, INK_OK);
        else {
            CHECK_FAILS(status, INK_LIMIT, "a record of 2^31 bytes or more");
            CHECK(error.location == INK_AT_BYTE && error.at == 2);
        }
        ink__row_reader_free(reader);
        bytes[limit + 1] = 0;
        bytes[limit + 2] = '\n'; /* ... and then not */
    }
    const ink__chunk open = {.bytes = bytes + 3, .count = limit}; /* a record without an end */
    bytes[limit + 2] = 0;
    open_reader(&rule, &open);
    CHECK_FAILS(ink__row_reader_next(reader, &rows, &error), INK_LIMIT, "2^31 bytes or more");
    ink__row_reader_free(reader);
    files_zeros_free(bytes, limit + 4);
}

TEST(rules_that_cannot_be_are_refused)
{
    const ink__row_rule tuple = {
        .records = {.end = '\n'}, .key_column_count = 2, .key_type = INK_KEY_INT};
    const ink__row_rule many = {.records = {.end = '\n'},
                                .key_column_count = INK__KEY_COLUMNS_MAX + 1};
    ink__row_rule       most = many;

    CHECK_FAILS(ink__row_reader_create(&reader, &tuple, NULL, &error), INK_USAGE,
                "a tuple of 2 columns is bytes");
    CHECK_FAILS(ink__row_reader_create(&reader, &many, NULL, &error), INK_USAGE,
                "17 key columns, expected at most 16");
    most.key_column_count--;
    CHECK_OK(ink__row_reader_create(&reader, &most, NULL, &error));
    ink__row_reader_free(reader);
    ink__row_reader_free(NULL);
}

static char long_rows[60000];

static ink_status read_long_rows(const ink_allocator *allocator)
{
    ink__row_rule rule = rule_of(INK__FIELDS_DELIMITED, ',', "k0k1g1");
    ink__chunk    chunk = chunk_of(long_rows);

    rule.rounded = true;
    ink_status status = ink__row_reader_create(&reader, &rule, allocator, &error);
    if (status != INK_OK)
        return status;
    ink__row_reader_start(reader, &chunk);
    status = ink__row_reader_next(reader, &rows, &error);
    ink__row_reader_free(reader);
    return status;
}

TEST(refused_memory_is_a_failure_and_no_leak)
{
    memset(long_rows, 'k', 20000);
    strcpy(long_rows + 20000, ",1\nb,2\n");
    CHECK(faults_refuse_each(read_long_rows) > 0);
    assert_int_equal(rows.count, 2);
}

RUN_TESTS()
