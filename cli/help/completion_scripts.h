/* completion_scripts.h - scripts that complete the words of ink in a shell, from the tables of
 * commands and options. */
#ifndef INK_CLI_HELP_COMPLETION_SCRIPTS_H
#define INK_CLI_HELP_COMPLETION_SCRIPTS_H

#include "options/options.h"

/* Print the script for a shell, which completes all these commands. */
void completion_bash(const cli_command *const *all);
void completion_fish(const cli_command *const *all);
void completion_zsh(const cli_command *const *all);

/* ---- What the scripts have in common ------------------------------------------------------ */

typedef enum value_source {
    SOURCE_NONE, /* no value */
    SOURCE_FREE, /* any text */
    SOURCE_WORDS,
    SOURCE_FILES,
    SOURCE_FOLDERS,
} value_source;

/* What completes the value of an option. */
value_source option_source(const cli_option *option);

/* Print the words that may be an option's value, if any, separated by blanks; its names, separated
 * by `between`; and the names of all options of a command whose value is the next word, a blank
 * before each. */
void put_value_words(const cli_option *option);
void put_option_names(const cli_option *option, const char *between);
void put_valued_options(const cli_command *command);

/* Option number `index` of a command, --help last; NULL past the last one. */
const cli_offer *completed_offer(const cli_command *command, size_t index);

/* Whether operands are files, all or those after the first; and whether the first is a sketch file.
 */
bool takes_files(const cli_command *command);
bool takes_sketches(const cli_command *command);

#endif
