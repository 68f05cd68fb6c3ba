/* mix_avx512.h - the finaliser of base/mix.h for eight numbers at once: what the tables of AVX-512
 * share. */
#ifndef INK_KERNELS_MIX_AVX512_H
#define INK_KERNELS_MIX_AVX512_H

#if defined(__x86_64__)

#include "base/mix.h"

#include <immintrin.h>

__attribute__((target("avx512f,avx512dq"))) static inline __m512i ink__turn_avx512(__m512i x)
{
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 33));
}

/* ink__mix64 of eight whose first step is done. */
__attribute__((target("avx512f,avx512dq"))) static inline __m512i ink__mix_turned_avx512(__m512i x)
{
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((int64_t)INK__MIX_FIRST));
    x = _mm512_mullo_epi64(ink__turn_avx512(x), _mm512_set1_epi64((int64_t)INK__MIX_SECOND));
    return ink__turn_avx512(x);
}

/* ink__mix64 of eight. */
__attribute__((target("avx512f,avx512dq"))) static inline __m512i ink__mix_avx512(__m512i x)
{
    return ink__mix_turned_avx512(ink__turn_avx512(x));
}

/* ink__mix64 of eight, each first turned by what `turned` has with the first step done: that step
 * is the same for a XOR and for its parts. */
__attribute__((target("avx512f,avx512dq"))) static inline __m512i
ink__mix_xored_avx512(__m512i x, __m512i turned)
{
    return ink__mix_turned_avx512(
        _mm512_ternarylogic_epi64(x, _mm512_srli_epi64(x, 33), turned, 0x96));
}

#endif

#endif
