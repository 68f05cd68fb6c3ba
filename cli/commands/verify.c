/* verify.c - ink verify: measure what was promised, against the true data. */
#include "commands.h"
#include "failure.h"
#include "inputs.h"
#include "output.h"
#include "progress.h"
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
    COLUMN_TESTED_,
    COLUMN_FALSE_POSITIVES_,
    COLUMN_RATE_,
    COLUMN_LOW_,
    COLUMN_HIGH_,
    COLUMN_ASKED_,
    COLUMN_PROMISED_,
    COLUMN_PRESENT_,
    COLUMN_DENIED_,
    COLUMN_WRONG_,
    COLUMN_MISSED_,
    COLUMN_ERROR_,
    COLUMN_BOUND_,
    COLUMN_OK_,
    COLUMNS_
};

_Static_assert((int)COLUMNS_ <= (int)REPORT_COLUMNS_MAX, "a report has room for the columns");

static const cli_column columns[COLUMNS_] = {
    [COLUMN_KIND_] = {"kind", "kind", COLUMN_TEXT},
    [COLUMN_GROUP_] = {"group", "group", COLUMN_LABEL},
    [COLUMN_SLOT_] = {"slot", "slot", COLUMN_SLOT},
    [COLUMN_TESTED_] = {"tested", "tested", COLUMN_COUNT},
    [COLUMN_FALSE_POSITIVES_] = {"false_positives", "false pos.", COLUMN_COUNT},
    [COLUMN_RATE_] = {"rate", "measured", COLUMN_RATE},
    [COLUMN_LOW_] = {"low", "95% low", COLUMN_RATE},
    [COLUMN_HIGH_] = {"high", "95% high", COLUMN_RATE},
    [COLUMN_ASKED_] = {"asked", "asked", COLUMN_RATE},
    [COLUMN_PROMISED_] = {"promised", "promised", COLUMN_RATE},
    [COLUMN_PRESENT_] = {"present", "present", COLUMN_RATE},
    [COLUMN_DENIED_] = {"denied", "denied", COLUMN_COUNT},
    [COLUMN_WRONG_] = {"wrong", "wrong", COLUMN_COUNT},
    [COLUMN_MISSED_] = {"missed", "missed", COLUMN_COUNT},
    [COLUMN_ERROR_] = {"error", "error", COLUMN_RATE},
    [COLUMN_BOUND_] = {"bound", "bound", COLUMN_RATE},
    [COLUMN_OK_] = {"ok", "", COLUMN_OK},
};

static const char *why_not(const ink_verdict *v)
{
    if (v->membership)
        return v->denied > 0 ? "denies members" : "above promise";
    return v->missed > 0 ? "misses keys" : "beyond its bounds";
}

static void print_verdict(cli_report *report, const ink_verdict *v)
{
    cli_cell cells[COLUMNS_] = {
        [COLUMN_KIND_] = cell_text(v->kind),       [COLUMN_GROUP_] = cell_group(&v->label),
        [COLUMN_SLOT_] = cell_slot(&v->label),     [COLUMN_TESTED_] = cell_count(v->tested),
        [COLUMN_OK_] = cell_ok(v->ok, why_not(v)),
    };

    if (v->membership) {
        cells[COLUMN_FALSE_POSITIVES_] = cell_count(v->false_positives);
        cells[COLUMN_RATE_] = cell_real(v->rate);
        cells[COLUMN_LOW_] = cell_real(v->low);
        cells[COLUMN_HIGH_] = cell_real(v->high);
        cells[COLUMN_ASKED_] = cell_real_if(v->asked);
        cells[COLUMN_PROMISED_] = cell_real_if(v->promised);
        cells[COLUMN_PRESENT_] = cell_real(v->present);
        /* People see the column only where there is something to see. */
        cells[COLUMN_DENIED_] =
            report->form == REPORT_TEXT ? cell_count_if(v->denied) : cell_count(v->denied);
    } else {
        cells[COLUMN_WRONG_] = cell_count(v->wrong);
        cells[COLUMN_MISSED_] =
            report->form == REPORT_TEXT ? cell_count_if(v->missed) : cell_count(v->missed);
        cells[COLUMN_ERROR_] = cell_real(v->error);
        cells[COLUMN_BOUND_] = cell_real(v->bound);
    }
    report_row(report, cells);
}

/* The false positives of all filters together, and what the test of them is worth. */
static void print_false_positives(const ink_verification_summary *all, const char *before)
{
    out_format("%s %" PRIu64 " false positives in %" PRIu64
               " tests, %.0f promised, broken above %.0f",
               before, all->false_positives, all->tested, all->expected, all->limit);
    if (all->random)
        out_text("; strangers are random keys");
    if (all->sampled)
        out_text("; a sample of the keys");
    if (all->power < 0.999)
        out_format("; 10 %% more would be noticed with chance %.2f", all->power);
}

/* The last line: the verdict for all together. `beyond` sketches of other kinds than filters are
 * beyond their bounds. */
static void print_summary(const ink_verification_summary *all, uint64_t beyond)
{
    bool        colours = may_colour(STDOUT_FILENO);
    const char *before = ":";

    out_format("\n%s%s%s", colours ? (all->ok ? "\033[32m" : "\033[1;31m") : "",
               all->ok ? "kept" : "broken", colours ? "\033[0m" : "");
    if (all->denied > 0) {
        out_format("%s %" PRIu64 " true member%s denied", before, all->denied,
                   all->denied == 1 ? " is" : "s are");
        before = ";";
    }
    if (beyond > 0) {
        out_format("%s %" PRIu64 " sketch%s beyond %s bounds", before, beyond,
                   beyond == 1 ? " is" : "es are", beyond == 1 ? "its" : "their");
        before = ";";
    }
    if (all->members > 0 && all->denied == 0) {
        out_format("%s all %" PRIu64 " members found", before, all->members);
        before = ",";
    }
    if (all->expected > 0)
        print_false_positives(all, before);
    else if (all->filters > 0)
        out_format("%s no key to test that is not a member", before);
    out_text("\n");
}

static int print(const cli_arguments *arguments, const ink_verification *verification)
{
    ink_verification_summary all;
    cli_report               report;
    ink_verdict              verdict;
    const char              *kind = NULL; /* people get a table for each */
    uint64_t                 beyond = 0;
    ink_error                error;

    ink_verification_summarise(verification, &all);
    if (arguments->options[OPTION_QUIET].given)
        return all.ok ? CODE_YES : CODE_NO;
    report_begin(&report, report_form_of(arguments), columns, COLUMNS_);
    for (size_t i = 0; i < ink_verification_count(verification); i++) {
        if (ink_verification_row(verification, i, &verdict, &error) != INK_OK) {
            report_drop(&report);
            return fail_error(NULL, &error);
        }
        if (report.form == REPORT_TEXT && kind != NULL && strcmp(kind, verdict.kind) != 0) {
            report_end(&report, false);
            out_text("\n");
            report_begin(&report, REPORT_TEXT, columns, COLUMNS_);
        }
        kind = verdict.kind;
        beyond += !verdict.membership && !verdict.ok;
        print_verdict(&report, &verdict);
    }
    report_end(&report, false);
    if (report.form == REPORT_TEXT)
        print_summary(&all, beyond);
    return all.ok ? CODE_YES : CODE_NO;
}

/* ---- The command -------------------------------------------------------------------------- */

/* The files of --truth, and those behind the sketch file. */
static int truth_of(const cli_arguments *arguments, ink_input **inputs, size_t *input_count)
{
    size_t given = options_list(arguments, OPTION_TRUTH, NULL, 0);
    size_t rest = arguments->operand_count - 1;

    if (given + rest == 0)
        return fail_usage("verify",
                          "verify without --truth, expected --truth FILE (- is standard input)");
    const char **paths = need_memory(NULL, (given + rest) * sizeof *paths);
    options_list(arguments, OPTION_TRUTH, paths, given);
    for (size_t i = 0; i < rest; i++)
        paths[given + i] = arguments->operands[1 + i];
    int code = inputs_of(arguments, paths, given + rest, inputs, input_count);
    if (code == 0 && strcmp((*inputs)[0].path, "-") == 0 &&
        strcmp(arguments->operands[0], "-") == 0) {
        free(*inputs);
        code = fail_usage("verify", "sketches and truth from standard input, expected a FILE");
    }
    free(paths);
    return code;
}

static int absent_of(const cli_arguments *arguments, ink_input **inputs, size_t *input_count)
{
    size_t given = options_list(arguments, OPTION_ABSENT, NULL, 0);

    *inputs = NULL;
    *input_count = 0;
    if (given == 0)
        return 0;
    const char **paths = need_memory(NULL, given * sizeof *paths);
    options_list(arguments, OPTION_ABSENT, paths, given);
    int code = inputs_of(arguments, paths, given, inputs, input_count);
    free(paths);
    return code;
}

static int verify(const cli_arguments *arguments, const ink_file *file,
                  const ink_verify_options *options, const ink_input *truth, size_t truth_count)
{
    ink_job           job = progress_job(arguments);
    ink_verification *verification;
    cli_reading       reading;
    ink_error         error;

    int code = reading_begin(&reading, arguments);
    if (code != 0)
        return code;
    if (ink_verify(&verification, file, truth, truth_count, &reading.how, options, &job, &error) !=
        INK_OK) {
        code = fail_error(job_blames(&job, arguments->operands[0], &error), &error);
    } else {
        progress_clear();
        job_tells_skipped(&job);
        code = print(arguments, verification);
        ink_verification_free(verification);
    }
    reading_end(&reading);
    return code;
}

static int run(const cli_arguments *arguments)
{
    ink_verify_options options = {0};
    ink_input         *truth = NULL, *absent = NULL;
    size_t             truth_count;
    ink_file          *file;
    uint8_t            secret[INK_SECRET_BYTES];

    if (arguments->operand_count == 0)
        return fail_usage("verify", "verify without a sketch file");
    int code = temp_check(arguments);
    if (code == 0)
        code = secret_read(arguments, secret, &options.secret);
    if (code == 0)
        code = truth_of(arguments, &truth, &truth_count);
    if (code != 0)
        return code;
    code = absent_of(arguments, &absent, &options.absent_count);
    if (code == 0) {
        options.absent = absent;
        code = sketches_open(&file, arguments->operands[0]);
    }
    if (code == 0) {
        code = verify(arguments, file, &options, truth, truth_count);
        ink_file_close(file);
    }
    free(truth);
    free(absent);
    return code;
}

static const cli_offer offers[] = {
    {.id = OPTION_TRUTH},
    {.id = OPTION_ABSENT},
    OFFERS_RECORDS,
    {.id = OPTION_WEIGHT},
    {.id = OPTION_BY, .about = "the column that names the group"},
    {.id = OPTION_ROUND},
    {.id = OPTION_SECRET, .about = "the secret that the sketches were built with"},
    {.id = OPTION_MEMORY, .about = "for the true keys, as 64M (1G)"},
    {.id = OPTION_THREADS},
    {.id = OPTION_TEMP},
    {.id = OPTION_NO_PROGRESS},
    {.id = OPTION_QUIET, .about = "print nothing: the exit code tells"},
    OFFERS_FORMS,
    {.id = OPTION_END},
};

static const char *const examples[] = {
    "ink verify words.ink --truth words.txt        # strangers: random keys",
    "ink verify words.ink --truth words.txt --absent more.txt",
    "ink verify ratings.ink --truth ratings.tsv    # strangers: other groups",
    "ink verify --json count.ink --truth words.txt",
    NULL,
};

static const char *const codes[] = {
    "0  every promise is kept",
    "1  a true member is denied, or there are more errors than promised",
    NULL,
};

const cli_command command_verify = {
    .name = "verify",
    .operands = "SKETCHES --truth FILE [FILE...]",
    .summary = "measure rates and errors against the true data",
    .about =
        "Asks the sketches for keys of which the truth is known, those of other groups, --absent "
        "or random ones, and compares the errors with what was promised. One group above its "
        "promise is marked, all of them together are judged.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .run = run,
};
