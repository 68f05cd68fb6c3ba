/* rows.c - records turned into keys. */
#include "input/rows.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/text.h"
#include "input/lines.h"

#include <string.h>

enum { COLUMNS_MAX = INK__KEY_COLUMNS_MAX + 2, NUMBER_BYTES = 24 };

/* Bytes that are put together for some rows. */
typedef struct heap {
    uint8_t *bytes;
    uint64_t used, room;
} heap;

struct ink__row_reader {
    ink_allocator     allocator;
    ink__row_rule     rule;
    const ink__chunk *chunk;
    uint64_t          at; /* in the chunk */
    uint64_t          bad;

    /* The columns that are wanted, rising, and where the rule's are among them. */
    uint32_t wanted[COLUMNS_MAX];
    size_t   wanted_count;
    size_t   key_places[INK__KEY_COLUMNS_MAX], group_place, weight_place;

    bool keys_made, groups_made; /* they are put together here: */
    heap keys, groups;
};

/* ---- Life --------------------------------------------------------------------------------- */

/* Adds a column to those that are wanted, once. */
static void want(ink__row_reader *reader, uint32_t column)
{
    size_t at = reader->wanted_count;

    for (size_t i = 0; i < reader->wanted_count; i++)
        if (reader->wanted[i] == column)
            return;
    for (; at > 0 && reader->wanted[at - 1] > column; at--)
        reader->wanted[at] = reader->wanted[at - 1];
    reader->wanted[at] = column;
    reader->wanted_count++;
}

static size_t place_of(const ink__row_reader *reader, uint32_t column)
{
    size_t place = 0;

    while (reader->wanted[place] != column)
        place++;
    return place;
}

static void plan_columns(ink__row_reader *reader)
{
    const ink__row_rule *rule = &reader->rule;

    for (size_t i = 0; i < rule->key_column_count; i++)
        want(reader, rule->key_columns[i]);
    if (rule->has_group)
        want(reader, rule->group_column);
    if (rule->has_weight)
        want(reader, rule->weight_column);
    for (size_t i = 0; i < rule->key_column_count; i++)
        reader->key_places[i] = place_of(reader, rule->key_columns[i]);
    reader->group_place = rule->has_group ? place_of(reader, rule->group_column) : 0;
    reader->weight_place = rule->has_weight ? place_of(reader, rule->weight_column) : 0;
}

ink_status ink__row_reader_create(ink__row_reader **reader, const ink__row_rule *rule,
                                  const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    void         *object;

    if (rule->key_column_count > INK__KEY_COLUMNS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%zu key columns, expected at most %d",
                         rule->key_column_count, INK__KEY_COLUMNS_MAX);
    if (rule->key_column_count > 1 && rule->key_type == INK_KEY_INT)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a tuple of %zu columns is bytes, expected one column for int keys",
                         rule->key_column_count);
    INK__TRY(ink__allocate(&memory, sizeof **reader, &object, error));
    *reader = object;
    **reader = (ink__row_reader){.allocator = memory, .rule = *rule};
    plan_columns(*reader);
    /* A quoted field may have to be changed; so has a tuple, or a number that was rounded. */
    bool csv = rule->form == INK__FIELDS_CSV;
    (*reader)->keys_made = rule->key_column_count > 1 || (rule->key_column_count == 1 && csv);
    (*reader)->groups_made = rule->has_group && (rule->rounded || csv);
    return INK_OK;
}

void ink__row_reader_free(ink__row_reader *reader)
{
    if (reader == NULL)
        return;
    ink_allocator memory = reader->allocator;

    ink__release(&memory, reader->keys.bytes, reader->keys.room);
    ink__release(&memory, reader->groups.bytes, reader->groups.room);
    ink__release(&memory, reader, sizeof *reader);
}

void ink__row_reader_start(ink__row_reader *reader, const ink__chunk *chunk)
{
    reader->chunk = chunk;
    reader->at = reader->rule.header && chunk->offset == 0
                     ? ink__lines_after_first(chunk->bytes, chunk->count, reader->rule.end)
                     : 0;
}

uint64_t ink__row_reader_bad(const ink__row_reader *reader)
{
    return reader->bad;
}

/* ---- Putting bytes together --------------------------------------------------------------- */

static ink_status make_room(ink__row_reader *reader, heap *to, uint64_t more, ink_error *error)
{
    uint64_t room = to->room == 0 ? 4096 : to->room;
    void    *bytes = to->bytes;

    if (more <= to->room - to->used)
        return INK_OK;
    while (room - to->used < more)
        room *= 2;
    INK__TRY(ink__grow(&reader->allocator, &bytes, &to->room, to->used, room, error));
    to->bytes = bytes;
    return INK_OK;
}

/* Adds the bytes of a field; there is room. */
static uint64_t put_field(heap *to, const uint8_t *bytes, const ink__field *field)
{
    uint64_t length = field->end - field->start;

    if (field->doubled)
        length = ink__field_unquote(bytes, field, to->bytes + to->used);
    else if (length > 0)
        memcpy(to->bytes + to->used, bytes + field->start, length);
    to->used += length;
    return length;
}

/* ---- One record --------------------------------------------------------------------------- */

/* Something in a field cannot be read as `what`. */
static ink_status fail_field(const uint8_t *bytes, const ink__field *field, const char *what,
                             ink_error *error)
{
    char     text[64];
    uint64_t length = field->end - field->start;

    ink__quote(text, sizeof text, bytes + field->start, (size_t)length);
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, field->start, "\"%s\", expected %s", text,
                     what);
}

static ink_status read_key(ink__row_reader *reader, const ink__field *fields, ink__rows *rows,
                           ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    const uint8_t       *bytes = reader->chunk->bytes;
    size_t               row = rows->count;
    ink__field           key = {rows->record_starts[row], rows->record_ends[row], false};

    if (rule->key_column_count > 0)
        key = fields[reader->key_places[0]];
    if (rule->key_type == INK_KEY_INT) {
        if (!ink__number_key(bytes + key.start, key.end - key.start, &rows->key_ints[row]))
            return fail_field(bytes, &key, "an integer key", error);
        return INK_OK;
    }
    rows->key_starts[row] = key.start;
    rows->key_ends[row] = key.end;
    if (!reader->keys_made)
        return INK_OK;
    rows->key_starts[row] = reader->keys.used;
    for (size_t i = 0; i < rule->key_column_count; i++) {
        const ink__field *field = &fields[reader->key_places[i]];
        bool              tuple = rule->key_column_count > 1;
        INK__TRY(make_room(reader, &reader->keys, field->end - field->start + 4, error));
        uint64_t length_at = reader->keys.used;
        reader->keys.used += tuple ? 4 : 0;
        uint64_t length = put_field(&reader->keys, bytes, field);
        if (tuple)
            ink__store_u32(reader->keys.bytes + length_at, (uint32_t)length);
    }
    rows->key_ends[row] = reader->keys.used;
    return INK_OK;
}

static ink_status read_group(ink__row_reader *reader, const ink__field *fields, ink__rows *rows,
                             ink_error *error)
{
    const ink__field *field = &fields[reader->group_place];
    const uint8_t    *bytes = reader->chunk->bytes;
    size_t            row = rows->count;
    int64_t           whole;

    rows->group_starts[row] = field->start;
    rows->group_ends[row] = field->end;
    if (!reader->groups_made)
        return INK_OK;
    INK__TRY(make_room(reader, &reader->groups, field->end - field->start + NUMBER_BYTES, error));
    rows->group_starts[row] = reader->groups.used;
    if (!reader->rule.rounded)
        put_field(&reader->groups, bytes, field);
    else if (ink__number_round(bytes + field->start, field->end - field->start,
                               reader->rule.rounding, &whole))
        reader->groups.used += ink__format((char *)reader->groups.bytes + reader->groups.used,
                                           NUMBER_BYTES, "%lld", (long long)whole);
    else
        return fail_field(bytes, field, "a number to round to a group", error);
    rows->group_ends[row] = reader->groups.used;
    return INK_OK;
}

static ink_status read_fields(ink__row_reader *reader, ink__rows *rows, ink__field *fields,
                              ink_error *error)
{
    const ink__row_rule *rule = &reader->rule;
    uint64_t             start = rows->record_starts[rows->count];
    size_t               found;

    ink_status status = ink__fields_find(rule->form, rule->delimiter, reader->chunk->bytes, start,
                                         rows->record_ends[rows->count], reader->wanted,
                                         reader->wanted_count, fields, &found, error);
    if (status != INK_OK) {
        if (error != NULL)
            error->at += start;
        return status;
    }
    if (found == reader->wanted_count)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, start,
                     "a record without column %u, expected at least so many",
                     reader->wanted[found] + 1);
}

/* Reads the record that stands at rows->count. */
static ink_status read_record(ink__row_reader *reader, ink__rows *rows, ink_error *error)
{
    ink__field fields[COLUMNS_MAX];

    if (reader->wanted_count > 0)
        INK__TRY(read_fields(reader, rows, fields, error));
    INK__TRY(read_key(reader, fields, rows, error));
    if (reader->rule.has_group)
        INK__TRY(read_group(reader, fields, rows, error));
    if (reader->rule.has_weight) {
        const ink__field *field = &fields[reader->weight_place];
        if (!ink__number_weight(reader->chunk->bytes + field->start, field->end - field->start,
                                &rows->weights[rows->count]))
            return fail_field(reader->chunk->bytes, field, "a weight from 0 to 2^64 - 1", error);
    }
    return INK_OK;
}

/* ---- Many records ------------------------------------------------------------------------- */

/* Cuts the next records off the chunk into the places of `rows`; the last one of an input may have
 * no end. */
static size_t cut_records(ink__row_reader *reader, ink__rows *rows)
{
    const ink__chunk *chunk = reader->chunk;
    const uint8_t    *bytes = chunk->bytes + reader->at;
    uint64_t          left = chunk->count - reader->at, used;
    size_t            count = ink__lines_cut(bytes, left, reader->rule.end, rows->record_starts,
                                             rows->record_ends, INK__ROWS_MAX, &used);

    if (count == 0 && left > 0) {
        rows->record_starts[0] = 0;
        rows->record_ends[0] = used = left;
        count = 1;
    }
    if (reader->rule.end == '\n')
        ink__lines_without_cr(bytes, rows->record_starts, rows->record_ends, count);
    for (size_t i = 0; i < count; i++) {
        rows->record_starts[i] += reader->at;
        rows->record_ends[i] += reader->at;
    }
    reader->at += used;
    return count;
}

ink_status ink__row_reader_next(ink__row_reader *reader, ink__rows *rows, ink_error *error)
{
    rows->count = 0;
    while (rows->count == 0 && reader->at < reader->chunk->count) { /* all may have been bad */
        size_t records = cut_records(reader, rows);
        reader->keys.used = reader->groups.used = 0;
        for (size_t i = 0; i < records; i++) {
            rows->record_starts[rows->count] = rows->record_starts[i];
            rows->record_ends[rows->count] = rows->record_ends[i];
            ink_status status = read_record(reader, rows, error);
            if (status == INK_OK)
                rows->count++;
            else if (status == INK_FORMAT && reader->rule.skip_bad)
                reader->bad++;
            else
                return status;
        }
    }
    rows->key_bytes = reader->keys_made ? reader->keys.bytes : reader->chunk->bytes;
    rows->group_bytes = reader->groups_made ? reader->groups.bytes : reader->chunk->bytes;
    return INK_OK;
}
