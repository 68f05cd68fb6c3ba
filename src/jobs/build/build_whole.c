/* build_whole.c - sketches that are made of all of their hashes at once (fuse), by all threads.
 * First threads take partitions of what was kept: they sort the hashes of each and leave each once.
 * Then all are counted, and threads make the shards of the sketch, each of the partitions that
 * begin alike, or some of each partition.
 *
 * Circle: build_sized.c begins and ends a build of what was kept; what stands in its partitions it
 * gathers for both. */
#include "base/memory.h"
#include "base/status.h"
#include "jobs/build/build_state.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/tasks.h"

enum { PARTITION_BITS = 8 };
_Static_assert(1 << PARTITION_BITS == INK__BUILD_PARTITIONS, "hashes are kept by these bits");

typedef struct making {
    ink__build_state *all;
    unsigned          threads;
    ink__whole_room **rooms;  /* one for each thread ... */
    ink__spill       *sorted; /* ... and the different hashes of the partitions that it took */
    uint64_t         *counts; /* of these */
    ink__whole      **wholes; /* one for each kind; NULL: the kind is another */
    unsigned          shard_bits;
} making;

static ink_status sort_partition(void *host, unsigned thread, uint64_t partition, ink_error *error)
{
    making            *of = host;
    ink__build_worker *mine = &of->all->worker[thread];
    ink__table        *to = &mine->filler.table;
    ink__gather       *gather;
    size_t             kept;

    INK__TRY(ink__build_gather_all(of->all, thread, partition, &gather, error));
    if (gather->count == 0)
        return INK_OK;
    if (to->bytes < 8 * gather->count)
        INK__TRY(ink__grow(&of->all->plan->allocator, &to->slots, &to->bytes, 0, 8 * gather->count,
                           error));
    INK__TRY(ink__whole_sort(of->rooms[thread], gather->hashes, (size_t)gather->count,
                             PARTITION_BITS, to->slots, &kept, error));
    of->counts[thread] += kept;
    return ink__spill_put_many(&of->sorted[thread], partition, to->slots, 8, kept, error);
}

/* The shards of the partitions from `first` on, before `end`. */
static ink_status make_shards(making *of, unsigned thread, uint64_t first, uint64_t end,
                              ink_error *error)
{
    ink__gather *hashes = &of->all->worker[thread].filler.copy;

    hashes->keep = INK__KEEP_HASHES;
    hashes->count = 0;
    for (uint64_t partition = first; partition < end; partition++)
        for (unsigned i = 0; i < of->threads; i++)
            INK__TRY(ink__spill_each(&of->sorted[i], partition, ink__gather_add, hashes, error));
    for (size_t k = 0; k < of->all->plan->kind_count; k++)
        if (of->wholes[k] != NULL)
            INK__TRY(ink__whole_build(of->wholes[k], of->rooms[thread], hashes->hashes,
                                      (size_t)hashes->count, error));
    return INK_OK;
}

/* Task number `task` has as many partitions as a shard, or one. */
static ink_status make_some(void *host, unsigned thread, uint64_t task, ink_error *error)
{
    making        *of = host;
    const unsigned joined = of->shard_bits < PARTITION_BITS ? PARTITION_BITS - of->shard_bits : 0;

    return make_shards(of, thread, task << joined, (task + 1) << joined, error);
}

static ink_status open_wholes(making *of, ink_error *error)
{
    const ink__build_plan *plan = of->all->plan;
    uint64_t               keys = 0;

    for (unsigned i = 0; i < of->threads; i++)
        keys += of->counts[i];
    for (size_t k = 0; k < plan->kind_count; k++) {
        if (plan->kinds[k].info.made_whole == 0)
            continue;
        INK__TRY(
            ink__whole_open(&of->wholes[k], &plan->kinds[k].params, keys, &plan->allocator, error));
        of->shard_bits = ink__whole_shard_bits(of->wholes[k]);
    }
    return INK_OK;
}

/* Gives back what was sorted, before shards are joined. */
static void end_sorted(making *of)
{
    for (unsigned i = 0; of->sorted != NULL && i < of->threads; i++)
        ink__spill_end(&of->sorted[i]);
}

static ink_status make(making *of, ink_error *error)
{
    const ink__build_plan *plan = of->all->plan;
    uint64_t               records = 0;

    for (unsigned i = 0; i < of->threads; i++) {
        ink__spill_begin(&of->sorted[i], plan->memory / of->threads, NULL, plan->folder,
                         &plan->allocator);
        while (of->sorted[i].count < INK__BUILD_PARTITIONS)
            INK__TRY(ink__spill_add(&of->sorted[i], error));
        INK__TRY(ink__whole_room_create(&of->rooms[i], &plan->allocator, error));
    }
    ink__tasks tasks = ink__tasks_of(plan->job, plan->began, INK_PHASE_FILLING,
                                     INK__BUILD_PARTITIONS, sort_partition, of);
    tasks.total = 2 * INK__BUILD_PARTITIONS;
    INK__TRY(ink__tasks_run(&tasks, of->threads, error));
    INK__TRY(open_wholes(of, error));
    tasks.run = make_some;
    tasks.before = INK__BUILD_PARTITIONS;
    if (of->shard_bits < PARTITION_BITS)
        tasks.count = (uint64_t)1 << of->shard_bits;
    INK__TRY(ink__tasks_run(&tasks, of->threads, error));
    end_sorted(of);
    for (unsigned w = 0; w < plan->workers; w++)
        records += of->all->worker[w].kept.records;
    for (size_t k = 0; k < plan->kind_count; k++) {
        ink_sketch **sketch = &of->all->whole->sketches[k];
        if (of->wholes[k] == NULL)
            continue;
        INK__TRY(ink__whole_finish(of->wholes[k], records, sketch, error));
        ink__account_made(plan->job, *sketch);
    }
    return INK_OK;
}

ink_status ink__build_make_whole(ink__build_state *all, ink_error *error)
{
    const ink__build_plan *plan = all->plan;
    making                 of = {.all = all, .threads = plan->workers};
    uint64_t               each = sizeof *of.rooms + sizeof *of.sorted + sizeof *of.counts;
    uint64_t               bytes = of.threads * each + plan->kind_count * sizeof *of.wholes;

    INK__TRY(ink__allocate_zeroed(&plan->allocator, bytes, &of.sorted, error));
    of.rooms = (ink__whole_room **)(void *)(of.sorted + of.threads);
    of.counts = (uint64_t *)(void *)(of.rooms + of.threads);
    of.wholes = (ink__whole **)(void *)(of.counts + of.threads);
    ink_status status = make(&of, error);
    end_sorted(&of);
    for (unsigned i = 0; i < of.threads; i++)
        ink__whole_room_free(of.rooms[i]);
    for (size_t k = 0; k < plan->kind_count; k++)
        ink__whole_close(of.wholes[k]);
    ink__release(&plan->allocator, of.sorted, bytes);
    return status;
}
