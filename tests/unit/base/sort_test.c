/* sort_test.c - pointers are put in order, equal ones stay as they stood, and order costs a look;
 * numbers are put in order by all their bits; numbered things are sorted in place, and the first of
 * a heap is the last in order. */
#include "base/sort.h"

#include "support/check.h"

#include <stdlib.h>

typedef struct thing {
    int value, location;
} thing;

static unsigned compared;

static int compare(const void *one, const void *other)
{
    const thing *a = one, *b = other;

    compared++;
    return (a->value > b->value) - (a->value < b->value);
}

enum { THINGS = 300 };
static thing       things[THINGS];
static const void *room[2 * THINGS];

static const void **sort(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        things[i].location = (int)i;
        room[i] = &things[i];
    }
    compared = 0;
    return ink__sort(room, count, compare);
}

TEST(every_number_of_things_is_sorted_and_equal_ones_stay_as_they_stood)
{
    for (size_t count = 0; count <= THINGS; count++) {
        for (size_t i = 0; i < count; i++)
            things[i].value = (int)(i * i * 7919 % 31);
        const void **sorted = sort(count);
        for (size_t i = 1; i < count; i++) {
            const thing *a = sorted[i - 1], *b = sorted[i];
            assert_true(a->value < b->value || (a->value == b->value && a->location < b->location));
        }
    }
}

TEST(what_is_in_order_is_only_looked_at)
{
    for (int i = 0; i < THINGS; i++)
        things[i].value = i / 2;
    assert_ptr_equal(sort(THINGS), room);
    assert_int_equal(compared, THINGS - 1);
}

TEST(what_is_in_the_wrong_order_is_turned_around)
{
    for (int i = 0; i < THINGS; i++)
        things[i].value = -i;
    const void **sorted = sort(THINGS);
    for (int i = 0; i < THINGS; i++)
        assert_ptr_equal(sorted[i], &things[THINGS - 1 - i]);
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* Patterns: few equal bits, all equal, falling, all but the last bits equal, spread evenly. */
static uint64_t number_of(unsigned pattern, uint64_t i)
{
    const uint64_t numbers[] = {(i * i * 7919 % 31) << i % 64 | (i % 3 == 0 ? i : 0), 42,
                                THINGS - i, UINT64_MAX << 9 | (i * 31 & 511),
                                i * 0x9e3779b97f4a7c15};

    return numbers[pattern];
}

TEST(numbers_are_sorted_by_all_their_bits)
{
    uint64_t numbers[THINGS], more[THINGS];

    for (size_t at = 0; at < 10 * (THINGS + 1); at++) {
        size_t   count = at / 10;
        uint64_t sum = 0, sum_sorted = 0;
        for (size_t i = 0; i < count; i++) {
            numbers[i] = number_of((unsigned)(at % 5), i);
            sum += numbers[i] * numbers[i];
        }
        if (at % 10 < 5)
            ink__sort_u64(numbers, more, count);
        else
            ink__sort_u64_in_place(numbers, count, 64);
        for (size_t i = 0; i < count; i++) {
            assert_true(i == 0 || numbers[i - 1] <= numbers[i]);
            sum_sorted += numbers[i] * numbers[i];
        }
        assert_true(sum == sum_sorted);
    }
}

/* ---- Heaps -------------------------------------------------------------------------------- */

enum { NUMBERS = 200 };

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

static int compare_numbers(const void *a, const void *b)
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

TEST(things_come_out_in_order)
{
    int numbers[NUMBERS], expected[NUMBERS];

    for (unsigned count = 0; count < NUMBERS; count++)
        for (unsigned way = 0; way < 4; way++) {
            const ink__heap heap = {numbers, number_after, swap_numbers};
            fill(numbers, count, way);
            memcpy(expected, numbers, sizeof numbers);
            qsort(expected, count, sizeof *expected, compare_numbers);
            ink__heap_sort(&heap, count);
            assert_memory_equal(numbers, expected, count * sizeof *numbers);
        }
}

TEST(the_root_is_the_last_and_stays_it_when_replaced)
{
    int numbers[NUMBERS], sorted[NUMBERS];

    for (unsigned count = 1; count < NUMBERS; count += 7) {
        const ink__heap heap = {numbers, number_after, swap_numbers};
        fill(numbers, count, 2);
        ink__heap_make(&heap, count);
        for (int next = 0; next < 50; next++) {
            memcpy(sorted, numbers, sizeof numbers);
            qsort(sorted, count, sizeof *sorted, compare_numbers);
            assert_int_equal(numbers[0], sorted[count - 1]);
            numbers[0] = next * 37 % 1000;
            ink__heap_sink(&heap, 0, count);
        }
    }
}

RUN_TESTS()
