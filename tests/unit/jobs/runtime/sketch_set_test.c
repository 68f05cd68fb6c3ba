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
