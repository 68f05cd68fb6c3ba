/* save_test.c - the public calls that write: labelled sketches in order, a file whole or not at
 * all, and one digest for equal contents. */
#include "inkling_file.h"

#include "jobs/runtime/accounting.h"
#include "sketch/internal.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <errno.h>
#include <stdio.h>

static ink_error error;

static const ink_params hll = {.kind = "hll", .precision = 6};

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
    {.kind = "theta", .precision = 4},
};
enum { EVERY_KIND = sizeof every_kind / sizeof every_kind[0] };

TEST(sketches_of_all_kinds_share_a_file_in_the_order_of_their_ids)
{
    ink_sketch *sketches[EVERY_KIND];
    ink_entry   entries[2 * EVERY_KIND];

    for (unsigned i = 0; i < EVERY_KIND; i++) {
        sketches[i] = files_sketch(&every_kind[i], i, 60, NULL);
        unsigned location = EVERY_KIND - 1 - i; /* in the wrong order */
        entries[location] = (ink_entry){.label = ink_group("b"), .sketch = sketches[i]};
        entries[EVERY_KIND + i] = (ink_entry){.label = ink_group("a"), .sketch = sketches[i]};
    }
    owned_view saved = sketches_view_entries(entries, 2 * EVERY_KIND, INK_OPEN_CHECKED);
    assert_int_equal(ink_file_count(saved.file), 2 * EVERY_KIND);
    for (unsigned i = 0; i < 2 * EVERY_KIND; i++) {
        ink_entry_info info;
        owned_sketch  *view = NULL, *copy = NULL;
        CHECK_OK(ink_file_entry(saved.file, i, &info, &error));
        assert_string_equal(info.kind, ink_kind_name(i / 2));
        assert_memory_equal(info.label.group, i % 2 == 0 ? "a" : "b", 1);
        CHECK(info.records == 60 && info.bytes == sketches_describe(sketches[i / 2]).bytes);
        CHECK_OK(ink_file_sketch(saved.file, i, &view, &error));
        CHECK(sketches_equal(view, sketches[i / 2]));
        CHECK_OK(ink_sketch_copy(&copy, view, NULL, &error));
        CHECK(sketches_equal(copy, sketches[i / 2]));
    }
    for (unsigned i = 0; i < EVERY_KIND; i++)
        ink_sketch_free(sketches[i]);
}

TEST(a_sketch_of_every_kind_is_saved_loaded_and_known_by_its_digest)
{
    for (unsigned i = 0; i < EVERY_KIND; i++)
        for (uint64_t keys = 0; keys <= 300; keys += 100) {
            owned_sketch *sketch = files_sketch(&every_kind[i], 0, keys, NULL), *loaded = NULL;
            uint8_t       digests[3][INK_DIGEST_BYTES];
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
        for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
            owned_sketch *sketch = files_sketch(&every_kind[i], 0, 50, &run.allocator);
            uint8_t      *bytes = NULL;
            size_t        count = 0;
            faults_refuse_now(&run);
            ink_status status = ink_sketch_encode(sketch, &bytes, &count, &error);
            CHECK((bytes == NULL) == faults_check_refused(&run, status));
            ink_bytes_free(bytes, count, &run.allocator);
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
    size_t      index;

    for (unsigned i = 0; i < GROUPS; i++) {
        unsigned number = shuffled(i);
        snprintf(names[i], sizeof names[i], "%u", number);
        sketches[i] = files_sketch(&hll, number, 1 + number, NULL);
        entries[i] = (ink_entry){.label = ink_group(names[i]), .sketch = sketches[i]};
    }
    owned_view saved = sketches_view_entries(entries, GROUPS, INK_OPEN_CHECKED);
    assert_int_equal(ink_file_count(saved.file), GROUPS);
    char before[16] = "";
    for (size_t i = 0; i < GROUPS; i++) {
        ink_entry_info info;
        char           name[16] = "";
        CHECK_OK(ink_file_entry(saved.file, i, &info, &error));
        memcpy(name, info.label.group, info.label.group_bytes);
        CHECK(strcmp(before, name) < 0);
        CHECK(info.records == 1 + strtoul(name, NULL, 10));
        memcpy(before, name, sizeof before);
    }
    for (unsigned i = 0; i < GROUPS; i++) {
        owned_sketch *found = NULL;
        CHECK_OK(ink_file_find(saved.file, "hll", &entries[i].label, &index, &error));
        CHECK_OK(ink_file_sketch(saved.file, index, &found, &error));
        CHECK(sketches_equal(found, sketches[i]));
        ink_sketch_free(sketches[i]);
    }
}

TEST(the_order_of_the_entries_does_not_change_the_bytes)
{
    owned_sketch *sketch = files_sketch(&hll, 0, 5, NULL);
    ink_entry     rising[7], falling[7];
    const char   *names[] = {"a", "b", "c", "d", "e", "f", "g"};

    for (int i = 0; i < 7; i++)
        rising[i] = falling[6 - i] = (ink_entry){.label = ink_group(names[i]), .sketch = sketch};
    owned_snapshot one = sketches_encode(&(ink_contents){.entries = rising, .entry_count = 7});
    owned_snapshot two = sketches_encode(&(ink_contents){.entries = falling, .entry_count = 7});
    assert_int_equal(one.count, two.count);
    assert_memory_equal(one.bytes, two.bytes, one.count);
}

/* The bytes that each of 20,000 groups with ten keys takes. */
static double bytes_a_group(const ink_params *params)
{
    enum { MANY = 20000 };
    ink_entry *entries = calloc(MANY, sizeof *entries);
    char(*names)[16] = calloc(MANY, sizeof *names);

    assert_non_null(entries);
    assert_non_null(names);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "group-%u", i);
        entries[i] = (ink_entry){.label = ink_group(names[i]),
                                 .sketch = files_sketch(params, 10 * i, 10, NULL)};
    }
    owned_view saved = sketches_view_entries(entries, MANY, INK_OPEN_CHECKED);
    assert_int_equal(ink_file_count(saved.file), MANY);
    for (unsigned i = 0; i < MANY; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    free(entries);
    free(names);
    return (double)saved.count / MANY;
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
    owned_sketch *sketch = files_sketch(&hll, 0, 5, NULL);
    ink_entry     entries[LABELS];

    for (int i = 0; i < LABELS; i++)
        entries[i] = (ink_entry){.label = labels[i], .sketch = sketch};
    owned_view saved = sketches_view_entries(entries, LABELS, INK_OPEN_CHECKED);
    for (size_t i = 0; i < LABELS; i++) {
        ink_entry_info info;
        size_t         index;
        CHECK_OK(ink_file_find(saved.file, NULL, &labels[i], &index, &error));
        assert_int_equal(index, i);
        CHECK_OK(ink_file_entry(saved.file, i, &info, &error));
        CHECK(info.label.group_kind == labels[i].group_kind);
        CHECK(info.label.group_bytes == labels[i].group_bytes);
        CHECK(info.label.has_slot == labels[i].has_slot && info.label.slot == labels[i].slot);
    }
}

TEST(a_group_is_made_from_text)
{
    ink_label label = ink_group("bee");

    CHECK(label.group_kind == INK_GROUP_BYTES && label.group_bytes == 3 && !label.has_slot);
    assert_memory_equal(label.group, "bee", 3);
}

/* These two entries cannot be written. */
static void check_not_encoded(const ink_entry *entries, ink_status status, const char *words)
{
    uint8_t *bytes;
    size_t   count;

    CHECK_FAILS(ink_contents_encode(&(ink_contents){.entries = entries, .entry_count = 2}, &bytes,
                                    &count, &error),
                status, words);
}

/* Two entries with these labels cannot be written. */
static void check_refused(const ink_label *a, const ink_label *b, const char *words)
{
    owned_sketch   *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry entries[] = {{.label = *a, .sketch = sketch}, {.label = *b, .sketch = sketch}};

    check_not_encoded(entries, INK_USAGE, words);
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
    static char   name[65536];
    ink_label     long_name = {.group_kind = INK_GROUP_BYTES, .group = name, .group_bytes = 65536};
    owned_sketch *sketch = files_sketch(&hll, 0, 5, NULL);
    size_t        index;

    check_refused(&long_name, &long_name, "a group name of 65536 bytes, expected at most 65535");
    long_name.group_bytes = 65535;
    const ink_entry entry = {.label = long_name, .sketch = sketch};
    owned_view      saved = sketches_view_entries(&entry, 1, INK_OPEN_CHECKED);
    CHECK_OK(ink_file_find(saved.file, NULL, &long_name, &index, &error));
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
    owned_sketch    *a = files_sketch(&hll, 0, 5, NULL), *b = files_sketch(&seeded, 0, 5, NULL);
    owned_sketch    *c = files_sketch(&mmh3, 0, 5, NULL), *d = files_sketch(&is_signed, 0, 5, NULL);
    const ink_entry  seeds[] = {{.sketch = a}, {.label = ink_group("b"), .sketch = b}};
    const ink_entry  hashes[] = {{.sketch = c}, {.label = ink_group("d"), .sketch = d}};

    check_not_encoded(seeds, INK_MISMATCH, "seeds differ");
    check_not_encoded(hashes, INK_MISMATCH, "hashes differ: mmh3 and mmh3-signed");
}

TEST(a_file_without_entries_is_written_and_read)
{
    size_t index;

    owned_view saved = sketches_view_entries(NULL, 0, INK_OPEN_CHECKED);
    assert_int_equal(saved.count, 160);
    assert_int_equal(ink_file_count(saved.file), 0);
    CHECK_FAILS(ink_file_find(saved.file, NULL, NULL, &index, &error), INK_NOT_FOUND,
                "the file has no sketch");
}

TEST(sections_that_do_not_rise_are_refused)
{
    const ink_section sections[] = {{.id = 3}, {.id = 2}};
    uint8_t          *bytes;
    size_t            count;

    CHECK_FAILS(ink_contents_encode(&(ink_contents){.sections = sections, .section_count = 2},
                                    &bytes, &count, &error),
                INK_USAGE, "section 2 after section 3, expected rising ids");
}

TEST(a_damaged_view_is_not_written)
{
    const ink_params bloom = {.kind = "bloom", .bits = 8192};
    owned_sketch    *sketch = files_sketch(&bloom, 0, 5, NULL);
    owned_view       view = sketches_view_of(sketch, INK_OPEN_LAZY);
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
    owned_sketch     *sketch = files_sketch(&hll, 0, 50, NULL);
    const ink_entry   entry = {.sketch = sketch};
    const ink_section section = {.id = 1, .data = (const uint8_t *)"x", .bytes = 1};
    owned_snapshot    saved = sketches_encode(&(ink_contents){
           .entries = &entry, .entry_count = 1, .sections = &section, .section_count = 1});
    owned_opened     *file = NULL;
    uint8_t           of_sketch[INK_DIGEST_BYTES], of_file[INK_DIGEST_BYTES];

    CHECK_OK(ink_file_decode(&file, saved.bytes, saved.count, INK_OPEN_CHECKED, NULL, &error));
    CHECK_OK(ink_sketch_digest(sketch, of_sketch, &error));
    CHECK_OK(ink_file_digest(file, of_file, &error)); /* sections are no part of it */
    assert_memory_equal(of_sketch, of_file, INK_DIGEST_BYTES);
    CHECK_OK(ink_sketch_add(sketch, "more", 4, &error));
    CHECK_OK(ink_sketch_digest(sketch, of_sketch, &error));
    assert_memory_not_equal(of_sketch, of_file, INK_DIGEST_BYTES);
}

/* ---- Failures ----------------------------------------------------------------------------- */

/* Entries that are swapped, repeated or refused, at the ends of what a thread looks at. The first
 * refusal is the one that is told. */
TEST(many_entries_are_looked_at_alike_by_any_number_of_threads)
{
    enum { COUNT = 40000 };
    static char      names[COUNT][8];
    static ink_entry entries[COUNT];
    owned_sketch    *one = files_sketch(&hll, 1, 50, NULL), *other = files_sketch(&hll, 2, 3, NULL);
    static const struct {
        size_t      swapped, repeated, bare, misnamed; /* 0: none */
        const char *message;
    } rows[] = {
        {0, 0, 0, 0, NULL},
        {4096, 0, 0, 0, NULL},
        {COUNT - 1, 0, 0, 0, NULL},
        {0, 8192, 0, 0, "two sketches of kind hll with the same label (group \"08191\")"},
        {1, 20000, 0, 0, "two sketches of kind hll with the same label (group \"19999\")"},
        {0, 0, 4095, 4097, "entry 4095 has no sketch"},
        {0, 0, 36000, 12289, "group kind 9, expected 0 to 2"},
    };

    uint8_t *alone = NULL, *bytes = NULL; /* in order, by one thread */
    size_t   alone_count = 0, count = 0;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        for (size_t i = 0; i < COUNT; i++) {
            snprintf(names[i], sizeof names[i], "%05zu", i);
            entries[i] = (ink_entry){.label = ink_group(names[i]), .sketch = i % 3 ? one : other};
        }
        if (rows[r].swapped > 0) {
            const ink_entry kept = entries[rows[r].swapped];
            entries[rows[r].swapped] = entries[rows[r].swapped - 1];
            entries[rows[r].swapped - 1] = kept;
        }
        if (rows[r].repeated > 0)
            entries[rows[r].repeated].label = entries[rows[r].repeated - 1].label;
        if (rows[r].bare > 0)
            entries[rows[r].bare].sketch = NULL;
        if (rows[r].misnamed > 0)
            entries[rows[r].misnamed].label.group_kind = (ink_group_kind)9;
        const ink_contents contents = {.entries = entries, .entry_count = COUNT};
        for (unsigned threads = 1; threads <= 64; threads *= 4) {
            const ink__crew crew = ink__crew_of(NULL, threads);
            ink_status      status = ink__contents_encode(&contents, &crew, &bytes, &count, &error);
            if (rows[r].message != NULL) {
                assert_int_equal(status, INK_USAGE);
                assert_string_equal(error.message, rows[r].message);
                continue;
            }
            CHECK_OK(status);
            if (alone == NULL) {
                alone = bytes;
                alone_count = count;
                continue;
            }
            CHECK(count == alone_count && memcmp(bytes, alone, count) == 0);
            ink_bytes_free(bytes, count, NULL);
        }
    }
    ink_bytes_free(alone, alone_count, NULL);
}

TEST(every_refusal_of_memory_while_encoding_is_clean)
{
    for (faults_refusals run = {.later = true}; faults_refusals_next(&run);) {
        owned_sketch   *sketch = files_sketch(&hll, 0, 50, &run.allocator);
        const ink_entry entries[] = {{.sketch = sketch},
                                     {.label = ink_group("b"), .sketch = sketch}};
        uint64_t        live = run.memory.live_blocks;
        uint8_t        *bytes, digest[INK_DIGEST_BYTES];
        size_t          count;

        faults_refuse_now(&run);
        ink_status status = ink_contents_encode(
            &(ink_contents){.entries = entries, .entry_count = 2, .allocator = &run.allocator},
            &bytes, &count, &error);
        if (!faults_check_refused(&run, status))
            ink_bytes_free(bytes, count, &run.allocator);
        CHECK(run.memory.live_blocks == live);
        faults_refuse_now(&run);
        faults_check_refused(&run, ink_sketch_digest(sketch, digest, &error));
        CHECK(run.memory.live_blocks == live);
    }
}

static bool file_is(const char *path, uint64_t records)
{
    owned_sketch *sketch = NULL;

    CHECK_OK(ink_sketch_load(&sketch, path, NULL, &error));
    return sketches_describe(sketch).records == records;
}

TEST(every_failure_of_the_system_leaves_the_old_file_or_the_whole_new_one)
{
    owned_sketch *old = files_sketch(&hll, 0, 5, NULL), *new = files_sketch(&hll, 0, 9, NULL);
    unsigned      in_place = 0, failures = 0;

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
    owned_sketch   *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry twice[] = {{.sketch = sketch}, {.sketch = sketch}};

    CHECK_FAILS(
        ink_contents_save("a.ink", &(ink_contents){.entries = twice, .entry_count = 2}, &error),
        INK_USAGE, "with the same label");
    assert_int_equal(faults_names_here(), 0);
}

TEST(a_file_is_saved_with_the_same_bytes_as_encoded)
{
    owned_sketch   *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry entries[] = {{.sketch = sketch}, {.label = ink_group("b"), .sketch = sketch}};
    ink_contents    contents = {.entries = entries, .entry_count = 2};
    owned_snapshot  encoded = sketches_encode(&contents);
    uint8_t         saved[4096];

    CHECK_OK(ink_contents_save("a.ink", &contents, &error));
    FILE *in = fopen("a.ink", "rb");
    assert_non_null(in);
    assert_int_equal(fread(saved, 1, sizeof saved, in), encoded.count);
    fclose(in);
    assert_memory_equal(saved, encoded.bytes, encoded.count);
    assert_int_equal(remove("a.ink"), 0);
}

TEST(every_call_fails_as_well_without_an_error_to_fill)
{
    owned_sketch   *sketch = files_sketch(&hll, 0, 5, NULL);
    const ink_entry twice[] = {{.sketch = sketch}, {.sketch = sketch}};
    ink_contents    contents = {.entries = twice, .entry_count = 2};
    uint8_t        *bytes;
    size_t          count;

    CHECK(ink_contents_encode(&contents, &bytes, &count, NULL) == INK_USAGE);
    CHECK(ink_contents_save("a.ink", &contents, NULL) == INK_USAGE);
    CHECK(ink_contents_save("no/such/folder/a.ink", &contents, NULL) == INK_IO);
    CHECK(ink_sketch_save(sketch, "no/such/folder/a.ink", NULL) == INK_IO);
    assert_int_equal(faults_names_here(), 0);
}

TEST(many_views_of_an_unchecked_file_are_written_and_damage_is_found)
{
    enum { VIEWS = 100 };
    const ink_params params = {.kind = "bloom", .bits = 256 * 1024};
    ink_entry        entries[VIEWS];
    char             names[VIEWS][16];
    uint8_t         *none;
    size_t           count;

    /* 100 payloads of 32 KiB: four pieces */
    for (int i = 0; i < VIEWS; i++) {
        snprintf(names[i], sizeof names[i], "%02d", i);
        entries[i] = (ink_entry){.label = ink_group(names[i]),
                                 .sketch = files_sketch(&params, (uint64_t)i, 5, NULL)};
    }
    const ink_contents contents = {.entries = entries, .entry_count = VIEWS};
    owned_view         all = sketches_view_entries(entries, VIEWS, INK_OPEN_LAZY);
    for (int i = 0; i < VIEWS; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);

    for (size_t i = 0; i < VIEWS; i++) {
        ink_sketch *view;
        CHECK_OK(ink_file_sketch(all.file, i, &view, &error));
        entries[i].sketch = view;
    }
    owned_snapshot again = sketches_encode(&contents);
    assert_int_equal(again.count, all.count);
    assert_memory_equal(again.bytes, all.bytes, all.count);

    uint64_t end = files_sections_at(all.bytes);
    for (uint64_t at = files_payload_at(all.bytes); at < end; at += 500000) {
        all.bytes[at] ^= 1;
        CHECK_FAILS(ink_contents_encode(&contents, &none, &count, &error), INK_FORMAT, "checksum");
        all.bytes[at] ^= 1;
    }
    for (int i = 0; i < VIEWS; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
}

TEST(an_entry_without_a_sketch_is_refused_before_a_file_is_made)
{
    const ink_entry    entry = {.label = {.has_slot = true}};
    const ink_contents contents = {.entries = &entry, .entry_count = 1};

    CHECK_FAILS(ink_contents_save("x.ink", &contents, &error), INK_USAGE, "entry 0 has no sketch");
    assert_int_equal(faults_names_here(), 0);
}

RUN_TESTS()
