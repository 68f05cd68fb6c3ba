/* arena.c - small allocations that are all released at once. */
#include "jobs/runtime/arena.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

enum { BLOCK_BYTES = (64 << 10) - 64 };

struct ink__arena_block {
    ink__arena_block *next;
    uint64_t          room;
    uint8_t           bytes[];
};

void ink__arena_begin(ink__arena *arena, const ink_allocator *allocator)
{
    *arena = (ink__arena){.allocator = *allocator};
}

void ink__arena_end(ink__arena *arena)
{
    for (ink__arena_block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        ink__release(&arena->allocator, block, sizeof *block + block->room);
    }
    arena->blocks = NULL;
}

ink_status ink__arena_keep(ink__arena *arena, const void *from, uint64_t bytes,
                           const uint8_t **kept, ink_error *error)
{
    ink__arena_block *block = arena->blocks;
    void             *memory;

    if (block == NULL || block->room - arena->used < bytes + 1) {
        uint64_t room = bytes + 1 > BLOCK_BYTES ? bytes + 1 : BLOCK_BYTES;
        INK__TRY(ink__allocate(&arena->allocator, sizeof *block + room, &memory, error));
        block = memory;
        *block = (ink__arena_block){.next = arena->blocks, .room = room};
        arena->blocks = block;
        arena->used = 0;
    }
    uint8_t *at = block->bytes + arena->used;
    if (bytes > 0)
        memcpy(at, from, bytes);
    at[bytes] = 0;
    arena->used += bytes + 1;
    *kept = at;
    return INK_OK;
}
