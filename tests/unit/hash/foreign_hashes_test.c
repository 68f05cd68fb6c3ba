/* foreign_hashes_test.c - each hash of another system gives the values that this system gave,
 * faults included. The numbers of Java are written as Java prints them, with their sign. */
#include "hash/foreign_hashes.h"

#include "base/bits.h"
#include "hash/hashes.h"
#include "support/check.h"

#include <stdio.h>

static const uint8_t *bytes_of(const char *text)
{
    return (const uint8_t *)text;
}

/* ---- Spark -------------------------------------------------------------------------------- */

static int32_t spark(const char *key, uint32_t seed)
{
    return (int32_t)(ink__spark_pair(bytes_of(key), strlen(key), seed) >> 32);
}

static int32_t spark_long(int64_t key)
{
    uint8_t bytes[8];

    ink__store_u64(bytes, (uint64_t)key);
    return (int32_t)(ink__spark_pair(bytes, 8, 0) >> 32);
}

TEST(spark_mixes_each_byte_of_a_tail_as_a_word_with_its_sign)
{
    assert_int_equal(spark("", 0), 0);
    assert_int_equal(spark("a", 0), 721651713);
    assert_int_equal(spark("ab", 0), 1142947817);
    assert_int_equal(spark("abc", 0), -849139816);
    assert_int_equal(spark("abcd", 0), 1139631978);
    assert_int_equal(spark("hello", 0), -1306563072);
    assert_int_equal(spark_long(0), 1669671676);
    assert_int_equal(spark_long(1), 1392991556);
    assert_int_equal(spark_long(-1), 1651860712);
    assert_int_equal(spark_long(42), 1871679806);
    /* Without a tail it is the hash that others have too. */
    assert_int_equal((uint32_t)spark("abcdefgh", 7),
                     ink__murmur3_x86_32(bytes_of("abcdefgh"), 8, 7));
    assert_int_not_equal((uint32_t)spark("abcde", 7), ink__murmur3_x86_32(bytes_of("abcde"), 5, 7));
}

TEST(the_second_half_of_a_pair_has_the_first_as_its_seed)
{
    const uint32_t seeds[] = {0, 1, 7, INT32_MAX, UINT32_MAX};

    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        const uint32_t first = (uint32_t)spark("h\xc3\xa9llo", seeds[i]);
        assert_int_equal((uint32_t)ink__spark_pair(bytes_of("h\xc3\xa9llo"), 6, seeds[i]),
                         (uint32_t)spark("h\xc3\xa9llo", first));
    }
}

/* ---- MurmurHash2, and Hadoop --------------------------------------------------------------- */

/* Of 256 keys, and then of their hashes: the number that SMHasher has published. */
TEST(murmur2_is_that_of_smhasher)
{
    uint8_t key[256], found[256 * 4];

    for (unsigned i = 0; i < 256; i++)
        key[i] = (uint8_t)i;
    for (unsigned i = 0; i < 256; i++)
        ink__store_u32(found + 4 * i, ink__murmur2(key, i, 256 - i));
    assert_int_equal(ink__murmur2(found, sizeof found, 0), 0x27864c1e);
}

TEST(hadoop_reads_a_tail_backwards_and_with_signs)
{
    assert_int_equal((int32_t)ink__hadoop_murmur(bytes_of("hello"), 5, 0), -446617141);
    assert_int_equal((int32_t)ink__hadoop_murmur(bytes_of("h\xc3\xa9"), 3, 0), 997863694);
    assert_int_equal((int32_t)ink__hadoop_murmur(bytes_of("\xc3\xa9"), 2, 0), -384040333);
    assert_int_equal(ink__hadoop_murmur(bytes_of(""), 0, 0), 0);
}

TEST(jenkins_is_lookup3)
{
    assert_int_equal((int32_t)ink__jenkins(bytes_of("hello"), 5, 0), 885767278);
    /* Whole blocks, as the reader of the documents computes them. */
    assert_int_equal(ink__jenkins(bytes_of("Four score a"), 12, 0), 0xccda323b);
    assert_int_equal(ink__jenkins(bytes_of("Four score and seven yea"), 24, 1), 0xd65c22ce);
    /* Of lookup3.c itself. */
    assert_int_equal(ink__jenkins(bytes_of(""), 0, 0), 0xdeadbeef);
    assert_int_equal(ink__jenkins(bytes_of(""), 0, 0xdeadbeef), 0xbd5b7dde);
    assert_int_equal(ink__jenkins(bytes_of("Four score and seven years ago"), 30, 0), 0x17770551);
    assert_int_equal(ink__jenkins(bytes_of("Four score and seven years ago"), 30, 1), 0xcd628161);
}

/* Of two copies of a key, one before zeros and one before others. */
TEST(hashes_of_32_bits_do_not_depend_on_what_follows_a_key)
{
    static uint32_t (*const hashes[])(const uint8_t *, size_t, uint32_t) = {
        ink__jenkins, ink__hadoop_murmur, ink__murmur2, ink__murmur3_x86_32};
    const char *text = "a key of some length, and some";
    uint8_t     before[2][64];

    for (size_t bytes = 0; bytes <= strlen(text); bytes++) {
        for (int i = 0; i < 2; i++) {
            memset(before[i], i == 0 ? 0 : 0xa5, sizeof before[i]);
            memcpy(before[i], text, bytes);
        }
        for (size_t h = 0; h < sizeof hashes / sizeof hashes[0]; h++)
            assert_int_equal(hashes[h](before[0], bytes, 7), hashes[h](before[1], bytes, 7));
    }
}

/* ---- Others ------------------------------------------------------------------------------- */

TEST(dcso_is_fnv_1_modulo_its_prime)
{
    /* Of the FNV test suite. */
    assert_int_equal(ink__dcso(bytes_of(""), 0), 0xcbf29ce484222325);
    assert_int_equal(ink__dcso(bytes_of("a"), 1), 0xaf63bd4c8601b7be);
    assert_int_equal(ink__dcso(bytes_of("foobar"), 6), 0x340d8765a4dda9c2);
    /* The next number is the product modulo 2^64, then modulo the prime. */
    assert_int_equal(ink__dcso_next(1), 18446744073709550147u);
    assert_int_equal(ink__dcso_next(0), 0);
    assert_int_equal(ink__dcso_next(INK__DCSO_PRIME - 1), (uint64_t)(60 * 1469) % INK__DCSO_PRIME);
}

TEST(reversing_twice_changes_nothing)
{
    uint64_t bits = 1;

    assert_int_equal(ink__reversed(0), 0);
    assert_int_equal(ink__reversed(1), UINT64_C(1) << 63);
    assert_int_equal(ink__reversed(0x0123456789abcdef), 0xf7b3d591e6a2c480);
    for (int i = 0; i < 1000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        for (unsigned b = 0; b < 64; b++)
            CHECK((ink__reversed(bits) >> b & 1) == (bits >> (63 - b) & 1));
        assert_int_equal(ink__reversed(ink__reversed(bits)), bits);
    }
}

/* A coupon as DataSketches writes it: the value above the 26 bits of the slot. */
static uint32_t coupon_of(const void *key, size_t bytes)
{
    uint64_t hash[2], coupon;

    ink__murmur3_x64_128(key, bytes, 9001, hash);
    coupon = ink__coupon(hash);
    return (uint32_t)(coupon & 63) << 26 | (uint32_t)(ink__reversed(coupon) & 0x3ffffff);
}

TEST(coupons_are_those_of_datasketches)
{
    static const uint8_t forty_two[8] = {42};

    assert_int_equal(coupon_of("hello", 5), 0x0435c1aa);
    assert_int_equal(coupon_of("world", 5), 0x0715366c);
    assert_int_equal(coupon_of(forty_two, 8), 0x05d0bc1a);
    /* 62 zeros and more have one value. */
    assert_int_equal(ink__coupon((const uint64_t[2]){0, UINT64_MAX}), 1);
    assert_int_equal(ink__coupon((const uint64_t[2]){0, 4}), 62);
    for (uint64_t second = 0; second < 4; second++)
        assert_int_equal(ink__coupon((const uint64_t[2]){1, second}), UINT64_C(1) << 63 | 63);
}

TEST(random_numbers_are_those_of_java)
{
    /* new Random(1).nextInt(2147483647), twice: the factors of a CountMinSketch with seed 1. */
    uint64_t now = ink__java_state(1);

    assert_int_equal(ink__java_random(&now), 0x5d8d6ab9);
    assert_int_equal(ink__java_random(&now), 0x0cdc4e6c);
    /* Seeds have 48 bits. */
    assert_int_equal(ink__java_state(UINT64_MAX), ink__java_state(INK__JAVA_STATES - 1));
    assert_int_equal(ink__java_state(INK__JAVA_FACTOR), 0);
}

TEST(the_number_that_java_draws_again_is_drawn_again)
{
    /* The state before the one whose upper 31 bits are all 1, by the inverse of the factor. */
    const uint64_t largest = (uint64_t)INT32_MAX << 17, inverse = 0xdfe05bcb1365;
    uint64_t       now = (largest - 0xb) * inverse % INK__JAVA_STATES, after = largest;

    assert_int_equal((now * INK__JAVA_FACTOR + 0xb) % INK__JAVA_STATES, largest);
    assert_int_equal(ink__java_random(&now), ink__java_random(&after));
    assert_int_equal(now, after);
}

/* ---- Text as UTF-16 ----------------------------------------------------------------------- */

/* What follows the text could go on a character that is cut. */
static void check_text(const char *text, const uint8_t *expected, size_t bytes)
{
    uint64_t found[2], of_bytes[2];
    uint8_t  before[400];

    memset(before, 0xbf, sizeof before);
    memcpy(before, text, strlen(text));
    ink__murmur3_x64_128_utf16(before, strlen(text), 9, found);
    ink__murmur3_x64_128(expected, bytes, 9, of_bytes);
    assert_memory_equal(found, of_bytes, sizeof found);
}

TEST(text_is_hashed_as_its_utf_16)
{
    /* A letter, e acute, the euro sign and a smiley, so often that blocks end within a pair. */
    static const uint8_t letters[] = {'a', 0, 0xe9, 0, 0xac, 0x20, 0x3d, 0xd8, 0x00, 0xde};
    uint8_t              expected[300] = {0};
    char                 text[300] = "";

    check_text("", expected, 0);
    for (size_t i = 0; i < 25; i++) {
        memcpy(expected + 10 * i, letters, 10);
        strcat(text, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
        check_text(text, expected, 10 * (i + 1));
        check_text(text + 1, expected + 2, 10 * (i + 1) - 2);
        check_text(text + 3, expected + 4, 10 * (i + 1) - 4);
    }
}

TEST(the_first_and_the_last_characters_of_each_length_are_characters)
{
    static const struct {
        const char *text;
        uint16_t    units[2]; /* 0: none */
    } rows[] = {
        {"\x01", {1}},
        {"\x7f", {0x7f}},
        {"\xc2\x80", {0x80}},
        {"\xdf\xbf", {0x7ff}},
        {"\xe0\xa0\x80", {0x800}},
        {"\xed\x9f\xbf", {0xd7ff}},
        {"\xee\x80\x80", {0xe000}},
        {"\xef\xbf\xbf", {0xffff}},
        {"\xf0\x90\x80\x80", {0xd800, 0xdc00}},
        {"\xf4\x8f\xbf\xbf", {0xdbff, 0xdfff}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t expected[4];
        for (size_t j = 0; j < 2; j++)
            ink__store_u16(expected + 2 * j, rows[i].units[j]);
        check_text(rows[i].text, expected, rows[i].units[1] == 0 ? 2 : 4);
    }
}

TEST(each_byte_that_begins_no_utf_8_is_one_replacement)
{
    /* Alone, too low, too high, cut, longer than need be, half a pair, above U+10FFFF. */
    static const char *const wrong[] = {"\x80",
                                        "\xc1",
                                        "\xff",
                                        "\xc3",
                                        "\xe2\x82",
                                        "\xf0\x9f\x98",
                                        "\xe0\x80\x80",
                                        "\xed\xa0\x80",
                                        "\xc0\xaf",
                                        "\xf4\x90\x80\x80",
                                        "\xc1\xbf",
                                        "\xe0\x9f\xbf",
                                        "\xed\xbf\xbf",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf5\x80\x80\x80"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const size_t count = strlen(wrong[i]);
        uint8_t      expected[16];
        char         text[16];
        ink__store_u16(expected, 'z');
        for (size_t j = 1; j <= count; j++)
            ink__store_u16(expected + 2 * j, 0xfffd);
        ink__store_u16(expected + 2 * count + 2, 'z');
        snprintf(text, sizeof text, "z%sz", wrong[i]);
        check_text(text, expected, 2 * count + 4);
        check_text(text + 1, expected + 2, 2 * count + 2);
        text[count + 1] = '\0';
        check_text(text, expected, 2 * count + 2);
        check_text(text + 1, expected + 2, 2 * count);
    }
}

RUN_TESTS()
