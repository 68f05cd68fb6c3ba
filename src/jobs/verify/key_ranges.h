/* key_ranges.h - keys by ranges of their hashes: many threads put keys, and then take ranges one by
 * one. Equal keys are in one range, so no thread needs the keys of another one's range. */
#ifndef INK_JOBS_VERIFY_KEY_RANGES_H
#define INK_JOBS_VERIFY_KEY_RANGES_H

#include "inkling_job.h"
#include "jobs/groups/groups.h"

/* All zero is not open. */
typedef struct ink__key_ranges {
    ink_allocator allocator;
    unsigned      count, shift; /* of ranges; a power of two */
    unsigned      workers;
    ink__spill   *spills; /* one for each worker, with a partition for each range */
} ink__key_ranges;

/* A good number of ranges for this many keys. */
unsigned ink__key_ranges_for(uint64_t keys);

/* For keys of `groups`, whose limit of memory holds for both; close it before them. */
ink_status ink__key_ranges_open(ink__key_ranges *ranges, unsigned count, unsigned workers,
                                ink__groups *groups, const ink_job *job, ink_error *error);
void       ink__key_ranges_close(ink__key_ranges *ranges); /* does nothing if not open */

/* Whether a key is in the sample that a threshold makes; UINT64_MAX: every key is. */
static inline bool ink__in_sample(uint64_t threshold, uint64_t hash)
{
    uint64_t mixed = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;

    return threshold == UINT64_MAX || (mixed ^ mixed >> 32) < threshold;
}

/* Puts keys, or hashes without weights, of a sample; `from` must have hashes. A worker is one
 * thread at a time. */
ink_status ink__key_ranges_put(ink__key_ranges *ranges, unsigned worker, const ink__gather *from,
                               uint64_t threshold, ink_error *error);

/* Adds all that was put into a range to `to`, without hashes of keys. */
ink_status ink__key_ranges_gather(const ink__key_ranges *ranges, uint64_t range, ink__gather *to,
                                  ink_error *error);

#endif
