/* locked_file.c - a file of sketches under a lock. */
#include "jobs/update/locked_file.h"

#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/open_sketches.h"

#include <errno.h>

/* ---- Opening ------------------------------------------------------------------------------ */

/* Finds out before data is read whether the folder lets files be made and removed. A file that
 * would change its owner is refused. */
static ink_status try_replacing(const ink__locked *locked, ink_error *error)
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
static ink_status read_bytes(ink__locked *locked, const uint8_t **bytes, ink_error *error)
{
    if (locked->input.bytes > INK__COPY_BYTES) {
        INK__TRY(ink__input_map(&locked->input, &locked->mapped, error));
        *bytes = locked->mapped;
        return INK_OK;
    }
    INK__TRY(
        ink__allocate_zeroed(&locked->allocator, locked->input.bytes + 1, &locked->copy, error));
    *bytes = locked->copy;
    return ink__input_read(&locked->input, locked->copy, locked->input.bytes, error);
}

/* Counts the sections, and refuses the position of a stream. */
static ink_status check_sections(ink__locked *locked, ink_error *error)
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

ink_status ink__locked_open(ink__locked *locked, const char *path, const ink_allocator *allocator,
                            ink_error *error)
{
    const uint8_t *bytes;

    *locked = (ink__locked){.allocator = *allocator, .input.file = -1};
    INK__TRY(ink__path_resolve(path, locked->path, error));
    INK__TRY(ink__input_open_locked(&locked->input, locked->path, error));
    ink_status status = try_replacing(locked, error);
    if (status == INK_OK)
        status = read_bytes(locked, &bytes, error);
    if (status == INK_OK)
        status = ink_file_decode(&locked->file, bytes, (size_t)locked->input.bytes,
                                 INK_OPEN_CHECKED, allocator, error);
    if (status == INK_OK)
        status = check_sections(locked, error);
    if (status != INK_OK)
        ink__locked_close(locked);
    return status;
}

void ink__locked_close(ink__locked *locked)
{
    ink_file_close(locked->file);
    if (locked->mapped != NULL)
        ink__unmap(locked->mapped, locked->input.bytes);
    ink__release(&locked->allocator, locked->copy, locked->input.bytes + 1);
    ink__input_close(&locked->input);
}

/* ---- Saving ------------------------------------------------------------------------------- */

/* Whether the file is still what it was when it was read. */
static ink_status check_fate(const ink__locked *locked, ink_error *error)
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

static ink_status save_with_sections(const ink__locked *locked, ink_contents *contents,
                                     ink_section *sections, ink_error *error)
{
    for (size_t i = 0; i < contents->section_count; i++)
        INK__TRY(ink_file_section(locked->file, i, &sections[i], error));
    contents->sections = sections;
    INK__TRY(check_fate(locked, error));
    return ink_save(locked->path, contents, error);
}

ink_status ink__locked_save(ink__locked *locked, const ink_entry *entries, size_t count,
                            ink_error *error)
{
    ink_contents contents = {
        .entries = entries,
        .entry_count = count,
        .section_count = locked->section_count,
        .allocator = &locked->allocator,
    };
    uint64_t     bytes = (contents.section_count + 1) * sizeof(ink_section);
    ink_section *sections;

    INK__TRY(ink__allocate_zeroed(&locked->allocator, bytes, &sections, error));
    ink_status status = save_with_sections(locked, &contents, sections, error);
    ink__release(&locked->allocator, sections, bytes);
    return status;
}
