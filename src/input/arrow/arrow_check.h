/* arrow_check.h - whether an array matches its schema, so that reading its rows needs no checks. */
#ifndef INK_INPUT_ARROW_ARROW_CHECK_H
#define INK_INPUT_ARROW_ARROW_CHECK_H

#include "input/arrow/arrow_plan.h"

/* Whether an array matches the plan's schema, in structure (children, buffers, lengths, offsets of
 * struct and columns) and in values: offsets that do not fall, indices within dictionaries,
 * timestamps that divide, weights that are not negative, floats that can be rounded, no nulls if
 * these are refused. After that reading a row can only fail for lack of memory. Values of nulls are
 * not checked, but for offsets. INK_FORMAT; INK_MISMATCH for a null that is refused; INK_LIMIT for
 * a piece of 2^31 bytes, in a tuple of 2^27; INK_USAGE for a released array. INK_AT_KEY is the
 * number of a row, from 0. */
ink_status ink__arrow_check(const ink__arrow_plan *plan, const struct ArrowArray *array,
                            ink_error *error);

/* The structure alone. A caller that checks an array part by part must do this with the whole
 * first, as a part does not show an impossible number of rows. */
ink_status ink__arrow_check_structure(const ink__arrow_plan *plan, const struct ArrowArray *array,
                                      ink_error *error);

#endif
