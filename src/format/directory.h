/* directory.h - the directory of a file: tables of columns, parsed and checked in place. */
#ifndef INK_FORMAT_DIRECTORY_H
#define INK_FORMAT_DIRECTORY_H

#include "base/bits.h"
#include "format/image.h"

/* Parses the directory of an image whose header has been read; fills tables and sums. */
ink_status ink__directory_parse(ink__image *image, ink_error *error);

/* The value of a column for entry `index` of its table. */
static inline uint64_t ink__column_get(const ink__column *column, uint64_t index)
{
    if (column->form == INK__FORM_ONE)
        return column->value;
    const uint8_t *at = column->data + index * column->width;
    switch (column->width) {
    case 1:
        return *at;
    case 2:
        return ink__load_u16(at);
    case 4:
        return ink__load_u32(at);
    default:
        return ink__load_u64(at);
    }
}

#endif
