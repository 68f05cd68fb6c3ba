/* foreign_hashes.h - the hashes of keys that other systems have, with their faults, for sketches
 * that they made or will read; docs/keys.md specifies them. All read little-endian. */
#ifndef INK_HASH_FOREIGN_HASHES_H
#define INK_HASH_FOREIGN_HASHES_H

#include <stddef.h>
#include <stdint.h>

/* Of one key in a filter; other systems take as many as a rate asks for. */
#define INK__FOREIGN_HASHES_MAX 1024

/* Spark's Murmur3: each byte after the last whole word counts as a word of its own, with its sign.
 * The pair is the hash with this seed (upper half), and the hash with that as the seed. */
uint64_t ink__spark_pair(const uint8_t *key, size_t bytes, uint32_t seed);
void     ink__spark_pairs(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                          size_t count, uint32_t seed, uint64_t *pairs);
void     ink__spark_int_pairs(const int64_t *ints, size_t count, uint32_t seed, uint64_t *pairs);

/* MurmurHash2. */
uint32_t ink__murmur2(const uint8_t *key, size_t bytes, uint32_t seed);

/* Hadoop's MurmurHash: MurmurHash2 with the bytes after the last whole word in reverse, each with
 * its sign. */
uint32_t ink__hadoop_murmur(const uint8_t *key, size_t bytes, uint32_t seed);
/* Hadoop's JenkinsHash: lookup3 [Jenkins 2006]. */
uint32_t ink__jenkins(const uint8_t *key, size_t bytes, uint32_t seed);

/* FNV-1 of 64 bits, modulo the prime of DCSO's bloom; and the next number of that series. */
#define INK__DCSO_PRIME 0xffffffffffffffc5u
uint64_t               ink__dcso(const uint8_t *key, size_t bytes);
static inline uint64_t ink__dcso_next(uint64_t hash)
{
    return hash * 18446744073709550147u % INK__DCSO_PRIME;
}

/* The bits in the opposite order: what others count from the lowest bit on, an hll of ours counts
 * from the highest. */
uint64_t ink__reversed(uint64_t bits);

/* DataSketches' coupon of a hash of 128 bits: in the upper 26 bits the lower ones of the first
 * word, reversed; in the lower 6 bits 1 + the leading zeros of the second word, at most 63. */
uint64_t ink__coupon(const uint64_t hash[2]);

/* java.util.Random: its state for a seed, below 2^48, and its next number below 2^31 - 1. */
#define INK__JAVA_FACTOR UINT64_C(0x5deece66d)
#define INK__JAVA_STATES (UINT64_C(1) << 48)
uint32_t               ink__java_random(uint64_t *state);
static inline uint64_t ink__java_state(uint64_t seed)
{
    return (seed ^ INK__JAVA_FACTOR) % INK__JAVA_STATES;
}

#endif
