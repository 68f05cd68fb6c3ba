/* mix_avx512.h - the finaliser of base/mix.h for eight numbers at once. */
#ifndef INK_KERNELS_MIX_AVX512_H
#define INK_KERNELS_MIX_AVX512_H

#if defined(__x86_64__)

#include "base/mix.h"

#include <immintrin.h>

__attribute__((target("avx512f,avx512dq"))) static inline __m512i ink__fold_avx512(__m512i x)
{
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 33));
}

/* ink__mix64 of eight whose first step is done. */
__attribute__((target("avx512f,avx512dq"))) static inline __m512i ink__mix_folded_avx512(__m512i x)
{
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)INK__MIX_FIRST));
    x = _mm512_mullo_epi64(ink__fold_avx512(x), _mm512_set1_epi64((int64_t)INK__MIX_SECOND));
    return ink__fold_avx512(x);
}

/* ink__mix64 of eight. */
__attribute__((target("avx512f,avx512dq"))) static inline __m512i ink__mix_avx512(__m512i x)
{
    return ink__mix_folded_avx512(ink__fold_avx512(x));
}

/* ink__mix64 of eight, each first XORed with a number, of which `folded` has the first step done:
 * that step is linear over XOR. */
__attribute__((target("avx512f,avx512dq"))) static inline __m512i
ink__mix_xored_avx512(__m512i x, __m512i folded)
{
    return ink__mix_folded_avx512(
        _mm512_ternarylogic_epi64(x, _mm512_srli_epi64(x, 33), folded, 0x96));
}

#endif

#endif
