/* save_test.c - the public calls that write: labelled sketches in order, a file whole or not at
 * all, and one digest for equal contents. */
#include "inkling.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <errno.h>
#include <stdio.h>

static ink_error error;

static const ink_params hll = {.kind = "hll", .precision = 6};

/* Opens the encoding of these contents; the bytes must be freed after the file. */
static ink_file *encode_and_open(const ink_contents *contents, uint8_t **bytes, size_t *count)
{
    ink_file *file;

    CHECK_OK(ink_encode(contents, bytes, count, &error));
    CHECK_OK(ink_file_decode(&file, *bytes, *count, INK_OPEN_CHECKED, NULL, &error));
    return file;
}

/* ---- Every kind --------------------------------------------------------------------------- */

static const ink_params every_kind[] = {
    {.kind = "bloom", .expected_keys = 100},
    {.kind = "classic", .expected_keys = 100},
    {.kind = "counting", .expected_keys = 100},
    {.kind = "scalable", .expected_keys = 10},
    {.kind = "count-min", .width = 50, .depth = 3},
    {.kind = "top", .phi = 0.02},
    {.kind = "fm"},
    {.kind = "hll", .precision = 6},
};
enum { EVERY_KIND = sizeof every_kind / sizeof every_kind[0] };

TEST(sketches_of_all_kinds_share_a_file_in_the_order_of_their_ids)
{
    ink_sketch *sketches[EVERY_KIND];
    ink_entry   entries[2 * EVERY_KIND];
    uint8_t    *bytes;
    size_t      count;

    for (unsigned i = 0; i < EVERY_KIND; i++) {
        sketches[i] = files_sketch(&every_kind[i], i, 60, NULL);
        unsigned location = EVERY_KIND - 1 - i; /* in the wrong order */
        entries[location] = (ink_entry){.label = ink_group("b"), .sketch = sketches[i]};
        entries[EVERY_KIND + i] = (ink_entry){.label = ink_group("a"), .sketch = sketches[i]};
    }
    ink_file *file = encode_and_open(
        &(ink_contents){.entries = entries, .entry_count = 2 * EVERY_KIND}, &bytes, &count);
    assert_int_equal(ink_file_count(file), 2 * EVERY_KIND);
    for (unsigned i = 0; i < 2 * EVERY_KIND; i++) {
        ink_entry_info info;
        SKETCH        *view = NULL, *copy = NULL;
        CHECK_OK(ink_file_entry(file, i, &info, &error));
        assert_string_equal(info.kind, ink_kind_name(i / 2));
        assert_memory_equal(info.label.group, i % 2 == 0 ? "a" : "b", 1);
        CHECK(info.records == 60 && info.bytes == sketches_describe(sketches[i / 2]).bytes);
        CHECK_OK(ink_file_sketch(file, i, &view, &error));
        CHECK(sketches_equal(view, sketches[i / 2]));
        CHECK_OK(ink_sketch_copy(&copy, view, NULL, &error));
        CHECK(sketches_equal(copy, sketches[i / 2]));
    }
    ink_file_close(file);
    ink_bytes_free(bytes, count, NULL);
    for (unsigned i = 0; i < EVERY_KIND; i++)
        ink_sketch_free(sketches[i]);
}

TEST(a_sketch_of_every_kind_is_saved_loaded_and_known_by_its_digest)
{
    for (unsigned i = 0; i < EVERY_KIND; i++)
        for (uint64_t keys = 0; keys <= 300; keys += 100) {
            SKETCH *sketch = files_sketch(&every_kind[i], 0, keys, NULL), *loaded = NULL;
            uint8_t digests[3][INK_DIGEST_BYTES];
            CHECK_OK(ink_sketch_save(sketch, "kind.ink", &error));
            CHECK_OK(ink_sketch_load(&loaded, "kind.ink", NULL, &error));
            CHECK(sketches_equal(sketch, loaded));
            CHECK_OK(ink_sketch_digest(sketch, digests[0], &error));
            CHECK_OK(ink_sketch_digest(loaded, digests[1], &error));
            assert_memory_equal(digests[0], digests[1], INK_DIGEST_BYTES);
            CHECK_OK(ink_sketch_add(loaded, "one more", 8, &error));
            CHECK_OK(ink_sketch_digest(loaded, digests[2], &error));
            assert_memory_not_equal(digests[0], digests[2], INK_DIGEST_BYTES);
        }
    assert_int_equal(remove("kind.ink"), 0);
}

TEST(every_refusal_of_memory_while_encoding_any_kind_is_clean)
{
    for (unsigned i = 0; i < EVERY_KIND; i++)
        for (uint64_t nth = 1;; nth++) {
            faults_memory memory = {0};
            ink_allocator allocator = faults_allocator(&memory);
            ink_sketch   *sketch = files_sketch(&every_kind[i], 0, 50, &allocator);
            uint8_t      *bytes = NULL;
            size_t        count = 0;
            memory.refuse_at = memory.asked + nth;
            ink_status status = ink_sketch_encode(sketch, &bytes, &count, &error);
            assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
            CHECK((bytes == NULL) == (status != INK_OK));
            ink_bytes_free(bytes, count, &allocator);
            ink_sketch_free(sketch);
            faults_check_no_leak(&memory);
            if (memory.refused == 0)
                break;
        }
}

/* ---- Order -------------------------------------------------------------------------------- */

enum { GROUPS = 100 };

/* A step through 0 to 99 that looks like chance. */
static unsigned shuffled(unsigned i)
{
    return (i * 37 + 11) % GROUPS;
}

TEST(a_hundred_groups_in_random_order_are_sorted)
{
    ink_sketch *sketches[GROUPS];
    ink_entry   entries[GROUPS];
    char        names[GROUPS][16];
    uint8_t    *bytes;
    size_t      count, index;

    for (unsigned i = 0; i < GROUPS; i++) {
        unsigned number = shuffled(i);
        snprintf(names[i], sizeof names[i], "%u", number);
        sketches[i] = files_sketch(&hll, number, 1 + number, NULL);
        entries[i] = (ink_entry){.label = ink_group(names[i]), .sketch = sketches[i]};
    }
    ink_file *file =
        encode_and_open(&(ink_contents){.entries = entries, .entry_count = GROUPS}, &bytes, &count);
    assert_int_equal(ink_file_count(file), GROUPS);
    char before[16] = "";
    for (size_t i = 0; i < GROUPS; i++) {
        ink_entry_info info;
        char           name[16] = "";
        CHECK_OK(ink_file_entry(file, i, &info, &error));
        memcpy(name, info.label.group, info.label.group_bytes);
        CHECK(strcmp(before, name) < 0);
        CHECK(info.records == 1 + strtoul(name, NULL, 10));
        memcpy(before, name, sizeof before);
    }
    for (unsigned i = 0; i < GROUPS; i++) {
        SKETCH *found = NULL;
        CHECK_OK(ink_file_find(file, "hll", &entries[i].label, &index, &error));
        CHECK_OK(ink_file_sketch(file, index, &found, &error));
        CHECK(sketches_equal(found, sketches[i]));
        ink_sketch_free(sketches[i]);
    }
    ink_file_close(file);
    ink_bytes_free(bytes, count, NULL);
}

TEST(the_order_of_the_entries_does_not_change_the_bytes)
{
    SKETCH     *sketch = files_sketch(&hll, 0, 5, NULL);
    ink_entry   rising[7], falling[7];
    const char *names[] = {"a", "b", "c", "d", "e", "f", "g"};
    uint8_t    *one, *two;
    size_t      count, again;

    for (int i = 0; i < 7; i++)
        rising[i] = falling[6 - i] = (ink_entry){.label = ink_group(names[i]), .sketch = sketch};
    CHECK_OK(
        ink_encode(&(ink_contents){.entries = rising, .entry_count = 7}, &one, &count, &error));
    CHECK_OK(
        ink_encode(&(ink_contents){.entries = falling, .entry_count = 7}, &two, &again, &error));
    assert_int_equal(count, again);
    assert_memory_equal(one, two, count);
    ink_bytes_free(one, count, NULL);
    ink_bytes_free(two, again, NULL);
}

/* The bytes that each of 20,000 groups with ten keys takes. */
static double bytes_a_group(const ink_params *params)
{
    enum { MANY = 20000 };
    ink_entry *entries = calloc(MANY, sizeof *entries);
    char(*names)[16] = calloc(MANY, sizeof *names);
    uint8_t *bytes;
    size_t   count;

    assert_non_null(entries);
    assert_non_null(names);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "group-%u", i);
        entries[i] = (ink_entry){.label = ink_group(names[i]),
                                 .sketch = files_sketch(params, 10 * i, 10, NULL)};
    }
    ink_file *file =
        encode_and_open(&(ink_contents){.entries = entries, .entry_count = MANY}, &bytes, &count);
    assert_int_equal(ink_file_count(file), MANY);
    ink_file_close(file);
    ink_bytes_free(bytes, count, NULL);
    for (unsigned i = 0; i < MANY; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    free(entries);
    free(names);
    return (double)count / MANY;
}

TEST(small_groups_take_under_a_hundred_bytes_each)
{
    const ink_params bloom = {.kind = "bloom", .expected_keys = 10}, default_hll = {.kind = "hll"};

    CHECK(bytes_a_group(&bloom) < 100);
    CHECK(bytes_a_group(&default_hll) < 100);
}

/* ---- Labels ------------------------------------------------------------------------------- */

TEST(every_sort_of_label_is_kept)
{
    const ink_label labels[] = {
        {0},
        {.has_slot = true, .slot = INT64_MIN},
        {.has_slot = true, .slot = -60000000},
        {.has_slot = true, .slot = 0},
        {.group_kind = INK_GROUP_NULL},
        {.group_kind = INK_GROUP_NULL, .has_slot = true, .slot = INT64_MAX},
        {.group_kind = INK_GROUP_BYTES}, /* the empty name, with no pointer */
        {.group_kind = INK_GROUP_BYTES, .group = "\0\xff", .group_bytes = 2},
        {.group_kind = INK_GROUP_BYTES,
         .group = "a",
         .group_bytes = 1,
         .has_slot = true,
         .slot = -1},
    };
    enum { LABELS = sizeof labels / sizeof labels[0] };
    SKETCH   *sketch = files_sketch(&hll, 0, 5, NULL);
    ink_entry entries[LABELS];
    uint8_t  *bytes;
    size_t    count;

    for (int i = 0; i < LABELS; i++)
        entries[i] = (ink_entry){.label = labels[i], .sketch = sketch};
    OPENED *file =
        encode_and_open(&(ink_contents){.entries = entries, .entry_count = LABELS}, &bytes, &count);
    for (size_t i = 0; i < LABELS; i++) {
        ink_entry_info info;
        size_t         index;
        CHECK_OK(ink_file_find(file, NULL, &labels[i], &index, &error));
        assert_int_equal(index, i);
        CHECK_OK(ink_file_entry(file, i, &info, &error));
        CHECK(info.label.group_kind == labels[i].group_kind);
        CHECK(info.label.group_bytes == labels[i].group_bytes);
        CHECK(info.label.has_slot == labels[i].has_slot && info.label.slot == labels[i].slot);
    }
    ink_bytes_free(bytes, count, NULL);
}

TEST(a_group_is_made_from_text)
{
    ink_label label = ink_group("bee");

    CHECK(label.group_kind == INK_GROUP_BYTES && label.group_bytes == 3 && !label.has_slot);
    assert_memory_equal(label.group, "bee", 3);
}

/* Two entries with these labels cannot be written. */
static void check_refused(const ink_label *a, const ink_label *b, const char *words)
{
    SKETCH         *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry entries[] = {{.label = *a, .sketch = sketch}, {.label = *b, .sketch = sketch}};
    uint8_t        *bytes;
    size_t          count;

    CHECK_FAILS(
        ink_encode(&(ink_contents){.entries = entries, .entry_count = 2}, &bytes, &count, &error),
        INK_USAGE, words);
}

TEST(the_same_label_twice_is_refused_by_its_name)
{
    const ink_label none = {0}, null_group = {.group_kind = INK_GROUP_NULL};
    const ink_label named = ink_group("south\n");

    check_refused(&named, &named,
                  "two sketches of kind hll with the same label (group \"south\\x0a\")");
    check_refused(&none, &none, "two sketches of kind hll with the same label (no group)");
    check_refused(&null_group, &null_group, "two sketches of kind hll with the same label");
}

TEST(a_group_name_of_65536_bytes_is_refused_one_less_is_not)
{
    static char name[65536];
    ink_label   long_name = {.group_kind = INK_GROUP_BYTES, .group = name, .group_bytes = 65536};
    SKETCH     *sketch = files_sketch(&hll, 0, 5, NULL);
    uint8_t    *bytes;
    size_t      count, index;

    check_refused(&long_name, &long_name, "a group name of 65536 bytes, expected at most 65535");
    long_name.group_bytes = 65535;
    const ink_entry entry = {.label = long_name, .sketch = sketch};
    OPENED         *file =
        encode_and_open(&(ink_contents){.entries = &entry, .entry_count = 1}, &bytes, &count);
    CHECK_OK(ink_file_find(file, NULL, &long_name, &index, &error));
    ink_bytes_free(bytes, count, NULL);
}

TEST(a_group_kind_that_does_not_exist_is_refused)
{
    const ink_label wrong = {.group_kind = (ink_group_kind)3}, none = {0};

    check_refused(&none, &wrong, "group kind 3, expected 0 to 2");
}

/* ---- What goes together ------------------------------------------------------------------- */

TEST(sketches_of_different_key_rules_do_not_share_a_file)
{
    const ink_params seeded = {.kind = "hll", .seed = 3};
    const ink_params mmh3 = {.kind = "classic", .bits = 8, .hashes = 1, .hash = "mmh3"};
    const ink_params is_signed = {.kind = "classic", .bits = 8, .hashes = 1, .hash = "mmh3-signed"};
    SKETCH          *a = files_sketch(&hll, 0, 5, NULL), *b = files_sketch(&seeded, 0, 5, NULL);
    SKETCH          *c = files_sketch(&mmh3, 0, 5, NULL), *d = files_sketch(&is_signed, 0, 5, NULL);
    const ink_entry  seeds[] = {{.sketch = a}, {.label = ink_group("b"), .sketch = b}};
    const ink_entry  hashes[] = {{.sketch = c}, {.label = ink_group("d"), .sketch = d}};
    uint8_t         *bytes;
    size_t           count;

    CHECK_FAILS(
        ink_encode(&(ink_contents){.entries = seeds, .entry_count = 2}, &bytes, &count, &error),
        INK_MISMATCH, "seeds differ");
    CHECK_FAILS(
        ink_encode(&(ink_contents){.entries = hashes, .entry_count = 2}, &bytes, &count, &error),
        INK_MISMATCH, "hashes differ: mmh3 and mmh3-signed");
}

TEST(a_file_without_entries_is_written_and_read)
{
    uint8_t *bytes;
    size_t   count, index;

    OPENED *file = encode_and_open(&(ink_contents){.entry_count = 0}, &bytes, &count);
    assert_int_equal(count, 160);
    assert_int_equal(ink_file_count(file), 0);
    CHECK_FAILS(ink_file_find(file, NULL, NULL, &index, &error), INK_NOT_FOUND,
                "the file has no sketch");
    ink_bytes_free(bytes, count, NULL);
}

TEST(sections_that_do_not_rise_are_refused)
{
    const ink_section sections[] = {{.id = 3}, {.id = 2}};
    uint8_t          *bytes;
    size_t            count;

    CHECK_FAILS(ink_encode(&(ink_contents){.sections = sections, .section_count = 2}, &bytes,
                           &count, &error),
                INK_USAGE, "section 2 after section 3, expected rising ids");
}

TEST(a_damaged_view_is_not_written)
{
    const ink_params bloom = {.kind = "bloom", .bits = 8192};
    SKETCH          *sketch = files_sketch(&bloom, 0, 5, NULL);
    VIEW             view = sketches_view_of(sketch, INK_OPEN_LAZY);
    uint8_t         *bytes, digest[INK_DIGEST_BYTES];
    size_t           count;

    CHECK_OK(ink_sketch_digest(view.sketch, digest, &error));
    view.bytes[files_payload_at(view.bytes)] ^= 1;
    CHECK_FAILS(ink_sketch_encode(view.sketch, &bytes, &count, &error), INK_FORMAT, "is damaged");
    CHECK_FAILS(ink_sketch_save(view.sketch, "x.ink", &error), INK_FORMAT, "is damaged");
    CHECK_FAILS(ink_sketch_digest(view.sketch, digest, &error), INK_FORMAT, "is damaged");
    assert_int_equal(faults_names_here(), 0);
}

/* ---- Digests ------------------------------------------------------------------------------ */

TEST(the_digest_of_a_sketch_is_that_of_its_file)
{
    SKETCH           *sketch = files_sketch(&hll, 0, 50, NULL);
    const ink_entry   entry = {.sketch = sketch};
    const ink_section section = {.id = 1, .bytes = (const uint8_t *)"x", .count = 1};
    uint8_t          *bytes, of_sketch[INK_DIGEST_BYTES], of_file[INK_DIGEST_BYTES];
    size_t            count;

    /* sections are no part of it */
    OPENED *file = encode_and_open(
        &(ink_contents){
            .entries = &entry, .entry_count = 1, .sections = &section, .section_count = 1},
        &bytes, &count);
    CHECK_OK(ink_sketch_digest(sketch, of_sketch, &error));
    CHECK_OK(ink_file_digest(file, of_file, &error));
    assert_memory_equal(of_sketch, of_file, INK_DIGEST_BYTES);
    CHECK_OK(ink_sketch_add(sketch, "more", 4, &error));
    CHECK_OK(ink_sketch_digest(sketch, of_sketch, &error));
    assert_memory_not_equal(of_sketch, of_file, INK_DIGEST_BYTES);
    ink_bytes_free(bytes, count, NULL);
}

/* ---- Failures ----------------------------------------------------------------------------- */

TEST(every_refusal_of_memory_while_encoding_is_clean)
{
    for (uint64_t nth = 1;; nth++) {
        faults_memory   memory = {0};
        ink_allocator   allocator = faults_allocator(&memory);
        ink_sketch     *sketch = files_sketch(&hll, 0, 50, &allocator);
        const ink_entry entries[] = {{.sketch = sketch},
                                     {.label = ink_group("b"), .sketch = sketch}};
        uint64_t        live = memory.live_blocks;
        uint8_t        *bytes, digest[INK_DIGEST_BYTES];
        size_t          count;

        memory.refuse_at = memory.asked + nth;
        ink_status status = ink_encode(
            &(ink_contents){.entries = entries, .entry_count = 2, .allocator = &allocator}, &bytes,
            &count, &error);
        bool refused = memory.refused > 0;
        assert_int_equal(status, refused ? INK_MEMORY : INK_OK);
        if (status == INK_OK)
            ink_bytes_free(bytes, count, &allocator);
        CHECK(memory.live_blocks == live);
        memory.refused = 0;
        memory.refuse_at = memory.asked + nth;
        status = ink_sketch_digest(sketch, digest, &error);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        CHECK(memory.live_blocks == live);
        memory.refuse_at = 0;
        ink_sketch_free(sketch);
        faults_check_no_leak(&memory);
        if (!refused)
            break;
    }
}

static bool file_is(const char *path, uint64_t records)
{
    SKETCH *sketch = NULL;

    CHECK_OK(ink_sketch_load(&sketch, path, NULL, &error));
    bool same = sketches_describe(sketch).records == records;
    return same;
}

TEST(every_failure_of_the_system_leaves_the_old_file_or_the_whole_new_one)
{
    SKETCH  *old = files_sketch(&hll, 0, 5, NULL), *new = files_sketch(&hll, 0, 9, NULL);
    unsigned in_place = 0, failures = 0;

    for (unsigned nth = 1;; nth++) {
        CHECK_OK(ink_sketch_save(old, "a.ink", &error));
        faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO});
        ink_status status = ink_sketch_save(new, "a.ink", &error);
        bool       struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_names_here(), 1);
        if (!struck) {
            assert_int_equal(status, INK_OK);
            CHECK(file_is("a.ink", 9));
            break;
        }
        if (status != INK_OK) { /* closing the folder may fail unnoticed */
            assert_int_equal(status, INK_IO);
            assert_int_equal(error.os_error, EIO);
            failures++;
        }
        bool replaced = file_is("a.ink", 9);
        CHECK(replaced || file_is("a.ink", 5));
        if (status != INK_OK && replaced) {
            in_place++;
            CHECK(strstr(error.message, "the file is in place, but") != NULL);
        }
    }
    CHECK(failures > 5);
    assert_int_equal(in_place, 2); /* the folder could not be opened, or not synced */
    assert_int_equal(remove("a.ink"), 0);
}

TEST(contents_that_are_refused_leave_no_temporary_file)
{
    SKETCH         *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry twice[] = {{.sketch = sketch}, {.sketch = sketch}};

    CHECK_FAILS(ink_save("a.ink", &(ink_contents){.entries = twice, .entry_count = 2}, &error),
                INK_USAGE, "with the same label");
    assert_int_equal(faults_names_here(), 0);
}

TEST(a_file_is_saved_with_the_same_bytes_as_encoded)
{
    SKETCH         *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry entries[] = {{.sketch = sketch}, {.label = ink_group("b"), .sketch = sketch}};
    ink_contents    contents = {.entries = entries, .entry_count = 2};
    uint8_t        *bytes, saved[4096];
    size_t          count;

    CHECK_OK(ink_encode(&contents, &bytes, &count, &error));
    CHECK_OK(ink_save("a.ink", &contents, &error));
    FILE *in = fopen("a.ink", "rb");
    assert_non_null(in);
    assert_int_equal(fread(saved, 1, sizeof saved, in), count);
    fclose(in);
    assert_memory_equal(saved, bytes, count);
    assert_int_equal(remove("a.ink"), 0);
    ink_bytes_free(bytes, count, NULL);
}

TEST(every_call_fails_as_well_without_an_error_to_fill)
{
    SKETCH         *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry twice[] = {{.sketch = sketch}, {.sketch = sketch}};
    ink_contents    contents = {.entries = twice, .entry_count = 2};
    uint8_t        *bytes;
    size_t          count;

    CHECK(ink_encode(&contents, &bytes, &count, NULL) == INK_USAGE);
    CHECK(ink_save("a.ink", &contents, NULL) == INK_USAGE);
    CHECK(ink_save("no/such/folder/a.ink", &contents, NULL) == INK_IO);
    CHECK(ink_sketch_save(sketch, "no/such/folder/a.ink", NULL) == INK_IO);
    assert_int_equal(faults_names_here(), 0);
}

TEST(many_views_of_an_unchecked_file_are_written_and_damage_is_found)
{
    enum { VIEWS = 100 };
    const ink_params params = {.kind = "bloom", .bits = 256 * 1024};
    ink_entry        entries[VIEWS];
    char             names[VIEWS][16];
    uint8_t         *bytes, *again;
    size_t           count, again_count;
    ink_file        *file;

    /* 100 payloads of 32 KiB: four pieces */
    for (int i = 0; i < VIEWS; i++) {
        snprintf(names[i], sizeof names[i], "%02d", i);
        entries[i] = (ink_entry){.label = ink_group(names[i]),
                                 .sketch = files_sketch(&params, (uint64_t)i, 5, NULL)};
    }
    const ink_contents contents = {.entries = entries, .entry_count = VIEWS};
    CHECK_OK(ink_encode(&contents, &bytes, &count, &error));
    for (int i = 0; i < VIEWS; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);

    CHECK_OK(ink_file_decode(&file, bytes, count, INK_OPEN_LAZY, NULL, &error));
    for (size_t i = 0; i < VIEWS; i++) {
        ink_sketch *view;
        CHECK_OK(ink_file_sketch(file, i, &view, &error));
        entries[i].sketch = view;
    }
    CHECK_OK(ink_encode(&contents, &again, &again_count, &error));
    assert_int_equal(again_count, count);
    assert_memory_equal(again, bytes, count);
    ink_bytes_free(again, again_count, NULL);

    for (uint64_t at = files_payload_at(bytes); at < files_sections_at(bytes); at += 500000) {
        bytes[at] ^= 1;
        CHECK_FAILS(ink_encode(&contents, &again, &again_count, &error), INK_FORMAT, "checksum");
        bytes[at] ^= 1;
    }
    for (int i = 0; i < VIEWS; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    ink_file_close(file);
    ink_bytes_free(bytes, count, NULL);
}

TEST(an_entry_without_a_sketch_is_refused_before_a_file_is_made)
{
    const ink_entry    entry = {.label = {.has_slot = true}};
    const ink_contents contents = {.entries = &entry, .entry_count = 1};

    CHECK_FAILS(ink_save("x.ink", &contents, &error), INK_USAGE, "entry 0 has no sketch");
    assert_int_equal(faults_names_here(), 0);
}

RUN_TESTS
