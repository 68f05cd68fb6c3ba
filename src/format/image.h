/* image.h - a whole file in memory, read in place: parsed and checked once, without allocating, and
 * then asked for entries, payloads and sections. Knows nothing of what kinds mean. */
#ifndef INK_FORMAT_IMAGE_H
#define INK_FORMAT_IMAGE_H

#include "format/layout.h"

/* A column of a table; one that the file leaves out has form ONE and value 0. */
typedef struct ink__column {
    const uint8_t *data; /* in the file; NULL if left out */
    uint64_t       value;
    uint8_t        form;
    uint8_t        width;
} ink__column;

typedef struct ink__table {
    uint16_t    kind;
    uint16_t    position_rule;
    uint16_t    layout;
    uint64_t    described_at; /* where its description stands in the file */
    uint64_t    first;        /* number of its first entry in the file */
    uint64_t    entries;
    ink__column columns[INK__COLUMNS];
} ink__table;

typedef struct ink__image {
    const uint8_t *bytes;
    uint64_t       count;
    ink__identity  keys; /* as the header has it, not checked */
    uint64_t       entries;
    uint64_t       payload_at; /* the area's offset; its size follows */
    uint64_t       payload_bytes;
    const uint8_t *sums; /* of its pieces, in the directory */
    uint64_t       sections_at;
    uint64_t       section_count; /* without the end section */
    bool           checked;       /* set by the owner once all payloads have been */
    unsigned       table_count;
    ink__table     tables[INK__TABLES_MAX];
} ink__image;

/* Checks what can be checked from the first INK__HEADER_BYTES bytes (fewer, if the file is shorter)
 * of a file of `count` bytes, before anything is allocated or mapped for the rest. */
ink_status ink__image_check_header(const uint8_t *header, uint64_t count, ink_error *error);

/* Reads a file: header, directory and sections are checked wholly, payloads not at all. `bytes`
 * must outlive the image. INK_FORMAT tells field and offset. */
ink_status ink__image_parse(ink__image *image, const uint8_t *bytes, uint64_t count,
                            ink_error *error);

/* Checks the pieces that hold bytes `from` to `from + count` of the payload area, unless all have
 * been checked before. */
ink_status ink__image_check_pieces(const ink__image *image, uint64_t from, uint64_t count,
                                   ink_error *error);

/* Checks all pieces, and that what lies between payloads is zero. */
ink_status ink__image_check_payloads(const ink__image *image, ink_error *error);

/* The table that holds entry `index` < image->entries. */
const ink__table *ink__image_table(const ink__image *image, uint64_t index);

void           ink__image_entry(const ink__image *image, uint64_t index, ink__entry *entry);
const uint8_t *ink__image_payload(const ink__image *image, const ink__entry *entry);

/* The number in the file of the table's entry with this label; or false, and the number of the
 * first entry behind it. */
bool ink__table_find(const ink__table *table, const ink_label *label, uint64_t *index);

/* Where the value of a column for entry `index` of the file stands, for error messages; the table's
 * description if the column is left out. */
uint64_t ink__image_cell(const ink__image *image, uint64_t index, unsigned column);

/* Section `index` < image->section_count. */
void ink__image_section(const ink__image *image, uint64_t index, ink_section *section);

#endif
