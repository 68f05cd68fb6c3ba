/* kind_choice_test.c - which kind answers a question best, of those at hand and of all. */
#include "jobs/runtime/kind_choice.h"

#include "support/check.h"

TEST(the_best_kind_is_chosen_whatever_the_order)
{
    ink__kind_choice up = {.question = INK_ASK_COUNT}, down = {.question = INK_ASK_COUNT};

    assert_false(ink__kind_choice_offer(&up, "hll"));
    assert_null(up.kind);
    assert_true(ink__kind_choice_offer(&up, "counting"));
    assert_true(ink__kind_choice_offer(&up, "top"));
    assert_true(ink__kind_choice_offer(&up, "count-min"));
    assert_string_equal(up.kind, "count-min");
    assert_true(ink__kind_choice_offer(&down, "count-min"));
    assert_false(ink__kind_choice_offer(&down, "top"));
    assert_false(ink__kind_choice_offer(&down, "no such kind"));
    assert_string_equal(down.kind, "count-min");
    assert_null(down.other);
}

TEST(two_kinds_of_one_rank_are_both_named)
{
    ink__kind_choice choice = {.question = INK_ASK_DISTINCT};

    ink__kind_choice_offer(&choice, "classic");
    ink__kind_choice_offer(&choice, "classic");
    assert_null(choice.other);
    ink__kind_choice_offer(&choice, "bloom");
    ink__kind_choice_offer(&choice, "scalable");
    assert_string_equal(choice.kind, "classic");
    assert_string_equal(choice.other, "bloom");
    ink__kind_choice_offer(&choice, "fm");
    assert_string_equal(choice.kind, "fm");
    assert_null(choice.other);
}

TEST(jobs_find_the_kinds_that_they_make)
{
    assert_string_equal(ink__kind_best(INK_ASK_DISTINCT, INK__KIND_ANY), "hll");
    assert_string_equal(ink__kind_best(INK_ASK_MEMBER, INK__KIND_SIZED), "bloom");
    assert_string_equal(ink__kind_best(INK_ASK_MEMBER, INK__KIND_GROWS), "scalable");
    assert_string_equal(ink__kind_best(INK_ASK_MEMBER, INK__KIND_REMOVES), "counting");
    assert_null(ink__kind_best(INK_ASK_TOP, INK__KIND_REMOVES));
}

TEST(messages_name_the_kinds_the_best_first)
{
    static const char *const expected[INK_ASK_MEMBER + 1] = {
        [INK_ASK_COUNT] = "count-min, top or counting",
        [INK_ASK_TOP] = "top",
        [INK_ASK_DISTINCT] = "hll, theta, fm or a filter",
        [INK_ASK_DOT] = "count-min",
        [INK_ASK_MEMBER] = "a filter",
    };
    char text[INK__KINDS_BYTES];

    for (unsigned q = 0; q < INK_ASK_MEMBER + 1; q++) {
        ink__kinds_expected((ink_question)q, text);
        assert_string_equal(text, expected[q]);
    }
}

RUN_TESTS()
