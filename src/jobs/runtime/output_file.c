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

#include <string.h>

struct ink_output {
    ink__webhdfs    *remote; /* NULL: a local file */
    ink__replacement replacement;
    size_t           bytes;  /* of this object */
    char             path[]; /* a copy */
};

ink_status ink_output_begin(ink_output **output, const char *path, ink_error *error)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    size_t        length = strlen(path), bytes = sizeof **output + length + 1;
    ink_output   *made;

    INK__TRY(ink__allocate_zeroed(&heap, bytes, &made, error));
    made->bytes = bytes;
    memcpy(made->path, path, length + 1);
    ink_status status = ink__webhdfs_is_address(path)
                            ? ink__webhdfs_begin(&made->remote, path, NULL, &heap, error)
                            : ink__replacement_begin(&made->replacement, made->path, &heap, error);
    if (status == INK_OK)
        *output = made;
    else
        ink__release(&heap, made, bytes);
    return status;
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
                               ? ink__webhdfs_commit(output->remote, error)
                               : ink__replacement_commit(&output->replacement, error);

    ink__release(&heap, output, output->bytes);
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
    ink__release(&heap, output, output->bytes);
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
