/* inputs.h - what commands read: data, sketch files and secrets, as the command line names them. */
#ifndef INK_CLI_ARGUMENTS_INPUTS_H
#define INK_CLI_ARGUMENTS_INPUTS_H

#include "inkling_job.h"
#include "options/options.h"

/* How data is read, from the options of the group `input`. */
typedef struct cli_reading {
    ink_reading how;
    const char *columns[INK_KEY_COLUMNS_MAX];
    char       *columns_text; /* that they stand in */
} cli_reading;

/* Files as inputs; none is standard input. Returns 0 or a code; *inputs is the caller's to free. */
int inputs_of(const cli_arguments *arguments, const char *const *paths, size_t path_count,
              ink_input **inputs, size_t *input_count);

/* Data: files, and how they are read. */
typedef struct cli_data {
    ink_input  *inputs;
    size_t      input_count;
    cli_reading reading;
    uint8_t    *keys; /* of -e, or NULL */
} cli_data;

/* No path is standard input. Returns 0 or a code; then there is nothing to end. */
int  data_begin(cli_data *data, const cli_arguments *arguments, const char *const *paths,
                size_t path_count);
void data_end(cli_data *data);

/* The keys of -e as data: one input of records that end with NUL. */
void data_of_ask(cli_data *data, const cli_arguments *arguments);

/* Whether -e stands without what would tell how other data is read: a line and a code if not.
 * `operands` are those that the command has beside -e. */
int ask_check(const cli_arguments *arguments, size_t operands);

/* Whether a path is a regular file that is no sketch file, not even a broken one. */
bool is_data_file(const char *path);

/* Opens a sketch file, "-" from standard input: what is small is copied, so that nobody can pull it
 * away. Returns 0 or a code. */
int sketches_open(ink_file **file, const char *path);

/* Opens a file, "-" standard input, to read from it, however often a signal comes between; negative
 * with an errno if that fails. */
int file_open(const char *path);
/* Reads a file, "-" standard input, to its end; the caller frees *bytes. Returns 0 or a code. */
int file_read(const char *path, uint8_t **bytes, size_t *count);

/* Reads the secret of --secret into `room`, and points *secret there; at NULL if there is none.
 * Returns 0 or a code. */
int secret_read(const cli_arguments *arguments, uint8_t room[INK_SECRET_BYTES],
                const uint8_t **secret);

/* Whether the folder of --temp is there, long before it may be needed. Returns 0 or a code. */
int temp_check(const cli_arguments *arguments);

/* The line of a job over data and a sketch file (or NULL) that failed, and its code. Records of
 * data_of_ask are keys there, and no lines. */
int job_fails(const ink_job *job, const char *sketches, const ink_error *error);

/* Says how many records were skipped, if any were. */
void job_reports_skipped(const ink_job *job);

#endif
