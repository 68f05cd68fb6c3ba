/* radix.h - hashes sorted roughly on their way: a buffer for each value of their first bits, which
 * is emptied when it is full. Whoever gets a full one finds its hashes close together, and so are
 * the places of a block filter that they touch. For one thread at a time. */
#ifndef INK_ENGINE_RADIX_H
#define INK_ENGINE_RADIX_H

#include "base/memory.h"

#include <string.h>

enum { INK__RADIX_BINS = 256, INK__RADIX_SHIFT = 56 };

typedef struct ink__radix {
    ink__block memory;
    uint64_t  *hashes;
    uint32_t   capacity; /* of each buffer; 0 before it is opened */
    uint32_t   used[INK__RADIX_BINS];
} ink__radix;

ink_status ink__radix_open(ink__radix *radix, uint32_t capacity, const ink_allocator *allocator,
                           ink_error *error);
void       ink__radix_close(ink__radix *radix, const ink_allocator *allocator);

static inline uint64_t *ink__radix_buffer(const ink__radix *radix, unsigned bin)
{
    return radix->hashes + (size_t)bin * radix->capacity;
}

/* Puts `count` hashes of one bin there; there is room. */
static inline void ink__radix_put_many(ink__radix *radix, unsigned bin, const uint64_t *hashes,
                                       uint32_t count)
{
    memcpy(ink__radix_buffer(radix, bin) + radix->used[bin], hashes, count * sizeof *hashes);
    radix->used[bin] += count;
}

/* Puts a hash into its buffer; true if that is full now, and has to be emptied before the next one.
 */
static inline bool ink__radix_put(ink__radix *radix, uint64_t hash)
{
    unsigned bin = (unsigned)(hash >> INK__RADIX_SHIFT);
    uint32_t used = radix->used[bin]++;

    ink__radix_buffer(radix, bin)[used] = hash;
    return used + 1 == radix->capacity;
}

#endif
