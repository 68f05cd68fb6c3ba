/* xxh3_avx512.h - XXH3-64 of eight keys at a time with AVX-512, for machines that have it: chosen
 * at run time by xxh3.c. The words of keys are gathered and never a byte outside of them; the wide
 * products, which vectors do not have, are made of four narrow ones. The values are those of the
 * library. */
#ifndef INK_HASH_XXH3_AVX512_H
#define INK_HASH_XXH3_AVX512_H

#if defined(__x86_64__)

#include "hash/xxh3.h"
#include "hash/xxh3_short.h"

#include <immintrin.h>
#include <stdbool.h>

#define INK__AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

enum { INK__XXH3_LANES = 8 };

/* Keys that are hashed together: where they start, and how long they are. */
typedef struct ink__xxh3_lanes {
    const uint8_t *bytes;
    __m512i        starts, lengths;
    __mmask8       there; /* which lanes have one */
} ink__xxh3_lanes;

INK__AVX512 static inline __m512i ink__all_512(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* The words at these places; 0 in lanes that `where` leaves out, of which nothing is read. */
INK__AVX512 static inline __m512i ink__words_512(const uint8_t *bytes, __m512i places,
                                                 __mmask8 where)
{
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), where, places, bytes, 1);
}

/* The two halves of the 128-bit products, folded. */
INK__AVX512 static inline __m512i ink__folded_512(__m512i a, __m512i b)
{
    /* Upper halves, moved to where products take them from. */
    __m512i a_high = _mm512_shuffle_epi32(a, _MM_PERM_DDBB);
    __m512i b_high = _mm512_shuffle_epi32(b, _MM_PERM_DDBB);
    __m512i low = _mm512_mul_epu32(a, b), high = _mm512_mul_epu32(a_high, b_high);
    __m512i left = _mm512_add_epi64(_mm512_mul_epu32(a_high, b), _mm512_srli_epi64(low, 32));
    __m512i right = _mm512_add_epi64(_mm512_mul_epu32(a, b_high),
                                     _mm512_and_si512(left, ink__all_512(0xffffffff)));

    high = _mm512_add_epi64(
        high, _mm512_add_epi64(_mm512_srli_epi64(left, 32), _mm512_srli_epi64(right, 32)));
    /* The lower halves of `right` are the upper ones of the lower words. */
    low = _mm512_mask_shuffle_epi32(low, 0xaaaa, right, _MM_PERM_CCAA);
    return _mm512_xor_si512(low, high);
}

INK__AVX512 static inline __m512i ink__avalanche_512(__m512i hash)
{
    hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 37));
    hash = _mm512_mullo_epi64(hash, ink__all_512(INK__XXH3_PRIME_MX1));
    return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
}

INK__AVX512 static inline __m512i ink__swapped_512(__m512i words)
{
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));

    return _mm512_shuffle_epi8(words, order);
}

/* Keys of 4 to 8 bytes. */
INK__AVX512 static inline __m512i ink__xxh3_4_to_8_512(const ink__xxh3_lanes *keys, uint64_t seed)
{
    __m512i last = _mm512_sub_epi64(_mm512_add_epi64(keys->starts, keys->lengths), ink__all_512(4));
    __m256i none = _mm256_setzero_si256();
    __m512i high = _mm512_cvtepu32_epi64(
        _mm512_mask_i64gather_epi32(none, keys->there, keys->starts, keys->bytes, 1));
    __m512i low =
        _mm512_cvtepu32_epi64(_mm512_mask_i64gather_epi32(none, keys->there, last, keys->bytes, 1));
    __m512i prime = ink__all_512(INK__XXH3_PRIME_MX2);
    __m512i hash = _mm512_xor_si512(_mm512_or_si512(low, _mm512_slli_epi64(high, 32)),
                                    ink__all_512(ink__xxh3_flip_4_to_8(seed)));

    hash = _mm512_ternarylogic_epi64(hash, _mm512_rol_epi64(hash, 49), _mm512_rol_epi64(hash, 24),
                                     0x96);
    hash = _mm512_mullo_epi64(hash, prime);
    hash = _mm512_xor_si512(hash, _mm512_add_epi64(_mm512_srli_epi64(hash, 35), keys->lengths));
    hash = _mm512_mullo_epi64(hash, prime);
    return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 28));
}

/* Keys of 9 to 32 bytes. Those of up to 16 have one product, of their first and last words; longer
 * ones two, of their first two words and their last two. */
INK__AVX512 static inline __m512i ink__xxh3_9_to_32_512(const ink__xxh3_lanes *keys, uint64_t seed)
{
    const uint8_t *bytes = keys->bytes;
    __m512i        ends = _mm512_add_epi64(keys->starts, keys->lengths);
    __mmask8 wide = _mm512_mask_cmpgt_epu64_mask(keys->there, keys->lengths, ink__all_512(16));
    __m512i  last = ink__words_512(bytes, _mm512_sub_epi64(ends, ink__all_512(8)), keys->there);
    __m512i  first = ink__words_512(bytes, keys->starts, keys->there);
    __m512i  second = _mm512_mask_i64gather_epi64(last, wide, keys->starts, bytes + 8, 1);
    __m512i  flip =
        _mm512_mask_mov_epi64(ink__all_512((INK__XXH3_SECRET_24 ^ INK__XXH3_SECRET_32) + seed),
                              wide, ink__all_512(INK__XXH3_SECRET_0 + seed));
    __m512i other_flip =
        _mm512_mask_mov_epi64(ink__all_512((INK__XXH3_SECRET_40 ^ INK__XXH3_SECRET_48) - seed),
                              wide, ink__all_512(INK__XXH3_SECRET_8 - seed));

    first = _mm512_xor_si512(first, flip);
    second = _mm512_xor_si512(second, other_flip);
    __m512i hash = ink__folded_512(first, second);
    __m512i more =
        _mm512_add_epi64(_mm512_add_epi64(ink__swapped_512(first), second), keys->lengths);
    if (wide != 0) {
        __m512i before = ink__words_512(bytes, _mm512_sub_epi64(ends, ink__all_512(16)), wide);
        __m512i product =
            ink__folded_512(_mm512_xor_si512(before, ink__all_512(INK__XXH3_SECRET_16 + seed)),
                            _mm512_xor_si512(last, ink__all_512(INK__XXH3_SECRET_24 - seed)));
        __m512i scaled = _mm512_mullo_epi64(keys->lengths, ink__all_512(INK__XXH3_PRIME64_1));
        more = _mm512_mask_add_epi64(more, wide, product, scaled);
    }
    return ink__avalanche_512(_mm512_add_epi64(hash, more));
}

/* ---- Batches ------------------------------------------------------------------------------ */

typedef struct ink__xxh3_batch_512 {
    const uint8_t  *bytes;
    const uint64_t *starts, *ends;
    uint64_t        seed;
    uint64_t       *hashes;
} ink__xxh3_batch_512;

/* The lanes that have a key when `left` are left. */
INK__AVX512 static inline __mmask8 ink__lanes_512(size_t left)
{
    return (__mmask8)(left >= INK__XXH3_LANES ? 0xffu : (1u << left) - 1);
}

/* The keys from number `first` on. */
INK__AVX512 static inline ink__xxh3_lanes ink__keys_512(const ink__xxh3_batch_512 *batch,
                                                        size_t first, __mmask8 there)
{
    __m512i starts = _mm512_maskz_loadu_epi64(there, batch->starts + first);
    __m512i ends = _mm512_maskz_loadu_epi64(there, batch->ends + first);

    return (ink__xxh3_lanes){batch->bytes, starts, _mm512_sub_epi64(ends, starts), there};
}

/* The keys whose numbers are these. */
INK__AVX512 static inline ink__xxh3_lanes ink__keys_at_512(const ink__xxh3_batch_512 *batch,
                                                           __m512i numbers, __mmask8 there)
{
    const __m512i none = _mm512_setzero_si512();
    __m512i       starts = _mm512_mask_i64gather_epi64(none, there, numbers, batch->starts, 8);
    __m512i       ends = _mm512_mask_i64gather_epi64(none, there, numbers, batch->ends, 8);

    return (ink__xxh3_lanes){batch->bytes, starts, _mm512_sub_epi64(ends, starts), there};
}

/* Which of these keys have `least` to `most` bytes. */
INK__AVX512 static inline __mmask8 ink__keys_of_512(const ink__xxh3_lanes *keys, uint64_t least,
                                                    uint64_t most)
{
    return _mm512_mask_cmple_epu64_mask(keys->there,
                                        _mm512_sub_epi64(keys->lengths, ink__all_512(least)),
                                        ink__all_512(most - least));
}

/* Numbers of keys by their lengths; there is room for eight more than there can be. */
typedef struct ink__xxh3_lists {
    uint64_t shorter[INK__XXH3_BATCH_MAX + INK__XXH3_LANES]; /* 4 to 8 bytes */
    uint64_t longer[INK__XXH3_BATCH_MAX + INK__XXH3_LANES];  /* 9 to 32 */
    uint64_t other[INK__XXH3_BATCH_MAX + INK__XXH3_LANES];
    size_t   shorter_count, longer_count, other_count;
} ink__xxh3_lists;

INK__AVX512 static inline size_t ink__list_512(uint64_t *list, size_t count, __mmask8 which,
                                               __m512i numbers)
{
    _mm512_storeu_si512(list + count, _mm512_maskz_compress_epi64(which, numbers));
    return count + (size_t)__builtin_popcount(which);
}

/* Lists at most INK__XXH3_BATCH_MAX keys. */
INK__AVX512 static inline void ink__xxh3_list_512(const ink__xxh3_batch_512 *batch, size_t count,
                                                  ink__xxh3_lists *lists)
{
    __m512i numbers = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

    lists->shorter_count = lists->longer_count = lists->other_count = 0;
    for (size_t i = 0; i < count; i += INK__XXH3_LANES) {
        ink__xxh3_lanes keys = ink__keys_512(batch, i, ink__lanes_512(count - i));
        __mmask8        shorter = ink__keys_of_512(&keys, 4, 8);
        __mmask8        longer = ink__keys_of_512(&keys, 9, 32);
        __mmask8        other = (__mmask8)(keys.there ^ (shorter | longer));
        lists->shorter_count =
            ink__list_512(lists->shorter, lists->shorter_count, shorter, numbers);
        lists->longer_count = ink__list_512(lists->longer, lists->longer_count, longer, numbers);
        lists->other_count = ink__list_512(lists->other, lists->other_count, other, numbers);
        numbers = _mm512_add_epi64(numbers, ink__all_512(INK__XXH3_LANES));
    }
}

/* Functions for keys of `least` to `most` bytes. The first hashes eight keys if all are such ones,
 * and tells whether. The second hashes the keys that a batch begins with, as long as eight after
 * eight are such ones, and returns how many it has hashed: for batches where all are alike. (Its
 * copy of the batch can be seen not to change when hashes are written.) The third hashes those that
 * are listed. */
#define INK__XXH3_RANGE(least, most)                                                               \
    INK__AVX512 static inline bool ink__xxh3_eight_##least##_to_##most##_512(                      \
        const ink__xxh3_batch_512 *batch, size_t first, __mmask8 there)                            \
    {                                                                                              \
        ink__xxh3_lanes keys = ink__keys_512(batch, first, there);                                 \
        if (ink__keys_of_512(&keys, least, most) != there)                                         \
            return false;                                                                          \
        _mm512_mask_storeu_epi64(batch->hashes + first, there,                                     \
                                 ink__xxh3_##least##_to_##most##_512(&keys, batch->seed));         \
        return true;                                                                               \
    }                                                                                              \
    INK__AVX512 static inline size_t ink__xxh3_first_##least##_to_##most##_512(                    \
        const ink__xxh3_batch_512 *given, size_t count)                                            \
    {                                                                                              \
        const ink__xxh3_batch_512 same = *given, *batch = &same;                                   \
        size_t                    i = 0;                                                           \
        for (; count - i >= INK__XXH3_LANES; i += INK__XXH3_LANES)                                 \
            if (!ink__xxh3_eight_##least##_to_##most##_512(batch, i, 0xff))                        \
                return i;                                                                          \
        bool last =                                                                                \
            ink__xxh3_eight_##least##_to_##most##_512(batch, i, ink__lanes_512(count - i));        \
        return last ? count : i;                                                                   \
    }                                                                                              \
    INK__AVX512 static inline void ink__xxh3_listed_##least##_to_##most##_512(                     \
        const ink__xxh3_batch_512 *batch, const uint64_t *list, size_t count)                      \
    {                                                                                              \
        for (size_t i = 0; i < count; i += INK__XXH3_LANES) {                                      \
            __m512i         numbers = _mm512_loadu_si512(list + i);                                \
            ink__xxh3_lanes keys = ink__keys_at_512(batch, numbers, ink__lanes_512(count - i));    \
            _mm512_mask_i64scatter_epi64(batch->hashes, keys.there, numbers,                       \
                                         ink__xxh3_##least##_to_##most##_512(&keys, batch->seed),  \
                                         8);                                                       \
        }                                                                                          \
    }
INK__XXH3_RANGE(4, 8)
INK__XXH3_RANGE(9, 32)

#endif

#endif
