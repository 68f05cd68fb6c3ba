/* filter.c - ink filter: grep for sets. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_column count_columns[] = {
    {"functions", "functions", COLUMN_COUNT}, {"set_size", "set size", COLUMN_COUNT},
    {"analysed", "analysed", COLUMN_COUNT},   {"admitted", "admitted", COLUMN_COUNT},
    {"rejected", "rejected", COLUMN_COUNT},   {"seconds", "seconds", COLUMN_SECONDS},
    {"groups", "groups", COLUMN_COUNT},       {"false_groups", "false groups", COLUMN_RATE},
};

static void print_count(const cli_arguments *arguments, const ink_filter_report *found)
{
    const cli_cell cells[] = {
        cell_count_if(found->functions), cell_count(found->set_size),
        cell_count(found->analysed),     cell_count(found->admitted),
        cell_count(found->rejected),     cell_real(found->seconds),
        cell_count_if(found->groups),    cell_real_if(found->groups == 0 ? 0 : found->false_groups),
    };
    cli_report report;

    report_begin(&report, report_form_of(arguments), count_columns,
                 sizeof count_columns / sizeof *count_columns);
    report_row(&report, cells);
    report_end(&report, true);
}

/* ---- Keys on the command line ------------------------------------------------------------- */

/* Passes records on with line ends for their NULs. */
static int write_lines(void *host, const void *bytes, size_t count)
{
    const ink_sink *sink = host;
    const char     *at = bytes;

    while (count > 0) {
        const char *end = memchr(at, '\0', count);
        size_t      length = end == NULL ? count : (size_t)(end - at);
        int         os_error = sink->write(sink->host, at, length);
        if (os_error == 0 && end != NULL)
            os_error = sink->write(sink->host, "\n", 1);
        if (os_error != 0)
            return os_error;
        at += length + (end != NULL);
        count -= length + (end != NULL);
    }
    return 0;
}

/* ---- The command -------------------------------------------------------------------------- */

typedef struct question {
    const ink_file    *file;
    const ink_input   *inputs;
    size_t             input_count;
    const ink_reading *how;
    const uint8_t     *secret;
} question;

/* Asks, and puts what passes where it belongs. */
static int ask(const cli_arguments *arguments, const question *q)
{
    const option_given      *options = arguments->options;
    const ink_filter_options asked = {
        .kind = options[OPTION_KIND].text,
        .invert = options[OPTION_INVERT].given,
        .first = options[OPTION_QUIET].given,
        .by = options[OPTION_BY].given,
        .plain = options[OPTION_ASK].given,
        .last = (size_t)options[OPTION_LAST].number,
        .secret = q->secret,
    };
    bool              prints = !options[OPTION_QUIET].given && !options[OPTION_COUNT].given;
    ink_job           job = progress_job(arguments);
    ink_filter_report found;
    ink_error         error;
    cli_target        target;

    int code = target_begin(&target, options[OPTION_OUTPUT].text);
    if (code != 0)
        return code;
    const ink_sink  lines = {write_lines, &target.sink};
    const ink_sink *sink = options[OPTION_ASK].given ? &lines : &target.sink;
    if (ink_filter(q->file, q->inputs, q->input_count, q->how, &asked, prints ? sink : NULL, &found,
                   &job, &error) != INK_OK) {
        if (!target_failed(&target, &code))
            code = job_fails(&job, arguments->operands[0], &error);
        target_abandon(&target);
        return code;
    }
    progress_clear();
    job_reports_skipped(&job);
    if (options[OPTION_COUNT].given)
        print_count(arguments, &found);
    code = target_commit(&target);
    if (code != 0)
        return code;
    return (asked.invert ? found.rejected : found.admitted) > 0 ? CODE_YES : CODE_NO;
}

/* A key of -e is plain, and a tuple has no plain form. */
static int check_tuple(const cli_arguments *arguments, const ink_file *file)
{
    ink_input_spec *input_spec;
    ink_reading     how;
    ink_error       error;

    if (ink_input_spec_read(&input_spec, file, &how, &error) != INK_OK)
        return fail_error(arguments->operands[0], &error);
    size_t columns = how.key_count;
    ink_input_spec_free(input_spec);
    if (columns <= 1)
        return 0;
    return fail_usage("filter",
                      "-e, but keys of %s are tuples of %zu columns, expected data with these",
                      shown_path(arguments->operands[0]), columns);
}

static int ask_keys(const cli_arguments *arguments, question *q)
{
    const ink_reading plain = {.form = INK_FORM_NUL};
    ink_input         input;
    uint8_t          *bytes;

    int code = check_tuple(arguments, q->file);
    if (code != 0)
        return code;
    inputs_of_keys(arguments, &bytes, &input);
    q->inputs = &input;
    q->input_count = 1;
    q->how = &plain;
    code = ask(arguments, q);
    free(bytes);
    return code;
}

static int ask_data(const cli_arguments *arguments, question *q)
{
    cli_data data;

    int code = data_begin(&data, arguments, arguments->operands + 1, arguments->operand_count - 1);
    if (code != 0)
        return code;
    q->inputs = data.inputs;
    q->input_count = data.input_count;
    q->how = &data.reading.how;
    code = ask(arguments, q);
    data_end(&data);
    return code;
}

static int check(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    if (arguments->operand_count == 0)
        return fail_usage("filter", "filter without a sketch file");
    if (options[OPTION_ASK].given) {
        int code = keys_check(arguments, 1);
        if (code != 0)
            return code;
    } else if (strcmp(arguments->operands[0], "-") == 0 && arguments->operand_count == 1) {
        return fail_usage("filter", "sketches and data from standard input, expected a FILE");
    }
    if ((options[OPTION_JSON].given || options[OPTION_TSV].given) && !options[OPTION_COUNT].given)
        return fail_usage("filter", "%s without --count: records are printed as they stand",
                          options[OPTION_JSON].given ? "--json" : "--tsv");
    if (!options[OPTION_OUTPUT].given || strcmp(options[OPTION_OUTPUT].text, "-") == 0)
        return 0;
    if (options[OPTION_QUIET].given || options[OPTION_COUNT].given)
        return fail_usage("filter", "--output with %s, which prints no records",
                          options[OPTION_QUIET].given ? "--quiet" : "--count");
    int code = target_check(arguments, options[OPTION_OUTPUT].text, arguments->operands,
                            arguments->operand_count, false);
    if (code == 0 && arguments->operand_count == 1) /* and not what comes from standard input */
        code = target_check(arguments, options[OPTION_OUTPUT].text, NULL, 0, false);
    return code;
}

static bool may_be_sketches(const char *path)
{
    return strcmp(path, "-") == 0 || (access(path, F_OK) == 0 && !is_data_file(path));
}

/* In "--by shop s.ink" shop is taken for the file, as the option's value may be left out. */
static int check_by(const cli_arguments *arguments)
{
    const option_given *by = &arguments->options[OPTION_BY];
    const char *const  *paths = arguments->operands;

    if (!by->given || by->text != NULL || arguments->operand_count < 2 ||
        may_be_sketches(paths[0]) || !may_be_sketches(paths[1]))
        return 0;
    return fail_usage("filter", "--by %s: --by takes its column behind =, as --by=%s",
                      shown(paths[0]), shown(paths[0]));
}

static int run(const cli_arguments *arguments)
{
    question  q = {0};
    ink_file *file;
    uint8_t   secret[INK_SECRET_BYTES];

    int code = check(arguments);
    if (code == 0)
        code = check_by(arguments);
    if (code == 0)
        code = secret_read(arguments, secret, &q.secret);
    if (code == 0)
        code = sketches_open(&file, arguments->operands[0]);
    if (code != 0)
        return code;
    q.file = file;
    code = arguments->options[OPTION_ASK].given ? ask_keys(arguments, &q) : ask_data(arguments, &q);
    ink_file_close(file);
    return code;
}

static const cli_offer offers[] = {
    {.id = OPTION_INVERT},
    {.id = OPTION_COUNT},
    {.id = OPTION_ASK},
    {.id = OPTION_KIND},
    {.id = OPTION_LAST},
    OFFERS_RECORDS,
    {.id = OPTION_BY,
     .bare = true,
     .about = "test each record against its own group alone, named by this column (without =COL: "
              "the column that the sketches were built with)"},
    {.id = OPTION_ROUND},
    {.id = OPTION_SECRET, .about = "the secret that the sketches were built with"},
    {.id = OPTION_THREADS},
    {.id = OPTION_OUTPUT, .about = "the file to write (default: standard output)"},
    {.id = OPTION_FORCE},
    {.id = OPTION_NO_PROGRESS},
    {.id = OPTION_QUIET, .about = "print nothing, and stop at the first record that passes"},
    {.id = OPTION_JSON, .about = "with --count: print one JSON object"},
    {.id = OPTION_TSV,
     .about = "with --count: print fields with tabs between them, under their names"},
    {.id = OPTION_END},
};

static const char *const examples[] = {
    "ink filter words.ink more.txt             # lines that may be in words.txt",
    "ink filter -v words.ink more.txt          # lines that are surely not",
    "ink filter --count words.ink more.txt     # only how many",
    "ink filter -q -e alpha words.ink && echo perhaps",
    "ink filter -e tt0000003 ratings.ink       # which groups may it be in?",
    "ink filter --by ratings.ink ratings.tsv   # each record against its own group",
    NULL,
};

static const char *const codes[] = {
    "0  some record passed",
    "1  none did",
    NULL,
};

const cli_command command_filter = {
    .group = "ask",
    .name = "filter",
    .operands = "SKETCHES [FILE...]",
    .summary = "print the records whose key may be in the set",
    .about = "Prints the records whose key may be in the set, in the order of the input; a few "
             "whose key is not pass too, at the filter's rate. Records are read in the way of "
             "those that the filter was built from. If the sketches have groups, a tab and the "
             "groups that the key may be in follow each record.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .run = run,
};
