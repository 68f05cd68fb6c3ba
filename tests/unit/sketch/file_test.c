/* file_test.c - the public calls that read: opening in every way, entries and how they are found,
 * sections, and refusals that name the place. */
#include "format/layout.h"

#include "base/memory.h"
#include "jobs/runtime/accounting.h"
#include "sketch/file.h"
#include "sketch/internal.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/sketches.h"

#include <errno.h>
#include <stdio.h>

static ink_error error;

static const unsigned all_flags[] = {
    INK_OPEN_CHECKED,
    INK_OPEN_LAZY,
    INK_OPEN_COPY,
    INK_OPEN_COPY | INK_OPEN_LAZY,
};

static void write_file(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

static ink_status decode(ink_file **file, const files_sample *sample, unsigned flags)
{
    return ink_file_decode(file, sample->bytes, sample->count, flags, NULL, &error);
}

/* A sample opened in memory. */
static ink_file *opened(const files_sample *sample, unsigned flags)
{
    ink_file *file;

    CHECK_OK(decode(&file, sample, flags));
    return file;
}

/* ---- Open --------------------------------------------------------------------------------- */

TEST(every_sample_opens_in_every_way_from_memory_and_from_a_file)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        write_file("a.ink", sample.bytes, sample.count);
        for (const unsigned *flags = all_flags; flags < all_flags + 4; flags++) {
            ink_file *files[2];
            uint8_t   digests[2][INK_DIGEST_BYTES];
            CHECK_OK(ink_file_open(&files[0], "a.ink", *flags, NULL, &error));
            CHECK_OK(ink_file_decode(&files[1], sample.bytes, sample.count, *flags, NULL, &error));
            for (int f = 0; f < 2; f++) {
                CHECK(ink_file_count(files[f]) == files_get(sample.bytes + FILES_ENTRIES_AT, 8));
                CHECK_OK(ink_file_digest(files[f], digests[f], &error));
                CHECK_OK(ink_file_check(files[f], &error));
                CHECK_OK(ink_file_check(files[f], &error)); /* and again, for free */
                ink_file_close(files[f]);
            }
            assert_memory_equal(digests[0], digests[1], INK_DIGEST_BYTES);
        }
        files_sample_free(&sample);
    }
    assert_int_equal(remove("a.ink"), 0);
}

TEST(a_copied_file_gives_writable_sketches_any_other_gives_views)
{
    for (const unsigned *flags = all_flags; flags < all_flags + 4; flags++) {
        owned_sample  sample = files_sample_of("bloom");
        owned_opened *file = opened(&sample, *flags);
        owned_sketch *sketch = NULL;
        bool          copied = (*flags & INK_OPEN_COPY) != 0;
        CHECK_OK(ink_file_sketch(file, 0, &sketch, &error));
        CHECK(sketches_describe(sketch).read_only == !copied);
        assert_int_equal(sketches_found(sketch, 0, 100), 100);
        assert_int_equal(ink_sketch_add(sketch, "a", 1, &error), copied ? INK_OK : INK_READ_ONLY);
    }
}

TEST(a_copied_file_does_not_need_its_bytes_any_more)
{
    owned_sample  sample = files_sample_of("bloom");
    ink_file     *file = opened(&sample, INK_OPEN_COPY);
    owned_sketch *sketch = NULL;

    memset(sample.bytes, 0, sample.count);
    CHECK_OK(ink_file_sketch(file, 0, &sketch, &error));
    ink_file_close(file);
    assert_int_equal(sketches_found(sketch, 0, 100), 100);
}

TEST(unknown_flags_are_refused)
{
    owned_sample sample = files_sample_of("bloom");
    ink_file    *file;

    CHECK_FAILS(decode(&file, &sample, 8), INK_USAGE, "flags 0x8, expected those of ink_file_open");
    CHECK_FAILS(ink_file_open(&file, "a.ink", 0xff, NULL, &error), INK_USAGE, "flags 0xff");
}

TEST(a_file_that_is_not_there_or_none_is_refused)
{
    ink_file *file;

    for (const unsigned *flags = all_flags; flags < all_flags + 4; flags++) {
        CHECK_FAILS(ink_file_open(&file, "nowhere.ink", *flags, NULL, &error), INK_IO,
                    "cannot open: No such file");
        assert_int_equal(error.os_error, ENOENT);
        CHECK_FAILS(ink_file_open(&file, ".", *flags, NULL, &error), INK_FORMAT,
                    "not a regular file");
        write_file("a.ink", (const uint8_t *)"", 0);
        CHECK_FAILS(ink_file_open(&file, "a.ink", *flags, NULL, &error), INK_FORMAT,
                    "too short: 0 bytes");
        write_file("a.ink", (const uint8_t *)"PAR1....PAR1", 12);
        CHECK_FAILS(ink_file_open(&file, "a.ink", *flags, NULL, &error), INK_FORMAT,
                    "not an .ink file, but a Parquet file");
    }
    assert_int_equal(remove("a.ink"), 0);
}

TEST(every_failure_of_the_system_while_opening_is_clean)
{
    owned_sample sample = files_sample_of("groups");
    unsigned     failures = 0;

    write_file("a.ink", sample.bytes, sample.count);
    for (const unsigned *flags = all_flags; flags < all_flags + 4; flags++)
        for (unsigned nth = 1;; nth++) {
            ink_file *file;
            faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO});
            ink_status status = ink_file_open(&file, "a.ink", *flags, NULL, &error);
            bool       struck = faults_struck();
            if (status == INK_OK) {
                faults_system_end(); /* to unmap with the true calls */
                ink_file_close(file);
            } else {
                faults_system_end();
                assert_int_equal(status, INK_IO);
                assert_int_equal(error.os_error, EIO);
                assert_int_equal(faults_maps(), 0);
                failures++;
            }
            assert_int_equal(faults_open_files(), 0);
            if (!struck)
                break;
        }
    CHECK(failures >= 12);
    assert_int_equal(remove("a.ink"), 0);
}

TEST(a_file_that_becomes_shorter_while_it_is_read_is_refused)
{
    owned_sample sample = files_sample_of("groups");
    ink_file    *file;

    write_file("a.ink", sample.bytes, sample.count);
    faults_system_begin(&(faults_plan){.ends_early = true});
    ink_status status = ink_file_open(&file, "a.ink", INK_OPEN_COPY, NULL, &error);
    faults_system_end();
    CHECK_FAILS(status, INK_IO, "the file became shorter while it was read");
    assert_int_equal(remove("a.ink"), 0);
}

TEST(every_refusal_of_memory_while_opening_is_clean)
{
    owned_sample sample = files_sample_of("groups");

    write_file("a.ink", sample.bytes, sample.count);
    for (const unsigned *flags = all_flags; flags < all_flags + 4; flags++)
        for (uint64_t nth = 1;; nth++) {
            faults_memory memory = {.refuse_at = nth}, of_open = {.refuse_at = nth};
            ink_allocator allocator = faults_allocator(&memory), other = faults_allocator(&of_open);
            ink_file     *file;
            ink_sketch   *sketch;
            ink_status    status =
                ink_file_decode(&file, sample.bytes, sample.count, *flags, &allocator, &error);
            if (status == INK_OK) {
                status = ink_file_sketch(file, 5, &sketch, &error);
                if (status == INK_OK)
                    ink_sketch_free(sketch);
                ink_file_close(file);
            }
            faults_check_no_leak(&memory);
            assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
            status = ink_file_open(&file, "a.ink", *flags, &other, &error);
            if (status == INK_OK)
                ink_file_close(file);
            faults_check_no_leak(&of_open);
            assert_int_equal(status, of_open.refused > 0 ? INK_MEMORY : INK_OK);
            if (memory.refused == 0 && of_open.refused == 0)
                break;
        }
    assert_int_equal(remove("a.ink"), 0);
}

TEST(a_large_file_is_not_given_memory_before_its_header_is_right)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    owned_sample  sample = files_sample_of("large");
    ink_file     *file;

    sample.bytes[30] ^= 1;
    write_file("a.ink", sample.bytes, sample.count);
    CHECK_FAILS(ink_file_open(&file, "a.ink", INK_OPEN_COPY, &allocator, &error), INK_FORMAT,
                "the header's checksum is wrong");
    CHECK(memory.most_bytes < 64 * 1024);
    faults_check_no_leak(&memory);
    assert_int_equal(remove("a.ink"), 0);
}

/* ---- Damage ------------------------------------------------------------------------------- */

TEST(damage_to_a_payload_is_noticed_at_once_or_when_it_is_looked_for)
{
    owned_sample sample = files_sample_of("bloom");
    ink_file    *file;
    ink_sketch  *sketch;
    uint8_t      digest[INK_DIGEST_BYTES];

    uint64_t at = files_payload_at(sample.bytes);
    sample.bytes[at + 3] ^= 0x80;
    CHECK_FAILS(decode(&file, &sample, INK_OPEN_CHECKED), INK_FORMAT,
                "payload bytes from here is wrong: the file is damaged");
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, at);
    CHECK_FAILS(decode(&file, &sample, INK_OPEN_COPY), INK_FORMAT, "is damaged");

    CHECK_OK(decode(&file, &sample, INK_OPEN_LAZY));
    CHECK_OK(ink_file_sketch(file, 0, &sketch, &error)); /* may be asked, at one's own risk */
    ink_sketch_free(sketch);
    CHECK_FAILS(ink_file_check(file, &error), INK_FORMAT, "is damaged");
    CHECK_FAILS(ink_file_digest(file, digest, &error), INK_FORMAT, "is damaged");
    ink_file_close(file);

    CHECK_OK(decode(&file, &sample, INK_OPEN_LAZY | INK_OPEN_COPY));
    CHECK_FAILS(ink_file_sketch(file, 0, &sketch, &error), INK_FORMAT, "is damaged");
    ink_file_close(file);
}

TEST(a_view_of_a_file_that_was_checked_later_is_combined_from)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 100};
    owned_sketch    *sketch = files_sketch(&params, 0, 50, NULL);
    owned_sample     sample = files_sample_of("bloom");
    owned_opened    *file = opened(&sample, INK_OPEN_LAZY);
    owned_sketch    *before = NULL, *after = NULL;

    CHECK_OK(ink_file_sketch(file, 0, &before, &error));
    CHECK_OK(ink_file_check(file, &error));
    CHECK_OK(ink_file_sketch(file, 0, &after, &error));
    CHECK_OK(ink_sketch_merge(sketch, before, NULL, &error));
    CHECK_OK(ink_sketch_merge(sketch, after, NULL, &error));
    assert_int_equal(sketches_found(sketch, 0, 100), 100);
}

/* Sets a field of a sample, repairs, and expects a refusal with these words at `location`. */
static void check_field(const char *name, uint64_t at, unsigned width, uint64_t value,
                        const char *words, uint64_t location)
{
    owned_sample sample = files_sample_of(name);
    ink_file    *file;

    files_set(sample.bytes + at, width, value);
    files_repair(sample.bytes, sample.count);
    CHECK_FAILS(decode(&file, &sample, 0), INK_FORMAT, words);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, location);
    assert_int_equal(ink_file_decode(&file, sample.bytes, sample.count, 0, NULL, NULL), INK_FORMAT);
}

/* Where the first table's description stands. */
enum { TABLE = 64 + 8 };

TEST(key_rules_kinds_position_rules_and_layouts_that_cannot_be_are_refused_at_their_field)
{
    static const struct {
        const char *sample;
        uint64_t    at;
        unsigned    width;
        uint64_t    value;
        const char *words;
    } rows[] = {
        {"bloom", INK__HEADER_KEY_TYPE, 2, 2, "key type 2, expected 0 or 1"},
        {"bloom", INK__HEADER_HASH, 2, 99, "hash 99 is unknown: a newer library is needed"},
        {"bloom", INK__HEADER_HASH, 2, 0, "hash 0, expected 1 or more"},
        {"bloom", INK__HEADER_HASH, 2, 2, "hash mix64 does not go with bytes keys"},
        {"keyed", INK__HEADER_SEED, 8, 1, "seed 1, expected 0 to 0 for hash siphash"},
        {"bloom", INK__HEADER_CHECK, 8, 5, "check value of a secret, but hash xxh3 has none"},
        {"bloom", TABLE, 2, 99, "kind 99 is unknown: a newer library is needed"},
        {"hll empty", TABLE, 2, 99, "kind 99 is unknown"},
        {"hll empty", TABLE, 2, 0, "kind 0 is unknown"},
        {"hll empty", TABLE, 2, 65535, "kind 65535 is unknown"},
        {"bloom", TABLE + 2, 2, 2, "position rule 2 does not go with kind bloom"},
        {"bloom", TABLE + 2, 2, 3, "position rule 3 does not go with kind bloom and hash xxh3"},
        {"classic", TABLE + 2, 2, 3, "does not go with kind classic and hash xxh3"},
        {"classic", TABLE + 2, 2, 6, "position rule 6"},
        {"classic mmh3", TABLE + 2, 2, 2, "does not go with kind classic and hash mmh3"},
        {"hll empty", TABLE + 2, 2, 0, "position rule 0 does not go with kind hll"},
        {"hll empty", TABLE + 2, 2, 99, "position rule 99 is unknown: a newer library is needed"},
        {"hll empty", TABLE + 4, 2, 2,
         "layout 2 of kind hll is unknown: a newer library is needed"},
        {"hll empty", TABLE + 4, 2, 0, "layout 0 of kind hll, expected 1"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_field(rows[i].sample, rows[i].at, rows[i].width, rows[i].value, rows[i].words,
                    rows[i].at);
}

/* Encodes empty sketches, sets a field, repairs, and expects a refusal with these words there. */
static void check_rule(const ink_params *params, size_t count, uint64_t at, unsigned width,
                       uint64_t value, const char *words, uint64_t location)
{
    ink_sketch *sketches[2] = {NULL};
    ink_entry   entries[2] = {{.sketch = NULL}};
    uint8_t    *bytes;
    size_t      byte_count;
    ink_file   *file;

    for (size_t i = 0; i < count; i++) {
        CHECK_OK(ink_sketch_create(&sketches[i], &params[i], NULL, &error));
        entries[i].sketch = sketches[i];
    }
    CHECK_OK(ink_contents_encode(&(ink_contents){.entries = entries, .entry_count = count}, &bytes,
                                 &byte_count, &error));
    files_set(bytes + at, width, value);
    files_repair(bytes, byte_count);
    CHECK_FAILS(ink_file_decode(&file, bytes, byte_count, 0, NULL, &error), INK_FORMAT, words);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, location);
    ink_bytes_free(bytes, byte_count, NULL);
    for (size_t i = 0; i < count; i++)
        ink_sketch_free(sketches[i]);
}

TEST(rules_of_other_systems_go_with_their_hashes_keys_and_seeds_in_all_tables)
{
    const ink_params spark = {.kind = "classic", .bits = 64, .hashes = 1, .hash = "spark-v1"};
    const ink_params redis = {.kind = "classic", .bits = 64, .hashes = 1, .hash = "redisbloom"};
    const ink_params two[] = {
        {.kind = "bloom", .bits = 256, .hash = "murmur3-128"},
        {.kind = "classic", .bits = 64, .hashes = 1, .hash = "murmur3-128"},
    };
    /* A description of five columns is before that of the second table. */
    const uint64_t second = TABLE + 16 + 4 * 2;

    check_rule(&spark, 1, INK__HEADER_SEED, 8, 1, "position rule 16 does not go with", TABLE + 2);
    check_rule(&spark, 1, TABLE + 2, 2, 20, "position rule 20 does not go with", TABLE + 2);
    check_rule(&redis, 1, INK__HEADER_KEY_TYPE, 2, 1, "of int keys", TABLE + 2);
    check_rule(two, 2, second + 2, 2, 20, "position rule 20 beside 1", second + 2);
}

TEST(a_parameter_that_the_kind_does_not_have_is_refused)
{
    owned_sample sample = files_sample_of("bloom");
    uint64_t     cell = files_column(sample.bytes, sample.count, 0, 18).at;
    uint64_t     columns = files_get(sample.bytes + TABLE + 6, 2);
    uint64_t     last = TABLE + 16 + 4 * (columns - 1); /* column 18 becomes column 19 */
    check_field("bloom", last, 2, 19, "parameter 3, but bloom has only 3", cell);
}

TEST(parameters_out_of_range_are_refused_at_their_cell)
{
    owned_sample sample = files_sample_of("classic");
    uint64_t     hashes = files_column(sample.bytes, sample.count, 0, 20).at;
    uint64_t     asked = files_column(sample.bytes, sample.count, 0, 17).at;
    uint64_t     bits = files_column(sample.bytes, sample.count, 0, 19).at;
    uint64_t     bytes = files_column(sample.bytes, sample.count, 0, 8).at;
    uint64_t     count = files_get(sample.bytes + bits, 8);

    check_field("classic", hashes, 8, 65, "65 hashes, expected 1 to 64", hashes);
    check_field("classic", asked, 8, 0x7ff8000000000000, "target rate nan", asked);
    check_field("classic", bits, 8, (uint64_t)1 << 44, "expected 1 to 2^43", bits);
    check_field("classic", bits, 8, count + 64, "a classic of 90 bytes, expected 98 for its",
                bytes);
}

TEST(every_entry_of_a_table_is_checked_where_they_differ)
{
    const ink_params few = {.kind = "bloom", .bits = 256, .expected_keys = 5};
    const ink_params many = {.kind = "bloom", .bits = 256, .expected_keys = 50};
    owned_sketch    *a = files_sketch(&few, 0, 1, NULL), *b = files_sketch(&many, 0, 1, NULL);
    const ink_entry  entries[] = {{.sketch = a}, {.label = ink_group("b"), .sketch = b}};
    owned_snapshot   f = sketches_encode(&(ink_contents){.entries = entries, .entry_count = 2});
    ink_file        *file;

    uint64_t promised = files_column(f.bytes, f.count, 0, 18).at + 8; /* of the second */
    files_set(f.bytes + promised, 8, 0x7ff0000000000000);
    files_repair(f.bytes, f.count);
    CHECK_FAILS(ink_file_decode(&file, f.bytes, f.count, 0, NULL, &error), INK_FORMAT,
                "promised rate inf");
    assert_int_equal(error.at, promised);
}

TEST(a_parameter_that_is_left_out_is_placed_at_its_table)
{
    owned_sample sample = files_sample_of("hll empty");

    /* the only column of an empty hll becomes that of records: no precision */
    assert_int_equal(files_get(sample.bytes + TABLE + 6, 2), 1);
    check_field("hll empty", TABLE + 16, 2, 6, "precision 0, expected 4 to 18", TABLE);
}

TEST(an_error_is_reported_with_its_location)
{
    owned_sample sample = files_sample_of("bloom");
    ink_file    *file;
    char         text[300];

    files_set(sample.bytes + FILES_VERSION_AT, 2, 2);
    CHECK_FAILS(decode(&file, &sample, 0), INK_FORMAT, "format version 2");
    size_t length = ink_error_text(&error, text, sizeof text);
    assert_string_equal(text, "byte 8: format version 2: made by a newer library, this one "
                              "reads version 1");
    assert_int_equal(length, strlen(text));
    assert_int_equal(ink_error_text(&error, text, 7), 6);
    assert_string_equal(text, "byte 8");
}

/* ---- Entries ------------------------------------------------------------------------------ */

TEST(entries_are_reported_without_their_payloads)
{
    owned_sample   sample = files_sample_of("two kinds");
    owned_opened  *file = opened(&sample, INK_OPEN_LAZY);
    ink_entry_info info;

    assert_int_equal(ink_file_count(file), 4);
    CHECK_OK(ink_file_entry(file, 1, &info, &error));
    assert_string_equal(info.kind, "bloom");
    CHECK(info.records == 12 && info.bytes == 64 && !info.label.has_slot);
    assert_memory_equal(info.label.group, "right", 5);
    CHECK_OK(ink_file_entry(file, 2, &info, &error));
    assert_string_equal(info.kind, "hll");
    CHECK(info.records == 5 && info.bytes == 15);
}

TEST(an_entry_past_the_last_is_not_found)
{
    owned_sample   sample = files_sample_of("two kinds");
    owned_opened  *file = opened(&sample, INK_OPEN_CHECKED);
    ink_entry_info info;
    ink_sketch    *sketch;

    CHECK_FAILS(ink_file_entry(file, 4, &info, &error), INK_NOT_FOUND, "entry 4, but there are 4");
    CHECK_FAILS(ink_file_sketch(file, SIZE_MAX, &sketch, &error), INK_NOT_FOUND, "but there are 4");
}

TEST(entries_are_found_by_label_and_by_kind_unless_there_is_only_one)
{
    const ink_label left = ink_group("left"), right = ink_group("right"), named = ink_group("ab");
    const struct {
        const char      *sample, *kind;
        const ink_label *label; /* NULL: no group and no slot */
        size_t           index;
    } rows[] = {
        {"two kinds", "bloom", &left, 0}, {"two kinds", "hll", &left, 2},
        {"two kinds", "hll", &right, 3},  {"groups", NULL, &named, 9},
        {"groups", NULL, NULL, 0},        {"three kinds", "classic", NULL, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        owned_sample  sample = files_sample_of(rows[i].sample);
        owned_opened *file = opened(&sample, INK_OPEN_CHECKED);
        size_t        index;
        CHECK_OK(ink_file_find(file, rows[i].kind, rows[i].label, &index, &error));
        assert_int_equal(index, rows[i].index);
    }
}

TEST(the_kind_must_be_named_where_there_are_several)
{
    owned_sample  sample = files_sample_of("three kinds");
    owned_opened *file = opened(&sample, INK_OPEN_CHECKED);
    size_t        index = 77;

    CHECK_FAILS(ink_file_find(file, NULL, NULL, &index, &error), INK_USAGE,
                "the file has 3 kinds, bloom and classic among them: name one");
    CHECK_FAILS(ink_file_find(file, "cuckoo", NULL, &index, &error), INK_USAGE,
                "kind \"cuckoo\", expected one of bloom, classic");
    CHECK_FAILS(ink_file_find(file, "top", NULL, &index, &error), INK_NOT_FOUND,
                "the file has no sketch of kind top");
    assert_int_equal(index, 77);
}

TEST(a_label_that_is_not_there_is_named)
{
    const struct {
        ink_label   label;
        const char *words;
    } absent[] = {
        {{0}, "no hll without a group without a slot"},
        {{.has_slot = true, .slot = 3}, "no hll without a group with slot 3"},
        {{.group_kind = INK_GROUP_NULL}, "no hll of the null group without a slot"},
        {{.group_kind = INK_GROUP_NULL, .has_slot = true}, "no hll of the null group with slot 0"},
        {{.group_kind = INK_GROUP_BYTES, .group = "n\xff", .group_bytes = 2},
         "no hll of group \"n\\xff\" without a slot"},
        {{.group_kind = INK_GROUP_BYTES, .group = "left", .group_bytes = 4, .has_slot = true},
         "no hll of group \"left\" with slot 0"},
    };
    owned_sample  sample = files_sample_of("two kinds");
    owned_opened *file = opened(&sample, INK_OPEN_CHECKED);
    size_t        index;

    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        CHECK_FAILS(ink_file_find(file, "hll", &absent[i].label, &index, &error), INK_NOT_FOUND,
                    absent[i].words);
}

/* ---- Sections ----------------------------------------------------------------------------- */

TEST(sections_are_kept_in_order_critical_or_not)
{
    owned_sample  sample = files_sample_of("two kinds");
    owned_opened *file = opened(&sample, INK_OPEN_CHECKED);
    ink_section   section;

    CHECK_OK(ink_file_section(file, 0, &section, &error));
    CHECK(section.id == INK_SECTION_INPUT_SPEC && section.critical);
    assert_memory_equal(section.data, "lines of text", 13);
    CHECK_OK(ink_file_section(file, 2, &section, &error));
    CHECK(section.id == 77 && !section.critical && section.bytes == 16);
    CHECK_FAILS(ink_file_section(file, 3, &section, &error), INK_NOT_FOUND,
                "section 3, but there are 3");
}

TEST(a_file_is_written_anew_with_all_its_sections)
{
    owned_sample  sample = files_sample_of("two kinds");
    owned_opened *file = opened(&sample, INK_OPEN_CHECKED);
    ink_section   sections[3];
    ink_entry     entries[4];
    ink_sketch   *sketches[4];

    for (size_t i = 0; i < 3; i++)
        CHECK_OK(ink_file_section(file, i, &sections[i], &error));
    for (size_t i = 0; i < 4; i++) {
        ink_entry_info info;
        CHECK_OK(ink_file_entry(file, i, &info, &error));
        CHECK_OK(ink_file_sketch(file, i, &sketches[i], &error));
        entries[i] = (ink_entry){.label = info.label, .sketch = sketches[i]};
    }
    owned_snapshot encoded = sketches_encode(&(ink_contents){
        .entries = entries, .entry_count = 4, .sections = sections, .section_count = 3});
    assert_int_equal(encoded.count, sample.count);
    assert_memory_equal(encoded.bytes, sample.bytes, sample.count);
    for (size_t i = 0; i < 4; i++)
        ink_sketch_free(sketches[i]);
}

/* ---- One sketch --------------------------------------------------------------------------- */

TEST(a_file_of_one_sketch_is_loaded_and_saved)
{
    faults_memory    memory = {0};
    ink_allocator    allocator = faults_allocator(&memory);
    const ink_params params = {.kind = "classic", .expected_keys = 100};
    ink_sketch      *sketch = files_sketch(&params, 0, 100, NULL), *loaded;

    CHECK_OK(ink_sketch_save(sketch, "a.ink", &error));
    CHECK_OK(ink_sketch_load(&loaded, "a.ink", &allocator, &error));
    CHECK(memory.live_blocks == 2); /* the file is closed */
    CHECK(sketches_equal(sketch, loaded));
    CHECK_OK(ink_sketch_add(loaded, "a", 1, &error));
    ink_sketch_free(loaded);
    ink_sketch_free(sketch);
    faults_check_no_leak(&memory);
    assert_int_equal(remove("a.ink"), 0);
}

TEST(a_file_of_none_or_several_sketches_is_no_sketch)
{
    const struct {
        const char *name, *words;
    } others[] = {
        {"two kinds", "4 sketches, expected one: open it as a file"},
        {"without entries", "0 sketches, expected one"},
    };

    for (int i = 0; i < 2; i++) {
        faults_memory memory = {0};
        ink_allocator allocator = faults_allocator(&memory);
        owned_sample  sample = files_sample_of(others[i].name);
        ink_sketch   *sketch;
        CHECK_FAILS(ink_sketch_decode(&sketch, sample.bytes, sample.count, &allocator, &error),
                    INK_USAGE, others[i].words);
        write_file("a.ink", sample.bytes, sample.count);
        CHECK_FAILS(ink_sketch_load(&sketch, "a.ink", &allocator, &error), INK_USAGE,
                    others[i].words);
        faults_check_no_leak(&memory);
    }
    CHECK_FAILS(ink_sketch_load(&(ink_sketch *){NULL}, "nowhere.ink", NULL, &error), INK_IO,
                "cannot open");
    assert_int_equal(remove("a.ink"), 0);
}

TEST(every_call_fails_as_well_without_an_error_to_fill)
{
    owned_sample   sample = files_sample_of("two kinds");
    owned_opened  *file = opened(&sample, INK_OPEN_LAZY);
    ink_file      *other;
    ink_entry_info info;
    ink_section    section;
    ink_sketch    *sketch;
    size_t         index;
    uint8_t        digest[INK_DIGEST_BYTES];

    CHECK(ink_file_open(&other, "nowhere.ink", 0, NULL, NULL) == INK_IO);
    CHECK(ink_file_open(&other, "nowhere.ink", 9, NULL, NULL) == INK_USAGE);
    CHECK(ink_file_decode(&other, sample.bytes, 10, 0, NULL, NULL) == INK_FORMAT);
    CHECK(ink_file_entry(file, 9, &info, NULL) == INK_NOT_FOUND);
    CHECK(ink_file_find(file, NULL, NULL, &index, NULL) == INK_USAGE);
    CHECK(ink_file_find(file, "hll", NULL, &index, NULL) == INK_NOT_FOUND);
    CHECK(ink_file_sketch(file, 9, &sketch, NULL) == INK_NOT_FOUND);
    CHECK(ink_file_section(file, 9, &section, NULL) == INK_NOT_FOUND);
    CHECK(ink_sketch_decode(&sketch, sample.bytes, sample.count, NULL, NULL) == INK_USAGE);
    sample.bytes[files_payload_at(sample.bytes)] ^= 1;
    CHECK(ink_file_check(file, NULL) == INK_FORMAT);
    CHECK(ink_file_digest(file, digest, NULL) == INK_FORMAT);
}

TEST(a_payload_that_its_kind_refuses_is_refused_without_an_error_to_fill)
{
    owned_sample sample = files_sample_of("hll list 4");
    ink_file    *refused;
    ink_sketch  *sketch;

    files_set(sample.bytes + files_payload_at(sample.bytes), 3, 0);
    files_repair(sample.bytes, sample.count);
    CHECK(ink_file_decode(&refused, sample.bytes, sample.count, INK_OPEN_CHECKED, NULL, NULL) ==
          INK_FORMAT);
    owned_opened *file = opened(&sample, INK_OPEN_LAZY);
    CHECK(ink_file_sketch(file, 0, &sketch, NULL) == INK_FORMAT);
    CHECK(ink_file_check(file, NULL) == INK_FORMAT);
}

TEST(a_file_without_entries_has_the_default_key_rule)
{
    owned_sample sample = files_sample_of("without entries");
    ink_file    *file;

    CHECK_OK(decode(&file, &sample, INK_OPEN_CHECKED));
    ink_file_close(file);
    files_set(sample.bytes + 16, 8, 5); /* the seed */
    files_repair(sample.bytes, sample.count);
    CHECK_FAILS(decode(&file, &sample, INK_OPEN_CHECKED), INK_FORMAT, "a file without entries");
    assert_int_equal(error.at, 12);
}

/* ---- The last slots ----------------------------------------------------------------------- */

static const ink_params slot_kinds[] = {
    {.kind = "bloom", .expected_keys = 20}, /* for the whole window, which will be above its rate */
    {.kind = "classic", .expected_keys = 200},
    {.kind = "counting", .expected_keys = 200},
    {.kind = "count-min", .width = 37, .depth = 3},
    {.kind = "fm"},
    {.kind = "hll", .precision = 6},
    {.kind = "theta", .precision = 4},
    {.kind = "scalable", .expected_keys = 200},
    {.kind = "top", .phi = 0.02},
};
enum { SLOT_KINDS = sizeof slot_kinds / sizeof slot_kinds[0], SLOTS = 6 };

/* A file with six slots of groups "a" and none, of one kind: slot i has the keys 10 i to 10 i + 20,
 * in the group without a name 1000 more. Slots are far apart, and some before 1970. */
static sketches_snapshot encode_slots(const ink_params *params)
{
    ink_entry entries[2 * SLOTS + 1];

    for (unsigned i = 0; i < 2 * SLOTS; i++) {
        unsigned slot = i / 2;
        entries[i] = (ink_entry){
            .label = i % 2 == 0 ? ink_group("a") : (ink_label){0},
            .sketch = files_sketch(params, 10 * slot + 1000 * (i % 2), 20, NULL),
        };
        entries[i].label.has_slot = true;
        entries[i].label.slot = ((int64_t)slot - 2) * 1000000;
    }
    entries[2 * SLOTS] = (ink_entry){.label = ink_group("a"),
                                     .sketch = files_sketch(params, 5000, 20, NULL)}; /* no slot */
    sketches_snapshot made =
        sketches_encode(&(ink_contents){.entries = entries, .entry_count = 2 * SLOTS + 1});
    for (unsigned i = 0; i <= 2 * SLOTS; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    return made;
}

static ink_file *open_slots(const sketches_snapshot *encoded, unsigned flags)
{
    ink_file *file;

    CHECK_OK(ink_file_decode(&file, encoded->bytes, encoded->count, flags, NULL, &error));
    return file;
}

TEST(the_last_slots_of_a_group_are_united)
{
    const ink_label         group = ink_group("a");
    const ink_merge_options parts = {.parts = true};

    for (int k = 0; k < SLOT_KINDS; k++)
        for (const unsigned *flags = all_flags; flags < all_flags + 4; flags++) {
            owned_snapshot encoded = encode_slots(&slot_kinds[k]);
            owned_opened  *file = open_slots(&encoded, *flags);
            for (size_t last = 0; last <= SLOTS + 2; last++)
                for (unsigned named = 0; named < 2; named++) {
                    size_t        slots = last == 0 || last > SLOTS ? SLOTS : last;
                    owned_sketch *found = NULL,
                                 *expected = files_sketch(&slot_kinds[k], 0, 0, NULL);
                    CHECK_OK(ink_file_last(file, named ? slot_kinds[k].kind : NULL,
                                           named ? &group : NULL, last, &found, &error));
                    for (size_t slot = SLOTS - slots; slot < SLOTS; slot++) {
                        owned_sketch *part =
                            files_sketch(&slot_kinds[k], 10 * slot + (named ? 0 : 1000), 20, NULL);
                        CHECK_OK(ink_sketch_merge(expected, part, &parts, &error));
                    }
                    CHECK(sketches_equal(found, expected));
                    CHECK(!sketches_describe(found).read_only);
                    CHECK(sketches_describe(found).records == 20 * slots);
                    CHECK_OK(ink_sketch_add(found, "more", 4, &error)); /* the caller's own */
                }
        }
}

TEST(the_slots_of_a_segment_of_time_are_united)
{
    const ink_label         group = ink_group("a");
    const ink_merge_options parts = {.parts = true};
    owned_snapshot          encoded = encode_slots(&slot_kinds[5]);
    owned_opened           *file = open_slots(&encoded, INK_OPEN_CHECKED);
    ink_sketch             *found;

    /* Slots start at -2, -1, 0, 1, 2, 3 seconds: every segment by half seconds. */
    for (int from = -5; from <= 8; from++)
        for (int until = -5; until <= 8; until++) {
            owned_sketch *expected = files_sketch(&slot_kinds[5], 0, 0, NULL);
            unsigned      slots = 0;
            for (int slot = 0; slot < SLOTS; slot++) {
                if (2 * (slot - 2) < from || 2 * (slot - 2) >= until)
                    continue;
                owned_sketch *part = files_sketch(&slot_kinds[5], 10 * (unsigned)slot, 20, NULL);
                CHECK_OK(ink_sketch_merge(expected, part, &parts, &error));
                slots++;
            }
            if (slots == 0) {
                CHECK_FAILS(ink_file_between(file, "hll", &group, from * 500000, until * 500000,
                                             &found, &error),
                            INK_NOT_FOUND, "no hll of group \"a\" with a slot of that time");
            } else {
                CHECK_OK(ink_file_between(file, NULL, &group, from * 500000, until * 500000, &found,
                                          &error));
                CHECK(sketches_equal(found, expected));
                ink_sketch_free(found);
            }
        }
    CHECK_OK(ink_file_between(file, NULL, NULL, INT64_MIN, INT64_MAX, &found, &error));
    CHECK(sketches_describe(found).records == 20 * SLOTS);
    ink_sketch_free(found);
    CHECK_FAILS(ink_file_between(file, NULL, NULL, INT64_MIN, INT64_MIN, &found, &error),
                INK_NOT_FOUND, "no hll without a group with a slot of that time");
    CHECK_FAILS(ink_file_between(file, "bloom", NULL, 0, 1, &found, &error), INK_NOT_FOUND,
                "the file has no sketch of kind bloom");
}

TEST(of_a_label_only_the_group_is_looked_at)
{
    ink_label      group = ink_group("a");
    owned_sketch  *plain = NULL, *with_slot = NULL;
    owned_snapshot encoded = encode_slots(&slot_kinds[5]);
    owned_opened  *file = open_slots(&encoded, INK_OPEN_CHECKED);

    CHECK_OK(ink_file_last(file, NULL, &group, 2, &plain, &error));
    group.has_slot = true;
    group.slot = 12345;
    CHECK_OK(ink_file_last(file, NULL, &group, 2, &with_slot, &error));
    CHECK(sketches_equal(plain, with_slot));
}

TEST(slots_at_the_ends_of_time_are_among_the_last)
{
    owned_sample    sample = files_sample_of("groups");
    owned_opened   *file = opened(&sample, INK_OPEN_CHECKED);
    const ink_label empty = ink_group(""), last = ink_group("\xff\xfe"), a = ink_group("a");
    const ink_label null_group = {.group_kind = INK_GROUP_NULL};
    const struct {
        const ink_label *label;
        uint64_t         records;
    } groups[] = {{&empty, 15}, {&last, 33}, {&null_group, 9}, {NULL, 3}, {&a, 21 + 24}};

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        owned_sketch *sketch = NULL;
        CHECK_OK(ink_file_last(file, NULL, groups[i].label, 0, &sketch, &error));
        assert_int_equal(sketches_describe(sketch).records, groups[i].records);
    }
}

TEST(a_group_without_slots_has_no_last_ones)
{
    owned_sample    sample = files_sample_of("groups");
    owned_opened   *file = opened(&sample, INK_OPEN_CHECKED);
    const ink_label absent = ink_group("nobody"), plain = ink_group("ab");
    const ink_label wrong = {.group_kind = (ink_group_kind)9};
    ink_sketch     *sketch = NULL;

    CHECK_FAILS(ink_file_last(file, NULL, &absent, 1, &sketch, &error), INK_NOT_FOUND,
                " with a slot");
    CHECK_FAILS(ink_file_last(file, NULL, &plain, 1, &sketch, &error), INK_NOT_FOUND,
                " with a slot"); /* though it has a sketch without one */
    CHECK_FAILS(ink_file_last(file, "bloom", &absent, 1, &sketch, &error), INK_NOT_FOUND,
                "the file has no sketch of kind bloom");
    CHECK(ink_file_last(file, NULL, &wrong, 1, &sketch, &error) == INK_USAGE);
    CHECK(ink_file_last(file, NULL, &absent, 1, &sketch, NULL) == INK_NOT_FOUND);
    owned_sample  two = files_sample_of("two kinds"), none = files_sample_of("without entries");
    owned_opened *of_two = opened(&two, INK_OPEN_CHECKED),
                 *of_none = opened(&none, INK_OPEN_CHECKED);
    CHECK_FAILS(ink_file_last(of_two, NULL, NULL, 1, &sketch, &error), INK_USAGE,
                "the file has 2 kinds, bloom and hll among them: name one");
    CHECK_FAILS(ink_file_last(of_none, NULL, NULL, 1, &sketch, &error), INK_NOT_FOUND,
                "the file has no sketch");
    assert_null(sketch);
}

TEST(slots_that_do_not_meet_are_refused)
{
    const ink_params sizes[] = {{.kind = "fm", .width = 3}, {.kind = "fm", .width = 4}};
    owned_sketch *a = files_sketch(&sizes[0], 0, 5, NULL), *b = files_sketch(&sizes[1], 0, 5, NULL);
    const ink_entry entries[] = {
        {.label = {.has_slot = true, .slot = 0}, .sketch = a},
        {.label = {.has_slot = true, .slot = 1}, .sketch = b},
    };
    owned_snapshot encoded = sketches_encode(&(ink_contents){.entries = entries, .entry_count = 2});
    owned_opened  *file = open_slots(&encoded, INK_OPEN_CHECKED);
    owned_sketch  *sketch = NULL;

    CHECK_FAILS(ink_file_last(file, NULL, NULL, 0, &sketch, &error), INK_MISMATCH,
                "sizes differ: 9 groups of 3 sub-sketches, and 9 of 4");
    assert_null(sketch);
    CHECK_OK(ink_file_last(file, NULL, NULL, 1, &sketch, &error)); /* one alone is fine */
    CHECK(sketches_describe(sketch).width == 4);
}

TEST(a_damaged_slot_is_not_united)
{
    const ink_label group = ink_group("a");

    for (int lazy_copy = 0; lazy_copy < 2; lazy_copy++) {
        owned_snapshot encoded = encode_slots(&slot_kinds[3]);
        ink_sketch    *sketch = NULL;
        uint8_t       *damaged = encoded.bytes + files_payload_at(encoded.bytes) + 8;
        if (lazy_copy)
            *damaged ^= 1;
        owned_opened *file = open_slots(&encoded, INK_OPEN_LAZY | (lazy_copy ? INK_OPEN_COPY : 0));
        if (!lazy_copy)
            *damaged ^= 1;
        CHECK_FAILS(ink_file_last(file, NULL, &group, 0, &sketch, &error), INK_FORMAT,
                    "the file is damaged");
        assert_null(sketch);
    }
}

TEST(every_refusal_of_memory_while_uniting_slots_is_clean)
{
    const ink_label group = ink_group("a");

    for (int k = 0; k < SLOT_KINDS; k++)
        for (const unsigned *flags = all_flags; flags < all_flags + 4; flags++) {
            owned_snapshot encoded = encode_slots(&slot_kinds[k]);
            for (uint64_t nth = 1;; nth++) {
                faults_memory memory = {0};
                ink_allocator allocator = faults_allocator(&memory);
                ink_sketch   *sketch = NULL;
                ink_file     *file;
                CHECK_OK(ink_file_decode(&file, encoded.bytes, encoded.count, *flags, &allocator,
                                         &error));
                memory.refuse_at = memory.asked + nth;
                ink_status status = ink_file_last(file, NULL, &group, 4, &sketch, &error);
                assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
                CHECK((sketch == NULL) == (status != INK_OK));
                ink_sketch_free(sketch);
                ink_file_close(file);
                faults_check_no_leak(&memory);
                if (memory.refused == 0)
                    break;
            }
        }
}

/* ---- Many entries, several threads -------------------------------------------------------- */

enum { MANY = 40000, DAMAGED_MAX = 2 };

/* Two tables of many entries, blooms and hlls of two sizes each. */
static void encode_many(uint8_t **bytes, size_t *count)
{
    static const ink_params params[] = {{.kind = "bloom", .expected_keys = 10},
                                        {.kind = "bloom", .expected_keys = 300},
                                        {.kind = "hll", .precision = 6},
                                        {.kind = "hll", .precision = 7}};
    static char             names[MANY][8];
    static ink_entry        entries[2 * MANY];
    ink_sketch             *sketches[4];

    for (unsigned i = 0; i < 4; i++)
        sketches[i] = files_sketch(&params[i], 0, 5, NULL);
    for (unsigned i = 0; i < 2 * MANY; i++) {
        snprintf(names[i % MANY], sizeof names[0], "%05u", i % MANY);
        entries[i] = (ink_entry){.label = ink_group(names[i % MANY]),
                                 .sketch = sketches[2 * (i / MANY) + i % 3 % 2]};
    }
    CHECK_OK(ink_contents_encode(&(ink_contents){.entries = entries, .entry_count = 2 * MANY},
                                 bytes, count, &error));
    for (unsigned i = 0; i < 4; i++)
        ink_sketch_free(sketches[i]);
}

/* Cells at the ends of what a thread checks. The first that is refused is named, whichever thread
 * finds its own first. */
TEST(a_damaged_entry_is_found_alike_by_any_number_of_threads)
{
    static const struct {
        struct {
            unsigned table, column;
            uint64_t index;
            uint8_t  flip; /* of the cell's first byte; of a payload, if there is no such column */
        } damaged[DAMAGED_MAX];
        const char *message; /* a part of it; NULL: nothing is damaged */
    } rows[] = {
        {{{0, 0, 0, 0}}, NULL},
        {{{0, INK__COLUMN_GROUP_BYTES, 5 * 4096 + 4, '6' ^ '5'}}, "entry 4096 is not after"},
        {{{0, INK__COLUMN_GROUP_BYTES, 5 * 36864 + 4, '4' ^ '3'},
          {0, INK__COLUMN_GROUP_BYTES, 5 * 8192 + 4, '2' ^ '1'}},
         "entry 8192 is not after"},
        {{{1, INK__COLUMN_GROUP_END, 4095, 255}}, "a group name from"},
        {{{0, INK__COLUMN_GROUP_END, 12287, 128}}, "a group name from"},
        {{{1, INK__COLUMN_PAYLOAD_OFFSET, 0, 32}, {1, INK__COLUMN_PAYLOAD_OFFSET, 16384, 32}},
         "payload offset"},
        {{{0, INK__COLUMN_PAYLOAD_OFFSET, MANY - 1, 1}}, "payload offset"},
        {{{1, INK__COLUMN_FIELD, 39999, 64}, {1, INK__COLUMN_FIELD, 20480, 64}}, "precision"},
        {{{0, INK__COLUMN_FIELD + 1, 28672, 255}}, ""},
        {{{1, INK__COLUMNS, 4095, 255}, {1, INK__COLUMNS, 32768, 255}}, ""},
    };
    uint8_t *whole, *bytes;
    size_t   count;

    encode_many(&whole, &count);
    bytes = malloc(count);
    assert_non_null(bytes);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ink_file *file;
        ink_error alone = {0};
        CHECK_OK(ink_file_decode(&file, whole, count, INK_OPEN_TRUSTED, NULL, &error));
        memcpy(bytes, whole, count);
        for (unsigned d = 0; d < DAMAGED_MAX; d++) {
            const ink__directory_table *table = &file->image.tables[rows[r].damaged[d].table];
            const unsigned              column = rows[r].damaged[d].column;
            ink__entry                  entry;
            ink__image_entry(&file->image, table->first + rows[r].damaged[d].index % MANY, &entry);
            const uint8_t *cell = column == INK__COLUMNS
                                      ? ink__image_payload(&file->image, &entry)
                                      : table->columns[column].data +
                                            rows[r].damaged[d].index * table->columns[column].width;
            if (rows[r].damaged[d].flip != 0)
                bytes[cell - whole] ^= rows[r].damaged[d].flip;
        }
        ink_file_close(file);
        files_repair(bytes, count);
        write_file("many.ink", bytes, count);
        for (unsigned threads = 1; threads <= 64; threads = 2 * threads + 1) {
            const ink__crew crew = ink__crew_of(NULL, threads);
            ink_status      status = ink__file_open(&file, "many.ink", INK_OPEN_CHECKED,
                                               threads == 1 ? NULL : &crew, NULL, &error);
            if (rows[r].message == NULL) {
                CHECK_OK(status);
                ink_file_close(file);
                continue;
            }
            assert_int_equal(status, INK_FORMAT);
            if (threads == 1)
                alone = error;
            CHECK(error.at == alone.at && strstr(error.message, rows[r].message) != NULL);
            assert_string_equal(error.message, alone.message);
        }
    }
    free(bytes);
    ink_bytes_free(whole, count, NULL);
    assert_int_equal(remove("many.ink"), 0);
}

RUN_TESTS()
