/* convert.c - a file of sketches, of ours or of another system, as a set: to be saved as a file of
 * ours, or to be written sketch by sketch for another system. */
#include "base/files.h"
#include "base/status.h"
#include "base/system.h"
#include "inkling_job.h"
#include "jobs/runtime/open_foreign.h"
#include "jobs/runtime/open_sketches.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/sections.h"
#include "jobs/runtime/sketch_set.h"

#include <string.h>

static ink_status add_to_set(void *host, const ink_label *label, ink_sketch *sketch,
                             ink_error *error)
{
    return ink__set_add(host, label, sketch, error);
}

static ink_status set_origin(ink_set *set, const char *format, ink_error *error)
{
    ink__origin origin;

    ink__origin_make(&origin, format);
    return ink__set_originate(set, (const uint8_t *)origin.text, origin.bytes, error);
}

/* A mapped file in a foreign format. */
static ink_status convert_mapped(ink_set **set, const ink_input *input, const ink_job *job,
                                 const ink_foreign_info **found, ink_error *error)
{
    const uint8_t *bytes = NULL;
    ink__input     opened;

    INK__TRY(ink__input_open(&opened, input->path, error));
    ink_status status = ink__set_create(set, job->allocator, error);
    if (status == INK_OK && opened.bytes > 0)
        status = ink__input_map(&opened, &bytes, error);
    if (status == INK_OK)
        status = ink_foreign_read(bytes, (size_t)opened.bytes, input->foreign, add_to_set, *set,
                                  found, job->allocator, error);
    if (status == INK_OK)
        status = set_origin(*set, (*found)->name, error);
    if (bytes != NULL)
        ink__unmap(bytes, opened.bytes);
    ink__input_close(&opened);
    return status;
}

static ink_status convert(ink_set **set, const ink_input *input, ink_job *job,
                          const ink_foreign_info **found, ink_error *error)
{
    bool      foreign = false;
    ink__stat stat;
    ink_file *file;

    INK__TRY(ink__reading_check_input(input, error));
    if (!ink__reading_in_memory(input) && strcmp(input->path, "-") != 0 &&
        ink__system_now()->stat_path(input->path, &stat) == 0 && stat.regular)
        INK__TRY(ink__foreign_look(input, &foreign, error));
    if (foreign)
        return convert_mapped(set, input, job, found, error);
    INK__TRY(ink__sketches_open(&file, input, NULL, job->allocator, error));
    ink_status status = ink__set_create(set, job->allocator, error);
    if (status != INK_OK) {
        ink_file_close(file);
        return status;
    }
    status = ink__set_own(*set, file, error);
    if (status == INK_OK)
        status = ink__set_load(*set, file, job, error);
    return status;
}

ink_status ink_convert(ink_set **set, const ink_input *input, ink_job *job,
                       const ink_foreign_info **found, ink_error *error)
{
    const ink_foreign_info *format = NULL;
    ink_set                *made = NULL;

    job->failed_path = NULL;
    INK__TRY_ROOM("ink_job", job, error);
    ink_status status = convert(&made, input, job, &format, error);
    job->failed_path = status == INK_OK ? NULL : input->path;
    if (status == INK_OK)
        *set = made;
    else
        ink_set_free(made);
    if (found != NULL)
        *found = format;
    return status;
}
