/* hostile_test.c - files that are cut, flipped, joined, foreign or made to harm: each is refused
 * with INK_FORMAT, a sentence and a byte of the file, having taken little memory; or it is a valid
 * file after all, and then every call on it works. Every file lies against a page that cannot be
 * read, so that one byte too many ends the test. */
#define _DEFAULT_SOURCE 1
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"

#include <stdio.h>
#include <unistd.h>

static ink_error   error;
static files_guard guard;
static char        tried[160]; /* what is being tried, for messages */

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s: not so: %s (\"%s\")", tried, #condition, error.sentence);                \
    } while (0)

#define REQUIRE_OK(call)                                                                           \
    do {                                                                                           \
        ink_status require_status = (call);                                                        \
        if (require_status != INK_OK)                                                              \
            fail_msg("%s: %s: %s: %s", tried, #call, ink_status_name(require_status),              \
                     error.sentence);                                                              \
    } while (0)

#define NO_FILE ((ink_file *)(uintptr_t)16)
#define NO_SKETCH ((ink_sketch *)(uintptr_t)16)

/* ---- Refusing ----------------------------------------------------------------------------- */

/* A refusal has a sentence and a place in the file. */
static void require_named(ink_status status, size_t count)
{
    REQUIRE(status == INK_FORMAT && error.status == INK_FORMAT);
    REQUIRE(error.place == INK_AT_BYTE && error.at <= count);
    REQUIRE(strlen(error.sentence) > 10 && error.os_error == 0);
}

/* Opens a file in one way, for nothing but the answer; a refusal must be named, small and clean. */
static ink_status look_at(const uint8_t *bytes, size_t count, unsigned flags)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_file     *file = NO_FILE;

    memset(&error, 0xff, sizeof error);
    ink_status status = ink_file_decode(&file, bytes, count, flags, &allocator, &error);
    if (status == INK_OK) {
        ink_file_close(file);
    } else {
        require_named(status, count);
        REQUIRE(file == NO_FILE);
        REQUIRE(memory.most_bytes <= 65536 + 2 * (uint64_t)count);
    }
    REQUIRE(memory.live_blocks == 0);
    return status;
}

/* The same as a sketch. */
static ink_status look_at_sketch(const uint8_t *bytes, size_t count)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_sketch   *sketch = NO_SKETCH;

    ink_status status = ink_sketch_decode(&sketch, bytes, count, &allocator, &error);
    if (status == INK_OK) {
        ink_sketch_free(sketch);
    } else {
        REQUIRE(sketch == NO_SKETCH);
        REQUIRE(memory.most_bytes <= 65536 + 2 * (uint64_t)count);
    }
    REQUIRE(memory.live_blocks == 0);
    return status;
}

static void require_refused(const uint8_t *bytes, size_t count)
{
    REQUIRE(look_at(bytes, count, INK_OPEN_CHECKED) == INK_FORMAT);
}

static void require_refused_every_way(const uint8_t *bytes, size_t count)
{
    REQUIRE(look_at_sketch(bytes, count) == INK_FORMAT);
    REQUIRE(look_at(bytes, count, INK_OPEN_COPY) == INK_FORMAT);
    REQUIRE(look_at(bytes, count, INK_OPEN_LAZY) == INK_FORMAT);
    require_refused(bytes, count);
}

/* ---- Using -------------------------------------------------------------------------------- */

/* The writer takes more than a megabyte for every sketch, however small, and gives it back at once:
 * one such block is kept at hand, for the system's sake. All other memory is malloc's. */
static void *recycling_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    enum { FROM_BYTES = 1 << 20, BLOCK_BYTES = 3 << 20 };
    static void *spare;
    void        *fresh = NULL;

    (void)host;
    REQUIRE(block == NULL || new_bytes == 0); /* the library does not resize */
    if (new_bytes >= FROM_BYTES && new_bytes <= BLOCK_BYTES) {
        fresh = spare != NULL ? spare : malloc(BLOCK_BYTES);
        spare = NULL;
    } else if (new_bytes > 0) {
        fresh = malloc(new_bytes);
    } else if (old_bytes >= FROM_BYTES && old_bytes <= BLOCK_BYTES && spare == NULL) {
        spare = block;
    } else {
        free(block);
    }
    return fresh;
}

static const ink_allocator recycling = {.resize = recycling_resize};

enum { KEYS = 300 };

/* A batch of keys that the sketch takes; hashes where it is locked. */
static ink_batch keys_for(const ink_description *d)
{
    static int64_t  ints[KEYS];
    static uint64_t offsets[KEYS + 1], hashes[KEYS];
    static char     bytes[KEYS * 12];

    for (size_t i = 0; i < KEYS && offsets[KEYS] == 0; i++) {
        ints[i] = (int64_t)i;
        hashes[i] = i * 0x9e3779b97f4a7c15u;
        int used = snprintf(bytes + offsets[i], 12, "key %u", (unsigned)i);
        offsets[i + 1] = offsets[i] + (uint64_t)used;
    }
    if (d->keyed)
        return (ink_batch){.count = KEYS, .hashes = hashes};
    if (d->key_type == INK_KEY_INT)
        return (ink_batch){.count = KEYS, .ints = ints};
    return (ink_batch){.count = KEYS, .bytes = (const uint8_t *)bytes, .offsets = offsets};
}

static void ask(const ink_sketch *sketch, const ink_description *d)
{
    static uint8_t answers[KEYS];
    bool           filter = strcmp(d->kind, "hll") != 0, maybe;
    ink_batch      keys = keys_for(d);
    ink_answer     answer;
    double         rate;

    REQUIRE_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
    REQUIRE(answer.low >= 0 && answer.low <= answer.high && answer.estimate <= 0x1p64);
    REQUIRE(answer.low <= answer.estimate && answer.estimate <= answer.high);
    ink_status status = ink_sketch_rate(sketch, &rate, &error);
    REQUIRE(status == (filter ? INK_OK : INK_UNSUPPORTED));
    REQUIRE(!filter || (rate >= 0 && rate <= 1));
    status = ink_sketch_contains_batch(sketch, &keys, answers, &error);
    REQUIRE(status == (filter ? INK_OK : INK_UNSUPPORTED));
    if (!filter || d->keyed)
        return;
    if (d->key_type == INK_KEY_INT)
        REQUIRE_OK(ink_sketch_contains_int(sketch, 3, &maybe, &error));
    else
        REQUIRE_OK(ink_sketch_contains(sketch, "key 3", 5, &maybe, &error));
    REQUIRE(maybe == answers[3]);
}

static uint8_t *payload_of(const ink_sketch *sketch, size_t *bytes)
{
    ink_description d;

    ink_sketch_describe(sketch, &d);
    *bytes = (size_t)d.bytes;
    uint8_t *payload = malloc(*bytes + 1);
    assert_non_null(payload);
    REQUIRE_OK(ink_sketch_payload(sketch, payload, *bytes, &error));
    return payload;
}

static void require_equal_payloads(const ink_sketch *a, const ink_sketch *b)
{
    size_t   bytes_a, bytes_b;
    uint8_t *payload_a = payload_of(a, &bytes_a), *payload_b = payload_of(b, &bytes_b);

    REQUIRE(bytes_a == bytes_b && memcmp(payload_a, payload_b, bytes_a) == 0);
    free(payload_a);
    free(payload_b);
}

/* Whether this is an answer that a valid sketch may give to combining and folding. */
static void require_sober(ink_status status)
{
    REQUIRE(status == INK_OK || status == INK_PROMISE || status == INK_USAGE ||
            status == INK_UNSUPPORTED || status == INK_MISMATCH);
}

static void encode_and_decode(const ink_sketch *view)
{
    uint8_t     digest[2][INK_DIGEST_BYTES], *bytes;
    ink_sketch *again;
    size_t      count;

    REQUIRE_OK(ink_sketch_encode(view, &bytes, &count, &error));
    REQUIRE_OK(ink_sketch_decode(&again, bytes, count, &recycling, &error));
    REQUIRE_OK(ink_sketch_digest(view, digest[0], &error));
    REQUIRE_OK(ink_sketch_digest(again, digest[1], &error));
    REQUIRE(memcmp(digest[0], digest[1], INK_DIGEST_BYTES) == 0);
    ink_sketch_free(again);
    ink_bytes_free(bytes, count, &recycling);
}

/* Everything that can be done with one sketch of a file, and with a second one beside it. */
static void use(const ink_sketch *view, const ink_sketch *other)
{
    const ink_merge_options parts = {.parts = true};
    ink_description         d;
    ink_sketch             *copy;
    uint64_t                divisor;

    ink_sketch_describe(view, &d);
    ink_batch keys = keys_for(&d);
    ask(view, &d);
    REQUIRE(d.read_only);
    REQUIRE(ink_sketch_add_batch((ink_sketch *)(uintptr_t)view, &keys, &error) == INK_READ_ONLY);
    encode_and_decode(view);

    REQUIRE_OK(ink_sketch_copy(&copy, view, NULL, &error));
    require_equal_payloads(copy, view);
    require_sober(ink_sketch_merge(copy, view, NULL, &error));
    REQUIRE_OK(ink_sketch_merge(copy, view, &parts, &error));
    require_equal_payloads(copy, view); /* merging and intersecting with itself changes nothing */
    require_sober(ink_sketch_intersect(copy, view, &error));
    require_equal_payloads(copy, view);
    require_sober(ink_sketch_merge(copy, other, NULL, &error));
    require_sober(ink_sketch_intersect(copy, other, &error));
    require_sober(ink_sketch_fold(copy, 2, &error));
    require_sober(ink_sketch_fold(copy, 3, &error));
    require_sober(ink_sketch_fold(copy, UINT64_MAX, &error));
    require_sober(ink_sketch_fold_to_rate(copy, 0.9, &divisor, &error));
    REQUIRE_OK(ink_sketch_add_batch(copy, &keys, &error));
    ink_sketch_describe(copy, &d);
    ask(copy, &d);
    ink_sketch_free(copy);
}

/* Entries that are used wholly; all others are only made. */
static bool chosen(size_t index, size_t count)
{
    return index < 2 || index + 1 == count || index == count / 2;
}

/* Writes the file anew from its views: the bytes must be the same, for there is one valid form. */
static void write_anew(const ink_file *file, ink_entry *entries, const uint8_t *bytes, size_t count)
{
    ink_section  sections[8];
    ink_contents contents = {
        .entries = entries,
        .entry_count = ink_file_count(file),
        .sections = sections,
        .allocator = &recycling,
    };
    uint8_t *anew;
    size_t   anew_count;

    while (ink_file_section(file, contents.section_count, &sections[contents.section_count],
                            &error) == INK_OK)
        REQUIRE(++contents.section_count < 8);
    if (contents.entry_count == 0)
        return; /* a file without entries is always written with the default key rule */
    REQUIRE_OK(ink_encode(&contents, &anew, &anew_count, &error));
    REQUIRE(anew_count == count && memcmp(anew, bytes, count) == 0);
    ink_bytes_free(anew, anew_count, &recycling);
}

/* Uses a file that was accepted in every way there is. Its payloads may still be wrong in a way
 * that only their kind knows; then all ways of asking for them must say so. Tells whether they are
 * right. */
static bool use_file(const uint8_t *bytes, size_t count)
{
    ink_file      *file, *copy;
    ink_entry_info info;
    uint8_t        digest[INK_DIGEST_BYTES];
    size_t         index;
    bool           right = true;

    REQUIRE_OK(ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, &recycling, &error));
    REQUIRE_OK(
        ink_file_decode(&copy, bytes, count, INK_OPEN_COPY | INK_OPEN_LAZY, &recycling, &error));
    REQUIRE_OK(ink_file_digest(file, digest, &error));
    size_t     entries = ink_file_count(file);
    ink_entry *views = calloc(entries + 1, sizeof *views);
    assert_non_null(views);
    for (size_t i = 0; i < entries; i++) {
        ink_sketch *view = NULL, *copied = NULL;
        REQUIRE_OK(ink_file_entry(file, i, &info, &error));
        REQUIRE_OK(ink_file_find(file, info.kind, &info.label, &index, &error));
        REQUIRE(index == i);
        ink_status status = ink_file_sketch(file, i, &view, &error);
        if (status != INK_OK)
            require_named(status, count);
        REQUIRE(ink_file_sketch(copy, i, &copied, &error) == status);
        right = right && status == INK_OK;
        if (status == INK_OK)
            require_equal_payloads(view, copied);
        views[i] = (ink_entry){.label = info.label, .sketch = view};
        ink_sketch_free(copied);
    }
    REQUIRE(ink_file_entry(file, entries, &info, &error) == INK_NOT_FOUND);
    for (size_t i = 0; i < entries && right; i++)
        if (chosen(i, entries))
            use(views[i].sketch, views[(i + 1) % entries].sketch);
    if (right)
        write_anew(file, views, bytes, count);
    for (size_t i = 0; i < entries; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)views[i].sketch);
    free(views);
    ink_file_close(copy);
    ink_file_close(file);
    return right;
}

/* Refused cleanly, or used cleanly. Tells whether it was accepted. */
static bool refused_or_used(const uint8_t *bytes, size_t count)
{
    ink_status status = look_at(bytes, count, INK_OPEN_CHECKED);

    REQUIRE(look_at(bytes, count, INK_OPEN_COPY) == status);
    REQUIRE(look_at(bytes, count, INK_OPEN_LAZY) == INK_OK || status != INK_OK);
    if (status != INK_OK) /* the sentence of this one */
        look_at(bytes, count, INK_OPEN_CHECKED);
    return status == INK_OK && use_file(bytes, count);
}

/* ---- Whole files -------------------------------------------------------------------------- */

static void every_sample_is_accepted_and_every_call_on_it_works(void **state)
{
    (void)state;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        snprintf(tried, sizeof tried, "%s", sample.name);
        const uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
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

static void every_truncation_is_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        for (size_t count = 0; count < sample.count; count++) {
            /* Of a large file: the first and the last lengths, and some between. */
            if (sample.large && count > 1500 && count + 40000 < sample.count)
                count += 40000;
            else if (sample.large && count > 1500 && count + 300 < sample.count)
                count = sample.count - 300;
            const uint8_t *bytes = files_place(&guard, sample.bytes, count);
            snprintf(tried, sizeof tried, "%s cut to %zu bytes", sample.name, count);
            require_refused_every_way(bytes, count);
        }
        files_sample_free(&sample);
    }
}

/* Repairing what can be repaired does not help a file that was cut. */
static void every_truncation_is_refused_although_checksums_are_repaired(void **state)
{
    (void)state;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        for (size_t count = FILES_HEADER_BYTES; count < sample.count && !sample.large; count++) {
            uint8_t *bytes = files_place(&guard, sample.bytes, count);
            snprintf(tried, sizeof tried, "%s cut to %zu bytes, repaired", sample.name, count);
            files_repair(bytes, count);
            require_refused(bytes, count);
        }
        files_sample_free(&sample);
    }
}

static void every_single_bit_flip_is_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
        for (size_t at = 0; at < sample.count; at++) {
            if (sample.large && at > 400 && at + 40000 < sample.count)
                at += 39999;
            else if (sample.large && at > 400 && at + 64 < sample.count)
                at = sample.count - 64;
            for (unsigned bit = 0; bit < 8; bit++) {
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
        REQUIRE(status == INK_FORMAT && error.place == INK_AT_BYTE);
        return;
    }
    ink_sketch_describe(view, &d);
    ink_params params = {.kind = d.kind,
                         .key_type = d.key_type,
                         .hash = d.hash,
                         .seed = d.seed,
                         .explicit_seed = true,
                         .precision = d.precision};
    if (d.precision == 0)
        params.bits = d.bits;
    if (strcmp(d.kind, "classic") == 0)
        params.hashes = d.hashes;
    if (d.keyed)
        params.secret = files_secret;
    REQUIRE_OK(ink_sketch_create(&into, &params, NULL, &error));
    uint8_t *payload = malloc((size_t)d.bytes + 1);
    assert_non_null(payload);
    REQUIRE(ink_sketch_merge(into, view, NULL, &error) == INK_FORMAT);
    REQUIRE(ink_sketch_intersect(into, view, &error) == INK_FORMAT);
    ink_sketch_describe(into, &d);
    REQUIRE(d.records == 0);
    ink_sketch_free(into);
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

static void a_flip_in_a_lazily_opened_file_is_found_at_once_or_when_bytes_are_used(void **state)
{
    (void)state;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
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

static void a_lazily_opened_file_is_checked_once_it_is_asked_to_be(void **state)
{
    files_sample sample;
    ink_file    *file;
    ink_sketch  *view, *copy;

    (void)state;
    files_sample_named(&sample, "bloom");
    uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
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

static void bytes_behind_the_end_are_refused(void **state)
{
    static const size_t behind[] = {1, 2, 7, 8, 24, 32, 64, 4096};

    (void)state;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        uint8_t *longer = malloc(2 * sample.count + 4096);
        assert_non_null(longer);
        memcpy(longer, sample.bytes, sample.count);
        for (unsigned fill = 0; fill < 2; fill++)
            for (size_t j = 0; j < sizeof behind / sizeof behind[0]; j++) {
                size_t count = sample.count + behind[j];
                memset(longer + sample.count, fill == 0 ? 0 : 0xff, behind[j]);
                uint8_t *bytes = files_place(&guard, longer, count);
                snprintf(tried, sizeof tried, "%s and %zu bytes of 0x%x", sample.name, behind[j],
                         fill == 0 ? 0 : 0xffu);
                require_refused_every_way(bytes, count);
                REQUIRE(strstr(error.sentence, "behind the end") != NULL);
                REQUIRE(error.at == sample.count);
                files_repair(bytes, count);
                require_refused_every_way(bytes, count);
            }
        memcpy(longer + sample.count, sample.bytes, sample.count);
        uint8_t *joined = files_place(&guard, longer, 2 * sample.count);
        snprintf(tried, sizeof tried, "%s twice, joined", sample.name);
        require_refused_every_way(joined, 2 * sample.count);
        REQUIRE(strstr(error.sentence, "behind the end") != NULL && error.at == sample.count);
        free(longer);
        files_sample_free(&sample);
    }
}

static void files_of_other_programs_are_refused_by_name(void **state)
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
        {"user_id\tday\n17\tMon\n", 19, "text"},
        {"{\"kind\": \"bloom\"}", 17, "text"},
        {"\x89INK\n\x1a\n", 7, "transfer as text"},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, "something else"},
        {"\x7f"
         "ELF\x02\x01",
         6, "something else"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        char longer[300] = {0};
        snprintf(tried, sizeof tried, "start of %s", foreign[i].name);
        const uint8_t *bytes =
            files_place(&guard, (const uint8_t *)foreign[i].start, foreign[i].bytes);
        require_refused_every_way(bytes, foreign[i].bytes);
        REQUIRE(strstr(error.sentence, foreign[i].name) != NULL);
        if (strstr(foreign[i].name, "short") != NULL)
            continue;
        memset(longer, foreign[i].bytes > 16 ? 'x' : 0, sizeof longer);
        memcpy(longer, foreign[i].start, foreign[i].bytes);
        bytes = files_place(&guard, (const uint8_t *)longer, sizeof longer);
        require_refused_every_way(bytes, sizeof longer);
        REQUIRE(strstr(error.sentence, foreign[i].name) != NULL && error.at == 0);
    }
}

static void no_bytes_at_all_are_refused(void **state)
{
    (void)state;
    snprintf(tried, sizeof tried, "NULL");
    require_refused_every_way(NULL, 0);
}

static void another_version_is_refused_by_its_number(void **state)
{
    files_sample sample;

    (void)state;
    files_sample_named(&sample, "bloom");
    for (unsigned version = 1; version < 65536; version = version * 2 + 1) {
        char     name[32];
        uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
        files_set(bytes + FILES_VERSION_AT, 2, version);
        snprintf(name, sizeof name, "version %u", version);
        snprintf(tried, sizeof tried, "%s", name);
        /* With its checksum right or wrong: a later version may have another one. */
        require_refused_every_way(bytes, sample.count);
        REQUIRE(strstr(error.sentence, name) != NULL && error.at == FILES_VERSION_AT);
        files_repair(bytes, sample.count);
        require_refused_every_way(bytes, sample.count);
        REQUIRE(strstr(error.sentence, name) != NULL && error.at == FILES_VERSION_AT);
    }
    files_sample_free(&sample);
}

static void a_file_of_the_other_byte_order_is_refused(void **state)
{
    static const files_field swapped[] = {{12, 2}, {14, 2}, {16, 8}, {24, 8},
                                          {32, 8}, {40, 8}, {48, 8}};
    files_sample             sample;

    (void)state;
    files_sample_named(&sample, "bloom");
    uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
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

/* Copies a sample, changes one field, repairs, and tries it. */
static bool try_value(const files_sample *sample, files_field field, uint64_t value)
{
    uint8_t *bytes = files_place(&guard, sample->bytes, sample->count);

    files_set(bytes + field.at, field.width, value);
    files_repair(bytes, sample->count);
    snprintf(tried, sizeof tried, "%s with 0x%llx in the %u bytes at %llu", sample->name,
             (unsigned long long)value, field.width, (unsigned long long)field.at);
    return refused_or_used(bytes, sample->count);
}

static uint64_t bits_of(double real)
{
    uint64_t bits;

    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static void every_field_at_its_limits_is_refused_or_harmless(void **state)
{
    static const unsigned limits[] = {7, 8, 15, 16, 31, 32, 63};
    static files_field    fields[4096];
    unsigned              accepted = 0, refused = 0;

    (void)state;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        size_t count = sample.large ? 0 : files_fields(sample.bytes, sample.count, fields, 4096);
        for (size_t f = 0; f < count; f++) {
            uint64_t old = files_get(sample.bytes + fields[f].at, fields[f].width);
            uint64_t most = UINT64_MAX >> (64 - 8 * fields[f].width);
            uint64_t values[64] = {0, 1, old - 1, old + 1, UINT64_MAX};
            size_t   n = 5;
            for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++)
                for (uint64_t around = 0; around < 3; around++)
                    values[n++] = ((uint64_t)1 << limits[l]) - 1 + around;
            const double reals[] = {0.0 / 1,
                                    -0.0,
                                    1,
                                    2,
                                    -1,
                                    0x1p-1074,
                                    -0x1p-1074,
                                    0x1p-1022,
                                    0x1.fffffffffffffp-1,
                                    0x1.0000000000001p0};
            for (size_t r = 0; r < sizeof reals / sizeof reals[0]; r++)
                values[n++] = bits_of(reals[r]);
            values[n++] = 0x7ff0000000000000; /* infinities and NaNs */
            values[n++] = 0xfff0000000000000;
            values[n++] = 0x7ff8000000000000;
            values[n++] = 0x7ff0000000000001;
            for (size_t v = 0; v < n; v++) {
                bool twice = values[v] == old || values[v] > most;
                for (size_t before = 0; before < v; before++)
                    twice = twice || values[before] == values[v];
                if (twice)
                    continue;
                if (try_value(&sample, fields[f], values[v]))
                    accepted++;
                else
                    refused++;
            }
        }
        files_sample_free(&sample);
    }
    /* Both must happen, or this test tests nothing. */
    assert_true(accepted > 500);
    assert_true(refused > 10000);
}

/* NaN, infinities, -0, negative numbers and numbers above 1 are no rates. */
static void no_rate_but_a_rate_is_accepted(void **state)
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
    static const char *const names[] = {"bloom", "classic"};

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        files_field asked = files_column(sample.bytes, sample.count, 0, 17);
        files_field promised = files_column(sample.bytes, sample.count, 0, 18);
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
            REQUIRE(try_value(&sample, asked, rates[i].bits) == rates[i].asked);
            REQUIRE(rates[i].asked ||
                    (strstr(error.sentence, "asked rate") != NULL && error.at == asked.at));
            REQUIRE(try_value(&sample, promised, rates[i].bits) == rates[i].promised);
            REQUIRE(rates[i].promised ||
                    (strstr(error.sentence, "promised rate") != NULL && error.at == promised.at));
        }
        files_sample_free(&sample);
    }
}

static void parameters_out_of_range_are_refused_with_the_range(void **state)
{
    static const struct {
        const char *sample;
        unsigned    column;
        uint64_t    value;
        const char *sentence;
    } wrong[] = {
        {"hll empty", 16, 3, "precision 3, expected 4 to 18"},
        {"hll empty", 16, 19, "precision 19, expected 4 to 18"},
        {"hll empty", 16, 255, "precision 255, expected 4 to 18"},
        {"hll empty", 16, ((uint64_t)1 << 32) + 14, "precision 4294967310, expected 4 to 18"},
        {"classic", 20, 65, "65 hashes, expected 1 to 64"},
        {"classic", 20, 0xffffffff, "4294967295 hashes, expected 1 to 64"},
        {"classic", 19, ((uint64_t)1 << 43) + 1, "bits, expected 1 to 2^43"},
        {"classic", 19, UINT64_MAX, "bits, expected 1 to 2^43"},
        {"classic", 19, UINT64_MAX - 6, "bits, expected 1 to 2^43"},
        {"classic mmh3", 19, ((uint64_t)1 << 32) + 1, "bits, expected 1 to 2^32"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        files_sample sample;
        files_sample_named(&sample, wrong[i].sample);
        files_field field = files_column(sample.bytes, sample.count, 0, wrong[i].column);
        REQUIRE(!try_value(&sample, field, wrong[i].value));
        REQUIRE(strstr(error.sentence, wrong[i].sentence) != NULL && error.at == field.at);
        files_sample_free(&sample);
    }
}

static void every_byte_of_header_directory_and_sections_may_be_anything(void **state)
{
    unsigned accepted = 0;

    (void)state;
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

static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t x = random_state += 0x9e3779b97f4a7c15u; /* SplitMix64 */

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t random_value(uint64_t old)
{
    switch (next_random() % 6) {
    case 0:
        return old + next_random() % 9 - 4;
    case 1:
        return next_random() % 256;
    case 2:
        return next_random() % 65536;
    case 3:
        return ((uint64_t)1 << next_random() % 64) - 1 + next_random() % 3;
    case 4:
        return old << next_random() % 8;
    default:
        return next_random();
    }
}

static void several_fields_at_once_may_be_anything(void **state)
{
    static files_field fields[4096];

    (void)state;
    random_state = 1;
    for (unsigned i = 0; i < files_sample_count(); i++) {
        files_sample sample;
        files_sample_make(&sample, i);
        size_t count = sample.large ? 0 : files_fields(sample.bytes, sample.count, fields, 4096);
        for (unsigned round = 0; round < 3000 && count > 0; round++) {
            uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
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
static void a_huge_number_of_entries_of_one_value_is_refused_at_once(void **state)
{
    static const char *const names[] = {"bloom", "classic", "hll empty", "hll list 14"};

    (void)state;
    alarm(60); /* instead of for ever */
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (unsigned shift = 1; shift < 65; shift++) {
            files_sample sample;
            files_sample_named(&sample, names[n]);
            uint64_t entries = shift == 64 ? UINT64_MAX : (uint64_t)1 << shift;
            uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
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
    memcpy(bytes, "\x89INK\r\n\x1a\n", 8);
    files_set(bytes + 14, 2, 1); /* hash: XXH3 */
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

static void group_names_that_end_outside_of_their_column_are_refused(void **state)
{
    static const struct {
        uint16_t ends[4];
        unsigned entries, names;
        bool     valid;
    } forged[] = {
        {{1, 2, 300}, 3, 300, true},          /* the forger knows how */
        {{50000, 60000, 300}, 3, 300, false}, /* a comparison far behind the column */
        {{1000, 2000, 300}, 3, 300, false},
        {{300, 600, 900, 4}, 4, 4, false},
        {{300, 600, 0}, 3, 0, false}, /* there is no column of names at all */
        {{400, 4}, 2, 4, false},
        {{65535, 65535, 65535, 1}, 4, 1, false},
        {{300, 0}, 2, 0, false},
    };
    uint8_t bytes[2048];

    (void)state;
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        size_t count = forge_groups(bytes, forged[i].ends, forged[i].entries, forged[i].names);
        snprintf(tried, sizeof tried, "forged groups %zu", i);
        const uint8_t *placed = files_place(&guard, bytes, count);
        REQUIRE(refused_or_used(placed, count) == forged[i].valid);
        REQUIRE(forged[i].valid || strstr(error.sentence, "group") != NULL);
    }
}

/* Random ends and random names; most of it is refused, nothing is read that is not there. */
static void random_group_ends_are_refused_or_harmless(void **state)
{
    uint8_t  bytes[2048];
    unsigned accepted = 0;

    (void)state;
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
        const uint8_t *placed = files_place(&guard, bytes, count);
        if (look_at(placed, count, INK_OPEN_CHECKED) == INK_OK) {
            accepted++;
            if (accepted % 8 == 0)
                REQUIRE(use_file(placed, count));
        }
    }
    assert_true(accepted > 50);
}

static void a_critical_section_nobody_knows_is_refused_by_its_id(void **state)
{
    files_sample sample;

    (void)state;
    files_sample_named(&sample, "two kinds");
    uint64_t at = files_sections_at(sample.bytes);
    while (files_get(sample.bytes + at, 4) != 77) /* of somebody else */
        at += 24 + (files_get(sample.bytes + at + 8, 8) + 7) / 8 * 8;
    REQUIRE(!try_value(&sample, (files_field){.at = at + 4, .width = 4}, 1));
    REQUIRE(strstr(error.sentence, "section 77 is critical") != NULL && error.at == at);
    files_sample_free(&sample);
}

static void kinds_that_are_reserved_or_unknown_are_refused_by_number(void **state)
{
    files_sample sample;

    (void)state;
    files_sample_named(&sample, "hll empty");
    for (unsigned kind = 0; kind < 12; kind++) {
        char number[32];
        if (kind == 8)
            continue;
        snprintf(number, sizeof number, "kind %u is unknown", kind);
        REQUIRE(!try_value(&sample, (files_field){.at = 72, .width = 2}, kind));
        REQUIRE(kind == 1 || kind == 2 || strstr(error.sentence, number) != NULL);
    }
    files_sample_free(&sample);
}

/* ---- Payloads, with checksums repaired ---------------------------------------------------- */

/* Payloads are not looked into before their sketch is asked for; then the kind must find it. */
static void random_hll_payloads_are_refused_or_harmless(void **state)
{
    static const char *const names[] = {"hll list 4",   "hll list 14",  "hll list 18",
                                        "hll packed 4", "hll packed 8", "hll packed 14",
                                        "groups",       "two kinds"};
    unsigned                 accepted = 0, refused = 0;

    (void)state;
    random_state = 3;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        uint64_t payload = files_payload_at(sample.bytes),
                 sections = files_sections_at(sample.bytes);
        for (unsigned round = 0; round < (sections - payload > 4096 ? 30u : 300u); round++) {
            uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
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
    assert_true(accepted > 20);
    assert_true(refused > 200);
}

static void require_payload_refused(const files_sample *sample, const uint8_t *payload,
                                    size_t payload_bytes, const char *sentence)
{
    uint64_t at = files_payload_at(sample->bytes);
    uint8_t *bytes = files_place(&guard, sample->bytes, sample->count);

    memcpy(bytes + at, payload, payload_bytes);
    files_repair(bytes, sample->count);
    snprintf(tried, sizeof tried, "%s: %s", sample->name, sentence);
    REQUIRE(look_at_sketch(bytes, sample->count) == INK_FORMAT);
    REQUIRE(strstr(error.sentence, sentence) != NULL);
    REQUIRE(error.place == INK_AT_BYTE && error.at >= at && error.at < at + payload_bytes);
    REQUIRE(!refused_or_used(bytes, sample->count));
}

static void hll_lists_out_of_order_or_range_are_refused(void **state)
{
    static const struct {
        uint32_t    listed[3]; /* register << 6 | value; 16 registers, values up to 61 */
        const char *sentence;
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

    (void)state;
    files_sample_named(&sample, "hll list 4");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t payload[9];
        for (unsigned j = 0; j < 3; j++)
            files_set(payload + 3 * j, 3, wrong[i].listed[j]);
        require_payload_refused(&sample, payload, sizeof payload, wrong[i].sentence);
    }
    files_sample_free(&sample);
}

static void packed_hlls_with_wrong_values_are_refused(void **state)
{
    uint8_t      payload[12] = {0};
    files_sample sample;

    (void)state;
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
static void an_hll_with_all_registers_full_says_that_it_is_saturated(void **state)
{
    files_sample sample;
    ink_sketch  *sketch;
    ink_answer   answer;

    (void)state;
    files_sample_named(&sample, "hll packed 4");
    uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
    uint8_t *payload = bytes + files_payload_at(bytes);
    memset(payload, 0, 12);
    for (unsigned i = 0; i < 16; i++) /* 61 in each of 16 registers */
        for (unsigned bit = 0; bit < 6; bit++)
            if ((61 >> bit & 1) != 0)
                payload[(6 * i + bit) / 8] |= (uint8_t)(1u << (6 * i + bit) % 8);
    files_repair(bytes, sample.count);
    CHECK_OK(ink_sketch_decode(&sketch, bytes, sample.count, NULL, &error));
    CHECK_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
    assert_true(answer.saturated);
    assert_true(answer.estimate == 0x1p64 && answer.high == 0x1p64 && answer.low >= 16);
    snprintf(tried, sizeof tried, "a full hll");
    assert_true(refused_or_used(bytes, sample.count));
    ink_sketch_free(sketch);
    files_sample_free(&sample);
}

static void classic_bits_behind_the_last_one_are_refused(void **state)
{
    files_sample sample;

    (void)state;
    files_sample_named(&sample, "classic mmh3"); /* 1001 bits: one in the last byte */
    uint64_t last = files_payload_at(sample.bytes) + 1001 / 8;
    for (unsigned bit = 0; bit < 8; bit++) {
        uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
        bytes[last] |= (uint8_t)(1u << bit);
        files_repair(bytes, sample.count);
        snprintf(tried, sizeof tried, "classic with bit %u of its last byte", bit);
        REQUIRE(refused_or_used(bytes, sample.count) == (bit == 0));
        REQUIRE(look_at_sketch(bytes, sample.count) == (bit == 0 ? INK_OK : INK_FORMAT));
    }
    files_sample_free(&sample);
}

/* Full and empty filters, and random bits. */
static void any_bits_are_a_filter(void **state)
{
    static const char *const names[] = {"bloom", "bloom of ints", "classic of a power of two",
                                        "three kinds", "keyed"};

    (void)state;
    random_state = 4;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        files_sample sample;
        files_sample_named(&sample, names[n]);
        bool three =
            n == 3; /* 32 bytes of bloom, 8 of classic; the hll behind them is left alone */
        for (unsigned round = 0; round < 20; round++) {
            uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
            uint64_t at = files_payload_at(bytes);
            uint64_t end = three ? at + 40 : files_sections_at(bytes);
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
static void payloads_of_impossible_sizes_are_refused(void **state)
{
    static const struct {
        const char *sample, *sentence;
        unsigned    unit;
    } sized[] = {
        {"bloom", "a bloom of ", 32},
        {"hll list 14", "an hll of ", 3},
        {"classic", "a classic of ", 0},
    };

    (void)state;
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
            REQUIRE(strstr(error.sentence, sized[i].sentence) != NULL && error.at == field.at);
            tried_sizes++;
        }
        REQUIRE(tried_sizes > 15);
        files_sample_free(&sample);
    }
}

static void bytes_between_payloads_must_be_zero(void **state)
{
    files_sample sample;
    unsigned     found = 0;

    (void)state;
    files_sample_named(&sample, "three kinds");
    for (uint64_t at = files_payload_at(sample.bytes); at < files_sections_at(sample.bytes); at++) {
        uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
        bytes[at] ^= 1;
        files_repair(bytes, sample.count);
        snprintf(tried, sizeof tried, "three kinds with byte %llu changed", (unsigned long long)at);
        if (look_at(bytes, sample.count, INK_OPEN_CHECKED) != INK_OK &&
            strstr(error.sentence, "between payloads") != NULL) {
            REQUIRE(error.at == at);
            found++;
        }
    }
    /* 32 bytes of bloom, 8 of classic and 24 of nothing, 15 of hll and 17 of nothing. */
    assert_int_equal(found, 24 + 17);
    files_sample_free(&sample);
}

/* ---- Secrets ------------------------------------------------------------------------------ */

static void a_keyed_file_holds_no_secret_and_knows_a_wrong_one(void **state)
{
    files_sample sample;
    ink_sketch  *sketch;
    uint8_t      wrong[INK_SECRET_BYTES];
    bool         maybe;

    (void)state;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_accepted_and_every_call_on_it_works),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_truncation_is_refused_although_checksums_are_repaired),
        cmocka_unit_test(every_single_bit_flip_is_refused),
        cmocka_unit_test(a_flip_in_a_lazily_opened_file_is_found_at_once_or_when_bytes_are_used),
        cmocka_unit_test(a_lazily_opened_file_is_checked_once_it_is_asked_to_be),
        cmocka_unit_test(bytes_behind_the_end_are_refused),
        cmocka_unit_test(files_of_other_programs_are_refused_by_name),
        cmocka_unit_test(no_bytes_at_all_are_refused),
        cmocka_unit_test(another_version_is_refused_by_its_number),
        cmocka_unit_test(a_file_of_the_other_byte_order_is_refused),
        cmocka_unit_test(every_field_at_its_limits_is_refused_or_harmless),
        cmocka_unit_test(no_rate_but_a_rate_is_accepted),
        cmocka_unit_test(parameters_out_of_range_are_refused_with_the_range),
        cmocka_unit_test(every_byte_of_header_directory_and_sections_may_be_anything),
        cmocka_unit_test(several_fields_at_once_may_be_anything),
        cmocka_unit_test(a_huge_number_of_entries_of_one_value_is_refused_at_once),
        cmocka_unit_test(group_names_that_end_outside_of_their_column_are_refused),
        cmocka_unit_test(random_group_ends_are_refused_or_harmless),
        cmocka_unit_test(a_critical_section_nobody_knows_is_refused_by_its_id),
        cmocka_unit_test(kinds_that_are_reserved_or_unknown_are_refused_by_number),
        cmocka_unit_test(random_hll_payloads_are_refused_or_harmless),
        cmocka_unit_test(hll_lists_out_of_order_or_range_are_refused),
        cmocka_unit_test(packed_hlls_with_wrong_values_are_refused),
        cmocka_unit_test(an_hll_with_all_registers_full_says_that_it_is_saturated),
        cmocka_unit_test(classic_bits_behind_the_last_one_are_refused),
        cmocka_unit_test(any_bits_are_a_filter),
        cmocka_unit_test(payloads_of_impossible_sizes_are_refused),
        cmocka_unit_test(bytes_between_payloads_must_be_zero),
        cmocka_unit_test(a_keyed_file_holds_no_secret_and_knows_a_wrong_one),
    };

    files_guard_create(&guard, 4u << 20);
    int failed = cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
    files_guard_free(&guard);
    return failed;
}
