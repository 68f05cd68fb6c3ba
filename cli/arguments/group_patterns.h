/* group_patterns.h - which groups --groups asks for. */
#ifndef INK_CLI_ARGUMENTS_GROUP_PATTERNS_H
#define INK_CLI_ARGUMENTS_GROUP_PATTERNS_H

#include "inkling.h"
#include "options/options.h"

/* Whether a group matches the pattern; without --groups every one does, and with it none that is
 * null, or no group at all. */
bool group_is_wanted(const cli_arguments *arguments, const ink_label *label);

/* The line about --groups where there are none, of one file or (NULL) of several; its code. */
int groups_missing(const cli_arguments *arguments, const char *path);

#endif
