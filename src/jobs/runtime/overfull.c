/* overfull.c - filters that are above their promise: found, ranked, and refused. */
#include "jobs/runtime/overfull.h"

#include "base/status.h"
#include "base/text.h"

#include <string.h>

void ink__label_show(const ink_label *label, char *text, size_t bytes)
{
    bool named = label->group_kind == INK_GROUP_BYTES;

    ink__format(text, bytes, "%s",
                named                                 ? "\"\""
                : label->group_kind == INK_GROUP_NULL ? "(null)"
                                                      : "(none)");
    if (named && label->group_bytes > 0)
        ink__quote(text, bytes, label->group, label->group_bytes);
}

/* Keeps the worst in order. Of equal rates the first stays before. */
static void rank(ink__overfull *all, const char *label, const ink__excess *found)
{
    unsigned at = INK__OVERFULL_WORST;

    while (at > 0 && found->rate > all->worst[at - 1].rate)
        at--;
    if (at == INK__OVERFULL_WORST)
        return;
    unsigned moved = INK__OVERFULL_WORST - 1 - at;
    memmove(all->worst + at + 1, all->worst + at, moved * sizeof *all->worst);
    memmove(all->labels + at + 1, all->labels + at, moved * sizeof *all->labels);
    all->worst[at] = *found;
    memcpy(all->labels[at], label, sizeof all->labels[at]);
}

void ink__overfull_look(ink__overfull *all, const ink_label *label, const ink_sketch *sketch)
{
    ink__excess   found;
    ink_kind_info info;
    char          text[INK__OVERFULL_LABEL] = "";

    if (sketch == NULL || ink_kind_describe(ink_sketch_kind(sketch), &info, NULL) != INK_OK ||
        !info.contains)
        return;
    all->filters++;
    if (!ink__sketch_overfull(sketch, all->max_rate, &found))
        return;
    all->count++;
    all->grouped = all->grouped || label->group_kind != INK_GROUP_NONE;
    if (found.keys > all->keys)
        all->keys = found.keys;
    ink__label_show(label, text, sizeof text);
    rank(all, text, &found);
}

void ink__overfull_join(ink__overfull *all, const ink__overfull *later)
{
    all->filters += later->filters;
    all->count += later->count;
    all->grouped = all->grouped || later->grouped;
    all->keys = all->keys < later->keys ? later->keys : all->keys;
    for (uint64_t i = 0; i < later->count && i < INK__OVERFULL_WORST; i++)
        rank(all, later->labels[i], &later->worst[i]);
}

ink_status ink__overfull_refuse(const ink__overfull *all, ink_error *error)
{
    char   list[INK__OVERFULL_WORST * (INK__OVERFULL_LABEL + 24) + 32] = "";
    size_t used = 0;

    if (all->count == 0)
        return INK_OK;
    if (!all->grouped)
        return ink__fail_rate(all->worst[0].rate, all->worst[0].limit, all->max_rate != 0,
                              all->keys, error);
    for (uint64_t i = 0; i < all->count && i < INK__OVERFULL_WORST; i++)
        used += ink__format(list + used, sizeof list - used, "%s%s (%g)", i == 0 ? "" : ", ",
                            all->labels[i], all->worst[i].rate);
    if (all->count > INK__OVERFULL_WORST)
        ink__format(list + used, sizeof list - used, " and %llu more",
                    (unsigned long long)(all->count - INK__OVERFULL_WORST));
    if (all->stopped)
        return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                         "reading stopped: filters would be above the promised rate %g: %s; "
                         "expected {expected_keys} above %llu or none (then each group is sized by "
                         "its keys), or {max_rate}",
                         all->worst[0].limit, list, (unsigned long long)all->keys);
    return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                     all->built
                         ? "%llu of %llu filters would be above the %s rate %g: %s; expected "
                           "{expected_keys} %llu or none (then each group is sized by its "
                           "keys), or {max_rate}"
                         : "%llu of %llu filters would be above the %s rate %g: %s; expected "
                           "{expected_keys} %llu, or {max_rate}",
                     (unsigned long long)all->count, (unsigned long long)all->filters,
                     all->max_rate != 0 ? "allowed" : "promised", all->worst[0].limit, list,
                     (unsigned long long)all->keys);
}
