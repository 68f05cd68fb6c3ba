/* sort.c - pointers to things put in order. */
#include "base/sort.h"

#include <stdbool.h>

typedef int compare_things(const void *, const void *);

static bool is_sorted(const void *const *things, size_t count, compare_things *compare)
{
    for (size_t i = 1; i < count; i++)
        if (compare(things[i - 1], things[i]) > 0)
            return false;
    return true;
}

/* Merges the sorted runs [from, middle) and [middle, until) of `in` into `out`. */
static void merge_runs(const void *const *in, const void **out, size_t from, size_t middle,
                       size_t until, compare_things *compare)
{
    size_t left = from, right = middle;

    for (size_t i = from; i < until; i++) {
        bool take_left = right == until || (left < middle && compare(in[left], in[right]) <= 0);
        out[i] = in[take_left ? left++ : right++];
    }
}

const void **ink__sort(const void **things, size_t count, compare_things *compare)
{
    const void **in = things, **out = things + count;

    if (is_sorted(things, count, compare))
        return things;
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
