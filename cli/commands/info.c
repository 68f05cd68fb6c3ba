/* info.c - ink info: the sketches of a file. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/inputs.h"
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "inkling_command.h"
#include "report/description.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/report.h"
#include "report/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIGEST_TEXT_BYTES = 2 * INK_DIGEST_BYTES + 1 };

static const char *path_of(const cli_arguments *arguments)
{
    return arguments->operand_count == 0 ? "-" : arguments->operands[0];
}

static void write_hex(char *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

typedef struct info_table {
    const cli_arguments *arguments;
    const ink_file      *file;
    const char          *origin; /* NULL: none */
    cli_report           report;
    const char          *kind; /* of the rows so far */
    bool                 any;  /* something was printed before them */
} info_table;

static int print_json(info_table *table, const ink_entry_info *entry, const ink_sketch *sketch,
                      ink_error *error)
{
    cli_report            *report = &table->report;
    const ink_info_options all = {.label = &entry->label, .digest = true, .origin = table->origin};

    report->line.count = 0;
    if (described_json(&report->line, sketch, &all, error) != INK_OK)
        return fail_error(NULL, error);
    report_made(report, &report->line);
    return 0;
}

static int print_sketch(info_table *table, const ink_entry_info *entry, const ink_sketch *sketch,
                        ink_error *error)
{
    cli_report *report = &table->report;
    cli_cell    cells[DESCRIBED_COLUMNS];
    char        digest[DIGEST_TEXT_BYTES];
    double      rate = 0;

    if (report->form == REPORT_JSON)
        return print_json(table, entry, sketch, error);
    if (described_is_filter(sketch) && ink_sketch_rate(sketch, &rate, error) != INK_OK)
        return fail_error(NULL, error);
    if (described(cells, &entry->label, sketch, rate, error) != INK_OK)
        return fail_error(NULL, error);
    if (report->form != REPORT_TEXT) {
        uint8_t bytes[INK_DIGEST_BYTES];
        if (ink_sketch_digest(sketch, bytes, error) != INK_OK)
            return fail_error(NULL, error);
        write_hex(digest, bytes, sizeof bytes);
        cells[DESCRIBED_DIGEST] = cell_text(digest);
        if (table->origin != NULL)
            cells[DESCRIBED_ORIGIN] = cell_text(table->origin);
    }
    report_row(report, cells);
    return 0;
}

static void print_input_spec(const ink_reading *how)
{
    static char text[1 << 14], safe[4 * sizeof text];
    size_t      count = ink_reading_text(how, text, sizeof text);

    utf8_show(safe, sizeof safe, text, count);
    out_text(safe);
    out_text("\n");
}

static int print_headline(const info_table *table)
{
    const ink_file *file = table->file;
    const char     *path = path_of(table->arguments);
    size_t          count = ink_file_count(file);
    ink_input_spec *input_spec;
    ink_reading     how;
    ink_sketch     *sketch;
    ink_description d;
    ink_error       error;

    out_format("%s: %zu sketch%s", shown_path(path), count, count == 1 ? "" : "es");
    if (count > 0) {
        if (ink_file_sketch(file, 0, &sketch, &error) != INK_OK)
            return fail_error(path, &error);
        ink_sketch_describe(sketch, &d);
        ink_sketch_free(sketch);
        out_format(" of %s keys, hash %s", d.key_type == INK_KEY_INT ? "int" : "bytes", d.hash);
        if (d.keyed)
            out_text(" with a secret");
        else
            out_format(", seed %" PRIu64, d.seed);
    }
    out_text("\n");
    if (ink_input_spec_read(&input_spec, file, &how, &error) != INK_OK)
        return fail_error(path, &error);
    if (input_spec != NULL)
        print_input_spec(&how);
    ink_input_spec_free(input_spec);
    if (table->origin != NULL)
        out_format("converted from: %s\n", shown(table->origin));
    return 0;
}

/* Prints what there is of a kind. */
static int end_kind(info_table *table)
{
    bool text = table->report.form == REPORT_TEXT;
    bool nothing = table->report.row_count == 0 && table->arguments->options[OPTION_GROUPS].given;

    if (text && !nothing && !table->any)
        TRY(print_headline(table));
    if (text && !nothing && table->report.row_count > 0)
        out_text("\n");
    table->any |= !nothing;
    report_end(&table->report);
    return 0;
}

static int print_entry(info_table *table, size_t index)
{
    const char    *path = path_of(table->arguments);
    ink_entry_info entry;
    ink_sketch    *sketch;
    ink_error      error;

    if (ink_file_entry(table->file, index, &entry, &error) != INK_OK)
        return fail_error(path, &error);
    if (!group_is_wanted(table->arguments, &entry.label))
        return 0;
    if (table->report.form == REPORT_TEXT && table->kind != NULL &&
        strcmp(table->kind, entry.kind) != 0) {
        TRY(end_kind(table));
        report_begin(&table->report, REPORT_TEXT, described_columns, DESCRIBED_COLUMNS);
    }
    table->kind = entry.kind;
    if (ink_file_sketch(table->file, index, &sketch, &error) != INK_OK)
        return fail_error(path, &error);
    int code = print_sketch(table, &entry, sketch, &error);
    ink_sketch_free(sketch);
    return code;
}

/* Text has a table for each kind, with the columns that apply; TSV and JSON have one for all. */
static int print_table(const cli_arguments *arguments, const ink_file *file)
{
    report_form form = report_form_of(arguments);
    info_table  table = {.arguments = arguments, .file = file, .origin = ink_file_origin(file)};
    int         code = 0;

    report_begin(&table.report, form, described_columns, DESCRIBED_COLUMNS);
    for (size_t i = 0; code == 0 && i < ink_file_count(file); i++)
        code = print_entry(&table, i);
    if (code == 0)
        code = end_kind(&table);
    report_drop(&table.report);
    if (code == 0 && !table.any && arguments->options[OPTION_GROUPS].given)
        return CODE_NO;
    return code;
}

static bool has_groups(const ink_file *file)
{
    ink_entry_info entry;

    for (size_t i = 0; i < ink_file_count(file); i++)
        if (ink_file_entry(file, i, &entry, NULL) == INK_OK &&
            entry.label.group_kind != INK_GROUP_NONE)
            return true;
    return false;
}

/* Whether --groups selects a sketch. */
static bool has_wanted(const cli_arguments *arguments, const ink_file *file)
{
    ink_entry_info entry;

    for (size_t i = 0; i < ink_file_count(file); i++)
        if (ink_file_entry(file, i, &entry, NULL) == INK_OK &&
            group_is_wanted(arguments, &entry.label))
            return true;
    return false;
}

static int print(const cli_arguments *arguments, const ink_file *file)
{
    const option_given *options = arguments->options;
    const char         *path = path_of(arguments);
    size_t              count = ink_file_count(file);
    uint8_t             digest[INK_DIGEST_BYTES];
    char                text[DIGEST_TEXT_BYTES];
    ink_error           error;

    if (options[OPTION_GROUPS].given && count > 0 && !has_groups(file))
        return groups_missing(path);
    if (options[OPTION_QUIET].given)
        return !options[OPTION_GROUPS].given || has_wanted(arguments, file) ? CODE_YES : CODE_NO;
    if (options[OPTION_CHECK].given) {
        out_format("%s: whole, %zu sketch%s\n", shown_path(path), count, count == 1 ? "" : "es");
        return 0;
    }
    if (!options[OPTION_DIGEST].given)
        return print_table(arguments, file);
    if (ink_file_digest(file, digest, &error) != INK_OK)
        return fail_error(path, &error);
    write_hex(text, digest, sizeof digest);
    out_format("%s\n", text);
    return 0;
}

static int run(const cli_arguments *arguments)
{
    ink_file *file;

    if (arguments->operand_count > 1)
        return fail_usage("%zu files, expected one", arguments->operand_count);
    if (arguments->operand_count == 0 && isatty(STDIN_FILENO))
        return fail_usage("info without a file, and standard input is a terminal");
    TRY(sketches_open(&file, path_of(arguments), arguments)); /* checks every byte */
    int code = print(arguments, file);
    ink_file_close(file);
    return code;
}

const cli_command command_info = {
    .group = "check",
    .name = "info",
    .operands = "[SKETCHES]",
    .summary = "what a sketch file contains",
    .about = "Checks every byte of a file, and prints a row for each sketch: its size, and its "
             "target, promised and current rates. The digest is equal for "
             "equal sketches, however the data was read. Without a file it reads standard input.",
    .offers = OFFERS(OFFER(DIGEST), OFFER(CHECK), OFFER(GROUPS), OFFERS_FOREIGN_ALONE,
                     OFFER_AS(QUIET, "print nothing; the exit code says whether the file is whole"),
                     OFFERS_FORMS),
    .examples = LINES(
        "ink info ratings.ink", "ink info --groups '1*' --json ratings.ink   # groups 1 and 10",
        "ink info --check ratings.ink                # is every byte as it was written?",
        "ink info --digest words.ink                 # equal for equal content"),
    .codes = LINES("0  the file is whole", "1  no group matches --groups"),
    .data_from = 1,
    .run = run,
};
