/* version.c - ink version. */
#include "commands/commands.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/report.h"

#include <stdio.h>

/* A size in MiB or KiB. */
static const char *in_units(char *text, size_t room, uint64_t bytes)
{
    bool mib = bytes % (1 << 20) == 0;

    snprintf(text, room, "%llu %s", (unsigned long long)(bytes >> (mib ? 20 : 10)),
             mib ? "MiB" : "KiB");
    return text;
}

static void print_tuning(const ink_tuning *tuning)
{
    char a[32], b[32];

    out_format("instructions   %s\n", tuning->instructions);
    out_format("caches         %s and %s of a core%s\n", in_units(a, sizeof a, tuning->l1_bytes),
               in_units(b, sizeof b, tuning->l2_bytes),
               tuning->caches_known ? "" : ", assumed: the system does not report them");
    out_format("prefetched     sketches from %s on, %u keys ahead",
               in_units(a, sizeof a, tuning->prefetch_from_bytes), tuning->prefetch_keys);
    if (tuning->far_from_bytes != 0)
        out_format("; from %s on %u keys ahead, into the second cache",
                   in_units(a, sizeof a, tuning->far_from_bytes), tuning->far_keys);
    out_format("\nhuge pages     requested by sketches from %s on\n",
               in_units(a, sizeof a, tuning->huge_from_bytes));
    out_format("sorted first   many keys for a filter from %s on\n",
               in_units(a, sizeof a, tuning->sort_from_bytes));
    out_format("threads        fill sketches of their own up to %s, then ranges of one\n",
               in_units(a, sizeof a, tuning->private_to_bytes));
}

/* clang-format off */
#define COLUMNS(X)                                                                                 \
    X("version", NULL, TEXT, cell_text(ink_version()))                                             \
    X("instructions", NULL, TEXT, cell_text(t->instructions))                                      \
    X("l1_bytes", NULL, COUNT, cell_count(t->l1_bytes))                                            \
    X("l2_bytes", NULL, COUNT, cell_count(t->l2_bytes))                                            \
    X("caches_known", NULL, OK, cell_ok(t->caches_known, ""))                                      \
    X("prefetch_from_bytes", NULL, COUNT, cell_count(t->prefetch_from_bytes))                      \
    X("prefetch_keys", NULL, COUNT, cell_count(t->prefetch_keys))                                  \
    X("far_from_bytes", NULL, COUNT, cell_count_if(t->far_from_bytes))                             \
    X("far_keys", NULL, COUNT, cell_count_if(t->far_keys))                                         \
    X("huge_from_bytes", NULL, COUNT, cell_count(t->huge_from_bytes))                              \
    X("sort_from_bytes", NULL, COUNT, cell_count(t->sort_from_bytes))                              \
    X("private_to_bytes", NULL, COUNT, cell_count(t->private_to_bytes))
/* clang-format on */
static const cli_column columns[] = {COLUMNS(COLUMN_IS)};

/* Without `tuning` only the version. */
static void print_version_row(report_form form, const ink_tuning *tuning)
{
    static const ink_tuning none = {.instructions = ""};
    const ink_tuning       *t = tuning == NULL ? &none : tuning;
    const cli_cell          cells[] = {COLUMNS(COLUMN_CELL)};

    report_single(form, columns, tuning == NULL ? 1 : COUNT_OF(columns), cells);
}

static int run(const cli_arguments *arguments)
{
    bool        tuned = arguments->options[OPTION_TUNING].given;
    report_form form = report_form_of(arguments);
    ink_tuning  tuning;
    ink_error   error;

    if (arguments->operand_count > 0)
        return fail_usage("%s after version, expected nothing", shown(arguments->operands[0]));
    if (tuned && ink_tuning_chosen(&tuning, &error) != INK_OK)
        return fail_error(NULL, &error);
    if (form != REPORT_TEXT) {
        print_version_row(form, tuned ? &tuning : NULL);
        return 0;
    }
    out_format("ink %s\n", ink_version());
    if (tuned)
        print_tuning(&tuning);
    return 0;
}

const cli_command command_version = {
    .group = "more",
    .name = "version",
    .operands = "",
    .summary = "the version of the library that runs",
    .about =
        "Prints the version of the library that runs. With --tuning it also prints the settings "
        "for this machine: the instruction set, which INK_CPU overrides, and size thresholds, "
        "which follow from the caches of a core. These settings affect speed, not results.",
    .offers = OFFERS(OFFER(TUNING), OFFER_AS(JSON, "print one JSON object"), OFFER(TSV)),
    .examples = LINES("ink version",
                      "ink version --tuning                 # which instruction set, which sizes",
                      "INK_CPU=scalar ink version --tuning --json"),
    .codes = LINES("0  done"),
    .run = run,
};
