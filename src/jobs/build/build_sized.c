/* build_sized.c - a build without groups whose size follows from its keys. Each thread keeps hashes
 * in partitions by their first bits. The number of distinct ones is estimated if there are many,
 * and counted by partition if there are few. Then threads take partitions and fill the sketches:
 * the blocks of a bloom that a partition touches fit into the cache, and only those of neighbouring
 * partitions meet. So all threads fill one such sketch, first with the partitions of even numbers,
 * then with those of odd ones. The bits of a large classic are sorted by range (ranges.h); of small
 * ones each thread fills a copy. */
#include "base/memory.h"
#include "base/status.h"
#include "base/tuning.h"
#include "jobs/build/build_state.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/tasks.h"

#include <string.h>

enum { PARTITION_SHIFT = 56 };
/* After each RECENT_TRIES hashes, the cache of recent ones is paused if it was rarely hit. */
enum { RECENT_TRIES = 1 << 16, RECENT_PAUSE = 1 << 22 };

/* ---- Estimating --------------------------------------------------------------------------- */

/* Begins to estimate, with the elements that a worker has kept so far. */
static ink_status begin_estimate(const ink__build_plan *plan, ink__build_worker *mine,
                                 ink_error *error)
{
    ink__gather *gather = &mine->collect.gather;

    INK__TRY(ink__build_counter(plan, &mine->kept.counter, error));
    for (uint64_t partition = 0; partition < mine->kept.spill.count; partition++) {
        INK__TRY(ink__gather_partition(gather, &mine->kept.spill, partition, error));
        const ink_batch batch = {.count = (size_t)gather->count, .hashes = gather->hashes};
        if (batch.count > 0)
            INK__TRY(ink_sketch_add_batch(mine->kept.counter, &batch, error));
    }
    return INK_OK;
}

/* Adds the first `count` of the worker's hashes, which are in partitions, to the estimate. */
static ink_status estimate_kept(const ink__build_plan *plan, ink__build_worker *mine, size_t count,
                                ink_error *error)
{
    ink_batch batch = {.count = count, .hashes = mine->hashes};

    if (!plan->estimated || mine->kept.records <= 2 * INK__EXACT_KEYS / plan->workers)
        return INK_OK;
    if (mine->kept.counter == NULL)
        return begin_estimate(plan, mine, error);
    return ink_sketch_add_batch(mine->kept.counter, &batch, error);
}

/* The estimated number of distinct hashes of all workers. */
static ink_status estimate(ink__build_state *all, double *result, ink_error *error)
{
    ink_sketch *sum = NULL;
    ink_answer  answer;

    for (unsigned w = 0; w < all->plan->workers; w++) {
        ink__build_worker *mine = &all->worker[w];
        if (mine->kept.counter == NULL)
            INK__TRY(begin_estimate(all->plan, mine, error));
        if (sum == NULL)
            sum = mine->kept.counter;
        else
            INK__TRY(ink_sketch_merge(sum, mine->kept.counter, NULL, error));
    }
    INK__TRY(ink_sketch_distinct_by(sum, INK_ESTIMATOR_UNLIMITED, 0, &answer, error));
    *result = answer.estimate;
    return INK_OK;
}

/* ---- Keeping ------------------------------------------------------------------------------ */

unsigned ink__build_partitions(const ink__build_plan *plan)
{
    return plan->keep == INK__KEEP_KEYS ? 1 : INK__BUILD_PARTITIONS;
}

static ink_status open_spill(const ink__build_plan *plan, ink__build_worker *mine, ink_error *error)
{
    while (mine->kept.spill.count < ink__build_partitions(plan))
        INK__TRY(ink__spill_add(&mine->kept.spill, error));
    return INK_OK;
}

/* Leaves out hashes that the cache knows to be in the partitions. */
static size_t leave_out(ink__build_worker *mine, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t  hash = mine->hashes[i];
        uint64_t *recent = &mine->kept.recent[hash % INK__RECENT_HASHES];
        mine->hashes[kept] = hash;
        kept += *recent != hash || hash == 0;
        *recent = hash;
    }
    mine->kept.recent_tries += (uint32_t)count;
    mine->kept.recent_hits += (uint32_t)(count - kept);
    if (mine->kept.recent_tries >= RECENT_TRIES) {
        mine->kept.recent_pause =
            mine->kept.recent_hits < mine->kept.recent_tries / 16 ? RECENT_PAUSE : 0;
        mine->kept.recent_tries = mine->kept.recent_hits = 0;
    }
    return kept;
}

static ink_status keep_hashes(const ink__build_plan *plan, ink__build_worker *mine, size_t count,
                              ink_error *error)
{
    if (!plan->repeats_matter && mine->kept.recent_pause < count)
        count = leave_out(mine, count);
    else
        mine->kept.recent_pause -= mine->kept.recent_pause < count ? 0 : count;
    INK__TRY(ink__spill_scatter(&mine->kept.spill, mine->hashes, count, PARTITION_SHIFT, error));
    return estimate_kept(plan, mine, count, error);
}

ink_status ink__build_keep(const ink__build_plan *plan, ink__build_worker *mine,
                           const ink__rows *rows, ink_error *error)
{
    ink__spill *spill = &mine->kept.spill;

    INK__TRY(open_spill(plan, mine, error));
    if (plan->keep == INK__KEEP_HASHES)
        return keep_hashes(plan, mine, rows->count, error);
    for (size_t i = 0; i < rows->count; i++)
        if (plan->keep == INK__KEEP_WEIGHTS) {
            uint64_t element[2] = {mine->hashes[i], rows->weights == NULL ? 1 : rows->weights[i]};
            INK__TRY(ink__spill_put(spill, element[0] >> PARTITION_SHIFT, element, sizeof element,
                                    error));
        } else {
            const uint8_t *key = rows->key_bytes + rows->key_starts[i];
            uint32_t       bytes = (uint32_t)(rows->key_ends[i] - rows->key_starts[i]);
            INK__TRY(ink__spill_put_key(spill, 0, key, bytes, 1, error));
        }
    return estimate_kept(plan, mine, rows->count, error);
}

ink_status ink__build_keep_elements(const ink__build_plan *plan, ink__build_worker *mine,
                                    const uint8_t *elements, uint64_t bytes, ink_error *error)
{
    ink__spill    *spill = &mine->kept.spill;
    const uint64_t each = plan->keep == INK__KEEP_HASHES ? 8 : 16;

    INK__TRY(open_spill(plan, mine, error));
    if (plan->keep == INK__KEEP_KEYS)
        return ink__spill_put_keys(spill, 0, elements, bytes, error);
    for (uint64_t left = bytes / each, some; left > 0; left -= some, elements += each * some) {
        some = left < INK__ROWS_MAX ? left : INK__ROWS_MAX;
        if (plan->keep == INK__KEEP_HASHES) {
            memcpy(mine->hashes, elements, (size_t)(8 * some));
            INK__TRY(keep_hashes(plan, mine, (size_t)some, error));
            continue;
        }
        for (uint64_t i = 0; i < some; i++) {
            memcpy(&mine->hashes[i], elements + 16 * i, 8);
            INK__TRY(ink__spill_put(spill, mine->hashes[i] >> PARTITION_SHIFT, elements + 16 * i,
                                    16, error));
        }
        INK__TRY(estimate_kept(plan, mine, (size_t)some, error));
    }
    return INK_OK;
}

/* ---- Counting ----------------------------------------------------------------------------- */

/* What the threads that take partitions share. */
typedef struct filling {
    ink__build_state *all;
    unsigned          threads;
    uint64_t          elements; /* in all partitions of all workers */
    uint64_t          shared;   /* bit k: all threads fill the first one's sketch of kind k */
    ink_sketch      **sketches; /* of all kinds, for each thread */
    uint64_t         *records;  /* the same: records added to a shared one */
    ink__ranges      *ranges;   /* one for each kind, if open: a shared one's */
    uint64_t         *counts;   /* for each thread: distinct hashes in its partitions */
    unsigned          odd;      /* which partitions are filled now: 0 or 1 */
    uint64_t          keys;
    uint64_t          extra;           /* records left out, as their hashes were there ... */
    uint64_t          extra_partition; /* ... are counted with this partition */
    ink__tasks        tasks;           /* one for each partition */
} filling;

static ink_status each_worker(const ink__build_state *all, uint64_t partition,
                              ink__spill_visit visit, void *host, ink_error *error)
{
    for (unsigned w = 0; w < all->plan->workers; w++)
        if (partition < all->worker[w].kept.spill.count)
            INK__TRY(ink__spill_each(&all->worker[w].kept.spill, partition, visit, host, error));
    return INK_OK;
}

ink_status ink__build_gather_all(const ink__build_state *all, unsigned worker, uint64_t partition,
                                 ink__gather **gather, ink_error *error)
{
    *gather = &all->worker[worker].collect.gather;
    (*gather)->count = (*gather)->byte_count = 0;
    return each_worker(all, partition, ink__gather_add, *gather, error);
}

ink_status ink__build_gather_partition(const ink__build_state *all, unsigned worker,
                                       uint64_t partition, ink__gather **gather, ink_error *error)
{
    ink__build_worker *mine = &all->worker[worker];

    INK__TRY(ink__build_gather_all(all, worker, partition, gather, error));
    if ((*gather)->keep == INK__KEEP_KEYS)
        return INK_OK;
    return ink__gather_distinct(*gather, &mine->filler.table, error);
}

static ink_status count_partition(void *host, unsigned thread, uint64_t partition, ink_error *error)
{
    const filling *fill = host;
    ink__gather   *gather;

    INK__TRY(ink__build_gather_partition(fill->all, thread, partition, &gather, error));
    fill->counts[thread] += gather->count;
    return INK_OK;
}

uint64_t ink__build_elements(const ink__build_state *all)
{
    uint64_t sum = 0;

    for (unsigned w = 0; w < all->plan->workers; w++)
        for (uint64_t partition = 0; partition < all->worker[w].kept.spill.count; partition++)
            sum += ink__spill_elements(&all->worker[w].kept.spill, partition);
    return sum;
}

/* The number of keys to plan for: of records where keys are kept, else of different hashes, exactly
 * up to INK__EXACT_KEYS and by an estimate above. */
static ink_status count_keys(filling *fill, ink_error *error)
{
    double   many = 0;
    uint64_t exact = 0;

    if (ink__build_known(fill->all->plan, &fill->all->whole->label, &fill->keys))
        return INK_OK;
    fill->keys = fill->elements;
    if (fill->all->plan->keep == INK__KEEP_KEYS)
        return INK_OK;
    if (fill->elements > INK__EXACT_KEYS)
        INK__TRY(estimate(fill->all, &many, error));
    fill->keys = ink__keys_of_estimate(many);
    if (many > INK__SURELY_MORE * INK__EXACT_KEYS)
        return INK_OK;
    INK__TRY(ink__tasks_run(&fill->tasks, fill->threads, error));
    for (unsigned i = 0; i < fill->threads; i++)
        exact += fill->counts[i];
    if (exact <= INK__EXACT_KEYS)
        fill->keys = exact;
    return INK_OK;
}

/* ---- Filling ------------------------------------------------------------------------------ */

/* Whether the elements are added to a sketch of this kind; others are made whole. */
static bool is_filled(const ink__build_state *all, size_t kind)
{
    return ink__build_is_sized(all, kind) && all->plan->kinds[kind].info.made_whole == 0;
}

/* Where the elements of a partition go. */
typedef struct target {
    filling *fill;
    unsigned thread;
    uint64_t extra; /* records left out, to be counted with the next batch */
} target;

static ink_status add_to_kinds(target *to, ink_batch batch, ink_error *error)
{
    const filling    *fill = to->fill;
    ink__build_state *all = fill->all;
    const uint64_t    extra = to->extra;

    batch.records = extra == 0 ? 0 : batch.count + extra;
    to->extra = 0;
    for (size_t k = 0; k < all->plan->kind_count; k++) {
        const ink__build_kind *kind = &all->plan->kinds[k];
        const size_t           mine = to->thread * all->plan->kind_count + k;
        if (!is_filled(all, k))
            continue;
        if ((fill->shared >> k & 1) == 0)
            INK__TRY(ink__build_add(kind, fill->sketches[mine], batch, error));
        else if (fill->ranges[k].bulk != NULL) {
            ink__ranges_put(&fill->ranges[k], to->thread, batch.hashes, batch.count);
            fill->records[mine] += extra; /* the others are counted there */
        } else
            INK__TRY(ink__build_add_in_range(kind, fill->sketches[k], batch, &fill->records[mine],
                                             error));
    }
    return INK_OK;
}

static ink_status add_elements(void *host, const uint8_t *elements, uint64_t bytes,
                               ink_error *error)
{
    target         *to = host;
    ink__gather    *gather = &to->fill->all->worker[to->thread].collect.gather;
    const ink_batch hashes = {.count = (size_t)(bytes / 8), .hashes = (const void *)elements};

    if (gather->keep == INK__KEEP_HASHES)
        return add_to_kinds(to, hashes, error);
    gather->count = gather->byte_count = 0;
    INK__TRY(ink__gather_add(gather, elements, bytes, error));
    return add_to_kinds(to, ink__gather_batch(gather), error);
}

static ink_status fill_partition(void *host, unsigned thread, uint64_t task, ink_error *error)
{
    filling          *fill = host;
    ink__build_state *all = fill->all;
    uint64_t          partition = 2 * task + fill->odd;
    target            to = {fill, thread, partition == fill->extra_partition ? fill->extra : 0};

    for (size_t k = 0; k < all->plan->kind_count; k++) {
        ink_sketch **sketch = &fill->sketches[thread * all->plan->kind_count + k];
        if (is_filled(all, k) && (fill->shared >> k & 1) == 0 && *sketch == NULL)
            INK__TRY(ink__build_make(all->plan, k, fill->keys, sketch, error));
    }
    return each_worker(fill->all, partition, add_elements, &to, error);
}

/* Whether bits are sorted on their way to a sketch: a large one without ranges of hashes. */
static bool sorts(const ink_sketch *sketch)
{
    ink_description found;

    ink_sketch_describe(sketch, &found);
    return ink__bulk_takes(&found) && !ink__sketch_has_ranges(sketch, 1) &&
           found.bytes >= ink__tuning_now().radix_from_bytes;
}

/* Makes the sketches that all threads share. Limits the threads so that their copies of others take
 * at most twice the memory of elements; or a quarter of it if the build flushes. */
static ink_status make_shared(filling *fill, ink_error *error)
{
    const ink__build_state *all = fill->all;
    const ink__build_plan  *plan = all->plan;
    uint64_t bytes = 1, room = plan->use.flush != NULL ? plan->memory / 4 : 2 * plan->memory;

    for (size_t k = 0; k < plan->kind_count; k++) {
        if (!is_filled(all, k))
            continue;
        INK__TRY(ink__build_make(plan, k, fill->keys, &fill->sketches[k], error));
        if (sorts(fill->sketches[k]) ||
            (fill->tasks.count > 1 && ink__sketch_has_ranges(fill->sketches[k], fill->tasks.count)))
            fill->shared |= (uint64_t)1 << k;
        else
            bytes += ink_sketch_memory(fill->sketches[k]);
    }
    if (room / bytes < fill->threads)
        fill->threads = room / bytes == 0 ? 1 : (unsigned)(room / bytes);
    for (size_t k = 0; k < plan->kind_count; k++)
        if (fill->sketches[k] != NULL && sorts(fill->sketches[k]))
            INK__TRY(ink__ranges_open(&fill->ranges[k], fill->sketches[k], room / 4, fill->threads,
                                      &plan->allocator, error));
    return INK_OK;
}

static ink_status fill_whole(filling *fill, ink_error *error)
{
    const uint64_t kinds = fill->all->plan->kind_count, partitions = fill->tasks.count;

    INK__TRY(count_keys(fill, error));
    INK__TRY(make_shared(fill, error));
    fill->tasks.run = fill_partition;
    fill->tasks.before += partitions;
    for (fill->odd = 0; fill->odd < 2; fill->odd++) {
        fill->tasks.count = (partitions + 1 - fill->odd) / 2;
        INK__TRY(ink__tasks_run(&fill->tasks, fill->threads, error));
        fill->tasks.before += fill->tasks.count;
    }
    for (size_t k = 0; k < kinds; k++) {
        if (fill->ranges[k].bulk != NULL)
            ink__ranges_finish(&fill->ranges[k], fill->all->plan->job);
        ink__ranges_close(&fill->ranges[k]);
        for (unsigned i = 0; i < fill->threads && (fill->shared >> k & 1) != 0; i++)
            ink__count_records(fill->sketches[k], fill->records[i * kinds + k]);
        for (unsigned i = 0; i < fill->threads; i++)
            INK__TRY(ink__build_merge(&fill->all->whole->sketches[k],
                                      &fill->sketches[i * kinds + k], error));
    }
    return INK_OK;
}

/* Each thread gives back the memory of what it has kept. */
static void end_kept(void *host, unsigned worker)
{
    const ink__build_state *all = host;

    ink__spill_end(&all->worker[worker].kept.spill);
}

ink_status ink__build_fill_whole(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    unsigned               spill = ink__build_partitions(plan);
    unsigned               threads = plan->workers < spill ? plan->workers : spill;
    uint64_t               each = plan->kind_count * (sizeof(ink_sketch *) + 8);
    uint64_t               bytes = plan->kind_count * sizeof(ink__ranges) + threads * (8 + each);
    filling fill = {.all = all, .threads = threads, .elements = ink__build_elements(all)};

    INK__TRY(ink__allocate_zeroed(&plan->allocator, bytes, &fill.ranges, error));
    fill.sketches = (ink_sketch **)(void *)(fill.ranges + plan->kind_count);
    fill.records = (uint64_t *)(void *)(fill.sketches + threads * plan->kind_count);
    fill.counts = fill.records + threads * plan->kind_count;
    fill.tasks =
        ink__tasks_of(plan->job, plan->began, INK_PHASE_FILLING, spill, count_partition, &fill);
    /* Keys are counted, if there may be few, then added. */
    fill.tasks.total = 2 * (uint64_t)spill;
    if (all->fill_total != 0) { /* of a group */
        fill.tasks.before = all->filled;
        all->filled += fill.tasks.total;
        fill.tasks.total = all->fill_total;
    }
    for (unsigned w = 0; w < plan->workers; w++) {
        const ink__build_kept *kept = &all->worker[w].kept;
        fill.extra += kept->records;
        for (uint64_t partition = 0; partition < kept->spill.count; partition++)
            if (ink__spill_elements(&kept->spill, partition) > 0)
                fill.extra_partition = partition;
    }
    fill.extra -= fill.elements; /* 0 unless only hashes are kept */
    ink_status status = INK_OK;
    if (fill.elements > 0 && plan->filled)
        status = fill_whole(&fill, error);
    if (fill.elements > 0 && plan->made_whole && status == INK_OK)
        status = ink__build_make_whole(all, error);
    for (size_t k = 0; k < plan->kind_count; k++)
        ink__ranges_close(&fill.ranges[k]); /* before the sketches that they fill */
    for (size_t i = 0; i < threads * plan->kind_count; i++)
        ink_sketch_free(fill.sketches[i]);
    ink__release(&plan->allocator, fill.ranges, bytes);
    ink__region_run(plan->job, "freeing", plan->workers, end_kept, all);
    return status;
}
