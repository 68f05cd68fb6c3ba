/* real.h - logarithms, exponentials and the normal distribution, with the same bits on every host,
 * since sizes of sketches depend on them: only operations that IEEE 754 rounds exactly, and no
 * libm. (The build forbids fused multiply-add.) */
#ifndef INK_BASE_REAL_H
#define INK_BASE_REAL_H

#include <float.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1)
#error "sizes need doubles that are rounded after every operation: no -ffast-math, no x87"
#endif

/* ln(x) of a positive, finite number, rounded correctly but for one case in 2^40. */
double ink__ln(double x);

/* ln(1 + x) for -0.5 <= x <= 0.5. */
double ink__ln_1p(double x);

/* e^x, and e^x - 1 without loss near 0, to a few ulps; 0 below -700, a huge number above 700. */
double ink__exp(double x);
double ink__exp_m1(double x);

/* The square root of a finite number to a unit in the last place; 0 for a negative one. */
double ink__sqrt(double x);

/* The nearest doubles that are not below and not above a whole number. */
double ink__real_up(uint64_t x);
double ink__real_down(uint64_t x);

/* The smallest whole number that is not below x, for 0 <= x < 2^64. */
static inline uint64_t ink__whole_up(double x)
{
    const uint64_t whole = (uint64_t)x;

    return whole + ((double)whole < x);
}

/* x^n by squaring. */
double ink__power(double x, uint32_t n);

/* P(normal > z), for z >= 0. */
double ink__normal_tail(double z);

/* The z with P(|normal| < z) = confidence, for 0 < confidence < 1. */
double ink__normal_z(double confidence);

#endif
