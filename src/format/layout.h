/* layout.h - the numbers of the file format that reader and writer share; docs/format.md says what
 * they mean.
 *
 * The folder src/format owns the bytes of .ink files and knows nothing of kinds. Read this header
 * beside docs/format.md, then directory.h and image.h (reading) and write.h (writing). Only
 * src/sketch calls it. */
#ifndef INK_FORMAT_LAYOUT_H
#define INK_FORMAT_LAYOUT_H

#include "inkling_file.h"

#define INK__MAGIC "\x89INK\r\n\x1a\n"
#define INK__FORMAT_VERSION 1

/* Offsets of the header's fields. */
enum {
    INK__HEADER_VERSION = 8,
    INK__HEADER_FLAGS = 10,
    INK__HEADER_KEY_TYPE = 12,
    INK__HEADER_HASH = 14,
    INK__HEADER_SEED = 16,
    INK__HEADER_CHECK = 24,
    INK__HEADER_ENTRIES = 32,
    INK__HEADER_DIRECTORY = 40,
    INK__HEADER_PAYLOAD = 48,
    INK__HEADER_CHECKSUM = 56,
    INK__HEADER_BYTES = 64,
};
_Static_assert(INK__HEADER_CHECKSUM + 8 == INK__HEADER_BYTES, "the checksum ends the header");

enum {
    INK__TABLES_MAX = 16,
    INK__FIELDS_MAX = 8, /* parameters of a kind */
    INK__GROUP_BYTES_MAX = 65535,
    INK__SECTIONS_MAX = 64,   /* besides the end section */
    INK__DIRECTORY_UNIT = 64, /* the directory ends on a multiple of this */
    INK__PIECE_BYTES = 1 << 20,
    INK__CREW_PIECES = 4, /* that are worth a thread */
    INK__PAYLOAD_UNIT = 32,
    INK__LARGE_PAYLOAD_BYTES = 4096, /* from here on aligned to ... */
    INK__LARGE_PAYLOAD_UNIT = 64,
};

/* Columns of a table, in order of their ids in the file. */
enum {
    INK__COLUMN_GROUP_KIND,
    INK__COLUMN_GROUP_END,
    INK__COLUMN_GROUP_BYTES,
    INK__COLUMN_SLOT_KIND,
    INK__COLUMN_SLOT,
    INK__COLUMN_RECORDS,
    INK__COLUMN_PAYLOAD_OFFSET,
    INK__COLUMN_PAYLOAD_BYTES,
    INK__COLUMN_FIELD, /* parameter i is column INK__COLUMN_FIELD + i */
    INK__COLUMNS = INK__COLUMN_FIELD + INK__FIELDS_MAX,
};

enum { INK__FORM_ONE = 0, INK__FORM_EACH = 1, INK__FORM_BYTES = 2 };

/* The id of a column in the file, and back (INK__COLUMNS if there is none). */
static inline unsigned ink__column_id(unsigned column)
{
    return column < INK__COLUMN_FIELD ? column + 1 : column - INK__COLUMN_FIELD + 16;
}

static inline unsigned ink__column_of_id(unsigned id)
{
    if (id >= 1 && id <= INK__COLUMN_FIELD)
        return id - 1;
    return id >= 16 && id < 16 + INK__FIELDS_MAX ? id - 16 + INK__COLUMN_FIELD : INK__COLUMNS;
}

#define INK__SECTION_END 0xffffffffu
#define INK__SECTION_CRITICAL 1u
#define INK__SECTION_START_BYTES 16u /* id, flags and the number of bytes */

/* The key rule in the header; the hash layer knows what the numbers mean. */
typedef struct ink__identity {
    uint64_t key_type;
    uint64_t hash;
    uint64_t seed;
    uint64_t check;
} ink__identity;

/* One entry of the directory. */
typedef struct ink__entry {
    uint16_t  kind;
    uint16_t  position_rule;
    uint16_t  layout;
    ink_label label;
    uint64_t  records;
    uint64_t  payload_offset;
    uint64_t  payload_bytes;
    uint64_t  fields[INK__FIELDS_MAX];
} ink__entry;

/* INK_USAGE if a label is invalid, or has something that would be lost. */
ink_status ink__label_check(const ink_label *label, ink_error *error);

/* The smallest width of a column that holds this value. */
static inline uint8_t ink__width_of(uint64_t value)
{
    return value <= UINT8_MAX ? 1 : value <= UINT16_MAX ? 2 : value <= UINT32_MAX ? 4 : 8;
}

/* The number of pieces of a payload area. */
static inline uint64_t ink__pieces_in(uint64_t payload_bytes)
{
    return payload_bytes / INK__PIECE_BYTES + (payload_bytes % INK__PIECE_BYTES != 0);
}

/* The offset of a payload of this size after `end`; false if that overflows. */
bool ink__payload_location(uint64_t end, uint64_t bytes, uint64_t *offset);

#endif
