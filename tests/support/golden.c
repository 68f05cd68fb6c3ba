/* golden.c - what is in the files of tests/golden/. */
#include "support/golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define WEIGHTS(array) .weights = array, .weight_count = COUNT(array)
#define SLOT(time)                                                                                 \
    {                                                                                              \
        .has_slot = true, .slot = time                                                             \
    }
#define GROUP(text)                                                                                \
    {                                                                                              \
        .group_kind = INK_GROUP_BYTES, .group = text, .group_bytes = sizeof text - 1               \
    }

static const uint8_t secret[INK_SECRET_BYTES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                 8, 9, 10, 11, 12, 13, 14, 15};

static const uint64_t few_weights[] = {1, 5, 2, 40, 1, 1, 9};
static const uint64_t large_weights[] = {1, 7, 0xfffffff0, 2, 3};
static const uint64_t huge_weights[] = {1, (uint64_t)1 << 40, UINT64_MAX, 3, 2};
static const uint64_t odd_weights[] = {3, 0, 5, 0, 7, 1};
static const uint64_t full_weights[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1};

static const golden_entry window[] = {
    {.params = {.kind = "count-min", .width = 8, .depth = 2},
     .label = SLOT(-60000000),
     .keys = 3,
     WEIGHTS(few_weights)},
    {.params = {.kind = "count-min", .width = 8, .depth = 2},
     .label = SLOT(0),
     .first_key = 2,
     .keys = 6},
    {.params = {.kind = "count-min", .width = 8, .depth = 2}, .label = SLOT(60000000)},
    {.params = {.kind = "top", .phi = 0.5}, .label = SLOT(0), .keys = 2, WEIGHTS(few_weights)},
    {.params = {.kind = "top", .phi = 0.5}, .label = SLOT(60000000)},
    {.params = {.kind = "fm", .width = 2, .depth = 2},
     .label = SLOT(0),
     .first_key = 17,
     .keys = 1},
    {.params = {.kind = "fm", .width = 2, .depth = 2}, .label = SLOT(60000000)},
    {.params = {.kind = "counting", .bits = 1024}, .label = SLOT(0), .keys = 4},
    {.params = {.kind = "bloom", .bits = 256}, .label = SLOT(0), .keys = 4},
    {.params = {.kind = "scalable", .expected_keys = 4}, .label = GROUP("all"), .keys = 6},
    {.params = {.kind = "hll", .precision = 4}, .label = GROUP("all"), .keys = 6},
};
static const golden_entry groups[] = {
    {.params = {.kind = "hll", .precision = 10}, .keys = 300},
    {.params = {.kind = "bloom", .expected_keys = 20}, .label = GROUP("8"), .keys = 20},
    {.params = {.kind = "bloom", .expected_keys = 30},
     .label = GROUP("10"),
     .first_key = 5,
     .keys = 30},
    {.params = {.kind = "bloom", .expected_keys = 5},
     .label = GROUP(""),
     .first_key = 9,
     .keys = 5},
    {.params = {.kind = "bloom", .expected_keys = 5}, .label = GROUP("\xff\x80"), .keys = 4},
    {.params = {.kind = "bloom", .expected_keys = 7},
     .label = {.group_kind = INK_GROUP_NULL},
     .keys = 7},
    {.params = {.kind = "bloom", .expected_keys = 600}, .first_key = 100, .keys = 600},
    {.params = {.kind = "classic", .expected_keys = 9},
     .label = {.group_kind = INK_GROUP_BYTES, .group = "8", .group_bytes = 1, .has_slot = true},
     .keys = 9},
};
static const golden_entry slots[] = {
    {.params = {.kind = "hll", .precision = 5},
     .label = {.has_slot = true, .slot = -60000000},
     .keys = 4},
    {.params = {.kind = "hll", .precision = 5}, .label = {.has_slot = true, .slot = 0}, .keys = 40},
    {.params = {.kind = "hll", .precision = 5},
     .label = {.has_slot = true, .slot = 1700000000000000},
     .keys = 400},
    {.params = {.kind = "hll", .precision = 5}, .keys = 1},
};
static const golden_entry large[] = {
    {.params = {.kind = "bloom", .bits = 256}, .label = GROUP("a"), .keys = 2},
    {.params = {.kind = "bloom", .bits = 4096 * 8}, .label = GROUP("b"), .keys = 300},
};
static const ink_section sections[] = {
    {.id = INK_SECTION_INPUT_SPEC, .data = (const uint8_t *)"lines", .bytes = 5},
    {.id = INK_SECTION_ORIGIN, .critical = true, .data = (const uint8_t *)"12345678", .bytes = 8},
    {.id = 77, .bytes = 0},
};

/* Parameters of sketches as other systems have them. */
#define CLASSIC(name, size, functions)                                                             \
    .kind = "classic", .hash = name, .bits = size, .hashes = functions
#define INTEGERS .key_type = INK_KEY_INT
#define SPARK_ROWS                                                                                 \
    .kind = "count-min", .hash = "spark-count-min", .width = 37, .depth = 5, .counter_bits = 64

/* A file of one entry. */
#define ONE(file, ...)                                                                             \
    {                                                                                              \
        .name = file, .entries = &(const golden_entry){__VA_ARGS__}, .entry_count = 1              \
    }

static const golden_file files[] = {
    {.name = "empty"},
    ONE("bloom", .params = {.kind = "bloom", .expected_keys = 10}, .keys = 10),
    ONE("bloom-large",
        .params = {.kind = "bloom", .expected_keys = 2000, .false_positive_rate = 0.001},
        .keys = 1800),
    ONE("bloom-int", .params = {.kind = "bloom", .expected_keys = 100, .key_type = INK_KEY_INT},
        .keys = 100),
    ONE("bloom-parquet", .params = {.kind = "bloom", .bits = 1024, .hash = "xxh64"}, .keys = 20),
    ONE("bloom-keyed", .params = {.kind = "bloom", .expected_keys = 50, .secret = secret},
        .keys = 50),
    ONE("bloom-seed-0", .params = {.kind = "bloom", .expected_keys = 50, .has_seed = true},
        .keys = 50),
    ONE("classic",
        .params = {.kind = "classic", .expected_keys = 100, .false_positive_rate = 0.001},
        .keys = 100),
    ONE("classic-mmh3", .params = {.kind = "classic", .bits = 1003, .hashes = 7, .hash = "mmh3"},
        .keys = 100),
    ONE("classic-mmh3-signed",
        .params = {.kind = "classic",
                   .bits = 1003,
                   .hashes = 7,
                   .hash = "mmh3-signed",
                   .seed = 4294967292},
        .keys = 100),
    ONE("classic-murmur64a",
        .params = {.kind = "classic", .expected_keys = 30, .hash = "murmur64a", .seed = 0xadc83b19},
        .keys = 30),
    ONE("classic-murmur3-128",
        .params = {.kind = "classic",
                   .expected_keys = 30,
                   .hash = "murmur3-128",
                   .seed = 0x123456789abcdef},
        .keys = 30),
    ONE("hll-empty", .params = {.kind = "hll"}),
    ONE("hll-sparse", .params = {.kind = "hll", .precision = 14}, .keys = 200),
    ONE("hll-dense", .params = {.kind = "hll", .precision = 8}, .keys = 5000),
    ONE("hll-small", .params = {.kind = "hll", .precision = 4, .key_type = INK_KEY_INT}, .keys = 3),
    ONE("theta-empty", .params = {.kind = "theta"}),
    ONE("theta-few", .params = {.kind = "theta"}, .keys = 200),
    ONE("theta-full", .params = {.kind = "theta", .precision = 5}, .keys = 1000),
    ONE("theta-joined", .params = {.kind = "theta", .precision = 4, .key_type = INK_KEY_INT},
        .keys = 60, .joined = 50, .later = 30),
    ONE("theta-met", .params = {.kind = "theta", .precision = 4}, .keys = 60, .met = {40, 90}),
    ONE("theta-chain", .params = {.kind = "theta", .precision = 6, .key_type = INK_KEY_INT},
        .keys = 100, .joined = 50, .met = {30, 500}, .less = {100, 20}),
    ONE("counting", .params = {.kind = "counting", .expected_keys = 20}, .keys = 20, .removed = 5),
    ONE("counting-stuck",
        .params = {.kind = "counting", .expected_keys = 30, .key_type = INK_KEY_INT}, .keys = 3,
        .rounds = 16, .removed = 2, .joined = 9, .later = 1),
    ONE("scalable",
        .params = {.kind = "scalable", .expected_keys = 10, .false_positive_rate = 0.001},
        .keys = 170, .rounds = 2),
    ONE("scalable-steep",
        .params = {.kind = "scalable", .expected_keys = 5, .ratio = 0.1, .key_type = INK_KEY_INT},
        .keys = 33),
    ONE("scalable-joined",
        .params = {.kind = "scalable", .expected_keys = 10, .false_positive_rate = 0.001},
        .keys = 45, .joined = 25),
    ONE("scalable-later",
        .params = {.kind = "scalable", .expected_keys = 10, .false_positive_rate = 0.001},
        .keys = 12, .joined = 5, .later = 30),
    ONE("scalable-taken", .params = {.kind = "scalable", .expected_keys = 4}, .joined = 6,
        .later = 10),
    ONE("scalable-empty", .params = {.kind = "scalable"}),
    ONE("count-min", .params = {.kind = "count-min", .width = 32, .depth = 3}, .keys = 20,
        .rounds = 2, WEIGHTS(few_weights)),
    ONE("count-min-planned",
        .params = {.kind = "count-min", .epsilon = 0.05, .delta = 0.1, .key_type = INK_KEY_INT},
        .keys = 50, .joined = 10),
    ONE("count-min-64",
        .params = {.kind = "count-min", .width = 16, .depth = 2, .counter_bits = 64}, .keys = 5,
        WEIGHTS(huge_weights)),
    ONE("count-min-conservative",
        .params = {.kind = "count-min", .width = 12, .depth = 4, .conservative = true}, .keys = 20,
        .rounds = 2, WEIGHTS(large_weights)),
    ONE("top", .params = {.kind = "top", .phi = 0.25}, .keys = 8, .rounds = 2,
        WEIGHTS(few_weights)),
    ONE("top-purged", .params = {.kind = "top", .phi = 0.25}, .keys = 30, .rounds = 3,
        WEIGHTS(few_weights)),
    ONE("top-int", .params = {.kind = "top", .phi = 0.1, .key_type = INK_KEY_INT}, .keys = 40,
        WEIGHTS(odd_weights)),
    ONE("top-full", .params = {.kind = "top", .phi = 0.25}, .keys = 10, WEIGHTS(full_weights)),
    ONE("top-cut", .params = {.kind = "top", .phi = 0.25}, .first_key = GOLDEN_LONG + 1024,
        .keys = 3, WEIGHTS(few_weights)),
    ONE("top-keyed", .params = {.kind = "top", .phi = 0.25, .secret = secret}, .keys = 9,
        WEIGHTS(few_weights)),
    ONE("top-joined", .params = {.kind = "top", .phi = 0.25}, .keys = 12, .joined = 11,
        WEIGHTS(few_weights)),
    ONE("fm", .params = {.kind = "fm"}, .keys = 100),
    ONE("fm-wide", .params = {.kind = "fm", .width = 64, .depth = 4, .key_type = INK_KEY_INT},
        .keys = 30),
    ONE("fuse", .params = {.kind = "fuse"}, .keys = 10, .rounds = 2),
    ONE("fuse-empty", .params = {.kind = "fuse"}),
    ONE("fuse-one", .params = {.kind = "fuse", .key_type = INK_KEY_INT}, .keys = 1),
    ONE("fuse-wide",
        .params = {.kind = "fuse", .false_positive_rate = 0x1p-32, .key_type = INK_KEY_INT},
        .keys = 40),
    ONE("fuse-large", .params = {.kind = "fuse", .false_positive_rate = 0.1}, .keys = 1500),
    ONE("fuse-keyed", .params = {.kind = "fuse", .false_positive_rate = 0.0001, .secret = secret},
        .keys = 30),
    /* the hashes and position rules of other systems */
    ONE("bloom-xxh64-int32",
        .params = {.kind = "bloom", .bits = 1024, .hash = "xxh64-int32", INTEGERS}, .keys = 20),
    ONE("classic-spark-v1", .params = {CLASSIC("spark-v1", 960, 5)}, .keys = 100),
    ONE("classic-spark-v1-int", .params = {CLASSIC("spark-v1", 128, 9), INTEGERS}, .keys = 9),
    ONE("classic-spark-v2", .params = {CLASSIC("spark-v2", 960, 5), .seed = 4000000007},
        .keys = 100),
    ONE("classic-spark-v2-int", .params = {CLASSIC("spark-v2", 128, 9), INTEGERS, .seed = 7},
        .keys = 9),
    ONE("classic-guava", .params = {CLASSIC("guava", 960, 7)}, .keys = 90),
    ONE("classic-guava-long", .params = {CLASSIC("guava", 960, 7), INTEGERS}, .keys = 90),
    ONE("classic-guava-int", .params = {CLASSIC("guava-int", 960, 7), INTEGERS}, .keys = 90),
    ONE("classic-guava-chars", .params = {CLASSIC("guava-chars", 960, 7)}, .keys = 90),
    ONE("classic-guava-32", .params = {CLASSIC("guava-32", 960, 7)}, .keys = 90),
    ONE("classic-guava-32-int", .params = {CLASSIC("guava-32-int", 960, 7), INTEGERS}, .keys = 90),
    ONE("classic-guava-32-chars", .params = {CLASSIC("guava-32-chars", 960, 7)}, .keys = 90),
    ONE("classic-hadoop", .params = {CLASSIC("hadoop", 1003, 6)}, .keys = 90),
    ONE("classic-hadoop-jenkins", .params = {CLASSIC("hadoop-jenkins", 1003, 6)}, .keys = 90),
    ONE("classic-redisbloom", .params = {CLASSIC("redisbloom", 960, 7)}, .keys = 90),
    ONE("classic-dcso", .params = {CLASSIC("dcso", 9001, 100)}, .keys = 60),
    ONE("classic-datasketches", .params = {CLASSIC("datasketches-bloom", 960, 7), .seed = 123},
        .keys = 90),
    ONE("classic-datasketches-int", .params = {CLASSIC("datasketches-bloom", 960, 7), INTEGERS},
        .keys = 90),
    ONE("count-min-spark", .params = {SPARK_ROWS, .seed = 1}, .keys = 40, WEIGHTS(few_weights)),
    ONE("count-min-spark-int", .params = {SPARK_ROWS, INTEGERS, .seed = 0xfedcba987654}, .keys = 40,
        WEIGHTS(few_weights)),
    ONE("count-min-redisbloom",
        .params = {.kind = "count-min", .hash = "redisbloom-cms", .width = 37, .depth = 5},
        .keys = 40, WEIGHTS(few_weights)),
    ONE("hll-coupon", .params = {.kind = "hll", .precision = 12, .hash = "datasketches-hll"},
        .keys = 300),
    ONE("hll-coupon-int",
        .params = {.kind = "hll", .precision = 4, .hash = "datasketches-hll", INTEGERS},
        .keys = 300),
    ONE("hll-redis", .params = {.kind = "hll", .precision = 14, .hash = "redis-hll"}, .keys = 300),
    ONE("hll-postgresql", .params = {.kind = "hll", .precision = 11, .hash = "postgresql-hll"},
        .keys = 900),
    ONE("hll-postgresql-int4",
        .params = {.kind = "hll", .precision = 11, .hash = "postgresql-hll-int4", INTEGERS},
        .keys = 90),
    {.name = "window", .entries = window, .entry_count = COUNT(window)},
    {.name = "groups", .entries = groups, .entry_count = COUNT(groups)},
    {.name = "slots", .entries = slots, .entry_count = COUNT(slots)},
    {.name = "large", .entries = large, .entry_count = COUNT(large)},
    {.name = "sections",
     .entries = &(const golden_entry){.params = {.kind = "bloom", .expected_keys = 10}, .keys = 10},
     .entry_count = 1,
     .sections = sections,
     .section_count = COUNT(sections)},
};

const golden_file *golden_at(size_t index)
{
    return index < COUNT(files) ? &files[index] : NULL;
}

size_t golden_key(uint64_t number, uint8_t key[GOLDEN_KEY_ROOM])
{
    static const struct {
        const char *bytes;
        size_t      count;
    } odd[] = {
        {"", 0},
        {"a", 1},
        {"bee", 3},
        {"caf\xc3\xa9", 5},
        {"\x00\x80\xff", 3},
        {"tt0111161", 9},
        {"seventeen letters", 17},
    };

    if (number < COUNT(odd)) {
        memcpy(key, odd[number].bytes, odd[number].count);
        return odd[number].count;
    }
    if (number >= GOLDEN_LONG) {
        memset(key, 'x', (size_t)(number - GOLDEN_LONG));
        return (size_t)(number - GOLDEN_LONG);
    }
    return (size_t)snprintf((char *)key, GOLDEN_KEY_ROOM, "key-%" PRIu64, number);
}

int64_t golden_int(uint64_t number)
{
    static const int64_t odd[] = {0, 1, -1, 42, INT64_MIN, INT64_MAX};

    return number < COUNT(odd) ? odd[number] : (int64_t)number * 1000003;
}

bool golden_is_filter(const char *kind)
{
    static const char *const filters[] = {"bloom", "classic", "counting", "scalable", "fuse"};

    for (size_t i = 0; i < COUNT(filters); i++)
        if (strcmp(filters[i], kind) == 0)
            return true;
    return false;
}

static uint64_t rounds(const golden_entry *entry)
{
    return entry->rounds == 0 ? 1 : entry->rounds;
}

uint64_t golden_weight(const golden_entry *entry, uint64_t add)
{
    return entry->weights == NULL ? 1 : entry->weights[add % entry->weight_count];
}

uint64_t golden_records(const golden_entry *entry)
{
    uint64_t records = entry->keys * rounds(entry) - entry->removed + entry->joined + entry->later;

    return entry->met.count > 0 && entry->met.count < records ? entry->met.count : records;
}

/* To a sketch or a draft. */
typedef ink_status batch_call(void *to, const ink_batch *batch, ink_error *error);

static ink_status add(void *to, const ink_batch *batch, ink_error *error)
{
    return ink_sketch_add_batch(to, batch, error);
}

static ink_status take_out(void *to, const ink_batch *batch, ink_error *error)
{
    return ink_sketch_remove_batch(to, batch, error);
}

static ink_status add_to_draft(void *to, const ink_batch *batch, ink_error *error)
{
    return ink_draft_add_batch(to, batch, error);
}

/* Adds or removes `count` keys from number `first` on, the first of them being add number `add`. */
static ink_status each_key(const golden_entry *entry, void *to, batch_call *call, uint64_t first,
                           uint64_t count, uint64_t add, ink_error *error)
{
    ink_status status = INK_OK;

    for (uint64_t i = 0; status == INK_OK && i < count; i++) {
        uint8_t   key[GOLDEN_KEY_ROOM];
        uint64_t  weight = golden_weight(entry, add + i);
        int64_t   number = golden_int(first + i);
        uint64_t  offsets[2] = {0, golden_key(first + i, key)};
        ink_batch batch = {.count = 1, .weights = entry->weights == NULL ? NULL : &weight};
        if (entry->params.key_type == INK_KEY_INT) {
            batch.ints = &number;
        } else {
            batch.data = key;
            batch.offsets = offsets;
        }
        status = call(to, &batch, error);
    }
    return status;
}

typedef ink_status combine_call(ink_sketch *into, const ink_sketch *from, ink_error *error);

static ink_status merge(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    return ink_sketch_merge(into, from, NULL, error);
}

/* Combines a sketch with one of some keys of the entry; of none: not at all. */
static ink_status combine(const golden_entry *entry, ink_sketch *into, combine_call *call,
                          golden_range keys, ink_error *error)
{
    ink_sketch *second = NULL;

    if (keys.count == 0)
        return INK_OK;
    ink_status status = ink_sketch_create(&second, &entry->params, NULL, error);
    if (status == INK_OK)
        status = each_key(entry, second, add, keys.first, keys.count, 0, error);
    if (status == INK_OK)
        status = call(into, second, error);
    ink_sketch_free(second);
    return status;
}

/* Of a kind that is made of all of its keys at once. */
static ink_status finish_draft(const golden_entry *entry, ink_sketch **sketch, ink_error *error)
{
    ink_draft *draft = NULL;
    ink_status status = ink_draft_create(&draft, &entry->params, 0, NULL, error);

    for (uint64_t r = 0; status == INK_OK && r < rounds(entry); r++)
        status = each_key(entry, draft, add_to_draft, entry->first_key, entry->keys, 0, error);
    if (status == INK_OK)
        status = ink_draft_finish(sketch, draft, 0, error);
    ink_draft_free(draft);
    return status;
}

static ink_status build_sketch(const golden_entry *entry, ink_sketch **sketch, ink_error *error)
{
    ink_kind_info info;

    if (ink_kind_describe(entry->params.kind, &info, error) == INK_OK && info.made_whole)
        return finish_draft(entry, sketch, error);
    ink_status status = ink_sketch_create(sketch, &entry->params, NULL, error);
    uint64_t   first = entry->first_key, next = first + entry->keys;

    for (uint64_t r = 0; status == INK_OK && r < rounds(entry); r++)
        status = each_key(entry, *sketch, add, first, entry->keys, r * entry->keys, error);
    if (status == INK_OK)
        status = each_key(entry, *sketch, take_out, first, entry->removed, 0, error);
    if (status == INK_OK)
        status = combine(entry, *sketch, merge, (golden_range){next, entry->joined}, error);
    if (status == INK_OK)
        status = each_key(entry, *sketch, add, next + entry->joined, entry->later, 0, error);
    if (status == INK_OK)
        status = combine(entry, *sketch, ink_sketch_intersect, entry->met, error);
    if (status == INK_OK)
        status = combine(entry, *sketch, ink_sketch_subtract, entry->less, error);
    return status;
}

ink_status golden_build(const golden_file *golden, uint8_t **bytes, size_t *count, ink_error *error)
{
    ink_entry  entries[16];
    ink_status status = INK_OK;
    size_t     built = 0;

    for (; status == INK_OK && built < golden->entry_count; built++) {
        ink_sketch *sketch = NULL;
        status = build_sketch(&golden->entries[built], &sketch, error);
        entries[built] = (ink_entry){.label = golden->entries[built].label, .sketch = sketch};
    }
    if (status == INK_OK)
        status = ink_contents_encode(&(ink_contents){.entries = entries,
                                                     .entry_count = built,
                                                     .sections = golden->sections,
                                                     .section_count = golden->section_count},
                                     bytes, count, error);
    while (built > 0)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[--built].sketch);
    return status;
}
