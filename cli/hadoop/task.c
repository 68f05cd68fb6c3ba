/* task.c - a task of Hadoop Streaming, by its environment. */
#define _POSIX_C_SOURCE 200809L
#include "hadoop/task.h"

#include "options/quantities.h"
#include "report/failure.h"
#include "report/progress.h"
#include "report/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 256, NAME_BYTES = 250, NAMES_MAX = 8, SHOWN_PATH_BYTES = 400 };
#define ERRORS "_errors/"
#define MEMORY_BYTES (UINT64_C(256) << 20)
/* Hadoop ends tasks that say nothing for ten minutes. */
#define STATUS_SECONDS 3

#define TASK_ATTEMPT "mapreduce_task_attempt_id"

/* A variable that is set and not empty, or NULL. */
static const char *variable(const char *name)
{
    const char *text = getenv(name);

    return text == NULL || *text == '\0' ? NULL : text;
}

bool task_is(void)
{
    return variable(TASK_ATTEMPT) != NULL;
}

int task_number(const char *name, uint64_t otherwise, uint64_t *number)
{
    const char *text = variable(name);

    *number = otherwise;
    if (text == NULL || number_count(text, number) == NUMBER_OK)
        return 0;
    return fail(CODE_USAGE, "%s is %s, expected a whole number, as Hadoop sets it", name,
                shown(text));
}

const char *task_file(void)
{
    const char *path = variable("mapreduce_map_input_file");

    return path == NULL ? "-" : path;
}

/* Whether Hadoop decompresses a file, so that its offsets are not those of the records. */
static bool is_compressed(const char *path)
{
    static const char *const suffixes[] = {".gz", ".bz2", ".zst", ".deflate", ".lz4", ".snappy"};
    const char              *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && dot > path && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

/* A path with a number after it. */
static const char *with_number(const char *path, const char *format, uint64_t number)
{
    static char text[SHOWN_PATH_BYTES + LINE_BYTES];

    utf8_show(text, SHOWN_PATH_BYTES, path, strlen(path));
    size_t used = strlen(text);
    if (format != NULL)
        snprintf(text + used, LINE_BYTES, format, number);
    return text;
}

const char *task_location(const char *path, uint64_t byte)
{
    return with_number(path, byte > 0 && !is_compressed(path) ? ": byte %" PRIu64 : NULL, byte);
}

const char *task_input(const ink_job *job)
{
    const char *path = task_file();
    uint64_t    start;

    if (task_number(TASK_INPUT_START, 0, &start) != 0 || strcmp(path, "-") == 0)
        return path;
    if (start > 0)
        return with_number(path, ": the split from byte %" PRIu64 " on", start);
    return task_location(path, job->failed_byte);
}

/* ---- Reports ------------------------------------------------------------------------------ */

/* One write, so that lines of threads do not mix. */
static void report(const char *kind, const char *text)
{
    char line[LINE_BYTES];
    int  length = snprintf(line, sizeof line, "reporter:%s:%s\n", kind, text);

    if (length > 0 && (size_t)length < sizeof line) {
        ssize_t ignored = write(STDERR_FILENO, line, (size_t)length);
        (void)ignored;
    }
}

void task_count(const char *name, uint64_t count)
{
    char text[LINE_BYTES];

    if (!task_is())
        return;
    snprintf(text, sizeof text, "Ink,%s,%" PRIu64, name, count);
    report("counter", text);
}

static void notify(const char *what, uint64_t count, const char *of)
{
    char text[LINE_BYTES], number[32];

    format_short(number, sizeof number, (double)count);
    snprintf(text, sizeof text, "%s %s %s", what, number, of);
    report("status", text);
}

/* Whether a status report is due. */
static bool is_time(void)
{
    static double last;
    double        now = seconds_now();

    if (last == 0)
        last = now;
    if (now - last < STATUS_SECONDS)
        return false;
    last = now;
    return true;
}

void task_alive(const char *what, uint64_t count)
{
    if (task_is() && is_time())
        notify(what, count, "pieces");
}

static bool show_progress(void *host, const ink_progress *progress)
{
    static const char *const phases[] = {
        [INK_PHASE_READING] = "reading:",
        [INK_PHASE_FILLING] = "filling:",
        [INK_PHASE_TESTING] = "testing:",
    };

    (void)host;
    if (is_time())
        notify(phases[progress->phase], progress->records, "records");
    return true;
}

/* The cores that Hadoop gives a task; 1 if it does not say. */
static unsigned task_cores(void)
{
    const char *map = variable("mapreduce_task_ismap");
    bool        reduces = map != NULL && strcmp(map, "false") == 0;
    const char *text =
        variable(reduces ? "mapreduce_reduce_cpu_vcores" : "mapreduce_map_cpu_vcores");
    uint64_t cores;

    if (text == NULL || number_count(text, &cores) != NUMBER_OK || cores == 0 ||
        cores > option_of(OPTION_THREADS)->high)
        return 1;
    return (unsigned)cores;
}

ink_job task_job(const cli_arguments *arguments)
{
    ink_job job = progress_job(arguments);

    if (job.memory_bytes == 0)
        job.memory_bytes = MEMORY_BYTES;
    if (!task_is())
        return job;
    job.progress = show_progress;
    if (job.threads == 0)
        job.threads = task_cores();
    return job;
}

/* ---- Output ------------------------------------------------------------------------------- */

/* Formatted text; the caller frees it. */
static PRINTF_LIKE(1, 2) char *text_of(const char *format, ...)
{
    va_list values, again;

    va_start(values, format);
    va_copy(again, values);
    size_t room = (size_t)vsnprintf(NULL, 0, format, values) + 1;
    char  *text = need_memory(NULL, room);
    vsnprintf(text, room, format, again);
    va_end(again);
    va_end(values);
    return text;
}

/* The NameNodes: HOST:PORT, separated by commas. One that listens on all addresses is on the host
 * of `authority`, from an hdfs: address. NULL if none is known. The caller frees the result. */
static char *name_nodes(const char *authority, size_t authority_bytes)
{
    static const char everywhere[] = "0.0.0.0:";
    const char       *given = variable("INK_WEBHDFS");
    const char       *set = variable("dfs_namenode_http_address");

    if (given != NULL || set == NULL)
        return given == NULL ? NULL : text_of("%s", given);
    if (strncmp(set, everywhere, sizeof everywhere - 1) != 0 || authority_bytes == 0)
        return text_of("%s", set);
    char *host = text_of("%.*s", (int)authority_bytes, authority);
    char *colon = strrchr(host, ':');
    if (colon != NULL && strchr(colon, ']') == NULL)
        *colon = '\0';
    char *found = text_of("%s:%s", host, set + sizeof everywhere - 1);
    free(host);
    return found;
}

/* The WebHDFS address of file `name` (NULL: the folder's own path) in hdfs://AUTHORITY/PATH; NULL
 * and *why if there is none. */
static char *hdfs_address(const char *folder, const char *name, const char **why)
{
    const char *authority = folder + strlen("hdfs://");
    const char *slash = authority + strcspn(authority, "/");
    const char *user = variable("INK_HDFS_USER");

    char *nodes = name_nodes(authority, (size_t)(slash - authority));
    if (nodes == NULL) {
        *why = "no address of a NameNode, expected INK_WEBHDFS or dfs_namenode_http_address in the "
               "environment";
        return NULL;
    }
    user = user != NULL ? user : variable("HADOOP_USER_NAME");
    user = user != NULL ? user : variable("USER");
    char *path = text_of("webhdfs://%s%s%s%s%s%s", nodes, slash, name == NULL ? "" : "/",
                         name == NULL ? "" : name,
                         user == NULL ? "" : "?user.name=", user == NULL ? "" : user);
    free(nodes);
    return path;
}

int task_address(const char *path, char **address)
{
    const char *why;

    *address = NULL;
    if (strncmp(path, "hdfs://", 7) != 0)
        return 0;
    *address = hdfs_address(path, NULL, &why);
    return *address != NULL ? 0 : fail(CODE_USAGE, "%s: %s", shown(path), why);
}

/* The path or address of a file in a folder; NULL and *why if it cannot be written. */
static char *folder_file(const char *folder, const char *name, const char **why)
{
    if (strncmp(folder, "hdfs://", 7) == 0)
        return hdfs_address(folder, name, why);
    if (strncmp(folder, "file:", 5) == 0)
        folder += strncmp(folder, "file:///", 8) == 0 ? 7 : 5;
    if (*folder != '/') {
        *why = "a folder for the task's output, expected one of hdfs: or file:";
        return NULL;
    }
    return text_of("%s/%s", folder, name);
}

/* Creates the missing folders of a local path; HDFS creates its own. Errors show when the file is
 * written. */
static void make_folders(char *path)
{
    for (char *slash = *path == '/' ? strchr(path + 1, '/') : NULL; slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

int task_output(const char *name, char **path)
{
    const char *folder = variable("mapreduce_task_output_dir"), *why;

    *path = NULL;
    if (!task_is())
        return 0;
    if (folder == NULL)
        return fail(CODE_USAGE, "no mapreduce_task_output_dir in a task of Hadoop, expected it in "
                                "the environment, or -o");
    *path = folder_file(folder, name, &why);
    if (*path == NULL)
        return fail(CODE_USAGE, "%s: %s", shown(folder), why);
    make_folders(*path);
    return 0;
}

/* ---- The end ------------------------------------------------------------------------------ */

/* Writes a file into a folder; returns whether that succeeded. */
static bool leave_file(const char *folder, const char *name, const char *text)
{
    ink_output *output = NULL;
    const char *why;
    char       *path = folder_file(folder, name, &why);

    if (path == NULL)
        return false;
    make_folders(path);
    bool written = ink_output_begin(&output, path, NULL) == INK_OK &&
                   ink_output_write(output, text, strlen(text), NULL) == INK_OK;
    if (!written)
        ink_output_abandon(output);
    free(path);
    return written && ink_output_commit(output, NULL) == INK_OK;
}

/* Appends text to a file name, as far as there is room; characters that HDFS refuses become %XX.
 * Returns the rest. */
static const char *add_escaped(char *name, size_t room, const char *text)
{
    size_t used = strlen(name);

    for (; *text != '\0' && used + 4 < room; text++) {
        if (strchr("/:%?", *text) != NULL)
            used += (size_t)snprintf(name + used, room - used, "%%%02X", (unsigned)*text);
        else if ((unsigned char)*text >= ' ')
            name[used++] = *text;
    }
    name[used] = '\0';
    return text;
}

/* On a full disk empty files may still be created: their numbered names hold the text. */
static void leave_names(const char *folder, const char *attempt, const char *text)
{
    char name[sizeof ERRORS + NAME_BYTES];

    for (int part = 0; *text != '\0' && part < NAMES_MAX; part++) {
        snprintf(name, sizeof name, ERRORS "%.100s %d ", attempt, part);
        text = add_escaped(name, sizeof name, text);
        if (!leave_file(folder, name, ""))
            break;
    }
}

int task_end(int code)
{
    const char *folder = task_is() ? variable("mapreduce_output_fileoutputformat_outputdir") : NULL;
    const char *line = failure_reported();
    char        name[sizeof ERRORS + NAME_BYTES];

    if (code == 0 || folder == NULL || line == NULL)
        return code;
    char *text = text_of("%sexit code %d\n", line, code);
    snprintf(name, sizeof name, ERRORS "%.200s", variable(TASK_ATTEMPT));
    if (!leave_file(folder, name, text))
        leave_names(folder, variable(TASK_ATTEMPT), line);
    free(text);
    return code;
}
