/* build.c - records in, sketches out: the plan of a build, its loop, and what it gives. */
#include "base/memory.h"
#include "base/system.h"
#include "base/tuning.h"
#include "jobs/build/building.h"
#include "jobs/runtime/input_spec.h"
#include "jobs/runtime/reading.h"

#include <string.h>

/* ---- Planning ----------------------------------------------------------------------------- */

/* Filters are kept where pieces are made: whoever has them all knows the size, and what is smaller
 * to send. */
static ink_status plan_pieces(ink__build_kind *kind, bool sized, ink_error *error)
{
    if (!kind->info.contains)
        return INK_OK;
    if (!kind->description.order_free)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s has one writer and cannot be built in parts, expected bloom",
                         kind->description.kind);
    kind->mode = INK__BUILD_SIZED;
    kind->planned = !sized;
    return INK_OK;
}

ink_status ink__build_plan_kind(ink__build_kind *kind, const ink_params *params, bool mapping,
                                ink_error *error)
{
    INK__TRY(ink_kind_describe(params->kind, &kind->info, error));
    kind->params = *params;
    bool sized = kind->info.sized_by_keys && params->expected_keys == 0 && params->bits == 0;
    if (sized)
        kind->params.expected_keys = 1; /* to see whether the rest can be */
    INK__TRY(ink_plan(&kind->params, &kind->description, error));
    kind->mode = sized                          ? INK__BUILD_SIZED
                 : kind->description.order_free ? INK__BUILD_DIRECT
                                                : INK__BUILD_ORDERED;
    return mapping ? plan_pieces(kind, sized, error) : INK_OK;
}

static uint64_t whole_above(double number)
{
    uint64_t whole = (uint64_t)number;

    return (double)whole < number ? whole + 1 : whole;
}

/* So many times as many keys, or as many as there can be. */
static uint64_t with_headroom(uint64_t keys, double headroom)
{
    double more = (double)keys * headroom;

    if (headroom <= 1 || keys == 0)
        return keys;
    return more < 1e18 ? whole_above(more) : UINT64_MAX;
}

/* All kinds of a build go into one file, which has one key rule. */
static ink_status check_rule(const ink__build_kind *a, const ink__build_kind *b, ink_error *error)
{
    const char *what = NULL;

    if (a->description.seed != b->description.seed)
        what = "seed";
    if (strcmp(a->description.hash, b->description.hash) != 0)
        what = "hash";
    if (a->description.keyed != b->description.keyed ||
        (a->params.secret != NULL && b->params.secret != NULL &&
         memcmp(a->params.secret, b->params.secret, INK_SECRET_BYTES) != 0))
        what = "secret";
    if (what == NULL)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "%s and %s have not the same %s, expected one for all", a->description.kind,
                     b->description.kind, what);
}

static ink_status plan_kinds(ink__building *all, const ink_build_options *options,
                             ink_key_type key_type, ink_error *error)
{
    bool takes_weights = false;

    for (size_t i = 0; i < options->kind_count; i++) {
        ink__build_kind *kind = &all->kinds[i];
        ink_params       params = options->kinds[i];
        params.key_type = key_type;
        params.expected_keys = with_headroom(params.expected_keys, all->headroom);
        INK__TRY(ink__build_plan_kind(kind, &params, all->mapping, error));
        INK__TRY(check_rule(&all->kinds[0], kind, error));
        for (size_t j = 0; j < i; j++)
            if (strcmp(all->kinds[j].description.kind, kind->description.kind) == 0)
                return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                                 "the kind %s twice, expected each once", kind->description.kind);
        all->any_direct = all->any_direct || kind->mode == INK__BUILD_DIRECT;
        all->any_sized = all->any_sized || kind->mode == INK__BUILD_SIZED;
        all->any_ordered = all->any_ordered || kind->mode == INK__BUILD_ORDERED;
        all->repeats_matter = all->repeats_matter || kind->info.removes || kind->info.counts;
        all->counted =
            all->counted || ((kind->info.removes || kind->info.counts) &&
                             (kind->mode == INK__BUILD_SIZED ||
                              (kind->mode == INK__BUILD_DIRECT && all->reading->by != NULL)));
        takes_weights = takes_weights || kind->info.weights;
        if (kind->info.fixed_size)
            all->collector.group_bytes += kind->description.bytes_max;
    }
    if (all->reading->weight != NULL && !takes_weights)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "weights for %s, expected a kind that counts", options->kinds[0].kind);
    return INK_OK;
}

/* Of keys and of labels. A key rule without 64 bits has no hasher. */
static ink_status make_hashers(ink__building *all, ink_error *error)
{
    const ink_params labels = {0};

    INK__TRY(ink__hasher_create(&all->collector.label_hasher, &labels, &all->allocator, error));
    bool drawn = all->kinds[0].description.needs_keys && !all->kinds[0].info.keeps_keys;
    if (!drawn)
        INK__TRY(ink__hasher_create(&all->hasher, &all->kinds[0].params, &all->allocator, error));
    bool weights = all->reading->weight != NULL || (all->mapping && all->counted);
    all->collector.keep = drawn ? INK__KEEP_KEYS : weights ? INK__KEEP_WEIGHTS : INK__KEEP_HASHES;
    return INK_OK;
}

/* Whether hashes are sorted by range on their way to a direct kind without groups. */
static bool sorts(const ink__building *all, const ink__build_kind *kind)
{
    return kind->mode == INK__BUILD_DIRECT && kind->info.local &&
           kind->description.bytes >= ink__tuning_now().radix_from_bytes &&
           !kind->description.needs_keys && all->reading->weight == NULL;
}

/* Whether the workers fill one sketch of such a kind together. */
static bool is_shared(const ink__build_kind *kind)
{
    return kind->description.bytes > ink__tuning_now().private_to_bytes;
}

/* What a worker's own sketches of direct kinds take, with the room for hashes that are sorted. */
static uint64_t slot_bytes(const ink__building *all)
{
    uint64_t bytes = 1;

    for (size_t i = 0; i < all->kind_count; i++) {
        const ink__build_kind *kind = &all->kinds[i];
        if (kind->mode == INK__BUILD_DIRECT && !sorts(all, kind))
            bytes += kind->description.bytes_max;
        else if (kind->mode == INK__BUILD_DIRECT && !is_shared(kind))
            bytes += 2 * kind->description.bytes_max;
    }
    return bytes;
}

/* The sketches that hashes are sorted for: all have them to themselves, or share one. */
static ink_status open_ranges(ink__building *all, size_t number, ink_error *error)
{
    ink__build_kind *kind = &all->kinds[number];
    bool             own = !is_shared(kind) && all->slot_count == all->workers;
    void            *memory;

    if (!sorts(all, kind))
        return INK_OK;
    unsigned count = own ? all->workers : 1;
    INK__TRY(ink__allocate(&all->allocator, count * sizeof *kind->ranges, &memory, error));
    memset(memory, 0, count * sizeof *kind->ranges);
    kind->ranges = memory;
    kind->ranges_count = count;
    all->any_ranged = true;
    for (unsigned i = 0; i < count; i++) {
        ink_sketch **sketch = &all->slots[i].sketches[number];
        INK__TRY(ink__build_make(all, number, 0, sketch, error));
        INK__TRY(ink__ranges_open(&kind->ranges[i], *sketch, all->memory, own ? 1 : all->workers,
                                  &all->allocator, error));
    }
    return INK_OK;
}

/* Direct kinds without groups: a sketch for each thread, or fewer where these would be too large.
 */
static ink_status make_slots(ink__building *all, ink_error *error)
{
    uint64_t bytes = slot_bytes(all);
    void    *memory;

    if (!all->any_direct || all->reading->by != NULL)
        return INK_OK;
    all->slot_count = all->workers;
    if (all->memory / bytes < all->workers)
        all->slot_count = all->memory / bytes == 0 ? 1 : (unsigned)(all->memory / bytes);
    uint64_t each = sizeof(ink__build_slot) + all->kind_count * sizeof(ink_sketch *);
    INK__TRY(ink__allocate(&all->allocator, all->slot_count * each, &memory, error));
    memset(memory, 0, all->slot_count * each);
    all->slots = memory;
    ink_sketch **sketches = (ink_sketch **)(void *)(all->slots + all->slot_count);
    for (unsigned i = 0; i < all->slot_count; i++, all->open_slots++) {
        all->slots[i].sketches = sketches + i * all->kind_count;
        INK__TRY(ink__gate_open(&all->slots[i].gate, error));
    }
    for (size_t i = 0; i < all->kind_count; i++)
        INK__TRY(open_ranges(all, i, error));
    return INK_OK;
}

/* So many elements of a group are worth its sketches: what is small is sent as elements. */
static uint64_t drain_elements(const ink__building *all)
{
    uint64_t bytes = 0, each = all->collector.keep == INK__KEEP_HASHES ? 8 : 16;

    for (size_t k = 0; k < all->kind_count && all->relieve != NULL; k++)
        if (all->kinds[k].mode == INK__BUILD_DIRECT)
            bytes += all->kinds[k].description.bytes_max;
    return bytes / each > INK__DRAIN_ELEMENTS ? bytes / each : INK__DRAIN_ELEMENTS;
}

static ink_status make_workers(ink__building *all, ink_error *error)
{
    void *memory;

    INK__TRY(ink__allocate(&all->allocator, all->workers * sizeof *all->worker, &memory, error));
    all->worker = memory;
    memset(memory, 0, all->workers * sizeof *all->worker);
    for (unsigned i = 0; i < all->workers; i++) {
        ink__build_worker *mine = &all->worker[i];
        if (all->relieve == NULL)
            ink__bins_begin(&mine->bins, all->memory / all->workers, NULL, all->folder,
                            &all->allocator);
        else
            ink__bins_begin(&mine->bins, UINT64_MAX, &all->kept_bytes, all->folder,
                            &all->allocator);
        mine->waiting.keys = (ink__gather){.allocator = all->allocator, .keep = INK__KEEP_KEYS};
        mine->collect.gather = mine->copy =
            (ink__gather){.allocator = all->allocator, .keep = all->collector.keep};
    }
    /* What is drained into sketches, or relieved, is never written to a file. */
    bool drains = !all->any_sized && !all->taking;
    INK__TRY(ink__groups_create(&all->collector.groups, all->kind_count,
                                drains || all->relieve != NULL ? UINT64_MAX : all->memory,
                                all->folder, &all->allocator, error));
    all->collector.memory = all->memory;
    all->collector.host = all;
    all->collector.drain = drains ? ink__build_drain : NULL;
    all->collector.drain_elements = drain_elements(all);
    if (all->relieve != NULL)
        all->collector.group_bytes = 0; /* nobody has all groups at a time */
    if (all->reading->by == NULL)
        return ink__groups_find(all->collector.groups, &(ink_label){0}, 0, &all->whole, error);
    return INK_OK;
}

ink_status ink__build_begin(ink__building *all, const ink_build_options *options, ink_error *error)
{
    ink_key_type key_type = ink__reading_key_type(all->reading);
    uint64_t     keys;
    void        *memory;

    if (options->kind_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no kind, expected one or more");
    INK__TRY(
        ink__allocate(&all->allocator, options->kind_count * sizeof *all->kinds, &memory, error));
    all->kinds = memory;
    all->kind_count = options->kind_count;
    memset(memory, 0, options->kind_count * sizeof *all->kinds);
    INK__TRY(plan_kinds(all, options, key_type, error));
    INK__TRY(make_hashers(all, error));
    INK__TRY(make_workers(all, error));
    all->estimated = all->any_sized && all->whole != NULL && (all->taking || !all->mapping) &&
                     all->collector.keep != INK__KEEP_KEYS &&
                     !ink__build_known(all, &all->whole->label, &keys);
    return make_slots(all, error);
}

static void close_ranges(const ink__building *all, ink__build_kind *kind)
{
    for (unsigned i = 0; i < kind->ranges_count; i++)
        ink__ranges_close(&kind->ranges[i]);
    ink__release(&all->allocator, kind->ranges, kind->ranges_count * sizeof *kind->ranges);
    kind->ranges = NULL;
    kind->ranges_count = 0;
}

void ink__build_end(ink__building *all)
{
    const ink_allocator *memory = &all->allocator;

    for (size_t k = 0; k < all->kind_count; k++) /* before the sketches that they fill */
        close_ranges(all, &all->kinds[k]);
    for (unsigned i = 0; i < all->slot_count && all->slots != NULL; i++) {
        for (size_t k = 0; k < all->kind_count && all->slots[i].sketches != NULL; k++)
            ink_sketch_free(all->slots[i].sketches[k]);
        if (i < all->open_slots)
            ink__gate_close(&all->slots[i].gate);
    }
    ink__release(memory, all->slots,
                 all->slot_count *
                     (sizeof(ink__build_slot) + all->kind_count * sizeof(ink_sketch *)));
    for (unsigned i = 0; i < all->workers && all->worker != NULL; i++) {
        ink__build_worker *mine = &all->worker[i];
        ink__bins_end(&mine->bins);
        for (unsigned m = 0; m < INK__MODELS; m++)
            ink_sketch_free(mine->models[m]);
        ink__waiting_end(&mine->waiting);
        ink__gather_end(&mine->collect.gather);
        ink__gather_end(&mine->copy);
        ink__release(memory, mine->table.slots, mine->table.bytes);
        ink_sketch_free(mine->counter);
    }
    ink__release(memory, all->worker, all->workers * sizeof *all->worker);
    ink__release(memory, all->touched, all->touched_bytes);
    ink__groups_free(all->collector.groups);
    ink__hasher_free(all->hasher);
    ink__hasher_free(all->collector.label_hasher);
    ink__release(memory, all->kinds, all->kind_count * sizeof *all->kinds);
}

/* ---- What the parts share ----------------------------------------------------------------- */

ink_status ink__build_unite(ink_sketch **whole, ink_sketch **part, ink_error *error)
{
    const ink_merge_options parts = {.parts = true};

    if (*part == NULL)
        return INK_OK;
    if (*whole == NULL)
        *whole = *part;
    else {
        INK__TRY(ink_sketch_merge(*whole, *part, &parts, error));
        ink_sketch_free(*part);
    }
    *part = NULL;
    return INK_OK;
}

ink_status ink__build_add(const ink__build_kind *kind, ink_sketch *sketch, ink_batch batch,
                          ink_error *error)
{
    batch = ink__batch_for(&kind->info, batch);
    if (kind->info.removes && batch.weights != NULL)
        batch.records = 0; /* a weight is a number of times */
    return ink_sketch_add_batch(sketch, &batch, error);
}

ink_params ink__build_params(const ink__building *all, size_t kind, uint64_t keys)
{
    ink_params      params = all->kinds[kind].params;
    ink__build_mode mode = all->kinds[kind].mode;

    if ((mode == INK__BUILD_SIZED || mode == INK__BUILD_SLICED) && !all->kinds[kind].planned)
        params.expected_keys = with_headroom(keys == 0 ? 1 : keys, all->headroom);
    return params;
}

ink_status ink__build_make(const ink__building *all, size_t kind, uint64_t keys,
                           ink_sketch **sketch, ink_error *error)
{
    ink_params params = ink__build_params(all, kind, keys);

    return ink_sketch_create(sketch, &params, &all->allocator, error);
}

bool ink__build_known(const ink__building *all, const ink_label *label, uint64_t *keys)
{
    bool             planned = true;
    const ink_sizes *sizes = all->collector.keep == INK__KEEP_KEYS ? all->counts : all->sizes;

    if (sizes != NULL && ink_sizes_keys(sizes, label, keys, NULL) == INK_OK)
        return true;
    *keys = 0;
    for (size_t k = 0; k < all->kind_count; k++) {
        ink__build_mode mode = all->kinds[k].mode;
        planned = planned && (all->kinds[k].planned ||
                              (mode != INK__BUILD_SIZED && mode != INK__BUILD_SLICED));
    }
    return planned;
}

uint64_t ink__build_keys(double estimate)
{
    return whole_above(estimate * 1.007);
}

ink_status ink__build_counter(const ink__building *all, ink_sketch **counter, ink_error *error)
{
    ink_params params = all->kinds[0].params;
    ink_params wanted = {.kind = "hll",
                         .precision = 18,
                         .key_type = params.key_type,
                         .hash = params.hash,
                         .seed = params.seed,
                         .explicit_seed = params.explicit_seed,
                         .secret = params.secret};

    return ink_sketch_create(counter, &wanted, &all->allocator, error);
}

/* ---- The loop ----------------------------------------------------------------------------- */

/* Hands hashes in to the sketches of kinds that they are sorted for. */
static void add_ranged(const ink__building *all, const ink__build_worker *mine, size_t count)
{
    unsigned number = (unsigned)(mine - all->worker);

    for (size_t i = 0; i < all->kind_count; i++) {
        const ink__build_kind *kind = &all->kinds[i];
        if (kind->ranges_count == 1)
            ink__ranges_put(&kind->ranges[0], number, mine->hashes, count);
        else if (kind->ranges_count > 1)
            ink__ranges_put(&kind->ranges[number], 0, mine->hashes, count);
    }
}

/* Adds a batch to the sketches of the other direct kinds, of a worker's slot. */
static ink_status add_direct(ink__building *all, const ink__build_worker *mine,
                             const ink_batch *batch, ink_error *error)
{
    ink__build_slot *slot = &all->slots[(unsigned)(mine - all->worker) % all->slot_count];
    bool             shared = all->slot_count < all->workers;
    ink_status       status = INK_OK;

    if (shared)
        ink__gate_enter(&slot->gate);
    for (size_t i = 0; i < all->kind_count && status == INK_OK; i++) {
        if (all->kinds[i].mode != INK__BUILD_DIRECT || all->kinds[i].ranges_count > 0)
            continue;
        if (slot->sketches[i] == NULL)
            status = ink__build_make(all, i, 0, &slot->sketches[i], error);
        if (status == INK_OK)
            status = ink__build_add(&all->kinds[i], slot->sketches[i], *batch, error);
    }
    if (shared)
        ink__gate_leave(&slot->gate);
    return status;
}

static ink_status take_groups(ink__building *all, ink__build_worker *mine, const ink__rows *rows,
                              ink_error *error)
{
    INK__TRY(ink__collect_groups(&all->collector, &mine->collect, rows, NULL, error));
    if (!all->any_direct && !all->any_sized)
        return INK_OK;
    return ink__collect_rows(&all->collector, &mine->collect, rows, mine->hashes, error);
}

/* Counts the records of each group, and keeps nothing of them: for one thread. */
static ink_status count_rows(ink__building *all, ink__build_worker *mine, const ink__rows *rows,
                             ink_error *error)
{
    INK__TRY(ink__collect_groups(&all->collector, &mine->collect, rows, all->whole, error));
    for (size_t i = 0; i < rows->count; i++)
        mine->collect.row_groups[i]->repeats++;
    return INK_OK;
}

static ink_status take(void *host, unsigned number, const ink__feed_rows *feed, ink_error *error)
{
    ink__building     *all = host;
    ink__build_worker *mine = &all->worker[number];
    const ink__rows   *rows = feed->rows;
    ink_batch          batch = ink__rows_batch(rows);

    mine->records += rows->count;
    if (all->counting)
        return count_rows(all, mine, rows, error);
    if (all->hasher != NULL) {
        batch.weights = NULL;
        INK__TRY(ink__hasher_batch(all->hasher, &batch, mine->hashes, error));
        batch.hashes = mine->hashes;
        batch.weights = rows->weights;
    }
    if (all->reading->by != NULL)
        INK__TRY(take_groups(all, mine, rows, error));
    else if (all->any_direct)
        INK__TRY(add_direct(all, mine, &batch, error));
    if (all->any_ranged)
        add_ranged(all, mine, rows->count);
    if (all->any_ordered)
        INK__TRY(ink__build_hold(all, mine, rows, error));
    if (all->reading->by == NULL && all->any_sized)
        return ink__build_keep(all, mine, rows, error); /* the last: it may change the hashes */
    return INK_OK;
}

static ink_status turn(void *host, unsigned number, const ink__feed_rows *feed, ink_error *error)
{
    ink__building *all = host;

    return ink__build_turn(all, &all->worker[number], feed->position, error);
}

/* What groups take, and what is kept of their records, with what it takes to give all this away,
 * stays within the memory if it is at most one part of this many; without groups it is given away
 * part by part. */
enum { SHARE_OF_GROUPS = 8, SHARE_OF_WHOLE = 2 };
/* A group with its places in tables, about. */
enum { GROUP_BYTES = 320 };

static bool is_full(void *host)
{
    const ink__building *all = host;
    const ink__groups   *groups = all->collector.groups;
    uint64_t             count = atomic_load(&groups->count);
    bool                 parts = all->whole != NULL && all->collector.keep != INK__KEEP_KEYS;
    uint64_t             each = GROUP_BYTES + 2 * all->kind_count * sizeof(ink_sketch *);
    uint64_t bytes = atomic_load(&all->kept_bytes) + atomic_load(&groups->held) + count * each +
                     atomic_load(&groups->label_bytes) + atomic_load(&all->grown_bytes) +
                     atomic_load(&all->drawn_bytes);

    return bytes > all->memory / (parts ? SHARE_OF_WHOLE : SHARE_OF_GROUPS);
}

static ink_status relieve(void *host, ink_error *error)
{
    ink__building *all = host;

    return all->relieve(all->relieve_host, error);
}

/* ---- What it gives ------------------------------------------------------------------------ */

/* The threads' sketches of direct kinds become those of the whole. */
static ink_status merge_slots(ink__building *all, ink_error *error)
{
    for (size_t k = 0; k < all->kind_count; k++) {
        for (unsigned i = 0; i < all->kinds[k].ranges_count; i++)
            ink__ranges_finish(&all->kinds[k].ranges[i]);
        close_ranges(all, &all->kinds[k]);
    }
    for (size_t k = 0; k < all->kind_count; k++)
        for (unsigned i = 0; i < all->slot_count; i++)
            INK__TRY(ink__build_unite(&all->whole->sketches[k], &all->slots[i].sketches[k], error));
    return INK_OK;
}

/* Kinds that met no record are empty sketches, but a group is only where a record is. */
static ink_status make_empty(ink__building *all, ink_error *error)
{
    uint64_t keys;

    ink__build_known(all, &all->whole->label, &keys);
    for (size_t k = 0; k < all->kind_count; k++)
        if (all->whole->sketches[k] == NULL &&
            (all->kinds[k].mode == INK__BUILD_SIZED || !all->mapping)) /* others come as pieces */
            INK__TRY(ink__build_make(all, k, keys, &all->whole->sketches[k], error));
    return INK_OK;
}

ink_status ink__build_settle(ink__building *all, ink_error *error)
{
    if (all->any_ordered)
        INK__TRY(ink__build_close_stretch(all, error));
    for (unsigned w = 0; w < all->workers && all->reading->by != NULL; w++)
        INK__TRY(ink__collect_flush(&all->collector, &all->worker[w].collect, error));
    if (all->reading->by != NULL)
        return INK_OK;
    return merge_slots(all, error);
}

ink_status ink__build_fill(ink__building *all, ink_error *error)
{
    INK__TRY(ink__build_settle(all, error));
    if (all->reading->by != NULL)
        return ink__build_fill_groups(all, error);
    if (all->any_sized)
        INK__TRY(ink__build_fill_whole(all, error));
    return make_empty(all, error);
}

static ink_status give(ink__building *all, ink_set *set, ink_error *error)
{
    ink__group **list;
    uint64_t     count;

    INK__TRY(ink__groups_list(all->collector.groups, &list, &count, error));
    ink_status status = ink__groups_sort(all->collector.groups, list, count, error);
    for (size_t k = 0; k < all->kind_count && status == INK_OK; k++)
        for (uint64_t i = 0; i < count && status == INK_OK; i++) {
            ink_sketch *sketch = list[i]->sketches[k];
            list[i]->sketches[k] = NULL;
            status = ink__set_add(set, &list[i]->label, sketch, error);
        }
    ink__release(&all->allocator, list, count * sizeof *list);
    return status;
}

ink_status ink__build_read(ink__building *all, const ink_input *inputs, size_t input_count,
                           ink_error *error)
{
    ink__feed feed = {
        .inputs = inputs,
        .input_count = input_count,
        .reading = all->reading,
        .workers = all->workers,
        .host = all,
        .take = take,
    };

    if (all->any_ordered) {
        feed.turn = turn;
        feed.stretch_bytes = INK__STRETCH_BYTES;
    }
    if (all->relieve != NULL) {
        feed.full = is_full;
        feed.relieve = relieve;
    }
    return ink__feed_run(&feed, all->job, all->began, error);
}

static ink_status build(ink__building *all, ink_set *set, const ink_input *inputs,
                        size_t input_count, const ink_build_options *options, ink_error *error)
{
    INK__TRY(ink__build_begin(all, options, error));
    INK__TRY(ink__build_read(all, inputs, input_count, error));
    INK__TRY(ink__build_fill(all, error));
    INK__TRY(give(all, set, error));
    if (input_count > 0 && inputs[0].arrow != NULL)
        return INK_OK; /* columns have no recipe */
    ink_form form;
    INK__TRY(ink_reading_form(all->reading, inputs, input_count, &form, error));
    return ink__recipe_write(all->reading, form, &set->labels, &set->recipe, &set->recipe_bytes,
                             error);
}

ink_status ink__build_start(ink__building *all, ink_reading *keyed, const ink_input *inputs,
                            size_t input_count, const ink_reading *reading,
                            const ink_build_options *options, ink_job *job, ink_error *error)
{
    const ink__feed feed = {.inputs = inputs, .input_count = input_count};

    *keyed = *reading;
    *all = (ink__building){
        .allocator = ink__allocator_or_heap(job->allocator),
        .job = job,
        .reading = keyed,
        .headroom = options->headroom == 0 ? 1 : options->headroom,
        .began = ink__system_now()->nanoseconds(),
        .memory = ink__job_memory(job),
        .folder = ink__job_folder(job),
    };
    job->failed_path = NULL;
    if (!(all->headroom >= 1 && all->headroom <= 1e6))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "headroom %g, expected 1 to 1e6",
                         all->headroom);
    ink_status status = ink__reading_arrow_keys(keyed, inputs, input_count, error);
    if (status != INK_OK)
        job->failed_path = inputs[0].path;
    all->workers = ink__feed_workers(&feed, job);
    return status;
}

ink_status ink_build(ink_set **set, const ink_input *inputs, size_t input_count,
                     const ink_reading *reading, const ink_build_options *options, ink_job *job,
                     ink_error *error)
{
    ink_set      *made;
    ink_reading   keyed;
    ink__building all;

    INK__TRY(ink__build_start(&all, &keyed, inputs, input_count, reading, options, job, error));
    INK__TRY(ink__set_create(&made, &all.allocator, error));
    ink_status status = build(&all, made, inputs, input_count, options, error);
    ink__build_end(&all);
    if (status != INK_OK) {
        ink_set_free(made);
        return status;
    }
    *set = made;
    return INK_OK;
}
