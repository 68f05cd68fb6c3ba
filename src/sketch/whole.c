/* whole.c - a sketch that is made of all of its different hashes at once (fuse), and never changes:
 * hashes are sorted, each is left once, shards are made of those that begin alike, and joined. The
 * result follows from the set of hashes alone. Threads of the caller make shards. */
#include "base/hash_set.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/status.h"
#include "sketch/internal.h"
#include "sketch/kinds/fuse_shard.h"
#include "sketch/sketch.h"

#include <string.h>

struct ink__whole_room {
    ink_allocator  allocator;
    ink__fuse_room shard;
    ink__block     buckets; /* of a sort */
    ink__block     part;    /* of a sort in two steps, sorted */
    ink__block     hashes;  /* of a whole, sorted */
};

struct ink__whole {
    ink_allocator allocator;
    ink__plan     planned; /* for all keys */
    unsigned      shard_bits;
    ink__shard   *shards;
};

/* ---- Room --------------------------------------------------------------------------------- */

ink_status ink__whole_room_create(ink__whole_room **room, const ink_allocator *allocator,
                                  ink_error *error)
{
    const ink_allocator memory = ink__allocator_or_heap(allocator);
    ink__whole_room    *made;

    INK__TRY(ink__allocate_zeroed(&memory, sizeof *made, &made, error));
    made->allocator = memory;
    *room = made;
    return INK_OK;
}

void ink__whole_room_free(ink__whole_room *room)
{
    if (room == NULL)
        return;
    const ink_allocator allocator = room->allocator;

    ink__fuse_room_end(&room->shard, &allocator);
    ink__block_release(&room->buckets, &allocator);
    ink__block_release(&room->part, &allocator);
    ink__block_release(&room->hashes, &allocator);
    ink__release(&allocator, room, sizeof *room);
}

void ink__whole_room_refuse(ink__whole_room *room, unsigned attempts)
{
    room->shard.refused = attempts;
}

/* Numbers of a block with room for `bytes` bytes. */
static ink_status room_for(ink__whole_room *room, ink__block *block, uint64_t bytes, void *pointer,
                           ink_error *error)
{
    if (block->bytes < bytes) {
        ink__block_release(block, &room->allocator);
        *block = (ink__block){0};
        INK__TRY(ink__block_take(block, &room->allocator, bytes, error));
    }
    memcpy(pointer, &block->data, sizeof block->data);
    return INK_OK;
}

/* ---- Sort --------------------------------------------------------------------------------- */

/* Buckets of about this many hashes are sorted by insertion, larger ones, of hashes that are no
 * hashes, without a bad case. Above PART_HASHES there are two steps, so that each has its memory in
 * the cache. */
enum { BUCKET_BITS = 2, BUCKET_MAX = 48, PART_BITS = 16, PARTS_MAX = 1 << 12 };
#define PART_HASHES ((size_t)1 << (PART_BITS + BUCKET_BITS))

static bool number_after(const void *host, uint64_t a, uint64_t b)
{
    const uint64_t *numbers = host;

    return numbers[a] > numbers[b];
}

static void swap_numbers(void *host, uint64_t a, uint64_t b)
{
    uint64_t *numbers = host, kept = numbers[a];

    numbers[a] = numbers[b];
    numbers[b] = kept;
}

static void insertion_sort(uint64_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t number = numbers[i];
        size_t         at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

static size_t leave_each_once(uint64_t *numbers, size_t count)
{
    size_t kept = count > 0;

    for (size_t i = 1; i < count; i++) {
        numbers[kept] = numbers[i];
        kept += numbers[i] != numbers[kept - 1];
    }
    return kept;
}

/* Hashes that a sort takes; where they are the slots of a table, one of 0 is free. */
typedef struct source {
    const uint64_t *hashes;
    size_t          count;
    bool            slots;
    unsigned        known_bits; /* the first ones, which are equal in all */
} source;

/* Puts hashes into 2^bits buckets by the bits after the known ones; returns how many there are.
 * ends[i] is then where bucket i ends. */
static size_t scatter(const source *from, unsigned bits, uint64_t *to, uint64_t *ends)
{
    const unsigned known = from->known_bits, shift = 64 - bits;
    const bool     all = !from->slots;
    uint64_t       sum = 0;

    memset(ends, 0, sizeof *ends << bits);
    for (size_t i = 0; i < from->count; i++)
        ends[from->hashes[i] << known >> shift] += all | (from->hashes[i] != 0);
    for (size_t i = 0; i < (size_t)1 << bits; i++) {
        const uint64_t in = ends[i];
        ends[i] = sum;
        sum += in;
    }
    for (size_t i = 0; i < from->count; i++) {
        const uint64_t hash = from->hashes[i];
        uint64_t      *end = &ends[hash << known >> shift];
        if (all | (hash != 0))
            to[(*end)++] = hash;
    }
    return (size_t)sum;
}

/* PART_HASHES at most. */
static ink_status sort_part(ink__whole_room *room, const source *from, uint64_t *to, size_t *kept,
                            ink_error *error)
{
    unsigned  bits = 1;
    uint64_t *ends, first = 0;

    while (from->count >> bits > (size_t)1 << BUCKET_BITS)
        bits++;
    INK__TRY(room_for(room, &room->buckets, sizeof *ends << bits, &ends, error));
    const size_t count = scatter(from, bits, to, ends);
    for (size_t i = 0; i < (size_t)1 << bits; first = ends[i++]) {
        const ink__heap heap = {to + first, number_after, swap_numbers};
        if (ends[i] - first > BUCKET_MAX)
            ink__heap_sort(&heap, ends[i] - first);
    }
    insertion_sort(to, count); /* all but what buckets have is in order */
    *kept = leave_each_once(to, count);
    return INK_OK;
}

static ink_status sort_in_two_steps(ink__whole_room *room, const source *from, uint64_t *to,
                                    size_t *kept, ink_error *error)
{
    uint64_t   ends[PARTS_MAX], first = 0, *sorted;
    unsigned   bits = 1;
    ink_status status = INK_OK;

    while (from->count >> bits > PART_HASHES / 4 && 2u << bits <= PARTS_MAX)
        bits++;
    scatter(from, bits, to, ends);
    *kept = 0;
    for (size_t i = 0; i < (size_t)1 << bits && status == INK_OK; first = ends[i++]) {
        const source part = {to + first, (size_t)(ends[i] - first), false, from->known_bits + bits};
        size_t       some = part.count;
        INK__TRY(room_for(room, &room->part, 2 * sizeof *to * (some + 1), &sorted, error));
        if (some <= PART_HASHES)
            status = sort_part(room, &part, sorted, &some, error);
        else { /* far from even: a radix sort */
            memcpy(sorted, part.hashes, sizeof *to * some);
            ink__sort_u64(sorted, sorted + some, some);
            some = leave_each_once(sorted, some);
        }
        memcpy(to + *kept, sorted, sizeof *to * some);
        *kept += some;
    }
    return status;
}

static ink_status sort_source(ink__whole_room *room, const source *from, uint64_t *to, size_t *kept,
                              ink_error *error)
{
    return from->count <= PART_HASHES ? sort_part(room, from, to, kept, error)
                                      : sort_in_two_steps(room, from, to, kept, error);
}

ink_status ink__whole_sort(ink__whole_room *room, const uint64_t *hashes, size_t count,
                           unsigned known_bits, uint64_t *to, size_t *kept, ink_error *error)
{
    return sort_source(room, &(const source){hashes, count, false, known_bits}, to, kept, error);
}

/* ---- Shards ------------------------------------------------------------------------------- */

/* A whole with a key rule and a plan for one key, which becomes one for `keys`. */
static ink_status open_planned(ink__whole **whole, const ink__plan *one, double rate, uint64_t keys,
                               const ink_allocator *allocator, ink_error *error)
{
    const ink__kind *kind = one->shape.kind;
    const ink_params params = {
        .kind = kind->name, .expected_keys = keys == 0 ? 1 : keys, .false_positive_rate = rate};
    const unsigned shard_bits = kind->whole->shard_bits(keys);
    ink__shape     shape = {.kind = kind};
    ink__whole    *made;

    INK__TRY(kind->plan(&params, &one->rule, &shape, error));
    shape.fields[0] = keys;
    INK__TRY(ink__allocate_zeroed(allocator, sizeof *made, &made, error));
    *made = (ink__whole){*allocator, {one->rule, shape, 0}, shard_bits, NULL};
    ink_status status =
        ink__allocate_zeroed(allocator, sizeof *made->shards << shard_bits, &made->shards, error);
    if (status == INK_OK)
        *whole = made;
    else
        ink__whole_close(made);
    return status;
}

ink_status ink__whole_open(ink__whole **whole, const ink_params *params, uint64_t keys,
                           const ink_allocator *allocator, ink_error *error)
{
    const ink_allocator memory = ink__allocator_or_heap(allocator);
    ink_params          one = *params;
    ink_description     description;
    ink__plan           planned;

    one.expected_keys = 1;
    INK__TRY(ink__sketch_plan(&one, &planned, error));
    ink__describe(&planned.rule, &planned.shape, &description);
    ink_status status =
        open_planned(whole, &planned, description.target_rate, keys, &memory, error);
    ink__rule_wipe(&planned.rule);
    return status;
}

void ink__whole_close(ink__whole *whole)
{
    if (whole == NULL)
        return;
    const ink_allocator allocator = whole->allocator;

    for (size_t i = 0; whole->shards != NULL && i < (size_t)1 << whole->shard_bits; i++)
        ink__release(&allocator, whole->shards[i].bytes, whole->shards[i].count);
    ink__release(&allocator, whole->shards, sizeof *whole->shards << whole->shard_bits);
    ink__rule_wipe(&whole->planned.rule);
    ink__release(&allocator, whole, sizeof *whole);
}

unsigned ink__whole_shard_bits(const ink__whole *whole)
{
    return whole->shard_bits;
}

ink_status ink__whole_build(ink__whole *whole, ink__whole_room *room, const uint64_t *hashes,
                            size_t count, ink_error *error)
{
    const unsigned shift = 63 - whole->shard_bits;

    for (size_t first = 0, end; first < count; first = end) {
        const uint64_t shard = hashes[first] >> 1 >> shift;
        for (end = first + 1; end < count && hashes[end] >> 1 >> shift == shard;)
            end++;
        INK__TRY(whole->planned.shape.kind->whole->build(
            &whole->planned.shape, hashes + first, end - first, &room->shard, &whole->allocator,
            &whole->shards[shard], error));
    }
    return INK_OK;
}

ink_status ink__whole_finish(ink__whole *whole, uint64_t records, ink_sketch **sketch,
                             ink_error *error)
{
    ink__shape  *shape = &whole->planned.shape;
    const size_t shards = (size_t)1 << whole->shard_bits;
    uint64_t     at = 0;
    ink_sketch  *made;

    shape->payload_bytes = shards * INK__SHARD_HEAD_BYTES;
    for (size_t i = 0; i < shards; i++)
        shape->payload_bytes += whole->shards[i].count;
    whole->planned.records = records;
    INK__TRY(ink__sketch_open(&made, &whole->planned, NULL, false, &whole->allocator, error));
    ink_status status = INK_OK;
    for (size_t i = 0; i < shards; at += whole->shards[i++].count)
        if (status == INK_OK && whole->shards[i].count > 0)
            status = shape->kind->take(made, shape, at, whole->shards[i].bytes,
                                       whole->shards[i].count, error);
    for (size_t i = 0; i < shards && status == INK_OK; i++, at += INK__SHARD_HEAD_BYTES)
        status =
            shape->kind->take(made, shape, at, whole->shards[i].head, INK__SHARD_HEAD_BYTES, error);
    if (status == INK_OK)
        *sketch = made;
    else
        ink_sketch_free(made);
    return status;
}

/* ---- All at once -------------------------------------------------------------------------- */

/* What a sketch is made of: at most `most` different hashes, and 0 besides. */
typedef struct contents {
    source   from;
    size_t   most;
    bool     zero;
    uint64_t records;
} contents;

/* The sorted hashes are given back before the shards are joined, unless they are few. */
static ink_status make(ink_sketch **sketch, const ink__plan *one, double rate, const contents *of,
                       ink__whole_room *room, ink_error *error)
{
    uint64_t   *hashes;
    ink__whole *whole;
    size_t      count;

    INK__TRY(room_for(room, &room->hashes, sizeof *hashes * (of->most + 1), &hashes, error));
    hashes[0] = 0;
    INK__TRY(sort_source(room, &of->from, hashes + of->zero, &count, error));
    count += of->zero;
    INK__TRY(open_planned(&whole, one, rate, count, &room->allocator, error));
    ink_status status = ink__whole_build(whole, room, hashes, count, error);
    if (count > PART_HASHES) {
        ink__block_release(&room->hashes, &room->allocator);
        room->hashes = (ink__block){0};
    }
    if (status == INK_OK)
        status = ink__whole_finish(whole, of->records, sketch, error);
    ink__whole_close(whole);
    return status;
}

ink_status ink__whole_make(ink_sketch **sketch, const ink_params *params, const uint64_t *hashes,
                           size_t count, uint64_t records, ink__whole_room *room, ink_error *error)
{
    const contents  of = {{hashes, count, false, 0}, count, false, records};
    ink_params      one = *params;
    ink_description description;
    ink__plan       planned;

    one.expected_keys = 1;
    INK__TRY(ink__sketch_plan(&one, &planned, error));
    ink__describe(&planned.rule, &planned.shape, &description);
    ink_status status = make(sketch, &planned, description.target_rate, &of, room, error);
    ink__rule_wipe(&planned.rule);
    return status;
}

ink_status ink__whole_of_set(ink_sketch **sketch, const ink__plan *one, double rate,
                             const ink__hash_set *set, uint64_t count,
                             const ink_allocator *allocator, ink_error *error)
{
    const contents   of = {{set->words, (size_t)set->slots, true, 0},
                           (size_t)count,
                           ink__hash_set_has(set, set->slots),
                           one->records};
    ink__whole_room *room;

    INK__TRY(ink__whole_room_create(&room, allocator, error));
    ink_status status = make(sketch, one, rate, &of, room, error);
    ink__whole_room_free(room);
    return status;
}
