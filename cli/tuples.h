/* tuples.h - keys of several columns as text. */
#ifndef INK_CLI_TUPLES_H
#define INK_CLI_TUPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the bytes are a tuple of so many columns, and nothing else. */
bool tuple_has(const void *key, size_t bytes, size_t columns);

/* A tuple as a record of CSV: columns with a comma, a quote or a line end in them stand in quotes.
 * The caller frees it. */
uint8_t *tuple_join(const void *key, size_t bytes, size_t *count);

#endif
