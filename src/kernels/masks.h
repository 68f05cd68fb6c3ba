/* masks.h - the positions of a byte among 64, one bit each. Finds line ends and delimiters at the
 * speed of memory, however short the lines are. */
#ifndef INK_KERNELS_MASKS_H
#define INK_KERNELS_MASKS_H

#include "base/bits.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#include <arm_neon.h>
#endif

enum { INK__MASK_BYTES = 64 };

#if defined(__SSE2__)

static inline uint64_t ink__mask_of_16(const uint8_t *bytes, __m128i wanted)
{
    __m128i found = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)bytes), wanted);

    return (uint32_t)_mm_movemask_epi8(found);
}

/* Bit i is set where bytes[i] is `wanted`, for INK__MASK_BYTES bytes. */
static inline uint64_t ink__mask_of(const uint8_t *bytes, uint8_t wanted)
{
    __m128i all = _mm_set1_epi8((char)wanted);

    return ink__mask_of_16(bytes, all) | ink__mask_of_16(bytes + 16, all) << 16 |
           ink__mask_of_16(bytes + 32, all) << 32 | ink__mask_of_16(bytes + 48, all) << 48;
}

#elif defined(__aarch64__) && defined(__AARCH64EL__)

static inline uint64_t ink__mask_of(const uint8_t *bytes, uint8_t wanted)
{
    static const uint8_t positions[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t           all = vdupq_n_u8(wanted), bits = vld1q_u8(positions);
    uint8x16_t           a = vandq_u8(vceqq_u8(vld1q_u8(bytes), all), bits);
    uint8x16_t           b = vandq_u8(vceqq_u8(vld1q_u8(bytes + 16), all), bits);
    uint8x16_t           c = vandq_u8(vceqq_u8(vld1q_u8(bytes + 32), all), bits);
    uint8x16_t           d = vandq_u8(vceqq_u8(vld1q_u8(bytes + 48), all), bits);
    uint8x16_t           sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));

    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

#else

static inline uint64_t ink__mask_of(const uint8_t *bytes, uint8_t wanted)
{
    const uint64_t low7 = 0x7f7f7f7f7f7f7f7fu;
    uint64_t       mask = 0;

    for (unsigned i = 0; i < INK__MASK_BYTES; i += 8) {
        uint64_t differs = ink__load_u64(bytes + i) ^ 0x0101010101010101u * wanted;
        /* The top bit of each byte that is 0, without a carry from one byte to the next. */
        uint64_t equal = ~(((differs & low7) + low7) | differs | low7);
        mask |= (equal >> 7) * 0x0102040810204080u >> 56 << i;
    }
    return mask;
}

#endif

/* The mask of the 64 bytes from `at` on, or of as many as there are; none past the last is read. */
static inline uint64_t ink__mask_at(const uint8_t *bytes, uint64_t at, uint64_t count,
                                    uint8_t wanted)
{
    uint8_t padded[INK__MASK_BYTES];

    if (count - at >= INK__MASK_BYTES)
        return ink__mask_of(bytes + at, wanted);
    memset(padded, ~wanted, sizeof padded);
    memcpy(padded, bytes + at, (size_t)(count - at));
    return ink__mask_of(padded, wanted);
}

#endif
