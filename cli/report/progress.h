/* progress.h - a progress bar on standard error, and a clock. */
#ifndef INK_CLI_REPORT_PROGRESS_H
#define INK_CLI_REPORT_PROGRESS_H

#include "inkling_job.h"
#include "options/options.h"

/* The account of all jobs that follow; NULL: none. */
void progress_account(ink_account *of_jobs);

/* A job with --threads, --memory and --temp, and a bar if standard error is a terminal. */
ink_job progress_job(const cli_arguments *arguments);

/* Whether standard error is a terminal, and --quiet is not given. */
bool is_interactive(const cli_arguments *arguments);

/* A monotonic clock. */
double seconds_now(void);

/* Draws a bar for work that is not a job: what is being done, and the share that is done. */
void progress_share(const cli_arguments *arguments, const char *what, double share);

/* Erases the bar, if there is one; async-signal-safe. */
void progress_clear(void);

#endif
