/* list.h - the list of commands. */
#ifndef INK_CLI_COMMANDS_LIST_H
#define INK_CLI_COMMANDS_LIST_H

#include "options/options.h"

/* In the order of help, those of a group together, up to a NULL. */
extern const cli_command *const all_commands[];

/* NULL if there is none of this name; then a line has been printed. */
const cli_command *command_named(const char *name);

#endif
