/* kind_options.c - the options and the default size of a kind, for help. */
#include "help/kind_options.h"

#include "arguments/size_options.h"
#include "inkling.h"
#include "report/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool kind_has_option(const char *kind, option_id id)
{
    ink_kind_info info;

    if (id == OPTION_HEADROOM)
        return ink_kind_describe(kind, &info, NULL) == INK_OK && info.sized_by_keys;
    return sizes_kind_has(kind, id);
}

void kind_option_about(const char *kind, const cli_offer *offer, char *text, size_t room)
{
    static const char all_filters[] = "filters: ";
    const char       *about = offer_about(offer), *part = about;
    size_t            length = strlen(kind);

    while (part != NULL && (strncmp(part, kind, length) != 0 || part[length] != ':')) {
        part = strstr(part, "; ");
        part = part == NULL ? NULL : part + 2;
    }
    if (part == NULL) { /* it applies to all kinds, or to all filters */
        bool filters = strncmp(about, all_filters, strlen(all_filters)) == 0;
        snprintf(text, room, "%s", about + (filters ? strlen(all_filters) : 0));
        return;
    }
    part += length + strlen(": ");
    const char *end = strchr(part, ';');
    snprintf(text, room, "%.*s", (int)(end == NULL ? strlen(part) : (size_t)(end - part)), part);
}

/* What a size promises, as the end of the text about it. */
static void promise(const ink_description *plan, char *text, size_t room)
{
    *text = '\0';
    if (plan->promised_rate > 0)
        snprintf(text, room, ", at a rate of %.3g", plan->promised_rate);
    else if (plan->epsilon > 0)
        snprintf(text, room,
                 ", %" PRIu32 " rows of %" PRIu64
                 " counters: too high by more than %.3g of the total with a chance of %.2g",
                 plan->depth, plan->width, plan->epsilon, plan->delta);
    else if (plan->phi > 0)
        snprintf(text, room, ", %" PRIu64 " counters: no key above %.3g of the total is missed",
                 plan->capacity, plan->phi);
    else if (plan->standard_error > 0)
        snprintf(text, room, ", a standard error of %.2g %%", 100 * plan->standard_error);
}

void kind_size(const char *kind, char *text, size_t room)
{
    enum { A_MILLION = 1000000 };
    char            size[32], kept[160];
    ink_kind_info   info;
    ink_description plan;
    ink_params      params = {.kind = kind};

    *text = '\0';
    if (ink_kind_describe(kind, &info, NULL) != INK_OK)
        return;
    params.expected_keys = info.sized_by_keys ? A_MILLION : 0;
    if (ink_plan(&params, &plan, NULL) != INK_OK)
        return;
    promise(&plan, kept, sizeof kept);
    format_size(size, sizeof size, plan.bytes_max > 0 ? plan.bytes_max : plan.bytes);
    if (info.sized_by_keys)
        snprintf(text, room, "%s for a million keys, %.1f bits each%s", size, plan.bits_per_key,
                 kept);
    else if (plan.bytes_max == 0)
        snprintf(text, room, "grows with its keys%s", kept);
    else
        snprintf(text, room, "%s%s%s", size, plan.bytes < plan.bytes_max ? " at most" : "", kept);
}
