/* live_source_test.c - from any origin, cut into any writes and resumed anywhere, the same records
 * come, each once; a changed file is recognized; no client waits for another; and nothing stays
 * open when a call fails. */
#define _GNU_SOURCE 1
#include "input/live/live_source.h"

#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND ((uint64_t)1000000000)
#define PATIENCE (60 * SECOND) /* for what must come */

static const ink__record_rule        lines = {.form = INK__RECORDS_ENDED, .end = '\n'};
static const ink__record_rule        nuls = {.form = INK__RECORDS_ENDED, .end = 0};
static const ink__record_rule        quoted = {.form = INK__RECORDS_QUOTED, .end = '\n'};
static const ink__record_rule        words = {.form = INK__RECORDS_FIXED, .width = 4};
static const ink__record_rule        longs = {.form = INK__RECORDS_FIXED, .width = 8};
static const ink__record_rule *const rules[] = {&lines, &nuls, &quoted, &words, &longs};
enum { RULES = sizeof rules / sizeof rules[0] };

static ink_error error;
static uint64_t  chance = 10;

static uint64_t below(uint64_t limit)
{
    return records_below(&chance, limit);
}

/* ---- Texts -------------------------------------------------------------------------------- */

/* Bytes with records by every rule: line ends, NULs, carriage returns and quotes among letters. */
static records_bytes make_bytes(size_t count, uint64_t longest)
{
    static const uint8_t odd[] = {'"', '"', '\r', 0, ',', '\n'};
    records_bytes        text = {0};

    while (text.count < count) {
        uint64_t letters = below(longest + 1);
        for (uint64_t i = 0; i < letters && text.count < count; i++)
            records_put(&text, &(uint8_t){(uint8_t)('a' + below(26))}, 1);
        if (text.count < count)
            records_put(&text, below(3) == 0 ? &odd[below(sizeof odd)] : &odd[5], 1);
    }
    return text;
}

/* Whether a record ends before byte `at`, looking at every byte before it. */
static bool ends_at(const ink__record_rule *rule, const uint8_t *bytes, uint64_t at)
{
    bool inside = false;

    if (rule->form == INK__RECORDS_FIXED)
        return at % rule->width == 0;
    for (uint64_t i = 0; i < at && rule->form == INK__RECORDS_QUOTED; i++)
        inside ^= bytes[i] == '"';
    return at == 0 || (bytes[at - 1] == rule->end && !inside);
}

/* The number of the record at a location, as a person counts. */
static uint64_t number_at(const ink__record_rule *rule, const uint8_t *bytes, uint64_t at)
{
    uint64_t number = 1;

    if (rule->form == INK__RECORDS_FIXED)
        return 1 + at / rule->width;
    for (uint64_t i = 0; i < at; i++)
        number += bytes[i] == rule->end;
    return number;
}

/* ---- A run -------------------------------------------------------------------------------- */

/* What a source reports, and when it is to stop. */
static struct {
    char     reported[600];
    unsigned times;
    bool     stops;
} host;

static void hear(void *unused, const char *message)
{
    (void)unused;
    snprintf(host.reported, sizeof host.reported, "%s", message);
    host.times++;
}

static bool wants_to_stop(void *unused)
{
    (void)unused;
    return host.stops;
}

static ink__live_source *source;
static ink__live_chunk   live;
static ink__live_state   what;
static size_t            about;

static ink__live_rule rule_for(const char *const *addresses, size_t count,
                               const ink__record_rule *records)
{
    return (ink__live_rule){
        .addresses = addresses,
        .count = count,
        .records = *records,
        .notify = hear,
        .stop = wants_to_stop,
    };
}

static ink_status open_source(const ink__live_rule *rule)
{
    memset(&host, 0, sizeof host);
    about = 99;
    return ink__live_source_open(&source, rule, NULL, &about, &error);
}

/* Opens one address. */
static void open_at(const char *const *address, const ink__record_rule *records, bool follow)
{
    ink__live_rule rule = rule_for(address, 1, records);

    rule.follow = follow;
    CHECK_OK(open_source(&rule));
}

static void close_source(void)
{
    ink__live_source_release(source, &live);
    ink__live_source_close(source);
    source = NULL;
}

/* Closes a source that ran in a system of tests/support, which has seen all files closed. */
static void close_counted(void)
{
    close_source();
    assert_int_equal(faults_open_files(), 0);
    faults_system_end();
}

static uint64_t soon(void)
{
    return ink__system_now()->nanoseconds() + PATIENCE;
}

/* The next live must come. */
static void next(void)
{
    CHECK_OK(ink__live_source_next(source, &live, soon(), &what, &about, &error));
    assert_int_equal(what, INK__LIVE_RECORDS);
}

static void next_is_end(void)
{
    CHECK_OK(ink__live_source_next(source, &live, soon(), &what, &about, &error));
    assert_int_equal(what, INK__LIVE_END);
}

static void next_is_nothing(void)
{
    CHECK_OK(ink__live_source_next(source, &live, 0, &what, &about, &error));
    assert_int_equal(what, INK__LIVE_NOTHING);
}

/* The chunk starts here in its file or connection. */
static void check_start(bool first, uint64_t offset, uint64_t record)
{
    assert_int_equal(live.first, first);
    assert_int_equal(live.chunk.offset, offset);
    assert_int_equal(live.chunk.record, record);
}

/* The next live has these bytes. */
static void next_is(const char *text, bool last)
{
    next();
    assert_int_equal(live.chunk.count, strlen(text));
    if (live.chunk.count > 0)
        assert_memory_equal(live.chunk.bytes, text, live.chunk.count);
    assert_int_equal(live.last, last);
}

static void write_text(const char *path, const char *text)
{
    records_write(path, text, strlen(text));
}

static void append_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *out = fopen(path, "ab");

    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

static void append(const char *path, const char *text)
{
    append_bytes(path, text, strlen(text));
}

/* ---- Files -------------------------------------------------------------------------------- */

enum { FILES = 4 };
static const char *const paths[FILES] = {"a", "b.gz", "c.zst", "d"};

/* All that a test may have left; there are no others. */
static void remove_files(void)
{
    static const char *const others[] = {"before", "log", "log.1", "fifo", "socket"};

    for (size_t i = 0; i < FILES; i++)
        remove(paths[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        remove(others[i]);
}

static int clean_up(void **state)
{
    (void)state;
    faults_system_end();
    if (source != NULL)
        close_source();
    remove_files();
    return 0;
}

static void write_files(const records_bytes texts[FILES])
{
    records_write(paths[0], texts[0].bytes, texts[0].count);
    records_gzip(paths[1], texts[1].bytes, texts[1].count);
    records_zstd(paths[2], texts[2].bytes, texts[2].count);
    records_write(paths[3], texts[3].bytes, texts[3].count);
}

/* A location in a text, worked out from all of it. */
static ink__live_location location_in(const records_bytes *text, uint64_t offset)
{
    uint64_t        before = offset < 4096 ? offset : 4096;
    ink__live_chunk whole = {.chunk = {.bytes = text->bytes + offset}, .before = before};

    ink__live_location location = ink__live_chunk_location(&whole, 0);
    location.offset = offset;
    return location;
}

/* After the first `offset` bytes of a text, in the file that has this path now; NULL: in none. */
static ink__live_location location_after(const char *text, uint64_t offset, const char *path)
{
    const records_bytes bytes = {.bytes = (uint8_t *)(uintptr_t)text, .count = strlen(text)};
    ink__live_location  location = location_in(&bytes, offset);
    struct stat         found;

    if (path != NULL) {
        assert_int_equal(stat(path, &found), 0);
        location.number = (uint64_t)found.st_ino;
        location.device = (uint64_t)found.st_dev + 1; /* it is another when a host starts anew */
    }
    return location;
}

/* What has been given of each file. */
static uint64_t read_so_far[FILES];

/* The chunk goes on where its file was left, with whole records, and knows its location. */
static void check_file_chunk(const ink__record_rule *records, const records_bytes texts[FILES],
                             const uint64_t begun[FILES])
{
    size_t               file = live.chunk.input;
    const records_bytes *text = &texts[file];
    uint64_t             from = read_so_far[file], end = from + live.chunk.count;

    assert_int_equal(about, file);
    assert_int_equal(live.connection, 0);
    assert_int_equal(live.cut, 0);
    assert_int_equal(live.first, from == begun[file]);
    assert_int_equal(live.chunk.offset, from);
    assert_in_range(end, from, text->count);
    if (end > from)
        assert_memory_equal(live.chunk.bytes, text->bytes + from, end - from);
    CHECK(live.last ? end == text->count : end > from && ends_at(records, text->bytes, end));
    assert_int_equal(live.chunk.record, 1 + number_at(records, text->bytes, from) -
                                            number_at(records, text->bytes, begun[file]));
    uint64_t           at = below(live.chunk.count + 1);
    ink__live_location location = ink__live_chunk_location(&live, at);
    ink__live_location expected = location_in(text, from + at);
    assert_int_equal(location.offset, expected.offset);
    assert_int_equal(location.check, expected.check);
    read_so_far[file] = end;
}

/* All files are read from where they were left, one after another. */
static void check_files(const ink__live_rule *rule, const records_bytes texts[FILES],
                        const uint64_t begun[FILES])
{
    memcpy(read_so_far, begun, sizeof read_so_far);
    CHECK_OK(open_source(rule));
    CHECK(ink__live_source_end(source));
    CHECK(ink__live_source_again(source));
    for (size_t file = 0; file < rule->count; file++)
        do {
            next();
            assert_int_equal(live.chunk.input, file);
            check_file_chunk(&rule->records, texts, begun);
        } while (!live.last);
    next_is_end();
    next_is_end();
    assert_int_equal(host.times, 0);
    close_source();
}

/* The same with new files, from their starts. */
static void check_new_files(const ink__live_rule *rule, records_bytes texts[FILES])
{
    static const uint64_t none[FILES] = {0};

    write_files(texts);
    check_files(rule, texts, none);
    for (size_t i = 0; i < FILES; i++)
        records_bytes_free(&texts[i]);
}

TEST(files_are_read_one_after_another_in_whole_records)
{
    static const uint64_t longest[] = {0, 3, 40, 9000};
    static const size_t   sizes[] = {0, 1, 300, 20000};

    for (unsigned round = 0; round < (records_light() ? 2 : 40); round++) {
        records_bytes texts[FILES];
        for (size_t i = 0; i < FILES; i++) {
            size_t most = sizes[below(4)];
            texts[i] = make_bytes(most > 1 ? below(most) : most, longest[below(4)]);
        }
        ink__live_rule rule = rule_for(paths, FILES, rules[round % RULES]);
        rule.chunk_bytes = (uint64_t[]){0, 1, 1 + below(100), 1 + below(6000)}[round / 2 % 4];
        check_new_files(&rule, texts);
    }
}

TEST(a_run_goes_on_at_any_location_where_a_record_ends)
{
    for (unsigned r = 0; r < RULES; r++) {
        records_bytes      texts[FILES];
        ink__live_location locations[FILES] = {{0}};
        uint64_t           begun[FILES] = {0};
        uint64_t           width = rules[r]->width == 0 ? 1 : rules[r]->width;
        for (size_t i = 0; i < FILES; i++)
            texts[i] = make_bytes((i == 0 ? 9000 : 120) / width * width, i == 0 ? 200 : 9);
        write_files(texts);
        ink__live_rule rule = rule_for(paths, FILES, rules[r]);
        rule.chunk_bytes = 1000;
        rule.locations = locations;
        for (size_t file = 0; file < FILES; file++) {
            uint64_t step = file == 0 ? 97 : 1;
            for (uint64_t at = 1; at <= texts[file].count; at += 1 + below(step)) {
                if (!ends_at(rules[r], texts[file].bytes, at) && at < texts[file].count)
                    continue;
                begun[file] = at;
                locations[file] = location_in(&texts[file], at);
                check_files(&rule, texts, begun);
            }
            begun[file] = texts[file].count; /* the files before have been read */
            locations[file] = location_in(&texts[file], texts[file].count);
        }
        for (size_t i = 0; i < FILES; i++)
            records_bytes_free(&texts[i]);
    }
}

/* Opens, or reads to the end: which of them fails is not the point here. */
static ink_status run_all(const ink__live_rule *rule)
{
    ink_status status = open_source(rule);

    what = INK__LIVE_RECORDS;
    while (status == INK_OK && what == INK__LIVE_RECORDS)
        status = ink__live_source_next(source, &live, soon(), &what, &about, &error);
    if (source != NULL)
        close_source();
    return status;
}

static void store(const char *path, const char *text)
{
    if (strstr(path, ".gz") != NULL)
        records_gzip(path, text, strlen(text));
    else if (strstr(path, ".zst") != NULL)
        records_zstd(path, text, strlen(text));
    else
        write_text(path, text);
}

TEST(files_that_are_not_what_they_were_are_reported_apart)
{
    static const struct {
        const char *was, *is, *text; /* NULL: it goes on */
        uint64_t    offset;
    } cases[] = {
        {"one\ntwo\n", "one\n", "4 bytes, expected the 8", 8},
        {"one\ntwo\n", "", "0 bytes, expected the 8", 8},
        {"one\ntwo\n", "one\nTwo\nthree\n", "other bytes before byte 8", 8},
        {"one\ntwo\n", "one\nTwo\n", "other bytes before byte 8", 8},
        {"one\ntwo", "one\ntwofold\n", "byte 7", 7},
        {"one\ntwo", "one\ntwo\r\n", "byte 7", 7},
        {"one\ntwo\n", "one\nTwo\n", NULL, 4},
        {"one\ntwo\n", "one\ntwo\nthree\n", NULL, 8},
        {"one\ntwo", "one\ntwo", NULL, 7},
        {"one\ntwo", "one\ntwo\n", NULL, 7},
        {"one\ntwo", "one\ntwo\nthree", NULL, 7},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t file = 0; file < 3; file++) {
            const char *const  two[] = {"before", paths[file]};
            ink__live_location locations[2] = {{0},
                                               location_after(cases[i].was, cases[i].offset, NULL)};
            write_text(two[0], "x\n");
            store(two[1], cases[i].is);
            ink__live_rule rule = rule_for(two, 2, &lines);
            rule.locations = locations;
            if (cases[i].text == NULL) {
                CHECK_OK(run_all(&rule));
            } else {
                memset(&error, 0, sizeof error);
                assert_int_equal(run_all(&rule), INK_MISMATCH);
                char words_of_it[300];
                ink_error_text(&error, words_of_it, sizeof words_of_it);
                if (strstr(words_of_it, cases[i].text) == NULL)
                    fail_msg("\"%s\" does not contain \"%s\"", words_of_it, cases[i].text);
                assert_int_equal(about, 1);
            }
        }
}

/* As files of the system do, and those that are cut between two looks. */
TEST(a_file_that_has_less_than_it_says_is_not_what_it_was)
{
    ink__live_location location = location_after("", 0, NULL);

    location.offset = 8;
    write_text(paths[0], "one\ntwo\n");
    ink__live_rule rule = rule_for(paths, 1, &words);
    rule.locations = &location;
    faults_system_begin(&(faults_plan){.ends_early = true});
    CHECK_FAILS(open_source(&rule), INK_MISMATCH, "0 bytes, expected the 8");
    faults_system_end();
}

TEST(a_last_record_that_got_its_end_is_not_counted_again)
{
    const ink__live_location location = location_after("one\ntwo", 7, NULL);

    for (size_t file = 0; file < 3; file++) {
        store(paths[file], "one\ntwo\nthree\nfour");
        ink__live_rule rule = rule_for(&paths[file], 1, &lines);
        rule.locations = &location;
        CHECK_OK(open_source(&rule));
        next_is("three\nfour", true);
        assert_int_equal(live.chunk.offset, 8);
        assert_int_equal(live.before, 8);
        close_source();
    }
}

/* Half an integer was counted as a bad one; no byte is its end, not even that of a line. */
TEST(a_last_integer_that_was_cut_must_stay_so)
{
    const ink__live_location location = location_after("abcdef", 6, NULL);
    ink__record_rule         ints = words;

    ints.end = 'g';
    write_text(paths[0], "abcdef");
    ink__live_rule rule = rule_for(paths, 1, &ints);
    rule.locations = &location;
    CHECK_OK(run_all(&rule));
    write_text(paths[0], "abcdefghijkl");
    CHECK_FAILS(run_all(&rule), INK_MISMATCH, "has grown");
    assert_int_equal(error.at, 6);
}

TEST(a_file_that_was_cut_far_before_its_location_says_how_much_is_left)
{
    enum { LONG = 3 * INK__LOCATION_BYTES };
    static char text[LONG + 1];

    memset(text, '\n', LONG);
    const ink__live_location location = location_after(text, LONG, NULL);
    write_text(paths[0], "one\ntwo\n");
    ink__live_rule rule = rule_for(paths, 1, &lines);
    rule.locations = &location;
    CHECK_FAILS(run_all(&rule), INK_MISMATCH, "8 bytes, expected the 12288 that were read before");
}

TEST(a_file_that_is_gone_when_it_is_its_turn_is_a_failure)
{
    static const char *const two[] = {"a", "d"};
    ink__live_rule           rule = rule_for(two, 2, &lines);

    write_text(two[0], "x\n");
    write_text(two[1], "y\n");
    CHECK_OK(open_source(&rule));
    next_is("x\n", true);
    remove(two[1]);
    CHECK_FAILS(ink__live_source_next(source, &live, soon(), &what, &about, &error), INK_IO,
                "cannot open");
    CHECK(about == 1 && error.os_error == ENOENT);
    close_source();
}

TEST(a_file_that_was_copied_is_still_the_same)
{
    const ink__live_location location = location_after("one\ntwo\n", 4, NULL); /* of file 0 */

    write_text(paths[0], "one\ntwo\n");
    ink__live_rule rule = rule_for(paths, 1, &lines);
    rule.locations = &location;
    CHECK_OK(open_source(&rule));
    next_is("two\n", true);
}

TEST(addresses_that_cannot_be_read_are_named)
{
    static const struct {
        const char *addresses[2];
        size_t      count;
        bool        follow;
        ink_status  status;
        const char *text;
        size_t      about;
    } wrong[] = {
        {{"a", "fifo"}, 2, false, INK_USAGE, "not a regular file, expected one", 1},
        {{"a", "gone"}, 2, false, INK_IO, "cannot open: No such file", 1},
        {{"gone"}, 1, false, INK_IO, "cannot open: No such file", 0},
        {{"-", "a"}, 2, false, INK_USAGE, "not a regular file", 0},
        {{"-"}, 1, true, INK_USAGE, "standard input cannot be followed", 0},
        {{"b.gz"}, 1, true, INK_USAGE, "a compressed file cannot be followed", 0},
        {{"d"}, 1, false, INK_FORMAT, "xz data, expected records", 0},
        {{"."}, 1, false, INK_IO, "cannot read: Is a directory", 0},
    };

    write_text("a", "x\n");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    store("b.gz", "x\n");
    records_write("d",
                  "\xfd"
                  "7zXZ\0",
                  6);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ink__live_rule rule = rule_for(wrong[i].addresses, wrong[i].count, &lines);
        rule.follow = wrong[i].follow;
        CHECK_FAILS(open_source(&rule), wrong[i].status, wrong[i].text);
        assert_int_equal(about, wrong[i].about);
        assert_null(source);
    }
}

/* ---- A file that grows -------------------------------------------------------------------- */

static const char *const growing = "log";

static ink__live_rule follow_rule(void)
{
    ink__live_rule rule = rule_for(&growing, 1, &lines);

    rule.follow = true;
    return rule;
}

static void open_growing(const ink__live_location *location)
{
    ink__live_rule rule = follow_rule();

    rule.locations = location;
    CHECK_OK(open_source(&rule));
    CHECK(!ink__live_source_end(source));
    CHECK(ink__live_source_again(source));
}

TEST(a_file_is_followed_as_it_grows_and_half_a_line_waits)
{
    write_text(growing, "one\ntw");
    open_growing(NULL);
    next_is("one\n", false);
    CHECK(live.first);
    next_is_nothing();
    append(growing, "o");
    next_is_nothing();
    append(growing, "\nthree\nf");
    next_is("two\nthree\n", false);
    check_start(false, 4, 2);
    next_is_nothing();
    host.stops = true;
    next_is_end(); /* the half line is for the next run */
    close_source();

    const ink__live_location location = location_after("one\ntwo\nthree\n", 14, growing);
    open_growing(&location);
    append(growing, "our\n");
    next_is("four\n", false);
    assert_int_equal(live.chunk.offset, 14);
    assert_int_equal(host.times, 0);
}

TEST(a_followed_file_that_says_no_size_any_more_is_a_failure)
{
    const faults_plan plan = {.call = FAULTS_STAT_FILE, .nth = 1, .os_error = EIO};

    faults_system_begin(NULL);
    write_text(growing, "one\n");
    open_growing(NULL);
    next_is("one\n", false);
    next_is_nothing();
    faults_system_begin(&plan);
    faults_pass(2 * SECOND);
    CHECK_FAILS(ink__live_source_next(source, &live, 0, &what, &about, &error), INK_IO,
                "cannot stat");
    assert_int_equal(error.os_error, EIO);
    close_source();
    faults_system_end();
}

TEST(only_the_last_of_several_files_is_followed)
{
    static const char *const two[] = {"a", "log"};

    write_text(two[0], "one\ntwo");
    write_text(two[1], "three\nfo");
    ink__live_rule rule = rule_for(two, 2, &lines);
    rule.follow = true;
    CHECK_OK(open_source(&rule));
    next_is("one\ntwo", true);
    next_is("three\n", false);
    assert_int_equal(live.chunk.input, 1);
    next_is_nothing();
    append(two[1], "ur\n");
    next_is("four\n", false);
}

TEST(a_file_that_is_cut_is_read_from_its_start)
{
    write_text(growing, "one\ntwo\nhal");
    open_growing(NULL);
    next_is("one\ntwo\n", false);
    next_is_nothing();
    write_text(growing, "new\n");
    next_is("hal", true); /* its end will not come any more */
    assert_string_equal(host.reported, "log: cut after byte 11: read from its start");
    next_is("new\n", false);
    check_start(true, 0, 1);
    next_is_nothing();
    write_text(growing, "");
    next_is("", true);
    append(growing, "again\n");
    next_is("again\n", false);
    assert_int_equal(host.times, 2);
}

TEST(so_is_one_that_has_grown_beyond_its_old_end_since)
{
    write_text(growing, "one\ntwo\n");
    open_growing(NULL);
    next_is("one\ntwo\n", false);
    next_is_nothing();
    write_text(growing, "1\n2\n3\n4\n5\n6\n");
    next_is("", true);
    assert_string_equal(host.reported, "log: cut after byte 8: read from its start");
    next_is("1\n2\n3\n4\n5\n6\n", false);
    append(growing, "hal");
    next_is_nothing();
    write_text(growing, "1\n2\n3\n4\n5\n6\nHAL, and more\n"); /* as far as lines are whole */
    next_is("hal", true);
    next_is("1\n2\n3\n4\n5\n6\nHAL, and more\n", false);
}

TEST(a_file_that_is_replaced_is_read_to_its_end_first)
{
    faults_system_begin(NULL);
    write_text(growing, "one\n");
    open_growing(NULL);
    next_is("one\n", false);
    append(growing, "two\n");
    assert_int_equal(rename(growing, "log.1"), 0);
    next_is("two\n", false);
    next_is_nothing(); /* nothing has its name */
    faults_pass(5 * SECOND);
    next_is_nothing();
    write_text(growing, "four\n");
    next_is_nothing();
    append("log.1", "three\nhal"); /* by a process that has it open */
    faults_pass(2 * SECOND);
    next_is("three\n", false);
    next_is_nothing();
    faults_pass(SECOND / 2);
    next_is_nothing();
    assert_int_equal(host.times, 0);
    faults_pass(SECOND);
    next_is("hal", true);
    assert_string_equal(host.reported,
                        "log: another file has taken its place: that is read from its start");
    uint64_t number = live.number;
    next_is("four\n", false);
    CHECK(live.number != number);
    check_start(true, 0, 1);
    struct stat found;
    assert_int_equal(stat(growing, &found), 0);
    CHECK(live.number == (uint64_t)found.st_ino && live.device == (uint64_t)found.st_dev);
    assert_int_equal(rename(growing, "before"), 0); /* and again, before it was looked at */
    write_text(growing, "six\n");
    next_is_nothing();
    append("before", "five\n");
    next_is("five\n", false);
    close_counted();
}

/* Paths are on another device than the files that were opened. */
static ink__system moved;
static int (*stat_here)(const char *path, ink__stat *stat);

static int stat_elsewhere(const char *path, ink__stat *stat)
{
    int result = stat_here(path, stat);

    stat->device++;
    return result;
}

TEST(a_file_of_the_same_number_on_another_device_is_another_file)
{
    faults_system_begin(NULL);
    write_text(growing, "one\n");
    open_growing(NULL);
    next_is("one\n", false);
    next_is_nothing();
    moved = *ink__system_now();
    stat_here = moved.stat_path;
    moved.stat_path = stat_elsewhere;
    ink__system_replace(&moved);
    next_is_nothing();
    faults_pass(2 * SECOND);
    next_is("", true);
    assert_string_equal(host.reported,
                        "log: another file has taken its place: that is read from its start");
    close_counted();
}

TEST(one_that_goes_away_when_it_is_its_turn_is_awaited)
{
    faults_system_begin(NULL);
    write_text(growing, "one\n");
    open_growing(NULL);
    next_is("one\n", false);
    write_text(growing, "");
    next_is("", true);
    remove(growing);
    next_is_nothing();
    next_is_nothing();
    write_text(growing, "two\n");
    next_is("two\n", false);
    close_counted();
}

TEST(a_followed_file_that_is_another_by_now_is_begun_at_its_start)
{
    static const char *const contents[] = {"one\n", "One\ntwo\nthree\n", "one\ntwo\nthree\n"};
    static const char *const reported[] = {
        "log: 4 bytes, expected the 8 that were read before: read from its start",
        ("log: other bytes before byte 8 than were read there, expected the same: read from its "
         "start"),
        "log: another file, expected the one that was read before: read from its start",
    };
    static const char *const two[] = {"a", "log"};
    ink__live_location       locations[2] = {{0}, location_after("one\ntwo\n", 8, NULL)};

    write_text(two[0], "x\n");
    for (size_t i = 0; i < 3; i++) {
        write_text(growing, contents[i]);
        open_growing(&locations[1]);
        assert_string_equal(host.reported, reported[i]);
        next_is(contents[i], false);
        assert_int_equal(host.times, 1);
        close_source();

        ink__live_rule rule = follow_rule(); /* and so after another one */
        rule.addresses = two;
        rule.count = 2;
        rule.locations = locations;
        CHECK_OK(open_source(&rule));
        next_is("x\n", true);
        next_is(contents[i], false);
        assert_string_equal(host.reported, reported[i]);
        assert_int_equal(host.times, 1);
        close_source();
    }
}

TEST(a_log_that_was_renamed_while_nobody_followed_it_is_read_to_its_end)
{
    faults_system_begin(NULL);
    write_text(growing, "one\ntwo\nthree\n");
    ink__live_location location = location_after("one\n", 4, growing);
    assert_int_equal(rename(growing, "log.1"), 0);
    write_text(growing, "four\n");
    open_growing(&location);
    next_is("two\nthree\n", false);
    assert_int_equal(live.number, location.number);
    next_is_nothing();
    assert_int_equal(host.times, 0);
    faults_pass(2 * SECOND);
    next_is("", true);
    next_is("four\n", false);
    close_source();

    location.check++; /* another file has its number */
    open_growing(&location);
    assert_int_equal(host.times, 1);
    assert_non_null(strstr(host.reported, "other bytes before byte 4"));
    next_is("four\n", false);
    close_counted();
}

TEST(a_followed_file_whose_last_record_has_grown_is_refused)
{
    write_text(growing, "one\ntwofold\n");
    const ink__live_location location = location_after("one\ntwo", 7, growing);
    ink__live_rule           rule = follow_rule();
    rule.locations = &location;
    CHECK_FAILS(open_source(&rule), INK_MISMATCH, "has grown, expected its end");
}

/* Takes what there is, also of a file that has just taken the place of another. */
static void drain(records_bytes *came)
{
    for (unsigned quiet = 0; quiet < 3;) {
        CHECK_OK(ink__live_source_next(source, &live, 0, &what, &about, &error));
        if (what == INK__LIVE_RECORDS) {
            records_put(came, live.chunk.bytes, live.chunk.count);
        } else {
            faults_pass(2 * SECOND);
            quiet++;
        }
    }
}

TEST(whatever_happens_to_a_log_every_byte_of_it_comes_once)
{
    faults_system_begin(NULL);
    for (unsigned round = 0; round < (records_light() ? 2 : 10); round++) {
        records_bytes wrote = {0}, came = {0};
        write_text(growing, "");
        open_growing(NULL);
        for (unsigned step = 0; step < 40; step++) {
            records_bytes piece = make_bytes(1 + below(300), 20);
            append_bytes(growing, piece.bytes, piece.count);
            records_put(&wrote, piece.bytes, piece.count);
            records_bytes_free(&piece);
            uint64_t fate = below(6);
            if (fate < 3)
                drain(&came); /* what is cut, or replaced twice, before anybody reads it is lost */
            if (fate == 0)
                write_text(growing, "");
            if (fate == 1) {
                assert_int_equal(rename(growing, "log.1"), 0);
                write_text(growing, "");
            }
        }
        drain(&came);
        write_text(growing, ""); /* so that a last half line is given */
        drain(&came);
        assert_int_equal(came.count, wrote.count);
        assert_memory_equal(came.bytes, wrote.bytes, wrote.count);
        records_bytes_free(&wrote);
        records_bytes_free(&came);
        close_source();
    }
    assert_int_equal(faults_open_files(), 0);
    faults_system_end();
}

/* ---- Pipes -------------------------------------------------------------------------------- */

static const char *const fifo = "fifo";

static void open_fifo(const ink__record_rule *records, bool follow)
{
    assert_int_equal(mkfifo(fifo, 0600), 0);
    open_at(&fifo, records, follow);
    assert_int_equal(ink__live_source_end(source), !follow);
    CHECK(!ink__live_source_again(source));
}

static int open_writer(void)
{
    int file = open(fifo, O_WRONLY | O_NONBLOCK);

    CHECK(file >= 0);
    return file;
}

static void send_text(int file, const char *text)
{
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
}

TEST(a_fifo_is_waited_for_and_ends_with_its_last_writer)
{
    open_fifo(&lines, false);
    next_is_nothing();
    CHECK_OK(ink__live_source_next(source, &live, ink__system_now()->nanoseconds() + SECOND / 50,
                                   &what, &about, &error));
    assert_int_equal(what, INK__LIVE_NOTHING);
    int one = open_writer(), two = open_writer();
    next_is_nothing();
    send_text(one, "on");
    next_is_nothing();
    send_text(one, "e\ntw");
    next_is("one\n", false);
    CHECK(live.first);
    assert_int_equal(live.before, 0);
    close(one);
    next_is_nothing();
    send_text(two, "o\nthree\nfour");
    next_is("two\nthree\n", false);
    check_start(false, 4, 2);
    close(two);
    next_is("four", true);
    next_is_end();
    next_is_end();
}

TEST(a_fifo_that_is_followed_waits_for_the_next_writer)
{
    open_fifo(&lines, true);
    for (unsigned round = 0; round < 3; round++) {
        int file = open_writer();
        send_text(file, "one\ntwo");
        next_is("one\n", false);
        check_start(true, 0, 1);
        close(file);
        next_is("two", true);
        next_is_nothing();
    }
    host.stops = true;
    next_is_end();
}

TEST(a_quote_that_a_writer_left_open_is_none_of_the_next)
{
    open_fifo(&quoted, true);
    int file = open_writer();
    send_text(file, "\"one\n");
    close(file);
    next_is("\"one\n", true);
    file = open_writer();
    send_text(file, "\"two\n");
    next_is_nothing(); /* it is still in its quotes */
    send_text(file, "three\"\n");
    next_is("\"two\nthree\"\n", false);
    close(file);
}

/* Lets standard input be the end of a pipe; gives the other end. */
static int pipe_to_input(int *kept)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    *kept = dup(0);
    assert_int_equal(dup2(ends[0], 0), 0);
    close(ends[0]);
    return ends[1];
}

static void restore_input(int kept)
{
    assert_int_equal(dup2(kept, 0), 0);
    close(kept);
}

TEST(standard_input_is_read_as_it_comes_and_left_open)
{
    static const char *const dash = "-";
    int                      kept, file = pipe_to_input(&kept);

    open_at(&dash, &lines, false);
    assert_string_equal(ink__live_source_address(source), "-");
    next_is_nothing();
    send_text(file, "one\n");
    next_is("one\n", false);
    close(file);
    next_is("", true);
    next_is_end();
    close_source();
    CHECK(fcntl(0, F_GETFD) >= 0);
    restore_input(kept);
}

TEST(what_is_compressed_in_a_pipe_is_refused_by_name)
{
    static const char *const dash = "-";

    for (unsigned integers = 0; integers < 2; integers++) {
        int            kept, file = pipe_to_input(&kept);
        ink__live_rule rule = rule_for(&dash, 1, integers ? &words : &lines);
        send_text(file, "\x1f\x8b\x08\x01"
                        "\n\n\n\n");
        close(file);
        if (integers)
            CHECK_OK(run_all(&rule)); /* which may be any bytes */
        else
            CHECK_FAILS(run_all(&rule), INK_FORMAT, "compressed data from a pipe, expected plain");
        restore_input(kept);
    }
}

/* ---- Connections -------------------------------------------------------------------------- */

static const char *const any_port = "tcp://127.0.0.1:0", *const unix_socket = "unix:socket";

static void listen_at(const char *const *address)
{
    open_at(address, &lines, false);
    CHECK(!ink__live_source_end(source));
    CHECK(!ink__live_source_again(source));
}

/* Connects to where a source listens; the end never waits. */
static int connect_to(void)
{
    const char *address = ink__live_source_address(source);
    ink__peer   peer;
    int         file;

    if (strncmp(address, "unix:", 5) == 0) {
        file = ink__posix.connect_path(address + 5);
    } else {
        assert_int_equal(ink__posix.peer("127.0.0.1", &peer), 0);
        peer.port = (uint16_t)strtoul(strrchr(address, ':') + 1, NULL, 10);
        file = ink__posix.connect(&peer);
        assert_int_not_equal(ink__posix.wait(file, INK__CAN_WRITE, 10000), 0);
    }
    CHECK(file >= 0);
    return file;
}

static void close_all(const int *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        close(files[i]);
}

/* Closes so that the other side finds no end but a failure. */
static void reset_connection(int file)
{
    struct linger at_once = {.l_onoff = 1};

    setsockopt(file, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(file);
}

TEST(a_connection_gives_whole_records_and_counts_a_last_one_without_end)
{
    const char *const *const addresses[] = {&any_port, &unix_socket};

    for (size_t i = 0; i < 2; i++) {
        listen_at(addresses[i]);
        next_is_nothing();
        int file = connect_to();
        next_is_nothing();
        assert_int_equal(ink__live_source_connections(source), 1);
        send_text(file, "on");
        next_is_nothing();
        send_text(file, "e\ntwo\nthr");
        next_is("one\ntwo\n", false);
        assert_int_equal(live.connection, 1);
        CHECK(live.first);
        send_text(file, "ee");
        close(file);
        next_is("three", true);
        check_start(false, 8, 3);
        assert_int_equal(live.cut, 0);
        assert_int_equal(ink__live_source_connections(source), 0);
        next_is_nothing();
        close(connect_to());
        next_is("", true);
        assert_int_equal(live.connection, 2);
        CHECK(live.first);
        file = connect_to();
        send_text(file, "four"); /* as a request of HTTP might begin */
        close(file);
        next_is("four", true);
        assert_int_equal(live.cut, 0);
        host.stops = true;
        next_is_end();
        close_source();
    }
}

TEST(nothing_of_a_request_of_http_is_a_record)
{
    static const char *const      requests[] = {"POST / HTTP/1.1\r\nHost: x\r\n\r\nbee\nbee\n",
                                                "GET /bee HTTP/1.0\nbee\nbee\n", "Host: x\nbee\n"};
    const ink__record_rule *const forms[] = {&lines, &words};

    for (size_t form = 0; form < 2; form++)
        for (size_t i = 0; i < 3; i++) {
            open_at(&any_port, forms[form], false);
            int file = connect_to();
            for (const char *at = requests[i]; *at != '\0' && host.times == 0; at++) {
                CHECK(send(file, at, 1, MSG_NOSIGNAL) == 1);
                CHECK_OK(ink__live_source_next(source, &live, 0, &what, &about, &error));
                assert_int_equal(live.chunk.count, 0);
            }
            for (int tries = 0; host.times == 0 && tries < 100; tries++)
                next_is("", true);
            CHECK(live.last);
            assert_int_equal(live.cut, 0);
            CHECK(strstr(host.reported,
                         ": connection 1: a request of HTTP, expected records: closed") != NULL);
            assert_int_equal(ink__live_source_connections(source), 0);
            close(file);
            close_source();
        }
    /* What only begins like one is whole, in binary records too. */
    for (size_t form = 0; form < 2; form++) {
        open_at(&any_port, forms[form], false);
        int file = connect_to();
        send_text(file, "POST");
        next_is_nothing();
        send_text(file, " /bees H");
        next_is_nothing();
        send_text(file, "\nmo");
        next_is(form == 0 ? "POST /bees H\n" : "POST /bees H", false);
        send_text(file, "r");
        close(file);
        next_is(form == 0 ? "mor" : "\nmor", true);
        close_source();
    }
    listen_at(&unix_socket); /* which no browser reaches */
    int file = connect_to();
    send_text(file, "GET / HTTP/1.1\n");
    next_is("GET / HTTP/1.1\n", false);
    close(file);
}

TEST(a_record_is_cut_when_its_connection_breaks_in_it)
{
    listen_at(&any_port);
    int one = connect_to(), two = connect_to();
    send_text(one, "one\ntw");
    next_is("one\n", false);
    reset_connection(one);
    next_is("", true);
    assert_int_equal(live.cut, 1);
    send_text(two, "two\n");
    next_is("two\n", false);
    reset_connection(two);
    next_is("", true);
    assert_int_equal(live.cut, 0);
}

TEST(nobody_waits_for_one_who_sends_all_the_time_or_not_at_all)
{
    enum { ROUNDS = 20, BUSY = 3 };
    int           others[ROUNDS];
    records_bytes flood = make_bytes(1 << 20, 50);

    listen_at(&any_port);
    int silent = connect_to(), half = connect_to(), busy = connect_to();
    send_text(half, "half a rec");
    for (unsigned round = 0; round < ROUNDS; round++) { /* one more comes in each */
        bool heard[BUSY + ROUNDS + 1] = {false};
        others[round] = connect_to();
        for (unsigned i = 0; i <= round; i++)
            send_text(others[i], "x\n");
        unsigned waited = 0;
        for (unsigned i = 0; i <= round; waited++) {
            CHECK(write(busy, flood.bytes, flood.count) > 0 || errno == EAGAIN);
            next();
            assert_in_range(live.connection, BUSY, BUSY + round + 1);
            if (live.connection == BUSY)
                continue;
            assert_int_equal(live.chunk.count, 2);
            CHECK(!heard[live.connection]);
            heard[live.connection] = true;
            i++;
        }
        assert_in_range(waited, round + 1, round + 4); /* round robin, for the busy one too */
    }
    assert_int_equal(ink__live_source_connections(source), BUSY + ROUNDS);
    close_all(others, ROUNDS);
    close_all((int[]){silent, half, busy}, 3);
    records_bytes_free(&flood);
}

TEST(hundreds_connect_at_once)
{
    enum { CLIENTS = 400 };
    static int  files[CLIENTS];
    static bool heard[CLIENTS + 1];

    listen_at(&any_port);
    memset(heard, 0, sizeof heard);
    for (unsigned i = 0; i < CLIENTS; i++) {
        char text[32];
        files[i] = connect_to();
        snprintf(text, sizeof text, "client %u\nmore", i);
        send_text(files[i], text);
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        char     text[32];
        unsigned client;
        next();
        snprintf(text, sizeof text, "%.*s", (int)live.chunk.count, (const char *)live.chunk.bytes);
        assert_int_equal(sscanf(text, "client %u\n", &client), 1);
        assert_int_equal(live.connection, client + 1);
        CHECK(!heard[client]);
        heard[client] = true;
    }
    assert_int_equal(ink__live_source_connections(source), CLIENTS);
    close_all(files, CLIENTS);
    for (unsigned i = 0; i < CLIENTS; i++)
        next_is("more", true);
    assert_int_equal(ink__live_source_connections(source), 0);
}

TEST(no_more_is_read_than_is_asked_for)
{
    records_bytes flood = make_bytes(1 << 20, 50);
    ssize_t       sent;
    size_t        total = 0;

    listen_at(&any_port);
    int file = connect_to();
    while ((sent = write(file, flood.bytes, flood.count)) > 0)
        total += (size_t)sent;
    assert_int_equal(errno, EAGAIN); /* the system's buffers are full, and stay so */
    CHECK(total < 64 << 20);
    next();
    assert_in_range(live.chunk.count, 1, 1 << 20);
    close(file);
    records_bytes_free(&flood);
}

/* Sends some letters and then `end`, and takes what comes meanwhile. */
static bool send_long(int file, size_t letters, const char *end, records_bytes *came)
{
    static uint8_t piece[256 << 10];
    size_t         end_bytes = strlen(end);

    memset(piece, 'x', sizeof piece);
    for (size_t sent = 0; sent < letters + end_bytes;) {
        size_t  left = letters > sent ? letters - sent : 0;
        ssize_t more =
            left > 0 ? send(file, piece, left < sizeof piece ? left : sizeof piece, MSG_NOSIGNAL)
                     : send(file, end + (sent - letters), letters + end_bytes - sent, MSG_NOSIGNAL);
        if (more > 0)
            sent += (size_t)more;
        CHECK_OK(ink__live_source_next(source, &live, 0, &what, &about, &error));
        if (what == INK__LIVE_RECORDS) {
            records_put(came, live.chunk.bytes, live.chunk.count);
            if (live.last)
                return false;
        }
    }
    return true;
}

TEST(records_of_more_than_16_mib_end_a_connection)
{
    enum { MOST = 16 << 20 };
    records_bytes came = {0};

    listen_at(&any_port);
    int file = connect_to();
    CHECK(send_long(file, MOST, "\nmore\n", &came));
    while (came.count < MOST + 6) {
        next();
        records_put(&came, live.chunk.bytes, live.chunk.count);
    }
    assert_int_equal(came.count, MOST + 6);
    assert_memory_equal(came.bytes + MOST, "\nmore\n", 6);
    assert_int_equal(host.times, 0);
    if (send_long(file, MOST + 1, "\nmore\n", &came)) {
        next();
        CHECK(live.last);
    }
    assert_int_equal(live.cut, 1);
    assert_int_equal(live.chunk.count, 0);
    CHECK(strncmp(host.reported,
                  ink__live_source_address(source), /* with the port that was found */
                  strlen(ink__live_source_address(source))) == 0);
    assert_string_equal(host.reported + strlen(ink__live_source_address(source)),
                        ": connection 1: a record of more than 16 MiB: closed");
    assert_int_equal(ink__live_source_connections(source), 0);
    close(file);
    records_bytes_free(&came);
}

/* Many who never end their records cannot take all memory together. */
TEST(records_without_an_end_are_too_much_in_all_connections_together)
{
    enum { MOST = 30 };
    int files[4];

    ink__live_rule rule = rule_for(&unix_socket, 1, &lines);
    rule.partial_bytes = MOST;
    CHECK_OK(open_source(&rule));
    for (unsigned i = 0; i < 4; i++)
        files[i] = connect_to();
    for (unsigned i = 0; i < 3; i++) {
        send_text(files[i], "0123456789"); /* all that is allowed */
        next_is_nothing();
    }
    assert_int_equal(host.times, 0);
    send_text(files[3], "whole\n");
    next_is("whole\n", false); /* holds nothing */
    send_text(files[1], "\n");
    next_is("0123456789\n", false);
    send_text(files[3], "0123456789");
    next_is_nothing(); /* there was room again */
    send_text(files[0], "x");
    next_is("", true);
    assert_int_equal(live.connection, 1);
    assert_int_equal(live.cut, 1);
    assert_string_equal(host.reported,
                        "unix:socket: connection 1: records without an end of more than "
                        "30 bytes in all connections: closed");
    send_text(files[2], "0123456789"); /* that of the one that was closed is free */
    next_is_nothing();
    send_text(files[2], "\n");
    next_is("01234567890123456789\n", false);
    assert_int_equal(host.times, 1);
    close_all(files, 4);
}

TEST(a_connection_that_is_refused_is_closed)
{
    char byte;

    listen_at(&unix_socket);
    int one = connect_to(), two = connect_to();
    send_text(one, "bad\nba");
    next_is("bad\n", false);
    ink__live_source_refuse(source, live.connection);
    ink__live_source_refuse(source, 77); /* no one */
    send_text(two, "good\n");
    next_is("good\n", false);
    assert_int_equal(live.connection, 2);
    assert_int_equal(ink__live_source_connections(source), 1);
    ssize_t found = read(one, &byte, 1);
    CHECK(found == 0 || (found < 0 && errno != EAGAIN));
    for (uint64_t i = 0; i < 100; i++) /* more than there is room for do no harm */
        ink__live_source_refuse(source, 100 + i);
    next_is_nothing();
    for (unsigned i = 0; i < 2; i++) { /* the second time it is closed already */
        ink__live_source_refuse(source, 2);
        next_is_nothing();
        assert_int_equal(ink__live_source_connections(source), 0);
    }
    close_all((int[]){one, two}, 2);
}

TEST(memory_is_held_for_half_records_alone)
{
    enum { CLIENTS = 30, LONG = 100000 };
    static char   text[LONG + 1];
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    int           files[CLIENTS];

    ink__live_rule rule = rule_for(&unix_socket, 1, &lines);
    rule.chunk_bytes = 4096;
    memset(text, 'x', LONG);
    CHECK_OK(ink__live_source_open(&source, &rule, &allocator, NULL, &error));
    for (unsigned i = 0; i < CLIENTS; i++) {
        files[i] = connect_to();
        send_text(files[i], text);
    }
    while (what = INK__LIVE_NOTHING, memory.live_bytes < (uint64_t)CLIENTS * LONG)
        next_is_nothing();
    CHECK(memory.live_bytes < (uint64_t)CLIENTS * LONG * 3);
    for (unsigned i = 0; i < CLIENTS; i++) {
        send_text(files[i], "\nhalf");
        next();
        assert_int_equal(live.chunk.count, LONG + 1);
    }
    ink__live_source_release(source, &live);
    CHECK(memory.live_bytes < 64 << 10); /* they are all open, with half a record each */
    assert_int_equal(ink__live_source_connections(source), CLIENTS);
    close_source();
    faults_check_no_leak(&memory);
    close_all(files, CLIENTS);
}

/* ---- However it is cut -------------------------------------------------------------------- */

/* What comes of one writer, and how far he is. */
typedef struct writer {
    records_bytes text, came;
    size_t        sent;
    int           file;
    bool          ended;
} writer;

/* Writes a piece, or closes. */
static void write_piece(writer *from)
{
    size_t left = from->text.count - from->sent, piece = (size_t)below(left < 400 ? left + 1 : 400);
    ssize_t more = write(from->file, from->text.bytes + from->sent, piece);

    from->sent += more > 0 ? (size_t)more : 0;
    if (from->sent == from->text.count) {
        close(from->file);
        from->file = -1;
    }
}

static void take_chunk(writer *writers, unsigned count, const ink__record_rule *records)
{
    uint64_t number = live.connection == 0 ? 0 : live.connection - 1;

    assert_in_range(number, 0, count - 1);
    writer *from = &writers[number];
    CHECK(!from->ended);
    assert_int_equal(live.chunk.offset, from->came.count);
    assert_int_equal(live.first, from->came.count == 0);
    assert_int_equal(live.chunk.record, number_at(records, from->text.bytes, from->came.count));
    records_put(&from->came, live.chunk.bytes, live.chunk.count);
    from->ended = live.last;
    CHECK(live.last ||
          (live.chunk.count > 0 && ends_at(records, from->text.bytes, from->came.count)));
}

/* Several write at the same time, in pieces of any size; or one, into a FIFO. */
static void check_writers(const char *const *address, unsigned count,
                          const ink__record_rule *records, uint64_t chunk_bytes)
{
    writer         writers[8] = {{.file = -1}};
    unsigned       ended = 0;
    ink__live_rule rule = rule_for(address, 1, records);

    rule.chunk_bytes = chunk_bytes;
    CHECK_OK(open_source(&rule));
    for (unsigned i = 0; i < count; i++) {
        writers[i] = (writer){.text = make_bytes(below(6000), 1 + below(800))};
        writers[i].file = *address == fifo ? open_writer() : connect_to();
    }
    while (ended < count) {
        writer *one = &writers[below(count)];
        if (one->file >= 0)
            write_piece(one);
        CHECK_OK(ink__live_source_next(source, &live, 0, &what, &about, &error));
        CHECK(what != INK__LIVE_END);
        if (what == INK__LIVE_RECORDS) {
            take_chunk(writers, count, records);
            ended += live.last;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(writers[i].came.count, writers[i].text.count);
        if (writers[i].text.count > 0)
            assert_memory_equal(writers[i].came.bytes, writers[i].text.bytes,
                                writers[i].text.count);
        records_bytes_free(&writers[i].text);
        records_bytes_free(&writers[i].came);
    }
    assert_int_equal(host.times, 0);
    close_source();
}

TEST(any_way_of_cutting_bytes_into_writes_gives_the_same_records)
{
    static const uint64_t sizes[] = {0, 1, 7, 300};

    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (unsigned round = 0; round < (records_light() ? 2 : 8); round++)
        for (unsigned r = 0; r < RULES; r++) {
            uint64_t size = sizes[below(4)];
            check_writers(&fifo, 1, rules[r], size);
            check_writers(&unix_socket, 1 + (unsigned)below(8), rules[r], size);
        }
}

/* ---- Failures ----------------------------------------------------------------------------- */

static int clients[3] = {-1, -1, -1};

/* A run of everything that is done with some origin; stops at the first failure. */
typedef ink_status scenario(const ink_allocator *allocator);

static ink_status take_all(const ink__live_rule *rule, const ink_allocator *allocator,
                           void (*meanwhile)(unsigned step), unsigned       steps)
{
    ink__live_source *all;
    ink__live_chunk   some = {0};
    ink_status        status = ink__live_source_open(&all, rule, allocator, &about, &error);

    what = INK__LIVE_RECORDS;
    source = all;
    for (unsigned step = 0; status == INK_OK && step < steps && what != INK__LIVE_END; step++) {
        if (meanwhile != NULL)
            meanwhile(step);
        status = ink__live_source_next(all, &some, 0, &what, &about, &error);
    }
    if (all != NULL) {
        ink__live_source_release(all, &some);
        ink__live_source_close(all);
    } else
        assert_int_not_equal(status, INK_OK);
    source = NULL;
    close_all(clients, 3);
    memset(clients, -1, sizeof clients);
    return status;
}

static ink_status take_files(const ink_allocator *allocator)
{
    ink__live_location locations[FILES] = {{0}};

    for (size_t i = 0; i < FILES; i++) {
        store(paths[i], "one\ntwo\nthree\nfour\nfive");
        if (i < 2)
            locations[i] = location_after("one\ntwo\nthree\n", 14, NULL);
    }
    ink__live_rule rule = rule_for(paths, FILES, &lines);
    rule.chunk_bytes = 3;
    rule.locations = locations;
    return take_all(&rule, allocator, NULL, 100);
}

static void change_log(unsigned step)
{
    if (step == 2)
        append(growing, "two\nhal");
    if (step == 5)
        write_text(growing, "new\n");
    if (step == 8) {
        rename(growing, "log.1");
        write_text(growing, "newer\n");
    }
    if (step > 8)
        faults_pass(SECOND);
}

static ink_status take_log(const ink_allocator *allocator)
{
    ink__live_rule rule = follow_rule();

    write_text(growing, "one\n");
    return take_all(&rule, allocator, change_log, 15);
}

static void write_fifo(unsigned step)
{
    if (step == 1)
        clients[0] = open(fifo, O_WRONLY | O_NONBLOCK);
    if (step >= 2 && step < 6 && clients[0] >= 0)
        send_text(clients[0], "a record\nhalf a ");
    if (step == 6) {
        close(clients[0]);
        clients[0] = -1;
    }
}

static ink_status take_fifo(const ink_allocator *allocator)
{
    ink__live_rule rule = rule_for(&fifo, 1, &lines);

    assert_int_equal(mkfifo(fifo, 0600), 0);
    rule.follow = true;
    return take_all(&rule, allocator, write_fifo, 10);
}

static void write_clients(unsigned step)
{
    for (unsigned i = 0; i < 3; i++) {
        if (step == 1 + i)
            clients[i] = connect_to();
        if (step >= 2 + i && step < 8 && clients[i] >= 0)
            send(clients[i], "a record\nhalf a ", 16, MSG_NOSIGNAL);
        if (step == 8 + i) {
            close(clients[i]);
            clients[i] = -1;
        }
    }
}

static ink_status take_clients(const ink_allocator *allocator)
{
    ink__live_rule rule = rule_for(&unix_socket, 1, &lines);

    return take_all(&rule, allocator, write_clients, 40);
}

static scenario *const scenarios[] = {take_files, take_log, take_fifo, take_clients};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static scenario *scenario_now;

/* A failure is one line, and leaves nothing. */
static ink_status run_scenario(const ink_allocator *allocator)
{
    memset(&error, 0, sizeof error);
    ink_status status = scenario_now(allocator);
    CHECK(status == INK_OK || (error.message[0] != '\0' && strchr(error.message, '\n') == NULL));
    CHECK(status != INK_IO || error.os_error == EIO);
    remove_files();
    assert_int_equal(faults_names_here(), 0);
    return status;
}

TEST(when_a_call_of_the_system_fails_or_memory_is_refused_nothing_stays_open)
{
    for (unsigned s = 0; s < SCENARIOS; s++) {
        scenario_now = scenarios[s];
        CHECK(faults_fail_each(run_scenario, 0) >= 3);
        CHECK(faults_refuse_each(run_scenario) >= 1);
    }
}

TEST(interrupted_and_short_calls_change_nothing)
{
    static const faults_plan plans[] = {
        {.interrupt = true},
        {.transfer_bytes = 1},
        {.interrupt = true, .transfer_bytes = 5},
    };

    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        faults_system_begin(&plans[i]);
        assert_int_equal(mkfifo(fifo, 0600), 0);
        for (unsigned r = 0; r < RULES; r++) {
            check_writers(&fifo, 1, rules[r], 50);
            check_writers(&unix_socket, 4, rules[r], 50);
        }
        remove(fifo);
        records_bytes texts[FILES];
        for (size_t t = 0; t < FILES; t++)
            texts[t] = make_bytes(2000, 30);
        ink__live_rule rule = rule_for(paths, FILES, &lines);
        rule.chunk_bytes = 300;
        check_new_files(&rule, texts);
        assert_int_equal(faults_open_files(), 0);
        faults_system_end();
    }
}

TEST(a_stop_ends_every_origin)
{
    static const char *const *const addresses[] = {&growing, &fifo, &any_port, &unix_socket};

    write_text(growing, "one\n");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        open_at(addresses[i], &lines, false);
        host.stops = true;
        next_is_end();
        close_source();
    }
}

RUN_TESTS(.after = clean_up)
