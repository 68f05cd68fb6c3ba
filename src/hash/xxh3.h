/* xxh3.h - XXH3-64 and XXH64 of one key; kernels/xxh3_batch.h has XXH3-64 of many. */
#ifndef INK_HASH_XXH3_H
#define INK_HASH_XXH3_H

#include <stddef.h>
#include <stdint.h>

uint64_t ink__xxh3(const uint8_t *key, size_t bytes, uint64_t seed);

/* XXH64, as Parquet uses it. */
uint64_t ink__xxh64(const uint8_t *key, size_t bytes, uint64_t seed);

#endif
