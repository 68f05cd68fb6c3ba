/* verify_report.h - what was found of promises, printed. */
#ifndef INK_CLI_REPORT_VERIFY_REPORT_H
#define INK_CLI_REPORT_VERIFY_REPORT_H

#include "inkling_job.h"
#include "options/options.h"

/* Prints a row for each sketch, and in text the verdict for all, unless --quiet is given. Returns
 * the code that tells whether the promises were kept. */
int verify_report_print(const cli_arguments *arguments, const ink_verification *verification);

#endif
