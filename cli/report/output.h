/* output.h - where results go: standard output, and files that are replaced atomically. */
#ifndef INK_CLI_REPORT_OUTPUT_H
#define INK_CLI_REPORT_OUTPUT_H

#include "inkling_job.h"
#include "options/options.h"
#include "report/failure.h"

/* ---- Standard output ---------------------------------------------------------------------- */

void out_bytes(const void *bytes, size_t count);
void out_text(const char *text);
void out_format(const char *format, ...) PRINTF_LIKE(1, 2);
/* For ink_sink.write. */
int out_sink(void *host, const void *bytes, size_t count);
/* Writes the buffer. Returns 0, or the errno of the first write that failed. */
int out_flush(void);
/* Whether a write failed. */
bool out_failed(void);
/* From now on a closed pipe is an error: partial output is worthless. */
void out_insist(void);
/* Writes the rest; called once, at the end. Returns `code`; 0, silently, if the pipe was closed; or
 * prints a line and returns CODE_IO. */
int out_finish(int code);

/* ---- Files -------------------------------------------------------------------------------- */

/* Checks before any input is read that `path` can be written: it is new, or --force is given; its
 * folder exists; it is not one of the inputs (unless `reads_first`: all are read before anything is
 * written). No inputs means standard input. "-" is standard output, which may not be a terminal. */
int target_check(const cli_arguments *arguments, const char *path, const char *const *inputs,
                 size_t input_count, bool reads_first);

/* Whether two paths name one file to write, also one that does not exist yet; "-" is no file. */
bool targets_meet(const char *one, const char *other);

/* The errno of a folder in which no file can be made; 0 if that is possible. */
int folder_error(const char *path);

/* Saves sketches to the path of -o, or to another. */
int target_save(const cli_arguments *arguments, const ink_set *set);
int target_save_at(const cli_arguments *arguments, const char *path, const ink_set *set);

/* A sink: a new file, or standard output (`path` NULL or "-"). */
typedef struct cli_target {
    const char *path;
    ink_output *file; /* NULL: standard output */
    ink_error   error;
    ink_sink    sink;
} cli_target;

/* Without `overwrite` a file that exists stays as it is, also one that appears meanwhile. */
int target_begin(cli_target *target, const char *path, bool overwrite);
/* Reports a failure about a result that is not written; `path` NULL or -: standard output. */
int target_refused(const char *path, const ink_error *error);
/* Renames the file to its path. */
int  target_commit(cli_target *target);
void target_abandon(cli_target *target);
/* Abandons the target of work that failed. Whether its sink is the cause; then a line has been
 * printed, and *code is its exit code. */
bool target_failed(cli_target *target, int *code);

#endif
