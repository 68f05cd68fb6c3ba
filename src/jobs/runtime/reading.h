/* reading.h - what a user says about records turned into a rule for rows: forms by suffix, what
 * goes together, columns by name. */
#ifndef INK_JOBS_RUNTIME_READING_H
#define INK_JOBS_RUNTIME_READING_H

#include "inkling_job.h"
#include "input/arrow/arrow_plan.h"
#include "input/rows.h"

/* Makes the rule, but for columns that only a header can tell. INK_USAGE tells what does not go
 * together. The strings of `reading` must outlive the rule. */
ink_status ink__reading_rule(ink__row_rule *rule, const ink_reading *reading,
                             const ink_input *inputs, size_t input_count, ink_error *error);

/* What is wanted of Arrow columns. The strings of `reading` must outlive it. */
ink__arrow_wanted ink__reading_arrow(const ink_reading *reading);

/* Sets what a key is to what the first input's columns are, if these are Arrow and nothing was
 * said.
 */
ink_status ink__reading_arrow_keys(ink_reading *reading, const ink_input *inputs,
                                   size_t input_count, ink_error *error);

/* Whether an input is bytes in memory: those that it has, or none if it has nothing at all, as of a
 * buffer that is empty. */
bool ink__reading_in_memory(const ink_input *input);

/* INK_USAGE for an input that has bytes, but does not say where, or one of which more was read
 * before than it can hold. */
ink_status ink__reading_check_input(const ink_input *input, ink_error *error);

/* INK_USAGE for a form, key type, rounding or unit that does not exist. */
ink_status ink__reading_check_values(const ink_reading *reading, ink_error *error);

/* INK_UNSUPPORTED if an input is Arrow, for jobs that write records as they stand. */
ink_status ink__reading_refuse_arrow(const ink_input *inputs, size_t input_count, ink_error *error);

/* INK_USAGE if there is a column of times, for jobs that would not look at it. */
ink_status ink__reading_refuse_time(const ink_reading *reading, ink_error *error);

/* Whether columns are named, so that the header of each input must be looked at. */
bool ink__reading_names(const ink_reading *reading, const ink__row_rule *rule);

/* Finds the columns by the header of an input, a record without its end, which may begin with a
 * byte order mark. INK_MISMATCH if they are not those that the header of `first` had, as an error
 * calls it. */
ink_status ink__reading_resolve(const ink_reading *reading, const uint8_t *header, uint64_t bytes,
                                const char *first, ink__row_rule *rule, ink_error *error);

/* What keys are that are read so, where nothing is known of Arrow columns. */
ink_key_type ink__reading_key_type(const ink_reading *reading);

/* The form that a path's suffix stands for. */
ink_form    ink__form_of_path(const char *path);
const char *ink__form_name(ink_form form);
bool        ink__form_named(const char *name, ink_form *form);

#endif
