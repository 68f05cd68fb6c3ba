/* row.h - rows: keys, groups, weights and times of many records, as arrays; all that jobs take. */
#ifndef INK_INPUT_RECORDS_ROW_H
#define INK_INPUT_RECORDS_ROW_H

#include "base/bits.h"
#include "inkling_file.h"

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
    bool            one_array; /* keys are in one array, and groups are, with what is between */
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
static inline ink_label ink__rows_label(const ink__rows *rows, size_t row)
{
    uint64_t start = rows->group_starts[row];

    if (start == INK__GROUP_NULL)
        return (ink_label){.group_kind = INK_GROUP_NULL};
    return (ink_label){
        .group_kind = INK_GROUP_BYTES,
        .group = rows->group_bytes + start,
        .group_bytes = (size_t)(rows->group_ends[row] - start),
    };
}

/* Puts a column of a tuple key, its length and its bytes (docs/keys.md); returns where it ends. */
enum { INK__TUPLE_LENGTH_BYTES = 4 };

static inline uint8_t *ink__tuple_put(uint8_t *to, const uint8_t *column, size_t bytes)
{
    ink__store_u32(to, (uint32_t)bytes);
    if (bytes > 0)
        memcpy(to + INK__TUPLE_LENGTH_BYTES, column, bytes);
    return to + INK__TUPLE_LENGTH_BYTES + bytes;
}

static inline ink_batch ink__rows_batch(const ink__rows *rows)
{
    return (ink_batch){
        .count = rows->count,
        .ints = rows->key_ints,
        .data = rows->key_bytes,
        .offsets = rows->key_starts,
        .ends = rows->key_ends,
        .weights = rows->weights,
        .one_array = rows->one_array,
    };
}

#endif
