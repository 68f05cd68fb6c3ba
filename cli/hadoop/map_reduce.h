/* map_reduce.h - the options that a map and a reduce stage share: the kinds to build, or the
 * sketches that are verified or filter; how records are read; the number of reducers.
 *
 * The folder cli/hadoop is what ink map and ink reduce share: how pieces are framed (frames), and
 * what a task's environment says (task). */
#ifndef INK_CLI_HADOOP_MAP_REDUCE_H
#define INK_CLI_HADOOP_MAP_REDUCE_H

#include "arguments/inputs.h"
#include "inkling_pieces.h"
#include "options/kind_texts.h"

/* Parts of files that a map reads itself. The program that submits the job lists them: OFFSET,
 * BYTES (0: to the end of the file) and PATH of each part, each followed by a tab or a line end. A
 * path hdfs://... is read over WebHDFS, from the servers that the environment names. */
typedef struct cli_splits {
    char        *text;      /* the list, cut into its fields */
    const char **names;     /* paths as listed, one for each input ... */
    char       **addresses; /* ... and their WebHDFS addresses, or NULL */
    size_t       count;
} cli_splits;

/* Reads the list from standard input; if it fails, there is nothing to end. The caller frees
 * *inputs, which are valid until splits_end. */
int  splits_read(cli_splits *splits, ink_input **inputs, size_t *input_count);
void splits_end(cli_splits *splits);

/* The listed name of the input with this path. */
const char *splits_name(const cli_splits *splits, const ink_input *inputs, const char *path);

typedef enum stage_work { STAGE_BUILDS, STAGE_VERIFIES, STAGE_FILTERS } stage_work;

typedef struct cli_stage {
    stage_work         work;
    ink_params         kinds[KINDS_MAX];
    ink_build_options  build; /* the kinds to build; of STAGE_VERIFIES: to hash keys with */
    ink_pieces_options pieces;
    const uint8_t     *secret;
    cli_data           data;       /* the operands after the kind, and how they are read */
    cli_splits         splits;     /* --splits: the list of them */
    const char        *sketches;   /* --verify, --filter: the file, ... */
    ink_file          *file;       /* ... open ... */
    ink_input_spec    *input_spec; /* ... and how its data was read, or NULL */
} cli_stage;

/* Reads the command line, runs the job and ends the task with its code, or with that of a wrong
 * command line. */
typedef int stage_job(const cli_stage *stage, const cli_arguments *arguments);
int         stage_run(const cli_arguments *arguments, stage_job *job);

/* How sketches filter. */
ink_filter_options stage_filter(const cli_stage *stage, const cli_arguments *arguments);

#endif
