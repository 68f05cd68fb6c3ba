/* filter_ranges.c - a filter of blocks as ranges: hashes sorted by range, added to one range at a
 * time without a write to what ranges share, taken back, and the weight of one range. */
#include "kernels/split_block.h"
#include "sketch/batch.h"
#include "sketch/internal.h"
#include "sketch/kinds/membership.h"

#include <string.h>

_Static_assert((int)INK__FILTER_BLOCK_BYTES == (int)INK__BLOCK_BYTES, "blocks are copied whole");

/* The distance, in keys, between a block that is copied and the one that is fetched. */
enum { AHEAD = 24 };

bool ink__filter_ranges_of(ink__filter_ranges *ranges, ink_sketch *filter, unsigned wanted)
{
    const ink__kind *kind = filter->kind;

    if (kind->block_bytes != INK__BLOCK_BYTES || kind->add_new == NULL)
        return false;
    uint64_t blocks = ((const ink__filter *)filter)->size;
    unsigned shift = 1; /* two blocks are a line */
    while ((blocks - 1) >> shift >= 2 * (uint64_t)wanted - 1 ||
           (blocks - 1) >> shift >= INK__FILTER_RANGES_MAX)
        shift++;
    *ranges = (ink__filter_ranges){
        .sketch = filter,
        .blocks = blocks,
        .shift = shift,
        .count = (unsigned)((blocks - 1) >> shift) + 1,
    };
    return true;
}

static unsigned range_of(const ink__filter_ranges *ranges, uint64_t hash)
{
    return (unsigned)(ink__block_of(hash, ranges->blocks) >> ranges->shift);
}

void ink__filter_ranges_count(const ink__filter_ranges *ranges, const uint64_t *hashes,
                              size_t count, uint64_t counts[INK__FILTER_RANGES_MAX])
{
    memset(counts, 0, ranges->count * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        counts[range_of(ranges, hashes[i])]++;
}

void ink__filter_ranges_sort(const ink__filter_ranges *ranges, const uint64_t *hashes, size_t count,
                             uint32_t *places, uint64_t *sorted,
                             uint64_t starts[INK__FILTER_RANGES_MAX + 1])
{
    uint64_t next[INK__FILTER_RANGES_MAX], at = 0;

    ink__filter_ranges_count(ranges, hashes, count, next);
    for (unsigned range = 0; range < ranges->count; range++) {
        starts[range] = at;
        at += next[range];
        next[range] = starts[range];
    }
    starts[ranges->count] = at;
    for (size_t i = 0; i < count; i++) {
        const uint64_t place = next[range_of(ranges, hashes[i])]++;
        places[i] = (uint32_t)place;
        sorted[place] = hashes[i];
    }
}

size_t ink__filter_ranges_add(const ink__filter_ranges *ranges, const uint64_t *hashes,
                              size_t count, uint8_t *was_new)
{
    const ink_batch  batch = {.hashes = hashes, .count = count};
    const ink__kind *kind = ranges->sketch->kind;
    const ink__keys *keys;
    ink__walk        walk;
    size_t           fresh = 0;

    ink__walk_start(&walk, ranges->sketch, &batch, true);
    while ((keys = ink__walk_next(&walk)) != NULL)
        if (was_new == NULL)
            kind->add(ranges->sketch, keys);
        else
            fresh += kind->add_new(ranges->sketch, keys, was_new + walk.first);
    return fresh;
}

static uint8_t *block_of(const ink__filter_ranges *ranges, uint64_t hash)
{
    const ink__filter *filter = (const ink__filter *)ranges->sketch;

    return filter->cells.block.data + ink__block_of(hash, ranges->blocks) * INK__BLOCK_BYTES;
}

void ink__filter_ranges_save(const ink__filter_ranges *ranges, const uint64_t *hashes, size_t count,
                             uint8_t *saved)
{
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(block_of(ranges, hashes[i + AHEAD]), 1, 3);
        memcpy(saved + i * INK__BLOCK_BYTES, block_of(ranges, hashes[i]), INK__BLOCK_BYTES);
    }
}

void ink__filter_ranges_restore(const ink__filter_ranges *ranges, const uint64_t *hashes,
                                size_t count, const uint8_t *saved)
{
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(block_of(ranges, hashes[i + AHEAD]), 1, 3);
        memcpy(block_of(ranges, hashes[i]), saved + i * INK__BLOCK_BYTES, INK__BLOCK_BYTES);
    }
}

ink__weight ink__filter_ranges_weigh(const ink__filter_ranges *ranges, unsigned range)
{
    const ink__filter *filter = (const ink__filter *)ranges->sketch;
    ink__weight        all = {0};
    uint64_t at = ((uint64_t)range << ranges->shift) * INK__BLOCK_BYTES, end = ranges->blocks, some;

    if (((uint64_t)range + 1) << ranges->shift < end)
        end = ((uint64_t)range + 1) << ranges->shift;
    for (end *= INK__BLOCK_BYTES; at < end; at += some) {
        some = end - at < INK__FILTER_CHUNK ? end - at : INK__FILTER_CHUNK;
        uint64_t weight = filter->base.kind->weigh(filter->base.kernels,
                                                   filter->cells.block.data + at, NULL, some);
        all.low += weight & 0xffffffffu;
        all.high += weight >> 32;
    }
    return all;
}

double ink__filter_ranges_rate(const ink__filter_ranges *ranges, ink__weight all)
{
    const ink__filter *filter = (const ink__filter *)ranges->sketch;

    return ink__filter_rate_of(filter, filter->size, all.high, all.low);
}
