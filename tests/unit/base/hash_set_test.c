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

RUN_TESTS()
