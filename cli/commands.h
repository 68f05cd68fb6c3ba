/* commands.h - the list of commands. A new one is a file cmd_X.c, a line here and one in ink.c. */
#ifndef INK_CLI_COMMANDS_H
#define INK_CLI_COMMANDS_H

#include "options.h"

extern const cli_command command_build;
extern const cli_command command_filter;
extern const cli_command command_verify;
extern const cli_command command_info;
extern const cli_command command_merge;
extern const cli_command command_fold;
extern const cli_command command_gen;
extern const cli_command command_help;
extern const cli_command command_version;

/* Command number `index`, in order of help; NULL past the last one. */
const cli_command *command_at(size_t index);
/* NULL if there is none; then a line has been printed. */
const cli_command *command_named(const char *name);

/* Prints the list of commands, and what there is to know about one. */
void help_overview(void);
void help_about(const cli_command *command);

#endif
