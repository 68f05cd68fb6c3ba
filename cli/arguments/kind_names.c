/* kind_names.c - names of kinds on the command line. */
#include "arguments/kind_names.h"

#include "report/failure.h"

#include <stdlib.h>
#include <string.h>

static int unknown_kind(const char *command, const char *name)
{
    char list[WORDS_BYTES] = "";

    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        suggestions_add(list, sizeof list, ", ", ink_kind_name(i));
    return fail_unknown(command, "kind", name, kind_words, list);
}

/* NULL: there is none. */
static const char *known_kind(const char *name)
{
    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (strcmp(ink_kind_name(i), name) == 0)
            return ink_kind_name(i);
    return NULL;
}

bool is_kind(const char *name)
{
    return known_kind(name) != NULL;
}

int kind_named(const cli_arguments *arguments, const char *name, const char **kind)
{
    *kind = known_kind(name);
    return *kind == NULL ? unknown_kind(arguments->command->name, name) : 0;
}

static int take_kind(const cli_arguments *arguments, const char *name, ink_params kinds[KINDS_MAX],
                     size_t *kind_count)
{
    const char *command = arguments->command->name, *kind;

    TRY(kind_named(arguments, name, &kind));
    for (size_t i = 0; i < *kind_count; i++)
        if (kinds[i].kind == kind)
            return fail_usage(command, "kind %s is given twice", kind);
    if (*kind_count == KINDS_MAX)
        return fail_usage(command, "more than %d kinds", KINDS_MAX);
    kinds[(*kind_count)++] = (ink_params){.kind = kind};
    return 0;
}

char *list_next(char **list)
{
    char *part = *list, *comma = strchr(part, ',');

    if (comma != NULL)
        *comma++ = '\0';
    *list = comma;
    return part;
}

int kinds_read(const cli_arguments *arguments, const char *text, ink_params kinds[KINDS_MAX],
               size_t *kind_count)
{
    char *names = need_memory(NULL, strlen(text) + 1), *left = names;
    int   code = 0;

    strcpy(names, text);
    *kind_count = 0;
    while (code == 0 && left != NULL)
        code = take_kind(arguments, list_next(&left), kinds, kind_count);
    free(names);
    return code;
}
