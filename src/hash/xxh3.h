/* xxh3.h - XXH3-64 with a seed, one key or many at a time. */
#ifndef INK_HASH_XXH3_H
#define INK_HASH_XXH3_H

#include <stddef.h>
#include <stdint.h>

uint64_t ink__xxh3(const uint8_t *key, size_t bytes, uint64_t seed);

/* XXH64, as Parquet uses it. */
uint64_t ink__xxh64(const uint8_t *key, size_t bytes, uint64_t seed);

/* Hashes `count` keys: key i is bytes[starts[i]] up to ends[i]. The same values as ink__xxh3. Text
 * is made of short keys of mixed lengths, and XXH3 branches on the length; here the keys are first
 * sorted by length class, so many at a time, without a branch, and then hashed class by class in
 * straight loops, so nothing is left for the processor to mispredict. */
#define INK__XXH3_BATCH_MAX 128
void ink__xxh3_batch(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                     size_t count, uint64_t seed, uint64_t *hashes);

/* The same with these features of the processor (base/cpu.h), of which it must have all. */
void ink__xxh3_batch_with(unsigned features, const uint8_t *bytes, const uint64_t *starts,
                          const uint64_t *ends, size_t count, uint64_t seed, uint64_t *hashes);

#endif
