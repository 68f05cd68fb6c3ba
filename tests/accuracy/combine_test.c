/* combine_test.c - what is combined is as accurate as what is built at once: a union of two parts
 * has the rate of the whole, a folded filter that of one built at its size, an intersection finds
 * every common key, keys of one side at the rate of the other and non-members at no more than
 * either; an hll merged from parts, or reduced to a smaller precision, keeps bias and deviation.
 * Levels, powers and sample sizes: statistics.h. */
#include "accuracy/hll_registers.h"
#include "sketch/kinds/split_block_plan.h"

enum { SEEDS = 20 };

static const struct sample {
    const char *kind;
    double      rate;
    bool        check; /* in `make check` too */
} samples[] = {
    {"bloom", 0.1, true},      {"bloom", 0.01, true},  {"bloom", 0.001, true},
    {"bloom", 1e-4, false},    {"classic", 0.1, true}, {"classic", 0.01, true},
    {"classic", 0.001, false},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

#define FOR_EACH_SAMPLE(s)                                                                         \
    for (const struct sample *s = samples; s < samples + SAMPLES; s++)                             \
        if (full() || s->check)

static size_t seeds(void)
{
    return light() ? 2 : SEEDS;
}

/* Noticed in a rate: 5 % more in full where it is cheap, 10 % otherwise. */
static double factor_for(double rate)
{
    return full() && rate >= 0.001 ? 1.05 : 1.1;
}

/* Questions of each seed; a quarter more, since rates come out below what was asked for. */
static size_t questions_of_seed(double rate)
{
    return questions_for(rate * 0.8, factor_for(rate)) / seeds() + 1;
}

static void row_answers(const char *what, const struct sample *s, uint64_t keys, const tally *a)
{
    row_tally(named("%s: %s, p %g, n %g", s->kind, what, s->rate, (double)keys), a,
              factor_for(s->rate));
}

static ink_params params_of(const struct sample *s, uint64_t keys, uint64_t seed)
{
    return int_params(s->kind, keys, s->rate, seed);
}

static ink_params sized(const struct sample *s, uint32_t hashes, uint64_t bits, uint64_t seed)
{
    ink_params params = int_params(s->kind, 0, 0, seed);

    params.hashes = hashes;
    params.bits = bits;
    return params;
}

static ink_sketch *make_with(const ink_params *params, int64_t first, size_t count)
{
    ink_sketch *sketch = make(params);

    add_ints(sketch, first, count);
    return sketch;
}

static bool same_payload(const ink_sketch *a, const ink_sketch *b)
{
    ink_description of_a, of_b;
    ink_error       error;

    ink_sketch_describe(a, &of_a);
    ink_sketch_describe(b, &of_b);
    if (of_a.bytes != of_b.bytes)
        return false;
    uint8_t *bytes = malloc((size_t)of_a.bytes * 2);
    CHECK(bytes != NULL);
    CHECK_OK(ink_sketch_payload(a, bytes, (size_t)of_a.bytes, &error));
    CHECK_OK(ink_sketch_payload(b, bytes + of_a.bytes, (size_t)of_a.bytes, &error));
    bool same = memcmp(bytes, bytes + of_a.bytes, (size_t)of_a.bytes) == 0;
    free(bytes);
    return same;
}

/* Both have the same bytes; keys that are in neither are asked of `made`. Frees both. */
static void compare(tally *all, ink_sketch *made, ink_sketch *whole, size_t keys, size_t questions)
{
    CHECK(same_payload(made, whole));
    tally_add(all, rate_of(whole), questions, ask_ints(made, (int64_t)keys, questions));
    ink_sketch_free(made);
    ink_sketch_free(whole);
}

/* ---- Unions ------------------------------------------------------------------------------- */

TEST(a_union_has_the_rate_of_the_whole)
{
    /* Two thirds of the keys in each part, one third in both. */
    const size_t keys = light() ? 999 : 30000;

    FOR_EACH_SAMPLE(s)
    {
        tally  of_union = {0};
        size_t questions = questions_of_seed(s->rate);
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            const ink_params        params = params_of(s, keys, seed);
            const ink_merge_options parts = {.parts = true};
            ink_sketch             *whole = make_with(&params, 0, keys);
            ink_sketch             *left = make_with(&params, 0, keys / 3 * 2);
            ink_sketch             *right = make_with(&params, (int64_t)(keys / 3), keys / 3 * 2);
            ink_error               error;
            CHECK_OK(ink_sketch_merge(left, right, &parts, &error));
            compare(&of_union, left, whole, keys, questions);
            ink_sketch_free(right);
        }
        row_answers("union of two parts, rate of yes to non-members", s, keys, &of_union);
    }
}

/* ---- Folds -------------------------------------------------------------------------------- */

/* Of n keys in this many bits with k hashes, the mean over filters. */
static double classic_rate(double n, double m, double k)
{
    double zeros = exp(n * k * log1p(-1 / m)), two = exp(n * k * log1p(-2 / m)), ones = 1 - zeros;
    double variance = zeros / m + (1 - 1 / m) * two - zeros * zeros;

    return pow(ones, k) * (1 + k * (k - 1) / 2 * variance / (ones * ones));
}

/* As many keys as give about this rate after a fold to this many bits, and k. */
static size_t keys_at(const struct sample *s, double bits, uint32_t *hashes)
{
    bool   bloom = strcmp(s->kind, "bloom") == 0;
    double keys = 0, step = bits;

    *hashes = bloom ? 0 : (uint32_t)nearbyint(-log2(s->rate));
    for (; step >= 1; step /= 2) {
        double rate =
            bloom ? ink__split_block_rate((uint64_t)(keys + step), (uint64_t)(bits / 256), NULL)
                  : classic_rate(keys + step, bits, *hashes);
        if (rate <= s->rate)
            keys += step;
    }
    return (size_t)keys;
}

TEST(a_fold_has_the_rate_of_the_filter_built_at_that_size)
{
    /* Folded by 8 to 1024 blocks (64 in light). The mean current rate is that of the model, too:
     * it scatters by less than 7 % at 1e-4, so 20 of them by less than 1.6 %, and 15 % are noticed,
     * 10 % at the other rates. */
    const uint64_t divisor = 8, bits = 256 * (light() ? 64 : 1024);

    FOR_EACH_SAMPLE(s)
    {
        tally    of_fold = {0};
        uint32_t hashes;
        size_t   questions = questions_of_seed(s->rate), keys = keys_at(s, (double)bits, &hashes);
        moments  present = {.origin = s->rate};
        double   scatter, model = ink__split_block_rate(keys, bits / 256, &scatter);
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            ink_params  params = sized(s, hashes, bits, seed);
            ink_sketch *built = make_with(&params, 0, keys);
            params.bits = bits * divisor;
            ink_sketch *folded = make_with(&params, 0, keys);
            ink_error   error;
            CHECK_OK(ink_sketch_fold(folded, divisor, &error));
            moments_add(&present, rate_of(folded));
            compare(&of_fold, folded, built, keys, questions);
        }
        row_answers("folded by 8, rate of yes to non-members", s, keys, &of_fold);
        if (hashes != 0) { /* classic: less scattered than bloom */
            model = classic_rate((double)keys, (double)bits, hashes);
            scatter = hashes * sqrt(0.08 / (double)bits) / 0.5;
        }
        row_mean(
            named("%s: folded by 8, mean current rate, p %g, n %g", s->kind, s->rate, (double)keys),
            model, mean_of(&present), model * scatter / sqrt(present.count),
            (s->rate < 0.001 ? 0.15 : 0.1) * model);
    }
}

TEST(a_union_of_two_sizes_has_the_rate_of_the_smaller)
{
    const uint64_t bits = 256 * (light() ? 64 : 1024);

    FOR_EACH_SAMPLE(s)
    {
        tally    of_union = {0};
        uint32_t hashes;
        size_t   questions = questions_of_seed(s->rate), keys = keys_at(s, (double)bits, &hashes);
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            ink_params  params = sized(s, hashes, bits, seed);
            ink_sketch *whole = make_with(&params, 0, keys);
            ink_sketch *small = make_with(&params, 0, keys / 2);
            params.bits = 4 * bits;
            ink_sketch *large = make_with(&params, (int64_t)(keys / 2), keys - keys / 2);
            ink_error   error;
            CHECK_OK(ink_sketch_merge(large, small, NULL, &error));
            compare(&of_union, large, whole, keys, questions);
            ink_sketch_free(small);
        }
        row_answers("union of two sizes, rate of yes to non-members", s, keys, &of_union);
    }
}

TEST(a_fold_to_a_rate_has_at_most_that_rate)
{
    /* A filter of 2^13 blocks or 2^21 bits with few keys, folded as far as the rate allows: the
     * next half has more. */
    const uint64_t bits = 256 * 8192;
    const size_t   keys = 3000;

    FOR_EACH_SAMPLE(s)
    {
        tally  of_fold = {0};
        double largest = 0, smaller = 1, rate = s->rate;
        size_t questions = questions_for(rate * 0.05, 1.25) / seeds() + 1; /* may be far below */
        if (!full() && rate < 0.01)
            continue;
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            ink_params  params = sized(s, strcmp(s->kind, "bloom") == 0 ? 0 : 5, bits, seed);
            ink_sketch *sketch = make_with(&params, 0, keys), *half;
            uint64_t    divisor;
            ink_error   error;
            CHECK_OK(ink_sketch_fold_to_rate(sketch, rate, &divisor, &error));
            CHECK(divisor > 1);
            CHECK_OK(ink_sketch_copy(&half, sketch, NULL, &error));
            CHECK_OK(ink_sketch_fold(half, 2, &error));
            largest = fmax(largest, rate_of(sketch));
            smaller = fmin(smaller, rate_of(half));
            tally_add(&of_fold, rate_of(sketch), questions,
                      ask_ints(sketch, (int64_t)keys, questions));
            ink_sketch_free(sketch);
            ink_sketch_free(half);
        }
        row_tally(named("%s: folded to a rate, rate of yes to non-members, p %g", s->kind, rate),
                  &of_fold, 1.25);
        row(named("%s: folded to a rate, largest current rate, p %g", s->kind, rate), rate, largest,
            0, rate);
        row(named("%s: folded by 2 more, smallest current rate, p %g", s->kind, rate), rate,
            smaller, rate, 1);
    }
}

TEST(a_fold_to_a_rate_stops_where_the_rate_is_met)
{
    /* Asked for the very rate that folding by 16 gives, it folds by 16, or more where the rate is
     * the same; asked for a tenth less, it does not. */
    FOR_EACH_SAMPLE(s)
    {
        double met = 1, largest = 0;
        if (s->rate != 0.01)
            continue; /* the rate does not matter here: each kind once */
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            ink_params  params = sized(s, strcmp(s->kind, "bloom") == 0 ? 0 : 5, 256 * 1024, seed);
            ink_sketch *below = make_with(&params, 0, 1000), *at, *by_16;
            uint64_t    divisor;
            ink_error   error;
            CHECK_OK(ink_sketch_copy(&at, below, NULL, &error));
            CHECK_OK(ink_sketch_copy(&by_16, below, NULL, &error));
            CHECK_OK(ink_sketch_fold(by_16, 16, &error));
            double rate = rate_of(by_16);
            CHECK_OK(ink_sketch_fold_to_rate(at, rate, &divisor, &error));
            met = fmin(met, (double)divisor / 16);
            CHECK_OK(ink_sketch_fold_to_rate(below, 0.9 * rate, &divisor, &error));
            largest = fmax(largest, rate_of(below) / (0.9 * rate));
            ink_sketch_free(below);
            ink_sketch_free(at);
            ink_sketch_free(by_16);
        }
        row(named("%s: folded to the rate of a fold by 16, least divisor over 16", s->kind), 1, met,
            1, 1);
        row(named("%s: folded to a tenth less, largest current rate over it", s->kind), 1, largest,
            0, 1);
    }
}

/* ---- Intersections ------------------------------------------------------------------------ */

TEST(intersections_find_what_they_promise)
{
    /* The keys 0 to n - 1 in one filter, n / 2 to 3 n / 2 - 1 in the other; n / 2 of each seed are
     * the questions for keys of one side, so that n follows from the rate. */
    FOR_EACH_SAMPLE(s)
    {
        tally  left = {0}, right = {0}, non_members = {0};
        double common = 0, least = 0;
        size_t half = questions_of_seed(s->rate), keys;
        if (s->rate < 0.001 || (s->rate < 0.01 && !full() && strcmp(s->kind, "bloom") != 0))
            continue;
        keys = 2 * half;
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            const ink_params params = params_of(s, keys, seed);
            ink_sketch      *a = make_with(&params, 0, keys);
            ink_sketch      *b = make_with(&params, (int64_t)half, keys);
            double           rate_a = rate_of(a), rate_b = rate_of(b);
            ink_error        error;
            CHECK_OK(ink_sketch_intersect(a, b, &error));
            common += (double)ask_ints(a, (int64_t)half, half);
            tally_add(&left, rate_b, half, ask_ints(a, 0, half));
            tally_add(&right, rate_a, half, ask_ints(a, (int64_t)keys, half));
            tally_add(&non_members, rate_of(a), half, ask_ints(a, (int64_t)(2 * keys), half));
            least += fmin(rate_a, rate_b) * (double)half;
            ink_sketch_free(a);
            ink_sketch_free(b);
        }
        row(named("%s: intersection, share of common keys found, p %g, n %g", s->kind, s->rate,
                  (double)keys),
            1, common / left.questions, 1, 1);
        row_answers("intersection, rate of yes to keys of the first alone", s, keys, &left);
        row_answers("intersection, rate of yes to keys of the second alone", s, keys, &right);
        /* Below either rate, so that a little less is noticed of its own. */
        row_tally(named("%s: intersection, rate of yes to non-members, p %g, n %g", s->kind,
                        s->rate, (double)keys),
                  &non_members, 1.5);
        row(named("%s: intersection, non-members found over the smaller rate, p %g, n %g", s->kind,
                  s->rate, (double)keys),
            non_members.expected / least, non_members.yes / least, 0,
            1 + Z_ALPHA / sqrt(least)); /* a Poisson number at most */
    }
}

/* ---- hll ---------------------------------------------------------------------------------- */

typedef struct merged {
    const char *what;
    uint32_t    into, from; /* precisions; the smaller is that of the result */
    double      keys;
    bool        check;
} merged;

/* Registers are drawn where there are many keys. */
static void add_part(ink_sketch *sketch, uint32_t precision, double keys, uint64_t *random)
{
    if (keys <= 1e5) {
        add_random(sketch, random, (size_t)keys);
        return;
    }
    const value_draw draw = value_draw_of(precision, keys);
    add_drawn(sketch, precision, &draw, random);
}

static moments estimates_of(const merged *m, size_t trials)
{
    const ink_params into = {.kind = "hll", .precision = m->into};
    const ink_params from = {.kind = "hll", .precision = m->from};
    uint32_t         precision = m->into < m->from ? m->into : m->from;
    const ink_params plain = {.kind = "hll", .precision = precision};
    uint64_t         random = (uint64_t)m->keys;
    moments          relative = {.origin = 1};

    for (size_t trial = 0; trial < trials; trial++) {
        ink_sketch *a = make(&into), *b = make(&from), *whole = make(&plain);
        ink_error   error;
        if (m->keys <= 1e5) { /* one third in both */
            uint64_t start = random, again;
            double   third = floor(m->keys / 3);
            add_part(a, m->into, 2 * third, &random);
            again = start + (uint64_t)third * 0x9e3779b97f4a7c15u; /* the state after a third */
            add_part(b, m->from, m->keys - third, &again);
            random = start;
            add_part(whole, precision, m->keys, &random);
        } else { /* Poisson numbers add up */
            add_part(a, m->into, m->keys * 0.25, &random);
            add_part(b, m->from, m->keys * 0.75, &random);
        }
        CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
        if (m->keys <= 1e5 && trial < 100)
            CHECK(same_payload(a, whole));
        moments_add(&relative, distinct_of(a, 0.95).estimate / m->keys);
        ink_sketch_free(a);
        ink_sketch_free(b);
        ink_sketch_free(whole);
    }
    return relative;
}

TEST(merged_hlls_keep_bias_and_deviation)
{
    /* 6400 trials (14000 in full): a bias of a tenth of the deviation and a deviation 10 % off are
     * noticed; the known bias, 1.15 / m, is allowed besides. */
    static const merged cases[] = {
        {"merged", 10, 10, 200, true},
        {"merged", 10, 10, 3000, false},
        {"merged", 10, 10, 1e9, true},
        {"merged", 12, 12, 20000, false},
        {"merged", 12, 12, 1e15, false},
        {"merged, reduced from 14", 14, 10, 3000, true},
        {"merged, reduced from 12", 8, 12, 500, true},
        {"merged, reduced from 12", 8, 12, 1e12, true},
        {"merged, reduced from 14", 14, 11, 1e6, false},
        {"merged, reduced from 18", 10, 18, 20000, false},
        {"merged, reduced from 14", 14, 8, 100, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const merged *m = &cases[i];
        uint32_t      precision = m->into < m->from ? m->into : m->from;
        double        registers = registers_of(precision);
        double        theory = estimate_deviation(precision, m->keys, m->keys <= 1e5);
        if (!full() && !m->check)
            continue;
        moments relative = estimates_of(m, trials_of(full() ? 14000 : 6400));
        double  chance = Z_ALPHA * theory / sqrt(relative.count);
        double  error = deviation_error(&relative);
        row(named("hll: %s, mean estimate over n, precision %u, n %g", m->what, precision, m->keys),
            1, mean_of(&relative), 1 - chance, 1 + 1.15 / registers + chance);
        row(named("hll: %s, deviation over theory, precision %u, n %g", m->what, precision,
                  m->keys),
            1, deviation_of(&relative) / theory, 1 - 3.2 / registers - Z_ALPHA * error,
            1 + 3.2 / registers + Z_ALPHA * error);
        check_power("hll, merged", (Z_ALPHA + 1.1 * Z_POWER) * error, 0.1);
    }
}

RUN_TESTS()
