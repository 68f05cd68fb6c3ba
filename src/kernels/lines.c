/* lines.c - bytes cut into lines, 64 bytes at a time, on any processor: the reference. */
#include "kernels/lines.h"

#include "kernels/masks.h"

size_t ink__lines_cut_rest(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                           uint64_t *ends, size_t room, uint64_t at, size_t found, uint64_t *used,
                           bool *cr)
{
    uint64_t start = found == 0 ? 0 : ends[found - 1] + 1;

    if (found == 0 || count - at < INK__MASK_BYTES) { /* else the room is nearly used up */
        for (; at < count && found < room; at += INK__MASK_BYTES)
            for (uint64_t mask = ink__mask_at(bytes, at, count, end); mask != 0 && found < room;
                 mask &= mask - 1) {
                starts[found] = start;
                ends[found] = at + ink__trailing_zeros_64(mask);
                start = ends[found++] + 1;
            }
        *cr = true;
    }
    *used = start;
    return found;
}

size_t ink__lines_cut_scalar(const uint8_t *bytes, uint64_t count, uint8_t end, uint64_t *starts,
                             uint64_t *ends, size_t room, uint64_t *used, bool *cr)
{
    return ink__lines_cut_rest(bytes, count, end, starts, ends, room, 0, 0, used, cr);
}

void ink__lines_without_cr(const uint8_t *bytes, const uint64_t *starts, uint64_t *ends,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        ends[i] -= ends[i] > starts[i] && bytes[ends[i] - 1] == '\r';
}

/* Counts in LANES bytes at a time, so that compilers vectorize it; a byte holds ROUNDS_MAX rounds.
 * (Three times as fast as counting the bits of masks.) */
enum { LANES = 64, ROUNDS_MAX = UINT8_MAX };

static uint64_t count_rounds(const uint8_t *bytes, uint64_t rounds, uint8_t end)
{
    uint8_t  lanes[LANES] = {0};
    uint64_t found = 0;

    for (uint64_t round = 0; round < rounds; round++)
        for (unsigned i = 0; i < LANES; i++)
            lanes[i] = (uint8_t)(lanes[i] + (bytes[round * LANES + i] == end));
    for (unsigned i = 0; i < LANES; i++)
        found += lanes[i];
    return found;
}

uint64_t ink__lines_count(const uint8_t *bytes, uint64_t count, uint8_t end)
{
    uint64_t found = 0, at = 0;

    while (count - at >= LANES) {
        uint64_t rounds = (count - at) / LANES;
        rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
        found += count_rounds(bytes + at, rounds, end);
        at += rounds * LANES;
    }
    for (; at < count; at++)
        found += bytes[at] == end;
    return found;
}

uint64_t ink__lines_after_first(const uint8_t *bytes, uint64_t count, uint8_t end)
{
    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES) {
        uint64_t mask = ink__mask_at(bytes, at, count, end);
        if (mask != 0)
            return at + ink__trailing_zeros_64(mask) + 1;
    }
    return count;
}

uint64_t ink__lines_after_last(const uint8_t *bytes, uint64_t count, uint8_t end)
{
    while (count > 0) {
        uint64_t some = count < INK__MASK_BYTES ? count : INK__MASK_BYTES;
        uint64_t mask = ink__mask_at(bytes + count - some, 0, some, end);
        if (mask != 0)
            return count - some + (64 - ink__leading_zeros_64(mask));
        count -= some;
    }
    return 0;
}
