/* reading.h - makes a rule for rows of what a user says about records: forms by suffix, options
 * that exclude each other, columns by name, what an input spec leaves open. */
#ifndef INK_JOBS_RUNTIME_READING_H
#define INK_JOBS_RUNTIME_READING_H

#include "inkling_job.h"
#include "input/arrow/arrow_plan.h"
#include "input/rows.h"

/* Makes the rule, without columns that are found by a header. INK_USAGE names options that exclude
 * each other. The strings of `reading` must outlive the rule. */
ink_status ink__reading_rule(ink__row_rule *rule, const ink_reading *reading,
                             const ink_input *inputs, size_t input_count, ink_error *error);

/* The Arrow columns to read. The strings of `reading` must outlive it. */
ink__arrow_wanted ink__reading_arrow(const ink_reading *reading);

/* Sets the key type to that of the first input's columns, if these are Arrow and the caller gave
 * none. */
ink_status ink__reading_arrow_keys(ink_reading *reading, const ink_input *inputs,
                                   size_t input_count, ink_error *error);

/* Whether an input is in memory. One without memory, path and Arrow is: an empty buffer. */
bool ink__reading_in_memory(const ink_input *input);

/* INK_USAGE for an input that has bytes at no address, or more begun bytes than it can hold. */
ink_status ink__reading_check_input(const ink_input *input, ink_error *error);

/* INK_USAGE for a form, key type, rounding or unit that does not exist. */
ink_status ink__reading_check_values(const ink_reading *reading, ink_error *error);

/* INK_USAGE if `path` is "-", standard input, and one before it was: `seen`, false at first. */
ink_status ink__reading_standard_once(const char *path, bool *seen, ink_error *error);

/* INK_UNSUPPORTED if an input is Arrow, for jobs that copy records. */
ink_status ink__reading_refuse_arrow(const ink_input *inputs, size_t input_count, ink_error *error);

/* Whether columns are found by the header of each input. */
bool ink__reading_names(const ink_reading *reading, const ink__row_rule *rule);

/* Finds the columns by the header of an input, a record without its end, which may begin with a
 * byte-order mark. INK_MISMATCH if an earlier header had them elsewhere; the message calls that
 * input `first`. */
ink_status ink__reading_resolve(const ink_reading *reading, const uint8_t *header, uint64_t bytes,
                                const char *first, ink__row_rule *rule, ink_error *error);

/* The key type of records; for Arrow, after ink__reading_arrow_keys. */
ink_key_type ink__reading_key_type(const ink_reading *reading);

/* Does what ink_reading_complete does. *followed becomes the input spec if it decides how records
 * are read, or NULL if what is given does, or if a line is a key. */
ink_status ink__reading_follow(ink_reading *reading, const ink_reading *input_spec, bool with_by,
                               const ink_input *inputs, size_t input_count,
                               const ink_reading **followed, ink_error *error);

/* Puts what the file of sketches says about its data (NULL: nothing) after the message of a failure
 * that may follow from it. */
void ink__reading_explain(const ink_reading *input_spec, ink_error *error);

/* Says after the message of a bad record that such ones can be skipped, unless the caller chose. */
void ink__reading_may_skip(const ink_reading *reading, ink_error *error);

const char *ink__form_name(ink_form form);
bool        ink__form_named(const char *name, ink_form *form);

#endif
