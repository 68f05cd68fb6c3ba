/* pending_rows.c - rows of a chunk that wait for its ordered commit. */
#include "jobs/groups/pending_rows.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

enum { ITEM_BYTES = 8 };
_Static_assert(sizeof(uint64_t) == ITEM_BYTES && sizeof(ink__group *) <= ITEM_BYTES &&
                   sizeof(ink__location) == ITEM_BYTES,
               "all that is kept of a row, but its key, has room in an item");

/* Makes room for `count` more items in the array at `items`. */
static ink_status make_room(const ink__pending_rows *to, void *items, uint64_t *bytes, size_t count,
                            ink_error *error)
{
    return ink__make_room(&to->keys.allocator, items, bytes, ITEM_BYTES * to->count,
                          ITEM_BYTES * count, error);
}

ink_status ink__pending_rows_add(ink__pending_rows *to, const ink__rows *rows,
                                 const ink__pending_rows_for *what, ink_error *error)
{
    if (to->count == 0) {
        to->bytes = rows->record_bytes;
        to->limit = rows->record_limit;
    }
    if (what->hashes != NULL) {
        INK__TRY(make_room(to, &to->hashes, &to->hashes_bytes, rows->count, error));
        memcpy(to->hashes + to->count, what->hashes, ITEM_BYTES * rows->count);
    }
    if (rows->weights != NULL) {
        INK__TRY(make_room(to, &to->weights, &to->weights_bytes, rows->count, error));
        memcpy(to->weights + to->count, rows->weights, ITEM_BYTES * rows->count);
    }
    if (what->reader != NULL) {
        INK__TRY(make_room(to, &to->locations, &to->locations_bytes, rows->count, error));
        for (size_t i = 0; i < rows->count; i++)
            to->locations[to->count + i] = ink__row_location(what->reader, rows, i);
    }
    if (what->passing != NULL) {
        INK__TRY(make_room(to, &to->records, &to->records_bytes, rows->count, error));
        ink__passing_locations(what->passing, rows, (uint64_t)(rows->record_bytes - to->bytes),
                               to->records + to->count);
    }
    if (what->groups != NULL) {
        INK__TRY(make_room(to, &to->groups, &to->groups_bytes, rows->count, error));
        memcpy(to->groups + to->count, what->groups, sizeof *to->groups * rows->count);
    }
    to->ints = rows->key_ints != NULL;
    for (size_t i = 0; i < rows->count && what->keys; i++) {
        const uint8_t *key =
            to->ints ? (const uint8_t *)&rows->key_ints[i] : rows->key_bytes + rows->key_starts[i];
        uint64_t bytes = to->ints ? 8 : rows->key_ends[i] - rows->key_starts[i];
        INK__TRY(ink__gather_key(&to->keys, key, bytes, 1, error));
    }
    to->count += rows->count;
    return INK_OK;
}

uint64_t ink__pending_rows_run(const ink__pending_rows *from, uint64_t first)
{
    uint64_t end = first + 1;

    if (from->groups == NULL)
        return from->count;
    while (end < from->count && from->groups[end] == from->groups[first])
        end++;
    return end;
}

ink_batch ink__pending_rows_batch(const ink__pending_rows *from, uint64_t first, uint64_t end)
{
    const ink__gather *keys = &from->keys;
    const ink_batch    all = {
           .hashes = from->hashes,
           .ints = from->ints ? (const int64_t *)(const void *)keys->bytes : NULL,
           .data = from->ints ? NULL : keys->bytes,
           .offsets = from->ints ? NULL : keys->starts,
           .ends = from->ints ? NULL : keys->ends,
           .weights = from->weights,
           .one_array = 1,
    };

    return ink__batch_range(&all, (size_t)first, (size_t)(end - first));
}

const uint8_t *ink__pending_rows_key(const ink__pending_rows *from, uint64_t row,
                                     char digits[INK__DIGITS_BYTES], size_t *bytes)
{
    const ink_batch batch = ink__pending_rows_batch(from, row, row + 1);

    if (batch.ints != NULL) {
        *bytes = ink__format(digits, INK__DIGITS_BYTES, "%lld", (long long)batch.ints[0]);
        return (const uint8_t *)digits;
    }
    *bytes = (size_t)(batch.ends[0] - batch.offsets[0]);
    return batch.data + batch.offsets[0];
}

ink_batch ink__batch_range(const ink_batch *batch, size_t first, size_t count)
{
    ink_batch part = *batch;

    part.count = count;
    part.hashes = batch->hashes == NULL ? NULL : batch->hashes + first;
    part.ints = batch->ints == NULL ? NULL : batch->ints + first;
    part.keys = batch->keys == NULL ? NULL : batch->keys + first;
    part.offsets = batch->offsets == NULL ? NULL : batch->offsets + first;
    part.ends = batch->ends == NULL ? NULL : batch->ends + first;
    part.weights = batch->weights == NULL ? NULL : batch->weights + first;
    return part;
}

ink_batch ink__batch_for(const ink_kind_info *kind, ink_batch batch)
{
    if (!kind->weights)
        batch.weights = NULL;
    if (batch.hashes == NULL || kind->keeps_keys)
        return batch;
    /* The hashes suffice. */
    return (ink_batch){.count = batch.count,
                       .hashes = batch.hashes,
                       .weights = batch.weights,
                       .records = batch.records};
}

void ink__pending_rows_clear(ink__pending_rows *pending)
{
    pending->count = pending->keys.count = pending->keys.byte_count = 0;
}

void ink__pending_rows_end(ink__pending_rows *pending)
{
    const ink_allocator memory = pending->keys.allocator;

    ink__release(&memory, pending->hashes, pending->hashes_bytes);
    ink__release(&memory, pending->weights, pending->weights_bytes);
    ink__release(&memory, pending->locations, pending->locations_bytes);
    ink__release(&memory, pending->groups, pending->groups_bytes);
    ink__release(&memory, pending->records, pending->records_bytes);
    ink__gather_end(&pending->keys);
}
