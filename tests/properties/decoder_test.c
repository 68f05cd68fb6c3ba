/* decoder_test.c - bytes that come in pieces of any size give what ink_sketch_decode gives for all
 * of them at once: the same sketch, or the same status, location and message. For every kind, hash
 * and key type of sketches.h, every sample and golden file, each of their truncations, flipped bits
 * and changed fields, bytes that are none of ours, and payloads of several pieces, whose parts are
 * written to the sketch as they come.
 *
 * With INK_TEST_LIGHT set, fewer flips and truncations. */
#include "properties/sketches.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/golden.h"
#include "support/in_pieces.h"

#include <stdio.h>

static char tried[160];

/* All at once, byte by byte, and in pieces of two draws. */
static bool alike(const uint8_t *bytes, size_t count)
{
    bool good = in_pieces_as_at_once(bytes, count, PIECES_WHOLE, tried);

    for (uint64_t sizes = PIECES_OF_1; sizes < PIECES_DRAWN + 2; sizes++)
        in_pieces_as_at_once(bytes, count, sizes, tried);
    return good;
}

/* Flips a bit, and tries it as it is and with the checksums put right. */
static void flip(const uint8_t *bytes, size_t count, size_t at, unsigned bit, uint64_t sizes)
{
    uint8_t *copy = test_malloc(count);

    snprintf(tried + strlen(tried), sizeof tried - strlen(tried), ", bit %u of byte %zu", bit, at);
    memcpy(copy, bytes, count);
    copy[at] ^= (uint8_t)(1u << bit);
    CHECK(!in_pieces_as_at_once(copy, count, sizes, tried));
    files_repair(copy, count);
    in_pieces_as_at_once(copy, count, sizes, tried);
    test_free(copy);
}

/* Truncates, lengthens and damages a file. */
static void damage(const uint8_t *bytes, size_t count, const char *name)
{
    size_t    tries = light() ? 20 : 120;
    generator random = {count};
    uint8_t  *longer = test_malloc(2 * count);

    memcpy(longer, bytes, count);
    memcpy(longer + count, bytes, count);
    for (size_t i = 0; i < tries; i++) {
        size_t cut = i < count && i < tries / 2 ? i : (size_t)random_below(&random, 2 * count);
        snprintf(tried, sizeof tried, "%s, %zu bytes of it", name, cut);
        in_pieces_as_at_once(longer, cut, PIECES_DRAWN + i, tried);
    }
    for (size_t i = 0; i < tries; i++) {
        snprintf(tried, sizeof tried, "%s", name);
        size_t at = i < tries / 2 ? i % count : (size_t)random_below(&random, count);
        flip(bytes, count, at, (unsigned)random_below(&random, 8), PIECES_DRAWN + i);
    }
    test_free(longer);
}

TEST_OF_ALL_VARIANTS(pieces_of_any_size_give_the_same_sketch)
{
    const uint64_t fillings[] = {0, 1, variants[i].keys / 2, variants[i].keys};

    for (size_t f = 0; f < sizeof fillings / sizeof fillings[0]; f++) {
        owned_sketch  *sketch = make_with(&variants[i].params, 0, fillings[f]);
        owned_snapshot encoded = encode(sketch);
        snprintf(tried, sizeof tried, "variant %zu with %llu keys", i,
                 (unsigned long long)fillings[f]);
        CHECK(alike(encoded.bytes, encoded.count));
    }
}

/* Those of one entry, of many and of none, with sections and labels. */
TEST(every_sample_and_golden_file_is_taken_or_refused_alike_also_damaged)
{
    for (unsigned i = 0; i < files_sample_count(); i++) {
        owned_sample sample = {0};
        files_sample_make(&sample, i);
        snprintf(tried, sizeof tried, "%s", sample.name);
        in_pieces_as_at_once(sample.bytes, sample.count, PIECES_DRAWN, tried);
        if (sample.large)
            continue;
        alike(sample.bytes, sample.count);
        damage(sample.bytes, sample.count, sample.name);
    }
    for (size_t i = 0; golden_at(i) != NULL; i++) {
        uint8_t *bytes;
        size_t   count;
        CHECK_OK(golden_build(golden_at(i), &bytes, &count, &error));
        snprintf(tried, sizeof tried, "%s.ink", golden_at(i)->name);
        in_pieces_as_at_once(bytes, count, PIECES_DRAWN, tried);
        if (count < 1 << 16)
            alike(bytes, count);
        ink_bytes_free(bytes, count, NULL);
    }
}

TEST(fields_at_their_limits_are_refused_alike)
{
    static const uint64_t values[] = {
        0, 1, 255, 1u << 31, (uint64_t)1 << 40, UINT64_MAX - 31, UINT64_MAX};
    static files_field fields[4096];

    for (unsigned i = 0; i < files_sample_count(); i++) {
        owned_sample sample = {0};
        files_sample_make(&sample, i);
        size_t found = sample.large ? 0 : files_fields(sample.bytes, sample.count, fields, 4096);
        for (size_t f = 0; f < found; f += light() ? 9 : 1)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                uint8_t *copy = test_malloc(sample.count);
                memcpy(copy, sample.bytes, sample.count);
                files_set(copy + fields[f].at, fields[f].width, values[v]);
                files_repair(copy, sample.count);
                snprintf(tried, sizeof tried, "%s with 0x%llx at %llu", sample.name,
                         (unsigned long long)values[v], (unsigned long long)fields[f].at);
                in_pieces_as_at_once(copy, sample.count, PIECES_DRAWN + f, tried);
                test_free(copy);
            }
    }
}

TEST(what_is_no_file_of_ours_is_named_alike)
{
    uint8_t spark[16 + 8 * 9] = {[3] = 2, [15] = 9}; /* known by its length */
    char    text[5000];

    memset(text, 'x', sizeof text);
    snprintf(tried, sizeof tried, "a filter of Spark");
    CHECK(!alike(spark, sizeof spark));
    CHECK(!alike(spark, sizeof spark - 1));
    snprintf(tried, sizeof tried, "text");
    for (size_t count = 0; count < sizeof text; count = 2 * count + 1)
        CHECK(!alike((const uint8_t *)text, count));
    snprintf(tried, sizeof tried, "gzip");
    CHECK(!alike((const uint8_t *)"\x1f\x8b\x08", 3));
}

/* ---- Payloads of several pieces ----------------------------------------------------------- */

/* Some 3 MiB each, of every kind that writes its payload as it comes; scalables have levels with
 * bytes between them, and levels that end within a piece. */
static const struct variant large[] = {
    {{.kind = "bloom", .bits = 256 * 100001}, 1000},
    {{.kind = "classic", .bits = (3 << 23) + 5, .hashes = 3}, 1000},
    {{.kind = "counting", .bits = 1024 * 24001}, 1000},
    {{.kind = "count-min", .width = 200003, .depth = 4}, 1000},
    {{.kind = "scalable", .expected_keys = 999, .false_positive_rate = 1e-5}, 500000},
    {{.kind = "scalable", .expected_keys = 3000000}, 1000},
    {{.kind = "top", .top_keys = 4000}, 120000}, /* opened as a whole */
};
enum { LARGE = sizeof large / sizeof large[0] };

TEST(payloads_of_several_pieces_are_taken_and_refused_alike)
{
    for (size_t i = 0; i < LARGE; i++) {
        owned_sketch  *sketch = make_with(&large[i].params, 0, large[i].keys);
        owned_snapshot encoded = encode(sketch);
        generator      random = {i};
        uint64_t       payload = files_payload_at(encoded.bytes);
        CHECK(encoded.count > 2 << 20);
        snprintf(tried, sizeof tried, "large variant %zu", i);
        CHECK(alike(encoded.bytes, encoded.count));
        for (int t = 0; t < (light() ? 3 : 12); t++) {
            size_t at = (size_t)random_below(&random, encoded.count);
            snprintf(tried, sizeof tried, "large variant %zu, cut at %zu", i, at);
            CHECK(!in_pieces_as_at_once(encoded.bytes, at, PIECES_DRAWN + (uint64_t)t, tried));
            snprintf(tried, sizeof tried, "large variant %zu", i);
            at = t % 2 == 0 ? at : payload + random_below(&random, 2000); /* records of levels */
            flip(encoded.bytes, encoded.count, at, (unsigned)t % 8, PIECES_DRAWN + (uint64_t)t);
        }
        /* The last bits, and the zeros after them. */
        for (size_t back = 1; back <= 64; back += 3) {
            snprintf(tried, sizeof tried, "large variant %zu", i);
            flip(encoded.bytes, encoded.count, files_sections_at(encoded.bytes) - back, 7,
                 PIECES_DRAWN + back);
        }
    }
}

/* Two faults: the one that ink_sketch_decode meets first is reported, not the one that comes first.
 */
TEST(of_two_faults_the_same_one_is_reported)
{
    for (size_t i = 0; i < LARGE; i++) {
        owned_sketch  *sketch = make_with(&large[i].params, 0, large[i].keys);
        owned_snapshot encoded = encode(sketch);
        generator      random = {i};
        uint8_t       *copy = test_malloc(encoded.count);
        for (int t = 0; t < (light() ? 3 : 16); t++) {
            memcpy(copy, encoded.bytes, encoded.count);
            for (int f = 0; f < 4; f++) {
                /* In the first kilobytes, in the last ones, or anywhere. */
                uint64_t anywhere = random_below(&random, encoded.count);
                uint64_t at = f == 0   ? random_below(&random, 600)
                              : f == 1 ? encoded.count - 1 - random_below(&random, 90)
                                       : anywhere;
                copy[at] ^= (uint8_t)(1u << random_below(&random, 8));
                if (f < 3 && random_below(&random, 2) == 0)
                    files_repair(copy, encoded.count);
            }
            snprintf(tried, sizeof tried, "large variant %zu, turn %d", i, t);
            in_pieces_as_at_once(copy, encoded.count, PIECES_DRAWN + (uint64_t)t, tried);
        }
        test_free(copy);
    }
}

/* ---- Memory ------------------------------------------------------------------------------- */

TEST(a_decoder_takes_a_tenth_more_than_the_sketch_at_most)
{
    static const ink_params sizes[] = {
        {.kind = "bloom", .bits = (uint64_t)1 << 30},
        {.kind = "scalable", .expected_keys = 100000000},
    };
    enum { AT_ONCE = 100000 };

    for (size_t i = 0; i < (light() ? 1 : sizeof sizes / sizeof sizes[0]); i++) {
        faults_memory  memory = {.unfilled = true};
        ink_allocator  allocator = faults_allocator(&memory);
        owned_sketch  *sketch = make_with(&sizes[i], 0, 1000), *again = NULL;
        owned_snapshot encoded = encode(sketch);
        ink_decoder   *decoder;
        CHECK(encoded.count > 100 << 20);
        CHECK_OK(ink_decoder_create(&decoder, &allocator, &error));
        for (size_t at = 0; at < encoded.count; at += AT_ONCE)
            CHECK_OK(ink_decoder_write(decoder, encoded.bytes + at,
                                       encoded.count - at < AT_ONCE ? encoded.count - at : AT_ONCE,
                                       &error));
        CHECK_OK(ink_decoder_finish(decoder, &again, &error));
        ink_decoder_free(decoder);
        CHECK(memory.most_bytes < encoded.count + encoded.count / 10);
        CHECK(sketches_equal_payloads(sketch, again));
    }
}

/* The checksums are right, and the header says that 2^40 bytes come. */
TEST(a_header_that_promises_much_gets_no_memory_for_it)
{
    owned_sample  sample = files_sample_of("bloom");
    faults_memory memory = {.unfilled = true};
    ink_allocator allocator = faults_allocator(&memory);

    for (unsigned field = FILES_DIRECTORY_AT; field <= FILES_PAYLOAD_AT; field += 8) {
        ink_decoder *decoder;
        uint8_t     *copy = test_malloc(sample.count);
        memcpy(copy, sample.bytes, sample.count);
        files_set(copy + field, 8, (uint64_t)1 << 40);
        files_repair(copy, sample.count);
        CHECK_OK(ink_decoder_create(&decoder, &allocator, &error));
        ink_decoder_write(decoder, copy, sample.count, &error);
        CHECK(memory.most_bytes < 16 * sample.count + 65536);
        ink_decoder_free(decoder);
        test_free(copy);
    }
    faults_check_no_leak(&memory);
}

/* A decoder without memory stays as it is: it fails again, and frees all. */
TEST(refused_memory_ends_a_decoder)
{
    for (size_t i = 0; i < LARGE; i++) {
        owned_sketch  *sketch = make_with(&large[i].params, 0, large[i].keys);
        owned_snapshot encoded = encode(sketch);
        for (faults_refusals run = {.memory.unfilled = true}; faults_refusals_next(&run);) {
            owned_sketch *made = NULL;
            ink_decoder  *decoder = NULL;
            ink_status    status = ink_decoder_create(&decoder, &run.allocator, &error);
            for (size_t at = 0; status == INK_OK && at < encoded.count; at += 300000)
                status = ink_decoder_write(
                    decoder, encoded.bytes + at,
                    encoded.count - at < 300000 ? encoded.count - at : 300000, &error);
            if (decoder != NULL && status != INK_OK)
                CHECK(ink_decoder_write(decoder, encoded.bytes, 1, &error) == INK_MEMORY);
            if (decoder != NULL)
                status = ink_decoder_finish(decoder, &made, &error);
            ink_decoder_free(decoder);
            faults_check_refused(&run, status);
        }
    }
}

RUN_TESTS()
