/* asked.c - whom a question is asked: sketches of files, united, or data that is made into sketches
 * first. */
#include "asked.h"

#include "failure.h"
#include "groups.h"
#include "inputs.h"
#include "progress.h"
#include "sizes.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Kinds -------------------------------------------------------------------------------- */

static bool kind_answers(const char *kind, ink_question question)
{
    ink_kind_info info;

    if (ink_kind_describe(kind, &info, NULL) != INK_OK)
        return false;
    switch (question) {
    case INK_ASK_COUNT:
        return info.counts;
    case INK_ASK_TOP:
        return info.keeps_keys;
    case INK_ASK_DISTINCT:
        return info.distinct;
    case INK_ASK_DOT:
        return info.dot;
    }
    return false;
}

int asked_kind(const cli_arguments *arguments, ink_question question, const char **kind)
{
    const char *text = arguments->options[OPTION_KIND].text;
    ink_params  kinds[SIZES_KINDS_MAX];
    size_t      count, used = 0;
    char        list[160] = "";

    *kind = NULL;
    if (text == NULL)
        return 0;
    int code = sizes_kinds(arguments, text, kinds, &count);
    if (code != 0)
        return code;
    if (count > 1)
        return fail_usage(arguments->command->name, "--kind %s, expected one kind", shown(text));
    *kind = kinds[0].kind;
    if (kind_answers(*kind, question))
        return 0;
    for (size_t i = 0; ink_kind_name(i) != NULL && used < sizeof list; i++)
        if (kind_answers(ink_kind_name(i), question))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used == 0 ? "" : ", ",
                                     ink_kind_name(i));
    return fail_usage(arguments->command->name, "--kind %s does not answer that, expected %s",
                      *kind, list);
}

/* ---- What goes with data, and what with sketches ------------------------------------------ */

/* How many keys are wanted, and above which share, is a question and no size. */
static bool is_for_data(option_id id)
{
    const cli_option *o = option_of(id);

    if (id == OPTION_TOP || id == OPTION_PHI)
        return false;
    return o->group == GROUP_INPUT || o->group == GROUP_SIZE || id == OPTION_HASH ||
           id == OPTION_SEED || id == OPTION_TEMP;
}

static int check_sketches(const cli_arguments *arguments, const char *path)
{
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++)
        if (arguments->options[id].given && is_for_data(id))
            return fail_usage(arguments->command->name,
                              "%s is for data, but %s is a file of sketches", option_name(id),
                              shown_path(path));
    return 0;
}

static int check_data(const cli_arguments *arguments, const char *path)
{
    if (!arguments->options[OPTION_LAST].given)
        return 0;
    return fail_usage(arguments->command->name,
                      "--last is for sketches with time slots, but %s is data", shown_path(path));
}

/* ---- Sets --------------------------------------------------------------------------------- */

static int compare_entries(const void *left, const void *right)
{
    const ink_entry *a = left, *b = right;

    return ink_label_compare(&a->label, &b->label);
}

static int list_entries(cli_asked *asked)
{
    ink_error error;

    asked->entry_count = ink_set_count(asked->set);
    asked->entries = need_memory(NULL, asked->entry_count * sizeof *asked->entries);
    for (size_t i = 0; i < asked->entry_count; i++)
        if (ink_set_entry(asked->set, i, &asked->entries[i], &error) != INK_OK)
            return fail_error(NULL, &error);
    if (asked->entry_count > 1)
        qsort(asked->entries, asked->entry_count, sizeof *asked->entries, compare_entries);
    return 0;
}

/* Whether --groups can mean something; a set without sketches may have had some. */
static int check_groups(const cli_asked *asked, const cli_arguments *arguments)
{
    if (!arguments->options[OPTION_GROUPS].given || asked->entry_count == 0)
        return 0;
    for (size_t i = 0; i < asked->entry_count; i++)
        if (asked->entries[i].label.group_kind != INK_GROUP_NONE)
            return 0;
    return groups_missing(arguments, asked->path);
}

static int unite(cli_asked *asked, const cli_arguments *arguments, const ink_input *inputs,
                 size_t input_count)
{
    uint8_t           room[INK_SECRET_BYTES];
    ink_unite_options options = {
        .question = asked->question,
        .kind = asked->kind,
        .last = (size_t)arguments->options[OPTION_LAST].number,
    };
    ink_job   job = progress_job(arguments);
    ink_error error;

    int code = secret_read(arguments, room, &options.secret);
    if (code != 0)
        return code;
    asked->sketches = true;
    asked->path = input_count == 1 ? inputs[0].path : NULL;
    if (ink_unite_files(&asked->set, inputs, input_count, &options, &job, &error) != INK_OK)
        return fail_error(job_blames(&job, inputs[0].path, &error), &error);
    progress_clear();
    code = list_entries(asked);
    return code != 0 ? code : check_groups(asked, arguments);
}

static int build(cli_asked *asked, const cli_arguments *arguments, const ink_input *inputs,
                 size_t input_count, const ink_reading *how)
{
    const ink_build_options options = {
        .kinds = &asked->params,
        .kind_count = 1,
        .headroom = arguments->options[OPTION_HEADROOM].real,
    };
    ink_job   job = progress_job(arguments);
    ink_error error;

    asked->path = input_count == 1 ? inputs[0].path : NULL;
    if (ink_build(&asked->set, inputs, input_count, how, &options, &job, &error) != INK_OK)
        return fail_error(job.failed_path, &error);
    progress_clear();
    job_tells_skipped(&job);
    return list_entries(asked);
}

/* Makes sketches of data as the options say. */
static int make(cli_asked *asked, const cli_arguments *arguments, const ink_input *inputs,
                size_t input_count)
{
    uint8_t        room[INK_SECRET_BYTES];
    const uint8_t *secret;
    cli_reading    reading;

    if (arguments->options[OPTION_GROUPS].given && !arguments->options[OPTION_BY].given)
        return fail_usage(arguments->command->name,
                          "--groups, but data has no groups without --by");
    int code = asked->sized ? 0 : sizes_set(arguments, &asked->params, 1);
    if (code == 0)
        code = sizes_headroom(arguments, &asked->params, 1);
    if (code == 0)
        code = temp_check(arguments);
    if (code == 0)
        code = secret_read(arguments, room, &secret);
    if (code == 0)
        code = reading_begin(&reading, arguments);
    if (code != 0)
        return code;
    sizes_hash(arguments, secret, &asked->params, 1);
    code = build(asked, arguments, inputs, input_count, &reading.how);
    reading_end(&reading);
    return code;
}

/* ---- Files -------------------------------------------------------------------------------- */

int asked_any(cli_asked *asked, const cli_arguments *arguments, const char *const *paths,
              size_t path_count)
{
    ink_job    job = progress_job(arguments);
    ink_input *inputs;
    size_t     count;
    ink_error  error;
    bool       sketches;

    int code = inputs_of(arguments, paths, path_count, &inputs, &count);
    if (code != 0)
        return code;
    if (ink_inputs_look(inputs, count, &sketches, &job, &error) != INK_OK)
        code = fail_error(job.failed_path, &error);
    else if (sketches)
        code = check_sketches(arguments, inputs[0].path);
    else
        code = check_data(arguments, inputs[0].path);
    if (code == 0)
        code = sketches ? unite(asked, arguments, inputs, count)
                        : make(asked, arguments, inputs, count);
    free(inputs);
    return code;
}

int asked_sketches(cli_asked *asked, const cli_arguments *arguments, const char *path)
{
    const ink_input input = {.path = path};

    return unite(asked, arguments, &input, 1);
}

int asked_data(cli_asked *asked, const cli_arguments *arguments, const char *const *paths,
               size_t path_count)
{
    ink_input *inputs;
    size_t     count;

    int code = inputs_of(arguments, paths, path_count, &inputs, &count);
    if (code != 0)
        return code;
    code = make(asked, arguments, inputs, count);
    free(inputs);
    return code;
}

void asked_end(cli_asked *asked)
{
    free(asked->entries);
    ink_set_free(asked->set);
    asked->entries = NULL;
    asked->set = NULL;
}
