/* heap_test.c - things are sorted, whatever order they come in, and the first of a heap is the last
 * in order. */
#include "base/heap.h"

#include "support/cases.h"

enum { THINGS = 200 };

static bool number_after(const void *host, uint64_t a, uint64_t b)
{
    const int *numbers = host;

    return numbers[a] > numbers[b];
}

static void swap_numbers(void *host, uint64_t a, uint64_t b)
{
    int *numbers = host, kept = numbers[a];

    numbers[a] = numbers[b];
    numbers[b] = kept;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static unsigned state_of_random = 5;

/* Numbers with many equal ones among them, or rising or falling ones. */
static void fill(int *numbers, unsigned count, unsigned way)
{
    for (unsigned i = 0; i < count; i++) {
        state_of_random = state_of_random * 1664525 + 1013904223;
        numbers[i] = way == 0   ? (int)i
                     : way == 1 ? -(int)i
                                : (int)((state_of_random >> 16) % (way == 2 ? 1000 : 3));
    }
}

CASE(things_come_out_in_order)
{
    int numbers[THINGS], expected[THINGS];

    for (unsigned count = 0; count < THINGS; count++)
        for (unsigned way = 0; way < 4; way++) {
            const ink__heap heap = {numbers, number_after, swap_numbers};
            fill(numbers, count, way);
            memcpy(expected, numbers, sizeof numbers);
            qsort(expected, count, sizeof *expected, compare);
            ink__heap_sort(&heap, count);
            assert_memory_equal(numbers, expected, count * sizeof *numbers);
        }
}

CASE(the_root_is_the_last_and_stays_it_when_replaced)
{
    int numbers[THINGS], sorted[THINGS];

    for (unsigned count = 1; count < THINGS; count += 7) {
        const ink__heap heap = {numbers, number_after, swap_numbers};
        fill(numbers, count, 2);
        ink__heap_make(&heap, count);
        for (int next = 0; next < 50; next++) {
            memcpy(sorted, numbers, sizeof numbers);
            qsort(sorted, count, sizeof *sorted, compare);
            assert_int_equal(numbers[0], sorted[count - 1]);
            numbers[0] = next * 37 % 1000;
            ink__heap_sink(&heap, count);
        }
    }
}

RUN_CASES()
