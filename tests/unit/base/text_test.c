/* text_test.c - formatting into a bounded buffer: each directive as C has it, nothing past the end,
 * and unknown bytes made safe to show. */
#include "base/text.h"

#include "inkling.h"
#include "support/check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

/* ---- Directives --------------------------------------------------------------------------- */

#define CHECK_TEXT(expected, ...)                                                                  \
    do {                                                                                           \
        char check_text[200];                                                                      \
        assert_int_equal(ink__format(check_text, sizeof check_text, __VA_ARGS__),                  \
                         strlen(expected));                                                        \
        assert_string_equal(check_text, expected);                                                 \
    } while (0)

TEST(text_and_characters_are_copied)
{
    CHECK_TEXT("plain", "plain");
    CHECK_TEXT("", "%s", "");
    CHECK_TEXT("a bee and an ant", "a %s and an %s", "bee", "ant");
    CHECK_TEXT("[x]", "[%c]", 'x');
    CHECK_TEXT("100%", "100%%");
    CHECK_TEXT("%s", "%%s");
    CHECK_TEXT("h\xc3\xa9", "h%c%c", '\xc3', '\xa9');
}

TEST(signed_numbers_of_every_length_are_written)
{
    CHECK_TEXT("0 7 -7", "%d %d %d", 0, 7, -7);
    CHECK_TEXT("2147483647 -2147483648", "%d %d", INT_MAX, INT_MIN);
    CHECK_TEXT("-5 -6", "%ld %lld", -5L, -6LL);
    CHECK_TEXT("9223372036854775807 -9223372036854775808", "%lld %lld", LLONG_MAX, LLONG_MIN);
    CHECK_TEXT("-2147483648", "%ld", (long)INT_MIN);
}

TEST(unsigned_numbers_of_every_length_are_written)
{
    CHECK_TEXT("0 4294967295", "%u %u", 0u, UINT_MAX);
    CHECK_TEXT("8 9 10", "%lu %llu %zu", 8ul, 9ull, (size_t)10);
    CHECK_TEXT("18446744073709551615", "%llu", ULLONG_MAX);
    CHECK_TEXT("4294967295 4294967295", "%lu %zu", 4294967295ul, (size_t)4294967295u);
    CHECK_TEXT("0 a ff deadbeef", "%x %x %x %x", 0u, 10u, 255u, 0xdeadbeefu);
    CHECK_TEXT("1 ffffffffffffffff 10", "%lx %llx %zx", 1ul, ULLONG_MAX, (size_t)16);
}

TEST(arguments_are_taken_in_order_whatever_their_width)
{
    CHECK_TEXT("1 two 3 0.5 4 c 18446744073709551615 -1 1.5", "%u %s %llu %g %zu %c %llu %d %g", 1u,
               "two", 3ull, 0.5, (size_t)4, 'c', ULLONG_MAX, -1, 1.5);
}

/* ---- Cutting ------------------------------------------------------------------------------ */

TEST(text_is_cut_at_every_length_of_the_buffer)
{
    const char *whole = "id 42, -7 of ff, 0.015625: bee!";
    char        text[40];

    for (size_t room = 0; room <= strlen(whole) + 2; room++) {
        size_t fits = room == 0 ? 0 : room - 1 < strlen(whole) ? room - 1 : strlen(whole);
        memset(text, '#', sizeof text);
        assert_int_equal(ink__format(text, room, "id %u, %d of %x, %g: %s%c", 42u, -7, 255u,
                                     0.015625, "bee", '!'),
                         fits);
        assert_memory_equal(text, whole, fits);
        if (room > 0)
            assert_int_equal(text[fits], '\0');
        for (size_t i = room; i < sizeof text; i++)
            assert_int_equal(text[i], '#');
    }
}

static size_t formatted_twice(char *text, size_t text_bytes, const char *format, ...)
{
    va_list arguments;
    size_t  used;

    va_start(arguments, format);
    used = ink__format_list(text, text_bytes, format, arguments);
    used += ink__format_list(text + used, text_bytes - used, format, arguments);
    va_end(arguments);
    return used;
}

TEST(a_list_of_arguments_can_be_used_again)
{
    char text[40];

    assert_int_equal(formatted_twice(text, sizeof text, "%s %d;", "bee", 5), 12);
    assert_string_equal(text, "bee 5;bee 5;");
}

/* ---- %g ----------------------------------------------------------------------------------- */

/* The rule: the same text as C's %g, with one exception. The digits are found by multiplying and
 * dividing by ten, at most 330 times, each time with an error of 2^-53; so where the exact value
 * lies within a ten-millionth of a unit of the sixth digit of a tie, the sixth digit may be the
 * other neighbour. Returns whether the texts were the same. */
static bool check_real(double value)
{
    char ours[40], theirs[40];

    ink__format(ours, sizeof ours, "%g", value);
    snprintf(theirs, sizeof theirs, "%g", value);
    if (strcmp(ours, theirs) == 0)
        return true;
    double a = strtod(ours, NULL), b = strtod(theirs, NULL), unit = fabs(a - b);
    if (unit > 1.0001e-5 * fabs(value) || unit == 0 || fabs(value - (a + b) / 2) > 1e-7 * unit)
        fail_msg("%a is \"%s\", expected \"%s\"", value, ours, theirs);
    return false;
}

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX */
    return random_state ^ random_state >> 33;
}

TEST(reals_known_by_heart_are_written_as_c_does)
{
    static const double values[] = {
        0.0,         1.0,
        -1.0,        0.5,
        0.01,        0.001,
        0.0001,      0.00001,
        0.000123456, 1e5,
        123456,      999999,
        1e6,         1234567,
        999999.5,    1e15,
        1e100,       1e-100,
        1e9,         1e10,
        1e-9,        1e-10,
        1e99,        1e-99,
        0.1,         1.0 / 3,
        2.0 / 3,     3.14159265358979,
        2.5,         1.25,
        100,         100000,
        10,          0.0102,
        9.99999,     9.999995,
        9.9999996,   99999.95,
        99999.96,    0.99999949,
        0.9999999,   1.00000049,
        DBL_MAX,     DBL_MIN,
        DBL_EPSILON, 0x1p-1074,
        0x1p-1073,   3e-324,
        1e-320,      0x0.fffffffffffffp-1022,
        1024,        65536,
        1048576,     0.000244140625,
    };

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        check_real(values[i]);
        if (values[i] != 0)
            check_real(-values[i]);
    }
    CHECK_TEXT("0.01 1e-06 123456 1.23457e+06 1e+100 0.5", "%g %g %g %g %g %g", 0.01, 1e-6,
               123456.0, 1234567.0, 1e100, 0.5);
}

TEST(powers_of_ten_and_their_neighbours_are_written_as_c_does)
{
    for (int exponent = -323; exponent <= 308; exponent++) {
        char   text[16];
        double power;
        snprintf(text, sizeof text, "1e%d", exponent);
        power = strtod(text, NULL);
        check_real(power);
        check_real(nextafter(power, 0));
        check_real(nextafter(power, INFINITY));
    }
}

TEST(powers_of_two_are_written_as_c_does)
{
    for (int exponent = -1074; exponent <= 1023; exponent++)
        check_real(ldexp(1, exponent));
}

TEST(random_reals_of_every_magnitude_are_written_as_c_does)
{
    unsigned differ = 0, ties = 0;

    random_state = 1;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next_random();
        double   value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            differ += !check_real(value);
        /* Those that messages are full of: rates and counts. */
        differ += !check_real((double)(next_random() >> 11) * 0x1p-53);
        ties += !check_real((double)(next_random() % 10000000) / 1000);
    }
    /* Of the thousandths one in ten ends in 5, and six digits may be a tie then. Of the others one
     * in ten million comes near enough. */
    CHECK(differ == 0);
    CHECK(ties <= 100000 / 10);
}

TEST(a_tie_goes_to_a_neighbour)
{
    check_real(100000.5);
    check_real(100001.5);
    check_real(999998.5);
    check_real(1.000005);
    check_real(1.5e-5 + 0.5e-10);
    /* Exact ties go away from zero here, to the even neighbour in C. */
    CHECK_TEXT("100001 100002 100003", "%g %g %g", 100000.5, 100001.5, 100002.5);
}

TEST(what_is_no_number_and_what_is_infinite_have_names)
{
    CHECK_TEXT("nan inf -inf", "%g %g %g", (double)NAN, (double)INFINITY, (double)-INFINITY);
    CHECK_TEXT("1.79769e+308", "%g", DBL_MAX);
    CHECK_TEXT("4.94066e-324", "%g", 0x1p-1074);
    CHECK_TEXT("0 0", "%g %g", 0.0, -0.0); /* C would write -0; a message has no use for it */
}

/* ---- Quoting ------------------------------------------------------------------------------ */

TEST(printable_text_is_quoted_as_it_is)
{
    char text[100], all[0x7f - 0x20];

    ink__quote(text, sizeof text, "de \"x\"", 6);
    assert_string_equal(text, "de \"x\"");
    ink__quote(text, sizeof text, "", 0);
    assert_string_equal(text, "");
    size_t used = 0;
    for (char c = 0x20; c < 0x7f; c++)
        if (c != '\\')
            all[used++] = c;
    all[used] = '\0';
    ink__quote(text, sizeof text, all, used);
    assert_string_equal(text, all);
}

TEST(everything_else_is_quoted_as_hexadecimal)
{
    char text[20];

    for (unsigned value = 0; value < 256; value++) {
        uint8_t byte = (uint8_t)value;
        char    expected[20];
        if (value >= 0x20 && value < 0x7f && value != '\\')
            continue;
        snprintf(expected, sizeof expected, "a\\x%02xb", value);
        ink__quote(text, sizeof text, (uint8_t[]){'a', byte, 'b'}, 3);
        assert_string_equal(text, expected);
    }
}

TEST(quoting_stops_with_dots_where_room_ends)
{
    static const struct {
        const char *bytes;
        size_t      room;
        const char *expected;
    } cases[] = {
        {"abcdefgh", 9, "abcdefgh"}, /* just fits */
        {"abcdefgh", 8, "abcd..."},
        {"abcdefgh", 5, "a..."},
        {"abcdefgh", 4, "..."},
        {"abcdefgh", 3, ".."},
        {"abcdefgh", 1, ""},
        {"ab\x01", 7, "ab\\x01"}, /* just fits */
        {"ab\x01", 6, "ab..."},
        {"\x01\x02", 9, "\\x01\\x02"},
        {"\x01\x02", 8, "\\x01..."},
        {"\x01\x02", 7, "..."},
        {"a", 2, "a"},
        {"\x01", 5, "\\x01"},
        {"\x01", 4, "..."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[20];
        memset(text, '#', sizeof text);
        ink__quote(text, cases[i].room, cases[i].bytes, strlen(cases[i].bytes));
        assert_string_equal(text, cases[i].expected);
        for (size_t j = cases[i].room; j < sizeof text; j++)
            assert_int_equal(text[j], '#');
    }
}

TEST(a_lone_percent_sign_at_the_end_ends_the_text)
{
    const char *volatile format = "100%"; /* behind the compiler's back, which would refuse it */
    char text[20];

    assert_int_equal(ink__format(text, sizeof text, format, 0), 3);
    assert_string_equal(text, "100");
}

TEST(digits_are_a_number_up_to_a_maximum)
{
    static const struct {
        const char *text;
        uint64_t    max, number;
        bool        is_number;
    } cases[] = {
        {"0", 0, 0, true},
        {"1", 0, 0, false},
        {"65535", 65535, 65535, true},
        {"65536", 65535, 0, false},
        {"00065535", 65535, 65535, true},
        {"18446744073709551615", UINT64_MAX, UINT64_MAX, true},
        {"18446744073709551616", UINT64_MAX, 0, false},
        {"184467440737095516150", UINT64_MAX, 0, false},
        {"", UINT64_MAX, 0, false},
        {"-1", UINT64_MAX, 0, false},
        {"1 ", UINT64_MAX, 0, false},
        {":", UINT64_MAX, 0, false},
        {"/", UINT64_MAX, 0, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t number = 0;
        assert_int_equal(
            ink__parse_digits(cases[i].text, strlen(cases[i].text), cases[i].max, &number),
            cases[i].is_number);
        if (cases[i].is_number)
            assert_true(number == cases[i].number);
    }
}

TEST(a_hexadecimal_digit_has_a_value_in_either_case)
{
    static const char digits[] = "0123456789abcdefABCDEF";

    for (unsigned byte = 0; byte < 256; byte++) {
        const char *found = byte == 0 ? NULL : strchr(digits, (int)byte);
        unsigned    index = found == NULL ? 16 : (unsigned)(found - digits);
        assert_int_equal(ink__hex_digit((uint8_t)byte),
                         found != NULL && index > 15 ? index - 6 : index);
    }
}

/* ---- Numbers in hot loops ----------------------------------------------------------------- */

/* The digits are those of printf, and not a byte follows them. */
static void check_number(uint64_t value)
{
    char    expected[24];
    uint8_t found[32];

    memset(found, '#', sizeof found);
    const uint8_t *end = ink__put_number(found, value);
    int            count = snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
    assert_int_equal(end - found, count);
    assert_memory_equal(found, expected, (size_t)count);
    assert_int_equal(*end, '#');
}

TEST(numbers_of_every_length_are_those_of_printf)
{
    uint64_t power = 1, random = 1;

    for (int digits = 0; digits <= 20; digits++, power *= 10)
        for (uint64_t near = 0; near <= 6; near++)
            check_number(power + near - 3);
    for (unsigned i = 0; i < 100000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        check_number(random >> i % 64);
    }
}

/* ---- Characters --------------------------------------------------------------------------- */

static const struct character {
    const char *bytes;
    bool        utf8;
    size_t      printable; /* its length, or 0 */
} characters[] = {
    {" ", true, 1},
    {"~", true, 1},
    {"\x1f", true, 0},
    {"\x7f", true, 0},
    {"\x80", false, 0},
    {"\xbf", false, 0},
    {"\xc1\xbf", false, 0},
    {"\xc2", false, 0},
    {"\xc2\x7f", false, 0},
    {"\xc2\x80", true, 0},
    {"\xc2\x9f", true, 0},
    {"\xc2\xa0", true, 2},
    {"\xc3\x80", true, 2},
    {"\xdf\xbf", true, 2},
    {"\xdf\xc0", false, 0},
    {"\xe0\x9f\xbf", false, 0},
    {"\xe0\xa0\x80", true, 3},
    {"\xed\x9f\xbf", true, 3},
    {"\xed\xa0\x80", false, 0},
    {"\xed\xbf\xbf", false, 0},
    {"\xee\x80\x80", true, 3},
    {"\xef\xbf", false, 0},
    {"\xef\xbf\xbf", true, 3},
    {"\xf0\x8f\xbf\xbf", false, 0},
    {"\xf0\x90\x80\x80", true, 4},
    {"\xf4\x8f\xbf\xbf", true, 4},
    {"\xf4\x90\x80\x80", false, 0},
    {"\xf8\x88\x80\x80\x80", false, 0},
};
enum { CHARACTERS = sizeof characters / sizeof *characters };

TEST(characters_are_those_of_utf_8_wherever_they_stand)
{
    enum { AROUND = 40 };
    char text[2 * AROUND + 8];

    for (const struct character *c = characters; c < characters + CHARACTERS; c++)
        for (size_t before = 0; before < AROUND; before++) {
            const size_t bytes = strlen(c->bytes), after = AROUND - before;
            memset(text, 'a', sizeof text);
            memcpy(text + before, c->bytes, bytes);
            assert_int_equal(ink_is_utf8(text, before + bytes + after), c->utf8);
            assert_int_equal(ink__utf8_bytes(text, before + bytes + after),
                             c->utf8 ? before + bytes + after : before);
            /* A character that is cut is none. */
            assert_int_equal(ink__utf8_bytes(text, before + bytes - 1), before);
        }
    assert_true(ink_is_utf8(NULL, 0));
}

TEST(a_character_that_a_terminal_would_obey_is_not_printable)
{
    for (const struct character *c = characters; c < characters + CHARACTERS; c++)
        assert_int_equal(ink_printable_character(c->bytes, strlen(c->bytes)), c->printable);
    assert_int_equal(ink_printable_character("", 0), 0);
}

TEST(bytes_are_written_as_digits_where_there_is_room)
{
    char text[8];

    for (size_t room = 0; room < sizeof text; room++) {
        memset(text, '#', sizeof text);
        assert_int_equal(ink_hex_text("\x00\xaf\x1e", 3, text, room), 6);
        assert_memory_equal(text, room > 6 ? "00af1e" : "######", 6);
        CHECK(text[6] == (room > 6 ? '\0' : '#') && text[7] == '#');
    }
}

TEST(bytes_are_a_string_of_json_where_there_is_room)
{
    static const char bytes[] = "a\"\\\n\x7f\xc2\x9f\xc2\xa0\xff";
    static const char expected[] = "\"a\\\"\\\\\\u000a\\u007f\\u009f\xc2\xa0\\u00ff\"";
    char              text[sizeof expected + 2];

    for (size_t room = 0; room < sizeof text; room++) {
        memset(text, '#', sizeof text);
        assert_int_equal(ink_json_text(bytes, sizeof bytes - 1, text, room), sizeof expected - 1);
        if (room >= sizeof expected)
            assert_string_equal(text, expected);
        else
            CHECK(text[0] == '#');
        CHECK(memchr(text + (room < sizeof expected ? 0 : sizeof expected), '\0',
                     sizeof text - (room < sizeof expected ? 0 : sizeof expected)) == NULL);
    }
    assert_int_equal(ink_json_text("", 0, text, sizeof text), 2);
    assert_string_equal(text, "\"\"");
}

RUN_TESTS()
