/* map_reduce.h - what the two halves of a job on many machines are told alike: the kinds that are
 * built, or the sketches that are verified or filter, how records are read, and how many reducers
 * there are. */
#ifndef INK_CLI_HADOOP_MAP_REDUCE_H
#define INK_CLI_HADOOP_MAP_REDUCE_H

#include "arguments/inputs.h"
#include "hadoop/splits.h"
#include "options/kind_texts.h"

typedef enum half_work { HALF_BUILDS, HALF_VERIFIES, HALF_FILTERS } half_work;

typedef struct cli_half {
    half_work          work;
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
} cli_half;

/* Reads all this off the command line, has the job done, and ends the task with its code; or prints
 * a line about what is wrong, and ends it with that code. */
typedef int half_job(const cli_half *half, const cli_arguments *arguments);
int         half_run(const cli_arguments *arguments, half_job *job);

/* How data is read. */
const ink_reading *half_reading(const cli_half *half);
/* What is asked of sketches that filter. */
ink_filter_options half_asked(const cli_half *half, const cli_arguments *arguments);

#endif
