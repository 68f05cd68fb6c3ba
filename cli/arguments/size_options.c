/* size_options.c - which options are parameters of which kinds. */
#include "arguments/size_options.h"

#include "options/kind_texts.h"
#include "report/failure.h"

/* The options that are parameters of some kinds. */
static const option_id size_options[] = {
    OPTION_KEYS,      OPTION_RATE,         OPTION_EPS,    OPTION_DELTA, OPTION_PHI,
    OPTION_PRECISION, OPTION_BITS,         OPTION_HASHES, OPTION_WIDTH, OPTION_DEPTH,
    OPTION_COUNTERS,  OPTION_CONSERVATIVE, OPTION_TOP,
};

enum { SIZE_OPTIONS = sizeof size_options / sizeof *size_options };

option_id sizes_option(size_t index)
{
    return index < SIZE_OPTIONS ? size_options[index] : OPTION_END;
}

void sizes_put(ink_params *params, option_id id, const option_given *given)
{
    uint64_t number = given->number;
    double   real = given->real;

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

/* The value 1 only marks the parameter as given. */
bool sizes_kind_has(const char *kind, option_id id)
{
    ink_params params = {.kind = kind};
    ink_error  error;
    bool       size = false;

    for (size_t i = 0; i < SIZE_OPTIONS; i++)
        size = size || size_options[i] == id;
    sizes_put(&params, id, &(option_given){.number = 1, .real = 1});
    return size && ink_kind_takes(&params, &error) == INK_OK;
}

static int none_has(const cli_arguments *arguments, option_id id, const ink_params *kinds,
                    size_t kind_count)
{
    const char *command = arguments->command->name;
    char        list[WORDS_BYTES] = "";

    if (kind_count == 1)
        return fail_usage(command, "%s is not for %s", option_name(id), kinds[0].kind);
    for (size_t i = 0; i < kind_count; i++)
        suggestions_add(list, sizeof list, ",", kinds[i].kind);
    return fail_usage(command, "%s is for none of %s", option_name(id), list);
}

int sizes_set(const cli_arguments *arguments, ink_params *kinds, size_t kind_count)
{
    for (size_t i = 0; i < SIZE_OPTIONS; i++) {
        const option_given *given = &arguments->options[size_options[i]];
        bool                taken = false;
        if (!given->given)
            continue;
        for (size_t k = 0; k < kind_count; k++) {
            if (!sizes_kind_has(kinds[k].kind, size_options[i]))
                continue;
            sizes_put(&kinds[k], size_options[i], given);
            taken = true;
        }
        if (!taken)
            return none_has(arguments, size_options[i], kinds, kind_count);
    }
    return 0;
}

int sizes_headroom(const cli_arguments *arguments, const ink_params *kinds, size_t kind_count)
{
    if (!arguments->options[OPTION_HEADROOM].given)
        return 0;
    for (size_t i = 0; i < kind_count; i++)
        if (kind_info(kinds[i].kind).sized_by_keys)
            return 0;
    return none_has(arguments, OPTION_HEADROOM, kinds, kind_count);
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
