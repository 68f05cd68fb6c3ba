/* update_file_test.c - a file that keys are added to is replaced whole or not at all, whichever
 * call of the system fails; links, modes, owners and sections stay; of several who change it at
 * once none loses anything; and files that cannot be changed are refused. */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static ink_error         error;
static ink_update_report report;
static ink_job           job;

static const ink_update_options adds = {0};

/* ---- Files -------------------------------------------------------------------------------- */

/* A file of counting filters, of lines "a" to "e". */
static void make_file(const char *path)
{
    static const ink_params kind = {.kind = "counting", .expected_keys = 1000};

    records_build_file(path, "a\nb\nc\nd\ne\n", 10, &(ink_reading){0}, &kind, 1);
}

static ink_status add_text(const char *path, const char *text, const ink_update_options *options)
{
    const ink_input input = {.memory = (const uint8_t *)text, .memory_bytes = strlen(text)};

    return ink_update(path, &input, 1, &(ink_reading){0}, options, &report, &job, &error);
}

static uint64_t records_in(const char *path)
{
    ink_entry_info info;
    ink_file      *file;

    CHECK_OK(ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, &error));
    CHECK_OK(ink_file_entry(file, 0, &info, &error));
    ink_file_close(file);
    return info.records;
}

/* ---- Links, modes and names --------------------------------------------------------------- */

TEST(a_symbolic_link_stays_and_what_it_points_to_is_replaced)
{
    struct stat found;

    assert_int_equal(mkdir("folder", 0700), 0);
    make_file("folder/x.ink");
    assert_int_equal(symlink("folder/x.ink", "one"), 0);
    assert_int_equal(symlink("one", "two"), 0);
    CHECK_OK(add_text("two", "f\n", &adds));
    assert_int_equal(records_in("folder/x.ink"), 6);
    CHECK(lstat("one", &found) == 0 && S_ISLNK(found.st_mode));
    CHECK(lstat("two", &found) == 0 && S_ISLNK(found.st_mode));
    assert_int_equal(records_names_in("folder"), 1);
    unlink("one");
    CHECK_FAILS(add_text("two", "f\n", &adds), INK_IO, "cannot open");
    CHECK(error.os_error == ENOENT && strcmp(job.failed_path, "two") == 0);
    UNLINK("two", "folder/x.ink");
    rmdir("folder");
}

TEST(the_mode_of_the_file_stays)
{
    struct stat found;

    make_file("x.ink");
    assert_int_equal(chmod("x.ink", 0626), 0); /* of which the umask would take something */
    CHECK_OK(add_text("x.ink", "f\n", &adds));
    CHECK(stat("x.ink", &found) == 0 && (found.st_mode & 07777) == 0626);
}

TEST(what_is_no_file_of_sketches_is_refused_with_its_path)
{
    CHECK_FAILS(add_text("x.ink", "f\n", &adds), INK_IO, "cannot open");
    assert_int_equal(error.os_error, ENOENT);
    CHECK_FAILS(add_text(".", "f\n", &adds), INK_FORMAT, "regular");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    CHECK_FAILS(add_text("fifo", "f\n", &adds), INK_FORMAT, "regular"); /* without waiting */
    records_write("x.ink", "", 0);
    CHECK_FAILS(add_text("x.ink", "f\n", &adds), INK_FORMAT, "");
    make_file("x.ink");
    owned_bytes whole = records_read("x.ink");
    whole.bytes[whole.count / 2] ^= 1;
    records_write("x.ink", whole.bytes, whole.count);
    CHECK_FAILS(add_text("x.ink", "f\n", &adds), INK_FORMAT, "");
    assert_string_equal(job.failed_path, "x.ink");
    CHECK(records_unchanged("x.ink", &whole));
    CHECK_FAILS(add_text("x.ink", "", &adds), INK_FORMAT, ""); /* even if nothing is to be done */
}

/* A system whose files cannot be opened for writing, or whose folder takes no new ones. */
static ink__open_how refused;
static int           refusal;

static int refusing_open(const char *path, ink__open_how how, unsigned mode)
{
    return how == refused ? -refusal : ink__posix.open(path, how, mode);
}

static ink_status add_refused(ink__open_how how, int os_error, const ink_input *input)
{
    ink__system system = ink__posix;

    system.open = refusing_open;
    refused = how;
    refusal = os_error;
    ink__system_replace(&system);
    ink_status status =
        ink_update("x.ink", input, 1, &(ink_reading){0}, &adds, &report, &job, &error);
    ink__system_replace(NULL);
    return status;
}

TEST(a_file_that_may_not_be_written_is_not_replaced)
{
    const int       refusals[] = {EACCES, EROFS, EPERM};
    const ink_input input = {.path = "not there"};

    make_file("x.ink");
    for (size_t i = 0; i < 3; i++) {
        CHECK_FAILS(add_refused(INK__OPEN_UPDATE, refusals[i], &input), INK_IO, "for writing");
        CHECK(error.os_error == refusals[i] && strcmp(job.failed_path, "x.ink") == 0);
    }
    assert_int_equal(records_in("x.ink"), 5);
}

TEST(a_folder_that_takes_no_file_is_found_out_before_data_is_read)
{
    const ink_input input = {.path = "not there"};

    make_file("x.ink");
    owned_bytes old = records_read("x.ink");
    CHECK_FAILS(add_refused(INK__OPEN_NEW, EROFS, &input), INK_IO, "temporary");
    CHECK(error.os_error == EROFS && strcmp(job.failed_path, "x.ink") == 0);
    CHECK(records_unchanged("x.ink", &old));
}

/* It is removed all the same: nothing is to be left here. */
static int refusing_unlink(const char *path)
{
    ink__posix.unlink(path);
    return -EPERM;
}

TEST(a_folder_that_lets_no_file_be_removed_is_found_out_before_data_is_read)
{
    const ink_input input = {.path = "not there"};
    ink__system     system = ink__posix;

    make_file("x.ink");
    system.unlink = refusing_unlink;
    ink__system_replace(&system);
    ink_status status =
        ink_update("x.ink", &input, 1, &(ink_reading){0}, &adds, &report, &job, &error);
    ink__system_replace(NULL);
    CHECK_FAILS(status, INK_IO, "cannot remove a temporary file");
    CHECK(error.os_error == EPERM && strcmp(job.failed_path, "x.ink") == 0);
    assert_int_equal(records_in("x.ink"), 5);
}

/* A folder of another user in which everybody makes files. */
static int stat_of_shared_folder(const char *path, ink__stat *stat)
{
    int result = ink__posix.stat_path(path, stat);

    stat->owner++;
    stat->mode = 01777;
    return result;
}

static unsigned another_user(void)
{
    return ink__posix.user() + 1;
}

TEST(a_link_that_another_user_may_have_planted_is_not_followed)
{
    ink__system system = ink__posix;

    make_file("y.ink");
    assert_int_equal(symlink("y.ink", "x.ink"), 0);
    system.stat_path = stat_of_shared_folder;
    system.user = another_user;
    ink__system_replace(&system);
    ink_status status = add_text("x.ink", "f\n", &adds);
    ink__system_replace(NULL);
    CHECK_FAILS(status, INK_IO, "a symbolic link of another user");
    assert_int_equal(records_in("y.ink"), 5);
    UNLINK("y.ink");
}

/* ---- Owners ------------------------------------------------------------------------------- */

enum { NOBODY = 65534 };

TEST(the_owner_and_the_group_of_the_file_stay)
{
    struct stat found;

    if (geteuid() != 0)
        return; /* who may not give files away */
    make_file("x.ink");
    assert_int_equal(chown("x.ink", 1234, 5678), 0);
    assert_int_equal(chmod("x.ink", 0640), 0);
    CHECK_OK(add_text("x.ink", "f\n", &adds));
    assert_int_equal(stat("x.ink", &found), 0);
    CHECK(found.st_uid == 1234 && found.st_gid == 5678 && (found.st_mode & 07777) == 0640);
    assert_int_equal(records_in("x.ink"), 6);
}

/* A system in which the file belongs to another user, and cannot be given away. */
static int stat_of_another(const char *path, ink__stat *stat)
{
    int result = ink__posix.stat_path(path, stat);

    stat->owner++;
    return result;
}

static int refuse_owner(int file, unsigned owner, unsigned group)
{
    (void)file;
    (void)owner;
    (void)group;
    return -EPERM;
}

TEST(a_file_that_would_become_anothers_is_not_changed_and_no_data_read)
{
    const ink_input input = {.path = "not there"};
    ink__system     system = ink__posix;

    make_file("x.ink");
    owned_bytes old = records_read("x.ink");
    system.stat_path = stat_of_another;
    system.set_owner = refuse_owner;
    ink__system_replace(&system);
    ink_status status =
        ink_update("x.ink", &input, 1, &(ink_reading){0}, &adds, &report, &job, &error);
    ink__system_replace(NULL);
    CHECK_FAILS(status, INK_IO, "cannot keep its owner and group");
    CHECK(error.os_error == EPERM && strcmp(job.failed_path, "x.ink") == 0);
    CHECK(records_unchanged("x.ink", &old) && faults_names_here() == 1);
}

/* The user nobody may read all folders that lead here. */
static int resolve_plainly(const char *path, char to[INK__PATH_BYTES])
{
    snprintf(to, INK__PATH_BYTES, "%s", path);
    return 0;
}

/* The result of adding to x.ink as the user nobody: 0, or the errno. */
static int add_as_nobody(void)
{
    ink__system system = ink__posix;
    int         ended;

    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(255);
        system.resolve = resolve_plainly;
        ink__system_replace(&system);
        ink_status status = add_text("x.ink", "f\n", &adds);
        _exit(status == INK_OK ? 0 : status == INK_IO ? error.os_error : 254);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

TEST(nobody_changes_files_of_nobody_alone)
{
    struct stat found, here;

    if (geteuid() != 0)
        return;
    assert_int_equal(stat(".", &here), 0);
    assert_int_equal(chmod(".", 0777), 0);
    make_file("x.ink");
    assert_int_equal(chmod("x.ink", 0644), 0);
    assert_int_equal(add_as_nobody(), EACCES); /* though its folder can be written */
    assert_int_equal(chmod("x.ink", 0666), 0);
    assert_int_equal(add_as_nobody(), EPERM); /* it would be nobody's then */
    CHECK(records_in("x.ink") == 5 && faults_names_here() == 1);
    assert_int_equal(chown("x.ink", NOBODY, NOBODY), 0);
    assert_int_equal(chmod("x.ink", 0600), 0);
    assert_int_equal(add_as_nobody(), 0);
    CHECK(records_in("x.ink") == 6 && faults_names_here() == 1);
    assert_int_equal(stat("x.ink", &found), 0);
    CHECK(found.st_uid == NOBODY && found.st_gid == NOBODY && (found.st_mode & 07777) == 0600);
    assert_int_equal(chmod(".", here.st_mode & 07777), 0);
}

/* ---- What a file holds -------------------------------------------------------------------- */

/* Saves these sketches, which are hll of nothing, with these labels and sections. */
static void save_labelled(const ink_label *labels, size_t count, const ink_section *sections,
                          size_t section_count)
{
    const ink_params kind = {.kind = "hll", .precision = 4};
    ink_entry        entries[4];
    owned_sketch    *empty;

    CHECK_OK(ink_sketch_create(&empty, &kind, NULL, &error));
    for (size_t i = 0; i < count; i++)
        entries[i] = (ink_entry){labels[i], empty};
    CHECK_OK(ink_contents_save("x.ink",
                               &(ink_contents){.entries = entries,
                                               .entry_count = count,
                                               .sections = sections,
                                               .section_count = section_count},
                               &error));
}

TEST(sections_stay_as_they_are)
{
    const ink_section sections[] = {
        {.id = INK_SECTION_INPUT_SPEC, .data = (const uint8_t *)"in\0lines", .bytes = 9},
        {.id = INK_SECTION_ORIGIN, .data = (const uint8_t *)"somewhere", .bytes = 9},
        {.id = 77, .data = (const uint8_t *)"", .bytes = 0}};
    ink_section found;
    ink_file   *file;

    save_labelled(&(ink_label){0}, 1, sections, 3);
    CHECK_OK(add_text("x.ink", "a\nb\n", &adds));
    CHECK_OK(ink_file_open(&file, "x.ink", INK_OPEN_COPY, NULL, &error));
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(ink_file_section(file, i, &found, &error));
        CHECK(found.id == sections[i].id && found.bytes == sections[i].bytes);
        CHECK(memcmp(found.data, sections[i].data, found.bytes) == 0);
    }
    CHECK_FAILS(ink_file_section(file, 3, &found, &error), INK_NOT_FOUND, "");
    ink_file_close(file);
    assert_int_equal(records_in("x.ink"), 2);
}

TEST(streams_slots_mixtures_and_empty_files_are_refused)
{
    const ink_section position = {
        .id = INK_SECTION_POSITION, .data = (const uint8_t *)"12", .bytes = 2};
    const ink_label mixed[] = {{0}, ink_group("g")}, slot = {.has_slot = true, .slot = 60};

    save_labelled(mixed, 1, &position, 1);
    CHECK_FAILS(add_text("x.ink", "a\n", &adds), INK_UNSUPPORTED, "stream");
    save_labelled(&slot, 1, NULL, 0);
    CHECK_FAILS(add_text("x.ink", "a\n", &adds), INK_UNSUPPORTED, "time slots");
    save_labelled(mixed, 2, NULL, 0);
    CHECK_FAILS(add_text("x.ink", "a\n", &adds), INK_UNSUPPORTED, "with a group and without");
    save_labelled(NULL, 0, NULL, 0);
    CHECK_FAILS(add_text("x.ink", "a\n", &adds), INK_UNSUPPORTED, "no sketches");
    assert_string_equal(job.failed_path, "x.ink");
}

TEST(a_kind_that_lacks_a_group_gets_it_where_it_can)
{
    const ink_params kinds[] = {{.kind = "bloom", .expected_keys = 9}, {.kind = "fm"}};
    const ink_input  input = {.memory = (const uint8_t *)"a,g\na,h\n", .memory_bytes = 8};
    ink_entry        entries[3];
    ink_sketch      *made[2];

    for (size_t i = 0; i < 2; i++)
        CHECK_OK(ink_sketch_create(&made[i], &kinds[i], NULL, &error));
    entries[0] = (ink_entry){ink_group("g"), made[0]};
    entries[1] = (ink_entry){ink_group("g"), made[1]};
    entries[2] = (ink_entry){ink_group("h"), made[0]};
    CHECK_OK(
        ink_contents_save("x.ink", &(ink_contents){.entries = entries, .entry_count = 3}, &error));
    static const char *const first[] = {"1"};
    const ink_reading        csv = {.form = INK_FORM_CSV, .key = first, .key_count = 1, .by = "2"};
    CHECK_OK(ink_update("x.ink", &input, 1, &csv, &adds, &report, &job, &error));
    CHECK(report.sketches == 4 && report.made == 1);
    entries[2] = (ink_entry){ink_group("h"), made[1]}; /* now the bloom of h is missing */
    CHECK_OK(
        ink_contents_save("x.ink", &(ink_contents){.entries = entries, .entry_count = 3}, &error));
    CHECK_FAILS(ink_update("x.ink", &input, 1, &csv, &adds, &report, &job, &error), INK_UNSUPPORTED,
                "group h: it has no bloom");
    for (size_t i = 0; i < 2; i++)
        ink_sketch_free(made[i]);
}

/* A file above 64 MiB is mapped, and what is not touched goes from the old file to the new one. */
TEST(large_files_are_changed_too)
{
    const ink_params kind = {.kind = "bloom", .bits = (uint64_t)33 << 23};
    const ink_input  input = {.memory = (const uint8_t *)"a,g\n", .memory_bytes = 4};
    ink_entry        entries[2];
    ink_sketch      *made;
    bool             maybe;

    if (records_light())
        return;
    CHECK_OK(ink_sketch_create(&made, &kind, NULL, &error));
    CHECK_OK(ink_sketch_add(made, "old", 3, &error));
    entries[0] = (ink_entry){ink_group("g"), made};
    entries[1] = (ink_entry){ink_group("h"), made};
    CHECK_OK(
        ink_contents_save("x.ink", &(ink_contents){.entries = entries, .entry_count = 2}, &error));
    ink_sketch_free(made);
    static const char *const first[] = {"1"};
    const ink_reading        csv = {.form = INK_FORM_CSV, .key = first, .key_count = 1, .by = "2"};
    faults_system_begin(NULL);
    CHECK_OK(
        ink_update("x.ink", &input, 1, &csv, &adds, &report, &(ink_job){.threads = 1}, &error));
    faults_system_end();
    CHECK(faults_calls(FAULTS_MAP) == 1 && faults_maps() == 0 && faults_open_files() == 0);
    ink_file *file;
    CHECK_OK(ink_file_open(&file, "x.ink", INK_OPEN_CHECKED, NULL, &error));
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(ink_file_sketch(file, i, &made, &error));
        CHECK_OK(ink_sketch_contains(made, "a", 1, &maybe, &error));
        assert_int_equal(maybe, i == 0);
        CHECK_OK(ink_sketch_contains(made, "old", 3, &maybe, &error));
        assert_true(maybe);
        ink_sketch_free(made);
    }
    ink_file_close(file);
}

/* ---- Several at once ---------------------------------------------------------------------- */

enum { WRITERS = 4, ROUNDS = 5 };

static void *add_some(void *host)
{
    ink_update_report mine;
    ink_error         failure;

    (void)host;
    for (int i = 0; i < ROUNDS; i++) {
        const ink_input input = {.memory = (const uint8_t *)"x\ny\n", .memory_bytes = 4};
        ink_job         own = {.threads = 1};
        if (ink_update("x.ink", &input, 1, &(ink_reading){0}, &adds, &mine, &own, &failure) !=
            INK_OK)
            return "failed";
    }
    return NULL;
}

TEST(of_several_at_once_none_loses_anything)
{
    pthread_t threads[WRITERS];
    void     *failed;

    make_file("x.ink");
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_some, NULL), 0);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(records_in("x.ink"), 5 + 2 * WRITERS * ROUNDS);
    assert_int_equal(faults_names_here(), 1);
}

/* Clocks of files move on every few milliseconds: waits until what happens now gets another time
 * than the file has. */
static void await_other_time(const char *path)
{
    struct stat     found;
    struct timespec now;

    assert_int_equal(stat(path, &found), 0);
    do
        assert_int_equal(clock_gettime(CLOCK_REALTIME_COARSE, &now), 0);
    while (now.tv_sec < found.st_ctim.tv_sec ||
           (now.tv_sec == found.st_ctim.tv_sec && now.tv_nsec <= found.st_ctim.tv_nsec));
}

/* What a process that does not lock does to the file while data is read. */
static void put_another(void)
{
    unlink("x.ink");
    records_write("x.ink", "mine", 4);
}

static void take_away(void)
{
    unlink("x.ink");
}

static void write_in_location(void)
{
    records_write("x.ink", "mine", 4); /* as cp does, into the same file */
}

/* As many bytes as before, and the time put back, as cp -p does. */
static void write_stealthily(void)
{
    struct stat   found;
    records_bytes bytes = records_read("x.ink");

    assert_int_equal(stat("x.ink", &found), 0);
    await_other_time("x.ink");
    bytes.bytes[0] = '!';
    records_write("x.ink", bytes.bytes, bytes.count);
    records_bytes_free(&bytes);
    const struct timespec times[] = {found.st_atim, found.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, "x.ink", times, 0), 0);
}

static bool interfere(void *host, const ink_progress *progress)
{
    void (*const *deed)(void) = host;

    (void)progress;
    (*deed)();
    return true;
}

TEST(what_others_make_of_the_file_meanwhile_stays)
{
    static const struct {
        void (*deed)(void);
        const char *message;
    } cases[] = {
        {put_another, "another process has replaced it"},
        {take_away, "it was removed meanwhile"},
        {write_in_location, "another process has changed it"},
        {write_stealthily, "another process has changed it"},
    };
    const ink_input input = {.memory = (const uint8_t *)"f\n", .memory_bytes = 2};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ink_job watched = {
            .threads = 1, .progress = interfere, .host = (void *)(uintptr_t)&cases[i].deed};
        make_file("x.ink");
        records_slow_clock_begin();
        ink_status status =
            ink_update("x.ink", &input, 1, &(ink_reading){0}, &adds, &report, &watched, &error);
        records_slow_clock_end();
        CHECK_FAILS(status, INK_IO, cases[i].message);
        assert_string_equal(watched.failed_path, "x.ink");
        CHECK(report.changed == 0 && report.sketches == 0);
        assert_int_equal(faults_names_here(), cases[i].deed != take_away);
        if (cases[i].deed == write_stealthily) {
            records_bytes now = records_read("x.ink");
            assert_int_equal(now.bytes[0], '!');
            records_bytes_free(&now);
        } else if (cases[i].deed != take_away)
            CHECK(records_file_is("x.ink", "mine"));
        unlink("x.ink");
    }
}

TEST(another_name_of_the_file_keeps_what_it_had)
{
    make_file("x.ink");
    assert_int_equal(link("x.ink", "other.ink"), 0);
    CHECK_OK(add_text("x.ink", "f\n", &adds));
    CHECK(records_in("x.ink") == 6 && records_in("other.ink") == 5);
}

/* ---- Failures ----------------------------------------------------------------------------- */

/* Calls without which the work cannot be done. */
static bool is_needed(faults_call call)
{
    return call == FAULTS_OPEN || call == FAULTS_RESOLVE || call == FAULTS_LOCK ||
           call == FAULTS_READ || call == FAULTS_WRITE || call == FAULTS_SYNC ||
           call == FAULTS_RENAME || call == FAULTS_SET_OWNER;
}

typedef ink_status change(ink_job *with);

static ink_status add_groups(ink_job *with)
{
    const ink_input inputs[] = {{.path = "more.tsv"}, {.path = "more.tsv"}};

    return ink_update("x.ink", inputs, 2, &(ink_reading){0}, &(ink_update_options){.max_rate = 0.5},
                      &report, with, &error);
}

static ink_status add_once(ink_job *with)
{
    return ink_update("x.ink", &(ink_input){.path = "more.tsv"}, 1, &(ink_reading){0},
                      &(ink_update_options){.once = true}, &report, with, &error);
}

static ink_status remove_some(ink_job *with)
{
    return ink_update("x.ink", &(ink_input){.path = "in.tsv"}, 1, &(ink_reading){0},
                      &(ink_update_options){.remove = true}, &report, with, &error);
}

/* What is changed, and a file with these kinds to do it to. */
static const struct {
    change    *change;
    ink_params kinds[4];
    size_t     kind_count;
} changes[] = {
    {add_groups,
     {{.kind = "scalable", .expected_keys = 4},
      {.kind = "count-min", .width = 8, .depth = 2},
      {.kind = "top", .phi = 0.2},
      {.kind = "hll", .precision = 4}},
     4},
    {add_once, {{.kind = "scalable", .expected_keys = 4}}, 1},
    {remove_some, {{.kind = "counting", .expected_keys = 20}}, 1},
};
enum { CHANGES = sizeof changes / sizeof changes[0], NAMES = 3 };

static void prepare(size_t number, records_bytes *old, records_bytes *changed)
{
    static const char *const column[] = {"1"};
    const ink_reading        tsv = {.form = INK_FORM_TSV, .key = column, .key_count = 1, .by = "2"};
    owned_bytes              text = {0};
    ink_job                  with = {.threads = 1};

    for (int i = 0; i < 30; i++)
        records_say(&text, "key %d\tgroup %d\n", i, i % 3);
    records_write("in.tsv", text.bytes, text.count);
    records_build_file("x.ink", text.bytes, text.count, &tsv, changes[number].kinds,
                       changes[number].kind_count);
    for (int i = 0; i < 20; i++)
        records_say(&text, "more %d\tgroup %d\n", i, i % 5);
    records_write("more.tsv", text.bytes, text.count);
    if (geteuid() == 0) /* so that there is an owner to be kept */
        assert_int_equal(chown("x.ink", NOBODY, NOBODY), 0);
    *old = records_read("x.ink");
    CHECK_OK(changes[number].change(&with));
    *changed = records_read("x.ink");
    CHECK(!records_unchanged("x.ink", old));
}

static void clear(records_bytes *old, records_bytes *changed)
{
    records_bytes_free(old);
    records_bytes_free(changed);
    UNLINK("in.tsv", "more.tsv", "x.ink");
}

/* Makes a call fail; whether it came. */
static bool check_fault(size_t number, faults_call call, unsigned nth, const records_bytes *old,
                        const records_bytes *changed)
{
    ink_job with = {.threads = 1};

    records_write("x.ink", old->bytes, old->count);
    error = (ink_error){0};
    faults_system_begin(&(faults_plan){.call = call, .nth = nth, .os_error = EIO});
    ink_status status = changes[number].change(&with);
    faults_system_end();
    bool struck = faults_struck();
    bool late = status == INK_IO && strstr(error.message, "is in place") != NULL;
    if (struck && is_needed(call) && status == INK_OK)
        fail_msg("change %zu, call %u of kind %d failed without an error", number, nth, call);
    if (status != INK_OK && (status != INK_IO || error.os_error != EIO || with.failed_path == NULL))
        fail_msg("change %zu, call %u of kind %d: %s \"%s\"", number, nth, call,
                 ink_status_name(status), error.message);
    if (!records_unchanged("x.ink", status == INK_OK || late ? changed : old))
        fail_msg("change %zu, call %u of kind %d: the file is not what it must be", number, nth,
                 call);
    if (faults_open_files() != 0 || (faults_names_here() != NAMES && call != FAULTS_UNLINK))
        fail_msg("change %zu, call %u of kind %d: something is left", number, nth, call);
    if (call == FAULTS_UNLINK) /* what could not be removed is left for people to see */
        assert_int_equal(system("rm -f x.ink.tmp.*"), 0);
    return struck;
}

TEST(every_system_call_may_fail_and_the_file_is_the_old_or_the_new_one)
{
    for (size_t i = 0; i < CHANGES; i++) {
        records_bytes old, changed;
        prepare(i, &old, &changed);
        for (faults_call call = 0; call < FAULTS_ANY; call++)
            for (unsigned nth = 1; check_fault(i, call, nth, &old, &changed); nth++)
                ;
        CHECK(faults_calls(FAULTS_LOCK) == 1 && faults_calls(FAULTS_RESOLVE) == 1);
        assert_int_equal(faults_calls(FAULTS_SET_OWNER), geteuid() == 0 ? 2 : 0);
        clear(&old, &changed);
    }
}

TEST(interrupted_and_short_calls_change_nothing)
{
    for (size_t i = 0; i < CHANGES; i++) {
        records_bytes old, changed;
        ink_job       with = {.threads = 1};
        prepare(i, &old, &changed);
        records_write("x.ink", old.bytes, old.count);
        faults_system_begin(&(faults_plan){.interrupt = true, .transfer_bytes = 7});
        ink_status status = changes[i].change(&with);
        faults_system_end();
        CHECK_OK(status);
        CHECK(records_unchanged("x.ink", &changed));
        clear(&old, &changed);
    }
}

TEST(every_allocation_may_be_refused)
{
    for (size_t i = 0; i < CHANGES; i++) {
        records_bytes old, changed;
        bool          refused_one = true;
        prepare(i, &old, &changed);
        for (uint64_t nth = 1; refused_one; nth++) {
            faults_memory       memory = {.refuse_at = nth};
            const ink_allocator allocator = faults_allocator(&memory);
            ink_job             with = {.threads = 1, .allocator = &allocator};
            records_write("x.ink", old.bytes, old.count);
            ink_status status = changes[i].change(&with);
            refused_one = memory.refused > 0;
            if (status != (refused_one ? INK_MEMORY : INK_OK))
                fail_msg("change %zu, allocation %llu refused: %s \"%s\"", i,
                         (unsigned long long)nth, ink_status_name(status), error.message);
            if (refused_one && with.failed_path == NULL)
                fail_msg("change %zu, allocation %llu refused, and no file is named", i,
                         (unsigned long long)nth);
            CHECK(records_unchanged("x.ink", refused_one ? &old : &changed));
            faults_check_no_leak(&memory);
            assert_int_equal(faults_names_here(), NAMES);
        }
        clear(&old, &changed);
    }
}

RUN_TESTS_REMOVING("x.ink", "fifo", "other.ink")
