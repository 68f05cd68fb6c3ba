/* kinds.c - the list of kinds. */
#include "sketch/kinds.h"

#include "sketch/kind.h"

#include <string.h>

const ink__kind *const ink__kinds[] = {
    &ink__bloom, &ink__classic, &ink__counting, &ink__scalable, &ink__count_min,
    &ink__top,   &ink__fm,      &ink__hll,      NULL,
};

const ink__kind *ink__kind_named(const char *name)
{
    const ink__kind *const *kind = ink__kinds;

    while (*kind != NULL && strcmp((*kind)->name, name) != 0)
        kind++;
    return *kind;
}

const ink__kind *ink__kind_of_id(unsigned id)
{
    const ink__kind *const *kind = ink__kinds;

    while (*kind != NULL && (*kind)->id != id)
        kind++;
    return *kind;
}

const char *ink_kind_name(size_t index)
{
    size_t kinds = sizeof ink__kinds / sizeof ink__kinds[0] - 1;

    return index < kinds ? ink__kinds[index]->name : NULL;
}
