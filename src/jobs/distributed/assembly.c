/* assembly.c - finished sketches from many reducers assembled to one file, which is never in memory
 * as a whole: .ink images and payloads in slices go to a temporary file, are queried in place, and
 * are written from there. Sketches of one kind and label are parts of one; they are merged one
 * after another in a second such file. */
#include "base/memory.h"
#include "base/sort.h"
#include "base/status.h"
#include "jobs/distributed/payload_slices.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/input_spec.h"
#include "jobs/runtime/overfull.h"
#include "jobs/runtime/sketch_set.h"

#include <string.h>

/* An .ink file in the spool. */
typedef struct image {
    uint64_t at, bytes;
} image;

/* A sketch that was merged from parts. */
typedef struct merged {
    ink__head head;
    uint64_t  at;
} merged;

struct ink_assembly {
    ink_allocator allocator;
    uint64_t      bytes;  /* of this struct, with the folder */
    uint64_t      job;    /* of the pieces; 0: none has come */
    ink__spool    spool;  /* what has come */
    ink__spool    unions; /* what was merged from parts */
    ink__slices   slices;
    image        *images;
    uint64_t      image_count, images_bytes;
    bool          changed; /* by the piece that is being added: a failure is final */
    bool          spoilt;
    bool          part;  /* of a larger set: promises are not looked at */
    bool          ready; /* to be written: the rest is set */
    ink_file    **files; /* of the images */
    ink_entry    *entries;
    uint64_t      entry_count, entries_bytes;
    char          folder[];
};

ink_status ink_assembly_open(ink_assembly **assembly, const char *folder,
                             const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    const ink_job job = {.temp_folder = folder};
    const char   *where = ink__job_folder(&job);
    uint64_t      bytes = sizeof(ink_assembly) + strlen(where) + 1;
    ink_assembly *made;

    INK__TRY(ink__allocate_zeroed(&memory, bytes, &made, error));
    made->allocator = memory;
    made->bytes = bytes;
    memcpy(made->folder, where, strlen(where));
    ink__spool_begin(&made->spool, made->folder);
    ink__spool_begin(&made->unions, made->folder);
    ink__slices_begin(&made->slices, &made->spool, &memory);
    *assembly = made;
    return INK_OK;
}

void ink_assembly_of_part(ink_assembly *assembly)
{
    assembly->part = true;
}

/* Releases what make_ready made. */
static void release_entries(ink_assembly *assembly)
{
    for (uint64_t i = 0; i < assembly->entry_count; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)assembly->entries[i].sketch);
    ink__release(&assembly->allocator, assembly->entries, assembly->entries_bytes);
    for (uint64_t i = 0; assembly->files != NULL && i < assembly->image_count; i++)
        ink_file_close(assembly->files[i]);
    ink__release(&assembly->allocator, assembly->files,
                 assembly->image_count * sizeof *assembly->files);
    assembly->entries = NULL;
    assembly->files = NULL;
    assembly->entry_count = assembly->entries_bytes = 0;
    ink__spool_end(&assembly->unions);
    ink__spool_begin(&assembly->unions, assembly->folder);
    ink__spool_unmap(&assembly->spool);
}

void ink_assembly_close(ink_assembly *assembly)
{
    if (assembly == NULL)
        return;
    ink_allocator memory = assembly->allocator;

    release_entries(assembly);
    ink__slices_end(&assembly->slices);
    ink__spool_end(&assembly->spool);
    ink__release(&memory, assembly->images, assembly->images_bytes);
    ink__release(&memory, assembly, assembly->bytes);
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* Checks everything now, while the piece is known. */
static ink_status add_image(ink_assembly *assembly, const ink__item *item, ink_error *error)
{
    ink_entry_info info;
    ink_file      *file;
    uint64_t       at;

    INK__TRY(ink_file_decode(&file, item->bytes, (size_t)item->count, INK_OPEN_CHECKED,
                             &assembly->allocator, error));
    ink_status status = INK_OK;
    for (size_t i = 0; i < ink_file_count(file) && status == INK_OK; i++)
        status = ink__piece_entry(file, i, &info, error);
    ink_file_close(file);
    INK__TRY(status);
    INK__TRY(ink__make_room(&assembly->allocator, &assembly->images, &assembly->images_bytes,
                            assembly->image_count * sizeof *assembly->images,
                            sizeof *assembly->images, error));
    INK__TRY(ink__spool_reserve(&assembly->spool, item->count, &at, error));
    INK__TRY(ink__spool_write(&assembly->spool, at, item->bytes, item->count, error));
    assembly->images[assembly->image_count++] = (image){at, item->count};
    return INK_OK;
}

static ink_status add_item(void *host, const ink__item *item, ink_error *error)
{
    ink_assembly *assembly = host;

    if (item->type == INK__ITEM_SKETCHES)
        return add_image(assembly, item, error);
    if (item->type == INK__ITEM_SLICE)
        return ink__slices_add(&assembly->slices, item, &assembly->changed, error);
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     "a piece with keys or sizes, expected finished sketches, as reducers give "
                     "them");
}

static ink_status check_usable(const ink_assembly *assembly, ink_error *error)
{
    if (!assembly->spoilt)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "a piece was added in part when that failed, expected a new assembly");
}

ink_status ink_assembly_add(ink_assembly *assembly, const void *data, size_t count,
                            ink_error *error)
{
    const uint8_t *piece = data;
    uint64_t images = assembly->image_count, bytes = assembly->spool.bytes, job = assembly->job;

    INK__TRY(check_usable(assembly, error));
    if (assembly->ready)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a piece for an assembly that was saved, expected it before");
    assembly->changed = false;
    ink_status status = ink__piece_read(piece, count, &job, add_item, assembly, error);
    if (status == INK_OK) {
        assembly->job = job;
        return INK_OK;
    }
    assembly->spoilt = assembly->changed;
    assembly->image_count = images; /* as before, if it is not spoilt */
    assembly->spool.bytes = bytes;
    return status;
}

/* ---- Parts -------------------------------------------------------------------------------- */

/* The sketch of a kind and label, or a part of it. */
typedef struct part {
    const char        *kind;
    ink_label          label;
    const ink_file    *file; /* entry `index` of this one ... */
    size_t             index;
    const ink__sliced *sliced; /* ... or this, if it is not NULL */
} part;

typedef struct parts {
    part        *list;
    uint64_t     count, list_bytes;
    const void **order; /* by kind and label, then as they came */
    void        *order_memory;
    uint64_t     order_bytes;
    merged      *unions; /* of several parts, in the same order */
    uint64_t     union_count, unions_bytes;
} parts;

static int compare(const void *one, const void *other)
{
    const part *a = one, *b = other;
    int         kinds = strcmp(a->kind, b->kind);

    return kinds != 0 ? kinds : ink_label_compare(&a->label, &b->label);
}

/* Opens the images in place, each checked whole: else every view would check its bytes again. */
static ink_status open_files(ink_assembly *assembly, uint64_t *entries, ink_error *error)
{
    *entries = 0;
    if (assembly->image_count == 0)
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&assembly->allocator,
                                  assembly->image_count * sizeof *assembly->files, &assembly->files,
                                  error));
    for (uint64_t i = 0; i < assembly->image_count; i++) {
        const image *from = &assembly->images[i];
        INK__TRY(ink_file_decode(&assembly->files[i], ink__spool_at(&assembly->spool, from->at),
                                 (size_t)from->bytes, INK_OPEN_CHECKED, &assembly->allocator,
                                 error));
        *entries += ink_file_count(assembly->files[i]);
    }
    return INK_OK;
}

static ink_status list_parts(const ink_assembly *assembly, parts *all, ink_error *error)
{
    const ink__slices *slices = &assembly->slices;

    for (uint64_t i = 0; i < slices->count; i++)
        all->list[all->count++] = (part){.kind = slices->list[i]->kind,
                                         .label = slices->list[i]->label,
                                         .sliced = slices->list[i]};
    for (uint64_t i = 0; i < assembly->image_count; i++)
        for (size_t k = 0; k < ink_file_count(assembly->files[i]); k++) {
            ink_entry_info info;
            INK__TRY(ink_file_entry(assembly->files[i], k, &info, error));
            all->list[all->count++] = (part){
                .kind = info.kind, .label = info.label, .file = assembly->files[i], .index = k};
        }
    return INK_OK;
}

static ink_status gather_parts(ink_assembly *assembly, parts *all, ink_error *error)
{
    uint64_t entries;

    INK__TRY(open_files(assembly, &entries, error));
    entries += assembly->slices.count;
    if (entries == 0)
        return INK_OK;
    all->order_bytes = entries * 2 * sizeof *all->order;
    INK__TRY(ink__allocate(&assembly->allocator, all->order_bytes, &all->order_memory, error));
    all->list_bytes = entries * sizeof *all->list;
    INK__TRY(ink__allocate_zeroed(&assembly->allocator, all->list_bytes, &all->list, error));
    INK__TRY(list_parts(assembly, all, error));
    const void **order = all->order_memory;
    for (uint64_t i = 0; i < all->count; i++)
        order[i] = &all->list[i];
    all->order = ink__sort(order, (size_t)all->count, compare);
    return INK_OK;
}

static ink_status open_part(const ink_assembly *assembly, const part *of, ink_sketch **sketch,
                            ink_error *error)
{
    if (of->sliced == NULL)
        return ink_file_sketch(of->file, of->index, sketch, error);
    ink_status status =
        ink__head_open(sketch, &of->sliced->head, ink__spool_at(&assembly->spool, of->sliced->at),
                       &assembly->allocator, error);
    return status == INK_FORMAT ? ink__set_blame(&of->label, status, error) : status;
}

/* ---- Merging ------------------------------------------------------------------------------ */

/* Parts of one sketch have one plan; they are not folded to fit. */
static ink_status check_plans(const ink_sketch *one, const ink_sketch *other, ink_error *error)
{
    ink__head      a, b;
    ink__head_info info;

    ink__sketch_head(one, &a);
    ink__sketch_head(other, &b);
    INK__TRY(ink__head_describe(&a, &info, error));
    return info.slices ? ink__head_match(&a, &b, error) : INK_OK;
}

/* Merges a part into *into, or copies it if that is NULL. */
static ink_status merge_part(const ink_assembly *assembly, const part *of, ink_sketch **into,
                             ink_error *error)
{
    const ink_merge_options options = {.parts = true};
    ink_sketch             *view;

    INK__TRY(open_part(assembly, of, &view, error));
    bool       first = *into == NULL;
    ink_status status = first ? ink_sketch_copy(into, view, &assembly->allocator, error)
                              : check_plans(*into, view, error);
    if (status == INK_OK && !first)
        status = ink_sketch_merge(*into, view, &options, error);
    ink_sketch_free(view);
    return status == INK_MISMATCH ? ink__set_blame(&of->label, status, error) : status;
}

/* Writes a sketch to the second file. */
static ink_status keep_union(ink_assembly *assembly, const ink_sketch *sketch, merged *to,
                             ink_error *error)
{
    ink__head_info info;
    void          *payload = NULL;

    ink__sketch_head(sketch, &to->head);
    INK__TRY(ink__head_describe(&to->head, &info, error));
    INK__TRY(ink__spool_reserve(&assembly->unions, info.payload_bytes, &to->at, error));
    if (info.payload_bytes == 0)
        return INK_OK;
    INK__TRY(ink__allocate(&assembly->allocator, info.payload_bytes, &payload, error));
    ink_status status = ink_sketch_payload(sketch, payload, (size_t)info.payload_bytes, error);
    if (status == INK_OK)
        status = ink__spool_write(&assembly->unions, to->at, payload, info.payload_bytes, error);
    ink__release(&assembly->allocator, payload, info.payload_bytes);
    return status;
}

/* Merges the parts from `first` up to `end`, which are of one sketch. */
static ink_status merge_run(ink_assembly *assembly, parts *all, uint64_t first, uint64_t end,
                            ink_error *error)
{
    ink_sketch *sketch = NULL;
    ink_status  status = INK_OK;

    INK__TRY(ink__make_room(&assembly->allocator, &all->unions, &all->unions_bytes,
                            all->union_count * sizeof *all->unions, sizeof *all->unions, error));
    for (uint64_t i = first; i < end && status == INK_OK; i++)
        status = merge_part(assembly, all->order[i], &sketch, error);
    if (status == INK_OK)
        status = keep_union(assembly, sketch, &all->unions[all->union_count++], error);
    ink_sketch_free(sketch);
    return status;
}

/* ---- Saving ------------------------------------------------------------------------------- */

/* Views of all that is to be written; those of unions when all of these are in the file. */
static ink_status make_entries(ink_assembly *assembly, parts *all, ink_error *error)
{
    uint64_t bytes = all->count * sizeof *assembly->entries, unions = 0;

    if (bytes == 0)
        return INK_OK;
    INK__TRY(ink__allocate_zeroed(&assembly->allocator, bytes, &assembly->entries, error));
    assembly->entries_bytes = bytes;
    for (uint64_t first = 0, end = 1; first < all->count; first = end++) {
        const part *of = all->order[first];
        ink_sketch *sketch = NULL;
        while (end < all->count && compare(of, all->order[end]) == 0)
            end++;
        INK__TRY(end - first == 1 ? open_part(assembly, of, &sketch, error)
                                  : merge_run(assembly, all, first, end, error));
        assembly->entries[assembly->entry_count++] = (ink_entry){of->label, sketch};
    }
    INK__TRY(ink__spool_map(&assembly->unions, error));
    for (uint64_t i = 0; i < assembly->entry_count; i++) {
        ink_sketch *sketch;
        if (assembly->entries[i].sketch != NULL)
            continue;
        const merged *from = &all->unions[unions];
        INK__TRY(ink__head_open(&sketch, &from->head, ink__spool_at(&assembly->unions, from->at),
                                &assembly->allocator, error));
        assembly->entries[i].sketch = sketch;
        unions++;
    }
    return INK_OK;
}

/* Refuses filters that are above their promise, as ink_build does. */
static ink_status check_promises(const ink_assembly *assembly, ink_error *error)
{
    ink__overfull overfull = {.built = true};

    for (uint64_t i = 0; i < assembly->entry_count; i++)
        ink__overfull_look(&overfull, &assembly->entries[i].label, assembly->entries[i].sketch);
    return ink__overfull_refuse(&overfull, error);
}

static ink_status make_ready(ink_assembly *assembly, ink_error *error)
{
    parts all = {0};

    INK__TRY(check_usable(assembly, error));
    if (assembly->ready)
        return INK_OK;
    INK__TRY(ink__slices_check(&assembly->slices, error));
    INK__TRY(ink__spool_map(&assembly->spool, error));
    ink_status status = gather_parts(assembly, &all, error);
    if (status == INK_OK)
        status = make_entries(assembly, &all, error);
    if (status == INK_OK && !assembly->part)
        status = check_promises(assembly, error);
    ink__release(&assembly->allocator, all.list, all.list_bytes);
    ink__release(&assembly->allocator, all.order_memory, all.order_bytes);
    ink__release(&assembly->allocator, all.unions, all.unions_bytes);
    if (status != INK_OK)
        release_entries(assembly);
    assembly->ready = status == INK_OK;
    return status;
}

/* Writes all sketches to a file, or to a sink if `path` is NULL. */
static ink_status put_all(ink_assembly *assembly, const char *path, const ink_sink *sink,
                          const ink_reading *reading, const ink_input *inputs, size_t input_count,
                          ink_error *error)
{
    /* Columns have no input spec. */
    bool        input_spec = reading != NULL && (input_count == 0 || inputs[0].arrow == NULL);
    ink__arena  arena;
    ink_section section = {.id = INK_SECTION_INPUT_SPEC};
    ink_status  status = INK_OK;
    ink_form    form;
    uint64_t    count = 0;

    INK__TRY(make_ready(assembly, error));
    const ink_contents contents = {
        .entries = assembly->entries,
        .entry_count = (size_t)assembly->entry_count,
        .sections = &section,
        .section_count = input_spec,
        .allocator = &assembly->allocator,
    };
    ink__arena_begin(&arena, &assembly->allocator);
    if (input_spec)
        status = ink_reading_form(reading, inputs, input_count, &form, error);
    if (input_spec && status == INK_OK)
        status = ink__input_spec_write(reading, form, &arena, &section.data, &count, error);
    section.bytes = (size_t)count;
    if (status == INK_OK)
        status = path != NULL ? ink_contents_save(path, &contents, error)
                              : ink_contents_write(&contents, sink, error);
    ink__arena_end(&arena);
    return status;
}

ink_status ink_assembly_save(ink_assembly *assembly, const char *path, const ink_reading *reading,
                             const ink_input *inputs, size_t input_count, ink_error *error)
{
    return put_all(assembly, path, NULL, reading, inputs, input_count, error);
}

ink_status ink_assembly_write(ink_assembly *assembly, const ink_sink *sink,
                              const ink_reading *reading, const ink_input *inputs,
                              size_t input_count, ink_error *error)
{
    return put_all(assembly, NULL, sink, reading, inputs, input_count, error);
}

ink_status ink_assembly_count(ink_assembly *assembly, size_t *count, ink_error *error)
{
    INK__TRY(make_ready(assembly, error));
    *count = (size_t)assembly->entry_count;
    return INK_OK;
}

ink_status ink_assembly_entry(const ink_assembly *assembly, size_t index, ink_entry *entry,
                              ink_error *error)
{
    if (index >= assembly->entry_count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "entry %zu, expected fewer than %zu",
                         index, (size_t)assembly->entry_count);
    *entry = assembly->entries[index];
    return INK_OK;
}
