/* sketch_set.h - labelled sketches in memory, on their way to a file or to be asked, and their
 * union. */
#ifndef INK_JOBS_RUNTIME_SKETCH_SET_H
#define INK_JOBS_RUNTIME_SKETCH_SET_H

#include "inkling_job.h"
#include "jobs/runtime/arena.h"

struct ink_set {
    ink_allocator  allocator;
    ink_entry     *entries; /* the sketches are the set's */
    uint64_t       count, entries_bytes;
    ink__arena     labels;
    const uint8_t *input_spec; /* in `labels` */
    uint64_t       input_spec_bytes;
    bool           input_spec_dropped;
    ink_file     **files; /* that sketches are views of; they are the set's */
    uint64_t       file_count, files_bytes;
};

ink_status ink__set_create(ink_set **set, const ink_allocator *allocator, ink_error *error);

/* Adds a sketch, which becomes the set's, whatever comes; the label is copied. */
ink_status ink__set_add(ink_set *set, const ink_label *label, ink_sketch *sketch, ink_error *error);

/* The entry with this label, of a set of one kind; or NULL. */
const ink_entry *ink__set_find(const ink_set *set, const ink_label *label);

/* Takes a file, which becomes the set's, whatever comes, and its input spec. */
ink_status ink__set_own(ink_set *set, ink_file *file, ink_error *error);

/* Unites what `load` puts into an empty set, in the order of files, with a set so far, *into, which
 * is NULL at first, by kind and label. The input spec stays if both have the same. INK_MISMATCH if
 * keys are not the same thing in both, or two sketches do not fit together. */
typedef ink_status ink__set_loader(ink_set *set, void *host, ink_error *error);
ink_status         ink__set_merge_loaded(ink_set **into, ink__set_loader *load, void *host,
                                         const ink_merge_options *options, const ink_allocator *allocator,
                                         ink_error *error);

bool ink__set_has_filter(const ink_set *set);

/* Puts the group of a label before the message of an error, and returns `status`. */
ink_status ink__set_blame(const ink_label *label, ink_status status, ink_error *error);

#endif
