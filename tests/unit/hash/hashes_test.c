/* hashes_test.c - each hash gives the values of its author, and of the systems that use it. */
#include "hash/hashes.h"

#include "base/bits.h"
#include "kernels/dispatch.h"
#include "support/check.h"

typedef struct wide_hash {
    uint64_t first, second; /* second: 0 of a narrow one */
} wide_hash;

typedef wide_hash hash_function(const void *key, size_t bytes, uint64_t seed);

static wide_hash x86_32(const void *key, size_t bytes, uint64_t seed)
{
    return (wide_hash){ink__murmur3_x86_32(key, bytes, (uint32_t)seed), 0};
}

static wide_hash murmur64a(const void *key, size_t bytes, uint64_t seed)
{
    return (wide_hash){ink__murmur64a(key, bytes, seed), 0};
}

static wide_hash xxh64(const void *key, size_t bytes, uint64_t seed)
{
    return (wide_hash){ink__xxh64(key, bytes, seed), 0};
}

static wide_hash xxh3(const void *key, size_t bytes, uint64_t seed)
{
    return (wide_hash){ink__xxh3(key, bytes, seed), 0};
}

static wide_hash xxh3_by_batch(const void *key, size_t bytes, uint64_t seed)
{
    const uint64_t offsets[2] = {0, bytes};
    uint64_t       hash;

    ink__kernels_fastest()->xxh3_batch(key, offsets, offsets + 1, 1, seed, &hash);
    return (wide_hash){hash, 0};
}

/* Key f0 f1 .. ff; there is no seed. */
static wide_hash siphash(const void *key, size_t bytes, uint64_t seed)
{
    const uint64_t secret[2] = {0xf7f6f5f4f3f2f1f0, 0xfffefdfcfbfaf9f8};

    return (wide_hash){ink__siphash(secret, key, bytes), 0};
}

static uint32_t x86_32_of(const char *text, uint32_t seed)
{
    return ink__murmur3_x86_32((const uint8_t *)text, strlen(text), seed);
}

static wide_hash x64_128_of(const void *key, size_t bytes, uint64_t seed)
{
    uint64_t hash[2];

    ink__murmur3_x64_128(key, bytes, seed, hash);
    return (wide_hash){hash[0], hash[1]};
}

/* ---- Published values --------------------------------------------------------------------- */

/* SMHasher's verification: the hashes of the keys {0, 1, .. i - 1} with seed 256 - i, for i = 0 to
 * 255, stored little-endian one after another, are hashed with seed 0; the first four bytes of that
 * are the value. One number holds a hash to every length and every tail. */
static uint32_t smhasher_value(hash_function *hash, size_t hash_bytes)
{
    uint8_t key[256], hashes[256 * 16 + 8];

    for (size_t i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        wide_hash found = hash(key, i, 256 - i);
        ink__store_u64(hashes + i * hash_bytes, found.first);
        if (hash_bytes == 16)
            ink__store_u64(hashes + i * hash_bytes + 8, found.second);
    }
    return (uint32_t)hash(hashes, 256 * hash_bytes, 0).first;
}

TEST(each_hash_has_the_verification_value_of_smhasher)
{
    assert_int_equal(smhasher_value(x86_32, 4), 0xb0f57ee3);
    assert_int_equal(smhasher_value(x64_128_of, 16), 0x6384ba69);
    assert_int_equal(smhasher_value(murmur64a, 8), 0x1f0d3804);
    assert_int_equal(smhasher_value(xxh64, 8), 0x024b7cf4);
    /* Of XXH3 since 0.8, where its values became final. */
    assert_int_equal(smhasher_value(xxh3, 8), 0x9a636405);
    assert_int_equal(smhasher_value(xxh3_by_batch, 8), 0x9a636405);
}

TEST(murmur3_x86_32_gives_the_well_known_values)
{
    /* The list that goes round between implementations (stackoverflow.com/questions/14747343). The
     * last but one is eight times the Greek letter pi: bytes above 0x7f. */
    static const struct {
        const char *key;
        uint32_t    seed, hash;
    } known[] = {
        {"", 0, 0},
        {"", 1, 0x514e28b7},
        {"", 0xffffffff, 0x81f16f39},
        {"\xff\xff\xff\xff", 0, 0x76293b50},
        {"!Ce\x87", 0, 0xf55b516b},
        {"!Ce\x87", 0x5082edee, 0x2362f9de},
        {"!Ce", 0, 0x7e4a8634},
        {"!C", 0, 0xa0f7b07a},
        {"!", 0, 0x72661cf4},
        {"aaaa", 0x9747b28c, 0x5a97808a},
        {"abc", 0x9747b28c, 0xc84a62dd},
        {"Hello, world!", 0x9747b28c, 0x24884cba},
        {"\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80", 0x9747b28c,
         0xd58063c1},
        {"The quick brown fox jumps over the lazy dog", 0x9747b28c, 0x2fa826cd},
    };
    static const uint32_t of_zeros[] = {0x514e28b7, 0x30f4c306, 0x85f0b427, 0x2362f9de};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(x86_32_of(known[i].key, known[i].seed), known[i].hash);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(x86_32("\0\0\0\0", i + 1, 0).first, of_zeros[i]);
}

TEST(murmur3_x86_32_gives_what_pythons_mmh3_gives)
{
    /* interop.md D12: the course filters on IMDb ids, position = hash with seed i modulo m = 100.
     */
    static const unsigned first[7] = {37, 74, 52, 66, 95, 40, 32};
    static const unsigned second[7] = {80, 54, 78, 24, 46, 89, 62};

    assert_int_equal(x86_32_of("hello", 0), 613153351);
    assert_int_equal(x86_32_of("hello", 1), 3142237357);
    assert_int_equal(x86_32_of("hello", 2), 3777958525);
    assert_int_equal((int32_t)x86_32_of("foo", 0), -156908512);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(x86_32_of("tt0111161", i) % 100, first[i]);
        assert_int_equal(x86_32_of("tt0068646", i) % 100, second[i]);
    }
}

TEST(murmur3_x64_128_gives_the_values_of_postgresql_hll)
{
    /* interop.md D8: hll_hash_text('hello'), hll_hash_integer(42), hll_hash_bigint(42). */
    static const uint8_t forty_two[8] = {42};

    assert_int_equal(x64_128_of("hello", 5, 0).first, (uint64_t)-3758069500696749310);
    assert_int_equal(x64_128_of(forty_two, 4, 0).first, 2913627637088662735);
    assert_int_equal(x64_128_of(forty_two, 8, 0).first, (uint64_t)-5283633198602748424);
}

/* interop.md D9: rank in the upper 6 bits, slot in the lower 26, from the hash with seed 9001. */
static uint32_t coupon_of(const void *key, size_t bytes)
{
    wide_hash hash = x64_128_of(key, bytes, 9001);

    return (ink__leading_zeros_64(hash.second) + 1) << 26 | (uint32_t)(hash.first & 0x3ffffff);
}

TEST(murmur3_x64_128_gives_the_coupons_of_datasketches)
{
    /* The coupon list of a DataSketches HLL with lgK 12 after hello, world and 42. */
    static const uint8_t forty_two[8] = {42};
    uint8_t              seed[8];

    assert_int_equal(coupon_of("hello", 5), 0x0435c1aa);
    assert_int_equal(coupon_of("world", 5), 0x0715366c);
    assert_int_equal(coupon_of(forty_two, 8), 0x05d0bc1a);
    ink__store_u64(seed, 9001); /* its "seed hash" */
    assert_int_equal(x64_128_of(seed, 8, 0).first & 0xffff, 0x93cc);
}

TEST(murmur64a_gives_the_registers_of_redis)
{
    /* interop.md D6: PFADD hello world foo sets register 2742 to 3, 7348 to 5 and 9216 to 1. */
    static const struct {
        const char *key;
        unsigned    index, value;
    } known[] = {{"world", 2742, 3}, {"foo", 7348, 5}, {"hello", 9216, 1}};

    for (int i = 0; i < 3; i++) {
        uint64_t hash = murmur64a(known[i].key, strlen(known[i].key), 0xadc83b19).first;
        assert_int_equal(hash & 16383, known[i].index);
        assert_int_equal(1 + __builtin_ctzll(hash >> 14 | UINT64_C(1) << 50), known[i].value);
    }
}

TEST(xxh64_gives_the_values_that_parquet_needs)
{
    static const uint8_t forty_two[8] = {42};

    /* interop.md D5. */
    assert_int_equal(ink__xxh64((const uint8_t *)"hello", 5, 0), 0x26c7827d889f6da3);
    assert_int_equal(ink__xxh64(forty_two, 8, 0), 0xb556806fb6d14353);
    /* Of no bytes at all: the best known value of XXH64, and of XXH3. */
    assert_int_equal(ink__xxh64((const uint8_t *)"", 0, 0), 0xef46db3751d8e999);
    assert_int_equal(ink__xxh3((const uint8_t *)"", 0, 0), 0x2d06800538d394c2);
}

/* ---- SipHash ------------------------------------------------------------------------------ */

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

static const uint64_t reference_secret[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

TEST(siphash_gives_all_64_reference_values)
{
    uint8_t message[64];

    for (size_t n = 0; n < 64; n++) {
        message[n] = (uint8_t)n;
        assert_int_equal(ink__siphash(reference_secret, message, n), reference[n]);
    }
}

TEST(siphash_of_an_empty_key_reads_no_memory)
{
    assert_int_equal(ink__siphash(reference_secret, NULL, 0), reference[0]);
}

TEST(siphash_depends_on_every_bit_of_its_secret)
{
    const uint64_t before = ink__siphash(reference_secret, (const uint8_t *)"bee", 3);

    for (unsigned bit = 0; bit < 128; bit++) {
        uint64_t other[2] = {reference_secret[0], reference_secret[1]};
        other[bit / 64] ^= UINT64_C(1) << bit % 64;
        CHECK(ink__siphash(other, (const uint8_t *)"bee", 3) != before);
    }
}

/* ---- Every length, and bytes above 0x7f --------------------------------------------------- */

/* Byte i is 167 i + 89 modulo 256: 0x59 0x00 0xa7 0x4e 0xf5 ... The folds over all lengths 0 to 300
 * are f * 31 + hash (both words in turn for 128 bits), starting with 0. */
enum { LONGEST = 300 };
static uint8_t pattern[LONGEST];

static int make_pattern(void **state)
{
    for (size_t i = 0; i < LONGEST; i++)
        pattern[i] = (uint8_t)(i * 167 + 89);
    return 0;
}

static const uint32_t some_seed = 0x9747b28c;

typedef struct known_hash {
    size_t   bytes;
    uint64_t first, second;
} known_hash;

typedef struct known_fold {
    uint64_t seed, fold;
} known_fold;

/* Rows end with one of zeros, after the first. */
static void check_every_length(hash_function *hash, bool wide, const known_hash *known,
                               const known_fold *folds)
{
    for (size_t i = 0; i == 0 || known[i].bytes != 0; i++) {
        wide_hash found = hash(pattern, known[i].bytes, some_seed);
        assert_int_equal(found.first, known[i].first);
        assert_int_equal(found.second, known[i].second);
    }
    for (size_t i = 0; i == 0 || folds[i].seed != 0; i++) {
        uint64_t fold = 0;
        for (size_t n = 0; n <= LONGEST; n++) {
            wide_hash found = hash(pattern, n, folds[i].seed);
            fold = fold * 31 + found.first;
            fold = wide ? fold * 31 + found.second : fold;
        }
        assert_int_equal(fold, folds[i].fold);
    }
}

TEST(murmur3_x86_32_of_every_length_equals_mmh3)
{
    /* Made with mmh3 5.3.1 of PyPI: hash(key, seed, signed=False). */
    static const known_hash known[] = {
        {1, 0x839064d7, 0},
        {2, 0x99301be3, 0},
        {3, 0x01201c5b, 0},
        {4, 0x0541d1b0, 0},
        {5, 0x71589b8b, 0},
        {7, 0x4648a94c, 0},
        {8, 0x969ec2d5, 0},
        {9, 0x5de57f3d, 0},
        {31, 0x0e1875f9, 0},
        {33, 0x63553281, 0},
        {241, 0x765316e8, 0},
        {300, 0xfab12ab0, 0},
        {0},
    };
    static const known_fold folds[] = {
        {0, 0x0f8a48c4a5573224}, {1, 0xc652dfe0b912240b}, {0xffffffff, 0xa1ea74df8cf1815c}, {0}};

    check_every_length(x86_32, false, known, folds);
}

TEST(murmur3_x64_128_of_every_length_equals_mmh3)
{
    /* Made with mmh3 5.3.1 of PyPI: hash64(key, seed, x64arch=True, signed=False). mmh3 takes seeds
     * of 32 bits; the two folds with longer ones were made with a Python program written from
     * Appleby's MurmurHash3.cpp, which agrees with mmh3 on all the others. */
    static const known_hash known[] = {
        {0, 0x392b208a1daabbb3, 0x93b0608fe302957a},   {1, 0x5c79f3e1a3cdb8d3, 0x837ffa7fd8af24eb},
        {7, 0x9597131446291ebe, 0x65cc3be8c47886b9},   {8, 0xb0be922fad32c523, 0x839a054fa28f7d38},
        {9, 0x91617dab0cfeae7d, 0xc1ad0fca897037f8},   {15, 0x6dc7f3b5a795c38f, 0xc3288d1d5b65ffde},
        {16, 0xe998a5db546a1dc1, 0x5a71c8f16b11f819},  {17, 0x9401a57d864e0437, 0x5b27f8e23b04d5df},
        {300, 0x93c48e2be3fd81cc, 0xc5f18d4cdbd7ff90}, {0},
    };
    static const known_fold folds[] = {
        {0, 0x3999adfbc0f57adc},
        {1, 0xff04e07c51c684aa},
        {0xffffffff, 0x46860d6b48b10b5a},
        {9001, 0xcd6a09efc051b3cd},
        {UINT64_MAX, 0x95f9615aafd9ec2d},
        {0x696e6b6c696e6721, 0x80f22c1cd0ee9401},
        {0},
    };

    check_every_length(x64_128_of, true, known, folds);
}

TEST(murmur64a_of_every_length_equals_libstdcxx)
{
    /* Made with std::_Hash_bytes of GNU libstdc++ 12, which is MurmurHash64A, called from Python.
     */
    static const known_hash known[] = {
        {0, 0x8397626cd6895052, 0},
        {1, 0x9a271b51d3e3b10d, 0},
        {7, 0xc9c2932d0a9f42fe, 0},
        {8, 0x2ade78ee5b067144, 0},
        {9, 0x2f8316cc62dca934, 0},
        {15, 0xc2344b1478d62e56, 0},
        {16, 0xbd250076d9388a70, 0},
        {17, 0x04c361b2f6cc9786, 0},
        {31, 0x191b8df5b7151997, 0},
        {240, 0x2e05ae58a6ada783, 0},
        {241, 0xa7a99e346d4678b6, 0},
        {300, 0x863141acf186b8b4, 0},
        {0},
    };
    static const known_fold folds[] = {
        {0, 0xbb879a0057de19e8},
        {1, 0x455738710c31b56b},
        {0xffffffff, 0x2e340743b5eed8f3},
        {UINT64_MAX, 0x37553203ffa43bfc},
        {0x696e6b6c696e6721, 0x13bccd271c4c2d2e},
        {0},
    };

    check_every_length(murmur64a, false, known, folds);
}

/* Both tables were made with xxhash 4.1.0 of PyPI: xxh64_intdigest and xxh3_64_intdigest. */

TEST(xxh64_of_every_length_equals_pythons_xxhash)
{
    static const known_hash known[] = {
        {0, 0x495a197c8d074e3d, 0},
        {1, 0xc4e6c24e7d5c82d3, 0},
        {3, 0x5078a640c4f0a068, 0},
        {4, 0x6ed8fe87618f15ed, 0},
        {8, 0xf770be54fcf54fb4, 0},
        {9, 0xe1c39e2d80567330, 0},
        {16, 0xe0ba93645cb90d49, 0},
        {17, 0xb9aea40ce2e514b8, 0},
        {32, 0x0e6eb117d5df4948, 0},
        {128, 0x70856caa0e4c3ac6, 0},
        {240, 0xa6f16f1bdf3f1d88, 0},
        {300, 0x4c473f0776cf9daa, 0},
        {0},
    };
    static const known_fold folds[] = {{0, 0x2eb6984a71fd345c},
                                       {1, 0x7da67784045ee105},
                                       {0xffffffff, 0xdf6ce10e69e021d1},
                                       {UINT64_MAX, 0x9ec3783b355b402a},
                                       {0x696e6b6c696e6721, 0xfa2439c932b611fe},
                                       {0}};

    check_every_length(xxh64, false, known, folds);
}

TEST(xxh3_of_every_length_equals_pythons_xxhash_alone_and_in_a_batch)
{
    static const known_hash known[] = {
        {0, 0x7986f543d945cf37, 0},
        {1, 0x90a4c3a3d1d8e200, 0},
        {2, 0x38e62474c68144be, 0},
        {3, 0x310a202779dc0cb4, 0},
        {4, 0x4191dbed7a469166, 0},
        {5, 0x669129388753016f, 0},
        {8, 0x756d06f21a7bb514, 0},
        {9, 0x4433980a005c9e5c, 0},
        {16, 0xe0457d1df449173d, 0},
        {17, 0xf52abc78b3999b1c, 0},
        {31, 0x79e30f68cb2ebcff, 0},
        {32, 0x8916a335eb996310, 0},
        {33, 0xb04b27917f5b7e3b, 0},
        {128, 0xfeb51246a037ff1d, 0},
        {129, 0x5a0e3b833b71cbbb, 0},
        {240, 0xee5695126e896983, 0},
        {241, 0x682e9a603df4400d, 0},
        {300, 0x7357e48fdb4d7ae3, 0},
        {0},
    };
    static const known_fold folds[] = {{0, 0xdfcc5f68bab2074d},
                                       {1, 0x5097063f679b91a7},
                                       {0xffffffff, 0x28fedaa51be34283},
                                       {UINT64_MAX, 0x3335e7cc5c623c79},
                                       {0x696e6b6c696e6721, 0x2d64d99dc5eaf44d},
                                       {0}};

    check_every_length(xxh3, false, known, folds);
    check_every_length(xxh3_by_batch, false, known, folds);
}

TEST(siphash_gives_openssls_values_for_high_bytes_and_long_keys)
{
    static const known_hash known[] = {
        {0, 0xce509a10c7e54549, 0},   {1, 0x5b09e78a3cd4745e, 0},   {7, 0x6d714cea53cdf7b7, 0},
        {8, 0x65ee85f349e19ccb, 0},   {255, 0x509d4c8d42130ef3, 0}, {256, 0xd294fa58ea2f1721, 0},
        {257, 0x4bea770b793e82bb, 0}, {300, 0xd58715cb1dc78ec0, 0}, {0},
    };
    static const known_fold folds[] = {{0, 0x541b00eb3cbbe556}, {0}};

    check_every_length(siphash, false, known, folds);
}

TEST(keys_may_start_at_any_address_and_end_with_their_memory)
{
    /* Each key in a block of its own, so that the address sanitizer and valgrind see every byte. */
    for (size_t n = 0; n <= 40; n++)
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t *block = malloc(n + shift + 1), *key = block + shift + 1;
            assert_non_null(block);
            memcpy(key, pattern, n);
            CHECK(ink__murmur3_x86_32(key, n, 1) == ink__murmur3_x86_32(pattern, n, 1));
            CHECK(ink__murmur64a(key, n, 1) == ink__murmur64a(pattern, n, 1));
            CHECK(x64_128_of(key, n, 1).second == x64_128_of(pattern, n, 1).second);
            free(block);
        }
}

RUN_TESTS(.begin = make_pattern)
