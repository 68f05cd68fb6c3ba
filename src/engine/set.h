/* set.h - labelled sketches in memory, on their way to a file. */
#ifndef INK_ENGINE_SET_H
#define INK_ENGINE_SET_H

#include "engine/arena.h"
#include "inkling_job.h"

struct ink_set {
    ink_allocator  allocator;
    ink_entry     *entries; /* the sketches are the set's */
    uint64_t       count, entries_bytes;
    ink__arena     labels;
    const uint8_t *recipe; /* in `labels` */
    uint64_t       recipe_bytes;
    bool           recipe_dropped;
};

ink_status ink__set_create(ink_set **set, const ink_allocator *allocator, ink_error *error);

/* Adds a sketch, which becomes the set's, whatever comes; the label is copied. */
ink_status ink__set_add(ink_set *set, const ink_label *label, ink_sketch *sketch, ink_error *error);

#endif
