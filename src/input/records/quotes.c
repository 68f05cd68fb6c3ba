/* quotes.c - where records of CSV end when line ends may stand in quotes, 64 bytes at a time. */
#include "input/records/quotes.h"

#include "kernels/masks.h"

/* The ends of records among the next bytes. *inside is all ones if they start inside quotes, else
 * 0, and becomes the same for the bytes after them. */
static inline uint64_t ends_at(const uint8_t *bytes, uint64_t at, uint64_t count, uint64_t *inside)
{
    uint64_t quoted = ink__mask_at(bytes, at, count, '"');

    /* Bit i becomes the parity of the quotes up to bit i. */
    quoted ^= quoted << 1;
    quoted ^= quoted << 2;
    quoted ^= quoted << 4;
    quoted ^= quoted << 8;
    quoted ^= quoted << 16;
    quoted ^= quoted << 32;
    quoted ^= *inside;
    *inside = 0 - (quoted >> 63);
    return ink__mask_at(bytes, at, count, '\n') & ~quoted;
}

uint64_t ink__quotes_count(const uint8_t *bytes, uint64_t count)
{
    uint64_t found = 0;

    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES)
        found += ink__ones_64(ink__mask_at(bytes, at, count, '"'));
    return found;
}

uint64_t ink__quoted_after_first(const uint8_t *bytes, uint64_t count, bool *inside)
{
    uint64_t quoted = 0 - (uint64_t)*inside;

    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES) {
        uint64_t mask = ends_at(bytes, at, count, &quoted);
        if (mask != 0) {
            *inside = false;
            return at + ink__trailing_zeros_64(mask) + 1;
        }
    }
    *inside = quoted != 0;
    return count;
}

uint64_t ink__quoted_after_last(const uint8_t *bytes, uint64_t count, bool *inside)
{
    uint64_t quoted = 0 - (uint64_t)*inside, last = 0;

    /* Forward, as only the quotes before a byte decide whether it is inside. */
    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES) {
        uint64_t mask = ends_at(bytes, at, count, &quoted);
        if (mask != 0)
            last = at + (64 - ink__leading_zeros_64(mask));
    }
    *inside = quoted != 0;
    return last;
}

size_t ink__quoted_cut(const uint8_t *bytes, uint64_t count, uint64_t *starts, uint64_t *ends,
                       size_t room, uint64_t *used)
{
    uint64_t start = 0, quoted = 0;
    size_t   found = 0;

    for (uint64_t at = 0; at < count && found < room; at += INK__MASK_BYTES)
        for (uint64_t mask = ends_at(bytes, at, count, &quoted); mask != 0 && found < room;
             mask &= mask - 1) {
            starts[found] = start;
            ends[found] = at + ink__trailing_zeros_64(mask);
            start = ends[found++] + 1;
        }
    *used = start;
    return found;
}
