/* tuning.c - what depends on the sizes of caches, and why.
 *
 * Two regimes matter: what fits in a core's second cache, and memory. The third cache is shared
 * with the rest of the machine: nothing here relies on it.
 *
 * The numbers were measured on two machines: x86-64 with a second cache of 2 MiB (Sapphire Rapids),
 * 64-bit Arm with one of 1 MiB (Neoverse V1). They are multiples of that cache; between machines
 * of one architecture its size is the best guess at what else differs. */
#include "base/tuning.h"

#include "base/system.h"

#include <stdatomic.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

/* Where the system does not say: what most cores of the last ten years have. */
#define L1_ASSUMED (32 * KIB)
#define L2_ASSUMED MIB
/* What no core has: an answer outside of these is none. */
#define L1_LEAST (4 * KIB)
#define L1_MOST MIB
#define L2_LEAST (64 * KIB)
#define L2_MOST (64 * MIB)

/* In quarters of the second cache. */
#if defined(__aarch64__)
enum {
    PREFETCH_FROM = 2, /* prefetching wins at 1.3 times the cache already, 1.3x */
    /* A hint for the second cache is not held up by the few misses that the first one can wait
     * for: 1.15x at 13 times the cache, 1.6x at 130 times; slower at 1.3 times. */
    FAR_FROM = 4 * 4,
    /* Sorting wins at 100 times the cache (1.2x), and loses at 13 times. */
    RADIX_FROM = 100 * 4,
    /* Private filters win at 13 times the cache, ranges at 130 times. */
    PRIVATE_TO = 50 * 4,
};
#else
enum {
    /* Prefetching wins where the sketch takes more than half of the second cache, 1.2x: keys go
     * through it too. Below it costs more than it saves. */
    PREFETCH_FROM = 2,
    FAR_FROM = 0, /* never: a hint for the second cache brings nothing here */
    /* Sorting wins from 6.5 times the cache on (1.2x), 2.3x at 65 times, with huge pages or
     * without. Where the third cache holds the sketch (Granite Rapids) that begins at 10 times, and
     * up to there it loses as much. */
    RADIX_FROM = 26,
    /* Private filters win below the cache's size (1.7x). Above it depends on the third cache: where
     * it holds them they win at 6.5 times (1.5x) and 13 times still, where memory has to, ranges
     * do. With ranges threads wait for each other several times, which costs most on a shared
     * machine. */
    PRIVATE_TO = 16 * 4,
};
#endif

/* Fewer than 64 keys in flight do not hide the latency of memory. Keys are worked on 64 at a time
 * (INK__STEP), and with 64 more in flight the memory has something to do meanwhile. On x86-64 that
 * was faster in one run of two; the difference is within what the machine's phases make. */
enum { WINDOW = 128, FAR_WINDOW = 128 };

/* From here on huge pages save more misses than the alignment to their 2 MiB wastes. It is the
 * size of pages that counts, not that of caches. */
#define HUGE_FROM_BYTES (4 * MIB)

ink__tuning ink__tuning_of(uint64_t l1_bytes, uint64_t l2_bytes)
{
    bool     l1_known = l1_bytes >= L1_LEAST && l1_bytes <= L1_MOST;
    bool     l2_known = l2_bytes >= L2_LEAST && l2_bytes <= L2_MOST;
    uint64_t l2 = l2_known ? l2_bytes : L2_ASSUMED;

    return (ink__tuning){
        .l1_bytes = l1_known ? l1_bytes : L1_ASSUMED,
        .l2_bytes = l2,
        .caches_known = l1_known && l2_known,
        .prefetch_from_bytes = l2 / 4 * PREFETCH_FROM,
        .window = WINDOW,
        .far_from_bytes = FAR_FROM == 0 ? UINT64_MAX : l2 / 4 * FAR_FROM,
        .far_window = FAR_WINDOW,
        .huge_from_bytes = HUGE_FROM_BYTES,
        .radix_from_bytes = l2 / 4 * RADIX_FROM,
        .private_to_bytes = l2 / 4 * PRIVATE_TO,
    };
}

/* The two sizes in KiB, in one atomic word: threads that ask at the same time write the same. KNOWN
 * distinguishes it from the initial zero. */
#define KNOWN ((uint64_t)1 << 63)
static _Atomic uint64_t caches;

ink__tuning ink__tuning_now(void)
{
    const ink__system *system = ink__system_now();
    uint64_t           found = atomic_load_explicit(&caches, memory_order_relaxed);

    if (found == 0) {
        found = KNOWN | (system->cache_bytes(1) / KIB & 0xffffffu) << 32 |
                (system->cache_bytes(2) / KIB & 0xffffffffu);
        atomic_store_explicit(&caches, found, memory_order_relaxed);
    }
    return ink__tuning_of((found >> 32 & 0xffffffu) * KIB, (found & 0xffffffffu) * KIB);
}
