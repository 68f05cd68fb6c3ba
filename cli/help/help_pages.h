/* help_pages.h - pages of help as text, at most 80 columns wide, from the tables of commands,
 * options and kinds. */
#ifndef INK_CLI_HELP_HELP_PAGES_H
#define INK_CLI_HELP_HELP_PAGES_H

#include "options/options.h"

/* The list of all commands. */
void help_overview(const cli_command *const *all);

/* All about one of them. */
void help_command(const cli_command *const *all, const cli_command *command);

/* All about a kind of sketches, which `build` builds. */
void help_kind(const cli_command *build, const char *kind);

/* Whether an option of build applies to a kind; its size by default, and what that promises. */
bool kind_has_option(const char *kind, option_id id);
void kind_size(const char *kind, char *text, size_t room);

#endif
