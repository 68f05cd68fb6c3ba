/* build_groups.c - a build with groups: the elements of each group fill its sketches, at the end,
 * or whenever there are many if no size has to be known. Threads take groups; one that is as large
 * as the work of a thread is divided among all. */
#include "base/memory.h"
#include "base/status.h"
#include "jobs/build/build_state.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/tasks.h"

#include <string.h>

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
 * Which one is the first depends on threads, so that data with an end are read to it. All of its
 * bits are read, and it may have many more of them than records: so it is looked at when as many
 * have come as were planned for, and then whenever these have doubled. */
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

/* ---- Groups with very many records -------------------------------------------------------- */

/* Sketches of its own that a thread has take no more than these bytes, or this part of the job's
 * memory. They are made for a group of this many records, and of enough for each of their bytes
 * that all threads' making and merging of them is a small part of the work. */
#define OWN_BYTES ((uint64_t)4 << 20)
#define OWN_FROM ((uint64_t)1 << 14)
enum { OWN_SHARE = 8, BYTES_PER_RECORD = 4 };

/* Lets a worker own a group of this many records, if that pays. Filters are looked at while they
 * fill: all of their records are needed in one sketch. */
static ink_status own_if_large(ink__build_state *all, ink__collect_worker *mine, ink__group *group,
                               uint64_t records, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    uint64_t               room = plan->memory / OWN_SHARE / plan->workers, bytes = 0;
    ink_description        description;

    if (records < OWN_FROM || plan->use.flush != NULL || plan->keep == INK__KEEP_KEYS ||
        *ink__collect_place(mine, group) != NULL)
        return INK_OK;
    for (size_t k = 0; k < plan->kind_count; k++) {
        if (plan->kinds[k].mode != INK__BUILD_DIRECT)
            continue;
        if (plan->kinds[k].info.contains)
            return INK_OK;
        ink_sketch_describe(group->sketches[k], &description);
        bytes += description.bytes;
    }
    if (mine->own_bytes + bytes > (room < OWN_BYTES ? room : OWN_BYTES) ||
        records / plan->workers < bytes / BYTES_PER_RECORD)
        return INK_OK;
    return ink__collect_own(&all->collector, mine, group, bytes, error);
}

ink_status ink__build_drain_own(void *host, ink__own_group *own, ink_error *error)
{
    const ink__build_plan *plan = ((const ink__build_state *)host)->plan;
    const ink_batch        batch = {
               .count = (size_t)own->count,
               .hashes = own->hashes,
               .weights = plan->keep == INK__KEEP_HASHES ? NULL : own->weights,
    };

    own->count = 0;
    for (size_t k = 0; k < plan->kind_count && batch.count > 0; k++) {
        if (plan->kinds[k].mode != INK__BUILD_DIRECT)
            continue;
        if (own->sketches[k] == NULL)
            INK__TRY(ink__build_make(plan, k, 0, &own->sketches[k], error));
        INK__TRY(ink__build_add(&plan->kinds[k], own->sketches[k], batch, error));
    }
    return INK_OK;
}

/* The groups with one place, of all workers: no other task has them. */
static ink_status merge_own(void *host, unsigned thread, uint64_t number, ink_error *error)
{
    const ink__build_state *all = host;

    (void)thread;
    for (unsigned w = 0; w < all->plan->workers; w++) {
        ink__own_group *own = all->worker[w].collect.own[number];
        if (own == NULL)
            continue;
        INK__TRY(ink__build_drain_own(host, own, error));
        for (size_t k = 0; k < all->plan->kind_count; k++)
            INK__TRY(ink__build_merge(&own->group->sketches[k], &own->sketches[k], error));
        ink__collect_disown(&all->collector, &all->worker[w].collect, (unsigned)number);
    }
    return INK_OK;
}

ink_status ink__build_merge_own(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    ink__tasks             tasks =
        ink__tasks_of(plan->job, plan->began, INK_PHASE_FILLING, INK__OWN_GROUPS, merge_own, all);
    bool owns = false;

    tasks.total = 0;
    for (unsigned w = 0; w < plan->workers; w++)
        owns = owns || all->worker[w].collect.own_bytes > 0;
    return owns ? ink__tasks_run(&tasks, plan->workers, error) : INK_OK;
}

ink_status ink__build_drain(void *host, ink__collect_worker *mine, ink__group *group,
                            ink__spill *spill, ink_error *error)
{
    ink__build_state      *all = host;
    const ink__build_plan *plan = all->plan;
    uint64_t               records = 0;

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
        records = was.records;
        INK__TRY(ink__build_add(&plan->kinds[k], *sketch, ink__gather_batch(&mine->gather), error));
        if (plan->endless)
            INK__TRY(check_promise(&plan->kinds[k], *sketch, was.records, error));
        if (plan->use.flush != NULL)
            atomic_fetch_add(&all->direct_bytes, ink__sketch_cost(*sketch) - before);
    }
    ink__spill_empty(spill, group->partition);
    spill->partitions[group->partition].elements = 0;
    return own_if_large(all, mine, group, records, error);
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
    INK__TRY(ink_sketch_copy(sketch, *at, NULL, error));
    ink__account_made(plan->job, *sketch);
    return INK_OK;
}

/* Makes a sketch of all keys of a batch, which are hashes. */
static ink_status make_whole(const ink__build_plan *plan, ink__build_filler *mine, size_t kind,
                             const ink_batch *batch, ink_sketch **sketch, ink_error *error)
{
    if (mine->room == NULL)
        INK__TRY(ink__whole_room_create(&mine->room, &plan->allocator, error));
    INK__TRY(ink__whole_make(sketch, &plan->kinds[kind].params, batch->hashes, batch->count,
                             batch->records, mine->room, error));
    ink__account_made(plan->job, *sketch);
    return INK_OK;
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
        if (kind->info.made_whole && *sketch == NULL) {
            INK__TRY(make_whole(all->plan, &mine->filler, k, &batch, sketch, error));
            continue;
        }
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

/* ---- A group by all threads --------------------------------------------------------------- */

/* The elements of a group go to the partitions of workers, as in a build without groups. */
typedef struct dividing {
    ink__build_state *all;
    ink_sketch      **direct; /* sketches of direct kinds, for each worker */
    ink__mutex        mutex;  /* of the walk */
    ink__spill_walk   walk;   /* the parts that no thread has taken yet */
} dividing;

typedef struct divided_part {
    const dividing *of;
    unsigned        worker;
} divided_part;

static ink_status keep_part(void *host, const uint8_t *elements, uint64_t bytes, ink_error *error)
{
    const divided_part    *part = host;
    ink__build_state      *all = part->of->all;
    const ink__build_plan *plan = all->plan;
    ink__build_worker     *mine = &all->worker[part->worker];
    ink_sketch           **direct = part->of->direct + part->worker * plan->kind_count;

    mine->kept.records += bytes / (plan->keep == INK__KEEP_HASHES ? 8 : 16);
    for (size_t k = 0; k < plan->kind_count; k++) {
        if (plan->kinds[k].mode != INK__BUILD_DIRECT)
            continue;
        mine->collect.gather.count = 0;
        INK__TRY(ink__gather_add(&mine->collect.gather, elements, bytes, error));
        if (direct[k] == NULL)
            INK__TRY(ink__build_make(plan, k, 0, &direct[k], error));
        INK__TRY(ink__build_add(&plan->kinds[k], direct[k],
                                ink__gather_batch(&mine->collect.gather), error));
    }
    return ink__build_keep_elements(plan, mine, elements, bytes, error);
}

static ink_status divide_part(void *host, unsigned worker, uint64_t number, ink_error *error)
{
    dividing    *of = host;
    divided_part to = {of, worker};

    (void)number;
    ink__mutex_lock(&of->mutex);
    ink__spill_walk part = ink__spill_walk_next(&of->walk);
    ink__mutex_unlock(&of->mutex);
    return ink__spill_visit_part(&part, keep_part, &to, error);
}

/* A worker keeps nothing any more; what it knows of an earlier group is not true of the next. */
static void clear_kept(ink__build_kept *kept)
{
    ink__spill_end(&kept->spill);
    ink_sketch_free(kept->counter);
    kept->counter = NULL;
    kept->records = kept->recent_pause = 0;
    kept->recent_tries = kept->recent_hits = 0;
    memset(kept->recent, 0, sizeof kept->recent);
}

static ink_status fill_divided(dividing *of, ink__group *group, ink_error *error)
{
    ink__build_state      *all = of->all;
    const ink__build_plan *plan = all->plan;
    ink__spill            *spill = &all->collector.groups->shards[group->shard].spill;

    of->walk = ink__spill_walk_of(spill, group->partition);
    ink__tasks tasks = ink__tasks_of(plan->job, plan->began, INK_PHASE_FILLING,
                                     ink__spill_walk_parts(&of->walk), divide_part, of);
    tasks.before = all->filled;
    tasks.total = all->fill_total;
    all->filled += tasks.count;
    INK__TRY(ink__tasks_run(&tasks, plan->workers, error));
    ink__spill_empty(spill, group->partition);
    spill->partitions[group->partition].elements = 0;
    all->whole = group;
    ink_status status = ink__build_fill_whole(all, error);
    all->whole = NULL;
    for (size_t i = 0; i < plan->workers * plan->kind_count && status == INK_OK; i++)
        status = ink__build_merge(&group->sketches[i % plan->kind_count], &of->direct[i], error);
    return status;
}

/* Only hashes, with weights or without, can be divided. */
static ink_status divide_group(ink__build_state *all, ink__group *group, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    uint64_t               bytes = plan->workers * plan->kind_count * sizeof(ink_sketch *);
    dividing               of = {.all = all};

    for (unsigned w = 0; w < plan->workers; w++)
        clear_kept(&all->worker[w].kept);
    INK__TRY(ink__allocate_zeroed(&plan->allocator, bytes, &of.direct, error));
    ink_status status = ink__mutex_open(&of.mutex, error);
    if (status == INK_OK) {
        status = fill_divided(&of, group, error);
        ink__mutex_close(&of.mutex);
    }
    for (size_t i = 0; i < plan->workers * plan->kind_count; i++)
        ink_sketch_free(of.direct[i]);
    ink__release(&plan->allocator, of.direct, bytes);
    return status;
}

/* ---- All groups --------------------------------------------------------------------------- */

/* Groups of this many elements are put off: what part of the work they are is known later. */
enum { LARGE_ELEMENTS = 1 << 18 };
/* One that is more than a thread's part of them by this is divided: others would wait for it. */
enum { DIVIDED_SHARE = 2 };

typedef struct filling {
    ink__build_state *all;
    bool              puts_off, late;             /* large groups; or only those are filled */
    uint64_t          put_off[INK__GROUP_SHARDS]; /* their elements ... */
    uint64_t          total;                      /* ... in all shards */
} filling;

static bool is_large(const ink__group_shard *shard, uint64_t number)
{
    return ink__spill_elements(&shard->spill, number) >= LARGE_ELEMENTS &&
           shard->groups[number]->repeats == 0;
}

static ink_status fill_shard(void *host, unsigned worker, uint64_t number, ink_error *error)
{
    filling                *fill = host;
    const ink__build_state *all = fill->all;
    const ink__group_shard *shard = &all->collector.groups->shards[number];

    if (fill->late && fill->put_off[number] == 0)
        return INK_OK;
    for (uint64_t i = 0; i < shard->spill.count; i++)
        if (fill->puts_off ? !is_large(shard, i) : !fill->late || is_large(shard, i))
            INK__TRY(ink__build_fill_group(all, &all->worker[worker], shard->groups[i], error));
    return INK_OK;
}

/* Whether all threads share a group; those that are a small part of all are left. */
static bool is_divided(const filling *fill, const ink__group_shard *shard, uint64_t number)
{
    return is_large(shard, number) && ink__spill_elements(&shard->spill, number) >
                                          fill->total / (DIVIDED_SHARE * fill->all->plan->workers);
}

static ink_status divide_large(filling *fill, ink_error *error)
{
    for (unsigned s = 0; s < INK__GROUP_SHARDS; s++) {
        const ink__group_shard *shard = &fill->all->collector.groups->shards[s];
        for (uint64_t i = 0; i < shard->spill.count && fill->put_off[s] > 0; i++)
            if (is_divided(fill, shard, i))
                INK__TRY(divide_group(fill->all, shard->groups[i], error));
    }
    return INK_OK;
}

/* How many elements are put off, and how many tasks all steps have. */
static void look_ahead(filling *fill)
{
    ink__build_state *all = fill->all;
    const uint64_t    each = 2 * (uint64_t)ink__build_partitions(all->plan); /* of a divided one */

    all->fill_total = INK__GROUP_SHARDS;
    for (unsigned s = 0; s < INK__GROUP_SHARDS; s++) {
        const ink__group_shard *shard = &all->collector.groups->shards[s];
        for (uint64_t i = 0; i < shard->spill.count && fill->puts_off; i++)
            if (is_large(shard, i))
                fill->put_off[s] += ink__spill_elements(&shard->spill, i);
        fill->total += fill->put_off[s];
    }
    for (unsigned s = 0; s < INK__GROUP_SHARDS && fill->total > 0; s++) {
        const ink__group_shard *shard = &all->collector.groups->shards[s];
        for (uint64_t i = 0; i < shard->spill.count && fill->put_off[s] > 0; i++)
            if (is_divided(fill, shard, i)) {
                ink__spill_walk walk = ink__spill_walk_of(&shard->spill, i);
                all->fill_total += each + ink__spill_walk_parts(&walk);
            }
    }
    all->fill_total += fill->total > 0 ? INK__GROUP_SHARDS : 0; /* once more */
}

ink_status ink__build_fill_groups(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    filling                fill = {.all = all};
    ink__tasks tasks = ink__tasks_of(plan->job, plan->began, INK_PHASE_FILLING, INK__GROUP_SHARDS,
                                     fill_shard, &fill);

    fill.puts_off = plan->workers > 1 && plan->keep != INK__KEEP_KEYS;
    look_ahead(&fill);
    tasks.total = all->fill_total;
    all->filled = tasks.count;
    INK__TRY(ink__tasks_run(&tasks, plan->workers, error));
    if (fill.total == 0)
        return INK_OK;
    INK__TRY(divide_large(&fill, error));
    fill.puts_off = false;
    fill.late = true;
    tasks.before = all->filled;
    return ink__tasks_run(&tasks, plan->workers, error);
}
