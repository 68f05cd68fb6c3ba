/* sketches.h - what the property tests share: one list of sketches of every kind, hash and key
 * type, a small generator of random numbers, keys by number, and comparing sketches by their bytes.
 */
#ifndef INK_TESTS_PROPERTIES_SKETCHES_H
#define INK_TESTS_PROPERTIES_SKETCHES_H

#include "support/check.h"
#include "support/sketches.h"

/* Set for runs under valgrind: the heavy loops are to shrink by about 50. */
static inline bool light(void)
{
    return getenv("INK_TEST_LIGHT") != NULL;
}

static ink_error error;

/* ---- Random numbers ----------------------------------------------------------------------- */

typedef struct generator {
    uint64_t state; /* any seed */
} generator;

static inline uint64_t next_random(generator *random) /* splitmix64 */
{
    uint64_t before = random->state;

    random->state += 0x9e3779b97f4a7c15u;
    return scramble(before);
}

/* 0 to below - 1. */
static inline uint64_t random_below(generator *random, uint64_t below)
{
    return next_random(random) % below;
}

/* ---- Sketches of every sort --------------------------------------------------------------- */

static const uint8_t a_secret[INK_SECRET_BYTES] = "sixteen  letters";
static const uint8_t another_secret[INK_SECRET_BYTES] = "sixteen_ letters";

/* Sizes that divide, sizes that do not, one block, one byte, one bit, more than a cache; every
 * hash, both key types; registers as lists and as arrays; chains of one and of many levels, of
 * blooms and of classics; counters that stop; tables that are purged and that are not. `keys` is
 * how many are added. */
static const struct variant {
    ink_params params;
    uint64_t   keys;
} variants[] = {
    {{.kind = "bloom", .expected_keys = 1000}, 1000},
    {{.kind = "bloom", .expected_keys = 300, .false_positive_rate = 1e-4, .seed = 7}, 300},
    {{.kind = "bloom", .expected_keys = 500, .false_positive_rate = 0.5}, 500},
    {{.kind = "bloom", .bits = 256}, 40},
    {{.kind = "bloom", .bits = 256 * 60, .hash = "xxh64"}, 900},
    {{.kind = "bloom", .bits = 256 * 127, .hash = "murmur64a", .seed = 99}, 1500},
    {{.kind = "bloom", .bits = 256 * 96, .expected_keys = 1000, .key_type = INK_KEY_INT}, 1000},
    {{.kind = "bloom", .bits = 256 * 40000, .hash = "murmur3-128"}, 3000},
    {{.kind = "bloom", .expected_keys = 200, .secret = a_secret}, 200},
    {{.kind = "bloom", .expected_keys = 200, .key_type = INK_KEY_INT, .secret = a_secret}, 200},
    {{.kind = "classic", .expected_keys = 1000}, 1000},
    {{.kind = "classic", .expected_keys = 500, .false_positive_rate = 1e-9, .seed = 3}, 500},
    {{.kind = "classic", .bits = 1, .hashes = 1}, 2},
    {{.kind = "classic", .bits = 7, .hashes = 2}, 3},
    {{.kind = "classic", .bits = 997, .hashes = 3, .hash = "xxh64"}, 200},
    {{.kind = "classic", .bits = 1 << 16, .hashes = 5, .key_type = INK_KEY_INT}, 3000},
    {{.kind = "classic", .bits = 40001, .hashes = 64, .hash = "murmur64a"}, 300},
    {{.kind = "classic", .bits = 9586, .hashes = 7, .hash = "mmh3"}, 1000},
    {{.kind = "classic", .expected_keys = 700, .hash = "mmh3", .seed = UINT32_MAX - 2}, 700},
    {{.kind = "classic", .bits = 100, .hashes = 7, .hash = "mmh3-signed"}, 10},
    {{.kind = "classic", .bits = 8192, .hashes = 4, .hash = "mmh3-signed"}, 1000},
    {{.kind = "classic", .expected_keys = 100, .secret = a_secret}, 100},
    {{.kind = "classic", .expected_keys = 600, .hash = "spark-v1"}, 600},
    {{.kind = "classic", .bits = 512, .hashes = 9, .hash = "spark-v1", .key_type = INK_KEY_INT},
     40},
    {{.kind = "classic", .expected_keys = 700, .hash = "spark-v2", .seed = UINT32_MAX}, 700},
    {{.kind = "classic", .bits = 997, .hashes = 5, .hash = "spark-v2", .key_type = INK_KEY_INT},
     100},
    {{.kind = "classic", .expected_keys = 600, .hash = "guava"}, 600},
    {{.kind = "classic", .bits = 2048, .hashes = 4, .hash = "guava", .key_type = INK_KEY_INT}, 300},
    {{.kind = "classic", .expected_keys = 300, .hash = "guava-int", .key_type = INK_KEY_INT}, 300},
    {{.kind = "classic", .bits = 1024, .hashes = 3, .hash = "guava-chars"}, 200},
    {{.kind = "classic", .expected_keys = 300, .hash = "guava-32"}, 300},
    {{.kind = "classic", .bits = 999, .hashes = 3, .hash = "guava-32-int", .key_type = INK_KEY_INT},
     200},
    {{.kind = "classic", .expected_keys = 400, .hash = "hadoop"}, 400},
    {{.kind = "classic", .bits = 4096, .hashes = 7, .hash = "hadoop-jenkins"}, 400},
    {{.kind = "classic", .expected_keys = 400, .hash = "redisbloom"}, 400},
    {{.kind = "classic", .expected_keys = 400, .hash = "dcso"}, 400},
    {{.kind = "classic", .expected_keys = 400, .hash = "datasketches-bloom"}, 400},
    {{.kind = "classic",
      .bits = 1 << 12,
      .hashes = 5,
      .hash = "datasketches-bloom",
      .seed = 7,
      .key_type = INK_KEY_INT},
     400},
    {{.kind = "counting", .expected_keys = 300}, 300},
    {{.kind = "counting", .bits = 1024}, 200},
    {{.kind = "counting", .bits = 1024 * 60, .hash = "xxh64"}, 900},
    {{.kind = "counting", .bits = 1024 * 7, .key_type = INK_KEY_INT}, 100},
    {{.kind = "counting", .bits = 1024 * 24, .expected_keys = 99, .secret = a_secret}, 200},
    {{.kind = "scalable"}, 300},
    {{.kind = "scalable", .expected_keys = 20}, 1000},
    {{.kind = "scalable", .expected_keys = 7, .ratio = 0.9, .key_type = INK_KEY_INT}, 500},
    {{.kind = "scalable", .expected_keys = 50, .false_positive_rate = 1e-3, .ratio = 0.8}, 900},
    {{.kind = "scalable", .expected_keys = 9, .false_positive_rate = 0.5, .seed = 5}, 300},
    {{.kind = "scalable", .expected_keys = 64, .hash = "murmur64a"}, 300},
    {{.kind = "scalable", .expected_keys = 30, .secret = a_secret}, 200},
    {{.kind = "scalable", .expected_keys = 20, .hash = "redisbloom"}, 700},
    {{.kind = "count-min", .width = 50, .depth = 4}, 1000},
    {{.kind = "count-min", .width = 1, .depth = 1}, 20},
    {{.kind = "count-min", .width = 9, .depth = 64, .hash = "xxh64"}, 100},
    {{.kind = "count-min", .epsilon = 0.01, .delta = 0.05, .counter_bits = 64}, 700},
    {{.kind = "count-min", .width = 300, .depth = 3, .key_type = INK_KEY_INT}, 500},
    {{.kind = "count-min", .width = 40, .depth = 5, .conservative = true}, 500},
    {{.kind = "count-min",
      .width = 77,
      .depth = 2,
      .counter_bits = 64,
      .conservative = true,
      .key_type = INK_KEY_INT},
     300},
    {{.kind = "count-min", .width = 30, .depth = 3, .secret = a_secret}, 200},
    {{.kind = "count-min", .width = 61, .depth = 4, .counter_bits = 64, .hash = "spark-count-min"},
     500},
    {{.kind = "count-min", .width = 43, .depth = 5, .hash = "redisbloom-cms"}, 500},
    {{.kind = "count-min", .width = 45, .depth = 3, .conservative = true, .hash = "redisbloom-cms"},
     500},
    {{.kind = "count-min",
      .width = 40,
      .depth = 6,
      .hash = "spark-count-min",
      .seed = 42,
      .key_type = INK_KEY_INT},
     500},
    {{.kind = "top"}, 700},
    {{.kind = "top", .phi = 0.1}, 500},
    {{.kind = "top", .phi = 1}, 50},
    {{.kind = "top", .phi = 0.01, .key_type = INK_KEY_INT}, 1000},
    {{.kind = "top", .phi = 0.03, .hash = "murmur3-128", .seed = 8}, 300},
    {{.kind = "top", .phi = 0.05, .secret = a_secret}, 200},
    {{.kind = "fm"}, 300},
    {{.kind = "fm", .width = 1, .depth = 1}, 30},
    {{.kind = "fm", .width = 40, .depth = 4, .key_type = INK_KEY_INT}, 500},
    {{.kind = "fm", .width = 2, .depth = 255, .secret = a_secret}, 60},
    {{.kind = "hll", .precision = 4}, 100},
    {{.kind = "hll", .precision = 5, .key_type = INK_KEY_INT, .hash = "xxh3"}, 9},
    {{.kind = "hll", .precision = 9}, 200},
    {{.kind = "hll", .precision = 10, .key_type = INK_KEY_INT}, 5000},
    {{.kind = "hll"}, 700},
    {{.kind = "hll", .precision = 14, .hash = "murmur3-128", .has_seed = true}, 9000},
    {{.kind = "hll", .precision = 18, .secret = a_secret}, 500},
    {{.kind = "hll", .precision = 12, .hash = "murmur64a", .seed = UINT64_MAX}, 2000},
    {{.kind = "hll", .hash = "redis-hll"}, 700},
    {{.kind = "hll", .precision = 9, .hash = "postgresql-hll-int4", .key_type = INK_KEY_INT}, 900},
    {{.kind = "hll", .precision = 12, .hash = "datasketches-hll", .key_type = INK_KEY_INT}, 900},
    {{.kind = "theta", .precision = 4}, 100},
    {{.kind = "theta", .precision = 5, .key_type = INK_KEY_INT, .hash = "xxh3"}, 40},
    {{.kind = "theta", .precision = 9, .key_type = INK_KEY_INT}, 5000},
    {{.kind = "theta"}, 700},
    {{.kind = "theta", .precision = 6, .hash = "murmur3-128", .has_seed = true}, 2000},
    {{.kind = "theta", .precision = 26, .secret = a_secret}, 500},
    {{.kind = "fuse"}, 700},
    {{.kind = "fuse", .false_positive_rate = 0x1p-32, .key_type = INK_KEY_INT, .seed = 4}, 300},
    {{.kind = "fuse", .false_positive_rate = 0.1, .hash = "murmur64a"}, 3000},
    {{.kind = "fuse", .false_positive_rate = 0x1p-13, .secret = a_secret}, 200},
};
enum { ALL_VARIANTS = sizeof variants / sizeof variants[0], FIXED_VARIANTS = 4 };
enum { VARIANTS = ALL_VARIANTS - FIXED_VARIANTS }; /* the last ones never change */

/* A test of variant number `i`, of each up to `count`. */
#define TEST_OF_FIRST(count, name)                                                                 \
    static void check_##name(size_t i);                                                            \
    TEST(name)                                                                                     \
    {                                                                                              \
        for (size_t i = 0; i < (count); i++)                                                       \
            check_##name(i);                                                                       \
    }                                                                                              \
    static void check_##name(size_t i)

/* Of each that takes keys. */
#define TEST_OF_VARIANTS(name) TEST_OF_FIRST(VARIANTS, name)
/* Also of those that are made of all keys at once (make_with). */
#define TEST_OF_ALL_VARIANTS(name) TEST_OF_FIRST(ALL_VARIANTS, name)

/* ---- What a kind can do ------------------------------------------------------------------- */

static inline bool is_one_of(const char *kind, const char *kinds)
{
    const char *found = strstr(kinds, kind);
    size_t      length = strlen(kind);

    for (; found != NULL; found = strstr(found + 1, kind))
        if ((found == kinds || found[-1] == ' ') && (found[length] == ' ' || found[length] == 0))
            return true;
    return false;
}

static inline bool kind_is_filter(const char *kind) /* knows membership, and has a rate */
{
    return is_one_of(kind, "bloom classic counting scalable fuse");
}

static inline bool kind_has_distinct(const char *kind)
{
    return is_one_of(kind, "bloom classic counting scalable fm hll theta fuse");
}

static inline bool kind_counts(const char *kind) /* tells how often, and how much of the total */
{
    return is_one_of(kind, "count-min top");
}

static inline bool is_filter(const struct variant *variant)
{
    return kind_is_filter(variant->params.kind);
}

static inline bool is_counter(const struct variant *variant)
{
    return kind_counts(variant->params.kind);
}

static inline bool takes_weights(const struct variant *variant)
{
    return is_one_of(variant->params.kind, "counting count-min top");
}

static inline bool keeps_keys(const struct variant *variant)
{
    return is_one_of(variant->params.kind, "top");
}

static inline bool can_meet(const struct variant *variant) /* be intersected */
{
    return is_one_of(variant->params.kind, "bloom classic theta");
}

/* Merging it with itself changes nothing. */
static inline bool is_a_set(const struct variant *variant)
{
    return is_one_of(variant->params.kind, "bloom classic fm hll theta");
}

/* The same bytes in any order keys are added and parts merged. */
static inline bool is_order_free(const struct variant *variant)
{
    return !is_one_of(variant->params.kind, "scalable top") && !variant->params.conservative;
}

static inline bool has_hashes(const struct variant *variant)
{
    return !sketches_need_keys(&variant->params);
}

static inline ink_sketch *make(const ink_params *params)
{
    ink_sketch *sketch = NULL;

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    return sketch;
}

static inline ink_sketch *copy_of(const ink_sketch *sketch)
{
    ink_sketch *copy = NULL;

    CHECK_OK(ink_sketch_copy(&copy, sketch, NULL, &error));
    return copy;
}

/* ---- Keys --------------------------------------------------------------------------------- */

enum { KEY_BYTES_MAX = 300 };

/* Key number `number` as bytes: mostly short, some long, any bytes; number 0 is the empty key. */
static inline size_t bytes_of_key(uint64_t number, uint8_t key[KEY_BYTES_MAX])
{
    generator random = {number * 0x2545f4914f6cdd1du};
    size_t    length = number == 0 ? 0 : 8 + (size_t)random_below(&random, 20);

    if (number % 32 == 5)
        length = 8 + (size_t)random_below(&random, KEY_BYTES_MAX - 8);
    for (size_t i = 0; i < length; i++)
        key[i] = (uint8_t)next_random(&random);
    for (size_t i = 0; i < 8 && i < length; i++)
        key[i] = (uint8_t)(number >> 8 * i); /* no two keys alike */
    return length;
}

/* The same number as an integer: small ones, negative ones, all over the range. */
static inline int64_t int_of_key(uint64_t number)
{
    generator random = {number};

    if (number % 3 == 0)
        return (int64_t)number;
    return number % 3 == 1 ? -(int64_t)number : (int64_t)next_random(&random);
}

static inline void add_key(ink_sketch *sketch, uint64_t number)
{
    uint8_t    key[KEY_BYTES_MAX] = {0};
    ink_status status = ink_sketch_add(sketch, key, bytes_of_key(number, key), &error);

    if (status == INK_MISMATCH) /* it holds ints */
        status = ink_sketch_add_int(sketch, int_of_key(number), &error);
    CHECK_OK(status);
}

static inline bool may_contain(const ink_sketch *sketch, uint64_t number)
{
    uint8_t    key[KEY_BYTES_MAX] = {0};
    bool       maybe = false;
    size_t     bytes = bytes_of_key(number, key);
    ink_status status = ink_sketch_contains(sketch, key, bytes, &maybe, &error);

    if (status == INK_MISMATCH) /* it holds ints */
        status = ink_sketch_contains_int(sketch, int_of_key(number), &maybe, &error);
    CHECK_OK(status);
    return maybe;
}

/* Key number `number` so often at once. */
static inline void add_weighted(ink_sketch *sketch, uint64_t number, uint64_t weight)
{
    uint8_t key[KEY_BYTES_MAX] = {0};

    if (sketches_describe(sketch).key_type == INK_KEY_INT)
        CHECK_OK(ink_sketch_add_weight_int(sketch, int_of_key(number), weight, &error));
    else
        CHECK_OK(ink_sketch_add_weight(sketch, key, bytes_of_key(number, key), weight, &error));
}

static inline ink_answer count_of(const ink_sketch *sketch, uint64_t number)
{
    uint8_t    key[KEY_BYTES_MAX] = {0};
    ink_answer answer = {0};
    size_t     bytes = bytes_of_key(number, key);
    ink_status status = ink_sketch_count(sketch, key, bytes, &answer, &error);

    if (status == INK_MISMATCH) /* it holds ints */
        status = ink_sketch_count_int(sketch, int_of_key(number), &answer, &error);
    CHECK_OK(status);
    return answer;
}

/* Adds keys first to until - 1. */
static inline void add_range(ink_sketch *sketch, uint64_t first, uint64_t until)
{
    for (uint64_t number = first; number < until; number++)
        add_key(sketch, number);
}

static inline void draft_key(ink_draft *draft, const ink_params *params, uint64_t number)
{
    uint8_t       bytes[KEY_BYTES_MAX] = {0};
    const int64_t as_int = int_of_key(number);
    const ink_key key = {bytes, bytes_of_key(number, bytes)};
    ink_batch     batch = {.count = 1};

    if (params->key_type == INK_KEY_INT)
        batch.ints = &as_int;
    else
        batch.keys = &key;
    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
}

static inline ink_sketch *make_with(const ink_params *params, uint64_t first, uint64_t until)
{
    ink_sketch   *sketch = NULL;
    ink_draft    *draft;
    ink_kind_info info;

    CHECK_OK(ink_kind_describe(params->kind, &info, &error));
    if (!info.made_whole) {
        sketch = make(params);
        add_range(sketch, first, until);
        return sketch;
    }
    CHECK_OK(ink_draft_create(&draft, params, 0, NULL, &error));
    for (uint64_t number = first; number < until; number++)
        draft_key(draft, params, number);
    CHECK_OK(ink_draft_finish(&sketch, draft, 0, &error));
    ink_draft_free(draft);
    return sketch;
}

/* Adds 64-bit hashes as they stand. */
static inline void add_hashes(ink_sketch *sketch, const uint64_t *hashes, size_t count)
{
    const ink_batch batch = {.count = count, .hashes = hashes};

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
}

/* Merges without a look at the rate. */
static inline void merge_parts(ink_sketch *into, const ink_sketch *from)
{
    const ink_merge_options parts = {.parts = true};

    CHECK_OK(ink_sketch_merge(into, from, &parts, &error));
}

/* ---- Comparing ---------------------------------------------------------------------------- */

static inline sketches_snapshot encode(const ink_sketch *sketch)
{
    sketches_snapshot made = {0};

    CHECK_OK(ink_sketch_encode(sketch, &made.bytes, &made.count, &error));
    return made;
}

static inline bool encodings_equal(const sketches_snapshot *a, const sketches_snapshot *b)
{
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

static inline ink_sketch *decode(const sketches_snapshot *made)
{
    ink_sketch *sketch = NULL;

    CHECK_OK(ink_sketch_decode(&sketch, made->bytes, made->count, NULL, &error));
    return sketch;
}

/* Whether the encodings are equal, byte for byte, and, looked at every eighth time, the digests. */
static inline bool same_bytes(const ink_sketch *a, const ink_sketch *b)
{
    static unsigned calls;
    owned_snapshot  of_a = encode(a), of_b = encode(b);
    bool            same = encodings_equal(&of_a, &of_b);

    if (calls++ % 8 == 0) {
        uint8_t digest_a[INK_DIGEST_BYTES], digest_b[INK_DIGEST_BYTES];
        CHECK_OK(ink_sketch_digest(a, digest_a, &error));
        CHECK_OK(ink_sketch_digest(b, digest_b, &error));
        CHECK(same == (memcmp(digest_a, digest_b, sizeof digest_a) == 0));
    }
    return same;
}

static inline uint8_t *payload_of(const ink_sketch *sketch, size_t *bytes)
{
    *bytes = (size_t)sketches_describe(sketch).bytes;
    uint8_t *payload = test_malloc(*bytes + 1);

    CHECK_OK(ink_sketch_payload(sketch, payload, *bytes, &error));
    return payload;
}

static inline bool answers_equal(const ink_answer *a, const ink_answer *b)
{
    return a->estimate == b->estimate && a->low == b->low && a->high == b->high &&
           a->confidence == b->confidence && a->saturated == b->saturated;
}

static inline bool items_equal(const ink_item *a, const ink_item *b)
{
    return a->key_bytes == b->key_bytes && a->key_int == b->key_int && a->cut == b->cut &&
           (a->key == NULL) == (b->key == NULL) &&
           (a->key_bytes == 0 || memcmp(a->key, b->key, a->key_bytes) == 0) &&
           answers_equal(&a->count, &b->count);
}

/* Whether payloads, records and precisions are equal: nearly as good, and cheaper than encoding. */
static inline bool same_content(const ink_sketch *a, const ink_sketch *b)
{
    ink_description of_a = sketches_describe(a), of_b = sketches_describe(b);

    return of_a.records == of_b.records && of_a.precision == of_b.precision &&
           sketches_equal_payloads(a, b);
}

/* Fails the test, naming the variant, unless the bytes are equal. */
#define CHECK_SAME(a, b, index)                                                                    \
    do {                                                                                           \
        if (!same_bytes((a), (b)))                                                                 \
            fail_msg("%s and %s differ, variant %zu (%s)", #a, #b, (size_t)(index),                \
                     variants[index].params.kind);                                                 \
    } while (0)

#endif
