/* failure.h - errors: one line on standard error, and an exit code. */
#ifndef INK_CLI_REPORT_FAILURE_H
#define INK_CLI_REPORT_FAILURE_H

#include "inkling.h"
#include "options/suggestions.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CODE_YES = 0,   /* or done */
    CODE_NO = 1,    /* no, none, or a broken promise */
    CODE_USAGE = 2, /* a wrong command line */
    CODE_FILE = 3,  /* a bad or incompatible file */
    CODE_IO = 4,    /* an error of the operating system */
    CODE_LIMIT = 5, /* memory, or another limit */
};

#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))

/* In all of cli a function that returns an int and may fail returns 0, or prints a line and returns
 * an exit code, unless it says otherwise. TRY returns such a code, or a status, if it is not 0. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        __typeof__(call) try_code = (call);                                                        \
        if (try_code != 0)                                                                         \
            return try_code;                                                                       \
    } while (0)

/* Prints "ink: ..." on one line and returns `code`. */
int fail(int code, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a wrong command line; "see ink help" follows, and the command of usage_of. */
int  fail_usage(const char *format, ...) PRINTF_LIKE(1, 2);
void usage_of(const char *command);

/* The same for a word that is not in a list: suggests the nearest one, else prints `expected`,
 * unless that is NULL. */
int fail_unknown(const char *what, const char *typed, word_list *words, const char *expected);

/* Prints an error of the library, after its path unless that is NULL; returns its status' code. */
int fail_error(const char *path, const ink_error *error);
/* The same after both paths: the error is about the two together. */
int fail_error_of_two(const char *one, const char *other, const ink_error *error);

/* The last line that fail printed, with its line end; NULL: none. */
const char *failure_reported(void);

/* Prints a line on standard error that is not an error. */
void say(const char *format, ...) PRINTF_LIKE(1, 2);

/* Input text made safe for a message: itself if it is printable, else escaped and perhaps
 * truncated. The results of the last four calls are valid. */
const char *shown(const char *text);
const char *shown_bytes(const void *bytes, size_t count);
/* The same for a path; "-" is standard input. */
const char *shown_path(const char *path);
/* The same for a path that is written; "-" is standard output. */
const char *shown_target(const char *path);

/* As realloc; without memory it prints a line and ends the process. */
void *need_memory(void *block, size_t bytes);

/* Whether a descriptor is a terminal and NO_COLOR is not set. */
bool may_colour(int descriptor);

#endif
