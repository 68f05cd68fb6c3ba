/* sort.h - pointers to things put in order by their owner's comparison: stable, nothing recurses,
 * and what is in order already costs a look. */
#ifndef INK_BASE_SORT_H
#define INK_BASE_SORT_H

#include <stddef.h>

/* Sorts `count` pointers, with room for as many behind them. Returns where they stand in order: at
 * `things`, or in the room behind. */
const void **ink__sort(const void **things, size_t count,
                       int (*compare)(const void *, const void *));

#endif
