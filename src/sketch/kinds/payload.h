/* payload.h - a payload of fixed size that stands in memory as it stands in a file: in place in a
 * view, in a block of its own otherwise. */
#ifndef INK_SKETCH_KINDS_PAYLOAD_H
#define INK_SKETCH_KINDS_PAYLOAD_H

#include "base/memory.h"
#include "sketch/kinds/kind.h"
typedef struct ink__payload {
    const uint8_t *data;  /* to read: of the block below, or of a file */
    ink__block     block; /* to write; empty in a view */
} ink__payload;

/* Starts with zeros if `from` is NULL, else with these bytes: in place if the sketch is read-only,
 * copied if not. */
ink_status ink__payload_start(ink__payload *payload, const ink_sketch *sketch, uint64_t bytes,
                              const uint8_t *from, ink_error *error);

#endif
