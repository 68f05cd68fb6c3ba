/* owned.h - variables that free what they hold where their block ends, the last one first. A test
 * that fails leaves them.
 *
 *     owned_sketch *sketch = new_sketch(&params);
 *     owned_bytes   text = {0}, other = {0}; */
#ifndef INK_TESTS_OWNED_H
#define INK_TESTS_OWNED_H

#include "inkling_job.h"

#include <stdlib.h>

#define OWNED(end) __attribute__((cleanup(end)))

static inline void owned_free(void *pointer)
{
    free(*(void **)pointer);
}

static inline void owned_free_sketch(ink_sketch **sketch)
{
    ink_sketch_free(*sketch);
}

static inline void owned_free_ring(ink_ring **ring)
{
    ink_ring_free(*ring);
}

static inline void owned_close_file(ink_file **file)
{
    ink_file_close(*file);
}

static inline void owned_free_set(ink_set **set)
{
    ink_set_free(*set);
}

static inline void owned_free_verification(ink_verification **verification)
{
    ink_verification_free(*verification);
}

#define owned_sketch OWNED(owned_free_sketch) ink_sketch
#define owned_ring OWNED(owned_free_ring) ink_ring
#define owned_opened OWNED(owned_close_file) ink_file
#define owned_set OWNED(owned_free_set) ink_set
#define owned_verification OWNED(owned_free_verification) ink_verification

/* Of records.h and arrow.h. */
#define owned_bytes OWNED(records_bytes_free) records_bytes
#define owned_rows OWNED(records_rows_free) records_rows
#define owned_file OWNED(records_file_close) records_file
#define owned_arrow OWNED(arrow_release) arrow_data

#endif
