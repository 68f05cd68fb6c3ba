/* batch_test.c - a batch is the same as its keys one by one: bytes, ints, hashes, and hashes with
 * their bytes give the same sketch and the same answers, in whatever pieces, over every kind, hash
 * and key type of sketches.h; and what a batch may not be is refused and changes nothing.
 *
 * With INK_TEST_LIGHT set, batches of at most 300 keys. */
#include "properties/sketches.h"
#include "support/faults.h"
#include "support/sketches.h"

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

#define owned_forms OWNED(free_forms) forms

/* Keys `from` to `until` - 1 as keys of the type that the variant takes. */
static ink_batch keys_batch(const struct variant *variant, const forms *made, size_t from,
                            size_t until)
{
    if (variant->params.key_type == INK_KEY_INT)
        return (ink_batch){.count = until - from, .ints = made->ints + from};
    return (ink_batch){.count = until - from, .data = made->bytes, .offsets = made->offsets + from};
}

static size_t at_most(const struct variant *variant, size_t when_light)
{
    size_t keys = (size_t)variant->keys;

    keys = keys > KEYS_MAX ? KEYS_MAX : keys;
    return light() && keys > when_light ? when_light : keys;
}

static size_t keys_of(const struct variant *variant)
{
    return at_most(variant, 300);
}

/* From 1024 keys on they are sorted by sketches, where there is room. */
static size_t sorted_keys_of(const struct variant *variant)
{
    return at_most(variant, 1100);
}

/* ---- Adding ------------------------------------------------------------------------------- */

TEST(a_batch_of_keys_is_its_keys_one_by_one)
{
    /* Around the pieces of 128 in which keys are hashed. */
    static const size_t counts[] = {0, 1, 2, 127, 128, 129, 255, 256, 257, KEYS_MAX};

    for (size_t i = 0; i < VARIANTS; i++)
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
            size_t count = counts[j] < keys_of(&variants[i]) ? counts[j] : keys_of(&variants[i]);
            owned_forms   made = make_forms(0, count);
            ink_batch     batch = keys_batch(&variants[i], &made, 0, count);
            owned_sketch *single = make_with(&variants[i].params, 0, count);
            owned_sketch *batched = make(&variants[i].params);

            CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));

            CHECK_SAME(single, batched, i);
            CHECK(sketches_describe(batched).records == count);
        }
}

/* Bytes keys of `made` with a line end after each, from the last one to the first. */
TEST(keys_with_gaps_in_any_order_are_the_keys)
{
    for (size_t v = 0; v < VARIANTS; v++) {
        if (variants[v].params.key_type == INK_KEY_INT)
            continue;
        size_t      count = keys_of(&variants[v]);
        owned_forms made = make_forms(0, count);
        uint8_t    *lines = test_malloc(made.offsets[count] + count + 1);
        uint64_t   *starts = test_malloc((count + 1) * sizeof *starts);
        uint64_t   *ends = test_malloc((count + 1) * sizeof *ends), used = 0;
        ink_sketch *plain = make(&variants[v].params), *gapped = make(&variants[v].params);
        for (size_t i = count; i-- > 0;) {
            uint64_t bytes = made.offsets[i + 1] - made.offsets[i];
            memcpy(lines + used, made.bytes + made.offsets[i], bytes);
            starts[i] = used;
            ends[i] = used + bytes;
            lines[ends[i]] = '\n';
            used = ends[i] + 1;
        }
        const ink_batch keys = keys_batch(&variants[v], &made, 0, count);
        const ink_batch same = {.count = count, .data = lines, .offsets = starts, .ends = ends};
        CHECK_OK(ink_sketch_add_batch(plain, &keys, &error));
        CHECK_OK(ink_sketch_add_batch(gapped, &same, &error));
        CHECK_SAME(plain, gapped, v);
        ink_sketch_free(plain);
        ink_sketch_free(gapped);
        test_free(ends);
        test_free(starts);
        test_free(lines);
    }
}

/* Each key in a block of its own, which ends where the key does. */
TEST_OF_VARIANTS(keys_that_stand_apart_are_the_keys)
{
    if (variants[i].params.key_type == INK_KEY_INT)
        return;
    size_t        count = keys_of(&variants[i]);
    owned_forms   made = make_forms(0, count);
    ink_key      *keys = test_malloc((count + 1) * sizeof *keys);
    uint8_t      *answers = test_malloc(2 * count + 1);
    uint64_t     *hashes = test_malloc((count + 1) * sizeof *hashes);
    owned_sketch *together = make(&variants[i].params), *apart = make(&variants[i].params);
    owned_sketch *fresh = make(&variants[i].params);

    for (size_t j = 0; j < count; j++) {
        size_t   bytes = (size_t)(made.offsets[j + 1] - made.offsets[j]);
        uint8_t *block = bytes == 0 ? NULL : test_malloc(bytes);
        if (bytes > 0)
            memcpy(block, made.bytes + made.offsets[j], bytes);
        keys[j] = (ink_key){block, bytes};
    }
    const ink_batch one = keys_batch(&variants[i], &made, 0, count);
    const ink_batch many = {.count = count, .keys = keys};
    CHECK_OK(ink_sketch_add_batch(together, &one, &error));
    CHECK_OK(ink_sketch_add_batch(apart, &many, &error));
    CHECK_SAME(together, apart, i);
    if (has_hashes(&variants[i])) {
        CHECK_OK(ink_sketch_hash_batch(together, &one, made.hashes, &error));
        CHECK_OK(ink_sketch_hash_batch(apart, &many, hashes, &error));
        assert_memory_equal(hashes, made.hashes, count * sizeof *hashes);
    }
    if (is_filter(&variants[i])) {
        CHECK_OK(ink_sketch_add_new_batch(fresh, &many, answers, &error));
        CHECK_OK(ink_sketch_contains_batch(fresh, &many, answers + count, &error));
        for (size_t j = 0; j < count; j++)
            CHECK(answers[count + j] == 1);
    }
    for (size_t j = 0; j < count; j++)
        test_free((void *)(uintptr_t)keys[j].data);
    test_free(keys);
    test_free(answers);
    test_free(hashes);
}

TEST_OF_VARIANTS(a_batch_in_random_pieces_is_the_batch)
{
    generator     random = {i};
    size_t        count = keys_of(&variants[i]);
    owned_forms   made = make_forms(0, count);
    owned_sketch *whole = make_with(&variants[i].params, 0, count);
    owned_sketch *pieces = make(&variants[i].params);

    for (size_t from = 0, until; from < count; from = until) {
        until = from + (size_t)random_below(&random, 300);
        until = until > count ? count : until;
        ink_batch batch = keys_batch(&variants[i], &made, from, until);
        CHECK_OK(ink_sketch_add_batch(pieces, &batch, &error));
    }

    CHECK_SAME(whole, pieces, i);
}

TEST_OF_VARIANTS(hashes_taken_first_are_the_keys)
{
    size_t        count = keys_of(&variants[i]);
    owned_forms   made = make_forms(0, count);
    ink_batch     keys = keys_batch(&variants[i], &made, 0, count);
    owned_sketch *by_key = make_with(&variants[i].params, 0, count);
    owned_sketch *by_hash = make(&variants[i].params), *by_both = make(&variants[i].params);

    if (!has_hashes(&variants[i])) {
        memset(made.hashes, 0, (count + 1) * sizeof *made.hashes);
        const char *name = variants[i].params.hash;
        CHECK_FAILS(ink_sketch_hash_batch(by_key, &keys, made.hashes, &error), INK_UNSUPPORTED,
                    name);
        ink_batch hashes = {.count = count, .hashes = made.hashes};
        CHECK_FAILS(ink_sketch_add_batch(by_hash, &hashes, &error), INK_UNSUPPORTED, name);
        ink_answer *answers = test_malloc((count + 1) * sizeof *answers);
        CHECK_FAILS(is_counter(&variants[i])
                        ? ink_sketch_count_batch(by_key, &hashes, answers, &error)
                        : ink_sketch_contains_batch(by_key, &hashes, made.bytes, &error),
                    INK_UNSUPPORTED, name);
        test_free(answers);
        /* Hashes are welcome beside the bytes, and mean nothing to it. */
        keys.hashes = made.hashes;
        CHECK_OK(ink_sketch_add_batch(by_both, &keys, &error));
        CHECK_SAME(by_key, by_both, i);
    } else {
        CHECK_OK(ink_sketch_hash_batch(by_key, &keys, made.hashes, &error));
        ink_batch hashes = {.count = count, .hashes = made.hashes};
        if (!keeps_keys(&variants[i])) { /* hashes of hashes are they */
            uint64_t *again = test_malloc((count + 1) * sizeof *again);
            CHECK_OK(ink_sketch_hash_batch(by_key, &hashes, again, &error));
            assert_memory_equal(again, made.hashes, count * sizeof *again);
            test_free(again);
        }
        if (keeps_keys(&variants[i])) {
            CHECK_FAILS(ink_sketch_add_batch(by_hash, &hashes, &error), INK_UNSUPPORTED,
                        "keeps keys");
        } else {
            CHECK_OK(ink_sketch_add_batch(by_hash, &hashes, &error));
            CHECK_SAME(by_key, by_hash, i);
        }
        keys.hashes = made.hashes;
        CHECK_OK(ink_sketch_add_batch(by_both, &keys, &error));
        CHECK_SAME(by_key, by_both, i);
    }
}

TEST(hashes_do_not_depend_on_the_sketch_that_took_them)
{
    /* Hash once, ask many: kinds and sizes play no part. */
    static const ink_params others[] = {
        {.kind = "bloom", .bits = 256 * 9},
        {.kind = "bloom", .expected_keys = 77},
        {.kind = "classic", .bits = 1000, .hashes = 3},
        {.kind = "counting", .bits = 1024 * 5},
        {.kind = "scalable", .ratio = 0.3},
        {.kind = "count-min", .width = 5, .depth = 1},
        {.kind = "top", .phi = 0.5},
        {.kind = "fm", .width = 2},
        {.kind = "hll", .precision = 4},
        {.kind = "hll", .precision = 18},
        {.kind = "theta", .precision = 4},
        {.kind = "theta"},
    };
    enum { OTHERS = sizeof others / sizeof others[0], COUNT = 500 };
    owned_forms made = make_forms(0, COUNT);
    uint64_t    first[COUNT], hashes[COUNT];

    for (size_t i = 0; i < OTHERS; i++) {
        const ink_batch batch = {.count = COUNT, .data = made.bytes, .offsets = made.offsets};
        owned_sketch   *sketch = make(&others[i]);
        CHECK_OK(ink_sketch_hash_batch(sketch, &batch, i == 0 ? first : hashes, &error));
        if (i > 0)
            assert_memory_equal(hashes, first, sizeof hashes);
    }
}

/* ---- Weights, new keys, removals ---------------------------------------------------------- */

TEST_OF_VARIANTS(a_weight_is_so_many_adds)
{
    if (!takes_weights(&variants[i]))
        return;
    size_t      count = keys_of(&variants[i]);
    owned_forms made = make_forms(0, count);
    ink_batch   batch = keys_batch(&variants[i], &made, 0, count);
    uint64_t   *weights = test_malloc((count + 1) * sizeof *weights);
    ink_sketch *batched = make(&variants[i].params), *single = make(&variants[i].params);
    ink_sketch *often = make(&variants[i].params);

    batch.weights = weights;
    for (size_t j = 0; j < count; j++)
        weights[j] = j % 4 == 3 ? 0 : j % 17;
    CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
    for (size_t j = 0; j < count; j++) {
        add_weighted(single, j, weights[j]);
        for (uint64_t time = 0; time < weights[j]; time++)
            add_key(often, j);
    }

    CHECK_SAME(batched, single, i);
    CHECK(sketches_equal_payloads(batched, often)); /* there are more records */
    /* Where keys can be taken out again, a weight is a number of records. */
    bool removes = strcmp(variants[i].params.kind, "counting") == 0;
    CHECK(sketches_describe(batched).records ==
          (removes ? sketches_describe(often).records : count));
    CHECK(sketches_describe(batched).total == sketches_describe(often).total);
    ink_sketch_free(batched);
    ink_sketch_free(single);
    ink_sketch_free(often);
    test_free(weights);
}

TEST_OF_VARIANTS(adding_what_is_new_is_asking_and_adding)
{
    if (!is_filter(&variants[i]))
        return;
    size_t      count = keys_of(&variants[i]) + 1;
    owned_forms made = make_forms(0, count);
    ink_sketch *batched = make_with(&variants[i].params, 0, count / 4);
    ink_sketch *single = make_with(&variants[i].params, 0, count / 4);
    ink_sketch *alone = make_with(&variants[i].params, 0, count / 4);
    uint8_t    *was_new = test_malloc(2 * count + 1);

    memset(was_new, 7, 2 * count + 1);
    for (size_t turn = 0; turn < 2; turn++) { /* the second time nothing is new */
        ink_batch batch = keys_batch(&variants[i], &made, 0, count);
        CHECK_OK(ink_sketch_add_new_batch(batched, &batch, was_new + turn * count, &error));
        for (size_t j = 0; j < count; j++) {
            bool known = may_contain(single, j);
            CHECK(was_new[turn * count + j] == !known);
            CHECK(!known || turn == 0 || was_new[count + j] == 0);
            if (!known)
                add_key(single, j);
            bool fresh = known;
            if (variants[i].params.key_type == INK_KEY_INT)
                CHECK_OK(ink_sketch_add_new_int(alone, made.ints[j], &fresh, &error));
            else
                CHECK_OK(ink_sketch_add_new(alone, made.bytes + made.offsets[j],
                                            (size_t)(made.offsets[j + 1] - made.offsets[j]), &fresh,
                                            &error));
            CHECK(fresh == !known);
        }
    }
    CHECK(was_new[2 * count] == 7);
    CHECK_SAME(batched, single, i);
    CHECK_SAME(alone, single, i);
    ink_batch again = keys_batch(&variants[i], &made, 0, count);
    CHECK_OK(ink_sketch_add_new_batch(batched, &again, NULL, &error));
    CHECK_SAME(batched, single, i);
    ink_sketch_free(batched);
    ink_sketch_free(single);
    ink_sketch_free(alone);
    test_free(was_new);
}

TEST_OF_VARIANTS(keys_taken_out_again_leave_no_trace)
{
    if (strcmp(variants[i].params.kind, "counting") != 0)
        return;
    /* So few that no counter stops. */
    size_t        count = (size_t)(variants[i].params.bits == 1024 ? 40 : 100);
    owned_forms   made = make_forms(0, count);
    ink_batch     later = keys_batch(&variants[i], &made, count / 2, count);
    owned_sketch *sketch = make_with(&variants[i].params, 0, count);
    owned_sketch *left = make_with(&variants[i].params, 0, count / 2), *single = copy_of(sketch);

    CHECK_OK(ink_sketch_remove_batch(sketch, &later, &error));
    for (size_t j = count / 2; j < count; j++) {
        ink_batch one = keys_batch(&variants[i], &made, j, j + 1);
        CHECK_OK(ink_sketch_remove_batch(single, &one, &error));
    }
    CHECK_SAME(sketch, left, i);
    CHECK_SAME(single, left, i);

    /* All or nothing: one key that is not in keeps all others in. */
    owned_forms strange = make_forms(0, count);
    ink_batch   wrong = keys_batch(&variants[i], &strange, 0, count);
    CHECK_FAILS(ink_sketch_remove_batch(sketch, &wrong, &error), INK_NOT_FOUND, "is not in");
    CHECK_SAME(sketch, left, i);
    ink_batch all = keys_batch(&variants[i], &made, 0, count / 2);
    CHECK_OK(ink_sketch_remove_batch(sketch, &all, &error));
    owned_sketch *empty = make(&variants[i].params);
    CHECK_SAME(sketch, empty, i);
}

/* ---- Asking ------------------------------------------------------------------------------- */

TEST_OF_ALL_VARIANTS(a_batch_of_questions_is_its_questions_one_by_one)
{
    size_t count = keys_of(&variants[i]);
    if (!is_filter(&variants[i]))
        return;
    owned_sketch *sketch = make_with(&variants[i].params, 0, count);
    owned_forms   made = make_forms(count / 2, count); /* half of them were added */
    ink_batch     keys = keys_batch(&variants[i], &made, 0, count);
    uint8_t      *answers = test_malloc(count + 1);

    memset(answers, 7, count + 1);
    CHECK_OK(ink_sketch_contains_batch(sketch, &keys, answers, &error));
    for (size_t j = 0; j < count; j++) {
        CHECK(answers[j] == may_contain(sketch, count / 2 + j));
        if (count / 2 + j < count)
            CHECK(answers[j] == 1);
    }
    CHECK(answers[count] == 7);

    if (has_hashes(&variants[i])) {
        uint8_t *by_hash = test_malloc(count + 1);
        CHECK_OK(ink_sketch_hash_batch(sketch, &keys, made.hashes, &error));
        const ink_batch hashes = {.count = count, .hashes = made.hashes};
        CHECK_OK(ink_sketch_contains_batch(sketch, &hashes, by_hash, &error));
        assert_memory_equal(answers, by_hash, count);
        test_free(by_hash);
    }
    test_free(answers);
}

TEST_OF_VARIANTS(a_batch_of_counts_is_its_counts_one_by_one)
{
    size_t count = keys_of(&variants[i]);
    if (!is_counter(&variants[i]))
        return;
    owned_sketch *sketch = make_with(&variants[i].params, 0, count);
    for (uint64_t number = 0; number < 20; number++)
        add_weighted(sketch, number, number * number);
    owned_forms made = make_forms(0, 2 * count); /* half of them were added */
    ink_batch   keys = keys_batch(&variants[i], &made, 0, 2 * count);
    ink_answer *answers = test_malloc((2 * count + 1) * sizeof *answers);
    uint8_t    *over = test_malloc(2 * count + 1);
    uint64_t    total = sketches_describe(sketch).total;

    memset(answers, 7, (2 * count + 1) * sizeof *answers);
    CHECK_OK(ink_sketch_count_batch(sketch, &keys, answers, &error));
    CHECK(((const uint8_t *)&answers[2 * count])[0] == 7);
    for (size_t j = 0; j < 2 * count; j++) {
        ink_answer one = count_of(sketch, j);
        CHECK(answers_equal(&answers[j], &one));
    }
    for (uint64_t k = 1; k < 1000; k = 3 * k + 1) {
        memset(over, 7, 2 * count + 1);
        CHECK_OK(ink_sketch_over_batch(sketch, &keys, k, over, &error));
        for (size_t j = 0; j < 2 * count; j++) {
            double share = (double)(total / k);
            CHECK(over[j] == (answers[j].low > share ? 2 : answers[j].high > share));
        }
        CHECK(over[2 * count] == 7);
    }
    if (!keeps_keys(&variants[i]) && has_hashes(&variants[i])) {
        uint8_t *by_hash = test_malloc(2 * count + 1);
        CHECK_OK(ink_sketch_hash_batch(sketch, &keys, made.hashes, &error));
        const ink_batch hashes = {.count = 2 * count, .hashes = made.hashes};
        CHECK_OK(ink_sketch_over_batch(sketch, &keys, 100, over, &error));
        CHECK_OK(ink_sketch_over_batch(sketch, &hashes, 100, by_hash, &error));
        assert_memory_equal(over, by_hash, 2 * count);
        test_free(by_hash);
    }
    test_free(answers);
    test_free(over);
}

TEST_OF_VARIANTS(asking_changes_nothing)
{
    owned_sketch *sketch = make_with(&variants[i].params, 0, keys_of(&variants[i]));
    owned_sketch *before = copy_of(sketch);
    ink_answer    answer;
    ink_item      items[5];
    size_t        found;
    double        rate;

    if (is_filter(&variants[i])) {
        (void)may_contain(sketch, 1);
        CHECK_OK(ink_sketch_rate(sketch, &rate, &error));
    }
    if (kind_has_distinct(variants[i].params.kind))
        CHECK_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
    if (is_counter(&variants[i]))
        (void)count_of(sketch, 1);
    if (keeps_keys(&variants[i]))
        CHECK_OK(ink_sketch_top(sketch, items, 5, &found, &error));
    (void)ink_sketch_dot(sketch, sketch, &answer, &error);
    CHECK_SAME(sketch, before, i);
}

/* ---- A sketch for each key ---------------------------------------------------------------- */

enum { GROUPS = 7 };

/* Kinds that keep keys take room for the length of each, of which the first tells nothing. */
TEST_OF_VARIANTS(keys_that_stand_apart_and_grow_go_to_a_sketch_each)
{
    enum { KEYS = 300 };
    static char letters[KEYS];
    ink_key     keys[KEYS];
    ink_sketch *to[KEYS];
    ink_sketch *together[2], *single[2];

    if (variants[i].params.key_type == INK_KEY_INT)
        return;
    memset(letters, 'x', sizeof letters);
    for (size_t g = 0; g < 2; g++) {
        together[g] = make(&variants[i].params);
        single[g] = make(&variants[i].params);
    }
    for (size_t j = 0; j < KEYS; j++) {
        keys[j] = (ink_key){j == 0 ? NULL : letters, j};
        to[j] = together[j % 2];
        CHECK_OK(ink_sketch_add(single[j % 2], letters, j, &error));
    }
    CHECK_OK(ink_add_each(to, &(ink_batch){.count = KEYS, .keys = keys}, &error));
    for (size_t g = 0; g < 2; g++) {
        CHECK_SAME(together[g], single[g], i);
        ink_sketch_free(together[g]);
        ink_sketch_free(single[g]);
    }
}

TEST_OF_VARIANTS(keys_that_go_to_a_sketch_each_are_added_one_by_one)
{
    size_t       count = sorted_keys_of(&variants[i]);
    owned_forms  made = make_forms(0, count);
    ink_batch    batch = keys_batch(&variants[i], &made, 0, count);
    ink_sketch  *together[GROUPS], *single[GROUPS];
    ink_sketch **to = test_malloc((count + 1) * sizeof *to);
    uint64_t    *weights = test_malloc((count + 1) * sizeof *weights);

    for (size_t g = 0; g < GROUPS; g++) {
        together[g] = make(&variants[i].params);
        single[g] = make(&variants[i].params);
    }
    for (size_t j = 0; j < count; j++) {
        to[j] = together[j * j % GROUPS];
        weights[j] = j % 5;
        if (takes_weights(&variants[i]))
            add_weighted(single[j * j % GROUPS], j, weights[j]);
        else
            add_key(single[j * j % GROUPS], j);
    }
    batch.weights = takes_weights(&variants[i]) ? weights : NULL;
    batch.records = 1;
    if (count > 0)
        CHECK_FAILS(ink_add_each(to, &batch, &error), INK_USAGE,
                    "1 records for keys of a sketch each, expected 0");
    batch.records = 0;
    CHECK_OK(ink_add_each(to, &batch, &error));
    for (size_t g = 0; g < GROUPS; g++) {
        CHECK_SAME(together[g], single[g], i);
        ink_sketch_free(together[g]);
        ink_sketch_free(single[g]);
    }
    CHECK_OK(ink_add_each(to, &(ink_batch){0}, &error)); /* nothing is looked at */
    test_free(to);
    test_free(weights);
}

TEST(sketches_that_take_other_keys_are_refused_at_the_key_and_nothing_is_added)
{
    static const int64_t ints[] = {1, 2, 3};
    const ink_batch      batch = {.count = 3, .ints = ints};
    const ink_params     params = {.kind = "hll", .key_type = INK_KEY_INT};
    owned_sketch        *sketch = make(&params), *empty = make(&params);
    const struct {
        ink_params  params;
        const char *words;
    } others[] = {
        {{.kind = "fm", .key_type = INK_KEY_INT}, "kinds differ: hll and fm"},
        {{.kind = "hll"}, "key types differ: int and bytes"},
        {{.kind = "hll", .key_type = INK_KEY_INT, .seed = 7}, "seeds differ"},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        owned_sketch *other = make(&others[i].params);
        ink_sketch   *to[] = {sketch, sketch, other};
        CHECK_FAILS(ink_add_each(to, &batch, &error), INK_MISMATCH, others[i].words);
        CHECK(error.location == INK_AT_KEY && error.at == 2);
        CHECK_SAME(sketch, empty, i);
    }
    owned_view  view = sketches_view_of(sketch, INK_OPEN_CHECKED);
    ink_sketch *to[] = {sketch, view.sketch, sketch};
    CHECK_FAILS(ink_add_each(to, &batch, &error), INK_READ_ONLY, "a view of a file");
    CHECK(error.location == INK_AT_KEY && error.at == 1);
    CHECK_SAME(sketch, empty, 0);
}

TEST(a_sketch_that_finds_no_room_is_named_and_the_keys_before_it_are_added)
{
    static const int64_t ints[] = {1, 2, 3, 4};
    const ink_batch      batch = {.count = 4, .ints = ints};
    const ink_params     params = {.kind = "hll", .key_type = INK_KEY_INT};
    unsigned             refused = 0;

    for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
        owned_sketch *a = make(&params), *same = make(&params), *b = NULL;
        CHECK_OK(ink_sketch_create(&b, &params, &run.allocator, &error));
        ink_sketch *to[] = {a, a, b, a};
        faults_refuse_now(&run);
        if (faults_check_refused(&run, ink_add_each(to, &batch, &error))) {
            CHECK(error.location == INK_AT_KEY && error.at == 2);
            refused++;
        }
        for (int64_t key = 1; key <= (run.refused ? 2 : 4); key++)
            if (key != 3)
                CHECK_OK(ink_sketch_add_int(same, key, &error));
        CHECK_SAME(a, same, 0);
    }
    CHECK(refused == 1);
}

/* Sorted by sketch or not, in one window or two, with all memory or some of it refused. */
TEST(keys_for_few_or_many_sketches_are_added_up_to_one_that_finds_no_room)
{
    enum { MANY = 600000, SOME = 2000 };
    static const struct {
        size_t   sketches, keys;
        uint64_t refused_at; /* of the allocations of the call, from 1; 0: none ... */
        bool     after;      /* ... and all after it */
        size_t   added;
    } cases[] = {
        {3, MANY, 0, false, MANY},   {3, SOME, 1, false, SOME}, {3, SOME, 1, true, 0},
        {3, SOME, 2, true, 0},       {3, SOME, 3, true, 1},     {3, SOME, 3, false, SOME},
        {700, SOME, 0, false, SOME}, {700, SOME, 5, true, 3},
    };
    const ink_params params = {.kind = "hll", .key_type = INK_KEY_INT};
    int64_t         *ints = test_malloc(MANY * sizeof *ints);
    ink_sketch     **to = test_malloc(MANY * sizeof *to);
    ink_sketch      *single[700];
    uint8_t          digests[2][INK_DIGEST_BYTES];

    for (int64_t i = 0; i < MANY; i++)
        ints[i] = i;
    for (size_t c = light() ? 1 : 0; c < sizeof cases / sizeof cases[0]; c++) {
        const size_t  sketches = cases[c].sketches, keys = cases[c].keys, added = cases[c].added;
        faults_memory memory = {.unfilled = true};
        ink_allocator allocator = faults_allocator(&memory);
        for (size_t i = 0; i < sketches; i++) {
            CHECK_OK(ink_sketch_create(&to[i], &params, &allocator, &error));
            single[i] = make(&params);
        }
        for (size_t i = sketches; i < keys; i++)
            to[i] = to[i - sketches];
        memory.refuse_at = cases[c].refused_at == 0 ? 0 : memory.asked + cases[c].refused_at;
        memory.refuse_after = cases[c].after;
        ink_status status = ink_add_each(to, &(ink_batch){.count = keys, .ints = ints}, &error);
        memory.refuse_at = 0;
        assert_int_equal(status, added < keys ? INK_MEMORY : INK_OK);
        CHECK(status == INK_OK || (error.location == INK_AT_KEY && error.at == added));
        for (size_t i = 0; i < added; i++)
            CHECK_OK(ink_sketch_add_int(single[i % sketches], ints[i], &error));
        for (size_t i = 0; i < sketches; i++) {
            CHECK_OK(ink_sketch_digest(to[i], digests[0], &error));
            CHECK_OK(ink_sketch_digest(single[i], digests[1], &error));
            assert_memory_equal(digests[0], digests[1], INK_DIGEST_BYTES);
            ink_sketch_free(to[i]);
            ink_sketch_free(single[i]);
        }
        faults_check_no_leak(&memory);
    }
    test_free(ints);
    test_free(to);
}

/* ---- What a batch may not be -------------------------------------------------------------- */

TEST(batches_that_make_no_sense_are_refused_and_add_nothing)
{
    static const uint8_t  bytes[] = "abcdef";
    static const uint64_t rising[] = {0, 2, 4, 6}, falling[] = {0, 4, 2, 6}, hashes[] = {1, 2, 3};
    static const uint64_t early[] = {2, 1, 6}, deep[] = {0, ((uint64_t)1 << 63) + 5, 3, 4};
    static const int64_t  ints[] = {1, 2, 3};
    static const ink_key  apart[] = {{bytes, 2}, {NULL, 0}, {bytes, 1}};
    static const ink_key  nowhere[] = {{bytes, 2}, {NULL, 3}, {bytes, 1}};
    static const char     form[] =
        "a batch of 3 keys, expected hashes, ints, keys, or bytes and offsets";
    static const char both[] = "a batch of 3 keys as ints and as bytes, expected one of them";
    static const struct {
        ink_batch   batch;
        ink_status  status;
        const char *words;
    } wrong[] = {
        {{.count = 3}, INK_USAGE, form},
        {{.count = 3, .data = bytes}, INK_USAGE, form},
        {{.count = 3, .hashes = hashes, .data = bytes}, INK_USAGE, form},
        {{.count = 3, .hashes = hashes, .ends = early}, INK_USAGE, form},
        {{.count = 3, .ints = ints, .offsets = rising}, INK_USAGE, both},
        {{.count = 3, .data = bytes, .offsets = rising, .ints = ints}, INK_USAGE, both},
        {{.count = 3, .offsets = rising}, INK_USAGE, "keys that are not empty, but no bytes"},
        {{.count = 3, .hashes = hashes, .offsets = rising}, INK_USAGE, "but no bytes (NULL)"},
        {{.count = 3, .keys = apart, .ints = ints}, INK_USAGE, both},
        {{.count = 3, .keys = apart, .data = bytes}, INK_USAGE, form},
        {{.count = 3, .keys = apart, .data = bytes, .offsets = rising},
         INK_USAGE,
         "a batch of 3 keys as an array of keys and as bytes with offsets, expected one of them"},
        {{.count = 3, .keys = nowhere}, INK_USAGE, "key 1 has 3 bytes, but they are nowhere"},
        {{.count = 3, .data = bytes, .offsets = falling},
         INK_USAGE,
         "key 1 goes from offset 4 to 2, expected offsets that never fall"},
        {{.count = 3, .data = bytes, .offsets = rising, .ends = early},
         INK_USAGE,
         "key 1 goes from offset 2 to 1, expected offsets that never fall"},
        {{.count = 3, .data = bytes, .offsets = deep},
         INK_USAGE,
         "key 1 goes from offset 9223372036854775813 to 3, expected offsets that never fall"},
        {{.count = 3, .hashes = hashes, .ints = ints}, INK_MISMATCH, "int keys for a sketch of"},
        {{.count = 3, .ints = ints}, INK_MISMATCH, "int keys for a sketch of bytes keys"},
        {{.count = 3, .hashes = hashes, .weights = hashes}, INK_UNSUPPORTED, "takes no weights"},
    };

    for (size_t i = 0; i < VARIANTS; i++) {
        if (variants[i].params.key_type == INK_KEY_INT || !has_hashes(&variants[i]))
            continue;
        owned_sketch *sketch = make_with(&variants[i].params, 0, 3), *before = copy_of(sketch);
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            uint64_t taken[3] = {9, 9, 9};
            uint8_t  answers[3] = {9, 9, 9};
            if (wrong[j].batch.weights != NULL && takes_weights(&variants[i]))
                continue;
            CHECK_FAILS(ink_sketch_add_batch(sketch, &wrong[j].batch, &error), wrong[j].status,
                        wrong[j].words);
            CHECK_FAILS(ink_sketch_hash_batch(sketch, &wrong[j].batch, taken, &error),
                        wrong[j].status, wrong[j].words);
            CHECK(taken[0] == 9 && taken[2] == 9);
            if (is_filter(&variants[i])) {
                CHECK_FAILS(ink_sketch_contains_batch(sketch, &wrong[j].batch, answers, &error),
                            wrong[j].status, wrong[j].words);
                CHECK_FAILS(ink_sketch_add_new_batch(sketch, &wrong[j].batch, answers, &error),
                            wrong[j].batch.weights != NULL ? INK_USAGE : wrong[j].status, "");
            }
            if (is_counter(&variants[i]))
                CHECK_FAILS(ink_sketch_over_batch(sketch, &wrong[j].batch, 2, answers, &error),
                            wrong[j].status, "");
            CHECK(answers[0] == 9 && answers[2] == 9);
        }
        CHECK_SAME(sketch, before, i);
    }
}

TEST_OF_VARIANTS(keys_of_the_other_type_are_refused_and_add_nothing)
{
    owned_sketch *sketch = make_with(&variants[i].params, 0, 3), *before = copy_of(sketch);
    bool          ints = variants[i].params.key_type == INK_KEY_INT, maybe;

    if (ints)
        CHECK_FAILS(ink_sketch_add(sketch, "a", 1, &error), INK_MISMATCH, "key_type");
    else
        CHECK_FAILS(ink_sketch_add_int(sketch, 1, &error), INK_MISMATCH, "key_type");
    if (!is_filter(&variants[i]))
        CHECK_FAILS(ink_sketch_contains(sketch, "a", 1, &maybe, &error), INK_UNSUPPORTED,
                    variants[i].params.kind);
    else if (ints)
        CHECK_FAILS(ink_sketch_contains(sketch, "a", 1, &maybe, &error), INK_MISMATCH, "key_type");
    else
        CHECK_FAILS(ink_sketch_contains_int(sketch, 1, &maybe, &error), INK_MISMATCH, "key_type");
    CHECK_SAME(sketch, before, i);
}

TEST_OF_VARIANTS(the_empty_key_is_a_key_also_without_an_address)
{
    if (variants[i].params.key_type == INK_KEY_INT)
        return;
    owned_sketch *a = make(&variants[i].params), *b = make(&variants[i].params);
    owned_sketch *empty = make(&variants[i].params);

    CHECK_OK(ink_sketch_add(a, NULL, 0, &error));
    CHECK_OK(ink_sketch_add(b, "x", 0, &error));

    CHECK_SAME(a, b, i);
    CHECK(!sketches_equal_payloads(a, empty));
    if (is_filter(&variants[i]))
        CHECK(may_contain(a, 0)); /* number 0 is the empty key */
    if (is_counter(&variants[i]))
        CHECK(count_of(a, 0).estimate == 1);
}

RUN_TESTS()
