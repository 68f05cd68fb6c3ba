/* image_test.c - reading a file in place: a header that is not right is refused with its place,
 * sections are kept in order or refused, and damage to payloads is named by its piece. The
 * directory has a test of its own. */
#include "format/image.h"

#include "format/directory.h"
#include "jobs/runtime/accounting.h"
#include "support/check.h"
#include "support/files.h"

static ink_error  error;
static ink__image image;

static ink_status parse(const uint8_t *bytes, size_t count)
{
    return ink__image_parse(&image, bytes, count, NULL, &error);
}

/* A number that is set in a sample, whether its checksums are right again, the words of the refusal
 * and its location. Bytes count from the start of the file, or of its sections. */
typedef struct changed {
    unsigned    at, width;
    uint64_t    value;
    bool        repaired;
    const char *words;
    unsigned    location;
} changed;

static void check_changed(const char *name, bool sections, const changed *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        files_sample sample;
        files_sample_named(&sample, name);
        uint64_t start = sections ? files_sections_at(sample.bytes) : 0;
        files_set(sample.bytes + start + rows[i].at, rows[i].width, rows[i].value);
        if (rows[i].repaired)
            files_repair(sample.bytes, sample.count);
        CHECK_FAILS(parse(sample.bytes, sample.count), INK_FORMAT, rows[i].words);
        assert_int_equal(error.location, INK_AT_BYTE);
        assert_int_equal(error.at, start + rows[i].location);
        files_sample_free(&sample);
    }
}

/* ---- Header ------------------------------------------------------------------------------- */

TEST(a_file_of_another_kind_is_refused_by_its_name)
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
        {"\xef\xbb\xbfkey\n", 7, "but text"},
        {"\xff\xfek\0", 4, "but UTF-16 text"},
        {"\xfe\xff\0k", 4, "but UTF-16 text"},
        {"\xff\xfe\0\0", 4, "but UTF-32 text"},
        {"\0\0\xfe\xff", 4, "but UTF-32 text"},
        {"key\x7f", 4, "something else"},
        {"k\x01", 2, "something else"},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK_FAILS(parse((const uint8_t *)others[i].bytes, others[i].count), INK_FORMAT,
                    others[i].words);
        assert_int_equal(error.at, 0);
    }
}

TEST(a_file_that_is_too_short_for_a_header_is_refused_with_its_length)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    CHECK_FAILS(parse(NULL, 0), INK_FORMAT, "too short: 0 bytes, the header alone needs 64");
    CHECK_FAILS(parse(sample.bytes, 5), INK_FORMAT, "too short: 5 bytes");
    CHECK_FAILS(parse(sample.bytes, 63), INK_FORMAT, "too short: 63 bytes");
    assert_int_equal(error.at, 63);
    files_sample_free(&sample);
}

TEST(a_header_that_is_not_right_is_refused)
{
    enum { DIRECTORY = FILES_DIRECTORY_AT, PAYLOAD = FILES_PAYLOAD_AT };
    static const changed rows[] = {
        /* Another version is named even where the checksum is wrong. */
        {FILES_VERSION_AT, 2, 513, false,
         "format version 513: made by a newer library, this one reads version 1", 8},
        {FILES_VERSION_AT, 2, 0, false,
         "format version 0, a draft: build the file anew, expected version 1", 8},
        {INK__HEADER_SEED + 4, 1, 0xee, false, "the header's checksum is wrong", 56},
        {INK__HEADER_FLAGS, 2, 0x102, true, "flags 0x102, expected 0", INK__HEADER_FLAGS},
        {DIRECTORY, 8, 0, true, "directory of 0 bytes", DIRECTORY},
        {DIRECTORY, 8, 96, true, "directory of 96 bytes, expected a multiple of 64", DIRECTORY},
        {DIRECTORY, 8, 1 << 20, true, "a directory of 1048576", DIRECTORY},
        {DIRECTORY, 8, UINT64_MAX - 63, true, "the file is cut short", DIRECTORY},
        {PAYLOAD, 8, 33, true, "payloads of 33 bytes, expected a multiple of 32", PAYLOAD},
        {PAYLOAD, 8, 1 << 20, true, "payloads of 1048576", PAYLOAD},
        {PAYLOAD, 8, UINT64_MAX - 31, true, "the file is cut short", PAYLOAD},
    };

    check_changed("bloom", false, rows, sizeof rows / sizeof rows[0]);
}

TEST(a_header_suits_a_file_that_ends_with_what_it_declares)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    for (unsigned i = 0; i < 2; i++) {
        const unsigned last = i == 0 ? FILES_PAYLOAD_AT : FILES_DIRECTORY_AT;
        if (i == 1) { /* without payloads */
            files_set(sample.bytes + FILES_PAYLOAD_AT, 8, 0);
            files_repair(sample.bytes, sample.count);
        }
        const uint64_t count = INK__HEADER_BYTES + files_get(sample.bytes + FILES_DIRECTORY_AT, 8) +
                               files_get(sample.bytes + FILES_PAYLOAD_AT, 8);
        CHECK_OK(ink__image_check_header(sample.bytes, count, &error));
        CHECK_FAILS(ink__image_check_header(sample.bytes, count - 1, &error), INK_FORMAT,
                    "the file is cut short");
        assert_int_equal(error.at, last);
    }
    files_sample_free(&sample);
}

/* ---- Sections ----------------------------------------------------------------------------- */

TEST(sections_are_found_in_order_with_their_bytes)
{
    files_sample sample;
    ink_section  section;

    files_sample_named(&sample, "two kinds");
    CHECK_OK(parse(sample.bytes, sample.count));
    assert_int_equal(image.section_count, 3);
    ink__image_section(&image, 0, &section);
    CHECK(section.id == INK_SECTION_INPUT_SPEC && section.critical && section.bytes == 13);
    assert_memory_equal(section.data, "lines of text", 13);
    ink__image_section(&image, 1, &section);
    CHECK(section.id == INK_SECTION_POSITION && !section.critical && section.bytes == 8);
    ink__image_section(&image, 2, &section);
    CHECK(section.id == 77 && !section.critical && section.bytes == 16);
    assert_memory_equal(section.data, "of somebody else", 16);
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

TEST(a_section_that_is_not_right_is_refused)
{
    enum { FILE_END = END + END_BYTES };
    static const changed rows[] = {
        {20, 1, '!', false, "the checksum of section 1 is wrong", RECIPE_SUM},
        {POSITION + 4, 4, 2, true, "flags 0x2 of section 2, expected 0 or 1", POSITION + 4},
        {POSITION, 4, 1, true, "section 1 after section 1, expected rising ids", POSITION},
        {RECIPE, 4, 0, true, "section 0 after section 0", RECIPE},
        {RECIPE_PADDING + 1, 1, 9, true, "padding byte 0x9, expected 0", RECIPE_PADDING + 1},
        /* As an optional one it was kept, above. */
        {FOREIGN + 4, 4, 1, true, "section 77 is critical and unknown", FOREIGN},
        {FOREIGN + 8, 8, 1 << 20, true, "a section is cut short", FILE_END},
        {END + 8, 8, UINT64_MAX, true, "a section is cut short", FILE_END},
        {END + 8, 8, 16, true, "a section's checksum is cut short", FILE_END},
        {END + 4, 4, 0, true, "expected a critical one of 8", FILE_END},
        {END + 8, 8, 0, true, "an end section of 0 bytes", FILE_END - 8},
        {END + 16, 8, 7, true, "the file says it has 7 bytes, but it has", END + 16},
    };
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    assert_int_equal(files_sections_at(sample.bytes) + FILE_END, sample.count);
    files_sample_free(&sample);
    check_changed("two kinds", true, rows, sizeof rows / sizeof rows[0]);
}

TEST(bytes_after_the_end_section_are_refused)
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

TEST(a_file_that_begins_after_the_end_is_another_from_its_first_eight_bytes_on)
{
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    uint8_t *longer = calloc(1, sample.count + 9);
    assert_non_null(longer);
    memcpy(longer, sample.bytes, sample.count);
    memcpy(longer + sample.count, INK__MAGIC, 8);
    for (size_t more = 7; more <= 9; more++) {
        CHECK_FAILS(parse(longer, sample.count + more), INK_FORMAT,
                    more == 7 ? "7 bytes after the end of the file's contents"
                              : "another .ink file begins after the end of this one");
        assert_int_equal(error.at, sample.count);
    }
    free(longer);
    files_sample_free(&sample);
}

TEST(a_file_without_an_end_section_is_refused)
{
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    CHECK_FAILS(parse(sample.bytes, sample.count - END_BYTES), INK_FORMAT,
                "a section is cut short");
    files_sample_free(&sample);
}

/* ---- Payloads ----------------------------------------------------------------------------- */

TEST(damage_in_the_third_piece_is_named_by_its_offset)
{
    const ink_params params = {.kind = "bloom", .bits = 8 * (5 << 19)};
    ink_sketch      *sketch = files_sketch(&params, 0, 10, NULL);
    uint8_t         *bytes;
    size_t           count;

    CHECK_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
    CHECK_OK(parse(bytes, count));
    bytes[image.payload_at + (2 << 20) + 77] ^= 0x10;

    CHECK_FAILS(ink__image_check_payloads(&image, NULL, &error), INK_FORMAT,
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
    CHECK_OK(ink__image_check_payloads(&image, NULL, &error));
    image.checked = true;
    bytes[image.payload_at] ^= 1;
    CHECK_OK(ink__image_check_payloads(&image, NULL, &error));
    CHECK_OK(ink__image_check_pieces(&image, 0, 1, &error));
    ink_bytes_free(bytes, count, NULL);
    ink_sketch_free(sketch);
}

/* From the last step to the first, as threads may take them. */
static void each_backwards(const void *lender, unsigned threads, uint64_t count,
                           void (*step)(void *host, uint64_t number), void *host)
{
    CHECK(lender == NULL && threads == 3);
    while (count > 0)
        step(host, --count);
}

TEST(a_crew_names_the_first_piece_that_is_damaged)
{
    const ink__crew crews[] = {
        {3, NULL, each_backwards}, ink__crew_of(NULL, 3), ink__crew_of(NULL, 64)};
    const ink_params params = {.kind = "bloom", .bits = 8 * (25 << 19)};
    ink_sketch      *sketch = files_sketch(&params, 0, 10, NULL);
    uint8_t         *bytes;
    size_t           count;

    CHECK_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
    CHECK_OK(parse(bytes, count));
    for (uint64_t first = 12; first < 13; first--) /* down to 0: each has damage behind it */
        for (unsigned i = 0; i < 3; i++) {
            if (i == 0)
                bytes[image.payload_at + (first << 20) + 77] ^= 0x10;
            CHECK_FAILS(ink__image_check_payloads(&image, &crews[i], &error), INK_FORMAT,
                        first == 12 ? "the checksum of the 524288 payload bytes from here is wrong"
                                    : "the checksum of the 1048576 payload bytes from here");
            assert_int_equal(error.location, INK_AT_BYTE);
            assert_int_equal(error.at, image.payload_at + (first << 20));
        }
    ink_bytes_free(bytes, count, NULL);
    ink_sketch_free(sketch);
}

TEST(a_byte_between_payloads_that_is_not_zero_is_refused)
{
    files_sample sample;
    ink__entry   entry, next;

    files_sample_named(&sample, "groups");
    CHECK_OK(parse(sample.bytes, sample.count));
    CHECK_OK(ink__image_check_payloads(&image, NULL, &error));
    ink__image_entry(&image, 3, &entry);
    ink__image_entry(&image, 4, &next);
    uint64_t gap = entry.payload_offset + entry.payload_bytes;
    CHECK(gap < next.payload_offset);

    sample.bytes[image.payload_at + gap] = 0x5a;
    files_repair(sample.bytes, sample.count);
    CHECK_OK(parse(sample.bytes, sample.count));
    CHECK_FAILS(ink__image_check_payloads(&image, NULL, &error), INK_FORMAT,
                "byte 0x5a between payloads, expected 0");
    assert_int_equal(error.at, image.payload_at + gap);
    files_sample_free(&sample);
}

TEST(a_byte_after_the_last_payload_that_is_not_zero_is_refused)
{
    files_sample sample;

    files_sample_named(&sample, "hll list 4");
    uint64_t last = files_sections_at(sample.bytes) - 1;
    sample.bytes[last] = 1;
    files_repair(sample.bytes, sample.count);
    CHECK_OK(parse(sample.bytes, sample.count));
    CHECK_FAILS(ink__image_check_payloads(&image, NULL, &error), INK_FORMAT,
                "byte 0x1 between payloads");
    assert_int_equal(error.at, last);
    files_sample_free(&sample);
}

TEST(every_sample_is_read_and_checked)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        CHECK_OK(parse(sample.bytes, sample.count));
        CHECK_OK(ink__image_check_payloads(&image, NULL, &error));
        files_sample_free(&sample);
    }
}

TEST(more_than_64_sections_are_refused)
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

RUN_TESTS()
