/* row.c - rows as labels and batches of inkling.h. */
#include "input/records/row.h"

#include "base/bits.h"
#include "inkling.h"

#include <string.h>

ink_label ink__rows_label(const ink__rows *rows, size_t row)
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

uint8_t *ink__tuple_put(uint8_t *to, const uint8_t *column, size_t bytes)
{
    ink__store_u32(to, (uint32_t)bytes);
    if (bytes > 0)
        memcpy(to + INK__TUPLE_LENGTH_BYTES, column, bytes);
    return to + INK__TUPLE_LENGTH_BYTES + bytes;
}

ink_batch ink__rows_batch(const ink__rows *rows)
{
    return (ink_batch){
        .count = rows->count,
        .ints = rows->key_ints,
        .bytes = rows->key_bytes,
        .offsets = rows->key_starts,
        .ends = rows->key_ends,
        .weights = rows->weights,
    };
}
