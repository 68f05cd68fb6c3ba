/* kinds_test.c - the list of kinds: every kind is found by its name and by its id, and does what no
 * kind may leave out. */
#include "sketch/kinds.h"

#include "support/check.h"

static void the_kinds_are_named_in_the_order_of_their_ids(void **state)
{
    const char *const names[] = {"bloom", "classic", "hll"};
    const unsigned    ids[] = {1, 2, 8};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(ink_kind_name(i), names[i]);
        assert_int_equal(ink__kinds[i]->id, ids[i]);
    }
    assert_null(ink_kind_name(3));
    assert_null(ink_kind_name(SIZE_MAX));
    assert_null(ink__kinds[3]);
}

static void a_kind_is_found_by_its_name_and_by_its_id(void **state)
{
    (void)state;
    for (unsigned i = 0; ink__kinds[i] != NULL; i++) {
        assert_ptr_equal(ink__kind_named(ink__kinds[i]->name), ink__kinds[i]);
        assert_ptr_equal(ink__kind_of_id(ink__kinds[i]->id), ink__kinds[i]);
    }
}

static void a_kind_that_does_not_exist_is_not_found(void **state)
{
    (void)state;
    assert_null(ink__kind_named("blooms"));
    assert_null(ink__kind_named(""));
    assert_null(ink__kind_named("BLOOM"));
    assert_null(ink__kind_of_id(0));
    assert_null(ink__kind_of_id(3));
}

static void every_kind_has_what_no_kind_may_leave_out(void **state)
{
    (void)state;
    for (unsigned i = 0; ink__kinds[i] != NULL; i++) {
        const ink__kind *kind = ink__kinds[i];
        CHECK(kind->position_rule != NULL && kind->plan != NULL && kind->check != NULL);
        CHECK(kind->describe != NULL && kind->create != NULL && kind->load != NULL);
        CHECK(kind->release != NULL && kind->shape != NULL && kind->scratch_bytes != NULL);
        CHECK(kind->payload != NULL && kind->add != NULL && kind->merge != NULL);
        CHECK(kind->object_bytes >= sizeof(ink_sketch));
        CHECK(kind->field_count <= INK__FIELDS_MAX);
        CHECK(kind->layout > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kinds_are_named_in_the_order_of_their_ids),
        cmocka_unit_test(a_kind_is_found_by_its_name_and_by_its_id),
        cmocka_unit_test(a_kind_that_does_not_exist_is_not_found),
        cmocka_unit_test(every_kind_has_what_no_kind_may_leave_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
