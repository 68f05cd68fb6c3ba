/* shared.c - what is read of a concurrent sketch as a whole: its cells, and its numbers. */
#include "sketch/kinds/shared.h"

#include "base/size.h"

void ink__shared_copy(uint8_t *to, const uint8_t *from, uint64_t bytes, unsigned cell_bytes)
{
    for (uint64_t at = 0; at < bytes; at += cell_bytes)
        if (cell_bytes == 8)
            ink__store_u64(to + at, ink__shared_load_u64(from + at));
        else if (cell_bytes == 4)
            ink__store_u32(to + at, (uint32_t)ink__shared_load_u32(from + at));
        else
            to[at] = ink__shared_load_u8(from + at);
}

uint64_t ink__tallied_records(const ink_sketch *sketch)
{
    uint64_t sum = sketch->records;

    for (unsigned i = 0; i < INK__TALLIES; i++)
        sum = ink__add_saturating(sum, ink__shared_load_u64(sketch->tallies->of[i].records));
    return sum;
}

uint64_t ink__tallied_total(const ink_sketch *sketch, uint64_t before)
{
    for (unsigned i = 0; i < INK__TALLIES; i++)
        before = ink__add_saturating(before, ink__shared_load_u64(sketch->tallies->of[i].total));
    return before;
}
