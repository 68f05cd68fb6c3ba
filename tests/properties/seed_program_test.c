/* seed_program_test.c - classic with hash mmh3 sets exactly the bits of the PySpark program that
 * takes mmh3.hash(key, i, signed=False) % m for i below k, and with mmh3-signed those of its more
 * common sister mmh3.hash(key, i) % m, where Python's remainder of a negative hash counts from the
 * end.
 *
 * The numbers here were made by the real Python package mmh3 5.3.1 (and xxhash 4.1.0 for the
 * digests, XXH3-64 with seed 0 of the bit array, position j as bit j mod 8 of byte j / 8) under
 * CPython 3.11:
 *
 *     extra = ["", "a", "é", "映画", "Amélie", "🎬 tt0000001", "ΩΩΩΩΩ", "tt1234567\n", "a\0b"]
 *     for key in ["tt%07d" % i for i in range(1, n + 1)] + extra:
 *         for i in range(k):
 *             set(mmh3.hash(key, (seed + i) % 2**32, signed=signed) % m)
 *
 * "yes" is how many of tt1000001 to tt1002000 it says may be in there. */
#include "hash/hashes.h"
#include "properties/sketches.h"

#include <stdio.h>

/* UTF-8, with its length, since one has a NUL inside. */
static const struct {
    const char *text;
    size_t      bytes;
} extra[] = {
    {"", 0},
    {"a", 1},
    {"\xc3\xa9", 2},
    {"\xe6\x98\xa0\xe7\x94\xbb", 6},
    {"Am\xc3\xa9lie", 7},
    {"\xf0\x9f\x8e\xac tt0000001", 14},
    {"\xce\xa9\xce\xa9\xce\xa9\xce\xa9\xce\xa9", 10},
    {"tt1234567\n", 10},
    {"a\0b", 3},
};
enum { EXTRA = sizeof extra / sizeof extra[0] };

static ink_params params_of(uint64_t bits, uint32_t hashes, uint64_t seed, bool is_signed)
{
    return (ink_params){
        .kind = "classic",
        .bits = bits,
        .hashes = hashes,
        .hash = is_signed ? "mmh3-signed" : "mmh3",
        .seed = seed,
    };
}

static size_t title_of(unsigned number, char title[16])
{
    return (size_t)snprintf(title, 16, "tt%07u", number);
}

/* A filter with one key has exactly these positions set. */
static void check_positions(const char *key, size_t key_bytes, const ink_params *params,
                            const uint32_t *positions)
{
    owned_sketch *sketch = make(params);
    size_t        bytes;

    CHECK_OK(ink_sketch_add(sketch, key, key_bytes, &error));
    uint8_t *found = payload_of(sketch, &bytes), *expected = test_calloc(bytes, 1);
    for (uint32_t i = 0; i < params->hashes; i++)
        expected[positions[i] / 8] |= (uint8_t)(1u << positions[i] % 8);
    if (memcmp(found, expected, bytes) != 0)
        fail_msg("%s of key \"%s\" in %llu bits", params->hash, key,
                 (unsigned long long)params->bits);
    test_free(found);
    test_free(expected);
}

TEST(titles_fall_where_the_course_projects_put_them)
{
    /* m = 100, k = 7. */
    static const struct {
        const char *key;
        uint32_t    plain[7], with_sign[7];
    } known[] = {
        {"tt0111161", {37, 74, 52, 66, 95, 40, 32}, {37, 78, 52, 70, 95, 40, 32}},
        {"tt0068646", {80, 54, 78, 24, 46, 89, 62}, {80, 54, 82, 24, 46, 89, 66}},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const ink_params plain = params_of(100, 7, 0, false),
                         with_sign = params_of(100, 7, 0, true);
        check_positions(known[i].key, 9, &plain, known[i].plain);
        check_positions(known[i].key, 9, &with_sign, known[i].with_sign);
    }
}

TEST(keys_beyond_ascii_fall_where_python_puts_them)
{
    /* m = 1000003, k = 5; the first seven of the extra keys. */
    static const uint32_t plain[][5] = {
        {0, 72635, 344615, 137746, 247251},       {81823, 491073, 932458, 103033, 556753},
        {550688, 677555, 906377, 111659, 177103}, {235138, 408432, 271473, 70642, 977990},
        {176321, 266751, 775786, 864256, 413796}, {331918, 2171, 958568, 441494, 268930},
        {450656, 274538, 844681, 794225, 51463},
    };
    static const uint32_t with_sign[][5] = {
        {0, 72635, 344615, 183335, 247251},       {81823, 491073, 978047, 103033, 602342},
        {550688, 723144, 951966, 111659, 222692}, {280727, 454021, 271473, 70642, 977990},
        {221910, 266751, 775786, 909845, 413796}, {377507, 2171, 4154, 487083, 268930},
        {450656, 274538, 844681, 794225, 97052},
    };

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        const ink_params unsigned_ = params_of(1000003, 5, 0, false);
        const ink_params signed_ = params_of(1000003, 5, 0, true);
        check_positions(extra[i].text, extra[i].bytes, &unsigned_, plain[i]);
        check_positions(extra[i].text, extra[i].bytes, &signed_, with_sign[i]);
    }
}

/* Without and with sign. */
static const struct whole_filter {
    unsigned titles;
    uint64_t bits;
    uint32_t hashes, seed;
    uint64_t digest[2];
    unsigned ones[2], yes[2];
} filters[] = {
    {12, 100, 7, 0u, {0xa3c11ef779b57ed6, 0xb8d09611ce4355b7}, {83, 80}, {583, 436}},
    {1000, 9586, 7, 0u, {0x8052c99602296b34, 0x0657bfec9f37d6ab}, {4967, 5011}, {26, 18}},
    {1000, 9586, 7, 4294967293u, {0x9c0f5b100594ddfb, 0xd4ba585f9fc78520}, {4983, 5002}, {18, 25}},
    {20000, 287551, 10, 0u, {0xb83ac72f45d97917, 0xad2ca59f830655cc}, {144391, 144255}, {1, 3}},
    {20000, 65536, 4, 0u, {0xf23880807f7a7917, 0xf23880807f7a7917}, {46126, 46126}, {514, 514}},
    {5000, 16777216, 64, 0u, {0x71b00a1f5ec8be78, 0x71b00a1f5ec8be78}, {317538, 317538}, {0, 0}},
    {50, 1, 3, 0u, {0xe12ef9d2eb86ceeb, 0xe12ef9d2eb86ceeb}, {1, 1}, {2000, 2000}},
    {300, 1023, 1, 7u, {0x2033622f10647a1e, 0x0dfe52f92015d89b}, {273, 272}, {560, 531}},
};

static void check_filter(const struct whole_filter *filter, int is_signed)
{
    const ink_params params = params_of(filter->bits, filter->hashes, filter->seed, is_signed == 1);
    owned_sketch    *sketch = make(&params);
    unsigned         ones = 0, yes = 0;
    char             title[16];
    size_t           bytes;
    bool             maybe;

    for (unsigned i = 1; i <= filter->titles; i++)
        CHECK_OK(ink_sketch_add(sketch, title, title_of(i, title), &error));
    for (size_t i = 0; i < EXTRA; i++)
        CHECK_OK(ink_sketch_add(sketch, extra[i].text, extra[i].bytes, &error));

    uint8_t *payload = payload_of(sketch, &bytes);
    for (size_t i = 0; i < bytes; i++)
        ones += (unsigned)__builtin_popcount(payload[i]);
    assert_int_equal(ones, filter->ones[is_signed]);
    assert_int_equal(ink__xxh3(payload, bytes, 0), filter->digest[is_signed]);
    for (unsigned i = 1000001; i <= 1002000; i++) {
        CHECK_OK(ink_sketch_contains(sketch, title, title_of(i, title), &maybe, &error));
        yes += maybe;
    }
    assert_int_equal(yes, filter->yes[is_signed]);
    for (size_t i = 0; i < EXTRA; i++) {
        CHECK_OK(ink_sketch_contains(sketch, extra[i].text, extra[i].bytes, &maybe, &error));
        CHECK(maybe);
    }
    test_free(payload);
}

TEST(whole_filters_have_the_bits_and_answers_of_the_program)
{
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (!light() || filters[i].titles <= 1000)
            check_filter(&filters[i], 0);
}

TEST(whole_filters_have_the_bits_and_answers_of_its_signed_sister)
{
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        if (!light() || filters[i].titles <= 1000)
            check_filter(&filters[i], 1);
}

TEST(a_batch_sets_the_same_bits)
{
    const struct whole_filter *filter = &filters[1];
    const ink_params params = params_of(filter->bits, filter->hashes, filter->seed, false);
    owned_sketch    *sketch = make(&params);
    uint8_t         *bytes = test_malloc(1000 * 9 + 100);
    uint64_t         offsets[1000 + EXTRA + 1] = {0};
    size_t           payload_bytes, count = 0;

    for (; count < 1000; count++) {
        char title[16];
        offsets[count + 1] = offsets[count] + title_of((unsigned)count + 1, title);
        memcpy(bytes + offsets[count], title, 9);
    }
    for (size_t i = 0; i < EXTRA; i++, count++) {
        offsets[count + 1] = offsets[count] + extra[i].bytes;
        memcpy(bytes + offsets[count], extra[i].text, extra[i].bytes);
    }
    const ink_batch batch = {.count = count, .data = bytes, .offsets = offsets};
    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    uint8_t *payload = payload_of(sketch, &payload_bytes);
    assert_int_equal(ink__xxh3(payload, payload_bytes, 0), filter->digest[0]);
    test_free(payload);
    test_free(bytes);
}

TEST(sizes_are_those_that_the_program_works_out)
{
    /* m = round(-((n * log(p)) / (log(2)) ** 2)), k = round((m / n) * log(2)), by CPython;
     * accuracy/plan_test.c has many more. */
    static const struct {
        uint64_t n;
        double   p;
        uint64_t m;
        uint32_t k;
    } sizes[] = {{17035, 0.001, 244922, 10}, {17035, 0.01, 163281, 7}, {2484, 0.05, 15488, 4}};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const ink_params params = {.kind = "classic",
                                   .hash = "mmh3",
                                   .expected_keys = sizes[i].n,
                                   .false_positive_rate = sizes[i].p};
        ink_description  plan;
        CHECK_OK(ink_plan(&params, &plan, &error));
        assert_int_equal(plan.bits, sizes[i].m);
        assert_int_equal(plan.hashes, sizes[i].k);
    }
}

RUN_TESTS()
