/* asking.c - rows asked of the filters of a file. */
#include "engine/asking.h"

#include "base/status.h"

#include <string.h>

static bool has_groups(const ink__members *members)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->list[i].label.group_kind != INK_GROUP_NONE)
            return true;
    return false;
}

ink_status ink__asking_open(ink__asking *asking, const ink_file *file,
                            const ink_filter_options *options, const ink_allocator *allocator,
                            ink_error *error)
{
    const char *kind;

    *asking = (ink__asking){.by = options->by};
    INK__TRY(ink__members_filter_kind(file, options->kind, &kind, error));
    INK__TRY(ink__members_load(&asking->members, file, kind, options->last, options->secret,
                               allocator, error));
    bool grouped = has_groups(&asking->members);
    asking->grouped = grouped && !options->by;
    if (grouped || !options->by)
        return INK_OK;
    ink__asking_close(asking);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "the file has no groups, expected some to test records by");
}

void ink__asking_close(ink__asking *asking)
{
    ink__members_free(&asking->members);
}

/* The keys from `first` up to `end`. */
static ink_batch part_of(const ink_batch *batch, size_t first, size_t end)
{
    return (ink_batch){
        .count = end - first,
        .hashes = batch->hashes == NULL ? NULL : batch->hashes + first,
        .ints = batch->ints == NULL ? NULL : batch->ints + first,
        .bytes = batch->bytes,
        .offsets = batch->offsets == NULL ? NULL : batch->offsets + first,
        .ends = batch->ends == NULL ? NULL : batch->ends + first,
    };
}

/* Each row is asked of the group that it names, and neighbours that name the same one together. */
static ink_status ask_own(const ink__asking *asking, const ink__rows *rows, const ink_batch *batch,
                          uint8_t *any, ink_error *error)
{
    for (size_t first = 0, end; first < rows->count; first = end) {
        ink_label label = ink__rows_label(rows, first);
        for (end = first + 1; end < rows->count; end++) {
            ink_label next = ink__rows_label(rows, end);
            if (ink_label_compare(&label, &next) != 0)
                break;
        }
        const ink__member *member = ink__members_find(&asking->members, &label);
        const ink_batch    part = part_of(batch, first, end);
        memset(any + first, 0, end - first);
        if (member != NULL)
            INK__TRY(ink_sketch_contains_batch(member->sketch, &part, any + first, error));
    }
    return INK_OK;
}

/* Each row is asked of all groups. */
static ink_status ask_all(const ink__asking *asking, const ink_batch *batch, uint8_t *any,
                          uint8_t *one, uint8_t *table, ink_error *error)
{
    memset(any, 0, batch->count);
    for (size_t m = 0; m < asking->members.count; m++) {
        uint8_t *answers = table == NULL ? one : table + m * INK__ROWS_MAX;
        INK__TRY(ink_sketch_contains_batch(asking->members.list[m].sketch, batch, answers, error));
        for (size_t i = 0; i < batch->count; i++)
            any[i] |= answers[i];
    }
    return INK_OK;
}

ink_status ink__asking_rows(const ink__asking *asking, const ink__rows *rows,
                            ink__asking_room *room, uint8_t *any, uint8_t *table, ink_error *error)
{
    const ink__member *first = &asking->members.list[0];
    ink_batch          batch = ink__rows_batch(rows);

    if (!asking->by && !asking->grouped)
        return ink_sketch_contains_batch(first->sketch, &batch, any, error);
    if (!first->description.needs_keys) {
        INK__TRY(ink_hash_batch(first->sketch, &batch, room->hashes, error));
        batch.hashes = room->hashes;
    }
    if (asking->by)
        return ask_own(asking, rows, &batch, any, error);
    return ask_all(asking, &batch, any, room->answers, table, error);
}
