/* byte_reader_test.c - the bounded reader: fields in order, nothing past the end, and places that
 * fit. */
#include "base/byte_reader.h"

#include "support/check.h"

static ink_error error;

TEST(fields_are_read_one_after_another)
{
    static const uint8_t bytes[] = {0x34, 0x12, 0x78, 0x56, 0x34, 0x92, 0xef, 0xcd,
                                    0xab, 0x89, 0x67, 0x45, 0x23, 0x81, 0xaa, 0xbb};
    ink__reader          in = {.bytes = bytes, .count = sizeof bytes};

    assert_int_equal(ink__read_u16(&in), 0x1234);
    assert_int_equal(ink__read_u32(&in), 0x92345678);
    assert_int_equal(ink__read_u64(&in), 0x8123456789abcdef);
    assert_ptr_equal(ink__read_bytes(&in, 2), bytes + 14);
    assert_int_equal(in.offset, sizeof bytes);
    assert_false(in.ran_out);
    CHECK_OK(ink__reader_check(&in, "all of it", &error));
}

TEST(a_read_past_the_end_gives_0_and_is_remembered)
{
    static const uint8_t bytes[8] = {1, 1, 1, 1, 1, 1, 1, 1};

    for (uint64_t count = 0; count < 8; count++) {
        ink__reader in = {.bytes = bytes, .count = count};
        assert_int_equal(ink__read_u64(&in), 0);
        assert_true(in.ran_out);
        assert_int_equal(in.offset, 0);
    }
    for (uint64_t count = 0; count < 4; count++) {
        ink__reader in = {.bytes = bytes, .count = count};
        assert_int_equal(ink__read_u32(&in), 0);
        assert_true(in.ran_out);
    }
    for (uint64_t count = 0; count < 2; count++) {
        ink__reader in = {.bytes = bytes, .count = count};
        assert_int_equal(ink__read_u16(&in), 0);
        assert_true(in.ran_out);
    }
}

TEST(after_running_out_even_what_would_fit_is_not_read)
{
    static const uint8_t bytes[6] = {1, 1, 1, 1, 1, 1};
    ink__reader          in = {.bytes = bytes, .count = sizeof bytes};

    assert_int_equal(ink__read_u64(&in), 0);
    assert_int_equal(ink__read_u16(&in), 0);
    assert_null(ink__read_bytes(&in, 0));
    assert_int_equal(in.offset, 0);
}

TEST(a_count_near_2_to_the_64_does_not_wrap)
{
    static const uint8_t bytes[16];
    ink__reader          in = {.bytes = bytes, .count = sizeof bytes, .offset = 8};

    assert_null(ink__read_bytes(&in, UINT64_MAX - 7)); /* offset + count would be 0 */
    assert_true(in.ran_out);
}

TEST(running_out_fails_with_the_end_of_the_part_as_its_location)
{
    static const uint8_t bytes[10];
    ink__reader          in = {.bytes = bytes, .count = sizeof bytes, .start = 100};

    CHECK_OK(ink__reader_check(&in, "label", &error));
    ink__read_u64(&in);
    ink__read_u32(&in);
    CHECK_FAILS(ink__reader_check(&in, "label", &error), INK_FORMAT,
                "label is cut short: its part of the file ends here");
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, 110);
    assert_int_equal(ink__reader_check(&in, "label", NULL), INK_FORMAT);
}

TEST(the_location_counts_from_the_start_of_the_file)
{
    static const uint8_t bytes[10];
    ink__reader          in = {.bytes = bytes, .count = sizeof bytes, .start = 4096};

    assert_int_equal(ink__reader_location(&in), 4096);
    ink__read_u16(&in);
    assert_int_equal(ink__reader_location(&in), 4098);
    ink__read_u32(&in);
    assert_int_equal(ink__reader_location(&in), 4102);
    ink__read_u64(&in); /* runs out: stays */
    assert_int_equal(ink__reader_location(&in), 4102);
}

TEST(padding_is_skipped_to_the_next_multiple)
{
    static const uint8_t bytes[24] = {9};

    for (uint64_t offset = 1; offset <= 24; offset++) {
        ink__reader in = {.bytes = bytes, .count = sizeof bytes, .offset = offset, .start = 3};
        CHECK_OK(ink__read_padding(&in, 8, &error));
        assert_int_equal(in.offset, (offset + 7) / 8 * 8);
    }
}

TEST(padding_of_a_part_that_starts_aligned_is_empty)
{
    static const uint8_t bytes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    ink__reader          in = {.bytes = bytes, .count = sizeof bytes};

    CHECK_OK(ink__read_padding(&in, 8, &error));
    assert_int_equal(in.offset, 0);
    in.offset = 8;
    CHECK_OK(ink__read_padding(&in, 64 / 8, &error));
    assert_int_equal(in.offset, 8);
}

TEST(padding_that_is_not_zero_is_named_with_its_location)
{
    for (uint64_t wrong = 3; wrong < 8; wrong++) {
        uint8_t bytes[8] = {1, 1, 1};
        bytes[wrong] = 0xab;
        ink__reader in = {.bytes = bytes, .count = sizeof bytes, .offset = 3, .start = 200};
        CHECK_FAILS(ink__read_padding(&in, 8, &error), INK_FORMAT, "padding byte 0xab, expected 0");
        assert_int_equal(error.location, INK_AT_BYTE);
        assert_int_equal(error.at, 200 + wrong);
    }
}

TEST(padding_past_the_end_is_refused)
{
    static const uint8_t bytes[5];
    ink__reader          in = {.bytes = bytes, .count = sizeof bytes, .offset = 3, .start = 7};

    CHECK_FAILS(ink__read_padding(&in, 8, &error), INK_FORMAT,
                "padding is cut short: its part of the file ends here");
    assert_int_equal(error.at, 12);
}

RUN_TESTS()
