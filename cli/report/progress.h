/* progress.h - how long work takes: a bar on standard error meanwhile, and a clock. */
#ifndef INK_CLI_REPORT_PROGRESS_H
#define INK_CLI_REPORT_PROGRESS_H

#include "inkling_job.h"
#include "options/options.h"

/* A job with the options that say how to run, and a bar if standard error is a terminal. */
ink_job progress_job(const cli_arguments *arguments);

/* Whether somebody sits there to be told how it went, and wants to be: standard error is a
 * terminal, and there is no --quiet. */
bool somebody_waits(const cli_arguments *arguments);

/* A clock, to tell how long things took. */
double seconds_now(void);

/* Draws a bar for work that is no job: what is being done, and the share of all that is done. */
void progress_share(const cli_arguments *arguments, const char *what, double share);

/* Takes the bar away, if there is one; async-signal-safe. */
void progress_clear(void);

#endif
