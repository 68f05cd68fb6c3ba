/* tuples.h - keys of several columns as text. */
#ifndef INK_CLI_REPORT_TUPLES_H
#define INK_CLI_REPORT_TUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the next column off a tuple; false if there is none. The last column of a `cut` tuple may
 * be partial. */
bool tuple_next(const uint8_t **key, size_t *bytes, bool cut, const uint8_t **column,
                size_t *column_bytes);

/* Whether the bytes are exactly a tuple of `columns` columns, or if `cut` the beginning of one. */
bool tuple_has(const void *key, size_t bytes, bool cut, size_t columns);

/* A tuple as a CSV record: columns that contain a comma, a quote or a line end are quoted. The
 * caller frees it. */
uint8_t *tuple_join(const void *key, size_t bytes, bool cut, size_t *count);

#endif
