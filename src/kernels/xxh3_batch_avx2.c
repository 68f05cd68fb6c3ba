/* xxh3_batch_avx2.c - XXH3-64 of four keys at a time with AVX2. Words of keys are loaded one by
 * one: a gather is slower on processors whose gathers were mended. No byte outside of a key is
 * read, unless between the keys of one array. Wide products are made of narrow ones. The values are
 * those of the library. */
#if defined(__x86_64__)

#include "base/bits.h"
#include "kernels/xxh3_batch.h"
#include "kernels/xxh3_short.h"

#include <immintrin.h>
#include <stdbool.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE AVX2 static inline __attribute__((always_inline))

enum { LANES = 4 };

/* What words of keys are XORed with, four times each. Made once, and read from memory: made where
 * they are used, they take as long as a product. */
typedef struct flips {
    __m256i of_4_to_8, first_of_16, last_of_16;
    __m256i words[4]; /* of longer keys: the first two and the last two */
} flips;

/* Four keys: where they start, where they end, and how long they are. */
typedef struct four_keys {
    const uint8_t  *bytes;
    const uint64_t *starts, *ends;
    __m256i         lengths;
} four_keys;

AVX2_INLINE __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

AVX2_INLINE __m256i all_of(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

/* The words at four positions, plus `more`. */
AVX2_INLINE __m256i words_at(const uint8_t *bytes, const uint64_t *positions, int64_t more)
{
#define AT(i) (const void *)(ink__key_at(bytes, positions[i]) + more)
    __m128d low = _mm_loadh_pd(_mm_castsi128_pd(_mm_loadl_epi64(AT(0))), AT(1));
    __m128d high = _mm_loadh_pd(_mm_castsi128_pd(_mm_loadl_epi64(AT(2))), AT(3));

    return _mm256_castpd_si256(_mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1));
#undef AT
}

/* The same for 32 bits, which become 64. */
AVX2_INLINE __m256i halves_at(const uint8_t *bytes, const uint64_t *positions, int64_t more)
{
#define AT(i) (int)ink__load_u32(ink__key_at(bytes, positions[i]) + more)
    __m128i low = _mm_insert_epi32(_mm_cvtsi32_si128(AT(0)), AT(1), 2);
    __m128i high = _mm_insert_epi32(_mm_cvtsi32_si128(AT(2)), AT(3), 2);

    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
#undef AT
}

/* Two words at each of four positions, plus `more`. */
AVX2_INLINE void pairs_at(const uint8_t *bytes, const uint64_t *positions, int64_t more,
                          __m256i *first, __m256i *second)
{
#define AT(i) (const void *)(ink__key_at(bytes, positions[i]) + more)
    __m256i even = _mm256_loadu2_m128i(AT(2), AT(0)), odd = _mm256_loadu2_m128i(AT(3), AT(1));

    *first = _mm256_unpacklo_epi64(even, odd);
    *second = _mm256_unpackhi_epi64(even, odd);
#undef AT
}

/* Upper halves, moved to where products take them from, on a port that these leave alone. */
AVX2_INLINE __m256i upper(__m256i words)
{
    return _mm256_shuffle_epi32(words, 0xf5);
}

/* The two halves of the 128-bit products, folded. */
AVX2_INLINE __m256i folded_products(__m256i a, __m256i b)
{
    __m256i a_high = upper(a), b_high = upper(b), none = _mm256_setzero_si256();
    __m256i low = _mm256_mul_epu32(a, b), high = _mm256_mul_epu32(a_high, b_high);
    __m256i left = _mm256_add_epi64(_mm256_mul_epu32(a_high, b), _mm256_srli_epi64(low, 32));
    __m256i right =
        _mm256_add_epi64(_mm256_mul_epu32(a, b_high), _mm256_blend_epi32(left, none, 0xaa));

    high = _mm256_add_epi64(
        high, _mm256_add_epi64(_mm256_srli_epi64(left, 32), _mm256_srli_epi64(right, 32)));
    /* The lower halves of `right` are the upper ones of the lower words. */
    low = _mm256_blend_epi32(low, _mm256_shuffle_epi32(right, 0xa0), 0xaa);
    return _mm256_xor_si256(low, high);
}

/* The low halves of products; that of the high words does not count. */
AVX2_INLINE __m256i multiply(__m256i x, uint64_t by)
{
    const __m256i low = all_of(by & 0xffffffff), high = all_of(by >> 32);
    __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(x, high), _mm256_mul_epu32(upper(x), low));

    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(crossed, 32));
}

AVX2_INLINE __m256i folded(__m256i hash, int bits)
{
    return _mm256_xor_si256(hash, _mm256_srli_epi64(hash, bits));
}

AVX2_INLINE __m256i avalanche(__m256i hash)
{
    return folded(multiply(folded(hash, 37), INK__XXH3_PRIME_MX1), 32);
}

AVX2_INLINE __m256i swapped(__m256i words)
{
    const __m256i order = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7,
                                           6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);

    return _mm256_shuffle_epi8(words, order);
}

AVX2_INLINE __m256i rotated(__m256i words, int bits)
{
    return _mm256_or_si256(_mm256_slli_epi64(words, bits), _mm256_srli_epi64(words, 64 - bits));
}

AVX2 static flips flips_of(uint64_t seed)
{
    return (flips){
        all_of(ink__xxh3_flip_4_to_8(seed)),
        all_of((INK__XXH3_SECRET_24 ^ INK__XXH3_SECRET_32) + seed),
        all_of((INK__XXH3_SECRET_40 ^ INK__XXH3_SECRET_48) - seed),
        {all_of(INK__XXH3_SECRET_0 + seed), all_of(INK__XXH3_SECRET_8 - seed),
         all_of(INK__XXH3_SECRET_16 + seed), all_of(INK__XXH3_SECRET_24 - seed)},
    };
}

AVX2_INLINE __m256i hash_4_to_8(const four_keys *keys, const flips *flip)
{
    __m256i high = halves_at(keys->bytes, keys->starts, 0);
    __m256i low = halves_at(keys->bytes, keys->ends, -4);
    __m256i hash =
        _mm256_xor_si256(_mm256_or_si256(low, _mm256_slli_epi64(high, 32)), flip->of_4_to_8);

    hash = _mm256_xor_si256(hash, _mm256_xor_si256(rotated(hash, 49), rotated(hash, 24)));
    hash = multiply(hash, INK__XXH3_PRIME_MX2);
    hash = _mm256_xor_si256(hash, _mm256_add_epi64(_mm256_srli_epi64(hash, 35), keys->lengths));
    return folded(multiply(hash, INK__XXH3_PRIME_MX2), 28);
}

AVX2_INLINE __m256i hash_9_to_16(const four_keys *keys, const flips *flip)
{
    __m256i low = _mm256_xor_si256(words_at(keys->bytes, keys->starts, 0), flip->first_of_16);
    __m256i high = _mm256_xor_si256(words_at(keys->bytes, keys->ends, -8), flip->last_of_16);
    __m256i sum = _mm256_add_epi64(_mm256_add_epi64(keys->lengths, swapped(low)), high);

    return avalanche(_mm256_add_epi64(sum, folded_products(low, high)));
}

/* The product of two words of a key, each XORed with its own word. */
AVX2_INLINE __m256i mixed(__m256i a, __m256i b, const __m256i *with)
{
    return folded_products(_mm256_xor_si256(a, with[0]), _mm256_xor_si256(b, with[1]));
}

/* Lengths times a prime; they are below 2^32. */
AVX2_INLINE __m256i scaled(__m256i lengths)
{
    const uint64_t prime = INK__XXH3_PRIME64_1;

    return _mm256_add_epi64(_mm256_mul_epu32(lengths, all_of(prime & 0xffffffff)),
                            _mm256_slli_epi64(_mm256_mul_epu32(lengths, all_of(prime >> 32)), 32));
}

AVX2_INLINE __m256i hash_17_to_32(const four_keys *keys, const flips *flip)
{
    __m256i first, second, before, last;

    pairs_at(keys->bytes, keys->starts, 0, &first, &second);
    pairs_at(keys->bytes, keys->ends, -16, &before, &last);
    __m256i hash = mixed(first, second, flip->words);
    __m256i more = mixed(before, last, flip->words + 2);
    return avalanche(_mm256_add_epi64(_mm256_add_epi64(scaled(keys->lengths), hash), more));
}

/* The first two words and the last two of four keys of 9 to 32 bytes. Of those of up to 16 only the
 * first and the last count. */
typedef struct end_words {
    __m256i first, second, before, last;
} end_words;

/* Reads 16 bytes at either end of a key, those of its neighbours among them. */
AVX2_INLINE end_words words_with_neighbours(const four_keys *keys)
{
    end_words words;

    pairs_at(keys->bytes, keys->starts, 0, &words.first, &words.second);
    pairs_at(keys->bytes, keys->ends, -16, &words.before, &words.last);
    return words;
}

/* Reads keys alone: what does not count is another word of the same key. */
AVX2_INLINE end_words words_alone(const four_keys *keys)
{
    const __m256i eight = all_of(8);
    __m256i       second = _mm256_min_epi32(eight, _mm256_sub_epi64(keys->lengths, eight));
    __m256i       before = _mm256_min_epi32(keys->lengths, all_of(16));
    uint64_t      second_at[LANES], before_at[LANES];

    _mm256_storeu_si256((void *)second_at, _mm256_add_epi64(load(keys->starts), second));
    _mm256_storeu_si256((void *)before_at, _mm256_sub_epi64(load(keys->ends), before));
    return (end_words){words_at(keys->bytes, keys->starts, 0), words_at(keys->bytes, second_at, 0),
                       words_at(keys->bytes, before_at, 0), words_at(keys->bytes, keys->ends, -8)};
}

/* Keys of both these ranges. The shorter ones have one product, of their first and last words;
 * longer ones two, of their first two words and their last two. */
AVX2_INLINE __m256i hash_9_to_32(const end_words *words, __m256i lengths, const flips *flip)
{
    const __m256i wide = _mm256_cmpgt_epi64(lengths, all_of(16));
    __m256i       first =
        _mm256_xor_si256(words->first, _mm256_blendv_epi8(flip->first_of_16, flip->words[0], wide));
    __m256i second = _mm256_xor_si256(_mm256_blendv_epi8(words->last, words->second, wide),
                                      _mm256_blendv_epi8(flip->last_of_16, flip->words[1], wide));
    __m256i less = _mm256_add_epi64(_mm256_add_epi64(swapped(first), second), lengths);
    __m256i more =
        _mm256_add_epi64(mixed(words->before, words->last, flip->words + 2), scaled(lengths));

    return avalanche(
        _mm256_add_epi64(folded_products(first, second), _mm256_blendv_epi8(less, more, wide)));
}

/* ---- Batches ------------------------------------------------------------------------------ */

typedef struct key_batch {
    const uint8_t  *bytes;
    const uint64_t *starts, *ends;
    size_t          count;
    /* Between the first key and the last of one array every byte may be read: keys that start and
     * end within these have 16 bytes at either end. No key of separate objects has. */
    uint64_t  start_most, end_least;
    uint64_t *hashes;
} key_batch;

/* Whether no number has its top bit. */
AVX2_INLINE bool none_negative(__m256i numbers)
{
    return _mm256_movemask_pd(_mm256_castsi256_pd(numbers)) == 0;
}

/* Negative where a length is not `least` to `most`. */
AVX2_INLINE __m256i outside(__m256i lengths, uint64_t least, uint64_t most)
{
    return _mm256_or_si256(_mm256_sub_epi64(lengths, all_of(least)),
                           _mm256_sub_epi64(all_of(most), lengths));
}

/* Negative where 16 bytes at either end of a key are not all among those of the batch. */
AVX2_INLINE __m256i at_edges(const key_batch *batch, size_t i)
{
    return _mm256_or_si256(_mm256_sub_epi64(all_of(batch->start_most), load(batch->starts + i)),
                           _mm256_sub_epi64(load(batch->ends + i), all_of(batch->end_least)));
}

/* Hashes keys from number `first` on, four at a time, while the four are of one range of lengths.
 * Returns the number of the first that is not hashed. */
AVX2 static size_t hash_fours(const key_batch *given, size_t first, const flips *flip)
{
    const key_batch batch = *given; /* which storing hashes does not change */
    size_t          i = first;

    for (; i + LANES <= batch.count; i += LANES) {
        const four_keys keys = {batch.bytes, batch.starts + i, batch.ends + i,
                                _mm256_sub_epi64(load(batch.ends + i), load(batch.starts + i))};
        __m256i         hash;
        if (none_negative(outside(keys.lengths, 17, 32)))
            hash = hash_17_to_32(&keys, flip);
        else if (none_negative(outside(keys.lengths, 9, 16)))
            hash = hash_9_to_16(&keys, flip);
        else if (none_negative(outside(keys.lengths, 9, 32))) {
            const end_words words = none_negative(at_edges(&batch, i))
                                        ? words_with_neighbours(&keys)
                                        : words_alone(&keys);
            hash = hash_9_to_32(&words, keys.lengths, flip);
        } else if (none_negative(outside(keys.lengths, 4, 8)))
            hash = hash_4_to_8(&keys, flip);
        else
            break;
        _mm256_storeu_si256((void *)(batch.hashes + i), hash);
    }
    return i;
}

/* The keys that end a long run of fours go alone, others together with those that follow. */
enum { LONG_RUN = 32 };

AVX2 void ink__xxh3_batch_avx2(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                               size_t count, uint64_t seed, uint64_t *hashes)
{
    key_batch   batch = {bytes, starts, ends, count, 0, INT64_MAX, hashes};
    const flips flip = flips_of(seed);

    if (bytes != NULL && count > 0 && ends[count - 1] >= 16) {
        batch.start_most = ends[count - 1] - 16;
        batch.end_least = starts[0] + 16;
    }
    for (size_t done = 0, some; done < count; done += some) {
        size_t run = hash_fours(&batch, done, &flip) - done;
        done += run;
        some = run >= LONG_RUN ? LANES : INK__XXH3_BATCH_MAX - run;
        some = count - done < some ? count - done : some;
        ink__xxh3_batch_scalar(bytes, starts + done, ends + done, some, seed, hashes + done);
    }
}

#else
typedef int ink__no_xxh3_avx2_here; /* a file may not be empty */
#endif
