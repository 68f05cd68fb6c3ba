/* inputs.h - the inputs that a command line names: data, sketch files, secrets, keys of -e. */
#ifndef INK_CLI_ARGUMENTS_INPUTS_H
#define INK_CLI_ARGUMENTS_INPUTS_H

#include "inkling_job.h"
#include "options/options.h"

/* Refuses a command line that reads standard input in two places: operands and options that are -,
 * and data of which no file is named. */
int standard_input_check(const cli_arguments *arguments);

/* Before an input is read: says once that the terminal is read, if the path is "-" (NULL: none) and
 * standard input is one. Else the user would wait for the command, and the command for the user. */
void path_announce(const char *path);
void inputs_announce(const ink_input *inputs, size_t input_count);

/* Files as inputs; no path: standard input. The caller frees *inputs. */
void inputs_of(const char *const *paths, size_t path_count, ink_input **inputs,
               size_t *input_count);

/* Data: files, and how they are read, from the options of the group `input`. */
typedef struct cli_data {
    ink_input  *inputs;
    size_t      input_count;
    ink_reading how;
    const char *columns[INK_KEY_COLUMNS_MAX]; /* of how.key ... */
    char       *columns_text;                 /* ... and the memory of all columns */
    uint8_t    *keys;                         /* of -e, or NULL */
} cli_data;

/* No path: standard input. If it fails, there is nothing to end. */
int  data_begin(cli_data *data, const cli_arguments *arguments, const char *const *paths,
                size_t path_count);
void data_end(cli_data *data);

/* The same for a command on a sketch file: data of the operands after the first, or the keys of -e,
 * as one input of records that end with NUL, of the type that the options give keys of data. */
int data_asked(cli_data *data, const cli_arguments *arguments);

/* Check that -e comes without data and options of input, and that sketches take such keys, which
 * are plain: no tuples, and in no group (unless `in_groups`: any). */
int keys_check(const cli_arguments *arguments);
int keys_fit(const cli_arguments *arguments, const ink_file *file, bool in_groups);

/* Whether a path is a regular file, and no sketch file, not even a broken one; with --from every
 * one is a sketch file. */
bool is_data_file(const char *path, const cli_arguments *arguments);

/* Opens a sketch file ("-": standard input); a small one is copied, so that it cannot change. */
int sketches_open(ink_file **file, const char *path, const cli_arguments *arguments);

/* Opens a file ("-": standard input) for reading, again after a signal; negative with errno set if
 * that fails. */
int file_open(const char *path);
/* Reads a whole file ("-": standard input); the caller frees *bytes. */
int file_read(const char *path, uint8_t **bytes, size_t *count);

/* Reads the secret of --secret, which stays valid; *secret becomes NULL if there is none. */
int secret_read(const cli_arguments *arguments, const uint8_t **secret);

/* Checks the folder of --temp before a job starts. */
int temp_check(const cli_arguments *arguments);

/* The line of a job over data and a sketch file (or NULL) that failed, and its code. Records of
 * data_asked may be keys there, and no lines. */
int job_fails(const ink_job *job, const char *sketches, const ink_error *error);

/* Erases the progress bar, and prints how many records were skipped, if any; with --quiet not. */
void job_reports_skipped(const cli_arguments *arguments, const ink_job *job);

#endif
