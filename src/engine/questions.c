/* questions.c - which sketches answer a question: inputs are told apart, sketches of files chosen
 * by kind and united by group. */
#include "base/files.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "engine/members.h"
#include "engine/set.h"
#include "engine/sketches.h"

#include <string.h>

/* ---- Sketches or records ------------------------------------------------------------------ */

/* Reads the first bytes of what can be read but once, and keeps them. */
static ink_status look_once(ink_input *input, bool *sketches, ink_error *error)
{
    ink__input stream;
    uint64_t   more;

    INK__TRY(ink__input_open_any(&stream, input->path, error));
    ink_status status = ink__input_read_some(&stream, input->begun + input->begun_bytes,
                                             INK_LOOK_BYTES - input->begun_bytes, &more, error);
    ink__input_close(&stream);
    INK__TRY(status);
    input->begun_bytes += (unsigned)more;
    *sketches = ink_is_file(input->begun, input->begun_bytes);
    return INK_OK;
}

/* A pipe of the process itself, as <(...) of a shell: it stays open while it is not read. */
static bool is_own_pipe(const char *path)
{
    return strcmp(path, "-") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/self/fd/", 14) == 0;
}

static ink_status look_at_file(ink_input *input, bool *sketches, ink_error *error)
{
    uint8_t    first[INK_LOOK_BYTES];
    uint64_t   count;
    ink__stat  stat;
    ink__input file;

    *sketches = false;
    if (ink__system_now()->stat_path(input->path, &stat) == 0 && !stat.regular)
        return is_own_pipe(input->path) ? look_once(input, sketches, error) : INK_OK;
    INK__TRY(ink__input_open_any(&file, input->path, error));
    ink_status status = ink__input_read_some(&file, first, sizeof first, &count, error);
    ink__input_close(&file);
    INK__TRY(status);
    *sketches = ink_is_file(first, (size_t)count);
    return !*sketches && ink__sketches_named(input) ? ink__sketches_damaged(error) : INK_OK;
}

static ink_status look(ink_input *input, bool *sketches, ink_error *error)
{
    if (input->memory != NULL) {
        *sketches = ink_is_file(input->memory, (size_t)input->memory_bytes);
        return INK_OK;
    }
    if (strcmp(input->path, "-") == 0)
        return look_once(input, sketches, error);
    return look_at_file(input, sketches, error);
}

ink_status ink_inputs_look(ink_input *inputs, size_t input_count, bool *sketches, ink_job *job,
                           ink_error *error)
{
    bool first = false;

    job->failed_path = NULL;
    for (size_t i = 0; i < input_count; i++) {
        bool       these;
        ink_status status = look(&inputs[i], &these, error);
        if (status == INK_OK && i > 0 && these != first)
            status = ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                               these ? "a file of sketches behind one of records, expected one or "
                                       "the other"
                                     : "records behind a file of sketches, expected one or the "
                                       "other");
        if (status != INK_OK) {
            job->failed_path = inputs[i].path;
            return status;
        }
        first = i == 0 ? these : first;
    }
    *sketches = first;
    return INK_OK;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

enum { KINDS_MAX = 2 };

/* What answers a question: these kinds, one before the other. */
static const struct {
    const char *kinds[KINDS_MAX];
    bool        filters; /* and then any filter */
    const char *expected, *cannot;
} answering[] = {
    [INK_ASK_COUNT] = {{"count-min", "top"}, false, "count-min or top", "count keys"},
    [INK_ASK_TOP] = {{"top"}, false, "top", "tell the most frequent keys"},
    [INK_ASK_DISTINCT] = {{"hll", "fm"}, true, "hll, fm or a filter", "count different keys"},
    [INK_ASK_DOT] = {{"count-min"}, false, "count-min", "tell an inner product"},
};

static ink_status check_kind(ink_question question, const char *kind, ink_error *error)
{
    ink_kind_info info;

    INK__TRY(ink_kind_describe(kind, &info, error));
    bool can[] = {[INK_ASK_COUNT] = info.counts,
                  [INK_ASK_TOP] = info.keeps_keys,
                  [INK_ASK_DISTINCT] = info.distinct,
                  [INK_ASK_DOT] = info.dot};
    if (can[question])
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s cannot %s, expected %s", kind,
                     answering[question].cannot, answering[question].expected);
}

/* Whether a file has a kind, or any kind at all if that is NULL. */
static ink_status find_kind(const ink_file *file, const char *kind, bool *found, ink_error *error)
{
    ink_entry_info info;

    *found = false;
    for (size_t i = 0; i < ink_file_count(file) && !*found; i++) {
        INK__TRY(ink_file_entry(file, i, &info, error));
        *found = kind == NULL || strcmp(info.kind, kind) == 0;
    }
    return INK_OK;
}

/* The kinds that a file has, joined by commas. */
static ink_status list_kinds(const ink_file *file, char *list, size_t room, ink_error *error)
{
    size_t used = 0;

    *list = '\0';
    for (size_t i = 0; ink_kind_name(i) != NULL && used < room; i++) {
        bool found;
        INK__TRY(find_kind(file, ink_kind_name(i), &found, error));
        if (found)
            used += ink__format(list + used, room - used, "%s%s", used == 0 ? "" : ", ",
                                ink_kind_name(i));
    }
    return INK_OK;
}

static ink_status fail_kind(const ink_file *file, const char *expected, ink_error *error)
{
    char list[96];

    INK__TRY(list_kinds(file, list, sizeof list, error));
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "the file holds %s, expected %s", list,
                     expected);
}

/* The kind of a file that is to be asked; NULL if it holds nothing at all. */
static ink_status choose_kind(const ink_file *file, const ink_unite_options *options,
                              const char **kind, ink_error *error)
{
    bool found;

    *kind = NULL;
    INK__TRY(find_kind(file, NULL, &found, error));
    if (!found)
        return INK_OK;
    if (options->kind != NULL) {
        INK__TRY(find_kind(file, options->kind, &found, error));
        *kind = options->kind;
        return found ? INK_OK : fail_kind(file, options->kind, error);
    }
    for (size_t i = 0; i < KINDS_MAX && answering[options->question].kinds[i] != NULL; i++) {
        *kind = answering[options->question].kinds[i];
        INK__TRY(find_kind(file, *kind, &found, error));
        if (found)
            return INK_OK;
    }
    ink_status status = answering[options->question].filters
                            ? ink__members_filter_kind(file, NULL, kind, error)
                            : INK_UNSUPPORTED;
    if (status != INK_UNSUPPORTED)
        return status;
    return fail_kind(file, answering[options->question].expected, error);
}

/* Whether an input has a kind, or nothing at all. What can be read but once is taken to have it:
 * whoever reads it will tell. */
static ink_status has_kind(const ink_input *input, const char *kind, const ink_allocator *allocator,
                           bool *has, ink_error *error)
{
    ink_file *file;
    bool      any = true;

    *has = true;
    if (input->memory != NULL || is_own_pipe(input->path))
        return INK_OK;
    INK__TRY(ink_file_open(&file, input->path, INK_OPEN_LAZY, allocator, error));
    ink_status status = find_kind(file, kind, has, error);
    if (status == INK_OK)
        status = find_kind(file, NULL, &any, error);
    ink_file_close(file);
    *has = *has || !any;
    return status;
}

/* The best kind that all files have; NULL if there is none, or only one file, which will tell. */
static ink_status kind_of_all(const ink_input *inputs, size_t input_count, ink_question question,
                              const char **kind, ink_job *job, ink_error *error)
{
    for (size_t k = 0; k < KINDS_MAX && input_count > 1; k++) {
        bool has = true;
        *kind = answering[question].kinds[k];
        for (size_t i = 0; i < input_count && *kind != NULL && has; i++) {
            job->failed_path = inputs[i].path;
            INK__TRY(has_kind(&inputs[i], *kind, job->allocator, &has, error));
        }
        job->failed_path = NULL;
        if (*kind != NULL && has)
            return INK_OK;
    }
    *kind = NULL;
    return INK_OK;
}

/* ---- Unions ------------------------------------------------------------------------------- */

/* The sketches of a file that answer, as a set; *kind is what they are of, or must be. */
static ink_status load(ink_set *set, const ink_input *input, const ink_unite_options *options,
                       const char **kind, ink_error *error)
{
    ink_unite_options wanted = *options;
    const char       *chosen;
    ink_file         *file;
    ink__members      members;

    INK__TRY(ink__sketches_open(&file, input, &set->allocator, error));
    INK__TRY(ink__set_own(set, file, error));
    if (*kind != NULL)
        wanted.kind = *kind;
    INK__TRY(choose_kind(file, &wanted, &chosen, error));
    if (chosen == NULL)
        return INK_OK;
    *kind = chosen;
    INK__TRY(ink__members_load(&members, file, chosen, options->last, options->secret,
                               &set->allocator, error));
    ink_status status = INK_OK;
    for (size_t i = 0; i < members.count && status == INK_OK; i++) {
        status = ink__set_add(set, &members.list[i].label, members.list[i].sketch, error);
        members.list[i].sketch = NULL;
    }
    ink__members_free(&members);
    return status;
}

static ink_status add_file(ink_set **united, const ink_input *input,
                           const ink_unite_options *options, const char **kind,
                           const ink_allocator *allocator, ink_error *error)
{
    const ink_merge_options parts = {.parts = true};
    ink_set                *more;

    INK__TRY(ink__set_create(&more, allocator, error));
    ink_status status = load(more, input, options, kind, error);
    if (status != INK_OK) {
        ink_set_free(more);
        return status;
    }
    if (*united != NULL)
        return ink__set_unite(united, more, &parts, error);
    *united = more;
    return INK_OK;
}

ink_status ink_unite_files(ink_set **set, const ink_input *inputs, size_t input_count,
                           const ink_unite_options *options, ink_job *job, ink_error *error)
{
    ink_set          *united = NULL;
    const char       *kind = NULL;
    ink_unite_options wanted = *options;

    job->failed_path = NULL;
    if (input_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no file of sketches, expected one or more");
    if (options->kind != NULL)
        INK__TRY(check_kind(options->question, options->kind, error));
    else
        INK__TRY(kind_of_all(inputs, input_count, options->question, &wanted.kind, job, error));
    for (size_t i = 0; i < input_count; i++) {
        ink_status status = add_file(&united, &inputs[i], &wanted, &kind, job->allocator, error);
        if (status != INK_OK) {
            job->failed_path = inputs[i].path;
            ink_set_free(united);
            return status;
        }
    }
    *set = united;
    return INK_OK;
}
