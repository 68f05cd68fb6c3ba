/* batch.h - batches of keys: whether a sketch can take one, its parts, hashed, and many keys for
 * one large sketch, partitioned by range before they are added (bulk.c). */
#ifndef INK_SKETCH_BATCH_H
#define INK_SKETCH_BATCH_H

#include "sketch/kinds/kind.h"

/* Whether the keys have exactly one form, and this sketch can take them. */
ink_status ink__batch_check(const ink_sketch *sketch, const ink_batch *batch, ink_error *error);

/* INK_UNSUPPORTED: the sketch is concurrent, and takes keys alone. */
ink_status ink__fail_concurrent(const ink_sketch *sketch, ink_error *error);

/* INK_READ_ONLY if the sketch is a view, INK_UNSUPPORTED if it is concurrent or never changes. */
ink_status ink__check_writable(const ink_sketch *sketch, ink_error *error);

/* The whole batch as a kind sees it; hashes only if it has them. */
ink__keys ink__batch_keys(const ink_batch *batch);

/* How many records a batch stands for. Where keys can be removed, a weight is a number of times. */
uint64_t ink__batch_records(const ink_sketch *sketch, const ink_batch *batch);

/* Keys from number `first` on. */
ink__keys ink__keys_from(const ink__keys *keys, size_t first);

/* The keys of a batch from `first` on: all if they come with hashes that can be used, else at most
 * INK__HASH_BATCH, which are hashed into `hashes`. */
ink__keys ink__batch_part(const ink_sketch *sketch, const ink_batch *batch, size_t first,
                          uint64_t *hashes);

/* A walk over a batch, part by part. If the sketch is larger than the cache, and its kind can
 * prefetch, parts are steps, and a window of keys after them is hashed and prefetched. */
enum { INK__STEP = 64 };

/* Started by ink__walk_start; goes on until ink__walk_next gives NULL. */
typedef struct ink__walk {
    const ink_sketch *sketch;
    ink__keys         all, keys;  /* of the batch, and the part returned last ... */
    size_t            first, end; /* ... which are these */
    bool              hashed;     /* by the walk */
    bool              located;    /* and found in memory: the kind needs keys that are apart */
    bool              prefetch;   /* keys are fetched; then: */
    ink__prefetch     fetched;    /* last */
    size_t            next;       /* the first key that is not fetched yet */
    _Alignas(64) uint64_t hashes[INK__HASH_BATCH]; /* vectors of them lie in a line each */
    uint64_t starts[INK__STEP], ends[INK__STEP];   /* if located */
} ink__walk;

/* `write`: the keys are added, not only queried. */
void ink__walk_start(ink__walk *walk, const ink_sketch *sketch, const ink_batch *batch, bool write);
/* Without prefetches. */
void ink__walk_start_near(ink__walk *walk, const ink_sketch *sketch, const ink_batch *batch);
const ink__keys *ink__walk_next(ink__walk *walk);

/* Whether partitioning pays: a large sketch of blocks, at least one key for each cache line, no
 * weights. */
bool ink__bulk_pays(const ink_sketch *sketch, const ink_batch *batch);

/* Whether sorting questions pays: a filter far larger than the caches whose locations rise with the
 * hash, and a question for each of its cache lines. */
bool ink__sorted_questions_pay(const ink_sketch *sketch, const ink_batch *batch);

/* Answers all questions of a batch that was checked. INK_MEMORY: none is answered. */
ink_status ink__sorted_questions(const ink_sketch *sketch, const ink_batch *batch,
                                 uint8_t *answers);

/* Adds all keys of a batch that was checked. INK_MEMORY: nothing was added. */
ink_status ink__bulk_add(ink_sketch *sketch, const ink_batch *batch, ink_error *error);

#endif
