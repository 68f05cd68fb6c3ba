/* open_foreign.h - files of sketches in formats of other systems, opened as files of ours. */
#ifndef INK_JOBS_RUNTIME_OPEN_FOREIGN_H
#define INK_JOBS_RUNTIME_OPEN_FOREIGN_H

#include "inkling_job.h"

/* Bytes of a whole file as an open file, which holds copies; `options` as in ink_foreign_read. */
ink_status ink__foreign_decode(ink_file **file, const uint8_t *bytes, uint64_t count,
                               const ink_foreign_options *options, const ink_allocator *allocator,
                               ink_error *error);

/* Finds whether the file of an input is to be read as one of another system: surely by its first
 * bytes, or because the input says so, unless it begins as one of ours. */
ink_status ink__foreign_look(const ink_input *input, bool *foreign, ink_error *error);

#endif
