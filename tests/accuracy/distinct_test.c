/* distinct_test.c - how many different keys a filter says it holds, from its fill: without bias,
 * with the deviation that it states, inside its interval as often as it promises.
 *
 * 6400 filters a case: with what each test allows besides chance, a bias of 0.13 deviations is
 * noticed with power 0.999, since (0.13 - 0.03) sqrt(6400) is Z_ALPHA + Z_POWER; and so is a
 * deviation 10 % larger than stated, since (0.1 - 0.025) sqrt(2 * 6400) is Z_ALPHA + 1.1 Z_POWER
 * and more. In full 25600 filters: 0.08 deviations, and 6.5 %. Of 6400 intervals of confidence 0.95
 * a share outside 0.95 +- 0.0133 is beyond chance.
 */
#include "accuracy/statistics.h"

enum { TRIALS = 6400, TRIALS_FULL = 25600 };

static const struct filling {
    ink_params params;
    size_t     keys;
} fillings[] = {
    {{.kind = "bloom", .bits = 256 * 100}, 100},
    {{.kind = "bloom", .bits = 256 * 100}, 1000},
    {{.kind = "bloom", .bits = 256 * 100}, 2300}, /* about 1 % */
    {{.kind = "bloom", .bits = 256 * 100}, 8000}, /* nearly all bits set */
    {{.kind = "bloom", .bits = 256 * 1000}, 3000},
    {{.kind = "classic", .bits = 19172, .hashes = 7}, 200},
    {{.kind = "classic", .bits = 19172, .hashes = 7}, 2000}, /* 1 % */
    {{.kind = "classic", .bits = 19172, .hashes = 7}, 6000},
    {{.kind = "classic", .bits = 19172, .hashes = 1}, 8000},
    {{.kind = "classic", .bits = 4001, .hashes = 13}, 200}, /* 1e-4 */
};
enum { FILLINGS = sizeof fillings / sizeof fillings[0] };

static const char *name_of(const char *what, size_t index)
{
    const ink_params *params = &fillings[index].params;

    return named("%s: %s, %g keys in %g bits, k %u", params->kind, what,
                 (double)fillings[index].keys, (double)params->bits,
                 params->hashes == 0 ? 8 : params->hashes);
}

typedef struct estimates {
    moments found;
    double  stated; /* the sum of the squared deviations that the intervals come from */
    double  inside[2];
} estimates;

static const double confidences[2] = {0.95, 0.5};
static const double quantiles[2] = {1.959964, 0.674490};

static const estimates *estimates_of(size_t index)
{
    static estimates results[FILLINGS];
    estimates       *result = &results[index];
    uint64_t         random = 1000 + index;

    if (result->found.count != 0)
        return result;
    double keys = (double)fillings[index].keys;
    result->found.origin = keys;
    for (size_t trial = 0; trial < trials_of(full() ? TRIALS_FULL : TRIALS); trial++) {
        ink_sketch *sketch = make(&fillings[index].params);
        add_random(sketch, &random, fillings[index].keys);
        for (int i = 0; i < 2; i++) {
            ink_answer answer = distinct_of(sketch, confidences[i]);
            double     deviation = (answer.high - answer.low) / (2 * quantiles[i]);
            CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
            CHECK(answer.confidence == confidences[i] && !answer.saturated);
            result->inside[i] += answer.low <= keys && keys <= answer.high;
            if (i == 0) {
                moments_add(&result->found, answer.estimate);
                result->stated += deviation * deviation;
            }
        }
        ink_sketch_free(sketch);
    }
    return result;
}

TEST(estimates_have_no_bias)
{
    /* The logarithm of the share of zeros is curved, so its mean lies above that of the share: by
     * 0.026 of the deviation in the worst case here. Allowed: 0.03 deviations and chance. */
    for (size_t i = 0; i < FILLINGS; i++) {
        const estimates *e = estimates_of(i);
        double           deviation = deviation_of(&e->found);
        double           bias = mean_of(&e->found) - (double)fillings[i].keys;
        double           allowed = 0.03 + Z_ALPHA / sqrt(e->found.count);
        row(name_of("bias of the distinct keys, in deviations", i), 0, bias / deviation, -allowed,
            allowed);
    }
}

TEST(estimates_scatter_as_stated)
{
    /* Nearly full filters state up to 2.5 % too much, which is allowed besides chance. */
    for (size_t i = 0; i < FILLINGS; i++) {
        const estimates *e = estimates_of(i);
        double           stated = sqrt(e->stated / e->found.count);
        double           ratio = deviation_of(&e->found) / stated;
        double           allowed = 0.025 + Z_ALPHA * deviation_error(&e->found);
        row(name_of("deviation of the distinct keys over the stated one", i), 1, ratio, 1 - allowed,
            1 + allowed);
    }
}

TEST(intervals_hold_the_true_number_as_often_as_they_promise)
{
    /* Small numbers of keys have few possible estimates, so 1 % is allowed besides chance. */
    for (size_t i = 0; i < FILLINGS; i++) {
        const estimates *e = estimates_of(i);
        for (int j = 0; j < 2; j++) {
            double share = e->inside[j] / e->found.count, c = confidences[j];
            double besides = j == 0 ? 0.01 : 0.05;
            row_share(name_of(j == 0 ? "share of 95 % intervals that hold the distinct keys"
                                     : "share of 50 % intervals that hold the distinct keys",
                              i),
                      c, besides, besides, share, e->found.count);
        }
    }
}

/* ---- The ends ----------------------------------------------------------------------------- */

TEST(an_empty_filter_holds_exactly_0)
{
    for (size_t i = 0; i < FILLINGS; i++) {
        ink_sketch *sketch = make(&fillings[i].params);
        ink_answer  answer = distinct_of(sketch, 0.99);
        CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0 && !answer.saturated);
        CHECK(answer.confidence == 0.99);
        ink_sketch_free(sketch);
    }
}

TEST(a_few_keys_are_counted_to_a_few_percent)
{
    for (size_t i = 0; i < FILLINGS; i++)
        for (size_t keys = 1; keys <= 10; keys++) {
            ink_sketch *sketch = make(&fillings[i].params);
            uint64_t    random = keys;
            add_random(sketch, &random, keys);
            ink_answer answer = distinct_of(sketch, 0);
            CHECK(fabs(answer.estimate - (double)keys) <= 0.06 * (double)keys);
            CHECK(answer.low >= 0 && answer.low <= answer.estimate);
            CHECK(answer.high >= answer.estimate && answer.confidence == 0.95);
            ink_sketch_free(sketch);
        }
}

TEST(repeated_keys_count_once)
{
    for (size_t i = 0; i < FILLINGS; i++) {
        ink_sketch *once = make(&fillings[i].params), *often = make(&fillings[i].params);
        for (int j = 0; j < 5; j++) {
            uint64_t random = 5;
            add_random(often, &random, 100);
        }
        uint64_t random = 5;
        add_random(once, &random, 100);
        CHECK(distinct_of(once, 0).estimate == distinct_of(often, 0).estimate);
        ink_sketch_free(once);
        ink_sketch_free(often);
    }
}

TEST(a_full_filter_says_so_and_stays_finite)
{
    static const ink_params filled[] = {
        {.kind = "bloom", .bits = 256},
        {.kind = "bloom", .bits = 256 * 3},
        {.kind = "classic", .bits = 1, .hashes = 1},
        {.kind = "classic", .bits = 13, .hashes = 5},
    };

    for (size_t i = 0; i < sizeof filled / sizeof filled[0]; i++) {
        ink_sketch *sketch = make(&filled[i]);
        uint64_t    random = i;
        add_random(sketch, &random, 5000);
        ink_answer answer = distinct_of(sketch, 0);
        CHECK(answer.saturated && rate_of(sketch) == 1);
        CHECK(answer.estimate > 0 && answer.estimate < 5000);
        CHECK(answer.low >= 0 && answer.low <= answer.estimate);
        CHECK(answer.high == 0x1p64); /* anything may be in there */
        ink_sketch_free(sketch);
    }
}

RUN_TESTS()
