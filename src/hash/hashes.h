/* hashes.h - the hashes of one key; kernels/xxh3_batch.h has XXH3-64 of many. All read
 * little-endian and take bytes as unsigned. */
#ifndef INK_HASH_HASHES_H
#define INK_HASH_HASHES_H

#include <stddef.h>
#include <stdint.h>

/* XXH3-64, and XXH64, as Parquet uses it: by their author's library. */
uint64_t ink__xxh3(const uint8_t *key, size_t bytes, uint64_t seed);
uint64_t ink__xxh64(const uint8_t *key, size_t bytes, uint64_t seed);

/* SipHash-2-4: a keyed hash that an adversary without the key cannot steer [Aumasson, Bernstein
 * 2012]. `secret` are the 16 bytes of the key as two little-endian words. */
uint64_t ink__siphash(const uint64_t secret[2], const uint8_t *key, size_t bytes);

/* The Murmur family, for compatibility with other systems: an adversary finds collisions in them
 * for every seed. MurmurHash3_x86_32; MurmurHash3_x64_128 with a 32-bit or, as Guava and
 * DataSketches do, a 64-bit seed; MurmurHash64A, the 64-bit MurmurHash2. */
uint32_t ink__murmur3_x86_32(const uint8_t *key, size_t bytes, uint32_t seed);
void     ink__murmur3_x64_128(const uint8_t *key, size_t bytes, uint64_t seed, uint64_t hash[2]);
/* MurmurHash3_x64_128 of a text in UTF-8 as Java has it in memory, in little-endian UTF-16; what is
 * no UTF-8 counts as U+FFFD, byte by byte. */
void ink__murmur3_x64_128_utf16(const uint8_t *text, size_t bytes, uint64_t seed, uint64_t hash[2]);
uint64_t ink__murmur64a(const uint8_t *key, size_t bytes, uint64_t seed);

#endif
