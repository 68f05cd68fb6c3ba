/* xxh3_batch.h - XXH3-64 of many keys, by instruction set: what the tables of kernels.h are filled
 * with. The contract stands there. */
#ifndef INK_KERNELS_XXH3_BATCH_H
#define INK_KERNELS_XXH3_BATCH_H

#include <stddef.h>
#include <stdint.h>

/* Keys of mixed lengths are sorted by length, at most this many at a time. */
#define INK__XXH3_BATCH_MAX 128

void ink__xxh3_batch_scalar(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                            size_t count, uint64_t seed, uint64_t *hashes);
#if defined(__x86_64__)
/* Needs avx512f, bw, dq and vl. */
void ink__xxh3_batch_avx512(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                            size_t count, uint64_t seed, uint64_t *hashes);
#endif

#endif
