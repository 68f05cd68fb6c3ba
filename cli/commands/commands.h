/* commands.h - all commands. A new one is a file commands/X.c, a line here and one in list.c. */
#ifndef INK_CLI_COMMANDS_COMMANDS_H
#define INK_CLI_COMMANDS_COMMANDS_H

#include "options/options.h"

extern const cli_command command_plan;
extern const cli_command command_build;
extern const cli_command command_add;
extern const cli_command command_remove;
extern const cli_command command_filter;
extern const cli_command command_count;
extern const cli_command command_top;
extern const cli_command command_distinct;
extern const cli_command command_uniq;
extern const cli_command command_dot;
extern const cli_command command_verify;
extern const cli_command command_info;
extern const cli_command command_merge;
extern const cli_command command_fold;
extern const cli_command command_stream;
extern const cli_command command_map;
extern const cli_command command_reduce;
extern const cli_command command_gen;
extern const cli_command command_lab;
extern const cli_command command_completion;
extern const cli_command command_help;
extern const cli_command command_version;

#endif
