/* plans.c - what was asked for, filled in as ink build would, and the sketch that it leads to. */
#include "plan/plans.h"

#include "arguments/size_options.h"
#include "report/failure.h"
#include "report/numbers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where nobody says how many keys there are, something must be shown. */
#define KEYS_EXAMPLE 1000000

static ink_status refuse(ink_error *error, const char *format, ...) PRINTF_LIKE(2, 3);

static ink_status refuse(ink_error *error, const char *format, ...)
{
    va_list arguments;

    *error = (ink_error){.status = INK_USAGE};
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return INK_USAGE;
}

static plan_family family_of(const char *kind)
{
    ink_kind_info info = {0};

    ink_kind_describe(kind, &info, NULL);
    if (info.contains)
        return info.sized_by_keys ? PLAN_FILTER : PLAN_CHAIN;
    if (info.keeps_keys)
        return PLAN_KEPT;
    if (info.counts)
        return PLAN_COUNTERS;
    return sizes_kind_has(kind, OPTION_PRECISION) ? PLAN_REGISTERS : PLAN_GROUPS;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static ink_status size_filter(cli_plan *plan, ink_error *error)
{
    plan->params.expected_keys = plan->number;
    ink_status status = ink_plan(&plan->params, &plan->is, error);
    if (status != INK_OK)
        return status;
    plan->bytes = plan->is.bytes;
    plan->rate = plan->is.target_rate > 0 ? plan->is.target_rate : plan->is.promised_rate;
    return INK_OK;
}

/* What a chain takes once it holds the keys. */
static ink_status size_chain(cli_plan *plan, ink_error *error)
{
    ink_status status = ink_plan_filled(&plan->params, plan->number, &plan->is, error);

    if (status != INK_OK)
        return status;
    plan->bytes = plan->is.bytes;
    plan->levels = plan->is.levels;
    plan->rate = plan->is.target_rate;
    return INK_OK;
}

/* With ints as keys the payload of a top is its records alone. */
static ink_status size_kept(cli_plan *plan, ink_error *error)
{
    ink_params      ints = plan->params;
    ink_description without;

    ints.key_type = INK_KEY_INT;
    ink_status status = ink_plan(&ints, &without, error);
    if (status == INK_OK)
        status = ink_plan(&plan->params, &plan->is, error);
    if (status != INK_OK)
        return status;
    plan->bytes = without.bytes_max;
    plan->bytes_max = plan->is.bytes_max;
    return INK_OK;
}

ink_status plan_size(cli_plan *plan, ink_error *error)
{
    switch (plan->family) {
    case PLAN_FILTER:
        return size_filter(plan, error);
    case PLAN_CHAIN:
        return size_chain(plan, error);
    case PLAN_KEPT:
        return size_kept(plan, error);
    default:
        break;
    }
    ink_status status = ink_plan(&plan->params, &plan->is, error);
    plan->bytes = status == INK_OK ? plan->is.bytes_max : 0;
    return status;
}

static double error_of(const cli_plan *plan)
{
    double number = (double)plan->number;

    switch (plan->family) {
    case PLAN_COUNTERS:
        return plan->is.epsilon * number;
    case PLAN_KEPT:
        return number / ((double)plan->is.capacity + 1);
    case PLAN_GROUPS:
    case PLAN_REGISTERS:
        return plan->is.standard_error * number;
    default:
        return 0;
    }
}

double plan_error(const cli_plan *plan)
{
    double error = error_of(plan);

    return error < 0x1p52 ? (double)(uint64_t)(error + 0.5) : error; /* beyond they are whole */
}

/* ---- What was left open ------------------------------------------------------------------- */

/* What the memory goes to: a number, and the more of it, the more bytes. */
typedef enum plan_dial {
    DIAL_KEYS,
    DIAL_RATE,
    DIAL_WIDTH,
    DIAL_CAPACITY,
    DIAL_PRECISION
} plan_dial;

typedef struct plan_bound {
    uint64_t bytes;
    double   rate;
} plan_bound;

/* Rates of three digits, so that what is shown can be typed: number 0 is 0.999, 899 is 0.1, 900 is
 * 0.0999, down to 1e-20. From 0.5 on every filter takes them. */
enum { RATES_A_DECADE = 900, RATE_FIRST = 499, RATE_LAST = 20 * RATES_A_DECADE - 1 };

static unsigned rate_digits(uint64_t number)
{
    return 999 - (unsigned)(number % RATES_A_DECADE);
}

static double rate_at(uint64_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%ue-%" PRIu64, rate_digits(number), 3 + number / RATES_A_DECADE);
    return strtod(text, NULL);
}

static void set_dial(cli_plan *plan, plan_dial dial, uint64_t to)
{
    switch (dial) {
    case DIAL_KEYS:
        plan->number = to;
        break;
    case DIAL_RATE:
        plan->params.false_positive_rate = rate_at(to);
        break;
    case DIAL_WIDTH:
        plan->params.width = to;
        break;
    case DIAL_CAPACITY:
        plan->params.phi = 1 / (double)to;
        break;
    case DIAL_PRECISION:
        plan->params.precision = (uint32_t)to;
        break;
    }
}

static uint64_t dial_first(plan_dial dial)
{
    return dial == DIAL_RATE        ? RATE_FIRST
           : dial == DIAL_PRECISION ? option_of(OPTION_PRECISION)->low
                                    : 1;
}

static uint64_t dial_last(plan_dial dial)
{
    return dial == DIAL_RATE        ? RATE_LAST
           : dial == DIAL_PRECISION ? option_of(OPTION_PRECISION)->high
                                    : UINT64_MAX - 1;
}

static bool is_within(const cli_plan *plan, const plan_bound *bound)
{
    return plan->bytes <= bound->bytes && plan->rate <= bound->rate;
}

static bool can_be(cli_plan *plan, plan_dial dial, uint64_t to, const plan_bound *bound)
{
    ink_error error;

    set_dial(plan, dial, to);
    return plan_size(plan, &error) == INK_OK && is_within(plan, bound);
}

/* Where levels change from bloom to classic a chain at a lower rate is smaller, so that halving
 * alone could stop above the lowest rate: rates of one digit are tried from below first. */
static uint64_t chain_rate_first(cli_plan *plan, const plan_bound *bound)
{
    for (uint64_t to = RATE_LAST; to > RATE_FIRST; to--)
        if (rate_digits(to) % 100 == 0 && can_be(plan, DIAL_RATE, to, bound))
            return to;
    return RATE_FIRST;
}

static ink_status too_little(const cli_plan *plan, const plan_bound *bound, ink_error *error)
{
    char keys[64] = "";

    if (plan->number > 0 && (plan->family == PLAN_FILTER || plan->family == PLAN_CHAIN))
        snprintf(keys, sizeof keys, " of %" PRIu64 " key%s at rate %g", plan->number,
                 plan->number == 1 ? "" : "s", plan->rate);
    if (plan->bytes <= bound->bytes)
        return refuse(error, "bits %" PRIu64 ", expected enough for a key at rate %g",
                      plan->is.bits, bound->rate);
    return refuse(error, "--memory %" PRIu64 ", expected at least %" PRIu64 " bytes for %s%s",
                  bound->bytes, plan->bytes, plan->params.kind, keys);
}

/* Memory that no setting uses up. */
static void note_rest(cli_plan *plan, plan_dial dial, uint64_t memory)
{
    static const char *const words[] = {
        [DIAL_KEYS] = "it takes no more keys",
        [DIAL_RATE] = "it has no lower rate",
        [DIAL_WIDTH] = "it can be no wider",
        [DIAL_CAPACITY] = "it has no larger capacity",
        [DIAL_PRECISION] = "it has no higher precision",
    };
    char takes[32], given[32];

    format_size(takes, sizeof takes, plan->bytes);
    format_size(given, sizeof given, memory);
    snprintf(plan->note, sizeof plan->note, "%s takes %s of the %s: %s", plan->params.kind, takes,
             given, words[dial]);
}

/* Turns the dial as far as the bound allows. */
static ink_status raise_dial(cli_plan *plan, plan_dial dial, const plan_bound *bound,
                             ink_error *error)
{
    uint64_t   low = dial_first(dial), high = dial_last(dial);
    cli_plan   tried = *plan;
    ink_status status;

    set_dial(&tried, dial, low);
    status = plan_size(&tried, error);
    if (status != INK_OK)
        return status;
    if (!is_within(&tried, bound)) {
        plan->needs = tried.bytes > bound->bytes ? tried.bytes : 0;
        return too_little(&tried, bound, error);
    }
    if (dial == DIAL_RATE && plan->family == PLAN_CHAIN)
        low = chain_rate_first(&tried, bound);
    while (low < high) {
        uint64_t middle = high - (high - low) / 2;
        if (can_be(&tried, dial, middle, bound))
            low = middle;
        else
            high = middle - 1;
    }
    set_dial(&tried, dial, low + 1);
    bool is_last = low == dial_last(dial) || plan_size(&tried, error) != INK_OK;
    set_dial(plan, dial, low);
    status = plan_size(plan, error);
    if (status == INK_OK && is_last && plan->bytes < bound->bytes && bound->bytes < UINT64_MAX)
        note_rest(plan, dial, bound->bytes);
    return status;
}

/* Nothing was left open. */
static ink_status check_fit(cli_plan *plan, uint64_t memory, ink_error *error)
{
    ink_status status = plan_size(plan, error);

    if (status != INK_OK || memory == 0 || plan->bytes <= memory)
        return status;
    plan->needs = plan->bytes;
    return refuse(error, "%s needs %" PRIu64 " bytes, expected at most the %" PRIu64 " of --memory",
                  plan->params.kind, plan->bytes, memory);
}

/* ---- Plans -------------------------------------------------------------------------------- */

/* What the library takes where no rate is given. */
static double default_rate(const char *kind)
{
    const ink_params params = {.kind = kind, .expected_keys = 1};
    ink_description  plan = {0};

    ink_plan(&params, &plan, NULL);
    return plan.target_rate;
}

static ink_status make_filter(cli_plan *plan, uint64_t memory, ink_error *error)
{
    if (plan->params.bits != 0 && memory != 0)
        return refuse(error, "--bits and --memory do not go together: the bits decide");
    if (plan->number == 0 && plan->params.bits != 0 && plan->params.false_positive_rate == 0) {
        const plan_bound bound = {UINT64_MAX, default_rate(plan->params.kind)};
        return raise_dial(plan, DIAL_KEYS, &bound, error);
    }
    if (memory != 0 && (plan->number == 0 || plan->params.false_positive_rate == 0)) {
        const plan_bound bound = {memory, 1};
        return raise_dial(plan, plan->number == 0 ? DIAL_KEYS : DIAL_RATE, &bound, error);
    }
    if (plan->number == 0) {
        plan->number = KEYS_EXAMPLE;
        plan->number_is_example = true;
    }
    return check_fit(plan, memory, error);
}

static ink_status make_counters(cli_plan *plan, uint64_t memory, ink_error *error)
{
    const plan_bound bound = {memory, 1};

    if (memory == 0 || plan->params.epsilon != 0 || plan->params.width != 0)
        return check_fit(plan, memory, error);
    if (plan->params.depth == 0) { /* that of the delta */
        ink_status status = plan_size(plan, error);
        if (status != INK_OK)
            return status;
        plan->params.depth = plan->is.depth;
        plan->params.delta = 0;
    }
    return raise_dial(plan, DIAL_WIDTH, &bound, error);
}

static ink_status make_other(cli_plan *plan, plan_dial dial, bool open, uint64_t memory,
                             ink_error *error)
{
    const plan_bound bound = {memory, 1};

    if (memory == 0 || !open)
        return check_fit(plan, memory, error);
    return raise_dial(plan, dial, &bound, error);
}

ink_status plan_make(cli_plan *plan, const ink_params *asked, uint64_t number, uint64_t memory,
                     ink_error *error)
{
    *plan = (cli_plan){.params = *asked, .family = family_of(asked->kind), .number = number};
    switch (plan->family) {
    case PLAN_FILTER:
    case PLAN_CHAIN:
        return make_filter(plan, memory, error);
    case PLAN_COUNTERS:
        return make_counters(plan, memory, error);
    case PLAN_KEPT:
        return make_other(plan, DIAL_CAPACITY, asked->phi == 0 && asked->top_keys == 0, memory,
                          error);
    case PLAN_GROUPS:
        return make_other(plan, DIAL_WIDTH, asked->width == 0, memory, error);
    case PLAN_REGISTERS:
        break;
    }
    return make_other(plan, DIAL_PRECISION, asked->precision == 0, memory, error);
}
