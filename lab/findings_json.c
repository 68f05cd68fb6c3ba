/* findings_json.c - what was found, as JSON: experiments, their parts, and in each of these in
 * order text, commands, tables (columns and rows) and plots (lines of points). docs/lab.md has
 * the shape. */
#include "lab.h"
#include "machine.h"
#include "writer.h"

static void put_member(writer *to, const char *name, const char *text, bool first)
{
    write_format(to, "%s\"%s\":", first ? "" : ",", name);
    write_json(to, text == NULL ? "" : text);
}

static void put_columns(writer *to, const finding *table)
{
    write_text(to, ",\"columns\":[");
    for (size_t i = 0; i < table->column_count; i++) {
        const found_column_of *column = &table->columns[i];
        write_text(to, i == 0 ? "{" : ",{");
        put_member(to, "name", column->name, true);
        put_member(to, "unit", column->unit, false);
        put_member(to, "by", found_by_name(column->by), false);
        write_text(to, "}");
    }
    write_text(to, "]");
}

static void put_rows(writer *to, const finding *table)
{
    write_text(to, ",\"rows\":[");
    for (size_t i = 0; i < table->cell_count; i++) {
        const found_cell *cell = &table->cells[i];
        bool              begins = i % table->column_count == 0;
        write_text(to, !begins ? "," : i == 0 ? "\n[" : "],\n[");
        if (cell->empty)
            write_text(to, "null");
        else if (cell->words != NULL)
            write_json(to, cell->words);
        else
            write_json_number(to, cell->number);
    }
    write_text(to, table->cell_count == 0 ? "]" : "]]");
}

static void put_lines(writer *to, const finding *plot)
{
    put_member(to, "x", plot->x_name, false);
    put_member(to, "x_unit", plot->x_unit, false);
    put_member(to, "y", plot->y_name, false);
    put_member(to, "y_unit", plot->y_unit, false);
    write_text(to, ",\"lines\":[");
    for (size_t i = 0; i < plot->line_count; i++) {
        const found_line_of *line = &plot->lines[i];
        write_text(to, i == 0 ? "\n{" : ",\n{");
        put_member(to, "name", line->name, true);
        put_member(to, "by", found_by_name(line->by), false);
        write_text(to, ",\"points\":[");
        for (size_t j = 0; j < line->count; j++) {
            write_text(to, j == 0 ? "[" : ",[");
            write_json_number(to, line->points[j].x);
            write_text(to, ",");
            write_json_number(to, line->points[j].y);
            write_text(to, "]");
        }
        write_text(to, "]}");
    }
    write_text(to, "]");
}

/* What stands within a part. */
static void put_content(writer *to, const finding *one)
{
    static const char *const names[] = {[FOUND_TEXT] = "text",
                                        [FOUND_COMMAND] = "command",
                                        [FOUND_TABLE] = "table",
                                        [FOUND_PLOT] = "plot"};

    write_text(to, "{");
    put_member(to, "is", names[one->kind], true);
    if (one->kind == FOUND_TEXT || one->kind == FOUND_COMMAND)
        put_member(to, "text", one->text, false);
    else {
        put_member(to, "id", one->id, false);
        put_member(to, "title", one->title, false);
    }
    if (one->kind == FOUND_TABLE) {
        put_columns(to, one);
        put_rows(to, one);
    }
    if (one->kind == FOUND_PLOT)
        put_lines(to, one);
    write_text(to, "}");
}

static void put_heading(writer *to, const finding *one)
{
    write_text(to, "\n{");
    put_member(to, "id", one->id, true);
    put_member(to, "title", one->title, false);
    if (one->kind == FOUND_EXPERIMENT) {
        put_member(to, "source", one->source, false);
        put_member(to, "about", one->text, false);
    }
    write_text(to, one->kind == FOUND_EXPERIMENT ? ",\"parts\":[" : ",\"found\":[");
}

static void put_machine(writer *to)
{
    lab_machine on;

    machine_describe(&on);
    write_text(to, "\"made\":{");
    put_member(to, "version", ink_version(), true);
    put_member(to, "date", on.date, false);
    put_member(to, "processor", on.processor, false);
    write_format(to, ",\"cores\":%u", on.cores);
    put_member(to, "system", on.system, false);
    put_member(to, "compiler", on.compiler, false);
    put_member(to, "instructions", on.instructions, false);
    write_text(to, "},\n");
}

static void put_number(writer *to, const char *name, double number)
{
    write_format(to, ",\"%s\":", name);
    write_json_number(to, number);
}

static void put_summary(writer *to, const findings *found)
{
    const char *experiment = "", *part = "", *before = "\"summary\":[\n{";

    for (size_t i = 0; i < found->count; i++) {
        const finding          *one = &found->list[i];
        const found_comparison *compared = &one->compared;
        experiment = one->kind == FOUND_EXPERIMENT ? one->id : experiment;
        part = one->kind == FOUND_PART ? one->id : part;
        if (one->kind != FOUND_COMPARED)
            continue;
        write_text(to, before);
        put_member(to, "experiment", experiment, true);
        put_member(to, "part", part, false);
        put_member(to, "what", compared->what, false);
        put_member(to, "unit", compared->unit, false);
        put_member(to, "by", found_by_name(compared->by), false);
        put_number(to, "expected", compared->expected);
        put_number(to, "here", compared->here);
        put_number(to, "low", compared->low);
        put_number(to, "high", compared->high);
        write_format(to, ",\"reproduced\":%s", found_reproduced(one) ? "true" : "false");
        put_member(to, "why", compared->why, false);
        write_text(to, "}");
        before = ",\n{";
    }
    write_text(to, before[0] == ',' ? "],\n" : "\"summary\":[],\n");
}

ink_status lab_write_json(const findings *found, const lab_options *options, const ink_sink *sink,
                          ink_error *error)
{
    writer to = {.sink = sink};
    bool   in_experiment = false, in_part = false, first = true;

    write_format(&to, "{\"quick\":%s,\n", options->quick ? "true" : "false");
    put_machine(&to);
    put_summary(&to, found);
    write_text(&to, "\"experiments\":[");
    for (size_t i = 0; i < found->count; i++) {
        const finding *one = &found->list[i];
        bool           heading = one->kind == FOUND_EXPERIMENT || one->kind == FOUND_PART;
        if (one->kind == FOUND_COMPARED) /* stands in the summary */
            continue;
        if (in_part && heading)
            write_text(&to, "]}");
        if (one->kind == FOUND_EXPERIMENT && in_experiment)
            write_text(&to, "]},");
        else if (!first && (!heading || in_part))
            write_text(&to, ",");
        if (heading)
            put_heading(&to, one);
        else
            put_content(&to, one);
        in_part = one->kind == FOUND_PART || (in_part && !heading);
        in_experiment = true;
        first = heading;
    }
    write_text(&to, in_part ? "]}" : "");
    write_text(&to, in_experiment ? "]}" : "");
    write_text(&to, "]}\n");
    return write_end(&to, error);
}
