/* filter.c - ink filter: grep for sets. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/inputs.h"
#include "arguments/query_target.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define COLUMNS(X)                                                                                 \
    X("functions", "functions", COUNT, cell_count_if(found->functions))                            \
    X("set_records", "set records", COUNT, cell_count(found->set_records))                         \
    X("set_keys", "set keys", COUNT, cell_count(found->set_keys))                                  \
    X("analysed", "analysed", COUNT, cell_count(found->analysed))                                  \
    X("admitted", "admitted", COUNT, cell_count(found->admitted))                                  \
    X("rejected", "rejected", COUNT, cell_count(found->rejected))                                  \
    X("seconds", "seconds", SECONDS, cell_real(found->seconds))                                    \
    X("groups", "groups", COUNT, cell_count_if(found->groups))                                     \
    X("false_groups", "false groups", RATE, cell_real_if(false_groups))
/* clang-format on */
static const cli_column columns[] = {COLUMNS(COLUMN_IS)};

static void print_count(const cli_arguments *arguments, const ink_filter_report *found)
{
    double         false_groups = found->groups == 0 ? 0 : found->false_groups;
    const cli_cell cells[] = {COLUMNS(COLUMN_CELL)};

    report_single(report_form_of(arguments), columns, COUNT_OF(columns), cells);
}

/* Writes records with line ends in place of their NULs. */
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

static int ask(const cli_arguments *arguments, const ink_file *file, const cli_data *data,
               const uint8_t *secret)
{
    const option_given      *options = arguments->options;
    const ink_filter_options asked = {
        .kind = options[OPTION_KIND].text,
        .invert = options[OPTION_INVERT].given,
        .first = options[OPTION_QUIET].given,
        .by = options[OPTION_BY].given,
        .plain = options[OPTION_ASK].given,
        .last = (size_t)options[OPTION_LAST].number,
        .secret = secret,
        .group_column = group_column(arguments),
        .groups = groups_chosen(arguments),
    };
    bool              prints = !options[OPTION_QUIET].given && !options[OPTION_COUNT].given;
    ink_job           job = progress_job(arguments);
    ink_filter_report found;
    ink_error         error;
    cli_target        target;
    int               code;

    TRY(target_begin(&target, options[OPTION_OUTPUT].text, options[OPTION_FORCE].given));
    const ink_sink  lines = {write_lines, &target.sink};
    const ink_sink *sink = options[OPTION_ASK].given ? &lines : &target.sink;
    inputs_announce(data->inputs, data->input_count);
    if (ink_filter(file, data->inputs, data->input_count, &data->how, &asked, prints ? sink : NULL,
                   &found, &job, &error) != INK_OK)
        return target_failed(&target, &code) ? code
                                             : job_fails(&job, arguments->operands[0], &error);
    job_reports_skipped(arguments, &job);
    if (options[OPTION_COUNT].given)
        print_count(arguments, &found);
    TRY(target_commit(&target));
    return (asked.invert ? found.rejected : found.admitted) > 0 ? CODE_YES : CODE_NO;
}

static int check(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    if (arguments->operand_count == 0)
        return fail_usage("filter without a sketch file");
    if (options[OPTION_ASK].given)
        TRY(keys_check(arguments));
    if ((options[OPTION_JSON].given || options[OPTION_TSV].given) && !options[OPTION_COUNT].given)
        return fail_usage("%s without --count: records are printed as they stand",
                          options[OPTION_JSON].given ? "--json" : "--tsv");
    if (!options[OPTION_OUTPUT].given || strcmp(options[OPTION_OUTPUT].text, "-") == 0)
        return 0;
    if (options[OPTION_QUIET].given || options[OPTION_COUNT].given)
        return fail_usage("--output with %s, which prints no records",
                          options[OPTION_QUIET].given ? "--quiet" : "--count");
    TRY(target_check(arguments, options[OPTION_OUTPUT].text, arguments->operands,
                     arguments->operand_count, false));
    if (arguments->operand_count > 1)
        return 0; /* else data comes from standard input */
    return target_check(arguments, options[OPTION_OUTPUT].text, NULL, 0, false);
}

static bool may_be_sketches(const char *path, const cli_arguments *arguments)
{
    return strcmp(path, "-") == 0 || (access(path, F_OK) == 0 && !is_data_file(path, arguments));
}

/* In "--by shop s.ink" shop is an operand, since the value of --by follows "=". */
static int check_by(const cli_arguments *arguments)
{
    const option_given *by = &arguments->options[OPTION_BY];
    const char *const  *paths = arguments->operands;

    if (!by->given || by->text != NULL || arguments->operand_count < 2 ||
        may_be_sketches(paths[0], arguments) || !may_be_sketches(paths[1], arguments))
        return 0;
    return fail_usage("--by %s: --by takes its column after =, as --by=%s", shown(paths[0]),
                      shown(paths[0]));
}

static int run(const cli_arguments *arguments)
{
    const uint8_t *secret;
    cli_data       data;
    ink_file      *file;

    TRY(check(arguments));
    TRY(check_by(arguments));
    TRY(secret_read(arguments, &secret));
    TRY(sketches_open(&file, arguments->operands[0], arguments));
    int code = arguments->options[OPTION_ASK].given ? keys_fit(arguments, file, true) : 0;
    if (code == 0)
        code = data_asked(&data, arguments);
    if (code == 0) {
        code = ask(arguments, file, &data, secret);
        data_end(&data);
    }
    ink_file_close(file);
    return code;
}

const cli_command command_filter = {
    .group = "ask",
    .name = "filter",
    .operands = "SKETCHES [FILE...]",
    .summary = "print the records whose key may be in the set",
    .about = "Prints the records whose key may be in the set, in input order. There are no false "
             "negatives; false positives pass at the filter's rate. Records are read in the same "
             "way as when the filter was built. If the sketches have groups, the groups that "
             "may contain its key are printed with each record: in a column of CSV, TSV and other "
             "fields, in a member of JSON objects, else after a tab.",
    .offers = OFFERS(
        OFFER(INVERT), OFFER(COUNT), OFFER(ASK), OFFER(KIND), OFFER(GROUPS), OFFER(NO_GROUPS),
        OFFER(GROUP_COLUMN), OFFER(LAST), OFFERS_FOREIGN_BESIDE, OFFERS_RECORDS,
        {.id = OPTION_BY,
         .bare = true,
         .about = "test each record against its own group only, named by this column (without "
                  "=COL: the column that the sketches were built with)"},
        OFFER(ROUND), OFFER_AS(SECRET, "the secret that the sketches were built with"),
        OFFER(THREADS), OFFER_AS(OUTPUT, "the file to write (default: standard output)"),
        OFFER(FORCE), OFFERS_RUN,
        OFFER_AS(QUIET, "print nothing, and stop at the first record that passes"),
        OFFER_AS(JSON, "with --count: print one JSON object"),
        OFFER_AS(TSV, "with --count: print fields with tabs between them, under their names")),
    .examples =
        LINES("ink filter words.ink more.txt             # lines that may be in words.txt",
              "ink filter -v words.ink more.txt          # lines that are surely not",
              "ink filter --count words.ink more.txt     # only how many",
              "ink filter -q -e alpha words.ink && echo perhaps",
              "ink filter -e tt0000003 ratings.ink       # which groups may it be in?",
              "ink filter --by ratings.ink ratings.tsv   # each record against its own group"),
    .codes = LINES("0  some record passed", "1  none did"),
    .data_from = 2,
    .run = run,
};
