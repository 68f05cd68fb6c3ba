/* streams.h - streams of int keys whose counts are known exactly: uniform, Zipf, round-robin, in
 * any order; how they are added to sketches; and the rows that compare with a simulated reference
 * or with chi-square. What else the accuracy tests share is in statistics.h. */
#ifndef INK_TESTS_ACCURACY_STREAMS_H
#define INK_TESTS_ACCURACY_STREAMS_H

#include "accuracy/statistics.h"

/* ---- Streams ------------------------------------------------------------------------------ */

/* The keys are 0 to keys - 1. */
typedef struct stream {
    size_t    keys;
    uint64_t *counts; /* of each key */
    size_t    length; /* their sum */
    int64_t  *items;  /* the keys, each as often as its count says */
} stream;

static inline void *taken(size_t count, size_t bytes)
{
    void *memory = calloc(count == 0 ? 1 : count, bytes);

    CHECK(memory != NULL);
    return memory;
}

static inline void stream_free(stream *s)
{
    free(s->counts);
    free(s->items);
    *s = (stream){0};
}

/* Makes the items from the counts, in order of the keys. */
static inline void stream_sort(stream *s)
{
    size_t at = 0;

    for (size_t key = 0; key < s->keys; key++)
        for (uint64_t i = 0; i < s->counts[key]; i++)
            s->items[at++] = (int64_t)key;
}

static inline stream stream_of_counts(size_t keys, uint64_t *counts)
{
    stream s = {.keys = keys, .counts = counts};

    for (size_t key = 0; key < keys; key++)
        s.length += (size_t)counts[key];
    s.items = taken(s.length, sizeof *s.items);
    stream_sort(&s);
    return s;
}

static inline stream stream_uniform(size_t keys, uint64_t each)
{
    uint64_t *counts = taken(keys, sizeof *counts);

    for (size_t key = 0; key < keys; key++)
        counts[key] = each;
    return stream_of_counts(keys, counts);
}

/* Key i has about length / (i + 1)^exponent / (the sum of these), rounded, but once at least. */
static inline stream stream_zipf(size_t keys, double exponent, size_t length)
{
    uint64_t *counts = taken(keys, sizeof *counts);
    double    sum = 0;

    for (size_t key = 0; key < keys; key++)
        sum += pow((double)key + 1, -exponent);
    for (size_t key = 0; key < keys; key++) {
        double count = (double)length * pow((double)key + 1, -exponent) / sum;
        counts[key] = count < 1 ? 1 : (uint64_t)(count + 0.5);
    }
    return stream_of_counts(keys, counts);
}

static inline void stream_shuffle(stream *s, uint64_t seed)
{
    for (size_t i = s->length; i > 1; i--) {
        size_t  other = (size_t)(next_random(&seed) % i);
        int64_t item = s->items[i - 1];
        s->items[i - 1] = s->items[other];
        s->items[other] = item;
    }
}

static inline void stream_reverse(stream *s)
{
    for (size_t i = 0; i < s->length / 2; i++) {
        int64_t item = s->items[i];
        s->items[i] = s->items[s->length - 1 - i];
        s->items[s->length - 1 - i] = item;
    }
}

/* One of each key that is left, again and again. */
static inline void stream_round_robin(stream *s)
{
    size_t at = 0;

    for (uint64_t round = 0; at < s->length; round++)
        for (size_t key = 0; key < s->keys; key++)
            if (s->counts[key] > round)
                s->items[at++] = (int64_t)key;
}

/* The sum over all keys of count^2. */
static inline double stream_squares(const stream *s)
{
    double sum = 0;

    for (size_t key = 0; key < s->keys; key++)
        sum += (double)s->counts[key] * (double)s->counts[key];
    return sum;
}

/* ---- Streams and sketches ----------------------------------------------------------------- */

static inline void add_items(ink_sketch *sketch, const int64_t *items, size_t count)
{
    const ink_batch batch = {.count = count, .ints = items};
    ink_error       error;

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
}

/* Every key once, in order, with its count as its weight. */
static inline void add_counts(ink_sketch *sketch, const stream *s)
{
    int64_t  *keys = taken(s->keys, sizeof *keys);
    ink_error error;

    for (size_t key = 0; key < s->keys; key++)
        keys[key] = (int64_t)key;
    const ink_batch batch = {.count = s->keys, .ints = keys, .weights = s->counts};
    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    free(keys);
}

/* The counts that it reports of the keys 0 to keys - 1. */
static inline void ask_counts(const ink_sketch *sketch, size_t keys, ink_answer *answers)
{
    int64_t  *asked = taken(keys, sizeof *asked);
    ink_error error;

    for (size_t key = 0; key < keys; key++)
        asked[key] = (int64_t)key;
    const ink_batch batch = {.count = keys, .ints = asked};
    CHECK_OK(ink_sketch_count_batch(sketch, &batch, answers, &error));
    free(asked);
}

static inline ink_description described(const ink_sketch *sketch)
{
    ink_description description;

    ink_sketch_describe(sketch, &description);
    return description;
}

/* The payload; *bytes, unless NULL, becomes its size. The caller frees it. */
static inline uint8_t *payload_of(const ink_sketch *sketch, size_t *bytes)
{
    size_t    count = (size_t)described(sketch).bytes;
    uint8_t  *payload = taken(count, 1);
    ink_error error;

    CHECK_OK(ink_sketch_payload(sketch, payload, count, &error));
    if (bytes != NULL)
        *bytes = count;
    return payload;
}

/* Whether the two have the same payload. */
static inline bool equal_payloads(const ink_sketch *a, const ink_sketch *b)
{
    size_t   of_a, of_b;
    uint8_t *left = payload_of(a, &of_a), *right = payload_of(b, &of_b);
    bool     equal = of_a == of_b && memcmp(left, right, of_a) == 0;

    free(left);
    free(right);
    return equal;
}

static inline void merge_into(ink_sketch *into, const ink_sketch *from)
{
    ink_error error;

    CHECK_OK(ink_sketch_merge(into, from, NULL, &error));
}

static inline uint64_t little_endian(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

/* mix64 as docs/keys.md states it. */
static inline uint64_t stated_mix64(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* The deviation of the mean of all that m has seen. */
static inline double mean_error(const moments *m)
{
    return deviation_of(m) / sqrt(m->count);
}

/* A mean against that of a reference that was simulated. Notices a shift by `shift`. */
static inline void row_reference(const char *name, const moments *reference, const moments *m,
                                 double shift)
{
    row_mean(name, mean_of(reference), mean_of(m), hypot(mean_error(reference), mean_error(m)),
             shift);
}

/* How many deviations the largest of `count` normal numbers stays within, either way, but for a
 * chance of 1e-6. */
static inline double z_of_largest(double count)
{
    double low = Z_ALPHA, high = 20;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle * sqrt(0.5)) * count > 1e-6)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The chi-square with this freedom that is as rare as z deviations of a normal number [Wilson,
 * Hilferty 1931]. */
static inline double chi_square_at(double freedom, double z)
{
    double x = 1 - 2 / (9 * freedom) + z * sqrt(2 / (9 * freedom));

    return freedom * x * x * x;
}

/* The smallest and the largest of `count` chi-squares with this freedom. `lambda` is what the
 * defect to be noticed adds to one of them: its mean becomes freedom + lambda, its variance
 * 2 freedom + 4 lambda. */
static inline void row_chi_square(const char *name, double freedom, double least, double most,
                                  double count, double lambda)
{
    double z = z_of_largest(count), high = chi_square_at(freedom, z);

    check_power(name, high + Z_POWER * sqrt(2 * freedom + 4 * lambda), freedom + lambda);
    row(name, freedom, most, chi_square_at(freedom, -z), high);
    if (!(least >= chi_square_at(freedom, -z)))
        fail_msg("%s: %g is too small for chance", name, least);
}

#endif
