/* verify_report.h - verification results as text, TSV or JSON. */
#ifndef INK_CLI_REPORT_VERIFY_REPORT_H
#define INK_CLI_REPORT_VERIFY_REPORT_H

#include "inkling_job.h"
#include "options/options.h"

/* Prints a row for each sketch, and in text a summary, unless --quiet is given. Returns CODE_YES if
 * all promises were kept, CODE_NO if not, or the code of an error. */
int verify_report_print(const cli_arguments *arguments, const ink_verification *verification);

#endif
