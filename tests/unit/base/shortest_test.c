/* shortest_test.c - a float is written with the fewest digits that give it again, and of these with
 * the nearest: known ones, hard ones, and any bits, beside what the C library prints and reads. */
#include "base/shortest.h"

#include "base/bits.h"
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const char *text_of(double value, unsigned bits)
{
    static char text[INK__SHORTEST_BYTES + 1];
    size_t      count = ink__shortest(value, bits, text);

    CHECK(count > 0 && count <= INK__SHORTEST_BYTES);
    text[count] = 0;
    return text;
}

static uint64_t random_bits(void)
{
    static uint64_t state = 20240229;

    state += 0x9e3779b97f4a7c15u;
    uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- An independent way: the C library prints, and reads again ---------------------------- */

/* The float of this width that is nearest to a number; halves are a grid of their own. */
static double read_as(const char *text, unsigned bits)
{
    double value = strtod(text, NULL);

    if (bits == 64)
        return value;
    if (bits == 32)
        return (double)strtof(text, NULL);
    int exponent;
    frexp(value, &exponent);
    double step = ldexp(1, exponent - 11 < -24 ? -24 : exponent - 11);
    value = nearbyint(value / step) * step; /* five digits and a step are exact as doubles */
    return fabs(value) > 65504 ? copysign(HUGE_VAL, value) : value;
}

/* Writes digits and a decimal exponent as Python does. */
static void write_like_python(char *to, const char *digits, int exponent)
{
    int count = (int)strlen(digits);

    if (exponent < -4 || exponent >= 16)
        sprintf(to, "%c%s%se%+03d", digits[0], count > 1 ? "." : "", digits + 1, exponent);
    else if (exponent < 0)
        sprintf(to, "0.%.*s%s", -exponent - 1, "000", digits);
    else if (exponent >= count - 1)
        sprintf(to, "%s%.*s", digits, exponent - count + 1, "0000000000000000");
    else
        sprintf(to, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
}

/* Tries ever more digits: the nearest of so many, the one below it and the one above. */
static const char *slowly(double value, unsigned bits)
{
    static char text[64];
    char        tried[64], digits[32];

    for (int count = 1; count <= 17; count++) {
        snprintf(tried, sizeof tried, "%.*e", count - 1, fabs(value));
        int exponent = atoi(strchr(tried, 'e') + 1);
        digits[0] = tried[0];
        memcpy(digits + 1, tried + 2, (size_t)count - 1);
        uint64_t number = strtoull((digits[count] = 0, digits), NULL, 10);
        for (int way = 0; way < 3; way++) { /* where the floats below are closer than those above,
                                               the nearest may be none and one further away is */
            uint64_t other = way == 0 ? number : way == 1 ? number + 1 : number - 1;
            char     again[64];
            snprintf(again, sizeof again, "%llue%d", (unsigned long long)other,
                     exponent - count + 1);
            if (other == 0 || read_as(again, bits) != fabs(value))
                continue;
            sprintf(digits, "%llu", (unsigned long long)other);
            exponent += (int)strlen(digits) - count;
            for (size_t last = strlen(digits); last > 1 && digits[last - 1] == '0'; last--)
                digits[last - 1] = 0;
            text[0] = '-';
            write_like_python(text + (signbit(value) != 0), digits, exponent);
            return text;
        }
    }
    fail_msg("%a is not to be had", value);
    return NULL;
}

static void check_slowly(double value, unsigned bits)
{
    if (isfinite(value) && value != 0)
        assert_string_equal(text_of(value, bits), slowly(value, bits));
}

/* ---- Tests -------------------------------------------------------------------------------- */

TEST(known_doubles_are_written_as_python_writes_them)
{
    const char *known =
        "0|-0|1|-1|7|7.5|-7.25|0.1|0.30000000000000004|0.3333333333333333|"
        "0.6666666666666666|100|0.0001|0.00012345|1e-05|1.5e-05|1e-10|1e-100|"
        "1000000000000000|9999999999999998|1e+16|1.5e+16|1e+22|1e+23|"
        "1.2345678901234568e+17|9007199254740992|9007199254740991|5e-324|"
        "2.2250738585072014e-308|2.225073858507201e-308|1.7976931348623157e+308|"
        "-1.7976931348623157e+308|5.684341886080802e-14|9.223372036854776e+18|5e-324|"
        "4.35|2.675|99.99|1234.5678|-1.2345678901234568e-300|inf|-inf";

    while (known != NULL) {
        const char *text = check_next_word(&known);
        assert_string_equal(text_of(strtod(text, NULL), 64), text);
    }
    assert_string_equal(text_of((double)NAN, 64), "nan");
    assert_string_equal(text_of(-(double)NAN, 64), "nan");
    /* Not all digits count. */
    assert_string_equal(text_of(9007199254740993.0, 64), "9007199254740992");
    assert_string_equal(text_of(-1.2345678901234567e-300, 64), "-1.2345678901234568e-300");
    assert_string_equal(text_of(0.1 + 0.2, 64), "0.30000000000000004");
}

/* A constant may have more digits than its type where floats are evaluated as doubles (s390x). */
static double single(float value)
{
    volatile float narrow = value;

    return (double)narrow;
}

TEST(narrower_floats_have_fewer_digits)
{
    assert_string_equal(text_of(single(0.1f), 32), "0.1");
    assert_string_equal(text_of(single(0.1f), 64), "0.10000000149011612");
    assert_string_equal(text_of(single(7.3f), 32), "7.3");
    assert_string_equal(text_of(single(1.0f / 3), 32), "0.33333334");
    assert_string_equal(text_of(16777216, 32), "16777216");
    assert_string_equal(text_of(123456792, 32), "123456790");
    assert_string_equal(text_of(FLT_MAX, 32), "3.4028235e+38");
    assert_string_equal(text_of(FLT_MIN, 32), "1.1754944e-38");
    assert_string_equal(text_of(0x1p-149, 32), "1e-45");
    assert_string_equal(text_of(-0x1p-149, 32), "-1e-45");
    assert_string_equal(text_of(single(1e-5f), 32), "1e-05");
    assert_string_equal(text_of(0x1.998p-4, 16), "0.1");
    assert_string_equal(text_of(0x1.554p-2, 16), "0.3333");
    assert_string_equal(text_of(65504, 16), "65500");
    assert_string_equal(text_of(0x1p-24, 16), "6e-08");
    assert_string_equal(text_of(0x1p-14, 16), "6.104e-05");
    assert_string_equal(text_of(2.5, 16), "2.5");
    assert_string_equal(text_of(-HUGE_VAL, 16), "-inf");
}

TEST(any_bits_give_what_is_read_again)
{
    for (int i = 0; i < 6000; i++) {
        uint64_t bits = random_bits();
        check_slowly(ink__double_of_bits(bits), 64);
        uint32_t half = (uint32_t)bits;
        float    single;
        memcpy(&single, &half, sizeof single);
        check_slowly((double)single, 32);
    }
}

TEST(powers_of_two_and_their_neighbours_are_right)
{
    for (uint64_t exponent = 0; exponent < 2047; exponent++)
        for (uint64_t near = 0; near < 3; near++)
            check_slowly(ink__double_of_bits((exponent << 52) + near - 1), 64);
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t near = 0; near < 3; near++) {
            uint32_t bits = (exponent << 23) + near - 1;
            float    single;
            memcpy(&single, &bits, sizeof single);
            check_slowly((double)single, 32);
        }
}

TEST(every_half_is_right)
{
    for (int fraction = 0; fraction < 1024; fraction++) {
        check_slowly(ldexp(fraction, -24), 16);
        for (int exponent = 1; exponent < 31; exponent++)
            check_slowly(-ldexp(1024 + fraction, exponent - 25), 16);
    }
}

/* What people write: few digits. Nothing but those digits comes back. */
TEST(what_was_written_short_stays_so)
{
    char text[64], trimmed[64];

    for (int i = 0; i < 20000; i++) {
        unsigned digits = 1 + (unsigned)(random_bits() % 6), point = (unsigned)(random_bits() % 5);
        unsigned long number = (unsigned long)random_bits() % (unsigned long)pow(10, digits);
        snprintf(text, sizeof text, "%lu.%0*lu", number / (unsigned long)pow(10, point),
                 (int)(point > 0 ? point : 1), number % (unsigned long)pow(10, point));
        strcpy(trimmed, text);
        while (trimmed[strlen(trimmed) - 1] == '0')
            trimmed[strlen(trimmed) - 1] = 0;
        if (trimmed[strlen(trimmed) - 1] == '.')
            trimmed[strlen(trimmed) - 1] = 0;
        if (strtod(text, NULL) >= 1e-4 || number == 0) {
            assert_string_equal(text_of(strtod(text, NULL), 64), trimmed);
            assert_string_equal(text_of((double)strtof(text, NULL), 32), trimmed);
        }
    }
}

/* Doubles between two that have few digits, whole numbers of all sizes, and fractions of a power of
 * two, which are exact and long. */
TEST(what_has_many_digits_is_right)
{
    for (int i = 0; i < 3000; i++) {
        double value = (double)(random_bits() >> 40) / 1000;
        check_slowly(nextafter(value, HUGE_VAL), 64);
        check_slowly((double)nextafterf((float)value, HUGE_VALF), 32);
        check_slowly((double)(random_bits() >> random_bits() % 64), 64);
        check_slowly((double)(float)(random_bits() >> random_bits() % 64), 32);
        check_slowly(ldexp((double)(random_bits() >> 20), -(int)(random_bits() % 60)), 64);
    }
}

RUN_TESTS()
