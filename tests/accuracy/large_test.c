/* large_test.c - filters of more bits than 31, 32 and 35 bits count: a place that wraps, or is
 * drawn from too few bits of the hash, would make the filter as small as what it wraps to, and its
 * rate as much too high. */
#include "accuracy/statistics.h"

#include <inttypes.h>

typedef struct size {
    uint64_t bits;
    uint32_t hashes; /* 0: a bloom */
    size_t   keys, questions;
    bool     only_full; /* too large, or too long, for make check */
} size;

/* Noticed is a rate that is 1.3 times as high, where a place that wraps has twice the rate or
 * more. Few keys are enough for that: with one hash a key the rate is their share of the bits. */
static const size sizes[] = {
    {(UINT64_C(1) << 31) - 1, 1, 2000000, 3000000, false},
    {(UINT64_C(1) << 31) + 1, 1, 2000000, 3000000, false},
    {(UINT64_C(1) << 32) - 1, 1, 2000000, 3000000, false},
    {(UINT64_C(1) << 32) + 1, 1, 2000000, 3000000, false},
    {(UINT64_C(1) << 35) + 1, 1, 4000000, 12000000, true},
    {(UINT64_C(1) << 31) + 1, 5, 250000000, 3000000, true},
    {(UINT64_C(1) << 32) + 256, 0, 300000000, 3000000, true},
};

static ink_sketch *make_size(const size *s)
{
    ink_params params = {
        .kind = s->hashes == 0 ? "bloom" : "classic",
        .bits = s->bits,
        .hashes = s->hashes,
        .key_type = INK_KEY_INT,
    };

    return make(&params);
}

TEST(large_filters_have_the_rate_of_their_size)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size *s = &sizes[i];
        char        name[128];
        if (s->only_full ? !full() : light())
            continue;
        ink_sketch *sketch = make_size(s);
        add_ints(sketch, 0, s->keys);
        assert_int_equal(ask_ints(sketch, 0, 200000), 200000); /* none is denied */
        double yes = (double)ask_ints(sketch, (int64_t)s->keys, s->questions);
        double load = (double)s->hashes * (double)s->keys / (double)s->bits;
        double rate = s->hashes == 0 ? rate_of(sketch) : pow(1 - exp(-load), s->hashes);
        double questions = (double)s->questions;
        snprintf(name, sizeof name, "large: rate, %" PRIu64 " bits, %u hashes, %zu keys", s->bits,
                 s->hashes, s->keys);
        /* The filter itself scatters too: by its own share of ones, one in many thousands. */
        row_rate(name, questions, questions * rate,
                 questions * rate * (1 - rate) + pow(questions * rate, 2) / (double)s->keys, yes,
                 1.3);
        ink_sketch_free(sketch);
    }
}

RUN_TESTS()
