/* kind_options.h - what help says about the options and the size of a kind of sketches. */
#ifndef INK_CLI_HELP_KIND_OPTIONS_H
#define INK_CLI_HELP_KIND_OPTIONS_H

#include "options/options.h"

/* Whether an option of build means something for a kind, and what it is about there: of
 * "count-min: rows; fm: groups" the part that is about this one. */
bool kind_has_option(const char *kind, option_id id);
void kind_option_about(const char *kind, const cli_offer *offer, char *text, size_t room);

/* The size that it has unless told otherwise, and what that promises. */
void kind_size(const char *kind, char *text, size_t room);

#endif
