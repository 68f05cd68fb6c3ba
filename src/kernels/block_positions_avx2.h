/* block_positions_avx2.h - the positions of eight hashes in a split-block filter, computed at once:
 * shared by the x86-64 tables. */
#ifndef INK_KERNELS_BLOCK_POSITIONS_AVX2_H
#define INK_KERNELS_BLOCK_POSITIONS_AVX2_H

#if defined(__x86_64__)

#include "kernels/split_block.h"

#include <immintrin.h>
#include <stddef.h>

enum { INK__EIGHT = 8 };

/* Products of the upper halves of hashes with the number of blocks: the upper half of each is the
 * block. Kept as numbers of 32 bits, so that the upper half is just read. Aligned to a cache line:
 * a store across two is slower, and one across two pages takes longer than all else together. */
typedef struct ink__block_positions {
    _Alignas(64) uint32_t halves[2 * INK__EIGHT];
} ink__block_positions;

/* 256 bits at a time even where there are 512: those would close a port to the rest of the loop.
 * `blocks` has the number of blocks, below 2^32, in each of its four numbers. */
__attribute__((target("avx2"))) static inline void
ink__find_block_positions(ink__block_positions *positions, const uint64_t *hashes, __m256i blocks)
{
    for (int i = 0; i < 2; i++) {
        __m256i four = _mm256_loadu_si256((const __m256i *)(const void *)(hashes + 4 * i));
        _mm256_storeu_si256((__m256i *)(void *)(positions->halves + 8 * i),
                            _mm256_mul_epu32(_mm256_shuffle_epi32(four, 0xf5), blocks));
    }
    /* Keeps gcc from taking them out of registers one by one, which is slower. */
    __asm__ volatile("" : "+m"(*positions));
}

/* The byte where the block of hash i of eight starts. */
static inline uint64_t ink__block_position(const ink__block_positions *positions, int i)
{
    return (uint64_t)positions->halves[2 * i + 1] * INK__BLOCK_BYTES;
}

/* each(i, position) for eight hashes from number `at` on. */
#define INK__EIGHT_POSITIONS(hashes, four_times, at, each)                                         \
    do {                                                                                           \
        ink__block_positions positions_;                                                           \
        ink__find_block_positions(&positions_, (hashes) + (at), (four_times));                     \
        each((at) + 0, ink__block_position(&positions_, 0));                                       \
        each((at) + 1, ink__block_position(&positions_, 1));                                       \
        each((at) + 2, ink__block_position(&positions_, 2));                                       \
        each((at) + 3, ink__block_position(&positions_, 3));                                       \
        each((at) + 4, ink__block_position(&positions_, 4));                                       \
        each((at) + 5, ink__block_position(&positions_, 5));                                       \
        each((at) + 6, ink__block_position(&positions_, 6));                                       \
        each((at) + 7, ink__block_position(&positions_, 7));                                       \
    } while (0)

/* The same one by one, from number `from` on. */
#define INK__LAST_POSITIONS(hashes, blocks, from, count, each)                                     \
    for (size_t last_ = (from); last_ < (count); last_++)                                          \
    each(last_, ink__block_of((hashes)[last_], (blocks)) * INK__BLOCK_BYTES)

/* each(i, position) for all i below count, and fetch(i, position) for those to prefetch, `count` at
 * most: eight of these, then eight of those, so that memory and arithmetic overlap. */
#define INK__FOR_POSITIONS(hashes, blocks, count, each, prefetch, prefetch_count, fetch)           \
    do {                                                                                           \
        const __m256i four_times_ = _mm256_set1_epi64x((long long)(blocks));                       \
        size_t        at_ = 0;                                                                     \
        for (; at_ + INK__EIGHT <= (prefetch_count); at_ += INK__EIGHT) {                          \
            INK__EIGHT_POSITIONS(prefetch, four_times_, at_, fetch);                               \
            INK__EIGHT_POSITIONS(hashes, four_times_, at_, each);                                  \
        }                                                                                          \
        INK__LAST_POSITIONS(prefetch, blocks, at_, prefetch_count, fetch);                         \
        for (; at_ + INK__EIGHT <= (count); at_ += INK__EIGHT)                                     \
            INK__EIGHT_POSITIONS(hashes, four_times_, at_, each);                                  \
        INK__LAST_POSITIONS(hashes, blocks, at_, count, each);                                     \
    } while (0)

#endif

#endif
