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

static const ink_stream_options usual = {.kinds = both, .kind_count = 2};

/* A state and its sketches. */
typedef struct held {
    ink__stream_state    state;
    ink__stream_sketches sketches;
} held;

static ink_stream_options of_kinds(const ink_params *kinds, size_t count)
{
    return (ink_stream_options){.kinds = kinds, .kind_count = count};
}

/* Opens and loads the folder; on failure nothing is held. Without options: the usual ones. */
static ink_status begin(held *to, const ink_reading *reading, const ink_stream_options *options,
                        const ink_allocator *allocator)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    ink_status    status = ink__stream_sketches_create(
           &to->sketches, reading, options == NULL ? &usual : options, &memory, &error);

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

static void save(held *from)
{
    CHECK_OK(ink__stream_state_save(&from->state, &from->sketches, &error));
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

static void clean_up(void)
{
    UNLINK(FILE_PATH, FOLDER "/lock");
    assert_int_equal(rmdir(FOLDER), 0); /* nothing else is there */
}

/* Saves a state of this many keys. */
static void make_state(const ink_stream_options *options, uint64_t keys)
{
    held made;

    CHECK_OK(begin(&made, &lines, options, NULL));
    take_in(&made, keys, 5);
    save(&made);
    end(&made);
}

/* ---- The folder --------------------------------------------------------------------------- */

TEST(the_folder_is_made_with_a_lock_that_names_its_holder)
{
    char expected[128], host[64];
    held first;

    CHECK_OK(begin(&first, &lines, NULL, NULL));
    CHECK(!first.state.found && records_names_in(FOLDER) == 1);
    CHECK(ink__posix.host_name(host, sizeof host) >= 0);
    snprintf(expected, sizeof expected, "process %lld on %s\n", (long long)getpid(), host);
    owned_bytes lock = records_read(FOLDER "/lock");
    CHECK(lock.count >= strlen(expected));
    assert_memory_equal(lock.bytes, expected, strlen(expected));
    end(&first);
    CHECK_OK(begin(&first, &lines, NULL, NULL)); /* which is free again */
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

/* It may be left by a run that was killed right after it had made it; or be another user's, who was
 * to sync it. */
TEST(a_folder_that_is_there_without_a_state_is_synced)
{
    static const int errors[] = {EIO, EACCES};

    for (size_t i = 0; i < 2; i++) {
        held first;
        assert_int_equal(mkdir(FOLDER, 0700), 0);
        faults_system_begin(&(faults_plan){.call = FAULTS_SYNC, .nth = 1, .os_error = errors[i]});
        const ink_status status = begin(&first, &lines, NULL, NULL);
        CHECK(faults_struck());
        faults_system_end();
        assert_int_equal(status, errors[i] == EIO ? INK_IO : INK_OK);
        if (status == INK_OK)
            end(&first);
        clean_up();
    }
}

static unsigned another_user(void)
{
    return ink__posix.user() + 1;
}

static int stat_of_another(const char *path, ink__stat *stat)
{
    int result = ink__posix.stat_path(path, stat);

    stat->owner++;
    return result;
}

TEST(a_lock_that_is_no_file_of_ours_is_not_written_to)
{
    ink__system system = ink__posix;
    held        none;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    assert_int_equal(symlink("../precious", FOLDER "/lock"), 0);
    records_write("precious", "precious", 8);
    CHECK_FAILS(begin(&none, &lines, NULL, NULL), INK_IO, "its lock is a symbolic link, expected");
    CHECK(records_file_is("precious", "precious"));
    UNLINK("precious");
    CHECK_FAILS(begin(&none, &lines, NULL, NULL), INK_IO, "its lock is a symbolic link, expected");
    CHECK(access("precious", F_OK) != 0);
    UNLINK(FOLDER "/lock");
    assert_int_equal(mkfifo(FOLDER "/lock", 0600), 0);
    CHECK_FAILS(begin(&none, &lines, NULL, NULL), INK_IO, "its lock is not a regular file");
    UNLINK(FOLDER "/lock");

    records_write(FOLDER "/lock", "", 0);
    system.user = another_user;
    ink__system_replace(&system);
    CHECK_OK(begin(&none, &lines, NULL, NULL)); /* it is of the owner of the folder */
    end(&none);
    system.stat_path = stat_of_another;
    CHECK_FAILS(begin(&none, &lines, NULL, NULL), INK_IO, "its lock is another user's, expected");
    ink__system_replace(NULL);
    UNLINK(FOLDER "/lock");
    assert_int_equal(mkfifo(FILE_PATH, 0600), 0);
    alarm(50); /* it is not waited for */
    CHECK_FAILS(begin(&none, &lines, NULL, NULL), INK_FORMAT, "not a regular file, expected an");
    alarm(0);
    clean_up();
}

TEST(a_new_folder_is_removed_if_no_stream_ran)
{
    held one;

    CHECK_OK(begin(&one, &lines, NULL, NULL));
    ink__stream_state_discard(&one.state);
    end(&one);
    assert_int_equal(faults_names_here(), 0);
    make_state(NULL, 3);
    CHECK_OK(begin(&one, &lines, NULL, NULL));
    ink__stream_state_discard(&one.state); /* was there before */
    end(&one);
    clean_up();
}

TEST(a_folder_that_another_holds_is_refused_with_the_name_of_the_holder)
{
    held first, second;
    char name[64];

    CHECK_OK(begin(&first, &lines, NULL, NULL));
    take_in(&first, 10, 0);
    save(&first);
    snprintf(name, sizeof name, "process %lld on ", (long long)getpid());
    CHECK_FAILS(begin(&second, &lines, NULL, NULL), INK_IO, name);
    CHECK(strstr(error.message, "expected one at a time") != NULL);
    take_in(&first, 10, 0); /* who notices nothing */
    save(&first);
    end(&first);
    CHECK_OK(begin(&second, &lines, NULL, NULL));
    assert_int_equal(second.state.position.records, 20);
    end(&second);
    clean_up();
}

/* As when another stream makes the folder, and this one takes its lock first. */
static int make_folder_again(const char *path, unsigned mode)
{
    int result = ink__posix.make_folder(path, mode);

    return result == -EEXIST ? 0 : result;
}

TEST(a_new_folder_that_another_was_faster_to_hold_keeps_its_lock)
{
    ink__system system = ink__posix;
    held        first, second;

    CHECK_OK(begin(&first, &lines, NULL, NULL));
    system.make_folder = make_folder_again;
    ink__system_replace(&system);
    for (unsigned i = 0; i < 2; i++)
        CHECK_FAILS(begin(&second, &lines, NULL, NULL), INK_IO, "another stream has this state");
    ink__system_replace(NULL);
    assert_int_equal(access(FOLDER "/lock", F_OK), 0);
    save(&first);
    end(&first);
    clean_up();
}

static int lock_what_was_removed(int file)
{
    UNLINK(FOLDER "/lock");
    return ink__posix.try_lock(file);
}

TEST(a_lock_that_was_removed_before_it_was_taken_is_refused)
{
    ink__system system = ink__posix;
    held        none;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    system.try_lock = lock_what_was_removed;
    ink__system_replace(&system);
    CHECK_FAILS(begin(&none, &lines, NULL, NULL), INK_IO, "removed its lock at this moment");
    ink__system_replace(NULL);
    assert_int_equal(rmdir(FOLDER), 0);
}

static int lock_what_was_replaced(int file)
{
    UNLINK(FOLDER "/lock");
    records_write(FOLDER "/lock", "another", 7);
    return ink__posix.try_lock(file);
}

TEST(a_lock_that_another_stream_made_anew_is_not_taken_for_ours)
{
    ink__system system = ink__posix;
    held        none;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    system.try_lock = lock_what_was_replaced;
    ink__system_replace(&system);
    CHECK_FAILS(begin(&none, &lines, NULL, NULL), INK_IO, "removed its lock at this moment");
    ink__system_replace(NULL);
    owned_bytes lock = records_read(FOLDER "/lock");
    CHECK(records_are(&lock, "another"));
    clean_up();
}

/* A lock of another process, with this text. */
static void check_locked_by(const char *text, const char *message)
{
    held second;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    records_write(FOLDER "/lock", text, strlen(text));
    int other = open(FOLDER "/lock", O_RDWR);
    CHECK(other >= 0 && flock(other, LOCK_EX) == 0);
    CHECK_FAILS(begin(&second, &lines, NULL, NULL), INK_IO, message);
    for (const char *at = error.message; *at != '\0'; at++)
        CHECK((unsigned char)*at >= ' ');
    owned_bytes lock = records_read(FOLDER "/lock");
    CHECK(records_are(&lock, text));
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
    char before[300];
    held first, second;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    memset(before, 'x', sizeof before);
    records_write(FOLDER "/lock", before, sizeof before);
    CHECK_OK(begin(&first, &lines, NULL, NULL));
    CHECK_FAILS(begin(&second, &lines, NULL, NULL), INK_IO, "process ");
    CHECK(strchr(error.message, 'x') == NULL || strstr(error.message, "xx") == NULL);
    end(&first);
    clean_up();
}

TEST(what_a_killed_process_left_is_removed_and_nothing_else)
{
    static const char *const left[] = {FILE_PATH ".tmp.4711.0", FILE_PATH ".tmp.4711.3"};
    static const char *const others[] = {FILE_PATH ".tmp.4712.0", FOLDER "/more"};
    held                     next;

    make_state(&usual, 10);
    owned_bytes saved = records_read(FILE_PATH);
    records_write(FOLDER "/lock", "process 4711 on here\n", 21);
    for (size_t i = 0; i < 2; i++) {
        records_write(left[i], "half", 4);
        records_write(others[i], "x", 1);
    }
    CHECK_OK(begin(&next, &lines, NULL, NULL));
    for (size_t i = 0; i < 2; i++)
        CHECK(access(left[i], F_OK) != 0 && unlink(others[i]) == 0);
    CHECK(records_unchanged(FILE_PATH, &saved) && next.state.found);
    end(&next);
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
    held                     next;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(mkdir(FOLDER, 0700), 0);
        records_write(FOLDER "/lock", texts[i], strlen(texts[i]));
        records_write(FILE_PATH ".tmp..0", "x", 1);
        CHECK_OK(begin(&next, &lines, NULL, NULL));
        end(&next);
        assert_int_equal(unlink(FILE_PATH ".tmp..0"), 0);
        clean_up();
    }
}

/* ---- Saving and loading ------------------------------------------------------------------- */

/* A state that is saved once and one that is saved and loaded again and again are the same. */
static void check_parts(const ink_stream_options *options, unsigned rounds, int64_t when)
{
    held whole, part;

    CHECK_OK(begin(&whole, &lines, options, NULL));
    for (unsigned i = 0; i < rounds; i++)
        take_in(&whole, 37, when + 11 * (int64_t)i);
    save(&whole);
    end(&whole);
    owned_bytes expected = records_read(FILE_PATH);
    clean_up();
    for (unsigned i = 0; i < rounds; i++) {
        CHECK_OK(begin(&part, &lines, options, NULL));
        assert_int_equal(part.state.found, i > 0);
        assert_int_equal(part.state.position.records, i * 37);
        CHECK(part.sketches.started == (i > 0 && options->window_microseconds != 0));
        take_in(&part, 37, when + 11 * (int64_t)i);
        save(&part);
        end(&part);
    }
    CHECK(records_unchanged(FILE_PATH, &expected));
    clean_up();
}

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

    check_parts(&(ink_stream_options){.kinds = kinds, .kind_count = 8}, 20, 0);
}

TEST(windows_too)
{
    static const ink_params  kinds[] = {{.kind = "bloom", .expected_keys = 500},
                                        {.kind = "scalable", .expected_keys = 64},
                                        {.kind = "top"},
                                        {.kind = "count-min", .width = 16, .depth = 2}};
    const ink_stream_options options = {
        .kinds = kinds, .kind_count = 4, .window_microseconds = 40, .slots = 4};

    check_parts(&options, 9, -45);
}

/* ---- What does not fit -------------------------------------------------------------------- */

static void check_misfit(const ink_stream_options *options, const ink_reading *reading,
                         const char *text)
{
    owned_bytes saved = records_read(FILE_PATH);
    held        other;

    CHECK_FAILS(begin(&other, reading, options, NULL), INK_MISMATCH, text);
    CHECK(strstr(error.message, "expected") != NULL);
    CHECK(records_unchanged(FILE_PATH, &saved));
}

TEST(each_parameter_of_a_sketch_that_differs_is_named)
{
    static const uint8_t secret[INK_SECRET_BYTES] = "a secret key 16",
                         other[16] = "another 16 byte";
#define C(w, d) .width = (w), .depth = (d)
    static const struct {
        const char *kind;
        ink_params  there, here;
        const char *text;
    } pairs[] = {
        {"bloom", {.expected_keys = 1000}, {.expected_keys = 999}, "keys"},
        {"bloom",
         {.expected_keys = 1000},
         {.expected_keys = 1000, .false_positive_rate = 0.02},
         "target rate 0.01, and 0.02 was asked for"},
        {"bloom", {.bits = 8192}, {.bits = 16384}, "bits 8192"},
        {"classic", {.bits = 8192, .hashes = 3}, {.bits = 8192, .hashes = 4}, "hashes 3"},
        {"counting", {.expected_keys = 1000}, {.expected_keys = 2000}, "keys"},
        {"scalable", {0}, {.expected_keys = 1000}, "keys"},
        {"scalable", {.ratio = 0.5}, {.ratio = 0.75}, "ratio 0.5"},
        {"scalable", {0}, {.false_positive_rate = 0.001}, "rate"},
        {"count-min", {C(16, 3)}, {C(17, 3)}, "width 16, and 17"},
        {"count-min", {C(16, 3)}, {C(16, 4)}, "depth 3"},
        {"count-min", {C(16, 3)}, {C(16, 3), .counter_bits = 64}, "counter bits 32"},
        {"count-min", {C(16, 3)}, {C(16, 3), .conservative = true}, "conservative"},
        {"top", {0}, {.top_keys = 100}, "capacity 1024"},
        {"fm", {0}, {.depth = 5}, "depth 9"},
        {"hll", {0}, {.precision = 12}, "precision 14, and 12"},
        {"hll", {0}, {.hash = "xxh64"}, "hashed by xxh3"},
        {"hll", {0}, {.seed = 5, .has_seed = true}, "seed"},
        {"hll", {.secret = secret}, {0}, "expected the same"},
        {"hll", {0}, {.secret = secret}, "expected the same"},
        {"hll", {.secret = secret}, {.secret = other}, "secret"},
    };
#undef C

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        ink_params there = pairs[i].there, here = pairs[i].here;
        there.kind = here.kind = pairs[i].kind;
        const ink_stream_options made = of_kinds(&there, 1), asked = of_kinds(&here, 1);
        make_state(&made, 10);
        check_misfit(&asked, &lines, pairs[i].text);
        make_state(&made, 10); /* it still fits */
        clean_up();
    }
}

TEST(a_kind_too_many_or_too_few_or_another_is_named)
{
    static const ink_params three[] = {
        {.kind = "hll"}, {.kind = "bloom", .expected_keys = 1000}, {.kind = "top"}};
    const ink_stream_options many = of_kinds(three, 3), few = of_kinds(three, 1),
                             other = of_kinds(three + 2, 1), swapped = of_kinds(three, 2);
    held again;

    make_state(&usual, 10);
    check_misfit(&many, &lines, "holds no top");
    check_misfit(&few, &lines, "holds a bloom");
    check_misfit(&other, &lines, "holds a bloom");
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

    make_state(&usual, 10);
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++)
        check_misfit(&usual, &readings[i], "read in another way");
    check_misfit(&usual, &ints, "keys that are bytes, expected ints; use the same key_type");
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
    ink_stream_options options = usual, window = usual;

    window.window_microseconds = 40000000;
    window.slots = 4;
    make_state(&window, 10);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        options.window_microseconds = others[i].seconds * 1000000;
        options.slots = others[i].slots;
        check_misfit(&options, &lines, others[i].text);
    }
    unlink(FILE_PATH);
    make_state(&usual, 10);
    check_misfit(&window, &lines,
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
    CHECK_OK(ink_contents_save(FILE_PATH, &contents, &error));
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
        .id = (number), .data = (const uint8_t *)(text), .bytes = sizeof(text)                     \
    }

TEST(files_that_are_no_state_of_a_stream_are_refused)
{
    const ink_section good[] = {SECTION(INK_SECTION_INPUT_SPEC, input_spec),
                                SECTION(INK_SECTION_POSITION, position)};
    const ink_section spark[] = {good[0], SECTION(INK_SECTION_POSITION, sparks)};
    const ink_section cut[] = {
        good[0], {.id = INK_SECTION_POSITION, .data = (const uint8_t *)position, .bytes = 30}};
    const ink_label none = {0}, group = ink_group("g"), slot = {.has_slot = true};
    const struct {
        const ink_section *sections;
        size_t             count;
        const ink_label   *label;
        const char        *text;
    } misfits[] = {
        {good, 1, &none, "does not say how far"},
        {good + 1, 1, &none, "another way"},
        {spark, 2, &none, "a stream of \"spark\""},
        {good, 2, &group, "groups"},
        {good, 2, &slot, "of a window"},
    };
    held made;

    assert_int_equal(mkdir(FOLDER, 0700), 0);
    forge(good, 2, &none);
    CHECK_OK(begin(&made, &lines, NULL, NULL));
    end(&made);
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
        forge(misfits[i].sections, misfits[i].count, misfits[i].label);
        check_misfit(&usual, &lines, misfits[i].text);
    }
    forge(cut, 2, &none);
    CHECK_FAILS(begin(&made, &lines, NULL, NULL), INK_FORMAT, "position");
    clean_up();
}

TEST(a_damaged_state_is_refused_at_every_byte)
{
    held made;

    make_state(&usual, 100);
    owned_bytes saved = records_read(FILE_PATH);
    for (size_t at = 0; at < saved.count; at += saved.count / 97 + 1) {
        saved.bytes[at] ^= 0x10;
        records_write(FILE_PATH, saved.bytes, saved.count);
        CHECK_FAILS(begin(&made, &lines, NULL, NULL), INK_FORMAT, "");
        CHECK(records_unchanged(FILE_PATH, &saved));
        saved.bytes[at] ^= 0x10;
        records_write(FILE_PATH, saved.bytes, at);
        CHECK_FAILS(begin(&made, &lines, NULL, NULL), INK_FORMAT, "");
    }
    records_write(FILE_PATH, saved.bytes, saved.count);
    CHECK_OK(begin(&made, &lines, NULL, NULL));
    end(&made);
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
    held now;

    CHECK_OK(begin(&now, &lines, NULL, NULL));
    uint64_t batches = now.state.position.batches;
    end(&now);
    return batches;
}

TEST(whatever_call_fails_the_state_is_the_old_one_or_the_new_one)
{
    static const int errors[] = {EIO, ENOSPC, EACCES};
    unsigned         failed = 0;

    make_state(&usual, 100);
    for (unsigned nth = 1;; nth++) {
        uint64_t    before = batches_in();
        owned_bytes old = records_read(FILE_PATH);
        faults_system_begin(
            &(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = errors[nth % 3]});
        ink_status status = go_on(NULL, NULL);
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
            CHECK(last ? batches_in() == before + 1 : records_unchanged(FILE_PATH, &old));
        } else
            assert_int_equal(batches_in(), before + 1);
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
    for (unsigned nth = 1;; nth++) {
        faults_system_begin(&(faults_plan){.call = FAULTS_WRITE, .nth = nth, .os_error = ENOSPC});
        ink_status status = go_on(NULL, NULL);
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
    make_state(&usual, 100);
    for (unsigned i = 0; i < 2; i++) {
        faults_system_begin(&(faults_plan){.interrupt = i == 0, .transfer_bytes = i == 0 ? 0 : 7});
        CHECK_OK(go_on(NULL, NULL));
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(batches_in(), 2 + i);
    }
    clean_up();
}

TEST(without_memory_the_state_is_the_old_one)
{
    static const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 1000},
                                       {.kind = "top"},
                                       {.kind = "scalable", .expected_keys = 10}};
    ink_stream_options      options = of_kinds(kinds, 3);

    for (unsigned round = 0; round < 2; round++) { /* without a window, and with one */
        CHECK_OK(go_on(&options, NULL));
        for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
            owned_bytes   old = records_read(FILE_PATH);
            ink_allocator allocator = faults_allocator(&memory);
            ink_status    status = go_on(&options, &allocator);
            CHECK(status == INK_OK || (memory.refused > 0 && status == INK_MEMORY));
            CHECK(records_unchanged(FILE_PATH, &old) == (status != INK_OK));
            assert_int_equal(records_names_in(FOLDER), 2);
            CHECK(memory.refuse_at < 1000);
        }
        clean_up();
        options.window_microseconds = 40;
        options.slots = 4;
    }
}

RUN_TESTS()
