/* statistics_test.c - intervals, limits and numbers of tests are those of the books, and the true
 * chance to be above a limit, worked out here term by term, is what was promised. */
#include "jobs/runtime/statistics.h"

#include "support/check.h"

#include <math.h>

/* ---- Intervals ---------------------------------------------------------------------------- */

TEST(intervals_are_those_of_wilson)
{
    /* Worked out with 40 digits from the formula, z = 1.959963984540054. */
    static const struct {
        uint64_t found, tested;
        double   low, high;
    } known[] = {
        {0, 10, 0, 0.27753279986288926},
        {1, 10, 0.017876213095072896, 0.4041500267952385},
        {5, 10, 0.23659309051256394, 0.7634069094874361},
        {10, 10, 0.7224672001371107, 1},
        {10, 1000, 0.005440754445529248, 0.018309468870314774},
        {10000, 1000000, 0.009806859643998295, 0.01019690497118437},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double low = -1, high = -1;
        ink__chance_interval(known[i].found, known[i].tested, &low, &high);
        assert_true(fabs(low - known[i].low) < 1e-9);
        assert_true(fabs(high - known[i].high) < 1e-9);
    }
}

TEST(an_interval_holds_its_rate_and_stays_within_0_and_1)
{
    double low, high;

    ink__chance_interval(0, 0, &low, &high);
    assert_true(low == 0 && high == 1); /* nothing is known */
    for (uint64_t tested = 1; tested < 3000; tested += 1 + tested / 7)
        for (uint64_t found = 0; found <= tested; found += 1 + tested / 11) {
            double rate = (double)found / (double)tested;
            ink__chance_interval(found, tested, &low, &high);
            assert_true(0 <= low && low <= rate && rate <= high && high <= 1);
            assert_true(found > 0 ? low > 0 : low == 0);
            assert_true(found < tested ? high < 1 : high == 1);
        }
}

/* ---- Limits ------------------------------------------------------------------------------- */

/* P(X > limit) of a Poisson count, term by term, from the first one above the limit on. */
static double poisson_above(double mean, double limit)
{
    double first = floor(limit) + 1, sum = 0;

    for (double k = first;; k++) {
        double term = exp(k * log(mean) - mean - lgamma(k + 1));
        sum += term;
        if (k > mean && term < 1e-30)
            return sum;
    }
}

TEST(the_terms_of_poisson_are_right)
{
    assert_true(fabs(poisson_above(1, 0) - (1 - exp(-1))) < 1e-12);
    assert_true(fabs(poisson_above(2, 1) - (1 - 3 * exp(-2))) < 1e-12);
    assert_true(fabs(poisson_above(10, -1) - 1) < 1e-9);
}

TEST(a_kept_promise_is_above_the_limit_with_a_chance_of_one_in_a_million)
{
    static const double means[] = {0.01, 0.1, 0.5, 1,   2,    5,     10,
                                   30,   100, 300, 1e3, 3000, 10000, 100000};

    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        double mean = means[i], limit = ink__chance_limit(mean, mean);
        double chance = poisson_above(mean, limit);
        assert_true(limit > mean);
        if (!(chance <= 1.2e-6))
            fail_msg("mean %g: P(X > %g) = %g, expected at most 1.2e-6", mean, limit, chance);
        /* A limit that is far too high would notice nothing; small counts are coarse. */
        if (!(chance >= (mean >= 1000 ? 5e-7 : mean >= 10 ? 2e-7 : 0)))
            fail_msg("mean %g: P(X > %g) = %g: the limit is too high", mean, limit, chance);
    }
}

TEST(limits_grow_with_mean_and_variance)
{
    for (double mean = 0; mean < 1e6; mean = 2 * mean + 0.1) {
        assert_true(ink__chance_limit(mean, mean) < ink__chance_limit(mean + 1, mean));
        assert_true(ink__chance_limit(mean, mean) < ink__chance_limit(mean, mean + 1));
    }
    /* z = 4.753424308822899 for 1e-6 on one side. */
    assert_true(fabs(ink__chance_limit(1e6, 1e6) - (1e6 + 4753.424308822899 + 3.5991744)) < 1e-3);
}

/* One less would be passed too often; from a mean of 1 on the other limit is as good. */
TEST(limits_of_few_events_are_as_close_as_whole_numbers_are)
{
    static const double means[] = {2e-6, 1e-5, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9, 1};

    assert_int_equal(ink__chance_few(0), 0);
    assert_int_equal(ink__chance_few(1e-6), 0);
    assert_int_equal(ink__chance_few(1), (uint64_t)ink__chance_limit(1, 1));
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        double few = (double)ink__chance_few(means[i]);
        assert_true(poisson_above(means[i], few) <= 1e-6);
        /* The bound leaves e^-mean out. */
        assert_true(poisson_above(means[i], few - 1) > 1e-6 * exp(-means[i]));
    }
}

/* ---- Power -------------------------------------------------------------------------------- */

TEST(the_chance_to_be_above_is_that_of_the_normal)
{
    for (double z = -6; z <= 6; z += 0.25) {
        double expected = erfc(-z / sqrt(2)) / 2; /* P(normal < z) */
        double found = ink__chance_above(100 + 3 * z, 9, 100);
        assert_true(fabs(found - expected) < 1e-7);
    }
    assert_true(ink__chance_above(1, 0, 2) == 0);
    assert_true(ink__chance_above(2, 0, 2) == 0); /* it is at the limit, not above */
    assert_true(ink__chance_above(3, 0, 2) == 1);
    assert_true(ink__chance_above(1e9, 1, 0) > 0.999999);
    assert_true(ink__chance_above(0, 1, 1e9) < 1e-6);
}

TEST(enough_tests_notice_a_rate_ten_percent_too_high)
{
    static const double rates[] = {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double n = (double)ink__chance_tests(rates[i]), worse = 1.1 * rates[i];
        double limit = ink__chance_limit(n * rates[i], n * rates[i] * (1 - rates[i]));
        double power = ink__chance_above(n * worse, n * worse * (1 - worse), limit);
        assert_true(power >= 0.999);
        n *= 0.9; /* and not with many fewer, so that nothing is tested in vain */
        limit = ink__chance_limit(n * rates[i], n * rates[i] * (1 - rates[i]));
        power = ink__chance_above(n * worse, n * worse * (1 - worse), limit);
        if (rates[i] < 0.1) /* where the thousand tests more do not count */
            assert_true(power < 0.999);
    }
    assert_in_range(ink__chance_tests(0.01), 625000, 655000);
}

TEST(rates_that_no_number_of_tests_can_report_say_so)
{
    assert_true(ink__chance_tests(0) == UINT64_MAX);
    assert_true(ink__chance_tests(-1) == UINT64_MAX);
    assert_true(ink__chance_tests(0.95) == UINT64_MAX);
    assert_true(ink__chance_tests(1) == UINT64_MAX);
    assert_true(ink__chance_tests((double)NAN) == UINT64_MAX);
    assert_true(ink__chance_tests(1e-300) == UINT64_MAX);
}

RUN_TESTS()
