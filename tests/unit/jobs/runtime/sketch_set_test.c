/* sketch_set_test.c - a set owns its sketches and labels, gives them one by one, and saves them
 * with its input spec. */
#include "jobs/runtime/sketch_set.h"

#include "base/memory.h"
#include "base/status.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/owned.h"
#include "support/sketches.h"

#include <stdio.h>

static ink_error error;

enum { ENTRIES = 40 };

/* Adds entry number i: a sketch of i keys with the label "group i". */
static ink_status add_entry(ink_set *set, unsigned i, const ink_allocator *allocator)
{
    const ink_params params = {.kind = "hll", .precision = 4};
    ink_sketch      *sketch;
    ink_status       status = ink_sketch_create(&sketch, &params, allocator, &error);
    char             text[32];

    INK__TRY(status);
    for (unsigned key = 0; key < i && status == INK_OK; key++)
        status = ink_sketch_add(sketch, &key, sizeof key, &error);
    if (status != INK_OK) {
        ink_sketch_free(sketch);
        return status;
    }
    snprintf(text, sizeof text, "group %u", i);
    ink_label label = ink_group(text);
    status = ink__set_add(set, &label, sketch, &error);
    memset(text, 'x', sizeof text); /* the label was copied */
    return status;
}

static ink_status make_set(ink_set **set, const ink_allocator *allocator)
{
    INK__TRY(ink__set_create(set, allocator, &error));
    ink_status status = INK_OK;
    for (unsigned i = 0; i < ENTRIES && status == INK_OK; i++)
        status = add_entry(*set, i, allocator);
    if (status != INK_OK)
        ink_set_free(*set);
    return status;
}

TEST(entries_are_given_with_their_labels)
{
    owned_set *set = NULL;
    ink_entry  entry;
    char       text[32];

    CHECK_OK(make_set(&set, NULL));
    assert_int_equal(ink_set_count(set), ENTRIES);
    for (unsigned i = 0; i < ENTRIES; i++) {
        snprintf(text, sizeof text, "group %u", i);
        ink_label label = ink_group(text);
        CHECK_OK(ink_set_entry(set, i, &entry, &error));
        CHECK(ink_label_compare(&entry.label, &label) == 0);
        assert_int_equal(sketches_describe(entry.sketch).records, i);
    }
    entry.sketch = NULL;
    CHECK_FAILS(ink_set_entry(set, ENTRIES, &entry, &error), INK_NOT_FOUND,
                "entry 40 of a set of 40");
    assert_null(entry.sketch); /* untouched */
    ink_set_free(NULL);
}

TEST(a_set_may_be_empty)
{
    owned_set *set = NULL;
    ink_entry  entry;

    CHECK_OK(ink__set_create(&set, NULL, &error));
    assert_int_equal(ink_set_count(set), 0);
    CHECK_FAILS(ink_set_entry(set, 0, &entry, &error), INK_NOT_FOUND, "entry 0 of a set of 0");
}

/* The file that holds the set, as bytes and as a file, is the same and has the input spec. */
static void check_saved(const ink_set *set, const char *input_spec, size_t input_spec_bytes)
{
    uint8_t    *bytes;
    size_t      count;
    ink_file   *files[2];
    ink_section section;

    CHECK_OK(ink_set_encode(set, &bytes, &count, &error));
    CHECK_OK(ink_set_save(set, "x.ink", &error));
    CHECK_OK(ink_file_decode(&files[0], bytes, count, 0, NULL, &error));
    CHECK_OK(ink_file_open(&files[1], "x.ink", 0, NULL, &error));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ink_file_count(files[i]), ink_set_count(set));
        if (input_spec_bytes == 0) {
            assert_int_equal(ink_file_section(files[i], 0, &section, &error), INK_NOT_FOUND);
        } else {
            CHECK_OK(ink_file_section(files[i], 0, &section, &error));
            assert_int_equal(section.id, INK_SECTION_INPUT_SPEC);
            assert_int_equal(section.bytes, input_spec_bytes);
            assert_memory_equal(section.data, input_spec, input_spec_bytes);
        }
        ink_file_close(files[i]);
    }
    ink_bytes_free(bytes, count, NULL);
    remove("x.ink");
}

TEST(a_set_is_saved_with_its_input_spec)
{
    static const char input_spec[] = "in\0csv\0key\0id";
    owned_set        *set = NULL;

    CHECK_OK(make_set(&set, NULL));
    check_saved(set, NULL, 0);
    CHECK_OK(
        ink__arena_keep(&set->labels, input_spec, sizeof input_spec, &set->input_spec, &error));
    set->input_spec_bytes = sizeof input_spec;
    check_saved(set, input_spec, sizeof input_spec);
}

TEST(a_file_that_is_there_is_replaced_only_if_it_may_be)
{
    owned_set *set = NULL;

    CHECK_OK(make_set(&set, NULL));
    CHECK_OK(ink_set_save_to(set, "x.ink", false, &error));
    CHECK(ink_set_save_to(set, "x.ink", false, &error) != INK_OK);
    CHECK_OK(ink_set_save_to(set, "x.ink", true, &error));
    CHECK_OK(ink_set_save(set, "x.ink", &error));
    remove("x.ink");
}

/* ---- Many, and some of them --------------------------------------------------------------- */

/* Threads free them in slices of 4096. */
TEST(sets_of_many_sketches_free_all_of_them)
{
    static const unsigned counts[] = {1, 4095, 4096, 4097, 8192, 8193};

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (unsigned threads = 1; threads < 4; threads += 2) {
            faults_memory    memory = {.unfilled = true};
            ink_allocator    allocator = faults_allocator(&memory);
            const ink_params params = {.kind = "bloom", .bits = 256};
            const ink_label  label = {0};
            ink_set         *set;
            ink_sketch      *sketch;

            CHECK_OK(ink__set_create(&set, &allocator, &error));
            set->threads = threads;
            for (unsigned i = 0; i < counts[c]; i++) {
                CHECK_OK(ink_sketch_create(&sketch, &params, &allocator, &error));
                CHECK_OK(ink__set_add(set, &label, sketch, &error));
            }
            ink_set_free(set);
            faults_check_no_leak(&memory);
        }
}

static bool is_even(void *host, const ink_label *label)
{
    ++*(unsigned *)host;
    return (((const char *)label->group)[label->group_bytes - 1] - '0') % 2 == 0;
}

TEST(what_is_kept_stays_in_order_and_the_rest_is_freed)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    unsigned      asked = 0;
    ink_set      *set;
    ink_entry     entry;

    CHECK_OK(make_set(&set, &allocator));
    ink_set_keep(set, is_even, &asked);
    assert_int_equal(asked, ENTRIES);
    assert_int_equal(ink_set_count(set), ENTRIES / 2);
    for (unsigned i = 0; i < ENTRIES / 2; i++) {
        CHECK_OK(ink_set_entry(set, i, &entry, &error));
        assert_int_equal(sketches_describe(entry.sketch).records, 2 * i);
    }
    ink_set_free(set);
    faults_check_no_leak(&memory);
}

TEST(a_sketch_that_is_taken_is_the_callers_and_the_others_stay)
{
    static const unsigned taken[] = {0, 5, ENTRIES - 3}; /* the last one is the last of all */
    faults_memory         memory = {0};
    ink_allocator         allocator = faults_allocator(&memory);
    ink_set              *set;
    ink_sketch           *sketch;
    ink_entry             entry;
    uint64_t              left = ENTRIES * (ENTRIES - 1) / 2;

    CHECK_OK(make_set(&set, &allocator));
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(ink_set_take(set, taken[i], &sketch, &error));
        left -= sketches_describe(sketch).records;
        ink_sketch_free(sketch);
        assert_int_equal(ink_set_count(set), ENTRIES - 1 - i);
        uint64_t sum = 0;
        for (size_t k = 0; k < ink_set_count(set); k++) {
            CHECK_OK(ink_set_entry(set, k, &entry, &error));
            sum += sketches_describe(entry.sketch).records;
        }
        assert_int_equal(sum, left);
    }
    CHECK_FAILS(ink_set_take(set, ENTRIES - 3, &sketch, &error), INK_NOT_FOUND, "entry 37");
    ink_set_free(set);
    faults_check_no_leak(&memory);
}

TEST(a_view_of_a_file_of_the_set_is_not_taken)
{
    const ink_job job = {.threads = 1};
    owned_set    *set = NULL;
    ink_set      *loaded;
    uint8_t      *bytes;
    size_t        count;
    ink_file     *file;
    ink_sketch   *sketch;

    CHECK_OK(make_set(&set, NULL));
    CHECK_OK(ink_set_encode(set, &bytes, &count, &error));
    CHECK_OK(ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, NULL, &error));
    CHECK_OK(ink__set_create(&loaded, NULL, &error));
    CHECK_OK(ink__set_own(loaded, file, &error));
    CHECK_OK(ink__set_load(loaded, file, &job, &error));
    assert_int_equal(ink_set_count(loaded), ENTRIES);
    CHECK_FAILS(ink_set_take(loaded, 7, &sketch, &error), INK_UNSUPPORTED, "a view of a file");
    assert_int_equal(ink_set_count(loaded), ENTRIES);
    ink_set_free(loaded); /* before its bytes */
    ink_bytes_free(bytes, count, NULL);
}

/* So that a thread takes about a MiB at a time. */
TEST(a_block_is_many_small_sketches_or_one_large_one)
{
    static const struct {
        uint64_t bits, block;
    } sizes[] = {{256, 1024}, {256 << 10, 32}, {8 << 20, 1}, {16 << 20, 1}};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        owned_set  *set = NULL;
        ink_sketch *sketch;

        CHECK_OK(ink__set_create(&set, NULL, &error));
        assert_int_equal(ink__set_block(set), 1024);
        CHECK_OK(ink_sketch_create(&sketch, &(ink_params){.kind = "bloom", .bits = sizes[i].bits},
                                   NULL, &error));
        CHECK_OK(ink__set_add(set, &(ink_label){0}, sketch, &error));
        assert_int_equal(ink__set_block(set), sizes[i].block);
    }
}

/* ---- Keys --------------------------------------------------------------------------------- */

TEST(a_set_tells_how_many_columns_a_key_has)
{
    static const struct {
        const char *spec;
        size_t      bytes, columns;
    } cases[] = {
        {"", 0, 0},
        {"in\0lines", 9, 1},
        {"in\0csv\0key\0a", 13, 1},
        {"in\0csv\0key\0a\0key\0key\0by\0key", 28, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        owned_set *set = NULL;
        CHECK_OK(ink__set_create(&set, NULL, &error));
        set->input_spec = (const uint8_t *)cases[i].spec;
        set->input_spec_bytes = cases[i].bytes;
        assert_int_equal(ink_set_key_columns(set), cases[i].columns);
    }
}

TEST(a_tuple_is_its_fields_of_which_any_may_be_empty)
{
    static const uint8_t key[] = "\2\0\0\0ab\0\0\0\0\1\0\0\0c\0\0\0";
    static const size_t  lengths[] = {2, 0, 1, 0};
    const uint8_t       *at = key, *field;
    size_t               left = sizeof key, bytes; /* the NUL of the text is the last byte */

    for (size_t i = 0; i < 4; i++) {
        CHECK(ink_tuple_next(&at, &left, &field, &bytes));
        assert_int_equal(bytes, lengths[i]);
    }
    assert_int_equal(left, 0);
    CHECK(!ink_tuple_next(&at, &left, &field, &bytes));
    for (left = 0; left < 6; left++) { /* cut */
        size_t there = left;
        at = key;
        CHECK(!ink_tuple_next(&at, &there, &field, &bytes));
    }
}

TEST(refused_memory_frees_the_sketch_that_was_given)
{
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        ink_set      *set;
        ink_status    status = make_set(&set, &allocator);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        if (status == INK_OK)
            ink_set_free(set);
    }
}

RUN_TESTS()
