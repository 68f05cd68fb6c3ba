/* open_foreign.h - files of sketches in formats of other systems, opened as files of ours. */
#ifndef INK_JOBS_RUNTIME_OPEN_FOREIGN_H
#define INK_JOBS_RUNTIME_OPEN_FOREIGN_H

#include "inkling_foreign.h"

/* Bytes of a whole file as an open file, which holds copies; `options` as in ink_foreign_read. */
ink_status ink__foreign_decode(ink_file **file, const uint8_t *bytes, uint64_t count,
                               const ink_foreign_options *options, const ink_allocator *allocator,
                               ink_error *error);

/* Whether the file at a path surely is in a foreign format. */
bool ink__foreign_is_certain(const char *path);

#endif
