/* input_spec.h - the section of a file that records how its input was read, so that later commands
 * read the same data without options. docs/format.md has the bytes. */
#ifndef INK_JOBS_RUNTIME_INPUT_SPEC_H
#define INK_JOBS_RUNTIME_INPUT_SPEC_H

#include "inkling_job.h"
#include "jobs/runtime/arena.h"

/* Encodes the input spec of a reading into `arena`. The form may be that of a path's suffix. */
ink_status ink__input_spec_write(const ink_reading *reading, ink_form form, ink__arena *arena,
                                 const uint8_t **bytes, uint64_t *count, ink_error *error);

/* The input spec section of a file; *count is 0 if it has none. */
ink_status ink__input_spec_section(const ink_file *file, const uint8_t **bytes, uint64_t *count,
                                   ink_error *error);

/* Whether two input specs are the same, but for records that are skipped: then the longer one has
 * `bad skip`. */
bool ink__input_spec_same(const uint8_t *one, uint64_t one_count, const uint8_t *other,
                          uint64_t other_count);

/* The number of key columns; 0: a key is the whole record, or there is no input spec. */
size_t ink__input_spec_key_columns(const uint8_t *bytes, uint64_t count);

#endif
