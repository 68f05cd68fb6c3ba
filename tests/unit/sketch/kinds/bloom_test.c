/* bloom_test.c - what is special about the split-block filter: its sizes and their refusals, its
 * blocks in files. What all filters do is in filter_test.c. */
#include "base/status.h"
#include "sketch/kinds/kind.h"
#include "sketch/kinds/split_block_plan.h"
#include "support/check.h"
#include "support/files.h"
#include "support/sketches.h"

static ink_error       error;
static ink_description described;

#define PLAN(...) ink_plan(&(const ink_params){.kind = "bloom", __VA_ARGS__}, &described, &error)
#define REFUSED(words, ...) CHECK_FAILS(PLAN(__VA_ARGS__), INK_USAGE, words)

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(a_bloom_planned_by_rate_keeps_its_rate)
{
    owned_sketch *sketch = sketches_with(
        (ink_params){.kind = "bloom", .expected_keys = 10000, .false_positive_rate = 0.001}, 0,
        10000);

    described = sketches_describe(sketch);
    CHECK(described.target_rate == 0.001 && described.promised_rate == 0.001);
    CHECK(described.expected_keys == 10000 && described.hashes == 8);
    CHECK(described.bits % 256 == 0 && described.bytes == described.bits / 8);
    CHECK(described.bits_per_key == (double)described.bits / 10000);
    CHECK(described.bits_per_key > 14.4 && described.bits_per_key < 19);
    CHECK(sketches_rate(sketch) <= 0.001);
    assert_int_equal(sketches_found(sketch, 0, 10000), 10000);
    CHECK(sketches_found(sketch, 10000, 20000) < 40); /* 20 expected */
}

TEST(the_default_rate_is_one_percent)
{
    CHECK_OK(PLAN(.expected_keys = 5000));
    uint64_t bits = described.bits;
    CHECK(described.target_rate == 0.01);
    CHECK_OK(PLAN(.expected_keys = 5000, .false_positive_rate = 0.01));
    CHECK(described.bits == bits);
}

TEST(a_bloom_by_hand_promises_nothing_unless_it_is_reported_the_keys)
{
    CHECK_OK(PLAN(.bits = 25600));
    CHECK(described.bits == 25600 && described.expected_keys == 0 && described.bits_per_key == 0);
    CHECK(described.target_rate == 0 && described.promised_rate == 0);
    CHECK_OK(PLAN(.bits = 25600, .expected_keys = 2000));
    CHECK(described.target_rate == 0);
    CHECK(described.promised_rate == ink__split_block_promise(2000, 100));
    CHECK(described.bits_per_key == 12.8);
    CHECK_OK(PLAN(.bits = 256, .expected_keys = 1000000));
    CHECK(described.promised_rate == 1);
}

TEST(a_rate_below_the_range_is_refused_and_classic_is_recommended)
{
    REFUSED("false_positive_rate 1e-06, expected 1e-05 to 0.5 for bloom: bloom needs 65 bits a "
            "key at 1e-06; classic needs 29",
            .expected_keys = 1000, .false_positive_rate = 1e-6);
    REFUSED("expected 1e-05 to 0.5", .expected_keys = 1000, .false_positive_rate = 0.99e-5);
    CHECK_OK(PLAN(.expected_keys = 1000, .false_positive_rate = 1e-5));
}

TEST(a_rate_above_the_range_is_refused)
{
    REFUSED("false_positive_rate 0.51, expected 1e-05 to 0.5 for bloom", .expected_keys = 1000,
            .false_positive_rate = 0.51);
    CHECK_OK(PLAN(.expected_keys = 1000, .false_positive_rate = 0.5));
}

TEST(bits_that_are_no_whole_blocks_are_refused)
{
    REFUSED("bits 1000, expected a multiple of 256 up to 2^37 for bloom", .bits = 1000);
    REFUSED("bits 137438953728, expected a multiple of 256 up to 2^37",
            .bits = ((uint64_t)1 << 37) + 256);
    CHECK_OK(PLAN(.bits = (uint64_t)1 << 37));
    CHECK(described.bytes == (uint64_t)1 << 34);
}

TEST(more_keys_than_a_bloom_can_hold_are_refused)
{
    REFUSED("expected_keys 20000000000 at rate 0.01 need more than the 16 GiB that a bloom can "
            "have; a classic can have 1 TiB",
            .expected_keys = 20000000000);
}

TEST(keys_and_bits_are_needed_one_or_the_other)
{
    REFUSED("bloom needs expected_keys, or its size in bits", .seed = 3);
    REFUSED("bits and false_positive_rate do not go together", .bits = 256,
            .false_positive_rate = 0.01);
}

TEST(parameters_of_other_kinds_are_refused)
{
    REFUSED("bloom has no hashes", .bits = 256, .hashes = 3);
    REFUSED("bloom has no precision", .bits = 256, .precision = 14);
}

TEST(a_hash_of_32_bits_is_refused)
{
    REFUSED("hash mmh3 is for classic, not for bloom", .bits = 256, .hash = "mmh3");
    REFUSED("hash mmh3-signed is for classic", .bits = 256, .hash = "mmh3-signed");
}

/* ---- Blocks ------------------------------------------------------------------------------- */

TEST(a_key_sets_one_bit_in_each_word_of_one_block)
{
    owned_sketch *sketch = sketches_with((ink_params){.kind = "bloom", .bits = 256 * 100}, 7, 1);
    uint8_t       bits[3200];
    unsigned      touched = 0;

    CHECK_OK(ink_sketch_payload(sketch, bits, sizeof bits, &error));
    for (unsigned block = 0; block < 100; block++) {
        unsigned words = 0;
        for (unsigned word = 0; word < 8; word++) {
            uint64_t value = files_get(bits + 32 * block + 4 * word, 4);
            CHECK((value & (value - 1)) == 0);
            words += value != 0;
        }
        CHECK(words == 0 || words == 8);
        touched += words != 0;
    }
    assert_int_equal(touched, 1);
    CHECK(sketches_rate(sketch) == 0x1p-40 / 100);
}

TEST(blooms_whose_block_counts_do_not_divide_are_refused)
{
    const ink_params six = {.kind = "bloom", .bits = 6 * 256},
                     four = {.kind = "bloom", .bits = 1024};
    owned_sketch     *a = files_sketch(&six, 0, 3, NULL), *b = files_sketch(&four, 0, 3, NULL);
    sketches_snapshot before = sketches_remember(a);

    CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_MISMATCH,
                "block counts 6 and 4: neither divides the other");
    CHECK_FAILS(ink_sketch_merge(b, a, NULL, &error), INK_MISMATCH, "block counts 4 and 6");
    CHECK_FAILS(ink_sketch_intersect(a, b, &error), INK_MISMATCH, "block counts 6 and 4");
    CHECK(sketches_unchanged(a, &before));
}

TEST(a_bloom_folds_by_any_divisor_of_its_blocks)
{
    const ink_params nine = {.kind = "bloom", .bits = 9 * 256},
                     three = {.kind = "bloom", .bits = 768};
    owned_sketch *folded = files_sketch(&nine, 0, 20, NULL);
    owned_sketch *built = files_sketch(&three, 0, 20, NULL);

    CHECK_FAILS(ink_sketch_fold(folded, 2, &error), INK_USAGE,
                "divisor 2, expected a divisor of the block count 9");
    CHECK_FAILS(ink_sketch_fold(folded, 18, &error), INK_USAGE, "divisor 18");
    CHECK_OK(ink_sketch_fold(folded, 3, &error));
    CHECK(sketches_equal(folded, built));
}

/* ---- In files ----------------------------------------------------------------------------- */

TEST(a_shape_that_no_bloom_has_is_refused_at_its_field)
{
    const uint64_t      wrong[] = {0, 31, 33, ((uint64_t)1 << 34) + 32};
    const ink__key_rule rule = {0};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const ink__shape shape = {.kind = &ink__bloom, .payload_bytes = wrong[i]};
        CHECK_FAILS(ink__bloom.check(&shape, &rule, &error), INK_FORMAT,
                    "expected 1 to 2^29 blocks of 32");
        CHECK(error.location == INK__AT_FIELD && error.at == ink__bloom.field_count);
    }
    const ink__shape negative = {
        .kind = &ink__bloom, .fields = {0, 0, 1ull << 63}, .payload_bytes = 32};
    CHECK_FAILS(ink__bloom.check(&negative, &rule, &error), INK_FORMAT, "promised rate");
    const ink__shape largest = {.kind = &ink__bloom, .payload_bytes = (uint64_t)1 << 34};
    CHECK_OK(ink__bloom.check(&largest, &rule, &error));
}

TEST(far_too_low_a_rate_is_refused_without_a_figure)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 10, .false_positive_rate = 1e-300};
    ink_description  plan;

    CHECK_FAILS(ink_plan(&params, &plan, &error), INK_USAGE,
                "false_positive_rate 1e-300, expected 1e-05 to 0.5 for bloom");
    CHECK(strstr(error.message, "bits a key") == NULL);
}

RUN_TESTS()
