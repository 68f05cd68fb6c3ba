/* kinds_test.c - the list of kinds: every kind is found by its name and by its id, and does what no
 * kind may leave out. */
#include "sketch/kinds/kind.h"

#include "support/check.h"

TEST(the_kinds_are_named_in_the_order_of_their_ids)
{
    const char *const names[] = {"bloom", "classic", "counting", "scalable", "count-min",
                                 "top",   "fm",      "hll",      "theta",    "fuse"};

    for (unsigned i = 0; i < 10; i++) {
        assert_string_equal(ink_kind_name(i), names[i]);
        assert_int_equal(ink__kinds[i]->id, i + 1);
    }
    assert_null(ink_kind_name(10));
    assert_null(ink_kind_name(SIZE_MAX));
    assert_null(ink__kinds[10]);
}

TEST(a_kind_is_found_by_its_name_and_by_its_id)
{
    const ink__kind *found;

    for (unsigned i = 0; ink__kinds[i] != NULL; i++) {
        assert_int_equal(ink__kind_find(ink__kinds[i]->name, &found, NULL), INK_OK);
        assert_ptr_equal(found, ink__kinds[i]);
        assert_ptr_equal(ink__kind_of_id(ink__kinds[i]->id), ink__kinds[i]);
    }
}

TEST(a_kind_that_does_not_exist_is_not_found)
{
    static const char *const none[] = {"blooms", "", "BLOOM"};
    const ink__kind         *found;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(ink__kind_find(none[i], &found, NULL), INK_USAGE);
        assert_null(found);
    }
    assert_null(ink__kind_of_id(0));
    assert_null(ink__kind_of_id(11));
    assert_null(ink__kind_of_id(65535));
}

TEST(all_kinds_are_named_however_long_a_name_is_that_is_none)
{
    const char *const end = "\", expected one of bloom, classic, counting, scalable, count-min, "
                            "top, fm, hll, theta, fuse";
    const ink__kind  *found;
    ink_error         error;
    char              name[400];

    for (size_t bytes = 0; bytes < sizeof name; bytes++) {
        memset(name, bytes % 2 == 0 ? 'x' : '\xff', bytes);
        name[bytes] = '\0';
        CHECK_FAILS(ink__kind_find(name, &found, &error), INK_USAGE, "kind \"");
        assert_string_equal(error.message + strlen(error.message) - strlen(end), end);
    }
}

TEST(every_kind_has_what_no_kind_may_leave_out)
{
    for (unsigned i = 0; ink__kinds[i] != NULL; i++) {
        const ink__kind *kind = ink__kinds[i];
        CHECK(kind->plan != NULL && kind->check != NULL);
        CHECK(kind->describe != NULL && kind->load != NULL);
        CHECK(kind->release != NULL && kind->shape != NULL && kind->payload != NULL);
        CHECK((kind->add != NULL && kind->merge != NULL) || kind->whole != NULL);
        CHECK((kind->add == NULL && kind->merge == NULL && kind->reserve != NULL) ||
              kind->whole == NULL);
        CHECK(kind->object_bytes >= sizeof(ink_sketch));
        CHECK(kind->field_count <= INK__FIELDS_MAX);
        CHECK(kind->layout > 0);
    }
}

/* What the public calls take for granted when they find one of them. */
TEST(questions_come_in_company)
{
    for (unsigned i = 0; ink__kinds[i] != NULL; i++) {
        const ink__kind *kind = ink__kinds[i];
        CHECK((kind->kept != NULL) == (kind->item != NULL));
        CHECK((kind->kept != NULL) == kind->keeps_keys);
        CHECK((kind->becomes != NULL) == (kind->become != NULL));
        CHECK(kind->distinct_mean_of_powers == NULL || kind->distinct != NULL);
        CHECK(kind->count == NULL || kind->counts); /* what tells counts takes weights */
        CHECK((kind->contains != NULL) == (kind->rate != NULL));
    }
}

/* Jobs and programs choose by ranks, and then ask. */
TEST(a_kind_has_a_rank_for_each_question_that_it_answers)
{
    ink_kind_info info;
    ink_error     error;

    for (size_t i = 0; ink_kind_name(i) != NULL; i++) {
        CHECK_OK(ink_kind_describe(ink_kind_name(i), &info, &error));
        CHECK((info.ranks[INK_ASK_COUNT] > 0) == info.counts);
        CHECK((info.ranks[INK_ASK_TOP] > 0) == info.keeps_keys);
        CHECK((info.ranks[INK_ASK_DISTINCT] > 0) == info.distinct);
        CHECK((info.ranks[INK_ASK_DOT] > 0) == info.dot);
        CHECK((info.ranks[INK_ASK_MEMBER] > 0) == info.contains);
    }
}

/* A message names them from the highest to 1, several of one rank as "a filter". */
TEST(ranks_begin_at_1_and_only_filters_share_one)
{
    for (unsigned q = 0; q < INK_ASK_MEMBER + 1; q++) {
        bool last = false;
        for (unsigned i = 0; ink__kinds[i] != NULL; i++) {
            last = last || ink__kinds[i]->ranks[q] == 1;
            for (unsigned j = 0; j < i; j++)
                CHECK(ink__kinds[i]->ranks[q] == 0 ||
                      ink__kinds[i]->ranks[q] != ink__kinds[j]->ranks[q] ||
                      (ink__kinds[i]->contains != NULL && ink__kinds[j]->contains != NULL));
        }
        CHECK(last);
    }
}

TEST(every_kind_goes_with_64_bits_and_only_classic_without_them)
{
    for (unsigned i = 0; ink__kinds[i] != NULL; i++) {
        const uint16_t *rules = ink__kinds[i]->position_rules;
        CHECK(rules[INK__SCHEME_HASH64] != 0);
        CHECK((rules[INK__SCHEME_SEEDED] != 0) == (ink__kinds[i] == &ink__classic));
        CHECK((rules[INK__SCHEME_SEEDED_SIGNED] != 0) == (ink__kinds[i] == &ink__classic));
    }
}

RUN_TESTS()
