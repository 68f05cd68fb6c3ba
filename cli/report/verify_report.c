/* verify_report.c - what was found of promises, sketch by sketch and all together, as text, TSV or
 * JSON.
 */
#include "report/verify_report.h"

#include "report/failure.h"
#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum {
    ROW_KIND,
    ROW_GROUP,
    ROW_SLOT,
    ROW_TESTED,
    ROW_FALSE_POSITIVES,
    ROW_RATE,
    ROW_LOW,
    ROW_HIGH,
    ROW_TARGET,
    ROW_PROMISED,
    ROW_CURRENT,
    ROW_DENIED,
    ROW_WRONG,
    ROW_MISSED,
    ROW_ERROR,
    ROW_BOUND,
    ROW_OK,
    ROW_COLUMNS
};

_Static_assert((int)ROW_COLUMNS <= (int)REPORT_COLUMNS_MAX, "a report has room for the columns");

static const cli_column columns[ROW_COLUMNS] = {
    [ROW_KIND] = {"kind", "kind", COLUMN_TEXT},
    [ROW_GROUP] = {"group", "group", COLUMN_LABEL},
    [ROW_SLOT] = {"slot", "slot", COLUMN_SLOT},
    [ROW_TESTED] = {"tested", "tested", COLUMN_COUNT},
    [ROW_FALSE_POSITIVES] = {"false_positives", "false pos.", COLUMN_COUNT},
    [ROW_RATE] = {"rate", "measured", COLUMN_RATE},
    [ROW_LOW] = {"low", "95% low", COLUMN_RATE},
    [ROW_HIGH] = {"high", "95% high", COLUMN_RATE},
    [ROW_TARGET] = {"target", "target", COLUMN_RATE},
    [ROW_PROMISED] = {"promised", "promised", COLUMN_RATE},
    [ROW_CURRENT] = {"current", "current", COLUMN_RATE},
    [ROW_DENIED] = {"denied", "denied", COLUMN_COUNT},
    [ROW_WRONG] = {"wrong", "wrong", COLUMN_COUNT},
    [ROW_MISSED] = {"missed", "missed", COLUMN_COUNT},
    [ROW_ERROR] = {"error", "error", COLUMN_RATE},
    [ROW_BOUND] = {"bound", "bound", COLUMN_RATE},
    [ROW_OK] = {"ok", "", COLUMN_OK},
};

static const char *why_not(const ink_verify_result *v)
{
    if (v->membership)
        return v->denied > 0 ? "denies members" : "above promise";
    return v->missed > 0 ? "misses keys" : "beyond its bounds";
}

static void print_result(cli_report *report, const ink_verify_result *v)
{
    cli_cell cells[ROW_COLUMNS] = {
        [ROW_KIND] = cell_text(v->kind),       [ROW_GROUP] = cell_group(&v->label),
        [ROW_SLOT] = cell_slot(&v->label),     [ROW_TESTED] = cell_count(v->tested),
        [ROW_OK] = cell_ok(v->ok, why_not(v)),
    };

    if (v->membership) {
        cells[ROW_FALSE_POSITIVES] = cell_count(v->false_positives);
        cells[ROW_RATE] = cell_real(v->rate);
        cells[ROW_LOW] = cell_real(v->low);
        cells[ROW_HIGH] = cell_real(v->high);
        cells[ROW_TARGET] = cell_real_if(v->target);
        cells[ROW_PROMISED] = cell_real_if(v->promised);
        cells[ROW_CURRENT] = cell_real(v->current);
        /* People see the column only where there is something to see. */
        cells[ROW_DENIED] =
            report->form == REPORT_TEXT ? cell_count_if(v->denied) : cell_count(v->denied);
    } else {
        cells[ROW_WRONG] = cell_count(v->wrong);
        cells[ROW_MISSED] =
            report->form == REPORT_TEXT ? cell_count_if(v->missed) : cell_count(v->missed);
        cells[ROW_ERROR] = cell_real(v->error);
        cells[ROW_BOUND] = cell_real(v->bound);
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
        out_text("; non-members are random keys");
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

int verify_report_print(const cli_arguments *arguments, const ink_verification *verification)
{
    ink_verification_summary all;
    cli_report               report;
    ink_verify_result        result;
    const char              *kind = NULL; /* people get a table for each */
    uint64_t                 beyond = 0;
    ink_error                error;

    ink_verification_summarise(verification, &all);
    if (arguments->options[OPTION_QUIET].given)
        return all.ok ? CODE_YES : CODE_NO;
    report_begin(&report, report_form_of(arguments), columns, ROW_COLUMNS);
    for (size_t i = 0; i < ink_verification_count(verification); i++) {
        if (ink_verification_row(verification, i, &result, &error) != INK_OK) {
            report_drop(&report);
            return fail_error(NULL, &error);
        }
        if (report.form == REPORT_TEXT && kind != NULL && strcmp(kind, result.kind) != 0) {
            report_end(&report, false);
            out_text("\n");
            report_begin(&report, REPORT_TEXT, columns, ROW_COLUMNS);
        }
        kind = result.kind;
        beyond += !result.membership && !result.ok;
        print_result(&report, &result);
    }
    report_end(&report, false);
    if (report.form == REPORT_TEXT)
        print_summary(&all, beyond);
    return all.ok ? CODE_YES : CODE_NO;
}
