/* sizes.c - which options are parameters of which kinds. */
#include "sizes.h"

#include "failure.h"

/* ---- Sizes ------------------------------------------------------------------------------- */

/* An option that is a parameter of some kinds, and a value that is fine for each of them: a plan
 * with it fails only for kinds that do not have the parameter. */
typedef struct size_option {
    option_id id;
    uint64_t  number;
    double    real;
} size_option;

static const size_option size_options[] = {
    {OPTION_KEYS, 1000, 0},    {OPTION_RATE, 0, 0.01},  {OPTION_EPS, 0, 0.001},
    {OPTION_DELTA, 0, 0.01},   {OPTION_PHI, 0, 0.001},  {OPTION_PRECISION, 14, 0},
    {OPTION_BITS, 1 << 20, 0}, {OPTION_HASHES, 7, 0},   {OPTION_WIDTH, 16, 0},
    {OPTION_DEPTH, 9, 0},      {OPTION_COUNTERS, 1, 0}, {OPTION_CONSERVATIVE, 0, 0},
    {OPTION_TOP, 10, 0},
};

enum { SIZE_OPTIONS = sizeof size_options / sizeof *size_options };

static void set_size(ink_params *params, option_id id, uint64_t number, double real)
{
    switch (id) {
    case OPTION_KEYS:
        params->expected_keys = number;
        break;
    case OPTION_RATE:
        params->false_positive_rate = real;
        break;
    case OPTION_EPS:
        params->epsilon = real;
        break;
    case OPTION_DELTA:
        params->delta = real;
        break;
    case OPTION_PHI:
        params->phi = real;
        break;
    case OPTION_PRECISION:
        params->precision = (uint32_t)number;
        break;
    case OPTION_BITS:
        params->bits = number;
        break;
    case OPTION_HASHES:
        params->hashes = (uint32_t)number;
        break;
    case OPTION_WIDTH:
        params->width = number;
        break;
    case OPTION_DEPTH:
        params->depth = (uint32_t)number;
        break;
    case OPTION_COUNTERS:
        params->counter_bits = number == 0 ? 32 : 64;
        break;
    case OPTION_CONSERVATIVE:
        params->conservative = true;
        break;
    case OPTION_TOP:
        params->top_keys = (uint32_t)number;
        break;
    default:
        break;
    }
}

/* What a parameter cannot stand without. */
static void set_companions(ink_params *params, option_id id, bool sized_by_keys)
{
    if (id == OPTION_HASHES)
        params->bits = 1 << 20;
    else if (id == OPTION_WIDTH)
        params->depth = 9;
    else if (id == OPTION_DEPTH)
        params->width = 16;
    else if (sized_by_keys && id != OPTION_KEYS)
        params->expected_keys = 1000;
}

static bool kind_takes(const char *kind, const size_option *size)
{
    ink_params      params = {.kind = kind};
    ink_kind_info   info;
    ink_description plan;
    ink_error       error;

    if (ink_kind_describe(kind, &info, &error) != INK_OK)
        return false;
    set_companions(&params, size->id, info.sized_by_keys);
    set_size(&params, size->id, size->number, size->real);
    return ink_plan(&params, &plan, &error) == INK_OK;
}

bool sizes_kind_has(const char *kind, option_id id)
{
    for (size_t i = 0; i < SIZE_OPTIONS; i++)
        if (size_options[i].id == id)
            return kind_takes(kind, &size_options[i]);
    return false;
}

static int nobody_has(const cli_arguments *arguments, option_id id, const ink_params *kinds,
                      size_t kind_count)
{
    const char *command = arguments->command->name;
    char        list[WORDS_BYTES] = "";

    if (kind_count == 1)
        return fail_usage(command, "%s is not for %s", option_name(id), kinds[0].kind);
    for (size_t i = 0; i < kind_count; i++)
        words_add(list, sizeof list, ",", kinds[i].kind);
    return fail_usage(command, "%s is for none of %s", option_name(id), list);
}

int sizes_set(const cli_arguments *arguments, ink_params *kinds, size_t kind_count)
{
    for (size_t i = 0; i < SIZE_OPTIONS; i++) {
        const option_given *given = &arguments->options[size_options[i].id];
        bool                taken = false;
        if (!given->given)
            continue;
        for (size_t k = 0; k < kind_count; k++) {
            if (!kind_takes(kinds[k].kind, &size_options[i]))
                continue;
            set_size(&kinds[k], size_options[i].id, given->number, given->real);
            taken = true;
        }
        if (!taken)
            return nobody_has(arguments, size_options[i].id, kinds, kind_count);
    }
    return 0;
}

int sizes_headroom(const cli_arguments *arguments, const ink_params *kinds, size_t kind_count)
{
    ink_kind_info info;

    if (!arguments->options[OPTION_HEADROOM].given)
        return 0;
    for (size_t i = 0; i < kind_count; i++)
        if (ink_kind_describe(kinds[i].kind, &info, NULL) == INK_OK && info.sized_by_keys)
            return 0;
    return nobody_has(arguments, OPTION_HEADROOM, kinds, kind_count);
}

void sizes_hash(const cli_arguments *arguments, const uint8_t *secret, ink_params *kinds,
                size_t kind_count)
{
    const option_given *options = arguments->options;

    for (size_t i = 0; i < kind_count; i++) {
        kinds[i].hash = options[OPTION_HASH].text;
        kinds[i].seed = options[OPTION_SEED].number;
        kinds[i].explicit_seed = options[OPTION_SEED].given;
        kinds[i].secret = secret;
    }
}
