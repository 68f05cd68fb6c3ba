/* merge.c - unions of whole files by kind and label, and folded files. */
#include "base/status.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/sketch_set.h"
#include "sketch/internal.h"

/* All sketches of a file as a set. Has the type of ink__set_loader; the host is the path. */
static ink_status load_all(ink_set *set, void *host, ink_error *error)
{
    const char *const *path = host;
    ink_file          *file;

    INK__TRY(ink_file_open_any(&file, *path, &set->allocator, error));
    INK__TRY(ink__set_own(set, file, error));
    for (size_t i = 0; i < ink_file_count(file); i++) {
        ink_entry_info info;
        ink_sketch    *sketch;
        INK__TRY(ink_file_entry(file, i, &info, error));
        INK__TRY(ink_file_sketch(file, i, &sketch, error));
        INK__TRY(ink__set_add(set, &info.label, sketch, error));
    }
    return INK_OK;
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
        const char *path = paths[i];
        status = ink__set_merge_loaded(&made, load_all, &path, options, job->allocator, error);
        job->failed_path = status == INK_OK ? NULL : path;
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

/* Folds an entry. A sketch that keeps its size stays as it was, with its promise; so does one that
 * cannot be folded, if another one of the file can. */
static ink_status fold_entry(ink_set *set, uint64_t index, double rate, uint64_t divisor,
                             uint64_t *folded, ink_error *error)
{
    ink_entry  *entry = &set->entries[index];
    ink_sketch *copy;
    uint64_t    divided = divisor;

    INK__TRY(ink_sketch_copy(&copy, entry->sketch, &set->allocator, error));
    ink_status status = rate != 0 || divisor == 0
                            ? ink_sketch_fold_to_rate(copy, rate, &divided, error)
                            : ink_sketch_fold(copy, divisor, error);
    if (status == INK_OK && divided > 1) {
        ink_sketch_free((ink_sketch *)(uintptr_t)entry->sketch);
        entry->sketch = copy;
    } else
        ink_sketch_free(copy);
    *folded += status == INK_OK;
    return status == INK_OK || status == INK_UNSUPPORTED
               ? INK_OK
               : ink__set_blame(&entry->label, status, error);
}

static ink_status fold_all(ink_set *set, const char *path, double rate, uint64_t divisor,
                           ink_error *error)
{
    uint64_t folded = 0;

    INK__TRY(load_all(set, &path, error));
    for (uint64_t i = 0; i < set->count; i++)
        INK__TRY(fold_entry(set, i, rate, divisor, &folded, error));
    if (folded > 0)
        return INK_OK;
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "the file holds nothing that can be folded, expected a filter");
}

ink_status ink_fold_file(ink_set **set, const char *path, double rate, uint64_t divisor,
                         ink_job *job, ink_error *error)
{
    ink_set *made;

    job->failed_path = path;
    INK__TRY(ink__set_create(&made, job->allocator, error));
    ink_status status = fold_all(made, path, rate, divisor, error);
    if (status != INK_OK) {
        ink_set_free(made);
        return status;
    }
    job->failed_path = NULL;
    *set = made;
    return INK_OK;
}
