/* golden_test.c - the files of tests/golden: what is built today is byte for byte what stands
 * there, and every one of them opens and holds its keys. */
#include "support/check.h"
#include "support/golden.h"
#include "support/sketches.h"

#include <stdio.h>

static ink_error error;

/* Reads tests/golden/NAME SUFFIX of the source tree, with a NUL behind it; to be freed. */
static uint8_t *read_golden(const char *name, const char *suffix, size_t *count)
{
    const char *source = getenv("INK_SOURCE");
    char        path[512];

    assert_non_null(source); /* run_tests.sh sets it */
    snprintf(path, sizeof path, "%s/tests/golden/%s%s", source, name, suffix);
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        fail_msg("cannot open %s", path);
    fseek(in, 0, SEEK_END);
    *count = (size_t)ftell(in);
    rewind(in);
    uint8_t *bytes = calloc(1, *count + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *count, in), *count);
    fclose(in);
    return bytes;
}

static void golden_path(const char *name, char path[512])
{
    snprintf(path, 512, "%s/tests/golden/%s.ink", getenv("INK_SOURCE"), name);
}

/* ---- Bytes -------------------------------------------------------------------------------- */

TEST(every_file_is_built_byte_for_byte)
{
    for (size_t i = 0; golden_at(i) != NULL; i++) {
        const golden_file *golden = golden_at(i);
        uint8_t           *built;
        size_t             built_count, count;
        uint8_t           *stored = read_golden(golden->name, ".ink", &count);
        CHECK_OK(golden_build(golden, &built, &built_count, &error));
        if (built_count != count || memcmp(built, stored, count) != 0)
            fail_msg("%s.ink is built with other bytes than it has", golden->name);
        ink_bytes_free(built, built_count, NULL);
        free(stored);
    }
}

TEST(every_digest_is_the_one_in_the_json)
{
    for (size_t i = 0; golden_at(i) != NULL; i++) {
        const char *name = golden_at(i)->name;
        char        path[512], text[2 * INK_DIGEST_BYTES + 16];
        uint8_t     digest[INK_DIGEST_BYTES];
        size_t      count;
        uint8_t    *json = read_golden(name, ".json", &count);
        ink_file   *file;
        golden_path(name, path);
        CHECK_OK(ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, &error));
        CHECK_OK(ink_file_digest(file, digest, &error));
        int used = snprintf(text, sizeof text, "\"digest\": \"");
        for (int b = 0; b < INK_DIGEST_BYTES; b++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%02x", digest[b]);
        if (strstr((const char *)json, text) == NULL)
            fail_msg("%s.json does not have %s", name, text);
        ink_file_close(file);
        free(json);
    }
}

/* ---- Contents ----------------------------------------------------------------------------- */

static void check_keys(const golden_entry *entry, const ink_sketch *sketch)
{
    uint64_t first = entry->first_key + entry->removed;
    uint64_t end = entry->first_key + entry->keys + entry->joined + entry->later;

    for (uint64_t i = first; i < end; i++) {
        uint8_t key[GOLDEN_KEY_ROOM];
        bool    maybe = false;
        if (entry->params.key_type == INK_KEY_INT)
            CHECK_OK(ink_sketch_contains_int(sketch, golden_int(i), &maybe, &error));
        else
            CHECK_OK(ink_sketch_contains(sketch, key, golden_key(i, key), &maybe, &error));
        CHECK(maybe);
    }
}

/* How often key number `index` of the entry, the joined ones included, was added. */
static double true_count(const golden_entry *entry, uint64_t index)
{
    uint64_t rounds = entry->rounds == 0 ? 1 : entry->rounds;
    double   count = 0;

    if (index >= entry->keys)
        return (double)golden_weight(entry, index - entry->keys);
    for (uint64_t r = 0; r < rounds; r++)
        count += (double)golden_weight(entry, r * entry->keys + index);
    return count;
}

static void check_counts(const golden_entry *entry, const ink_sketch *sketch)
{
    for (uint64_t i = 0; i < entry->keys + entry->joined; i++) {
        uint8_t    key[GOLDEN_KEY_ROOM];
        uint64_t   number = entry->first_key + i;
        ink_answer answer;
        if (entry->params.key_type == INK_KEY_INT)
            CHECK_OK(ink_sketch_count_int(sketch, golden_int(number), &answer, &error));
        else
            CHECK_OK(ink_sketch_count(sketch, key, golden_key(number, key), &answer, &error));
        CHECK(answer.high >= true_count(entry, i));
        CHECK(answer.confidence < 1 || answer.low <= true_count(entry, i));
    }
}

static void check_entry(const ink_file *file, const golden_entry *entry, bool writable)
{
    ink_sketch *sketch;
    size_t      index;

    CHECK_OK(ink_file_find(file, entry->params.kind, &entry->label, &index, &error));
    CHECK_OK(ink_file_sketch(file, index, &sketch, &error));
    ink_description d = sketches_describe(sketch);
    assert_string_equal(d.kind, entry->params.kind);
    CHECK(d.records == golden_records(entry) && d.read_only != writable);
    if (entry->params.secret != NULL)
        CHECK_OK(ink_sketch_unlock(sketch, entry->params.secret, &error));
    if (golden_is_filter(d.kind))
        check_keys(entry, sketch);
    if (strcmp(d.kind, "count-min") == 0 || strcmp(d.kind, "top") == 0)
        check_counts(entry, sketch);
    ink_sketch_free(sketch);
}

static void check_every_file(unsigned flags)
{
    for (size_t i = 0; golden_at(i) != NULL; i++) {
        const golden_file *golden = golden_at(i);
        char               path[512];
        ink_file          *file;
        golden_path(golden->name, path);
        CHECK_OK(ink_file_open(&file, path, flags, NULL, &error));
        assert_int_equal(ink_file_count(file), golden->entry_count);
        for (size_t e = 0; e < golden->entry_count; e++)
            check_entry(file, &golden->entries[e], (flags & INK_OPEN_COPY) != 0);
        for (size_t s = 0; s < golden->section_count; s++) {
            ink_section section;
            CHECK_OK(ink_file_section(file, s, &section, &error));
            CHECK(section.id == golden->sections[s].id);
            CHECK(section.critical == golden->sections[s].critical);
            CHECK(section.bytes == golden->sections[s].bytes);
        }
        ink_file_close(file);
    }
}

TEST(every_file_opens_checked_and_holds_its_keys)
{
    check_every_file(INK_OPEN_CHECKED);
}

TEST(every_file_opens_lazily_and_holds_its_keys)
{
    check_every_file(INK_OPEN_LAZY);
}

TEST(every_file_opens_as_a_copy_and_holds_its_keys)
{
    check_every_file(INK_OPEN_COPY);
    check_every_file(INK_OPEN_COPY | INK_OPEN_LAZY);
}

RUN_TESTS()
