/* output_test.c - a file is written whole or not at all, here or in HDFS, what is unfinished can be
 * removed at any moment, a mapped file can be found by an address, and data that is cut outlived.
 */
#define _DEFAULT_SOURCE 1
#include "inkling_job.h"

#include "inkling_command.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/hdfs.h"
#include "support/records.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static ink_error error;

/* ---- Outputs ------------------------------------------------------------------------------ */

TEST(an_output_takes_its_location_when_it_is_complete)
{
    ink_output *output;

    records_write("file", "old", 3);
    assert_int_equal(chmod("file", 0640), 0);
    CHECK_OK(ink_output_begin(&output, "file", &error));
    CHECK_OK(ink_output_write(output, "one, ", 5, &error));
    CHECK_OK(ink_output_write(output, "", 0, &error));
    CHECK_OK(ink_output_write(output, "two", 3, &error));
    CHECK(records_file_is("file", "old"));
    CHECK_OK(ink_output_commit(output, &error));
    CHECK(records_file_is("file", "one, two"));
    struct stat mode;
    assert_int_equal(stat("file", &mode), 0);
    assert_int_equal(mode.st_mode & 0777, 0640);
    assert_int_equal(faults_names_here(), 1);
    unlink("file");
}

TEST(an_output_that_is_new_replaces_nothing)
{
    ink_output *output;
    hdfs_server server;
    char        address[128];

    CHECK_OK(ink_output_open(&output, "file", false, &error));
    CHECK_OK(ink_output_write(output, "new", 3, &error));
    records_write("file", "old", 3);
    CHECK_FAILS(ink_output_commit(output, &error), INK_USAGE, "already exists");
    CHECK_FAILS(ink_output_open(&output, "file", false, &error), INK_USAGE, "already exists");
    CHECK(records_file_is("file", "old"));
    assert_int_equal(faults_names_here(), 1);
    unlink("file");

    hdfs_begin(&server, NULL);
    hdfs_address(&server, address, sizeof address);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ink_output_open(&output, address, false, &error));
        CHECK_OK(ink_output_write(output, i == 0 ? "old" : "new", 3, &error));
        if (i == 0)
            CHECK_OK(ink_output_commit(output, &error));
        else
            CHECK_FAILS(ink_output_commit(output, &error), INK_IO,
                        "FileAlreadyExistsException: rename destination /dir/file already exists");
    }
    hdfs_end(&server);
    CHECK(hdfs_holds(&server.file, "old", 3));
    CHECK(!server.temporary.there);
    hdfs_free(&server);
}

TEST(the_path_of_an_output_is_not_kept)
{
    ink_output *output;
    char        path[] = "file";

    CHECK_OK(ink_output_begin(&output, path, &error));
    path[0] = 'p';
    CHECK_OK(ink_output_write(output, "new", 3, &error));
    CHECK_OK(ink_output_commit(output, &error));
    CHECK(records_file_is("file", "new"));
    assert_int_equal(faults_names_here(), 1);
    unlink("file");
}

TEST(an_output_that_is_abandoned_leaves_nothing)
{
    ink_output *output;

    ink_output_abandon(NULL);
    records_write("file", "old", 3);
    CHECK_OK(ink_output_begin(&output, "file", &error));
    CHECK_OK(ink_output_write(output, "new", 3, &error));
    ink_output_abandon(output);
    CHECK(records_file_is("file", "old"));
    assert_int_equal(faults_names_here(), 1);
    unlink("file");
    CHECK_FAILS(ink_output_begin(&output, "no folder/file", &error), INK_IO, "");
    CHECK(error.os_error != 0);
}

TEST(what_is_unfinished_can_be_removed)
{
    ink_output *outputs[3];
    const char *names[] = {"a", "b", "c"};

    for (int i = 0; i < 3; i++) {
        CHECK_OK(ink_output_begin(&outputs[i], names[i], &error));
        CHECK_OK(ink_output_write(outputs[i], names[i], 1, &error));
    }
    CHECK_OK(ink_output_commit(outputs[0], &error));
    ink_remove_unfinished();
    assert_int_equal(faults_names_here(), 1); /* what was finished stays */
    CHECK(records_file_is("a", "a"));
    ink_output_abandon(outputs[1]);
    CHECK_FAILS(ink_output_commit(outputs[2], &error), INK_IO, ""); /* it is gone */
    ink_remove_unfinished();
    assert_int_equal(faults_names_here(), 1);
    unlink("a");
}

/* ---- Outputs in HDFS ---------------------------------------------------------------------- */

TEST(an_output_in_hdfs_takes_its_location_when_it_is_complete)
{
    ink_output *output;
    hdfs_server server;
    char        address[128];

    hdfs_begin(&server, NULL);
    hdfs_address(&server, address, sizeof address);
    CHECK_OK(ink_output_begin(&output, address, &error));
    memset(address, 'x', sizeof address - 1); /* the path is not kept */
    CHECK_OK(ink_output_write(output, "one, ", 5, &error));
    CHECK_OK(ink_output_write(output, "", 0, &error));
    CHECK_OK(ink_output_write(output, "two", 3, &error));
    CHECK_OK(ink_output_commit(output, &error));
    hdfs_address(&server, address, sizeof address);
    CHECK_OK(ink_output_begin(&output, address, &error));
    CHECK_OK(ink_output_write(output, "three", 5, &error));
    ink_remove_unfinished(); /* has nothing to do with it */
    ink_output_abandon(output);
    hdfs_end(&server);
    CHECK(hdfs_holds(&server.file, "one, two", 8));
    CHECK(!server.temporary.there);
    assert_int_equal(server.connections, 6);
    hdfs_free(&server);
    assert_int_equal(faults_names_here(), 0);
}

TEST(an_output_in_hdfs_that_is_refused_leaves_nothing)
{
    const hdfs_strange strange = {.at = 3, .answer = "HTTP/1.1 403 Forbidden\r\n\r\n"};
    ink_output        *output;
    hdfs_server        server;
    char               address[128];

    hdfs_begin(&server, &strange);
    hdfs_address(&server, address, sizeof address);
    CHECK_OK(ink_output_begin(&output, address, &error));
    CHECK_OK(ink_output_write(output, "one", 3, &error));
    CHECK_FAILS(ink_output_commit(output, &error), INK_IO, "answered 403 to RENAME, expected 200");
    hdfs_end(&server);
    assert_int_equal(server.connections, 4);
    CHECK(!server.temporary.there);
    hdfs_free(&server);
    CHECK_FAILS(ink_output_begin(&output, address, &error), INK_IO, "cannot connect to 127.0.0.1:");
    CHECK_FAILS(ink_output_begin(&output, "webhdfs://somewhere/file", &error), INK_USAGE,
                "\"somewhere\" is not the HOST:PORT of a NameNode, expected webhdfs://HOST:PORT/");
    CHECK_FAILS(ink_output_begin(&output, "hdfs://somewhere:1/file", &error), INK_USAGE,
                "expected webhdfs://HOST:PORT/PATH?user.name=USER");
    assert_int_equal(faults_names_here(), 0);
}

/* ---- Maps --------------------------------------------------------------------------------- */

/* Where a file of this name is mapped, as the system reports; 0: nowhere. */
static uintptr_t mapped_at(const char *name)
{
    FILE         *maps = fopen("/proc/self/maps", "r");
    char          line[1024];
    unsigned long at = 0, first;

    while (maps != NULL && at == 0 && fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, name) != NULL && sscanf(line, "%lx-", &first) == 1)
            at = first;
    if (maps != NULL)
        fclose(maps);
    return at;
}

/* Called by threads of the job, which must not fail the test themselves. */
typedef struct looker {
    unsigned  found, wrong;
    uintptr_t at;
} looker;

static bool look(void *host, const ink_progress *progress)
{
    looker   *mine = host;
    uintptr_t at = mapped_at("mapped records");

    if (at == 0)
        return true;
    mine->at = at;
    mine->found++;
    const char *path = ink_mapped_path((const void *)(at + 100));
    mine->wrong += path == NULL || strcmp(path, "mapped records") != 0;
    return true;
}

TEST(a_mapped_input_is_reported_by_an_address)
{
    static const ink_params kind = {.kind = "bloom"};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    const ink_input         input = {.path = "mapped records"};
    looker                  mine = {0};
    ink_job       job = {.threads = 2, .chunk_bytes = 500, .progress = look, .host = &mine};
    records_bytes text = {0};
    ink_set      *set;

    for (int i = 0; i < 1000; i++)
        records_say(&text, "record %d\n", i);
    records_write("mapped records", text.bytes, text.count);
    records_slow_clock_begin();
    CHECK_OK(ink_build(&set, &input, 1, &(ink_reading){0}, &options, &job, &error));
    records_slow_clock_end();
    ink_set_free(set);
    CHECK(mine.found > 5 && mine.wrong == 0);
    assert_int_equal(mapped_at("mapped records"), 0);
    assert_null(ink_mapped_path((const void *)mine.at));
    assert_null(ink_mapped_path(&mine));
    unlink("mapped records");
    records_bytes_free(&text);
}

/* ---- Data that is cut ---------------------------------------------------------------------- */

enum { CUT_RECORDS = 20000 };

/* Gives how many bytes it has. */
static off_t write_numbered(const char *path)
{
    records_bytes text = {0};
    off_t         bytes;

    for (int i = 0; i < CUT_RECORDS; i++)
        records_say(&text, "record %d\n", i);
    records_write(path, text.bytes, text.count);
    bytes = (off_t)text.count;
    records_bytes_free(&text);
    return bytes;
}

static off_t left_bytes;

static bool cut(void *host, const ink_progress *progress)
{
    if (mapped_at(host) != 0)
        (void)!truncate(host, left_bytes);
    return true;
}

/* A build of two files, of which one is cut while it is read. */
static ink_status build_and_cut(char *path, unsigned threads, const char **failed)
{
    static const ink_params kind = {.kind = "bloom"};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    const ink_input         inputs[] = {{.path = "data one"}, {.path = "data two"}};
    ink_job  job = {.threads = threads, .chunk_bytes = 500, .progress = cut, .host = path};
    ink_set *set = NULL;

    write_numbered("data one");
    write_numbered("data two");
    records_slow_clock_begin();
    ink_status status = ink_build(&set, inputs, 2, &(ink_reading){0}, &options, &job, &error);
    records_slow_clock_end();
    ink_set_free(set);
    *failed = job.failed_path;
    return status;
}

/* A file that is mapped and then cut. */
static const volatile uint8_t *map_and_cut(void)
{
    int   file = open("mine", O_RDWR | O_CREAT | O_TRUNC, 0600);
    void *at = ftruncate(file, 1 << 16) == 0 ? mmap(NULL, 1 << 16, PROT_READ, MAP_SHARED, file, 0)
                                             : MAP_FAILED;

    return at != MAP_FAILED && ftruncate(file, 0) == 0 ? at : NULL;
}

static const volatile uint8_t *cut_data;

static void handle_address(int number, siginfo_t *why, void *context)
{
    const uintptr_t at = (uintptr_t)why->si_addr, begin = (uintptr_t)cut_data;

    _exit(at >= begin && at - begin < 1 << 16 ? 1 : 0);
}

/* How a child ends that has this handler, before ours or alone, and reads what it has mapped itself
 * and cut; or that is just sent the signal. */
static int end_of_child(const struct sigaction *handler, bool ours, bool sent)
{
    pid_t child = fork();
    int   status;

    if (child == 0) {
        cut_data = map_and_cut();
        sigaction(SIGBUS, handler, NULL);
        if (ours)
            ink_outlive_cut_data();
        if (cut_data == NULL)
            _exit(2);
        alarm(5);
        if (sent)
            kill(getpid(), SIGBUS);
        _exit(sent ? 2 : 2 + *cut_data);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink("mine");
    return status;
}

/* Linux tells the address of a bus error. QEMU's emulation of a process (7.2) takes it for two
 * numbers of 32 bits, which are no address on a big-endian machine. */
static bool bus_errors_are_told(void)
{
    const struct sigaction handler = {.sa_sigaction = handle_address, .sa_flags = SA_SIGINFO};
    const int              status = end_of_child(&handler, false, false);

    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    if (WEXITSTATUS(status) == 0)
        print_message("# SKIP: bus errors: an emulator tells no address of them here\n");
    return WEXITSTATUS(status) == 1;
}

TEST(data_that_is_cut_is_an_error_where_the_process_outlives_it)
{
    char        one[] = "data one", two[] = "data two", other[] = "no data";
    const off_t whole = write_numbered(one);
    /* Of the page that is the last one then, the rest is no bus error, but zeros. */
    const off_t left[] = {0, 5000, whole - 3000, whole - 100, whole - 1};
    const char *failed;

    if (!bus_errors_are_told()) {
        unlink(one);
        skip();
    }
    ink_outlive_cut_data();
    ink_outlive_cut_data(); /* again is no harm */
    for (unsigned i = 0; i < 3 * sizeof left / sizeof left[0]; i++)
        for (int second = 0; second < 2; second++) {
            char *path = second ? two : one;
            left_bytes = left[i / 3];
            CHECK_FAILS(build_and_cut(path, 1 + i % 3, &failed), INK_IO,
                        "the file was truncated while it was read");
            assert_string_equal(failed, path);
        }
    CHECK_OK(build_and_cut(other, 2, &failed)); /* and the next one is as always */
    unlink(one);
    unlink(two);
}

static void handle_plainly(int number)
{
    _exit(7);
}

static void handle_with_reason(int number, siginfo_t *why, void *context)
{
    _exit(why->si_addr != NULL ? 8 : 9);
}

TEST(another_bus_error_goes_to_the_handler_before)
{
    const struct sigaction plain = {.sa_handler = handle_plainly};
    const struct sigaction with_reason = {.sa_sigaction = handle_with_reason,
                                          .sa_flags = SA_SIGINFO};
    const struct sigaction nobody = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};

    if (!bus_errors_are_told())
        skip();
    assert_int_equal(WEXITSTATUS(end_of_child(&plain, true, false)), 7);
    assert_int_equal(WEXITSTATUS(end_of_child(&with_reason, true, false)), 8);
    assert_int_equal(WTERMSIG(end_of_child(&nobody, true, false)), SIGBUS);
    assert_int_equal(WTERMSIG(end_of_child(&nobody, true, true)), SIGBUS);
    assert_int_equal(end_of_child(&plain, true, true), 7 << 8);
    if (WTERMSIG(end_of_child(&ignored, false, false)) == SIGALRM)
        print_message("# SKIP: bus errors: an emulator raises one for ever that is ignored\n");
    else /* the system insists */
        assert_int_equal(WTERMSIG(end_of_child(&ignored, true, false)), SIGBUS);
}

RUN_TESTS()
