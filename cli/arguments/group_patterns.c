/* group_patterns.c - which groups --groups selects. */
#include "arguments/group_patterns.h"

#include "report/failure.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool group_is_wanted(const cli_arguments *arguments, const ink_label *label)
{
    const char *pattern = arguments->options[OPTION_GROUPS].text;
    bool        matches = false;

    if (pattern == NULL)
        return true;
    if (label->group_kind != INK_GROUP_BYTES || memchr(label->group, '\0', label->group_bytes))
        return false;
    char *name = need_memory(NULL, label->group_bytes + 1);
    if (label->group_bytes > 0)
        memcpy(name, label->group, label->group_bytes);
    name[label->group_bytes] = '\0';
    matches = fnmatch(pattern, name, 0) == 0;
    free(name);
    return matches;
}

int groups_missing(const cli_arguments *arguments, const char *path)
{
    if (path == NULL)
        return fail_usage(arguments->command->name, "--groups, but the files have no groups");
    return fail_usage(arguments->command->name, "--groups, but %s has no groups", shown_path(path));
}
