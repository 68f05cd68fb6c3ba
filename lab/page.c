/* page.c - what was found, as one page: HTML with its style and its pictures in it, and nothing
 * from anywhere else. Numbers that were published stand beside ours, marked as such. */
#include "command_lines.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const char lab_style[]; /* page.css, made a part of the program */

/* ---- Tables ------------------------------------------------------------------------------- */

/* Thousands apart, by thin spaces: 1260817 is hard to read. */
static void write_digits(writer *to, const char *digits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_bytes(to, digits + i, 1);
        if ((count - i) % 3 == 1 && i + 1 < count)
            write_text(to, "\u202f");
    }
}

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

static void write_number(writer *to, double number, int decimals)
{
    double size = fabs(number);

    if (!isfinite(number))
        write_text(to, "\u2013");
    else if (decimals >= 0)
        write_grouped(to, number, decimals);
    else if (size >= 1000)
        write_grouped(to, number, 0);
    else if (size != 0 && size < 1e-4)
        write_format(to, "%.2e", number);
    else
        write_format(to, "%.3g", number);
}

static void write_cell(writer *to, const found_column_of *column, const found_cell *cell)
{
    write_format(to, "<td class=\"%s%s\">", found_by_name(column->by),
                 column->decimals == FOUND_WORDS ? " words" : "");
    if (cell->words != NULL)
        write_html(to, cell->words);
    else if (!cell->empty)
        write_number(to, cell->number, column->decimals);
    write_text(to, "</td>");
}

static void write_table(writer *to, const finding *table)
{
    write_text(to, "<div class=\"scroll\"><table>\n<caption>");
    write_html(to, table->title);
    write_text(to, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const found_column_of *column = &table->columns[i];
        write_format(to, "<th scope=\"col\" class=\"%s%s\">", found_by_name(column->by),
                     column->decimals == FOUND_WORDS ? " words" : "");
        write_html(to, column->name);
        if (column->unit[0] != '\0') {
            write_text(to, "<span class=\"unit\">");
            write_html(to, column->unit);
            write_text(to, "</span>");
        }
        write_text(to, "</th>");
    }
    write_text(to, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        write_text(to, column == 0 ? "<tr>" : "");
        write_cell(to, &table->columns[column], &table->cells[i]);
        write_text(to, column + 1 == table->column_count ? "</tr>\n" : "");
    }
    write_text(to, "</tbody></table></div>\n");
}

/* ---- The page ----------------------------------------------------------------------------- */

static void write_plot(writer *to, const finding *plot)
{
    write_text(to, "<figure><figcaption>");
    write_html(to, plot->title);
    write_text(to, "</figcaption>\n");
    plot_write(to, plot);
    write_text(to, "</figure>\n");
}

static void write_heading(writer *to, const finding *one, const char *experiment)
{
    if (one->kind == FOUND_EXPERIMENT) {
        write_format(to, "<h2 id=\"%s\">", one->id);
        write_html(to, one->title);
        write_text(to, "</h2>\n<p class=\"about\">");
        write_html(to, one->text);
        write_text(to, "</p>\n");
        return;
    }
    write_format(to, "<h3 id=\"%s-%s\">", experiment, one->id);
    write_html(to, one->title);
    write_text(to, "</h3>\n");
}

/* Commands that follow one another stand together. */
static void write_commands(writer *to, const finding *one, const finding *before,
                           const finding *behind)
{
    write_text(to, before != NULL && before->kind == FOUND_COMMAND ? "\n" : "<pre>");
    write_command_lines(to, one->text);
    write_text(to, behind != NULL && behind->kind == FOUND_COMMAND ? "" : "</pre>\n");
}

/* Text, its large whole numbers as in tables; digits of names and of fractions stay as they are. */
static void write_prose(writer *to, const char *text)
{
    char before = ' ', one[2] = "";

    while (*text != '\0') {
        size_t digits = strspn(text, "0123456789");
        if (digits >= 5 && strchr(" (\n", before) != NULL) {
            write_digits(to, text, digits);
            text += digits - 1;
        } else {
            one[0] = *text;
            write_html(to, one);
        }
        before = *text++;
    }
}

static void write_finding(writer *to, const finding *one, const finding *before,
                          const finding *behind, const char *experiment)
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
        write_commands(to, one, before, behind);
        break;
    case FOUND_TABLE:
        write_table(to, one);
        break;
    case FOUND_PLOT:
        write_plot(to, one);
        break;
    }
}

static void write_contents(writer *to, const findings *found)
{
    write_text(to, "<nav><ul>");
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i].kind == FOUND_EXPERIMENT) {
            write_format(to, "<li><a href=\"#%s\">", found->list[i].id);
            write_html(to, found->list[i].title);
            write_text(to, "</a></li>");
        }
    write_text(to, "</ul></nav>\n");
}

static void write_start(writer *to, const findings *found, const lab_options *options)
{
    write_text(to, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<title>Inkling: the lab</title>\n<style>\n");
    write_text(to, lab_style);
    write_text(to, "</style>\n</head>\n<body>\n<h1>Inkling: the lab</h1>\n"
                   "<p>Published experiments on sketches, run anew. Every number of ours was "
                   "computed in this run, and the commands above it make it again.</p>\n"
                   "<p class=\"key small\"><span>found here</span><span "
                   "class=\"published\">published</span><span class=\"theory\">by a "
                   "formula</span></p>\n");
    write_format(to, "<p class=\"small\">Inkling %s, %s.</p>\n", ink_version(),
                 options->quick ? "a quick run, with less data than was published" : "a full run");
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
    write_text(&to, "</main>\n<footer class=\"small\">Made by ink lab.</footer>\n"
                    "</body>\n</html>\n");
    return write_end(&to, error);
}
