/* group_column.c - the groups that a record may be in, written with it. */
#include "jobs/query/group_column.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

#define DEFAULT_NAME "ink_group"

enum { NAME_BYTES_MAX = 64, ARRAY_PATH_BYTES = 6 * (NAME_BYTES_MAX + 4) + 8 };

/* ---- Texts of groups ---------------------------------------------------------------------- */

static ink_status put_text(ink__group_column *column, const void *bytes, uint64_t count,
                           ink_error *error)
{
    ink__row_bytes *texts = &column->texts;

    INK__TRY(
        ink__make_room(&column->allocator, &texts->bytes, &texts->room, texts->used, count, error));
    if (count > 0)
        memcpy(texts->bytes + texts->used, bytes, (size_t)count);
    texts->used += count;
    return INK_OK;
}

static bool has_any(const uint8_t *bytes, size_t count, const char *of)
{
    bool found = false;

    for (size_t i = 0; i < count; i++)
        found = found || strchr(of, bytes[i]) != NULL;
    return found;
}

/* Puts printable characters as they are, and \xNN for all other bytes, for a backslash, and for
 * those that have bytes in `escaped` (a delimiter may be any byte); a quote becomes `quote`. */
static ink_status put_printable(ink__group_column *column, const ink_label *label,
                                const char *escaped, const char *quote, ink_error *error)
{
    const uint8_t *bytes = label->group;

    for (size_t at = 0, length; at < label->group_bytes; at += length) {
        char code[8];
        length = ink_printable_character(bytes + at, label->group_bytes - at);
        bool plain = length > 0 && bytes[at] != '\\' && !has_any(bytes + at, length, escaped);
        if (plain && bytes[at] == '"')
            INK__TRY(put_text(column, quote, strlen(quote), error));
        else if (plain)
            INK__TRY(put_text(column, bytes + at, length, error));
        else
            INK__TRY(put_text(column, code, ink__escape_byte(code, sizeof code, bytes[at]), error));
        length = plain ? length : 1;
    }
    return INK_OK;
}

/* After a record: in quotes if the text would mislead without them. */
static ink_status make_after(ink__group_column *column, const ink_label *label, ink_error *error)
{
    const uint8_t *bytes = label->group;
    bool           quoted = label->group_bytes == 0 || bytes[0] == '(';

    if (label->group_kind != INK_GROUP_BYTES)
        return put_text(column, label->group_kind == INK_GROUP_NULL ? "(null)" : "(none)", 6,
                        error);
    for (size_t at = 0, length; at < label->group_bytes; at += length) {
        length = ink_printable_character(bytes + at, label->group_bytes - at);
        quoted = quoted || length == 0 || strchr(",\"\\", bytes[at]) != NULL;
        length = length == 0 ? 1 : length;
    }
    INK__TRY(put_text(column, "\"", quoted, error));
    INK__TRY(put_printable(column, label, "", "\"\"", error));
    return put_text(column, "\"", quoted, error);
}

/* An item of a field. */
static ink_status make_item(ink__group_column *column, const ink_label *label, bool *special,
                            ink_error *error)
{
    bool       csv = column->fields == INK__FIELDS_CSV;
    const char escaped[] = {(char)column->between, csv ? '\0' : (char)column->delimiter,
                            csv ? '\0' : '"', '\0'};
    uint64_t   start = column->texts.used;

    if (label->group_kind == INK_GROUP_NONE)
        return INK_OK;
    if (label->group_kind == INK_GROUP_NULL)
        return put_text(column, "\\N", 2, error);
    if (label->group_bytes == 0)
        INK__TRY(put_text(column, "\\E", 2, error));
    INK__TRY(put_printable(column, label, escaped, "\"\"", error));
    const uint8_t *text = column->texts.bytes + start;
    uint64_t       count = column->texts.used - start;
    *special = csv && (memchr(text, '"', (size_t)count) != NULL ||
                       memchr(text, column->delimiter, (size_t)count) != NULL);
    return INK_OK;
}

/* A string of JSON; only the first few that are no UTF-8 are of use. */
static ink_status make_string(ink__group_column *column, const void *bytes, size_t count,
                              ink_error *error)
{
    ink__row_bytes *texts = &column->texts;

    INK__TRY(ink__make_room(&column->allocator, &texts->bytes, &texts->room, texts->used,
                            6 * (uint64_t)count + 3, error));
    texts->used += ink_json_text(bytes, count, (char *)texts->bytes + texts->used,
                                 (size_t)(texts->room - texts->used));
    return INK_OK;
}

static ink_status make_text(ink__group_column *column, size_t member, ink_error *error)
{
    const ink_label *label = &column->members->list[member].label;

    if (column->form == INK__GROUPS_AFTER)
        INK__TRY(make_after(column, label, error));
    else if (column->form == INK__GROUPS_FIELD)
        INK__TRY(make_item(column, label, &column->special[member], error));
    else if (label->group_kind == INK_GROUP_NULL)
        INK__TRY(put_text(column, "null", 4, error));
    else if (label->group_kind == INK_GROUP_BYTES) {
        column->special[member] = !ink_is_utf8(label->group, label->group_bytes);
        INK__TRY(make_string(column, label->group, label->group_bytes, error));
    }
    column->ends[member] = column->texts.used;
    return INK_OK;
}

/* ---- Life --------------------------------------------------------------------------------- */

/* The names of the member, `"NAME":[` and `"NAME_hex":[`, and their paths, `["NAME"]`. */
static ink_status make_names(ink__group_column *column, ink_error *error)
{
    for (size_t i = 0; i < 2; i++) {
        char   name[NAME_BYTES_MAX + 8], path[ARRAY_PATH_BYTES] = "[";
        size_t bytes = ink__format(name, sizeof name, "%s%s", column->name, i == 0 ? "" : "_hex");
        size_t used = 1 + ink_json_text(name, bytes, path + 1, sizeof path - 2);
        memcpy(path + used, "]", 2);
        INK__TRY(ink__json_path_create(&column->paths[i], path, error));
        INK__TRY(put_text(column, path + 1, used - 1, error));
        INK__TRY(put_text(column, ":[", 2, error));
        column->ends[column->members->count + i] = column->texts.used;
    }
    return INK_OK;
}

static ink_status check_name(const ink__group_column *column, ink_error *error)
{
    const uint8_t *name = (const uint8_t *)column->name;
    size_t         bytes = strlen(column->name), at = 0, length;
    char           shown[NAME_BYTES_MAX + 8];

    while ((length = ink_printable_character(name + at, bytes - at)) > 0)
        at += length;
    bool cuts = column->form == INK__GROUPS_FIELD && column->fields != INK__FIELDS_CSV &&
                strchr(column->name, column->delimiter) != NULL;
    if (at == bytes && bytes <= NAME_BYTES_MAX && !cuts)
        return INK_OK;
    ink__quote(shown, sizeof shown, name, bytes);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "{group_column} \"%s\", expected printable UTF-8 of at most %d bytes, without "
                     "the delimiter",
                     shown, NAME_BYTES_MAX);
}

/* Chooses the form by how records are read. */
static ink_status choose_form(ink__group_column *column, const ink__row_rule *rule,
                              ink_error *error)
{
    bool fixed = rule->records.form == INK__RECORDS_FIXED;

    column->fields = rule->form;
    column->delimiter = rule->delimiter;
    column->form = rule->json ? INK__GROUPS_MEMBER
                   : rule->delimiter != 0 && rule->form != INK__FIELDS_BLANKS && !fixed
                       ? INK__GROUPS_FIELD
                       : INK__GROUPS_AFTER;
    if (column->form == INK__GROUPS_AFTER)
        return INK_OK; /* it has no name */
    if (column->form == INK__GROUPS_FIELD && rule->form != INK__FIELDS_CSV) {
        column->between = rule->delimiter == ',' ? ';' : ',';
        if (strchr("\\xNE0123456789abcdef", rule->delimiter) != NULL)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "{delimiter} %c may be in the text of groups, expected another, or "
                             "records without groups",
                             rule->delimiter);
    }
    return check_name(column, error);
}

ink_status ink__group_column_begin(ink__group_column *column, const ink__row_rule *rule,
                                   const char *name, const ink__members *members,
                                   const ink_allocator *allocator, ink_error *error)
{
    *column = (ink__group_column){
        .allocator = *allocator,
        .members = members,
        .name = name == NULL ? DEFAULT_NAME : name,
        .between = ',',
    };
    if (*column->name == '\0')
        return INK_OK;
    INK__TRY(choose_form(column, rule, error));
    INK__TRY(ink__allocate_zeroed(allocator, (members->count + 2) * sizeof *column->ends,
                                  &column->ends, error));
    INK__TRY(ink__allocate_zeroed(allocator, members->count, &column->special, error));
    for (size_t i = 0; i < members->count; i++)
        INK__TRY(make_text(column, i, error));
    return column->form == INK__GROUPS_MEMBER ? make_names(column, error) : INK_OK;
}

void ink__group_column_end(ink__group_column *column)
{
    if (column->members == NULL)
        return;
    ink__release(&column->allocator, column->texts.bytes, column->texts.room);
    ink__release(&column->allocator, column->ends,
                 (column->members->count + 2) * sizeof *column->ends);
    ink__release(&column->allocator, column->special, column->members->count);
}

/* ---- Headers ------------------------------------------------------------------------------ */

ink_status ink__group_column_see(ink__group_column *column, const uint8_t *header, uint64_t bytes,
                                 ink_error *error)
{
    uint32_t count, number;

    if (column->form != INK__GROUPS_FIELD)
        return INK_OK;
    INK__TRY(ink__columns_count(column->name, column->fields, column->delimiter, header, bytes,
                                &count, &number, error));
    if (number < count)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "column %u is named \"%s\", expected none of that name for the groups: "
                         "give another ({group_column})",
                         number + 1, column->name);
    if (!column->known)
        column->width = count;
    column->known = true;
    return INK_OK;
}

ink_status ink__group_column_put_name(const ink__group_column *column, const ink__passing *passing,
                                      ink__passed *passed, ink_error *error)
{
    bool quoted =
        column->fields == INK__FIELDS_CSV &&
        (strchr(column->name, '"') != NULL || strchr(column->name, column->delimiter) != NULL);

    INK__TRY(ink__passed_put(passing, passed, &column->delimiter, 1, error));
    INK__TRY(ink__passed_put(passing, passed, "\"", quoted, error));
    for (const char *at = column->name; *at != '\0'; at++) {
        INK__TRY(ink__passed_put(passing, passed, "\"", *at == '"' && quoted, error));
        INK__TRY(ink__passed_put(passing, passed, at, 1, error));
    }
    return ink__passed_put(passing, passed, "\"", quoted, error);
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* A row that is being written. */
typedef struct writing {
    const ink__group_column *column;
    const ink__passing      *passing;
    ink__passed             *passed;
    const ink__rows         *rows;
    size_t                   row;
    const uint8_t           *table;
} writing;

static ink_status put(const writing *to, const void *bytes, uint64_t count, ink_error *error)
{
    return ink__passed_put(to->passing, to->passed, bytes, count, error);
}

static bool has_group(const writing *to, size_t member)
{
    return to->table[member * INK__ROWS_MAX + to->row] != 0;
}

static ink_status put_group(const writing *to, size_t member, ink_error *error)
{
    const uint64_t *ends = to->column->ends;
    uint64_t        start = member == 0 ? 0 : ends[member - 1];

    return put(to, to->column->texts.bytes + start, ends[member] - start, error);
}

static ink_status put_groups(const writing *to, ink_error *error)
{
    bool any = false;

    for (size_t m = 0; m < to->column->members->count; m++) {
        if (!has_group(to, m))
            continue;
        INK__TRY(put(to, &to->column->between, any, error));
        INK__TRY(put_group(to, m, error));
        any = true;
    }
    return INK_OK;
}

/* Puts empty fields where a record has fewer than the header. */
static ink_status put_missing(const writing *to, uint64_t start, uint64_t end, ink_error *error)
{
    const ink__group_column *column = to->column;
    const uint32_t           none = UINT32_MAX;
    ink__field               field;
    size_t                   found;
    uint32_t                 count;

    if (column->width == 0)
        return INK_OK;
    INK__TRY(ink__fields_find(column->fields, column->delimiter, to->rows->record_bytes, start, end,
                              &none, 1, &field, &found, &count, error));
    if (count > column->width)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "%u columns, expected at most %u: the column of groups follows those of "
                         "the header",
                         count, column->width);
    for (; count < column->width; count++)
        INK__TRY(put(to, &column->delimiter, 1, error));
    return INK_OK;
}

static ink_status put_field(const writing *to, uint64_t start, uint64_t end, ink_error *error)
{
    const ink__group_column *column = to->column;
    size_t                   groups = 0;
    bool                     quoted = false;

    for (size_t m = 0; m < column->members->count; m++)
        if (has_group(to, m)) {
            groups++;
            quoted = quoted || column->special[m];
        }
    quoted = quoted || (groups > 1 && column->between == column->delimiter);
    INK__TRY(put(to, to->rows->record_bytes + start, end - start, error));
    INK__TRY(put_missing(to, start, end, error));
    INK__TRY(put(to, &column->delimiter, 1, error));
    INK__TRY(put(to, "\"", quoted, error));
    INK__TRY(put_groups(to, error));
    return put(to, "\"", quoted, error);
}

static bool is_json_blank(uint8_t byte)
{
    return ink__is_blank(byte) || byte == '\n' || byte == '\r';
}

/* The groups as an array without its brackets, or all in hex. A sketch without a group has no name.
 */
static ink_status put_array(const writing *to, bool hex, ink_error *error)
{
    const char *before = "";

    for (size_t m = 0; m < to->column->members->count; m++) {
        const ink_label *label = &to->column->members->list[m].label;
        const uint8_t   *bytes = label->group;
        if (!has_group(to, m) || label->group_kind == INK_GROUP_NONE)
            continue;
        INK__TRY(put(to, before, *before != '\0', error));
        before = ",";
        if (!hex || label->group_kind == INK_GROUP_NULL) {
            INK__TRY(put_group(to, m, error));
            continue;
        }
        INK__TRY(put(to, "\"", 1, error));
        for (size_t i = 0; i < label->group_bytes; i++) {
            const char digits[] = {"0123456789abcdef"[bytes[i] >> 4],
                                   "0123456789abcdef"[bytes[i] & 15]};
            INK__TRY(put(to, digits, sizeof digits, error));
        }
        INK__TRY(put(to, "\"", 1, error));
    }
    return INK_OK;
}

/* Checks that a record is an object without members of these names, or an array. */
static ink_status check_json(const writing *to, uint64_t start, uint64_t end, bool *array,
                             ink_error *error)
{
    const uint8_t        *bytes = to->rows->record_bytes;
    ink__json_path        first = {.step_count = 1, .steps = {{.is_index = true}}};
    ink__json_value       found[2];
    const ink__json_path *paths = to->column->paths;

    while (start < end && is_json_blank(bytes[start]))
        start++;
    *array = start < end && bytes[start] == '[';
    INK__TRY(
        ink__json_find(bytes, start, end, *array ? &first : paths, *array ? 1 : 2, found, error));
    for (size_t i = 0; i < 2 && !*array; i++)
        if (found[i].kind != INK__JSON_MISSING)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "a member \"%s%s\", expected none of that name for the groups: give "
                             "another ({group_column})",
                             to->column->name, i == 0 ? "" : "_hex");
    return INK_OK;
}

/* Puts a record with one more member before its closing brace; of an array one more element. */
static ink_status put_member(const writing *to, uint64_t start, uint64_t end, ink_error *error)
{
    const ink__group_column *column = to->column;
    const uint8_t           *bytes = to->rows->record_bytes;
    uint64_t                 last = end;
    bool                     array, hex = false;

    INK__TRY(check_json(to, start, end, &array, error));
    for (size_t m = 0; m < column->members->count; m++)
        hex = hex || (has_group(to, m) && column->special[m]);
    while (is_json_blank(bytes[last - 1]))
        last--;
    uint64_t inner = last - 1; /* the end of what stands in the brackets */
    while (is_json_blank(bytes[inner - 1]))
        inner--;
    bool empty = bytes[inner - 1] == (array ? '[' : '{');
    INK__TRY(put(to, bytes + start, inner - start, error));
    INK__TRY(put(to, ",", !empty, error));
    INK__TRY(array ? put(to, "[", 1, error)
                   : put_group(to, column->members->count + (size_t)hex, error));
    INK__TRY(put_array(to, hex, error));
    INK__TRY(put(to, "]", 1, error));
    return put(to, bytes + inner, end - inner, error);
}

ink_status ink__group_column_put(const ink__group_column *column, const ink__rows *rows, size_t row,
                                 const uint8_t *table, const ink__passing *passing,
                                 ink__passed *passed, ink_error *error)
{
    const writing to = {column, passing, passed, rows, row, table};
    uint64_t      start = rows->record_starts[row], end = rows->record_ends[row];
    bool          after = column->form == INK__GROUPS_AFTER;
    bool carriage = !after && end < rows->record_limit && rows->record_bytes[end] == '\r' &&
                    passing->end == '\n';
    ink_status status;

    if (after) {
        INK__TRY(put(&to, rows->record_bytes + start, end - start, error));
        INK__TRY(put(&to, "\t", 1, error));
        INK__TRY(put_groups(&to, error));
        return put(&to, &passing->end, passing->ended, error);
    }
    status = column->form == INK__GROUPS_FIELD ? put_field(&to, start, end, error)
                                               : put_member(&to, start, end, error);
    if (status == INK_FORMAT || status == INK_USAGE) { /* it is about the record */
        if (error != NULL) {
            error->location = INK_AT_KEY;
            error->at = row;
        }
        return status;
    }
    INK__TRY(status);
    INK__TRY(put(&to, "\r", carriage, error));
    return put(&to, &passing->end, 1, error);
}
