/* xxh3_batch_avx512.c - XXH3-64 of eight keys at a time with AVX-512. The words of keys are
 * gathered, never a byte outside of them; a 128-bit product is made of four narrow ones. The values
 * are those of the library. */
#if defined(__x86_64__)

#include "kernels/xxh3_avx512.h"
#include "kernels/xxh3_batch.h"
#include "kernels/xxh3_short.h"

#include <stdbool.h>

#define AVX512 INK__XXH3_AVX512

enum { LANES = 8 };

/* Keys that are hashed together: where they start, and how long they are. */
typedef struct lanes {
    const uint8_t *bytes;
    __m512i        starts, lengths;
    __mmask8       there; /* which lanes have one */
} lanes;

/* The words at these positions; 0, without a read, in lanes that `where` leaves out. */
AVX512 static inline __m512i words_at(const uint8_t *bytes, __m512i positions, __mmask8 where)
{
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), where, positions, bytes, 1);
}

/* Keys of 4 to 8 bytes. */
AVX512 static inline __m512i hash_4_to_8(const lanes *keys, uint64_t seed)
{
    __m512i last =
        _mm512_sub_epi64(_mm512_add_epi64(keys->starts, keys->lengths), ink__eight_of(4));
    __m256i none = _mm256_setzero_si256();
    __m512i high = _mm512_cvtepu32_epi64(
        _mm512_mask_i64gather_epi32(none, keys->there, keys->starts, keys->bytes, 1));
    __m512i low =
        _mm512_cvtepu32_epi64(_mm512_mask_i64gather_epi32(none, keys->there, last, keys->bytes, 1));
    __m512i prime = ink__eight_of(INK__XXH3_PRIME_MX2);
    __m512i hash = _mm512_xor_si512(_mm512_or_si512(low, _mm512_slli_epi64(high, 32)),
                                    ink__eight_of(ink__xxh3_flip_4_to_8(seed)));

    hash = _mm512_ternarylogic_epi64(hash, _mm512_rol_epi64(hash, 49), _mm512_rol_epi64(hash, 24),
                                     0x96);
    hash = _mm512_mullo_epi64(hash, prime);
    hash = _mm512_xor_si512(hash, _mm512_add_epi64(_mm512_srli_epi64(hash, 35), keys->lengths));
    hash = _mm512_mullo_epi64(hash, prime);
    return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 28));
}

/* Keys of 9 to 32 bytes. Those of up to 16 have one product, of their first and last words; longer
 * ones two, of their first two words and their last two. */
AVX512 static inline __m512i hash_9_to_32(const lanes *keys, uint64_t seed)
{
    const uint8_t *bytes = keys->bytes;
    __m512i        ends = _mm512_add_epi64(keys->starts, keys->lengths);
    __mmask8 wide = _mm512_mask_cmpgt_epu64_mask(keys->there, keys->lengths, ink__eight_of(16));
    __m512i  last = words_at(bytes, _mm512_sub_epi64(ends, ink__eight_of(8)), keys->there);
    __m512i  first = words_at(bytes, keys->starts, keys->there);
    __m512i  second = _mm512_mask_i64gather_epi64(
         last, wide, _mm512_add_epi64(keys->starts, ink__eight_of(8)), bytes, 1);
    __m512i flip =
        _mm512_mask_mov_epi64(ink__eight_of((INK__XXH3_SECRET_24 ^ INK__XXH3_SECRET_32) + seed),
                              wide, ink__eight_of(INK__XXH3_SECRET_0 + seed));
    __m512i other_flip =
        _mm512_mask_mov_epi64(ink__eight_of((INK__XXH3_SECRET_40 ^ INK__XXH3_SECRET_48) - seed),
                              wide, ink__eight_of(INK__XXH3_SECRET_8 - seed));

    first = _mm512_xor_si512(first, flip);
    second = _mm512_xor_si512(second, other_flip);
    __m512i hash = ink__folded_products(first, second);
    __m512i more =
        _mm512_add_epi64(_mm512_add_epi64(ink__swapped_eight(first), second), keys->lengths);
    if (wide != 0) {
        __m512i before = words_at(bytes, _mm512_sub_epi64(ends, ink__eight_of(16)), wide);
        __m512i product = ink__folded_products(
            _mm512_xor_si512(before, ink__eight_of(INK__XXH3_SECRET_16 + seed)),
            _mm512_xor_si512(last, ink__eight_of(INK__XXH3_SECRET_24 - seed)));
        __m512i scaled = _mm512_mullo_epi64(keys->lengths, ink__eight_of(INK__XXH3_PRIME64_1));
        more = _mm512_mask_add_epi64(more, wide, product, scaled);
    }
    return ink__avalanche_eight(_mm512_add_epi64(hash, more));
}

/* ---- Batches ------------------------------------------------------------------------------ */

typedef struct key_batch {
    const uint8_t  *bytes;
    const uint64_t *starts, *ends;
    uint64_t        seed;
    uint64_t       *hashes;
} key_batch;

/* The lanes that have a key when `left` are left. */
AVX512 static inline __mmask8 lanes_left(size_t left)
{
    return (__mmask8)(left >= LANES ? 0xffu : (1u << left) - 1);
}

/* The keys from number `first` on. */
AVX512 static inline lanes keys_from(const key_batch *batch, size_t first, __mmask8 there)
{
    __m512i starts = _mm512_maskz_loadu_epi64(there, batch->starts + first);
    __m512i ends = _mm512_maskz_loadu_epi64(there, batch->ends + first);

    return (lanes){batch->bytes, starts, _mm512_sub_epi64(ends, starts), there};
}

/* The keys whose numbers are these. */
AVX512 static inline lanes keys_at(const key_batch *batch, __m512i numbers, __mmask8 there)
{
    const __m512i none = _mm512_setzero_si512();
    __m512i       starts = _mm512_mask_i64gather_epi64(none, there, numbers, batch->starts, 8);
    __m512i       ends = _mm512_mask_i64gather_epi64(none, there, numbers, batch->ends, 8);

    return (lanes){batch->bytes, starts, _mm512_sub_epi64(ends, starts), there};
}

/* Which of these keys have `least` to `most` bytes. */
AVX512 static inline __mmask8 keys_of(const lanes *keys, uint64_t least, uint64_t most)
{
    return _mm512_mask_cmple_epu64_mask(keys->there,
                                        _mm512_sub_epi64(keys->lengths, ink__eight_of(least)),
                                        ink__eight_of(most - least));
}

/* Numbers of keys by their lengths; there is room for eight more than there can be. */
typedef struct key_lists {
    uint64_t shorter[INK__XXH3_BATCH_MAX + LANES]; /* 4 to 8 bytes */
    uint64_t longer[INK__XXH3_BATCH_MAX + LANES];  /* 9 to 32 */
    uint64_t other[INK__XXH3_BATCH_MAX + LANES];
    size_t   shorter_count, longer_count, other_count;
} key_lists;

AVX512 static inline size_t append(uint64_t *list, size_t count, __mmask8 which, __m512i numbers)
{
    _mm512_storeu_si512(list + count, _mm512_maskz_compress_epi64(which, numbers));
    return count + (size_t)__builtin_popcount(which);
}

/* Lists at most INK__XXH3_BATCH_MAX keys. */
AVX512 static inline void list_by_length(const key_batch *batch, size_t count, key_lists *lists)
{
    __m512i numbers = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

    lists->shorter_count = lists->longer_count = lists->other_count = 0;
    for (size_t i = 0; i < count; i += LANES) {
        lanes    keys = keys_from(batch, i, lanes_left(count - i));
        __mmask8 shorter = keys_of(&keys, 4, 8);
        __mmask8 longer = keys_of(&keys, 9, 32);
        __mmask8 other = (__mmask8)(keys.there ^ (shorter | longer));
        lists->shorter_count = append(lists->shorter, lists->shorter_count, shorter, numbers);
        lists->longer_count = append(lists->longer, lists->longer_count, longer, numbers);
        lists->other_count = append(lists->other, lists->other_count, other, numbers);
        numbers = _mm512_add_epi64(numbers, ink__eight_of(LANES));
    }
}

/* Functions for keys of `least` to `most` bytes. The first hashes eight keys if all have such
 * lengths, and returns whether. The second hashes the first keys of a batch, eight at a time, while
 * they have such lengths, and returns how many. (It copies the batch so that the compiler sees that
 * writing hashes does not change it.) The third hashes listed keys. */
#define HASH_RANGE(least, most)                                                                    \
    AVX512 static inline bool eight_##least##_to_##most(const key_batch *batch, size_t first,      \
                                                        __mmask8 there)                            \
    {                                                                                              \
        lanes keys = keys_from(batch, first, there);                                               \
        if (keys_of(&keys, least, most) != there)                                                  \
            return false;                                                                          \
        _mm512_mask_storeu_epi64(batch->hashes + first, there,                                     \
                                 hash_##least##_to_##most(&keys, batch->seed));                    \
        return true;                                                                               \
    }                                                                                              \
    AVX512 static inline size_t first_##least##_to_##most(const key_batch *given, size_t count)    \
    {                                                                                              \
        const key_batch same = *given, *batch = &same;                                             \
        size_t          i = 0;                                                                     \
        for (; count - i >= LANES; i += LANES)                                                     \
            if (!eight_##least##_to_##most(batch, i, 0xff))                                        \
                return i;                                                                          \
        bool last = eight_##least##_to_##most(batch, i, lanes_left(count - i));                    \
        return last ? count : i;                                                                   \
    }                                                                                              \
    AVX512 static inline void listed_##least##_to_##most(const key_batch *batch,                   \
                                                         const uint64_t *list, size_t count)       \
    {                                                                                              \
        for (size_t i = 0; i < count; i += LANES) {                                                \
            __m512i numbers = _mm512_loadu_si512(list + i);                                        \
            lanes   keys = keys_at(batch, numbers, lanes_left(count - i));                         \
            _mm512_mask_i64scatter_epi64(batch->hashes, keys.there, numbers,                       \
                                         hash_##least##_to_##most(&keys, batch->seed), 8);         \
        }                                                                                          \
    }
HASH_RANGE(4, 8)
HASH_RANGE(9, 32)

/* Hashes keys that are not of 4 to 32 bytes. */
static void hash_others(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                        const uint64_t *list, size_t count, uint64_t seed, uint64_t *hashes)
{
    uint64_t other_starts[INK__XXH3_BATCH_MAX], other_ends[INK__XXH3_BATCH_MAX];
    uint64_t others[INK__XXH3_BATCH_MAX];

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        other_starts[i] = starts[list[i]];
        other_ends[i] = ends[list[i]];
    }
    ink__xxh3_batch_scalar(bytes, other_starts, other_ends, count, seed, others);
    for (size_t i = 0; i < count; i++)
        hashes[list[i]] = others[i];
}

/* Hashes the keys that a batch begins with, and returns how many: all of them if they are of one
 * range of lengths, and else at most INK__XXH3_BATCH_MAX. */
static size_t hash_first(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                         size_t count, uint64_t seed, uint64_t *hashes)
{
    const key_batch batch = {bytes, starts, ends, seed, hashes};
    key_lists       lists;

    size_t done = first_9_to_32(&batch, count);
    if (done == 0)
        done = first_4_to_8(&batch, count);
    if (done > 0)
        return done;
    if (count > INK__XXH3_BATCH_MAX)
        count = INK__XXH3_BATCH_MAX;
    list_by_length(&batch, count, &lists);
    listed_4_to_8(&batch, lists.shorter, lists.shorter_count);
    listed_9_to_32(&batch, lists.longer, lists.longer_count);
    hash_others(bytes, starts, ends, lists.other, lists.other_count, seed, hashes);
    return count;
}

void ink__xxh3_batch_avx512(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                            size_t count, uint64_t seed, uint64_t *hashes)
{
    for (size_t done = 0; done < count;)
        done += hash_first(bytes, starts + done, ends + done, count - done, seed, hashes + done);
}

#else
typedef int ink__no_xxh3_avx512_here; /* a file may not be empty */
#endif
