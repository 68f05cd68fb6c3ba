/* mix_test.c - the 64-bit finaliser: its published values, and that it loses nothing. */
#include "base/mix.h"

#include "support/check.h"

TEST(mix64_gives_the_values_of_the_last_step_of_murmurhash3)
{
    /* fmix64 of Appleby's MurmurHash3.cpp, worked out in Python with integers of any size. The
     * value of 1 is well known. */
    static const struct {
        uint64_t of, value;
    } known[] = {
        {0, 0},
        {1, 0xb456bcfc34c2cb2c},
        {2, 0x3abf2a20650683e7},
        {42, 0x810879608e4259cc},
        {UINT64_MAX, 0x64b5720b4b825f21},
        {0x8000000000000000, 0x8f780810af31a493},
        {0x696e6b6c696e6721, 0xabb4ff4554b67e9f},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(ink__mix64(known[i].of), known[i].value);
}

/* Undoes each step in reverse order. A shift by 33 of 64 bits undoes itself; a multiplication by an
 * odd number is undone by its inverse modulo 2^64. */
static uint64_t unmix64(uint64_t x)
{
    x ^= x >> 33;
    x *= 0x9cb4b2f8129337db;
    x ^= x >> 33;
    x *= 0x4f74430c22a54005;
    return x ^ x >> 33;
}

TEST(mix64_can_be_undone)
{
    uint64_t x = 1;

    CHECK(0xc4ceb9fe1a85ec53 * 0x9cb4b2f8129337db == 1);
    CHECK(0xff51afd7ed558ccd * 0x4f74430c22a54005 == 1);
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_int_equal(unmix64(ink__mix64(UINT64_C(1) << bit)), UINT64_C(1) << bit);
        assert_int_equal(ink__mix64(unmix64(~(UINT64_C(1) << bit))), ~(UINT64_C(1) << bit));
    }
    for (int i = 0; i < 100000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
        if (unmix64(ink__mix64(x)) != x)
            fail_msg("mix64 of %llx cannot be undone", (unsigned long long)x);
    }
}

TEST(mix64_lets_each_input_bit_change_about_half_of_the_output)
{
    enum { KEYS = 1000 };

    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned long changed = 0;
        for (uint64_t key = 0; key < KEYS; key++)
            changed += (unsigned long)__builtin_popcountll(ink__mix64(key) ^
                                                           ink__mix64(key ^ UINT64_C(1) << bit));
        /* Of 64000 bits half are expected to change, with a deviation of 126; 6 % is 30 of them. */
        assert_in_range(changed, 30080, 33920);
    }
}

RUN_TESTS()
