/* mix_avx2.h - the finaliser of base/mix.h for four numbers at once. */
#ifndef INK_KERNELS_MIX_AVX2_H
#define INK_KERNELS_MIX_AVX2_H

#if defined(__x86_64__)

#include "base/mix.h"

#include <immintrin.h>

/* The low halves of 64-bit products, from 32-bit ones: the product of the high words does not
 * count. */
__attribute__((target("avx2"))) static inline __m256i ink__multiply_avx2(__m256i x, uint64_t by)
{
    const __m256i low = _mm256_set1_epi64x((int64_t)(uint32_t)by);
    const __m256i high = _mm256_set1_epi64x((int64_t)(by >> 32));
    __m256i       crossed = _mm256_add_epi64(_mm256_mul_epu32(x, high),
                                             _mm256_mul_epu32(_mm256_srli_epi64(x, 32), low));

    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(crossed, 32));
}

__attribute__((target("avx2"))) static inline __m256i ink__fold_avx2(__m256i x)
{
    return _mm256_xor_si256(x, _mm256_srli_epi64(x, 33));
}

/* ink__mix64 of four. */
__attribute__((target("avx2"))) static inline __m256i ink__mix_avx2(__m256i x)
{
    x = ink__multiply_avx2(ink__fold_avx2(x), INK__MIX_FIRST);
    return ink__fold_avx2(ink__multiply_avx2(ink__fold_avx2(x), INK__MIX_SECOND));
}

#endif

#endif
