/* failure.c - errors: one line on standard error, and an exit code. */
#include "report/failure.h"

#include "inkling_command.h"
#include "inkling_job.h"
#include "options/options.h"
#include "report/progress.h"
#include "report/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_BYTES = 512, SHOWN_MAX = 4 };

static char       *reported;     /* the last line of a failure */
static const char *command = ""; /* that runs */

bool may_colour(int descriptor)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if ((none != NULL && *none != '\0') || terminal == NULL || strcmp(terminal, "dumb") == 0)
        return false;
    return isatty(descriptor);
}

static void write_all(const char *text, size_t count)
{
    while (count > 0) {
        ssize_t wrote = write(STDERR_FILENO, text, count);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return; /* standard error is closed */
        text += wrote;
        count -= (size_t)wrote;
    }
}

/* In one write, so that lines of several processes do not mix. */
static void print_line(bool failed, const char *format, va_list arguments, const char *end)
{
    const char *begin = failed && may_colour(STDERR_FILENO) ? "\033[1;31mink:\033[0m " : "ink: ";
    va_list     again;

    progress_clear();
    va_copy(again, arguments);
    int needed = vsnprintf(NULL, 0, format, again);
    va_end(again);
    size_t safe_room = 4 * (needed < 0 ? 0 : (size_t)needed) + 1;
    size_t room = strlen(begin) + safe_room + strlen(end);
    char  *line = malloc(room);
    if (line == NULL || needed < 0) {
        write_all("ink: not enough memory\n", 23);
    } else {
        strcpy(line, begin);
        char *text = line + strlen(line);
        vsnprintf(text, safe_room, format, arguments);
        utf8_make_safe(text, safe_room);
        strcat(line, end);
        write_all(line, strlen(line));
    }
    if (failed && line != NULL) {
        free(reported);
        reported = line;
    } else
        free(line);
}

const char *failure_reported(void)
{
    return reported;
}

int fail(int code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(true, format, arguments, "\n");
    va_end(arguments);
    return code;
}

void usage_of(const char *name)
{
    command = name;
}

int fail_usage(const char *format, ...)
{
    char    end[64];
    va_list arguments;

    snprintf(end, sizeof end, "; see ink help%s%s\n", *command == '\0' ? "" : " ", command);
    va_start(arguments, format);
    print_line(true, format, arguments, end);
    va_end(arguments);
    return CODE_USAGE;
}

int fail_unknown(const char *what, const char *typed, word_list *words, const char *expected)
{
    const char *meant = nearest_word(typed, words);

    if (meant == NULL && expected == NULL)
        return fail_usage("no %s %s", what, shown(typed));
    return fail_usage("no %s %s, %s %s", what, shown(typed),
                      meant != NULL ? "did you mean" : "expected",
                      meant != NULL ? meant : expected);
}

void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(false, format, arguments, "\n");
    va_end(arguments);
}

static int code_of(ink_status status)
{
    static const int codes[] = {
        [INK_OK] = CODE_YES,         [INK_PROMISE] = CODE_NO,     [INK_USAGE] = CODE_USAGE,
        [INK_FORMAT] = CODE_FILE,    [INK_MISMATCH] = CODE_FILE,  [INK_UNSUPPORTED] = CODE_FILE,
        [INK_NOT_FOUND] = CODE_FILE, [INK_READ_ONLY] = CODE_FILE, [INK_MEMORY] = CODE_LIMIT,
        [INK_LIMIT] = CODE_LIMIT,    [INK_IO] = CODE_IO,          [INK_STOPPED] = CODE_IO,
    };

    return codes[status];
}

int fail_error(const char *path, const ink_error *error)
{
    char text[2 * INK_MESSAGE_BYTES];

    options_text(error, text, sizeof text);
    if (path == NULL)
        return fail(code_of(error->status), "%s", text);
    return fail(code_of(error->status), "%s: %s", shown_path(path), text);
}

int fail_error_of_two(const char *one, const char *other, const ink_error *error)
{
    char text[2 * INK_MESSAGE_BYTES];

    options_text(error, text, sizeof text);
    return fail(code_of(error->status), "%s and %s: %s", shown_path(one), shown_path(other), text);
}

const char *shown_bytes(const void *bytes, size_t count)
{
    static char     texts[SHOWN_MAX][SHOWN_BYTES];
    static unsigned next;
    char           *text = texts[next++ % SHOWN_MAX];

    utf8_show(text, SHOWN_BYTES, bytes, count);
    return text;
}

const char *shown(const char *text)
{
    size_t length = strlen(text);
    char   safe[SHOWN_BYTES]; /* plain text, of any thread, touches no shared room */

    if (length == 0)
        return "\"\"";
    utf8_show(safe, sizeof safe, text, length);
    return strcmp(safe, text) == 0 ? text : shown_bytes(text, length);
}

const char *shown_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : shown(path);
}

const char *shown_target(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : shown(path);
}

void *need_memory(void *block, size_t bytes)
{
    void *larger = realloc(block, bytes == 0 ? 1 : bytes);

    if (larger == NULL) {
        int code = fail(CODE_LIMIT, "not enough memory for %zu more bytes", bytes);
        ink_end_unfinished(); /* last, since other threads still run */
        _exit(code);
    }
    return larger;
}
