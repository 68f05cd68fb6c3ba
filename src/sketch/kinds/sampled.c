/* sampled.c - bounds from binomial tails: sums of their terms for few successes, else the normal
 * approximation of Peizer and Pratt [1968], which is off by less than 0.003 of a standard
 * deviation there; and a search for the number or the chance that has a given tail. */
#include "sketch/kinds/sampled.h"

#include "base/real.h"

/* Up to this many successes (or failures) the terms are summed up. */
enum { SUMMED_MAX = 32 };

/* ---- The binomial distribution ------------------------------------------------------------- */

/* ln(1 - p), for 0 <= p <= 1. */
static double ln_of_rest(double p)
{
    return p <= 0.5 ? ink__ln_1p(-p) : ink__ln(p < 1 - 0x1p-53 ? 1 - p : 0x1p-53);
}

/* P(X <= count) of n trials with chance p each. n need not be whole: the incomplete beta function
 * continues it. */
static double sum_up_to(double count, double n, double p)
{
    const double odds = p / (p < 1 - 0x1p-53 ? 1 - p : 0x1p-53);
    double       term = ink__exp(n * ln_of_rest(p)), sum = term;

    for (double i = 0; i < count; i++) {
        term *= (n - i) / (i + 1) * odds;
        sum += term;
    }
    return sum < 1 ? sum : 1;
}

/* (1 - x^2 + 2 x ln x) / (1 - x)^2, for x > 0. */
static double curvature(double x)
{
    const double y = x - 1;

    /* Near 1 the differences lose all their digits; the series does not. */
    if (y > -0.02 && y < 0.02)
        return -y / 3 * (1 - y / 2 * (1 - y * 0.6 * (1 - y * (2.0 / 3))));
    return (1 - x * x + 2 * x * ink__ln(x)) / (y * y);
}

/* The normal deviate below which a normal variable is with the chance P(X <= count). There are at
 * least count + 1/2 trials more. */
static double deviate_of(double count, double n, double p)
{
    const double q = 1 - p, rest = n - count;
    const double off = count + 2.0 / 3 - (n + 1.0 / 3) * p +
                       0.02 * (q / (count + 1) - p / rest + (q - 0.5) / (n + 1));
    const double spread =
        1 + q * curvature((count + 0.5) / (n * p)) + p * curvature((rest - 0.5) / (n * q));

    return off * ink__sqrt(spread / ((n + 1.0 / 6) * p * q));
}

/* ---- Searches ------------------------------------------------------------------------------ */

/* What is looked for: the n or the p at which P(X <= count) is that of `deviate`, or `tail` is at
 * one of the ends. */
typedef struct search {
    double count; /* successes, a whole number */
    double n, p;  /* the one that is looked for is 0 */
    double z, tail;
    bool   upper; /* P(X <= count) is the tail, else 1 - P(X <= count) */
} search;

/* Falls as n or p rises if the upper bound is looked for, and rises if not; 0 at the bound. */
static double distance(const search *s, double at)
{
    const double n = s->n == 0 ? at : s->n, p = s->p == 0 ? at : s->p;

    if (s->count > SUMMED_MAX) {
        double deviate = deviate_of(s->count, n, p);
        return s->upper ? deviate + s->z : s->z - deviate;
    }
    double chance = sum_up_to(s->count, n, p);
    chance = s->upper ? chance : 1 - chance;
    return ink__ln(chance > 1e-290 ? chance : 1e-290) - ink__ln(s->tail);
}

/* Between two places where the distance has different signs: regula falsi, in which an end that
 * stays twice counts half [Illinois]. */
static double root(const search *s, double a, double b)
{
    double at_a = distance(s, a), at_b = distance(s, b), at = a;
    int    stayed = 0;

    for (int i = 0; i < 100 && at_a != at_b; i++) {
        at = (a * at_b - b * at_a) / (at_b - at_a);
        double here = distance(s, at), width = b > a ? b - a : a - b;
        if (here == 0 || width <= 1e-12 * at)
            break;
        if ((here > 0) == (at_b > 0)) {
            b = at;
            at_b = here;
            at_a *= stayed > 0 ? 0.5 : 1;
            stayed = 1;
        } else {
            a = at;
            at_a = here;
            at_b *= stayed < 0 ? 0.5 : 1;
            stayed = -1;
        }
        if (here < 1e-9 && here > -1e-9)
            break;
    }
    return at;
}

/* Successes that no bound of `count` of them needs more of. */
static double far_above(double count, double z)
{
    return count + 10 + z * z + 3 * z * ink__sqrt(count + 1);
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static double most_trials(double count, double p, double z)
{
    search s = {.count = count, .p = p, .z = z, .tail = ink__normal_tail(z), .upper = true};
    double from = count + 1, to = far_above(count, z) / p;

    if (distance(&s, from) <= 0) /* almost all are in the sample */
        return from;
    for (int i = 0; i < 60 && distance(&s, to) > 0; i++)
        to *= 2;
    return root(&s, from, to);
}

static double least_trials(double count, double p, double z)
{
    search s = {.count = count - 1, .p = p, .z = z, .tail = ink__normal_tail(z)};
    double to = count / p;

    if (count == 0 || distance(&s, count) >= 0)
        return count;
    for (int i = 0; i < 60 && distance(&s, to) < 0; i++)
        to *= 2;
    return root(&s, count, to);
}

void ink__sampled_number(uint64_t count, double share, double z, ink_answer *answer)
{
    const double c = (double)count;

    answer->estimate = answer->low = answer->high = c;
    if (share >= 1) {
        answer->confidence = 1;
        return;
    }
    answer->estimate = c / share;
    answer->low = least_trials(c, share, z);
    answer->high = most_trials(c, share, z);
    answer->low = answer->low < answer->estimate ? answer->low : answer->estimate;
    answer->high = answer->high > answer->estimate ? answer->high : answer->estimate;
}

/* ---- Ratios -------------------------------------------------------------------------------- */

/* The largest chance with which at most `count` of n trials succeed often enough. */
static double largest_chance(double count, double n, double z)
{
    search s = {.count = count, .n = n, .z = z, .tail = ink__normal_tail(z), .upper = true};
    double to = far_above(count, z) / n;

    if (count == n)
        return 1;
    to = to < 1 - 1e-15 ? to : 1 - 1e-15;
    return distance(&s, to) >= 0 ? 1 : root(&s, (count + 0.01) / (n + 1), to);
}

static double smallest_chance(double count, double n, double z)
{
    search s = {.count = count - 1, .n = n, .z = z, .tail = ink__normal_tail(z)};
    double from = 1e-6 * count / n;

    if (count == 0)
        return 0;
    if (count == n)
        return ink__exp(ink__ln(s.tail) / n);
    for (int i = 0; i < 8 && distance(&s, from) > 0; i++)
        from *= 1e-6;
    return root(&s, from, count / n);
}

void ink__sampled_ratio(uint64_t count, uint64_t of, double share, double of_none, double z,
                        ink_answer *answer)
{
    const double c = (double)count, n = (double)of, part = of == 0 ? of_none : c / n;

    answer->estimate = answer->low = answer->high = part;
    if (share >= 1) {
        answer->confidence = 1;
        return;
    }
    if (of == 0) {
        answer->estimate = answer->low = 0;
        answer->high = 1;
        return;
    }
    /* Few failures are summed up as few successes are. */
    const bool   turned = n - c < c;
    const double high = turned ? 1 - smallest_chance(n - c, n, z) : largest_chance(c, n, z);
    const double low = turned ? 1 - largest_chance(n - c, n, z) : smallest_chance(c, n, z);
    const double closer = ink__sqrt(1 - share);
    answer->low = low < part ? part - (part - low) * closer : part;
    answer->high = high > part ? part + (high - part) * closer : part;
}
