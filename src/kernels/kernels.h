/* kernels.h - the inner loops over arrays, as tables: one for each instruction set, all bit-equal
 * to the scalar one; dispatch.h chooses one at run time. Everything is in the byte order of files.
 *
 * To add an instruction set: one kernels_x.c with one table, one line in dispatch.c; the property
 * test runs every table that the machine supports against the scalar one. */
#ifndef INK_KERNELS_KERNELS_H
#define INK_KERNELS_KERNELS_H

#include "base/tuning.h"
#include "inkling.h"
#include "kernels/lines.h"

typedef struct ink__kernels {
    const char *name;
    unsigned    cpu_features; /* all needed, see base/cpu.h */

    /* Split-block filters of `blocks` < 2^32 blocks (split_block.h): sets the bits of each hash;
     * tells of each hash whether all its bits are set, as 0 or 1. Any number of hashes; meanwhile
     * the lines of those ahead, `count` at most, are asked for (NULL: none). */
    void (*block_add)(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                      const ink__prefetch *prefetch);
    void (*block_test)(const uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                       uint8_t *answers, const ink__prefetch *prefetch);
    /* Both in one, in order: tells of each hash whether a bit of it was missing, as 0 or 1, and
     * sets its bits, so that of equal hashes only the first can be new. Returns how many were. */
    size_t (*block_add_new)(uint8_t *bits, uint64_t blocks, const uint64_t *hashes, size_t count,
                            uint8_t *was_new, const ink__prefetch *prefetch);
    /* Asks for the lines that these hashes fall into. */
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

    /* hashes[i] = ink__mix64(ints[i] ^ turned), see base/mix.h. */
    void (*mix_ints)(const int64_t *ints, size_t count, uint64_t turned, uint64_t *hashes);
    /* XXH3-64 of `count` keys: key i is bytes[starts[i]] up to ends[i]. */
    void (*xxh3_batch)(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                       size_t count, uint64_t seed, uint64_t *hashes);
    ink__lines_cut *lines_cut; /* see lines.h */

    /* Rows of `width` counters, at most 2^32: the places of hashes in a row, each drawn from the
     * hash and what is added to it, which differs from row to row. */
    void (*row_positions)(const uint64_t *hashes, size_t count, uint64_t added, uint64_t width,
                          uint64_t *positions);
    /* The smallest of the 32-bit counters of each hash in `depth` such rows, which lie one after
     * the other; what is added is the number of the row times `step`. NULL: row by row is as fast.
     */
    void (*rows_least)(const uint8_t *rows, uint64_t width, uint32_t depth, uint64_t step,
                       const uint64_t *hashes, size_t count, uint32_t *least);
    /* What counts that are too high by `error` at most answer: low lies so far below, or at 0, and
     * none is saturated. Returns the largest count, or 0. NULL: one after another is as fast. */
    uint32_t (*answer_counts)(const uint32_t *counts, size_t count, double error, double confidence,
                              ink_answer *answers);
    /* Those of the hashes that have none of these bits, in order; returns how many there are.
     * `picked` has room for all, and does not overlap with them. */
    size_t (*pick_without)(const uint64_t *hashes, size_t count, uint64_t bits, uint64_t *picked);
    /* 2^precision registers of a byte: the one that the top bits of a hash choose becomes at least
     * 1 + the zeros that the other bits begin with. */
    void (*raise_registers)(uint8_t *registers, uint32_t precision, const uint64_t *hashes,
                            size_t count);
    /* As many ones as the most zeros that a hash, turned by `own` and mixed, ends with. */
    uint64_t (*tails)(const uint64_t *hashes, size_t count, uint64_t own);
    /* Split-block filters whose cells are counters of four bits, INK__COUNTS_BYTES a block: raises
     * the eight of each hash, except those at 15; tells of each hash the smallest of them. */
    void (*counts_add)(uint8_t *counters, uint64_t blocks, const uint64_t *hashes, size_t count);
    void (*counts_least)(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                         size_t count, uint8_t *least);
} ink__kernels;

/* 2^20 sums of at most 2^40 fit 64 bits. */
#define INK__RATES_BLOCKS_MAX ((uint64_t)1 << 20)

extern const ink__kernels ink__kernels_scalar;
#if defined(__x86_64__)
extern const ink__kernels ink__kernels_avx2;
extern const ink__kernels ink__kernels_avx512;
#endif
#if defined(__aarch64__) && defined(__AARCH64EL__)
extern const ink__kernels ink__kernels_neon;
#endif

#endif
