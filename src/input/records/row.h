/* row.h - rows: keys, groups, weights and times of many records, as arrays. Text and Arrow become
 * rows; jobs take nothing else. */
#ifndef INK_INPUT_RECORDS_ROW_H
#define INK_INPUT_RECORDS_ROW_H

#include "inkling.h"

enum { INK__ROWS_MAX = 1024, INK__KEY_COLUMNS_MAX = 16 };

/* Records that were read, in memory of the chunk and of the reader. NULL: not in the rule. Item i
 * is bytes starts[i] up to ends[i]. */
typedef struct ink__rows {
    size_t          count;
    const uint8_t  *record_bytes;
    uint64_t        record_limit; /* bytes up to the end of the chunk */
    const uint64_t *record_starts, *record_ends;
    const uint8_t  *key_bytes;
    const uint64_t *key_starts, *key_ends;
    const int64_t  *key_ints;
    const uint8_t  *group_bytes;
    const uint64_t *group_starts, *group_ends; /* INK__GROUP_NULL: a JSON null */
    const uint64_t *weights;
    const int64_t  *times; /* microseconds since 1970 UTC */
} ink__rows;

#define INK__GROUP_NULL UINT64_MAX

/* Bytes that are made for some rows. All zero at first; the owner releases them. */
typedef struct ink__row_bytes {
    uint8_t *bytes;
    uint64_t used, room;
} ink__row_bytes;

/* The group that a row names, of rows that do. */
ink_label ink__rows_label(const ink__rows *rows, size_t row);

/* Puts a column of a tuple key, its length and its bytes (docs/keys.md); returns where it ends. */
enum { INK__TUPLE_LENGTH_BYTES = 4 };
uint8_t *ink__tuple_put(uint8_t *to, const uint8_t *column, size_t bytes);

/* The keys of rows, and their weights, as a batch. */
ink_batch ink__rows_batch(const ink__rows *rows);

#endif
