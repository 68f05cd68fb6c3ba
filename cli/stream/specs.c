/* specs.c - the sketches of a stream on the command line. */
#include "stream/specs.h"

#include "arguments/arguments.h"
#include "arguments/kind_params.h"
#include "report/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64 };

typedef struct spec {
    const cli_arguments *arguments;
    const char          *text; /* as typed */
    ink_params          *params;
    bool                 given[OPTION_LIMIT_]; /* the sizes in it */
} spec;

/* The size option with this name or letter; OPTION_END: none. */
static option_id size_named(const char *name)
{
    option_id id;

    for (size_t i = 0; (id = sizes_option(i)) != OPTION_END; i++) {
        const cli_option *o = option_of(id);
        if (strcmp(o->name, name) == 0 || (name[0] == o->letter && name[1] == '\0'))
            break;
    }
    return id;
}

static int unknown_size(const spec *s, const char *name)
{
    char      list[WORDS_BYTES] = "";
    option_id id;

    for (size_t i = 0; (id = sizes_option(i)) != OPTION_END; i++) {
        char letter[2] = {option_of(id)->letter, '\0'};
        if (sizes_kind_has(s->params->kind, id))
            suggestions_add(list, ", ", *letter != '\0' ? letter : option_of(id)->name);
    }
    return fail_usage("--sketch %s: no size %s, expected some of %s", shown(s->text), shown(name),
                      list);
}

/* Takes "n=1e6", or "conservative"; changes `part`. */
static int take_size(spec *s, char *part)
{
    char        *value = strchr(part, '=');
    char         as[2 * NAME_BYTES];
    option_given given = {.given = true};

    if (value != NULL)
        *value++ = '\0';
    option_id id = size_named(part);
    if (id == OPTION_END)
        return unknown_size(s, part);
    snprintf(as, sizeof as, "--sketch %s:%s", s->params->kind, part);
    if (!sizes_kind_has(s->params->kind, id))
        return fail_usage("--sketch %s: %s is not for %s", shown(s->text), part, s->params->kind);
    if (s->given[id])
        return fail_usage("--sketch %s: %s is given twice, expected it once", shown(s->text), part);
    if (option_of(id)->value == VALUE_NONE && value != NULL)
        return fail_usage("%s=%s, but %s takes no value", as, shown(value), part);
    if (option_of(id)->value != VALUE_NONE && value == NULL)
        return fail_usage("%s without its value, expected %s=%s", as, part,
                          option_of(id)->value_name);
    if (value != NULL)
        TRY(options_value(s->arguments->command, id, as, value, &given));
    sizes_put(s->params, id, &given);
    s->given[id] = true;
    return 0;
}

/* Reads the kind and its sizes from a copy of the text, which is changed. */
static int read_parts(spec *s, char *copy)
{
    char *sizes = strchr(copy, ':');

    if (sizes != NULL)
        *sizes++ = '\0';
    if (sizes == NULL && strchr(copy, ',') != NULL)
        return fail_usage("--sketch %s, expected one kind each: --sketch bloom --sketch hll",
                          shown(s->text));
    if (*copy == '\0')
        return fail_usage("--sketch %s: no kind, expected one, as bloom:n=1e6", shown(s->text));
    TRY(kind_named(copy, &s->params->kind));
    while (sizes != NULL) {
        char *part = list_next(&sizes);
        if (*part == '\0')
            return fail_usage(
                "--sketch %s: a size without a name, expected NAME=VALUE, as bloom:n=1e6,p=0.01",
                shown(s->text));
        TRY(take_size(s, part));
    }
    return 0;
}

/* Options of size are those of the only --sketch. */
static int take_plain(const spec *first, size_t kind_count)
{
    const cli_arguments *arguments = first->arguments;
    option_id            id;

    for (size_t i = 0; (id = sizes_option(i)) != OPTION_END; i++) {
        const cli_option *o = option_of(id);
        if (!arguments->options[id].given)
            continue;
        if (kind_count > 1)
            return fail_usage(
                "%s beside %zu sketches, expected it in that which it is for, as --sketch %s:%s%s",
                option_name(id), kind_count, first->params->kind, o->name,
                o->value == VALUE_NONE ? "" : "=...");
        if (first->given[id])
            return fail_usage("%s and --sketch %s: a size is given twice, expected it once",
                              option_name(id), shown(first->text));
    }
    return sizes_set(arguments, first->params, kind_count);
}

bool specs_have_filter(const ink_params *kinds, size_t kind_count)
{
    for (size_t i = 0; i < kind_count; i++)
        if (kind_info(kinds[i].kind).contains)
            return true;
    return false;
}

static int check_twice(const ink_params *kinds, size_t kind_count)
{
    for (size_t i = 1; i < kind_count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(kinds[i].kind, kinds[k].kind) == 0)
                return fail_usage("two sketches of kind %s, expected one of each kind",
                                  kinds[i].kind);
    return 0;
}

/* Whether a stream needs the number of its keys before. One that never changes is refused. */
static bool is_sized(const char *kind)
{
    const ink_kind_info info = kind_info(kind);

    return info.sized_by_keys && info.made_whole == 0;
}

/* Replaces filters of a fixed size by scalable ones. */
static int grow(ink_params *kinds, size_t kind_count)
{
    bool any = false;

    for (size_t i = 0; i < kind_count; i++) {
        if (!is_sized(kinds[i].kind))
            continue;
        if (kinds[i].bits != 0)
            return fail_usage("--grow makes a scalable of %s, which has no --bits, expected -n for "
                              "its first level",
                              kinds[i].kind);
        kinds[i].kind = "scalable";
        any = true;
    }
    if (!any)
        return fail_usage("--grow without a filter of a fixed size, expected --sketch bloom, "
                          "classic or counting");
    return check_twice(kinds, kind_count);
}

static int size_missing(const char *kind, size_t kind_count)
{
    char expected[64] = "-n N";

    if (kind_count > 1)
        snprintf(expected, sizeof expected, "--sketch %s:n=N", kind);
    return fail_usage("--sketch %s without -n, and a stream does not know its number of keys: "
                      "expected %s, or --grow, or --sketch scalable",
                      kind, expected);
}

/* Each filter needs a size, and --renew a promised rate. */
static int check_sizes(const cli_arguments *arguments, const ink_params *kinds, size_t kind_count)
{
    bool promised = false;

    for (size_t i = 0; i < kind_count; i++) {
        if (!is_sized(kinds[i].kind))
            continue;
        if (kinds[i].expected_keys == 0 && kinds[i].bits == 0)
            return size_missing(kinds[i].kind, kind_count);
        promised |= kinds[i].expected_keys != 0;
    }
    if (arguments->options[OPTION_RENEW].given && !promised)
        return fail_usage("--renew without a filter that promises a rate, expected --sketch bloom, "
                          "classic or counting, with -n");
    return 0;
}

int specs_read(const cli_arguments *arguments, ink_params kinds[KINDS_MAX], size_t *kind_count)
{
    const char *texts[KINDS_MAX];
    spec        specs[KINDS_MAX];

    *kind_count = options_list(arguments, OPTION_SKETCH, texts, KINDS_MAX);
    if (*kind_count == 0)
        return fail_usage("stream without --sketch, expected a kind, as --sketch bloom");
    if (*kind_count > KINDS_MAX)
        return fail_usage("%zu sketches, expected at most %d", *kind_count, KINDS_MAX);
    for (size_t i = 0; i < *kind_count; i++) {
        char *copy = need_memory(NULL, strlen(texts[i]) + 1);
        strcpy(copy, texts[i]);
        kinds[i] = (ink_params){0};
        specs[i] = (spec){.arguments = arguments, .text = texts[i], .params = &kinds[i]};
        int code = read_parts(&specs[i], copy);
        free(copy);
        TRY(code);
    }
    TRY(check_twice(kinds, *kind_count));
    TRY(take_plain(&specs[0], *kind_count));
    if (arguments->options[OPTION_GROW].given)
        TRY(grow(kinds, *kind_count));
    return check_sizes(arguments, kinds, *kind_count);
}
