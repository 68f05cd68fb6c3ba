/* options.c - 'p=0.001, n=1e6': the options of an aggregate, by the names that the command has for
 * them. Values and what goes together are checked by the library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "options/quantities.h"
#include "sql.h"

#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT_BYTES = 256 << 20, LIST_BYTES = 256 };

/* How the text of a value is read. */
typedef enum reader { WIDE, NARROW, REAL, FLAG, HASH, SEED, HEADROOM, MEMORY } reader;

static const struct option {
    const char *name, *other; /* with another name that the command has for it, or NULL */
    reader      reader;
    size_t      at; /* in ink_params */
} options[] = {
    {"n", "keys", WIDE, offsetof(ink_params, expected_keys)},
    {"p", "rate", REAL, offsetof(ink_params, false_positive_rate)},
    {"eps", NULL, REAL, offsetof(ink_params, epsilon)},
    {"delta", NULL, REAL, offsetof(ink_params, delta)},
    {"phi", NULL, REAL, offsetof(ink_params, phi)},
    {"precision", NULL, NARROW, offsetof(ink_params, precision)},
    {"bits", NULL, WIDE, offsetof(ink_params, bits)},
    {"hashes", NULL, NARROW, offsetof(ink_params, hashes)},
    {"width", NULL, WIDE, offsetof(ink_params, width)},
    {"depth", NULL, NARROW, offsetof(ink_params, depth)},
    {"counters", NULL, NARROW, offsetof(ink_params, counter_bits)},
    {"conservative", NULL, FLAG, offsetof(ink_params, conservative)},
    {"k", "top", NARROW, offsetof(ink_params, top_keys)},
    {"max-rate", NULL, REAL, offsetof(ink_params, max_rate)},
    {"hash", NULL, HASH, offsetof(ink_params, hash)},
    {"seed", NULL, SEED, offsetof(ink_params, seed)},
    {"headroom", NULL, HEADROOM, 0},
    {"memory", NULL, MEMORY, 0},
};

enum { OPTIONS = sizeof options / sizeof *options, VALUE_BYTES = 64 };

/* A plan that is being read. */
typedef struct reading {
    inksql_plan   plan;
    ink_kind_info kind;
    bool          given[OPTIONS];
    inksql_error *error;
} reading;

static void put_value(ink_params *params, const struct option *o, uint64_t wide, double real)
{
    const uint32_t narrow = (uint32_t)wide;
    const bool     flag = true;
    char          *to = (char *)params + o->at;

    if (o->reader == WIDE || o->reader == SEED)
        memcpy(to, &wide, sizeof wide);
    else if (o->reader == NARROW)
        memcpy(to, &narrow, sizeof narrow);
    else if (o->reader == REAL)
        memcpy(to, &real, sizeof real);
    else if (o->reader == FLAG)
        memcpy(to, &flag, sizeof flag);
}

/* Whether an option is for this kind: those of size as the library has it. The value only marks the
 * parameter as given. */
static bool is_taken(const reading *r, const struct option *o)
{
    ink_params params = {.kind = r->plan.function->kind};

    switch (o->reader) {
    case HASH:
    case SEED:
        return true;
    case HEADROOM:
    case MEMORY:
        return r->kind.sized_by_keys != 0;
    default:
        if (r->kind.made_whole && o->at == offsetof(ink_params, expected_keys))
            return false;
        put_value(&params, o, 1, 1);
        return ink_kind_takes(&params, NULL) == INK_OK;
    }
}

static const struct option *option_named(const char *name, size_t bytes)
{
    for (const struct option *o = options; o < options + OPTIONS; o++)
        if ((strlen(o->name) == bytes && memcmp(o->name, name, bytes) == 0) ||
            (o->other != NULL && strlen(o->other) == bytes && memcmp(o->other, name, bytes) == 0))
            return o;
    return NULL;
}

static ink_status fail_unknown(reading *r, const char *name, size_t bytes)
{
    char   list[LIST_BYTES] = "";
    size_t used = 0;

    for (const struct option *o = options; o < options + OPTIONS; o++)
        if (is_taken(r, o) && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     o->name);
    return inksql_fail(r->error, r->plan.function, INK_USAGE,
                       "no option %.*s, expected some of %s, as 'p=0.001, n=1e6'",
                       (int)(bytes < VALUE_BYTES ? bytes : VALUE_BYTES), name, list);
}

static ink_status take_hash(reading *r, const char *value)
{
    for (size_t i = 0; ink_hash_name(i) != NULL; i++)
        if (strcmp(ink_hash_name(i), value) == 0) {
            r->plan.params.hash = ink_hash_name(i);
            return INK_OK;
        }
    return inksql_fail(r->error, r->plan.function, INK_USAGE,
                       "hash=%s, expected one of docs/keys.md, such as xxh3", value);
}

static number_status read_number(const struct option *o, const char *value, uint64_t *wide,
                                 double *real)
{
    number_status status;

    switch (o->reader) {
    case REAL:
        return number_real(value, real);
    case HEADROOM:
        return number_factor(value, real);
    case MEMORY:
        return number_bytes(value, wide);
    default:
        status = number_count(value, wide);
        if (status == NUMBER_OK && o->reader == NARROW && *wide > UINT32_MAX)
            status = NUMBER_TOO_LARGE;
        return status;
    }
}

static ink_status take_number(reading *r, const struct option *o, const char *value)
{
    static const char *const expected[] = {
        [WIDE] = "a whole number, such as 1e6", [NARROW] = "a whole number",
        [REAL] = "a number, such as 0.001",     [SEED] = "a whole number",
        [HEADROOM] = "a factor, such as 4x",    [MEMORY] = "a size, such as 64M"};
    uint64_t wide = 0;
    double   real = 0;

    number_status status = read_number(o, value, &wide, &real);
    /* What was left out is 0 in ink_params. */
    const bool zero = o->reader != SEED && wide == 0 && real == 0;
    if (status != NUMBER_OK || zero)
        return inksql_fail(r->error, r->plan.function, INK_USAGE, "%s=%s, expected %s%s", o->name,
                           value, expected[o->reader],
                           status == NUMBER_TOO_LARGE ? " that fits"
                           : status == NUMBER_OK      ? ", above 0"
                                                      : "");
    if (o->reader == HEADROOM)
        r->plan.headroom = real;
    else if (o->reader == MEMORY)
        r->plan.limit_bytes = wide;
    else
        put_value(&r->plan.params, o, wide, real);
    r->plan.params.has_seed |= o->reader == SEED;
    return INK_OK;
}

/* Takes "n=1e6", or "conservative". */
static ink_status take_option(reading *r, const char *part, size_t bytes)
{
    const inksql_function *function = r->plan.function;
    const char            *equals = memchr(part, '=', bytes);
    const size_t           name_bytes = equals == NULL ? bytes : (size_t)(equals - part);
    const struct option   *o = option_named(part, name_bytes);
    char                   value[VALUE_BYTES] = "";

    if (o == NULL || !is_taken(r, o))
        return fail_unknown(r, part, name_bytes);
    if (r->given[o - options])
        return inksql_fail(r->error, function, INK_USAGE,
                           "option %s is given twice, expected it once", o->name);
    r->given[o - options] = true;
    if (o->reader == FLAG) {
        if (equals != NULL)
            return inksql_fail(r->error, function, INK_USAGE, "%.*s, but %s takes no value",
                               (int)(bytes < VALUE_BYTES ? bytes : VALUE_BYTES), part, o->name);
        put_value(&r->plan.params, o, 1, 0);
        return INK_OK;
    }
    const size_t value_bytes = equals == NULL ? 0 : bytes - name_bytes - 1;
    if (value_bytes == 0)
        return inksql_fail(r->error, function, INK_USAGE,
                           "option %s without its value, expected %s=...", o->name, o->name);
    if (value_bytes >= sizeof value || memchr(equals + 1, '\0', value_bytes) != NULL)
        return inksql_fail(
            r->error, function, INK_USAGE,
            "option %s with a value of %zu bytes, expected fewer than %d, and no NUL", o->name,
            value_bytes, VALUE_BYTES);
    memcpy(value, equals + 1, value_bytes);
    return o->reader == HASH ? take_hash(r, value) : take_number(r, o, value);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static ink_status take_options(reading *r)
{
    const char *at = r->plan.text, *end = at + r->plan.text_bytes;
    ink_status  status = INK_OK;

    while (at < end && is_blank(end[-1]))
        end--;
    while (at < end && is_blank(*at))
        at++;
    while (at < end && status == INK_OK) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma == NULL ? end : comma;
        while (stop > at && is_blank(stop[-1]))
            stop--;
        status = take_option(r, at, (size_t)(stop - at));
        at = comma == NULL ? end : comma + 1;
        while (at < end && is_blank(*at))
            at++;
    }
    return status;
}

static ink_status plan_params(const ink_params *params, bool drafts, ink_error *error)
{
    ink_description described;
    ink_draft      *draft = NULL;

    if (!drafts)
        return ink_plan(params, &described, error);
    const ink_status status = ink_draft_create(&draft, params, 0, NULL, error);
    ink_draft_free(draft);
    return status;
}

/* A type of keys that the hash takes, whatever the other options are. */
static ink_key_type type_of_hash(const reading *r)
{
    const bool drafts = r->kind.made_whole || r->kind.sized_by_keys;
    ink_params params = {.kind = r->plan.function->kind, .hash = r->plan.params.hash};

    if (params.hash == NULL || plan_params(&params, drafts, NULL) == INK_OK)
        return INK_KEY_BYTES;
    params.key_type = INK_KEY_INT;
    return plan_params(&params, drafts, NULL) == INK_OK ? INK_KEY_INT : INK_KEY_BYTES;
}

/* What the library says of the options before there is a key, so that those of a query without rows
 * are checked, too. */
static ink_status check_plan(reading *r)
{
    ink_params params = r->plan.params;
    ink_error  error;

    params.key_type = type_of_hash(r);
    if (plan_params(&params, r->plan.drafts, &error) != INK_OK)
        return inksql_fail_as(r->error, r->plan.function, &error);
    if (!r->plan.drafts && (r->plan.headroom != 0 || r->plan.limit_bytes != LIMIT_BYTES))
        return inksql_fail(r->error, r->plan.function, INK_USAGE,
                           "%s beside a size, expected it for a filter that is sized by its keys",
                           r->plan.headroom != 0 ? "headroom" : "memory");
    return INK_OK;
}

/* FNV-1a: it only compares options with each other. */
static uint64_t hash_of(const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Numbers have a point, whatever the host's locale says. */
static ink_status take_in_c_locale(reading *r)
{
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);

    if (c == (locale_t)0)
        return inksql_fail(r->error, r->plan.function, INK_MEMORY, "no memory for options");
    locale_t   before = uselocale(c);
    ink_status status = take_options(r);
    uselocale(before);
    freelocale(c);
    return status;
}

ink_status inksql_plan_read(inksql_plan *plan, const inksql_function *function, const char *text,
                            size_t bytes, inksql_error *error)
{
    if (text == NULL)
        bytes = 0;
    if (plan->function == function && plan->text_bytes == bytes &&
        (bytes == 0 || memcmp(plan->text, text, bytes) == 0))
        return INK_OK;
    if (bytes > INKSQL_OPTIONS_BYTES)
        return inksql_fail(error, function, INK_USAGE,
                           "options of %zu bytes, expected at most %d, as 'p=0.001, n=1e6'", bytes,
                           INKSQL_OPTIONS_BYTES);
    reading r = {.plan = {.function = function, .text_bytes = bytes, .limit_bytes = LIMIT_BYTES},
                 .error = error};
    if (bytes > 0)
        memcpy(r.plan.text, text, bytes);
    r.plan.params.kind = function->kind;
    r.plan.weighs = strchr(function->forms, 'W') != NULL;
    r.plan.hash = hash_of(r.plan.text, bytes);
    ink_status status = ink_kind_describe(function->kind, &r.kind, NULL);
    if (status == INK_OK)
        status = take_in_c_locale(&r);
    const ink_params *params = &r.plan.params;
    r.plan.drafts = r.kind.made_whole ||
                    (r.kind.sized_by_keys && params->expected_keys == 0 && params->bits == 0);
    if (status == INK_OK)
        status = check_plan(&r);
    if (status == INK_OK)
        *plan = r.plan;
    return status;
}
