/* emit.c - what a build has read or taken, emitted as pieces. What is kept of a group goes as it
 * is, or as sketches where their size is known and they are smaller. Small sketches go together in
 * one file, large ones in slices. */
#include "jobs/distributed/emit.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

#define BUCKETS_MAX 4096u
#define PIECE_BYTES_MIN 4096u
#define ANY_RANGE UINT32_MAX

/* ---- Life --------------------------------------------------------------------------------- */

ink_status ink__pieces_settle(ink_pieces_options *options, ink_error *error)
{
    uint32_t most = options->ranged ? INK__RANGES_MAX : BUCKETS_MAX;

    INK__TRY_ROOM("ink_pieces_options", options, error);
    options->buckets += options->buckets == 0;
    if (options->piece_bytes == 0)
        options->piece_bytes = INK__PIECE_BYTES_DEFAULT;
    if (options->slice_bytes == 0)
        options->slice_bytes = INK__SLICE_BYTES_DEFAULT;
    if (options->buckets > most)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%u buckets, expected at most %u",
                         options->buckets, most);
    if (options->ranged && (options->buckets & (options->buckets - 1)) != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%u buckets that are ranges, expected a power of two", options->buckets);
    for (size_t i = 0; options->ranged && i < options->build->kind_count; i++) {
        const char   *kind = options->build->kinds[i].kind;
        ink_kind_info info = {0};
        if (ink_kind_describe(kind, &info, NULL) == INK_OK && info.made_whole != 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "buckets that are ranges, expected others for a %s, which is made of "
                             "all keys at once",
                             kind);
    }
    if (options->ranged && options->together)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "slices that stay together of buckets that are ranges, expected one or "
                         "the other");
    if (options->piece_bytes < PIECE_BYTES_MIN || options->piece_bytes > (uint64_t)1 << 30)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "pieces of %llu bytes, expected %u to 2^30",
                         (unsigned long long)options->piece_bytes, PIECE_BYTES_MIN);
    return INK_OK;
}

/* The order of hashes is the order of buckets. */
static int by_hash(const void *one, const void *other)
{
    const ink__group *a = one, *b = other;

    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

ink_status ink__emit_is_large(const ink__build_plan *plan, size_t kind, uint64_t keys,
                              uint64_t slice_bytes, bool *large, ink_error *error)
{
    ink_params      params = ink__build_params(plan, kind, keys);
    ink_description description;

    *large = false;
    if (plan->kinds[kind].mode != INK__BUILD_SIZED || !plan->kinds[kind].info.local)
        return INK_OK;
    INK__TRY(ink_plan(&params, &description, error));
    *large = description.bytes > slice_bytes;
    return INK_OK;
}

ink_status ink__emit_begin(ink__emission *out, ink__build_state *all,
                           const ink_pieces_options *options, uint64_t job,
                           const ink_piece_sink *sink, ink_error *error)
{
    *out = (ink__emission){.all = all, .options = *options};
    INK__TRY(ink__pieces_settle(&out->options, error));
    out->range_end = out->options.buckets;
    for (size_t k = 0; k < all->plan->kind_count && !out->large; k++)
        if (all->plan->kinds[k].planned)
            INK__TRY(
                ink__emit_is_large(all->plan, k, 0, out->options.slice_bytes, &out->large, error));
    INK__TRY(ink__pieces_begin(&out->pieces, out->options.buckets, out->options.piece_bytes, job,
                               sink, &all->plan->allocator, error));
    ink_status status = ink__groups_list(all->collector.groups, by_hash, all->plan->workers,
                                         &out->list, &out->count, error);
    if (status != INK_OK)
        ink__emit_end(out);
    return status;
}

void ink__emit_end(ink__emission *out)
{
    ink__pieces_end(&out->pieces);
    ink__release(&out->pieces.allocator, out->list, out->count * sizeof *out->list);
    ink__release(&out->pieces.allocator, out->scratch, out->scratch_bytes);
    ink__release(&out->pieces.allocator, out->pending, out->pending_bytes);
}

/* The bucket of a group, but for hashes in ranges. */
static uint32_t home_of(const ink__emission *out, const ink__group *group)
{
    return ink__pieces_range(group->hash, out->options.buckets);
}

static ink_status scratch_of(ink__emission *out, uint64_t used, uint64_t more, ink_error *error)
{
    return ink__make_room(&out->pieces.allocator, &out->scratch, &out->scratch_bytes, used, more,
                          error);
}

/* ---- Sketches ----------------------------------------------------------------------------- */

static ink_status send_pending(ink__emission *out, ink_error *error)
{
    const ink_contents contents = {
        .entries = out->pending,
        .entry_count = (size_t)out->pending_count,
        .allocator = &out->pieces.allocator,
    };
    uint8_t *bytes;
    size_t   count;

    if (out->pending_count == 0)
        return INK_OK;
    INK__TRY(ink_contents_encode(&contents, &bytes, &count, error));
    const ink__item item = {.type = INK__ITEM_SKETCHES, .bytes = bytes, .count = count};
    ink_status      status = ink__pieces_put(&out->pieces, out->pending_bucket, &item, NULL, error);
    ink_bytes_free(bytes, count, &out->pieces.allocator);
    out->pending_count = out->pending_sum = 0;
    return status;
}

/* Roughly what an entry of a file takes besides payload and label. */
enum { ENTRY_BYTES = 96 };

/* Keeps a sketch pending, to go with others to its bucket; it must live until it was sent. */
static ink_status add_pending(ink__emission *out, const ink_label *label, uint32_t bucket,
                              const ink_sketch *sketch, uint64_t bytes, ink_error *error)
{
    uint64_t sum = bytes + ENTRY_BYTES + label->group_bytes;

    if (bucket != out->pending_bucket ||
        out->pending_sum + sum > ink__pieces_room(&out->pieces, label))
        INK__TRY(send_pending(out, error));
    out->pending_bucket = bucket;
    INK__TRY(ink__make_room(&out->pieces.allocator, &out->pending, &out->pending_bytes,
                            out->pending_count * sizeof *out->pending, sizeof *out->pending,
                            error));
    out->pending[out->pending_count++] = (ink_entry){.label = *label, .sketch = sketch};
    out->pending_sum += sum;
    return INK_OK;
}

/* The most bytes of a payload in one slice. */
static uint64_t slice_room(const ink__emission *out, const ink_label *label, uint32_t unit)
{
    return ink__pieces_room(&out->pieces, label) / unit * unit;
}

ink_status ink__emit_slice_bucket(const ink__emission *out, const ink__group *group,
                                  const ink__head *head, uint64_t offset, uint32_t *bucket,
                                  ink_error *error)
{
    ink__head_info info;

    INK__TRY(ink__head_describe(head, &info, error));
    uint64_t number =
        out->options.together ? 0 : offset / slice_room(out, &group->label, info.unit);
    *bucket = (uint32_t)((home_of(out, group) + number) % out->options.buckets);
    return INK_OK;
}

ink_status ink__emit_slices(ink__emission *out, const ink_label *label, uint32_t bucket,
                            const ink__head *head, uint64_t offset, const ink_sketch *from,
                            uint64_t bytes, uint64_t records, ink_error *error)
{
    ink__head_info info;

    INK__TRY(ink__head_describe(head, &info, error));
    uint64_t room = slice_room(out, label, info.unit);
    INK__TRY(scratch_of(out, 0, room < bytes ? room : bytes, error));
    for (uint64_t at = 0, some; at < bytes; at += some, bucket += !out->options.together) {
        some = bytes - at < room ? bytes - at : room;
        INK__TRY(ink__sketch_payload_slice(from, at, out->scratch, (size_t)some, error));
        const ink__item item = {
            .type = INK__ITEM_SLICE,
            .label = *label,
            .records = at == 0 ? records : 0,
            .number = offset + at,
            .bytes = out->scratch,
            .count = some,
        };
        INK__TRY(ink__pieces_put(&out->pieces, bucket % out->options.buckets, &item, head, error));
    }
    return INK_OK;
}

ink_status ink__emit_group_sketches(ink__emission *out, ink__group *group, ink_error *error)
{
    for (size_t k = 0; k < out->all->plan->kind_count; k++) {
        const ink_sketch *sketch = group->sketches[k];
        ink__head         head;
        ink__head_info    info;
        ink_description   description;
        if (sketch == NULL)
            continue;
        ink_sketch_describe(sketch, &description);
        ink__sketch_head(sketch, &head);
        INK__TRY(ink__head_describe(&head, &info, error));
        if (!info.slices || info.payload_bytes <= out->options.slice_bytes) {
            INK__TRY(add_pending(out, &group->label, home_of(out, group), sketch,
                                 info.payload_bytes, error));
            continue;
        }
        ink__head_set_records(&head, 0);
        INK__TRY(ink__emit_slices(out, &group->label, home_of(out, group), &head, 0, sketch,
                                  info.payload_bytes, description.records, error));
    }
    return INK_OK;
}

/* Frees the sketches of groups up to `end`, which were sent. */
static void free_sketches(ink__emission *out, uint64_t end)
{
    for (; out->freed < end; out->freed++)
        for (size_t k = 0; k < out->all->plan->kind_count; k++) {
            ink_sketch_free(out->list[out->freed]->sketches[k]);
            out->list[out->freed]->sketches[k] = NULL;
        }
}

void ink__emit_free_sent(ink__emission *out, uint64_t at)
{
    if (out->pending_count == 0 ||
        ink_label_compare(&out->pending[0].label, &out->list[at]->label) == 0)
        free_sketches(out, at);
}

ink_status ink__emit_flush(ink__emission *out, ink_error *error)
{
    INK__TRY(send_pending(out, error));
    free_sketches(out, out->count);
    return ink__pieces_flush(&out->pieces, error);
}

/* ---- What is kept ------------------------------------------------------------------------- */

/* Elements that are packed into items of one bucket. */
typedef struct filler {
    ink__emission   *out;
    const ink_label *label;
    uint32_t         bucket;
    bool             cut; /* the bucket is a range of the group's hashes */
    uint64_t         room, used, elements;
    uint64_t         more; /* records than elements; the first item with elements has them */
} filler;

/* A range gets an item of this group without elements if it makes a part of a large sketch all the
 * same, and does not know the group from sizes; and once for any group, so that there is a reducer
 * for the range. */
static ink_status send_filled(filler *to, ink_error *error)
{
    ink__emission  *out = to->out;
    bool            reports = to->cut && (out->large || out->relayed || !out->reported[to->bucket]);
    const ink__item item = {
        .type = ink__item_of(out->all->plan->keep),
        .label = *to->label,
        .records = to->elements == 0 ? 0 : to->elements + to->more,
        .number = to->cut ? to->bucket + 1 : 0,
        .bytes = out->scratch,
        .count = to->used,
    };

    if (item.records == 0 && to->used == 0 && !reports)
        return INK_OK;
    if (to->cut)
        out->reported[to->bucket] = true;
    to->more = to->elements == 0 ? to->more : 0;
    to->used = to->elements = 0;
    return ink__pieces_put(&out->pieces, to->bucket, &item, NULL, error);
}

static uint64_t element_bytes(const ink__gather *from, uint64_t i)
{
    return from->keep == INK__KEEP_HASHES ? 8
           : from->keep == INK__KEEP_WEIGHTS
               ? 16
               : INK__KEY_HEAD_BYTES + from->ends[i] - from->starts[i];
}

static ink_status fill_one(filler *to, const ink__gather *from, uint64_t i, ink_error *error)
{
    uint64_t bytes = element_bytes(from, i);

    if (to->used > 0 && to->used + bytes > to->room)
        INK__TRY(send_filled(to, error));
    INK__TRY(scratch_of(to->out, to->used, bytes, error));
    uint8_t *at = to->out->scratch + to->used;
    if (from->keep == INK__KEEP_KEYS) {
        uint64_t key_bytes = from->ends[i] - from->starts[i];
        ink__key_head_write(at, (ink__key_head){from->weights[i], (uint32_t)key_bytes});
        memcpy(at + INK__KEY_HEAD_BYTES, from->bytes + from->starts[i], (size_t)key_bytes);
    } else
        memcpy(at, &from->hashes[i], 8);
    if (from->keep == INK__KEEP_WEIGHTS)
        memcpy(at + 8, &from->weights[i], 8);
    to->used += bytes;
    to->elements++;
    return INK_OK;
}

/* Sorts the indexes of elements by range: those of range r are indexes[starts[r]] up to
 * starts[r + 1]. Keys without a 64-bit hash are hashed as labels are. */
static void sort_by_range(const ink__emission *out, const ink__gather *from, uint32_t *indexes,
                          uint32_t *ranges, uint64_t starts[INK__RANGES_MAX + 1])
{
    uint64_t next[INK__RANGES_MAX];

    memset(starts, 0, (INK__RANGES_MAX + 1) * sizeof *starts);
    for (uint64_t i = 0; i < from->count; i++) {
        uint64_t hash = from->keep == INK__KEEP_KEYS
                            ? ink__hash_label(from->bytes + from->starts[i],
                                              (size_t)(from->ends[i] - from->starts[i]))
                            : from->hashes[i];
        ranges[i] = ink__pieces_range(hash, out->options.buckets);
        starts[ranges[i] + 1]++;
    }
    for (uint32_t r = 0; r < out->options.buckets; r++) {
        next[r] = starts[r];
        starts[r + 1] += starts[r];
    }
    for (uint64_t i = 0; i < from->count; i++)
        indexes[next[ranges[i]]++] = (uint32_t)i;
}

static ink_status emit_ranges(ink__emission *out, filler *to, const ink__gather *from,
                              ink_error *error)
{
    uint64_t  starts[INK__RANGES_MAX + 1], bytes = 2 * from->count * sizeof(uint32_t) + 8;
    uint32_t *indexes;

    if (from->count > UINT32_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "%llu keys of a group in one part, expected fewer than 2^32",
                         (unsigned long long)from->count);
    INK__TRY(ink__allocate(&out->pieces.allocator, bytes, &indexes, error));
    ink_status status = INK_OK;
    sort_by_range(out, from, indexes, indexes + from->count, starts);
    for (to->bucket = out->range; to->bucket < out->range_end && status == INK_OK; to->bucket++) {
        for (uint64_t i = starts[to->bucket]; i < starts[to->bucket + 1] && status == INK_OK; i++)
            status = fill_one(to, from, indexes[i], error);
        if (status == INK_OK)
            status = send_filled(to, error);
    }
    ink__release(&out->pieces.allocator, indexes, bytes);
    return status;
}

/* Emits what was gathered, to one bucket, which may be a range (`cut`), or to the ranges of the
 * elements. It stands for `more` records than elements. */
static ink_status emit_elements(ink__emission *out, const ink_label *label, uint32_t bucket,
                                bool cut, const ink__gather *from, uint64_t more, ink_error *error)
{
    filler to = {
        .out = out,
        .label = label,
        .bucket = bucket,
        .cut = cut,
        .room = ink__pieces_room(&out->pieces, label),
        .more = more,
    };

    if (bucket == ANY_RANGE && !out->relayed)
        return emit_ranges(out, &to, from, error);
    if (bucket == ANY_RANGE)
        to.bucket = out->range; /* relayed elements are of one range already */
    for (uint64_t i = 0; i < from->count; i++)
        INK__TRY(fill_one(&to, from, i, error));
    return send_filled(&to, error);
}

/* ---- Kept or made ------------------------------------------------------------------------- */

/* Whether the keys of a group are cut into ranges: if a sketch for as many keys as it has records
 * would be large, where that number is known. All maps find the same. */
static ink_status is_cut(ink__emission *out, const ink__group *group, bool *cut, ink_error *error)
{
    const ink__build_state *all = out->all;
    uint64_t                records;

    *cut = out->relayed ? group->cut : out->options.ranged;
    if (!*cut || out->relayed || out->options.counts == NULL ||
        ink_sizes_keys(out->options.counts, &group->label, &records, NULL) != INK_OK)
        return INK_OK;
    *cut = false;
    for (size_t k = 0; k < all->plan->kind_count && !*cut; k++)
        INK__TRY(ink__emit_is_large(all->plan, k, records, out->options.slice_bytes, cut, error));
    return INK_OK;
}

/* Whether the sketches of a group are smaller than `bytes` of elements: never if their size is not
 * known, one is large and can be made range by range, or one is made of all keys at once. */
static ink_status is_smaller(ink__emission *out, const ink_label *label, uint64_t bytes,
                             uint64_t *keys, bool *smaller, ink_error *error)
{
    const ink__build_state *all = out->all;
    ink_description         description;
    uint64_t                sum = 0;

    *smaller = false;
    if (all->plan->made_whole || !ink__build_known(all->plan, label, keys))
        return INK_OK;
    bool known = out->known && out->known_keys == *keys;
    for (size_t k = 0; k < all->plan->kind_count && !known; k++) {
        ink__build_mode mode = all->plan->kinds[k].mode;
        if (mode == INK__BUILD_ORDERED || (all->whole != NULL && mode == INK__BUILD_DIRECT))
            continue;
        ink_params params = ink__build_params(all->plan, k, *keys);
        INK__TRY(ink_plan(&params, &description, error));
        sum += description.bytes;
        if (out->options.ranged && all->plan->kinds[k].info.local &&
            description.bytes > out->options.slice_bytes)
            sum = UINT64_MAX / 2;
    }
    if (!known)
        out->known_bytes = sum;
    out->known = true;
    out->known_keys = *keys;
    *smaller = out->known_bytes < bytes;
    return INK_OK;
}

static ink_status emit_group(ink__emission *out, ink__group *group, ink_error *error)
{
    ink__build_state *all = out->all;
    ink__spill       *spill = &all->collector.groups->shards[group->shard].spill;
    uint64_t     keys = 0, records = spill->partitions[group->partition].elements + group->repeats;
    bool         cut, smaller;
    ink__gather *from;

    if (out->relayed && records == 0 && !group->cut)
        return ink__emit_group_sketches(out, group, error);
    INK__TRY(ink__build_gather_group(all, group, &from, error));
    ink__spill_empty(spill, group->partition);
    uint64_t bytes = from->keep == INK__KEEP_KEYS
                         ? from->count * INK__KEY_HEAD_BYTES + from->byte_count
                         : from->count * element_bytes(from, 0);
    INK__TRY(is_smaller(out, &group->label, bytes, &keys, &smaller, error));
    INK__TRY(is_cut(out, group, &cut, error));
    if (smaller)
        INK__TRY(ink__build_add_group(all, &all->worker[0], group, keys, records, error));
    else
        INK__TRY(emit_elements(out, &group->label, cut ? ANY_RANGE : home_of(out, group), cut, from,
                               records - from->count, error));
    return ink__emit_group_sketches(out, group, error);
}

/* Without groups: partition by partition, that is range by range. */
static ink_status emit_spill(ink__emission *out, ink_error *error)
{
    ink__build_state *all = out->all;
    uint32_t          home = home_of(out, all->whole), buckets = out->options.buckets;
    uint32_t          first = buckets; /* that has elements */
    uint64_t          records = 0, elements = 0;
    ink__gather      *from;

    for (unsigned w = 0; w < all->plan->workers; w++)
        records += all->worker[w].kept.records;
    for (unsigned partition = 0; partition < ink__build_partitions(all->plan); partition++) {
        INK__TRY(ink__build_gather_partition(all, 0, partition, &from, error));
        uint32_t range = partition * buckets / INK__BUILD_PARTITIONS;
        elements += from->count;
        if (from->count == 0)
            continue;
        first = first == buckets ? range : first;
        range = from->keep == INK__KEEP_KEYS ? ANY_RANGE : range;
        INK__TRY(emit_elements(out, &all->whole->label, out->options.ranged ? range : home,
                               out->options.ranged, from, 0, error));
    }
    /* Each range gets an item, so that a sketch is made, if an empty one; one has the repeats. */
    ink__item rest = {.type = ink__item_of(all->plan->keep), .records = records - elements};
    if (!out->options.ranged)
        return ink__pieces_put(&out->pieces, home, &rest, NULL, error);
    for (uint32_t range = out->range; range < out->range_end; range++) {
        rest.number = range + 1;
        rest.records = range == first ? records - elements : 0;
        INK__TRY(ink__pieces_put(&out->pieces, range, &rest, NULL, error));
    }
    return INK_OK;
}

static ink_status emit_whole(ink__emission *out, ink_error *error)
{
    ink__build_state *all = out->all;
    uint64_t          keys, each = all->plan->keep == INK__KEEP_HASHES ? 8 : 16;
    bool              smaller;

    if (all->plan->any[INK__BUILD_SIZED]) {
        INK__TRY(is_smaller(out, &all->whole->label, each * ink__build_elements(all), &keys,
                            &smaller, error));
        INK__TRY(smaller ? ink__build_fill_whole(all, error) : emit_spill(out, error));
    }
    for (size_t k = 0; k < all->plan->kind_count; k++)
        if (all->whole->sketches[k] == NULL && all->plan->kinds[k].mode != INK__BUILD_SIZED &&
            !out->relayed)
            INK__TRY(ink__build_make(all->plan, k, 0, &all->whole->sketches[k], error));
    return ink__emit_group_sketches(out, all->whole, error);
}

ink_status ink__emit_kept(ink__emission *out, ink_error *error)
{
    if (out->all->whole != NULL)
        INK__TRY(emit_whole(out, error));
    for (uint64_t g = 0; g < out->count && out->all->whole == NULL; g++) {
        INK__TRY(emit_group(out, out->list[g], error));
        ink__emit_free_sent(out, g);
    }
    return ink__emit_flush(out, error);
}

/* ---- Measures ----------------------------------------------------------------------------- */

/* Counts and estimates the distinct hashes of a group: which of the two is the number to plan for
 * depends on all ranges. */
static ink_status measure_hashes(ink__emission *out, ink__group *group, ink_sketch *counter,
                                 ink_error *error)
{
    ink__build_state *all = out->all;
    uint64_t          keys = 0;
    unsigned          spill = all->whole == NULL ? 1 : ink__build_partitions(all->plan);
    ink__gather      *from;

    for (unsigned partition = 0; partition < spill; partition++) {
        INK__TRY(all->whole == NULL ? ink__build_gather_group(all, group, &from, error)
                                    : ink__build_gather_partition(all, 0, partition, &from, error));
        const ink_batch batch = {.count = (size_t)from->count, .hashes = from->hashes};
        if (batch.count > 0)
            INK__TRY(ink_sketch_add_batch(counter, &batch, error));
        keys += from->count;
    }
    return ink__pieces_put_measure(&out->pieces, &group->label, 0, keys, counter, error);
}

ink_status ink__emit_measures(ink__emission *out, ink_error *error)
{
    ink__build_state *all = out->all;

    for (uint64_t g = 0; g < out->count; g++) {
        ink__group *group = out->list[g];
        ink_sketch *counter;
        if (all->plan->use.counting) {
            INK__TRY(ink__pieces_put_measure(&out->pieces, &group->label, group->repeats,
                                             group->repeats, NULL, error));
            continue;
        }
        if (!group->cut)
            continue; /* its only reducer counts its keys */
        INK__TRY(ink__build_counter(all->plan, &counter, error));
        ink_status status = measure_hashes(out, group, counter, error);
        ink_sketch_free(counter);
        INK__TRY(status);
    }
    return ink__emit_flush(out, error);
}
