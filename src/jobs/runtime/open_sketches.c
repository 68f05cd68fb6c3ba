/* open_sketches.c - opening files of sketches as the command does. */
#include "jobs/runtime/open_sketches.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "jobs/runtime/open_foreign.h"
#include "jobs/runtime/reading.h"
#include "net/namenodes.h"
#include "sketch/internal.h"

#include <string.h>

#define READ_BYTES ((uint64_t)64 << 10)

/* Bytes of a file of ours, or of another system. */
static ink_status decode(ink_file **file, const uint8_t *bytes, uint64_t count,
                         const ink_foreign_options *foreign, const ink_allocator *allocator,
                         ink_error *error)
{
    if (!ink_is_file(bytes, (size_t)count) &&
        (foreign != NULL || ink_foreign_certain(bytes, (size_t)count) != NULL))
        return ink__foreign_decode(file, bytes, count, foreign, allocator, error);
    return ink_file_decode(file, bytes, (size_t)count, INK_OPEN_COPY, allocator, error);
}

/* A file of another system. */
static ink_status open_foreign(ink_file **file, const ink_input *from,
                               const ink_allocator *allocator, ink_error *error)
{
    const uint8_t *bytes = NULL;
    ink__input     input;

    INK__TRY(ink__input_open(&input, from->path, error));
    ink_status status = input.bytes == 0 ? INK_OK : ink__input_map(&input, &bytes, error);
    if (status == INK_OK)
        status = ink__foreign_decode(file, bytes, input.bytes, from->foreign, allocator, error);
    if (bytes != NULL)
        ink__unmap(bytes, input.bytes);
    ink__input_close(&input);
    return status;
}

/* Reads a pipe to its end; its first bytes may have been read before. */
static ink_status open_pipe(ink_file **file, const ink_input *from, const ink_allocator *given,
                            ink_error *error)
{
    ink_allocator allocator = ink__allocator_or_heap(given);
    ink__input    input;
    void         *memory = NULL;
    uint64_t      room = 0, used = from->begun_bytes, more = from->begun_all == 0;

    INK__TRY(ink__input_open_any(&input, from->path, error));
    ink_status status = ink__make_room(&allocator, &memory, &room, 0, READ_BYTES, error);
    if (status == INK_OK && used > 0)
        memcpy(memory, from->begun, (size_t)used);
    while (status == INK_OK && more > 0) {
        if (used == room)
            status = ink__make_room(&allocator, &memory, &room, used, READ_BYTES, error);
        if (status == INK_OK)
            status =
                ink__input_read_some(&input, (uint8_t *)memory + used, room - used, &more, error);
        used += status == INK_OK ? more : 0;
    }
    ink__input_close(&input);
    if (status == INK_OK)
        status = decode(file, memory, used, from->foreign, given, error);
    ink__release(&allocator, memory, room);
    return status;
}

ink_status ink__sketches_open(ink_file **file, const ink_input *input, const ink__crew *crew,
                              const ink_allocator *allocator, ink_error *error)
{
    ink__stat stat;
    bool      foreign = false;

    INK__TRY(ink__reading_check_input(input, error));
    if (ink__reading_in_memory(input))
        return decode(file, input->memory, input->memory_bytes, input->foreign, allocator, error);
    bool there = ink__system_now()->stat_path(input->path, &stat) == 0;
    if (strcmp(input->path, "-") == 0 || (there && stat.pipe))
        return open_pipe(file, input, allocator, error);
    if (input->foreign != NULL)
        INK__TRY(ink__foreign_look(input, &foreign, error));
    if (foreign)
        return open_foreign(file, input, allocator, error);
    bool       small = there && stat.bytes <= INK__COPY_BYTES;
    ink_status status = ink__file_open(file, input->path, small ? INK_OPEN_COPY : INK_OPEN_CHECKED,
                                       crew, allocator, error);
    if (status != INK_FORMAT || ink__foreign_look(input, &foreign, NULL) != INK_OK || !foreign)
        return status;
    return open_foreign(file, input, allocator, error);
}

ink_status ink__sketches_check_name(const ink_input *input, ink_error *error)
{
    if (ink__reading_in_memory(input) || input->arrow != NULL ||
        !ink__ends_with(input->path, ink__webhdfs_path_bytes(input->path), ".ink"))
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0,
                     "named .ink, but does not begin as an .ink file, expected a whole one, or "
                     "records under another name");
}

ink_status ink__sketches_refuse(const ink_input *input, const ink__record_rule *records,
                                const uint8_t *bytes, uint64_t count, bool compressed,
                                ink_error *error)
{
    bool any = records->form == INK__RECORDS_FIXED; /* integers may begin like a file */

    if (!any && ink_is_file(bytes, (size_t)count))
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         compressed ? "a compressed .ink file, expected it plain, or records"
                                    : "an .ink file, expected records");
    return ink__sketches_check_name(input, error);
}

ink_status ink_file_open_any(ink_file **file, const char *path, const ink_allocator *allocator,
                             ink_error *error)
{
    const ink_input input = {.path = path};

    return ink__sketches_open(file, &input, NULL, allocator, error);
}
