/* report.h - reports as aligned text, TSV or JSON, from one table of columns; docs/output.md lists
 * them.
 *
 * The folder cli/report is what the command prints: rows as text, TSV and JSON (report, answers,
 * description), errors (failure), progress, output files. Read this header, then
 * failure.h. */
#ifndef INK_CLI_REPORT_REPORT_H
#define INK_CLI_REPORT_REPORT_H

#include "inkling_file.h"
#include "options/options.h"
#include "report/text_buffer.h"

/* What a column holds, and so how it is written. */
typedef enum column_type {
    COLUMN_TEXT,
    COLUMN_LABEL, /* text; where all are numbers, rows of text are sorted by them */
    COLUMN_COUNT,
    COLUMN_WHOLE,   /* a whole number as a real one: it may be above 2^64 */
    COLUMN_SIZE,    /* bytes; in text such as 1.2 MB */
    COLUMN_RATE,    /* in text three digits */
    COLUMN_RATIO,   /* in text two decimals */
    COLUMN_SECONDS, /* in text three decimals */
    COLUMN_SLOT,    /* microseconds since 1970; in text a date */
    COLUMN_OK,      /* true or false; in text the reason if false */
    COLUMN_MARK,    /* true or absent; in text its meaning */
} column_type;

typedef struct cli_column {
    const char *name;  /* in TSV and JSON */
    const char *title; /* in text; NULL: not in text */
    column_type type;
} cli_column;

/* A table of columns has a row X(NAME, TITLE, TYPE, CELL) for each, or X(ID, NAME, ...); these make
 * the IDs, the columns, and the cells of a line out of it. */
#define COLUMN_IS(name, title, type, cell) {name, title, COLUMN_##type},
#define COLUMN_CELL(name, title, type, cell) (cell),
#define COLUMN_ID(id, ...) id,
#define COLUMN_ID_IS(id, ...) COLUMN_IS(__VA_ARGS__)
#define COLUMN_ID_CELL(id, ...) COLUMN_CELL(__VA_ARGS__)
#define COUNT_OF(columns) (sizeof(columns) / sizeof *(columns))

typedef enum cell_state { CELL_ABSENT = 0, CELL_PRESENT, CELL_NULL } cell_state;

typedef struct cli_cell {
    cell_state  state;
    const void *text; /* bytes of any kind */
    size_t      text_bytes;
    size_t      parts; /* of a tuple, which the bytes are then; 0: no tuple */
    bool        cut;   /* they are the beginning of one */
    uint64_t    count;
    int64_t     slot;
    double      real;
    bool        ok;
} cli_cell;

cli_cell cell_text(const char *text);
/* A key of any bytes; `cut`: only its beginning. A tuple of `columns` columns is an array in JSON,
 * else a CSV record. */
cli_cell cell_key(const void *key, size_t bytes, bool cut, size_t columns);
/* Appends a tuple to a text, as a CSV record: columns that contain a comma, a quote or a line end
 * are quoted. */
void     text_tuple(cli_text *to, const void *key, size_t bytes, bool cut);
cli_cell cell_count(uint64_t count);
cli_cell cell_real(double real);
#define NO_CELL ((cli_cell){0}) /* absent */
/* Absent if it is 0. */
cli_cell cell_count_if(uint64_t count);
cli_cell cell_real_if(double real);
cli_cell cell_ok(bool ok, const char *why);

cli_cell cell_group(const ink_label *label);
cli_cell cell_slot(const ink_label *label);

typedef enum report_form { REPORT_TEXT, REPORT_TSV, REPORT_JSON } report_form;

report_form report_form_of(const cli_arguments *arguments);

/* A row of text that is kept until all widths are known. */
typedef struct kept_row {
    size_t start;  /* in cli_report.kept */
    double number; /* its label, if that is a number */
} kept_row;

typedef struct cli_report {
    const cli_column *columns;
    size_t            column_count;
    report_form       form;
    cli_text          kept; /* the texts of titles and rows */
    size_t            titles_end;
    kept_row         *rows;
    size_t            row_count, row_room;
    size_t            numbered; /* rows whose label is a number */
    uint32_t         *widths;   /* of all columns */
    bool streams;     /* text is printed row by row, in columns as wide as report_widen made them or
                         a cell needs; a column that it did not widen is omitted while empty */
    bool     titled;  /* its titles have been printed */
    bool     colours; /* standard output shows them */
    cli_text line;    /* other forms: the row that is printed */
} cli_report;

/* Prints a report of one row; in text a line for each column. */
void report_single(report_form form, const cli_column *columns, size_t column_count,
                   const cli_cell *cells);
void report_begin(cli_report *report, report_form form, const cli_column *columns,
                  size_t column_count);
void report_row(cli_report *report, const cli_cell *cells);
/* Prints a row of JSON that has been made. */
void report_made(cli_report *report, const cli_text *row);
/* Makes a column at least as wide as a cell. */
void report_widen(cli_report *report, size_t column, const cli_cell *cell);
/* Prints the kept rows. */
void report_end(cli_report *report);
/* Discards them. */
void report_drop(cli_report *report);

/* Cells without a report: a JSON object, a member of one (`"NAME":VALUE`, or `"NAME_hex":HEX` for
 * text that is not UTF-8), a string of either sort, and a TSV field, empty for an absent cell. */
void json_object(cli_text *to, const cli_column *columns, size_t column_count,
                 const cli_cell *cells);
void json_member(cli_text *to, const cli_column *column, const cli_cell *cell);
void json_string(cli_text *to, bool hex, const void *bytes, size_t count);
void tsv_field(cli_text *to, const cli_column *column, const cli_cell *cell);

#endif
