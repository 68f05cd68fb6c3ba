/* heap.h - heap sort: in place, without memory or a bad case, over numbered items that the caller
 * compares and swaps. */
#ifndef INK_BASE_HEAP_H
#define INK_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ink__heap {
    void *host;
    bool (*after)(const void *host, uint64_t a, uint64_t b); /* whether a comes after b */
    void (*swap)(void *host, uint64_t a, uint64_t b);
} ink__heap;

/* Makes a heap of the first `count` items: number 0 is then the last in order. */
void ink__heap_make(const ink__heap *heap, uint64_t count);

/* Restores the heap after number 0 was replaced. */
void ink__heap_sink(const ink__heap *heap, uint64_t count);

/* Sorts the first `count` items, whether they were a heap or not. */
void ink__heap_sort(const ink__heap *heap, uint64_t count);

#endif
