/* verify.c - ink verify: measure rates and errors against the true data. */
#include "arguments/arguments.h"
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define COLUMNS(X)                                                                                 \
    X("kind", "kind", TEXT, cell_text(v->kind))                                                    \
    X("group", "group", LABEL, cell_group(&v->label))                                              \
    X("slot", "slot", SLOT, cell_slot(&v->label))                                                  \
    X("tested", "tested", COUNT, cell_count(v->tested))                                            \
    X("false_positives", "false pos.", COUNT, false_positives)                                     \
    X("rate", "measured", RATE, filter ? cell_real(v->rate) : NO_CELL)                             \
    X("low", "95% low", RATE, filter ? cell_real(v->low) : NO_CELL)                                \
    X("high", "95% high", RATE, filter ? cell_real(v->high) : NO_CELL)                             \
    X("target", "target", RATE, filter ? cell_real_if(v->target) : NO_CELL)                        \
    X("promised", "promised", RATE, filter ? cell_real_if(v->promised) : NO_CELL)                  \
    X("current", "current", RATE, filter ? cell_real(v->current) : NO_CELL)                        \
    X("denied", "denied", COUNT, filter ? seen(v->denied) : NO_CELL)                               \
    X("wrong", "wrong", COUNT, filter ? NO_CELL : cell_count(v->wrong))                            \
    X("missed", "missed", COUNT, filter ? NO_CELL : seen(v->missed))                               \
    X("error", "error", RATE, filter ? NO_CELL : cell_real(v->error))                              \
    X("bound", "bound", RATE, filter ? NO_CELL : cell_real(v->bound))                              \
    X("ok", "", OK, cell_ok(v->ok, why_not(v)))
/* clang-format on */
static const cli_column columns[] = {COLUMNS(COLUMN_IS)};

static const char *why_not(const ink_verify_result *v)
{
    if (v->membership)
        return v->denied > 0 ? "denies members" : "above promise";
    return v->missed > 0 ? "misses keys" : "beyond its bounds";
}

static void print_result(cli_report *report, const ink_verify_result *v)
{
    bool     filter = v->membership;
    cli_cell false_positives = filter ? cell_count(v->false_positives) : NO_CELL;
    /* In text these columns appear only if a count is not 0. */
    cli_cell (*seen)(uint64_t) = report->form == REPORT_TEXT ? cell_count_if : cell_count;
    const cli_cell cells[] = {COLUMNS(COLUMN_CELL)};

    report_row(report, cells);
}

/* The false positives of all filters together, and the power of the test. */
static void print_false_positives(const ink_verification_summary *all, const char *before)
{
    out_format("%s %" PRIu64 " false positives in %" PRIu64
               " tests, %.0f promised, broken above %.0f",
               before, all->false_positives, all->tested, all->expected, all->limit);
    if (all->random)
        out_text("; non-members are random keys");
    if (all->sampled)
        out_text("; a sample of the keys");
    if (all->power < 0.999)
        out_format("; 10 %% more would be noticed with chance %.2f", all->power);
}

/* The last line: the result for all sketches. `beyond` is the number of sketches, not filters, that
 * exceed their bounds. */
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
    } else if (all->members == 0 && all->filters > 0) {
        out_format("%s no members to find", before);
        before = ",";
    }
    if (all->expected > 0)
        print_false_positives(all, before);
    else if (all->filters > 0)
        out_format("%s no key to test that is not a member", before);
    out_text("\n");
}

int verify_print(const cli_arguments *arguments, const ink_verification *verification)
{
    ink_verification_summary all;
    cli_report               report;
    ink_verify_result        result;
    const char              *kind = NULL; /* text has a table for each */
    uint64_t                 beyond = 0;
    ink_error                error;

    ink_verification_summarise(verification, &all);
    if (arguments->options[OPTION_QUIET].given)
        return all.ok ? CODE_YES : CODE_NO;
    report_begin(&report, report_form_of(arguments), columns, COUNT_OF(columns));
    for (size_t i = 0; i < ink_verification_count(verification); i++) {
        if (ink_verification_row(verification, i, &result, &error) != INK_OK) {
            report_drop(&report);
            return fail_error(NULL, &error);
        }
        if (report.form == REPORT_TEXT && kind != NULL && strcmp(kind, result.kind) != 0) {
            report_end(&report);
            out_text("\n");
            report_begin(&report, REPORT_TEXT, columns, COUNT_OF(columns));
        }
        kind = result.kind;
        beyond += !result.membership && !result.ok;
        print_result(&report, &result);
    }
    report_end(&report);
    if (report.form == REPORT_TEXT)
        print_summary(&all, beyond);
    return all.ok ? CODE_YES : CODE_NO;
}

/* The files of --truth, and the operands after the sketch file. */
static int truth_of(const cli_arguments *arguments, cli_data *truth)
{
    size_t       room = arguments->item_count + arguments->operand_count;
    const char **paths = need_memory(NULL, room * sizeof *paths);
    size_t       count = options_list(arguments, OPTION_TRUTH, paths, room);

    for (size_t i = 1; i < arguments->operand_count; i++)
        paths[count++] = arguments->operands[i];
    int code =
        count == 0
            ? fail_usage("verify without --truth, expected --truth FILE (- is standard input)")
            : data_begin(truth, arguments, paths, count);
    free(paths);
    return code;
}

static void absent_of(const cli_arguments *arguments, ink_input **inputs, size_t *input_count)
{
    size_t       room = arguments->item_count;
    const char **paths = need_memory(NULL, room * sizeof *paths);
    size_t       given = options_list(arguments, OPTION_ABSENT, paths, room);
    if (given > 0)
        inputs_of(paths, given, inputs, input_count);
    free(paths);
}

static int verify(const cli_arguments *arguments, const ink_file *file,
                  const ink_verify_options *options, const cli_data *truth)
{
    ink_job           job = progress_job(arguments);
    ink_verification *verification;
    ink_error         error;

    inputs_announce(truth->inputs, truth->input_count);
    inputs_announce(options->absent, options->absent_count);
    if (ink_verify(&verification, file, truth->inputs, truth->input_count, &truth->how, options,
                   &job, &error) != INK_OK)
        return job_fails(&job, arguments->operands[0], &error);
    job_reports_skipped(arguments, &job);
    int code = verify_print(arguments, verification);
    ink_verification_free(verification);
    return code;
}

static int run(const cli_arguments *arguments)
{
    ink_verify_options options = {0};
    ink_input         *absent = NULL;
    cli_data           truth;
    ink_file          *file;

    if (arguments->operand_count == 0)
        return fail_usage("verify without a sketch file");
    TRY(temp_check(arguments));
    TRY(secret_read(arguments, &options.secret));
    TRY(truth_of(arguments, &truth));
    absent_of(arguments, &absent, &options.absent_count);
    options.absent = absent;
    int code = sketches_open(&file, arguments->operands[0], arguments);
    if (code == 0) {
        code = verify(arguments, file, &options, &truth);
        ink_file_close(file);
    }
    data_end(&truth);
    free(absent);
    return code;
}

const cli_command command_verify = {
    .group = "check",
    .name = "verify",
    .operands = "SKETCHES --truth FILE [FILE...]",
    .summary = "measure rates and errors against the true data",
    .about = "Queries the sketches for keys whose true answer is known, and compares their errors "
             "with the promised ones. A filter is tested with its members, and with non-members: "
             "the keys of other groups, those of --absent, or random keys. A group above its "
             "promise is marked; the result is about all groups together.",
    .offers = OFFERS(OFFER(TRUTH), OFFER(ABSENT), OFFERS_FOREIGN_BESIDE, OFFER_FOREIGN_PRECISION,
                     OFFERS_MORE_RECORDS,
                     OFFER_AS(MEMORY, "memory for the true keys, such as 64M (default 1G)"),
                     OFFER(THREADS), OFFER(TEMP), OFFERS_RUN,
                     OFFER_AS(QUIET, "print nothing; the exit code is the result"), OFFERS_FORMS),
    .examples = LINES("ink verify words.ink --truth words.txt        # non-members: random keys",
                      "ink verify words.ink --truth words.txt --absent more.txt",
                      "ink verify ratings.ink --truth ratings.tsv    # non-members: other groups",
                      "ink verify --json count.ink --truth words.txt"),
    .codes = LINES("0  every promise is kept",
                   "1  a true member is denied, or there are more errors than promised"),
    .run = run,
};
