/* sketch.h - what the public calls share: plans, descriptions, and sketches made of them. */
#ifndef INK_SKETCH_SKETCH_H
#define INK_SKETCH_SKETCH_H

#include "sketch/kinds/kind.h"

/* Everything about a new sketch that can be known before memory is taken. May hold a secret: to be
 * wiped. */
typedef struct ink__plan {
    const ink__kind *kind;
    ink__key_rule    rule;
    ink__shape       shape;
} ink__plan;

ink_status ink__sketch_plan(const ink_params *params, ink__plan *planned, ink_error *error);

/* Makes an empty sketch. */
ink_status ink__sketch_make(ink_sketch **sketch, const ink__plan *planned,
                            const ink_allocator *allocator, ink_error *error);

/* Describes a sketch of this shape, as far as the shape determines it. */
void ink__describe(const ink__kind *kind, const ink__key_rule *rule, const ink__shape *shape,
                   ink_description *description);

/* INK_MISMATCH unless two descriptions are of one plan. The message has both values, with `between`
 * and `after` around the second. */
ink_status ink__same_plan(const ink_description *a, const ink_description *b, const char *between,
                          const char *after, ink_error *error);

/* INK_MISMATCH, naming both values, unless the sketch, of the kind that was planned, was made by
 * this plan and not folded or reduced since. */
ink_status ink__sketch_same_plan(const ink__plan *planned, const ink_sketch *sketch,
                                 ink_error *error);

/* The entries of one kind and group in a file that have a slot: from *first on, by rising time. The
 * kind is NULL if the file has only one. */
ink_status ink__file_slots(const ink_file *file, const char *kind, const ink_label *label,
                           size_t *first, size_t *count, ink_error *error);

/* Makes a sketch with this payload: a read-only view, or a copy. */
ink_status ink__sketch_open(ink_sketch **sketch, const ink__kind *kind, const ink__key_rule *rule,
                            const ink__shape *shape, uint64_t records, const uint8_t *payload,
                            bool view, const ink_allocator *allocator, ink_error *error);

/* The scratch memory that the payload of a sketch needs. */
static inline uint64_t ink__scratch_bytes(const ink_sketch *sketch)
{
    return sketch->kind->scratch_bytes == NULL ? 0 : sketch->kind->scratch_bytes(sketch);
}

/* Checks the bytes of a view of a lazily opened file that were not checked yet. */
ink_status ink__sketch_verify(const ink_sketch *sketch, ink_error *error);

#endif
