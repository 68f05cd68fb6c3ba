/* xxh3.c - XXH3-64 and XXH64 of one key, by their author's library. */
#include "hash/xxh3.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t ink__xxh3(const uint8_t *key, size_t bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(key, bytes, seed);
}

uint64_t ink__xxh64(const uint8_t *key, size_t bytes, uint64_t seed)
{
    return XXH64(key, bytes, seed);
}
