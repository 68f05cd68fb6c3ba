/* source_test.c - chunks are whole records and all of them, and end at the same locations whether
 * an input is mapped, in memory or decompressed, and as soon as a record does where a pipe has no
 * more for now; splits share the records out; and nothing is left after when a call fails. */
#define _DEFAULT_SOURCE 1
#include "input/source.h"

#include "base/system.h"
#include "kernels/lines.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a stream 64 KiB more than a chunk are read at a time: large texts have several of these. */
enum { BYTES_MAX = 5000, LARGE_BYTES = 400000 };
enum { PATIENCE = 100 }; /* seconds */

static const ink__record_rule        lines = {.form = INK__RECORDS_ENDED, .end = '\n'};
static const ink__record_rule        nuls = {.form = INK__RECORDS_ENDED, .end = 0};
static const ink__record_rule        quoted = {.form = INK__RECORDS_QUOTED, .end = '\n'};
static const ink__record_rule        words = {.form = INK__RECORDS_FIXED, .width = 4};
static const ink__record_rule        longs = {.form = INK__RECORDS_FIXED, .width = 8};
static const ink__record_rule *const rules[] = {&lines, &nuls, &quoted, &words, &longs};
enum { RULES = sizeof rules / sizeof rules[0] };

static const ink__input_part whole = {.path = "text", .bytes = UINT64_MAX};
static const ink__input_part standard_input = {.path = "-", .bytes = UINT64_MAX};

static ink_error error;
static uint64_t  chance = 7;

static unsigned random_below(unsigned below)
{
    return (unsigned)records_below(&chance, below);
}

/* ---- A source ----------------------------------------------------------------------------- */

static ink__source *source;
static ink__chunk   chunk;
static bool         more;
static size_t       input; /* that a failure is about */

static void open_source(const ink__input_part *parts, size_t count, const ink__record_rule *rule,
                        uint64_t chunk_bytes)
{
    input = 99;
    CHECK_OK(ink__source_create(&source, parts, count, rule, chunk_bytes, NULL, &error));
}

static void next(uint64_t most)
{
    CHECK_OK(ink__source_next(source, &chunk, most, &more, NULL, &error));
}

/* The next chunk has these bytes. */
static void next_is(const char *text)
{
    next(UINT64_MAX);
    CHECK(more);
    assert_int_equal(chunk.count, strlen(text));
    assert_memory_equal(chunk.bytes, text, chunk.count);
}

static void next_fails(ink_status status, const char *text)
{
    CHECK_FAILS(ink__source_next(source, &chunk, UINT64_MAX, &more, &input, &error), status, text);
}

static void close_source(void)
{
    ink__source_release(source, &chunk);
    ink__source_free(source);
    source = NULL;
}

/* ---- Texts -------------------------------------------------------------------------------- */

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

/* Bytes with records by every rule: line ends, NULs, carriage returns and quotes among letters. */
static void make_bytes(uint8_t *bytes, size_t count, unsigned longest)
{
    static const uint8_t odd[] = {'"', '"', '"', '\r', 0, ',', '\n'};

    for (size_t used = 0; used < count;) {
        size_t record = random_below(longest + 1);
        record = record > count - used ? count - used : record;
        memset(bytes + used, 'a' + (int)random_below(26), record);
        if (record > 0 && random_below(2) == 0)
            bytes[used + random_below((unsigned)record)] = odd[random_below(sizeof odd)];
        used += record;
        if (used < count && random_below(4) == 0)
            bytes[used++] = '\r';
        if (used < count)
            bytes[used++] = random_below(2) == 0 ? '\n' : 0;
    }
}

static void write_text(const char *path, const char *text)
{
    records_write(path, text, strlen(text));
}

/* ---- Where the bytes are ------------------------------------------------------------------ */

typedef enum location {
    IN_MEMORY,
    IN_FILE,
    ON_STANDARD_INPUT, /* which is a file */
    IN_PIPE,           /* standard input */
    IN_FIFO,
    IN_GZIP,
    IN_ZSTD,
    ON_GZIP_INPUT,
    LOCATIONS
} location;

static bool is_mapped(location where)
{
    return where == IN_MEMORY || where == IN_FILE;
}

/* Whether all bytes are there at once: of a pipe there may be less for now. */
static bool is_compressed(location where)
{
    return where == IN_GZIP || where == IN_ZSTD || where == ON_GZIP_INPUT;
}

static records_pipe *writer;

static uint64_t bytes_of(const char *path)
{
    struct stat found;

    assert_int_equal(stat(path, &found), 0);
    return (uint64_t)found.st_size;
}

/* Puts bytes there and makes a part of them; *stored is how many bytes they take there. */
static ink__input_part put(location where, const void *bytes, size_t count, uint64_t *stored)
{
    static const char *const paths[LOCATIONS] = {NULL,   "text",    "-",        "-",
                                                 "fifo", "text.gz", "text.zst", "-"};

    if (where == IN_FILE || where == ON_STANDARD_INPUT)
        records_write("text", bytes, count);
    if (where == IN_GZIP || where == ON_GZIP_INPUT)
        records_gzip("text.gz", bytes, count);
    if (where == IN_ZSTD)
        records_zstd("text.zst", bytes, count);
    if (where == ON_STANDARD_INPUT || where == ON_GZIP_INPUT)
        assert_non_null(freopen(where == ON_GZIP_INPUT ? "text.gz" : "text", "rb", stdin));
    if (where == IN_PIPE || where == IN_FIFO)
        writer = records_pipe_begin(where == IN_PIPE ? NULL : "fifo", bytes, count);
    *stored = where == IN_ZSTD       ? bytes_of("text.zst")
              : is_compressed(where) ? bytes_of("text.gz")
                                     : count;
    return (ink__input_part){.path = paths[where],
                             .bytes = UINT64_MAX,
                             .memory = where == IN_MEMORY ? bytes : NULL,
                             .memory_bytes = count};
}

static void take_away(void)
{
    if (writer != NULL)
        records_pipe_end(writer);
    writer = NULL;
    remove("text");
    remove("text.gz");
    remove("text.zst");
}

/* The same for a text in one place after another: opens a source of it. */
static void open_put(location where, const char *text, uint64_t chunk_bytes)
{
    static ink__input_part part;
    uint64_t               stored;

    part = put(where, text, strlen(text), &stored);
    open_source(&part, 1, &lines, chunk_bytes);
}

static void close_put(void)
{
    close_source();
    take_away();
}

/* ---- What is expected --------------------------------------------------------------------- */

static uint8_t  bytes_now[LARGE_BYTES];
static uint64_t start_behind[LARGE_BYTES + 1]; /* the first start of a record there or after */
static uint64_t last_behind;                   /* what comes after the last end of a record */

/* Looks at every byte and knows nothing of masks and chunks. */
static void find_starts(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count)
{
    static bool starts[LARGE_BYTES + 1];
    bool        inside = false;

    memset(starts, 0, sizeof starts);
    starts[0] = true;
    last_behind = 0;
    for (uint64_t i = 0; i < count; i++) {
        inside ^= rule->form == INK__RECORDS_QUOTED && bytes[i] == '"';
        starts[i + 1] = rule->form == INK__RECORDS_FIXED ? (i + 1) % rule->width == 0
                                                         : bytes[i] == rule->end && !inside;
    }
    for (uint64_t i = 0; i <= count; i++)
        last_behind = starts[i] ? i : last_behind;
    start_behind[count] = count;
    for (uint64_t i = count; i-- > 0;)
        start_behind[i] = starts[i] ? i : start_behind[i + 1];
}

/* The number of the record at a location, as a person counts: by line ends. */
static uint64_t number_at(const ink__record_rule *rule, const uint8_t *bytes, uint64_t at)
{
    uint64_t number = 1;

    if (rule->form == INK__RECORDS_FIXED)
        return 1 + at / rule->width;
    for (uint64_t i = 0; i < at; i++)
        number += bytes[i] == rule->end;
    return number;
}

static bool ends_in_quotes(const uint8_t *bytes, uint64_t count)
{
    bool inside = false;

    for (uint64_t i = 0; i < count; i++)
        inside ^= bytes[i] == '"';
    return inside;
}

/* The length of the first record without its end. */
static uint64_t first_length(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count)
{
    uint64_t end = count > 0 ? start_behind[1] : 0;

    if (rule->form == INK__RECORDS_FIXED || end == 0 || bytes[end - 1] != rule->end)
        return end;
    if (rule->form == INK__RECORDS_QUOTED && ends_in_quotes(bytes, end))
        return end;
    end--;
    return end - (rule->end == '\n' && end > 0 && bytes[end - 1] == '\r');
}

/* ---- Chunks ------------------------------------------------------------------------------- */

/* Where the chunk from `at` on ends, by the rule: after the records that start within `wanted`
 * bytes. At the end of a stream its whole records come before one without an end. */
static uint64_t end_by_rule(location where, uint64_t count, uint64_t at, uint64_t wanted)
{
    if (wanted <= count - at)
        return start_behind[at + wanted];
    return is_mapped(where) || last_behind <= at ? count : last_behind;
}

/* The chunk from `at` on, of which this number of bytes came, ends where it must. Of a pipe there
 * may have been less for now: then it ends before, but where a record does. */
static uint64_t check_end(location where, uint64_t count, uint64_t at, uint64_t wanted,
                          uint64_t came)
{
    uint64_t end = end_by_rule(where, count, at, wanted);

    if (is_mapped(where) || is_compressed(where)) {
        assert_int_equal(came, end - at);
        return end;
    }
    end = end_by_rule(IN_MEMORY, count, at, wanted);
    assert_in_range(came, 1, end - at);
    assert_int_equal(start_behind[at + came], at + came);
    return at + came;
}

/* Takes all chunks of bytes_now from some offset: each has the records that start within the next
 * chunk_bytes bytes, or `most` of these, which changes from one to the next. */
static void check_chunks(location where, const ink__record_rule *rule, uint64_t count,
                         uint64_t chunk_bytes, bool vary)
{
    if (where == ON_GZIP_INPUT && rule->form == INK__RECORDS_FIXED)
        return; /* has no name that could tell */
    uint64_t        stored, taken = 0, at = 0;
    ink__input_part part = put(where, bytes_now, count, &stored);
    uint64_t        total = ink__source_total(&part, 1);
    bool            is_known = where != ON_STANDARD_INPUT && where != IN_PIPE && where != IN_FIFO &&
                    where != ON_GZIP_INPUT;

    assert_int_equal(total, is_known ? stored : 0);
    open_source(&part, 1, rule, chunk_bytes);
    assert_int_equal(ink__source_taken(source), 0);
    for (;;) {
        uint64_t most =
            vary && random_below(3) > 0 ? 1 + random_below((unsigned)count + 2) : UINT64_MAX;
        uint64_t wanted = most < chunk_bytes ? most : chunk_bytes;
        next(most);
        CHECK(ink__source_taken(source) >= taken);
        taken = ink__source_taken(source);
        if (!more)
            break;
        assert_int_equal(chunk.offset, at);
        assert_int_equal(chunk.input, 0);
        uint64_t end = check_end(where, count, at, wanted, chunk.count);
        assert_memory_equal(chunk.bytes, bytes_now + at, chunk.count);

        uint64_t       within = random_below((unsigned)chunk.count), first_bytes;
        const uint8_t *first;
        if (count <= BYTES_MAX)
            assert_int_equal(ink__source_record(source, &chunk, within),
                             number_at(rule, bytes_now, at + within));
        ink__source_first(source, &chunk, &first, &first_bytes);
        if (!is_mapped(where) && at > 0)
            assert_int_equal(first_bytes, 0);
        else {
            assert_int_equal(first_bytes, first_length(rule, bytes_now, count));
            assert_memory_equal(first, bytes_now, first_bytes);
        }
        at = end;
    }
    assert_int_equal(at, count);
    CHECK(chunk.count == 0);
    assert_int_equal(taken, stored);
    close_put();
}

TEST(chunks_end_at_the_same_locations_wherever_the_bytes_are)
{
    static const unsigned longest[] = {0, 3, 40, 3000};

    for (unsigned round = 0; round < 24; round++) {
        size_t count = round < 4 ? round : 1 + random_below(BYTES_MAX - 1);
        make_bytes(bytes_now, count, longest[round % 4]);
        for (unsigned r = 0; r < RULES; r++) {
            const uint64_t sizes[] = {1, 1 + random_below(100), 1 + random_below(2000), 1 << 20};
            uint64_t       size = sizes[(round + r) % 4];
            find_starts(rules[r], bytes_now, count);
            for (location where = 0; where < LOCATIONS; where++)
                check_chunks(where, rules[r], count, size, round % 2 == 0);
        }
    }
}

TEST(so_do_chunks_of_large_inputs_and_of_records_longer_than_them)
{
    static const uint64_t sizes[] = {3000, 65536, 70001, 150000, 1 << 20};
    static const unsigned longest[] = {100, 30000, 350000};

    for (unsigned round = 0; round < 3; round++) {
        size_t count = LARGE_BYTES - random_below(1000);
        make_bytes(bytes_now, count, longest[round]);
        for (unsigned r = 0; r < RULES; r++) {
            find_starts(rules[r], bytes_now, count);
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                for (location where = 0; where < LOCATIONS; where++)
                    if ((where + i + r + round) % 3 == 0 || is_mapped(where))
                        check_chunks(where, rules[r], count, sizes[i], i % 2 == 1);
        }
    }
}

TEST(interrupted_and_short_reads_change_no_chunk)
{
    make_bytes(bytes_now, 3000, 60);
    for (unsigned r = 0; r < RULES; r++) {
        find_starts(rules[r], bytes_now, 3000);
        for (location where = ON_STANDARD_INPUT; where < LOCATIONS; where++) {
            faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = 13});
            check_chunks(where, rules[r], 3000, 100, true);
            faults_system_end();
            assert_int_equal(faults_open_files(), 0);
        }
    }
}

TEST(a_slow_pipe_gives_the_whole_records_that_it_has)
{
    static const char *const pieces[] = {"a\nb\nc", "d\ne", "f", "g\n\nh\ni", ""};
    static const char *const expected[] = {"a\nb\n", "cd\n", "efg\n\nh\n", "i"};
    int                      ends[2];
    unsigned                 piece = 0;

    alarm(20);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[0], 0), 0);
    close(ends[0]);
    open_source(&standard_input, 1, &lines, 1 << 20);
    for (unsigned i = 0; i < 4; i++) { /* no one else writes: to wait for more would be for ever */
        do {
            size_t bytes = strlen(pieces[piece]);
            if (bytes == 0)
                close(ends[1]);
            else
                assert_int_equal(write(ends[1], pieces[piece], bytes), bytes);
        } while (strchr(pieces[piece++], '\n') == NULL && piece < 5 && pieces[piece - 1][0] != 0);
        next_is(expected[i]);
    }
    next(UINT64_MAX);
    CHECK(!more);
    close_source();
    alarm(PATIENCE);
}

TEST(what_reports_an_ink_file_is_seen_with_the_first_chunk)
{
    static const char magic[] = "\x89INK\r\n\x1a\nand more\n";

    for (uint64_t transfer = 1; transfer < 8; transfer++)
        for (location where = 0; where < LOCATIONS; where++) {
            open_put(where, magic, 8); /* nothing is opened before the first chunk */
            faults_system_begin(&(faults_plan){.transfer_bytes = transfer});
            next(transfer);
            CHECK(more && chunk.seen >= 8);
            assert_memory_equal(chunk.bytes, magic, 8);
            if (transfer <= 6)
                assert_int_equal(chunk.count, 6);
            close_source();
            faults_system_end();
            take_away();
        }
}

/* Everything else there belongs to others. */
TEST(a_split_that_begins_as_no_text_ends_where_it_must)
{
    for (location where = 0; where < LOCATIONS; where++)
        for (uint64_t most = 1; most <= 2; most++) {
            open_put(where, "\x89\nab\nc", 1 << 20);
            next(most);
            CHECK(more);
            assert_int_equal(chunk.count, 2);
            next(UINT64_MAX);
            assert_int_equal(chunk.offset, 2);
            close_put();
        }
}

TEST(quoted_line_ends_are_no_ends_in_chunks_of_every_size)
{
    static const char text[] = "id,note\r\n1,\"two\nlines\"\n2,\"say \"\"hi\"\"\n\n\"\r\n"
                               "\"\n\",x\n3,plain\n\"\"\"\n\"\"\n\"\n4,\"open\nto the end\n";

    memcpy(bytes_now, text, sizeof text - 1);
    find_starts(&quoted, bytes_now, sizeof text - 1);
    assert_int_equal(start_behind[1], 9);
    assert_int_equal(start_behind[10], 23); /* after the two lines */
    for (uint64_t size = 1; size <= sizeof text; size++)
        for (location where = 0; where < LOCATIONS; where++)
            if (is_mapped(where) || size % 5 == 1)
                check_chunks(where, &quoted, sizeof text - 1, size, false);
}

/* All that a source of lines gives, put together; every chunk starts and ends where a record does.
 */
typedef struct taken {
    uint8_t  bytes[3 * BYTES_MAX];
    uint64_t count, chunks, records;
} taken;

static void take_all(const ink__input_part *parts, size_t count, const ink__record_rule *rule,
                     uint64_t chunk_bytes, taken *all)
{
    size_t   from = 0;
    uint64_t offset = 0;

    all->count = all->chunks = all->records = 0;
    open_source(parts, count, rule, chunk_bytes);
    for (;;) {
        next(UINT64_MAX);
        if (!more)
            break;
        CHECK(chunk.count > 0 && chunk.input >= from);
        if (chunk.input != from) {
            from = chunk.input;
            offset = 0;
        }
        CHECK(parts[from].offset > 0 || chunk.offset == offset); /* no gaps */
        offset = chunk.offset + chunk.count;
        memcpy(all->bytes + all->count, chunk.bytes, chunk.count);
        all->count += chunk.count;
        all->chunks++;
        all->records += ink__lines_count(chunk.bytes, chunk.count, '\n') +
                        (chunk.bytes[chunk.count - 1] != '\n');
    }
    CHECK(chunk.count == 0);
    close_source();
}

/* A source gives exactly these bytes. */
static void check_all(const ink__input_part *part, const ink__record_rule *rule,
                      uint64_t chunk_bytes, const void *bytes, size_t count, taken *all)
{
    take_all(part, 1, rule, chunk_bytes, all);
    assert_int_equal(all->count, count);
    if (count > 0)
        assert_memory_equal(all->bytes, bytes, count);
}

TEST(a_file_on_standard_input_is_not_cut_smaller_than_it_must_be)
{
    unsigned chunks = 0;

    size_t count = make_text(bytes_now, LARGE_BYTES, 30, false);
    records_write("text", bytes_now, count);
    assert_non_null(freopen("text", "rb", stdin));
    open_source(&standard_input, 1, &lines, 10000);
    for (more = true; more; chunks += more)
        next(UINT64_MAX);
    close_source();
    /* The first bytes were looked at and may come alone, and so may a record without an end. */
    assert_in_range(chunks, LARGE_BYTES / 10031, LARGE_BYTES / 10000 + 3);
    remove("text");
}

TEST(inputs_follow_one_another_and_empty_ones_are_skipped)
{
    const ink__input_part parts[] = {
        {.path = "none", .bytes = UINT64_MAX},
        {.path = "one", .bytes = UINT64_MAX},
        {.path = "none", .bytes = UINT64_MAX},
        {.path = "two", .bytes = UINT64_MAX},
        {.path = "none", .bytes = 5, .offset = 3},
        {.memory = (const uint8_t *)"d\ne", .memory_bytes = 3, .bytes = UINT64_MAX},
        {.memory = (const uint8_t *)"", .memory_bytes = 0, .bytes = UINT64_MAX}};
    static taken all;

    write_text("none", "");
    write_text("one", "a\nb"); /* no end after its last record */
    write_text("two", "c\n");
    take_all(parts, 7, &lines, 100, &all);
    assert_int_equal(all.chunks, 3);
    assert_int_equal(all.records, 5);
    assert_memory_equal(all.bytes, "a\nbc\nd\ne", 8);
    assert_int_equal(ink__source_total(parts, 7), 8);
    remove("none");
    remove("one");
    remove("two");
}

TEST(a_file_that_does_not_report_its_size_is_read)
{
    const ink__input_part part = {.path = "/proc/version", .bytes = UINT64_MAX};
    struct stat           found;
    static taken          all;

    if (stat(part.path, &found) != 0 || found.st_size != 0)
        return; /* no such file on this system */
    take_all(&part, 1, &lines, 10, &all);
    CHECK(all.records == 1 && all.count > 10 && memcmp(all.bytes, "Linux", 5) == 0);
}

TEST(integers_may_begin_as_compressed_files_do)
{
    static const uint8_t  bytes[] = {0x1f, 0x8b, 1, 2, 0x28, 0xb5, 0x2f, 0xfd};
    const ink__input_part packed = {.path = "text.gz", .bytes = UINT64_MAX};
    static taken          all;

    records_write("text", bytes, sizeof bytes);
    check_all(&whole, &words, 100, bytes, 8, &all);
    assert_non_null(freopen("text", "rb", stdin));
    check_all(&standard_input, &words, 100, bytes, 8, &all);
    records_gzip("text.gz", bytes, sizeof bytes); /* but a name shows it */
    check_all(&packed, &words, 100, bytes, 8, &all);
    take_away();
}

/* ---- Splits ------------------------------------------------------------------------------- */

TEST(splits_share_the_records_out)
{
    uint8_t      text[BYTES_MAX];
    static taken all;

    for (unsigned round = 0; round < 60; round++) {
        size_t count = make_text(text, 1 + random_below(BYTES_MAX - 1), round % 2 == 0 ? 20 : 2000,
                                 round % 3 != 0);
        ink__input_part parts[9];
        uint64_t        at = 0, records = 0, bytes = 0;
        records_write("text", text, count);
        for (unsigned i = 0; i < 9; i++) { /* neighbours, some of them empty */
            uint64_t part = i == 8 ? UINT64_MAX : random_below((unsigned)count / 4 + 2);
            parts[i] = (ink__input_part){.path = "text", .offset = at, .bytes = part};
            at += i == 8 ? 0 : part;
        }
        take_all(&whole, 1, &lines, 100, &all);
        uint64_t expected = all.records;
        for (unsigned i = 0; i < 9; i++) {
            take_all(&parts[i], 1, &lines, 1 + random_below(300), &all);
            records += all.records;
            assert_memory_equal(all.bytes, text + bytes, all.count); /* in order, nothing twice */
            bytes += all.count;
        }
        assert_int_equal(records, expected);
        assert_int_equal(bytes, count);
    }
    remove("text");
}

/* A split from `from` up to `end` has the records that start there, whole. */
static void check_split(bool in_memory, const ink__record_rule *rule, uint64_t count, uint64_t from,
                        uint64_t end, uint64_t chunk_bytes)
{
    ink__input_part part = {.path = "text", .offset = from, .bytes = end - from};
    uint64_t        first = start_behind[from < count ? from : count];
    uint64_t        last = start_behind[end < count ? end : count];
    static taken    all;

    if (in_memory) {
        part.memory = bytes_now;
        part.memory_bytes = count;
    }
    check_all(&part, rule, chunk_bytes, bytes_now + first, last - first, &all);
    uint64_t within = (end < count ? end : count) - (from < count ? from : count);
    assert_int_equal(ink__source_total(&part, 1), within);
}

TEST(splits_at_every_offset_have_every_record_once)
{
    for (unsigned r = 0; r < RULES; r++) {
        uint64_t count = rules[r]->form == INK__RECORDS_FIXED ? 39 : 50; /* the last one is torn */
        if (rules[r]->form == INK__RECORDS_QUOTED)
            continue; /* can only be told from the start on */
        make_bytes(bytes_now, count, 9);
        find_starts(rules[r], bytes_now, count);
        records_write("text", bytes_now, count);
        for (uint64_t from = 0; from <= count + 2; from++)
            for (uint64_t end = from; end <= count + 2; end++)
                check_split((from + end) % 8 != 0, rules[r], count, from, end,
                            1 + (from + end) % 11);
    }
    remove("text");
}

TEST(a_split_knows_the_header_and_the_numbers_of_its_file)
{
    static const char text[] = "name,age\r\na,1\nb,2\nc,3\n";
    const uint8_t    *memory = (const uint8_t *)text;
    ink__input_part   part = {
          .bytes = UINT64_MAX, .offset = 14, .memory = memory, .memory_bytes = sizeof text - 1};
    const uint8_t *first;
    uint64_t       bytes;

    open_source(&part, 1, &lines, 100);
    next(UINT64_MAX);
    CHECK(more && chunk.offset == 14 && chunk.count == 8);
    CHECK(ink__source_taken(source) == 8 && ink__source_total(&part, 1) == 8);
    ink__source_first(source, &chunk, &first, &bytes);
    assert_int_equal(bytes, 8);
    assert_memory_equal(first, "name,age", 8);
    assert_int_equal(ink__source_record(source, &chunk, 0), 3);
    assert_int_equal(ink__source_record(source, &chunk, 5), 4);
    close_source();
    /* Of all splits together no more is taken than there is. */
    for (uint64_t cut = 1; cut < sizeof text - 1; cut++) {
        ink__input_part parts[] = {part, part};
        parts[0].offset = 0;
        parts[0].bytes = parts[1].offset = cut;
        uint64_t sum = 0;
        for (size_t i = 0; i < 2; i++) {
            open_source(&parts[i], 1, &lines, 100);
            do
                next(UINT64_MAX);
            while (more);
            sum += ink__source_taken(source);
            close_source();
        }
        assert_int_equal(sum, sizeof text - 1);
    }
}

/* ---- Locations, and chunks in use ----------------------------------------------------------- */

TEST(several_chunks_are_held_at_once)
{
    for (location where = 0; where < LOCATIONS; where++) {
        ink__chunk chunks[5] = {0};
        open_put(where, "one\ntwo\nthree\nfour\n", 1);
        for (unsigned i = 0; i < 5; i++) { /* the file is closed with the last one */
            CHECK_OK(ink__source_next(source, &chunks[i], UINT64_MAX, &more, NULL, &error));
            CHECK(more == (i < 4));
        }
        assert_memory_equal(chunks[0].bytes, "one\n", 4);
        assert_memory_equal(chunks[3].bytes, "four\n", 5);
        assert_int_equal(ink__source_record(source, &chunks[2], 0), 3);
        for (unsigned i = 0; i < 5; i++)
            ink__source_release(source, &chunks[i]);
        close_put();
    }
}

/* ---- Pages that are given back -------------------------------------------------------------- */

enum { LEFT_BYTES = 9 << 20, LEFT_CHUNKS = 64 };
static uint8_t        was_left[LEFT_BYTES + 1]; /* 1: its chunk is done, 2: given back */
static uint64_t       left_bytes, left_calls;
static const uint8_t *left_from; /* the map */
static ink__system    noting;

/* What is given back is done, and was not given back before. */
static int note_left(const uint8_t *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        CHECK(was_left[(size_t)(at - left_from) + i] == 1);
        was_left[(size_t)(at - left_from) + i] = 2;
    }
    left_bytes += bytes;
    left_calls++;
    return 0;
}

/* Takes all chunks, then leaves them in any order. */
static void check_left(uint64_t offset, uint64_t bytes, uint64_t chunk_bytes)
{
    const ink__input_part part = {.path = "text", .offset = offset, .bytes = bytes};
    static ink__chunk     chunks[LEFT_CHUNKS];
    unsigned              count = 0;

    memset(was_left, 0, sizeof was_left);
    left_bytes = left_calls = 0;
    open_source(&part, 1, &lines, chunk_bytes);
    do {
        CHECK(count < LEFT_CHUNKS);
        CHECK_OK(ink__source_next(source, &chunks[count], UINT64_MAX, &more, NULL, &error));
        for (uint64_t ahead = 0; more && ahead <= LEFT_BYTES; ahead = 2 * ahead + 1)
            ink__source_ahead(&chunks[count], ahead);
        count += more;
    } while (more);
    const uint64_t first = chunks[0].offset;
    left_from = chunks[0].bytes - first;
    for (unsigned left = count; left > 0; left--) {
        const unsigned   i = random_below(left);
        const ink__chunk now = chunks[i];
        memset(was_left + now.offset, 1, now.count);
        ink__source_leave(&now);
        chunks[i] = chunks[left - 1];
        chunks[left - 1] = now;
    }
    /* The last record may reach beyond the split. */
    const uint64_t stop = bytes == UINT64_MAX ? LEFT_BYTES : offset + bytes;
    CHECK(left_bytes == stop - first);
    CHECK(left_calls == (left_bytes + (4 << 20) - 1) / (4 << 20));
    for (unsigned i = 0; i < count; i++)
        ink__source_release(source, &chunks[i]);
    close_source();
}

TEST(pages_are_given_back_once_by_regions_that_are_done)
{
    uint8_t *text = malloc(LEFT_BYTES);

    assert_non_null(text);
    make_text(text, LEFT_BYTES, 5000, true);
    records_write("text", text, LEFT_BYTES);
    free(text);
    noting = *ink__system_now();
    noting.leave = note_left;
    ink__system_replace(&noting);
    for (unsigned i = 0; i < 5; i++) {
        check_left(0, UINT64_MAX, 1 << 20);
        check_left((1 << 20) + 5, (6 << 20) + 1, 150001);
        check_left(5000, 4 << 20, 9 << 20); /* one chunk */
    }
    ink__system_replace(NULL);
    remove("text");
}

/* ---- What is refused ---------------------------------------------------------------------- */

/* The first chunk of a source of one part is refused, with these words. */
static void check_refused(const ink__input_part *part, ink_status status, const char *text)
{
    faults_system_begin(NULL);
    open_source(part, 1, &lines, 100);
    next_fails(status, text);
    CHECK(input == 0);
    close_source();
    CHECK(faults_open_files() == 0 && faults_maps() == 0);
    faults_system_end();
}

/* The second of two inputs is refused, and named. */
static void check_second_refused(const char *path, ink_status status, const char *text)
{
    const ink__input_part parts[] = {whole, {.path = path, .bytes = UINT64_MAX}};

    write_text("text", "x\n");
    open_source(parts, 2, &lines, 100);
    next_is("x\n");
    assert_int_equal(input, 99);
    next_fails(status, text);
    assert_int_equal(input, 1);
    close_source();
}

TEST(what_cannot_be_opened_or_split_is_reported_with_its_number)
{
    static const char     only_read[] = "a split of what can only be read from its start";
    const ink__input_part absent[] = {whole, {.path = "absent", .bytes = UINT64_MAX}};
    const ink__input_part device = {.path = "/dev/zero", .offset = 10, .bytes = 20};
    const ink__input_part packed = {.path = "text.gz", .offset = 0, .bytes = 20};
    const ink__input_part input_split = {.path = "-", .offset = 1, .bytes = UINT64_MAX};
    const ink__input_part folder = {.path = "/", .bytes = UINT64_MAX};
    const ink__input_part part_of_text = {.path = "text", .offset = 2, .bytes = 3};

    check_second_refused("absent", INK_IO, "cannot open");
    assert_int_equal(error.os_error, ENOENT);
    assert_int_equal(ink__source_total(absent, 2), 0); /* no one can know */
    write_text("-", "x\n");
    assert_int_equal(ink__source_total(&input_split, 1), 0); /* not that of the file "-" */
    unlink("-");
    for (uint64_t bytes = 7; bytes != 0; bytes = bytes == 7 ? UINT64_MAX : 0) { /* of a split */
        const ink__input_part remote = {.path = "webhdfs://name:1/x", .bytes = bytes};
        assert_int_equal(ink__source_total(&remote, 1), bytes == 7 ? 7 : 0);
    }
    check_refused(&device, INK_USAGE, only_read);
    records_gzip("text.gz", "x\n", 2);
    check_refused(&packed, INK_USAGE, only_read);
    /* What cannot be mapped is read from its start: no part of it. */
    faults_system_begin(&(faults_plan){.call = FAULTS_MAP, .nth = 1, .os_error = ENODEV});
    open_source(&part_of_text, 1, &lines, 100);
    next_fails(INK_IO, "cannot map");
    close_source();
    faults_system_end();
    assert_non_null(freopen("text", "rb", stdin));
    check_refused(&input_split, INK_USAGE, only_read);
    check_refused(&folder, INK_IO, "cannot read");
    take_away();
}

TEST(damaged_data_is_reported_with_its_number)
{
    records_write("text.gz", "\x1f\x8b\x08\x00\x00", 5);
    check_second_refused("text.gz", INK_FORMAT, "the gzip data ends within a member");
    take_away();
}

TEST(a_record_of_2_to_the_31_bytes_is_refused_by_its_number)
{
    const uint64_t  limit = (uint64_t)1 << 31;
    uint8_t        *bytes = files_zeros(limit + 5);
    ink__input_part part = {.bytes = UINT64_MAX, .memory = bytes};

    if (bytes == NULL)
        return; /* it would take too long here */
    memcpy(bytes, "a\nb\n", 4);
    /* The chunk would have 4 + 2^31 bytes, or one less. */
    for (uint64_t over = 0; over < 2; over++) {
        part.memory_bytes = 5 + limit - over;
        open_source(&part, 1, &lines, 5);
        if (over == 0) {
            next_fails(INK_LIMIT, "a record of 2^31 bytes or more");
            CHECK(error.location == INK_AT_LINE && error.at == 3 && input == 0);
        } else {
            next(UINT64_MAX);
            CHECK(more && chunk.count == part.memory_bytes);
        }
        close_source();
    }
    files_zeros_free(bytes, limit + 5);
}

/* Reads a file, standard input and a compressed file. */
static ink_status read_three(const ink_allocator *allocator)
{
    const ink__input_part parts[] = {
        whole, standard_input, {.path = "text.gz", .bytes = UINT64_MAX}};

    assert_non_null(freopen("text", "rb", stdin));
    ink_status status = ink__source_create(&source, parts, 3, &lines, 40, allocator, &error);
    if (status != INK_OK)
        return status;
    for (more = true; status == INK_OK && more;)
        status = ink__source_next(source, &chunk, UINT64_MAX, &more, NULL, &error);
    close_source();
    /* Only where unmapping itself was refused is something left, and no one can help it. */
    CHECK(faults_maps() <= (faults_struck() && status == INK_OK));
    return status;
}

TEST(every_failing_call_leaves_nothing_behind)
{
    uint8_t text[600];
    size_t  count = make_text(text, sizeof text, 50, false);

    records_write("text", text, count);
    records_gzip("text.gz", text, count);
    CHECK(faults_fail_each(read_three, 30) > 0);
    CHECK(faults_refuse_each(read_three) > 0);
    take_away();
}

/* A test that fails in the middle must not take the table, or a writer, with it into the next one.
 */
static int end_faults(void **state)
{
    (void)state;
    faults_system_end();
    take_away();
    return 0;
}

int main(void)
{
    alarm(200); /* a test that waits for a writer in vain would wait for ever */
    return check_run((check_fixtures){.after = end_faults});
}
