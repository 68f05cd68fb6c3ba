/* fuse_test.c - a fuse has the rate 2^-bits: measured for 4 to 11 bits, and to 16 in full runs,
 * where a rate that is 10 % worse or better is noticed (statistics.h has level and power). Wider
 * rates are too small to be measured so: there the unit test fuse_test.c has it that the
 * fingerprints of every width are the first bits of those of 32, so that no width has positions of
 * its own, and bounds the false positives of each within a factor of 2 and 4 more. */
#include "accuracy/statistics.h"
#include "support/sketches.h"

static ink_error error;

enum { KEYS = 200000, TOGETHER = 4096, BITS_MIN = 4, BITS_MAX = 11, BITS_FULL = 16 };

static ink_sketch *make_fuse(unsigned bits, uint64_t seed)
{
    const ink_params params = {.kind = "fuse",
                               .false_positive_rate = 1 / (double)((uint64_t)1 << bits)};
    uint64_t        *hashes = malloc(KEYS * sizeof *hashes);
    const ink_batch  batch = {.count = KEYS, .hashes = hashes};
    ink_draft       *draft;
    ink_sketch      *sketch;

    for (uint64_t i = 0; i < KEYS; i++)
        hashes[i] = scramble(seed << 40 | i);
    CHECK_OK(ink_draft_create(&draft, &params, 0, NULL, &error));
    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    CHECK_OK(ink_draft_finish(&sketch, draft, 0, &error));
    ink_draft_free(draft);
    free(hashes);
    return sketch;
}

/* Questions about hashes that are in no filter of this seed. */
static uint64_t false_ones(const ink_sketch *sketch, uint64_t seed, uint64_t questions)
{
    uint64_t        hashes[TOGETHER], sum = 0;
    uint8_t         answers[TOGETHER];
    const ink_batch batch = {.count = TOGETHER, .hashes = hashes};

    for (uint64_t first = 0; first < questions; first += TOGETHER) {
        for (uint64_t i = 0; i < TOGETHER; i++)
            hashes[i] = scramble(seed << 40 | (uint64_t)1 << 39 | (first + i));
        CHECK_OK(ink_sketch_contains_batch(sketch, &batch, answers, &error));
        for (size_t i = 0; i < TOGETHER; i++)
            sum += answers[i];
    }
    return sum;
}

TEST(the_rate_of_every_width_is_that_of_its_bits)
{
    const unsigned last = full() ? BITS_FULL : light() ? BITS_MIN : BITS_MAX;

    for (unsigned bits = BITS_MIN; bits <= last; bits++) {
        const double   rate = 1 / (double)((uint64_t)1 << bits);
        const uint64_t asked = (questions_for(rate, 1.1) / TOGETHER + 1) * TOGETHER;
        owned_sketch  *sketch = make_fuse(bits, bits);
        const double   expected = (double)asked * rate;
        const double   found = (double)false_ones(sketch, bits, asked);
        if (fabs(found - expected) > Z_ALPHA * sqrt(expected * (1 - rate)))
            fail_msg("%u bits: %.0f of %.0f, expected %.0f", bits, found, (double)asked, expected);
        CHECK(sketches_rate(sketch) == rate);
    }
}

RUN_TESTS()
