/* sort.h - merge sort of pointers by the caller's comparison: stable, without recursion, linear for
 * what is sorted already. */
#ifndef INK_BASE_SORT_H
#define INK_BASE_SORT_H

#include <stddef.h>

/* Sorts `count` pointers, with room for as many after them. Returns the sorted ones: `items`, or
 * the room after them. */
const void **ink__sort(const void **items, size_t count,
                       int (*compare)(const void *, const void *));

#endif
