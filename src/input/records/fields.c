/* fields.c - a record cut into fields, as far as the last one that is wanted; and the column that a
 * user means: a name that consists of digits can only be reached by its number. */
#include "input/records/fields.h"

#include "base/bits.h"
#include "base/status.h"
#include "base/text.h"
#include "input/records/parse_number.h"

#include <string.h>

enum { COLUMN_NUMBER_MAX = 1 << 20, NAMES_BYTES = 160, NEAR_BYTES = 32 };

/* The next delimiter, or `end`. */
static uint64_t find(const uint8_t *bytes, uint64_t start, uint64_t end, uint8_t delimiter)
{
    const uint8_t *at =
        end > start ? memchr(bytes + start, delimiter, (size_t)(end - start)) : NULL;

    return at == NULL ? end : (uint64_t)(at - bytes);
}

/* ---- One field ---------------------------------------------------------------------------- */

static uint64_t how_often(const uint8_t *bytes, uint64_t start, uint64_t end, uint8_t byte)
{
    uint64_t count = 0;

    for (uint64_t at = start; at < end; at++)
        count += bytes[at] == byte;
    return count;
}

const char *ink__other_delimiter(ink__field_form form, uint8_t delimiter, const uint8_t *bytes,
                                 uint64_t start, uint64_t end)
{
    static const struct {
        uint8_t     byte;
        const char *text;
    } others[] = {{';', ";"}, {'\t', "\\t"}, {'|', "|"}, {',', ","}};

    for (size_t i = 0; form == INK__FIELDS_CSV && i < sizeof others / sizeof *others; i++)
        if (how_often(bytes, start, end, others[i].byte) > how_often(bytes, start, end, delimiter))
            return others[i].text;
    return NULL;
}

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
                             "({multiline} allows line ends in quotes)");
        if (quote + 1 == end || bytes[quote + 1] != '"')
            break;
        field->changed = true;
        quote++;
    }
    field->end = quote;
    *next = quote + 1;
    if (*next == end || bytes[*next] == delimiter)
        return INK_OK;
    const char *other = ink__other_delimiter(INK__FIELDS_CSV, delimiter, bytes, *next, *next + 1);
    return other == NULL ? ink__fail(error, INK_FORMAT, INK_AT_BYTE, *next,
                                     "text after a closing quote, expected a delimiter")
                         : ink__fail(error, INK_FORMAT, INK_AT_BYTE, *next,
                                     "text after a closing quote, expected a delimiter (or '%s' as "
                                     "{delimiter})",
                                     other);
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

    while (start < end && ink__is_blank(bytes[start]))
        start++;
    uint64_t next = start;
    while (next < end && !ink__is_blank(bytes[next]))
        next++;
    *field = (ink__field){.start = start, .end = next};
    *at = next;
    return next > start;
}

/* The fields of a record one after another: *at is the start of the record first, and moves past
 * the field; *is: there was one. After the last field *at is end + 1: no delimiter is left that
 * another could follow. */
static ink_status next_field(ink__field_form form, uint8_t delimiter, const uint8_t *bytes,
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

/* A loop of its own: with next_field it would take 6 % more instructions. */
static void find_between_blanks(const uint8_t *bytes, uint64_t start, uint64_t end,
                                const uint32_t *wanted, size_t count, ink__field *fields,
                                size_t *found, uint32_t *passed)
{
    for (uint32_t number = 0; *found < count; number++) {
        ink__field field;
        if (!blank_field(bytes, &start, end, &field)) {
            *passed = number;
            return;
        }
        if (number == wanted[*found])
            fields[(*found)++] = field;
    }
}

/* The delimiters among the eight bytes at `bytes`: the highest bit of each. */
static inline uint64_t delimiters_at(const uint8_t *bytes, uint8_t delimiter)
{
    const uint64_t lows = 0x7f7f7f7f7f7f7f7fu;
    uint64_t       differ = ink__load_u64(bytes) ^ 0x0101010101010101u * delimiter;

    return ~(((differ & lows) + lows) | differ | lows);
}

/* The delimiters among the next eight bytes of the record from `start` up to `end`. */
static inline uint64_t delimiters_next(const uint8_t *bytes, uint64_t start, uint64_t at,
                                       uint64_t end, uint8_t delimiter)
{
    uint64_t mask = 0;

    if (end - at >= 8)
        return delimiters_at(bytes + at, delimiter);
    if (end - start >= 8) /* the last eight, without those before `at` */
        return at == end ? 0 : delimiters_at(bytes + end - 8, delimiter) >> 8 * (8 - (end - at));
    for (uint64_t i = at; i < end; i++)
        mask |= (uint64_t)(bytes[i] == delimiter) << (8 * (i - at) + 7);
    return mask;
}

/* Most fields are short: words take less time than a call for each of them. */
static void find_delimited(uint8_t delimiter, const uint8_t *bytes, uint64_t start, uint64_t end,
                           const uint32_t *wanted, size_t count, ink__field *fields, size_t *found,
                           uint32_t *passed)
{
    uint64_t field = start, at = start, mask;
    uint32_t number = 0;
    size_t   have = 0;

    for (; have < count && at <= end; at += 8) {
        if (at - field >= NEAR_BYTES) /* a long one */
            at = find(bytes, at, end, delimiter);
        mask = delimiters_next(bytes, start, at, end, delimiter);
        for (; mask != 0 && have < count; mask &= mask - 1) {
            uint64_t next = at + ink__trailing_zeros_64(mask) / 8;
            if (number++ == wanted[have])
                fields[have++] = (ink__field){.start = field, .end = next};
            field = next + 1;
        }
    }
    if (have < count && number++ == wanted[have]) /* the last field */
        fields[have++] = (ink__field){.start = field, .end = end};
    *found = have;
    *passed = number;
}

ink_status ink__fields_find(ink__field_form form, uint8_t delimiter, const uint8_t *bytes,
                            uint64_t start, uint64_t end, const uint32_t *wanted, size_t count,
                            ink__field *fields, size_t *found, uint32_t *passed, ink_error *error)
{
    uint64_t   at = start, last = end;
    ink__field field;
    bool       is = true;

    *found = 0;
    if (form == INK__FIELDS_DELIMITED) {
        find_delimited(delimiter, bytes, start, end, wanted, count, fields, found, passed);
        return INK_OK;
    }
    if (form == INK__FIELDS_BLANKS) {
        find_between_blanks(bytes, start, end, wanted, count, fields, found, passed);
        return INK_OK;
    }
    for (uint32_t number = 0; *found < count; number++) {
        INK__TRY(next_field(form, delimiter, bytes, &at, end, &field, &is, error));
        if (!is) {
            *passed = number;
            return INK_OK;
        }
        if (number == wanted[*found])
            fields[(*found)++] = field;
    }
    /* Quotes after the last field that is wanted must be right too: one that is not closed means
     * that the record goes on in the next line. */
    while (last >= at && last > start && bytes[last - 1] != '"')
        last--;
    while (at <= last)
        INK__TRY(next_field(form, delimiter, bytes, &at, end, &field, &is, error));
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

/* ---- Columns ------------------------------------------------------------------------------ */

/* Whether a field, quotes taken off, is this text. */
static bool is_named(const uint8_t *header, const ink__field *field, const char *text)
{
    uint64_t at = field->start;

    for (; *text != '\0' && at < field->end; text++, at++) {
        if (header[at] != (uint8_t)*text)
            return false;
        at += field->changed && header[at] == '"'; /* and not its double */
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
        INK__TRY(next_field(form, delimiter, header, &at, header_bytes, &field, &is, error));
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
    const char *other = ink__other_delimiter(form, delimiter, header, 0, header_bytes);
    if (other == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no column \"%s\", expected one of %s",
                         text, names);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "no column \"%s\", expected one of %s (or '%s' as {delimiter})", text, names,
                     other);
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
            "column \"%s\" without a header, expected a number, or a header ({header})", text);
    return find_name(text, form, delimiter, header, header_bytes, column, error);
}

ink_status ink__columns_count(const char *name, ink__field_form form, uint8_t delimiter,
                              const uint8_t *header, uint64_t header_bytes, uint32_t *count,
                              uint32_t *number, ink_error *error)
{
    bool     is = true, known = false;
    uint64_t at = 0;

    *number = 0;
    for (*count = 0; *count < COLUMN_NUMBER_MAX; ++*count) {
        ink__field field;
        INK__TRY(next_field(form, delimiter, header, &at, header_bytes, &field, &is, error));
        if (!is)
            break;
        known = known || is_named(header, &field, name);
        *number += !known;
    }
    return INK_OK;
}
