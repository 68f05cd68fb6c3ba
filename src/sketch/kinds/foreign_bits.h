/* foreign_bits.h - the positions of a key in the filters of other systems, one after another: a walk
 * from two words of the key. docs/format.md numbers the rules. The sizes that these systems choose
 * are here too. */
#ifndef INK_SKETCH_KINDS_FOREIGN_BITS_H
#define INK_SKETCH_KINDS_FOREIGN_BITS_H

#include "sketch/kinds/membership.h"

/* Where a walk is, and its step, as the rule of the filter has them. */
typedef struct ink__bit_walk {
    uint64_t at, step;
} ink__bit_walk;

/* A walk before its first position, for key number `key`. */
void ink__bit_walk_start(ink__bit_walk *walk, const ink__filter *filter, const ink__keys *keys,
                         size_t key);
/* Leaves out `count` positions; of a rule whose keys are not needed. */
void ink__bit_walk_skip(ink__bit_walk *walk, const ink__filter *filter, uint32_t count);
/* The next position of that key. */
uint64_t ink__bit_walk_next(ink__bit_walk *walk, const ink__filter *filter, const ink__keys *keys,
                            size_t key);

/* The positions that a rule can reach; 2^64 - 1: all. */
uint64_t ink__foreign_reach(ink__hash_scheme scheme);

/* The size that the system of a rule gives n keys at a rate, computed as it computes it; false if
 * the rule is of no other system. At most 2^63 bits, and at least one hash. */
bool ink__foreign_size(ink__hash_scheme scheme, uint64_t keys, double rate, uint64_t *bits,
                       uint32_t *hashes);

#endif
