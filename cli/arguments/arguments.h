/* arguments.h - how a command line is taken apart by the table of options. */
#ifndef INK_CLI_ARGUMENTS_ARGUMENTS_H
#define INK_CLI_ARGUMENTS_ARGUMENTS_H

#include "options/options.h"

/* Takes the words behind the command's name apart. Returns 0, or prints a line and returns an exit
 * code. */
int  options_parse(cli_arguments *arguments, const cli_command *command, int word_count,
                   char **words);
void options_release(cli_arguments *arguments);

/* Reads the value of an option, which was typed as `as`, as the command has it. Returns 0, or
 * prints a line and returns an exit code. */
int options_value(const cli_command *command, option_id id, const char *as, const char *text,
                  option_given *given);

/* The values of an option that may be given more than once: copies at most `room`, returns how many
 * there are. */
size_t options_list(const cli_arguments *arguments, option_id id, const char **texts, size_t room);

#endif
