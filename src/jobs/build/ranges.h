/* ranges.h - one large sketch that several threads fill together. Each hands in hashes, which are
 * sorted by range on their way (ink__bulk). When the room for them is used up, all stop handing in,
 * and whoever comes by adds some of the ranges: no two write to the same memory, and a thread that
 * has to wait for its input is not waited for. Nothing here can fail but opening. */
#ifndef INK_JOBS_BUILD_RANGES_H
#define INK_JOBS_BUILD_RANGES_H

#include "jobs/runtime/threads.h"
#include "sketch/internal.h"

/* Hashes of one thread that were not handed in yet, so that a mutex is passed for many at a time.
 */
enum { INK__RANGES_STAGE = 2048 };
typedef struct ink__ranges_stage {
    size_t   used;
    uint64_t hashes[INK__RANGES_STAGE];
} ink__ranges_stage;

/* All zero is one that is not open. */
typedef struct ink__ranges {
    ink_allocator      allocator;
    ink__bulk         *bulk;
    unsigned           parts;
    ink__ranges_stage *stages; /* one for each part */
    ink__mutex         mutex;  /* before all that follows */
    unsigned           handing_in;
    bool               full; /* nobody hands in before all parts were added, of which ... */
    unsigned           taken, added;
} ink__ranges;

/* For `parts` threads, with room for so many bytes of hashes at most. The sketch must be a large
 * one of blocks, outlive the ranges, and be left alone until they are closed. */
ink_status ink__ranges_open(ink__ranges *ranges, ink_sketch *sketch, uint64_t room_bytes,
                            unsigned parts, const ink_allocator *allocator, ink_error *error);
void       ink__ranges_close(ink__ranges *ranges); /* also of one that is not open */

/* Takes hashes of a part: each is for one thread at a time. */
void ink__ranges_put(ink__ranges *ranges, unsigned part, const uint64_t *hashes, size_t count);

/* Brings all that was taken into the sketch, on threads of its own, when nobody puts any more. */
void ink__ranges_finish(ink__ranges *ranges);

#endif
