/* questions.c - which sketches answer a question: distinguishes files of sketches from records,
 * chooses the kind, and makes the union of all files by group.
 *
 * The folder src/jobs/query answers questions: this file chooses the sketches, filter.c and
 * counts.c ask them for the keys of records, overlap.c compares them with each other, uniq.c drops
 * records whose key was seen. Nothing else
 * in src uses it. */
#include "jobs/query/questions.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "inkling_command.h"
#include "jobs/groups/matches.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/kind_choice.h"
#include "jobs/runtime/open_foreign.h"
#include "jobs/runtime/open_sketches.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/sketch_set.h"
#include "jobs/runtime/tasks.h"
#include "net/namenodes.h"

#include <string.h>

/* ---- Sketches or records ------------------------------------------------------------------ */

/* Reads first bytes of an input after the `*count` that `bytes` has. *all: it ended with them. */
static ink_status read_first(const char *path, uint8_t bytes[INK_LOOK_BYTES], unsigned *count,
                             bool *all, ink_error *error)
{
    ink__input stream;
    uint64_t   more;

    INK__TRY(ink__input_open_any(&stream, path, error));
    ink_status status =
        ink__input_read_some(&stream, bytes + *count, INK_LOOK_BYTES - *count, &more, error);
    ink__input_close(&stream);
    INK__TRY(status);
    *count += (unsigned)more;
    *all = stream.ended;
    return INK_OK;
}

/* Whether a file that begins so is one of sketches. */
static bool begins_sketches(const uint8_t *bytes, uint64_t count)
{
    return ink_is_file(bytes, (size_t)count) || ink_foreign_certain(bytes, (size_t)count) != NULL;
}

/* The first bytes of an input that can be read once only are kept in it. */
static ink_status look(ink_input *input, bool *sketches, ink_error *error)
{
    uint8_t   first[INK_LOOK_BYTES];
    unsigned  count = 0;
    bool      all;
    ink__stat stat;

    *sketches = input->foreign != NULL;
    INK__TRY(ink__reading_check_input(input, error));
    if (*sketches)
        return INK_OK;
    if (ink__reading_in_memory(input)) {
        *sketches = begins_sketches(input->memory, input->memory_bytes);
        return INK_OK;
    }
    if (input->arrow != NULL || ink__webhdfs_is_address(input->path))
        return INK_OK; /* never sketches */
    bool regular = strcmp(input->path, "-") != 0 &&
                   (ink__system_now()->stat_path(input->path, &stat) != 0 || stat.regular);
    /* A pipe that was given stays open while it is not read. */
    if (!regular && ink__path_is_given(input->path) && input->begun_all == 0) {
        INK__TRY(read_first(input->path, input->begun, &input->begun_bytes, &all, error));
        input->begun_all = all;
    }
    if (!regular) {
        *sketches = begins_sketches(input->begun, input->begun_bytes);
        return INK_OK;
    }
    INK__TRY(read_first(input->path, first, &count, &all, error));
    *sketches = begins_sketches(first, count);
    return *sketches ? INK_OK : ink__sketches_check_name(input, error);
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
                               these ? "a file of sketches after one of records, expected one or "
                                       "the other"
                                     : "records after a file of sketches, expected one or the "
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

static const char *const cannot[] = {
    [INK_ASK_COUNT] = "count keys",
    [INK_ASK_TOP] = "report the most frequent keys",
    [INK_ASK_DISTINCT] = "count different keys",
    [INK_ASK_DOT] = "report an inner product",
    [INK_ASK_OVERLAP] = "report what two sets have in common",
};

enum { QUESTIONS = sizeof cannot / sizeof cannot[0] };

static ink_status check_kind(ink_question question, const char *kind, ink_error *error)
{
    ink_kind_info info;
    char          expected[INK__KINDS_BYTES];

    INK__TRY(ink_kind_describe(kind, &info, error));
    if (info.ranks[question] > 0)
        return INK_OK;
    ink__kinds_expected(question, expected);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s cannot %s, expected %s", kind,
                     cannot[question], expected);
}

/* A set of kinds, by their numbers. */
typedef uint32_t kind_set;

static ink_status kinds_of(const ink_file *file, kind_set *kinds, ink_error *error)
{
    ink_entry_info info;

    *kinds = 0;
    for (size_t i = 0; i < ink_file_count(file); i++) {
        size_t number = 0;
        INK__TRY(ink_file_entry(file, i, &info, error));
        while (strcmp(ink_kind_name(number), info.kind) != 0)
            number++;
        *kinds |= (kind_set)1 << number;
    }
    return INK_OK;
}

/* The kinds that answer a question, or the requested one. */
static kind_set answering_kinds(const ink_union_options *options)
{
    kind_set    kinds = 0;
    const char *name;

    for (size_t k = 0; (name = ink_kind_name(k)) != NULL; k++) {
        bool answers = options->kind == NULL ? ink__kind_rank(name, options->question) > 0
                                             : strcmp(name, options->kind) == 0;
        kinds |= (kind_set)answers << k;
    }
    return kinds;
}

/* The names of kinds, with "and" before the last. */
static void name_kinds(kind_set kinds, char *text, size_t room)
{
    size_t used = 0;

    *text = '\0';
    for (size_t k = 0; ink_kind_name(k) != NULL; k++)
        if ((kinds >> k & 1) != 0) {
            bool last = kinds >> k == 1;
            used += ink__format(text + used, room - used, "%s%s",
                                used == 0 ? ""
                                : last    ? " and "
                                          : ", ",
                                ink_kind_name(k));
        }
}

/* Leaves the kinds that this file has, too; INK_UNSUPPORTED if none is left. */
static ink_status narrow(kind_set *common, kind_set kinds, const ink_union_options *options,
                         ink_error *error)
{
    char has[INK__KINDS_BYTES], expected[INK__KINDS_BYTES];

    if (kinds == 0 || (*common & kinds) != 0) { /* an empty file has no say */
        *common = kinds == 0 ? *common : *common & kinds;
        return INK_OK;
    }
    name_kinds(kinds, has, sizeof has);
    if (*common == answering_kinds(options) && options->kind == NULL)
        ink__kinds_expected(options->question, expected);
    else
        name_kinds(*common, expected, sizeof expected);
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "the file holds %s, expected %s", has,
                     expected);
}

/* The best of the kinds that all files have; or all that are asked together. */
static ink_status choose(kind_set common, const ink_union_options *options, kind_set *chosen,
                         ink_error *error)
{
    ink__kind_choice best = {.question = options->question};
    char             names[INK__KINDS_BYTES];
    bool             together = options->together && options->kind == NULL;

    for (size_t k = 0; ink_kind_name(k) != NULL; k++)
        if ((common >> k & 1) != 0)
            ink__kind_choice_offer(&best, ink_kind_name(k));
    for (size_t k = 0; ink_kind_name(k) != NULL; k++) {
        const char *name = ink_kind_name(k);
        bool        taken =
            strcmp(name, best.kind) == 0 || (together && ink__kind_joins(name, options->question));
        *chosen |= (kind_set)taken << k & common;
    }
    if (best.other == NULL)
        return INK_OK;
    name_kinds(common, names, sizeof names);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "the file holds %s, expected a choice ({kind})", names);
}

ink_status ink__question_kind(ink_file *const *files, const ink_input *inputs, size_t count,
                              const ink_union_options *options, const char **kind, ink_job *job,
                              ink_error *error)
{
    kind_set common = answering_kinds(options), kinds, all_kinds = 0, chosen = 0;

    *kind = NULL;
    if (options->kind != NULL)
        INK__TRY(check_kind(options->question, options->kind, error));
    for (size_t i = 0; i < count; i++) {
        job->failed_path = inputs[i].path;
        INK__TRY(kinds_of(files[i], &kinds, error));
        INK__TRY(narrow(&common, kinds, options, error));
        all_kinds |= kinds;
    }
    job->failed_path = inputs[0].path;
    if (all_kinds != 0)
        INK__TRY(choose(common, options, &chosen, error));
    for (size_t k = 0; ink_kind_name(k) != NULL; k++)
        if ((chosen >> k & 1) != 0)
            *kind = ink_kind_name(k);
    job->failed_path = NULL;
    return INK_OK;
}

/* ---- One file ----------------------------------------------------------------------------- */

ink_status ink_job_open(ink_file **file, const char *path, ink_job *job, ink_error *error)
{
    const ink_input input = {.path = path};

    return ink_job_open_input(file, &input, job, error);
}

ink_status ink_job_open_input(ink_file **file, const ink_input *input, ink_job *job,
                              ink_error *error)
{
    job->failed_path = NULL;
    INK__TRY_ROOM("ink_job", job, error);
    const ink__crew crew = ink__crew_of(job, ink__job_threads(job));
    ink_status      status = ink__sketches_open(file, input, &crew, job->allocator, error);
    job->failed_path = status == INK_OK ? NULL : input->path;
    return status;
}

/* ---- Unions ------------------------------------------------------------------------------- */

typedef struct merging {
    const ink_input         *inputs;
    size_t                   input_count;
    const ink_union_options *options;
    ink_allocator            allocator;
    ink_file               **open;  /* inputs that can be opened once only */
    kind_set                 kinds; /* that are asked */
    size_t                   at;    /* the input that is loaded */
    ink_set                 *result;
    ink__crew                crew; /* that checks a large file */
} merging;

/* Finds the kinds of an input. Only a file among several is closed again. */
static ink_status read_kinds(merging *all, size_t index, kind_set *kinds, ink_error *error)
{
    const ink_input *input = &all->inputs[index];
    ink__stat        stat = {0};
    ink_file        *file;

    INK__TRY(ink__reading_check_input(input, error));
    bool file_of_many = !ink__reading_in_memory(input) && strcmp(input->path, "-") != 0 &&
                        ink__system_now()->stat_path(input->path, &stat) == 0 && stat.regular &&
                        all->input_count > 1 && input->foreign == NULL;
    if (file_of_many) {
        bool       foreign = false;
        ink_status status =
            ink_file_open(&file, input->path, INK_OPEN_LAZY, &all->allocator, error);
        if (status == INK_OK) {
            status = kinds_of(file, kinds, error);
            ink_file_close(file);
        }
        if (status != INK_FORMAT || ink__foreign_look(input, &foreign, NULL) != INK_OK || !foreign)
            return status;
    }
    INK__TRY(ink__sketches_open(&all->open[index], input, &all->crew, &all->allocator, error));
    return kinds_of(all->open[index], kinds, error);
}

static ink_status choose_kind(merging *all, ink_job *job, ink_error *error)
{
    kind_set common = answering_kinds(all->options), kinds, all_kinds = 0;

    for (size_t i = 0; i < all->input_count; i++) {
        job->failed_path = all->inputs[i].path;
        if (all->inputs[i].arrow != NULL)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "rows of Arrow, expected files of sketches");
        INK__TRY(read_kinds(all, i, &kinds, error));
        INK__TRY(narrow(&common, kinds, all->options, error));
        all_kinds |= kinds;
    }
    job->failed_path = all->inputs[0].path;
    if (all_kinds != 0)
        INK__TRY(choose(common, all->options, &all->kinds, error));
    job->failed_path = NULL;
    return INK_OK;
}

static ink_status load_kind(const merging *all, ink_set *set, const ink_file *file,
                            const char *kind, ink_error *error)
{
    ink__members members;

    INK__TRY(ink__members_load(&members, file, kind, all->options->last, all->options->secret,
                               &all->allocator, error));
    ink_status status = INK_OK;
    for (size_t i = 0; i < members.count && status == INK_OK; i++) {
        status = ink__set_add(set, &members.list[i].label, members.list[i].sketch, error);
        members.list[i].sketch = NULL;
    }
    ink__members_free(&members);
    return status;
}

/* The answering sketches of an input. Has the type of ink__set_loader. */
static ink_status load(ink_set *set, void *host, ink_error *error)
{
    merging  *all = host;
    ink_file *file = all->open[all->at];

    all->open[all->at] = NULL;
    if (file == NULL)
        INK__TRY(
            ink__sketches_open(&file, &all->inputs[all->at], &all->crew, &all->allocator, error));
    INK__TRY(ink__set_own(set, file, error));
    for (size_t k = 0; ink_kind_name(k) != NULL; k++)
        if ((all->kinds >> k & 1) != 0)
            INK__TRY(load_kind(all, set, file, ink_kind_name(k), error));
    return INK_OK;
}

static ink_status merge(merging *all, ink_job *job, ink_error *error)
{
    const ink_merge_options parts = {.parts = true};

    if (all->options->kind != NULL)
        INK__TRY(check_kind(all->options->question, all->options->kind, error));
    INK__TRY(choose_kind(all, job, error));
    for (all->at = 0; all->at < all->input_count; all->at++) {
        job->failed_path = all->inputs[all->at].path;
        INK__TRY(ink__set_merge_loaded(&all->result, load, all, &parts, job, error));
    }
    job->failed_path = NULL;
    return INK_OK;
}

ink_status ink_union_files(ink_set **set, const ink_input *inputs, size_t input_count,
                           const ink_union_options *options, ink_job *job, ink_error *error)
{
    merging all = {
        .inputs = inputs,
        .input_count = input_count,
        .options = options,
        .allocator = ink__allocator_or_heap(job->allocator),
        .crew = ink__crew_of(job, ink__job_threads(job)),
    };
    bool standard = false;

    job->failed_path = NULL;
    INK__TRY_ROOM("ink_union_options", options, error);
    if ((unsigned)options->question >= QUESTIONS || cannot[options->question] == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "question %u, expected 0 to %d or %d",
                         (unsigned)options->question, INK_ASK_DOT, INK_ASK_OVERLAP);
    if (input_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no file of sketches, expected one or more");
    for (size_t i = 0; i < input_count; i++)
        INK__TRY(ink__reading_standard_once(inputs[i].path, &standard, error));
    INK__TRY(
        ink__allocate_zeroed(&all.allocator, input_count * sizeof *all.open, &all.open, error));
    ink_status status = merge(&all, job, error);
    for (size_t i = 0; i < input_count; i++)
        ink_file_close(all.open[i]);
    ink__release(&all.allocator, all.open, input_count * sizeof *all.open);
    if (status == INK_OK)
        *set = all.result;
    else
        ink_set_free(all.result);
    return status;
}

/* ---- Answers ------------------------------------------------------------------------------ */

enum { BLOCK_ENTRIES = 1 << 10 };

typedef struct answering {
    const ink_entry *entries;
    size_t           count;
    ink_estimator    estimator;
    double           confidence;
    ink_answer      *answers;
} answering;

static ink_status answer_block(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const answering *all = host;
    size_t           first = (size_t)task * BLOCK_ENTRIES, left = all->count - first;

    (void)worker;
    for (size_t i = first; i < first + (left < BLOCK_ENTRIES ? left : BLOCK_ENTRIES); i++)
        INK__TRY(ink_sketch_distinct_by(all->entries[i].sketch, all->estimator, all->confidence,
                                        &all->answers[i], error));
    return INK_OK;
}

ink_status ink_distinct_entries(const ink_entry *entries, size_t count, ink_estimator estimator,
                                double confidence, ink_answer *answers, const ink_job *job,
                                ink_error *error)
{
    answering all = {entries, count, estimator, confidence, answers};

    return ink__tasks_short(job, "testing", (count + BLOCK_ENTRIES - 1) / BLOCK_ENTRIES,
                            answer_block, &all, error);
}
