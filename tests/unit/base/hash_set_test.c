/* hash_set_test.c - a set has what was put into it, 0 included, at any fill, with its words. */
#include "base/hash_set.h"

#include "support/check.h"
#include "support/sketches.h"

TEST(a_table_is_at_most_three_quarters_full)
{
    for (uint64_t hashes = 0; hashes < 5000; hashes++) {
        uint64_t slots = ink__hash_set_slots(hashes);
        assert_true(ink__is_power_of_two(slots) && 4 * hashes <= 3 * slots);
        assert_true(slots == INK__HASH_SET_SLOTS_MIN || 4 * hashes > 3 * slots / 2);
    }
}

TEST(what_was_put_is_found_and_nothing_else)
{
    for (unsigned valued = 0; valued < 2; valued++)
        for (uint64_t count = 1; count < 3000; count += 1 + count / 3) {
            uint64_t      slots = ink__hash_set_slots(count), found = 0;
            uint64_t     *words = test_calloc(1, ink__hash_set_bytes(slots, valued));
            ink__hash_set set = {words, slots, ink__salt_of(words), valued};
            for (uint64_t i = 0; i < count; i++) { /* 0, 1, and others all over */
                uint64_t hash = i < 2 ? i : scramble(i), slot = ink__hash_set_find(&set, hash);
                assert_false(ink__hash_set_has(&set, slot));
                ink__hash_set_put(&set, slot, hash);
                if (valued)
                    *ink__hash_set_value(&set, slot) = i;
            }
            for (uint64_t i = 0; i < 2 * count; i++) {
                uint64_t hash = i < 2 ? i : scramble(i), slot = ink__hash_set_find(&set, hash);
                assert_true(ink__hash_set_has(&set, slot) == (i < count));
                if (i >= count)
                    continue;
                assert_true(ink__hash_set_at(&set, slot) == hash);
                assert_true(!valued || *ink__hash_set_value(&set, slot) == i);
            }
            for (uint64_t slot = 0; slot <= slots; slot++)
                found += ink__hash_set_has(&set, slot);
            assert_true(found == count);
            test_free(words);
        }
}

/* Each number below `count` as often as its place in a row of three says, 0 once. */
static uint64_t times(uint64_t number)
{
    return number == 0 ? 1 : 1 + number % 3;
}

TEST(what_is_moved_into_a_larger_table_is_all_there)
{
    enum { COUNT = 300 };

    for (unsigned valued = 0; valued < 2; valued++) {
        uint64_t      slots = ink__hash_set_slots(3 * COUNT);
        uint64_t     *small = test_calloc(1, ink__hash_set_bytes(slots, valued));
        uint64_t     *large = test_calloc(1, ink__hash_set_bytes(4 * slots, valued));
        ink__hash_set from = {small, slots, 5, valued}, to = {large, 4 * slots, 7, valued};
        for (uint64_t i = 0; i < COUNT; i++)
            for (uint64_t n = 0; n < times(i); n++) {
                uint64_t hash = i == 0 ? 0 : scramble(i), slot = ink__hash_set_find(&from, hash);
                while (ink__hash_set_has(&from, slot))
                    slot = ink__hash_set_next(&from, hash, slot + 1);
                ink__hash_set_put(&from, slot, hash);
                if (valued)
                    *ink__hash_set_value(&from, slot) = 10 * i + n;
            }
        ink__hash_set_move(&to, &from);
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t hash = i == 0 ? 0 : scramble(i), slot = ink__hash_set_find(&to, hash),
                     seen = 0;
            for (uint64_t n = 0; n < times(i); n++) {
                assert_true(ink__hash_set_has(&to, slot) && ink__hash_set_at(&to, slot) == hash);
                if (valued)
                    seen += *ink__hash_set_value(&to, slot) - 10 * i;
                if (i != 0)
                    slot = ink__hash_set_next(&to, hash, slot + 1);
            }
            assert_true(i == 0 || !ink__hash_set_has(&to, slot));
            assert_true(!valued || seen == times(i) * (times(i) - 1) / 2);
        }
        test_free(small);
        test_free(large);
    }
}

RUN_TESTS()
