/* generator.h - what the generators of data share: random numbers that are the same on every host,
 * digits, how records reach a sink; and all generators.
 *
 * The folder src/jobs/generate makes the data sets of the published experiments. Read this header,
 * then generate_numbers.c; generate.c has the list. Nothing else in src uses it. */
#ifndef INK_JOBS_GENERATE_GENERATOR_H
#define INK_JOBS_GENERATE_GENERATOR_H

#include "base/bits.h"
#include "inkling_job.h"

/* ---- Random numbers ----------------------------------------------------------------------- */

/* xoshiro256++, and splitmix64 to seed it [Blackman, Vigna 2021; Steele, Lea, Flood 2014]. */
typedef struct ink__random {
    uint64_t state[4];
} ink__random;

/* Independent streams of one seed. */
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

/* Uniform from 0 to range - 1 [Lemire 2019]; range is not 0. */
static inline uint64_t ink__random_below(ink__random *random, uint64_t range)
{
    uint64_t x = ink__random_next(random);

    if (x * range < range) /* the lower 64 bits: here some results would have one x more */
        while (x * range < (0 - range) % range)
            x = ink__random_next(random);
    return ink__multiply_high(x, range);
}

/* ---- Digits ------------------------------------------------------------------------------- */

/* Writes `value`, padded with zeros to `digits` digits, which suffice, and returns its end. */
static inline uint8_t *ink__put_digits(uint8_t *to, uint64_t value, unsigned digits)
{
    for (unsigned i = digits; i-- > 0; value /= 10)
        to[i] = (uint8_t)('0' + value % 10);
    return to + digits;
}

/* Writes seconds since 1970 as logs do, [12/Nov/2026:06:25:24 +0000], and returns its end. */
uint8_t *ink__put_log_time(uint8_t *to, uint64_t seconds);

/* ---- Records ------------------------------------------------------------------------------ */

enum { INK__RECORD_MAX = 192 }; /* bytes of any record, the line end included */

/* What a generator gets; it has been checked. */
typedef struct ink__generator_run {
    uint64_t        seed;
    double          skew;
    uint64_t        records; /* to be written to ... */
    const ink_sink *sink;
    uint64_t        sample; /* and of these to ... */
    const ink_sink *sample_sink;
    ink_job        *job;
    uint64_t        began; /* when the job began, in nanoseconds */
    ink_allocator   allocator;
} ink__generator_run;

/* How records are made: values that are drawn in order, and the text of each. */
typedef struct ink__record_steps {
    size_t      value_bytes; /* of one record; a multiple of its alignment, of up to 8 */
    size_t      record_max;  /* bytes of a record at most, the line end included */
    const char *header;      /* written before the first record; or NULL */
    void       *host;
    /* Draws the values of the next records; called by one thread at a time. */
    ink_status (*draw)(void *host, void *values, uint64_t count, ink_error *error);
    /* Writes the text of a record, and returns its end; called by many threads. */
    uint8_t *(*put)(uint8_t *to, const void *value, const void *host);
} ink__record_steps;

/* Writes all records of a run to its sink, by the threads of its job. */
ink_status ink__generate_each(const ink__generator_run *run, const ink__record_steps *steps,
                              ink_error *error);

/* Writes to a sink; no bytes are no call. */
ink_status ink__sink_put(const ink_sink *sink, const void *bytes, uint64_t count, ink_error *error);

/* ---- Ranks -------------------------------------------------------------------------------- */

typedef struct ink__zipf ink__zipf;

/* Rank k of `ranks`, 1 to 10 million, has a chance in proportion to k^-skew. */
ink_status ink__zipf_make(ink__zipf **zipf, uint32_t ranks, double skew,
                          const ink_allocator *allocator, ink_error *error);
void       ink__zipf_free(ink__zipf *zipf, const ink_allocator *allocator); /* NULL is allowed */

/* A rank, from 1. */
uint32_t ink__zipf_draw(const ink__zipf *zipf, ink__random *random);

/* ---- Generators --------------------------------------------------------------------------- */

/* The generators; generate.c says what each is. */
enum { INK__TITLES = 1260817 }; /* of the ratings */
ink_status ink__generate_ip(const ink__generator_run *run, ink_error *error);
ink_status ink__generate_names(const ink__generator_run *run, ink_error *error);
ink_status ink__generate_ratings(const ink__generator_run *run, ink_error *error);
ink_status ink__generate_zipf(const ink__generator_run *run, ink_error *error);
ink_status ink__generate_u64(const ink__generator_run *run, ink_error *error);
ink_status ink__generate_log(const ink__generator_run *run, ink_error *error);

#endif
