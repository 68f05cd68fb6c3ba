/* merge_test.c - files are merged by kind and label as their sketches are merged by hand, folded as
 * theirs are folded by hand, and what does not fit is refused with its path. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "support/check.h"
#include "support/records.h"

#include <stdio.h>
#include <unistd.h>

static ink_error error;
static ink_job   job;
static ink_set  *set;
static unsigned  threads; /* of the job */

static const char *const paths[] = {"a.ink", "b.ink", "c.ink"};

/* ---- Files by hand ------------------------------------------------------------------------ */

enum { ENTRIES = 320 };

/* Entries on their way to a file, which own their sketches. */
typedef struct contents {
    ink_entry      entries[ENTRIES];
    size_t         count;
    const uint8_t *input_spec;
    size_t         input_spec_bytes;
} contents;

static void put(contents *to, ink_label label, ink_sketch *sketch)
{
    assert_true(to->count < ENTRIES);
    to->entries[to->count++] = (ink_entry){label, sketch};
}

static ink_sketch *sketch_at(const contents *of, size_t index)
{
    return (ink_sketch *)(uintptr_t)of->entries[index].sketch;
}

static void free_contents(contents *of)
{
    for (size_t i = 0; i < of->count; i++)
        ink_sketch_free(sketch_at(of, i));
    *of = (contents){0};
}

#define owned_contents OWNED(free_contents) contents

static ink_contents as_ink(const contents *of, ink_section *section)
{
    *section = (ink_section){
        .id = INK_SECTION_INPUT_SPEC, .data = of->input_spec, .bytes = of->input_spec_bytes};
    return (ink_contents){.entries = of->entries,
                          .entry_count = of->count,
                          .sections = section,
                          .section_count = of->input_spec_bytes > 0};
}

static void save(const contents *of, const char *path)
{
    ink_section  section;
    ink_contents all = as_ink(of, &section);

    CHECK_OK(ink_contents_save(path, &all, &error));
}

static records_digest digest_of(const contents *of)
{
    ink_section  section;
    ink_contents all = as_ink(of, &section);
    owned_file   file;

    CHECK_OK(ink_contents_encode(&all, &file.bytes, &file.count, &error));
    CHECK_OK(ink_file_decode(&file.file, file.bytes, file.count, INK_OPEN_CHECKED, NULL, &error));
    records_digest digest = records_digest_of(file.file);
    return digest;
}

/* Of the set that was made, which is freed. */
static records_digest digest_of_set(void)
{
    records_digest digest = records_digest_of_set(set);

    ink_set_free(set);
    return digest;
}

static bool same_kind(const ink_sketch *a, const ink_sketch *b)
{
    ink_description left, right;

    ink_sketch_describe(a, &left);
    ink_sketch_describe(b, &right);
    return strcmp(left.kind, right.kind) == 0;
}

/* Merges `from` into `into`: what stands under one kind and label is merged, the rest copied. */
static void merge_by_hand(contents *into, const contents *from, const ink_merge_options *options)
{
    for (size_t i = 0; i < from->count; i++) {
        size_t at = 0;
        while (at < into->count &&
               !(same_kind(into->entries[at].sketch, from->entries[i].sketch) &&
                 ink_label_compare(&into->entries[at].label, &from->entries[i].label) == 0))
            at++;
        if (at < into->count)
            CHECK_OK(
                ink_sketch_merge(sketch_at(into, at), from->entries[i].sketch, options, &error));
        else {
            ink_sketch *copy;
            CHECK_OK(ink_sketch_copy(&copy, from->entries[i].sketch, NULL, &error));
            put(into, from->entries[i].label, copy);
        }
    }
}

/* Merging the first 1, 2 and 3 files gives what merging by hand does. Frees the files. */
static void check_merges(contents files[3], const ink_merge_options *options)
{
    owned_contents merged = {0};

    for (size_t i = 0; i < 3; i++) {
        job = (ink_job){.failed_path = "stale", .threads = threads};
        save(&files[i], paths[i]);
        merge_by_hand(&merged, &files[i], options);
        CHECK_OK(ink_merge_files(&set, paths, i + 1, options, &job, &error));
        assert_null(job.failed_path);
        assert_int_equal(ink_set_count(set), merged.count);
        records_digest got = digest_of_set(), expected = digest_of(&merged);
        if (!records_same(&got, &expected))
            fail_msg("%zu files merge to something else than by hand", i + 1);
    }
    for (size_t i = 0; i < 3; i++) {
        unlink(paths[i]);
        free_contents(&files[i]);
    }
}

/* ---- Merging ------------------------------------------------------------------------------ */

static const ink_params bloom = {.kind = "bloom", .expected_keys = 1000};
static const ink_params hll = {.kind = "hll", .precision = 8};
static const ink_params top = {.kind = "top", .phi = 0.02};
static const ink_params count_min = {.kind = "count-min", .width = 100, .depth = 3};

TEST(files_are_merged_by_kind_and_label)
{
    const ink_label null = {.group_kind = INK_GROUP_NULL}, none = {0};
    contents        files[3] = {0};

    put(&files[0], ink_group("a"), records_sketch(&bloom, 0, 100));
    put(&files[0], ink_group("c"), records_sketch(&bloom, 100, 100));
    put(&files[0], ink_group("a"), records_sketch(&hll, 0, 500));
    put(&files[0], none, records_sketch(&top, 0, 300));
    put(&files[1], ink_group("b"), records_sketch(&bloom, 200, 50));
    put(&files[1], ink_group("c"), records_sketch(&bloom, 300, 50));
    put(&files[1], null, records_sketch(&bloom, 300, 70));
    put(&files[1], none, records_sketch(&top, 50, 300));
    put(&files[1], none, records_sketch(&count_min, 0, 300));
    put(&files[2], ink_group(""), records_sketch(&bloom, 200, 50));
    put(&files[2], ink_group("a"), records_sketch(&bloom, 777, 50));
    put(&files[2], null, records_sketch(&bloom, 10, 70));
    put(&files[2], none, records_sketch(&top, 90, 300));
    put(&files[2], none, records_sketch(&count_min, 100, 300));
    put(&files[2], ink_group("a"), records_sketch(&hll, 300, 1500));
    check_merges(files, NULL);
}

TEST(kinds_and_groups_that_do_not_meet_are_taken_along)
{
    contents files[3] = {0};

    put(&files[0], (ink_label){0}, records_sketch(&hll, 0, 100));
    put(&files[1], (ink_label){0}, records_sketch(&bloom, 0, 100)); /* which stands before hll */
    put(&files[2], ink_group("g"), records_sketch(&count_min, 0, 100));
    check_merges(files, &(ink_merge_options){0});
}

/* Any subset of four kinds and eight groups in each file, for any number of threads. */
TEST(some_groups_of_some_kinds_are_merged_by_kind_and_label)
{
    const ink_params *const kinds[] = {&bloom, &count_min, &top, &hll};
    static const char       names[][2] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    uint64_t                random = 1;

    for (unsigned round = 0; round < 60; round++) {
        contents files[3] = {0};
        for (unsigned i = 0; i < 96; i++) { /* a kind for 24, a name for three */
            random = random * 6364136223846793005u + 1442695040888963407u;
            if (random >> 62 <= round % 4)
                put(&files[i % 3], ink_group(names[i / 3 % 8]),
                    records_sketch(kinds[i / 24], i, 20));
        }
        threads = 1 + round % 5;
        check_merges(files, NULL);
    }
    threads = 0;
}

TEST(every_kind_is_merged_as_by_hand)
{
    static const ink_params kinds[] = {
        {.kind = "classic", .expected_keys = 2000},
        {.kind = "classic", .expected_keys = 2000, .hash = "mmh3"},
        {.kind = "counting", .expected_keys = 2000},
        {.kind = "count-min", .width = 100, .depth = 3, .conservative = true},
        {.kind = "top", .phi = 0.05},
        {.kind = "fm", .width = 4, .depth = 3},
        {.kind = "hll", .precision = 10, .key_type = INK_KEY_INT},
    };

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        contents files[3] = {0};
        for (unsigned i = 0; i < 3; i++)
            put(&files[i], (ink_label){0}, records_sketch(&kinds[k], 200 * i, 300));
        check_merges(files, NULL);
    }
}

TEST(blooms_of_other_sizes_are_folded)
{
    contents files[3] = {0};

    for (unsigned i = 0; i < 3; i++) {
        const ink_params params = {
            .kind = "bloom", .bits = 25600u >> i, .expected_keys = 1000, .key_type = INK_KEY_INT};
        put(&files[i], (ink_label){0}, records_sketch(&params, 20 * i, 20));
    }
    check_merges(files, NULL);
}

TEST(slots_are_merged_slot_by_slot)
{
    contents files[3] = {0};

    for (unsigned i = 0; i < 3; i++)
        for (int slot = 0; slot < 3; slot++) {
            ink_label label = slot == 1 ? ink_group("g") : (ink_label){0};
            label.has_slot = true;
            label.slot = 1000 * (slot + (int)i);
            put(&files[i], label, records_sketch(&bloom, 100 * i, 50));
        }
    check_merges(files, NULL);
}

TEST(a_promise_is_kept_unless_a_rate_is_allowed)
{
    const ink_params small = {.kind = "bloom", .expected_keys = 100};
    const char      *labels[] = {"full"};
    contents         files[3] = {0};

    for (unsigned i = 0; i < 3; i++) {
        put(&files[i], ink_group(labels[0]), records_sketch(&small, 100 * i, 100));
        save(&files[i], paths[i]);
    }
    CHECK_FAILS(ink_merge_files(&set, paths, 3, NULL, &job, &error), INK_PROMISE, "full");
    assert_string_equal(job.failed_path, "b.ink");
    check_merges(files, &(ink_merge_options){.max_rate = 0.5});
    for (unsigned i = 0; i < 3; i++)
        put(&files[i], ink_group(labels[0]), records_sketch(&small, 100 * i, 100));
    check_merges(files, &(ink_merge_options){.parts = true});
}

/* ---- Recipes ------------------------------------------------------------------------------ */

enum { NO_SPEC, SPEC_X, SPEC_Y, SPEC_X_SKIPS };
static const char x_spec[] = "in\0csv\0key\0x", y_spec[] = "in\0csv\0key\0y",
                  x_skips[] = "in\0csv\0key\0x\0bad\0skip";
static const struct {
    const char *bytes;
    size_t      count;
} input_specs[] = {[NO_SPEC] = {NULL, 0},
                   [SPEC_X] = {x_spec, sizeof x_spec},
                   [SPEC_Y] = {y_spec, sizeof y_spec},
                   [SPEC_X_SKIPS] = {x_skips, sizeof x_skips}};

static void check_input_spec(const int specs[3], bool kept, bool skips)
{
    contents        files[3] = {0};
    ink_input_spec *input_spec;
    ink_reading     reading;

    for (unsigned i = 0; i < 3; i++) {
        put(&files[i], (ink_label){0}, records_sketch(&bloom, i, 10));
        files[i].input_spec = (const uint8_t *)input_specs[specs[i]].bytes;
        files[i].input_spec_bytes = input_specs[specs[i]].count;
        save(&files[i], paths[i]);
    }
    CHECK_OK(ink_merge_files(&set, paths, 3, NULL, &job, &error));
    records_file file = records_encode(set);
    ink_set_free(set);
    CHECK_OK(ink_input_spec_read(&input_spec, file.file, &reading, &error));
    assert_int_equal(input_spec != NULL, kept);
    if (kept) {
        assert_int_equal(reading.form, INK_FORM_CSV);
        assert_int_equal(reading.key_count, 1);
        assert_string_equal(reading.key[0], "x");
        assert_int_equal(reading.skip_bad, skips);
    }
    ink_input_spec_free(input_spec);
    records_file_close(&file);
    for (unsigned i = 0; i < 3; i++) {
        unlink(paths[i]);
        free_contents(&files[i]);
    }
}

TEST(a_input_spec_stays_if_all_share_it)
{
    enum { N = NO_SPEC, X = SPEC_X, Y = SPEC_Y, S = SPEC_X_SKIPS };
    static const int kept[][3] = {{X, X, X}, {S, S, S}, {S, X, X}, {X, S, X}, {X, X, S}, {S, X, S}};
    static const int dropped[][3] = {{X, X, Y}, {X, Y, X}, {Y, X, X}, {X, N, X}, {N, X, X},
                                     {X, N, N}, {N, N, X}, {S, Y, S}, {Y, X, S}, {N, S, S}};

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        check_input_spec(kept[i], true, i > 0); /* a union needs what one of them needs */
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++)
        check_input_spec(dropped[i], false, false);
}

/* ---- What does not fit -------------------------------------------------------------------- */

/* The file with `second` does not meet the one with `first`. */
static void check_mismatch(const ink_params *first, ink_label first_label, const ink_params *second,
                           ink_label second_label, const char *words)
{
    contents files[2] = {0};

    put(&files[0], first_label, records_sketch(first, 0, 10));
    put(&files[1], second_label, records_sketch(second, 0, 10));
    save(&files[0], "a.ink");
    save(&files[1], "b.ink");
    const char *const both[] = {"a.ink", "a.ink", "b.ink"};
    set = NULL;
    CHECK_FAILS(ink_merge_files(&set, both, 3, NULL, &job, &error), INK_MISMATCH, words);
    assert_string_equal(job.failed_path, "b.ink");
    assert_null(set);
    UNLINK("a.ink", "b.ink");
    free_contents(&files[0]);
    free_contents(&files[1]);
}

TEST(a_rate_is_allowed_only_where_there_is_a_filter)
{
    const ink_merge_options allowed = {.max_rate = 0.5};
    owned_contents          file = {0};

    save(&file, "a.ink"); /* of nothing */
    set = NULL;
    CHECK_FAILS(ink_merge_files(&set, paths, 1, &allowed, &job, &error), INK_USAGE,
                "the files hold no filter");
    put(&file, ink_group("counts"), records_sketch(&hll, 0, 10));
    save(&file, "a.ink");
    CHECK_FAILS(ink_merge_files(&set, paths, 1, &allowed, &job, &error), INK_USAGE,
                "the files hold no filter");
    assert_null(set);
    put(&file, ink_group("keys"), records_sketch(&bloom, 0, 10));
    save(&file, "b.ink");
    CHECK_OK(ink_merge_files(&set, paths, 2, &allowed, &job, &error));
    ink_set_free(set);
}

TEST(what_does_not_fit_is_refused_with_its_path)
{
    static const uint8_t secrets[2][INK_SECRET_BYTES] = {"one", "two"};
    const ink_params     seeded = {.kind = "bloom", .expected_keys = 1000, .seed = 5};
    const ink_params     ints = {.kind = "bloom", .expected_keys = 1000, .key_type = INK_KEY_INT};
    const ink_params     hashed = {.kind = "bloom", .expected_keys = 1000, .hash = "xxh64"};
    const ink_params     larger = {.kind = "bloom", .bits = 256 * 77};
    const ink_params     conservative = {
            .kind = "count-min", .width = 100, .depth = 3, .conservative = true};
    const ink_params one = {.kind = "bloom", .expected_keys = 1000, .secret = secrets[0]};
    const ink_params two = {.kind = "bloom", .expected_keys = 1000, .secret = secrets[1]};
    const ink_label  g = ink_group("g"), h = ink_group("h");

    check_mismatch(&bloom, g, &seeded, g, "seed");
    check_mismatch(&bloom, g, &seeded, h, "seed");
    check_mismatch(&bloom, g, &ints, g, "");
    check_mismatch(&bloom, g, &ints, h, "int");
    check_mismatch(&bloom, g, &hashed, h, "xxh64");
    check_mismatch(&bloom, g, &larger, g, "g");
    check_mismatch(&count_min, g, &conservative, g, "conservative");
    check_mismatch(&one, g, &two, g, "secret");
    check_mismatch(&one, g, &two, h, "secret");
    check_mismatch(&one, g, &bloom, h, "");
    check_mismatch(&bloom, g, &one, h, "");
}

TEST(what_is_no_file_is_refused_with_its_path)
{
    owned_contents    file = {0};
    const char *const missing[] = {"a.ink", "not there"};
    const char *const damaged[] = {"a.ink", "b.ink"};

    put(&file, (ink_label){0}, records_sketch(&bloom, 0, 10));
    save(&file, "a.ink");
    records_write("b.ink", "not a sketch", 12);
    CHECK_FAILS(ink_merge_files(&set, missing, 2, NULL, &job, &error), INK_IO, "");
    CHECK(job.failed_path == missing[1] && error.os_error != 0);
    CHECK_FAILS(ink_merge_files(&set, damaged, 2, NULL, &job, &error), INK_FORMAT, "");
    CHECK(job.failed_path == damaged[1]);
    CHECK_FAILS(ink_merge_files(&set, NULL, 0, NULL, &job, &error), INK_USAGE, "file");
    CHECK_FAILS(ink_fold_file(&set, missing[1], 0.1, 0, &job, &error), INK_IO, "");
    CHECK(job.failed_path == missing[1]);
    CHECK_FAILS(ink_fold_file(&set, "b.ink", 0.1, 0, &job, &error), INK_FORMAT, "");
}

/* ---- Folding ------------------------------------------------------------------------------ */

static void put_foldable(contents *to)
{
    const ink_params roomy = {.kind = "bloom", .bits = 256 * 240, .expected_keys = 6000};
    const ink_params counting = {.kind = "counting", .bits = 1024 * 64, .expected_keys = 500};
    static char      names[300][4]; /* more than what is folded at a time */

    for (unsigned i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "%03u", i);
        put(to, ink_group(names[i]), records_sketch(&roomy, i, 100));
    }
    put(to, ink_group("a"), records_sketch(&roomy, 0, 100));
    put(to, ink_group("b"), records_sketch(&roomy, 100, 300));
    put(to, (ink_label){.has_slot = true, .slot = 5}, records_sketch(&counting, 100, 30));
}

TEST(a_file_is_folded_entry_by_entry)
{
    owned_contents  file = {0};
    ink_input_spec *input_spec;
    ink_reading     reading;

    put_foldable(&file);
    file.input_spec = (const uint8_t *)"in\0csv\0key\0x";
    file.input_spec_bytes = 13;
    save(&file, "a.ink");
    CHECK_OK(ink_fold_file(&set, "a.ink", 0, 8, &job, &error));
    records_file encoded = records_encode(set);
    ink_set_free(set);
    CHECK_OK(ink_input_spec_read(&input_spec, encoded.file, &reading, &error));
    CHECK(input_spec != NULL && reading.form == INK_FORM_CSV);
    ink_input_spec_free(input_spec);
    records_digest got = records_digest_of(encoded.file);
    records_file_close(&encoded);
    for (size_t i = 0; i < file.count; i++)
        CHECK_OK(ink_sketch_fold(sketch_at(&file, i), 8, &error));
    records_digest expected = digest_of(&file);
    CHECK(records_same(&got, &expected));
    CHECK_OK(ink_fold_file(&set, "a.ink", 0.05, 0, &job, &error));
    got = digest_of_set();
    free_contents(&file);
    put_foldable(&file);
    for (size_t i = 0; i < file.count; i++) {
        uint64_t divisor;
        CHECK_OK(ink_sketch_fold_to_rate(sketch_at(&file, i), 0.05, &divisor, &error));
        CHECK(divisor > 1);
    }
    expected = digest_of(&file);
    CHECK(records_same(&got, &expected));
}

TEST(a_filter_that_keeps_its_size_stays_as_it_was)
{
    const ink_params full = {.kind = "bloom", .expected_keys = 5000};
    const double     rate = 0.012; /* a little more than promised: half of the bits do not do */
    owned_contents   file = {0};
    ink_description  before, after;
    uint64_t         divisor;
    ink_entry        entry;

    put(&file, (ink_label){0}, records_sketch(&full, 0, 5000));
    save(&file, "a.ink");
    ink_sketch_describe(sketch_at(&file, 0), &before);
    CHECK_OK(ink_sketch_fold_to_rate(sketch_at(&file, 0), rate, &divisor, &error));
    assert_int_equal(divisor, 1);
    job.failed_path = "stale";
    CHECK_OK(ink_fold_file(&set, "a.ink", rate, 0, &job, &error));
    assert_null(job.failed_path);
    CHECK_OK(ink_set_entry(set, 0, &entry, &error));
    ink_sketch_describe(entry.sketch, &after);
    CHECK(after.bits == before.bits && after.promised_rate == before.promised_rate);
    CHECK(after.target_rate == before.target_rate);
    ink_set_free(set);
}

TEST(what_cannot_be_folded_is_refused_with_its_group)
{
    owned_contents file = {0};

    put(&file, ink_group("counts"), records_sketch(&hll, 0, 10));
    put(&file, ink_group("keys"), records_sketch(&bloom, 0, 900));
    save(&file, "a.ink");
    set = NULL;
    CHECK_FAILS(ink_fold_file(&set, "a.ink", 0, 7919, &job, &error), INK_USAGE, "keys");
    assert_string_equal(job.failed_path, "a.ink");
    CHECK_FAILS(ink_fold_file(&set, "a.ink", 1e-9, 0, &job, &error), INK_PROMISE, "keys");
    CHECK_FAILS(ink_fold_file(&set, "a.ink", 7, 0, &job, &error), INK_USAGE, "");
    assert_null(set);
    /* What cannot be folded is taken along, unless there is nothing else. */
    CHECK_OK(ink_fold_file(&set, "a.ink", 0.3, 0, &job, &error));
    assert_int_equal(ink_set_count(set), 2);
    ink_set_free(set);
    free_contents(&file);
    file = (contents){0};
    put(&file, ink_group("counts"), records_sketch(&hll, 0, 10));
    save(&file, "a.ink");
    CHECK_FAILS(ink_fold_file(&set, "a.ink", 0.3, 0, &job, &error), INK_UNSUPPORTED, "filter");
}

/* Large filters, of which threads merge slices, are looked at as small ones are. */
TEST(large_filters_keep_their_promise_too)
{
    enum { KEYS = 1000000 };
    const ink_params large = {.kind = "bloom", .expected_keys = KEYS, .false_positive_rate = 1e-5};
    const ink_merge_options allowed = {.max_rate = 0.5};
    static uint64_t         hashes[KEYS];
    uint64_t                chance = 1;
    char                    messages[2][sizeof error.message];
    records_digest          digests[2];

    for (size_t i = 0; i < 2; i++) {
        owned_contents file = {0};
        ink_sketch    *sketch;
        for (size_t k = 0; k < KEYS; k++)
            hashes[k] = records_random(&chance);
        CHECK_OK(ink_sketch_create(&sketch, &large, NULL, &error));
        CHECK_OK(
            ink_sketch_add_batch(sketch, &(ink_batch){.count = KEYS, .hashes = hashes}, &error));
        put(&file, ink_group("large"), sketch);
        save(&file, paths[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        ink_entry       entry;
        ink_description found;
        job = (ink_job){.threads = 1 + 3 * i};
        CHECK_FAILS(ink_merge_files(&set, paths, 2, NULL, &job, &error), INK_PROMISE, "large (");
        memcpy(messages[i], error.message, sizeof messages[i]);
        CHECK_OK(ink_merge_files(&set, paths, 2, &allowed, &job, &error));
        CHECK_OK(ink_set_entry(set, 0, &entry, &error));
        ink_sketch_describe(entry.sketch, &found);
        CHECK(found.bytes > (4 << 20) && found.promised_rate == 0.5);
        assert_int_equal(found.records, 2 * KEYS);
        digests[i] = digest_of_set();
    }
    job = (ink_job){0};
    assert_string_equal(messages[0], messages[1]);
    CHECK(records_same(&digests[0], &digests[1]));
}

static void see_zeroed(void *bytes, const ink_region *region)
{
    *(uint64_t *)bytes += region->zeroed;
}

/* Files above 64 MiB are mapped, and copied as they are changed. */
TEST(large_files_are_merged_and_folded)
{
    const ink_params large = {.kind = "bloom", .bits = ((uint64_t)1 << 29) + (1 << 24)};
    owned_contents   file = {0};

    if (records_light())
        return;
    put(&file, (ink_label){0}, records_sketch(&large, 0, 1000));
    save(&file, "a.ink");
    const char *const twice[] = {"a.ink", "a.ink"};
    uint64_t          made = 0;
    ink_account       account = {.region = see_zeroed, .host = &made};
    job = (ink_job){.threads = 2, .account = &account};
    CHECK_OK(ink_merge_files(&set, twice, 2, NULL, &job, &error));
    assert_int_equal(made + account.zeroed, large.bits / 8);
    job = (ink_job){0};
    records_digest got = digest_of_set();
    ink_sketch    *copy;
    CHECK_OK(ink_sketch_copy(&copy, file.entries[0].sketch, NULL, &error));
    CHECK_OK(ink_sketch_merge(sketch_at(&file, 0), copy, NULL, &error));
    records_digest expected = digest_of(&file);
    CHECK(records_same(&got, &expected));
    CHECK_OK(ink_fold_file(&set, "a.ink", 0, 33, &job, &error));
    got = digest_of_set();
    CHECK_OK(ink_sketch_fold(copy, 33, &error));
    put(&file, (ink_label){0}, copy);
    ink_sketch_free(sketch_at(&file, 0));
    file.entries[0] = file.entries[1];
    file.count = 1;
    expected = digest_of(&file);
    CHECK(records_same(&got, &expected));
}

RUN_TESTS_REMOVING("a.ink", "b.ink")
