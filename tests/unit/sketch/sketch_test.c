/* sketch_test.c - the public calls on one sketch, of whatever kind: what they take, refuse and
 * answer. What is special about a kind is in its own test. */
#include "inkling_file.h"

#include "sketch/kinds/kind.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <math.h>
#include <stdio.h>

/* Longer than a message. */
#define SIXTY "012345678901234567890123456789012345678901234567890123456789"
#define LONG_NAME SIXTY SIXTY SIXTY SIXTY SIXTY

static ink_error error;

static const uint8_t secret[INK_SECRET_BYTES] = "sixteen bytes, 1";
static const uint8_t other[INK_SECRET_BYTES] = "another secret!!";

/* One sketch of each kind and of every form of parameters. */
static const ink_params forms[] = {
    {.kind = "bloom", .expected_keys = 1000},
    {.kind = "bloom", .expected_keys = 1000, .false_positive_rate = 0.1},
    {.kind = "bloom", .bits = 4096},
    {.kind = "bloom", .bits = 4096, .expected_keys = 50, .key_type = INK_KEY_INT},
    {.kind = "bloom", .expected_keys = 9, .hash = "xxh64", .key_type = INK_KEY_INT},
    {.kind = "bloom", .expected_keys = 9, .has_seed = true},
    {.kind = "bloom", .expected_keys = 9, .secret = secret},
    {.kind = "classic", .expected_keys = 1000},
    {.kind = "classic", .expected_keys = 1000, .false_positive_rate = 1e-7},
    {.kind = "classic", .bits = 1001, .hashes = 5},
    {.kind = "classic", .bits = 1001, .expected_keys = 80},
    {.kind = "classic", .bits = 1001, .hashes = 5, .expected_keys = 80, .seed = 99},
    {.kind = "classic", .bits = 1001, .hashes = 5, .hash = "mmh3", .seed = 12},
    {.kind = "classic", .expected_keys = 10, .hash = "murmur64a"},
    {.kind = "counting", .expected_keys = 1000},
    {.kind = "counting", .bits = 10240, .expected_keys = 7, .key_type = INK_KEY_INT},
    {.kind = "counting", .expected_keys = 9, .secret = secret},
    {.kind = "scalable", .expected_keys = 8},
    {.kind = "scalable", .expected_keys = 8, .false_positive_rate = 1e-4, .ratio = 0.7},
    {.kind = "scalable", .expected_keys = 3, .key_type = INK_KEY_INT, .secret = secret},
    {.kind = "count-min"},
    {.kind = "count-min", .epsilon = 0.01, .delta = 0.001, .counter_bits = 64},
    {.kind = "count-min", .width = 7, .depth = 2, .conservative = true, .hash = "xxh64"},
    {.kind = "top"},
    {.kind = "top", .top_keys = 100, .key_type = INK_KEY_INT},
    {.kind = "top", .phi = 0.2, .secret = secret},
    {.kind = "fm"},
    {.kind = "fm", .width = 3, .depth = 4, .seed = 5},
    {.kind = "hll"},
    {.kind = "hll", .precision = 5, .hash = "murmur3-128"},
    {.kind = "theta", .precision = 4},
    {.kind = "hll", .key_type = INK_KEY_INT, .hash = "siphash", .secret = secret},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const ink_params bloom = {.kind = "bloom", .bits = 8192};
static const ink_params bloom_of_ints = {.kind = "bloom", .bits = 8192, .key_type = INK_KEY_INT};
static const ink_params mmh3 = {.kind = "classic", .bits = 1001, .hashes = 3, .hash = "mmh3"};
static const ink_params hll = {.kind = "hll"};
static const ink_params keyed = {.kind = "bloom", .expected_keys = 100, .secret = secret};

/* ---- Create ------------------------------------------------------------------------------- */

TEST(the_version_is_that_of_the_header)
{
    char text[32];

    snprintf(text, sizeof text, "%d.%d.%d", INK_VERSION_MAJOR, INK_VERSION_MINOR,
             INK_VERSION_PATCH);
    assert_string_equal(ink_version(), text);
}

TEST(a_sketch_is_what_was_planned)
{
    for (int i = 0; i < FORMS; i++) {
        owned_sketch   *sketch = NULL;
        ink_description planned, made;
        CHECK_OK(ink_plan(&forms[i], &planned, &error));
        CHECK_OK(ink_sketch_create(&sketch, &forms[i], NULL, &error));
        ink_sketch_describe(sketch, &made);
        assert_string_equal(planned.kind, forms[i].kind);
        assert_string_equal(made.kind, planned.kind);
        assert_string_equal(made.hash, planned.hash);
        CHECK(made.key_type == planned.key_type && made.key_type == forms[i].key_type);
        CHECK(made.keyed == planned.keyed && made.keyed == (forms[i].secret != NULL));
        CHECK(made.seed == planned.seed && made.records == 0 && planned.records == 0);
        CHECK(made.expected_keys == planned.expected_keys && made.bits == planned.bits);
        CHECK(made.expected_keys == forms[i].expected_keys);
        CHECK(made.hashes == planned.hashes && made.precision == planned.precision);
        CHECK(made.bytes == planned.bytes && made.bits_per_key == planned.bits_per_key);
        CHECK(made.target_rate == planned.target_rate);
        CHECK(made.promised_rate == planned.promised_rate);
        CHECK(!made.read_only && !planned.read_only);
        CHECK(made.ratio == planned.ratio && made.width == planned.width);
        CHECK(made.depth == planned.depth && made.counter_bits == planned.counter_bits);
        CHECK(made.conservative == planned.conservative && made.epsilon == planned.epsilon);
        CHECK(made.delta == planned.delta && made.total == 0 && planned.total == 0);
        CHECK(made.capacity == planned.capacity && made.phi == planned.phi);
        CHECK(made.standard_error == planned.standard_error);
        CHECK(made.bytes_max == planned.bytes_max);
        /* Kinds that do not grow by levels are the same with any number of keys. */
        CHECK_OK(ink_plan_filled(&forms[i], 1000000, &planned, &error));
        CHECK(made.bytes == planned.bytes || planned.levels > 0);
        CHECK(made.bytes_max == planned.bytes_max && made.bits == planned.bits);
        CHECK(made.promised_rate == planned.promised_rate && made.keyed == planned.keyed);
        CHECK(made.bytes_max == 0 || made.bytes_max >= made.bytes);
        CHECK(made.order_free == planned.order_free);
        bool by_order = strcmp(made.kind, "scalable") == 0 || strcmp(made.kind, "top") == 0;
        CHECK(made.order_free == (!by_order && !forms[i].conservative));
    }
}

TEST(every_sketch_is_encoded_and_decoded_to_the_same)
{
    for (int i = 0; i < FORMS; i++) {
        owned_sketch *sketch = files_sketch(&forms[i], 0, 30, NULL), *decoded = NULL;
        CHECK_OK(ink_sketch_copy(&decoded, sketch, NULL, &error));
        sketches_reload(&decoded);
        CHECK(sketches_equal(sketch, decoded));
        ink_description before = sketches_describe(sketch), after = sketches_describe(decoded);
        CHECK(before.records == 30 && after.records == 30);
        CHECK(before.seed == after.seed && before.keyed == after.keyed);
        assert_string_equal(before.hash, after.hash);
    }
}

TEST(an_unknown_kind_is_refused_and_the_kinds_are_named)
{
    ink_sketch *sketch = NULL;

    CHECK_FAILS(ink_sketch_create(&sketch, &(ink_params){.kind = "cuckoo"}, NULL, &error),
                INK_USAGE,
                "kind \"cuckoo\", expected one of bloom, classic, counting, scalable, count-min, "
                "top, fm, hll, theta, fuse");
    CHECK_FAILS(ink_sketch_create(&sketch, &(ink_params){.expected_keys = 1}, NULL, &error),
                INK_USAGE, "kind \"\", expected one of bloom, classic, counting");
    assert_null(sketch);
    assert_int_equal(error.status, INK_USAGE);
    assert_int_equal(error.location, INK_NOWHERE);
}

/* Every parameter that a kind may have, and which kinds have it: bit i - 1 for the kind of id i. */
static const struct {
    const char *name;
    ink_params  params;
    unsigned    kinds;
} parameters[] = {
    {"expected_keys", {.expected_keys = 10}, 1 | 2 | 4 | 8 | 512},
    {"false_positive_rate", {.false_positive_rate = 0.1}, 1 | 2 | 4 | 8 | 512},
    {"bits", {.bits = 4096}, 1 | 2 | 4},
    {"hashes", {.hashes = 3}, 2},
    {"ratio", {.ratio = 0.3}, 8},
    {"epsilon", {.epsilon = 0.1}, 16},
    {"delta", {.delta = 0.1}, 16},
    {"width", {.width = 5}, 16 | 64},
    {"depth", {.depth = 5}, 16 | 64},
    {"counter_bits", {.counter_bits = 32}, 16},
    {"conservative", {.conservative = true}, 16},
    {"top_keys", {.top_keys = 5}, 32},
    {"phi", {.phi = 0.5}, 32},
    {"precision", {.precision = 9}, 128 | 256},
};
enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

TEST(parameters_that_a_kind_does_not_have_are_refused_by_their_name)
{
    for (unsigned k = 0; ink_kind_name(k) != NULL; k++)
        for (unsigned p = 0; p < PARAMETERS; p++) {
            ink_params      params = parameters[p].params;
            ink_description described;
            char            words[64];
            params.kind = ink_kind_name(k);
            snprintf(words, sizeof words, "%s has no %s", params.kind, parameters[p].name);
            ink_status status = ink_plan(&params, &described, &error);
            if ((parameters[p].kinds >> (ink__kinds[k]->id - 1) & 1) == 0) {
                assert_int_equal(status, INK_USAGE);
                assert_string_equal(error.message, words);
            } else if (status != INK_OK) { /* it is taken, though it may not suffice alone */
                assert_null(strstr(error.message, "has no"));
            }
        }
}

TEST(parameters_out_of_range_are_refused_with_their_range)
{
    const struct {
        ink_params  params;
        const char *words;
    } wrong[] = {
        {{.kind = "counting", .bits = 100}, "bits 100, expected a multiple of 1024 up to 2^39"},
        {{.kind = "counting", .expected_keys = 9, .false_positive_rate = 0.7},
         "false_positive_rate 0.7, expected 1e-05 to 0.5"},
        {{.kind = "counting"}, "counting needs expected_keys, or its size in bits"},
        {{.kind = "scalable", .false_positive_rate = 0.7},
         "false_positive_rate 0.7, expected 1e-09 to 0.5"},
        {{.kind = "scalable", .ratio = 1}, "ratio 1, expected 0.1 to 0.9"},
        {{.kind = "count-min", .epsilon = 2}, "epsilon 2, expected at least 6.32899e-10"},
        {{.kind = "count-min", .delta = 2}, "delta 2, expected at least 1e-27 and below 1"},
        {{.kind = "count-min", .width = 9, .depth = 99},
         "depth 99, expected 1 to 2^32 and 1 to 64"},
        {{.kind = "count-min", .counter_bits = 8}, "counter_bits 8, expected 32 or 64"},
        {{.kind = "top", .phi = 2}, "phi 2, expected 9.53674e-07 to 1"},
        {{.kind = "top", .top_keys = 99999}, "top_keys 99999, expected at most 32768"},
        {{.kind = "fm", .depth = 256}, "depth 256 and width 16, expected 1 to 255 groups"},
        {{.kind = "fm", .width = 99999},
         "width 99999, expected 1 to 255 groups (depth), and at most 65536"},
        {{.kind = "hll", .precision = 19}, "precision 19, expected 4 to 18"},
        {{.kind = "theta", .precision = 27}, "precision 27, expected 4 to 26"},
    };
    ink_description described = {.bits = 77};
    ink_sketch     *sketch = NULL;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(ink_plan(&wrong[i].params, &described, &error), INK_USAGE, wrong[i].words);
        CHECK_FAILS(ink_sketch_create(&sketch, &wrong[i].params, NULL, &error), INK_USAGE,
                    wrong[i].words);
    }
    CHECK(described.bits == 77);
    assert_null(sketch);
}

TEST(seeds_are_the_default_of_the_hash_unless_they_are_given)
{
    const struct {
        ink_params params;
        uint64_t   seed;
    } cases[] = {
        {{.kind = "hll"}, 0x696e6b6c696e6721},
        {{.kind = "hll", .key_type = INK_KEY_INT}, 0x696e6b6c696e6721},
        {{.kind = "hll", .has_seed = true}, 0},
        {{.kind = "hll", .seed = 7}, 7},
        {{.kind = "hll", .hash = "xxh64"}, 0},
        {{.kind = "hll", .hash = "xxh64", .seed = UINT64_MAX}, UINT64_MAX},
        {{.kind = "hll", .secret = secret}, 0},
    };
    ink_description described;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_OK(ink_plan(&cases[i].params, &described, &error));
        CHECK(described.seed == cases[i].seed);
    }
}

TEST(a_key_rule_that_cannot_be_is_refused)
{
    const struct {
        ink_params  params;
        const char *words;
    } wrong[] = {
        {{.kind = "hll", .hash = "md5"}, "hash \"md5\", expected xxh3"},
        {{.kind = "hll", .hash = "mix64"}, "hash mix64 takes int keys"},
        {{.kind = "hll", .hash = "siphash"}, "hash siphash needs a secret"},
        {{.kind = "hll", .hash = "xxh3", .secret = secret}, "a secret goes with hash siphash"},
        {{.kind = "hll", .secret = secret, .seed = 1}, "hash siphash takes a secret, not a seed"},
        {{.kind = "classic", .bits = 8, .hashes = 1, .hash = "mmh3", .key_type = INK_KEY_INT},
         "hash mmh3 takes bytes keys"},
        {{.kind = "hll", .key_type = (ink_key_type)2}, "key_type 2"},
    };
    ink_description described;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(ink_plan(&wrong[i].params, &described, &error), INK_USAGE, wrong[i].words);
}

TEST(a_refusal_of_memory_names_the_bytes)
{
    faults_memory memory = {.refuse_at = 2};
    ink_allocator allocator = faults_allocator(&memory);
    ink_sketch   *sketch;

    CHECK_FAILS(ink_sketch_create(&sketch, &bloom, &allocator, &error), INK_MEMORY,
                "no memory for 1087 bytes"); /* 1024, and room to align them */
    faults_check_no_leak(&memory);
}

TEST(an_instruction_set_that_does_not_exist_is_refused)
{
    ink_sketch *sketch;

    faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = "abacus"});
    ink_status status = ink_sketch_create(&sketch, &bloom, NULL, &error);
    faults_system_end();
    CHECK_FAILS(status, INK_USAGE, "INK_CPU is \"abacus\", expected scalar");
    faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = LONG_NAME});
    status = ink_sketch_create(&sketch, &bloom, NULL, &error);
    faults_system_end();
    CHECK_FAILS(status, INK_USAGE, "789...\", expected scalar");
}

TEST(freeing_nothing_is_allowed)
{
    ink_sketch_free(NULL);
    ink_bytes_free(NULL, 0, NULL);
    ink_file_close(NULL);
}

/* ---- Keys --------------------------------------------------------------------------------- */

TEST(int_keys_are_found_again)
{
    const char *const hashes[] = {"mix64", "xxh3", "xxh64", "murmur64a", "murmur3-128"};

    for (int i = 0; i < 5; i++) {
        const ink_params params = {
            .kind = "bloom", .bits = 1 << 16, .key_type = INK_KEY_INT, .hash = hashes[i]};
        owned_sketch *sketch = files_sketch(&params, 0, 500, NULL);
        assert_int_equal(sketches_found(sketch, 0, 500), 500);
        CHECK(sketches_found(sketch, 500, 500) < 30);
    }
}

/* ---- Batches ------------------------------------------------------------------------------ */

TEST(an_empty_batch_changes_nothing)
{
    const uint64_t  zero = 0;
    const int64_t   none = 0;
    const ink_batch empty[] = {
        {0},
        {.hashes = &zero},
        {.ints = &none},
        {.data = (const uint8_t *)"", .offsets = &zero},
    };
    owned_sketch     *sketch = files_sketch(&bloom, 0, 5, NULL);
    owned_sketch     *ints = files_sketch(&bloom_of_ints, 0, 5, NULL);
    sketches_snapshot before = sketches_remember(sketch);

    CHECK_OK(ink_sketch_add_batch(sketch, &empty[0], &error));
    CHECK_OK(ink_sketch_add_batch(sketch, &empty[1], &error));
    CHECK_OK(ink_sketch_add_batch(ints, &empty[2], &error));
    CHECK_OK(ink_sketch_add_batch(sketch, &empty[3], &error));
    CHECK_OK(ink_sketch_contains_batch(sketch, &empty[0], NULL, &error));
    CHECK_OK(ink_sketch_hash_batch(sketch, &empty[3], NULL, &error));
    CHECK(sketches_unchanged(sketch, &before));
}

TEST(weights_are_refused_by_kinds_that_do_not_count)
{
    const uint64_t  hashes[] = {1}, weights[] = {5};
    const ink_batch batch = {.count = 1, .hashes = hashes, .weights = weights};
    owned_sketch   *a = files_sketch(&bloom, 0, 0, NULL), *b = files_sketch(&hll, 0, 0, NULL);

    CHECK_FAILS(ink_sketch_add_batch(a, &batch, &error), INK_UNSUPPORTED,
                "bloom does not count: it takes no weights");
    CHECK_FAILS(ink_sketch_add_batch(b, &batch, &error), INK_UNSUPPORTED, "hll does not count");
}

TEST(hashes_alone_do_not_do_for_mmh3)
{
    uint64_t        hashes[2] = {1, 2};
    const uint64_t  offsets[] = {0, 1, 2};
    const ink_batch alone = {.count = 2, .hashes = hashes};
    const ink_batch both = {
        .count = 2, .hashes = hashes, .data = (const uint8_t *)"ab", .offsets = offsets};
    owned_sketch *sketch = files_sketch(&mmh3, 0, 0, NULL);
    uint8_t       answers[2];

    CHECK_FAILS(ink_sketch_add_batch(sketch, &alone, &error), INK_UNSUPPORTED,
                "hash mmh3 has no 64 bits: it needs the keys themselves");
    CHECK_FAILS(ink_sketch_contains_batch(sketch, &alone, answers, &error), INK_UNSUPPORTED,
                "needs the keys themselves");
    CHECK_FAILS(ink_sketch_hash_batch(sketch, &both, hashes, &error), INK_UNSUPPORTED, "mmh3");
    CHECK_OK(ink_sketch_add_batch(sketch, &both, &error)); /* the keys are there */
    CHECK_OK(ink_sketch_contains_batch(sketch, &both, answers, &error));
    CHECK(answers[0] == 1 && answers[1] == 1);
}

/* ---- Questions ---------------------------------------------------------------------------- */

TEST(a_confidence_that_is_none_is_refused)
{
    const double  wrong[] = {-0.1, 1, 1.5, (double)NAN, (double)INFINITY};
    owned_sketch *sketch = files_sketch(&hll, 0, 100, NULL);
    ink_answer    answer = {.estimate = -1};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(ink_sketch_distinct(sketch, wrong[i], &answer, &error), INK_USAGE,
                    "expected above 0 and below 1");
    CHECK(answer.estimate == -1);
}

TEST(a_higher_confidence_has_a_wider_interval)
{
    owned_sketch *sketch = files_sketch(&hll, 0, 5000, NULL);
    ink_answer    narrow, usual, wide;

    CHECK_OK(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0.5, &narrow, &error));
    CHECK_OK(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0, &usual, &error));
    CHECK_OK(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0.999, &wide, &error));
    CHECK(usual.confidence == 0.95 && wide.confidence == 0.999);
    CHECK(wide.low < usual.low && usual.low < narrow.low && narrow.low < narrow.estimate);
    CHECK(wide.high > usual.high && usual.high > narrow.high);
    CHECK(narrow.estimate == wide.estimate);
}

TEST(no_interval_goes_below_0)
{
    const ink_params params = {.kind = "classic", .bits = 8, .hashes = 1};
    owned_sketch    *sketch = files_sketch(&params, 0, 500, NULL); /* full: a wide interval */
    ink_answer       answer;

    CHECK_OK(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0.9999999, &answer, &error));
    CHECK(answer.low == 0 && answer.estimate > 0);
}

/* ---- Combining ---------------------------------------------------------------------------- */

TEST(a_sketch_is_not_combined_with_itself)
{
    owned_sketch *sketch = files_sketch(&bloom, 0, 3, NULL);

    CHECK_FAILS(ink_sketch_merge(sketch, sketch, NULL, &error), INK_USAGE,
                "a sketch with itself, expected two");
    CHECK_FAILS(ink_sketch_intersect(sketch, sketch, &error), INK_USAGE, "a sketch with itself");
    CHECK(sketches_describe(sketch).records == 3);
}

TEST(sketches_that_do_not_go_together_are_refused_naming_both)
{
    const struct {
        ink_params  params;
        const char *words;
    } others[] = {
        {{.kind = "hll"}, "kinds differ: bloom and hll"},
        {{.kind = "bloom", .bits = 8192, .key_type = INK_KEY_INT, .hash = "xxh3"},
         "key types differ: bytes and int"},
        {{.kind = "bloom", .bits = 8192, .hash = "xxh64"}, "hashes differ: xxh3 and xxh64"},
        {{.kind = "bloom", .bits = 8192, .seed = 5}, "seeds differ: 0x696e6b6c696e6721 and 0x5"},
        {{.kind = "bloom", .bits = 8192, .secret = secret}, "hashes differ: xxh3 and siphash"},
    };
    owned_sketch     *sketch = files_sketch(&bloom, 0, 9, NULL);
    sketches_snapshot before = sketches_remember(sketch);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        owned_sketch *from = files_sketch(&others[i].params, 0, 9, NULL);
        CHECK_FAILS(ink_sketch_merge(sketch, from, NULL, &error), INK_MISMATCH, others[i].words);
        CHECK_FAILS(ink_sketch_intersect(sketch, from, &error), INK_MISMATCH, others[i].words);
    }
    CHECK(sketches_unchanged(sketch, &before));
}

TEST(rates_that_are_none_are_refused)
{
    const double  wrong[] = {-0.1, 1.5, (double)NAN};
    owned_sketch *a = files_sketch(&bloom, 0, 3, NULL), *b = files_sketch(&bloom, 0, 3, NULL);

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = wrong[i]}, &error),
                    INK_USAGE, "expected 0 to 1");
        CHECK_FAILS(ink_sketch_fold_to_rate(a, wrong[i], NULL, &error), INK_USAGE,
                    "expected above 0 and below 1");
    }
    CHECK_FAILS(
        ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 0.1, .parts = true}, &error),
        INK_USAGE, "max_rate for parts, whose rate is not looked at");
    ink_sketch *c = files_sketch(&hll, 0, 3, NULL), *d = files_sketch(&hll, 0, 3, NULL);
    CHECK_FAILS(ink_sketch_merge(c, d, &(ink_merge_options){.max_rate = 0.1}, &error), INK_USAGE,
                "max_rate, but hll has no false-positive rate");
    ink_sketch_free(c);
    ink_sketch_free(d);
    CHECK_FAILS(ink_sketch_fold_to_rate(a, 1, NULL, &error), INK_USAGE, "rate 1");
    CHECK_FAILS(ink_sketch_fold(a, 0, &error), INK_USAGE, "divisor 0, expected 1 or more");
    CHECK_OK(ink_sketch_merge(a, b, &(ink_merge_options){.max_rate = 1}, &error));
}

TEST(a_rate_that_is_allowed_when_a_filter_is_made_becomes_its_promise)
{
    static const struct {
        ink_params  params;
        double      promised;
        const char *refused;
    } rows[] = {
        {{.kind = "bloom", .expected_keys = 1000, .max_rate = 0.2}, 0.2, NULL},
        {{.kind = "bloom", .expected_keys = 1000, .max_rate = 0.01}, 0.01, NULL},
        {{.kind = "classic", .bits = 1000, .hashes = 2, .max_rate = 1}, 1, NULL},
        {{.kind = "counting", .expected_keys = 10, .max_rate = 0.005},
         0,
         "max_rate 0.005, expected"},
        {{.kind = "bloom", .expected_keys = 10, .max_rate = 1.5}, 0, "max_rate 1.5, expected 0.01"},
        {{.kind = "scalable", .max_rate = 0.5}, 0, "scalable has no max_rate"},
        {{.kind = "hll", .max_rate = 0.5}, 0, "hll has no max_rate"},
    };
    ink_description is;
    ink_draft      *draft;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ink_status status = ink_plan(&rows[i].params, &is, &error);
        if (rows[i].refused != NULL)
            CHECK_FAILS(status, INK_USAGE, rows[i].refused);
        else
            CHECK(status == INK_OK && is.promised_rate == rows[i].promised);
    }
    CHECK_FAILS(
        ink_draft_create(&draft, &(ink_params){.kind = "bloom", .max_rate = 0.5}, 0, NULL, &error),
        INK_USAGE, "max_rate for a draft");
}

TEST(a_view_can_be_asked_but_not_changed)
{
    const uint64_t  hash = 7;
    const ink_batch batch = {.count = 1, .hashes = &hash};
    owned_sketch   *sketch = files_sketch(&bloom, 0, 9, NULL);
    owned_view      view = sketches_view_of(sketch, INK_OPEN_CHECKED);

    CHECK_FAILS(ink_sketch_add(view.sketch, "a", 1, &error), INK_READ_ONLY,
                "this bloom is a view of a file: open the file with INK_OPEN_COPY, or copy");
    CHECK_FAILS(ink_sketch_add_int(view.sketch, 1, &error), INK_READ_ONLY, "is a view");
    CHECK_FAILS(ink_sketch_add_batch(view.sketch, &batch, &error), INK_READ_ONLY, "is a view");
    CHECK_FAILS(ink_sketch_merge(view.sketch, sketch, NULL, &error), INK_READ_ONLY, "is a view");
    CHECK_FAILS(ink_sketch_intersect(view.sketch, sketch, &error), INK_READ_ONLY, "is a view");
    CHECK_FAILS(ink_sketch_fold(view.sketch, 2, &error), INK_READ_ONLY, "is a view");
    CHECK_FAILS(ink_sketch_fold_to_rate(view.sketch, 0.5, NULL, &error), INK_READ_ONLY,
                "is a view");
    assert_int_equal(sketches_found(view.sketch, 0, 9), 9);
    CHECK(sketches_equal(view.sketch, sketch));
}

TEST(a_damaged_view_is_not_combined_nor_copied)
{
    ink_sketch       *sketch = files_sketch(&bloom, 0, 9, NULL), *copy;
    sketches_snapshot before = sketches_remember(sketch);
    owned_view        view = sketches_view_of(sketch, INK_OPEN_LAZY);
    uint8_t           payload[1024];

    view.bytes[files_payload_at(view.bytes) + 50] ^= 1;
    CHECK_FAILS(ink_sketch_merge(sketch, view.sketch, NULL, &error), INK_FORMAT,
                "payload bytes from here is wrong: the file is damaged");
    assert_int_equal(error.at, files_payload_at(view.bytes));
    CHECK_FAILS(ink_sketch_intersect(sketch, view.sketch, &error), INK_FORMAT, "is damaged");
    CHECK_FAILS(ink_sketch_copy(&copy, view.sketch, NULL, &error), INK_FORMAT, "is damaged");
    CHECK_FAILS(ink_sketch_payload(view.sketch, payload, sizeof payload, &error), INK_FORMAT,
                "is damaged");
    CHECK(sketches_unchanged(sketch, &before));
    ink_sketch_free(sketch);
}

/* ---- Copies and payloads ------------------------------------------------------------------ */

TEST(a_copy_depends_on_nothing)
{
    faults_memory memory = {0}, of_copy = {0};
    ink_allocator allocator = faults_allocator(&memory), other_one = faults_allocator(&of_copy);
    ink_sketch   *sketch = files_sketch(&hll, 0, 9, &allocator), *same, *elsewhere;

    CHECK_OK(ink_sketch_copy(&same, sketch, NULL, &error)); /* the allocator of the first */
    CHECK(memory.live_blocks == 4);
    CHECK_OK(ink_sketch_copy(&elsewhere, sketch, &other_one, &error));
    CHECK(memory.live_blocks == 4 && of_copy.live_blocks == 2);
    CHECK(sketches_equal(sketch, same));
    ink_sketch_free(sketch);
    CHECK_OK(ink_sketch_add(same, "x", 1, &error));
    CHECK(sketches_describe(same).records == 10);
    CHECK(sketches_describe(elsewhere).records == 9);
    ink_sketch_free(same);
    ink_sketch_free(elsewhere);
    faults_check_no_leak(&memory);
    faults_check_no_leak(&of_copy);
}

TEST(a_copy_keeps_the_secret)
{
    owned_sketch *sketch = files_sketch(&keyed, 0, 9, NULL), *copy = NULL;

    CHECK_OK(ink_sketch_copy(&copy, sketch, NULL, &error));
    assert_int_equal(sketches_found(copy, 0, 9), 9);
}

TEST(every_refusal_of_memory_while_copying_is_clean)
{
    uint8_t payload[27];

    for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
        owned_sketch *sketch = files_sketch(&hll, 0, 9, &run.allocator), *copy = NULL;
        faults_refuse_now(&run);
        faults_check_refused(&run, ink_sketch_copy(&copy, sketch, NULL, &error));
        faults_refuse_now(&run);
        if (faults_check_refused(&run, ink_sketch_payload(sketch, payload, 27, &error)))
            CHECK(strstr(error.message, "no memory for") != NULL);
    }
}

TEST(the_payload_is_what_stands_in_the_file)
{
    for (int i = 0; i < FORMS; i++) {
        owned_sketch     *sketch = files_sketch(&forms[i], 0, 20, NULL);
        size_t            bytes = (size_t)sketches_describe(sketch).bytes;
        uint8_t          *payload = malloc(bytes + 1);
        sketches_snapshot file = sketches_remember(sketch);
        CHECK_OK(ink_sketch_payload(sketch, payload, bytes, &error));
        assert_memory_equal(payload, file.bytes + files_payload_at(file.bytes), bytes);
        payload[bytes] = 77; /* more room is fine, and left alone */
        CHECK_OK(ink_sketch_payload(sketch, payload, bytes + 1, &error));
        CHECK(payload[bytes] == 77);
        if (bytes > 0)
            CHECK_FAILS(ink_sketch_payload(sketch, payload, bytes - 1, &error), INK_LIMIT,
                        "as the description says");
        free(payload);
        CHECK(sketches_unchanged(sketch, &file));
    }
}

TEST(an_empty_payload_needs_no_room)
{
    owned_sketch *sketch = files_sketch(&hll, 0, 0, NULL);

    CHECK_OK(ink_sketch_payload(sketch, NULL, 0, &error));
}

/* ---- Removal and conversion --------------------------------------------------------------- */

static const ink_params counting = {.kind = "counting", .bits = 65536};

TEST(a_key_is_added_and_taken_out_again)
{
    const ink_params of_ints = {.kind = "counting", .bits = 65536, .key_type = INK_KEY_INT};
    owned_sketch    *sketch = files_sketch(&counting, 0, 20, NULL);
    owned_sketch    *ints = files_sketch(&of_ints, 0, 20, NULL);
    bool             maybe = true;

    CHECK_OK(ink_sketch_remove(sketch, "key 7", 5, &error));
    CHECK_OK(ink_sketch_contains(sketch, "key 7", 5, &maybe, &error));
    CHECK(!maybe && sketches_found(sketch, 0, 20) == 19);
    CHECK_OK(ink_sketch_remove_int(ints, 7, &error));
    CHECK_OK(ink_sketch_contains_int(ints, 7, &maybe, &error));
    CHECK(!maybe && sketches_found(ints, 0, 20) == 19);
    CHECK(sketches_describe(sketch).records == 19 && sketches_describe(ints).records == 19);
    CHECK_FAILS(ink_sketch_remove(sketch, "key 7", 5, &error), INK_NOT_FOUND, "is not in");
    CHECK_FAILS(ink_sketch_remove_int(ints, 7, &error), INK_NOT_FOUND, "is not in");
    CHECK(sketches_describe(sketch).records == 19 && sketches_describe(ints).records == 19);
}

TEST(an_empty_batch_removes_nothing)
{
    const ink_batch   empty = {0}, wrong = {.count = 1};
    owned_sketch     *sketch = files_sketch(&counting, 0, 20, NULL);
    sketches_snapshot before = sketches_remember(sketch);

    CHECK_OK(ink_sketch_remove_batch(sketch, &empty, &error));
    CHECK_FAILS(ink_sketch_remove_batch(sketch, &wrong, &error), INK_USAGE, "a batch of 1 keys");
    CHECK(sketches_unchanged(sketch, &before));
}

TEST(keys_are_taken_out_of_a_keyed_sketch_with_its_secret_only)
{
    const ink_params params = {.kind = "counting", .expected_keys = 100, .secret = secret};
    owned_sketch    *sketch = files_sketch(&params, 0, 9, NULL);
    owned_view       view = sketches_view_of(sketch, INK_OPEN_COPY);

    CHECK_FAILS(ink_sketch_remove(view.sketch, "key 1", 5, &error), INK_MISMATCH,
                "unlock the sketch");
    CHECK_OK(ink_sketch_unlock(view.sketch, secret, &error));
    CHECK_OK(ink_sketch_remove(view.sketch, "key 1", 5, &error));
    assert_int_equal(sketches_found(view.sketch, 0, 9), 8);
}

TEST(a_conversion_depends_on_nothing)
{
    faults_memory memory = {0}, of_bloom = {0};
    ink_allocator allocator = faults_allocator(&memory), other_one = faults_allocator(&of_bloom);
    ink_sketch   *sketch = files_sketch(&counting, 0, 20, &allocator), *here, *elsewhere;

    CHECK_OK(ink_sketch_convert(&here, sketch, "bloom", NULL, &error)); /* its own allocator */
    CHECK_OK(ink_sketch_convert(&elsewhere, sketch, "bloom", &other_one, &error));
    CHECK(memory.live_blocks == 4 && of_bloom.live_blocks == 2);
    ink_sketch_free(sketch);
    CHECK_OK(ink_sketch_add(here, "more", 4, &error));
    CHECK(sketches_describe(here).records == 21 && sketches_describe(elsewhere).records == 20);
    assert_int_equal(sketches_found(here, 0, 20), 20);
    ink_sketch_free(here);
    ink_sketch_free(elsewhere);
    faults_check_no_leak(&memory);
    faults_check_no_leak(&of_bloom);
}

/* ---- Keyed mode --------------------------------------------------------------------------- */

TEST(the_secret_is_never_in_the_file)
{
    owned_sketch     *sketch = files_sketch(&keyed, 0, 50, NULL);
    sketches_snapshot file = sketches_remember(sketch);
    uint8_t           backwards[INK_SECRET_BYTES];

    for (size_t i = 0; i < INK_SECRET_BYTES; i++)
        backwards[i] = secret[INK_SECRET_BYTES - 1 - i];
    for (size_t at = 0; at + 4 <= file.count; at++)
        for (size_t part = 0; part + 4 <= INK_SECRET_BYTES; part++) {
            CHECK(memcmp(file.bytes + at, secret + part, 4) != 0);
            CHECK(memcmp(file.bytes + at, backwards + part, 4) != 0);
        }
    CHECK(sketches_unchanged(sketch, &file));
}

/* An allocator that looks for the secret in what it is given back. */
typedef struct searcher {
    unsigned blocks, found;
} searcher;

static void *searching_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    searcher *here = host;

    if (new_bytes > 0)
        return calloc(1, new_bytes); /* what no one wrote may be looked at too */
    here->blocks++;
    for (size_t at = 0; at + INK_SECRET_BYTES / 2 <= old_bytes; at++)
        here->found +=
            memcmp((uint8_t *)block + at, secret, INK_SECRET_BYTES / 2) == 0 ||
            memcmp((uint8_t *)block + at, secret + INK_SECRET_BYTES / 2, INK_SECRET_BYTES / 2) == 0;
    free(block);
    return NULL;
}

TEST(the_secret_is_wiped_before_memory_is_given_back)
{
    searcher      here = {0};
    ink_allocator allocator = {.resize = searching_resize, .host = &here};
    ink_sketch   *sketch = files_sketch(&keyed, 0, 1, &allocator), *copy;
    uint8_t      *bytes;
    size_t        count;

    CHECK_OK(ink_sketch_copy(&copy, sketch, NULL, &error));
    CHECK_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
    ink_bytes_free(bytes, count, &allocator);
    ink_sketch_free(sketch);
    ink_sketch_free(copy);
    CHECK(here.blocks >= 4);
    assert_int_equal(here.found, 0);
}

TEST(a_keyed_sketch_from_a_file_takes_keys_only_with_its_secret)
{
    const uint64_t  offsets[] = {0, 1};
    const ink_batch batch = {.count = 1, .data = (const uint8_t *)"a", .offsets = offsets};
    owned_sketch   *sketch = files_sketch(&keyed, 0, 50, NULL);
    owned_view      view = sketches_view_of(sketch, INK_OPEN_COPY);
    uint64_t        hashes[1];
    bool            maybe;

    CHECK_FAILS(ink_sketch_add(view.sketch, "a", 1, &error), INK_MISMATCH,
                "the keys are hashed with a secret: unlock the sketch with it first");
    CHECK_FAILS(ink_sketch_contains(view.sketch, "a", 1, &maybe, &error), INK_MISMATCH,
                "unlock the sketch");
    CHECK_FAILS(ink_sketch_hash_batch(view.sketch, &batch, hashes, &error), INK_MISMATCH, "unlock");
    CHECK_FAILS(ink_sketch_unlock(view.sketch, other, &error), INK_MISMATCH,
                "another secret: its check value is");
    CHECK_FAILS(ink_sketch_add(view.sketch, "a", 1, &error), INK_MISMATCH, "unlock the sketch");

    CHECK_OK(ink_sketch_unlock(view.sketch, secret, &error));
    assert_int_equal(sketches_found(view.sketch, 0, 50), 50);
    CHECK(sketches_found(view.sketch, 50, 100) < 10);
    CHECK_OK(ink_sketch_add(view.sketch, "a", 1, &error));
}

TEST(a_keyed_sketch_merges_and_folds_without_its_secret)
{
    owned_sketch *sketch = files_sketch(&keyed, 0, 20, NULL);
    owned_sketch *more = files_sketch(&keyed, 20, 20, NULL);
    owned_view    view = sketches_view_of(sketch, INK_OPEN_COPY);

    CHECK_OK(ink_sketch_merge(view.sketch, more, NULL, &error));
    CHECK_OK(ink_sketch_unlock(view.sketch, secret, &error));
    assert_int_equal(sketches_found(view.sketch, 0, 40), 40);
}

TEST(sketches_with_different_secrets_do_not_meet)
{
    const ink_params another = {.kind = "bloom", .expected_keys = 100, .secret = other};
    owned_sketch    *a = files_sketch(&keyed, 0, 3, NULL), *b = files_sketch(&another, 0, 3, NULL);

    CHECK_FAILS(ink_sketch_merge(a, b, NULL, &error), INK_MISMATCH,
                "secrets differ: their check values are");
}

TEST(a_sketch_without_a_secret_cannot_be_unlocked)
{
    owned_sketch *sketch = files_sketch(&bloom, 0, 3, NULL);

    CHECK_FAILS(ink_sketch_unlock(sketch, secret, &error), INK_MISMATCH,
                "a secret was given, but the keys are hashed with xxh3, without one");
}

/* ---- No error to fill --------------------------------------------------------------------- */

TEST(every_call_fails_as_well_without_an_error_to_fill)
{
    const ink_params wrong = {.kind = "bloom"};
    const ink_batch  batch = {.count = 1};
    ink_sketch      *a = files_sketch(&bloom, 0, 3, NULL), *b = files_sketch(&hll, 0, 3, NULL), *c;
    ink_description  described;
    ink_answer       answer;
    uint8_t          byte;
    uint64_t         hash;
    double           rate;
    bool             maybe;

    CHECK(ink_sketch_create(&c, &wrong, NULL, NULL) == INK_USAGE);
    CHECK(ink_plan(&wrong, &described, NULL) == INK_USAGE);
    CHECK(ink_sketch_add_int(a, 1, NULL) == INK_MISMATCH);
    CHECK(ink_sketch_add_batch(a, &batch, NULL) == INK_USAGE);
    CHECK(ink_sketch_contains_int(a, 1, &maybe, NULL) == INK_MISMATCH);
    CHECK(ink_sketch_contains(b, "a", 1, &maybe, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_contains_batch(a, &batch, &byte, NULL) == INK_USAGE);
    CHECK(ink_sketch_hash_batch(a, &batch, &hash, NULL) == INK_USAGE);
    CHECK(ink_sketch_distinct(a, 2, &answer, NULL) == INK_USAGE);
    CHECK(ink_sketch_rate(b, &rate, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_merge(a, b, NULL, NULL) == INK_MISMATCH);
    CHECK(ink_sketch_intersect(a, b, NULL) == INK_MISMATCH);
    CHECK(ink_sketch_fold(a, 3, NULL) == INK_USAGE);
    CHECK(ink_sketch_fold_to_rate(a, 2, NULL, NULL) == INK_USAGE);
    CHECK(ink_sketch_unlock(a, secret, NULL) == INK_MISMATCH);
    CHECK(ink_sketch_payload(a, &byte, 1, NULL) == INK_LIMIT);
    CHECK(ink_sketch_decode(&c, &byte, 0, NULL, NULL) == INK_FORMAT);
    ink_sketch_free(a);
    ink_sketch_free(b);
}

TEST(a_kind_reports_which_sizes_it_has_whatever_their_values)
{
    CHECK_OK(ink_kind_takes(&(ink_params){.kind = "bloom", .expected_keys = 1, .bits = 1}, &error));
    CHECK_OK(ink_kind_takes(&(ink_params){.kind = "hll"}, &error));
    CHECK_OK(ink_kind_takes(&(ink_params){.kind = "top", .phi = 7}, &error));
    CHECK_FAILS(ink_kind_takes(&(ink_params){.kind = "top", .epsilon = 0.1}, &error), INK_USAGE,
                "top has no epsilon");
    CHECK_FAILS(ink_kind_takes(&(ink_params){.kind = "hll", .conservative = true}, &error),
                INK_USAGE, "hll has no conservative");
    CHECK_FAILS(ink_kind_takes(&(ink_params){.kind = "blom"}, &error), INK_USAGE, "bloom");
}

RUN_TESTS()
