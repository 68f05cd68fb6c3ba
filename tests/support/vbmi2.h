/* vbmi2.h - the kernel table of AVX-512 with VBMI2 on a machine that has AVX-512 alone: what the
 * table uses of VBMI2 and VPOPCNTDQ, written with older instructions. Included before the sources
 * of the table and of its choice, for programs of make check (tests/emulated) and for a build of
 * its own (scripts/test_cross.sh). */
#ifndef INK_TESTS_VBMI2_H
#define INK_TESTS_VBMI2_H

#include <cpuid.h>
#include <immintrin.h>
#include <stdint.h>

#define OLDER __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,popcnt,bmi")))

static inline OLDER __m512i older_compress_epi8(uint64_t mask, __m512i from)
{
    uint8_t bytes[64], kept[64] = {0};
    int     count = 0;

    _mm512_storeu_si512(bytes, from);
    for (; mask != 0; mask &= mask - 1)
        kept[count++] = bytes[__builtin_ctzll(mask)];
    return _mm512_loadu_si512(kept);
}

static inline OLDER __m512i older_popcnt_epi64(__m512i from)
{
    uint64_t words[8];

    _mm512_storeu_si512(words, from);
    for (int i = 0; i < 8; i++)
        words[i] = (uint64_t)__builtin_popcountll(words[i]);
    return _mm512_loadu_si512(words);
}

static inline OLDER __m512i older_popcnt_epi32(__m512i from)
{
    uint32_t words[16];

    _mm512_storeu_si512(words, from);
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)__builtin_popcount(words[i]);
    return _mm512_loadu_si512(words);
}

/* Byte i of a word is the 8 bits of that of `from` from the bit on that byte i of `shifts` names.
 */
static inline OLDER __m256i older_multishift(__m256i shifts, __m256i from)
{
    uint8_t  at[32], bytes[32];
    uint64_t words[4];

    _mm256_storeu_si256((__m256i *)(void *)at, shifts);
    _mm256_storeu_si256((__m256i *)(void *)words, from);
    for (int i = 0; i < 32; i++) {
        uint64_t word = words[i / 8];
        unsigned by = at[i] & 63;
        bytes[i] = (uint8_t)(word >> by | word << (64 - by) % 64);
    }
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* VBMI, VBMI2 and VPOPCNTDQ are there (leaf 7, ecx) where AVX512BW is (ebx). */
static inline int older_cpuid_count(unsigned leaf, unsigned part, unsigned *eax, unsigned *ebx,
                                    unsigned *ecx, unsigned *edx)
{
    int known = __get_cpuid_count(leaf, part, eax, ebx, ecx, edx);

    if (known && leaf == 7 && (*ebx & 1u << 30) != 0)
        *ecx |= 1u << 1 | 1u << 6 | 1u << 14;
    return known;
}

#define _mm512_maskz_compress_epi8 older_compress_epi8
#define _mm256_multishift_epi64_epi8 older_multishift
#define _mm512_popcnt_epi64 older_popcnt_epi64
#define _mm512_popcnt_epi32 older_popcnt_epi32
#define __get_cpuid_count older_cpuid_count
/* The compiler may not use newer instructions either. */
#define target(features) target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,popcnt,bmi,bmi2")

#endif
