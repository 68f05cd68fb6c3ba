/* count_min_test.c - the error of a count-min, in this order: the mean error of single rows, the
 * mean of their minimum against rows of independent random numbers, the independence and the
 * uniformity of the columns that rows choose, and last the epsilon/delta bound, which much worse
 * sketches keep too. Never an under-estimate. The same for conservative and merged sketches, for
 * inner products, and for the keys above 1/k. Levels and powers: statistics.h; a mean 10 % off is
 * noticed. Integer keys 0, 1, 2, ... with exact counts, uniform and Zipf 1.1; seeds from 1 on. */
#include "accuracy/streams.h"

enum { DEPTH_MOST = 8 };

typedef unsigned __int128 u128;

static ink_params params_of(uint64_t width, uint32_t depth, uint64_t seed)
{
    ink_params params = int_params("count-min", 0, 0, seed);

    params.width = width;
    params.depth = depth;
    return params;
}

/* The column of a hash in a row, as docs/format.md states it (rule 6). */
static uint64_t stated_column(uint64_t hash, uint32_t row, uint64_t width)
{
    return (uint64_t)((u128)stated_mix64(hash + row * 0x9e3779b97f4a7c15u) * width >> 64);
}

static void hash_keys(const ink_sketch *sketch, int64_t first, size_t count, uint64_t *hashes)
{
    int64_t  *keys = taken(count, sizeof *keys);
    ink_error error;

    for (size_t i = 0; i < count; i++)
        keys[i] = first + (int64_t)i;
    const ink_batch batch = {.count = count, .ints = keys};
    CHECK_OK(ink_sketch_hash_batch(sketch, &batch, hashes, &error));
    free(keys);
}

static uint32_t random_column(uint64_t *random, uint64_t width)
{
    return (uint32_t)((u128)next_random(random) * width >> 64);
}

/* ---- The streams and sizes ---------------------------------------------------------------- */

static const struct setting {
    bool     zipf;
    size_t   keys, length;
    uint64_t width;
    uint32_t depth;
    size_t   trials;
    bool     full;
} settings[] = {
    {false, 4000, 20000, 500, 1, 60, false},    {true, 4000, 20000, 500, 1, 60, false},
    {false, 4000, 20000, 500, 5, 60, false},    {true, 4000, 20000, 500, 5, 60, false},
    {false, 4000, 20000, 1024, 3, 60, true},    {true, 4000, 20000, 1024, 3, 60, true},
    {false, 20000, 100000, 2719, 5, 100, true}, {true, 20000, 100000, 2719, 5, 100, true},
    {false, 20000, 100000, 999, 8, 100, true},  {true, 20000, 100000, 999, 8, 100, true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

#define FOR_EACH_SETTING(i)                                                                        \
    for (size_t i = 0; i < SETTINGS; i++)                                                          \
        if (full() || !settings[i].full)

static const char *setting_name(const char *what, size_t i)
{
    const struct setting *s = &settings[i];

    return named("count-min: %s, %s, N %g, %ux%u", what, s->zipf ? "Zipf 1.1" : "uniform",
                 (double)s->length, s->depth, (unsigned)s->width);
}

static stream stream_of(const struct setting *s)
{
    return s->zipf ? stream_zipf(s->keys, 1.1, s->length)
                   : stream_uniform(s->keys, s->length / s->keys);
}

/* Errors as parts of N / width. */
typedef struct measurement {
    moments rows[DEPTH_MOST];            /* the mean error of a row, over all keys */
    moments plain, conservative, merged; /* that of the answers; merged: three conservative */
    moments ref_plain, ref_conservative, ref_merged;
    double  row_expected, row_deviation; /* of one sketch */
} measurement;

enum { PARTS = 3 };

/* Adds stream part number `part` of PARTS conservatively to counters whose places are given. */
static void add_conservatively(uint64_t *counters, const uint32_t *locations, uint32_t depth,
                               const stream *s, size_t part, size_t parts)
{
    for (size_t i = s->length * part / parts; i < s->length * (part + 1) / parts; i++) {
        const uint32_t *at = locations + (size_t)s->items[i] * depth;
        uint64_t        least = UINT64_MAX;
        for (uint32_t row = 0; row < depth; row++)
            least = counters[at[row]] < least ? counters[at[row]] : least;
        for (uint32_t row = 0; row < depth; row++)
            if (counters[at[row]] < least + 1)
                counters[at[row]] = least + 1;
    }
}

static double mean_excess(const uint64_t *counters, const uint32_t *locations, uint32_t depth,
                          const stream *s)
{
    double sum = 0;

    for (size_t key = 0; key < s->keys; key++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t row = 0; row < depth; row++) {
            uint64_t value = counters[locations[key * depth + row]];
            least = value < least ? value : least;
        }
        sum += (double)(least - s->counts[key]);
    }
    return sum / (double)s->keys;
}

/* One trial of the reference: every key draws its columns at random. */
static void simulate(const struct setting *set, const stream *s, uint64_t *random, measurement *m)
{
    size_t    cells = (size_t)(set->width * set->depth);
    uint64_t *counters = taken(cells, sizeof *counters), *sum = taken(cells, sizeof *sum);
    uint32_t *locations = taken(s->keys * set->depth, sizeof *locations);
    double    unit = (double)s->length / (double)set->width;

    for (size_t key = 0; key < s->keys; key++)
        for (uint32_t row = 0; row < set->depth; row++) {
            uint32_t at = (uint32_t)(row * set->width) + random_column(random, set->width);
            locations[key * set->depth + row] = at;
            counters[at] += s->counts[key];
        }
    moments_add(&m->ref_plain, mean_excess(counters, locations, set->depth, s) / unit);
    memset(counters, 0, cells * sizeof *counters);
    add_conservatively(counters, locations, set->depth, s, 0, 1);
    moments_add(&m->ref_conservative, mean_excess(counters, locations, set->depth, s) / unit);
    for (size_t part = 0; part < PARTS; part++) {
        memset(counters, 0, cells * sizeof *counters);
        add_conservatively(counters, locations, set->depth, s, part, PARTS);
        for (size_t i = 0; i < cells; i++)
            sum[i] += counters[i];
    }
    moments_add(&m->ref_merged, mean_excess(sum, locations, set->depth, s) / unit);
    free(counters);
    free(sum);
    free(locations);
}

/* The mean error of all answers; none is too low. */
static double answered(const ink_sketch *sketch, const stream *s)
{
    ink_answer *answers = taken(s->keys, sizeof *answers);
    double      sum = 0;

    ask_counts(sketch, s->keys, answers);
    for (size_t key = 0; key < s->keys; key++) {
        double truth = (double)s->counts[key];
        if (!(answers[key].estimate >= truth && answers[key].high >= truth))
            fail_msg("key %zu: %g, expected at least %g", key, answers[key].estimate, truth);
        sum += answers[key].estimate - truth;
    }
    free(answers);
    return sum / (double)s->keys;
}

/* The counter of each key in each row stands where docs/format.md says; the answer is the smallest.
 */
static void measure_rows(const ink_sketch *sketch, const struct setting *set, const stream *s,
                         measurement *m)
{
    uint8_t    *payload = payload_of(sketch, NULL);
    uint64_t   *hashes = taken(s->keys, sizeof *hashes);
    ink_answer *answers = taken(s->keys, sizeof *answers);
    double      sum[DEPTH_MOST] = {0};

    hash_keys(sketch, 0, s->keys, hashes);
    ask_counts(sketch, s->keys, answers);
    for (size_t key = 0; key < s->keys; key++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t row = 0; row < set->depth; row++) {
            uint64_t at = row * set->width + stated_column(hashes[key], row, set->width);
            uint64_t value = little_endian(payload + 4 * at, 4);
            CHECK(value >= s->counts[key]);
            sum[row] += (double)(value - s->counts[key]);
            least = value < least ? value : least;
        }
        CHECK(answers[key].estimate == (double)least);
    }
    for (uint32_t row = 0; row < set->depth; row++)
        moments_add(&m->rows[row],
                    sum[row] / (double)s->keys * (double)set->width / (double)s->length);
    free(payload);
    free(hashes);
    free(answers);
}

static ink_sketch *sketch_of(const ink_params *params, const stream *s, size_t part, size_t parts)
{
    ink_sketch *sketch = make(params);
    size_t      from = s->length * part / parts, until = s->length * (part + 1) / parts;

    add_items(sketch, s->items + from, until - from);
    return sketch;
}

static ink_sketch *merged_of(const ink_params *params, const stream *s)
{
    ink_sketch *all = sketch_of(params, s, 0, PARTS);

    for (size_t part = 1; part < PARTS; part++) {
        ink_sketch *other = sketch_of(params, s, part, PARTS);
        merge_into(all, other);
        ink_sketch_free(other);
    }
    CHECK(described(all).total == s->length);
    return all;
}

static void measure_once(const struct setting *set, const stream *s, uint64_t seed, measurement *m)
{
    ink_params  params = params_of(set->width, set->depth, seed);
    double      unit = (double)s->length / (double)set->width;
    ink_sketch *plain = make(&params), *merged = merged_of(&params, s);

    add_counts(plain, s); /* weights are as good as repeated keys */
    CHECK(equal_payloads(plain, merged));
    measure_rows(plain, set, s, m);
    double error = answered(plain, s) / unit;
    moments_add(&m->plain, error);
    ink_sketch_free(plain);
    ink_sketch_free(merged);

    params.conservative = true;
    ink_sketch *conservative = sketch_of(&params, s, 0, 1), *joined = merged_of(&params, s);
    double      less = answered(conservative, s) / unit, more = answered(joined, s) / unit;
    CHECK(less <= error && more <= error);
    moments_add(&m->conservative, less);
    moments_add(&m->merged, more);
    ink_sketch_free(conservative);
    ink_sketch_free(joined);
}

static const measurement *measured(size_t index)
{
    static measurement    results[SETTINGS];
    measurement          *m = &results[index];
    const struct setting *set = &settings[index];

    if (m->plain.count != 0)
        return m;
    stream   s = stream_of(set);
    uint64_t random = 31 * index;
    double   keys = (double)s.keys, n = (double)s.length, w = (double)set->width;
    /* Two keys i and j share a column with chance 1 / w, any two of such pairs independently: then
     * f_i + f_j is added to the errors. The sum over the pairs of (f_i + f_j)^2 is the variance. */
    m->row_expected = (keys - 1) / keys;
    m->row_deviation =
        sqrt(((keys - 2) * stream_squares(&s) + n * n) * (1 - 1 / w) / w) / keys * w / n;
    for (size_t trial = 1; trial <= trials_of(set->trials); trial++) {
        stream_shuffle(&s, trial);
        measure_once(set, &s, trial, m);
        simulate(set, &s, &random, m);
    }
    stream_free(&s);
    return m;
}

/* ---- (a) and (b): the mean error ---------------------------------------------------------- */

TEST(rows_are_too_high_by_their_share_of_the_rest)
{
    /* (N - f) / width for a key with count f; in parts of N / width. */
    FOR_EACH_SETTING(i)
    {
        const measurement *m = measured(i);
        for (uint32_t row = 0; row < settings[i].depth; row++) {
            char what[64];
            (void)snprintf(what, sizeof what, "mean error of row %u, in N / w", row);
            row_mean(setting_name(what, i), m->row_expected, mean_of(&m->rows[row]),
                     m->row_deviation / sqrt(m->rows[row].count), 0.1 * m->row_expected);
        }
    }
}

TEST(the_minimum_is_that_of_independent_rows)
{
    FOR_EACH_SETTING(i)
    {
        const measurement *m = measured(i);
        row_reference(setting_name("mean error of the answer, in N / w", i), &m->ref_plain,
                      &m->plain, 0.1 * mean_of(&m->ref_plain));
    }
}

TEST(conservative_sketches_are_those_of_independent_rows)
{
    FOR_EACH_SETTING(i)
    {
        const measurement *m = measured(i);
        double             plain = mean_of(&m->plain);
        if (settings[i].depth == 1)
            continue; /* the same as plain */
        row_reference(setting_name("mean error if conservative, in N / w", i), &m->ref_conservative,
                      &m->conservative, 0.1 * mean_of(&m->ref_conservative));
        row_reference(setting_name("mean error of three conservative merged, in N / w", i),
                      &m->ref_merged, &m->merged, 0.1 * mean_of(&m->ref_merged));
        row(setting_name("mean error if conservative, against plain", i), plain,
            mean_of(&m->conservative), 0, 0.9 * plain);
    }
}

/* ---- (c): columns ------------------------------------------------------------------------- */

/* The columns of the keys first to first + count - 1 in all rows, columns[row * count + key]: 64
 * keys at a time are added with weights 1, 2, 4, ..., so each counter says which keys it has. */
static void read_columns(const ink_params *params, int64_t first, size_t count, uint32_t *columns)
{
    ink_params wide = *params;
    size_t     found = 0;

    wide.counter_bits = 64;
    for (size_t done = 0; done < count; done += 64) {
        ink_sketch *sketch = make(&wide);
        int64_t     keys[64];
        uint64_t    weights[64], hashes[64];
        ink_error   error;
        for (size_t i = 0; i < 64; i++) {
            keys[i] = first + (int64_t)(done + i);
            weights[i] = (uint64_t)1 << i;
        }
        const ink_batch batch = {.count = 64, .ints = keys, .weights = weights};
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        uint8_t *payload = payload_of(sketch, NULL);
        hash_keys(sketch, keys[0], 64, hashes);
        for (uint64_t i = 0; i < params->width * params->depth; i++) {
            uint64_t mask;
            memcpy(&mask, payload + 8 * i, 8);
            if (mask == 0)
                continue;
            mask = little_endian(payload + 8 * i, 8);
            for (; mask != 0; mask &= mask - 1, found++) {
                size_t   key = (size_t)__builtin_ctzll(mask);
                uint32_t row = (uint32_t)(i / params->width);
                CHECK(i % params->width == stated_column(hashes[key], row, params->width));
                columns[row * count + done + key] = (uint32_t)(i % params->width);
            }
        }
        free(payload);
        ink_sketch_free(sketch);
    }
    CHECK(found == count * params->depth); /* one in each row */
}

enum { PARTITIONS = 16 };

static double chi_square(const double *found, const double *expected, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (found[i] - expected[i]) * (found[i] - expected[i]) / expected[i];
    return sum;
}

/* How many columns fall into each of BINS bins. */
static void size_bins(uint64_t width, double sizes[PARTITIONS])
{
    memset(sizes, 0, PARTITIONS * sizeof *sizes);
    for (uint64_t i = 0; i < width; i++)
        sizes[i * PARTITIONS / width]++;
}

static double chi_square_of_pair(const uint32_t *a, const uint32_t *b, size_t count, uint64_t width)
{
    double sizes[PARTITIONS], found[PARTITIONS * PARTITIONS] = {0},
                                                 expected[PARTITIONS * PARTITIONS];

    size_bins(width, sizes);
    for (size_t i = 0; i < PARTITIONS * PARTITIONS; i++)
        expected[i] = (double)count * sizes[i / PARTITIONS] * sizes[i % PARTITIONS] /
                      ((double)width * (double)width);
    for (size_t i = 0; i < count; i++)
        found[a[i] * (uint64_t)PARTITIONS / width * PARTITIONS +
              b[i] * (uint64_t)PARTITIONS / width]++;
    return chi_square(found, expected, PARTITIONS * PARTITIONS);
}

static const struct {
    uint64_t width;
    uint32_t depth;
    size_t   keys;
    bool     full;
} shapes[] = {
    {16, 5, 1 << 16, false},   {48, 5, 1 << 16, false},   {1000, 5, 1 << 18, false},
    {64, 20, 1 << 18, true},   {272, 5, 1 << 20, true},   {1000, 8, 1 << 20, true},
    {2719, 10, 1 << 20, true}, {27183, 5, 1 << 20, true},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

TEST(columns_are_uniform_and_rows_independent)
{
    /* Chi-square of the columns of each row, and of the 16 x 16 bins of each two rows. Every second
     * column 10 % more likely than the others adds keys / 400 to the first, a tenth more or less in
     * every bin keys / 100 to the second. */
    for (size_t i = 0; i < SHAPES; i++) {
        if (shapes[i].full && !full())
            continue;
        uint64_t         width = shapes[i].width;
        uint32_t         depth = shapes[i].depth;
        size_t           keys = light() ? 4096 : shapes[i].keys;
        const ink_params params = params_of(width, depth, 7 + i);
        uint32_t        *columns = taken(keys * depth, sizeof *columns);
        double          *found = taken(width, sizeof *found), *even = taken(width, sizeof *even);
        double           least = INFINITY, most = 0, least_of_two = INFINITY, most_of_two = 0;
        read_columns(&params, 0, keys, columns);
        for (uint64_t j = 0; j < width; j++)
            even[j] = (double)keys / (double)width;
        for (uint32_t row = 0; row < depth; row++) {
            const uint32_t *of_row = columns + row * keys;
            memset(found, 0, width * sizeof *found);
            for (size_t key = 0; key < keys; key++)
                found[of_row[key]]++;
            double x = chi_square(found, even, width);
            least = fmin(least, x);
            most = fmax(most, x);
            for (uint32_t other = 0; other < row; other++) {
                x = chi_square_of_pair(of_row, columns + other * keys, keys, width);
                least_of_two = fmin(least_of_two, x);
                most_of_two = fmax(most_of_two, x);
            }
        }
        if (!light()) /* too few keys for a chi-square otherwise */
            row_chi_square(named("count-min: chi-square of the columns of a row, %ux%u", depth,
                                 (unsigned)width),
                           (double)width - 1, least, most, depth, (double)keys / 400);
        row_chi_square(named("count-min: chi-square of the columns of two rows, %ux%u", depth,
                             (unsigned)width),
                       PARTITIONS * PARTITIONS - 1, least_of_two, most_of_two,
                       depth * (depth - 1) / 2.0, (double)keys / 100);
        free(columns);
        free(found);
        free(even);
    }
}

TEST(keys_that_collide_in_a_row_collide_in_another_by_chance_alone)
{
    /* Of the pairs of keys that share a column in one row, 1 / width share one in another. */
    static const uint64_t widths[] = {60, 64, 101};
    enum { DEPTH = 5 };
    const size_t keys = light() ? 1024 : 16384;

    for (size_t i = 0; i < 3; i++) {
        uint64_t  width = widths[i];
        uint32_t *columns = taken(keys * DEPTH, sizeof *columns);
        double   *both = taken(width * width, sizeof *both), *one = taken(width, sizeof *one);
        double    single = 0, twice = 0, pairs = (double)keys * (double)(keys - 1) / 2;
        size_t    seeds = trials_of(full() ? 100 : 4);
        for (uint64_t seed = 1; seed <= (light() ? 2 : seeds); seed++) {
            const ink_params params = params_of(width, DEPTH, seed);
            read_columns(&params, 1000000, keys, columns);
            for (uint32_t row = 0; row < DEPTH; row++)
                for (uint32_t other = 0; other < row; other++) {
                    memset(both, 0, width * width * sizeof *both);
                    memset(one, 0, width * sizeof *one);
                    for (size_t key = 0; key < keys; key++) {
                        uint32_t a = columns[row * keys + key], b = columns[other * keys + key];
                        both[a * width + b]++;
                        one[a]++;
                    }
                    for (uint64_t j = 0; j < width; j++)
                        single += one[j] * (one[j] - 1) / 2;
                    for (uint64_t j = 0; j < width * width; j++)
                        twice += both[j] * (both[j] - 1) / 2;
                }
        }
        double samples = (double)(light() ? 2 : seeds) * (DEPTH * (DEPTH - 1) / 2),
               w = (double)width;
        double expected = samples * pairs / (w * w);
        row_mean(
            named("count-min: share of collisions in one row that are in another too, w %g", w),
            1 / w, twice / single, sqrt(expected) / (samples * pairs / w), 0.1 / w);
        row_mean(named("count-min: share of pairs that collide in a row, w %g", w), 1 / w,
                 single / (samples * pairs), sqrt(1 / w / (pairs * samples / (DEPTH - 1))),
                 0.1 / w);
        free(columns);
        free(both);
        free(one);
    }
}

TEST(wide_rows_choose_their_columns_as_stated)
{
    static const uint64_t widths[] = {1, 2, 3, 65535, 65536, 65537, 1048583};

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const ink_params params = params_of(widths[i], 4, 3);
        uint32_t         columns[4 * 64];
        read_columns(&params, -17, 64, columns); /* compares them all */
    }
}

/* ---- (d): the bound ----------------------------------------------------------------------- */

TEST(sizes_are_those_of_epsilon_and_delta)
{
    static const double epsilons[] = {0.5, 0.1, 0.01, 0.003, 1e-4, 1.7e-5};
    static const double deltas[] = {0.9, 0.5, 0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-12};

    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++)
        for (size_t j = 0; j < sizeof deltas / sizeof deltas[0]; j++) {
            const ink_params params = {
                .kind = "count-min", .epsilon = epsilons[i], .delta = deltas[j]};
            ink_description description;
            ink_error       error;
            CHECK_OK(ink_plan(&params, &description, &error));
            CHECK((double)description.width == ceil(exp(1) / epsilons[i]));
            CHECK((double)description.depth == ceil(-log(deltas[j])));
            CHECK(fabs(description.epsilon * (double)description.width / exp(1) - 1) < 1e-12);
            CHECK(fabs(description.delta * exp((double)description.depth) - 1) < 1e-12);
            CHECK(description.epsilon <= epsilons[i] && description.delta <= deltas[j]);
        }
}

TEST(errors_above_epsilon_are_rarer_than_delta)
{
    static const struct {
        double epsilon, delta;
    } bounds[] = {{0.01, 0.5}, {0.01, 0.1}, {0.005, 0.05}, {0.002, 0.01}};

    for (size_t i = 0; i < 4; i++)
        for (size_t zipf = 0; zipf < 2; zipf++) {
            double epsilon = bounds[i].epsilon, delta = bounds[i].delta;
            double above = 0, outside = 0, over = 0, sure = 0, asked = 0;
            stream s = zipf ? stream_zipf(4000, 1.1, 20000) : stream_uniform(4000, 5);
            double error_most = epsilon * (double)s.length;
            for (uint64_t seed = 1; seed <= trials_of(full() ? 400 : 40); seed++) {
                const ink_params params = {.kind = "count-min",
                                           .epsilon = epsilon,
                                           .delta = delta,
                                           .key_type = INK_KEY_INT,
                                           .seed = seed,
                                           .has_seed = true};
                const uint64_t   k = 200;
                ink_sketch      *sketch = make(&params);
                ink_answer       answers[4000];
                uint8_t          more[4000];
                int64_t          keys[4000];
                ink_error        error;
                add_counts(sketch, &s);
                ask_counts(sketch, s.keys, answers);
                for (size_t key = 0; key < s.keys; key++)
                    keys[key] = (int64_t)key;
                const ink_batch batch = {.count = s.keys, .ints = keys};
                CHECK_OK(ink_sketch_over_batch(sketch, &batch, k, more, &error));
                for (size_t key = 0; key < s.keys; key++) {
                    double truth = (double)s.counts[key];
                    bool   belongs = s.counts[key] * k > s.length;
                    CHECK(answers[key].high >= truth);
                    CHECK(fabs(answers[key].confidence - 1 + described(sketch).delta) < 1e-12);
                    above += answers[key].estimate > truth + error_most;
                    outside += answers[key].low > truth;
                    double reach = answers[key].estimate - answers[key].low;
                    CHECK(reach <= error_most);
                    CHECK(answers[key].low == 0 ||
                          fabs(reach - described(sketch).epsilon * (double)s.length) < 1e-6);
                    CHECK(!belongs || more[key] >= 1); /* none is overlooked */
                    over += belongs;
                    sure += more[key] == 2 && !belongs;
                    asked++;
                }
                ink_sketch_free(sketch);
            }
            const char *of = zipf ? "Zipf 1.1" : "uniform";
            CHECK(over > 0 || !zipf);
            row(named("count-min: share above epsilon N, %s, epsilon %g, delta %g", of, epsilon,
                      delta),
                delta, above / asked, 0, delta);
            row(named("count-min: share below the low bound, %s, epsilon %g, delta %g", of, epsilon,
                      delta),
                delta, outside / asked, 0, delta);
            row(named("count-min: share surely over 1/200 and not, %s, epsilon %g, delta %g", of,
                      epsilon, delta),
                delta, sure / asked, 0, delta);
            stream_free(&s);
        }
}

/* ---- Inner products ----------------------------------------------------------------------- */

TEST(inner_products_are_too_high_by_what_rows_mix)
{
    /* A row's excess is the sum over all pairs of keys i, j in one column of f_i g_j + f_j g_i:
     * (N_a N_b - sum f g) / w on the average, with a variance of (1 - 1/w) / w times the sum of the
     * squares of these. */
    static const struct {
        double   exponent_a, exponent_b;
        uint64_t width;
    } cases[] = {{0, 0, 500}, {1.1, 1.1, 500}, {1.1, 0, 300}, {0.5, 1.1, 1000}};

    for (size_t i = 0; i < 4; i++) {
        stream  a = stream_zipf(2000, cases[i].exponent_a, 10000);
        stream  b = stream_zipf(2000, cases[i].exponent_b, 20000);
        double  w = (double)cases[i].width, product = 0, square = 0;
        double  all = (double)a.length * (double)b.length, above = 0, count = 0;
        moments excess = {0};
        for (size_t key = 0; key < 1000; key++) { /* else the same keys are frequent in both */
            uint64_t other = b.counts[key];
            b.counts[key] = b.counts[1999 - key];
            b.counts[1999 - key] = other;
        }
        for (size_t key = 0; key < 2000; key++) {
            double both = (double)a.counts[key] * (double)b.counts[key];
            product += both;
            square += both * both;
        }
        double expected = (all - product) / w;
        double variance =
            (stream_squares(&a) * stream_squares(&b) + product * product - 2 * square) *
            (1 - 1 / w) / w;
        size_t trials = trials_for_mean(sqrt(variance), 0.1 * expected);
        for (uint64_t seed = 1; seed <= (trials < 100 ? 100 : trials); seed++)
            for (uint32_t depth = 1; depth <= 4; depth += 3) {
                const ink_params params = params_of(cases[i].width, depth, seed);
                ink_sketch      *of_a = make(&params), *of_b = make(&params);
                ink_answer       answer;
                ink_error        error;
                add_counts(of_a, &a);
                add_counts(of_b, &b);
                CHECK_OK(ink_sketch_dot(of_a, of_b, &answer, &error));
                CHECK(answer.estimate >= product && answer.high >= product);
                if (depth == 1)
                    moments_add(&excess, answer.estimate - product);
                above += depth > 1 && answer.low > product;
                count += depth > 1;
                ink_sketch_free(of_a);
                ink_sketch_free(of_b);
            }
        const char *name =
            named("Zipf %g and %g, w %g", cases[i].exponent_a, cases[i].exponent_b, w);
        char setting[80];
        (void)snprintf(setting, sizeof setting, "%s", name);
        row_mean(named("count-min: mean excess of an inner product, %s", setting), expected,
                 mean_of(&excess), sqrt(variance / excess.count), 0.1 * expected);
        row(named("count-min: share of inner products below the low bound, %s", setting), exp(-4),
            above / count, 0, exp(-4));
        stream_free(&a);
        stream_free(&b);
    }
}

RUN_TESTS()
