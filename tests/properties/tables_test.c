/* tables_test.c - whatever kernel table INK_CPU names, the results are the same: bytes, answers,
 * rates, estimates, merges, intersections and folds of every sketch of sketches.h, compared with
 * those of the scalar table. (Each kernel by itself is in unit/kernels.)
 *
 * With INK_TEST_LIGHT set, every third sketch. */
#include "kernels/dispatch.h"
#include "properties/sketches.h"
#include "support/faults.h"

/* Everything that a variant gives under one table. */
typedef struct results {
    sketches_snapshot built, merged, met, folded;
    uint8_t           answers[512];
    double            rate;
    ink_answer        distinct, dot, counts[64];
} results;

static void work_out(const struct variant *variant, const char *table, results *out)
{
    uint64_t keys = variant->keys;

    memset(out, 0, sizeof *out);
    faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = table});
    ink_sketch *a = make_with(&variant->params, 0, keys), *b;
    out->built = encode(a);
    if (kind_has_distinct(variant->params.kind))
        CHECK_OK(ink_sketch_distinct(a, 0, &out->distinct, &error));
    for (uint64_t i = 0; i < 64 && is_counter(variant); i++)
        out->counts[i] = count_of(a, i + keys - 32);
    (void)ink_sketch_dot(a, a, &out->dot, &error); /* stays zero where there is none */
    if (is_filter(variant)) {
        CHECK_OK(ink_sketch_rate(a, &out->rate, &error));
        for (uint64_t i = 0; i < sizeof out->answers; i++)
            out->answers[i] = may_contain(a, i + keys / 2);
        owned_sketch *folded = copy_of(a);
        uint64_t      divisor;
        /* Refused where the filter is too full: then the bytes stay, under every table alike. */
        (void)ink_sketch_fold_to_rate(folded, 0.3, &divisor, &error);
        out->folded = encode(folded);
    }
    if (can_meet(variant)) {
        owned_sketch *met = copy_of(a);
        b = make_with(&variant->params, keys / 2, 2 * keys);
        CHECK_OK(ink_sketch_intersect(met, b, &error));
        out->met = encode(met);
        ink_sketch_free(b);
    }
    b = make_with(&variant->params, keys / 2, 2 * keys);
    merge_parts(a, b);
    out->merged = encode(a);
    ink_sketch_free(a);
    ink_sketch_free(b);
    faults_system_end();
}

static void free_results(results *out)
{
    sketches_free_snapshot(&out->built);
    sketches_free_snapshot(&out->merged);
    sketches_free_snapshot(&out->met);
    sketches_free_snapshot(&out->folded);
}

static bool both_equal(const sketches_snapshot *a, const sketches_snapshot *b)
{
    return a->bytes == NULL ? b->bytes == NULL : encodings_equal(a, b);
}

static void check_equal(const results *a, const results *b)
{
    CHECK(both_equal(&a->built, &b->built));
    CHECK(both_equal(&a->merged, &b->merged));
    CHECK(both_equal(&a->met, &b->met));
    CHECK(both_equal(&a->folded, &b->folded));
    assert_memory_equal(a->answers, b->answers, sizeof a->answers);
    CHECK(a->rate == b->rate);
    CHECK(answers_equal(&a->distinct, &b->distinct) && answers_equal(&a->dot, &b->dot));
    for (size_t i = 0; i < 64; i++)
        CHECK(answers_equal(&a->counts[i], &b->counts[i]));
}

TEST(every_table_gives_the_results_of_the_scalar_one)
{
    static results scalar, other;

    for (size_t i = 0; i < VARIANTS; i += light() ? 3 : 1) {
        work_out(&variants[i], "scalar", &scalar);
        for (size_t j = 0; ink__kernels_at(j) != NULL; j++) {
            if (!ink__kernels_run_here(ink__kernels_at(j)))
                continue;
            work_out(&variants[i], ink__kernels_at(j)->name, &other);
            check_equal(&scalar, &other);
            free_results(&other);
        }
        work_out(&variants[i], NULL, &other); /* the one that is chosen by itself */
        check_equal(&scalar, &other);
        free_results(&other);
        free_results(&scalar);
    }
}

TEST(sketches_of_different_tables_meet)
{
    for (size_t i = 0; i < VARIANTS; i += light() ? 3 : 1) {
        faults_system_begin(&(faults_plan){.variable = "INK_CPU", .value = "scalar"});
        owned_sketch *a = make_with(&variants[i].params, 0, 100);
        faults_system_end();
        owned_sketch *b = make_with(&variants[i].params, 100, 200);
        owned_sketch *whole = make_with(&variants[i].params, 0, 100), *b_and_a = copy_of(b);
        owned_sketch *b_and_whole = copy_of(b);

        merge_parts(b_and_whole, whole); /* all of the table that is chosen by itself */
        merge_parts(whole, b);
        merge_parts(b_and_a, a);
        merge_parts(a, b);

        CHECK_SAME(a, whole, i);
        CHECK_SAME(b_and_a, b_and_whole, i);
        if (is_order_free(&variants[i]))
            CHECK_SAME(b_and_a, whole, i);
    }
}

RUN_TESTS()
