/* xxh3_avx512.h - the steps of XXH3-64 on eight numbers at a time: shared by the loops that have
 * AVX-512. */
#ifndef INK_KERNELS_XXH3_AVX512_H
#define INK_KERNELS_XXH3_AVX512_H

#if defined(__x86_64__)

#include "kernels/xxh3_short.h"

#include <immintrin.h>

#define INK__XXH3_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

INK__XXH3_AVX512 static inline __m512i ink__eight_of(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* The two halves of the 128-bit products, folded. */
INK__XXH3_AVX512 static inline __m512i ink__folded_products(__m512i a, __m512i b)
{
    /* Upper halves, moved to where products take them from. */
    __m512i a_high = _mm512_shuffle_epi32(a, _MM_PERM_DDBB);
    __m512i b_high = _mm512_shuffle_epi32(b, _MM_PERM_DDBB);
    __m512i low = _mm512_mul_epu32(a, b), high = _mm512_mul_epu32(a_high, b_high);
    __m512i left = _mm512_add_epi64(_mm512_mul_epu32(a_high, b), _mm512_srli_epi64(low, 32));
    __m512i right = _mm512_add_epi64(_mm512_mul_epu32(a, b_high),
                                     _mm512_and_si512(left, ink__eight_of(0xffffffff)));

    high = _mm512_add_epi64(
        high, _mm512_add_epi64(_mm512_srli_epi64(left, 32), _mm512_srli_epi64(right, 32)));
    /* The lower halves of `right` are the upper ones of the lower words. */
    low = _mm512_mask_shuffle_epi32(low, 0xaaaa, right, _MM_PERM_CCAA);
    return _mm512_xor_si512(low, high);
}

INK__XXH3_AVX512 static inline __m512i ink__avalanche_eight(__m512i hash)
{
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 37));
    hash = _mm512_mullo_epi64(hash, ink__eight_of(INK__XXH3_PRIME_MX1));
    return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
}

INK__XXH3_AVX512 static inline __m512i ink__swapped_eight(__m512i words)
{
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));

    return _mm512_shuffle_epi8(words, order);
}

#endif

#endif
