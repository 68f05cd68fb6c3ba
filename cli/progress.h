/* progress.h - a bar on standard error while a job takes long. */
#ifndef INK_CLI_PROGRESS_H
#define INK_CLI_PROGRESS_H

#include "inkling_job.h"
#include "options.h"

/* A job with the options that say how to run, and a bar if standard error is a terminal. */
ink_job progress_job(const cli_arguments *arguments);

/* Takes the bar away, if there is one; async-signal-safe. */
void progress_clear(void);

#endif
