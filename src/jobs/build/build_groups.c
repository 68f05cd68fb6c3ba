/* build_groups.c - a build with groups: the elements of each group fill its sketches, at the end,
 * or whenever there are many if no size has to be known. */
#include "base/status.h"
#include "jobs/build/build_state.h"
#include "jobs/runtime/tasks.h"

enum { SMALL_KEYS = 1 << 12 };

/* ---- Sketches of a group ------------------------------------------------------------------ */

/* How often twice the keys that were planned for are in the records; 0: not once. */
static unsigned doublings(uint64_t records, uint64_t keys)
{
    unsigned count = 0;

    for (records /= keys; records > 0; records /= 2)
        count++;
    return count;
}

/* INK_PROMISE if a filter that got more records is above its promise already: its rate only grows.
 * All of its bits are read, and it may have many more of them than records: so it is looked at when
 * as many have come as were planned for, and then whenever these have doubled. */
static ink_status check_promise(const ink__build_kind *kind, const ink_sketch *sketch,
                                uint64_t before, ink_error *error)
{
    uint64_t        keys = kind->description.expected_keys;
    ink_description now;
    ink__excess     found;

    if (!kind->info.contains || keys == 0)
        return INK_OK;
    ink_sketch_describe(sketch, &now);
    if (doublings(now.records, keys) == doublings(before, keys) ||
        !ink__sketch_overfull(sketch, 0, &found))
        return INK_OK;
    return ink__fail_rate(found.rate, found.limit, false, found.keys, error);
}

ink_status ink__build_drain(void *host, ink__collect_worker *mine, ink__group *group,
                            ink__spill *spill, ink_error *error)
{
    ink__build_state      *all = host;
    const ink__build_plan *plan = all->plan;

    INK__TRY(ink__gather_partition(&mine->gather, spill, group->partition, error));
    for (size_t k = 0; k < plan->kind_count; k++) {
        ink_sketch **sketch = &group->sketches[k];
        if (plan->kinds[k].mode != INK__BUILD_DIRECT)
            continue;
        uint64_t        before = plan->use.flush == NULL ? 0 : ink__sketch_cost(*sketch);
        ink_description was;
        if (*sketch == NULL)
            INK__TRY(ink__build_make(plan, k, 0, sketch, error));
        ink_sketch_describe(*sketch, &was);
        INK__TRY(ink__build_add(&plan->kinds[k], *sketch, ink__gather_batch(&mine->gather), error));
        INK__TRY(check_promise(&plan->kinds[k], *sketch, was.records, error));
        if (plan->use.flush != NULL)
            atomic_fetch_add(&all->direct_bytes, ink__sketch_cost(*sketch) - before);
    }
    ink__spill_empty(spill, group->partition);
    spill->partitions[group->partition].elements = 0;
    return INK_OK;
}

ink_status ink__build_gather_group(const ink__build_state *all, const ink__group *group,
                                   ink__gather **gather, ink_error *error)
{
    ink__build_worker *mine = &all->worker[0];

    *gather = &mine->collect.gather;
    INK__TRY(ink__gather_partition(*gather, &all->collector.groups->shards[group->shard].spill,
                                   group->partition, error));
    if ((*gather)->keep == INK__KEEP_KEYS)
        return INK_OK;
    return ink__gather_distinct(*gather, &mine->filler.table, error);
}

/* ---- Filling ------------------------------------------------------------------------------ */

/* How many keys a group's sketches are planned for. Leaves each hash once unless repeats matter. */
static ink_status count_keys(const ink__build_state *all, ink__build_worker *mine,
                             const ink_label *label, uint64_t *keys, ink_error *error)
{
    ink_answer  estimate;
    ink_sketch *counter;
    ink_batch   batch = ink__gather_batch(&mine->collect.gather);

    if (ink__build_known(all->plan, label, keys))
        return INK_OK;
    if (all->plan->keep == INK__KEEP_KEYS) {
        *keys = mine->collect.gather.count;
        return INK_OK;
    }
    estimate.estimate = 0;
    if (mine->collect.gather.count > INK__EXACT_KEYS) {
        INK__TRY(ink__build_counter(all->plan, &counter, error));
        batch.weights = NULL;
        ink_status status = ink_sketch_add_batch(counter, &batch, error);
        if (status == INK_OK)
            status = ink_sketch_distinct_by(counter, INK_ESTIMATOR_UNLIMITED, 0, &estimate, error);
        ink_sketch_free(counter);
        INK__TRY(status);
    }
    *keys = ink__keys_of_estimate(estimate.estimate);
    if (estimate.estimate > INK__SURELY_MORE * INK__EXACT_KEYS)
        return INK_OK;
    ink__gather *distinct = &mine->collect.gather;
    if (all->plan->repeats_matter) {
        distinct = &mine->filler.copy;
        distinct->keep = INK__KEEP_HASHES;
        distinct->count = 0;
        INK__TRY(ink__gather_add(distinct, (const uint8_t *)mine->collect.gather.hashes,
                                 8 * mine->collect.gather.count, error));
    }
    INK__TRY(ink__gather_distinct(distinct, &mine->filler.table, error));
    if (distinct->count <= INK__EXACT_KEYS)
        *keys = distinct->count;
    return INK_OK;
}

/* Makes a sketch for `keys` keys: a copy of an empty one, since planning takes longer. */
static ink_status make_sketch(const ink__build_plan *plan, ink__build_filler *mine, size_t kind,
                              uint64_t keys, ink_sketch **sketch, ink_error *error)
{
    uint64_t     model = keys * plan->kind_count + kind;
    ink_sketch **at = &mine->models[model % INK__MODELS], *made;

    if (keys > SMALL_KEYS || INK__MODELS < plan->kind_count)
        return ink__build_make(plan, kind, keys, sketch, error);
    if (*at == NULL || mine->model_keys[model % INK__MODELS] != model) {
        INK__TRY(ink__build_make(plan, kind, keys, &made, error));
        ink_sketch_free(*at);
        *at = made;
        mine->model_keys[model % INK__MODELS] = model;
    }
    return ink_sketch_copy(sketch, *at, NULL, error);
}

ink_status ink__build_add_group(const ink__build_state *all, ink__build_worker *mine,
                                ink__group *group, uint64_t keys, uint64_t records,
                                ink_error *error)
{
    ink_batch batch = ink__gather_batch(&mine->collect.gather);

    batch.records = records;
    for (size_t k = 0; k < all->plan->kind_count; k++) {
        const ink__build_kind *kind = &all->plan->kinds[k];
        ink_sketch           **sketch = &group->sketches[k];
        bool direct = kind->mode == INK__BUILD_DIRECT || ink__build_is_sized(all, k);
        if (*sketch == NULL && (direct || all->plan->only != NULL)) /* or no key was chosen */
            INK__TRY(make_sketch(all->plan, &mine->filler, k, keys, sketch, error));
        if (batch.count > 0 && direct)
            INK__TRY(ink__build_add(kind, *sketch, batch, error));
    }
    return INK_OK;
}

ink_status ink__build_fill_group(const ink__build_state *all, ink__build_worker *mine,
                                 ink__group *group, ink_error *error)
{
    ink__spill *spill = &all->collector.groups->shards[group->shard].spill;
    uint64_t    records = spill->partitions[group->partition].elements + group->repeats, keys = 0;

    if (all->plan->use.pieces && records == 0)
        return INK_OK; /* only sketches or slices: another reducer has the elements */
    INK__TRY(ink__gather_partition(&mine->collect.gather, spill, group->partition, error));
    ink__spill_empty(spill, group->partition);
    if (all->plan->any[INK__BUILD_SIZED])
        INK__TRY(count_keys(all, mine, &group->label, &keys, error));
    return ink__build_add_group(all, mine, group, keys, records, error);
}

static ink_status fill_shard(void *host, unsigned worker, uint64_t number, ink_error *error)
{
    const ink__build_state *all = host;
    const ink__group_shard *shard = &all->collector.groups->shards[number];

    for (uint64_t i = 0; i < shard->spill.count; i++)
        INK__TRY(ink__build_fill_group(all, &all->worker[worker], shard->groups[i], error));
    return INK_OK;
}

ink_status ink__build_fill_groups(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    ink__tasks tasks = ink__tasks_of(plan->job, plan->began, INK_PHASE_FILLING, INK__GROUP_SHARDS,
                                     fill_shard, all);

    return ink__tasks_run(&tasks, plan->workers, error);
}
