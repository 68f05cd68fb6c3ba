/* rule_test.c - key rules: the names of hashes, what is refused and in which words, and that each
 * rule hashes keys with the hash it names. */
#define _DEFAULT_SOURCE 1
#include "hash/rule.h"

#include "base/mix.h"
#include "base/status.h"
#include "hash/foreign_hashes.h"
#include "hash/hashes.h"
#include "kernels/dispatch.h"
#include "support/check.h"

#include <limits.h>
#include <sys/mman.h>
#include <time.h>

/* Longer than a message. */
#define SIXTY "012345678901234567890123456789012345678901234567890123456789"
#define LONG_NAME SIXTY SIXTY SIXTY SIXTY SIXTY

static const uint8_t secret[INK_SECRET_BYTES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t other_secret[INK_SECRET_BYTES] = {
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
/* SipHash of "inkling: is this the secret?" under the two; made with OpenSSL 3.0.19. */
static const uint64_t secret_check = 0x92b3673a2d3468b8;
static const uint64_t other_check = 0x8b834461b730c214;

static ink_error error;

static ink__key_rule rule_of(const ink_params *params)
{
    ink__key_rule rule;

    CHECK_OK(ink__rule_create(&rule, params, &error));
    return rule;
}

/* ---- Create ------------------------------------------------------------------------------- */

enum { BYTES = 1, INTS = 2, BOTH = BYTES | INTS };

/* All names but siphash, which takes a secret. */
static const struct {
    const char      *name;
    ink__hash_id     id;
    ink__hash_scheme scheme;
    unsigned         takes;
    uint64_t         seed, seed_max;
} named[] = {
    {"xxh3", INK__HASH_XXH3, INK__SCHEME_HASH64, BOTH, INK__DEFAULT_SEED, UINT64_MAX},
    {"mix64", INK__HASH_MIX64, INK__SCHEME_HASH64, INTS, INK__DEFAULT_SEED, UINT64_MAX},
    {"xxh64", INK__HASH_XXH64, INK__SCHEME_HASH64, BOTH, 0, UINT64_MAX},
    {"mmh3", INK__HASH_MURMUR3_X86_32, INK__SCHEME_SEEDED, BYTES, 0, UINT32_MAX},
    {"mmh3-signed", INK__HASH_MURMUR3_X86_32, INK__SCHEME_SEEDED_SIGNED, BYTES, 0, UINT32_MAX},
    {"murmur64a", INK__HASH_MURMUR64A, INK__SCHEME_HASH64, BOTH, 0, UINT64_MAX},
    {"murmur3-128", INK__HASH_MURMUR3_X64_128, INK__SCHEME_HASH64, BOTH, 0, UINT64_MAX},
    {"xxh64-int32", INK__HASH_XXH64_INT32, INK__SCHEME_HASH64, INTS, 0, UINT64_MAX},
    {"spark-v1", INK__HASH_SPARK, INK__SCHEME_SPARK_V1, BOTH, 0, 0},
    {"spark-v2", INK__HASH_SPARK, INK__SCHEME_SPARK_V2, BOTH, 0, UINT32_MAX},
    {"spark-count-min", INK__HASH_SPARK_ROWS, INK__SCHEME_SPARK_ROWS, BOTH, 0, 0xffffffffffff},
    {"guava", INK__HASH_MURMUR3_X64_128, INK__SCHEME_GUAVA_64, BOTH, 0, 0},
    {"guava-int", INK__HASH_MURMUR3_X64_128_INT32, INK__SCHEME_GUAVA_64, INTS, 0, 0},
    {"guava-chars", INK__HASH_MURMUR3_X64_128_UTF16, INK__SCHEME_GUAVA_64, BYTES, 0, 0},
    {"guava-32", INK__HASH_MURMUR3_X64_128, INK__SCHEME_GUAVA_32, BOTH, 0, 0},
    {"guava-32-int", INK__HASH_MURMUR3_X64_128_INT32, INK__SCHEME_GUAVA_32, INTS, 0, 0},
    {"guava-32-chars", INK__HASH_MURMUR3_X64_128_UTF16, INK__SCHEME_GUAVA_32, BYTES, 0, 0},
    {"hadoop", INK__HASH_HADOOP_MURMUR, INK__SCHEME_HADOOP, BYTES, 0, 0},
    {"hadoop-jenkins", INK__HASH_HADOOP_JENKINS, INK__SCHEME_HADOOP, BYTES, 0, 0},
    {"redisbloom", INK__HASH_MURMUR64A, INK__SCHEME_REDISBLOOM, BYTES, 0xc6a4a7935bd1e995,
     UINT64_MAX},
    {"redisbloom-cms", INK__HASH_MURMUR2, INK__SCHEME_REDISBLOOM_ROWS, BYTES, 0, 0},
    {"redis-hll", INK__HASH_REDIS_HLL, INK__SCHEME_HASH64, BYTES, 0xadc83b19, UINT64_MAX},
    {"postgresql-hll", INK__HASH_POSTGRESQL, INK__SCHEME_POSTGRESQL, BOTH, 0, UINT64_MAX},
    {"postgresql-hll-int4", INK__HASH_POSTGRESQL_INT4, INK__SCHEME_POSTGRESQL, INTS, 0, UINT64_MAX},
    {"dcso", INK__HASH_DCSO, INK__SCHEME_DCSO, BYTES, 0, 0},
    {"datasketches-bloom", INK__HASH_XXH64, INK__SCHEME_DATASKETCHES, BOTH, 9001, UINT64_MAX},
    {"datasketches-hll", INK__HASH_COUPON, INK__SCHEME_COUPON, BOTH, 9001, UINT64_MAX},
    {"datasketches-theta", INK__HASH_MURMUR3_X64_128, INK__SCHEME_THETA, BOTH, 9001, UINT64_MAX},
};
enum { NAMED = sizeof named / sizeof named[0] };

static bool takes(size_t name, ink_key_type type)
{
    return (named[name].takes & (type == INK_KEY_INT ? INTS : BYTES)) != 0;
}

TEST(each_name_makes_its_hash_with_its_default_seed)
{
    for (size_t i = 0; i < NAMED; i++)
        for (ink_key_type type = INK_KEY_BYTES; type <= INK_KEY_INT; type++) {
            const ink_params params = {.hash = named[i].name, .key_type = type};
            ink__key_rule    rule;
            if (!takes(i, type)) {
                CHECK_FAILS(ink__rule_create(&rule, &params, &error), INK_USAGE,
                            type == INK_KEY_INT ? " takes bytes keys, not int"
                                                : " takes int keys, not bytes");
                continue;
            }
            rule = rule_of(&params);
            assert_int_equal(rule.type, type);
            assert_int_equal(rule.hash, named[i].id);
            assert_int_equal(rule.scheme, named[i].scheme);
            assert_int_equal(rule.seed, named[i].seed);
            assert_int_equal(rule.check, 0);
            assert_false(rule.has_secret);
            assert_string_equal(ink__rule_hash_name(&rule), named[i].name);
        }
}

TEST(each_name_takes_seeds_up_to_its_largest)
{
    for (size_t i = 0; i < NAMED; i++) {
        const uint64_t largest = named[i].seed_max;
        ink_params     params = {.hash = named[i].name,
                                 .key_type = takes(i, INK_KEY_BYTES) ? INK_KEY_BYTES : INK_KEY_INT,
                                 .has_seed = true,
                                 .seed = largest};
        ink__key_rule  rule = rule_of(&params);
        assert_int_equal(rule.seed, largest);
        assert_true(ink__rule_has_scheme(&rule));
        if (largest == UINT64_MAX)
            continue;
        params.seed = ++rule.seed;
        assert_false(ink__rule_has_scheme(&rule));
        CHECK_FAILS(ink__rule_create(&rule, &params, &error), INK_USAGE, "seed ");
    }
}

TEST(every_hash_in_the_list_makes_a_rule_of_its_name)
{
    size_t count = 0;

    for (; ink_hash_name(count) != NULL; count++) {
        const char *name = ink_hash_name(count);
        ink_params  params = {.hash = name, .secret = strcmp(name, "siphash") == 0 ? secret : NULL};
        ink__key_rule rule;
        if (ink__rule_create(&rule, &params, &error) != INK_OK)
            params.key_type = INK_KEY_INT;
        rule = rule_of(&params);
        assert_string_equal(ink__rule_hash_name(&rule), name);
        assert_true(ink__rule_has_scheme(&rule));
    }
    assert_int_equal(count, NAMED + 1); /* siphash */
    assert_null(ink_hash_name(SIZE_MAX));
}

TEST(a_hash_has_the_schemes_of_its_names_for_their_keys_and_seeds)
{
    static const struct {
        ink__key_rule rule;
        bool          is;
    } rows[] = {
        {{.hash = INK__HASH_SPARK, .scheme = INK__SCHEME_SPARK_V2, .seed = UINT32_MAX}, true},
        {{.hash = INK__HASH_SPARK,
          .scheme = INK__SCHEME_SPARK_V2,
          .seed = UINT32_MAX + UINT64_C(1)},
         false},
        {{.hash = INK__HASH_SPARK_ROWS,
          .scheme = INK__SCHEME_SPARK_ROWS,
          .seed = INK__JAVA_STATES - 1},
         true},
        {{.hash = INK__HASH_SPARK_ROWS, .scheme = INK__SCHEME_SPARK_ROWS, .seed = INK__JAVA_STATES},
         false},
        {{.hash = INK__HASH_SPARK, .scheme = INK__SCHEME_SPARK_V1}, true},
        {{.hash = INK__HASH_SPARK, .scheme = INK__SCHEME_SPARK_V1, .seed = 1}, false},
        {{.hash = INK__HASH_SPARK, .scheme = INK__SCHEME_HASH64}, false},
        {{.hash = INK__HASH_MURMUR64A, .scheme = INK__SCHEME_REDISBLOOM}, true},
        {{.hash = INK__HASH_MURMUR64A, .scheme = INK__SCHEME_REDISBLOOM, .type = INK_KEY_INT},
         false},
        {{.hash = INK__HASH_MURMUR3_X64_128, .scheme = INK__SCHEME_HASH64, .seed = 5}, true},
        {{.hash = INK__HASH_MURMUR3_X64_128, .scheme = INK__SCHEME_GUAVA_64, .seed = 5}, false},
        {{.hash = INK__HASH_MURMUR3_X86_32, .scheme = INK__SCHEME_SEEDED_SIGNED}, true},
        {{.hash = INK__HASH_MURMUR3_X86_32, .scheme = INK__SCHEME_HASH64}, false},
        {{.hash = INK__HASH_XXH3, .scheme = INK__SCHEME_SEEDED}, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(ink__rule_has_scheme(&rows[i].rule), rows[i].is);
}

TEST(position_rules_of_other_systems_have_a_scheme_and_no_others)
{
    for (unsigned rule = 0; rule < 300; rule++) {
        const bool seeded = rule == INK__RULE_SEEDED || rule == INK__RULE_SEEDED_SIGNED;
        const bool foreign = rule >= INK__RULE_SPARK_V1 && rule <= INK__RULE_REDISBLOOM_ROWS;
        assert_int_equal(ink__hash_scheme_of(rule) != INK__SCHEME_HASH64, seeded || foreign);
    }
    assert_int_equal(ink__hash_scheme_of(UINT_MAX), INK__SCHEME_HASH64);
}

TEST(a_coupon_is_that_of_the_wide_hash_and_of_nothing_it_is_0)
{
    const ink__key_rule rule = rule_of(&(ink_params){.hash = "datasketches-hll"});
    const uint8_t      *key = (const uint8_t *)"a key";
    uint64_t            wide[2];

    for (size_t bytes = 1; bytes <= 5; bytes++) {
        ink__murmur3_x64_128(key, bytes, 9001, wide);
        assert_int_equal(ink__rule_hash_bytes(&rule, key, bytes), ink__coupon(wide));
    }
    assert_int_equal(ink__rule_hash_bytes(&rule, key, 0), 0);
}

TEST(a_theta_of_datasketches_has_no_hash_0_or_1)
{
    /* Made by inverting Murmur3 x64-128 in Python: a seed and an int whose hash is this one. */
    static const struct {
        uint64_t seed, key, hash, of_theta;
    } rows[] = {
        {0xc521c132b991357a, 0x11251b6cf9012abc, 0, UINT64_MAX},
        {0x852c101e9d920d9d, 0x2792dccd4a9f5406, 1, UINT64_MAX},
        {0x0eee99065975f6aa, 0x11251b6cf9012abc, 2, 2},
        {0x3097fe0446da5968, 0x5353f2499f99f436, UINT64_MAX, UINT64_MAX},
    };

    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const bool       theta = i % 2 == 1;
        const int64_t    key = (int64_t)rows[i / 2].key;
        const uint64_t   expected = theta ? rows[i / 2].of_theta : rows[i / 2].hash;
        const ink_params params = {.hash = theta ? "datasketches-theta" : "murmur3-128",
                                   .key_type = INK_KEY_INT,
                                   .seed = rows[i / 2].seed};
        ink__key_rule    rule = rule_of(&params);
        uint64_t         hash;
        ink__rule_hash_int_batch(&rule, ink__kernels_fastest(), &key, 1, &hash);
        assert_int_equal(hash, expected);
        assert_int_equal(ink__rule_hash_int(&rule, key), expected);
        /* An empty key has none either. */
        assert_int_equal(ink__rule_hash_bytes(&rule, NULL, 0) == UINT64_MAX, theta);
    }
}

TEST(no_hash_depends_on_what_follows_a_key)
{
    enum { MOST = 70 };
    uint8_t       zeros[MOST + 16] = {0}, others[MOST + 16];
    ink__key_rule rule;

    for (size_t h = 0; ink_hash_name(h) != NULL; h++)
        for (size_t bytes = 0; bytes <= MOST; bytes++) {
            const ink_params params = {.hash = ink_hash_name(h),
                                       .secret = strcmp(ink_hash_name(h), "siphash") == 0 ? secret
                                                                                          : NULL};
            if (ink__rule_create(&rule, &params, NULL) != INK_OK || ink__rule_needs_keys(&rule))
                continue; /* it takes no bytes, or has several hashes for one key */
            memset(others, 0xff, sizeof others);
            for (size_t i = 0; i < bytes; i++)
                zeros[i] = others[i] = (uint8_t)('a' + i % 26);
            if (ink__rule_hash_bytes(&rule, zeros, bytes) !=
                ink__rule_hash_bytes(&rule, others, bytes))
                fail_msg("%s of %zu bytes", params.hash, bytes);
            memset(zeros, 0, sizeof zeros);
        }
}

TEST(the_default_seed_spells_inkling)
{
    const char *text = "inkling!";
    uint64_t    seed = 0;

    for (int i = 0; i < 8; i++)
        seed = seed << 8 | (uint8_t)text[i];
    assert_int_equal(INK__DEFAULT_SEED, seed);
}

TEST(without_a_name_the_hash_follows_from_keys_and_secret)
{
    ink__key_rule bytes = rule_of(&(ink_params){0});
    ink__key_rule ints = rule_of(&(ink_params){.key_type = INK_KEY_INT});
    ink__key_rule keyed = rule_of(&(ink_params){.secret = secret});
    ink__key_rule keyed_ints = rule_of(&(ink_params){.secret = secret, .key_type = INK_KEY_INT});

    assert_string_equal(ink__rule_hash_name(&bytes), "xxh3");
    assert_string_equal(ink__rule_hash_name(&ints), "mix64");
    assert_string_equal(ink__rule_hash_name(&keyed), "siphash");
    assert_string_equal(ink__rule_hash_name(&keyed_ints), "siphash");
}

TEST(a_secret_is_kept_as_two_words_with_its_check_value)
{
    ink__key_rule rule = rule_of(&(ink_params){.hash = "siphash", .secret = secret});

    assert_int_equal(rule.hash, INK__HASH_SIPHASH);
    assert_int_equal(rule.seed, 0);
    assert_true(rule.has_secret);
    assert_int_equal(rule.secret[0], 0x0706050403020100);
    assert_int_equal(rule.secret[1], 0x0f0e0d0c0b0a0908);
    assert_int_equal(rule.check, secret_check);
}

TEST(a_seed_counts_if_it_is_not_0_or_said_to_be_explicit)
{
    assert_int_equal(rule_of(&(ink_params){.seed = 7}).seed, 7);
    assert_int_equal(rule_of(&(ink_params){.seed = UINT64_MAX}).seed, UINT64_MAX);
    assert_int_equal(rule_of(&(ink_params){.seed = 7, .has_seed = true}).seed, 7);
    assert_int_equal(rule_of(&(ink_params){.has_seed = true}).seed, 0);
    assert_int_equal(rule_of(&(ink_params){.hash = "mmh3", .seed = UINT32_MAX}).seed, UINT32_MAX);
    assert_int_equal(rule_of(&(ink_params){.secret = secret, .has_seed = true}).seed, 0);
}

TEST(create_refuses_what_does_not_go_together)
{
    static const struct {
        ink_params  params;
        const char *message;
    } refused[] = {
        {{.key_type = (ink_key_type)2}, "key_type 2, expected 0 (bytes) or 1 (int)"},
        {{.hash = "md5"},
         "hash \"md5\", expected xxh3, mix64, siphash, xxh64, mmh3, mmh3-signed, murmur64a, "
         "murmur3-128 or one of another system"},
        {{.hash = ""}, "hash \"\", expected xxh3"},
        {{.hash = LONG_NAME},
         "0123456789...\", expected xxh3, mix64, siphash, xxh64, mmh3, mmh3-signed, murmur64a, "
         "murmur3-128 or one of another system"},
        {{.hash = "XXH3"}, "hash \"XXH3\", expected xxh3"},
        {{.hash = "siphash"}, "hash siphash needs a secret"},
        {{.hash = "xxh3", .secret = secret}, "a secret goes with hash siphash only"},
        {{.hash = "mmh3", .key_type = INK_KEY_INT}, "hash mmh3 takes bytes keys, not int"},
        {{.hash = "mmh3-signed", .key_type = INK_KEY_INT},
         "hash mmh3-signed takes bytes keys, not int"},
        {{.hash = "mix64"}, "hash mix64 takes int keys, not bytes"},
        {{.hash = "mmh3", .seed = UINT64_C(1) << 32},
         "seed 4294967296, expected 0 to 4294967295 for hash mmh3"},
        {{.hash = "mmh3-signed", .seed = UINT64_MAX, .has_seed = true},
         "seed 18446744073709551615, expected 0 to 4294967295 for hash mmh3-signed"},
        {{.secret = secret, .seed = 1}, "hash siphash takes a secret, not a seed"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        ink__key_rule rule, before;
        memset(&rule, 0x5a, sizeof rule);
        before = rule;
        CHECK_FAILS(ink__rule_create(&rule, &refused[i].params, &error), INK_USAGE,
                    refused[i].message);
        assert_int_equal(error.location, INK_NOWHERE);
        assert_int_equal(error.at, 0);
        assert_memory_equal(&rule, &before, sizeof rule); /* not set on failure */
        assert_int_equal(ink__rule_create(&rule, &refused[i].params, NULL), INK_USAGE);
    }
}

/* ---- Read --------------------------------------------------------------------------------- */

TEST(a_rule_read_from_its_own_values_is_the_same_rule)
{
    static const ink_params all[] = {
        {.hash = "xxh3"},
        {.hash = "xxh3", .key_type = INK_KEY_INT, .seed = UINT64_MAX},
        {.hash = "mix64", .key_type = INK_KEY_INT, .has_seed = true},
        {.hash = "xxh64", .seed = 3},
        {.hash = "mmh3", .seed = UINT32_MAX},
        {.hash = "murmur64a"},
        {.hash = "murmur3-128", .seed = 9001},
        {.secret = secret},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ink__key_rule made = rule_of(&all[i]), read;
        CHECK_OK(ink__rule_read(&read, made.type, made.hash, made.seed, made.check, &error));
        assert_int_equal(read.scheme, made.scheme);
        assert_false(read.has_secret);
        CHECK_OK(ink__rule_match(&made, &read, &error));
        assert_string_equal(ink__rule_hash_name(&read), ink__rule_hash_name(&made));
    }
}

TEST(read_refuses_values_that_no_rule_has_and_names_the_field)
{
    static const struct {
        uint64_t        type, hash, seed, check;
        ink__rule_field field;
        const char     *message;
    } refused[] = {
        {2, 1, 0, 0, INK__RULE_TYPE, "key type 2, expected 0 or 1"},
        {UINT64_C(1) << 32, 1, 0, 0, INK__RULE_TYPE, "key type 4294967296, expected 0 or 1"},
        {0, 0, 0, 0, INK__RULE_HASH, "hash 0, expected 1 or more"},
        {0, 8, 0, 0, INK__RULE_HASH, "hash 8 is unknown: a newer library is needed"},
        {0, (UINT64_C(1) << 32) + 1, 0, 0, INK__RULE_HASH,
         "hash 4294967297 is unknown: a newer library is needed"},
        {0, INK__HASH_MIX64, 0, 0, INK__RULE_HASH, "hash mix64 does not go with bytes keys"},
        {1, INK__HASH_MURMUR3_X86_32, 0, 0, INK__RULE_HASH, "hash mmh3 does not go with int keys"},
        {0, INK__HASH_MURMUR3_X86_32, UINT64_C(1) << 32, 0, INK__RULE_SEED,
         "seed 4294967296, expected 0 to 4294967295 for hash mmh3"},
        {0, INK__HASH_SIPHASH, 1, 5, INK__RULE_SEED, "seed 1, expected 0 to 0 for hash siphash"},
        {0, INK__HASH_XXH3, 0, 5, INK__RULE_CHECK,
         "check value of a secret, but hash xxh3 has none"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        ink__key_rule rule;
        CHECK_FAILS(ink__rule_read(&rule, refused[i].type, refused[i].hash, refused[i].seed,
                                   refused[i].check, &error),
                    INK_FORMAT, refused[i].message);
        assert_int_equal(error.location, INK__AT_FIELD);
        assert_int_equal(error.at, refused[i].field);
    }
}

/* ---- Secrets ------------------------------------------------------------------------------ */

TEST(a_keyed_rule_from_a_file_hashes_only_after_unlocking)
{
    ink__key_rule made = rule_of(&(ink_params){.secret = secret}), read;

    CHECK_OK(ink__rule_read(&read, INK_KEY_BYTES, INK__HASH_SIPHASH, 0, secret_check, &error));
    CHECK_FAILS(ink__rule_can_hash(&read, &error), INK_MISMATCH,
                "the keys are hashed with a secret: unlock the sketch with it first");
    CHECK_OK(ink__rule_unlock(&read, secret, &error));
    CHECK_OK(ink__rule_can_hash(&read, &error));
    assert_memory_equal(read.secret, made.secret, sizeof made.secret);
    assert_int_equal(ink__rule_hash_bytes(&read, (const uint8_t *)"hello", 5),
                     ink__rule_hash_bytes(&made, (const uint8_t *)"hello", 5));
}

TEST(unlocking_with_another_secret_names_both_check_values)
{
    ink__key_rule rule;

    CHECK_OK(ink__rule_read(&rule, INK_KEY_BYTES, INK__HASH_SIPHASH, 0, secret_check, &error));
    CHECK_FAILS(ink__rule_unlock(&rule, other_secret, &error), INK_MISMATCH,
                "another secret: its check value is 8b834461b730c214, the sketch has "
                "92b3673a2d3468b8");
    assert_false(rule.has_secret);
    assert_int_equal(rule.check, secret_check);
    assert_int_equal(rule.secret[0], 0);
}

TEST(a_rule_without_a_secret_cannot_be_unlocked)
{
    ink__key_rule rule = rule_of(&(ink_params){.hash = "mmh3-signed"});

    CHECK_FAILS(ink__rule_unlock(&rule, secret, &error), INK_MISMATCH,
                "a secret was given, but the keys are hashed with mmh3-signed, without one");
    assert_false(rule.has_secret);
}

TEST(a_rule_that_is_wiped_has_no_secret)
{
    ink__key_rule rule = rule_of(&(ink_params){.secret = secret});

    ink__rule_wipe(&rule);
    assert_int_equal(rule.secret[0], 0);
    assert_int_equal(rule.secret[1], 0);
}

/* ---- Match -------------------------------------------------------------------------------- */

TEST(rules_that_differ_do_not_match_and_both_values_are_named)
{
    static const struct {
        ink_params  a, b;
        const char *message;
    } pairs[] = {
        {{0},
         {.key_type = INK_KEY_INT},
         "key types differ: bytes and int; build both with the same key_type"},
        {{.key_type = INK_KEY_INT},
         {0},
         "key types differ: int and bytes; build both with the same key_type"},
        {{0}, {.hash = "xxh64"}, "hashes differ: xxh3 and xxh64"},
        {{.hash = "mmh3"}, {.hash = "mmh3-signed"}, "hashes differ: mmh3 and mmh3-signed"},
        {{.hash = "murmur64a"},
         {.hash = "murmur3-128"},
         "hashes differ: murmur64a and murmur3-128"},
        {{.seed = 7}, {0}, "seeds differ: 0x7 and 0x696e6b6c696e6721"},
        {{.secret = secret},
         {.secret = other_secret},
         "secrets differ: their check values are 92b3673a2d3468b8 and 8b834461b730c214"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        ink__key_rule a = rule_of(&pairs[i].a), b = rule_of(&pairs[i].b);
        CHECK_FAILS(ink__rule_match(&a, &b, &error), INK_MISMATCH, pairs[i].message);
        assert_int_equal(error.location, INK_NOWHERE);
        assert_int_equal(error.at, 0);
        CHECK_OK(ink__rule_match(&a, &a, &error));
        CHECK_OK(ink__rule_match(&b, &b, &error));
    }
}

TEST(a_locked_and_an_unlocked_rule_with_the_same_secret_match)
{
    ink__key_rule made = rule_of(&(ink_params){.secret = secret}), read;

    CHECK_OK(ink__rule_read(&read, INK_KEY_BYTES, INK__HASH_SIPHASH, 0, secret_check, &error));
    CHECK_OK(ink__rule_match(&made, &read, &error));
    CHECK_OK(ink__rule_match(&read, &made, &error));
}

/* ---- Hash --------------------------------------------------------------------------------- */

TEST(a_hash_of_32_bits_cannot_hash_keys_to_64)
{
    ink__key_rule plain = rule_of(&(ink_params){.hash = "mmh3"});
    ink__key_rule with_sign = rule_of(&(ink_params){.hash = "mmh3-signed"});

    CHECK_FAILS(ink__rule_can_hash(&plain, &error), INK_UNSUPPORTED,
                "hash mmh3 has no 64 bits: it needs the keys themselves");
    CHECK_FAILS(ink__rule_can_hash(&with_sign, &error), INK_UNSUPPORTED,
                "hash mmh3-signed has no 64 bits");
}

/* Made with xxhash 4.1.0 and mmh3 5.3.1 of PyPI, std::_Hash_bytes of libstdc++ 12 (murmur64a) and
 * OpenSSL 3.0.19 (siphash, key 00 .. 0f), each with the default seed; mix64 in Python. */
static const struct {
    ink_params params;
    uint64_t   hello, hello_accented;  /* "hello", and "hello" with e acute in UTF-8 */
    uint64_t   forty_two, minus_seven; /* as integers */
} known[] = {
    {{.hash = "xxh3"},
     0xc9fa5fefcbfc4e3e,
     0x1e02c6fd013d2176,
     0x402c43ef533808b4,
     0x8f8a33d1e5c6c95a},
    {{.hash = "xxh64"},
     0x26c7827d889f6da3,
     0x3bd06310388ebbe4,
     0xb556806fb6d14353,
     0xa8d154f80f8cba5a},
    {{.hash = "murmur64a"},
     0x1e68d17c457bf117,
     0xb963f9180c9fce35,
     0xd2df4d44ebb8b210,
     0xdf04c2f9a8feaffd},
    {{.hash = "murmur3-128"},
     0xcbd8a7b341bd9b02,
     0x4e317b1172855c8a,
     0xb6acc39989d27df8,
     0x90067640d7128708},
    {{.hash = "siphash", .secret = secret},
     0x004fb3985767df81,
     0xb44936b28ab0e824,
     0x2cbe815a255faf48,
     0x2fdb33cb703ba43f},
};
enum { KNOWN = sizeof known / sizeof known[0] };

TEST(bytes_are_hashed_with_the_named_hash)
{
    for (size_t i = 0; i < KNOWN; i++) {
        ink__key_rule rule = rule_of(&known[i].params);
        CHECK_OK(ink__rule_can_hash(&rule, &error));
        assert_int_equal(ink__rule_hash_bytes(&rule, (const uint8_t *)"hello", 5), known[i].hello);
        assert_int_equal(ink__rule_hash_bytes(&rule, (const uint8_t *)"h\xc3\xa9llo", 6),
                         known[i].hello_accented);
    }
}

TEST(ints_are_hashed_as_their_8_bytes_little_endian)
{
    static const uint8_t forty_two[8] = {42};
    static const uint8_t minus_seven[8] = {0xf9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

    for (size_t i = 0; i < KNOWN; i++) {
        ink_params params = known[i].params;
        params.key_type = INK_KEY_INT;
        ink__key_rule rule = rule_of(&params);
        assert_int_equal(ink__rule_hash_int(&rule, 42), known[i].forty_two);
        assert_int_equal(ink__rule_hash_int(&rule, -7), known[i].minus_seven);
        assert_int_equal(ink__rule_hash_bytes(&rule, forty_two, 8), known[i].forty_two);
        assert_int_equal(ink__rule_hash_bytes(&rule, minus_seven, 8), known[i].minus_seven);
    }
}

TEST(mix64_mixes_the_key_xor_the_mixed_seed)
{
    ink__key_rule rule = rule_of(&(ink_params){.key_type = INK_KEY_INT});
    ink__key_rule plain = rule_of(&(ink_params){.key_type = INK_KEY_INT, .has_seed = true});

    assert_int_equal(ink__rule_hash_int(&rule, 42), 0x27ee6ef777b974ee); /* Python, as above */
    assert_int_equal(ink__rule_hash_int(&rule, -7), 0x574fd5ddfe404a65);
    assert_int_equal(ink__rule_hash_int(&plain, 42), 0x810879608e4259cc); /* mix_test.c */
    /* The key that is the mixed seed leaves mix64 of 0. */
    assert_int_equal(ink__rule_hash_int(&rule, (int64_t)0xabb4ff4554b67e9f), 0);
}

TEST(small_seeds_give_small_ints_hashes_of_their_own)
{
    enum { KEYS = 256 };
    ink__key_rule one = rule_of(&(ink_params){.key_type = INK_KEY_INT, .seed = 1});
    ink__key_rule two = rule_of(&(ink_params){.key_type = INK_KEY_INT, .seed = 2});

    /* Were the seed not mixed, both would hash 0 to 255 to the same 256 values in another order. */
    for (int64_t a = 0; a < KEYS; a++)
        for (int64_t b = 0; b < KEYS; b++)
            CHECK(ink__rule_hash_int(&one, a) != ink__rule_hash_int(&two, b));
}

TEST(the_seed_of_a_rule_reaches_its_hash)
{
    const uint8_t *key = (const uint8_t *)"bee";
    uint64_t       wide[2];

    /* 2^40 + 5: a seed that does not fit 32 bits. */
    const uint64_t seed = (UINT64_C(1) << 40) + 5;
    ink__key_rule  xxh3 = rule_of(&(ink_params){.hash = "xxh3", .seed = seed});
    ink__key_rule  xxh64 = rule_of(&(ink_params){.hash = "xxh64", .seed = seed});
    ink__key_rule  murmur64a = rule_of(&(ink_params){.hash = "murmur64a", .seed = seed});
    ink__key_rule  murmur3 = rule_of(&(ink_params){.hash = "murmur3-128", .seed = seed});
    assert_int_equal(ink__rule_hash_bytes(&xxh3, key, 3), ink__xxh3(key, 3, seed));
    assert_int_equal(ink__rule_hash_bytes(&xxh64, key, 3), ink__xxh64(key, 3, seed));
    assert_int_equal(ink__rule_hash_bytes(&murmur64a, key, 3), ink__murmur64a(key, 3, seed));
    ink__murmur3_x64_128(key, 3, seed, wide);
    assert_int_equal(ink__rule_hash_bytes(&murmur3, key, 3), wide[0]);
}

TEST(the_seed_of_spark_count_min_is_that_of_its_ints_alone)
{
    ink__key_rule rule = rule_of(&(ink_params){.hash = "spark-count-min", .seed = 7});

    assert_int_equal(ink__rule_hash_bytes(&rule, (const uint8_t *)"bee", 3),
                     ink__spark_pair((const uint8_t *)"bee", 3, 0));
}

/* Ints as 4 bytes where they fit, and as 8 where they do not. */
TEST(narrow_ints_are_hashed_as_4_bytes_if_they_fit)
{
    static const struct {
        const char *narrow, *wide;
    } pairs[] = {{"xxh64-int32", "xxh64"},
                 {"guava-int", "guava"},
                 {"guava-32-int", "guava-32"},
                 {"postgresql-hll-int4", "postgresql-hll"}};
    static const int64_t keys[] = {0, -7, 42, INT32_MAX, INT32_MIN, INT64_C(1) << 32, INT64_MIN};

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const ink_params params = {.hash = pairs[i].narrow, .key_type = INK_KEY_INT};
        const ink_params others = {.hash = pairs[i].wide, .key_type = INK_KEY_INT};
        ink__key_rule    narrow = rule_of(&params), wide = rule_of(&others);
        uint8_t          bytes[8], of_wide[8];
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            assert_int_equal(ink__rule_int_bytes(&narrow, keys[k], bytes), k < 5 ? 4 : 8);
            assert_int_equal(ink__rule_int_bytes(&wide, keys[k], of_wide), 8);
            assert_memory_equal(bytes, of_wide, 8); /* little-endian */
        }
        /* Parquet has INT32 columns of numbers without a sign, too. */
        assert_int_equal(ink__rule_int_bytes(&narrow, UINT32_MAX, bytes), i == 0 ? 4 : 8);
    }
}

TEST(an_int_that_needs_itself_keeps_all_of_it_in_its_hash)
{
    static const char *const names[] = {"guava", "guava-int", "datasketches-bloom"};
    static const int64_t     keys[] = {0, -1, 42, INT64_MIN, INT64_MAX};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ink__key_rule rule = rule_of(&(ink_params){.hash = names[i], .key_type = INK_KEY_INT});
        CHECK_OK(ink__rule_can_hash(&rule, &error));
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            assert_int_equal(ink__unmix64(ink__rule_hash_int(&rule, keys[k])), keys[k]);
    }
}

TEST(bytes_that_need_themselves_have_no_hash_and_a_pair)
{
    static const struct {
        const char *name;
        bool        needs;
    } rows[] = {{"guava", true},
                {"guava-chars", true},
                {"redisbloom", true},
                {"hadoop", true},
                {"datasketches-bloom", true},
                {"guava-32", false},
                {"spark-v2", false},
                {"dcso", false},
                {"spark-count-min", false},
                {"redis-hll", false},
                {"datasketches-hll", false},
                {"redisbloom-cms", true}};
    const uint8_t *hello = (const uint8_t *)"hello";
    uint64_t       pair[2], wide[2];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ink__key_rule rule = rule_of(&(ink_params){.hash = rows[i].name});
        assert_int_equal(ink__rule_needs_keys(&rule), rows[i].needs);
        if (rows[i].needs)
            CHECK_FAILS(ink__rule_can_hash(&rule, &error), INK_UNSUPPORTED, rows[i].name);
        else
            CHECK_OK(ink__rule_can_hash(&rule, &error));
    }
    ink__key_rule guava = rule_of(&(ink_params){.hash = "guava"});
    ink__key_rule redis = rule_of(&(ink_params){.hash = "redisbloom"});
    ink__key_rule datasketches = rule_of(&(ink_params){.hash = "datasketches-bloom", .seed = 123});
    ink__murmur3_x64_128(hello, 5, 0, wide);
    ink__rule_pair(&guava, hello, 5, pair);
    assert_memory_equal(pair, wide, sizeof pair);
    ink__rule_pair(&redis, hello, 5, pair);
    assert_int_equal(pair[0], ink__murmur64a(hello, 5, 0xc6a4a7935bd1e995));
    assert_int_equal(pair[1], ink__murmur64a(hello, 5, pair[0]));
    ink__rule_pair(&datasketches, hello, 5, pair);
    assert_int_equal(pair[0], ink__xxh64(hello, 5, 123));
    assert_int_equal(pair[1], ink__xxh64(hello, 5, pair[0]));
}

TEST(a_batch_gives_the_hashes_of_its_keys_one_by_one)
{
    static const size_t counts[] = {0, 1, 127, INK__HASH_BATCH};
    uint8_t             bytes[INK__HASH_BATCH * 40];
    uint64_t            offsets[INK__HASH_BATCH + 1] = {0}, hashes[INK__HASH_BATCH + 1];
    int64_t             keys[INK__HASH_BATCH];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 167 + 89);
    for (size_t i = 0; i < INK__HASH_BATCH; i++) {
        offsets[i + 1] = offsets[i] + i * 7 % 40;
        keys[i] = (int64_t)ink__mix64(i);
    }
    keys[0] = INT64_MIN;
    keys[1] = INT64_MAX;
    for (size_t h = 0; ink_hash_name(h) != NULL; h++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            const char   *name = ink_hash_name(h);
            ink_params    params = {.hash = name,
                                    .key_type = INK_KEY_INT,
                                    .secret = strcmp(name, "siphash") == 0 ? secret : NULL};
            ink__key_rule rule;
            hashes[counts[c]] = 1; /* no key has it; a theta would change it */
            if (ink__rule_create(&rule, &params, NULL) == INK_OK) {
                ink__rule_hash_int_batch(&rule, &ink__kernels_scalar, keys, counts[c], hashes);
                for (size_t i = 0; i < counts[c]; i++)
                    CHECK(hashes[i] == ink__rule_hash_int(&rule, keys[i]));
                assert_int_equal(hashes[counts[c]], 1);
            }
            params.key_type = INK_KEY_BYTES;
            if (ink__rule_create(&rule, &params, NULL) != INK_OK || ink__rule_needs_keys(&rule))
                continue;
            ink__rule_hash_bytes_batch(&rule, ink__kernels_fastest(), bytes, offsets, offsets + 1,
                                       counts[c], hashes);
            for (size_t i = 0; i < counts[c]; i++)
                CHECK(hashes[i] == ink__rule_hash_bytes(&rule, bytes + offsets[i],
                                                        (size_t)(offsets[i + 1] - offsets[i])));
            assert_int_equal(hashes[counts[c]], 1);
        }
}

TEST(the_check_value_is_siphash_of_a_fixed_text)
{
    const uint64_t words[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

    assert_int_equal(ink__siphash(words, (const uint8_t *)"inkling: is this the secret?", 28),
                     secret_check);
    assert_int_equal(rule_of(&(ink_params){.secret = other_secret}).check, other_check);
}

/* ---- Long keys ---------------------------------------------------------------------------- */

static double seconds_to_hash(const ink__key_rule *rule, const uint8_t *bytes, size_t count)
{
    clock_t began = clock();

    (void)ink__rule_hash_bytes(rule, bytes, count);
    return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* A length that was kept in 32 bits would be 1. */
TEST(a_key_of_more_bytes_than_32_bits_count_is_hashed_whole)
{
    const uint64_t   length = ((uint64_t)1 << 32) + 1;
    const ink_params rules[] = {
        {.hash = "xxh3"},        {.hash = "xxh64"}, {.hash = "murmur64a"},
        {.hash = "murmur3-128"}, {.hash = "mmh3"},  {.hash = "siphash", .secret = secret},
    };

    if (length > SIZE_MAX / 2)
        return;
    /* Pages that are never written are one and the same page of zeros. */
    uint8_t *bytes =
        mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        ink__key_rule  rule = rule_of(&rules[i]);
        const uint64_t starts[] = {0, 0}, ends[] = {1, length};
        uint64_t       hashes[2];
        if (seconds_to_hash(&rule, bytes, 16 << 20) * 256 > 3)
            continue; /* it would take too long here */
        ink__rule_hash_bytes_batch(&rule, ink__kernels_fastest(), bytes, starts, ends, 2, hashes);
        if (hashes[0] == hashes[1])
            fail_msg("%s: 1 and 2^32 + 1 zeros have one hash", rules[i].hash);
    }
    munmap(bytes, (size_t)length);
}

RUN_TESTS()
