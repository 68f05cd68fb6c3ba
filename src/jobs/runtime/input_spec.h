/* input_spec.h - how the records of a file were read, as its input spec section tells it, so that
 * later commands can read the same data without being told again. docs/format.md states the bytes.
 */
#ifndef INK_JOBS_RUNTIME_INPUT_SPEC_H
#define INK_JOBS_RUNTIME_INPUT_SPEC_H

#include "inkling_job.h"
#include "jobs/runtime/arena.h"

/* The bytes of the input spec of a reading, in `arena`. The form is given apart: it may have been
 * told by a suffix. */
ink_status ink__input_spec_write(const ink_reading *reading, ink_form form, ink__arena *arena,
                                 const uint8_t **bytes, uint64_t *count, ink_error *error);

/* The input spec section of a file; *count is 0 if it has none. */
ink_status ink__input_spec_section(const ink_file *file, const uint8_t **bytes, uint64_t *count,
                                   ink_error *error);

/* How many columns the key of a input spec has; 0: a key is the whole record, or there is no input
 * spec. */
size_t ink__input_spec_key_columns(const uint8_t *bytes, uint64_t count);

#endif
