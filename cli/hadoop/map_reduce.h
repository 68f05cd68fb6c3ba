/* map_reduce.h - the options that a map and a reduce stage share: the kinds to build, or the
 * sketches that are verified or filter; how records are read; the number of reducers.
 *
 * The folder cli/hadoop is what ink map and ink reduce share: how pieces are framed (frames),
 * which splits a map reads (splits), and what a task's environment says (task). */
#ifndef INK_CLI_HADOOP_MAP_REDUCE_H
#define INK_CLI_HADOOP_MAP_REDUCE_H

#include "arguments/inputs.h"
#include "hadoop/splits.h"
#include "options/kind_texts.h"

typedef enum stage_work { STAGE_BUILDS, STAGE_VERIFIES, STAGE_FILTERS } stage_work;

typedef struct cli_stage {
    stage_work         work;
    ink_params         kinds[KINDS_MAX];
    ink_build_options  build; /* the kinds to build; of STAGE_VERIFIES: to hash keys with */
    ink_pieces_options pieces;
    uint8_t            secret_room[INK_SECRET_BYTES];
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

/* How data is read. */
const ink_reading *stage_reading(const cli_stage *stage);
/* How sketches filter. */
ink_filter_options stage_filter(const cli_stage *stage, const cli_arguments *arguments);

#endif
