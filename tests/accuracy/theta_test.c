/* theta_test.c - the estimate of a theta, of unions, intersections, differences and chains of them:
 * without bias, with the deviation of theory, and inside its interval as often as promised, for few
 * values and for many, for sets of equal size and for one that is 10^4 times the other; the same
 * for all answers of an overlap.
 *
 * 6400 trials a case: what is noticed with power 0.999 is a bias of a tenth of the deviation (6371
 * needed), a deviation 10 % larger or smaller (3438 needed for a normal one, see statistics.h), and
 * an interval 10 % too narrow, which holds in 0.922 of cases in place of 0.95: at 6400 trials a
 * share below 0.9367 is refused. An interval may hold more often where few values are left, as the
 * binomial has no finer steps, and the deviation has tails there: these cases are marked `few`.
 *
 * Only the smallest values of a set matter: as many as any sketch can keep are drawn as order
 * statistics of uniform numbers, so that 10^8 keys cost no more than 1000. */
#include "accuracy/statistics.h"

#include "base/bits.h"

enum { TRIALS = 6400, SETS = 3, PARTS = 1 << SETS, PRECISION_MAX = 12, OVERLAPS = 7 };

/* Sets A, B and C are made of parts: number i has the keys of A if i & 1, of B if i & 2, and of C
 * if i & 4. An expression is read from left to right, without precedence. */
static const struct theta_case {
    uint32_t    precision;
    const char *expression;
    double      parts[PARTS];
    bool        few;   /* values: see above */
    bool        check; /* in `make check`, too */
} cases[] = {
    {4, "A", {0, 17}, true, false},
    {4, "A", {0, 1000}, true, true},
    {6, "A", {0, 100}, false, false},
    {6, "A", {0, 1e8}, false, true},
    {8, "A", {0, 300}, false, false},
    {8, "A", {0, 1e5}, false, true},
    {12, "A", {0, 1e6}, false, false},
    {6, "A|B", {0, 500, 500, 100}, false, false},
    {8, "A|B", {0, 1e4, 100, 50}, false, false},
    {8, "A|B", {0, 1e6, 50, 50}, false, true},
    {8, "A&B", {0, 1000, 1000, 1000}, false, true},
    {8, "A&B", {0, 0, 0, 5000}, false, false},
    {8, "A&B", {0, 10000, 10000, 50}, true, true},
    {10, "A&B", {0, 10000, 10000, 10000}, false, false},
    {10, "A&B", {0, 400, 400, 700}, false, false},
    {8, "A&B", {0, 1e5, 100, 900}, true, true},
    {8, "A&B", {0, 1e7, 500, 500}, true, true},
    {8, "A&B", {0, 30000, 30000, 0}, true, true},
    {10, "A&B", {0, 0, 1e5, 20000}, false, true},
    {10, "A&B", {0, 100, 1e5, 20000}, false, true},
    {8, "A&B", {0, 2000, 4e4, 0}, true, true},
    {8, "A-B", {0, 1000, 1000, 1000}, false, true},
    {8, "A-B", {0, 20, 0, 20000}, true, true},
    {8, "A-B", {0, 1e6, 50, 50}, false, false},
    {8, "A-B", {0, 1000, 1e7, 0}, true, false},
    {8, "A&B|C", {0, 3000, 3000, 3000, 3000, 0, 0, 1000}, false, true},
    {8, "A|B-C", {0, 2000, 2000, 1000, 3000, 500, 500, 500}, false, true},
    {8, "A-B&C", {0, 1000, 4000, 1000, 1000, 4000, 0, 0}, false, true},
    {8, "A&B&C", {0, 1000, 1000, 0, 1000, 0, 0, 4000}, false, false},
    {8, "A-B-C", {0, 5000, 1000, 1000, 1000, 1000, 0, 1000}, false, false},
    {10, "A|B&C", {0, 9000, 9000, 2000, 9000, 2000, 2000, 1000}, false, false},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* ---- Sets --------------------------------------------------------------------------------- */

/* Whether a key that is in the sets of `part` is in what an expression leaves. */
static bool leaves(const char *expression, unsigned part)
{
    bool in = (part >> (expression[0] - 'A') & 1) != 0;

    for (const char *at = expression + 1; *at != 0; at += 2) {
        bool other = (part >> (at[1] - 'A') & 1) != 0;
        in = at[0] == '|' ? in || other : at[0] == '&' ? in && other : in && !other;
    }
    return in;
}

static double true_size(const struct theta_case *c)
{
    double sum = 0;

    for (unsigned part = 1; part < PARTS; part++)
        sum += leaves(c->expression, part) ? c->parts[part] : 0;
    return sum;
}

/* The hashes of the smallest of `keys` values, in order, as many as a sketch knows of. Of sorted
 * exponentials the differences are exponentials again [Renyi 1953]. */
static size_t draw_part(double keys, uint32_t precision, uint64_t *random, uint64_t *hashes)
{
    size_t count = (size_t)fmin(keys, ldexp(1, (int)precision) + 1);
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum -= log(next_uniform(random)) / (keys - (double)i);
        hashes[i] = (uint64_t)fmin(-expm1(-sum) * 0x1p63, 0x1p63 - 2048) << 1 | 1;
    }
    return count;
}

static void draw_sets(const struct theta_case *c, uint64_t *random, ink_sketch *sets[SETS])
{
    static uint64_t  hashes[(1 << PRECISION_MAX) + 1];
    const ink_params params = {.kind = "theta", .precision = c->precision};
    ink_error        error;

    for (size_t s = 0; s < SETS; s++)
        sets[s] = make(&params);
    for (unsigned part = 1; part < PARTS; part++) {
        const ink_batch batch = {.count = draw_part(c->parts[part], c->precision, random, hashes),
                                 .hashes = hashes,
                                 .records = UINT64_MAX};
        for (size_t s = 0; s < SETS && batch.count > 0; s++)
            if ((part >> s & 1) != 0)
                CHECK_OK(ink_sketch_add_batch(sets[s], &batch, &error));
    }
}

/* Changes the first of the sets. */
static ink_sketch *evaluate(const char *expression, ink_sketch *const sets[SETS])
{
    ink_sketch *result = sets[expression[0] - 'A'];
    ink_error   error;

    for (const char *at = expression + 1; *at != 0; at += 2) {
        const ink_sketch *other = sets[at[1] - 'A'];
        CHECK_OK(at[0] == '|'   ? ink_sketch_merge(result, other, NULL, &error)
                 : at[0] == '&' ? ink_sketch_intersect(result, other, &error)
                                : ink_sketch_subtract(result, other, &error));
    }
    return result;
}

/* 1 / t of a sketch: its last word is the threshold. */
static double inverse_share(const ink_sketch *sketch)
{
    static uint8_t  payload[8 * ((1 << PRECISION_MAX) + 1)];
    ink_description is;
    ink_error       error;

    ink_sketch_describe(sketch, &is);
    CHECK_OK(ink_sketch_payload(sketch, payload, sizeof payload, &error));
    return 0x1p63 / (double)ink__load_u64(payload + is.bytes - 8);
}

/* ---- Trials ------------------------------------------------------------------------------- */

typedef struct tried {
    moments estimate;
    double  inverse;           /* the sum of 1 / t */
    double  inside;            /* intervals of 0.95 that hold the true number */
    double  overlap[OVERLAPS]; /* the same of an overlap's answers */
} tried;

static bool holds(const ink_answer *answer, double truth)
{
    return answer->low <= truth * (1 + 1e-12) && truth <= answer->high * (1 + 1e-12);
}

static void try_overlap(const struct theta_case *c, ink_sketch *const sets[SETS], tried *all)
{
    const double a = c->parts[1] + c->parts[3], b = c->parts[2] + c->parts[3], both = c->parts[3];
    const double truth[OVERLAPS] = {a + b - both,          both,     a - both, b - both,
                                    both / (a + b - both), both / a, both / b};
    ink_overlap  o;
    ink_error    error;

    CHECK_OK(ink_sketch_overlap(sets[0], sets[1], 0.95, &o, &error));
    const ink_answer *const answers[OVERLAPS] = {&o.in_union, &o.intersection, &o.only_a, &o.only_b,
                                                 &o.jaccard,  &o.a_in_b,       &o.b_in_a};
    for (size_t i = 0; i < OVERLAPS; i++)
        all->overlap[i] += holds(answers[i], truth[i]);
}

static bool has_overlap(const struct theta_case *c)
{
    return strcmp(c->expression, "A&B") == 0;
}

static tried try_all(const struct theta_case *c, uint64_t random)
{
    tried  all = {.estimate.origin = true_size(c)};
    size_t trials = trials_of(TRIALS);

    for (size_t trial = 0; trial < trials; trial++) {
        ink_sketch *sets[SETS];
        ink_answer  answer;
        ink_error   error;
        draw_sets(c, &random, sets);
        if (has_overlap(c))
            try_overlap(c, sets, &all);
        const ink_sketch *result = evaluate(c->expression, sets);
        CHECK_OK(ink_sketch_distinct(result, 0.95, &answer, &error));
        CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
        moments_add(&all.estimate, answer.estimate);
        all.inverse += inverse_share(result);
        all.inside += holds(&answer, true_size(c));
        for (size_t s = 0; s < SETS; s++)
            ink_sketch_free(sets[s]);
    }
    return all;
}

/* Every key of the result is in the sample with the chance t, whatever the others are: so the
 * variance is n (E(1 / t) - 1). */
static void check_case(const struct theta_case *c, uint64_t random)
{
    static const char *const names[OVERLAPS] = {"union",   "intersection", "only a", "only b",
                                                "jaccard", "a in b",       "b in a"};
    const tried              all = try_all(c, random);
    const double             trials = all.estimate.count, n = true_size(c);
    const double             deviation = sqrt(n * (all.inverse / trials - 1));
    const double             beyond = c->few ? 0.05 : 0.015;
    char                     setting[128];

    snprintf(setting, sizeof setting, "%s of %g, %g, %g%s, precision %u", c->expression,
             c->parts[1], c->parts[2], c->parts[3], c->parts[4] != 0 ? " and C" : "", c->precision);
    if (n > 0)
        row_mean(named("theta: mean, %s", setting), n, mean_of(&all.estimate),
                 deviation / sqrt(trials), 0.1 * deviation);
    if (!c->few)
        row_deviation(named("theta: deviation, %s", setting), deviation, &all.estimate, 1.1);
    row_share(named("theta: inside its interval, %s", setting), 0.95, 0, beyond,
              all.inside / trials, trials);
    for (size_t i = 0; has_overlap(c) && i < OVERLAPS; i++)
        row_share(named("theta: %s inside its interval, %s", names[i], setting), 0.95, 0, 0.05,
                  all.overlap[i] / trials, trials);
}

TEST(estimates_of_sets_have_no_bias_deviate_as_theory_has_it_and_stay_inside_their_bounds)
{
    for (size_t i = 0; i < CASES; i++)
        if (full() || cases[i].check)
            check_case(&cases[i], 100 + i);
}

RUN_TESTS()
