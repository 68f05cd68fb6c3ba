/* stream_position_test.c - the position of a stream is read as it was written, to the byte as
 * docs/format.md states it; and anything else is refused in one line, or is another
 * position. */
#include "jobs/stream/stream_position.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;

/* ---- Writing and reading ------------------------------------------------------------------ */

/* A position with what it was read into; freed at the end of its block. */
typedef struct known {
    ink__arena           arena;
    ink__stream_position position;
} known;

#define KNOWN OWNED(known_end) known

static void known_begin(known *to)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);

    *to = (known){0};
    ink__arena_begin(&to->arena, &heap);
}

static void known_end(known *from)
{
    ink__stream_position_free(&from->position, &from->arena.allocator);
    ink__arena_end(&from->arena);
}

static void put_file(known *to, const char *path, ink__live_location location)
{
    size_t index;

    CHECK_OK(ink__stream_position_find(&to->position, path, &to->arena, &index, &error));
    to->position.files[index].location = location;
}

static records_bytes written(const ink__stream_position *position)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    uint8_t      *bytes;
    uint64_t      count, room;
    records_bytes all = {0};

    CHECK_OK(ink__stream_position_write(position, &heap, &bytes, &count, &room, &error));
    CHECK(count <= room);
    records_put(&all, bytes, (size_t)count);
    ink__release(&heap, bytes, room);
    return all;
}

static bool same_file(const ink__stream_file *a, const ink__stream_file *b)
{
    return strcmp(a->path, b->path) == 0 && a->location.offset == b->location.offset &&
           a->location.check == b->location.check && a->location.device == b->location.device &&
           a->location.number == b->location.number;
}

static bool same_position(const ink__stream_position *a, const ink__stream_position *b)
{
    bool same = a->batches == b->batches && a->records == b->records && a->bad == b->bad &&
                a->late == b->late && a->cut == b->cut &&
                a->slot_microseconds == b->slot_microseconds && a->slots == b->slots &&
                a->timed == b->timed && a->newest == b->newest && a->file_count == b->file_count;

    for (uint64_t i = 0; same && i < a->file_count; i++)
        same = same_file(&a->files[i], &b->files[i]);
    return same;
}

static ink_status read_bytes(known *to, const void *bytes, size_t count)
{
    known_begin(to);
    return ink__stream_position_read(&to->position, bytes, count, &to->arena, &error);
}

/* It is read as it is, and written again as it was. */
static void check_round_trip(const ink__stream_position *position)
{
    owned_bytes bytes = written(position);
    KNOWN       again;

    CHECK_OK(read_bytes(&again, bytes.bytes, bytes.count));
    CHECK(same_position(position, &again.position));
    owned_bytes twice = written(&again.position);
    assert_int_equal(bytes.count, twice.count);
    assert_memory_equal(bytes.bytes, twice.bytes, bytes.count);
}

/* ---- Samples ------------------------------------------------------------------------------ */

enum { SAMPLES = 5 };

static void make_sample(known *to, unsigned number)
{
    known_begin(to);
    ink__stream_position *position = &to->position;
    if (number == 0)
        return;
    *position = (ink__stream_position){
        .batches = 12, .records = 345, .bad = 6, .late = number > 2 ? 7 : 0, .cut = 89};
    if (number == 2)
        put_file(to, "/data/keys.txt", (ink__live_location){4711, 0xfedcba9876543210, 2049, 77});
    if (number < 3)
        return;
    position->slot_microseconds = 60000000;
    position->slots = 10;
    position->timed = number == 4;
    position->newest = number == 4 ? -1 : 0;
    put_file(to, "/a path with blanks", (ink__live_location){1, 0, 0, 0});
    put_file(to, "/w\xc3\xb6rter\n\ttwo lines", (ink__live_location){2, 1, 3, 4});
    put_file(to, "path", (ink__live_location){3, 0xa, 5, 6}); /* as a name */
}

TEST(what_is_written_is_read_again_as_it_was)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        KNOWN sample;
        make_sample(&sample, i);
        check_round_trip(&sample.position);
    }
}

TEST(numbers_reach_to_their_limits)
{
    static const int64_t times[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
    KNOWN                sample;

    known_begin(&sample);
    ink__stream_position *all = &sample.position;
    *all = (ink__stream_position){
        .batches = UINT64_MAX,
        .records = UINT64_MAX,
        .bad = UINT64_MAX,
        .late = UINT64_MAX,
        .cut = UINT64_MAX,
        .slot_microseconds = UINT64_MAX,
        .slots = UINT64_MAX,
        .timed = true,
    };
    put_file(&sample, "/f", (ink__live_location){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX});
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        all->newest = times[i];
        check_round_trip(all);
    }
}

TEST(paths_of_any_length_and_any_bytes_but_nul_are_kept)
{
    char     path[5000];
    uint64_t chance = 42;
    KNOWN    sample;

    known_begin(&sample);
    for (size_t length = 1; length < sizeof path; length = length * 2 + 1) {
        for (size_t i = 0; i < length; i++)
            path[i] = (char)(1 + records_below(&chance, 255));
        path[length] = '\0';
        put_file(&sample, path, (ink__live_location){length, 1, 2, 3});
    }
    check_round_trip(&sample.position);
}

TEST(the_bytes_are_those_of_the_format)
{
    static const char expected[] =
        "source\0stream\0batch\00012\0slot\00060000000\0slots\00010\0"
        "newest\0-1\0records\000345\0bad\0006\0late\0007\0cut\00089\0"
        "path\0/a path with blanks\0offset\0001\0check\0000\0file\0000:0\0";
    static const char plain[] =
        "source\0stream\0batch\00012\0records\000345\0bad\0006\0late\0000\0cut\00089\0"
        "path\0/data/keys.txt\0offset\0004711\0check\0fedcba9876543210\0file\0002049:77";
    KNOWN sample, timed;

    make_sample(&sample, 2);
    owned_bytes bytes = written(&sample.position);
    assert_int_equal(bytes.count, sizeof plain);
    assert_memory_equal(bytes.bytes, plain, sizeof plain);
    make_sample(&timed, 4);
    owned_bytes more = written(&timed.position);
    CHECK(more.count > sizeof expected - 1);
    assert_memory_equal(more.bytes, expected, sizeof expected - 1);
}

TEST(a_file_of_which_nothing_was_read_is_not_written)
{
    KNOWN sample, again;

    known_begin(&sample);
    put_file(&sample, "/one", (ink__live_location){0, 0, 1, 2});
    put_file(&sample, "/two", (ink__live_location){1, 0, 1, 2});
    owned_bytes bytes = written(&sample.position);
    CHECK_OK(read_bytes(&again, bytes.bytes, bytes.count));
    assert_int_equal(again.position.file_count, 1);
    assert_string_equal(again.position.files[0].path, "/two");
}

/* ---- What is no position ------------------------------------------------------------------ */

/* The message is one line that can be printed, and says what was expected. */
static void check_sentence(void)
{
    for (const char *at = error.message; *at != '\0'; at++)
        CHECK((unsigned char)*at >= ' ' && *at != 0x7f);
    CHECK(strstr(error.message, "expected") != NULL);
}

/* Reads bytes that end where memory ends: they are refused, or are a position that can be written
 * and read again, and is not `but`, unless that is NULL. Returns whether they were refused. */
static bool check_refused_or_other(const uint8_t *bytes, size_t count,
                                   const ink__stream_position *but)
{
    uint8_t *alone = malloc(count + (count == 0));
    KNOWN    other;

    assert_non_null(alone);
    if (count > 0)
        memcpy(alone, bytes, count);
    error = (ink_error){0};
    ink_status status = read_bytes(&other, alone, count);
    if (status == INK_OK) {
        CHECK(but == NULL || !same_position(&other.position, but));
        check_round_trip(&other.position);
    } else {
        CHECK((status == INK_FORMAT || status == INK_MISMATCH) && error.status == status);
        check_sentence();
    }
    free(alone);
    return status != INK_OK;
}

TEST(every_cut_is_refused_but_those_between_files)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        KNOWN sample;
        make_sample(&sample, i);
        owned_bytes bytes = written(&sample.position);
        uint64_t    whole = 0;
        for (size_t count = 0; count < bytes.count; count++)
            whole += !check_refused_or_other(bytes.bytes, count, &sample.position);
        assert_int_equal(whole, sample.position.file_count);
    }
}

TEST(every_change_of_a_byte_is_refused_or_another_position)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        KNOWN sample;
        make_sample(&sample, i);
        owned_bytes bytes = written(&sample.position);
        for (size_t at = 0; at < bytes.count; at++)
            for (unsigned value = 0; value < 256; value += records_light() ? 7 : 1) {
                uint8_t was = bytes.bytes[at];
                if (value == was)
                    continue;
                bytes.bytes[at] = (uint8_t)value;
                check_refused_or_other(bytes.bytes, bytes.count, &sample.position);
                bytes.bytes[at] = was;
            }
    }
}

TEST(bytes_by_chance_are_refused)
{
    static const char *const words[] = {
        "source", "stream", "batch", "slot", "slots",  "newest", "records",
        "bad",    "late",   "cut",   "path", "offset", "check",  "file",
        "1",      "-1",     "1:1",   "",     "00",     "x",      "18446744073709551616",
        "/f"};
    uint64_t chance = 7;

    for (unsigned round = 0; round < 20000; round++) {
        owned_bytes bytes = {0};
        records_say(&bytes, "source%cstream%cbatch%c1%c", 0, 0, 0, 0);
        for (uint64_t left = records_below(&chance, 24); left > 0; left--) {
            const char *word = words[records_below(&chance, sizeof words / sizeof words[0])];
            records_put(&bytes, word, strlen(word) + 1);
        }
        check_refused_or_other(bytes.bytes, bytes.count, NULL);
    }
}

TEST(what_is_wrong_is_named)
{
#define BATCH "source\0stream\0batch\0001\0"
#define NUMBERS BATCH "records\0001\0bad\0000\0late\0000\0cut\0000\0"
    static const struct {
        const char *bytes;
        size_t      count;
        ink_status  status;
        const char *text;
    } wrong[] = {
#define WRONG(bytes, status, text) {bytes, sizeof bytes - 1, status, text}
        WRONG("", INK_FORMAT, "expected how far"),
        WRONG("source\0spark\0", INK_MISMATCH, "\"spark\", expected one of ink stream"),
        WRONG("source\0two\nlines\0", INK_MISMATCH, "two\\x0alines"),
        WRONG("source", INK_FORMAT, "within a word"),
        WRONG("source\0stream", INK_FORMAT, "within a word"),
        WRONG("source\0stream\0batch\0x\0", INK_FORMAT, "\"batch\" \"x\""),
        WRONG("source\0stream\0batch\00018446744073709551616\0", INK_FORMAT, "\"batch\""),
        WRONG("source\0stream\0batch\00001\0", INK_FORMAT, "\"01\""),
        WRONG(BATCH "slot\0001\0records\0001\0", INK_FORMAT, "\"records\""),
        WRONG(BATCH "newest\0009223372036854775808\0", INK_FORMAT, "\"newest\""),
        WRONG(BATCH "newest\0--1\0", INK_FORMAT, "\"--1\""),
        WRONG(BATCH "newest\0-0\0", INK_FORMAT, "\"-0\""),
        WRONG(BATCH "slot\0000\0slots\0001\0", INK_FORMAT, "\"slot\""),
        WRONG(BATCH "slot\0001\0slots\0000\0", INK_FORMAT, "\"slots\""),
        WRONG(NUMBERS "query\0x\0", INK_FORMAT, "\"query\""),
        WRONG(NUMBERS "path\0\0", INK_FORMAT, "\"path\""),
        WRONG(NUMBERS "path\0f\0offset\0000\0", INK_FORMAT, "\"offset\" \"0\""),
        WRONG(NUMBERS "path\0f\0offset\0001\0check\0g\0", INK_FORMAT, "\"check\" \"g\""),
        WRONG(NUMBERS "path\0f\0offset\0001\0check\00012345678901234567\0", INK_FORMAT,
              "\"check\""),
        WRONG(NUMBERS "path\0f\0offset\0001\0check\0001\0file\0001\0", INK_FORMAT,
              "\"file\" \"1\""),
        WRONG(NUMBERS "path\0f\0offset\0001\0check\0001\0file\0001:1\0"
                      "path\0f\0offset\0001\0check\0001\0file\0001:1\0",
              INK_FORMAT, "twice"),
#undef WRONG
    };
#undef NUMBERS
#undef BATCH

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        KNOWN to;
        CHECK_FAILS(read_bytes(&to, wrong[i].bytes, wrong[i].count), wrong[i].status,
                    wrong[i].text);
        check_sentence();
    }
}

/* ---- Files -------------------------------------------------------------------------------- */

TEST(a_path_is_found_where_it_was_put)
{
    enum { FILES = 300 };
    char   path[32];
    size_t index;
    KNOWN  sample;

    known_begin(&sample);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < FILES; i++) {
            snprintf(path, sizeof path, "/file %u", i);
            CHECK_OK(
                ink__stream_position_find(&sample.position, path, &sample.arena, &index, &error));
            assert_int_equal(index, i);
            assert_string_equal(sample.position.files[index].path, path);
            if (round == 0)
                sample.position.files[index].location.offset = i + 1;
        }
    assert_int_equal(sample.position.file_count, FILES);
    check_round_trip(&sample.position);
}

TEST(without_memory_nothing_is_held)
{
    KNOWN sample;

    make_sample(&sample, 4);
    owned_bytes bytes = written(&sample.position);
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        KNOWN         again = {0};
        uint8_t      *copy = NULL;
        uint64_t      count, room = 0;
        ink__arena_begin(&again.arena, &allocator);
        ink_status status = ink__stream_position_read(&again.position, bytes.bytes, bytes.count,
                                                      &again.arena, &error);
        if (status == INK_OK)
            status = ink__stream_position_write(&again.position, &allocator, &copy, &count, &room,
                                                &error);
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK) && memory.refuse_at < 100);
        if (status == INK_OK)
            ink__release(&allocator, copy, room);
    }
}

RUN_TESTS()
