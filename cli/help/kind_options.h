/* kind_options.h - the options and the default size of a kind, for help. */
#ifndef INK_CLI_HELP_KIND_OPTIONS_H
#define INK_CLI_HELP_KIND_OPTIONS_H

#include "options/options.h"

/* Whether an option of build applies to a kind, and its text for that kind: of "count-min: rows;
 * fm: groups" the part of this one. */
bool kind_has_option(const char *kind, option_id id);
void kind_option_about(const char *kind, const cli_offer *offer, char *text, size_t room);

/* Its size by default, and what that promises. */
void kind_size(const char *kind, char *text, size_t room);

#endif
