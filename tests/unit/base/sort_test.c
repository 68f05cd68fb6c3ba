/* sort_test.c - pointers are put in order, equal ones stay as they stood, and order costs a look.
 */
#include "base/sort.h"

#include "support/cases.h"

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

CASE(every_number_of_things_is_sorted_and_equal_ones_stay_as_they_stood)
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

CASE(what_is_in_order_is_only_looked_at)
{
    for (int i = 0; i < THINGS; i++)
        things[i].value = i / 2;
    assert_ptr_equal(sort(THINGS), room);
    assert_int_equal(compared, THINGS - 1);
}

CASE(what_is_in_the_wrong_order_is_turned_around)
{
    for (int i = 0; i < THINGS; i++)
        things[i].value = -i;
    const void **sorted = sort(THINGS);
    for (int i = 0; i < THINGS; i++)
        assert_ptr_equal(sorted[i], &things[THINGS - 1 - i]);
}

RUN_CASES()
