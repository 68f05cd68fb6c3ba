/* passing_test.c - what passes has the bytes of a naive loop over records: each unchanged, for all
 * lengths, ends and locations in the chunk, and with the marks in any order. */
#include "jobs/runtime/passing.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>

static ink_error error;
static uint64_t  chance = 31;

enum { ROWS = 300 };

/* Records as a reader would have found them, and what each is when it passes. */
typedef struct sample {
    uint8_t      *bytes; /* exactly `limit` of them, so that reading beyond is noticed */
    uint64_t      limit, starts[ROWS], ends[ROWS];
    uint8_t       marks[ROWS];
    ink__rows     rows;
    records_bytes passed[2]; /* by mark */
} sample;

/* `longest` is that of a record; the ends are 0 to 2 bytes each, and a last one may lack. */
static sample draw(size_t count, uint64_t longest, ink__record_rule rule, bool gaps, bool lacks)
{
    sample        of = {.rows.count = count};
    records_bytes text = {0};
    bool          ended = rule.form != INK__RECORDS_FIXED;

    for (size_t i = 0; i < count; i++) {
        uint64_t length = ended ? records_below(&chance, longest + 1) : rule.width;
        bool     cr = rule.end == '\n' && ended && records_below(&chance, 3) == 0;
        if (gaps && records_below(&chance, 4) == 0)
            records_say(&text, "a bad record is left out\n");
        of.starts[i] = text.count;
        for (uint64_t j = 0; j < length; j++)
            records_put(&text, &(char){(char)('a' + records_below(&chance, 26))}, 1);
        of.ends[i] = text.count;
        of.marks[i] = (uint8_t)records_below(&chance, 2);
        if (cr)
            records_put(&text, "\r", 1);
        if (ended && !(lacks && i == count - 1))
            records_put(&text, &rule.end, 1);
        records_bytes *to = &of.passed[of.marks[i]];
        if (text.count > of.starts[i])
            records_put(to, text.bytes + of.starts[i], text.count - of.starts[i]);
        if (ended && lacks && i == count - 1)
            records_put(to, &rule.end, 1);
    }
    of.limit = text.count;
    of.bytes = test_malloc(text.count == 0 ? 1 : text.count);
    if (text.count > 0)
        memcpy(of.bytes, text.bytes, text.count);
    records_bytes_free(&text);
    return of;
}

static void free_sample(sample *of)
{
    records_bytes_free(&of->passed[0]);
    records_bytes_free(&of->passed[1]);
    test_free(of->bytes);
}

static void check_sample(sample *of, const ink__passing *passing, uint8_t wanted)
{
    ink__location locations[ROWS + 1];
    ink__passed   passed = {0};

    of->rows.record_bytes = of->bytes;
    of->rows.record_limit = of->limit;
    of->rows.record_starts = of->starts;
    of->rows.record_ends = of->ends;
    locations[of->rows.count] = (ink__location){1, 2};
    ink__passing_locations(passing, &of->rows, 0, locations);
    CHECK(locations[of->rows.count].start == 1 && locations[of->rows.count].bytes == 2);
    CHECK_OK(ink__passed_put(passing, &passed, "before", 6, &error));
    /* In two parts, as rows come in batches. */
    size_t part = (size_t)records_below(&chance, of->rows.count + 1);
    CHECK_OK(ink__passed_put_records(passing, &passed, of->bytes, of->limit, locations, of->marks,
                                     wanted, part, &error));
    CHECK_OK(ink__passed_put_records(passing, &passed, of->bytes, of->limit, locations + part,
                                     of->marks + part, wanted, of->rows.count - part, &error));
    const records_bytes *expected = &of->passed[wanted];
    assert_int_equal(passed.used, 6 + expected->count);
    CHECK(expected->count == 0 || memcmp(passed.bytes + 6, expected->bytes, expected->count) == 0);
    CHECK(passed.used <= passed.room);
    ink__passed_free(passing, &passed);
}

static ink__passing passing_of(ink__record_rule rule, const ink_sink *sink,
                               const ink_allocator *allocator)
{
    ink__passing passing;

    ink__passing_begin(&passing, &rule, sink, allocator);
    return passing;
}

TEST(records_of_any_length_pass_as_they_stand)
{
    static const ink__record_rule rules[] = {
        {.form = INK__RECORDS_ENDED, .end = '\n'},  {.form = INK__RECORDS_ENDED, .end = '\0'},
        {.form = INK__RECORDS_QUOTED, .end = '\n'}, {.form = INK__RECORDS_FIXED, .width = 4},
        {.form = INK__RECORDS_FIXED, .width = 8},
    };
    static const uint64_t longest[] = {0, 1, 5, 20, 31, 33, 100, 300};
    faults_memory         memory = {0};
    ink_allocator         allocator = faults_allocator(&memory);

    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
        for (unsigned i = 0; i < (records_light() ? 20u : 400u); i++) {
            ink__passing passing = passing_of(rules[r], NULL, &allocator);
            size_t       count = (size_t)records_below(&chance, i % 2 ? ROWS + 1 : 5);
            sample of = draw(count, longest[i % 8], rules[r], i % 3 == 0 && r < 3, i % 5 == 0);
            check_sample(&of, &passing, i % 2);
            free_sample(&of);
        }
    faults_check_no_leak(&memory);
}

/* Locations count from the first row of a chunk on. */
TEST(locations_of_later_rows_lie_behind)
{
    const ink__record_rule rule = {.form = INK__RECORDS_ENDED, .end = '\n'};
    const ink_allocator    heap = ink__allocator_or_heap(NULL);
    const ink__passing     passing = passing_of(rule, NULL, &heap);
    const uint64_t         starts[] = {0, 3}, ends[] = {1, 5};
    const uint8_t          bytes[] = "a\r\nbc\n";
    const ink__rows        rows = {.count = 2,
                                   .record_bytes = bytes,
                                   .record_limit = 6,
                                   .record_starts = starts,
                                   .record_ends = ends};
    ink__location          locations[2];

    ink__passing_locations(&passing, &rows, UINT64_C(3000000000), locations);
    CHECK(locations[0].start == 3000000000 && locations[0].bytes == 3);
    CHECK(locations[1].start == 3000000003 && locations[1].bytes == 3);
}

/* Memory may go on behind an input, with any byte. */
TEST(a_byte_behind_the_last_record_is_no_part_of_it)
{
    const ink__record_rule rule = {.form = INK__RECORDS_ENDED, .end = '\n'};
    const ink_allocator    heap = ink__allocator_or_heap(NULL);
    const ink__passing     passing = passing_of(rule, NULL, &heap);
    const uint64_t         start = 0, end = 2;
    const uint8_t          bytes[] = "bc\r\n";
    const ink__rows        rows = {.count = 1,
                                   .record_bytes = bytes,
                                   .record_limit = 2,
                                   .record_starts = &start,
                                   .record_ends = &end};
    ink__location          location;

    ink__passing_locations(&passing, &rows, 0, &location);
    assert_int_equal(location.bytes, 3);
}

TEST(a_header_ends_as_the_records_do)
{
    static const struct {
        const char *header, *written;
        size_t      bytes, written_bytes;
        char        end;
    } cases[] = {
        {"id\0", "id\0", 3, 3, '\0'}, {"id", "id\0", 2, 3, '\0'}, {"id\n", "id\n\0", 3, 4, '\0'},
        {"id\n", "id\n", 3, 3, '\n'}, {"id", "id\n", 2, 3, '\n'}, {"id\0", "id\0\n", 3, 4, '\n'},
    };
    const ink_allocator heap = ink__allocator_or_heap(NULL);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        owned_bytes            got = {0};
        const ink_sink         sink = records_sink(&got);
        const ink__record_rule rule = {.form = INK__RECORDS_ENDED, .end = (uint8_t)cases[i].end};
        const ink__passing     passing = passing_of(rule, &sink, &heap);
        const ink__feed_rows   feed = {.header = (const uint8_t *)cases[i].header,
                                       .header_bytes = cases[i].bytes};

        CHECK_OK(ink__passing_header(&passing, &feed, &error));
        assert_int_equal(got.count, cases[i].written_bytes);
        assert_memory_equal(got.bytes, cases[i].written, got.count);
    }
}

TEST(a_header_is_written_once_and_with_its_end)
{
    const ink__record_rule rule = {.form = INK__RECORDS_ENDED, .end = '\n'};
    const ink_allocator    heap = ink__allocator_or_heap(NULL);
    records_bytes          got = {0};
    const ink_sink         sink = records_sink(&got);
    const ink__passing     passing = passing_of(rule, &sink, &heap);
    const ink__passing     silent = passing_of(rule, NULL, &heap);
    const uint8_t          text[] = "id\r\nn";
    ink__feed_rows         feed = {.header = text, .header_bytes = 4};

    CHECK_OK(ink__passing_header(&silent, &feed, &error));
    CHECK_OK(ink__passing_header(&passing, &feed, &error));
    CHECK(records_are(&got, "id\r\n"));
    feed.header_bytes = 5;
    CHECK_OK(ink__passing_header(&passing, &feed, &error));
    CHECK(records_are(&got, "id\r\nid\r\nn\n"));
    feed.sequence = 1; /* of another input, or none at all */
    CHECK_OK(ink__passing_header(&passing, &feed, &error));
    feed = (ink__feed_rows){.header = text};
    CHECK_OK(ink__passing_header(&passing, &feed, &error));
    CHECK(records_are(&got, "id\r\nid\r\nn\n"));
    records_bytes_free(&got);
}

static int refuse(void *host, const void *bytes, size_t count)
{
    ++*(unsigned *)host;
    return ENOSPC;
}

TEST(what_cannot_be_written_is_gone)
{
    const ink__record_rule rule = {.form = INK__RECORDS_ENDED, .end = '\n'};
    const ink_allocator    heap = ink__allocator_or_heap(NULL);
    unsigned               calls = 0;
    const ink_sink         sink = {refuse, &calls};
    const ink__passing     passing = passing_of(rule, &sink, &heap);
    const ink__feed_rows   feed = {.header = (const uint8_t *)"id\n", .header_bytes = 3};
    ink__passed            passed = {0};

    CHECK_OK(ink__passed_write(&passing, &passed, &error)); /* nothing: the sink is not called */
    assert_int_equal(calls, 0);
    CHECK_OK(ink__passed_put(&passing, &passed, "ant\n", 4, &error));
    CHECK_FAILS(ink__passed_write(&passing, &passed, &error), INK_IO, "cannot write");
    assert_int_equal(error.os_error, ENOSPC);
    CHECK_OK(ink__passed_write(&passing, &passed, &error));
    assert_int_equal(calls, 1);
    CHECK_FAILS(ink__passing_header(&passing, &feed, &error), INK_IO, "cannot write");
    ink__passed_free(&passing, &passed);
}

TEST(without_memory_nothing_changes)
{
    const ink__record_rule rule = {.form = INK__RECORDS_ENDED, .end = '\n'};
    faults_memory          memory = {.refuse_at = 2, .refuse_after = true};
    ink_allocator          allocator = faults_allocator(&memory);
    const ink__passing     passing = passing_of(rule, NULL, &allocator);
    const ink__location    location = {0, 1000};
    const uint8_t          mark = 1;
    static uint8_t         bytes[1000];
    ink__passed            passed = {0};

    CHECK_OK(ink__passed_put(&passing, &passed, "ant\n", 4, &error));
    CHECK_FAILS(ink__passed_put(&passing, &passed, bytes, 1000, &error), INK_MEMORY, "1004");
    CHECK_FAILS(
        ink__passed_put_records(&passing, &passed, bytes, 1000, &location, &mark, 1, 1, &error),
        INK_MEMORY, "no memory");
    CHECK(passed.used == 4 && memcmp(passed.bytes, "ant\n", 4) == 0);
    ink__passed_free(&passing, &passed);
    faults_check_no_leak(&memory);
}

RUN_TESTS()
