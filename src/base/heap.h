/* heap.h - sorting in place, without memory and without a bad case: a heap over numbered things
 * that their owner compares and swaps. */
#ifndef INK_BASE_HEAP_H
#define INK_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ink__heap {
    void *host;
    bool (*after)(const void *host, uint64_t a,
                  uint64_t b); /* whether thing a comes after thing b */
    void (*swap)(void *host, uint64_t a, uint64_t b);
} ink__heap;

/* Makes a heap of the first `count` things: number 0 is then the last of them in order. */
void ink__heap_make(const ink__heap *heap, uint64_t count);

/* Makes it one again after another thing has taken the place of number 0. */
void ink__heap_sink(const ink__heap *heap, uint64_t count);

/* Puts the first `count` things in order, whether they were a heap or not. */
void ink__heap_sort(const ink__heap *heap, uint64_t count);

#endif
