/* batch_test.c - a batch on its way to a kind: its forms mean the same to every kind, it is cut
 * into parts that lose nothing, and a batch that says nothing or too much is refused before any key
 * is taken. */
#include "kernels/dispatch.h"
#include "sketch/batch.h"
#include "sketch/internal.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <stdio.h>

static ink_error error;

static const ink_params kinds[] = {
    {.kind = "bloom", .bits = 8192},
    {.kind = "classic", .bits = 8000, .hashes = 4},
    {.kind = "counting", .bits = 32768},
    {.kind = "scalable", .expected_keys = 50},
    {.kind = "count-min", .width = 99, .depth = 3},
    {.kind = "count-min", .width = 99, .depth = 3, .conservative = true},
    {.kind = "top", .phi = 0.05},
    {.kind = "fm"},
    {.kind = "hll", .precision = 8},
    {.kind = "theta", .precision = 5},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], TOP = 6, COUNT = 600 };

static bool counts(const ink_params *params)
{
    return strcmp(params->kind, "counting") == 0 || strcmp(params->kind, "count-min") == 0 ||
           strcmp(params->kind, "top") == 0;
}

/* Keys of 0 to 30 bytes, repeated now and then; they start at offset 5 of their bytes. */
typedef struct texts {
    uint8_t  bytes[COUNT * 31 + 5];
    uint64_t offsets[COUNT + 1];
} texts;

static ink_batch batch_of(texts *t)
{
    t->offsets[0] = 5;
    memset(t->bytes, '-', sizeof t->bytes);
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned number = i * 7919 % 450;
        char     key[32];
        int      bytes = number == 0 ? 0
                                     : snprintf(key, sizeof key, "%u%.*s", number, (int)(number % 27),
                                                "abcdefghijklmnopqrstuvwxyz");
        memcpy(t->bytes + t->offsets[i], key, (size_t)bytes);
        t->offsets[i + 1] = t->offsets[i] + (uint64_t)bytes;
    }
    return (ink_batch){.count = COUNT, .data = t->bytes, .offsets = t->offsets};
}

static void add_one_by_one(ink_sketch *sketch, const ink_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        for (uint64_t n = 0; n < (batch->weights == NULL ? 1 : batch->weights[i]); n++)
            CHECK_OK(ink_sketch_add(sketch, batch->data + batch->offsets[i],
                                    (size_t)(batch->offsets[i + 1] - batch->offsets[i]), &error));
}

TEST(every_form_of_a_batch_is_the_same_as_its_keys_one_by_one)
{
    texts           t;
    uint64_t        hashes[COUNT];
    const ink_batch bytes = batch_of(&t);

    for (int k = 0; k < KINDS; k++) {
        owned_sketch *single = files_sketch(&kinds[k], 0, 0, NULL);
        add_one_by_one(single, &bytes);
        CHECK_OK(ink_sketch_hash_batch(single, &bytes, hashes, &error));
        ink_batch both = bytes, hashed = {.count = COUNT, .hashes = hashes};
        both.hashes = hashes;
        const ink_batch *forms[] = {&bytes, &both, &hashed};
        for (int f = 0; f < 3; f++) {
            owned_sketch *batched = files_sketch(&kinds[k], 0, 0, NULL);
            if (k == TOP && f == 2) { /* which keeps keys */
                CHECK_FAILS(ink_sketch_add_batch(batched, forms[f], &error), INK_UNSUPPORTED,
                            "top keeps keys: hashes alone do not suffice");
            } else {
                CHECK_OK(ink_sketch_add_batch(batched, forms[f], &error));
                if (!sketches_equal(single, batched))
                    fail_msg("%s: form %d makes another sketch", kinds[k].kind, f);
            }
        }
    }
}

TEST(ints_are_the_same_as_their_hashes)
{
    int64_t  keys[COUNT];
    uint64_t hashes[COUNT];

    for (int i = 0; i < COUNT; i++)
        keys[i] = (i % 2 == 0 ? 1 : -1) * (int64_t)(i * 7919 % 450) * 1234567890;
    const ink_batch ints = {.count = COUNT, .ints = keys},
                    hashed = {.count = COUNT, .hashes = hashes};
    for (int k = 0; k < KINDS; k++) {
        ink_params params = kinds[k];
        params.key_type = INK_KEY_INT;
        owned_sketch *single = files_sketch(&params, 0, 0, NULL);
        owned_sketch *by_int = files_sketch(&params, 0, 0, NULL);
        owned_sketch *by_hash = files_sketch(&params, 0, 0, NULL);
        for (int i = 0; i < COUNT; i++)
            CHECK_OK(ink_sketch_add_int(single, keys[i], &error));
        CHECK_OK(ink_sketch_add_batch(by_int, &ints, &error));
        CHECK(sketches_equal(single, by_int));
        CHECK_OK(ink_sketch_hash_batch(single, &ints, hashes, &error));
        const ink_batch both = {.count = COUNT, .ints = keys, .hashes = hashes};
        CHECK_OK(ink_sketch_add_batch(by_hash, k == TOP ? &both : &hashed, &error));
        CHECK(sketches_equal(single, by_hash));
        CHECK_OK(ink_sketch_add_batch(by_hash, &both, &error));
        CHECK_OK(ink_sketch_add_batch(single, &ints, &error));
        CHECK(sketches_equal(single, by_hash));
    }
}

TEST(weights_are_so_many_repetitions)
{
    texts     t;
    uint64_t  weights[COUNT];
    ink_batch weighted = batch_of(&t);

    for (unsigned i = 0; i < COUNT; i++)
        weights[i] = i % 4;
    weighted.weights = weights;
    for (int k = 0; k < KINDS; k++) {
        if (!counts(&kinds[k]))
            continue;
        owned_sketch *repeated = files_sketch(&kinds[k], 0, 0, NULL);
        owned_sketch *batched = files_sketch(&kinds[k], 0, 0, NULL);
        add_one_by_one(repeated, &weighted);
        CHECK_OK(ink_sketch_add_batch(batched, &weighted, &error));
        CHECK(sketches_equal_payloads(repeated, batched));
        CHECK(sketches_describe(repeated).total == sketches_describe(batched).total);
        bool by_weight = strcmp(kinds[k].kind, "counting") == 0; /* keys can be removed */
        CHECK(sketches_describe(batched).records == (by_weight ? COUNT / 4 * 6 : COUNT));
    }
}

/* Keys that somebody has made distinct stand for more records than there are keys. */
TEST(a_batch_may_stand_for_other_numbers_of_records)
{
    static const uint64_t weights[] = {3, 4};
    static const uint64_t offsets[] = {0, 1, 2};

    for (int k = 0; k < KINDS; k++) {
        ink_batch     batch = {.count = 2,
                               .data = (const uint8_t *)"ab",
                               .offsets = offsets,
                               .weights = counts(&kinds[k]) ? weights : NULL,
                               .records = 100};
        owned_sketch *sketch = files_sketch(&kinds[k], 0, 3, NULL);
        owned_sketch *same = files_sketch(&kinds[k], 0, 3, NULL);
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
        CHECK(sketches_describe(sketch).records == 103);
        batch.records = 0;
        CHECK_OK(ink_sketch_add_batch(same, &batch, &error));
        CHECK(sketches_equal_payloads(sketch, same));
        bool by_weight = strcmp(kinds[k].kind, "counting") == 0;
        CHECK(sketches_describe(same).records == (by_weight ? 10 : 5));
        if (by_weight) { /* what was added as this many records is removed as this many */
            batch.records = 100;
            CHECK_OK(ink_sketch_remove_batch(sketch, &batch, &error));
            CHECK(sketches_describe(sketch).records == 3);
        }
    }
}

/* ---- Parts -------------------------------------------------------------------------------- */

TEST(keys_are_hashed_in_parts_and_hashes_are_taken_as_they_are)
{
    texts         t;
    uint64_t      all[COUNT], some[INK__HASH_BATCH], weights[COUNT] = {0};
    ink_batch     batch = batch_of(&t);
    owned_sketch *sketch = files_sketch(&kinds[4], 0, 0, NULL);
    size_t        first = 0, parts = 0;

    batch.weights = weights;
    CHECK_OK(ink_sketch_hash_batch(sketch, &batch, all, &error));
    while (first < COUNT) {
        ink__keys part = ink__batch_part(sketch, &batch, first, some);
        assert_int_equal(part.count,
                         COUNT - first < INK__HASH_BATCH ? COUNT - first : INK__HASH_BATCH);
        CHECK(part.hashes == some && part.bytes == t.bytes && part.ints == NULL);
        CHECK(part.starts == t.offsets + first && part.ends == part.starts + 1 &&
              part.weights == weights + first);
        assert_memory_equal(some, all + first, part.count * sizeof some[0]);
        first += part.count;
        parts++;
    }
    assert_int_equal(parts, (COUNT + INK__HASH_BATCH - 1) / INK__HASH_BATCH);
    batch.hashes = all;
    ink__keys rest = ink__batch_part(sketch, &batch, 100, some);
    CHECK(rest.count == COUNT - 100 && rest.hashes == all + 100);
    CHECK(rest.starts == t.offsets + 100 && rest.weights == weights + 100);
}

/* ---- Walks -------------------------------------------------------------------------------- */

enum { WALKED = 1300 };

typedef struct walked {
    int64_t  ints[WALKED];
    uint8_t  bytes[8 * WALKED];
    uint64_t offsets[WALKED + 1], hashes[WALKED];
} walked;

static void draw_walked(walked *w)
{
    for (size_t i = 0; i < WALKED; i++) {
        w->ints[i] = (int64_t)(i * 0x9e3779b97f4a7c15u % 1000);
        memcpy(w->bytes + 8 * i, &w->ints[i], 8);
        w->offsets[i] = 8 * i;
    }
    w->offsets[WALKED] = 8 * WALKED;
}

/* A filter that fits the cache, or one that does not. */
static ink_sketch *filter_of(ink_key_type type, bool large)
{
    const ink_params params = {
        .kind = "bloom",
        .key_type = type,
        .bits = large ? 16 * ink__tuning_now().prefetch_from_bytes : 1 << 20,
    };
    ink_sketch *sketch;

    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    return sketch;
}

static ink_batch batch_in(const walked *w, ink_key_type type, size_t count)
{
    ink_batch batch = {.count = count};

    if (type == INK_KEY_INT)
        batch.ints = w->ints;
    else {
        batch.data = w->bytes;
        batch.offsets = w->offsets;
    }
    return batch;
}

static void check_walk(const ink_sketch *sketch, const ink_batch *batch, const uint64_t *hashes)
{
    const ink__keys *keys;
    ink__walk        walk;
    size_t           next = 0;

    ink__walk_start(&walk, sketch, batch, true);
    while ((keys = ink__walk_next(&walk)) != NULL) {
        assert_int_equal(walk.first, next);
        CHECK(keys->count > 0 && next + keys->count <= batch->count);
        assert_memory_equal(keys->hashes, hashes + next, keys->count * sizeof hashes[0]);
        CHECK(keys->ints == (batch->ints == NULL ? NULL : batch->ints + next));
        CHECK(keys->starts == (batch->offsets == NULL ? NULL : batch->offsets + next));
        next += keys->count;
    }
    assert_int_equal(next, batch->count);
    CHECK(ink__walk_next(&walk) == NULL);
}

TEST(a_walk_hands_out_every_key_once_in_order_and_hashed)
{
    static walked w;

    draw_walked(&w);
    for (int which = 0; which < 4; which++) {
        ink_key_type  type = which % 2 == 0 ? INK_KEY_INT : INK_KEY_BYTES;
        owned_sketch *sketch = filter_of(type, which / 2 == 1);
        for (size_t count = 0; count <= WALKED; count += count < 20 ? 1 : count < 400 ? 31 : 300) {
            ink_batch batch = batch_in(&w, type, count);
            CHECK_OK(ink_sketch_hash_batch(sketch, &batch, w.hashes, &error));
            check_walk(sketch, &batch, w.hashes);
            batch = (ink_batch){.count = count, .hashes = w.hashes};
            check_walk(sketch, &batch, w.hashes);
        }
    }
}

/* In a filter that is fetched ahead, whose keys come twice and more. */
TEST(a_walk_through_memory_adds_and_answers_as_one_by_one)
{
    static walked  w;
    static uint8_t reported[WALKED], answers[WALKED];

    draw_walked(&w);
    for (int which = 0; which < 2; which++) {
        ink_key_type  type = which == 0 ? INK_KEY_INT : INK_KEY_BYTES;
        owned_sketch *single = filter_of(type, true), *batched = filter_of(type, true);
        owned_sketch *once = filter_of(type, true);
        ink_batch     batch = batch_in(&w, type, WALKED);
        for (size_t i = 0; i < WALKED; i++) {
            uint64_t  offsets[] = {0, 8};
            ink_batch one = {.count = 1};
            if (type == INK_KEY_INT)
                one.ints = w.ints + i;
            else {
                one.data = w.bytes + 8 * i;
                one.offsets = offsets;
            }
            uint8_t known;
            CHECK_OK(ink_sketch_contains_batch(single, &one, &known, &error));
            reported[i] = known == 0;
            CHECK_OK(ink_sketch_add_batch(single, &one, &error));
        }
        CHECK_OK(ink_sketch_add_batch(batched, &batch, &error));
        CHECK(sketches_equal(single, batched));
        CHECK_OK(ink_sketch_add_new_batch(once, &batch, answers, &error));
        assert_memory_equal(answers, reported, WALKED);
        CHECK_OK(ink_sketch_contains_batch(batched, &batch, answers, &error));
        for (size_t i = 0; i < WALKED; i++)
            CHECK(answers[i] == 1);
    }
}

TEST(keys_that_are_all_empty_have_an_address)
{
    static const uint64_t offsets[] = {9, 9, 9};
    const ink_batch       empty = {.count = 2, .offsets = offsets};
    const uint64_t        hash = 1;
    const ink_batch       hashed = {.count = 1, .hashes = &hash};

    CHECK(ink__batch_keys(&empty).bytes != NULL && ink__batch_keys(&empty).starts == offsets);
    CHECK(ink__batch_keys(&hashed).bytes == NULL && ink__batch_keys(&hashed).hashes == &hash);
    for (int k = 0; k < KINDS; k++) { /* and every kind takes them */
        owned_sketch *batched = files_sketch(&kinds[k], 0, 0, NULL);
        owned_sketch *single = files_sketch(&kinds[k], 0, 0, NULL);
        CHECK_OK(ink_sketch_add_batch(batched, &empty, &error));
        CHECK_OK(ink_sketch_add(single, "", 0, &error));
        CHECK_OK(ink_sketch_add(single, NULL, 0, &error));
        CHECK(sketches_equal(batched, single));
    }
}

/* Offsets may reach from one object to another, as those of Arrow's string views do. Keys have 13
 * or 20 bytes in turn; the second one ends where nothing more can be read. */
TEST(keys_of_separate_objects_are_read_without_a_byte_beside_them)
{
    enum { LONG = 20, SHORT = 13, KEYS = 40, BYTES = KEYS * LONG };
    uint8_t     letters[BYTES];
    uint64_t    starts[KEYS], ends[KEYS], hashes[KEYS], alone;
    files_guard one, other;

    for (size_t i = 0; i < BYTES; i++)
        letters[i] = (uint8_t)scramble(i);
    files_guard_create(&one, BYTES);
    files_guard_create(&other, BYTES);
    const bool     below = one.base < other.base;
    const uint8_t *low = files_location(below ? &one : &other, letters, LONG + SHORT);
    const uint8_t *high = files_location(below ? &other : &one, letters, BYTES);
    for (size_t i = 0; i < KEYS; i++) {
        const uint8_t *at = i < 2 ? low + LONG * i : high + LONG * i;
        starts[i] = (uint64_t)((uintptr_t)at - (uintptr_t)low);
        ends[i] = starts[i] + (i % 2 == 0 ? LONG : SHORT);
    }
    const ink_batch batch = {.count = KEYS, .data = low, .offsets = starts, .ends = ends};
    for (size_t t = 0; ink__kernels_at(t) != NULL; t++) {
        const ink__kernels *table = ink__kernels_at(t);
        if (!ink__kernels_run_here(table))
            continue;
        faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = table->name});
        owned_sketch *sketch = files_sketch(&kinds[0], 0, 0, NULL);
        faults_system_end();
        CHECK_OK(ink_sketch_hash_batch(sketch, &batch, hashes, &error));
        for (size_t i = 0; i < KEYS; i++) {
            const ink_key   key = {low + starts[i], (size_t)(ends[i] - starts[i])};
            const ink_batch single = {.count = 1, .keys = &key};
            CHECK_OK(ink_sketch_hash_batch(sketch, &single, &alone, &error));
            assert_int_equal(hashes[i], alone);
        }
    }
    files_guard_free(&one);
    files_guard_free(&other);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

TEST(without_the_secret_hashes_are_taken_and_keys_are_not)
{
    texts    t;
    uint64_t hashes[COUNT];

    for (int k = 0; k < KINDS; k++) {
        ink_params params = kinds[k];
        params.secret = files_secret;
        owned_sketch *keyed = files_sketch(&params, 0, 0, NULL);
        ink_batch     bytes = batch_of(&t);
        owned_view    locked = sketches_view_of(keyed, INK_OPEN_COPY);
        CHECK_OK(ink_sketch_hash_batch(keyed, &bytes, hashes, &error));
        CHECK_FAILS(ink_sketch_add_batch(locked.sketch, &bytes, &error), INK_MISMATCH,
                    "the keys are hashed with a secret: unlock the sketch with it first");
        CHECK(sketches_equal(locked.sketch, keyed));
        CHECK_OK(ink_sketch_add_batch(keyed, &bytes, &error));
        bytes.hashes = hashes; /* hashes beside the keys do */
        CHECK_OK(ink_sketch_add_batch(locked.sketch, &bytes, &error));
        CHECK(sketches_equal(locked.sketch, keyed));
    }
}

/* ---- Only what is new --------------------------------------------------------------------- */

static const ink_params filters[] = {
    {.kind = "bloom", .bits = 8192},
    {.kind = "classic", .bits = 8000, .hashes = 4},
    {.kind = "classic", .bits = 8000, .hashes = 4, .hash = "mmh3"},
    {.kind = "counting", .bits = 32768},
    {.kind = "scalable", .expected_keys = 50},
};
enum { FILTERS = sizeof filters / sizeof filters[0] };

TEST(new_keys_are_reported_and_added_once)
{
    texts           t;
    const ink_batch batch = batch_of(&t);

    for (int f = 0; f < FILTERS; f++) {
        owned_sketch *sketch = files_sketch(&filters[f], 0, 0, NULL);
        owned_sketch *single = files_sketch(&filters[f], 0, 0, NULL);
        owned_sketch *silent = files_sketch(&filters[f], 0, 0, NULL);
        uint8_t       was_new[COUNT];
        uint64_t      new_keys = 0;
        memset(was_new, 7, sizeof was_new);
        CHECK_OK(ink_sketch_add_new_batch(sketch, &batch, was_new, &error));
        CHECK_OK(ink_sketch_add_new_batch(silent, &batch, NULL, &error)); /* without a report */
        CHECK(sketches_equal(sketch, silent));
        for (size_t i = 0; i < COUNT; i++) {
            size_t bytes = (size_t)(t.offsets[i + 1] - t.offsets[i]);
            bool   known;
            CHECK_OK(ink_sketch_contains(single, t.bytes + t.offsets[i], bytes, &known, &error));
            if (!known)
                CHECK_OK(ink_sketch_add(single, t.bytes + t.offsets[i], bytes, &error));
            assert_int_equal(was_new[i], !known);
            new_keys += !known;
        }
        CHECK(sketches_equal(sketch, single));
        CHECK(sketches_describe(sketch).records == new_keys && new_keys > 300 && new_keys <= 450);
        CHECK_OK(ink_sketch_add_new_batch(sketch, &batch, was_new, &error)); /* none is new now */
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(was_new[i], 0);
        CHECK(sketches_equal(sketch, single));
    }
}

TEST(hashes_and_ints_are_new_or_not_as_keys_are)
{
    int64_t  keys[COUNT];
    uint64_t hashes[COUNT];
    uint8_t  of_ints[COUNT], of_hashes[COUNT];

    for (int i = 0; i < COUNT; i++)
        keys[i] = i * 7919 % 300;
    const ink_batch ints = {.count = COUNT, .ints = keys},
                    hashed = {.count = COUNT, .hashes = hashes};
    for (int f = 0; f < FILTERS; f++) {
        ink_params params = filters[f];
        if (params.hash != NULL)
            continue;
        params.key_type = INK_KEY_INT;
        owned_sketch *a = files_sketch(&params, 0, 0, NULL), *b = files_sketch(&params, 0, 0, NULL);
        owned_sketch *c = files_sketch(&params, 0, 0, NULL);
        CHECK_OK(ink_sketch_hash_batch(a, &ints, hashes, &error));
        CHECK_OK(ink_sketch_add_new_batch(a, &ints, of_ints, &error));
        CHECK_OK(ink_sketch_add_new_batch(b, &hashed, of_hashes, &error));
        CHECK_OK(ink_sketch_add_new_batch(c, &hashed, NULL, &error)); /* no one need be told */
        assert_memory_equal(of_ints, of_hashes, COUNT);
        CHECK(sketches_equal(a, b) && sketches_equal(a, c));
    }
}

TEST(a_view_and_a_wrong_batch_are_refused_before_anything_is_reported)
{
    static const int64_t ints[] = {1, 2};
    const ink_batch      wrong = {.count = 2, .ints = ints};
    texts                t;
    const ink_batch      batch = batch_of(&t);

    for (int f = 0; f < FILTERS; f++) {
        owned_sketch *sketch = files_sketch(&filters[f], 0, 5, NULL);
        owned_view    view = sketches_view_of(sketch, INK_OPEN_CHECKED);
        uint8_t       was_new[COUNT] = {7};
        CHECK_FAILS(ink_sketch_add_new_batch(view.sketch, &batch, was_new, &error), INK_READ_ONLY,
                    "is a view");
        CHECK_FAILS(ink_sketch_add_new_batch(sketch, &wrong, was_new, &error), INK_MISMATCH,
                    "int keys for a sketch of bytes keys");
        CHECK(was_new[0] == 7 && sketches_equal(view.sketch, sketch));
    }
}

static const uint8_t secret[INK_SECRET_BYTES] = "sixteen bytes ..";

static const ink_params rules[] = {
    {.kind = "fm"},
    {.kind = "fm", .hash = "murmur64a", .seed = 7},
    {.kind = "fm", .seed = 0, .has_seed = true},
    {.kind = "fm", .secret = secret},
    {.kind = "fm", .key_type = INK_KEY_INT},
    {.kind = "fm", .key_type = INK_KEY_INT, .hash = "xxh3"},
};
enum { RULES = sizeof rules / sizeof rules[0] };

TEST(a_hasher_hashes_as_sketches_of_its_rule_do)
{
    texts           t;
    const ink_batch bytes = batch_of(&t), ints = {.count = COUNT, .ints = (int64_t *)t.offsets};
    uint64_t        found[COUNT], expected[COUNT];

    for (int r = 0; r < RULES; r++) {
        bool             is_int = rules[r].key_type == INK_KEY_INT;
        const ink_batch *batch = is_int ? &ints : &bytes;
        owned_sketch    *sketch = files_sketch(&rules[r], 0, 0, NULL);
        ink_description  of_sketch, of_rule;
        ink__hasher     *hasher;
        CHECK_OK(ink__hasher_create(&hasher, &rules[r], NULL, &error));
        CHECK_OK(ink__hasher_batch(hasher, batch, found, &error));
        CHECK_OK(ink_sketch_hash_batch(sketch, batch, expected, &error));
        assert_memory_equal(found, expected, sizeof found);
        CHECK_FAILS(ink__hasher_batch(hasher, is_int ? &bytes : &ints, found, &error), INK_MISMATCH,
                    is_int ? "bytes keys for a sketch of int keys"
                           : "int keys for a sketch of bytes keys");
        ink__hasher_free(hasher);
        ink_sketch_describe(sketch, &of_sketch);
        CHECK_OK(ink__describe_rule(&rules[r], &of_rule, &error));
        CHECK(strcmp(of_rule.hash, of_sketch.hash) == 0 && of_rule.seed == of_sketch.seed &&
              of_rule.key_type == of_sketch.key_type && of_rule.keyed == of_sketch.keyed &&
              of_rule.secret_check == of_sketch.secret_check && of_rule.kind == NULL);
    }
}

TEST(a_label_is_hashed_by_the_default_rule_of_bytes)
{
    texts           t;
    const ink_batch batch = batch_of(&t);
    uint64_t        hashes[COUNT];
    ink__hasher    *hasher;

    CHECK_OK(ink__hasher_create(&hasher, &(ink_params){0}, NULL, &error));
    CHECK_OK(ink__hasher_batch(hasher, &batch, hashes, &error));
    for (size_t i = 0; i < COUNT; i++)
        CHECK(ink__hash_label(t.bytes + t.offsets[i], (size_t)(t.offsets[i + 1] - t.offsets[i])) ==
              hashes[i]);
    ink__hasher_free(hasher);
}

TEST(what_is_no_rule_of_64_bits_has_no_hasher)
{
    ink__hasher  *hasher = NULL;
    faults_memory memory = {.refuse_at = 1};
    ink_allocator refusing = faults_allocator(&memory);

    CHECK_FAILS(ink__hasher_create(&hasher, &(ink_params){.hash = "mmh3"}, NULL, &error),
                INK_UNSUPPORTED, "hash mmh3 has no 64 bits");
    CHECK_FAILS(ink__hasher_create(&hasher, &(ink_params){.hash = "md5"}, NULL, &error), INK_USAGE,
                "hash \"md5\"");
    CHECK_FAILS(ink__hasher_create(&hasher, &(ink_params){0}, &refusing, &error), INK_MEMORY, "");
    CHECK_FAILS(ink__describe_rule(&(ink_params){.hash = "md5"}, &(ink_description){0}, &error),
                INK_USAGE, "hash \"md5\"");
    assert_null(hasher);
    ink__hasher_free(NULL);
}

RUN_TESTS()
