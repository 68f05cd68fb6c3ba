/* query_target.c - the sketches that a query reads, merged or built. */
#define _POSIX_C_SOURCE 200809L
#include "arguments/query_target.h"

#include "arguments/foreign_format.h"
#include "arguments/inputs.h"
#include "arguments/kind_params.h"
#include "inkling_command.h"
#include "report/failure.h"
#include "report/progress.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int query_kind(const cli_arguments *arguments, ink_question question, const char **kind)
{
    const char *text = arguments->options[OPTION_KIND].text;
    ink_params  kinds[KINDS_MAX];
    size_t      count;
    char        list[WORDS_BYTES] = "";

    *kind = NULL;
    if (text == NULL)
        return 0;
    TRY(kinds_read(text, kinds, &count));
    if (count > 1)
        return fail_usage("--kind %s, expected one kind", shown(text));
    *kind = kinds[0].kind;
    if (kind_info(*kind).ranks[question] > 0)
        return 0;
    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        if (kind_info(ink_kind_name(i)).ranks[question] > 0)
            suggestions_add(list, ", ", ink_kind_name(i));
    return fail_usage("--kind %s does not answer that, expected %s", *kind, list);
}

bool group_is_wanted(const cli_arguments *arguments, const ink_label *label)
{
    const char *pattern = arguments->options[OPTION_GROUPS].text;

    if (pattern == NULL)
        return true;
    if (label->group_kind != INK_GROUP_BYTES || memchr(label->group, '\0', label->group_bytes))
        return false;
    char *name = need_memory(NULL, label->group_bytes + 1);
    if (label->group_bytes > 0)
        memcpy(name, label->group, label->group_bytes);
    name[label->group_bytes] = '\0';
    bool matches = fnmatch(pattern, name, 0) == 0;
    free(name);
    return matches;
}

int groups_missing(const char *path)
{
    if (path == NULL)
        return fail_usage("--groups, but the files have no groups");
    return fail_usage("--groups, but %s has no groups", shown_path(path));
}

/* -k and --phi limit the answers too. */
static bool is_for_data(option_id id)
{
    option_group group = option_group_of(id);

    if (id == OPTION_TOP || id == OPTION_PHI)
        return false;
    return group == GROUP_INPUT || group == GROUP_SIZE || id == OPTION_HASH || id == OPTION_SEED ||
           id == OPTION_TEMP;
}

static int check_options(const cli_arguments *arguments, const char *path, bool sketches)
{
    if (!sketches && arguments->options[OPTION_LAST].given)
        return fail_usage("--last is for sketches with time slots, but %s is data",
                          shown_path(path));
    for (option_id id = OPTION_END + 1; sketches && id < OPTION_LIMIT_; id++)
        if (arguments->options[id].given && is_for_data(id) && !foreign_takes(arguments, id))
            return fail_usage("%s is for data, but %s is a file of sketches", option_name(id),
                              shown_path(path));
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const ink_entry *a = left, *b = right;

    return ink_label_compare(&a->label, &b->label);
}

static int list_entries(cli_query *query)
{
    ink_error error;

    free(query->entries);
    query->entry_count = ink_set_count(query->set);
    query->entries = need_memory(NULL, query->entry_count * sizeof *query->entries);
    for (size_t i = 0; i < query->entry_count; i++)
        if (ink_set_entry(query->set, i, &query->entries[i], &error) != INK_OK)
            return fail_error(NULL, &error);
    if (query->entry_count > 1)
        qsort(query->entries, query->entry_count, sizeof *query->entries, compare_entries);
    return 0;
}

static bool is_wanted(void *host, const ink_label *label)
{
    const cli_arguments *const *arguments = host;

    return group_is_wanted(*arguments, label);
}

const ink_group_choice *groups_chosen(const cli_arguments *arguments)
{
    static const cli_arguments   *given;
    static const ink_group_choice choice = {is_wanted, &given};

    given = arguments;
    return arguments->options[OPTION_GROUPS].given ? &choice : NULL;
}

const char *group_column(const cli_arguments *arguments)
{
    return arguments->options[OPTION_NO_GROUPS].given
               ? ""
               : arguments->options[OPTION_GROUP_COLUMN].text;
}

/* Lists the sketches that --groups selects. */
static int choose_entries(cli_query *query, const cli_arguments *arguments)
{
    TRY(list_entries(query));
    for (size_t i = 0; i < query->entry_count; i++) {
        bool none = query->entries[i].label.group_kind == INK_GROUP_NONE;
        query->groups |= !none;
        query->plain |= none;
    }
    if (!arguments->options[OPTION_GROUPS].given)
        return 0;
    if (query->plain && !query->groups)
        return groups_missing(query->path);
    ink_set_keep(query->set, is_wanted, &arguments);
    return list_entries(query);
}

static int merge(cli_query *query, const cli_arguments *arguments, const ink_input *inputs,
                 size_t input_count)
{
    ink_union_options options = {
        .question = query->question,
        .kind = query->kind,
        .last = (size_t)arguments->options[OPTION_LAST].number,
        .together = true,
    };
    ink_job   job = progress_job(arguments);
    ink_error error;

    TRY(secret_read(arguments, &options.secret));
    query->sketches = true;
    query->path = input_count == 1 ? inputs[0].path : NULL;
    if (ink_union_files(&query->set, inputs, input_count, &options, &job, &error) != INK_OK)
        return job_fails(&job, inputs[0].path, &error);
    progress_clear();
    return choose_entries(query, arguments);
}

int query_build(cli_query *query, const cli_arguments *arguments, const ink_input *inputs,
                size_t input_count, const ink_reading *how)
{
    const option_given     *given = arguments->options;
    const ink_build_options options = {
        .kinds = &query->params,
        .kind_count = 1,
        .headroom = given[OPTION_HEADROOM].real,
        .only = query->only,
    };
    ink_job        job = progress_job(arguments);
    const uint8_t *secret;
    ink_error      error;

    if (given[OPTION_GROUPS].given && !given[OPTION_BY].given)
        return fail_usage("--groups, but data has no groups without --by");
    if (!query->sized)
        TRY(sizes_set(arguments, &query->params, 1));
    const ink_kind_info info = kind_info(query->params.kind);
    if (info.sized_by_keys && !info.made_whole)
        query->params.max_rate = 1; /* its rate does not matter to the answer */
    TRY(temp_check(arguments));
    TRY(secret_read(arguments, &secret));
    sizes_hash(arguments, secret, &query->params, 1);
    query->path = input_count == 1 ? inputs[0].path : NULL;
    if (ink_build(&query->set, inputs, input_count, how, &options, &job, &error) != INK_OK)
        return job_fails(&job, NULL, &error);
    job_reports_skipped(arguments, &job);
    return choose_entries(query, arguments);
}

int query_inputs(cli_data *data, const cli_arguments *arguments, const char *const *paths,
                 size_t path_count, bool *sketches)
{
    ink_job   job = progress_job(arguments);
    ink_error error;
    int       code = 0;

    TRY(data_begin(data, arguments, paths, path_count));
    inputs_announce(data->inputs, data->input_count);
    code = foreign_inputs(arguments, false, data->inputs, data->input_count);
    if (code == 0 &&
        ink_inputs_look(data->inputs, data->input_count, sketches, &job, &error) != INK_OK)
        code = job_fails(&job, NULL, &error);
    if (code == 0)
        code = check_options(arguments, data->inputs[0].path, *sketches);
    if (code != 0)
        data_end(data);
    return code;
}

int query_any(cli_query *query, size_t count, const cli_arguments *arguments,
              const char *const *paths, size_t path_count)
{
    cli_data data;
    bool     sketches;
    int      code = 0;

    TRY(query_inputs(&data, arguments, paths, path_count, &sketches));
    if (sketches && query->data_only)
        code =
            fail(CODE_FILE, "%s: an .ink file, expected records", shown_path(data.inputs[0].path));
    size_t each = data.input_count / count;
    for (size_t i = 0; code == 0 && i < count; i++)
        code = sketches
                   ? merge(&query[i], arguments, &data.inputs[i * each], each)
                   : query_build(&query[i], arguments, &data.inputs[i * each], each, &data.how);
    data_end(&data);
    return code;
}

int query_sketches(cli_query *query, const cli_arguments *arguments, const char *path)
{
    ink_input input = {.path = path};

    TRY(foreign_inputs(arguments, !arguments->options[OPTION_ASK].given, &input, 1));
    return merge(query, arguments, &input, 1);
}

void query_end(cli_query *query)
{
    free(query->entries);
    ink_set_free(query->set);
    query->entries = NULL;
    query->set = NULL;
}
