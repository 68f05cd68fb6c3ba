/* sketches.c - opening files of sketches as the command does. */
#include "base/files.h"
#include "base/memory.h"
#include "base/system.h"
#include "inkling_job.h"

#include <string.h>

/* Files up to this size are read, larger ones mapped: a mapped file must not be changed by others.
 */
#define COPY_BYTES ((uint64_t)64 << 20)

#define PIECE_BYTES ((uint64_t)64 << 10)

/* Reads all of standard input as a file. */
static ink_status open_standard_input(ink_file **file, const ink_allocator *given, ink_error *error)
{
    ink_allocator allocator = ink__allocator_or_heap(given);
    ink__input    input;
    void         *memory = NULL;
    uint64_t      room = 0, used = 0, more = 1;
    ink_status    status = ink__input_open_any(&input, "-", error);

    while (status == INK_OK && more > 0) {
        if (used == room)
            status = ink__make_room(&allocator, &memory, &room, used, PIECE_BYTES, error);
        if (status == INK_OK)
            status =
                ink__input_read_some(&input, (uint8_t *)memory + used, room - used, &more, error);
        used += status == INK_OK ? more : 0;
    }
    if (status == INK_OK)
        status = ink_file_decode(file, memory, (size_t)used, INK_OPEN_COPY, given, error);
    ink__release(&allocator, memory, room);
    return status;
}

ink_status ink_sketches_open(ink_file **file, const char *path, const ink_allocator *allocator,
                             ink_error *error)
{
    ink__stat stat;

    if (strcmp(path, "-") == 0)
        return open_standard_input(file, allocator, error);
    bool small = ink__system_now()->stat_path(path, &stat) == 0 && stat.bytes <= COPY_BYTES;
    return ink_file_open(file, path, small ? INK_OPEN_COPY : INK_OPEN_CHECKED, allocator, error);
}
