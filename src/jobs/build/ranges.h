/* ranges.h - one large sketch that several threads fill together. Each puts hashes, which are
 * sorted by range (ink__bulk). When the room for them is used up, no thread puts any more, and
 * every thread that wants to adds ranges to the sketch instead: no two write to the same memory,
 * and no thread waits for one that waits for its input. Only opening can fail. */
#ifndef INK_JOBS_BUILD_RANGES_H
#define INK_JOBS_BUILD_RANGES_H

#include "jobs/runtime/accounting.h"
#include "jobs/runtime/threads.h"
#include "sketch/internal.h"

/* Hashes of one thread, collected so that the mutex is locked once for many. */
enum { INK__RANGES_STAGE = 2048 };
typedef struct ink__ranges_stage {
    size_t   used;
    uint64_t hashes[INK__RANGES_STAGE];
} ink__ranges_stage;

/* All zero is not open. */
typedef struct ink__ranges {
    ink_allocator      allocator;
    ink__region        region;
    ink__bulk         *bulk;
    unsigned           parts;
    ink__ranges_stage *stages;       /* one for each part */
    ink__mutex         mutex;        /* of all that follows */
    unsigned           putting;      /* threads that put hashes into the bulk */
    bool               full;         /* no thread may put before all parts are added */
    unsigned           shares;       /* of a full bulk: more than parts, so that none waits long */
    unsigned           taken, added; /* of these */
} ink__ranges;

/* For `parts` threads, with room for at most `room_bytes` bytes of hashes. The sketch must be a
 * large one of blocks, outlive the ranges, and not be used until they are closed. */
ink_status ink__ranges_open(ink__ranges *ranges, ink_sketch *sketch, uint64_t room_bytes,
                            unsigned parts, const ink_allocator *allocator, ink_error *error);
void       ink__ranges_close(ink__ranges *ranges); /* does nothing if not open */

/* Adds hashes by a part, which is used by one thread at a time. */
void ink__ranges_put(ink__ranges *ranges, unsigned part, const uint64_t *hashes, size_t count);

/* Adds all remaining hashes to the sketch, on its own threads. No thread may put any more. */
void ink__ranges_finish(ink__ranges *ranges, const ink_job *job);

#endif
