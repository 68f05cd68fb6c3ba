/* mix.h - the 64-bit finaliser: a bijection that spreads every input bit over all output bits
 * [the last step of MurmurHash3 x64]. It hashes integers, and gives the positions of classic. */
#ifndef INK_BASE_MIX_H
#define INK_BASE_MIX_H

#include <stdint.h>

/* Its factors; kernels/ mixes many numbers at once. */
#define INK__MIX_FIRST 0xff51afd7ed558ccdu
#define INK__MIX_SECOND 0xc4ceb9fe1a85ec53u
/* Those of the words of Murmur3 x64-128. */
#define INK__MURMUR3_FIRST 0x87c37b91114253d5u
#define INK__MURMUR3_SECOND 0x4cf5ad432745937fu

static inline uint64_t ink__mix64(uint64_t x)
{
    x ^= x >> 33;
    x *= INK__MIX_FIRST;
    x ^= x >> 33;
    x *= INK__MIX_SECOND;
    return x ^ x >> 33;
}

/* The number that was mixed. */
static inline uint64_t ink__unmix64(uint64_t x)
{
    x ^= x >> 33;
    x *= 0x9cb4b2f8129337dbu; /* the inverse of the second factor, modulo 2^64, then of the first */
    x ^= x >> 33;
    x *= 0x4f74430c22a54005u;
    return x ^ x >> 33;
}

/* Murmur3 x64-128 of the 8 bytes of a number: both words. */
static inline void ink__murmur3_of_u64(uint64_t number, uint64_t seed, uint64_t words[2])
{
    uint64_t word = number * INK__MURMUR3_FIRST;
    uint64_t b = seed ^ 8;
    uint64_t a = (seed ^ (word << 31 | word >> 33) * INK__MURMUR3_SECOND ^ 8) + b;

    b = ink__mix64(a + b);
    words[0] = ink__mix64(a) + b;
    words[1] = words[0] + b;
}

#endif
