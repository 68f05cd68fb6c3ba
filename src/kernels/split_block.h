/* split_block.h - the bits of a hash in a split-block filter: one block of 256 bits, and in each of
 * its eight 32-bit words one bit. Parquet's rule, bit for bit. */
#ifndef INK_KERNELS_SPLIT_BLOCK_H
#define INK_KERNELS_SPLIT_BLOCK_H

#include <stdint.h>

enum { INK__BLOCK_BYTES = 32, INK__BLOCK_WORDS = 8 };
/* A block whose cells are counters of four bits. */
enum { INK__COUNTS_BYTES = 4 * INK__BLOCK_BYTES };

#define INK__BLOCK_SALTS                                                                           \
    {                                                                                              \
        0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du, 0x705495c7u, 0x2df1424bu, 0x9efc4947u, \
            0x5c6bfb31u                                                                            \
    }

/* The high half of the hash chooses the block. */
static inline uint64_t ink__block_of(uint64_t hash, uint64_t blocks)
{
    return ((hash >> 32) * blocks) >> 32;
}

/* The low half, times a salt for each word, chooses the bit in it: the product's top five bits. */
static inline uint32_t ink__word_position(uint64_t hash, uint32_t salt)
{
    return ((uint32_t)hash * salt) >> 27;
}

static inline uint32_t ink__block_bit(uint64_t hash, uint32_t salt)
{
    return 1u << ink__word_position(hash, salt);
}

#endif
