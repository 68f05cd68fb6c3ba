/* hll_registers.h - registers of an hll as a given number of keys would leave them, drawn from
 * their distribution and not key by key, so that 2^60 keys cost no more than m; and the deviation
 * that the estimate has in theory. */
#ifndef INK_TESTS_ACCURACY_HLL_REGISTERS_H
#define INK_TESTS_ACCURACY_HLL_REGISTERS_H

#include "accuracy/statistics.h"

#define SIGMA 1.0389617614136892 /* sqrt(3 ln 2 - 1): the deviation times sqrt(m) */

static inline double registers_of(uint32_t precision)
{
    return (double)((uint64_t)1 << precision);
}

/* What the library tells as the relative deviation. */
static inline double sigma_of(uint32_t precision)
{
    return SIGMA / sqrt(registers_of(precision));
}

/* ---- Drawing ------------------------------------------------------------------------------ */

/* A hash that falls into this register with this value. */
static inline uint64_t hash_with(uint32_t precision, uint64_t index, uint32_t value)
{
    uint64_t one = value > 64 - precision ? 0 : (uint64_t)1 << (64 - precision - value);

    return index << (64 - precision) | one;
}

/* P(value <= v) of one of the registers after n keys: each key misses it, or stays at v. */
static inline double chance_up_to(uint32_t precision, double keys, uint32_t value)
{
    if (value > 64 - precision)
        return 1;
    return exp(keys * log1p(-ldexp(1, -(int)value) / registers_of(precision)));
}

/* A table to draw values from. */
typedef struct value_draw {
    uint64_t below[62]; /* 2^64 P(value <= v) */
    uint8_t  start[256];
} value_draw;

static inline value_draw value_draw_of(uint32_t precision, double keys)
{
    value_draw draw = {{0}, {0}};

    for (uint32_t value = 0; value <= 65 - precision; value++) {
        double scaled = chance_up_to(precision, keys, value) * 0x1p64;
        draw.below[value] = scaled < 0x1p64 ? (uint64_t)scaled : UINT64_MAX;
    }
    draw.below[65 - precision] = UINT64_MAX;
    for (uint64_t top = 0; top < 256; top++)
        while (draw.below[draw.start[top]] <= top << 56)
            draw.start[top]++;
    return draw;
}

static inline uint32_t draw_value(const value_draw *draw, uint64_t *random)
{
    uint64_t u = next_random(random);
    uint32_t value = draw->start[u >> 56];

    while (u >= draw->below[value] && draw->below[value] != UINT64_MAX)
        value++;
    return value;
}

/* Adds one hash for every register above 0. As if the number of keys were a Poisson one, of records
 * that nothing is known of. */
static inline void add_drawn(ink_sketch *sketch, uint32_t precision, const value_draw *draw,
                             uint64_t *random)
{
    uint64_t  hashes[BATCH], count = (uint64_t)1 << precision;
    size_t    used = 0;
    ink_error error;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t value = draw_value(draw, random);
        if (value > 0)
            hashes[used++] = hash_with(precision, i, value);
        if (used == BATCH || i + 1 == count) {
            const ink_batch batch = {.count = used, .hashes = hashes, .records = UINT64_MAX};
            CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
            used = 0;
        }
    }
}

/* ---- Theory ------------------------------------------------------------------------------- */

/* The relative deviation of the estimate, to first order in 1 / m. It is m^2 / (2 ln 2 Z), where
 * Z / m is the mean over the registers of 2^-value, but of sigma for the empty ones (and of tau for
 * the full ones, of which there are none worth the name up to 2^60 keys). So its relative variance
 * is that of Z: with p_v the chance of value v and a_v its weight, sigma'(p_0) for v = 0,
 *     (sum p_v a_v^2 - (sum p_v a_v)^2) / m,   over (E Z / m)^2
 * if the number of keys is a Poisson one, and 1 / keys less if it is fixed. */
static inline double estimate_deviation(uint32_t precision, double keys, bool fixed)
{
    double m = registers_of(precision), mean = 0, square = 0, z = 0, before = 0;

    /* Few keys: what remains of the sums is too little. The estimate comes from the number of
     * empty registers, and a pair of keys in one register is what makes it scatter. */
    if (fixed && keys <= 0.02 * m)
        return sqrt((0.5 + keys / m / 6) * (1 - 1 / keys) / m);
    for (uint32_t value = 0; value <= 65 - precision; value++) {
        double up_to = chance_up_to(precision, keys, value), p = up_to - before;
        double weight = ldexp(1, -(int)value), part = p * weight;
        if (value == 0) { /* sigma(p) = p + p^2 + 2 p^4 + 4 p^8 + ..., sigma'(p) = 1 + 2 p + ... */
            weight = 1;
            for (double x = p * p, power = 1; x > 0; x *= x, power *= 2) {
                part += x * power;
                weight += 2 * power * power * x / p;
            }
        }
        before = up_to;
        mean += p * weight;
        square += p * weight * weight;
        z += part;
    }
    double variance = (square - mean * mean) / (m * z * z);
    return sqrt(variance - (fixed ? 1 / keys : 0));
}

#endif
