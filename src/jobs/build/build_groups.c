/* build_groups.c - a build with groups: what was collected of each fills its sketches, at the end,
 * or whenever enough came together if no size has to be known. */
#include "jobs/build/build_groups.h"

#include "base/status.h"
#include "jobs/runtime/feed.h"

enum { SMALL_KEYS = 1 << 12 };

/* ---- Sketches of a group ------------------------------------------------------------------ */

ink_status ink__build_drain(void *host, ink__collect_worker *mine, ink__group *group,
                            ink__bins *bins, ink_error *error)
{
    ink__build_state *all = host;
    ink__bin         *bin = &bins->bins[group->bin];

    mine->gather.count = mine->gather.byte_count = 0;
    INK__TRY(ink__bins_each(bins, group->bin, ink__gather_add, &mine->gather, error));
    for (size_t k = 0; k < all->plan->kind_count; k++) {
        if (all->plan->kinds[k].mode != INK__BUILD_DIRECT)
            continue;
        uint64_t before = all->plan->use.flush == NULL ? 0 : ink__sketch_cost(group->sketches[k]);
        if (group->sketches[k] == NULL)
            INK__TRY(ink__build_make(all->plan, k, 0, &group->sketches[k], error));
        INK__TRY(ink__build_add(&all->plan->kinds[k], group->sketches[k],
                                ink__gather_batch(&mine->gather), error));
        if (all->plan->use.flush != NULL)
            atomic_fetch_add(&all->drawn_bytes, ink__sketch_cost(group->sketches[k]) - before);
    }
    ink__bins_empty(bins, group->bin);
    bin->elements = 0;
    return INK_OK;
}

ink_status ink__build_gather_group(const ink__build_state *all, const ink__group *group,
                                   ink__gather **gather, ink_error *error)
{
    ink__build_worker *mine = &all->worker[0];
    ink__bins         *bins = &all->collector.groups->shards[group->shard].bins;

    *gather = &mine->collect.gather;
    (*gather)->count = (*gather)->byte_count = 0;
    INK__TRY(ink__bins_each(bins, group->bin, ink__gather_add, *gather, error));
    if ((*gather)->keep == INK__KEEP_KEYS)
        return INK_OK;
    return ink__gather_distinct(*gather, &mine->filler.table, error);
}

/* ---- Filling ------------------------------------------------------------------------------ */

/* How many keys the sketches of a group are planned for. The hashes that were gathered become
 * distinct where that changes nothing. */
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
            status = ink_sketch_distinct(counter, 0, &estimate, error);
        ink_sketch_free(counter);
        INK__TRY(status);
    }
    *keys = ink__build_keys(estimate.estimate);
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

/* Makes a sketch for so many keys: a copy of an empty one, as a plan takes longer. */
static ink_status make_sketch(const ink__build_state *all, ink__build_worker *mine, size_t kind,
                              uint64_t keys, ink_sketch **sketch, ink_error *error)
{
    size_t at = (size_t)(keys * all->plan->kind_count + kind) % INK__MODELS;

    if (keys > SMALL_KEYS || INK__MODELS < all->plan->kind_count)
        return ink__build_make(all->plan, kind, keys, sketch, error);
    if (mine->filler.models[at] == NULL ||
        mine->filler.model_keys[at] != keys * all->plan->kind_count + kind) {
        ink_sketch *model;
        INK__TRY(ink__build_make(all->plan, kind, keys, &model, error));
        ink_sketch_free(mine->filler.models[at]);
        mine->filler.models[at] = model;
        mine->filler.model_keys[at] = keys * all->plan->kind_count + kind;
    }
    return ink_sketch_copy(sketch, mine->filler.models[at], NULL, error);
}

ink_status ink__build_fill_group(const ink__build_state *all, ink__build_worker *mine,
                                 ink__group *group, ink_error *error)
{
    ink__group_shard *shard = &all->collector.groups->shards[group->shard];
    uint64_t          records = shard->bins.bins[group->bin].elements + group->repeats, keys = 0;

    if (all->plan->use.pieces && records == 0)
        return INK_OK; /* sketches alone came, or slices: another reducer has what is kept */
    mine->collect.gather.count = mine->collect.gather.byte_count = 0;
    INK__TRY(
        ink__bins_each(&shard->bins, group->bin, ink__gather_add, &mine->collect.gather, error));
    ink__bins_empty(&shard->bins, group->bin);
    if (all->plan->any[INK__BUILD_SIZED])
        INK__TRY(count_keys(all, mine, &group->label, &keys, error));
    ink_batch batch = ink__gather_batch(&mine->collect.gather);
    if (batch.count < records)
        batch.records = records;
    for (size_t k = 0; k < all->plan->kind_count; k++) {
        if (all->plan->kinds[k].mode == INK__BUILD_ORDERED)
            continue;
        if (group->sketches[k] == NULL)
            INK__TRY(make_sketch(all, mine, k, keys, &group->sketches[k], error));
        if (batch.count > 0)
            INK__TRY(ink__build_add(&all->plan->kinds[k], group->sketches[k], batch, error));
    }
    return INK_OK;
}

/* What the threads that fill groups share. */
typedef struct filling {
    ink__build_state *all;
    ink__gate         gate;
    unsigned          next; /* shard to be filled */
    bool              failed;
    ink_error         failure;
    uint64_t          told;
} filling;

/* Takes the number of the next shard; false if there is none, or if somebody failed. */
static bool next_shard(filling *fill, unsigned *shard)
{
    ink_progress progress = {
        .phase = INK_PHASE_FILLING,
        .total = INK__GROUP_SHARDS,
        .records = fill->all->plan->job->records,
    };

    ink__gate_enter(&fill->gate);
    progress.done = fill->next;
    if (!fill->failed && ink__feed_tell(fill->all->plan->job, &progress, fill->all->plan->began,
                                        &fill->told, &fill->failure) != INK_OK)
        fill->failed = true;
    bool more = !fill->failed && fill->next < INK__GROUP_SHARDS;
    *shard = more ? fill->next++ : 0;
    ink__gate_leave(&fill->gate);
    return more;
}

static void fill_shards(void *host, unsigned number)
{
    filling           *fill = host;
    ink__build_worker *mine = &fill->all->worker[number];
    ink_error          failure;
    unsigned           at;

    while (next_shard(fill, &at)) {
        ink__group_shard *shard = &fill->all->collector.groups->shards[at];
        ink_status        status = INK_OK;
        for (uint64_t i = 0; i < shard->bins.count && status == INK_OK; i++)
            status = ink__build_fill_group(fill->all, mine, shard->groups[i], &failure);
        if (status != INK_OK) {
            ink__gate_enter(&fill->gate);
            fill->failed = true;
            fill->failure = failure;
            ink__gate_leave(&fill->gate);
        }
    }
}

ink_status ink__build_fill_groups(ink__build_state *all, ink_error *error)
{
    filling fill = {.all = all, .told = all->plan->began};

    INK__TRY(ink__gate_open(&fill.gate, error));
    ink__threads_run(all->plan->workers, fill_shards, &fill);
    ink__gate_close(&fill.gate);
    if (!fill.failed)
        return INK_OK;
    if (error != NULL)
        *error = fill.failure;
    return fill.failure.status;
}
