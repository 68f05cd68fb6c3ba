/* task_test.c - what a task of Hadoop takes from its environment: addresses, threads, memory; and
 * what it leaves when it fails. */
#define _GNU_SOURCE
#include "report/progress.h"

/* The clock is the test's. */
static double now_is;

static double test_clock(void)
{
    return now_is;
}

#define seconds_now test_clock
#include "../../cli/hadoop/task.c"
#undef seconds_now

#include "support/check.h"

#include <dirent.h>

#define INPUT_FILE "mapreduce_map_input_file"

static const char *const variables[] = {
    TASK_ATTEMPT,
    INPUT_FILE,
    TASK_INPUT_START,
    "INK_WEBHDFS",
    "dfs_namenode_http_address",
    "INK_HDFS_USER",
    "HADOOP_USER_NAME",
    "USER",
    "mapreduce_task_output_dir",
    "mapreduce_task_ismap",
    "mapreduce_map_cpu_vcores",
    "mapreduce_reduce_cpu_vcores",
};

static int forget(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    return 0;
}

/* Sets variables, as "NAME=VALUE NAME=VALUE". */
static void set(const char *assignments)
{
    char copy[512], *rest = copy, *one;

    forget(NULL);
    snprintf(copy, sizeof copy, "%s", assignments);
    while ((one = strsep(&rest, " ")) != NULL && *one != '\0') {
        char *value = strchr(one, '=');
        *value = '\0';
        setenv(one, value + 1, 1);
    }
}

TEST(an_address_is_that_of_the_namenode_and_the_first_user_that_is_set)
{
    static const struct {
        const char *path, *variables, *address;
    } cases[] = {
        {"/in/x", "INK_WEBHDFS=h:1", NULL},
        {"hdfs://nn:8020/in/x", "INK_WEBHDFS=h:1", "webhdfs://h:1/in/x"},
        {"hdfs://nn/in/x", "INK_WEBHDFS=h:1,i:2 dfs_namenode_http_address=j:3",
         "webhdfs://h:1,i:2/in/x"},
        {"hdfs://nn/in/x", "dfs_namenode_http_address=j:3", "webhdfs://j:3/in/x"},
        {"hdfs://nn:8020/x", "dfs_namenode_http_address=0.0.0.0:3", "webhdfs://nn:3/x"},
        {"hdfs://nn/x", "dfs_namenode_http_address=0.0.0.0:3", "webhdfs://nn:3/x"},
        {"hdfs://[::1]:8020/x", "dfs_namenode_http_address=0.0.0.0:3", "webhdfs://[::1]:3/x"},
        {"hdfs://[::1]/x", "dfs_namenode_http_address=0.0.0.0:3", "webhdfs://[::1]:3/x"},
        {"hdfs:///x", "dfs_namenode_http_address=0.0.0.0:3", "webhdfs://0.0.0.0:3/x"},
        {"hdfs://nn/x", "INK_WEBHDFS=h:1 USER=c", "webhdfs://h:1/x?user.name=c"},
        {"hdfs://nn/x", "INK_WEBHDFS=h:1 USER=c HADOOP_USER_NAME=b", "webhdfs://h:1/x?user.name=b"},
        {"hdfs://nn/x", "INK_WEBHDFS=h:1 USER=c HADOOP_USER_NAME=b INK_HDFS_USER=a",
         "webhdfs://h:1/x?user.name=a"},
        {"hdfs://nn/x",
         "INK_WEBHDFS=h:1 USER=c HADOOP_USER_NAME= INK_HDFS_USER=", "webhdfs://h:1/x?user.name=c"},
    };
    char *address;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(cases[i].variables);
        assert_int_equal(task_address(cases[i].path, &address), 0);
        if (cases[i].address == NULL)
            assert_null(address);
        else
            assert_string_equal(address, cases[i].address);
        free(address);
    }
}

TEST(a_result_goes_to_the_folder_of_the_task)
{
    static const char *const cases[][2] = {
        {"file:///tmp/ink-none", "/tmp/ink-none/name"},
        {"file:/tmp/ink-none", "/tmp/ink-none/name"},
        {"/tmp/ink-none", "/tmp/ink-none/name"},
        {"hdfs://nn/out", "webhdfs://h:1/out/name"},
        {"s3a://bucket/out", NULL},
        {"relative", NULL},
    };
    const char *why;

    set("INK_WEBHDFS=h:1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = folder_file(cases[i][0], "name", &why);
        if (cases[i][1] == NULL)
            assert_null(path);
        else
            assert_string_equal(path, cases[i][1]);
        free(path);
    }
}

TEST(offsets_are_named_but_of_what_hadoop_decompresses)
{
    static const char *const plain[] = {"x.csv", "gz", "x.gz.csv", ".gz", "x.lz"};
    static const char *const compressed[] = {"x.gz",      "x.bz2", "x.zst",
                                             "x.deflate", "x.lz4", "x.snappy"};
    char                     line[64];

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        snprintf(line, sizeof line, "%s: byte 7", plain[i]);
        assert_string_equal(task_location(plain[i], 7), line);
        assert_string_equal(task_location(plain[i], 0), plain[i]);
    }
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        assert_string_equal(task_location(compressed[i], 7), compressed[i]);
}

TEST(a_place_in_the_input_is_a_byte_of_the_file_or_its_split)
{
    static const struct {
        const char *variables, *input;
    } cases[] = {
        {"", "-"},
        {TASK_INPUT_START "=5", "-"},
        {INPUT_FILE "=/in/x", "/in/x: byte 7"},
        {INPUT_FILE "=/in/x " TASK_INPUT_START "=0", "/in/x: byte 7"},
        {INPUT_FILE "=/in/x " TASK_INPUT_START "=1", "/in/x: the split from byte 1 on"},
        {INPUT_FILE "=/in/x.gz", "/in/x.gz"},
    };
    const ink_job job = {.failed_byte = 7};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(cases[i].variables);
        assert_string_equal(task_input(&job), cases[i].input);
    }
}

TEST(a_task_has_the_threads_that_hadoop_gives_it_and_256_mib)
{
    static const struct {
        const char *variables;
        unsigned    threads;
    } cases[] = {
        {"", 0},
        {TASK_ATTEMPT "=a", 1},
        {TASK_ATTEMPT "=a mapreduce_map_cpu_vcores=3 mapreduce_reduce_cpu_vcores=5", 3},
        {TASK_ATTEMPT "=a mapreduce_task_ismap=true mapreduce_map_cpu_vcores=3 "
                      "mapreduce_reduce_cpu_vcores=5",
         3},
        {TASK_ATTEMPT "=a mapreduce_task_ismap=false mapreduce_map_cpu_vcores=3 "
                      "mapreduce_reduce_cpu_vcores=5",
         5},
        {TASK_ATTEMPT "=a mapreduce_map_cpu_vcores=0", 1},
        {TASK_ATTEMPT "=a mapreduce_map_cpu_vcores=x", 1},
        {TASK_ATTEMPT "=a mapreduce_map_cpu_vcores=1024", 1024},
        {TASK_ATTEMPT "=a mapreduce_map_cpu_vcores=1025", 1},
    };
    cli_arguments arguments = {.command = NULL};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(cases[i].variables);
        ink_job job = task_job(&arguments);
        assert_int_equal(job.threads, cases[i].threads);
        assert_int_equal(job.memory_bytes, 256 << 20);
    }
    arguments.options[OPTION_THREADS].number = 7;
    arguments.options[OPTION_MEMORY].number = 9;
    ink_job job = task_job(&arguments);
    assert_int_equal(job.threads, 7);
    assert_int_equal(job.memory_bytes, 9);
}

/* What is written to standard error meanwhile. */
static const char *status_at(double now, uint64_t count)
{
    static char text[256];
    FILE       *file = tmpfile();
    int         standard = dup(STDERR_FILENO);

    assert_non_null(file);
    now_is = now;
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    task_alive("taking", count);
    dup2(standard, STDERR_FILENO);
    close(standard);
    ssize_t bytes = pread(fileno(file), text, sizeof text - 1, 0);
    text[bytes < 0 ? 0 : bytes] = '\0';
    fclose(file);
    return text;
}

TEST(a_task_says_every_three_seconds_that_it_is_alive)
{
    assert_string_equal(status_at(5, 1), "");
    set(TASK_ATTEMPT "=a");
    assert_string_equal(status_at(10, 2), "");
    assert_string_equal(status_at(12.9, 3), "");
    assert_string_equal(status_at(13, 4), "reporter:status:taking 4 pieces\n");
    assert_string_equal(status_at(15.9, 5), "");
    assert_string_equal(status_at(16, 5000), "reporter:status:taking 5.0 k pieces\n");
}

TEST(a_message_is_kept_in_names_of_files)
{
    char           text[3000], *here = getcwd(NULL, 0);
    struct dirent *entry;
    size_t         count = 0, bytes = 0;

    leave_names(here, "attempt", "a/b: 100 % of \"\u00e9\"?\n");
    assert_int_equal(unlink("_errors/attempt 0 a%2Fb%3A 100 %25 of \"\u00e9\"%3F"), 0);
    for (size_t escaped = 0; escaped < 3;
         escaped++) { /* an escape is whole, wherever a name ends */
        memset(text, ':', sizeof text);
        memset(text, 'x', escaped);
        memset(text, 'x', escaped == 2 ? sizeof text : 0);
        text[sizeof text - 1] = '\0';
        leave_names(here, "attempt", text);
        DIR *all = opendir("_errors");
        assert_non_null(all);
        for (count = bytes = 0; (entry = readdir(all)) != NULL; count += entry->d_name[0] != '.')
            if (entry->d_name[0] != '.') {
                const char *part = entry->d_name + strlen("attempt 0 ");
                size_t      plain = strspn(part, "x");
                bytes += strlen(part);
                assert_int_equal((strlen(part) - plain) % strlen("%3A"), 0);
                assert_true(part[plain] == '\0' || plain <= escaped);
                assert_int_equal(unlinkat(dirfd(all), entry->d_name, 0), 0);
            }
        closedir(all);
        assert_int_equal(rmdir("_errors"), 0);
        assert_int_equal(count, 8);
        CHECK(bytes > 8 * 230); /* each name is as long as it may be */
    }
    free(here);
}

RUN_TESTS(.before = forget)
