/* info_test.c - what the library says of a sketch as JSON: in memory that is just large enough, of
 * a view as of the sketch, with what its options ask for; strings and numbers of JSON. Over every
 * kind, hash and key type of sketches.h. tests/cli/check_info.py reads it, and compares it with
 * what the command prints. */
#include "properties/sketches.h"
#include "support/faults.h"

#include <stdio.h>

TEST_OF_ALL_VARIANTS(the_text_is_that_of_any_equal_sketch_and_fits_to_the_byte)
{
    const ink_label        label = {.group_kind = INK_GROUP_NULL, .has_slot = true, .slot = -5};
    const ink_info_options options = {.label = &label, .digest = true};
    owned_sketch          *sketch = make_with(&variants[i].params, 0, variants[i].keys);
    owned_view             view = sketches_view_of(sketch, INK_OPEN_CHECKED);
    char                   text[INK_INFO_BYTES], again[INK_INFO_BYTES], start[64];
    size_t                 count = 0, same = 0;

    CHECK_OK(ink_sketch_info_json(sketch, &options, text, sizeof text, &count, &error));
    CHECK(count == strlen(text) && text[count - 1] == '}');
    snprintf(start, sizeof start, "{\"kind\":\"%s\",\"group\":null,\"slot\":-5,",
             variants[i].params.kind);
    CHECK(strncmp(text, start, strlen(start)) == 0 && strstr(text, "\"digest\":\"") != NULL);

    memset(again, 7, sizeof again);
    CHECK_FAILS(ink_sketch_info_json(view.sketch, &options, again, count, &same, &error), INK_LIMIT,
                "and a NUL");
    CHECK(same == 0 && again[0] == 7);
    CHECK_OK(ink_sketch_info_json(view.sketch, &options, again, count + 1, &same, &error));
    CHECK(same == count && again[count + 1] == 7);
    assert_string_equal(text, again);
}

TEST_OF_VARIANTS(the_digest_takes_memory_and_is_refused_without)
{
    for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
        owned_sketch *sketch = NULL;
        char          text[INK_INFO_BYTES];
        size_t        count;
        CHECK_OK(ink_sketch_create(&sketch, &variants[i].params, &run.allocator, &error));
        CHECK_OK(ink_sketch_info_json(sketch, NULL, text, sizeof text, &count, &error));
        CHECK(strstr(text, "digest") == NULL);
        faults_refuse_now(&run);
        faults_check_refused(&run, ink_sketch_info_json(sketch, &(ink_info_options){.digest = true},
                                                        text, sizeof text, &count, &error));
    }
}

TEST(a_rate_that_is_known_is_not_computed_and_is_held_against_the_promise)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 1000};
    owned_sketch    *sketch = make_with(&params, 0, 1000);
    char             text[INK_INFO_BYTES];
    size_t           count;
    const double     rates[] = {0, 0.0105, 0.5};

    for (int i = 0; i < 3; i++) {
        const ink_info_options options = {.has_rate = true, .rate = rates[i]};
        CHECK_OK(ink_sketch_info_json(sketch, &options, text, sizeof text, &count, &error));
        CHECK(strstr(text, i == 0   ? "\"current_rate\":0,"
                           : i == 1 ? "\"current_rate\":0.0105,"
                                    : "\"current_rate\":0.5,") != NULL);
        CHECK((strstr(text, "\"ok\":true") != NULL) == (i < 2));
    }
}

TEST(strings_of_json_escape_what_is_no_text)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\t\n\x1f\x7f", "\"\\u0009\\u000a\\u001f\\u007f\""},
        {"\xc2\x80\xc2\x9f\xc2\xa0", "\"\\u0080\\u009f\xc2\xa0\""},
        {"\xf0\x9f\x90\x9d\xe5\xad\x97", "\"\xf0\x9f\x90\x9d\xe5\xad\x97\""},
        {"\xff\xc3", "\"\\u00ff\\u00c3\""}, /* no UTF-8, a cut one, */
        {"\xc1\x81\xe0\x80\x80", "\"\\u00c1\\u0081\\u00e0\\u0080\\u0080\""}, /* too long, */
        {"\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\""},                       /* a surrogate, */
        {"\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\""}, /* and above the last one */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char   text[64] = "-";
        size_t bytes = strlen(cases[i].bytes), count = strlen(cases[i].text);
        CHECK(ink_json_text(cases[i].bytes, bytes, text, count) == count && text[0] == '-');
        CHECK(ink_json_text(cases[i].bytes, bytes, text, count + 1) == count);
        assert_string_equal(text, cases[i].text);
    }
}

TEST(bytes_are_utf8_or_hex)
{
    static const struct {
        const char *bytes, *hex;
        bool        utf8;
    } cases[] = {
        {"", "", true},
        {"a\x7f\t", "617f09", true},
        {"\xc2\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf", "c280efbfbff48fbfbf", true},
        {"a\xe9", "61e9", false},
        {"\xc3", "c3", false},
        {"\xc1\x81", "c181", false},
        {"\xed\xa0\x80", "eda080", false},
        {"\xf4\x90\x80\x80", "f4908080", false},
        {"\xf8\x88\x80\x80\x80", "f888808080", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char   text[64] = "-";
        size_t bytes = strlen(cases[i].bytes), count = strlen(cases[i].hex);
        CHECK(ink_is_utf8(cases[i].bytes, bytes) == cases[i].utf8);
        CHECK((ink_printable_character(cases[i].bytes, bytes) > 0) == (i == 1 || i == 3));
        CHECK(ink_hex_text(cases[i].bytes, bytes, text, count) == count && text[0] == '-');
        CHECK(ink_hex_text(cases[i].bytes, bytes, text, count + 1) == count);
        assert_string_equal(text, cases[i].hex);
    }
}

TEST(groups_that_are_not_utf8_are_in_hex)
{
    const ink_params params = {.kind = "hll"};
    owned_sketch    *sketch = make_with(&params, 0, 1);
    const ink_label  label = {.group_kind = INK_GROUP_BYTES, .group = "\xe9", .group_bytes = 1};
    const ink_info_options options = {.label = &label};
    char                   text[INK_INFO_BYTES];
    size_t                 count;

    CHECK_OK(ink_sketch_info_json(sketch, &options, text, sizeof text, &count, &error));
    CHECK(strstr(text, "{\"kind\":\"hll\",\"group_hex\":\"e9\",") == text);
    CHECK(count == strlen(text));
}

TEST(reals_are_the_shortest_that_read_back)
{
    static const struct {
        double      real;
        const char *text;
    } cases[] = {{0, "0"},
                 {0.01, "0.01"},
                 {256, "256"},
                 {1000, "1e+03"},
                 {-2.5, "-2.5"},
                 {0.00012, "0.00012"},
                 {1e-5, "1e-05"},
                 {0x1p-40, "9.094947017729282e-13"},
                 {0x1p-44, "5.6843418860808015e-14"}};
    generator random = {1};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[INK_REAL_BYTES];
        CHECK(ink_real_text(cases[i].real, text) == strlen(text));
        assert_string_equal(text, cases[i].text);
    }
    for (int i = 0; i < 2000; i++) {
        char     text[INK_REAL_BYTES], expected[INK_REAL_BYTES] = "";
        uint64_t bits = next_random(&random);
        double   real;
        memcpy(&real, &bits, sizeof real);
        if (!(real - real == 0))
            continue;
        for (int digits = 1; digits <= 17 && (digits == 1 || strtod(expected, NULL) != real);
             digits++)
            snprintf(expected, sizeof expected, "%.*g", digits, real);
        ink_real_text(real, text);
        assert_string_equal(text, expected);
    }
}

RUN_TESTS()
