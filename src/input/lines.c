/* lines.c - bytes cut into lines, 64 bytes at a time. */
#include "input/lines.h"

#include "input/masks.h"

/* The mask of the next 64 bytes, or of as many as there are. */
static inline uint64_t mask_at(const uint8_t *bytes, uint64_t at, uint64_t count, uint8_t end)
{
    return count - at >= INK__MASK_BYTES ? ink__mask_of(bytes + at, end)
                                         : ink__mask_of_some(bytes + at, count - at, end);
}

size_t ink__lines_cut(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                      uint64_t *ends, size_t room, uint64_t *used)
{
    uint64_t start = 0;
    size_t   found = 0;

    for (uint64_t at = 0; at < count && found < room; at += INK__MASK_BYTES)
        for (uint64_t mask = mask_at(bytes, at, count, end); mask != 0 && found < room;
             mask &= mask - 1) {
            starts[found] = start;
            ends[found] = at + ink__trailing_zeros_64(mask);
            start = ends[found++] + 1;
        }
    *used = start;
    return found;
}

void ink__lines_without_cr(const uint8_t *bytes, const uint64_t *starts, uint64_t *ends,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        ends[i] -= ends[i] > starts[i] && bytes[ends[i] - 1] == '\r';
}

uint64_t ink__lines_count(const uint8_t *bytes, uint64_t count, uint8_t end)
{
    uint64_t found = 0;

    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES)
        found += ink__ones_64(mask_at(bytes, at, count, end));
    return found;
}

uint64_t ink__lines_after_first(const uint8_t *bytes, uint64_t count, uint8_t end)
{
    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES) {
        uint64_t mask = mask_at(bytes, at, count, end);
        if (mask != 0)
            return at + ink__trailing_zeros_64(mask) + 1;
    }
    return count;
}

uint64_t ink__lines_after_last(const uint8_t *bytes, uint64_t count, uint8_t end)
{
    while (count > 0) {
        uint64_t some = count < INK__MASK_BYTES ? count : INK__MASK_BYTES;
        uint64_t mask = mask_at(bytes + count - some, 0, some, end);
        if (mask != 0)
            return count - some + (64 - ink__leading_zeros_64(mask));
        count -= some;
    }
    return 0;
}
