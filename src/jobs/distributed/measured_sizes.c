/* measured_sizes.c - the number of keys of each group: the sums of what maps measured of their
 * records, or reducers of their ranges. */
#include "jobs/distributed/measured_sizes.h"

#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "jobs/build/build_plan.h"
#include "jobs/groups/collect.h"
#include "jobs/groups/pieces.h"
#include "jobs/runtime/kind_choice.h"

#include <string.h>

struct ink_sizes {
    ink_allocator allocator;
    ink__groups  *groups; /* each with one sketch, which estimates, or none */
    uint64_t      job;
};

ink_status ink_sizes_create(ink_sizes **sizes, const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    ink_sizes    *made;

    INK__TRY(ink__allocate_zeroed(&memory, sizeof *made, &made, error));
    made->allocator = memory;
    ink_status status = ink__groups_create(&made->groups, 1, UINT64_MAX, NULL, &memory, error);
    if (status == INK_OK)
        *sizes = made;
    else
        ink_sizes_free(made);
    return status;
}

void ink_sizes_free(ink_sizes *sizes)
{
    if (sizes == NULL)
        return;
    ink_allocator memory = sizes->allocator;

    ink__groups_free(sizes->groups, 1);
    ink__release(&memory, sizes, sizeof *sizes);
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* The sketch must be of the kind that estimates distinct keys. */
static ink_status open_counter(const ink__item *item, const ink_allocator *allocator,
                               ink_sketch **counter, ink_error *error)
{
    const char     *expected = ink__kind_best(INK_ASK_DISTINCT, INK__KIND_ANY);
    ink_description description;

    INK__TRY(ink_sketch_decode(counter, item->bytes, (size_t)item->count, allocator, error));
    ink_sketch_describe(*counter, &description);
    if (strcmp(description.kind, expected) == 0)
        return INK_OK;
    ink_sketch_free(*counter);
    *counter = NULL;
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     "keys counted by a sketch of kind %s, expected %s", description.kind,
                     expected);
}

static ink_status add_measure(void *host, const ink__item *item, ink_error *error)
{
    ink_sizes  *sizes = host;
    ink__group *group;
    ink_sketch *counter = NULL;

    if (item->type != INK__ITEM_MEASURE)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a piece of a build, expected one that measures");
    INK__TRY(ink__groups_find(sizes->groups, &item->label, ink__collect_hash_label(&item->label),
                              &group, error));
    if (item->count > 0)
        INK__TRY(open_counter(item, &sizes->allocator, &counter, error));
    ink_status status = ink__build_merge(&group->sketches[0], &counter, error);
    ink_sketch_free(counter);
    INK__TRY(status);
    group->keys = ink__add_saturating(group->keys, item->number);
    group->repeats = ink__add_saturating(group->repeats, item->records);
    return INK_OK;
}

ink_status ink_sizes_add(ink_sizes *sizes, const void *data, size_t count, ink_error *error)
{
    const uint8_t *piece = data;

    return ink__piece_read(piece, count, &sizes->job, add_measure, sizes, error);
}

/* ---- Asking ------------------------------------------------------------------------------- */

/* As ink_build finds it for the same keys: the count if it is small, else an estimate. */
static ink_status keys_of(const ink__group *group, uint64_t *keys, ink_error *error)
{
    ink_answer answer;

    *keys = group->keys;
    if (group->keys <= INK__EXACT_KEYS || group->sketches[0] == NULL)
        return INK_OK;
    INK__TRY(
        ink_sketch_distinct_by(group->sketches[0], INK_ESTIMATOR_UNLIMITED, 0, &answer, error));
    *keys = ink__keys_of_estimate(answer.estimate);
    return INK_OK;
}

ink_status ink_sizes_keys(const ink_sizes *sizes, const ink_label *label, uint64_t *keys,
                          ink_error *error)
{
    const ink__group *group =
        ink__groups_look(sizes->groups, label, ink__collect_hash_label(label));

    if (group == NULL)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0,
                         "a group that was not measured, expected one of %llu",
                         (unsigned long long)sizes->groups->count);
    return keys_of(group, keys, error);
}

bool ink__sizes_measured(const void *host, bool records, const ink_label *label, uint64_t *keys)
{
    const ink_pieces_options *options = host;
    const ink_sizes          *sizes = records ? options->counts : options->sizes;

    return sizes != NULL && ink_sizes_keys(sizes, label, keys, NULL) == INK_OK;
}

ink_status ink__sizes_each(const ink_sizes *sizes, ink__size_visit *visit, void *host,
                           ink_error *error)
{
    for (unsigned i = 0; i < sizes->groups->open_shards; i++) {
        const ink__group_shard *shard = &sizes->groups->shards[i];
        for (uint64_t g = 0; g < shard->spill.count; g++) {
            uint64_t keys;
            INK__TRY(keys_of(shard->groups[g], &keys, error));
            INK__TRY(visit(host, &shard->groups[g]->label, keys, error));
        }
    }
    return INK_OK;
}

ink_status ink__sizes_match(const ink_pieces_options *options, uint64_t job, ink_error *error)
{
    const ink_sizes *both[] = {options->counts, options->sizes};

    for (size_t i = 0; i < 2; i++)
        if (both[i] != NULL && both[i]->job != 0 && both[i]->job != job)
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                             "%s of another job, expected one with the same kinds, sizes, keys "
                             "and secret",
                             i == 0 ? "counts" : "sizes");
    return INK_OK;
}

/* ---- Sending ------------------------------------------------------------------------------ */

/* One piece, in memory. */
typedef struct kept {
    const ink_allocator *allocator;
    uint8_t             *bytes;
    size_t               count;
    ink_error            failure;
} kept;

static int keep_piece(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    kept *to = host;

    (void)bucket;
    if (ink__allocate_zeroed(to->allocator, count, &to->bytes, &to->failure) != INK_OK)
        return 1; /* to->failure is reported */
    memcpy(to->bytes, bytes, count);
    to->count = count;
    return 0;
}

static ink_status put_groups(const ink_sizes *sizes, ink__pieces *pieces, ink_error *error)
{
    ink__group **list;
    uint64_t     count;

    INK__TRY(ink__groups_list(sizes->groups, ink__groups_by_label, 1, &list, &count, error));
    ink_status status = INK_OK;
    for (uint64_t i = 0; i < count && status == INK_OK; i++) {
        /* A small count is exact: no estimate is needed. */
        ink_sketch *counter = list[i]->keys > INK__EXACT_KEYS ? list[i]->sketches[0] : NULL;
        status = ink__pieces_put_measure(pieces, &list[i]->label, list[i]->repeats, list[i]->keys,
                                         counter, error);
    }
    ink__release(&sizes->allocator, list, count * sizeof *list);
    return status;
}

ink_status ink_sizes_encode(const ink_sizes *sizes, uint8_t **bytes, size_t *count,
                            ink_error *error)
{
    kept                 to = {.allocator = &sizes->allocator};
    const ink_piece_sink sink = {.take = keep_piece, .host = &to};
    ink__pieces          pieces;

    /* One piece of any size. */
    INK__TRY(
        ink__pieces_begin(&pieces, 1, UINT64_MAX / 2, sizes->job, &sink, &sizes->allocator, error));
    pieces.always = true; /* no records are sizes, too */
    ink_status status = put_groups(sizes, &pieces, error);
    if (status == INK_OK)
        status = ink__pieces_flush(&pieces, error);
    ink__pieces_end(&pieces);
    if (to.failure.status != INK_OK && error != NULL)
        *error = to.failure;
    if (to.failure.status != INK_OK)
        return to.failure.status;
    *bytes = to.bytes;
    *count = to.count;
    return status;
}
