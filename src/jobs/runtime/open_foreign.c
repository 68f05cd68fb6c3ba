/* open_foreign.c - files of sketches in formats of other systems, as sets and files of ours. */
#include "jobs/runtime/open_foreign.h"

#include "base/files.h"
#include "base/status.h"
#include "jobs/runtime/sketch_set.h"

static ink_status add_to_set(void *host, const ink_label *label, ink_sketch *sketch,
                             ink_error *error)
{
    return ink__set_add(host, label, sketch, error);
}

ink_status ink__foreign_set(ink_set **set, const uint8_t *bytes, uint64_t count,
                            const ink_foreign_options *options, const ink_foreign_info **found,
                            const ink_allocator *allocator, ink_error *error)
{
    ink_set *made = NULL;

    INK__TRY(ink__set_create(&made, allocator, error));
    ink_status status = ink_foreign_read(bytes, (size_t)count, options, add_to_set, made, found,
                                         allocator, error);
    if (status == INK_OK)
        *set = made;
    else
        ink_set_free(made);
    return status;
}

ink_status ink__foreign_decode(ink_file **file, const uint8_t *bytes, uint64_t count,
                               const ink_foreign_options *options, const ink_allocator *allocator,
                               ink_error *error)
{
    ink_set *set;
    uint8_t *data = NULL;
    size_t   data_bytes = 0;

    INK__TRY(ink__foreign_set(&set, bytes, count, options, NULL, allocator, error));
    ink_status status = ink_set_encode(set, &data, &data_bytes, error);
    ink_set_free(set);
    if (status == INK_OK) {
        status = ink_file_decode(file, data, data_bytes, INK_OPEN_COPY | INK_OPEN_TRUSTED,
                                 allocator, error);
        ink_bytes_free(data, data_bytes, allocator);
    }
    return status;
}

bool ink__foreign_is_certain(const char *path)
{
    uint8_t    first[INK_LOOK_BYTES];
    ink__input input;
    uint64_t   count = 0;

    if (ink__input_open(&input, path, NULL) != INK_OK)
        return false;
    ink_status status = ink__input_read_some(&input, first, sizeof first, &count, NULL);
    ink__input_close(&input);
    return status == INK_OK && ink_foreign_certain(first, (size_t)count) != NULL;
}
