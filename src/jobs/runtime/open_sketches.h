/* open_sketches.h - opening files of sketches as the command does. */
#ifndef INK_JOBS_RUNTIME_OPEN_SKETCHES_H
#define INK_JOBS_RUNTIME_OPEN_SKETCHES_H

#include "base/crew.h"
#include "inkling_job.h"
#include "input/records/records.h"

/* Files up to this size are read, larger ones mapped: a mapped file must not change. */
#define INK__COPY_BYTES ((uint64_t)64 << 20)

/* As ink_file_open_any; the input may be in memory, and its first bytes may have been read. A
 * large file is checked by the crew; NULL: by the calling thread. */
ink_status ink__sketches_open(ink_file **file, const ink_input *input, const ink__crew *crew,
                              const ink_allocator *allocator, ink_error *error);

/* INK_FORMAT if an input that does not begin as a file of sketches is named as one: its bytes are
 * not read as records. */
ink_status ink__sketches_check_name(const ink_input *input, ink_error *error);

/* INK_FORMAT if an input of records is a file of sketches by its first bytes or its name. */
ink_status ink__sketches_refuse(const ink_input *input, const ink__record_rule *records,
                                const uint8_t *bytes, uint64_t count, bool compressed,
                                ink_error *error);

#endif
