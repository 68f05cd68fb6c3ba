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

/* ---- Of other systems --------------------------------------------------------------------- */

TEST(sizes_under_a_hash_of_another_system_are_those_of_that_system)
{
    /* By Spark 4.2, Guava 33.8, RedisBloom and DCSO's bloom; Hadoop leaves sizes to its callers. */
    static const struct {
        const char *hash;
        uint64_t    keys;
        double      rate;
        uint64_t    bits;
        uint32_t    hashes;
    } known[] = {
        {"spark-v1", 1000, 0.03, 7360, 5},  {"spark-v2", 1000, 0.03, 7360, 5},
        {"spark-v2", 1, 0.01, 64, 6},       {"spark-v2", 100, 1e-6, 2880, 20},
        {"spark-v1", 7, 0.99, 64, 1},       {"guava", 10, 0.03, 128, 5},
        {"guava-32-int", 10, 0.03, 128, 5}, {"guava", 1, 0.01, 64, 7},
        {"hadoop", 1000, 0.01, 9585, 7},    {"hadoop-jenkins", 1, 0.9, 1, 1},
        {"redisbloom", 10, 0.005, 128, 8},  {"dcso", 10, 0.01, 95, 7},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const bool ints = strstr(known[i].hash, "int") != NULL;
        CHECK_OK(PLAN(.expected_keys = known[i].keys, .false_positive_rate = known[i].rate,
                      .hash = known[i].hash, .key_type = ints ? INK_KEY_INT : INK_KEY_BYTES));
        assert_int_equal(described.bits, known[i].bits);
        assert_int_equal(described.hashes, known[i].hashes);
    }
}

TEST(more_bits_than_another_system_reaches_are_refused)
{
    static const char *const narrow[] = {"spark-v1", "guava-32", "hadoop"};

    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        REFUSED("bits 2147483649, expected at most 2^31 for classic with hash",
                .bits = ((uint64_t)1 << 31) + 1, .hashes = 1, .hash = narrow[i]);
        CHECK_OK(PLAN(.bits = (uint64_t)1 << 31, .hashes = 1, .hash = narrow[i]));
    }
    CHECK_OK(PLAN(.bits = (uint64_t)1 << 40, .hashes = 1, .hash = "spark-v2"));
    CHECK_OK(PLAN(.bits = (uint64_t)1 << 40, .hashes = 1, .hash = "guava"));
}

TEST(other_systems_have_as_many_hashes_as_a_rate_asks_for)
{
    CHECK_OK(PLAN(.bits = 64, .hashes = 1024, .hash = "spark-v2"));
    REFUSED("hashes 1025 beside bits, expected 1 to 1024", .bits = 64, .hashes = 1025,
            .hash = "spark-v2");
    REFUSED("hashes 65 beside bits, expected 1 to 64", .bits = 64, .hashes = 65, .hash = "mmh3");
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

/* As Spark 4.2, Guava 33.8 and Hadoop 3.5 set the bits of "h\xc3\xa9llo", and of -7 as an int. */
TEST(a_key_has_the_positions_of_the_other_system)
{
    enum { HASHES = 7, BITS = 192 };
    static const struct {
        const char *hash;
        bool        of_int;
        uint8_t     set[HASHES];
    } known[] = {
        {"spark-v1", false, {44, 53, 82, 104, 113, 176, 185}},
        {"spark-v2", false, {30, 34, 38, 124, 128, 132, 136}},
        {"guava", false, {15, 20, 89, 94, 138, 163, 168}},
        {"guava-chars", false, {8, 34, 53, 79, 124, 155, 169}},
        {"guava-32", false, {36, 44, 49, 62, 112, 125, 160}},
        {"hadoop", false, {11, 20, 52, 80, 91, 95, 127}},
        {"hadoop-jenkins", false, {66, 98, 113, 134, 153, 181, 183}},
        {"spark-v1", true, {9, 31, 72, 94, 116, 157, 179}},
        {"spark-v2", true, {7, 29, 51, 73, 114, 136, 158}},
        {"guava", true, {2, 6, 35, 39, 68, 136, 165}},
        {"guava-int", true, {7, 10, 69, 72, 75, 134, 137}},
        {"guava-32-int", true, {36, 52, 84, 123, 155, 171, 187}},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const ink_params params = {.kind = "classic",
                                   .bits = BITS,
                                   .hashes = HASHES,
                                   .hash = known[i].hash,
                                   .key_type = known[i].of_int ? INK_KEY_INT : INK_KEY_BYTES};
        owned_sketch    *sketch = NULL;
        uint8_t          expected[BITS / 8] = {0}, bits[BITS / 8];
        for (size_t k = 0; k < HASHES; k++)
            expected[known[i].set[k] / 8] |= (uint8_t)(1u << known[i].set[k] % 8);
        CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
        if (known[i].of_int)
            CHECK_OK(ink_sketch_add_int(sketch, -7, &error));
        else
            CHECK_OK(ink_sketch_add(sketch, "h\xc3\xa9llo", 6, &error));
        CHECK_OK(ink_sketch_payload(sketch, bits, sizeof bits, &error));
        assert_memory_equal(bits, expected, sizeof bits);
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
