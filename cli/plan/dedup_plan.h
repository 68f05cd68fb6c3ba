/* dedup_plan.h - ink plan dedup: what a corpus without repeats will take. */
#ifndef INK_CLI_DEDUP_PLAN_H
#define INK_CLI_DEDUP_PLAN_H

#include "options/options.h"

/* Whether the first operand says so; the others are files. */
bool plan_is_dedup(const cli_arguments *arguments);
int  plan_dedup(const cli_arguments *arguments);
/* Refuses options of levels where kinds are planned. */
int plan_refuse_levels(const cli_arguments *arguments);

#endif
