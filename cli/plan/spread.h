/* spread.h - the plan of a job on a cluster: the number of reducers, and the memory of tasks. */
#ifndef INK_CLI_PLAN_SPREAD_H
#define INK_CLI_PLAN_SPREAD_H

#include "hadoop/map_reduce.h"

/* Prints the plan as a JSON object; docs/output.md lists its fields. */
int spread_print(const cli_stage *stage, const cli_arguments *arguments);

#endif
