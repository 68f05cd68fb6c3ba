/* parquet_file.h - which Bloom filters a Parquet file has: of one column, one for each row group.
 * Only the file's footer is read; the filters themselves are parquet.c's. */
#ifndef INK_FORMAT_FOREIGN_PARQUET_FILE_H
#define INK_FORMAT_FOREIGN_PARQUET_FILE_H

#include "format/foreign/formats.h"

/* Types of columns, as the footer numbers them. */
enum { INK__PARQUET_INT32 = 1, INK__PARQUET_INT64 = 2, INK__PARQUET_BYTES = 6, INK__PARQUET_FIXED };

/* The filter of a row group. */
typedef struct ink__parquet_filter {
    uint64_t at, end; /* its first byte, and where it must have ended */
    uint64_t type;    /* of its column, one of the four */
    bool     more;    /* another row group follows */
} ink__parquet_filter;

/* Whether these are the first bytes of a Parquet file, plain or encrypted; four or more. */
bool ink__parquet_is_file(const uint8_t *bytes, uint64_t count);

/* Finds the filter of row group `index`, in order from 0; `next` is that of ink__foreign_sketch,
 * the last number of which is left to the caller. Row group 0 chooses the column, and is refused if
 * any of the others has no filter of it: its keys would be denied. */
ink_status ink__parquet_find(const ink__foreign_file *file, uint64_t index,
                             uint64_t next[INK__FOREIGN_NEXT], ink__parquet_filter *filter,
                             ink_error *error);

#endif
