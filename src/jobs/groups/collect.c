/* collect.c - distributes rows to their groups. */
#include "jobs/groups/collect.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"

#include <string.h>

#define NULL_LABEL_HASH 0x6e756c6c6e756c6cu

/* ---- Groups ------------------------------------------------------------------------------- */

ink_status ink__collect_check_room(const ink__collector *all, ink_error *error)
{
    /* Threads may have found more by now: how many is no part of the message. */
    const uint64_t fit = all->group_bytes == 0 ? 0 : all->memory / all->group_bytes;

    if (all->group_bytes == 0 || atomic_load(&all->groups->count) <= fit)
        return INK_OK;
    return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                     "%llu groups and more of %llu bytes each, expected at most %llu bytes in all "
                     "({memory_bytes})",
                     (unsigned long long)fit + 1, (unsigned long long)all->group_bytes,
                     (unsigned long long)all->memory);
}

ink_status ink__collect_hash_labels(const ink__hasher *hasher, const ink__rows *rows,
                                    uint64_t *starts, uint64_t *ends, uint64_t *hashes,
                                    ink_error *error)
{
    for (size_t i = 0; i < rows->count; i++) {
        bool null = rows->group_starts[i] == INK__GROUP_NULL;
        starts[i] = null ? 0 : rows->group_starts[i];
        ends[i] = null ? 0 : rows->group_ends[i];
    }
    const ink_batch labels = {
        .count = rows->count,
        .data = rows->group_bytes,
        .offsets = starts,
        .ends = ends,
        .one_array = rows->one_array,
    };
    INK__TRY(ink__hasher_batch(hasher, &labels, hashes, error));
    for (size_t i = 0; i < rows->count; i++)
        if (rows->group_starts[i] == INK__GROUP_NULL)
            hashes[i] = NULL_LABEL_HASH;
    return INK_OK;
}

uint64_t ink__collect_hash_label(const ink_label *label)
{
    return label->group_kind == INK_GROUP_BYTES  ? ink__hash_label(label->group, label->group_bytes)
           : label->group_kind == INK_GROUP_NULL ? NULL_LABEL_HASH
                                                 : 0;
}

/* The place of a label of one to eight bytes, with what stands there if it is this one. NULL: the
 * label has another form. */
static ink__short_label *short_label(ink__collect_worker *mine, const ink__rows *rows, size_t row,
                                     ink__short_label *sought)
{
    uint64_t start = rows->group_starts[row], bytes = rows->group_ends[row] - start, word;

    if (start == INK__GROUP_NULL || bytes - 1 >= 8)
        return NULL;
    const uint8_t *text = rows->group_bytes + start;
    if (bytes >= 4) /* halves that may overlap */
        word = ink__load_u32(text) | (uint64_t)ink__load_u32(text + bytes - 4) << 32;
    else
        word = text[0] | (uint64_t)text[bytes / 2] << 8 | (uint64_t)text[bytes - 1] << 16;
    *sought = (ink__short_label){.word = word, .bytes = bytes};
    return &mine->short_labels[(word + bytes) * 0x9e3779b97f4a7c15u >> 56];
}

/* Whether all groups are known by short labels, as where there are few. */
static bool find_short(ink__collect_worker *mine, const ink__rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        ink__short_label        sought;
        const ink__short_label *known = short_label(mine, rows, i, &sought);
        if (known == NULL || known->word != sought.word || known->bytes != sought.bytes)
            return false;
        mine->row_groups[i] = known->group;
    }
    return true;
}

static ink_status find_group(const ink__collector *all, ink__collect_worker *mine,
                             const ink__rows *rows, size_t row, ink_error *error)
{
    uint64_t     hash = mine->label_hashes[row];
    ink_label    label = ink__rows_label(rows, row);
    ink__group **known = &mine->known[hash % INK__KNOWN_GROUPS];

    if (*known == NULL || (*known)->hash != hash ||
        ink_label_compare(&(*known)->label, &label) != 0) {
        INK__TRY(ink__groups_find(all->groups, &label, hash, known, error));
        INK__TRY(ink__collect_check_room(all, error));
    }
    mine->row_groups[row] = *known;
    ink__short_label  sought;
    ink__short_label *place = short_label(mine, rows, row, &sought);
    if (place != NULL) {
        *place = sought;
        place->group = *known;
    }
    return INK_OK;
}

ink_status ink__collect_groups(const ink__collector *all, ink__collect_worker *mine,
                               const ink__rows *rows, ink__group *whole, ink_error *error)
{
    _Static_assert(INK__SHORT_LABELS == 1 << (64 - 56), "the places that short_label chooses");
    if (rows->group_starts == NULL) {
        for (size_t i = 0; i < rows->count; i++)
            mine->row_groups[i] = whole;
        return INK_OK;
    }
    if (find_short(mine, rows))
        return INK_OK;
    INK__TRY(ink__collect_hash_labels(all->label_hasher, rows, mine->label_starts, mine->label_ends,
                                      mine->label_hashes, error));
    for (size_t i = 0; i < rows->count; i++)
        INK__TRY(find_group(all, mine, rows, i, error));
    return INK_OK;
}

/* ---- Stages ------------------------------------------------------------------------------- */

/* Precedes an element in a stage. */
typedef struct item {
    uint32_t partition, bytes;
} item;

static ink_status put_items(const ink__collector *all, ink__collect_worker *mine,
                            ink__group_shard *shard, const uint8_t *items, uint32_t bytes,
                            ink_error *error)
{
    for (uint32_t at = 0; at < bytes;) {
        item head;
        memcpy(&head, items + at, sizeof head);
        INK__TRY(ink__spill_put(&shard->spill, head.partition, items + at + sizeof head, head.bytes,
                                error));
        at += (uint32_t)sizeof head + head.bytes;
        if (all->drain != NULL &&
            shard->spill.partitions[head.partition].elements >= all->drain_elements)
            INK__TRY(
                all->drain(all->host, mine, shard->groups[head.partition], &shard->spill, error));
    }
    return INK_OK;
}

/* Drains all partitions of a shard if elements take too much memory. */
static ink_status drain_shard(const ink__collector *all, ink__collect_worker *mine,
                              ink__group_shard *shard, ink_error *error)
{
    if (all->drain == NULL || atomic_load(&all->groups->kept_bytes) < all->memory ||
        shard->spill.kept_bytes < all->memory / (2 * INK__GROUP_SHARDS))
        return INK_OK;
    for (uint64_t i = 0; i < shard->spill.count; i++)
        if (shard->spill.partitions[i].elements > 0)
            INK__TRY(all->drain(all->host, mine, shard->groups[i], &shard->spill, error));
    return INK_OK;
}

static ink_status empty_stage(const ink__collector *all, ink__collect_worker *mine, unsigned number,
                              ink_error *error)
{
    ink__group_shard *shard = &all->groups->shards[number];

    ink__mutex_lock(&shard->mutex);
    ink_status status =
        put_items(all, mine, shard, mine->stages[number].bytes, mine->stages[number].used, error);
    if (status == INK_OK)
        status = drain_shard(all, mine, shard, error);
    ink__mutex_unlock(&shard->mutex);
    mine->stages[number].used = 0;
    return status;
}

/* Stages an element, which is given in one part or two. */
static ink_status stage(const ink__collector *all, ink__collect_worker *mine,
                        const ink__group *group, const void *first, uint32_t first_bytes,
                        const void *second, uint32_t second_bytes, ink_error *error)
{
    item     head = {group->partition, first_bytes + second_bytes};
    uint64_t bytes = sizeof head + (uint64_t)first_bytes + second_bytes;
    uint32_t used = mine->stages[group->shard].used;
    uint8_t *to = mine->stages[group->shard].bytes;

    if (bytes > INK__STAGE_BYTES - used) {
        INK__TRY(empty_stage(all, mine, group->shard, error));
        used = 0;
    }
    mine->stages[group->shard].used = used + (uint32_t)bytes;
    memcpy(to + used, &head, sizeof head);
    memcpy(to + used + sizeof head, first, first_bytes);
    if (second_bytes > 0)
        memcpy(to + used + sizeof head + first_bytes, second, second_bytes);
    return INK_OK;
}

/* A key too long for a stage goes to its group directly. */
static ink_status stage_key(const ink__collector *all, ink__collect_worker *mine,
                            const ink__rows *rows, size_t row, uint64_t weight, ink_error *error)
{
    const ink__group *group = mine->row_groups[row];
    bool              ints = rows->key_ints != NULL;
    const uint8_t    *key =
        ints ? (const uint8_t *)&rows->key_ints[row] : rows->key_bytes + rows->key_starts[row];
    uint32_t bytes = ints ? 8 : (uint32_t)(rows->key_ends[row] - rows->key_starts[row]);
    uint8_t  head[INK__KEY_HEAD_BYTES];

    ink__key_head_write(head, (ink__key_head){weight, bytes});
    if (bytes <= INK__STAGE_BYTES / 2)
        return stage(all, mine, group, head, sizeof head, key, bytes, error);
    ink__group_shard *shard = &all->groups->shards[group->shard];
    ink__mutex_lock(&shard->mutex);
    ink_status status =
        ink__spill_put_key(&shard->spill, group->partition, key, bytes, weight, error);
    if (status == INK_OK)
        status = drain_shard(all, mine, shard, error);
    ink__mutex_unlock(&shard->mutex);
    return status;
}

/* ---- Groups that a thread owns ------------------------------------------------------------ */

static uint64_t own_bytes(const ink__collector *all)
{
    return sizeof(ink__own_group) + all->groups->sketch_count * sizeof(ink_sketch *);
}

ink_status ink__collect_own(const ink__collector *all, ink__collect_worker *mine, ink__group *group,
                            uint64_t sketch_bytes, ink_error *error)
{
    ink__own_group **own = ink__collect_place(mine, group);

    INK__TRY(ink__allocate_zeroed(&all->groups->allocator, own_bytes(all), own, error));
    (*own)->group = group;
    mine->own_bytes += sketch_bytes;
    return INK_OK;
}

void ink__collect_disown(const ink__collector *all, ink__collect_worker *mine, unsigned number)
{
    ink__own_group *own = mine->own[number];

    for (size_t k = 0; own != NULL && k < all->groups->sketch_count; k++)
        ink_sketch_free(own->sketches[k]);
    ink__release(&all->groups->allocator, own, own_bytes(all));
    mine->own[number] = NULL;
}

static ink_status put_own(const ink__collector *all, ink__own_group *own, uint64_t hash,
                          uint64_t weight, ink_error *error)
{
    own->hashes[own->count] = hash;
    own->weights[own->count++] = weight;
    return own->count < INK__OWN_ELEMENTS ? INK_OK : all->drain_own(all->host, own, error);
}

/* ---- Rows --------------------------------------------------------------------------------- */

ink_status ink__collect_rows(const ink__collector *all, ink__collect_worker *mine,
                             const ink__rows *rows, const uint64_t *hashes, ink_error *error)
{
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t        weight = rows->weights == NULL ? 1 : rows->weights[i];
        ink__own_group *own =
            mine->own_bytes > 0 ? *ink__collect_place(mine, mine->row_groups[i]) : NULL;
        if (own != NULL && own->group == mine->row_groups[i])
            INK__TRY(put_own(all, own, hashes[i], weight, error));
        else if (all->keep == INK__KEEP_HASHES)
            INK__TRY(stage(all, mine, mine->row_groups[i], &hashes[i], 8, NULL, 0, error));
        else if (all->keep == INK__KEEP_WEIGHTS)
            INK__TRY(stage(all, mine, mine->row_groups[i], &hashes[i], 8, &weight, 8, error));
        else
            INK__TRY(stage_key(all, mine, rows, i, weight, error));
    }
    return INK_OK;
}

ink_status ink__collect_flush(const ink__collector *all, ink__collect_worker *mine,
                              ink_error *error)
{
    for (unsigned i = 0; i < INK__GROUP_SHARDS; i++)
        INK__TRY(empty_stage(all, mine, i, error));
    return INK_OK;
}
