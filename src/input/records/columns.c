/* columns.c - which column a user means. A name that consists of digits can only be reached by its
 * number. */
#include "input/records/columns.h"

#include "base/status.h"
#include "base/text.h"
#include "input/records/parse_number.h"

#include <string.h>

enum { COLUMN_NUMBER_MAX = 1 << 20, NAMES_BYTES = 160 };

/* Whether a field, quotes taken off, is this text. */
static bool is_named(const uint8_t *header, const ink__field *field, const char *text)
{
    uint64_t at = field->start;

    for (; *text != '\0' && at < field->end; text++, at++) {
        if (header[at] != (uint8_t)*text)
            return false;
        at += field->doubled && header[at] == '"'; /* and not its double */
    }
    return *text == '\0' && at == field->end;
}

/* Adds a name to those that an error lists, if there is room. */
static void add_name(char names[NAMES_BYTES], const uint8_t *header, const ink__field *field)
{
    size_t used = strlen(names);
    char   name[48];

    ink__quote(name, sizeof name, header + field->start, (size_t)(field->end - field->start));
    if (used + strlen(name) + 10 < NAMES_BYTES)
        ink__format(names + used, NAMES_BYTES - used, "%s\"%s\"", used == 0 ? "" : ", ", name);
    else if (used >= 3 && strcmp(names + used - 3, "...") != 0)
        ink__format(names + used, NAMES_BYTES - used, ", ...");
}

static ink_status find_name(const char *text, ink__field_form form, uint8_t delimiter,
                            const uint8_t *header, uint64_t header_bytes, uint32_t *column,
                            ink_error *error)
{
    char     names[NAMES_BYTES] = "";
    bool     known = false, is;
    uint64_t at = 0;

    for (uint32_t number = 0; number < COLUMN_NUMBER_MAX; number++) {
        ink__field field;
        INK__TRY(ink__fields_next(form, delimiter, header, &at, header_bytes, &field, &is, error));
        if (!is)
            break;
        add_name(names, header, &field);
        if (!is_named(header, &field, text))
            continue;
        if (known)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "columns %u and %u are both named \"%s\": give a number", *column + 1,
                             number + 1, text);
        *column = number;
        known = true;
    }
    if (known)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no column \"%s\", expected one of %s", text,
                     names);
}

ink_status ink__column_find(const char *text, ink__field_form form, uint8_t delimiter,
                            const uint8_t *header, uint64_t header_bytes, uint32_t *column,
                            ink_error *error)
{
    uint64_t number;

    if (ink__number_weight((const uint8_t *)text, strlen(text), &number)) {
        if (number == 0 || number > COLUMN_NUMBER_MAX)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "column %s, expected 1 to 2^20",
                             text);
        *column = (uint32_t)(number - 1);
        return INK_OK;
    }
    if (header == NULL)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "column \"%s\" without a header, expected a number, or a header (--header)", text);
    return find_name(text, form, delimiter, header, header_bytes, column, error);
}
