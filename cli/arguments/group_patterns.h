/* group_patterns.h - which groups --groups selects. */
#ifndef INK_CLI_ARGUMENTS_GROUP_PATTERNS_H
#define INK_CLI_ARGUMENTS_GROUP_PATTERNS_H

#include "inkling.h"
#include "options/options.h"

/* Whether --groups selects a group. Without --groups every one is selected; with it, neither the
 * null group nor sketches without a group. */
bool group_is_wanted(const cli_arguments *arguments, const ink_label *label);

/* Prints the line about --groups where `path` (NULL: several files) has none; returns its code. */
int groups_missing(const cli_arguments *arguments, const char *path);

#endif
