/* hostile_test.c - files that are cut, flipped, joined, foreign or made to harm: each is refused
 * with INK_FORMAT, a message and a byte of the file, having taken little memory; or it is a valid
 * file after all, and then every call on it works. Every file lies against a page that cannot be
 * read, so that one byte too many ends the test. */
#define _DEFAULT_SOURCE 1
#include "faults/hostile.h"

#include <unistd.h>

/* ---- Whole files -------------------------------------------------------------------------- */

TEST(every_sample_is_accepted_and_every_call_on_it_works)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        snprintf(tried, sizeof tried, "%s", sample.name);
        const uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        REQUIRE(refused_or_used(bytes, sample.count));
        /* The repair must change nothing in a file that needs none. */
        uint8_t *same = malloc(sample.count);
        assert_non_null(same);
        memcpy(same, bytes, sample.count);
        files_repair(same, sample.count);
        REQUIRE(memcmp(same, bytes, sample.count) == 0);
        free(same);
        files_sample_free(&sample);
    }
}

TEST(every_truncation_is_refused)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        for (size_t count = 0; count < sample.count; count++) {
            /* Of a large file: the first and the last lengths, and some between. */
            if (sample.large && count > 1500 && count + 40000 < sample.count)
                count += 40000;
            else if (sample.large && count > 1500 && count + 300 < sample.count)
                count = sample.count - 300;
            const uint8_t *bytes = files_location(&guard, sample.bytes, count);
            snprintf(tried, sizeof tried, "%s cut to %zu bytes", sample.name, count);
            require_refused_every_way(bytes, count);
        }
        files_sample_free(&sample);
    }
}

/* Repairing what can be repaired does not help a file that was cut. */
TEST(every_truncation_is_refused_although_checksums_are_repaired)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        for (size_t count = FILES_HEADER_BYTES; count < sample.count && !sample.large; count++) {
            uint8_t *bytes = files_location(&guard, sample.bytes, count);
            snprintf(tried, sizeof tried, "%s cut to %zu bytes, repaired", sample.name, count);
            files_repair(bytes, count);
            require_refused(bytes, count);
        }
        files_sample_free(&sample);
    }
}

TEST(every_single_bit_flip_is_refused)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        for (size_t at = 0; at < sample.count; at++) {
            if (sample.large && at > 400 && at + 40000 < sample.count)
                at += 39999;
            else if (sample.large && at > 400 && at + 64 < sample.count)
                at = sample.count - 64;
            for (unsigned bit = light() ? (unsigned)(at % 8) : 0; bit < 8; bit += light() ? 8 : 1) {
                bytes[at] ^= (uint8_t)(1u << bit);
                snprintf(tried, sizeof tried, "%s with bit %u of byte %zu flipped", sample.name,
                         bit, at);
                require_refused(bytes, sample.count);
                bytes[at] ^= (uint8_t)(1u << bit);
            }
        }
        REQUIRE(look_at(bytes, sample.count, INK_OPEN_CHECKED) == INK_OK);
        files_sample_free(&sample);
    }
}

/* ---- Lazily ------------------------------------------------------------------------------- */

/* Every way to carry the bytes of a view elsewhere finds that they are damaged. */
static void require_found_by_its_uses(ink_file *file, size_t index)
{
    uint8_t         digest[INK_DIGEST_BYTES], *bytes = NULL;
    ink_sketch     *view, *into = NULL;
    ink_description d;
    size_t          count;

    ink_status status = ink_file_sketch(file, index, &view, &error);
    if (status != INK_OK) { /* found already */
        REQUIRE(status == INK_FORMAT && error.location == INK_AT_BYTE);
        return;
    }
    ink_sketch_describe(view, &d);
    ink_params params = params_of(&d);
    uint8_t   *payload = malloc((size_t)d.bytes + 1);
    assert_non_null(payload);
    if (!is_able(&d, FIXED)) {
        REQUIRE_OK(ink_sketch_create(&into, &params, NULL, &error));
        REQUIRE(ink_sketch_merge(into, view, NULL, &error) == INK_FORMAT);
        REQUIRE(ink_sketch_intersect(into, view, &error) == INK_FORMAT);
        ink_sketch_describe(into, &d);
        REQUIRE(d.records == 0);
        ink_sketch_free(into);
    }
    REQUIRE(ink_sketch_copy(&into, view, NULL, &error) == INK_FORMAT);
    REQUIRE(ink_sketch_encode(view, &bytes, &count, &error) == INK_FORMAT && bytes == NULL);
    REQUIRE(ink_sketch_digest(view, digest, &error) == INK_FORMAT);
    ink_sketch_describe(view, &d);
    REQUIRE(ink_sketch_payload(view, payload, (size_t)d.bytes, &error) == INK_FORMAT);
    free(payload);
    ink_sketch_free(view);
}

static void flip_lazily(const files_sample *sample, uint8_t *bytes, size_t at)
{
    uint64_t       payload = files_payload_at(sample->bytes);
    bool           in_payload = at >= payload && at < files_sections_at(sample->bytes);
    ink_file      *file = NO_FILE;
    ink_entry_info info;
    uint8_t        digest[INK_DIGEST_BYTES];

    if (!in_payload) {
        require_named(ink_file_decode(&file, bytes, sample->count, INK_OPEN_LAZY, NULL, &error),
                      sample->count);
        REQUIRE(file == NO_FILE);
        return;
    }
    REQUIRE_OK(ink_file_decode(&file, bytes, sample->count, INK_OPEN_LAZY, NULL, &error));
    REQUIRE(ink_file_digest(file, digest, &error) == INK_FORMAT);
    for (size_t i = 0; i < ink_file_count(file) && !sample->large; i++) {
        REQUIRE_OK(ink_file_entry(file, i, &info, &error));
        if (info.bytes > 0 && chosen(i, ink_file_count(file))) /* all in one piece */
            require_found_by_its_uses(file, i);
    }
    require_named(ink_file_check(file, &error), sample->count);
    require_named(ink_file_check(file, &error), sample->count); /* and does not forget */
    ink_file_close(file);
}

TEST(a_flip_in_a_lazily_opened_file_is_found_at_once_or_when_bytes_are_used)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        uint64_t payload = files_payload_at(bytes), sections = files_sections_at(bytes);
        size_t   step = sample.large ? 50000 : sample.count > 4000 ? 61 : 7;
        for (size_t at = 0; at < sample.count; at += at >= payload && at < sections ? step : 1) {
            unsigned bit = (unsigned)(at % 8);
            bytes[at] ^= (uint8_t)(1u << bit);
            snprintf(tried, sizeof tried, "%s, lazily, with bit %u of byte %zu flipped",
                     sample.name, bit, at);
            flip_lazily(&sample, bytes, at);
            bytes[at] ^= (uint8_t)(1u << bit);
        }
        files_sample_free(&sample);
    }
}

TEST(a_lazily_opened_file_is_checked_once_it_is_asked_to_be)
{
    files_sample sample;
    ink_file    *file;
    ink_sketch  *view, *copy;

    files_sample_named(&sample, "bloom");
    uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
    CHECK_OK(ink_file_decode(&file, bytes, sample.count, INK_OPEN_LAZY, NULL, &error));
    CHECK_OK(ink_file_check(file, &error));
    CHECK_OK(ink_file_sketch(file, 0, &view, &error));
    CHECK_OK(ink_sketch_copy(&copy, view, NULL, &error));
    ink_sketch_free(copy);
    ink_sketch_free(view);
    ink_file_close(file);
    files_sample_free(&sample);
}

/* ---- Foreign and joined ------------------------------------------------------------------- */

TEST(bytes_after_the_end_are_refused)
{
    static const size_t more[] = {1, 2, 7, 8, 24, 32, 64, 4096};

    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint8_t *longer = malloc(2 * sample.count + 4096);
        assert_non_null(longer);
        memcpy(longer, sample.bytes, sample.count);
        for (unsigned fill = 0; fill < 2; fill++)
            for (size_t j = 0; j < sizeof more / sizeof more[0]; j++) {
                size_t count = sample.count + more[j];
                memset(longer + sample.count, fill == 0 ? 0 : 0xff, more[j]);
                uint8_t *bytes = files_location(&guard, longer, count);
                snprintf(tried, sizeof tried, "%s and %zu bytes of 0x%x", sample.name, more[j],
                         fill == 0 ? 0 : 0xffu);
                require_refused_every_way(bytes, count);
                REQUIRE(strstr(error.message, "after the end") != NULL);
                REQUIRE(error.at == sample.count);
                files_repair(bytes, count);
                require_refused_every_way(bytes, count);
            }
        free(longer);
        files_sample_free(&sample);
    }
}

TEST(two_files_in_one_are_reported_as_such)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint8_t *longer = malloc(2 * sample.count);
        assert_non_null(longer);
        memcpy(longer, sample.bytes, sample.count);
        memcpy(longer + sample.count, sample.bytes, sample.count);
        uint8_t *joined = files_location(&guard, longer, 2 * sample.count);
        snprintf(tried, sizeof tried, "%s twice, joined", sample.name);
        require_refused_every_way(joined, 2 * sample.count);
        REQUIRE(strstr(error.message, "another .ink file begins after the end") != NULL);
        REQUIRE(error.at == sample.count);
        free(longer);
        files_sample_free(&sample);
    }
}

TEST(files_of_other_programs_are_refused_by_name)
{
    static const struct {
        const char *start;
        size_t      bytes;
        const char *name;
    } foreign[] = {
        {"", 0, "too short: 0 bytes"},
        {"\x89", 1, "too short: 1 bytes"},
        {"\x89INK\r\n\x1a\n", 8, "too short: 8 bytes"},
        {"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10, "gzip"},
        {"\x1f\x8b", 2, "gzip"},
        {"\x28\xb5\x2f\xfd\x04\x58", 6, "zstd"},
        {"HYLL\x01\0\0\0", 8, "Redis HyperLogLog"},
        {"PAR1\x15\x04", 6, "Parquet"},
        {"\xfd"
         "7zXZ\0",
         6, "xz data"},
        {"BZh91AY&SY", 10, "bzip2"},
        {"\x04\x22\x4d\x18", 4, "lz4"},
        {"PK\x03\x04", 4, "zip"},
        {"ARROW1\0\0", 8, "Arrow"},
        {"ORC\x0a", 4, "ORC"},
        {"Obj\x01", 4, "Avro"},
        {"REDIS0011", 9, "dump of Redis"},
        {"user_id\tday\n17\tMon\n", 19, "text"},
        {"{\"kind\": \"bloom\"}", 17, "text"},
        {"\x89INK\n\x1a\n", 7, "transfer as text"},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "zeros"},
        {"\x7f"
         "ELF\x02\x01",
         6, "something else"},
    };

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        char longer[300] = {0};
        snprintf(tried, sizeof tried, "start of %s", foreign[i].name);
        const uint8_t *bytes =
            files_location(&guard, (const uint8_t *)foreign[i].start, foreign[i].bytes);
        require_refused_every_way(bytes, foreign[i].bytes);
        REQUIRE(strstr(error.message, foreign[i].name) != NULL);
        if (strstr(foreign[i].name, "short") != NULL)
            continue;
        memset(longer, foreign[i].bytes > 16 ? 'x' : 0, sizeof longer);
        memcpy(longer, foreign[i].start, foreign[i].bytes);
        bytes = files_location(&guard, (const uint8_t *)longer, sizeof longer);
        require_refused_every_way(bytes, sizeof longer);
        REQUIRE(strstr(error.message, foreign[i].name) != NULL && error.at == 0);
    }
}

/* Most have no name in their bytes: their length belongs to the numbers they begin with. */
TEST(sketches_of_other_programs_are_refused_by_name)
{
    static const struct {
        const char *start; /* numbers, the highest byte first */
        size_t      bytes, count;
        const char *name;
    } foreign[] = {
        {"\0\0\0\x01\0\0\0\x07\0\0\0\x10", 12, 12 + 16 * 8, "BloomFilter of Spark"},
        {"\0\0\0\x02\0\0\0\x07\0\0\0\x09\0\0\0\x10", 16, 16 + 16 * 8, "BloomFilter of Spark"},
        {"\x01\x07\0\0\0\x10", 6, 6 + 16 * 8, "BloomFilter of Guava"},
        {"\0\x07\0\0\0\x10", 6, 6 + 16 * 8, "BloomFilter of Guava"},
        {"\0\0\0\x01\0\0\0\0\0\0\x03\xe8\0\0\0\x05\0\0\0\x20", 20, 20 + 5 * 8 + 5 * 32 * 8,
         "CountMinSketch of Spark"},
        {"\x14\x8b\x7f\x12\x34", 5, 1283, "hll of PostgreSQL"},
        {"\x0a\x01\x07\x0c\0\x08", 6, 2088, "HLL sketch of DataSketches"},
        {"\x03\x03\x03\0\0\x1a", 6, 800, "theta sketch of DataSketches"},
    };
    static uint8_t bytes[4096];

    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        snprintf(tried, sizeof tried, "%s, number %zu", foreign[i].name, i);
        memset(bytes, 0x5a, sizeof bytes);
        memcpy(bytes, foreign[i].start, foreign[i].bytes);
        require_refused_every_way(files_location(&guard, bytes, foreign[i].count),
                                  foreign[i].count);
        REQUIRE(strstr(error.message, foreign[i].name) != NULL && error.at == 0);
        if (strstr(foreign[i].name, "Spark") == NULL && strstr(foreign[i].name, "Guava") == NULL)
            continue;
        require_refused_every_way(files_location(&guard, bytes, foreign[i].count - 1),
                                  foreign[i].count - 1);
        REQUIRE(strstr(error.message, "something else") != NULL); /* of another length it is none */
    }
}

TEST(no_bytes_at_all_are_refused)
{
    snprintf(tried, sizeof tried, "NULL");
    require_refused_every_way(NULL, 0);
}

TEST(another_version_is_refused_by_its_number)
{
    files_sample sample;

    files_sample_named(&sample, "bloom");
    for (unsigned version = 0; version < 65536; version = version * 2 + 2) {
        char     name[32];
        uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        files_set(bytes + FILES_VERSION_AT, 2, version);
        snprintf(name, sizeof name, "version %u", version);
        snprintf(tried, sizeof tried, "%s", name);
        /* With its checksum right or wrong: a later version may have another one. */
        require_refused_every_way(bytes, sample.count);
        REQUIRE(strstr(error.message, name) != NULL && error.at == FILES_VERSION_AT);
        files_repair(bytes, sample.count);
        require_refused_every_way(bytes, sample.count);
        REQUIRE(strstr(error.message, name) != NULL && error.at == FILES_VERSION_AT);
    }
    files_sample_free(&sample);
}

TEST(a_file_of_the_other_byte_order_is_refused)
{
    static const files_field swapped[] = {{12, 2}, {14, 2}, {16, 8}, {24, 8},
                                          {32, 8}, {40, 8}, {48, 8}};
    files_sample             sample;

    files_sample_named(&sample, "bloom");
    uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
    for (size_t i = 0; i < sizeof swapped / sizeof swapped[0]; i++)
        for (unsigned j = 0; j < swapped[i].width / 2; j++) {
            uint8_t *one = bytes + swapped[i].at + j;
            uint8_t *two = bytes + swapped[i].at + swapped[i].width - 1 - j;
            uint8_t  kept = *one;
            *one = *two;
            *two = kept;
        }
    snprintf(tried, sizeof tried, "byte order");
    require_refused_every_way(bytes, sample.count);
    files_repair(bytes, sample.count);
    require_refused_every_way(bytes, sample.count);
    files_sample_free(&sample);
}

/* ---- Fields, with checksums repaired ------------------------------------------------------ */

TEST(every_field_at_its_limits_is_refused_or_harmless)
{
    static files_field fields[4096];
    unsigned           accepted = 0, refused = 0;

    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        size_t count = sample.large ? 0 : files_fields(sample.bytes, sample.count, fields, 4096);
        for (size_t f = 0; f < count; f++) {
            uint64_t values[LIMITS_MAX],
                old = files_get(sample.bytes + fields[f].at, fields[f].width);
            size_t n = limits_around(old, fields[f].width, values);
            for (size_t v = 0; v < n; v++)
                if (try_value(&sample, fields[f], values[v]))
                    accepted++;
                else
                    refused++;
        }
        files_sample_free(&sample);
    }
    /* Both must happen, or this test tests nothing. */
    assert_true(accepted > 500);
    assert_true(refused > 10000);
}

/* NaN, infinities, -0, negative numbers and numbers above 1 are no rates. */
TEST(no_rate_but_a_rate_is_accepted)
{
    static const struct {
        uint64_t bits;
        bool     asked, promised; /* whether each may be this */
    } rates[] = {
        {0x7ff8000000000000, false, false}, /* NaN */
        {0xfff8000000000000, false, false}, {0x7ff0000000000001, false, false},
        {0x7ff0000000000000, false, false},                                     /* infinities */
        {0xfff0000000000000, false, false}, {0x8000000000000000, false, false}, /* -0 */
        {0x4000000000000000, false, false},                                     /* 2 */
        {0xbff0000000000000, false, false},                                     /* -1 */
        {0x3ff0000000000001, false, false},                                     /* just above 1 */
        {0x3ff0000000000000, false, true},                                      /* 1 */
        {0x3fefffffffffffff, true, true},                                       /* just below 1 */
        {0x0000000000000001, true, true}, /* the smallest above 0 */
        {0x8000000000000001, false, false},
    };
    static const char *const names[] = {"bloom", "classic", "counting of ints", "scalable empty"};

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        files_field asked = files_column(sample.bytes, sample.count, 0, 17);
        files_field promised = files_column(sample.bytes, sample.count, 0, 18);
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
            REQUIRE(try_value(&sample, asked, rates[i].bits) == rates[i].asked);
            REQUIRE(rates[i].asked ||
                    (strstr(error.message, "target rate") != NULL && error.at == asked.at));
            REQUIRE(try_value(&sample, promised, rates[i].bits) == rates[i].promised);
            REQUIRE(rates[i].promised ||
                    (strstr(error.message, "promised rate") != NULL && error.at == promised.at));
        }
        files_sample_free(&sample);
    }
}

TEST(parameters_out_of_range_are_refused_with_the_range)
{
    static const struct {
        const char *sample;
        unsigned    column;
        uint64_t    value;
        const char *message;
    } wrong[] = {
        {"hll empty", 16, 3, "precision 3, expected 4 to 18"},
        {"hll empty", 16, 19, "precision 19, expected 4 to 18"},
        {"hll empty", 16, 255, "precision 255, expected 4 to 18"},
        {"theta empty", 16, 3, "precision 3, expected 4 to 26"},
        {"theta empty", 16, 27, "precision 27, expected 4 to 26"},
        {"theta empty", 16, ((uint64_t)1 << 32) + 12, "precision 4294967308, expected 4 to 26"},
        {"hll empty", 16, ((uint64_t)1 << 32) + 14, "precision 4294967310, expected 4 to 18"},
        {"classic", 20, 65, "65 hashes, expected 1 to 64"},
        {"classic", 20, 0xffffffff, "4294967295 hashes, expected 1 to 64"},
        {"classic", 19, ((uint64_t)1 << 43) + 1, "bits, expected 1 to 2^43"},
        {"classic", 19, UINT64_MAX, "bits, expected 1 to 2^43"},
        {"classic", 19, UINT64_MAX - 6, "bits, expected 1 to 2^43"},
        {"classic mmh3", 19, ((uint64_t)1 << 32) + 1, "bits, expected 1 to 2^32"},
        {"counting", 8, 383, "a counting of 383 bytes"},
        {"counting", 8, 353, "a counting of 353 bytes"},
        {"scalable", 19, 0x3fb0000000000000, "ratio 0.0625, expected 0.1 to 0.9"},
        {"scalable", 19, 0x3ff0000000000000, "ratio 1, expected 0.1 to 0.9"},
        {"scalable", 19, 0x7ff8000000000000, "ratio nan, expected 0.1 to 0.9"},
        {"scalable", 21, 1025, "1025 levels, expected at most 1024"},
        {"scalable", 21, UINT64_MAX, "levels, expected at most 1024"},
        {"scalable", 21, ((uint64_t)1 << 58) + 1, "levels, expected at most 1024"},
        {"count-min", 16, ((uint64_t)1 << 32) + 1, "counters in a row, expected 1 to 2^32"},
        {"count-min", 16, UINT64_MAX, "counters in a row, expected 1 to 2^32"},
        {"count-min", 17, 65, "65 rows, expected 1 to 64"},
        {"count-min", 17, (uint64_t)1 << 32, "4294967296 rows, expected 1 to 64"},
        {"count-min", 18, 33, "counters of 33 bits, expected 32 or 64"},
        {"count-min", 18, ((uint64_t)1 << 32) + 32, "counters of 4294967328 bits"},
        {"count-min 64", 19, 2, "conservative is 2, expected 0 or 1"},
        {"count-min 64", 19, (uint64_t)1 << 32, "conservative is 4294967296, expected 0 or 1"},
        {"top", 16, (1 << 20) + 1, "capacity 1048577, expected 1 to 1048576"},
        {"top", 16, ((uint64_t)1 << 32) + 8, "capacity 4294967304, expected 1 to 1048576"},
        {"top", 19, 17, "17 keys, expected at most 16"},
        {"top", 19, UINT64_MAX, "keys, expected at most 16"},
        {"top", 19, ((uint64_t)1 << 59) + 12, "keys, expected at most 16"}, /* x 32 is 384 */
        {"top of ints", 18, 1000, "a key may have been missed 1000 times, expected at most 16"},
        {"top of ints", 18, UINT64_MAX, "times, expected at most 16"},
        {"fm", 17, 256, "256 groups, expected 1 to 255"},
        {"fm", 17, ((uint64_t)1 << 32) + 4, "4294967300 groups, expected 1 to 255"},
        {"fm", 16, 65536, "65536 sub-sketches in 4 groups each, expected at most 65536"},
        {"fm", 16, ((uint64_t)1 << 62) + 7, "expected at most 65536"}, /* x 4 is 28 */
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        files_sample sample;
        files_sample_named(&sample, wrong[i].sample);
        files_field field = files_column(sample.bytes, sample.count, 0, wrong[i].column);
        REQUIRE(!try_value(&sample, field, wrong[i].value));
        REQUIRE(strstr(error.message, wrong[i].message) != NULL && error.at == field.at);
        files_sample_free(&sample);
    }
}

TEST(every_byte_of_header_directory_and_sections_may_be_anything)
{
    unsigned accepted = 0;

    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint64_t payload = files_payload_at(sample.bytes),
                 sections = files_sections_at(sample.bytes);
        for (uint64_t at = 8; at < sample.count && !sample.large; at++) {
            if (at >= payload && at < sections)
                at = sections;
            if (at > 700 && at + 200 < sample.count && at % 8 != 0)
                continue; /* of a long directory some */
            uint8_t old = sample.bytes[at], values[3] = {0x00, 0xff, (uint8_t)(old + 1)};
            for (unsigned v = 0; v < 3; v++)
                if (values[v] != old && (v < 2 || (values[v] != 0 && values[v] != 0xff)))
                    accepted += try_value(&sample, (files_field){.at = at, .width = 1}, values[v]);
        }
        files_sample_free(&sample);
    }
    assert_true(accepted > 100);
}

TEST(several_fields_at_once_may_be_anything)
{
    static files_field fields[4096];

    random_state = 1;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        size_t count = sample.large ? 0 : files_fields(sample.bytes, sample.count, fields, 4096);
        for (unsigned round = 0; round < (light() ? 300u : 3000u) && count > 0; round++) {
            uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            unsigned changes = 2 + (unsigned)(next_random() % 4);
            for (unsigned c = 0; c < changes; c++) {
                /* Mostly neighbours: a header changed at random is refused for that alone. */
                files_field field = fields[next_random() % count];
                if (field.at < FILES_HEADER_BYTES && next_random() % 8 != 0)
                    continue;
                uint64_t old = files_get(bytes + field.at, field.width);
                files_set(bytes + field.at, field.width, random_value(old));
            }
            files_repair(bytes, sample.count);
            snprintf(tried, sizeof tried, "%s, round %u", sample.name, round);
            refused_or_used(bytes, sample.count);
        }
        files_sample_free(&sample);
    }
}

/* ---- Directories made to harm ------------------------------------------------------------- */

/* Nothing but columns of one value: such a table can have one entry and no more, however many it
 * says. A reader that believed it would never end. */
TEST(a_huge_number_of_entries_of_one_value_is_refused_at_once)
{
    static const char *const names[] = {"bloom",       "classic",    "counting", "scalable",
                                        "count-min",   "top",        "fm",       "hll empty",
                                        "hll list 14", "theta full", "fuse"};

    alarm(60); /* instead of for ever */
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (unsigned shift = 1; shift < 65; shift++) {
            files_sample sample;
            files_sample_named(&sample, names[n]);
            uint64_t entries = shift == 64 ? UINT64_MAX : (uint64_t)1 << shift;
            uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            files_set(bytes + FILES_ENTRIES_AT, 8, entries);
            files_set(bytes + FILES_HEADER_BYTES + 16, 8, entries);
            files_repair(bytes, sample.count);
            snprintf(tried, sizeof tried, "%s with 2^%u entries", sample.name, shift);
            require_refused_every_way(bytes, sample.count);
            files_sample_free(&sample);
        }
    alarm(0);
}

/* A small file of one table of hlls with two-byte group ends, as a forger would make it. */
static size_t forge_groups(uint8_t *bytes, const uint16_t *ends, unsigned entries, unsigned names)
{
    unsigned end_bytes = (2 * entries + 7) / 8 * 8, name_bytes = (names + 7) / 8 * 8;
    unsigned columns = names == 0 ? 3 : 4;
    unsigned data = 8 + 16 + (4 * columns + 7) / 8 * 8;
    unsigned directory = (data + 8 + end_bytes + name_bytes + 8 + 8 + 63) / 64 * 64;
    uint8_t *d = bytes + 64, *description = d + 8;
    size_t   count = 64 + directory + 32;

    memset(bytes, 0, count);
    memcpy(bytes, "\x89INK\r\n\x1a\n\1", 9); /* and version 1 */
    files_set(bytes + 14, 2, 1);             /* hash: XXH3 */
    files_set(bytes + FILES_ENTRIES_AT, 8, entries);
    files_set(bytes + FILES_DIRECTORY_AT, 8, directory);
    files_set(d, 4, 1);
    files_set(description, 2, 8); /* kind, rule, layout, columns, entries */
    files_set(description + 2, 2, 5);
    files_set(description + 4, 2, 1);
    files_set(description + 6, 2, columns);
    files_set(description + 8, 8, entries);
    uint8_t *column = description + 16;
    files_set(column, 4, 1 | 0 << 16 | 8u << 24); /* group kind */
    files_set(column + 4, 4, 2 | 1 << 16 | 2u << 24);
    if (names > 0)
        files_set(column + 8, 4, 3 | 2 << 16 | 1u << 24);
    files_set(column + 4 * (columns - 1), 4, 16 | 0 << 16 | 8u << 24); /* precision */
    files_set(d + data, 8, INK_GROUP_BYTES);
    for (unsigned i = 0; i < entries; i++)
        files_set(d + data + 8 + 2 * i, 2, ends[i]);
    for (unsigned i = 0; i < names; i++)
        d[data + 8 + end_bytes + i] = (uint8_t)('a' + i % 26);
    files_set(d + data + 8 + end_bytes + name_bytes, 8, 14);
    files_set(bytes + 64 + directory, 4, 0xffffffff);
    files_set(bytes + 64 + directory + 4, 4, 1);
    files_set(bytes + 64 + directory + 8, 8, 8);
    files_set(bytes + 64 + directory + 16, 8, count);
    files_repair(bytes, count);
    return count;
}

TEST(group_names_that_end_outside_of_their_column_are_refused)
{
    static const struct {
        uint16_t ends[4];
        unsigned entries, names;
        bool     valid;
    } forged[] = {
        {{1, 2, 300}, 3, 300, true},          /* the forger knows how */
        {{50000, 60000, 300}, 3, 300, false}, /* a comparison far after the column */
        {{1000, 2000, 300}, 3, 300, false},
        {{300, 600, 900, 4}, 4, 4, false},
        {{300, 600, 0}, 3, 0, false}, /* there is no column of names at all */
        {{400, 4}, 2, 4, false},
        {{65535, 65535, 65535, 1}, 4, 1, false},
        {{300, 0}, 2, 0, false},
    };
    uint8_t bytes[2048];

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        size_t count = forge_groups(bytes, forged[i].ends, forged[i].entries, forged[i].names);
        snprintf(tried, sizeof tried, "forged groups %zu", i);
        const uint8_t *placed = files_location(&guard, bytes, count);
        REQUIRE(refused_or_used(placed, count) == forged[i].valid);
        REQUIRE(forged[i].valid || strstr(error.message, "group") != NULL);
    }
}

/* Random ends and random names; most of it is refused, nothing is read that is not there. */
TEST(random_group_ends_are_refused_or_harmless)
{
    uint8_t  bytes[2048];
    unsigned accepted = 0;

    random_state = 2;
    for (unsigned round = 0; round < 20000; round++) {
        unsigned entries = 2 + (unsigned)(next_random() % 8);
        uint16_t ends[10];
        uint64_t end = 0, step = next_random() % 2 == 0 ? 60 : 8000;
        for (unsigned i = 0; i < entries; i++)
            ends[i] = (uint16_t)(end += next_random() % step);
        if (next_random() % 2 == 0)
            ends[next_random() % entries] = (uint16_t)(next_random() % 400);
        size_t count = forge_groups(bytes, ends, entries, ends[entries - 1] % 500);
        snprintf(tried, sizeof tried, "random group ends, round %u", round);
        const uint8_t *placed = files_location(&guard, bytes, count);
        if (look_at(placed, count, INK_OPEN_CHECKED) == INK_OK) {
            accepted++;
            if (accepted % 8 == 0)
                REQUIRE(use_file(placed, count));
        }
    }
    assert_true(accepted > 50);
}

TEST(an_unknown_critical_section_is_refused_by_its_id)
{
    files_sample sample;

    files_sample_named(&sample, "two kinds");
    uint64_t at = files_sections_at(sample.bytes);
    while (files_get(sample.bytes + at, 4) != 77) /* of another program */
        at += 24 + (files_get(sample.bytes + at + 8, 8) + 7) / 8 * 8;
    REQUIRE(!try_value(&sample, (files_field){.at = at + 4, .width = 4}, 1));
    REQUIRE(strstr(error.message, "section 77 is critical") != NULL && error.at == at);
    files_sample_free(&sample);
}

TEST(kinds_that_are_unknown_are_refused_by_number)
{
    files_sample sample;

    files_sample_named(&sample, "hll empty");
    for (unsigned kind = 0; kind < 20; kind++) {
        char number[32];
        if (kind == 8)
            continue;
        snprintf(number, sizeof number, "kind %u is unknown: a newer", kind);
        REQUIRE(!try_value(&sample, (files_field){.at = 72, .width = 2}, kind));
        /* A kind that there is has another position rule than an hll. */
        bool known = kind >= 1 && ink_kind_name(kind - 1) != NULL;
        REQUIRE(strstr(error.message, known ? "position rule 5" : number) != NULL);
        REQUIRE(error.at == (known ? 74 : 72));
    }
    files_sample_free(&sample);
}

/* Newer ids are no damage, and the message says so; 0 is no id. */
TEST(hashes_position_rules_and_layouts_that_are_unknown_are_refused_by_number)
{
    static const struct {
        const char *name;
        uint64_t    at;
    } ids[] = {{"hash", 14}, {"position rule", 74}, {"layout", 76}};
    static const unsigned numbers[] = {0, 99, 65535};
    files_sample          sample;

    files_sample_named(&sample, "hll empty");
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
            char number[32];
            snprintf(number, sizeof number, "%s %u", ids[i].name, numbers[n]);
            REQUIRE(!try_value(&sample, (files_field){.at = ids[i].at, .width = 2}, numbers[n]));
            REQUIRE(strstr(error.message, number) != NULL && error.at == ids[i].at);
            bool newer = strstr(error.message, "is unknown: a newer library is needed") != NULL;
            REQUIRE(newer == (numbers[n] != 0));
        }
    files_sample_free(&sample);
}

/* ---- Payloads, with checksums repaired ---------------------------------------------------- */

TEST(bytes_between_payloads_must_be_zero)
{
    files_sample sample;
    unsigned     found = 0;

    files_sample_named(&sample, "three kinds");
    for (uint64_t at = files_payload_at(sample.bytes); at < files_sections_at(sample.bytes); at++) {
        uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        bytes[at] ^= 1;
        files_repair(bytes, sample.count);
        snprintf(tried, sizeof tried, "three kinds with byte %llu changed", (unsigned long long)at);
        if (look_at(bytes, sample.count, INK_OPEN_CHECKED) != INK_OK &&
            strstr(error.message, "between payloads") != NULL) {
            REQUIRE(error.at == at);
            found++;
        }
    }
    /* 32 bytes of bloom, 8 of classic and 24 of nothing, 15 of hll and 17 of nothing. */
    assert_int_equal(found, 24 + 17);
    files_sample_free(&sample);
}

/* ---- Secrets ------------------------------------------------------------------------------ */

TEST(a_keyed_file_holds_no_secret_and_knows_a_wrong_one)
{
    files_sample sample;
    ink_sketch  *sketch;
    uint8_t      wrong[INK_SECRET_BYTES];
    bool         maybe;

    files_sample_named(&sample, "keyed");
    for (size_t at = 0; at + 8 <= sample.count; at++)
        assert_true(memcmp(sample.bytes + at, files_secret, 8) != 0 &&
                    memcmp(sample.bytes + at, files_secret + 8, 8) != 0);
    CHECK_OK(ink_sketch_decode(&sketch, sample.bytes, sample.count, NULL, &error));
    CHECK_FAILS(ink_sketch_contains(sketch, "key 1", 5, &maybe, &error), INK_MISMATCH, "secret");
    for (unsigned bit = 0; bit < 8 * INK_SECRET_BYTES; bit++) {
        memcpy(wrong, files_secret, sizeof wrong);
        wrong[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK_FAILS(ink_sketch_unlock(sketch, wrong, &error), INK_MISMATCH, "another secret");
    }
    CHECK_OK(ink_sketch_unlock(sketch, files_secret, &error));
    CHECK_OK(ink_sketch_contains(sketch, "key 1", 5, &maybe, &error));
    assert_true(maybe);
    ink_sketch_free(sketch);
    files_sample_free(&sample);
}

int main(void)
{
    files_guard_create(&guard, 4u << 20);
    int failed = check_run((check_fixtures){0});
    files_guard_free(&guard);
    return failed;
}
