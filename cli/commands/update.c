/* update.c - ink add and ink remove: change a sketch file, atomically. */
#define _XOPEN_SOURCE 700
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/progress.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool removes(const cli_arguments *arguments)
{
    return arguments->command == &command_remove;
}

/* A line for a terminal; nothing in a script. */
static void notify(const cli_arguments *arguments, const ink_update_report *report,
                   const ink_job *job, double started)
{
    char made[48] = "";

    if (!is_interactive(arguments))
        return;
    if (report->made > 0)
        snprintf(made, sizeof made, " (%" PRIu64 " new)", report->made);
    say("%s: %" PRIu64 " of %" PRIu64 " record%s %s %" PRIu64 " sketch%s%s, in %.2f s",
        shown(arguments->operands[0]), report->changed, job->records, job->records == 1 ? "" : "s",
        removes(arguments) ? "removed from" : "added to", report->sketches,
        report->sketches == 1 ? "" : "es", made, seconds_now() - started);
}

/* A key that is not in the filter; a long one is truncated. */
static void put_key(cli_text *text, const ink_absent_key *absent, const ink_update_report *report)
{
    const size_t known = sizeof absent->key;
    bool         cut = absent->key_bytes > known;
    size_t       bytes = cut ? known : absent->key_bytes;
    cli_text     key = {0};

    if (report->key_columns > 1)
        text_tuple(&key, absent->key, bytes, cut);
    else
        text_bytes(&key, absent->key, bytes);
    text_put(text, key.count == 0 ? "\"\"" : shown_bytes(key.bytes, key.count));
    text_put(text, cut ? "..." : "");
    text_free(&key);
}

/* Names the first absent key, and lists the others: " (3 such records: foo, bar, baz)". */
static int fail_absent(const cli_arguments *arguments, const ink_update_report *report)
{
    const ink_absent_key *first = &report->absent_keys[0];
    cli_text              text = {0};

    if (!arguments->options[OPTION_ASK].given)
        text_format(&text, "%s: line %" PRIu64 ": ", shown_path(first->path), first->line);
    text_put(&text, "key ");
    put_key(&text, first, report);
    text_format(&text, " is not in %s%s%s; nothing was removed",
                report->grouped ? "its group of " : "", shown(arguments->operands[0]),
                first->fewer ? " that often" : "");
    if (report->absent > 1)
        text_format(&text, " (%" PRIu64 " such records:", report->absent);
    for (uint64_t i = 0; report->absent > 1 && i < report->absent && i < INK_ABSENT_KEYS; i++) {
        text_put(&text, i == 0 ? " " : ", ");
        put_key(&text, &report->absent_keys[i], report);
    }
    if (report->absent > 1)
        text_put(&text, report->absent > INK_ABSENT_KEYS ? ", ...)" : ")");
    fail(CODE_NO, "%.*s", (int)text.count, text.bytes);
    text_free(&text);
    return CODE_NO;
}

static int update(const cli_arguments *arguments, const cli_data *data, const uint8_t *secret)
{
    const option_given      *options = arguments->options;
    const char              *path = arguments->operands[0];
    const ink_update_options wanted = {
        .remove = removes(arguments),
        .once = options[OPTION_ONCE].given,
        .max_rate = options[OPTION_MAX_RATE].real,
        .secret = secret,
    };
    double            started = seconds_now();
    ink_job           job = progress_job(arguments);
    ink_update_report report;
    ink_error         error;

    inputs_announce(data->inputs, data->input_count);
    ink_status status = ink_update(path, data->inputs, data->input_count, &data->how, &wanted,
                                   &report, &job, &error);
    if (status == INK_NOT_FOUND && report.absent > 0)
        return fail_absent(arguments, &report);
    if (status != INK_OK)
        return job_fails(&job, NULL, &error);
    job_reports_skipped(arguments, &job);
    if (report.stuck > 0 && !options[OPTION_QUIET].given)
        say("%s: %" PRIu64 " of %" PRIu64
            " keys stay in for good: their counters are full, as after 15 additions",
            shown(arguments->operands[0]), report.stuck, report.changed);
    notify(arguments, &report, &job, started);
    return CODE_YES;
}

static int check_file(const cli_arguments *arguments)
{
    const char *path = arguments->operands[0];
    ink_file   *file;
    ink_error   error;

    if (ink_file_open(&file, path, INK_OPEN_LAZY, NULL, &error) != INK_OK)
        return fail_error(path, &error);
    int code = keys_fit(arguments, file, false);
    ink_file_close(file);
    return code;
}

static int run(const cli_arguments *arguments)
{
    const char    *name = arguments->command->name;
    bool           asks = arguments->options[OPTION_ASK].given;
    const uint8_t *secret;
    cli_data       data;

    if (arguments->operand_count == 0)
        return fail_usage("%s without a sketch file", name);
    if (strcmp(arguments->operands[0], "-") == 0)
        return fail_usage("sketches from standard input, expected a file to change");
    if (asks)
        TRY(keys_check(arguments));
    TRY(secret_read(arguments, &secret));
    if (asks)
        TRY(check_file(arguments));
    TRY(data_asked(&data, arguments));
    int code = update(arguments, &data, secret);
    data_end(&data);
    return code;
}

const cli_command command_add = {
    .group = "make",
    .name = "add",
    .operands = "SKETCHES [FILE...]",
    .summary = "add records to a sketch file",
    .about = "Adds the keys of records to the sketches of a file, each key to those of its group, "
             "and replaces the file. Commands that change the same file run one after the other. "
             "If a filter would exceed its promised rate, nothing is changed.",
    .offers = OFFERS(
        OFFER(ONCE), OFFER_AS(ASK, "add this key, and read no data; may be repeated"),
        OFFERS_MORE_RECORDS, OFFER(MAX_RATE),
        OFFER_AS(MEMORY,
                 "memory for new groups and for what sketches grow by, such as 64M (default 1G)"),
        OFFER(THREADS), OFFERS_RUN, OFFER(QUIET)),
    .examples = LINES("ink add words.ink more.txt", "ink add --max-rate 0.05 words.ink more.txt",
                      "ink add --once -e alpha -e beta counting.ink"),
    .codes = LINES("0  the records are added",
                   "1  a filter would break its promised rate; the file is unchanged"),
    .data_from = 2,
    .run = run,
};

const cli_command command_remove = {
    .group = "make",
    .name = "remove",
    .operands = "SKETCHES [FILE...]",
    .summary = "remove keys from counting filters",
    .about = "Removes keys from counting filters, each once, or as often as its weight says. If "
             "one key is not in its filter, nothing is removed. Remove only keys that were added: "
             "another key may be a false positive, and removing it damages others. A key that was "
             "added 15 times or more cannot be removed, because its counters are full.",
    .offers = OFFERS(OFFER_AS(ASK, "remove this key, and read no data; may be repeated"),
                     OFFERS_MORE_RECORDS, OFFER(THREADS), OFFERS_RUN, OFFER(QUIET)),
    .examples = LINES("ink build counting -n 1e5 -o c2.ink words.txt && ink remove c2.ink gone.txt",
                      "ink remove -e zulu counting.ink || echo it was not in"),
    .codes =
        LINES("0  the keys are removed", "1  a key is not in its filter; the file is unchanged"),
    .data_from = 2,
    .run = run,
};
