/* rows.c - records as rows. */
#include "input/rows.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "input/arrow/arrow_rows.h"
#include "input/records/times.h"
#include "kernels/lines.h"

#include <string.h>

enum { NUMBER_BYTES = 24, ESCAPED_TIME_BYTES = 256 };

/* ---- Life --------------------------------------------------------------------------------- */

/* Where a column stands among those that are wanted; 0 for column 0, which may not be. */
static size_t location_of(const ink__row_reader *reader, uint32_t column)
{
    size_t location = 0;

    while (location < reader->wanted_count && reader->wanted[location] < column)
        location++;
    return location;
}

static void want(ink__row_reader *reader, uint32_t column)
{
    size_t at = location_of(reader, column);

    if (at < reader->wanted_count && reader->wanted[at] == column)
        return;
    memmove(reader->wanted + at + 1, reader->wanted + at,
            (reader->wanted_count - at) * sizeof *reader->wanted);
    reader->wanted[at] = column;
    reader->wanted_count++;
}

static void plan_columns(ink__row_reader *reader)
{
    const ink__row_rule *rule = &reader->rule;

    for (size_t i = 0; i < rule->key_column_count; i++)
        want(reader, rule->columns.key[i]);
    if (rule->has_group)
        want(reader, rule->columns.group);
    if (rule->has_weight)
        want(reader, rule->columns.weight);
    if (rule->has_time)
        want(reader, rule->columns.time);
    for (size_t i = 0; i < rule->key_column_count; i++)
        reader->key_locations[i] = location_of(reader, rule->columns.key[i]);
    reader->group_location = location_of(reader, rule->columns.group);
    reader->weight_location = location_of(reader, rule->columns.weight);
    reader->time_location = location_of(reader, rule->columns.time);
}

ink_status ink__row_reader_create(ink__row_reader **reader, const ink__row_rule *rule,
                                  const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);

    if (rule->key_column_count > INK__KEY_COLUMNS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%zu key columns, expected at most %d",
                         rule->key_column_count, INK__KEY_COLUMNS_MAX);
    if (rule->key_column_count > 1 && rule->key_type == INK_KEY_INT)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a tuple of %zu columns is bytes, expected one column for int keys",
                         rule->key_column_count);
    INK__TRY(ink__allocate_zeroed(&memory, sizeof **reader, reader, error));
    (*reader)->allocator = memory;
    (*reader)->rule = *rule;
    plan_columns(*reader);
    /* A quoted field may have to be changed; so has a tuple, or a number that was rounded. */
    bool quoted = rule->json || rule->form == INK__FIELDS_CSV;
    (*reader)->keys_made = rule->key_column_count > 1 || (rule->key_column_count == 1 && quoted);
    (*reader)->groups_made = rule->has_group && (rule->rounded || quoted);
    return INK_OK;
}

void ink__row_reader_free(ink__row_reader *reader)
{
    if (reader == NULL)
        return;
    ink_allocator memory = reader->allocator;

    ink__arrow_reader_free(reader->arrow);
    ink__release(&memory, reader->keys.bytes, reader->keys.room);
    ink__release(&memory, reader->groups.bytes, reader->groups.room);
    ink__release(&memory, reader, sizeof *reader);
}

void ink__row_reader_start(ink__row_reader *reader, const ink__chunk *chunk)
{
    const ink__record_rule *records = &reader->rule.records;
    bool                    rows = chunk->arrow.batch != NULL;

    ink__row_reader_start_at(reader, chunk, rows ? chunk->arrow.first : 0);
    if (rows || chunk->offset != 0 || chunk->headless)
        return;
    if (reader->rule.header)
        ink__records_first(records, chunk->bytes, chunk->count, &reader->header_bytes);
    reader->at = reader->rule.header ? reader->header_bytes
                                     : ink__records_mark(records, chunk->bytes, chunk->count);
}

void ink__row_reader_start_at(ink__row_reader *reader, const ink__chunk *chunk, uint64_t at)
{
    reader->chunk = chunk;
    reader->allowed = UINT64_MAX;
    reader->header_bytes = 0;
    reader->at = at;
}

uint64_t ink__row_location(const ink__row_reader *reader, const ink__rows *rows, size_t row)
{
    if (reader->chunk->arrow.batch != NULL)
        return ink__arrow_location(reader->arrow, row);
    return reader->from + rows->record_starts[row];
}

/* ---- One record --------------------------------------------------------------------------- */

/* A value of a record: a field, or what stands at a JSON path. */
typedef ink__field value;

/* Adds the bytes of a value; there is room. */
static uint64_t put_value(const ink__row_reader *reader, ink__row_bytes *to, const uint8_t *bytes,
                          const value *from)
{
    uint64_t        length = from->end - from->start;
    ink__json_value text = {INK__JSON_STRING, from->start, from->end, true};

    if (from->hex)
        length = ink__json_unhex(bytes, &text, to->bytes + to->used);
    else if (from->changed && reader->rule.json)
        length = ink__json_unescape(bytes, &text, to->bytes + to->used);
    else if (from->changed)
        length = ink__field_unquote(bytes, from, to->bytes + to->used);
    else if (length > 0)
        memcpy(to->bytes + to->used, bytes + from->start, (size_t)length);
    to->used += length;
    return length;
}

static ink_status fail_value(const uint8_t *bytes, const value *from, const char *what,
                             ink_error *error)
{
    char text[64];

    ink__quote(text, sizeof text, bytes + from->start, (size_t)(from->end - from->start));
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, from->start, "\"%s\", expected %s", text,
                     what);
}

static ink_status make_key(ink__row_reader *reader, const uint8_t *bytes, const value *values,
                           size_t row, ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;

    reader->key_starts[row] = reader->keys.used;
    for (size_t i = 0; i < rule->key_column_count; i++) {
        const value *from = &values[reader->key_locations[i]];
        bool         tuple = rule->key_column_count > 1;
        INK__TRY(ink__make_room(&reader->allocator, &reader->keys.bytes, &reader->keys.room,
                                reader->keys.used,
                                from->end - from->start + INK__TUPLE_LENGTH_BYTES, error));
        uint64_t length_at = reader->keys.used;
        reader->keys.used += tuple ? INK__TUPLE_LENGTH_BYTES : 0;
        uint64_t length = put_value(reader, &reader->keys, bytes, from);
        if (tuple)
            ink__store_u32(reader->keys.bytes + length_at, (uint32_t)length);
    }
    reader->key_ends[row] = reader->keys.used;
    return INK_OK;
}

static ink_status read_key(ink__row_reader *reader, const uint8_t *bytes, const value *values,
                           size_t row, ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    const value  whole = {.start = reader->record_starts[row], .end = reader->record_ends[row]};
    const value *key = rule->key_column_count > 0 ? &values[reader->key_locations[0]] : &whole;

    for (size_t i = 0; i < rule->key_column_count; i++)
        if (values[reader->key_locations[i]].null)
            return fail_value(bytes, &values[reader->key_locations[i]], "a key", error);
    if (rule->key_type == INK_KEY_INT) {
        if (!ink__number_key(bytes + key->start, key->end - key->start, &reader->key_ints[row]))
            return fail_value(bytes, key, "an integer key", error);
        return INK_OK;
    }
    if (reader->keys_made)
        return make_key(reader, bytes, values, row, error);
    reader->key_starts[row] = key->start;
    reader->key_ends[row] = key->end;
    return INK_OK;
}

static ink_status read_group(ink__row_reader *reader, const uint8_t *bytes, const value *from,
                             size_t row, ink_error *error)
{
    int64_t whole;

    reader->group_starts[row] = from->null ? INK__GROUP_NULL : from->start;
    reader->group_ends[row] = from->null ? INK__GROUP_NULL : from->end;
    if (!reader->groups_made || from->null)
        return INK_OK;
    if (!reader->rule.rounded) /* there is room for numbers */
        INK__TRY(ink__make_room(&reader->allocator, &reader->groups.bytes, &reader->groups.room,
                                reader->groups.used, from->end - from->start, error));
    reader->group_starts[row] = reader->groups.used;
    if (!reader->rule.rounded)
        put_value(reader, &reader->groups, bytes, from);
    else if (ink__number_round(bytes + from->start, from->end - from->start, reader->rule.rounding,
                               &whole))
        reader->groups.used =
            (uint64_t)(ink__put_whole(reader->groups.bytes + reader->groups.used, whole) -
                       reader->groups.bytes);
    else
        return fail_value(bytes, from, "a number to round to a group", error);
    reader->group_ends[row] = reader->groups.used;
    return INK_OK;
}

/* Where blanks separate fields a time may contain some: it starts in the field of its column. */
static ink_status read_time(ink__row_reader *reader, const uint8_t *bytes, const value *from,
                            size_t row, ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    bool                 blanks = rule->form == INK__FIELDS_BLANKS ||
                  (rule->form == INK__FIELDS_DELIMITED && rule->delimiter == ' ');
    bool           open = blanks && !rule->json;
    const uint8_t *text = bytes + from->start;
    uint64_t       count = (open ? reader->record_ends[row] : from->end) - from->start, used;
    uint8_t        copy[ESCAPED_TIME_BYTES];

    if (from->null)
        return fail_value(bytes, from, "a time", error);
    if (from->changed && count <= sizeof copy) { /* "+" may be \u002b, and "/" may be \/ */
        count = put_value(reader, &(ink__row_bytes){copy, 0, sizeof copy}, bytes, from);
        text = copy;
    }
    const char *expected = ink__time_read(text, count, rule->time_unit, &used, &reader->times[row]);
    if (expected == NULL && used < count && !(open && ink__is_blank(text[used])))
        expected = "a time and nothing after it";
    return expected == NULL ? INK_OK : fail_value(bytes, from, expected, error);
}

/* ---- The values of a record --------------------------------------------------------------- */

static ink_status fail_columns(const ink__row_reader *reader, const uint8_t *bytes, size_t row,
                               uint32_t found, uint32_t expected, ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    uint64_t             start = reader->record_starts[row], end = reader->record_ends[row];
    const char          *plural = found == 1 ? "" : "s";
    const char *other = ink__other_delimiter(rule->form, rule->delimiter, bytes, start, end);

    if (other == NULL)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, start, "%u column%s, expected at least %u",
                         found, plural, expected);
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, start,
                     "%u column%s, expected at least %u (or '%s' as {delimiter})", found, plural,
                     expected, other);
}

static ink_status find_fields(const ink__row_reader *reader, const uint8_t *bytes, size_t row,
                              value *values, ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    uint64_t             start = reader->record_starts[row];
    size_t               found;
    uint32_t             passed;

    INK__TRY(ink__fields_find(rule->form, rule->delimiter, bytes, start, reader->record_ends[row],
                              reader->wanted, reader->wanted_count, values, &found, &passed,
                              error));
    if (found < reader->wanted_count)
        return fail_columns(reader, bytes, row, passed,
                            reader->wanted[reader->wanted_count - 1] + 1, error);
    return INK_OK;
}

/* Whether bytes are made of what stands in a column: not of a number or a time. */
static bool is_made(const ink__row_reader *reader, size_t location)
{
    const ink__row_rule *rule = &reader->rule;
    bool                 key = false;

    for (size_t i = 0; i < rule->key_column_count; i++)
        key = key || reader->key_locations[i] == location;
    key = key && rule->key_type == INK_KEY_BYTES;
    return key || (rule->has_group && !rule->rounded && reader->group_location == location);
}

/* Text that is not UTF-8 stands in hex beside its name, as in what `ink --json` prints. False if it
 * does not stand there either. */
static ink_status find_hex(const ink__row_reader *reader, const uint8_t *bytes, size_t row,
                           size_t location, value *found, bool *there, ink_error *error)
{
    uint32_t        column = reader->wanted[location];
    ink__json_path  path;
    ink__json_value text;

    *there = is_made(reader, location) && ink__json_hex_path(&reader->rule.paths[column], &path);
    if (!*there)
        return INK_OK;
    INK__TRY(ink__json_find(bytes, reader->record_starts[row], reader->record_ends[row], &path, 1,
                            &text, error));
    *there = text.kind != INK__JSON_MISSING;
    *found = (value){text.start, text.end, false, false, true};
    if (!*there || ink__json_is_hex(bytes, &text))
        return INK_OK;
    return fail_value(bytes, found, "two hexadecimal digits for each byte in a member named _hex",
                      error);
}

static ink_status find_members(const ink__row_reader *reader, const uint8_t *bytes, size_t row,
                               value *values, ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    uint64_t             start = reader->record_starts[row];
    ink__json_value      found[INK__COLUMNS_MAX];

    ink_status status = ink__json_find(bytes, start, reader->record_ends[row], rule->paths,
                                       rule->path_count, found, error);
    if (status != INK_OK) {
        if (error != NULL)
            error->at += start;
        return status;
    }
    for (size_t i = 0; i < reader->wanted_count; i++) {
        const ink__json_value *from = &found[reader->wanted[i]];
        const char            *path = rule->path_texts[reader->wanted[i]];
        bool                   hex = false;
        if (from->kind == INK__JSON_MISSING)
            INK__TRY(find_hex(reader, bytes, row, i, &values[i], &hex, error));
        if (hex)
            continue;
        if (from->kind == INK__JSON_MISSING)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, start,
                             "a record without %s, expected a value there", path);
        if (from->kind == INK__JSON_CONTAINER)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, from->start,
                             "an object or array at %s, expected a string or a number", path);
        values[i] =
            (value){from->start, from->end, from->escaped, from->kind == INK__JSON_NULL, false};
    }
    return INK_OK;
}

static ink_status read_record(ink__row_reader *reader, const uint8_t *bytes, size_t row,
                              ink_error *error)
{
    value        values[INK__COLUMNS_MAX];
    const value *weight = &values[reader->weight_location];

    if (reader->wanted_count > 0 && reader->rule.json)
        INK__TRY(find_members(reader, bytes, row, values, error));
    else if (reader->wanted_count > 0)
        INK__TRY(find_fields(reader, bytes, row, values, error));
    INK__TRY(read_key(reader, bytes, values, row, error));
    if (reader->rule.has_group)
        INK__TRY(read_group(reader, bytes, &values[reader->group_location], row, error));
    if (reader->rule.has_weight &&
        !ink__number_weight(bytes + weight->start, weight->end - weight->start,
                            &reader->weights[row]))
        return fail_value(bytes, weight, "a weight from 0 to 2^64 - 1", error);
    if (reader->rule.has_time)
        INK__TRY(read_time(reader, bytes, &values[reader->time_location], row, error));
    return INK_OK;
}

/* ---- Many records ------------------------------------------------------------------------- */

/* Cut at a time: they, their locations and what is made of them fit the first cache. */
enum { ROWS_CUT = 512 };
_Static_assert((int)ROWS_CUT <= (int)INK__ROWS_MAX, "there is room for them");

/* Cuts the next records off the chunk; the last one of an input may have no end. */
static ink_status cut_records(ink__row_reader *reader, size_t *count, ink_error *error)
{
    const uint8_t *bytes = reader->chunk->bytes + reader->at;
    uint64_t       left = reader->chunk->count - reader->at, used;

    reader->from = reader->at;
    *count = ink__records_cut(
        &reader->rule.records, bytes, left, reader->record_starts, reader->record_ends,
        reader->allowed < ROWS_CUT ? (size_t)reader->allowed : ROWS_CUT, &used);
    if (*count == 0 && left > 0) {
        reader->record_starts[0] = 0;
        reader->record_ends[0] = used = left;
        *count = 1;
        if (reader->rule.records.form == INK__RECORDS_FIXED) {
            reader->at += used;
            reader->allowed--;
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, reader->from,
                             "%llu byte%s at the end, expected records of %u",
                             (unsigned long long)left, left == 1 ? "" : "s",
                             reader->rule.records.width);
        }
        if (reader->rule.records.end == '\n')
            ink__lines_without_cr(bytes, reader->record_starts, reader->record_ends, 1);
    }
    reader->at += used;
    reader->allowed -= *count;
    if (left >= INK__RECORD_BYTES_MAX) /* then one of them may be too long */
        for (size_t i = 0; i < *count; i++)
            if (reader->record_ends[i] - reader->record_starts[i] >= INK__RECORD_BYTES_MAX)
                return ink__fail(error, INK_LIMIT, INK_AT_BYTE,
                                 reader->from + reader->record_starts[i],
                                 "a record of 2^31 bytes or more");
    return INK_OK;
}

/* Reads `records` records one by one; bad ones are left out of the arrays. */
static ink_status read_records(ink__row_reader *reader, const uint8_t *bytes, size_t records,
                               size_t *count, ink_error *error)
{
    *count = 0;
    reader->keys.used = reader->groups.used = 0;
    if (reader->rule.has_group && reader->rule.rounded)
        INK__TRY(ink__make_room(&reader->allocator, &reader->groups.bytes, &reader->groups.room, 0,
                                records * NUMBER_BYTES, error));
    for (size_t i = 0; i < records; i++) {
        reader->record_starts[*count] = reader->record_starts[i];
        reader->record_ends[*count] = reader->record_ends[i];
        ink_status status = read_record(reader, bytes, *count, error);
        if (status == INK_OK)
            ++*count;
        else if (status == INK_FORMAT && reader->rule.skip_bad)
            reader->bad++;
        else {
            if (error != NULL)
                error->at += reader->from;
            return status;
        }
    }
    return INK_OK;
}

static void show_rows(const ink__row_reader *reader, const uint8_t *bytes, ink__rows *rows)
{
    const ink__row_rule *rule = &reader->rule;
    bool                 whole = rule->key_column_count == 0;

    rows->one_array = true;
    rows->record_bytes = bytes;
    rows->record_limit = reader->chunk->count - reader->from;
    rows->record_starts = reader->record_starts;
    rows->record_ends = reader->record_ends;
    if (rule->key_type == INK_KEY_INT)
        rows->key_ints = reader->key_ints;
    else {
        rows->key_bytes = reader->keys_made ? reader->keys.bytes : bytes;
        rows->key_starts = whole ? reader->record_starts : reader->key_starts;
        rows->key_ends = whole ? reader->record_ends : reader->key_ends;
    }
    if (rule->has_group) {
        rows->group_bytes = reader->groups_made ? reader->groups.bytes : bytes;
        rows->group_starts = reader->group_starts;
        rows->group_ends = reader->group_ends;
    }
    rows->weights = rule->has_weight ? reader->weights : NULL;
    rows->times = rule->has_time ? reader->times : NULL;
}

static ink_status next_arrow(ink__row_reader *reader, ink__rows *rows, ink_error *error)
{
    const ink__arrow_slice *slice = &reader->chunk->arrow;

    if (reader->arrow == NULL || reader->arrow_input != reader->chunk->input) {
        ink__arrow_reader_free(reader->arrow); /* it knows the columns of another stream */
        INK__TRY(ink__arrow_reader_create(&reader->arrow, slice->batch->plan, &reader->allocator,
                                          error));
        reader->arrow_input = reader->chunk->input;
    }
    while (rows->count == 0 && reader->at < slice->end) { /* all may have been null */
        uint64_t end =
            slice->end - reader->at < INK__ROWS_MAX ? slice->end : reader->at + INK__ROWS_MAX;
        INK__TRY(ink__arrow_read(reader->arrow, &slice->batch->array, reader->at, end, &reader->at,
                                 rows, error));
        reader->nulls += ink__arrow_nulls(reader->arrow);
    }
    return INK_OK;
}

static ink_status next_records(ink__row_reader *reader, ink__rows *rows, ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    bool                 fixed = rule->records.form == INK__RECORDS_FIXED;
    bool plain = !fixed && reader->wanted_count == 0 && rule->key_type == INK_KEY_BYTES;

    while (rows->count == 0 && reader->allowed > 0 &&
           reader->at < reader->chunk->count) { /* all may have been bad */
        const uint8_t *bytes = reader->chunk->bytes + reader->at;
        size_t         records;
        ink_status     status = cut_records(reader, &records, error);
        if (status == INK_FORMAT && rule->skip_bad) {
            reader->bad++;
            continue;
        }
        INK__TRY(status);
        rows->count = records;
        for (size_t i = 0; fixed && i < records; i++)
            reader->key_ints[i] = rule->records.width == 4 ? (int64_t)ink__load_u32(bytes + 4 * i)
                                                           : (int64_t)ink__load_u64(bytes + 8 * i);
        if (!fixed && !plain)
            INK__TRY(read_records(reader, bytes, records, &rows->count, error));
        show_rows(reader, bytes, rows);
    }
    return INK_OK;
}

ink_status ink__row_reader_next(ink__row_reader *reader, ink__rows *rows, ink_error *error)
{
    *rows = (ink__rows){0};
    return reader->chunk->arrow.batch == NULL ? next_records(reader, rows, error)
                                              : next_arrow(reader, rows, error);
}
