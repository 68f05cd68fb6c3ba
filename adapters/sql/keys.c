/* keys.c - values as keys: timestamps, and several columns as one key (docs/keys.md).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MICROSECONDS = 1000000, PART_BYTES_MAX = (1 << 27) - 1, LENGTH_BYTES = 4 };

ink_status inksql_timestamp(const inksql_function *function, int64_t count, int64_t per_second,
                            inksql_value *key, inksql_error *error)
{
    int64_t whole;

    if (per_second <= MICROSECONDS) {
        if (__builtin_mul_overflow(count, MICROSECONDS / per_second, &whole))
            return inksql_fail(error, function, INK_USAGE,
                               "a timestamp that does not fit a key of 64 bits of microseconds");
    } else {
        whole = count / (per_second / MICROSECONDS);
        if (whole * (per_second / MICROSECONDS) != count)
            return inksql_fail(error, function, INK_USAGE,
                               "a timestamp that is no whole number of microseconds, expected one; "
                               "cast it: key::timestamp");
    }
    *key = (inksql_value){.type = INKSQL_INT, .whole = whole};
    return INK_OK;
}

ink_status inksql_check_key(const inksql_function *function, const inksql_value *key,
                            inksql_error *error)
{
    static const char *const names[] = {[INKSQL_REAL] = "REAL", [INKSQL_BOOLEAN] = "BOOLEAN"};

    switch (key->type) {
    case INKSQL_INT:
    case INKSQL_UINT:
    case INKSQL_TEXT:
    case INKSQL_BYTES:
        return INK_OK;
    case INKSQL_REFUSED:
        return inksql_refuse_type(function, key->data, key->bytes, error);
    case INKSQL_REAL:
    case INKSQL_BOOLEAN:
        return inksql_refuse_type(function, names[key->type], strlen(names[key->type]), error);
    case INKSQL_NULL:
    case INKSQL_OPENED:
    default:
        return inksql_fail(error, function, INK_USAGE, "a key that is no value");
    }
}

ink_status inksql_mixed_types(const inksql_function *function, ink_key_type of_sketch,
                              inksql_error *error)
{
    if (of_sketch == INK_KEY_INT)
        return inksql_fail(error, function, INK_MISMATCH,
                           "a text key and a sketch of integers, expected an integer; cast it: %s",
                           inksql_engine_here.cast_to_int);
    return inksql_fail(error, function, INK_MISMATCH,
                       "an integer key and a sketch of texts, expected a text; cast it: %s",
                       inksql_engine_here.cast_to_text);
}

const void *inksql_key_text(const inksql_value *value, char digits[INKSQL_DIGITS_BYTES],
                            size_t *bytes)
{
    if (value->type == INKSQL_TEXT || value->type == INKSQL_BYTES) {
        *bytes = value->bytes;
        return value->data;
    }
    *bytes =
        (size_t)(value->type == INKSQL_UINT
                     ? snprintf(digits, INKSQL_DIGITS_BYTES, "%" PRIu64, (uint64_t)value->whole)
                     : snprintf(digits, INKSQL_DIGITS_BYTES, "%" PRId64, value->whole));
    return digits;
}

/* The bytes of a tuple, or with `to` NULL only how many. */
static size_t put_tuple(const inksql_value *parts, size_t count, uint8_t *to)
{
    char   digits[INKSQL_DIGITS_BYTES];
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        size_t      bytes;
        const void *data = inksql_key_text(&parts[i], digits, &bytes);
        if (to != NULL) {
            for (int k = 0; k < LENGTH_BYTES; k++)
                to[used + (size_t)k] = (uint8_t)(bytes >> (8 * k));
            if (bytes > 0)
                memcpy(to + used + LENGTH_BYTES, data, bytes);
        }
        used += LENGTH_BYTES + bytes;
    }
    return used;
}

ink_status inksql_tuple(const inksql_function *function, const inksql_value *parts, size_t count,
                        const inksql_output *output, inksql_value *result, inksql_error *error)
{
    ink_status status = INK_OK;

    for (size_t i = 0; i < count && status == INK_OK; i++) {
        status = inksql_check_key(function, &parts[i], error);
        if (status == INK_OK && parts[i].bytes > PART_BYTES_MAX)
            status = inksql_fail(error, function, INK_LIMIT,
                                 "a part of %zu bytes, expected fewer than 2^27", parts[i].bytes);
    }
    if (status != INK_OK)
        return status;
    if (count == 0)
        return inksql_fail(error, function, INK_USAGE, "no arguments, expected at least one");
    size_t   bytes = put_tuple(parts, count, NULL);
    uint8_t *to = output->room(output->host, bytes);
    if (to == NULL)
        return inksql_fail(error, function, INK_MEMORY, "no memory for %zu bytes", bytes);
    put_tuple(parts, count, to);
    *result = (inksql_value){.type = INKSQL_BYTES, .data = to, .bytes = bytes};
    return INK_OK;
}
