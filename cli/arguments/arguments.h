/* arguments.h - parses a command line by the table of options.
 *
 * The folder cli/arguments reads command lines: options (arguments), data and sketch files
 * (inputs), kinds and their sizes, groups, and the sketches that a query is for (query_target). */
#ifndef INK_CLI_ARGUMENTS_ARGUMENTS_H
#define INK_CLI_ARGUMENTS_ARGUMENTS_H

#include "options/options.h"

/* Parses the words after the command's name; options_release frees `arguments` in any case. */
int  options_parse(cli_arguments *arguments, const cli_command *command, int word_count,
                   char **words);
void options_release(cli_arguments *arguments);

/* Reads a value of an option of the command; messages name the option `as`. */
int options_value(const cli_command *command, option_id id, const char *as, const char *text,
                  option_given *given);

/* Copies at most `room` values of an option that repeats; returns how many there are. */
size_t options_list(const cli_arguments *arguments, option_id id, const char **texts, size_t room);

#endif
