/* tuples.h - keys of several columns as text. */
#ifndef INK_CLI_REPORT_TUPLES_H
#define INK_CLI_REPORT_TUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the next column off a tuple; false if there is none. Of a tuple that is `cut` the last one
 * is what is left of it. */
bool tuple_next(const uint8_t **key, size_t *bytes, bool cut, const uint8_t **column,
                size_t *column_bytes);

/* Whether the bytes are a tuple of so many columns, or the beginning of one, and nothing else. */
bool tuple_has(const void *key, size_t bytes, bool cut, size_t columns);

/* A tuple as a record of CSV: columns with a comma, a quote or a line end in them stand in quotes.
 * The caller frees it. */
uint8_t *tuple_join(const void *key, size_t bytes, bool cut, size_t *count);

#endif
