/* size_test.c - arithmetic on sizes notices every overflow, at the very edge. */
#include "base/size.h"

#include "support/check.h"

TEST(sums_fit_up_to_the_last_number)
{
    uint64_t result;

    assert_true(ink__add_u64(UINT64_MAX - 5, 5, &result));
    assert_int_equal(result, UINT64_MAX);
    assert_false(ink__add_u64(UINT64_MAX - 5, 6, &result));
    assert_false(ink__add_u64(UINT64_MAX, UINT64_MAX, &result));
    assert_true(ink__add_u64(0, 0, &result));
    assert_int_equal(result, 0);
}

TEST(products_fit_up_to_the_last_number)
{
    uint64_t result;

    /* 2^64 - 1 = 3 * 5 * 17 * 257 * 641 * 65537 * 6700417 */
    assert_true(ink__mul_u64(UINT64_MAX / 641, 641, &result));
    assert_int_equal(result, UINT64_MAX);
    assert_false(ink__mul_u64(UINT64_MAX / 641 + 1, 641, &result));
    assert_false(ink__mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &result));
    assert_true(ink__mul_u64(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &result));
    assert_int_equal(result, 0xffffffff00000000);
    assert_true(ink__mul_u64(0, UINT64_MAX, &result));
    assert_int_equal(result, 0);
}

TEST(aligning_rounds_up_to_the_unit)
{
    static const struct {
        uint64_t value, unit, result;
    } fits[] = {
        {0, 8, 0},
        {1, 8, 8},
        {8, 8, 8},
        {9, 8, 16},
        {7, 1, 7},
        {63, 64, 64},
        {65, 64, 128},
        {4097, 4096, 8192},
        {UINT64_MAX - 7, 8, UINT64_MAX - 7}, /* 2^64 - 8, a multiple already */
    };
    uint64_t result;

    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        assert_true(ink__align_u64(fits[i].value, fits[i].unit, &result));
        assert_int_equal(result, fits[i].result);
    }
    assert_false(ink__align_u64(UINT64_MAX - 6, 8, &result));
    assert_false(ink__align_u64(UINT64_MAX, 2, &result));
}

TEST(the_largest_block_is_half_the_address_space)
{
    /* Differences of pointers into it must fit ptrdiff_t. */
    assert_int_equal(INK__BYTES_MAX, SIZE_MAX / 2);
}

RUN_TESTS()
