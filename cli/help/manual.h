/* manual.h - manual pages, as man(7) roff, from the tables of commands, options and kinds. */
#ifndef INK_CLI_MANUAL_H
#define INK_CLI_MANUAL_H

#include "options/options.h"

/* The page ink(1): what holds for all commands, and the kinds of sketches that `build` builds. */
void manual_overview(const cli_command *const *all, const cli_command *build);

/* The page ink-COMMAND(1). */
void manual_command(const cli_command *const *all, const cli_command *command);

#endif
