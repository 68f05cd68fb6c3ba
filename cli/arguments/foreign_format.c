/* foreign_format.c - formats of other systems that a command line names. */
#include "arguments/foreign_format.h"

#include "report/failure.h"
#include "report/output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *foreign_names(size_t index, const char **about)
{
    const ink_foreign_info *info = ink_foreign(index);

    if (about != NULL)
        *about = info == NULL ? "" : info->about;
    return info == NULL ? NULL : info->name;
}

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

    if (info == NULL)
        return fail_unknown("format", format, foreign_names, NULL);
    if (write && !info->writes)
        return fail_usage("%s %s: this format is read, not written", option_name(id), format);
    return 0;
}

/* Whether a file, which is no pipe, surely is of another system. */
static bool is_certain(const char *path)
{
    struct stat status;
    char        first[64];
    FILE       *file = NULL;

    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        file = fopen(path, "rb");
    const size_t count = file == NULL ? 0 : fread(first, 1, sizeof first, file);
    if (file != NULL)
        fclose(file);
    return ink_foreign_certain(first, count) != NULL;
}

bool foreign_takes(const cli_arguments *arguments, option_id id)
{
    return id == OPTION_KEY && arguments->operand_count > 0 && is_certain(arguments->operands[0]);
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

int foreign_read(const cli_arguments *arguments, const ink_foreign_options **options)
{
    static ink_foreign_options read;
    const option_given        *given = arguments->options;
    const char                *name = given[OPTION_FROM].text;

    *options = NULL;
    if (name == NULL && !(given[OPTION_KEY].given && foreign_takes(arguments, OPTION_KEY)))
        return 0;
    if (name == NULL || strcmp(name, "auto") == 0)
        name = NULL;
    else
        TRY(foreign_check(OPTION_FROM, name, false));
    read = (ink_foreign_options){
        .format = name,
        .key_type = given[OPTION_KEY_TYPE].given && given[OPTION_KEY_TYPE].number == 1
                        ? INK_KEY_INT
                        : INK_KEY_BYTES,
        .hash = given[OPTION_HASH].text,
        .funnel = given[OPTION_FUNNEL].given ? funnels[given[OPTION_FUNNEL].number].name : NULL,
        .column = given[OPTION_KEY].text,
        .column_of_data = arguments->command->data_from > 0 && !given[OPTION_ASK].given,
        .precision = (uint32_t)given[OPTION_PRECISION].number,
        .hashes = (uint32_t)given[OPTION_HASHES].number,
        .bits = given[OPTION_BITS].number,
    };
    *options = &read;
    return 0;
}

int foreign_save(const cli_arguments *arguments, const char *path, const char *format,
                 const ink_sketch *sketch)
{
    cli_target target;
    ink_error  error;
    int        code;

    TRY(target_begin(&target, path, arguments->options[OPTION_FORCE].given));
    ink_status status = ink_foreign_write(sketch, format, &target.sink, &error);
    if (status == INK_OK)
        return target_commit(&target);
    if (!target_failed(&target, &code))
        code = target_refused(path, &error);
    return code;
}
