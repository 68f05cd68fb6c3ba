/* batch_test.c - a batch is the same as its keys one by one: bytes, ints, hashes, and hashes with
 * their bytes give the same sketch and the same answers, in whatever pieces, over every kind, hash
 * and key type of sketches.h; and what a batch may not be is refused and changes nothing.
 *
 * With INK_TEST_LIGHT set, batches of at most 300 keys. */
#include "properties/sketches.h"

enum { KEYS_MAX = 2000 };

/* The keys first to first + count - 1 of sketches.h in all forms. */
typedef struct forms {
    uint8_t  *bytes;
    uint64_t *offsets;
    int64_t  *ints;
    uint64_t *hashes;
} forms;

static forms make_forms(uint64_t first, size_t count)
{
    forms made = {
        .bytes = test_malloc((count + 1) * KEY_BYTES_MAX),
        .offsets = test_malloc((count + 1) * sizeof *made.offsets),
        .ints = test_malloc((count + 1) * sizeof *made.ints),
        .hashes = test_malloc((count + 1) * sizeof *made.hashes),
    };

    made.offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        made.offsets[i + 1] =
            made.offsets[i] + bytes_of_key(first + i, made.bytes + made.offsets[i]);
        made.ints[i] = int_of_key(first + i);
    }
    return made;
}

static void free_forms(forms *made)
{
    test_free(made->bytes);
    test_free(made->offsets);
    test_free(made->ints);
    test_free(made->hashes);
}

/* Keys `from` to `until` - 1 as keys of the type that the variant takes. */
static ink_batch keys_batch(const struct variant *variant, const forms *made, size_t from,
                            size_t until)
{
    if (variant->params.key_type == INK_KEY_INT)
        return (ink_batch){.count = until - from, .ints = made->ints + from};
    return (ink_batch){
        .count = until - from, .bytes = made->bytes, .offsets = made->offsets + from};
}

static size_t keys_of(const struct variant *variant)
{
    size_t keys = (size_t)variant->keys;

    keys = keys > KEYS_MAX ? KEYS_MAX : keys;
    return light() && keys > 300 ? 300 : keys;
}

/* ---- Adding ------------------------------------------------------------------------------- */

static void a_batch_of_keys_is_its_keys_one_by_one(void **state)
{
    /* Around the pieces of 128 in which keys are hashed. */
    static const size_t counts[] = {0, 1, 2, 127, 128, 129, 255, 256, 257, KEYS_MAX};

    (void)state;
    for (size_t i = 0; i < VARIANTS; i++)
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
            size_t    count = counts[j] < keys_of(&variants[i]) ? counts[j] : keys_of(&variants[i]);
            forms     made = make_forms(0, count);
            ink_batch batch = keys_batch(&variants[i], &made, 0, count);
            ink_sketch *single = make_with(&variants[i].params, 0, count);
            ink_sketch *batched = make(&variants[i].params);
            ink_error   error;

            CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));

            CHECK_SAME(single, batched, i);
            CHECK(description_of(batched).records == count);
            ink_sketch_free(single);
            ink_sketch_free(batched);
            free_forms(&made);
        }
}

static void a_batch_in_random_pieces_is_the_batch(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        generator   random = {i};
        size_t      count = keys_of(&variants[i]);
        forms       made = make_forms(0, count);
        ink_sketch *whole = make_with(&variants[i].params, 0, count);
        ink_sketch *pieces = make(&variants[i].params);
        ink_error   error;

        for (size_t from = 0, until; from < count; from = until) {
            until = from + (size_t)random_below(&random, 300);
            until = until > count ? count : until;
            ink_batch batch = keys_batch(&variants[i], &made, from, until);
            CHECK_OK(ink_sketch_add_batch(pieces, &batch, &error));
        }

        CHECK_SAME(whole, pieces, i);
        ink_sketch_free(whole);
        ink_sketch_free(pieces);
        free_forms(&made);
    }
}

static void hashes_taken_first_are_the_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        size_t      count = keys_of(&variants[i]);
        forms       made = make_forms(0, count);
        ink_batch   keys = keys_batch(&variants[i], &made, 0, count);
        ink_sketch *by_key = make_with(&variants[i].params, 0, count);
        ink_sketch *by_hash = make(&variants[i].params), *by_both = make(&variants[i].params);
        ink_error   error;

        if (!takes_hashes(&variants[i])) {
            memset(made.hashes, 0, (count + 1) * sizeof *made.hashes);
            CHECK_FAILS(ink_hash_batch(by_key, &keys, made.hashes, &error), INK_UNSUPPORTED,
                        "mmh3");
            ink_batch hashes = {.count = count, .hashes = made.hashes};
            CHECK_FAILS(ink_sketch_add_batch(by_hash, &hashes, &error), INK_UNSUPPORTED, "mmh3");
            CHECK_FAILS(ink_sketch_contains_batch(by_key, &hashes, made.bytes, &error),
                        INK_UNSUPPORTED, "mmh3");
            /* Hashes are welcome beside the bytes, and mean nothing to it. */
            keys.hashes = made.hashes;
            CHECK_OK(ink_sketch_add_batch(by_both, &keys, &error));
            CHECK_SAME(by_key, by_both, i);
        } else {
            CHECK_OK(ink_hash_batch(by_key, &keys, made.hashes, &error));
            ink_batch hashes = {.count = count, .hashes = made.hashes};
            CHECK_OK(ink_sketch_add_batch(by_hash, &hashes, &error));
            CHECK_SAME(by_key, by_hash, i);
            if (variants[i].params.key_type == INK_KEY_BYTES) {
                keys.hashes = made.hashes;
                CHECK_OK(ink_sketch_add_batch(by_both, &keys, &error));
                CHECK_SAME(by_key, by_both, i);
            }
        }
        ink_sketch_free(by_key);
        ink_sketch_free(by_hash);
        ink_sketch_free(by_both);
        free_forms(&made);
    }
}

static void hashes_do_not_depend_on_the_sketch_that_took_them(void **state)
{
    /* Hash once, ask many: kinds and sizes play no part. */
    static const ink_params others[] = {
        {.kind = "bloom", .bits = 256 * 9},
        {.kind = "bloom", .expected_keys = 77},
        {.kind = "classic", .bits = 1000, .hashes = 3},
        {.kind = "hll", .precision = 4},
        {.kind = "hll", .precision = 18},
    };
    enum { OTHERS = sizeof others / sizeof others[0], COUNT = 500 };
    forms    made = make_forms(0, COUNT);
    uint64_t first[COUNT], hashes[COUNT];

    (void)state;
    for (size_t i = 0; i < OTHERS; i++) {
        const ink_batch batch = {.count = COUNT, .bytes = made.bytes, .offsets = made.offsets};
        ink_sketch     *sketch = make(&others[i]);
        ink_error       error;
        CHECK_OK(ink_hash_batch(sketch, &batch, i == 0 ? first : hashes, &error));
        if (i > 0)
            assert_memory_equal(hashes, first, sizeof hashes);
        ink_sketch_free(sketch);
    }
    free_forms(&made);
}

/* ---- Asking ------------------------------------------------------------------------------- */

static void a_batch_of_questions_is_its_questions_one_by_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        size_t count = keys_of(&variants[i]);
        if (is_hll(&variants[i]))
            continue;
        ink_sketch *sketch = make_with(&variants[i].params, 0, count);
        forms       made = make_forms(count / 2, count); /* half of them were added */
        ink_batch   keys = keys_batch(&variants[i], &made, 0, count);
        uint8_t    *answers = test_malloc(count + 1);
        ink_error   error;

        memset(answers, 7, count + 1);
        CHECK_OK(ink_sketch_contains_batch(sketch, &keys, answers, &error));
        for (size_t j = 0; j < count; j++) {
            CHECK(answers[j] == may_contain(sketch, count / 2 + j));
            if (count / 2 + j < count)
                CHECK(answers[j] == 1);
        }
        CHECK(answers[count] == 7);

        if (takes_hashes(&variants[i])) {
            uint8_t *by_hash = test_malloc(count + 1);
            CHECK_OK(ink_hash_batch(sketch, &keys, made.hashes, &error));
            const ink_batch hashes = {.count = count, .hashes = made.hashes};
            CHECK_OK(ink_sketch_contains_batch(sketch, &hashes, by_hash, &error));
            assert_memory_equal(answers, by_hash, count);
            test_free(by_hash);
        }
        test_free(answers);
        ink_sketch_free(sketch);
        free_forms(&made);
    }
}

static void asking_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        ink_sketch *sketch = make_with(&variants[i].params, 0, keys_of(&variants[i]));
        ink_sketch *before = copy_of(sketch);
        ink_answer  answer;
        double      rate;
        ink_error   error;

        if (!is_hll(&variants[i])) {
            (void)may_contain(sketch, 1);
            CHECK_OK(ink_sketch_rate(sketch, &rate, &error));
        }
        CHECK_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
        CHECK_SAME(sketch, before, i);
        ink_sketch_free(sketch);
        ink_sketch_free(before);
    }
}

/* ---- What a batch may not be -------------------------------------------------------------- */

static void batches_that_make_no_sense_are_refused_and_add_nothing(void **state)
{
    static const uint8_t  bytes[] = "abcdef";
    static const uint64_t rising[] = {0, 2, 4, 6}, falling[] = {0, 4, 2, 6}, hashes[] = {1, 2, 3};
    static const int64_t  ints[] = {1, 2, 3};
    static const struct {
        ink_batch  batch;
        ink_status status;
    } wrong[] = {
        {{.count = 3}, INK_USAGE},
        {{.count = 3, .bytes = bytes}, INK_USAGE},
        {{.count = 3, .offsets = rising}, INK_USAGE},
        {{.count = 3, .bytes = bytes, .offsets = falling}, INK_USAGE},
        {{.count = 3, .bytes = bytes, .offsets = rising, .ints = ints}, INK_USAGE},
        {{.count = 3, .hashes = hashes, .ints = ints}, INK_USAGE},
        {{.count = 3, .ints = ints}, INK_MISMATCH},
        {{.count = 3, .hashes = hashes, .weights = hashes}, INK_UNSUPPORTED},
    };

    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        if (variants[i].params.key_type == INK_KEY_INT || !takes_hashes(&variants[i]))
            continue;
        ink_sketch *sketch = make_with(&variants[i].params, 0, 3), *before = copy_of(sketch);
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            uint64_t  taken[3] = {9, 9, 9};
            uint8_t   answers[3] = {9, 9, 9};
            ink_error error;
            CHECK_FAILS(ink_sketch_add_batch(sketch, &wrong[j].batch, &error), wrong[j].status, "");
            CHECK_FAILS(ink_hash_batch(sketch, &wrong[j].batch, taken, &error), wrong[j].status,
                        "");
            CHECK(taken[0] == 9 && taken[2] == 9);
            if (!is_hll(&variants[i]))
                CHECK_FAILS(ink_sketch_contains_batch(sketch, &wrong[j].batch, answers, &error),
                            wrong[j].status, "");
            CHECK(answers[0] == 9 && answers[2] == 9);
        }
        CHECK_SAME(sketch, before, i);
        ink_sketch_free(sketch);
        ink_sketch_free(before);
    }
}

static void keys_of_the_other_type_are_refused_and_add_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        ink_sketch *sketch = make_with(&variants[i].params, 0, 3), *before = copy_of(sketch);
        bool        ints = variants[i].params.key_type == INK_KEY_INT, maybe;
        ink_error   error;

        if (ints)
            CHECK_FAILS(ink_sketch_add(sketch, "a", 1, &error), INK_MISMATCH, "key_type");
        else
            CHECK_FAILS(ink_sketch_add_int(sketch, 1, &error), INK_MISMATCH, "key_type");
        if (is_hll(&variants[i]))
            CHECK_FAILS(ink_sketch_contains(sketch, "a", 1, &maybe, &error), INK_UNSUPPORTED,
                        "hll");
        else if (ints)
            CHECK_FAILS(ink_sketch_contains(sketch, "a", 1, &maybe, &error), INK_MISMATCH,
                        "key_type");
        else
            CHECK_FAILS(ink_sketch_contains_int(sketch, 1, &maybe, &error), INK_MISMATCH,
                        "key_type");
        CHECK_SAME(sketch, before, i);
        ink_sketch_free(sketch);
        ink_sketch_free(before);
    }
}

static void the_empty_key_is_a_key_also_without_an_address(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++) {
        if (variants[i].params.key_type == INK_KEY_INT)
            continue;
        ink_sketch *a = make(&variants[i].params), *b = make(&variants[i].params);
        ink_sketch *empty = make(&variants[i].params);
        ink_error   error;

        CHECK_OK(ink_sketch_add(a, NULL, 0, &error));
        CHECK_OK(ink_sketch_add(b, "x", 0, &error));

        CHECK_SAME(a, b, i);
        CHECK(!same_payload(a, empty));
        if (!is_hll(&variants[i]))
            CHECK(may_contain(a, 0)); /* number 0 is the empty key */
        ink_sketch_free(a);
        ink_sketch_free(b);
        ink_sketch_free(empty);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_keys_is_its_keys_one_by_one),
        cmocka_unit_test(a_batch_in_random_pieces_is_the_batch),
        cmocka_unit_test(hashes_taken_first_are_the_keys),
        cmocka_unit_test(hashes_do_not_depend_on_the_sketch_that_took_them),
        cmocka_unit_test(a_batch_of_questions_is_its_questions_one_by_one),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(batches_that_make_no_sense_are_refused_and_add_nothing),
        cmocka_unit_test(keys_of_the_other_type_are_refused_and_add_nothing),
        cmocka_unit_test(the_empty_key_is_a_key_also_without_an_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
