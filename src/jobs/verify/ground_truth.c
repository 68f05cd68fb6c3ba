/* ground_truth.c - the ground truth of a verification, from records. */
#include "jobs/verify/ground_truth.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

void ink__ground_truth_free(ink__ground_truth *truth)
{
    for (unsigned i = 0; i < truth->worker_count && truth->workers != NULL; i++)
        ink__gather_end(&truth->workers[i].gather);
    ink__release(&truth->allocator, truth->workers, truth->worker_count * sizeof *truth->workers);
    ink__release(&truth->allocator, truth->row_hashes,
                 truth->worker_count * sizeof *truth->row_hashes);
    ink__release(&truth->allocator, truth->list, truth->count * sizeof *truth->list);
    ink__groups_free(truth->collector.groups);
    ink__hasher_free(truth->collector.label_hasher);
    *truth = (ink__ground_truth){0};
}

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    ink__ground_truth   *truth = host;
    ink__collect_worker *mine = &truth->workers[worker];
    const ink__rows     *rows = feed->rows;
    ink_batch            batch = ink__rows_batch(rows);

    batch.weights = NULL;
    if (truth->collector.keep != INK__KEEP_KEYS)
        INK__TRY(ink_hash_batch(truth->hasher, &batch, truth->row_hashes[worker], error));
    INK__TRY(ink__collect_groups(&truth->collector, mine, rows, truth->whole, error));
    return ink__collect_rows(&truth->collector, mine, rows, truth->row_hashes[worker], error);
}

void ink__ground_truth_begin(ink__ground_truth *truth, const ink__feed *feed,
                             const ink_sketch *hasher, bool ints, const ink_job *job)
{
    const uint64_t none[1] = {0};
    uint64_t       hash;
    ink_batch      nothing = {.count = 0, .bytes = (const uint8_t *)"", .offsets = none};

    *truth = (ink__ground_truth){
        .allocator = ink__allocator_or_heap(job->allocator),
        .hasher = hasher,
        .ints = ints,
        .worker_count = ink__feed_workers(feed, job),
    };
    if (ints)
        nothing = (ink_batch){.count = 0, .ints = (const int64_t *)(const void *)none};
    truth->hashes = ink_hash_batch(hasher, &nothing, &hash, NULL) == INK_OK;
}

ink_status ink__ground_truth_make_groups(ink__ground_truth *truth, const ink_job *job,
                                         const char *folder, bool grouped, ink_error *error)
{
    const ink_params labels = {0};

    INK__TRY(ink__hasher_create(&truth->collector.label_hasher, &labels, &truth->allocator, error));
    INK__TRY(ink__groups_create(&truth->collector.groups, 0, ink__job_memory(job), folder,
                                &truth->allocator, error));
    if (grouped)
        return INK_OK;
    return ink__groups_find(truth->collector.groups, &(ink_label){0}, 0, &truth->whole, error);
}

static ink_status read_all(ink__ground_truth *truth, const ink__feed *feed, const char *folder,
                           ink_job *job, uint64_t began, ink_error *error)
{
    INK__TRY(ink__allocate_zeroed(&truth->allocator, truth->worker_count * sizeof *truth->workers,
                                  &truth->workers, error));
    INK__TRY(ink__allocate_zeroed(&truth->allocator,
                                  truth->worker_count * sizeof *truth->row_hashes,
                                  &truth->row_hashes, error));
    INK__TRY(ink__ground_truth_make_groups(truth, job, folder, feed->reading->by != NULL, error));
    INK__TRY(ink__feed_run(feed, job, began, error));
    for (unsigned i = 0; i < truth->worker_count; i++)
        INK__TRY(ink__collect_flush(&truth->collector, &truth->workers[i], error));
    truth->elements = job->records;
    return ink__groups_list(truth->collector.groups, NULL, &truth->list, &truth->count, error);
}

ink_status ink__ground_truth_read(ink__ground_truth *truth, const ink_input *inputs,
                                  size_t input_count, const ink_reading *reading,
                                  const ink_sketch *hasher, ink__keep keep, const char *folder,
                                  ink_job *job, uint64_t began, ink_error *error)
{
    ink__feed feed = {
        .inputs = inputs,
        .input_count = input_count,
        .reading = reading,
        .host = truth,
        .take = take,
    };

    ink__ground_truth_begin(truth, &feed, hasher, reading->keys == INK_KEYS_INT, job);
    feed.workers = truth->worker_count;
    truth->collector.keep = keep;
    ink_status status = read_all(truth, &feed, folder, job, began, error);
    if (status != INK_OK)
        ink__ground_truth_free(truth);
    return status;
}

/* ---- Gathering ---------------------------------------------------------------------------- */

ink_batch ink__ground_truth_batch(const ink__ground_truth *truth, const ink__gather *from,
                                  uint64_t first, uint64_t count)
{
    ink_batch batch = {.count = (size_t)count};

    if (truth->hashes && from->hashes != NULL)
        batch.hashes = from->hashes + first;
    if (from->keep == INK__KEEP_KEYS && truth->ints)
        batch.ints = (const int64_t *)(const void *)from->bytes + first;
    else if (from->keep == INK__KEEP_KEYS) {
        batch.bytes = from->bytes;
        batch.offsets = from->starts + first;
        batch.ends = from->ends + first;
    }
    return batch;
}

ink_status ink__ground_truth_hash(const ink__ground_truth *truth, ink__gather *to, ink_error *error)
{
    if (to->keep != INK__KEEP_KEYS || to->count == 0)
        return INK_OK;
    INK__TRY(
        ink__make_room(&to->allocator, &to->hashes, &to->hashes_room, 0, 8 * to->count, error));
    ink_batch batch = ink__ground_truth_batch(truth, to, 0, to->count);
    batch.hashes = NULL;
    return truth->hashes
               ? ink_hash_batch(truth->hasher, &batch, to->hashes, error)
               : ink__hasher_batch(truth->collector.label_hasher, &batch, to->hashes, error);
}

void ink__ground_truth_close_ranks(const ink__ground_truth *truth, ink__gather *to)
{
    if (!truth->ints || to->keep != INK__KEEP_KEYS)
        return;
    for (uint64_t i = 0; i < to->count; i++) {
        memmove(to->bytes + 8 * i, to->bytes + to->starts[i], 8);
        to->starts[i] = 8 * i;
        to->ends[i] = 8 * i + 8;
    }
    to->byte_count = 8 * to->count;
}

ink_status ink__ground_truth_gather(const ink__ground_truth *truth, const ink__group *group,
                                    ink__gather *to, ink__table *table, ink_error *error)
{
    const ink__spill *spill = &truth->collector.groups->shards[group->shard].spill;

    to->keep = truth->collector.keep;
    INK__TRY(ink__gather_partition(to, spill, group->partition, error));
    INK__TRY(ink__ground_truth_hash(truth, to, error));
    INK__TRY(ink__gather_distinct(to, table, error));
    ink__ground_truth_close_ranks(truth, to);
    return INK_OK;
}
