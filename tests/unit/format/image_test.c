/* image_test.c - reading a file in place: a header that is not right is refused with its place,
 * sections are kept in order or refused, and damage to payloads is named by its piece. The
 * directory has a test of its own. */
#include "format/image.h"

#include "format/directory.h"
#include "support/cases.h"
#include "support/files.h"

static ink_error  error;
static ink__image image;

static ink_status parse(const uint8_t *bytes, size_t count)
{
    return ink__image_parse(&image, bytes, count, &error);
}

/* Sets a field of the sample's header, repairs, and expects a refusal with these words there. */
static void check_header_field(unsigned at, unsigned width, uint64_t value, const char *words)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    files_set(sample.bytes + at, width, value);
    files_repair(sample.bytes, sample.count);
    CHECK_FAILS(parse(sample.bytes, sample.count), INK_FORMAT, words);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, at);
    files_sample_free(&sample);
}

/* ---- Header ------------------------------------------------------------------------------- */

CASE(a_file_of_another_kind_is_refused_by_its_name)
{
    const struct {
        const char *bytes;
        size_t      count;
        const char *words;
    } others[] = {
        {"\x1f\x8b\x08\x00", 4, "not an .ink file, but gzip data"},
        {"\x1f", 1, "not an .ink file, but something else"},
        {"\x28\xb5\x2f\xfd\x00", 5, "zstd data"},
        {"HYLL\x01", 5, "a Redis HyperLogLog"},
        {"PAR1\x15", 5, "a Parquet file"},
        {"\x89INK\n\x1a\n", 7, "an .ink file damaged by a transfer as text"},
        {"key\tvalue\r\nant\t1\n", 17, "but text"},
        {"key\x7f", 4, "something else"},
        {"k\x01", 2, "something else"},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK_FAILS(parse((const uint8_t *)others[i].bytes, others[i].count), INK_FORMAT,
                    others[i].words);
        assert_int_equal(error.at, 0);
    }
}

CASE(a_file_that_is_too_short_for_a_header_is_refused_with_its_length)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    CHECK_FAILS(parse(NULL, 0), INK_FORMAT, "too short: 0 bytes, the header alone needs 64");
    CHECK_FAILS(parse(sample.bytes, 5), INK_FORMAT, "too short: 5 bytes");
    CHECK_FAILS(parse(sample.bytes, 63), INK_FORMAT, "too short: 63 bytes");
    assert_int_equal(error.at, 63);
    files_sample_free(&sample);
}

CASE(another_version_is_named_even_where_the_checksum_is_wrong)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    files_set(sample.bytes + FILES_VERSION_AT, 2, 513);
    CHECK_FAILS(parse(sample.bytes, sample.count), INK_FORMAT,
                "format version 513: made by a newer library, this one reads version 1");
    assert_int_equal(error.at, 8);
    files_sample_free(&sample);
}

CASE(a_draft_is_reported_from_a_file_of_a_newer_version)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    files_set(sample.bytes + FILES_VERSION_AT, 2, 0);
    CHECK_FAILS(parse(sample.bytes, sample.count), INK_FORMAT,
                "format version 0, a draft: build the file anew, expected version 1");
    assert_int_equal(error.at, 8);
    files_sample_free(&sample);
}

CASE(a_damaged_header_is_refused)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    sample.bytes[20] ^= 4;
    CHECK_FAILS(parse(sample.bytes, sample.count), INK_FORMAT, "the header's checksum is wrong");
    assert_int_equal(error.at, 56);
    files_sample_free(&sample);
}

CASE(flags_in_the_header_are_refused)
{
    check_header_field(INK__HEADER_FLAGS, 2, 0x102, "flags 0x102, expected 0");
}

CASE(a_directory_size_that_cannot_be_is_refused)
{
    check_header_field(FILES_DIRECTORY_AT, 8, 0, "directory of 0 bytes");
    check_header_field(FILES_DIRECTORY_AT, 8, 96,
                       "directory of 96 bytes, expected a multiple of 64");
    check_header_field(FILES_DIRECTORY_AT, 8, 1 << 20, "a directory of 1048576");
    check_header_field(FILES_DIRECTORY_AT, 8, UINT64_MAX - 63, "the file is cut short");
}

CASE(a_payload_size_that_cannot_be_is_refused)
{
    check_header_field(FILES_PAYLOAD_AT, 8, 33, "payloads of 33 bytes, expected a multiple of 32");
    check_header_field(FILES_PAYLOAD_AT, 8, 1 << 20, "payloads of 1048576");
    check_header_field(FILES_PAYLOAD_AT, 8, UINT64_MAX - 31, "the file is cut short");
}

/* ---- Sections ----------------------------------------------------------------------------- */

CASE(sections_are_found_in_order_with_their_bytes)
{
    files_sample sample;
    ink_section  section;

    files_sample_named(&sample, "two kinds");
    CHECK_OK(parse(sample.bytes, sample.count));
    assert_int_equal(image.section_count, 3);
    ink__image_section(&image, 0, &section);
    CHECK(section.id == INK_SECTION_INPUT_SPEC && section.critical && section.count == 13);
    assert_memory_equal(section.bytes, "lines of text", 13);
    ink__image_section(&image, 1, &section);
    CHECK(section.id == INK_SECTION_POSITION && !section.critical && section.count == 8);
    ink__image_section(&image, 2, &section);
    CHECK(section.id == 77 && !section.critical && section.count == 16);
    assert_memory_equal(section.bytes, "of somebody else", 16);
    files_sample_free(&sample);
}

/* Sections of the sample "two kinds", counted from the first: what stands where. */
enum {
    RECIPE = 0,
    RECIPE_PADDING = 16 + 13,
    RECIPE_SUM = 16 + 16,
    POSITION = 40,
    FOREIGN = 72,
    END = 112,
    END_BYTES = 32,
};

/* Changes a field of the sections, repairs, and expects a refusal with these words at `location`.
 */
static void check_section_field(unsigned at, unsigned width, uint64_t value, const char *words,
                                unsigned location)
{
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    uint64_t start = files_sections_at(sample.bytes);
    assert_int_equal(start + END + END_BYTES, sample.count);
    files_set(sample.bytes + start + at, width, value);
    files_repair(sample.bytes, sample.count);
    CHECK_FAILS(parse(sample.bytes, sample.count), INK_FORMAT, words);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, start + location);
    files_sample_free(&sample);
}

CASE(a_damaged_section_is_refused_at_its_checksum)
{
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    uint64_t start = files_sections_at(sample.bytes);
    sample.bytes[start + 20] ^= 1;
    CHECK_FAILS(parse(sample.bytes, sample.count), INK_FORMAT,
                "the checksum of section 1 is wrong");
    assert_int_equal(error.at, start + RECIPE_SUM);
    files_sample_free(&sample);
}

CASE(flags_of_a_section_other_than_critical_are_refused)
{
    check_section_field(POSITION + 4, 4, 2, "flags 0x2 of section 2, expected 0 or 1",
                        POSITION + 4);
}

CASE(sections_out_of_order_are_refused)
{
    check_section_field(POSITION, 4, 1, "section 1 after section 1, expected rising ids", POSITION);
    check_section_field(RECIPE, 4, 0, "section 0 after section 0", RECIPE);
}

CASE(padding_of_a_section_that_is_not_zero_is_refused)
{
    check_section_field(RECIPE_PADDING + 1, 1, 9, "padding byte 0x9, expected 0",
                        RECIPE_PADDING + 1);
}

CASE(an_unknown_critical_section_is_refused_by_its_id)
{
    (void)state; /* as an optional one it was kept, above */
    check_section_field(FOREIGN + 4, 4, 1, "section 77 is critical and unknown", FOREIGN);
}

CASE(a_section_longer_than_the_file_is_refused)
{
    check_section_field(FOREIGN + 8, 8, 1 << 20, "a section is cut short", END + END_BYTES);
    check_section_field(END + 8, 8, UINT64_MAX, "a section is cut short", END + END_BYTES);
}

CASE(a_section_without_room_for_its_checksum_is_refused)
{
    check_section_field(END + 8, 8, 16, "a section's checksum is cut short", END + END_BYTES);
}

CASE(an_end_section_of_another_form_is_refused)
{
    check_section_field(END + 4, 4, 0, "expected a critical one of 8", END + END_BYTES);
    check_section_field(END + 8, 8, 0, "an end section of 0 bytes", END + END_BYTES - 8);
}

CASE(a_file_that_says_it_has_another_length_is_refused)
{
    check_section_field(END + 16, 8, 7, "the file says it has 7 bytes, but it has", END + 16);
}

CASE(bytes_after_the_end_section_are_refused)
{
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    uint8_t *longer = calloc(1, sample.count + 5);
    assert_non_null(longer);
    memcpy(longer, sample.bytes, sample.count);
    CHECK_FAILS(parse(longer, sample.count + 5), INK_FORMAT,
                "5 bytes after the end of the file's contents");
    assert_int_equal(error.at, sample.count);
    free(longer);
    files_sample_free(&sample);
}

CASE(a_file_without_an_end_section_is_refused)
{
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    CHECK_FAILS(parse(sample.bytes, sample.count - END_BYTES), INK_FORMAT,
                "a section is cut short");
    files_sample_free(&sample);
}

/* ---- Payloads ----------------------------------------------------------------------------- */

CASE(damage_in_the_third_piece_is_named_by_its_offset)
{
    const ink_params params = {.kind = "bloom", .bits = 8 * (5 << 19)};
    ink_sketch      *sketch = files_sketch(&params, 0, 10, NULL);
    uint8_t         *bytes;
    size_t           count;

    CHECK_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
    CHECK_OK(parse(bytes, count));
    bytes[image.payload_at + (2 << 20) + 77] ^= 0x10;

    CHECK_FAILS(ink__image_check_payloads(&image, &error), INK_FORMAT,
                "the checksum of the 524288 payload bytes from here is wrong");
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, image.payload_at + (2 << 20));

    /* Only the pieces that are asked for are looked at. */
    CHECK_OK(ink__image_check_pieces(&image, 0, 2 << 20, &error));
    CHECK_OK(ink__image_check_pieces(&image, 5, 0, &error));
    CHECK_FAILS(ink__image_check_pieces(&image, (2 << 20) - 1, 2, &error), INK_FORMAT, "524288");
    CHECK_FAILS(ink__image_check_pieces(&image, (5 << 19) - 1, 1, &error), INK_FORMAT, "524288");

    /* Once its owner says that all have been checked, no piece is looked at again. */
    bytes[image.payload_at + (2 << 20) + 77] ^= 0x10;
    CHECK_OK(ink__image_check_payloads(&image, &error));
    image.checked = true;
    bytes[image.payload_at] ^= 1;
    CHECK_OK(ink__image_check_payloads(&image, &error));
    CHECK_OK(ink__image_check_pieces(&image, 0, 1, &error));
    ink_bytes_free(bytes, count, NULL);
    ink_sketch_free(sketch);
}

CASE(a_byte_between_payloads_that_is_not_zero_is_refused)
{
    files_sample sample;
    ink__entry   entry, next;

    files_sample_named(&sample, "groups");
    CHECK_OK(parse(sample.bytes, sample.count));
    CHECK_OK(ink__image_check_payloads(&image, &error));
    ink__image_entry(&image, 3, &entry);
    ink__image_entry(&image, 4, &next);
    uint64_t gap = entry.payload_offset + entry.payload_bytes;
    CHECK(gap < next.payload_offset);

    sample.bytes[image.payload_at + gap] = 0x5a;
    files_repair(sample.bytes, sample.count);
    CHECK_OK(parse(sample.bytes, sample.count));
    CHECK_FAILS(ink__image_check_payloads(&image, &error), INK_FORMAT,
                "byte 0x5a between payloads, expected 0");
    assert_int_equal(error.at, image.payload_at + gap);
    files_sample_free(&sample);
}

CASE(a_byte_after_the_last_payload_that_is_not_zero_is_refused)
{
    files_sample sample;

    files_sample_named(&sample, "hll list 4");
    uint64_t last = files_sections_at(sample.bytes) - 1;
    sample.bytes[last] = 1;
    files_repair(sample.bytes, sample.count);
    CHECK_OK(parse(sample.bytes, sample.count));
    CHECK_FAILS(ink__image_check_payloads(&image, &error), INK_FORMAT, "byte 0x1 between payloads");
    assert_int_equal(error.at, last);
    files_sample_free(&sample);
}

CASE(every_sample_is_read_and_checked)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        CHECK_OK(parse(sample.bytes, sample.count));
        CHECK_OK(ink__image_check_payloads(&image, &error));
        files_sample_free(&sample);
    }
}

CASE(more_than_64_sections_are_refused)
{
    enum { SECTION_BYTES = 24 };
    files_sample sample;

    files_sample_named(&sample, "bloom");
    /* 65 empty sections in front of the end section, whose file length is put right. */
    uint64_t at = files_sections_at(sample.bytes);
    size_t   end = sample.count - at, count = sample.count + 65 * SECTION_BYTES;
    uint8_t *bytes = calloc(1, count);
    memcpy(bytes, sample.bytes, at);
    for (unsigned i = 0; i < 65; i++)
        files_set(bytes + at + i * SECTION_BYTES, 4, i + 10);
    memcpy(bytes + at + 65 * SECTION_BYTES, sample.bytes + at, end);
    files_set(bytes + count - 16, 8, count);
    files_repair(bytes, count);
    CHECK_FAILS(parse(bytes, count), INK_FORMAT, "more than 64 sections");
    assert_int_equal(error.at, at + 64 * SECTION_BYTES);
    free(bytes);
    files_sample_free(&sample);
}

RUN_CASES()
