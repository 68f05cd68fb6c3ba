/* kernels.h - the inner loops over arrays, as tables: one for each instruction set, all bit-equal
 * to the scalar one; dispatch.h chooses one at run time. Everything is in the byte order of files.
 *
 * To add an instruction set: one kernels_x.c with one table, one line in dispatch.c; the property
 * test runs every table that the machine supports against the scalar one.
 *
 * The folder src/kernels holds every inner loop that has instruction sets: filters, counters, XXH3
 * batches, lines. Read this header, then kernels_scalar.c, the reference, and dispatch.h, which
 * chooses a table. Hashes, sketches and the line reader call it; it uses src/base alone. */
#ifndef INK_KERNELS_KERNELS_H
#define INK_KERNELS_KERNELS_H

#include "base/bits.h"
#include "base/mix.h"
#include "base/tuning.h"
#include "inkling.h"
#include "kernels/fuse_slots.h"
#include "kernels/lines.h"
#include "kernels/xxh3_batch.h"

/* ---- The loops of the kinds that count ----------------------------------------------------- */

/* The position of a hash in a row of `width` counters, at most 2^32: it comes from the hash plus
 * `added`, which differs from row to row. */
static inline uint64_t ink__row_position(uint64_t hash, uint64_t added, uint64_t width)
{
    return ink__multiply_high(ink__mix64(hash + added), width);
}

/* The positions of many. */
typedef void ink__row_positions(const uint64_t *hashes, size_t count, uint64_t added,
                                uint64_t width, uint64_t *positions);
/* The smallest of the 32-bit counters of each hash in `depth` such rows, one after the other;
 * `added` is the number of the row times `step`. */
typedef void ink__rows_least(const uint8_t *rows, uint64_t width, uint32_t depth, uint64_t step,
                             const uint64_t *hashes, size_t count, uint32_t *least);
_Static_assert(offsetof(ink_answer, estimate) == 0 && offsetof(ink_answer, low) == 8 &&
                   offsetof(ink_answer, high) == 16 && offsetof(ink_answer, confidence) == 24,
               "the numbers of an answer fill a register of 32 bytes");
/* The answers of counts that are too high by `error` at most: low is that much below, or 0; none is
 * saturated. Returns the largest count, or 0. */
typedef uint32_t ink__answer_counts(const uint32_t *counts, size_t count, double error,
                                    double confidence, ink_answer *answers);
/* The hashes that have none of these bits, in order; returns how many there are. `picked` has room
 * for all hashes, and does not overlap with them. */
typedef size_t ink__pick_without(const uint64_t *hashes, size_t count, uint64_t bits,
                                 uint64_t *picked);
/* The numbers below a bound, in order; as above. */
typedef size_t ink__pick_below(const uint64_t *numbers, size_t count, uint64_t bound,
                               uint64_t *picked);
/* 2^precision registers of a byte: the one that the top bits of a hash choose becomes at least
 * 1 + the leading zeros of the other bits. */
typedef void ink__raise_registers(uint8_t *registers, uint32_t precision, const uint64_t *hashes,
                                  size_t count);
/* Of eight registers, a one in the byte of each that is above 0. Values are below 128, so none
 * carries over. */
static inline uint64_t ink__above_0(const uint8_t *registers)
{
    const uint64_t ones = 0x0101010101010101;

    return (ink__load_u64(registers) + 0x7f * ones) >> 7 & ones;
}

/* Lists those above 0 of `count` registers, a power of 2 from 16 to 2^18, with values below 64:
 * index << 6 | value, in three bytes each. Returns how many there are. */
typedef size_t ink__list_registers(const uint8_t *registers, size_t count, uint8_t *list);
/* As many ones as the most trailing zeros of a hash, XORed with `own` and mixed. */
typedef uint64_t ink__tails(const uint64_t *hashes, size_t count, uint64_t own);
/* Split-block filters whose cells are counters of four bits, INK__COUNTS_BYTES a block: raises the
 * eight counters of each hash, except those at 15; gives the smallest of them for each hash. */
typedef void ink__counts_add(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                             size_t count);
typedef void ink__counts_least(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                               size_t count, uint8_t *least);

/* ---- Tables ------------------------------------------------------------------------------- */

/* Instruction sets. */
enum {
    INK__CPU_AVX2 = 1u << 0,
    INK__CPU_NEON = 1u << 1,
    INK__CPU_AVX512 = 1u << 2, /* f, bw, cd, dq and vl */
    INK__CPU_VBMI2 = 1u << 3,  /* vbmi, vbmi2 and vpopcntdq, and all of AVX512 */
};

typedef struct ink__kernels {
    const char *name;
    unsigned    cpu_features; /* all needed, INK__CPU_... */

    /* Split-block filters of `blocks` < 2^32 blocks (split_block.h): sets the bits of each hash;
     * gives for each hash whether all its bits are set, as 0 or 1. Any number of hashes; prefetches
     * the lines of others, `count` at most (NULL: none). */
    void (*block_add)(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                      const ink__prefetch *prefetch);
    void (*block_test)(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                       uint8_t *answers, const ink__prefetch *prefetch);
    /* Both in one, in order: gives for each hash whether it was new, as 0 or 1, and sets its bits,
     * so that of equal hashes only the first can be new. Returns how many were. */
    size_t (*block_add_new)(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                            uint8_t *was_new, const ink__prefetch *prefetch);
    /* Prefetches the lines of these hashes. */
    void (*block_fetch)(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                        ink__fetch how);
    /* The sum over at most INK__RATES_BLOCKS_MAX blocks of the product of the ones in the eight
     * words of (a | b); b may be NULL. In units of 2^-40: a full block gives 2^40. */
    uint64_t (*block_rates)(const uint8_t *a, const uint8_t *b, uint64_t blocks);

    /* into[i] = into[i] op from[i]. */
    void (*or_bytes)(uint8_t *into, const uint8_t *from, size_t bytes);
    void (*and_bytes)(uint8_t *into, const uint8_t *from, size_t bytes);
    void (*max_u8)(uint8_t *into, const uint8_t *from, size_t bytes);
    /* Sums that stop at the largest value of 4, 32 or 64 bits. */
    void (*add_u4)(uint8_t *into, const uint8_t *from, size_t bytes); /* two in a byte */
    void (*add_u32)(uint8_t *into, const uint8_t *from, size_t count);
    void (*add_u64)(uint8_t *into, const uint8_t *from, size_t count);

    uint64_t (*ones)(const uint8_t *from, size_t bytes);

    /* hashes[i] = ink__mix64(ints[i] ^ xored), see base/mix.h. */
    void (*mix_ints)(const int64_t *ints, size_t count, uint64_t xored, uint64_t *hashes);
    /* The first 64 bits of Murmur3 x64-128 of ints as 8 bytes. */
    void (*murmur3_ints)(const int64_t *ints, size_t count, uint64_t seed, uint64_t *hashes);
    ink__xxh3_batch *xxh3_batch; /* xxh3_batch.h */
    ink__lines_cut  *lines_cut;  /* lines.h */

    /* See above; rows_least and answer_counts are NULL where a plain loop is as fast. */
    ink__row_positions   *row_positions;
    ink__rows_least      *rows_least;
    bool                  rows_least_near; /* only for rows that are in the caches of a core */
    ink__answer_counts   *answer_counts;
    ink__pick_without    *pick_without;
    ink__pick_below      *pick_below;
    ink__raise_registers *raise_registers;
    ink__list_registers  *list_registers;
    ink__tails           *tails;
    ink__counts_add      *counts_add;
    ink__counts_least    *counts_least;
    ink__fuse_test       *fuse_test; /* fuse_slots.h */
} ink__kernels;

/* 2^20 sums of at most 2^40 fit 64 bits. */
#define INK__RATES_BLOCKS_MAX ((uint64_t)1 << 20)

extern const ink__kernels ink__kernels_scalar;
/* For tables that have nothing wider, and for what is left over by wider loops. */
void ink__mix_ints_scalar(const int64_t *ints, size_t count, uint64_t xored, uint64_t *hashes);
void ink__murmur3_ints_scalar(const int64_t *ints, size_t count, uint64_t seed, uint64_t *hashes);
ink__row_positions   ink__row_positions_scalar;
ink__rows_least      ink__rows_least_scalar;
ink__answer_counts   ink__answer_counts_scalar;
ink__pick_without    ink__pick_without_scalar;
ink__pick_below      ink__pick_below_scalar;
ink__raise_registers ink__raise_registers_scalar;
ink__list_registers  ink__list_registers_scalar;
ink__tails           ink__tails_scalar;
ink__counts_add      ink__counts_add_scalar;
ink__counts_least    ink__counts_least_scalar;
ink__fuse_test       ink__fuse_test_scalar;
#if defined(__x86_64__)
extern const ink__kernels ink__kernels_avx2;
extern const ink__kernels ink__kernels_avx512bw;
extern const ink__kernels ink__kernels_avx512;
/* These need no more than INK__CPU_AVX512. */
void ink__mix_ints_avx512(const int64_t *ints, size_t count, uint64_t xored, uint64_t *hashes);
void ink__murmur3_ints_avx512(const int64_t *ints, size_t count, uint64_t seed, uint64_t *hashes);
ink__row_positions   ink__row_positions_avx512;
ink__pick_without    ink__pick_without_avx512;
ink__pick_below      ink__pick_below_avx512;
ink__raise_registers ink__raise_registers_avx512;
ink__tails           ink__tails_avx512;
/* No faster with AVX-512. */
ink__counts_least   ink__counts_least_avx2;
ink__list_registers ink__list_registers_avx2;
ink__fuse_test      ink__fuse_test_avx2; /* gathers took 1.3x its time */
void ink__block_fetch_avx2(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes,
                           size_t count, ink__fetch how);
#endif
#if defined(__aarch64__) && defined(__AARCH64EL__)
extern const ink__kernels ink__kernels_neon;
#endif

#endif
