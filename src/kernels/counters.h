/* counters.h - the inner loops of the kinds that count, by instruction set: what the tables of
 * kernels.h are filled with. Their contracts stand there; a table without a better one has the
 * scalar one. */
#ifndef INK_KERNELS_COUNTERS_H
#define INK_KERNELS_COUNTERS_H

#include "inkling.h"

#include <stddef.h>
#include <stdint.h>

void ink__row_positions_scalar(const uint64_t *hashes, size_t count, uint64_t added, uint64_t width,
                               uint64_t *positions);
size_t   ink__pick_without_scalar(const uint64_t *hashes, size_t count, uint64_t bits,
                                  uint64_t *picked);
void     ink__raise_registers_scalar(uint8_t *registers, uint32_t precision, const uint64_t *hashes,
                                     size_t count);
uint64_t ink__tails_scalar(const uint64_t *hashes, size_t count, uint64_t own);
void     ink__counts_add_scalar(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                                size_t count);
void     ink__counts_least_scalar(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                                  size_t count, uint8_t *least);

#if defined(__x86_64__)
void   ink__row_positions_avx2(const uint64_t *hashes, size_t count, uint64_t added, uint64_t width,
                               uint64_t *positions);
size_t ink__pick_without_avx2(const uint64_t *hashes, size_t count, uint64_t bits,
                              uint64_t *picked);
void ink__counts_add_avx2(uint8_t *counters, uint64_t blocks, const uint64_t *hashes, size_t count);
void ink__counts_least_avx2(const uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                            size_t count, uint8_t *least);

/* These need avx512f, bw, dq, vl and cd. */
void ink__row_positions_avx512(const uint64_t *hashes, size_t count, uint64_t added, uint64_t width,
                               uint64_t *positions);
void ink__rows_least_avx512(const uint8_t *rows, uint64_t width, uint32_t depth, uint64_t step,
                            const uint64_t *hashes, size_t count, uint32_t *least);
uint32_t ink__answer_counts_avx512(const uint32_t *counts, size_t count, double error,
                                   double confidence, ink_answer *answers);
size_t   ink__pick_without_avx512(const uint64_t *hashes, size_t count, uint64_t bits,
                                  uint64_t *picked);
void     ink__raise_registers_avx512(uint8_t *registers, uint32_t precision, const uint64_t *hashes,
                                     size_t count);
uint64_t ink__tails_avx512(const uint64_t *hashes, size_t count, uint64_t own);
void     ink__counts_add_avx512(uint8_t *counters, uint64_t blocks, const uint64_t *hashes,
                                size_t count);
#endif

#endif
