/* overfull_test.c - filters above their promise are counted, the three worst named in order, and
 * the number of keys that would do is enough for all; in parts as in one. */
#include "jobs/runtime/overfull.h"

#include "support/check.h"
#include "support/owned.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;

enum { PLANNED = 100, FILTERS = 6 };
static const ink_params bloom = {.kind = "bloom", .expected_keys = PLANNED};

/* Filters planned for the same number of keys, with more than these but for the last one, and the
 * labels of their groups. */
static const struct {
    const char *group; /* NULL: the null group */
    unsigned    keys;
} filters[FILTERS] = {
    {"c", 300}, {"a", 700}, {NULL, 500}, {"", 700}, {"b", 300}, {"kept", PLANNED},
};
static ink_sketch *sketches[FILTERS];

static int make_filters(void **state)
{
    for (size_t i = 0; i < FILTERS; i++)
        sketches[i] = records_sketch(&bloom, 0, filters[i].keys);
    return 0;
}

static int free_filters(void **state)
{
    for (size_t i = 0; i < FILTERS; i++)
        ink_sketch_free(sketches[i]);
    return 0;
}

static void look(ink__overfull *all, size_t i)
{
    ink_label label = {.group_kind = INK_GROUP_NULL};

    if (filters[i].group != NULL)
        label = ink_group(filters[i].group);
    ink__overfull_look(all, &label, sketches[i]);
}

/* The message about the first `count` filters, looked at in two parts. */
static void refuse(size_t count, size_t cut, bool built, ink_error *found)
{
    ink__overfull all = {.built = built}, later = {0};

    for (size_t i = 0; i < count; i++)
        look(i < cut ? &all : &later, i);
    ink__overfull_join(&all, &later);
    assert_int_equal(ink__overfull_refuse(&all, found), INK_PROMISE);
}

TEST(the_worst_are_named_in_order_and_the_first_of_equal_ones_before)
{
    static const struct {
        size_t      count;
        const char *filters, *names[4]; /* in order */
        const char *more;
    } cases[] = {
        {1, "1 of 1 filters", {"c ("}, NULL},
        {2, "2 of 2 filters", {"a (", "c ("}, NULL},
        {3, "3 of 3 filters", {"a (", "(null) (", "c ("}, NULL},
        {4, "4 of 4 filters", {"a (", "\"\" (", "(null) ("}, " and 1 more"},
        {5, "5 of 5 filters", {"a (", "\"\" (", "(null) ("}, " and 2 more"},
        {6, "5 of 6 filters", {"a (", "\"\" (", "(null) ("}, " and 2 more"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t cut = 0; cut <= cases[i].count; cut++) {
            refuse(cases[i].count, cut, false, &error);
            CHECK(strncmp(error.message, cases[i].filters, strlen(cases[i].filters)) == 0);
            const char *at = error.message;
            for (size_t k = 0; cases[i].names[k] != NULL; k++) {
                at = strstr(at, cases[i].names[k]);
                assert_non_null(at);
            }
            CHECK((strstr(error.message, " more;") != NULL) == (cases[i].more != NULL));
            CHECK(cases[i].more == NULL || strstr(at, cases[i].more) != NULL);
        }
}

/* As many as the fullest filter needs, wherever it stands. */
TEST(the_number_of_keys_that_would_do_is_that_of_the_fullest)
{
    for (size_t count = 2; count <= FILTERS; count++)
        for (size_t cut = 0; cut <= count; cut++) {
            refuse(count, cut, false, &error);
            unsigned    keys = 0;
            const char *at = strstr(error.message, "expected_keys ");
            CHECK(at != NULL && sscanf(at, "expected_keys %u", &keys) == 1);
            CHECK(keys > 600 && keys < 1000);
        }
}

TEST(one_null_group_is_a_group)
{
    ink__overfull all = {.built = true};

    look(&all, 2);
    CHECK_FAILS(ink__overfull_refuse(&all, &error), INK_PROMISE, "(null) (");
    CHECK(strstr(error.message, "or none (then each group is sized by its keys)") != NULL);
}

TEST(what_is_within_its_promise_or_no_filter_is_not_refused)
{
    ink__overfull   all = {0};
    owned_sketch   *counts = records_sketch(&(ink_params){.kind = "hll"}, 0, 1000);
    const ink_label whole = {0};

    ink__overfull_look(&all, &whole, NULL);
    ink__overfull_look(&all, &whole, counts);
    assert_int_equal(all.filters, 0);
    look(&all, FILTERS - 1);
    CHECK(all.filters == 1 && all.count == 0);
    CHECK_OK(ink__overfull_refuse(&all, &error));
    all.max_rate = 0.8; /* which the fullest two are above */
    for (size_t i = 0; i < FILTERS; i++)
        look(&all, i);
    CHECK(all.count == 2 && all.filters == 1 + FILTERS);
    CHECK_FAILS(ink__overfull_refuse(&all, &error), INK_PROMISE, "2 of 7 filters");
    CHECK(strstr(error.message, "the allowed rate 0.8:") != NULL);
}

RUN_TESTS(.begin = make_filters, .end = free_filters)
