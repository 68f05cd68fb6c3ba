/* counters.h - the inner loops of the kinds that count: their contracts, and the functions of each
 * instruction set that the tables of kernels.h are filled with. */
#ifndef INK_KERNELS_COUNTERS_H
#define INK_KERNELS_COUNTERS_H

#include "inkling.h"

/* The positions of hashes in a row of `width` counters, at most 2^32: each comes from the hash plus
 * `added`, which differs from row to row. */
typedef void ink__row_positions(const uint64_t *hashes, size_t count, uint64_t added,
                                uint64_t width, uint64_t *positions);
/* The smallest of the 32-bit counters of each hash in `depth` such rows, one after the other;
 * `added` is the number of the row times `step`. */
typedef void ink__rows_least(const uint8_t *rows, uint64_t width, uint32_t depth, uint64_t step,
                             const uint64_t *hashes, size_t count, uint32_t *least);
/* The answers of counts that are too high by `error` at most: low is that much below, or 0; none is
 * saturated. Returns the largest count, or 0. */
typedef uint32_t ink__answer_counts(const uint32_t *counts, size_t count, double error,
                                    double confidence, ink_answer *answers);
/* The hashes that have none of these bits, in order; returns how many there are. `picked` has room
 * for all hashes, and does not overlap with them. */
typedef size_t ink__pick_without(const uint64_t *hashes, size_t count, uint64_t bits,
                                 uint64_t *picked);
/* 2^precision registers of a byte: the one that the top bits of a hash choose becomes at least
 * 1 + the leading zeros of the other bits. */
typedef void ink__raise_registers(uint8_t *registers, uint32_t precision, const uint64_t *hashes,
                                  size_t count);
/* As many ones as the most trailing zeros of a hash, XORed with `own` and mixed. */
typedef uint64_t ink__tails(const uint64_t *hashes, size_t count, uint64_t own);
/* Split-block filters whose cells are counters of four bits, INK__COUNTS_BYTES a block: raises the
 * eight counters of each hash, except those at 15; gives the smallest of them for each hash. */
typedef void ink__counts_add(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                             size_t count);
typedef void ink__counts_least(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                               size_t count, uint8_t *least);

ink__row_positions   ink__row_positions_scalar;
ink__pick_without    ink__pick_without_scalar;
ink__raise_registers ink__raise_registers_scalar;
ink__tails           ink__tails_scalar;
ink__counts_add      ink__counts_add_scalar;
ink__counts_least    ink__counts_least_scalar;

#if defined(__x86_64__)
ink__row_positions ink__row_positions_avx2;
ink__pick_without  ink__pick_without_avx2;
ink__counts_add    ink__counts_add_avx2;
ink__counts_least  ink__counts_least_avx2;

/* These need avx512f, bw, dq, vl and cd. */
ink__row_positions   ink__row_positions_avx512;
ink__rows_least      ink__rows_least_avx512;
ink__answer_counts   ink__answer_counts_avx512;
ink__pick_without    ink__pick_without_avx512;
ink__raise_registers ink__raise_registers_avx512;
ink__tails           ink__tails_avx512;
ink__counts_add      ink__counts_add_avx512;
#endif

#endif
