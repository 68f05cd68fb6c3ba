/* groups.c - the groups of a job. */
#include "jobs/groups/groups.h"

#include "base/memory.h"
#include "base/salt.h"
#include "base/sort.h"
#include "base/status.h"
#include "jobs/runtime/accounting.h"

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
            ink__groups_free(made, 1);
            return status;
        }
        ink__arena_begin(&shard->labels, allocator);
        ink__arena_begin(&shard->memory, allocator);
        ink__spill_begin(&shard->spill, limit, &made->kept_bytes, folder, allocator);
    }
    *groups = made;
    return INK_OK;
}

static uint64_t group_bytes(const ink__groups *groups)
{
    return sizeof(ink__group) + 2 * groups->sketch_count * sizeof(ink_sketch *);
}

/* ---- Steps that threads take together ----------------------------------------------------- */

/* Fewer groups are not worth a thread. */
enum { THREADED_GROUPS = 1 << 14 };

static void run_steps(const ink__groups *groups, const char *name, unsigned threads, unsigned count,
                      void (*step)(void *host, uint64_t number), void *host)
{
    ink__region_each(groups->job, name, atomic_load(&groups->count) < THREADED_GROUPS ? 1 : threads,
                     count, step, host);
}

static void free_shard(void *host, uint64_t number)
{
    ink__groups      *groups = host;
    ink__group_shard *shard = &groups->shards[number];

    for (uint64_t g = 0; g < shard->spill.count; g++)
        for (size_t k = 0; k < 2 * groups->sketch_count; k++)
            ink_sketch_free(shard->groups[g]->sketches[k]); /* then come the parts */
    ink__spill_end(&shard->spill);
    ink__release(&groups->allocator, shard->groups, shard->groups_bytes);
    ink__release(&groups->allocator, shard->table, shard->slots * sizeof *shard->table);
    ink__arena_end(&shard->labels);
    ink__arena_end(&shard->memory);
    ink__mutex_close(&shard->mutex);
}

void ink__groups_free(ink__groups *groups, unsigned threads)
{
    if (groups == NULL)
        return;
    ink_allocator allocator = groups->allocator;

    run_steps(groups, "freeing", threads, groups->open_shards, free_shard, groups);
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
    INK__TRY(ink__arena_take(&shard->memory, group_bytes(groups), &group, error));
    INK__TRY(ink__spill_add(&shard->spill, error));
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

/* A sort by many threads: groups are distributed to ranges by splitters, which are chosen from a
 * sample, and each range is sorted. Its groups fit into the cache. */
enum { RANGES = 256, SAMPLES_PER_RANGE = 8, SAMPLES = RANGES * SAMPLES_PER_RANGE };

typedef struct sorting {
    const ink__groups *groups;
    ink__groups_order *order;
    ink__group       **list;   /* unsorted, then sorted */
    const void       **memory; /* for each range, two places for each of its groups */
    uint8_t           *range_of;
    uint64_t           firsts[INK__GROUP_SHARDS]; /* of each shard in the list */
    const void        *samples[2 * SAMPLES], *splitters[RANGES - 1];
    uint64_t           at[INK__GROUP_SHARDS][RANGES]; /* counts, then places in the memory */
    uint64_t           range_firsts[RANGES + 1];
} sorting;

static void choose_splitters(sorting *all, uint64_t count)
{
    for (uint64_t i = 0; i < SAMPLES; i++)
        all->samples[i] = all->list[count / SAMPLES * i];
    const void **sorted = ink__sort(all->samples, SAMPLES, all->order);
    for (unsigned i = 0; i < RANGES - 1; i++)
        all->splitters[i] = sorted[(i + 1) * SAMPLES_PER_RANGE];
}

static void find_ranges(void *host, uint64_t shard)
{
    sorting *all = host;

    for (uint64_t g = 0; g < all->groups->shards[shard].spill.count; g++) {
        const ink__group *group = all->groups->shards[shard].groups[g];
        unsigned          range = 0;
        for (unsigned half = RANGES / 2; half > 0; half /= 2)
            if (all->order(all->splitters[range + half - 1], group) <= 0)
                range += half;
        all->range_of[all->firsts[shard] + g] = (uint8_t)range;
        all->at[shard][range]++;
    }
}

/* In a range, groups of the first shard come first. */
static void place_ranges(sorting *all)
{
    uint64_t placed = 0;

    for (unsigned range = 0; range < RANGES; range++) {
        uint64_t place = 2 * placed;
        all->range_firsts[range] = placed;
        for (unsigned shard = 0; shard < all->groups->open_shards; shard++) {
            uint64_t count = all->at[shard][range];
            all->at[shard][range] = place;
            place += count;
            placed += count;
        }
    }
    all->range_firsts[RANGES] = placed;
}

static void distribute(void *host, uint64_t shard)
{
    sorting *all = host;

    for (uint64_t g = 0; g < all->groups->shards[shard].spill.count; g++)
        all->memory[all->at[shard][all->range_of[all->firsts[shard] + g]]++] =
            all->groups->shards[shard].groups[g];
}

static void sort_range(void *host, uint64_t range)
{
    sorting *all = host;
    uint64_t first = all->range_firsts[range], count = all->range_firsts[range + 1] - first;

    if (count > 0)
        memcpy(all->list + first, ink__sort(all->memory + 2 * first, (size_t)count, all->order),
               (size_t)(count * sizeof *all->list));
}

/* Sorts a list; `memory` has room for two pointers and a byte for each group. */
static ink_status sort_list(const ink__groups *groups, ink__groups_order *order, unsigned threads,
                            ink__group **list, uint64_t count, const void **memory,
                            ink_error *error)
{
    sorting *all;

    if (count < THREADED_GROUPS) {
        memcpy(memory, list, (size_t)(count * sizeof *list));
        memcpy(list, ink__sort(memory, (size_t)count, order), (size_t)(count * sizeof *list));
        return INK_OK;
    }
    INK__TRY(ink__allocate_zeroed(&groups->allocator, sizeof *all, &all, error));
    all->groups = groups;
    all->order = order;
    all->list = list;
    all->memory = memory;
    all->range_of = (uint8_t *)(memory + 2 * count);
    for (unsigned i = 1; i < groups->open_shards; i++)
        all->firsts[i] = all->firsts[i - 1] + groups->shards[i - 1].spill.count;
    choose_splitters(all, count);
    run_steps(groups, "sorting", threads, groups->open_shards, find_ranges, all);
    place_ranges(all);
    run_steps(groups, "sorting", threads, groups->open_shards, distribute, all);
    run_steps(groups, "sorting", threads, RANGES, sort_range, all);
    ink__release(&groups->allocator, all, sizeof *all);
    return INK_OK;
}

ink_status ink__groups_list(const ink__groups *groups, ink__groups_order *order, unsigned threads,
                            ink__group ***list, uint64_t *count, ink_error *error)
{
    uint64_t     bytes, room, used = 0;
    const void **memory;

    *list = NULL;
    *count = atomic_load(&groups->count);
    bytes = *count * sizeof **list;
    room = 2 * bytes + *count;
    if (bytes == 0)
        return INK_OK;
    INK__TRY(ink__allocate(&groups->allocator, bytes, list, error));
    for (unsigned i = 0; i < groups->open_shards; i++)
        for (uint64_t g = 0; g < groups->shards[i].spill.count; g++)
            (*list)[used++] = groups->shards[i].groups[g];
    if (order == NULL)
        return INK_OK;
    ink_status status = ink__allocate(&groups->allocator, room, &memory, error);
    if (status == INK_OK) {
        status = sort_list(groups, order, threads, *list, *count, memory, error);
        ink__release(&groups->allocator, memory, room);
    }
    if (status != INK_OK) {
        ink__release(&groups->allocator, *list, bytes);
        *list = NULL;
    }
    return status;
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
