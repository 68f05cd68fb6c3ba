/* reduce.c - the reduce of a distributed build: the pieces of a bucket in, finished sketches out. A
 * reducer is a build whose elements and partial sketches come from other builds. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "jobs/distributed/emit.h"
#include "jobs/distributed/measured_sizes.h"

#include <string.h>

/* A part of a large sketch: the union of the slices that came. */
typedef struct slice slice;
struct slice {
    slice      *next; /* in its chain */
    ink__group *group;
    ink__head   head;
    uint64_t    offset, bytes, records;
    uint8_t     payload[];
};

enum { SLICE_CHAINS = 1024 };
/* More records than there can be; sums do not overflow. */
#define RECORDS_MAX (UINT64_MAX / 8)

struct ink_reducer {
    ink__build_plan    plan;
    ink__build_state   all;
    ink_job            job;
    ink_pieces_options options; /* settled */
    uint64_t           number;  /* of the job */
    bool               kept;    /* without groups: some piece had elements, if none */
    bool               ranged;  /* some piece named the range of hashes ... */
    uint64_t           range;   /* ... which is this one */
    bool               spoilt;  /* a piece was added in part */
    bool               given;   /* all was emitted */
    slice             *slices[SLICE_CHAINS];
};

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status begin(ink_reducer *made, const ink_reading *reading,
                        const ink_pieces_options *options, ink_error *error)
{
    const ink__build_use use = {
        .pieces = true,
        .taking = true,
        .workers = made->job.threads == 0 ? 1 : made->job.threads,
        .measured = ink__sizes_measured,
        .measured_host = &made->options,
    };

    INK__TRY(ink__pieces_settle(&made->options, error));
    INK__TRY(ink__build_plan_make(&made->plan, NULL, 0, reading, options->build, &use, &made->job,
                                  error));
    INK__TRY(ink__build_begin(&made->all, &made->plan, 0, error));
    INK__TRY(ink__pieces_job(&made->plan.reading, options->build, &made->number, error));
    return ink__sizes_match(options, made->number, error);
}

ink_status ink_reducer_create(ink_reducer **reducer, const ink_reading *reading,
                              const ink_pieces_options *options, const ink_job *job,
                              ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(job->allocator);
    ink_reducer  *made;

    INK__TRY(ink__allocate_zeroed(&memory, sizeof *made, &made, error));
    made->job = *job;
    made->options = *options;
    made->plan.allocator = memory;
    ink_status status = begin(made, reading, options, error);
    if (status == INK_OK)
        *reducer = made;
    else
        ink_reducer_free(made);
    return status;
}

void ink_reducer_free(ink_reducer *reducer)
{
    if (reducer == NULL)
        return;
    ink_allocator memory = reducer->plan.allocator;

    for (unsigned i = 0; i < SLICE_CHAINS; i++)
        for (slice *part = reducer->slices[i], *next; part != NULL; part = next) {
            next = part->next;
            ink__release(&memory, part, sizeof *part + part->bytes);
        }
    ink__build_end(&reducer->all);
    ink__build_plan_end(&reducer->plan);
    ink__release(&memory, reducer, sizeof *reducer);
}

/* ---- Elements ----------------------------------------------------------------------------- */

static ink_status find_group(ink_reducer *reducer, const ink_label *label, ink__group **group,
                             ink_error *error)
{
    ink__build_state *all = &reducer->all;

    if ((label->group_kind == INK_GROUP_NONE) != (all->whole != NULL))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "a piece %s groups, expected one %s",
                         all->whole != NULL ? "with" : "without",
                         all->whole != NULL ? "without" : "with");
    *group = all->whole;
    if (all->whole != NULL)
        return INK_OK;
    INK__TRY(ink__groups_find(all->collector.groups, label, ink__collect_hash_label(label), group,
                              error));
    return ink__collect_check_room(&all->collector, error);
}

static ink_status fail_range(const ink_reducer *reducer, uint64_t found, ink_error *error)
{
    return ink__fail(
        error, INK_MISMATCH, INK_NOWHERE, 0,
        "a piece of bucket %llu, expected only those of bucket %llu, of %u that are ranges",
        (unsigned long long)found, (unsigned long long)reducer->range, reducer->options.buckets);
}

/* Notes which range of hashes an item has, if not all, and checks that all of them are in it. */
static ink_status take_range(ink_reducer *reducer, ink__group *group, const ink__item *item,
                             ink_error *error)
{
    const ink__build_state *all = &reducer->all;
    const ink__spill       *spill = &all->collector.groups->shards[group->shard].spill;
    bool                    cut = item->number > 0, ranged = reducer->options.ranged;
    uint32_t                ranges = ranged ? reducer->options.buckets : 0;
    uint64_t                each = item->type == INK__ITEM_HASHES ? 8 : 16, hash;

    if (item->number > ranges || (!cut && ranged && all->whole != NULL))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a piece of range %llu, expected one of %u",
                         (unsigned long long)item->number, ranges);
    if (cut && reducer->ranged && reducer->range != item->number - 1)
        return fail_range(reducer, item->number - 1, error);
    if (all->whole == NULL && cut != group->cut &&
        (group->cut || spill->partitions[group->partition].elements > 0))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a group in ranges and whole, expected maps with the same counts");
    if (!cut)
        return INK_OK;
    group->cut = reducer->ranged = true;
    reducer->range = item->number - 1;
    for (uint64_t at = 0; at < item->count && item->type != INK__ITEM_KEYS; at += each) {
        memcpy(&hash, item->bytes + at, sizeof hash);
        uint32_t range = ink__pieces_range(hash, reducer->options.buckets);
        if (range != reducer->range)
            return fail_range(reducer, range, error);
    }
    return INK_OK;
}

static ink_status add_elements(ink_reducer *reducer, const ink__item *item, ink_error *error)
{
    ink__build_state *all = &reducer->all;
    ink__group       *group;
    uint32_t          each = item->type == INK__ITEM_HASHES ? 8 : 16;
    uint64_t          elements = item->count / each;

    if (item->type != ink__item_of(all->plan->keep))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a piece that keeps something else of records than this job does");
    if (item->type == INK__ITEM_KEYS)
        INK__TRY(ink__count_keys(item->bytes, item->count, &elements, error));
    INK__TRY(find_group(reducer, &item->label, &group, error));
    INK__TRY(take_range(reducer, group, item, error));
    uint64_t before = all->whole != NULL ? all->worker[0].kept.records : group->repeats;
    if (item->records < elements || item->records > RECORDS_MAX || before > RECORDS_MAX)
        return ink__fail(
            error, INK_FORMAT, INK_NOWHERE, 0,
            "%llu records of %llu keys, expected as many at least, and fewer than 2^61",
            (unsigned long long)item->records, (unsigned long long)elements);
    if (all->whole != NULL) {
        reducer->kept = true;
        all->worker[0].kept.records += item->records;
        return ink__build_keep_elements(all->plan, &all->worker[0], item->bytes, item->count,
                                        error);
    }
    ink__spill *spill = &all->collector.groups->shards[group->shard].spill;
    group->repeats += item->records - elements;
    if (item->type == INK__ITEM_KEYS)
        return ink__spill_put_keys(spill, group->partition, item->bytes, item->count, error);
    return ink__spill_put_many(spill, group->partition, item->bytes, each, elements, error);
}

/* ---- Sketches ----------------------------------------------------------------------------- */

static ink_status kind_number(const ink__build_plan *plan, const char *name, size_t *number,
                              ink_error *error)
{
    for (*number = 0; *number < plan->kind_count; ++*number)
        if (strcmp(plan->kinds[*number].description.kind, name) == 0)
            return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "a piece with a sketch of kind %s, which is none of this job", name);
}

static ink_status add_entry(ink_reducer *reducer, const ink_file *file, size_t index,
                            ink_error *error)
{
    ink_entry_info info;
    ink__group    *group;
    ink_sketch    *sketch;
    size_t         kind = 0;

    INK__TRY(ink__piece_entry(file, index, &info, error));
    INK__TRY(kind_number(&reducer->plan, info.kind, &kind, error));
    INK__TRY(find_group(reducer, &info.label, &group, error));
    INK__TRY(ink_file_sketch(file, index, &sketch, error));
    ink_status status = ink__build_merge(&group->sketches[kind], &sketch, error);
    ink_sketch_free(sketch);
    return status;
}

static ink_status add_sketches(ink_reducer *reducer, const ink__item *item, ink_error *error)
{
    ink_file *file;

    INK__TRY(ink_file_decode(&file, item->bytes, (size_t)item->count, INK_OPEN_COPY,
                             &reducer->plan.allocator, error));
    ink_status status = INK_OK;
    for (size_t i = 0; i < ink_file_count(file) && status == INK_OK; i++)
        status = add_entry(reducer, file, i, error);
    ink_file_close(file);
    return status;
}

/* All maps cut a sketch alike: slices are merged whole. */
static ink_status add_slice(ink_reducer *reducer, const ink__item *item, ink_error *error)
{
    ink__slice  from;
    ink__group *group;
    slice      *part;
    size_t      kind;

    INK__TRY(ink__slice_read(item, &from, error));
    INK__TRY(kind_number(&reducer->plan, from.info.kind, &kind, error));
    INK__TRY(find_group(reducer, &item->label, &group, error));
    uint64_t mixed = (group->hash ^ from.offset) * 0x9e3779b97f4a7c15u;
    slice  **chain = &reducer->slices[mixed >> 32 & (SLICE_CHAINS - 1)];
    for (part = *chain; part != NULL; part = part->next)
        if (part->group == group && part->offset == from.offset && part->bytes == from.count &&
            ink__head_match(&part->head, &from.head, NULL) == INK_OK)
            break;
    if (part == NULL) {
        INK__TRY(ink__allocate_zeroed(&reducer->plan.allocator, sizeof *part + from.count, &part,
                                      error));
        *part = (slice){*chain, group, from.head, from.offset, from.count, 0};
        memcpy(part->payload, from.bytes, (size_t)from.count);
        *chain = part;
    } else {
        INK__TRY(ink__head_merge_slice(&from.head, from.offset, part->payload, from.bytes,
                                       (size_t)from.count, error));
        INK__TRY(ink__head_add(&part->head, &from.head, error));
    }
    part->records = ink__add_saturating(part->records, item->records);
    return INK_OK;
}

/* A failure may leave a part of the item: the reducer is spoilt then. */
static ink_status add_item(void *host, const ink__item *item, ink_error *error)
{
    ink_reducer *reducer = host;

    reducer->spoilt = true;
    if (item->type == INK__ITEM_MEASURE)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "a piece that measures, expected one that a map gave");
    INK__TRY(item->type == INK__ITEM_SKETCHES ? add_sketches(reducer, item, error)
             : item->type == INK__ITEM_SLICE  ? add_slice(reducer, item, error)
                                              : add_elements(reducer, item, error));
    reducer->spoilt = false;
    return INK_OK;
}

static ink_status check_usable(const ink_reducer *reducer, ink_error *error)
{
    if (reducer->given)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a reducer that has emitted its pieces, expected a new one");
    if (reducer->spoilt)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a piece was added in part when that failed, expected a new reducer");
    return INK_OK;
}

ink_status ink_reducer_add(ink_reducer *reducer, const void *data, size_t count, ink_error *error)
{
    const uint8_t *piece = data;

    INK__TRY(check_usable(reducer, error));
    return ink__piece_read(piece, count, &reducer->number, add_item, reducer, error);
}

/* ---- Ranges of large sketches ------------------------------------------------------------- */

/* Makes the part of a large sketch that range number `range` of `ranges` (a power of two) of the
 * hashes falls into, and emits it. Changes the gathered hashes. */
static ink_status emit_range(ink_reducer *reducer, ink__emission *out, const ink__group *group,
                             size_t kind, uint64_t keys, uint64_t range, uint64_t ranges,
                             ink__gather *from, uint64_t records, ink_error *error)
{
    const ink__build_plan *plan = &reducer->plan;
    ink_params             params = ink__build_params(plan, kind, keys), part;
    uint64_t               offset, width = ranges == 1 ? 0 : UINT64_MAX / ranges + 1; /* 0: 2^64 */
    uint64_t               first = range * width, last = first + (width - 1);
    ink__head              head;
    ink_description        description;
    ink_sketch            *sketch;

    INK__TRY(ink__plan_head(&params, 0, &head, error));
    INK__TRY(ink__plan_slice(&params, first, last, &part, &offset, error));
    INK__TRY(ink__slice_hashes(&params, first, last, from->hashes, (size_t)from->count, error));
    INK__TRY(ink_sketch_create(&sketch, &part, &plan->allocator, error));
    ink_status status = INK_OK;
    if (from->count > 0)
        status = ink__build_add(&plan->kinds[kind], sketch, ink__gather_batch(from), error);
    ink_sketch_describe(sketch, &description);
    if (status == INK_OK)
        status = ink__emit_slices(out, &group->label, 0, &head, offset, sketch, description.bytes,
                                  records, error);
    ink_sketch_free(sketch);
    return status;
}

/* The kinds that are too large for this many keys to be made whole: they go range by range. */
static ink_status choose_sliced(const ink_reducer *reducer, uint64_t keys, uint64_t *sliced,
                                ink_error *error)
{
    *sliced = 0;
    for (size_t k = 0; k < reducer->plan.kind_count; k++) {
        bool large;
        INK__TRY(ink__emit_is_large(&reducer->plan, k, keys, reducer->options.slice_bytes, &large,
                                    error));
        *sliced |= (uint64_t)large << k;
    }
    return INK_OK;
}

/* The records of a counting filter are the sum of the counts of its keys. */
static uint64_t records_of(const ink__build_kind *kind, const ink__gather *from, uint64_t more)
{
    uint64_t sum = 0;

    if (!kind->info.removes || from->keep != INK__KEEP_WEIGHTS)
        return from->count + more;
    for (uint64_t i = 0; i < from->count; i++)
        sum = ink__add_saturating(sum, from->weights[i]);
    return sum;
}

/* Without groups: partition by partition. */
static ink_status emit_whole_ranges(ink_reducer *reducer, ink__emission *out, size_t kind,
                                    uint64_t keys, ink_error *error)
{
    ink__build_state *all = &reducer->all;
    unsigned          spill = INK__BUILD_PARTITIONS / reducer->options.buckets;
    unsigned          first = (unsigned)reducer->range * spill;
    uint64_t          more = all->worker[0].kept.records;
    ink__gather      *from;

    for (unsigned partition = first; partition < first + spill; partition++) {
        INK__TRY(ink__build_gather_partition(all, 0, partition, &from, error));
        more -= from->count;
    }
    for (unsigned partition = first; partition < first + spill; partition++, more = 0) {
        INK__TRY(ink__build_gather_partition(all, 0, partition, &from, error));
        uint64_t records = records_of(&all->plan->kinds[kind], from, more);
        INK__TRY(emit_range(reducer, out, all->whole, kind, keys, partition, INK__BUILD_PARTITIONS,
                            from, records, error));
    }
    return INK_OK;
}

/* ---- Finishing ---------------------------------------------------------------------------- */

static ink_status emit_slices(ink_reducer *reducer, ink__emission *out, ink_error *error)
{
    for (unsigned i = 0; i < SLICE_CHAINS; i++)
        for (const slice *part = reducer->slices[i]; part != NULL; part = part->next) {
            const ink__item item = {
                .type = INK__ITEM_SLICE,
                .label = part->group->label,
                .records = part->records,
                .number = part->offset,
                .bytes = part->payload,
                .count = part->bytes,
            };
            uint32_t bucket;
            INK__TRY(ink__emit_slice_bucket(out, part->group, &part->head, part->offset, &bucket,
                                            error));
            INK__TRY(ink__pieces_put(&out->pieces, bucket, &item, &part->head, error));
        }
    return INK_OK;
}

/* The number of keys of a group of which this reducer has one range, and its sliced kinds. */
static ink_status find_sliced(ink_reducer *reducer, const ink__group *group, uint64_t *keys,
                              ink_error *error)
{
    if (!ink__build_known(&reducer->plan, &group->label, keys))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "ranges of keys without their number, expected sizes that were measured");
    return choose_sliced(reducer, *keys, &reducer->all.sliced, error);
}

static ink_status finish_whole(ink_reducer *reducer, ink__emission *out, ink_error *error)
{
    ink__build_state *all = &reducer->all;
    uint64_t          keys;

    if (!reducer->kept) /* another reducer has the elements */
        return ink__emit_group_sketches(out, all->whole, error);
    if (reducer->options.ranged)
        INK__TRY(find_sliced(reducer, all->whole, &keys, error));
    for (size_t k = 0; k < all->plan->kind_count; k++)
        if ((all->sliced >> k & 1) != 0)
            INK__TRY(emit_whole_ranges(reducer, out, k, keys, error));
    INK__TRY(ink__build_fill(all, error));
    return ink__emit_group_sketches(out, all->whole, error);
}

/* A cut group has a range of its keys here, and a known size. */
static ink_status fill_cut_group(ink_reducer *reducer, ink__emission *out, ink__group *group,
                                 ink_error *error)
{
    ink__build_state *all = &reducer->all;
    ink__spill       *spill = &all->collector.groups->shards[group->shard].spill;
    uint64_t          keys, records = spill->partitions[group->partition].elements + group->repeats;
    ink__gather      *from;

    INK__TRY(find_sliced(reducer, group, &keys, error));
    for (size_t k = 0; k < all->plan->kind_count; k++) {
        if ((all->sliced >> k & 1) == 0)
            continue;
        INK__TRY(ink__build_gather_group(all, group, &from, error));
        uint64_t here = records_of(&all->plan->kinds[k], from, records - from->count);
        INK__TRY(emit_range(reducer, out, group, k, keys, reducer->range, reducer->options.buckets,
                            from, here, error));
    }
    INK__TRY(ink__build_gather_group(all, group, &from, error));
    INK__TRY(ink__build_add_group(all, &all->worker[0], group, keys, records, error));
    ink__spill_empty(spill, group->partition);
    return INK_OK;
}

static ink_status finish_groups(ink_reducer *reducer, ink__emission *out, ink_error *error)
{
    ink__build_state *all = &reducer->all;
    bool              at_once = !reducer->options.ranged && reducer->plan.workers > 1;

    if (at_once)
        INK__TRY(ink__build_fill_groups(all, error));
    for (uint64_t g = 0; g < out->count; g++) {
        ink__group *group = out->list[g];
        all->sliced = 0; /* of a group with all its keys */
        if (group->cut)
            INK__TRY(fill_cut_group(reducer, out, group, error));
        else if (!at_once)
            INK__TRY(ink__build_fill_group(all, &all->worker[0], group, error));
        INK__TRY(ink__emit_group_sketches(out, group, error));
        ink__emit_free_sent(out, g);
    }
    return INK_OK;
}

/* A group without a key in this range has a part of a large sketch here, too, of zeros. Its maps
 * sent an item if the size was given; if it was measured, sizes have the group. */
static ink_status find_measured(void *host, const ink_label *label, uint64_t keys, ink_error *error)
{
    ink_reducer *reducer = host;
    ink__group  *group;
    uint64_t     sliced;

    INK__TRY(choose_sliced(reducer, keys, &sliced, error));
    if (sliced == 0)
        return INK_OK;
    INK__TRY(find_group(reducer, label, &group, error));
    group->cut = true;
    return INK_OK;
}

static ink_status finish(ink_reducer *reducer, ink__emission *out, ink_error *error)
{
    INK__TRY(reducer->all.whole != NULL ? finish_whole(reducer, out, error)
                                        : finish_groups(reducer, out, error));
    INK__TRY(emit_slices(reducer, out, error));
    return ink__emit_flush(out, error);
}

static ink_status measure(ink_reducer *reducer, ink__emission *out, ink_error *error)
{
    if (reducer->plan.keep == INK__KEEP_KEYS)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "reducers that measure kinds which are sized by the number of records, "
                         "expected maps to count these");
    return reducer->all.whole == NULL || reducer->kept ? ink__emit_measures(out, error) : INK_OK;
}

static ink_status relay(ink_reducer *reducer, ink__emission *out, ink_error *error)
{
    out->relayed = true;
    if (reducer->options.ranged) {
        out->range = (uint32_t)reducer->range;
        out->range_end = out->range + 1;
    }
    INK__TRY(emit_slices(reducer, out, error));
    if (reducer->all.whole == NULL || reducer->kept)
        return ink__emit_kept(out, error);
    INK__TRY(ink__emit_group_sketches(out, reducer->all.whole, error));
    return ink__emit_flush(out, error);
}

static ink_status give(ink_reducer *reducer, const ink_piece_sink *sink,
                       ink_status (*what)(ink_reducer *, ink__emission *, ink_error *),
                       ink_error *error)
{
    ink__emission out;

    INK__TRY(check_usable(reducer, error));
    reducer->given = true;
    INK__TRY(ink__build_settle(&reducer->all, error));
    if (what == finish && reducer->ranged && reducer->all.whole == NULL &&
        reducer->options.sizes != NULL)
        INK__TRY(ink__sizes_each(reducer->options.sizes, find_measured, reducer, error));
    INK__TRY(ink__emit_begin(&out, &reducer->all, &reducer->options, reducer->number, sink, error));
    ink_status status = what(reducer, &out, error);
    ink__emit_end(&out);
    return status;
}

ink_status ink_reducer_finish(ink_reducer *reducer, const ink_piece_sink *sink, ink_error *error)
{
    return give(reducer, sink, finish, error);
}

ink_status ink_reducer_measure(ink_reducer *reducer, const ink_piece_sink *sink, ink_error *error)
{
    return give(reducer, sink, measure, error);
}

ink_status ink_reducer_relay(ink_reducer *reducer, const ink_piece_sink *sink, ink_error *error)
{
    return give(reducer, sink, relay, error);
}
