/* siphash_test.c - SipHash-2-4 gives the values of its authors' reference. */
#include "hash/siphash.h"

#include "support/cases.h"

/* vectors_sip64 of the reference implementation: key 00 01 .. 0f, message n is 00 01 .. n-1. All 64
 * were made anew with OpenSSL 3.0.19: openssl mac -macopt hexkey:0001..0f -macopt size:8 siphash */
static const uint64_t reference[64] = {
    0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
    0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
    0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
    0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
    0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794, 0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd,
    0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8,
    0xb8ad50c6f649af94, 0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad,
    0xde4daaaca71dc9a5, 0xa6a2506687956571, 0xad87a3535c49ef28, 0x32d892fad841c342,
    0x7127512f72f27cce, 0xa7f32346f95978e3, 0x12e0b01abb051238, 0x15e034d40fa197ae,
    0x314dffbe0815a3b4, 0x027990f029623981, 0xcadcd4e59ef40c4d, 0x9abfd8766a33735c,
    0x0e3ea96b5304a7d0, 0xad0c42d6fc585992, 0x187306c89bc215a9, 0xd4a60abcf3792b95,
    0xf935451de4f21df2, 0xa9538f0419755787, 0xdb9acddff56ca510, 0xd06c98cd5c0975eb,
    0xe612a3cb9ecba951, 0xc766e62cfcadaf96, 0xee64435a9752fe72, 0xa192d576b245165a,
    0x0a8787bf8ecb74b2, 0x81b3e73d20b49b6f, 0x7fa8220ba3b2ecea, 0x245731c13ca42499,
    0xb78dbfaf3a8d83bd, 0xea1ad565322a1a0b, 0x60e61c23a3795013, 0x6606d7e446282b93,
    0x6ca4ecb15c5f91e1, 0x9f626da15c9625f3, 0xe51b38608ef25f57, 0x958a324ceb064572,
};

CASE(siphash_gives_all_64_reference_values)
{
    const uint64_t secret[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    uint8_t        message[64];

    for (size_t n = 0; n < 64; n++) {
        message[n] = (uint8_t)n;
        assert_int_equal(ink__siphash(secret, message, n), reference[n]);
    }
}

CASE(siphash_gives_openssls_values_for_high_bytes_and_long_keys)
{
    /* Key f0 f1 .. ff, message byte i is 167 i + 89 modulo 256; made with OpenSSL as above. The
     * fold over all lengths 0 to 300 is f * 31 + hash. */
    const uint64_t secret[2] = {0xf7f6f5f4f3f2f1f0, 0xfffefdfcfbfaf9f8};
    uint8_t        message[300];
    uint64_t       fold = 0;
    static const struct {
        size_t   bytes;
        uint64_t hash;
    } known[] = {
        {0, 0xce509a10c7e54549},   {1, 0x5b09e78a3cd4745e},   {7, 0x6d714cea53cdf7b7},
        {8, 0x65ee85f349e19ccb},   {255, 0x509d4c8d42130ef3}, {256, 0xd294fa58ea2f1721},
        {257, 0x4bea770b793e82bb}, {300, 0xd58715cb1dc78ec0},
    };

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i * 167 + 89);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(ink__siphash(secret, message, known[i].bytes), known[i].hash);
    for (size_t n = 0; n <= sizeof message; n++)
        fold = fold * 31 + ink__siphash(secret, message, n);
    assert_int_equal(fold, 0x541b00eb3cbbe556);
}

CASE(siphash_of_an_empty_key_reads_no_memory)
{
    const uint64_t secret[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

    assert_int_equal(ink__siphash(secret, NULL, 0), reference[0]);
}

CASE(siphash_depends_on_every_bit_of_its_secret)
{
    const uint64_t secret[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    const uint64_t before = ink__siphash(secret, (const uint8_t *)"bee", 3);

    for (unsigned bit = 0; bit < 128; bit++) {
        uint64_t other[2] = {secret[0], secret[1]};
        other[bit / 64] ^= UINT64_C(1) << bit % 64;
        CHECK(ink__siphash(other, (const uint8_t *)"bee", 3) != before);
    }
}

RUN_CASES()
