/* bar_plot.c - lines of numbers, each followed by a bar. */
#include "plan/bar_plot.h"

#include "report/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, MARK_WIDTH = 2, GAP_WIDTH = 2, BAR_MAX = 48, EIGHTHS = 8 };

plot_line *plot_add(cli_plot *plot, double value, bool marked)
{
    if (plot->line_count < PLOT_LINES_MAX)
        plot->line_count++;
    plot_line *line = &plot->lines[plot->line_count - 1];
    *line = (plot_line){.value = value, .marked = marked};
    return line;
}

/* The first variable that is set decides, as in setlocale. */
static bool is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && *value != '\0')
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
    }
    return false;
}

/* A bar of `length` columns; UTF-8 has characters for eighths. */
static void print_bar(double length, bool utf8)
{
    static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    unsigned                 unit = utf8 ? EIGHTHS : 1;
    unsigned                 units = (unsigned)(length * unit + 0.5);

    for (unsigned i = 0; i < units / unit; i++)
        out_text(utf8 ? "█" : "#");
    out_text(parts[units % unit]);
}

static size_t cell_count(const cli_plot *plot)
{
    size_t count = 0;

    while (count < PLOT_CELLS_MAX && plot->titles[count] != NULL)
        count++;
    return count;
}

/* The width of the cells and of the gaps between them. */
static int measure(const cli_plot *plot, int widths[PLOT_CELLS_MAX])
{
    int all = MARK_WIDTH;

    for (size_t c = 0; c < cell_count(plot); c++) {
        widths[c] = (int)strlen(plot->titles[c]);
        for (size_t i = 0; i < plot->line_count; i++) {
            int length = (int)strlen(plot->lines[i].cells[c]);
            widths[c] = length > widths[c] ? length : widths[c];
        }
        all += widths[c] + GAP_WIDTH;
    }
    return all;
}

static void print_line(const cli_plot *plot, const plot_line *line, const int *widths, double scale,
                       bool utf8)
{
    out_text(line->marked ? "* " : "  ");
    for (size_t c = 0; c < cell_count(plot); c++)
        out_format("%s%*s", c == 0 ? "" : "  ", widths[c], line->cells[c]);
    if (line->value * scale * (utf8 ? EIGHTHS : 1) >= 0.5) {
        out_text("  ");
        print_bar(line->value * scale, utf8);
    }
    out_text("\n");
}

void plot_print(const cli_plot *plot, const char *headline, ...)
{
    char    title[WIDTH + 1];
    va_list values;
    int     widths[PLOT_CELLS_MAX];
    int     room = WIDTH - measure(plot, widths);
    double  most = 0;

    if (plot->line_count == 0)
        return;
    for (size_t i = 0; i < plot->line_count; i++)
        most = plot->lines[i].value > most ? plot->lines[i].value : most;
    room = room > BAR_MAX ? BAR_MAX : room;
    va_start(values, headline);
    vsnprintf(title, sizeof title, headline, values);
    va_end(values);
    out_format("\n%s\n  ", title);
    for (size_t c = 0; c < cell_count(plot); c++)
        out_format("%s%*s", c == 0 ? "" : "  ", widths[c], plot->titles[c]);
    out_text("\n");
    for (size_t i = 0; i < plot->line_count; i++)
        print_line(plot, &plot->lines[i], widths, most > 0 ? room / most : 0, is_utf8());
}
