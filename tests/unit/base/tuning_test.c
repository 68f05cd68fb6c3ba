/* tuning_test.c - what is chosen by the sizes of caches: in order, in proportion, the same whoever
 * asks and however often, and sane where the system tells nothing. */
#include "base/tuning.h"

#include "base/system.h"
#include "support/check.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

static bool same(const ink__tuning *a, const ink__tuning *b)
{
    return a->l1_bytes == b->l1_bytes && a->l2_bytes == b->l2_bytes &&
           a->caches_known == b->caches_known && a->prefetch_from_bytes == b->prefetch_from_bytes &&
           a->window == b->window && a->far_from_bytes == b->far_from_bytes &&
           a->far_window == b->far_window && a->huge_from_bytes == b->huge_from_bytes &&
           a->radix_from_bytes == b->radix_from_bytes && a->private_to_bytes == b->private_to_bytes;
}

/* What holds for every machine. */
static void check_sane(const ink__tuning *t)
{
    CHECK(t->l1_bytes >= 4 * KIB && t->l1_bytes < t->l2_bytes);
    CHECK(t->prefetch_from_bytes > t->l1_bytes && t->prefetch_from_bytes <= t->l2_bytes);
    CHECK(t->far_from_bytes > t->prefetch_from_bytes);
    CHECK(t->private_to_bytes >= t->l2_bytes && t->radix_from_bytes > t->prefetch_from_bytes);
    CHECK(t->huge_from_bytes == 4 * MIB);
    CHECK(t->window >= 64 && t->window <= INK__WINDOW_MAX);
    CHECK(t->far_window >= 64 && t->far_window <= INK__WINDOW_MAX);
}

TEST(thresholds_grow_with_the_second_cache)
{
    for (uint64_t l2 = 128 * KIB; l2 <= 32 * MIB; l2 *= 2) {
        ink__tuning one = ink__tuning_of(32 * KIB, l2), two = ink__tuning_of(32 * KIB, 2 * l2);
        check_sane(&one);
        CHECK(one.caches_known && one.l1_bytes == 32 * KIB && one.l2_bytes == l2);
        assert_int_equal(two.prefetch_from_bytes, 2 * one.prefetch_from_bytes);
        assert_int_equal(two.radix_from_bytes, 2 * one.radix_from_bytes);
        assert_int_equal(two.private_to_bytes, 2 * one.private_to_bytes);
        assert_int_equal(two.huge_from_bytes, one.huge_from_bytes);
    }
}

TEST(the_machines_that_were_measured_get_what_was_measured)
{
#if defined(__aarch64__)
    ink__tuning t = ink__tuning_of(64 * KIB, MIB);
    assert_int_equal(t.prefetch_from_bytes, MIB / 2);
    assert_int_equal(t.far_from_bytes, 4 * MIB);
    assert_int_equal(t.far_window, 128);
    assert_int_equal(t.radix_from_bytes, 100 * MIB);
    assert_int_equal(t.private_to_bytes, 50 * MIB);
#else
    ink__tuning t = ink__tuning_of(48 * KIB, 2 * MIB);
    assert_int_equal(t.prefetch_from_bytes, MIB);
    assert_true(t.far_from_bytes == UINT64_MAX);
    assert_int_equal(t.radix_from_bytes, 13 * MIB);
    assert_int_equal(t.private_to_bytes, 32 * MIB);
#endif
}

TEST(sizes_that_no_core_has_are_taken_for_none)
{
    static const struct {
        uint64_t l1, l2;
    } odd[] = {{0, 0},        {0, 2 * MIB},          {32 * KIB, 0},         {1, 2 * MIB},
               {32 * KIB, 1}, {UINT64_MAX, 2 * MIB}, {32 * KIB, UINT64_MAX}};

    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        ink__tuning t = ink__tuning_of(odd[i].l1, odd[i].l2);
        CHECK(!t.caches_known);
        check_sane(&t);
    }
    assert_int_equal(ink__tuning_of(0, 0).l2_bytes, MIB);
    assert_int_equal(ink__tuning_of(0, 2 * MIB).l2_bytes, 2 * MIB); /* what is known counts */
}

static unsigned times_asked;

static uint64_t counting_cache_bytes(unsigned level)
{
    times_asked++;
    return ink__posix.cache_bytes(level);
}

TEST(the_system_is_asked_once)
{
    ink__system system = ink__posix;

    system.cache_bytes = counting_cache_bytes;
    ink__system_replace(&system);
    ink__tuning first = ink__tuning_now();
    assert_in_range(times_asked, 0, 2); /* each level; a program that asked before asks no more */
    unsigned    before = times_asked;
    ink__tuning again = ink__tuning_now();
    assert_int_equal(times_asked, before);
    ink__system_replace(NULL);
    CHECK(same(&first, &again));
    check_sane(&first);
}

TEST(this_machine_gets_what_its_caches_ask_for)
{
    ink__tuning now = ink__tuning_now();
    ink__tuning expected = ink__tuning_of(ink__posix.cache_bytes(1), ink__posix.cache_bytes(2));

    CHECK(same(&now, &expected));
}

RUN_TESTS()
