/* build.c - begins, runs and ends a build, and fills kinds that depend on the order of keys. */
#include "base/memory.h"
#include "base/status.h"
#include "jobs/build/build_state.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/input_spec.h"
#include "jobs/runtime/overfull.h"
#include "jobs/runtime/sketch_set.h"
#include "jobs/runtime/tasks.h"

#include <string.h>

#define SEGMENT_BYTES ((uint64_t)64 << 20)
/* Parts of segments that are read beside each other may take this for each thread. */
#define PART_BYTES ((uint64_t)8 << 20)

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status make_workers(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    bool                   flushes = plan->use.flush != NULL;

    INK__TRY(ink__allocate_zeroed(&plan->allocator, plan->workers * sizeof *all->worker,
                                  &all->worker, error));
    for (unsigned i = 0; i < plan->workers; i++) {
        ink__build_worker *mine = &all->worker[i];
        ink__spill_begin(&mine->kept.spill, flushes ? UINT64_MAX : plan->memory / plan->workers,
                         flushes ? &all->kept_bytes : NULL, plan->folder, &plan->allocator);
        mine->absent = UINT64_MAX;
        mine->pending.keys = (ink__gather){.allocator = plan->allocator, .keep = INK__KEEP_KEYS};
        mine->collect.gather = mine->filler.copy =
            (ink__gather){.allocator = plan->allocator, .keep = plan->keep};
        if (plan->only != NULL)
            INK__TRY(
                ink__allocate_zeroed(&plan->allocator, sizeof *mine->chosen, &mine->chosen, error));
    }
    return INK_OK;
}

static ink_status make_groups(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    bool                   flushes = plan->use.flush != NULL;
    /* Elements that are drained or flushed are never spilled. */
    bool     drains = !plan->any[INK__BUILD_SIZED] && !plan->use.taking;
    uint64_t bytes = 0, each = plan->keep == INK__KEEP_HASHES ? 8 : 16;

    for (size_t k = 0; k < plan->kind_count && flushes; k++)
        if (plan->kinds[k].mode == INK__BUILD_DIRECT)
            bytes += plan->kinds[k].description.bytes_max;

    all->collector = (ink__collector){
        .label_hasher = plan->label_hasher,
        .keep = plan->keep,
        .group_bytes = flushes ? 0 : plan->group_bytes, /* flushed groups take none */
        .memory = plan->memory,
        .host = all,
        .drain = drains ? ink__build_drain : NULL,
        .drain_own = ink__build_drain_own,
        /* Fewer elements are smaller to send than sketches. */
        .drain_elements = bytes / each > INK__DRAIN_ELEMENTS ? bytes / each : INK__DRAIN_ELEMENTS,
    };
    INK__TRY(ink__groups_create(&all->collector.groups, plan->kind_count,
                                drains || flushes ? UINT64_MAX : plan->memory, plan->folder,
                                &plan->allocator, error));
    all->collector.groups->job = plan->job;
    if (plan->reading.by == NULL)
        return ink__groups_find(all->collector.groups, &(ink_label){0}, 0, &all->whole, error);
    return INK_OK;
}

/* How many segments may be read beside each other: more than threads, so that none waits for a
 * slower one, unless their parts would take more than their share of the memory. One if there are
 * groups, whose memory is counted in order, if the build is flushed, or if a kind has one writer.
 */
static unsigned lanes_of(const ink__build_plan *plan)
{
    uint64_t lanes = 2 * (uint64_t)plan->workers, bytes = 0, most = 0;

    for (size_t k = 0; k < plan->kind_count; k++) {
        const ink__build_kind *kind = &plan->kinds[k];
        if (kind->mode != INK__BUILD_ORDERED)
            continue;
        if (kind->info.contains)
            return 1;
        most += kind->description.bytes_max;
        /* The longest keys that are kept are rare. */
        bytes += kind->description.bytes_max / (kind->info.keeps_keys ? 8 : 1);
    }
    if (most == 0 || plan->workers == 1 || plan->reading.by != NULL || plan->use.flush != NULL)
        return 1;
    if (lanes > PART_BYTES * plan->workers / bytes)
        lanes = PART_BYTES * plan->workers / bytes;
    lanes = lanes < 2 ? 2 : lanes;
    if (lanes > plan->memory / 2 / most)
        lanes = plan->memory / 2 / most;
    return lanes < 2 ? 1 : (unsigned)lanes;
}

static size_t lane_bytes(const ink__build_state *all)
{
    return all->ordered.lanes * (all->plan->kind_count * sizeof(ink_sketch *) + sizeof(uint64_t));
}

static ink_status make_lanes(ink__build_state *all, ink_error *error)
{
    ink__build_ordered *ordered = &all->ordered;
    unsigned            kinds = 0;

    for (size_t k = 0; k < all->plan->kind_count; k++)
        if (all->plan->kinds[k].mode == INK__BUILD_ORDERED) {
            kinds++;
            ordered->keys = ordered->keys || all->plan->kinds[k].info.keeps_keys;
            ordered->chain = all->plan->kinds[k].info.contains;
        }
    ordered->chain = ordered->chain && kinds == 1 && all->whole != NULL &&
                     all->plan->hasher != NULL && all->plan->workers > 1;
    ordered->lanes = lanes_of(all->plan);
    if (ordered->lanes == 1)
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&all->plan->allocator, lane_bytes(all), &ordered->parts, error));
    ordered->lane_segments =
        (uint64_t *)(void *)(ordered->parts + ordered->lanes * all->plan->kind_count);
    return INK_OK;
}

ink_status ink__build_begin(ink__build_state *all, const ink__build_plan *plan, uint64_t segment,
                            ink_error *error)
{
    memset(all, 0, sizeof *all);
    all->plan = plan;
    INK__TRY(make_workers(all, error));
    INK__TRY(make_groups(all, error));
    all->ordered.segment = segment;
    INK__TRY(make_lanes(all, error));
    return ink__build_direct_begin(all, error);
}

void ink__build_end(ink__build_state *all)
{
    const ink__build_plan *plan = all->plan;

    if (plan == NULL)
        return; /* it was not begun */
    ink__build_direct_end(all);
    for (unsigned i = 0; all->worker != NULL && i < plan->workers; i++) {
        ink__build_worker *mine = &all->worker[i];
        ink__spill_end(&mine->kept.spill);
        ink_sketch_free(mine->kept.counter);
        ink__pending_rows_end(&mine->pending);
        for (unsigned m = 0; m < INK__MODELS; m++)
            ink_sketch_free(mine->filler.models[m]);
        for (unsigned g = 0; g < INK__OWN_GROUPS && mine->collect.own_bytes > 0; g++)
            ink__collect_disown(&all->collector, &mine->collect, g);
        ink__gather_end(&mine->collect.gather);
        ink__gather_end(&mine->filler.copy);
        ink__whole_room_free(mine->filler.room);
        ink__release(&plan->allocator, mine->filler.table.slots, mine->filler.table.bytes);
        ink__release(&plan->allocator, mine->chosen, sizeof *mine->chosen);
    }
    ink__release(&plan->allocator, all->worker, plan->workers * sizeof *all->worker);
    ink__release(&plan->allocator, all->ordered.touched, all->ordered.touched_bytes);
    const size_t parts = all->ordered.parts == NULL ? 0 : all->ordered.lanes * plan->kind_count;
    for (size_t i = 0; i < parts; i++)
        ink_sketch_free(all->ordered.parts[i]);
    ink__release(&plan->allocator, all->ordered.parts, lane_bytes(all));
    for (ink__build_closed *closed = atomic_load(&all->ordered.closed), *before; closed != NULL;
         closed = before) {
        before = closed->before;
        ink_sketch_free(closed->view);
        ink__release(&plan->allocator, closed, sizeof *closed);
    }
    ink__groups_free(all->collector.groups, plan->workers);
    memset(all, 0, sizeof *all);
}

/* ---- Ordered kinds ------------------------------------------------------------------------ */

/* Rows are added in the ordered commit of their chunk, or at once if it is their turn, so that any
 * number of threads gives the same bytes. Kinds that can be merged (top, conservative count-min)
 * are made of segments of the input, merged in order, so that builds that make segments in parallel
 * give the same bytes too: a distributed one, or the lanes of the feed. A filter that grows has one
 * writer. */

/* Counts the memory of groups' sketches that keep keys; INK_LIMIT above the job's. These change
 * only in commits, so that the sum is exact, and the same for any number of threads. */
static ink_status charge(ink__build_state *all, uint64_t before, uint64_t after, ink_error *error)
{
    uint64_t grown = atomic_fetch_add(&all->ordered.grown_bytes, after - before) + after - before;

    if (all->whole != NULL || all->plan->use.flush != NULL || grown <= all->plan->memory)
        return INK_OK;
    return ink__fail(
        error, INK_LIMIT, INK_NOWHERE, 0,
        "groups with more than %llu bytes of keys and counts in all, expected fewer or "
        "smaller ones, or more memory ({memory_bytes})",
        (unsigned long long)all->plan->memory);
}

static uint64_t segment_bytes(const ink__build_plan *plan)
{
    return plan->use.segment_bytes == 0 ? SEGMENT_BYTES : plan->use.segment_bytes;
}

/* Adds a batch of one group to the parts of its segment, in lane number `lane`. */
static ink_status add_batch(ink__build_state *all, unsigned lane, ink__group *group,
                            const ink_batch *batch, ink_error *error)
{
    ink__build_ordered *ordered = &all->ordered;
    ink_sketch        **parts = group->parts;
    bool                touched = false; /* it has got its first parts of this segment */

    if (ordered->parts != NULL)
        parts = ordered->parts + lane * all->plan->kind_count;
    for (size_t k = 0; k < all->plan->kind_count; k++) {
        const ink__build_kind *kind = &all->plan->kinds[k];
        if (kind->mode != INK__BUILD_ORDERED)
            continue;
        ink_sketch **to = kind->info.contains ? &group->sketches[k] : &parts[k];
        bool         made = *to == NULL;
        if (made) {
            INK__TRY(ink__build_make(all->plan, k, 0, to, error));
            touched = touched || !kind->info.contains;
        }
        uint64_t before = kind->info.keeps_keys && !made ? ink__sketch_cost(*to) : 0;
        INK__TRY(ink__build_add(kind, *to, *batch, error));
        if (kind->info.keeps_keys)
            INK__TRY(charge(all, before, ink__sketch_cost(*to), error));
    }
    if (!touched || ordered->parts != NULL)
        return INK_OK;
    INK__TRY(ink__make_room(&all->plan->allocator, &ordered->touched, &ordered->touched_bytes,
                            ordered->touched_count * sizeof *ordered->touched,
                            sizeof *ordered->touched, error));
    ordered->touched[ordered->touched_count++] = group;
    return INK_OK;
}

/* Lets rows wait for their turn, but those whose keys are in closed levels. */
static ink_status wait_in_chain(const ink__build_state *all, ink__build_worker *mine,
                                const ink__rows *rows, ink_error *error)
{
    const ink__build_closed *closed = atomic_load(&all->ordered.closed);
    const ink_batch          batch = {.count = rows->count, .hashes = mine->hashes};
    const uint64_t           levels = closed == NULL ? 0 : closed->levels;
    uint64_t                 left[INK__ROWS_MAX];
    uint8_t                  known[INK__ROWS_MAX];
    size_t                   count = 0;

    memset(known, 0, sizeof known);
    if (closed != NULL)
        INK__TRY(ink_sketch_contains_batch(closed->view, &batch, known, error));
    for (size_t i = 0; i < rows->count; i++) {
        left[count] = mine->hashes[i];
        count += known[i] == 0;
    }
    mine->known += rows->count - count;
    mine->absent = levels < mine->absent ? levels : mine->absent;
    if (count == 0)
        return INK_OK;
    return ink__pending_rows_add(&mine->pending, &(ink__rows){.count = count},
                                 &(ink__pending_rows_for){.hashes = left}, error);
}

/* Shows other threads the levels that have been closed. */
static ink_status show_closed(ink__build_state *all, const ink_sketch *chain, ink_error *error)
{
    ink__build_closed *before = atomic_load(&all->ordered.closed), *now;
    uint64_t           levels = ink__sketch_closed(chain);

    if (levels == (before == NULL ? 0 : before->levels))
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&all->plan->allocator, sizeof *now, &now, error));
    ink_status status = ink__sketch_view_closed(chain, &now->view, error);
    if (status != INK_OK) {
        ink__release(&all->plan->allocator, now, sizeof *now);
        return status;
    }
    now->levels = levels;
    now->before = before;
    atomic_store(&all->ordered.closed, now);
    return INK_OK;
}

/* Adds the rows of a chunk to the scalable. */
static ink_status commit_chain(ink__build_state *all, ink__build_worker *mine, ink_error *error)
{
    size_t k = 0;

    while (all->plan->kinds[k].mode != INK__BUILD_ORDERED)
        k++;
    ink_sketch **chain = &all->whole->sketches[k];
    ink_batch    batch = {.count = (size_t)mine->pending.count,
                          .hashes = mine->pending.count > 0 ? mine->pending.hashes : mine->hashes,
                          .records = mine->pending.count + mine->known};
    if (*chain == NULL)
        INK__TRY(ink__build_make(all->plan, k, 0, chain, error));
    INK__TRY(ink__sketch_add_absent(*chain, &batch, mine->absent, error));
    ink__pending_rows_clear(&mine->pending);
    mine->known = 0;
    mine->absent = UINT64_MAX;
    return show_closed(all, *chain, error);
}

static ink_status close_segment(ink__build_state *all, ink_error *error)
{
    for (uint64_t i = 0; i < all->ordered.touched_count; i++) {
        ink__group *group = all->ordered.touched[i];
        for (size_t k = 0; k < all->plan->kind_count; k++) {
            ink_sketch *part = group->parts[k];
            if (part == NULL)
                continue;
            group->parts[k] = NULL;
            if (group->sketches[k] == NULL) {
                group->sketches[k] = part;
                continue;
            }
            uint64_t   before = ink__sketch_cost(group->sketches[k]) + ink__sketch_cost(part);
            ink_status status = ink_sketch_merge(group->sketches[k], part, NULL, error);
            ink_sketch_free(part);
            INK__TRY(status);
            if (all->plan->kinds[k].info.keeps_keys)
                INK__TRY(charge(all, before, ink__sketch_cost(group->sketches[k]), error));
        }
    }
    all->ordered.touched_count = 0;
    return INK_OK;
}

/* Merges the parts of a lane, if it has any, when those of all segments before are. */
static ink_status close_lane(void *host, unsigned lane, ink_error *error)
{
    ink__build_state *all = host;
    const size_t      kinds = all->plan->kind_count;

    for (size_t k = 0; k < kinds; k++)
        INK__TRY(ink__build_merge(&all->whole->sketches[k], &all->ordered.parts[lane * kinds + k],
                                  error));
    return INK_OK;
}

/* Begins the segment of these rows, unless it is the one that was begun. */
static ink_status enter_segment(ink__build_state *all, const ink__feed_rows *feed, ink_error *error)
{
    uint64_t  segment = feed->position / segment_bytes(all->plan);
    bool      lanes = all->ordered.parts != NULL;
    uint64_t *begun = lanes ? &all->ordered.lane_segments[feed->lane] : &all->ordered.segment;

    if (segment == *begun)
        return INK_OK;
    *begun = segment;
    return lanes ? close_lane(all, feed->lane, error) : close_segment(all, error);
}

/* ---- The loop ----------------------------------------------------------------------------- */

/* Leaves the rows whose keys are to be added; *rows are then those in `mine`, with their groups. */
static ink_status choose_rows(const ink__build_state *all, ink__build_worker *mine,
                              const ink__rows **rows, ink_error *error)
{
    const ink__rows   *from = *rows;
    ink__build_chosen *to = mine->chosen;
    ink_batch          batch = ink__rows_batch(from);
    size_t             count = 0;

    batch.weights = NULL;
    INK__TRY(ink_sketch_count_batch(all->plan->only, &batch, to->counts, error));
    for (size_t i = 0; i < from->count; i++) {
        if (to->counts[i].estimate == 0)
            continue;
        if (from->key_ints != NULL)
            to->key_ints[count] = from->key_ints[i];
        else {
            to->key_starts[count] = from->key_starts[i];
            to->key_ends[count] = from->key_ends[i];
        }
        if (from->weights != NULL)
            to->weights[count] = from->weights[i];
        mine->collect.row_groups[count++] = mine->collect.row_groups[i];
    }
    to->rows = (ink__rows){
        .count = count,
        .record_bytes = from->record_bytes,
        .record_limit = from->record_limit,
        .key_bytes = from->key_bytes,
        .key_starts = from->key_ints == NULL ? to->key_starts : NULL,
        .key_ends = from->key_ints == NULL ? to->key_ends : NULL,
        .key_ints = from->key_ints == NULL ? NULL : to->key_ints,
        .one_array = from->one_array,
        .weights = from->weights == NULL ? NULL : to->weights,
    };
    *rows = &to->rows;
    return INK_OK;
}

static ink_status take(void *host, unsigned number, const ink__feed_rows *feed, ink_error *error)
{
    ink__build_state      *all = host;
    const ink__build_plan *plan = all->plan;
    ink__build_worker     *mine = &all->worker[number];
    const ink__rows       *rows = feed->rows;

    if (all->whole == NULL && !plan->use.counting)
        INK__TRY(ink__collect_groups(&all->collector, &mine->collect, rows, NULL, error));
    if (plan->only != NULL)
        INK__TRY(choose_rows(all, mine, &rows, error));
    ink_batch batch = ink__rows_batch(rows);
    mine->kept.records += rows->count;
    if (plan->use.counting) { /* by one thread */
        INK__TRY(ink__collect_groups(&all->collector, &mine->collect, rows, all->whole, error));
        for (size_t i = 0; i < rows->count; i++)
            mine->collect.row_groups[i]->repeats++;
        return INK_OK;
    }
    if (plan->hasher != NULL) {
        batch.weights = NULL;
        INK__TRY(ink__hasher_batch(plan->hasher, &batch, mine->hashes, error));
        batch.hashes = mine->hashes;
        batch.weights = rows->weights;
    }
    if (all->whole == NULL && (plan->any[INK__BUILD_DIRECT] || plan->any[INK__BUILD_SIZED]))
        INK__TRY(ink__collect_rows(&all->collector, &mine->collect, rows, mine->hashes, error));
    else if (plan->any[INK__BUILD_DIRECT])
        INK__TRY(ink__build_direct_add(all, number, &batch, error));
    if (all->ordered.chain) {
        INK__TRY(wait_in_chain(all, mine, rows, error));
    } else if (plan->any[INK__BUILD_ORDERED] && all->whole != NULL && feed->turn) {
        INK__TRY(enter_segment(all, feed, error));
        INK__TRY(add_batch(all, feed->lane, all->whole, &batch, error));
    } else if (plan->any[INK__BUILD_ORDERED]) {
        const ink__pending_rows_for what = {
            .hashes = plan->hasher != NULL ? mine->hashes : NULL,
            .groups = all->whole == NULL ? mine->collect.row_groups : NULL,
            .keys = plan->hasher == NULL || all->ordered.keys,
        };
        INK__TRY(ink__pending_rows_add(&mine->pending, rows, &what, error));
    }
    if (all->whole != NULL && plan->any[INK__BUILD_SIZED])
        return ink__build_keep(plan, mine, rows, error); /* last: it may change the hashes */
    return INK_OK;
}

static ink_status commit(void *host, unsigned number, const ink__feed_rows *feed, ink_error *error)
{
    ink__build_state  *all = host;
    ink__pending_rows *pending = &all->worker[number].pending;

    if (all->ordered.chain)
        return commit_chain(all, &all->worker[number], error);
    INK__TRY(enter_segment(all, feed, error));
    for (uint64_t first = 0, end; first < pending->count; first = end) {
        ink__group *group = all->whole != NULL ? all->whole : pending->groups[first];
        end = ink__pending_rows_run(pending, first);
        const ink_batch batch = ink__pending_rows_batch(pending, first, end);
        INK__TRY(add_batch(all, feed->lane, group, &batch, error));
    }
    ink__pending_rows_clear(pending);
    return INK_OK;
}

/* A build is flushed when groups and elements take this part of the memory, as flushing takes
 * memory too; less without groups, where it goes partition by partition. */
enum { SHARE_OF_GROUPS = 8, SHARE_OF_WHOLE = 2 };
/* About the size of a group with its slots in tables. */
enum { GROUP_BYTES = 320 };

static bool is_full(void *host)
{
    const ink__build_state *all = host;
    const ink__groups      *groups = all->collector.groups;
    uint64_t                count = atomic_load(&groups->count);
    bool                    parts = all->whole != NULL && all->plan->keep != INK__KEEP_KEYS;
    uint64_t                each = GROUP_BYTES + 2 * all->plan->kind_count * sizeof(ink_sketch *);
    uint64_t bytes = atomic_load(&all->kept_bytes) + atomic_load(&groups->kept_bytes) +
                     count * each + atomic_load(&groups->label_bytes) +
                     atomic_load(&all->ordered.grown_bytes) + atomic_load(&all->direct_bytes);

    return bytes > all->plan->memory / (parts ? SHARE_OF_WHOLE : SHARE_OF_GROUPS);
}

static ink_status flush(void *host, ink_error *error)
{
    ink__build_state *all = host;

    return all->plan->use.flush(all->plan->use.flush_host, error);
}

ink_status ink__build_read(ink__build_state *all, const ink_input *inputs, size_t input_count,
                           ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    ink__feed              feed = {
                     .inputs = inputs,
                     .input_count = input_count,
                     .reading = &plan->reading,
                     .workers = plan->workers,
                     .host = all,
                     .take = take,
    };

    if (plan->any[INK__BUILD_ORDERED]) {
        feed.commit = commit;
        feed.segment_bytes = segment_bytes(plan);
        feed.lanes = all->ordered.lanes;
        feed.close = close_lane;
    }
    if (plan->use.flush != NULL) {
        feed.full = is_full;
        feed.flush = flush;
    }
    return ink__feed_run(&feed, plan->job, plan->began, error);
}

/* ---- Results ------------------------------------------------------------------------------ */

/* Moves what a worker has staged to groups. */
static ink_status empty_stages(void *host, unsigned thread, uint64_t worker, ink_error *error)
{
    const ink__build_state *all = host;

    (void)thread;
    return ink__collect_flush(&all->collector, &all->worker[worker].collect, error);
}

ink_status ink__build_settle(ink__build_state *all, ink_error *error)
{
    INK__TRY(close_segment(all, error));
    for (unsigned i = 0; all->ordered.parts != NULL && i < all->ordered.lanes; i++)
        INK__TRY(close_lane(all, i, error)); /* if the feed had one: the last segment */
    if (all->whole != NULL)
        return ink__build_direct_finish(all, error);
    ink__tasks tasks = ink__tasks_of(all->plan->job, all->plan->began, INK_PHASE_FILLING,
                                     all->plan->workers, empty_stages, all);
    tasks.total = 0;
    INK__TRY(ink__tasks_run(&tasks, all->plan->workers, error));
    return ink__build_merge_own(all, error);
}

ink_status ink__build_fill(ink__build_state *all, ink_error *error)
{
    uint64_t keys;

    INK__TRY(ink__build_settle(all, error));
    if (all->whole == NULL)
        return ink__build_fill_groups(all, error);
    if (all->plan->any[INK__BUILD_SIZED])
        INK__TRY(ink__build_fill_whole(all, error));
    /* Kinds that got no record are empty sketches. */
    ink__build_known(all->plan, &all->whole->label, &keys);
    for (size_t k = 0; k < all->plan->kind_count; k++)
        if (all->whole->sketches[k] == NULL &&
            (ink__build_is_sized(all, k) || !all->plan->use.pieces)) /* others are in pieces */
            INK__TRY(ink__build_make(all->plan, k, keys, &all->whole->sketches[k], error));
    return INK_OK;
}

/* What threads do with all groups, some of a kind at a time. */
enum { SLICE_GROUPS = 1 << 12 };
typedef struct giving {
    ink__build_state *all;
    ink_set          *set; /* NULL: only looks at promises */
    ink__group      **list;
    uint64_t          count, slices; /* of groups, of the groups of each kind */
    ink__overfull    *found;         /* for each slice of each kind */
} giving;

static ink_status look_at_slice(void *host, unsigned thread, uint64_t number, ink_error *error)
{
    const giving *give = host;
    uint64_t      first = number % give->slices * SLICE_GROUPS;
    size_t        kind = (size_t)(number / give->slices);

    (void)thread;
    (void)error;
    for (uint64_t i = first; i < first + SLICE_GROUPS && i < give->count; i++)
        if (give->all->plan->kinds[kind].info.contains)
            ink__overfull_look(&give->found[number], &give->list[i]->label,
                               give->list[i]->sketches[kind]);
    return INK_OK;
}

/* There is room for the entries. */
static ink_status give_slice(void *host, unsigned thread, uint64_t number, ink_error *error)
{
    const giving *give = host;
    uint64_t      first = number % give->slices * SLICE_GROUPS;
    size_t        kind = (size_t)(number / give->slices);

    (void)thread;
    (void)error;
    for (uint64_t i = first; i < first + SLICE_GROUPS && i < give->count; i++) {
        give->set->entries[kind * give->count + i] =
            (ink_entry){.label = give->list[i]->label, .sketch = give->list[i]->sketches[kind]};
        give->list[i]->sketches[kind] = NULL;
    }
    return INK_OK;
}

static ink_status run_slices(giving *give, ink__task *run, ink_error *error)
{
    const ink__build_plan *plan = give->all->plan;
    uint64_t               count = give->slices * plan->kind_count;
    ink__tasks tasks = ink__tasks_of(plan->job, plan->began, INK_PHASE_FILLING, count, run, give);

    tasks.total = 0; /* a slice that is not given would be lost */
    return ink__tasks_run(&tasks, count < plan->workers ? (unsigned)count : plan->workers, error);
}

/* Refuses filters that are above their promise; `stopped`: not all records were read. */
static ink_status check_promises(giving *give, bool stopped, ink_error *error)
{
    const ink__build_plan *plan = give->all->plan;
    ink__overfull          overfull = {.built = true, .stopped = stopped};
    uint64_t               count = give->slices * plan->kind_count;
    bool                   filters = false;

    for (size_t k = 0; k < plan->kind_count; k++)
        filters = filters || plan->kinds[k].info.contains;
    if (!filters || count == 0)
        return INK_OK;
    INK__TRY(
        ink__allocate_zeroed(&plan->allocator, count * sizeof *give->found, &give->found, error));
    ink_status status = run_slices(give, look_at_slice, error);
    for (uint64_t i = 0; i < count; i++)
        ink__overfull_join(&overfull, &give->found[i]);
    ink__release(&plan->allocator, give->found, count * sizeof *give->found);
    return status == INK_OK ? ink__overfull_refuse(&overfull, error) : status;
}

/* The set gets the sketches, and the memory of their labels. */
static ink_status fill_set(giving *give, ink_error *error)
{
    uint64_t count = give->count * give->all->plan->kind_count;

    INK__TRY(ink__set_reserve(give->set, count, error));
    INK__TRY(run_slices(give, give_slice, error));
    give->set->count = count;
    for (unsigned i = 0; i < INK__GROUP_SHARDS; i++)
        ink__arena_join(&give->set->labels, &give->all->collector.groups->shards[i].labels);
    return INK_OK;
}

/* Checks the promises of all groups; gives them to a set, which is empty, unless it is NULL. */
static ink_status give(ink__build_state *all, ink_set *set, bool stopped, ink_error *error)
{
    giving of = {.all = all, .set = set};

    INK__TRY(ink__groups_list(all->collector.groups, ink__groups_by_label, all->plan->workers,
                              &of.list, &of.count, error));
    of.slices = (of.count + SLICE_GROUPS - 1) / SLICE_GROUPS;
    ink_status status = check_promises(&of, stopped, error);
    if (status == INK_OK && set != NULL && of.count > 0)
        status = fill_set(&of, error);
    ink__release(&all->plan->allocator, of.list, of.count * sizeof *of.list);
    return status;
}

/* A build that ended because a group is above its promise: names the worst of all groups. */
static ink_status fail_stopped(ink__build_state *all, ink_error *error)
{
    all->plan->job->failed_path = NULL;
    ink_status status = give(all, NULL, true, error);
    return status == INK_OK ? INK_PROMISE : status; /* `error` has what was found first */
}

static ink_status build(ink__build_state *all, ink_set *set, const ink_input *inputs,
                        size_t input_count, ink_error *error)
{
    const ink_reading *reading = &all->plan->reading;
    ink_form           form;

    ink_status read = ink__build_read(all, inputs, input_count, error);
    if (read == INK_OK)
        read = ink__build_fill(all, error);
    if (read == INK_PROMISE)
        return fail_stopped(all, error);
    INK__TRY(read);
    INK__TRY(give(all, set, false, error));
    if (input_count > 0 && inputs[0].arrow != NULL)
        return INK_OK; /* Arrow has no input spec */
    INK__TRY(ink_reading_form(reading, inputs, input_count, &form, error));
    return ink__input_spec_write(reading, form, &set->labels, &set->input_spec,
                                 &set->input_spec_bytes, error);
}

ink_status ink_build(ink_set **set, const ink_input *inputs, size_t input_count,
                     const ink_reading *reading, const ink_build_options *options, ink_job *job,
                     ink_error *error)
{
    ink_set         *made = NULL;
    ink__build_plan  plan;
    ink__build_state all = {0};
    ink_status       status = ink__build_plan_make(&plan, inputs, input_count, reading, options,
                                                   &(ink__build_use){0}, job, error);

    if (status == INK_OK)
        status = ink__build_begin(&all, &plan, 0, error);
    if (status == INK_OK)
        status = ink__set_create(&made, &plan.allocator, error);
    if (status == INK_OK)
        made->threads = plan.workers;
    if (status == INK_OK)
        status = build(&all, made, inputs, input_count, error);
    ink__build_end(&all);
    ink__build_plan_end(&plan);
    if (status == INK_OK)
        *set = made;
    else
        ink_set_free(made);
    return status;
}
