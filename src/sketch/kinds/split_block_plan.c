/* split_block_plan.c - how large a split-block filter must be.
 *
 * A block's load is binomial: each of n keys falls into it with chance 1/B. With j keys in a block
 * each of its eight words has an expected share of 1 - (31/32)^j ones, and words are independent,
 * so a foreign key that meets the block passes with chance f(j) = (1 - (31/32)^j)^8. The filter's
 * rate is the mean of f over its blocks; its expectation is exact for this layout, unlike the
 * textbook formula, which is 10 % too low at 1 % and far off below.
 *
 * One filter's rate scatters around that. With the second moment of a block's rate, from the second
 * moment of the ones in a word, and the part that a fixed total of keys explains taken out:
 *   Var = (E f^2 - (E f)^2 - Cov(f, j)^2 / Var j) / B
 * Promised is the expectation and three standard deviations: nearly every filter keeps p. */
#include "sketch/kinds/split_block_plan.h"

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

/* Above this load a filter is full in practice. */
#define LOAD_MAX 250.0
/* From here on 32 bits choose a block too unevenly to ignore. */
#define UNEVEN_FROM_BLOCKS ((uint64_t)1 << 27)

typedef struct moments {
    double rate;          /* E f */
    double rate_squared;  /* E f^2 */
    double rate_and_load; /* E f j */
} moments;

static double eighth_power(double x)
{
    x *= x;
    x *= x;
    return x * x;
}

/* Adds what a block with `load` keys contributes; `empty` = (31/32)^load, `empty_two` =
 * (30/32)^load. */
static void add_load(moments *m, double chance, double load, double empty, double empty_two)
{
    double ones = 1 - empty; /* mean share of ones in a word, and the mean of its square: */
    double ones_squared = ones * ones + (empty + 31 * empty_two - 32 * empty * empty) * (1.0 / 32);
    double rate = eighth_power(ones);

    m->rate += chance * rate;
    m->rate_squared += chance * eighth_power(ones_squared);
    m->rate_and_load += chance * rate * load;
}

/* Moments over a binomial load: `keys` keys, each with this chance to fall into the block. */
static moments moments_of(uint64_t keys, double chance_of_key)
{
    moments m = {0, 0, 0};
    double  n = (double)keys, mean = n * chance_of_key;
    double  odds = chance_of_key / (1 - chance_of_key);
    double  chance = ink__exp(n * ink__ln_1p(-chance_of_key)), empty = 1, empty_two = 1;
    double  until = mean + 10 * ink__sqrt(mean) + 30;

    for (double load = 0; load <= until && load <= n; load++) {
        add_load(&m, chance, load, empty, empty_two);
        chance *= odds * (n - load) / (load + 1);
        empty *= 31.0 / 32;
        empty_two *= 30.0 / 32;
    }
    return m;
}

/* All keys in one block. */
static moments moments_of_one_block(uint64_t keys)
{
    moments m = {0, 0, 0};

    add_load(&m, 1, (double)keys, ink__exp((double)keys * ink__ln_1p(-1.0 / 32)),
             ink__exp((double)keys * ink__ln_1p(-2.0 / 32)));
    return m;
}

/* A block gets either the floor or the ceiling of 2^32 / blocks values of the hash's upper 32 bits;
 * keys and queries both prefer the fuller ones. */
static double uneven_rate(uint64_t keys, uint64_t blocks)
{
    const double all = 0x1p32;
    uint64_t     few = ((uint64_t)1 << 32) / blocks, fuller = ((uint64_t)1 << 32) - few * blocks;
    double       chance = (double)few / all, fuller_chance = (double)(few + 1) / all;

    return (double)(blocks - fuller) * chance * moments_of(keys, chance).rate +
           (double)fuller * fuller_chance * moments_of(keys, fuller_chance).rate;
}

double ink__split_block_rate(uint64_t keys, uint64_t blocks, double *scatter)
{
    double  count = (double)blocks, load = (double)keys / count;
    moments m;

    if (scatter != NULL)
        *scatter = 0;
    if (keys == 0)
        return 0;
    if (load > LOAD_MAX)
        return 1;
    m = blocks == 1 ? moments_of_one_block(keys) : moments_of(keys, 1 / count);
    if (scatter != NULL) {
        double variance = m.rate_squared - m.rate * m.rate;
        double covariance = m.rate_and_load - m.rate * load;
        if (blocks > 1)
            variance -= covariance * covariance / (load * (1 - 1 / count));
        *scatter = ink__sqrt(variance / count) / m.rate;
    }
    return blocks < UNEVEN_FROM_BLOCKS ? m.rate : uneven_rate(keys, blocks);
}

double ink__split_block_promise(uint64_t keys, uint64_t blocks)
{
    double scatter, rate = ink__split_block_rate(keys, blocks, &scatter);

    rate *= 1 + 3 * scatter;
    return rate < 1 ? rate : 1;
}

/* The sizes with at most 9 significant bits, in order: 1 to 511, then 256 << 1, 257 << 1, ... */
static uint64_t size_at(uint64_t index)
{
    if (index < 512)
        return index;
    return (256 + index % 256) << (index / 256 - 1);
}

static uint64_t index_of(uint64_t blocks)
{
    uint64_t doublings = 0;

    while (blocks >= 512) {
        blocks >>= 1;
        doublings++;
    }
    return doublings * 256 + blocks;
}

/* Where the search begins, on which its result does not depend: the size without scatter, at which
 * the eighth power of the share of ones in a word is the rate. */
static uint64_t guess(uint64_t keys, double rate)
{
    double ones = ink__sqrt(ink__sqrt(ink__sqrt(rate)));
    double blocks = (double)keys * ink__ln_1p(-1.0 / 32) / ink__ln_1p(-ones);

    if (blocks >= (double)INK__BLOCKS_MAX)
        return index_of(INK__BLOCKS_MAX);
    return index_of(blocks < 1 ? 1 : (uint64_t)blocks);
}

static bool enough(uint64_t keys, uint64_t index, double rate)
{
    return ink__split_block_promise(keys, size_at(index)) <= rate;
}

uint64_t ink__split_block_plan(uint64_t keys, double rate)
{
    const uint64_t most = index_of(INK__BLOCKS_MAX);
    uint64_t       low = 0, high = guess(keys, rate), step = 1;

    /* low is not enough, high is (or is not known to be, at the start). */
    if (enough(keys, high, rate)) {
        while (high > step && enough(keys, high - step, rate)) {
            high -= step;
            step *= 2;
        }
        low = high > step ? high - step : 0;
    } else {
        do {
            if (high == most)
                return 0;
            low = high;
            high = most - high > step ? high + step : most;
            step *= 2;
        } while (!enough(keys, high, rate));
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (enough(keys, middle, rate))
            high = middle;
        else
            low = middle;
    }
    return size_at(high);
}

double ink__split_block_bits_per_key(double rate)
{
    const uint64_t keys = (uint64_t)1 << 40; /* many: a block's load is as good as Poisson */
    double         few = 0.01, many = LOAD_MAX;

    for (int i = 0; i < 50; i++) {
        double load = 0.5 * (few + many);
        if (moments_of(keys, load / (double)keys).rate <= rate)
            few = load;
        else
            many = load;
    }
    return 256 / few;
}
