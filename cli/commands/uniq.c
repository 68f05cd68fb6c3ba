/* uniq.c - ink uniq: the first record of each key. */
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define COLUMNS(X)                                                                                 \
    X("records", "records", COUNT, cell_count(found->records))                                     \
    X("first", "first", COUNT, cell_count(found->first))                                           \
    X("repeated", "repeated", COUNT, cell_count(found->records - found->first))                    \
    X("lost", "lost", RATIO, cell_real(found->lost))                                               \
    X("lost_high", "lost at most", COUNT, cell_count(found->lost_high))                            \
    X("keys", "planned for", COUNT, cell_count(found->expected_keys))                              \
    X("bytes", "size", SIZE, cell_count(found->bytes))                                             \
    X("current_rate", "current", RATE, cell_real(found->rate))                                     \
    X("seconds", "seconds", SECONDS, cell_real(found->seconds))
/* clang-format on */
static const cli_column columns[] = {COLUMNS(COLUMN_IS)};

static void print_count(const cli_arguments *arguments, const ink_uniq_report *found)
{
    const cli_cell cells[] = {COLUMNS(COLUMN_CELL)};

    report_single(report_form_of(arguments), columns, COUNT_OF(columns), cells);
}

/* Says how many first records may have been mistaken for repeats, unless that is practically
 * impossible. */
static void report_lost(const ink_uniq_report *found, bool invert)
{
    uint64_t repeated = found->records - found->first;
    char     about[64], most[64] = "";

    if (found->lost_high == 0)
        return;
    if (found->lost >= (double)found->lost_high) { /* the filter was full */
        snprintf(about, sizeof about, "up to %" PRIu64, found->lost_high);
    } else if (found->lost < 0.5) { /* no fraction of a record */
        snprintf(about, sizeof about, "at most %" PRIu64, found->lost_high);
        snprintf(most, sizeof most, ", probably none");
    } else {
        snprintf(about, sizeof about, found->lost < 9.95 ? "about %.2g" : "about %.0f",
                 found->lost);
        snprintf(most, sizeof most, " (at most %" PRIu64 ")", found->lost_high);
    }
    if (invert)
        say("%" PRIu64 " of %" PRIu64 " records repeat a key; %s of them may be first ones%s",
            repeated, found->records, about, most);
    else
        say("%" PRIu64 " of %" PRIu64 " records are first ones; %s more may be lost%s",
            found->first, found->records, about, most);
}

static int pass(const cli_arguments *arguments, const cli_data *data, const uint8_t *secret)
{
    const option_given    *options = arguments->options;
    const ink_uniq_options wanted = {
        .expected_keys = options[OPTION_KEYS].number,
        .rate = options[OPTION_RATE].real,
        .seed = options[OPTION_SEED].number,
        .has_seed = options[OPTION_SEED].given,
        .secret = secret,
        .invert = options[OPTION_INVERT].given,
    };
    bool            counts = options[OPTION_COUNT].given;
    ink_job         job = progress_job(arguments);
    ink_uniq_report found;
    ink_error       error;
    cli_target      target;
    int             code;

    TRY(target_begin(&target, options[OPTION_OUTPUT].text, options[OPTION_FORCE].given));
    inputs_announce(data->inputs, data->input_count);
    if (ink_uniq(data->inputs, data->input_count, &data->how, &wanted, counts ? NULL : &target.sink,
                 &found, &job, &error) != INK_OK)
        return target_failed(&target, &code) ? code : job_fails(&job, NULL, &error);
    job_reports_skipped(arguments, &job);
    if (counts)
        print_count(arguments, &found);
    TRY(target_commit(&target));
    if (!counts && !options[OPTION_QUIET].given)
        report_lost(&found, wanted.invert);
    return 0;
}

static int check(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    const char         *path = options[OPTION_OUTPUT].text;

    if ((options[OPTION_JSON].given || options[OPTION_TSV].given) && !options[OPTION_COUNT].given)
        return fail_usage("%s without --count: records are printed as they stand",
                          options[OPTION_JSON].given ? "--json" : "--tsv");
    if (options[OPTION_INVERT].given && options[OPTION_COUNT].given)
        return fail_usage("--invert with --count, which prints no records");
    if (path == NULL || strcmp(path, "-") == 0)
        return 0;
    if (options[OPTION_COUNT].given)
        return fail_usage("--output with --count, which prints no records");
    return target_check(arguments, path, arguments->operands, arguments->operand_count, false);
}

static int run(const cli_arguments *arguments)
{
    const uint8_t *secret;
    cli_data       data;

    TRY(check(arguments));
    TRY(secret_read(arguments, &secret));
    TRY(data_begin(&data, arguments, arguments->operands, arguments->operand_count));
    int code = pass(arguments, &data, secret);
    data_end(&data);
    return code;
}

const cli_command command_uniq = {
    .group = "ask",
    .name = "uniq",
    .operands = "[FILE...]",
    .summary = "print the first record of each key",
    .about = "Prints the first record of each key, in input order, in one pass with fixed memory. "
             "A few first records may be mistaken for repeats, and are lost; a line says how many, "
             "unless it is certain that none is.",
    .offers = OFFERS(
        OFFER_AS(INVERT, "print the records that repeat a key, instead of the first ones"),
        OFFER_AS(COUNT, "print only how many are first ones, repeated, and lost"), OFFERS_RECORDS,
        OFFER(SEED), OFFER(SECRET),
        OFFER_AS(KEYS, "how many different keys to plan for (default: by the size of the files)"),
        OFFER_AS(RATE, "the rate at which first records are mistaken for repeats, with -n keys "
                       "(default 1e-4)"),
        OFFER_AS(MEMORY, "the most memory to take, such as 64M (default 1G; for pipes 64M)"),
        OFFER(THREADS), OFFER_AS(OUTPUT, "the file to write (default: standard output)"),
        OFFER(FORCE), OFFERS_RUN,
        OFFER_AS(QUIET, "do not print how many records may be lost, or were skipped"),
        OFFER_AS(JSON, "with --count: print one JSON object"),
        OFFER_AS(TSV, "with --count: print fields with tabs between them, under their names")),
    .examples = LINES("ink uniq words.txt", "ink uniq --fields --key 1 access.log",
                      "ink uniq -v words.txt | ink uniq    # each key that repeats, once",
                      "cat mon.txt tue.txt | ink uniq --memory 256M > both.txt",
                      "ink uniq --count --json --key user.id events.jsonl.gz"),
    .codes = LINES("0  done"),
    .data_from = 1,
    .run = run,
};
