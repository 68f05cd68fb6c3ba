/* sort.h - sorts without a bad case: merge sort of pointers, radix sorts of numbers, with room and
 * in place, and heap sort. */
#ifndef INK_BASE_SORT_H
#define INK_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Merge sort: stable, and linear for what is sorted already. Sorts `count` pointers, with room for
 * as many after them. Returns the sorted ones: `items`, or the room after them. */
const void **ink__sort(const void **items, size_t count,
                       int (*compare)(const void *, const void *));

/* Radix sort of numbers, with room for as many. */
void ink__sort_u64(uint64_t *numbers, uint64_t *room, size_t count);

/* The same in place, for numbers below 2^bits: fastest where they are spread evenly. */
void ink__sort_u64_in_place(uint64_t *numbers, size_t count, unsigned bits);

/* Heap sort: in place, without memory, over numbered items that the caller compares and swaps. */
typedef struct ink__heap {
    void *host;
    bool (*after)(const void *host, uint64_t a, uint64_t b); /* whether a comes after b */
    void (*swap)(void *host, uint64_t a, uint64_t b);
} ink__heap;

/* Makes a heap of the first `count` items: number 0 is then the last in order. */
void ink__heap_make(const ink__heap *heap, uint64_t count);

/* Restores the heap after item `at` was replaced by one that comes before it. */
void ink__heap_sink(const ink__heap *heap, uint64_t at, uint64_t count);

/* Sorts the first `count` items, whether they were a heap or not. */
void ink__heap_sort(const ink__heap *heap, uint64_t count);

#endif
