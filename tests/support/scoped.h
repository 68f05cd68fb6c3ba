/* scoped.h - variables that free what they hold where their block ends, the last one first. A test
 * that fails leaves them.
 *
 *     SCOPED_SKETCH *sketch = new_sketch(&params);
 *     SCOPED_TEXT    text = {0}; */
#ifndef INK_TESTS_SCOPED_H
#define INK_TESTS_SCOPED_H

#include "inkling_job.h"

#include <stdlib.h>

#define SCOPED_BY(release) __attribute__((cleanup(release)))

static inline void scoped_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void scoped_free_sketch(ink_sketch **sketch)
{
    ink_sketch_free(*sketch);
}

static inline void scoped_free_set(ink_set **set)
{
    ink_set_free(*set);
}

#define SCOPED_SKETCH SCOPED_BY(scoped_free_sketch) ink_sketch
#define SCOPED_SET SCOPED_BY(scoped_free_set) ink_set

/* Of records.h and arrow.h. */
#define SCOPED_TEXT SCOPED_BY(records_bytes_free) records_bytes
#define SCOPED_ROWS SCOPED_BY(records_rows_free) records_rows
#define SCOPED_FILE SCOPED_BY(records_file_close) records_file
#define SCOPED_ARROW SCOPED_BY(arrow_release) arrow_data

#endif
