/* quantities_test.c - numbers as people write them. */
#include "../../cli/options/quantities.c"
#include "support/check.h"

TEST(whole_numbers_are_read_exactly)
{
    static const struct {
        const char *text;
        uint64_t    value;
    } cases[] = {
        {"0", 0},
        {"7", 7},
        {"007", 7},
        {"1e6", 1000000},
        {"1E+6", 1000000},
        {"1.5e6", 1500000},
        {"12.0", 12},
        {"1200e-2", 12},
        {"0.001e3", 1},
        {"0e99999", 0},
        {"9007199254740993", UINT64_C(9007199254740993)},
        {"18446744073709551615", UINT64_MAX},
        {"1.8446744073709551615e19", UINT64_MAX},
    };
    uint64_t value;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(number_count(cases[i].text, &value), NUMBER_OK);
        assert_int_equal(value, cases[i].value);
    }
}

TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = {
        "",    " 5",    "5 ",   "+5",  "-1",   "0x10",  "5x",  "1e",  "1e+",
        "e5",  ".5",    "5.",   "1.5", "1e-1", "nan",   "inf", "1,5", "10 M",
        "10M", "1_000", "1e6x", "1%",  "1.e5", "1e5.0", "٣",   "1\n", "0b1",
    };
    uint64_t value = 77;
    double   real = 77;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(number_count(texts[i], &value), NUMBER_IS_NONE);
        assert_int_equal(value, 77);
        if (strcmp(texts[i], "1.5") == 0 || strcmp(texts[i], "1e-1") == 0)
            continue; /* real enough */
        assert_int_equal(number_real(texts[i], &real), NUMBER_IS_NONE);
        assert_true(real == 77);
    }
}

TEST(what_is_too_large_is_reported)
{
    uint64_t value = 77;
    double   real = 77;

    assert_int_equal(number_count("18446744073709551616", &value), NUMBER_TOO_LARGE);
    assert_int_equal(number_count("1e20", &value), NUMBER_TOO_LARGE);
    assert_int_equal(number_count("1e99999999999", &value), NUMBER_TOO_LARGE);
    assert_int_equal(number_bytes("16777216T", &value), NUMBER_TOO_LARGE);
    assert_int_equal(number_real("1e400", &real), NUMBER_TOO_LARGE);
    assert_int_equal(value, 77);
    assert_true(real == 77);
}

TEST(bytes_times_and_factors_have_units)
{
    uint64_t value;
    double   real;

    assert_int_equal(number_bytes("64M", &value), NUMBER_OK);
    assert_int_equal(value, 64 << 20);
    assert_int_equal(number_bytes("16777215T", &value), NUMBER_OK);
    assert_int_equal(value, UINT64_C(16777215) << 40);
    assert_int_equal(number_bytes("64m", &value), NUMBER_IS_NONE);
    assert_int_equal(number_bytes("64MB", &value), NUMBER_IS_NONE);
    assert_int_equal(number_time("10m", &value), NUMBER_OK);
    assert_int_equal(value, 600000000);
    assert_int_equal(number_time("250ms", &value), NUMBER_OK);
    assert_int_equal(value, 250000);
    assert_int_equal(number_time("3", &value), NUMBER_OK);
    assert_int_equal(value, 3000000);
    assert_int_equal(number_time("2w", &value), NUMBER_IS_NONE);
    assert_int_equal(number_factor("4x", &real), NUMBER_OK);
    assert_true(real == 4);
    assert_int_equal(number_factor("1.5", &real), NUMBER_OK);
    assert_true(real == 1.5);
    assert_int_equal(number_factor("4xx", &real), NUMBER_IS_NONE);
    assert_int_equal(number_factor("x", &real), NUMBER_IS_NONE);
    assert_int_equal(number_real("1e-400", &real), NUMBER_OK);
    assert_true(real == 0);
}

RUN_TESTS()
