/* keys.h - values as keys, for the parts of adapters/sql.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKSQL_KEYS_H
#define INKSQL_KEYS_H

#include "sql.h"

enum { INKSQL_DIGITS_BYTES = 24 };

/* INK_USAGE unless the value, which is not NULL, is a key. */
ink_status inksql_check_key(const inksql_function *function, const inksql_value *key,
                            inksql_error *error);

/* INK_MISMATCH: a key of the other type than a sketch's, with the cast. */
ink_status inksql_mixed_types(const inksql_function *function, ink_key_type of_sketch,
                              inksql_error *error);

static inline bool inksql_is_int(const inksql_value *key)
{
    return key->type == INKSQL_INT || key->type == INKSQL_UINT;
}

/* A key as text: itself, or its decimal digits, in `digits`. */
const void *inksql_key_text(const inksql_value *value, char digits[INKSQL_DIGITS_BYTES],
                            size_t *bytes);

/* ink_tuple. */
ink_status inksql_tuple(const inksql_function *function, const inksql_value *parts, size_t count,
                        const inksql_output *output, inksql_value *result, inksql_error *error);

#endif
