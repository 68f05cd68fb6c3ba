/* help_pages.h - pages of help as text, at most 80 columns wide, from the tables of commands,
 * options and kinds. */
#ifndef INK_CLI_HELP_HELP_PAGES_H
#define INK_CLI_HELP_HELP_PAGES_H

#include "options/options.h"

/* The list of commands. */
void help_overview(void);

/* All about a command. */
void help_command(const cli_command *command);

/* All about a kind of sketches. */
void help_kind(const char *kind);

#endif
