/* splits.h - a list of parts of files that a map reads by itself, as whoever submits a job has
 * written it: of each part OFFSET, BYTES (0: up to the end of the file) and PATH, with a tab or the
 * end of a line behind each. A path hdfs://... is read over WebHDFS, from the servers that the
 * environment of a task names. */
#ifndef INK_CLI_HADOOP_SPLITS_H
#define INK_CLI_HADOOP_SPLITS_H

#include "inkling_job.h"

typedef struct cli_splits {
    char        *text;      /* the list, cut into its fields */
    const char **names;     /* paths as they stand there, one for each input ... */
    char       **addresses; /* ... or one by which it is reached; else NULL */
    size_t       count;
} cli_splits;

/* Reads the list from standard input. Returns 0, or prints a line and returns a code; then there is
 * nothing to end. *inputs is the caller's to free, and good until the list is ended. */
int  splits_read(cli_splits *splits, ink_input **inputs, size_t *input_count);
void splits_end(cli_splits *splits);

/* The name in the list of the input that has this path. */
const char *splits_name(const cli_splits *splits, const ink_input *inputs, const char *path);

#endif
