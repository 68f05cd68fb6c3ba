/* overlap.c - what sets have in common: the sketches of several files or sets, compared pair by
 * pair, group by group. Groups are loaded a few at a time, and rows of pairs are shared out to
 * threads. */
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/groups/matches.h"
#include "jobs/query/questions.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/open_sketches.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/sketch_set.h"
#include "jobs/runtime/tasks.h"
#include "sketch/internal.h"

#include <string.h>

/* Rows of pairs that are loaded at a time: enough for all threads. */
enum { ROWS_LOADED = 1024 };

/* A file or a set, read in order of labels. */
typedef struct source {
    ink_file      *file;
    const ink_set *set;
    size_t         at; /* its next group ... */
    ink_label      label;
    bool           more; /* ... if there is one */
} source;

typedef struct comparing {
    ink_allocator              allocator;
    const ink_overlap_options *options;
    const ink_overlap_sink    *sink;
    ink_job                   *job;
    const char                *kind; /* of files */
    source                    *sources;
    size_t                     count;
    /* The groups that are loaded: */
    size_t             group_count, group_room;
    ink_label         *labels;
    const ink_sketch **sketches; /* of each source, for each group ... */
    ink_sketch       **owned;    /* ... those that are freed, and an empty one */
    ink_overlap       *overlaps; /* of a row, for each thread */
} comparing;

/* ---- Sources ------------------------------------------------------------------------------ */

static void look(const comparing *all, source *from)
{
    if (from->file != NULL) {
        from->more =
            all->kind != NULL && ink__group_next(from->file, all->kind, &from->at, &from->label);
        return;
    }
    from->more = from->at < from->set->count;
    if (from->more)
        from->label = from->set->entries[from->at].label;
}

/* Takes the next group; *owned becomes NULL if it stays another's. `sketch` NULL: it is left out.
 */
static ink_status take(const comparing *all, source *from, const ink_sketch **sketch,
                       ink_sketch **owned, ink_error *error)
{
    ink__member member;

    if (from->file == NULL) {
        if (sketch != NULL)
            *sketch = from->set->entries[from->at].sketch;
        from->at++;
    } else {
        INK__TRY(ink__group_load(from->file, &from->at, all->options->last, all->options->secret,
                                 sketch == NULL ? NULL : &member, error));
        if (sketch != NULL)
            *sketch = *owned = member.sketch;
    }
    look(all, from);
    return INK_OK;
}

/* Sets whether a source has groups, or sketches without; and how many of both, all in all. */
static uint64_t count_groups(const comparing *all, source from, bool *groups, bool *plain)
{
    uint64_t count = 0;

    *groups = *plain = false;
    for (look(all, &from); from.more; count++) {
        if (from.label.group_kind == INK_GROUP_NONE)
            *plain = true;
        else
            *groups = true;
        (void)take(all, &from, NULL, NULL, NULL);
    }
    return count;
}

/* Whether the first sketches of two sources can be compared; the others of a file are like them. */
static ink_status check_pair(const comparing *all, source a, source b, ink_error *error)
{
    const ink_sketch *first, *other;
    ink_sketch       *owned[2] = {NULL, NULL};
    ink_overlap       overlap;

    INK__TRY(take(all, &a, &first, &owned[0], error));
    ink_status status = take(all, &b, &other, &owned[1], error);
    if (status == INK_OK)
        status = ink_sketch_overlap(first, other, all->options->confidence, &overlap, error);
    ink_sketch_free(owned[0]);
    ink_sketch_free(owned[1]);
    return status;
}

static ink_status check_groups(bool groups, bool first_groups, ink_error *error)
{
    if (groups == first_groups)
        return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     groups ? "sketches with groups, expected none, as in the file before"
                            : "sketches without groups, expected groups, as in the file before");
}

/* Sources are compared with the first that is not empty. *total: the most groups of one. */
static ink_status check_sources(comparing *all, const ink_input *inputs, uint64_t *total,
                                ink_error *error)
{
    const source *first = NULL;
    bool          first_groups = false, any = false, groups, plain;

    for (size_t i = 0; i < all->count; i++) {
        source  *from = &all->sources[i];
        uint64_t count = count_groups(all, *from, &groups, &plain);
        look(all, from);
        any |= groups;
        *total = count > *total ? count : *total;
        if (!from->more)
            continue;
        all->job->failed_path = inputs == NULL ? NULL : inputs[i].path;
        if (first != NULL && !(groups && plain))
            INK__TRY(check_groups(groups, first_groups, error));
        first_groups = first == NULL ? groups : first_groups;
        first = first == NULL ? from : first;
        INK__TRY(check_pair(all, *first, *from, error));
    }
    all->job->failed_path = inputs == NULL ? NULL : inputs[0].path;
    if (all->options->groups != NULL && first != NULL && !any)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "the file has no groups, expected some to choose from ({groups})");
    all->job->failed_path = NULL;
    return INK_OK;
}

/* ---- Groups ------------------------------------------------------------------------------- */

static void free_groups(comparing *all)
{
    for (size_t i = 0; i < all->group_room * (all->count + 1); i++) {
        ink_sketch_free(all->owned[i]);
        all->owned[i] = NULL;
    }
    all->group_count = 0;
}

/* The smallest label that is next in a source. */
static bool next_label(const comparing *all, ink_label *label)
{
    bool found = false;

    for (size_t i = 0; i < all->count; i++)
        if (all->sources[i].more &&
            (!found || ink_label_compare(&all->sources[i].label, label) < 0)) {
            *label = all->sources[i].label;
            found = true;
        }
    return found;
}

/* Loads the group with this label of all sources; those that do not have it share an empty sketch.
 */
static ink_status load_group(comparing *all, const ink_label *label, ink_error *error)
{
    const size_t            g = all->group_count;
    const ink_sketch      **sketches = all->sketches + g * all->count;
    ink_sketch            **owned = all->owned + g * (all->count + 1), **empty = owned + all->count;
    const ink_group_choice *choice = all->options->groups;
    const ink_sketch       *like = NULL;
    bool wanted = choice == NULL || choice->wanted(choice->host, label), absent = false;

    for (size_t i = 0; i < all->count; i++) {
        source *from = &all->sources[i];
        sketches[i] = NULL;
        if (from->more && ink_label_compare(&from->label, label) == 0)
            INK__TRY(take(all, from, wanted ? &sketches[i] : NULL, &owned[i], error));
        like = like == NULL ? sketches[i] : like;
        absent |= sketches[i] == NULL;
    }
    if (!wanted)
        return INK_OK;
    if (absent)
        INK__TRY(ink_sketch_create_like(empty, like, &all->allocator, error));
    for (size_t i = 0; i < all->count; i++)
        sketches[i] = sketches[i] == NULL ? *empty : sketches[i];
    all->labels[g] = *label;
    all->group_count++;
    return INK_OK;
}

static ink_status load_groups(comparing *all, bool *more, ink_error *error)
{
    ink_label label;

    while (all->group_count < all->group_room && (*more = next_label(all, &label)))
        INK__TRY(load_group(all, &label, error));
    return INK_OK;
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* A task is a row: one of the sources of a group with all after it. */
static ink_status compare_row(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const comparing *all = host;
    const size_t     pairs = all->count - 1, g = (size_t)task / pairs, a = (size_t)task % pairs;
    const ink_sketch *const *sketches = all->sketches + g * all->count;
    ink_overlap             *overlaps = all->overlaps + worker * pairs;

    for (size_t b = a + 1; b < all->count; b++) {
        ink_status status = ink_sketch_overlap(sketches[a], sketches[b], all->options->confidence,
                                               &overlaps[b - a - 1], error);
        if (status != INK_OK)
            return ink__set_blame(&all->labels[g], status, error);
    }
    return INK_OK;
}

static ink_status write_row(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const comparing *all = host;
    const size_t     pairs = all->count - 1, g = (size_t)task / pairs, a = (size_t)task % pairs;

    for (size_t b = a + 1; b < all->count; b++) {
        const ink_overlap_row row = {
            .kind = ink_sketch_kind(all->sketches[g * all->count]),
            .label = all->labels[g],
            .a = a,
            .b = b,
            .overlap = all->overlaps[worker * pairs + b - a - 1],
        };
        int result = all->sink->row(all->sink->host, &row);
        if (result != 0)
            return ink__fail_io(error, result, "cannot write");
    }
    return INK_OK;
}

static ink_status compare_groups(comparing *all, uint64_t total, ink_error *error)
{
    const unsigned threads = ink__job_threads(all->job);
    const uint64_t pairs = all->count - 1;
    ink__tasks tasks = ink__tasks_of(all->job, ink__system_now()->nanoseconds(), INK_PHASE_TESTING,
                                     0, compare_row, all);
    bool       more = true;

    tasks.commit = write_row;
    while (more) {
        INK__TRY(load_groups(all, &more, error));
        tasks.before += tasks.count;
        tasks.count = all->group_count * pairs;
        tasks.total =
            tasks.before + tasks.count > total * pairs ? tasks.before + tasks.count : total * pairs;
        if (tasks.count > 0)
            INK__TRY(ink__tasks_run(&tasks, tasks.count < threads ? (unsigned)tasks.count : threads,
                                    error));
        free_groups(all);
    }
    return INK_OK;
}

/* ---- The job ------------------------------------------------------------------------------ */

static ink_status compare(comparing *all, const ink_input *inputs, ink_error *error)
{
    const ink_allocator *memory = &all->allocator;
    const unsigned       threads = ink__job_threads(all->job);
    uint64_t             total = 0;

    INK__TRY(check_sources(all, inputs, &total, error));
    all->group_room = ROWS_LOADED / (all->count - 1) + 1;
    const uint64_t sets = all->group_room * (all->count + 1);
    const uint64_t bytes[] = {
        all->group_room * sizeof *all->labels,
        sets * sizeof *all->sketches,
        sets * sizeof *all->owned,
        threads * all->count * sizeof *all->overlaps,
    };
    ink_status status = ink__allocate_zeroed(memory, bytes[0], &all->labels, error);
    if (status == INK_OK)
        status = ink__allocate_zeroed(memory, bytes[1], &all->sketches, error);
    if (status == INK_OK)
        status = ink__allocate_zeroed(memory, bytes[2], &all->owned, error);
    if (status == INK_OK)
        status = ink__allocate_zeroed(memory, bytes[3], &all->overlaps, error);
    if (status == INK_OK)
        status = compare_groups(all, total, error);
    if (all->owned != NULL)
        free_groups(all);
    ink__release(memory, all->labels, bytes[0]);
    ink__release(memory, all->sketches, bytes[1]);
    ink__release(memory, all->owned, bytes[2]);
    ink__release(memory, all->overlaps, bytes[3]);
    return status;
}

/* INK_USAGE if there are not two; else makes room for sources. */
static ink_status begin(comparing *all, size_t count, ink_error *error)
{
    all->job->failed_path = NULL;
    all->count = count;
    INK__TRY_ROOM("ink_overlap_options", all->options, error);
    if (count < 2)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%zu set%s to compare, expected two or more", count,
                         count == 1 ? "" : "s");
    return ink__allocate_zeroed(&all->allocator, count * sizeof *all->sources, &all->sources,
                                error);
}

ink_status ink_overlap_sets(const ink_set *const *sets, size_t set_count,
                            const ink_overlap_options *options, const ink_overlap_sink *sink,
                            ink_job *job, ink_error *error)
{
    comparing all = {
        .allocator = ink__allocator_or_heap(job->allocator),
        .options = options,
        .sink = sink,
        .job = job,
    };

    INK__TRY(begin(&all, set_count, error));
    for (size_t i = 0; i < set_count; i++)
        all.sources[i].set = sets[i];
    ink_status status = compare(&all, NULL, error);
    ink__release(&all.allocator, all.sources, set_count * sizeof *all.sources);
    return status;
}

/* Of many files the pages of a mapped one can be given up by the system. */
static ink_status open_one(const comparing *all, const ink_input *input, ink_file **file,
                           ink_error *error)
{
    ink__stat stat = {0};

    INK__TRY(ink__reading_check_input(input, error));
    if (input->arrow != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "rows of Arrow, expected files of sketches");
    bool mapped = all->count > 2 && !ink__reading_in_memory(input) &&
                  strcmp(input->path, "-") != 0 &&
                  ink__system_now()->stat_path(input->path, &stat) == 0 && stat.regular;
    const ink__crew crew = ink__crew_of(all->job, ink__job_threads(all->job));
    return mapped
               ? ink__file_open(file, input->path, INK_OPEN_CHECKED, &crew, &all->allocator, error)
               : ink__sketches_open(file, input, &crew, &all->allocator, error);
}

static ink_status compare_files(comparing *all, const ink_input *inputs, ink_file **files,
                                ink_error *error)
{
    const ink_union_options question = {.question = INK_ASK_OVERLAP, .kind = all->options->kind};
    bool                    standard = false;

    for (size_t i = 0; i < all->count; i++)
        INK__TRY(ink__reading_standard_once(inputs[i].path, &standard, error));
    for (size_t i = 0; i < all->count; i++) {
        all->job->failed_path = inputs[i].path;
        INK__TRY(open_one(all, &inputs[i], &files[i], error));
        all->sources[i].file = files[i];
    }
    INK__TRY(ink__question_kind(files, inputs, all->count, &question, &all->kind, all->job, error));
    return compare(all, inputs, error);
}

ink_status ink_overlap_files(const ink_input *inputs, size_t input_count,
                             const ink_overlap_options *options, const ink_overlap_sink *sink,
                             ink_job *job, ink_error *error)
{
    comparing all = {
        .allocator = ink__allocator_or_heap(job->allocator),
        .options = options,
        .sink = sink,
        .job = job,
    };
    ink_file **files = NULL;

    INK__TRY(begin(&all, input_count, error));
    ink_status status =
        ink__allocate_zeroed(&all.allocator, input_count * sizeof *files, &files, error);
    if (status == INK_OK)
        status = compare_files(&all, inputs, files, error);
    for (size_t i = 0; files != NULL && i < input_count; i++)
        ink_file_close(files[i]);
    ink__release(&all.allocator, files, input_count * sizeof *files);
    ink__release(&all.allocator, all.sources, input_count * sizeof *all.sources);
    return status;
}
