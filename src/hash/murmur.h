/* murmur.h - the Murmur family, as other systems use it. All read little-endian and take bytes as
 * unsigned. */
#ifndef INK_HASH_MURMUR_H
#define INK_HASH_MURMUR_H

#include <stddef.h>
#include <stdint.h>

/* MurmurHash3_x86_32. */
uint32_t ink__murmur3_x86_32(const uint8_t *key, size_t bytes, uint32_t seed);

/* MurmurHash3_x64_128 with a 32-bit or, as Guava and DataSketches do, a 64-bit seed. */
void ink__murmur3_x64_128(const uint8_t *key, size_t bytes, uint64_t seed, uint64_t hash[2]);

/* MurmurHash64A, the 64-bit MurmurHash2. */
uint64_t ink__murmur64a(const uint8_t *key, size_t bytes, uint64_t seed);

#endif
