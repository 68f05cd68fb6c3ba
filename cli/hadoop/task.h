/* task.h - a task of Hadoop Streaming: its input, its output folder and its reports, by its
 * environment. Outside Hadoop there is no task, and these functions do what a shell expects. */
#ifndef INK_CLI_HADOOP_TASK_H
#define INK_CLI_HADOOP_TASK_H

#include "inkling_job.h"
#include "options/options.h"

/* Whether this is a task. */
bool task_is(void);

/* Variables that Hadoop sets: names of the job's configuration, with an underscore for each dot. */
#define TASK_REDUCES "mapreduce_job_reduces"
#define TASK_PARTITION "mapreduce_task_partition"
#define TASK_INPUT_START "mapreduce_map_input_start"

/* A number of the environment; `otherwise` if it is not set. */
int task_number(const char *variable, uint64_t otherwise, uint64_t *number);

/* The file that a map reads; "-" if it is not known. */
const char *task_file(void);
/* The same for messages: with the byte where the split starts, or else the failed record. */
const char *task_input(const ink_job *job);

/* A path for messages, with the byte where a record starts, if that is not 0 and the file is not
 * compressed. */
const char *task_location(const char *path, uint64_t byte);

/* The WebHDFS address of a path hdfs://...; the caller frees it. NULL for any other path. */
int task_address(const char *path, char **address);

/* The path or address, for ink_output_begin, of a file in the task's output folder; the caller
 * frees it. NULL outside Hadoop. */
int task_output(const char *name, char **path);

/* A job with the options of the group `run`, which reports to Hadoop that it is alive. */
ink_job task_job(const cli_arguments *arguments);

/* The same outside a job; call it often. */
void task_alive(const char *what, uint64_t count);

/* Adds to a counter of the job. */
void task_count(const char *name, uint64_t count);

/* Writes the line of a failure into the folder _errors of the job's output, if it can. Returns
 * code. */
int task_end(int code);

#endif
