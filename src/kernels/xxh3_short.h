/* xxh3_short.h - the constants of XXH3-64 for short keys. */
#ifndef INK_KERNELS_XXH3_SHORT_H
#define INK_KERNELS_XXH3_SHORT_H

#include <stdint.h>

/* The first 56 bytes of XXH3's default secret as words. */
#define INK__XXH3_SECRET_0 0xbe4ba423396cfeb8u
#define INK__XXH3_SECRET_8 0x1cad21f72c81017cu
#define INK__XXH3_SECRET_16 0xdb979083e96dd4deu
#define INK__XXH3_SECRET_24 0x1f67b3b7a4a44072u
#define INK__XXH3_SECRET_32 0x78e5c0cc4ee679cbu
#define INK__XXH3_SECRET_40 0x2172ffcc7dd05a82u
#define INK__XXH3_SECRET_48 0x8e2443f7744608b8u

#define INK__XXH3_PRIME64_1 0x9e3779b185ebca87u
#define INK__XXH3_PRIME64_2 0xc2b2ae3d27d4eb4fu
#define INK__XXH3_PRIME64_3 0x165667b19e3779f9u
#define INK__XXH3_PRIME_MX1 0x165667919e3779f9u
#define INK__XXH3_PRIME_MX2 0x9fb21c651e98df25u

/* What keys of 4 to 8 bytes are XORed with. */
static inline uint64_t ink__xxh3_flip_4_to_8(uint64_t seed)
{
    uint64_t folded = seed ^ (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;

    return (INK__XXH3_SECRET_8 ^ INK__XXH3_SECRET_16) - folded;
}

#endif
