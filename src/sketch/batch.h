/* batch.h - a batch of keys on its way to a kind: whether a sketch can take it, and its parts,
 * hashed. */
#ifndef INK_SKETCH_BATCH_H
#define INK_SKETCH_BATCH_H

#include "sketch/kind.h"

/* Whether the batch says exactly one thing, and this sketch can take it. */
ink_status ink__batch_check(const ink_sketch *sketch, const ink_batch *batch, ink_error *error);

/* The whole batch as a kind sees it; hashes only if it has them. */
ink__keys ink__batch_keys(const ink_batch *batch);

/* The keys from `first` on: all if they come with hashes that can be used, else at most
 * INK__HASH_BATCH, which are hashed into `hashes`. */
ink__keys ink__batch_part(const ink_sketch *sketch, const ink_batch *batch, size_t first,
                          uint64_t *hashes);

/* One key is a batch of one; `offsets` are its 0 and its length. */
static inline ink_batch ink__batch_of_bytes(const void *key, const uint64_t offsets[2])
{
    return (ink_batch){.count = 1, .bytes = key, .offsets = offsets};
}

#endif
