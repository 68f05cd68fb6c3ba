/* room.c - memory for a sketch that another thread makes. */
#include "jobs/arrays/room.h"

#include "base/tuning.h"

/* The system clears a huge page in the time of some sixty small ones: from this size on a huge page
 * is faster, even if it is not filled. */
#define HUGE_PAYS_BYTES ((uint64_t)512 << 10)

static uint64_t room_for(uint64_t bytes)
{
    const uint64_t asked = ink__block_asks(bytes), huge = ink__tuning_now().huge_from_bytes;

    return bytes >= HUGE_PAYS_BYTES && asked < huge ? huge : asked;
}

void ink__room_open(ink__room *room, uint64_t bytes, const ink_allocator *allocator)
{
    *room = (ink__room){.allocator = *allocator, .least = bytes};
    if (ink__block_take(&room->memory, allocator, room_for(bytes), NULL) != INK_OK)
        room->used = true;
}

void ink__room_close(ink__room *room)
{
    ink__block_release(&room->memory, &room->allocator);
}

/* A block is allocated and released, never resized. */
static void *resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    ink__room *room = host;

    if (block != NULL && block == room->memory.data) {
        room->used = false;
        return NULL;
    }
    if (block == NULL && !room->used && new_bytes >= room->least &&
        new_bytes <= room->memory.bytes) {
        room->used = true;
        return room->memory.data;
    }
    return room->allocator.resize(room->allocator.host, block, old_bytes, new_bytes);
}

ink_allocator ink__room_allocator(ink__room *room)
{
    return (ink_allocator){.resize = resize, .host = room};
}
