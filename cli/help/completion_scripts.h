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
    SOURCE_NONE,    /* no value, */
    SOURCE_FREE,    /* one that nobody can guess, */
    SOURCE_WORDS,   /* one of some words, */
    SOURCE_FILES,   /* a file, */
    SOURCE_FOLDERS, /* or a folder */
} value_source;

/* What the value of an option may be. */
value_source option_source(const cli_option *option);

/* The words that may be its value, with blanks between them; its names, with `between` so; and the
 * names of all options of a command that take a value in the word behind them, a blank before each.
 */
void put_value_words(const cli_option *option);
void put_option_names(const cli_option *option, const char *between);
void put_valued_options(const cli_command *command);

/* Option number `index` that a command takes, with --help behind those it offers; NULL past the
 * last one. */
const cli_offer *completed_offer(const cli_command *command, size_t index);

/* Whether its operands are files, all of them or those behind the first; and whether the first is a
 * file of sketches. */
bool takes_files(const cli_command *command);
bool takes_sketches(const cli_command *command);

#endif
