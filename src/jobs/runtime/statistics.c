/* statistics.c - statistics for verification. */
#include "jobs/runtime/statistics.h"

#include "base/real.h"

#define ONE_SIDED_ALPHA 1e-6

static double alpha_z(void)
{
    return ink__normal_z(1 - 2 * ONE_SIDED_ALPHA);
}

void ink__chance_interval(uint64_t found, uint64_t tested, double *low, double *high)
{
    double z = ink__normal_z(0.95), n = (double)tested;

    *low = 0;
    *high = 1;
    if (tested == 0)
        return;
    double rate = (double)found / n, z2 = z * z / n;
    double centre = (rate + z2 / 2) / (1 + z2);
    double half = z * ink__sqrt(rate * (1 - rate) / n + z2 / (4 * n)) / (1 + z2);
    *low = found == 0 || centre < half ? 0 : centre - half;
    *high = found == tested || centre + half > 1 ? 1 : centre + half;
}

double ink__chance_limit(double mean, double variance)
{
    double z = alpha_z();

    return mean + z * ink__sqrt(variance) + (z * z - 1) / 6;
}

/* P(X > k) is at most m^(k+1) / (k+1)!. */
uint64_t ink__chance_few(double mean)
{
    uint64_t few = 0;

    for (double above = mean; above > ONE_SIDED_ALPHA; above *= mean / (double)(few + 1))
        few++;
    return few;
}

/* A run has 1 + 2 odds in the sense of a limit's skew. */
double ink__chance_limit_of_runs(double mean, double variance, double odds)
{
    const double run = 1 + 2 * odds;

    if (mean < 1 && odds < 0.01)
        return (double)ink__chance_few(mean);
    return run * ink__chance_limit(mean / run, variance / (run * run));
}

/* P(normal < z), by bisection. */
static double below(double z)
{
    double low = 0, high = 1, size = z < 0 ? -z : z;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (middle <= 0 || middle >= 1)
            break;
        if (ink__normal_z(middle) < size)
            low = middle;
        else
            high = middle;
    }
    return z < 0 ? (1 - low) / 2 : (1 + low) / 2;
}

double ink__chance_above(double mean, double variance, double limit)
{
    double sd = ink__sqrt(variance);

    if (!(sd > 0))
        return mean > limit ? 1 : 0;
    return below((mean - limit) / sd);
}

uint64_t ink__chance_tests(double rate)
{
    double worse = 1.1 * rate, z = alpha_z(), zp = ink__normal_z(2 * 0.999 - 1);
    double root = z * ink__sqrt(rate * (1 - rate)) + zp * ink__sqrt(worse * (1 - worse));
    double tests = root * root / ((worse - rate) * (worse - rate));

    if (!(rate > 0) || !(worse < 1) || !(tests < 1e18))
        return UINT64_MAX;
    return (uint64_t)(tests * 1.02) + 1000; /* the limit is a little above the normal one */
}
