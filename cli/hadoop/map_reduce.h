/* map_reduce.h - what the two halves of a job on many machines are told alike: the kinds that are
 * built, or the sketches that are verified or filter, how records are read, and how many reducers
 * there are. */
#ifndef INK_CLI_HADOOP_MAP_REDUCE_H
#define INK_CLI_HADOOP_MAP_REDUCE_H

#include "arguments/inputs.h"
#include "hadoop/splits.h"
#include "options/kind_texts.h"

typedef enum stage_work { STAGE_BUILDS, STAGE_VERIFIES, STAGE_FILTERS } stage_work;

typedef struct cli_stage {
    stage_work         work;
    ink_params         kinds[KINDS_MAX];
    ink_build_options  build;  /* what is built, or by whose pieces sketches are verified */
    ink_pieces_options pieces; /* how */
    uint8_t            secret_room[INK_SECRET_BYTES];
    const uint8_t     *secret;
    cli_data           data;       /* the operands behind the kind; how they are read is complete */
    cli_splits         splits;     /* --splits: where these are from */
    const char        *sketches;   /* --verify, --filter: the file, ... */
    ink_file          *file;       /* ... open ... */
    ink_input_spec    *input_spec; /* ... and how it was read; else NULL */
} cli_stage;

/* Reads all this off the command line, has the job done, and ends the task with its code; or prints
 * a line about what is wrong, and ends it with that code. */
typedef int stage_job(const cli_stage *stage, const cli_arguments *arguments);
int         stage_run(const cli_arguments *arguments, stage_job *job);

/* How data is read. */
const ink_reading *stage_reading(const cli_stage *stage);
/* What is asked of sketches that filter. */
ink_filter_options stage_asked(const cli_stage *stage, const cli_arguments *arguments);

#endif
