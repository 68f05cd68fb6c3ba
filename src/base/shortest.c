/* shortest.c - floats as text. Nearly all floats that people write are a few digits and a power of
 * ten, which one division finds; for the rest all digits are written down, of the float and of the
 * points half way to its neighbours, and the fewest are taken that lie between these [Steele and
 * White 1990]. */
#include "base/shortest.h"

#include "base/bits.h"
#include "base/text.h"
#include "inkling.h"

#include <string.h>

enum { DIGITS_MAX = 17 };

/* A number as digits: 0.d1d2d3... x 10^point. */
typedef struct decimal {
    uint8_t digits[DIGITS_MAX + 3]; /* as characters; room for any 64-bit number */
    int     count;
    int     point;
} decimal;

/* ---- All digits --------------------------------------------------------------------------- */

/* Nine digits in each group, the lowest first; 86 of them hold the smallest doubles. */
enum { GROUP = 1000000000, GROUPS = 88, PLACES = 9 * GROUPS };

typedef struct large {
    int      count;
    uint32_t groups[GROUPS];
} large;

static void multiply(large *number, uint64_t by)
{
    uint64_t carry = 0;

    for (int i = 0; i < number->count; i++) {
        carry += number->groups[i] * by;
        number->groups[i] = (uint32_t)(carry % GROUP);
        carry /= GROUP;
    }
    for (; carry != 0; carry /= GROUP)
        number->groups[number->count++] = (uint32_t)(carry % GROUP);
}

/* Writes all digits of quarters / 4 x 2^exponent, of which two, and as many as a negative exponent
 * says, are after the point, and two groups of zeros before them; returns where the first group
 * starts. */
static int write_digits(uint64_t quarters, int exponent, uint8_t digits[PLACES])
{
    large    all = {1, {1}};
    uint64_t last = 25; /* 100 / 4 */

    multiply(&all, quarters);
    for (; exponent >= 29; exponent -= 29)
        multiply(&all, 1u << 29);
    for (; exponent <= -13; exponent += 13) /* 2^-13 is 5^13 / 10^13 */
        multiply(&all, 1220703125);
    for (; exponent > 0; exponent--)
        last *= 2;
    for (; exponent < 0; exponent++)
        last *= 5;
    multiply(&all, last);
    memset(digits + PLACES - 9 * (all.count + 2), '0', 18);
    for (int i = 0; i < all.count; i++)
        for (int place = 9 * i; place < 9 * (i + 1); place++, all.groups[i] /= 10)
            digits[PLACES - 1 - place] = (uint8_t)('0' + all.groups[i] % 10);
    return PLACES - 9 * all.count;
}

/* ---- The fewest digits -------------------------------------------------------------------- */

/* A float: fraction x 2^exponent. */
typedef struct binary {
    uint64_t fraction;
    int      exponent;
    bool     close_below; /* the next smaller float is half as far as the next larger one */
} binary;

/* The parts of a double that is above 0, finite, and a float of this width. */
static binary take_apart(double value, unsigned width)
{
    int      fraction_bits = width == 64 ? 53 : width == 32 ? 24 : 11; /* with the hidden one */
    int      exponent_min = width == 64 ? -1074 : width == 32 ? -149 : -24; /* of the last bit */
    uint64_t bits = ink__bits_of_double(value);
    uint64_t fraction = bits & 0x000fffffffffffffu;
    int      exponent = (int)(bits >> 52) - 1075;

    if (bits >> 52 == 0)
        exponent++;
    else
        fraction |= 1ull << 52;
    /* The last bit that a narrower float has; subnormal doubles are no narrower ones. */
    int drop = 53 - fraction_bits;
    if (exponent + drop < exponent_min)
        drop = exponent_min - exponent;
    fraction >>= drop;
    exponent += drop;
    return (binary){fraction, exponent,
                    fraction == 1ull << (fraction_bits - 1) && exponent > exponent_min};
}

/* Digit by digit, until those so far, or the next number of as many, can be no other float;
 * `nearest`: the nearer one of these. */
static void find_digits(const binary *value, bool nearest, decimal *found)
{
    uint8_t  low[PLACES], exact[PLACES], high[PLACES], down[PLACES], up[PLACES];
    uint64_t quarters = 4 * value->fraction;
    int      even = value->fraction % 2 == 0; /* 1: half way to a neighbour is this float too */
    size_t   from = (size_t)write_digits(quarters + 2, value->exponent, high) - 1;
    size_t   count = PLACES - from, at = from, carry;
    bool     down_is, up_is, up_is_nearer;

    write_digits(quarters, value->exponent, exact);
    write_digits(quarters - (value->close_below ? 1 : 2), value->exponent, low);
    memset(down + from, '0', count);
    while (exact[at] == '0')
        at++;
    size_t first = at--;
    do {
        at++;
        down[at] = exact[at];
        memcpy(up + from, down + from, count);
        for (carry = at; up[carry] == '9'; carry--)
            up[carry] = '0';
        up[carry]++;
        down_is = memcmp(low + from, down + from, count) < even;
        up_is = memcmp(up + from, high + from, count) < even;
        int half = ink__compare_half(exact + at + 1, PLACES - at - 1);
        up_is_nearer = half > 0 || (half == 0 && exact[at] % 2 == 1);
    } while (nearest ? !(up_is_nearer ? up_is : down_is) : !down_is && !up_is);
    bool is_up = up_is && (!down_is || up_is_nearer);
    if (is_up && carry < first)
        first = carry;
    found->count = (int)(at - first + 1);
    found->point = (int)(PLACES - first) - 2 + (value->exponent < 0 ? value->exponent : 0);
    memcpy(found->digits, (is_up ? up : down) + first, at - first + 1);
}

/* ---- Few digits --------------------------------------------------------------------------- */

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Finds m and k, the smallest one, so that m / 10^k is the value: m has so few digits that no other
 * such number gives this float, and m and 10^k are floats, so their quotient is the float that the
 * digits give. A quotient of doubles can be cut to a single float, which has less than half of
 * their bits. */
static bool find_quickly(double value, unsigned bits, decimal *found)
{
    int    powers_max = bits == 64 ? 22 : 10;
    double limit = bits == 64 ? 1e15 : 1e6;

    if (bits == 16 || value < 1e-5 || value >= limit)
        return false;
    for (int k = 0; k <= powers_max && value * powers[k] < limit; k++) {
        uint64_t whole = (uint64_t)(value * powers[k] + 0.5);
        double   back = (double)whole / powers[k];
        if ((bits == 64 ? back : (double)(float)back) != value)
            continue;
        found->count = (int)(ink__put_number(found->digits, whole) - found->digits);
        found->point = found->count - k;
        return true;
    }
    return false;
}

/* ---- Text --------------------------------------------------------------------------------- */

/* From 1e-4 up to 10^`below` with a point, others with an exponent. */
static char *put_decimal(char *to, const decimal *number, int below)
{
    int exponent = number->point - 1, size = exponent < 0 ? -exponent : exponent;

    if (exponent < -4 || exponent >= below) {
        *to++ = (char)number->digits[0];
        if (number->count > 1)
            *to++ = '.';
        for (int i = 1; i < number->count; i++)
            *to++ = (char)number->digits[i];
        *to++ = 'e';
        *to++ = exponent < 0 ? '-' : '+';
        if (size < 10)
            *to++ = '0';
        return (char *)ink__put_number((uint8_t *)to, (uint64_t)size);
    }
    if (number->point <= 0)
        *to++ = '0';
    for (int i = number->point < 0 ? number->point : 0; i < number->count || i < number->point;
         i++) {
        if (i == number->point)
            *to++ = '.';
        *to++ = i < 0 || i >= number->count ? '0' : (char)number->digits[i];
    }
    return to;
}

/* With a point up to `below`; 0: up to as many digits as there are, and those that "%g" gives. */
static size_t put_float(double value, unsigned bits, int below, char *text)
{
    char   *end = text;
    decimal number;

    if (value == value && ink__bits_of_double(value) >> 63 != 0) {
        *end++ = '-';
        value = -value;
    }
    const char *word = value > 0x1.fffffffffffffp1023 ? "inf" : value == 0 ? "0" : "nan";
    if (!(value > 0 && value <= 0x1.fffffffffffffp1023)) {
        memcpy(end, word, strlen(word));
        return (size_t)(end - text) + strlen(word);
    }
    if (!find_quickly(value, bits, &number)) {
        binary parts = take_apart(value, bits);
        find_digits(&parts, below == 0, &number);
    }
    while (number.count > 1 && number.digits[number.count - 1] == '0')
        number.count--;
    return (size_t)(put_decimal(end, &number, below == 0 ? number.count : below) - text);
}

size_t ink__shortest(double value, unsigned bits, char *text)
{
    return put_float(value, bits, 16, text);
}

size_t ink_real_text(double real, char text[INK_REAL_BYTES])
{
    size_t count = put_float(real, 64, 0, text);

    text[count] = '\0';
    return count;
}

_Static_assert(INK_REAL_BYTES > INK__SHORTEST_BYTES, "room for any real, and a NUL");
