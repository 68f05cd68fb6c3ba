/* sort.c - merge sort of pointers, radix sort of numbers, and heap sort. */
#include "base/sort.h"

typedef int compare_items(const void *, const void *);

const void **ink__sort(const void **items, size_t count, compare_items *compare)
{
    const void **in = items, **out = items + count;
    size_t       sorted = 1;

    while (sorted < count && compare(items[sorted - 1], items[sorted]) <= 0)
        sorted++;
    if (sorted >= count)
        return items;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            size_t middle = count - from < run ? count : from + run;
            size_t until = count - from < 2 * run ? count : from + 2 * run;
            for (size_t i = from, left = from, right = middle; i < until; i++)
                if (right == until || (left < middle && compare(in[left], in[right]) <= 0))
                    out[i] = in[left++];
                else
                    out[i] = in[right++];
        }
        const void **swap = in;
        in = out;
        out = swap;
    }
    return in;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* By one byte after another, the lowest first; after an even number of them the result is back. */
void ink__sort_u64(uint64_t *numbers, uint64_t *room, size_t count)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t ends[257] = {0};
        for (size_t i = 0; i < count; i++)
            ends[(numbers[i] >> shift & 255) + 1]++;
        for (unsigned digit = 0; digit < 256; digit++)
            ends[digit + 1] += ends[digit];
        for (size_t i = 0; i < count; i++)
            room[ends[numbers[i] >> shift & 255]++] = numbers[i];
        uint64_t *swap = numbers;
        numbers = room;
        room = swap;
    }
}

enum { FEW = 24, DIGIT_BITS_MAX = 8 };

static void insertion_sort(uint64_t *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t number = numbers[i];
        size_t   at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* By one digit after another, the highest first: each number is swapped to where the next one of
 * its digit belongs. With more than FEW numbers a digit has 4 bits or more: at most 16 deep. */
void ink__sort_u64_in_place(uint64_t *numbers, size_t count, unsigned bits)
{
    size_t   next[1 << DIGIT_BITS_MAX], ends[1 << DIGIT_BITS_MAX];
    unsigned digit_bits = 4;

    if (count <= FEW || bits == 0) {
        insertion_sort(numbers, bits == 0 ? 0 : count);
        return;
    }
    while (digit_bits < DIGIT_BITS_MAX && digit_bits < bits && count >> (digit_bits + 1) != 0)
        digit_bits++;
    digit_bits = digit_bits < bits ? digit_bits : bits;

    const unsigned shift = bits - digit_bits;
    const size_t   digits = (size_t)1 << digit_bits, mask = digits - 1;
    for (size_t digit = 0; digit < digits; digit++)
        ends[digit] = 0;
    for (size_t i = 0; i < count; i++)
        ends[numbers[i] >> shift & mask]++;
    for (size_t digit = 0, sum = 0; digit < digits; digit++) {
        next[digit] = sum;
        ends[digit] = sum += ends[digit];
    }
    for (size_t digit = 0; digit < digits; digit++)
        while (next[digit] < ends[digit]) {
            uint64_t number = numbers[next[digit]];
            size_t   belongs;
            while ((belongs = (size_t)(number >> shift & mask)) != digit) {
                uint64_t other = numbers[next[belongs]];
                numbers[next[belongs]++] = number;
                number = other;
            }
            numbers[next[digit]++] = number;
        }
    for (size_t digit = 0, first = 0; digit < digits; first = ends[digit++])
        if (ends[digit] - first > 1)
            ink__sort_u64_in_place(numbers + first, ends[digit] - first, shift);
}

/* ---- Heaps -------------------------------------------------------------------------------- */

void ink__heap_sink(const ink__heap *heap, uint64_t at, uint64_t count)
{
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap->after(heap->host, child + 1, child))
            child++;
        if (!heap->after(heap->host, child, at))
            return;
        heap->swap(heap->host, child, at);
    }
}

void ink__heap_make(const ink__heap *heap, uint64_t count)
{
    for (uint64_t at = count / 2; at-- > 0;)
        ink__heap_sink(heap, at, count);
}

void ink__heap_sort(const ink__heap *heap, uint64_t count)
{
    ink__heap_make(heap, count);
    for (uint64_t end = count; end-- > 1;) {
        heap->swap(heap->host, 0, end);
        ink__heap_sink(heap, 0, end);
    }
}
