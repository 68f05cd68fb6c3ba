/* prefetch.h - which keys of a sketch larger than the cache are prefetched. */
#ifndef INK_SKETCH_KINDS_PREFETCH_H
#define INK_SKETCH_KINDS_PREFETCH_H

#include "sketch/kinds/kind.h"

/* Fewer keys than this are in flight together without prefetches. */
enum { INK__PREFETCH_FROM = 16 };

/* How many keys in advance to fetch, and how; 0 if the sketch fits the cache. */
uint32_t ink__prefetch_window(const ink_sketch *sketch, bool write, ink__fetch *how);

/* Prefetches what queries of hashed keys will touch, if that pays: for kinds made of others. */
void ink__prefetch_keys(const ink_sketch *sketch, const ink__keys *keys);

#endif
