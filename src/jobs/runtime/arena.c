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

/* Room for `bytes` bytes in the newest block. */
static ink_status make_room(ink__arena *arena, uint64_t bytes, uint8_t **at, ink_error *error)
{
    ink__arena_block *block = arena->blocks;
    void             *memory;

    if (block == NULL || arena->used > block->room || block->room - arena->used < bytes) {
        uint64_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        INK__TRY(ink__allocate(&arena->allocator, sizeof *block + room, &memory, error));
        block = memory;
        *block = (ink__arena_block){.next = arena->blocks, .room = room};
        arena->blocks = block;
        arena->used = 0;
    }
    *at = block->bytes + arena->used;
    arena->used += bytes;
    return INK_OK;
}

ink_status ink__arena_keep(ink__arena *arena, const void *from, uint64_t bytes,
                           const uint8_t **kept, ink_error *error)
{
    uint8_t *at;

    INK__TRY(make_room(arena, bytes + 1, &at, error));
    if (bytes > 0)
        memcpy(at, from, (size_t)bytes);
    at[bytes] = 0;
    *kept = at;
    return INK_OK;
}

ink_status ink__arena_take(ink__arena *arena, uint64_t bytes, void *memory, ink_error *error)
{
    uint8_t *at;

    arena->used = (arena->used + 7) & ~(uint64_t)7; /* may be past the end */
    INK__TRY(make_room(arena, bytes, &at, error));
    memset(at, 0, (size_t)bytes);
    memcpy(memory, &at, sizeof at);
    return INK_OK;
}

void ink__arena_join(ink__arena *arena, ink__arena *from)
{
    ink__arena_block **end = &arena->blocks;

    if (arena->blocks == NULL)
        arena->used = from->used;
    while (*end != NULL)
        end = &(*end)->next;
    *end = from->blocks;
    from->blocks = NULL;
}
