/* tuning.h - everything that depends on the sizes of caches: from which size on memory is
 * prefetched, how far, when keys are sorted roughly before they are added, how threads share a
 * build, when huge pages are used. The reasons are in tuning.c. It changes speed, never a result.
 */
#ifndef INK_BASE_TUNING_H
#define INK_BASE_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INK__LINE_BYTES = 64 }; /* a line of the cache */

typedef struct ink__tuning {
    uint64_t l1_bytes, l2_bytes; /* the data caches of one core */
    bool     caches_known;       /* both by the system; else they are assumed */
    /* Filters and counters of at least this size are prefetched; smaller ones stay in the cache. */
    uint64_t prefetch_from_bytes;
    uint32_t window;          /* how many keys ahead ... */
    uint64_t far_from_bytes;  /* ... and, from this size on (UINT64_MAX: never), ... */
    uint32_t far_window;      /* ... how many, into the second cache only */
    uint64_t huge_from_bytes; /* blocks of at least this size ask for huge pages */
    /* Filters of at least this size are filled faster with keys sorted by range. */
    uint64_t radix_from_bytes;
    /* Threads fill filters of their own up to this size, which are merged; larger ones are divided
     * into ranges, one thread each. */
    uint64_t private_to_bytes;
} ink__tuning;

/* What memory is prefetched for: into the first cache, or (far) into the second only. */
typedef enum ink__fetch {
    INK__FETCH_READ,
    INK__FETCH_WRITE,
    INK__FETCH_READ_FAR,
    INK__FETCH_WRITE_FAR,
} ink__fetch;

/* Hashes whose memory is prefetched while other keys are worked on. */
typedef struct ink__prefetch {
    const uint64_t *hashes;
    size_t          count;
    ink__fetch      how;
} ink__prefetch;

static inline ink__prefetch ink__prefetch_or_none(const ink__prefetch *prefetch)
{
    return prefetch == NULL ? (ink__prefetch){.hashes = NULL} : *prefetch;
}

/* The largest window. */
enum { INK__WINDOW_MAX = 128 };

/* The values of this machine, for any thread. The system is asked once in a process. */
ink__tuning ink__tuning_now(void);

/* The values for caches of these sizes (0: not known). */
ink__tuning ink__tuning_of(uint64_t l1_bytes, uint64_t l2_bytes);

#endif
