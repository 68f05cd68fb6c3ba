/* update.c - keys added to a file of sketches under a lock, or removed: plans by what the file
 * holds, runs the loop, checks the promises of filters, and replaces the file. */
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/kind_choice.h"
#include "jobs/runtime/open_sketches.h"
#include "jobs/runtime/overfull.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/sketch_set.h"
#include "jobs/update/updating.h"

#include <errno.h>
#include <string.h>

/* ---- The locked file ---------------------------------------------------------------------- */

/* Read, then replaced. Writers run one after another, each on the result of the last. */
typedef struct locked_file {
    ink_allocator  allocator;
    char           path[INK__PATH_BYTES]; /* of the file itself: symbolic links are resolved */
    ink__input     input;                 /* holds the lock */
    uint8_t       *copy;                  /* its bytes and one to spare; NULL: they are mapped */
    const uint8_t *mapped;
    ink_file      *file; /* sketches of it are views */
    size_t         section_count;
} locked_file;

/* Finds out before data is read whether the folder lets files be made and removed. A file that
 * would change its owner is refused. */
static ink_status try_replacing(const locked_file *locked, ink_error *error)
{
    ink__replacement replacement;

    INK__TRY(ink__replacement_begin(&replacement, locked->path, &locked->allocator, error));
    bool disowned = replacement.disowned;
    int  removed = ink__replacement_abandon(&replacement);
    if (removed < 0)
        return ink__fail_io(error, -removed, "cannot remove a temporary file from its folder");
    return disowned ? ink__fail_io(error, EPERM, "cannot keep its owner and group") : INK_OK;
}

/* Reads a small file, maps a large one, by the descriptor that holds the lock: no other file can
 * come between. */
static ink_status read_bytes(locked_file *locked, ink_error *error)
{
    if (locked->input.bytes > INK__COPY_BYTES)
        return ink__input_map(&locked->input, &locked->mapped, error);
    INK__TRY(
        ink__allocate_zeroed(&locked->allocator, locked->input.bytes + 1, &locked->copy, error));
    return ink__input_read(&locked->input, locked->copy, locked->input.bytes, error);
}

/* Counts the sections, and refuses the position of a stream. */
static ink_status check_sections(locked_file *locked, ink_error *error)
{
    ink_section section;

    for (locked->section_count = 0;; locked->section_count++) {
        ink_status status = ink_file_section(locked->file, locked->section_count, &section, error);
        if (status == INK_NOT_FOUND)
            return INK_OK;
        INK__TRY(status);
        if (section.id == INK_SECTION_POSITION)
            return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                             "the state of a stream, whose position would become wrong, expected a "
                             "file without one");
    }
}

/* Views of the file must be freed before. */
static void close_locked(locked_file *locked)
{
    ink_file_close(locked->file);
    if (locked->mapped != NULL)
        ink__unmap(locked->mapped, locked->input.bytes);
    ink__release(&locked->allocator, locked->copy, locked->input.bytes + 1);
    ink__input_close(&locked->input);
}

/* Waits for the lock, checks that the file can be replaced with the same owner and group, and opens
 * it, every byte checked. INK_UNSUPPORTED if it holds the position of a stream: a change would make
 * that wrong. */
static ink_status open_locked(locked_file *locked, const char *path, const ink_allocator *allocator,
                              ink_error *error)
{
    char target[INK__PATH_BYTES];

    *locked = (locked_file){.allocator = *allocator, .input.file = -1};
    INK__TRY(ink__path_target(path, target, error)); /* refuses a link that was planted */
    INK__TRY(ink__path_resolve(target, locked->path, error));
    INK__TRY(ink__input_open_locked(&locked->input, locked->path, error));
    ink_status status = try_replacing(locked, error);
    if (status == INK_OK)
        status = read_bytes(locked, error);
    if (status == INK_OK)
        status =
            ink_file_decode(&locked->file, locked->copy != NULL ? locked->copy : locked->mapped,
                            (size_t)locked->input.bytes, INK_OPEN_CHECKED, allocator, error);
    if (status == INK_OK)
        status = check_sections(locked, error);
    if (status != INK_OK)
        close_locked(locked);
    return status;
}

/* INK_IO if a process that ignores locks has written, replaced or removed the file. */
static ink_status check_fate(const locked_file *locked, ink_error *error)
{
    static const char *const messages[] = {
        [INK__FATE_CHANGED] = "another process has changed it meanwhile; it is left as it is",
        [INK__FATE_REPLACED] = "another process has replaced it meanwhile; it is left as it is",
        [INK__FATE_GONE] = "it was removed meanwhile, and is not made again",
    };
    ink__fate fate;

    INK__TRY(ink__input_fate(&locked->input, &fate, error));
    return fate == INK__FATE_SAME ? INK_OK
                                  : ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s", messages[fate]);
}

/* ---- What the file holds ------------------------------------------------------------------ */

/* Adds the kind of an entry, which is the first of that kind. */
static ink_status add_kind(ink__updating *all, size_t index, const ink_entry_info *entry,
                           ink_error *error)
{
    ink__members *kinds = &all->kinds;

    INK__TRY(ink__make_room(&all->allocator, &kinds->list, &kinds->list_bytes,
                            kinds->count * sizeof *kinds->list, sizeof *kinds->list, error));
    ink__member *kind = &kinds->list[kinds->count];
    INK__TRY(ink_kind_describe(entry->kind, &kind->info, error));
    if (all->options->remove && !kind->info.removes)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "the file holds %s, which cannot take keys out again, expected %s",
                         entry->kind, ink__kind_best(INK_ASK_MEMBER, INK__KIND_REMOVES));
    if (all->options->once && !kind->info.contains)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "the file holds %s, which cannot tell whether a key is new, expected filters "
            "to add keys to once",
            entry->kind);
    INK__TRY(ink_file_sketch(all->file, index, &kind->sketch, error));
    ink_sketch_describe(kind->sketch, &kind->description);
    kinds->count++;
    return INK_OK;
}

/* Finds the kinds of all entries, and whether they have groups. */
static ink_status read_entries(ink__updating *all, ink_error *error)
{
    ink_entry_info entry;
    size_t         count = ink_file_count(all->file);

    for (size_t i = 0; i < count; i++) {
        INK__TRY(ink_file_entry(all->file, i, &entry, error));
        bool grouped = entry.label.group_kind != INK_GROUP_NONE;
        if (entry.label.has_slot)
            return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                             "the file holds time slots, expected sketches without");
        if (i > 0 && grouped != all->grouped)
            return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                             "the file holds sketches with a group and without, expected one or "
                             "the other");
        all->grouped = grouped;
        if (i == 0 ||
            strcmp(all->kinds.list[all->kinds.count - 1].description.kind, entry.kind) != 0)
            INK__TRY(add_kind(all, i, &entry, error));
    }
    return INK_OK;
}

static ink_status read_file(ink__updating *all, ink_error *error)
{
    size_t count = ink_file_count(all->file);
    bool   filters = false;

    if (count == 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "the file holds no sketches, expected some to %s",
                         all->options->remove ? "remove from" : "add to");
    INK__TRY(
        ink__allocate_zeroed(&all->allocator, count * sizeof *all->touched, &all->touched, error));
    INK__TRY(read_entries(all, error));
    const ink__member *first = &all->kinds.list[0];
    INK__TRY(ink__member_unlock(first->sketch, all->options->secret, error));
    /* A key rule without a 64-bit hash has one kind, which takes keys. */
    all->hashes = !first->description.needs_keys || first->info.keeps_keys;
    all->keys = all->options->remove; /* errors name them */
    for (size_t k = 0; k < all->kinds.count; k++) {
        all->keys = all->keys || all->kinds.list[k].description.needs_keys;
        filters = filters || all->kinds.list[k].info.contains;
    }
    if (!filters && all->options->max_rate != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{max_rate}, but %s has no false-positive rate", first->description.kind);
    return INK_OK;
}

/* ---- How records are read ----------------------------------------------------------------- */

/* Weights are taken where a kind counts. */
static ink_status plan_weights(ink__updating *all, bool given, ink_error *error)
{
    bool takes = false;

    for (size_t k = 0; k < all->kinds.count; k++)
        takes = takes || all->kinds.list[k].info.weights;
    if (takes && !all->options->once)
        return INK_OK;
    all->reading.weight = NULL;
    if (!given)
        return INK_OK;
    if (takes)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "weights for keys that are added once or not at all, expected none");
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "weights for %s, expected a kind that counts",
                     all->kinds.list[0].description.kind);
}

static ink_status plan_reading(ink__updating *all, ink_error *error)
{
    bool weighted = all->reading.weight != NULL;

    if (all->reading.by != NULL && !all->grouped)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "a column that names the group for a file without groups, expected none ({by})");
    INK__TRY(ink_input_spec_read(&all->input_spec, all->file, &all->stored, error));
    if (all->input_spec != NULL)
        INK__TRY(ink__reading_follow(&all->reading, &all->stored, all->grouped, all->inputs,
                                     all->input_count, &all->remembered, error));
    if (all->grouped && all->reading.by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no column that names the group, expected one ({by})");
    INK__TRY(plan_weights(all, weighted, error));
    return ink__members_keys(&all->kinds, &all->reading, error);
}

static ink_status change_sketches(ink__updating *all, ink_error *error)
{
    ink__feed feed = {
        .inputs = all->inputs,
        .input_count = all->input_count,
        .reading = &all->reading,
        .remembered = all->remembered,
        .host = all,
        .take = ink__update_take,
        .commit = ink__update_commit,
        .about_input = &all->about_input,
    };

    all->worker_count = feed.workers = ink__feed_workers(&feed, all->job);
    INK__TRY(ink__allocate_zeroed(&all->allocator, all->worker_count * sizeof *all->workers,
                                  &all->workers, error));
    for (unsigned i = 0; i < all->worker_count; i++)
        all->workers[i].pending.keys =
            (ink__gather){.allocator = all->allocator, .keep = INK__KEEP_KEYS};
    INK__TRY(
        ink__hasher_create(&all->collector.label_hasher, &(ink_params){0}, &all->allocator, error));
    INK__TRY(ink__groups_create(&all->collector.groups, all->kinds.count, UINT64_MAX,
                                ink__job_folder(all->job), &all->allocator, error));
    all->collector.groups->job = all->job;
    if (!all->grouped)
        INK__TRY(ink__groups_find(all->collector.groups, &(ink_label){0}, 0, &all->whole, error));
    all->apart = ink__update_is_apart(all);
    if (!all->apart)
        return ink__feed_run(&feed, all->job, all->began, error);
    feed.commit = NULL;
    INK__TRY(ink__update_make_copies(all, error));
    INK__TRY(ink__feed_run(&feed, all->job, all->began, error));
    return ink__update_join(all, error);
}

/* ---- The result --------------------------------------------------------------------------- */

static ink_status fail_absent(const ink__updating *all, ink_error *error)
{
    const ink_absent_key *first = &all->report->absent_keys[0];
    char                  key[48];

    all->job->failed_path = first->path;
    ink__quote(key, sizeof key, first->key,
               first->key_bytes < sizeof first->key ? first->key_bytes : sizeof first->key);
    return ink__fail(error, INK_NOT_FOUND, INK_AT_LINE, first->line,
                     "key \"%s\" is not in%s, expected one that was added; of %llu such records "
                     "this is the first, and nothing was removed",
                     key, first->fewer ? " so often" : "", (unsigned long long)all->report->absent);
}

/* Merging an empty filter makes the allowed rate the promise, by the rule of every merge. */
static ink_status raise_promise(const ink__updating *all, ink_sketch *sketch, ink_error *error)
{
    const ink_merge_options options = {.max_rate = all->options->max_rate};
    ink_description         d;
    ink_kind_info           kind;
    ink_sketch             *empty;

    ink_sketch_describe(sketch, &d);
    INK__TRY(ink_kind_describe(d.kind, &kind, error));
    if (!kind.contains || d.promised_rate == 0 || options.max_rate <= d.promised_rate)
        return INK_OK;
    ink_params params = ink__update_params(&d, &kind, all->options->secret);
    INK__TRY(ink_sketch_create(&empty, &params, &all->allocator, error));
    ink_status status = ink_sketch_merge(sketch, empty, &options, error);
    ink_sketch_free(empty);
    return status;
}

/* Calls `visit` for each sketch that changed. */
static ink_status each_change(ink__updating *all, void *host,
                              ink_status (*visit)(ink__updating *all, void *host,
                                                  const ink_label *label, ink_sketch *sketch,
                                                  ink_error *error),
                              ink_error *error)
{
    ink_entry_info  entry;
    ink_description now;

    for (size_t i = 0; i < ink_file_count(all->file); i++) {
        if (all->touched[i] == NULL)
            continue;
        INK__TRY(ink_file_entry(all->file, i, &entry, error));
        ink_sketch_describe(all->touched[i], &now);
        if (all->options->once && now.records == entry.records)
            continue; /* no key was new */
        INK__TRY(visit(all, host, &entry.label, all->touched[i], error));
    }
    for (uint64_t i = 0; i < all->made_count; i++) {
        const ink__update_made *made = &all->made[i];
        INK__TRY(visit(all, host, &made->group->label, made->group->sketches[made->kind], error));
    }
    return INK_OK;
}

static ink_status look(ink__updating *all, void *host, const ink_label *label, ink_sketch *sketch,
                       ink_error *error)
{
    (void)error;
    all->report->sketches++;
    if (!all->options->remove)
        ink__overfull_look(host, label, sketch);
    return INK_OK;
}

static ink_status settle(ink__updating *all, void *host, const ink_label *label, ink_sketch *sketch,
                         ink_error *error)
{
    (void)host;
    ink_status status = raise_promise(all, sketch, error);
    return status == INK_OK ? INK_OK : ink__set_blame(label, status, error);
}

/* Changed filters must keep their promises, or the rate that is allowed. */
static ink_status check_changes(ink__updating *all, ink_error *error)
{
    ink__overfull overfull = {.max_rate = all->options->max_rate};

    INK__TRY(each_change(all, &overfull, look, error));
    INK__TRY(ink__overfull_refuse(&overfull, error));
    if (all->options->max_rate != 0)
        INK__TRY(each_change(all, NULL, settle, error));
    all->report->made = all->made_count;
    return INK_OK;
}

/* Entries that were not touched are views, and stay as they are in the file; so do all sections. */
static ink_status fill_contents(const ink__updating *all, ink_entry *entries, ink_section *sections,
                                size_t section_count, ink_error *error)
{
    size_t count = ink_file_count(all->file);

    for (size_t i = 0; i < count; i++) {
        ink_entry_info entry;
        ink_sketch    *sketch = all->touched[i];
        INK__TRY(ink_file_entry(all->file, i, &entry, error));
        if (sketch == NULL)
            INK__TRY(ink_file_sketch(all->file, i, &sketch, error));
        entries[i] = (ink_entry){.label = entry.label, .sketch = sketch};
    }
    for (uint64_t i = 0; i < all->made_count; i++) {
        const ink__update_made *made = &all->made[i];
        entries[count + i] =
            (ink_entry){.label = made->group->label, .sketch = made->group->sketches[made->kind]};
    }
    for (size_t i = 0; i < section_count; i++)
        INK__TRY(ink_file_section(all->file, i, &sections[i], error));
    return INK_OK;
}

static ink_status save(const ink__updating *all, const locked_file *locked, ink_error *error)
{
    size_t     known = ink_file_count(all->file), count = known + (size_t)all->made_count;
    uint64_t   bytes = count * sizeof(ink_entry) + locked->section_count * sizeof(ink_section);
    ink_entry *entries;

    INK__TRY(ink__allocate_zeroed(&all->allocator, bytes, &entries, error));
    ink_section       *sections = (ink_section *)(void *)(entries + count);
    const ink_contents contents = {
        .entries = entries,
        .entry_count = count,
        .sections = sections,
        .section_count = locked->section_count,
        .allocator = &all->allocator,
    };
    const ink__crew crew = ink__crew_of(all->job, ink__job_threads(all->job));
    ink_status      status = fill_contents(all, entries, sections, locked->section_count, error);
    if (status == INK_OK)
        status = check_fate(locked, error);
    if (status == INK_OK)
        status = ink__contents_save(locked->path, &contents, &crew, error);
    for (size_t i = 0; i < known; i++)
        if (all->touched[i] == NULL)
            ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    ink__release(&all->allocator, entries, bytes);
    return status;
}

/* ---- The job ------------------------------------------------------------------------------ */

static ink_status check_options(const char *path, const ink_update_options *options,
                                ink_error *error)
{
    INK__TRY_ROOM("ink_update_options", options, error);
    if (strcmp(path, "-") == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "standard input for sketches, expected a file that can be replaced");
    if (options->remove && (options->once || options->max_rate != 0))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{%s} for keys that are removed, expected it with keys to add",
                         options->once ? "once" : "max_rate");
    return ink__check_max_rate(options->max_rate, error);
}

static void release(ink__updating *all)
{
    const ink_allocator *memory = &all->allocator;

    for (unsigned i = 0; i < all->worker_count && all->workers != NULL; i++)
        ink__pending_rows_end(&all->workers[i].pending);
    if (all->workers != NULL)
        ink__update_free_copies(all);
    ink__release(memory, all->workers, all->worker_count * sizeof *all->workers);
    ink__groups_free(all->collector.groups, all->worker_count);
    ink__hasher_free(all->collector.label_hasher);
    ink__release(memory, all->fresh, all->fresh_bytes);
    ink__release(memory, all->made, all->made_bytes);
    ink__release(memory, all->touched, ink_file_count(all->file) * sizeof *all->touched);
    ink__members_free(&all->kinds);
    ink_input_spec_free(all->input_spec);
}

static ink_status run(ink__updating *all, locked_file *locked, ink_error *error)
{
    INK__TRY(read_file(all, error));
    INK__TRY(plan_reading(all, error));
    all->report->key_columns = all->reading.key_count;
    all->report->grouped = all->grouped;
    INK__TRY(change_sketches(all, error));
    if (all->report->absent > 0)
        return fail_absent(all, error);
    INK__TRY(check_changes(all, error));
    return all->report->sketches > 0 ? save(all, locked, error) : INK_OK;
}

ink_status ink_update(const char *path, const ink_input *inputs, size_t input_count,
                      const ink_reading *reading, const ink_update_options *options,
                      ink_update_report *report, ink_job *job, ink_error *error)
{
    ink__updating all = {
        .allocator = ink__allocator_or_heap(job->allocator),
        .options = options,
        .inputs = inputs,
        .input_count = input_count,
        .job = job,
        .report = report,
        .began = ink__system_now()->nanoseconds(),
        .reading = *reading,
        .kinds.allocator = ink__allocator_or_heap(job->allocator),
    };
    locked_file locked;
    ink_error   failure;

    job->failed_path = NULL;
    *report = (ink_update_report){0};
    INK__TRY(check_options(path, options, error));
    ink_status status = open_locked(&locked, path, &all.allocator, &failure);
    if (status == INK_OK) {
        all.file = locked.file;
        status = run(&all, &locked, &failure);
        release(&all);
        close_locked(&locked);
    }
    if (status == INK_OK)
        return INK_OK;
    if (error != NULL)
        *error = failure;
    /* A failure that is about no input (which may have no path) is about the file; a stop is about
     * neither. Nothing has changed. */
    if (job->failed_path == NULL && !all.about_input && failure.location != INK_AT_LINE &&
        status != INK_STOPPED)
        job->failed_path = path;
    report->changed = report->sketches = report->made = report->stuck = 0;
    return status;
}
