/* classic_test.c - what is special about the textbook filter: its sizes and their refusals, its
 * positions, its halving below a byte. What all filters do is in filter_test.c. */
#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/files.h"
#include "support/shapes.h"
#include "support/sketches.h"

static ink_error       error;
static ink_description described;

#define PLAN(...) ink_plan(&(const ink_params){.kind = "classic", __VA_ARGS__}, &described, &error)
#define REFUSED(words, ...) CHECK_FAILS(PLAN(__VA_ARGS__), INK_USAGE, words)

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(a_classic_has_the_textbook_size)
{
    CHECK_OK(PLAN(.expected_keys = 1000000, .false_positive_rate = 0.01));
    CHECK(described.bits == 9585058 && described.hashes == 7 && described.bytes == 1198133);
    CHECK(described.target_rate == 0.01);
    CHECK(described.promised_rate > 0.01 && described.promised_rate < 0.0102);
    CHECK_OK(PLAN(.expected_keys = 100, .false_positive_rate = 0.001));
    CHECK(described.bits == 1438 && described.hashes == 10);
    CHECK_OK(PLAN(.expected_keys = 1000, .false_positive_rate = 1e-6));
    CHECK(described.bits == 28755 && described.hashes == 20);
}

TEST(a_classic_keeps_what_it_promises)
{
    const ink_params params = {
        .kind = "classic", .expected_keys = 5000, .false_positive_rate = 0.001};
    owned_sketch *sketch = files_sketch(&params, 0, 5000, NULL);

    CHECK(sketches_rate(sketch) <= sketches_describe(sketch).promised_rate);
    CHECK(sketches_rate(sketch) > 0.0008);
    assert_int_equal(sketches_found(sketch, 0, 5000), 5000);
    CHECK(sketches_found(sketch, 5000, 20000) < 40); /* 20 expected */
}

TEST(tiny_and_useless_filters_have_a_bit_and_a_hash)
{
    CHECK_OK(PLAN(.expected_keys = 1, .false_positive_rate = 0.9));
    CHECK(described.bits == 1 && described.hashes == 1 && described.bytes == 1);
    CHECK(described.promised_rate <= 1);
    CHECK_OK(PLAN(.expected_keys = 100, .false_positive_rate = 0.9));
    CHECK(described.bits == 22 && described.hashes == 1);
}

TEST(a_rate_that_64_bits_cannot_give_is_refused)
{
    /* 16 n / 2^64 */
    REFUSED("false_positive_rate 9e-10 for 1073741824 keys, expected at least 9.31323e-10: a "
            "64-bit hash can do no better",
            .expected_keys = (uint64_t)1 << 30, .false_positive_rate = 0.9e-9);
    CHECK_OK(PLAN(.expected_keys = (uint64_t)1 << 30, .false_positive_rate = 0x1p-30));
    CHECK_OK(PLAN(.expected_keys = 1, .false_positive_rate = 0x1p-60));
    CHECK(described.hashes == 60);
}

TEST(more_bits_than_a_classic_can_have_are_refused)
{
    CHECK_FAILS(
        PLAN(.expected_keys = 1000000000000, .false_positive_rate = 0.01), INK_USAGE,
        "expected_keys 1000000000000 at rate 0.01 need 9.58506e+12 bits, expected at most 2^43");
    REFUSED("expected at most 2^43", .expected_keys = (uint64_t)1 << 59,
            .false_positive_rate = 0.9);
    REFUSED("bits 8796093022209, expected at most 2^43 for classic with hash xxh3",
            .bits = ((uint64_t)1 << 43) + 1, .hashes = 1);
    CHECK_OK(PLAN(.bits = (uint64_t)1 << 43, .hashes = 1));
}

TEST(more_bits_than_a_32_bit_hash_reaches_are_refused)
{
    REFUSED("bits 4294967297, expected at most 2^32 for classic with hash mmh3",
            .bits = ((uint64_t)1 << 32) + 1, .hashes = 1, .hash = "mmh3");
    REFUSED("expected at most 2^32 for classic with hash mmh3-signed", .expected_keys = 1000000000,
            .hash = "mmh3-signed");
    CHECK_OK(PLAN(.bits = (uint64_t)1 << 32, .hashes = 1, .hash = "mmh3"));
}

TEST(hashes_go_with_bits_from_1_to_64)
{
    REFUSED("hashes 0 beside bits, expected 1 to 64, or expected_keys", .bits = 1000);
    REFUSED("hashes 65 beside bits, expected 1 to 64", .bits = 1000, .hashes = 65);
    REFUSED("hashes without bits: give both, or neither", .expected_keys = 10, .hashes = 3);
    REFUSED("bits and false_positive_rate do not go together", .bits = 1000, .hashes = 3,
            .false_positive_rate = 0.1);
    CHECK_OK(PLAN(.bits = 1000, .hashes = 64));
    CHECK(described.promised_rate == 0 && described.target_rate == 0 && described.bytes == 125);
}

TEST(bits_and_keys_alone_get_the_best_number_of_hashes)
{
    CHECK_OK(PLAN(.bits = 1000, .expected_keys = 100));
    CHECK(described.hashes == 7);
    CHECK(described.promised_rate > 0.008 && described.promised_rate < 0.02);
    CHECK_OK(PLAN(.bits = 64, .expected_keys = 1000));
    CHECK(described.hashes == 1 && described.promised_rate == 1);
    CHECK_OK(PLAN(.bits = 1000000, .expected_keys = 1));
    CHECK(described.hashes == 64);
}

TEST(parameters_of_other_kinds_are_refused)
{
    REFUSED("classic has no precision", .expected_keys = 10, .precision = 4);
}

/* ---- Positions ---------------------------------------------------------------------------- */

/* The only bit set by the only key. */
static uint64_t only_bit(const ink_params *params, const char *key)
{
    owned_sketch *sketch = NULL;
    uint8_t       bits[4096];
    uint64_t      at = 0;
    unsigned      ones = 0;

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    CHECK_OK(ink_sketch_add(sketch, key, strlen(key), &error));
    CHECK_OK(ink_sketch_payload(sketch, bits, (size_t)sketches_describe(sketch).bytes, &error));
    for (uint64_t i = 0; i < params->bits; i++)
        if (bits[i / 8] >> i % 8 & 1) {
            at = i;
            ones++;
        }
    assert_int_equal(ones, 1);
    return at;
}

TEST(mmh3_positions_are_those_of_the_python_programs)
{
    /* mmh3.hash("foo", signed=False) is 4138058784, mmh3.hash("foo") is -156908512 */
    assert_int_equal(
        only_bit(&(ink_params){.kind = "classic", .bits = 1000, .hashes = 1, .hash = "mmh3"},
                 "foo"),
        4138058784 % 1000);
    assert_int_equal(
        only_bit(&(ink_params){.kind = "classic", .bits = 1000, .hashes = 1, .hash = "mmh3-signed"},
                 "foo"),
        1000 - 156908512 % 1000);
}

TEST(mmh3_sketches_hold_their_keys)
{
    const char *const hashes[] = {"mmh3", "mmh3-signed"};

    for (int i = 0; i < 2; i++) {
        const ink_params params = {
            .kind = "classic", .bits = 10007, .hashes = 5, .hash = hashes[i], .seed = UINT32_MAX};
        owned_sketch *sketch = files_sketch(&params, 0, 500, NULL);
        assert_string_equal(sketches_describe(sketch).hash, hashes[i]);
        assert_int_equal(sketches_found(sketch, 0, 500), 500);
        CHECK(sketches_found(sketch, 500, 1000) < 30);
    }
}

/* ---- Halving ------------------------------------------------------------------------------ */

TEST(a_classic_is_divided_by_powers_of_two_only)
{
    const ink_params even = {.kind = "classic", .bits = 1024, .hashes = 1};
    const ink_params odd = {.kind = "classic", .bits = 1000, .hashes = 1};
    owned_sketch    *a = files_sketch(&even, 0, 3, NULL), *b = files_sketch(&odd, 0, 3, NULL);
    uint64_t         divisor;

    CHECK_FAILS(ink_sketch_fold(a, 3, &error), INK_USAGE,
                "divisor 3 of 1024 bits: a classic is halved, expected powers of two");
    CHECK_FAILS(ink_sketch_fold(a, 2048, &error), INK_USAGE, "divisor 2048 of 1024 bits");
    CHECK_FAILS(ink_sketch_fold(b, 2, &error), INK_USAGE, "divisor 2 of 1000 bits");
    CHECK_OK(ink_sketch_fold(b, 1, &error));
    CHECK_OK(ink_sketch_fold_to_rate(b, 0.5, &divisor, &error)); /* there is no smaller one */
    assert_int_equal(divisor, 1);
    CHECK(sketches_describe(b).bits == 1000 && sketches_describe(b).target_rate == 0.5);
}

TEST(classics_that_cannot_meet_are_refused)
{
    const ink_params params[] = {
        {.kind = "classic", .bits = 1024, .hashes = 3},
        {.kind = "classic", .bits = 1024, .hashes = 4},
        {.kind = "classic", .bits = 1000, .hashes = 3},
    };
    owned_sketch     *a = files_sketch(&params[0], 0, 3, NULL);
    owned_sketch     *hashes = files_sketch(&params[1], 0, 3, NULL);
    owned_sketch     *bits = files_sketch(&params[2], 0, 3, NULL);
    sketches_snapshot before = sketches_remember(a);

    CHECK_FAILS(ink_sketch_merge(a, hashes, NULL, &error), INK_MISMATCH,
                "numbers of hashes differ: 3 and 4");
    CHECK_FAILS(ink_sketch_merge(a, bits, NULL, &error), INK_MISMATCH,
                "sizes differ: 1024 and 1000 bits, not both powers of two");
    CHECK_FAILS(ink_sketch_merge(bits, a, NULL, &error), INK_MISMATCH,
                "sizes differ: 1000 and 1024 bits");
    CHECK_FAILS(ink_sketch_intersect(a, hashes, &error), INK_MISMATCH, "3 and 4");
    CHECK(sketches_unchanged(a, &before));
}

/* ---- In files ----------------------------------------------------------------------------- */

TEST(a_shape_that_no_classic_has_is_refused_at_its_field)
{
    const ink__key_rule rule = {0}, seeded = {.scheme = INK__SCHEME_SEEDED};
    const wrong_shape   wrong[] = {
          {{.fields = {0, 1ull << 63, 0, 8, 1}, .payload_bytes = 1}, "target rate", 1},
          {{.fields = {0, 0, 0, 0, 1}, .payload_bytes = 0}, "0 bits, expected 1 to 2^43", 3},
          {{.fields = {0, 0, 0, (1ull << 43) + 1, 1}}, "expected 1 to 2^43", 3},
          {{.fields = {0, 0, 0, 8, 0}, .payload_bytes = 1}, "0 hashes, expected 1 to 64", 4},
          {{.fields = {0, 0, 0, 8, 65}, .payload_bytes = 1}, "65 hashes", 4},
          {{.fields = {0, 0, 0, 9, 1}, .payload_bytes = 1},
           "a classic of 1 bytes, expected 2 for its 9 bits",
           5},
    };

    shapes_check_refused(&ink__classic, &rule, wrong, sizeof wrong / sizeof wrong[0]);
    const ink__shape large = {.fields = {0, 0, 0, (1ull << 32) + 8, 1},
                              .payload_bytes = (1ull << 29) + 1};
    CHECK_OK(ink__classic.check(&large, &rule, &error));
    CHECK_FAILS(ink__classic.check(&large, &seeded, &error), INK_FORMAT, "expected 1 to 2^32");
}

TEST(bits_above_the_last_one_are_refused)
{
    files_sample sample;
    ink_sketch  *sketch;

    files_sample_named(&sample, "classic mmh3"); /* 1001 bits in 126 bytes */
    uint64_t at = files_payload_at(sample.bytes);
    sample.bytes[at + 125] |= 0x04;
    files_repair(sample.bytes, sample.count);
    CHECK_FAILS(ink_sketch_decode(&sketch, sample.bytes, sample.count, NULL, &error), INK_FORMAT,
                "bits 0x2 set above the last one, expected none");
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, at + 125);
    files_sample_free(&sample);
}

RUN_TESTS()
