/* murmur_test.c - the Murmur family gives the values of its author, and of the systems whose
 * sketches are read with it. */
#include "hash/murmur.h"

#include "base/bits.h"
#include "support/check.h"

typedef struct wide_hash {
    uint64_t first, second;
} wide_hash;

static uint32_t x86_32_of(const char *text, uint32_t seed)
{
    return ink__murmur3_x86_32((const uint8_t *)text, strlen(text), seed);
}

static int32_t spark_of(const char *text, uint32_t seed)
{
    return (int32_t)ink__murmur3_spark((const uint8_t *)text, strlen(text), seed);
}

static int32_t spark_of_long(int64_t value)
{
    uint8_t bytes[8];

    ink__store_u64(bytes, (uint64_t)value);
    return (int32_t)ink__murmur3_spark(bytes, sizeof bytes, 0);
}

static wide_hash x64_128_of(const void *key, size_t bytes, uint64_t seed)
{
    uint64_t hash[2];

    ink__murmur3_x64_128(key, bytes, seed, hash);
    return (wide_hash){hash[0], hash[1]};
}

static uint64_t murmur64a_of(const char *text, uint64_t seed)
{
    return ink__murmur64a((const uint8_t *)text, strlen(text), seed);
}

/* ---- Published values --------------------------------------------------------------------- */

/* SMHasher's verification: the hashes of the keys {0, 1, .. i - 1} with seed 256 - i, for i = 0 to
 * 255, stored little-endian one after another, are hashed with seed 0; the first four bytes of that
 * are the value. One number holds a hash to every length and every tail. */
typedef void smhasher_hash(const uint8_t *key, size_t bytes, uint32_t seed, uint8_t *to);

static uint32_t smhasher_value(smhasher_hash *hash, size_t hash_bytes)
{
    uint8_t key[256], hashes[256 * 16], last[16];

    for (size_t i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        hash(key, i, (uint32_t)(256 - i), hashes + i * hash_bytes);
    }
    hash(hashes, 256 * hash_bytes, 0, last);
    return ink__load_u32(last);
}

static void store_x86_32(const uint8_t *key, size_t bytes, uint32_t seed, uint8_t *to)
{
    ink__store_u32(to, ink__murmur3_x86_32(key, bytes, seed));
}

static void store_x64_128(const uint8_t *key, size_t bytes, uint32_t seed, uint8_t *to)
{
    wide_hash hash = x64_128_of(key, bytes, seed);

    ink__store_u64(to, hash.first);
    ink__store_u64(to + 8, hash.second);
}

static void store_murmur64a(const uint8_t *key, size_t bytes, uint32_t seed, uint8_t *to)
{
    ink__store_u64(to, ink__murmur64a(key, bytes, seed));
}

static void each_hash_has_the_verification_value_of_smhasher(void **state)
{
    (void)state;
    assert_int_equal(smhasher_value(store_x86_32, 4), 0xb0f57ee3);
    assert_int_equal(smhasher_value(store_x64_128, 16), 0x6384ba69);
    assert_int_equal(smhasher_value(store_murmur64a, 8), 0x1f0d3804);
}

static void murmur3_x86_32_gives_the_well_known_values(void **state)
{
    /* The list that goes round between implementations (stackoverflow.com/questions/14747343). */
    (void)state;
    assert_int_equal(x86_32_of("", 0), 0);
    assert_int_equal(x86_32_of("", 1), 0x514e28b7);
    assert_int_equal(x86_32_of("", 0xffffffff), 0x81f16f39);
    assert_int_equal(x86_32_of("\xff\xff\xff\xff", 0), 0x76293b50);
    assert_int_equal(x86_32_of("!Ce\x87", 0), 0xf55b516b);
    assert_int_equal(x86_32_of("!Ce\x87", 0x5082edee), 0x2362f9de);
    assert_int_equal(x86_32_of("!Ce", 0), 0x7e4a8634);
    assert_int_equal(x86_32_of("!C", 0), 0xa0f7b07a);
    assert_int_equal(x86_32_of("!", 0), 0x72661cf4);
    assert_int_equal(ink__murmur3_x86_32((const uint8_t *)"\0\0\0\0", 4, 0), 0x2362f9de);
    assert_int_equal(ink__murmur3_x86_32((const uint8_t *)"\0\0\0\0", 3, 0), 0x85f0b427);
    assert_int_equal(ink__murmur3_x86_32((const uint8_t *)"\0\0\0\0", 2, 0), 0x30f4c306);
    assert_int_equal(ink__murmur3_x86_32((const uint8_t *)"\0\0\0\0", 1, 0), 0x514e28b7);
    assert_int_equal(x86_32_of("aaaa", 0x9747b28c), 0x5a97808a);
    assert_int_equal(x86_32_of("abc", 0x9747b28c), 0xc84a62dd);
    assert_int_equal(x86_32_of("Hello, world!", 0x9747b28c), 0x24884cba);
    /* Eight times the Greek letter pi: bytes above 0x7f. */
    assert_int_equal(
        x86_32_of("\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80\xcf\x80", 0x9747b28c),
        0xd58063c1);
    assert_int_equal(x86_32_of("The quick brown fox jumps over the lazy dog", 0x9747b28c),
                     0x2fa826cd);
}

static void murmur3_x86_32_gives_what_pythons_mmh3_gives(void **state)
{
    /* interop.md D12: the course filters on IMDb ids, position = hash with seed i modulo m = 100.
     */
    static const unsigned first[7] = {37, 74, 52, 66, 95, 40, 32};
    static const unsigned second[7] = {80, 54, 78, 24, 46, 89, 62};

    (void)state;
    assert_int_equal(x86_32_of("hello", 0), 613153351);
    assert_int_equal(x86_32_of("hello", 1), 3142237357);
    assert_int_equal(x86_32_of("hello", 2), 3777958525);
    assert_int_equal((int32_t)x86_32_of("foo", 0), -156908512);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(x86_32_of("tt0111161", i) % 100, first[i]);
        assert_int_equal(x86_32_of("tt0068646", i) % 100, second[i]);
    }
}

static void spark_gives_the_values_that_spark_gives(void **state)
{
    /* interop.md D1: org.apache.spark.util.sketch, seed 0. */
    (void)state;
    assert_int_equal(spark_of("", 0), 0);
    assert_int_equal(spark_of("a", 0), 721651713);
    assert_int_equal(spark_of("ab", 0), 1142947817);
    assert_int_equal(spark_of("abc", 0), -849139816);
    assert_int_equal(spark_of("abcd", 0), 1139631978);
    assert_int_equal(spark_of("hello", 0), -1306563072);
    assert_int_equal(spark_of_long(0), 1669671676);
    assert_int_equal(spark_of_long(1), 1392991556);
    assert_int_equal(spark_of_long(-1), 1651860712);
    assert_int_equal(spark_of_long(42), 1871679806);
}

/* The big-endian words of a Spark Bloom filter of version 1 with 128 bits and 9 hashes. */
static void spark_put(uint64_t words[2], uint32_t first, uint32_t second)
{
    for (uint32_t i = 1; i <= 9; i++) {
        uint32_t combined = first + i * second;
        if (combined & 0x80000000)
            combined = ~combined;
        uint32_t bit = combined % 128;
        words[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

static void spark_hashes_high_bytes_as_spark_does(void **state)
{
    /* interop.md D1: BloomFilter.create(10 items, 128 bits) of Spark 4.1.2, version 1, after
     * "hello", "h\xc3\xa9llo", 42 and -7. Its bits come out right only if high bytes keep their
     * sign. */
    static const char *const texts[] = {"hello", "h\xc3\xa9llo"};
    static const int64_t     longs[] = {42, -7};
    uint64_t                 words[2] = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t  bytes[8];
        uint32_t first = (uint32_t)spark_of(texts[i], 0);
        spark_put(words, first, (uint32_t)spark_of(texts[i], first));
        ink__store_u64(bytes, (uint64_t)longs[i]);
        first = ink__murmur3_spark(bytes, 8, 0);
        spark_put(words, first, ink__murmur3_spark(bytes, 8, first));
    }
    assert_int_equal(words[0], 0x423f910408042b00);
    assert_int_equal(words[1], 0x03201800e2400192);
}

static void murmur3_x64_128_gives_the_values_of_postgresql_hll(void **state)
{
    /* interop.md D8: hll_hash_text('hello'), hll_hash_integer(42), hll_hash_bigint(42). */
    static const uint8_t forty_two[8] = {42};

    (void)state;
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

static void murmur3_x64_128_gives_the_coupons_of_datasketches(void **state)
{
    /* The coupon list of a DataSketches HLL with lgK 12 after hello, world and 42. */
    static const uint8_t forty_two[8] = {42};
    uint8_t              seed[8];

    (void)state;
    assert_int_equal(coupon_of("hello", 5), 0x0435c1aa);
    assert_int_equal(coupon_of("world", 5), 0x0715366c);
    assert_int_equal(coupon_of(forty_two, 8), 0x05d0bc1a);
    ink__store_u64(seed, 9001); /* its "seed hash" */
    assert_int_equal(x64_128_of(seed, 8, 0).first & 0xffff, 0x93cc);
}

static void murmur64a_gives_the_registers_of_redis(void **state)
{
    /* interop.md D6: PFADD hello world foo sets register 2742 to 3, 7348 to 5 and 9216 to 1. */
    static const struct {
        const char *key;
        unsigned    index, value;
    } known[] = {{"world", 2742, 3}, {"foo", 7348, 5}, {"hello", 9216, 1}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        uint64_t hash = murmur64a_of(known[i].key, 0xadc83b19);
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

static void murmur3_x86_32_of_every_length_equals_mmh3(void **state)
{
    /* Made with mmh3 5.3.1 of PyPI: hash(key, seed, signed=False). */
    static const struct {
        size_t   bytes;
        uint32_t hash;
    } known[] = {
        {1, 0x839064d7},  {2, 0x99301be3},  {3, 0x01201c5b},   {4, 0x0541d1b0},
        {5, 0x71589b8b},  {7, 0x4648a94c},  {8, 0x969ec2d5},   {9, 0x5de57f3d},
        {31, 0x0e1875f9}, {33, 0x63553281}, {241, 0x765316e8}, {300, 0xfab12ab0},
    };
    static const struct {
        uint32_t seed;
        uint64_t fold;
    } folds[] = {
        {0, 0x0f8a48c4a5573224}, {1, 0xc652dfe0b912240b}, {0xffffffff, 0xa1ea74df8cf1815c}};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(ink__murmur3_x86_32(pattern, known[i].bytes, some_seed), known[i].hash);
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++) {
        uint64_t fold = 0;
        for (size_t n = 0; n <= LONGEST; n++)
            fold = fold * 31 + ink__murmur3_x86_32(pattern, n, folds[i].seed);
        assert_int_equal(fold, folds[i].fold);
    }
}

static void spark_of_every_length_equals_a_second_implementation(void **state)
{
    /* Made with a Python program written from Spark's rule (interop.md D1), which was first held to
     * the values of Spark above. */
    static const struct {
        size_t   bytes;
        uint32_t hash;
    } known[] = {
        {1, 0x07cce6be},  {2, 0x9adefd02},  {3, 0xc42b8f94},   {4, 0x0541d1b0},
        {5, 0xe62a04db},  {7, 0xa797bfcf},  {8, 0x969ec2d5},   {9, 0x815032c9},
        {31, 0x0ae7c0d1}, {33, 0x8440ba3a}, {241, 0x25419775}, {300, 0xfab12ab0},
    };
    static const struct {
        uint32_t seed;
        uint64_t fold;
    } folds[] = {
        {0, 0xe9c848474e88d599}, {1, 0xde2641e4761951d7}, {0xffffffff, 0xe50748dd9470897f}};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(ink__murmur3_spark(pattern, known[i].bytes, some_seed), known[i].hash);
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++) {
        uint64_t fold = 0;
        for (size_t n = 0; n <= LONGEST; n++)
            fold = fold * 31 + ink__murmur3_spark(pattern, n, folds[i].seed);
        assert_int_equal(fold, folds[i].fold);
    }
}

static void spark_equals_murmur3_where_there_is_no_tail_and_only_there(void **state)
{
    (void)state;
    for (size_t n = 0; n <= LONGEST; n++)
        CHECK((ink__murmur3_spark(pattern, n, some_seed) ==
               ink__murmur3_x86_32(pattern, n, some_seed)) == (n % 4 == 0));
}

static void murmur3_x64_128_of_every_length_equals_mmh3(void **state)
{
    /* Made with mmh3 5.3.1 of PyPI: hash64(key, seed, x64arch=True, signed=False). mmh3 takes seeds
     * of 32 bits; the two folds with longer ones were made with a Python program written from
     * Appleby's MurmurHash3.cpp, which agrees with mmh3 on all the others. */
    static const struct {
        size_t    bytes;
        wide_hash hash;
    } known[] = {
        {0, {0x392b208a1daabbb3, 0x93b0608fe302957a}},
        {1, {0x5c79f3e1a3cdb8d3, 0x837ffa7fd8af24eb}},
        {7, {0x9597131446291ebe, 0x65cc3be8c47886b9}},
        {8, {0xb0be922fad32c523, 0x839a054fa28f7d38}},
        {9, {0x91617dab0cfeae7d, 0xc1ad0fca897037f8}},
        {15, {0x6dc7f3b5a795c38f, 0xc3288d1d5b65ffde}},
        {16, {0xe998a5db546a1dc1, 0x5a71c8f16b11f819}},
        {17, {0x9401a57d864e0437, 0x5b27f8e23b04d5df}},
        {300, {0x93c48e2be3fd81cc, 0xc5f18d4cdbd7ff90}},
    };
    static const struct {
        uint64_t seed, fold;
    } folds[] = {
        {0, 0x3999adfbc0f57adc},          {1, 0xff04e07c51c684aa},
        {0xffffffff, 0x46860d6b48b10b5a}, {9001, 0xcd6a09efc051b3cd},
        {UINT64_MAX, 0x95f9615aafd9ec2d}, {0x696e6b6c696e6721, 0x80f22c1cd0ee9401},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        wide_hash hash = x64_128_of(pattern, known[i].bytes, some_seed);
        assert_int_equal(hash.first, known[i].hash.first);
        assert_int_equal(hash.second, known[i].hash.second);
    }
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++) {
        uint64_t fold = 0;
        for (size_t n = 0; n <= LONGEST; n++) {
            wide_hash hash = x64_128_of(pattern, n, folds[i].seed);
            fold = (fold * 31 + hash.first) * 31 + hash.second;
        }
        assert_int_equal(fold, folds[i].fold);
    }
}

static void murmur64a_of_every_length_equals_libstdcxx(void **state)
{
    /* Made with std::_Hash_bytes of GNU libstdc++ 12, which is MurmurHash64A, called from Python.
     */
    static const struct {
        size_t   bytes;
        uint64_t hash;
    } known[] = {
        {0, 0x8397626cd6895052},   {1, 0x9a271b51d3e3b10d},   {7, 0xc9c2932d0a9f42fe},
        {8, 0x2ade78ee5b067144},   {9, 0x2f8316cc62dca934},   {15, 0xc2344b1478d62e56},
        {16, 0xbd250076d9388a70},  {17, 0x04c361b2f6cc9786},  {31, 0x191b8df5b7151997},
        {240, 0x2e05ae58a6ada783}, {241, 0xa7a99e346d4678b6}, {300, 0x863141acf186b8b4},
    };
    static const struct {
        uint64_t seed, fold;
    } folds[] = {
        {0, 0xbb879a0057de19e8},
        {1, 0x455738710c31b56b},
        {0xffffffff, 0x2e340743b5eed8f3},
        {UINT64_MAX, 0x37553203ffa43bfc},
        {0x696e6b6c696e6721, 0x13bccd271c4c2d2e},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(ink__murmur64a(pattern, known[i].bytes, some_seed), known[i].hash);
    for (size_t i = 0; i < sizeof folds / sizeof folds[0]; i++) {
        uint64_t fold = 0;
        for (size_t n = 0; n <= LONGEST; n++)
            fold = fold * 31 + ink__murmur64a(pattern, n, folds[i].seed);
        assert_int_equal(fold, folds[i].fold);
    }
}

static void keys_may_start_at_any_address_and_end_with_their_memory(void **state)
{
    (void)state;
    /* Each key in a block of its own, so that the address sanitizer and valgrind see every byte. */
    for (size_t n = 0; n <= 40; n++)
        for (size_t shift = 0; shift < 8; shift++) {
            uint8_t *block = malloc(n + shift + 1), *key = block + shift + 1;
            assert_non_null(block);
            memcpy(key, pattern, n);
            CHECK(ink__murmur3_x86_32(key, n, 1) == ink__murmur3_x86_32(pattern, n, 1));
            CHECK(ink__murmur3_spark(key, n, 1) == ink__murmur3_spark(pattern, n, 1));
            CHECK(ink__murmur64a(key, n, 1) == ink__murmur64a(pattern, n, 1));
            CHECK(x64_128_of(key, n, 1).second == x64_128_of(pattern, n, 1).second);
            free(block);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_hash_has_the_verification_value_of_smhasher),
        cmocka_unit_test(murmur3_x86_32_gives_the_well_known_values),
        cmocka_unit_test(murmur3_x86_32_gives_what_pythons_mmh3_gives),
        cmocka_unit_test(spark_gives_the_values_that_spark_gives),
        cmocka_unit_test(spark_hashes_high_bytes_as_spark_does),
        cmocka_unit_test(murmur3_x64_128_gives_the_values_of_postgresql_hll),
        cmocka_unit_test(murmur3_x64_128_gives_the_coupons_of_datasketches),
        cmocka_unit_test(murmur64a_gives_the_registers_of_redis),
        cmocka_unit_test(murmur3_x86_32_of_every_length_equals_mmh3),
        cmocka_unit_test(spark_of_every_length_equals_a_second_implementation),
        cmocka_unit_test(spark_equals_murmur3_where_there_is_no_tail_and_only_there),
        cmocka_unit_test(murmur3_x64_128_of_every_length_equals_mmh3),
        cmocka_unit_test(murmur64a_of_every_length_equals_libstdcxx),
        cmocka_unit_test(keys_may_start_at_any_address_and_end_with_their_memory),
    };

    return cmocka_run_group_tests(tests, make_pattern, NULL);
}
