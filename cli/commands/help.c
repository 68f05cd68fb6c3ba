/* help.c - ink help and ink version. */
#include "arguments/kind_names.h"
#include "commands/commands.h"
#include "help/help_pages.h"
#include "help/manual.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/report.h"

#include <stdio.h>

/* Commands, then kinds that are not called like one. */
static const char *topic_words(size_t index, const char **about)
{
    const char *kind = NULL;
    size_t      count = 0;

    for (; command_at(count) != NULL; count++) {
        if (count != index)
            continue;
        if (about != NULL)
            *about = command_at(count)->summary;
        return command_at(count)->name;
    }
    for (size_t i = 0; (kind = kind_words(i, about)) != NULL; i++)
        if (command_known(kind) == NULL && count++ == index)
            break;
    return kind;
}

static const char *topic_word(size_t index)
{
    return topic_words(index, NULL);
}

static int unknown_topic(const char *name)
{
    const char *meant = nearest_word(name, topic_word);

    if (meant != NULL)
        return fail_usage("", "no command or kind %s, did you mean %s", shown(name), meant);
    return fail_usage("", "no command or kind %s", shown(name));
}

static int print_manual(const char *name)
{
    const cli_command *command = name == NULL ? NULL : command_known(name);

    if (name == NULL)
        manual_overview();
    else if (command != NULL)
        manual_command(command);
    else if (is_kind(name))
        return fail_usage("help", "no manual of kind %s alone, expected a command, or none", name);
    else
        return unknown_topic(name);
    return 0;
}

static int run_help(const cli_arguments *arguments)
{
    const char *name = arguments->operand_count == 0 ? NULL : arguments->operands[0];

    if (arguments->operand_count > 1)
        return fail_usage("help", "%zu commands, expected one", arguments->operand_count);
    if (arguments->options[OPTION_MAN].given)
        return print_manual(name);
    if (name == NULL) {
        help_overview();
        return 0;
    }
    const cli_command *command = command_known(name);
    if (command == NULL && !is_kind(name))
        return unknown_topic(name);
    if (command != NULL)
        help_command(command);
    if (is_kind(name)) { /* top is both */
        out_text(command != NULL ? "\n" : "");
        help_kind(name);
    }
    return 0;
}

/* A size of caches, in their units. */
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
               tuning->caches_known ? "" : ", assumed: the system does not tell");
    out_format("fetched ahead  sketches from %s on, %u keys ahead",
               in_units(a, sizeof a, tuning->prefetch_from_bytes), tuning->prefetch_keys);
    if (tuning->far_from_bytes != 0)
        out_format("; from %s on %u keys ahead, into the second cache",
                   in_units(a, sizeof a, tuning->far_from_bytes), tuning->far_keys);
    out_format("\nhuge pages     asked for by sketches from %s on\n",
               in_units(a, sizeof a, tuning->huge_from_bytes));
    out_format("sorted first   many keys for a filter from %s on\n",
               in_units(a, sizeof a, tuning->sort_from_bytes));
    out_format("threads        fill sketches of their own up to %s, then ranges of one\n",
               in_units(a, sizeof a, tuning->private_to_bytes));
}

static const cli_column version_columns[] = {
    {"version", NULL, COLUMN_TEXT},          {"instructions", NULL, COLUMN_TEXT},
    {"l1_bytes", NULL, COLUMN_COUNT},        {"l2_bytes", NULL, COLUMN_COUNT},
    {"caches_known", NULL, COLUMN_OK},       {"prefetch_from_bytes", NULL, COLUMN_COUNT},
    {"prefetch_keys", NULL, COLUMN_COUNT},   {"far_from_bytes", NULL, COLUMN_COUNT},
    {"far_keys", NULL, COLUMN_COUNT},        {"huge_from_bytes", NULL, COLUMN_COUNT},
    {"sort_from_bytes", NULL, COLUMN_COUNT}, {"private_to_bytes", NULL, COLUMN_COUNT},
};
enum { VERSION_COLUMNS = sizeof version_columns / sizeof version_columns[0] };

static void print_version_row(report_form form, const ink_tuning *tuning)
{
    cli_cell   cells[VERSION_COLUMNS] = {[0] = cell_text(ink_version())};
    cli_report report;

    if (tuning != NULL) {
        cells[1] = cell_text(tuning->instructions);
        cells[2] = cell_count(tuning->l1_bytes);
        cells[3] = cell_count(tuning->l2_bytes);
        cells[4] = cell_ok(tuning->caches_known, "");
        cells[5] = cell_count(tuning->prefetch_from_bytes);
        cells[6] = cell_count(tuning->prefetch_keys);
        cells[7] = cell_count_if(tuning->far_from_bytes);
        cells[8] = cell_count_if(tuning->far_keys);
        cells[9] = cell_count(tuning->huge_from_bytes);
        cells[10] = cell_count(tuning->sort_from_bytes);
        cells[11] = cell_count(tuning->private_to_bytes);
    }
    report_begin(&report, form, version_columns, tuning == NULL ? 1 : VERSION_COLUMNS);
    report_row(&report, cells);
    report_end(&report, false);
}

static int run_version(const cli_arguments *arguments)
{
    bool        tuned = arguments->options[OPTION_TUNING].given;
    report_form form = report_form_of(arguments);
    ink_tuning  tuning;
    ink_error   error;

    if (arguments->operand_count > 0)
        return fail_usage("version", "%s behind version, expected nothing",
                          shown(arguments->operands[0]));
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

static const cli_offer help_offers[] = {
    {.id = OPTION_MAN},
    {.id = OPTION_END},
};
static const cli_offer version_offers[] = {
    {.id = OPTION_TUNING},
    {.id = OPTION_JSON, .about = "print one JSON object"},
    {.id = OPTION_TSV},
    {.id = OPTION_END},
};

static const char *const help_examples[] = {
    "ink help build",
    "ink help hll                         # a kind of sketch",
    "ink help --man build > ink-build.1   # the manual page",
    NULL,
};
static const char *const version_examples[] = {
    "ink version",
    "ink version --tuning                 # which instruction set, which sizes",
    "INK_CPU=scalar ink version --tuning --json",
    NULL,
};
static const char *const codes[] = {"0  done", NULL};

const cli_command command_help = {
    .name = "help",
    .operands = "[COMMAND|KIND]",
    .summary = "this list, or all about a command or a kind of sketch",
    .about = "Prints the list of commands, or what a command does with all its options, or what a "
             "kind of sketch answers and how large it is. With --man it prints the manual page of "
             "ink, or of a command.",
    .offers = help_offers,
    .examples = help_examples,
    .codes = codes,
    .words = topic_words,
    .run = run_help,
};

const cli_command command_version = {
    .name = "version",
    .operands = "",
    .summary = "the version of the library that runs",
    .about = "Prints the version of the library that runs. With --tuning it also prints what was "
             "chosen for this machine: the instruction set, which INK_CPU can name too, and the "
             "sizes from which on work is done another way, which follow from the caches of a "
             "core. These choices make ink fast, and change no result.",
    .offers = version_offers,
    .examples = version_examples,
    .codes = codes,
    .run = run_version,
};
