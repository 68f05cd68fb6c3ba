/* output.c - where results go: standard output, and files that are replaced atomically. */
#include "report/output.h"

#include "inkling_command.h"
#include "report/stats.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Standard output ---------------------------------------------------------------------- */

enum { BUFFER_BYTES = 1 << 16 };

static char   buffer[BUFFER_BYTES];
static size_t buffered;
static bool   wrote_any;
static int    write_error; /* the first errno */
static bool   insisting;

static void write_now(const char *bytes, size_t count)
{
    while (count > 0 && write_error == 0) {
        ssize_t wrote = write(STDOUT_FILENO, bytes, count);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0) {
            write_error = errno;
            return;
        }
        bytes += wrote;
        count -= (size_t)wrote;
        wrote_any = true;
    }
}

int out_flush(void)
{
    write_now(buffer, buffered);
    buffered = 0;
    return write_error;
}

void out_bytes(const void *bytes, size_t count)
{
    if (count > BUFFER_BYTES - buffered)
        out_flush();
    if (count >= BUFFER_BYTES) {
        write_now(bytes, count);
        return;
    }
    memcpy(buffer + buffered, bytes, count);
    buffered += count;
}

void out_text(const char *text)
{
    out_bytes(text, strlen(text));
}

void out_format(const char *format, ...)
{
    char    text[1024];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        out_bytes(text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

int out_sink(void *host, const void *bytes, size_t count)
{
    (void)host;
    out_flush(); /* jobs buffer their output themselves */
    write_now(bytes, count);
    return write_error;
}

bool out_failed(void)
{
    return write_error != 0;
}

void out_insist(void)
{
    insisting = true;
}

int out_finish(int code)
{
    out_flush();
    /* Some file systems report only now that the disk is full. EINTR: it is closed all the same. */
    if (write_error == 0 && wrote_any && close(STDOUT_FILENO) != 0 && errno != EINTR)
        write_error = errno;
    if (write_error == 0)
        return code;
    if (write_error == EPIPE && !insisting)
        return CODE_YES;
    return fail(CODE_IO, "standard output: cannot write: %s", strerror(write_error));
}

/* ---- Files -------------------------------------------------------------------------------- */

int folder_error(const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode))
        return ENOTDIR;
    return access(path, W_OK | X_OK) == 0 ? 0 : errno;
}

/* The folder of a file; the caller frees it. */
static char *folder_of(const char *file)
{
    char *folder = need_memory(NULL, strlen(file) + 2);

    strcpy(folder, file);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        strcpy(folder, ".");
    else
        slash[slash == folder] = '\0';
    return folder;
}

/* Of a file at `target`, which was given as `path`. */
static int check_folder(const char *path, const char *target)
{
    char *folder = folder_of(target);
    int   os_error = folder_error(folder);

    free(folder);
    if (os_error == 0)
        return 0;
    return fail(CODE_IO, "%s: its folder: %s", shown(path), strerror(os_error));
}

static bool same_file(const struct stat *a, const char *path)
{
    struct stat b;

    if (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &b) != 0 : stat(path, &b) != 0)
        return false;
    return a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

static bool same_folder(const char *one, const char *other)
{
    char       *folders[] = {folder_of(one), folder_of(other)};
    struct stat status;
    bool        same = stat(folders[0], &status) == 0 && same_file(&status, folders[1]);

    free(folders[0]);
    free(folders[1]);
    return same;
}

static const char *name_in_folder(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash == NULL ? file : slash + 1;
}

bool targets_meet(const char *one, const char *other)
{
    char a[INK_TARGET_BYTES], b[INK_TARGET_BYTES];

    if (strcmp(one, other) == 0)
        return true;
    /* Hard links do not meet: a rename replaces one of the names, and the other one stays. */
    return strcmp(one, "-") != 0 && strcmp(other, "-") != 0 &&
           ink_output_target(one, a, NULL) == INK_OK &&
           ink_output_target(other, b, NULL) == INK_OK &&
           strcmp(name_in_folder(a), name_in_folder(b)) == 0 && same_folder(a, b);
}

/* As the file of --secret, which is no operand. */
static bool is_read_by_option(const cli_arguments *arguments, const struct stat *status)
{
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        if (option_of(id)->reads && arguments->options[id].text != NULL &&
            same_file(status, arguments->options[id].text))
            return true;
    return false;
}

static int check_existing(const cli_arguments *arguments, const char *path,
                          const struct stat *status, const char *const *inputs, size_t input_count,
                          bool reads_first)
{
    static const char *const standard_input[] = {"-"};

    if (input_count == 0) {
        inputs = standard_input;
        input_count = 1;
    }
    /* A rename would replace a device by a file. */
    if (!S_ISREG(status->st_mode))
        return fail_usage("%s: is no regular file, expected one, or - for standard output",
                          shown(path));
    if (is_read_by_option(arguments, status))
        return fail_usage("%s: is an input too", shown(path));
    for (size_t i = 0; i < input_count; i++)
        if (same_file(status, inputs[i]) &&
            !(reads_first && arguments->options[OPTION_FORCE].given))
            return fail_usage("%s: is an input too%s", shown(path),
                              reads_first ? ", expected --force to replace it" : "");
    if (!arguments->options[OPTION_FORCE].given)
        return fail_usage("%s: already exists; use --force to replace it", shown(path));
    return 0;
}

int target_check(const cli_arguments *arguments, const char *path, const char *const *inputs,
                 size_t input_count, bool reads_first)
{
    char        target[INK_TARGET_BYTES];
    struct stat status;
    ink_error   error;

    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
        return fail_usage("standard output is a terminal, expected a file or a pipe for it");
    if (strcmp(path, "-") == 0)
        return 0;
    int os_error = stat(path, &status) == 0 ? 0 : errno;
    if (path[strlen(path) - 1] == '/' || (os_error == 0 && S_ISDIR(status.st_mode)))
        return fail_usage("%s: is a folder, expected the name of a file to write", shown(path));
    if (os_error != 0 && os_error != ENOENT)
        return fail(CODE_IO, "%s: %s", shown(path), strerror(os_error));
    if (os_error == 0)
        TRY(check_existing(arguments, path, &status, inputs, input_count, reads_first));
    if (ink_output_target(path, target, &error) != INK_OK)
        return fail_error(path, &error);
    return check_folder(path, target);
}

static int save(const cli_arguments *arguments, const char *path, const ink_set *set)
{
    ink_job   job = {.threads = (unsigned)arguments->options[OPTION_THREADS].number,
                     .account = stats_account()};
    ink_error error;
    uint8_t  *bytes;
    size_t    count;

    if (strcmp(path, "-") != 0)
        return ink_job_save(set, path, arguments->options[OPTION_FORCE].given, &job, &error) ==
                       INK_OK
                   ? 0
                   : fail_error(path, &error);
    if (ink_set_encode(set, &bytes, &count, &error) != INK_OK)
        return fail_error(NULL, &error);
    out_bytes(bytes, count);
    ink_bytes_free(bytes, count, NULL);
    return 0;
}

int target_save_at(const cli_arguments *arguments, const char *path, const ink_set *set)
{
    stats_phase("serial");
    int code = save(arguments, path, set);
    stats_phase("saving");
    return code;
}

int target_save(const cli_arguments *arguments, const ink_set *set)
{
    return target_save_at(arguments, arguments->options[OPTION_OUTPUT].text, set);
}

static int write_file(void *host, const void *bytes, size_t count)
{
    cli_target *target = host;

    if (ink_output_write(target->file, bytes, count, &target->error) == INK_OK)
        return 0;
    return target->error.os_error != 0 ? target->error.os_error : EIO;
}

int target_refused(const char *path, const ink_error *error)
{
    return fail_error(path == NULL || strcmp(path, "-") == 0 ? NULL : path, error);
}

int target_begin(cli_target *target, const char *path, bool overwrite)
{
    bool standard = path == NULL || strcmp(path, "-") == 0;

    *target = (cli_target){.path = path, .sink = {standard ? out_sink : write_file, target}};
    if (standard || ink_output_open(&target->file, path, overwrite, &target->error) == INK_OK)
        return 0;
    return fail_error(path, &target->error);
}

int target_commit(cli_target *target)
{
    ink_output *file = target->file;

    target->file = NULL;
    if (file == NULL || ink_output_commit(file, &target->error) == INK_OK)
        return 0;
    return fail_error(target->path, &target->error);
}

void target_abandon(cli_target *target)
{
    ink_output_abandon(target->file);
    target->file = NULL;
}

bool target_failed(cli_target *target, int *code)
{
    bool standard = target->file == NULL && out_failed(); /* out_finish reports it */
    bool failed = standard || target->error.status != INK_OK;

    target_abandon(target);
    if (failed)
        *code = standard ? 0 : fail_error(target->path, &target->error);
    return failed;
}
