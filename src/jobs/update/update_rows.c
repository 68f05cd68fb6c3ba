/* update_rows.c - the rows of an update: they are kept until the ordered commit of their chunk,
 * then added or removed in the order of the input; or added at once, to small copies of sketches
 * that need no order. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/sketch_set.h"
#include "jobs/update/updating.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------- */

/* What a new group and its sketch take besides the blocks of the sketch. */
enum { MADE_BYTES = 256 };

/* Whether new groups and grown sketches may take `more` bytes more. */
static bool has_room(const ink__updating *all, uint64_t more)
{
    uint64_t taken = ink__add_saturating(all->meter.used + all->made_count * MADE_BYTES, more);

    return taken <= all->meter.copied || taken - all->meter.copied <= ink__job_memory(all->job);
}

/* A block above the limit is not requested at all: a small sketch may grow by any size. */
static void *metered_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    ink__updating       *all = host;
    ink__update_meter   *meter = &all->meter;
    const ink_allocator *from = &all->allocator;

    if (block == NULL)
        old_bytes = 0;
    if (new_bytes > old_bytes && !meter->copying && !has_room(all, new_bytes - old_bytes)) {
        meter->refused = true;
        return NULL;
    }
    void *given = from->resize(from->host, block, old_bytes, new_bytes);
    if (given != NULL || new_bytes == 0)
        meter->used += (uint64_t)new_bytes - old_bytes; /* less, if it shrinks */
    return given;
}

static ink_status fail_room(const ink__updating *all, ink_error *error)
{
    return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                     "%s more than %llu bytes, expected fewer or smaller ones, or more memory "
                     "({memory_bytes})",
                     all->grouped ? "new groups, and what others have grown by, take"
                                  : "with these keys the sketches grow by",
                     (unsigned long long)ink__job_memory(all->job));
}

/* A refusal of the meter is a matter of the limit, not of the allocator. */
static ink_status metered_status(const ink__updating *all, ink_status status, ink_error *error)
{
    return status == INK_MEMORY && all->meter.refused ? fail_room(all, error) : status;
}

/* ---- Sketches that change ----------------------------------------------------------------- */

/* Copies an entry of the file, so that the copy can change. The limit does not count: the file has
 * these bytes already. */
static ink_status copy_entry(ink__updating *all, size_t index, ink_sketch **copy, ink_error *error)
{
    const ink_allocator allocator = {.resize = metered_resize, .host = all};
    uint64_t            before = all->meter.used;
    ink_sketch         *view;

    INK__TRY(ink_file_sketch(all->file, index, &view, error));
    all->meter.copying = true;
    ink_status status = ink__member_unlock(view, all->options->secret, error);
    if (status == INK_OK)
        status = ink_sketch_copy(copy, view, &allocator, error);
    all->meter.copying = false;
    all->meter.copied += all->meter.used - before;
    ink_sketch_free(view);
    return status;
}

/* The sketch of a group; *sketch is NULL if the file has none. */
static ink_status find_sketch(ink__updating *all, ink__group *group, size_t kind,
                              ink_sketch **sketch, ink_error *error)
{
    const char *name = all->kinds.list[kind].description.kind;
    size_t      index;

    *sketch = group->sketches[kind];
    if (*sketch != NULL ||
        ink_file_find(all->file, name, &group->label, &index, NULL) == INK_NOT_FOUND)
        return INK_OK;
    INK__TRY(copy_entry(all, index, &group->sketches[kind], error));
    *sketch = all->touched[index] = group->sketches[kind];
    return INK_OK;
}

ink_params ink__update_params(const ink_description *d, const ink_kind_info *kind,
                              const uint8_t *secret)
{
    ink_params params = {
        .kind = d->kind,
        .key_type = d->key_type,
        .hash = d->hash,
        .seed = d->seed,
        .has_seed = true,
        .secret = secret,
        .ratio = d->ratio,
        .width = d->width,
        .depth = d->depth,
        .counter_bits = d->counter_bits,
        .conservative = d->conservative,
        .phi = d->phi,
        .precision = d->precision,
    };
    ink_description planned;

    if (kind->contains) {
        params.expected_keys = kind->sized_by_keys ? 1 : d->expected_keys;
        params.bits = kind->sized_by_keys ? d->bits : 0;
        params.false_positive_rate = kind->sized_by_keys ? 0 : d->target_rate;
    }
    if (ink_plan(&params, &planned, NULL) != INK_OK)
        return params; /* ink_sketch_create reports why */
    if (planned.hashes != d->hashes && kind->sized_by_keys)
        params.hashes = d->hashes;
    if (planned.capacity != d->capacity) /* 1 / phi was rounded to above it */
        params.phi *= 1 + 0x1p-50;
    return params;
}

/* Makes a sketch of a new group, whose first record is at `location`. */
static ink_status make_sketch(ink__updating *all, ink__group *group, size_t kind, uint64_t location,
                              ink_sketch **sketch, ink_error *error)
{
    const ink__member  *like = &all->kinds.list[kind];
    const ink_allocator allocator = {.resize = metered_resize, .host = all};

    if (like->info.sized_by_keys) {
        ink__fail(error, INK_UNSUPPORTED, INK_AT_BYTE, location,
                  "it has no %s yet, whose size depends on its keys, expected a file of the new "
                  "groups, to be merged with this one",
                  like->description.kind);
        return ink__set_blame(&group->label, INK_UNSUPPORTED, error);
    }
    if (like->info.fixed_size && !has_room(all, MADE_BYTES + like->description.bytes_max))
        return fail_room(all, error);
    INK__TRY(ink__make_room(&all->allocator, &all->made, &all->made_bytes,
                            all->made_count * sizeof *all->made, sizeof *all->made, error));
    ink_params params = ink__update_params(&like->description, &like->info, all->options->secret);
    INK__TRY(metered_status(all, ink_sketch_create(sketch, &params, &allocator, error), error));
    group->sketches[kind] = *sketch;
    all->made[all->made_count++] = (ink__update_made){group, kind};
    return INK_OK;
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* Adds the new keys, and notes which they are. */
static ink_status add_new(ink__updating *all, ink_sketch *sketch, const ink_batch *batch,
                          bool first, ink_error *error)
{
    uint8_t *any = all->fresh, *these = first ? any : any + batch->count;

    INK__TRY(ink_sketch_add_new_batch(sketch, batch, these, error));
    for (size_t i = 0; i < batch->count && !first; i++)
        any[i] |= these[i];
    return INK_OK;
}

static ink_status add_to_kind(ink__updating *all, const ink__pending_rows *rows, ink__group *group,
                              size_t kind, uint64_t first, uint64_t end, ink_error *error)
{
    ink_batch   all_rows = ink__pending_rows_batch(rows, first, end);
    ink_batch   batch = ink__batch_for(&all->kinds.list[kind].info, all_rows);
    ink_sketch *sketch;

    all->meter.refused = false;
    INK__TRY(find_sketch(all, group, kind, &sketch, error));
    if (sketch == NULL)
        INK__TRY(make_sketch(all, group, kind, rows->locations[first], &sketch, error));
    ink_status status = all->options->once ? add_new(all, sketch, &batch, kind == 0, error)
                                           : ink_sketch_add_batch(sketch, &batch, error);
    INK__TRY(metered_status(all, status, error));
    return has_room(all, 0) ? INK_OK : fail_room(all, error);
}

static ink_status add_run(ink__updating *all, const ink__pending_rows *rows, ink__group *group,
                          uint64_t first, uint64_t end, ink_error *error)
{
    uint64_t count = end - first, rows_changed = all->options->once ? 0 : count;

    INK__TRY(ink__make_room(&all->allocator, &all->fresh, &all->fresh_bytes, 0,
                            all->options->once ? 2 * count : 0, error));
    for (size_t k = 0; k < all->kinds.count; k++)
        INK__TRY(add_to_kind(all, rows, group, k, first, end, error));
    for (uint64_t i = 0; i < count && all->options->once; i++)
        rows_changed += all->fresh[i] != 0;
    all->report->changed += rows_changed;
    return INK_OK;
}

/* ---- Removing ----------------------------------------------------------------------------- */

static ink_status note_absent(ink__updating *all, const ink__feed_rows *feed,
                              const ink__pending_rows *rows, const ink__group *group, size_t kind,
                              uint64_t row, ink_error *error)
{
    ink_update_report *report = all->report;
    const char        *name = all->kinds.list[kind].description.kind;
    ink_batch          batch = {.count = 1, .hashes = rows->hashes + row};
    char               digits[INK__DIGITS_BYTES];
    ink_sketch        *before;
    uint8_t            was_in = 0;
    size_t             index;

    if (report->absent++ >= INK_ABSENT_KEYS)
        return INK_OK;
    ink_absent_key *absent = &report->absent_keys[report->absent - 1];
    absent->path = all->inputs[feed->chunk->input].path;
    absent->line = ink__source_record(feed->source, feed->chunk, rows->locations[row]);
    const uint8_t *key = ink__pending_rows_key(rows, row, digits, &absent->key_bytes);
    size_t bytes = absent->key_bytes < sizeof absent->key ? absent->key_bytes : sizeof absent->key;
    if (bytes > 0)
        memcpy(absent->key, key, bytes);
    if (ink_file_find(all->file, name, &group->label, &index, NULL) == INK_NOT_FOUND)
        return INK_OK;
    INK__TRY(ink_file_sketch(all->file, index, &before, error));
    ink_status status = ink_sketch_contains_batch(before, &batch, &was_in, error);
    ink_sketch_free(before);
    absent->fewer = status == INK_OK && was_in != 0;
    return status;
}

/* Removes the keys of some rows from a sketch, but for absent ones. */
static ink_status remove_from(ink__updating *all, const ink__feed_rows *feed,
                              const ink__pending_rows *rows, ink__group *group, size_t kind,
                              uint64_t first, uint64_t end, ink_error *error)
{
    const ink_kind_info *info = &all->kinds.list[kind].info;
    ink_sketch          *sketch;

    INK__TRY(find_sketch(all, group, kind, &sketch, error));
    while (first < end) {
        ink_batch batch = ink__batch_for(info, ink__pending_rows_batch(rows, first, end));
        error->at = 0;
        ink_status status =
            sketch == NULL ? INK_NOT_FOUND : ink_sketch_remove_batch(sketch, &batch, error);
        if (status != INK_NOT_FOUND)
            return status;
        batch.count = (size_t)error->at; /* the keys before the absent one: they were put back */
        first += batch.count;
        if (batch.count > 0)
            INK__TRY(ink_sketch_remove_batch(sketch, &batch, error));
        INK__TRY(note_absent(all, feed, rows, group, kind, first++, error));
    }
    return INK_OK;
}

/* Counts the keys whose counters are saturated: they stay in. */
static ink_status count_stuck(ink__updating *all, const ink__pending_rows *rows, ink__group *group,
                              uint64_t first, uint64_t end, ink_error *error)
{
    ink_answer  answers[64];
    ink_sketch *sketch;

    INK__TRY(find_sketch(all, group, 0, &sketch, error));
    for (uint64_t next; first < end && sketch != NULL; first = next) {
        next = end - first < 64 ? end : first + 64;
        ink_batch batch = ink__pending_rows_batch(rows, first, next);
        batch.weights = NULL;
        INK__TRY(ink_sketch_count_batch(sketch, &batch, answers, error));
        for (size_t i = 0; i < batch.count; i++)
            all->report->stuck += answers[i].saturated;
    }
    return INK_OK;
}

static ink_status remove_run(ink__updating *all, const ink__feed_rows *feed,
                             const ink__pending_rows *rows, ink__group *group, uint64_t first,
                             uint64_t end, ink_error *error)
{
    for (size_t k = 0; k < all->kinds.count; k++)
        INK__TRY(remove_from(all, feed, rows, group, k, first, end, error));
    INK__TRY(count_stuck(all, rows, group, first, end, error));
    all->report->changed += end - first;
    return INK_OK;
}

/* ---- Copies of each worker ---------------------------------------------------------------- */

/* Of all kinds together, for each worker; those of all workers take half of the job's memory at
 * most. Larger sketches have one writer, beside which the others read and hash: their copies would
 * cost more memory and time to merge. */
#define APART_BYTES ((uint64_t)4 << 20)

bool ink__update_is_apart(const ink__updating *all)
{
    uint64_t bytes = 0;

    for (size_t k = 0; k < all->kinds.count; k++) {
        const ink_description *d = &all->kinds.list[k].description;
        if (!d->order_free || d->needs_keys)
            return false;
        bytes = ink__add_saturating(bytes, d->bytes_max);
    }
    return all->worker_count > 1 && !all->grouped && !all->options->once && !all->options->remove &&
           bytes <= APART_BYTES && bytes <= ink__job_memory(all->job) / 2 / all->worker_count;
}

ink_status ink__update_make_copies(ink__updating *all, ink_error *error)
{
    for (unsigned i = 0; i < all->worker_count; i++) {
        ink__update_worker *worker = &all->workers[i];
        INK__TRY(ink__allocate_zeroed(&all->allocator, all->kinds.count * sizeof *worker->copies,
                                      &worker->copies, error));
    }
    return INK_OK;
}

void ink__update_free_copies(ink__updating *all)
{
    for (unsigned i = 0; i < all->worker_count; i++) {
        ink__update_worker *worker = &all->workers[i];
        for (size_t k = 0; k < all->kinds.count && worker->copies != NULL; k++)
            ink_sketch_free(worker->copies[k]);
        ink__release(&all->allocator, worker->copies, all->kinds.count * sizeof *worker->copies);
    }
}

/* Adds rows whose hashes the worker has. */
static ink_status add_apart(const ink__updating *all, ink__update_worker *mine,
                            const ink__rows *rows, ink_error *error)
{
    const ink_batch batch = {
        .count = rows->count, .hashes = mine->hashes, .weights = ink__rows_batch(rows).weights};

    for (size_t k = 0; k < all->kinds.count; k++) {
        const ink__member *kind = &all->kinds.list[k];
        const ink_batch    taken = ink__batch_for(&kind->info, batch);
        if (mine->copies[k] == NULL) {
            INK__TRY(
                ink_sketch_create_like(&mine->copies[k], kind->sketch, &all->allocator, error));
            ink__account_made(all->job, mine->copies[k]);
        }
        INK__TRY(ink_sketch_add_batch(mine->copies[k], &taken, error));
    }
    mine->added += batch.count;
    return INK_OK;
}

ink_status ink__update_join(ink__updating *all, ink_error *error)
{
    const ink_merge_options parts = {.parts = true};

    for (unsigned i = 0; i < all->worker_count; i++) {
        const ink__update_worker *worker = &all->workers[i];
        for (size_t k = 0; k < all->kinds.count && worker->added > 0; k++) {
            ink_sketch *sketch;
            all->meter.refused = false;
            INK__TRY(find_sketch(all, all->whole, k, &sketch, error));
            INK__TRY(metered_status(all, ink_sketch_merge(sketch, worker->copies[k], &parts, error),
                                    error));
        }
        all->report->changed += worker->added;
    }
    return has_room(all, 0) ? INK_OK : fail_room(all, error);
}

/* ---- The loop ----------------------------------------------------------------------------- */

ink_status ink__update_take(void *host, unsigned number, const ink__feed_rows *feed,
                            ink_error *error)
{
    ink__updating        *all = host;
    ink__update_worker   *mine = &all->workers[number];
    ink_batch             batch = ink__rows_batch(feed->rows);
    ink__pending_rows_for what = {.keys = all->keys};

    batch.weights = NULL;
    if (all->hashes) {
        INK__TRY(ink_sketch_hash_batch(all->kinds.list[0].sketch, &batch, mine->hashes, error));
        what.hashes = mine->hashes;
    }
    if (all->apart)
        return add_apart(all, mine, feed->rows, error);
    if (all->grouped) {
        INK__TRY(ink__collect_groups(&all->collector, &mine->collect, feed->rows, NULL, error));
        what.groups = mine->collect.row_groups;
    }
    if (all->grouped || all->options->remove)
        what.reader = feed->reader; /* errors name locations */
    return ink__pending_rows_add(&mine->pending, feed->rows, &what, error);
}

ink_status ink__update_commit(void *host, unsigned number, const ink__feed_rows *feed,
                              ink_error *error)
{
    ink__updating     *all = host;
    ink__pending_rows *rows = &all->workers[number].pending;

    for (uint64_t first = 0, end; first < rows->count; first = end) {
        ink__group *group = all->grouped ? rows->groups[first] : all->whole;
        end = ink__pending_rows_run(rows, first);
        INK__TRY(all->options->remove ? remove_run(all, feed, rows, group, first, end, error)
                                      : add_run(all, rows, group, first, end, error));
    }
    ink__pending_rows_clear(rows);
    return INK_OK;
}
