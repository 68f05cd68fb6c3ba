/* directory.h - the directory of a file in memory: tables of columns, parsed and checked in place,
 * then asked for entries and payloads. image.h has the rest of the file. */
#ifndef INK_FORMAT_DIRECTORY_H
#define INK_FORMAT_DIRECTORY_H

#include "base/bits.h"
#include "base/crew.h"
#include "format/layout.h"

/* A column of a table; one that the file leaves out has form ONE and value 0. */
typedef struct ink__column {
    const uint8_t *data; /* in the file; NULL if left out */
    uint64_t       value;
    uint8_t        form;
    uint8_t        width;
} ink__column;

typedef struct ink__directory_table {
    uint16_t    kind;
    uint16_t    position_rule;
    uint16_t    layout;
    uint64_t    described_at; /* the offset of its description in the file */
    uint64_t    first;        /* number of its first entry in the file */
    uint64_t    entries;
    ink__column columns[INK__COLUMNS];
} ink__directory_table;

/* A whole file in memory. */
typedef struct ink__image {
    const uint8_t       *bytes;
    uint64_t             count;
    ink__identity        keys; /* as the header has it, not checked */
    uint64_t             entries;
    uint64_t             payload_at; /* the area's offset; its size follows */
    uint64_t             payload_bytes;
    const uint8_t       *sums; /* of its pieces, in the directory */
    uint64_t             sections_at;
    uint64_t             section_count; /* without the end section */
    bool                 checked;       /* set by the owner once all payloads have been */
    unsigned             table_count;
    ink__directory_table tables[INK__TABLES_MAX];
} ink__image;

/* Parses the directory of an image whose header has been read; fills tables and sums. The crew
 * (NULL: none) checks many entries. */
ink_status ink__directory_parse(ink__image *image, const ink__crew *crew, ink_error *error);

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

/* Entry `index` < image->entries, and the payload of an entry. */
void           ink__image_entry(const ink__image *image, uint64_t index, ink__entry *entry);
const uint8_t *ink__image_payload(const ink__image *image, const ink__entry *entry);

/* The number in the file of the table's entry with this label; or false, and the number of the
 * first entry after it. */
bool ink__directory_find(const ink__directory_table *table, const ink_label *label,
                         uint64_t *index);

/* The offset of the value of a column for entry `index` of the file, for error messages; that of
 * the table's description if the column is left out. */
uint64_t ink__image_cell(const ink__image *image, uint64_t index, unsigned column);

#endif
