/* findings.c - what experiments find. */
#define _GNU_SOURCE 1
#include "workbench/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------- */

/* Makes room for one more of `each` bytes after `count` of them; NULL if there is none. */
static void *make_room(findings *all, void *list, size_t count, size_t *room, size_t each)
{
    if (count < *room)
        return list;
    size_t wanted = *room == 0 ? 8 : *room * 2;
    void  *moved = realloc(list, wanted * each);
    if (moved == NULL) {
        all->refused = true;
        return NULL;
    }
    *room = wanted;
    return moved;
}

static char *copy(findings *all, const char *text)
{
    char *made = strdup(text);

    all->refused = all->refused || made == NULL;
    return made;
}

static char *format_copy(findings *all, const char *format, va_list arguments)
{
    char *made = NULL;

    if (vasprintf(&made, format, arguments) < 0) {
        all->refused = true;
        return NULL;
    }
    return made;
}

static void free_finding(finding *one)
{
    char *const words[] = {one->id,     one->title,  one->source, one->text,
                           one->x_name, one->x_unit, one->y_name, one->y_unit};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        free(words[i]);
    for (size_t i = 0; i < one->column_count; i++) {
        free(one->columns[i].name);
        free(one->columns[i].unit);
    }
    for (size_t i = 0; i < one->cell_count; i++)
        free(one->cells[i].words);
    for (size_t i = 0; i < one->line_count; i++) {
        free(one->lines[i].name);
        free(one->lines[i].points);
    }
    free(one->columns);
    free(one->cells);
    free(one->lines);
}

void findings_free(findings *all)
{
    for (size_t i = 0; i < all->count; i++)
        free_finding(&all->list[i]);
    free(all->list);
    *all = (findings){0};
}

const char *found_by_name(found_by by)
{
    static const char *const names[] = {[FOUND_GIVEN] = "given",
                                        [FOUND_HERE] = "here",
                                        [FOUND_PUBLISHED] = "published",
                                        [FOUND_THEORY] = "theory"};

    return names[by];
}

/* ---- Reporting ---------------------------------------------------------------------------- */

static finding *add(findings *all, found_kind kind)
{
    finding *list = make_room(all, all->list, all->count, &all->room, sizeof *list);

    if (list == NULL)
        return NULL;
    all->list = list;
    list[all->count] = (finding){.kind = kind};
    return &list[all->count++];
}

/* The table or plot that is being reported. */
static finding *last(findings *all, found_kind kind)
{
    finding *one = all->count == 0 ? NULL : &all->list[all->count - 1];

    return one != NULL && one->kind == kind ? one : NULL;
}

static finding *add_named(findings *all, found_kind kind, const char *id, const char *title)
{
    finding *one = add(all, kind);

    if (one == NULL)
        return NULL;
    one->id = copy(all, id);
    one->title = copy(all, title);
    return one;
}

void found_experiment(findings *all, const char *id, const char *title, const char *source,
                      const char *about)
{
    finding *one = add_named(all, FOUND_EXPERIMENT, id, title);

    if (one == NULL)
        return;
    one->source = copy(all, source);
    one->text = copy(all, about);
}

void found_part(findings *all, const char *id, const char *title)
{
    add_named(all, FOUND_PART, id, title);
}

void found_text(findings *all, const char *format, ...)
{
    finding *one = add(all, FOUND_TEXT);
    va_list  arguments;

    va_start(arguments, format);
    if (one != NULL)
        one->text = format_copy(all, format, arguments);
    va_end(arguments);
}

void found_command(findings *all, const char *format, ...)
{
    finding *one = add(all, FOUND_COMMAND);
    va_list  arguments;

    va_start(arguments, format);
    if (one != NULL)
        one->text = format_copy(all, format, arguments);
    va_end(arguments);
}

void found_compared(findings *all, const found_comparison *one)
{
    finding *added = add(all, FOUND_COMPARED);

    if (added == NULL)
        return;
    added->compared = *one; /* its words are those that are freed with the finding */
    added->compared.what = added->title = copy(all, one->what);
    added->compared.unit = added->x_unit = copy(all, one->unit == NULL ? "" : one->unit);
    added->compared.why = added->text = copy(all, one->why == NULL ? "" : one->why);
}

bool found_reproduced(const finding *one)
{
    return one->compared.here >= one->compared.low && one->compared.here <= one->compared.high;
}

/* ---- Tables ------------------------------------------------------------------------------- */

void found_table(findings *all, const char *id, const char *caption)
{
    add_named(all, FOUND_TABLE, id, caption);
}

void found_column(findings *all, const char *name, const char *unit, found_by by, int decimals)
{
    finding *table = last(all, FOUND_TABLE);
    if (table == NULL)
        return;
    found_column_of *columns =
        make_room(all, table->columns, table->column_count, &table->column_room, sizeof *columns);
    if (columns == NULL)
        return;
    table->columns = columns;
    columns[table->column_count++] = (found_column_of){
        .name = copy(all, name), .unit = copy(all, unit), .by = by, .decimals = decimals};
}

static found_cell *add_cell(findings *all)
{
    finding *table = last(all, FOUND_TABLE);
    if (table == NULL)
        return NULL;
    found_cell *cells =
        make_room(all, table->cells, table->cell_count, &table->cell_room, sizeof *cells);
    if (cells == NULL)
        return NULL;
    table->cells = cells;
    cells[table->cell_count] = (found_cell){0};
    return &cells[table->cell_count++];
}

void found_number(findings *all, double number)
{
    found_cell *cell = add_cell(all);

    if (cell != NULL)
        cell->number = number;
}

void found_word(findings *all, const char *format, ...)
{
    found_cell *cell = add_cell(all);
    va_list     arguments;

    va_start(arguments, format);
    if (cell != NULL)
        cell->words = format_copy(all, format, arguments);
    va_end(arguments);
}

void found_nothing(findings *all)
{
    found_cell *cell = add_cell(all);

    if (cell != NULL)
        cell->empty = true;
}

/* ---- Plots -------------------------------------------------------------------------------- */

void found_plot(findings *all, const char *id, const char *caption)
{
    add_named(all, FOUND_PLOT, id, caption);
}

void found_axis_x(findings *all, const char *name, const char *unit, bool logarithmic)
{
    finding *plot = last(all, FOUND_PLOT);

    if (plot == NULL)
        return;
    plot->x_name = copy(all, name);
    plot->x_unit = copy(all, unit);
    plot->log_x = logarithmic;
}

void found_axis_y(findings *all, const char *name, const char *unit, bool logarithmic)
{
    finding *plot = last(all, FOUND_PLOT);

    if (plot == NULL)
        return;
    plot->y_name = copy(all, name);
    plot->y_unit = copy(all, unit);
    plot->log_y = logarithmic;
}

void found_line(findings *all, const char *name, found_by by)
{
    finding *plot = last(all, FOUND_PLOT);
    if (plot == NULL)
        return;
    found_line_of *lines =
        make_room(all, plot->lines, plot->line_count, &plot->line_room, sizeof *lines);
    if (lines == NULL)
        return;
    plot->lines = lines;
    lines[plot->line_count++] = (found_line_of){.name = copy(all, name), .by = by};
}

void found_point(findings *all, double x, double y)
{
    finding *plot = last(all, FOUND_PLOT);
    if (plot == NULL || plot->line_count == 0)
        return;
    found_line_of  *line = &plot->lines[plot->line_count - 1];
    found_point_of *points = make_room(all, line->points, line->count, &line->room, sizeof *points);
    if (points == NULL)
        return;
    line->points = points;
    points[line->count++] = (found_point_of){x, y};
}
