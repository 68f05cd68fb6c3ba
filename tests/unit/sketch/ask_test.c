/* ask_test.c - which kind answers which question: what it does not know is refused by its name,
 * nothing is answered then, and nothing changes. What the answers are is in the tests of the
 * kinds. */
#include "sketch/internal.h"
#include "sketch/kinds/kind.h"

#include "support/check.h"
#include "support/files.h"
#include "support/sketches.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static ink_error error;

enum {
    MEMBERSHIP = 1 << 0, /* contains, rate, add_new */
    COUNT = 1 << 1,
    KEPT = 1 << 2, /* top, over */
    DOT = 1 << 3,
    DISTINCT = 1 << 4,
    POWERS = 1 << 5, /* the other estimator */
    REMOVE = 1 << 6,
    INTERSECT = 1 << 7,
    FOLD = 1 << 8,
    WEIGHTS = 1 << 9,
    SHARE = 1 << 10, /* over_batch */
    SUBTRACT = 1 << 11,
    OVERLAP = 1 << 12,
};

static const struct {
    ink_params params;
    unsigned   knows;
} kinds[] = {
    {{.kind = "bloom", .bits = 1024}, MEMBERSHIP | DISTINCT | INTERSECT | FOLD},
    {{.kind = "classic", .bits = 1024, .hashes = 3}, MEMBERSHIP | DISTINCT | INTERSECT | FOLD},
    {{.kind = "counting", .bits = 4096}, MEMBERSHIP | DISTINCT | REMOVE | FOLD | WEIGHTS | COUNT},
    {{.kind = "scalable", .expected_keys = 100}, MEMBERSHIP | DISTINCT},
    {{.kind = "count-min", .width = 50, .depth = 3}, COUNT | SHARE | DOT | WEIGHTS},
    {{.kind = "top", .phi = 0.1}, COUNT | SHARE | KEPT | WEIGHTS},
    {{.kind = "fm"}, DISTINCT | POWERS},
    {{.kind = "hll"}, DISTINCT | OVERLAP},
    {{.kind = "theta"}, DISTINCT | INTERSECT | SUBTRACT | OVERLAP},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* A call that a kind knows succeeds; otherwise it fails with this message about the kind. */
static void check_call(size_t kind, unsigned asked, ink_status status, const char *words)
{
    char message[256];

    if ((kinds[kind].knows & asked) != 0) {
        if (status != INK_OK)
            fail_msg("%s: %s", kinds[kind].params.kind, error.message);
        return;
    }
    if (status != INK_UNSUPPORTED)
        fail_msg("%s %s: %s, expected INK_UNSUPPORTED", kinds[kind].params.kind, words,
                 ink_status_name(status));
    snprintf(message, sizeof message, "%s %s", kinds[kind].params.kind, words);
    if (strncmp(error.message, message, strlen(message)) != 0)
        fail_msg("\"%s\" does not start with \"%s\"", error.message, message);
}

static const uint64_t  offsets[] = {0, 1, 2};
static const ink_batch two = {.count = 2, .data = (const uint8_t *)"ab", .offsets = offsets};

TEST(every_kind_that_takes_keys_is_in_the_list)
{
    ink_kind_info info;
    size_t        listed = 0;

    for (size_t i = 0; ink_kind_name(i) != NULL; i++) {
        CHECK_OK(ink_kind_describe(ink_kind_name(i), &info, &error));
        if (info.made_whole)
            continue; /* fuse_test.c asks it */
        CHECK(listed < KINDS);
        assert_string_equal(ink_kind_name(i), kinds[listed++].params.kind);
    }
    CHECK(listed == KINDS);
}

TEST(membership_is_for_filters)
{
    static const char words[] = "cannot tell whether a key was added";

    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch     *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        sketches_snapshot before = sketches_remember(sketch);
        bool              known = (kinds[i].knows & MEMBERSHIP) != 0, maybe = true;
        uint8_t           answers[2] = {7, 7}, was_new[2] = {7, 7};
        double            rate = -1;
        check_call(i, MEMBERSHIP, ink_sketch_contains(sketch, "a", 1, &maybe, &error), words);
        check_call(i, MEMBERSHIP, ink_sketch_contains_batch(sketch, &two, answers, &error), words);
        check_call(i, MEMBERSHIP, ink_sketch_rate(sketch, &rate, &error),
                   "is no filter: it has no false-positive rate");
        CHECK(known == (rate > 0) && known == (answers[0] != 7) && known == (answers[1] != 7));
        CHECK(known || maybe);
        CHECK(sketches_unchanged(sketch, &before));
        check_call(i, MEMBERSHIP, ink_sketch_add_new_batch(sketch, &two, was_new, &error), words);
        CHECK(known == (was_new[0] != 7));
        CHECK(sketches_describe(sketch).records == (known ? 11 : 9));
    }
}

TEST(counts_are_for_kinds_with_counters)
{
    static const char words[] = "cannot tell how often a key was added";

    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch     *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        sketches_snapshot before = sketches_remember(sketch);
        ink_answer        answers[2] = {{.high = -1}, {.high = -1}};
        bool              known = (kinds[i].knows & COUNT) != 0;
        check_call(i, COUNT, ink_sketch_count(sketch, "key 1", 5, &answers[0], &error), words);
        CHECK(known == (answers[0].high >= 1));
        check_call(i, COUNT, ink_sketch_count_batch(sketch, &two, answers, &error), words);
        CHECK(known == (answers[1].high >= 0));
        CHECK(sketches_unchanged(sketch, &before));
    }
}

/* A counting has no total to have a share of. */
TEST(shares_are_for_count_min_and_top)
{
    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        uint8_t       over[2] = {7, 7};
        ink_status    status = ink_sketch_over_batch(sketch, &two, 3, over, &error);
        if ((kinds[i].knows & SHARE) != 0) {
            assert_int_equal(status, INK_OK);
            CHECK(over[0] <= 2 && over[1] <= 2);
        } else {
            if (status != INK_UNSUPPORTED)
                fail_msg("%s: %s, expected INK_UNSUPPORTED", kinds[i].params.kind,
                         ink_status_name(status));
            CHECK(strncmp(error.message, kinds[i].params.kind, strlen(kinds[i].params.kind)) == 0);
            CHECK(over[0] == 7 && over[1] == 7);
        }
    }
}

TEST(keys_are_kept_by_top)
{
    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        ink_item      items[9];
        size_t        found = 77;
        check_call(i, KEPT, ink_sketch_top(sketch, items, 9, &found, &error),
                   "keeps no keys; top does");
        CHECK((found == 9) == ((kinds[i].knows & KEPT) != 0));
        found = 77;
        check_call(i, KEPT, ink_sketch_over(sketch, 2, items, 9, &found, &error),
                   "keeps no keys; top does");
        CHECK((found == 0) == ((kinds[i].knows & KEPT) != 0)); /* none has more than a half */
    }
}

TEST(inner_products_are_for_count_min)
{
    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *a = files_sketch(&kinds[i].params, 0, 9, NULL);
        owned_sketch *b = files_sketch(&kinds[i].params, 0, 9, NULL);
        ink_answer    answer = {.high = -1};
        check_call(i, DOT, ink_sketch_dot(a, b, &answer, &error),
                   "has no inner product; count-min has");
        CHECK((answer.high >= 9) == ((kinds[i].knows & DOT) != 0));
    }
}

/* ---- What two sets have in common --------------------------------------------------------- */

/* All answers of an overlap, in order, with what they are of 150 and 90 keys, 40 of them in both.
 */
enum { OVERLAP_ANSWERS = 9 };
static const double expected_overlap[OVERLAP_ANSWERS] = {150, 90,  200,        40,       110,
                                                         50,  0.2, 40 / 150.0, 40 / 90.0};

static void check_overlap(const ink_overlap *overlap, const double *expected, double slack)
{
    const ink_answer *answers = &overlap->a;

    assert_int_equal(offsetof(ink_overlap, b_in_a), (OVERLAP_ANSWERS - 1) * sizeof *answers);
    for (size_t i = 0; i < OVERLAP_ANSWERS; i++) {
        double off = i < 6 ? slack : slack / 40;
        CHECK(0 <= answers[i].low && answers[i].low <= answers[i].estimate);
        CHECK(answers[i].estimate <= answers[i].high && answers[i].high <= (i < 6 ? 1e6 : 1));
        if (!(answers[i].low - 1e-9 <= expected[i] && expected[i] <= answers[i].high + 1e-9))
            fail_msg("answer %zu: %g to %g, expected %g", i, answers[i].low, answers[i].high,
                     expected[i]);
        if (!(fabs(answers[i].estimate - expected[i]) <= off))
            fail_msg("answer %zu: %g, expected %g", i, answers[i].estimate, expected[i]);
    }
}

TEST(overlaps_are_for_sets_whose_union_is_known)
{
    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *a = files_sketch(&kinds[i].params, 0, 150, NULL);
        owned_sketch *b = files_sketch(&kinds[i].params, 110, 90, NULL);
        ink_overlap   overlap = {.method = "none"};
        check_call(i, OVERLAP, ink_sketch_overlap(a, b, 0, &overlap, &error),
                   "cannot tell what two sets have in common");
        if ((kinds[i].knows & OVERLAP) == 0)
            assert_string_equal(overlap.method, "none");
        else
            check_overlap(&overlap, expected_overlap, 2);
    }
}

/* A file of another system may not say how many records a sketch is of; others may be too many to
 * add up. */
TEST(records_that_are_not_known_limit_no_overlap)
{
    static const uint64_t records[][2] = {
        {0, 0}, {0, 90}, {150, 0}, {UINT64_MAX, 90}, {150, UINT64_MAX}};

    for (size_t i = 0; i < KINDS; i++)
        for (size_t r = 0; r < sizeof records / sizeof records[0]; r++) {
            if ((kinds[i].knows & OVERLAP) == 0)
                continue;
            owned_sketch *a = files_sketch(&kinds[i].params, 0, 150, NULL);
            owned_sketch *b = files_sketch(&kinds[i].params, 110, 90, NULL);
            ink_overlap   overlap;
            a->records = records[r][0];
            b->records = records[r][1];
            CHECK_OK(ink_sketch_overlap(a, b, 0, &overlap, &error));
            check_overlap(&overlap, expected_overlap, 2);
        }
}

TEST(an_overlap_with_nothing_or_itself_is_exact_in_its_shares)
{
    static const struct {
        size_t a, b; /* keys, from the same one on */
        double expected[OVERLAP_ANSWERS];
    } cases[] = {
        {0, 0, {0, 0, 0, 0, 0, 0, 1, 1, 1}},       {0, 5, {0, 5, 5, 0, 0, 5, 0, 1, 0}},
        {5, 0, {5, 0, 5, 0, 5, 0, 0, 0, 1}},       {7, 7, {7, 7, 7, 7, 0, 0, 1, 1, 1}},
        {1, 4, {1, 4, 4, 1, 0, 3, 0.25, 1, 0.25}},
    };

    for (size_t i = 0; i < KINDS; i++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            if ((kinds[i].knows & OVERLAP) == 0)
                continue;
            owned_sketch *a = files_sketch(&kinds[i].params, 0, cases[c].a, NULL);
            owned_sketch *b = files_sketch(&kinds[i].params, 0, cases[c].b, NULL);
            ink_overlap   overlap;
            CHECK_OK(ink_sketch_overlap(a, b, 0.9, &overlap, &error));
            check_overlap(&overlap, cases[c].expected, 0.01);
            CHECK_OK(ink_sketch_overlap(a, a, 0, &overlap, &error));
            CHECK(overlap.jaccard.estimate == 1 && overlap.jaccard.high == 1);
            CHECK(overlap.only_a.estimate == 0 && overlap.a_in_b.estimate == 1);
        }
}

/* The same words as a merge has. */
TEST(an_overlap_needs_sketches_that_a_merge_takes)
{
    static const ink_params others[] = {
        {.kind = "hll", .hash = "xxh64"},
        {.kind = "hll", .seed = 7, .has_seed = true},
        {.kind = "hll", .key_type = INK_KEY_INT},
        {.kind = "fm"},
    };
    owned_sketch *a = files_sketch(&kinds[7].params, 0, 150, NULL);
    ink_overlap   overlap;
    ink_error     merged;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        owned_sketch *b = NULL;
        CHECK_OK(ink_sketch_create(&b, &others[i], NULL, &error));
        assert_int_equal(ink_sketch_merge(a, b, NULL, &merged), INK_MISMATCH);
        assert_int_equal(ink_sketch_overlap(a, b, 0, &overlap, &error), INK_MISMATCH);
        assert_string_equal(error.message, merged.message);
    }
    CHECK_FAILS(ink_sketch_overlap(a, a, 1, &overlap, &error), INK_USAGE, "confidence 1, expected");
    CHECK_FAILS(ink_sketch_overlap(a, a, -1, &overlap, &error), INK_USAGE, "confidence -1");
}

/* The larger is reduced, whichever it is. */
TEST(an_overlap_of_two_precisions_is_that_of_the_smaller)
{
    const ink_params precise = {.kind = "hll", .precision = 12},
                     coarse = {.kind = "hll", .precision = 7};
    owned_sketch *a = files_sketch(&precise, 0, 6000, NULL);
    owned_sketch *b = files_sketch(&coarse, 3000, 4000, NULL);
    owned_sketch *reduced = files_sketch(&coarse, 0, 6000, NULL);
    ink_overlap   mixed, plain, turned;

    CHECK_OK(ink_sketch_overlap(a, b, 0, &mixed, &error));
    CHECK_OK(ink_sketch_overlap(reduced, b, 0, &plain, &error));
    CHECK_OK(ink_sketch_overlap(b, a, 0, &turned, &error));
    assert_memory_equal(&mixed, &plain, offsetof(ink_overlap, method));
    CHECK(mixed.only_a.high == turned.only_b.high && mixed.a_in_b.low == turned.b_in_a.low);
    CHECK(mixed.intersection.low == turned.intersection.low);
}

TEST(different_keys_are_not_for_count_min_and_top)
{
    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        ink_answer    answer = {.high = -1}, powers = {.high = -1};
        bool          known = (kinds[i].knows & DISTINCT) != 0;
        check_call(i, DISTINCT, ink_sketch_distinct(sketch, 0, &answer, &error),
                   "cannot tell how many different keys there are");
        CHECK(known == (answer.high > 0) && known == (answer.confidence >= 0.95));
        ink_status status =
            ink_sketch_distinct_by(sketch, INK_ESTIMATOR_MEAN_OF_POWERS, 0.9, &powers, &error);
        check_call(i, POWERS, status,
                   known ? "has no other estimator; fm has"
                         : "cannot tell how many different keys there are");
        CHECK((powers.high > 0) == ((kinds[i].knows & POWERS) != 0));
    }
}

TEST(keys_are_taken_out_of_counting)
{
    static const char words[] = "cannot take keys out again; counting can";

    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        CHECK_OK(ink_sketch_add_batch(sketch, &two, &error));
        check_call(i, REMOVE, ink_sketch_remove_batch(sketch, &two, &error), words);
        check_call(i, REMOVE, ink_sketch_remove(sketch, "key 3", 5, &error), words);
        CHECK(sketches_describe(sketch).records == ((kinds[i].knows & REMOVE) != 0 ? 8 : 11));
        if ((kinds[i].knows & REMOVE) == 0)
            check_call(i, REMOVE, ink_sketch_remove_int(sketch, 3, &error), words);
    }
}

TEST(samples_and_filters_of_bits_are_intersected_and_filters_of_one_size_folded)
{
    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch     *a = files_sketch(&kinds[i].params, 0, 9, NULL);
        owned_sketch     *b = files_sketch(&kinds[i].params, 5, 9, NULL);
        sketches_snapshot before = sketches_remember(a);
        uint64_t          divisor = 77;
        check_call(i, INTERSECT, ink_sketch_intersect(a, b, &error), "cannot be intersected");
        check_call(i, SUBTRACT, ink_sketch_subtract(a, b, &error), "cannot be subtracted");
        check_call(i, FOLD, ink_sketch_fold(a, 2, &error), "cannot be folded");
        check_call(i, FOLD, ink_sketch_fold_to_rate(a, 0.5, &divisor, &error), "cannot be folded");
        CHECK((divisor == 77) == ((kinds[i].knows & FOLD) == 0));
        CHECK(sketches_unchanged(a, &before) == ((kinds[i].knows & (FOLD | INTERSECT)) == 0));
    }
}

TEST(weights_are_for_kinds_that_count)
{
    static const uint64_t weights[] = {3, 4};

    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        ink_batch     weighted = two;
        bool          known = (kinds[i].knows & WEIGHTS) != 0;
        weighted.weights = weights;
        check_call(i, WEIGHTS, ink_sketch_add_batch(sketch, &weighted, &error),
                   "does not count: it takes no weights");
        uint64_t more = (kinds[i].knows & REMOVE) != 0 ? 7 : 2; /* so often it can be removed */
        CHECK(sketches_describe(sketch).records == (known ? 9 + more : 9));
    }
}

TEST(a_question_has_no_weights)
{
    static const uint64_t weights[] = {3, 4};

    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch     *sketch = files_sketch(&kinds[i].params, 0, 9, NULL);
        sketches_snapshot before = sketches_remember(sketch);
        ink_batch         weighted = two;
        ink_answer        counts[2];
        uint8_t           answers[2] = {7, 7};
        ink_status        wrong = (kinds[i].knows & WEIGHTS) != 0 ? INK_USAGE : INK_UNSUPPORTED;
        weighted.weights = weights;
        if ((kinds[i].knows & COUNT) != 0) {
            CHECK_FAILS(ink_sketch_count_batch(sketch, &weighted, counts, &error), wrong,
                        "weights in a question");
        }
        if ((kinds[i].knows & SHARE) != 0)
            CHECK_FAILS(ink_sketch_over_batch(sketch, &weighted, 2, answers, &error), wrong,
                        "weights in a question");
        if ((kinds[i].knows & MEMBERSHIP) != 0) {
            CHECK_FAILS(ink_sketch_contains_batch(sketch, &weighted, answers, &error), wrong,
                        "weights");
            CHECK_FAILS(ink_sketch_add_new_batch(sketch, &weighted, answers, &error), INK_USAGE,
                        "weights for keys that are added once or not at all");
        }
        CHECK(answers[0] == 7);
        CHECK(sketches_unchanged(sketch, &before));
    }
}

TEST(only_counting_becomes_another_kind)
{
    for (size_t i = 0; i < KINDS; i++)
        for (size_t to = 0; to < KINDS; to++) {
            owned_sketch *from = files_sketch(&kinds[i].params, 0, 9, NULL), *made = NULL;
            const char   *kind = kinds[to].params.kind;
            ink_status    status = ink_sketch_convert(&made, from, kind, NULL, &error);
            if (i == to || (i == 2 && to == 0)) { /* itself, or counting to bloom */
                assert_int_equal(status, INK_OK);
                assert_string_equal(sketches_describe(made).kind, kind);
                CHECK(sketches_describe(made).records == 9);
                CHECK(i != to || sketches_equal(made, from));
            } else {
                char message[256];
                snprintf(message, sizeof message, "%s cannot become %s%s", kinds[i].params.kind,
                         kind, i == 2 ? ", only bloom" : "");
                assert_int_equal(status, INK_UNSUPPORTED);
                assert_string_equal(error.message, message);
                assert_null(made);
            }
        }
}

TEST(a_kind_that_does_not_exist_is_not_converted_to)
{
    ink_sketch *from = files_sketch(&kinds[2].params, 0, 9, NULL), *made = NULL;

    CHECK_FAILS(ink_sketch_convert(&made, from, "cuckoo", NULL, &error), INK_USAGE,
                "kind \"cuckoo\", expected one of bloom");
    CHECK_FAILS(ink_sketch_convert(&made, from, NULL, NULL, &error), INK_USAGE, "kind \"\"");
    assert_null(made);
    ink_sketch_free(from);
}

TEST(an_empty_sketch_answers_every_question_that_its_kind_knows)
{
    for (size_t i = 0; i < KINDS; i++) {
        owned_sketch *sketch = files_sketch(&kinds[i].params, 0, 0, NULL);
        uint8_t       answers[2] = {7, 7};
        ink_answer    answer;
        if ((kinds[i].knows & MEMBERSHIP) != 0) {
            CHECK_OK(ink_sketch_contains_batch(sketch, &two, answers, &error));
            CHECK(answers[0] == 0 && answers[1] == 0 && sketches_rate(sketch) == 0);
        }
        if ((kinds[i].knows & COUNT) != 0) {
            CHECK_OK(ink_sketch_count(sketch, "a", 1, &answer, &error));
            CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0);
        }
        if ((kinds[i].knows & SHARE) != 0) {
            CHECK_OK(ink_sketch_over_batch(sketch, &two, 1, answers, &error));
            CHECK(answers[0] == 0 && answers[1] == 0);
        }
        if ((kinds[i].knows & DISTINCT) != 0) {
            answer = sketches_distinct(sketch);
            CHECK(answer.estimate == 0 && answer.low == 0 && answer.high == 0);
        }
    }
}

TEST(every_refusal_is_the_same_without_an_error_to_fill)
{
    owned_sketch *hll = files_sketch(&kinds[7].params, 0, 9, NULL);
    ink_sketch   *top = files_sketch(&kinds[5].params, 0, 9, NULL), *made;
    ink_answer    answer;
    ink_item      item;
    size_t        found;
    uint8_t       byte[2];

    CHECK(ink_sketch_count(hll, "a", 1, &answer, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_count_int(top, 1, &answer, NULL) == INK_MISMATCH);
    CHECK(ink_sketch_over_batch(top, &two, 0, byte, NULL) == INK_USAGE);
    CHECK(ink_sketch_top(hll, &item, 1, &found, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_over(hll, 1, &item, 1, &found, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_over(top, 0, &item, 1, &found, NULL) == INK_USAGE);
    CHECK(ink_sketch_dot(hll, top, &answer, NULL) == INK_MISMATCH);
    CHECK(ink_sketch_dot(hll, hll, &answer, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_distinct(top, 0, &answer, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_distinct_by(hll, INK_ESTIMATOR_MEAN_OF_POWERS, 0, &answer, NULL) ==
          INK_UNSUPPORTED);
    CHECK(ink_sketch_remove(hll, "a", 1, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_remove_int(hll, 1, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_add_new_batch(hll, &two, byte, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_convert(&made, hll, "bloom", NULL, NULL) == INK_UNSUPPORTED);
    CHECK(ink_sketch_convert(&made, hll, "x", NULL, NULL) == INK_USAGE);
    ink_sketch_free(top);
}

TEST(the_short_form_says_maybe_no_or_that_it_failed)
{
    owned_sketch *words = NULL, *numbers = NULL, *distinct = NULL;

    CHECK_OK(ink_sketch_create(&words, &(ink_params){.kind = "bloom", .expected_keys = 1000}, NULL,
                               &error));
    CHECK_OK(ink_sketch_create(
        &numbers, &(ink_params){.kind = "bloom", .expected_keys = 1000, .key_type = INK_KEY_INT},
        NULL, &error));
    CHECK_OK(ink_sketch_create(&distinct, &(ink_params){.kind = "hll"}, NULL, &error));
    CHECK_OK(ink_sketch_add(words, "bee", 3, &error));
    CHECK_OK(ink_sketch_add_int(numbers, -7, &error));
    assert_int_equal(ink_sketch_maybe(words, "bee", 3), 1);
    assert_int_equal(ink_sketch_maybe(words, "be", 2), 0);
    assert_int_equal(ink_sketch_maybe_int(words, -7), -1);
    assert_int_equal(ink_sketch_maybe_int(numbers, -7), 1);
    assert_int_equal(ink_sketch_maybe_int(numbers, 7), 0);
    assert_int_equal(ink_sketch_maybe(numbers, "bee", 3), -1);
    assert_int_equal(ink_sketch_maybe(distinct, "bee", 3), -1);
}

TEST(the_short_form_says_how_often_or_that_it_failed)
{
    const uint64_t  ends[] = {0, 3, 6}, weights[] = {5, UINT64_MAX};
    const ink_batch batch = {
        .count = 2, .data = (const uint8_t *)"beewax", .offsets = ends, .weights = weights};
    const ink_params wide = {.kind = "count-min", .counter_bits = 64};
    const ink_params ints = {.kind = "counting", .bits = 1024, .key_type = INK_KEY_INT};
    owned_sketch    *words = sketches_with(wide, 0, 0), *numbers = sketches_with(ints, 0, 0);

    CHECK_OK(ink_sketch_add_batch(words, &batch, &error));
    CHECK_OK(ink_sketch_add_int(numbers, -7, &error));
    CHECK(ink_sketch_times(words, "bee", 3) == 5 && ink_sketch_times(words, "be", 2) == 0);
    CHECK(ink_sketch_times(words, "wax", 3) == INT64_MAX);
    CHECK(ink_sketch_times_int(words, -7) == -1);
    CHECK(ink_sketch_times_int(numbers, -7) == 1 && ink_sketch_times_int(numbers, 7) == 0);
    CHECK(ink_sketch_times(numbers, "bee", 3) == -1);
}

TEST(the_better_answer_is_narrower_or_as_narrow_and_more_certain)
{
    static const struct {
        ink_answer a, b;
        bool       a_is_better, b_is_better;
    } cases[] = {
        {{5, 5, 5, 1, false}, {5, 4, 5, 0.99, false}, true, false},
        {{0, 0, 48, 1, false}, {1, 0, 1, 0.99, false}, false, true},
        {{0, 0, 0, 1, false}, {0, 0, 0, 0.99, false}, true, false},
        {{3, 3, 3, 1, false}, {3, 3, 3, 1, false}, false, false},
        {{9, 0, 0x1p64, 0.99, true}, {0, 0, 9, 1, false}, false, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(ink_answer_is_better(&cases[i].a, &cases[i].b) == cases[i].a_is_better);
        CHECK(ink_answer_is_better(&cases[i].b, &cases[i].a) == cases[i].b_is_better);
    }
}

/* Records of repeated keys are more than keys, but never fewer; 0: nobody counted them. */
TEST(a_filter_of_no_more_records_than_keys_planned_is_within_its_promise)
{
    static const struct {
        uint64_t records;
        double   max_rate;
        bool     overfull;
    } rows[] = {{1, 0, false}, {100, 0, false}, {101, 0, true}, {0, 0, true}, {100, 0.02, true}};
    owned_sketch *sketch =
        sketches_with((ink_params){.kind = "bloom", .expected_keys = 100}, 0, 700);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ink__excess excess;
        sketch->records = rows[i].records;
        CHECK(ink__sketch_overfull(sketch, rows[i].max_rate, &excess) == rows[i].overfull);
    }
}

RUN_TESTS()
