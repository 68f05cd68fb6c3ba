/* report.c - reports as aligned text, TSV or JSON. */
#define _POSIX_C_SOURCE 200809L
#include "report/report.h"

#include "inkling_job.h"
#include "options/quantities.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CELL_BYTES = 256 };

/* ---- Keys of several columns -------------------------------------------------------------- */

/* Takes the next column off a tuple; false if there is none. The last column of a `cut` tuple may
 * be partial. Each follows its length (docs/input.md). */
static bool tuple_next(const uint8_t **key, size_t *bytes, bool cut, const uint8_t **column,
                       size_t *column_bytes)
{
    enum { LENGTH_BYTES = 4 };

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

/* Whether the bytes are exactly a tuple of `columns` columns, or if `cut` the beginning of one. */
static bool tuple_has(const void *key, size_t bytes, bool cut, size_t columns)
{
    const uint8_t *at = key, *column;
    size_t         column_bytes, whole = 0;

    while (whole < columns && ink_tuple_next(&at, &bytes, &column, &column_bytes))
        whole++;
    return cut ? whole < columns : whole == columns && bytes == 0;
}

static void put_quoted(cli_text *to, const uint8_t *bytes, size_t count)
{
    text_put(to, "\"");
    for (size_t i = 0; i < count; i++)
        text_bytes(to, bytes[i] == '"' ? (const void *)"\"\"" : bytes + i, 1 + (bytes[i] == '"'));
    text_put(to, "\"");
}

void text_tuple(cli_text *to, const void *key, size_t bytes, bool cut)
{
    const uint8_t *at = key, *column;
    size_t         count, plain;

    for (const char *before = ""; tuple_next(&at, &bytes, cut, &column, &count); before = ",") {
        text_put(to, before);
        for (plain = 0; plain < count && memchr(",\"\n\r", column[plain], 4) == NULL;)
            plain++;
        if (plain == count)
            text_bytes(to, column, count);
        else
            put_quoted(to, column, count);
    }
}

/* ---- Cells -------------------------------------------------------------------------------- */

cli_cell cell_text(const char *text)
{
    return (cli_cell){.state = CELL_PRESENT, .text = text, .text_bytes = strlen(text)};
}

cli_cell cell_key(const void *key, size_t bytes, bool cut, size_t columns)
{
    bool tuple = columns > 1 && tuple_has(key, bytes, cut, columns);

    return (cli_cell){.state = CELL_PRESENT,
                      .text = key,
                      .text_bytes = bytes,
                      .parts = tuple ? columns : 0,
                      .cut = cut};
}

cli_cell cell_count(uint64_t count)
{
    return (cli_cell){.state = CELL_PRESENT, .count = count};
}

cli_cell cell_real(double real)
{
    return (cli_cell){.state = isfinite(real) ? CELL_PRESENT : CELL_ABSENT, .real = real};
}

cli_cell cell_count_if(uint64_t count)
{
    return (cli_cell){.state = count == 0 ? CELL_ABSENT : CELL_PRESENT, .count = count};
}

cli_cell cell_real_if(double real)
{
    return real == 0 ? (cli_cell){0} : cell_real(real);
}

cli_cell cell_ok(bool ok, const char *why)
{
    return (cli_cell){.state = CELL_PRESENT, .ok = ok, .text = why, .text_bytes = strlen(why)};
}

cli_cell cell_group(const ink_label *label)
{
    static const cell_state states[] = {[INK_GROUP_NONE] = CELL_ABSENT,
                                        [INK_GROUP_NULL] = CELL_NULL,
                                        [INK_GROUP_BYTES] = CELL_PRESENT};

    return (cli_cell){
        .state = states[label->group_kind], .text = label->group, .text_bytes = label->group_bytes};
}

cli_cell cell_slot(const ink_label *label)
{
    return (cli_cell){.state = label->has_slot ? CELL_PRESENT : CELL_ABSENT, .slot = label->slot};
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static void format_slot(char *text, size_t room, int64_t slot)
{
    int64_t   seconds = slot / 1000000, rest = slot % 1000000;
    time_t    when = (time_t)(rest < 0 ? seconds - 1 : seconds);
    struct tm date;

    if (gmtime_r(&when, &date) == NULL || strftime(text, room, "%Y-%m-%dT%H:%M:%S", &date) == 0) {
        snprintf(text, room, "%" PRId64, slot);
        return;
    }
    size_t used = strlen(text);
    snprintf(text + used, room - used, rest == 0 ? "Z" : ".%06dZ",
             (int)(rest < 0 ? rest + 1000000 : rest));
}

/* As "%llu", in less time. The text has room for 21 bytes. */
static void format_whole(char *text, uint64_t number)
{
    char  digits[20];
    char *at = digits + sizeof digits;

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    size_t count = (size_t)(digits + sizeof digits - at);
    memcpy(text, at, count);
    text[count] = '\0';
}

/* A number for TSV and JSON. */
static void format_number(char *text, size_t room, const cli_column *column, const cli_cell *cell)
{
    switch (column->type) {
    case COLUMN_COUNT:
    case COLUMN_SIZE:
        format_whole(text, cell->count);
        break;
    case COLUMN_WHOLE:
        if (cell->real < 0x1p64)
            format_whole(text, (uint64_t)cell->real);
        else
            snprintf(text, room, "%.0f", cell->real);
        break;
    case COLUMN_SLOT:
        snprintf(text, room, "%" PRId64, cell->slot);
        break;
    case COLUMN_OK:
        snprintf(text, room, "%s", cell->ok ? "true" : "false");
        break;
    case COLUMN_MARK:
        snprintf(text, room, "true");
        break;
    default:
        ink_real_text(cell->real, text);
    }
}

static bool is_text(column_type type)
{
    return type == COLUMN_TEXT || type == COLUMN_LABEL;
}

/* ---- JSON and TSV ------------------------------------------------------------------------- */

static void json_text(cli_text *to, const void *text, size_t count)
{
    text_reserve(to, 6 * count + 3);
    to->count += ink_json_text(text, count, to->bytes + to->count, to->room - to->count);
}

/* A string of hexadecimal digits. */
static void json_hex(cli_text *to, const void *bytes, size_t count)
{
    text_put(to, "\"");
    text_reserve(to, 2 * count + 1);
    to->count += ink_hex_text(bytes, count, to->bytes + to->count, to->room - to->count);
    text_put(to, "\"");
}

void json_string(cli_text *to, bool hex, const void *bytes, size_t count)
{
    if (hex)
        json_hex(to, bytes, count);
    else
        json_text(to, bytes, count);
}

static void json_tuple(cli_text *to, bool hex, const cli_cell *cell)
{
    const uint8_t *at = cell->text, *column;
    size_t         left = cell->text_bytes, count;

    text_put(to, "[");
    for (const char *before = ""; tuple_next(&at, &left, cell->cut, &column, &count);
         before = ",") {
        text_put(to, before);
        json_string(to, hex, column, count);
    }
    text_put(to, "]");
}

/* Whether a cell has text that is not UTF-8. Columns of a tuple are in hex together. */
static bool needs_hex(const cli_column *column, const cli_cell *cell)
{
    const uint8_t *at = cell->text, *part;
    size_t         left = cell->text_bytes, count;
    bool           hex = false;

    if (cell->state != CELL_PRESENT || !is_text(column->type))
        return false;
    if (cell->parts == 0)
        return !ink_is_utf8(cell->text, cell->text_bytes);
    while (!hex && tuple_next(&at, &left, cell->cut, &part, &count))
        hex = !ink_is_utf8(part, count);
    return hex;
}

static void json_value(cli_text *to, const cli_column *column, bool hex, const cli_cell *cell)
{
    char number[CELL_BYTES];

    if (cell->state == CELL_NULL) {
        text_put(to, "null");
    } else if (cell->parts > 0) {
        json_tuple(to, hex, cell);
    } else if (is_text(column->type)) {
        json_string(to, hex, cell->text, cell->text_bytes);
    } else {
        format_number(number, sizeof number, column, cell);
        text_put(to, number);
    }
}

void json_member(cli_text *to, const cli_column *column, const cli_cell *cell)
{
    bool hex = needs_hex(column, cell);

    text_put(to, "\"");
    text_put(to, column->name);
    text_put(to, hex ? "_hex\":" : "\":");
    json_value(to, column, hex, cell);
}

void json_object(cli_text *to, const cli_column *columns, size_t column_count,
                 const cli_cell *cells)
{
    const char *before = "{";

    for (size_t i = 0; i < column_count; i++) {
        if (cells[i].state == CELL_ABSENT)
            continue;
        text_put(to, before);
        json_member(to, &columns[i], &cells[i]);
        before = ",";
    }
    text_put(to, *before == '{' ? "{}" : "}");
}

/* Tab, line ends and backslash as \t, \n, \r, \\; everything else as it is. */
static void tsv_text(cli_text *to, const uint8_t *bytes, size_t count)
{
    static const char special[] = "\t\n\r\\", letters[] = "tnr\\";

    for (size_t at = 0; at < count; at++) {
        const char *found = bytes[at] == '\0' ? NULL : strchr(special, bytes[at]);
        if (found != NULL)
            text_format(to, "\\%c", letters[found - special]);
        else
            text_bytes(to, bytes + at, 1);
    }
}

/* A tuple is one field: a record of CSV. */
static void tsv_tuple(cli_text *to, const cli_cell *cell)
{
    cli_text record = {0};

    text_tuple(&record, cell->text, cell->text_bytes, cell->cut);
    tsv_text(to, (const uint8_t *)record.bytes, record.count);
    text_free(&record);
}

void tsv_field(cli_text *to, const cli_column *column, const cli_cell *cell)
{
    char number[CELL_BYTES];

    if (cell->state == CELL_NULL) {
        text_put(to, "\\N");
    } else if (cell->state == CELL_ABSENT) {
        return;
    } else if (cell->parts > 0) {
        tsv_tuple(to, cell);
    } else if (is_text(column->type) && cell->text_bytes == 0) {
        text_put(to, "\\E"); /* an empty field is an absent cell */
    } else if (is_text(column->type)) {
        tsv_text(to, cell->text, cell->text_bytes);
    } else {
        format_number(number, sizeof number, column, cell);
        text_put(to, number);
    }
}

void report_made(cli_report *report, const cli_text *row)
{
    report->row_count++;
    out_bytes(row->bytes, row->count);
    out_text("\n");
}

/* The first line of TSV. A name may be that of a file. */
static void print_names(cli_report *report)
{
    cli_text *line = &report->line;

    for (size_t i = 0; i < report->column_count; i++) {
        const char *name = report->columns[i].name;
        text_put(line, i == 0 ? "" : "\t");
        tsv_text(line, (const uint8_t *)name, strlen(name));
    }
    text_put(line, "\n");
    out_bytes(line->bytes, line->count);
}

/* Prints a row of TSV or JSON. */
static void print_row(cli_report *report, const cli_cell *cells)
{
    cli_text *line = &report->line;

    line->count = 0;
    if (report->form == REPORT_JSON)
        json_object(line, report->columns, report->column_count, cells);
    for (size_t i = 0; report->form == REPORT_TSV && i < report->column_count; i++) {
        text_put(line, i == 0 ? "" : "\t");
        tsv_field(line, &report->columns[i], &cells[i]);
    }
    text_put(line, "\n");
    out_bytes(line->bytes, line->count);
}

/* ---- Text --------------------------------------------------------------------------------- */

static size_t show_text(char text[CELL_BYTES], const cli_cell *cell)
{
    cli_text record = {0};

    if (cell->text_bytes == 0)
        return (size_t)snprintf(text, CELL_BYTES, "\"\"");
    if (cell->parts == 0)
        return utf8_show(text, CELL_BYTES, cell->text, cell->text_bytes);
    text_tuple(&record, cell->text, cell->text_bytes, cell->cut);
    size_t width = utf8_show(text, CELL_BYTES, record.bytes, record.count);
    text_free(&record);
    return width;
}

/* Writes a cell of text; returns how many columns of a terminal it takes. */
static size_t show_cell(char text[CELL_BYTES], const cli_column *column, const cli_cell *cell)
{
    *text = '\0';
    if (cell->state == CELL_ABSENT)
        return 0;
    if (cell->state == CELL_NULL)
        return (size_t)snprintf(text, CELL_BYTES, "(null)");
    switch (column->type) {
    case COLUMN_TEXT:
    case COLUMN_LABEL:
    case COLUMN_MARK:
        return show_text(text, cell);
    case COLUMN_OK:
        return utf8_show(text, CELL_BYTES, cell->ok ? "" : cell->text,
                         cell->ok ? 0 : cell->text_bytes);
    case COLUMN_SIZE:
        format_size(text, CELL_BYTES, cell->count);
        break;
    case COLUMN_RATE:
        format_rate(text, CELL_BYTES, cell->real);
        break;
    case COLUMN_RATIO:
        snprintf(text, CELL_BYTES, "%.2f", cell->real);
        break;
    case COLUMN_SECONDS:
        snprintf(text, CELL_BYTES, "%.3f", cell->real);
        break;
    case COLUMN_SLOT:
        format_slot(text, CELL_BYTES, cell->slot);
        break;
    case COLUMN_COUNT:
    case COLUMN_WHOLE:
        format_number(text, CELL_BYTES, column, cell);
        break;
    }
    return strlen(text);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool read_label(const char *text, double *number)
{
    bool negative = *text == '-';

    if (number_real(text + negative, number) != NUMBER_OK)
        return false;
    *number = negative ? -*number : *number;
    return true;
}

/* A text that is kept: its width, its bytes, a NUL. */
static void keep_text(cli_report *report, const char *text, size_t columns)
{
    const uint32_t width = (uint32_t)columns;

    text_bytes(&report->kept, &width, sizeof width);
    text_bytes(&report->kept, text, strlen(text) + 1);
}

/* A title may be the name of a file. */
static void keep_title(cli_report *report, const cli_column *column)
{
    char text[CELL_BYTES];

    if (column->title != NULL)
        keep_text(report, text, utf8_show(text, sizeof text, column->title, strlen(column->title)));
}

/* Keeps the text of each cell that has a title. */
static void keep_row(cli_report *report, const cli_cell *cells)
{
    if (report->row_count == report->row_room) {
        report->row_room = 2 * report->row_room + 16;
        report->rows = need_memory(report->rows, report->row_room * sizeof *report->rows);
    }
    kept_row *row = &report->rows[report->row_count++];
    row->start = report->kept.count;
    for (size_t i = 0; i < report->column_count; i++) {
        const cli_column *column = &report->columns[i];
        char              text[CELL_BYTES];
        if (column->title == NULL)
            continue;
        size_t width = show_cell(text, column, &cells[i]);
        keep_text(report, text, width);
        report->widths[i] = larger(report->widths[i], (uint32_t)width);
        if (column->type == COLUMN_LABEL)
            report->numbered += read_label(text, &row->number);
    }
}

static const char *next_kept(const cli_report *report, size_t *at, uint32_t *width)
{
    const char *text = report->kept.bytes + *at + sizeof *width;

    memcpy(width, report->kept.bytes + *at, sizeof *width);
    *at += sizeof *width + strlen(text) + 1;
    return text;
}

static void print_blanks(size_t count)
{
    static const char blanks[] = "                                ";

    for (size_t some; count > 0; count -= some) {
        some = count < sizeof blanks - 1 ? count : sizeof blanks - 1;
        out_bytes(blanks, some);
    }
}

static void print_text_row(const cli_report *report, size_t at, bool colours)
{
    size_t pending = 0, title = 0;

    for (size_t i = 0; i < report->column_count; i++) {
        const cli_column *column = &report->columns[i];
        uint32_t          width, title_width;
        if (column->title == NULL)
            continue;
        const char *text = next_kept(report, &at, &width);
        next_kept(report, &title, &title_width);
        if (report->widths[i] == 0)
            continue; /* empty in all rows */
        bool red = colours && column->type == COLUMN_OK && *text != '\0';
        bool left = is_text(column->type) || column->type == COLUMN_OK ||
                    column->type == COLUMN_MARK || column->type == COLUMN_SLOT;
        uint32_t room = larger(report->widths[i], title_width);
        uint32_t blanks = room > width ? room - width : 0;
        if (*text != '\0') {
            print_blanks(pending + (left ? 0 : blanks));
            out_text(red ? "\033[31m" : "");
            out_text(text);
            out_text(red ? "\033[0m" : "");
            pending = left ? blanks : 0;
        } else {
            pending += room;
        }
        pending += 2;
    }
    out_text("\n");
}

static int compare_rows(const void *left, const void *right)
{
    const kept_row *a = left, *b = right;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void print_upright(const cli_report *report)
{
    size_t   at = report->titles_end;
    uint32_t title_width = 0, value_width = 0, width;

    for (size_t i = 0; i < report->column_count; i++) {
        if (report->widths[i] > 0)
            title_width = larger(title_width, (uint32_t)strlen(report->columns[i].title));
        value_width = larger(value_width, report->widths[i]);
    }
    for (size_t i = 0; i < report->column_count; i++) {
        if (report->columns[i].title == NULL)
            continue;
        const char *text = next_kept(report, &at, &width);
        if (width > 0)
            out_format("%-*s  %*s%s\n", (int)title_width, report->columns[i].title,
                       (int)(value_width - width), "", text);
    }
}

/* ---- Reports ------------------------------------------------------------------------------ */

report_form report_form_of(const cli_arguments *arguments)
{
    if (arguments->options[OPTION_JSON].given)
        return REPORT_JSON;
    return arguments->options[OPTION_TSV].given ? REPORT_TSV : REPORT_TEXT;
}

void report_begin(cli_report *report, report_form form, const cli_column *columns,
                  size_t column_count)
{
    *report = (cli_report){.form = form,
                           .columns = columns,
                           .column_count = column_count,
                           .colours = form == REPORT_TEXT && may_colour(STDOUT_FILENO)};
    report->widths = need_memory(NULL, column_count * sizeof *report->widths);
    memset(report->widths, 0, column_count * sizeof *report->widths);
    if (form == REPORT_TSV)
        print_names(report);
    for (size_t i = 0; form == REPORT_TEXT && i < column_count; i++)
        keep_title(report, &columns[i]);
    report->titles_end = report->kept.count;
}

void report_widen(cli_report *report, size_t column, const cli_cell *cell)
{
    char     text[CELL_BYTES];
    uint32_t width = (uint32_t)show_cell(text, &report->columns[column], cell);

    report->widths[column] = larger(report->widths[column], width);
}

static void print_streamed(cli_report *report)
{
    if (!report->titled)
        print_text_row(report, 0, false);
    report->titled = true;
    print_text_row(report, report->rows[0].start, report->colours);
    report->row_count = 0;
    report->kept.count = report->titles_end;
}

void report_row(cli_report *report, const cli_cell *cells)
{
    if (report->form == REPORT_TEXT) {
        keep_row(report, cells);
        if (report->streams)
            print_streamed(report);
        return;
    }
    report->row_count++;
    print_row(report, cells);
}

void report_end(cli_report *report)
{
    if (report->form == REPORT_TEXT && report->row_count > 0) {
        /* Files have groups in order of their bytes, 1, 10, 2; text in order of their numbers. */
        if (report->numbered == report->row_count)
            qsort(report->rows, report->row_count, sizeof *report->rows, compare_rows);
        print_text_row(report, 0, false);
        for (size_t row = 0; row < report->row_count; row++)
            print_text_row(report, report->rows[row].start, report->colours);
    }
    report_drop(report);
}

void report_single(report_form form, const cli_column *columns, size_t column_count,
                   const cli_cell *cells)
{
    cli_report report;

    report_begin(&report, form, columns, column_count);
    report_row(&report, cells);
    if (form == REPORT_TEXT)
        print_upright(&report);
    report_drop(&report);
}

void report_drop(cli_report *report)
{
    text_free(&report->kept);
    text_free(&report->line);
    free(report->rows);
    free(report->widths);
    *report = (cli_report){.form = report->form};
}
