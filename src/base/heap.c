/* heap.c - sorting in place. */
#include "base/heap.h"

static void sink_from(const ink__heap *heap, uint64_t at, uint64_t count)
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
        sink_from(heap, at, count);
}

void ink__heap_sink(const ink__heap *heap, uint64_t count)
{
    sink_from(heap, 0, count);
}

void ink__heap_sort(const ink__heap *heap, uint64_t count)
{
    ink__heap_make(heap, count);
    for (uint64_t end = count; end-- > 1;) {
        heap->swap(heap->host, 0, end);
        sink_from(heap, 0, end);
    }
}
