/* lab_page.c - what was found, as one page: HTML with its style and its pictures in it, and nothing
 * from anywhere else. Numbers that were published stand beside ours, marked as such. */
#include "command_lines.h"
#include "lab.h"
#include "machine.h"
#include "prose.h"
#include "svg_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char lab_style[]; /* page.css, made a part of the program */

/* ---- Tables ------------------------------------------------------------------------------- */

static void write_grouped(writer *to, double number, int decimals)
{
    char   text[64];
    size_t digits = 0, at = 0;

    snprintf(text, sizeof text, "%.*f", decimals, number);
    if (text[0] == '-') {
        write_text(to, "\u2212");
        at++;
    }
    digits = strspn(text + at, "0123456789");
    write_digits(to, text + at, digits);
    write_text(to, text + at + digits);
}

/* A number that begins with many zeros: 3.00 times a power of ten. */
static void write_tiny(writer *to, double number)
{
    char   text[32];
    size_t digits;

    snprintf(text, sizeof text, "%.2e", number);
    digits = strcspn(text, "e");
    write_bytes(to, text, digits);
    write_format(to, " \u00b7 10<sup>\u2212%d</sup>", abs(atoi(text + digits + 1)));
}

/* Three digits that matter: 5.60 if it was measured, 0.01 if it was chosen. */
static void write_short(writer *to, double number, bool chosen)
{
    double size = fabs(number);
    int    before = size < 1e-4 ? 0 : (int)floor(log10(size)) + 1; /* digits before the point */

    if (size >= 1000)
        write_grouped(to, number, 0);
    else if (size != 0 && size < 1e-4)
        write_tiny(to, number);
    else if (chosen || size == 0)
        write_format(to, "%.3g", number);
    else
        write_grouped(to, number, before >= 3 ? 0 : 3 - before);
}

static void write_number(writer *to, double number, const found_column_of *column)
{
    if (!isfinite(number))
        write_text(to, "\u2013");
    else if (column->decimals >= 0)
        write_grouped(to, number, column->decimals);
    else
        write_short(to, number, column->by == FOUND_GIVEN);
}

static const char *words_class(const found_column_of *column)
{
    return column->decimals == FOUND_WORDS ? " words" : "";
}

/* The first of a row is its head, which stays in sight when a wide table is scrolled. */
static void write_cell(writer *to, const found_column_of *column, const found_cell *cell, bool head)
{
    write_format(to, "<%s class=\"%s%s\">", head ? "th scope=\"row\"" : "td",
                 found_by_name(column->by), words_class(column));
    if (cell->words != NULL)
        write_html(to, cell->words);
    else if (!cell->empty)
        write_number(to, cell->number, column);
    write_text(to, head ? "</th>" : "</td>");
}

static void write_columns(writer *to, const finding *table)
{
    write_text(to, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const found_column_of *column = &table->columns[i];
        write_format(to, "<th scope=\"col\" class=\"%s%s\">", found_by_name(column->by),
                     words_class(column));
        write_prose(to, column->name);
        if (column->unit[0] != '\0') {
            write_text(to, "<span class=\"unit\">");
            write_prose(to, column->unit);
            write_text(to, "</span>");
        }
        write_text(to, "</th>");
    }
    write_text(to, "</tr></thead>\n");
}

static void write_caption(writer *to, const char *class, const char *caption)
{
    write_format(to, "<figure class=\"%s\"><figcaption>", class);
    write_prose(to, caption);
    write_text(to, "</figcaption>\n");
}

/* The caption stands outside of what is scrolled, so that it is whole on a small screen. */
static void write_table(writer *to, const finding *table)
{
    write_caption(to, "table", table->title);
    write_text(to, "<div class=\"scroll\"><table>\n");
    write_columns(to, table);
    write_text(to, "<tbody>\n");
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        write_text(to, column == 0 ? "<tr>" : "");
        write_cell(to, &table->columns[column], &table->cells[i], column == 0);
        write_text(to, column + 1 == table->column_count ? "</tr>\n" : "");
    }
    write_text(to, "</tbody></table></div></figure>\n");
}

/* ---- The page ----------------------------------------------------------------------------- */

static void write_plot(writer *to, const finding *plot)
{
    write_caption(to, "plot", plot->title);
    plot_write(to, plot);
    write_text(to, "</figure>\n");
}

static void write_heading(writer *to, const finding *one, const char *experiment)
{
    if (one->kind == FOUND_EXPERIMENT) {
        write_format(to, "<h2 id=\"%s\"><span class=\"id\">%s</span> ", one->id, one->id);
        write_prose(to, one->title);
        write_text(to, "</h2>\n<p class=\"source\">");
        write_prose(to, one->source);
        write_text(to, ".</p>\n<p class=\"about\">");
        write_prose(to, one->text);
        write_text(to, "</p>\n");
        return;
    }
    write_format(to, "<h3 id=\"%s-%s\">", experiment, one->id);
    write_prose(to, one->title);
    write_text(to, "</h3>\n");
}

/* Commands that follow one another stand together. */
static void write_commands(writer *to, const finding *one, const finding *before,
                           const finding *next)
{
    write_text(to, before != NULL && before->kind == FOUND_COMMAND ? "\n" : "<pre>");
    write_command_lines(to, one->text);
    write_text(to, next != NULL && next->kind == FOUND_COMMAND ? "" : "</pre>\n");
}

static void write_finding(writer *to, const finding *one, const finding *before,
                          const finding *next, const char *experiment)
{
    switch (one->kind) {
    case FOUND_EXPERIMENT:
    case FOUND_PART:
        write_heading(to, one, experiment);
        break;
    case FOUND_TEXT:
        write_text(to, "<p>");
        write_prose(to, one->text);
        write_text(to, "</p>\n");
        break;
    case FOUND_COMMAND:
        write_commands(to, one, before, next);
        break;
    case FOUND_TABLE:
        write_table(to, one);
        break;
    case FOUND_PLOT:
        write_plot(to, one);
        break;
    case FOUND_COMPARED: /* stands in the summary */
        break;
    }
}

/* ---- The summary -------------------------------------------------------------------------- */

static void write_value(writer *to, double number, const found_comparison *of)
{
    const found_column_of column = {.by = of->by == FOUND_GIVEN ? FOUND_GIVEN : FOUND_HERE,
                                    .decimals = of->decimals};

    write_number(to, number, &column);
    if (of->unit[0] != '\0') {
        write_text(to, "\u00a0");
        write_prose(to, of->unit);
    }
}

static void write_comparison(writer *to, const found_comparison *one, bool reproduced,
                             const char *experiment, const char *part)
{
    static const char *const sources[] = {[FOUND_GIVEN] = "promised at most",
                                          [FOUND_PUBLISHED] = "published",
                                          [FOUND_THEORY] = "expected"};

    write_format(to, "<li><a href=\"#%s-%s\"><span class=\"id\">%s</span> ", experiment, part,
                 experiment);
    write_prose(to, one->what);
    write_format(to, "</a>: %s ", sources[one->by]);
    write_value(to, one->expected, one);
    write_text(to, ", here ");
    write_value(to, one->here, one);
    if (!reproduced) {
        write_text(to, ": ");
        write_prose(to, one->why);
    }
    write_text(to, ".</li>\n");
}

static size_t count_comparisons(const findings *found, bool reproduced)
{
    size_t count = 0;

    for (size_t i = 0; i < found->count; i++)
        count += found->list[i].kind == FOUND_COMPARED &&
                 found_reproduced(&found->list[i]) == reproduced;
    return count;
}

/* Comparisons that were reproduced, or those that were not. */
static void write_comparisons(writer *to, const findings *found, bool reproduced)
{
    const char *experiment = "", *part = "";

    write_format(to, "<ul class=\"%s\">\n", reproduced ? "same" : "other");
    for (size_t i = 0; i < found->count; i++) {
        const finding *one = &found->list[i];
        experiment = one->kind == FOUND_EXPERIMENT ? one->id : experiment;
        part = one->kind == FOUND_PART ? one->id : part;
        if (one->kind != FOUND_COMPARED || found_reproduced(one) != reproduced)
            continue;
        write_comparison(to, &one->compared, reproduced, experiment, part);
    }
    write_text(to, "</ul>\n");
}

/* What was reproduced, and what was not: each line is computed from the findings of its part. */
static void write_summary(writer *to, const findings *found)
{
    size_t same = count_comparisons(found, true), other = count_comparisons(found, false);

    write_format(to,
                 "<section class=\"summary\">\n<h2 id=\"summary\">Summary</h2>\n"
                 "<p>%zu of %zu figures are reproduced%s</p>\n",
                 same, same + other, same == 0 ? "." : ":");
    if (same > 0)
        write_comparisons(to, found, true);
    if (other > 0) {
        write_format(to, "<p>%zu differ%s, for these reasons:</p>\n", other, other == 1 ? "s" : "");
        write_comparisons(to, found, false);
    }
    write_text(to, "</section>\n");
}

/* The documents, each with what it is and the parts about it. */
static void write_contents(writer *to, const findings *found)
{
    const char *experiment = NULL;
    bool        first = true;

    write_text(to, "<nav>\n<ol>\n");
    for (size_t i = 0; i < found->count; i++) {
        const finding *one = &found->list[i];
        if (one->kind == FOUND_EXPERIMENT) {
            write_format(to, "%s<li><a href=\"#%s\"><span class=\"id\">%s</span> ",
                         experiment == NULL ? "" : "</span></li>\n", one->id, one->id);
            write_prose(to, one->title);
            write_text(to, "</a><span class=\"source\">");
            write_prose(to, one->source);
            write_text(to, "</span><span class=\"parts\">");
            experiment = one->id;
            first = true;
        } else if (one->kind == FOUND_PART && experiment != NULL) {
            write_format(to, "%s<a href=\"#%s-%s\">", first ? "" : " \u00b7 ", experiment, one->id);
            write_prose(to, one->title);
            write_text(to, "</a>");
            first = false;
        }
    }
    write_text(to, experiment == NULL ? "</ol>\n</nav>\n" : "</span></li>\n</ol>\n</nav>\n");
}

/* When, where and by what the numbers were made. */
static void write_machine(writer *to, const lab_options *options)
{
    lab_machine on;

    machine_describe(&on);
    write_format(to, "<p class=\"small machine\">%s, %s, by Inkling %s (%s, ", on.date,
                 options->quick ? "a quick run, with less data than was published" : "a full run",
                 ink_version(), on.instructions);
    write_html(to, on.compiler);
    write_text(to, "), on ");
    write_html(to, on.processor);
    write_format(to, ", %u core%s, ", on.cores, on.cores == 1 ? "" : "s");
    write_html(to, on.system);
    write_text(to, ".</p>\n");
}

static void write_start(writer *to, const findings *found, const lab_options *options)
{
    write_text(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<title>Inkling: the lab</title>\n<style>\n");
    write_text(to, lab_style);
    write_text(to,
               "</style>\n</head>\n<body>\n<h1 id=\"top\">Inkling: the lab</h1>\n"
               "<p>Published experiments on sketches, run anew: their figures beside ours, in the "
               "same units. Every number of ours was computed in this run, and the commands above "
               "it make it again: those of a part can be typed into bash in an empty folder.</p>\n"
               "<p class=\"key small\"><span class=\"here\">found here</span><span "
               "class=\"published\">published</span><span class=\"theory\">by a "
               "formula</span><span class=\"given\">given</span></p>\n");
    write_machine(to, options);
    write_summary(to, found);
    write_contents(to, found);
    write_text(to, "<main>\n");
}

ink_status lab_write_page(const findings *found, const lab_options *options, const ink_sink *sink,
                          ink_error *error)
{
    writer      to = {.sink = sink};
    const char *experiment = "";

    write_start(&to, found, options);
    for (size_t i = 0; i < found->count; i++) {
        if (found->list[i].kind == FOUND_EXPERIMENT)
            experiment = found->list[i].id;
        write_finding(&to, &found->list[i], i > 0 ? &found->list[i - 1] : NULL,
                      i + 1 < found->count ? &found->list[i + 1] : NULL, experiment);
    }
    write_text(&to, "</main>\n<footer class=\"small\">Made by <code>ink lab</code>.</footer>\n"
                    "<a class=\"up\" href=\"#top\" aria-label=\"to the top\">\u2191</a>\n"
                    "</body>\n</html>\n");
    return write_end(&to, error);
}
