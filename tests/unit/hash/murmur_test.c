/* murmur_test.c - the Murmur family gives the values of its author, and of the systems whose
 * sketches are read with it. */
#include "hash/murmur.h"

#include "base/bits.h"
#include "support/cases.h"

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

CASE(each_hash_has_the_verification_value_of_smhasher)
{
    assert_int_equal(smhasher_value(x86_32, 4), 0xb0f57ee3);
    assert_int_equal(smhasher_value(x64_128_of, 16), 0x6384ba69);
    assert_int_equal(smhasher_value(murmur64a, 8), 0x1f0d3804);
}

CASE(murmur3_x86_32_gives_the_well_known_values)
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

CASE(murmur3_x86_32_gives_what_pythons_mmh3_gives)
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

CASE(murmur3_x64_128_gives_the_values_of_postgresql_hll)
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

CASE(murmur3_x64_128_gives_the_coupons_of_datasketches)
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

CASE(murmur64a_gives_the_registers_of_redis)
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

/* ---- Every length, and bytes above 0x7f --------------------------------------------------- */

/* Byte i is 167 i + 89 modulo 256: 0x59 0x00 0xa7 0x4e 0xf5 ... The folds over all lengths 0 to 300
 * are f * 31 + hash (both words in turn for 128 bits), starting with 0. */
enum { LONGEST = 300 };
static uint8_t pattern[LONGEST];

static int make_pattern(void **state)
{
    (void)state;
    for (size_t i = 0; i < LONGEST; i++)
        pattern[i] = (uint8_t)(i * 167 + 89);
    return 0;
}

static const uint32_t some_seed = 0x9747b28c;

typedef struct known_hash {
    size_t    bytes;
    wide_hash hash;
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
        assert_int_equal(found.first, known[i].hash.first);
        assert_int_equal(found.second, known[i].hash.second);
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

CASE(murmur3_x86_32_of_every_length_equals_mmh3)
{
    /* Made with mmh3 5.3.1 of PyPI: hash(key, seed, signed=False). */
    static const known_hash known[] = {
        {1, {0x839064d7, 0}},
        {2, {0x99301be3, 0}},
        {3, {0x01201c5b, 0}},
        {4, {0x0541d1b0, 0}},
        {5, {0x71589b8b, 0}},
        {7, {0x4648a94c, 0}},
        {8, {0x969ec2d5, 0}},
        {9, {0x5de57f3d, 0}},
        {31, {0x0e1875f9, 0}},
        {33, {0x63553281, 0}},
        {241, {0x765316e8, 0}},
        {300, {0xfab12ab0, 0}},
        {0},
    };
    static const known_fold folds[] = {
        {0, 0x0f8a48c4a5573224}, {1, 0xc652dfe0b912240b}, {0xffffffff, 0xa1ea74df8cf1815c}, {0}};

    check_every_length(x86_32, false, known, folds);
}

CASE(murmur3_x64_128_of_every_length_equals_mmh3)
{
    /* Made with mmh3 5.3.1 of PyPI: hash64(key, seed, x64arch=True, signed=False). mmh3 takes seeds
     * of 32 bits; the two folds with longer ones were made with a Python program written from
     * Appleby's MurmurHash3.cpp, which agrees with mmh3 on all the others. */
    static const known_hash known[] = {
        {0, {0x392b208a1daabbb3, 0x93b0608fe302957a}},
        {1, {0x5c79f3e1a3cdb8d3, 0x837ffa7fd8af24eb}},
        {7, {0x9597131446291ebe, 0x65cc3be8c47886b9}},
        {8, {0xb0be922fad32c523, 0x839a054fa28f7d38}},
        {9, {0x91617dab0cfeae7d, 0xc1ad0fca897037f8}},
        {15, {0x6dc7f3b5a795c38f, 0xc3288d1d5b65ffde}},
        {16, {0xe998a5db546a1dc1, 0x5a71c8f16b11f819}},
        {17, {0x9401a57d864e0437, 0x5b27f8e23b04d5df}},
        {300, {0x93c48e2be3fd81cc, 0xc5f18d4cdbd7ff90}},
        {0},
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

CASE(murmur64a_of_every_length_equals_libstdcxx)
{
    /* Made with std::_Hash_bytes of GNU libstdc++ 12, which is MurmurHash64A, called from Python.
     */
    static const known_hash known[] = {
        {0, {0x8397626cd6895052, 0}},
        {1, {0x9a271b51d3e3b10d, 0}},
        {7, {0xc9c2932d0a9f42fe, 0}},
        {8, {0x2ade78ee5b067144, 0}},
        {9, {0x2f8316cc62dca934, 0}},
        {15, {0xc2344b1478d62e56, 0}},
        {16, {0xbd250076d9388a70, 0}},
        {17, {0x04c361b2f6cc9786, 0}},
        {31, {0x191b8df5b7151997, 0}},
        {240, {0x2e05ae58a6ada783, 0}},
        {241, {0xa7a99e346d4678b6, 0}},
        {300, {0x863141acf186b8b4, 0}},
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

CASE(keys_may_start_at_any_address_and_end_with_their_memory)
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

RUN_CASES(.begin = make_pattern)
