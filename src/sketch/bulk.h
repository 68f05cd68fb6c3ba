/* bulk.h - many keys for one large sketch: when they are sorted by range before they are added. */
#ifndef INK_SKETCH_BULK_H
#define INK_SKETCH_BULK_H

#include "sketch/kinds/kind.h"

/* Whether a batch is worth it: a large sketch that can be filled range by range, as many keys as it
 * has cache lines, each of them once. */
bool ink__bulk_pays(const ink_sketch *sketch, const ink_batch *batch);

/* Adds all keys of a batch that was checked. INK_MEMORY: nothing was added. */
ink_status ink__bulk_add(ink_sketch *sketch, const ink_batch *batch, ink_error *error);

#endif
