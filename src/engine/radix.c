/* radix.c - hashes sorted roughly on their way. */
#include "engine/radix.h"

ink_status ink__radix_open(ink__radix *radix, uint32_t capacity, const ink_allocator *allocator,
                           ink_error *error)
{
    uint64_t bytes = (uint64_t)capacity * INK__RADIX_BINS * sizeof *radix->hashes;

    *radix = (ink__radix){0};
    INK__TRY(ink__block_create(&radix->memory, allocator, bytes, error));
    radix->hashes = (uint64_t *)(void *)radix->memory.data;
    radix->capacity = capacity;
    return INK_OK;
}

void ink__radix_close(ink__radix *radix, const ink_allocator *allocator)
{
    ink__block_release(&radix->memory, allocator);
}
