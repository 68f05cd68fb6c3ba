/* completion.h - scripts that complete the words of ink in a shell. */
#ifndef INK_CLI_HELP_COMPLETION_H
#define INK_CLI_HELP_COMPLETION_H

#include "options/options.h"

/* Print the script for a shell, which completes all these commands. */
void completion_bash(const cli_command *const *all);
void completion_fish(const cli_command *const *all);
void completion_zsh(const cli_command *const *all);

#endif
