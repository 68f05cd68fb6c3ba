/* fm_test.c - Flajolet-Martin: registers and both estimates against a reference written from
 * docs/format.md and docs/accuracy.md, honest intervals, unions, and payloads that are refused. */
#include "base/status.h"
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/files.h"
#include "support/shapes.h"
#include "support/sketches.h"

#include <math.h>

static ink_error       error;
static ink_description described;

#define PLAN(...) ink_plan(&(const ink_params){.kind = "fm", __VA_ARGS__}, &described, &error)
#define REFUSED(words, ...) CHECK_FAILS(PLAN(__VA_ARGS__), INK_USAGE, words)

enum { SUBS_MAX = 2048 };

static const struct {
    uint32_t width, depth;
} sizes[] = {{16, 9}, {1, 1}, {1, 2}, {5, 4}, {64, 1}, {3, 255}, {33, 3}, {100, 10}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static ink_sketch *empty_fm(uint32_t width, uint32_t depth)
{
    return sketches_with((ink_params){.kind = "fm", .width = width, .depth = depth}, 0, 0);
}

static void add_hashes(ink_sketch *sketch, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t  hash = scramble(i);
        const ink_batch batch = {.count = 1, .hashes = &hash};
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    }
}

static ink_answer distinct_by(const ink_sketch *sketch, ink_estimator estimator, double confidence)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_distinct_by(sketch, estimator, confidence, &answer, &error));
    return answer;
}

/* An fm whose registers are these: by way of a file. */
static ink_sketch *with_registers(uint32_t width, uint32_t depth, const uint8_t *registers)
{
    ink_sketch       *empty = empty_fm(width, depth), *sketch;
    sketches_snapshot file = sketches_remember(empty);

    memcpy(file.bytes + files_payload_at(file.bytes), registers, (size_t)width * depth);
    files_repair(file.bytes, file.count);
    CHECK_OK(ink_sketch_decode(&sketch, file.bytes, file.count, NULL, &error));
    ink_bytes_free(file.bytes, file.count, NULL);
    ink_sketch_free(empty);
    return sketch;
}

/* ---- A reference -------------------------------------------------------------------------- */

static uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* The hash that mix64 makes x of. */
static uint64_t unmix64(uint64_t x)
{
    x ^= x >> 33;
    x *= 0x9cb4b2f8129337dbu;
    x ^= x >> 33;
    x *= 0x4f74430c22a54005u;
    return x ^ x >> 33;
}

static unsigned tail_of(uint64_t hash, uint64_t sub)
{
    uint64_t drawn = mix64(hash ^ ((sub + 1) * 0x9e3779b97f4a7c15u));
    unsigned zeros = 0;

    while (zeros < 64 && (drawn >> zeros & 1) == 0)
        zeros++;
    return 1 + zeros;
}

static void reference_add(uint8_t *registers, unsigned count, uint64_t hash)
{
    for (unsigned s = 0; s < count; s++)
        if (registers[s] < tail_of(hash, s))
            registers[s] = (uint8_t)tail_of(hash, s);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double reference_estimate(const uint8_t *registers, unsigned width, unsigned depth,
                                 bool mean_of_powers)
{
    double groups[255];

    for (unsigned i = 0; i < depth; i++) {
        double sum = 0;
        for (unsigned j = 0; j < width; j++) {
            int k = registers[i * width + j] - 1;
            sum += mean_of_powers ? ldexp(1, k) : (double)k;
        }
        groups[i] = mean_of_powers ? sum / width : pow(2, sum / width - 0.3327461772769);
    }
    qsort(groups, depth, sizeof groups[0], rising);
    return depth % 2 == 1 ? groups[depth / 2] : (groups[depth / 2 - 1] + groups[depth / 2]) / 2;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(there_are_9_groups_of_16_unless_they_are_given)
{
    CHECK_OK(PLAN(.seed = 0));
    CHECK(described.depth == 9 && described.width == 16 && described.bytes == 144);
    CHECK(described.bytes_max == 144 && described.order_free);
    CHECK(described.epsilon == 0 && described.delta == 0 && described.counter_bits == 0);
    CHECK(fabs(described.standard_error - 0.1315) < 0.001); /* 13 % */
    CHECK_OK(PLAN(.width = 64));
    CHECK(described.depth == 9 && described.width == 64);
    CHECK_OK(PLAN(.depth = 3));
    CHECK(described.depth == 3 && described.width == 16);
    CHECK_OK(PLAN(.depth = 255, .width = 257)); /* 65535 */
    CHECK_OK(PLAN(.depth = 1, .width = 65536));
    double s = 1.8727114235436 / sqrt(65536.0); /* one group: its median is itself */
    CHECK(close_to(described.standard_error, s * log(2.0)));
}

TEST(sizes_out_of_range_are_refused)
{
    REFUSED("depth 256 and width 1, expected 1 to 255 groups (depth), and at most 65536 "
            "sub-sketches (depth x width)",
            .depth = 256, .width = 1);
    REFUSED("depth 255 and width 258, expected", .depth = 255, .width = 258);
    REFUSED("depth 1 and width 65537", .depth = 1, .width = 65537);
    REFUSED("at most 65536 sub-sketches", .width = UINT64_MAX);
    REFUSED("expected 1 to 255 groups", .depth = UINT32_MAX);
    REFUSED("hash mmh3 is for classic, not for fm", .hash = "mmh3");
}

/* ---- Registers ---------------------------------------------------------------------------- */

TEST(registers_are_those_of_the_reference)
{
    for (int s = 0; s < SIZES; s++) {
        unsigned      count = sizes[s].width * sizes[s].depth;
        owned_sketch *sketch = empty_fm(sizes[s].width, sizes[s].depth);
        uint8_t       expected[SUBS_MAX] = {0}, found[SUBS_MAX];
        for (uint64_t i = 0; i < 500; i++) {
            add_hashes(sketch, i, 1);
            reference_add(expected, count, scramble(i));
            if (i > 5 && i % 99 != 0)
                continue;
            CHECK(sketches_describe(sketch).bytes == count);
            CHECK_OK(ink_sketch_payload(sketch, found, sizeof found, &error));
            assert_memory_equal(found, expected, count);
        }
    }
}

TEST(a_hash_that_is_drawn_as_0_has_the_largest_value)
{
    const uint64_t  hash = 0x9e3779b97f4a7c15u; /* sub-sketch 0 draws mix64(0) = 0 of it */
    const ink_batch batch = {.count = 1, .hashes = &hash};
    owned_sketch   *sketch = empty_fm(4, 1);
    uint8_t         registers[4];

    CHECK(unmix64(mix64(12345)) == 12345 && tail_of(hash, 0) == 65);
    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    CHECK_OK(ink_sketch_payload(sketch, registers, sizeof registers, &error));
    CHECK(registers[0] == 65 && registers[1] < 65);
}

TEST(every_number_of_zeros_is_counted)
{
    for (unsigned zeros = 0; zeros < 64; zeros++) {
        const uint64_t  drawn = (uint64_t)1 << zeros;
        const uint64_t  hash = unmix64(drawn) ^ 2 * 0x9e3779b97f4a7c15u; /* for sub-sketch 1 */
        const ink_batch batch = {.count = 1, .hashes = &hash};
        owned_sketch   *sketch = empty_fm(2, 1);
        uint8_t         registers[2];
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        CHECK_OK(ink_sketch_payload(sketch, registers, sizeof registers, &error));
        assert_int_equal(registers[1], 1 + zeros);
    }
}

TEST(batches_order_and_repetition_change_nothing)
{
    enum { COUNT = 3000 }; /* more than are taken at once */
    uint64_t      hashes[COUNT];
    owned_sketch *single = empty_fm(5, 4), *batched = empty_fm(5, 4), *twice = empty_fm(5, 4);

    add_hashes(single, 0, COUNT);
    for (uint64_t i = 0; i < COUNT; i++)
        hashes[i] = scramble(COUNT - 1 - i);
    const ink_batch batch = {.count = COUNT, .hashes = hashes};
    CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
    CHECK(sketches_equal(single, batched));
    CHECK_OK(ink_sketch_add_batch(twice, &batch, &error));
    CHECK_OK(ink_sketch_add_batch(twice, &batch, &error));
    CHECK(sketches_equal_payloads(twice, single) && sketches_describe(twice).records == 2 * COUNT);
}

/* ---- Estimates ---------------------------------------------------------------------------- */

TEST(an_empty_fm_counts_exactly_0)
{
    owned_sketch *sketch = empty_fm(16, 9);

    for (int i = 0; i < 2; i++) {
        ink_answer answer = distinct_by(sketch, (ink_estimator)i, 0);
        CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0 && !answer.saturated);
        CHECK(answer.confidence == 0.95);
    }
}

TEST(both_estimates_are_the_median_of_the_groups)
{
    static const uint64_t keys[] = {1, 2, 10, 100, 3000};

    for (int s = 0; s < SIZES; s++)
        for (int n = 0; n < 5; n++) {
            owned_sketch *sketch = empty_fm(sizes[s].width, sizes[s].depth);
            uint8_t       registers[SUBS_MAX];
            add_hashes(sketch, 0, keys[n]);
            CHECK_OK(ink_sketch_payload(sketch, registers, sizeof registers, &error));
            double usual = reference_estimate(registers, sizes[s].width, sizes[s].depth, false);
            double powers = reference_estimate(registers, sizes[s].width, sizes[s].depth, true);
            CHECK(close_to(distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0).estimate,
                           usual < 1.5 ? 1 : usual - 0.5));
            CHECK(close_to(distinct_by(sketch, INK_ESTIMATOR_MEAN_OF_POWERS, 0).estimate, powers));
        }
}

/* Groups that say quite different things, so that a wrong place in their order is seen. */
TEST(the_median_is_the_middle_one_or_between_the_two_in_the_middle)
{
    static const uint8_t groups[] = {31, 1, 21, 11, 41, 6};

    for (unsigned depth = 1; depth <= 6; depth++) {
        owned_sketch *sketch = with_registers(1, depth, groups);
        double        powers = reference_estimate(groups, 1, depth, true);
        double        usual = reference_estimate(groups, 1, depth, false);
        CHECK(close_to(distinct_by(sketch, INK_ESTIMATOR_MEAN_OF_POWERS, 0).estimate, powers));
        CHECK(close_to(distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0).estimate, usual - 0.5));
    }
    owned_sketch *five = with_registers(1, 5, groups); /* 0, 10, 20, 30, 40 */
    CHECK(close_to(distinct_by(five, INK_ESTIMATOR_MEAN_OF_POWERS, 0).estimate, 0x1p20));
}

TEST(intervals_hold_the_estimate_and_nearly_always_the_truth)
{
    static const double confidences[] = {0, 0.01, 0.5, 0.95, 0.999999};

    for (int s = 0; s < SIZES; s++)
        for (uint64_t keys = 1; keys <= 4096; keys *= 8) {
            owned_sketch *sketch = empty_fm(sizes[s].width, sizes[s].depth);
            add_hashes(sketch, 50000, keys);
            for (int c = 0; c < 5; c++) {
                ink_answer a = distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, confidences[c]);
                ink_answer b = distinct_by(sketch, INK_ESTIMATOR_MEAN_OF_POWERS, confidences[c]);
                CHECK(a.low <= a.estimate && a.estimate <= a.high && !a.saturated);
                CHECK(b.low <= b.estimate && b.estimate <= b.high && !b.saturated);
                CHECK(a.low >= 1 && b.low <= a.low && b.high >= a.high);
                CHECK(confidences[c] < 0.99 || keys < 64 || sizes[s].width * sizes[s].depth < 100 ||
                      (a.low <= (double)keys && (double)keys <= a.high));
            }
        }
}

/* "The true value lies in [low, high] with this confidence", for few keys as for many. */
TEST(intervals_hold_the_truth_as_often_as_they_say)
{
    enum { TRIES = 300 };
    static const uint64_t keys[] = {1, 2, 3, 5, 8, 12, 20, 50, 200};

    for (size_t n = 0; n < sizeof keys / sizeof keys[0]; n++) {
        unsigned held = 0;
        for (uint64_t try = 0; try < TRIES; try++) {
            owned_sketch *sketch = empty_fm(16, 9);
            add_hashes(sketch, 1000 * try, keys[n]);
            ink_answer answer = distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0.95);
            held += answer.low <= (double)keys[n] && (double)keys[n] <= answer.high;
        }
        if (held < 270) /* 285 expected, 4 deviations less */
            fail_msg("%d keys: %u of %d intervals hold the truth, expected 95 %%", (int)keys[n],
                     held, TRIES);
    }
}

TEST(the_interval_is_that_of_the_standard_deviation)
{
    owned_sketch *sketch = empty_fm(16, 9);

    add_hashes(sketch, 0, 5000);
    double s = 1.8727114235436 / 4 * sqrt(1.5707963267948966 / (9 + 1.5707963267948966 - 1));
    CHECK(close_to(sketches_describe(sketch).standard_error, s * log(2.0)));
    ink_answer answer = distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0.95);
    double     factor = pow(2, 1.959963984540054 * s);
    CHECK(fabs((answer.high + 0.5) / (answer.estimate + 0.5) / factor - 1) < 1e-6);
    CHECK(fabs((answer.estimate + 0.5) / (answer.low + 0.5) / factor - 1) < 1e-6);
}

TEST(full_registers_say_so_and_stay_within_the_number_of_hashes)
{
    uint8_t registers[144];

    memset(registers, 65, sizeof registers);
    owned_sketch *sketch = with_registers(16, 9, registers);
    for (int i = 0; i < 2; i++) {
        ink_answer answer = distinct_by(sketch, (ink_estimator)i, 0.999999);
        CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
        CHECK(answer.estimate > 0x1p63 && answer.high <= 0x1p64 * (1 + 1e-9) && answer.low > 1);
        CHECK(answer.saturated);
    }
}

TEST(estimators_that_do_not_exist_are_refused)
{
    owned_sketch *sketch = empty_fm(16, 9);
    ink_answer    answer = {.estimate = -1};

    CHECK_FAILS(ink_sketch_distinct_by(sketch, (ink_estimator)3, 0, &answer, &error), INK_USAGE,
                "estimator 3, expected 0 to 2");
    CHECK_FAILS(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_MEAN_OF_POWERS, 1, &answer, &error),
                INK_USAGE, "confidence 1, expected above 0 and below 1");
    CHECK(answer.estimate == -1);
}

/* ---- Unions and files --------------------------------------------------------------------- */

TEST(a_union_is_the_sketch_of_all_keys)
{
    static const uint64_t counts[] = {0, 1, 50, 400};

    for (int s = 0; s < SIZES; s++)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                owned_sketch *into = empty_fm(sizes[s].width, sizes[s].depth);
                owned_sketch *from = empty_fm(sizes[s].width, sizes[s].depth);
                owned_sketch *whole = empty_fm(sizes[s].width, sizes[s].depth);
                add_hashes(into, 0, counts[a]);
                add_hashes(from, counts[a], counts[b]);
                add_hashes(whole, 0, counts[a] + counts[b]);
                owned_view view = sketches_view_of(from, INK_OPEN_LAZY);
                CHECK_OK(
                    ink_sketch_merge(into, (a + b) % 2 == 0 ? view.sketch : from, NULL, &error));
                CHECK(sketches_equal(into, whole));
            }
}

TEST(unions_of_other_sizes_are_refused)
{
    owned_sketch *a = empty_fm(16, 9), *b = empty_fm(9, 16), *c = empty_fm(16, 8);

    add_hashes(a, 0, 5);
    add_hashes(b, 5, 5);
    sketches_snapshot before = sketches_remember(a);
    CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_MISMATCH,
                "sizes differ: 9 groups of 16 sub-sketches, and 16 of 9");
    CHECK_FAILS(ink_sketch_merge(a, c, NULL, &error), INK_MISMATCH, "and 8 of 16");
    CHECK(sketches_unchanged(a, &before));
}

TEST(views_and_copies_answer_as_the_sketch_and_go_on)
{
    owned_sketch *sketch = empty_fm(5, 4), *copy = NULL;
    sketches_view view;

    add_hashes(sketch, 0, 77);
    view = sketches_view_of(sketch, INK_OPEN_CHECKED);
    for (int i = 0; i < 2; i++)
        CHECK(distinct_by(view.sketch, (ink_estimator)i, 0).estimate ==
              distinct_by(sketch, (ink_estimator)i, 0).estimate);
    CHECK(sketches_equal(view.sketch, sketch));
    CHECK_FAILS(ink_sketch_add(view.sketch, "a", 1, &error), INK_READ_ONLY, "this fm is a view");
    CHECK_OK(ink_sketch_copy(&copy, view.sketch, NULL, &error));
    uint64_t at = files_payload_at(view.bytes); /* bytes that change lead nowhere */
    memset(view.bytes + at, 0xff, 20);
    for (int i = 0; i < 2; i++) {
        ink_answer answer = distinct_by(view.sketch, (ink_estimator)i, 0);
        CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
    }
    sketches_view_close(&view);
    add_hashes(sketch, 77, 100);
    add_hashes(copy, 77, 100);
    CHECK(sketches_equal(copy, sketch));
}

TEST(a_shape_that_no_fm_has_is_refused_at_its_field)
{
    const ink__key_rule rule = {0};
    const wrong_shape   wrong[] = {
          {{.fields = {0, 3}}, "0 sub-sketches in 3 groups each, expected at most 65536", 0},
          {{.fields = {258, 255}, .payload_bytes = 65790}, "258 sub-sketches in 255 groups", 0},
          {{.fields = {UINT64_MAX, 2}}, "expected at most 65536 in all", 0},
          {{.fields = {3, 0}}, "0 groups, expected 1 to 255", 1},
          {{.fields = {3, 256}, .payload_bytes = 768}, "256 groups", 1},
          {{.fields = {3, 4}, .payload_bytes = 11}, "an fm of 11 bytes, expected 12", 2},
          {{.fields = {3, 4}, .payload_bytes = 0}, "an fm of 0 bytes, expected 12", 2},
    };

    shapes_check_refused(&ink__fm, &rule, wrong, sizeof wrong / sizeof wrong[0]);
}

TEST(registers_that_no_fm_has_are_refused_at_their_position)
{
    static const struct {
        uint8_t     registers[4];
        const char *words;
        unsigned    at;
    } wrong[] = {
        {{1, 2, 66, 3}, "value 66 of a sub-sketch, expected at most 65", 2},
        {{255, 2, 6, 3}, "value 255", 0},
        {{1, 0, 6, 3}, "sub-sketches with and without a key, expected all or none", 1},
        {{0, 0, 0, 3}, "sub-sketches with and without a key", 3},
        {{1, 1, 1, 0}, "sub-sketches with and without a key", 3},
    };
    static const uint8_t good[][4] = {{0, 0, 0, 0}, {65, 1, 1, 65}};
    const ink__key_rule  rule = {0};
    const ink__shape     shape = {.fields = {2, 2}, .payload_bytes = 4};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(ink__fm.check_payload(&shape, &rule, wrong[i].registers, &error), INK_FORMAT,
                    wrong[i].words);
        CHECK(error.location == INK__AT_PAYLOAD && error.at == wrong[i].at);
    }
    for (size_t i = 0; i < 2; i++)
        CHECK_OK(ink__fm.check_payload(&shape, &rule, good[i], &error));
}

RUN_TESTS()
