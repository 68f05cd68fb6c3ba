/* bits.h - bits and bytes of integers: little-endian loads and stores, rotations, counts.
 * Memory that goes to a file is little-endian on every host, so it is read through these. */
#ifndef INK_BASE_BITS_H
#define INK_BASE_BITS_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define INK__SWAP(bits, x) __builtin_bswap##bits(x)
#else
#define INK__SWAP(bits, x) (x)
#endif

#define INK__LOAD(declaration, bits)                                                               \
    static inline declaration                                                                      \
    {                                                                                              \
        uint##bits##_t value;                                                                      \
                                                                                                   \
        memcpy(&value, from, sizeof value);                                                        \
        return INK__SWAP(bits, value);                                                             \
    }
INK__LOAD(uint16_t ink__load_u16(const uint8_t *from), 16)
INK__LOAD(uint32_t ink__load_u32(const uint8_t *from), 32)
INK__LOAD(uint64_t ink__load_u64(const uint8_t *from), 64)

#define INK__STORE(declaration, bits)                                                              \
    static inline declaration                                                                      \
    {                                                                                              \
        value = INK__SWAP(bits, value);                                                            \
        memcpy(to, &value, sizeof value);                                                          \
    }
INK__STORE(void ink__store_u16(uint8_t *to, uint16_t value), 16)
INK__STORE(void ink__store_u32(uint8_t *to, uint32_t value), 32)
INK__STORE(void ink__store_u64(uint8_t *to, uint64_t value), 64)

static inline void ink__store_u24(uint8_t *to, uint32_t value)
{
    ink__store_u16(to, (uint16_t)value);
    to[2] = (uint8_t)(value >> 16);
}

static inline uint32_t ink__rotate_left_32(uint32_t value, unsigned by)
{
    return (value << by) | (value >> (32 - by));
}

static inline uint64_t ink__rotate_left_64(uint64_t value, unsigned by)
{
    return (value << by) | (value >> (64 - by));
}

static inline unsigned ink__ones_32(uint32_t value)
{
    return (unsigned)__builtin_popcount(value);
}

static inline unsigned ink__ones_64(uint64_t value)
{
    return (unsigned)__builtin_popcountll(value);
}

/* Both of a value that is not 0. */
static inline unsigned ink__leading_zeros_64(uint64_t value)
{
    return (unsigned)__builtin_clzll(value);
}

static inline unsigned ink__trailing_zeros_64(uint64_t value)
{
    return (unsigned)__builtin_ctzll(value);
}

/* The upper half of a product: `range` times `value` / 2^64. */
static inline uint64_t ink__multiply_high(uint64_t value, uint64_t range)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 product;

    return (uint64_t)((product)value * range >> 64);
#else
    uint64_t low = (value & 0xffffffffu) * (range & 0xffffffffu);
    uint64_t left = (value >> 32) * (range & 0xffffffffu) + (low >> 32);
    uint64_t right = (value & 0xffffffffu) * (range >> 32) + (left & 0xffffffffu);

    return (value >> 32) * (range >> 32) + (left >> 32) + (right >> 32);
#endif
}

static inline int ink__is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static inline uint64_t ink__bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double ink__double_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
