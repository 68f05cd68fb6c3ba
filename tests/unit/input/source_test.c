/* source_test.c - chunks are whole records and all of them, from files and from streams, whatever
 * their size; splits share the records out; and nothing is left behind when a call fails. */
#include "input/source.h"

#include "input/lines.h"
#include "support/check.h"
#include "support/faults.h"

#include <errno.h>
#include <stdio.h>

enum { BYTES_MAX = 5000 };

static ink_error error;

static uint64_t state_of_random = 7;

static unsigned random_below(unsigned below)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state_of_random >> 33) % below;
}

/* A text of lines of up to `longest` bytes, the last with or without its end. */
static size_t make_text(uint8_t *text, size_t bytes, unsigned longest, bool ended)
{
    size_t used = 0;

    while (used < bytes) {
        size_t line = random_below(longest + 1);
        line = line > bytes - used - 1 ? bytes - used - 1 : line;
        memset(text + used, 'a' + (int)random_below(26), line);
        used += line;
        text[used++] = '\n';
    }
    return used - (used > 0 && !ended && used > 1 && text[used - 2] != '\n');
}

static void write_file(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    fclose(out);
}

/* All that a source gives, put together; every chunk starts and ends where a record does. */
typedef struct taken {
    uint8_t  bytes[3 * BYTES_MAX];
    uint64_t count, chunks, records;
} taken;

static void take_all(const ink__input_part *parts, size_t count, uint64_t chunk_bytes, taken *all)
{
    ink__source *source;
    ink__chunk   chunk = {0};
    bool         more;
    size_t       input = 0;
    uint64_t     offset = 0;

    all->count = all->chunks = all->records = 0;
    CHECK_OK(ink__source_create(&source, parts, count, '\n', chunk_bytes, NULL, &error));
    for (;;) {
        CHECK_OK(ink__source_next(source, &chunk, &more, NULL, &error));
        if (!more)
            break;
        CHECK(chunk.count > 0 && chunk.input >= input);
        if (chunk.input != input) {
            input = chunk.input;
            offset = 0;
        }
        CHECK(parts[input].offset > 0 || chunk.offset == offset); /* no gaps */
        offset = chunk.offset + chunk.count;
        memcpy(all->bytes + all->count, chunk.bytes, chunk.count);
        all->count += chunk.count;
        all->chunks++;
        all->records += ink__lines_count(chunk.bytes, chunk.count, '\n') +
                        (chunk.bytes[chunk.count - 1] != '\n');
    }
    CHECK(chunk.count == 0);
    ink__source_release(source, &chunk);
    ink__source_free(source);
}

static const ink__input_part whole = {.path = "text", .bytes = UINT64_MAX};
static const ink__input_part standard_input = {.path = "-", .bytes = UINT64_MAX};

static void chunks_of_every_size_are_the_file_and_the_stream(void **state)
{
    static const uint64_t sizes[] = {1, 2, 7, 64, 100, 1000, 1 << 20};
    static const unsigned longest[] = {0, 3, 40, 3000};
    uint8_t               text[BYTES_MAX];
    static taken          all;

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        size_t count = make_text(text, round < 4 ? round : 1 + random_below(BYTES_MAX - 1),
                                 longest[round % 4], round % 3 != 0);
        write_file("text", text, count);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            take_all(&whole, 1, sizes[i], &all);
            assert_int_equal(all.count, count);
            assert_memory_equal(all.bytes, text, count);
            CHECK(sizes[i] < 100 || all.chunks <= 1 + count / sizes[i]);
            uint64_t records = all.records;
            assert_non_null(freopen("text", "rb", stdin)); /* read, not mapped */
            take_all(&standard_input, 1, sizes[i], &all);
            assert_int_equal(all.count, count);
            assert_memory_equal(all.bytes, text, count);
            assert_int_equal(all.records, records);
        }
    }
    remove("text");
}

static void inputs_follow_one_another_and_empty_ones_are_skipped(void **state)
{
    const ink__input_part parts[] = {{.path = "none", .bytes = UINT64_MAX},
                                     {.path = "one", .bytes = UINT64_MAX},
                                     {.path = "none", .bytes = UINT64_MAX},
                                     {.path = "two", .bytes = UINT64_MAX},
                                     {.path = "none", .bytes = 5, .offset = 3}};
    static taken          all;

    (void)state;
    write_file("none", (const uint8_t *)"", 0);
    write_file("one", (const uint8_t *)"a\nb", 3); /* no end behind its last record */
    write_file("two", (const uint8_t *)"c\n", 2);
    take_all(parts, 5, 100, &all);
    assert_int_equal(all.chunks, 2);
    assert_int_equal(all.records, 3);
    assert_memory_equal(all.bytes, "a\nbc\n", 5);
    remove("none");
    remove("one");
    remove("two");
}

static void splits_share_the_records_out(void **state)
{
    uint8_t      text[BYTES_MAX];
    static taken all;

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        size_t count = make_text(text, 1 + random_below(BYTES_MAX - 1), round % 2 == 0 ? 20 : 2000,
                                 round % 3 != 0);
        ink__input_part parts[9];
        uint64_t        at = 0, records = 0, bytes = 0;
        write_file("text", text, count);
        for (unsigned i = 0; i < 9; i++) { /* neighbours, some of them empty */
            uint64_t part = i == 8 ? UINT64_MAX : random_below((unsigned)count / 4 + 2);
            parts[i] = (ink__input_part){.path = "text", .offset = at, .bytes = part};
            at += i == 8 ? 0 : part;
        }
        take_all(&whole, 1, 100, &all);
        uint64_t expected = all.records;
        for (unsigned i = 0; i < 9; i++) {
            take_all(&parts[i], 1, 1 + random_below(300), &all);
            records += all.records;
            assert_memory_equal(all.bytes, text + bytes, all.count); /* in order, nothing twice */
            bytes += all.count;
        }
        assert_int_equal(records, expected);
        assert_int_equal(bytes, count);
    }
    remove("text");
}

static void a_record_has_its_number_in_files_and_in_streams(void **state)
{
    uint8_t text[BYTES_MAX];
    size_t  count = make_text(text, BYTES_MAX, 30, true);

    (void)state;
    write_file("text", text, count);
    assert_non_null(freopen("text", "rb", stdin));
    for (int which = 0; which < 2; which++) {
        ink__source *source;
        ink__chunk   chunk = {0};
        bool         more = true;
        CHECK_OK(ink__source_create(&source, which == 0 ? &whole : &standard_input, 1, '\n', 200,
                                    NULL, &error));
        while (more) {
            CHECK_OK(ink__source_next(source, &chunk, &more, NULL, &error));
            for (uint64_t at = 0; at < chunk.count; at += 17)
                assert_int_equal(ink__source_record(source, &chunk, at),
                                 1 + ink__lines_count(text, chunk.offset + at, '\n'));
        }
        ink__source_release(source, &chunk);
        ink__source_free(source);
    }
    remove("text");
}

static void several_chunks_are_held_at_once(void **state)
{
    static const char text[] = "one\ntwo\nthree\nfour\n";
    ink__source      *source;
    ink__chunk        chunks[5] = {0};
    bool              more;

    (void)state;
    write_file("text", (const uint8_t *)text, sizeof text - 1);
    CHECK_OK(ink__source_create(&source, &whole, 1, '\n', 1, NULL, &error));
    for (unsigned i = 0; i < 5; i++) { /* the file is closed with the last one */
        CHECK_OK(ink__source_next(source, &chunks[i], &more, NULL, &error));
        CHECK(more == (i < 4));
    }
    assert_memory_equal(chunks[0].bytes, "one\n", 4);
    assert_memory_equal(chunks[3].bytes, "four\n", 5);
    assert_int_equal(ink__source_record(source, &chunks[2], 0), 3);
    for (unsigned i = 0; i < 5; i++)
        ink__source_release(source, &chunks[i]);
    ink__source_free(source);
    remove("text");
}

static void what_cannot_be_opened_or_split_is_told_with_its_number(void **state)
{
    const ink__input_part parts[] = {whole, {.path = "absent", .bytes = UINT64_MAX}};
    const ink__input_part split = {.path = "/dev/zero", .offset = 10, .bytes = 20};
    const ink__input_part folder = {.path = "/", .bytes = UINT64_MAX};
    ink__source          *source;
    ink__chunk            chunk = {0};
    bool                  more;
    size_t                input = 99;

    (void)state;
    write_file("text", (const uint8_t *)"x\n", 2);
    CHECK_OK(ink__source_create(&source, parts, 2, '\n', 100, NULL, &error));
    CHECK_OK(ink__source_next(source, &chunk, &more, &input, &error));
    CHECK(more && chunk.count == 2 && input == 99);
    CHECK_FAILS(ink__source_next(source, &chunk, &more, &input, &error), INK_IO, "cannot open");
    CHECK(input == 1 && error.os_error == ENOENT);
    ink__source_release(source, &chunk);
    ink__source_free(source);
    CHECK_OK(ink__source_create(&source, &split, 1, '\n', 100, NULL, &error));
    CHECK_FAILS(ink__source_next(source, &chunk, &more, &input, &error), INK_USAGE,
                "a split of what can only be read from its start");
    ink__source_free(source);
    CHECK_OK(ink__source_create(&source, &folder, 1, '\n', 100, NULL, &error));
    CHECK_FAILS(ink__source_next(source, &chunk, &more, &input, &error), INK_IO, "cannot read");
    ink__source_release(source, &chunk);
    ink__source_free(source);
    remove("text");
}

static void every_failing_call_leaves_nothing_behind(void **state)
{
    const ink__input_part parts[] = {whole, standard_input};
    uint8_t               text[600];
    size_t                count = make_text(text, sizeof text, 50, false);

    (void)state;
    write_file("text", text, count);
    for (unsigned nth = 1;; nth++) { /* system calls */
        ink__source *source;
        ink__chunk   chunk = {0};
        bool         more = true;
        ink_status   status = INK_OK;
        assert_non_null(freopen("text", "rb", stdin));
        CHECK_OK(ink__source_create(&source, parts, 2, '\n', 40, NULL, &error));
        faults_system_begin(
            &(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO, .transfer_bytes = 30});
        while (status == INK_OK && more)
            status = ink__source_next(source, &chunk, &more, NULL, &error);
        bool struck = faults_struck();
        ink__source_release(source, &chunk);
        ink__source_free(source);
        /* Only where unmapping itself was refused is something left, and nobody can help it. */
        CHECK(faults_open_files() == 0 && faults_maps() <= (struck && status == INK_OK));
        faults_system_end();
        CHECK(status == INK_OK || status == INK_IO);
        if (!struck)
            break;
    }
    for (uint64_t nth = 1;; nth++) { /* memory */
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        ink__source  *source = NULL;
        ink__chunk    chunk = {0};
        bool          more = true;
        assert_non_null(freopen("text", "rb", stdin));
        ink_status status = ink__source_create(&source, parts, 2, '\n', 40, &allocator, &error);
        bool       made = status == INK_OK;
        while (status == INK_OK && more)
            status = ink__source_next(source, &chunk, &more, NULL, &error);
        CHECK(status == (memory.refused > 0 ? INK_MEMORY : INK_OK));
        if (made) {
            ink__source_release(source, &chunk);
            ink__source_free(source);
        }
        faults_check_no_leak(&memory);
        if (memory.refused == 0)
            break;
    }
    remove("text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_every_size_are_the_file_and_the_stream),
        cmocka_unit_test(inputs_follow_one_another_and_empty_ones_are_skipped),
        cmocka_unit_test(splits_share_the_records_out),
        cmocka_unit_test(a_record_has_its_number_in_files_and_in_streams),
        cmocka_unit_test(several_chunks_are_held_at_once),
        cmocka_unit_test(what_cannot_be_opened_or_split_is_told_with_its_number),
        cmocka_unit_test(every_failing_call_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
