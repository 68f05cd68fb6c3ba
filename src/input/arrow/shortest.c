/* shortest.c - floats as text. Nearly all floats that people write are a few digits and a power of
 * ten, which one division finds; the rest are computed digit by digit with large integers [Steele
 * and White 1990]. */
#include "input/arrow/shortest.h"

#include "base/bits.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { DIGITS_MAX = 17 };

/* A number as digits: 0.d1d2d3... x 10^point. */
typedef struct decimal {
    uint8_t digits[DIGITS_MAX + 3]; /* as characters; room for any 64-bit number */
    int     count;
    int     point;
} decimal;

/* ---- Large integers ----------------------------------------------------------------------- */

/* 2^1076 x 10 and more: what the smallest and largest doubles need. */
enum { LIMBS = 38 };

typedef struct large {
    int      count; /* of limbs; the last one is not 0 */
    uint32_t limbs[LIMBS];
} large;

static large large_of(uint64_t value)
{
    large made = {.limbs = {(uint32_t)value, (uint32_t)(value >> 32)}};

    made.count = value >> 32 != 0 ? 2 : value != 0;
    return made;
}

static void multiply(large *number, uint32_t by)
{
    uint64_t carry = 0;

    for (int i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * by;
        number->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        number->limbs[number->count++] = (uint32_t)carry;
}

static void multiply_power_of_ten(large *number, int power)
{
    for (; power >= 9; power -= 9)
        multiply(number, 1000000000);
    for (; power > 0; power--)
        multiply(number, 10);
}

static void shift_left(large *number, int by)
{
    for (; by >= 31; by -= 31)
        multiply(number, (uint32_t)1 << 31);
    multiply(number, (uint32_t)1 << by);
}

/* Below 0, 0 or above 0. */
static int compare(const large *a, const large *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* Compares a + b with c. */
static int compare_sum(const large *a, const large *b, const large *c)
{
    const large *longer = a->count >= b->count ? a : b, *other = longer == a ? b : a;
    large        sum = *longer;
    uint64_t     carry = 0;

    for (int i = 0; i < sum.count && (i < other->count || carry != 0); i++) {
        carry += (uint64_t)sum.limbs[i] + (i < other->count ? other->limbs[i] : 0);
        sum.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        sum.limbs[sum.count++] = (uint32_t)carry;
    return compare(&sum, c);
}

/* Subtracts b from a, which is no smaller. */
static void subtract(large *a, const large *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < a->count; i++) {
        uint64_t less = (uint64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0) - borrow;
        a->limbs[i] = (uint32_t)less;
        borrow = less >> 63;
    }
    while (a->count > 0 && a->limbs[a->count - 1] == 0)
        a->count--;
}

/* ---- Digits ------------------------------------------------------------------------------- */

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

/* The state of the search for digits: rest / scale is left, and the floats below and above are
 * 2 x below / scale and 2 x above / scale away. */
typedef struct search {
    large rest, scale, below, above;
    bool  reached; /* half way to a neighbour still gives this float: its fraction is even */
} search;

/* Sets up value / 10^point. */
static void search_start(search *now, const binary *value, int point)
{
    int more = value->close_below ? 2 : 1; /* bits after the point, for half a distance */

    now->rest = large_of(value->fraction);
    now->scale = now->below = now->above = large_of(1);
    now->reached = value->fraction % 2 == 0;
    shift_left(&now->rest, more + (value->exponent > 0 ? value->exponent : 0));
    shift_left(&now->scale, more + (value->exponent < 0 ? -value->exponent : 0));
    shift_left(&now->below, value->exponent > 0 ? value->exponent : 0);
    shift_left(&now->above, (value->exponent > 0 ? value->exponent : 0) + more - 1);
    if (point > 0) {
        multiply_power_of_ten(&now->scale, point);
    } else {
        multiply_power_of_ten(&now->rest, -point);
        multiply_power_of_ten(&now->below, -point);
        multiply_power_of_ten(&now->above, -point);
    }
}

/* Whether a digit more is still nearest to this float. */
static bool reaches_up(const search *now)
{
    return compare_sum(&now->rest, &now->above, &now->scale) >= (now->reached ? 0 : 1);
}

/* Digit by digit, until the digits can be no other float. */
static void find_digits(const binary *value, decimal *found)
{
    search now;
    int    bits = 64 - (int)ink__leading_zeros_64(value->fraction) + value->exponent - 1;
    bool   low, high;

    /* 78913 / 2^18 is the logarithm of 2, good enough here: the point is right, or one too low. */
    found->point = (bits * 78913 >> 18) + 1;
    found->count = 0;
    search_start(&now, value, found->point);
    if (reaches_up(&now)) {
        multiply(&now.scale, 10);
        found->point++;
    }
    do {
        uint8_t digit = 0;
        multiply(&now.rest, 10);
        multiply(&now.below, 10);
        multiply(&now.above, 10);
        for (; compare(&now.rest, &now.scale) >= 0; digit++)
            subtract(&now.rest, &now.scale);
        low = compare(&now.rest, &now.below) <= (now.reached ? 0 : -1);
        high = reaches_up(&now);
        if (low || high) { /* the last one: the nearer of two, the even one half way */
            int half = compare_sum(&now.rest, &now.rest, &now.scale);
            digit =
                (uint8_t)(digit + (high && (!low || half > 0 || (half == 0 && digit % 2 == 1))));
        }
        found->digits[found->count++] = (uint8_t)('0' + digit);
    } while (!low && !high);
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

static char *put_exponent(char *to, int exponent)
{
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);

    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *to++ = (char)('0' + size / 100);
    *to++ = (char)('0' + size / 10 % 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

/* From 1e-4 up to 1e16 with a point, others with an exponent, as Python has it. */
static char *put_decimal(char *to, const decimal *number)
{
    if (number->point < -3 || number->point > 16) {
        *to++ = (char)number->digits[0];
        if (number->count > 1)
            *to++ = '.';
        for (int i = 1; i < number->count; i++)
            *to++ = (char)number->digits[i];
        return put_exponent(to, number->point - 1);
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

size_t ink__shortest(double value, unsigned bits, char *text)
{
    char   *end = text;
    decimal number;

    if (value != value) {
        memcpy(text, "nan", 3);
        return 3;
    }
    if (ink__bits_of_double(value) >> 63 != 0) {
        *end++ = '-';
        value = -value;
    }
    if (value > 0x1.fffffffffffffp1023) {
        memcpy(end, "inf", 3);
        return (size_t)(end + 3 - text);
    }
    if (value == 0) {
        *end++ = '0';
        return (size_t)(end - text);
    }
    if (!find_quickly(value, bits, &number)) {
        binary parts = take_apart(value, bits);
        find_digits(&parts, &number);
    }
    while (number.count > 1 && number.digits[number.count - 1] == '0')
        number.count--;
    return (size_t)(put_decimal(end, &number) - text);
}
