/* overlap_test.c - what two hlls have in common, by inclusion-exclusion: a + b - union has the
 * deviation of theory, and every answer is inside its interval as often as promised, for sets of
 * equal and of very different sizes, disjoint, nested and equal.
 *
 * 4500 trials a case: a deviation 10 % larger or smaller is noticed with power 0.999 (3438 needed,
 * see statistics.h). Intervals may hold more often than promised, where a bound is 0 or the whole
 * set, and never less often: at 4500 trials a share below 0.934 in place of 0.95 is noticed, which
 * a deviation 10 % too small would give (0.926). */
#include "accuracy/hll_registers.h"

/* What registers add that are whole numbers. */
#define WHOLE_REGISTERS 1.05

/* Sizes as multiples of the number of registers. Few keys have less than the deviation of theory,
 * pairs of very different sizes are skewed, and take more trials. The first order in 1 / m is not
 * all: up to 3 / m more, as for one hll. */
static const struct overlap_case {
    uint32_t precision;
    double   only_a, only_b, both;
    bool     deviates; /* as theory has it */
    bool     check;    /* in `make check` too */
} cases[] = {
    {8, 0.1, 0.1, 0, false, true},       {8, 0.1, 0, 0.1, false, false},
    {8, 0.5, 0.5, 0.05, false, true},    {8, 20, 20, 10, true, true},
    {8, 20, 20, 0.5, true, true},        {8, 20, 20, 0, true, true},
    {8, 0, 0, 20, true, true},           {8, 0.05, 0.05, 100, true, true},
    {8, 0, 200, 20, true, true},         {8, 10, 990, 10, false, true},
    {8, 1000, 10, 10, false, true},      {8, 5, 5, 90, true, false},
    {8, 1000, 0.1, 10, false, false},    {10, 20, 20, 10, true, true},
    {10, 20, 20, 0.1, true, false},      {10, 0.01, 500, 500, true, true},
    {10, 100, 10000, 100, false, false}, {10, 1e6, 1e6, 1e6, true, false},
    {12, 20, 20, 10, true, false},       {12, 1000, 10, 1, false, false},
    {12, 0.01, 0, 100, true, false},     {6, 20, 20, 10, false, false},
};
enum { CASES = sizeof cases / sizeof cases[0], TRIALS = 4500 };

typedef struct parts {
    double size[3]; /* of what only a, only b and both have */
} parts;

/* Keys of one part: as many random hashes as there are, or registers drawn. */
static void add_part(ink_sketch *sketch, uint32_t precision, double keys, const value_draw *draw,
                     uint64_t *random)
{
    uint64_t  hashes[BATCH];
    ink_error error;

    if (keys > BATCH) {
        add_drawn(sketch, precision, draw, random);
        return;
    }
    for (size_t i = 0; i < (size_t)keys; i++)
        hashes[i] = next_random(random);
    const ink_batch batch = {.count = (size_t)keys, .hashes = hashes};
    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
}

static double variance_of(const parts *of)
{
    double i = of->size[2], a = of->size[0] + i, b = of->size[1] + i, u = of->size[0] + b;

    return u * u - a * a - b * b + 2 * a * b * i / u;
}

typedef struct tried {
    moments sum;       /* of a + b - union */
    double  inside[6]; /* of intersection, only_a, only_b, jaccard, a_in_b, b_in_a */
} tried;

static bool holds(const ink_answer *answer, double size)
{
    return answer->low <= size * (1 + 1e-12) && size <= answer->high * (1 + 1e-12);
}

/* Two standard deviations above the bound of a set. */
static double most_of(const ink_answer *set)
{
    return set->estimate + (set->high - set->estimate) * (1 + 2 / 1.959963984540054);
}

static void try_once(const struct overlap_case *c, const parts *of, const value_draw draws[3],
                     uint64_t *random, tried *all)
{
    const ink_params params = {.kind = "hll", .precision = c->precision};
    const double     i = of->size[2], a = of->size[0] + i, b = of->size[1] + i;
    const double     truth[6] = {i, a - i, b - i, i / (a + b - i), i / a, i / b};
    ink_sketch      *one = make(&params), *other = make(&params), *both = make(&params);
    ink_overlap      overlap;
    ink_error        error;

    add_part(one, c->precision, of->size[0], &draws[0], random);
    add_part(other, c->precision, of->size[1], &draws[1], random);
    add_part(both, c->precision, of->size[2], &draws[2], random);
    CHECK_OK(ink_sketch_merge(one, both, NULL, &error));
    CHECK_OK(ink_sketch_merge(other, both, NULL, &error));
    CHECK_OK(ink_sketch_overlap(one, other, 0.95, &overlap, &error));
    moments_add(&all->sum, overlap.a.estimate + overlap.b.estimate - overlap.in_union.estimate);
    const ink_answer *const answers[6] = {&overlap.intersection, &overlap.only_a, &overlap.only_b,
                                          &overlap.jaccard,      &overlap.a_in_b, &overlap.b_in_a};
    for (size_t k = 0; k < 6; k++)
        all->inside[k] += holds(answers[k], truth[k]);
    CHECK(overlap.intersection.estimate <= fmin(overlap.a.estimate, overlap.b.estimate));
    CHECK(overlap.intersection.high <= fmin(most_of(&overlap.a), most_of(&overlap.b)) * (1 + 1e-9));
    ink_sketch_free(one);
    ink_sketch_free(other);
    ink_sketch_free(both);
}

static void check_case(const struct overlap_case *c, uint64_t random)
{
    static const char *const names[6] = {"intersection", "only a", "only b",
                                         "jaccard",      "a in b", "b in a"};
    const double             m = registers_of(c->precision);
    const parts  of = {{floor(c->only_a * m), floor(c->only_b * m), floor(c->both * m)}};
    const size_t trials = trials_of(TRIALS);
    value_draw   draws[3];
    tried        all = {.sum.origin = of.size[2]};

    for (size_t k = 0; k < 3; k++)
        draws[k] = value_draw_of(c->precision, of.size[k]);
    for (size_t t = 0; t < trials; t++)
        try_once(c, &of, draws, &random, &all);
    char setting[96];
    snprintf(setting, sizeof setting, "precision %u, only a %g, only b %g, both %g", c->precision,
             of.size[0], of.size[1], of.size[2]);
    if (c->deviates) {
        double expected = sigma_of(c->precision) * sqrt(variance_of(&of));
        double error = deviation_error(&all.sum), least = 1, most = WHOLE_REGISTERS + 3 / m;
        check_power(setting, (Z_ALPHA + 1.1 * Z_POWER) * error, 0.1);
        row(named("hll: deviation of a + b - union over theory, %s", setting), 1,
            deviation_of(&all.sum) / expected, least - Z_ALPHA * error, most + Z_ALPHA * error);
    }
    for (size_t k = 0; k < 6; k++)
        row_share(named("hll: %s inside its interval, %s", names[k], setting), 0.95, 0, 0.05,
                  all.inside[k] / (double)trials, (double)trials);
}

TEST(overlaps_deviate_as_theory_has_it_and_stay_inside_their_bounds)
{
    for (size_t i = 0; i < CASES; i++)
        if (full() || cases[i].check)
            check_case(&cases[i], 1000 + i);
}

RUN_TESTS()
