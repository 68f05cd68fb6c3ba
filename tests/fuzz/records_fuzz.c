/* records_fuzz.c - records in every form, plain and compressed: however they are cut into chunks or
 * splits, with or without their header, and with any number of threads, a build gives the same
 * bytes or fails with the same message at the same record; and times are the same however many
 * rows are read at a time. The first eight bytes of an input say how the rest is read. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "base/memory.h"
#include "jobs/runtime/reading.h"
#include "support/check.h"
#include "support/records.h"

#include <stdio.h>

#include <zlib.h>
#include <zstd.h>

enum { HEAD_BYTES = 8, MOST_BYTES = 1 << 14 };

static ink_error error;

/* ---- How an input is read ----------------------------------------------------------------- */

static const char *const variants[] = {"lines", "csv", "tsv",  "nul",  "jsonl",
                                       "u32",   "u64", "gzip", "zstd", NULL};
enum { GZIP = 7, ZSTD = 8 };

static const ink_form forms[] = {INK_FORM_LINES, INK_FORM_CSV, INK_FORM_TSV, INK_FORM_NUL,
                                 INK_FORM_JSONL, INK_FORM_U32, INK_FORM_U64};
enum { FORMS = sizeof forms / sizeof forms[0] };

static const char *const columns[] = {NULL, "1", "2", "3", "a", "b.c", "b[0]", "77", "", "a\\.b"};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* The bytes of a head are: form, and times; flags; key; second key; group; weight; delimiter;
 * rounding. */
static ink_reading reading_of(const uint8_t *head, const char *key[2])
{
    unsigned    flags = head[1];
    ink_reading reading = {
        .form = forms[fuzz_variant >= 0 && fuzz_variant < FORMS ? (unsigned)fuzz_variant
                                                                : head[0] % FORMS],
        .header = flags & 1,
        .multiline = flags & 2,
        .blanks = flags & 4,
        .skip_bad = flags & 8,
        .by = columns[head[4] % COLUMNS],
        .weight = columns[head[5] % COLUMNS],
        .delimiter = (char)head[6],
        .round = (ink_round)(head[7] % 3),
        .keys = (ink_keys)(head[7] / 3 % 3),
    };

    key[0] = columns[head[2] % COLUMNS];
    key[1] = columns[head[3] % COLUMNS];
    reading.key_count = key[0] == NULL ? 0 : key[1] == NULL ? 1 : 2;
    reading.key = key[0] == NULL ? NULL : key;
    return reading;
}

/* ---- Where it begins ---------------------------------------------------------------------- */

static const struct {
    uint8_t     head[HEAD_BYTES];
    const char *text;
} texts[] = {
    {{0}, "bee\nant\r\n\nbee"},
    {{0, 4, 2, 0, 1, 3}, "10.0.0.1  GET 3\n10.0.0.2\tPUT 4\n10.0.0.1 GET 5\n"},
    {{1, 1, 4, 0, 2}, "a,b\n1,\"x, \"\"y\"\"\"\r\n2,z\n"},
    {{1, 3, 1, 2, 3, 0}, "one,\"two\nlines\",7.5\nthree,four,8\n"},
    {{1, 8, 1, 0, 2, 3, ';', 1}, "k;6.5;3\nk;bad;3\nm;7.5;-1\n"},
    {{2, 1, 4, 0, 2, 0, 0, 1}, "a\tb\nx\t7.5\ny\t6.5\n"},
    {{3}, "a\0b"},
    {{4, 0, 4, 0, 5, 3},
     "{\"a\":\"x\\u00e9\\n\",\"b\":{\"c\":[1,2]},\"3\":4}\n{\"a\":12e3,\"b\":[true]}\n"},
    {{4, 8, 6, 4, 0, 0, 0, 3}, "{\"b\":[-9007199254740993],\"a\":null}\n{\"a\":\n"},
    {{4, 0, 4}, "{\"a\":\"x\\ud8"}, /* ends within an escape */
    {{4, 0, 4}, "{\"a\":\"x\\"},
    {{5}, "abcdefgh"},
    {{6, 0, 0, 0, 0, 0, 0, 6}, "abcdefgh12345678"},
    {{0, 0, 1, 0, 0, 2, '\t'}, "a\t18446744073709551615\nb\t1\n"},
    /* With times: in the second column, between blanks, by name, and in JSON. */
    {{2 * 7 + 1, 0, 1},
     "a,2026-11-16T14:26:08.5Z\r\nb,1794839168\nc,[16/Nov/2026:14:26:08 +0100]\n"},
    {{2 * 7, 4, 1}, "a 2026-11-16 14:26:08"}, /* nothing stands after it */
    {{2 * 7, 4, 1, 0, 0, 0, 0, 9}, "a 2026-11-16 14:26:08 x\nb [16/Nov/2026:14:26:08 +0100] y\n"},
    {{4 * 7 + 2, 1, 2, 0, 0, 0, 0, 18}, "b\ta\nx\t1794839168000000\ny\t-5\n"},
    {{4 * 7 + 4, 8, 5},
     "{\"a\":\"2026-11-16T14:26:08\\u002b01:00\",\"b\":{\"c\":1}}\n{\"a\":1.5}\n"},
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static size_t compress_into(uint8_t *to, size_t room, const void *from, size_t count, bool zstd)
{
    if (zstd) {
        size_t made = ZSTD_compress(to, room, from, count, 3);
        assert_false(ZSTD_isError(made));
        return made;
    }
    return records_gzip_to(to, room, from, count);
}

/* Texts plain, then compressed; all of them, or those of the variant. */
static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    unsigned number = 0;

    for (unsigned i = 0; i < 3 * TEXTS; i++) {
        unsigned form = i < TEXTS ? texts[i].head[0] % FORMS : i < 2 * TEXTS ? GZIP : ZSTD;
        if ((fuzz_variant >= 0 && form != (unsigned)fuzz_variant) || number++ != index)
            continue;
        const char *text = texts[i % TEXTS].text;
        size_t      count = texts[i % TEXTS].head[0] == 3 ? 4 : strlen(text);
        uint8_t     packed[1024];
        if (i < TEXTS)
            return fuzz_put(to, room, texts[i].head, text, count);
        count = compress_into(packed, sizeof packed, text, count, i >= 2 * TEXTS);
        return fuzz_put(to, room, texts[i % TEXTS].head, packed, count);
    }
    return SIZE_MAX;
}

static const char words[] =
    "\n|\r\n|\r|\"|\"\"|,|\t|\\|\\u|\\ud800|{|}|[|]|:|null|true|1e999|-0|0x1|1.5|2.5|\xff|"
    "\xef\xbb\xbf|"
    "\xc3\xa9|18446744073709551616|nan|\"a\"|\"b\":{\"c\":|[[[[| |\x1f\x8b|\x28\xb5\x2f\xfd";

/* ---- Trial -------------------------------------------------------------------------------- */

/* What a build came to. */
typedef struct outcome {
    ink_status status;
    ink_error  error;
    uint64_t   records, bad, failed_byte;
    uint8_t   *bytes;
    size_t     count;
} outcome;

static outcome build_of(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                        unsigned threads, uint64_t chunk_bytes)
{
    static const ink_params plain[] = {{.kind = "hll", .precision = 4},
                                       {.kind = "top", .phi = 0.1}};
    static const ink_params ints[] = {{.kind = "hll", .precision = 4, .key_type = INK_KEY_INT},
                                      {.kind = "top", .phi = 0.1, .key_type = INK_KEY_INT}};
    const ink_build_options options = {
        .kinds = reading->keys == INK_KEYS_INT ? ints : plain,
        .kind_count = 2,
    };
    ink_job  job = {.threads = threads, .chunk_bytes = chunk_bytes, .memory_bytes = 1 << 20};
    ink_set *set;
    outcome  o = {0};

    o.status = ink_build(&set, inputs, input_count, reading, &options, &job, &o.error);
    o.failed_byte = job.failed_byte;
    if (o.status != INK_OK)
        return o;
    o.records = job.records;
    o.bad = job.bad;
    CHECK_OK(ink_set_encode(set, &o.bytes, &o.count, &error));
    ink_set_free(set);
    return o;
}

static outcome build(const uint8_t *text, size_t count, const ink_reading *reading,
                     unsigned threads, uint64_t chunk_bytes)
{
    const ink_input input = {.path = "fuzz", .memory = text, .memory_bytes = count};

    return build_of(&input, 1, reading, threads, chunk_bytes);
}

static void check_status(const outcome *a, const outcome *b)
{
    if (a->status != b->status)
        fail_msg("%s: \"%s\", cut otherwise %s: \"%s\"", ink_status_name(a->status),
                 a->error.message, ink_status_name(b->status), b->error.message);
}

static void check_same(const outcome *a, const outcome *b)
{
    check_status(a, b);
    if (a->status == INK_OK) {
        assert_int_equal(a->records, b->records);
        assert_int_equal(a->bad, b->bad);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->bytes, b->bytes, a->count);
        return;
    }
    assert_string_equal(a->error.message, b->error.message);
    assert_int_equal(a->error.location, b->error.location);
    assert_int_equal(a->error.at, b->error.at);
    assert_int_equal(a->failed_byte, b->failed_byte);
    assert_true(strlen(a->error.message) > 10);
}

/* ---- Splits, and headers that others have seen --------------------------------------------- */

static bool may_be_compressed(const uint8_t *text, size_t count)
{
    return count > 0 && (text[0] == 0x1f || text[0] == 0x28 || (text[0] & 0xf0) == 0x50);
}

/* The same build in another way: the same set, or the same message, which may be about another
 * input at another location. */
static void check_alike(const outcome *whole, const outcome *other)
{
    if (whole->status == INK_OK)
        check_same(whole, other);
    else
        check_status(whole, other);
    ink_bytes_free(other->bytes, other->count, NULL);
}

static void try_splits(const uint8_t *text, size_t count, const ink_reading *reading, uint64_t cut,
                       const outcome *whole)
{
    const ink_input parts[] = {
        {.path = "fuzz", .memory = text, .memory_bytes = count, .bytes = cut},
        {.path = "fuzz", .memory = text, .memory_bytes = count, .offset = cut},
    };
    const outcome split = build_of(parts, 2, reading, 1, 0);

    check_alike(whole, &split);
}

/* How many bytes the first record has, with and without its end. */
static size_t first_record(const uint8_t *text, size_t count, const ink_reading *reading,
                           size_t *without)
{
    const uint8_t *end = memchr(text, reading->form == INK_FORM_NUL ? '\0' : '\n', count);
    size_t         bytes = end == NULL ? count : (size_t)(end - text);

    *without = bytes;
    if (bytes > 0 && text[bytes - 1] == '\r' && reading->form != INK_FORM_NUL)
        *without = bytes - 1;
    return end == NULL ? count : bytes + 1;
}

static void try_header(const uint8_t *text, size_t count, const ink_reading *reading,
                       const outcome *whole)
{
    size_t without, bytes = first_record(text, count, reading, &without);
    char  *header = malloc(without + 1);

    assert_non_null(header);
    memcpy(header, text, without);
    header[without] = '\0';
    /* It is text, and there are records: without any no one looks at it. What is after the first
     * line of a file of sketches is none. */
    if (strlen(header) == without && bytes < count && !ink_is_file(text, count)) {
        const ink_input rest = {.path = "fuzz",
                                .memory = text + bytes,
                                .memory_bytes = count - bytes,
                                .header = header,
                                .header_apart = true};
        const outcome   apart = build_of(&rest, 1, reading, 1, 0);
        check_alike(whole, &apart);
    }
    free(header);
}

/* ---- Times --------------------------------------------------------------------------------- */

/* What rows come to: a sum over their keys and times, or a failure. */
typedef struct times_found {
    uint64_t   rows, sum;
    ink_status status;
    ink_error  error;
} times_found;

static void add_rows(times_found *to, const ink__rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t key = rows->key_ints != NULL ? (uint64_t)rows->key_ints[i]
                                              : rows->key_ends[i] - rows->key_starts[i];
        to->sum = (to->sum + (uint64_t)rows->times[i]) * 0x9e3779b97f4a7c15u + key;
    }
    to->rows += rows->count;
}

/* Reads the records of a chunk, at most so many in a turn. */
static times_found read_times(const ink__row_rule *rule, const ink__chunk *chunk, uint64_t most)
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__row_reader    *reader;
    ink__rows           rows;
    times_found         found = {0};
    uint64_t            at = 0, before;

    found.status = ink__row_reader_create(&reader, rule, &heap, &found.error);
    if (found.status != INK_OK) /* int tuples */
        return found;
    ink__row_reader_start(reader, chunk);
    do {
        before = at;
        reader->allowed = most;
        while ((found.status = ink__row_reader_next(reader, &rows, &found.error)) == INK_OK &&
               rows.count > 0)
            add_rows(&found, &rows);
        at = reader->at;
        assert_true(at >= before && at <= chunk->count);
        if (found.status == INK_OK)
            ink__row_reader_start_at(reader, chunk, at);
    } while (found.status == INK_OK && at > before);
    ink__row_reader_free(reader);
    return found;
}

static void try_times(const uint8_t *text, size_t count, ink_reading reading, const uint8_t *head)
{
    const ink_input input = {.path = "fuzz", .memory = text, .memory_bytes = count};
    ink__row_rule   rule;
    size_t          without;

    reading.time = columns[head[0] / FORMS % COLUMNS];
    reading.time_unit = (ink_time_unit)(head[7] / 9 % 4);
    if (reading.time == NULL || ink__reading_rule(&rule, &reading, &input, 1, &error) != INK_OK)
        return;
    first_record(text, count, &reading, &without);
    if (ink__reading_names(&reading, &rule) &&
        ink__reading_resolve(&reading, text, without, "the first", &rule, &error) != INK_OK)
        return;
    const ink__chunk  chunk = {.bytes = text, .count = count, .record = 1};
    const times_found all = read_times(&rule, &chunk, UINT64_MAX);
    const times_found few = read_times(&rule, &chunk, 1 + count % 3);
    assert_int_equal(all.status, few.status);
    if (all.status != INK_OK) {
        assert_string_equal(all.error.message, few.error.message);
        assert_int_equal(all.error.at, few.error.at);
        return;
    }
    assert_int_equal(all.rows, few.rows);
    assert_true(all.sum == few.sum);
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void attempt(const uint8_t *bytes, size_t count)
{
    const char *key[2];

    ink_reading   reading = reading_of(bytes, key);
    const outcome whole = build(bytes + HEAD_BYTES, count - HEAD_BYTES, &reading, 1, 0);
    /* Every number of threads and size of chunks is tried by some input. */
    unsigned      sum = (unsigned)count + bytes[count - 1];
    const outcome cut =
        build(bytes + HEAD_BYTES, count - HEAD_BYTES, &reading, sum % 8 == 0 ? 3 : 1, 1 + sum % 61);
    check_same(&whole, &cut);
    const uint8_t *text = bytes + HEAD_BYTES;
    size_t         text_bytes = count - HEAD_BYTES;
    if (text_bytes > 1 && !may_be_compressed(text, text_bytes)) {
        if (sum % 4 == 0 && !reading.multiline) /* which no one splits */
            try_splits(text, text_bytes, &reading, 1 + sum % (text_bytes - 1), &whole);
        else if (sum % 4 == 1 && reading.header && !reading.multiline)
            try_header(text, text_bytes, &reading, &whole);
        try_times(text, text_bytes, reading, bytes);
    }
    ink_bytes_free(whole.bytes, whole.count, NULL);
    ink_bytes_free(cut.bytes, cut.count, NULL);
}

const fuzz_target fuzz_here = {
    .name = "records",
    .most_bytes = MOST_BYTES,
    .head_bytes = HEAD_BYTES,
    .rounds = 3000,
    .variants = variants,
    .seed = seed,
    .words = words,
    .attempt = attempt,
};
