/* splits.h - a list of parts of files that a map reads itself. The program that submits the job
 * writes it: OFFSET, BYTES (0: to the end of the file) and PATH of each part, each followed by a
 * tab or a line end. A path hdfs://... is read over WebHDFS, from the servers that the environment
 * names.
 */
#ifndef INK_CLI_HADOOP_SPLITS_H
#define INK_CLI_HADOOP_SPLITS_H

#include "inkling_job.h"

typedef struct cli_splits {
    char        *text;      /* the list, cut into its fields */
    const char **names;     /* paths as listed, one for each input ... */
    char       **addresses; /* ... and their WebHDFS addresses, or NULL */
    size_t       count;
} cli_splits;

/* Reads the list from standard input. Returns 0, or prints a line and returns a code, with nothing
 * to end. The caller frees *inputs, which are valid until splits_end. */
int  splits_read(cli_splits *splits, ink_input **inputs, size_t *input_count);
void splits_end(cli_splits *splits);

/* The listed name of the input with this path. */
const char *splits_name(const cli_splits *splits, const ink_input *inputs, const char *path);

#endif
