/* arrow_rows.h - the rows of an Arrow array that was checked, many at a time, as every job takes
 * them.
 *
 * The folder src/input/arrow reads Arrow columns. arrow_plan finds the columns in a schema,
 * arrow_check and arrow_values check an array, arrow_rows makes rows of it, arrow_stream pulls
 * arrays from a stream. src/input and jobs/arrays call it. */
#ifndef INK_INPUT_ARROW_ARROW_ROWS_H
#define INK_INPUT_ARROW_ARROW_ROWS_H

#include "input/arrow/arrow_plan.h"

typedef struct ink__arrow_reader ink__arrow_reader;

ink_status ink__arrow_reader_create(ink__arrow_reader **reader, const ink__arrow_plan *plan,
                                    const ink_allocator *allocator, ink_error *error);
void       ink__arrow_reader_free(ink__arrow_reader *reader);

/* Reads rows of a checked array from `first` up to `end`, or fewer: *next is where to go on. Those
 * without nulls become `rows`, in memory of the array and the reader, until the next call; the
 * others are left out. At most INK__ROWS_MAX, unless the array needs no conversion (64-bit ints or
 * offsets, no nulls, groups or weights): then all. */
ink_status ink__arrow_read(ink__arrow_reader *reader, const struct ArrowArray *array,
                           uint64_t first, uint64_t end, uint64_t *next, ink__rows *rows,
                           ink_error *error);

/* The number in the array of row `row` of the last call. */
uint64_t ink__arrow_location(const ink__arrow_reader *reader, size_t row);

/* How many rows the last call left out as nulls. */
uint64_t ink__arrow_nulls(const ink__arrow_reader *reader);

#endif
