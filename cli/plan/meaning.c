/* meaning.c - the numbers of a plan, in a few words. */
#include "plan/meaning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHARE_BYTES = 32 };

/* A share in per cent: two digits, or a whole number. */
static void write_share(char text[SHARE_BYTES], double share)
{
    snprintf(text, SHARE_BYTES, share < 0.1 ? "%.2g %%" : "%.0f %%", 100 * share);
}

/* 1 of 1000 reads better than 0.1 %. */
static void mean_rate(char text[PLAN_MEANING_BYTES], double rate)
{
    char digits[SHARE_BYTES];

    if (rate > 0.1) {
        write_share(digits, rate);
        snprintf(text, PLAN_MEANING_BYTES, "%s of non-members pass", digits);
        return;
    }
    snprintf(digits, sizeof digits, "%.2e", 1 / rate); /* no more digits than the rate has */
    snprintf(text, PLAN_MEANING_BYTES, "1 of %.0f non-members passes", strtod(digits, NULL));
}

static void mean_count(char text[PLAN_MEANING_BYTES], const cli_plan *plan)
{
    char error[SHARE_BYTES], chance[SHARE_BYTES];

    write_share(error, plan->is.epsilon);
    write_share(chance, plan->is.delta);
    if (plan->number > 0)
        snprintf(error, sizeof error, "%.0f", plan_error(plan));
    snprintf(text, PLAN_MEANING_BYTES, "at most %s%s too high, but for %s of keys", error,
             plan->number > 0 ? "" : " of the total", chance);
}

static void mean_distinct(char text[PLAN_MEANING_BYTES], double deviation)
{
    const double two_sided_95 = 1.959964; /* deviations of a normal distribution */
    char         one[SHARE_BYTES], most[SHARE_BYTES];

    write_share(one, deviation);
    write_share(most, expm1(two_sided_95 * deviation));
    snprintf(text, PLAN_MEANING_BYTES, "%s standard error, 95 %% of answers within %s", one, most);
}

void plan_meaning(char text[PLAN_MEANING_BYTES], const cli_plan *plan)
{
    char share[SHARE_BYTES];

    switch (plan->family) {
    case PLAN_FILTER:
    case PLAN_CHAIN:
        mean_rate(text, plan->is.promised_rate);
        break;
    case PLAN_COUNTERS:
        mean_count(text, plan);
        break;
    case PLAN_KEPT:
        write_share(share, plan->is.phi);
        snprintf(text, PLAN_MEANING_BYTES, "no key above %s of the total is missed", share);
        break;
    case PLAN_GROUPS:
    case PLAN_REGISTERS:
        mean_distinct(text, plan->is.standard_error);
        break;
    }
}
