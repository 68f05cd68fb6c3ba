/* array_rows.h - one Arrow array on its way to sketches: its columns as the caller names them, its
 * rows block by block, and answers for these put where the rows stand. */
#ifndef INK_JOBS_ARRAYS_ARRAY_ROWS_H
#define INK_JOBS_ARRAYS_ARRAY_ROWS_H

#include "inkling_job.h"
#include "input/arrow/arrow_rows.h"

/* Finds the columns that `reading` names, which may be NULL. INK_USAGE names a field of it that is
 * for records, INK_MISMATCH tells that the keys are not what it says. */
ink_status ink__array_plan(ink__arrow_plan *plan, const struct ArrowSchema *schema,
                           const ink_reading *reading, ink_error *error);

/* A column of nothing but nulls holds keys of any type, also of the sketch's. */
void ink__array_take_nulls(ink__arrow_plan *plan, const ink_sketch *sketch);

/* No rows, but in the form that a plan gives them: what takes these can take the array's. */
ink__rows ink__array_nothing(const ink__arrow_plan *plan);

/* The way through an array. */
typedef struct ink__array {
    const ink__arrow_plan   *plan;
    const struct ArrowArray *array;
    ink_allocator            allocator;
    ink__arrow_reader       *reader;
    uint64_t  first, next; /* the rows that were read last; `first` starts at 0 ... */
    uint64_t  end;         /* ... and all are read when `next` is this */
    ink__rows rows;        /* of these rows those without nulls */
} ink__array;

/* Looks at the whole array, and begins. */
ink_status ink__array_open(ink__array *array, const ink__arrow_plan *plan,
                           const struct ArrowArray *of, const ink_allocator *allocator,
                           ink_error *error);
void       ink__array_close(ink__array *array);

/* Reads more rows. Fails for lack of memory alone. */
ink_status ink__array_read(ink__array *array, ink_error *error);

/* What is done with rows, and where the answer for each goes. */
typedef struct ink__array_work {
    void *host;
    /* Takes some rows, and sets their answers, one behind another. */
    ink_status (*take)(void *host, const ink__rows *rows, void *answers, ink_error *error);
    void       *answers; /* of all rows of the array; NULL: none are wanted */
    size_t      answer_bytes;
    const void *null_answer; /* of a row that was left out */
    bool        asks;        /* nothing changes: rows need not all be looked at before the first */
} ink__array_work;

/* Does it with all rows. `report`, if not NULL, tells how far it came, also on failure. */
ink_status ink__array_each(const ink__arrow_plan *plan, const struct ArrowArray *array,
                           const ink__array_work *work, const ink_allocator *allocator,
                           ink_arrow_report *report, ink_error *error);

#endif
