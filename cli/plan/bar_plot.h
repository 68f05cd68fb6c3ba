/* bar_plot.h - lines of numbers with a bar behind each, at most 80 columns wide. */
#ifndef INK_CLI_PLAN_BAR_PLOT_H
#define INK_CLI_PLAN_BAR_PLOT_H

#include <stdbool.h>
#include <stddef.h>

enum { PLOT_CELLS_MAX = 3, PLOT_CELL_BYTES = 24, PLOT_LINES_MAX = 32 };

typedef struct plot_line {
    char   cells[PLOT_CELLS_MAX][PLOT_CELL_BYTES];
    double value;  /* what the bar shows; its length is in proportion */
    bool   marked; /* a star stands before it */
} plot_line;

typedef struct cli_plot {
    const char *titles[PLOT_CELLS_MAX]; /* of the cells, as many as are not NULL */
    size_t      line_count;
    plot_line   lines[PLOT_LINES_MAX];
} cli_plot;

/* An empty line behind the others; beyond PLOT_LINES_MAX the last one again. */
plot_line *plot_add(cli_plot *plot, double value, bool marked);

/* Prints a line that says what is shown, the titles and the lines; nothing if there are none. Bars
 * are made of #, or of blocks where the language of the terminal is one in UTF-8. */
void plot_print(const cli_plot *plot, const char *headline);

#endif
