/* matches.c - the sketches of a file that answer a question. */
#include "jobs/groups/matches.h"

#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/kind_choice.h"

#include <stdlib.h>
#include <string.h>

void ink__members_free(ink__members *members)
{
    for (size_t i = 0; i < members->count; i++)
        ink_sketch_free(members->list[i].sketch);
    ink__release(&members->allocator, members->list, members->list_bytes);
    members->list = NULL;
    members->count = 0;
}

ink_status ink__member_unlock(ink_sketch *sketch, const uint8_t *secret, ink_error *error)
{
    ink_description description;

    ink_sketch_describe(sketch, &description);
    if (description.keyed && secret == NULL)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a keyed file, expected its secret ({secret})");
    return secret == NULL ? INK_OK : ink_sketch_unlock(sketch, secret, error);
}

/* Makes a sketch of an entry, or of all slots of its group. */
static ink_status make_member(const ink_file *file, size_t index, const ink_entry_info *info,
                              size_t last, const uint8_t *secret, ink__member *member,
                              ink_error *error)
{
    member->label = info->label;
    member->label.has_slot = false;
    member->label.slot = 0;
    INK__TRY(ink_kind_describe(info->kind, &member->info, error));
    if (info->label.has_slot)
        INK__TRY(ink_file_last(file, info->kind, &info->label, last, &member->sketch, error));
    else
        INK__TRY(ink_file_sketch(file, index, &member->sketch, error));
    ink_sketch_describe(member->sketch, &member->description);
    ink_status status = ink__member_unlock(member->sketch, secret, error);
    if (status != INK_OK)
        ink_sketch_free(member->sketch);
    return status;
}

/* A group that has a sketch without a slot, and slots from entry `index` on: these are merged with
 * the sketch, or replace it if only the newest count. */
static ink_status add_slots(ink__member *member, const ink_file *file, size_t index,
                            const ink_entry_info *info, size_t last, const uint8_t *secret,
                            ink_error *error)
{
    const ink_merge_options parts = {.parts = true};
    ink__member             slots;

    INK__TRY(make_member(file, index, info, last, secret, &slots, error));
    ink_status status =
        last > 0 ? INK_OK : ink_sketch_merge(slots.sketch, member->sketch, &parts, error);
    if (status != INK_OK) {
        ink_sketch_free(slots.sketch);
        return status;
    }
    ink_sketch_free(member->sketch);
    *member = slots;
    ink_sketch_describe(member->sketch, &member->description);
    return INK_OK;
}

bool ink__group_next(const ink_file *file, const char *kind, size_t *at, ink_label *label)
{
    ink_entry_info info;

    for (; ink_file_entry(file, *at, &info, NULL) == INK_OK; ++*at)
        if (kind == NULL || strcmp(kind, info.kind) == 0) {
            *label = info.label;
            label->has_slot = false;
            label->slot = 0;
            return true;
        }
    return false;
}

ink_status ink__group_load(const ink_file *file, size_t *at, size_t last, const uint8_t *secret,
                           ink__member *member, ink_error *error)
{
    ink_entry_info first, info;
    ink_label      group, other;

    INK__TRY(ink_file_entry(file, *at, &first, error));
    if (member != NULL)
        INK__TRY(make_member(file, *at, &first, last, secret, member, error));
    bool slots = first.label.has_slot; /* all of them come with the first */
    (void)ink__group_next(file, NULL, at, &group);
    for (size_t next = ++*at; ink__group_next(file, NULL, &next, &other); *at = ++next) {
        (void)ink_file_entry(file, next, &info, NULL);
        if (strcmp(info.kind, first.kind) != 0 || ink_label_compare(&group, &other) != 0)
            break;
        ink_status status = slots || member == NULL
                                ? INK_OK
                                : add_slots(member, file, next, &info, last, secret, error);
        if (status != INK_OK) {
            ink_sketch_free(member->sketch);
            return status;
        }
        slots = true;
    }
    return INK_OK;
}

static ink_status load(ink__members *members, const ink_file *file, const char *kind, size_t last,
                       const uint8_t *secret, ink_error *error)
{
    ink_label label;

    for (size_t at = 0; ink__group_next(file, kind, &at, &label); members->count++)
        INK__TRY(ink__group_load(file, &at, last, secret, &members->list[members->count], error));
    return INK_OK;
}

ink_status ink__members_load(ink__members *members, const ink_file *file, const char *kind,
                             size_t last, const uint8_t *secret, const ink_allocator *allocator,
                             ink_error *error)
{
    *members = (ink__members){.allocator = *allocator};
    members->list_bytes = (ink_file_count(file) + 1) * sizeof *members->list;
    INK__TRY(ink__allocate_zeroed(allocator, members->list_bytes, &members->list, error));
    ink_status status = load(members, file, kind, last, secret, error);
    if (status != INK_OK)
        ink__members_free(members);
    return status;
}

ink_status ink__members_filter_kind(const ink_file *file, const char *wanted, const char **kind,
                                    ink_error *error)
{
    ink__kind_choice best = {.question = INK_ASK_MEMBER};
    ink_kind_info    can;
    ink_entry_info   info;

    if (wanted != NULL) {
        INK__TRY(ink_kind_describe(wanted, &can, error));
        if (!can.contains)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "the kind %s does not know membership, expected a filter", wanted);
    }
    for (size_t i = 0; i < ink_file_count(file); i++) {
        INK__TRY(ink_file_entry(file, i, &info, error));
        if (wanted == NULL || strcmp(wanted, info.kind) == 0)
            ink__kind_choice_offer(&best, info.kind);
    }
    *kind = best.kind;
    if (best.other != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "the file holds %s and %s, expected a choice ({kind})", best.kind,
                         best.other);
    if (best.kind != NULL)
        return INK_OK;
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "the file holds no %s, expected one",
                     wanted == NULL ? "filter" : wanted);
}

static int compare_label(const void *label, const void *member)
{
    return ink_label_compare(label, &((const ink__member *)member)->label);
}

const ink__member *ink__members_find(const ink__members *members, const ink_label *label)
{
    return bsearch(label, members->list, members->count, sizeof *members->list, compare_label);
}

ink_status ink__members_keys(const ink__members *members, ink_reading *reading, ink_error *error)
{
    bool ints = members->list[0].description.key_type == INK_KEY_INT;
    bool fixed = reading->form == INK_FORM_U32 || reading->form == INK_FORM_U64;

    if ((reading->keys == INK_KEYS_INT || fixed) && !ints)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "the file holds keys that are bytes, expected integers ({key_type})");
    if (reading->keys == INK_KEYS_BYTES && ints)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "the file holds keys that are integers, expected bytes ({key_type})");
    reading->keys = ints ? INK_KEYS_INT : INK_KEYS_BYTES;
    return INK_OK;
}
