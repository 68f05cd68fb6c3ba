/* plan_unoptimised.c - real.c and split_block_plan.c once more, without any optimisation and under
 * other names, whatever the rest is compiled with. */
#if defined(__clang__)
#pragma clang optimize off
#else
#pragma GCC optimize("O0")
#endif

#define ink__ln unoptimised_ln
#define ink__ln_1p unoptimised_ln_1p
#define ink__exp unoptimised_exp
#define ink__exp_m1 unoptimised_exp_m1
#define ink__sqrt unoptimised_sqrt
#define ink__power unoptimised_power
#define ink__real_up unoptimised_real_up
#define ink__real_down unoptimised_real_down
#define ink__normal_tail unoptimised_normal_tail
#define ink__normal_z unoptimised_normal_z
#define ink__split_block_rate unoptimised_split_block_rate
#define ink__split_block_promise unoptimised_split_block_promise
#define ink__split_block_plan unoptimised_split_block_plan
#define ink__split_block_bits_per_key unoptimised_split_block_bits_per_key

#include "support/plan_unoptimised.h"

#include "base/real.c"
#include "sketch/kinds/split_block_plan.c"
