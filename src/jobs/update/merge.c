/* merge.c - unions of whole files by kind and label, and folded files. */
#include "base/status.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/open_sketches.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/sketch_set.h"
#include "jobs/runtime/tasks.h"
#include "sketch/internal.h"

#include <stdatomic.h>

/* A file whose sketches become a set. */
typedef struct loaded {
    const char    *path;
    const ink_job *job;
} loaded;

/* All sketches of a file as a set. Has the type of ink__set_loader; the host is a `loaded`. */
static ink_status load_all(ink_set *set, void *host, ink_error *error)
{
    const loaded   *from = host;
    const ink_input input = {.path = from->path, .foreign = from->job->foreign};
    const ink__crew crew = ink__crew_of(from->job, ink__job_threads(from->job));
    ink_file       *file;

    INK__TRY(ink__sketches_open(&file, &input, &crew, &set->allocator, error));
    INK__TRY(ink__set_own(set, file, error));
    return ink__set_load(set, file, from->job, error);
}

ink_status ink_merge_files(ink_set **set, const char *const *paths, size_t path_count,
                           const ink_merge_options *options, ink_job *job, ink_error *error)
{
    ink_set   *made = NULL;
    ink_status status = INK_OK;
    bool       standard = false;

    job->failed_path = NULL;
    if (path_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no file to merge, expected one or more");
    for (size_t i = 0; i < path_count; i++)
        INK__TRY(ink__reading_standard_once(paths[i], &standard, error));
    if (options != NULL)
        INK__TRY(ink__check_max_rate(options->max_rate, error));
    for (size_t i = 0; i < path_count && status == INK_OK; i++) {
        loaded from = {paths[i], job};
        status = ink__set_merge_loaded(&made, load_all, &from, options, job, error);
        job->failed_path = status == INK_OK ? NULL : paths[i];
    }
    if (status == INK_OK && options != NULL && options->max_rate > 0 && !ink__set_has_filter(made))
        status = ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                           "{max_rate}, but the files hold no filter, expected one");
    if (status == INK_OK)
        *set = made;
    else
        ink_set_free(made);
    return status;
}

typedef struct folding {
    ink_set    *set;
    double      rate;
    uint64_t    divisor, block;
    atomic_bool folded; /* one at least could be */
} folding;

/* Folds an entry. A sketch that keeps its size stays as it was, with its promise; so does one that
 * cannot be folded, if another one of the file can. */
static ink_status fold_entry(folding *all, ink_entry *entry, ink_error *error)
{
    ink_sketch *copy;
    uint64_t    divided = all->divisor;

    INK__TRY(ink_sketch_copy(&copy, entry->sketch, &all->set->allocator, error));
    ink_status status = all->rate != 0 || all->divisor == 0
                            ? ink_sketch_fold_to_rate(copy, all->rate, &divided, error)
                            : ink_sketch_fold(copy, all->divisor, error);
    if (status == INK_OK && divided > 1) {
        ink_sketch_free((ink_sketch *)(uintptr_t)entry->sketch);
        entry->sketch = copy;
    } else
        ink_sketch_free(copy);
    if (status == INK_OK)
        atomic_store_explicit(&all->folded, true, memory_order_relaxed);
    return status == INK_OK || status == INK_UNSUPPORTED
               ? INK_OK
               : ink__set_blame(&entry->label, status, error);
}

static ink_status fold_block(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    folding *all = host;
    uint64_t end = (task + 1) * all->block;

    (void)worker;
    for (uint64_t i = task * all->block; i < end && i < all->set->count; i++)
        INK__TRY(fold_entry(all, &all->set->entries[i], error));
    return INK_OK;
}

static ink_status fold_all(folding *all, loaded *from, ink_error *error)
{
    INK__TRY(load_all(all->set, from, error));
    all->block = ink__set_block(all->set);
    INK__TRY(ink__tasks_short(from->job, "filling", (all->set->count + all->block - 1) / all->block,
                              fold_block, all, error));
    if (atomic_load(&all->folded))
        return INK_OK;
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "the file holds nothing that can be folded, expected a filter");
}

ink_status ink_fold_file(ink_set **set, const char *path, double rate, uint64_t divisor,
                         ink_job *job, ink_error *error)
{
    folding all = {.rate = rate, .divisor = divisor};
    loaded  from = {path, job};

    job->failed_path = path;
    INK__TRY(ink__set_create(&all.set, job->allocator, error));
    all.set->threads = ink__job_threads(job);
    ink_status status = fold_all(&all, &from, error);
    if (status != INK_OK) {
        ink_set_free(all.set);
        return status;
    }
    job->failed_path = NULL;
    *set = all.set;
    return INK_OK;
}
