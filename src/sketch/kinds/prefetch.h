/* prefetch.h - which keys of a sketch that is larger than the cache are fetched before they are
 * added or asked for. */
#ifndef INK_SKETCH_KINDS_PREFETCH_H
#define INK_SKETCH_KINDS_PREFETCH_H

#include "sketch/kinds/kind.h"

/* Fewer keys than this are in flight together without being told to. */
enum { INK__PREFETCH_FROM = 16 };

/* How many keys ahead are to be fetched, and how; 0 if the sketch fits the cache. */
uint32_t ink__prefetch_window(const ink_sketch *sketch, bool write, ink__fetch *how);

/* Fetches what hashed keys will touch when they are asked for, all at once, if that is worth it:
 * for kinds that are made of others. */
void ink__prefetch_keys(const ink_sketch *sketch, const ink__keys *keys);

#endif
