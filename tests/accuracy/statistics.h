/* statistics.h - what the accuracy tests share: how large a test is, random hashes, running
 * moments, and rows: each statistic with what was expected, measured and allowed.
 *
 * Every test is at level ALPHA = 1e-6, two-sided, so |z| <= Z_ALPHA = 4.8916, and has at least the
 * power 0.999 (Z_POWER = 3.0902) against the defect that it names, mostly 10 %. row_rate, row_mean
 * and row_deviation work the power out from the numbers of the run, and fail if it is less:
 *
 *   a rate p from N questions: the count of yes is binomial, its deviation is sqrt(N p (1 - p)). A
 *     rate of f p is noticed if N p (f - 1) >= Z_ALPHA sqrt(N p (1 - p)) +
 *     Z_POWER sqrt(N f p (1 - f p)), which questions_for solves for N. At f = 1.1: 6.0e4, 6.6e5,
 *     6.6e6, 6.6e7 questions for p = 0.1, 0.01, 0.001, 1e-4. (0.9 p is noticed more easily.)
 *   a mean with deviation s from T trials: its own deviation is s / sqrt(T), and a shift d is
 *     noticed if T >= ((Z_ALPHA + Z_POWER) s / d)^2: 6371 trials for a shift of s / 10.
 *   a standard deviation from T trials: its relative deviation is sqrt((kurtosis - 1) / (4 T)), or
 *     1 / sqrt(2 T) for a normal one; 10 % more is noticed if T >= (Z_ALPHA + 1.1 Z_POWER)^2 / 0.02
 *     = 3438.
 *
 * The seeds are fixed, so a test passes always or never; ALPHA is the chance that a fixed set of
 * seeds was an unlucky one.
 *
 * Three sizes. `make check` runs a share of the settings and prints nothing but failures. With
 * INK_ACCURACY=full (`make accuracy`) there are more settings and seeds, smaller defects are
 * noticed, and every row is printed for scripts/accuracy_table.py. With INK_TEST_LIGHT set
 * (valgrind) there are 50 times fewer trials and questions; since every bound is worked out from
 * their number the level stays, only the power goes. */
#ifndef INK_TESTS_ACCURACY_STATISTICS_H
#define INK_TESTS_ACCURACY_STATISTICS_H

#include "support/check.h"

#include <math.h>
#include <stdio.h>

#define Z_ALPHA 4.8916
#define Z_POWER 3.0902

/* ---- How large ---------------------------------------------------------------------------- */

static inline bool light(void)
{
    return getenv("INK_TEST_LIGHT") != NULL;
}

static inline bool full(void)
{
    const char *accuracy = getenv("INK_ACCURACY");

    return !light() && accuracy != NULL && strcmp(accuracy, "full") == 0;
}

/* This many trials, or a 50th part of them, but at least 20. */
static inline size_t trials_of(size_t trials)
{
    size_t few = trials / 50;

    return !light() ? trials : few < 20 ? 20 : few;
}

/* ---- Random numbers ----------------------------------------------------------------------- */

static inline uint64_t mixed(uint64_t x) /* the output function of splitmix64 */
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline uint64_t next_random(uint64_t *state)
{
    return mixed(*state += 0x9e3779b97f4a7c15u);
}

/* Above 0 and below 1. */
static inline double next_uniform(uint64_t *state)
{
    return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
}

/* ---- Moments ------------------------------------------------------------------------------ */

typedef struct moments {
    double count, sum, square, cube, fourth; /* of the differences from `origin` */
    double origin;
} moments;

static inline void moments_add(moments *m, double x)
{
    double d = x - m->origin;

    m->count++;
    m->sum += d;
    m->square += d * d;
    m->cube += d * d * d;
    m->fourth += d * d * d * d;
}

static inline double mean_of(const moments *m)
{
    return m->origin + m->sum / m->count;
}

static inline double deviation_of(const moments *m)
{
    double mean = m->sum / m->count;

    return sqrt((m->square / m->count - mean * mean) * m->count / (m->count - 1));
}

static inline double kurtosis_of(const moments *m)
{
    double a = m->sum / m->count, b = m->square / m->count, c = m->cube / m->count;
    double fourth = m->fourth / m->count - 4 * a * c + 6 * a * a * b - 3 * a * a * a * a;
    double variance = b - a * a;

    return fourth / (variance * variance);
}

/* The relative deviation of deviation_of itself. */
static inline double deviation_error(const moments *m)
{
    return sqrt((kurtosis_of(m) - 1) / (4 * m->count));
}

/* ---- Sample sizes ------------------------------------------------------------------------- */

/* How many questions show that a rate is `factor` times p and not p; see above. */
static inline size_t questions_for(double p, double factor)
{
    double other = factor * p;
    double root = (Z_ALPHA * sqrt(p * (1 - p)) + Z_POWER * sqrt(other * (1 - other))) /
                  (p * fabs(factor - 1));

    return trials_of((size_t)ceil(root * root));
}

/* How many trials show that a mean is off by `shift`, where one trial has this deviation. */
static inline size_t trials_for_mean(double deviation, double shift)
{
    double root = (Z_ALPHA + Z_POWER) * deviation / shift;

    return trials_of((size_t)ceil(root * root));
}

/* How many trials show that a deviation is `factor` times as large, with this kurtosis (normal: 3).
 */
static inline size_t trials_for_deviation(double factor, double kurtosis)
{
    double root = (Z_ALPHA + factor * Z_POWER) / (factor - 1);

    return trials_of((size_t)ceil(root * root * (kurtosis - 1) / 4));
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* A name for a row, as by printf, with 1e6 for 1e+06; stays until the next call. */
__attribute__((format(printf, 1, 2))) static inline const char *named(const char *format, ...)
{
    static char name[160];
    va_list     arguments;
    char       *to = name;

    va_start(arguments, format);
    (void)vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    for (const char *from = name; *from != 0; from++) {
        bool exponent = from > name && from[-1] == 'e' && (*from == '+' || *from == '-');
        if (!exponent || *from == '-')
            *to++ = *from;
        if (exponent && from[1] == '0' && from[2] >= '0' && from[2] <= '9')
            from++;
    }
    *to = 0;
    return name;
}

/* One row of the table of `make accuracy`, and a check: fails the test unless low <= measured <=
 * high; either may be infinite. `name` reads as "kind: statistic, setting, setting". */
static inline void row(const char *name, double expected, double measured, double low, double high)
{
    if (full()) {
        printf("#row\t%s\t%.17g\t%.17g\t%.17g\t%.17g\n", name, expected, measured, low, high);
        (void)fflush(stdout);
    }
    if (!(low <= measured && measured <= high))
        fail_msg("%s: measured %.8g, expected %.8g, allowed %.8g to %.8g", name, measured, expected,
                 low, high);
}

/* Within Z_ALPHA deviations. What the test would notice stands elsewhere. */
static inline void row_z(const char *name, double expected, double measured, double deviation)
{
    row(name, expected, measured, expected - Z_ALPHA * deviation, expected + Z_ALPHA * deviation);
}

static inline void check_power(const char *name, double chance, double defect)
{
    if (!light() && !(chance <= defect * 1.0001))
        fail_msg("%s: a defect of %.3g has to be above %.3g to be noticed", name, defect, chance);
}

/* A rate from questions: `expected` and `variance` are those of the number of yes. Notices `factor`
 * times the rate. */
static inline void row_rate(const char *name, double questions, double expected, double variance,
                            double yes, double factor)
{
    double p = expected / questions, other = factor * p;

    check_power(name,
                (Z_ALPHA * sqrt(variance) + Z_POWER * sqrt(questions * other * (1 - other))) /
                    questions,
                p * fabs(factor - 1));
    row_z(name, p, yes / questions, sqrt(variance) / questions);
}

/* A mean, or anything else that scatters by `deviation`. Notices a shift by `shift`. */
static inline void row_mean(const char *name, double expected, double mean, double deviation,
                            double shift)
{
    check_power(name, (Z_ALPHA + Z_POWER) * deviation, shift);
    row_z(name, expected, mean, deviation);
}

/* The deviation of all that m has seen. Notices `factor` times as much. */
static inline void row_deviation(const char *name, double expected, const moments *m, double factor)
{
    double error = deviation_error(m);

    check_power(name, (Z_ALPHA + factor * Z_POWER) * error, fabs(factor - 1));
    row_z(name, expected, deviation_of(m), expected * error);
}

/* A share of `count` trials that is `expected`, or up to `less` below and `more` above that for
 * reasons that the caller states. */
static inline void row_share(const char *name, double expected, double less, double more,
                             double share, double count)
{
    double low = expected - less, high = expected + more;

    row(name, expected, share, low - Z_ALPHA * sqrt(fmax(0, low * (1 - low)) / count),
        high + Z_ALPHA * sqrt(fmax(0, high * (1 - high)) / count));
}

/* EACH(name, size_t i, const measurement *m) { ... } is a test of every measurement in turn, which
 * the file's each_measurement calls with each. */
#define EACH(name, ...)                                                                            \
    static void                              name(__VA_ARGS__);                                    \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        check_add(#name, each_measurement, (void *)(uintptr_t)name, __LINE__);                     \
    }                                                                                              \
    static void name(__VA_ARGS__)

/* Questions to sketches of known rates, and how many were answered with yes. */
typedef struct tally {
    double questions, yes;
    double expected, variance; /* of `yes` */
} tally;

static inline void tally_add(tally *all, double rate, size_t questions, size_t yes)
{
    all->questions += (double)questions;
    all->expected += rate * (double)questions;
    all->variance += rate * (1 - rate) * (double)questions;
    all->yes += (double)yes;
}

static inline void row_tally(const char *name, const tally *all, double factor)
{
    row_rate(name, all->questions, all->expected, all->variance, all->yes, factor);
}

/* ---- Sketches ----------------------------------------------------------------------------- */

static inline ink_sketch *make(const ink_params *params)
{
    ink_sketch *sketch = NULL;
    ink_error   error;

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    return sketch;
}

/* Parameters for int keys; all else may be set afterwards. */
static inline ink_params int_params(const char *kind, uint64_t keys, double rate, uint64_t seed)
{
    return (ink_params){
        .kind = kind,
        .expected_keys = keys,
        .false_positive_rate = rate,
        .key_type = INK_KEY_INT,
        .seed = seed,
        .has_seed = true,
    };
}

enum { BATCH = 1024 };

/* Adds the int keys first to first + count - 1, or, if `into` is NULL, asks for them; returns how
 * many were answered with yes. */
static inline size_t each_int(ink_sketch *into, const ink_sketch *of, int64_t first, size_t count)
{
    int64_t   keys[BATCH];
    uint8_t   answers[BATCH];
    size_t    yes = 0;
    ink_error error;

    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < BATCH ? count - done : BATCH;
        for (size_t i = 0; i < part; i++)
            keys[i] = first + (int64_t)(done + i);
        const ink_batch batch = {.count = part, .ints = keys};
        if (into != NULL) {
            CHECK_OK(ink_sketch_add_batch(into, &batch, &error));
            continue;
        }
        CHECK_OK(ink_sketch_contains_batch(of, &batch, answers, &error));
        for (size_t i = 0; i < part; i++)
            yes += answers[i];
    }
    return yes;
}

static inline void add_ints(ink_sketch *sketch, int64_t first, size_t count)
{
    (void)each_int(sketch, NULL, first, count);
}

static inline size_t ask_ints(const ink_sketch *sketch, int64_t first, size_t count)
{
    return each_int(NULL, sketch, first, count);
}

/* Adds `count` random hashes. */
static inline void add_random(ink_sketch *sketch, uint64_t *random, size_t count)
{
    uint64_t  hashes[BATCH];
    ink_error error;

    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < BATCH ? count - done : BATCH;
        for (size_t i = 0; i < part; i++)
            hashes[i] = next_random(random);
        const ink_batch batch = {.count = part, .hashes = hashes};
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    }
}

static inline double rate_of(const ink_sketch *sketch)
{
    double    rate = -1;
    ink_error error;

    CHECK_OK(ink_sketch_rate(sketch, &rate, &error));
    return rate;
}

static inline ink_answer distinct_of(const ink_sketch *sketch, double confidence)
{
    ink_answer answer = {0};
    ink_error  error;

    CHECK_OK(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, confidence, &answer, &error));
    return answer;
}

static inline uint64_t ones_of(const ink_sketch *sketch)
{
    ink_description description;
    uint64_t        ones = 0;
    ink_error       error;

    ink_sketch_describe(sketch, &description);
    uint8_t *payload = malloc((size_t)description.bytes);
    CHECK(payload != NULL);
    CHECK_OK(ink_sketch_payload(sketch, payload, (size_t)description.bytes, &error));
    for (uint64_t i = 0; i < description.bytes; i++)
        ones += (uint64_t)__builtin_popcount(payload[i]);
    free(payload);
    return ones;
}

#endif
