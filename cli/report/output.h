/* output.h - where results go: standard output, and files that are there whole or not at all. */
#ifndef INK_CLI_REPORT_OUTPUT_H
#define INK_CLI_REPORT_OUTPUT_H

#include "inkling_job.h"
#include "options/options.h"
#include "report/failure.h"

/* ---- Standard output ---------------------------------------------------------------------- */

void out_bytes(const void *bytes, size_t count);
void out_text(const char *text);
void out_format(const char *format, ...) PRINTF_LIKE(1, 2);
/* For ink_sink.write; host is not looked at. */
int out_sink(void *host, const void *bytes, size_t count);
/* Writes what is kept so far, for whoever waits for it. Returns 0, or the errno of the first write
 * that failed. */
int out_flush(void);
/* Whether something could not be written. */
bool out_failed(void);
/* From now on a reader that goes away is a failure as any other: half of the output is worth
 * nothing. */
void out_insist(void);
/* Writes what is left. Returns `code`; 0, in silence, if the reader went away; or prints a line and
 * returns CODE_IO. Called once, at the end. */
int out_finish(int code);

/* ---- Files -------------------------------------------------------------------------------- */

/* Whether `path` can be written, before anything is read: it is new or to be replaced, its folder
 * is there, and it is none of the inputs (unless `reads_first`: all of them are read before
 * anything is written); no inputs means standard input. "-" is standard output, if that is no
 * terminal. Returns 0, or prints a line and returns a code. */
int target_check(const cli_arguments *arguments, const char *path, const char *const *inputs,
                 size_t input_count, bool reads_first);

/* Saves sketches to the path of -o. */
int target_save(const cli_arguments *arguments, const ink_set *set);

/* A sink that is standard output, or a file that is begun now. `path` NULL or "-": standard
 * output. */
typedef struct cli_target {
    const char *path;
    ink_output *file; /* NULL: standard output */
    ink_error   error;
    ink_sink    sink;
} cli_target;

int target_begin(cli_target *target, const char *path);
/* Puts the file in its place. Returns 0 or a code. */
int  target_commit(cli_target *target);
void target_abandon(cli_target *target);
/* Whether it was this sink that failed, and the code of that, with a line. */
bool target_failed(const cli_target *target, int *code);

#endif
