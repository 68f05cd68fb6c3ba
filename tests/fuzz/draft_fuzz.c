/* draft_fuzz.c - reading drafts, of every kind that has them: bytes are refused with a message and
 * a byte, or are a draft that encodes to them again, merges and is finished. Reading takes no more
 * memory than the bytes are worth. */
#define _DEFAULT_SOURCE 1
#include "faults/hostile.h"
#include "fuzz/fuzz.h"

#include "base/checksum.h"

enum { MOST_BYTES = 1 << 12, ELEMENTS_AT = 72, AROUND = ELEMENTS_AT + 8, RECORDS_AT = 48 };
enum { COUNT_AT = 56, KEY_BYTES_AT = 64, FINISHED_RECORDS_MAX = 100000 };

static const struct {
    ink_params params;
    unsigned   keys;
} kinds[] = {
    {{.kind = "bloom"}, 12},
    {{.kind = "bloom", .key_type = INK_KEY_INT, .false_positive_rate = 0.3}, 3},
    {{.kind = "classic", .hash = "murmur64a", .seed = 9}, 5},
    {{.kind = "classic", .hash = "mmh3"}, 9},
    {{.kind = "classic", .hash = "mmh3-signed", .seed = 4}, 0},
    {{.kind = "counting"}, 7},
    {{.kind = "counting", .secret = (const uint8_t *)"sixteen  letters"}, 2},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void begin(void)
{
    files_guard_create(&guard, MOST_BYTES);
}

/* Key 0 is empty, and the others begin alike. */
static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    ink_draft *draft;
    size_t     count;

    if (index >= KINDS)
        return SIZE_MAX;
    REQUIRE_OK(ink_draft_create(&draft, &kinds[index].params, 0, NULL, &error));
    for (unsigned i = 0; i < kinds[index].keys; i++) {
        const int64_t   number = i;
        const ink_key   key = {"aaaaaaaaaaaaaaaa", i};
        const ink_batch ints = {.count = 1, .ints = &number}, bytes = {.count = 1, .keys = &key};
        bool            is_int = kinds[index].params.key_type == INK_KEY_INT;
        REQUIRE_OK(ink_draft_add_batch(draft, is_int ? &ints : &bytes, &error));
    }
    REQUIRE_OK(ink_draft_encode_to(draft, to, room, &count, &error));
    ink_draft_free(draft);
    return count;
}

/* ---- Changes ------------------------------------------------------------------------------ */

static void mend(uint8_t *bytes, size_t count)
{
    if (count >= AROUND)
        files_set(bytes + count - 8, 8, ink__checksum(bytes, count - 8));
}

/* A field, or a word of the elements, at a value where something may break. */
static void set_field(uint8_t *bytes, size_t count)
{
    static const struct {
        uint8_t at, width;
    } fields[] = {{8, 2},  {10, 2}, {12, 2}, {14, 2}, {16, 8}, {24, 8}, {32, 2},
                  {34, 2}, {36, 2}, {38, 2}, {40, 8}, {48, 8}, {56, 8}, {64, 8}};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    uint64_t limits[LIMITS_MAX];
    size_t   words = (count - AROUND) / 8;
    size_t   drawn = fuzz_draw(fuzz_draw(2) == 0 ? FIELDS : FIELDS + words);
    size_t   at = drawn < FIELDS ? fields[drawn].at : ELEMENTS_AT + 8 * (drawn - FIELDS);
    unsigned width = drawn < FIELDS ? fields[drawn].width : 8;

    random_state = fuzz_draw(0);
    uint64_t old = files_get(bytes + at, width);
    size_t   limit_count = limits_around(old, width, limits);
    files_set(bytes + at, width,
              fuzz_draw(2) == 0 ? limits[fuzz_draw(limit_count)] : random_value(old));
}

/* Elements that are moved, repeated or cut, and mostly the numbers that go with them. */
static size_t change_draft(uint8_t *bytes, size_t count, size_t room)
{
    if (count < AROUND)
        return seed((unsigned)fuzz_draw(KINDS), bytes, room);
    if (fuzz_draw(2) == 0)
        set_field(bytes, count);
    else {
        count = fuzz_scramble(bytes + ELEMENTS_AT, count - AROUND, room - AROUND) + AROUND;
        uint64_t inner = count - AROUND, keys = fuzz_draw(2) == 0 ? inner / 16 : inner / 8;
        if (files_get(bytes + KEY_BYTES_AT, 8) != 0) {
            keys = fuzz_draw(inner / 8 + 1);
            files_set(bytes + KEY_BYTES_AT, 8, inner - 8 * keys);
        }
        if (fuzz_draw(4) != 0)
            files_set(bytes + COUNT_AT, 8, keys);
    }
    mend(bytes, count);
    return count;
}

/* ---- Trial -------------------------------------------------------------------------------- */

static void check_read(const ink_draft *draft, const uint8_t *bytes, size_t count)
{
    static uint8_t again[MOST_BYTES];
    ink_draft     *other;
    ink_sketch    *finished;
    size_t         written;

    REQUIRE_OK(ink_draft_encode_to(draft, again, sizeof again, &written, &error));
    REQUIRE(written == count && memcmp(again, bytes, count) == 0);
    REQUIRE_OK(ink_draft_decode(&other, bytes, count, 0, NULL, &error));
    REQUIRE_OK(ink_draft_merge(other, draft, &error));
    REQUIRE(ink_draft_keys(other) == ink_draft_keys(draft));
    ink_draft_free(other);
    /* A draft of keys is sized by its records, which may be any number; some rates are too low for
     * the keys. */
    if (files_get(bytes + RECORDS_AT, 8) > FINISHED_RECORDS_MAX)
        return;
    ink_status status = ink_draft_finish(&finished, draft, 0, &error);
    REQUIRE(status == INK_OK || (status == INK_USAGE && error.status == status));
    if (status == INK_OK)
        ink_sketch_free(finished);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    ink_draft    *draft = NULL;
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);

    snprintf(tried, sizeof tried, "an input of %zu bytes", count);
    bytes = files_location(&guard, bytes, count);
    forget_error();
    ink_status status = ink_draft_decode(&draft, bytes, count, 0, &allocator, &error);
    REQUIRE(memory.most_bytes <= 4096 + 8 * (uint64_t)count);
    if (status == INK_OK)
        check_read(draft, bytes, count);
    else
        REQUIRE(status == INK_FORMAT && error.status == status && draft == NULL &&
                error.location == INK_AT_BYTE && error.at <= count && error.message[0] != '\0');
    ink_draft_free(draft);
    faults_check_no_leak(&memory);
}

const fuzz_target fuzz_here = {
    .name = "draft",
    .most_bytes = MOST_BYTES,
    .rounds = 20000,
    .begin = begin,
    .seed = seed,
    .change = change_draft,
    .mend = mend,
    .attempt = attempt,
};
