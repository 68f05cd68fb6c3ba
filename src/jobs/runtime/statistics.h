/* statistics.h - statistics for verification: intervals of rates, limits of counts, power. */
#ifndef INK_JOBS_RUNTIME_STATISTICS_H
#define INK_JOBS_RUNTIME_STATISTICS_H

#include <stdint.h>

/* Wilson's interval around found / tested, with 95 % confidence. */
void ink__chance_interval(uint64_t found, uint64_t tested, double *low, double *high);

/* A count of many rare, independent events with this mean and variance exceeds the limit with a
 * chance of at most about 1e-6: the normal quantile, corrected for the skew of such counts. */
double ink__chance_limit(double mean, double variance);

/* The same for a Poisson count with a mean of at most 1, in whole numbers and tighter: 0 if the
 * mean is at most 1e-6. */
uint64_t ink__chance_few(double mean);

/* The limit of a count of failures that come in runs, since at high rates one makes the next ones
 * likelier: after each there is another with these odds. */
double ink__chance_limit_of_runs(double mean, double variance, double odds);

/* The chance that a count with this mean and variance is above a limit. */
double ink__chance_above(double mean, double variance, double limit);

/* The number of keys to test so that a rate 10 % above `rate` exceeds that limit with a chance of
 * 0.999. */
uint64_t ink__chance_tests(double rate);

#endif
