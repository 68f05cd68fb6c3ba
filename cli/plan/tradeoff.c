/* tradeoff.c - size against rate or error, around a plan and between kinds, as plots. */
#include "plan/tradeoff.h"

#include "arguments/size_options.h"
#include "inkling.h"
#include "plan/bar_plot.h"
#include "report/numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Lines -------------------------------------------------------------------------------- */

static void write_number(char cell[PLOT_CELL_BYTES], double number)
{
    snprintf(cell, PLOT_CELL_BYTES, "%.3g", number);
}

static void write_count(char cell[PLOT_CELL_BYTES], uint64_t number)
{
    snprintf(cell, PLOT_CELL_BYTES, "%" PRIu64, number);
}

/* A line with a size and its bar; the caller sets the other cells. */
static plot_line *add_size(cli_plot *plot, const cli_plan *plan, bool marked)
{
    plot_line *line = plot_add(plot, (double)plan->bytes, marked);

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
        cli_plan  beside = *plan;
        ink_error error;
        bool      is_here = is_near(rung(i), here);
        if (!added && (is_here || i > last || here > rung(i))) {
            write_number(add_size(plot, plan, true)->cells[0], here);
            added = true;
        }
        set(&beside, rung(i));
        if (!is_here && i <= last && plan_size(&beside, &error) == INK_OK)
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

/* The rate of a filter of this size by its keys. */
static void print_growth(const cli_plan *plan)
{
    static const double times[] = {0.5, 1, 2, 4};
    cli_plot            plot = {.titles = {"keys", "rate"}};
    ink_params          params = plan->params;

    params.false_positive_rate = 0;
    params.bits = plan->is.bits;
    params.hashes = sizes_kind_has(params.kind, OPTION_HASHES) ? plan->is.hashes : 0;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        ink_description full;
        ink_error       error;
        params.expected_keys = (uint64_t)((double)plan->number * times[i]);
        if (params.expected_keys == 0 || ink_plan(&params, &full, &error) != INK_OK)
            continue;
        plot_line *line = plot_add(&plot, full.promised_rate, params.expected_keys == plan->number);
        write_count(line->cells[0], params.expected_keys);
        write_number(line->cells[1], full.promised_rate);
    }
    plot_print(&plot, "the rate that this filter keeps with other numbers of keys");
}

/* A chain keeps its rate and grows. */
static void print_chain_growth(const cli_plan *plan)
{
    static const double times[] = {0.125, 0.25, 0.5, 1, 2, 4, 8};
    cli_plot            plot = {.titles = {"keys", "size", "bits/key"}};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        cli_plan  beside = *plan;
        ink_error error;
        beside.number = (uint64_t)((double)plan->number * times[i]);
        if (beside.number == 0 || plan_size(&beside, &error) != INK_OK)
            continue;
        plot_line *line = add_size(&plot, &beside, beside.number == plan->number);
        write_count(line->cells[0], beside.number);
        snprintf(line->cells[2], PLOT_CELL_BYTES, "%.2f",
                 8 * (double)beside.bytes / (double)beside.number);
    }
    plot_print(&plot, "its size as keys come; the rate stays");
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

static void print_epsilons(const cli_plan *plan)
{
    cli_plot plot = {.titles = {"eps", "size"}};

    climb_around(&plot, plan, plan->is.epsilon, set_epsilon);
    plot_print(&plot, "size by error, as a share of the total, at delta %.3g", plan->is.delta);
}

static void set_phi(cli_plan *plan, double phi)
{
    plan->params.top_keys = 0;
    plan->params.phi = phi;
}

static void print_phis(const cli_plan *plan)
{
    cli_plot plot = {.titles = {"phi", "size"}};

    climb_around(&plot, plan, plan->is.phi, set_phi);
    plot_print(&plot, "size by the share of the total above which no key is missed");
}

/* Adds a plan with its standard error. */
static void add_distinct(cli_plot *plot, cli_plan *plan, uint64_t number, bool marked)
{
    ink_error error;

    if (plan_size(plan, &error) != INK_OK)
        return;
    plot_line *line = add_size(plot, plan, marked);
    write_count(line->cells[0], number);
    snprintf(line->cells[2], PLOT_CELL_BYTES, plan->is.standard_error < 0.1 ? "%.2g %%" : "%.0f %%",
             100 * plan->is.standard_error);
}

static void print_widths(const cli_plan *plan)
{
    enum { DOUBLINGS = 3 };
    cli_plot plot = {.titles = {"width", "size", "error"}};
    uint64_t here = plan->is.width;

    for (int i = -DOUBLINGS; i <= DOUBLINGS; i++) {
        cli_plan beside = *plan;
        beside.params.width = i < 0 ? here >> -i : here << i;
        if (beside.params.width > 0)
            add_distinct(&plot, &beside, beside.params.width, i == 0);
    }
    plot_print(&plot, "size and standard error by width, of %" PRIu32 " group%s", plan->is.depth,
               plan->is.depth == 1 ? "" : "s");
}

static void print_precisions(const cli_plan *plan)
{
    enum { AROUND = 4 };
    cli_plot plot = {.titles = {"precision", "size", "error"}};
    uint32_t here = plan->is.precision;

    for (uint32_t precision = here > AROUND ? here - AROUND : 1; precision <= here + AROUND;
         precision++) {
        cli_plan beside = *plan;
        beside.params.precision = precision;
        add_distinct(&plot, &beside, precision, precision == here);
    }
    plot_print(&plot, "size and standard error by precision");
}

void tradeoff_print(const cli_plan *plan)
{
    switch (plan->family) {
    case PLAN_FILTER:
        print_rates(plan);
        print_growth(plan);
        break;
    case PLAN_CHAIN:
        print_rates(plan);
        print_chain_growth(plan);
        break;
    case PLAN_COUNTERS:
        print_epsilons(plan);
        break;
    case PLAN_KEPT:
        print_phis(plan);
        break;
    case PLAN_GROUPS:
        print_widths(plan);
        break;
    case PLAN_REGISTERS:
        print_precisions(plan);
        break;
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
    double     bits = 8 * (double)plan->bytes / (double)plan->number;

    snprintf(line->cells[0], PLOT_CELL_BYTES, "%s", plan->params.kind);
    switch (by) {
    case COMPARE_BITS:
        line->value = bits;
        snprintf(line->cells[2], PLOT_CELL_BYTES, "%.2f", bits);
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
