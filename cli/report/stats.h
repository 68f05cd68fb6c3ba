/* stats.h - what a command did, for --stats: a JSON object on standard error. */
#ifndef INK_CLI_REPORT_STATS_H
#define INK_CLI_REPORT_STATS_H

#include "inkling_job.h"
#include "options/options.h"

/* The account for the jobs of this command; NULL without --stats. */
ink_account *stats_begin(const cli_arguments *arguments);

/* The same, later. */
ink_account *stats_account(void);

/* What this thread did since the last phase was `name`. Does nothing without --stats. */
void stats_phase(const char *name);

/* Prints the object; called once, at the end of the process. */
void stats_finish(void);

#endif
