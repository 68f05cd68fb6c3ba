/* plans.c - sizes, rates and errors of a sketch before any data is read. */
#include "plan/plans.h"

#include "arguments/kind_params.h"
#include "options/kind_texts.h"
#include "options/quantities.h"
#include "report/failure.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of keys for a plan without one. */
#define KEYS_EXAMPLE 1000000

static PRINTF_LIKE(2, 3) ink_status refuse(ink_error *error, const char *format, ...)
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
    const ink_kind_info info = kind_info(kind);

    if (info.contains)
        return info.sized_by_keys ? PLAN_FILTER : PLAN_CHAIN;
    if (info.keeps_keys)
        return PLAN_KEPT;
    if (info.counts)
        return PLAN_COUNTERS;
    return sizes_kind_has(kind, OPTION_PRECISION) ? PLAN_REGISTERS : PLAN_GROUPS;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

/* With integer keys the payload of a top is its records alone. */
static ink_status size_kept(cli_plan *plan, ink_error *error)
{
    ink_params      ints = plan->params;
    ink_description without;

    ints.key_type = INK_KEY_INT;
    TRY(ink_plan(&ints, &without, error));
    plan->bytes = without.bytes_max;
    plan->bytes_max = plan->is.bytes_max;
    return INK_OK;
}

ink_status plan_size(cli_plan *plan, ink_error *error)
{
    ink_description *is = &plan->is;
    bool             chain = plan->family == PLAN_CHAIN, filter = plan->family == PLAN_FILTER;

    if (filter)
        plan->params.expected_keys = plan->number;
    if (chain)
        TRY(ink_plan_filled(&plan->params, plan->number, is, error));
    else
        TRY(ink_plan(&plan->params, is, error));
    if (plan->family == PLAN_KEPT)
        return size_kept(plan, error);
    plan->bytes = chain || filter ? is->bytes : is->bytes_max;
    plan->levels = chain ? is->levels : 0;
    plan->rate = filter && is->target_rate <= 0 ? is->promised_rate : is->target_rate;
    return INK_OK;
}

double plan_error(const cli_plan *plan)
{
    bool   counters = plan->family == PLAN_COUNTERS;
    double number = (double)plan->number;
    double error = number * (counters ? plan->is.epsilon : plan->is.standard_error);

    if (plan->family == PLAN_KEPT)
        error = number / ((double)plan->is.capacity + 1);
    return error < 0x1p52 ? (double)(uint64_t)(error + 0.5) : error; /* larger ones are whole */
}

/* ---- Parameters that were left out -------------------------------------------------------- */

/* The parameter that the memory sets: the larger its number, the more bytes. */
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

/* Rates of three digits, which can be typed as shown: number 0 is 0.999, 899 is 0.1, 900 is 0.0999,
 * down to 1e-20. Filters take those from 0.5 down, or from a rate above 0.1. */
enum {
    RATES_A_DECADE = 900,
    RATE_FIRST = 499,
    RATE_ALL = 899,
    RATE_LAST = 20 * RATES_A_DECADE - 1
};

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

static void dial_range(plan_dial dial, uint64_t *first, uint64_t *last)
{
    const cli_option *precision = option_of(OPTION_PRECISION);

    *first = dial == DIAL_RATE ? RATE_FIRST : dial == DIAL_PRECISION ? precision->low : 1;
    *last = dial == DIAL_RATE        ? RATE_LAST
            : dial == DIAL_PRECISION ? precision->high
                                     : UINT64_MAX - 1;
}

static bool is_within(const cli_plan *plan, const plan_bound *bound)
{
    return plan->bytes <= bound->bytes && plan->rate <= bound->rate;
}

static bool can_be(cli_plan *plan, plan_dial dial, uint64_t to, const plan_bound *bound)
{
    set_dial(plan, dial, to);
    return plan_size(plan, NULL) == INK_OK && is_within(plan, bound);
}

/* A chain whose levels change from bloom to classic is smaller at a lower rate, so that a binary
 * search could stop above the lowest rate: rates of one digit are tried from below first. */
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
        return refuse(error, "--bits %" PRIu64 ", expected enough for a key at rate %g",
                      plan->is.bits, bound->rate);
    return refuse(error, "--memory %" PRIu64 ", expected at least %" PRIu64 " bytes for %s%s",
                  bound->bytes, plan->bytes, plan->params.kind, keys);
}

/* Notes that no setting uses all of the memory. */
static void note_rest(cli_plan *plan, plan_dial dial, uint64_t memory)
{
    static const char *const reasons[] = {
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
             given, reasons[dial]);
}

/* Finds the largest setting within the bound. */
static ink_status raise_dial(cli_plan *plan, plan_dial dial, const plan_bound *bound,
                             ink_error *error)
{
    cli_plan tried = *plan;
    uint64_t low, high, last;

    dial_range(dial, &low, &last);
    high = last;
    set_dial(&tried, dial, low);
    while (dial == DIAL_RATE && low < RATE_ALL && plan_size(&tried, NULL) != INK_OK)
        set_dial(&tried, dial, ++low);
    TRY(plan_size(&tried, error));
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
    bool is_last = low == last || plan_size(&tried, error) != INK_OK;
    set_dial(plan, dial, low);
    TRY(plan_size(plan, error));
    if (is_last && plan->bytes < bound->bytes && bound->bytes < UINT64_MAX)
        note_rest(plan, dial, bound->bytes);
    return INK_OK;
}

/* All parameters were given. */
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

/* The library's default. */
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
    if (plan->number == 0 && plan->params.bits != 0 && plan->params.false_positive_rate == 0)
        return raise_dial(plan, DIAL_KEYS,
                          &(plan_bound){UINT64_MAX, default_rate(plan->params.kind)}, error);
    if (memory != 0 && (plan->number == 0 || plan->params.false_positive_rate == 0))
        return raise_dial(plan, plan->number == 0 ? DIAL_KEYS : DIAL_RATE, &(plan_bound){memory, 1},
                          error);
    if (plan->number == 0) {
        plan->number = KEYS_EXAMPLE;
        plan->number_is_example = true;
    }
    return check_fit(plan, memory, error);
}

/* Kinds without a rate. */
static ink_status make_other(cli_plan *plan, uint64_t memory, ink_error *error)
{
    static const plan_dial dials[] = {
        [PLAN_COUNTERS] = DIAL_WIDTH,
        [PLAN_KEPT] = DIAL_CAPACITY,
        [PLAN_GROUPS] = DIAL_WIDTH,
        [PLAN_REGISTERS] = DIAL_PRECISION,
    };
    const ink_params *p = &plan->params;

    if (memory == 0 || p->epsilon != 0 || p->width != 0 || p->phi != 0 || p->top_keys != 0 ||
        p->precision != 0)
        return check_fit(plan, memory, error);
    if (plan->family == PLAN_COUNTERS && p->depth == 0) { /* that of the delta */
        TRY(plan_size(plan, error));
        plan->params.depth = plan->is.depth;
        plan->params.delta = 0;
    }
    return raise_dial(plan, dials[plan->family], &(plan_bound){memory, 1}, error);
}

ink_status plan_make(cli_plan *plan, const ink_params *params, uint64_t number, uint64_t memory,
                     ink_error *error)
{
    *plan = (cli_plan){.params = *params, .family = family_of(params->kind), .number = number};
    return plan->family == PLAN_FILTER || plan->family == PLAN_CHAIN
               ? make_filter(plan, memory, error)
               : make_other(plan, memory, error);
}

/* ---- In words ----------------------------------------------------------------------------- */

enum { SHARE_BYTES = 32 };

/* A share in per cent: two digits, or a whole number. */
static void write_share(char text[SHARE_BYTES], double share)
{
    snprintf(text, SHARE_BYTES, share < 0.1 ? "%.2g %%" : "%.0f %%", 100 * share);
}

/* 1 of 1000 reads better than 0.1 %. */
static void mean_rate(char text[PLAN_MEANING_BYTES], double rate)
{
    char digits[SHARE_BYTES];

    if (rate > 0.1) {
        write_share(digits, rate);
        snprintf(text, PLAN_MEANING_BYTES, "%s of non-members pass", digits);
        return;
    }
    snprintf(digits, sizeof digits, "%.2e", 1 / rate); /* no more digits than the rate has */
    snprintf(text, PLAN_MEANING_BYTES, "1 of %.0f non-members passes", strtod(digits, NULL));
}

static void mean_count(char text[PLAN_MEANING_BYTES], const cli_plan *plan)
{
    char error[SHARE_BYTES], chance[SHARE_BYTES];

    write_share(error, plan->is.epsilon);
    write_share(chance, plan->is.delta);
    if (plan->number > 0)
        snprintf(error, sizeof error, "%.0f", plan_error(plan));
    snprintf(text, PLAN_MEANING_BYTES, "at most %s%s too high, but for %s of keys", error,
             plan->number > 0 ? "" : " of the total", chance);
}

static void mean_distinct(char text[PLAN_MEANING_BYTES], double deviation)
{
    const double two_sided_95 = 1.959964; /* deviations of a normal distribution */
    char         one[SHARE_BYTES], most[SHARE_BYTES];

    write_share(one, deviation);
    write_share(most, expm1(two_sided_95 * deviation));
    snprintf(text, PLAN_MEANING_BYTES, "%s standard error, 95 %% of answers within %s", one, most);
}

void plan_meaning(char text[PLAN_MEANING_BYTES], const cli_plan *plan)
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
        snprintf(text, PLAN_MEANING_BYTES, "no key above %s of the total is missed", share);
        break;
    case PLAN_GROUPS:
    case PLAN_REGISTERS:
        mean_distinct(text, plan->is.standard_error);
        break;
    }
}
