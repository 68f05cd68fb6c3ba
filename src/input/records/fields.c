/* fields.c - a record cut into fields, as far as the last one that is wanted. */
#include "input/records/fields.h"

#include "base/status.h"

#include <string.h>

/* The next delimiter, or `end`. */
static uint64_t find(const uint8_t *bytes, uint64_t start, uint64_t end, uint8_t delimiter)
{
    const uint8_t *at =
        end > start ? memchr(bytes + start, delimiter, (size_t)(end - start)) : NULL;

    return at == NULL ? end : (uint64_t)(at - bytes);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

/* ---- One field ---------------------------------------------------------------------------- */

/* The field that starts at `at` in quotes; *next is the delimiter after it, or `end`. */
static ink_status quoted_field(const uint8_t *bytes, uint64_t at, uint64_t end, uint8_t delimiter,
                               ink__field *field, uint64_t *next, ink_error *error)
{
    uint64_t quote = at;

    *field = (ink__field){.start = at + 1};
    for (;;) {
        quote = find(bytes, quote + 1, end, '"');
        if (quote == end)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                             "a quote that is not closed in its record, expected one "
                             "(--csv-multiline allows line ends in quotes)");
        if (quote + 1 == end || bytes[quote + 1] != '"')
            break;
        field->doubled = true;
        quote++;
    }
    field->end = quote;
    *next = quote + 1;
    if (*next < end && bytes[*next] != delimiter)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, *next,
                         "text after a closing quote, expected a delimiter");
    return INK_OK;
}

static ink_status csv_field(const uint8_t *bytes, uint64_t at, uint64_t end, uint8_t delimiter,
                            ink__field *field, uint64_t *next, ink_error *error)
{
    if (at < end && bytes[at] == '"')
        return quoted_field(bytes, at, end, delimiter, field, next, error);
    *next = find(bytes, at, end, delimiter);
    *field = (ink__field){.start = at, .end = *next};
    uint64_t quote = find(bytes, at, *next, '"');
    if (quote != *next)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, quote,
                         "a quote within a field, expected the whole field in quotes");
    return INK_OK;
}

static bool blank_field(const uint8_t *bytes, uint64_t *at, uint64_t end, ink__field *field)
{
    uint64_t start = *at;

    while (start < end && is_blank(bytes[start]))
        start++;
    uint64_t next = start;
    while (next < end && !is_blank(bytes[next]))
        next++;
    *field = (ink__field){.start = start, .end = next};
    *at = next;
    return next > start;
}

/* After the last field *at is end + 1: no delimiter is left that another could follow. */
ink_status ink__fields_next(ink__field_form form, uint8_t delimiter, const uint8_t *bytes,
                            uint64_t *at, uint64_t end, ink__field *field, bool *is,
                            ink_error *error)
{
    uint64_t next = end;

    *is = form == INK__FIELDS_BLANKS ? blank_field(bytes, at, end, field) : *at <= end;
    if (!*is || form == INK__FIELDS_BLANKS)
        return INK_OK;
    if (form == INK__FIELDS_CSV) {
        INK__TRY(csv_field(bytes, *at, end, delimiter, field, &next, error));
    } else {
        next = find(bytes, *at, end, delimiter);
        *field = (ink__field){.start = *at, .end = next};
    }
    *at = next + 1;
    return INK_OK;
}

/* ---- All fields --------------------------------------------------------------------------- */

/* A loop of its own: with ink__fields_next it would take 6 % more instructions. */
static void find_between_blanks(const uint8_t *bytes, uint64_t start, uint64_t end,
                                const uint32_t *wanted, size_t count, ink__field *fields,
                                size_t *found, uint32_t *passed)
{
    for (uint32_t number = 0; *found < count; number++) {
        while (start < end && is_blank(bytes[start]))
            start++;
        if (start == end) {
            if (passed != NULL)
                *passed = number;
            return;
        }
        ink__field field = {.start = start};
        while (start < end && !is_blank(bytes[start]))
            start++;
        field.end = start;
        if (number == wanted[*found])
            fields[(*found)++] = field;
    }
}

ink_status ink__fields_find(ink__field_form form, uint8_t delimiter, const uint8_t *bytes,
                            uint64_t start, uint64_t end, const uint32_t *wanted, size_t count,
                            ink__field *fields, size_t *found, uint32_t *passed, ink_error *error)
{
    uint64_t   at = start, last = end;
    ink__field field;
    bool       is = true;

    *found = 0;
    if (form == INK__FIELDS_BLANKS) {
        find_between_blanks(bytes, start, end, wanted, count, fields, found, passed);
        return INK_OK;
    }
    for (uint32_t number = 0; *found < count; number++) {
        INK__TRY(ink__fields_next(form, delimiter, bytes, &at, end, &field, &is, error));
        if (!is) {
            if (passed != NULL)
                *passed = number;
            return INK_OK;
        }
        if (number == wanted[*found])
            fields[(*found)++] = field;
    }
    if (form != INK__FIELDS_CSV)
        return INK_OK;
    /* Quotes after the last field that is wanted must be right too: one that is not closed means
     * that the record goes on in the next line. */
    while (last >= at && last > start && bytes[last - 1] != '"')
        last--;
    while (at <= last)
        INK__TRY(ink__fields_next(form, delimiter, bytes, &at, end, &field, &is, error));
    return INK_OK;
}

uint64_t ink__field_unquote(const uint8_t *bytes, const ink__field *field, uint8_t *copy)
{
    uint64_t length = 0;

    for (uint64_t at = field->start; at < field->end; at++) {
        copy[length++] = bytes[at];
        at += bytes[at] == '"'; /* and not its double */
    }
    return length;
}
