/* convert_test.c - conversions: a counting becomes exactly the bloom of the keys that it holds now,
 * whatever was taken out, merged or folded before; every kind becomes its own; all else is refused
 * by name. */
#include "properties/sketches.h"

static ink_sketch *converted(const ink_sketch *sketch, const char *kind)
{
    ink_sketch *made = NULL;

    CHECK_OK(ink_sketch_convert(&made, sketch, kind, NULL, &error));
    return made;
}

/* The bloom of as many blocks; planned by hand, so that it promises nothing. */
static ink_params bloom_of(uint64_t blocks)
{
    return (ink_params){.kind = "bloom", .bits = 256 * blocks};
}

static ink_params counting_of(uint64_t blocks)
{
    return (ink_params){.kind = "counting", .bits = 1024 * blocks};
}

TEST(a_counting_becomes_the_bloom_of_its_keys)
{
    static const uint64_t blocks[] = {1, 2, 3, 7, 60, 128, 1000};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        for (uint64_t keys = 0; keys <= 40 * blocks[i]; keys = 5 * keys + 1) {
            const ink_params from = counting_of(blocks[i]), to = bloom_of(blocks[i]);
            owned_sketch    *counting = make_with(&from, 0, keys), *bloom = make_with(&to, 0, keys);
            owned_sketch    *made = converted(counting, "bloom");
            double           of_counting, of_bloom;

            CHECK(same_bytes(made, bloom));
            CHECK_OK(ink_sketch_rate(counting, &of_counting, &error));
            CHECK_OK(ink_sketch_rate(bloom, &of_bloom, &error));
            CHECK(of_counting == of_bloom);
            /* It goes on as one. */
            add_range(made, keys, keys + 9);
            add_range(bloom, keys, keys + 9);
            CHECK(same_bytes(made, bloom));
        }
}

TEST_OF_VARIANTS(a_counting_of_any_plan_becomes_the_bloom_of_that_plan)
{
    if (strcmp(variants[i].params.kind, "counting") != 0)
        return;
    ink_params bloom = variants[i].params;
    bloom.kind = "bloom";
    bloom.bits /= 4;
    owned_sketch  *counting = make_with(&variants[i].params, 0, variants[i].keys);
    owned_sketch  *direct = make_with(&bloom, 0, variants[i].keys);
    owned_sketch  *made = converted(counting, "bloom");
    owned_snapshot sent = encode(counting);
    ink_file      *file = NULL;
    ink_sketch    *view = NULL, *of_view;

    CHECK_SAME(made, direct, i);
    CHECK_OK(ink_file_decode(&file, sent.bytes, sent.count, INK_OPEN_LAZY, NULL, &error));
    CHECK_OK(ink_file_sketch(file, 0, &view, &error));
    of_view = converted(view, "bloom");
    CHECK_SAME(of_view, direct, i);
    ink_sketch_free(view);
    ink_file_close(file);
    add_range(made, 0, 1); /* a keyed one has its secret */
    ink_sketch_free(of_view);
}

TEST(conversion_comes_before_or_after_removal_merge_and_fold)
{
    const ink_params from = counting_of(24), to = bloom_of(24);
    owned_sketch    *a = make_with(&from, 0, 90), *b = make_with(&from, 60, 150);

    /* Keys 0 to 29 are taken out of a. */
    for (uint64_t number = 0; number < 30; number++) {
        uint8_t key[KEY_BYTES_MAX];
        CHECK_OK(ink_sketch_remove(a, key, bytes_of_key(number, key), &error));
    }
    owned_sketch *left = make_with(&to, 30, 90), *of_a = converted(a, "bloom");
    CHECK(same_bytes(of_a, left));

    owned_sketch *of_b = converted(b, "bloom");
    merge_parts(of_a, of_b);
    merge_parts(a, b);
    owned_sketch *of_both = converted(a, "bloom");
    CHECK(same_bytes(of_a, of_both));

    CHECK_OK(ink_sketch_fold(a, 6, &error));
    CHECK_OK(ink_sketch_fold(of_both, 6, &error));
    owned_sketch *of_folded = converted(a, "bloom");
    CHECK(same_bytes(of_folded, of_both));
}

TEST(every_kind_becomes_its_own_and_no_other)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        owned_sketch *sketch = make_with(&variants[i].params, 0, variants[i].keys / 4);
        owned_sketch *before = copy_of(sketch), *same = converted(sketch, variants[i].params.kind);
        bool          counting = strcmp(variants[i].params.kind, "counting") == 0;

        CHECK_SAME(same, sketch, i);
        add_range(same, 0, 3); /* stands alone */
        for (size_t k = 0; ink_kind_name(k) != NULL; k++) {
            ink_sketch *made = NULL;
            if (strcmp(ink_kind_name(k), variants[i].params.kind) == 0 || (counting && k == 0))
                continue;
            CHECK_FAILS(ink_sketch_convert(&made, sketch, ink_kind_name(k), NULL, &error),
                        INK_UNSUPPORTED, ink_kind_name(k));
            CHECK(made == NULL);
            CHECK_FAILS(ink_sketch_convert(&made, sketch, "blum", NULL, &error), INK_USAGE, "blum");
        }
        CHECK_SAME(sketch, before, i);
    }
}

RUN_TESTS()
