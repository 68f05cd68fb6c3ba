/* key_ranges.c - keys by ranges of their hashes. */
#include "jobs/verify/key_ranges.h"

#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/feed.h"

/* Keys of a range: its table fits into a second cache. */
#define RANGE_KEYS ((uint64_t)1 << 14)
enum { RANGES_MIN = 16, RANGES_MAX = 256 };

static ink_status open_spill(ink__spill *spill, unsigned ranges, ink_error *error)
{
    for (unsigned i = 0; i < ranges; i++)
        INK__TRY(ink__spill_add(spill, error));
    return INK_OK;
}

unsigned ink__key_ranges_for(uint64_t keys)
{
    unsigned count = RANGES_MIN;

    while (count < RANGES_MAX && count * RANGE_KEYS < keys)
        count *= 2;
    return count;
}

ink_status ink__key_ranges_open(ink__key_ranges *ranges, unsigned count, unsigned workers,
                                ink__groups *groups, const ink_job *job, ink_error *error)
{
    ink__spill *spills;

    *ranges = (ink__key_ranges){.allocator = groups->allocator, .count = count, .shift = 64};
    for (unsigned left = count; left > 1; left /= 2)
        ranges->shift--;
    INK__TRY(ink__allocate_zeroed(&ranges->allocator, workers * sizeof *spills, &spills, error));
    ranges->spills = spills;
    ranges->workers = workers;
    for (unsigned i = 0; i < workers; i++)
        ink__spill_begin(&spills[i], ink__job_memory(job), &groups->kept_bytes,
                         ink__job_folder(job), &ranges->allocator);
    ink_status status = INK_OK;
    for (unsigned i = 0; i < workers && status == INK_OK; i++)
        status = open_spill(&spills[i], ranges->count, error);
    if (status != INK_OK)
        ink__key_ranges_close(ranges);
    return status;
}

void ink__key_ranges_close(ink__key_ranges *ranges)
{
    for (unsigned i = 0; i < ranges->workers; i++)
        ink__spill_end(&ranges->spills[i]);
    ink__release(&ranges->allocator, ranges->spills, ranges->workers * sizeof *ranges->spills);
    *ranges = (ink__key_ranges){0};
}

/* Hashes are mixed: those of a part of a job on many machines begin with the same bits. */
static uint64_t range_of(const ink__key_ranges *ranges, uint64_t hash)
{
    return hash * 0x9e3779b97f4a7c15u >> ranges->shift;
}

ink_status ink__key_ranges_put(ink__key_ranges *ranges, unsigned worker, const ink__gather *from,
                               uint64_t threshold, ink_error *error)
{
    ink__spill *spill = &ranges->spills[worker];

    for (uint64_t i = 0; i < from->count; i++) {
        const uint64_t hash = from->hashes[i], range = range_of(ranges, hash);
        if (!ink__in_sample(threshold, hash))
            continue;
        if (from->keep == INK__KEEP_KEYS)
            INK__TRY(ink__spill_put_key(spill, range, from->bytes + from->starts[i],
                                        (uint32_t)(from->ends[i] - from->starts[i]), 1, error));
        else
            INK__TRY(ink__spill_put(spill, range, &hash, sizeof hash, error));
    }
    return INK_OK;
}

ink_status ink__key_ranges_gather(const ink__key_ranges *ranges, uint64_t range, ink__gather *to,
                                  ink_error *error)
{
    for (unsigned i = 0; i < ranges->workers; i++)
        INK__TRY(ink__spill_each(&ranges->spills[i], range, ink__gather_add, to, error));
    return INK_OK;
}
