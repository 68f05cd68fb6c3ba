/* ask_rows.c - tests rows against the filters of a file. */
#include "jobs/groups/ask_rows.h"

#include "base/memory.h"
#include "base/salt.h"
#include "base/status.h"
#include "jobs/groups/collect.h"
#include "jobs/groups/pending_rows.h"

#include <string.h>

/* ---- The table of groups ------------------------------------------------------------------ */

/* The slot of the member with this label, or an empty one. */
static ink__ask_rows_slot *find_slot(const ink__ask_rows *ask, const ink_label *label,
                                     uint64_t hash)
{
    uint64_t            last = ask->slots - 1;
    uint64_t            slot = ink__salted_slot(hash, ask->salt, ask->slots);
    ink__ask_rows_slot *table = ask->table;

    for (; table[slot].member != NULL; slot = (slot + 1) & last)
        if (table[slot].hash == hash && ink_label_compare(&table[slot].member->label, label) == 0)
            break;
    return &table[slot];
}

static ink_status make_table(ink__ask_rows *ask, ink_error *error)
{
    const ink_params     labels = {0};
    const ink_allocator *allocator = &ask->members.allocator;
    uint64_t             slots = 16;

    while (slots < 2 * ask->members.count)
        slots *= 2;
    INK__TRY(ink__hasher_create(&ask->label_hasher, &labels, allocator, error));
    INK__TRY(ink__allocate_zeroed(allocator, slots * sizeof *ask->table, &ask->table, error));
    ask->slots = slots;
    ask->salt = ink__salt_of(ask->table);
    for (size_t i = 0; i < ask->members.count; i++) {
        const ink__member *member = &ask->members.list[i];
        uint64_t           hash = ink__collect_hash_label(&member->label);
        if (member->label.group_kind != INK_GROUP_NONE && !member->unwanted)
            *find_slot(ask, &member->label, hash) = (ink__ask_rows_slot){hash, member};
    }
    return INK_OK;
}

/* ---- Life --------------------------------------------------------------------------------- */

ink_status ink__ask_rows_open(ink__ask_rows *ask, const ink_file *file,
                              const ink_filter_options *options, const ink_allocator *allocator,
                              ink_error *error)
{
    const ink_group_choice *choice = options->groups;
    const char             *kind;
    bool                    grouped = false;
    ink_status              status = INK_OK;

    *ask = (ink__ask_rows){.by = options->by};
    INK__TRY(ink__members_filter_kind(file, options->kind, &kind, error));
    INK__TRY(ink__members_load(&ask->members, file, kind, options->last, options->secret, allocator,
                               error));
    for (size_t i = 0; i < ask->members.count; i++) {
        ink__member *member = &ask->members.list[i];
        grouped = grouped || member->label.group_kind != INK_GROUP_NONE;
        member->unwanted = choice != NULL && !choice->wanted(choice->host, &member->label);
    }
    ask->grouped = grouped && !ask->by;
    if (choice != NULL && !grouped)
        status = ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                           "the file has no groups, expected some to choose from ({groups})");
    else if (ask->by)
        status = grouped ? make_table(ask, error)
                         : ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                                     "the file has no groups, expected some to test records by");
    if (status != INK_OK)
        ink__ask_rows_close(ask);
    return status;
}

void ink__ask_rows_close(ink__ask_rows *ask)
{
    ink__release(&ask->members.allocator, ask->table, ask->slots * sizeof *ask->table);
    ink__hasher_free(ask->label_hasher);
    ink__members_free(&ask->members);
}

/* ---- Rows in any order -------------------------------------------------------------------- */

enum { CHAIN_SHIFT = 64 - 11, NO_ROW = INK__ROWS_MAX, LONG_RUN = 8 };
_Static_assert(INK__ASK_ROWS_CHAINS == 1 << (64 - CHAIN_SHIFT), "the first bits give the chain");

/* Puts the rows into chains. */
static ink_status chain_rows(const ink__ask_rows *ask, const ink__rows *rows,
                             ink__ask_rows_room *room, ink_error *error)
{
    INK__TRY(ink__collect_hash_labels(ask->label_hasher, rows, room->starts, room->ends,
                                      room->labels, error));
    for (size_t i = 0; i < INK__ASK_ROWS_CHAINS; i++)
        room->heads[i] = NO_ROW;
    for (size_t row = rows->count; row-- > 0;) {
        uint16_t *head = &room->heads[room->labels[row] >> CHAIN_SHIFT];
        room->next[row] = *head;
        *head = (uint16_t)row;
    }
    return INK_OK;
}

/* Takes all rows that name the group of the first one out of a chain. Returns their number. */
static size_t pick_rows(const ink__rows *rows, ink__ask_rows_room *room, uint16_t *head)
{
    const uint16_t  first = *head;
    const ink_label label = ink__rows_label(rows, first);
    size_t          count = 0;

    for (uint16_t *at = head, row = first; row != NO_ROW; row = *at) {
        ink_label other = ink__rows_label(rows, row);
        if (room->labels[row] == room->labels[first] && ink_label_compare(&label, &other) == 0) {
            room->picked[count++] = row;
            *at = room->next[row];
        } else
            at = &room->next[row];
    }
    return count;
}

/* The keys of the rows that were picked. */
static ink_batch gather_picked(const ink_batch *batch, ink__ask_rows_room *room, size_t count)
{
    ink_batch part = {.count = count};

    if (batch->hashes != NULL) {
        for (size_t i = 0; i < count; i++)
            room->picked_hashes[i] = batch->hashes[room->picked[i]];
        part.hashes = room->picked_hashes;
        return part;
    }
    for (size_t i = 0; i < count; i++) {
        room->starts[i] = batch->offsets[room->picked[i]];
        room->ends[i] = batch->ends[room->picked[i]];
    }
    part.data = batch->data;
    part.offsets = room->starts;
    part.ends = room->ends;
    part.one_array = batch->one_array;
    return part;
}

/* Tests each row against the group that it names; rows are in any order. */
static ink_status ask_chained(const ink__ask_rows *ask, const ink__rows *rows,
                              const ink_batch *batch, ink__ask_rows_room *room, uint8_t *any,
                              ink_error *error)
{
    INK__TRY(chain_rows(ask, rows, room, error));
    for (size_t row = 0; row < rows->count; row++) {
        uint16_t *head = &room->heads[room->labels[row] >> CHAIN_SHIFT];
        if (*head != row)
            continue; /* it was picked with one before it, or will be */
        const ink_label    label = ink__rows_label(rows, row);
        const ink__member *member = find_slot(ask, &label, room->labels[row])->member;
        size_t             count = pick_rows(rows, room, head);
        if (member != NULL) {
            const ink_batch part = gather_picked(batch, room, count);
            INK__TRY(ink_sketch_contains_batch(member->sketch, &part, room->answers, error));
        } else
            memset(room->answers, 0, count);
        for (size_t i = 0; i < count; i++)
            any[room->picked[i]] = room->answers[i];
    }
    return INK_OK;
}

/* ---- Rows sorted by group ----------------------------------------------------------------- */

/* Finds where runs of rows of one group start. Returns their number, 0 if they are short. */
static size_t find_runs(const ink__rows *rows, ink__ask_rows_room *room)
{
    ink_label label = ink__rows_label(rows, 0);
    size_t    runs = 1;

    room->picked[0] = 0;
    for (size_t row = 1; row < rows->count; row++) {
        ink_label next = ink__rows_label(rows, row);
        if (ink_label_compare(&label, &next) == 0)
            continue;
        if ((runs + 1) * LONG_RUN > rows->count)
            return 0;
        room->picked[runs++] = (uint16_t)row;
        label = next;
    }
    return runs;
}

static ink_status ask_runs(const ink__ask_rows *ask, const ink__rows *rows, const ink_batch *batch,
                           const ink__ask_rows_room *room, size_t runs, uint8_t *any,
                           ink_error *error)
{
    for (size_t i = 0; i < runs; i++) {
        size_t             first = room->picked[i];
        size_t             end = i + 1 < runs ? room->picked[i + 1] : rows->count;
        const ink_label    label = ink__rows_label(rows, first);
        const ink__member *member = ink__members_find(&ask->members, &label);
        const ink_batch    part = ink__batch_range(batch, first, end - first);
        memset(any + first, 0, end - first);
        if (member != NULL && !member->unwanted)
            INK__TRY(ink_sketch_contains_batch(member->sketch, &part, any + first, error));
    }
    return INK_OK;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Tests each row against all groups. */
static ink_status ask_all(const ink__ask_rows *ask, const ink_batch *batch, uint8_t *any,
                          uint8_t *one, uint8_t *table, ink_error *error)
{
    memset(any, 0, batch->count);
    for (size_t m = 0; m < ask->members.count; m++) {
        uint8_t *answers = table == NULL ? one : table + m * INK__ROWS_MAX;
        if (ask->members.list[m].unwanted)
            memset(answers, 0, batch->count);
        else
            INK__TRY(ink_sketch_contains_batch(ask->members.list[m].sketch, batch, answers, error));
        for (size_t i = 0; i < batch->count; i++)
            any[i] |= answers[i];
    }
    return INK_OK;
}

ink_status ink__ask_rows_answer(const ink__ask_rows *ask, const ink__rows *rows,
                                ink__ask_rows_room *room, uint8_t *any, uint8_t *table,
                                ink_error *error)
{
    const ink__member *first = &ask->members.list[0];
    ink_batch          batch = ink__rows_batch(rows);

    if (!ask->by && !ask->grouped)
        return ink_sketch_contains_batch(first->sketch, &batch, any, error);
    if (!first->description.needs_keys) {
        INK__TRY(ink_sketch_hash_batch(first->sketch, &batch, room->hashes, error));
        batch.hashes = room->hashes;
    }
    if (!ask->by)
        return ask_all(ask, &batch, any, room->answers, table, error);
    if (rows->count == 0)
        return INK_OK;
    size_t runs = find_runs(rows, room);
    return runs > 0 ? ask_runs(ask, rows, &batch, room, runs, any, error)
                    : ask_chained(ask, rows, &batch, room, any, error);
}
