/* batch.h - a batch of keys on its way to a kind: whether a sketch can take it, and its parts,
 * hashed. */
#ifndef INK_SKETCH_BATCH_H
#define INK_SKETCH_BATCH_H

#include "sketch/kinds/kind.h"

/* Whether the batch says exactly one thing, and this sketch can take it. */
ink_status ink__batch_check(const ink_sketch *sketch, const ink_batch *batch, ink_error *error);

/* INK_READ_ONLY if the sketch is a view. */
ink_status ink__check_writable(const ink_sketch *sketch, ink_error *error);

/* The whole batch as a kind sees it; hashes only if it has them. */
ink__keys ink__batch_keys(const ink_batch *batch);

/* Keys from number `first` on. */
ink__keys ink__keys_from(const ink__keys *keys, size_t first);

/* The keys of a batch from `first` on: all if they come with hashes that can be used, else at most
 * INK__HASH_BATCH, which are hashed into `hashes`. */
ink__keys ink__batch_part(const ink_sketch *sketch, const ink_batch *batch, size_t first,
                          uint64_t *hashes);

/* A walk over a batch, part by part. Where the sketch is larger than the cache, and its kind can
 * fetch, parts are steps, and a window of keys is hashed and fetched ahead of those that are handed
 * out. */
enum { INK__STEP = 64 };

/* Started by ink__walk_start; goes on until ink__walk_next gives NULL. */
typedef struct ink__walk {
    const ink_sketch *sketch;
    ink__keys         all, keys;  /* of the batch, and those that were handed out last ... */
    size_t            first, end; /* ... which are these */
    bool              hashed;     /* by the walk */
    bool              prefetch;   /* keys are fetched; then: */
    ink__prefetch     fetched;    /* last */
    size_t            next;       /* the first key that is not fetched yet */
    _Alignas(64) uint64_t hashes[INK__HASH_BATCH]; /* vectors of them lie in a line each */
} ink__walk;

/* `write` tells whether the keys are added, or asked for only. */
void ink__walk_start(ink__walk *walk, const ink_sketch *sketch, const ink_batch *batch, bool write);
const ink__keys *ink__walk_next(ink__walk *walk);

/* One key as a batch, which lives as long as the block that it stands in. */
#define INK__ONE_KEY(key, length)                                                                  \
    (&(ink_batch){.count = 1, .bytes = (key), .offsets = (const uint64_t[2]){0, (length)}})
#define INK__ONE_INT(key) (&(ink_batch){.count = 1, .ints = &(key)})

#endif
