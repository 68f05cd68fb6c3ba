/* groups.c - the groups of a job. */
#include "jobs/groups/groups.h"

#include "base/memory.h"
#include "base/salt.h"
#include "base/sort.h"
#include "base/status.h"

#include <string.h>

ink_status ink__groups_create(ink__groups **groups, size_t sketch_count, uint64_t limit,
                              const char *folder, const ink_allocator *allocator, ink_error *error)
{
    ink__groups *made;

    INK__TRY(ink__allocate_zeroed(allocator, sizeof *made, &made, error));
    made->allocator = *allocator;
    made->sketch_count = sketch_count;
    for (; made->open_shards < INK__GROUP_SHARDS; made->open_shards++) {
        ink__group_shard *shard = &made->shards[made->open_shards];
        ink_status        status = ink__mutex_open(&shard->mutex, error);
        if (status != INK_OK) {
            ink__groups_free(made);
            return status;
        }
        ink__arena_begin(&shard->labels, allocator);
        ink__spill_begin(&shard->spill, limit, &made->kept_bytes, folder, allocator);
    }
    *groups = made;
    return INK_OK;
}

static uint64_t group_bytes(const ink__groups *groups)
{
    return sizeof(ink__group) + 2 * groups->sketch_count * sizeof(ink_sketch *);
}

void ink__groups_free(ink__groups *groups)
{
    if (groups == NULL)
        return;
    ink_allocator allocator = groups->allocator;

    for (unsigned i = 0; i < groups->open_shards; i++) {
        ink__group_shard *shard = &groups->shards[i];
        for (uint64_t g = 0; g < shard->spill.count; g++) {
            for (size_t k = 0; k < 2 * groups->sketch_count; k++)
                ink_sketch_free(shard->groups[g]->sketches[k]); /* then come the parts */
            ink__release(&allocator, shard->groups[g], group_bytes(groups));
        }
        ink__spill_end(&shard->spill);
        ink__release(&allocator, shard->groups, shard->groups_bytes);
        ink__release(&allocator, shard->table, shard->slots * sizeof *shard->table);
        ink__arena_end(&shard->labels);
        ink__mutex_close(&shard->mutex);
    }
    ink__release(&allocator, groups, sizeof *groups);
}

/* ---- Finding ------------------------------------------------------------------------------ */

/* The slot of the group with this label, or the empty one where it belongs. */
static uint64_t find_slot(const ink__group_shard *shard, const ink_label *label, uint64_t hash)
{
    uint64_t slot = ink__salted_slot(hash, shard->salt, shard->slots);

    for (; shard->table[slot] != NULL; slot = (slot + 1) & (shard->slots - 1))
        if (shard->table[slot]->hash == hash &&
            ink_label_compare(&shard->table[slot]->label, label) == 0)
            break;
    return slot;
}

static ink_status grow_table(const ink__groups *groups, ink__group_shard *shard, ink_error *error)
{
    uint64_t     slots = shard->slots == 0 ? 16 : 2 * shard->slots;
    ink__group **table;

    INK__TRY(ink__allocate_zeroed(&groups->allocator, slots * sizeof *table, &table, error));
    ink__release(&groups->allocator, shard->table, shard->slots * sizeof *table);
    shard->table = table;
    shard->slots = slots;
    shard->salt = ink__salt_of(table);
    for (uint64_t i = 0; i < shard->spill.count; i++)
        table[find_slot(shard, &shard->groups[i]->label, shard->groups[i]->hash)] =
            shard->groups[i];
    return INK_OK;
}

/* Makes a group; there is room in the table. */
static ink_status make_group(ink__groups *groups, ink__group_shard *shard, const ink_label *label,
                             uint64_t hash, ink__group **made, ink_error *error)
{
    uint64_t       number = shard->spill.count;
    const uint8_t *kept = NULL;
    ink__group    *group;

    INK__TRY(ink__make_room(&groups->allocator, &shard->groups, &shard->groups_bytes,
                            number * sizeof *shard->groups, sizeof *shard->groups, error));
    if (label->group_kind == INK_GROUP_BYTES)
        INK__TRY(ink__arena_keep(&shard->labels, label->group, label->group_bytes, &kept, error));
    INK__TRY(ink__allocate_zeroed(&groups->allocator, group_bytes(groups), &group, error));
    ink_status status = ink__spill_add(&shard->spill, error);
    if (status != INK_OK) {
        ink__release(&groups->allocator, group, group_bytes(groups));
        return status;
    }
    group->sketches = (ink_sketch **)(void *)(group + 1);
    group->parts = group->sketches + groups->sketch_count;
    group->label = *label;
    group->label.group = kept;
    group->hash = hash;
    group->shard = (uint32_t)(shard - groups->shards);
    group->partition = (uint32_t)number;
    shard->groups[number] = group;
    atomic_fetch_add(&groups->count, 1);
    atomic_fetch_add(&groups->label_bytes, label->group_bytes);
    *made = group;
    return INK_OK;
}

static ink_status find_in_shard(ink__groups *groups, ink__group_shard *shard,
                                const ink_label *label, uint64_t hash, ink__group **group,
                                ink_error *error)
{
    if (4 * (shard->spill.count + 1) > 3 * shard->slots)
        INK__TRY(grow_table(groups, shard, error));
    ink__group **slot = &shard->table[find_slot(shard, label, hash)];
    if (*slot == NULL)
        INK__TRY(make_group(groups, shard, label, hash, slot, error));
    *group = *slot;
    return INK_OK;
}

ink_status ink__groups_find(ink__groups *groups, const ink_label *label, uint64_t hash,
                            ink__group **group, ink_error *error)
{
    ink__group_shard *shard = &groups->shards[hash >> 58];

    ink__mutex_lock(&shard->mutex);
    ink_status status = find_in_shard(groups, shard, label, hash, group, error);
    ink__mutex_unlock(&shard->mutex);
    return status;
}

ink__group *ink__groups_look(ink__groups *groups, const ink_label *label, uint64_t hash)
{
    ink__group_shard *shard = &groups->shards[hash >> 58];
    ink__group       *found = NULL;

    ink__mutex_lock(&shard->mutex);
    if (shard->slots > 0)
        found = shard->table[find_slot(shard, label, hash)];
    ink__mutex_unlock(&shard->mutex);
    return found;
}

/* ---- All of them -------------------------------------------------------------------------- */

int ink__groups_by_label(const void *one, const void *other)
{
    const ink__group *a = one, *b = other;

    return ink_label_compare(&a->label, &b->label);
}

ink_status ink__groups_list(const ink__groups *groups, ink__groups_order *order, ink__group ***list,
                            uint64_t *count, ink_error *error)
{
    uint64_t     bytes, used = 0;
    const void **memory;

    *list = NULL;
    *count = atomic_load(&groups->count);
    bytes = *count * sizeof **list;
    if (bytes == 0)
        return INK_OK;
    INK__TRY(ink__allocate(&groups->allocator, bytes, list, error));
    for (unsigned i = 0; i < groups->open_shards; i++)
        for (uint64_t g = 0; g < groups->shards[i].spill.count; g++)
            (*list)[used++] = groups->shards[i].groups[g];
    if (order == NULL)
        return INK_OK;
    ink_status status = ink__allocate(&groups->allocator, 2 * bytes, &memory, error);
    if (status != INK_OK) {
        ink__release(&groups->allocator, *list, bytes);
        *list = NULL;
        return status;
    }
    memcpy(memory, *list, bytes);
    memcpy(*list, ink__sort(memory, (size_t)*count, order), bytes);
    ink__release(&groups->allocator, memory, 2 * bytes);
    return INK_OK;
}

uint64_t ink__sketch_cost(const ink_sketch *sketch)
{
    ink_description description = {0};

    if (sketch == NULL)
        return 0;
    ink_sketch_describe(sketch, &description);
    /* An object with its first table; tables have room for twice their contents. */
    return 1024 + 2 * description.bytes;
}
