/* sampled.h - what a uniform sample says of all: numbers and ratios with bounds.
 *
 * A sample holds every key with the same chance, its `share` of all. A number of keys is bounded by
 * the tails of the binomial distribution, with the share taken as fixed; a ratio by those of
 * Clopper and Pearson [1934], closer by sqrt(1 - share), since a sample of a finite set is drawn
 * without replacement. docs/accuracy.md#theta has both. */
#ifndef INK_SKETCH_KINDS_SAMPLED_H
#define INK_SKETCH_KINDS_SAMPLED_H

#include "inkling.h"

/* Both set estimate, low and high, which have this normal quantile; a share of 1 is exact, and the
 * confidence becomes 1. 0 < share <= 1. */

/* How many keys there are, if the sample has `count` of them. Never below that. */
void ink__sampled_number(uint64_t count, double share, double z, ink_answer *answer);

/* Which part of the keys has a property, if `count` of the `of` keys in the sample have it. Of no
 * keys in the sample: 0 to 1 if there may be some, and `of_none` if there are none. */
void ink__sampled_ratio(uint64_t count, uint64_t of, double share, double of_none, double z,
                        ink_answer *answer);

#endif
