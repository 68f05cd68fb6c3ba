/* open_foreign.c - files of sketches in formats of other systems, opened as files of ours. */
#include "jobs/runtime/open_foreign.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/sections.h"

#include <string.h>

/* The sketches of a file, and the names of their groups. */
typedef struct gathered {
    ink_allocator allocator;
    ink_entry    *entries;
    uint64_t      count, entries_bytes;
} gathered;

enum { NAME_BYTES = 32 }; /* of a group, with its end */

static ink_status gather(void *host, const ink_label *label, ink_sketch *sketch, ink_error *error)
{
    gathered  *all = host;
    ink_label  kept = *label;
    ink_status status = ink__make_room(&all->allocator, &all->entries, &all->entries_bytes,
                                       all->count * sizeof(ink_entry), sizeof(ink_entry), error);

    if (status == INK_OK && label->group_kind == INK_GROUP_BYTES) {
        char *name;
        status = ink__allocate(&all->allocator, NAME_BYTES, &name, error);
        if (status == INK_OK)
            kept.group = memcpy(name, label->group, label->group_bytes);
    }
    if (status == INK_OK)
        all->entries[all->count++] = (ink_entry){kept, sketch};
    else
        ink_sketch_free(sketch);
    return status;
}

static void drop(gathered *all)
{
    for (uint64_t i = 0; i < all->count; i++) {
        ink_sketch_free((ink_sketch *)(uintptr_t)all->entries[i].sketch);
        if (all->entries[i].label.group_kind == INK_GROUP_BYTES)
            ink__release(&all->allocator, (void *)(uintptr_t)all->entries[i].label.group,
                         NAME_BYTES);
    }
    ink__release(&all->allocator, all->entries, all->entries_bytes);
}

ink_status ink__foreign_decode(ink_file **file, const uint8_t *bytes, uint64_t count,
                               const ink_foreign_options *options, const ink_allocator *allocator,
                               ink_error *error)
{
    gathered    all = {.allocator = ink__allocator_or_heap(allocator)};
    uint8_t    *data = NULL;
    size_t      data_bytes = 0;
    ink__origin origin;
    ink_section section = {.id = INK_SECTION_ORIGIN};

    const ink_foreign_info *found;
    ink_status              status =
        ink_foreign_read(bytes, (size_t)count, options, gather, &all, &found, allocator, error);
    if (status == INK_OK) {
        ink__origin_make(&origin, found->name);
        section.data = (const uint8_t *)origin.text;
        section.bytes = origin.bytes;
        status = ink_contents_encode(&(ink_contents){.entries = all.entries,
                                                     .entry_count = (size_t)all.count,
                                                     .sections = &section,
                                                     .section_count = 1,
                                                     .allocator = allocator},
                                     &data, &data_bytes, error);
    }
    drop(&all);
    INK__TRY(status);
    status =
        ink_file_decode(file, data, data_bytes, INK_OPEN_COPY | INK_OPEN_TRUSTED, allocator, error);
    ink_bytes_free(data, data_bytes, allocator);
    return status;
}

ink_status ink__foreign_look(const ink_input *from, bool *foreign, ink_error *error)
{
    enum { FIRST_BYTES = 64 };
    uint8_t    first[FIRST_BYTES];
    ink__input input;
    uint64_t   count;

    INK__TRY(ink__input_open(&input, from->path, error));
    ink_status status = ink__input_read_some(&input, first, sizeof first, &count, error);
    ink__input_close(&input);
    INK__TRY(status);
    *foreign = !ink_is_file(first, (size_t)count) &&
               (from->foreign != NULL || ink_foreign_certain(first, (size_t)count) != NULL);
    return INK_OK;
}
