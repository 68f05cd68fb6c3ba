/* counting_test.c - a counting filter has the false-positive rate that it reports and that a bloom
 * of its size has; its counters are distributed as keys in cells are, 15 standing for 15 and more;
 * and taking keys out leaves the filter of the keys that are left, and never hides one of them.
 * Levels and powers: statistics.h. Integer keys 0, 1, 2, ... under the default hash, seeds from 1
 * on. */
#include "accuracy/streams.h"
#include "sketch/kinds/split_block_plan.h"

enum { STUCK = 15, VALUES = STUCK + 1, SEEDS_MIN = 20 };

static ink_params planned(uint64_t keys, double rate, uint64_t seed)
{
    return int_params("counting", keys, rate, seed);
}

static ink_params by_hand(uint64_t blocks, uint64_t seed)
{
    ink_params params = planned(0, 0, seed);

    params.bits = 1024 * blocks;
    return params;
}

/* How many counters have each value. */
static void add_values(const ink_sketch *sketch, double values[VALUES])
{
    size_t   bytes;
    uint8_t *payload = payload_of(sketch, &bytes);

    for (size_t i = 0; i < bytes; i++) {
        values[payload[i] & 15]++;
        values[payload[i] >> 4]++;
    }
    free(payload);
}

/* Removes those keys from first to first + count - 1 that `goes` marks. */
static void remove_ints(ink_sketch *sketch, int64_t first, size_t count, const uint8_t *goes)
{
    int64_t   keys[BATCH];
    size_t    used = 0;
    ink_error error;

    for (size_t i = 0; i <= count; i++) {
        if (used == BATCH || i == count) {
            const ink_batch batch = {.count = used, .ints = keys};
            CHECK_OK(ink_sketch_remove_batch(sketch, &batch, &error));
            used = 0;
        }
        if (i < count && goes[i])
            keys[used++] = first + (int64_t)i;
    }
}

/* ---- Rates -------------------------------------------------------------------------------- */

static const struct setting {
    double   rate;
    uint64_t keys;
    bool     full;
} settings[] = {
    {0.1, 1000, false},   {0.01, 1000, false},   {0.001, 1000, false},  {1e-4, 1000, true},
    {0.1, 100000, false}, {0.01, 100000, false}, {0.001, 100000, true}, {1e-4, 100000, true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

typedef struct measurement {
    double blocks, model, scatter;
    double filters, present;
    tally  non_members;
    double values[VALUES];
} measurement;

static const measurement *measured(size_t index)
{
    static measurement    results[SETTINGS];
    measurement          *m = &results[index];
    const struct setting *s = &settings[index];
    uint64_t              keys = light() ? 1000 : s->keys;
    uint64_t              blocks = ink__split_block_plan(keys, s->rate);

    if (m->filters != 0)
        return m;
    m->blocks = (double)blocks;
    m->model = ink__split_block_rate(keys, blocks, &m->scatter);
    size_t filters = trials_for_mean(m->scatter, 0.1),
           questions = questions_for(0.95 * m->model, 1.1);
    filters = filters < SEEDS_MIN ? SEEDS_MIN : filters;
    for (size_t i = 0; i < filters; i++) {
        const ink_params params = planned(keys, s->rate, 1 + i);
        ink_sketch      *sketch = make(&params);
        CHECK(described(sketch).bits == 1024 * blocks);
        add_ints(sketch, 0, (size_t)keys);
        size_t asked = questions / filters + 1;
        double now = rate_of(sketch);
        m->filters++;
        m->present += now;
        tally_add(&m->non_members, now, asked, ask_ints(sketch, (int64_t)keys, asked));
        add_values(sketch, m->values);
        CHECK(ask_ints(sketch, 0, (size_t)keys) == keys);
        ink_sketch_free(sketch);
    }
    return m;
}

#define FOR_EACH_SETTING(i)                                                                        \
    for (size_t i = 0; i < SETTINGS; i++)                                                          \
        if (full() || !settings[i].full)

TEST(foreign_keys_are_found_at_the_present_rate)
{
    FOR_EACH_SETTING(i)
    {
        const measurement *m = measured(i);
        row_tally(named("counting: rate of non-members, p %g, n %g", settings[i].rate,
                        (double)settings[i].keys),
                  &m->non_members, 1.1);
    }
}

TEST(the_present_rates_are_those_of_the_model)
{
    FOR_EACH_SETTING(i)
    {
        const measurement *m = measured(i);
        row_mean(named("counting: mean current rate, p %g, n %g", settings[i].rate,
                       (double)settings[i].keys),
                 m->model, m->present / m->filters, m->model * m->scatter / sqrt(m->filters),
                 0.1 * m->model);
        CHECK(m->model * (1 + 3 * m->scatter) <= settings[i].rate);
    }
}

/* ---- Counters ----------------------------------------------------------------------------- */

/* n (n - 1) ... down to `count` factors, over x!, as a logarithm. */
static double ln_choices(double n, unsigned count)
{
    double sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum += log(n - i);
    return sum;
}

/* The chance that a counter was raised exactly v times by n keys, each with chance x. */
static double chance_of(double n, double x, unsigned v)
{
    return exp(ln_choices(n, v) - lgamma(v + 1.0) + v * log(x) + (n - v) * log1p(-x));
}

/* That two counters were both raised v times, where a key raises both with chance `both`. */
static double chance_of_two(double n, double x, double both, unsigned v)
{
    double sum = 0;

    for (unsigned j = both > 0 ? v : 0, more = 1; more != 0; more = j-- > 0) {
        unsigned alone = v - j, keys = j + 2 * alone;
        sum += exp(ln_choices(n, keys) - lgamma(j + 1.0) - 2 * lgamma(alone + 1.0) +
                   (j == 0 ? 0 : j * log(both)) + 2 * alone * log(x - both) +
                   (n - keys) * log1p(-2 * x + both));
    }
    return sum;
}

/* The number of counters with value v after n keys in this many blocks, and its variance: cells of
 * a word, or of different blocks, exclude each other; those of different words of a block do not.
 */
static double counters_with(double n, double blocks, unsigned v, double *variance)
{
    double cells = 256 * blocks, x = 1 / (32 * blocks), expected = cells * chance_of(n, x, v);
    double apart = chance_of_two(n, x, 0, v), beside = chance_of_two(n, x, x / 32, v);

    *variance =
        expected + cells * (31 + cells - 256) * apart + cells * 224 * beside - expected * expected;
    return expected;
}

/* All values whose count shows a difference of 10 %; those that are rarer go unsaid. */
static void rows_of_values(const char *setting, double n, double blocks, double filters,
                           const double values[VALUES])
{
    unsigned said = 0;

    for (unsigned v = 0; v < STUCK; v++) {
        double variance, expected = counters_with(n, blocks, v, &variance);
        double deviation = sqrt(filters * variance);
        if ((Z_ALPHA + Z_POWER) * deviation > 0.1 * filters * expected && !light())
            continue;
        row_mean(named("counting: counters at %u, %s", v, setting), filters * expected, values[v],
                 deviation, 0.1 * filters * expected);
        said++;
    }
    CHECK(said >= 4);
}

TEST(counters_are_distributed_as_keys_in_cells)
{
    FOR_EACH_SETTING(i)
    {
        const measurement *m = measured(i);
        char               setting[64];
        if (settings[i].rate != 0.01) /* the others say nothing new */
            continue;
        (void)snprintf(setting, sizeof setting, "%s",
                       named("p %g, n %g", settings[i].rate, (double)settings[i].keys));
        rows_of_values(setting, (double)(light() ? 1000 : settings[i].keys), m->blocks, m->filters,
                       m->values);
    }
}

TEST(crowded_counters_stop_at_15)
{
    /* 64 blocks with 256, 320 and 640 keys each: a counter is raised 8, 10, 20 times on the
     * average. How many are stuck scatters by what the loads of blocks make of it; the deviation
     * over the filters is taken. */
    static const uint64_t loads[] = {256, 320, 640};
    const uint64_t        blocks = 64;

    for (size_t i = 0; i < 3; i++) {
        const uint64_t keys = loads[i] * blocks;
        size_t         filters = trials_of(full() ? 2000 : 400);
        double         values[VALUES] = {0}, stuck = 1, x = 1 / (32 * (double)blocks);
        moments        share = {0};
        for (size_t seed = 1; seed <= filters; seed++) {
            const ink_params params = by_hand(blocks, seed);
            ink_sketch      *sketch = make(&params);
            double           before = values[STUCK];
            add_ints(sketch, 0, (size_t)keys);
            add_values(sketch, values);
            moments_add(&share, (values[STUCK] - before) / (256 * (double)blocks));
            ink_sketch_free(sketch);
        }
        for (unsigned v = 0; v < STUCK; v++)
            stuck -= chance_of((double)keys, x, v);
        row_mean(named("counting: share stuck at 15, %g keys a block", (double)loads[i]), stuck,
                 mean_of(&share), mean_error(&share), 0.1 * stuck);
        char setting[64];
        (void)snprintf(setting, sizeof setting, "%g keys a block", (double)loads[i]);
        if (loads[i] == 320)
            rows_of_values(setting, (double)keys, (double)blocks, (double)filters, values);
    }
}

/* ---- Removal ------------------------------------------------------------------------------ */

/* A filter of `keys` keys, of which each goes again with this chance; those that do not are all
 * found. goes[i] says which went. */
static ink_sketch *thinned(const ink_params *params, size_t keys, double chance, uint64_t *random,
                           uint8_t *goes)
{
    ink_sketch *sketch = make(params);
    int64_t     left[BATCH];
    uint8_t     answers[BATCH];
    size_t      used = 0;
    ink_error   error;

    add_ints(sketch, 0, keys);
    for (size_t i = 0; i < keys; i++)
        goes[i] = next_uniform(random) < chance;
    remove_ints(sketch, 0, keys, goes);
    for (size_t i = 0; i <= keys; i++) {
        if (used == BATCH || i == keys) {
            const ink_batch batch = {.count = used, .ints = left};
            CHECK_OK(ink_sketch_contains_batch(sketch, &batch, answers, &error));
            for (size_t j = 0; j < used; j++)
                if (!answers[j])
                    fail_msg("key %lld is left, and denied", (long long)left[j]);
            used = 0;
        }
        if (i < keys && !goes[i])
            left[used++] = (int64_t)i;
    }
    return sketch;
}

TEST(removal_leaves_the_filter_of_what_is_left)
{
    /* Planned filters have no stuck counter, so the two are equal byte for byte. */
    static const double chances[] = {0.01, 0.5, 0.9, 1};
    const size_t        keys = light() ? 500 : 5000;
    uint64_t            random = 11;
    uint8_t            *goes = taken(keys, 1);

    for (uint64_t seed = 1; seed <= (light() ? 2 : full() ? 200 : 20); seed++)
        for (size_t i = 0; i < 4; i++) {
            const ink_params params = planned(keys, 0.01, seed);
            ink_sketch      *sketch = thinned(&params, keys, chances[i], &random, goes);
            ink_sketch      *left = make(&params);
            for (size_t key = 0; key < keys; key++) {
                ink_error error;
                if (!goes[key])
                    CHECK_OK(ink_sketch_add_int(left, (int64_t)key, &error));
            }
            CHECK(equal_payloads(sketch, left));
            CHECK(rate_of(sketch) == rate_of(left));
            CHECK(described(sketch).records == described(left).records);
            ink_sketch_free(left);
            ink_sketch_free(sketch);
        }
    free(goes);
}

TEST(removed_keys_are_non_members)
{
    /* Half of the keys go; both they and keys that never came are found at the current rate, which
     * is that of the model with the other half. */
    const size_t keys = light() ? 500 : 20000;
    uint64_t     random = 12, blocks = ink__split_block_plan(keys, 0.1);
    uint8_t     *goes = taken(keys, 1);
    tally        removed = {0}, never_added = {0};
    double       present = 0, left = 0, scatter;
    double       seeds = light() ? 2 : full() ? 600 : 200;

    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
        const ink_params params = planned(keys, 0.1, seed);
        ink_sketch      *sketch = thinned(&params, keys, 0.5, &random, goes);
        double           now = rate_of(sketch);
        size_t           went = 0, found = 0;
        for (size_t key = 0; key < keys; key++)
            if (goes[key]) {
                found += ask_ints(sketch, (int64_t)key, 1);
                went++;
            }
        tally_add(&removed, now, went, found);
        tally_add(&never_added, now, keys, ask_ints(sketch, (int64_t)keys, keys));
        present += now;
        left += (double)(keys - went);
        ink_sketch_free(sketch);
    }
    free(goes);
    row_tally("counting: rate of non-members after half went", &never_added, 1.1);
    row_tally("counting: rate of those that went", &removed, 1.1);
    double model = ink__split_block_rate((uint64_t)(left / seeds + 0.5), blocks, &scatter);
    /* The number left scatters by 1 / sqrt(keys) of itself, and the rate with its 8th power at
     * most. */
    row_mean("counting: mean current rate after half went", model, present / seeds,
             model * hypot(scatter, 8 / sqrt((double)keys)) / sqrt(seeds), 0.1 * model);
}

TEST(stuck_counters_hide_no_key_that_is_left)
{
    /* Blocks so crowded that many counters have lost count; keys with weights come and go too. */
    static const uint64_t loads[] = {100, 200, 320, 640, 1500};
    static const double   chances[] = {0.3, 0.9, 0.99};
    const uint64_t        blocks = 4;
    uint64_t              random = 13;
    uint8_t              *goes = taken(1500 * blocks, 1);

    for (uint64_t seed = 1; seed <= (light() ? 1 : full() ? 300 : 20); seed++)
        for (size_t i = 0; i < 15; i++) {
            const ink_params params = by_hand(blocks, seed);
            size_t           keys = loads[i / 3] * blocks;
            ink_sketch_free(thinned(&params, keys, chances[i % 3], &random, goes));
        }
    free(goes);
}

TEST(a_filter_in_use_never_denies_a_key_that_is_in)
{
    /* Keys come with weights of 1 to 20 and go in parts, in random order, in a crowded filter: at
     * every step a key that was added more often than removed is found. */
    enum { KEYS = 2000, STEPS = 20000 };

    for (uint64_t seed = 1; seed <= (light() ? 1 : full() ? 100 : 10); seed++) {
        const ink_params params = by_hand(8, seed);
        ink_sketch      *sketch = make(&params);
        uint64_t         held[KEYS] = {0}, random = seed;
        ink_error        error;
        for (size_t step = 0; step < (light() ? 1000 : STEPS); step++) {
            int64_t         key = (int64_t)(next_random(&random) % KEYS);
            uint64_t        weight = 1 + next_random(&random) % 20;
            bool            goes = next_random(&random) % 4 != 0 && held[key] > 0;
            const ink_batch batch = {.count = 1, .ints = &key, .weights = &weight};
            if (goes) {
                weight = weight > held[key] ? held[key] : weight;
                CHECK_OK(ink_sketch_remove_batch(sketch, &batch, &error));
                held[key] -= weight;
            } else if (next_random(&random) % 2 != 0) {
                CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
                held[key] += weight;
            }
            int64_t asked = (int64_t)(next_random(&random) % KEYS);
            CHECK(held[asked] == 0 || ask_ints(sketch, asked, 1) == 1);
        }
        for (int64_t key = 0; key < KEYS; key++)
            CHECK(held[key] == 0 || ask_ints(sketch, key, 1) == 1);
        ink_sketch_free(sketch);
    }
}

RUN_TESTS()
