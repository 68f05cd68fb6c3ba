/* xxh3_batch.h - XXH3-64 of many keys: the contract, and a function for each instruction set. */
#ifndef INK_KERNELS_XXH3_BATCH_H
#define INK_KERNELS_XXH3_BATCH_H

#include <stddef.h>
#include <stdint.h>

/* Keys of mixed lengths are sorted by length, at most this many at a time. */
#define INK__XXH3_BATCH_MAX 128

/* Keys in memory: the one from `at` on. Locations are offsets from `bytes`, or, if that is NULL,
 * addresses, where keys are in separate objects. */
static inline const uint8_t *ink__key_at(const uint8_t *bytes, uint64_t at)
{
    return (const uint8_t *)((uintptr_t)bytes + (uintptr_t)at);
}

/* hashes[i] is that of key i, from starts[i] up to ends[i]. Of one array, what stands between its
 * keys may be read; of separate objects (`bytes` is NULL) the keys alone are. */
typedef void ink__xxh3_batch(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                             size_t count, uint64_t seed, uint64_t *hashes);

ink__xxh3_batch ink__xxh3_batch_scalar;
#if defined(__x86_64__)
ink__xxh3_batch ink__xxh3_batch_avx2;
/* Both need avx512f, bw, dq and vl; the second gathers. */
ink__xxh3_batch ink__xxh3_batch_avx512bw;
ink__xxh3_batch ink__xxh3_batch_avx512;
#endif

#endif
