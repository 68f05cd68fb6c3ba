/* parse_number_test.c - numbers in text are read to their limits, and what is none is refused. */
#include "input/records/parse_number.h"

#include "support/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static bool key_of(const char *text, int64_t *key)
{
    return ink__number_key((const uint8_t *)text, strlen(text), key);
}

static bool weight_of(const char *text, uint64_t *weight)
{
    return ink__number_weight((const uint8_t *)text, strlen(text), weight);
}

static bool round_of(const char *text, ink__rounding rounding, int64_t *whole)
{
    return ink__number_round((const uint8_t *)text, strlen(text), rounding, whole);
}

static const char no_numbers[] = "|-|+| 1|1 |1a|a|0x10|--1|+-1|1e3|1,000|\xd9\xa3|1.|.|-.|1.5|"
                                 "18446744073709551616|184467440737095516150";

TEST(int_keys_are_read_to_the_ends_of_64_bits)
{
    static const struct {
        const char *text;
        int64_t     key;
    } good[] = {
        {"0", 0},
        {"-0", 0},
        {"+7", 7},
        {"-7", -7},
        {"007", 7},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"9223372036854775808", INT64_MIN}, /* the same bits */
        {"18446744073709551615", -1},
        {"000000000000000000000000000000000001", 1},
    };
    int64_t key;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        CHECK(key_of(good[i].text, &key) && key == good[i].key);
    for (const char *rest = no_numbers; rest != NULL;)
        CHECK(!key_of(check_next_word(&rest), &key));
    CHECK(!key_of("-9223372036854775809", &key));
}

TEST(weights_are_whole_and_have_no_sign)
{
    uint64_t weight;

    CHECK(weight_of("0", &weight) && weight == 0);
    CHECK(weight_of("18446744073709551615", &weight) && weight == UINT64_MAX);
    CHECK(!weight_of("+1", &weight) && !weight_of("-1", &weight) && !weight_of("2.0", &weight));
    for (const char *rest = no_numbers; rest != NULL;)
        CHECK(!weight_of(check_next_word(&rest), &weight));
}

TEST(halves_go_where_the_rounding_says)
{
    static const struct {
        const char *text;
        int64_t     even, up, away;
    } good[] = {
        {"2.5", 2, 3, 3},
        {"3.5", 4, 4, 4},
        {"-2.5", -2, -2, -3},
        {"-3.5", -4, -3, -4},
        {"0.5", 0, 1, 1},
        {".5", 0, 1, 1},
        {"-.5", 0, 0, -1},
        {"1.5", 2, 2, 2},
        {"2.50000", 2, 3, 3},
        {"2.50001", 3, 3, 3},
        {"2.49999", 2, 2, 2},
        {"7", 7, 7, 7},
        {"7.", 7, 7, 7},
        {"-7.0", -7, -7, -7},
        {"8.1", 8, 8, 8},
        {"-8.9", -9, -9, -9},
        {"+6.5", 6, 7, 7},
        {"0", 0, 0, 0},
        {"-0.4", 0, 0, 0},
        {"10.4999999999999999999999", 10, 10, 10},
        {"9223372036854775807.4", INT64_MAX, INT64_MAX, INT64_MAX},
        {"-9223372036854775808.4", INT64_MIN, INT64_MIN, INT64_MIN},
        /* exponents as JSON has them */
        {"1e-05", 0, 0, 0},
        {"1e1", 10, 10, 10},
        {"-25E-1", -2, -2, -3},
        {"2.5e+0", 2, 3, 3},
        {"2.5e00", 2, 3, 3},
        {"12.345e2", 1234, 1235, 1235},
        {"12.345e3", 12345, 12345, 12345},
        {"12.345e4", 123450, 123450, 123450},
        {"-5e-1", 0, 0, -1},
        {"50e-2", 0, 1, 1},
        {"50e-3", 0, 0, 0},
        {"99e-3", 0, 0, 0},
        {".25e1", 2, 3, 3},
        {"0.000000000000000000000000025e26", 2, 3, 3},
        {"0e99999999999999999999999999", 0, 0, 0},
        {"0.00e18446744073709551615", 0, 0, 0},
        {"-9e-99999999999999999999999999", 0, 0, 0},
        {"9e-18446744073709551617", 0, 0, 0}, /* as 9e-1 modulo 2^64 */
        {"9223372036854775807000e-3", INT64_MAX, INT64_MAX, INT64_MAX},
        {"-9.223372036854775808e18", INT64_MIN, INT64_MIN, INT64_MIN},
    };
    int64_t whole;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!round_of(good[i].text, INK__ROUND_HALF_EVEN, &whole) || whole != good[i].even)
            fail_msg("%s half even is %" PRId64, good[i].text, whole);
        if (!round_of(good[i].text, INK__ROUND_HALF_UP, &whole) || whole != good[i].up)
            fail_msg("%s half up is %" PRId64, good[i].text, whole);
        if (!round_of(good[i].text, INK__ROUND_HALF_AWAY, &whole) || whole != good[i].away)
            fail_msg("%s half away is %" PRId64, good[i].text, whole);
    }
    /* The least number that fits, and a half below it: it depends on where a half goes. */
    CHECK(round_of("-9223372036854775808.5", INK__ROUND_HALF_EVEN, &whole) && whole == INT64_MIN);
    CHECK(round_of("-9223372036854775808.5", INK__ROUND_HALF_UP, &whole) && whole == INT64_MIN);
    CHECK(!round_of("-9223372036854775808.5", INK__ROUND_HALF_AWAY, &whole));
}

TEST(what_cannot_be_rounded_is_refused)
{
    const char *wrong = "|-|.|-.|1.2.3|1e|e1|.e1|1e+|1e1.5|1e1e1|1ee1|1 e1|1e "
                        "1|1e1x|1e19|1e18446744073709551617|1e99999999999999999999|nan|inf|1,5| "
                        "1|1 |--1|1.5x|x|9223372036854775807.5|"
                        "-9223372036854775808.6|18446744073709551615.9|99999999999999999999";
    int64_t     whole;

    while (wrong != NULL) {
        const char *text = check_next_word(&wrong);
        if (round_of(text, INK__ROUND_HALF_EVEN, &whole))
            fail_msg("%s was rounded to %" PRId64, text, whole);
    }
}

TEST(tenths_are_rounded_as_the_c_library_does)
{
    for (int tenths = -200; tenths <= 200; tenths++) { /* halves are exact in binary too */
        char    text[16];
        int64_t even = 0, up = 0, away = 0;
        snprintf(text, sizeof text, "%s%d.%d", tenths < 0 ? "-" : "", abs(tenths) / 10,
                 abs(tenths) % 10);
        CHECK(round_of(text, INK__ROUND_HALF_EVEN, &even) &&
              round_of(text, INK__ROUND_HALF_UP, &up) &&
              round_of(text, INK__ROUND_HALF_AWAY, &away));
        CHECK(even == (int64_t)nearbyint(tenths / 10.0));
        CHECK(up == (int64_t)floor(tenths / 10.0 + 0.5));
        CHECK(away == (int64_t)round(tenths / 10.0));
    }
}

/* One decimal is read apart from all other forms. */
TEST(one_decimal_rounds_as_two_do)
{
    static const ink__rounding roundings[] = {INK__ROUND_HALF_EVEN, INK__ROUND_HALF_AWAY,
                                              INK__ROUND_HALF_UP};
    static const char *const   wholes[] = {"0",  "1",   "2",   "9",         "007",
                                           "10", "899", "999", "123456789", "9999999999999999",
                                           "-3", "+4",  "",    "1e1",       "9223372036854775806"};

    for (size_t w = 0; w < sizeof wholes / sizeof wholes[0]; w++)
        for (int tenth = 0; tenth <= 10; tenth++) /* 10: no digit */
            for (size_t r = 0; r < sizeof roundings / sizeof roundings[0]; r++) {
                char    one[64], two[66];
                int64_t of_one = -1, of_two = -1;
                snprintf(one, sizeof one, "%s.%c", wholes[w], '0' + tenth);
                snprintf(two, sizeof two, "%s0", one);
                assert_int_equal(round_of(one, roundings[r], &of_one),
                                 round_of(two, roundings[r], &of_two));
                assert_int_equal(of_one, of_two);
            }
}

RUN_TESTS()
