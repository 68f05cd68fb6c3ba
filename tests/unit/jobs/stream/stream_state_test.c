/* stream_state_test.c - the folder of a stream: one holder at a time, who is named; what a killed
 * process left is removed; what is saved is loaded again to the byte, and what does not fit is
 * refused; and if a call of the system or of the allocator fails, the state before stays whole
 * and no file is left over. */
#define _DEFAULT_SOURCE 1
#include "jobs/stream/stream_state.h"

#include "base/memory.h"
#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static ink_error error;

#define FOLDER "state"
#define FILE_PATH "state/state.ink"

/* ---- A stream without data ---------------------------------------------------------------- */

static const ink_params  both[] = {{.kind = "bloom", .expected_keys = 1000}, {.kind = "hll"}};
static const ink_reading lines = {.form = INK_FORM_LINES};

/* A state and its sketches. */
typedef struct held {
    ink__stream_state    state;
    ink__stream_sketches sketches;
} held;

static ink_stream_options of_kinds(const ink_params *kinds, size_t count)
{
    return (ink_stream_options){.kinds = kinds, .kind_count = count};
}

/* Opens and loads the folder; on failure nothing is held. */
static ink_status begin(held *to, const ink_reading *reading, const ink_stream_options *options,
                        const ink_allocator *allocator)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    ink_status    status =
        ink__stream_sketches_create(&to->sketches, reading, options, &memory, &error);

    if (status != INK_OK)
        return status;
    status = ink__stream_state_open(&to->state, FOLDER, &memory, &error);
    if (status == INK_OK) {
        status =
            ink__stream_state_load(&to->state, &to->sketches, reading,
                                   reading->form == 0 ? INK_FORM_LINES : reading->form, &error);
        if (status != INK_OK)
            ink__stream_state_close(&to->state);
    }
    if (status != INK_OK)
        ink__stream_sketches_free(&to->sketches);
    return status;
}

static void end(held *from)
{
    ink__stream_state_close(&from->state);
    ink__stream_sketches_free(&from->sketches);
}

/* Adds the keys `first` to `first + count`, at this time if there is a window. */
static void add_keys(ink__stream_sketches *to, uint64_t first, uint64_t count, int64_t when)
{
    uint64_t starts[64], ends[64];
    char     bytes[64 * 24];

    for (uint64_t done = 0; done < count;) {
        ink__stream_left left;
        ink__rows        rows = {
                   .key_bytes = (const uint8_t *)bytes, .key_starts = starts, .key_ends = ends};
        for (uint64_t used = 0; rows.count < 64 && done < count; rows.count++, done++) {
            starts[rows.count] = used;
            used += (uint64_t)snprintf(bytes + used, 24, "key %llu",
                                       (unsigned long long)(first + done));
            ends[rows.count] = used;
        }
        CHECK_OK(ink__stream_sketches_add(to, &rows, when, &left, &error));
    }
}

/* As a stream does that has taken in `count` more keys. */
static void take_in(held *to, uint64_t count, int64_t when)
{
    ink__stream_position *position = &to->state.position;

    add_keys(&to->sketches, position->records, count, when);
    position->records += count;
    position->batches++;
    position->timed = to->sketches.started;
    position->newest = to->sketches.newest_time;
}

static records_bytes read_file(const char *path)
{
    records_bytes all = {0};
    uint8_t       piece[4096];
    size_t        count;
    FILE         *file = fopen(path, "rb");

    assert_non_null(file);
    while ((count = fread(piece, 1, sizeof piece, file)) > 0)
        records_put(&all, piece, count);
    fclose(file);
    return all;
}

static bool is_still(const char *path, const records_bytes *bytes)
{
    records_bytes now = read_file(path);
    bool same = now.count == bytes->count && memcmp(now.bytes, bytes->bytes, now.count) == 0;

    records_bytes_free(&now);
    return same;
}

static void clean_up(void)
{
    unlink(FILE_PATH);
    unlink(FOLDER "/lock");
    assert_int_equal(rmdir(FOLDER), 0); /* nothing else is there */
}

/* Saves a state of this many keys with these kinds. */
static void make_state(const ink_params *kinds, size_t count, uint64_t keys)
{
    const ink_stream_options options = of_kinds(kinds, count);
    held                     made;

    CHECK_OK(begin(&made, &lines, &options, NULL));
    take_in(&made, keys, 0);
    CHECK_OK(ink__stream_state_save(&made.state, &made.sketches, &error));
    end(&made);
}

/* ---- The folder --------------------------------------------------------------------------- */

TEST(the_folder_is_made_with_a_lock_that_names_its_holder)
{
    const ink_stream_options options = of_kinds(both, 2);
    char                     expected[128], host[64];
    held                     first;

    CHECK_OK(begin(&first, &lines, &options, NULL));
    CHECK(!first.state.found && records_names_in(FOLDER) == 1);
    CHECK(ink__posix.host_name(host, sizeof host) >= 0);
    snprintf(expected, sizeof expected, "process %lld on %s\n", (long long)getpid(), host);
    records_bytes lock = read_file(FOLDER "/lock");
    CHECK(lock.count >= strlen(expected));
    assert_memory_equal(lock.bytes, expected, strlen(expected));
    records_bytes_free(&lock);
    end(&first);
    CHECK_OK(begin(&first, &lines, &options, NULL)); /* which is free again */
    end(&first);
    clean_up();
}

TEST(a_folder_that_cannot_be_made_is_refused)
{
    ink_allocator     heap = ink__allocator_or_heap(NULL);
    ink__stream_state made;

    CHECK_FAILS(ink__stream_state_open(&made, "", &heap, &error), INK_USAGE, "no folder");
    CHECK_FAILS(ink__stream_state_open(&made, NULL, &heap, &error), INK_USAGE, "no folder");
    CHECK_FAILS(ink__stream_state_open(&made, "not/there", &heap, &error), INK_IO,
                "cannot make the folder");
    assert_int_equal(error.os_error, ENOENT);
    records_write("file", "", 0);
    CHECK_FAILS(ink__stream_state_open(&made, "file", &heap, &error), INK_IO, "cannot open");
    assert_int_equal(error.os_error, ENOTDIR);
    unlink("file");
}

TEST(a_folder_that_another_holds_is_refused_with_the_name_of_the_holder)
{
    const ink_stream_options options = of_kinds(both, 2);
    held                     first, second;
    char                     name[64];

    CHECK_OK(begin(&first, &lines, &options, NULL));
    take_in(&first, 10, 0);
    CHECK_OK(ink__stream_state_save(&first.state, &first.sketches, &error));
    snprintf(name, sizeof name, "process %lld on ", (long long)getpid());
    CHECK_FAILS(begin(&second, &lines, &options, NULL), INK_IO, name);
    CHECK(strstr(error.message, "expected one at a time") != NULL);
    take_in(&first, 10, 0); /* who notices nothing */
    CHECK_OK(ink__stream_state_save(&first.state, &first.sketches, &error));
    end(&first);
    CHECK_OK(begin(&second, &lines, &options, NULL));
    assert_int_equal(second.state.position.records, 20);
    end(&second);
    clean_up();
}

/* A lock of another process, with this text. */
static void check_locked_by(const char *text, const char *message)
{
    const ink_stream_options options = of_kinds(both, 2);
    held                     second;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    records_write(FOLDER "/lock", text, strlen(text));
    int other = open(FOLDER "/lock", O_RDWR);
    CHECK(other >= 0 && flock(other, LOCK_EX) == 0);
    CHECK_FAILS(begin(&second, &lines, &options, NULL), INK_IO, message);
    for (const char *at = error.message; *at != '\0'; at++)
        CHECK((unsigned char)*at >= ' ');
    records_bytes lock = read_file(FOLDER "/lock");
    CHECK(records_are(&lock, text));
    records_bytes_free(&lock);
    close(other);
    clean_up();
}

TEST(whatever_the_holder_wrote_is_one_line)
{
    static const char long_text[] =
        "process 12 on a-host-with-a-name-that-is-longer-than-names-of-hosts-are-anywhere-and-that-"
        "goes-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on-and-on";

    check_locked_by("process 4711 on elsewhere\n   \n", "process 4711 on elsewhere, expected");
    check_locked_by("", "did not say who");
    check_locked_by("\nprocess 1 on x\n", "did not say who");
    check_locked_by("\x1b[31mred\r\n", "\\x1b[31mred");
    check_locked_by(long_text, "process 12 on a-host");
}

TEST(the_name_of_a_holder_covers_that_of_the_one_before)
{
    const ink_stream_options options = of_kinds(both, 2);
    char                     before[300];
    held                     first, second;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    memset(before, 'x', sizeof before);
    records_write(FOLDER "/lock", before, sizeof before);
    CHECK_OK(begin(&first, &lines, &options, NULL));
    CHECK_FAILS(begin(&second, &lines, &options, NULL), INK_IO, "process ");
    CHECK(strchr(error.message, 'x') == NULL || strstr(error.message, "xx") == NULL);
    end(&first);
    clean_up();
}

TEST(what_a_killed_process_left_is_removed_and_nothing_else)
{
    static const char *const left[] = {FILE_PATH ".tmp.4711.0", FILE_PATH ".tmp.4711.3"};
    static const char *const others[] = {FILE_PATH ".tmp.4712.0", FOLDER "/more"};
    const ink_stream_options options = of_kinds(both, 2);
    held                     next;

    make_state(both, 2, 10);
    records_bytes saved = read_file(FILE_PATH);
    records_write(FOLDER "/lock", "process 4711 on here\n", 21);
    for (size_t i = 0; i < 2; i++) {
        records_write(left[i], "half", 4);
        records_write(others[i], "x", 1);
    }
    CHECK_OK(begin(&next, &lines, &options, NULL));
    for (size_t i = 0; i < 2; i++)
        CHECK(access(left[i], F_OK) != 0 && unlink(others[i]) == 0);
    CHECK(is_still(FILE_PATH, &saved) && next.state.found);
    end(&next);
    records_bytes_free(&saved);
    clean_up();
}

TEST(a_lock_with_other_text_removes_nothing)
{
    static const char *const texts[] = {"process \n",
                                        "process x\n",
                                        "proc",
                                        "",
                                        "process 123456789012345678901234567890 on x\n",
                                        "process ../../../etc on x\n"};
    const ink_stream_options options = of_kinds(both, 2);
    held                     next;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(mkdir(FOLDER, 0700), 0);
        records_write(FOLDER "/lock", texts[i], strlen(texts[i]));
        records_write(FILE_PATH ".tmp..0", "x", 1);
        CHECK_OK(begin(&next, &lines, &options, NULL));
        end(&next);
        assert_int_equal(unlink(FILE_PATH ".tmp..0"), 0);
        clean_up();
    }
}

/* ---- Saving and loading ------------------------------------------------------------------- */

TEST(what_is_saved_is_loaded_and_going_on_equals_never_having_stopped)
{
    static const ink_params kinds[] = {
        {.kind = "bloom", .expected_keys = 500},
        {.kind = "classic", .expected_keys = 500},
        {.kind = "counting", .expected_keys = 500},
        {.kind = "scalable", .expected_keys = 64},
        {.kind = "count-min", .width = 64, .depth = 3, .conservative = true},
        {.kind = "top", .top_keys = 3},
        {.kind = "fm"},
        {.kind = "hll", .precision = 6},
    };
    const ink_stream_options options = of_kinds(kinds, sizeof kinds / sizeof kinds[0]);
    held                     whole, part;

    CHECK_OK(begin(&whole, &lines, &options, NULL));
    for (unsigned i = 0; i < 20; i++)
        take_in(&whole, 37, 0);
    CHECK_OK(ink__stream_state_save(&whole.state, &whole.sketches, &error));
    end(&whole);
    records_bytes expected = read_file(FILE_PATH);
    clean_up();
    for (unsigned i = 0; i < 20; i++) {
        CHECK_OK(begin(&part, &lines, &options, NULL));
        assert_int_equal(part.state.found, i > 0);
        assert_int_equal(part.state.position.records, i * 37);
        take_in(&part, 37, 0);
        CHECK_OK(ink__stream_state_save(&part.state, &part.sketches, &error));
        end(&part);
    }
    CHECK(is_still(FILE_PATH, &expected));
    records_bytes_free(&expected);
    clean_up();
}

TEST(windows_too)
{
    static const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 500},
                                       {.kind = "scalable", .expected_keys = 64},
                                       {.kind = "top"},
                                       {.kind = "count-min", .width = 16, .depth = 2}};
    ink_stream_options      options = of_kinds(kinds, 4);
    held                    whole, part;

    options.window_microseconds = 40;
    options.slots = 4;
    CHECK_OK(begin(&whole, &lines, &options, NULL));
    for (int i = 0; i < 9; i++)
        take_in(&whole, 37, -45 + 11 * i);
    CHECK_OK(ink__stream_state_save(&whole.state, &whole.sketches, &error));
    end(&whole);
    records_bytes expected = read_file(FILE_PATH);
    clean_up();
    for (int i = 0; i < 9; i++) {
        CHECK_OK(begin(&part, &lines, &options, NULL));
        CHECK(part.sketches.started == (i > 0));
        take_in(&part, 37, -45 + 11 * i);
        CHECK_OK(ink__stream_state_save(&part.state, &part.sketches, &error));
        end(&part);
    }
    CHECK(is_still(FILE_PATH, &expected));
    records_bytes_free(&expected);
    clean_up();
}

/* ---- What does not fit -------------------------------------------------------------------- */

static void check_misfit(const ink_params *kinds, size_t count, const ink_reading *reading,
                         const char *text)
{
    const ink_stream_options options = of_kinds(kinds, count);
    records_bytes            saved = read_file(FILE_PATH);
    held                     other;

    CHECK_FAILS(begin(&other, reading, &options, NULL), INK_MISMATCH, text);
    CHECK(strstr(error.message, "expected") != NULL);
    CHECK(is_still(FILE_PATH, &saved));
    records_bytes_free(&saved);
}

TEST(each_parameter_of_a_sketch_that_differs_is_named)
{
    static const uint8_t secret[INK_SECRET_BYTES] = "a secret key 16",
                         other[16] = "another 16 byte";
    static const struct {
        ink_params  there, here;
        const char *text;
    } pairs[] = {
        {{.kind = "bloom", .expected_keys = 1000}, {.kind = "bloom", .expected_keys = 999}, "keys"},
        {{.kind = "bloom", .expected_keys = 1000},
         {.kind = "bloom", .expected_keys = 1000, .false_positive_rate = 0.02},
         "target rate 0.01, and 0.02 was asked for"},
        {{.kind = "bloom", .bits = 8192}, {.kind = "bloom", .bits = 16384}, "bits 8192"},
        {{.kind = "classic", .bits = 8192, .hashes = 3},
         {.kind = "classic", .bits = 8192, .hashes = 4},
         "hashes 3"},
        {{.kind = "counting", .expected_keys = 1000},
         {.kind = "counting", .expected_keys = 2000},
         "keys"},
        {{.kind = "scalable"}, {.kind = "scalable", .expected_keys = 1000}, "keys"},
        {{.kind = "scalable", .ratio = 0.5}, {.kind = "scalable", .ratio = 0.75}, "ratio 0.5"},
        {{.kind = "scalable"}, {.kind = "scalable", .false_positive_rate = 0.001}, "rate"},
        {{.kind = "count-min", .width = 16, .depth = 3},
         {.kind = "count-min", .width = 17, .depth = 3},
         "width 16, and 17"},
        {{.kind = "count-min", .width = 16, .depth = 3},
         {.kind = "count-min", .width = 16, .depth = 4},
         "depth 3"},
        {{.kind = "count-min", .width = 16, .depth = 3},
         {.kind = "count-min", .width = 16, .depth = 3, .counter_bits = 64},
         "counter bits 32"},
        {{.kind = "count-min", .width = 16, .depth = 3},
         {.kind = "count-min", .width = 16, .depth = 3, .conservative = true},
         "conservative"},
        {{.kind = "top"}, {.kind = "top", .top_keys = 100}, "capacity 1024"},
        {{.kind = "fm"}, {.kind = "fm", .depth = 5}, "depth 9"},
        {{.kind = "hll"}, {.kind = "hll", .precision = 12}, "precision 14, and 12"},
        {{.kind = "hll"}, {.kind = "hll", .hash = "xxh64"}, "hashed by xxh3"},
        {{.kind = "hll"}, {.kind = "hll", .seed = 5, .explicit_seed = true}, "seed"},
        {{.kind = "hll", .secret = secret}, {.kind = "hll"}, "expected the same"},
        {{.kind = "hll"}, {.kind = "hll", .secret = secret}, "expected the same"},
        {{.kind = "hll", .secret = secret}, {.kind = "hll", .secret = other}, "secret"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        make_state(&pairs[i].there, 1, 10);
        check_misfit(&pairs[i].here, 1, &lines, pairs[i].text);
        make_state(&pairs[i].there, 1, 10); /* it still fits */
        clean_up();
    }
}

TEST(a_kind_too_many_or_too_few_or_another_is_named)
{
    static const ink_params three[] = {
        {.kind = "hll"}, {.kind = "bloom", .expected_keys = 1000}, {.kind = "top"}};
    const ink_stream_options swapped = of_kinds(three, 2);
    held                     again;

    make_state(both, 2, 10);
    check_misfit(three, 3, &lines, "holds no top");
    check_misfit(three, 1, &lines, "holds a bloom");
    check_misfit(three + 2, 1, &lines, "holds a bloom");
    CHECK_OK(begin(&again, &lines, &swapped, NULL)); /* order does not matter */
    end(&again);
    clean_up();
}

TEST(keys_of_another_type_and_records_read_in_another_way_do_not_fit)
{
    static const char *const columns[] = {"1", "2"};
    const ink_reading        readings[] = {
               {.form = INK_FORM_CSV},
               {.form = INK_FORM_LINES, .delimiter = '\t'},
               {.form = INK_FORM_LINES, .key = columns, .key_count = 1},
               {.form = INK_FORM_LINES, .blanks = true, .key = columns, .key_count = 2},
               {.form = INK_FORM_CSV, .header = true},
               {.form = INK_FORM_LINES, .blanks = true, .weight = "2"},
    };
    const ink_reading ints = {.form = INK_FORM_LINES, .keys = INK_KEYS_INT};

    make_state(both, 2, 10);
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++)
        check_misfit(both, 2, &readings[i], "read in another way");
    check_misfit(both, 2, &ints, "key type");
    clean_up();
}

TEST(another_window_does_not_fit)
{
    static const struct {
        uint64_t    seconds;
        uint32_t    slots;
        const char *text;
    } others[] = {
        {0, 0, "a window of 4 slots of 10 s, and no window was asked for"},
        {40, 2, "and a window of 2 slots of 20 s was"},
        {80, 4, "and a window of 4 slots of 20 s was"},
        {50, 5, "and a window of 5 slots of 10 s was"},
    };
    ink_stream_options options = of_kinds(both, 2);
    held               made, other;

    options.window_microseconds = 40000000;
    options.slots = 4;
    CHECK_OK(begin(&made, &lines, &options, NULL));
    take_in(&made, 10, 5);
    CHECK_OK(ink__stream_state_save(&made.state, &made.sketches, &error));
    end(&made);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        options.window_microseconds = others[i].seconds * 1000000;
        options.slots = others[i].slots;
        CHECK_FAILS(begin(&other, &lines, &options, NULL), INK_MISMATCH, others[i].text);
    }
    unlink(FILE_PATH);
    make_state(both, 2, 10);
    options.window_microseconds = 40000000;
    options.slots = 4;
    CHECK_FAILS(begin(&other, &lines, &options, NULL), INK_MISMATCH,
                "it has no window, and a window of 4 slots of 10 s was asked for");
    clean_up();
}

/* Writes a state file of these sections, of one bloom and one hll, with a label. */
static void forge(const ink_section *sections, size_t section_count, const ink_label *label)
{
    ink_sketch *sketches[2];
    ink_entry   entries[2];

    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(ink_sketch_create(&sketches[i], &both[i], NULL, &error));
        entries[i] = (ink_entry){.label = *label, .sketch = sketches[i]};
    }
    const ink_contents contents = {
        .entries = entries, .entry_count = 2, .sections = sections, .section_count = section_count};
    CHECK_OK(ink_save(FILE_PATH, &contents, &error));
    ink_sketch_free(sketches[0]);
    ink_sketch_free(sketches[1]);
}

static const char input_spec[] = "in\0lines";
static const char position[] =
    "source\0stream\0batch\0001\0records\0000\0bad\0000\0late\0000\0cut\0000";
static const char sparks[] = "source\0spark\0batch\0001\0kind\0bloom\0records\0001\0late\0000";

#define SECTION(number, text)                                                                      \
    (ink_section)                                                                                  \
    {                                                                                              \
        .id = (number), .bytes = (const uint8_t *)(text), .count = sizeof(text)                    \
    }

TEST(files_that_are_no_state_of_a_stream_are_refused)
{
    const ink_section good[] = {SECTION(INK_SECTION_INPUT_SPEC, input_spec),
                                SECTION(INK_SECTION_POSITION, position)};
    const ink_section spark[] = {SECTION(INK_SECTION_INPUT_SPEC, input_spec),
                                 SECTION(INK_SECTION_POSITION, sparks)};
    const ink_section cut[] = {
        SECTION(INK_SECTION_INPUT_SPEC, input_spec),
        {.id = INK_SECTION_POSITION, .bytes = (const uint8_t *)position, .count = 30}};
    const ink_stream_options options = of_kinds(both, 2);
    const ink_label          none = {0}, group = ink_group("g"), slot = {.has_slot = true};
    held                     made;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    forge(good, 2, &none);
    CHECK_OK(begin(&made, &lines, &options, NULL));
    end(&made);
    forge(good, 1, &none);
    check_misfit(both, 2, &lines, "does not say how far");
    forge(good + 1, 1, &none);
    check_misfit(both, 2, &lines, "another way");
    forge(spark, 2, &none);
    check_misfit(both, 2, &lines, "a stream of \"spark\"");
    forge(good, 2, &group);
    check_misfit(both, 2, &lines, "groups");
    forge(good, 2, &slot);
    check_misfit(both, 2, &lines, "of a window");
    forge(cut, 2, &none);
    CHECK_FAILS(begin(&made, &lines, &options, NULL), INK_FORMAT, "position");
    clean_up();
}

TEST(a_damaged_state_is_refused_at_every_byte)
{
    const ink_stream_options options = of_kinds(both, 2);
    held                     made;

    make_state(both, 2, 100);
    records_bytes saved = read_file(FILE_PATH);
    for (size_t at = 0; at < saved.count; at += saved.count / 97 + 1) {
        saved.bytes[at] ^= 0x10;
        records_write(FILE_PATH, saved.bytes, saved.count);
        CHECK_FAILS(begin(&made, &lines, &options, NULL), INK_FORMAT, "");
        CHECK(is_still(FILE_PATH, &saved));
        saved.bytes[at] ^= 0x10;
        records_write(FILE_PATH, saved.bytes, at);
        CHECK_FAILS(begin(&made, &lines, &options, NULL), INK_FORMAT, "");
    }
    records_write(FILE_PATH, saved.bytes, saved.count);
    CHECK_OK(begin(&made, &lines, &options, NULL));
    end(&made);
    records_bytes_free(&saved);
    clean_up();
}

/* ---- When something fails ----------------------------------------------------------------- */

/* Opens, loads, adds and saves, until something fails. */
static ink_status go_on(const ink_stream_options *options, const ink_allocator *allocator)
{
    held       next;
    ink_status status = begin(&next, &lines, options, allocator);

    if (status != INK_OK)
        return status;
    next.state.position.batches++; /* adding is not what is tried here */
    status = ink__stream_state_save(&next.state, &next.sketches, &error);
    end(&next);
    return status;
}

static uint64_t batches_in(void)
{
    const ink_stream_options options = of_kinds(both, 2);
    held                     now;

    CHECK_OK(begin(&now, &lines, &options, NULL));
    uint64_t batches = now.state.position.batches;
    end(&now);
    return batches;
}

TEST(whatever_call_fails_the_state_is_the_old_one_or_the_new_one)
{
    static const int         errors[] = {EIO, ENOSPC, EACCES};
    const ink_stream_options options = of_kinds(both, 2);
    unsigned                 failed = 0;

    make_state(both, 2, 100);
    for (unsigned nth = 1;; nth++) {
        uint64_t      before = batches_in();
        records_bytes old = read_file(FILE_PATH);
        faults_system_begin(
            &(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = errors[nth % 3]});
        ink_status status = go_on(&options, NULL);
        bool       struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_maps(), 0);
        if (!struck)
            CHECK_OK(status);
        if (status != INK_OK) {
            failed++;
            CHECK(status == INK_IO && error.os_error == errors[nth % 3]);
            /* only of the last step is the new file in place */
            bool last = strstr(error.message, "is in place") != NULL;
            CHECK(last ? batches_in() == before + 1 : is_still(FILE_PATH, &old));
        } else
            assert_int_equal(batches_in(), before + 1);
        records_bytes_free(&old);
        assert_int_equal(records_names_in(FOLDER), 2);
        if (!struck)
            break;
        CHECK(nth < 200);
    }
    CHECK(failed > 10);
    clean_up();
}

TEST(a_first_save_that_fails_leaves_no_state)
{
    const ink_stream_options options = of_kinds(both, 2);

    for (unsigned nth = 1;; nth++) {
        faults_system_begin(&(faults_plan){.call = FAULTS_WRITE, .nth = nth, .os_error = ENOSPC});
        ink_status status = go_on(&options, NULL);
        bool       struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(status, struck ? INK_IO : INK_OK);
        assert_int_equal(records_names_in(FOLDER), struck ? 1 : 2);
        if (!struck)
            break;
        CHECK(error.os_error == ENOSPC && nth < 100);
    }
    clean_up();
}

TEST(interrupted_and_short_calls_do_no_harm)
{
    const ink_stream_options options = of_kinds(both, 2);

    make_state(both, 2, 100);
    for (unsigned i = 0; i < 2; i++) {
        faults_system_begin(&(faults_plan){.interrupt = i == 0, .transfer_bytes = i == 0 ? 0 : 7});
        CHECK_OK(go_on(&options, NULL));
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(batches_in(), 2 + i);
    }
    clean_up();
}

TEST(without_memory_the_state_is_the_old_one)
{
    static const ink_params  kinds[] = {{.kind = "bloom", .expected_keys = 1000},
                                        {.kind = "top"},
                                        {.kind = "scalable", .expected_keys = 10}};
    const ink_stream_options plain = of_kinds(kinds, 3);

    for (unsigned round = 0; round < 2; round++) { /* without a window, and with one */
        ink_stream_options options = plain;
        options.window_microseconds = round == 0 ? 0 : 40;
        options.slots = round == 0 ? 0 : 4;
        CHECK_OK(go_on(&options, NULL));
        for (uint64_t nth = 1;; nth++) {
            records_bytes old = read_file(FILE_PATH);
            faults_memory memory = {.refuse_at = nth};
            ink_allocator allocator = faults_allocator(&memory);
            ink_status    status = go_on(&options, &allocator);
            faults_check_no_leak(&memory);
            CHECK(status == INK_OK || status == INK_MEMORY);
            CHECK(is_still(FILE_PATH, &old) == (status != INK_OK));
            records_bytes_free(&old);
            assert_int_equal(records_names_in(FOLDER), 2);
            if (memory.refused == 0)
                break;
            CHECK(nth < 1000);
        }
        clean_up();
    }
}

RUN_TESTS(NULL, NULL)
