/* sketch_set.h - labelled sketches in memory, to be saved or queried, and unions of such sets. */
#ifndef INK_JOBS_RUNTIME_SKETCH_SET_H
#define INK_JOBS_RUNTIME_SKETCH_SET_H

#include "inkling_job.h"
#include "jobs/runtime/arena.h"

struct ink_set {
    ink_allocator  allocator;
    ink_entry     *entries; /* the set owns the sketches */
    uint64_t       count, entries_bytes;
    ink__arena     labels;
    const uint8_t *input_spec; /* in `labels` */
    uint64_t       input_spec_bytes;
    bool           input_spec_dropped;
    const uint8_t *origin; /* in `labels`; NULL: none */
    uint64_t       origin_bytes;
    unsigned       threads; /* that save large sketches, and free many */
    ink_file     **files;   /* owned; sketches may be views of them */
    uint64_t       file_count, files_bytes;
};

ink_status ink__set_create(ink_set **set, const ink_allocator *allocator, ink_error *error);

/* Adds a sketch, which the set owns, also on failure; the label is copied. */
ink_status ink__set_add(ink_set *set, const ink_label *label, ink_sketch *sketch, ink_error *error);

/* Adds all sketches of a file, on the threads of the job. */
ink_status ink__set_load(ink_set *set, const ink_file *file, const ink_job *job, ink_error *error);

/* How many entries are a task for one thread: some, or one if they are large. */
uint64_t ink__set_block(const ink_set *set);

/* Makes room for this many more entries. */
ink_status ink__set_reserve(ink_set *set, uint64_t count, ink_error *error);

/* Keeps the content of the section of the origin, of which a copy is made. */
ink_status ink__set_originate(ink_set *set, const uint8_t *origin, uint64_t bytes,
                              ink_error *error);

/* Takes a file, which the set owns, also on failure, and copies its input spec and its origin. */
ink_status ink__set_own(ink_set *set, ink_file *file, ink_error *error);

/* Merges what `load` puts into an empty set, in the order of files, into *into, which is NULL at
 * first, by kind and label: pairs of sketches beside each other on the threads of the job, a few
 * large ones in slices. The input spec and the origin stay if both have the same. INK_MISMATCH if
 * the key rules differ, or two sketches cannot be merged. */
typedef ink_status ink__set_loader(ink_set *set, void *host, ink_error *error);
ink_status         ink__set_merge_loaded(ink_set **into, ink__set_loader *load, void *host,
                                         const ink_merge_options *options, const ink_job *job,
                                         ink_error *error);

bool ink__set_has_filter(const ink_set *set);

/* Prefixes the message of an error with the group of a label, and returns `status`. */
ink_status ink__set_blame(const ink_label *label, ink_status status, ink_error *error);

#endif
