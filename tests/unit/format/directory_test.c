/* directory_test.c - a directory has exactly one valid form: hand-made ones that deviate from it,
 * with checksums that are right, are refused with the place; valid ones answer which entry is
 * where. */
#include "format/directory.h"

#include "format/image.h"
#include "support/check.h"
#include "support/files.h"

#include <stdio.h>

static ink_error  error;
static ink__image image;

/* ---- A file by hand ----------------------------------------------------------------------- */

enum { CELLS = 6, COLUMNS = 18, FILE_BYTES = 4096, END_SECTION_BYTES = 32 };

typedef struct column {
    unsigned    id, form, width;
    uint64_t    cells[CELLS]; /* form 0: the first; form 1: one for each entry */
    const char *text;         /* form 2 */
} column;

typedef struct table {
    unsigned kind, rule, layout;
    unsigned columns_said; /* 0: as many as there are */
    uint64_t entries;
    column   columns[COLUMNS]; /* up to the first with id 0 */
} table;

typedef struct directory {
    table    tables[3];
    unsigned table_count;
    uint64_t entries, payload_bytes;

    uint8_t  bytes[FILE_BYTES];
    size_t   count;
    uint64_t described_at[3];     /* where each table's description stands ... */
    uint64_t data_at[3][COLUMNS]; /* ... and each column's data */
    uint64_t contents_end;        /* behind the pieces' checksums */
} directory;

static unsigned columns_of(const table *t)
{
    unsigned count = 0;

    while (count < COLUMNS && t->columns[count].id != 0)
        count++;
    return count;
}

static uint64_t padded(uint64_t at, uint64_t unit)
{
    return (at + unit - 1) / unit * unit;
}

static uint64_t put_descriptions(directory *d)
{
    uint64_t at = 64;

    files_set(d->bytes + at, 4, d->table_count);
    at += 8;
    for (unsigned t = 0; t < d->table_count; t++) {
        const table *from = &d->tables[t];
        unsigned     columns = columns_of(from);
        d->described_at[t] = at;
        files_set(d->bytes + at, 2, from->kind);
        files_set(d->bytes + at + 2, 2, from->rule);
        files_set(d->bytes + at + 4, 2, from->layout);
        files_set(d->bytes + at + 6, 2, from->columns_said == 0 ? columns : from->columns_said);
        files_set(d->bytes + at + 8, 8, from->entries);
        at += 16;
        for (unsigned c = 0; c < columns; c++, at += 4) {
            files_set(d->bytes + at, 2, from->columns[c].id);
            d->bytes[at + 2] = (uint8_t)from->columns[c].form;
            d->bytes[at + 3] = (uint8_t)from->columns[c].width;
        }
        at = padded(at, 8);
    }
    return at;
}

static uint64_t put_column(directory *d, const table *t, const column *c, uint64_t at)
{
    uint64_t cells = c->form == 0 ? 1 : t->entries;

    if (c->text != NULL) {
        memcpy(d->bytes + at, c->text, strlen(c->text));
        return padded(at + strlen(c->text), 8);
    }
    for (uint64_t i = 0; i < cells && i < CELLS; i++)
        files_set(d->bytes + at + i * c->width, c->width, c->cells[i]);
    return padded(at + cells * c->width, 8);
}

/* Puts the file together, with all checksums right. */
static void build(directory *d)
{
    memset(d->bytes, 0, sizeof d->bytes);
    uint64_t at = put_descriptions(d);
    for (unsigned t = 0; t < d->table_count; t++)
        for (unsigned c = 0; c < columns_of(&d->tables[t]); c++) {
            d->data_at[t][c] = at;
            at = put_column(d, &d->tables[t], &d->tables[t].columns[c], at);
        }
    d->contents_end = at + (d->payload_bytes > 0 ? 8 : 0);
    at = padded(d->contents_end + 8, 64);

    memcpy(d->bytes, INK__MAGIC, 8);
    files_set(d->bytes + INK__HEADER_VERSION, 2, INK__FORMAT_VERSION);
    files_set(d->bytes + INK__HEADER_HASH, 2, 1);
    files_set(d->bytes + FILES_ENTRIES_AT, 8, d->entries);
    files_set(d->bytes + FILES_DIRECTORY_AT, 8, at - 64);
    files_set(d->bytes + FILES_PAYLOAD_AT, 8, d->payload_bytes);
    at += d->payload_bytes;
    d->count = (size_t)at + END_SECTION_BYTES;
    assert_true(d->count <= FILE_BYTES);
    files_set(d->bytes + at, 4, 0xffffffff);
    files_set(d->bytes + at + 4, 4, 1);
    files_set(d->bytes + at + 8, 8, 8);
    files_set(d->bytes + at + 16, 8, d->count);
    files_repair(d->bytes, d->count);
}

static ink_status parse(const directory *d)
{
    return ink__image_parse(&image, d->bytes, d->count, NULL, &error);
}

/* What every test starts from: three entries "a", "bb" and "c" in one table. */
static directory three_groups(void)
{
    return (directory){
        .tables = {{.kind = 8,
                    .rule = 5,
                    .layout = 1,
                    .entries = 3,
                    .columns = {{.id = 1, .form = 0, .width = 8, .cells = {2}},
                                {.id = 2, .form = 1, .width = 1, .cells = {1, 3, 4}},
                                {.id = 3, .form = 2, .width = 1, .text = "abbc"},
                                {.id = 6, .form = 1, .width = 2, .cells = {7, 300, 7}},
                                {.id = 16, .form = 0, .width = 8, .cells = {5}}}}},
        .table_count = 1,
        .entries = 3,
    };
}

enum { KINDS, ENDS, NAMES, RECORDS, PARAMETER }; /* the columns above */

/* Builds, parses, and expects a refusal with these words at `location`. */
static void check_refused(directory *d, const char *words, uint64_t location)
{
    CHECK_FAILS(parse(d), INK_FORMAT, words);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, location);
}

#define CHECK_REFUSED(d, words, location)                                                          \
    do {                                                                                           \
        build(&(d));                                                                               \
        check_refused(&(d), words, location);                                                      \
    } while (0)

/* With a number set and the checksums right again. */
static void check_set(directory d, uint64_t at, unsigned width, uint64_t value, const char *words,
                      uint64_t location)
{
    files_set(d.bytes + at, width, value);
    files_repair(d.bytes, d.count);
    check_refused(&d, words, location);
}

/* With column `which` replaced, at byte `byte` of the data of column `at`. */
static void check_column(directory d, unsigned which, column replaced, const char *words,
                         unsigned at, uint64_t byte)
{
    d.tables[0].columns[which] = replaced;
    build(&d);
    check_refused(&d, words, d.data_at[0][at] + byte);
}

/* A column with a number for each of three entries. */
static column each(unsigned id, unsigned width, uint64_t first, uint64_t second, uint64_t third)
{
    return (column){.id = id, .form = 1, .width = width, .cells = {first, second, third}};
}

/* ---- What is valid ------------------------------------------------------------------------ */

TEST(a_directory_made_by_hand_is_read)
{
    directory  d = three_groups();
    ink__entry entry;

    build(&d);
    CHECK_OK(parse(&d));
    assert_int_equal(image.table_count, 1);
    ink__image_entry(&image, 1, &entry);
    assert_int_equal(entry.kind, 8);
    assert_int_equal(entry.position_rule, 5);
    assert_int_equal(entry.layout, 1);
    assert_int_equal(entry.records, 300);
    assert_int_equal(entry.fields[0], 5);
    assert_int_equal(entry.fields[1], 0);
    assert_int_equal(entry.label.group_kind, INK_GROUP_BYTES);
    assert_int_equal(entry.label.group_bytes, 2);
    assert_memory_equal(entry.label.group, "bb", 2);
    CHECK(!entry.label.has_slot);
}

TEST(an_empty_directory_is_read)
{
    directory d = {0};

    build(&d);
    CHECK_OK(parse(&d));
    assert_int_equal(image.table_count, 0);
    assert_int_equal(image.entries, 0);
}

TEST(columns_of_every_width_are_read)
{
    const uint64_t largest[] = {200, 60000, 4000000000, UINT64_MAX};
    directory      d = three_groups();

    for (unsigned i = 0; i < 4; i++) {
        d.tables[0].columns[RECORDS] =
            (column){.id = 6, .form = 1, .width = 1u << i, .cells = {1, largest[i], 0}};
        build(&d);
        CHECK_OK(parse(&d));
        ink__entry entry;
        ink__image_entry(&image, 1, &entry);
        CHECK(entry.records == largest[i]);
        ink__image_entry(&image, 2, &entry);
        CHECK(entry.records == 0);
    }
}

/* ---- Descriptions ------------------------------------------------------------------------- */

TEST(a_damaged_directory_is_refused)
{
    directory d = three_groups();

    build(&d);
    d.bytes[70] ^= 1;
    uint64_t sum_at = files_payload_at(d.bytes) - 8;
    check_refused(&d, "the directory's checksum is wrong", sum_at);
}

TEST(bytes_that_break_a_rule_are_refused)
{
    directory d = three_groups();

    build(&d);
    check_set(d, 64, 4, 17, "17 tables and 0x0 after it, expected at most 16", 64);
    check_set(d, 68, 4, 0xa, "1 tables and 0xa after it", 64);
    /* Five columns: four bytes of padding after their descriptions. */
    uint64_t at = d.described_at[0] + 16 + 4 * 5 + 3;
    check_set(d, at, 1, 0x44, "padding byte 0x44, expected 0", at);
    at = d.data_at[0][ENDS] + 7;
    check_set(d, at, 1, 0x33, "padding byte 0x33, expected 0", at);
    CHECK(d.contents_end < files_payload_at(d.bytes) - 8);
    check_set(d, d.contents_end, 1, 2, "padding byte 0x2, expected 0", d.contents_end);
}

TEST(a_form_that_does_not_go_with_its_width_is_refused)
{
    const struct {
        unsigned which, form, width;
    } wrong[] = {
        {PARAMETER, 0, 4}, {RECORDS, 1, 3}, {RECORDS, 1, 0}, {RECORDS, 1, 16}, {RECORDS, 2, 1},
        {RECORDS, 3, 8},   {NAMES, 1, 1},   {NAMES, 2, 2},   {NAMES, 0, 8},
    };
    directory d = three_groups();

    build(&d);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t at = d.described_at[0] + 16 + 4 * wrong[i].which + 2;
        check_set(d, at, 2, wrong[i].form | wrong[i].width << 8, "which do not go together", at);
    }
}

TEST(numbers_of_tables_columns_and_entries_that_disagree_are_refused)
{
    directory d = three_groups();

    d.entries = 4;
    CHECK_REFUSED(d, "4 entries, but the tables have 3", FILES_ENTRIES_AT);
    d.entries = 3;
    d.tables[0].entries = 0;
    CHECK_REFUSED(d, "a table of 0 entries, expected 1 to 3", d.described_at[0] + 8);
    d.tables[0].entries = 4;
    CHECK_REFUSED(d, "a table of 4 entries, expected 1 to 3", d.described_at[0] + 8);
    d = three_groups();
    d.tables[0].columns_said = 17;
    CHECK_REFUSED(d, "17 columns, expected at most 16", d.described_at[0] + 6);
}

TEST(more_tables_than_the_directory_has_room_for_are_refused)
{
    directory d = {0};

    build(&d);
    files_set(d.bytes + 64, 4, 1);
    files_set(d.bytes + 72, 8, 0x0001000500010008); /* its description begins, with no entries */
    files_repair(d.bytes, d.count);
    check_refused(&d, "a table of 0 entries, expected 1 to 0", 80);

    d.entries = 3;
    build(&d);
    files_set(d.bytes + 64, 4, 4);
    for (unsigned i = 0; i < 3; i++) {
        files_set(d.bytes + 72 + 16 * i, 8, 0x0000000100050001 + i);
        files_set(d.bytes + 80 + 16 * i, 8, 1);
    }
    files_repair(d.bytes, d.count);
    check_refused(&d, "a table's description is cut short", 120);
}

TEST(tables_whose_kinds_do_not_rise_are_refused)
{
    directory d = three_groups();

    d.tables[1] = d.tables[0];
    d.table_count = 2;
    d.entries = 6;
    build(&d);
    check_refused(&d, "a table of kind 8 after one of kind 8, expected rising kinds",
                  d.described_at[1]);
}

TEST(a_table_has_no_more_entries_than_those_before_it_leave)
{
    directory d = three_groups();

    d.tables[1] = d.tables[0];
    d.tables[1].kind++;
    d.table_count = 2;
    d.entries = 5;
    build(&d);
    check_refused(&d, "a table of 3 entries, expected 1 to 2", d.described_at[1] + 8);
}

TEST(a_column_that_is_unknown_or_out_of_order_is_refused)
{
    directory d = three_groups();

    d.tables[0].columns[PARAMETER].id = 6;
    CHECK_REFUSED(d, "column 6 after column 6", d.described_at[0] + 16 + 4 * PARAMETER);
    d.tables[0].columns[PARAMETER].id = 9;
    CHECK_REFUSED(d, "column 9 after column 6, expected known ids, rising",
                  d.described_at[0] + 16 + 4 * PARAMETER);
    d.tables[0].columns[PARAMETER].id = 24;
    CHECK_REFUSED(d, "column 24 after column 6", d.described_at[0] + 16 + 4 * PARAMETER);
    files_set(d.bytes + d.described_at[0] + 16, 2, 0);
    files_repair(d.bytes, d.count);
    check_refused(&d, "column 0 after column 0", d.described_at[0] + 16);
}

TEST(a_column_description_past_the_end_is_refused)
{
    directory d = {0};

    d.entries = 1;
    build(&d);
    files_set(d.bytes + 64, 4, 1);
    files_set(d.bytes + 72, 8, 0x000a000100050008); /* ten columns, and room for eight */
    files_set(d.bytes + 80, 8, 1);
    for (unsigned i = 0; i < 8; i++)
        files_set(d.bytes + 88 + 4 * i, 4, 0x08000000 + (i == 2 ? 0xf9020000 + 3 : i + 1));
    files_repair(d.bytes, d.count);
    check_refused(&d, "a column's description is cut short", 120);
}

/* ---- Columns ------------------------------------------------------------------------------ */

TEST(a_column_that_repeats_one_value_is_refused)
{
    directory d = three_groups();

    check_column(d, PARAMETER, (column){.id = 16, .form = 0, .width = 8},
                 "column 16 is 0 in all entries, expected it to be left out", PARAMETER, 0);
    check_column(d, RECORDS, each(6, 1, 7, 7, 7),
                 "column 6 has one value in all entries, expected it once", RECORDS, 0);
}

TEST(a_column_of_one_entry_that_is_not_of_form_0_is_refused)
{
    directory d = three_groups();

    d.entries = d.tables[0].entries = 1;
    d.tables[0].columns[ENDS] = (column){.id = 2, .form = 0, .width = 8, .cells = {4}};
    d.tables[0].columns[RECORDS] = (column){.id = 6, .form = 1, .width = 1, .cells = {7}};
    CHECK_REFUSED(d, "column 6 has one value in all entries", d.data_at[0][RECORDS]);
}

TEST(a_column_wider_than_it_needs_to_be_is_refused)
{
    const unsigned fits[] = {1, 1, 2, 4};
    directory      d = three_groups();

    for (unsigned i = 1; i < 4; i++) {
        char words[64];
        d.tables[0].columns[RECORDS] = (column){
            .id = 6, .form = 1, .width = 1u << i, .cells = {1, (1ull << 8 * fits[i]) - 1, 2}};
        snprintf(words, sizeof words, "column 6 is %u bytes wide, expected %u", 1u << i, fits[i]);
        CHECK_REFUSED(d, words, d.data_at[0][RECORDS]);
    }
}

TEST(a_column_past_the_end_of_the_directory_is_refused)
{
    directory d = three_groups();

    build(&d);
    uint64_t end = files_payload_at(d.bytes) - 8;
    files_set(d.bytes + FILES_ENTRIES_AT, 8, 1000);
    files_set(d.bytes + d.described_at[0] + 8, 8, 1000);
    files_repair(d.bytes, d.count);
    check_refused(&d, "a column is cut short", end);

    /* Its size overflows 64 bits: 2^63 entries of two bytes. */
    d.tables[0].columns[ENDS].width = 2;
    build(&d);
    files_set(d.bytes + FILES_ENTRIES_AT, 8, (uint64_t)1 << 63);
    files_set(d.bytes + d.described_at[0] + 8, 8, (uint64_t)1 << 63);
    files_repair(d.bytes, d.count);
    check_refused(&d, "a column is cut short", files_payload_at(d.bytes) - 8);
}

/* Puts `bytes` zeros as payload area into a file that has none. */
static void insert_payload(directory *d, uint64_t bytes)
{
    uint8_t *area = d->bytes + files_payload_at(d->bytes);

    memmove(area + bytes, area, END_SECTION_BYTES);
    memset(area, 0, bytes);
    files_set(d->bytes + FILES_PAYLOAD_AT, 8, bytes);
    d->count += bytes;
    files_set(d->bytes + d->count - 16, 8, d->count);
    files_repair(d->bytes, d->count);
}

TEST(checksums_of_pieces_past_the_end_are_refused)
{
    directory d = {
        .tables = {{.kind = 8,
                    .rule = 5,
                    .layout = 1,
                    .entries = 1,
                    .columns = {{.id = 1, .form = 0, .width = 8, .cells = {2}},
                                {.id = 2, .form = 0, .width = 8, .cells = {1}},
                                {.id = 3, .form = 2, .width = 1, .text = "a"},
                                {.id = 4, .form = 0, .width = 8, .cells = {1}},
                                {.id = 5, .form = 0, .width = 8, .cells = {7}},
                                {.id = 6, .form = 0, .width = 8, .cells = {1}},
                                {.id = 8, .form = 0, .width = 8, .cells = {32}},
                                {.id = 16, .form = 0, .width = 8, .cells = {4}}}}},
        .table_count = 1,
        .entries = 1,
    };

    build(&d);
    assert_int_equal(d.contents_end, files_payload_at(d.bytes) - 8); /* no room for a sum */
    insert_payload(&d, 32);
    check_refused(&d, "the payloads' checksums is cut short", d.contents_end);

    d.tables[0].columns[7] = (column){0}; /* now there is */
    build(&d);
    insert_payload(&d, 32);
    CHECK_OK(parse(&d));
}

/* Puts 64 zeros before the checksum of the directory. */
static void lengthen(directory *d)
{
    const uint64_t end = files_payload_at(d->bytes);

    memmove(d->bytes + end + 64, d->bytes + end, d->count - end);
    memset(d->bytes + end - 8, 0, 8 + 64);
    d->count += 64;
    files_set(d->bytes + FILES_DIRECTORY_AT, 8, end);
    files_set(d->bytes + d->count - END_SECTION_BYTES + 16, 8, d->count);
    files_repair(d->bytes, d->count);
}

TEST(a_directory_longer_than_its_contents_need_is_refused)
{
    directory empty = {0};
    directory full = {.tables = {{.kind = 8,
                                  .entries = 1,
                                  .columns = {{.id = 8, .form = 0, .width = 8, .cells = {32}},
                                              {.id = 16, .form = 0, .width = 8, .cells = {5}}}}},
                      .table_count = 1,
                      .entries = 1,
                      .payload_bytes = 32};

    build(&empty);
    assert_int_equal(files_payload_at(empty.bytes), 128);
    lengthen(&empty);
    check_refused(&empty, "112 bytes after the directory's contents, expected fewer than 64", 72);
    build(&full);
    assert_int_equal(full.contents_end + 8, files_payload_at(full.bytes));
    CHECK_OK(parse(&full));
    lengthen(&full);
    check_refused(&full, "64 bytes after the directory's contents, expected fewer than 64", 120);
}

/* ---- Labels ------------------------------------------------------------------------------- */

TEST(a_label_that_breaks_a_rule_is_refused)
{
    directory d = three_groups();

    check_column(d, KINDS, each(1, 1, 2, 2, 3), "group kind 3, expected 0 to 2", KINDS, 2);
    check_column(d, NAMES, (column){.id = 3, .form = 2, .width = 1, .text = "zbbc"},
                 "entry 1 is not after the one before it, expected rising labels", ENDS, 1);
    check_column(d, KINDS, each(1, 1, 1, 2, 2),
                 "a group name from 0 to 1, expected at most 0 bytes", ENDS, 0);
    check_column(d, ENDS, each(2, 4, 65536, 65537, 4),
                 "a group name from 0 to 65536, expected at most 65535", ENDS, 0);
    check_column(d, ENDS, each(2, 1, 1, 0, 4), "a group name from 1 to 0", ENDS, 1);
    check_column(d, RECORDS, each(4, 1, 0, 2, 0), "slot kind 2, expected 0 or 1", RECORDS, 1);
    check_column(d, RECORDS, each(5, 8, 0, (uint64_t)-5, 0), "slot -5 of an entry without one",
                 RECORDS, 8);
}

/* Of two names with as many bytes as there may be, the first one gets a byte of the second. */
TEST(the_longest_name_is_read_and_one_byte_more_is_refused)
{
    enum { MOST = 65535 };
    static uint8_t names[2][MOST];
    owned_sketch  *sketch = files_sketch(&(ink_params){.kind = "hll", .precision = 4}, 0, 3, NULL);
    ink_entry      entries[2];
    ink__entry     entry;
    uint8_t       *bytes;
    size_t         count;

    for (int i = 0; i < 2; i++) {
        memset(names[i], 'a' + i, MOST);
        entries[i] = (ink_entry){
            .label = {.group_kind = INK_GROUP_BYTES, .group = names[i], .group_bytes = MOST},
            .sketch = sketch};
    }
    const ink_contents contents = {.entries = entries, .entry_count = 2};
    CHECK_OK(ink_contents_encode(&contents, &bytes, &count, &error));
    CHECK_OK(ink__image_parse(&image, bytes, count, NULL, &error));
    ink__image_entry(&image, 1, &entry);
    CHECK(entry.label.group_bytes == MOST && memcmp(entry.label.group, names[1], MOST) == 0);
    const files_field ends = files_column(bytes, count, 0, 2);
    assert_int_equal(files_get(bytes + ends.at, ends.width), MOST);
    files_set(bytes + ends.at, ends.width, MOST + 1);
    files_repair(bytes, count);
    CHECK_FAILS(ink__image_parse(&image, bytes, count, NULL, &error), INK_FORMAT,
                "a group name from 0 to 65536, expected at most 65535");
    ink_bytes_free(bytes, count, NULL);
}

TEST(the_same_label_twice_is_refused)
{
    directory d = three_groups();

    d.tables[0].columns[ENDS] = each(2, 1, 1, 2, 3);
    d.tables[0].columns[NAMES].text = "abb";
    CHECK_REFUSED(d, "entry 2 is not after the one before it", d.data_at[0][ENDS] + 2);
}

TEST(no_name_after_the_end_of_the_names_is_ever_read)
{
    directory   d = three_groups();
    files_guard guard;

    d.tables[0].columns[ENDS] = each(2, 2, 1000, 2000, 4);
    build(&d);
    files_guard_create(&guard, FILE_BYTES);
    const uint8_t *bytes = files_location(&guard, d.bytes, d.count);
    CHECK_FAILS(ink__image_parse(&image, bytes, d.count, NULL, &error), INK_FORMAT,
                "a group name from");
    files_guard_free(&guard);
}

TEST(names_without_a_column_of_bytes_are_refused)
{
    directory d = three_groups();

    memmove(&d.tables[0].columns[NAMES], &d.tables[0].columns[RECORDS], 2 * sizeof(column));
    d.tables[0].columns[PARAMETER] = (column){0};
    CHECK_REFUSED(d, "group names end above 0, but the column of group bytes is missing",
                  d.described_at[0]);
}

TEST(a_column_of_bytes_without_names_is_refused)
{
    directory d = three_groups();

    d.entries = d.tables[0].entries = 1;
    d.tables[0].columns[ENDS] = (column){.id = 3, .form = 2, .width = 1, .text = ""};
    d.tables[0].columns[NAMES] = (column){0};
    CHECK_REFUSED(d, "group bytes without a group name, expected them to be left out",
                  d.data_at[0][ENDS]);
}

/* ---- Payloads ----------------------------------------------------------------------------- */

/* Three entries with payloads of 40, 0 and 5 bytes. */
static directory three_payloads(void)
{
    directory d = three_groups();

    d.payload_bytes = 96;
    d.tables[0].columns[RECORDS] = each(7, 1, 0, 64, 64);
    d.tables[0].columns[PARAMETER] = each(8, 1, 40, 0, 5);
    return d;
}

enum { OFFSETS = RECORDS, SIZES = PARAMETER };

TEST(payloads_stand_where_the_rule_says)
{
    directory  d = three_payloads();
    ink__entry entry;

    build(&d);
    CHECK_OK(parse(&d));
    ink__image_entry(&image, 2, &entry);
    assert_int_equal(entry.payload_offset, 64);
    assert_int_equal(entry.payload_bytes, 5);
    CHECK(ink__image_payload(&image, &entry) == d.bytes + files_payload_at(d.bytes) + 64);
}

TEST(a_payload_at_another_location_is_refused)
{
    directory d = three_payloads();

    check_column(d, OFFSETS, each(7, 1, 0, 96, 64), "payload offset 96, expected 64", OFFSETS, 1);
    check_column(d, SIZES, each(8, 1, 40, 0, 33),
                 "a payload of 33 bytes at 64, but the payloads end at 96", SIZES, 2);
    d.payload_bytes = 128;
    CHECK_REFUSED(d, "payloads of 128 bytes, but the entries have 96", FILES_PAYLOAD_AT);
    d.payload_bytes = 32;
    check_column(d, SIZES, each(8, 2, 32, 4096, 1),
                 "a payload of 4096 bytes at 64, but the payloads end at 32", SIZES, 2);
    d = three_payloads();
    d.tables[0].columns[OFFSETS] = each(7, 1, 0, 96, 96);
    check_column(d, SIZES, each(8, 1, 96, 0, 1),
                 "a payload of 1 bytes at 96, but the payloads end at 96", SIZES, 2);
}

/* ---- Asking ------------------------------------------------------------------------------- */

/* The groups above, and a second table with the same names. */
static directory two_tables(void)
{
    directory d = three_groups();

    d.tables[1] = d.tables[0];
    d.tables[0].kind = 1;
    d.tables[1].columns[RECORDS].cells[1] = 400;
    d.table_count = 2;
    d.entries = 6;
    return d;
}

TEST(every_entry_is_found_in_its_table)
{
    const char *names[] = {"a", "bb", "c"};
    directory   d = two_tables();
    uint64_t    index;
    ink__entry  entry;

    build(&d);
    CHECK_OK(parse(&d));
    for (unsigned t = 0; t < 2; t++)
        for (unsigned i = 0; i < 3; i++) {
            ink_label label = ink_group(names[i]);
            CHECK(ink__directory_find(&image.tables[t], &label, &index));
            assert_int_equal(index, 3 * t + i);
            ink__image_entry(&image, index, &entry);
            assert_int_equal(entry.kind, image.tables[t].kind);
        }
}

TEST(a_label_that_is_not_there_is_not_found)
{
    const ink_label labels[] = {
        {0},
        ink_group(""),
        ink_group("b"),
        ink_group("bbb"),
        ink_group("d"),
        {.group_kind = INK_GROUP_BYTES, .group = "bb", .group_bytes = 2, .has_slot = true},
    };
    directory d = two_tables();
    uint64_t  index;

    build(&d);
    CHECK_OK(parse(&d));
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        CHECK(!ink__directory_find(&image.tables[0], &labels[i], &index));
}

TEST(the_location_of_a_cell_is_that_of_its_value_or_of_the_table)
{
    directory d = two_tables();

    build(&d);
    CHECK_OK(parse(&d));
    assert_int_equal(ink__image_cell(&image, 4, INK__COLUMN_RECORDS), d.data_at[1][RECORDS] + 2);
    assert_int_equal(ink__image_cell(&image, 4, INK__COLUMN_FIELD), d.data_at[1][PARAMETER]);
    assert_int_equal(ink__image_cell(&image, 1, INK__COLUMN_SLOT), d.described_at[0]);
}

RUN_TESTS()
