/* fold_test.c - folding: a filter folded by any divisor is byte for byte the filter built at that
 * size; fold_to_rate finds the smallest size that keeps the rate; what cannot be folded, or would
 * break the promise, is refused and stays as it was.
 *
 * With INK_TEST_LIGHT set, a few block counts instead of all. */
#include "properties/sketches.h"

static ink_params bloom_of(uint64_t blocks)
{
    return (ink_params){.kind = "bloom", .bits = 256 * blocks};
}

static ink_params counting_of(uint64_t blocks)
{
    return (ink_params){.kind = "counting", .bits = 1024 * blocks};
}

static ink_params classic_of(uint64_t bits, uint32_t hashes, const char *hash)
{
    return (ink_params){.kind = "classic", .bits = bits, .hashes = hashes, .hash = hash};
}

/* Folds a copy. */
static ink_sketch *folded_by(const ink_sketch *sketch, uint64_t divisor)
{
    ink_sketch *folded = copy_of(sketch);

    CHECK_OK(ink_sketch_fold(folded, divisor, &error));
    return folded;
}

/* Folds a filter of `large` and compares it with one of `small`, filled with the same keys. */
static void check_fold(const ink_params *large, const ink_params *small, uint64_t keys)
{
    owned_sketch *whole = make_with(large, 0, keys), *direct = make_with(small, 0, keys);
    owned_sketch *folded = folded_by(whole, large->bits / small->bits);

    if (!same_bytes(folded, direct))
        fail_msg("%s of %llu bits folded to %llu", large->kind, (unsigned long long)large->bits,
                 (unsigned long long)small->bits);
    CHECK(sketches_rate(folded) == sketches_rate(direct));
    /* It goes on as one of its size. */
    add_range(folded, keys, keys + 5);
    add_range(direct, keys, keys + 5);
    CHECK(same_bytes(folded, direct));
}

/* ---- By a divisor ------------------------------------------------------------------------- */

TEST(a_bloom_folds_by_every_divisor_of_its_blocks)
{
    static const uint64_t counts[] = {1,   2,   3,   4,   5,   6,   7,   12,  48,   60,   64,   97,
                                      127, 128, 129, 210, 256, 384, 510, 720, 1000, 1024, 40320};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i += light() ? 5 : 1)
        for (uint64_t divisor = 1; divisor <= counts[i]; divisor++) {
            const ink_params large = bloom_of(counts[i]), small = bloom_of(counts[i] / divisor);
            if (counts[i] % divisor == 0)
                check_fold(&large, &small, 2 + counts[i] / 4 % 500);
        }
}

TEST(a_counting_folds_by_every_divisor_of_its_blocks)
{
    static const uint64_t counts[] = {1, 2, 3, 7, 12, 60, 97, 128, 210, 720};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i += light() ? 5 : 1)
        for (uint64_t divisor = 1; divisor <= counts[i]; divisor++) {
            const ink_params large = counting_of(counts[i]),
                             small = counting_of(counts[i] / divisor);
            if (counts[i] % divisor != 0)
                continue;
            check_fold(&large, &small, 2 + counts[i]);
            check_fold(&large, &small, 500); /* counters stop */
        }
}

/* What is taken out before or after a fold is gone, as long as no counter has stopped. */
TEST(a_folded_counting_forgets_keys_as_a_whole_one)
{
    const ink_params params = counting_of(24);

    for (uint64_t divisor = 1; divisor <= 4; divisor *= 2) {
        owned_sketch *first = make_with(&params, 0, 60), *left = make_with(&params, 30, 60);
        owned_sketch *folded = folded_by(first, divisor), *expected = folded_by(left, divisor);
        uint8_t       key[KEY_BYTES_MAX];
        for (uint64_t number = 0; number < 30; number++) {
            size_t bytes = bytes_of_key(number, key);
            CHECK_OK(ink_sketch_remove(folded, key, bytes, &error));
            CHECK_OK(ink_sketch_remove(first, key, bytes, &error));
        }
        CHECK(same_bytes(folded, expected) && same_bytes(first, left));
    }
}

TEST(a_classic_of_a_power_of_two_folds_down_to_one_bit)
{
    static const char *const hashes[] = {
        NULL,    "mmh3",           "mmh3-signed", "murmur64a", "spark-v1",          "spark-v2",
        "guava", "guava-32-chars", "hadoop",      "dcso",      "datasketches-bloom"};
    enum { HASHES = sizeof hashes / sizeof hashes[0] };

    for (unsigned large = 0; large <= 18; large += light() ? 3 : 1)
        for (unsigned small = 0; small <= large; small++) {
            const char      *hash = hashes[(large + small) % HASHES];
            const ink_params from = classic_of((uint64_t)1 << large, 1 + large % 5, hash);
            const ink_params to = classic_of((uint64_t)1 << small, 1 + large % 5, hash);
            check_fold(&from, &to, 1 + ((uint64_t)1 << large) / 100);
        }
}

TEST(folding_twice_is_folding_by_the_product)
{
    const ink_params bloom = bloom_of(360), classic = classic_of(1 << 14, 3, NULL);
    owned_sketch    *a = make_with(&bloom, 0, 300), *b = make_with(&classic, 0, 300);

    for (uint64_t first = 1; first <= 60; first++) {
        if (360 % (first * 6) == 0) {
            owned_sketch *once = folded_by(a, first * 6), *half = folded_by(a, first);
            owned_sketch *twice = folded_by(half, 6);
            CHECK(same_bytes(once, twice));
        }
    }
    for (uint64_t first = 1; first <= 1 << 10; first *= 2) {
        owned_sketch *once = folded_by(b, first * 16), *half = folded_by(b, first);
        owned_sketch *twice = folded_by(half, 16);
        CHECK(same_bytes(once, twice));
    }
}

TEST(folding_the_parts_is_folding_the_whole)
{
    const ink_params params[] = {bloom_of(48), classic_of(1 << 12, 4, NULL), counting_of(48)};

    for (size_t i = 0; i < 3; i++)
        for (uint64_t divisor = 1; divisor <= 16; divisor *= 2) {
            owned_sketch *a = make_with(&params[i], 0, 70), *b = make_with(&params[i], 50, 90);
            owned_sketch *of_a = folded_by(a, divisor), *of_b = folded_by(b, divisor);
            merge_parts(a, b);
            owned_sketch *of_both = folded_by(a, divisor);
            merge_parts(of_a, of_b);
            CHECK(same_bytes(of_a, of_both));
        }
}

/* ---- The promise -------------------------------------------------------------------------- */

TEST(a_fold_keeps_the_promise_for_a_share_of_the_keys)
{
    static const char *const kinds[] = {"bloom", "classic", "counting"};

    for (size_t i = 0; i < 3; i++) {
        /* Planned for far more than is in there, at a size that can be folded by four. */
        ink_params params = {.kind = kinds[i], .expected_keys = 100000, .bits = 1 << 20};
        params.hashes = i == 1 ? 7 : 0;
        params.bits <<= i == 2 ? 2 : 0; /* four for each counter */
        owned_sketch *sketch = make_with(&params, 0, 5000), *folded = folded_by(sketch, 4);

        CHECK(sketches_describe(folded).expected_keys == 25000);
        CHECK(sketches_describe(folded).bits == params.bits / 4);
        CHECK(sketches_describe(folded).promised_rate == sketches_describe(sketch).promised_rate);
        CHECK(sketches_describe(folded).records == 5000);
        for (uint64_t number = 0; number < 5000; number++)
            CHECK(may_contain(folded, number));
    }
}

TEST(a_fold_that_breaks_the_promise_is_refused_and_changes_nothing)
{
    static const char *const kinds[] = {"bloom", "classic", "counting"};

    for (size_t i = 0; i < 3; i++) {
        ink_params params = {.kind = kinds[i], .expected_keys = 5000, .bits = 1 << 16};
        params.hashes = i == 1 ? 7 : 0;
        params.bits <<= i == 2 ? 2 : 0; /* four for each counter */
        owned_sketch *sketch = make_with(&params, 0, 5000), *before = copy_of(sketch);

        CHECK_FAILS(ink_sketch_fold(sketch, 2, &error), INK_PROMISE, "that is promised");
        CHECK_FAILS(ink_sketch_fold_to_rate(sketch, sketches_rate(sketch) * 0.999, NULL, &error),
                    INK_PROMISE, "already");
        CHECK(same_bytes(sketch, before));
        CHECK_OK(ink_sketch_fold(sketch, 1, &error));
        CHECK(same_bytes(sketch, before));
    }
}

/* ---- To a rate ---------------------------------------------------------------------------- */

/* The divisor that gives the smallest filter of at most this rate, by trying them all. */
static uint64_t best_divisor(const ink_sketch *sketch, uint64_t units, bool halves, double rate)
{
    for (uint64_t size = 1; size < units; size++) {
        if (units % size != 0 || (halves && (size & (size - 1)) != 0))
            continue;
        ink_sketch *folded = folded_by(sketch, units / size);
        double      now = sketches_rate(folded);
        ink_sketch_free(folded);
        if (now <= rate)
            return units / size;
    }
    return 1;
}

static void check_fold_to_rate(const ink_params *params, uint64_t keys, uint64_t units)
{
    owned_sketch *sketch = make_with(params, 0, keys);
    bool          halves = strcmp(params->kind, "classic") == 0;
    double        least = sketches_rate(sketch);

    for (double rate = 0.9; rate > 1e-7; rate *= 0.37) {
        ink_sketch *folded = copy_of(sketch), *direct;
        uint64_t    divisor = 0, expected = best_divisor(sketch, units, halves, rate);
        if (rate < least) {
            CHECK_FAILS(ink_sketch_fold_to_rate(folded, rate, &divisor, &error), INK_PROMISE,
                        "already, above");
            CHECK(same_bytes(folded, sketch) && divisor == 0);
            ink_sketch_free(folded);
            continue;
        }
        CHECK_OK(ink_sketch_fold_to_rate(folded, rate, &divisor, &error));

        direct = folded_by(sketch, expected);
        assert_int_equal(divisor, expected);
        CHECK(sketches_equal_payloads(folded, direct));
        CHECK(sketches_rate(folded) <= rate);
        CHECK(sketches_describe(folded).promised_rate == 0); /* it promised nothing before */
        CHECK(sketches_describe(folded).target_rate == rate);
        ink_sketch_free(folded);
        ink_sketch_free(direct);
    }
    /* At exactly the current rate there is no fold but the one by 1 or by what changes nothing. */
    if (least > 0 && least < 1) {
        uint64_t divisor = 0;
        CHECK_OK(ink_sketch_fold_to_rate(sketch, least, &divisor, &error));
        CHECK(divisor >= 1 && sketches_rate(sketch) <= least);
    }
}

TEST(fold_to_rate_finds_the_smallest_size_that_keeps_the_rate)
{
    static const uint64_t counts[] = {1, 2, 7, 60, 64, 210, 384, 510, 1000};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i += light() ? 4 : 1)
        for (uint64_t keys = 0; keys <= 20 * counts[i]; keys = 4 * keys + 1) {
            const ink_params params = bloom_of(counts[i]);
            check_fold_to_rate(&params, keys, counts[i]);
        }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i += 4) {
        const ink_params params = counting_of(counts[i]);
        check_fold_to_rate(&params, 3 * counts[i], counts[i]);
    }
    for (unsigned log = 0; log <= 15; log += light() ? 5 : 1)
        for (uint64_t keys = 0; keys <= ((uint64_t)1 << log) / 4; keys = 4 * keys + 1) {
            const ink_params params = classic_of((uint64_t)1 << log, 1 + log % 6, NULL);
            check_fold_to_rate(&params, keys, (uint64_t)1 << log);
        }
}

TEST(a_planned_bloom_that_stayed_small_folds_to_its_rate)
{
    /* Planned sizes have at most nine significant bits, so a small filling folds far down. */
    for (uint64_t keys = 1; keys <= 10000; keys *= 10) {
        const ink_params params = {.kind = "bloom", .expected_keys = 1000000};
        const ink_params needed = {.kind = "bloom", .expected_keys = keys};
        owned_sketch    *sketch = make_with(&params, 0, keys);
        uint64_t         before = sketches_describe(sketch).bits, divisor = 0;
        ink_description  plan;

        CHECK_OK(ink_plan(&needed, &plan, &error));
        CHECK_OK(ink_sketch_fold_to_rate(sketch, 0.01, &divisor, &error));

        CHECK(sketches_rate(sketch) <= 0.01);
        CHECK(sketches_describe(sketch).bits == before / divisor);
        CHECK(sketches_describe(sketch).expected_keys == 1000000 / divisor);
        CHECK(sketches_describe(sketch).promised_rate == 0.01);
        /* Halved until it has 511 blocks, or a half would be too small for its keys. */
        CHECK(before / divisor <= 511 * 256 || before / divisor <= 2 * plan.bits);
        for (uint64_t number = 0; number < keys; number++)
            CHECK(may_contain(sketch, number));
    }
}

TEST(folding_to_a_rate_widens_the_promise_and_never_narrows_it)
{
    static const double rates[] = {0.5, 0.02, 0.01, 0.005, 1e-4};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const ink_params params = {.kind = "bloom", .expected_keys = 10000};
        owned_sketch    *sketch = make_with(&params, 0, 50);

        CHECK_OK(ink_sketch_fold_to_rate(sketch, rates[i], NULL, &error));

        CHECK(sketches_describe(sketch).target_rate == rates[i]);
        CHECK(sketches_describe(sketch).promised_rate == (rates[i] > 0.01 ? rates[i] : 0.01));
        CHECK(sketches_rate(sketch) <= rates[i]);
    }
}

/* ---- What cannot be folded ---------------------------------------------------------------- */

TEST(divisors_that_do_not_fit_are_refused_and_change_nothing)
{
    static const struct {
        ink_params params;
        uint64_t   divisor;
        ink_status status;
    } wrong[] = {
        {{.kind = "bloom", .bits = 256 * 12}, 0, INK_USAGE},
        {{.kind = "bloom", .bits = 256 * 12}, 5, INK_USAGE},
        {{.kind = "bloom", .bits = 256 * 12}, 24, INK_USAGE},
        {{.kind = "bloom", .bits = 256 * 12}, UINT64_MAX, INK_USAGE},
        {{.kind = "classic", .bits = 64, .hashes = 2}, 0, INK_USAGE},
        {{.kind = "classic", .bits = 64, .hashes = 2}, 3, INK_USAGE},
        {{.kind = "classic", .bits = 64, .hashes = 2}, 128, INK_USAGE},
        {{.kind = "classic", .bits = 64, .hashes = 2}, (uint64_t)1 << 63, INK_USAGE},
        {{.kind = "classic", .bits = 96, .hashes = 2}, 2, INK_USAGE},
        {{.kind = "counting", .bits = 1024 * 12}, 0, INK_USAGE},
        {{.kind = "counting", .bits = 1024 * 12}, 5, INK_USAGE},
        {{.kind = "counting", .bits = 1024 * 12}, UINT64_MAX, INK_USAGE},
        {{.kind = "hll"}, 2, INK_UNSUPPORTED},
        {{.kind = "scalable"}, 2, INK_UNSUPPORTED},
        {{.kind = "count-min"}, 2, INK_UNSUPPORTED},
        {{.kind = "top"}, 1, INK_UNSUPPORTED},
        {{.kind = "fm"}, 2, INK_UNSUPPORTED},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        owned_sketch *sketch = make_with(&wrong[i].params, 0, 3), *before = copy_of(sketch);
        CHECK_FAILS(ink_sketch_fold(sketch, wrong[i].divisor, &error), wrong[i].status, "");
        CHECK(same_bytes(sketch, before));
    }
}

TEST(rates_that_are_none_are_refused)
{
    static const double rates[] = {0, -0.1, 1, 1.5, -1e300};
    const ink_params    params[] = {bloom_of(4), classic_of(64, 2, NULL)};

    for (size_t i = 0; i < 2; i++) {
        owned_sketch *sketch = make_with(&params[i], 0, 3), *before = copy_of(sketch);
        double        nan = strtod("nan", NULL);
        for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++)
            CHECK_FAILS(ink_sketch_fold_to_rate(sketch, rates[j], NULL, &error), INK_USAGE, "rate");
        CHECK_FAILS(ink_sketch_fold_to_rate(sketch, nan, NULL, &error), INK_USAGE, "rate");
        CHECK(same_bytes(sketch, before));
    }
}

TEST(a_classic_of_any_other_size_stays_when_folded_to_a_rate)
{
    const ink_params params = classic_of(1000, 3, NULL);
    owned_sketch    *sketch = make_with(&params, 0, 20), *before = copy_of(sketch);
    uint64_t         divisor = 0;

    CHECK_OK(ink_sketch_fold_to_rate(sketch, 0.5, &divisor, &error));
    CHECK(divisor == 1);
    CHECK(sketches_equal_payloads(sketch, before));
}

RUN_TESTS()
