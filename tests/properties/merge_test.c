/* merge_test.c - merging: in any order, in any grouping, of any parts, the result is byte for byte
 * the sketch of all keys (of kinds that are free of order; order_test.c has the others); of sizes
 * that fit, it is what folding or building at the smaller size gives; intersections keep every
 * common key; what does not fit is refused and nothing changes. Over every kind, hash and key type
 * of sketches.h, and random seeds.
 *
 * With INK_TEST_LIGHT set, one seed in six and a tenth of the keys (at least ten). */
#include "properties/sketches.h"

static uint64_t seeds(void)
{
    return light() ? 1 : 6;
}

static uint64_t keys_of(const struct variant *variant)
{
    return light() && variant->keys > 100 ? variant->keys / 10 : variant->keys;
}

/* A sketch of a random half or so of the keys, some of them twice. */
static ink_sketch *random_part(const struct variant *variant, generator *random)
{
    ink_sketch *sketch = make(&variant->params);
    uint64_t    keys = keys_of(variant), count = random_below(random, keys + 1);

    for (uint64_t i = 0; i < count; i++)
        add_key(sketch, random_below(random, keys));
    return sketch;
}

/* ---- The laws ----------------------------------------------------------------------------- */

TEST(merging_is_commutative)
{
    for (size_t i = 0; i < VARIANTS; i++)
        for (uint64_t seed = 0; seed < seeds(); seed++) {
            if (!is_order_free(&variants[i]))
                continue;
            generator     random = {seed};
            owned_sketch *a = random_part(&variants[i], &random);
            owned_sketch *b = random_part(&variants[i], &random);
            owned_sketch *a_and_b = copy_of(a), *b_and_a = copy_of(b);

            merge_parts(a_and_b, b);
            merge_parts(b_and_a, a);

            CHECK_SAME(a_and_b, b_and_a, i);
        }
}

TEST(merging_is_associative)
{
    for (size_t i = 0; i < VARIANTS; i++)
        for (uint64_t seed = 0; seed < seeds(); seed++) {
            if (!is_order_free(&variants[i]))
                continue;
            generator     random = {100 + seed};
            owned_sketch *a = random_part(&variants[i], &random);
            owned_sketch *b = random_part(&variants[i], &random);
            owned_sketch *c = random_part(&variants[i], &random);
            owned_sketch *left_first = copy_of(a), *right_first = copy_of(b);

            merge_parts(left_first, b);
            merge_parts(left_first, c);
            merge_parts(right_first, c);
            merge_parts(a, right_first);

            CHECK_SAME(left_first, a, i);
        }
}

TEST_OF_VARIANTS(merging_a_copy_changes_nothing_but_the_records)
{
    if (!is_a_set(&variants[i]))
        return;
    generator     random = {200};
    owned_sketch *a = random_part(&variants[i], &random), *twice = copy_of(a);

    merge_parts(twice, a);

    CHECK(sketches_equal_payloads(a, twice));
    CHECK(sketches_describe(twice).records == 2 * sketches_describe(a).records);
}

TEST_OF_VARIANTS(merging_an_empty_sketch_changes_nothing_at_all)
{
    generator     random = {300};
    owned_sketch *a = random_part(&variants[i], &random), *before = copy_of(a);
    owned_sketch *empty = make(&variants[i].params);

    merge_parts(a, empty);
    merge_parts(empty, before);

    CHECK_SAME(a, before, i);
    CHECK_SAME(empty, before, i);
}

TEST_OF_VARIANTS(the_merged_one_may_contain_the_keys_of_both)
{
    uint64_t keys = keys_of(&variants[i]);
    if (!is_filter(&variants[i]))
        return;
    owned_sketch *a = make_with(&variants[i].params, 0, keys / 2);
    owned_sketch *b = make_with(&variants[i].params, keys / 3, keys);

    merge_parts(a, b);

    for (uint64_t number = 0; number < keys; number++)
        CHECK(may_contain(a, number));
    CHECK(sketches_describe(a).records == keys / 2 + keys - keys / 3);
}

/* ---- Parts -------------------------------------------------------------------------------- */

enum { PARTS_MAX = 9 };

/* Each record goes to one of `count` parts. */
static void fill_parts(const struct variant *variant, generator *random, ink_sketch **parts,
                       size_t count, ink_sketch *whole)
{
    uint64_t keys = keys_of(variant);

    for (uint64_t record = 0; record < keys + keys / 4; record++) {
        uint64_t number = record < keys ? record : random_below(random, keys);
        add_key(whole, number);
        add_key(parts[random_below(random, count)], number);
    }
}

TEST(parts_merged_in_a_row_are_the_whole)
{
    for (size_t i = 0; i < VARIANTS; i++)
        for (size_t count = 1; count <= PARTS_MAX; count += light() ? 4 : 1) {
            if (!is_order_free(&variants[i]))
                continue;
            generator   random = {400 + count};
            ink_sketch *parts[PARTS_MAX], *whole = make(&variants[i].params);
            for (size_t part = 0; part < count; part++)
                parts[part] = make(&variants[i].params);
            fill_parts(&variants[i], &random, parts, count, whole);

            for (size_t part = 1; part < count; part++)
                merge_parts(parts[0], parts[part]);

            CHECK_SAME(parts[0], whole, i);
            for (size_t part = 0; part < count; part++)
                ink_sketch_free(parts[part]);
            ink_sketch_free(whole);
        }
}

TEST_OF_VARIANTS(parts_encoded_and_merged_as_a_tree_are_the_whole)
{
    if (!is_order_free(&variants[i]))
        return;
    generator   random = {500};
    ink_sketch *parts[PARTS_MAX], *whole = make(&variants[i].params);
    for (size_t part = 0; part < PARTS_MAX; part++)
        parts[part] = make(&variants[i].params);
    fill_parts(&variants[i], &random, parts, PARTS_MAX, whole);

    for (size_t step = 1; step < PARTS_MAX; step *= 2)
        for (size_t part = 0; part + step < PARTS_MAX; part += 2 * step) {
            owned_snapshot sent = encode(parts[part + step]);
            owned_sketch  *received = decode(&sent);
            merge_parts(parts[part], received);
        }

    owned_snapshot merged = encode(parts[0]), expected = encode(whole);
    if (!encodings_equal(&merged, &expected))
        fail_msg("the tree and the whole differ, variant %zu", i);
    for (size_t part = 0; part < PARTS_MAX; part++)
        ink_sketch_free(parts[part]);
    ink_sketch_free(whole);
}

TEST_OF_VARIANTS(the_order_of_adds_leaves_no_trace)
{
    generator   random = {600};
    uint64_t    keys = keys_of(&variants[i]);
    uint64_t   *order = test_malloc((size_t)keys * sizeof *order);
    ink_sketch *rising = make_with(&variants[i].params, 0, keys), *falling, *shuffled;
    CHECK(sketches_describe(rising).order_free == is_order_free(&variants[i]));
    falling = make(&variants[i].params);
    shuffled = make(&variants[i].params);
    for (uint64_t j = 0; j < keys; j++) { /* inside-out shuffle [Fisher, Yates] */
        uint64_t location = random_below(&random, j + 1);
        order[j] = order[location];
        order[location] = j;
    }

    for (uint64_t j = 0; j < keys; j++) {
        add_key(falling, keys - 1 - j);
        add_key(shuffled, order[j]);
    }

    if (is_order_free(&variants[i])) {
        CHECK_SAME(rising, falling, i);
        CHECK_SAME(rising, shuffled, i);
    }
    ink_sketch_free(rising);
    ink_sketch_free(falling);
    ink_sketch_free(shuffled);
    test_free(order);
}

/* ---- Sizes that fit ----------------------------------------------------------------------- */

/* Merges a sketch of `a` with one of `b`, both ways, and compares with all keys in `smaller`. */
static void check_sizes(const ink_params *a, const ink_params *b, const ink_params *smaller,
                        uint64_t keys)
{
    owned_sketch *left = make_with(a, 0, keys), *right = make_with(b, keys / 2, 2 * keys);
    owned_sketch *left_into_right = copy_of(right), *direct = make_with(smaller, 0, keys);

    add_range(direct, keys / 2, 2 * keys);
    merge_parts(left_into_right, left);
    owned_sketch *unchanged = copy_of(right);
    merge_parts(left, right);
    CHECK(same_bytes(left, direct) && same_bytes(right, unchanged));
    CHECK(same_bytes(left_into_right, direct));
}

TEST(a_bloom_is_folded_to_the_size_of_the_other)
{
    static const uint64_t sizes[] = {1, 2, 3, 5, 6, 12, 24, 60, 120, 720};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j <= i; j++) {
            const ink_params large = {.kind = "bloom", .bits = 256 * sizes[i]};
            const ink_params small = {.kind = "bloom", .bits = 256 * sizes[j]};
            if (sizes[i] % sizes[j] == 0)
                check_sizes(&large, &small, &small, 8 * sizes[j]);
        }
}

TEST(a_counting_is_folded_to_the_size_of_the_other)
{
    static const uint64_t sizes[] = {1, 2, 3, 6, 12, 60};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j <= i; j++) {
            const ink_params large = {.kind = "counting", .bits = 1024 * sizes[i]};
            const ink_params small = {.kind = "counting", .bits = 1024 * sizes[j]};
            if (sizes[i] % sizes[j] != 0)
                continue;
            check_sizes(&large, &small, &small, 8 * sizes[j]);
            check_sizes(&large, &small, &small, 300 * sizes[j]); /* counters stop */
        }
}

/* Counters that stop do so whichever way the parts came together. */
TEST(counters_that_stop_merge_as_if_they_had_counted_all)
{
    static const struct {
        ink_params params;
        uint64_t   weight;
    } counters[] = {
        {{.kind = "counting", .bits = 1024}, 7},
        {{.kind = "count-min", .width = 7, .depth = 2}, (uint64_t)1 << 31},
        {{.kind = "count-min", .width = 7, .depth = 2}, (uint64_t)1 << 40},
        {{.kind = "count-min", .width = 7, .depth = 2, .counter_bits = 64}, (uint64_t)1 << 63},
        {{.kind = "count-min", .width = 65, .depth = 1, .counter_bits = 64}, UINT64_MAX},
    };

    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        ink_sketch *parts[3], *whole = make(&counters[i].params);
        generator   random = {i};
        for (size_t part = 0; part < 3; part++)
            parts[part] = make(&counters[i].params);
        for (uint64_t record = 0; record < 60; record++) {
            uint64_t number = random_below(&random, 20);
            uint64_t weight = random_below(&random, counters[i].weight) + 1;
            add_weighted(whole, number, weight);
            add_weighted(parts[record % 3], number, weight);
        }
        owned_sketch *right = copy_of(parts[2]);
        merge_parts(right, parts[1]);
        merge_parts(right, parts[0]);
        merge_parts(parts[0], parts[1]);
        merge_parts(parts[0], parts[2]);
        CHECK(same_bytes(parts[0], whole) && same_bytes(right, whole));
        for (size_t part = 0; part < 3; part++)
            ink_sketch_free(parts[part]);
        ink_sketch_free(whole);
    }
}

TEST(a_classic_is_halved_to_the_size_of_the_other)
{
    for (unsigned log_large = 0; log_large <= 17; log_large++)
        for (unsigned log_small = 0; log_small <= log_large; log_small++) {
            ink_params large = {.kind = "classic", .bits = 1u << log_large, .hashes = 3};
            ink_params small = {.kind = "classic", .bits = 1u << log_small, .hashes = 3};
            large.hash = small.hash = log_large % 3 == 0   ? "mmh3"
                                      : log_large % 3 == 1 ? "hadoop-jenkins"
                                                           : NULL;
            check_sizes(&large, &small, &small, 1 + (1u << log_small) / (light() ? 640 : 64));
        }
}

TEST(merging_sizes_that_fit_is_folding_first)
{
    owned_sketch *a = make_with(&(const ink_params){.kind = "bloom", .bits = 256 * 96}, 0, 100),
                 *b = make_with(&(const ink_params){.kind = "bloom", .bits = 256 * 8}, 100, 150);
    owned_sketch *folded = copy_of(a);

    CHECK_OK(ink_sketch_fold(folded, 12, &error));
    merge_parts(folded, b);
    CHECK_OK(ink_sketch_merge(a, b, NULL, &error)); /* no promise, so no question of the rate */
    CHECK(same_bytes(a, folded));
}

/* Hashes whose low bits begin with long runs of zeros, and any. */
static void draw_hashes(generator *random, uint64_t *hashes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hashes[i] = next_random(random);
        if (i % 7 == 0)
            hashes[i] &= ~(UINT64_MAX >> random_below(random, 64)); /* zeros at the end */
        if (i % 11 == 0)
            hashes[i] >>= random_below(random, 64); /* zeros at the start */
    }
}

TEST(an_hll_is_reduced_to_the_precision_of_the_other)
{
    enum { HASHES = 6000 };
    static uint64_t hashes[HASHES];
    /* This many that the two are lists or arrays, in all four combinations. */
    static const size_t counts[] = {0, 1, 20, 300, HASHES / 2};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    generator random = {700};

    draw_hashes(&random, hashes, HASHES);
    for (uint32_t high = 4; high <= 18; high += light() ? 7 : 1)
        for (uint32_t low = 4; low <= high; low += light() ? 5 : 1)
            for (size_t i = 0; i < COUNTS * COUNTS; i++) {
                const ink_params coarse = {.kind = "hll", .precision = low};
                size_t           first = counts[i / COUNTS], second = counts[i % COUNTS];
                owned_sketch    *a = make(&(const ink_params){.kind = "hll", .precision = high}),
                             *b = make(&coarse), *direct = make(&coarse);
                add_hashes(a, hashes, first);
                add_hashes(b, hashes + HASHES / 2, second);
                add_hashes(direct, hashes, first);
                add_hashes(direct, hashes + HASHES / 2, second);
                owned_sketch *into_coarse = copy_of(b);

                merge_parts(into_coarse, a);
                merge_parts(a, b);

                bool same = i % 7 == 0
                                ? same_bytes(a, direct) && same_bytes(into_coarse, direct)
                                : same_content(a, direct) && same_content(into_coarse, direct);
                if (!same)
                    fail_msg("precisions %u and %u, %zu and %zu hashes", high, low, first, second);
            }
}

TEST(a_reduced_hll_goes_on_as_one_of_its_precision)
{
    for (uint64_t keys = 0; keys < 400; keys += light() ? 97 : 9) {
        const ink_params coarse = {.kind = "hll", .precision = 5};
        owned_sketch *a = make_with(&(const ink_params){.kind = "hll", .precision = 12}, 0, keys),
                     *b = make(&coarse);
        owned_sketch *direct = make_with(&coarse, 0, keys + 100);

        merge_parts(a, b);
        add_range(a, keys, keys + 100);

        CHECK(same_bytes(a, direct));
    }
}

/* ---- Intersections ------------------------------------------------------------------------ */

TEST_OF_VARIANTS(an_intersection_keeps_every_common_key_and_nothing_that_one_lacks)
{
    uint64_t keys = keys_of(&variants[i]);
    if (!can_meet(&variants[i]))
        return;
    owned_sketch *a = make_with(&variants[i].params, 0, 2 * keys / 3);
    owned_sketch *b = make_with(&variants[i].params, keys / 3, keys), *before = copy_of(a);

    CHECK_OK(ink_sketch_intersect(a, b, &error));

    for (uint64_t number = 0; is_filter(&variants[i]) && number < keys; number++) {
        bool in_both = may_contain(before, number) && may_contain(b, number);
        if (number >= keys / 3 && number < 2 * keys / 3)
            CHECK(may_contain(a, number));
        CHECK(!may_contain(a, number) || in_both);
    }
    uint64_t fewer = 2 * keys / 3 < keys - keys / 3 ? 2 * keys / 3 : keys - keys / 3;
    CHECK(sketches_describe(a).records == fewer);
}

TEST(an_intersection_is_the_and_of_the_bits_after_folding)
{
    const ink_params large[] = {{.kind = "bloom", .bits = 256 * 96},
                                {.kind = "classic", .bits = 1 << 15, .hashes = 3}};
    const ink_params small[] = {{.kind = "bloom", .bits = 256 * 8},
                                {.kind = "classic", .bits = 1 << 11, .hashes = 3}};

    for (size_t i = 0; i < 2; i++) {
        owned_sketch *a = make_with(&large[i], 0, 200), *b = make_with(&small[i], 100, 300);
        owned_sketch *b_and_a = copy_of(b), *folded = copy_of(a);
        size_t        bytes, other, third;
        CHECK_OK(ink_sketch_fold(folded, large[i].bits / small[i].bits, &error));

        CHECK_OK(ink_sketch_intersect(b_and_a, a, &error));
        CHECK_OK(ink_sketch_intersect(a, b, &error));

        CHECK(same_bytes(a, b_and_a));
        uint8_t *of_a = payload_of(a, &bytes), *of_b = payload_of(b, &other);
        uint8_t *of_folded = payload_of(folded, &third);
        CHECK(bytes == other && bytes == third);
        for (size_t j = 0; j < bytes; j++)
            CHECK(of_a[j] == (of_b[j] & of_folded[j]));
        test_free(of_a);
        test_free(of_b);
        test_free(of_folded);
    }
}

TEST_OF_VARIANTS(other_kinds_are_not_intersected)
{
    if (can_meet(&variants[i]))
        return;
    owned_sketch *a = make_with(&variants[i].params, 0, 9), *b = make(&variants[i].params);
    owned_sketch *before = copy_of(a);

    CHECK_FAILS(ink_sketch_intersect(a, b, &error), INK_UNSUPPORTED, variants[i].params.kind);

    CHECK_SAME(a, before, i);
}

/* ---- The promise -------------------------------------------------------------------------- */

TEST(a_merge_that_breaks_the_promise_is_refused_and_changes_nothing)
{
    static const char *const kinds[] = {"bloom", "classic", "counting"};

    for (size_t i = 0; i < 3; i++) {
        const ink_params params = {.kind = kinds[i], .expected_keys = 1000};
        owned_sketch    *a = make_with(&params, 0, 1000), *b = make_with(&params, 1000, 2000);
        owned_sketch    *a_before = copy_of(a), *b_before = copy_of(b);
        double           rate = 0;

        CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_PROMISE, "that is promised");
        CHECK_FAILS(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 0.02}, &error),
                    INK_PROMISE, "above the 0.02 that is allowed");
        CHECK(same_bytes(a, a_before) && same_bytes(b, b_before));

        /* Two fillings are far below 0.5, which then is what the filter promises. */
        CHECK_OK(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 0.5}, &error));
        CHECK_OK(ink_sketch_rate(a, &rate, &error));
        CHECK(rate > 0.02 && rate < 0.5 && sketches_describe(a).target_rate == 0.01);
        CHECK(sketches_describe(a).promised_rate == 0.5);
        for (uint64_t number = 0; number < 2000; number++)
            CHECK(may_contain(a, number));
    }
}

TEST(a_merge_within_the_promise_keeps_it)
{
    static const char *const kinds[] = {"bloom", "classic", "counting"};

    for (size_t i = 0; i < 3; i++) {
        const ink_params params = {.kind = kinds[i], .expected_keys = 1000};
        owned_sketch    *a = make_with(&params, 0, 400), *b = make_with(&params, 300, 900);
        double           promised = sketches_describe(a).promised_rate;

        CHECK_OK(ink_sketch_merge(a, b, NULL, &error));
        CHECK(sketches_describe(a).promised_rate == promised);
        CHECK(sketches_describe(a).expected_keys == 1000);
        /* A limit below the promise does not narrow it, one above takes its place. */
        CHECK_OK(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 0.9 * promised}, &error));
        CHECK(sketches_describe(a).promised_rate == promised);
        CHECK_OK(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 0.5}, &error));
        CHECK(sketches_describe(a).promised_rate == 0.5);
    }
}

TEST(a_limit_holds_also_where_it_is_below_the_promise_or_there_is_none)
{
    static const char *const kinds[] = {"bloom", "classic"};

    for (size_t i = 0; i < 4; i++) {
        ink_params params = {.kind = kinds[i % 2], .bits = 1 << 14, .hashes = i % 2 == 0 ? 0 : 7};
        params.expected_keys = i < 2 ? 5000 : 0; /* promises a lot, or nothing */
        owned_sketch *a = make_with(&params, 0, 500), *b = make_with(&params, 500, 1000);
        owned_sketch *before = copy_of(a), *both = copy_of(a);
        double        rate, promised = sketches_describe(a).promised_rate;
        merge_parts(both, b);
        CHECK_OK(ink_sketch_rate(both, &rate, &error));

        CHECK_FAILS(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = rate * 0.999}, &error),
                    INK_PROMISE, "allowed");
        CHECK(same_bytes(a, before));
        CHECK_OK(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = rate}, &error));
        CHECK(sketches_describe(a).promised_rate == promised);
        CHECK(same_bytes(a, both));
    }
}

TEST(merges_under_a_limit_give_the_same_bytes_in_any_order)
{
    const ink_merge_options options = {.max_rate = 0.2};
    static const int        orders[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
    ink_sketch             *parts[3], *first = NULL;

    for (size_t i = 0; i < 3; i++) /* the last is nearly empty: with it alone the promise holds */
        parts[i] = make_with(&(const ink_params){.kind = "bloom", .expected_keys = 1000}, 700 * i,
                             700 * i + (i == 2 ? 5 : 700));
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        owned_sketch *merged = copy_of(parts[orders[i][0]]);
        CHECK_OK(ink_sketch_merge(merged, parts[orders[i][1]], &options, &error));
        CHECK_OK(ink_sketch_merge(merged, parts[orders[i][2]], &options, &error));
        if (first == NULL)
            first = copy_of(merged);
        CHECK(same_bytes(merged, first));
    }
    ink_sketch_free(first);
    for (size_t i = 0; i < 3; i++)
        ink_sketch_free(parts[i]);
}

/* ---- What does not fit -------------------------------------------------------------------- */

TEST(sketches_that_do_not_fit_are_refused_and_stay_as_they_were)
{
    static const struct {
        ink_params  a, b;
        const char *named[2]; /* both stand in the message */
    } pairs[] = {
        {{.kind = "bloom", .bits = 256 * 6}, {.kind = "bloom", .bits = 256 * 4}, {"6", "4"}},
        {{.kind = "bloom", .bits = 256}, {.kind = "hll"}, {"bloom", "hll"}},
        {{.kind = "bloom", .bits = 256},
         {.kind = "classic", .bits = 256, .hashes = 8},
         {"bloom", "classic"}},
        {{.kind = "bloom", .bits = 256, .seed = 5},
         {.kind = "bloom", .bits = 256, .seed = 6},
         {"5", "6"}},
        {{.kind = "bloom", .bits = 256, .hash = "xxh64"},
         {.kind = "bloom", .bits = 256},
         {"xxh64", "xxh3"}},
        {{.kind = "hll", .key_type = INK_KEY_INT}, {.kind = "hll"}, {"int", "bytes"}},
        {{.kind = "hll", .secret = a_secret},
         {.kind = "hll", .secret = another_secret},
         {"secrets", "differ"}},
        {{.kind = "classic", .bits = 64, .hashes = 2},
         {.kind = "classic", .bits = 64, .hashes = 3},
         {"2", "3"}},
        {{.kind = "classic", .bits = 96, .hashes = 2},
         {.kind = "classic", .bits = 48, .hashes = 2},
         {"96", "48"}},
        {{.kind = "classic", .bits = 64, .hashes = 2, .hash = "mmh3"},
         {.kind = "classic", .bits = 64, .hashes = 2, .hash = "mmh3-signed"},
         {"mmh3", "mmh3-signed"}},
        {{.kind = "classic", .bits = 64, .hashes = 2, .hash = "spark-v1"},
         {.kind = "classic", .bits = 64, .hashes = 2, .hash = "spark-v2"},
         {"spark-v1", "spark-v2"}},
        {{.kind = "classic", .bits = 64, .hashes = 2, .hash = "guava"},
         {.kind = "classic", .bits = 64, .hashes = 2, .hash = "murmur3-128"},
         {"guava", "murmur3-128"}},
        {{.kind = "counting", .bits = 1024 * 6},
         {.kind = "counting", .bits = 1024 * 4},
         {"6", "4"}},
        {{.kind = "counting", .bits = 1024}, {.kind = "bloom", .bits = 256}, {"counting", "bloom"}},
        {{.kind = "scalable", .ratio = 0.25},
         {.kind = "scalable", .ratio = 0.75},
         {"0.25", "0.75"}},
        {{.kind = "count-min", .width = 7, .depth = 2},
         {.kind = "count-min", .width = 9, .depth = 2},
         {"of 7 ", "of 9 "}},
        {{.kind = "count-min", .width = 7, .depth = 2},
         {.kind = "count-min", .width = 7, .depth = 3},
         {"2 ", "3 "}},
        {{.kind = "count-min", .width = 7, .depth = 2},
         {.kind = "count-min", .width = 7, .depth = 2, .counter_bits = 64},
         {"32", "64"}},
        {{.kind = "count-min", .width = 7, .depth = 2},
         {.kind = "count-min", .width = 7, .depth = 2, .conservative = true},
         {"conservative", "not"}},
        {{.kind = "fm", .width = 7, .depth = 2},
         {.kind = "fm", .width = 2, .depth = 7},
         {"7", "2"}},
        {{.kind = "fm", .seed = 5}, {.kind = "fm", .seed = 6}, {"5", "6"}},
        {{.kind = "top", .key_type = INK_KEY_INT}, {.kind = "top"}, {"int", "bytes"}},
        {{.kind = "top", .secret = a_secret},
         {.kind = "top", .secret = another_secret},
         {"secrets", "differ"}},
        {{.kind = "top"}, {.kind = "count-min"}, {"top", "count-min"}},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        owned_sketch *a = make_with(&pairs[i].a, 0, 5), *b = make_with(&pairs[i].b, 5, 9);
        owned_sketch *a_before = copy_of(a), *b_before = copy_of(b);
        for (int turn = 0; turn < 4; turn++) {
            ink_sketch *into = turn % 2 == 0 ? a : b, *from = turn % 2 == 0 ? b : a;
            ink_status  status = turn < 2 ? ink_sketch_merge(into, from, NULL, &error)
                                          : ink_sketch_intersect(into, from, &error);
            if (status == INK_UNSUPPORTED && turn >= 2) /* it meets nothing at all */
                continue;
            CHECK_FAILS(status, INK_MISMATCH, pairs[i].named[0]);
            CHECK(strstr(error.message, pairs[i].named[1]) != NULL);
        }
        CHECK(same_bytes(a, a_before) && same_bytes(b, b_before));
    }
}

TEST_OF_VARIANTS(a_sketch_is_not_merged_with_itself)
{
    owned_sketch *a = make_with(&variants[i].params, 0, 2), *before = copy_of(a);
    CHECK_FAILS(ink_sketch_merge(a, a, NULL, &error), INK_USAGE, "itself");
    CHECK_FAILS(ink_sketch_intersect(a, a, &error), INK_USAGE, "itself");
    CHECK_SAME(a, before, i);
}

RUN_TESTS()
