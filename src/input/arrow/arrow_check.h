/* arrow_check.h - whether an array is what its schema says, so that nothing need be checked when
 * its rows are read. */
#ifndef INK_INPUT_ARROW_ARROW_CHECK_H
#define INK_INPUT_ARROW_ARROW_CHECK_H

#include "input/arrow/arrow_plan.h"

/* Whether an array is what the plan's schema says, in structure (children, buffers, lengths,
 * offsets of struct and columns) and in values: offsets that do not fall, indices within
 * dictionaries, timestamps that divide, weights that are not negative, floats that can be rounded,
 * no nulls if these are refused. After that no row of it can fail but for lack of memory.
 * What stands below a null is not looked at, but for offsets. INK_FORMAT;
 * INK_MISMATCH for a null that is refused; INK_LIMIT for a piece of 2^31 bytes, in a tuple of 2^27;
 * INK_USAGE for what was released. About a row at INK_AT_KEY, its number from 0. */
ink_status ink__arrow_check(const ink__arrow_plan *plan, const struct ArrowArray *array,
                            ink_error *error);

/* The first half of that: the structure alone. Who checks an array part by part must do this with
 * the whole before, as a part does not show that there cannot be so many rows. */
ink_status ink__arrow_check_structure(const ink__arrow_plan *plan, const struct ArrowArray *array,
                                      ink_error *error);

#endif
