/* dedup_options.h - options of ink dedup, which ink plan dedup has too, as the library takes them.
 */
#ifndef INK_CLI_ARGUMENTS_DEDUP_OPTIONS_H
#define INK_CLI_ARGUMENTS_DEDUP_OPTIONS_H

#include "inkling_job.h"
#include "options/options.h"

ink_dedup_options dedup_options(const cli_arguments *arguments);
ink_reading       dedup_reading(const cli_arguments *arguments);
/* Refuses levels that do not go together. */
int dedup_check_levels(const cli_arguments *arguments);

#endif
