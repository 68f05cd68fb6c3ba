/* output_file.c - files that are written completely or not at all, local or in HDFS, for programs
 * that use jobs. */
#include "base/cleanup.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "inkling_command.h"
#include "inkling_job.h"
#include "net/namenodes.h"
#include "net/webhdfs_writer.h"

struct ink_output {
    ink__webhdfs    *remote; /* NULL: a local file */
    bool             overwrite;
    ink__replacement replacement;
};

ink_status ink_output_open(ink_output **output, const char *path, bool overwrite, ink_error *error)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink_output   *made;

    INK__TRY(ink__allocate_zeroed(&heap, sizeof *made, &made, error));
    made->overwrite = overwrite;
    ink_status status;
    if (ink__webhdfs_is_address(path))
        status = ink__webhdfs_begin(&made->remote, path, NULL, &heap, error);
    else if (overwrite)
        status = ink__replacement_begin(&made->replacement, path, &heap, error);
    else
        status = ink__replacement_begin_new(&made->replacement, path, &heap, error);
    if (status == INK_OK)
        *output = made;
    else
        ink__release(&heap, made, sizeof *made);
    return status;
}

ink_status ink_output_begin(ink_output **output, const char *path, ink_error *error)
{
    return ink_output_open(output, path, true, error);
}

ink_status ink_output_write(ink_output *output, const void *bytes, size_t count, ink_error *error)
{
    if (output->remote != NULL)
        return ink__webhdfs_write(output->remote, bytes, count, error);
    return ink__replacement_write(&output->replacement, bytes, count, error);
}

ink_status ink_output_commit(ink_output *output, ink_error *error)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink_status    status = output->remote != NULL
                               ? ink__webhdfs_commit(output->remote, output->overwrite, error)
                               : ink__replacement_commit(&output->replacement, error);

    ink__release(&heap, output, sizeof *output);
    return status;
}

void ink_output_abandon(ink_output *output)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);

    if (output == NULL)
        return;
    if (output->remote != NULL)
        ink__webhdfs_abandon(output->remote);
    else
        ink__replacement_abandon(&output->replacement);
    ink__release(&heap, output, sizeof *output);
}

_Static_assert((int)INK_TARGET_BYTES == (int)INK__PATH_BYTES, "as it says");

ink_status ink_output_target(const char *path, char target[INK_TARGET_BYTES], ink_error *error)
{
    return ink__path_target(path, target, error);
}

void ink_remove_unfinished(void)
{
    ink__cleanup_remove();
}

void ink_end_unfinished(void)
{
    ink__cleanup_end();
}

void ink_outlive_cut_data(void)
{
    ink__system_now()->on_bus_error(ink__cleanup_outlive); /* a failure changes nothing */
}

const char *ink_mapped_path(const void *address)
{
    return ink__cleanup_path(address);
}
