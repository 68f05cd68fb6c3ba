/* info.c - ink info: what a file holds. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "failure.h"
#include "groups.h"
#include "inputs.h"
#include "output.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ROW_KIND,
    ROW_GROUP,
    ROW_SLOT,
    ROW_KEYS,
    ROW_BITS,
    ROW_HASHES,
    ROW_BYTES,
    ROW_BITS_PER_KEY,
    ROW_ASKED,
    ROW_PROMISED,
    ROW_PRESENT,
    ROW_RECORDS,
    ROW_TOTAL,
    ROW_LEVELS,
    ROW_WIDTH,
    ROW_DEPTH,
    ROW_COUNTER_BITS,
    ROW_EPSILON,
    ROW_DELTA,
    ROW_CAPACITY,
    ROW_PHI,
    ROW_PRECISION,
    ROW_STANDARD_ERROR,
    ROW_DISTINCT,
    ROW_DIGEST,
    ROW_OK,
    ROW_COLUMNS
};

_Static_assert((int)ROW_COLUMNS <= (int)REPORT_COLUMNS_MAX, "a report has room for the columns");

static const cli_column columns[ROW_COLUMNS] = {
    [ROW_KIND] = {"kind", "kind", COLUMN_TEXT},
    [ROW_GROUP] = {"group", "group", COLUMN_LABEL},
    [ROW_SLOT] = {"slot", "slot", COLUMN_SLOT},
    [ROW_KEYS] = {"keys", "keys", COLUMN_COUNT},
    [ROW_BITS] = {"bits", "bits", COLUMN_COUNT},
    [ROW_HASHES] = {"hashes", "hashes", COLUMN_COUNT},
    [ROW_BYTES] = {"bytes", "size", COLUMN_SIZE},
    [ROW_BITS_PER_KEY] = {"bits_per_key", "bits/key", COLUMN_RATIO},
    [ROW_ASKED] = {"asked_rate", "asked", COLUMN_RATE},
    [ROW_PROMISED] = {"promised_rate", "promised", COLUMN_RATE},
    [ROW_PRESENT] = {"present_rate", "present", COLUMN_RATE},
    [ROW_RECORDS] = {"records", "records", COLUMN_COUNT},
    [ROW_TOTAL] = {"total", "total", COLUMN_COUNT},
    [ROW_LEVELS] = {"levels", "levels", COLUMN_COUNT},
    [ROW_WIDTH] = {"width", "width", COLUMN_COUNT},
    [ROW_DEPTH] = {"depth", "depth", COLUMN_COUNT},
    [ROW_COUNTER_BITS] = {"counter_bits", "counters", COLUMN_COUNT},
    [ROW_EPSILON] = {"epsilon", "eps", COLUMN_RATE},
    [ROW_DELTA] = {"delta", "delta", COLUMN_RATE},
    [ROW_CAPACITY] = {"capacity", "capacity", COLUMN_COUNT},
    [ROW_PHI] = {"phi", "phi", COLUMN_RATE},
    [ROW_PRECISION] = {"precision", "precision", COLUMN_COUNT},
    [ROW_STANDARD_ERROR] = {"standard_error", "error", COLUMN_RATE},
    [ROW_DISTINCT] = {"distinct", "distinct", COLUMN_COUNT},
    [ROW_DIGEST] = {"digest", NULL, COLUMN_TEXT}, /* nothing to read for people */
    [ROW_OK] = {"ok", "", COLUMN_OK},
};

static const char *path_of(const cli_arguments *arguments)
{
    return arguments->operand_count == 0 ? "-" : arguments->operands[0];
}

static void write_hex(char *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static void describe(cli_cell cells[ROW_COLUMNS], const ink_entry_info *entry,
                     const ink_description *d)
{
    const cli_cell found[ROW_COLUMNS] = {
        [ROW_KIND] = cell_text(d->kind),
        [ROW_GROUP] = cell_group(&entry->label),
        [ROW_SLOT] = cell_slot(&entry->label),
        [ROW_KEYS] = cell_count_if(d->expected_keys),
        [ROW_BITS] = cell_count_if(d->bits),
        [ROW_HASHES] = cell_count_if(d->hashes),
        [ROW_BYTES] = cell_count(d->bytes),
        [ROW_BITS_PER_KEY] = cell_real_if(d->bits_per_key),
        [ROW_ASKED] = cell_real_if(d->asked_rate),
        [ROW_PROMISED] = cell_real_if(d->promised_rate),
        [ROW_RECORDS] = cell_count(d->records),
        [ROW_TOTAL] = cell_count_if(d->total),
        [ROW_LEVELS] = cell_count_if(d->levels),
        [ROW_WIDTH] = cell_count_if(d->width),
        [ROW_DEPTH] = cell_count_if(d->depth),
        [ROW_COUNTER_BITS] = cell_count_if(d->counter_bits),
        [ROW_EPSILON] = cell_real_if(d->epsilon),
        [ROW_DELTA] = cell_real_if(d->delta),
        [ROW_CAPACITY] = cell_count_if(d->capacity),
        [ROW_PHI] = cell_real_if(d->phi),
        [ROW_PRECISION] = cell_count_if(d->precision),
        [ROW_STANDARD_ERROR] = cell_real_if(d->standard_error),
    };

    memcpy(cells, found, sizeof found);
}

/* ---- Rows --------------------------------------------------------------------------------- */

static int print_sketch(cli_report *report, const ink_entry_info *entry, const ink_sketch *sketch,
                        ink_error *error)
{
    cli_cell        cells[ROW_COLUMNS];
    ink_description d;
    double          rate;
    uint8_t         digest[INK_DIGEST_BYTES];
    char            text[2 * INK_DIGEST_BYTES + 1];
    ink_kind_info   kind;

    ink_sketch_describe(sketch, &d);
    describe(cells, entry, &d);
    if (ink_kind_describe(d.kind, &kind, error) != INK_OK)
        return fail_error(NULL, error);
    if (kind.contains) {
        if (ink_sketch_rate(sketch, &rate, error) != INK_OK)
            return fail_error(NULL, error);
        cells[ROW_PRESENT] = cell_real(rate);
        if (d.promised_rate > 0)
            cells[ROW_OK] = cell_ok(!is_above(rate, d.promised_rate), "above promise");
    } else if (kind.distinct) {
        ink_answer answer;
        if (ink_sketch_distinct(sketch, 0, &answer, error) != INK_OK)
            return fail_error(NULL, error);
        cells[ROW_DISTINCT] = cell_count((uint64_t)(answer.estimate + 0.5));
    }
    if (report->form != REPORT_TEXT) {
        if (ink_sketch_digest(sketch, digest, error) != INK_OK)
            return fail_error(NULL, error);
        write_hex(text, digest, sizeof digest);
        cells[ROW_DIGEST] = cell_text(text);
    }
    report_row(report, cells);
    return 0;
}

/* ---- What is said once for the whole file ------------------------------------------------- */

static void print_recipe(const ink_reading *how)
{
    const char *before = "read as: ";

    if (how->form != INK_FORM_DEFAULT) {
        out_format("%s%s", before, option_choice(OPTION_IN, (size_t)(how->form - INK_FORM_LINES)));
        before = ", ";
    }
    if (how->delimiter != 0) {
        const char delimiter[2] = {how->delimiter, '\0'};
        out_format("%sdelimiter %s", before, shown(delimiter));
        before = ", ";
    }
    if (how->blanks) {
        out_format("%sfields", before);
        before = ", ";
    }
    if (how->multiline) {
        out_format("%scsv-multiline", before);
        before = ", ";
    }
    if (how->header) {
        out_format("%sheader", before);
        before = ", ";
    }
    for (size_t i = 0; i < how->key_count; i++) {
        out_format("%s%s", i > 0 ? "," : before, i > 0 ? "" : "key ");
        out_text(shown(how->key[i]));
        before = ", ";
    }
    if (how->by != NULL) {
        out_format("%sby %s%s", before, shown(how->by),
                   how->round == INK_ROUND_HALF_EVEN ? " rounded half-even"
                   : how->round == INK_ROUND_HALF_UP ? " rounded half-up"
                                                     : "");
        before = ", ";
    }
    if (how->weight != NULL) {
        out_format("%sweight %s", before, shown(how->weight));
        before = ", ";
    }
    if (before[0] == ',')
        out_text("\n");
}

static int print_headline(const cli_arguments *arguments, const ink_file *file)
{
    const char     *path = path_of(arguments);
    size_t          count = ink_file_count(file);
    ink_recipe     *recipe;
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
    if (ink_recipe_read(&recipe, file, &how, &error) != INK_OK)
        return fail_error(path, &error);
    if (recipe != NULL)
        print_recipe(&how);
    ink_recipe_free(recipe);
    return 0;
}

/* ---- The command -------------------------------------------------------------------------- */

typedef struct info_table {
    const cli_arguments *arguments;
    const ink_file      *file;
    cli_report           report;
    const char          *kind; /* of the rows so far */
    bool                 any;  /* something was printed before them */
} info_table;

/* Prints what there is of a kind. */
static int end_kind(info_table *table)
{
    bool text = table->report.form == REPORT_TEXT;
    bool nothing = table->report.row_count == 0 && table->arguments->options[OPTION_GROUPS].given;

    if (text && !nothing && !table->any) {
        int code = print_headline(table->arguments, table->file);
        if (code != 0)
            return code;
    }
    if (text && !nothing && table->report.row_count > 0)
        out_text("\n");
    table->any |= !nothing;
    report_end(&table->report, false);
    return 0;
}

static int print_entry(info_table *table, size_t index)
{
    const char    *path = path_of(table->arguments);
    ink_entry_info entry;
    ink_sketch    *sketch;
    ink_error      error;
    int            code = 0;

    if (ink_file_entry(table->file, index, &entry, &error) != INK_OK)
        return fail_error(path, &error);
    if (!group_is_wanted(table->arguments, &entry.label))
        return 0;
    if (table->report.form == REPORT_TEXT && table->kind != NULL &&
        strcmp(table->kind, entry.kind) != 0) {
        code = end_kind(table);
        report_begin(&table->report, REPORT_TEXT, columns, ROW_COLUMNS);
    }
    table->kind = entry.kind;
    if (code == 0 && ink_file_sketch(table->file, index, &sketch, &error) != INK_OK)
        code = fail_error(path, &error);
    if (code != 0)
        return code;
    code = print_sketch(&table->report, &entry, sketch, &error);
    ink_sketch_free(sketch);
    return code;
}

/* People get a table for each kind, with the columns that it has; programs one for all. */
static int print_table(const cli_arguments *arguments, const ink_file *file)
{
    report_form form = report_form_of(arguments);
    info_table  table = {.arguments = arguments, .file = file};
    int         code = 0;

    report_begin(&table.report, form, columns, ROW_COLUMNS);
    for (size_t i = 0; code == 0 && i < ink_file_count(file); i++)
        code = print_entry(&table, i);
    if (code == 0)
        code = end_kind(&table);
    report_drop(&table.report);
    if (code == 0 && !table.any && arguments->options[OPTION_GROUPS].given)
        return CODE_NO;
    return code;
}

static int print_digest(const cli_arguments *arguments, const ink_file *file)
{
    uint8_t   digest[INK_DIGEST_BYTES];
    char      text[2 * INK_DIGEST_BYTES + 1];
    ink_error error;

    if (ink_file_digest(file, digest, &error) != INK_OK)
        return fail_error(path_of(arguments), &error);
    write_hex(text, digest, sizeof digest);
    out_format("%s\n", text);
    return 0;
}

static bool has_groups(const ink_file *file)
{
    ink_entry_info entry;
    ink_error      error;

    for (size_t i = 0; i < ink_file_count(file); i++)
        if (ink_file_entry(file, i, &entry, &error) == INK_OK &&
            entry.label.group_kind != INK_GROUP_NONE)
            return true;
    return false;
}

static int print(const cli_arguments *arguments, const ink_file *file)
{
    const option_given *options = arguments->options;

    if (options[OPTION_GROUPS].given && ink_file_count(file) > 0 && !has_groups(file))
        return groups_missing(arguments, path_of(arguments));
    if (options[OPTION_DIGEST].given)
        return print_digest(arguments, file);
    if (options[OPTION_QUIET].given)
        return 0;
    if (!options[OPTION_CHECK].given)
        return print_table(arguments, file);
    size_t count = ink_file_count(file);
    out_format("%s: whole, %zu sketch%s\n", shown_path(path_of(arguments)), count,
               count == 1 ? "" : "es");
    return 0;
}

static int run(const cli_arguments *arguments)
{
    ink_file *file;

    if (arguments->operand_count > 1)
        return fail_usage("info", "%zu files, expected one", arguments->operand_count);
    if (arguments->operand_count == 0 && isatty(STDIN_FILENO))
        return fail_usage("info", "info without a file, and standard input is a terminal");
    int code = sketches_open(&file, path_of(arguments)); /* checks every byte */
    if (code != 0)
        return code;
    code = print(arguments, file);
    ink_file_close(file);
    return code;
}

static const cli_offer offers[] = {
    {.id = OPTION_DIGEST},
    {.id = OPTION_CHECK},
    {.id = OPTION_GROUPS},
    {.id = OPTION_QUIET, .about = "print nothing: the exit code tells whether the file is whole"},
    OFFERS_FORMS,
    {.id = OPTION_END},
};

static const char *const examples[] = {
    "ink info ratings.ink",
    "ink info --groups '1*' --json ratings.ink   # groups 1 and 10",
    "ink info --check ratings.ink                # is every byte as it was written?",
    "ink info --digest words.ink                 # equal for equal content",
    NULL,
};

static const char *const codes[] = {
    "0  the file is whole",
    "1  no group matches --groups",
    NULL,
};

const cli_command command_info = {
    .name = "info",
    .operands = "[SKETCHES]",
    .summary = "what a file of sketches holds",
    .about =
        "Checks every byte of a file and prints a row for each sketch: sizes, rates that were "
        "asked for and promised, and the present rate from the bits. The digest covers all but "
        "sections. Without a file it reads standard input.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .run = run,
};
