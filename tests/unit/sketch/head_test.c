/* head_test.c - heads: with its payload a head is the sketch again, whatever the kind; payloads
 * that are merged slice by slice by their heads are those of a merge; and bytes that are no head,
 * or that do not fit together, are refused by what was found. */
#include "base/checksum.h"
#include "properties/sketches.h"
#include "sketch/internal.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

/* Where a head has what; written down here once more, so that a change is noticed. */
enum {
    VERSION_AT = 8,
    FLAGS_AT = 10,
    KEY_TYPE_AT = 12,
    HASH_AT = 14,
    SEED_AT = 16,
    CHECK_AT = 24,
    KIND_AT = 32,
    POSITION_RULE_AT = 34,
    LAYOUT_AT = 36,
    ZERO_AT = 38,
    RECORDS_AT = 40,
    PAYLOAD_AT = 48,
    FIELD_AT = 56, /* eight of 8 bytes */
    CHECKSUM_AT = 120,
};

static ink__head head_of(const ink_sketch *sketch)
{
    ink__head head;

    ink__sketch_head(sketch, &head);
    return head;
}

static bool same_heads(const ink__head *a, const ink__head *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static ink__head_info info_of(const ink__head *head)
{
    ink__head_info info;

    CHECK_OK(ink__head_describe(head, &info, &error));
    return info;
}

/* ---- A head and a payload ----------------------------------------------------------------- */

TEST(a_head_and_a_payload_are_the_sketch_again)
{
    for (size_t i = 0; i < VARIANTS; i++)
        for (unsigned filled = 0; filled < 2; filled++) {
            ink_sketch *sketch = make_with(&variants[i].params, 0, filled * variants[i].keys);
            ink__head   head = head_of(sketch);
            size_t      bytes;
            uint8_t    *payload = payload_of(sketch, &bytes);
            ink_sketch *opened;
            CHECK_OK(ink__head_open(&opened, &head, payload, NULL, &error));
            CHECK(sketches_equal(sketch, opened));
            ink__head again = head_of(opened);
            CHECK(same_heads(&head, &again));
            CHECK(sketches_describe(opened).read_only);
            ink__head_info info = info_of(&head);
            assert_string_equal(info.kind, variants[i].params.kind);
            assert_int_equal(info.payload_bytes, bytes);
            assert_int_equal(info.records, filled * variants[i].keys);
            ink_sketch_free(opened);
            ink_sketch_free(sketch);
            test_free(payload);
        }
}

TEST(the_head_of_a_plan_is_that_of_the_sketch_which_would_be_made)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        owned_sketch *sketch = make(&variants[i].params);
        ink__head     head = head_of(sketch), planned;
        CHECK_OK(ink__plan_head(&variants[i].params, 77, &planned, &error));
        CHECK(!same_heads(&head, &planned));
        ink__head_set_records(&head, 77);
        CHECK(same_heads(&head, &planned));
    }
    ink__head head;
    CHECK_FAILS(ink__plan_head(&(ink_params){.kind = "blom"}, 0, &head, &error), INK_USAGE, "blom");
    CHECK_FAILS(ink__plan_head(&(ink_params){.kind = "bloom"}, 0, &head, &error), INK_USAGE,
                "expected_keys");
}

TEST(a_secret_is_not_in_a_head_but_needed_for_keys)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 200, .secret = a_secret};
    ink_sketch      *sketch = make_with(&params, 0, 200), *opened;
    ink__head        head = head_of(sketch);
    size_t           bytes;
    uint8_t         *payload = payload_of(sketch, &bytes);
    bool             maybe;

    for (size_t at = 0; at + 8 <= sizeof head; at++) {
        assert_memory_not_equal(head.bytes + at, a_secret, 8);
        assert_memory_not_equal(head.bytes + at, a_secret + 8, 8);
    }
    CHECK_OK(ink__head_open(&opened, &head, payload, NULL, &error));
    CHECK_FAILS(ink_sketch_contains(opened, "x", 1, &maybe, &error), INK_MISMATCH, "secret");
    CHECK_FAILS(ink_sketch_unlock(opened, another_secret, &error), INK_MISMATCH, "another secret");
    CHECK_OK(ink_sketch_unlock(opened, a_secret, &error));
    CHECK(may_contain(opened, 7));
    CHECK_FAILS(ink_sketch_add(opened, "x", 1, &error), INK_READ_ONLY, "view");
    ink_sketch_free(opened);
    ink_sketch_free(sketch);
    test_free(payload);
}

TEST(a_payload_is_checked_before_it_is_opened)
{
    const ink_params classic = {.kind = "classic", .bits = 20, .hashes = 2};
    const ink_params fm = {.kind = "fm", .width = 4, .depth = 2};
    const uint8_t    above[3] = {0, 0, 0x10}, mixed[8] = {1, 1, 1, 0, 1, 1, 1, 1};
    ink_sketch      *opened = NULL;
    ink__head        head;

    CHECK_OK(ink__plan_head(&classic, 0, &head, &error));
    CHECK_FAILS(ink__head_open(&opened, &head, above, NULL, &error), INK_FORMAT,
                "bits 0x1 set above the last one");
    CHECK(error.location == INK_AT_BYTE && error.at == 2);
    CHECK_OK(ink__plan_head(&fm, 0, &head, &error));
    CHECK_FAILS(ink__head_open(&opened, &head, mixed, NULL, &error), INK_FORMAT,
                "sub-sketches with and without a key");
    CHECK(error.location == INK_AT_BYTE && error.at == 3);
    assert_int_equal(ink__head_open(&opened, &head, mixed, NULL, NULL), INK_FORMAT);
    CHECK(opened == NULL);
}

TEST(every_refusal_of_memory_while_opening_is_clean)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        owned_sketch *sketch = make_with(&variants[i].params, 0, variants[i].keys);
        ink__head     head = head_of(sketch);
        size_t        bytes;
        uint8_t      *payload = payload_of(sketch, &bytes);
        for (faults_refusals run = {0}; faults_refusals_next(&run);) {
            owned_sketch *opened = NULL;
            ink_status    status = ink__head_open(&opened, &head, payload, &run.allocator, &error);
            CHECK((opened == NULL) == faults_check_refused(&run, status));
        }
        test_free(payload);
    }
}

/* ---- Slices of one payload ---------------------------------------------------------------- */

TEST(slices_of_any_size_are_the_payload)
{
    static const size_t sizes[] = {1, 7, 64, 1000, SIZE_MAX};

    for (size_t i = 0; i < VARIANTS; i++) {
        owned_sketch *sketch = make_with(&variants[i].params, 0, variants[i].keys);
        owned_view    view = sketches_view_of(sketch, INK_OPEN_LAZY);
        size_t        bytes;
        uint8_t      *payload = payload_of(sketch, &bytes), *slices = test_malloc(bytes + 1);
        for (size_t s = 0; s < 5; s++)
            for (unsigned lazy = 0; lazy < 2; lazy++) {
                size_t step = sizes[s] < bytes / 50 ? bytes / 50 + sizes[s] : sizes[s];
                memset(slices, 0xee, bytes + 1);
                for (size_t at = 0, next; at < bytes; at = next) {
                    next = bytes - at < step ? bytes : at + step;
                    CHECK_OK(ink__sketch_payload_slice(lazy ? view.sketch : sketch, at, slices + at,
                                                       next - at, &error));
                }
                assert_memory_equal(slices, payload, bytes);
                assert_int_equal(slices[bytes], 0xee);
            }
        CHECK_OK(ink__sketch_payload_slice(sketch, bytes, slices, 0, &error));
        CHECK_FAILS(ink__sketch_payload_slice(sketch, bytes, slices, 1, &error), INK_USAGE,
                    "expected some of the payload's");
        CHECK_FAILS(ink__sketch_payload_slice(sketch, UINT64_MAX, slices, 2, &error), INK_USAGE,
                    "2 bytes from byte 18446744073709551615 on");
        CHECK_FAILS(ink__sketch_payload_slice(sketch, 1, slices, bytes, &error), INK_USAGE,
                    "byte 1");
        test_free(slices);
        test_free(payload);
    }
}

TEST(a_slice_of_a_view_is_checked_and_the_rest_is_not)
{
    const ink_params params = {.kind = "bloom", .bits = (uint64_t)8 * 3 << 20};
    owned_sketch    *sketch = make(&params);
    owned_view       view = sketches_view_of(sketch, INK_OPEN_LAZY);
    uint8_t          slice[100];

    view.bytes[files_payload_at(view.bytes) + (3 << 19)] ^= 1; /* in its second piece */
    CHECK_OK(ink__sketch_payload_slice(view.sketch, 0, slice, sizeof slice, &error));
    CHECK_OK(ink__sketch_payload_slice(view.sketch, 2 << 20, slice, sizeof slice, &error));
    CHECK_FAILS(ink__sketch_payload_slice(view.sketch, 1 << 20, slice, sizeof slice, &error),
                INK_FORMAT, "checksum");
    CHECK_FAILS(ink__sketch_payload_slice(view.sketch, (1 << 20) - 1, slice, 2, &error), INK_FORMAT,
                "checksum");
}

/* ---- Slices of two payloads --------------------------------------------------------------- */

/* Merges all of `from` with `into`, in slices of random sizes, in a random order. */
static void merge_in_slices(const ink__head *head, uint8_t *into, const uint8_t *from, size_t bytes,
                            generator *random)
{
    enum { CUTS = 20 };
    size_t cuts[CUTS + 2] = {0}, unit = info_of(head).unit;

    cuts[CUTS + 1] = bytes;
    for (size_t i = 1; i <= CUTS; i++) { /* rising */
        size_t left = (bytes - cuts[i - 1]) / unit;
        cuts[i] = cuts[i - 1] + unit * (size_t)random_below(random, left / 4 + 1);
    }
    for (size_t i = 0, first = (size_t)random_below(random, CUTS + 1); i <= CUTS; i++) {
        size_t at = (first + i) % (CUTS + 1), count = cuts[at + 1] - cuts[at];
        CHECK_OK(
            ink__head_merge_slice(head, cuts[at], into + cuts[at], from + cuts[at], count, &error));
    }
}

/* A part whose counters are near their end, where the kind has such. */
static ink_sketch *random_part(const struct variant *variant, generator *random)
{
    ink_sketch *sketch = make(&variant->params);

    for (uint64_t i = random_below(random, variant->keys + 1); i > 0; i--)
        add_key(sketch, random_below(random, variant->keys));
    if (takes_weights(variant) && random_below(random, 2) == 1)
        add_weighted(sketch, random_below(random, variant->keys), next_random(random));
    return sketch;
}

TEST(payloads_united_in_slices_are_those_of_a_merge)
{
    unsigned sliced = 0;

    for (size_t i = 0; i < VARIANTS; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            generator   random = {seed};
            ink_sketch *a = random_part(&variants[i], &random);
            ink_sketch *b = random_part(&variants[i], &random), *opened;
            ink__head   head = head_of(a), other = head_of(b);
            size_t      bytes, same_bytes;
            uint8_t    *into = payload_of(a, &bytes), *from = payload_of(b, &same_bytes);
            if (info_of(&head).slices) {
                sliced++;
                merge_in_slices(&head, into, from, bytes, &random);
                CHECK_OK(ink__head_add(&head, &other, &error));
                CHECK_OK(ink__head_open(&opened, &head, into, NULL, &error));
                merge_parts(a, b);
                CHECK(sketches_equal(a, opened));
                ink_sketch_free(opened);
            }
            ink_sketch_free(a);
            ink_sketch_free(b);
            test_free(into);
            test_free(from);
        }
    CHECK(sliced > 4 * 20);
}

TEST(slices_are_reported_by_kind_and_counters)
{
    static const struct {
        ink_params params;
        bool       slices;
        uint32_t   unit;
    } kinds[] = {
        {{.kind = "bloom", .bits = 256}, true, 1},
        {{.kind = "classic", .bits = 9, .hashes = 1}, true, 1},
        {{.kind = "counting", .bits = 1024}, true, 1},
        {{.kind = "scalable"}, false, 1},
        {{.kind = "count-min", .width = 3, .depth = 3}, true, 4},
        {{.kind = "count-min", .width = 3, .depth = 3, .conservative = true}, true, 4},
        {{.kind = "count-min", .width = 3, .depth = 3, .counter_bits = 64}, true, 8},
        {{.kind = "top"}, false, 1},
        {{.kind = "fm"}, true, 1},
        {{.kind = "hll"}, false, 1},
        {{.kind = "theta"}, false, 1},
    };
    uint8_t bytes[4] = {0};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ink__head head;
        CHECK_OK(ink__plan_head(&kinds[i].params, 0, &head, &error));
        ink__head_info info = info_of(&head);
        CHECK(info.slices == kinds[i].slices && info.unit == kinds[i].unit);
        if (!info.slices)
            CHECK_FAILS(ink__head_merge_slice(&head, 0, bytes, bytes, 0, &error), INK_UNSUPPORTED,
                        "cannot be merged slice by slice, expected whole sketches");
    }
}

TEST(a_slice_that_is_none_is_refused)
{
    const ink_params params = {.kind = "count-min", .width = 5, .depth = 1};
    uint8_t          bytes[24] = {0};
    ink__head        head;

    CHECK_OK(ink__plan_head(&params, 0, &head, &error));
    CHECK_OK(ink__head_merge_slice(&head, 16, bytes, bytes + 4, 4, &error));
    CHECK_OK(ink__head_merge_slice(&head, 20, bytes, bytes, 0, &error));
    CHECK_FAILS(ink__head_merge_slice(&head, 20, bytes, bytes + 4, 4, &error), INK_USAGE,
                "4 bytes from byte 20 on, expected multiples of 4 among the payload's 20");
    CHECK_FAILS(ink__head_merge_slice(&head, 2, bytes, bytes + 4, 4, &error), INK_USAGE,
                "byte 2 on");
    CHECK_FAILS(ink__head_merge_slice(&head, 0, bytes, bytes + 4, 6, &error), INK_USAGE, "6 bytes");
    CHECK_FAILS(ink__head_merge_slice(&head, UINT64_MAX - 3, bytes, bytes, 4, &error), INK_USAGE,
                "4 bytes from byte 18446744073709551612 on");
}

/* ---- Two heads ---------------------------------------------------------------------------- */

TEST(records_and_totals_add_up_and_nothing_else_does)
{
    const ink_params params = {.kind = "count-min", .width = 5, .depth = 2};
    owned_sketch    *a = make(&params), *b = make(&params);

    add_weighted(a, 1, 40);
    add_weighted(b, 1, UINT64_MAX - 50);
    ink__head one = head_of(a), other = head_of(b), sum = one;
    CHECK_OK(ink__head_match(&one, &other, &error));
    CHECK_OK(ink__head_add(&sum, &other, &error));
    merge_parts(a, b);
    ink__head merged = head_of(a);
    CHECK(same_heads(&merged, &sum));
    assert_int_equal(info_of(&sum).records, 2);
    CHECK_OK(ink__head_add(&sum, &other, &error)); /* the total stops, as in a merge */
    merge_parts(a, b);
    merged = head_of(a);
    CHECK(same_heads(&merged, &sum));
    ink__head_set_records(&sum, UINT64_MAX);
    CHECK_OK(ink__head_add(&sum, &one, &error));
    CHECK(info_of(&sum).records == UINT64_MAX);
}

TEST(what_differs_between_two_heads_is_named)
{
    static const uint8_t    other_secret[INK_SECRET_BYTES] = "another secret..";
    static const ink_params bloom = {.kind = "bloom", .expected_keys = 1000};
    static const ink_params keyed = {.kind = "bloom", .expected_keys = 1000, .secret = a_secret};
    static const ink_params rows = {.kind = "count-min", .width = 7, .depth = 2};
    static const struct {
        const ink_params *one;
        ink_params        other;
        const char       *words;
    } pairs[] = {
        {&bloom, {.kind = "hll"}, "kinds differ: bloom and hll"},
        {&bloom, {.kind = "bloom", .expected_keys = 900}, "expected keys differ: 1000 and 900"},
        {&bloom, {.kind = "bloom", .expected_keys = 1000, .seed = 5}, "seeds differ"},
        {&bloom,
         {.kind = "bloom", .expected_keys = 1000, .false_positive_rate = 0.02},
         "target rates differ: 0.01 and 0.02"},
        {&bloom, {.kind = "bloom", .expected_keys = 1000, .key_type = INK_KEY_INT}, "key types"},
        {&bloom, {.kind = "bloom", .expected_keys = 1000, .hash = "xxh64"}, "xxh3 and xxh64"},
        {&keyed, {.kind = "bloom", .expected_keys = 1000, .secret = other_secret}, "secrets"},
        {&rows, {.kind = "count-min", .width = 8, .depth = 2}, "widths differ: 7 and 8"},
        {&rows, {.kind = "count-min", .width = 7, .depth = 3}, "depths differ: 2 and 3"},
        {&rows, {.kind = "count-min", .width = 7, .depth = 2, .counter_bits = 64}, "counter bits"},
        {&rows,
         {.kind = "count-min", .width = 7, .depth = 2, .conservative = true},
         "conservative"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        ink__head one, other;
        CHECK_OK(ink__plan_head(pairs[i].one, 3, &one, &error));
        CHECK_OK(ink__plan_head(&pairs[i].other, 4, &other, &error));
        const ink__head before = one;
        CHECK_FAILS(ink__head_match(&one, &other, &error), INK_MISMATCH, pairs[i].words);
        CHECK_FAILS(ink__head_add(&one, &other, &error), INK_MISMATCH, pairs[i].words);
        CHECK(same_heads(&one, &before));
        CHECK_OK(ink__head_match(&one, &one, &error));
    }
}

TEST(tables_that_hold_other_keys_do_not_match)
{
    const ink_params params = {.kind = "top"};
    owned_sketch    *a = make_with(&params, 0, 10), *b = make_with(&params, 0, 11);
    ink__head        one = head_of(a), other = head_of(b);

    CHECK_FAILS(ink__head_match(&one, &other, &error), INK_MISMATCH, "of kind top hold differs");
}

/* ---- Bytes that are no head --------------------------------------------------------------- */

/* All calls refuse it, with and without an error to fill. */
static void check_refused(const ink__head *bad, const ink__head *good)
{
    ink__head_info info;
    ink__head      into = *good, as_into = *bad;
    ink_sketch    *opened;
    uint8_t        byte = 0;

    assert_int_equal(ink__head_describe(bad, &info, NULL), INK_FORMAT);
    assert_int_equal(ink__head_match(bad, good, &error), INK_FORMAT);
    assert_int_equal(ink__head_match(good, bad, &error), INK_FORMAT);
    assert_int_equal(ink__head_add(&into, bad, &error), INK_FORMAT);
    assert_int_equal(ink__head_add(&as_into, good, &error), INK_FORMAT);
    CHECK(same_heads(&into, good) && same_heads(&as_into, bad));
    assert_int_equal(ink__head_merge_slice(bad, 0, &byte, &byte, 0, &error), INK_FORMAT);
    assert_int_equal(ink__head_open(&opened, bad, &byte, NULL, &error), INK_FORMAT);
    assert_int_equal(ink__head_describe(bad, &info, &error), INK_FORMAT);
}

TEST(every_bit_of_a_head_is_guarded)
{
    for (size_t i = 0; i < VARIANTS; i += 5) {
        owned_sketch *sketch = make_with(&variants[i].params, 0, variants[i].keys);
        ink__head     good = head_of(sketch);
        for (size_t bit = 0; bit < 8 * sizeof good; bit++) {
            ink__head bad = good;
            bad.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            check_refused(&bad, &good);
            ink__head_set_records(&bad, 9); /* does not make it one */
            assert_int_equal(ink__head_describe(&bad, &(ink__head_info){0}, &error), INK_FORMAT);
        }
    }
}

TEST(a_forged_head_is_refused_at_the_field_that_is_wrong)
{
    static const ink_params bloom = {.kind = "bloom", .expected_keys = 1000};
    static const ink_params mmh3 = {.kind = "classic", .bits = 99, .hashes = 2, .hash = "mmh3"};
    static const ink_params rows = {.kind = "count-min", .width = 7, .depth = 2};
    static const struct {
        const ink_params *params;
        unsigned          at, width;
        uint64_t          value;
        const char       *words;
    } forged[] = {
        {&bloom, 0, 1, 'I', "other first bytes, expected the head of a sketch"},
        {&bloom, VERSION_AT, 2, 2, "a head of version 2, expected 1"},
        {&bloom, FLAGS_AT, 2, 4, "flags 0x4 of a head, expected none"},
        {&bloom, KEY_TYPE_AT, 2, 2, "key type 2, expected 0 or 1"},
        {&bloom, HASH_AT, 2, 99, "hash 99 is unknown: a newer library is needed"},
        {&bloom, HASH_AT, 2, 2, "hash mix64 does not go with bytes keys"},
        {&mmh3, SEED_AT, 8, (uint64_t)1 << 32, "seed 4294967296"},
        {&bloom, CHECK_AT, 8, 1, "check value of a secret"},
        {&bloom, KIND_AT, 2, 99, "kind 99 is unknown"},
        {&bloom, KIND_AT, 2, 0, "kind 0 is unknown"},
        {&bloom, POSITION_RULE_AT, 2, 2, "position rule 2 does not go with kind bloom"},
        {&mmh3, POSITION_RULE_AT, 2, 2, "position rule 2 does not go with kind classic"},
        {&bloom, POSITION_RULE_AT, 2, 99, "position rule 99 is unknown: a newer library is needed"},
        {&bloom, LAYOUT_AT, 2, 2, "layout 2 of kind bloom is unknown: a newer library is needed"},
        {&bloom, ZERO_AT, 2, 7, "7 after the layout, expected 0"},
        {&bloom, PAYLOAD_AT, 8, 33, "a bloom of 33 bytes"},
        {&bloom, FIELD_AT + 8, 8, UINT64_MAX, "target rate"},
        {&bloom, FIELD_AT + 24, 8, 1, "parameter 3, but bloom has only 3"},
        {&bloom, FIELD_AT + 56, 8, 1, "parameter 7, but bloom has only 3"},
        {&rows, FIELD_AT, 8, 0, "0 counters in a row"},
        {&rows, FIELD_AT + 16, 8, 33, "counters of 33 bits"},
        {&rows, PAYLOAD_AT, 8, 60, "a count-min of 60 bytes, expected 56"},
    };

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        ink__head good, bad;
        CHECK_OK(ink__plan_head(forged[i].params, 5, &good, &error));
        bad = good;
        files_set(bad.bytes + forged[i].at, forged[i].width, forged[i].value);
        files_set(bad.bytes + CHECKSUM_AT, 8, ink__checksum(bad.bytes, CHECKSUM_AT));
        check_refused(&bad, &good);
        CHECK_FAILS(ink__head_describe(&bad, &(ink__head_info){0}, &error), INK_FORMAT,
                    forged[i].words);
        CHECK(error.location == INK_AT_BYTE);
        assert_int_equal(error.at, forged[i].at);
    }
}

TEST(records_may_be_any_number)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 10};
    ink__head        head;

    CHECK_OK(ink__plan_head(&params, UINT64_MAX, &head, &error));
    CHECK(info_of(&head).records == UINT64_MAX);
    assert_int_equal(files_get(head.bytes + RECORDS_AT, 8), UINT64_MAX);
    ink__head_set_records(&head, 0);
    CHECK(info_of(&head).records == 0);
}

RUN_TESTS()
