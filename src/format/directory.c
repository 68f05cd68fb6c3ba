/* directory.c - the directory of a file: tables of columns, parsed and checked in place, so that a
 * million entries open in milliseconds and nothing is allocated. */
#include "format/directory.h"

#include "base/byte_reader.h"
#include "base/checksum.h"
#include "base/size.h"
#include "base/status.h"

static uint64_t offset_in(const ink__image *image, const uint8_t *at)
{
    return (uint64_t)(at - image->bytes);
}

static ink_status parse_column(ink__reader *in, ink__directory_table *table, unsigned *last,
                               ink_error *error)
{
    uint64_t at = ink__reader_location(in);
    unsigned id = ink__read_u16(in);
    unsigned shape = ink__read_u16(in);
    unsigned form = shape & 0xff, width = shape >> 8;

    INK__TRY(ink__reader_check(in, "a column's description", error));
    unsigned column = ink__column_of_id(id);
    if (column == INK__COLUMNS || id <= *last)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                         "column %u after column %u, expected known ids, rising", id, *last);
    bool fits = column == INK__COLUMN_GROUP_BYTES ? form == INK__FORM_BYTES && width == 1
                : form == INK__FORM_ONE
                    ? width == 8
                    : form == INK__FORM_EACH && width <= 8 && ink__is_power_of_two(width);
    if (!fits)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at + 2,
                         "column %u has form %u and width %u, which do not go together", id, form,
                         width);
    *last = id;
    /* `data` marks the column as present until its location is known. */
    table->columns[column] =
        (ink__column){.form = (uint8_t)form, .width = (uint8_t)width, .data = in->bytes};
    return INK_OK;
}

static ink_status parse_table(ink__reader *in, ink__image *image, uint64_t *entries,
                              ink_error *error)
{
    ink__directory_table *table = &image->tables[image->table_count];
    unsigned              columns, last = 0;

    table->described_at = ink__reader_location(in);
    table->kind = ink__read_u16(in);
    table->position_rule = ink__read_u16(in);
    table->layout = ink__read_u16(in);
    columns = ink__read_u16(in);
    table->entries = ink__read_u64(in);
    INK__TRY(ink__reader_check(in, "a table's description", error));
    if (image->table_count > 0 && table->kind <= table[-1].kind)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, table->described_at,
                         "a table of kind %u after one of kind %u, expected rising kinds",
                         table->kind, table[-1].kind);
    if (columns > INK__COLUMNS)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, table->described_at + 6,
                         "%u columns, expected at most %d", columns, INK__COLUMNS);
    /* Nothing is allocated for this number, and no loop goes up to it, before that many labels,
     * which take room in the file, have been found. */
    if (table->entries == 0 || table->entries > image->entries - *entries)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, table->described_at + 8,
                         "a table of %llu entries, expected 1 to %llu",
                         (unsigned long long)table->entries,
                         (unsigned long long)(image->entries - *entries));
    table->first = *entries;
    *entries += table->entries;
    for (unsigned i = 0; i < columns; i++)
        INK__TRY(parse_column(in, table, &last, error));
    image->table_count++;
    return ink__read_padding(in, 8, error);
}

/* One valid form: no column of zeros, no repeated value, no byte wider than needed. */
static ink_status check_canonical(const ink__image *image, const ink__directory_table *table,
                                  const ink__column *column, unsigned id, ink_error *error)
{
    uint64_t first = ink__column_get(column, 0), largest = first;
    bool     differ = false;

    if (column->form == INK__FORM_ONE) {
        if (first != 0)
            return INK_OK;
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, offset_in(image, column->data),
                         "column %u is 0 in all entries, expected it to be left out", id);
    }
    for (uint64_t i = 1; i < table->entries; i++) {
        uint64_t value = ink__column_get(column, i);
        differ |= value != first;
        largest = value > largest ? value : largest;
    }
    if (!differ)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, offset_in(image, column->data),
                         "column %u has one value in all entries, expected it once", id);
    if (ink__width_of(largest) != column->width)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, offset_in(image, column->data),
                         "column %u is %u bytes wide, expected %u", id, column->width,
                         ink__width_of(largest));
    return INK_OK;
}

static ink_status location_column(ink__reader *in, const ink__image *image,
                                  ink__directory_table *table, unsigned index, ink_error *error)
{
    ink__column *column = &table->columns[index];
    uint64_t     bytes = 8;

    if (column->form == INK__FORM_BYTES) {
        bytes = ink__column_get(&table->columns[INK__COLUMN_GROUP_END], table->entries - 1);
        if (bytes == 0)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ink__reader_location(in),
                             "group bytes without a group name, expected them to be left out");
    } else if (column->form == INK__FORM_EACH &&
               !ink__mul_u64(table->entries, column->width, &bytes)) {
        bytes = UINT64_MAX;
    }
    column->data = ink__read_bytes(in, bytes);
    INK__TRY(ink__reader_check(in, "a column", error));
    INK__TRY(ink__read_padding(in, 8, error));
    if (column->form == INK__FORM_BYTES)
        return INK_OK;
    if (column->form == INK__FORM_ONE)
        column->value = ink__load_u64(column->data);
    return check_canonical(image, table, column, ink__column_id(index), error);
}

/* ---- Entries ------------------------------------------------------------------------------ */

/* A label from the values of its columns; `start` is where the group before it ended. */
static ink_label make_label(const ink__directory_table *table, uint64_t kind, uint64_t start,
                            uint64_t end, uint64_t slot_kind, uint64_t slot)
{
    const uint8_t *names = table->columns[INK__COLUMN_GROUP_BYTES].data;

    return (ink_label){
        .group_kind = (ink_group_kind)kind,
        .group = names == NULL ? NULL : names + start,
        .group_bytes = (size_t)(end - start),
        .has_slot = slot_kind != 0,
        .slot = (int64_t)slot,
    };
}

static ink_label label_of(const ink__directory_table *table, uint64_t index)
{
    const ink__column *columns = table->columns, *ends = &columns[INK__COLUMN_GROUP_END];

    return make_label(table, ink__column_get(&columns[INK__COLUMN_GROUP_KIND], index),
                      index == 0 ? 0 : ink__column_get(ends, index - 1),
                      ink__column_get(ends, index),
                      ink__column_get(&columns[INK__COLUMN_SLOT_KIND], index),
                      ink__column_get(&columns[INK__COLUMN_SLOT], index));
}

/* Fails at the value of `column` for entry `index` of the table. */
#define FAIL_AT_CELL(column, ...)                                                                  \
    ink__fail(error, INK_FORMAT, INK_AT_BYTE,                                                      \
              ink__image_cell(image, table->first + index, column), __VA_ARGS__)

/* Checks the label of entry `index`, whose group name starts at `start`, and moves `start` on. No
 * name may end after `names_end`, the end of the last one. */
static ink_status check_label(const ink__image *image, const ink__directory_table *table,
                              uint64_t index, uint64_t names_end, uint64_t *start, ink_label *label,
                              ink_error *error)
{
    const ink__column *columns = table->columns;
    uint64_t           kind = ink__column_get(&columns[INK__COLUMN_GROUP_KIND], index);
    uint64_t           end = ink__column_get(&columns[INK__COLUMN_GROUP_END], index);
    uint64_t           slot_kind = ink__column_get(&columns[INK__COLUMN_SLOT_KIND], index);
    uint64_t           slot = ink__column_get(&columns[INK__COLUMN_SLOT], index);

    if (kind > INK_GROUP_BYTES)
        return FAIL_AT_CELL(INK__COLUMN_GROUP_KIND, "group kind %llu, expected 0 to 2",
                            (unsigned long long)kind);
    if (end < *start || end > names_end ||
        end - *start > (kind == INK_GROUP_BYTES ? INK__GROUP_BYTES_MAX : 0))
        return FAIL_AT_CELL(INK__COLUMN_GROUP_END,
                            "a group name from %llu to %llu, expected at most %d bytes up to %llu",
                            (unsigned long long)*start, (unsigned long long)end,
                            kind == INK_GROUP_BYTES ? INK__GROUP_BYTES_MAX : 0,
                            (unsigned long long)names_end);
    if (slot_kind > 1)
        return FAIL_AT_CELL(INK__COLUMN_SLOT_KIND, "slot kind %llu, expected 0 or 1",
                            (unsigned long long)slot_kind);
    if (slot != 0 && slot_kind == 0)
        return FAIL_AT_CELL(INK__COLUMN_SLOT, "slot %lld of an entry without one",
                            (long long)(int64_t)slot);
    *label = make_label(table, kind, *start, end, slot_kind, slot);
    *start = end;
    return INK_OK;
}

static ink_status check_payload_location(const ink__image *image, const ink__directory_table *table,
                                         uint64_t index, uint64_t *end, ink_error *error)
{
    uint64_t offset = ink__column_get(&table->columns[INK__COLUMN_PAYLOAD_OFFSET], index);
    uint64_t bytes = ink__column_get(&table->columns[INK__COLUMN_PAYLOAD_BYTES], index);
    uint64_t expected;

    if (!ink__payload_location(*end, bytes, &expected) || offset != expected)
        return FAIL_AT_CELL(INK__COLUMN_PAYLOAD_OFFSET, "payload offset %llu, expected %llu",
                            (unsigned long long)offset, (unsigned long long)expected);
    if (offset > image->payload_bytes || bytes > image->payload_bytes - offset)
        return FAIL_AT_CELL(INK__COLUMN_PAYLOAD_BYTES,
                            "a payload of %llu bytes at %llu, but the payloads end at %llu",
                            (unsigned long long)bytes, (unsigned long long)offset,
                            (unsigned long long)image->payload_bytes);
    *end = offset + bytes;
    return INK_OK;
}

/* The entries of a table that are checked. */
typedef struct checking {
    const ink__image           *image;
    const ink__directory_table *table;
    uint64_t                    names_end; /* the end of the last name */
    uint64_t                    end;       /* of the last payload before the table */
} checking;

/* Checks the entries from *at on, and leaves the first that is refused there. Ranges are checked
 * beside each other: the label before this one may be invalid, and is then refused by the other. */
static ink_status check_range(const checking *all, uint64_t *at, uint64_t until, ink_error *error)
{
    const ink__image           *image = all->image;
    const ink__directory_table *table = all->table;
    const ink__column          *columns = table->columns;
    const ink__column          *ends = &columns[INK__COLUMN_GROUP_END];
    ink_label                   before = {0}, label = {0};
    uint64_t                    start = 0, end = all->end;

    if (*at > 0) {
        const uint64_t last = *at - 1;
        start = last == 0 ? 0 : ink__column_get(ends, last - 1);
        INK__TRY(check_label(image, table, last, all->names_end, &start, &before, error));
        end = ink__column_get(&columns[INK__COLUMN_PAYLOAD_OFFSET], last) +
              ink__column_get(&columns[INK__COLUMN_PAYLOAD_BYTES], last);
    }
    for (; *at < until; (*at)++) {
        const uint64_t index = *at;
        INK__TRY(check_label(image, table, index, all->names_end, &start, &label, error));
        if (index > 0 && ink_label_compare(&before, &label) >= 0)
            return FAIL_AT_CELL(INK__COLUMN_GROUP_END,
                                "entry %llu is not after the one before it, expected rising labels",
                                (unsigned long long)index);
        before = label;
        INK__TRY(check_payload_location(image, table, index, &end, error));
    }
    return INK_OK;
}

/* Has the type of ink__crew_check. */
static uint64_t find_refused(const void *host, uint64_t from, uint64_t until)
{
    return check_range(host, &from, until, NULL) == INK_OK ? until : from;
}

static ink_status check_entries(const ink__image *image, const ink__directory_table *table,
                                const ink__crew *crew, uint64_t *end, ink_error *error)
{
    const ink__column *columns = table->columns;
    const uint64_t     last = table->entries - 1;
    const checking     all = {
            .image = image,
            .table = table,
            .names_end = ink__column_get(&columns[INK__COLUMN_GROUP_END], last),
            .end = *end,
    };

    if (all.names_end != 0 && columns[INK__COLUMN_GROUP_BYTES].data == NULL)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, table->described_at,
                         "group names end above 0, but the column of group bytes is missing");
    uint64_t refused = ink__crew_first(crew, table->entries, find_refused, &all);
    if (refused < table->entries)
        return check_range(&all, &refused, refused + 1, error);
    *end = ink__column_get(&columns[INK__COLUMN_PAYLOAD_OFFSET], last) +
           ink__column_get(&columns[INK__COLUMN_PAYLOAD_BYTES], last);
    return INK_OK;
}

/* ---- The whole ---------------------------------------------------------------------------- */

static ink_status parse_tables(ink__reader *in, ink__image *image, const ink__crew *crew,
                               ink_error *error)
{
    uint64_t at = ink__reader_location(in), entries = 0;
    uint32_t tables = ink__read_u32(in);
    uint32_t zero = ink__read_u32(in);

    INK__TRY(ink__reader_check(in, "the directory", error));
    if (tables > INK__TABLES_MAX || zero != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                         "%u tables and 0x%x after it, expected at most %d and 0", tables, zero,
                         INK__TABLES_MAX);
    for (uint32_t i = 0; i < tables; i++)
        INK__TRY(parse_table(in, image, &entries, error));
    for (uint32_t i = 0; i < tables; i++)
        for (unsigned column = 0; column < INK__COLUMNS; column++)
            if (image->tables[i].columns[column].data != NULL)
                INK__TRY(location_column(in, image, &image->tables[i], column, error));
    image->sums = ink__read_bytes(in, 8 * ink__pieces_in(image->payload_bytes));
    INK__TRY(ink__reader_check(in, "the payloads' checksums", error));

    uint64_t end = 0, area;
    for (uint32_t i = 0; i < tables; i++)
        INK__TRY(check_entries(image, &image->tables[i], crew, &end, error));
    if (entries != image->entries)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_ENTRIES,
                         "%llu entries, but the tables have %llu",
                         (unsigned long long)image->entries, (unsigned long long)entries);
    if (!ink__align_u64(end, INK__PAYLOAD_UNIT, &area) || area != image->payload_bytes)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_PAYLOAD,
                         "payloads of %llu bytes, but the entries have %llu",
                         (unsigned long long)image->payload_bytes, (unsigned long long)area);
    return INK_OK;
}

ink_status ink__directory_parse(ink__image *image, const ink__crew *crew, ink_error *error)
{
    uint64_t    bytes = image->payload_at - INK__HEADER_BYTES - 8; /* without its checksum */
    ink__reader in = {
        .bytes = image->bytes + INK__HEADER_BYTES, .count = bytes, .start = INK__HEADER_BYTES};

    if (ink__load_u64(in.bytes + bytes) != ink__checksum(in.bytes, bytes))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_BYTES + bytes,
                         "the directory's checksum is wrong: the file is damaged");
    INK__TRY(parse_tables(&in, image, crew, error));
    uint64_t rest = in.count - in.offset;
    if (rest >= INK__DIRECTORY_UNIT)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ink__reader_location(&in),
                         "%llu bytes after the directory's contents, expected fewer than %d",
                         (unsigned long long)rest, INK__DIRECTORY_UNIT);
    return ink__read_padding(&in, bytes, error);
}

/* ---- Asking ------------------------------------------------------------------------------- */

/* The table that holds entry `index` < image->entries. */
static const ink__directory_table *table_of(const ink__image *image, uint64_t index)
{
    const ink__directory_table *table = image->tables;

    while (index >= table->first + table->entries)
        table++;
    return table;
}

void ink__image_entry(const ink__image *image, uint64_t index, ink__entry *entry)
{
    const ink__directory_table *table = table_of(image, index);
    const ink__column          *columns = table->columns;

    index -= table->first;
    entry->kind = table->kind;
    entry->position_rule = table->position_rule;
    entry->layout = table->layout;
    entry->label = label_of(table, index);
    entry->records = ink__column_get(&columns[INK__COLUMN_RECORDS], index);
    entry->payload_offset = ink__column_get(&columns[INK__COLUMN_PAYLOAD_OFFSET], index);
    entry->payload_bytes = ink__column_get(&columns[INK__COLUMN_PAYLOAD_BYTES], index);
    for (unsigned i = 0; i < INK__FIELDS_MAX; i++)
        entry->fields[i] = ink__column_get(&columns[INK__COLUMN_FIELD + i], index);
}

const uint8_t *ink__image_payload(const ink__image *image, const ink__entry *entry)
{
    return image->bytes + image->payload_at + entry->payload_offset;
}

bool ink__directory_find(const ink__directory_table *table, const ink_label *label, uint64_t *index)
{
    uint64_t low = 0, high = table->entries;

    while (low < high) {
        uint64_t  middle = low + (high - low) / 2;
        ink_label found = label_of(table, middle);
        int       order = ink_label_compare(&found, label);
        if (order == 0) {
            *index = table->first + middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *index = table->first + low;
    return false;
}

uint64_t ink__image_cell(const ink__image *image, uint64_t index, unsigned column)
{
    const ink__directory_table *table = table_of(image, index);
    const ink__column          *cells = &table->columns[column];

    if (cells->data == NULL)
        return table->described_at;
    return offset_in(image, cells->data) +
           (cells->form == INK__FORM_EACH ? (index - table->first) * cells->width : 0);
}
