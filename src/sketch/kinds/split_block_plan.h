/* split_block_plan.h - how large a split-block filter must be: the exact expected rate of a filter
 * with n keys in B blocks, its scatter, and the smallest size that keeps p. */
#ifndef INK_SKETCH_KINDS_SPLIT_BLOCK_PLAN_H
#define INK_SKETCH_KINDS_SPLIT_BLOCK_PLAN_H

#include <stdint.h>

#define INK__BLOCKS_MAX ((uint64_t)1 << 29)
#define INK__SPLIT_BLOCK_RATE_MIN 1e-5
#define INK__SPLIT_BLOCK_RATE_MAX 0.5

/* The expected false-positive rate with `keys` different keys in `blocks` blocks. *scatter, if not
 * NULL, becomes the relative standard deviation of one filter's rate around it. */
double ink__split_block_rate(uint64_t keys, uint64_t blocks, double *scatter);

/* The rate that it can promise: the expected one and three standard deviations, at most 1. */
double ink__split_block_promise(uint64_t keys, uint64_t blocks);

/* The smallest number of blocks, of at most 9 significant bits, that promises `rate`; the same on
 * every host. 0 if INK__BLOCKS_MAX are not enough. */
uint64_t ink__split_block_plan(uint64_t keys, double rate);

/* Bits a key for a large filter at this rate, without scatter. */
double ink__split_block_bits_per_key(double rate);

#endif
