/* counting_test.c - the counting filter: counters that rise, fall and stick, removals that are
 * refused whole, and the bloom of the keys that are left. The reference is an array of counters,
 * written from docs/format.md. */
#include "base/status.h"
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <stdio.h>

static ink_error       error;
static ink_description described;

#define PLAN(...) ink_plan(&(const ink_params){.kind = "counting", __VA_ARGS__}, &described, &error)
#define REFUSED(words, ...) CHECK_FAILS(PLAN(__VA_ARGS__), INK_USAGE, words)

enum { BLOCKS_MAX = 64, BLOCK_BYTES = 128, CELLS = 256, STUCK = 15 };

static ink_params of_blocks(const char *kind, uint64_t blocks)
{
    return (ink_params){
        .kind = kind,
        .bits = blocks * (strcmp(kind, "bloom") == 0 ? 256 : 1024),
        .key_type = INK_KEY_INT,
    };
}

static ink_sketch *empty_counting(uint64_t blocks)
{
    return sketches_with(of_blocks("counting", blocks), 0, 0);
}

/* ---- An array of counters ----------------------------------------------------------------- */

typedef struct model {
    uint64_t blocks;
    uint64_t counters[BLOCKS_MAX][CELLS];
} model;

static uint64_t *model_counter(model *m, uint64_t hash, unsigned word)
{
    static const uint32_t salts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                      0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    uint64_t              block = ((hash >> 32) * m->blocks) >> 32;
    uint32_t              bit = ((uint32_t)hash * salts[word]) >> 27;

    return &m->counters[block][32 * word + bit];
}

static uint64_t at_most_15(uint64_t value)
{
    return value > STUCK ? STUCK : value;
}

static void model_add(model *m, uint64_t hash, uint64_t times)
{
    for (unsigned word = 0; word < 8; word++) {
        uint64_t *counter = model_counter(m, hash, word);
        *counter = times > STUCK ? STUCK : at_most_15(*counter + times);
    }
}

/* Whether the key was in so often, as far as the counters show. */
static bool model_remove(model *m, uint64_t hash, uint64_t times)
{
    for (unsigned word = 0; word < 8; word++)
        if (*model_counter(m, hash, word) != STUCK && *model_counter(m, hash, word) < times)
            return false;
    for (unsigned word = 0; word < 8; word++)
        if (*model_counter(m, hash, word) != STUCK)
            *model_counter(m, hash, word) -= times;
    return true;
}

static uint64_t model_smallest(model *m, uint64_t hash)
{
    uint64_t least = STUCK;

    for (unsigned word = 0; word < 8; word++)
        if (*model_counter(m, hash, word) < least)
            least = *model_counter(m, hash, word);
    return least;
}

static bool model_contains(model *m, uint64_t hash)
{
    return model_smallest(m, hash) > 0;
}

static void check_model(const ink_sketch *sketch, const model *m)
{
    uint8_t expected[BLOCKS_MAX * BLOCK_BYTES] = {0}, found[BLOCKS_MAX * BLOCK_BYTES];
    size_t  bytes = (size_t)m->blocks * BLOCK_BYTES;

    for (uint64_t block = 0; block < m->blocks; block++)
        for (unsigned c = 0; c < CELLS; c++)
            expected[block * BLOCK_BYTES + c / 2] |=
                (uint8_t)(m->counters[block][c] << (c % 2 == 0 ? 0 : 4));
    assert_int_equal(sketches_describe(sketch).bytes, bytes);
    CHECK_OK(ink_sketch_payload(sketch, found, bytes, &error));
    assert_memory_equal(found, expected, bytes);
}

static ink_status remove_hash(ink_sketch *sketch, uint64_t hash, uint64_t weight)
{
    const ink_batch batch = {.count = 1, .hashes = &hash, .weights = &weight};

    return ink_sketch_remove_batch(sketch, &batch, &error);
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(sizes_and_promises_are_those_of_a_bloom_of_as_many_blocks)
{
    const ink_params forms[] = {
        {.kind = "counting", .expected_keys = 1000},
        {.kind = "counting", .expected_keys = 50000, .false_positive_rate = 0.001},
        {.kind = "counting", .expected_keys = 1, .false_positive_rate = 0.5},
        {.kind = "counting", .expected_keys = 77, .false_positive_rate = 1e-5},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        ink_params      params = forms[i];
        ink_description bloom;
        CHECK_OK(ink_plan(&params, &described, &error));
        params.kind = "bloom";
        CHECK_OK(ink_plan(&params, &bloom, &error));
        CHECK(described.bits == 4 * bloom.bits && described.bytes == 4 * bloom.bytes);
        CHECK(described.target_rate == bloom.target_rate && described.hashes == 8);
        CHECK(described.promised_rate == bloom.promised_rate);
        CHECK(described.bits_per_key == 4 * bloom.bits_per_key && described.order_free);
    }
    CHECK_OK(PLAN(.bits = 1024 * 100, .expected_keys = 2000));
    ink_params      by_hand = {.kind = "bloom", .bits = 256 * 100, .expected_keys = 2000};
    ink_description bloom;
    CHECK_OK(ink_plan(&by_hand, &bloom, &error));
    CHECK(described.promised_rate == bloom.promised_rate && described.target_rate == 0);
}

TEST(parameters_out_of_range_are_refused)
{
    REFUSED("bits 256, expected a multiple of 1024 up to 2^39 for counting", .bits = 256);
    REFUSED("up to 2^39 for counting", .bits = ((uint64_t)1 << 39) + 1024);
    CHECK_OK(PLAN(.bits = (uint64_t)1 << 39));
    REFUSED("counting needs expected_keys, or its size in bits", .seed = 1);
    REFUSED("bits and false_positive_rate do not go together", .bits = 1024,
            .false_positive_rate = 0.1);
    REFUSED("false_positive_rate 0.6, expected 1e-05 to 0.5 for counting", .expected_keys = 9,
            .false_positive_rate = 0.6);
    REFUSED("false_positive_rate 1e-06, expected 1e-05 to 0.5 for counting", .expected_keys = 9,
            .false_positive_rate = 1e-6);
    REFUSED("expected above 0 and below 1", .expected_keys = 9, .false_positive_rate = 1);
    REFUSED("need more than the 64 GiB that a counting can have", .expected_keys = 20000000000);
    REFUSED("counting has no hashes", .bits = 1024, .hashes = 3);
    REFUSED("hash mmh3 is for classic, not for counting", .bits = 1024, .hash = "mmh3");
}

/* ---- Counters ----------------------------------------------------------------------------- */

TEST(counters_rise_fall_and_stick_as_those_of_an_array)
{
    static const uint64_t blocks[] = {1, 3, 64};

    for (int b = 0; b < 3; b++) {
        owned_sketch *sketch = empty_counting(blocks[b]);
        model         m = {.blocks = blocks[b]};
        unsigned      refused = 0;
        for (uint64_t i = 0; i < 3000; i++) {
            uint64_t hash = scramble(scramble(i) % (40 * blocks[b])), weight = scramble(~i) % 20;
            if (scramble(i + 7) % 5 < 2) {
                sketches_add_hash(sketch, hash, weight % 3);
                model_add(&m, hash, weight % 3);
            } else {
                bool in = model_remove(&m, hash, weight % 4);
                assert_int_equal(remove_hash(sketch, hash, weight % 4),
                                 in ? INK_OK : INK_NOT_FOUND);
                refused += !in;
            }
            if (i % 100 == 0)
                check_model(sketch, &m);
        }
        check_model(sketch, &m);
        CHECK(refused > 100);
        for (uint64_t i = 0; i < 1000; i++) {
            const uint64_t  hash = scramble(i % (80 * blocks[b]));
            const ink_batch batch = {.count = 1, .hashes = &hash};
            uint8_t         answer;
            ink_answer      count;
            CHECK_OK(ink_sketch_contains_batch(sketch, &batch, &answer, &error));
            assert_int_equal(answer, model_contains(&m, hash));
            CHECK_OK(ink_sketch_count_batch(sketch, &batch, &count, &error));
            uint64_t least = model_smallest(&m, hash);
            CHECK(count.estimate == (double)least && count.low == 0 && count.confidence == 1);
            CHECK(count.saturated == (least == STUCK));
            CHECK(count.high == (least == STUCK ? 0x1p64 : (double)least));
        }
    }
}

TEST(a_weight_is_so_many_adds_or_removals)
{
    for (uint64_t weight = 0; weight <= 20; weight++) {
        owned_sketch *once = empty_counting(2), *often = empty_counting(2);
        sketches_add_hash(once, 12345, weight);
        for (uint64_t i = 0; i < weight; i++)
            sketches_add_hash(often, 12345, 1);
        CHECK(sketches_equal_payloads(once, often));
        CHECK(sketches_equal(once, often) && sketches_describe(once).records == weight);
        if (weight > 2) {
            CHECK_OK(remove_hash(once, 12345, weight - 2));
            for (uint64_t i = 2; i < weight; i++)
                CHECK_OK(remove_hash(often, 12345, 1));
            CHECK(sketches_equal(once, often) && sketches_describe(once).records == 2);
        }
    }
}

TEST(a_counter_that_has_reached_15_stays)
{
    static const uint64_t weights[] = {15, 16, UINT64_MAX};

    for (int i = 0; i < 3; i++) {
        owned_sketch *sketch = empty_counting(1);
        model         m = {.blocks = 1};
        sketches_add_hash(sketch, 99, weights[i]);
        model_add(&m, 99, weights[i]);
        check_model(sketch, &m);
        for (int j = 0; j < 40; j++)
            CHECK_OK(remove_hash(sketch, 99, 1));
        CHECK_OK(remove_hash(sketch, 99, UINT64_MAX));
        check_model(sketch, &m); /* its true count is unknown */
    }
}

TEST(the_records_of_weights_stop_at_the_largest_number)
{
    static const uint64_t hashes[] = {1, 2, 3}, weights[] = {3, UINT64_MAX - 1, 7};
    owned_sketch         *sketch = empty_counting(1);
    const ink_batch       batch = {.count = 3, .hashes = hashes, .weights = weights};

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    CHECK(sketches_describe(sketch).records == UINT64_MAX);
}

/* 14 is the last count that is known; a stuck one may be any from 15 to all that was added. */
TEST(a_stuck_counter_is_bounded_by_all_that_was_added)
{
    for (uint64_t weight = 14; weight < 40; weight++) {
        owned_sketch *sketch = empty_counting(1000);
        sketches_add_hash(sketch, 99, weight);
        for (uint64_t hash = 1; hash <= 5; hash++)
            sketches_add_hash(sketch, hash << 40, 1);
        ink_answer answer = sketches_count_hash(sketch, 99);
        CHECK(answer.saturated == (weight > 14));
        CHECK(answer.estimate == (double)(weight > 14 ? 15 : 14) && answer.low == 0);
        CHECK(answer.high == (double)(weight > 14 ? weight + 5 : 14));
    }
}

TEST(a_counter_of_14_comes_down_again)
{
    owned_sketch *sketch = empty_counting(1), *empty = empty_counting(1);

    sketches_add_hash(sketch, 99, 14);
    CHECK_FAILS(remove_hash(sketch, 99, 15), INK_NOT_FOUND,
                "the key is to be removed 15 times, but is in 14 times at most");
    CHECK_OK(remove_hash(sketch, 99, 14));
    CHECK(sketches_equal(sketch, empty));
}

/* No removal of a key that had been added hides another one, stuck counters or not. */
TEST(keys_that_are_left_are_always_found)
{
    owned_sketch *sketch = empty_counting(2); /* far too small: counters stick */
    unsigned      stuck = 0;

    for (int64_t i = 0; i < 800; i++)
        CHECK_OK(ink_sketch_add_int(sketch, i, &error));
    for (int64_t i = 0; i < 700; i++)
        CHECK_OK(ink_sketch_remove_int(sketch, i, &error));
    assert_int_equal(sketches_found(sketch, 700, 100), 100);
    CHECK(sketches_describe(sketch).records == 100);
    uint8_t payload[2 * BLOCK_BYTES];
    CHECK_OK(ink_sketch_payload(sketch, payload, sizeof payload, &error));
    for (unsigned i = 0; i < sizeof payload; i++)
        stuck += payload[i] % 16 == STUCK || payload[i] / 16 == STUCK;
    CHECK(stuck > 0);
}

/* ---- Removal ------------------------------------------------------------------------------ */

TEST(what_is_added_and_removed_leaves_no_trace)
{
    const ink_params params = {.kind = "counting", .expected_keys = 1000};
    owned_sketch    *sketch = files_sketch(&params, 0, 300, NULL);
    owned_sketch    *left = files_sketch(&params, 200, 100, NULL);

    for (int i = 0; i < 200; i++) {
        char   key[16];
        size_t bytes = (size_t)snprintf(key, sizeof key, "key %d", i);
        CHECK_OK(ink_sketch_remove(sketch, key, bytes, &error));
    }
    CHECK(sketches_equal(sketch, left));
    CHECK(sketches_describe(sketch).records == 100);
    CHECK(sketches_rate(sketch) == sketches_rate(left));
}

TEST(removing_a_key_that_is_not_in_is_refused)
{
    owned_sketch *sketch =
        sketches_with((ink_params){.kind = "counting", .expected_keys = 1000}, 0, 50);
    owned_sketch     *of_ints = sketches_with(of_blocks("counting", 20), 0, 5);
    sketches_snapshot before = sketches_remember(sketch);

    CHECK_FAILS(ink_sketch_remove(sketch, "key 50", 6, &error), INK_NOT_FOUND,
                "the key is not in, expected one that was added");
    CHECK_FAILS(ink_sketch_remove(sketch, NULL, 0, &error), INK_NOT_FOUND, "is not in");
    CHECK_FAILS(ink_sketch_remove_int(of_ints, 77, &error), INK_NOT_FOUND, "is not in");
    CHECK_FAILS(ink_sketch_remove_int(sketch, 1, &error), INK_MISMATCH, "int keys for a sketch of");
    CHECK_FAILS(ink_sketch_remove(of_ints, "a", 1, &error), INK_MISMATCH, "bytes keys for a");
    CHECK(sketches_unchanged(sketch, &before));
}

/* Removes keys 0 to `count`, of which only the one at `absent` is not in; with weights or without,
 * as ints or as hashes. */
static void check_rolled_back(size_t count, size_t absent, bool weighted, bool hashed)
{
    owned_sketch *sketch = empty_counting(64);
    int64_t      *keys = calloc(count, sizeof *keys);
    uint64_t     *weights = calloc(count, sizeof *weights);
    uint64_t     *hashes = calloc(count, sizeof *hashes);

    assert_true(keys != NULL && weights != NULL && hashes != NULL);
    for (size_t i = 0; i < count; i++) {
        keys[i] = (int64_t)i;
        weights[i] = i % 17; /* some of them stick */
    }
    ink_batch batch = {.count = count, .ints = keys, .weights = weighted ? weights : NULL};
    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    keys[absent] = -1;
    weights[absent] = 1;
    CHECK_OK(
        ink_sketch_hash_batch(sketch, &(ink_batch){.count = count, .ints = keys}, hashes, &error));
    if (hashed)
        batch = (ink_batch){.count = count, .hashes = hashes, .weights = batch.weights};
    sketches_snapshot before = sketches_remember(sketch);
    if (ink_sketch_remove_batch(sketch, &batch, &error) != INK_NOT_FOUND)
        fail_msg("%d keys, of which %d is not in: removed", (int)count, (int)absent);
    CHECK(error.location == INK_AT_KEY && error.at == absent);
    assert_non_null(strstr(error.message, "the key is not in, expected one that was added"));
    CHECK(sketches_unchanged(sketch, &before));
    free(keys);
    free(weights);
    free(hashes);
}

TEST(a_batch_with_a_key_that_is_not_in_is_put_back_byte_for_byte)
{
    static const size_t absent[] = {0, 1, 100, 127, 128, 129, 255, 256, 399};

    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        for (int form = 0; form < 4; form++)
            check_rolled_back(400, absent[i], form % 2 == 1, form / 2 == 1);
}

TEST(a_key_that_is_removed_once_too_often_in_a_batch_is_refused)
{
    owned_sketch   *sketch = empty_counting(20);
    const int64_t   keys[] = {1, 2, 1, 3, 1};
    const ink_batch twice = {.count = 3, .ints = keys}, thrice = {.count = 5, .ints = keys};
    const uint64_t  weights[] = {1, 1, 2};
    const ink_batch weighted = {.count = 3, .ints = keys, .weights = weights};

    CHECK_OK(ink_sketch_add_batch(sketch, &twice, &error));
    CHECK_OK(ink_sketch_add_int(sketch, 3, &error));
    sketches_snapshot before = sketches_remember(sketch);
    CHECK_FAILS(ink_sketch_remove_batch(sketch, &thrice, &error), INK_NOT_FOUND,
                "the key is not in");
    CHECK(error.location == INK_AT_KEY && error.at == 4);
    CHECK_FAILS(ink_sketch_remove_batch(sketch, &weighted, &error), INK_NOT_FOUND,
                "the key is to be removed 2 times, but is in 1 times at most");
    CHECK(error.location == INK_AT_KEY && error.at == 2);
    CHECK(sketches_unchanged(sketch, &before));
    CHECK_OK(ink_sketch_remove_batch(sketch, &twice, &error));
    CHECK(sketches_describe(sketch).records == 1);
    assert_int_equal(sketches_found(sketch, 3, 1), 1);
    assert_int_equal(sketches_found(sketch, 1, 2), 0);
}

TEST(a_filter_larger_than_a_cache_counts_alike)
{
    const ink_params params = {.kind = "counting", .bits = 1024 * 9001, .key_type = INK_KEY_INT};
    enum { COUNT = 3000 };
    owned_sketch *single = files_sketch(&params, 0, 0, NULL),
                 *batched = files_sketch(&params, 0, 0, NULL);
    int64_t keys[COUNT];
    uint8_t answers[COUNT];

    for (int i = 0; i < COUNT; i++) {
        keys[i] = i % 1000;
        CHECK_OK(ink_sketch_add_int(single, keys[i], &error));
    }
    CHECK_OK(ink_sketch_add_batch(batched, &(ink_batch){.count = COUNT, .ints = keys}, &error));
    CHECK(sketches_equal(single, batched));
    /* As hashes they come all at once. */
    uint64_t hashes[COUNT];
    CHECK_OK(
        ink_sketch_hash_batch(batched, &(ink_batch){.count = COUNT, .ints = keys}, hashes, &error));
    const ink_batch all = {.count = COUNT, .hashes = hashes};
    CHECK_OK(ink_sketch_contains_batch(batched, &all, answers, &error));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(answers[i], 1);
    CHECK_OK(ink_sketch_remove_batch(batched, &all, &error));
    assert_true(sketches_rate(batched) == 0);
}

TEST(a_batch_removes_the_same_as_its_keys_one_by_one)
{
    enum { COUNT = 500 };
    owned_sketch *batched = empty_counting(64), *single = empty_counting(64);
    int64_t       keys[COUNT];
    uint64_t      weights[COUNT];

    for (int i = 0; i < COUNT; i++) {
        keys[i] = i % 200;
        weights[i] = (uint64_t)i % 3;
    }
    const ink_batch batch = {.count = COUNT, .ints = keys, .weights = weights};
    CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
    CHECK_OK(ink_sketch_add_batch(single, &batch, &error));
    CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
    CHECK_OK(ink_sketch_add_batch(single, &batch, &error));
    CHECK_OK(ink_sketch_remove_batch(batched, &batch, &error));
    for (int i = 0; i < COUNT; i++) {
        const ink_batch one = {.count = 1, .ints = keys + i, .weights = weights + i};
        CHECK_OK(ink_sketch_remove_batch(single, &one, &error));
    }
    CHECK(sketches_equal(batched, single));
    CHECK(sketches_describe(batched).records == 499); /* of 0 + 1 + 2 + 0 + 1 + 2 + ... + 1 */
}

TEST(records_are_the_times_that_keys_are_in)
{
    owned_sketch *sketch = empty_counting(4);

    sketches_add_hash(sketch, 5, 3);
    CHECK(sketches_describe(sketch).records == 3);
    CHECK_OK(remove_hash(sketch, 5, 1));
    CHECK(sketches_describe(sketch).records == 2);
    sketches_add_hash(sketch, 5, 20);
    CHECK(sketches_describe(sketch).records == 22);
    CHECK_OK(remove_hash(sketch, 5, 30)); /* unknown, and nothing goes below 0 */
    CHECK(sketches_describe(sketch).records == 0);
}

/* ---- Merge and fold ----------------------------------------------------------------------- */

static const ink_merge_options parts = {.parts = true};

TEST(a_union_is_the_sum_that_stops_at_15)
{
    static const uint64_t sizes[][2] = {{64, 64}, {64, 16}, {3, 27}, {1, 64}, {40, 40}};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t      least = sizes[i][0] < sizes[i][1] ? sizes[i][0] : sizes[i][1];
        owned_sketch *a = empty_counting(sizes[i][0]), *b = empty_counting(sizes[i][1]);
        owned_sketch *whole = empty_counting(least);
        model         m = {.blocks = least};
        for (uint64_t k = 0; k < 60 * least; k++) {
            uint64_t hash = scramble(k % (25 * least)), weight = scramble(k) % 9;
            sketches_add_hash(k % 2 == 0 ? a : b, hash, weight);
            sketches_add_hash(whole, hash, weight);
            model_add(&m, hash, weight);
        }
        CHECK_OK(ink_sketch_merge(a, b, &parts, &error));
        check_model(a, &m);
        CHECK(sketches_equal(a, whole)); /* hand-made sizes promise nothing: all is equal */
    }
}

TEST(a_folded_counting_is_the_one_built_at_that_size)
{
    static const uint64_t divisors[] = {1, 2, 3, 4, 12, 60};

    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        owned_sketch *folded = empty_counting(60), *built = empty_counting(60 / divisors[i]);
        model         m = {.blocks = 60 / divisors[i]};
        for (uint64_t k = 0; k < 900; k++) {
            sketches_add_hash(folded, scramble(k), k % 4);
            sketches_add_hash(built, scramble(k), k % 4);
            model_add(&m, scramble(k), k % 4);
        }
        CHECK_OK(ink_sketch_fold(folded, divisors[i], &error));
        check_model(folded, &m);
        CHECK(sketches_equal(folded, built));
        for (uint64_t k = 0; k < 100; k++) { /* and keys come out of it again */
            CHECK_OK(remove_hash(folded, scramble(k), k % 4));
            CHECK_OK(remove_hash(built, scramble(k), k % 4));
        }
        CHECK(sketches_equal(folded, built));
    }
}

TEST(sizes_that_do_not_divide_are_refused)
{
    owned_sketch     *a = empty_counting(6), *b = empty_counting(4);
    sketches_snapshot before = sketches_remember(a);

    CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_MISMATCH,
                "block counts 6 and 4: neither divides the other");
    CHECK_FAILS(ink_sketch_fold(a, 4, &error), INK_USAGE,
                "divisor 4, expected a divisor of the block count 6");
    CHECK_FAILS(ink_sketch_intersect(a, b, &error), INK_UNSUPPORTED,
                "counting cannot be intersected");
    CHECK(sketches_unchanged(a, &before));
}

TEST(promises_are_kept_as_those_of_a_bloom)
{
    const ink_params counting = {.kind = "counting", .expected_keys = 500};
    const ink_params bloom = {.kind = "bloom", .expected_keys = 500};
    owned_sketch    *a = files_sketch(&counting, 0, 450, NULL);
    owned_sketch    *b = files_sketch(&counting, 1000, 450, NULL);
    owned_sketch    *of_a = files_sketch(&bloom, 0, 450, NULL);
    owned_sketch    *of_b = files_sketch(&bloom, 1000, 450, NULL);
    char             message[INK_MESSAGE_BYTES];
    uint64_t         divisor = 0, of_bloom = 0;

    sketches_snapshot before = sketches_remember(a);
    CHECK_FAILS(ink_sketch_merge(of_a, of_b, NULL, &error), INK_PROMISE, "would have");
    memcpy(message, error.message, sizeof message);
    CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_PROMISE, message); /* the same rate */
    CHECK(sketches_unchanged(a, &before));
    const ink_merge_options allowed = {.max_rate = 0.2};
    CHECK_OK(ink_sketch_merge(a, b, &allowed, &error));
    CHECK_OK(ink_sketch_merge(of_a, of_b, &allowed, &error));
    CHECK(sketches_describe(a).promised_rate == 0.2);
    CHECK(sketches_rate(a) == sketches_rate(of_a));
    CHECK_OK(ink_sketch_fold_to_rate(a, 0.5, &divisor, &error));
    CHECK_OK(ink_sketch_fold_to_rate(of_a, 0.5, &of_bloom, &error));
    assert_int_equal(divisor, of_bloom);
    CHECK(sketches_rate(a) == sketches_rate(of_a));
    CHECK(sketches_describe(a).promised_rate == sketches_describe(of_a).promised_rate);
}

/* ---- The bloom inside --------------------------------------------------------------------- */

/* The counting becomes exactly this bloom, by digest. */
static void check_becomes(const ink_sketch *counting, const ink_sketch *bloom)
{
    owned_sketch *converted = NULL;
    uint8_t       digests[2][INK_DIGEST_BYTES];

    CHECK_OK(ink_sketch_convert(&converted, counting, "bloom", NULL, &error));
    CHECK_OK(ink_sketch_digest(converted, digests[0], &error));
    CHECK_OK(ink_sketch_digest(bloom, digests[1], &error));
    assert_memory_equal(digests[0], digests[1], INK_DIGEST_BYTES);
    assert_string_equal(sketches_describe(converted).kind, "bloom");
    CHECK(!sketches_describe(converted).read_only);
    CHECK(sketches_rate(counting) == sketches_rate(bloom));
    ink_answer a = sketches_distinct(counting), b = sketches_distinct(bloom);
    CHECK(a.estimate == b.estimate && a.low == b.low && a.high == b.high);
    CHECK(a.saturated == b.saturated);
}

TEST(it_becomes_the_bloom_of_the_keys_that_are_left)
{
    static const ink_params forms[] = {
        {.kind = "bloom", .expected_keys = 1000},
        {.kind = "bloom", .expected_keys = 300, .false_positive_rate = 0.1},
        {.kind = "bloom", .bits = 256 * 60},
        {.kind = "bloom", .bits = 256 * 60, .expected_keys = 9, .hash = "xxh64", .seed = 3},
        {.kind = "bloom", .bits = 256},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        ink_params of_counting = forms[i];
        of_counting.kind = "counting";
        of_counting.bits *= 4;
        uint64_t      keys = forms[i].bits == 256 ? 6 : 300; /* so few that no counter sticks */
        owned_sketch *counting = files_sketch(&of_counting, 0, keys, NULL);
        owned_sketch *bloom = files_sketch(&forms[i], 0, keys, NULL);
        owned_sketch *left = files_sketch(&forms[i], keys / 2, keys - keys / 2, NULL);
        check_becomes(counting, bloom);
        for (uint64_t k = 0; k < keys / 2; k++) {
            char   key[16];
            size_t bytes = (size_t)snprintf(key, sizeof key, "key %d", (int)k);
            CHECK_OK(ink_sketch_remove(counting, key, bytes, &error));
        }
        check_becomes(counting, left);
    }
}

TEST(it_becomes_the_bloom_after_folding_and_merging_too)
{
    const ink_params of_counting = {.kind = "counting", .expected_keys = 2000, .bits = 1024 * 120};
    const ink_params of_bloom = {.kind = "bloom", .expected_keys = 2000, .bits = 256 * 120};
    owned_sketch    *counting = files_sketch(&of_counting, 0, 200, NULL);
    owned_sketch    *bloom = files_sketch(&of_bloom, 0, 200, NULL);
    owned_sketch    *more = files_sketch(&of_counting, 100, 200, NULL);
    owned_sketch    *more_bloom = files_sketch(&of_bloom, 100, 200, NULL);

    CHECK_OK(ink_sketch_fold(counting, 3, &error));
    CHECK_OK(ink_sketch_fold(bloom, 3, &error));
    check_becomes(counting, bloom);
    CHECK_OK(ink_sketch_merge(counting, more, &parts, &error));
    CHECK_OK(ink_sketch_merge(bloom, more_bloom, &parts, &error));
    check_becomes(counting, bloom);
    CHECK_OK(ink_sketch_fold(counting, 2, &error));
    CHECK_OK(ink_sketch_fold(bloom, 2, &error));
    check_becomes(counting, bloom);
}

/* Every value of a counter is a bit, at every place. */
TEST(every_counter_above_0_is_a_bit)
{
    for (unsigned c = 0; c < CELLS; c++) {
        owned_sketch     *sketch = empty_counting(1), *counting = NULL, *bloom = NULL;
        sketches_snapshot file = sketches_remember(sketch);
        uint8_t           bits[32], expected[32] = {0};
        file.bytes[files_payload_at(file.bytes) + c / 2] =
            (uint8_t)((1 + c % 15) << (c % 2 == 0 ? 0 : 4));
        files_repair(file.bytes, file.count);
        CHECK_OK(ink_sketch_decode(&counting, file.bytes, file.count, NULL, &error));
        CHECK_OK(ink_sketch_convert(&bloom, counting, "bloom", NULL, &error));
        CHECK_OK(ink_sketch_payload(bloom, bits, sizeof bits, &error));
        expected[c / 8] = (uint8_t)(1 << c % 8); /* bit c % 32 of word c / 32 */
        assert_memory_equal(bits, expected, sizeof bits);
        ink_bytes_free(file.bytes, file.count, NULL);
    }
}

TEST(a_full_counting_says_so)
{
    owned_sketch *sketch = empty_counting(1), *bloom = NULL;

    for (uint64_t i = 0; i < 3000; i++)
        sketches_add_hash(sketch, scramble(i), 1);
    CHECK_OK(ink_sketch_convert(&bloom, sketch, "bloom", NULL, &error));
    check_becomes(sketch, bloom);
    CHECK(sketches_distinct(sketch).saturated && sketches_rate(sketch) == 1);
}

TEST(a_keyed_counting_becomes_a_keyed_bloom)
{
    owned_sketch *counting = sketches_with(
                     (ink_params){.kind = "counting", .expected_keys = 100, .secret = files_secret},
                     0, 50),
                 *converted = NULL;
    owned_sketch *bloom = sketches_with(
        (ink_params){.kind = "bloom", .expected_keys = 100, .secret = files_secret}, 0, 50);

    check_becomes(counting, bloom);
    CHECK_OK(ink_sketch_convert(&converted, counting, "bloom", NULL, &error));
    assert_int_equal(sketches_found(converted, 0, 50), 50); /* it has the secret */
}

/* ---- Files -------------------------------------------------------------------------------- */

TEST(a_view_can_be_asked_and_converted_but_not_changed)
{
    const ink_params params = of_blocks("counting", 20), of_bloom = of_blocks("bloom", 20);
    owned_sketch    *sketch = files_sketch(&params, 0, 100, NULL);
    owned_sketch    *bloom = files_sketch(&of_bloom, 0, 100, NULL);
    const int64_t    key = 3;
    const ink_batch  batch = {.count = 1, .ints = &key};
    sketches_view    view;

    for (int lazy = 0; lazy < 2; lazy++) {
        view = sketches_view_of(sketch, lazy ? INK_OPEN_LAZY : INK_OPEN_CHECKED);
        CHECK_FAILS(ink_sketch_add_int(view.sketch, 1, &error), INK_READ_ONLY,
                    "this counting is a view");
        CHECK_FAILS(ink_sketch_remove_int(view.sketch, 1, &error), INK_READ_ONLY, "is a view");
        CHECK_FAILS(ink_sketch_remove_batch(view.sketch, &batch, &error), INK_READ_ONLY,
                    "is a view");
        CHECK_FAILS(ink_sketch_merge(view.sketch, sketch, NULL, &error), INK_READ_ONLY,
                    "is a view");
        CHECK_FAILS(ink_sketch_fold(view.sketch, 2, &error), INK_READ_ONLY, "is a view");
        assert_int_equal(sketches_found(view.sketch, 0, 100), 100);
        check_becomes(view.sketch, bloom);
        CHECK(sketches_equal(view.sketch, sketch));
        sketches_view_close(&view);
    }
    view = sketches_view_of(sketch, INK_OPEN_LAZY);
    view.bytes[files_payload_at(view.bytes)] ^= 1;
    ink_sketch *none = NULL;
    CHECK_FAILS(ink_sketch_convert(&none, view.sketch, "bloom", NULL, &error), INK_FORMAT,
                "the file is damaged");
    assert_null(none);
    sketches_view_close(&view);
}

TEST(a_counting_that_is_loaded_goes_on_as_if_it_had_never_been_saved)
{
    ink_sketch *never = empty_counting(8), *always = empty_counting(8);

    for (uint64_t i = 0; i < 300; i++) {
        ink_sketch *loaded;
        CHECK_OK(ink_sketch_copy(&loaded, always, NULL, &error));
        ink_sketch_free(always);
        always = loaded;
        uint64_t hash = scramble(i % 70);
        if (i % 5 == 4) {
            CHECK(remove_hash(never, hash, 1) == remove_hash(always, hash, 1));
        } else {
            sketches_add_hash(never, hash, i % 7);
            sketches_add_hash(always, hash, i % 7);
        }
        CHECK(sketches_equal(never, always));
    }
    ink_sketch_free(never);
    ink_sketch_free(always);
}

TEST(a_shape_that_no_counting_has_is_refused_at_its_field)
{
    const uint64_t      wrong[] = {0, 32, 127, 129, ((uint64_t)1 << 36) + 128};
    const ink__key_rule rule = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const ink__shape shape = {.kind = &ink__counting, .payload_bytes = wrong[i]};
        CHECK_FAILS(ink__counting.check(&shape, &rule, &error), INK_FORMAT,
                    "expected 1 to 2^29 blocks of 128");
        CHECK(error.location == INK__AT_FIELD && error.at == 3);
    }
    const ink__shape negative = {
        .kind = &ink__counting, .fields = {0, 0, 1ull << 63}, .payload_bytes = 128};
    CHECK_FAILS(ink__counting.check(&negative, &rule, &error), INK_FORMAT, "promised rate");
    const ink__shape largest = {.kind = &ink__counting, .payload_bytes = (uint64_t)1 << 36};
    CHECK_OK(ink__counting.check(&largest, &rule, &error));
}

TEST(every_refusal_of_memory_while_converting_is_clean)
{
    owned_sketch     *sketch = sketches_with(of_blocks("counting", 20), 0, 9);
    sketches_snapshot before = sketches_remember(sketch);

    for (faults_refusals run = {0}; faults_refusals_next(&run);) {
        owned_sketch *bloom = NULL;
        ink_status    status = ink_sketch_convert(&bloom, sketch, "bloom", &run.allocator, &error);
        CHECK((bloom == NULL) == faults_check_refused(&run, status));
    }
    CHECK(sketches_unchanged(sketch, &before));
}

RUN_TESTS()
