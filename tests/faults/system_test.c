/* system_test.c - an operating system that refuses, interrupts and does calls in part: every
 * system call of saving, loading and opening is made to fail in turn. A save leaves the old file or
 * the new one, whole, and no other name in the folder; no file stays open; the error has the
 * errno. */
#define _DEFAULT_SOURCE 1
#include "base/status.h"
#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"
#include "support/records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static ink_error error;

/* ---- Files -------------------------------------------------------------------------------- */

typedef struct content {
    uint8_t *bytes;
    size_t   count;
} content;

static unsigned mode_of(const char *path)
{
    struct stat stat_of;

    assert_int_equal(stat(path, &stat_of), 0);
    return (unsigned)stat_of.st_mode & 07777u;
}

static const uint8_t old_bytes[] = "the old file";
enum { OLD_BYTES = sizeof old_bytes - 1 };

/* ---- What is tried ------------------------------------------------------------------------ */

static ink_sketch *sketch; /* a bloom, an hll with groups around it ... */
static ink_sketch *grouped;
static ink_sketch *top;                                        /* ... a top with cut keys ... */
static ink_ring   *ring;                                       /* ... a ring of scalables ... */
static content     saved, saved_groups, saved_top, saved_ring; /* ... and what they are as files */

/* What a test left behind when it failed, so that the next one does not fail for it. */
static int clean_up(void **state)
{
    DIR           *folder = opendir(".");
    struct dirent *entry;

    (void)state;
    alarm(0);
    ink__system_replace(NULL);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] == 'x' || strcmp(entry->d_name, "pipe") == 0 ||
            strstr(entry->d_name, ".tmp.") != NULL)
            unlink(entry->d_name);
    closedir(folder);
    rmdir("folder");
    return 0;
}

static ink_contents contents_of_groups(ink_entry entries[2])
{
    entries[0] = (ink_entry){.label = ink_group("b"), .sketch = grouped};
    entries[1] = (ink_entry){.label = ink_group("a"), .sketch = grouped};
    return (ink_contents){.entries = entries, .entry_count = 2};
}

static const ink_params slot_params = {.kind = "scalable", .expected_keys = 5};
static const ink_window window = {.slot_microseconds = 1000, .slots = 3};

static ink_contents contents_of_ring(ink_entry entries[3])
{
    ink_contents contents = {.entries = entries, .entry_count = ink_ring_count(ring)};
    ink_label    label = ink_group("window");

    assert_true(contents.entry_count <= 3);
    for (size_t i = 0; i < contents.entry_count; i++)
        CHECK_OK(ink_ring_entry(ring, i, &label, &entries[i], &error));
    return contents;
}

/* What has a form of its own in memory: keys with bytes, and levels in slots of time. */
static void make_others(void)
{
    ink_entry   entries[3];
    ink_sketch *slot;
    char        key[2000];

    top = files_sketch(&(ink_params){.kind = "top", .phi = 0.02}, 0, 200, NULL);
    memset(key, 'k', sizeof key);
    CHECK_OK(ink_sketch_add(top, key, sizeof key, &error));
    CHECK_OK(ink_sketch_encode(top, &saved_top.bytes, &saved_top.count, &error));
    CHECK_OK(ink_ring_create(&ring, &slot_params, &window, NULL, &error));
    for (int64_t when = 0; when < 4000; when += 40) {
        CHECK_OK(ink_ring_slot(ring, when, &slot, &error));
        CHECK_OK(ink_sketch_add(slot, &when, sizeof when, &error));
    }
    ink_contents contents = contents_of_ring(entries);
    CHECK_OK(ink_contents_encode(&contents, &saved_ring.bytes, &saved_ring.count, &error));
}

static int make_sketches(void **state)
{
    ink_entry entries[2];

    (void)state;
    sketch = files_sketch(&(ink_params){.kind = "bloom", .expected_keys = 100}, 0, 100, NULL);
    grouped = files_sketch(&(ink_params){.kind = "hll", .precision = 8}, 0, 1000, NULL);
    ink_contents groups = contents_of_groups(entries);
    CHECK_OK(ink_sketch_encode(sketch, &saved.bytes, &saved.count, &error));
    CHECK_OK(ink_contents_encode(&groups, &saved_groups.bytes, &saved_groups.count, &error));
    make_others();
    return 0;
}

static int free_sketches(void **state)
{
    (void)state;
    ink_bytes_free(saved.bytes, saved.count, NULL);
    ink_bytes_free(saved_groups.bytes, saved_groups.count, NULL);
    ink_bytes_free(saved_top.bytes, saved_top.count, NULL);
    ink_bytes_free(saved_ring.bytes, saved_ring.count, NULL);
    ink_sketch_free(sketch);
    ink_sketch_free(grouped);
    ink_sketch_free(top);
    ink_ring_free(ring);
    return 0;
}

static ink_status save_one(void)
{
    return ink_sketch_save(sketch, "x", &error);
}

static ink_status save_groups(void)
{
    ink_entry    entries[2];
    ink_contents groups = contents_of_groups(entries);

    return ink_contents_save("./x", &groups, &error);
}

static ink_status save_top(void)
{
    return ink_sketch_save(top, "x", &error);
}

static ink_status save_ring(void)
{
    ink_entry    entries[3];
    ink_contents contents = contents_of_ring(entries);

    return ink_contents_save("x", &contents, &error);
}

static const struct {
    ink_status (*save)(void);
    const content *expected;
} saves[] = {
    {save_one, &saved},
    {save_groups, &saved_groups},
    {save_top, &saved_top},
    {save_ring, &saved_ring},
};
enum { SAVES = sizeof saves / sizeof saves[0] };

/* A way to read the file "x". */
typedef struct reader {
    ink_status (*read)(const struct reader *how);
    unsigned           flags;  /* it is opened so */
    const content     *file;   /* what it is to hold */
    ink_sketch *const *sketch; /* a sketch that it is */
} reader;

/* Loads a sketch that is to be equal to another. */
static ink_status load_equal(const reader *how)
{
    ink_sketch *loaded = NULL;
    uint8_t     digests[2][INK_DIGEST_BYTES];

    ink_status status = ink_sketch_load(&loaded, "x", NULL, &error);
    if (status != INK_OK) {
        assert_null(loaded);
        return status;
    }
    CHECK_OK(ink_sketch_digest(*how->sketch, digests[0], &error));
    CHECK_OK(ink_sketch_digest(loaded, digests[1], &error));
    assert_memory_equal(digests[0], digests[1], INK_DIGEST_BYTES);
    ink_sketch_free(loaded);
    return INK_OK;
}

static ink_status open_x(const reader *how, ink_file **file)
{
    *file = NULL;
    ink_status status = ink_file_open(file, "x", how->flags, NULL, &error);
    assert_true((status == INK_OK) == (*file != NULL));
    return status;
}

/* Fills a ring from the file, and compares the windows. */
static ink_status load_ring(const reader *how)
{
    const ink_label label = ink_group("window");
    ink_file       *file;
    ink_ring       *loaded;
    ink_sketch     *last[2];
    uint8_t         digests[2][INK_DIGEST_BYTES];

    INK__TRY(open_x(how, &file));
    CHECK_OK(ink_ring_create(&loaded, &slot_params, &window, NULL, &error));
    CHECK_OK(ink_ring_load(loaded, file, &label, &error));
    ink_file_close(file);
    CHECK_OK(ink_ring_last(ring, 0, &last[0], &error));
    CHECK_OK(ink_ring_last(loaded, 0, &last[1], &error));
    for (unsigned i = 0; i < 2; i++) {
        CHECK_OK(ink_sketch_digest(last[i], digests[i], &error));
        ink_sketch_free(last[i]);
    }
    assert_memory_equal(digests[0], digests[1], INK_DIGEST_BYTES);
    ink_ring_free(loaded);
    return INK_OK;
}

static ink_status open_one(const reader *how)
{
    ink_file *file;

    INK__TRY(open_x(how, &file));
    assert_int_equal(ink_file_count(file), 1);
    ink_status status = (how->flags & INK_OPEN_LAZY) != 0 ? ink_file_check(file, &error) : INK_OK;
    ink_file_close(file);
    return status;
}

/* The ways to read one sketch, and then those to read others. */
enum { LOAD, OPEN_CHECKED, OPEN_LAZILY, OPEN_A_COPY, WAYS_OF_ONE, READERS = WAYS_OF_ONE + 3 };

static const reader readers[READERS] = {
    [LOAD] = {load_equal, 0, &saved, &sketch},
    [OPEN_CHECKED] = {open_one, INK_OPEN_CHECKED, &saved, NULL},
    [OPEN_LAZILY] = {open_one, INK_OPEN_LAZY, &saved, NULL},
    [OPEN_A_COPY] = {open_one, INK_OPEN_COPY, &saved, NULL},
    {load_equal, 0, &saved_top, &top},
    {load_ring, INK_OPEN_LAZY, &saved_ring, NULL},
    {load_ring, INK_OPEN_COPY, &saved_ring, NULL},
};

static ink_status read_by(unsigned way)
{
    return readers[way].read(&readers[way]);
}

/* ---- Every call fails in turn ------------------------------------------------------------- */

static const int errors[] = {EIO, ENOSPC, EACCES, EINTR, EMFILE, EDQUOT, EROFS};
enum { ERRORS = sizeof errors / sizeof errors[0] };

/* Calls that are tried again, or that have done their work, when they are interrupted. */
static bool outlives_interrupts(faults_call call)
{
    return call == FAULTS_OPEN || call == FAULTS_READ || call == FAULTS_WRITE ||
           call == FAULTS_SYNC || call == FAULTS_CLOSE || call == FAULTS_SET_MODE;
}

/* Whether nothing that matters is lost when this call fails while reading. */
static bool is_no_matter_for_reading(faults_call call)
{
    return call == FAULTS_CLOSE || call == FAULTS_UNMAP || call == FAULTS_LEAVE ||
           call == FAULTS_ADVISE_HUGE;
}

static void check_reported(ink_status status, int os_error)
{
    assert_int_equal(status, INK_IO);
    assert_int_equal(error.status, INK_IO);
    assert_int_equal(error.os_error, os_error);
    assert_int_equal(error.location, INK_NOWHERE);
    if (strstr(error.message, strerror(os_error)) == NULL)
        fail_msg("\"%s\" does not have \"%s\"", error.message, strerror(os_error));
}

static unsigned fail_saving(ink_status (*save)(void), const content *expected, bool exists,
                            faults_call call, unsigned nth, int os_error)
{
    if (exists)
        records_write("x", old_bytes, OLD_BYTES);
    memset(&error, 0, sizeof error);
    faults_system_begin(&(faults_plan){.call = call, .nth = nth, .os_error = os_error});
    ink_status status = save();
    bool       struck = faults_struck();
    faults_system_end();

    bool in_place = strncmp(error.message, "the file is in place", 20) == 0;
    bool of_folder = call == FAULTS_CLOSE && nth == 2; /* which was only synced */
    if (!struck || of_folder || (os_error == EINTR && outlives_interrupts(call)))
        CHECK_OK(status);
    else
        check_reported(status, os_error);
    assert_int_equal(faults_open_files(), 0);
    if (status == INK_OK || in_place) {
        assert_true(records_file_holds("x", expected->bytes, expected->count));
        assert_int_equal(faults_names_here(), 1);
        assert_true(status == INK_OK || call == FAULTS_OPEN || call == FAULTS_SYNC);
    } else if (exists) {
        assert_true(records_file_holds("x", old_bytes, OLD_BYTES));
        assert_int_equal(faults_names_here(), 1);
    } else {
        assert_int_equal(faults_names_here(), 0);
    }
    unlink("x");
    return struck;
}

TEST(saving_leaves_the_old_file_or_the_new_one_whichever_call_fails)
{
    unsigned struck[FAULTS_ANY] = {0};

    for (unsigned way = 0; way < 2 * SAVES; way++)
        for (unsigned call = 0; call < FAULTS_ANY; call++)
            for (size_t e = 0; e < ERRORS; e += way % SAVES < 2 ? 1 : 3) /* of the others some */
                for (unsigned nth = 1;
                     fail_saving(saves[way % SAVES].save, saves[way % SAVES].expected, way < SAVES,
                                 (faults_call)call, nth, errors[e]);
                     nth++)
                    struck[call]++;
    assert_int_equal(faults_names_here(), 0);
    /* Each of the calls that a save makes has failed, with every errno. */
    enum { TIMES = 2 * (2 * ERRORS + 2 * 3) };
    assert_int_equal(struck[FAULTS_OPEN], TIMES * 2);
    assert_int_equal(struck[FAULTS_CLOSE], TIMES * 2);
    assert_int_equal(struck[FAULTS_STAT_PATH], TIMES);
    assert_true(struck[FAULTS_SET_MODE] >= TIMES / 2);
    assert_true(struck[FAULTS_WRITE] >= TIMES * 3);
    assert_true(struck[FAULTS_SYNC] >= TIMES * 2);
    assert_int_equal(struck[FAULTS_RENAME], TIMES);
}

/* From one call on nothing works any more, as on a disk that dies: the temporary file cannot even
 * be removed, but the old one is as it was, and nothing stays open. */
TEST(saving_to_a_disk_that_dies_leaves_the_old_file)
{
    char name[256];

    for (unsigned nth = 1;; nth++) {
        records_write("x", old_bytes, OLD_BYTES);
        faults_system_begin(
            &(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO, .and_after = true});
        ink_status status = save_one();
        bool       struck = faults_struck();
        snprintf(name, sizeof name, "%s", faults_last_opened());
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        if (!struck) {
            CHECK_OK(status);
            unlink("x");
            break;
        }
        bool in_place = status == INK_OK || strncmp(error.message, "the file is in place", 20) == 0;
        assert_true(in_place ? records_file_holds("x", saved.bytes, saved.count)
                             : records_file_holds("x", old_bytes, OLD_BYTES));
        if (status != INK_OK)
            check_reported(status, EIO);
        if (faults_names_here() > 1)
            assert_int_equal(unlink(name), 0); /* the temporary file, which could not be removed */
        unlink("x");
        assert_int_equal(faults_names_here(), 0);
    }
}

static bool fail_reading(unsigned way, faults_call call, unsigned nth, int os_error)
{
    memset(&error, 0, sizeof error);
    faults_system_begin(&(faults_plan){.call = call, .nth = nth, .os_error = os_error});
    ink_status status = read_by(way);
    bool       struck = faults_struck();
    faults_system_end();

    if (!struck || is_no_matter_for_reading(call) ||
        (os_error == EINTR && outlives_interrupts(call)))
        CHECK_OK(status);
    else
        check_reported(status, os_error);
    assert_int_equal(faults_open_files(), 0);
    assert_int_equal(faults_maps(), struck && call == FAULTS_UNMAP ? 1 : 0);
    assert_true(records_file_holds("x", readers[way].file->bytes, readers[way].file->count));
    assert_int_equal(faults_names_here(), 1);
    return struck;
}

/* Lets each call of these ways fail in turn, with every errno; how often each did. */
static void fail_each_call(unsigned first, unsigned end, unsigned struck[FAULTS_ANY])
{
    for (unsigned way = first; way < end; way++) {
        records_write("x", readers[way].file->bytes, readers[way].file->count);
        for (unsigned call = 0; call < FAULTS_ANY; call++)
            for (size_t e = 0; e < ERRORS; e++)
                for (unsigned nth = 1; fail_reading(way, (faults_call)call, nth, errors[e]); nth++)
                    struck[call]++;
        unlink("x");
    }
}

TEST(reading_fails_cleanly_whichever_call_fails)
{
    unsigned struck[FAULTS_ANY] = {0};

    fail_each_call(LOAD, WAYS_OF_ONE, struck);
    assert_true(struck[FAULTS_OPEN] >= 4 * ERRORS);
    assert_int_equal(struck[FAULTS_STAT_FILE], 4 * ERRORS);
    assert_int_equal(struck[FAULTS_CLOSE], 4 * ERRORS);
    assert_true(struck[FAULTS_READ] >= 2 * ERRORS * 2); /* the header, and the rest */
    assert_int_equal(struck[FAULTS_MAP], 2 * ERRORS);
    assert_int_equal(struck[FAULTS_UNMAP], 2 * ERRORS);
    assert_int_equal(struck[FAULTS_WRITE] + struck[FAULTS_RENAME] + struck[FAULTS_UNLINK], 0);
}

TEST(reading_keys_and_rings_fails_cleanly_whichever_call_fails)
{
    unsigned struck[FAULTS_ANY] = {0}, all = 0;

    fail_each_call(WAYS_OF_ONE, READERS, struck);
    for (unsigned call = 0; call < FAULTS_ANY; call++)
        all += struck[call];
    assert_true(all >= 3 * ERRORS * 4);
}

/* A refused file is closed and unmapped like any other. */
TEST(refusing_a_damaged_file_leaves_nothing_open)
{
    static const size_t locations[] = {0,   9,   60,
                                       100, 300, 3}; /* the last one counts from the end */

    for (size_t p = 0; p < sizeof locations / sizeof locations[0]; p++) {
        size_t at = locations[p] == 3 ? saved.count - 3 : locations[p];
        saved.bytes[at] ^= 4;
        records_write("x", saved.bytes, saved.count);
        saved.bytes[at] ^= 4;
        for (unsigned way = LOAD; way < WAYS_OF_ONE; way++) {
            faults_system_begin(NULL);
            ink_status status = read_by(way);
            faults_system_end();
            assert_int_equal(status, INK_FORMAT);
            assert_int_equal(error.location, INK_AT_BYTE);
            assert_int_equal(faults_open_files(), 0);
            assert_int_equal(faults_maps(), 0);
        }
    }
}

/* ---- In part ------------------------------------------------------------------------------ */

TEST(single_bytes_and_interrupts_are_enough)
{
    for (unsigned way = 0; way < 4; way++) {
        faults_plan plan = {.transfer_bytes = way % 2 == 0 ? 1 : 7, .interrupt = way >= 2};
        records_write("x", old_bytes, OLD_BYTES);
        faults_system_begin(&plan);
        CHECK_OK(save_one());
        for (unsigned each = LOAD; each < WAYS_OF_ONE; each++)
            CHECK_OK(read_by(each));
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_maps(), 0);
        assert_true(faults_calls(FAULTS_WRITE) >= saved.count / plan.transfer_bytes);
        assert_true(faults_calls(FAULTS_READ) >= 2 * (saved.count / plan.transfer_bytes));
        assert_true(records_file_holds("x", saved.bytes, saved.count));
        assert_int_equal(faults_names_here(), 1);
    }
}

/* A disk that fills up after any number of bytes. */
TEST(a_disk_that_fills_up_leaves_the_old_file)
{
    records_write("x", old_bytes, OLD_BYTES);
    for (unsigned nth = 1; nth <= saved.count; nth += 1 + nth / 16) {
        faults_system_begin(&(faults_plan){.call = FAULTS_WRITE,
                                           .nth = nth,
                                           .os_error = ENOSPC,
                                           .and_after = true,
                                           .transfer_bytes = 1});
        ink_status status = save_one();
        faults_system_end();
        check_reported(status, ENOSPC);
        assert_true(records_file_holds("x", old_bytes, OLD_BYTES));
        assert_int_equal(faults_names_here(), 1);
        assert_int_equal(faults_open_files(), 0);
    }
}

/* ---- Files that change -------------------------------------------------------------------- */

static void check_shorter(ink_status status)
{
    assert_int_equal(status, INK_IO);
    assert_non_null(strstr(error.message, "shorter"));
    assert_int_equal(faults_open_files(), 0);
}

TEST(a_file_that_ends_early_is_noticed)
{
    records_write("x", saved.bytes, saved.count);
    faults_system_begin(&(faults_plan){.ends_early = true});
    ink_status loaded = read_by(LOAD), opened = read_by(OPEN_A_COPY);
    faults_system_end();
    check_shorter(loaded);
    check_shorter(opened);
}

/* The system's calls, but the file is cut to `cut_to` bytes after read number `cut_at`. */
static unsigned reads, cut_at;
static size_t   cut_to;

static long long read_and_cut(int file, void *to, size_t bytes)
{
    if (++reads == cut_at)
        assert_int_equal(truncate("x", (off_t)cut_to), 0);
    return ink__posix.read(file, to, bytes > 100 ? 100 : bytes);
}

TEST(a_file_that_is_cut_while_it_is_read_is_noticed)
{
    ink__system cutting = ink__posix;

    cutting.read = read_and_cut;
    for (cut_at = 1; cut_at <= 4; cut_at++)
        for (cut_to = 0; cut_to < saved.count; cut_to += 50) {
            records_write("x", saved.bytes, saved.count);
            reads = 0;
            ink__system_replace(&cutting);
            ink_status status = cut_to % 100 == 0 ? read_by(LOAD) : read_by(OPEN_A_COPY);
            ink__system_replace(NULL);
            check_shorter(status);
        }
}

static long long read_and_grow(int file, void *to, size_t bytes)
{
    if (++reads == 1) {
        FILE *grown = fopen("x", "ab");
        assert_non_null(grown);
        fputs("more", grown);
        fclose(grown);
    }
    return ink__posix.read(file, to, bytes);
}

/* What was there when it was opened is what counts. */
TEST(a_file_that_grows_while_it_is_read_is_read_as_it_was)
{
    ink__system growing = ink__posix;

    growing.read = read_and_grow;
    records_write("x", saved.bytes, saved.count);
    reads = 0;
    ink__system_replace(&growing);
    ink_status status = read_by(LOAD);
    ink__system_replace(NULL);
    CHECK_OK(status);
    CHECK_FAILS(read_by(LOAD), INK_FORMAT, "after the end"); /* and now it is another file */
}

TEST(a_view_outlives_the_replacement_of_its_file)
{
    ink_file   *file;
    ink_sketch *view;
    bool        maybe;

    CHECK_OK(save_one());
    CHECK_OK(ink_file_open(&file, "x", INK_OPEN_LAZY, NULL, &error));
    CHECK_OK(ink_file_sketch(file, 0, &view, &error));
    CHECK_OK(save_groups());
    CHECK_OK(ink_sketch_contains(view, "key 1", 5, &maybe, &error));
    assert_true(maybe);
    CHECK_OK(ink_sketch_save(view, "x", &error)); /* onto itself, too */
    assert_true(records_file_holds("x", saved.bytes, saved.count));
    CHECK_OK(ink_file_check(file, &error));
    ink_sketch_free(view);
    ink_file_close(file);
}

/* ---- Modes and places --------------------------------------------------------------------- */

TEST(saving_keeps_the_mode_of_an_existing_file)
{
    static const mode_t modes[] = {0600, 0644, 0664, 0640, 0666, 0777, 0444, 0400};
    mode_t              before = umask(0077);

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        records_write("x", old_bytes, OLD_BYTES);
        assert_int_equal(chmod("x", modes[i]), 0);
        CHECK_OK(save_one());
        assert_int_equal(mode_of("x"), modes[i]);
        assert_true(records_file_holds("x", saved.bytes, saved.count));
        unlink("x");
    }
    umask(0027);
    CHECK_OK(save_one());
    assert_int_equal(mode_of("x"), 0640); /* a new file has what the umask leaves of 0666 */
    umask(before);
}

TEST(saving_where_no_file_can_be_is_refused)
{
    CHECK_FAILS(ink_sketch_save(sketch, "missing/x", &error), INK_IO, "");
    assert_int_equal(error.os_error, ENOENT);
    CHECK_FAILS(ink_sketch_save(sketch, "", &error), INK_USAGE, "an empty path");
    records_write("x", old_bytes, OLD_BYTES);
    CHECK_FAILS(ink_sketch_save(sketch, "x/y", &error), INK_IO, "");
    assert_int_equal(error.os_error, ENOTDIR);
    assert_true(records_file_holds("x", old_bytes, OLD_BYTES));
    unlink("x");

    assert_int_equal(mkdir("folder", 0700), 0);
    CHECK_FAILS(ink_sketch_save(sketch, "folder", &error), INK_USAGE, "not a regular file");
    CHECK_FAILS(ink_sketch_save(sketch, "folder/", &error), INK_USAGE, "not a regular file");
    CHECK_OK(ink_sketch_save(sketch, "folder/x", &error));
    assert_int_equal(unlink("folder/x"), 0);
    assert_int_equal(rmdir("folder"), 0); /* so it was empty */

    assert_int_equal(mkfifo("pipe", 0600), 0);
    CHECK_FAILS(ink_sketch_save(sketch, "pipe", &error), INK_USAGE, "not a regular file");
    assert_int_equal(unlink("pipe"), 0);
    CHECK_FAILS(ink_sketch_save(sketch, "/dev/null", &error), INK_USAGE, "not a regular file");
    assert_int_equal(faults_names_here(), 0);
}

TEST(opening_what_is_no_file_is_refused_and_does_not_wait)
{
    static const char *const paths[] = {"pipe", "folder", "/dev/zero", "/dev/null"};

    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    alarm(20); /* instead of waiting for a writer for ever */
    for (unsigned flags = 0; flags < 4; flags++) {
        ink_file *file;
        faults_system_begin(NULL);
        for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
            CHECK_FAILS(ink_file_open(&file, paths[i], flags, NULL, &error), INK_FORMAT,
                        "not a regular file");
        CHECK_FAILS(ink_file_open(&file, "missing", flags, NULL, &error), INK_IO, "cannot open");
        assert_int_equal(error.os_error, ENOENT);
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
    }
    alarm(0);
    assert_int_equal(unlink("pipe"), 0);
    assert_int_equal(rmdir("folder"), 0);
}

TEST(an_empty_file_is_refused_in_every_way)
{
    records_write("x", old_bytes, 0);
    for (unsigned way = LOAD; way < WAYS_OF_ONE; way++)
        CHECK_FAILS(read_by(way), INK_FORMAT, "too short: 0 bytes");
}

/* Nothing is taken for the rest of a file whose header is wrong. */
TEST(a_sparse_file_of_a_tebibyte_is_refused_after_its_header)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_file     *file;

    records_write("x", old_bytes, 0);
    assert_int_equal(truncate("x", (off_t)1 << 40), 0);
    for (unsigned flags = 0; flags < 4; flags++) {
        faults_system_begin(NULL);
        CHECK_FAILS(ink_file_open(&file, "x", flags, &allocator, &error), INK_FORMAT,
                    "not an .ink file");
        faults_system_end();
        assert_true(faults_calls(FAULTS_READ) <= 1);
        assert_true(memory.most_bytes <= 65536);
    }
    faults_check_no_leak(&memory);
}

/* A limit on the size of files is an error like any other, where the signal is ignored. */
TEST(a_limit_on_file_sizes_leaves_the_old_file)
{
    struct rlimit before, limit;

    records_write("x", old_bytes, OLD_BYTES);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 200;
    void (*kept)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ink_status status = save_one();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, kept);
    check_reported(status, EFBIG);
    assert_true(records_file_holds("x", old_bytes, OLD_BYTES));
    assert_int_equal(faults_names_here(), 1);
}

/* A name that a dead process left behind is neither used nor removed. */
TEST(a_stale_temporary_file_is_not_in_the_way)
{
    char stale[64];

    faults_system_begin(&(faults_plan){.process_id = 4711});
    snprintf(stale, sizeof stale, "x.tmp.4711.0");
    records_write(stale, old_bytes, OLD_BYTES);
    CHECK_OK(save_one());
    faults_system_end();
    assert_true(records_file_holds("x", saved.bytes, saved.count));
    assert_true(records_file_holds(stale, old_bytes, OLD_BYTES));
    assert_int_equal(faults_names_here(), 2);
    assert_int_equal(unlink(stale), 0);
}

/* What is wrong with the contents is noticed without harm to the old file. */
TEST(contents_that_cannot_be_written_leave_the_old_file)
{
    ink_entry    entries[2];
    ink_contents twice = contents_of_groups(entries);

    entries[0].label = entries[1].label;
    records_write("x", old_bytes, OLD_BYTES);
    faults_system_begin(NULL);
    ink_status same = ink_contents_save("x", &twice, &error);
    entries[0].label = ink_group("b");
    ink_sketch *ints = files_sketch(
        &(ink_params){.kind = "hll", .key_type = INK_KEY_INT, .precision = 8}, 0, 10, NULL);
    entries[0].sketch = ints;
    ink_status mixed = ink_contents_save("x", &twice, &error);
    faults_system_end();
    ink_sketch_free(ints);
    assert_int_equal(same, INK_USAGE);
    assert_int_equal(mixed, INK_MISMATCH);
    assert_true(records_file_holds("x", old_bytes, OLD_BYTES));
    assert_int_equal(faults_names_here(), 1);
    assert_int_equal(faults_open_files(), 0);
    unlink("x");
}

RUN_TESTS(.begin = make_sketches, .end = free_sketches, .after = clean_up)
