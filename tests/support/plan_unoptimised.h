/* plan_unoptimised.h - the sizing of filters, compiled a second time without any optimisation:
 * accuracy/plan_test.c compares the two. */
#ifndef INK_TESTS_PLAN_UNOPTIMISED_H
#define INK_TESTS_PLAN_UNOPTIMISED_H

#include <stdint.h>

/* As ink__ln, ink__exp, ink__exp_m1, ink__ln_1p, ink__sqrt, ink__power and ink__normal_z. */
double unoptimised_ln(double x);
double unoptimised_ln_1p(double x);
double unoptimised_exp(double x);
double unoptimised_exp_m1(double x);
double unoptimised_sqrt(double x);
double unoptimised_power(double x, uint32_t n);
double unoptimised_normal_z(double confidence);

/* As ink__split_block_rate, _promise, _plan and _bits_per_key. */
double   unoptimised_split_block_rate(uint64_t keys, uint64_t blocks, double *scatter);
double   unoptimised_split_block_promise(uint64_t keys, uint64_t blocks);
uint64_t unoptimised_split_block_plan(uint64_t keys, double rate);
double   unoptimised_split_block_bits_per_key(double rate);

#endif
