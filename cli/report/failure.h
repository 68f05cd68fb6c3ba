/* failure.h - how the command fails: one line on standard error, and an exit code. */
#ifndef INK_CLI_REPORT_FAILURE_H
#define INK_CLI_REPORT_FAILURE_H

#include "inkling.h"
#include "options/suggestions.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    CODE_YES = 0,   /* or done */
    CODE_NO = 1,    /* none, or a promise is broken */
    CODE_USAGE = 2, /* the command line */
    CODE_FILE = 3,  /* a bad or incompatible file */
    CODE_IO = 4,    /* the operating system refused */
    CODE_LIMIT = 5, /* memory, or another limit */
};

#if defined(__GNUC__)
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
#else
#define PRINTF_LIKE(at, first)
#endif

/* Returns the exit code of a call from the function around it, unless that is 0. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        int try_code = (call);                                                                     \
        if (try_code != 0)                                                                         \
            return try_code;                                                                       \
    } while (0)

/* Prints "ink: ..." on one line and returns `code`. */
int fail(int code, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a wrong command line; "see ink help COMMAND" follows, unless command is NULL. */
int fail_usage(const char *command, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a word that is none of a list: with the one that was perhaps meant, else with what
 * was expected, unless that is NULL. */
int fail_unknown(const char *command, const char *what, const char *typed, word_list *words,
                 const char *expected);

/* The line of a library's error, with the path that it is about in front, unless that is NULL, and
 * the code of its status. */
int fail_error(const char *path, const ink_error *error);

/* A message of the library with the words of the system where it ends with the number of an error,
 * as "error 28". */
void failure_put_system(char *text, size_t room, const char *message);

/* The last line that told a failure, with its end; NULL: there was none. */
const char *failure_reported(void);

/* A line on standard error that is no failure. */
void say(const char *format, ...) PRINTF_LIKE(1, 2);

/* Text from outside as it may stand in a line: itself if that is harmless, else quoted and perhaps
 * cut. Up to four at a time. */
const char *shown(const char *text);
const char *shown_bytes(const void *bytes, size_t count);
/* The same for a path; "-" is standard input. */
const char *shown_path(const char *path);

/* Memory, or the end of the process with a line and its code; `block` as for realloc. */
void *need_memory(void *block, size_t bytes);

/* Whether colours may be used on a descriptor: it is a terminal, and NO_COLOR is not set. */
bool may_colour(int descriptor);

#endif
