/* seen.h - the hashes that were seen at one level: all of them in a table, or a filter; and how
 * many texts were taken for seen wrongly.
 *
 * Hashes are in ranges, each a track of tracks.h: threads sort the hashes of their chunks by range,
 * and each range takes them in the order of chunks. */
#ifndef INK_JOBS_DEDUP_SEEN_H
#define INK_JOBS_DEDUP_SEEN_H

#include "base/hash_set.h"
#include "inkling_job.h"
#include "sketch/internal.h"

#include <stdatomic.h>

/* The rate of a filter by the number of its keys. */
enum { INK__RATE_STEPS = 64 };

typedef struct ink__seen {
    ink_allocator allocator;
    bool          table;  /* false: a filter */
    bool          fixed;  /* nothing enters */
    bool          apart;  /* the filter is elsewhere, in passes (passes.h), and so are answers */
    unsigned      ranges; /* at most INK__FILTER_RANGES_MAX */

    ink__hash_set sets[INK__FILTER_RANGES_MAX];
    uint64_t      used[INK__FILTER_RANGES_MAX];
    uint64_t      limit; /* of bytes in a range */
    unsigned      shift; /* a hash is in range hash >> shift; 64: all are in one */
    unsigned      valued;
    /* Set by a step that could not do its work: all is lost then. */
    atomic_int refused; /* an ink_status */

    ink_sketch        *filter;
    ink__filter_ranges in_filter;
    ink_description    description;
    uint64_t           before;                     /* about how many keys the filter had at first */
    double             rates[INK__RATE_STEPS + 1]; /* with i / INK__RATE_STEPS of twice the plan */
} ink__seen;

/* A table that takes about `bytes` bytes at most, in at least `ranges` ranges; `valued`: with a
 * number for each hash. */
void ink__seen_open_table(ink__seen *seen, unsigned ranges, uint64_t bytes, bool valued,
                          const ink_allocator *allocator);
/* A filter, which becomes the seen's; or, `fixed`, which nothing enters. INK_UNSUPPORTED for a kind
 * that has no ranges. */
ink_status ink__seen_open_filter(ink__seen *seen, unsigned ranges, ink_sketch *filter, bool fixed,
                                 const ink_allocator *allocator, ink_error *error);
/* One that only knows what its filter is like. */
void               ink__seen_open_apart(ink__seen *seen, const ink_description *plan,
                                        const ink_allocator *allocator);
void               ink__seen_end(ink__seen *seen);
static inline bool ink__seen_is_open(const ink__seen *seen)
{
    return seen->ranges > 0 || seen->apart;
}

/* The hashes of a chunk, in the order of the input. All zero at first. */
typedef struct ink__seen_part {
    uint64_t *hashes;
    uint64_t  count, hashes_room;
    uint8_t  *memory; /* of what follows, for each hash: */
    uint64_t  memory_room;
    uint64_t *sorted;  /* by range */
    uint64_t *values;  /* in this order, if there are values: of the hash here, and then of the same
                          one before, if there was one */
    uint32_t *places;  /* of hash i in this order */
    uint8_t  *was_new; /* in this order */
    uint64_t  starts[INK__FILTER_RANGES_MAX + 1];
} ink__seen_part;

/* Room for `more` hashes. */
ink_status ink__seen_part_room(ink__seen_part *part, uint64_t more, const ink_allocator *allocator,
                               ink_error *error);
void       ink__seen_part_end(ink__seen_part *part, const ink_allocator *allocator);

/* Sorts the hashes of a chunk, with the value of each if there are values. */
ink_status ink__seen_sort(const ink__seen *seen, ink__seen_part *part, const uint64_t *values,
                          ink_error *error);
/* Looks up and enters those of one range, which other threads do not use meanwhile. */
void ink__seen_step(ink__seen *seen, ink__seen_part *part, unsigned range);
/* Then: whether hash i was new. */
static inline bool ink__seen_new(const ink__seen_part *part, uint64_t i)
{
    return part->was_new[part->places[i]];
}
/* Fails if a step did. */
ink_status ink__seen_check(ink__seen *seen, ink_error *error);

/* Bytes of memory that hold what was seen. */
uint64_t ink__seen_bytes(const ink__seen *seen);

/* The rate at which a new text is taken for a seen one after `keys` new ones. */
double ink__seen_rate(const ink__seen *seen, uint64_t keys);

/* Texts that were taken for seen wrongly: a sum of rare, independent events. For each text that was
 * found new with chance 1 - q, on average q / (1 - q) were not. */
typedef struct ink__wrong {
    double mean, variance;
    double odds; /* the highest */
} ink__wrong;

void ink__wrong_add(ink__wrong *wrong, double chance);
/* Of single texts, `keys` of which were found new. */
ink__wrong ink__wrong_of(const ink__seen *seen, uint64_t keys);
/* More are wrong in one case of a million at most. */
uint64_t ink__wrong_limit(const ink__wrong *wrong);

/* Fails if a filter has got more texts than it was planned for, of which `first` were new, unless
 * max_rate, or what the plan promised if that is 0, allows its rate. */
ink_status ink__seen_check_fill(const ink__seen *seen, ink_dedup_level level, uint64_t first,
                                double max_rate, ink_error *error);
/* Reports what was seen at a level, of which texts, first and removed are set. `ngrams` is what was
 * removed wrongly there, and `rate` that of a filter that is apart. */
ink_status ink__seen_report(const ink__seen *seen, ink_dedup_level level, const ink__wrong *ngrams,
                            double rate, ink_dedup_count *count, ink_error *error);

#endif
