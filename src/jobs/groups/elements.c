/* elements.c - what is kept of records until their sketches have a size. */
#include "jobs/groups/elements.h"

#include "base/hash_set.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"

#include <string.h>

void ink__gather_end(ink__gather *gather)
{
    ink__release(&gather->allocator, gather->hashes, gather->hashes_room);
    ink__release(&gather->allocator, gather->weights, gather->weights_room);
    ink__release(&gather->allocator, gather->starts, gather->starts_room);
    ink__release(&gather->allocator, gather->ends, gather->ends_room);
    ink__release(&gather->allocator, gather->bytes, gather->bytes_room);
}

ink_status ink__spill_put_key(ink__spill *spill, uint64_t partition, const uint8_t *key,
                              uint32_t bytes, uint64_t weight, ink_error *error)
{
    uint64_t          all = INK__KEY_HEAD_BYTES + (uint64_t)bytes;
    ink__spill_block *last;

    INK__TRY(ink__spill_last(spill, partition, all, &last, error));
    ink__key_head_write(last->bytes + last->used, (ink__key_head){weight, bytes});
    if (bytes > 0)
        memcpy(last->bytes + last->used + INK__KEY_HEAD_BYTES, key, bytes);
    last->used += (uint32_t)all;
    spill->partitions[partition].elements++;
    return INK_OK;
}

/* The head of the key at `at`, which must be complete. A block has less than 2^32 bytes. */
static ink_status key_at(const uint8_t *elements, uint64_t bytes, uint64_t at, ink__key_head *head,
                         ink_error *error)
{
    *head = (ink__key_head){.bytes = UINT32_MAX};
    if (bytes - at >= INK__KEY_HEAD_BYTES)
        *head = ink__key_head_read(elements + at);
    if (head->bytes <= UINT32_MAX - INK__KEY_HEAD_BYTES &&
        head->bytes <= bytes - at - INK__KEY_HEAD_BYTES)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at, "a key that is cut, expected all of it");
}

ink_status ink__spill_put_keys(ink__spill *spill, uint64_t partition, const uint8_t *elements,
                               uint64_t bytes, ink_error *error)
{
    for (uint64_t at = 0; at < bytes;) {
        ink__key_head head;
        INK__TRY(key_at(elements, bytes, at, &head, error));
        at += INK__KEY_HEAD_BYTES;
        INK__TRY(
            ink__spill_put_key(spill, partition, elements + at, head.bytes, head.weight, error));
        at += head.bytes;
    }
    return INK_OK;
}

ink_status ink__count_keys(const uint8_t *elements, uint64_t bytes, uint64_t *count,
                           ink_error *error)
{
    *count = 0;
    for (uint64_t at = 0; at < bytes; ++*count) {
        ink__key_head head;
        INK__TRY(key_at(elements, bytes, at, &head, error));
        at += INK__KEY_HEAD_BYTES + (uint64_t)head.bytes;
    }
    return INK_OK;
}

/* Room for `more` words after those of the elements so far. */
static ink_status room_for_words(const ink__gather *to, uint64_t **words, uint64_t *room,
                                 uint64_t more, ink_error *error)
{
    return ink__make_room(&to->allocator, words, room, to->count * 8, more * 8, error);
}

void ink__key_head_write(uint8_t *to, ink__key_head head)
{
    memcpy(to, &head.bytes, 4);
    memcpy(to + 4, &head.weight, 8);
}

ink__key_head ink__key_head_read(const uint8_t *from)
{
    ink__key_head head;

    memcpy(&head.bytes, from, 4);
    memcpy(&head.weight, from + 4, 8);
    return head;
}

ink_status ink__gather_key(ink__gather *to, const uint8_t *key, uint64_t bytes, uint64_t weight,
                           ink_error *error)
{
    INK__TRY(room_for_words(to, &to->starts, &to->starts_room, 1, error));
    INK__TRY(room_for_words(to, &to->ends, &to->ends_room, 1, error));
    INK__TRY(room_for_words(to, &to->weights, &to->weights_room, 1, error));
    /* One byte at least: an empty key needs an address too. */
    INK__TRY(ink__make_room(&to->allocator, &to->bytes, &to->bytes_room, to->byte_count,
                            bytes == 0 ? 1 : bytes, error));
    if (bytes > 0)
        memcpy(to->bytes + to->byte_count, key, (size_t)bytes);
    to->starts[to->count] = to->byte_count;
    to->byte_count += bytes;
    to->ends[to->count] = to->byte_count;
    to->weights[to->count] = weight;
    to->count++;
    return INK_OK;
}

ink_status ink__gather_add(void *gather, const uint8_t *elements, uint64_t bytes, ink_error *error)
{
    ink__gather *to = gather;
    uint64_t     more = bytes / (to->keep == INK__KEEP_HASHES ? 8 : 16);

    if (to->keep == INK__KEEP_KEYS) {
        for (uint64_t at = 0; at < bytes;) {
            ink__key_head head = ink__key_head_read(elements + at);
            at += INK__KEY_HEAD_BYTES;
            INK__TRY(ink__gather_key(to, elements + at, head.bytes, head.weight, error));
            at += head.bytes;
        }
        return INK_OK;
    }
    if (bytes == 0)
        return INK_OK;
    INK__TRY(room_for_words(to, &to->hashes, &to->hashes_room, more, error));
    if (to->keep == INK__KEEP_HASHES)
        memcpy(to->hashes + to->count, elements, (size_t)bytes);
    else {
        INK__TRY(room_for_words(to, &to->weights, &to->weights_room, more, error));
        for (uint64_t i = 0; i < more; i++) {
            memcpy(&to->hashes[to->count + i], elements + 16 * i, 8);
            memcpy(&to->weights[to->count + i], elements + 16 * i + 8, 8);
        }
    }
    to->count += more;
    return INK_OK;
}

ink_status ink__gather_partition(ink__gather *gather, const ink__spill *spill, uint64_t partition,
                                 ink_error *error)
{
    gather->count = gather->byte_count = 0;
    return ink__spill_each(spill, partition, ink__gather_add, gather, error);
}

ink_batch ink__gather_batch(const ink__gather *gather)
{
    ink_batch batch = {.count = (size_t)gather->count};

    if (gather->keep == INK__KEEP_KEYS) {
        batch.data = gather->bytes;
        batch.offsets = gather->starts;
        batch.ends = gather->ends;
        batch.one_array = 1;
    } else
        batch.hashes = gather->hashes;
    batch.weights = gather->keep == INK__KEEP_HASHES ? NULL : gather->weights;
    return batch;
}

/* ---- Distinct hashes ---------------------------------------------------------------------- */

/* Moves element i to index `kept`. */
static void move(ink__gather *gather, uint64_t i, uint64_t kept)
{
    gather->hashes[kept] = gather->hashes[i];
    if (gather->keep != INK__KEEP_HASHES)
        gather->weights[kept] = gather->weights[i];
    if (gather->keep == INK__KEEP_KEYS) {
        gather->starts[kept] = gather->starts[i];
        gather->ends[kept] = gather->ends[i];
    }
}

/* Where weights are summed, the word of a hash is the index of its element. Inlined for sets with
 * and without words. */
static inline void leave_distinct(ink__gather *gather, const ink__hash_set *set)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < gather->count; i++) {
        if (i + INK__HASH_SET_AHEAD < gather->count)
            ink__hash_set_fetch(set, gather->hashes[i + INK__HASH_SET_AHEAD]);
        uint64_t hash = gather->hashes[i], slot = ink__hash_set_find(set, hash);
        if (!ink__hash_set_has(set, slot)) {
            ink__hash_set_put(set, slot, hash);
            if (set->valued)
                *ink__hash_set_value(set, slot) = kept;
            move(gather, i, kept++);
        } else if (set->valued) {
            uint64_t *sum = &gather->weights[*ink__hash_set_value(set, slot)];
            *sum = ink__add_saturating(*sum, gather->weights[i]);
        }
    }
    gather->count = kept;
}

ink_status ink__gather_distinct(ink__gather *gather, ink__table *table, ink_error *error)
{
    const unsigned valued = gather->keep != INK__KEEP_HASHES;
    const uint64_t slots = ink__hash_set_slots(gather->count);
    const uint64_t bytes = ink__hash_set_bytes(slots, valued);

    if (bytes > table->bytes)
        INK__TRY(ink__grow(&gather->allocator, &table->slots, &table->bytes, 0, bytes, error));
    memset(table->slots, 0, (size_t)bytes);
    const uint64_t salt = ink__salt_of(table->slots);
    if (valued)
        leave_distinct(gather, &(const ink__hash_set){table->slots, slots, salt, 1});
    else
        leave_distinct(gather, &(const ink__hash_set){table->slots, slots, salt, 0});
    return INK_OK;
}
