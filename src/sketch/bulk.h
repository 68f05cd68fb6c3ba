/* bulk.h - many keys for one large sketch, partitioned by range before they are added. */
#ifndef INK_SKETCH_BULK_H
#define INK_SKETCH_BULK_H

#include "sketch/kinds/kind.h"

/* Whether partitioning pays: a large sketch of blocks, at least one key for each cache line, no
 * weights. */
bool ink__bulk_pays(const ink_sketch *sketch, const ink_batch *batch);

/* Adds all keys of a batch that was checked. INK_MEMORY: nothing was added. */
ink_status ink__bulk_add(ink_sketch *sketch, const ink_batch *batch, ink_error *error);

#endif
