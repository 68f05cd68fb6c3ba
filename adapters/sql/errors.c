/* errors.c - one line for each failure, in the words of SQL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sql.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ink_status inksql_fail(inksql_error *error, const inksql_function *function, ink_status status,
                       const char *format, ...)
{
    va_list arguments;
    int     used = snprintf(error->text, sizeof error->text, "%s: ", function->name);

    error->status = status;
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    va_end(arguments);
    return status;
}

/* Where a message asks for the same option again, it shows how that is written. */
static const char *const in_options[] = {
    [INK_PARAMETER_KIND] = "kind",
    [INK_PARAMETER_EXPECTED_KEYS] = "n",
    [INK_PARAMETER_FALSE_POSITIVE_RATE] = "p",
    [INK_PARAMETER_BITS] = "bits",
    [INK_PARAMETER_HASHES] = "hashes",
    [INK_PARAMETER_EPSILON] = "eps",
    [INK_PARAMETER_DELTA] = "delta",
    [INK_PARAMETER_WIDTH] = "width",
    [INK_PARAMETER_DEPTH] = "depth",
    [INK_PARAMETER_COUNTER_BITS] = "counters",
    [INK_PARAMETER_CONSERVATIVE] = "conservative",
    [INK_PARAMETER_TOP_KEYS] = "k",
    [INK_PARAMETER_PHI] = "phi",
    [INK_PARAMETER_PRECISION] = "precision",
    [INK_PARAMETER_KEY_TYPE] = "a cast of the key",
    [INK_PARAMETER_HASH] = "hash",
    [INK_PARAMETER_SEED] = "seed",
    [INK_PARAMETER_MAX_RATE] = "max-rate",
    [INK_PARAMETER_RATE] = "rate",
    [INK_PARAMETER_K] = "k",
    [INK_PARAMETER_MEMORY_BYTES] = "memory",
    [INK_PARAMETER_HEADROOM] = "headroom",
};

enum { PARAMETERS = sizeof in_options / sizeof *in_options };

ink_status inksql_fail_as(inksql_error *error, const inksql_function *function,
                          const ink_error *from)
{
    const char *names[PARAMETERS];
    char        text[2 * INK_MESSAGE_BYTES];

    memcpy(names, in_options, sizeof names);
    if (from->status == INK_MISMATCH)
        names[INK_PARAMETER_EXPECTED_KEYS] = "n=";
    ink_error_text_named(from, names, PARAMETERS, text, sizeof text);
    return inksql_fail(error, function, from->status, "%s", text);
}

ink_status inksql_fail_in_file(inksql_error *error, const inksql_function *function,
                               const char *path, size_t bytes, const inksql_error *from)
{
    return inksql_fail(error, function, from->status, "%.*s: %s", (int)bytes, path,
                       from->text + strlen(function->name) + 2);
}

ink_status inksql_refuse_type(const inksql_function *function, const char *type, size_t bytes,
                              inksql_error *error)
{
    return inksql_fail(error, function, INK_USAGE,
                       "a key of type %.*s, expected an integer, text, bytes, a date or a "
                       "timestamp; cast it: %s",
                       (int)(bytes < 128 ? bytes : 128), type, inksql_engine_here.cast_to_text);
}

ink_status inksql_refuse_infinity(const inksql_function *function, inksql_error *error)
{
    return inksql_fail(error, function, INK_USAGE,
                       "a key that is an infinite date or timestamp, expected a finite one");
}
