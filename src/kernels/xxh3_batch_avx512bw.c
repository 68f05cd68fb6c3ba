/* xxh3_batch_avx512bw.c - XXH3-64 of eight keys at a time for processors that have AVX-512, but
 * slow gathers (Skylake, Cascade Lake): 16 bytes are loaded at either end of each key. Keys of 9 to
 * 32 bytes; others are left to AVX2. The values are those of the library. */
#if defined(__x86_64__)

#include "kernels/xxh3_avx512.h"
#include "kernels/xxh3_batch.h"
#include "kernels/xxh3_short.h"

#include <stdbool.h>

enum { LANES = 8 };

/* What words of keys are XORed with, eight times each: read from memory, see xxh3_batch_avx2.c. */
typedef struct flips {
    __m512i first_of_16, last_of_16;
    __m512i words[4]; /* of longer keys: the first two and the last two */
} flips;

/* Two words at each of eight positions, plus `more`. */
INK__XXH3_AVX512 static inline void pairs_at(const uint8_t *bytes, const uint64_t *positions,
                                             int64_t more, __m512i *first, __m512i *second)
{
#define AT(i) _mm_loadu_si128((const void *)(ink__key_at(bytes, positions[i]) + more))
#define FOUR(a, b, c, d)                                                                           \
    _mm512_inserti32x4(                                                                            \
        _mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi128_si512(AT(a)), AT(b), 1), AT(c), 2), \
        AT(d), 3)
    __m512i even = FOUR(0, 2, 4, 6), odd = FOUR(1, 3, 5, 7);

    *first = _mm512_unpacklo_epi64(even, odd);
    *second = _mm512_unpackhi_epi64(even, odd);
#undef FOUR
#undef AT
}

INK__XXH3_AVX512 static inline __m512i mixed(__m512i a, __m512i b, const __m512i *with)
{
    return ink__folded_products(_mm512_xor_si512(a, with[0]), _mm512_xor_si512(b, with[1]));
}

/* Which lengths are `least` to `most`. */
INK__XXH3_AVX512 static inline __mmask8 within(__m512i lengths, uint64_t least, uint64_t most)
{
    return _mm512_cmple_epu64_mask(_mm512_sub_epi64(lengths, ink__eight_of(least)),
                                   ink__eight_of(most - least));
}

/* Keys of 9 to 32 bytes, of which `wide` have more than 16. Those that have not have one product,
 * of their first and last words; the others two, of their first two words and their last two. */
INK__XXH3_AVX512 static inline __m512i hash_eight(const uint8_t *bytes, const uint64_t *starts,
                                                  const uint64_t *ends, __m512i lengths,
                                                  __mmask8 wide, const flips *flip)
{
    __m512i first, second, before, last;

    pairs_at(bytes, starts, 0, &first, &second);
    pairs_at(bytes, ends, -16, &before, &last);
    __m512i more =
        _mm512_add_epi64(mixed(before, last, flip->words + 2),
                         _mm512_mullo_epi64(lengths, ink__eight_of(INK__XXH3_PRIME64_1)));
    if (wide != 0xff) {
        first =
            _mm512_xor_si512(first, _mm512_mask_mov_epi64(flip->first_of_16, wide, flip->words[0]));
        second = _mm512_xor_si512(_mm512_mask_mov_epi64(last, wide, second),
                                  _mm512_mask_mov_epi64(flip->last_of_16, wide, flip->words[1]));
        __m512i less =
            _mm512_add_epi64(_mm512_add_epi64(ink__swapped_eight(first), second), lengths);
        more = _mm512_add_epi64(ink__folded_products(first, second),
                                _mm512_mask_mov_epi64(less, wide, more));
    } else
        more = _mm512_add_epi64(mixed(first, second, flip->words), more);
    return ink__avalanche_eight(more);
}

/* Hashes the first keys, eight at a time, while all have 9 to 32 bytes and 16 bytes at either end
 * may be read: those of longer keys, and those from byte `from` up to `to`. Returns how many. */
INK__XXH3_AVX512 static size_t hash_eights(const uint8_t *bytes, const uint64_t *starts,
                                           const uint64_t *ends, size_t count, uint64_t from,
                                           uint64_t to, const flips *flip, uint64_t *hashes)
{
    size_t i = 0;

    for (; i + LANES <= count; i += LANES) {
        __m512i  start = _mm512_loadu_si512(starts + i), end = _mm512_loadu_si512(ends + i);
        __m512i  lengths = _mm512_sub_epi64(end, start);
        __mmask8 wide = within(lengths, 17, 32);
        if (wide != 0xff) {
            __mmask8 fits = within(lengths, 9, 16);
            fits = _mm512_mask_cmple_epu64_mask(fits, _mm512_add_epi64(start, ink__eight_of(16)),
                                                ink__eight_of(to));
            fits = _mm512_mask_cmple_epu64_mask(fits, ink__eight_of(from + 16), end);
            if ((fits | wide) != 0xff)
                break;
        }
        _mm512_storeu_si512(hashes + i,
                            hash_eight(bytes, starts + i, ends + i, lengths, wide, flip));
    }
    return i;
}

/* The keys that end a long run of eights go alone, others together with those that follow. */
enum { LONG_RUN = 32 };

INK__XXH3_AVX512 void ink__xxh3_batch_avx512bw(const uint8_t *bytes, const uint64_t *starts,
                                               const uint64_t *ends, size_t count, uint64_t seed,
                                               uint64_t *hashes)
{
    const bool  one_array = bytes != NULL && count > 0;
    const flips flip = {
        ink__eight_of((INK__XXH3_SECRET_24 ^ INK__XXH3_SECRET_32) + seed),
        ink__eight_of((INK__XXH3_SECRET_40 ^ INK__XXH3_SECRET_48) - seed),
        {ink__eight_of(INK__XXH3_SECRET_0 + seed), ink__eight_of(INK__XXH3_SECRET_8 - seed),
         ink__eight_of(INK__XXH3_SECRET_16 + seed), ink__eight_of(INK__XXH3_SECRET_24 - seed)},
    };

    for (size_t done = 0, some; done < count; done += some) {
        size_t run =
            hash_eights(bytes, starts + done, ends + done, count - done, one_array ? starts[0] : 0,
                        one_array ? ends[count - 1] : 0, &flip, hashes + done);
        done += run;
        some = run >= LONG_RUN ? LANES : INK__XXH3_BATCH_MAX - run;
        some = count - done < some ? count - done : some;
        ink__xxh3_batch_avx2(bytes, starts + done, ends + done, some, seed, hashes + done);
    }
}

#else
typedef int ink__no_xxh3_avx512bw_here; /* a file may not be empty */
#endif
