/* blocks.h - what the filters of split blocks share: sizes in blocks, folding by divisors of the
 * block count, and the number of keys estimated from the fill. A block has 256 cells, eight words
 * of 32; a cell is a bit in a bloom and a counter of four bits in a counting. */
#ifndef INK_SKETCH_KINDS_BLOCKS_H
#define INK_SKETCH_KINDS_BLOCKS_H

#include "sketch/kinds/membership.h"

/* Functions and rules of a kind, as they stand. */
extern const ink__filter_rules ink__blocks_rules;

ink_status ink__blocks_plan(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                            ink_error *error);
ink_status ink__blocks_check(const ink__shape *shape, const ink__key_rule *rule, ink_error *error);
void       ink__blocks_describe(const ink__shape *shape, ink_description *description);
ink_status ink__blocks_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                            ink_error *error);

/* Estimates the number of different keys from the number of cells above 0. */
void ink__blocks_distinct(uint64_t blocks, uint64_t ones, double z, ink_answer *answer);

#endif
