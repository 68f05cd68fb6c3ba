/* sampled_test.c - bounds of numbers and ratios from a sample: their tails against sums of the
 * binomial distribution, term by term, and what is exact. */
#include "sketch/kinds/sampled.h"

#include "base/real.h"
#include "support/check.h"

#include <math.h>

/* P(X <= count) of n trials. The first term may be below the smallest double. */
static double up_to(double count, double n, double p)
{
    long double term = expl(n * log1pl(-p)), sum = term;

    for (double i = 0; i < count; i++)
        sum += term *= (n - i) / (i + 1) * p / (1 - p);
    return (double)sum;
}

static const double confidences[] = {0.5, 0.95, 0.999999};
static const double counts[] = {0, 1, 2, 7, 32, 33, 34, 100, 400};
enum { COUNTS = sizeof counts / sizeof counts[0] };

/* A bound whose tail is `found` and should be `tail` is off by less than a thousandth of a standard
 * deviation; where terms are summed, by what the sums of the test lose. */
static void check_tail(double found, double tail, double count)
{
    double off = count <= 31 ? 1e-4 : 2e-2;

    if (!(fabs(found - tail) <= off * tail))
        fail_msg("a tail of %g, expected %g, of %g", found, tail, count);
}

TEST(numbers_have_the_tails_of_their_confidence)
{
    static const double shares[] = {1e-5, 1e-3, 0.1, 0.5, 0.9};

    for (size_t c = 0; c < COUNTS; c++)
        for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
            for (size_t i = 0; i < sizeof confidences / sizeof *confidences; i++) {
                const double z = ink__normal_z(confidences[i]), tail = (1 - confidences[i]) / 2;
                ink_answer   answer = {.confidence = confidences[i]};
                ink__sampled_number((uint64_t)counts[c], shares[s], z, &answer);
                CHECK(answer.low >= counts[c] && answer.low <= answer.estimate);
                CHECK(answer.estimate <= answer.high && answer.confidence == confidences[i]);
                if (answer.high > counts[c] + 1.001)
                    check_tail(up_to(counts[c], answer.high, shares[s]), tail, counts[c]);
                if (answer.low > counts[c] && answer.low < answer.estimate)
                    check_tail(1 - up_to(counts[c] - 1, answer.low, shares[s]), tail, counts[c]);
            }
}

TEST(ratios_have_the_tails_of_their_confidence)
{
    static const double wholes[] = {1, 2, 40, 100, 3000};

    for (size_t c = 0; c < COUNTS; c++)
        for (size_t w = 0; w < sizeof wholes / sizeof *wholes; w++)
            for (size_t i = 0; i < sizeof confidences / sizeof *confidences; i++) {
                const double z = ink__normal_z(confidences[i]), tail = (1 - confidences[i]) / 2;
                const double n = wholes[w], count = fmin(counts[c], n);
                const double fewer = fmin(count, n - count);
                ink_answer   answer = {.confidence = confidences[i]};
                ink__sampled_ratio((uint64_t)count, (uint64_t)n, 1e-12, 1, z, &answer);
                CHECK(answer.low >= 0 && answer.low <= answer.estimate);
                CHECK(answer.estimate <= answer.high && answer.high <= 1);
                if (count < n && answer.high > answer.estimate)
                    check_tail(up_to(count, n, answer.high), tail, fewer);
                if (count > 0 && answer.low < answer.estimate)
                    check_tail(1 - up_to(count - 1, n, answer.low), tail, fewer);
            }
}

TEST(a_sample_of_all_is_exact_and_one_of_nothing_says_nothing)
{
    ink_answer answer = {.confidence = 0.5};

    ink__sampled_number(77, 1, 2, &answer);
    CHECK(answer.low == 77 && answer.estimate == 77 && answer.high == 77);
    CHECK(answer.confidence == 1);
    ink__sampled_ratio(3, 4, 1, 1, 2, &answer);
    CHECK(answer.low == 0.75 && answer.estimate == 0.75 && answer.high == 0.75);
    ink__sampled_ratio(0, 0, 1, 1, 2, &answer);
    CHECK(answer.low == 1 && answer.estimate == 1 && answer.high == 1);
    answer = (ink_answer){.confidence = 0.5};
    ink__sampled_ratio(0, 0, 0.5, 1, 2, &answer);
    CHECK(answer.low == 0 && answer.estimate == 0 && answer.high == 1 && answer.confidence == 0.5);
}

/* No chance below 1 has so small a tail. */
TEST(a_ratio_of_a_row_is_between_0_and_1_for_any_confidence)
{
    for (double z = 8; z <= 36; z += 4) {
        ink_answer answer = {.confidence = 0.5};
        ink__sampled_ratio(0, 1, 1e-20, 1, z, &answer);
        CHECK(answer.low == 0 && answer.estimate == 0 && answer.high == 1);
        ink__sampled_ratio(1, 1, 1e-20, 1, z, &answer);
        CHECK(answer.low >= 0 && answer.low < 1e-12 && answer.high == 1);
    }
}

/* Nearly all keys are in the sample: the bounds of a ratio meet. */
TEST(ratios_become_closer_as_the_sample_grows)
{
    double width = 1;

    for (double rest = 1; rest > 1e-12; rest /= 8) {
        ink_answer answer = {.confidence = 0.95};
        ink__sampled_ratio(300, 1000, 1 - rest / 1.001, 1, 1.96, &answer);
        CHECK(answer.high - answer.low < width);
        width = answer.high - answer.low;
    }
    CHECK(width < 1e-6);
}

RUN_TESTS()
