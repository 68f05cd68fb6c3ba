/* passes.h - what was seen, by a filter that is larger than the memory. A first reading of the
 * corpus spills the hashes of all texts, by ranges of the filter. Each range is then a small filter
 * of its own, which takes its hashes in their order, and writes for each one bit: whether it was
 * new. When the corpus is read again, its chunks find these bits. The answers are those of the
 * whole filter. */
#ifndef INK_JOBS_DEDUP_PASSES_H
#define INK_JOBS_DEDUP_PASSES_H

#include "inkling_job.h"
#include "jobs/groups/spill.h"

enum { INK__PASSES_MAX = 1024 };

typedef struct ink__passes {
    ink_allocator   allocator;
    ink_params      params; /* of the whole filter */
    unsigned        ranges; /* 0: not in use */
    ink__spill      hashes; /* a partition for each range */
    ink__spool      answers;
    const uint64_t *starts;     /* of ranges: the first hash of each */
    uint64_t       *words;      /* the memory of starts, and of ... */
    uint64_t       *answers_at; /* ... where the bits of each range begin, ... */
    double         *rates;      /* ... and its rate, by its share of all blocks */
    uint64_t       *counts; /* of each chunk: the hashes of each range that were put before it */
    uint64_t        chunks, counts_room;
} ink__passes;

/* `memory` is for hashes that are not on disk yet. */
ink_status ink__passes_begin(ink__passes *passes, const ink_params *params, unsigned ranges,
                             uint64_t memory, const char *folder, const ink_allocator *allocator,
                             ink_error *error);
void       ink__passes_end(ink__passes *passes);

/* Puts the hashes of the next chunk. */
ink_status ink__passes_put(ink__passes *passes, const uint64_t *hashes, uint64_t count,
                           ink_error *error);
/* Makes range after range, on all threads, when all hashes are put. */
ink_status ink__passes_run(ink__passes *passes, const ink_job *job, uint64_t began,
                           ink_error *error);
/* Then: which hashes of a chunk were new, the same ones in the same order. */
void ink__passes_answer(const ink__passes *passes, uint64_t chunk, const uint64_t *hashes,
                        uint64_t count, uint8_t *was_new);
/* The rate of the filter with all hashes. */
double ink__passes_rate(const ink__passes *passes);

#endif
