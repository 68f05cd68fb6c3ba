/* statistics.h - what the accuracy tests share: random hashes, running moments, and how far apart
 * is too far.
 *
 * Every test is at level ALPHA = 1e-6, two-sided, so |z| <= Z_ALPHA = 4.8916, and has at least the
 * power 0.999 (Z_POWER = 3.0902) against the deviation that it names, mostly 10 %:
 *
 *   a rate p from N questions: the count of yes is binomial; its deviation is sqrt(N p (1 - p)). A
 *     rate of f p is noticed if N p (f - 1) >= Z_ALPHA sqrt(N p (1 - p)) + Z_POWER sqrt(N f p (1 -
 * f p)), which questions_for below solves for N. At f = 1.1: 6.0e4, 6.6e5, 6.6e6, 6.6e7 questions
 * for p = 0.1, 0.01, 0.001, 1e-4. (A rate of 0.9 p is noticed a little more easily.) a mean with
 * relative deviation s from T trials: its deviation is s / sqrt(T), and a shift d is noticed if T
 * >= ((Z_ALPHA + Z_POWER) s / d)^2: 6371 trials for a shift of s / 10. a standard deviation from T
 * trials: its own relative deviation is sqrt((kurtosis - 1) / (4 T)), or 1 / sqrt(2 T) for a normal
 * one; 10 % more is noticed if T >= (Z_ALPHA + 1.1 Z_POWER)^2 / 0.02 = 3438. (Only from above 3387
 * are needed.)
 *
 * The seeds are fixed, so a test passes always or never; ALPHA is the chance that a fixed set of
 * seeds was an unlucky one. With INK_TEST_LIGHT set (valgrind) there are 50 times fewer trials and
 * questions; since every bound is worked out from their number the level stays, only the power
 * goes. */
#ifndef INK_TESTS_ACCURACY_STATISTICS_H
#define INK_TESTS_ACCURACY_STATISTICS_H

#include "support/check.h"

#include <math.h>

#define Z_ALPHA 4.8916
#define Z_POWER 3.0902

static inline bool light(void)
{
    return getenv("INK_TEST_LIGHT") != NULL;
}

/* So many trials, or a 50th part of them, but at least 20. */
static inline size_t trials_of(size_t full)
{
    size_t few = full / 50;

    return !light() ? full : few < 20 ? 20 : few;
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

/* ---- Rates -------------------------------------------------------------------------------- */

/* How many questions show that a rate is `factor` times p and not p; see above. */
static inline size_t questions_for(double p, double factor)
{
    double other = factor * p;
    double root = (Z_ALPHA * sqrt(p * (1 - p)) + Z_POWER * sqrt(other * (1 - other))) /
                  (p * fabs(factor - 1));

    return trials_of((size_t)ceil(root * root));
}

/* Fails the test unless the two are within Z_ALPHA deviations. `name`, `rate` and `keys` only say
 * of which sketch it is. */
static inline void check_z(double found, double expected, double deviation, const char *what,
                           const char *name, double rate, uint64_t keys)
{
    double z = (found - expected) / deviation;

    if (!(fabs(z) <= Z_ALPHA))
        fail_msg("%s, rate %g, %llu keys: %s is %.8g, expected %.8g with deviation %.3g: z = %.2f",
                 name, rate, (unsigned long long)keys, what, found, expected, deviation, z);
}

/* ---- Sketches ----------------------------------------------------------------------------- */

static inline ink_sketch *make(const ink_params *params)
{
    ink_sketch *sketch = NULL;
    ink_error   error;

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    return sketch;
}

enum { BATCH = 1024 };

/* Adds the int keys first to first + count - 1. */
static inline void add_ints(ink_sketch *sketch, int64_t first, size_t count)
{
    int64_t   keys[BATCH];
    ink_error error;

    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < BATCH ? count - done : BATCH;
        for (size_t i = 0; i < part; i++)
            keys[i] = first + (int64_t)(done + i);
        const ink_batch batch = {.count = part, .ints = keys};
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    }
}

/* How many of the int keys first to first + count - 1 it says yes to. */
static inline size_t ask_ints(const ink_sketch *sketch, int64_t first, size_t count)
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
        CHECK_OK(ink_sketch_contains_batch(sketch, &batch, answers, &error));
        for (size_t i = 0; i < part; i++)
            yes += answers[i];
    }
    return yes;
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

    CHECK_OK(ink_sketch_distinct(sketch, confidence, &answer, &error));
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
