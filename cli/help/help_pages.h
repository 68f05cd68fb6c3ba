/* help_pages.h - what ink says about itself, from the tables of commands, options and kinds: pages
 * of help, manuals (manual.c), and completion for shells (completion.c). */
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

/* Manual pages as man(7) roff: ink(1), with the kinds that `build` builds, and ink-COMMAND(1). */
void manual_overview(const cli_command *const *all, const cli_command *build);
void manual_command(const cli_command *const *all, const cli_command *command);

/* Print the script for a shell, which completes all these commands. */
void completion_bash(const cli_command *const *all);
void completion_fish(const cli_command *const *all);
void completion_zsh(const cli_command *const *all);

#endif
