/* xxh3_test.c - XXH3 and XXH64 give their author's values, XXH3 alone and as a batch of one key. */
#include "hash/xxh3.h"

#include "base/bits.h"
#include "kernels/dispatch.h"
#include "support/cases.h"

/* Byte i is 167 i + 89 modulo 256: 0x59 0x00 0xa7 0x4e 0xf5 ... The folds over all lengths 0 to 300
 * are f * 31 + hash, starting with 0. */
enum { LONGEST = 300 };
static uint8_t pattern[LONGEST];

static int make_pattern(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 167 + 89);
    return 0;
}

static const uint64_t seeds[] = {0, 1, 0xffffffff, UINT64_MAX, 0x696e6b6c696e6721 /* default */};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

/* ---- Published values --------------------------------------------------------------------- */

typedef uint64_t any_hash(const uint8_t *key, size_t bytes, uint64_t seed);

/* SMHasher's verification value; murmur_test.c says how it is made. */
static uint32_t smhasher_value(any_hash *hash)
{
    uint8_t key[256], hashes[256 * 8];

    for (size_t i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        ink__store_u64(hashes + i * 8, hash(key, i, 256 - i));
    }
    return (uint32_t)hash(hashes, sizeof hashes, 0);
}

static uint64_t by_batch(const uint8_t *key, size_t bytes, uint64_t seed)
{
    const uint64_t offsets[2] = {0, bytes};
    uint64_t       hash;

    ink__kernels_fastest()->xxh3_batch(key, offsets, offsets + 1, 1, seed, &hash);
    return hash;
}

CASE(each_hash_has_the_verification_value_of_smhasher)
{
    assert_int_equal(smhasher_value(ink__xxh64), 0x024b7cf4);
    /* Of XXH3 since 0.8, where its values became final. */
    assert_int_equal(smhasher_value(ink__xxh3), 0x9a636405);
    assert_int_equal(smhasher_value(by_batch), 0x9a636405);
}

CASE(xxh64_gives_the_values_that_parquet_needs)
{
    static const uint8_t forty_two[8] = {42};

    /* interop.md D5. */
    assert_int_equal(ink__xxh64((const uint8_t *)"hello", 5, 0), 0x26c7827d889f6da3);
    assert_int_equal(ink__xxh64(forty_two, 8, 0), 0xb556806fb6d14353);
    /* Of no bytes at all: the best known value of XXH64, and of XXH3. */
    assert_int_equal(ink__xxh64((const uint8_t *)"", 0, 0), 0xef46db3751d8e999);
    assert_int_equal(ink__xxh3((const uint8_t *)"", 0, 0), 0x2d06800538d394c2);
}

typedef struct known_hash {
    size_t   bytes;
    uint64_t hash;
} known_hash;

static void check_known(any_hash *hash, const known_hash *known, size_t count,
                        const uint64_t folds[SEEDS])
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(hash(pattern, known[i].bytes, 0x9747b28c), known[i].hash);
    for (int i = 0; i < SEEDS; i++) {
        uint64_t fold = 0;
        for (size_t n = 0; n <= LONGEST; n++)
            fold = fold * 31 + hash(pattern, n, seeds[i]);
        assert_int_equal(fold, folds[i]);
    }
}

/* Both tables were made with xxhash 4.1.0 of PyPI: xxh64_intdigest and xxh3_64_intdigest. */

CASE(xxh64_of_every_length_equals_pythons_xxhash)
{
    static const known_hash known[] = {
        {0, 0x495a197c8d074e3d},   {1, 0xc4e6c24e7d5c82d3},   {3, 0x5078a640c4f0a068},
        {4, 0x6ed8fe87618f15ed},   {8, 0xf770be54fcf54fb4},   {9, 0xe1c39e2d80567330},
        {16, 0xe0ba93645cb90d49},  {17, 0xb9aea40ce2e514b8},  {32, 0x0e6eb117d5df4948},
        {128, 0x70856caa0e4c3ac6}, {240, 0xa6f16f1bdf3f1d88}, {300, 0x4c473f0776cf9daa},
    };
    static const uint64_t folds[SEEDS] = {0x2eb6984a71fd345c, 0x7da67784045ee105,
                                          0xdf6ce10e69e021d1, 0x9ec3783b355b402a,
                                          0xfa2439c932b611fe};

    check_known(ink__xxh64, known, sizeof known / sizeof known[0], folds);
}

CASE(xxh3_of_every_length_equals_pythons_xxhash_alone_and_in_a_batch)
{
    static const known_hash known[] = {
        {0, 0x7986f543d945cf37},   {1, 0x90a4c3a3d1d8e200},   {2, 0x38e62474c68144be},
        {3, 0x310a202779dc0cb4},   {4, 0x4191dbed7a469166},   {5, 0x669129388753016f},
        {8, 0x756d06f21a7bb514},   {9, 0x4433980a005c9e5c},   {16, 0xe0457d1df449173d},
        {17, 0xf52abc78b3999b1c},  {31, 0x79e30f68cb2ebcff},  {32, 0x8916a335eb996310},
        {33, 0xb04b27917f5b7e3b},  {128, 0xfeb51246a037ff1d}, {129, 0x5a0e3b833b71cbbb},
        {240, 0xee5695126e896983}, {241, 0x682e9a603df4400d}, {300, 0x7357e48fdb4d7ae3},
    };
    static const uint64_t folds[SEEDS] = {0xdfcc5f68bab2074d, 0x5097063f679b91a7,
                                          0x28fedaa51be34283, 0x3335e7cc5c623c79,
                                          0x2d64d99dc5eaf44d};

    check_known(ink__xxh3, known, sizeof known / sizeof known[0], folds);
    check_known(by_batch, known, sizeof known / sizeof known[0], folds);
}

RUN_CASES(.begin = make_pattern)
