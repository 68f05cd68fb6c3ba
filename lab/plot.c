/* plot.c - lines of points as inline SVG: axes with round numbers, a line of each colour, those
 * that were published dashed, and their names at the side. Colours are the page's, so that they fit
 * by day and by night. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In the units of the picture, which is scaled to the page. */
enum { WIDTH = 720, HEIGHT = 396, LEFT = 86, RIGHT = 34, TOP = 14, BOTTOM = 68, TICKS = 48 };
enum { COLOURS = 6, LEGEND_ROW = 26 };
/* The largest letters that a page has, on a small screen: what a label takes of an axis. */
enum { LETTER_WIDTH = 12, LETTER_HEIGHT = 22 };

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

static void make_linear(axis *a, double low, double high)
{
    if (low > 0 && low < high / 2)
        low = 0;
    if (high <= low)
        high = low + 1;
    double step = nice_step(high - low, 5), margin = (high - low) / 50;
    a->from = floor(low / step) * step;
    a->to = ceil(high / step) * step;
    if (a->across && a->to > high + margin)
        a->to = high + margin;
    for (double at = a->from; at <= a->to + step / 1e6; at += step)
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
                     across ? at : x->pixels_from - 8, across ? y->pixels_from + 22 : at + 5,
                     across ? "middle" : "end", text);
    write_text(to, "\n");
}

static void write_axis_name(writer *to, const char *name, const char *unit)
{
    write_html(to, name == NULL ? "" : name);
    write_text(to, unit == NULL || unit[0] == '\0' ? "" : ", ");
    write_html(to, unit == NULL ? "" : unit);
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
                 (x->pixels_from + x->pixels_to) / 2, y->pixels_from + 48);
    write_axis_name(to, plot->x_name, plot->x_unit);
    write_format(to,
                 "<text class=\"name\" transform=\"translate(18 %.1f) rotate(-90)\" "
                 "text-anchor=\"middle\">",
                 (y->pixels_from + y->pixels_to) / 2);
    write_axis_name(to, plot->y_name, plot->y_unit);
}

static const char *style_of(found_by by)
{
    return by == FOUND_PUBLISHED ? " published" : by == FOUND_THEORY ? " theory" : "";
}

static void write_line(writer *to, const axis *x, const axis *y, const found_line_of *line,
                       size_t colour)
{
    bool begun = false;

    write_format(to, "<g class=\"line c%zu%s\"><path d=\"", colour % COLOURS, style_of(line->by));
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
    for (size_t i = 0; i < line->count && line->count <= 60; i++)
        if (is_shown(x, line->points[i].x) && is_shown(y, line->points[i].y)) {
            write_format(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
                         scaled(x, line->points[i].x), scaled(y, line->points[i].y));
            write_html(to, line->name);
            write_format(to, ": %.4g at %.4g</title></circle>", line->points[i].y,
                         line->points[i].x);
        }
    write_text(to, "</g>\n");
}

static void write_legend(writer *to, const finding *plot)
{
    for (size_t i = 0; i < plot->line_count; i++) {
        double at = HEIGHT + 8 + (double)LEGEND_ROW * (double)i;
        write_format(to,
                     "<g class=\"line c%zu%s\"><path d=\"M%d %.1fL%d %.1f\"/></g>"
                     "<text class=\"name\" x=\"%d\" y=\"%.1f\">",
                     i % COLOURS, style_of(plot->lines[i].by), LEFT, at, LEFT + 34, at, LEFT + 44,
                     at + 4);
        write_html(to, plot->lines[i].name);
        write_text(to, plot->lines[i].by == FOUND_PUBLISHED ? " (published)"
                       : plot->lines[i].by == FOUND_THEORY  ? " (formula)"
                                                            : "");
        write_text(to, "</text>\n");
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
    for (size_t i = 0; i < plot->line_count; i++)
        write_line(to, &x, &y, &plot->lines[i], i);
    write_legend(to, plot);
    write_text(to, "</svg>\n");
}
