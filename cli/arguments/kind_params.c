/* kind_params.c - kinds on the command line, and which options are parameters of which kinds. */
#include "arguments/kind_params.h"

#include "report/failure.h"

#include <stdlib.h>
#include <string.h>

/* NULL: there is none. */
static const char *known_kind(const char *name)
{
    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (strcmp(ink_kind_name(i), name) == 0)
            return ink_kind_name(i);
    return NULL;
}

bool is_kind(const char *name)
{
    return known_kind(name) != NULL;
}

int kind_named(const char *name, const char **kind)
{
    char list[WORDS_BYTES] = "";

    *kind = known_kind(name);
    if (*kind != NULL)
        return 0;
    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        suggestions_add(list, ", ", ink_kind_name(i));
    return fail_unknown("kind", name, kind_words, list);
}

static int take_kind(const char *name, ink_params kinds[KINDS_MAX], size_t *kind_count)
{
    const char *kind;

    TRY(kind_named(name, &kind));
    for (size_t i = 0; i < *kind_count; i++)
        if (kinds[i].kind == kind)
            return fail_usage("kind %s is given twice", kind);
    if (*kind_count == KINDS_MAX)
        return fail_usage("more than %d kinds", KINDS_MAX);
    kinds[(*kind_count)++] = (ink_params){.kind = kind};
    return 0;
}

char *list_next(char **list)
{
    char *part = *list, *comma = strchr(part, ',');

    if (comma != NULL)
        *comma++ = '\0';
    *list = comma;
    return part;
}

int kinds_read(const char *text, ink_params kinds[KINDS_MAX], size_t *kind_count)
{
    char *names = need_memory(NULL, strlen(text) + 1), *left = names;
    int   code = 0;

    strcpy(names, text);
    *kind_count = 0;
    while (code == 0 && left != NULL)
        code = take_kind(list_next(&left), kinds, kind_count);
    free(names);
    return code;
}

/* The options that are parameters of some kinds, and these parameters in ink_params. */
#define SIZE(option, field, type)                                                                  \
    {                                                                                              \
        OPTION_##option, type, offsetof(ink_params, field), sizeof(((ink_params *)NULL)->field)    \
    }

enum { WIDE, NARROW, REAL, FLAG };

static const struct size_option {
    option_id id;
    int       type;
    size_t    at, bytes;
} size_options[] = {
    SIZE(KEYS, expected_keys, WIDE),
    SIZE(RATE, false_positive_rate, REAL),
    SIZE(EPS, epsilon, REAL),
    SIZE(DELTA, delta, REAL),
    SIZE(PHI, phi, REAL),
    SIZE(PRECISION, precision, NARROW),
    SIZE(BITS, bits, WIDE),
    SIZE(HASHES, hashes, NARROW),
    SIZE(WIDTH, width, WIDE),
    SIZE(DEPTH, depth, NARROW),
    SIZE(COUNTERS, counter_bits, NARROW),
    SIZE(CONSERVATIVE, conservative, FLAG),
    SIZE(TOP, top_keys, NARROW),
    SIZE(MAX_RATE, max_rate, REAL),
};

enum { SIZE_OPTIONS = sizeof size_options / sizeof *size_options };

option_id sizes_option(size_t index)
{
    return index < SIZE_OPTIONS ? size_options[index].id : OPTION_END;
}

bool sizes_put(ink_params *params, option_id id, const option_given *given)
{
    const uint64_t    wide = id == OPTION_COUNTERS ? UINT64_C(32) << given->number : given->number;
    const uint32_t    narrow = (uint32_t)wide;
    const bool        flag = true;
    const void *const values[] = {
        [WIDE] = &wide, [NARROW] = &narrow, [REAL] = &given->real, [FLAG] = &flag};

    for (const struct size_option *o = size_options; o < size_options + SIZE_OPTIONS; o++)
        if (o->id == id) {
            memcpy((char *)params + o->at, values[o->type], o->bytes);
            return true;
        }
    return false;
}

/* The value 1 only marks the parameter as given. */
bool sizes_kind_has(const char *kind, option_id id)
{
    ink_params params = {.kind = kind};

    return sizes_put(&params, id, &(option_given){.number = 1, .real = 1}) &&
           ink_kind_takes(&params, NULL) == INK_OK;
}

static int none_has(option_id id, const ink_params *kinds, size_t kind_count)
{
    char list[WORDS_BYTES] = "";

    if (kind_count == 1)
        return fail_usage("%s is not for %s", option_name(id), kinds[0].kind);
    for (size_t i = 0; i < kind_count; i++)
        suggestions_add(list, ",", kinds[i].kind);
    return fail_usage("%s is for none of %s", option_name(id), list);
}

int sizes_set(const cli_arguments *arguments, ink_params *kinds, size_t kind_count)
{
    for (size_t i = 0; i < SIZE_OPTIONS; i++) {
        option_id           id = size_options[i].id;
        const option_given *given = &arguments->options[id];
        bool                taken = false;
        if (!given->given)
            continue;
        for (size_t k = 0; k < kind_count; k++)
            if (sizes_kind_has(kinds[k].kind, id))
                taken |= sizes_put(&kinds[k], id, given);
        if (!taken)
            return none_has(id, kinds, kind_count);
    }
    if (!arguments->options[OPTION_HEADROOM].given)
        return 0;
    for (size_t i = 0; i < kind_count; i++)
        if (kind_info(kinds[i].kind).sized_by_keys)
            return 0;
    return none_has(OPTION_HEADROOM, kinds, kind_count);
}

void sizes_hash(const cli_arguments *arguments, const uint8_t *secret, ink_params *kinds,
                size_t kind_count)
{
    const option_given *options = arguments->options;

    for (size_t i = 0; i < kind_count; i++) {
        kinds[i].hash = options[OPTION_HASH].text;
        kinds[i].seed = options[OPTION_SEED].number;
        kinds[i].has_seed = options[OPTION_SEED].given;
        kinds[i].secret = secret;
    }
}
