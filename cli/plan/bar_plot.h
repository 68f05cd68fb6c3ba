/* bar_plot.h - lines of numbers, each followed by a bar; at most 80 columns wide. */
#ifndef INK_CLI_PLAN_BAR_PLOT_H
#define INK_CLI_PLAN_BAR_PLOT_H

#include "report/failure.h"

#include <stdbool.h>
#include <stddef.h>

enum { PLOT_CELLS_MAX = 3, PLOT_CELL_BYTES = 24, PLOT_LINES_MAX = 32 };

typedef struct plot_line {
    char   cells[PLOT_CELLS_MAX][PLOT_CELL_BYTES];
    double value;  /* the bar is in proportion to it */
    bool   marked; /* with a star */
} plot_line;

typedef struct cli_plot {
    const char *titles[PLOT_CELLS_MAX]; /* of the cells, as many as are not NULL */
    size_t      line_count;
    plot_line   lines[PLOT_LINES_MAX];
} cli_plot;

/* Appends a line without text; beyond PLOT_LINES_MAX it replaces the last one. */
plot_line *plot_add(cli_plot *plot, double value, bool marked);

/* Prints a headline, the titles and the lines; nothing if there are no lines. Bars are made of #,
 * or of blocks in a UTF-8 locale. */
void plot_print(const cli_plot *plot, const char *headline, ...) PRINTF_LIKE(2, 3);

#endif
