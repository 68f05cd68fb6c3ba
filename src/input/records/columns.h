/* columns.h - which column a user means: a number, counted from 1, or a name in the header. */
#ifndef INK_INPUT_RECORDS_COLUMNS_H
#define INK_INPUT_RECORDS_COLUMNS_H

#include "input/records/fields.h"

/* Finds the column that `text` names, counted from 0: digits are a number, anything else is a name
 * in `header`, a record without its end, or NULL if there is none. INK_USAGE lists the names there
 * are; INK_FORMAT, at a byte of the header, if that is no CSV. */
ink_status ink__column_find(const char *text, ink__field_form form, uint8_t delimiter,
                            const uint8_t *header, uint64_t header_bytes, uint32_t *column,
                            ink_error *error);

#endif
