/* files_test.c - a file is read whole or not at all, and replaced whole or not at all, whichever
 * call the system refuses, interrupts or does by halves. */
#define _DEFAULT_SOURCE 1
#include "base/files.h"
#include "base/status.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the case that runs. */
static ink_error        error;
static ink__input       input;
static ink__replacement replacement;
static ink__system      table; /* the system's, but for one call */

#define REPLACE(call, stand_in)                                                                    \
    do {                                                                                           \
        table = ink__posix;                                                                        \
        table.call = (stand_in);                                                                   \
        ink__system_replace(&table);                                                               \
    } while (0)

/* What a path is, with these numbers added. */
static ink__stat added;

static int stat_other(const char *path, ink__stat *stat)
{
    int result = ink__posix.stat_path(path, stat);

    stat->modified += added.modified;
    stat->changed += added.changed;
    stat->number += added.number;
    stat->owner += added.owner;
    stat->group += added.group;
    return result;
}

/* ---- Set up and look ---------------------------------------------------------------------- */

static void make_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void check_file(const char *path, const char *text)
{
    char   found[200];
    FILE  *file = fopen(path, "rb");
    size_t count;

    assert_non_null(file);
    count = fread(found, 1, sizeof found - 1, file);
    found[count] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, text);
}

static unsigned mode_of(const char *path)
{
    struct stat found;

    assert_int_equal(stat(path, &found), 0);
    return (unsigned)found.st_mode & 07777u;
}

/* Removes what a test made, and sees that nothing else is there. */
static void remove_all(const char *path)
{
    if (path != NULL)
        assert_int_equal(unlink(path), 0);
    assert_int_equal(faults_names_here(), 0);
}

/* Begins to replace `path`, with memory of the heap. */
static ink_status begin(const char *path)
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);

    return ink__replacement_begin(&replacement, path, &heap, &error);
}

/* After each case: the system is as it was, every file is closed, and only what the case made is
 * there. */
static int clean_up(void **state)
{
    faults_system_end();
    assert_int_equal(faults_open_files(), 0);
    unlink("x");
    unlink("fifo");
    assert_int_equal(faults_names_here(), 0);
    return 0;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static const char content[] = "the bee, the ant and the cat";
enum { CONTENT_BYTES = sizeof content - 1 };

/* Opens "x", reads all of it and closes it. */
static ink_status read_whole(char *text)
{
    INK__TRY(ink__input_open(&input, "x", &error));
    assert_int_equal(input.bytes, CONTENT_BYTES);
    ink_status status = ink__input_read(&input, (uint8_t *)text, input.bytes, &error);
    ink__input_close(&input);
    assert_int_equal(input.file, -1);
    return status;
}

TEST(a_file_is_read_in_one_piece_or_in_several)
{
    char text[CONTENT_BYTES];

    make_file("x", content, 0600);
    CHECK_OK(read_whole(text));
    assert_memory_equal(text, content, CONTENT_BYTES);

    memset(text, 0, sizeof text);
    CHECK_OK(ink__input_open(&input, "x", &error));
    CHECK_OK(ink__input_read(&input, (uint8_t *)text, 8, &error));
    CHECK_OK(ink__input_read(&input, (uint8_t *)text, 0, &error));
    CHECK_OK(ink__input_read(&input, (uint8_t *)text + 8, CONTENT_BYTES - 8, &error));
    assert_memory_equal(text, content, CONTENT_BYTES);
    ink__input_close(&input);
}

TEST(interrupted_and_short_reads_go_on)
{
    char text[CONTENT_BYTES];

    make_file("x", content, 0600);
    faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = 1});
    CHECK_OK(read_whole(text));
    assert_memory_equal(text, content, CONTENT_BYTES);
    assert_int_equal(faults_calls(FAULTS_OPEN), 2);                 /* interrupted once */
    assert_int_equal(faults_calls(FAULTS_READ), 2 * CONTENT_BYTES); /* before each byte */
}

TEST(each_call_of_reading_can_fail)
{
    static const struct {
        faults_call call;
        const char *message;
    } steps[] = {
        {FAULTS_OPEN, "cannot open: "},
        {FAULTS_STAT_FILE, "cannot stat: "},
        {FAULTS_READ, "cannot read: "},
    };
    char text[CONTENT_BYTES];

    make_file("x", content, 0600);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        faults_system_begin(&(faults_plan){.call = steps[i].call, .nth = 1, .os_error = EIO});
        CHECK_FAILS(read_whole(text), INK_IO, steps[i].message);
        faults_system_end();
        assert_int_equal(error.os_error, EIO);
        assert_non_null(strstr(error.message, strerror(EIO)));
        assert_int_equal(faults_open_files(), 0);
    }
}

TEST(a_read_that_fails_in_the_middle_is_not_repeated)
{
    char text[CONTENT_BYTES];

    make_file("x", content, 0600);
    faults_system_begin(
        &(faults_plan){.call = FAULTS_READ, .nth = 5, .os_error = EIO, .transfer_bytes = 3});
    CHECK_FAILS(read_whole(text), INK_IO, "cannot read: ");
    assert_int_equal(faults_calls(FAULTS_READ), 5);
}

TEST(closing_after_reading_cannot_fail)
{
    char text[CONTENT_BYTES];

    make_file("x", content, 0600);
    faults_system_begin(&(faults_plan){.call = FAULTS_CLOSE, .nth = 1, .os_error = EIO});
    CHECK_OK(read_whole(text));
    assert_true(faults_struck());
}

TEST(a_file_that_became_shorter_is_refused)
{
    char text[CONTENT_BYTES];

    make_file("x", content, 0600);
    faults_system_begin(&(faults_plan){.ends_early = true});
    CHECK_FAILS(read_whole(text), INK_IO, "the file became shorter while it was read");
    assert_int_equal(error.os_error, 0);
}

TEST(a_missing_file_is_named_as_missing)
{
    CHECK_FAILS(ink__input_open(&input, "nowhere", &error), INK_IO, "cannot open: No such file");
    assert_int_equal(error.os_error, ENOENT);
}

TEST(a_folder_and_a_fifo_are_refused_without_waiting)
{
    assert_int_equal(mkfifo("fifo", 0600), 0);
    alarm(20); /* if it waits after all, the program dies of it */
    faults_system_begin(NULL);
    CHECK_FAILS(ink__input_open(&input, "fifo", &error), INK_FORMAT,
                "not a regular file, expected an .ink file");
    CHECK_FAILS(ink__input_open(&input, ".", &error), INK_FORMAT,
                "not a regular file, expected an .ink file");
    alarm(0);
}

TEST(a_file_is_mapped_whole)
{
    const uint8_t *bytes;

    make_file("x", content, 0600);
    faults_system_begin(NULL);
    CHECK_OK(ink__input_open(&input, "x", &error));
    CHECK_OK(ink__input_map(&input, &bytes, &error));
    ink__input_close(&input);
    assert_memory_equal(bytes, content, CONTENT_BYTES);
    assert_int_equal(faults_maps(), 1);
    ink__unmap(bytes, CONTENT_BYTES);
    assert_int_equal(faults_maps(), 0);
}

TEST(a_mapping_can_be_refused)
{
    const uint8_t *bytes;

    make_file("x", content, 0600);
    faults_system_begin(&(faults_plan){.call = FAULTS_MAP, .nth = 1, .os_error = ENOMEM});
    CHECK_OK(ink__input_open(&input, "x", &error));
    CHECK_FAILS(ink__input_map(&input, &bytes, &error), INK_IO, "cannot map: ");
    assert_int_equal(error.os_error, ENOMEM);
    ink__input_close(&input);
}

/* ---- Reading whatever can be read --------------------------------------------------------- */

/* Reads all that there is, a few bytes at a time. */
static size_t read_to_end(char *text, size_t room)
{
    size_t   used = 0;
    uint64_t count = 1;

    while (count > 0) {
        uint64_t some = room - used < 5 ? room - used : 5;
        CHECK_OK(ink__input_read_some(&input, (uint8_t *)text + used, some, &count, &error));
        CHECK(count <= some);
        used += count;
    }
    return used;
}

TEST(a_regular_file_reports_its_path_and_size)
{
    static const char path[] = "x";
    char              text[CONTENT_BYTES + 5];

    make_file("x", content, 0600);
    CHECK_OK(ink__input_open(&input, path, &error));
    CHECK(input.path == path && input.regular && !input.lent);
    ink__input_close(&input);
    faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = 2});
    CHECK_OK(ink__input_open_any(&input, path, &error));
    CHECK(input.path == path && input.regular && !input.lent);
    assert_int_equal(input.bytes, CONTENT_BYTES);
    assert_int_equal(read_to_end(text, sizeof text), CONTENT_BYTES);
    ink__input_close(&input);
    assert_memory_equal(text, content, CONTENT_BYTES);
}

/* Somebody who is late. */
static void *write_late(void *unused)
{
    usleep(30000);
    int file = open("fifo", O_WRONLY);
    if (file < 0 || write(file, content, CONTENT_BYTES) != CONTENT_BYTES)
        return NULL;
    close(file);
    return (void *)(uintptr_t)content;
}

TEST(a_fifo_waits_for_its_writer_and_is_read_to_its_end)
{
    char      text[CONTENT_BYTES + 5];
    pthread_t thread;
    void     *written;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    alarm(20); /* if it waits for ever, the program dies of it */
    assert_int_equal(pthread_create(&thread, NULL, write_late, NULL), 0);
    faults_system_begin(NULL);
    CHECK_OK(ink__input_open_any(&input, "fifo", &error));
    CHECK(!input.regular && !input.lent);
    assert_int_equal(read_to_end(text, sizeof text), CONTENT_BYTES);
    assert_int_equal(pthread_join(thread, &written), 0);
    alarm(0);
    assert_non_null(written);
    assert_memory_equal(text, content, CONTENT_BYTES);
    ink__input_close(&input);
}

TEST(standard_input_is_lent_and_stays_open)
{
    char text[CONTENT_BYTES + 5];

    make_file("x", content, 0600);
    assert_non_null(freopen("x", "rb", stdin));
    faults_system_begin(NULL);
    CHECK_OK(ink__input_open_any(&input, "-", &error));
    CHECK(input.lent && input.file == 0);
    assert_int_equal(read_to_end(text, sizeof text), CONTENT_BYTES);
    ink__input_close(&input);
    assert_int_equal(faults_calls(FAULTS_OPEN), 0);
    assert_int_equal(faults_calls(FAULTS_CLOSE), 0);
    faults_system_end();
    CHECK(fcntl(0, F_GETFD) >= 0);
    CHECK_FAILS(ink__input_open(&input, "-", &error), INK_IO, "cannot open"); /* a name here */
}

/* What each read of at least a byte gives: a byte, the end, and a byte that comes after it. */
static unsigned asked;

static long long read_beyond_an_end(int file, void *to, size_t bytes)
{
    return bytes > 0 && asked++ != 1 ? 1 : 0;
}

TEST(a_stream_ends_once_and_a_file_may_grow)
{
    uint8_t  byte;
    uint64_t count;

    REPLACE(read, read_beyond_an_end);
    for (unsigned regular = 0; regular < 2; regular++) {
        const uint64_t rooms[] = {0, 1, 0, 1, 1}, expected[] = {0, 1, 0, 0, regular};
        input = (ink__input){.file = 0, .regular = regular == 1};
        asked = 0;
        for (size_t i = 0; i < 5; i++) {
            CHECK_OK(ink__input_read_once(&input, &byte, rooms[i], &count, &error));
            assert_int_equal(count, expected[i]);
        }
    }
}

TEST(opening_anything_can_fail)
{
    CHECK_FAILS(ink__input_open_any(&input, "nowhere", &error), INK_IO, "cannot open");
    assert_int_equal(error.os_error, ENOENT);
    make_file("x", content, 0600);
    faults_system_begin(&(faults_plan){.call = FAULTS_STAT_FILE, .nth = 1, .os_error = EIO});
    CHECK_FAILS(ink__input_open_any(&input, "x", &error), INK_IO, "cannot stat");
}

TEST(what_is_mapped_or_unfinished_is_known_while_it_is)
{
    const uint8_t *bytes;

    make_file("x", content, 0600);
    CHECK_OK(ink__input_open(&input, "x", &error));
    CHECK_OK(ink__input_map(&input, &bytes, &error));
    ink__input_close(&input);
    assert_string_equal(ink__cleanup_path(bytes + CONTENT_BYTES - 1), "x");
    ink__unmap(bytes, CONTENT_BYTES);
    assert_null(ink__cleanup_path(bytes));

    for (int how = 0; how < 3; how++) { /* abandoned, committed, removed by a handler */
        CHECK_OK(begin("y"));
        assert_int_equal(faults_names_here(), 2);
        if (how == 0)
            ink__replacement_abandon(&replacement);
        else if (how == 1)
            CHECK_OK(ink__replacement_commit(&replacement, &error));
        ink__cleanup_remove();
        assert_int_equal(faults_names_here(), how == 1 ? 2 : 1);
        if (how == 2)
            ink__replacement_abandon(&replacement);
        if (how == 1)
            assert_int_equal(unlink("y"), 0);
        faults_system_begin(NULL);
        ink__cleanup_remove(); /* whatever came of it, it is forgotten */
        faults_system_end();
        assert_int_equal(faults_calls(FAULTS_UNLINK), 0);
    }
}

/* ---- Replacing ---------------------------------------------------------------------------- */

static const char fresh[] = "fresh content, longer than before";

/* Replaces `path` with fresh content, in two pieces; sees that no memory and no file stays open. */
static ink_status replace(const char *path)
{
    faults_memory  memory = {0};
    ink_allocator  allocator = faults_allocator(&memory);
    const uint8_t *bytes = (const uint8_t *)fresh;
    ink_status     status = ink__replacement_begin(&replacement, path, &allocator, &error);

    if (status == INK_OK) {
        status = ink__replacement_write(&replacement, bytes, 5, &error);
        if (status == INK_OK)
            status = ink__replacement_write(&replacement, bytes + 5, sizeof fresh - 1 - 5, &error);
        if (status == INK_OK)
            status = ink__replacement_commit(&replacement, &error);
        else
            ink__replacement_abandon(&replacement);
    }
    faults_check_no_leak(&memory);
    return status;
}

/* What a signal does that comes when a file was just opened. */
static int open_and_interrupt(const char *path, ink__open_how how, unsigned mode)
{
    int file = ink__posix.open(path, how, mode);

    ink__cleanup_remove();
    return file;
}

TEST(a_signal_right_after_the_making_of_a_temporary_file_removes_it)
{
    REPLACE(open, open_and_interrupt);
    ink_status status = begin("x");
    ink__system_replace(NULL);
    CHECK(status == INK_OK);
    assert_int_equal(faults_names_here(), 0);
    ink__replacement_abandon(&replacement);
}

TEST(a_new_file_is_made_with_the_mode_that_the_umask_leaves)
{
    mode_t before = umask(026);

    CHECK_OK(replace("x"));
    umask(before);
    check_file("x", fresh);
    assert_int_equal(mode_of("x"), 0640);
}

TEST(an_existing_file_is_replaced_and_keeps_its_mode)
{
    static const mode_t modes[] = {0600, 0644, 0664, 0777, 0400, 0666};
    mode_t              before = umask(077); /* would take most bits away */

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        make_file("x", "old", modes[i]);
        CHECK_OK(replace("x"));
        check_file("x", fresh);
        assert_int_equal(mode_of("x"), modes[i]);
        remove_all("x");
    }
    umask(before);
}

TEST(only_the_permissions_of_the_old_mode_are_kept)
{
    make_file("x", "old", 04755); /* a program that runs as its owner: our bytes shall not */
    CHECK_OK(replace("x"));
    assert_int_equal(mode_of("x"), 0755);
}

TEST(a_file_of_no_bytes_can_be_made)
{
    CHECK_OK(begin("x"));
    CHECK_OK(ink__replacement_write(&replacement, NULL, 0, &error));
    CHECK_OK(ink__replacement_commit(&replacement, &error));
    check_file("x", "");
}

TEST(until_it_is_committed_the_old_file_is_as_it_was)
{
    make_file("x", "old", 0600);
    CHECK_OK(begin("x"));
    check_file("x", "old");
    CHECK_OK(ink__replacement_write(&replacement, (const uint8_t *)"new", 3, &error));
    check_file("x", "old");
    assert_int_equal(faults_names_here(), 2);
    CHECK_OK(ink__replacement_commit(&replacement, &error));
    check_file("x", "new");
}

TEST(an_abandoned_replacement_leaves_no_trace)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);

    make_file("x", "old", 0600);
    faults_system_begin(NULL);
    CHECK_OK(ink__replacement_begin(&replacement, "x", &allocator, &error));
    CHECK_OK(ink__replacement_write(&replacement, (const uint8_t *)"new", 3, &error));
    ink__replacement_abandon(&replacement);
    faults_check_no_leak(&memory);
    check_file("x", "old");
}

TEST(interrupted_and_short_writes_go_on)
{
    make_file("x", "old", 0600);
    faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = 1});
    CHECK_OK(replace("x"));
    assert_int_equal(faults_calls(FAULTS_WRITE), 2 * (sizeof fresh - 1)); /* before each byte */
    assert_int_equal(faults_calls(FAULTS_SYNC), 4); /* file and folder, each twice */
    check_file("x", fresh);
}

TEST(a_close_that_was_interrupted_has_closed)
{
    faults_system_begin(&(faults_plan){.call = FAULTS_CLOSE, .nth = 1, .os_error = EINTR});
    CHECK_OK(replace("x"));
    assert_true(faults_struck());
    check_file("x", fresh);
}

/* Each call that can fail, with the words for it. What comes after the rename has replaced the file
 * already. */
static const struct {
    faults_call call;
    unsigned    nth;
    bool        in_place;
    const char *message;
} steps[] = {
    {FAULTS_STAT_LINK, 1, false, "cannot stat: "},
    {FAULTS_STAT_PATH, 1, false, "cannot stat: "},
    {FAULTS_OPEN, 1, false, "cannot make a temporary file in its folder: "},
    {FAULTS_STAT_FILE, 1, false, "cannot set the owner of the temporary file: "},
    {FAULTS_SET_MODE, 1, false, "cannot set the mode of the temporary file: "},
    {FAULTS_WRITE, 1, false, "cannot write: "},
    {FAULTS_WRITE, 2, false, "cannot write: "},
    {FAULTS_SYNC, 1, false, "cannot sync: "},
    {FAULTS_CLOSE, 1, false, "cannot close: "},
    {FAULTS_RENAME, 1, false, "cannot rename the temporary file: "},
    {FAULTS_OPEN, 2, true, "the file is in place, but its folder cannot be synced: "},
    {FAULTS_SYNC, 2, true, "the file is in place, but its folder cannot be synced: "},
};
enum { STEPS = sizeof steps / sizeof steps[0] };

TEST(each_call_can_fail_and_the_file_is_whole_all_the_same)
{
    static const int os_errors[] = {EIO, ENOSPC, EDQUOT, EACCES};

    for (size_t e = 0; e < sizeof os_errors / sizeof os_errors[0]; e++)
        for (size_t i = 0; i < STEPS; i++) {
            make_file("x", "old", 0640);
            faults_system_begin(&(faults_plan){
                .call = steps[i].call, .nth = steps[i].nth, .os_error = os_errors[e]});
            CHECK_FAILS(replace("x"), INK_IO, steps[i].message);
            faults_system_end();
            assert_true(faults_struck());
            assert_int_equal(error.os_error, os_errors[e]);
            assert_int_equal(error.location, INK_NOWHERE);
            assert_int_equal(faults_open_files(), 0);
            check_file("x", steps[i].in_place ? fresh : "old");
            assert_int_equal(mode_of("x"), 0640);
            remove_all("x"); /* and no temporary file */
        }
}

TEST(a_file_that_was_not_there_is_not_there_after_a_failure)
{
    for (size_t i = 0; i < STEPS; i++) {
        if (steps[i].call == FAULTS_SET_MODE || steps[i].call == FAULTS_STAT_FILE)
            continue; /* there is no old mode to set, and no owner */
        faults_system_begin(
            &(faults_plan){.call = steps[i].call, .nth = steps[i].nth, .os_error = EIO});
        CHECK_FAILS(replace("x"), INK_IO, steps[i].message);
        faults_system_end();
        assert_true(faults_struck());
        assert_int_equal(faults_open_files(), 0);
        remove_all(steps[i].in_place ? "x" : NULL);
    }
}

TEST(whichever_call_fails_first_the_file_is_old_or_new)
{
    unsigned nth = 1;

    for (bool struck = true; struck; nth++) {
        make_file("x", "old", 0600);
        faults_system_begin(
            &(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO, .transfer_bytes = 9});
        ink_status status = replace("x");
        faults_system_end();
        struck = faults_struck();
        assert_int_equal(faults_open_files(), 0);
        if (status == INK_OK)
            check_file("x", fresh); /* nothing failed, or only the close of the folder */
        else
            check_file("x", strstr(error.message, "in place") != NULL ? fresh : "old");
        remove_all("x");
    }
    assert_true(nth > 12); /* stat, open, mode, 5 writes, sync, close, rename, open, sync, close */
}

TEST(a_sync_that_failed_is_not_tried_again)
{
    faults_system_begin(&(faults_plan){.call = FAULTS_SYNC, .nth = 1, .os_error = EIO});
    CHECK_FAILS(replace("x"), INK_IO, "cannot sync: ");
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_SYNC), 1);
    assert_int_equal(faults_calls(FAULTS_RENAME), 0);
    remove_all(NULL);
}

TEST(a_refused_name_buffer_is_a_failure_of_memory)
{
    faults_memory memory = {.refuse_at = 1};
    ink_allocator allocator = faults_allocator(&memory);

    faults_system_begin(NULL);
    CHECK_FAILS(ink__replacement_begin(&replacement, "x", &allocator, &error), INK_MEMORY,
                "no memory for");
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_OPEN), 0);
    faults_check_no_leak(&memory);
    remove_all(NULL);
}

TEST(names_left_behind_by_the_dead_are_no_obstacle_and_stay)
{
    char name[40];

    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "x.tmp.4711.%d", i);
        make_file(name, "stale", 0600);
    }
    faults_system_begin(&(faults_plan){.process_id = 4711});
    CHECK_OK(replace("x"));
    assert_int_equal(faults_calls(FAULTS_OPEN), 5); /* three taken, one free, and the folder */
    check_file("x", fresh);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "x.tmp.4711.%d", i);
        check_file(name, "stale"); /* of an unknown process */
        assert_int_equal(unlink(name), 0);
    }
}

TEST(after_a_million_names_it_gives_up)
{
    faults_system_begin(
        &(faults_plan){.call = FAULTS_OPEN, .nth = 1, .and_after = true, .os_error = EEXIST});
    CHECK_FAILS(replace("x"), INK_IO, "cannot make a temporary file in its folder: ");
    faults_system_end();
    assert_int_equal(error.os_error, EEXIST);
    assert_int_equal(faults_calls(FAULTS_OPEN), 1 << 20);
    remove_all(NULL);
}

TEST(the_longest_process_number_fits_the_name)
{
    faults_system_begin(&(faults_plan){.process_id = INT64_MIN});
    CHECK_OK(begin("x"));
    assert_string_equal(replacement.temporary, "x.tmp.-9223372036854775808.0");
    assert_true(replacement.temporary_bytes > strlen("x.tmp.-9223372036854775808.99"));
    ink__replacement_abandon(&replacement);
    remove_all(NULL);
}

TEST(a_folder_and_a_fifo_are_not_replaced)
{
    struct stat found;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    alarm(20); /* if it waits after all, the program dies of it */
    faults_system_begin(NULL);
    CHECK_FAILS(replace("fifo"), INK_USAGE,
                "not a regular file, expected a file to replace or a new name");
    CHECK_FAILS(replace("folder"), INK_USAGE, "not a regular file, expected");
    CHECK_FAILS(replace("."), INK_USAGE, "not a regular file, expected");
    alarm(0);
    assert_int_equal(faults_calls(FAULTS_OPEN), 0);
    assert_int_equal(stat("fifo", &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    assert_int_equal(rmdir("folder"), 0);
}

TEST(a_folder_that_is_missing_is_named)
{
    CHECK_FAILS(replace("no/such/x"), INK_IO,
                "cannot make a temporary file in its folder: No such file");
    assert_int_equal(error.os_error, ENOENT);
    remove_all(NULL);
}

TEST(the_temporary_file_and_the_sync_are_in_the_folder_of_the_path)
{
    static const char *const folders[] = {"inner", "inner/deeper"};
    char                     path[60], expected[60];

    assert_int_equal(mkdir("inner", 0700), 0);
    assert_int_equal(mkdir("inner/deeper", 0700), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/x", folders[i]);
        snprintf(expected, sizeof expected, "%s/", folders[i]);
        faults_system_begin(NULL);
        CHECK_OK(replace(path));
        faults_system_end();
        assert_string_equal(faults_last_opened(), expected);
        check_file(path, fresh);
        assert_int_equal(faults_names_here(), 1);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir("inner/deeper"), 0);
    assert_int_equal(rmdir("inner"), 0);
    remove_all(NULL);
}

/* ---- Names that are taken, and links ------------------------------------------------------ */

static int lacking_errno = EINVAL; /* of a file system that lacks a call */

static int lacks_rename(const char *from, const char *to)
{
    return -lacking_errno;
}

static int lacks_link(const char *from, const char *to)
{
    return -lacking_errno;
}

TEST(a_new_file_replaces_none_that_is_there_or_appears_meanwhile)
{
    static const char   message[] = "already exists, expected a new name or overwrite";
    static const int    reasons[] = {EINVAL, EPERM, ENOSYS, EOPNOTSUPP};
    const ink_allocator heap = ink__allocator_or_heap(NULL);

    for (int i = 0; i < 12; i++) {
        const int   lacking = i % 3;
        ink__system system = ink__posix;
        lacking_errno = reasons[i / 3];
        if (lacking >= 1)
            system.rename_new = lacks_rename;
        if (lacking >= 2)
            system.link = lacks_link;
        ink__system_replace(&system);
        for (int appears = 0; appears < 2; appears++) {
            CHECK_OK(ink__replacement_begin_new(&replacement, "x", &heap, &error));
            CHECK_OK(ink__replacement_write(&replacement, (const uint8_t *)"new", 3, &error));
            if (appears) {
                make_file("x", "old", 0600);
                CHECK_FAILS(ink__replacement_commit(&replacement, &error), INK_USAGE, message);
                CHECK_FAILS(ink__replacement_begin_new(&replacement, "x", &heap, &error), INK_USAGE,
                            message);
            } else {
                CHECK_OK(ink__replacement_commit(&replacement, &error));
            }
            check_file("x", appears ? "old" : "new");
            remove_all("x");
        }
        ink__system_replace(NULL);
    }
}

static int refuse_stat(const char *path, ink__stat *stat)
{
    return -EIO;
}

static bool refuses; /* the next removal */

static int refuse_one_unlink(const char *path)
{
    const bool refused = refuses;

    refuses = false;
    return refused ? -EIO : ink__posix.unlink(path);
}

static int find_taken(const char *from, const char *to)
{
    return -EEXIST;
}

/* On a file system without the call that renames to a free name alone. */
TEST(a_new_file_that_cannot_be_given_its_name_is_not_there)
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);

    for (int looks = 0; looks < 2; looks++) { /* by a second name, or after a look at the name */
        ink__system system = ink__posix;
        system.rename_new = lacks_rename;
        if (looks) {
            system.link = lacks_link;
            system.stat_path = refuse_stat;
        } else
            system.unlink = refuse_one_unlink;
        refuses = true;
        CHECK_OK(ink__replacement_begin_new(&replacement, "x", &heap, &error));
        ink__system_replace(&system);
        CHECK_FAILS(ink__replacement_commit(&replacement, &error), INK_IO,
                    "cannot rename the temporary file");
        ink__system_replace(NULL);
        assert_int_equal(error.os_error, EIO);
        remove_all(NULL);
    }
}

/* Only a new file is refused for what is there. */
TEST(a_replacement_that_finds_its_name_taken_reports_the_rename)
{
    make_file("x", "old", 0600);
    CHECK_OK(begin("x"));
    REPLACE(rename, find_taken);
    CHECK_FAILS(ink__replacement_commit(&replacement, &error), INK_IO,
                "cannot rename the temporary file");
    ink__system_replace(NULL);
    remove_all("x");
}

static unsigned folder_mode, folder_owner;

static int stat_of_folder(const char *path, ink__stat *stat)
{
    int result = ink__posix.stat_path(path, stat);

    stat->owner += folder_owner;
    stat->mode = folder_mode;
    return result;
}

static unsigned another_user(void)
{
    return ink__posix.user() + 1;
}

TEST(a_symbolic_link_stays_and_its_target_is_written)
{
    static const struct {
        const char *link, *to, *file; /* NULL: it is refused */
    } cases[] = {
        {"x", "y", "y"},  {"x", "inner/y", "inner/y"}, {"inner/x", "y", "inner/y"},
        {"x", "x", NULL}, {"x", "nowhere/y", NULL},
    };

    assert_int_equal(mkdir("inner", 0700), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int exists = 0; exists < 2; exists++) {
            const char *file = cases[i].file;
            assert_int_equal(symlink(cases[i].to, cases[i].link), 0);
            if (file == NULL) {
                CHECK_FAILS(replace(cases[i].link), INK_IO,
                            i == 3 ? "cannot follow" : "its folder");
            } else {
                if (exists)
                    make_file(file, "old", 0640);
                CHECK_OK(replace(cases[i].link));
                check_file(file, fresh);
                CHECK(!exists || mode_of(file) == 0640);
                assert_int_equal(unlink(file), 0);
            }
            assert_int_equal(unlink(cases[i].link), 0); /* was still there */
        }
    assert_int_equal(rmdir("inner"), 0);
}

TEST(a_link_that_another_user_may_have_planted_is_refused)
{
    static const struct {
        unsigned mode, owner; /* of the folder; owner: added to that of the link */
        bool     ours, refused;
    } cases[] = {
        {01777, 1, false, true}, {01777, 1, true, false},  {01777, 0, false, false},
        {0777, 1, false, false}, {01755, 1, false, false},
    };

    assert_int_equal(symlink("y", "x"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ink__system system = ink__posix;
        folder_mode = cases[i].mode;
        folder_owner = cases[i].owner;
        system.stat_path = stat_of_folder;
        system.user = cases[i].ours ? ink__posix.user : another_user;
        ink__system_replace(&system);
        if (cases[i].refused)
            CHECK_FAILS(replace("x"), INK_IO, "a symbolic link of another user in a folder that");
        else
            CHECK_OK(replace("x"));
        ink__system_replace(NULL);
    }
    assert_int_equal(unlink("y"), 0);
    remove_all("x");
}

static int read_long_link(const char *path, char *to, size_t bytes)
{
    memset(to, 'y', bytes);
    return INK__PATH_BYTES - (int)strlen("./");
}

TEST(links_are_followed_however_many_and_wherever_they_lead)
{
    char from[16], to[INK__PATH_BYTES];

    for (int i = 0; i < 10; i++) {
        snprintf(from, sizeof from, "l%d", i);
        snprintf(to, sizeof to, i < 9 ? "l%d" : "inner/l%d", i + 1);
        assert_int_equal(symlink(to, from), 0);
    }
    assert_int_equal(mkdir("inner", 0700), 0);
    assert_non_null(getcwd(to, sizeof to - 8));
    assert_int_equal(symlink(strcat(to, "/y"), "inner/l10"), 0); /* an absolute path */
    CHECK_OK(replace("l0"));
    check_file("y", fresh);
    REPLACE(read_link, read_long_link);
    CHECK_FAILS(ink__path_target("./l0", to, &error), INK_IO, "cannot follow the symbolic link");
    ink__system_replace(NULL);
    for (int i = 0; i < 10; i++) {
        snprintf(from, sizeof from, "l%d", i);
        unlink(from);
    }
    unlink("inner/l10");
    rmdir("inner");
    remove_all("y");
}

/* 40, as the system does. */
TEST(as_many_links_are_followed_as_an_open_file_may_have)
{
    char from[16], to[INK__PATH_BYTES];

    make_file("l0", "x", 0600);
    for (int links = 1; links <= 42; links++) {
        snprintf(from, sizeof from, "l%d", links);
        snprintf(to, sizeof to, "l%d", links - 1);
        assert_int_equal(symlink(to, from), 0);
        struct stat found;
        ink_status  status = ink__path_target(from, to, &error);
        assert_int_equal(stat(from, &found) == 0, links <= 40);
        if (links <= 40) {
            CHECK_OK(status);
            assert_string_equal(to, "l0");
        } else
            CHECK(status == INK_IO && error.os_error == ELOOP);
    }
    for (int links = 0; links <= 42; links++) {
        snprintf(from, sizeof from, "l%d", links);
        unlink(from);
    }
}

TEST(a_path_has_at_most_the_bytes_that_the_system_takes)
{
    char path[INK__PATH_BYTES + 1], to[INK__PATH_BYTES];

    for (size_t i = 0; i < INK__PATH_BYTES; i++)
        path[i] = i % 2 == 0 ? '.' : '/';
    path[INK__PATH_BYTES] = '\0';
    CHECK_FAILS(ink__path_target(path, to, &error), INK_IO, "cannot open");
    assert_int_equal(error.os_error, ENAMETOOLONG);
    path[INK__PATH_BYTES - 1] = '\0';
    CHECK_OK(ink__path_target(path, to, &error));
    assert_string_equal(to, path);
}

/* A folder that was there may stand in one that nobody may read. */
TEST(a_new_folder_lasts_or_is_a_failure)
{
    const faults_plan plan = {.call = FAULTS_OPEN, .nth = 1, .os_error = EACCES};
    bool              made;

    for (int there = 0; there < 2; there++) {
        faults_system_begin(&plan);
        ink_status status = ink__folder_make("inner", &made, &error);
        faults_system_end();
        CHECK(made == (there == 0) && status == (there == 0 ? INK_IO : INK_OK));
    }
    rmdir("inner");
}

TEST(a_path_that_names_an_open_file_is_known)
{
    static const char *const given[] = {"-", "/dev/stdin", "/dev/fd/3", "/proc/self/fd/3"};
    static const char *const others[] = {"", "--", "./-", "x", "/dev/fd", "/dev/stdin2"};

    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        assert_true(ink__path_is_given(given[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(ink__path_is_given(others[i]));
}

/* ---- The order of the calls --------------------------------------------------------------- */

/* A system that does nothing but write down what it was asked. */
static char     transcript[2000];
static int      noted_file = 1000000;  /* the number of every file; no file of ours */
static int      noted_found = -ENOENT; /* what stat says */
static unsigned noted_mode;            /* with which the last file was made */

static void note(const char *what, const char *first, const char *second)
{
    size_t used = strlen(transcript);

    snprintf(transcript + used, sizeof transcript - used, "%s%s%s; ", what, first, second);
}

static int noted_open(const char *path, ink__open_how how, unsigned mode)
{
    if (how == INK__OPEN_NEW)
        noted_mode = mode;
    note(how == INK__OPEN_NEW      ? "make "
         : how == INK__OPEN_FOLDER ? "open folder "
                                   : "open ",
         path, "");
    return noted_file;
}

static int noted_close(int file)
{
    note("close", "", "");
    return 0;
}

static int noted_stat_path(const char *path, ink__stat *stat)
{
    note("stat ", path, "");
    *stat = (ink__stat){.bytes = 3, .mode = 0640, .owner = 7, .regular = true};
    return noted_found;
}

static int noted_stat_link(const char *path, ink__stat *stat)
{
    note("stat link ", path, "");
    *stat = (ink__stat){.regular = true};
    return noted_found;
}

static int noted_set_mode(int file, unsigned mode)
{
    note(mode == 0640 ? "mode 0640" : "another mode", "", "");
    return 0;
}

/* The new file is not yet the owner's. */
static int noted_stat_file(int file, ink__stat *stat)
{
    *stat = (ink__stat){.owner = 6, .regular = true};
    return 0;
}

static int noted_set_owner(int file, unsigned owner, unsigned group)
{
    note(owner == 7 && group == 0 ? "owner 7" : "another owner", "", "");
    return 0;
}

static long long noted_write(int file, const void *from, size_t bytes)
{
    note("write", "", "");
    return (long long)bytes;
}

static int noted_sync(int file)
{
    note("sync", "", "");
    return 0;
}

static int noted_rename(const char *from, const char *to)
{
    note("rename ", from, "");
    note("to ", to, "");
    return 0;
}

static long long noted_process_id(void)
{
    return 7;
}

static long long noted_thread_id(void)
{
    return 70;
}

static const ink__system noting = {
    .open = noted_open,
    .close = noted_close,
    .stat_path = noted_stat_path,
    .stat_link = noted_stat_link,
    .stat_file = noted_stat_file,
    .set_mode = noted_set_mode,
    .set_owner = noted_set_owner,
    .write = noted_write,
    .sync = noted_sync,
    .rename = noted_rename,
    .process_id = noted_process_id,
    .thread_id = noted_thread_id,
};

/* What is asked of the system to replace `path`. */
static void note_replacing(const char *path)
{
    transcript[0] = '\0';
    ink__system_replace(&noting);
    CHECK_OK(replace(path));
}

TEST(the_data_is_synced_before_the_rename_and_the_folder_after_it)
{
    note_replacing("x");
    assert_string_equal(transcript,
                        "stat link x; stat x; make x.tmp.7.0; write; write; sync; close; "
                        "rename x.tmp.7.0; to x; open folder .; sync; close; ");
}

TEST(the_temporary_file_is_never_more_open_than_the_old_one)
{
    noted_found = 0; /* a file with mode 0640 */
    note_replacing("x");
    noted_found = -ENOENT;
    assert_int_equal(noted_mode, 0640);
    assert_non_null(strstr(transcript, "make x.tmp.7.0; owner 7; mode 0640; write;"));
}

TEST(file_number_0_is_a_file_like_any_other)
{
    noted_file = 0; /* which a program gets that was started without standard input */
    note_replacing("x");
    noted_file = 1000000;
    assert_non_null(strstr(transcript, "sync; close; rename x.tmp.7.0; to x; open folder .; sync"));
}

TEST(the_name_of_a_file_is_whole_in_a_folder_with_a_long_path)
{
    char path[256], expected[300];

    memset(path, 'f', 220);
    strcpy(path + 220, "/x");
    snprintf(expected, sizeof expected, "make %s.tmp.7.0; ", path);
    note_replacing(path);
    assert_non_null(strstr(transcript, expected));
}

TEST(the_folder_of_a_file_at_the_root_is_the_root)
{
    note_replacing("/x");
    assert_non_null(strstr(transcript, "rename /x.tmp.7.0; to /x; open folder /; sync; close; "));
}

TEST(the_folder_of_a_path_is_synced_whether_or_not_the_path_ends_in_slashes)
{
    static const struct {
        const char *path, *folder;
    } known[] = {{"x", "."},          {"x/", "."},      {"x//", "."}, {"a/x", "a/"}, {"a/x/", "a/"},
                 {"a/b/x//", "a/b/"}, {"../x/", "../"}, {"/x", "/"},  {"/x/", "/"},  {"/", "/"}};
    char expected[60];

    ink__system_replace(&noting);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        transcript[0] = '\0';
        CHECK_OK(ink__path_sync(known[i].path, &error));
        snprintf(expected, sizeof expected, "open folder %s; sync; close; ", known[i].folder);
        assert_string_equal(transcript, expected);
    }
}

/* ---- Very large transfers ----------------------------------------------------------------- */

/* Linux moves at most 2 GiB at a time. A system that moves nothing, but wants no more than 1 GiB.
 */
static size_t   largest_transfer;
static unsigned transfers;

static long long counted_transfer(size_t bytes)
{
    if (bytes > largest_transfer)
        largest_transfer = bytes;
    transfers++;
    return (long long)bytes;
}

static long long counted_read(int file, void *to, size_t bytes)
{
    return counted_transfer(bytes);
}

static long long counted_write(int file, const void *from, size_t bytes)
{
    return counted_transfer(bytes);
}

TEST(large_files_are_moved_a_gibibyte_at_a_time)
{
    static const ink__system counting = {.read = counted_read, .write = counted_write};
    const size_t             gibibyte = (size_t)1 << 30, bytes = 2 * gibibyte + 5;
    /* Addresses without memory behind them: nobody touches them. */
    uint8_t *memory =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_true(memory != MAP_FAILED);
    input = (ink__input){.file = 0, .bytes = bytes};
    replacement = (ink__replacement){.file = 0};
    ink__system_replace(&counting);
    largest_transfer = transfers = 0;
    CHECK_OK(ink__input_read(&input, memory, bytes, &error));
    assert_int_equal(largest_transfer, gibibyte);
    assert_int_equal(transfers, 3);
    largest_transfer = transfers = 0;
    CHECK_OK(ink__replacement_write(&replacement, memory, bytes, &error));
    assert_int_equal(largest_transfer, gibibyte);
    assert_int_equal(transfers, 3);
    assert_int_equal(munmap(memory, bytes), 0);
}

static long long write_nothing(int file, const void *from, size_t bytes)
{
    return 0;
}

TEST(a_write_that_moves_nothing_is_a_failure_and_not_an_endless_loop)
{
    REPLACE(write, write_nothing);
    CHECK_OK(begin("x"));
    CHECK_FAILS(ink__replacement_write(&replacement, (const uint8_t *)"abc", 3, &error), INK_IO,
                "cannot write");
    ink__replacement_abandon(&replacement);
    remove_all(NULL);
}

static int huge_stat(int file, ink__stat *stat)
{
    int result = ink__posix.stat_file(file, stat);

    stat->bytes = UINT64_MAX;
    return result;
}

TEST(a_file_larger_than_memory_can_be_is_not_mapped)
{
    const uint8_t *bytes;

    make_file("x", "text", 0600);
    REPLACE(stat_file, huge_stat);
    CHECK_OK(ink__input_open(&input, "x", &error));
    CHECK_FAILS(ink__input_map(&input, &bytes, &error), INK_LIMIT, "too large to map here");
    ink__input_close(&input);
}

TEST(a_name_as_long_as_can_be_is_saved)
{
    char name[256];

    memset(name, 'n', 255);
    name[255] = '\0';
    CHECK_OK(replace(name));
    check_file(name, fresh);
    remove_all(name);
}

static int folder_refusal;

static int refuse_to_sync_folders(int file)
{
    ink__stat stat;

    return ink__posix.stat_file(file, &stat) == 0 && stat.regular ? ink__posix.sync(file)
                                                                  : folder_refusal;
}

TEST(a_folder_that_knows_no_sync_is_no_failure)
{
    static const int refusals[] = {-EINVAL, -ENOTSUP};

    REPLACE(sync, refuse_to_sync_folders);
    for (size_t i = 0; i < 2; i++) {
        folder_refusal = refusals[i];
        CHECK_OK(replace("x"));
    }
    folder_refusal = -EIO;
    CHECK_FAILS(replace("x"), INK_IO, "the file is in place, but its folder cannot be synced: ");
}

/* ---- Owners ------------------------------------------------------------------------------- */

/* A system in which the old file belongs to another, and that answers in this way when the new one
 * is to be given to that one; it is interrupted at first. */
static int      owner_result;
static unsigned owner_asked, owner_wanted, group_wanted;

static int answer_owner(int file, unsigned owner, unsigned group)
{
    owner_wanted = owner;
    group_wanted = group;
    return owner_asked++ == 0 ? -EINTR : owner_result;
}

static ink_status begin_for_another(int result)
{
    ink__system system = ink__posix;

    system.stat_path = stat_other;
    system.set_owner = answer_owner;
    owner_asked = 0;
    owner_result = result;
    ink__system_replace(&system);
    ink_status status = begin("x");
    ink__system_replace(NULL);
    return status;
}

TEST(the_new_file_gets_the_owner_and_group_of_the_old_one_where_it_can)
{
    const int refusals[] = {0, -EPERM, -EACCES, -EINVAL, -ENOSYS, -EOPNOTSUPP};

    make_file("x", "old", 0640);
    added = (ink__stat){.owner = 3, .group = 5};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        CHECK_OK(begin_for_another(refusals[i]));
        assert_int_equal(owner_asked, 2);
        assert_int_equal(owner_wanted, geteuid() + 3);
        assert_int_equal(group_wanted, getegid() + 5);
        assert_int_equal(replacement.disowned, refusals[i] != 0);
        ink__replacement_abandon(&replacement);
    }
    CHECK_FAILS(begin_for_another(-EIO), INK_IO, "cannot set the owner of the temporary file");
    assert_int_equal(error.os_error, EIO);
    check_file("x", "old");
    for (unsigned one = 0; one < 2; one++) {
        added = (ink__stat){.owner = one, .group = 1 - one};
        CHECK_OK(begin_for_another(0));
        assert_int_equal(owner_asked, 2);
        ink__replacement_abandon(&replacement);
    }
}

TEST(an_owner_who_is_the_same_is_not_set)
{
    make_file("x", "old", 0640);
    faults_system_begin(NULL);
    CHECK_OK(replace("x"));
    assert_int_equal(faults_calls(FAULTS_SET_OWNER), 0);
}

/* ---- Locking ------------------------------------------------------------------------------ */

/* What a second one finds who waits for the lock. */
static void *wait_for_lock(void *host)
{
    ink__input locked;
    ink_error  failure;

    if (ink__input_open_locked(&locked, "x", &failure) != INK_OK)
        return failure.os_error == ENOENT ? "gone" : "failed";
    uint64_t bytes = locked.bytes;
    ink__input_close(&locked);
    return bytes == 5 ? "new" : "old";
}

/* Waits until another process waits for the lock of this file: the lines of /proc/locks with an
 * arrow. */
static void await_waiting(void)
{
    char line[200], number[32];
    bool waiting = false;

    snprintf(number, sizeof number, ":%llu ", (unsigned long long)input.number);
    for (int i = 0; i < 2000 && !waiting; i++) {
        FILE *locks = fopen("/proc/locks", "r");
        if (locks == NULL)
            return; /* then it is tried without */
        while (!waiting && fgets(line, sizeof line, locks) != NULL)
            waiting = strstr(line, "->") != NULL && strstr(line, number) != NULL;
        fclose(locks);
        usleep(waiting ? 0 : 500);
    }
}

/* Changes the file while another one waits; what that one finds. */
static const char *found_after(void (*change)(void))
{
    pthread_t waiting;
    void     *found;

    make_file("x", "bees", 0600);
    CHECK_OK(ink__input_open_locked(&input, "x", &error));
    assert_int_equal(pthread_create(&waiting, NULL, wait_for_lock, NULL), 0);
    await_waiting();
    change();
    ink__input_close(&input);
    assert_int_equal(pthread_join(waiting, &found), 0);
    return found;
}

static void leave_alone(void)
{
}

static void put_another(void)
{
    make_file("y", "wasps", 0600);
    assert_int_equal(rename("y", "x"), 0);
}

static void take_away(void)
{
    assert_int_equal(unlink("x"), 0);
}

TEST(who_waits_for_a_lock_goes_on_with_what_is_there_then)
{
    assert_string_equal(found_after(leave_alone), "old");
    assert_string_equal(found_after(put_another), "new");
    assert_string_equal(found_after(take_away), "gone");
    remove_all(NULL);
}

static ink__fate fate_of(void)
{
    ink__fate fate;

    CHECK_OK(ink__input_fate(&input, &fate, &error));
    return fate;
}

TEST(a_file_knows_what_others_have_made_of_it)
{
    make_file("x", "bees", 0600);
    CHECK_OK(ink__input_open_locked(&input, "x", &error));
    assert_int_equal(input.bytes, 4);
    assert_int_equal(fate_of(), INK__FATE_SAME);
    make_file("x", "ants too", 0600); /* the same file, with other bytes */
    assert_int_equal(fate_of(), INK__FATE_CHANGED);
    put_another();
    assert_int_equal(fate_of(), INK__FATE_REPLACED);
    take_away();
    assert_int_equal(fate_of(), INK__FATE_GONE);
    ink__input_close(&input);
    remove_all(NULL);
}

TEST(a_nanosecond_reports_that_a_file_has_changed)
{
    make_file("x", "bees", 0600);
    CHECK_OK(ink__input_open_locked(&input, "x", &error));
    added = (ink__stat){.modified = 1};
    REPLACE(stat_path, stat_other);
    assert_int_equal(fate_of(), INK__FATE_CHANGED);
    added = (ink__stat){.changed = 1};
    assert_int_equal(fate_of(), INK__FATE_CHANGED);
    ink__system_replace(NULL);
    ink__input_close(&input);
}

TEST(a_file_of_the_same_number_on_another_device_is_another)
{
    make_file("x", "bees", 0600);
    CHECK_OK(ink__input_open_locked(&input, "x", &error));
    input.device++;
    assert_int_equal(fate_of(), INK__FATE_REPLACED);
    input.device--;
    assert_int_equal(fate_of(), INK__FATE_SAME);
    ink__input_close(&input);
    remove_all("x");
}

static int shrink_while_waiting(int file)
{
    make_file("x", "b", 0600);
    return ink__posix.lock(file);
}

TEST(a_file_has_the_size_that_it_has_when_it_is_locked)
{
    make_file("x", "bees", 0600);
    REPLACE(lock, shrink_while_waiting);
    CHECK_OK(ink__input_open_locked(&input, "x", &error));
    ink__system_replace(NULL);
    assert_int_equal(input.bytes, 1);
    assert_int_equal(fate_of(), INK__FATE_SAME);
    ink__input_close(&input);
}

static int closed;

static int count_closes(int file)
{
    closed++;
    return ink__posix.close(file);
}

TEST(a_system_that_numbers_a_file_anew_each_time_is_not_asked_for_ever)
{
    ink__system system = ink__posix;

    make_file("x", "bees", 0600);
    added = (ink__stat){.number = 1};
    system.stat_path = stat_other;
    system.close = count_closes;
    closed = 0;
    ink__system_replace(&system);
    CHECK_FAILS(ink__input_open_locked(&input, "x", &error), INK_IO, "cannot lock the file");
    assert_int_equal(closed, 1000); /* as often as it was opened */
}

TEST(each_call_of_locking_can_fail_or_be_interrupted)
{
    static const struct {
        faults_call call;
        unsigned    nth;
        const char *message;
    } locking[] = {
        {FAULTS_OPEN, 1, "cannot open for writing"},
        {FAULTS_STAT_FILE, 1, "cannot stat"},
        {FAULTS_LOCK, 1, "cannot lock"},
        {FAULTS_STAT_FILE, 2, "cannot stat"},
        {FAULTS_STAT_PATH, 1, "cannot stat"},
    };

    make_file("x", "bees", 0600);
    for (size_t i = 0; i < sizeof locking / sizeof locking[0]; i++) {
        faults_system_begin(
            &(faults_plan){.call = locking[i].call, .nth = locking[i].nth, .os_error = EIO});
        CHECK_FAILS(ink__input_open_locked(&input, "x", &error), INK_IO, locking[i].message);
        assert_int_equal(error.os_error, EIO);
        assert_int_equal(faults_open_files(), 0);
        faults_system_end();
    }
    faults_system_begin(&(faults_plan){.interrupt = true});
    CHECK_OK(ink__input_open_locked(&input, "x", &error));
    assert_int_equal(faults_calls(FAULTS_LOCK), 2);
    ink__input_close(&input);
}

TEST(what_may_not_be_written_and_what_is_no_file_is_not_locked)
{
    const int refusals[] = {EACCES, EROFS, EPERM};

    make_file("x", "bees", 0400);
    for (size_t i = 0; i < 3; i++) {
        faults_system_begin(&(faults_plan){.call = FAULTS_OPEN, .nth = 1, .os_error = refusals[i]});
        CHECK_FAILS(ink__input_open_locked(&input, "x", &error), INK_IO, "cannot open for writing");
        assert_int_equal(error.os_error, refusals[i]);
        assert_int_equal(faults_calls(FAULTS_OPEN), 1);
        faults_system_end();
    }
    remove_all("x");
    CHECK_FAILS(ink__input_open_locked(&input, ".", &error), INK_FORMAT, "regular");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    CHECK_FAILS(ink__input_open_locked(&input, "fifo", &error), INK_FORMAT, "regular");
    remove_all("fifo");
    CHECK_FAILS(ink__input_open_locked(&input, "nowhere", &error), INK_IO, "cannot open");
}

TEST(a_path_that_leads_nowhere_cannot_be_opened)
{
    char path[INK__PATH_BYTES];

    CHECK_FAILS(ink__path_resolve("nowhere", path, &error), INK_IO, "cannot open");
    assert_int_equal(error.os_error, ENOENT);
    make_file("x", "bees", 0600);
    CHECK_OK(ink__path_resolve("./x", path, &error));
    assert_string_equal(strrchr(path, '/'), "/x");
}

RUN_TESTS(.after = clean_up)
