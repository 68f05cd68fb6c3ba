/* svg_plot.c - lines of points as inline SVG: axes with round numbers, a line of each colour with
 * marks of its own, and their names below. What was published is dashed, with hollow marks; what a
 * formula gives is a pale band below the rest; of lines that are drawn over one another the lower
 * are wider. So all of them can be seen where they meet. Colours are the page's, so that they fit
 * by day and by night. */
#include "svg_plot.h"
#include "prose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In the units of the picture, which is scaled to the page. */
enum { WIDTH = 720, HEIGHT = 396, LEFT = 86, RIGHT = 34, TOP = 14, BOTTOM = 68, TICKS = 48 };
enum { COLOURS = 6, LEGEND_ROW = 26, TICKS_AT_POINTS = 16, MARKED_MOST = 60 };
/* The largest letters that a page has, on a small screen: what a label takes of an axis. */
enum { LETTER_WIDTH = 13, LETTER_HEIGHT = 24 };

typedef struct axis {
    double from, to; /* of what is shown; of a logarithmic axis its logarithms */
    bool   log;
    bool   across; /* the x axis: it ends where the data end, the other one at a round number */
    double pixels_from, pixels_to;
    double ticks[TICKS];
    size_t tick_count;
} axis;

static double scaled(const axis *a, double value)
{
    double at = a->log ? log10(value) : value;

    return a->pixels_from + (at - a->from) / (a->to - a->from) * (a->pixels_to - a->pixels_from);
}

static bool is_shown(const axis *a, double value)
{
    return isfinite(value) && (!a->log || value > 0);
}

/* Steps of 1, 2 or 5 times a power of ten. */
static double nice_step(double range, int steps)
{
    double rough = range / steps, power = pow(10, floor(log10(rough))), ratio = rough / power;

    return power * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
}

static void add_tick(axis *a, double value)
{
    if (a->tick_count < TICKS)
        a->ticks[a->tick_count++] = value;
}

/* The x axis begins and ends with the data, the other one with round numbers: with 0, if it is not
 * far. */
static void make_linear(axis *a, double low, double high)
{
    if (!a->across && low > 0 && low < high / 2)
        low = 0;
    if (high <= low)
        high = low + 1;
    double step = nice_step(high - low, 5), margin = (high - low) / 50;
    double first = (a->across ? ceil(low / step) : floor(low / step)) * step;
    a->from = a->across ? low - margin : first;
    a->to = a->across ? high + margin : ceil(high / step) * step;
    for (double at = first; at <= a->to + step / 1e6; at += step)
        add_tick(a, fabs(at) < step / 1e6 ? 0 : at);
}

/* The next power of ten, or 2 or 5 times one, from a value on downwards or upwards. */
static double round_down(double value)
{
    double power = pow(10, floor(log10(value) + 1e-9)), ratio = value / power * (1 + 1e-9);

    return power * (ratio >= 5 ? 5 : ratio >= 2 ? 2 : 1);
}

static double round_up(double value)
{
    double power = pow(10, floor(log10(value) + 1e-9)), ratio = value / power * (1 - 1e-9);

    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

/* Powers of ten come first, so that they have their labels; then, if there are few, 2 and 5 times
 * them. */
static void add_log_ticks(axis *a)
{
    static const double times[] = {1, 2, 5};
    size_t              sorts = a->to - a->from <= 3 ? 3 : 1;

    for (size_t i = 0; i < sorts; i++)
        for (double decade = floor(a->from); decade <= a->to; decade++) {
            double at = decade + log10(times[i]);
            if (at >= a->from - 1e-9 && at <= a->to + 1e-9)
                add_tick(a, times[i] * pow(10, decade));
        }
}

static void make_log(axis *a, double low, double high)
{
    if (a->across && high > 4 * low) {
        double margin = log10(high / low) / 50;
        a->from = log10(low) - margin;
        a->to = log10(high) + margin;
    } else {
        a->from = log10(round_down(low));
        a->to = log10(round_up(high));
    }
    if (a->to <= a->from + 1e-9)
        a->to = a->from + 1;
    add_log_ticks(a);
}

/* 1000000 as 1M, 0.00001 as 1e-5. */
static void tick_text(double value, char *text, size_t bytes)
{
    double size = fabs(value);

    if (size >= 1e9 || (size > 0 && size < 1e-3))
        snprintf(text, bytes, "%.3g", value);
    else if (size >= 1e6)
        snprintf(text, bytes, "%.4gM", value / 1e6);
    else if (size >= 1e4)
        snprintf(text, bytes, "%.4gk", value / 1e3);
    else
        snprintf(text, bytes, "%.4g", value);
}

static bool has_tick(const axis *a, double value)
{
    for (size_t i = 0; i < a->tick_count; i++)
        if (a->ticks[i] == value)
            return true;
    return false;
}

/* The x axis has its ticks where points are, if these are few and short whole numbers: 1, 2, 3, 5,
 * 10 and 15 threads. Otherwise it keeps those that it has. */
static void move_ticks_to_points(axis *a, const finding *plot)
{
    axis at_points = {.tick_count = 0};
    char text[32];

    for (size_t i = 0; i < plot->line_count; i++)
        for (size_t j = 0; j < plot->lines[i].count; j++) {
            double value = plot->lines[i].points[j].x;
            if (!is_shown(a, value) || has_tick(&at_points, value))
                continue;
            tick_text(value, text, sizeof text);
            if (value != floor(value) || strlen(text) > 4 ||
                at_points.tick_count == TICKS_AT_POINTS)
                return;
            add_tick(&at_points, value);
        }
    memcpy(a->ticks, at_points.ticks, sizeof a->ticks);
    a->tick_count = at_points.tick_count;
}

static void make_axis(axis *a, const finding *plot, bool x)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < plot->line_count; i++)
        for (size_t j = 0; j < plot->lines[i].count; j++) {
            double value = x ? plot->lines[i].points[j].x : plot->lines[i].points[j].y;
            if (!is_shown(a, value))
                continue;
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    if (low > high)
        low = high = 1;
    if (a->log)
        make_log(a, low, high);
    else
        make_linear(a, low, high);
    if (x)
        move_ticks_to_points(a, plot);
}

/* Where labels of an axis stand, so that none is written over another. */
typedef struct labels {
    double from[TICKS], to[TICKS];
    size_t count;
} labels;

static bool takes_place(labels *taken, double centre, double size)
{
    double from = centre - size / 2, to = centre + size / 2;

    for (size_t i = 0; i < taken->count; i++)
        if (from < taken->to[i] && to > taken->from[i])
            return false;
    taken->from[taken->count] = from;
    taken->to[taken->count++] = to;
    return true;
}

static void write_tick(writer *to, const axis *x, const axis *y, bool across, double value,
                       labels *taken)
{
    char   text[32];
    double at = scaled(across ? x : y, value);

    tick_text(value, text, sizeof text);
    write_format(to, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                 across ? at : x->pixels_from, across ? at : x->pixels_to,
                 across ? y->pixels_to : at, across ? y->pixels_from : at);
    if (takes_place(taken, at, across ? LETTER_WIDTH * (double)(strlen(text) + 1) : LETTER_HEIGHT))
        write_format(to, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
                     across ? at : x->pixels_from - 8, across ? y->pixels_from + 26 : at + 5,
                     across ? "middle" : "end", text);
    write_text(to, "\n");
}

static void write_axis_name(writer *to, const char *name, const char *unit)
{
    write_prose_svg(to, name == NULL ? "" : name);
    write_text(to, unit == NULL || unit[0] == '\0' ? "" : ", ");
    write_prose_svg(to, unit == NULL ? "" : unit);
    write_text(to, "</text>\n");
}

static void write_axes(writer *to, const axis *x, const axis *y, const finding *plot)
{
    labels below = {.count = 0}, beside = {.count = 0};

    for (size_t i = 0; i < y->tick_count; i++)
        write_tick(to, x, y, false, y->ticks[i], &beside);
    for (size_t i = 0; i < x->tick_count; i++)
        write_tick(to, x, y, true, x->ticks[i], &below);
    write_format(to, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                 (x->pixels_from + x->pixels_to) / 2, y->pixels_from + 54);
    write_axis_name(to, plot->x_name, plot->x_unit);
    write_format(to,
                 "<text class=\"name\" transform=\"translate(18 %.1f) rotate(-90)\" "
                 "text-anchor=\"middle\">",
                 (y->pixels_from + y->pixels_to) / 2);
    write_axis_name(to, plot->y_name, plot->y_unit);
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* What is drawn first is covered by the rest. */
static const found_by order[] = {FOUND_THEORY, FOUND_GIVEN, FOUND_HERE, FOUND_PUBLISHED};

/* Of several lines of one sort, the ones below are wider. */
static double width_of(const finding *plot, size_t which)
{
    double width = 2;

    for (size_t i = which + 1; i < plot->line_count; i++)
        width += plot->lines[i].by == plot->lines[which].by ? 1.8 : 0;
    return plot->lines[which].by == FOUND_HERE ? fmin(width, 5.6) : 2;
}

/* Corners of the marks that lines have, a form for each in turn, in units of their size: a square,
 * a triangle, a diamond; the first form is a circle. */
enum { CORNERS = 4, FORMS = 4 };
static const double corners[FORMS][CORNERS][2] = {
    [1] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
    [2] = {{0, -1.3}, {1.2, 1}, {-1.2, 1}, {-1.2, 1}},
    [3] = {{0, -1.4}, {1.4, 0}, {0, 1.4}, {-1.4, 0}},
};
static const double mark_size = 3.5;

static void begin_mark(writer *to, size_t line, double x, double y)
{
    const double s = mark_size;
    size_t       form = line % FORMS;

    write_text(to, "<path class=\"mark\" d=\"");
    if (form == 0)
        write_format(to, "M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 -%.1f 0", x - s, y, s,
                     s, 2 * s, s, s, 2 * s);
    for (size_t i = 0; form > 0 && i < CORNERS; i++)
        write_format(to, "%s%.1f %.1f", i == 0 ? "M" : "L", x + s * corners[form][i][0],
                     y + s * corners[form][i][1]);
    write_text(to, "z\">");
}

static bool has_marks(const found_line_of *line)
{
    return line->count <= MARKED_MOST && (line->by == FOUND_HERE || line->by == FOUND_PUBLISHED);
}

static void begin_line(writer *to, const finding *plot, size_t which)
{
    write_format(to, "<g class=\"line c%zu %s\"><path class=\"way\"", which % COLOURS,
                 found_by_name(plot->lines[which].by));
    if (plot->lines[which].by != FOUND_THEORY)
        write_format(to, " stroke-width=\"%.1f\"", width_of(plot, which));
    write_text(to, " d=\"");
}

static void write_marks(writer *to, const axis *x, const axis *y, const found_line_of *line,
                        size_t which)
{
    for (size_t i = 0; i < line->count; i++) {
        const found_point_of *point = &line->points[i];
        if (!is_shown(x, point->x) || !is_shown(y, point->y))
            continue;
        begin_mark(to, which, scaled(x, point->x), scaled(y, point->y));
        write_text(to, "<title>");
        write_html(to, line->name);
        write_format(to, ": %.4g at %.4g</title></path>", point->y, point->x);
    }
}

static void write_line(writer *to, const axis *x, const axis *y, const finding *plot, size_t which)
{
    const found_line_of *line = &plot->lines[which];
    bool                 begun = false;

    begin_line(to, plot, which);
    for (size_t i = 0; i < line->count; i++) {
        if (!is_shown(x, line->points[i].x) || !is_shown(y, line->points[i].y)) {
            begun = false;
            continue;
        }
        write_format(to, "%s%.1f %.1f", begun ? "L" : "M", scaled(x, line->points[i].x),
                     scaled(y, line->points[i].y));
        begun = true;
    }
    write_text(to, "\"/>");
    if (has_marks(line))
        write_marks(to, x, y, line, which);
    write_text(to, "</g>\n");
}

static void write_legend(writer *to, const finding *plot)
{
    static const char *const suffix[] = {[FOUND_GIVEN] = " (given)",
                                         [FOUND_HERE] = "",
                                         [FOUND_PUBLISHED] = " (published)",
                                         [FOUND_THEORY] = " (formula)"};

    for (size_t i = 0; i < plot->line_count; i++) {
        double at = HEIGHT + 8 + (double)LEGEND_ROW * (double)i;
        begin_line(to, plot, i);
        write_format(to, "M%d %.1fL%d %.1f\"/>", LEFT, at, LEFT + 36, at);
        if (has_marks(&plot->lines[i])) {
            begin_mark(to, i, LEFT + 18, at);
            write_text(to, "</path>");
        }
        write_format(to, "</g><text class=\"name\" x=\"%d\" y=\"%.1f\">", LEFT + 46, at + 5);
        write_prose_svg(to, plot->lines[i].name);
        write_format(to, "%s</text>\n", suffix[plot->lines[i].by]);
    }
}

void plot_write(writer *to, const finding *plot)
{
    axis x = {.log = plot->log_x, .across = true, .pixels_from = LEFT, .pixels_to = WIDTH - RIGHT};
    axis y = {.log = plot->log_y, .pixels_from = HEIGHT - BOTTOM, .pixels_to = TOP};

    make_axis(&x, plot, true);
    make_axis(&y, plot, false);
    write_format(to, "<svg viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"", WIDTH,
                 HEIGHT + LEGEND_ROW * plot->line_count);
    write_html(to, plot->title);
    write_text(to, "\">\n");
    write_axes(to, &x, &y, plot);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (size_t j = 0; j < plot->line_count; j++)
            if (plot->lines[j].by == order[i])
                write_line(to, &x, &y, plot, j);
    write_legend(to, plot);
    write_text(to, "</svg>\n");
}
