/* kinds.c - the list of kinds. */
#include "sketch/kinds/kind.h"

#include "base/status.h"
#include "base/text.h"

#include <string.h>

const ink__kind *const ink__kinds[] = {
    &ink__bloom,     &ink__classic, &ink__counting, &ink__scalable,
    &ink__count_min, &ink__top,     &ink__fm,       &ink__hll,
    &ink__theta,     &ink__fuse,    NULL,
};

ink_status ink__kind_find(const char *name, const ink__kind **kind, ink_error *error)
{
    char   names[128], found[64];
    size_t used = 0;

    *kind = NULL;
    for (size_t i = 0; name != NULL && ink__kinds[i] != NULL; i++)
        if (strcmp(ink__kinds[i]->name, name) == 0)
            *kind = ink__kinds[i];
    if (*kind != NULL)
        return INK_OK;
    for (size_t i = 0; ink__kinds[i] != NULL; i++)
        used += ink__format(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                            ink__kinds[i]->name);
    ink__quote(found, sizeof found, name, name == NULL ? 0 : strlen(name));
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{kind} \"%s\", expected one of %s", found,
                     names);
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
    return index < sizeof ink__kinds / sizeof ink__kinds[0] - 1 ? ink__kinds[index]->name : NULL;
}

ink_status ink_kind_describe(const char *kind, ink_kind_info *info, ink_error *error)
{
    const ink__kind *found;

    INK__TRY(ink__kind_find(kind, &found, error));
    *info = (ink_kind_info){
        .contains = found->contains != NULL,
        .counts = found->count != NULL,
        .keeps_keys = found->keeps_keys,
        .distinct = found->distinct != NULL,
        .dot = found->dot != NULL,
        .weights = found->counts,
        .removes = found->remove != NULL,
        .sized_by_keys = ink__is_sized_by_keys(found),
        .fixed_size = found->fixed_size,
        .local = found->block_bytes != 0,
        .subtracts = found->subtract != NULL,
        .made_whole = found->whole != NULL,
    };
    memcpy(info->ranks, found->ranks, sizeof found->ranks);
    return INK_OK;
}
