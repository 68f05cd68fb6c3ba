/* array_rows.h - reads one Arrow array for sketches: finds its columns, reads its rows block by
 * block, and stores an answer for each row.
 *
 * The folder src/jobs/arrays takes keys in memory: add_batch adds a batch by several threads,
 * arrow_sketch and arrow_filters bring Arrow arrays to one sketch or to the filters of a file.
 * Adapters call it; nothing else in src does. */
#ifndef INK_JOBS_ARRAYS_ARRAY_ROWS_H
#define INK_JOBS_ARRAYS_ARRAY_ROWS_H

#include "inkling_arrow.h"
#include "inkling_job.h"
#include "input/arrow/arrow_rows.h"

/* Finds the columns that `reading` names, which may be NULL. INK_USAGE names a field of it that is
 * for records; INK_MISMATCH if the keys have another type. A column of nulls only, which has any
 * type, gets the key type of the sketch, unless that is NULL. */
ink_status ink__array_plan(ink__arrow_plan *plan, const struct ArrowSchema *schema,
                           const ink_reading *reading, const ink_sketch *sketch, ink_error *error);

/* Zero rows in the form of a plan: a sketch that accepts these accepts the array's. */
ink__rows ink__array_nothing(const ink__arrow_plan *plan);

/* A walk through an array. */
typedef struct ink__array {
    const ink__arrow_plan   *plan;
    const struct ArrowArray *array;
    ink_allocator            allocator;
    ink__arrow_reader       *reader;
    uint64_t  first, next; /* the last rows are those from `first` up to `next` ... */
    uint64_t  end;         /* ... of this many */
    ink__rows rows;        /* the last rows without nulls */
} ink__array;

/* Checks the whole array, and begins. The caller, who sets all to zero before, frees `reader`. */
ink_status ink__array_open(ink__array *array, const ink__arrow_plan *plan,
                           const struct ArrowArray *of, const ink_allocator *allocator,
                           ink_error *error);
/* Reads more rows. Fails for lack of memory alone. */
ink_status ink__array_read(ink__array *array, ink_error *error);

/* What to do with rows, and where the answer for each goes. */
typedef struct ink__array_work {
    void *host;
    /* Takes some rows, and sets their answers, without gaps. */
    ink_status (*take)(void *host, const ink__rows *rows, void *answers, ink_error *error);
    void       *answers; /* one for each row of the array; NULL: none */
    size_t      answer_bytes;
    const void *null_answer; /* of a row with a null */
    bool        asks;        /* changes nothing: rows need not all be checked before the first */
} ink__array_work;

/* Does the work with all rows. `report`, unless NULL, is set also on failure. */
ink_status ink__array_each(const ink__arrow_plan *plan, const struct ArrowArray *array,
                           const ink__array_work *work, const ink_allocator *allocator,
                           ink_arrow_report *report, ink_error *error);

#endif
