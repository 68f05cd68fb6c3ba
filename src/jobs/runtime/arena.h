/* arena.h - small allocations, such as labels, that are all released at once. */
#ifndef INK_JOBS_RUNTIME_ARENA_H
#define INK_JOBS_RUNTIME_ARENA_H

#include "inkling.h"

typedef struct ink__arena_block ink__arena_block;

typedef struct ink__arena {
    ink_allocator     allocator;
    ink__arena_block *blocks;
    uint64_t          used; /* of the newest */
} ink__arena;

void ink__arena_begin(ink__arena *arena, const ink_allocator *allocator);
void ink__arena_end(ink__arena *arena);

/* Copies `bytes` bytes and appends a NUL; the copy does not move. */
ink_status ink__arena_keep(ink__arena *arena, const void *from, uint64_t bytes,
                           const uint8_t **kept, ink_error *error);

/* Zeroed memory for an object, at *memory. */
ink_status ink__arena_take(ink__arena *arena, uint64_t bytes, void *memory, ink_error *error);

/* Moves all that is in `from`, which is empty then. Both have the same allocator. */
void ink__arena_join(ink__arena *arena, ink__arena *from);

#endif
