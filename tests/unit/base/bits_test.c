/* bits_test.c - bits and bytes of integers: little-endian on every host, and counted rightly. */
#include "base/bits.h"

#include "support/check.h"

TEST(loads_take_the_lowest_byte_first_at_any_address)
{
    static const uint8_t bytes[16] = {0xff, 0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88, 0x09};

    assert_int_equal(ink__load_u16(bytes + 1), 0x8201);
    assert_int_equal(ink__load_u32(bytes + 1), 0x84038201);
    assert_int_equal(ink__load_u64(bytes + 1), 0x8807860584038201);
    assert_int_equal(ink__load_u16(bytes + 2), 0x0382);
}

TEST(stores_put_the_lowest_byte_first_and_touch_no_other)
{
    static const uint8_t expected_16[] = {0xee, 0x01, 0x82, 0xee};
    static const uint8_t expected_32[] = {0xee, 0x01, 0x82, 0x03, 0x84, 0xee};
    static const uint8_t expected_64[] = {0xee, 1, 0x82, 3, 0x84, 5, 0x86, 7, 0x88, 0xee};
    uint8_t              bytes[10];

    memset(bytes, 0xee, sizeof bytes);
    ink__store_u16(bytes + 1, 0x8201);
    assert_memory_equal(bytes, expected_16, sizeof expected_16);
    memset(bytes, 0xee, sizeof bytes);
    ink__store_u32(bytes + 1, 0x84038201);
    assert_memory_equal(bytes, expected_32, sizeof expected_32);
    memset(bytes, 0xee, sizeof bytes);
    ink__store_u64(bytes + 1, 0x8807860584038201);
    assert_memory_equal(bytes, expected_64, sizeof expected_64);
}

TEST(rotations_bring_the_upper_bits_back_below)
{
    assert_int_equal(ink__rotate_left_32(0x80000001, 1), 3);
    assert_int_equal(ink__rotate_left_32(0x12345678, 8), 0x34567812);
    assert_int_equal(ink__rotate_left_32(0x12345678, 31), 0x091a2b3c);
    assert_int_equal(ink__rotate_left_64(0x8000000000000001, 1), 3);
    assert_int_equal(ink__rotate_left_64(0x0123456789abcdef, 32), 0x89abcdef01234567);
    assert_int_equal(ink__rotate_left_64(2, 63), 1);
}

TEST(ones_and_leading_zeros_are_counted)
{
    assert_int_equal(ink__ones_32(0), 0);
    assert_int_equal(ink__ones_32(0xffffffff), 32);
    assert_int_equal(ink__ones_32(0x80000101), 3);
    assert_int_equal(ink__ones_64(0), 0);
    assert_int_equal(ink__ones_64(UINT64_MAX), 64);
    assert_int_equal(ink__ones_64(0x8000000100000001), 3);
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_int_equal(ink__leading_zeros_64(UINT64_C(1) << bit), 63 - bit);
        assert_int_equal(ink__leading_zeros_64(UINT64_MAX >> bit), bit);
    }
}

TEST(powers_of_two_have_one_bit)
{
    assert_false(ink__is_power_of_two(0));
    assert_false(ink__is_power_of_two(3));
    assert_false(ink__is_power_of_two(UINT64_MAX));
    for (unsigned bit = 0; bit < 64; bit++)
        assert_true(ink__is_power_of_two(UINT64_C(1) << bit));
}

TEST(doubles_keep_their_bits)
{
    /* IEEE 754: sign, 11 bits of exponent with bias 1023, 52 bits of fraction. */
    assert_int_equal(ink__bits_of_double(1.0), 0x3ff0000000000000);
    assert_int_equal(ink__bits_of_double(-2.0), 0xc000000000000000);
    assert_int_equal(ink__bits_of_double(-0.0), 0x8000000000000000);
    assert_true(ink__double_of_bits(1) == 0x1p-1074);
    assert_true(ink__double_of_bits(0x3fb999999999999a) == 0.1);
    /* A number that is none keeps its payload. */
    assert_int_equal(ink__bits_of_double(ink__double_of_bits(0x7ff8000000000123)),
                     0x7ff8000000000123);
}

RUN_TESTS()
