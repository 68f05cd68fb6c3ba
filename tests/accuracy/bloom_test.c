/* bloom_test.c - a bloom has the false-positive rate that it tells, that it was planned for, and
 * that was asked for; and its bits and its scatter are those of the model behind the plan. Levels,
 * powers and sample sizes: statistics.h. All with integer keys 0, 1, 2, ... under the default hash,
 * which are the keys that a weak hash would treat worst, and with the hash's seed from 1 on. */
#include "accuracy/statistics.h"
#include "sketch/split_block_plan.h"

static const double   rates[] = {0.1, 0.01, 0.001, 1e-4};
static const uint64_t sizes[] = {1000, 100000, 1000000};
enum { RATES = 4, SIZES = 3, SEEDS_MIN = 20 };

/* What the filters of one rate and size came to. */
typedef struct measurement {
    uint64_t blocks;
    double   model, scatter;     /* the expected rate of one, and its relative deviation */
    size_t   filters;            /* as many seeds */
    double   present;            /* the sum of their present rates */
    double   ones;               /* the sum of their bits set */
    double   questions, yes;     /* foreign keys asked, and found */
    double   expected, variance; /* of `yes`, from the present rates */
} measurement;

/* How many filters it takes to see that their mean rate is 10 % off the model, at least 20. */
static size_t filters_for(double scatter)
{
    double root = (Z_ALPHA + 1.1 * Z_POWER) * scatter / 0.1;
    size_t filters = (size_t)ceil(root * root);

    return light() ? 4 : filters < SEEDS_MIN ? SEEDS_MIN : filters;
}

static ink_params params_of(uint64_t keys, double rate, uint64_t seed)
{
    return (ink_params){
        .kind = "bloom",
        .expected_keys = keys,
        .false_positive_rate = rate,
        .key_type = INK_KEY_INT,
        .seed = seed,
        .explicit_seed = true,
    };
}

static void measure(uint64_t keys, double rate, size_t filters, size_t questions, measurement *out)
{
    *out = (measurement){.filters = filters};
    for (size_t i = 0; i < filters; i++) {
        const ink_params params = params_of(keys, rate, 1 + i);
        ink_sketch      *sketch = make(&params);
        ink_description  description;
        ink_sketch_describe(sketch, &description);
        add_ints(sketch, 0, (size_t)keys);

        double now = rate_of(sketch), asked = (double)(questions / filters + 1);
        out->blocks = description.bits / 256;
        out->present += now;
        out->ones += (double)ones_of(sketch);
        out->questions += asked;
        out->expected += asked * now;
        out->variance += asked * now * (1 - now);
        out->yes += (double)ask_ints(sketch, (int64_t)keys, (size_t)asked);
        ink_sketch_free(sketch);
    }
    out->model = ink__split_block_rate(keys, out->blocks, &out->scatter);
}

/* The measurement of rates[i] and sizes[j]; made once. */
static const measurement *measured(size_t i, size_t j)
{
    static measurement results[RATES][SIZES];
    measurement       *result = &results[i][j];
    uint64_t           keys = light() ? 1000 : sizes[j];

    if (result->filters == 0) {
        double   scatter;
        uint64_t blocks = ink__split_block_plan(keys, rates[i]);
        double   model = ink__split_block_rate(keys, blocks, &scatter);
        measure(keys, rates[i], filters_for(scatter), questions_for(model, 1.1), result);
    }
    return result;
}

#define FOR_EACH_CASE(i, j)                                                                        \
    for (size_t i = 0; i < RATES; i++)                                                             \
        for (size_t j = 0; j < SIZES; j++)

/* ---- Rates -------------------------------------------------------------------------------- */

static void foreign_keys_are_found_at_the_present_rate(void **state)
{
    (void)state;
    FOR_EACH_CASE(i, j)
    {
        const measurement *m = measured(i, j);
        check_z(m->yes, m->expected, sqrt(m->variance), "yes", "bloom", rates[i], sizes[j]);
    }
}

static void the_present_rates_are_those_of_the_model(void **state)
{
    (void)state;
    FOR_EACH_CASE(i, j)
    {
        const measurement *m = measured(i, j);
        double             count = (double)m->filters;
        check_z(m->present / count, m->model, m->model * m->scatter / sqrt(count), "the mean rate",
                "bloom", rates[i], sizes[j]);
    }
}

static void the_rates_are_below_what_was_asked_for_and_not_far(void **state)
{
    /* The plan leaves room for three deviations and at most 0.4 % of space. */
    (void)state;
    FOR_EACH_CASE(i, j)
    {
        const measurement *m = measured(i, j);
        CHECK(m->model * (1 + 3 * m->scatter) <= rates[i]);
        CHECK(m->model * (1 + 3 * m->scatter) >= rates[i] * (sizes[j] == 1000 ? 0.8 : 0.95) ||
              light());
    }
}

static void a_million_keys_have_the_rate_that_was_asked_for(void **state)
{
    /* The model says 0.986 and 0.979 of what was asked for (the room for scatter). 2e7 questions at
     * 0.01 and 4e8 at 1e-4 have a relative deviation of 0.22 % and 0.5 %, so 1.0 is 6 and 4 of them
     * away, 0.95 more; the power against 10 % more is above 1 - 1e-9. */
    static const struct {
        double rate;
        size_t questions;
    } asked[] = {{0.01, 20000000}, {1e-4, 400000000}};

    (void)state;
    if (light()) { /* as much of it as can be done: the rate is kept, nothing else is said */
        measurement m;
        measure(1000, 0.01, 2, 20000, &m);
        CHECK(m.yes / m.questions < 0.02);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        measurement m;
        measure(1000000, asked[i].rate, SEEDS_MIN, asked[i].questions, &m);
        double ratio = m.yes / m.questions / asked[i].rate;
        if (!(ratio >= 0.95 && ratio <= 1))
            fail_msg("%g of the rate %g, expected 0.95 to 1", ratio, asked[i].rate);
        check_z(m.yes, m.expected, sqrt(m.variance), "yes", "bloom", asked[i].rate, 1000000);
    }
}

static void text_keys_have_the_same_rate(void **state)
{
    /* 1e5 keys "key N" under XXH3 in 20 filters, 6.6e5 questions. */
    const uint64_t keys = light() ? 500 : 100000;
    double         expected = 0, variance = 0, yes = 0;
    size_t         questions = questions_for(0.0095, 1.1) / 20 + 1;
    char           text[32];
    ink_error      error;

    (void)state;
    for (uint64_t seed = 1; seed <= (light() ? 2 : 20); seed++) {
        const ink_params params = {.kind = "bloom", .expected_keys = keys, .seed = seed};
        ink_sketch      *sketch = make(&params);
        for (uint64_t i = 0; i < keys + questions; i++) {
            size_t bytes = 4;
            memcpy(text, "key ", 4);
            for (uint64_t rest = i; rest != 0; rest /= 10)
                text[bytes++] = (char)('0' + rest % 10);
            bool maybe = false;
            if (i < keys) {
                CHECK_OK(ink_sketch_add(sketch, text, bytes, &error));
                continue;
            }
            CHECK_OK(ink_sketch_contains(sketch, text, bytes, &maybe, &error));
            yes += maybe;
        }
        double now = rate_of(sketch);
        expected += now * (double)questions;
        variance += now * (1 - now) * (double)questions;
        ink_sketch_free(sketch);
    }
    check_z(yes, expected, sqrt(variance), "yes", "bloom of text", 0.01, keys);
}

/* ---- Bits --------------------------------------------------------------------------------- */

/* (1 - x)^n. */
static double none_of(double x, double n)
{
    return exp(n * log1p(-x));
}

static void as_many_bits_are_set_as_expected(void **state)
{
    /* A bit stays 0 with chance (1 - 1/(32 B))^n; two of a word or of different blocks with
     * (1 - 2/(32 B))^n; two in different words of a block with (1 - 2/(32 B) + 1/(1024 B))^n. The
     * deviation is below 0.1 % of the bits, so the power against 10 % is 1. */
    (void)state;
    FOR_EACH_CASE(i, j)
    {
        const measurement *m = measured(i, j);
        double             blocks = (double)m->blocks, n = (double)(light() ? 1000 : sizes[j]);
        double             bits = 256 * blocks, x = 1 / (32 * blocks), zeros = bits * none_of(x, n);
        double             apart = none_of(2 * x, n), beside = none_of(2 * x - x / 32, n);
        double             squared = zeros + bits * (31 + bits - 256) * apart + bits * 224 * beside;
        double             count = (double)m->filters;
        CHECK(sqrt(squared - zeros * zeros) < 0.01 * bits);
        check_z(m->ones, count * (bits - zeros), sqrt(count * (squared - zeros * zeros)),
                "the number of bits set", "bloom", rates[i], sizes[j]);
    }
}

/* ---- Scatter ------------------------------------------------------------------------------ */

typedef struct scattered {
    moments rates;
    double  model, scatter;
    double  above; /* the share of filters above the rate asked for */
} scattered;

static scattered scatter_of(double rate, uint64_t keys, size_t filters)
{
    uint64_t  blocks = ink__split_block_plan(keys, rate), random = (uint64_t)(1 / rate);
    scattered result = {0};
    size_t    above = 0;

    result.model = ink__split_block_rate(keys, blocks, &result.scatter);
    result.rates.origin = result.model;
    for (size_t i = 0; i < filters; i++) {
        const ink_params params = params_of(keys, rate, 1);
        ink_sketch      *sketch = make(&params);
        add_random(sketch, &random, (size_t)keys);
        double now = rate_of(sketch);
        above += now > rate;
        moments_add(&result.rates, now);
        ink_sketch_free(sketch);
    }
    result.above = (double)above / (double)filters;
    return result;
}

enum { SCATTERED = 20000 };

static void small_filters_scatter_as_the_model_tells(void **state)
{
    /* 20000 filters of 1000 keys: the deviation is known to 0.8 % at 1e-4, where the rates are far
     * from normal (kurtosis 5.6), and better above. 10 % more is 12 of these. */
    (void)state;
    for (size_t i = 0; i < RATES; i++) {
        scattered s = scatter_of(rates[i], 1000, trials_of(SCATTERED));
        double    expected = s.model * s.scatter;
        CHECK(light() || deviation_error(&s.rates) * (Z_ALPHA + 1.1 * Z_POWER) <= 0.1);
        check_z(deviation_of(&s.rates), expected, expected * deviation_error(&s.rates),
                "the deviation of the rate", "bloom", rates[i], 1000);
        check_z(mean_of(&s.rates), s.model, expected / sqrt(s.rates.count), "the mean rate",
                "bloom", rates[i], 1000);
    }
}

static void few_filters_are_above_the_rate_that_was_asked_for(void **state)
{
    /* Three deviations leave one in 740 above if rates are normal. Small filters of low rates are
     * skewed: of 1000 keys about 0.1 % at 0.01, 0.8 % at 0.001, 1.2 % at 1e-4. Allowed are `most`
     * and Z_ALPHA deviations of so many filters: 0.25 % to 0.45 %, for the last two 1.1 %. */
    static const struct {
        double   rate;
        uint64_t keys;
        size_t   filters;
        double   most;
    } cases[] = {
        {0.1, 1000, SCATTERED, 0.005},  {0.01, 1000, SCATTERED, 0.005},
        {0.001, 1000, SCATTERED, 0.01}, {1e-4, 1000, SCATTERED, 0.015},
        {0.01, 20000, 1000, 0.005},     {1e-4, 20000, 1000, 0.005},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t    filters = trials_of(cases[i].filters);
        scattered s = scatter_of(cases[i].rate, cases[i].keys, filters);
        double    most = cases[i].most;
        double    allowed = most + Z_ALPHA * sqrt(most * (1 - most) / (double)filters);
        if (s.above > allowed)
            fail_msg("%g of the filters of %llu keys are above %g, expected at most %g", s.above,
                     (unsigned long long)cases[i].keys, cases[i].rate, allowed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_keys_are_found_at_the_present_rate),
        cmocka_unit_test(the_present_rates_are_those_of_the_model),
        cmocka_unit_test(the_rates_are_below_what_was_asked_for_and_not_far),
        cmocka_unit_test(a_million_keys_have_the_rate_that_was_asked_for),
        cmocka_unit_test(text_keys_have_the_same_rate),
        cmocka_unit_test(as_many_bits_are_set_as_expected),
        cmocka_unit_test(small_filters_scatter_as_the_model_tells),
        cmocka_unit_test(few_filters_are_above_the_rate_that_was_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
