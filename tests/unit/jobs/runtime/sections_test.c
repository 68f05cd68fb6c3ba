/* sections_test.c - the section of the origin says of which format a file was, if it is as it was
 * written; anything else says nothing. */
#include "jobs/runtime/sections.h"

#include "inkling_command.h"
#include "support/check.h"
#include "support/records.h"

static ink_error error;

/* Fails unless a file with these bytes as its origin, beside another section, is of this format. */
static void check_origin(const char *bytes, size_t count, const char *format)
{
    const ink_section sections[] = {
        {.id = INK_SECTION_ORIGIN, .data = (const uint8_t *)bytes, .bytes = count},
        {.id = 1000, .data = (const uint8_t *)"other", .bytes = 5}};
    const ink_contents contents = {.sections = sections + (bytes == NULL),
                                   .section_count = bytes == NULL ? 1 : 2};
    owned_file         file;
    ink_section        found;

    CHECK_OK(ink_contents_encode(&contents, &file.bytes, &file.count, &error));
    CHECK_OK(ink_file_decode(&file.file, file.bytes, file.count, 0, NULL, &error));
    const char *origin = ink_file_origin(file.file);
    CHECK((origin == NULL) == (format == NULL));
    if (format != NULL)
        assert_string_equal(origin, format);
    ink_status status = ink__section_find(file.file, INK_SECTION_ORIGIN, &found, &error);
    assert_int_equal(status, bytes == NULL ? INK_NOT_FOUND : INK_OK);
    CHECK(bytes == NULL || (found.bytes == count && memcmp(found.data, bytes, count) == 0));
}

TEST(an_origin_is_read_as_it_was_written)
{
    ink__origin origin;

    ink__origin_make(&origin, "spark");
    check_origin(origin.text, origin.bytes, "spark");
    check_origin("format\0x", 9, "x");
}

TEST(what_is_no_origin_says_nothing)
{
    check_origin(NULL, 0, NULL);
    check_origin("format\0", 8, NULL); /* of no name */
    check_origin("format", 7, NULL);
    check_origin("format\0x", 8, NULL); /* without its end */
    check_origin("format\0x\0y", 11, NULL);
    check_origin("Format\0x", 9, NULL);
    check_origin("x", 2, NULL);
}

RUN_TESTS()
