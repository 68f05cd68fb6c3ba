/* merge.c - whole files united by kind and label, and folded. */
#include "base/memory.h"
#include "base/text.h"
#include "engine/recipe.h"
#include "engine/set.h"

#include <string.h>

static size_t kind_number(const char *name)
{
    size_t number = 0;

    while (strcmp(ink_kind_name(number), name) != 0)
        number++;
    return number;
}

/* A writable sketch of an entry. */
static ink_status load(const ink_file *file, size_t index, ink_sketch **sketch, ink_error *error)
{
    ink_description description;
    ink_sketch     *view;

    INK__TRY(ink_file_sketch(file, index, &view, error));
    ink_sketch_describe(view, &description);
    if (!description.read_only) {
        *sketch = view;
        return INK_OK;
    }
    ink_status status = ink_sketch_copy(sketch, view, NULL, error);
    ink_sketch_free(view);
    return status;
}

/* ---- Merging ------------------------------------------------------------------------------ */

/* A union on its way: entries in the order of files, by kind and label. */
typedef struct merging {
    ink_allocator            allocator;
    const ink_merge_options *options;
    ink_set                 *united;
    bool                     first; /* file */
} merging;

/* How entry number `at` of the union stands to an entry of a file. */
static int order(const merging *all, uint64_t at, const ink_entry_info *info)
{
    const ink_entry *entry = &all->united->entries[at];
    ink_description  description;

    ink_sketch_describe(entry->sketch, &description);
    size_t mine = kind_number(description.kind), other = kind_number(info->kind);
    if (mine != other)
        return mine < other ? -1 : 1;
    return ink_label_compare(&entry->label, &info->label);
}

/* Files without a label in common must still agree on what a key is. */
static ink_status check_rules(const merging *all, const ink_file *file, ink_error *error)
{
    ink_description a, b;
    ink_sketch     *other;

    if (all->united->count == 0 || ink_file_count(file) == 0)
        return INK_OK;
    INK__TRY(ink_file_sketch(file, 0, &other, error));
    ink_sketch_describe(all->united->entries[0].sketch, &a);
    ink_sketch_describe(other, &b);
    ink_sketch_free(other);
    if (a.secret_check != b.secret_check && a.keyed && b.keyed)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "keyed with another secret, expected that of the first file");
    if (a.key_type == b.key_type && strcmp(a.hash, b.hash) == 0 && a.seed == b.seed)
        return INK_OK;
    return ink__fail(
        error, INK_MISMATCH, INK_NOWHERE, 0,
        "keys are %s, hash %s, seed %llu; expected those of the first file: %s, %s, %llu",
        b.key_type == INK_KEY_INT ? "ints" : "bytes", b.hash, (unsigned long long)b.seed,
        a.key_type == INK_KEY_INT ? "ints" : "bytes", a.hash, (unsigned long long)a.seed);
}

/* Moves an entry of the old union to the new one. */
static ink_status move_entry(merging *all, ink_set *to, uint64_t at, ink_error *error)
{
    ink_entry  *entry = &all->united->entries[at];
    ink_sketch *sketch = (ink_sketch *)(uintptr_t)entry->sketch;

    entry->sketch = NULL;
    return ink__set_add(to, &entry->label, sketch, error);
}

static ink_status say_group(const ink_label *label, ink_status status, ink_error *error)
{
    char text[INK_SENTENCE_BYTES], group[48];

    if (error == NULL || label->group_kind != INK_GROUP_BYTES)
        return status;
    ink__quote(group, sizeof group, label->group, label->group_bytes);
    memcpy(text, error->sentence, sizeof text);
    return ink__fail(error, status, error->place, error->at, "group %s: %s", group, text);
}

/* Unites two ordered lists: the union so far, and the entries of a file. */
static ink_status unite(merging *all, const ink_file *file, ink_set *to, ink_error *error)
{
    uint64_t       at = 0;
    ink_entry_info info;

    INK__TRY(check_rules(all, file, error));
    for (size_t i = 0; i < ink_file_count(file); i++) {
        ink_sketch *sketch;
        INK__TRY(ink_file_entry(file, i, &info, error));
        while (at < all->united->count && order(all, at, &info) < 0)
            INK__TRY(move_entry(all, to, at++, error));
        INK__TRY(load(file, i, &sketch, error));
        if (at == all->united->count || order(all, at, &info) != 0) {
            INK__TRY(ink__set_add(to, &info.label, sketch, error));
            continue;
        }
        ink_sketch *into = (ink_sketch *)(uintptr_t)all->united->entries[at].sketch;
        ink_status  status = ink_sketch_merge(into, sketch, all->options, error);
        ink_sketch_free(sketch);
        if (status != INK_OK)
            return say_group(&info.label, status, error);
        INK__TRY(move_entry(all, to, at++, error));
    }
    while (at < all->united->count)
        INK__TRY(move_entry(all, to, at++, error));
    return INK_OK;
}

/* The recipe stays if it is the same in all files. */
static ink_status unite_recipes(const merging *all, const ink_file *file, ink_set *to,
                                ink_error *error)
{
    const uint8_t *bytes = NULL;
    uint64_t       count;

    INK__TRY(ink__recipe_section(file, &bytes, &count, error));
    to->recipe_dropped = all->united->recipe_dropped;
    if (!all->first && (count != all->united->recipe_bytes ||
                        (count > 0 && memcmp(bytes, all->united->recipe, count) != 0))) {
        to->recipe_dropped = true;
        return INK_OK;
    }
    if (count > 0)
        INK__TRY(ink__arena_keep(&to->labels, bytes, count, &to->recipe, error));
    to->recipe_bytes = count;
    return INK_OK;
}

static ink_status add_file(merging *all, const ink_file *file, ink_error *error)
{
    ink_set *to;

    INK__TRY(ink__set_create(&to, &all->allocator, error));
    ink_status status = unite(all, file, to, error);
    if (status == INK_OK)
        status = unite_recipes(all, file, to, error);
    if (status != INK_OK) {
        ink_set_free(to);
        return status;
    }
    ink_set_free(all->united);
    all->united = to;
    all->first = false;
    return INK_OK;
}

ink_status ink_merge_files(ink_set **set, const char *const *paths, size_t path_count,
                           const ink_merge_options *options, ink_job *job, ink_error *error)
{
    merging all = {
        .allocator = ink__allocator_or_heap(job->allocator), .options = options, .first = true};

    job->failed_path = NULL;
    if (path_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no file to merge, expected one or more");
    INK__TRY(ink__set_create(&all.united, &all.allocator, error));
    for (size_t i = 0; i < path_count; i++) {
        ink_file  *file;
        ink_status status = ink_sketches_open(&file, paths[i], job->allocator, error);
        if (status == INK_OK) {
            status = add_file(&all, file, error);
            ink_file_close(file);
        }
        if (status != INK_OK) {
            job->failed_path = paths[i];
            ink_set_free(all.united);
            return status;
        }
    }
    *set = all.united;
    return INK_OK;
}

/* ---- Folding ------------------------------------------------------------------------------ */

static ink_status fold_sketch(ink_sketch *sketch, double rate, uint64_t divisor, uint64_t *divided,
                              ink_error *error)
{
    *divided = divisor;
    return rate > 0 ? ink_sketch_fold_to_rate(sketch, rate, divided, error)
                    : ink_sketch_fold(sketch, divisor, error);
}

/* Folds an entry. What stays as large as it was stays as it was, with its promise; so does what
 * cannot be folded, if anything else in the file can. */
static ink_status fold_entry(const ink_file *file, size_t index, double rate, uint64_t divisor,
                             ink_set *to, uint64_t *folded, ink_error *error)
{
    ink_entry_info info;
    ink_sketch    *sketch;
    uint64_t       divided;

    INK__TRY(ink_file_entry(file, index, &info, error));
    INK__TRY(load(file, index, &sketch, error));
    ink_status status = fold_sketch(sketch, rate, divisor, &divided, error);
    if (status != INK_OK && status != INK_UNSUPPORTED) {
        ink_sketch_free(sketch);
        return say_group(&info.label, status, error);
    }
    *folded += status == INK_OK;
    if (status == INK_OK && divided == 1) {
        ink_sketch_free(sketch);
        INK__TRY(load(file, index, &sketch, error));
    }
    return ink__set_add(to, &info.label, sketch, error);
}

static ink_status fold_file(const ink_file *file, double rate, uint64_t divisor, ink_set *to,
                            ink_error *error)
{
    const uint8_t *bytes;
    uint64_t       folded = 0;

    for (size_t i = 0; i < ink_file_count(file); i++)
        INK__TRY(fold_entry(file, i, rate, divisor, to, &folded, error));
    if (folded == 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "the file holds nothing that can be folded, expected a filter");
    INK__TRY(ink__recipe_section(file, &bytes, &to->recipe_bytes, error));
    if (to->recipe_bytes == 0)
        return INK_OK;
    return ink__arena_keep(&to->labels, bytes, to->recipe_bytes, &to->recipe, error);
}

ink_status ink_fold_file(ink_set **set, const char *path, double rate, uint64_t divisor,
                         ink_job *job, ink_error *error)
{
    ink_file *file;
    ink_set  *made;

    job->failed_path = path;
    INK__TRY(ink_sketches_open(&file, path, job->allocator, error));
    ink_status status = ink__set_create(&made, job->allocator, error);
    if (status == INK_OK) {
        status = fold_file(file, rate, divisor, made, error);
        if (status != INK_OK)
            ink_set_free(made);
    }
    ink_file_close(file);
    INK__TRY(status);
    job->failed_path = NULL;
    *set = made;
    return INK_OK;
}
