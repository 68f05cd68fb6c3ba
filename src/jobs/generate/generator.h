/* generator.h - what the generators of data share: random numbers that are the same on every host
 * and digits; what a generator is, and all that there are. */
#ifndef INK_JOBS_GENERATE_GENERATOR_H
#define INK_JOBS_GENERATE_GENERATOR_H

#include "base/bits.h"
#include "jobs/generate/record_buffer.h"

/* ---- Random numbers ----------------------------------------------------------------------- */

/* xoshiro256++, and splitmix64 to seed it [Blackman, Vigna 2021; Steele, Lea, Flood 2014]. */
typedef struct ink__random {
    uint64_t state[4];
} ink__random;

/* Streams of one seed that have nothing to do with each other: what one use draws does not change
 * what another one gets. */
typedef enum ink__random_use {
    INK__RANDOM_IP = 1,
    INK__RANDOM_NAMES,
    INK__RANDOM_SAMPLE,
    INK__RANDOM_TITLES,
    INK__RANDOM_RATINGS,
    INK__RANDOM_VOTES,
    INK__RANDOM_ZIPF,
    INK__RANDOM_U64,
    INK__RANDOM_CLIENTS,
    INK__RANDOM_PAGES,
    INK__RANDOM_LINES,
} ink__random_use;

static inline uint64_t ink__random_split(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline void ink__random_begin(ink__random *random, uint64_t seed, ink__random_use use)
{
    uint64_t state = seed;

    state = ink__random_split(&state) ^ (uint64_t)use;
    for (int i = 0; i < 4; i++)
        random->state[i] = ink__random_split(&state);
}

static inline uint64_t ink__random_next(ink__random *random)
{
    uint64_t *s = random->state;
    uint64_t  result = ink__rotate_left_64(s[0] + s[3], 23) + s[0], shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = ink__rotate_left_64(s[3], 45);
    return result;
}

/* 0 to range - 1, each with the very same chance [Lemire 2019]; range is not 0. */
static inline uint64_t ink__random_below(ink__random *random, uint64_t range)
{
    uint64_t x = ink__random_next(random);

    if (x * range < range) /* the lower half of the product; here some numbers have one x more */
        while (x * range < (0 - range) % range)
            x = ink__random_next(random);
    return ink__multiply_high(x, range);
}

/* ---- Digits ------------------------------------------------------------------------------- */

/* Writes `value`, which has no more digits than that, with zeros in front, and returns its end. */
static inline uint8_t *ink__put_digits(uint8_t *to, uint64_t value, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; value /= 10)
        to[i] = (uint8_t)('0' + value % 10);
    return to + digits;
}

/* Writes seconds since 1970 as logs do, [12/Nov/2026:06:25:24 +0000], and returns its end. */
uint8_t *ink__put_log_time(uint8_t *to, uint64_t seconds);

/* ---- Generators --------------------------------------------------------------------------- */

/* What a generator is given; it has been checked. */
typedef struct ink__generator_run {
    uint64_t            seed;
    double              skew;
    ink__record_buffer *records; /* total says how many to write */
    ink__record_buffer *sample;  /* and how many of them here */
    ink_allocator       allocator;
} ink__generator_run;

typedef struct ink__generator {
    const char *name, *about;
    uint64_t    records; /* if nobody says how many ... */
    bool        fixed;   /* ... and no other number */
    bool        has_skew, has_sample;
    ink_status (*run)(const ink__generator_run *run, ink_error *error);
} ink__generator;

extern const ink__generator ink__generate_ip, ink__generate_names, ink__generate_ratings,
    ink__generate_zipf, ink__generate_u64, ink__generate_log;

#endif
