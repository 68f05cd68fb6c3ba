/* masks.h - the positions of a byte, or of small bytes, among 64, one bit each. Finds line ends,
 * delimiters and white space at the speed of memory, however short lines and words are. */
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

/* Bit i is set where bytes[i] is at most `most`. */
static inline uint64_t ink__mask_up_to(const uint8_t *bytes, uint8_t most)
{
    const __m128i all = _mm_set1_epi8((char)most);
    uint64_t      mask = 0;

    for (unsigned i = 0; i < INK__MASK_BYTES; i += 16) {
        const __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(bytes + i));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(some, all), some))
                << i;
    }
    return mask;
}

#elif defined(__aarch64__) && defined(__AARCH64EL__)

/* One bit for each byte of four comparisons, which is all ones or 0. */
static inline uint64_t ink__mask_of_four(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d)
{
    static const uint8_t positions[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t     bits = vld1q_u8(positions);
    const uint8x16_t     sums = vpaddq_u8(vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits)),
                                          vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits)));

    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}

static inline uint64_t ink__mask_of(const uint8_t *bytes, uint8_t wanted)
{
    const uint8x16_t all = vdupq_n_u8(wanted);

    return ink__mask_of_four(vceqq_u8(vld1q_u8(bytes), all), vceqq_u8(vld1q_u8(bytes + 16), all),
                             vceqq_u8(vld1q_u8(bytes + 32), all),
                             vceqq_u8(vld1q_u8(bytes + 48), all));
}

static inline uint64_t ink__mask_up_to(const uint8_t *bytes, uint8_t most)
{
    const uint8x16_t all = vdupq_n_u8(most);

    return ink__mask_of_four(vcleq_u8(vld1q_u8(bytes), all), vcleq_u8(vld1q_u8(bytes + 16), all),
                             vcleq_u8(vld1q_u8(bytes + 32), all),
                             vcleq_u8(vld1q_u8(bytes + 48), all));
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

static inline uint64_t ink__mask_up_to(const uint8_t *bytes, uint8_t most)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < INK__MASK_BYTES; i++)
        mask |= (uint64_t)(bytes[i] <= most) << i;
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
