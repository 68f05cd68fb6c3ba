/* foreign_format.c - formats of other systems that a command line names. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/foreign_format.h"

#include "report/failure.h"
#include "report/output.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const ink_foreign_info *named(const char *format)
{
    const ink_foreign_info *info;

    for (size_t i = 0; (info = ink_foreign(i)) != NULL; i++)
        if (strcmp(info->name, format) == 0)
            return info;
    return NULL;
}

const char *foreign_kind(const char *format)
{
    return named(format)->kind;
}

const char *foreign_unsaid(const char *format)
{
    return named(format)->unsaid;
}

int foreign_check(option_id id, const char *format, bool write)
{
    const ink_foreign_info *info = named(format);
    char                    expected[WORDS_BYTES] = "";
    const char             *name;

    for (size_t i = 0; info == NULL && (name = foreign_words(i, NULL)) != NULL; i++)
        suggestions_add(expected, ", ", name);
    if (info == NULL)
        return fail_unknown("format", format, foreign_words, expected);
    if (write && !info->writes)
        return fail_usage("%s %s: this format is read, not written", option_name(id), format);
    return 0;
}

/* Whether a file, which is no pipe, surely is of another system. */
static bool is_certain(const char *path)
{
    struct stat status;
    char        first[64];
    int         file = -1;

    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t count = read(file, first, sizeof first);
    close(file);
    return count > 0 && ink_foreign_certain(first, (size_t)count) != NULL;
}

/* In the order of the choices of --funnel. */
static const struct funnel {
    const char *name;
    bool        of_ints;
    const char *hash[2]; /* with each strategy of Guava, 64 bits first */
} funnels[] = {
    {"utf8", false, {"guava", "guava-32"}},
    {"chars", false, {"guava-chars", "guava-32-chars"}},
    {"long", true, {"guava", "guava-32"}},
    {"int", true, {"guava-int", "guava-32-int"}},
};

int foreign_funnel(const cli_arguments *arguments, const char *format, ink_params *params,
                   ink_keys *keys)
{
    const option_given *given = &arguments->options[OPTION_FUNNEL];

    if (!given->given)
        return 0;
    const struct funnel *funnel = &funnels[given->number];
    if (format == NULL || strcmp(format, "guava") != 0)
        return fail_usage("--funnel %s without --as guava", funnel->name);
    if (*keys == INK_KEYS_INT && !funnel->of_ints)
        return fail_usage("--funnel %s with --key-type int, expected long or int", funnel->name);
    if (*keys == INK_KEYS_BYTES && funnel->of_ints)
        return fail_usage("--funnel %s with --key-type bytes, expected utf8 or chars",
                          funnel->name);
    if (params->hash != NULL && strcmp(params->hash, "guava") != 0 &&
        strcmp(params->hash, "guava-32") != 0)
        return fail_usage("--funnel %s with --hash %s, expected guava or guava-32", funnel->name,
                          params->hash);
    params->hash = funnel->hash[params->hash != NULL && strcmp(params->hash, "guava-32") == 0];
    *keys = funnel->of_ints ? INK_KEYS_INT : INK_KEYS_BYTES;
    return 0;
}

/* Whether an option says something about files of this format. */
static bool says(option_id id, const ink_foreign_info *format)
{
    switch ((int)id) {
    case OPTION_KEY_TYPE:
    case OPTION_HASH:
        return true;
    case OPTION_KEY:
        return format->columns;
    case OPTION_FUNNEL:
        return strcmp(format->name, "guava") == 0;
    case OPTION_PRECISION:
        return format->precision;
    case OPTION_BITS:
    case OPTION_HASHES:
        return strcmp(format->name, "index-list") == 0;
    default:
        return false;
    }
}

/* Whether it says something about files of the format that --from names or, with auto, of any. */
static bool may_say(option_id id, const char *name)
{
    const ink_foreign_info *info;

    for (size_t i = 0; (info = ink_foreign(i)) != NULL; i++)
        if ((strcmp(name, "auto") == 0 || strcmp(name, info->name) == 0) && says(id, info))
            return true;
    return false;
}

/* The formats that an option says something about. */
static int fail_other(option_id id, const char *from)
{
    char                    expected[WORDS_BYTES] = "";
    const ink_foreign_info *info;

    for (size_t i = 0; (info = ink_foreign(i)) != NULL; i++)
        if (says(id, info))
            suggestions_add(expected, " or ", info->name);
    return fail_usage("%s with --from %s, expected --from %s", option_name(id), from, expected);
}

bool foreign_takes(const cli_arguments *arguments, option_id id)
{
    const char *name = arguments->options[OPTION_FROM].text;

    if (id == OPTION_KEY && name == NULL)
        return arguments->operand_count > 0 && is_certain(arguments->operands[0]);
    return name != NULL && may_say(id, name);
}

/* Refuses options that say nothing without a file of another system, or of one of this format. */
static int check_options(const cli_arguments *arguments)
{
    const option_given *from = &arguments->options[OPTION_FROM];

    for (const cli_offer *o = arguments->command->offers; o->id != OPTION_END; o++)
        if (o->foreign && arguments->options[o->id].given && !foreign_takes(arguments, o->id))
            return from->given ? fail_other(o->id, from->text)
                               : fail_usage("%s without --from", option_name(o->id));
    return 0;
}

/* Whether the options say so of keys. */
static bool keys_are_ints(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    const ink_form      form = (ink_form)(INK_FORM_LINES + options[OPTION_IN].number);

    return (options[OPTION_KEY_TYPE].given && options[OPTION_KEY_TYPE].number == 1) ||
           (options[OPTION_IN].given && (form == INK_FORM_U32 || form == INK_FORM_U64));
}

int foreign_read(const cli_arguments *arguments, bool beside_data,
                 const ink_foreign_options **options)
{
    static ink_foreign_options read;
    const option_given        *given = arguments->options;
    const char                *name = given[OPTION_FROM].text;
    const bool column = given[OPTION_KEY].given && foreign_takes(arguments, OPTION_KEY);

    *options = NULL;
    if (name != NULL && strcmp(name, "auto") != 0)
        TRY(foreign_check(OPTION_FROM, name, false));
    TRY(check_options(arguments));
    if (name == NULL && !column)
        return 0;
    read = (ink_foreign_options){
        .format = name == NULL || strcmp(name, "auto") == 0 ? NULL : name,
        .key_type = keys_are_ints(arguments) ? INK_KEY_INT : INK_KEY_BYTES,
        .hash = given[OPTION_HASH].text,
        .funnel = given[OPTION_FUNNEL].given ? funnels[given[OPTION_FUNNEL].number].name : NULL,
        .column = column ? given[OPTION_KEY].text : NULL,
        .column_of_data = beside_data,
        .precision = (uint32_t)given[OPTION_PRECISION].number,
        .hashes = (uint32_t)given[OPTION_HASHES].number,
        .bits = given[OPTION_BITS].number,
    };
    *options = &read;
    return 0;
}

int foreign_inputs(const cli_arguments *arguments, bool beside_data, ink_input *inputs,
                   size_t input_count)
{
    const ink_foreign_options *options;

    TRY(foreign_read(arguments, beside_data, &options));
    for (size_t i = 0; i < input_count; i++)
        inputs[i].foreign = options;
    return 0;
}

int foreign_save(const cli_arguments *arguments, const char *path, const char *format,
                 const ink_sketch *sketch, const char *from)
{
    cli_target target;
    ink_error  error;
    int        code;

    TRY(target_begin(&target, path, arguments->options[OPTION_FORCE].given));
    ink_status status = ink_foreign_write(sketch, format, &target.sink, &error);
    if (status == INK_OK)
        return target_commit(&target);
    if (!target_failed(&target, &code))
        code = from == NULL || error.status == INK_IO ? target_refused(path, &error)
                                                      : fail_error(from, &error);
    return code;
}
