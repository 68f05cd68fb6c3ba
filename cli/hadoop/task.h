/* task.h - a task of Hadoop Streaming, as its environment tells of it: what it reads, where its
 * results belong, and the lines by which it reports. Outside of Hadoop there is none, and all of
 * this does what a shell expects. */
#ifndef INK_CLI_HADOOP_TASK_H
#define INK_CLI_HADOOP_TASK_H

#include "inkling_job.h"
#include "options/options.h"

/* Whether this is a task. */
bool task_is(void);

/* What the environment tells; its names there are in task.c. */
typedef enum task_variable {
    TASK_ATTEMPT,
    TASK_INPUT_FILE,
    TASK_INPUT_START,
    TASK_REDUCES,
    TASK_PARTITION,
    TASK_IS_MAP,
    TASK_MAP_CORES,
    TASK_REDUCE_CORES,
    TASK_OUTPUT,
    TASK_JOB_OUTPUT,
    TASK_WEBHDFS,
    TASK_NAMENODE,
    TASK_HDFS_USER,
    TASK_HADOOP_USER,
    TASK_USER,
} task_variable;

const char *task_variable_name(task_variable which);

/* A number of the environment; if it is not there, `otherwise`. Returns 0, or prints a line and
 * returns a code. */
int task_number(task_variable which, uint64_t otherwise, uint64_t *number);

/* The file that a map reads; "-" if nobody tells. */
const char *task_file(void);
/* The same as it may stand in a message: of a part of a file with the byte where that starts, else,
 * if a record is to blame, with where that does. */
const char *task_input(const ink_job *job);

/* A path as it may stand in a message, with the byte where a record starts, if that is not 0 and
 * the file is not compressed. */
const char *task_location(const char *path, uint64_t byte);

/* The address by which a path hdfs://... is read over WebHDFS; the caller frees it. NULL for any
 * other path. Returns 0, or prints a line and returns a code. */
int task_address(const char *path, char **address);

/* Where the task's folder for results has a file of this name: a path, or an address for
 * ink_output_begin; the caller frees it. NULL in a shell. Returns 0 or a code. */
int task_output(const char *name, char **path);

/* A job with the options that say how to run, which tells Hadoop now and then that it is alive. */
ink_job task_job(const cli_arguments *arguments);

/* The same for whoever runs no job: call it often. */
void task_alive(const char *what, uint64_t count);

/* Adds to a counter of the job. */
void task_count(const char *name, uint64_t count);

/* Leaves the line of a failure where whoever started the job looks for it, as well as that can be
 * done. Returns `code`. */
int task_end(int code);

#endif
