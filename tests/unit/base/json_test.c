/* json_test.c - values are found where their paths lead, in every record that is JSON, and a record
 * that is none is told by its place, wherever it is broken. */
#include "base/json.h"

#include "support/check.h"
#include "support/files.h"

#include <stdio.h>
#include <stdlib.h>

enum { RECORD_BYTES = 4096, PATHS = 18 };

static ink_error       error;
static files_guard     guard;
static const uint8_t  *placed; /* the record that was read last, and three bytes before it */
static ink__json_value values[PATHS];

static int create_guard(void **state)
{
    files_guard_create(&guard, RECORD_BYTES);
    return 0;
}

static int free_guard(void **state)
{
    files_guard_free(&guard);
    return 0;
}

/* Looks for paths in a record with three bytes before it, and behind it nothing that can be read.
 */
static ink_status find_in(const void *record, size_t bytes, const ink__json_path *paths,
                          size_t count)
{
    static uint8_t whole[RECORD_BYTES];

    CHECK(bytes + 3 <= sizeof whole);
    memcpy(whole, "{\"\\", 3);
    memcpy(whole + 3, record, bytes);
    placed = files_location(&guard, whole, bytes + 3);
    return ink__json_find(placed, 3, bytes + 3, paths, count, values, &error);
}

static ink_status find_text(const char *record, const char *path)
{
    ink__json_path compiled;

    CHECK_OK(ink__json_path_create(&compiled, path, &error));
    return find_in(record, strlen(record), &compiled, 1);
}

/* A value as text: its kind, if the text does not tell it, and its text, with escapes undone. */
static const char *text_of(const ink__json_value *value)
{
    static const char *const kinds[] = {"missing", "", "string ", "", "", "", "container "};
    static char              text[RECORD_BYTES];
    uint8_t                  copy[RECORD_BYTES];
    uint64_t                 length = value->end - value->start;

    if (value->escaped)
        length = ink__json_unescape(placed, value, copy);
    else
        memcpy(copy, placed + value->start, length);
    CHECK(length <= value->end - value->start);
    snprintf(text, sizeof text, "%s%.*s", kinds[value->kind], (int)length, (const char *)copy);
    return text;
}

static const char *found(const char *record, const char *path)
{
    CHECK_OK(find_text(record, path));
    return text_of(&values[0]);
}

/* Takes the next item of a list with bars between its items; false: there is none. */
static bool next_item(const char **list, char item[40])
{
    size_t bytes = strcspn(*list, "|");

    CHECK(bytes < 40);
    snprintf(item, 40, "%.*s", (int)bytes, *list);
    *list += bytes + ((*list)[bytes] == '|');
    return bytes > 0;
}

/* ---- Finding ------------------------------------------------------------------------------ */

static const char rich[] =
    " {\"id\" : 17, \"user\": {\"id\":\"u1\",\"na.me\":\"J\\u00f6\\\"\",\"tags\":[\"x\", "
    "[1,-2.5e+3], {} ]},\t"
    "\"\":null,\"yes\":true,\"no\":false,\"deep\":[[[{\"a\":{\"b\":[0,{\"c\":\"\\ud83d\\ude00\"}]}}"
    "]]],"
    "\"long\":\"more than sixteen bytes, and more than "
    "thirty-two\",\"\\u0069\\nd\":0.5,\"e\":[]}\r\n";

TEST(values_stand_where_their_paths_lead)
{
    assert_string_equal(found(rich, "id"), "17");
    assert_string_equal(found(rich, "user.id"), "string u1");
    assert_string_equal(found(rich, "[\"user\"][\"id\"]"), "string u1");
    assert_string_equal(found(rich, "user[\"na.me\"]"), "string J\xc3\xb6\"");
    assert_string_equal(found(rich, "user.tags[0]"), "string x");
    assert_string_equal(found(rich, "user.tags[1][1]"), "-2.5e+3");
    assert_string_equal(found(rich, "user.tags[1]"), "container [1,-2.5e+3]");
    assert_string_equal(found(rich, "user.tags[2]"), "container {}");
    assert_string_equal(found(rich, "[\"\"]"), "null");
    assert_string_equal(found(rich, "yes"), "true");
    assert_string_equal(found(rich, "no"), "false");
    assert_string_equal(found(rich, "deep[0][0][0].a.b[1].c"), "string \xf0\x9f\x98\x80");
    assert_string_equal(found(rich, "deep[0][0]"),
                        "container [{\"a\":{\"b\":[0,{\"c\":\"\\ud83d\\ude00\"}]}}]");
    assert_string_equal(found(rich, "long"),
                        "string more than sixteen bytes, and more than thirty-two");
    assert_string_equal(found(rich, "[\"i\\u000ad\"]"), "0.5");
    assert_string_equal(found(rich, "e"), "container []");
}

TEST(kinds_are_reported_apart)
{
    static const struct {
        const char    *path;
        ink__json_kind kind;
    } expected[] = {{"s", INK__JSON_STRING},    {"n", INK__JSON_NUMBER}, {"t", INK__JSON_TRUE},
                    {"f", INK__JSON_FALSE},     {"z", INK__JSON_NULL},   {"o", INK__JSON_CONTAINER},
                    {"a", INK__JSON_CONTAINER}, {"x", INK__JSON_MISSING}};

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        CHECK_OK(
            find_text("{\"s\":\"\",\"n\":0,\"t\":true,\"f\":false,\"z\":null,\"o\":{},\"a\":[]}",
                      expected[i].path));
        assert_int_equal(values[0].kind, expected[i].kind);
        CHECK(!values[0].escaped);
    }
}

TEST(what_is_not_there_is_missing)
{
    static const char absent[] =
        "i|idd|ID|user.i|user.id.x|id[0]|user[0]|tags|tags[0]|user.tags[3]|na.me|user.tags.x|"
        "deep[1]|e[0]|[\"\"].x|yes.no|[0]|deep[0][0][0].b|user.tags[1][2]|long.more|"
        "[\"user.id\"]|user.tags[1].tags";
    char path[40];

    for (const char *rest = absent; next_item(&rest, path);) {
        assert_string_equal(found(rich, path), "missing");
        CHECK(values[0].kind == INK__JSON_MISSING && values[0].start == 0 && values[0].end == 0);
    }
}

TEST(the_last_of_members_with_one_name_counts)
{
    assert_string_equal(found("{\"a\":1,\"b\":2,\"a\":3}", "a"), "3");
    assert_string_equal(found("{\"a\":1,\"\\u0061\":3}", "a"), "3");
    assert_string_equal(found("{\"a\":{\"b\":1},\"a\":{\"b\":2}}", "a.b"), "2");
    /* The last one has no b: then there is none. */
    assert_string_equal(found("{\"a\":{\"b\":1},\"a\":{\"c\":2}}", "a.b"), "missing");
    assert_string_equal(found("{\"a\":{\"b\":1},\"a\":2}", "a.b"), "missing");
    assert_string_equal(found("{\"a\":[1,2],\"a\":[3]}", "a[1]"), "missing");
    assert_string_equal(found("{\"a\":[1,2],\"a\":[3]}", "a[0]"), "3");
    assert_string_equal(found("{\"a\":[1],\"a\":\"s\"}", "a"), "string s");
    assert_string_equal(found("{\"a\":\"\\n\",\"a\":[]}", "a"), "container []");
    /* The same name elsewhere is another one. */
    assert_string_equal(found("{\"a\":1,\"x\":{\"a\":2},\"y\":[{\"a\":3}]}", "a"), "1");
    assert_string_equal(found("{\"x\":{\"a\":2},\"a\":{\"b\":4},\"y\":{\"b\":5}}", "a.b"), "4");
}

TEST(many_paths_are_found_in_one_go)
{
    static const char *const texts[PATHS] = {
        "id",     "user.id", "user", "user.tags", "user.tags[0]", "user.tags[1][0]",
        "absent", "id",      "e[0]", "yes",       "no",           "deep",
        "[\"\"]", "deep[0]", "[5]",  "long.x",    "user.tags[1]", "deep[0][0][0].a.b[0]"};
    ink__json_path paths[PATHS];
    char           expected[PATHS][RECORD_BYTES];

    for (size_t i = 0; i < PATHS; i++) {
        CHECK_OK(ink__json_path_create(&paths[i], texts[i], &error));
        strcpy(expected[i], found(rich, texts[i]));
    }
    CHECK_OK(find_in(rich, strlen(rich), paths, PATHS));
    for (size_t i = 0; i < PATHS; i++)
        assert_string_equal(text_of(&values[i]), expected[i]);
    CHECK_OK(find_in(rich, strlen(rich), paths, 0)); /* only whether it is JSON */
    CHECK_FAILS(find_in("{\"a\"}", 5, paths, 0), INK_FORMAT, "expected a colon");
}

TEST(names_are_compared_with_their_escapes_undone)
{
    assert_string_equal(found("{\"\\u0061\\/\\\"\":1}", "a/[\"x\"]"), "missing");
    assert_string_equal(found("{\"\\u0061\\/\\\"\":1}", "[\"a/\\\"\"]"), "1");
    assert_string_equal(found("{\"\\uD83D\\uDE00!\":1}", "\xf0\x9f\x98\x80!"), "1");
    assert_string_equal(found("{\"\xf0\x9f\x98\x80\":1}", "[\"\\ud83d\\ude00\"]"), "1");
    assert_string_equal(found("{\"\\u00e9\":1}", "\xc3\xa9"), "1");
    assert_string_equal(found("{\"ab\\u0063\":1}", "ab"), "missing");
    assert_string_equal(found("{\"a\\u0062\":1}", "abc"), "missing");
    assert_string_equal(found("{\"a\\u0000b\":1}", "a"), "missing");
    assert_string_equal(found("{\"a\\u0000b\":1}", "[\"a\\u0000b\"]"), "1");
    assert_string_equal(found("{\"\\u20ac\":1}", "\xe2\x82"), "missing");
}

TEST(escapes_are_undone_to_utf8)
{
    assert_string_equal(found("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "a"),
                        "string \"\\/\b\f\n\r\t");
    assert_string_equal(found("{\"a\":\"\\u007f\\u0080\\u07ff\\u0800\\uFFFF\"}", "a"),
                        "string \x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
    assert_string_equal(found("{\"a\":\"\\ud800\\udc00\\uDBFF\\uDFFF\\ud7ff\\ue000\"}", "a"),
                        "string \xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80");
    assert_string_equal(found("{\"a\":\"x\\u0041y\\u0042\"}", "a"), "string xAyB");
    CHECK_OK(find_text("{\"a\":\"\\u0000\"}", "a"));
    uint8_t copy[1] = {1};
    assert_int_equal(ink__json_unescape(placed, &values[0], copy), 1);
    assert_int_equal(copy[0], 0);
    CHECK_OK(find_text("{\"a\":\"plain\"}", "a"));
    CHECK(!values[0].escaped);
}

TEST(bytes_that_are_no_utf8_pass_as_they_are)
{
    assert_string_equal(found("{\"\xff\":\"\x80\xfe\xed\xa0\x80\\n\xc0\"}", "\xff"),
                        "string \x80\xfe\xed\xa0\x80\n\xc0");
}

/* A string of `length` times `fill`, of which byte `at` is another one: where must it be refused?
 */
static uint64_t location_of_trouble(size_t length, size_t at, char fill, char what)
{
    const uint64_t first = 6;

    if (what == '"') /* behind the quote, and behind blanks */
        return first + (fill == ' ' ? length : at + 1);
    if (what == '\\') /* behind it, or at the end, if it took the closing quote along */
        return first + (at + 1 == length ? length + 2 : at + 1);
    return first + at;
}

TEST(what_ends_a_string_is_seen_at_every_location)
{
    /* Next to these stand bytes which a careless trick takes for them. */
    static const char special[] = {'"', '\\', 0x1f, 0, '\n'};
    static const char fill[] = {'!', '#', ' ', '[', ']', '\x7f', '\x80', '\xa2', '\xdc', '\xff'};
    ink__json_path    path;

    CHECK_OK(ink__json_path_create(&path, "k", &error));
    for (size_t round = 0; round < 40 * sizeof fill; round++) {
        size_t  length = round / sizeof fill;
        char    filled = fill[round % sizeof fill];
        uint8_t record[60] = "{\"k\":\"";
        memset(record + 6, filled, length);
        memcpy(record + 6 + length, "\"}", 2);
        CHECK_OK(find_in(record, length + 8, &path, 1));
        CHECK(values[0].start == 3 + 6 && values[0].end == 3 + 6 + length);
        for (size_t i = 0; i < length * sizeof special; i++) {
            size_t at = i / sizeof special;
            char   what = special[i % sizeof special];
            record[6 + at] = (uint8_t)what;
            CHECK(find_in(record, length + 8, &path, 1) == INK_FORMAT);
            assert_int_equal(error.at, location_of_trouble(length, at, filled, what));
            record[6 + at] = (uint8_t)filled;
        }
    }
}

/* ---- JSON and what is none ---------------------------------------------------------------- */

TEST(every_form_of_a_value_is_read)
{
    static const char valid[] =
        "0|-0|1|-1|10|123456789012345678901234567890|0.0|-0.5|1.50|0e0|0E0|1e5|1E+05|1e-0|"
        "-1.5e+300|1e999|\"\"|\" \"|\"\x7f\"|\"\\u0000\"|\"'\"|\"//\"|true|false|null|[]|[ ]|"
        "{}|{ }|[1]|[ 1 ]|[1,2]|[[],[]]|[{},[{}]]|{\"a\":1}|{\"a\":{}}|{\"\":\"\"}|"
        "{ \"a\" : 1 , \"a\" : [ ] }|[\t1\r,\n2 ]|[\"\",\"]\",\"}\"]|[true,false,null,-1]";
    char value[40];

    for (const char *rest = valid; next_item(&rest, value);)
        for (unsigned around = 0; around < 3; around++) {
            static const char *const forms[] = {"{\"v\":%s}", "\t{\"v\": %s }\n",
                                                "{\"v\":0,\"v\":%s,\"w\":1}"};
            char                     record[200], expected[200];
            snprintf(record, sizeof record, forms[around], value);
            bool string = value[0] == '"', plain = strchr("[{", value[0]) == NULL;
            CHECK_OK(find_text(record, "v"));
            snprintf(expected, sizeof expected, "%.*s", (int)strlen(value) - 2 * string,
                     value + string);
            assert_int_equal(values[0].end - values[0].start, strlen(expected));
            assert_memory_equal(placed + values[0].start, expected, strlen(expected));
            CHECK((values[0].kind == INK__JSON_CONTAINER) == !plain);
        }
}

TEST(what_is_no_json_is_reported_by_its_location)
{
    static const struct {
        const char *record;
        uint64_t    at;
        const char *words;
    } wrong[] = {
        {"", 0, "the end of the record, expected an object"},
        {"  ", 2, "the end of the record, expected an object"},
        {"x", 0, "'x', expected an object"},
        {"\xef\xbb\xbf{}", 0, "'\\xef', expected an object"},
        {"\"text\"", 0, "a string, expected an object"},
        {" 12", 1, "a number, expected an object"},
        {"-1", 0, "a number, expected an object"},
        {"[{\"a\":1}]", 0, "an array, expected an object (jq -c '.[]'"},
        {"null", 0, "'n', expected an object"},
        {"{", 1, "the end of the record, expected a name in quotes or }"},
        {"{]", 1, "']', expected a name in quotes or }"},
        {"{,}", 1, "',', expected a name in quotes or }"},
        {"{a:1}", 1, "'a', expected a name in quotes or }"},
        {"{'a':1}", 1, "''', expected a name in quotes or }"},
        {"{1:1}", 1, "'1', expected a name in quotes or }"},
        {"{\"a\"", 4, "the end of the record, expected a colon"},
        {"{\"a\" 1}", 5, "'1', expected a colon"},
        {"{\"a\",1}", 4, "',', expected a colon"},
        {"{\"a\"::1}", 5, "':', expected a value"},
        {"{\"a\":", 5, "the end of the record, expected a value"},
        {"{\"a\":}", 5, "'}', expected a value"},
        {"{\"a\":,}", 5, "',', expected a value"},
        {"{\"a\":1", 6, "the end of the record, expected a comma or }"},
        {"{\"a\":1]", 6, "']', expected a comma or }"},
        {"{\"a\":1 \"b\":2}", 7, "'\"', expected a comma or }"},
        {"{\"a\":1;}", 6, "';', expected a comma or }"},
        {"{\"a\":1,", 7, "the end of the record, expected a name in quotes"},
        {"{\"a\":1,}", 7, "'}', expected a name in quotes"},
        {"{\"a\":1,,\"b\":2}", 7, "',', expected a name in quotes"},
        {"{\"a\":1}}", 7, "'}', expected the end of the record"},
        {"{\"a\":1} {}", 8, "'{', expected the end of the record"},
        {"{}#", 2, "'#', expected the end of the record"},
        {"{\"a\":[", 6, "the end of the record, expected a value"},
        {"{\"a\":[1", 7, "the end of the record, expected a comma or ]"},
        {"{\"a\":[1}", 7, "'}', expected a comma or ]"},
        {"{\"a\":[1 2]}", 8, "'2', expected a comma or ]"},
        {"{\"a\":[1,]}", 8, "']', expected a value"},
        {"{\"a\":[,1]}", 6, "',', expected a value"},
        {"{\"a\":[1:2]}", 7, "':', expected a comma or ]"},
        {"{\"a\":[}}", 6, "'}', expected a value"},
        {"{\"a\":+1}", 5, "'+', expected a value"},
        {"{\"a\":.5}", 5, "'.', expected a value"},
        {"{\"a\":-}", 6, "'}', expected a digit"},
        {"{\"a\":-a}", 6, "'a', expected a digit"},
        {"{\"a\":--1}", 6, "'-', expected a digit"},
        {"{\"a\":01}", 6, "'1', expected a comma or }"},
        {"{\"a\":-012}", 7, "'1', expected a comma or }"},
        {"{\"a\":1.}", 7, "'}', expected a digit"},
        {"{\"a\":1.e1}", 7, "'e', expected a digit"},
        {"{\"a\":1e}", 7, "'}', expected a digit"},
        {"{\"a\":1e+}", 8, "'}', expected a digit"},
        {"{\"a\":1e+-1}", 8, "'-', expected a digit"},
        {"{\"a\":1e1.5}", 8, "'.', expected a comma or }"},
        {"{\"a\":0x1}", 6, "'x', expected a comma or }"},
        {"{\"a\":1_000}", 6, "'_', expected a comma or }"},
        {"{\"a\":NaN}", 5, "'N', expected a value"},
        {"{\"a\":Infinity}", 5, "'I', expected a value"},
        {"{\"a\":-Infinity}", 6, "'I', expected a digit"},
        {"{\"a\":True}", 5, "'T', expected a value"},
        {"{\"a\":tru}", 8, "'}', expected true"},
        {"{\"a\":truE}", 8, "'E', expected true"},
        {"{\"a\":truee}", 9, "'e', expected a comma or }"},
        {"{\"a\":fals", 9, "the end of the record, expected false"},
        {"{\"a\":nul}", 8, "'}', expected null"},
        {"{\"a\":'x'}", 5, "''', expected a value"},
        {"{\"a\":\"x}", 8, "the end of the record, expected a closing quote"},
        {"{\"a", 3, "the end of the record, expected a closing quote"},
        {"{\"a\":\"\t\"}", 6, "'\\x09', expected an escape"},
        {"{\"a\n\":1}", 3, "'\\x0a', expected an escape"},
        {"{\"a\":\"\\x41\"}", 7, "'x', expected one of \"\\/bfnrtu after a backslash"},
        {"{\"a\":\"\\'\"}", 7, "''', expected one of"},
        {"{\"a\":\"\\U0041\"}", 7, "'U', expected one of"},
        {"{\"a\":\"\\", 7, "the end of the record, expected one of"},
        {"{\"a\":\"\\\"}", 9, "the end of the record, expected a closing quote"},
        {"{\"a\":\"\\u12", 10, "the end of the record, expected four hexadecimal digits"},
        {"{\"a\":\"\\u123\"}", 11, "'\"', expected four hexadecimal digits"},
        {"{\"a\":\"\\u00g0\"}", 10, "'g', expected four hexadecimal digits"},
        {"{\"a\":\"\\u 123\"}", 8, "' ', expected four hexadecimal digits"},
        {"{\"a\":\"\\u+123\"}", 8, "'+', expected four hexadecimal digits"},
        {"{\"a\":\"x\\ud83d\"}", 7, "half of a surrogate pair"},
        {"{\"a\":\"\\ude00\"}", 6, "half of a surrogate pair"},
        {"{\"a\":\"\\ud83dx\\ude00\"}", 6, "half of a surrogate pair"},
        {"{\"a\":\"\\ud83d\\n\"}", 6, "half of a surrogate pair"},
        {"{\"a\":\"\\ud83d\\u0041\"}", 6, "half of a surrogate pair"},
        {"{\"a\":\"\\ud83d\\ud83d\\ude00\"}", 6, "half of a surrogate pair"},
        {"{\"a\":\"\\ud83d\\ude00\\ude00\"}", 18, "half of a surrogate pair"},
        {"{\"a\":\"\\ud83d\\u", 14, "the end of the record, expected four hexadecimal digits"},
        {"{\"a\":\"\\ud83d\\", 6, "half of a surrogate pair"},
        {"{\"\\ud83d\":1}", 2, "half of a surrogate pair"},
        {"{\"a\":1\x0b}", 6, "'\\x0b', expected a comma or }"},
        {"{\"a\":1\x0c}", 6, "'\\x0c', expected a comma or }"},
        {"{\"a\":\xc2\xa0"
         "1}",
         5, "'\\xc2', expected a value"},
        {"{\"a\":1} // end", 8, "'/', expected the end of the record"},
        {"{/**/\"a\":1}", 1, "'/', expected a name in quotes or }"},
        {"{\"a\":{\"b\":[{\"c\":[1,{\"d\":}]}]}}", 24, "'}', expected a value"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(find_text(wrong[i].record, "a"), INK_FORMAT, wrong[i].words);
        CHECK(error.location == INK_AT_BYTE);
        if (error.at != wrong[i].at)
            fail_msg("%s: byte %d, expected %d", wrong[i].record, (int)error.at, (int)wrong[i].at);
    }
}

TEST(a_nul_byte_is_a_byte)
{
    ink__json_path path;

    CHECK_OK(ink__json_path_create(&path, "a", &error));
    CHECK_FAILS(find_in("\0", 1, &path, 1), INK_FORMAT, "'\\x00', expected an object");
    CHECK_FAILS(find_in("{}\0", 3, &path, 1), INK_FORMAT, "'\\x00', expected the end");
    CHECK_FAILS(find_in("{\"a\":\0}", 7, &path, 1), INK_FORMAT, "'\\x00', expected a value");
    CHECK_FAILS(find_in("{\"a\":\"\\\0\"}", 10, &path, 1), INK_FORMAT, "'\\x00', expected one of");
}

TEST(an_array_is_a_record_for_paths_that_start_with_an_index)
{
    static const char record[] = " [ {\"a\":1}, [2, 3], \"x\" ] ";
    ink__json_path    paths[2];

    assert_string_equal(found(record, "[0].a"), "1");
    assert_string_equal(found(record, "[1][1]"), "3");
    assert_string_equal(found(record, "[2]"), "string x");
    assert_string_equal(found(record, "[3]"), "missing");
    assert_string_equal(found("{\"a\":1}", "[0]"), "missing");
    assert_string_equal(found("[]", "[0]"), "missing");
    CHECK_FAILS(find_text("\"x\"", "[0]"), INK_FORMAT, "a string, expected an object or an array");
    CHECK_FAILS(find_text("[1,2", "[0]"), INK_FORMAT, "expected a comma or ]");
    /* One such path is enough; others lead nowhere then. */
    CHECK_OK(ink__json_path_create(&paths[0], "a", &error));
    CHECK_OK(ink__json_path_create(&paths[1], "[2]", &error));
    CHECK_OK(find_in(record, strlen(record), paths, 2));
    CHECK(values[0].kind == INK__JSON_MISSING && values[1].kind == INK__JSON_STRING);
    CHECK_OK(ink__json_path_create(&paths[0], "[2]", &error));
    CHECK_OK(ink__json_path_create(&paths[1], "a", &error));
    CHECK_OK(find_in(record, strlen(record), paths, 2));
    CHECK(values[0].kind == INK__JSON_STRING && values[1].kind == INK__JSON_MISSING);
}

/* ---- Depth -------------------------------------------------------------------------------- */

/* A record with `depth` arrays in a member "a", and `closed` of them closed. */
static size_t nest(char *record, size_t depth, size_t closed)
{
    size_t length = (size_t)sprintf(record, "{\"a\":");

    memset(record + length, '[', depth);
    memset(record + length + depth, ']', closed);
    strcpy(record + length + depth + closed, "}");
    return length + depth + closed + 1;
}

TEST(containers_stand_in_containers_down_to_the_limit)
{
    static char    record[RECORD_BYTES];
    ink__json_path path;

    CHECK_OK(ink__json_path_create(&path, "a", &error));
    for (size_t depth = 1; depth < INK__JSON_DEPTH_MAX; depth += depth < 40 ? 1 : 123) {
        size_t bytes = nest(record, depth, depth);
        CHECK_OK(find_in(record, bytes, &path, 1));
        CHECK(values[0].start == 3 + 5 && values[0].end == 3 + bytes - 1);
        CHECK_FAILS(find_in(record, nest(record, depth, depth - 1), &path, 1), INK_FORMAT,
                    "'}', expected");
        CHECK_FAILS(find_in(record, nest(record, depth, depth + 1), &path, 1), INK_FORMAT,
                    "']', expected a comma or }");
    }
    CHECK_OK(
        find_in(record, nest(record, INK__JSON_DEPTH_MAX - 1, INK__JSON_DEPTH_MAX - 1), &path, 1));
    CHECK_FAILS(find_in(record, nest(record, INK__JSON_DEPTH_MAX, INK__JSON_DEPTH_MAX), &path, 1),
                INK_FORMAT, "a container within 1024 others");
    assert_int_equal(error.at, 5 + INK__JSON_DEPTH_MAX - 1);
}

TEST(objects_and_arrays_are_closed_as_they_were_opened)
{
    static char    record[RECORD_BYTES];
    ink__json_path path;

    CHECK_OK(ink__json_path_create(&path, "k", &error));
    for (unsigned round = 0; round < 400; round++) { /* kinds by the bits of a number */
        uint32_t bits = round * 2654435769u;
        size_t   depth = 1 + round % 100, length = (size_t)sprintf(record, "{\"k\":");
        for (size_t i = 0; i < depth; i++)
            length += (size_t)sprintf(record + length, bits >> i % 32 & 1 ? "{\"k\":" : "[");
        record[length++] = '0';
        size_t closing = length;
        for (size_t i = depth; i-- > 0;)
            record[length++] = bits >> i % 32 & 1 ? '}' : ']';
        record[length++] = '}';
        CHECK_OK(find_in(record, length, &path, 1));
        CHECK(values[0].kind == INK__JSON_CONTAINER && values[0].end == 3 + length - 1);
        size_t wrong = closing + round % (depth + 1);
        record[wrong] = record[wrong] == '}' ? ']' : '}';
        CHECK_FAILS(find_in(record, length, &path, 1), INK_FORMAT, "expected a comma or");
        assert_int_equal(error.at, wrong);
    }
}

TEST(a_path_leads_as_deep_as_it_may)
{
    static char record[RECORD_BYTES], path[200], deeper[220];

    /* {"k":{"k":...7...}}, deeper by one than the path, which finds what is in between. */
    for (size_t steps = 1; steps <= INK__JSON_STEPS_MAX; steps++)
        for (size_t depth = 1; depth <= INK__JSON_STEPS_MAX + 4; depth++) {
            size_t length = 0;
            for (size_t i = 0; i < depth; i++)
                length += (size_t)sprintf(record + length, i % 3 == 2 ? "[0,7," : "{\"k\":");
            length += (size_t)sprintf(record + length, "7");
            for (size_t i = depth; i-- > 0;)
                record[length++] = i % 3 == 2 ? ']' : '}';
            record[length] = path[0] = 0;
            for (size_t i = 0; i < steps; i++)
                strcat(path, i % 3 == 2 ? "[2]" : i == 0 ? "k" : ".k");
            const char *text = found(record, path);
            if (steps < depth)
                CHECK(strncmp(text, "container ", 10) == 0 && values[0].start > 3);
            else
                assert_string_equal(text, steps == depth ? "7" : "missing");
            /* What is found is as long as what it must hold. */
            if (steps < depth)
                assert_int_equal(placed[values[0].end - 1], steps % 3 == 2 ? ']' : '}');
        }
    snprintf(deeper, sizeof deeper, "%s[1]", path);
    ink__json_path compiled;
    CHECK_FAILS(ink__json_path_create(&compiled, deeper, &error), INK_USAGE, "more than 16 steps");
}

/* ---- Damage ------------------------------------------------------------------------------- */

TEST(no_part_of_a_record_is_a_record)
{
    static const char *const texts[] = {"id", "user.tags[1]", "deep[0][0][0].a.b[1].c", "e"};
    ink__json_path           paths[4];
    size_t                   bytes = strlen(rich);

    for (size_t i = 0; i < 4; i++)
        CHECK_OK(ink__json_path_create(&paths[i], texts[i], &error));
    for (size_t count = 0; count < bytes - 2; count++) { /* without the blanks at its end */
        CHECK_FAILS(find_in(rich, count, paths, 4), INK_FORMAT, "expected");
        CHECK(error.at <= count);
    }
    CHECK_OK(find_in(rich, bytes - 2, paths, 4));
    for (size_t start = 2; start < bytes; start++)
        CHECK_FAILS(find_in(rich + start, bytes - start, paths, 4), INK_FORMAT, "expected");
}

TEST(a_damaged_record_is_refused_or_read_within_its_bounds)
{
    static const char *const texts[] = {"id", "user.tags[1]", "deep[0][0][0].a.b[1].c", "long"};
    ink__json_path           paths[4];
    size_t                   bytes = strlen(rich), refused = 0, read = 0;

    for (size_t i = 0; i < 4; i++)
        CHECK_OK(ink__json_path_create(&paths[i], texts[i], &error));
    for (size_t at = 0; at < bytes; at++)
        for (unsigned change = 1; change < 256; change++) {
            char damaged[sizeof rich];
            memcpy(damaged, rich, sizeof rich);
            damaged[at] = (char)(damaged[at] ^ (char)change);
            ink_status status = find_in(damaged, bytes, paths, 4);
            if (status != INK_OK) {
                CHECK(status == INK_FORMAT && error.location == INK_AT_BYTE && error.at <= bytes);
                refused++;
                continue;
            }
            read++;
            for (size_t i = 0; i < 4; i++) {
                CHECK(values[i].start <= values[i].end && values[i].end <= bytes + 3);
                text_of(&values[i]);
            }
        }
    CHECK(refused > read && read > 1000); /* letters of names and strings can be others */
}

/* ---- Paths -------------------------------------------------------------------------------- */

TEST(what_is_no_path_is_reported_by_its_location)
{
    static const struct {
        const char *text;
        uint64_t    at;
        const char *words;
    } wrong[] = {
        {"", 0, "the path \"\": the end of the path, expected a name, or a bracket"},
        {".", 0, "the path \".\": '.', expected a name, or a bracket"},
        {".a", 0, "expected a name, or a bracket"},
        {"a..b", 2, "the path \"a..b\": '.', expected a name after the dot"},
        {"a.", 2, "the end of the path, expected a name after the dot"},
        {"a.[0]", 2, "'[', expected a name after the dot"},
        {"]", 0, "expected a name, or a bracket"},
        {"a]", 1, "']', expected a dot, an opening bracket or the end"},
        {"a\"b", 1, "'\"', expected a dot, an opening bracket or the end"},
        {"a[0]b", 4, "'b', expected a dot, an opening bracket or the end"},
        {"a[", 2, "the end of the path, expected an index from 0, or a name in quotes"},
        {"a[]", 2, "']', expected an index from 0"},
        {"a[-1]", 2, "'-', expected an index from 0"},
        {"a[b]", 2, "'b', expected an index from 0"},
        {"a[ 1]", 2, "' ', expected an index from 0"},
        {"a[1", 3, "expected at most 18 digits and a closing bracket"},
        {"a[1.5]", 3, "expected at most 18 digits and a closing bracket"},
        {"a[1234567890123456789]", 20, "expected at most 18 digits"},
        {"[\"a]", 4, "the end of the path, expected a closing quote"},
        {"[\"a\"", 4, "the end of the path, expected a closing bracket"},
        {"[\"a\"x]", 4, "'x', expected a closing bracket"},
        {"[\"\\q\"]", 3, "'q', expected one of"},
        {"[\"\\ud83d\"]", 2, "half of a surrogate pair"},
        {"[\"\t\"]", 2, "'\\x09', expected an escape"},
        {"['a']", 1, "''', expected an index from 0, or a name in quotes"},
        {"a\x1b.", 3, "the path \"a\\x1b.\""},
    };
    ink__json_path path;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(ink__json_path_create(&path, wrong[i].text, &error), INK_USAGE, wrong[i].words);
        CHECK(error.location == INK_AT_BYTE);
        assert_int_equal(error.at, wrong[i].at);
    }
    CHECK(ink__json_path_create(&path, "a..b", NULL) == INK_USAGE);
}

TEST(a_path_has_its_own_copy_of_names)
{
    char           text[] = "a.b[0][\"c\\n\"]";
    ink__json_path path, copy;

    CHECK_OK(ink__json_path_create(&path, text, &error));
    memset(text, '?', sizeof text);
    memcpy(&copy, &path, sizeof copy);
    memset(&path, 0xff, sizeof path);
    static const char record[] = "{\"a\":{\"b\":[{\"c\\n\":5}]}}";
    CHECK_OK(find_in(record, strlen(record), &copy, 1));
    assert_string_equal(text_of(&values[0]), "5");
}

TEST(names_in_a_path_have_room_up_to_the_limit)
{
    char           text[INK__JSON_NAMES_BYTES_MAX + 20], record[INK__JSON_NAMES_BYTES_MAX + 40];
    ink__json_path path;

    for (unsigned more = 0; more < 2; more++) {
        int half = INK__JSON_NAMES_BYTES_MAX / 2, other = half + (int)more;
        snprintf(text, sizeof text, "%0*d.%0*d", half, 1, other, 2);
        if (more > 0) {
            CHECK_FAILS(ink__json_path_create(&path, text, &error), INK_USAGE,
                        "names of more than 512 bytes");
            snprintf(text, sizeof text, "%0*d[\"%0*d\"]", half, 1, other, 2);
            CHECK_FAILS(ink__json_path_create(&path, text, &error), INK_USAGE,
                        "names of more than 512 bytes");
            continue;
        }
        CHECK_OK(ink__json_path_create(&path, text, &error));
        snprintf(record, sizeof record, "{\"%0*d\":{\"%0*d\":[]}}", half, 1, other, 2);
        CHECK_OK(find_in(record, strlen(record), &path, 1));
        CHECK(values[0].kind == INK__JSON_CONTAINER);
    }
}

TEST(a_large_index_counts_elements)
{
    static char record[RECORD_BYTES] = "{\"a\":[";

    for (unsigned i = 0; i < 500; i++)
        sprintf(record + strlen(record), "%u,", i);
    strcat(record, "[500]]}");
    assert_string_equal(found(record, "a[0]"), "0");
    assert_string_equal(found(record, "a[499]"), "499");
    assert_string_equal(found(record, "a[0499]"), "499");
    assert_string_equal(found(record, "a[500][0]"), "500");
    assert_string_equal(found(record, "a[501]"), "missing");
    assert_string_equal(found(record, "a[999999999999999999]"), "missing");
}

TEST(as_many_paths_as_there_may_be_are_found_in_one_go)
{
    ink__json_path  paths[INK__JSON_PATHS_MAX];
    ink__json_value found_values[INK__JSON_PATHS_MAX];
    char            record[RECORD_BYTES] = "{", path[8];
    size_t          used = 1;

    for (int i = 0; i < INK__JSON_PATHS_MAX; i++) {
        snprintf(path, sizeof path, "p%d", i);
        CHECK_OK(ink__json_path_create(&paths[i], path, &error));
        used += (size_t)snprintf(record + used, sizeof record - used, "%s\"p%d\":%d",
                                 i == 0 ? "" : ",", i, 100 + i);
    }
    record[used++] = '}';
    CHECK_OK(ink__json_find((const uint8_t *)record, 0, used, paths, INK__JSON_PATHS_MAX,
                            found_values, &error));
    for (int i = 0; i < INK__JSON_PATHS_MAX; i++) {
        assert_int_equal(found_values[i].kind, INK__JSON_NUMBER);
        assert_int_equal(strtol(record + found_values[i].start, NULL, 10), 100 + i);
    }
}

/* ---- Elements ----------------------------------------------------------------------------- */

TEST(an_array_gives_its_elements_one_after_another)
{
    static const struct {
        const char *record, *elements; /* each with a bar after it */
    } rows[] = {
        {"{\"a\":[]}", ""},
        {"{\"a\":[ ]}", ""},
        {"{\"a\":[1]}", "1|"},
        {"{\"a\":[ 1 , 2 ] ,\"b\":[3]}", "1|2|"},
        {"{\"a\":[[],{},[[4]],{\"b\":[{}]},5]}", "[]|{}|[[4]]|{\"b\":[{}]}|5|"},
        {"{\"a\":[\"x]\",\"\",{\"}\":\"]\\\"}\"},[\"[\"],null,true,false,-2.5e1]}",
         "x]||{\"}\":\"]\\\"}\"}|[\"[\"]|null|true|false|-2.5e1|"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ink__json_value element;
        char            text[RECORD_BYTES] = "";
        CHECK_OK(find_text(rows[i].record, "a"));
        for (uint64_t at = values[0].start; ink__json_next(placed, &values[0], &at, &element);)
            strcat(strncat(text, (const char *)placed + element.start, element.end - element.start),
                   "|");
        assert_string_equal(text, rows[i].elements);
    }
}

TEST(only_a_key_and_a_group_have_a_path_in_hex)
{
    static const struct {
        const char *path, *record; /* which has "yes" at the path in hex; NULL: there is none */
    } rows[] = {{"key", "{\"key_hex\":\"yes\"}"},
                {"group", "{\"group_hex\":\"yes\"}"},
                {"key[1][0]", "{\"key_hex\":[0,[\"yes\"]]}"},
                {"key.x", NULL},
                {"group[0].key", NULL},
                {"keys", NULL},
                {"ke", NULL},
                {"x.key", NULL},
                {"[0].key", NULL},
                {"[0]", NULL}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ink__json_path path, hex;
        CHECK_OK(ink__json_path_create(&path, rows[i].path, &error));
        assert_int_equal(ink__json_hex_path(&path, &hex), rows[i].record != NULL);
        if (rows[i].record != NULL) {
            CHECK_OK(find_in(rows[i].record, strlen(rows[i].record), &hex, 1));
            assert_string_equal(text_of(&values[0]), "string yes");
        }
    }
}

RUN_TESTS(.begin = create_guard, .end = free_guard)
