/* sort.c - merge sort of pointers. */
#include "base/sort.h"

#include <stdbool.h>

typedef int compare_items(const void *, const void *);

static bool is_sorted(const void *const *items, size_t count, compare_items *compare)
{
    for (size_t i = 1; i < count; i++)
        if (compare(items[i - 1], items[i]) > 0)
            return false;
    return true;
}

/* Merges the sorted runs [from, middle) and [middle, until) of `in` into `out`. */
static void merge_runs(const void *const *in, const void **out, size_t from, size_t middle,
                       size_t until, compare_items *compare)
{
    size_t left = from, right = middle;

    for (size_t i = from; i < until; i++) {
        bool take_left = right == until || (left < middle && compare(in[left], in[right]) <= 0);
        out[i] = in[take_left ? left++ : right++];
    }
}

const void **ink__sort(const void **items, size_t count, compare_items *compare)
{
    const void **in = items, **out = items + count;

    if (is_sorted(items, count, compare))
        return items;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t from = 0; from < count; from += 2 * run) {
            size_t middle = count - from < run ? count : from + run;
            size_t until = count - from < 2 * run ? count : from + 2 * run;
            merge_runs(in, out, from, middle, until, compare);
        }
        const void **swap = in;
        in = out;
        out = swap;
    }
    return in;
}
