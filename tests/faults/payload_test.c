/* payload_test.c - payloads made to harm, their checksums right: what a kind cannot have written is
 * refused with the field and its byte; random payloads are refused or harmless; and a mapped file
 * that changes after it was opened leads nowhere, whatever bytes appear. As in hostile_test.c,
 * everything that is accepted goes through every call.
 *
 * With INK_TEST_LIGHT set, a tenth of the random rounds. */
#define _DEFAULT_SOURCE 1
#include "faults/hostile.h"

static unsigned rounds(unsigned count)
{
    return light() ? (count + 9) / 10 : count;
}

/* ---- Bits and registers ------------------------------------------------------------------- */

/* Payloads are not looked into before their sketch is asked for; then the kind must find it. */
TEST(random_payloads_of_registers_and_values_are_refused_or_harmless)
{
    static const char *const names[] = {
        "hll list 4",    "hll list 14", "hll list 18", "hll packed 4", "hll packed 8",
        "hll packed 14", "theta few",   "theta full",  "theta empty",  "fuse",
        "fuse of ints",  "groups",      "two kinds"};
    unsigned accepted = 0, refused = 0;

    random_state = 3;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        uint64_t payload = files_payload_at(sample.bytes),
                 sections = files_sections_at(sample.bytes);
        for (unsigned round = 0; round < rounds(sections - payload > 4096 ? 30 : 300); round++) {
            uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            uint64_t changes = round % 3 == 0 ? sections - payload : 1 + next_random() % 3;
            for (uint64_t c = 0; c < changes; c++) {
                uint64_t at = payload + (round % 3 == 0 ? c : next_random() % (sections - payload));
                if (round % 6 == 0 && bytes[at] == 0)
                    continue; /* leave the room between payloads alone */
                bytes[at] = (uint8_t)(next_random() & (round % 9 == 0 ? 0x1f : 0xff));
            }
            files_repair(bytes, sample.count);
            snprintf(tried, sizeof tried, "%s with random payloads, round %u", sample.name, round);
            if (refused_or_used(bytes, sample.count))
                accepted++;
            else
                refused++;
        }
        files_sample_free(&sample);
    }
    assert_true(accepted > rounds(20));
    assert_true(refused > rounds(200));
}

static void require_payload_refused(const files_sample *sample, const uint8_t *payload,
                                    size_t payload_bytes, const char *message)
{
    uint64_t at = files_payload_at(sample->bytes);
    uint8_t *bytes = files_location(&guard, sample->bytes, sample->count);

    memcpy(bytes + at, payload, payload_bytes);
    files_repair(bytes, sample->count);
    snprintf(tried, sizeof tried, "%s: %s", sample->name, message);
    REQUIRE(look_at_sketch(bytes, sample->count) == INK_FORMAT);
    REQUIRE(strstr(error.message, message) != NULL);
    REQUIRE(error.location == INK_AT_BYTE && error.at >= at && error.at < at + payload_bytes);
    REQUIRE(!refused_or_used(bytes, sample->count));
}

TEST(hll_lists_out_of_order_or_range_are_refused)
{
    static const struct {
        uint32_t    listed[3]; /* register << 6 | value; 16 registers, values up to 61 */
        const char *message;
    } wrong[] = {
        {{5 << 6 | 1, 4 << 6 | 1, 6 << 6 | 1}, "register 4"},
        {{5 << 6 | 1, 5 << 6 | 2, 6 << 6 | 1}, "register 5"},
        {{5 << 6 | 1, 6 << 6 | 2, 16 << 6 | 1}, "register 16"},
        {{5 << 6 | 1, 6 << 6 | 2, 0x3ffff << 6 | 1}, "register 262143"},
        {{5 << 6 | 1, 6 << 6 | 0, 7 << 6 | 1}, "value 0 of register 6"},
        {{5 << 6 | 1, 6 << 6 | 62, 7 << 6 | 1}, "value 62 of register 6"},
        {{0 << 6 | 63, 6 << 6 | 1, 7 << 6 | 1}, "value 63 of register 0"},
        {{0, 0, 0}, "value 0 of register 0"},
    };
    files_sample sample;

    files_sample_named(&sample, "hll list 4");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t payload[9];
        for (unsigned j = 0; j < 3; j++)
            files_set(payload + 3 * j, 3, wrong[i].listed[j]);
        require_payload_refused(&sample, payload, sizeof payload, wrong[i].message);
    }
    files_sample_free(&sample);
}

TEST(values_of_a_theta_out_of_order_or_range_are_refused)
{
    static const struct {
        uint64_t    at, value; /* one of 17 words that count from 1, the last one the threshold */
        const char *message;
    } wrong[] = {
        {0, 2, "value 2 after value 2"},
        {7, 3, "value 3 after value 7"},
        {15, 17, "threshold 17 after value 17"},
        {16, 0, "threshold 0"},
        {16, UINT64_MAX, "threshold 18446744073709551615"},
        {16, (uint64_t)1 << 63, "threshold 9223372036854775808"},
    };
    files_sample sample;

    files_sample_named(&sample, "theta full");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t payload[17 * 8];
        for (uint64_t j = 0; j < 17; j++)
            files_set(payload + 8 * j, 8, j == wrong[i].at ? wrong[i].value : j + 1);
        require_payload_refused(&sample, payload, sizeof payload, wrong[i].message);
    }
    files_sample_free(&sample);
}

TEST(packed_hlls_with_wrong_values_are_refused)
{
    uint8_t      payload[12] = {0};
    files_sample sample;

    files_sample_named(&sample, "hll packed 4");
    require_payload_refused(&sample, payload, sizeof payload, "only 0 registers above 0");
    payload[0] = 1;
    payload[3] = 1;
    payload[6] = 1;
    require_payload_refused(&sample, payload, sizeof payload, "only 3 registers above 0");
    payload[9] = 62;
    require_payload_refused(&sample, payload, sizeof payload, "value 62 of register 12");
    memset(payload, 0xff, sizeof payload);
    require_payload_refused(&sample, payload, sizeof payload, "value 63 of register 0");
    files_sample_free(&sample);
}

/* All registers as high as they go: saturated, finite, and no crash. */
TEST(an_hll_with_all_registers_full_says_that_it_is_saturated)
{
    files_sample sample;
    ink_sketch  *sketch;
    ink_answer   answer;

    files_sample_named(&sample, "hll packed 4");
    uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
    uint8_t *payload = bytes + files_payload_at(bytes);
    memset(payload, 0, 12);
    for (unsigned i = 0; i < 16; i++) /* 61 in each of 16 registers */
        for (unsigned bit = 0; bit < 6; bit++)
            if ((61 >> bit & 1) != 0)
                payload[(6 * i + bit) / 8] |= (uint8_t)(1u << (6 * i + bit) % 8);
    files_repair(bytes, sample.count);
    CHECK_OK(ink_sketch_decode(&sketch, bytes, sample.count, NULL, &error));
    CHECK_OK(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0, &answer, &error));
    assert_true(answer.saturated);
    assert_true(answer.estimate == 0x1p64 && answer.high == 0x1p64 && answer.low >= 16);
    snprintf(tried, sizeof tried, "a full hll");
    assert_true(refused_or_used(bytes, sample.count));
    ink_sketch_free(sketch);
    files_sample_free(&sample);
}

TEST(classic_bits_after_the_last_one_are_refused)
{
    files_sample sample;

    files_sample_named(&sample, "classic mmh3"); /* 1001 bits: one in the last byte */
    uint64_t last = files_payload_at(sample.bytes) + 1001 / 8;
    for (unsigned bit = 0; bit < 8; bit++) {
        uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        bytes[last] |= (uint8_t)(1u << bit);
        files_repair(bytes, sample.count);
        snprintf(tried, sizeof tried, "classic with bit %u of its last byte", bit);
        REQUIRE(refused_or_used(bytes, sample.count) == (bit == 0));
        REQUIRE(look_at_sketch(bytes, sample.count) == (bit == 0 ? INK_OK : INK_FORMAT));
    }
    files_sample_free(&sample);
}

/* Full and empty filters, and random bits. */
TEST(any_bits_are_a_filter)
{
    static const char *const names[] = {
        "bloom",
        "bloom of ints",
        "classic of a power of two",
        "three kinds",
        "keyed",
        "counting",
        "counting of ints",
        "count-min", /* any counters are one too */
    };

    random_state = 4;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        bool three = n == 3; /* 32 bytes of bloom, 8 of classic; the hll after them is left alone */
        for (unsigned round = 0; round < 20; round++) {
            uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            uint64_t at = files_payload_at(bytes);
            uint64_t end = three ? at + 40 : files_sections_at(bytes);
            if (strcmp(names[n], "count-min") == 0)
                end = at + 9 * 3 * 4; /* the rest is padding */
            for (; at < end; at++)
                bytes[at] = round == 0 ? 0 : round == 1 ? 0xff : (uint8_t)next_random();
            files_repair(bytes, sample.count);
            snprintf(tried, sizeof tried, "%s of other bits, round %u", sample.name, round);
            REQUIRE(refused_or_used(bytes, sample.count));
        }
        files_sample_free(&sample);
    }
}

/* A size that no block, list or array can have, in an area that is zero and large enough. */
TEST(payloads_of_impossible_sizes_are_refused)
{
    static const struct {
        const char *sample, *message;
        unsigned    unit;
    } sized[] = {
        {"bloom", "a bloom of ", 32},        {"hll list 14", "an hll of ", 3},
        {"classic", "a classic of ", 0},     {"counting", "a counting of ", 128},
        {"count-min", "a count-min of ", 0}, {"fm", "an fm of ", 0},
        {"top of ints", "a top of ", 0},     {"theta few", "a theta of ", 8},
    };

    for (size_t i = 0; i < sizeof sized / sizeof sized[0]; i++) {
        files_sample sample;
        files_sample_named(&sample, sized[i].sample);
        files_field field = files_column(sample.bytes, sample.count, 0, 8);
        uint64_t    size = files_get(sample.bytes + field.at, field.width);
        uint64_t    area = files_get(sample.bytes + FILES_PAYLOAD_AT, 8), tried_sizes = 0;
        memset(sample.bytes + files_payload_at(sample.bytes), 0, (size_t)area);
        for (uint64_t other = area - 31; other <= area; other++) {
            if (other == size || (sized[i].unit != 0 && other % sized[i].unit == 0))
                continue;
            REQUIRE(!try_value(&sample, field, other));
            REQUIRE(strstr(error.message, sized[i].message) != NULL && error.at == field.at);
            tried_sizes++;
        }
        REQUIRE(tried_sizes > 15);
        files_sample_free(&sample);
    }
}

/* ---- Fields of a payload ------------------------------------------------------------------ */

/* Samples whose payloads hold numbers and places, and where these end. */
static const struct structured {
    const char *sample;
    unsigned    count_column, record_bytes; /* number and size of records */
} structured[] = {
    {"scalable", 21, 64}, {"scalable of classics", 21, 64}, {"scalable joined", 21, 64},
    {"top", 19, 32},      {"top of ints", 19, 32},          {"keyed top", 19, 32},
};
enum { STRUCTURED = sizeof structured / sizeof structured[0] };

/* How many bytes of records a sample of `structured` has. */
static uint64_t records_of(const files_sample *sample, const struct structured *s)
{
    files_field field = files_column(sample->bytes, sample->count, 0, s->count_column);

    return files_get(sample->bytes + field.at, field.width) * s->record_bytes;
}

TEST(every_field_of_a_payload_at_its_limits_is_refused_or_harmless)
{
    unsigned accepted = 0, refused = 0;

    for (size_t i = 0; i < STRUCTURED; i++) {
        files_sample sample;
        files_sample_named(&sample, structured[i].sample);
        uint64_t payload = files_payload_at(sample.bytes);
        uint64_t records = records_of(&sample, &structured[i]);
        REQUIRE(records >= 3 * structured[i].record_bytes);
        for (uint64_t at = payload; at < payload + records; at += 8) {
            uint64_t values[LIMITS_MAX], old = files_get(sample.bytes + at, 8);
            size_t   n = limits_around(old, 8, values);
            for (size_t v = 0; v < n; v++) {
                if (try_value(&sample, (files_field){.at = at, .width = 8}, values[v])) {
                    accepted++;
                    continue;
                }
                refused++;
                REQUIRE(error.at >= payload && error.at < files_sections_at(sample.bytes));
            }
        }
        files_sample_free(&sample);
    }
    assert_true(accepted > 50);
    assert_true(refused > 2000);
}

TEST(several_fields_of_a_payload_may_be_anything)
{
    random_state = 5;
    for (size_t i = 0; i < STRUCTURED; i++) {
        files_sample sample;
        files_sample_named(&sample, structured[i].sample);
        uint64_t payload = files_payload_at(sample.bytes);
        uint64_t records = records_of(&sample, &structured[i]);
        for (unsigned round = 0; round < rounds(3000); round++) {
            uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            for (uint64_t changes = 1 + next_random() % 4; changes > 0; changes--) {
                uint8_t *at = bytes + payload + next_random() % (records / 8) * 8;
                files_set(at, 8, random_value(files_get(at, 8)));
            }
            files_repair(bytes, sample.count);
            snprintf(tried, sizeof tried, "%s, payload round %u", sample.name, round);
            refused_or_used(bytes, sample.count);
        }
        files_sample_free(&sample);
    }
}

TEST(random_payloads_of_every_kind_are_refused_or_harmless)
{
    static const char *const names[] = {"counting",  "scalable", "scalable of classics",
                                        "count-min", "top",      "top of ints",
                                        "fm",        "slots",    "keyed top"};
    unsigned                 accepted = 0, refused = 0;

    random_state = 6;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        uint64_t payload = files_payload_at(sample.bytes);
        uint64_t area = files_sections_at(sample.bytes) - payload;
        for (unsigned round = 0; round < rounds(400); round++) {
            uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            uint64_t changes = round % 4 == 0 ? area : 1 + next_random() % 3;
            for (uint64_t c = 0; c < changes; c++) {
                uint64_t at = payload + (changes == area ? c : next_random() % area);
                bytes[at] = (uint8_t)(next_random() & (round % 3 == 0 ? 0x1f : 0xff));
            }
            files_repair(bytes, sample.count);
            snprintf(tried, sizeof tried, "%s, random payload %u", sample.name, round);
            if (refused_or_used(bytes, sample.count))
                accepted++;
            else
                refused++;
        }
        files_sample_free(&sample);
    }
    assert_true(accepted > rounds(400));
    assert_true(refused > rounds(400));
}

/* ---- Payloads made by hand ---------------------------------------------------------------- */

enum { TOP = 6, TOP_RULE = 8, SCALABLE = 4, SCALABLE_RULE = 9, FM = 7, FM_RULE = 7 };
enum { COUNT_MIN = 5, COUNT_MIN_RULE = 6, COUNTING = 3, COUNTING_RULE = 1 };

/* A file of this payload is accepted (message NULL), or refused with this message at this byte of
 * the payload, in every way. */
static void require_forged(const files_forged *forged, const char *message, uint64_t at)
{
    files_sample sample;

    snprintf(tried, sizeof tried, "kind %u: %s", forged->kind, message == NULL ? "" : message);
    files_forge(&sample, "forged", forged);
    const uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
    if (message == NULL) {
        REQUIRE(refused_or_used(bytes, sample.count));
        REQUIRE(look_at_sketch(bytes, sample.count) == INK_OK);
    } else {
        REQUIRE(look_at_sketch(bytes, sample.count) == INK_FORMAT);
        REQUIRE(!refused_or_used(bytes, sample.count));
        if (strstr(error.message, message) == NULL)
            fail_msg("%s, but found \"%s\"", tried, error.message);
        if (error.at != files_payload_at(bytes) + at)
            fail_msg("%s: at byte %llu of the payload, expected %llu", tried,
                     (unsigned long long)(error.at - files_payload_at(bytes)),
                     (unsigned long long)at);
        /* A lazily opened file says so when it is asked for the sketch. */
        ink_file   *file;
        ink_sketch *sketch = NO_SKETCH;
        REQUIRE_OK(ink_file_decode(&file, bytes, sample.count, INK_OPEN_LAZY, NULL, &error));
        require_named(ink_file_sketch(file, 0, &sketch, &error), sample.count);
        REQUIRE(sketch == NO_SKETCH && error.at == files_payload_at(bytes) + at);
        ink_file_close(file);
    }
    files_sample_free(&sample);
}

typedef struct filed_key {
    uint64_t hash, high, error, end;
} filed_key;

#define CUT ((uint64_t)1 << 32)

/* A top of these entries, with `key_bytes` bytes of keys after them. */
static size_t lay_top(uint8_t *payload, const filed_key *keys, size_t count, size_t key_bytes)
{
    for (size_t i = 0; i < count; i++) {
        files_set(payload + 32 * i, 8, keys[i].hash);
        files_set(payload + 32 * i + 8, 8, keys[i].high);
        files_set(payload + 32 * i + 16, 8, keys[i].error);
        files_set(payload + 32 * i + 24, 8, keys[i].end);
    }
    for (size_t i = 0; i < key_bytes; i++)
        payload[32 * count + i] = 'k';
    return 32 * count + key_bytes;
}

TEST(tops_that_no_data_makes_are_refused)
{
    static const struct {
        filed_key   keys[5];
        size_t      count, key_bytes;
        uint64_t    total, missed;
        const char *message; /* NULL: it is right */
        uint64_t    at;
    } forged[] = {
        {{{1, 5, 0, 2}, {2, 5, 0, 5}}, 2, 5, 10, 0, NULL, 0},
        {{{1, 9, 1, 2}, {1, 5, 2, 5}}, 2, 5, 20, 2, NULL, 0}, /* one hash, a prefix */
        {{{1, 5, 0, 0}, {2, 5, 0, 5}}, 2, 5, 10, 0, NULL, 0}, /* the empty key */
        {{{1, 5, 0, 1024}, {1, 5, 0, 2048 | CUT}}, 2, 2048, 10, 0, NULL, 0},
        {{{1, UINT64_MAX, 0, 1}}, 1, 1, UINT64_MAX, 0, NULL, 0},
        {{{1, UINT64_MAX, UINT64_MAX - 1, 1}}, 1, 1, UINT64_MAX, UINT64_MAX - 1, NULL, 0},
        /* Ends of keys. */
        {{{1, 5, 0, 2}, {2, 5, 0, 6}}, 2, 5, 10, 0, "expected at most 1024 bytes of 5", 32 + 24},
        {{{1, 5, 0, 2}, {2, 5, 0, 0xffffffff}}, 2, 5, 10, 0, "at most 1024 bytes of 5", 32 + 24},
        {{{1, 5, 0, 6}, {2, 5, 0, 5}}, 2, 5, 10, 0, "a key from 0 to 0x6", 24},
        {{{1, 5, 0, 4}, {2, 5, 0, 3}, {3, 5, 0, 5}}, 3, 5, 15, 0, "a key from 4 to 0x3", 32 + 24},
        {{{1, 5, 0, 5}, {2, 5, 0, 0}, {3, 5, 0, 5}}, 3, 5, 15, 0, "a key from 5 to 0x0", 32 + 24},
        {{{1, 5, 0, 2}, {2, 5, 0, 4}}, 2, 5, 10, 0, "keys of 5 bytes, expected 4", 64},
        {{{1, 5, 0, 1025}}, 1, 1024, 10, 0, "a key from 0 to 0x401", 24},
        {{{1, 5, 0, 1025}, {2, 5, 0, 1025}}, 2, 1025, 10, 0, "a key from 0 to 0x401", 24},
        {{{1, 5, 0, (uint64_t)2 << 32 | 5}}, 1, 5, 10, 0, "a key from 0 to 0x200000005", 24},
        {{{1, 5, 0, (uint64_t)1 << 63 | 5}}, 1, 5, 10, 0, "a key from 0 to 0x8000000000000005", 24},
        /* Cut keys. */
        {{{1, 5, 0, 2 | CUT}, {2, 5, 0, 5}}, 2, 5, 10, 0, "a key cut to 2 bytes", 24},
        {{{1, 5, 0, 1023 | CUT}}, 1, 1023, 10, 0, "a key cut to 1023 bytes", 24},
        {{{1, 5, 0, 0 | CUT}}, 1, 0, 10, 0, "a key cut to 0 bytes", 24},
        /* Order. */
        {{{2, 5, 0, 2}, {1, 5, 0, 5}}, 2, 5, 10, 0, "keys out of order", 32},
        {{{1, 5, 0, 2}, {1, 5, 0, 4}}, 2, 4, 10, 0, "keys out of order", 32}, /* the same twice */
        {{{1, 5, 0, 0}, {1, 5, 0, 0}}, 2, 0, 10, 0, "keys out of order", 32},
        {{{1, 5, 0, 3}, {1, 5, 0, 5}}, 2, 5, 10, 0, "keys out of order", 32}, /* prefix second */
        {{{1, 5, 0, 1024 | CUT}, {1, 5, 0, 2048}}, 2, 2048, 10, 0, "keys out of order", 32},
        {{{1, 5, 0, 1024 | CUT}, {1, 5, 0, 2048 | CUT}}, 2, 2048, 10, 0, "keys out of order", 32},
        {{{UINT64_MAX, 5, 0, 2}, {0, 5, 0, 5}}, 2, 5, 10, 0, "keys out of order", 32},
        /* Counts: above what is missed, errors up to that, no more than the total together. */
        {{{1, 0, 0, 2}}, 1, 2, 10, 0, "a key with count 0 and error 0, expected above 0", 8},
        {{{1, 3, 0, 2}}, 1, 2, 20, 3, "a key with count 3 and error 0, expected above 3", 8},
        {{{1, 9, 4, 2}}, 1, 2, 20, 3, "a key with count 9 and error 4, expected above 3", 8},
        {{{1, 9, 9, 2}}, 1, 2, 20, 3, "a key with count 9 and error 9, expected above 3", 8},
        {{{1, 9, UINT64_MAX, 2}}, 1, 2, 20, 3, "expected above 3", 8},
        {{{1, 9, 0, 2}}, 1, 2, 20, 3, "keys that need a total of 21, expected at most 20", 8},
        {{{1, 11, 0, 2}}, 1, 2, 10, 0, "keys that need a total of 11, expected at most 10", 8},
        {{{1, 6, 0, 2}, {2, 5, 0, 5}}, 2, 5, 10, 0, "keys that need a total of 11", 8},
        {{{1, UINT64_MAX, 0, 2}, {2, 2, 0, 5}}, 2, 5, 10, 0, "keys that need a total of", 8},
    };
    uint8_t payload[32 * 5 + 2048];

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        files_forged file = {
            .kind = TOP,
            .position_rule = TOP_RULE,
            .keyed = true,
            .records = 7,
            .fields = {4, forged[i].total, forged[i].missed, forged[i].count},
            .payload = payload,
            .payload_bytes = lay_top(payload, forged[i].keys, forged[i].count, forged[i].key_bytes),
        };
        require_forged(&file, forged[i].message, forged[i].at);
    }
}

TEST(tops_of_ints_that_no_data_makes_are_refused)
{
    static const struct {
        filed_key   keys[3];
        size_t      count;
        const char *message;
        uint64_t    at;
    } forged[] = {
        {{{1, 5, 0, 7}, {1, 5, 0, 8}}, 2, NULL, 0},
        {{{1, 5, 0, UINT64_MAX}, {1, 5, 0, 0}}, 2, NULL, 0}, /* -1, 0 */
        {{{1, 5, 0, (uint64_t)1 << 63}, {1, 5, 0, INT64_MAX}}, 2, NULL, 0},
        {{{1, 5, 0, 0}, {1, 5, 0, UINT64_MAX}}, 2, "keys out of order", 32},
        {{{1, 5, 0, 7}, {1, 5, 0, 7}}, 2, "keys out of order", 32},
        {{{2, 5, 0, 7}, {1, 5, 0, 8}}, 2, "keys out of order", 32},
        {{{1, 5, 0, 7}, {2, 5, 0, 8}, {3, 6, 0, 7}}, 3, "keys that need a total of 16", 8},
    };
    uint8_t payload[32 * 3];

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        files_forged file = {
            .kind = TOP,
            .position_rule = TOP_RULE,
            .keyed = true,
            .key_type = INK_KEY_INT,
            .fields = {2, 15, 0, forged[i].count},
            .payload = payload,
            .payload_bytes = lay_top(payload, forged[i].keys, forged[i].count, 0),
        };
        require_forged(&file, forged[i].message, forged[i].at);
    }
}

/* Where the rule is known, so is the hash that stands beside a key. */
TEST(a_top_with_a_hash_that_is_not_its_keys_is_refused)
{
    static const char *const names[] = {"top", "top of ints"};

    for (size_t n = 0; n < 2; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        uint64_t    payload = files_payload_at(sample.bytes);
        files_field field = {.at = payload + 32, .width = 8};
        uint64_t    hash = files_get(sample.bytes + field.at, 8);
        for (unsigned bit = 0; bit < 20; bit++) { /* low ones, which keep the order */
            REQUIRE(!try_value(&sample, field, hash ^ (uint64_t)1 << bit));
            REQUIRE(strstr(error.message, "beside a key") != NULL && error.at == field.at);
        }
        files_sample_free(&sample);
    }
}

/* 2 c entries are the most, however many fit. */
TEST(a_top_of_one_key_too_many_is_refused)
{
    for (size_t c = 1; c < 10; c++)
        for (size_t more = 0; more < 3; more++) {
            uint8_t      payload[32 * 32];
            filed_key    keys[32];
            size_t       count = 2 * c + more;
            files_sample sample;
            for (size_t i = 0; i < count; i++)
                keys[i] = (filed_key){i, 1, 0, i};
            files_forged file = {
                .kind = TOP,
                .position_rule = TOP_RULE,
                .keyed = true,
                .key_type = INK_KEY_INT,
                .fields = {c, 100, 0, count},
                .payload = payload,
                .payload_bytes = lay_top(payload, keys, count, 0),
            };
            snprintf(tried, sizeof tried, "a top of capacity %zu with %zu keys", c, count);
            files_forge(&sample, tried, &file);
            const uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            REQUIRE(refused_or_used(bytes, sample.count) == (more == 0));
            if (more > 0)
                REQUIRE(strstr(error.message, "keys, expected at most") != NULL);
            files_sample_free(&sample);
        }
}

/* One level, as a file has it. */
typedef struct filed_level {
    uint64_t kind, keys, expected;
    double   asked, promised;
    uint64_t bits, hashes, cells;
} filed_level;

static void lay_level(uint8_t *at, const filed_level *level)
{
    const uint64_t fields[8] = {level->kind,
                                level->keys,
                                level->expected,
                                bits_of(level->asked),
                                bits_of(level->promised),
                                level->bits,
                                level->hashes,
                                level->cells};

    for (size_t i = 0; i < 8; i++)
        files_set(at + 8 * i, 8, fields[i]);
}

TEST(scalables_that_no_data_makes_are_refused)
{
#define FIRST                                                                                      \
    {                                                                                              \
        1, 4, 4, .1, .1, 256, 8, 128                                                               \
    } /* two levels that are right */
#define SECOND                                                                                     \
    {                                                                                              \
        2, 1, 8, .1, .1, 9, 3, 192                                                                 \
    }
    static const struct {
        filed_level levels[2];
        size_t      payload_bytes; /* zeros after the levels ... */
        size_t      set;           /* ... but this byte, if it is not 0 */
        const char *message;       /* NULL: it is right */
        uint64_t    at;
    } forged[] = {
        {{FIRST, SECOND}, 194, 0, NULL, 0},
        {{{2, 4, 4, 0, .1, 512, 64, 128}, {1, 8, 8, .1, 0, 512, 8, 192}}, 256, 0, NULL, 0},
        {{{1, 4, 4, .1, 1, 256, 8, 128}, SECOND}, 194, 193, "", 193},
        /* Kinds. */
        {{{3, 4, 4, .1, .1, 256, 8, 128}}, 194, 0, "a level of kind 3, expected 1 or 2", 0},
        {{{0, 4, 4, .1, .1, 256, 8, 128}}, 194, 0, "a level of kind 0, expected 1 or 2", 0},
        {{{UINT64_MAX, 4, 4, .1, .1, 256, 8, 128}}, 194, 0, "expected 1 or 2", 0},
        {{{((uint64_t)1 << 32) + 1, 4, 4, .1, .1, 256, 8, 128}}, 194, 0, "expected 1 or 2", 0},
        /* Places: overlapping, with a gap, unaligned, outside. */
        {{FIRST, {2, 1, 8, .1, .1, 9, 3, 128}}, 194, 0, "expected them at 192", 64 + 56},
        {{{1, 4, 4, .1, .1, 256, 8, 0}, SECOND}, 194, 0, "expected them at 128", 56},
        {{{1, 4, 4, .1, .1, 256, 8, 192}, SECOND}, 194, 0, "expected them at 128", 56},
        {{FIRST, {2, 1, 8, .1, .1, 9, 3, 160}}, 194, 0, "expected them at 192", 64 + 56},
        {{FIRST, {2, 1, 8, .1, .1, 9, 3, 256}}, 258, 0, "expected them at 192", 64 + 56},
        {{FIRST, {2, 1, 8, .1, .1, 9, 3, UINT64_MAX - 1}}, 194, 0, "expected them at 192", 64 + 56},
        {{FIRST, {2, 1, 8, .1, .1, 17, 3, 192}}, 194, 0, "and below 194", 64 + 56},
        {{{1, 4, 4, .1, .1, 1024, 8, 128}, {2, 1, 8, .1, .1, 9, 3, 256}},
         194,
         0,
         "and below 194",
         56},
        {{FIRST, SECOND}, 195, 0, "levels that end at 194", 194},
        {{FIRST, SECOND}, 224, 0, "levels that end at 194", 194},
        /* What lies between. */
        {{FIRST, SECOND}, 194, 160, "byte 0x80 between levels", 160},
        {{FIRST, SECOND}, 194, 191, "byte 0x80 between levels", 191},
        /* Keys. */
        {{{1, 0, 4, .1, .1, 256, 8, 128}, SECOND}, 194, 0, "a level with 0 keys of 4", 8},
        {{{1, 5, 4, .1, .1, 256, 8, 128}, SECOND}, 194, 0, "a level with 5 keys of 4", 8},
        {{{1, 3, 4, .1, .1, 256, 8, 128}, SECOND}, 194, 0, "a level with 3 keys of 4", 8},
        {{FIRST, {2, 0, 8, .1, .1, 9, 3, 192}}, 194, 0, "a level with 0 keys of 8", 64 + 8},
        {{FIRST, {2, 9, 8, .1, .1, 9, 3, 192}}, 194, 0, "a level with 9 keys of 8", 64 + 8},
        {{FIRST, {2, UINT64_MAX, 8, .1, .1, 9, 3, 192}}, 194, 0, "keys of 8 expected", 64 + 8},
        {{FIRST, {2, 0, 0, .1, .1, 9, 3, 192}}, 194, 0, "a level with 0 keys of 0", 64 + 8},
        /* Rates. */
        {{{1, 4, 4, -.1, .1, 256, 8, 128}}, 194, 0, "target rate -0.1", 24},
        {{{1, 4, 4, 1, .1, 256, 8, 128}}, 194, 0, "target rate 1", 24},
        {{{1, 4, 4, .1, 1.5, 256, 8, 128}}, 194, 0, "promised rate 1.5", 32},
        {{FIRST, {2, 1, 8, .1, -0.0, 9, 3, 192}}, 194, 0, "promised rate", 64 + 32},
        /* Sizes: none, odd ones, and such that sums of them overflow. */
        {{{1, 4, 4, .1, .1, 0, 8, 128}}, 194, 0, "", 40},
        {{{1, 4, 4, .1, .1, 255, 8, 128}}, 194, 0, "expected a multiple of 256", 40},
        {{{1, 4, 4, .1, .1, 257, 8, 128}}, 194, 0, "", 40},
        {{{1, 4, 4, .1, .1, (uint64_t)1 << 38, 8, 128}}, 194, 0, "", 40},
        {{{1, 4, 4, .1, .1, (uint64_t)1 << 37, 8, 128}}, 194, 0, "and below 194", 56},
        {{{1, 4, 4, .1, .1, UINT64_MAX - 255, 8, 128}}, 194, 0, "", 40},
        {{{1, 4, 4, .1, .1, UINT64_MAX, 8, 128}}, 194, 0, "", 40},
        {{{1, 4, 4, .1, .1, 256, 7, 128}},
         194,
         0,
         "and 7 hashes, expected a multiple of 256 and 8",
         40},
        {{{1, 4, 4, .1, .1, 256, 0, 128}}, 194, 0, "and 0 hashes", 40},
        {{FIRST, {2, 1, 8, .1, .1, 0, 3, 192}}, 194, 0, "0 bits, expected 1 to 2^43", 64 + 40},
        {{FIRST, {2, 1, 8, .1, .1, ((uint64_t)1 << 43) + 1, 3, 192}},
         194,
         0,
         "bits, expected 1 to 2^43",
         64 + 40},
        {{FIRST, {2, 1, 8, .1, .1, (uint64_t)1 << 43, 3, 192}}, 194, 0, "and below 194", 64 + 56},
        {{FIRST, {2, 1, 8, .1, .1, UINT64_MAX - 6, 3, 192}},
         194,
         0,
         "bits, expected 1 to 2^43",
         64 + 40},
        {{FIRST, {2, 1, 8, .1, .1, 9, 0, 192}}, 194, 0, "0 hashes, expected 1 to 64", 64 + 48},
        {{FIRST, {2, 1, 8, .1, .1, 9, 65, 192}}, 194, 0, "65 hashes, expected 1 to 64", 64 + 48},
        {{FIRST, {2, 1, 8, .1, .1, 9, ((uint64_t)1 << 32) + 3, 192}},
         194,
         0,
         "hashes, expected 1 to 64",
         64 + 48},
    };

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        uint8_t      payload[512] = {0};
        files_forged file = {
            .kind = SCALABLE,
            .position_rule = SCALABLE_RULE,
            .records = 12,
            .fields = {4, bits_of(0.2), bits_of(0.2), bits_of(0.5), 1, 2},
            .payload = payload,
            .payload_bytes = forged[i].payload_bytes,
        };
        for (size_t l = 0; l < 2; l++)
            lay_level(payload + 64 * l, &forged[i].levels[l]);
        if (forged[i].set != 0)
            payload[forged[i].set] = 0x80; /* also after the 9 bits of the second level */
        require_forged(&file, forged[i].message, forged[i].at);
    }
}

/* A scalable of this number of levels of one bit each; `payload` has room for them. */
static void forge_levels(files_sample *sample, uint8_t *payload, size_t levels)
{
    files_forged file = {
        .kind = SCALABLE,
        .position_rule = SCALABLE_RULE,
        .fields = {1, bits_of(0.5), bits_of(0.5), bits_of(0.5), 1, levels},
        .payload = payload,
        .payload_bytes = 64 * levels + 64 * (levels - 1) + 1,
    };

    for (size_t i = 0; i < levels; i++)
        lay_level(payload + 64 * i, &(filed_level){2, 1, 1, 0.5, 0.5, 1, 1, 64 * levels + 64 * i});
    snprintf(tried, sizeof tried, "%zu levels", levels);
    files_forge(sample, tried, &file);
}

/* As many as there can be, and one more. */
TEST(a_scalable_of_one_level_too_many_is_refused)
{
    enum { MOST = 1024 };
    uint8_t *payload = calloc(1, 128 * (MOST + 1));

    assert_non_null(payload);
    for (size_t levels = MOST; levels <= MOST + 1; levels++) {
        files_sample sample;
        forge_levels(&sample, payload, levels);
        const uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        REQUIRE(refused_or_used(bytes, sample.count) == (levels == MOST));
        if (levels > MOST)
            REQUIRE(strstr(error.message, "1025 levels, expected at most 1024") != NULL);
        files_sample_free(&sample);
    }
    free(payload);
}

TEST(fms_that_no_data_makes_are_refused)
{
    static const struct {
        uint8_t     values[6]; /* 2 groups of 3 */
        const char *message;
        uint64_t    at;
    } forged[] = {
        {{0, 0, 0, 0, 0, 0}, NULL, 0},
        {{65, 65, 65, 65, 65, 65}, NULL, 0},
        {{1, 2, 3, 4, 5, 65}, NULL, 0},
        {{1, 2, 3, 4, 5, 66}, "value 66 of a sub-sketch, expected at most 65", 5},
        {{255, 2, 3, 4, 5, 6}, "value 255 of a sub-sketch, expected at most 65", 0},
        {{1, 2, 0, 4, 5, 6}, "with and without a key", 2},
        {{0, 0, 0, 0, 0, 1}, "with and without a key", 5},
        {{0, 1, 1, 1, 1, 1}, "with and without a key", 1},
        {{0, 0, 0, 0, 0, 128}, "value 128 of a sub-sketch", 5},
    };

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        files_forged file = {
            .kind = FM,
            .position_rule = FM_RULE,
            .fields = {3, 2},
            .payload = forged[i].values,
            .payload_bytes = 6,
        };
        require_forged(&file, forged[i].message, forged[i].at);
    }
}

/* Sizes whose products wrap to the size of the payload, or that are no size at all. */
TEST(sizes_that_overflow_or_do_not_fit_are_refused)
{
#define FIFTH 0x3fc999999999999a
#define HALF 0x3fe0000000000000
#define RATES FIFTH, FIFTH, HALF
    static const unsigned rules[] = {[TOP] = TOP_RULE,
                                     [SCALABLE] = SCALABLE_RULE,
                                     [FM] = FM_RULE,
                                     [COUNT_MIN] = COUNT_MIN_RULE,
                                     [COUNTING] = COUNTING_RULE};
    static const struct {
        unsigned     kind;
        ink_key_type key_type;
        uint64_t     fields[6];
        size_t       bytes;
        const char  *message; /* NULL: it is right */
    } forged[] = {
        {COUNT_MIN, 0, {4, 2, 32, 0, 7}, 32, NULL},
        {COUNT_MIN, 0, {4, 2, 32, 1, 0}, 32, NULL},
        {COUNT_MIN, 0, {4, 1, 64, 0, UINT64_MAX}, 32, NULL},
        {COUNT_MIN, 0, {4, 2, 32, 0, 7}, 64, "a count-min of 64 bytes, expected 32"},
        {COUNT_MIN, 0, {4, 2, 64, 0, 7}, 32, "a count-min of 32 bytes, expected 64"},
        {COUNT_MIN, 0, {0, 2, 32, 0, 7}, 32, "0 counters in a row"},
        {COUNT_MIN, 0, {4, 0, 32, 0, 7}, 32, "0 rows"},
        {COUNT_MIN, 0, {4, 2, 0, 0, 7}, 32, "counters of 0 bits"},
        {COUNT_MIN, 0, {4, 2, 33, 0, 7}, 32, "counters of 33 bits"},
        {COUNT_MIN, 0, {4, 2, 32, 2, 7}, 32, "conservative is 2"},
        {COUNT_MIN, 0, {((uint64_t)1 << 61) + 4, 2, 32, 0, 7}, 32, "counters in a row"},
        {COUNT_MIN, 0, {4, ((uint64_t)1 << 61) + 2, 32, 0, 7}, 32, "rows"},
        {COUNT_MIN, 0, {(uint64_t)1 << 32, 64, 64, 0, 7}, 32, "a count-min of 32 bytes"},
        {COUNT_MIN, 0, {4, 2, 32, 0, 7, 1}, 32, "parameter 5, but count-min has only 5"},
        {FM, 0, {32, 1}, 32, NULL},
        {FM, 0, {32, 2}, 32, "an fm of 32 bytes, expected 64"},
        {FM, 0, {0, 1}, 32, "sub-sketches"},
        {FM, 0, {32, 0}, 32, "0 groups"},
        {FM, 0, {65537, 1}, 32, "at most 65536"},
        {FM, 0, {((uint64_t)1 << 63) + 16, 2}, 32, "at most 65536"},
        {FM, 0, {((uint64_t)1 << 32) + 32, 1}, 32, "at most 65536"},
        {FM, 0, {32, ((uint64_t)1 << 59) + 1}, 32, "groups"},
        {COUNTING, 0, {0}, 128, NULL},
        {COUNTING, 0, {0}, 384, NULL},
        {COUNTING, 0, {0}, 0, "a counting of 0 bytes"},
        {COUNTING, 0, {0}, 32, "a counting of 32 bytes"},
        {COUNTING, 0, {0}, 127, "a counting of 127 bytes"},
        {COUNTING, 0, {0}, 129, "a counting of 129 bytes"},
        {COUNTING, 0, {0}, 192, "a counting of 192 bytes"},
        {COUNTING, 0, {0}, 320, "a counting of 320 bytes"},
        {TOP, 0, {4, 0, 0, 0}, 0, NULL},
        {TOP, 0, {4, 0, 0, 0}, 1, "a top of 1 bytes, expected 0 to 0"},
        {TOP, 0, {0, 0, 0, 0}, 0, "capacity 0"},
        {TOP, 0, {4, 9, 0, 1}, 31, "a top of 31 bytes, expected 32 to 1056"},
        {TOP, 0, {4, 9, 0, 1}, 1057, "a top of 1057 bytes"},
        {TOP, INK_KEY_INT, {4, 9, 0, 1}, 33, "a top of 33 bytes, expected 32 to 32"},
        {TOP, 0, {4, 9, 0, ((uint64_t)1 << 59) + 1}, 32, "expected at most 8"},
        {TOP, 0, {4, 9, 2, 0}, 0, "missed 2 times, expected at most 1"},
        {TOP, 0, {4, UINT64_MAX, UINT64_MAX, 0}, 0, NULL},
        {SCALABLE, 0, {4, RATES, 1, 0}, 0, NULL},
        {SCALABLE, 0, {4, RATES, 1, 0}, 64, "a scalable of 64 bytes, expected none"},
        {SCALABLE, 0, {4, RATES, 1, 1}, 64, "a scalable of 64 bytes, expected more"},
        {SCALABLE, 0, {4, RATES, 1, 2}, 65, "a scalable of 65 bytes, expected more"},
        {SCALABLE, 0, {4, RATES, 0, 0}, 0, "0 chains"},
        {SCALABLE, 0, {0, RATES, 1, 0}, 0, "without expected keys"},
        {SCALABLE, 0, {4, 0, FIFTH, HALF, 1, 0}, 0, "without a target rate"},
        {SCALABLE, 0, {4, FIFTH, 0, HALF, 1, 0}, 0, "without a promised rate"},
        {SCALABLE, 0, {4, FIFTH, FIFTH, 0, 1, 0}, 0, "ratio 0"},
    };
    static const uint8_t zeros[2048];

    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        files_forged file = {
            .kind = forged[i].kind,
            .position_rule = rules[forged[i].kind],
            .key_type = forged[i].key_type,
            .payload = zeros,
            .payload_bytes = forged[i].bytes,
        };
        files_sample sample;
        memcpy(file.fields, forged[i].fields, sizeof forged[i].fields);
        snprintf(tried, sizeof tried, "size %zu", i);
        files_forge(&sample, tried, &file);
        const uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
        bool           right = forged[i].message == NULL;
        REQUIRE(refused_or_used(bytes, sample.count) == right);
        if (!right) {
            require_refused_every_way(bytes, sample.count);
            if (strstr(error.message, forged[i].message) == NULL)
                fail_msg("size %zu: \"%s\", expected \"%s\"", i, error.message, forged[i].message);
            REQUIRE(error.at >= FILES_HEADER_BYTES && error.at < files_payload_at(bytes));
        }
        files_sample_free(&sample);
    }
}

/* Tables that are indexed take more than their bytes, but no more than the bytes justify. */
TEST(decoding_large_sketches_takes_no_more_than_three_times_their_bytes)
{
    static const struct {
        ink_params params;
        uint64_t   keys;
    } large[] = {
        {{.kind = "top", .phi = 1.0 / 10000}, 8193},
        {{.kind = "top", .phi = 1.0 / 10000}, 20000},
        {{.kind = "top", .phi = 1.0 / 10000, .key_type = INK_KEY_INT}, 8193},
        {{.kind = "top", .phi = 1.0 / 10000, .key_type = INK_KEY_INT}, 20000},
        {{.kind = "scalable", .expected_keys = 10}, 20000},
        {{.kind = "scalable", .expected_keys = 1000, .false_positive_rate = 1e-5}, 20000},
        {{.kind = "count-min", .width = 10000, .depth = 4}, 100},
        {{.kind = "counting", .expected_keys = 100000}, 100},
        {{.kind = "fm", .width = 257, .depth = 255}, 10},
        {{.kind = "hll", .precision = 18}, 4000},
        {{.kind = "hll", .precision = 18}, 100000},
        {{.kind = "theta", .precision = 14}, 100000},
    };

    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        ink_sketch *sketch = files_sketch(&large[i].params, 0, large[i].keys, NULL);
        uint8_t    *bytes;
        size_t      count;
        CHECK_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
        snprintf(tried, sizeof tried, "decoding a %s of %llu keys, %zu bytes", large[i].params.kind,
                 (unsigned long long)large[i].keys, count);
        faults_memory memory = {0};
        ink_allocator allocator = faults_allocator(&memory);
        ink_sketch   *decoded;
        REQUIRE_OK(ink_sketch_decode(&decoded, bytes, count, &allocator, &error));
        ink_sketch_free(decoded);
        REQUIRE(memory.most_bytes <= 65536 + 3 * (uint64_t)count);
        ink_bytes_free(bytes, count, NULL);
        ink_sketch_free(sketch);
    }
}

/* The same of a file that a forger made: more levels than anybody would open. */
TEST(decoding_many_levels_takes_no_more_than_twice_their_bytes)
{
    static const size_t counts[] = {1, 2, 5, 9, 33, 100, 257, 513, 1000, 1024};
    uint8_t            *payload = calloc(1, 128 * 1024);

    assert_non_null(payload);
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        files_sample sample;
        forge_levels(&sample, payload, counts[n]);
        REQUIRE(look_at_sketch(sample.bytes, sample.count) == INK_OK);
        files_sample_free(&sample);
    }
    free(payload);
}

/* ---- Files that change while they are open ------------------------------------------------ */

/* Everything that can be done with a view whose bytes have changed: no answer is right, but none
 * leads outside. What is made of it is used too. */
static void use_changed(ink_sketch *view)
{
    const ink_merge_options parts = {.parts = true};
    ink_description         d;
    ink_sketch             *made;
    uint8_t                 digest[INK_DIGEST_BYTES], *bytes;
    size_t                  count;

    ink_sketch_describe(view, &d);
    ask(view);
    if (ink_sketch_encode(view, &bytes, &count, &error) == INK_OK) {
        if (ink_sketch_decode(&made, bytes, count, &metered, &error) == INK_OK)
            ink_sketch_free(made);
        ink_bytes_free(bytes, count, &metered);
    }
    (void)ink_sketch_digest(view, digest, &error);
    ink_params params = params_of(&d);
    if (!is_able(&d, FIXED)) {
        REQUIRE_OK(ink_sketch_create(&made, &params, &metered, &error));
        if (is_able(&d, KEEPS)) { /* so that there is something to merge with */
            ink_batch keys = keys_for(&d);
            keys.count = 4;
            (void)ink_sketch_add_batch(made, &keys, &error);
        }
        (void)ink_sketch_merge(made, view, &parts, &error);
        (void)ink_sketch_merge(made, view, &parts, &error);
        change(made, &d);
        ask(made);
        ink_sketch_free(made);
    }
    ink_status status = ink_sketch_copy(&made, view, &metered, &error);
    if (status == INK_OK) {
        ask(made);
        change(made, &d);
        ask(made);
        ink_sketch_free(made);
    } else {
        REQUIRE(status == INK_FORMAT);
    }
}

/* Fills the payload area anew; `way` 0 to 3 wholly, others in some places. */
static void spoil(uint8_t *payload, const uint8_t *old, uint64_t bytes, uint64_t records,
                  unsigned way)
{
    static const uint8_t fills[] = {0xff, 0x00, 0x3e, 0x01};

    memcpy(payload, old, (size_t)bytes);
    if (way < 4) {
        memset(payload, fills[way], (size_t)bytes);
    } else if (way % 3 == 0) {
        for (uint64_t i = 0; i < bytes; i++)
            payload[i] = (uint8_t)next_random();
    } else if (way % 3 == 1 && records > 0) {
        for (uint64_t c = 1 + next_random() % 6; c > 0; c--) {
            uint8_t *at = payload + next_random() % (records / 8) * 8;
            files_set(at, 8, random_value(files_get(at, 8)));
        }
    } else {
        for (uint64_t i = 24; i + 8 <= records; i += 32) /* ends of keys that rise and fall */
            files_set(payload + i, 4, i / 32 % 2 == way % 2 ? bytes - records : 0);
    }
}

TEST(a_file_that_changes_after_it_was_opened_leads_nowhere)
{
    static const char *const names[] = {"counting",
                                        "scalable",
                                        "scalable of classics",
                                        "scalable joined",
                                        "count-min",
                                        "top",
                                        "top of ints",
                                        "keyed top",
                                        "fm",
                                        "hll list 14",
                                        "theta few",
                                        "theta full",
                                        "fuse",
                                        "fuse of ints"};

    random_state = 7;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (unsigned way = 0; way < rounds(240); way++) {
            files_sample sample;
            ink_file    *file;
            ink_sketch  *view;
            files_sample_named(&sample, names[n]);
            uint8_t *bytes = files_location(&guard, sample.bytes, sample.count);
            uint64_t payload = files_payload_at(bytes), records = 0;
            uint64_t area = files_sections_at(bytes) - payload;
            for (size_t s = 0; s < STRUCTURED; s++)
                if (strcmp(structured[s].sample, names[n]) == 0)
                    records = records_of(&sample, &structured[s]);
            /* Opened wholly checked, lazily, and so that the sums change as well. */
            unsigned flags = way % 2 == 0 ? INK_OPEN_CHECKED : INK_OPEN_LAZY;
            snprintf(tried, sizeof tried, "%s, changed in way %u", names[n], way);
            allow(0, true); /* what it says of itself is no longer so */
            REQUIRE_OK(ink_file_decode(&file, bytes, sample.count, flags, &metered, &error));
            REQUIRE_OK(ink_file_sketch(file, 0, &view, &error));

            spoil(bytes + payload, sample.bytes + payload, area, records, way / 2);
            if (way % 4 == 1)
                files_repair(bytes, sample.count);
            use_changed(view);
            ink_sketch_free(view);
            /* Asked for again, it may be refused. */
            if (ink_file_sketch(file, 0, &view, &error) == INK_OK) {
                use_changed(view);
                ink_sketch_free(view);
            }
            ink_file_close(file);
            files_sample_free(&sample);
        }
}

/* A caller has no use for a place that only the library knows. */
TEST(a_changed_file_is_refused_without_an_inner_location)
{
    static const char *const names[] = {"scalable", "scalable of classics"};

    for (size_t n = 0; n < 2; n++) {
        files_sample sample;
        ink_file    *file;
        ink_sketch  *view, *copy = NO_SKETCH;
        files_sample_named(&sample, names[n]);
        snprintf(tried, sizeof tried, "%s, changed", names[n]);
        REQUIRE_OK(
            ink_file_decode(&file, sample.bytes, sample.count, INK_OPEN_CHECKED, NULL, &error));
        REQUIRE_OK(ink_file_sketch(file, 0, &view, &error));
        memset(sample.bytes + files_payload_at(sample.bytes), 0xff, 64);
        REQUIRE(ink_sketch_copy(&copy, view, NULL, &error) == INK_FORMAT && copy == NO_SKETCH);
        REQUIRE(error.location == INK_NOWHERE || error.location == INK_AT_BYTE);
        ink_sketch_free(view);
        ink_file_close(file);
        files_sample_free(&sample);
    }
}

int main(void)
{
    files_guard_create(&guard, 4u << 20);
    int failed = check_run((check_fixtures){0});
    files_guard_free(&guard);
    return failed;
}
