/* plan.c - ink plan: sizes, rates and errors before any data is read. */
#include "commands.h"
#include "failure.h"
#include "help/kinds.h"
#include "output.h"
#include "plan/plans.h"
#include "plan/tradeoff.h"
#include "report.h"
#include "sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows --------------------------------------------------------------------------------- */

enum {
    COLUMN_KIND_,
    COLUMN_KEYS_,
    COLUMN_RATE_,
    COLUMN_BYTES_,
    COLUMN_BITS_PER_KEY_,
    COLUMN_HASHES_,
    COLUMN_PROMISED_,
    COLUMN_BITS_,
    COLUMN_LEVELS_,
    COLUMN_RECORDS_,
    COLUMN_EPSILON_,
    COLUMN_DELTA_,
    COLUMN_WIDTH_,
    COLUMN_DEPTH_,
    COLUMN_COUNTER_BITS_,
    COLUMN_CAPACITY_,
    COLUMN_PHI_,
    COLUMN_BYTES_MAX_,
    COLUMN_PRECISION_,
    COLUMN_STANDARD_ERROR_,
    COLUMN_ERROR_,
    COLUMN_QUESTION_,
    COLUMN_MEANING_,
    COLUMNS_
};

_Static_assert((int)COLUMNS_ <= (int)REPORT_COLUMNS_MAX, "a report has room for the columns");

static const cli_column columns[COLUMNS_] = {
    [COLUMN_KIND_] = {"kind", "kind", COLUMN_TEXT},
    [COLUMN_KEYS_] = {"keys", "keys", COLUMN_COUNT},
    [COLUMN_RATE_] = {"rate", "rate", COLUMN_RATE},
    [COLUMN_BYTES_] = {"bytes", "size", COLUMN_SIZE},
    [COLUMN_BITS_PER_KEY_] = {"bits_per_key", "bits/key", COLUMN_RATIO},
    [COLUMN_HASHES_] = {"hashes", "hashes", COLUMN_COUNT},
    [COLUMN_PROMISED_] = {"promised_rate", "promised", COLUMN_RATE},
    [COLUMN_BITS_] = {"bits", NULL, COLUMN_COUNT}, /* the size tells it */
    [COLUMN_LEVELS_] = {"levels", "levels", COLUMN_COUNT},
    [COLUMN_RECORDS_] = {"records", "records", COLUMN_COUNT},
    [COLUMN_EPSILON_] = {"epsilon", "eps", COLUMN_RATE},
    [COLUMN_DELTA_] = {"delta", "delta", COLUMN_RATE},
    [COLUMN_WIDTH_] = {"width", "width", COLUMN_COUNT},
    [COLUMN_DEPTH_] = {"depth", "depth", COLUMN_COUNT},
    [COLUMN_COUNTER_BITS_] = {"counter_bits", "counters", COLUMN_COUNT},
    [COLUMN_CAPACITY_] = {"capacity", "capacity", COLUMN_COUNT},
    [COLUMN_PHI_] = {"phi", "phi", COLUMN_RATE},
    [COLUMN_BYTES_MAX_] = {"bytes_max", NULL, COLUMN_SIZE}, /* a note tells it */
    [COLUMN_PRECISION_] = {"precision", "precision", COLUMN_COUNT},
    [COLUMN_STANDARD_ERROR_] = {"standard_error", "std error", COLUMN_RATE},
    [COLUMN_ERROR_] = {"error", "error", COLUMN_WHOLE},
    [COLUMN_QUESTION_] = {"question", NULL, COLUMN_TEXT}, /* stands above the table */
    [COLUMN_MEANING_] = {"meaning", "", COLUMN_TEXT},
};

/* e^x - 1, by its series. */
static double growth(double x)
{
    double sum = 0, term = x;

    for (int i = 2; term > 1e-9 * sum; i++) {
        sum += term;
        term *= x / i;
    }
    return sum;
}

static bool is_filter(const cli_plan *plan)
{
    return plan->family == PLAN_FILTER || plan->family == PLAN_CHAIN;
}

static const char *question_of(const char *kind)
{
    const char *command;

    return kind_question(kind, 0, &command);
}

enum { MEANING_BYTES = 160, SHARE_BYTES = 32 };

/* A share in per cent: two digits, or the whole number. */
static void write_share(char text[SHARE_BYTES], double share)
{
    snprintf(text, SHARE_BYTES, share < 0.1 ? "%.2g %%" : "%.0f %%", 100 * share);
}

/* The promised rate is what holds; 1 of 1000 is easier read than 0.1 %. */
static void mean_rate(char text[MEANING_BYTES], double rate)
{
    char digits[SHARE_BYTES];

    if (rate > 0.1) {
        write_share(digits, rate);
        snprintf(text, MEANING_BYTES, "%s of strangers pass", digits);
        return;
    }
    snprintf(digits, sizeof digits, "%.2e", 1 / rate); /* no more digits than the rate has */
    snprintf(text, MEANING_BYTES, "1 of %.0f strangers passes", strtod(digits, NULL));
}

static void mean_count(char text[MEANING_BYTES], const cli_plan *plan)
{
    char error[SHARE_BYTES], chance[SHARE_BYTES];

    write_share(error, plan->is.epsilon);
    write_share(chance, plan->is.delta);
    if (plan->number > 0)
        snprintf(text, MEANING_BYTES, "at most %.0f too high, but for %s of keys", plan_error(plan),
                 chance);
    else
        snprintf(text, MEANING_BYTES, "at most %s of the total too high, but for %s of keys", error,
                 chance);
}

static void mean_distinct(char text[MEANING_BYTES], double deviation)
{
    const double two_sided_95 = 1.959964; /* deviations of a normal distribution */
    char         one[SHARE_BYTES], most[SHARE_BYTES];

    write_share(one, deviation);
    write_share(most, growth(two_sided_95 * deviation));
    snprintf(text, MEANING_BYTES, "%s standard error, 95 %% of answers within %s", one, most);
}

/* What the numbers of a row come to, in a few words. */
static void mean(char text[MEANING_BYTES], const cli_plan *plan)
{
    char share[SHARE_BYTES];

    switch (plan->family) {
    case PLAN_FILTER:
    case PLAN_CHAIN:
        mean_rate(text, plan->is.promised_rate);
        break;
    case PLAN_COUNTERS:
        mean_count(text, plan);
        break;
    case PLAN_KEPT:
        write_share(share, plan->is.phi);
        snprintf(text, MEANING_BYTES, "no key above %s of the total is missed", share);
        break;
    case PLAN_GROUPS:
    case PLAN_REGISTERS:
        mean_distinct(text, plan->is.standard_error);
        break;
    }
}

static void add_row(cli_report *report, const cli_plan *plan)
{
    const ink_description *d = &plan->is;
    bool                   filter = is_filter(plan);
    bool                   of_records = plan->family == PLAN_COUNTERS || plan->family == PLAN_KEPT;
    double                 bits_per_key = plan->family == PLAN_CHAIN
                                              ? 8 * (double)plan->bytes / (double)plan->number
                                              : d->bits_per_key;
    bool                   differs = filter && d->promised_rate != plan->rate;
    char                   meaning[MEANING_BYTES];

    mean(meaning, plan);
    const cli_cell cells[COLUMNS_] = {
        [COLUMN_KIND_] = cell_text(d->kind),
        [COLUMN_KEYS_] = cell_count_if(of_records ? 0 : plan->number),
        [COLUMN_RATE_] = cell_real_if(plan->rate),
        [COLUMN_BYTES_] = cell_count(plan->bytes),
        [COLUMN_BITS_PER_KEY_] = cell_real_if(bits_per_key),
        [COLUMN_HASHES_] = cell_count_if(d->hashes),
        [COLUMN_PROMISED_] = cell_real_if(differs ? d->promised_rate : 0),
        [COLUMN_BITS_] = cell_count_if(d->bits),
        [COLUMN_LEVELS_] = cell_count_if(plan->levels),
        [COLUMN_RECORDS_] = cell_count_if(of_records ? plan->number : 0),
        [COLUMN_EPSILON_] = cell_real_if(d->epsilon),
        [COLUMN_DELTA_] = cell_real_if(d->delta),
        [COLUMN_WIDTH_] = cell_count_if(d->width),
        [COLUMN_DEPTH_] = cell_count_if(d->depth),
        [COLUMN_COUNTER_BITS_] = cell_count_if(d->counter_bits),
        [COLUMN_CAPACITY_] = cell_count_if(d->capacity),
        [COLUMN_PHI_] = cell_real_if(d->phi),
        [COLUMN_BYTES_MAX_] = cell_count_if(plan->bytes_max),
        [COLUMN_PRECISION_] = cell_count_if(d->precision),
        [COLUMN_STANDARD_ERROR_] = cell_real_if(d->standard_error),
        [COLUMN_ERROR_] = plan->number > 0 && !filter ? cell_real(plan_error(plan)) : (cli_cell){0},
        [COLUMN_QUESTION_] = cell_text(question_of(d->kind)),
        [COLUMN_MEANING_] = cell_text(meaning),
    };
    report_row(report, cells);
}

/* ---- Tables ------------------------------------------------------------------------------- */

/* People get a table for each question, with the columns that it has. */
static void print_table(const cli_plan *plans, size_t count, const char *question, bool *any)
{
    cli_report report;

    report_begin(&report, REPORT_TEXT, columns, COLUMNS_);
    for (size_t i = 0; i < count; i++)
        if (strcmp(question_of(plans[i].params.kind), question) == 0)
            add_row(&report, &plans[i]);
    if (report.row_count > 0) {
        out_format("%s%s\n", *any ? "\n" : "", question);
        *any = true;
    }
    report_end(&report, false);
}

/* What a top keeps besides its records. */
static void note_keys(const cli_plan *plan)
{
    char most[32];

    format_size(most, sizeof most, plan->bytes_max);
    out_format("%s: the bytes of the %" PRIu64
               " keys that it keeps come on top; with 1 KiB each it "
               "takes %s\n",
               plan->params.kind, 2 * plan->is.capacity, most);
}

static void print_notes(const cli_plan *plans, size_t count)
{
    const cli_plan *example = NULL;
    bool            any = false;

    for (size_t i = 0; i < count; i++) {
        if (plans[i].number_is_example)
            example = &plans[i];
        any |=
            plans[i].number_is_example || plans[i].note[0] != '\0' || plans[i].family == PLAN_KEPT;
    }
    if (any)
        out_text("\n");
    if (example != NULL)
        out_format("%" PRIu64 " keys are an example; -n tells how many will come\n",
                   example->number);
    for (size_t i = 0; i < count; i++) {
        if (plans[i].family == PLAN_KEPT)
            note_keys(&plans[i]);
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
    report_begin(&report, form, columns, COLUMNS_);
    for (size_t i = 0; i < count; i++)
        add_row(&report, &plans[i]);
    report_end(&report, false);
}

/* ---- The command -------------------------------------------------------------------------- */

/* Whether an option was given that a kind has. A number or a memory is something to all. */
static bool is_meant(const cli_arguments *arguments, const char *kind)
{
    bool any = false;

    for (const cli_offer *offer = arguments->command->offers; offer->id != OPTION_END; offer++) {
        if (option_of(offer->id)->group != GROUP_SIZE || !arguments->options[offer->id].given)
            continue;
        if (offer->id == OPTION_KEYS || offer->id == OPTION_MEMORY ||
            sizes_kind_has(kind, offer->id))
            return true;
        any = true;
    }
    return !any;
}

static int choose_kinds(const cli_arguments *arguments, ink_params kinds[SIZES_KINDS_MAX],
                        size_t *kind_count)
{
    if (arguments->operand_count > 1)
        return fail_usage("plan", "%zu operands, expected kinds as bloom,hll",
                          arguments->operand_count);
    if (arguments->operand_count == 1)
        return sizes_kinds(arguments, arguments->operands[0], kinds, kind_count);
    *kind_count = 0;
    for (size_t i = 0; ink_kind_name(i) != NULL && *kind_count < SIZES_KINDS_MAX; i++)
        if (is_meant(arguments, ink_kind_name(i)))
            kinds[(*kind_count)++] = (ink_params){.kind = ink_kind_name(i)};
    return 0;
}

/* A kind that cannot be, and why. */
typedef struct plan_refusal {
    const char *kind;
    uint64_t    needs; /* bytes, where the memory is too little; else 0 */
    ink_error   error;
} plan_refusal;

static const char *spoken(const plan_refusal *refusal)
{
    static char text[2 * INK_SENTENCE_BYTES];

    options_speak(text, sizeof text, refusal->error.sentence);
    return text;
}

/* Among several kinds those that cannot be are told and left out. */
static void tell_left_out(const plan_refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        say("%s is left out: %s", refusals[i].kind, spoken(&refusals[i]));
}

/* Nothing is left: one line, about the kind that would do with the least memory. */
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

static int run(const cli_arguments *arguments)
{
    ink_params    kinds[SIZES_KINDS_MAX];
    cli_plan      plans[SIZES_KINDS_MAX];
    plan_refusal  refusals[SIZES_KINDS_MAX];
    size_t        kind_count, count = 0, refused = 0;
    uint64_t      number = arguments->options[OPTION_KEYS].number;
    uint64_t      memory = arguments->options[OPTION_MEMORY].number;
    cli_arguments sizes = *arguments;

    sizes.options[OPTION_KEYS].given = false; /* here it is something to all kinds */
    int code = choose_kinds(arguments, kinds, &kind_count);
    if (code == 0)
        code = sizes_set(&sizes, kinds, kind_count);
    if (code != 0)
        return code;
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
    tell_left_out(refusals, refused);
    print(arguments, plans, count);
    return 0;
}

static const cli_offer offers[] = {
    {.id = OPTION_KEYS, .about = "different keys that will come; count-min and top: records"},
    OFFERS_SIZES,
    {.id = OPTION_MEMORY,
     .about = "the best that fits, as 64M: of what no other option tells",
     .low = 1},
    OFFERS_FORMS,
    {.id = OPTION_END},
};

static const char *const examples[] = {
    "ink plan",
    "ink plan bloom -n 1e9 -p 0.001",
    "ink plan bloom -p 0.001 --memory 1G     # how many keys fit",
    "ink plan --memory 64M -n 1e8",
    "ink plan count-min --memory 1M -n 1e9   # how far off a count may be",
    "ink plan bloom,classic -n 1e6 --json",
    NULL,
};

static const char *const codes[] = {
    "0  there is a plan",
    NULL,
};

const cli_command command_plan = {
    .name = "plan",
    .operands = "[KIND[,KIND...]]",
    .summary = "sizes and errors before any data is read",
    .about =
        "Prints what a sketch of each kind would take and how far its answers may be off, from\n"
        "sizes as ink build takes them or from the memory that there is. It reads no data.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .words = kind_words,
    .words_join = true,
    .run = run,
};
