/* payload.h - a payload of fixed size that has the same form in memory and in a file: in place in a
 * view, in a block of its own otherwise. */
#ifndef INK_SKETCH_KINDS_PAYLOAD_H
#define INK_SKETCH_KINDS_PAYLOAD_H

#include "base/memory.h"
#include "sketch/kinds/kind.h"

#include <stddef.h>

/* The second member of a kind that has one. */
typedef struct ink__payload {
    const uint8_t *data;  /* to read: of the block below, or of a file */
    ink__block     block; /* to write; empty in a view */
} ink__payload;

#define INK__PAYLOAD_IS_SECOND(type, member)                                                       \
    _Static_assert(offsetof(type, member) == sizeof(ink_sketch), "payload.c finds it there")

/* Starts with zeros if `from` is NULL, else with these bytes: in place if the sketch is read-only,
 * copied if not. */
ink_status ink__payload_start(ink_sketch *sketch, uint64_t bytes, const uint8_t *from,
                              ink_error *error);

/* Functions of such a kind. */
ink_status     ink__payload_take(ink_sketch *sketch, const ink__shape *shape, uint64_t at,
                                 const uint8_t *bytes, uint64_t count, ink_error *error);
void           ink__payload_release(ink_sketch *sketch);
uint64_t       ink__payload_memory(const ink_sketch *sketch);
const uint8_t *ink__payload_in_place(const ink_sketch *sketch, uint8_t *scratch);

/* Merges share number `share` of `shares` of the payload of a sketch of the same plan; shares have
 * no line of the cache in common. */
void ink__payload_merge_share(ink_sketch *into, const ink_sketch *from, unsigned share,
                              unsigned shares);

#endif
