/* golden.c - what is in the files of tests/golden/. */
#include "support/golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define GROUP(text)                                                                                \
    {                                                                                              \
        .group_kind = INK_GROUP_BYTES, .group = text, .group_bytes = sizeof text - 1               \
    }

static const uint8_t secret[INK_SECRET_BYTES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                 8, 9, 10, 11, 12, 13, 14, 15};

static const golden_entry bloom[] = {
    {.params = {.kind = "bloom", .expected_keys = 10}, .keys = 10},
};
static const golden_entry bloom_large[] = {
    {.params = {.kind = "bloom", .expected_keys = 2000, .false_positive_rate = 0.001},
     .keys = 1800},
};
static const golden_entry bloom_int[] = {
    {.params = {.kind = "bloom", .expected_keys = 100, .key_type = INK_KEY_INT}, .keys = 100},
};
static const golden_entry bloom_parquet[] = {
    {.params = {.kind = "bloom", .bits = 1024, .hash = "xxh64"}, .keys = 20},
};
static const golden_entry bloom_keyed[] = {
    {.params = {.kind = "bloom", .expected_keys = 50, .secret = secret}, .keys = 50},
};
static const golden_entry bloom_seeded[] = {
    {.params = {.kind = "bloom", .expected_keys = 50, .explicit_seed = true}, .keys = 50},
};
static const golden_entry classic[] = {
    {.params = {.kind = "classic", .expected_keys = 100, .false_positive_rate = 0.001},
     .keys = 100},
};
static const golden_entry classic_mmh3[] = {
    {.params = {.kind = "classic", .bits = 1003, .hashes = 7, .hash = "mmh3"}, .keys = 100},
};
static const golden_entry classic_signed[] = {
    {.params =
         {.kind = "classic", .bits = 1003, .hashes = 7, .hash = "mmh3-signed", .seed = 4294967292},
     .keys = 100},
};
static const golden_entry classic_murmur64a[] = {
    {.params = {.kind = "classic", .expected_keys = 30, .hash = "murmur64a", .seed = 0xadc83b19},
     .keys = 30},
};
static const golden_entry classic_murmur128[] = {
    {.params =
         {.kind = "classic", .expected_keys = 30, .hash = "murmur3-128", .seed = 0x123456789abcdef},
     .keys = 30},
};
static const golden_entry hll_empty[] = {{.params = {.kind = "hll"}}};
static const golden_entry hll_sparse[] = {
    {.params = {.kind = "hll", .precision = 14}, .keys = 200}};
static const golden_entry hll_dense[] = {{.params = {.kind = "hll", .precision = 8}, .keys = 5000}};
static const golden_entry hll_small[] = {
    {.params = {.kind = "hll", .precision = 4, .key_type = INK_KEY_INT}, .keys = 3},
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
    {.id = INK_SECTION_RECIPE, .bytes = (const uint8_t *)"lines", .count = 5},
    {.id = INK_SECTION_ORIGIN, .critical = true, .bytes = (const uint8_t *)"12345678", .count = 8},
    {.id = 77, .count = 0},
};

static const golden_file files[] = {
    {.name = "empty"},
    {.name = "bloom", .entries = bloom, .entry_count = COUNT(bloom)},
    {.name = "bloom-large", .entries = bloom_large, .entry_count = COUNT(bloom_large)},
    {.name = "bloom-int", .entries = bloom_int, .entry_count = COUNT(bloom_int)},
    {.name = "bloom-parquet", .entries = bloom_parquet, .entry_count = COUNT(bloom_parquet)},
    {.name = "bloom-keyed", .entries = bloom_keyed, .entry_count = COUNT(bloom_keyed)},
    {.name = "bloom-seed-0", .entries = bloom_seeded, .entry_count = COUNT(bloom_seeded)},
    {.name = "classic", .entries = classic, .entry_count = COUNT(classic)},
    {.name = "classic-mmh3", .entries = classic_mmh3, .entry_count = COUNT(classic_mmh3)},
    {.name = "classic-mmh3-signed",
     .entries = classic_signed,
     .entry_count = COUNT(classic_signed)},
    {.name = "classic-murmur64a",
     .entries = classic_murmur64a,
     .entry_count = COUNT(classic_murmur64a)},
    {.name = "classic-murmur3-128",
     .entries = classic_murmur128,
     .entry_count = COUNT(classic_murmur128)},
    {.name = "hll-empty", .entries = hll_empty, .entry_count = COUNT(hll_empty)},
    {.name = "hll-sparse", .entries = hll_sparse, .entry_count = COUNT(hll_sparse)},
    {.name = "hll-dense", .entries = hll_dense, .entry_count = COUNT(hll_dense)},
    {.name = "hll-small", .entries = hll_small, .entry_count = COUNT(hll_small)},
    {.name = "groups", .entries = groups, .entry_count = COUNT(groups)},
    {.name = "slots", .entries = slots, .entry_count = COUNT(slots)},
    {.name = "large", .entries = large, .entry_count = COUNT(large)},
    {.name = "sections",
     .entries = bloom,
     .entry_count = COUNT(bloom),
     .sections = sections,
     .section_count = COUNT(sections)},
};

const golden_file *golden_at(size_t index)
{
    return index < COUNT(files) ? &files[index] : NULL;
}

size_t golden_key(uint64_t number, uint8_t key[32])
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
    return (size_t)snprintf((char *)key, 32, "key-%" PRIu64, number);
}

int64_t golden_int(uint64_t number)
{
    static const int64_t odd[] = {0, 1, -1, 42, INT64_MIN, INT64_MAX};

    return number < COUNT(odd) ? odd[number] : (int64_t)number * 1000003;
}

static ink_status build_sketch(const golden_entry *entry, ink_sketch **sketch, ink_error *error)
{
    ink_status status = ink_sketch_create(sketch, &entry->params, NULL, error);

    for (uint64_t i = entry->first_key; status == INK_OK && i < entry->first_key + entry->keys;
         i++) {
        uint8_t key[32];
        if (entry->params.key_type == INK_KEY_INT)
            status = ink_sketch_add_int(*sketch, golden_int(i), error);
        else
            status = ink_sketch_add(*sketch, key, golden_key(i, key), error);
    }
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
        status = ink_encode(&(ink_contents){.entries = entries,
                                            .entry_count = built,
                                            .sections = golden->sections,
                                            .section_count = golden->section_count},
                            bytes, count, error);
    while (built > 0)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[--built].sketch);
    return status;
}
