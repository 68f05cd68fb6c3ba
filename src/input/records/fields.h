/* fields.h - a record cut into fields: at a delimiter, at runs of blanks as awk does, or as CSV
 * with quotes [RFC 4180]; and which of them, a column, a user means. */
#ifndef INK_INPUT_RECORDS_FIELDS_H
#define INK_INPUT_RECORDS_FIELDS_H

#include "inkling.h"

typedef enum ink__field_form {
    INK__FIELDS_DELIMITED, /* every delimiter separates two fields, which may be empty */
    INK__FIELDS_CSV,       /* the same, but a field may stand in quotes, and then hold anything */
    INK__FIELDS_BLANKS,    /* runs of blanks and tabs separate; those at both ends do not count */
} ink__field_form;

typedef struct ink__field {
    uint64_t start, end; /* without its quotes */
    bool     changed;    /* quotes within it are doubled still: see ink__field_unquote; what stands
                            in JSON has escaped characters */
    bool null, hex;      /* of JSON alone: no value; two hexadecimal digits for each byte */
} ink__field;

static inline bool ink__is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

/* Finds the fields number wanted[i], counted from 0 and rising, of the record from `start` up to
 * `end`. Sets *found to how many of them there are: the record has no field wanted[*found] if that
 * is less than `count`, and *passed becomes how many it has. INK_FORMAT, at a byte of
 * `bytes`, for bad CSV: text after a closing quote, a quote within a field that does not start with
 * one, or no closing quote. */
ink_status ink__fields_find(ink__field_form form, uint8_t delimiter, const uint8_t *bytes,
                            uint64_t start, uint64_t end, const uint32_t *wanted, size_t count,
                            ink__field *fields, size_t *found, uint32_t *passed, ink_error *error);

/* The character that seems to separate the fields of a record of CSV instead of the delimiter,
 * because it occurs more often, as text for a message; NULL if there is none. */
const char *ink__other_delimiter(ink__field_form form, uint8_t delimiter, const uint8_t *bytes,
                                 uint64_t start, uint64_t end);

/* Copies a field with its doubled quotes single; returns its length, no more than it had. */
uint64_t ink__field_unquote(const uint8_t *bytes, const ink__field *field, uint8_t *copy);

/* Finds the column that `text` names, counted from 0: digits are a number from 1, anything else is
 * a name in `header`, a record without its end, or NULL if there is none. INK_USAGE lists the names
 * there are; INK_FORMAT, at a byte of the header, if that is no CSV. */
ink_status ink__column_find(const char *text, ink__field_form form, uint8_t delimiter,
                            const uint8_t *header, uint64_t header_bytes, uint32_t *column,
                            ink_error *error);

/* Counts the columns of a header; *number is that of the first that `name` names, counted from 0,
 * and *count if there is none. INK_FORMAT, at a byte of the header, if that is no CSV. */
ink_status ink__columns_count(const char *name, ink__field_form form, uint8_t delimiter,
                              const uint8_t *header, uint64_t header_bytes, uint32_t *count,
                              uint32_t *number, ink_error *error);

#endif
