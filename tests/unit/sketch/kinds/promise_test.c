/* promise_test.c - what a filter promises, and what becomes of it under union, intersection and
 * folding. */
#include "base/status.h"
#include "sketch/kinds/promise.h"

#include "base/bits.h"
#include "support/check.h"

#include <math.h>

static ink_error error;

static void check_promise(ink__promise promise, uint64_t keys, double target, double promised)
{
    CHECK(promise.expected_keys == keys);
    CHECK(promise.target == target);
    CHECK(promise.promised == promised);
}

TEST(a_promise_is_stored_in_a_shape_and_read_again)
{
    const ink__promise promise = {.expected_keys = 77, .target = 0.02, .promised = 0.01};
    ink__shape         shape = {0};
    ink_description    description = {0};

    ink__promise_store(&promise, &shape);
    check_promise(ink__promise_of(&shape), 77, 0.02, 0.01);
    ink__promise_describe(&shape, &description);
    CHECK(description.expected_keys == 77);
    CHECK(description.target_rate == 0.02);
    CHECK(description.promised_rate == 0.01);
}

/* ---- In files ----------------------------------------------------------------------------- */

static ink_status check_rates(uint64_t asked_bits, uint64_t promised_bits)
{
    const ink__shape shape = {.fields = {10, asked_bits, promised_bits}};

    return ink__promise_check(&shape, &error);
}

TEST(rates_that_can_be_are_accepted)
{
    CHECK_OK(check_rates(0, 0));
    CHECK_OK(check_rates(ink__bits_of_double(0.5), ink__bits_of_double(1)));
    CHECK_OK(check_rates(1, 1)); /* the smallest number above 0 */
}

TEST(rates_that_cannot_be_are_refused_at_their_field)
{
    const uint64_t one = ink__bits_of_double(1), nan = 0x7ff8000000000000;
    const uint64_t infinity = 0x7ff0000000000000, minus_zero = 0x8000000000000000;
    const uint64_t wrong[] = {
        nan, infinity, minus_zero, ink__bits_of_double(-0.5), ink__bits_of_double(1.5),
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK_FAILS(check_rates(wrong[i], 0), INK_FORMAT, "target rate");
        CHECK(error.location == INK__AT_FIELD && error.at == 1);
        CHECK_FAILS(check_rates(0, wrong[i]), INK_FORMAT, "promised rate");
        CHECK(error.location == INK__AT_FIELD && error.at == 2);
    }
    CHECK_FAILS(check_rates(one, one), INK_FORMAT,
                "target rate 1, expected 0, or above 0 and below 1");
}

/* ---- Parameters --------------------------------------------------------------------------- */

TEST(parameters_are_keys_and_a_rate_or_bits)
{
    double rate = -1;

    CHECK_OK(ink__promise_params(&(ink_params){.expected_keys = 5}, &rate, &error));
    CHECK(rate == 0.01);
    CHECK_OK(ink__promise_params(&(ink_params){.expected_keys = 5, .false_positive_rate = 0.2},
                                 &rate, &error));
    CHECK(rate == 0.2);
    CHECK_OK(ink__promise_params(&(ink_params){.bits = 5}, &rate, &error));
    CHECK(rate == 0);
}

TEST(parameters_that_are_neither_or_both_are_refused)
{
    double rate = -1;

    CHECK_FAILS(ink__promise_params(&(ink_params){.kind = "bloom"}, &rate, &error), INK_USAGE,
                "bloom needs expected_keys, or its size in bits");
    CHECK_FAILS(
        ink__promise_params(&(ink_params){.bits = 5, .false_positive_rate = 0.1}, &rate, &error),
        INK_USAGE, "bits and false_positive_rate do not go together");
    CHECK(rate == -1);
}

TEST(a_rate_that_is_none_is_refused)
{
    const double wrong[] = {-0.01, 1, 2, (double)NAN, (double)INFINITY, (double)-INFINITY};
    double       rate = -1;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_FAILS(
            ink__promise_params(&(ink_params){.expected_keys = 5, .false_positive_rate = wrong[i]},
                                &rate, &error),
            INK_USAGE, "expected above 0 and below 1");
    CHECK_FAILS(
        ink__promise_params(&(ink_params){.expected_keys = 5, .false_positive_rate = (double)NAN},
                            &rate, &error),
        INK_USAGE, "false_positive_rate nan");
}

/* ---- Combining ---------------------------------------------------------------------------- */

TEST(a_union_promises_the_larger_of_everything)
{
    const ink__promise a = {.expected_keys = 10, .target = 0.2, .promised = 0.01};
    const ink__promise b = {.expected_keys = 30, .target = 0.1, .promised = 0.02};

    check_promise(ink__promise_union(&a, &b), 30, 0.2, 0.02);
    check_promise(ink__promise_union(&b, &a), 30, 0.2, 0.02);
}

TEST(a_union_with_a_filter_that_promises_nothing_promises_nothing)
{
    const ink__promise a = {.expected_keys = 10, .target = 0.2, .promised = 0.01}, none = {0};

    check_promise(ink__promise_union(&a, &none), 10, 0.2, 0);
    check_promise(ink__promise_union(&none, &a), 10, 0.2, 0);
}

TEST(an_intersection_promises_the_smaller_of_what_is_promised)
{
    const ink__promise a = {.expected_keys = 10, .target = 0.2, .promised = 0.01};
    const ink__promise b = {.expected_keys = 30, .target = 0.1, .promised = 0.02};
    const ink__promise by_hand = {.expected_keys = 20};

    check_promise(ink__promise_intersection(&a, &b), 10, 0.1, 0.01);
    check_promise(ink__promise_intersection(&b, &a), 10, 0.1, 0.01);
    check_promise(ink__promise_intersection(&b, &by_hand), 20, 0.1, 0.02);
    check_promise(ink__promise_intersection(&by_hand, &b), 20, 0.1, 0.02);
}

TEST(a_folded_filter_promises_the_same_for_fewer_keys)
{
    const ink__promise promise = {.expected_keys = 10, .target = 0.2, .promised = 0.01};

    check_promise(ink__promise_folded(&promise, 4), 2, 0.2, 0.01);
}

/* ---- Keeping ------------------------------------------------------------------------------ */

TEST(a_rate_up_to_the_promise_keeps_it)
{
    const ink_merge_options plain = {0};
    ink__promise            promise = {.promised = 0.01};

    CHECK_OK(ink__promise_keep(&promise, 0.01, &plain, &error));
    CHECK(promise.promised == 0.01);
}

TEST(a_rate_above_the_promise_breaks_it)
{
    const ink_merge_options plain = {0};
    ink__promise            promise = {.promised = 0.01};

    CHECK_FAILS(ink__promise_keep(&promise, 0.0125, &plain, &error), INK_PROMISE,
                "would have false-positive rate 0.0125, above the 0.01 that is promised");
    CHECK(promise.promised == 0.01);
}

TEST(a_larger_rate_that_is_allowed_becomes_the_promise)
{
    const ink_merge_options allow = {.max_rate = 0.05};
    ink__promise            promise = {.promised = 0.01};

    CHECK_FAILS(ink__promise_keep(&promise, 0.06, &allow, &error), INK_PROMISE,
                "false-positive rate 0.06, above the 0.05 that is allowed");
    CHECK_OK(ink__promise_keep(&promise, 0.04, &allow, &error));
    CHECK(promise.promised == 0.05);
}

TEST(parts_of_one_set_keep_their_promise_whatever_the_rate)
{
    const ink_merge_options parts = {.parts = true};
    ink__promise            promise = {.promised = 0.01};

    CHECK_OK(ink__promise_keep(&promise, 0.9, &parts, &error));
    CHECK(promise.promised == 0.01);
}

TEST(a_filter_that_promises_nothing_breaks_nothing)
{
    const ink_merge_options plain = {0};
    ink__promise            promise = {0};

    CHECK_OK(ink__promise_keep(&promise, 1, &plain, &error));
    CHECK(promise.promised == 0);
}

TEST(a_rate_allowed_by_hand_is_kept_even_where_nothing_is_promised)
{
    const ink_merge_options allow = {.max_rate = 0.05};
    ink__promise            promise = {0};

    CHECK_FAILS(ink__promise_keep(&promise, 0.06, &allow, &error), INK_PROMISE,
                "above the 0.05 that is allowed");
}

RUN_TESTS()
