/* count_min_test.c - counts: rows of counters that are those of a matrix written from
 * docs/format.md, answers whose bounds are the right way round, counters that stop and say so,
 * unions and inner products. */
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/files.h"
#include "support/shapes.h"
#include "support/sketches.h"

#include <math.h>

static ink_error       error;
static ink_description described;

#define PLAN(...)                                                                                  \
    ink_plan(&(const ink_params){.kind = "count-min", __VA_ARGS__}, &described, &error)
#define REFUSED(words, ...) CHECK_FAILS(PLAN(__VA_ARGS__), INK_USAGE, words)

enum { WIDTH_MAX = 64, DEPTH_MAX = 8, KEYS = 300 };

static const double e = 2.718281828459045;

static ink_params sized(uint64_t width, uint32_t depth, uint32_t bits, bool conservative)
{
    return (ink_params){
        .kind = "count-min",
        .width = width,
        .depth = depth,
        .counter_bits = bits,
        .conservative = conservative,
    };
}

static ink_sketch *empty_sized(uint64_t width, uint32_t depth, uint32_t bits, bool conservative)
{
    return sketches_with(sized(width, depth, bits, conservative), 0, 0);
}

/* ---- A matrix ----------------------------------------------------------------------------- */

typedef struct matrix {
    uint64_t width;
    unsigned depth;
    uint64_t most; /* of a counter */
    uint64_t total;
    uint64_t counters[DEPTH_MAX][WIDTH_MAX];
} matrix;

static matrix matrix_of(uint64_t width, unsigned depth, unsigned bits)
{
    return (matrix){.width = width, .depth = depth, .most = bits == 64 ? UINT64_MAX : UINT32_MAX};
}

static uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

/* (a * width) >> 64, by halves; the width is below 2^32. */
static uint64_t column(const matrix *m, uint64_t hash, unsigned row)
{
    uint64_t a = mix64(hash + row * 0x9e3779b97f4a7c15u);
    uint64_t low = (a & 0xffffffffu) * m->width, high = (a >> 32) * m->width;

    return (high + (low >> 32)) >> 32;
}

static uint64_t raised(uint64_t value, uint64_t by, uint64_t most)
{
    return by > most - value ? most : value + by;
}

static uint64_t matrix_smallest(const matrix *m, uint64_t hash)
{
    uint64_t least = UINT64_MAX;

    for (unsigned row = 0; row < m->depth; row++) {
        uint64_t value = m->counters[row][column(m, hash, row)];
        least = value < least ? value : least;
    }
    return least;
}

static void matrix_add(matrix *m, uint64_t hash, uint64_t weight, bool conservative)
{
    uint64_t at_least = raised(matrix_smallest(m, hash), weight, m->most);

    for (unsigned row = 0; row < m->depth; row++) {
        uint64_t *counter = &m->counters[row][column(m, hash, row)];
        if (!conservative)
            *counter = raised(*counter, weight, m->most);
        else if (*counter < at_least)
            *counter = at_least;
    }
    m->total = raised(m->total, weight, UINT64_MAX);
}

/* A real number that is not below: an answer is never too low for want of digits. */
static double not_below(uint64_t x)
{
    double near = (double)x;

    return near < 0x1p64 && (uint64_t)near < x ? nextafter(near, INFINITY) : near;
}

static void check_matrix(const ink_sketch *sketch, const matrix *m)
{
    unsigned width = m->most == UINT64_MAX ? 8 : 4;
    uint8_t  expected[DEPTH_MAX * WIDTH_MAX * 8], found[DEPTH_MAX * WIDTH_MAX * 8];
    size_t   bytes = (size_t)m->width * m->depth * width;

    for (unsigned row = 0; row < m->depth; row++)
        for (uint64_t i = 0; i < m->width; i++)
            files_set(expected + (row * m->width + i) * width, width, m->counters[row][i]);
    assert_int_equal(sketches_describe(sketch).bytes, bytes);
    CHECK_OK(ink_sketch_payload(sketch, found, bytes, &error));
    assert_memory_equal(found, expected, bytes);
    CHECK(sketches_describe(sketch).total == m->total);
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(the_size_comes_from_the_error_and_its_chance)
{
    static const struct {
        double   epsilon, delta;
        uint64_t width;
        uint32_t depth;
    } plans[] = {
        {0, 0, 27183, 5},    {1e-3, 0.01, 2719, 5},     {1e-6, 1e-3, 2718282, 7},
        {0.5, 0.5, 6, 1},    {0.999, 0.999, 3, 1},      {1e-4, 0, 27183, 5},
        {0, 0.01, 27183, 5}, {0.01, 1e-27, 272, 63},    {0.25, 0.36, 11, 2},
        {0.25, 0.37, 11, 1}, {1e-8, 0.9, 271828183, 1},
    };

    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        CHECK_OK(PLAN(.epsilon = plans[i].epsilon, .delta = plans[i].delta));
        assert_int_equal(described.width, plans[i].width);
        assert_int_equal(described.depth, plans[i].depth);
        CHECK(described.bytes == plans[i].width * plans[i].depth * 4);
        CHECK(described.bytes_max == described.bytes && described.counter_bits == 32);
        CHECK(described.epsilon == e / (double)plans[i].width);
        CHECK(fabs(described.delta / exp(-(double)plans[i].depth) - 1) < 1e-12);
        CHECK(plans[i].epsilon == 0 || described.epsilon <= plans[i].epsilon);
        CHECK(plans[i].delta == 0 || described.delta <= plans[i].delta);
        CHECK(described.total == 0 && !described.conservative && described.order_free);
    }
    CHECK_OK(PLAN(.width = 7, .depth = 3, .counter_bits = 64, .conservative = true));
    CHECK(described.width == 7 && described.depth == 3 && described.bytes == 7 * 3 * 8);
    CHECK(described.conservative && !described.order_free && described.counter_bits == 64);
}

TEST(sizes_out_of_range_are_refused)
{
    REFUSED("epsilon 1, expected at least 6.32899e-10 and below 1", .epsilon = 1);
    REFUSED("epsilon 6e-10, expected at least", .epsilon = 6e-10);
    REFUSED("epsilon -0.1", .epsilon = -0.1);
    REFUSED("epsilon nan", .epsilon = (double)NAN);
    REFUSED("delta 1, expected at least 1e-27 and below 1", .delta = 1);
    REFUSED("delta 1e-28, expected at least 1e-27", .delta = 1e-28);
    REFUSED("delta -1", .delta = -1);
    REFUSED("delta nan", .delta = (double)NAN);
    REFUSED("width and depth do not go together with epsilon and delta", .width = 5,
            .epsilon = 0.1);
    REFUSED("do not go together", .depth = 5, .delta = 0.1);
    REFUSED("width without depth: give both for count-min, or neither", .width = 5);
    REFUSED("depth without width", .depth = 5);
    REFUSED("width 5 and depth 65", .width = 5, .depth = 65);
    REFUSED("width 4294967297 and depth 1", .width = ((uint64_t)1 << 32) + 1, .depth = 1);
    REFUSED("expected 1 to 2^32", .width = UINT64_MAX, .depth = 64);
    REFUSED("64 rows of 4294967296 counters need 2199023255552 bytes, expected at most 2^40",
            .width = (uint64_t)1 << 32, .depth = 64, .counter_bits = 64);
    CHECK_OK(PLAN(.width = (uint64_t)1 << 32, .depth = 64));
    CHECK(described.bytes == (uint64_t)1 << 40);
    CHECK_OK(PLAN(.epsilon = e / 0x1p32));
    CHECK(described.width == (uint64_t)1 << 32);
    REFUSED("counter_bits 16, expected 32 or 64", .counter_bits = 16);
    REFUSED("counter_bits 63, expected 32 or 64", .counter_bits = 63);
}

/* ---- Counters ----------------------------------------------------------------------------- */

static const struct {
    uint64_t width;
    unsigned depth;
} sizes[] = {{1, 1}, {2, 3}, {17, 5}, {64, 8}, {63, 1}, {1, 8}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

TEST(counters_are_those_of_a_matrix)
{
    for (int s = 0; s < SIZES; s++)
        for (unsigned bits = 32; bits <= 64; bits += 32)
            for (int conservative = 0; conservative < 2; conservative++) {
                owned_sketch *sketch =
                    empty_sized(sizes[s].width, sizes[s].depth, bits, conservative);
                matrix m = matrix_of(sizes[s].width, sizes[s].depth, bits);
                for (uint64_t i = 0; i < 2000; i++) {
                    uint64_t hash = scramble(scramble(i) % KEYS);
                    uint64_t weight = i % 500 == 499 ? scramble(i) >> 4 : scramble(i) % 10;
                    sketches_add_hash(sketch, hash, weight);
                    matrix_add(&m, hash, weight, conservative);
                    if (i % 100 == 0)
                        check_matrix(sketch, &m);
                }
                check_matrix(sketch, &m);
                for (uint64_t key = 0; key < 2 * KEYS; key++)
                    CHECK(sketches_count_hash(sketch, scramble(key)).estimate ==
                          not_below(matrix_smallest(&m, scramble(key))));
                CHECK(sketches_describe(sketch).records == 2000);
            }
}

TEST(a_batch_is_the_same_as_its_keys_one_by_one)
{
    enum { COUNT = 700 };
    int64_t  keys[COUNT];
    uint64_t weights[COUNT];

    for (uint64_t i = 0; i < COUNT; i++) {
        keys[i] = (int64_t)(scramble(i) % 200);
        weights[i] = scramble(i) % 7;
    }
    for (int form = 0; form < 4; form++) {
        ink_params params = sized(31, 4, 32, form % 2 == 1);
        params.key_type = INK_KEY_INT;
        owned_sketch   *batched = files_sketch(&params, 0, 0, NULL);
        owned_sketch   *single = files_sketch(&params, 0, 0, NULL);
        const uint64_t *weighted = form / 2 == 1 ? weights : NULL;
        const ink_batch batch = {.count = COUNT, .ints = keys, .weights = weighted};
        ink_answer      answers[COUNT], answer;
        CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
        for (size_t i = 0; i < COUNT; i++) {
            const uint64_t *weight = weighted == NULL ? NULL : weights + i;
            const ink_batch one = {.count = 1, .ints = keys + i, .weights = weight};
            CHECK_OK(ink_sketch_add_batch(single, &one, &error));
        }
        CHECK(sketches_equal(batched, single));
        const ink_batch asked = {.count = COUNT, .ints = keys};
        CHECK_OK(ink_sketch_count_batch(batched, &asked, answers, &error));
        for (size_t i = 0; i < COUNT; i++) {
            CHECK_OK(ink_sketch_count_int(single, keys[i], &answer, &error));
            CHECK(answer.estimate == answers[i].estimate && answer.low == answers[i].low);
            CHECK(answer.high == answers[i].high && answer.confidence == answers[i].confidence);
        }
    }
}

TEST(plain_counters_do_not_depend_on_the_order_of_keys)
{
    owned_sketch *forwards = empty_sized(13, 3, 32, false), *back = empty_sized(13, 3, 32, false);

    for (uint64_t i = 0; i < 500; i++) {
        sketches_add_hash(forwards, scramble(i), i % 5);
        sketches_add_hash(back, scramble(499 - i), (499 - i) % 5);
    }
    CHECK(sketches_equal(forwards, back));
}

/* ---- Answers ------------------------------------------------------------------------------ */

/* The answer for every key of a stream, whose true counts are known. */
static void check_answers(const ink_sketch *sketch, const uint64_t *truth, uint64_t keys)
{
    described = sketches_describe(sketch);
    double error_bound = e / (double)described.width * (double)described.total;

    for (uint64_t key = 0; key < keys; key++) {
        ink_answer answer = sketches_count_hash(sketch, scramble(key));
        CHECK(answer.low <= (double)truth[key] && (double)truth[key] <= answer.high);
        CHECK(answer.high == answer.estimate && !answer.saturated);
        double low = answer.estimate > error_bound ? answer.estimate - error_bound : 0;
        CHECK(answer.low == low);
        CHECK(fabs(answer.confidence - (1 - exp(-(double)described.depth))) < 1e-12);
    }
}

TEST(the_truth_lies_between_the_bounds)
{
    for (int conservative = 0; conservative < 2; conservative++) {
        owned_sketch *sketch = empty_sized(2719, 8, 32, conservative);
        uint64_t      truth[1000] = {0};
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t key = scramble(i) % (1 + scramble(~i) % 900), weight = 1 + i % 3;
            truth[key] += weight;
            sketches_add_hash(sketch, scramble(key), weight);
        }
        check_answers(sketch, truth, 1000);
    }
}

TEST(conservative_counts_are_between_the_truth_and_the_plain_ones)
{
    owned_sketch *plain = empty_sized(20, 3, 32, false), *careful = empty_sized(20, 3, 32, true);
    uint64_t      truth[200] = {0};
    unsigned      better = 0;

    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t key = scramble(i) % (1 + scramble(~i) % 200), weight = i % 4;
        truth[key] += weight;
        sketches_add_hash(plain, scramble(key), weight);
        sketches_add_hash(careful, scramble(key), weight);
    }
    for (uint64_t key = 0; key < 200; key++) {
        double of_plain = sketches_count_hash(plain, scramble(key)).estimate;
        double of_careful = sketches_count_hash(careful, scramble(key)).estimate;
        CHECK((double)truth[key] <= of_careful && of_careful <= of_plain);
        better += of_careful < of_plain;
    }
    CHECK(better > 100);
}

TEST(an_empty_count_min_has_0_of_every_key)
{
    owned_sketch *sketch = empty_sized(10, 2, 32, false);
    ink_answer    answer = sketches_count_hash(sketch, 5);

    CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0 && !answer.saturated);
    sketches_add_hash(sketch, 5, 0);
    CHECK(sketches_count_hash(sketch, 5).high == 0 && sketches_describe(sketch).records == 1);
    CHECK(sketches_describe(sketch).total == 0);
}

TEST(counters_of_32_bits_stop_and_say_so)
{
    static const uint64_t weights[] = {UINT32_MAX, (uint64_t)UINT32_MAX + 1, (uint64_t)1 << 40};

    for (int conservative = 0; conservative < 2; conservative++)
        for (int i = 0; i < 3; i++) {
            owned_sketch *sketch = empty_sized(1000, 4, 32, conservative);
            sketches_add_hash(sketch, 1, UINT32_MAX - 1);
            ink_answer below = sketches_count_hash(sketch, 1);
            CHECK(!below.saturated && below.high == UINT32_MAX - 1.0);
            sketches_add_hash(sketch, 1, weights[i]);
            sketches_add_hash(sketch, 2, 3);
            double     truth = (double)(UINT32_MAX - 1 + weights[i]);
            ink_answer full = sketches_count_hash(sketch, 1),
                       other = sketches_count_hash(sketch, 2);
            CHECK(full.saturated && full.estimate == (double)UINT32_MAX);
            CHECK(full.low <= full.estimate && full.estimate <= full.high);
            CHECK(full.low <= truth && truth <= full.high &&
                  full.high == truth + 3); /* the total */
            CHECK(!other.saturated && other.estimate == 3 && other.high == 3 && other.low == 0);
            CHECK(sketches_describe(sketch).total == UINT32_MAX - 1 + weights[i] + 3);
            uint64_t   hashes[20]; /* so many that they are answered together */
            ink_answer answers[20];
            for (size_t j = 0; j < 20; j++)
                hashes[j] = j == 7 ? 1 : 2;
            const ink_batch batch = {.count = 20, .hashes = hashes};
            CHECK_OK(ink_sketch_count_batch(sketch, &batch, answers, &error));
            for (size_t j = 0; j < 20; j++) {
                const ink_answer *alone = j == 7 ? &full : &other;
                CHECK(answers[j].saturated == alone->saturated && answers[j].low == alone->low);
                CHECK(answers[j].estimate == alone->estimate && answers[j].high == alone->high);
            }
        }
}

TEST(counters_of_64_bits_go_on_and_the_total_stops)
{
    for (int conservative = 0; conservative < 2; conservative++) {
        owned_sketch *sketch = empty_sized(1000, 4, 64, conservative);
        sketches_add_hash(sketch, 1, (uint64_t)1 << 40);
        ink_answer answer = sketches_count_hash(sketch, 1);
        CHECK(!answer.saturated && answer.estimate == 0x1p40 && answer.high == 0x1p40);
        sketches_add_hash(sketch, 1, UINT64_MAX - 5);
        sketches_add_hash(sketch, 2, 3);
        answer = sketches_count_hash(sketch, 1);
        CHECK(answer.saturated && answer.high == 0x1p64 && answer.low <= answer.estimate);
        CHECK(answer.estimate <= answer.high);
        CHECK(!sketches_count_hash(sketch, 2).saturated &&
              sketches_count_hash(sketch, 2).high == 3);
        CHECK(sketches_describe(sketch).total == UINT64_MAX);
        CHECK(sketches_count_hash(sketch, 1).low == 0 &&
              sketches_count_hash(sketch, 2).low == 0); /* unknown */
    }
}

/* Every width, conservative or not, by single keys and by a batch: a sum that ends at the largest
 * counter, one above it, and sums whose 64 bits would wrap to a small number. */
TEST(no_sum_wraps_to_a_smaller_count)
{
    static const uint64_t firsts[] = {1, UINT32_MAX - 1, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    static const uint64_t nexts[] = {1, 2, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};

    for (unsigned i = 0; i < 2 * 2 * 2 * 5 * 5; i++) {
        const uint32_t bits = i % 2 == 0 ? 32 : 64;
        const uint64_t most = bits == 32 ? UINT32_MAX : UINT64_MAX;
        const bool     conservative = i / 2 % 2 == 1;
        const size_t   at_once = 1 + i / 4 % 2;
        const uint64_t first = firsts[i / 8 % 5], next = nexts[i / 40];
        const uint64_t kept = first > most ? most : first;
        const uint64_t sum = next > most - kept ? most : kept + next;
        const uint64_t weights[] = {first, next};
        const int64_t  keys[] = {7, 7};
        ink_params     params = sized(1000, 4, bits, conservative);
        ink_answer     answer;

        params.key_type = INK_KEY_INT;
        owned_sketch *sketch = files_sketch(&params, 0, 0, NULL);
        for (size_t at = 0; at < 2; at += at_once) {
            const ink_batch some = {.count = at_once, .ints = keys, .weights = weights + at};
            CHECK_OK(ink_sketch_add_batch(sketch, &some, &error));
        }
        CHECK_OK(ink_sketch_count_int(sketch, 7, &answer, &error));
        CHECK(answer.estimate == (double)sum && answer.saturated == (sum == most));
        assert_int_equal(sketches_describe(sketch).total,
                         next > UINT64_MAX - first ? UINT64_MAX : first + next);
    }
}

TEST(keys_are_below_perhaps_above_or_above_a_share)
{
    enum { COUNT = 300 };
    owned_sketch *sketch = empty_sized(300, 5, 32, false);
    uint64_t      hashes[COUNT], truth[COUNT] = {0};
    uint8_t       answers[COUNT];
    unsigned      seen[3] = {0};

    for (uint64_t i = 0; i < COUNT; i++)
        hashes[i] = scramble(i);
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t key = i % 3 == 0 ? 7 : i % 10 == 1 ? 250 : scramble(i) % COUNT;
        truth[key]++;
        sketches_add_hash(sketch, hashes[key], 1);
    }
    const ink_batch batch = {.count = COUNT, .hashes = hashes}; /* more than a part at once */
    for (uint64_t k = 1; k < 200; k += 3) {
        CHECK_OK(ink_sketch_over_batch(sketch, &batch, k, answers, &error));
        for (int i = 0; i < COUNT; i++) {
            ink_answer count = sketches_count_hash(sketch, hashes[i]);
            double     share = 5000.0 / (double)k;
            assert_int_equal(answers[i], count.low > share ? 2 : count.high > share ? 1 : 0);
            CHECK(answers[i] != 0 || truth[i] * k <= 5000); /* certainly not */
            CHECK(answers[i] != 2 || truth[i] * k > 5000);
            seen[answers[i]]++;
        }
    }
    CHECK(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    CHECK_FAILS(ink_sketch_over_batch(sketch, &batch, 0, answers, &error), INK_USAGE,
                "k 0, expected 1 or more");
}

/* ---- Merges ------------------------------------------------------------------------------- */

TEST(a_union_of_plain_ones_is_the_sketch_of_all_keys)
{
    for (int s = 0; s < SIZES; s++)
        for (unsigned bits = 32; bits <= 64; bits += 32)
            for (int from_view = 0; from_view < 2; from_view++) {
                owned_sketch *a = empty_sized(sizes[s].width, sizes[s].depth, bits, false);
                owned_sketch *b = empty_sized(sizes[s].width, sizes[s].depth, bits, false);
                owned_sketch *whole = empty_sized(sizes[s].width, sizes[s].depth, bits, false);
                for (uint64_t i = 0; i < 400; i++) { /* large ones, so that some stop */
                    uint64_t weight = i % 50 == 0 ? scramble(i) >> 3 : i % 9;
                    sketches_add_hash(i % 3 == 0 ? a : b, scramble(i % 100), weight);
                    sketches_add_hash(whole, scramble(i % 100), weight);
                }
                owned_view view = sketches_view_of(b, INK_OPEN_LAZY);
                CHECK_OK(ink_sketch_merge(a, from_view ? view.sketch : b, NULL, &error));
                CHECK(sketches_equal(a, whole));
            }
}

TEST(a_union_of_conservative_ones_is_never_too_low)
{
    owned_sketch *a = empty_sized(20, 3, 32, true), *b = empty_sized(20, 3, 32, true);
    matrix        of_a = matrix_of(20, 3, 32), of_b = matrix_of(20, 3, 32);
    uint64_t      truth[100] = {0};

    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t key = scramble(i) % 100;
        truth[key]++;
        sketches_add_hash(i % 2 == 0 ? a : b, scramble(key), 1);
        matrix_add(i % 2 == 0 ? &of_a : &of_b, scramble(key), 1, true);
    }
    CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
    for (unsigned row = 0; row < 3; row++)
        for (unsigned i = 0; i < 20; i++)
            of_a.counters[row][i] += of_b.counters[row][i];
    of_a.total += of_b.total;
    check_matrix(a, &of_a);
    for (uint64_t key = 0; key < 100; key++)
        CHECK(sketches_count_hash(a, scramble(key)).high >= (double)truth[key]);
}

TEST(unions_of_other_sizes_or_rules_are_refused)
{
    static const struct {
        uint64_t    width;
        uint32_t    depth, bits;
        bool        conservative;
        const char *words;
    } others[] = {
        {11, 3, 32, false, "sizes differ: 3 rows of 10 counters of 32 bits, and 3 of 11 of 32"},
        {10, 4, 32, false, "sizes differ: 3 rows of 10 counters of 32 bits, and 4 of 10 of 32"},
        {10, 3, 64, false, "sizes differ: 3 rows of 10 counters of 32 bits, and 3 of 10 of 64"},
        {10, 3, 32, true, "one count-min is conservative and the other is not"},
        {15, 2, 32, false, "sizes differ"}, /* as many counters */
    };
    owned_sketch *sketch = empty_sized(10, 3, 32, false);

    sketches_add_hash(sketch, 1, 5);
    sketches_snapshot before = sketches_remember(sketch);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        owned_sketch *other =
            empty_sized(others[i].width, others[i].depth, others[i].bits, others[i].conservative);
        sketches_add_hash(other, 2, 5);
        CHECK_FAILS(ink_sketch_merge(sketch, other, NULL, &error), INK_MISMATCH, others[i].words);
    }
    CHECK(sketches_unchanged(sketch, &before));
}

TEST(the_total_of_a_union_stops)
{
    owned_sketch *a = empty_sized(10, 3, 32, false), *b = empty_sized(10, 3, 32, false);

    sketches_add_hash(a, 1, UINT64_MAX - 1);
    sketches_add_hash(b, 2, 2);
    CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
    CHECK(sketches_describe(a).total == UINT64_MAX);
    CHECK(sketches_count_hash(a, 1).saturated && !sketches_count_hash(a, 2).saturated);
}

/* ---- Inner products ----------------------------------------------------------------------- */

static ink_answer dot_of(const ink_sketch *a, const ink_sketch *b)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_dot(a, b, &answer, &error));
    return answer;
}

static double matrix_dot(const matrix *a, const matrix *b)
{
    double least = INFINITY;

    for (unsigned row = 0; row < a->depth; row++) {
        double sum = 0; /* small enough to be exact */
        for (uint64_t i = 0; i < a->width; i++)
            sum += (double)a->counters[row][i] * (double)b->counters[row][i];
        least = sum < least ? sum : least;
    }
    return least;
}

TEST(an_inner_product_is_the_smallest_of_the_rows)
{
    for (int s = 0; s < SIZES; s++)
        for (unsigned bits = 32; bits <= 64; bits += 32) {
            owned_sketch *a = empty_sized(sizes[s].width, sizes[s].depth, bits, false);
            owned_sketch *b = empty_sized(sizes[s].width, sizes[s].depth, bits, false);
            matrix        of_a = matrix_of(sizes[s].width, sizes[s].depth, bits);
            matrix        of_b = of_a;
            ink_answer    answer = dot_of(a, b);
            CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0);
            for (uint64_t i = 0; i < 500; i++) {
                uint64_t hash = scramble(scramble(i) % 80), weight = i % 6;
                sketches_add_hash(i % 2 == 0 ? a : b, hash, weight);
                matrix_add(i % 2 == 0 ? &of_a : &of_b, hash, weight, false);
            }
            answer = dot_of(a, b);
            CHECK(answer.estimate == matrix_dot(&of_a, &of_b));
            CHECK(dot_of(b, a).estimate == answer.estimate);
            CHECK(dot_of(a, a).estimate == matrix_dot(&of_a, &of_a)); /* with itself, too */
            double error_bound =
                e / (double)sizes[s].width * (double)of_a.total * (double)of_b.total;
            double low = answer.estimate > error_bound ? answer.estimate - error_bound : 0;
            CHECK(answer.high == answer.estimate && answer.low == low && !answer.saturated);
        }
}

TEST(the_true_inner_product_lies_between_the_bounds)
{
    owned_sketch *a = empty_sized(2719, 8, 32, false), *b = empty_sized(2719, 8, 32, false);
    uint64_t      of_a[500] = {0}, of_b[500] = {0};
    double        truth = 0, squares = 0;

    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t key = scramble(i) % (1 + scramble(~i) % 500);
        sketches_add_hash(i % 2 == 0 ? a : b, scramble(key), 1 + i % 5);
        (i % 2 == 0 ? of_a : of_b)[key] += 1 + i % 5;
    }
    for (int key = 0; key < 500; key++) {
        truth += (double)of_a[key] * (double)of_b[key];
        squares += (double)of_a[key] * (double)of_a[key];
    }
    ink_answer answer = dot_of(a, b);
    CHECK(answer.low <= truth && truth <= answer.high);
    CHECK(fabs(answer.confidence - (1 - exp(-8.0))) < 1e-12);
    answer = dot_of(a, a);
    CHECK(answer.low <= squares && squares <= answer.high);
}

TEST(inner_products_of_large_counts_are_not_cut)
{
    owned_sketch *a = empty_sized(10, 2, 64, false), *b = empty_sized(10, 2, 64, false);
    owned_sketch *one = empty_sized(1, 1, 64, false);

    sketches_add_hash(a, 1, (uint64_t)1 << 62);
    sketches_add_hash(b, 1, (uint64_t)1 << 63);
    ink_answer answer = dot_of(a, b);
    CHECK(answer.estimate == 0x1p125 && answer.high == 0x1p125 && !answer.saturated);
    sketches_add_hash(one, 1, UINT64_MAX - 1); /* near 2^128, and not full */
    answer = dot_of(one, one);
    CHECK(!answer.saturated && answer.estimate > 0x1p127 && answer.estimate <= 0x1p128);
}

TEST(sums_of_large_products_carry_into_the_next_word)
{
    static const struct {
        uint64_t a, b;
        double   sum; /* of 40 products */
    } cases[] = {
        {(uint64_t)1 << 63, (uint64_t)1 << 63, 40 * 0x1p126},
        {(uint64_t)1 << 32, (uint64_t)1 << 31, 40 * 0x1p63}, /* out of the lowest word */
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        owned_sketch *a = empty_sized(64, 1, 64, false), *b = empty_sized(64, 1, 64, false);
        matrix        m = matrix_of(64, 1, 64);
        unsigned      columns = 0;
        for (uint64_t i = 0; columns < 40; i++) { /* a column for each key */
            if (m.counters[0][column(&m, i, 0)] != 0)
                continue;
            matrix_add(&m, i, cases[c].a, false);
            sketches_add_hash(a, i, cases[c].a);
            sketches_add_hash(b, i, cases[c].b);
            columns++;
        }
        check_matrix(a, &m);
        ink_answer answer = dot_of(a, b);
        CHECK(answer.estimate == cases[c].sum && answer.high == cases[c].sum);
        CHECK(!answer.saturated);
    }
}

TEST(an_inner_product_with_full_counters_says_so)
{
    owned_sketch *a = empty_sized(50, 3, 32, false), *b = empty_sized(50, 3, 32, false);

    sketches_add_hash(a, 1, (uint64_t)1 << 40);
    sketches_add_hash(b, 1, 2);
    ink_answer answer = dot_of(a, b), turned = dot_of(b, a);
    double     truth = 0x1p41;
    CHECK(answer.saturated && turned.saturated);
    CHECK(answer.low <= answer.estimate && answer.estimate <= answer.high);
    CHECK(answer.low <= truth && truth <= answer.high && turned.high == answer.high);
    CHECK(answer.high < truth * 1.000001); /* all of one met all of the other */
}

TEST(a_row_without_a_full_counter_decides)
{
    const uint64_t full = 1;
    matrix         m = matrix_of(8, 2, 32);

    for (unsigned row = 0; row < 2; row++) { /* the full one in the first row, or in the last */
        owned_sketch *a = empty_sized(8, 2, 32, false), *b = empty_sized(8, 2, 32, false);
        uint64_t      meets = 2; /* a key that meets it in this row alone */
        while (column(&m, meets, row) != column(&m, full, row) ||
               column(&m, meets, 1 - row) == column(&m, full, 1 - row))
            meets++;
        sketches_add_hash(a, full, (uint64_t)1 << 40);
        sketches_add_hash(b, meets, 7);
        ink_answer answer = dot_of(a, b);
        CHECK(!answer.saturated && answer.estimate == 0 && answer.high == 0);
        sketches_add_hash(a, meets, 3); /* 21 in fact, and in the row that is not full */
        answer = dot_of(a, b);
        CHECK(!answer.saturated && answer.estimate == 21 && answer.high == 21);
    }
}

TEST(a_full_counter_that_meets_nothing_does_not_count)
{
    owned_sketch *a = empty_sized(50, 3, 32, false), *b = empty_sized(50, 3, 32, false);
    matrix        m = matrix_of(50, 3, 32);
    uint64_t      other = 2;

    while (column(&m, other, 0) == column(&m, 1, 0) || column(&m, other, 1) == column(&m, 1, 1) ||
           column(&m, other, 2) == column(&m, 1, 2))
        other++;
    sketches_add_hash(a, 1, UINT64_MAX);
    sketches_add_hash(b, other, 5);
    CHECK(!dot_of(a, b).saturated && dot_of(a, b).high == 0);
}

TEST(inner_products_that_cannot_be_are_refused)
{
    const ink_params bloom = {.kind = "bloom", .bits = 256};
    owned_sketch    *plain = empty_sized(10, 3, 32, false), *wide = empty_sized(11, 3, 32, false);
    owned_sketch    *careful = empty_sized(10, 3, 32, true);
    owned_sketch    *seeded =
        sketches_with((ink_params){.kind = "count-min", .width = 10, .depth = 3, .seed = 7}, 0, 0);
    owned_sketch *filter = files_sketch(&bloom, 0, 0, NULL);
    ink_answer    answer = {.estimate = -1};

    CHECK_FAILS(ink_sketch_dot(plain, careful, &answer, &error), INK_UNSUPPORTED,
                "build both count-mins without conservative");
    CHECK_FAILS(ink_sketch_dot(careful, plain, &answer, &error), INK_UNSUPPORTED, "conservative");
    CHECK_FAILS(ink_sketch_dot(careful, careful, &answer, &error), INK_UNSUPPORTED, "conservative");
    CHECK_FAILS(ink_sketch_dot(plain, wide, &answer, &error), INK_MISMATCH, "sizes differ");
    CHECK_FAILS(ink_sketch_dot(plain, seeded, &answer, &error), INK_MISMATCH, "seeds differ");
    CHECK_FAILS(ink_sketch_dot(plain, filter, &answer, &error), INK_MISMATCH,
                "kinds differ: count-min and bloom");
    CHECK_FAILS(ink_sketch_dot(filter, filter, &answer, &error), INK_UNSUPPORTED,
                "bloom has no inner product; count-min has");
    CHECK(answer.estimate == -1);
}

/* ---- Files -------------------------------------------------------------------------------- */

TEST(a_shape_that_no_count_min_has_is_refused_at_its_field)
{
    const ink__key_rule rule = {0};
    const wrong_shape   wrong[] = {
          {{.fields = {0, 2, 32}}, "0 counters in a row, expected 1 to 2^32", 0},
          {{.fields = {4294967297, 1, 32}, .payload_bytes = 17179869188}, "counters in a row", 0},
          {{.fields = {3, 0, 32}}, "0 rows, expected 1 to 64", 1},
          {{.fields = {3, 65, 32}, .payload_bytes = 780}, "65 rows", 1},
          {{.fields = {3, 2, 16}, .payload_bytes = 12}, "counters of 16 bits, expected 32 or 64", 2},
          {{.fields = {3, 2, 0}}, "counters of 0 bits", 2},
          {{.fields = {3, 2, 32, 2}, .payload_bytes = 24}, "conservative is 2, expected 0 or 1", 3},
          {{.fields = {3, 2, 32}, .payload_bytes = 23}, "a count-min of 23 bytes, expected 24", 5},
          {{.fields = {3, 2, 64}, .payload_bytes = 24}, "a count-min of 24 bytes, expected 48", 5},
          {{.fields = {(uint64_t)1 << 32, 64, 64}, .payload_bytes = (uint64_t)1 << 41},
           "at most 2^40",
           5},
    };

    shapes_check_refused(&ink__count_min, &rule, wrong, sizeof wrong / sizeof wrong[0]);
    const ink__shape good = {.fields = {3, 2, 64, 1, UINT64_MAX}, .payload_bytes = 48};
    CHECK_OK(ink__count_min.check(&good, &rule, &error));
}

RUN_TESTS()
