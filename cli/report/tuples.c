/* tuples.c - keys of several columns as text. */
#include "report/tuples.h"

#include "inkling_job.h"
#include "report/failure.h"

#include <string.h>

/* Each column follows its length (docs/input.md). */
enum { LENGTH_BYTES = 4 };

bool tuple_next(const uint8_t **key, size_t *bytes, bool cut, const uint8_t **column,
                size_t *column_bytes)
{
    if (ink_tuple_next(key, bytes, column, column_bytes))
        return true;
    if (!cut || *bytes < LENGTH_BYTES)
        return false;
    *column = *key + LENGTH_BYTES;
    *column_bytes = *bytes - LENGTH_BYTES;
    *key += *bytes;
    *bytes = 0;
    return true;
}

bool tuple_has(const void *key, size_t bytes, bool cut, size_t columns)
{
    const uint8_t *at = key, *column;
    size_t         column_bytes, whole = 0;

    while (whole < columns && ink_tuple_next(&at, &bytes, &column, &column_bytes))
        whole++;
    return cut ? whole < columns : whole == columns && bytes == 0;
}

static bool needs_quotes(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' || bytes[i] == '\r')
            return true;
    return false;
}

static uint8_t *put_quoted(uint8_t *to, const uint8_t *bytes, size_t count)
{
    *to++ = '"';
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '"')
            *to++ = '"';
        *to++ = bytes[i];
    }
    *to++ = '"';
    return to;
}

uint8_t *tuple_join(const void *key, size_t bytes, bool cut, size_t *count)
{
    /* Quotes and a comma are shorter than a column's length; inner quotes are doubled. */
    uint8_t       *record = need_memory(NULL, 2 * bytes), *to = record;
    const uint8_t *at = key, *column;
    size_t         column_bytes;

    for (bool first = true; tuple_next(&at, &bytes, cut, &column, &column_bytes); first = false) {
        if (!first)
            *to++ = ',';
        if (needs_quotes(column, column_bytes)) {
            to = put_quoted(to, column, column_bytes);
        } else {
            memcpy(to, column, column_bytes);
            to += column_bytes;
        }
    }
    *count = (size_t)(to - record);
    return record;
}
