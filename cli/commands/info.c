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
    COLUMN_KIND_,
    COLUMN_GROUP_,
    COLUMN_SLOT_,
    COLUMN_KEYS_,
    COLUMN_BITS_,
    COLUMN_HASHES_,
    COLUMN_BYTES_,
    COLUMN_BITS_PER_KEY_,
    COLUMN_ASKED_,
    COLUMN_PROMISED_,
    COLUMN_PRESENT_,
    COLUMN_RECORDS_,
    COLUMN_TOTAL_,
    COLUMN_LEVELS_,
    COLUMN_WIDTH_,
    COLUMN_DEPTH_,
    COLUMN_COUNTER_BITS_,
    COLUMN_EPSILON_,
    COLUMN_DELTA_,
    COLUMN_CAPACITY_,
    COLUMN_PHI_,
    COLUMN_PRECISION_,
    COLUMN_STANDARD_ERROR_,
    COLUMN_DISTINCT_,
    COLUMN_DIGEST_,
    COLUMN_OK_,
    COLUMNS_
};

_Static_assert((int)COLUMNS_ <= (int)REPORT_COLUMNS_MAX, "a report has room for the columns");

static const cli_column columns[COLUMNS_] = {
    [COLUMN_KIND_] = {"kind", "kind", COLUMN_TEXT},
    [COLUMN_GROUP_] = {"group", "group", COLUMN_LABEL},
    [COLUMN_SLOT_] = {"slot", "slot", COLUMN_SLOT},
    [COLUMN_KEYS_] = {"keys", "keys", COLUMN_COUNT},
    [COLUMN_BITS_] = {"bits", "bits", COLUMN_COUNT},
    [COLUMN_HASHES_] = {"hashes", "hashes", COLUMN_COUNT},
    [COLUMN_BYTES_] = {"bytes", "size", COLUMN_SIZE},
    [COLUMN_BITS_PER_KEY_] = {"bits_per_key", "bits/key", COLUMN_RATIO},
    [COLUMN_ASKED_] = {"asked_rate", "asked", COLUMN_RATE},
    [COLUMN_PROMISED_] = {"promised_rate", "promised", COLUMN_RATE},
    [COLUMN_PRESENT_] = {"present_rate", "present", COLUMN_RATE},
    [COLUMN_RECORDS_] = {"records", "records", COLUMN_COUNT},
    [COLUMN_TOTAL_] = {"total", "total", COLUMN_COUNT},
    [COLUMN_LEVELS_] = {"levels", "levels", COLUMN_COUNT},
    [COLUMN_WIDTH_] = {"width", "width", COLUMN_COUNT},
    [COLUMN_DEPTH_] = {"depth", "depth", COLUMN_COUNT},
    [COLUMN_COUNTER_BITS_] = {"counter_bits", "counters", COLUMN_COUNT},
    [COLUMN_EPSILON_] = {"epsilon", "eps", COLUMN_RATE},
    [COLUMN_DELTA_] = {"delta", "delta", COLUMN_RATE},
    [COLUMN_CAPACITY_] = {"capacity", "capacity", COLUMN_COUNT},
    [COLUMN_PHI_] = {"phi", "phi", COLUMN_RATE},
    [COLUMN_PRECISION_] = {"precision", "precision", COLUMN_COUNT},
    [COLUMN_STANDARD_ERROR_] = {"standard_error", "error", COLUMN_RATE},
    [COLUMN_DISTINCT_] = {"distinct", "distinct", COLUMN_COUNT},
    [COLUMN_DIGEST_] = {"digest", NULL, COLUMN_TEXT}, /* nothing to read for people */
    [COLUMN_OK_] = {"ok", "", COLUMN_OK},
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

static void describe(cli_cell cells[COLUMNS_], const ink_entry_info *entry,
                     const ink_description *d)
{
    const cli_cell found[COLUMNS_] = {
        [COLUMN_KIND_] = cell_text(d->kind),
        [COLUMN_GROUP_] = cell_group(&entry->label),
        [COLUMN_SLOT_] = cell_slot(&entry->label),
        [COLUMN_KEYS_] = cell_count_if(d->expected_keys),
        [COLUMN_BITS_] = cell_count_if(d->bits),
        [COLUMN_HASHES_] = cell_count_if(d->hashes),
        [COLUMN_BYTES_] = cell_count(d->bytes),
        [COLUMN_BITS_PER_KEY_] = cell_real_if(d->bits_per_key),
        [COLUMN_ASKED_] = cell_real_if(d->asked_rate),
        [COLUMN_PROMISED_] = cell_real_if(d->promised_rate),
        [COLUMN_RECORDS_] = cell_count(d->records),
        [COLUMN_TOTAL_] = cell_count_if(d->total),
        [COLUMN_LEVELS_] = cell_count_if(d->levels),
        [COLUMN_WIDTH_] = cell_count_if(d->width),
        [COLUMN_DEPTH_] = cell_count_if(d->depth),
        [COLUMN_COUNTER_BITS_] = cell_count_if(d->counter_bits),
        [COLUMN_EPSILON_] = cell_real_if(d->epsilon),
        [COLUMN_DELTA_] = cell_real_if(d->delta),
        [COLUMN_CAPACITY_] = cell_count_if(d->capacity),
        [COLUMN_PHI_] = cell_real_if(d->phi),
        [COLUMN_PRECISION_] = cell_count_if(d->precision),
        [COLUMN_STANDARD_ERROR_] = cell_real_if(d->standard_error),
    };

    memcpy(cells, found, sizeof found);
}

/* ---- Rows --------------------------------------------------------------------------------- */

static int print_sketch(cli_report *report, const ink_entry_info *entry, const ink_sketch *sketch,
                        ink_error *error)
{
    cli_cell        cells[COLUMNS_];
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
        cells[COLUMN_PRESENT_] = cell_real(rate);
        if (d.promised_rate > 0)
            cells[COLUMN_OK_] = cell_ok(!is_above(rate, d.promised_rate), "above promise");
    } else if (kind.distinct) {
        ink_answer answer;
        if (ink_sketch_distinct(sketch, 0, &answer, error) != INK_OK)
            return fail_error(NULL, error);
        cells[COLUMN_DISTINCT_] = cell_count((uint64_t)(answer.estimate + 0.5));
    }
    if (report->form != REPORT_TEXT) {
        if (ink_sketch_digest(sketch, digest, error) != INK_OK)
            return fail_error(NULL, error);
        write_hex(text, digest, sizeof digest);
        cells[COLUMN_DIGEST_] = cell_text(text);
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
        report_begin(&table->report, REPORT_TEXT, columns, COLUMNS_);
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

    report_begin(&table.report, form, columns, COLUMNS_);
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
