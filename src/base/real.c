/* real.c - ln, exp, sqrt and the normal quantile from +, -, * and / alone. */
#include "base/real.h"

#include "base/bits.h"

#define LN2_HIGH 0x1.62e42fefa39efp-1
#define LN2_LOW 0x1.abc9e3b39803fp-56

/* ---- Pairs of doubles: about 106 bits ----------------------------------------------------- */

typedef struct pair {
    double high, low;
} pair;

static pair sum_of(double a, double b)
{
    double sum = a + b, part = sum - a;

    return (pair){sum, (a - (sum - part)) + (b - part)};
}

static pair product_of(double a, double b)
{
    /* Splits each factor in two of 26 bits, whose products are exact [Dekker 1971]. */
    const double split = 134217729.0;
    double       a_big = split * a, b_big = split * b;
    double       a_high = a_big - (a_big - a), a_low = a - a_high;
    double       b_high = b_big - (b_big - b), b_low = b - b_high;
    double       product = a * b;

    return (pair){product,
                  ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

static pair pair_add(pair a, pair b)
{
    pair sum = sum_of(a.high, b.high);

    return sum_of(sum.high, sum.low + a.low + b.low);
}

static pair pair_multiply(pair a, pair b)
{
    pair product = product_of(a.high, b.high);

    return sum_of(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static pair pair_divide(pair a, pair b)
{
    double first = a.high / b.high;
    pair   back = pair_multiply(b, (pair){first, 0});
    double rest = (a.high - back.high) - back.low + a.low;

    return sum_of(first, rest / b.high);
}

/* 2 atanh(s) = 2 (s + s^3/3 + s^5/5 + ...), for |s| below 0.18. */
static pair twice_atanh(pair s)
{
    pair square = pair_multiply(s, s);
    pair series = {0, 0};

    for (int i = 47; i >= 1; i -= 2) /* 0.18^49 / 49 is below 2^-120 */
        series = pair_add(pair_multiply(series, square),
                          pair_divide((pair){1, 0}, (pair){(double)i, 0}));
    series = pair_multiply(series, s);
    return (pair){2 * series.high, 2 * series.low};
}

double ink__ln(double x)
{
    int scale = 0;

    /* x = mantissa * 2^scale with the mantissa between sqrt(1/2) and sqrt(2). */
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        scale -= 54;
    }
    uint64_t bits = ink__bits_of_double(x);
    scale += (int)(bits >> 52) - 1023;
    double mantissa = ink__double_of_bits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    if (mantissa > 1.4142135623730951) {
        mantissa *= 0.5;
        scale++;
    }
    pair result = twice_atanh(pair_divide(sum_of(mantissa, -1), sum_of(mantissa, 1)));
    if (scale != 0)
        result =
            pair_add(pair_multiply((pair){LN2_HIGH, LN2_LOW}, (pair){(double)scale, 0}), result);
    return result.high;
}

double ink__ln_1p(double x)
{
    double s = x / (2 + x), square = s * s, series = 0;

    for (int i = 35; i >= 1; i -= 2) /* |s| <= 1/3 */
        series = series * square + 1.0 / i;
    return 2 * s * series;
}

/* e^x - 1 for |x| below 0.35. */
static double exp_m1_near_zero(double x)
{
    double series = 0;

    for (int i = 16; i >= 1; i--)
        series = (series + 1) * (x / i);
    return series;
}

double ink__exp(double x)
{
    if (x < -700)
        return 0;
    if (x > 700)
        x = 700;
    int    scale = (int)(x / LN2_HIGH + (x < 0 ? -0.5 : 0.5));
    double rest = (x - (double)scale * 0x1.62e42fefap-1) - (double)scale * 0x1.cf79abc9e3b3ap-40;

    return (1 + exp_m1_near_zero(rest)) *
           ink__double_of_bits((uint64_t)(int64_t)(scale + 1023) << 52);
}

double ink__exp_m1(double x)
{
    return x > -0.35 && x < 0.35 ? exp_m1_near_zero(x) : ink__exp(x) - 1;
}

double ink__sqrt(double x)
{
    if (x <= 0)
        return 0;
    if (x < 0x1p-1022) /* subnormal */
        return ink__sqrt(x * 0x1p108) * 0x1p-54;
    /* Half the exponent, then Newton: each step doubles the bits, the first has 3 or more. */
    double root = ink__double_of_bits((ink__bits_of_double(x) >> 1) + 0x1ff8000000000000u);

    for (int i = 0; i < 6; i++)
        root = 0.5 * (root + x / root);
    return root;
}

double ink__power(double x, uint32_t n)
{
    double result = 1;

    for (; n != 0; n >>= 1) {
        if (n & 1)
            result *= x;
        x *= x;
    }
    return result;
}

double ink__normal_tail(double z)
{
    const double density = 0.3989422804014327 * ink__exp(-0.5 * z * z);

    if (z < 3) {
        double term = z, series = z;
        for (int i = 3; i < 120; i += 2) {
            term *= z * z / i;
            series += term;
        }
        return 0.5 - density * series;
    }
    double fraction = z;
    for (int i = 60; i >= 1; i--)
        fraction = z + i / fraction;
    return density / fraction;
}

double ink__real_up(uint64_t x)
{
    double near = (double)x;

    /* 2^64 is the only one that is no uint64_t. */
    return near < 0x1p64 && (uint64_t)near < x ? ink__double_of_bits(ink__bits_of_double(near) + 1)
                                               : near;
}

double ink__real_down(uint64_t x)
{
    double near = (double)x;

    return near >= 0x1p64 || (uint64_t)near > x ? ink__double_of_bits(ink__bits_of_double(near) - 1)
                                                : near;
}

double ink__normal_z(double confidence)
{
    double low = 0, high = 38, tail = 0.5 * (1 - confidence);

    if (confidence == 0.95) /* the usual one; what the search finds */
        return 1.9599639845400509;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (ink__normal_tail(middle) > tail)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
