/* plan.c - ink plan: sizes, rates and errors before any data is read. */
#include "arguments/kind_params.h"
#include "commands/commands.h"
#include "options/kind_texts.h"
#include "options/quantities.h"
#include "plan/dedup_plan.h"
#include "plan/plans.h"
#include "plan/tradeoff.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

/* Text has no bits, which the size gives; no bytes_max, which a note gives; and no question, which
 * stands above the table. */
/* clang-format off */
#define COLUMNS(X)                                                                                 \
    X("kind", "kind", TEXT, cell_text(d->kind))                                                    \
    X("keys", "keys", COUNT, cell_count_if(of_records ? 0 : plan->number))                         \
    X("rate", "rate", RATE, cell_real_if(plan->rate))                                              \
    X("bytes", "size", SIZE, cell_count(plan->bytes))                                              \
    X("bits_per_key", "bits/key", RATIO, cell_real_if(bits_per_key))                               \
    X("hashes", "hashes", COUNT, cell_count_if(d->hashes))                                         \
    X("promised_rate", "promised", RATE, cell_real_if(promised))                                   \
    X("bits", NULL, COUNT, cell_count_if(d->bits))                                                 \
    X("levels", "levels", COUNT, cell_count_if(plan->levels))                                      \
    X("records", "records", COUNT, cell_count_if(of_records ? plan->number : 0))                   \
    X("epsilon", "eps", RATE, cell_real_if(d->epsilon))                                            \
    X("delta", "delta", RATE, cell_real_if(d->delta))                                              \
    X("width", "width", COUNT, cell_count_if(d->width))                                            \
    X("depth", "depth", COUNT, cell_count_if(d->depth))                                            \
    X("counter_bits", "counters", COUNT, cell_count_if(d->counter_bits))                           \
    X("capacity", "capacity", COUNT, cell_count_if(d->capacity))                                   \
    X("phi", "phi", RATE, cell_real_if(d->phi))                                                    \
    X("bytes_max", NULL, SIZE, cell_count_if(plan->bytes_max))                                     \
    X("precision", "precision", COUNT, cell_count_if(d->precision))                                \
    X("standard_error", "std error", RATE, cell_real_if(d->standard_error))                        \
    X("error", "error", WHOLE, error)                                                              \
    X("question", NULL, TEXT, cell_text(question_of(d->kind)))                                     \
    X("meaning", "", TEXT, cell_text(meaning))
/* clang-format on */
static const cli_column columns[] = {COLUMNS(COLUMN_IS)};

static const char *question_of(const char *kind)
{
    const char *command;

    return kind_question(kind, 0, &command);
}

static void add_row(cli_report *report, const cli_plan *plan)
{
    const ink_description *d = &plan->is;
    bool                   filter = plan->family == PLAN_FILTER || plan->family == PLAN_CHAIN;
    bool                   of_records = plan->family == PLAN_COUNTERS || plan->family == PLAN_KEPT;
    double                 bits_per_key = plan->family == PLAN_CHAIN
                                              ? 8 * (double)plan->bytes / (double)plan->number
                                              : d->bits_per_key;
    double   promised = filter && d->promised_rate != plan->rate ? d->promised_rate : 0;
    cli_cell error = plan->number > 0 && !filter ? cell_real(plan_error(plan)) : NO_CELL;
    char     meaning[PLAN_MEANING_BYTES];

    plan_meaning(meaning, plan);
    const cli_cell cells[] = {COLUMNS(COLUMN_CELL)};
    report_row(report, cells);
}

/* Text has a table for each question, with the columns that apply. */
static void print_table(const cli_plan *plans, size_t count, const char *question, bool *any)
{
    cli_report report;

    report_begin(&report, REPORT_TEXT, columns, COUNT_OF(columns));
    for (size_t i = 0; i < count; i++)
        if (strcmp(question_of(plans[i].params.kind), question) == 0)
            add_row(&report, &plans[i]);
    if (report.row_count > 0) {
        out_format("%s%s\n", *any ? "\n" : "", question);
        *any = true;
    }
    report_end(&report);
}

/* A top keeps the bytes of its keys, too. */
static void note_keys(const cli_plan *plan)
{
    char most[32];

    format_size(most, sizeof most, plan->bytes_max);
    out_format("%s: the bytes of the %" PRIu64
               " keys that it keeps come on top; with 1 KiB each it "
               "takes %s\n",
               plan->params.kind, 2 * plan->is.capacity, most);
}

static bool is_made_whole(const cli_plan *plan)
{
    return kind_info(plan->params.kind).made_whole != 0;
}

/* What a sketch that is made of all of its keys at once cannot do, and what making it takes. */
static void note_whole(const cli_plan *plan)
{
    char bytes[32];

    format_size(bytes, sizeof bytes, plan->bytes + sizeof(uint64_t) * plan->number);
    out_format(
        "%s never changes: no add, no merge; making it takes %s, and 8 bytes for each record "
        "that is read\n",
        plan->params.kind, bytes);
}

static void print_notes(const cli_plan *plans, size_t count)
{
    const cli_plan *example = NULL;
    bool            any = false;

    for (size_t i = 0; i < count; i++) {
        if (plans[i].number_is_example)
            example = &plans[i];
        any |= plans[i].number_is_example || plans[i].note[0] != '\0' ||
               plans[i].family == PLAN_KEPT || is_made_whole(&plans[i]);
    }
    if (any)
        out_text("\n");
    if (example != NULL)
        out_format("%" PRIu64 " keys are an example; -n sets how many are expected\n",
                   example->number);
    for (size_t i = 0; i < count; i++) {
        if (plans[i].family == PLAN_KEPT)
            note_keys(&plans[i]);
        if (is_made_whole(&plans[i]))
            note_whole(&plans[i]);
        if (plans[i].note[0] != '\0')
            out_format("%s\n", plans[i].note);
    }
}

static void print_text(const cli_plan *plans, size_t count)
{
    bool any = false;

    for (size_t i = 0; ink_kind_name(i) != NULL; i++) {
        const char *question = question_of(ink_kind_name(i));
        bool        first = true;
        for (size_t before = 0; before < i; before++)
            first &= strcmp(question_of(ink_kind_name(before)), question) != 0;
        if (first)
            print_table(plans, count, question, &any);
    }
    print_notes(plans, count);
    if (count == 1)
        tradeoff_print(&plans[0]);
    else
        tradeoff_compare(plans, count);
}

static void print(const cli_arguments *arguments, const cli_plan *plans, size_t count)
{
    report_form form = report_form_of(arguments);
    cli_report  report;

    if (form == REPORT_TEXT) {
        print_text(plans, count);
        return;
    }
    report_begin(&report, form, columns, COUNT_OF(columns));
    for (size_t i = 0; i < count; i++)
        add_row(&report, &plans[i]);
    report_end(&report);
}

/* Whether an option was given that a kind has. All kinds have a number and a memory. */
static bool is_meant(const cli_arguments *arguments, const char *kind)
{
    bool any = false;

    for (const cli_offer *offer = arguments->command->offers; offer->id != OPTION_END; offer++) {
        if (option_group_of(offer->id) != GROUP_SIZE || !arguments->options[offer->id].given)
            continue;
        if (offer->id == OPTION_KEYS || offer->id == OPTION_MEMORY ||
            sizes_kind_has(kind, offer->id))
            return true;
        any = true;
    }
    return !any;
}

static int choose_kinds(const cli_arguments *arguments, ink_params kinds[KINDS_MAX],
                        size_t *kind_count)
{
    if (arguments->operand_count > 1)
        return fail_usage("%zu operands, expected kinds as bloom,hll", arguments->operand_count);
    if (arguments->operand_count == 1)
        return kinds_read(arguments->operands[0], kinds, kind_count);
    *kind_count = 0;
    for (size_t i = 0; ink_kind_name(i) != NULL && *kind_count < KINDS_MAX; i++)
        if (is_meant(arguments, ink_kind_name(i)))
            kinds[(*kind_count)++] = (ink_params){.kind = ink_kind_name(i)};
    return 0;
}

/* A kind that cannot be planned, and why. */
typedef struct plan_refusal {
    const char *kind;
    uint64_t    needs; /* bytes, where the memory is too little; else 0 */
    ink_error   error;
} plan_refusal;

static const char *spoken(const plan_refusal *refusal)
{
    static char text[2 * INK_MESSAGE_BYTES];

    options_text(&refusal->error, text, sizeof text);
    return text;
}

/* No kind is left: one line, about the kind that needs the least memory. */
static int fail_all(const plan_refusal *refusals, size_t count)
{
    const plan_refusal *least = &refusals[0];

    if (count == 1)
        return fail_error(NULL, &least->error);
    for (size_t i = 1; i < count; i++)
        if (refusals[i].needs > 0 && (least->needs == 0 || refusals[i].needs < least->needs))
            least = &refusals[i];
    if (least->needs == 0)
        return fail(CODE_USAGE, "no kind is left: %s", spoken(least));
    return fail(CODE_USAGE, "no kind fits, not even %s: %s", least->kind, spoken(least));
}

static int plan_kinds(const cli_arguments *arguments)
{
    ink_params    kinds[KINDS_MAX];
    cli_plan      plans[KINDS_MAX];
    plan_refusal  refusals[KINDS_MAX];
    size_t        kind_count, count = 0, refused = 0;
    uint64_t      number = arguments->options[OPTION_KEYS].number;
    uint64_t      memory = arguments->options[OPTION_MEMORY].number;
    cli_arguments sizes = *arguments;

    TRY(plan_refuse_levels(arguments));
    sizes.options[OPTION_KEYS].given = false; /* here all kinds take it */
    TRY(choose_kinds(arguments, kinds, &kind_count));
    TRY(sizes_set(&sizes, kinds, kind_count));
    for (size_t i = 0; i < kind_count; i++) {
        plan_refusal *refusal = &refusals[refused];
        if (plan_make(&plans[count], &kinds[i], number, memory, &refusal->error) == INK_OK) {
            count++;
            continue;
        }
        refusal->kind = kinds[i].kind;
        refusal->needs = plans[count].needs;
        refused++;
    }
    if (count == 0)
        return fail_all(refusals, refused);
    for (size_t i = 0; i < refused; i++)
        say("%s is left out: %s", refusals[i].kind, spoken(&refusals[i]));
    print(arguments, plans, count);
    return 0;
}

static int run(const cli_arguments *arguments)
{
    return plan_is_dedup(arguments) ? plan_dedup(arguments) : plan_kinds(arguments);
}

const cli_command command_plan = {
    .group = "make",
    .name = "plan",
    .operands = "[KIND[,KIND...]] | dedup [FILE|DIR...]",
    .summary = "sizes and errors before any data is read",
    .about =
        "Prints the size of a sketch of each kind, and the error of its answers. It takes the "
        "size options of ink build, or a memory limit. It reads no data. "
        "ink plan dedup prints what ink dedup will take, at each level: for -n different texts, or "
        "for what samples of the files show, as if none of them repeated.",
    .offers = OFFERS(
        OFFER_AS(KEYS, "how many different keys are expected; count-min and top: how many records"),
        OFFERS_SIZES,
        {.id = OPTION_MEMORY,
         .about =
             "find the best sketch that fits into SIZE, such as 64M: its rate, its number of keys "
             "or its error, whichever no other option gives",
         .low = 1},
        OFFER(EXACT), OFFER(PARAGRAPHS), OFFER(NGRAMS), OFFER(NGRAM_BYTES), OFFER(NEAR),
        OFFER(TEXT), OFFER_AS(IN, "what documents are: jsonl, lines or nul"), OFFER(THREADS),
        OFFERS_FORMS),
    .examples =
        LINES("ink plan", "ink plan bloom -n 1e9 -p 0.001",
              "ink plan bloom -p 0.001 --memory 1G     # how many keys fit",
              "ink plan --memory 64M -n 1e8",
              "ink plan count-min --memory 1M -n 1e9   # how far off a count may be",
              "ink plan bloom,classic -n 1e6 --json", "ink plan dedup --exact --ngrams 13 crawl/",
              "ink plan dedup --near 0.8 -n 1e8"),
    .codes = LINES("0  there is a plan"),
    .words = kind_words,
    .suggestions_join = true,
    .run = run,
};
