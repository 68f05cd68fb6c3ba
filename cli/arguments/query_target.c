/* query_target.c - whom a question is asked: sketches of files, united, or data that is made into
 * sketches first. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/query_target.h"

#include "arguments/group_patterns.h"
#include "arguments/inputs.h"
#include "arguments/kind_names.h"
#include "arguments/size_options.h"
#include "report/failure.h"
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Kinds -------------------------------------------------------------------------------- */

static bool kind_answers(const char *kind, ink_question question)
{
    ink_kind_info info;

    return ink_kind_describe(kind, &info, NULL) == INK_OK && info.ranks[question] > 0;
}

int query_kind(const cli_arguments *arguments, ink_question question, const char **kind)
{
    const char *text = arguments->options[OPTION_KIND].text;
    ink_params  kinds[KINDS_MAX];
    size_t      count;
    char        list[WORDS_BYTES] = "";

    *kind = NULL;
    if (text == NULL)
        return 0;
    int code = kinds_read(arguments, text, kinds, &count);
    if (code != 0)
        return code;
    if (count > 1)
        return fail_usage(arguments->command->name, "--kind %s, expected one kind", shown(text));
    *kind = kinds[0].kind;
    if (kind_answers(*kind, question))
        return 0;
    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (kind_answers(ink_kind_name(i), question))
            suggestions_add(list, sizeof list, ", ", ink_kind_name(i));
    return fail_usage(arguments->command->name, "--kind %s does not answer that, expected %s",
                      *kind, list);
}

/* ---- What goes with data, and what with sketches ------------------------------------------ */

/* How many keys are wanted, and above which share, is a question and no size. */
static bool is_for_data(option_id id)
{
    option_group group = option_group_of(id);

    if (id == OPTION_TOP || id == OPTION_PHI)
        return false;
    return group == GROUP_INPUT || group == GROUP_SIZE || id == OPTION_HASH || id == OPTION_SEED ||
           id == OPTION_TEMP;
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

static int list_entries(cli_query *asked)
{
    ink_error error;

    free(asked->entries);
    asked->entry_count = ink_set_count(asked->set);
    asked->entries = need_memory(NULL, asked->entry_count * sizeof *asked->entries);
    for (size_t i = 0; i < asked->entry_count; i++)
        if (ink_set_entry(asked->set, i, &asked->entries[i], &error) != INK_OK)
            return fail_error(NULL, &error);
    if (asked->entry_count > 1)
        qsort(asked->entries, asked->entry_count, sizeof *asked->entries, compare_entries);
    return 0;
}

static bool is_wanted(void *host, const ink_label *label)
{
    const cli_arguments *const *arguments = host;

    return group_is_wanted(*arguments, label);
}

/* Lists the sketches that are asked: of all that were found those that --groups chooses. */
static int choose_entries(cli_query *asked, const cli_arguments *arguments)
{
    int code = list_entries(asked);

    for (size_t i = 0; code == 0 && i < asked->entry_count; i++) {
        bool none = asked->entries[i].label.group_kind == INK_GROUP_NONE;
        asked->groups |= !none;
        asked->plain |= none;
    }
    if (code != 0 || !arguments->options[OPTION_GROUPS].given)
        return code;
    if (asked->plain && !asked->groups)
        return groups_missing(arguments, asked->path);
    ink_set_keep(asked->set, is_wanted, &arguments);
    return list_entries(asked);
}

static int merge(cli_query *asked, const cli_arguments *arguments, const ink_input *inputs,
                 size_t input_count)
{
    uint8_t           room[INK_SECRET_BYTES];
    ink_union_options options = {
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
    if (ink_union_files(&asked->set, inputs, input_count, &options, &job, &error) != INK_OK)
        return job_fails(&job, inputs[0].path, &error);
    progress_clear();
    return choose_entries(asked, arguments);
}

/* What looked like data and holds sketches was looked at from outside: it is compressed, but for a
 * FIFO, which nobody looks into. */
static int fail_build(const ink_job *job, const ink_error *error)
{
    struct stat status;

    if (error->status == INK_FORMAT &&
        strcmp(error->message, "an .ink file, expected records") == 0 && job->failed_path != NULL &&
        (stat(job->failed_path, &status) != 0 || !S_ISFIFO(status.st_mode)))
        return fail(CODE_FILE, "%s: a compressed .ink file, expected it plain",
                    shown_path(job->failed_path));
    return job_fails(job, NULL, error);
}

static int build(cli_query *asked, const cli_arguments *arguments, const ink_input *inputs,
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
        return fail_build(&job, &error);
    progress_clear();
    job_reports_skipped(&job);
    return choose_entries(asked, arguments);
}

/* Makes sketches of data as the options say. */
static int make(cli_query *asked, const cli_arguments *arguments, const ink_input *inputs,
                size_t input_count, const ink_reading *how)
{
    uint8_t        room[INK_SECRET_BYTES];
    const uint8_t *secret;

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
    if (code != 0)
        return code;
    sizes_hash(arguments, secret, &asked->params, 1);
    return build(asked, arguments, inputs, input_count, how);
}

/* ---- Files -------------------------------------------------------------------------------- */

static int look(const cli_arguments *arguments, const cli_data *data, bool *sketches)
{
    ink_job   job = progress_job(arguments);
    ink_error error;

    if (ink_inputs_look(data->inputs, data->input_count, sketches, &job, &error) != INK_OK)
        return job_fails(&job, NULL, &error);
    return 0;
}

/* Looks what the files are; what does not go with that is refused. */
static int look_and_check(const cli_arguments *arguments, const cli_data *data, bool *sketches)
{
    int code = look(arguments, data, sketches);

    if (code != 0)
        return code;
    return *sketches ? check_sketches(arguments, data->inputs[0].path)
                     : check_data(arguments, data->inputs[0].path);
}

int query_any(cli_query *asked, size_t count, const cli_arguments *arguments,
              const char *const *paths, size_t path_count)
{
    cli_data data;
    bool     sketches;

    int code = data_begin(&data, arguments, paths, path_count);
    if (code != 0)
        return code;
    code = look_and_check(arguments, &data, &sketches);
    size_t each = data.input_count / count;
    for (size_t i = 0; code == 0 && i < count; i++)
        code = sketches
                   ? merge(&asked[i], arguments, &data.inputs[i * each], each)
                   : make(&asked[i], arguments, &data.inputs[i * each], each, &data.reading.how);
    data_end(&data);
    return code;
}

int query_sketches(cli_query *asked, const cli_arguments *arguments, const char *path)
{
    const ink_input input = {.path = path};

    return merge(asked, arguments, &input, 1);
}

int query_data(cli_query *asked, const cli_arguments *arguments, const char *const *paths,
               size_t path_count)
{
    cli_data data;
    bool     sketches;

    int code = data_begin(&data, arguments, paths, path_count);
    if (code != 0)
        return code;
    code = look(arguments, &data, &sketches);
    if (code == 0 && sketches)
        code =
            fail(CODE_FILE, "%s: an .ink file, expected records", shown_path(data.inputs[0].path));
    if (code == 0)
        code = make(asked, arguments, data.inputs, data.input_count, &data.reading.how);
    data_end(&data);
    return code;
}

void query_end(cli_query *asked)
{
    free(asked->entries);
    ink_set_free(asked->set);
    asked->entries = NULL;
    asked->set = NULL;
}
