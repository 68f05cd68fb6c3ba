/* ground_truth.c - the ground truth of a verification, from records or from the pieces of maps. */
#include "jobs/verify/ground_truth.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "jobs/groups/pieces.h"
#include "jobs/runtime/feed.h"

#include <string.h>

void ink__ground_truth_free(ink__ground_truth *truth)
{
    for (unsigned i = 0; i < truth->worker_count && truth->workers != NULL; i++)
        ink__gather_end(&truth->workers[i].gather);
    ink__release(&truth->allocator, truth->workers, truth->worker_count * sizeof *truth->workers);
    ink__release(&truth->allocator, truth->row_hashes,
                 truth->worker_count * sizeof *truth->row_hashes);
    ink__release(&truth->allocator, truth->list, truth->count * sizeof *truth->list);
    ink__groups_free(truth->collector.groups, truth->worker_count);
    ink__hasher_free(truth->collector.label_hasher);
    *truth = (ink__ground_truth){0};
}

static void begin(ink__ground_truth *truth, const ink__feed *feed, const ink__member *like,
                  bool ints, const ink_job *job)
{
    *truth = (ink__ground_truth){
        .allocator = ink__allocator_or_heap(job->allocator),
        .hasher = like->sketch,
        .hashes = !like->description.needs_keys || like->info.keeps_keys,
        .ints = ints,
        .worker_count = ink__feed_workers(feed, job),
    };
}

/* The groups, or one of all keys. */
static ink_status make_groups(ink__ground_truth *truth, const ink_job *job, bool grouped,
                              ink_error *error)
{
    const ink_params labels = {0};

    INK__TRY(ink__hasher_create(&truth->collector.label_hasher, &labels, &truth->allocator, error));
    INK__TRY(ink__groups_create(&truth->collector.groups, 0, ink__job_memory(job),
                                ink__job_folder(job), &truth->allocator, error));
    truth->collector.groups->job = job;
    if (grouped)
        return INK_OK;
    return ink__groups_find(truth->collector.groups, &(ink_label){0}, 0, &truth->whole, error);
}

/* ---- Records ------------------------------------------------------------------------------ */

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    ink__ground_truth   *truth = host;
    ink__collect_worker *mine = &truth->workers[worker];
    const ink__rows     *rows = feed->rows;
    ink_batch            batch = ink__rows_batch(rows);

    batch.weights = NULL;
    if (truth->collector.keep != INK__KEEP_KEYS)
        INK__TRY(ink_sketch_hash_batch(truth->hasher, &batch, truth->row_hashes[worker], error));
    INK__TRY(ink__collect_groups(&truth->collector, mine, rows, truth->whole, error));
    return ink__collect_rows(&truth->collector, mine, rows, truth->row_hashes[worker], error);
}

static ink_status read_all(ink__ground_truth *truth, const ink__feed *feed, ink_job *job,
                           uint64_t began, ink_error *error)
{
    INK__TRY(ink__allocate_zeroed(&truth->allocator, truth->worker_count * sizeof *truth->workers,
                                  &truth->workers, error));
    INK__TRY(ink__allocate_zeroed(&truth->allocator,
                                  truth->worker_count * sizeof *truth->row_hashes,
                                  &truth->row_hashes, error));
    INK__TRY(make_groups(truth, job, feed->reading->by != NULL, error));
    INK__TRY(ink__feed_run(feed, job, began, error));
    for (unsigned i = 0; i < truth->worker_count; i++)
        INK__TRY(ink__collect_flush(&truth->collector, &truth->workers[i], error));
    truth->elements = job->records;
    return ink__groups_list(truth->collector.groups, NULL, 1, &truth->list, &truth->count, error);
}

ink_status ink__ground_truth_read(ink__ground_truth *truth, const ink_input *inputs,
                                  size_t input_count, const ink_reading *reading,
                                  const ink_reading *remembered, const ink__member *like,
                                  ink__keep keep, ink_job *job, uint64_t began, ink_error *error)
{
    ink__feed feed = {
        .inputs = inputs,
        .input_count = input_count,
        .reading = reading,
        .remembered = remembered,
        .host = truth,
        .take = take,
    };

    begin(truth, &feed, like, reading->keys == INK_KEYS_INT, job);
    feed.workers = truth->worker_count;
    truth->collector.keep = keep;
    ink_status status = read_all(truth, &feed, job, began, error);
    if (status != INK_OK)
        ink__ground_truth_free(truth);
    return status;
}

/* ---- Pieces ------------------------------------------------------------------------------- */

typedef struct unpacking {
    ink__ground_truth              *truth;
    const ink__ground_truth_pieces *from;
    uint64_t                        records;
} unpacking;

/* Hashes must be made by the key rule of the file. */
static ink_status check_rule(const unpacking *all, ink_error *error)
{
    const ink__ground_truth *truth = all->truth;
    const ink_params        *rule = all->from->rule;
    const ink_params         params = {.key_type = truth->ints ? INK_KEY_INT : INK_KEY_BYTES,
                                       .hash = rule->hash,
                                       .seed = rule->seed,
                                       .has_seed = rule->has_seed,
                                       .secret = rule->secret};
    ink_description          found, expected;

    INK__TRY(ink__describe_rule(&params, &found, error));
    ink_sketch_describe(truth->hasher, &expected);
    if (found.keyed && expected.keyed && found.secret_check != expected.secret_check)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "pieces of keys hashed with another secret, expected the file's");
    if (strcmp(found.hash, expected.hash) != 0 || found.seed != expected.seed)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "pieces of keys hashed with %s, seed %llu, expected %s, seed %llu, as in "
                         "the file",
                         found.hash, (unsigned long long)found.seed, expected.hash,
                         (unsigned long long)expected.seed);
    return INK_OK;
}

/* All items keep what the first one keeps. */
static ink_status check_item(const unpacking *all, const ink__item *item, ink_error *error)
{
    ink__collector *collector = &all->truth->collector;
    ink__keep       keep = item->type == INK__ITEM_KEYS ? INK__KEEP_KEYS : INK__KEEP_HASHES;

    if (item->type != INK__ITEM_HASHES && item->type != INK__ITEM_COUNTED &&
        item->type != INK__ITEM_KEYS)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a piece of sketches, expected hashes or keys, as a ranged ink_map of "
                         "filters gives them");
    if (keep == INK__KEEP_HASHES && all->from->need_keys)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a piece of hashes, expected keys, as a map for the hash of the file "
                         "gives them");
    if (all->truth->elements == 0) {
        collector->keep = keep;
        return keep == INK__KEEP_KEYS ? INK_OK : check_rule(all, error);
    }
    if (keep != collector->keep)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "pieces of keys and pieces of hashes, expected pieces of one job");
    return INK_OK;
}

static ink_status check_range(const ink__ground_truth_pieces *from, uint64_t hash, ink_error *error)
{
    uint32_t bucket = ink__pieces_range(hash, from->buckets);

    if (bucket == from->bucket)
        return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "a piece with keys of bucket %u, expected those of bucket %u alone, of %u "
                     "that are ranges",
                     bucket, from->bucket, from->buckets);
}

/* Hashes, or hashes and counts: the counts are left out. */
static ink_status put_hashes(const unpacking *all, ink__spill *spill, uint64_t partition,
                             const ink__item *item, ink_error *error)
{
    uint64_t each = item->type == INK__ITEM_COUNTED ? 16 : 8, hash;

    for (uint64_t at = 0; at < item->count; at += each) {
        memcpy(&hash, item->bytes + at, sizeof hash);
        INK__TRY(check_range(all->from, hash, error));
        INK__TRY(ink__spill_put(spill, partition, &hash, sizeof hash, error));
    }
    return INK_OK;
}

/* Keys that ink__spill_put_keys checks must also fit the file and the range. */
static ink_status put_keys(const unpacking *all, ink__spill *spill, uint64_t partition,
                           const ink__item *item, ink_error *error)
{
    INK__TRY(ink__spill_put_keys(spill, partition, item->bytes, item->count, error));
    for (uint64_t at = 0; at < item->count;) {
        ink__key_head  head = ink__key_head_read(item->bytes + at);
        const uint8_t *key = item->bytes + at + INK__KEY_HEAD_BYTES;
        if (all->truth->ints && head.bytes != sizeof(int64_t))
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                             "a piece of keys that are bytes, expected integers, as in the file");
        INK__TRY(check_range(all->from, ink__hash_label(key, head.bytes), error));
        at += INK__KEY_HEAD_BYTES + head.bytes;
    }
    return INK_OK;
}

static ink_status put_item(void *host, const ink__item *item, ink_error *error)
{
    unpacking         *all = host;
    ink__ground_truth *truth = all->truth;
    ink__group        *group = truth->whole;

    INK__TRY(check_item(all, item, error));
    if (truth->whole == NULL && item->label.group_kind == INK_GROUP_NONE)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "pieces of records without groups, expected groups, as in the file");
    if (truth->whole == NULL)
        INK__TRY(ink__groups_find(truth->collector.groups, &item->label,
                                  ink__collect_hash_label(&item->label), &group, error));
    ink__spill *spill = &truth->collector.groups->shards[group->shard].spill;
    uint64_t    before = spill->partitions[group->partition].elements;
    INK__TRY(item->type == INK__ITEM_KEYS ? put_keys(all, spill, group->partition, item, error)
                                          : put_hashes(all, spill, group->partition, item, error));
    truth->elements += spill->partitions[group->partition].elements - before;
    all->records = ink__add_saturating(all->records, item->records);
    return INK_OK;
}

static ink_status unpack_all(unpacking *all, bool grouped, ink_job *job, uint64_t began,
                             ink_error *error)
{
    ink_progress progress = {.phase = INK_PHASE_READING};
    uint64_t     reported = began, piece_job = all->from->job;

    INK__TRY(make_groups(all->truth, job, grouped, error));
    for (size_t i = 0; i < all->from->count; i++)
        progress.total = ink__add_saturating(progress.total, all->from->pieces[i].memory_bytes);
    for (size_t i = 0; i < all->from->count; i++) {
        const ink_input *piece = &all->from->pieces[i];
        job->failed_path = piece->path;
        INK__TRY(
            ink__piece_read(piece->memory, piece->memory_bytes, &piece_job, put_item, all, error));
        job->failed_path = NULL;
        progress.done += piece->memory_bytes;
        progress.records = all->records;
        INK__TRY(ink__feed_report(job, &progress, began, &reported, error));
    }
    job->records = all->records;
    job->bad = job->nulls = 0;
    return ink__groups_list(all->truth->collector.groups, NULL, 1, &all->truth->list,
                            &all->truth->count, error);
}

ink_status ink__ground_truth_unpack(ink__ground_truth *truth, const ink__ground_truth_pieces *from,
                                    bool grouped, bool ints, const ink__member *like, ink_job *job,
                                    uint64_t began, ink_error *error)
{
    const ink__feed feed = {.inputs = from->pieces, .input_count = from->count};
    unpacking       all = {.truth = truth, .from = from};

    for (size_t i = 0; i < from->count; i++)
        if (from->pieces[i].memory == NULL)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "a piece that is not in memory, expected ink_input.memory");
    begin(truth, &feed, like, ints, job);
    ink_status status = unpack_all(&all, grouped, job, began, error);
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
        batch.data = from->bytes;
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
               ? ink_sketch_hash_batch(truth->hasher, &batch, to->hashes, error)
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

ink_status ink__ground_truth_distinct(const ink__ground_truth *truth, ink__gather *to,
                                      ink__table *table, ink_error *error)
{
    INK__TRY(ink__ground_truth_hash(truth, to, error));
    INK__TRY(ink__gather_distinct(to, table, error));
    ink__ground_truth_close_ranks(truth, to);
    return INK_OK;
}

ink_status ink__ground_truth_gather(const ink__ground_truth *truth, const ink__group *group,
                                    ink__gather *to, ink__table *table, ink_error *error)
{
    const ink__spill *spill = &truth->collector.groups->shards[group->shard].spill;

    to->keep = truth->collector.keep;
    INK__TRY(ink__gather_partition(to, spill, group->partition, error));
    return ink__ground_truth_distinct(truth, to, table, error);
}
