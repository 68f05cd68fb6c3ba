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
    static const struct {
        const char *text;
        number_status (*read)(const char *text, uint64_t *value);
        uint64_t value;
    } cases[] = {
        {"64", number_bytes, 64},
        {"3K", number_bytes, 3 << 10},
        {"64M", number_bytes, 64 << 20},
        {"3G", number_bytes, UINT64_C(3) << 30},
        {"16777215T", number_bytes, UINT64_C(16777215) << 40},
        {"3", number_time, 3000000},
        {"250ms", number_time, 250000},
        {"7s", number_time, 7000000},
        {"10m", number_time, 600000000},
        {"6h", number_time, UINT64_C(21600000000)},
        {"2d", number_time, UINT64_C(172800000000)},
    };
    uint64_t value;
    double   real;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cases[i].read(cases[i].text, &value), NUMBER_OK);
        assert_int_equal(value, cases[i].value);
    }
    assert_int_equal(number_bytes("64m", &value), NUMBER_IS_NONE);
    assert_int_equal(number_bytes("64MB", &value), NUMBER_IS_NONE);
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

TEST(sizes_numbers_and_rates_are_short_and_right)
{
    static const struct {
        double      number;
        const char *size, *shorter;
    } sizes[] = {
        {0, "0 B", "0"},
        {999, "999 B", "999"},
        {999.7, "999 B", "1.0 k"},
        {1000, "1.0 kB", "1.0 k"},
        {99949, "99.9 kB", "99.9 k"},
        {99950, "100 kB", "100 k"},
        {999499, "999 kB", "999 k"},
        {999500, "1.0 MB", "1.0 M"},
        {3e9, "3.0 GB", "3.0 G"},
        {4e12, "4.0 TB", "4.0 T"},
        {5e15, "5.0 PB", "5000 T"},
        {6e18, "6.0 EB", "6000000 T"},
    };
    static const struct {
        double      rate;
        const char *text;
    } rates[] = {
        {1, "1.00"},
        {0.5, "0.500"},
        {0, "0"},
        {0.01, "0.0100"},
        {1e-4, "0.000100"},
        {9.99e-5, "9.99e-05"},
        {1.234e-7, "1.23e-07"},
        {0.99951, "1.00"},
        {100, "100"},
        {1e-300, "1.00e-300"},
    };
    char text[32];

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        format_size(text, sizeof text, (uint64_t)sizes[i].number);
        assert_string_equal(text, sizes[i].size);
        format_short(text, sizeof text, sizes[i].number);
        assert_string_equal(text, sizes[i].shorter);
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        format_rate(text, sizeof text, rates[i].rate);
        assert_string_equal(text, rates[i].text);
    }
}

RUN_TESTS()
