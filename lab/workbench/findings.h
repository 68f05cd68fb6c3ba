/* findings.h - what experiments find, in the order in which it is shown: text, the command lines
 * that make the same numbers, tables and plots. A page and JSON are made of it; an experiment knows
 * of neither.
 *
 *     found_part(all, "hashes", "How many hash functions are useful?");
 *     found_text(all, "With 8 bits a key ...");
 *     found_command(all, "ink build classic --bits %llu --hashes 5 -o x.ink keys.txt", bits);
 *     found_table(all, "rates", "False positives over the number of hash functions");
 *     found_column(all, "k", "", FOUND_GIVEN, 0);
 *     found_column(all, "rate", "%", FOUND_HERE, 3);
 *     for (...) { found_number(all, k); found_number(all, rate); }
 *
 * In text, titles and names `...` is what can be typed, and ^ stands before a power: 2^K, e^(-x).
 * Whole numbers are written plain: who shows them may group their digits.
 *
 * None of these calls can fail where it stands: memory that is refused is reported at the end. */
#ifndef LAB_WORKBENCH_FINDINGS_H
#define LAB_WORKBENCH_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#define LAB_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Where a number comes from. */
typedef enum found_by {
    FOUND_GIVEN,     /* it was chosen */
    FOUND_HERE,      /* it was measured or computed in this run */
    FOUND_PUBLISHED, /* the document has it */
    FOUND_THEORY,    /* a formula gives it */
} found_by;

/* How a cell of a column is shown: with this number of decimals, or: */
enum { FOUND_WORDS = -1, FOUND_SHORT = -2 }; /* text; a number with three digits that matter */

typedef struct found_cell {
    bool   empty;
    double number;
    char  *words; /* of a column of words */
} found_cell;

typedef struct found_column_of {
    char    *name, *unit;
    found_by by;
    int      decimals;
} found_column_of;

typedef struct found_point_of {
    double x, y;
} found_point_of;

typedef struct found_line_of {
    char           *name;
    found_by        by;
    found_point_of *points;
    size_t          count, room;
} found_line_of;

typedef enum found_kind {
    FOUND_EXPERIMENT, /* id, title, the document, and what it is about */
    FOUND_PART,       /* id, title */
    FOUND_TEXT,
    FOUND_COMMAND,
    FOUND_TABLE,
    FOUND_PLOT,
    FOUND_COMPARED, /* of the summary */
} found_kind;

/* A figure of a document beside ours, for the summary. It is reproduced if ours lies from `low` to
 * `high`; `why` explains it if it does not. Of FOUND_GIVEN it is promised, at most. */
typedef struct found_comparison {
    const char *what, *unit, *why;
    found_by    by;
    int         decimals;
    double      expected, here, low, high;
} found_comparison;

typedef struct finding {
    found_kind       kind;
    char            *id, *title, *source, *text;
    found_column_of *columns; /* of a table ... */
    size_t           column_count, column_room;
    found_cell      *cells; /* ... row by row */
    size_t           cell_count, cell_room;
    char            *x_name, *x_unit, *y_name, *y_unit; /* of a plot */
    bool             log_x, log_y;
    found_line_of   *lines;
    size_t           line_count, line_room;
    found_comparison compared; /* its words are copies */
} finding;

typedef struct findings {
    finding *list;
    size_t   count, room;
    bool     refused; /* there was no memory for something */
} findings;

void findings_free(findings *all);

/* "given", "here", "published" or "theory". */
const char *found_by_name(found_by by);

/* An experiment: `id` as --only takes it, the document that it is of, and what that is about. A
 * part of it: `id` is unique within the experiment. */
void found_experiment(findings *all, const char *id, const char *title, const char *source,
                      const char *about);
void found_part(findings *all, const char *id, const char *title);
/* A paragraph, and a command line that can be typed as it stands. */
void found_text(findings *all, const char *format, ...) LAB_PRINTF(2, 3);
void found_command(findings *all, const char *format, ...) LAB_PRINTF(2, 3);

/* A line of the summary, about the part that is being reported. */
void found_compared(findings *all, const found_comparison *one);
bool found_reproduced(const finding *one);

/* A table: its columns first, then its cells, row by row. */
void found_table(findings *all, const char *id, const char *caption);
void found_column(findings *all, const char *name, const char *unit, found_by by, int decimals);
void found_number(findings *all, double number);
void found_word(findings *all, const char *format, ...) LAB_PRINTF(2, 3);
void found_nothing(findings *all);

/* A plot: its lines, each with its points after it. */
void found_plot(findings *all, const char *id, const char *caption);
void found_axis_x(findings *all, const char *name, const char *unit, bool logarithmic);
void found_axis_y(findings *all, const char *name, const char *unit, bool logarithmic);
void found_line(findings *all, const char *name, found_by by);
void found_point(findings *all, double x, double y);

#endif
