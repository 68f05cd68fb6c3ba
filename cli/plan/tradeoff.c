/* tradeoff.c - size against rate or error, around a plan and between kinds, as plots: lines of
 * numbers, each followed by a bar; at most 80 columns wide. */
#include "plan/tradeoff.h"

#include "arguments/kind_params.h"
#include "options/kind_texts.h"
#include "options/quantities.h"
#include "report/failure.h"
#include "report/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Plots -------------------------------------------------------------------------------- */

enum { PLOT_CELLS_MAX = 3, PLOT_CELL_BYTES = 24, PLOT_LINES_MAX = 32 };
enum { WIDTH = 80, MARK_WIDTH = 2, GAP_WIDTH = 2, BAR_MAX = 48, EIGHTHS = 8 };

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

/* Prints a headline, the titles and the lines; nothing if there are no lines. Bars are made of #,
 * or of blocks in a UTF-8 locale. */
static PRINTF_LIKE(2, 3) void plot_print(const cli_plot *plot, const char *headline, ...)
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

/* ---- Lines -------------------------------------------------------------------------------- */

static void write_number(char cell[PLOT_CELL_BYTES], double number)
{
    snprintf(cell, PLOT_CELL_BYTES, "%.3g", number);
}

static void write_count(char cell[PLOT_CELL_BYTES], uint64_t number)
{
    snprintf(cell, PLOT_CELL_BYTES, "%" PRIu64, number);
}

static void write_bits(char cell[PLOT_CELL_BYTES], const cli_plan *plan)
{
    snprintf(cell, PLOT_CELL_BYTES, "%.2f", 8 * (double)plan->bytes / (double)plan->number);
}

/* Appends a line with a size and its bar; beyond PLOT_LINES_MAX it replaces the last one. The
 * caller sets the other cells. */
static plot_line *add_size(cli_plot *plot, const cli_plan *plan, bool marked)
{
    if (plot->line_count < PLOT_LINES_MAX)
        plot->line_count++;
    plot_line *line = &plot->lines[plot->line_count - 1];
    *line = (plot_line){.value = (double)plan->bytes, .marked = marked};
    format_size(line->cells[1], PLOT_CELL_BYTES, plan->bytes);
    return line;
}

/* ---- Along a ladder of shares ------------------------------------------------------------- */

/* 1, 0.3, 0.1, 0.03, ... */
static double rung(unsigned number)
{
    char text[16];

    snprintf(text, sizeof text, "%de-%u", number % 2 == 0 ? 1 : 3, (number + 1) / 2);
    return strtod(text, NULL);
}

/* A rung so near to the plan would repeat it. */
static bool is_near(double a, double b)
{
    return a < 1.1 * b && b < 1.1 * a;
}

/* Sets a rate, an eps or a phi in a plan. */
typedef void set_share(cli_plan *plan, double share);

/* Adds the plan, which has the share `here`, among plans with the shares of rungs. */
static void climb(cli_plot *plot, const cli_plan *plan, double here, set_share *set, unsigned first,
                  unsigned last, unsigned step)
{
    bool added = false;

    for (unsigned i = first; i <= last || !added; i += step) {
        cli_plan beside = *plan;
        bool     is_here = is_near(rung(i), here);
        if (!added && (is_here || i > last || here > rung(i))) {
            write_number(add_size(plot, plan, true)->cells[0], here);
            added = true;
        }
        set(&beside, rung(i));
        if (!is_here && i <= last && plan_size(&beside, NULL) == INK_OK)
            write_number(add_size(plot, &beside, false)->cells[0], rung(i));
    }
}

/* The rungs within a factor of ten. */
static void climb_around(cli_plot *plot, const cli_plan *plan, double here, set_share *set)
{
    unsigned first = 0;

    while (rung(first) > 10.01 * here)
        first++;
    unsigned last = first;
    while (rung(last + 1) > 0.099 * here)
        last++;
    climb(plot, plan, here, set, first, last, 1);
}

/* ---- Filters ------------------------------------------------------------------------------ */

static void set_rate(cli_plan *plan, double rate)
{
    plan->params.bits = 0;
    plan->params.hashes = 0;
    plan->params.false_positive_rate = rate;
}

/* From 0.1 down to 1e-5, and to the plan's rate if that is lower. */
static void print_rates(const cli_plan *plan)
{
    enum { RUNG_HIGHEST = 2, RUNG_LOWEST = 10 };
    cli_plot plot = {.titles = {"rate", "size"}};
    unsigned last = RUNG_LOWEST, step = plan->rate < rung(RUNG_LOWEST) ? 2 : 1;

    while (step == 2 && rung(last) >= plan->rate)
        last += step;
    climb(&plot, plan, plan->rate, set_rate, RUNG_HIGHEST, last, step);
    plot_print(&plot, "size by rate, for %" PRIu64 " key%s", plan->number,
               plan->number == 1 ? "" : "s");
}

/* By numbers of keys: the rate of a filter of this size, and the size of a chain of this rate. */
static void print_growth(const cli_plan *plan)
{
    static const double times[] = {0.125, 0.25, 0.5, 1, 2, 4, 8};
    bool                chain = plan->family == PLAN_CHAIN;
    cli_plan            beside = *plan;
    cli_plot            plot = {.titles = {"keys", "size", "bits/key"}};

    if (!chain) {
        plot = (cli_plot){.titles = {"keys", "rate"}};
        set_rate(&beside, 0);
        beside.params.bits = plan->is.bits;
        beside.params.hashes =
            sizes_kind_has(plan->params.kind, OPTION_HASHES) ? plan->is.hashes : 0;
    }
    for (size_t i = chain ? 0 : 2; i < (chain ? 7 : 6); i++) {
        beside.number = (uint64_t)((double)plan->number * times[i]);
        if (beside.number == 0 || plan_size(&beside, NULL) != INK_OK)
            continue;
        plot_line *line = add_size(&plot, &beside, beside.number == plan->number);
        write_count(line->cells[0], beside.number);
        if (chain) {
            write_bits(line->cells[2], &beside);
            continue;
        }
        line->value = beside.is.promised_rate;
        write_number(line->cells[1], line->value);
    }
    plot_print(&plot, chain ? "its size as keys come; the rate stays"
                            : "the rate that this filter keeps with other numbers of keys");
}

/* ---- Other kinds -------------------------------------------------------------------------- */

/* The same depth with another width: width x eps is constant. */
static void set_epsilon(cli_plan *plan, double epsilon)
{
    double width = (double)plan->is.width * plan->is.epsilon / epsilon;

    plan->params.epsilon = plan->params.delta = 0;
    plan->params.depth = plan->is.depth;
    plan->params.width = (uint64_t)width;
    plan->params.width += (double)plan->params.width < width;
}

static void set_phi(cli_plan *plan, double phi)
{
    plan->params.top_keys = 0;
    plan->params.phi = phi;
}

static void print_errors(const cli_plan *plan)
{
    bool     counters = plan->family == PLAN_COUNTERS;
    cli_plot plot = {.titles = {counters ? "eps" : "phi", "size"}};

    climb_around(&plot, plan, counters ? plan->is.epsilon : plan->is.phi,
                 counters ? set_epsilon : set_phi);
    if (counters)
        plot_print(&plot, "size by error, as a share of the total, at delta %.3g", plan->is.delta);
    else
        plot_print(&plot, "size by the share of the total above which no key is missed");
}

static void write_error(char cell[PLOT_CELL_BYTES], double error)
{
    snprintf(cell, PLOT_CELL_BYTES, error < 0.1 ? "%.2g %%" : "%.0f %%", 100 * error);
}

/* Of a full sample: of k values as many as the share are those of the intersection. */
static void print_intersections(const cli_plan *plan)
{
    enum { RUNG_LOWEST = 6 };
    cli_plot plot = {.titles = {"share", "values", "error"}};

    for (unsigned i = 0; i <= RUNG_LOWEST; i++) {
        double     count = (double)((uint64_t)1 << plan->is.precision);
        plot_line *line = &plot.lines[plot.line_count++];
        line->value = 1 / sqrt(rung(i) * count);
        write_number(line->cells[0], rung(i));
        write_count(line->cells[1], (uint64_t)(rung(i) * count + 0.5));
        write_error(line->cells[2], line->value);
    }
    plot_print(&plot, "standard error of an intersection or difference by its share of the union");
}

/* Size and standard error: widths from an eighth to eight times, or precisions around it. */
static void print_distinct(const cli_plan *plan)
{
    bool     widths = plan->family == PLAN_GROUPS;
    int      around = widths ? 3 : 4;
    uint32_t groups = plan->is.depth;
    cli_plot plot = {.titles = {widths ? "width" : "precision", "size", "error"}};

    for (int i = -around; i <= around; i++) {
        cli_plan beside = *plan;
        uint64_t number = i < 0 ? plan->is.width >> -i : plan->is.width << i;
        if (widths)
            beside.params.width = number;
        else
            number = beside.params.precision = plan->is.precision + (uint32_t)i;
        if (number == 0 || plan_size(&beside, NULL) != INK_OK)
            continue;
        plot_line *line = add_size(&plot, &beside, i == 0);
        write_count(line->cells[0], number);
        write_error(line->cells[2], beside.is.standard_error);
    }
    if (widths)
        plot_print(&plot, "size and standard error by width, of %" PRIu32 " group%s", groups,
                   groups == 1 ? "" : "s");
    else
        plot_print(&plot, "size and standard error by precision");
    if (kind_info(plan->params.kind).subtracts)
        print_intersections(plan);
}

void tradeoff_print(const cli_plan *plan)
{
    if (plan->family == PLAN_COUNTERS || plan->family == PLAN_KEPT)
        print_errors(plan);
    else if (plan->family == PLAN_GROUPS || plan->family == PLAN_REGISTERS)
        print_distinct(plan);
    else {
        print_rates(plan);
        print_growth(plan);
    }
}

/* ---- Several kinds ------------------------------------------------------------------------ */

/* What the bars show: of filters with one number of keys and one rate bits per key; with one memory
 * the rates or keys that fit; otherwise sizes, on a logarithmic scale, as these differ by powers of
 * ten. */
typedef enum comparison { COMPARE_BITS, COMPARE_RATES, COMPARE_KEYS, COMPARE_SIZES } comparison;

static comparison choose(const cli_plan *plans, size_t count)
{
    bool same_number = true, same_rate = true;

    for (size_t i = 0; i < count; i++) {
        if (plans[i].family != PLAN_FILTER && plans[i].family != PLAN_CHAIN)
            return COMPARE_SIZES;
        same_number &= plans[i].number == plans[0].number;
        same_rate &= is_near(plans[i].rate, plans[0].rate);
    }
    return !same_number ? COMPARE_KEYS : same_rate ? COMPARE_BITS : COMPARE_RATES;
}

/* The binary logarithm, linear between powers of two. */
static double doublings(uint64_t number)
{
    double rest = (double)number, count = 0;

    for (; rest >= 2; rest /= 2)
        count++;
    return rest < 1 ? 0 : count + (rest - 1);
}

static void add_compared(cli_plot *plot, const cli_plan *plan, comparison by)
{
    plot_line *line = add_size(plot, plan, false);

    snprintf(line->cells[0], PLOT_CELL_BYTES, "%s", plan->params.kind);
    switch (by) {
    case COMPARE_BITS:
        line->value = (double)plan->bytes / (double)plan->number;
        write_bits(line->cells[2], plan);
        break;
    case COMPARE_RATES:
        line->value = plan->rate;
        write_number(line->cells[2], plan->rate);
        break;
    case COMPARE_KEYS:
        line->value = (double)plan->number;
        write_count(line->cells[2], plan->number);
        break;
    case COMPARE_SIZES:
        line->value = doublings(plan->bytes);
        break;
    }
}

void tradeoff_compare(const cli_plan *plans, size_t count)
{
    static const struct {
        const char *title, *headline;
    } texts[] = {
        [COMPARE_BITS] = {"bits/key", "bits a key"},
        [COMPARE_RATES] = {"rate", "the rate that fits"},
        [COMPARE_KEYS] = {"keys", "the keys that fit"},
        [COMPARE_SIZES] = {NULL, "size; a bar grows by the same with every doubling"},
    };
    comparison by = choose(plans, count);
    cli_plot   plot = {.titles = {"kind", "size", texts[by].title}};

    for (size_t i = 0; i < count; i++)
        add_compared(&plot, &plans[i], by);
    plot_print(&plot, "%s", texts[by].headline);
}
